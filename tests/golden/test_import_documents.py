# SPDX-License-Identifier: GPL-3.0-or-later
"""Tickets and notebooks in whole: what trials, tables and sentences say together, and what they don't."""
import pytest
from imported_case import evidence, finding

STATES = "It takes 7.06 s in the SNP guest and 4.12 s in the plain one.\n\n"


@pytest.mark.parametrize("text, verdict", [
    ("We took the guest_memfd huge page series and turned on transparent huge pages on the host and in the guest. After that the SNP guest needed 4.19 s.", "supported"),
    ("We backported the huge page patches and enabled transparent huge pages in the guest. After that the SNP guest needed 4.19 s.", "supported"),
    ("We turned on transparent huge pages. After that the SNP guest needed 4.19 s, the same as the plain one within noise.", "supported"),
    ("We turned on transparent huge pages. After that the SNP guest needed 7.04 s, the same as before within noise.", "ruled_out"),
    ("We turned on huge pages and rewrote the inner loop. After that the SNP guest needed 4.19 s.", "undecided"),
    ("We turned on huge pages and enabled the new allocator. After that the SNP guest needed 4.19 s.", "undecided")])
def test_a_mechanism_and_its_switch_are_one_change(imported, text, verdict):
    found, _ = imported(notes=STATES + text + "\n")
    assert finding(found, "small-pages")["verdict"] == verdict


LISTING = "\n".join(["perf annotate of work:", "", "```", "  {0:.2f} │       movss  {1},%xmm1", "  {2:.2f} │       addss  %xmm1,%xmm0", "  {2:.2f} │       mulss  %xmm2,%xmm0", "```", ""])


@pytest.mark.parametrize("load, rest, is_open", [(71.4, 4.0, False), (30.1, 24.0, True)])
def test_one_load_that_has_most_is_no_sign_of_narrow_code(imported, load, rest, is_open):
    found, _ = imported(notes=LISTING.format(load, "(%rdi,%rdx,4)", rest))
    assert (finding(found, "narrow-vectors")["verdict"] == "undecided") == is_open


@pytest.mark.parametrize("text, identity", [
    ("gave the guest 1G hugetlbfs pages on the host and THP=always inside.", "swap"),
    ("We gave the VM 100 GB nvme. It went from 31 s to 22 s.", "swap"),
    ("Same traffic (4,000 req/s), same pods, same node type.", "numa-remote"),
    ("numactl -H shows two nodes; it went from 31.0 s to 22.5 s.", "numa-remote"),
    ("Both pods ran on the same node, 4.1 s before, 4.0 s after.", "numa-remote")])
def test_a_loose_word_is_no_trial(imported, text, identity):
    assert finding(imported(notes=text + "\n")[0], identity)["verdict"] == "not_testable"


@pytest.mark.parametrize("text, identity, verdict", [
    ("We gave the VM 64 GB. The batch went from 31 s to 22 s.", "swap", "supported"),
    ("With memory and threads on the same node the batch went from 31 s to 22 s.", "numa-remote", "supported"),
    ("With the mempolicy patch the memory is on node 0, 31.0 s before, 22.5 s after.", "numa-remote", "supported"),
    ("With numactl: 31.0 s -> 22.5 s.", "numa-remote", "supported"),
    ("tried: memory on node 0, where the vCPUs are: 31.0 s before, 22.5 s after", "numa-remote", "supported"),
    ("Without numactl it takes 31.0 s, with it 22.5 s.", "numa-remote", "supported"),
    ("Moved the memory to node 1: 31.0 s -> 31.1 s.", "numa-remote", "undecided"),
    ("tried: unroll 4 times instead of 64: 3.92 s before, 3.37 s after\nThe hot loop is 64 KB.", "front-end", "supported"),
    ("Unroll factor 64 -> 4: 3.92 s before, 3.37 s after.\nThe hot loop is 64 KB.", "front-end", "supported"),
    ("We moved it to a dedicated host: 19m04 -> 12m11.", "steal", "supported"),
    ("We moved it to a dedicated host: 1h02m -> 62m00.", "steal", "ruled_out")])
