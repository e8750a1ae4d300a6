# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose on what runs already: processes with threads that come and go, cgroups, CPUs, the machine."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

# Threads that live for a few milliseconds each, as those of a server with one for each request.
SHORT_THREADS = """
import threading, time, sys
def work():
    end = time.thread_time() + 0.01
    while time.thread_time() < end:
        sum(range(500))
end = time.time() + float(sys.argv[1])
while time.time() < end:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    time.sleep(0.002)
"""

# A busy process, one that sleeps and wakes up, a child now and then.
FAMILY = """
import multiprocessing, subprocess, sys, time
def work():
    end = time.time() + float(sys.argv[1])
    while time.time() < end:
        sum(range(20000)); time.sleep(0.001)
for _ in range(2):
    multiprocessing.Process(target=work).start()
end = time.time() + float(sys.argv[1])
while time.time() < end:
    subprocess.run(["true"]); time.sleep(0.05)
"""


@contextlib.contextmanager
def running(script, seconds, before=None):
    process = subprocess.Popen([sys.executable, "-c", script, str(seconds)], preexec_fn=before, start_new_session=True)
    try:
        time.sleep(0.4)
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def can_sample(run, where):
    if "samples" in {gap["what"] for gap in where["not_measured"]}:
        pytest.skip("sampling isn't permitted here: " + str(where["not_measured"]))


def test_threads_that_come_and_go_are_in_the_totals(run):
    with running(SHORT_THREADS, 20) as process:
        finished = run("diagnose", "--json", "-F", "2999", "-p", process.pid, "--duration", "2")
    found = json.loads(finished.stdout)
    can_sample(run, found)
    samples = found["profile"]["samples"]
    # 2999 samples make a second of CPU time; /proc alone would know of a tenth of it
    assert found["run"]["cpu_s"] == pytest.approx(samples / 2999, rel=0.3, abs=0.05)
    # each ends after 10 ms of it: how many there were is a matter of how much the machine let them have
    assert found["run"]["threads"] > found["run"]["cpu_s"] / 0.02
    assert found["run"]["elapsed_s"] < 5


def test_what_runs_already_is_sampled_less_often_than_what_is_started(run):
    """Watching a service may cost 2 % of its time; a sample costs 18 us in some guests."""
    with running("while True: pass", 60) as process:
        watched = json.loads(run("diagnose", "--json", "-p", process.pid, "--duration", "2").stdout)
    can_sample(run, watched)
    assert watched["profile"]["samples"] < 750 * watched["run"]["cpu_s"] + 20
    assert watched["profile"]["samples"] > 250 * watched["run"]["cpu_s"] - 20


def test_who_watches_longer_samples_less_often(run):
    with running("while True: pass", 60) as process:
        watched = json.loads(run("diagnose", "--json", "-p", process.pid, "--duration", "5").stdout)
    can_sample(run, watched)
    assert watched["profile"]["samples"] < 300 * watched["run"]["cpu_s"] + 20


def test_a_service_that_goes_on_is_probed_sparingly(run, kernels, tmp_path):
    """It may run on the other thread of the core that probes run on: memory is looked at once, patterns over a part of it."""
    case = tmp_path / "case"
    process = subprocess.Popen([kernels, "chase", "--seconds", "60"], stdout=subprocess.DEVNULL)
    try:
        time.sleep(1)
        found = json.loads(run("diagnose", "--json", "--case", case, "--duration", "2", "-p", process.pid).stdout)
    finally:
        process.kill()
        process.wait()
    can_sample(run, found)
    beside = json.loads((case / "calibration.json").read_text())
    assert beside["before"]["load_latency_ns"] == [] and beside["after"]["load_latency_ns"]
    costs = json.loads((case / "costs.json").read_text())["access_costs"]
    if not costs or costs[0]["why_not"]:
        pytest.skip(f"its pattern was not probed here: {costs}")
    assert costs[0]["span_bytes"] > 128 << 20 and costs[0]["measured_span_bytes"] <= 64 << 20 and costs[0]["blocks"] == 12


def cgroup2():
    """A mount of cgroup v2, mounted here when there is none."""
    for line in pathlib.Path("/proc/mounts").read_text().splitlines():
        words = line.split()
        if words[2] == "cgroup2":
            return pathlib.Path(words[1])
    return None


