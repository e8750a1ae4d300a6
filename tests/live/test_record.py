# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb record on this machine: what it writes, that perf reads it, and how it ends when things go wrong."""
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

import pytest


SPIN = r"""
#include <stdlib.h>
#include <time.h>
volatile unsigned long sink;
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 10000; i++) sink += i; }
__attribute__((noinline)) void middle(void) { leaf(); sink++; }
int main(int argc, char **argv)
{
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = atof(argv[1]);
    end.tv_sec += (long)seconds;
    end.tv_nsec += (long)((seconds - (long)seconds) * 1e9);
    do { middle(); clock_gettime(CLOCK_MONOTONIC, &now); }
    while (now.tv_sec < end.tv_sec || (now.tv_sec <= end.tv_sec + 1 && (now.tv_sec - end.tv_sec) * 1000000000 + now.tv_nsec < end.tv_nsec));
    return argc > 2 ? atoi(argv[2]) : 0;
}
"""
JIT = r"""
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
    /* mov $N,%ecx; 1: dec %ecx; jnz 1b; ret */
    static const unsigned char code[] = {0xb9, 0, 0, 0, 0x20, 0xff, 0xc9, 0x75, 0xfc, 0xc3};
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(page, code, sizeof(code));
    mprotect(page, 4096, PROT_READ | PROT_EXEC);
    ((void (*)(void))page)();
    return 0;
}
"""


def can_sample():
    probe = subprocess.run(["true"])
    return probe.returncode == 0 and os.path.exists("/proc/sys/kernel/perf_event_paranoid")


pytestmark = pytest.mark.skipif(not can_sample(), reason="this kernel has no perf events")


def build(folder, name, source, *flags):
    path = folder / name
    path.with_suffix(".c").write_text(source)
    subprocess.run(["cc", "-O1", "-g", *flags, path.with_suffix(".c"), "-o", path], check=True)
    return path


@pytest.fixture(scope="session")
def spin(tmp_path_factory):
    return build(tmp_path_factory.mktemp("spin"), "spin", SPIN, "-fno-omit-frame-pointer")


@pytest.fixture(scope="session")
def spin_without_fp(tmp_path_factory):
    return build(tmp_path_factory.mktemp("spin"), "spin", SPIN, "-fomit-frame-pointer")


