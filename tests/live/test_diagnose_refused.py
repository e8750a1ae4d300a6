# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose where much is refused or missing: a clear line for what is, and what remains still works."""
import ctypes
import ctypes.util
import errno
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import time

import pytest

BUSY = "import time\nend = time.process_time() + {s}\nwhile time.process_time() < end:\n    sum(range(1000))\n"
SYS_PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}.get(os.uname().machine)


def refuse_perf_events(with_errno):
    """In a child before its exec: a seccomp filter that answers perf_event_open so."""
    def operation(code, if_true, if_false, value):
        return struct.pack("HBBI", code, if_true, if_false, value)
    program = operation(0x20, 0, 0, 0) + operation(0x15, 0, 1, SYS_PERF_EVENT_OPEN) + \
        operation(0x06, 0, 0, 0x00050000 | with_errno) + operation(0x06, 0, 0, 0x7fff0000)

    class Filter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("operations", ctypes.c_void_p)]
    kept = ctypes.create_string_buffer(program)
    described = Filter(len(program) // 8, ctypes.addressof(kept))
    libc = ctypes.CDLL(None, use_errno=True)

    def install():
        assert kept  # it must live until here
        libc.prctl(38, 1, 0, 0, 0)
        if libc.prctl(22, 2, ctypes.byref(described), 0, 0):
            os._exit(99)
    return install


@pytest.mark.parametrize("name", ["EPERM", "ENOSYS"])
def test_without_perf_events_proc_remains(plumb, name):
    if not SYS_PERF_EVENT_OPEN:
        pytest.skip("the system call's number isn't known for this architecture")
    finished = subprocess.run([plumb, "diagnose", "--json", "--", sys.executable, "-c", BUSY.format(s=0.4) + "exit(5)"],
                              capture_output=True, text=True, preexec_fn=refuse_perf_events(getattr(errno, name)))
    if finished.returncode == 99:
        pytest.skip("no seccomp filter can be installed here")
    assert finished.returncode == 5, finished.stderr
    found = json.loads(finished.stdout)
    gaps = {gap["what"]: gap["why"] for gap in found["not_measured"]}
    assert "seccomp" in gaps["samples"]
    assert found["run"]["cpu_s"] >= 0.3
    verdicts = {one["id"]: one for one in found["findings"]}
    assert verdicts["divider"]["verdict"] == "not_testable" and verdicts["divider"]["reason"]
    assert verdicts["system-calls"]["verdict"] == "not_testable"
    assert verdicts["waiting"]["verdict"] != "not_testable"


def test_without_perf_events_threads_that_ended_are_in_the_totals(plumb):
    if not SYS_PERF_EVENT_OPEN:
        pytest.skip("the system call's number isn't known for this architecture")
    script = ("import threading, time\ndef work():\n    end = time.thread_time() + 0.02\n    while time.thread_time() < end:\n"
              "        sum(range(500))\nend = time.time() + 20\nwhile time.time() < end:\n"
              "    t = threading.Thread(target=work); t.start(); t.join()\n")
    with subprocess.Popen([sys.executable, "-c", script]) as process:
        try:
            before = process_cpu_s(process.pid)
            finished = subprocess.run([plumb, "diagnose", "--json", "-p", str(process.pid), "--duration", "1.5"],
                                      capture_output=True, text=True, preexec_fn=refuse_perf_events(errno.EPERM))
            used = process_cpu_s(process.pid) - before
        finally:
            process.kill()
    if finished.returncode == 99:
        pytest.skip("no seccomp filter can be installed here")
    found = json.loads(finished.stdout)
    # at least half of what it used between our two looks, start and end of plumb included
    assert found["run"]["cpu_s"] > 0.4 * used > 0


def process_cpu_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def as_nobody(plumb, tmp_path_factory):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("becoming somebody else needs root and setpriv")
    folder = tmp_path_factory.mktemp("nobody")
    copy = shutil.copy(plumb, folder / "plumb")
    for path in [folder, *folder.parents][:3]:
        path.chmod(0o755)

    def run_it(*arguments, **options):
        return subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", copy,
                               "diagnose", *map(str, arguments)], capture_output=True, text=True, cwd="/",
                              env=os.environ | {"HOME": "/nonexistent"}, **options)
    finished = run_it("--help")
    if finished.returncode != 0:
        pytest.skip("nobody can't run a copy of plumb here: " + finished.stderr)
    return run_it


def test_nobody_may_diagnose_a_program_and_the_kernels_part_is_not_said_to_be_nothing(as_nobody):
    if not 2 <= int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()):
        pytest.skip("perf_event_paranoid lets everybody see the kernel here")
    finished = as_nobody("--json", "--", "/bin/sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
    found = json.loads(finished.stdout)
    kernel = {one["id"]: one for one in found["findings"]}["system-calls"]
    assert kernel["verdict"] == "not_testable", "what wasn't sampled isn't 0 %"
    assert "paranoid" in json.dumps(found["not_measured"]) or "perf_event_open" in json.dumps(found["not_measured"])


def test_nobody_may_not_diagnose_others_and_is_told_what_it_takes(as_nobody):
    finished = as_nobody("-p", str(os.getpid()), "--duration", "0.3")
    assert finished.returncode == 1, "as stat refuses it"
    assert "CAP_PERFMON" in finished.stdout.split("WHERE THE TIME WENT")[0].upper()
    finished = as_nobody("-a", "--duration", "0.3")
    if int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()) >= 1:
        assert "CAP_PERFMON" in (finished.stdout + finished.stderr).upper()


