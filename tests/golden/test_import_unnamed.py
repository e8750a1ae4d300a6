# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose on trials of changes that it doesn't know by their names, or of several at once, told by numbers."""
import pytest
from imported_case import evidence, finding

LED = "What was tried returned "


def sentence(found):
    return found["verdict"]["sentence"]


@pytest.mark.parametrize("text, returned, of", [
    ("With 48 workers in the upload pool: ab went from 910 requests/s to 2,730 requests/s, p99 310 ms.", "67 %", "time"),
    ("The import takes 812 s. With a write-back journal: 203 s.", "75 %", "time"),
    ("The importer needs 92.4 s since the move. With noatime it takes 46.2 s.", "50 %", "time"),
    ("With guided chunks the elapsed time is 28.9 s (48.2 s with fixed ones).", "40 %", "time"),
    ("It takes 40.0 s on bare metal and 60.0 s in the guest. With a write-back journal: 45.0 s.", "25 %", "time"),
    ("We raised somaxconn, and it went from 44.0 s to 30.8 s.", "30 %", "time"),
    ("We merged the two queues and raised the batch timeout, and it went from 44.0 s to 30.8 s.", "30 %", "time"),  # both of unknown names
    ("The importer takes 44.0 s. With noatime the elapsed time is 30.8 s.", "30 %", "time"),
    ("The p99 is 44.0 ms. With a longer keepalive: 30.8 ms.", "30 %", "latency"),
    ("Adding a line made it go from 1.120 s in the good build to 1.310 s in the bad build.\n\nThe good build takes 1.120 s, the bad build takes 1.310 s. With -Wa,-mpad it went from 1.310 s to 1.120 s.", "14 to 15 %", "time"),
])
def test_numbers_of_a_change_without_a_name_lead(alone, text, returned, of):
    said = sentence(alone(text + "\n"))
    assert said.startswith(LED + returned) and f"of the {of}: \"" in said and "which cause it took away plumb doesn't know" in said, said


@pytest.mark.parametrize("text", [
    "The import takes 81 s. With a larger input: 22 s.",
    "The import takes 81 s. With half of the rows: 41 s.",
    "With half of the rows the job went from 62 s to 31 s.",
    "With 48 workers in the upload pool ab could go from 910 requests/s to 2,730 requests/s.",
    "The load step takes 94 s. With a write-back journal the merge takes 33 s.",          # of another thing
    "The parser takes 94 s. With a write-back journal: 33 MB/s.",
    "After three weeks the job went from 40 s to 31 s.",                                   # nobody changed anything
    "The job takes 94 s. With a new index: 33 s. That was with half of the rows, though.",
    "The job takes 94 s. With a write-back journal: 33 s. We went back to the old one: 33 s.",
    "The GC pause is 44 ms. With a larger pool: 31 ms.",
    "With noatime it went from 44 s to 31 s, others say.",
    "We raised somaxconn: 1,310 requests/s before, 1,325 requests/s after.",               # less than is asked about
    "With a write-back journal it went from 12 s to 41 s.",
    "We could try a write-back journal: 812 s would become 203 s.",
    "Reading takes 12 s. Sorting takes 94 s. With a write-back journal: 33 s.",           # which of them?
    "8 threads: 62.0 s. 1 thread: 300 s. With more zones: 8.4 s.",
    "| 22 | with one process for each | 58.0 ms instead of 912.0 ms |",
    "The replay takes 211 s. Then the poller was removed: 148 s. With a write-back journal on top: 149 s.",
    "The replay takes 140 s in the plain VM and 211 s in the TD. We removed the poller: 150 s. With a write-back journal: 149 s.",
    "64 queries take 44 s. With 32: 22 s.",
    "Ten runs take 44 s. With five: 22 s.",
    "64 queries take 44 s. With 32 queries: 22 s.",
    "It takes 50.1 s on bare metal. With a write-back journal: 33 s.",                      # the other one's
    "The job takes 94 s. With a write-back journal it makes no difference, 93 s.",
])
def test_numbers_that_may_be_of_something_else_are_none(alone, text):
    assert LED not in sentence(alone(text + "\n")), sentence(alone(text + "\n"))


def test_a_known_cause_keeps_the_lead_and_the_other_trial_is_said_beside_it(alone):
    found = alone("Huge pages took the scan from 52.0 s to 39.0 s.\n\nThen we raised somaxconn, and it went from 39.0 s to 31.2 s.\n")
    assert LED not in sentence(found) and finding(found, "small-pages")["verdict"] == "supported", sentence(found)
    assert any("also tried, and it returned 20 %" in one for one in found["verdict"]["open"]), found["verdict"]


def test_several_known_changes_lead_together_and_each_stays_open(alone):
    found = alone("We turned SMT off and enabled huge pages, and it went from 44.0 s to 30.8 s.\n")
    assert sentence(found).startswith(LED + "30 %"), sentence(found)
    assert finding(found, "small-pages")["verdict"] == finding(found, "smt-sharing")["verdict"] == "undecided"


@pytest.mark.parametrize("text, identity, at_most", [
    ("The service takes 94.0 s since the reinstall. With the performance governor: 33.6 s.", "frequency", 0.643),
    ("The job after the limit was set (812 s). With memory.high at 12G instead of 4G: 203 s.", "swap", 0.75),
])
def test_a_known_change_is_compared_with_the_sentence_ahead_of_it(alone, text, identity, at_most):
    one = finding(alone(text + "\n"), identity)
    assert one["verdict"] == "supported" and one["recoverable_ratio_at_most"] == pytest.approx(at_most, abs=0.02), one


