# SPDX-License-Identifier: GPL-3.0-or-later
"""Who called the wait: through a C library without frame pointers, in programs built in several ways."""
import json
import os
import re
import shutil
import subprocess

import pytest

BUILDS = {
    "plain": ["-O2", "-g"],
    "frame-pointers": ["-O1", "-g", "-fno-omit-frame-pointer"],
    "static": ["-O2", "-g", "-static"],
    "stripped": ["-O2", "-s"],
}
FUNCTIONS = {"lock": ("queue_push", "pthread_mutex_lock"), "condition": ("queue_pop", "pthread_cond_wait"),
             "pipe": ("take_message", "read"), "socket": ("take_packet", "recv"), "sleep": ("rest", "nanosleep")}
KINDS = {"lock": "lock", "condition": "thread", "pipe": "pipe", "socket": "network", "sleep": "sleep"}


@pytest.fixture(scope="module")
def built(tmp_path_factory, source_root):
    folder = tmp_path_factory.mktemp("waits")

    def build(how):
        path = folder / how
        if not path.exists():
            subprocess.run(["cc", *BUILDS[how], "-o", path, source_root / "tests/live/waits.c", "-lpthread"], check=True)
        return path
    return build


def line_of(source_root, how):
    lines = (source_root / "tests/live/waits.c").read_text().splitlines()
    return next(at for at, line in enumerate(lines, 1) if f"waits here: {how} " in line)


def waits_of(finished):
    assert finished.stdout.lstrip().startswith("{"), finished.stdout + finished.stderr
    return json.loads(finished.stdout)["waits"]


def row_of(waits, function):
    rows = [row for row in waits if row["function"] == function]
    assert rows, waits
    return rows[0]


@pytest.fixture(scope="module", autouse=True)
def can_see_switches(plumb):
    finished = subprocess.run([plumb, "diagnose", "--json", "--", "sleep", "0.3"], stdout=subprocess.PIPE, text=True)
    if not waits_of(finished):
        pytest.skip("context switches can't be sampled here")


def test_the_caller_of_a_wait_is_named(run, built, source_root):
    waits = waits_of(run("diagnose", "--json", "--", built("plain"), *FUNCTIONS))
    for how, (function, asked) in FUNCTIONS.items():
        row = row_of(waits, function)
        assert row["kind"] == KINDS[how] and row["asked"].endswith(asked)
        assert row["file"].endswith("waits.c") and row["line"] == line_of(source_root, how)
        assert row["callers"] and row["callers"][-1] == "main"
        assert 20 <= row["count"] <= 400  # 40 rounds; beside others a thread that was woken may wait for the lock, too, or again
    assert 0.9 <= sum(row["share"] for row in waits) <= 1.001


@pytest.mark.parametrize("build", ["frame-pointers", "static"])
def test_however_it_was_built(run, built, source_root, build):
    row = row_of(waits_of(run("diagnose", "--json", "--", built(build), "pipe")), "take_message")
    assert row["kind"] == "pipe" and row["asked"] == "read"
    assert row["line"] == line_of(source_root, "pipe")


def test_a_stripped_program_is_named_by_place(run, built):
    waits = waits_of(run("diagnose", "--json", "--", built("stripped"), "pipe"))
    row = next(row for row in waits if row["kind"] == "pipe")
    assert re.fullmatch(r"stripped\+0x[0-9a-f]+", row["function"]) and row["asked"] == "read"


def test_a_case_names_it_without_the_program(run, built, tmp_path):
    program = tmp_path / "program"
    shutil.copy(built("plain"), program)
    first = run("diagnose", "--json", "--case", tmp_path / "case", "--", program, "lock")
    program.unlink()
    again = run("diagnose", "--json", "--case", tmp_path / "case")
    assert again.stdout == first.stdout
    row = row_of(waits_of(again), "queue_push")
    assert row["asked"] == "pthread_mutex_lock" and row["line"]
    # The stacks stand in it as chains: no dump is left, and other tools read them.
    assert (tmp_path / "case/perf.data").stat().st_size < 1 << 20
    script = run("script", "-i", tmp_path / "case/perf.data", "--fields", "event,ip,sym")
    assert "context-switches" in script.stdout and "stack dumps" not in script.stderr
    page = run("diagnose", "--case", tmp_path / "case").stdout
    assert re.search(r"called pthread_mutex_lock at waits\.c:\d+, itself called by .*main", page)


