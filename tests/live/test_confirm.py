# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb confirm on cases whose prediction is known to be right or wrong: written by hand, and made by diagnose."""
import concurrent.futures
import json
import os
import pathlib
import platform
import re
import signal
import subprocess
import time

import pytest


def confirm(plumb, *words, **more):
    return subprocess.run([plumb, "confirm", "-q", *map(str, words)], capture_output=True, text=True, timeout=240, **more)


def case_at(folder, command, gain, of="elapsed time", identity="unoptimised-build", verdict="supported", **command_part):
    """A case that foretells `gain` (low, mid, high) of `command`."""
    folder.mkdir()
    manifest = {"format": "plumb case", "schema": 1, "command": command, "scope": "started", "target": "", "effect": 0.05,
                "elapsed_s": 0.2, "user_s": 0.1, "system_s": 0, "child_ended": True, "child_exit_code": 0, "parts": []}
    low, mid, high = gain
    finding = {"id": identity, "verdict": verdict, "title": "a title", "headline": "it is slow", "of": of, "advice": ["make it faster"],
               "recoverable_ratio": {"low": low, "mid": mid, "high": high}, "recoverable_ratio_at_most": high}
    findings = {"effect": 0.05, "verdict": {"kind": "culprit", "culprit": identity}, "findings": [finding], "run": {"threads": 1},
                "profile": {"functions": []}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "findings.json").write_text(json.dumps(findings))
    if command_part:
        (folder / "command.json").write_text(json.dumps({"schema": 1, **command_part}))
    return folder


GAINS = {"confirmed": (0.40, 0.55, 0.75), "overturned": (0.85, 0.90, 0.95), "more_than_predicted": (0.01, 0.02, 0.03)}


@pytest.fixture(scope="module")
def slept(plumb, tmp_path_factory):
    """{name: (case, what came of it)}: made at the same time, as none of them does anything but sleep."""
    folder = tmp_path_factory.mktemp("slept")
    cases = {verdict: case_at(folder / verdict, "sleep 0.25", gain) for verdict, gain in GAINS.items()}
    cases["ruled_out"] = case_at(folder / "ruled_out", "sleep 0.25", (0, 0.01, 0.02), verdict="ruled_out")
    cases["page"] = case_at(folder / "page", "sleep 0.1", (0.85, 0.9, 0.95))
    with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
        done = pool.map(lambda name: confirm(plumb, cases[name], *(["-n", "6"] if name == "page" else ["--json"]), "--", "sleep", "0.1"), cases)
        return dict(zip(cases, zip(cases.values(), done)))


@pytest.mark.parametrize("verdict, code", [("confirmed", 0), ("overturned", 3), ("more_than_predicted", 0)])
def test_a_changed_command_against_the_prediction(slept, verdict, code):
    case, done = slept[verdict]
    document = json.loads(done.stdout)
    assert (done.returncode, document["verdict"]) == (code, verdict), done.stdout
    assert document["experiment"] == "changed-command" and document["b"] == "sleep 0.1"
    assert 0.3 < document["realised_gain"]["mid"] < 0.7
    assert json.loads((case / "confirm.json").read_text()) == document


def test_the_page_says_it_in_words(slept):
    """Whatever six pairs come to: that enough of them overturn it is another test's matter."""
    case, done = slept["page"]
    verdict = json.loads((case / "confirm.json").read_text())["verdict"]
    assert (verdict, done.returncode) in (("overturned", 3), ("inconclusive", 4)), done.stdout
    for words in ("it is slow", "predicted gain", "90.0 %", "realised gain", "noise floor", verdict):
        assert words in done.stdout, done.stdout


def test_too_few_pairs_are_inconclusive(plumb, tmp_path):
    case = case_at(tmp_path / "case", "sleep 0.1", (0.4, 0.5, 0.7))
    done = confirm(plumb, case, "-n", "2", "--json", "--", "sleep", "0.05")
    document = json.loads(done.stdout)
    assert done.returncode == 4 and document["verdict"] == "inconclusive" and document["is_range"]