@pytest.mark.parametrize("text, identity", [
    ("The scan takes 94 s. With the performance governor the merge takes 33.6 s.", "frequency"),
    ("It takes 203 s. With memory.high at 4G: 812 s.", "swap"),
    ("It took 50 s on bare metal. With the performance governor: 33.6 s.", "frequency"),
])
def test_a_known_change_of_another_thing_is_none(alone, text, identity):
    assert finding(alone(text + "\n"), identity)["verdict"] != "supported"


PAIR = ("{told}\n\nBenchmark 1: ./scale.{one} in.ppm\n  Time (mean ± σ):     21.104 s ±  0.061 s    [User: 21.010 s, System: 0.090 s]\n  Range (min … max):   21.031 s … 21.201 s    5 runs\n\n"
        "Benchmark 2: ./scale.{other} in.ppm\n  Time (mean ± σ):     11.962 s ±  0.044 s    [User: 11.870 s, System: 0.089 s]\n  Range (min … max):   11.902 s … 12.014 s    5 runs\n")


@pytest.mark.parametrize("told, one, other, leads", [
    ("scale, built with -O2. Same source with -O3 -march=native:", "O2", "native", True),
    ("scale, built with -O2. Same source with -O3 -march=native:", "native", "O2", False),   # slower with it
    ("scale, built with -O2. Same source with -O3 -march=native:", "a", "b", False),         # which is which isn't told
    ("Here is what hyperfine says:", "O2", "native", False),
])
def test_a_pair_of_timed_runs_under_the_words_of_a_change_is_a_trial(alone, told, one, other, leads):
    said = sentence(alone(PAIR.format(told=told, one=one, other=other)))
    assert (LED in said) == leads, said


SETTINGS = "| {head} | rows/s |\n|---|---|\n| {base} | 41k |\n| LD_PRELOAD=libjemalloc.so.2 | 108k |\n| FOO_ARENAS=16 | 101k |\n"


def test_a_table_of_settings_is_a_trial_of_each(alone):
    found = alone(SETTINGS.format(head="setting", base="as is"))
    assert finding(found, "allocation")["recoverable_ratio_at_most"] == pytest.approx(0.62, abs=0.02)
    assert any("FOO_ARENAS=16" in one for one in found["verdict"]["open"]), found["verdict"]


@pytest.mark.parametrize("head, base", [("machine", "as is"), ("setting", "FOO_ARENAS=1")])
def test_a_table_without_a_state_before_is_none(alone, head, base):
    found = alone(SETTINGS.format(head=head, base=base))
    assert finding(found, "allocation")["verdict"] != "supported", found["verdict"]


MATRIX = "The graph in a VM (96 GiB).\n\n| guest pages | host pages | s |\n|---|---|---|\n| 4k | 4k | {0} |\n| 2M | 4k | {1} |\n| 4k | 2M | {2} |\n| 2M | 2M | {3} |\n\n{told}\n"


@pytest.mark.parametrize("told", ["", "Bare metal with 2M pages does it in 50.1 s, so we were hoping for that."])
def test_both_sides_together_are_one_trial_where_each_alone_returns_little(alone, told):
    found = alone(MATRIX.format(88.1, 84.9, 83.0, 52.4, told=told))
    guest, host = finding(found, "small-pages"), finding(found, "host-small-pages")
    assert guest["verdict"] == "supported" and guest["recoverable_ratio_at_most"] == pytest.approx(0.41, abs=0.01), guest
    assert host["verdict"] == "undecided" and "both sides are needed" in host["reason"], host
    assert any("both sides are needed for that" in one for one in found["verdict"]["open"]), found["verdict"]
    assert not any("no trial that was understood" in one for one in found["verdict"]["open"])


def test_both_sides_that_return_little_are_ruled_out_together(alone):
    found = alone(MATRIX.format(88.1, 87.9, 87.5, 87.0, told=""))
    assert finding(found, "small-pages")["verdict"] == finding(found, "host-small-pages")["verdict"] == "ruled_out"


@pytest.mark.parametrize("told, least, most", [
    ("The throughput in the TD is 44 % lower than in the plain guest. With huge pages on host and guest the throughput is 9 % lower than that instead of 44 %.", 0.38, 0.39),
    ("The TD is 44 % slower than the plain guest. With huge pages on host and guest it becomes 9 % slower, it was 44 %.", 0.23, 0.39),
])
def test_what_of_a_gap_is_left_tells_what_came_back(alone, told, least, most):
    one = finding(alone(told + "\n"), "small-pages")
    assert one["verdict"] == "supported" and least <= one["recoverable_ratio"]["low"] and one["recoverable_ratio_at_most"] <= most, one


TRIPS = "The slow kernel was doing a copy, and this way requires 3 trips to memory instead of 2. {then}\n\nours: 0.191 s\ntheirs: 0.162 s\n"


@pytest.mark.parametrize("then, verdict", [
    ("When I patched the benchmark to do a fair comparison, the results were closer:", "ruled_out"),
    ("I fixed that, so that both allocate their outputs; the times were:", "ruled_out"),
    ("Somebody should patch the benchmark to do a fair comparison. The results were:", "undecided"),
    ("I have not patched the benchmark to a fair comparison. The results were:", "undecided"),
    ("These are the results:", "undecided"),
])
def test_trips_that_were_taken_out_before_the_times_are_ruled_out(alone, then, verdict):
    one = finding(alone(TRIPS.format(then=then)), "extra-trips")
    assert one["verdict"] == verdict, one
    assert verdict == "undecided" or "timed without them" in one["reason"], one
