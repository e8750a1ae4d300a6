# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb compare on commands whose difference is known by construction (never a bound on time alone)."""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

import pytest


def compare(plumb, *words, **more):
    """Without blocks under the sampler, unless a test asks for them: most aren't about what explains a difference."""
    if "--explain" not in words and "--saved" not in words:
        words = ("--explain", "0", *words)
    return subprocess.run([plumb, "compare", "-q", *words], capture_output=True, text=True, timeout=120, **more)


SLEEPERS = {
    "longer": ["-n", "7", "--json", "sleep", "0.01", "--", "sleep", "0.6"], # far beyond what a busy machine adds
    "decided": ["--json", "sleep", "0.01", "--", "sleep", "0.1"],
    "several": ["-n", "8", "--json", "sleep", "0.12", "--", "sleep", "0.25", "--", "sleep", "0.002"],
    "labelled": ["-n", "6", "-L", "short", "-L", "long", "sleep", "0.01", "--", "sleep", "0.15"],
    "braces": ["-n", "6", "--json", "sleep", "0.{01,1}"],
    "predicted": ["-n", "6", "--predicted", "50,80,99", "sleep", "0.15", "--", "sleep", "0.01"],
    "documented": ["-n", "8", "--json", "--explain", "2", "sleep", "0.01", "--", "sleep", "0.15"],
}


@pytest.fixture(scope="module")
def slept(plumb):
    """What became of each of them: made at the same time, as none of them does anything but sleep."""
    with concurrent.futures.ThreadPoolExecutor(len(SLEEPERS)) as pool:
        return dict(zip(SLEEPERS, pool.map(lambda words: compare(plumb, *words), SLEEPERS.values())))


def test_a_longer_sleep_is_slower(slept):
    result = slept["longer"]
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["schema"] == "plumb-compare-2" and document["blocks"] == 7
    (comparison,) = document["comparisons"]
    assert comparison["verdict"] == "slower" and comparison["pairs"] == 7
    assert comparison["ratio"]["low"] > 1
    assert [arm["label"] for arm in document["arms"]] == ["A", "B", "A again"]
    assert all(len(arm["runs"]["wall"]) == 7 for arm in document["arms"])


def test_it_stops_when_it_is_decided(slept):
    document = json.loads(slept["decided"].stdout)
    assert document["stopped"] == "decided" and 8 <= document["blocks"] < 60
    assert document["comparisons"][0]["level"] > 0.95, "an early look must be surer than 95 %"


def test_several_commands_are_each_held_against_the_first(slept):
    verdicts = [item["verdict"] for item in json.loads(slept["several"].stdout)["comparisons"]]
    assert verdicts == ["slower", "faster"]
    text = slept["labelled"].stdout
    assert "long takes" in text and "than short" in text


def test_alternatives_in_braces(plumb, slept):
    document = json.loads(slept["braces"].stdout)
    assert [arm["command"] for arm in document["arms"]] == ["sleep 0.01", "sleep 0.1", "sleep 0.01"]
    assert [arm["label"] for arm in document["arms"]] == ["01", "1", "01 again"]
    assert compare(plumb, "-n", "6", "echo", "{one}").returncode == 2


def test_environment_shell_and_preparation(plumb, tmp_path):
    log = tmp_path / "log"
    result = compare(plumb, "-n", "1", "--warmup", "0", "--no-noise-floor", "--shell", "--env", f"LOG={log}", "--prepare",
                     f"echo ready >> {log}", "echo A >> $LOG", "--", "echo B >> $LOG")
    assert result.returncode == 4, result.stderr
    assert sorted(log.read_text().split()) == ["A", "B", "ready", "ready"]
    log.unlink()
    compare(plumb, "-n", "1", "--warmup", "0", "--no-noise-floor", f"LOG={log}", "WHO=first", "sh", "-c",
            "echo $WHO >> $LOG", "--", f"LOG={log}", "sh", "-c", "echo second >> $LOG")
    assert sorted(log.read_text().split()) == ["first", "second"]
    assert compare(plumb, "-n", "1", "--prepare", "exit 3", "true", "--", "true").returncode == 1
    assert compare(plumb, "--env", "novalue", "true", "--", "true").returncode == 2


def test_what_else_differs_is_named(plumb):
    words = [sys.executable, "-c"]
    result = compare(plumb, "-n", "8", "--json", *words, "x=bytearray(20<<20)", "--", *words, "x=bytearray(50<<20)")
    others = {item["quantity"]: item for item in json.loads(result.stdout)["comparisons"][0]["others"]}
    assert others["max-rss"]["false_discovery_rate"] <= 0.05
    assert 25e6 < others["max-rss"]["difference"]["mid"] < 35e6
    assert others["minor-faults"]["ratio"]["low"] > 1
    assert "not_measured" in others["cycles"] or others["cycles"]["p"] <= 1