def test_a_plan_runs_nothing(plumb, tmp_path):
    log = tmp_path / "log"
    case = case_at(tmp_path / "case", f"touch {log}", (0.4, 0.5, 0.7))
    done = confirm(plumb, case, "--dry-run", "--", "touch", log)
    assert done.returncode == 0 and "the command is run again 27 times at least, 123 at the most" in done.stdout.replace("\n" + " " * 14, " ")
    assert not log.exists() and not (case / "confirm.json").exists()
    listed = confirm(plumb, case, "--dry-run")
    assert listed.returncode == 4 and "make it faster" in listed.stdout


def test_a_budget_that_cannot_hold_an_answer_is_refused(plumb, tmp_path):
    """By the case a run takes 0.2 s: 21 runs don't fit into a second and a half."""
    log = tmp_path / "log"
    case = case_at(tmp_path / "case", f"touch {log}", (0.4, 0.5, 0.7))
    done = confirm(plumb, case, "--budget", "1.5", "--", "touch", log)
    assert done.returncode == 2 and "21 runs take about 4 s" in done.stderr and "--budget 5" in done.stderr, done.stderr
    assert not log.exists()


def test_a_budget_is_held_where_runs_became_slower(plumb, tmp_path):
    """They take twenty times what the case says: none begins after twice the budget, however few there are."""
    case = case_at(tmp_path / "case", "sleep 4", (0.4, 0.5, 0.7))
    began = time.monotonic()
    done = confirm(plumb, case, "--budget", "5", "--warmup", "0", "--json", "--", "sleep", "4")
    assert time.monotonic() - began < 60 and done.returncode == 4, done.stderr
    assert json.loads(done.stdout)["verdict"] == "inconclusive"


def test_where_the_verdict_cannot_be_tested_another_finding_is_named(plumb, tmp_path):
    case = case_at(tmp_path / "case", "true", (0.4, 0.5, 0.7), identity="cache-misses")
    page = json.loads((case / "findings.json").read_text())
    foretold = page["findings"][0]
    for identity, verdict in (("branch-mispredicts", "ruled_out"), ("page-faults", "supported")):
        page["findings"].append(foretold | {"id": identity, "verdict": verdict})
    (case / "findings.json").write_text(json.dumps(page))
    listed = confirm(plumb, case, "--dry-run")
    words = " ".join(listed.stdout.split())
    assert listed.returncode == 4 and "none of those" in words
    assert f"can be tested here: plumb confirm --finding page-faults {case} (keep-freed-memory)" in words
    assert "branch-mispredicts" not in words


def test_it_runs_as_it_ran(plumb, tmp_path):
    place, text = tmp_path / "place", tmp_path / "input"
    place.mkdir()
    text.write_text("hello\n")
    line = 'pwd >> log; echo "$OMP_NUM_THREADS ${XZ_OPT-unset} $HOME" >> log; cat >> log; sleep 0.02'
    case = case_at(tmp_path / "case", "", (0.4, 0.5, 0.7), argv=["sh", "-c", line], directory=str(place), standard_input="file",
                   standard_input_file=str(text), environment=[{"name": "OMP_NUM_THREADS", "value": "3"}, {"name": "XZ_OPT", "value": None},
                                                               {"name": "HOME", "value": "/never"}])
    done = confirm(plumb, case, "-n", "1", "--warmup", "0", "--", "true", env={**os.environ, "XZ_OPT": "-9"})
    assert done.returncode == 4, done.stderr
    assert (place / "log").read_text() == f"{place}\n3 unset {os.environ['HOME']}\nhello\n" * 2
    shown = done.stdout.replace("\n" + " " * 14, " ")
    assert "exec" not in shown and f" <{text}" in shown, shown
    assert "set as it was in the case: OMP_NUM_THREADS, XZ_OPT" in done.stdout.replace("\n" + " " * 14, " ")


def test_a_program_that_works_for_a_given_time(plumb, tmp_path):
    """Both take the same time; what they do in it differs."""
    line = 'sleep 0.05; echo "work $1"'
    case = case_at(tmp_path / "case", "", (0.4, 0.5, 0.7), argv=["sh", "-c", line, "sh", "100"], directory=str(tmp_path), environment=[])
    done = confirm(plumb, case, "--json", "--work", "work", "--", "sh", "-c", line, "sh", "200")
    document = json.loads(done.stdout)
    assert document["quantity"] == "per-work" and document["verdict"] == "confirmed", done.stdout
    assert 0.35 < document["realised_gain"]["mid"] < 0.65