@pytest.fixture(scope="session")
def perf():
    found = shutil.which("perf")
    if not found:
        pytest.skip("perf isn't installed: nothing to compare with")

    def run_perf(*words):
        done = subprocess.run([found, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=60, env=os.environ | {"DEBUGINFOD_URLS": ""})
        return done
    return run_perf


def records(path):
    """(type, payload) of every record of an uncompressed file, by the header's own account."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"PERFILE2"
    start, size = struct.unpack_from("<QQ", data, 40)
    at = start
    found = []
    while at < start + size:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        assert length >= 8 and at + length <= start + size
        found.append((kind, data[at + 8:at + length]))
        at += length
    return found


def samples(path):
    return sum(kind == 9 for kind, _ in records(path))


def has_data(path, size):
    """Whether the header of a file that is being written counts that many bytes of records."""
    try:
        return struct.unpack_from("<Q", pathlib.Path(path).read_bytes(), 48)[0] >= size
    except (OSError, struct.error):
        return False


def has_features(path):
    return any(struct.unpack_from("<4Q", pathlib.Path(path).read_bytes(), 72))


def wait_for(condition, seconds=40):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def start(plumb, *words, **more):
    return subprocess.Popen([plumb, "record", *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, **more)


def test_samples_and_exit_status(run, spin, tmp_path, perf):
    done = run("record", "-e", "cpu-clock", "-F", 1000, "-o", tmp_path / "d", "--", spin, 0.5, 7)
    assert done.returncode == 7, done.stderr
    count = samples(tmp_path / "d")
    assert 0 < count <= 1000  # at most the time that passed; how much of it we got is the machine's affair
    assert f"{count} samples" in done.stderr
    script = perf("script", "-i", tmp_path / "d")
    assert script.returncode == 0, script.stderr
    assert script.stdout.count("cpu-clock") == count
    assert "leaf" in script.stdout
    header = perf("report", "-i", tmp_path / "d", "--header-only", "-I").stdout
    for part in ("hostname", "os release", "arch", "nrcpus online", "cpudesc", "total memory", "cmdline", "event :",
                 "pmu mappings", "time of first sample"):
        assert f"# {part}" in header, part


def test_true_is_recorded(run, tmp_path):
    done = run("record", "-o", tmp_path / "d", "true")
    assert done.returncode == 0
    assert has_features(tmp_path / "d")
    assert any(kind == 3 for kind, _ in records(tmp_path / "d"))  # COMM


@pytest.mark.parametrize("options, twice", [
    ([], False), (["-z"], False), (["-g"], False), (["-z", "--call-graph", "dwarf"], False),
    (["-e", "context-switches", "-e", "cpu-clock", "--switch-events"], True),
    (["--user-regs", "-d", "--data-page-size"], False), (["-k", "monotonic"], False), (["--per-thread"], False),
    (["--all-cgroups"], False),
])
def test_perf_reads_what_plumb_writes(run, perf, spin, tmp_path, options, twice):
    done = run("record", *([] if twice else ["-e", "cpu-clock"]), *options, "-o", tmp_path / "d", "--", spin, 0.3)
    assert done.returncode == 0, done.stderr
    report = perf("report", "-i", tmp_path / "d", "--stdio", "-g", "none", "--no-children")
    assert report.returncode == 0, report.stderr
    assert "leaf" in report.stdout
    assert "failed" not in report.stderr and "unhandled" not in report.stderr.lower(), report.stderr
    header = perf("report", "-i", tmp_path / "d", "--header-only").stdout
    assert ("# compressed : Zstd" in header) == ("-z" in options)


def test_pipe(plumb, perf, spin, tmp_path):
    line = f"{plumb} record -q -e cpu-clock -o - -- sh -c 'echo noise; exec {spin} 0.3' | cat > {tmp_path}/d"
    done = subprocess.run(line, shell=True, capture_output=True, text=True)
    assert "noise" in done.stderr, "the program's output doesn't mix with the recording"
    script = subprocess.run(["perf", "script", "-i", "-"], stdin=open(tmp_path / "d"), capture_output=True, text=True)
    assert script.returncode == 0, script.stderr
    assert script.stdout.count("cpu-clock") > 10


def test_call_chains(run, perf, spin, spin_without_fp, tmp_path):
    done = run("record", "-e", "cpu-clock", "-g", "-o", tmp_path / "fp", "--", spin, 1)
    if "too few" in done.stderr:
        pytest.skip("the machine was too busy to bring enough samples")
    assert "reach their thread's root (frame pointers)" in done.stderr
    assert "were copied" not in done.stderr
    done = run("record", "-e", "cpu-clock", "-F", 500, "-g", "-o", tmp_path / "dwarf", "--", spin_without_fp, 2)
    if "too few" in done.stderr or "were copied" not in done.stderr and samples(tmp_path / "dwarf") < 250:
        pytest.skip("the machine was too busy to bring enough samples")
    said = [line for line in done.stderr.splitlines() if "stacks" in line]
    assert len(said) == 1, said  # what was tried, what was chosen and what came of it contradict each other in no case
    found = re.search(r"led to the thread's root in (\d+) % of the first (\d+) user stacks, so the later ones were copied "
                      r"\(--call-graph fp insists\)\. Of (\d+) copies \d+ were unwound: ([0-9.]+) % of them lead to the root", said[0])
    assert found, said
    read = run("report", "-i", tmp_path / "dwarf").stderr
    told = re.search(r"([0-9.]+) % of (\d+) stack dumps were followed .*; (\d+) more stacks have no dump", read)
    assert told and abs(int(told[2]) - int(found[3])) <= 2 and abs(int(told[3]) - int(found[2])) <= int(found[2]) / 10, (said, read)
    stacks = perf("script", "-i", tmp_path / "dwarf").stdout.strip().split("\n\n")
    last = [stack for stack in stacks if "leaf" in stack][-1] # the very last may be in exit
    assert "middle" in last and "main" in last and "_start" in last, last


def test_code_that_no_file_holds_is_kept(run, perf, tmp_path):
    if os.uname().machine != "x86_64":
        pytest.skip("the program is x86-64 code")
    program = build(tmp_path, "jit", JIT)
    done = run("record", "-e", "cpu-clock", "-o", tmp_path / "d", "--", program)
    assert done.returncode == 0, done.stderr
    pages = [payload for kind, payload in records(tmp_path / "d") if kind == 65]
    assert any(b"\xff\xc9\x75\xfc\xc3" in page for page in pages), "the loop that ran"
    script = perf("script", "-i", tmp_path / "d")
    assert script.returncode == 0 and not script.stderr, script.stderr
    done = run("record", "-e", "cpu-clock", "--no-code", "-o", tmp_path / "d", "--", program)
    assert not [payload for kind, payload in records(tmp_path / "d") if kind == 65]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_finish_the_file(plumb, perf, spin, tmp_path, number):
    process = start(plumb, "-e", "cpu-clock", "-o", tmp_path / "d", "--", spin, 60)
    assert wait_for(lambda: has_data(tmp_path / "d", 3000))
    process.send_signal(number)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 128 + number, said
    assert "samples" in said
    assert has_features(tmp_path / "d")
    assert perf("script", "-i", tmp_path / "d").returncode == 0


@pytest.mark.parametrize("options", [[], ["-z"]])
def test_killed_plumb_leaves_a_readable_file(plumb, perf, spin, tmp_path, options):
    process = start(plumb, "-e", "cpu-clock", *options, "-o", tmp_path / "d", "--", spin, 3)
    assert wait_for(lambda: has_data(tmp_path / "d", 3000 if options else 10000))
    process.kill()
    process.communicate()
    script = perf("script", "-i", tmp_path / "d")
    assert script.returncode == 0 and script.stdout.count("cpu-clock") > 10, script.stderr
    assert "WARNING" not in script.stderr, script.stderr


def test_a_dying_target(plumb, run, spin, tmp_path):
    target = subprocess.Popen([spin, "60"])
    process = start(plumb, "-e", "cpu-clock", "-o", tmp_path / "d", "-p", target.pid)
    assert wait_for(lambda: has_data(tmp_path / "d", 3000))
    target.kill()
    target.wait()
    _, said = process.communicate(timeout=20)
    assert process.returncode == 0, said
    assert samples(tmp_path / "d") > 5


def test_full_disk(plumb, perf, spin, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("can't mount a small tmpfs")
    try:
        process = start(plumb, "-e", "cpu-clock", "-F", 20000, "-g", "-o", disk / "d", "--", spin, 60)
        _, said = process.communicate(timeout=50)
        assert process.returncode == 1
        assert "No space left on device" in said and "readable" in said
        assert samples(disk / "d") > 50
        assert has_features(disk / "d")
        script = perf("script", "-i", disk / "d")
        assert script.returncode == 0 and "leaf" in script.stdout, script.stderr
    finally:
        wait_for(lambda: subprocess.run(["umount", disk], capture_output=True).returncode == 0)


def test_file_size_limit(run, spin, tmp_path):
    done = run("record", "-e", "cpu-clock", "-F", 20000, "-o", tmp_path / "d", "--", spin, 30,
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000)))
    assert done.returncode == 1
    assert "File too large" in done.stderr
    assert samples(tmp_path / "d") > 50


def test_output_that_cannot_be_made_starts_nothing(run, tmp_path):
    marker = tmp_path / "started"
    done = run("record", "-o", tmp_path / "no/such/folder/d", "--", "touch", marker)
    assert done.returncode == 1 and "can't create" in done.stderr
    assert not marker.exists()


def test_a_program_that_cannot_run_costs_no_recording(run, tmp_path):
    old = tmp_path / "d"
    old.write_bytes(b"kept")
    for program, status in ((tmp_path / "missing", 127), (tmp_path, 126)):
        done = run("record", "-o", old, "--", program)
        assert done.returncode == status, done.stderr
        assert old.read_bytes() == b"kept"
        assert not (tmp_path / "d.old").exists()


def test_the_old_recording_is_kept(run, tmp_path):
    for _ in range(2):
        assert run("record", "-q", "-o", tmp_path / "d", "true").returncode == 0
    assert has_features(tmp_path / "d.old")


def test_duration_and_delay(run, spin, tmp_path):
    began = time.monotonic()
    done = run("record", "-e", "cpu-clock", "--duration", 0.3, "-o", tmp_path / "d", "--", spin, 30)
    assert done.returncode == 0 and time.monotonic() - began < 15
    done = run("record", "-e", "cpu-clock", "-F", 1000, "-D", 500, "-o", tmp_path / "d", "--", spin, 1)
    assert samples(tmp_path / "d") <= 600  # half a second at most; how much of it we got is the machine's affair
    assert any(kind == 3 and b"spin" in payload for kind, payload in records(tmp_path / "d")), "named from the start"


def test_threads_that_come_and_go(plumb, run, tmp_path):
    source = r"""
#include <pthread.h>
#include <time.h>
volatile unsigned long sink;
static void *work(void *a) { (void)a; for (int i = 0; i < 20000000; i++) sink += i; return 0; }
int main(void) { for (int i = 0; i < 30; i++) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); } return 0; }
"""
    program = build(tmp_path, "threads", source, "-pthread")
    target = subprocess.Popen([program])
    done = run("record", "-e", "cpu-clock", "-o", tmp_path / "d", "-p", target.pid)
    target.wait()
    assert done.returncode == 0, done.stderr
    threads = {struct.unpack_from("<I", payload, 20)[0] for kind, payload in records(tmp_path / "d") if kind == 9}
    if len(threads) < 2:
        pytest.skip("the machine was too busy: the threads were over before they could be sampled")
    assert threads - {target.pid}, "threads that started while it was recorded were followed"


def test_whole_machine(run, perf, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root")
    done = run("record", "-e", "cpu-clock", "-a", "-o", tmp_path / "d", "--", "sleep", 0.3)
    assert done.returncode == 0, done.stderr
    script = perf("script", "-i", tmp_path / "d", "--show-mmap-events", "--show-task-events")
    assert script.returncode == 0, script.stderr
    assert "[kernel.kallsyms]_text" in script.stdout
    assert f"{os.getpid()}/{os.getpid()}" in script.stdout, "what already ran is named"


def test_tracepoints_carry_their_formats(run, perf, spin, tmp_path):
    if not os.path.exists("/sys/kernel/tracing/events/sched/sched_switch"):
        pytest.skip("tracefs isn't mounted")
    done = run("record", "-e", "sched:sched_switch", "-a", "-o", tmp_path / "d", "--", "sleep", 0.1)
    if done.returncode:
        pytest.skip(done.stderr)
    script = perf("script", "-i", tmp_path / "d").stdout
    assert "prev_comm=" in script and "==> next_comm=" in script


def test_unprivileged(run, spin, tmp_path, other_users):
    paranoid = int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())
    if not 1 < paranoid < 3:
        pytest.skip(f"perf_event_paranoid is {paranoid}")
    folder = tmp_path / "open"
    folder.mkdir()
    for path in (folder, *list(folder.parents)[:4], *list(pathlib.Path(spin).parents)[:3]):
        try:
            path.chmod(path.stat().st_mode | 0o055)
        except PermissionError:
            pass
    folder.chmod(0o777)

    def drop():
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
    try:
        done = run("record", "-e", "cpu-clock", "-o", folder / "d", "--", spin, 0.3, preexec_fn=drop)
    except PermissionError:
        pytest.skip("the program under test can't be run by others here")
    assert done.returncode == 0, done.stderr
    assert "recording user space only, as 'cpu-clock:u'" in done.stderr
    done = run("record", "-e", "cpu-clock", "-a", "-o", folder / "d", "--", "true", preexec_fn=drop)
    assert done.returncode == 1 and "perf_event_paranoid" in done.stderr


def has_tracepoints():
    return os.path.exists("/sys/kernel/tracing/events/raw_syscalls/sys_enter")


def test_filters(run, perf, tmp_path):
    if not has_tracepoints():
        pytest.skip("tracefs isn't mounted")
    event = ["-e", "raw_syscalls:sys_exit"]
    done = run("record", *event, "-o", tmp_path / "all", "--", "cat", "/etc/hostname", "/dev/null/none")
    if done.returncode != 1 or not samples(tmp_path / "all"):
        pytest.skip(f"can't record tracepoints here: {done.stderr}")
    run("record", *event, "--filter", "ret < 0", "-e", "raw_syscalls:sys_enter", "--filter", "id == -1", "-o",
        tmp_path / "some", "--", "cat", "/etc/hostname", "/dev/null/none")
    assert 0 < samples(tmp_path / "some") < samples(tmp_path / "all")
    lines = perf("script", "-i", tmp_path / "some").stdout.splitlines()
    assert lines and all("sys_exit" in line and "= -" in line for line in lines), "failed calls only"
    done = run("record", *event, "--filter", "rte < 0", "-o", tmp_path / "none", "true")
    assert done.returncode == 2 and "fields: " in done.stderr and ", ret" in done.stderr
    assert not (tmp_path / "none").exists()


def test_plumb_leaves_itself_out(plumb, run, tmp_path):
    if not has_tracepoints() or os.geteuid() != 0:
        pytest.skip("needs root and tracefs")
    process = start(plumb, "-a", "-e", "raw_syscalls:sys_enter", "--exclude-perf", "-o", tmp_path / "d", "sleep", 0.1)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 0, said
    pids = run("script", "-i", tmp_path / "d", "-F", "pid").stdout.split()
    assert pids and str(process.pid) not in pids


def test_control(plumb, run, spin, tmp_path):
    """Nothing before "enable", nothing between "disable" and the end; each order that was obeyed is acknowledged."""
    orders, answers = tmp_path / "orders", tmp_path / "answers"
    os.mkfifo(orders)
    os.mkfifo(answers)
    process = start(plumb, "-e", "cpu-clock", "-D", -1, "--control", f"fifo:{orders},{answers}", "-o", tmp_path / "d",
                    "--", spin, 60)
    order, answer = os.open(orders, os.O_RDWR), os.open(answers, os.O_RDWR)
    try:
        def obeyed(text):
            os.write(order, text)
            return os.read(answer, 100)
        assert obeyed(b"ping\n") == b"ack\n"
        assert not has_data(tmp_path / "d", 3000)
        assert obeyed(b"enable\n\0") == b"ack\n"
        assert wait_for(lambda: has_data(tmp_path / "d", 3000))
        assert obeyed(b"enable nothing\nsnapshot\ndisable cpu-clock\n") == b"ack\n"
        time.sleep(0.2)  # what stood in the buffers
        size = (tmp_path / "d").stat().st_size
        time.sleep(0.3)
        assert (tmp_path / "d").stat().st_size - size < 500
        assert obeyed(b"stop\n") == b"ack\n"
        _, said = process.communicate(timeout=20)
    finally:
        os.close(order)
        os.close(answer)
        process.kill()
    assert process.returncode == 0, said
    assert "no event 'nothing'" in said and "'snapshot' is none of" in said


def test_a_field_that_one_event_lacks_is_left_out_there(run, spin, tmp_path):
    """Beside several events plumb and perf record a dummy, which has no addresses: it takes no samples either."""
    done = run("record", "-d", "-e", "dummy:u", "-e", "cpu-clock", "-o", tmp_path / "d", "--", spin, 0.3)
    assert done.returncode == 0, done.stderr
    if samples(tmp_path / "d") < 5:
        pytest.skip("the machine was too busy to bring enough samples")
    done = run("script", "-F", "comm,event,addr", "-i", tmp_path / "d")
    assert done.returncode == 0 and re.match(r" *\S+ +cpu-clock: +[0-9a-f]+\n", done.stdout), done.stderr
    done = run("script", "-F", "comm,iregs", "-i", tmp_path / "d")
    assert done.returncode == 1 and "recorded without 'iregs'" in done.stderr


def test_a_stopped_process_is_said(run, tmp_path):
    with subprocess.Popen(["sleep", "100"]) as target:
        target.send_signal(signal.SIGSTOP)
        wait_for(lambda: " T " in pathlib.Path(f"/proc/{target.pid}/stat").read_text())
        done = run("record", "-e", "cpu-clock", "-p", target.pid, "--duration", 0.1, "-o", tmp_path / "d")
        counted = run("stat", "-e", "page-faults", "-p", target.pid, "--timeout", 50)
        target.kill()
    assert f"process {target.pid} ('sleep') is stopped" in done.stderr and done.returncode == 0, done.stderr
    assert f"process {target.pid} ('sleep') is stopped" in counted.stderr and counted.returncode == 0, counted.stderr


def test_size_limit(run, spin, tmp_path):
    done = run("record", "-e", "cpu-clock", "-F", 20000, "--max-size", "30K", "-o", tmp_path / "d", "--", spin, 60)
    assert done.returncode == 0 and "is reached" in done.stderr, done.stderr
    assert samples(tmp_path / "d") > 50


def test_a_function_of_the_program(run, spin, tmp_path):
    done = run("record", "-e", f"uprobe:{spin}:middle", "-o", tmp_path / "d", "--", spin, 0.1)
    if done.returncode:
        pytest.skip(done.stderr)
    assert samples(tmp_path / "d") > 10, "each call"


def test_processes_of_a_user(run, tmp_path, other_users):
    other = subprocess.Popen(["sleep", "60"], preexec_fn=lambda: os.setresuid(61234, 61234, 61234))
    try:
        done = run("record", "-e", "cpu-clock", "-u", 61234, "--duration", 0.1, "-o", tmp_path / "d")
        assert done.returncode == 0, done.stderr
        pids = {struct.unpack_from("<I", payload)[0] for kind, payload in records(tmp_path / "d") if kind == 10}
        assert other.pid in pids and os.getpid() not in pids
    finally:
        other.kill()
        other.wait()


def test_dumps_hold_the_stack_and_no_more(run, perf, spin_without_fp, tmp_path):
    """The environment lies above the main thread's stack: it isn't copied, and the stacks are whole all the same."""
    marked = os.environ | {"SECRET": "do-not-record-me" * 50}
    done = run("record", "-e", "cpu-clock", "--call-graph", "dwarf", "-o", tmp_path / "d", "--", spin_without_fp, 1, env=marked)
    assert done.returncode == 0, done.stderr
    if "no stack of user" in done.stderr or samples(tmp_path / "d") < 50:
        pytest.skip("the machine was too busy to bring enough samples")
    said = re.search(r"([0-9.]+) % of user stacks reach their thread's root \(stack dumps; (\d+) of (\d+) were unwound\)", done.stderr)
    assert said and float(said[1]) > 80 and int(said[2]) <= 256, done.stderr
    assert (tmp_path / "d").read_bytes().count(b"do-not-record-me") < 50 * 5, "but for those before it could be looked up"
    assert (tmp_path / "d").stat().st_size < samples(tmp_path / "d") * 4000
    stacks = perf("script", "-i", tmp_path / "d").stdout.split("\n\n")
    assert sum("_start" in stack for stack in stacks) > 0.8 * len(stacks)


@pytest.mark.parametrize("options", [[], ["-z"]])
def test_killed_before_it_has_chosen(plumb, perf, spin, tmp_path, options):
    process = start(plumb, "-e", "cpu-clock", "-F", 2000, "-g", *options, "-o", tmp_path / "d", "--", spin, 3)
    assert wait_for(lambda: has_data(tmp_path / "d", 3000), 20)
    process.kill()
    process.communicate()
    script = perf("script", "-i", tmp_path / "d")
    assert script.returncode == 0 and "leaf" in script.stdout, script.stderr


MOVING_JIT = r"""
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* mov $N,%ecx; 1: dec %ecx; jnz 1b; mov $MARK,%eax; ret */
static unsigned char code[] = {0xb9, 0, 0, 0, 0x20, 0xff, 0xc9, 0x75, 0xfc, 0xb8, 'm', 'r', 'k', '0', 0xc3};
static void run(char *writable, char *runs, char mark) { code[13] = mark; memcpy(writable, code, sizeof(code)); ((int (*)(void))runs)(); }
int main(void)
{
    int fd = memfd_create("jit", 0);
    if (ftruncate(fd, 8192)) return 1;
    char *writable = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *runs = mmap(0, 8192, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    for (int at = 0; at < 3; at++) run(writable + at * 64, runs + at * 64, 'a' + at);
    munmap(runs, 8192);
    char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int at = 0; at < 3; at++) {
        mprotect(page, 4096, PROT_READ | PROT_WRITE);
        memset(page, 0xcc, 4096);
        code[13] = 'x' + at; memcpy(page + at * 64, code, sizeof(code));
        mprotect(page, 4096, PROT_READ | PROT_EXEC);
        ((int (*)(void))(page + at * 64))();
    }
    return 0;
}
"""


def test_code_that_is_written_piece_by_piece_is_kept(run, tmp_path):
    """W^X: written through another mapping, or by turns; each piece was hot once and is gone later."""
    if os.uname().machine != "x86_64":
        pytest.skip("the program is x86-64 code")
    done = run("record", "-e", "cpu-clock", "-F", 2000, "-o", tmp_path / "d", "--", build(tmp_path, "jit", MOVING_JIT))
    assert done.returncode == 0, done.stderr
    if samples(tmp_path / "d") < 300:
        pytest.skip("the machine was too busy to bring enough samples")
    copied = b"".join(payload for kind, payload in records(tmp_path / "d") if kind == 65)
    assert [mark for mark in "abcxyz" if b"mrk" + mark.encode() not in copied] == []


def test_many_short_processes(run, perf, tmp_path):
    """Too short for /proc to be asked: what they mapped is known from the records, and judged together."""
    done = run("record", "-e", "cpu-clock", "-F", 4000, "-g", "-o", tmp_path / "d", "--", "sh", "-c",
               "i=0; while [ $i -lt 800 ]; do /bin/true; i=$((i+1)); done", timeout=100)
    assert done.returncode == 0, done.stderr
    if samples(tmp_path / "d") < 500:
        pytest.skip("the machine was too busy to bring enough samples")
    assert re.search(r"[0-9.]+ % of .*user stacks reach their thread's root|[0-9.]+ % of them lead to the root", done.stderr), done.stderr
    report = perf("report", "-i", tmp_path / "d", "--stdio", "-s", "comm", "-g", "none", "--no-children")
    assert re.search(r"%\s+true", report.stdout), report.stdout


@pytest.mark.parametrize("command", ["stat", "record"])
def test_a_probe_leaves_the_program_able_to_fork(run, spin, tmp_path, command):
    """An inherited uprobe would have the kernel read its path in the program's own memory at each fork, and refuse that."""
    words = ["-o", tmp_path / "d"] if command == "record" else []
    done = run(command, "-e", f"uprobe:{spin}:middle", *words, "--", "sh", "-c", "/bin/true && echo lives | cat")
    if "not counted" in done.stderr or "CAP_PERFMON" in done.stderr:
        pytest.skip("no uprobes may be used here: " + done.stderr)
    assert done.returncode == 0 and "lives" in done.stdout, done.stderr
    assert "at the start only" in done.stderr
