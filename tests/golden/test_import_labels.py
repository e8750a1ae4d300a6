# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of a label and what was measured: states, and trials of what a label adds to another; what sentences beside them then tell."""
import pytest
from imported_case import finding

GUESTS = "| guest | seconds |\n|-------|--------:|\n| plain | 29.5 |\n| SNP | 41.2 |\n\n"
TRIED = "With THP=always on the host and in the guest the SNP guest needs {} s.\n"


def pages(found):
    return finding(found, "small-pages")


@pytest.mark.parametrize("seconds, verdict", [(29.8, "supported"), (41.0, "ruled_out"), (48.9, "ruled_out"), (148.9, "undecided")])
def test_two_states_of_a_table_are_what_a_trial_is_held_beside(alone, seconds, verdict):
    assert pages(alone(GUESTS + TRIED.format(seconds)))["verdict"] == verdict


def test_of_three_states_nobody_knows_which(alone):
    assert pages(alone(GUESTS.replace("| SNP", "| Xen | 33.0 |\n| SNP") + TRIED.format(29.8)))["verdict"] == "undecided"


@pytest.mark.parametrize("rows", [
    "setup,GFLOP/s\nplain guest,79.8\nTD,61.0\nTD + nohz_full on host and guest,61.2\nTD + THP on host and guest,70.4\n",
    "| setup | GFLOP/s |\n|---|---|\n| plain guest | 79.8 |\n| TD | 61.0 |\n| TD, nohz_full on host and guest | 61.2 |\n| TD (THP on host and guest) | 70.4 |\n"])
def test_a_label_that_goes_on_is_a_trial(alone, rows):
    found = alone("Medians of nine.\n\n" + rows)
    assert finding(found, "timer-tick")["verdict"] == "ruled_out"
    assert pages(found)["verdict"] == "supported" and pages(found)["recoverable_ratio"]["high"] == pytest.approx(1 - 61.0 / 70.4, abs=0.002)
    assert "the rest of the gap" in " ".join(found["verdict"]["open"])
    half = alone("Medians of nine.\n\n" + rows + "\nSo with THP about half of the gap is gone.\n")
    assert pages(half)["verdict"] == "supported"
    none = alone("Medians of nine.\n\n" + rows + "\nIn a second round THP changed nothing.\n")
    assert pages(none)["verdict"] == "undecided"


def test_what_was_taken_back_is_held_beside_nothing(alone):
    rows = "| | time, s |\n|---|---|\n| VM | 32.6 |\n| TD | 47.3 |\n| TD, THP on host and guest | 32.9 |\n| TD, THP off again on both | 33.0 |\n"
    found = alone("Medians.\n\n" + rows + "\nThen I switched THP off again to be sure, and it stayed at 33.0 s.\n")
    assert pages(found)["verdict"] == "undecided" and "47.3 s before, 33.0 s after" not in str(found["statements"])


BOTH = "Plain VM 51.8 s, TDX VM 64.1 s.\n\n"


@pytest.mark.parametrize("words, verdict", [
    ("We enabled THP on host and guest. The TDX run then took 67.9 s.", "ruled_out"),
    ("With THP on host and guest the compile took 67.9 s.", "undecided"),
    ("We enabled THP on host and guest and checked AnonHugePages (5.9 GB). The TDX guest took 52.0 s.", "supported"),
    ("We enabled THP on host and guest and installed it anew. The TDX guest took 52.0 s.", "undecided"),
    ("We tried THP on both sides. Parsing 63.9 s.", "undecided")])
def test_what_came_of_a_trial_in_few_words(alone, words, verdict):
    assert finding(alone(BOTH + words + "\n"), "small-pages")["verdict"] in (verdict, "not_testable" if verdict == "undecided" else verdict), words


RUNS = "run\ttime_s\tcycles\tcore_power.lvl1_turbo_license\tcore_power.lvl2_turbo_license\njit avx512\t0.1742\t8710220118\t0\t0\njit no-avx512\t0.1646\t8230118220\t0\t0\naten\t0.1650\t8250330119\t0\t0\n"


def test_a_table_with_tabs(alone):
    found = alone("Three builds.\n\n" + RUNS)
    assert [(run["name"], run["elapsed_s"]) for run in found["imported_runs"]] == [("jit avx512", 0.1742), ("jit no-avx512", 0.1646), ("aten", 0.165)]
    assert finding(found, "avx512-licence")["verdict"] == "ruled_out"
    least = alone("Three builds.\n\n" + RUNS.replace("time_s", "time min"))
    assert "elapsed_s': 0.1742" not in str(least["imported_runs"])
    bare = alone("Three builds.\n\n" + RUNS.split("\n", 1)[1])
    assert not bare["imported_runs"], "without a heading nobody knows what the numbers are"


def test_on_top_of_another_change_is_no_trial_of_one(alone):
    found = alone("Normal VM 143 s, TD 212 s.\n\nWith THP on host and guest the TD took 211 s. With THP on top the TD took 149 s.\n")
    assert "came out differently" not in " ".join(found["verdict"]["open"]) and pages(found)["verdict"] == "undecided"


@pytest.mark.parametrize("one, other, known", [("requests/s", "req/s", True), ("rps", "requests/s", True), ("MB/s", "req/s", False)])
def test_units_of_requests_are_one_unit(alone, one, other, known):
    found = alone(f"The td guest does 5200 {one}, the plain guest 6900 {other}.\n")
    assert ("what the gap that is told is due to, 25 % of the time" in " ".join(found["verdict"]["open"])) == known


def test_what_to_ask_of_two_guests_next(alone):
    steps = " ".join(alone("The td guest does 5200 req/s, the plain guest 6900 req/s.\n")["verdict"]["advice"])
    assert "why each guest leaves" in steps and "inside both guests" in steps
    left = " ".join(alone("The td guest does 5200 req/s, the plain guest 6900 req/s.\n\ntd guest, 10 s:\n\n@reason[1]: 4100\n@reason[77]: 2100\n@reason[48]: 12\n")["verdict"]["advice"])
    assert "why each guest leaves" not in left and "inside both guests" in left
    alone_of_machines = " ".join(alone("The old build does 5200 req/s, the new build 6900 req/s.\n")["verdict"]["advice"])
    assert "guest" not in alone_of_machines


def test_copies_for_devices_of_a_confidential_guest(alone):
    report = "# Overhead  Command  Shared Object      Symbol\n    {}%  fio      [kernel.kallsyms]  [k] {}\n    11.02%  fio      [kernel.kallsyms]  [k] {}\n     2.02%  fio      fio                [.] io_u_queued_complete\n"
    found = alone(report.format("38.20", "swiotlb_bounce", "swiotlb_tbl_map_single"))
    assert found["verdict"]["culprit"] == "copying" and "can't reach a" not in found["verdict"]["sentence"]
    assert "devices that can't reach the memory" in " ".join(finding(found, "copying")["advice"])
    assert alone(report.format("38.20", "io_schedule", "blk_mq_submit_bio"))["verdict"]["culprit"] != "copying"