@pytest.mark.alone
def test_a_growth_that_fails_has_its_own_status(plumb):
    arms = ["sleep", "0.01", "--", "sleep", "0.2"] # a busy machine adds some hundredths to either
    asked = {("6", "wall > 20%"): 3, ("6", "wall > 1000000%"): 0, ("2", "wall > 20%"): 4}
    with concurrent.futures.ThreadPoolExecutor() as pool: # they sleep nearly all of the time
        status = pool.map(lambda ask: compare(plumb, "-n", ask[0], "--fail-if", ask[1], *arms).returncode, asked)
    assert dict(zip(asked, status)) == asked
    assert compare(plumb, "-n", "6", "--fail-if", "major-faults > 5%", "true", "--", "true").returncode == 0, "none is no growth"
    for wrong in ("wall", "lunar > 2%", "wall > x%", "> 2%"):
        assert compare(plumb, "--fail-if", wrong, *arms).returncode == 2, wrong


def test_a_wrong_name_is_answered_with_all_that_there_are(plumb):
    refused = compare(plumb, "--fail-if", "speed > 2%", "true", "--", "true")
    assert refused.returncode == 2 and refused.stderr.rstrip().endswith("clock-running"), refused.stderr


def test_too_few_pairs_are_not_judged(plumb):
    assert "of one run" in compare(plumb, "-n", "1", "true", "--", "true").stdout
    result = compare(plumb, "-n", "2", "sleep", "0.01", "--", "sleep", "0.06")
    assert result.returncode == 4
    assert "needs 6" in result.stdout


def test_the_order_follows_the_seed(plumb, tmp_path):
    def order(seed):
        log = tmp_path / f"log{seed}"
        compare(plumb, "-n", "8", "--no-noise-floor", "--seed", str(seed), "--warmup", "0", "sh", "-c", f"echo A >> {log}",
                "--", "sh", "-c", f"echo B >> {log}")
        text = log.read_text().split()
        log.unlink()
        return text
    first = order(3)
    assert first == order(3)
    assert sorted(first) == ["A"] * 8 + ["B"] * 8
    assert any(order(seed) != first for seed in (4, 5, 6))


def test_prediction_stands_beside_the_realised_gain(slept):
    assert "predicted gain" in slept["predicted"].stdout and "realised gain" in slept["predicted"].stdout


def test_markdown_and_hyperfine(plumb, tmp_path):
    export = tmp_path / "runs.json"
    result = compare(plumb, "-n", "6", "--markdown", "--export-hyperfine", str(export), "sleep", "0.01", "--", "sleep", "0.6")
    rows = result.stdout.splitlines()
    assert len(rows) == 4 and all(row.startswith("|") and row.endswith("|") for row in rows)
    assert rows[2].startswith("| A | `sleep 0.01` | ") and rows[3].startswith("| B | `sleep 0.6` | ") and "slower" in rows[3]
    assert len({row.count("|") for row in rows}) == 1, "each row has all columns"
    few = compare(plumb, "-n", "2", "--markdown", "-L", "a|b", "-L", "d", "true", "--", "true").stdout.splitlines()
    assert "undecided: the range of 2 runs of each, no interval |" in few[3] and few[2].startswith("| a\\|b | ")
    results = json.loads(export.read_text())["results"]
    assert [item["command"] for item in results] == ["sleep 0.01", "sleep 0.6"]
    for item in results:
        assert len(item["times"]) == 6 and item["min"] <= item["median"] <= item["max"]
        assert item["exit_codes"] == [0] * 6
        assert min(item["times"]) == item["min"] and item["stddev"] >= 0
    compare(plumb, "-n", "6", "--explain", "0", "--export-hyperfine", str(export), "--treatment", "nice=0,1", "true")
    results = json.loads(export.read_text())["results"]
    assert [(item["command"], item["parameters"]["nice"]) for item in results] == [("nice=0", "0"), ("nice=1", "1")], "told apart"
    refused = compare(plumb, "-n", "6", "--export-hyperfine", "/proc/none/x", "true", "--", "true")
    assert refused.returncode == 1 and not refused.stdout, "said before anything is run"
    page = compare(plumb, "-n", "6", "--markdown", "sh", "-c", "true | cat", "--", "sh", "-c", "echo `true`").stdout
    assert "| A | `sh -c true \\| cat` |" in page and "| `` sh -c echo `true` `` |" in page


def test_runs_that_failed_are_counted(plumb, tmp_path):
    """Each second run of B ends with status 1."""
    turn = tmp_path / "turn"
    flaky = f"if [ -e {turn} ]; then rm {turn}; exit 1; else touch {turn}; fi"
    words = ("-i", "-n", "8", "--warmup", "0", "--no-noise-floor", "true", "--", "sh", "-c", flaky)
    page = " ".join(compare(plumb, *words).stdout.split())
    assert "Failed 4 of 8 runs of B ended with a status other than 0" in page
    document = json.loads(compare(plumb, "--json", *words).stdout)
    assert [arm["failed_runs"] for arm in document["arms"]] == [0, 4]
    assert "Failed" not in compare(plumb, "-n", "2", "true", "--", "true").stdout


def test_an_empty_alternative_has_a_name(plumb):
    document = json.loads(compare(plumb, "--json", "-n", "1", "echo", "{,-n}").stdout)
    assert [arm["label"] for arm in document["arms"]][:2] == ["(none)", "-n"]


