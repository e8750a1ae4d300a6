# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose where there is a PMU: real programs, threads and samples; only the PMU is simulated (tests/tools/simulated_plumb.c)."""
import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

ENVIRONMENT = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C"}


@pytest.fixture
def diagnose(plumb, tmp_path):
    """diagnose(cpu, bottleneck, words..., knobs=[...]) -> the finished process; no descriptor of a counter is left."""
    tool = pathlib.Path(plumb).parent / "tests/simulated_plumb"
    if not tool.exists():
        pytest.skip("no simulated_plumb beside plumb: it is built with the tests")

    def call(cpu, planted, *words, knobs=()):
        done = subprocess.run([str(tool), cpu, planted, f"run_opens={tmp_path}/opens", *knobs, "diagnose", *words], capture_output=True, text=True,
                              timeout=240, env=ENVIRONMENT)
        assert done.returncode in (0, 4), done.stderr
        assert (tmp_path / "opens").read_text().split()[0] == "0", "descriptors leak"
        return done
    return call


def document(done):
    return json.loads(done.stdout[done.stdout.index("{\n"):])


def node_of(page, name):
    return next((node for node in page["topdown"]["nodes"] if node["name"] == name), None)


def finding_of(page, name):
    return next(finding for finding in page["findings"] if finding["id"] == name)


PLANTED = [
    ("SPR", "MEM_Bandwidth", "memory-bandwidth"),
    ("ICX", "MEM_Latency", "dram-latency"),
    ("SPR", "L2_Bound", "l2-l3-latency"),
    ("SPR", "Branch_Mispredicts", "branch-mispredicts"),
    ("SPR", "Machine_Clears", "machine-clears"),
    ("SPR", "Divider", "divider"),
    ("SPR", "ICache_Misses", "front-end"),
    ("SPR", "Ports_Utilized_3m", "port-pressure"),
    ("ZEN4", "Bad_Speculation_Mispredicts", "branch-mispredicts"),
]


@pytest.mark.parametrize("cpu, planted, cause", PLANTED)
def test_the_planted_resource_is_named(diagnose, luckless, cpu, planted, cause):
    done = diagnose(cpu, planted, "--json", "--", luckless, "spin", "2")
    page = document(done)
    assert page["basis"] == "counters" and page["bottleneck"] is None
    node = node_of(page, planted)
    assert node["threshold"] == "flagged" and node["interval"], node
    finding = finding_of(page, cause)
    if finding["verdict"] != "supported" and "undecided" in [node_of(page, part)["threshold"] for part in node["path"].split(".")]:
        pytest.skip("this machine is so busy that the turns say too little of a node on the way")
    assert finding["verdict"] == "supported" and not finding["estimated"], finding
    named = [text for text in (page["verdict"]["sentence"], finding["headline"]) if planted in text and "counted" in text]
    assert named, page["verdict"]["sentence"]
    assert "ESTIMATED" not in done.stdout


def test_its_page_has_the_tree_and_says_that_groups_took_turns(diagnose, luckless, tmp_path):
    html = tmp_path / "page.html"
    done = diagnose("SPR", "L2_Bound", "--html", html, "--", luckless, "spin", "1.5")
    assert "ESTIMATED" not in done.stdout
    assert re.search(r"^TOP-DOWN +counted beside the samples: \d+ groups of events in turns, each in \d", done.stdout, re.M), done.stdout
    assert re.search(r"^ +L2_Bound +\d\d\.\d % +\+-\d+\.\d .*<== flagged, the leaf$", done.stdout, re.M), done.stdout
    assert '"counted beside the samples: ' in html.read_text() and '"Backend_Bound.Memory_Bound.L2_Bound"' in html.read_text()


def test_nodes_say_that_they_are_scaled(diagnose, luckless):
    page = document(diagnose("SPR", "L2_Bound", "--json", "--", luckless, "spin", "1.5"))
    node = node_of(page, "Backend_Bound")
    assert node["quality"] == "scaled" and 0.02 < node["running_ratio"] < 0.3
    counted = next(counter for counter in page["counters"] if counter["name"] == "cycles")
    assert isinstance(counted["count"], (int, float)) and 0 < counted["running_ratio"] < 1, "they had their turns, too"