@pytest.fixture
def cgroup():
    mount = cgroup2()
    if mount is None:
        pytest.skip("no cgroup v2 file system is mounted")
    folder = mount / f"plumb-test-{os.getpid()}"
    try:
        (folder / "inner").mkdir(parents=True)
    except OSError as problem:
        pytest.skip(f"a cgroup can't be made here: {problem}")
    yield folder
    for _ in range(50):
        try:
            (folder / "inner").rmdir()
            folder.rmdir()
            return
        except OSError:
            time.sleep(0.1)


@pytest.mark.parametrize("absolute", [False, True])
def test_a_cgroup_with_its_processes_and_waits(run, cgroup, tmp_path, absolute):
    def enter():
        (cgroup / "inner" / "cgroup.procs").write_text(str(os.getpid()))
    case = tmp_path / "case"
    with running(FAMILY, 20, enter):
        name = cgroup if absolute else cgroup.name
        finished = run("diagnose", "--json", "--cgroup", name, "--duration", "1.2", "--case", case)
    found = json.loads(finished.stdout)
    can_sample(run, found)
    assert found["run"]["cpu_s"] > 0
    assert found["run"]["threads"] >= 3
    assert 0 < found["run"]["on_cpu_ratio"] <= 1
    assert any(wait["kind"] == "sleep" for wait in found["waits"]), found["waits"]
    pages = json.loads((case / "pages.json").read_text())
    assert pages["processes"], "page maps of the cgroup's processes"
    assert "page sizes" not in {gap["what"] for gap in found["not_measured"]}
    again = run("diagnose", "--json", "--case", case)
    assert again.stdout == finished.stdout


def test_a_group_of_another_hierarchy_stands_for_its_processes(run):
    mounts = (line.split() for line in pathlib.Path("/proc/mounts").read_text().splitlines())
    point = next((words[1] for words in mounts if words[2] == "cgroup" and "perf_event" not in words[3]), None)
    if not point:
        pytest.skip("no hierarchy of cgroup version 1 is mounted but perf_event's")
    group = pathlib.Path(point) / f"plumb-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as problem:
        pytest.skip(f"a cgroup can't be made here: {problem}")
    try:
        empty = run("diagnose", "--cgroup", group, "--duration", "1")
        assert empty.returncode == 1 and "no process is in the cgroup" in empty.stderr
        with running(FAMILY, 20) as process:
            try:
                (group / "cgroup.procs").write_text(str(process.pid))
            except OSError as problem:
                pytest.skip(f"no process can be put into {group}: {problem}")
            done = run("diagnose", "--json", "-F", "2999", "--cgroup", group, "--duration", "1")
        assert done.stdout, done.stderr
        found = json.loads(done.stdout)
        can_sample(run, found)
        assert found["profile"]["samples"] > 0 and found["run"]["cpu_s"] > 0
    finally:
        for _ in range(50):
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.05)


def test_wrong_cgroups_are_named(run, tmp_path):
    for path in ("no/such/group", tmp_path):
        finished = run("diagnose", "--cgroup", path, "--duration", "1")
        assert finished.returncode == 1 and str(path) in finished.stderr, finished.stderr


@pytest.mark.parametrize("option", [["-a"], ["-C", "0"]])
def test_the_machine_with_page_maps_of_the_busiest(run, tmp_path, option):
    if os.geteuid() != 0:
        pytest.skip("only root may watch everybody")
    with running(FAMILY, 20):
        finished = run("diagnose", "--json", *option, "--duration", "1.5", "--case", tmp_path / "case")
    found = json.loads(finished.stdout)
    can_sample(run, found)
    assert found["run"]["cpu_s"] > 0
    assert json.loads((tmp_path / "case/pages.json").read_text())["processes"]