def test_braces_of_code_are_no_alternatives(plumb):
    code = "BEGIN { x[1, 2]; if (0) {print 1, 2} }"
    assert compare(plumb, "-n", "1", "awk", code).returncode == 2, "one command"
    for words in (["awk", code], ["echo", "{1,2}"]):
        document = json.loads(compare(plumb, "--json", "-n", "1", "--treatment", "nice=0,1", *words).stdout)
        assert [(arm["label"], arm["command"]) for arm in document["arms"]][:2] == [(f"nice={at}", " ".join(words)) for at in (0, 1)]


def test_names_of_unequal_length_stand_in_one_column(plumb):
    page = compare(plumb, "-n", "6", "--warmup", "0", "-L", "as it was before", "-L", "now", "true", "--", "true").stdout.splitlines()
    rows = [line for line in page if "quartiles" in line]
    assert len(rows) == 2 and len({row.index("quartiles") for row in rows}) == 1, rows


def test_failing_commands_and_wrong_words(plumb, tmp_path):
    failed = compare(plumb, "-n", "1", "true", "--", "false")
    assert failed.returncode == 1 and "status 1" in failed.stderr
    assert compare(plumb, "-n", "6", "-i", "true", "--", "false").returncode in (0, 4)
    assert compare(plumb, "true").returncode == 2
    assert compare(plumb, "true", "--", "--", "true").returncode == 2
    late = compare(plumb, "-L", "one", "true", "--", "-L", "two", "true")
    assert late.returncode == 2 and "stands where a command begins" in late.stderr, late.stderr
    assert compare(plumb, "-L", "same", "-L", "same", "true", "--", "true").returncode == 2
    for length in ["-n", "0"], ["--time", "0"], ["--time", "-1"], ["-n", "100001"]:
        none = compare(plumb, *length, "true", "--", "true")
        assert none.returncode == 2 and "expects" in none.stderr, length
    wrong = compare(plumb, "--by", "lunar", "true", "--", "true")
    assert wrong.returncode == 2 and "max-rss" in wrong.stderr
    assert compare(plumb, "--cpu", "4095", "true", "--", "true").returncode != 0
    again = compare(plumb, "-n", "9", "true", "--", "sh", "-c", f"echo >> {tmp_path}/log; [ $(wc -l < {tmp_path}/log) -lt 4 ]")
    assert again.returncode == 1 and "ended well" in again.stderr and "a run failed" in again.stdout
    killed = compare(plumb, "true", "--", "sh", "-c", "kill -SEGV $$")
    assert killed.returncode == 1 and "signal 11" in killed.stderr
    terminal = compare(plumb, "-n", "6", "true", "--", "sh", "-c", "test -t 0")
    assert terminal.returncode == 1 and "script -qec" in terminal.stderr
    missing = compare(plumb, "no-such-program-here", "--", "true")
    assert missing.returncode == 127 and "no-such-program-here" in missing.stderr and "--shell" not in missing.stderr
    for words in (["sleep 0.1", "--", "true"], ["sleep 0.1", "sleep 0.2"]):
        assert "--shell" in compare(plumb, *words).stderr, words