def test_a_hidden_pmu_leaves_the_estimate(diagnose, luckless):
    done = diagnose("SPR", "L2_Bound", "--", luckless, "spin", "1.5", knobs=["hidden=1"])
    assert "ESTIMATED (no PMU)" in done.stdout and "TOP-DOWN" not in done.stdout and "the top-down tree:" not in done.stdout


def test_a_pmu_that_refuses_half_of_the_events(diagnose, luckless):
    page = document(diagnose("SPR", "L2_Bound", "--json", "--", luckless, "spin", "1.5", knobs=["refuse=2"]))
    nodes = [node for node in page["topdown"]["nodes"] if node["level"]]
    known = [node for node in nodes if isinstance(node["value"], (int, float))]
    assert known and len(known) < len(nodes)
    assert any("no such event" in node["value"]["not_measured"] for node in nodes if node not in known)
    assert page["verdict"]["culprit"] != "l2-l3-latency" or isinstance(node_of(page, "L2_Bound")["value"], (int, float))


def test_too_short_for_turns(diagnose):
    done = diagnose("SPR", "L2_Bound", "--", "true")
    assert re.search(r"the top-down tree: it ran for 0\.\d+ s, in which \d+ groups of events could not all have a turn", " ".join(done.stdout.split())), done.stdout
    assert "nan" not in done.stdout.lower().split()


def test_what_runs_already(diagnose, luckless):
    program = subprocess.Popen([luckless, "spin", "60"], stdout=subprocess.DEVNULL)
    try:
        page = document(diagnose("SPR", "Divider", "--json", "-p", str(program.pid), "--duration", "2"))
    finally:
        program.send_signal(signal.SIGKILL)
        program.wait()
    assert node_of(page, "Divider")["threshold"] == "flagged"
    assert finding_of(page, "divider")["verdict"] == "supported"


def test_several_runs_are_one(diagnose, luckless):
    page = document(diagnose("SPR", "Divider", "--json", "--runs", "4", "--", luckless, "spin", "0.4"))
    assert node_of(page, "Divider")["threshold"] == "flagged", node_of(page, "Divider")


def verdicts_of(page):
    """By the phase's hottest function."""
    return {one["functions"][0]["function"]: one for one in page["phase_verdicts"]}


def test_each_phase_has_its_own_tree_and_verdict(diagnose, plumb, luckless, tmp_path):
    """Two functions by turns, each with another bottleneck: what was counted while one ran says nothing of the other's."""
    case, html = tmp_path / "case", tmp_path / "page.html"
    done = diagnose("SPR", "L2_Bound", "--case", case, "--json", "--", luckless, "turns", "6", "1000", knobs=["then=Branch_Mispredicts", "every_ms=1000"])
    page = document(done)
    verdicts = verdicts_of(page)
    if not {"work", "other_work"} <= set(verdicts) or any(one["why_not"] for one in verdicts.values()):
        pytest.skip(f"this machine is so busy that some group had no turn in a phase: {[one['why_not'] for one in verdicts.values()]}")
    work, other = verdicts["work"], verdicts["other_work"]
    assert work["node"].split(".")[-1] == "L2_Bound" and work["cause"] == "l2-l3-latency", work["sentence"]
    assert other["node"].split(".")[-1] == "Branch_Mispredicts" and other["cause"] == "branch-mispredicts", other["sentence"]
    assert node_of(other, "Memory_Bound")["value"] < 2 < 20 < node_of(work, "Memory_Bound")["value"]
    assert 2 < node_of(page, "Memory_Bound")["value"] < node_of(work, "Memory_Bound")["value"], "the whole run's is of both"
    assert finding_of(page, "branch-mispredicts")["headline"].startswith("other_work"), "where its phase is hot"
    assert all(one["stretches"] >= 2 and one["seconds"] > 1 for one in verdicts.values()) and not page["phase_estimates"]
    again = subprocess.run([plumb, "diagnose", "--case", case, "--html", html], capture_output=True, text=True, timeout=120, env=ENVIRONMENT)
    lines = re.findall(r"^  [A-Z]  COUNTED: (\w+) is \d+ %", again.stdout, re.M)
    assert sorted(lines) == ["Branch_Mispredicts", "L2_Bound"], again.stdout
    assert re.search(r"^  Phases +A ", again.stdout, re.M) and "phase_verdicts" in html.read_text()
    replayed = subprocess.run([plumb, "diagnose", "--case", case, "--json"], capture_output=True, text=True, timeout=120, env=ENVIRONMENT)
    assert json.loads(replayed.stdout) == page