def test_a_change_that_takes_hold_in_part_foretells_that_part(plumb, tmp_path):
    """Of its page faults about half come from malloc's memory, which can be kept; the others from mappings of its own."""
    line = ("import mmap\nfor _ in range(4):\n"
            " b = bytearray(40 << 20)\n del b\n"  # above what malloc's own threshold grows to: given back each time
            " m = mmap.mmap(-1, 40 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
            " for at in range(0, 20 << 20, 4096): m[at] = 1\n m.close()")
    case = case_at(tmp_path / "case", "", (0.04, 0.05, 0.06), of="CPU time", identity="page-faults", argv=["/usr/bin/python3", "-S", "-c", line],
                   directory=str(tmp_path), environment=[])
    document = json.loads(confirm(plumb, case, "-n", "8", "--experiment", "keep-freed-memory", "--json").stdout)
    assert document["took_hold"] == "yes", document
    share, expected = document["took_hold_share"], document["expected_gain"]
    assert 0.3 <= share["low"] <= share["high"] <= 0.95, share
    assert expected["mid"] == pytest.approx(0.05 * share["mid"], rel=0.01)
    assert document["verdict"] != "overturned" or "even for the part that took hold" in document["sentence"] or document["realised_gain"]["low"] <= 0, document


def test_what_was_ruled_out_can_be_overturned(slept):
    _, done = slept["ruled_out"]
    assert done.returncode == 3 and json.loads(done.stdout)["under_test"]["foretells"] == "none"


@pytest.mark.parametrize("wrong, words, code", [
    (lambda case: (case / "findings.json").write_text('{"findings": ['), "findings.json", 1),
    (lambda case: (case / "findings.json").write_text("{}"), "no diagnosis", 1),
    (lambda case: (case / "findings.json").unlink(), "there is no", 1),
    (lambda case: (case / "manifest.json").unlink(), "there is no", 1),
    (lambda case: (case / "command.json").write_text('{"argv": [1]}'), "command.json", 1),
    (lambda case: (case / "command.json").write_text('{"argv": ["/nowhere/program"]}'), "/nowhere/program", 1),
    (lambda case: (case / "command.json").write_text('{"argv": ["true"], "directory": "/nowhere"}'), "/nowhere", 1),
    (lambda case: (case / "command.json").write_text('{"argv": []}'), "no command", 1),
])
def test_damaged_cases_are_refused_in_words(plumb, tmp_path, wrong, words, code):
    case = case_at(tmp_path / "case", "sleep 0.1", (0.4, 0.5, 0.7), argv=["sleep", "0.1"])
    wrong(case)
    done = confirm(plumb, case, "--", "true")
    assert done.returncode == code and words in done.stderr and not done.stdout, done.stderr


def test_a_case_without_a_verdict_names_what_can_be_tested(plumb, tmp_path):
    case = case_at(tmp_path / "case", "true", (0.01, 0.02, 0.2), verdict="undecided")
    document = json.loads((case / "findings.json").read_text())
    document["verdict"]["culprit"] = None
    (case / "findings.json").write_text(json.dumps(document))
    done = confirm(plumb, case, "--", "true")
    assert done.returncode == 1 and "--finding NAME" in done.stderr and "unoptimised-build" in done.stderr
    assert confirm(plumb, case, "--finding", "unoptimised-build", "--dry-run", "--", "true").returncode == 0
    assert confirm(plumb, case, "--finding", "nonsense", "--", "true").returncode == 1
    assert confirm(plumb).returncode == 2 and confirm(plumb, tmp_path / "nowhere").returncode == 1


def test_commands_that_fail(plumb, tmp_path):
    case = case_at(tmp_path / "case", "sh -c 'exit 3'", (0.4, 0.5, 0.7))
    done = confirm(plumb, case, "--", "true")
    assert done.returncode == 1 and "status 3" in done.stderr
    assert not (case / "confirm.json").exists()
    assert confirm(plumb, case, "-i", "-n", "1", "--", "true").returncode == 4
    gone = confirm(plumb, case, "--", "/nowhere/changed")
    assert gone.returncode == 1 and "/nowhere/changed" in gone.stderr


