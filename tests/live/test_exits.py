# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb exits on real guests that do a known amount of what leaves a guest: the counts come back exact, whatever the method."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

METHODS = ["bpf", "tracepoint", "perf"]
WORK = {"writes": 700, "cpuids": 300, "msrs": 200, "mmios": 100, "halts": 20}


@pytest.fixture(scope="session")
def runner(plumb):
    path = pathlib.Path(os.environ.get("PLUMB_BUILD") or pathlib.Path(plumb).parent) / "tests/guest_runner"
    if not path.exists():
        pytest.skip("the guests' code is x86's")
    tried = subprocess.run([path, "--halts", "1"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip("no guest can run here: " + tried.stderr.strip())
    if not os.access("/sys/kernel/tracing/events/kvm", os.R_OK):
        pytest.skip("tracefs can't be read, or has no tracepoints of kvm")
    return str(path)


def words(work):
    return [word for name, count in work.items() for word in (f"--{name}", str(count))]


@pytest.fixture
def watched(run, runner):
    def watch(*arguments, options=(), status=0, method=None):
        done = run("exits", "-j", *(["--method", method] if method else []), *options, "--", runner, *arguments)
        if done.returncode == 1 and method in ("bpf", "tracepoint") and "refuses" in done.stderr:
            pytest.skip("no BPF here: " + done.stderr.strip())
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout[done.stdout.index("{\n"):])
    return watch


def count(found, name, point=None):
    return sum(row["count"] for row in found["rows"] if row["name"] == name and point in (None, row["point"]))


def needs_pvm():
    if os.path.exists("/sys/module/kvm_intel") or os.path.exists("/sys/module/kvm_amd"):
        pytest.skip("here exits are counted by kvm_exit")


def work_is_exact(found, work, guests=1):
    assert count(found, "port write") == guests * (work["writes"] + (1 if work.get("pages") else 0))
    assert count(found, "CPUID", "kvm_cpuid") == guests * work["cpuids"]
    assert count(found, "MSR read") == guests * work["msrs"]
    assert count(found, "MMIO read") == guests * work["mmios"]
    ports = {one["value"]: one["count"] for one in found["objects"] if one["kind"] == "port"}
    assert ports["0xe9"] == guests * work["writes"]
    assert {one["value"]: one["count"] for one in found["objects"] if one["kind"] == "msr"} == {"0x10": guests * work["msrs"]}
    assert {one["value"]: one["count"] for one in found["objects"] if one["kind"] == "leaf"} == {"0x40000000": guests * work["cpuids"]}
    # each phase with work ends in a HLT of its own
    assert count(found, "KVM_EXIT_HLT") == guests * (work["halts"] + 4)
    assert found["lost"] == 0


@pytest.mark.parametrize("method", METHODS)
def test_counts_come_back_exact(watched, method):
    work_is_exact(watched(*words(WORK), method=method), WORK)


@pytest.mark.parametrize("method", ["bpf", "tracepoint"])
def test_other_tools_still_see_the_events(run, plumb, runner, method):
    """A program at a tracepoint that ends with 0 hides the event from everybody's perf events there."""
    needs_pvm()
    done = run("exits", "--method", method, "-a", "--", plumb, "stat", "-x", ",", "-e", "kvm:kvm_pio,kvm:kvm_userspace_exit", "--", runner, "--writes", "77")
    if done.returncode == 1 and "refuses" in done.stderr:
        pytest.skip("no BPF here: " + done.stderr.strip())
    seen = {line.split(",")[2]: int(line.split(",")[0]) for line in done.stderr.splitlines() if line.count(",") > 4 and "kvm:" in line}
    assert seen == {"kvm:kvm_pio": 77, "kvm:kvm_userspace_exit": 78}, done.stderr


def test_counts_without_reasons(watched):
    found = watched(*words(WORK), method="count")
    assert count(found, "all, reasons not counted", "kvm_pio") == WORK["writes"]
    assert all("not_measured" in row["mean_ns"] for row in found["rows"]) and not found["vcpus"]


def test_the_method_is_said(run, runner):
    done = run("exits", "--", runner, "--writes", "10")
    assert "added up in the kernel (BPF)" in done.stdout or "nothing is added up in the kernel" in done.stdout
    needs_pvm()
    assert "doesn't fire kvm_exit" in done.stdout


@pytest.mark.parametrize("backing, level, most", [("4k", "mapping of 4 KiB set", 4300), ("2m", "mapping of 2 MiB set", 40)])
def test_small_and_huge_backing_are_told_apart(watched, backing, level, most):
    needs_pvm()
    found = watched("--pages", "4096", "--backing", backing)
    if backing == "2m" and not count(found, level):
        pytest.skip("this machine had no huge pages to give")
    assert (4096 if backing == "4k" else 8) <= count(found, level) <= most


def test_many_guests_at_once(watched):
    found = watched(*words(WORK), "--guests", "20")
    work_is_exact(found, WORK, 20)
    assert len(found["vcpus"]) == 20 and len({one["exits"] for one in found["vcpus"]}) == 1


@pytest.mark.parametrize("method", ["bpf", "tracepoint"])
def test_vcpus_are_known_when_their_threads_are_gone(watched, method):
    found = watched("--writes", "40", "--guests", "3", method=method, options=["--vcpu", "1"])
    assert count(found, "port write") == 40 and [one["vcpu"] for one in found["vcpus"]] == [1]


def test_returns_to_the_monitor_are_timed(watched):
    needs_pvm()
    found = watched(*words(WORK), method="bpf")
    (row,) = [row for row in found["rows"] if row["name"] == "KVM_EXIT_IO"]
    assert row["timed"] == row["count"] == WORK["writes"]
    assert 0 < row["min_ns"] <= row["p50_ns"] <= row["p99_ns"] <= row["max_ns"]
    assert row["min_ns"] <= row["mean_ns"] <= row["max_ns"]
    # The kernel's buckets hold what it added up.
    starts = [bucket if bucket < 8 else (8 + bucket % 8) << (bucket // 8 - 1) for bucket in range(305)]
    timed = [tally for tally in found["tallies"] if tally["buckets"]]
    assert timed
    for tally in timed:
        assert sum(number for _, number in tally["buckets"]) == tally["timed"]
        assert sum(starts[at] * number for at, number in tally["buckets"]) <= tally["total_ns"] <= sum(starts[at + 1] * number for at, number in tally["buckets"])
    (halt,) = [row for row in found["rows"] if row["name"] == "KVM_EXIT_HLT"]
    assert halt["class"] == "idle" and "not_measured" in halt["vcpu_share"]
    assert 0 < found["handler_share"] < 1


def test_a_guest_that_dies_midway(watched):
    found = watched("--writes", "100000", "--die-after", "500", status=128 + signal.SIGKILL)
    assert count(found, "port write") == 500


def test_the_monitors_status_is_passed_on(run, runner):
    assert run("exits", "--", "sh", "-c", "exit 7").returncode == 7
    assert run("exits", "--", "/no/such/program").returncode == 127


@contextlib.contextmanager
def waiting_guest(runner, *arguments):
    with subprocess.Popen([runner, "--wait", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as guest:
        try:
            assert guest.stdout.readline() == "ready\n"
            yield guest
        finally:
            guest.kill()


def test_only_the_guests_of_that_process(plumb, runner):
    with waiting_guest(runner, "--writes", "300", "--halts", "2") as mine, waiting_guest(runner, "--writes", "5000") as other:
        watcher = subprocess.Popen([plumb, "exits", "-j", "-p", str(mine.pid), "--duration", "20"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for_programs(watcher)
        for guest in (other, mine):
            guest.stdin.write("\n")
            guest.stdin.flush()
            assert any(line == "done\n" for line in guest.stdout)
        watcher.send_signal(signal.SIGINT)
        found = json.loads(watcher.communicate(timeout=30)[0])
    assert count(found, "port write") == 300
    assert {one["pid"] for one in found["vcpus"]} == {mine.pid} and [one["vcpu"] for one in found["vcpus"]] in ([0], [None])


def programs_of(pid):
    found = set()
    for path in pathlib.Path(f"/proc/{pid}/fdinfo").glob("*"):
        with contextlib.suppress(OSError):
            found |= {line.split()[1] for line in path.read_text().splitlines() if line.startswith("prog_id:")}
    return found


def wait_for_programs(process):
    for _ in range(400):
        if process.poll() is not None:
            pytest.skip("plumb exits can't watch here: " + process.stderr.read().strip())
        found = programs_of(process.pid)
        if len(found) >= 5:
            time.sleep(0.2)
            return programs_of(process.pid)
        time.sleep(0.02)
    pytest.skip("no programs in the kernel within 8 s")


def test_nothing_is_left_after_a_sudden_death(plumb, runner):
    if not shutil.which("bpftool"):
        pytest.skip("no bpftool to ask the kernel with")
    watcher = subprocess.Popen([plumb, "exits", "-a"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    programs = wait_for_programs(watcher)
    watcher.kill()
    watcher.wait()
    for _ in range(100):
        left = [each for each in programs if subprocess.run(["bpftool", "prog", "show", "id", each], capture_output=True, check=False).returncode == 0]
        if not left:
            break
        time.sleep(0.05)
    assert not left


def test_intervals_add_up_to_the_whole(run, runner):
    done = run("exits", "-j", "-I", "50", "--", runner, "--writes", "500", "--rounds", "4", "--pause-ms", "60")
    parts = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"of"')]
    if not parts:
        pytest.skip("no intervals: " + done.stderr.strip())
    whole = json.loads(done.stdout[done.stdout.index("{\n"):])
    assert len(parts) >= 3 and count(whole, "port write") == 2000
    assert sum(count(part, "port write") for part in parts) == 2000
    for point in ("kvm_userspace_exit", "kvm_pio", "kvm_emulate_insn"):
        every = [sum(row["count"] for row in one["rows"] if row["point"] == point) for one in (*parts, whole)]
        assert sum(every[:-1]) == every[-1], point
    for kind, value in {(one["kind"], one["value"]) for one in whole["objects"]}:
        every = [sum(one["count"] for one in part["objects"] if (one["kind"], one["value"]) == (kind, value)) for part in (*parts, whole)]
        assert sum(every[:-1]) == every[-1], (kind, value)


def test_fields_stay_clean(run, runner):
    done = run("exits", "-x", ";", "-I", "50", "--", runner, "--writes", "100", "--rounds", "3", "--pause-ms", "60")
    if "nothing is added up" in done.stderr or done.returncode:
        pytest.skip("no intervals: " + done.stderr.strip())
    lines = [line for line in done.stdout.splitlines() if ";" in line]
    assert all(line.count(";") == 12 for line in lines), lines
    assert any(line.startswith(";kvm_pio;") for line in lines) and any(line.split(";")[0] not in ("", "0") for line in lines)
    # The program's own lines are on the same stream; nothing of plumb's is but these.
    assert all(re.fullmatch(r"\w+( \d+)?", line) for line in done.stdout.splitlines() if ";" not in line)
    assert "added up in the kernel" in done.stderr


def test_it_ends_with_the_monitor_it_watches(plumb, runner):
    with waiting_guest(runner, "--writes", "300") as guest:
        watcher = subprocess.Popen([plumb, "exits", "-j", "-p", str(guest.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for_programs(watcher)
        guest.stdin.write("\n")
        guest.stdin.flush()
        assert any(line == "done\n" for line in guest.stdout)
        guest.stdin.close()
        # Nobody stops the watcher.
        found = json.loads(watcher.communicate(timeout=60)[0])
    assert count(found, "port write") == 300 and watcher.returncode == 0


def test_in_a_pid_namespace_nothing_is_filtered_by_the_wrong_numbers(plumb, runner):
    if os.geteuid() != 0 or not shutil.which("unshare"):
        pytest.skip("only root can make a PID namespace, with unshare")
    inside = ["unshare", "--pid", "--fork", "--mount-proc", plumb, "exits", "-j"]
    done = subprocess.run([*inside, "--", runner, *words(WORK)], capture_output=True, text=True, check=False)
    if "unshare:" in done.stderr:
        pytest.skip(done.stderr.strip())
    found = json.loads(done.stdout[done.stdout.index("{\n"):])
    work_is_exact(found, WORK)
    assert any("PID namespace" in note for note in found["notes"])
    refused = subprocess.run([*inside, "--method", "bpf", "--", runner, "--writes", "1"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "PID namespace" in refused.stderr and "hint:" in refused.stderr


@pytest.mark.parametrize("recorder", ["plumb", "perf"])
def test_recordings_say_the_same(run, plumb, runner, tmp_path, recorder):
    program = plumb if recorder == "plumb" else shutil.which("perf")
    if not program:
        pytest.skip("no perf to record with")
    events = ["kvm:kvm_userspace_exit", "kvm:kvm_pio", "kvm:kvm_cpuid", "kvm:kvm_msr", "kvm:kvm_mmio"]
    recorded = subprocess.run([program, "record", "-o", tmp_path / "perf.data", *(word for event in events for word in ("-e", event)), "--", runner,
                               *words(WORK)], capture_output=True, text=True, check=False)
    if recorded.returncode:
        pytest.skip("can't be recorded here: " + recorded.stderr.strip())
    done = run("exits", "-j", "-i", "perf.data", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    work_is_exact(found, WORK)
    content = (tmp_path / "perf.data").read_bytes()
    # What is said when a recording ends before its end: nothing is passed off as the whole.
    (tmp_path / "cut.data").write_bytes(content[:len(content) * 3 // 4])
    cut = run("exits", "-j", "-i", "cut.data", cwd=tmp_path)
    assert cut.returncode == 1 or any("breaks off" in note for note in json.loads(cut.stdout)["notes"]), cut.stdout[-300:]
    for length in range(0, len(content), max(1, len(content) // 60)):
        (tmp_path / "cut.data").write_bytes(content[:length])
        assert run("exits", "-i", "cut.data", cwd=tmp_path).returncode in (0, 1)


def test_a_recording_whose_format_changed_is_said(run, plumb, runner, tmp_path):
    recorded = subprocess.run([plumb, "record", "-o", tmp_path / "perf.data", "-e", "kvm:kvm_pio", "-e", "kvm:kvm_userspace_exit", "--", runner, "--writes", "9"],
                              capture_output=True, text=True, check=False)
    if recorded.returncode:
        pytest.skip("can't be recorded here: " + recorded.stderr.strip())
    content = (tmp_path / "perf.data").read_bytes()
    (tmp_path / "perf.data").write_bytes(content.replace(b"__u32 reason;", b"__u32 raison;"))
    done = run("exits", "-i", "perf.data", cwd=tmp_path)
    assert done.returncode == 0 and "kvm_userspace_exit has no format with the fields" in " ".join(done.stdout.split())
    assert "port write" in done.stdout


def test_who_may_not_is_told_what_to_do(plumb, other_users):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        copy = shutil.copy(plumb, folder)
        try:
            done = subprocess.run([copy, "exits", "--duration", "0.1"], capture_output=True, text=True, user=65534, group=65534, check=False)
        except PermissionError:
            pytest.skip("another user can't run a copy of the program from here")
    assert done.returncode == 1 and "plumb exits:" in done.stderr and "root" in done.stderr


@pytest.mark.parametrize("without, method", [("-bpf,-sys_admin", "from records of tracepoints"), ("-bpf,-sys_admin,-perfmon", None)])
def test_what_less_rights_leave(plumb, runner, without, method):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root can give rights away, with setpriv")
    done = subprocess.run(["setpriv", "--bounding-set", without, "--inh-caps", without, plumb, "exits", "--", runner, "--writes", "60"],
                          capture_output=True, text=True, check=False)
    if "setpriv:" in done.stderr:
        pytest.skip(done.stderr.strip())
    if method is None and done.returncode == 1:
        assert "perf_event_paranoid" in done.stderr and "hint:" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    assert "nothing is added up in the kernel, because" in " ".join(done.stdout.split())
    assert method is None or (method in done.stdout and any(line.split()[:3] == ["port", "write", "60"] for line in done.stdout.splitlines()))


def test_a_process_without_a_machine_is_told(plumb, runner):
    with subprocess.Popen(["sleep", "30"]) as other:
        done = subprocess.run([plumb, "exits", "-p", str(other.pid), "--duration", "0.1"], capture_output=True, text=True, check=False)
        other.kill()
    if done.returncode:
        pytest.skip("exits can't be watched here: " + done.stderr.strip())
    assert "had no virtual machine of KVM's" in " ".join(done.stdout.split())


def test_what_an_absent_tracefs_costs_is_said(plumb, runner):
    if os.geteuid() != 0 or not shutil.which("unshare"):
        pytest.skip("only root can take file systems away, with unshare")
    hide = "for place in /sys/kernel/debug/tracing /sys/kernel/tracing /sys/kernel/debug; do umount -l $place 2>/dev/null; done; exec \"$@\""
    inside = ["unshare", "--mount", "sh", "-c", hide, "sh", plumb]
    done = subprocess.run([*inside, "exits", "--duration", "0.1"], capture_output=True, text=True, check=False)
    if "unshare:" in done.stderr:
        pytest.skip(done.stderr.strip())
    said = " ".join((done.stdout + done.stderr).split())
    assert "mount -t tracefs" in said or "tracefs is not mounted" in said
    with waiting_guest(runner, "--writes", "1") as guest:
        refused = subprocess.run([*inside, "pages", "--vm", "all"], capture_output=True, text=True, check=False)
        assert refused.returncode == 1 and "debugfs isn't mounted" in refused.stderr and "no machine of KVM's" not in refused.stdout
        assert guest.poll() is None
