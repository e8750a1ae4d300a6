#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Install what a build folder holds: packaging/install.sh BUILD PREFIX; DESTDIR (environment) goes before PREFIX.
set -eu
build=$1 prefix=${DESTDIR:-}$2
here=$(dirname "$0")/..

install -D -m 755 "$build/plumb" "$prefix/bin/plumb"

install -d "$prefix/share/man/man1"
for page in "$here"/doc/man/*.1.scd; do
    name=$(basename "$page" .scd)
    scdoc <"$page" >"$prefix/share/man/man1/$name"
    chmod 644 "$prefix/share/man/man1/$name"
done

# Each shell looks in a folder of its own.
completion()
{
    install -d "$prefix/share/$2"
    "$build/plumb" completion "$1" >"$prefix/share/$2/$3"
    chmod 644 "$prefix/share/$2/$3"
}
completion bash bash-completion/completions plumb
completion zsh zsh/site-functions _plumb
completion fish fish/vendor_completions.d plumb.fish

install -D -m 644 "$here/LICENSE" "$prefix/share/doc/plumb/LICENSE"
# Of what is in the page of the HTML report, which is in the program.
install -D -m 644 "$here/web/dist/THIRD-PARTY.txt" "$prefix/share/doc/plumb/THIRD-PARTY.txt"
echo "installed in $prefix"
