# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb compare on commands whose difference is known by construction (never a bound on time alone)."""
import json
import subprocess


def compare(plumb, *words):
    return subprocess.run([plumb, "compare", "-q", *words], capture_output=True, text=True, timeout=120)


def test_a_sleep_twice_as_long_is_slower(plumb):
    result = compare(plumb, "-r", "7", "--json", "sleep", "0.02", "--", "sleep", "0.2")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["verdict"] == "slower"
    assert document["pairs"] == 7
    assert document["ratio"]["low"] > 1


def test_regression_has_its_own_status(plumb):
    assert compare(plumb, "-r", "6", "--fail-if-slower", "sleep", "0.01", "--", "sleep", "0.2").returncode == 3


def test_too_few_pairs_are_not_judged(plumb):
    result = compare(plumb, "-r", "2", "sleep", "0.01", "--", "sleep", "0.2")
    assert result.returncode == 4
    assert "needs 6" in result.stdout


def test_the_order_follows_the_seed(plumb, tmp_path):
    def order(seed):
        log = tmp_path / f"log{seed}"
        compare(plumb, "-r", "8", "--seed", str(seed), "--warmup", "0", "sh", "-c", f"echo A >> {log}", "--", "sh", "-c",
                f"echo B >> {log}")
        text = log.read_text().split()
        log.unlink()
        return text
    first = order(3)
    assert first == order(3)
    assert sorted(first) == ["A"] * 8 + ["B"] * 8
    assert any(order(seed) != first for seed in (4, 5, 6))


def test_prediction_stands_beside_the_realised_gain(plumb):
    result = compare(plumb, "-r", "6", "--predicted", "50,80,99", "sleep", "0.2", "--", "sleep", "0.02")
    assert "predicted gain" in result.stdout and "realised gain" in result.stdout


def test_failing_commands_and_wrong_words(plumb):
    assert compare(plumb, "-r", "1", "true", "--", "false").returncode == 1
    assert compare(plumb, "true").returncode == 2
    assert compare(plumb, "--time", "lunar", "true", "--", "true").returncode == 2
    missing = compare(plumb, "no-such-program-here", "--", "true")
    assert missing.returncode == 127 and "no-such-program-here" in missing.stderr


def test_a_case_foretells_only_what_it_supports(plumb, tmp_path):
    def case(verdict):
        lead = {"id": "small-pages", "verdict": verdict, "recoverable_s": {"low": 0.5, "mid": 0.8, "high": 0.99}}
        other = {"id": "waiting", "verdict": "ruled_out"}
        (tmp_path / "findings.json").write_text(json.dumps({"run": {"elapsed_s": 1.0}, "findings": [lead, other]}))
        return compare(plumb, "-r", "6", "--predicted-by", str(tmp_path), "sleep", "0.2", "--", "sleep", "0.02")
    supported = case("supported")
    assert supported.returncode == 0 and "by finding small-pages of the case" in supported.stdout
    undecided = case("undecided")
    assert undecided.returncode == 1 and "foretells nothing" in undecided.stderr
    for finding, words in (("waiting", "ruled_out"), ("lunar", "not in the case")):
        asked = compare(plumb, "--predicted-by", str(tmp_path), "--finding", finding, "true", "--", "true")
        assert asked.returncode == 1 and words in asked.stderr
    (tmp_path / "findings.json").write_text("{")
    assert compare(plumb, "--predicted-by", str(tmp_path), "true", "--", "true").returncode == 1
