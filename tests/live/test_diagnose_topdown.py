# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose where there is a PMU: real programs, threads and samples; only the PMU is simulated (tests/tools/simulated_plumb.c)."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

ENVIRONMENT = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C"}


@pytest.fixture(scope="module")
def tool(plumb):
    path = pathlib.Path(plumb).parent / "tests/simulated_plumb"
    if not path.exists():
        pytest.skip("no simulated_plumb beside plumb: it is built with the tests")
    return str(path)


def diagnosed(tool, folder, cpu, planted, *words, knobs=()):
    done = subprocess.run([tool, cpu, planted, f"run_opens={folder}/opens", *knobs, "diagnose", *words], capture_output=True, text=True, timeout=240,
                          env=ENVIRONMENT)
    assert done.returncode in (0, 4), done.stderr
    assert (folder / "opens").read_text().split()[0] == "0", "descriptors leak"
    return done


@pytest.fixture
def diagnose(tool, tmp_path):
    """diagnose(cpu, bottleneck, words..., knobs=[...]) -> the finished process; no descriptor of a counter is left."""
    return lambda *words, knobs=(): diagnosed(tool, tmp_path, *words, knobs=knobs)


@pytest.fixture(scope="module")
def planted_case(tool, luckless, tmp_path_factory):
    """planted_case(cpu, bottleneck) -> a folder with the case, what was printed as JSON and the HTML page; made once, changed by nobody."""
    made = {}

    def case_of(cpu, planted):
        if (cpu, planted) not in made:
            folder = tmp_path_factory.mktemp(planted)
            done = diagnosed(tool, folder, cpu, planted, "--json", "--case", str(folder / "case"), "--html", str(folder / "page.html"), "--",
                             luckless, "spin", "1.5")
            (folder / "printed.json").write_text(done.stdout[done.stdout.index("{\n"):])
            made[cpu, planted] = folder
        return made[cpu, planted]
    return case_of


def page_in(folder):
    return json.loads((folder / "printed.json").read_text())


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
    ("SPR", "ICache_Misses", "front-end"),
    ("SPR", "Ports_Utilized_3m", "port-pressure"),
    ("ZEN4", "Bad_Speculation_Mispredicts", "branch-mispredicts"),
]


@pytest.mark.parametrize("cpu, planted, cause", PLANTED)
def test_the_planted_resource_is_named(planted_case, cpu, planted, cause):
    page_names(page_in(planted_case(cpu, planted)), planted, cause)


def page_names(page, planted, cause):
    assert page["basis"] == "counters" and page["bottleneck"] is None
    node = node_of(page, planted)
    assert node["interval"], node
    finding = finding_of(page, cause)
    if finding["verdict"] != "supported" and "undecided" in [node_of(page, part)["threshold"] for part in node["path"].split(".")]:
        pytest.skip("this machine is so busy that the turns say too little of it, or of a node on the way")
    assert node["threshold"] == "flagged", node
    assert finding["verdict"] == "supported" and not finding["estimated"], finding
    named = [text for text in (page["verdict"]["sentence"], finding["headline"]) if planted in text and "counted" in text]
    assert named, page["verdict"]["sentence"]


def replayed(plumb, case, *words):
    return subprocess.run([plumb, "diagnose", "--case", case, *words], capture_output=True, text=True, timeout=120, env=ENVIRONMENT)


def test_its_page_has_the_tree_and_says_that_groups_took_turns(planted_case, plumb):
    folder = planted_case("SPR", "L2_Bound")
    text, html = replayed(plumb, folder / "case").stdout, (folder / "page.html").read_text()
    assert "ESTIMATED" not in text
    assert re.search(r"^TOP-DOWN +counted beside the samples: \d+ groups of events in turns, each in \d", text, re.M), text
    assert re.search(r"^ +L2_Bound +\d\d\.\d % +\+-\d+\.\d .*<== flagged, the leaf$", text, re.M), text
    assert '"counted beside the samples: ' in html and '"Backend_Bound.Memory_Bound.L2_Bound"' in html


def test_nodes_say_that_they_are_scaled(planted_case):
    page = page_in(planted_case("SPR", "L2_Bound"))
    node = node_of(page, "Backend_Bound")
    assert node["quality"] == "scaled" and 0.02 < node["running_ratio"] < 0.3
    counted = next(counter for counter in page["counters"] if counter["name"] == "cycles")
    assert isinstance(counted["count"], (int, float)) and 0 < counted["running_ratio"] < 1, "they had their turns, too"


def test_a_hidden_pmu_leaves_the_estimate(diagnose, luckless):
    done = diagnose("SPR", "L2_Bound", "--", luckless, "spin", "0.5", knobs=["hidden=1"])
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
    page_names(page, "Divider", "divider")


def test_several_runs_are_one(diagnose, luckless):
    page = document(diagnose("SPR", "Divider", "--json", "--runs", "4", "--", luckless, "spin", "0.4"))
    assert node_of(page, "Divider")["threshold"] == "flagged", node_of(page, "Divider")


def verdicts_of(page):
    """By the phase's hottest function."""
    return {one["functions"][0]["function"]: one for one in page["phase_verdicts"]}