def test_of_a_program_that_runs_already(run, built):
    target = subprocess.Popen([built("plain"), *["pipe"] * 200])
    try:
        waits = waits_of(run("diagnose", "--json", "-p", str(target.pid), "--duration", "0.4"))
    finally:
        target.kill()
        target.wait()
    assert row_of(waits, "take_message")["asked"] == "read"


def test_a_program_that_is_killed(run, built):
    finished = run("diagnose", "--json", "--", "sh", "-c", f"{built('plain')} pipe & sleep 0.2; kill -9 $!; wait")
    assert row_of(waits_of(finished), "take_message")["asked"] == "read"


def test_long_waits_are_none_of_the_short_ones(run, built):
    """Where stacks are taken of some of the waits only, a long one without is not laid where short ones were."""
    waits = waits_of(run("diagnose", "--json", "--", built("plain"), "chatter"))
    # On a machine so busy that short ones last as long, too, it may: then it is marked as an estimate.
    long_s = sum(row["total_s"] if row["function"] in ("rest_long", "pause_for", "[stack not taken]") else row["spread_s"]
                 for row in waits)
    assert long_s > 0.5, waits
    for function in ("chat", "echo"):
        row = row_of(waits, function)
        assert row["kind"] == "pipe" and row["asked"] == "read" and row["count"] > 5000
    assert sum(row["share"] for row in waits) == pytest.approx(1, abs=0.02)


PING = """
import os
a, b = os.pipe(), os.pipe()
rounds = 20000
if os.fork() == 0:
    for at in range(rounds):
        os.read(a[0], 1); os.write(b[1], b"x")
    os._exit(0)
for at in range(rounds):
    os.write(a[1], b"x"); os.read(b[0], 1)
os.wait()
"""


def test_time_is_exact_however_often_it_switches(run, tmp_path):
    """Stacks are taken at a bounded rate; what has none stands with its like, and nothing is lost."""
    finished = run("diagnose", "--json", "--case", tmp_path / "case", "--", "taskset", "-c", "0", "/usr/bin/python3", "-c", PING)
    found = json.loads(finished.stdout)
    counts = [sum(row["count"] for row in found["waits"] if row["kind"] in kinds) for kinds in (("pipe",), ("pipe", "unknown"))]
    assert 19000 < counts[1] < 90000, "one or two waits a round"
    assert (tmp_path / "case/perf.data").stat().st_size < 40 << 20
    if counts[0] < 0.6 * counts[1]:
        pytest.skip("this machine is so busy that most waits without a stack last as long as no others")


PINNED = """
import os, threading, time
def spin():
    os.sched_setaffinity(0, {CPU})
    until = time.monotonic() + 1.5
    while time.monotonic() < until: pass
thread = threading.Thread(target=spin)
thread.start()
thread.join()
"""


def test_a_thread_that_keeps_to_a_cpu_is_known_by_its_own_mask(run, tmp_path):
    """The process may use all; of its threads one may not, and the other one may."""
    cpu = min(os.sched_getaffinity(0))
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one CPU: nothing to be kept from")
    found = json.loads(run("diagnose", "--json", "--case", tmp_path / "case", "--", "/usr/bin/python3", "-c", PINNED.replace("CPU", str(cpu))).stdout)
    activity = json.loads((tmp_path / "case/activity.json").read_text())
    masks = {thread["tid"] == thread["pid"]: thread["cpus_allowed_list"] for thread in activity["threads"]}
    assert masks[False] == str(cpu) and masks[True] != str(cpu)
    affinity = next(finding for finding in found["findings"] if finding["id"] == "affinity")
    assert "masks of their own" in affinity["reason"] or affinity["verdict"] == "supported"
