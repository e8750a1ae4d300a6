# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb compare on commands whose difference is known by construction (never a bound on time alone)."""
import json
import signal
import subprocess
import time

import pytest


def compare(plumb, *words, **more):
    return subprocess.run([plumb, "compare", "-q", *words], capture_output=True, text=True, timeout=120, **more)


def test_a_sleep_ten_times_as_long_is_slower(plumb):
    result = compare(plumb, "-n", "7", "--json", "sleep", "0.01", "--", "sleep", "0.06")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["schema"] == "plumb-compare-2" and document["blocks"] == 7
    (comparison,) = document["comparisons"]
    assert comparison["verdict"] == "slower" and comparison["pairs"] == 7
    assert comparison["ratio"]["low"] > 1
    assert [arm["label"] for arm in document["arms"]] == ["A", "B", "A again"]
    assert all(len(arm["runs"]["wall"]) == 7 for arm in document["arms"])


def test_it_stops_when_it_is_decided(plumb):
    document = json.loads(compare(plumb, "--json", "sleep", "0.01", "--", "sleep", "0.04").stdout)
    assert document["stopped"] == "decided" and 8 <= document["blocks"] < 60
    assert document["comparisons"][0]["level"] > 0.95, "an early look must be surer than 95 %"


def test_several_commands_are_each_held_against_the_first(plumb):
    result = compare(plumb, "-n", "8", "--json", "sleep", "0.01", "--", "sleep", "0.04", "--", "sleep", "0.002")
    verdicts = [item["verdict"] for item in json.loads(result.stdout)["comparisons"]]
    assert verdicts == ["slower", "faster"]
    text = compare(plumb, "-n", "6", "-L", "short", "-L", "long", "sleep", "0.01", "--", "sleep", "0.04").stdout
    assert "long takes" in text and "than short" in text


def test_alternatives_in_braces(plumb):
    document = json.loads(compare(plumb, "-n", "6", "--json", "sleep", "0.{01,1}").stdout)
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
    words = ["python3", "-c"]
    result = compare(plumb, "-n", "8", "--json", *words, "x=bytearray(20<<20)", "--", *words, "x=bytearray(50<<20)")
    others = {item["quantity"]: item for item in json.loads(result.stdout)["comparisons"][0]["others"]}
    assert others["max-rss"]["false_discovery_rate"] <= 0.05
    assert 25e6 < others["max-rss"]["difference"]["mid"] < 35e6
    assert others["minor-faults"]["ratio"]["low"] > 1
    assert "not_measured" in others["cycles"] or others["cycles"]["p"] <= 1


def test_a_growth_that_fails_has_its_own_status(plumb):
    arms = ["sleep", "0.01", "--", "sleep", "0.06"]
    assert compare(plumb, "-n", "6", "--fail-if", "wall > 20%", *arms).returncode == 3
    assert compare(plumb, "-n", "6", "--fail-if", "wall > 1000000%", *arms).returncode == 0
    assert compare(plumb, "-n", "2", "--fail-if", "wall > 20%", *arms).returncode == 4
    assert compare(plumb, "-n", "6", "--fail-if", "major-faults > 5%", "true", "--", "true").returncode == 0, "none is no growth"
    for wrong in ("wall", "lunar > 2%", "wall > x%", "> 2%"):
        assert compare(plumb, "--fail-if", wrong, *arms).returncode == 2, wrong


def test_too_few_pairs_are_not_judged(plumb):
    result = compare(plumb, "-n", "2", "sleep", "0.01", "--", "sleep", "0.06")
    assert result.returncode == 4
    assert "needs 6" in result.stdout


def test_the_order_follows_the_seed(plumb, tmp_path):
    def order(seed):
        log = tmp_path / f"log{seed}"
        compare(plumb, "-n", "8", "--no-noise-floor", "--explain", "0", "--seed", str(seed), "--warmup", "0", "sh", "-c", f"echo A >> {log}",
                "--", "sh", "-c", f"echo B >> {log}")
        text = log.read_text().split()
        log.unlink()
        return text
    first = order(3)
    assert first == order(3)
    assert sorted(first) == ["A"] * 8 + ["B"] * 8
    assert any(order(seed) != first for seed in (4, 5, 6))


def test_prediction_stands_beside_the_realised_gain(plumb):
    result = compare(plumb, "-n", "6", "--predicted", "50,80,99", "sleep", "0.06", "--", "sleep", "0.01")
    assert "predicted gain" in result.stdout and "realised gain" in result.stdout


def test_markdown_and_hyperfine(plumb, tmp_path):
    export = tmp_path / "runs.json"
    result = compare(plumb, "-n", "6", "--markdown", "--export-hyperfine", str(export), "sleep", "0.01", "--", "sleep", "0.04")
    rows = result.stdout.splitlines()
    assert len(rows) == 4 and all(row.startswith("|") and row.endswith("|") for row in rows)
    assert "`sleep 0.04`" in rows[3] and "slower" in rows[3]
    results = json.loads(export.read_text())["results"]
    assert [item["command"] for item in results] == ["sleep 0.01", "sleep 0.04"]
    for item in results:
        assert len(item["times"]) == 6 and item["min"] <= item["median"] <= item["max"]
        assert min(item["times"]) == item["min"] and item["stddev"] >= 0
    assert compare(plumb, "-n", "6", "--export-hyperfine", "/proc/none/x", "true", "--", "true").returncode == 1


