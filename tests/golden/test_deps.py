# SPDX-License-Identifier: GPL-3.0-or-later
"""packaging/deps.sh on machines that aren't this one: every program that it asks or runs is a stand-in in PATH."""
import os
import subprocess

import pytest

TOOLS = ("awk", "sed", "dirname", "env", "sh", "cat", "true")


@pytest.fixture
def machine(tmp_path, source_root):
    """machine(installed=…, user=…, sudo=…, apt=…) -> the finished run of deps.sh and the lines of what it called."""
    folder, calls = tmp_path / "bin", tmp_path / "calls"
    folder.mkdir()
    for tool in TOOLS:
        (folder / tool).symlink_to(next(place for place in (f"/usr/bin/{tool}", f"/bin/{tool}") if os.path.exists(place)))

    def stand_in(name, script):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)

    def run(goals=("fresh",), installed=(), dpkg=True, user=0, sudo=False, apt="exit 0"):
        calls.write_text("")
        stand_in("id", f"echo {user}")
        stand_in("apt-get", f'echo "apt-get $*" >>"{calls}"; for last; do :; done; {apt}')
        if dpkg:
            stand_in("dpkg-query", "".join(f"echo 'installed {name}'\n" for name in installed))
        if sudo:
            stand_in("sudo", f'echo "sudo $*" >>"{calls}"; while [ "$1" = -n ]; do shift; done; exec "$@"')
        done = subprocess.run([source_root / "packaging/deps.sh", *goals], env={"PATH": str(folder)}, timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return done, calls.read_text().splitlines()
    return run


def test_nothing_is_done_when_nothing_is_missing(machine):
    done, calls = machine(installed=["debootstrap"])
    assert (done.returncode, done.stdout, done.stderr, calls) == (0, "", "", [])


def test_root_installs_by_name(machine):
    done, calls = machine()
    assert done.returncode == 0 and "debootstrap" in done.stderr
    assert len(calls) == 1 and calls[0].startswith("apt-get ") and calls[0].endswith(" debootstrap")


def test_another_user_goes_through_sudo(machine):
    done, calls = machine(user=1000, sudo=True)
    assert done.returncode == 0
    assert calls[-1].endswith("debootstrap") and any(call.startswith("sudo -n env ") for call in calls)


def test_stale_package_lists_are_fetched_once(machine, tmp_path):
    done, calls = machine(apt=f'[ "$last" = update ] && : >"{tmp_path}/updated"; [ -e "{tmp_path}/updated" ]')
    assert done.returncode == 0
    assert [call.split()[-1] for call in calls] == ["debootstrap", "update", "debootstrap"]


@pytest.mark.parametrize("what, reason", [
    ({"user": 1000}, "only root can install"),
    ({"dpkg": False}, "this distribution may name otherwise"),
    ({"apt": "exit 100"}, "could not be installed"),
])
def test_otherwise_the_list_is_printed_and_that_is_all(machine, what, reason):
    done, calls = machine(goals=("fresh", "cross"), **what)
    assert done.returncode == 1 and done.stdout == ""
    assert reason in done.stderr and "DEPS=no" in done.stderr
    for package in ("debootstrap", "gcc-aarch64-linux-gnu", "qemu-user-static"):
        assert f"  {package} " in done.stderr
    assert bool(calls) == ("apt" in what)


def test_what_is_installed_is_not_in_the_list(machine):
    done, _ = machine(goals=("fresh", "cross"), user=1000, installed=["qemu-user-static"])
    assert "  qemu-user-static " not in done.stderr and "  debootstrap " in done.stderr


def test_a_goal_is_needed(machine):
    assert machine(goals=())[0].returncode == 2
