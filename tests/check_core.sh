#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The static cores that were built: linked with nothing, and working (the foreign one under qemu's user mode).
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
version=$(sed -n "s/^  version: '\(.*\)',/plumb \1/p" meson.build)
tried=0

fail()
{
    echo "$1"
    exit 1
}

# try FOLDER [RUNNER]: its version, its commands, and what it says to an unknown one.
try()
{
    [ -x "$1/plumb" ] || return 0
    program=$1/plumb runner=${2:-}
    if [ -n "$runner" ] && ! command -v "$runner" >/dev/null; then
        echo "$program: not run, no $runner here"
        return 0
    fi
    ! readelf -d "$program" 2>/dev/null | grep -q NEEDED || fail "$program needs shared libraries"
    [ "$($runner "$program" --version)" = "$version" ] || fail "$program: another version"
    $runner "$program" help >"$scratch/help"
    status=0
    $runner "$program" nothing 2>"$scratch/said" || status=$?
    if [ "$status" != 2 ] || ! grep -q "'nothing'" "$scratch/said"; then
        fail "$program: status $status for a bad command"
    fi
    if [ -z "$runner" ] && grep -q '^  stat ' "$scratch/help"; then
        status=0
        "$program" stat -e task-clock sh -c 'exit 7' 2>"$scratch/said" || status=$?
        if [ "$status" != 7 ] || ! grep -q task-clock "$scratch/said"; then
            cat "$scratch/said"
            fail "$program stat: status $status"
        fi
    fi
    tried=$((tried + 1))
    echo "$program: runs, and needs no library"
}

try build-core
try build-core-aarch64-linux-gnu qemu-aarch64-static
[ "$tried" -gt 0 ] || fail "no static core is built: make core"
