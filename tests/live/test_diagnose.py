# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose on this machine: verdicts that can't depend on its speed, exit codes, and replay."""
import json
import os
import shutil
import subprocess
import sys
import time

import pytest

BUSY = "import time\nend = time.process_time() + {s}\nwhile time.process_time() < end:\n    sum(range(1000))\n"


def diagnose_json(run, *arguments, **options):
    finished = run("diagnose", "--json", *arguments, **options)
    assert finished.stdout.lstrip().startswith("{"), finished.stdout + finished.stderr
    return finished, json.loads(finished.stdout)


def case_of(plumb, folder, *words):
    """(a case, what was printed when it was made, its exit status); nobody changes it."""
    finished = subprocess.run([plumb, "diagnose", "--json", "--case", folder / "case", *words], capture_output=True, text=True, timeout=60)
    assert finished.stdout.lstrip().startswith("{"), finished.stdout + finished.stderr
    return folder / "case", finished.stdout, finished.returncode


@pytest.fixture(scope="module")
def slept(plumb, tmp_path_factory):
    return case_of(plumb, tmp_path_factory.mktemp("slept"), "--", "sleep", "0.6")


@pytest.fixture(scope="module")
def busy(plumb, tmp_path_factory):
    return case_of(plumb, tmp_path_factory.mktemp("busy"), "--", sys.executable, "-c", BUSY.format(s=0.6))


def test_a_sleeper_waits(slept):
    _, printed, status = slept
    found = json.loads(printed)
    assert found["verdict"]["kind"] == "waits"
    assert "not a CPU problem" in found["verdict"]["sentence"]
    assert status == 0


def test_the_programs_output_stays_its_own(run, tmp_path):
    page = tmp_path / "page"
    finished = run("diagnose", "-o", page, "--", "echo", "mine")
    assert finished.stdout == "mine\n" and finished.returncode == 4
    assert "plumb diagnose" in page.read_text()
    refused = run("diagnose", "-o", "/proc/none/x", "--", "echo", "mine")
    assert refused.returncode == 1 and not refused.stdout and "/proc/none/x" in refused.stderr


def test_too_short_is_inconclusive(run):
    finished, found = diagnose_json(run, "--", "true")
    assert found["verdict"]["kind"] in ("too_short", "blind")
    assert finished.returncode == 4


@pytest.mark.parametrize("command,status", [
    (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137), (["/nonexistent"], 127), (["/etc/passwd"], 126)])
def test_exit_status_is_the_programs(run, command, status):
    assert run("diagnose", "-q", "--", *command).returncode == status


@pytest.mark.parametrize("arguments,words", [
    (["--", ], "nothing to diagnose"), (["--effect", "0", "--", "true"], "--effect"),
    (["-p", "1", "--", "true"], "exclude"), (["--runs", "2", "-p", "1"], "--runs"),
    (["--colour", "never"], "color"), (["--freq", "0", "--", "true"], "--freq")])
def test_usage(run, arguments, words):
    finished = run("diagnose", *arguments)
    assert finished.returncode == 2
    assert words in finished.stderr


def test_every_hypothesis_appears_and_a_case_replays_to_the_same_bytes(run, busy):
    case, printed, status = busy
    assert status == 0
    first = (case / "findings.json").read_text()
    again = run("diagnose", "--case", case, "--json")
    assert again.stdout == first == printed
    found = json.loads(first)
    assert len(found["findings"]) >= 30
    for finding in found["findings"]:
        assert finding["verdict"] in ("supported", "undecided", "ruled_out", "not_testable")
        if finding["verdict"] in ("ruled_out", "not_testable"):
            assert finding["reason"]
    assert "NaN" not in first and "Infinity" not in first


@pytest.fixture(scope="module")
def whole_case(plumb, tmp_path_factory):
    """A case that has every part there is, made from a binary that is gone by then; never changed by a test."""
    folder = tmp_path_factory.mktemp("whole")
    program = folder / "program"
    shutil.copy("/bin/sh", program)
    (folder / "tma").write_text("tma_frontend_bound 4.3 %\n")
    script = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"
    finished = subprocess.run([plumb, "diagnose", "--json", "--runs", "2", "--case", folder / "case", "--import", folder / "tma",
                               "--", program, "-c", script], capture_output=True, text=True, check=False)
    assert finished.returncode in (0, 4), finished.stderr
    program.unlink()
    return folder / "case", finished.stdout


def test_a_copy_replays_to_the_same_bytes_without_the_binary(run, whole_case, tmp_path):
    case, first = whole_case
    shutil.copytree(case, tmp_path / "elsewhere")
    assert run("diagnose", "--json", "--case", tmp_path / "elsewhere", cwd="/").stdout == first


