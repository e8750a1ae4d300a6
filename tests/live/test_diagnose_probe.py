# SPDX-License-Identifier: GPL-3.0-or-later
"""diagnose --probe: what it says of programs whose answer is known, and that no target is ever harmed."""
import json
import os
import platform
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="stepping is built for x86-64")


@pytest.fixture(scope="module")
def target(tmp_path_factory, source_root):
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    program = tmp_path_factory.mktemp("stepped") / "stepped_target"
    subprocess.run(["cc", "-O2", "-pthread", "-o", program, source_root / "tests/live/stepped_target.c"], check=True, timeout=60)
    return program


BRANCHES = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define STAY(x) __asm__ volatile("" : "+r"(x))
int main(int argc, char **argv)
{
    static unsigned char bits[1 << 16];
    uint64_t state = 1, sum = 0;
    for (unsigned at = 0; at < sizeof(bits); at++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bits[at] = argc > 1 && argv[1][0] == 'r' ? state >> 63 : at % 8 == 0;
    }
    while (clock() < 1.2 * CLOCKS_PER_SEC)
        for (unsigned at = 0; at < sizeof(bits); at++) {
            if (bits[at]) { sum += at; STAY(sum); } else { sum ^= at; STAY(sum); }
        }
    printf("%llu\n", (unsigned long long)sum);
}
"""


def step_of(run, *command):
    done = run("diagnose", "--json", "--probe", "step", "-o", "/dev/stderr", "--", *command)
    step = json.loads(done.stderr[done.stderr.index("{"):])["probes"]["step"]
    if "not_measured" in step:
        pytest.skip(step["not_measured"])
    return step


def test_branches_by_chance_and_by_turns(run, tmp_path):
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    (tmp_path / "branches.c").write_text(BRANCHES)
    subprocess.run(["cc", "-O1", "-o", tmp_path / "branches", tmp_path / "branches.c"], check=True, timeout=60)
    by_chance = step_of(run, tmp_path / "branches", "random")["trace"]
    by_turns = step_of(run, tmp_path / "branches", "turns")["trace"]
    if min(by_chance["instructions"], by_turns["instructions"]) < 15000:
        pytest.skip("the machine is too busy for more than a burst")
    assert by_chance["conditional"]["wrong_per_1000"]["mid"] > 20, by_chance # a burst in its start widens the interval
    assert by_turns["conditional"]["wrong_per_1000"]["low"] < 2, by_turns
    assert by_turns["conditional"]["wrong_per_1000"]["mid"] < 5
    assert by_chance["code_lines"] < 2000


def started(target, *habit):
    """The target, until its standard input is closed."""
    return subprocess.Popen([target, "60", *habit], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("habit", ["", "fork", "exec"])
def test_a_stepped_program_is_unharmed_whatever_it_does(run, target, habit):
    process = started(target, habit)
    try:
        done = run("diagnose", "--json", "--probe", "step", "--duration", "1", "-p", process.pid)
        step = json.loads(done.stdout)["probes"]["step"]
        assert "trace" in step or step["not_measured"], step
        said = process.communicate(timeout=60)[0]
    finally:
        process.kill()
    if habit == "fork": # see stopped_thread.h: a child's end while the main thread is held may interrupt another's wait
        assert " wrong=0 " in said and " disordered=0 " in said, said
    else:
        assert process.returncode == 0 and said.startswith("fine"), (habit, said, process.returncode)


def threads_of(pid):
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{tid}/status") as status:
                yield status.read()
        except (FileNotFoundError, ProcessLookupError):
            pass


def is_traced(pid):
    return any("TracerPid:\t0" not in status for status in threads_of(pid))


def test_killing_plumb_at_any_moment_leaves_the_target_as_it_was(plumb, target):
    """At two moments of chance, and twice while a thread is held."""
    random.seed(11)
    process = started(target)
    try:
        for turn in range(4):
            prober = subprocess.Popen([plumb, "diagnose", "--probe", "step", "--duration", "9", "-p", str(process.pid)],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            if turn % 2:
                until = time.monotonic() + 3
                while not is_traced(process.pid) and time.monotonic() < until:
                    time.sleep(0.0005)
            else:
                time.sleep(0.3 + random.random() * 0.9)
            os.killpg(prober.pid, signal.SIGKILL)
            prober.wait()
            time.sleep(0.05)
            assert process.poll() is None
            for status in threads_of(process.pid):
                assert "TracerPid:\t0" in status and "State:\tt" not in status and "State:\tT" not in status, status
        said = process.communicate(timeout=90)[0]
        assert process.returncode == 0 and said.startswith("fine"), (said, process.returncode)
    finally:
        process.kill()


PINNED = """
import os, sys, time
def part():
    sum(range(4000))
end = time.time() + float(sys.argv[1])
while time.time() < end:
    for _ in range(10):
        part()
