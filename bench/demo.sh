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
pairs=${DEMO_PAIRS:-6}
folder=$(mktemp -d "${TMPDIR:-/tmp}/plumb-demo.XXXXXX")
trap 'rm -rf "$folder"' EXIT
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

heading "2. Does the advice hold?  The same run on 4 KiB pages (A) and on huge pages (B), $pairs pairs, interleaved"
set -- --predicted-by "$folder/case" --finding small-pages
if ! "$plumb" compare -q --runs 1 --warmup 0 --time cpu "$@" true -- true >"$folder/talk" 2>&1 && grep foretells "$folder/talk"; then
    set --
fi
status=0
# shellcheck disable=SC2086
"$plumb" compare --time cpu --runs "$pairs" "$@" $reference --pages=4k -- $reference --pages=thp 2>"$folder/talk" || status=$?
[ "$status" -eq 0 ] || [ "$status" -eq 4 ] || { cat "$folder/talk" >&2; exit "$status"; }
if [ "$status" -eq 4 ]; then
    printf '\nUnresolved: the runs were too unsteady for a verdict; DEMO_PAIRS=15 make demo takes longer.\n'
fi