def test_each_part_of_a_case_is_optional(run, whole_case, tmp_path):
    case, _ = whole_case
    parts = {part.name for part in case.iterdir()} - {"manifest.json"}
    assert "calibration.json" in parts
    assert parts >= {"costs.json", "pages.json", "code.json", "activity.json", "machine.json", "perf.data", "perf.data.2",
                     "findings.json", "counters.json", "runs.json", "imports.json", "statements.json"} or "perf.data" not in parts
    for part in sorted(parts):
        copy = tmp_path / f"without-{part}"
        shutil.copytree(case, copy)
        (copy / part).unlink()
        finished, found = diagnose_json(run, "--case", copy)
        assert finished.returncode in (0, 4), part + finished.stderr
        assert len(found["findings"]) >= 30
        assert "NaN" not in finished.stdout and "Infinity" not in finished.stdout
    for part in sorted(parts):
        (copy / part).unlink(missing_ok=True)
    finished, found = diagnose_json(run, "--case", copy)
    assert finished.returncode in (0, 4), "the manifest alone: elapsed and CPU time"
    assert "not_measured" in found["profile"] and found["counters"] == [] and found["runs"] is None


def test_broken_parts_are_named(run, whole_case, tmp_path):
    case = tmp_path / "case"
    shutil.copytree(whole_case[0], case)
    for part in ("manifest.json", "code.json", "costs.json", "activity.json", "machine.json", "counters.json", "pages.json",
                 "calibration.json", "perf.data"):
        if not (case / part).exists():
            continue
        whole = (case / part).read_bytes()
        for broken in (whole[: len(whole) // 2], b"", b"[]", b"{}", b"\xff\xfe", b'{"schema": 99}'):
            (case / part).write_bytes(broken)
            finished = run("diagnose", "--case", case, "-q")
            assert finished.returncode in (0, 1, 4), (part, broken[:20], finished.stderr)
            if finished.returncode == 1:
                assert part in finished.stderr
        (case / part).write_bytes(whole)


def test_the_machine_is_calibrated_beside_the_run(run, whole_case, tmp_path):
    case, first = whole_case
    beside = json.loads((case / "calibration.json").read_text())
    for moment in ("before", "after"):
        assert 3e8 < beside[moment]["clock_hz"]["mid"] < 8e9, moment
        assert beside[moment]["load_latency_ns"][-1]["on_4k_pages"]["mid"] > 1
    assert beside["after"]["taken_at_s"] > beside["before"]["taken_at_s"]
    for glimpse in beside["during"]:
        assert 3e8 < glimpse["clock_hz"] < 8e9 and 0.1 < glimpse["issue_per_cycle"] < 12
    shown = json.loads(first)["calibration"]
    assert shown["glimpses"] == len(beside["during"]) and "not_measured" not in shown
    absurd = {"cpu": 0, "at_s": 1e300, "clock_hz": -1, "issue_per_cycle": 1e9}
    for at, (during, is_broken) in enumerate((([], False), (beside["during"] * 5000, False), ([absurd], True))):
        copy = tmp_path / str(at)
        shutil.copytree(case, copy)
        (copy / "calibration.json").write_text(json.dumps(beside | {"during": during}))
        again = run("diagnose", "--json", "--case", copy)
        assert again.returncode in (0, 4), again.stderr
        assert ("is no glimpse at a CPU" in again.stdout) == is_broken, "a damaged part is named and left out"
    (copy / "calibration.json").write_text(json.dumps(beside | {
        "during": [{"cpu": 0, "at_s": at, "clock_hz": 3e9, "issue_per_cycle": 1.0} for at in range(8)]}))
    page = run("diagnose", "--case", copy).stdout
    if beside["before"].get("issue_slots"):
        assert "your core is being shared" in page and "of issue width gone" in page


def test_attaching_leaves_the_start_out(run):
    process = subprocess.Popen([sys.executable, "-c", BUSY.format(s=20)])
    try:
        time.sleep(0.5)
        finished, found = diagnose_json(run, "-p", str(process.pid), "--duration", "1")
        assert finished.returncode == 0, finished.stderr
        assert process.poll() is None, "the process must go on"
        assert 0.8 < found["run"]["elapsed_s"] < 3
        assert found["profile"].get("samples", 1) > 0
    finally:
        process.kill()
        process.wait()


def test_no_such_process(run):
    finished = run("diagnose", "-p", "4194304", "--duration", "1")
    assert finished.returncode in (1, 2)
    assert "4194304" in finished.stderr


def test_a_case_is_not_overwritten(run, slept, tmp_path):
    case = tmp_path / "case"
    shutil.copytree(slept[0], case)
    finished = run("diagnose", "--case", case, "-q", "--", "true")
    assert finished.returncode == 2
    assert "already holds a case" in finished.stderr
    assert {part.name: part.read_bytes() for part in case.iterdir()} == {part.name: part.read_bytes() for part in slept[0].iterdir()}


def test_what_is_no_case_gets_none_put_into_it(run, tmp_path):
    """Files of somebody else's; an empty folder, and parts of a case that came to no end, are no such thing."""
    (tmp_path / "notes.txt").write_text("mine")
    finished = run("diagnose", "--case", tmp_path, "-q", "--", "true")
    assert finished.returncode == 2 and "notes.txt" in finished.stderr and [one.name for one in tmp_path.iterdir()] == ["notes.txt"]
    for name in ("empty", "begun"):
        (tmp_path / name).mkdir()
    (tmp_path / "begun/activity.json").write_text("{}")
    for name in ("empty", "begun"):
        assert "is no case" not in run("diagnose", "--case", tmp_path / name, "-q", "--", "true").stderr and (tmp_path / name / "manifest.json").exists()


def test_lines_fit_a_terminal(run, busy, slept):
    for case in (busy[0], slept[0]):
        page = run("diagnose", "--case", case, env={"LC_ALL": "C.UTF-8"}).stdout
        assert max(len(line) for line in page.splitlines()) <= 110
        assert run("diagnose", "--case", case, env={"LC_ALL": "C"}).stdout.isascii()
    # and a command of several lines
    script = run("diagnose", "--", sys.executable, "-c", "x = 1\ny = 2\n" + BUSY.format(s=0.3), env={"LC_ALL": "C.UTF-8"}).stdout
    assert max(len(line) for line in script.splitlines()) <= 110


def test_colour_is_asked_for(run, slept):
    assert "\033[" not in run("diagnose", "-q", "--case", slept[0]).stdout
    assert "\033[" in run("diagnose", "-q", "--color", "always", "--case", slept[0]).stdout


def test_imports_are_labelled_and_decide_nothing(run, busy, tmp_path, source_root):
    case, printed, _ = busy
    before = json.loads(printed)
    exits = source_root / "tests/fuzz/seeds/import_text/exits"
    finished, after = diagnose_json(run, "--case", case, "--import", exits, "--say", "the host is new")
    assert [s["origin"] for s in after["statements"]] == [
        "imported, not measured by plumb: table of exits", "said by a person"]
    assert "EXIT_REASON_EXTERNAL_INTERRUPT" in after["statements"][0]["text"]
    told = after["verdict"]["open"]  # an imported table may leave a question; it answers none
    assert after["verdict"] | {"open": []} == before["verdict"] | {"open": []}, told
    missing = run("diagnose", "--case", case, "--import", tmp_path / "nothing")
    assert missing.returncode == 1 and "nothing" in missing.stderr


def test_what_a_program_leaves_running_is_named(run):
    found = diagnose_json(run, "--", "sh", "-c", "sleep 3 >/dev/null 2>&1 & sleep 0.3")[1]
    assert any(gap["what"] == "what it left running" and "-p" in gap["why"] for gap in found["not_measured"])


def test_the_program_keeps_its_streams_and_its_folder(run, tmp_path):
    finished = run("diagnose", "-q", "--", "sh", "-c", "read word; echo $word here; echo there >&2; pwd; cd /; sleep 0.2",
                   input="hello\n", cwd=tmp_path)
    assert "hello here" in finished.stdout and "there" in finished.stderr and str(tmp_path) in finished.stdout


def test_time_limits_end_the_program(run):
    finished = run("diagnose", "-q", "--duration", "0.5", "--", "sleep", "60", timeout=20)
    assert finished.returncode == 143
    finished = run("diagnose", "-q", "--duration", "0.5", "--", "sh", "-c", "trap '' TERM; while :; do :; done", timeout=20)
    assert finished.returncode == 137


def test_the_progress_line_is_for_terminals(plumb, run):
    assert "watching" not in run("diagnose", "--", "sleep", "0.3").stderr
    leader, follower = os.openpty()
    environment = os.environ | {"TERM": "xterm"}
    with subprocess.Popen([plumb, "diagnose", "--", "sleep", "0.3"], stdout=subprocess.DEVNULL, stderr=follower, env=environment):
        os.close(follower)
        seen = b""
        try:
            while chunk := os.read(leader, 4096):
                seen += chunk
        except OSError:
            pass
    os.close(leader)
    assert b"plumb: watching" in seen and seen.endswith(b"\r\033[K")


def test_a_replay_keeps_the_effect_unless_told_otherwise(run, tmp_path):
    case = tmp_path / "case"
    first = diagnose_json(run, "--effect", "30", "--case", case, "--", sys.executable, "-c", BUSY.format(s=0.3))[1]
    assert first["effect"] == pytest.approx(0.3)
    assert diagnose_json(run, "--case", case)[1] == first
    assert diagnose_json(run, "--case", case, "--effect", "2")[1]["effect"] == pytest.approx(0.02)
    assert run("diagnose", "--case", case, "--effect", "-1").returncode == 2


WIDTHS = """
#include <stdlib.h>
static volatile unsigned kept;
unsigned char a[16384], b[16384], c[16384];
__attribute__((noinline)) static void together(void) { for (int i = 0; i < 16384; i++) c[i] = a[i] * 3 + b[i]; }
__attribute__((noinline)) static unsigned chained(unsigned h) { for (int i = 0; i < 16384; i++) h = h * 33 ^ a[i]; return h; }
int main(int count, char **words)
{
    unsigned h = 1;
    for (long turn = atol(words[2]); turn > 0; turn--)
        if (words[1][0] == 't') together(); else h = chained(h);
    kept = h + c[5];
    return count == 0;
}
"""


@pytest.mark.parametrize("loop, turns, found", [("together", "40000", True), ("chained", "20000", False)])
def test_integer_loops_that_could_compute_more_at_once_are_told_from_chains(run, tmp_path, loop, turns, found):
    (tmp_path / "widths.c").write_text(WIDTHS)
    compiled = subprocess.run(["gcc", "-O2", "-fno-tree-vectorize", "-o", tmp_path / "widths", tmp_path / "widths.c"])
    if compiled.returncode:
        pytest.skip("no compiler")
    _, result = diagnose_json(run, "--", tmp_path / "widths", loop, turns)
    by_id = {finding["id"]: finding for finding in result["findings"]}
    narrow = by_id["narrow-vectors"]
    if narrow["verdict"] == "not_testable":
        pytest.skip(narrow["reason"])
    if "avx2" not in open("/proc/cpuinfo").read():
        pytest.skip("nothing wider than 128 bits here")
    assert (narrow["verdict"] == "supported") == found, narrow
    if found:
        assert "together computes one 8-bit number at a time" in narrow["headline"]
    else:
        assert narrow["verdict"] == "ruled_out", narrow


DIVISIONS = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static uint32_t values[65536];
volatile uint64_t kept;
__attribute__((noinline)) uint64_t chained(uint64_t by)
{
    uint64_t sum = 0;
    for (int at = 0; at < 65536; at++)
        sum = (sum * 257 + values[at]) % by;
    return sum;
}
__attribute__((noinline)) uint64_t apart(uint64_t by)
{
    uint64_t sum = 0;
    for (int at = 0; at < 65536; at++)
        sum += values[at] * 2654435761ull / by;
    return sum;
}
int main(int count, char **words)
{
    for (int at = 0; at < 65536; at++)
        values[at] = at * 2654435761u;
    for (int turn = 0; turn < 2000; turn++)
        kept = words[1][0] == 'c' ? chained(36028797018963913ull + turn) : apart(1000003 + turn);
    return count == 0;
}
"""


@pytest.mark.parametrize("loop", ["chained", "apart"])
def test_divisions_that_wait_for_one_another_are_told_from_those_that_do_not(run, tmp_path, loop):
    (tmp_path / "divisions.c").write_text(DIVISIONS)
    compiled = subprocess.run(["gcc", "-O2", "-o", tmp_path / "divisions", tmp_path / "divisions.c"])
    if compiled.returncode:
        pytest.skip("no compiler")
    _, result = diagnose_json(run, "--", tmp_path / "divisions", loop)
    by_id = {finding["id"]: finding for finding in result["findings"]}
    if by_id["divider"]["verdict"] == "not_testable":
        pytest.skip(by_id["divider"]["reason"])
    said = "each division waits for the result of the one before"
    assert by_id["divider"]["verdict"] == "supported", by_id["divider"]
    assert (said in by_id["divider"]["headline"]) == (loop == "chained"), by_id["divider"]
    if loop == "chained":
        assert by_id["latency-chain"]["headline"] == by_id["divider"]["headline"]
        assert "break the chain" in by_id["divider"]["advice"][0]
    else:
        assert said not in str(by_id["latency-chain"].get("headline"))