def test_interrupted_keeps_the_complete_blocks(plumb, tmp_path):
    started = tmp_path / "started"
    process = subprocess.Popen([plumb, "compare", "-q", "-n", "1000", "--warmup", "0", "sh", "-c", f"echo >> {started}; sleep 0.01",
                                "--", "sleep", "0.03"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not started.exists() or len(started.read_text()) < 40:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert re.search(r"^[1-9]\d* blocks? of 3 runs .*: interrupted$", out, re.M), out
    assert all(re.search(rf"^ *{label} +\d.*quartiles", out, re.M) for label in "AB"), out
    assert process.returncode in (0, 4)  # 4: a machine this busy may let them look alike


def test_a_case_foretells_only_what_it_supports(plumb, tmp_path):
    def foretold(verdict, of, *words):
        lead = {"id": "small-pages", "verdict": verdict, "of": of, "recoverable_ratio": {"low": 0.5, "mid": 0.8, "high": 0.99}}
        other = {"id": "waiting", "verdict": "ruled_out"}
        (tmp_path / "findings.json").write_text(json.dumps({"run": {"elapsed_s": 1.0}, "findings": [lead, other]}))
        return compare(plumb, "-n", "6", "--predicted-by", str(tmp_path), *words)
    of_cpu = foretold("supported", "CPU time", "sleep", "0.01", "--", "sleep", "0.01")
    assert "CPU time; " in of_cpu.stdout and "predicted gain" in of_cpu.stdout, "what is foretold decides what is compared"
    supported = foretold("supported", "elapsed time", "sleep", "0.15", "--", "sleep", "0.01")
    assert "wall time" in supported.stdout
    assert supported.returncode == 0 and "by finding small-pages of the case" in supported.stdout
    by_cpu = compare(plumb, "--predicted-by", str(tmp_path), "--by", "cpu", "true", "--", "true")
    assert by_cpu.returncode == 2 and "--by wall" in by_cpu.stderr
    undecided = foretold("undecided", "elapsed time", "true", "--", "true")
    assert undecided.returncode == 1 and "foretells nothing" in undecided.stderr
    for finding, words in (("waiting", "ruled_out"), ("lunar", "not in the case")):
        asked = compare(plumb, "--predicted-by", str(tmp_path), "--finding", finding, "true", "--", "true")
        assert asked.returncode == 1 and words in asked.stderr
    (tmp_path / "findings.json").write_text("{")
    assert compare(plumb, "--predicted-by", str(tmp_path), "true", "--", "true").returncode == 1


SPINNER = """
__attribute__((noinline)) double heavy(int n) { volatile double s = 0; for (int i = 0; i < n; i++) s += i * 0.5; return s; }
__attribute__((noinline)) double light(int n) { volatile double s = 0; for (int i = 0; i < n; i++) s -= i; return s; }
int main(int count, char **words) { return heavy(count > 1 ? 20000000 : 5000000) + light(5000000) == 1; }
"""


def test_the_function_that_makes_the_difference_is_named(plumb, tmp_path):
    source, program = tmp_path / "spin.c", tmp_path / "spin"
    source.write_text(SPINNER)
    subprocess.run(["cc", "-O1", "-o", str(program), str(source)], check=True)
    other = tmp_path / "spin-new"
    other.write_bytes(program.read_bytes())
    other.chmod(0o755)
    result = compare(plumb, "-n", "6", "--by", "user", "--explain", "12", "-L", "v1.0", "-L", "v1-0", "--json", str(program), "--", str(other), "more")
    document = json.loads(result.stdout)
    if document["profile"] is None:
        pytest.skip(document["why_no_profile"] or "the runs were not told apart")
    first = document["profile"]["functions"][0]
    assert (first["function"], first["dso"]) == ("heavy", "(the program)")
    assert first["difference_s"]["low"] > 0
    assert document["profile"]["mean_difference_s"] > 0


    views = {item["view"] for item in document["comparisons"][0]["explained_by"]}
    assert {"function", "instruction", "vectors"} <= views
    leader = next(item for item in document["comparisons"][0]["explained_by"] if item["view"] == "function")
    assert leader["what"] == "heavy" and leader["share_of_difference"]["mid"] > 0.3
    assert any(row["instruction"].startswith("heavy+0x") for row in document["profile"]["instructions"][:5])
    assert {row["width"] for row in document["profile"]["vector_widths"]} & {"scalar floating point", "code on 128-bit vectors"}
    assert not any(fact["name"].startswith("(the program)") for fact in document["facts_differ"]), "the same build"


# Of each turn an addition of floating-point numbers is waited for; what follows it is where samples land.
ADDER = """
#include <stdlib.h>
template <class Number, class Place> struct Row { Number *items; Place count; };
template <class Number, class Place> __attribute__((noinline)) Number addRowToVector(const Row<Number, Place> &row, const Row<Number, Place> &, const Row<const Number, Place> &)
{
    Number sum = 0;
    for (Place at = 0; at < row.count; at++)
        sum += row.items[at];
    return sum;
}
int main(int, char **words)
{
    static float items[1 << 14];
    Row<float, unsigned long> row = {items, 1 << 14};
    Row<const float, unsigned long> other = {items, 1 << 14};
    float sum = 0;
    for (int at = atoi(words[1]); at > 0; at--) {
        asm volatile("" ::: "memory"); // none is like the one before
        sum += addRowToVector(row, row, other);
    }
    return sum == 1;
}
"""


def test_the_instruction_is_the_one_that_diagnose_names(plumb, tmp_path):
    source, program = tmp_path / "adder.cc", tmp_path / "adder"
    source.write_text(ADDER)
    subprocess.run(["c++", "-O1", "-o", str(program), str(source)], check=True)
    subprocess.run([plumb, "diagnose", "-q", "--case", tmp_path / "case", "--", program, "20000"], capture_output=True)
    lands = json.loads((tmp_path / "case/findings.json").read_text())["profile"].get("sampling", {}).get("lands")
    words = ["-n", "6", "--by", "user", "--explain", "6"]
    document = json.loads(compare(plumb, *words, "--json", str(program), "2000", "--", str(program), "8000").stdout)
    if document["profile"] is None or lands != "one_behind":
        pytest.skip(document["why_no_profile"] or "samples land elsewhere here")
    first = document["profile"]["instructions"][0]["instruction"]
    assert "addss" in first, document["profile"]["instructions"][:3]
    text = compare(plumb, *words, str(program), "2000", "--", str(program), "8000").stdout
    if "EXPLAINED BY" in text:
        named = [line for line in text.split("EXPLAINED BY")[1].splitlines() if "addRowToVector" in line]
        assert named and all(len(line) <= 150 and "Row<float, unsigned long> const&, Row<float" not in line for line in named), named


TOUCHER = """
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
    size_t size = 64u << 20;
    char *memory = aligned_alloc(2 << 20, size);
    madvise(memory, size, MADV_HUGEPAGE);
    for (size_t at = 0; at < size; at += 4096) memory[at] = 1;
    usleep(100000);
    return 0;
}
"""


@pytest.mark.alone
def test_a_setting_is_what_is_compared(plumb, tmp_path):
    source, program = tmp_path / "touch.c", tmp_path / "touch"
    source.write_text(TOUCHER)
    subprocess.run(["cc", "-O1", "-o", str(program), str(source)], check=True)
    switch = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if not switch.exists() or "[never]" in switch.read_text():
        pytest.skip("this machine gives no huge pages")
    before = switch.read_text()
    document = json.loads(compare(plumb, "-n", "6", "--by", "minor-faults", "--json", "--treatment", "thp=never,madvise",
                                  str(program)).stdout)
    assert switch.read_text() == before
    assert [arm["label"] for arm in document["arms"]][:2] == ["thp=never", "thp=madvise"]
    assert document["comparisons"][0]["verdict"] == "faster", "fewer faults"
    others = {item["quantity"]: item for item in document["comparisons"][0]["others"]}
    assert others["huge-pages"]["a_quartiles"]["high"] < 0.5 < others["huge-pages"]["b_quartiles"]["low"]
    assert {"name": "thp", "a": "never", "b": "madvise", "declared": True} in document["facts_differ"]


def test_settings_of_the_process_reach_it(plumb, tmp_path):
    log = tmp_path / "log"
    result = compare(plumb, "-n", "1", "--warmup", "0", "--no-noise-floor", "--treatment", "nice=3,5", "--treatment", "cpu=0/0",
                     "sh", "-c", f"echo $(nice) $(grep Cpus_allowed_list /proc/self/status) >> {log}")
    assert result.returncode == 4, result.stderr
    assert sorted(log.read_text().splitlines()) == ["3 Cpus_allowed_list: 0", "5 Cpus_allowed_list: 0"]
    assert "nice: 3 | 5" in result.stdout
    for words, status in ((["thp=sometimes,never"], 2), (["lunar=1,2"], 2), (["nice=1,2,3"], 2), (["cpu=0,4000"], 2), (["kernel=a,b"], 1)):
        wrong = compare(plumb, "--treatment", *words, "true", "--", "true")
        assert wrong.returncode == status and not wrong.stdout, (words, wrong)
    assert "--saved" in compare(plumb, "--treatment", "nohz_full=1,2", "true").stderr


@pytest.mark.alone
def test_a_machine_that_is_switched_meanwhile_voids_it(plumb):
    switch = pathlib.Path("/sys/kernel/mm/transparent_hugepage/shmem_enabled")
    if not os.access(switch, os.W_OK):
        pytest.skip("this machine's settings can't be switched")
    before = re.search(r"\[(\w+)\]", switch.read_text())[1]
    lines = [f"echo never > {switch}", f"echo advise > {switch}"]
    try:
        refused = compare(plumb, "-n", "6", "--shell", lines[0], "--", lines[1])
        assert refused.returncode == 1 and "thp_shmem" in refused.stderr and not refused.stdout
        for more in (["--force"], ["--treatment", "thp_shmem"]):
            done = compare(plumb, "-n", "6", "--shell", *more, lines[0], "--", lines[1])
            assert done.returncode in (0, 4) and "thp_shmem:" in done.stdout
    finally:
        switch.write_text(before)


@pytest.mark.alone
def test_killed_while_it_switched_the_machine_it_leaves_nothing_behind(plumb):
    switch = pathlib.Path("/sys/kernel/mm/transparent_hugepage/shmem_enabled")
    if not os.access(switch, os.W_OK):
        pytest.skip("this machine's settings can't be switched")
    before = re.search(r"\[(\w+)\]", switch.read_text())[1]
    other = "advise" if before == "never" else "never"
    words = ["compare", "-q", "-n", "50", "--warmup", "0", "--no-noise-floor", "--treatment", f"thp_shmem={before},{other}", "sleep", "0.3"]
    killed = subprocess.Popen([plumb, *words], stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        until = time.monotonic() + 20
        while f"[{other}]" not in switch.read_text() and time.monotonic() < until:
            time.sleep(0.005)
        second = subprocess.run([plumb, *words], capture_output=True, text=True, timeout=60)
        assert second.returncode == 1 and "another plumb" in second.stderr
        while f"[{other}]" not in switch.read_text() and time.monotonic() < until:
            time.sleep(0.005)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        while f"[{before}]" not in switch.read_text() and time.monotonic() < until + 20:
            time.sleep(0.01)
        assert f"[{before}]" in switch.read_text()
    finally:
        killed.kill()
        switch.write_text(before)


def test_unequal_and_varying_work_is_named(plumb):
    document = json.loads(compare(plumb, "-n", "8", "--json", "--shell", "head -c 1000 /dev/zero", "--",
                                  "head -c 90000 /dev/zero").stdout)
    assert "written-bytes" in document["comparisons"][0]["unequal_work"]
    text = compare(plumb, "-n", "6", "--shell", "head -c 1000 /dev/zero", "--", "head -c $(date +%N) /dev/zero").stdout
    assert "same work" in text
    same = json.loads(compare(plumb, "-n", "8", "--json", "true", "--", "true").stdout)
    assert same["comparisons"][0]["unequal_work"] == same["comparisons"][0]["varying_work"] == []


def output_of(plumb, *words):
    return json.loads(compare(plumb, "-n", "6", "--json", *words).stdout)["comparisons"][0]["output"]


def test_what_they_print_is_held_against_each_other(plumb):
    printed = output_of(plumb, "printf", "%s", "{abcd,abce}")  # as many bytes
    assert printed["verdict"] == "other" and printed["a"]["runs"] == 2 and printed["b"]["bytes_most"] == 4
    assert output_of(plumb, "--shell", "echo 12; echo 3", "--", "printf '12\\n3\\n'")["verdict"] == "same"
    assert output_of(plumb, "true", "--", "true")["verdict"] == "same"
    varying = output_of(plumb, "--shell", "date +%s%N", "--", "echo 7")
    assert varying["verdict"] == "varies" and varying["a"]["varies"] and not varying["b"]["varies"]
    assert output_of(plumb, "--warmup", "0", "echo", "1", "--", "echo", "2") is None
    page = compare(plumb, "-n", "6", "--shell", "date +%s%N", "--", "echo 7").stdout
    assert "What A prints varies from run to run" in " ".join(page.split())
    page = compare(plumb, "-n", "6", "--shell", "date +%s%N", "--", "echo 7", "--", "date +%N").stdout
    said = " ".join(page.split())
    assert said.count("What A prints varies") == 1 and said.count("prints varies") == 1  # of A once, and of C alone nothing is known


def test_much_output_and_a_child_that_keeps_the_pipe_open(plumb):
    much = output_of(plumb, "--shell", "head -c 3000000 /dev/zero", "--", "head -c 3000000 /dev/zero; sleep 3 2>/dev/null & echo x")
    assert much["verdict"] == "other" and much["a"]["bytes_most"] == 3000000 and much["b"]["bytes_most"] == 3000002


def test_who_writes_less_when_nobody_reads_is_named(plumb):
    """As grep does: it compares its output with /dev/null, and stops at the first match there."""
    line = "[ /dev/stdout -ef /dev/null ] || head -c 90000 /dev/zero"
    seen = output_of(plumb, "--shell", line, "--", "head -c 90000 /dev/zero")
    assert seen["verdict"] == "same" and seen["a"]["less_unread"] and not seen["b"]["less_unread"]
    page = compare(plumb, "-n", "6", "--shell", line, "--", "true").stdout
    assert "it may do less work then" in " ".join(page.split())


def test_every_quantity_is_there_or_says_why(plumb):
    words = [sys.executable, "-c", "import time; print(sum(range(300000))); time.sleep(0.1)"]  # its pages are looked at after 20 ms
    document = json.loads(compare(plumb, "-n", "6", "--json", *words, "--", *words).stdout)
    runs = document["arms"][0]["runs"]
    for name in ("wall", "cpu", "user", "system", "max-rss", "minor-faults", "voluntary-switches", "clock", "written-bytes", "read-bytes",
                 "huge-pages"):
        assert all(value is not None for value in runs[name]), name
    missing = {item["quantity"] for item in document["comparisons"][0]["others"] if "not_measured" in item}
    assert all(name in missing or all(value is not None for value in runs[name]) for name in ("cycles", "ipc", "steal", "run-delay"))


def test_interrupted_in_the_first_block_tells_the_runs_there_were(plumb, tmp_path):
    log = tmp_path / "log"
    process = subprocess.Popen([plumb, "compare", "-q", "--warmup", "0", "sh", "-c", f"echo >> {log}; [ $(wc -l < {log}) -gt 1 ] && exec sleep 60; :", "--",
                                "sh", "-c", f"echo >> {log}; [ $(wc -l < {log}) -gt 1 ] && exec sleep 60; :"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not log.exists() or len(log.read_text()) < 2:
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1 and "before the first block was complete" in err
    assert re.search(r"(A|B|A again) took [\d.]+ m?s", err), err


def test_interrupted_behind_a_warm_up_tells_that(plumb, tmp_path):
    log = tmp_path / "log"
    script = f"echo >> {log}; [ $(wc -l < {log}) -gt 3 ] && exec sleep 60; :"
    process = subprocess.Popen([plumb, "compare", "-q", "sh", "-c", script, "--", "sh", "-c", script],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not log.exists() or len(log.read_text()) < 4:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1 and "B (warm-up) took" in err, err


def test_saved_runs_compare(plumb, slept, tmp_path):
    saved, other = tmp_path / "saved.json", tmp_path / "other.json"
    run = slept["longer"]
    saved.write_text(run.stdout)
    again = json.loads(compare(plumb, "--saved", "--json", str(saved)).stdout)
    assert again["saved"] and again["paired"] and again["comparisons"][0]["verdict"] == "slower"
    assert again["comparisons"][0]["ratio"]["mid"] == pytest.approx(json.loads(run.stdout)["comparisons"][0]["ratio"]["mid"]), "pairs stay pairs"
    text = compare(plumb, "--saved", str(saved)).stdout
    assert "blocks that they were made in" in text and "not made in pairs" not in text
    document = json.loads(run.stdout)
    document["surroundings"]["governor"], document["surroundings"]["thp_enabled"] = "powersave", "sometimes"
    other.write_text(json.dumps(document))
    document["surroundings"]["governor"] = "performance"
    saved.write_text(json.dumps(document))
    refused = compare(plumb, "--saved", str(saved), str(other))
    assert refused.returncode == 1 and "governor ('performance', 'powersave')" in refused.stderr and not refused.stdout
    declared = compare(plumb, "--saved", "--treatment", "governor", str(saved), str(other))
    assert declared.returncode in (0, 4) and "governor differs: performance, powersave" in declared.stdout
    assert compare(plumb, "--saved", "--force", str(saved), str(other)).returncode in (0, 4)
    assert compare(plumb, "--saved", "--treatment", "cpu", str(saved), str(other)).returncode == 1
    assert compare(plumb, "--saved", "--treatment", "cpu", "--force", str(saved), str(other)).returncode == 2


def test_saved_cases_compare_and_their_profiles_explain(plumb, tmp_path):
    for name, amount in (("old", 100000), ("new", 1000000)):
        made = subprocess.run([plumb, "diagnose", "--runs", "6", "--case", str(tmp_path / name), "--", sys.executable, "-c",
                               f"for i in range({amount}): hash(i)"], capture_output=True, text=True, timeout=200)
        if made.returncode not in (0, 3, 4) or not (tmp_path / name / "perf.data").exists():
            pytest.skip(f"no case: {made.stderr}")
    document = json.loads(compare(plumb, "--saved", "--by", "user", "--json", str(tmp_path / "old"), str(tmp_path / "new")).stdout)
    assert document["comparisons"][0]["verdict"] == "slower" and document["comparisons"][0]["pairs"] == 6
    assert document["profile"]["blocks"] == 6 and document["profile"]["functions"]
    assert compare(plumb, "--saved", str(tmp_path), str(tmp_path / "old")).returncode == 1


def test_cases_of_other_environments_are_refused_unless_declared(plumb, tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, threads in ((old, "1"), (new, "2")):
        made = subprocess.run([plumb, "diagnose", "-q", "--case", str(folder), "--", sys.executable, "-c", "sum(range(1000000))"],
                              capture_output=True, text=True, timeout=200, env={**os.environ, "OMP_NUM_THREADS": threads})
        if not (folder / "command.json").exists():
            pytest.skip(f"no case: {made.stderr}")
    refused = compare(plumb, "--saved", str(old), str(new))
    assert refused.returncode == 1 and "OMP_NUM_THREADS ('1', '2')" in refused.stderr
    declared = compare(plumb, "--saved", "--treatment", "OMP_NUM_THREADS", str(old), str(new))
    assert declared.returncode in (0, 4) and "OMP_NUM_THREADS differs: 1, 2" in declared.stdout
    (new / "command.json").unlink()
    assert compare(plumb, "--saved", str(old), str(new)).returncode in (0, 4), "what isn't known is no difference"


def test_settings_are_saved_with_the_runs(plumb, tmp_path):
    words = ["-n", "6", "--no-noise-floor", "--json"]
    both, low, high = (tmp_path / name for name in ("both.json", "low.json", "high.json"))
    both.write_text(compare(plumb, *words, "--treatment", "nice=1,2", "true").stdout)
    assert "nice: 1 | 2" in compare(plumb, "--saved", str(both)).stdout, "declared when it was made"
    low.write_text(compare(plumb, *words, "-L", "x", "-L", "y", "--treatment", "nice=1,1", "true").stdout)
    high.write_text(compare(plumb, *words, "-L", "x", "-L", "y", "--treatment", "nice=2,2", "true").stdout)
    refused = compare(plumb, "--saved", str(low), str(high))
    assert refused.returncode == 1 and "nice ('1', '2')" in refused.stderr
    assert compare(plumb, "--saved", "--treatment", "nice", str(low), str(high)).returncode in (0, 4)


def test_means_of_perf_are_no_runs(plumb, tmp_path):
    line = '{"counter-value" : "%s", "unit" : "msec", "event" : "task-clock", "variance" : 1.50, "event-runtime" : 1, "pcnt-running" : 100.00}'
    plain = '{"counter-value" : "%s", "unit" : "msec", "event" : "task-clock", "event-runtime" : 1, "pcnt-running" : 100.00}'
    for name, value in (("a", "10.5"), ("b", "20.5")):
        (tmp_path / name).write_text(line % value + "\n")
        (tmp_path / f"{name}{name}").write_text("".join(plain % f"{float(value) + run / 10}" + "\n" for run in range(8)))
    means = compare(plumb, "--saved", "--by", "cpu", str(tmp_path / "a"), str(tmp_path / "b"))
    assert means.returncode == 4 and "perf stat -r" in means.stdout
    assert "of one run of each" in means.stdout and " .. " not in re.search("undecided.*", means.stdout)[0], "no interval of one value"
    runs = compare(plumb, "--saved", "--by", "cpu", str(tmp_path / "aa"), str(tmp_path / "bb"))
    assert runs.returncode == 0 and "more CPU time" in runs.stdout and "perf stat -r" not in runs.stdout
    unasked = compare(plumb, "--saved", str(tmp_path / "aa"), str(tmp_path / "bb"))
    assert unasked.stdout == runs.stdout, "perf stat -j has no elapsed time"


def test_of_several_commands_an_interval_needs_more_pairs(plumb):
    page = compare(plumb, "-n", "6", "sleep", "{0.01,0.02,0.03}").stdout
    assert "the range of 6 pairs; an interval that is 97.5 % sure needs 7" in page
    assert "needs" not in compare(plumb, "-n", "7", "sleep", "{0.01,0.03,0.06}").stdout


def test_looking_for_the_program_is_no_part_of_its_run(plumb):
    """Eight thousand folders without it cost ten times what it takes itself."""
    program = shutil.which("true")
    environment = os.environ | {"PATH": ":".join(f"/no/{at}" for at in range(8000)) + ":" + os.path.dirname(program)}
    result = compare(plumb, "--json", "-n", "8", "true", "--", program, env=environment)
    found, given = (statistics.median(arm["runs"]["cpu"]) for arm in json.loads(result.stdout)["arms"][:2])
    assert found < 3 * given


def test_saved_runs_of_others(plumb, tmp_path):
    first, second, broken = tmp_path / "first.json", tmp_path / "second.json", tmp_path / "broken.json"
    first.write_text(json.dumps({"results": [{"command": "a", "times": [1.0, 1.01, 1.02, 1.0, 1.03, 1.01, 1.0]}]}))
    second.write_text(json.dumps({"results": [{"command": "b", "times": [2.0, 2.01, 2.02, 2.0, 2.03, 2.01, 2.0]}]}))
    result = compare(plumb, "--saved", str(first), str(second))
    assert result.returncode == 0 and "second.json takes" in result.stdout and "more wall time than first.json" in result.stdout
    assert "whether they were alike is not known" in result.stdout
    second.write_text(json.dumps({"results": [{"command": "b", "times": [2.0] * 8, "exit_codes": [0, 1, None] + [0] * 5}]}))
    failed = " ".join(compare(plumb, "--saved", "-L", "old", "-L", "new", str(first), str(second)).stdout.split())
    assert "Failed 2 of 8 runs of new ended with a status other than 0" in failed and "more wall time than old" in failed
    assert compare(plumb, "--saved", *["-L", "x"] * 3, str(first), str(second)).returncode == 2
    broken.write_text("{")
    assert compare(plumb, "--saved", str(first), str(broken)).returncode == 1
    assert compare(plumb, "--saved", str(first)).returncode == 2
    assert compare(plumb, "--saved", "--treatment", "thp=never,always", str(first), str(second)).returncode == 2


@pytest.mark.parametrize("words", [["-n", "8"], ["--time", "3"], ["--until-decided"], ["--most", "8"], ["--warmup", "0"], ["--shell"], ["--env", "A=1"],
                                   ["--prepare", "true"], ["--cpu", "0"], ["-i"], ["--no-noise-floor"], ["--seed", "7"]])
def test_options_of_runs_have_no_meaning_beside_saved_ones(plumb, tmp_path, words):
    saved = tmp_path / "saved.json"
    saved.write_text(json.dumps({"results": [{"command": name, "times": [1.0] * 8} for name in "ab"]}))
    assert compare(plumb, "--saved", str(saved)).returncode == 0
    refused = compare(plumb, "--saved", *words, str(saved))
    assert refused.returncode == 2 and "--saved runs nothing" in refused.stderr and not refused.stdout


def test_of_three_each_section_says_which_pair_it_is_of(plumb, tmp_path):
    for name, base in (("one", 1.0), ("two", 1.5), ("three", 2.0)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"results": [{"command": name, "times": [base + step / 100 for step in range(8)]}]}))
    page = compare(plumb, "--saved", *(str(tmp_path / f"{name}.json") for name in ("one", "two", "three"))).stdout
    first, second = page.index("two.json AGAINST one.json"), page.index("three.json AGAINST one.json")
    assert page.index("two.json takes") < page.index("three.json takes") < first < second
    assert "How two.json and three.json differ" in " ".join(page.split())
    assert "AGAINST" not in compare(plumb, "--saved", str(tmp_path / "one.json"), str(tmp_path / "two.json")).stdout


def keys_of(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in ("runs", "surroundings"):
                yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


def test_every_key_is_documented(slept, source_root):
    text = (source_root / "doc/schema-compare.md").read_text()
    document = json.loads(slept["documented"].stdout)
    assert {key for key in keys_of(document) if key not in ("low", "mid", "high") and f"`{key}`" not in text} == set()


def test_what_differs_in_every_one_of_few_pairs_is_not_said_to_be_alike(plumb):
    """Of six pairs no figure among twenty can be sure; 100 bytes and 200000 are still not the same."""
    result = compare(plumb, "-n", "6", "--no-noise-floor", "head", "-c", "100", "/dev/zero", "--", "head", "-c", "200000", "/dev/zero",
                     env={**os.environ, "COLUMNS": "400"})
    differing, alike = result.stdout.split("not shown", 1)
    assert "bytes written" not in alike and "bytes read" not in alike
    assert "DIFFER" in differing and re.search(r"bytes written +100 B +195 KiB", differing)
