# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb script on tracepoints: their fields as perf script prints them, and what it says when it can't."""
import os
import re
import shutil
import subprocess

import pytest

GROUPS = [  # perf takes a second to begin and end each
    ["-a", "-e", "sched:*", "-e", "irq:*", "-e", "workqueue:*"],
    ["-e", "timer:*", "-e", "rcu:*", "-e", "syscalls:sys_*_mmap", "-e", "syscalls:sys_*_openat", "-e", "syscalls:sys_*_read", "-e", "syscalls:sys_*_write"],
]
WORK = "ls / >/dev/null; sleep 0.05; echo x >file; sync file; cat /etc/passwd >/dev/null"


@pytest.fixture(scope="module", autouse=True)
def tracefs():
    if not os.access("/sys/kernel/tracing/events/sched", os.R_OK):
        pytest.skip("tracefs can't be read here")


@pytest.fixture(scope="module")
def perf():
    found = shutil.which("perf")
    if not found:
        pytest.skip("no perf to compare with")
    return found


def recorded(words, folder):
    done = subprocess.run([*words, "-o", "perf.data", "--", "sh", "-c", WORK], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("can't be recorded here: " + done.stderr.strip().splitlines()[-1])


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group[-1])
def test_perfs_recording_reads_as_perf_prints_it(run, perf, tmp_path, group):
    recorded([perf, "record", "-q", *group], tmp_path)
    theirs = subprocess.run([perf, "script"], cwd=tmp_path, capture_output=True).stdout.decode(errors="replace")
    ours = run("script", cwd=tmp_path)
    assert ours.returncode == 0, ours.stderr
    assert ours.stdout.splitlines() == theirs.splitlines()
    assert ": raw " not in ours.stdout


def test_own_recording_reads_alike(run, plumb, perf, tmp_path):
    recorded([plumb, "record", "-e", "sched:*", "-e", "syscalls:sys_enter_write", "-e", "irq:*", "-e", "rcu:*"], tmp_path)
    theirs = subprocess.run([perf, "script"], cwd=tmp_path, capture_output=True).stdout.decode(errors="replace")
    assert run("script", cwd=tmp_path).stdout.splitlines() == theirs.splitlines()


def test_without_the_library_bytes_and_one_line_that_says_why(run, plumb, tmp_path):
    recorded([plumb, "record", "-e", "syscalls:sys_enter_write"], tmp_path)
    library = tmp_path / "libraries"
    library.mkdir()
    (library / "libtraceevent.so.1").write_text("not a library")
    done = run("script", cwd=tmp_path, env={"LD_LIBRARY_PATH": library})
    if "fd: 0x" in done.stdout:
        pytest.skip("the loader found the library elsewhere")
    assert done.returncode == 0
    assert "sys_enter_write: raw " in done.stdout
    said = [line for line in done.stderr.splitlines() if "libtraceevent" in line]
    assert len(said) == 1 and "apt-get install libtraceevent1" in said[0]


def test_a_recording_whose_formats_are_broken_is_read_on(run, plumb, tmp_path):
    recorded([plumb, "record", "-e", "irq:*", "-e", "syscalls:sys_enter_write", "-a"], tmp_path)
    bytes_ = (tmp_path / "perf.data").read_bytes()
    for what, other in ((b"print fmt: \"", b"print fmt: ("), (b"\tfield:", b"\tfie;d:"), (b"size:4;", b"size:-;")):
        (tmp_path / "broken.data").write_bytes(bytes_.replace(what, other))
        done = run("script", "-i", "broken.data", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "fd: 0x" in done.stdout or ": raw " in done.stdout


WRITES = ["-e", "syscalls:sys_enter_write", "--", "sh", "-c", "echo one >/dev/null; echo two >/dev/null"]


@pytest.mark.parametrize("who", ["ours", "perfs"])
def test_tracepoints_keep_their_names_in_a_pipe(run, plumb, perf, who):
    recorder = plumb if who == "ours" else perf
    piped = subprocess.run([recorder, "record", "-o", "-", *(WRITES if who == "ours" else [word for word in WRITES if word != "--"])],
                           capture_output=True, check=False).stdout
    if not piped:
        pytest.skip("can't be recorded here")
    for command in ("script", "report"):
        shown = run(command, "-i", "-", input=piped, text=False).stdout.decode(errors="replace")
        assert "syscalls:sys_enter_write" in shown, shown
        assert "tracepoint " not in shown


def test_perf_shows_what_was_traced_in_a_file_of_tracepoints(plumb, perf, tmp_path):
    """perf report's own columns: what was traced where all events are tracepoints, who ran otherwise."""
    def titles(recorder, *words):
        done = subprocess.run([recorder, "record", "-o", tmp_path / "data", *words], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip("can't be recorded here: " + done.stderr.strip().splitlines()[-1])
        report = subprocess.run([perf, "report", "-i", tmp_path / "data", "--stdio"], capture_output=True, text=True, check=False).stdout
        names = subprocess.run([perf, "script", "-i", tmp_path / "data", "-F", "comm"], capture_output=True, text=True,
                               check=False).stdout.split()
        (tmp_path / "data").unlink()
        return [line for line in report.splitlines() if line.startswith("# Overhead")], set(names)
    ours, theirs = (titles(recorder, "-e", "syscalls:sys_enter_write", "-e", "syscalls:sys_enter_read", "sh", "-c", "echo one; cat /dev/null")
                    for recorder in (plumb, perf))
    assert ours == theirs and ours[0]
    assert titles(plumb, "-e", "syscalls:sys_enter_write", "-e", "cpu-clock", "sh", "-c", "echo one")[0] != ours[0]


def rows(output):
    return sorted(re.sub(r"\s+", " ", line).strip() for line in output.splitlines() if line.strip() and not line.startswith("#"))


def test_report_sorts_by_fields_as_perf_does(run, perf, tmp_path):
    recorded([perf, "record", "-q", "-a", "-e", "sched:sched_switch", "-e", "sched:sched_wakeup"], tmp_path)
    for keys in ([], ["-s", "next_comm,prev_state"], ["-s", "comm,sched_wakeup.target_cpu"], ["-s", "comm,sched:sched_switch.next_pid"],
                 ["-s", "trace_fields"], ["-s", "comm,trace_fields"], ["--hierarchy", "-s", "comm,prev_state"]):
        theirs = subprocess.run([perf, "report", "--stdio", *keys], cwd=tmp_path, capture_output=True).stdout.decode(errors="replace")
        ours = run("report", *keys, cwd=tmp_path)
        assert ours.returncode == 0, ours.stderr
        assert rows(ours.stdout) == rows(theirs), keys
    recorded([perf, "record", "-q", "-a", "-e", "sched:*"], tmp_path)  # whose fields have more names than there are columns
    theirs = subprocess.run([perf, "report", "--stdio", "-s", "trace_fields"], cwd=tmp_path, capture_output=True).stdout.decode(errors="replace")
    assert rows(run("report", "-s", "trace_fields", cwd=tmp_path).stdout) == rows(theirs)
    done = run("report", "-s", "comm,next_cmm", cwd=tmp_path)
    assert done.returncode == 2 and "unknown sort key 'next_cmm'" in done.stderr
