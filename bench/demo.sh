#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The first seed's workload, diagnosed, and then the advice tried: what was foretold beside what came.
#
#     bench/demo.sh [BUILD-FOLDER]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
plumb=$build/plumb
matmul=$build/bench/workloads/matmul
folder=$build/demo # the case stays, to be looked at again
rm -rf "$folder"
mkdir -p "$folder"
trap 'exit 130' INT TERM

heading() {
    printf '\n=== %s\n\n' "$1"
}

shape=$("$matmul" --list-shapes | awk '$1 == "--matmul" { print $2; exit }')
reference="$matmul --mode=reference --stag=ab --wtag=ab --dtag=ab --matmul $shape"

heading "1. Why is this slow?  plumb diagnose -- $reference --pages=4k"
status=0
# shellcheck disable=SC2086
"$plumb" diagnose --case "$folder/case" -- $reference --pages=4k || status=$?
[ "$status" -eq 0 ] || [ "$status" -eq 4 ] || exit "$status"

seconds=${DEMO_SECONDS:-60}

heading "2. Does the advice hold?  The same run on 4 KiB pages (A) and on huge pages (B), in turns for $seconds s"
# Huge pages spare walks and faults: what foretells is the first of both that was found. Without an amount foretold (neither was, or the machine was too
# unsteady for one) the runs are compared all the same, and that is said.
by="--by cpu"
for finding in small-pages page-faults; do
    by_finding="--predicted-by $folder/case --finding $finding"
    talked=0
    # shellcheck disable=SC2086
    "$plumb" compare -q --runs 1 --warmup 0 --no-noise-floor --explain 0 $by_finding true -- true >"$folder/talk" 2>&1 || talked=$?
    if [ "$talked" -eq 0 ] || [ "$talked" -ge 3 ]; then
        by=$by_finding
        break
    fi
    sed "s|^plumb compare: ||" "$folder/talk"
done
status=0
# shellcheck disable=SC2086
"$plumb" compare --no-noise-floor --explain 0 --time "$seconds" $by $reference --pages=4k -- $reference --pages=thp 2>"$folder/talk" || status=$?
# What the runs said of their own memory: B must really have had huge pages, and A none.
sed -n 's/^wei: [0-9.]* MiB, \([0-9.]*\) MiB of it in huge pages$/\1/p' "$folder/talk" | sort -n | uniq -c |
    awk 'BEGIN { printf "  MiB of the weights in huge pages, by run:" } { printf "%s %s in %d", (NR > 1 ? "," : ""), $2, $1 } END { print "" }'
[ "$status" -eq 0 ] || [ "$status" -eq 4 ] || { cat "$folder/talk" >&2; exit "$status"; }
if [ "$status" -eq 4 ]; then
    printf '\nUnresolved: the runs were too unsteady for a verdict; DEMO_SECONDS=240 make demo looks longer.\n'
fi
