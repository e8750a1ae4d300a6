#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Install what the named goals need and isn't there: packaging/deps.sh build test
# As root, or through sudo; where neither works, or on another distribution, print the list and stop.
# DEPS=no (in the environment) says that everything needed is there under other names.
set -eu

[ "${DEPS:-yes}" != no ] || exit 0
list=$(dirname "$0")/debian-packages.txt
[ $# -gt 0 ] || { echo "usage: $0 GOAL...  (goals: second column of $list)" >&2; exit 2; }

wanted=$(awk -v goals="$*" '
    BEGIN { split(goals, names, " "); for (at in names) asked[names[at]] = 1 }
    /^[^#]/ { split($2, mine, ","); for (at in mine) if (mine[at] in asked) { print $1; next } }' "$list")

by_hand()
{
    echo "plumb needs these Debian 12 packages, which $1:" >&2
    for package in $missing; do
        awk -v name="$package" '$1 == name { $1 = $2 = ""; sub(/^ +/, ""); printf "  %-27s %s\n", name, $0 }' "$list" >&2
    done
    echo "install them, or their like, and run make again (DEPS=no skips this check)" >&2
    exit 1
}

if ! command -v dpkg-query >/dev/null; then
    missing=$wanted
    by_hand "this distribution may name otherwise"
fi

# One query for all; a package that dpkg has never heard of goes to stderr only.
# shellcheck disable=SC2016,SC2086
present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed //p') || true
missing=
for package in $wanted; do
    case "
$present
" in
    *"
$package
"*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
elif command -v sudo >/dev/null && [ -t 0 ]; then
    as_root=sudo
else
    by_hand "only root can install"
fi

apt_get()
{
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 \
        -o Acquire::Retries=3 "$@" </dev/null >&2
}

echo "installing from Debian:$missing" >&2
# The package lists may be absent or old: try with what is there, then fetch them once.
# shellcheck disable=SC2086
apt_get install --no-install-recommends $missing ||
    { apt_get update && apt_get install --no-install-recommends $missing; } ||
    by_hand "could not be installed"