def test_ctrl_c_ends_the_watching_and_what_was_seen_is_told(plumb):
    with running(FAMILY, 60) as process:
        watching = subprocess.Popen([plumb, "diagnose", "--json", "-p", str(process.pid)], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        watching.send_signal(signal.SIGINT)
        out, err = watching.communicate(timeout=50)
        assert process.poll() is None, "the process must go on"
    assert watching.returncode in (0, 4), err
    assert json.loads(out)["run"]["elapsed_s"] < 10


def has_grown(path):
    """Whether it has been written to twice, within a minute: what is written at first is what was there before."""
    sizes, until = {0}, time.monotonic() + 60
    while len(sizes) < 3 and time.monotonic() < until:
        with contextlib.suppress(FileNotFoundError):
            sizes.add(path.stat().st_size)
        time.sleep(0.02)
    return len(sizes) == 3


def test_a_process_that_ends_while_it_is_watched_is_said_to_have_ended(plumb, tmp_path):
    with running("while True:\n    sum(range(20000))", 0) as process:
        watching = subprocess.Popen([plumb, "diagnose", "--json", "--case", tmp_path / "case", "-p", str(process.pid), "--duration", "120"],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if not has_grown(tmp_path / "case/perf.data"):
            watching.kill()
            pytest.skip("nothing is recorded here")
    out, err = watching.communicate(timeout=100)
    assert watching.returncode in (0, 4), err
    found = json.loads(out)
    assert found["run"]["elapsed_s"] < 100
    assert "ended after" in found["verdict"]["sentence"] and "of the 120 s" in found["verdict"]["sentence"]


def test_a_name_instead_of_a_process_id_is_helped(run):
    finished = run("diagnose", "-p", "python3")
    assert finished.returncode == 2 and "pidof python3" in finished.stderr


def on_a_terminal(arguments, columns, **environment):
    """What appears on a terminal that wide."""
    import fcntl
    import pty
    import struct
    import termios
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(arguments, stdin=follower, stdout=follower, stderr=follower,
                               env=os.environ | {"TERM": "xterm"} | environment)
    os.close(follower)
    seen = b""
    with contextlib.suppress(OSError):  # EIO: everybody has closed it
        while part := os.read(leader, 65536):
            seen += part
    os.close(leader)
    process.wait()
    return seen.decode(errors="replace")


PRINTING = "import time\nend = time.time() + 0.8\nwhile time.time() < end:\n    sum(range(20000)); print(4, end='', flush=True)\nprint()"


def test_the_programs_own_lines_stay_whole_on_a_terminal(plumb):
    seen = on_a_terminal([plumb, "diagnose", "-q", "--", sys.executable, "-c", PRINTING], 80)
    assert "plumb: watching" not in seen


def test_a_dumb_terminal_gets_text_alone(plumb):
    seen = on_a_terminal([plumb, "diagnose", "--", sys.executable, "-c", PRINTING], 80, TERM="dumb")
    assert "\033" not in seen and "WHERE THE TIME WENT" in seen


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_page_is_as_wide_as_the_terminal(plumb, kernel_case, columns):
    import re
    seen = on_a_terminal([plumb, "diagnose", "--case", kernel_case("chase")], columns)
    lines = [re.sub("\033\\[[0-9;]*[mK]", "", line) for line in seen.replace("\r", "\n").splitlines()]
    page = lines[next(at for at, line in enumerate(lines) if line.startswith("plumb diagnose")):]
    one_word = re.compile(r"\s*(\S+\s+)?\S+$")
    assert [line for line in page if len(line) > columns and not one_word.match(line)] == []
    assert columns <= 80 or max(map(len, page)) > 100
    assert [line for line in page[:6] if line.endswith(" ")] == []


@pytest.mark.parametrize("words, group", [(["--", "sleep", "30"], False), (["--", "sleep", "30"], True), (["--duration", "30", "-p", "PID"], False)])
def test_ctrl_c_at_any_time_leaves_no_folder(plumb, tmp_path, words, group):
    """From the first millisecond on: nobody's folder stays behind, and what there is is told, or that there is nothing."""
    with running("import time\ntime.sleep(90)", 0) as process:
        words = [str(process.pid) if word == "PID" else word for word in words]
        for delay_ms in (0, 1, 2, 4, 7, 11, 16, 25, 40, 60, 90, 150, 400):
            watching = subprocess.Popen([plumb, "diagnose", "-q", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, "TMPDIR": str(tmp_path)}, start_new_session=True)
            time.sleep(delay_ms / 1000)
            (os.killpg if group else os.kill)(watching.pid, signal.SIGINT)
            out, err = watching.communicate(timeout=60)
            assert not list(tmp_path.iterdir()), (delay_ms, err)
            assert watching.returncode in (-signal.SIGINT, 0, 4, 128 + signal.SIGINT), (delay_ms, watching.returncode, err)
            assert watching.returncode == -signal.SIGINT or out or "before the program was started" in err, (delay_ms, err)
