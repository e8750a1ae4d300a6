# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb doctor on this machine: as root and not, behind a seccomp filter, with few descriptors, without files."""
import ctypes
import errno
import json
import os
import platform
import resource
import shutil
import struct
import subprocess
import time

import pytest

SYSTEM_CALLS = {"x86_64": {"perf_event_open": 298, "bpf": 321, "ptrace": 101},
                "aarch64": {"perf_event_open": 241, "bpf": 280, "ptrace": 117}}


def verdicts(done):
    assert done.returncode == 0, done.stderr
    return {each["id"]: each for each in json.loads(done.stdout)["capabilities"]}


def refuse(names, error):
    """A function for preexec_fn that installs a seccomp filter refusing these system calls."""
    numbers = [SYSTEM_CALLS[platform.machine()][name] for name in names]

    def install():
        libc = ctypes.CDLL(None, use_errno=True)
        words = [(0x20, 0, 0, 0)] + [(0x15, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
        words += [(0x06, 0, 0, 0x7fff0000), (0x06, 0, 0, 0x00050000 | error)]
        code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *word) for word in words))
        program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(words), ctypes.addressof(code)))
        if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_void_p(ctypes.addressof(program)), 0, 0):
            os._exit(99)
    return install


@pytest.fixture
def needs_filters():
    if platform.machine() not in SYSTEM_CALLS:
        pytest.skip("system call numbers of this architecture are not in the test")


@pytest.fixture
def run_as_nobody(plumb, tmp_path_factory, other_users):
    copy = tmp_path_factory.mktemp("open") / "plumb"
    shutil.copy(plumb, copy)
    for folder in [copy, *copy.parents][:-1]:
        if str(folder).startswith("/tmp/"):
            folder.chmod(0o755)

    def run(*arguments):
        return subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", copy, *arguments], capture_output=True, text=True, timeout=60)
    return run


def test_what_works_was_measured(run):
    for name, each in verdicts(run("doctor", "--json")).items():
        if each["verdict"] in ("works", "partly"):
            assert each["measured"], name
        else:
            assert each["reason"], name
        if each["verdict"] == "blocked":
            assert each["blocker"] and each["blocker"] != "unknown", each


def test_exact_counts(run):
    found = verdicts(run("doctor", "--json"))
    for name in ("breakpoint", "uprobe", "tracepoint"):
        if found[name]["verdict"] == "works":
            assert found[name]["counted"] == found[name]["expected"], name


def test_takes_well_under_two_seconds(run, sanitized):
    if sanitized:
        pytest.skip("a build with sanitizers is slower by design")
    best = 10.0
    for _ in range(5):
        start = time.monotonic()
        run("doctor")
        best = min(best, time.monotonic() - start)
    assert best < 2


def test_without_rights_the_remedy_is_named(run_as_nobody):
    paranoid = int(open("/proc/sys/kernel/perf_event_paranoid").read())
    if paranoid < 2:
        pytest.skip(f"perf_event_paranoid is {paranoid}: nothing is refused to anybody")
    found = verdicts(run_as_nobody("doctor", "--json"))
    assert found["kernel-side"]["blocker"] == "perf_event_paranoid" and found["kernel-side"]["errno"] == "EACCES"
    assert "perf_event_paranoid=1" in found["kernel-side"]["remedy"]
    assert "perf_event_paranoid=0" in found["system-wide"]["remedy"]
    assert found["uprobe"]["blocker"] == "capability" and "CAP_SYS_ADMIN" in found["uprobe"]["reason"] and "root" in found["uprobe"]["remedy"]
    if paranoid == 2:
        assert found["cpu-clock"]["verdict"] in ("works", "partly")


@pytest.mark.parametrize("error", ["EPERM", "EACCES", "ENOSYS"])
def test_a_seccomp_filter_is_named(run, needs_filters, error):
    found = verdicts(run("doctor", "--json", preexec_fn=refuse(["perf_event_open"], getattr(errno, error))))
    for name in ("cycles", "software", "cpu-clock", "breakpoint", "system-wide"):
        assert found[name]["blocker"] == "seccomp" and found[name]["errno"] == error, found[name]
    text = run("doctor", preexec_fn=refuse(["perf_event_open"], getattr(errno, error))).stdout
    assert "under seccomp" in text and "No samples" in text


@pytest.mark.parametrize("error", ["EPERM", "EACCES", "ENOSYS"])
def test_stat_and_record_name_the_filter_too(run, needs_filters, tmp_path, error):
    if os.geteuid() != 0:
        pytest.skip("without CAP_PERFMON the kernel itself may be the one who answers EACCES")
    filtered = refuse(["perf_event_open"], getattr(errno, error))
    counted = run("stat", "sh", "-c", "exit 3", preexec_fn=filtered)
    assert counted.returncode == 3 and "seccomp" in counted.stderr and "seconds time elapsed" in counted.stderr
    recorded = run("record", "-e", "cpu-clock", "-o", tmp_path / "perf.data", "true", preexec_fn=filtered)
    assert recorded.returncode == 1 and "seccomp" in recorded.stderr


def test_whose_process_it_is_stands_before_settings(run_as_nobody, tmp_path):
    tmp_path.chmod(0o777)
    for words in (["stat", "-p", str(os.getpid())], ["record", "-o", tmp_path / "perf.data", "-p", str(os.getpid())]):
        done = run_as_nobody(*words, "true")
        assert done.returncode == 1
        assert f"process {os.getpid()}: it runs as user {os.geteuid()}, and this is user 65534" in done.stderr


