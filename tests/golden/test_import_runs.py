# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose time belongs to which counts, and runs that stand beside one another in a line or a sentence."""
import pytest
from imported_case import finding

COUNTS = "{}      cycles\n{}      core_power.lvl2_turbo_license\n"
TIMES = "jit: {}\nhand: {}\n"


def runs(found):
    return [(run["name"], run["elapsed_s"]) for run in found["imported_runs"]]


def test_a_name_without_a_mark_stands_above_counts(alone):
    found = alone(TIMES.format("0.1641 s", "0.1612 s") + "\nThe hot loop of jit's code is about 900 bytes.\n\nhand\n" + COUNTS.format(8302117720, 0) +
                  "\njit\n" + COUNTS.format(8451020111, 601220184) + "\njit, narrow\n" + COUNTS.format(8449332017, 0) + "\n" + TIMES.format("0.1640 s", "0.1612 s"))
    assert runs(found) == [("hand", 0.1612), ("jit", 0.1641), ("jit", 0.164)]
    assert finding(found, "avx512-licence")["verdict"] == "ruled_out"


def test_heads_of_columns_are_no_names(alone):
    found = alone(TIMES.format("0.1641 s", "0.1612 s") + "\n## hand\n\ncount event\n" + COUNTS.format(8302117720, 0))
    assert runs(found) == [("hand", 0.1612)]


def test_counts_without_a_name_are_of_the_program_whose_time_changed(alone):
    found = alone(TIMES.format("0.182 s", "0.162 s") + "\nCounts of jit:\n" + COUNTS.format(7420118003, 0) + "\nCounts of hand:\n" + COUNTS.format(6601220118, 0) +
                  "\nWith aligned arrays instead:\n\n" + TIMES.format("0.161 s", "0.162 s") + "\nand so the counters say:\n" + COUNTS.format(6560330117, 0))
    assert runs(found) == [("jit", 0.182), ("hand", 0.162), ("jit", 0.161)]


BUILDS = ("| version | time (ms) |\n|---|---|\n| jit | 8.91 |\n| hand | 8.20 |\n\n| counter | jit | hand | jit, narrow |\n|---|---|---|---|\n"
          "| cycles | 24101334110 | 23890114002 | 23911020410 |\n| core_power.lvl2_turbo_license | 7471413574 | 0 | 0 |\n\n")


def test_one_time_of_a_name_is_of_its_first_counts_alone(alone):
    found = alone(BUILDS)
    assert [time for _, time in runs(found)] == [0.00891, 0.0082, {"not_measured": "no time stands beside the counts"}]
    assert finding(found, "avx512-licence")["verdict"] != "ruled_out"


@pytest.mark.parametrize("sentence, verdict", [("New times with that: jit 8.11 ms, hand 8.20 ms (+- 0.03). Good.", "supported"), ("New times with that: jit 8.91 ms, hand 8.20 ms", "ruled_out"),
                                               ("New times should be: jit 8.11 ms, hand 8.20 ms", "undecided"), ("New sizes with that: jit 8.11 KB, hand 8.20 KB", "undecided")])
def test_times_in_a_sentence(alone, sentence, verdict):
    found = alone(BUILDS + sentence + "\n")
    licence = finding(found, "avx512-licence")
    assert licence["verdict"] == verdict
    assert "* 10^9" not in found["verdict"]["sentence"], "a time of one round, and counts of many: no clock"


@pytest.mark.parametrize("text", ["seconds, eight runs each:\n\n{}", "{}"])
def test_runs_in_one_line(alone, text):
    unit = "" if "seconds" in text else " s"
    lists = "plain guest: 60.8 61.9 60.1 62.4 61.0 60.3 62.0 61.2" + unit + "\ntd guest: 61.9, 60.6, 62.7, 61.4, 62.9, 60.9, 62.1, 62.3" + unit + "\n"
    found = alone(text.format(lists))
    assert "61.2125 s ± 0.827 s (60.1 s … 62.4 s, 8 runs)" in str(found["statements"])
    assert "within the spread of their runs" in " ".join(found["verdict"]["open"])
    apart = alone(text.format(lists.replace("61.9, 60.6, 62.7, 61.4, 62.9, 60.9, 62.1, 62.3", "71.9, 70.6, 72.7")))
    assert "within the spread" not in " ".join(apart["verdict"]["open"])


@pytest.mark.parametrize("line", ["rates: 60.8 61.9 60.1 GB/s", "versions: 6.1 6.2 6.3", "cores: 4 8 12 s"])
def test_lists_that_are_no_runs(alone, line):
    assert "timed runs" not in str(alone("Some more of it, as it was:\n\n" + line + "\n")["imported"])


def test_a_share_with_two_sentences_behind_it_is_no_line_of_code(alone):
    assert "perf annotate" not in str(alone("31% steal. Somebody had pinned the other guest to the same cores.\n")["statements"])


# ---- three runs: what goes with the cycles, and with its absence ----

def three_runs(event, slow, fast, work="instructions", slow_cycles=9120334870):
    def counts(cycles, count):
        return f"{cycles}      cycles\n5201004330      {work}\n{count}      {event}\n"
    return (TIMES.format("0.203 s", "0.152 s") + "\njit:\n" + counts(slow_cycles, slow) + "\nhand:\n" + counts(6840021122, fast) +
            "\njit, unrolled less:\n" + counts(6752210093, fast) + "\n" + TIMES.format("0.150 s", "0.152 s"))


@pytest.mark.parametrize("event, work, cause, said", [
    ("L1-icache-load-misses", "instructions", "front-end", "412 million more misses of the instruction cache (L1-icache-load-misses) than the faster one for as many instructions"),
    ("mem_inst_retired.split_loads", "instructions", "port-pressure", "accesses across the border of cache lines"),
    ("idq.mite_uops", "uops_issued.any", "uop-cache", "micro-operations decoded anew (idq.mite_uops) than the faster one for as many micro-operations")])
def test_many_more_events_in_the_slow_one_of_three(alone, event, work, cause, said):
    many = 412770120 if cause != "uop-cache" else 4127701200
    found = alone(three_runs(event, many, 301220, work))
    assert found["verdict"]["culprit"] == cause and said in found["verdict"]["sentence"]
    few, both = alone(three_runs(event, 3012200, 301220, work)), alone(three_runs(event, many, many - 1000, work))
    assert few["verdict"]["culprit"] is None and both["verdict"]["culprit"] is None


def test_events_that_a_fast_run_has_too_are_not_what_they_differ_by(alone):
    text = three_runs("L1-icache-load-misses", 412770120, 301220).replace("301220", "412770000", 1)
    assert alone(text)["verdict"]["culprit"] is None


def test_accesses_of_two_lines_are_to_be_aligned(alone):
    found = alone(three_runs("mem_inst_retired.split_loads", 412770120, 301220))
    assert "align what it loads" in " ".join(finding(found, "port-pressure")["advice"])


def test_an_item_of_a_list_is_a_run_of_its_name(alone):
    assert [name for name, _ in runs(alone("- jit: 188 ms\n- hand: 162 ms\n\njit:\n" + COUNTS.format(8302117720, 0)))] == ["jit"]
