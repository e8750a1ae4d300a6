#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A real PMU where there is none: Debian's arm64 kernel under QEMU (no KVM needed), whose emulated PMUv3 counts
# cycles and retired instructions, takes overflow interrupts, and drives the kernel's own arm_pmu driver.
#
#   tests/arm64_kernel.sh [-c CPU] [-n CPUS] [-f FILE|FOLDER]... [-k FOLDER] [-t SECONDS] [-a WORDS] [-r] COMMANDS
#
# Boots (5 s on an idle machine), runs COMMANDS with busybox's shell in a folder where FILEs and the static core (as ./plumb, made
# by `make CROSS=aarch64-linux-gnu core`) lie, prints their output and ends with their status. -k keeps that folder,
# with whatever the commands wrote, on this side. -a adds WORDS to the kernel's command line.
# 77: can't run here, with the reason. The kernel is fetched once into PLUMB_ARM64_CACHE (~/.cache/plumb-arm64).
#
# The emulated PMU: a cycle counter and 6 others (-c neoverse-n1, cortex-a57: likewise); events cpu_cycles,
# inst_retired, stall* (always 0). Time is emulated too, two cycles an instruction, so counts are exact and repeat;
# -r runs by the host's clock instead: CPUs in parallel, no inst_retired.
set -euo pipefail

cpu=max,pauth-impdef=on cpus=2 keep='' seconds=120 append='' icount='-icount shift=1,sleep=off' files=()
while getopts c:n:f:k:t:a:r option; do
    case $option in
    c) cpu=$OPTARG ;;
    n) cpus=$OPTARG ;;
    f) files+=("$(realpath "$OPTARG")") ;;
    k) keep=$(realpath -m "$OPTARG") ;;
    t) seconds=$OPTARG ;;
    a) append=$OPTARG ;;
    r) icount='' ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# = 1 ] || { sed -n '3,17s/^# \{0,1\}//p' "$0"; exit 2; }
cd "$(dirname "$0")/.."

skip()
{
    echo "skipped: $1" >&2
    exit 77
}

cache=${PLUMB_ARM64_CACHE:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/plumb-arm64}

# Packages of another architecture, without telling this machine's apt about it.
packages_fetch()
{
    command -v apt-get >/dev/null || skip "no apt-get to fetch an arm64 kernel with"
    local apt=$cache/apt archive
    # shellcheck disable=SC2016
    archive=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk '$1 == "Debian" && $4 == "main" && $3 !~ /-/ { print $2, $3, $4; exit }')
    [ -n "$archive" ] || skip "apt knows no archive of Debian here (apt-get update?)"
    mkdir -p "$apt/lists/partial" "$apt/archives/partial"
    : >"$apt/status"
    echo "deb [arch=arm64] $archive" >"$apt/sources"
    cat >"$apt/conf" <<END
APT::Architecture "arm64";
APT::Architectures "arm64";
Acquire::Languages "none";
Dir::State "$apt";
Dir::State::Lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Cache::Archives "$apt/archives";
Dir::Etc::sourcelist "$apt/sources";
Dir::Etc::sourceparts "/dev/null";
END
    (
        export APT_CONFIG=$apt/conf
        cd "$apt/archives"
        timeout 60 apt-get -q -o Acquire::http::Timeout=20 -o Acquire::Retries=1 update
        kernel=$(apt-cache depends linux-image-arm64 | awk '$1 == "Depends:" { print $2; exit }')
        timeout 200 apt-get -q -o Acquire::http::Timeout=20 -o Acquire::Retries=1 download "$kernel" busybox-static
    ) >"$cache/log" 2>&1 || skip "the arm64 kernel can't be fetched: $(tail -1 "$cache/log")"
}

# What 9p over virtio needs of modules, in the order in which they load.
modules="drivers/virtio/virtio_mmio fs/netfs/netfs fs/fscache/fscache net/9p/9pnet net/9p/9pnet_virtio fs/9p/9p"

image_make()
{
    local work=$cache/work kernel module
    rm -rf "$work"
    mkdir -p "$work/unpacked" "$work/root"/{bin,dev,proc,sys,host,tmp,etc,modules}
    packages_fetch
    for package in "$cache"/apt/archives/*.deb; do
        dpkg-deb -x "$package" "$work/unpacked"
    done
    kernel=$(ls -d "$work"/unpacked/lib/modules/*)
    cp "$work/unpacked/bin/busybox" "$work/root/bin/busybox"
    for module in $modules; do
        cp "$kernel/kernel/$module.ko" "$work/root/modules/"
        echo "${module##*/}" >>"$work/root/modules/order"
    done
    cat >"$work/root/init" <<'END'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/ TERM=dumb
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tmpfs none /tmp
mount -t tracefs none /sys/kernel/tracing
mount -t debugfs none /sys/kernel/debug
mount -t cgroup2 none /sys/fs/cgroup
while read -r module; do insmod "/modules/$module.ko"; done </modules/order
echo root:x:0:0::/:/bin/sh >/etc/passwd
ifconfig lo up
ulimit -c 0
if mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,access=any host /host && cd /host; then
    sh ./.commands >.stdout 2>.stderr </dev/null
    echo $? >.status
    cd /; umount /host
fi
poweroff -f
END
    chmod +x "$work/root/init"
    (cd "$work/root" && find . | cpio -o -H newc -R 0:0 --quiet | gzip -1) >"$work/initrd"
    mv "$work/initrd" "$cache/initrd"
    mv "$work"/unpacked/boot/vmlinuz-* "$cache/vmlinuz"
    rm -rf "$work" "$cache/apt"
}

command -v qemu-system-aarch64 >/dev/null || skip "no qemu-system-aarch64 (Debian: qemu-system-arm)"
command -v cpio >/dev/null || skip "no cpio"
mkdir -p "$cache"
exec 8>"$cache/lock"
flock 8
[ -e "$cache/vmlinuz" ] || image_make
flock -u 8

shared=${keep:-$(mktemp -d)}
mkdir -p "$shared"
trap '[ -n "$keep" ] || rm -rf "$shared"' EXIT
core=${PLUMB_ARM64_CORE:-build-core-aarch64-linux-gnu/plumb}
[ -x "$core" ] || skip "no $core (make CROSS=aarch64-linux-gnu core)"
cp "$core" "$shared/plumb"
for file in "${files[@]}"; do
    cp -r "$file" "$shared/"
done
rm -f "$shared"/.status
printf '%s\n' "$1" >"$shared/.commands"

# shellcheck disable=SC2086
timeout "$seconds" qemu-system-aarch64 -M virt,gic-version=3 -cpu "$cpu" -smp "$cpus" -m 1024 $icount \
    -nographic -no-reboot -nodefaults -serial file:"$shared/.console" -kernel "$cache/vmlinuz" \
    -initrd "$cache/initrd" -append "console=ttyAMA0 quiet panic=-1 $append" \
    -fsdev local,id=host,path="$shared",security_model=none -device virtio-9p-device,fsdev=host,mount_tag=host \
    8>&- </dev/null || true
cat "$shared/.stderr" >&2 2>/dev/null || true
cat "$shared/.stdout" 2>/dev/null || true
if ! [ -s "$shared/.status" ]; then
    echo "the arm64 kernel did not end its commands within $seconds s; its console:" >&2
    tail -30 "$shared/.console" >&2
    exit 1
fi
exit "$(cat "$shared/.status")"
