# SPDX-License-Identifier: GPL-3.0-or-later
"""Starting plumb costs little: it links libc only, and touches few pages before main."""
import os
import re
import subprocess

import pytest


def rusage_of(*words):
    """(minor faults, CPU seconds) of one run."""
    pid = os.posix_spawn(words[0], words, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    assert status == 0
    return usage.ru_minflt, usage.ru_utime + usage.ru_stime


def test_links_libc_only(plumb, sanitized):
    if sanitized:
        pytest.skip("the sanitizers link more")
    dynamic = subprocess.run(["readelf", "-d", plumb], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"\(NEEDED\).*\[(.*?)\]", dynamic))
    assert needed and needed <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def test_starts_nearly_as_cheaply_as_true(plumb, sanitized, record_property):
    if sanitized:
        pytest.skip("the sanitizers cost more")
    ours = [rusage_of(plumb, "--version") for _ in range(20)]
    theirs = [rusage_of("/bin/true") for _ in range(20)]
    faults = [min(run[0] for run in runs) for runs in (ours, theirs)]
    seconds = [min(run[1] for run in runs) for runs in (ours, theirs)]
    record_property("cpu_time_against_true", f"{seconds[0] / seconds[1]:.2f}")
    # Page faults are what a start costs, and unlike time they don't depend on the neighbours.
    assert faults[0] <= 3 * faults[1], f"{faults[0]} page faults, true has {faults[1]} (CPU time {seconds} s)"


def test_the_version_has_the_names_that_others_give_it(run):
    said = run("--version").stdout
    assert said.startswith("plumb ") and all(run(name).stdout == said for name in ("-v", "-V"))