def test_a_phase_without_a_turn_says_so_and_is_estimated(diagnose, plumb, luckless, tmp_path):
    """The case's windows are taken away but those of the first stretch: the other phase has none."""
    case = tmp_path / "case"
    page = document(diagnose("SPR", "L2_Bound", "--case", case, "--json", "--", luckless, "turns", "4", "2000", knobs=["then=Branch_Mispredicts", "every_ms=2000"]))
    if len(page["phase_verdicts"]) != 2:
        pytest.skip("this machine is so busy that the two phases weren't told apart")
    counts = json.loads((case / "topdown.json").read_text())
    first = page["phases"][0]
    begins = min(window[0] for group in counts["groups"] for window in group["windows"])
    for group in counts["groups"]:
        group["windows"] = [window for window in group["windows"] if (window[1] - begins) / 1e9 < first["until_s"] - 0.1]
    (case / "topdown.json").write_text(json.dumps(counts))
    replayed = subprocess.run([plumb, "diagnose", "--case", case, "--json"], capture_output=True, text=True, timeout=120, env=ENVIRONMENT)
    verdicts = {one["phase"]: one for one in json.loads(replayed.stdout)["phase_verdicts"]}
    absent = next(one for phase, one in verdicts.items() if phase != first["phase"])
    assert "not counted in this phase" in absent["why_not"] and absent["node"] is None and absent["topdown"] is None, absent
    assert [one["phase"] for one in json.loads(replayed.stdout)["phase_estimates"]] == [absent["phase"]]


def test_a_case_says_the_same_anywhere(diagnose, plumb, luckless, tmp_path):
    case = tmp_path / "case"
    first = document(diagnose("SPR", "MEM_Bandwidth", "--case", case, "--json", "--", luckless, "spin", "1.5"))
    again = subprocess.run([plumb, "diagnose", "--case", case, "--json"], capture_output=True, text=True, timeout=120, env=ENVIRONMENT)
    assert json.loads(again.stdout) == first, again.stderr
    (case / "topdown.json").write_text((case / "topdown.json").read_text()[:-300])
    broken = subprocess.run([plumb, "diagnose", "--case", case, "--json"], capture_output=True, text=True, timeout=120, env=ENVIRONMENT)
    page = json.loads(broken.stdout)
    assert page["topdown"] is None and any("topdown.json" in gap["what"] + gap["why"] for gap in page["not_measured"]), broken.stderr


def test_threads_that_share_a_core_leave_single_nodes_and_the_estimate(diagnose, luckless):
    """Slots are the core's: of a program no first level, but what is counted by thread bounds causes, and the estimate says the rest."""
    done = diagnose("SKX", "DRAM_Bound", "--", luckless, "spin", "2", knobs=["smt=1"])
    said = " ".join(done.stdout.split())
    assert "ESTIMATED (no top-down tree)" in said and "Backend_Bound" not in done.stdout.split("TOP-DOWN")[1].split("\n\n")[0]
    assert re.search(r"^ +DRAM_Bound +\d", done.stdout, re.M), done.stdout
    assert re.search(r"the top-down tree: .*both threads|the top-down tree: .*core", said), said[-1500:]


def test_many_threads_get_the_first_two_levels(diagnose):
    """Real events stand in for the PMU's, of which a simulation of so many would take minutes: what is counted means nothing."""
    script = "import threading, time\nfor _ in range(200): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nprint(flush=True)\nwhile True: pass"
    with subprocess.Popen(["python3", "-c", script], stdout=subprocess.PIPE) as program:
        try:
            program.stdout.readline()
            page = document(diagnose("SPR", "Divider", "--json", "-p", str(program.pid), "--duration", "2", knobs=["standin=1"]))
        finally:
            program.kill()
    assert isinstance(node_of(page, "Core_Bound")["value"], (int, float)), node_of(page, "Core_Bound")
    assert re.match(r"its 20\d threads would take \d{5} counters", node_of(page, "Divider")["value"]["not_measured"])