def test_ctrl_c_keeps_what_was_measured(plumb, tmp_path):
    log = tmp_path / "log"
    case = case_at(tmp_path / "case", f"sh -c 'echo >>{log}; sleep 0.05'", (0.4, 0.5, 0.7))
    running = subprocess.Popen([plumb, "confirm", "-q", "--json", "-n", "5000", case, "--", "sleep", "0.05"], stdout=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while time.monotonic() < until and (not log.exists() or len(log.read_text()) < 12):
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out = running.communicate(timeout=60)[0]
    document = json.loads(out)
    assert document["stopped"] == "interrupted" and document["pairs"] >= 1
    assert json.loads((case / "confirm.json").read_text()) == document


def test_the_schema_is_documented(plumb, tmp_path, source_root):
    case = case_at(tmp_path / "case", "sleep 0.02", (0.4, 0.5, 0.7))
    document = json.loads(confirm(plumb, case, "-n", "1", "--json", "--", "true").stdout)
    text = (source_root / "doc/schema-confirm.md").read_text()
    known = {word for name in re.findall(r"`\.?([\w.]+)`", text) for word in name.split(".")}
    missing = [key for key in document if key not in known]
    missing += [f"{outer}.{key}" for outer in ("plan", "under_test") for key in document[outer] if key not in known]
    assert not missing


def test_diagnose_keeps_how_to_run_it_again(plumb, tmp_path):
    case, text = tmp_path / "case", tmp_path / "in put"
    text.write_text("x\n")
    with open(text) as stream:
        subprocess.run([plumb, "diagnose", "-q", "--case", case, "--", "sh", "-c", "cat; echo 'a b'"], stdin=stream, cwd=tmp_path,
                       env={**os.environ, "MALLOC_ARENA_MAX": "2", "SECRET_TOKEN": "hunter2"}, capture_output=True, timeout=120)
    command = json.loads((case / "command.json").read_text())
    assert command["argv"] == ["sh", "-c", "cat; echo 'a b'"] and command["directory"] == str(tmp_path)
    assert command["standard_input"] == "file" and command["standard_input_file"] == str(text)
    assert {"name": "MALLOC_ARENA_MAX", "value": "2"} in command["environment"]
    assert "hunter2" not in "".join(part.read_text(errors="replace") for part in case.glob("*.json"))


def huge_pages_case(tmp_path, line):
    policy = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if not policy.exists() or "[madvise]" not in policy.read_text():
        pytest.skip("transparent huge pages are not set to madvise")
    return case_at(tmp_path / "case", "", (0.01, 0.3, 0.9), of="CPU time", identity="small-pages", argv=["/usr/bin/python3", "-c", line],
                   directory=str(tmp_path), environment=[])


def test_huge_pages_are_seen_to_take_hold(plumb, tmp_path):
    case = huge_pages_case(tmp_path, "import time; data = bytearray(b'1') * (100 << 20); time.sleep(0.1)")
    document = json.loads(confirm(plumb, case, "--json", "-n", "2").stdout)
    assert document["experiment"] == "huge-pages-from-malloc"
    if isinstance(document["sign_b"], dict):
        pytest.skip("page sizes: " + document["sign_b"]["not_measured"])
    assert document["sign_a"] < 0.1
    if document["sign_b"] < 0.5:
        pytest.skip("no huge page is free")
    assert document["took_hold"] == "yes"


def test_a_change_that_does_not_take_hold_is_no_test(plumb, tmp_path):
    line = ("import mmap, time; m = mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
            "for at in range(0, 64 << 20, 4096): m[at] = 1\ntime.sleep(0.1)")
    case = huge_pages_case(tmp_path, line)
    begun = time.monotonic()
    done = confirm(plumb, case, "--json")
    is_quick = time.monotonic() - begun < 2  # so that a warm-up and a block take less than a second each: it looks at three of those
    document = json.loads(done.stdout)
    if document["took_hold"] == "unknown":
        pytest.skip("page sizes could not be measured")
    assert done.returncode == 4 and document["took_hold"] == "no" and "did not take hold" in document["sentence"], done.stdout
    assert document["realised_gain"] is None and document["pairs"] in ((3,) if is_quick else (1, 2, 3)), "what nothing was changed in has no gain"
    page = confirm(plumb, case).stdout
    assert "realised gain   not measured, because the change did not take hold" in page, page


def test_diagnose_shows_what_came_of_it(plumb, tmp_path):
    case = tmp_path / "case"
    subprocess.run([plumb, "diagnose", "-q", "--case", case, "--", "sleep", "0.2"], capture_output=True, timeout=120)
    findings = json.loads((case / "findings.json").read_text())
    assert findings["confirmation"] is None
    done = confirm(plumb, case, "--finding", "waiting", "-n", "6", "--", "sleep", "0.05")
    kept = json.loads((case / "confirm.json").read_text())
    replayed = subprocess.run([plumb, "diagnose", "--json", "--case", case], capture_output=True, text=True, timeout=120)
    shown = json.loads(replayed.stdout)["confirmation"]
    assert shown["finding"] == "waiting" and shown["verdict"] == kept["verdict"] and shown["realised_gain"] == kept["realised_gain"], done.stdout
    page = subprocess.run([plumb, "diagnose", "--case", case], capture_output=True, text=True, timeout=120).stdout
    assert "Tested       waiting: " in page
    (case / "confirm.json").write_text("[")
    broken = subprocess.run([plumb, "diagnose", "--case", case], capture_output=True, text=True, timeout=120)
    assert broken.returncode == replayed.returncode and re.search(r"confirm\.json': not valid\s+JSON", broken.stdout), broken.stdout


def test_a_process_that_was_watched_must_still_be_that_one(plumb, tmp_path):
    case, sleeper = tmp_path / "case", subprocess.Popen(["sleep", "60"])
    try:
        subprocess.run([plumb, "diagnose", "-q", "--case", case, "--duration", "0.5", "-p", str(sleeper.pid)], capture_output=True, timeout=120)
        command = json.loads((case / "command.json").read_text())
        assert [process["pid"] for process in command["processes"]] == [sleeper.pid]
        made = case_at(tmp_path / "small", "", (0.2, 0.3, 0.4), identity="small-pages", **command)
        manifest = json.loads((made / "manifest.json").read_text())
        (made / "manifest.json").write_text(json.dumps({**manifest, "scope": "attached", "target": f"-p {sleeper.pid}"}))
        plan = confirm(plumb, made, "--dry-run")
        assert plan.returncode == 0 and "collapse-pages" in plan.stdout, plan.stderr
        assert confirm(plumb, made, "--", "true").returncode == 2
        command["processes"][0]["start_ticks"] += 1
        (made / "command.json").write_text(json.dumps(command))
        other = confirm(plumb, made)
        assert other.returncode == 1 and "another one than the case watched" in other.stderr
    finally:
        sleeper.kill()
        sleeper.wait()
    ended = confirm(plumb, made)
    assert ended.returncode == 1 and "has ended" in ended.stderr


def bottleneck_case(folder, command, share, *names):
    """A case whose estimated bottleneck takes that share of the CPU time, claimed by hand."""
    case = case_at(folder, command, (0.1, 0.2, 0.3), of="CPU time")
    findings = json.loads((case / "findings.json").read_text())
    findings["verdict"]["culprit"] = None
    findings["bottleneck"] = {"estimated": True, "class": names[0], "subclass": names[1], "share": share, "recoverable": None,
                              "recoverable_why": "not told", "function": "run"}
    (case / "findings.json").write_text(json.dumps(findings))
    return case


@pytest.mark.skipif(platform.machine() != "x86_64", reason="stepping is built for x86-64")
def test_bursts_overturn_wrong_guesses_that_are_not_there(plumb, tmp_path):
    case = bottleneck_case(tmp_path / "case", "true", [0.95, 0.97, 0.99], "bad_speculation", "conditional")
    source, program = tmp_path / "straight.c", tmp_path / "straight"
    source.write_text("#include <time.h>\nint main(void) { volatile double x = 1; while (clock() < 3 * CLOCKS_PER_SEC)\n"
                      "for (int i = 0; i < 1000000; i++) x = x * 1.0000001; return 0; }\n")
    subprocess.run(["cc", "-O1", "-o", program, source], check=True, timeout=60)
    manifest = json.loads((case / "manifest.json").read_text())
    manifest.update(command=str(program), elapsed_s=3.0)
    (case / "manifest.json").write_text(json.dumps(manifest))
    plan = confirm(plumb, case, "--dry-run")
    assert plan.returncode == 0 and "step-bursts" in plan.stdout and "once more" in plan.stdout, plan
    done = confirm(plumb, case)
    if not (case / "confirm.json").exists(): # no experiment could be made
        assert done.returncode == 4, done.stderr
        pytest.skip(done.stdout)
    document = json.loads((case / "confirm.json").read_text())
    assert (done.returncode, document["verdict"], document["measure"]) == (3, "overturned", "share_at_most"), done.stdout
    assert document["realised_gain"] is None and document["measured"]["high"] < 0.5 and document["b"] is None
    assert "wrong guesses" in done.stdout


def test_an_estimated_finding_claims_the_share_that_the_estimate_says_of_the_same_instruction(plumb, tmp_path):
    case = bottleneck_case(tmp_path / "case", "true", [0.95, 0.97, 0.99], "bad_speculation", "conditional")
    findings = json.loads((case / "findings.json").read_text())
    finding = findings["findings"][0]
    findings["verdict"]["culprit"] = "branch-mispredicts"
    finding.update(id="branch-mispredicts", recoverable_ratio=None, recoverable_ratio_at_most=0.99, estimated=True, subject="add $3,%rdx")
    for instruction, words in (("add $3,%rdx", "step-bursts: a look at"), ("ret", "no least share")):
        findings["bottleneck"]["instruction"] = instruction
        (case / "findings.json").write_text(json.dumps(findings))
        page = " ".join(confirm(plumb, case, "--dry-run").stdout.split())
        assert words in page or "x86" in page, page


@pytest.mark.skipif(platform.machine() != "x86_64", reason="stepping is built for x86-64")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_share_of_the_elapsed_time_of_one_thread_is_one_of_cpu_time(plumb, tmp_path, threads):
    """Bursts bound a share of the CPU time; what can't be made isn't offered as another finding either."""
    case = bottleneck_case(tmp_path / "case", "sleep 0.2", [0.95, 0.97, 0.99], "core", "latency_chain")
    findings = json.loads((case / "findings.json").read_text())
    findings["run"]["threads"] = threads
    findings["findings"][0].update(id="branch-mispredicts", of="elapsed time", recoverable_ratio={"low": 0.3, "mid": 0.4, "high": 0.45})
    (case / "findings.json").write_text(json.dumps(findings))
    page = " ".join(confirm(plumb, case).stdout.split())
    assert ("plumb confirm --finding branch-mispredicts" in page) == (threads == 1), page
    plan = confirm(plumb, case, "--finding", "branch-mispredicts", "--dry-run")
    page = " ".join(plan.stdout.split())
    if threads == 1:
        assert "without effect" not in page
        asked = " ".join(confirm(plumb, case, "--finding", "branch-mispredicts", "--dry-run", "-n", "9", "--work", "x").stdout.split())
        assert "without effect here, as no pairs of runs are made: --runs, --work" in asked, asked
        assert "step-bursts: a look at" in page and "the command is run 25 times more, which takes about 5 s" in page, page
    else:
        assert "a share of the elapsed time, in which several threads ran" in page and plan.returncode == 4, page


def test_equal_times_may_be_given_ones(plumb, tmp_path):
    case = case_at(tmp_path / "case", "sleep 0.1", (0.85, 0.9, 0.95))
    done = confirm(plumb, case, "-n", "6", "--", "sleep", "0.100")
    page = " ".join(done.stdout.split())
    differs = "the change makes it slower" in page or "the change makes it faster" in page # by chance, beside others that run
    assert done.returncode == 3 and ("--work WORD compares what it does in it" in page or differs), done.stdout


def test_bandwidth_beside_hogs_proves_itself_first(plumb, tmp_path):
    case = bottleneck_case(tmp_path / "case", "sh -c :", [0.7, 0.8, 0.9], "memory", "bandwidth")
    done = confirm(plumb, case, "--json", "-n", "6")
    document = json.loads(done.stdout)
    if document["experiment"] is None: # no power here, or one CPU
        assert done.returncode == 4
        why = {item["experiment"]: item["why"] for item in document["not_made"]}["beside-hogs"]
        assert "power" in why or "second CPU" in why or "core" in why, why
    else:
        assert document["experiment"] == "beside-hogs" and document["measure"] == "slow_down"
    unclaimed = bottleneck_case(tmp_path / "unclaimed", "sh -c :", [0, 0.8, 0.9], "memory", "bandwidth")
    assert "no least share" in confirm(plumb, unclaimed, "--dry-run").stdout