def in_namespace(script, **more):
    """A shell with mounts of its own."""
    probe = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, text=True) \
        if shutil.which("unshare") else None
    if not probe or probe.returncode != 0:
        pytest.skip("no mount namespaces here")
    return subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, **more)


@pytest.mark.parametrize("command", [["pages"], ["stat"], ["diagnose", "--duration", "1"]])
def test_without_proc_nobody_is_said_not_to_run(plumb, command):
    finished = in_namespace("mount -t tmpfs none /proc && exec " + " ".join([plumb, *command, "-p", "1"]))
    assert finished.returncode == 1 and "/proc isn't mounted" in finished.stderr and "no process" not in finished.stderr


def library(name):
    for line in subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout.splitlines():
        if name in line and "=>" in line and "x86-64" in line or name in line and os.uname().machine != "x86_64":
            return os.path.realpath(line.split("=> ")[1])
    pytest.skip(f"{name} isn't installed")


@pytest.mark.parametrize("name,words", [("libdw.so.1", "libdw"), ("libZydis.so", "libZydis")])
def test_a_missing_library_is_named_and_the_rest_works(plumb, sanitized, name, words):
    if sanitized:
        pytest.skip("the sanitizers' runtime loads the same libraries")
    script = f"mount --bind /dev/null {library(name)} && exec {plumb} diagnose --json -- {sys.executable} -c '{BUSY.format(s=0.4)}'"
    found = json.loads(in_namespace(script).stdout)
    assert words in json.dumps(found["not_measured"]), found["not_measured"]
    assert found["profile"].get("samples", 1) > 0


def test_without_the_json_library_it_is_said_before_the_program_runs(plumb, sanitized):
    if sanitized:
        pytest.skip("the sanitizers' runtime loads the same libraries")
    finished = in_namespace(f"mount --bind /dev/null {library('libjansson.so.4')} && exec {plumb} diagnose -- echo ran")
    assert finished.returncode == 1 and "libjansson" in finished.stderr and "ran" not in finished.stdout


def test_no_tracefs_no_kallsyms(plumb):
    script = ("mount -t tmpfs none /sys/kernel/tracing 2>/dev/null; mount -t tmpfs none /sys/kernel/debug 2>/dev/null; "
              f"mount --bind /dev/null /proc/kallsyms; exec {plumb} diagnose --json -- {sys.executable} -c '{BUSY.format(s=0.4)}'")
    finished = in_namespace(script)
    found = json.loads(finished.stdout)
    assert finished.returncode == 0, finished.stderr
    assert len(found["findings"]) >= 30


def test_a_kernel_without_names_bounds_nothing_low(plumb):
    faults = "import mmap\nfor i in range(150):\n    m = mmap.mmap(-1, 4 << 20)\n    m[::4096] = b\"x\" * 1024\n    m.close()"
    script = f"mount --bind /dev/null /proc/kallsyms && exec {plumb} diagnose --json -- {sys.executable} -c '{faults}'"
    found = json.loads(in_namespace(script).stdout)
    if not found["profile"].get("kernel_samples") or found["profile"]["kernel_samples"] < 0.2 * found["profile"]["samples"]:
        pytest.skip("the kernel wasn't sampled, or hardly met")
    verdicts = {one["id"]: one["verdict"] for one in found["findings"]}
    assert verdicts["page-faults"] == "undecided" and verdicts["system-calls"] != "supported", verdicts
    assert any(gap["what"] == "what the kernel did" for gap in found["not_measured"])


def test_a_full_or_read_only_folder_for_temporary_files_is_passed_over(plumb, tmp_path):
    for options in ("size=64k", "ro"):
        script = (f"mount -t tmpfs -o {options} none {tmp_path} && cd {tmp_path} && "
                  f"TMPDIR={tmp_path} exec {plumb} diagnose --json -- {sys.executable} -c '{BUSY.format(s=0.3)}'")
        finished = in_namespace(script)
        assert finished.returncode == 0, options + finished.stderr
        json.loads(finished.stdout)


def test_a_full_or_read_only_case_folder_is_a_clear_error(plumb, tmp_path):
    for options, words in (("size=64k", "No space left"), ("ro", "Read-only")):
        script = (f"mount -t tmpfs -o {options} none {tmp_path} && "
                  f"exec {plumb} diagnose --case {tmp_path}/case -- {sys.executable} -c '{BUSY.format(s=0.3)}'")
        finished = in_namespace(script)
        assert finished.returncode == 1 and words in finished.stderr, finished.stderr


def test_nothing_is_left_behind_when_nobody_reads_on(plumb, tmp_path):
    subprocess.run(["sh", "-c", f"TMPDIR={tmp_path} {plumb} diagnose -- sleep 0.1 | true"], check=False)
    assert list(tmp_path.iterdir()) == []


def test_a_process_of_another_user_is_refused_and_has_no_cpu_time_of_its_children(as_nobody):
    """It sleeps; what its child computes is not its own. Not process 1, which is given orphans that began meanwhile."""
    if int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()) < 2:
        pytest.skip("perf_event_paranoid lets everybody see the kernel here")
    target = subprocess.Popen(["sh", "-c", "while :; do :; done & wait"], start_new_session=True)
    try:
        time.sleep(0.3)  # its child began before
        before = process_cpu_s(target.pid)
        finished = as_nobody("--json", "-p", str(target.pid), "--duration", "1")
        own = process_cpu_s(target.pid) - before
    finally:
        os.killpg(target.pid, signal.SIGKILL)
        target.wait()
    found = json.loads(finished.stdout)
    assert found["run"]["cpu_s"] <= own + 0.05
    assert "No samples" in found["verdict"]["sentence"] and "CAP_PERFMON" in found["verdict"]["sentence"].upper()