def test_failing_commands_and_wrong_words(plumb):
    failed = compare(plumb, "-n", "1", "true", "--", "false")
    assert failed.returncode == 1 and "status 1" in failed.stderr
    assert compare(plumb, "-n", "6", "-i", "true", "--", "false").returncode in (0, 4)
    assert compare(plumb, "true").returncode == 2
    assert compare(plumb, "true", "--", "--", "true").returncode == 2
    assert compare(plumb, "-L", "same", "-L", "same", "true", "--", "true").returncode == 2
    wrong = compare(plumb, "--by", "lunar", "true", "--", "true")
    assert wrong.returncode == 2 and "max-rss" in wrong.stderr
    assert compare(plumb, "--cpu", "4095", "true", "--", "true").returncode != 0
    missing = compare(plumb, "no-such-program-here", "--", "true")
    assert missing.returncode == 127 and "no-such-program-here" in missing.stderr


def test_interrupted_keeps_the_complete_blocks(plumb, tmp_path):
    started = tmp_path / "started"
    process = subprocess.Popen([plumb, "compare", "-q", "-n", "1000", "--warmup", "0", "sh", "-c", f"echo >> {started}; sleep 0.01",
                                "--", "sleep", "0.03"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not started.exists() or len(started.read_text()) < 40:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert "interrupted" in out and "B takes" in out
    assert process.returncode == 0


def test_a_case_foretells_only_what_it_supports(plumb, tmp_path):
    lead = {}

    def case(verdict):
        lead.update({"id": "small-pages", "verdict": verdict, "of": "elapsed time",
                "recoverable_ratio": {"low": 0.5, "mid": 0.8, "high": 0.99}})
        other = {"id": "waiting", "verdict": "ruled_out"}
        (tmp_path / "findings.json").write_text(json.dumps({"run": {"elapsed_s": 1.0}, "findings": [lead, other]}))
        return compare(plumb, "-n", "6", "--predicted-by", str(tmp_path), "sleep", "0.06", "--", "sleep", "0.01")
    supported = case("supported")
    assert "wall time" in supported.stdout
    lead["of"] = "CPU time"
    (tmp_path / "findings.json").write_text(json.dumps({"findings": [lead]}))
    of_cpu = compare(plumb, "-n", "6", "--predicted-by", str(tmp_path), "sleep", "0.06", "--", "sleep", "0.01")
    assert "CPU time; " in of_cpu.stdout and "predicted gain" in of_cpu.stdout, "what is foretold decides what is compared"
    supported = case("supported")
    by_cpu = compare(plumb, "--predicted-by", str(tmp_path), "--by", "cpu", "true", "--", "true")
    assert by_cpu.returncode == 2 and "--by wall" in by_cpu.stderr
    assert supported.returncode == 0 and "by finding small-pages of the case" in supported.stdout
    undecided = case("undecided")
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
    result = compare(plumb, "-n", "6", "--by", "user", "--explain", "6", "-L", "v1.0", "-L", "v1-0", "--json", str(program), "--", str(other), "more")
    document = json.loads(result.stdout)
    if document["profile"] is None:
        pytest.skip(document["why_no_profile"] or "the runs were not told apart")
    first = document["profile"]["functions"][0]
    assert (first["function"], first["dso"]) == ("heavy", "(the program)")
    assert first["difference_s"]["low"] > 0
    assert document["profile"]["mean_difference_s"] > 0


def test_saved_runs_compare(plumb, tmp_path):
    saved, other = tmp_path / "saved.json", tmp_path / "other.json"
    run = compare(plumb, "-n", "8", "--json", "sleep", "0.01", "--", "sleep", "0.04")
    saved.write_text(run.stdout)
    again = json.loads(compare(plumb, "--saved", "--json", str(saved)).stdout)
    assert again["saved"] and again["comparisons"][0]["verdict"] == "slower"
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


def test_saved_runs_of_others(plumb, tmp_path):
    first, second, broken = tmp_path / "first.json", tmp_path / "second.json", tmp_path / "broken.json"
    first.write_text(json.dumps({"results": [{"command": "a", "times": [1.0, 1.01, 1.02, 1.0, 1.03, 1.01, 1.0]}]}))
    second.write_text(json.dumps({"results": [{"command": "b", "times": [2.0, 2.01, 2.02, 2.0, 2.03, 2.01, 2.0]}]}))
    result = compare(plumb, "--saved", str(first), str(second))
    assert result.returncode == 0 and "second.json takes" in result.stdout and "more wall time than first.json" in result.stdout
    assert "whether they were alike is not known" in result.stdout
    broken.write_text("{")
    assert compare(plumb, "--saved", str(first), str(broken)).returncode == 1
    assert compare(plumb, "--saved", str(first)).returncode == 2
    assert compare(plumb, "--force", "true", "--", "true").returncode == 2


def keys_of(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in ("runs", "surroundings"):
                yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


def test_every_key_is_documented(plumb, source_root):
    text = (source_root / "doc/schema-compare.md").read_text()
    document = json.loads(compare(plumb, "-n", "8", "--json", "--explain", "2", "sleep", "0.01", "--", "sleep", "0.04").stdout)
    assert {key for key in keys_of(document) if key not in ("low", "mid", "high") and f"`{key}`" not in text} == set()