"""


def test_pinned_threads_get_their_cpus_back(run, plumb):
    cpus = os.sched_getaffinity(0)
    if len(cpus) < 2:
        pytest.skip("one CPU only")
    process = subprocess.Popen([sys.executable, "-c", PINNED, "300"])
    try:
        done = run("diagnose", "--json", "--probe", "pin", "--duration", "0.5", "-p", process.pid)
        pin = json.loads(done.stdout)["probes"]["pin"]
        assert pin.get("speed_up", {"low": 1})["low"] > 0.1, pin
        assert os.sched_getaffinity(process.pid) == cpus
        # Killed while a thread is pinned: the guardian gives it back. A busy machine may show too little of it to begin.
        met = any(killed_while_pinned(plumb, process.pid, cpus) for _ in range(3))
        if not met:
            pytest.skip(f"it was never met pinned: {pin}")
    finally:
        process.kill()
        process.wait()


def killed_while_pinned(plumb, pid, cpus):
    prober = subprocess.Popen([plumb, "diagnose", "--probe", "pin", "--duration", "0.5", "-p", str(pid)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    until = time.monotonic() + 40
    while os.sched_getaffinity(pid) == cpus and prober.poll() is None and time.monotonic() < until:
        time.sleep(0.002)
    met = os.sched_getaffinity(pid) != cpus
    if prober.poll() is None:
        os.killpg(prober.pid, signal.SIGKILL)
    prober.wait()
    until = time.monotonic() + 20
    while os.sched_getaffinity(pid) != cpus and time.monotonic() < until:
        time.sleep(0.01)
    assert os.sched_getaffinity(pid) == cpus
    return met


def test_hog_refuses_itself_without_power_and_others_say_why(run):
    done = run("diagnose", "--json", "--probe", "hog,width,collapse", "-o", "/dev/stderr", "--", sys.executable, "-c", PINNED, "1")
    probes = json.loads(done.stderr[done.stderr.index("{"):])["probes"]
    for name in ("hog", "width", "collapse"):
        assert probes[name].get("not_measured") or probes[name]["speed_up"], name
    assert "step" not in probes
    page = run("diagnose", "--probe", "hog,step", "-o", "/dev/stderr", "--", sys.executable, "-c", "sum(range(20000000))").stderr
    assert "hog: " in page
    section = page[page.index("PROBES"):].split("\n\n")[0].splitlines()
    assert len(section) > 2 and all(len(line) <= 100 for line in section), section


def test_each_of_several_runs_is_stepped(run, tmp_path):
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    subprocess.run(["cc", "-O2", "-x", "c", "-o", tmp_path / "branches", "-"], input=BRANCHES.replace("1.2 *", "0.4 *"), text=True, check=True, timeout=60)
    done = run("diagnose", "--json", "--runs", "5", "--probe", "step", "-o", tmp_path / "out", "--", tmp_path / "branches", "r")
    step = json.loads((tmp_path / "out").read_text())["probes"]["step"]
    if "not_measured" in step:
        pytest.skip(step["not_measured"])
    assert step["trace"]["bursts"] >= 3, done.stderr


TUNED = r"""
#include <stdlib.h>
#include <string.h>
int main(void)
{
    static char bytes[1 << 16];
    for (long at = 0; !getenv("GLIBC_TUNABLES") && at < 400000; at++)
        __asm__ volatile("" ::"r"(memchr(bytes, 1, sizeof(bytes) - (at & 1))));
    return getenv("GLIBC_TUNABLES") != NULL;
}
"""


def test_a_program_that_fails_with_the_variable_says_nothing_of_vectors(run, tmp_path):
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    subprocess.run(["cc", "-O2", "-fno-builtin", "-x", "c", "-o", tmp_path / "tuned", "-"], input=TUNED, text=True, check=True, timeout=60)
    done = run("diagnose", "--json", "--probe", "width", "-o", tmp_path / "out", "--", tmp_path / "tuned", env={"GLIBC_TUNABLES": None})
    width = json.loads((tmp_path / "out").read_text())["probes"]["width"]
    if "no time is in a library" in width.get("not_measured", ""):
        pytest.skip(width["not_measured"])
    assert "ended with a status other than 0 with GLIBC_TUNABLES=" in width["not_measured"], done.stderr


def test_wrong_lists_and_targets(run):
    unknown = run("diagnose", "--probe", "stop", "--", "true")
    assert unknown.returncode == 2 and "no probe is called 'stop'" in unknown.stderr
    assert run("diagnose", "--probe", "step", "-a").returncode == 2
    for words in (["--probe", "step"], ["--duration", "3"], ["-F", "99"]):
        replayed = run("diagnose", *words, "--case", "/nonexistent")
        assert replayed.returncode == 2 and "a replayed case" in replayed.stderr, "what would do nothing is refused"
    assert run("diagnose", "--probe", "", "--", "true").returncode == 2


def test_it_replays(run, tmp_path):
    case = tmp_path / "case"
    first = run("diagnose", "--json", "--probe", "step", "--case", case, "-o", tmp_path / "out", "--", "sh", "-c",
                "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done")
    assert first.returncode in (0, 4), first.stderr
    again = run("diagnose", "--json", "--case", case)
    assert json.loads(again.stdout) == json.loads((tmp_path / "out").read_text())
    assert json.loads(again.stdout)["probes"]["step"]
    whole = (case / "probes.json").read_bytes()
    for length in range(0, len(whole.rstrip()), 97): # without the last line's end alone it would be whole
        (case / "probes.json").write_bytes(whole[:length])
        broken = run("diagnose", "--case", case)
        assert broken.returncode in (0, 4) and "probes.json of the case: it can't be read" in broken.stdout, broken.stderr
