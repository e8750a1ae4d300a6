# SPDX-License-Identifier: GPL-3.0-or-later
"""What a recording holds besides samples, as perf 6.1 prints it: report --stats, --tasks, --mmaps; script --show-*-events and its clocks."""
import re
import shutil
import struct
import subprocess

import pytest

import perf_data_file as made
from perf_data_file import CPU, EXIT, FORK, IP, PERIOD, SWITCH, TID, TIME, USER, File

NAMESPACES, SWITCH_CPU_WIDE, BPF_EVENT = 16, 15, 18
EVENTS = [f"--show-{kind}-events" for kind in ("task", "mmap", "switch", "lost", "namespace", "cgroup", "bpf")]
ORDERS = pytest.mark.parametrize("order", "<>", ids=["little", "big"])


def recording(order="<"):
    """A shell forks; its child becomes another program, which begins a thread and dies. What ran before is listed child first."""
    file = File(order=order, sample_type=IP | TID | TIME | CPU | PERIOD)

    def trailer(pid, tid, time):
        return file.trailer(pid, tid, time)
    file.task(FORK, 60, 50, 0)
    file.task(FORK, 50, 1, 0)
    file.comm(50, 50, "parent").comm(60, 60, "child").comm(70, 70, "sh")
    file.mmap2(70, 0x400000, 0x3000, "/bin/sh", offset=0x1000)
    file.record(NAMESPACES, file.pack("IIQ", 70, 70, 5) + b"".join(file.pack("QQ", 4, 0xf0000000 + at) for at in range(5)) + trailer(70, 70, 1000))
    file.task(FORK, 71, 70, 1_000_000)
    file.comm(71, 71, "app", time=1_100_000, is_exec=True)
    file.mmap2(71, 0x500000, 0x4000, "/opt/app", time=1_200_000)
    file.mmap2(71, 0x501000, 0x1000, "/opt/lib.so", time=1_200_001, protection=3)
    file.task(FORK, 71, 71, 1_300_000, tid=72, parent_tid=71)
    file.sample(71, 0x500100, 2_000_000, tid=71, cpu=1)
    file.record(SWITCH, trailer(71, 71, 2_100_000), 0x6000)
    file.record(SWITCH_CPU_WIDE, file.pack("II", 70, 70) + trailer(71, 71, 2_200_000), 0)
    file.record(made.LOST, file.pack("QQ", 100, 7) + trailer(71, 71, 2_300_000))
    file.record(made.CGROUP_RECORD, file.pack("Q", 5) + file.text("/a/b") + trailer(71, 71, 2_400_000))
    file.ksymbol(0xffffffffc0000000, 64, "bpf_prog_x", time=2_500_000)
    file.record(BPF_EVENT, file.pack("HHI8x", 1, 0, 9) + trailer(71, 71, 2_600_000))
    file.sample(71, 0x500200, 3_000_000, tid=72)
    file.task(EXIT, 71, 70, 3_500_000, tid=72)
    file.round()
    return file