def test_trials_of_notebooks(imported, text, identity, verdict):
    assert finding(imported(notes=text + "\n")[0], identity)["verdict"] == verdict


@pytest.mark.parametrize("text", ["Unroll factor 4 -> 64: 3.37 s before, 3.92 s after.\nThe hot loop is 64 KB.",
                                  "In this TD the memory is on node 1, 31.0 s. The plain VM takes 22.5 s."])
def test_what_is_no_such_trial(imported, text):
    found, _ = imported(notes=text + "\n")
    assert "supported" not in {finding(found, identity)["verdict"] for identity in ("front-end", "numa-remote")}
    assert not any(one["origin"] == "imported, told in words" and "node 1" in one["text"] and "22.5" not in one["text"] for one in found["statements"])


@pytest.mark.parametrize("after, gain", [("real 12m11s, user 41m50s, sys 6m15s", 0.36), ("real 19m02s, user 41m50s, sys 6m15s", None)])
def test_a_shells_time_of_a_trial(imported, after, gain):
    found, _ = imported(notes=f"make -j4, real 19m04s, user 42m10s, sys 6m20s.\n\nWe moved one runner to a dedicated host (same image): {after}.\n")
    steal = finding(found, "steal")
    assert steal["verdict"] == ("supported" if gain else "ruled_out")
    assert not gain or steal["recoverable_ratio_at_most"] == pytest.approx(gain, abs=0.01)


TREE = "\n".join(f"| {name} | {share} |" for name, share in
                 [("metric", "%"), ("---", "---:"), ("tma_backend_bound", 85.8), ("tma_memory_bound", 78.0), ("tma_dram_bound", 66.1), ("tma_mem_bandwidth", 52.7), ("tma_mem_latency", 31.9)]) + "\n\n"


@pytest.mark.parametrize("trial, verdict", [
    ("Half of the threads (32): 12.4 s -> 23.9 s.", "undecided"), ("tried: half of the threads: 12.4 s before, 23.9 s after", "undecided"),
    ("Twice as many threads: 24.0 s -> 12.4 s.", "undecided"), ("Half of the threads (32): 12.4 s -> 12.9 s.", "supported"), ("", "supported")])
def test_threads_that_scale_contradict_a_memory_that_is_used_up(imported, trial, verdict):
    bandwidth = finding(imported(notes=TREE + trial + "\n")[0], "memory-bandwidth")
    assert bandwidth["verdict"] == verdict
    assert ("all but twice the work" in evidence(bandwidth)) == (verdict == "undecided")


@pytest.mark.parametrize("text, is_there", [("64 threads, 20 GB hash table on 1 GiB pages.", True), ("64 threads, 20 GB hash table.", False), ("Should we put the hash table on 1 GiB pages?", False)])
def test_data_on_huge_pages_already(imported, text, is_there):
    pages = finding(imported(notes=text + "\n\n" + TREE)[0], "small-pages")
    assert pages["verdict"] == "undecided" and ("on huge pages already" in (pages["reason"] or "")) == is_there
    assert ("recoverable_ratio_at_most" in pages and pages["recoverable_ratio_at_most"] is not None) != is_there


def csv_of(cycles, instructions, licence, running):
    rows = ((cycles, "cycles"), (instructions, "instructions"), (licence, "core_power.lvl2_turbo_license"))
    return "```\n" + "".join(f"{count},,{name},{running},100.00,,\n" for count, name in rows) + "```\n\n"


