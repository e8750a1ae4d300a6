# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in the way is named with its remedy: file systems that aren't mounted, addresses that are hidden."""
import os
import pathlib
import subprocess

import pytest


def in_mount_namespace(plumb, script):
    done = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "true"] if os.geteuid() else ["unshare", "--mount", "true"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no mount namespaces here: {done.stderr.strip()}")
    more = ["--user", "--map-root-user"] if os.geteuid() else []
    return subprocess.run(["unshare", *more, "--mount", "sh", "-c", script, "sh", plumb], capture_output=True, text=True, timeout=60,
                          check=False)


@pytest.mark.parametrize("words, status", [("list tracepoint", 2), ("list sched:*", 2), ("list", 0), ("stat -e sched:sched_switch true", 1)])
def test_without_tracefs_its_mount_is_the_hint(plumb, words, status):
    done = in_mount_namespace(plumb, "umount -l /sys/kernel/debug 2>/dev/null; umount -l /sys/kernel/tracing 2>/dev/null; set -f; "
                                     f"test -e /sys/kernel/tracing/events && exit 77; \"$1\" {words}")
    if done.returncode == 77:
        pytest.skip("tracefs can't be taken away here")
    assert done.returncode == status, done.stderr
    assert "tracefs is not mounted" in done.stderr and "mount -t tracefs nodev /sys/kernel/tracing" in done.stderr, done.stderr


def test_hidden_kernel_names_are_said_with_their_remedy(plumb, run, tmp_path):
    """All addresses 0, as kptr_restrict shows them; by what, this machine's settings say."""
    recording = tmp_path / "d"
    done = run("record", "-e", "cpu-clock", "-o", recording, "--", "dd", "if=/dev/zero", "of=/dev/null", "bs=4k", "count=1500000")
    assert done.returncode == 0, done.stderr
    names = tmp_path / "names"
    names.write_text("0000000000000000 T _text\n0000000000000000 T do_syscall_64\n")
    done = in_mount_namespace(plumb, f"export HOME={tmp_path}; mount --bind {names} /proc/kallsyms || exit 77; \"$1\" report -i {recording} >/dev/null; "
                                     f"\"$1\" annotate -i {recording} do_syscall_64 >/dev/null")
    if done.returncode == 77:
        pytest.skip("nothing can be mounted there")
    if "[kernel.kallsyms]" not in done.stderr:
        pytest.skip("the kernel was hardly sampled")
    restricted = pathlib.Path("/proc/sys/kernel/kptr_restrict").read_text().strip()
    remedy = "sysctl kernel.kptr_restrict=1" if restricted == "2" else "CAP_SYSLOG"
    lines = [line for line in done.stderr.splitlines() if "hides the kernel's addresses" in line]
    assert len(lines) == 2 and all(remedy in line for line in lines), done.stderr
    assert lines[0].startswith("note: ") and lines[1].startswith("plumb annotate: no names in [kernel.kallsyms]"), done.stderr