def test_bpf_and_ptrace_refused_leave_the_rest(run, needs_filters, sanitized):
    if sanitized:
        pytest.skip("the leak sanitizer needs ptrace itself")
    found = verdicts(run("doctor", "--json", preexec_fn=refuse(["bpf", "ptrace"], errno.EPERM)))
    assert found["bpf"]["verdict"] == "blocked" and found["single-step"]["verdict"] == "blocked"
    assert found["single-step"]["blocker"] == "seccomp" and found["bpf"]["blocker"] == "seccomp"
    assert found["software"]["verdict"] in ("works", "partly")


def test_another_tracer_is_named(plumb, sanitized):
    if sanitized or not shutil.which("strace"):
        pytest.skip("no strace, or a leak sanitizer that needs ptrace itself")
    done = subprocess.run(["strace", "-f", "-o", "/dev/null", plumb, "doctor", "--json"], capture_output=True, text=True, timeout=120)
    if done.returncode:
        pytest.skip("strace can't trace here: " + done.stderr.strip()[:100])
    found = verdicts(done)["single-step"]
    assert found["blocker"] == "another tracer" and "traces it already" in found["reason"]


def test_the_wall_before_another_process_is_named(run_as_nobody):
    """Another user's process, and one of the same user that may not be looked into."""
    with subprocess.Popen(["sleep", "60"]) as other:
        said = run_as_nobody("stat", "-e", "task-clock", "-p", str(other.pid), "true")
        other.kill()
    hidden = "import ctypes, time; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); print(flush=True); time.sleep(60)"
    with subprocess.Popen(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", hidden],
                          stdout=subprocess.PIPE, cwd="/") as own:
        own.stdout.readline()
        said_own = run_as_nobody("stat", "-e", "task-clock", "-p", str(own.pid), "true")
        own.kill()
    if "perf_event_paranoid" in said.stderr:
        pytest.skip("perf_event_paranoid refuses before the process is looked at")
    assert said.returncode == 1 and "it runs as user 0, and this is user 65534" in said.stderr
    assert said_own.returncode == 1 and "PR_SET_DUMPABLE" in said_own.stderr


@pytest.mark.parametrize("limit", [5, 6, 8])
def test_few_descriptors_are_a_limit_and_not_a_missing_event(run, sanitized, limit):
    if sanitized:
        pytest.skip("the sanitizers need descriptors of their own")
    def lower():
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    found = verdicts(run("doctor", "--json", preexec_fn=lower))
    refused = [each for each in found.values() if each["errno"] == "EMFILE"]
    assert all(each["blocker"] == "resource limit" and "nofile" in each["remedy"] for each in refused)
    if limit == 5:
        assert refused
    assert found["software"]["verdict"] in ("works", "partly")


def in_mount_namespace(command, plumb):
    if os.geteuid() != 0:
        pytest.skip("only root can unmount in a namespace of its own")
    done = subprocess.run(["unshare", "-m", "sh", "-c", command, "sh", plumb], capture_output=True, text=True, timeout=60)
    if "unshare failed" in done.stderr or "cannot change root filesystem propagation" in done.stderr:
        pytest.skip(f"no mount namespaces here: {done.stderr.strip()}")
    return done


def test_without_tracefs(plumb):
    done = in_mount_namespace('umount -l /sys/kernel/debug 2>/dev/null; umount -l /sys/kernel/tracing 2>/dev/null; "$1" doctor --json', plumb)
    tracepoint = verdicts(done)["tracepoint"]
    if tracepoint["verdict"] == "works":
        pytest.skip("tracefs can't be taken away here")
    assert tracepoint["blocker"] in ("mount", "kernel configuration")
    assert tracepoint["remedy"]


def test_without_proc(plumb):
    done = in_mount_namespace('umount -l /proc && "$1" doctor --json', plumb)
    document = json.loads(done.stdout)
    assert document["rights"]["capabilities"] is None and document["unknown"]["rights.capabilities"]
    assert document["cpu"]["microarchitecture"] or platform.machine() != "x86_64", "CPUID tells it"


def test_on_a_read_only_file_system(plumb, tmp_path):
    done = in_mount_namespace(f'mount -t tmpfs -o ro none {tmp_path} && cd {tmp_path} && "$1" doctor && "$1" doctor --snapshot {tmp_path}/x', plumb)
    assert done.returncode == 1
    assert "Read-only file system" in done.stderr and "machine" in done.stdout


def test_a_full_disk_is_an_error(run):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    with open("/dev/full", "w") as full:
        done = run("doctor", stdout=full)
    assert done.returncode == 1 and "No space left" in done.stderr


def test_require_on_this_machine(run):
    found = verdicts(run("doctor", "--json"))
    works = [name for name, each in found.items() if each["verdict"] == "works" and name not in ("cpu-clock",)]
    blocked = [name for name, each in found.items() if each["verdict"] == "blocked"]
    if works:
        assert run("doctor", "--require", works[0]).returncode == 0
    if blocked:
        done = run("doctor", "--require", f"{blocked[0]}")
        assert done.returncode == 3 and blocked[0] in done.stderr