@pytest.mark.parametrize("times, is_bound", [((6.48, 5.90), True), ((9.48, 8.90), False)])
def test_separated_counts_have_the_time_that_is_told_beside_them(imported, times, is_bound):
    text = f"| build | time |\n|---|---:|\n| wide16 | {times[0]:.2f} s |\n| narrow8 | {times[1]:.2f} s |\n\nwide:\n\n" + \
        csv_of(20091338412, 15900218377, 6268497584, 6480112900) + "narrow:\n\n" + csv_of(19590417702, 20877401933, 0, 5901330120)
    found, _ = imported(notes=text)
    assert (found["imported_runs"][0]["elapsed_s"] == pytest.approx(6.48, abs=0.001)) == is_bound if is_bound else \
        all(run["elapsed_s"] != pytest.approx(6.48, abs=0.001) for run in found["imported_runs"])
    assert finding(found, "avx512-licence")["verdict"] == ("supported" if is_bound else "undecided")


def window_of(whose, clock, cycles, instructions):
    return f"```\n Performance counter stats for process id '{whose}':\n\n{clock:>18,.2f} msec task-clock\n{cycles:>18,}      cycles\n{instructions:>18,}      instructions\n\n      60.004120338 seconds time elapsed\n```\n\n"


WINDOWS = "Before (v1)\n\n" + window_of(2211, 80114.2, 240338114902, 312440227381) + "After (v2)\n\n" + window_of(3177, 110402.77, 331208311640, 431002190554)


@pytest.mark.parametrize("load", ["Same traffic (4,000 req/s), 60 s each.\n\n", "The request rate is unchanged.\n\n"])
def test_windows_under_one_load_are_of_as_much_work(imported, load):
    sentence = imported(notes=load + WINDOWS)[0]["verdict"]["sentence"]
    assert "After (v2) took 37.8 % more CPU time than Before (v1)" in sentence and "37.9 % more instructions" in sentence and "slower" not in sentence.split(". ")[0]


@pytest.mark.parametrize("load", ["", "It was not the same traffic.\n\n", "Was it the same traffic?\n\n"])
def test_which_of_two_windows_is_the_slower_is_open_without_a_rate(imported, load):
    sentence = imported(notes=load + WINDOWS)[0]["verdict"]["sentence"]
    assert "whether that one had less to do or is the slower one" in sentence and "isn't told" in sentence and "more CPU time" not in sentence


def test_what_a_database_does_before_a_query_is_no_run(imported):
    found, _ = imported(notes=" Planning Time: 0.211 ms\n Execution Time: 9120.377 ms\n")
    assert "differ" not in found["verdict"]["sentence"] + " ".join(found["verdict"]["open"])


def test_what_a_profiler_tells_beside_a_runs_time_is_no_run(imported):
    found, _ = imported(notes="vtune:\n\nElapsed Time: 58.204s\n    CPU Time: 87.902s\n        Effective Time: 80.1s\n    Paused Time: 0s\n")
    assert [row["number"] for table in found["imported"] for row in table["rows"]] in ([], [pytest.approx(58.204)])


def test_two_queries_are_two_runs(imported):
    found, _ = imported(notes="without:\n\n Planning Time: 0.2 ms\n Execution Time: 9120.4 ms\n\nwith:\n\n Planning Time: 0.3 ms\n Execution Time: 3120.4 ms\n")
    assert [row["number"] for table in found["imported"] for row in table["rows"]] == [pytest.approx(9.1204), pytest.approx(3.1204)]


@pytest.mark.parametrize("names, are_runs", [(("compile", "link"), False), (("old", "new"), True), (("compile", "old compile"), True)])
def test_phases_of_a_run_are_no_runs(imported, names, are_runs):
    found, _ = imported(notes=f"{names[0]}: 12.1 s\n{names[1]}: 3.4 s\n")
    assert any(table["kind"] == "timed runs" for table in found["imported"]) == are_runs


def test_a_trial_that_was_not_read_is_not_called_unmeasured(imported):
    found, _ = imported(notes="%Cpu(s): 50.0 us,  5.0 sy,  0.0 ni, 10.0 id,  0.0 wa,  0.0 hi,  0.0 si, 35.0 st\n\nWith the frobnicator: 31.0 s -> 22.5 s.\n")
    assert "no trial was read that tells what removing it returns" in found["verdict"]["confidence"] and "is not measured" not in found["verdict"]["confidence"]