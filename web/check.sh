#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Whether web/dist is what web/ builds, from libraries fetched anew as the lock file says. Skips, and says so, without npm or a registry.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

skip()
{
    echo "skipped: web/dist: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

for program in node npm; do
    command -v "$program" >/dev/null || skip "there is no $program here"
done
cp -r package.json package-lock.json .npmrc build.mjs src "$folder"
(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=0 --fetch-timeout=30000) >"$folder/talk" 2>&1 ||
    skip "npm can't fetch its libraries: $(grep -v '^$' "$folder/talk" | tail -1)"
node "$folder/build.mjs" >/dev/null
for name in report.html THIRD-PARTY.txt; do
    cmp "dist/$name" "$folder/dist/$name" || {
        echo "failed: web/dist/$name is not what web/ builds: run make web and commit it"
        echo "0 passed, 1 failed, 0 skipped"
        exit 1
    }
done
echo "1 passed, 0 failed, 0 skipped"