@pytest.fixture(scope="module")
def phases_case(tool, luckless, tmp_path_factory):
    """A case of two functions by turns, each with another bottleneck, and its page; changed by nobody."""
    folder = tmp_path_factory.mktemp("phases")
    done = diagnosed(tool, folder, "SPR", "L2_Bound", "--case", str(folder / "case"), "--json", "--", luckless, "turns", "4", "1000",
                     knobs=["then=Branch_Mispredicts", "every_ms=1000"])
    return folder / "case", document(done)


def test_each_phase_has_its_own_tree_and_verdict(phases_case, plumb, tmp_path):
    """What was counted while one ran says nothing of the other's."""
    case, page = phases_case
    verdicts = verdicts_of(page)
    if set(verdicts) != {"work", "other_work"} or len(page["phase_verdicts"]) != 2:
        pytest.skip("this machine is so busy that the two phases weren't told apart")
    if any(one["why_not"] for one in verdicts.values()):
        pytest.skip(f"this machine is so busy that some group had no turn in a phase: {[one['why_not'] for one in verdicts.values()]}")
    work, other = verdicts["work"], verdicts["other_work"]
    assert work["node"].split(".")[-1] == "L2_Bound" and work["cause"] == "l2-l3-latency", work["sentence"]
    assert other["node"].split(".")[-1] == "Branch_Mispredicts" and other["cause"] == "branch-mispredicts", other["sentence"]
    assert node_of(other, "Memory_Bound")["value"] < 2 < 20 < node_of(work, "Memory_Bound")["value"]
    assert 2 < node_of(page, "Memory_Bound")["value"] < node_of(work, "Memory_Bound")["value"], "the whole run's is of both"
    finding = finding_of(page, "branch-mispredicts")  # of the whole run a busy machine may say less than of the phase
    assert finding["verdict"] == "undecided" or finding["headline"].startswith("other_work"), "where its phase is hot"
    assert all(one["stretches"] >= 2 and one["seconds"] > 1 for one in verdicts.values()) and not page["phase_estimates"]
    again = replayed(plumb, case, "--html", tmp_path / "page.html")
    lines = re.findall(r"^  +\d+  COUNTED: (\w+) is \d+ %", again.stdout, re.M)
    assert set(lines) == {"Branch_Mispredicts", "L2_Bound"}, again.stdout
    assert re.search(r"^  Phases +1 \((work|other_work)\) \w+ \d+ %; 2 ", again.stdout, re.M), again.stdout
    assert "phase_verdicts" in (tmp_path / "page.html").read_text()
    assert json.loads(replayed(plumb, case, "--json").stdout) == page


def test_a_phase_without_a_turn_says_so_and_is_estimated(phases_case, plumb, tmp_path):
    """The case's windows are taken away but those within the longest stretch: the other phase has none."""
    whole, page = phases_case
    if len(page["phase_verdicts"]) != 2:
        pytest.skip("this machine is so busy that the two phases weren't told apart")
    case = tmp_path / "case"
    shutil.copytree(whole, case)
    counts = json.loads((case / "topdown.json").read_text())
    longest = max(page["phases"], key=lambda stretch: stretch["until_s"] - stretch["from_s"])
    begins = max(window[1] for group in counts["groups"] for window in group["windows"]) / 1e9 - page["phases"][-1]["until_s"]
    for group in counts["groups"]:
        group["windows"] = [window for window in group["windows"] if longest["from_s"] + 0.1 < window[0] / 1e9 - begins and window[1] / 1e9 - begins < longest["until_s"] - 0.1]
    if not any(group["windows"] for group in counts["groups"]):
        pytest.skip("this machine is so busy that no group had a turn well within a stretch")
    (case / "topdown.json").write_text(json.dumps(counts))
    told = json.loads(replayed(plumb, case, "--json").stdout)
    absent = next(one for one in told["phase_verdicts"] if one["phase"] != longest["phase"])
    assert "not counted in this phase" in absent["why_not"] and absent["node"] is None and absent["topdown"] is None, absent
    silent = [one["phase"] for one in told["phase_verdicts"] if one["why_not"]]
    assert [one["phase"] for one in told["phase_estimates"]] == silent and absent["phase"] in silent


def test_a_case_says_the_same_anywhere(planted_case, plumb, tmp_path):
    folder, case = planted_case("SPR", "MEM_Bandwidth"), tmp_path / "case"
    shutil.copytree(folder / "case", case)
    again = replayed(plumb, case, "--json")
    assert json.loads(again.stdout) == page_in(folder), again.stderr
    (case / "topdown.json").write_text((case / "topdown.json").read_text()[:-300])
    broken = replayed(plumb, case, "--json")
    page = json.loads(broken.stdout)
    assert page["topdown"] is None and any("topdown.json" in gap["what"] + gap["why"] for gap in page["not_measured"]), broken.stderr


def test_a_case_that_nobody_keeps_leaves_nothing_behind(diagnose, luckless, tmp_path, monkeypatch):
    """Also what a case has only where there are counters."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setitem(ENVIRONMENT, "TMPDIR", str(scratch))
    diagnose("SPR", "L2_Bound", "--", luckless, "spin", "0.5")
    assert not list(scratch.rglob("*"))


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
