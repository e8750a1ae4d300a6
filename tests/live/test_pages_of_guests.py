# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb pages --vm, on guests whose memory is on pages that the test chose."""
import json
import os
import pathlib
import shutil
import subprocess
import threading
import time

import pytest

KVM = pathlib.Path("/sys/kernel/debug/kvm")


@pytest.fixture
def guest():
    """guest("4k") -> the process of a guest that touched 32 MiB on such pages."""
    runner = pathlib.Path(os.environ.get("PLUMB_BUILD", "build")) / "tests/guest_runner"
    running = []

    def start(backing, until="done\n", *words):
        process = subprocess.Popen([runner, "--pages", "8192", "--backing", backing, "--hold", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        running.append(process)
        said = []
        for line in process.stdout:
            said.append(line)
            if line == until:
                return process
        if process.wait() == 77:
            pytest.skip("".join(said).strip() or "no KVM here")
        raise AssertionError(said)
    if not runner.exists():
        pytest.skip("the guest runner is for x86-64 only")
    try:
        if not KVM.is_dir():
            pytest.skip("debugfs isn't mounted, or there is no KVM")
    except PermissionError:
        pytest.skip("debugfs is shown to root only")
    yield start
    for process in running:
        process.stdin.close()
        process.wait()


def machine_of(run, process, *words):
    done = run("pages", "-j", "--vm", str(process.pid), *words)
    assert done.returncode == 0, done.stderr
    guests = json.loads(done.stdout)["guests"]
    assert len(guests) == 1
    return guests[0]


def test_small_and_huge_backing_are_told_apart(run, guest):
    small = machine_of(run, guest("4k"))
    assert small["verdict"] == "host_small" and 8192 <= small["pages_4k"] < 8192 + 64 and small["pages_2m"] == 0
    assert small["backing"][0]["small_bytes"] >= 32 << 20 and small["backing"][0]["cause"] == "advised_never"
    huge = machine_of(run, guest("2m"))
    if huge["backing"] and max(each["huge_bytes"] for each in huge["backing"]) < 32 << 20:
        pytest.skip("no huge pages to be had here")
    assert huge["verdict"] in ("host_huge", "both_huge") and huge["pages_2m"] == 16 and huge["pages_4k"] < 64


def test_several_guests_are_told_one_by_one(run, guest):
    pids = {guest("4k").pid, guest("4k").pid}
    guests = json.loads(run("pages", "-j", "--vm", "all").stdout)["guests"]
    assert pids <= {each["pid"] for each in guests}
    page = run("pages", "--vm", "all").stdout
    assert page.count("GUEST OF guest_runner") >= 2 and "the host is at fault" in page
    assert max(map(len, page.splitlines())) <= 110


def slots_of(machine):
    if machine["slots"] is None:
        pytest.skip("memory slots can't be read here: " + machine["slots_why_not"])
    return machine["slots"]


def test_memory_slots_are_those_that_the_monitor_set(run, guest):
    machine = machine_of(run, guest("4k", "done\n", "--memory", "memfd", "--extra", "4"))
    slots = slots_of(machine)
    own = [(slot["guest_address"], slot["bytes"], slot["read_only"]) for slot in slots]
    assert own == [("0", 2 << 20, False), ("2000000", 32 << 20, False), ("80000000", 65536, False), ("80020000", 65536, True), ("80040000", 65536, False),
                   ("80060000", 65536, True)]
    assert slots[1]["small_bytes"] == 32 << 20 and slots[1]["huge_bytes"] == 0 and not slots[1]["skewed"] and slots[1]["whole_blocks_bytes"] == 32 << 20
    assert {each["path"].split(" ")[0] for each in machine["backing"]} == {"", "/memfd:guest"}


@pytest.mark.parametrize(("words", "verdict", "remark"), [(("--skew", "1"), "skewed", "skewed"), (("--log", "1"), "logged", "writes logged")])
def test_why_kvm_splits_huge_memory(run, guest, words, verdict, remark):
    process = guest("2m", "done\n", *words)
    machine = machine_of(run, process)
    slot = slots_of(machine)[1]
    if slot["huge_bytes"] < 31 << 20:
        pytest.skip("no huge pages to be had here")
    assert machine["verdict"] == verdict and machine["pages_2m"] == 0 and slot["skewed"] == (verdict == "skewed") and slot["logged"] == (verdict == "logged")
    assert remark in run("pages", "--vm", str(process.pid)).stdout


def test_two_guests_of_one_monitor_have_their_own_memory(run, guest):
    process = guest("4k", "done\n", "--guests", "2")
    guests = json.loads(run("pages", "-j", "--vm", str(process.pid)).stdout)["guests"]
    assert len(guests) == 2
    first, second = (slots_of(each) for each in guests)
    assert not any(each["pid_is_guess"] for each in guests)
    assert {slot["monitor_address"] for slot in first}.isdisjoint(slot["monitor_address"] for slot in second)
    # Mappings side by side may be one; slots never are.
    assert all(each[1]["bytes"] == each[1]["small_bytes"] == 32 << 20 for each in (first, second))


def test_what_huge_pages_would_return_is_measured_where_they_are_missing(run, guest):
    process = guest("4k")
    told = json.loads(run("pages", "-j", "--vm", str(process.pid)).stdout)["returns"]
    text = " ".join(run("pages", "--vm", str(process.pid)).stdout.split())
    assert "WHAT HUGE PAGES ON THIS HOST WOULD RETURN" in text and "which the host can't see" in text
    if told["not_measured"]:
        pytest.skip("no guest of plumb's own here: " + told["not_measured"])
    assert all(0 < told[name]["low"] <= told[name]["mid"] <= told[name]["high"] for name in ("dense_ns", "small_on_small_ns", "small_on_huge_ns", "huge_on_small_ns", "huge_on_huge_ns"))
    assert told["pages"] == 4096 and "a load at random in 4096 pages" in text
    assert "returns" not in json.loads(run("pages", "-j", "--no-why", "--vm", str(process.pid)).stdout)
    huge = guest("2m")
    found = json.loads(run("pages", "-j", "--vm", str(huge.pid)).stdout)
    assert ("returns" in found) == (found["guests"][0]["verdict"] == "host_small")


def test_slots_that_may_not_be_read_are_said(plumb, guest):
    process = guest("4k")
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root can give rights away, with setpriv")
    done = subprocess.run(["setpriv", "--bounding-set", "-bpf,-sys_admin,-perfmon", "--inh-caps", "-bpf,-sys_admin,-perfmon", plumb, "pages", "--vm", str(process.pid)],
                          capture_output=True, text=True, check=False)
    if "setpriv:" in done.stderr:
        pytest.skip(done.stderr.strip())
    said = " ".join(done.stdout.split())
    assert done.returncode == 0 and "the host is at fault" in said and "memory slots not known" in said and "taken as guest memory" in said


def test_levels_are_counted_as_they_are_set(run, guest):
    process = guest("4k", "ready\n", "--wait")
    timer = threading.Timer(0.7, lambda: (process.stdin.write("\n"), process.stdin.flush()))
    timer.start()
    done = run("pages", "-j", "--vm", str(process.pid), "--duration", "3")
    timer.join()
    assert done.returncode == 0, done.stderr
    machine = json.loads(done.stdout)["guests"][0]
    if machine["set_4k"] is None:
        pytest.skip(machine["set_why_not"])
    assert machine["set_4k"] >= 8192 and machine["set_2m"] < 64 and 2.9 < machine["set_seconds"] < 60
    assert "entries of 4 KiB" in run("pages", "--vm", str(process.pid), "--duration", "0.1").stdout


def test_a_guest_without_kvm_is_named(run):
    if not shutil.which("qemu-system-x86_64"):
        pytest.skip("no qemu-system-x86_64")
    with subprocess.Popen(["qemu-system-x86_64", "-accel", "tcg", "-m", "64", "-S", "-display", "none", "-nodefaults"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as emulator:
        try:
            for _ in range(200):
                done = run("pages", "-j", "--vm", str(emulator.pid))
                if done.returncode == 0:
                    break
                time.sleep(0.05)
            (only,) = json.loads(done.stdout)["guests"]
            assert only["verdict"] == "emulated" and only["pages_4k"] is None and only["monitor"] == "qemu-system-x86"
            assert "-accel kvm" in " ".join(run("pages", "--vm", "all").stdout.split())
        finally:
            emulator.kill()


def test_who_runs_none_is_told(run):
    if not KVM.exists():
        done = run("pages", "--vm", "all")
        assert done.returncode == 1 and ("no KVM" in done.stderr or "debugfs" in done.stderr)
        return
    assert "runs no KVM guest" in run("pages", "--vm", "1").stderr
    assert run("pages", "--vm", "x").returncode == 2
    assert run("pages", "--vm", "all", "--numa").returncode == 2


def statistics(root, **values):
    folder = root / "sys/kernel/debug/kvm/4242-11"
    folder.mkdir(parents=True)
    for name, value in values.items():
        (folder / name).write_text(f"{value}\n")
    parameters = root / "sys/module/kvm_intel/parameters"
    parameters.mkdir(parents=True)
    (parameters / "ept").write_text("Y\n")


def guests_of(run, root):
    done = run("pages", "-j", "--vm", "all", "--sysroot", str(root))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["guests"]


def test_levels_of_another_machine_are_told_without_its_mappings(run, tmp_path):
    statistics(tmp_path, pages_4k=8192, pages_2m=9, pages_1g=0, nx_lpage_splits=0)
    (only,) = guests_of(run, tmp_path)
    assert only["verdict"] == "backing_unknown" and only["pages_2m"] == 9 and not only["shadow"]
    assert "isn't found" in only["backing_why_not"]


def test_a_level_that_refuses_reading_is_null_and_not_0(run, tmp_path):
    statistics(tmp_path, pages_2m=9)
    (only,) = guests_of(run, tmp_path)
    assert only["pages_4k"] is None and only["verdict"] == "unknown"


def test_the_backing_of_another_machine_comes_from_its_smaps(run, tmp_path):
    statistics(tmp_path, pages_4k=8192, pages_2m=0, pages_1g=0, nx_lpage_splits=0)
    process = tmp_path / "proc/4242"
    process.mkdir(parents=True)
    (process / "status").write_text("Name:\tqemu\nTgid:\t4242\n")
    (process / "comm").write_text("qemu-system-x86\n")
    (process / "smaps").write_text("7f0000000000-7f0040000000 rw-s 00000000 00:01 77   /memfd:ram (deleted)\nRss:  1048576 kB\n"
                                   "KernelPageSize:        4 kB\nShmemPmdMapped: 0 kB\nTHPeligible: 0\nVmFlags: rd wr sh mr\n")
    (only,) = guests_of(run, tmp_path)
    assert only["verdict"] == "host_small" and only["monitor"] == "qemu-system-x86" and only["backing"][0]["small_bytes"] == 1 << 30


def host(root, levels, smaps, fds=(), **parameters):
    statistics(root, nx_lpage_splits=0, **levels)
    process = root / "proc/4242"
    (process / "fd").mkdir(parents=True)
    (process / "status").write_text("Name:\tqemu\nTgid:\t4242\n")
    (process / "comm").write_text("qemu-system-x86\n")
    (process / "smaps").write_text(smaps)
    for number, target in enumerate(fds):
        (process / "fd" / str(number)).symlink_to(target)
    for name, value in parameters.items():
        (root / "sys/module/kvm_intel/parameters" / name).write_text(value)


HUGETLB = ("7f0000000000-7f0100000000 rw-s 00000000 00:0e 7  /dev/hugepages/ram (deleted)\nSize: 4194304 kB\nKernelPageSize: {0} kB\nRss: 0 kB\n"
           "Shared_Hugetlb: 4194304 kB\nTHPeligible: 0\nVmFlags: rd wr sh mr mw ht\n")
SWAPPED = ("7f0000000000-7f0100000000 rw-p 00000000 00:00 0\nSize: 4194304 kB\nKernelPageSize: 4 kB\nRss: 4000 kB\nSwap: 4190000 kB\n"
           "AnonHugePages: 0 kB\nTHPeligible: 1\nVmFlags: rd wr mr mw hg\n")


def test_a_guest_on_1_gib_pages_has_its_column(run, tmp_path):
    host(tmp_path, {"pages_4k": 600, "pages_2m": 20, "pages_1g": 4}, HUGETLB.format(1048576))
    page = run("pages", "--vm", "all", "--sysroot", tmp_path).stdout
    assert "host 1 GiB" in page and "14 <" in page and "11 <" in page and "19 <" not in page
    assert guests_of(run, tmp_path)[0]["verdict"] == "host_huge"


def test_swapped_memory_is_told(run, tmp_path):
    host(tmp_path, {"pages_4k": 1000, "pages_2m": 0, "pages_1g": 0}, SWAPPED)
    page = run("pages", "--vm", "all", "--sysroot", tmp_path).stdout
    assert "swapped out: 4.00 GiB" in page and guests_of(run, tmp_path)[0]["verdict"] == "host_small"


def test_of_private_memory_the_shared_part_alone_is_shown(run, tmp_path):
    host(tmp_path, {"pages_4k": 1048000, "pages_2m": 0, "pages_1g": 0}, HUGETLB.format(2048), ["anon_inode:kvm-vm", "anon_inode:[kvm-gmem]"], tdx="Y\n")
    page = run("pages", "--vm", "all", "--sysroot", tmp_path).stdout
    assert "not measurable from the monitor's mappings" in " ".join(page.split()) and "its shared part alone is backed by" in page
    assert guests_of(run, tmp_path)[0]["verdict"] == "private_small" and guests_of(run, tmp_path)[0]["private"]