@pytest.fixture
def show(run, tmp_path):
    def show(command, data, *words):
        (tmp_path / "perf.data").write_bytes(data)
        done = run(command, "-i", str(tmp_path / "perf.data"), "--kallsyms", "/dev/null", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()
    return show


RECORDS = """\
 :50 50 [000] 0.000000: PERF_RECORD_FORK(50:50):(1:1)
 sh 70 [000] 0.000001: PERF_RECORD_NAMESPACES 70/70 - nr_namespaces: 5
 \t\t[0/net: 4/0xf0000000, 1/uts: 4/0xf0000001, 2/ipc: 4/0xf0000002, 3/pid: 4/0xf0000003,
 \t\t 4/user: 4/0xf0000004]
 sh 71 [000] 0.001000: PERF_RECORD_FORK(71:71):(70:70)
 app 71 [000] 0.001100: PERF_RECORD_COMM exec: app:71/71
 app 71 [000] 0.001200: PERF_RECORD_MMAP2 71/71: [0x500000(0x4000) @ 0 08:01 1234 0]: r-xp /opt/app
 app 71 [000] 0.001200: PERF_RECORD_MMAP2 71/71: [0x501000(0x1000) @ 0 08:01 1234 0]: rw-p /opt/lib.so
 app 72 [000] 0.001300: PERF_RECORD_FORK(71:72):(71:71)
 app 71 [001] 0.002000: 1000 cpu-clock:p: 500100 [unknown] (/opt/app)
 app 71 [000] 0.002100: PERF_RECORD_SWITCH OUT preempt
 app 71 [000] 0.002200: PERF_RECORD_SWITCH_CPU_WIDE IN prev pid/tid: 70/70
 app 71 [000] 0.002300: PERF_RECORD_LOST lost 7
 app 71 [000] 0.002400: PERF_RECORD_CGROUP cgroup: 5 /a/b
 swapper 0 [000] 0.002500: PERF_RECORD_KSYMBOL addr ffffffffc0000000 len 64 type 1 flags 0x0 name bpf_prog_x
 app 71 [000] 0.002600: PERF_RECORD_BPF_EVENT type 1, flags 0, id 9
 app 72 [000] 0.003000: 1000 cpu-clock:p: 500200 [unknown] (/opt/app)
 app 72 [000] 0.003500: PERF_RECORD_EXIT(71:72):(70:70)"""


def plain(lines):
    return [re.sub(r"\s+", " ", line).strip() for line in lines]


@ORDERS
def test_other_records_stand_between_samples(show, order):
    lines = plain(show("script", recording(order).file(), *EVENTS))
    wanted = plain(RECORDS.splitlines())
    assert [line for line in lines if line in wanted] == wanted, "\n".join(lines)
    tasks = show("script", recording(order).file(), "--show-task-events")
    assert sum("PERF_RECORD" in line for line in tasks) == 9 and not any("MMAP" in line for line in tasks)
    assert not any("PERF_RECORD" in line for line in show("script", recording(order).file()))


def test_cpus_choose_records_too(show):
    assert plain(show("script", recording().file(), "--show-switch-events", "-C", "1")) == [
        "app 71 [001] 0.002000: 1000 cpu-clock:p: 500100 [unknown] (/opt/app)"]


def test_clocks(show, run, tmp_path):
    def times(*words):
        return [float(line.split("]")[1].split(":")[0]) for line in show("script", recording().file(), *words)]
    assert times("--reltime") == [0, 0.001] and times("--deltatime", "--show-switch-events") == [0, 0.0001, 0.0001, 0.0008]
    file = recording()
    file.feature(21, file.pack("QQ", 2_000_000, 3_000_000))  # SAMPLE_TIME
    assert plain(show("script", file.file(), "--reltime", "--time", "0.0005,")) == ["app 72 [000] 0.000000: 1000 cpu-clock:p: 500200 [unknown] (/opt/app)"]
    assert run("script", "-i", str(tmp_path / "perf.data"), "--reltime", "--deltatime").returncode == 2


def test_samples_of_binaries(show):
    assert len(show("script", recording().file(), "--dsos", "app")) == 2 == len(show("script", recording().file(), "--dsos", "/opt/app,x"))


@ORDERS
def test_stats(show, order):
    file = recording(order)
    file.data += struct.pack(order + "IHH", 82, 0, 8)
    lines = show("report", file.file(), "--stats")
    counts = dict(line.split(" events:") for line in lines if " events:" in line)
    counts = {name.strip(): value.split() for name, value in counts.items()}
    assert lines[:2] == ["", "Aggregated stats:"] and lines[-2:] == ["cpu-clock:p stats:", "          SAMPLE events:          2"]
    assert counts["TOTAL"] == ["23"] and counts["FINISHED_ROUND"] == ["1", "(", "4.3%)"] and counts["FINISHED_INIT"][0] == "1"
    assert counts["MMAP2"][0] == "3" and counts["SWITCH"][0] == counts["SWITCH_CPU_WIDE"][0] == "1" and counts["FORK"][0] == "4"


def test_packed_records_are_counted_with_what_holds_them(show):
    file = recording()
    lines = show("report", file.compress(pieces=3).file(), "--stats")
    assert any("COMPRESSED events:          3" in line for line in lines) and any("COMM events:          4" in line for line in lines)


@ORDERS
def test_tasks(show, order):
    lines = show("report", recording(order).file(), "--tasks")
    assert lines == [f"# {'pid':>8} {'tid':>8} {'ppid':>8}  comm", *(
        f"  {pid:8} {tid:8} {parent:8} |{name}" for pid, tid, parent, name in [
            (0, 0, -1, "swapper"), (50, 50, 1, "parent"), (60, 60, 50, " child"), (70, 70, -1, "sh"), (71, 71, 70, " app"), (71, 72, 71, "  app")])]


def test_the_first_ones_are_the_idle_task_s(show):
    """Which nothing tells of, where it has no samples."""
    file = File()
    file.task(FORK, 1, 0, 0).comm(1, 1, "init")
    assert [line.split("|")[1] for line in show("report", file.file(), "--tasks")[1:]] == ["swapper", " init"]


def test_nobody_began_himself(show):
    """Numbers that damage put into a circle."""
    file = File()
    for child, parent in ((5, 6), (6, 7), (7, 5)):
        file.task(FORK, child, parent, 0)
    lines = show("report", file.file(), "--tasks")
    assert len(lines) == 5 and all(any(f" {tid} " in line for line in lines) for tid in (5, 6, 7))


def test_mappings(show):
    lines = show("report", recording().file(), "--mmaps")
    app = lines.index(next(line for line in lines if "| app" in line))
    indent = " " * len("        71       71       70 | ")
    assert lines[app + 1:app + 4] == [
        f"{indent}  500000-501000 r-xp 00000000 1234 /opt/app", f"{indent}  501000-502000 rw-p 00000000 1234 /opt/lib.so",
        f"{indent}  502000-504000 r-xp 00002000 1234 /opt/app"], "what it ran before it became app is gone"


def test_a_mapping_s_protection_is_its_last(show):
    """Memory that was written first and then made code."""
    file = File()
    file.comm(70, 70, "jit").mmap2(70, 0x400000, 0x1000, "/opt/app", protection=3).mmap2(70, 0x400000, 0x1000, "/opt/app", protection=5)
    assert show("report", file.file(), "--mmaps")[-1].split()[1] == "r-xp"


def test_as_perf_prints_them(plumb, shared_data, tmp_path):
    """perf's own lines, in whatever order, of recordings that it reads."""
    if not shutil.which("perf"):
        pytest.skip("no perf here")
    version = subprocess.run(["perf", "--version"], capture_output=True, text=True).stdout
    if " 6.1." not in version:
        pytest.skip(f"{version.strip()}: these are lines of perf 6.1")
    compared = 0
    for path in sorted((shared_data / "perf.data").glob("quipper-*.perf.data")):
        for words in (["report", "--stats"], ["report", "--tasks"], ["script", "--deltatime", "-F", "comm,pid,tid,time", *EVENTS]):
            theirs = subprocess.run(["perf", words[0], "-f", "-i", path, *words[1:]], capture_output=True, timeout=300)
            if theirs.returncode or not theirs.stdout:
                continue
            ours = subprocess.run([plumb, words[0], "-i", path, *words[1:]], capture_output=True, timeout=300)
            if "aligned-6.12" in path.name:
                continue  # names its event by what perf 6.12 knows
            assert sorted(ours.stdout.splitlines()) == sorted(theirs.stdout.splitlines()), f"{path.name}: {words}"
            compared += 1
    assert compared > 20


@ORDERS
def test_damage_ends_well(plumb, tmp_path, order):
    """Cut anywhere, and with a bit turned: an error or what came before it, never a crash."""
    whole = recording(order).file()
    commands = (["report", "--stats"], ["report", "--mmaps"], ["script", "--kallsyms", "/dev/null", *EVENTS])
    damaged = [whole[:at] for at in range(104, len(whole), 61)]
    damaged += [whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1:] for at in range(250, len(whole), 53)]
    for data in damaged:
        (tmp_path / "perf.data").write_bytes(data)
        for words in commands:
            done = subprocess.run([plumb, words[0], "-i", tmp_path / "perf.data", *words[1:]], capture_output=True, timeout=60)
            assert done.returncode in (0, 1), (words, done.stderr)


