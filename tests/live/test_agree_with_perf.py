# SPDX-License-Identifier: GPL-3.0-or-later
"""What plumb record writes with each of its options reads alike in perf and in plumb: samples by script, rows by report.

Not compared, because perf 6.1 tells it otherwise: addresses of chains' frames and of code without a name (within the file or at run
time), inlined frames, names in .plt sections, threads by the key pid, the column of a tracepoint's fields when it has one row (cut)."""
import importlib.util
import os
import shutil
import subprocess
import time

import pytest

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
volatile unsigned long sink;
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 10000; i++) sink += i; }
__attribute__((noinline)) void middle(void) { leaf(); sink++; }
__attribute__((noinline)) void touch(void) { char *block = malloc(1 << 20); for (int i = 0; i < 1 << 20; i += 4096) block[i] = 1; free(block); }
int main(int argc, char **argv)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    double seconds = atof(argv[1]);
    if (argc > 2 && !vfork())
        execl(argv[0], argv[0], argv[1], NULL);
    do {
        middle();
        touch();
        usleep(10);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) / 1e9 < seconds);
    return 0;
}
"""
SCRIPT = ["script", "--no-inline"]
FLAT = ["report", "--stdio", "--no-inline", "-g", "none", "--no-children"]
KEYS = [*FLAT, "-s", "comm,dso,sym,cpu"]
CHILDREN = ["report", "--stdio", "--no-inline", "-g", "none", "--percent-limit", "20"]
ALL = [SCRIPT, FLAT]
ROWS = [FLAT]  # of a chain without frames perf's script leaves out the sample's own place, too; its unwinder loses stacks' last frames

OPTIONS = {
    "default": (["-F", "999"], [*ALL, KEYS, CHILDREN]), "freq-max": (["-F", "max"], ALL), "count": (["-c", "1000000"], ALL),
    "all-user": (["-F", "999", "--all-user"], ALL), "all-kernel": (["-F", "4999", "--all-kernel"], ALL),
    "no-inherit": (["-F", "999", "-i"], ALL), "per-thread": (["-F", "999", "--per-thread"], ALL), "delay": (["-F", "999", "-D", "5"], ALL),
    "auto": (["-F", "999", "-g"], ALL), "fp": (["-F", "999", "--call-graph", "fp"], [*ALL, KEYS, CHILDREN]),
    "user-chains": (["-F", "999", "--call-graph", "fp", "--user-callchains"], [*ALL, KEYS, CHILDREN]),
    "kernel-chains": (["-F", "999", "--call-graph", "fp", "--kernel-callchains"], ROWS),
    "dwarf": (["-F", "999", "--call-graph", "dwarf"], ROWS), "dwarf-4096": (["-F", "999", "--call-graph", "dwarf,4096"], ROWS),
    "user-regs": (["-F", "999", "--user-regs"], ALL), "some-user-regs": (["-F", "999", "--user-regs=AX,SP,IP"], ALL),
    "intr-regs": (["-F", "999", "-I"], ALL), "some-intr-regs": (["-F", "999", "--intr-regs=AX,BX"], ALL),
    "data": (["-F", "999", "-d"], ALL), "weight": (["-F", "999", "-W"], ALL), "transaction": (["-F", "999", "--transaction"], ALL),
    "phys-data": (["-F", "999", "-d", "--phys-data"], ALL), "data-page-size": (["-F", "999", "-d", "--data-page-size"], ALL),
    "code-page-size": (["-F", "999", "--code-page-size"], ALL), "raw": (["-F", "999", "-R"], ALL),
    "switches": (["-F", "999", "--switch-events"], ALL), "cgroups": (["-F", "999", "--all-cgroups"], ALL),
    "no-code": (["-F", "999", "--no-code", "--no-bpf-event", "-B"], ALL), "identifier": (["-F", "999", "--sample-identifier"], ALL),
    "monotonic": (["-F", "999", "-k", "monotonic"], ALL), "realtime": (["-F", "999", "-k", "realtime"], ALL),
    "zstd": (["-F", "999", "-z"], ALL), "zstd-fp": (["-F", "999", "-z9", "--call-graph", "fp"], [*ALL, KEYS, CHILDREN]),
    "small-buffers": (["-F", "9999", "-m", "16"], ALL), "max-size": (["-F", "9999", "--call-graph", "fp", "--max-size", "200K"], ROWS),
    "events": (["-F", "999", "-e", "cpu-clock,task-clock,page-faults,context-switches"], ALL),
    "group": (["-F", "999", "-e", "{cpu-clock,page-faults}"], ALL), "group-read": (["-F", "999", "-i", "-e", "{cpu-clock,page-faults}:S"], ALL),
    "faults": (["-e", "page-faults", "-c", "1", "-d"], ALL), "exec": (["-e", "page-faults", "-c", "1", "--call-graph", "fp"], ALL),
    "user-event": (["-F", "999", "-e", "cpu-clock:u"], ALL), "kernel-event": (["-F", "999", "-e", "cpu-clock:k"], ALL),
    "tracepoints": (["-e", "sched:sched_switch,syscalls:sys_enter_mmap,syscalls:sys_exit_mmap"], ALL),
    "tracepoints-fp": (["-e", "sched:sched_switch", "--call-graph", "fp"], ALL),
    "filter": (["-e", "syscalls:sys_enter_munmap", "--filter", "len > 4096"], [SCRIPT]),
    "breakpoint": (["-e", "mem:{sink}:w", "-c", "10000"], ALL), "uprobe": (["-e", "uprobe:{program}:leaf"], ALL),
    "uprobe-fp": (["-e", "uprobe:{program}:leaf", "--call-graph", "fp"], [*ALL, KEYS, CHILDREN]),
    "machine": (["-F", "499", "-a"], [*ALL, KEYS]), "one-cpu": (["-F", "499", "-C", "0", "--call-graph", "fp"], ROWS),
    "machine-tracepoint": (["-a", "-e", "irq:softirq_entry"], ALL),
    "everything": (["-F", "999", "--call-graph", "fp", "-d", "--phys-data", "--data-page-size", "--code-page-size", "-I", "--user-regs", "-W",
                    "--transaction", "-z", "--switch-events", "--all-cgroups", "-k", "monotonic"], [*ALL, KEYS, CHILDREN]),
}

# Other tests run meanwhile, and strip, build anew and delete their programs between one reader and the next: their names are left out.
NAME = f"alike-{os.getpid()}"  # of this run alone: another one may be beside it, in a folder that nobody sees from here
MACHINE = {"machine", "one-cpu", "machine-tracepoint"}  # whose names in other programs, of one address with several, perf takes by its tree's shape


@pytest.fixture(scope="module")
def perf():
    found = shutil.which("perf")
    if not found:
        pytest.skip("perf isn't installed: nothing to compare with")
    return found


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / NAME
    path.with_suffix(".c").write_text(PROGRAM)
    subprocess.run(["cc", "-O1", "-g", "-fno-omit-frame-pointer", "-fcf-protection=none", "-no-pie", path.with_suffix(".c"), "-o", path], check=True)
    return path


@pytest.fixture
def lines_of(source_root):
    """The bench compares with the same eyes."""
    spec = importlib.util.spec_from_file_location("reading_cost", source_root / "bench/reading_cost.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.lines_of


def address_of(program, symbol):
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    return next("0x" + line.split()[0] for line in symbols.splitlines() if line.endswith(" " + symbol))


def printed(words, folder, name):
    with open(folder / name, "wb") as out:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, timeout=60, env=os.environ | {"DEBUGINFOD_URLS": ""})
    return done


def told_otherwise(line):  # also: the section before .plt ends in _init, whose name perf stretches over it
    return "@GLIBC_" in line or " _init" in line or "@plt" in line or "[.] .plt" in line or " .plt+0x" in line or "nameless" in line or "[unknown]" in line


def of_program(line):
    return NAME in line


def compare(plumb, perf, lines_of, path, views, folder, of_all=True):
    for words in views:
        ours = printed([plumb, *words, "-i", path], folder, "ours")
        theirs = printed([perf, *words, "-i", path], folder, "theirs")
        if b"holds no samples" in ours.stderr:
            pytest.skip("no sample fell into the run")
        assert ours.returncode == 0 and theirs.returncode == 0, (words, ours.stderr, theirs.stderr)
        mine, peer = lines_of(folder / "ours"), lines_of(folder / "theirs")
        differing = [list((a - b).elements()) for a, b in ((peer, mine), (mine, peer))]
        missing, more = ([line for line in lines if not told_otherwise(line) and (of_all or of_program(line))] for lines in differing)
        assert (missing, more) == ([], []), (words, missing[:5], more[:5], len(missing), len(more), "perf's before the allowed ones are left out:", differing[0][:20])
        assert peer or "-F" not in words


@pytest.mark.parametrize("name", OPTIONS)
def test_a_recording_reads_alike(plumb, perf, lines_of, program, tmp_path, name):
    options, views = OPTIONS[name]
    words = [word.format(program=program, sink=address_of(program, "sink")) if word.startswith(("mem:", "uprobe:")) else word for word in options]
    more = ["again"] if name == "exec" else []
    done = subprocess.run([plumb, "record", "-q", *words, "-o", tmp_path / "d", "--", program, "0.05", *more], capture_output=True, text=True, timeout=60)
    if done.returncode:
        pytest.skip("can't be recorded here: " + (done.stderr.strip().splitlines() or ["without a word"])[0])
    compare(plumb, perf, lines_of, tmp_path / "d", views, tmp_path, of_all=name not in MACHINE)


def header_of(tool, path):
    """What the machine is made of, perf alone prints (-I); of transactions it has no name."""
    done = subprocess.run([tool, "report", "--header-only", "-i", path], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return [" ".join(line.split()) for line in done.stdout.splitlines() if "info available" not in line]


@pytest.mark.parametrize("name", ["default", "fp", "data", "zstd", "group", "realtime", "switches", "tracepoints"])
def test_a_header_reads_alike(plumb, perf, program, tmp_path, name):
    done = subprocess.run([plumb, "record", "-q", *OPTIONS[name][0], "-o", tmp_path / "d", "--", program, "0.05"], capture_output=True, text=True, timeout=60)
    if done.returncode:
        pytest.skip("can't be recorded here: " + (done.stderr.strip().splitlines() or ["without a word"])[0])
    theirs = header_of(perf, tmp_path / "d")
    if "# sample duration : 0.000 ms" in theirs:
        pytest.skip("no two samples fell into the run")
    assert header_of(plumb, tmp_path / "d") == theirs


@pytest.mark.parametrize("whom", ["-p", "-t"])
def test_an_attached_recording_reads_alike(plumb, perf, lines_of, program, tmp_path, whom):
    target = subprocess.Popen([program, "20"])
    try:
        time.sleep(0.05)
        done = subprocess.run([plumb, "record", "-q", "-F", "999", "--call-graph", "fp", whom, str(target.pid), "--duration", "0.1", "-o", tmp_path / "d"],
                              capture_output=True, text=True, timeout=60)
    finally:
        target.kill()
        target.wait()
    if done.returncode:
        pytest.skip("can't be recorded here: " + done.stderr.strip().splitlines()[0])
    compare(plumb, perf, lines_of, tmp_path / "d", ALL, tmp_path)


@pytest.mark.parametrize("options, views", [(["-F", "999"], ALL), (["-F", "999", "-z", "--call-graph", "fp"], ALL),
                                            (["-e", "syscalls:sys_enter_mmap"], [SCRIPT])], ids=["plain", "zstd-fp", "tracepoint"])
def test_a_pipe_reads_alike(plumb, perf, lines_of, program, tmp_path, options, views):
    with open(tmp_path / "d", "wb") as out:
        done = subprocess.run([plumb, "record", "-q", *options, "-o", "-", "--", program, "0.05"], stdout=out, stderr=subprocess.PIPE, text=True, timeout=60)
    if done.returncode:
        pytest.skip("can't be recorded here: " + done.stderr.strip().splitlines()[0])
    compare(plumb, perf, lines_of, tmp_path / "d", views, tmp_path)
