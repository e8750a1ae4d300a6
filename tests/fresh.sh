#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A Debian 12 with make and git, a clone of HEAD, and the goals typed one after the other: tests/fresh.sh [demo test]
# Needs root and debootstrap; packages come from wherever this machine's apt takes Debian's. Everything is mounted in a
# mount namespace of its own, so that nothing stays mounted however this ends. KEEP=yes keeps the folder.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${PLUMB_FRESH_NAMESPACE:-}" != entered ]; then
    [ "$(id -u)" = 0 ] || { echo "fresh.sh needs root: debootstrap makes a root folder" >&2; exit 1; }
    PLUMB_FRESH_NAMESPACE=entered exec unshare --mount --propagation private "$0" "$@"
fi
[ $# -gt 0 ] || set -- demo test
packaging/deps.sh fresh
suite=bookworm

# Debian's archives as apt has them here: "URI RELEASE COMPONENT" lines of that suite.
# shellcheck disable=SC2016
archives=$(apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v suite=$suite '$1 == "Debian" && index($2, suite) == 1 { print $3, $4, $5 }' | sort -u)
mirror=$(awk -v suite=$suite '$2 == suite && $3 == "main" { print $1; exit }' <<<"$archives")
[ -n "$mirror" ] || { echo "apt knows no archive of Debian $suite here (apt-get update?)" >&2; exit 1; }

root=$(mktemp -d "${TMPDIR:-/var/tmp}/plumb-fresh-XXXXXX")
chmod 755 "$root" # as any root folder, so that other users find something in it
finish()
{
    cd /
    umount -R -l "$root" 2>/dev/null || true
    [ "${KEEP:-}" = yes ] || rm -rf --one-file-system "$root"
}
trap finish EXIT

echo "=== debootstrap $suite into $root"
debootstrap --variant=minbase --include=make,git,ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
    { tail -20 "$root.log"; exit 1; }
rm -f "$root.log"
awk '{ print "deb " $1, $2, $3 }' <<<"$archives" >"$root/etc/apt/sources.list"
apt-config dump | grep -E '^Acquire::https?::' >"$root/etc/apt/apt.conf.d/90host" || true
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
mount --bind "$root" "$root" # a root folder is a mount point: tests unmount in namespaces of their own
for folder in proc sys dev; do
    mount --rbind "/$folder" "$root/$folder"
done

git bundle create -q "$root/root/plumb.bundle" HEAD
typed()
{
    echo "=== $*"
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb \
        ${http_proxy:+http_proxy=$http_proxy} ${https_proxy:+https_proxy=$https_proxy} \
        ${no_proxy:+no_proxy=$no_proxy} ${WERROR:+WERROR=$WERROR} chroot "$root" sh -c "$*" </dev/null
}
typed git clone -q /root/plumb.bundle /root/plumb
for goal in "$@"; do
    started=$SECONDS
    typed "cd /root/plumb && make $goal"
    echo "=== make $goal: $((SECONDS - started)) s"
done
typed "cd /root/plumb && git status --porcelain" | tail -n +2 | { ! grep . || { echo "the clone is not clean"; exit 1; }; }
echo "fresh: $* work"
