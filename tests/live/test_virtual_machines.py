# SPDX-License-Identifier: GPL-3.0-or-later
"""A real virtual machine on this host (KVM): its vCPU threads, their pinning, and the same from a snapshot."""
import json
import os
import pathlib
import shutil
import subprocess
import time

import pytest


def names_of_threads(pid):
    return [path.read_text().strip() for path in pathlib.Path(f"/proc/{pid}/task").glob("*/comm")]


@pytest.fixture
def machine():
    if not shutil.which("qemu-system-x86_64") or not os.access("/dev/kvm", os.R_OK | os.W_OK):
        pytest.skip("no qemu-system-x86_64 or no /dev/kvm")
    with subprocess.Popen(
            ["qemu-system-x86_64", "-name", "tiny,debug-threads=on", "-accel", "kvm", "-smp", "2", "-m", "64", "-S",
             "-nographic", "-nodefaults", "-serial", "none", "-monitor", "none"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            for _ in range(100):
                if process.poll() is not None:
                    pytest.skip("QEMU can't use KVM here: " + process.stderr.read().strip()[:200])
                if sum(name.endswith("/KVM") for name in names_of_threads(process.pid)) == 2:
                    break
                time.sleep(0.1)
            else:
                pytest.skip("QEMU made no vCPU threads within 10 s")
            yield process.pid
        finally:
            process.kill()


def facts(run, pid, *options):
    done = run("doctor", "--json", *options)
    assert done.returncode == 0, done.stderr
    (found,) = [each for each in json.loads(done.stdout)["virtual_machines"] if each["pid"] == pid]
    return found


def test_vcpu_threads_and_pinning(run, machine, tmp_path):
    before = facts(run, machine)
    assert [vcpu["vcpu"] for vcpu in before["vcpus"]] == [0, 1]
    assert not any(vcpu["pinned"] for vcpu in before["vcpus"]) or os.cpu_count() == 1
    assert sum(before["memory_bytes_by_node"]) > 0
    os.sched_setaffinity(before["vcpus"][1]["tid"], {0})
    after = facts(run, machine)
    assert after["vcpus"][1]["pinned"] and after["vcpus"][1]["allowed_cpus"] == "0"
    done = run("doctor", "--snapshot", tmp_path / "snapshot")
    assert done.returncode == 0, done.stderr
    again = facts(run, machine, "--sysroot", tmp_path / "snapshot")
    assert again["vcpus"][1]["pinned"] and [vcpu["tid"] for vcpu in again["vcpus"]] == [vcpu["tid"] for vcpu in after["vcpus"]]
    assert not list((tmp_path / "snapshot").rglob("environ")) and not list((tmp_path / "snapshot").glob("proc/[0-9]*/cmdline"))
