# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb topdown with bad luck: real programs, threads, signals and samples; only the PMU is simulated (tests/tools/simulated_plumb.c)."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

ENVIRONMENT = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C"}


@pytest.fixture
def tool(plumb, tmp_path):
    path = pathlib.Path(plumb).parent / "tests/simulated_plumb"
    if not path.exists():
        pytest.skip("no simulated_plumb beside plumb: it is built with the tests")
    return [str(path), "SPR", "L2_Bound", f"run_opens={tmp_path}/opens"]


@pytest.fixture
def topdown(tool, tmp_path):
    """topdown(words..., knobs=[...]) -> the finished process; no descriptor of a counter is left, and no file."""
    def call(*words, knobs=(), **more):
        before = set(pathlib.Path("/tmp").glob("plumb-topdown-*"))
        done = subprocess.run([*tool, *knobs, "topdown", *words], capture_output=True, text=True, timeout=240, env=ENVIRONMENT, **more)
        assert (tmp_path / "opens").read_text().split()[0] == "0", "descriptors leak"
        assert done.returncode >= 0, done.stderr
        return done
    return call


def document(done):
    return json.loads(done.stdout[done.stdout.index("{\n"):] if not done.stdout.startswith("{") else done.stdout)


def leaf(done):
    found = re.search(r"^Leaf\n(\S+),", done.stdout, re.M)
    return found.group(1) if found else None


def words_of(text):
    return " ".join(text.split())


PLANTED = "Backend_Bound.Memory_Bound.L2_Bound"


def planted_leaf(done):
    """
    The leaf is the planted one, unless the machine was so busy that the runs differed: then less may be decided, and nothing else.
    That they differ is said of their instructions, or shows in intervals that leave nodes on the way to it undecided.
    """
    found, differ = leaf(done), re.search(r"their instructions differ by (\d+)", words_of(done.stdout))
    if found == PLANTED:
        return True
    assert found is None or PLANTED.startswith(found + "."), done.stdout + done.stderr
    assert (differ and int(differ.group(1)) >= 5) or re.search(r"^ *(Backend|Memory|L2)_Bound .*undecided$", done.stdout, re.M), done.stdout + done.stderr
    return False


def test_the_whole_way_with_real_samples(topdown, luckless):
    done = topdown("--drill", "--", luckless, "spin", "0.3")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("done\n") == 1, "the program's output is that of its first run"
    if not planted_leaf(done):
        pytest.skip("this machine is so busy that the runs differ too much for a leaf")
    assert re.search(r"^\d+ samples of mem_load_retired.l2_hit", done.stdout, re.M)
    number = int(re.search(r"^(\d+) samples of", done.stdout, re.M).group(1))
    if number >= 30:
        assert re.search(r"^ *\d+\.\d %  (work|main)  \(luckless\)", done.stdout, re.M), done.stdout


def test_a_program_that_isnt_there(topdown):
    done = topdown("--drill", "--", "no-such-program")
    assert done.returncode == 127 and "no-such-program: command not found" in done.stderr


def test_a_program_that_dies_at_once(topdown):
    done = topdown("--drill", "--", "sh", "-c", "kill -9 $$")
    assert done.returncode == 137 and "the program ended with status 137" in words_of(done.stdout)


def test_a_program_shorter_than_anything(topdown):
    done = topdown("--drill", "--", "true")
    assert done.returncode in (0, 4), done.stderr
    assert "nan" not in done.stdout and "inf" not in done.stdout
    if "samples of" in done.stdout:
        assert "too few" in done.stdout or "no code to name" in done.stdout or re.search(r"^\d\d+ samples", done.stdout, re.M)


def test_its_status_is_the_first_runs(topdown, luckless):
    script = f'read word; [ "$word" = hello ] || exit 4; {luckless} spin 0.1; exit 3'
    done = topdown("-l", "3", "--", "sh", "-c", script, input="hello\n")
    assert done.returncode == 3
    assert re.search(r"(\d+) of its (\d+) runs ended with another status than the first \(4, not 3\)", words_of(done.stdout)), done.stdout