def test_what_the_idle_task_forked_has_its_name(show, tmp_path):
    """Until a COMM says another, as in perf; so has a name nobody told what forked."""
    file = File(sample_type=IP | TID | TIME | CPU | PERIOD)
    file.task(FORK, 80, 0, 1000)
    file.sample(80, 0x1000, 2000, tid=80)
    file.task(FORK, 90, 89, 3000)
    file.sample(90, 0x1000, 4000, tid=90)
    file.comm(80, 80, "kthreadd", time=5000)
    file.sample(80, 0x1000, 6000, tid=80)
    file.round()
    names = ["swapper 80", ":90 90", "kthreadd 80"]
    assert plain(show("script", file.file(), "-F", "comm,tid")) == names
    if shutil.which("perf"):
        done = subprocess.run(["perf", "script", "-i", str(tmp_path / "perf.data"), "-F", "comm,tid"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert plain(done.stdout.splitlines()) == names


def test_a_tracepoint_without_its_call_chain_has_no_address(show):
    """perf prints where a tracepoint was hit only as a part of its call chain."""
    file = File(sample_type=IP | TID | TIME | PERIOD | made.CALLCHAIN, event_type=2)
    file.comm(7, 7, "prog").sample(7, 0x400100, 1000, chain=(0x400100, 0x400200))

    def addresses(*words):
        return re.findall("400[12]00", "\n".join(show("script", file.file(), *words)))
    assert addresses() == ["400100", "400200"]
    assert addresses("--hide-call-graph") == []
    assert addresses("--hide-call-graph", "-F", "+ip") == ["400100"]