@pytest.mark.parametrize("whole_group", [True, False])
def test_an_interrupt_between_passes(tool, luckless, tmp_path, whole_group):
    process = subprocess.Popen([*tool, "topdown", "--drill", "--", luckless, "spin", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True, env=ENVIRONMENT)
    for line in process.stderr:
        if "pass 1 of" in line:
            break
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode in (0, 130), err
    said = words_of(out)
    assert "it was interrupted: what is said rests on the passes until then" in said
    assert re.search(r"^Backend_Bound +9\d", out, re.M), "what was measured before is shown"
    assert "Where it is" not in out and "sampling" not in err
    assert (tmp_path / "opens").read_text().split()[0] == "0"


def test_counters_that_vanish_after_the_first_step(topdown, luckless):
    done = topdown("--drill", "--", luckless, "spin", "0.3", knobs=["taken=32", "fixed=0xffff", "after_runs=2"])
    assert done.returncode == 0
    assert re.search(r"^Backend_Bound +9\d", done.stdout, re.M)
    assert re.search(r"the drill ended at \w+: \d+ of its \d+ parts could not be measured \(", words_of(done.stdout)), done.stdout


def test_the_watchdog_has_the_cycle_counter(topdown, luckless):
    done = topdown("--drill", "--", luckless, "spin", "0.2", knobs=["fixed=2"])
    planted_leaf(done)
    assert words_of(done.stdout).count("this was done without the fixed cycle counter (the NMI watchdog often holds it)") == 1


def test_others_who_take_turns_cost_nothing_but_time(topdown, luckless):
    done = topdown("--drill", "-j", "--", luckless, "spin", "0.5", knobs=["share=1"])
    tree = document(done)
    assert not [note for note in tree["notes"] if "others hold" in note], tree["notes"]
    node = next(node for node in tree["nodes"] if node["name"] == "Backend_Bound")
    assert node["quality"] == "scaled" and 0.2 < node["running_ratio"] < 0.8


def test_a_change_between_passes_is_said(topdown, luckless):
    done = topdown("--drill", "--", luckless, "spin", "0.3", knobs=["then=Branch_Mispredicts", "after_runs=1"])
    assert re.search(r"the passes don't agree: \w+ is \d+\.\d points higher in pass", words_of(done.stdout)), done.stdout
    assert "L2_Bound, " not in done.stdout, "no leaf is made of two different runs"
    tree, passes = done.stdout.split("Each pass\n")
    assert re.search(r"^Backend_Bound +not measured: the passes contradict each other", tree, re.M), tree
    assert not re.search(r"(\+-|±)\d{3}", tree), "no share is known to hundreds of points"
    assert re.search(r"^pass 1 .*Backend_Bound 9\d", passes, re.M) and re.search(r"^pass 2 .*Backend_Bound 0\.", passes, re.M), passes


def test_few_descriptors_are_said(topdown, luckless):
    done = topdown("-l", "3", "--", luckless, "spin", "0.1", knobs=["fds=3"])
    assert done.returncode != 0 and ("descriptors" in done.stderr or "open files" in done.stderr), done.stderr


def test_sampling_that_is_refused_is_said(topdown, luckless):
    done = topdown("--drill", "--", luckless, "spin", "0.2", knobs=["sampling=0"])
    assert done.returncode == 0
    if not planted_leaf(done):
        pytest.skip("this machine is so busy that the runs differ too much for a leaf")
    assert "where L2_Bound is could not be sampled: can't open 'mem_load_retired.l2_hit' for sampling: Operation not supported" in words_of(done.stdout)


def test_precision_that_is_refused_is_said(topdown, luckless):
    done = topdown("--drill", "--", luckless, "spin", "0.2", knobs=["precise=0"])
    if not planted_leaf(done):
        pytest.skip("this machine is so busy that the runs differ too much for a leaf")
    said = words_of(done.stdout)
    assert "mem_load_retired.l2_hit can't be sampled precisely here: Operation not supported; it is sampled less precisely" in said
    assert re.search(r"^\d+ samples of mem_load_retired.l2_hit", done.stdout, re.M)


# ---- what goes on ----------------------------------------------------------------------------------------------------

@pytest.fixture
def running(luckless):
    started = []

    def start(*words):
        started.append(subprocess.Popen([luckless, *words], stdout=subprocess.DEVNULL))
        return started[-1]
    yield start
    for process in started:
        process.kill()
        process.wait()


def test_threads_that_come_and_go(topdown, running):
    process = running("threads", "100")
    done = topdown("--drill", "-l", "1", "--duration", "1", "-p", str(process.pid))
    assert done.returncode in (0, 4), done.stderr
    assert re.search(r"^Backend_Bound +9\d", done.stdout, re.M), done.stdout
    assert not leaf(done) or re.search(r"^\d+ samples of ", done.stdout, re.M), done.stdout


def test_a_watch_too_short_for_the_drill_keeps_what_it_has(topdown, running):
    process = running("spin", "100")
    done = topdown("--drill", "-p", str(process.pid), "--duration", "0.7")
    assert done.returncode == 4
    assert re.search(r"^Backend_Bound +9\d", done.stdout, re.M)
    assert re.search(r"the drill went no further: \d groups of events need a run of \d", words_of(done.stdout)), done.stdout


def test_a_process_that_is_gone(topdown, luckless):
    process = subprocess.Popen([luckless, "spin", "0"], stdout=subprocess.DEVNULL)
    process.wait()
    done = topdown("-p", str(process.pid))
    assert done.returncode == 1 and f"no process {process.pid}" in done.stderr


def test_a_process_that_ends_while_it_is_watched(topdown, running):
    process = running("spin", "100")
    killer = subprocess.Popen(["sh", "-c", f"sleep 3; kill {process.pid}"])
    begun = time.monotonic()
    done = topdown("-p", str(process.pid), "--duration", "150")  # nobody waits for the process: it stays, as a zombie
    assert time.monotonic() - begun < 100
    killer.wait()
    assert done.returncode in (0, 1), done.stderr  # 1: it was gone before it was found
    assert done.returncode == 1 or re.search(r"^Backend_Bound +9\d", done.stdout, re.M)


def test_cpus_by_list(topdown):
    done = topdown("-C", "0", "--per-core", "--duration", "0.3")
    assert done.returncode == 0 and re.search(r"^CPU 0 .*Backend_Bound 9\d", done.stdout, re.M), done.stdout
    assert "CPU 1 " not in done.stdout


def test_a_cpu_that_is_off(topdown):
    done = topdown("-C", "0,999", "--duration", "0.3")
    assert done.returncode == 2 and "CPU 999 is not online" in done.stderr


# ---- a storm of short children and threads -----------------------------------------------------------------------------

STORM = 300


@pytest.fixture
def storm(luckless, sanitized):
    return [luckless, "storm", str(STORM // 3 if sanitized else STORM), "5"]


def test_a_fork_storm_is_drilled(topdown, storm):
    done = topdown("--drill", "--", *storm)
    assert done.returncode == 5, done.stderr
    planted_leaf(done)
    assert "ended with another status" not in done.stdout


def test_a_fork_storm_by_stat(tool, storm, tmp_path):
    done = subprocess.run([*tool, "stat", "-x,", "-M", "TopdownL1", "-e", "page-faults", "--", *storm], capture_output=True, text=True, timeout=240,
                          env=ENVIRONMENT)
    assert done.returncode == 5, done.stderr
    faults = int(re.search(r"^(\d+),,page-faults", done.stderr, re.M).group(1))
    assert faults > 8 * int(storm[2]), "each child's own faults are in it"
    assert (tmp_path / "opens").read_text().split()[0] == "0"


def test_counts_of_a_fork_storm_are_complete(run, storm):
    """Live, by what the kernel counts in software: the same way through inherit as hardware events go."""
    done = run("stat", "-x,", "-e", "page-faults,context-switches,task-clock", "--", *storm)
    assert done.returncode == 5, done.stderr
    faults = int(re.search(r"^(\d+),,page-faults", done.stderr, re.M).group(1))
    assert faults > 8 * int(storm[2])
