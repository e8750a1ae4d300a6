# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose on cases made of nothing but what other tools printed: what they support, bound and leave open."""
import json

import pytest
from imported_case import finding, labelled

EXITS = "@reason[48]: 5121   EXIT_REASON_EPT_VIOLATION\n@reason[77]: 137299  EXIT_REASON_TDCALL\n"
EXIT_TIMES = ("  VM-EXIT  Samples  Samples%  Time%  Min Time  Max Time  Avg time\n"
              "  MSR_WRITE  1000  50.0%  10.0%  0.50us  40.21us  2.00us ( +- 1.20% )\n"
              "  HLT  1000  50.0%  90.0%  1.00us  1.02ms  500.00us ( +- 2.00% )\n")
METRICS = ("| TopdownL1 | 88.8% | tma_backend_bound |\n| | 1.2% | tma_bad_speculation |\n"
           "| | 4.3% | tma_frontend_bound |\n| | 2.6% | tma_fetch_latency |\n| | 0.5% | tma_branch_mispredicts |\n| | 75.5% | tma_memory_bound |\n"
           "| tma_dram_bound | 66.5 % |\n| tma_store_bound | 0.4 % |\n| tma_mem_bandwidth | 72.6 % |\n")
LICENCE = "8386784008      cycles\n 583958024      core_power.lvl2_turbo_license\n"


def test_top_down_metrics_support_bandwidth_and_rule_others_out(imported):
    found, _ = imported(tma=METRICS)
    assert found["verdict"]["culprit"] == "memory-bandwidth"
    bandwidth = finding(found, "memory-bandwidth")
    assert bandwidth["verdict"] == "supported" and labelled(bandwidth)
    # a child counted in cycles may exceed its parent counted in slots: never more than that
    assert bandwidth["recoverable_ratio_at_most"] == pytest.approx(0.665)
    for identity in ("front-end", "branch-mispredicts", "stores"):
        assert finding(found, identity)["verdict"] == "ruled_out" and labelled(finding(found, identity))
    assert finding(found, "cache-misses")["verdict"] == "undecided"
    assert finding(found, "interpreter")["verdict"] == "not_testable"


def test_a_cause_of_like_weight_has_its_first_advice(imported):
    found, _ = imported(tma="tma_backend_bound 80 %\ntma_memory_bound 60 %\ntma_dram_bound 50 %\ntma_mem_latency 45 %\n"
                            "tma_mem_bandwidth 42 %\n")
    assert found["verdict"]["culprit"] == "dram-latency" and "Of like weight" in found["verdict"]["sentence"]
    bandwidth = finding(found, "memory-bandwidth")
    assert bandwidth["verdict"] == "supported"
    assert f"against {bandwidth['title']}: {bandwidth['advice'][0]}" in found["verdict"]["advice"]


def test_waits_for_memory_that_are_nearly_all_for_another_node_are_that(imported):
    latency = "tma_backend_bound 80 %\ntma_memory_bound 60 %\ntma_dram_bound 50 %\ntma_mem_latency 45 %\n"
    found, _ = imported(tma=latency + "tma_remote_mem 40 %\n")
    assert found["verdict"]["culprit"] == "numa-remote" and "Of like weight" not in found["verdict"]["sentence"]
    found, _ = imported(tma=latency + "tma_remote_mem 20 %\n")
    assert found["verdict"]["culprit"] == "dram-latency"


def test_a_page_of_others_numbers_says_so_once_a_section(run, imported):
    _, case = imported(tma="tma_backend_bound 80 %\ntma_memory_bound 60 %\ntma_dram_bound 50 %\ntma_mem_latency 45 %\n")
    verdict, rest = " ".join(run("diagnose", "--case", case).stdout.split()).split("SUPPORTED", 1)
    assert "(imported, not measured by plumb)" in verdict
    assert rest.count("imported, not measured by plumb") == 2, "the heads of SUPPORTED and NOT OURS"


def test_a_licence_that_costs_less_than_asked_is_ruled_out(run, imported):
    found, case = imported(stat=LICENCE, before="NNC: 0.164 s\n", after="NNC: 0.160 s\n")
    assert finding(found, "avx512-licence")["verdict"] == "undecided", "asked is what explains 2.4 % unless told otherwise"
    found = json.loads(run("diagnose", "--json", "--case", case, "--effect", "5").stdout)
    licence = finding(found, "avx512-licence")
    assert licence["verdict"] == "ruled_out" and labelled(licence)
    assert found["imported_gain"]["ratio"] == pytest.approx(0.160 / 0.164)
    assert found["imported_gain"]["ratio_interval"] is None, "one run each has no interval"


def test_runs_before_and_after_have_an_interval_when_there_are_enough(imported):
    found, _ = imported(before="".join(f"{1 + at / 100}\n" for at in range(8)),
                        after="".join(f"{0.8 + at / 100} s\n" for at in range(8)))
    gain = found["imported_gain"]
    assert gain["ratio_interval"]["low"] < gain["ratio"] < gain["ratio_interval"]["high"] < 1


def test_exits_without_times_stay_open_with_times_without_a_run_as_well(imported):
    found, _ = imported(exits=EXITS)
    exits = finding(found, "vm-exits")
    assert exits["verdict"] == "undecided" and "142420" in exits["evidence"][0]["text"]
    assert "no times" in exits["reason"]


def test_exit_times_leave_halt_out(imported):
    for times in (EXIT_TIMES, EXIT_TIMES.replace("MSR_WRITE", "msr").replace("HLT", "hlt")):  # SVM's names are small
        found, _ = imported(exits=times)
        exits = finding(found, "vm-exits")
        assert exits["verdict"] == "undecided" and "2 ms" in exits["reason"], exits["reason"]


def test_reloads_of_variables_are_noted_and_decide_nothing(imported):
    found, _ = imported(annotate="33.94% mov 0x58(%rax),%rax\n33.43% mov -0x20(%rbp),%rax\n")
    build = finding(found, "unoptimised-build")
    assert build["verdict"] == "undecided" and labelled(build) and "-0x20(%rbp)" in build["reason"]


def test_what_a_person_says_decides_nothing(imported):
    found, _ = imported("memory bandwidth is the limit", "tma_mem_bandwidth 99 %")
    assert all(one["verdict"] == "not_testable" for one in found["findings"])
    assert [one["origin"] for one in found["statements"]] == ["said by a person"] * 2


def test_the_page_says_whose_numbers_these_are(run, imported):
    _, case = imported(tma=METRICS)
    page = run("diagnose", "--case", case).stdout
    assert "IMPORTED (not ours)" in page and "NOT OURS" in page and "ESTIMATED" not in page


def test_nothing_is_written_when_a_file_is_missing(run, tmp_path):
    (tmp_path / "tma.txt").write_text(METRICS)
    case = tmp_path / "case"
    finished = run("diagnose", "--case", case, "--import", tmp_path / "tma.txt", "--import", tmp_path / "absent")
    assert finished.returncode == 1 and "absent" in finished.stderr
    assert not case.exists()


def test_a_text_alone_is_diagnosed_without_a_case_to_keep(run, tmp_path):
    (tmp_path / "exits.txt").write_text("@reason[18]: 1\n@reason[12]: 146\n@reason[1]: 271561\n")
    done = run("diagnose", "--import", str(tmp_path / "exits.txt"))
    assert done.returncode == 4 and "271708 exits for 3 reasons: reason 1 99.9 %" in " ".join(done.stdout.split()), done.stderr
    assert run("diagnose", "--say", "it was fast yesterday").returncode == 4
    assert run("diagnose").returncode == 2


def test_a_broken_part_is_named(run, imported):
    _, case = imported(tma=METRICS)
    for broken in ("{}", "[1", '{"imports": [{"kind": "", "rows": []}]}',
                   '{"imports": [{"kind": "perf stat", "rows": [{"name": "x", "number": -1}]}]}'):
        (case / "imports.json").write_text(broken)
        finished = run("diagnose", "--case", case)
        assert finished.returncode == 4 and "imports.json of the case: it can't be read, and is left out" in finished.stdout, broken


def test_one_of_several_metrics_rules_nothing_out(imported):
    found, _ = imported(tma="tma_memory_bound 60 %\ntma_contested_accesses 1 %\ntma_false_sharing 2 %\ntma_dtlb_load 2 %\n")
    assert finding(found, "contended-lines")["verdict"] == "undecided"
    assert finding(found, "small-pages")["verdict"] == "undecided"


def test_counts_of_a_moment_decide_nothing(imported):
    found, _ = imported(stat="1000000 cycles (1.00%)\n100 branch-misses (1.00%)\n")
    assert finding(found, "branch-mispredicts")["verdict"] == "undecided"


def test_sorted_lists_are_no_pairs(imported):
    # twice the same spread, each sorted: the medians differ by 5 %, which means nothing
    found, _ = imported(before="".join(f"{0.85 + 0.03 * at}\n" for at in range(12)),
                        after="".join(f"{0.80 + 0.03 * at}\n" for at in range(12)))
    interval = found["imported_gain"]["ratio_interval"]
    assert interval["low"] < 1 < interval["high"], interval


@pytest.mark.parametrize("said, identity, low, high", [
    ("The service got faster when SMT was switched off: from 9.0 s to 6.0 s.", "smt-sharing", 0.32, 0.35),
    ("With jemalloc it dropped from 9.5 s to 4.1 s.", "allocation", 0.55, 0.58),
    ("Booted with mitigations=off: 1500 req/s before, 2100 req/s after.", "system-calls", 0.28, 0.29),
    ("It is 18 % slower. Huge pages via hugetlbfs recovered 12 % of the 18 % gap.", "small-pages", 0.10, 0.12),
    ("The guest is 1.6x slower. THP=always on the host, guest unchanged: the slowdown shrank from 60 % to 8 %.", "host-small-pages", 0.32, 0.376),
    ("It is 50 % slower. Padding the counters to their own cache line recovered half of the gap.", "contended-lines", 0.16, 0.25)])
def test_what_a_trial_returned_is_the_recoverable_time(run, said, identity, low, high):
    found = json.loads(run("diagnose", "--json", "--say", said).stdout)
    one = finding(found, identity)
    assert found["verdict"]["culprit"] == identity and one["confidence"] == "low", found["verdict"]["sentence"]
    assert low <= one["recoverable_ratio"]["low"] <= one["recoverable_ratio"]["high"] <= high


@pytest.mark.parametrize("said, identity", [
    ("Pinning the threads did not help.", "migrations"), ("nohz_full: within noise.", "timer-tick"), ("SMT off: 4.21 s -> 4.19 s", "smt-sharing"),
    ("It is 18 % slower. Huge pages recovered 2 % of it.", "small-pages"), ("With pinned threads it rose from 3.1 s to 4.2 s.", "migrations")])
def test_a_trial_that_returned_little_rules_its_cause_out(run, said, identity):
    found = json.loads(run("diagnose", "--json", "--say", said).stdout)
    assert finding(found, identity)["verdict"] == "ruled_out" and found["verdict"]["culprit"] is None


@pytest.mark.parametrize("said, identity", [
    ("tcmalloc: within noise.", "allocation"), ("It is 18 % slower. mitigations=off recovered 2 % of it.", "system-calls")])
def test_what_may_cost_as_much_without_it_is_not_ruled_out(run, said, identity):
    assert finding(json.loads(run("diagnose", "--json", "--say", said).stdout), identity)["verdict"] == "undecided"


def test_prefetching_without_effect_rules_nothing_out(run):
    found = json.loads(run("diagnose", "--json", "--say", "Software prefetching did nothing.").stdout)
    assert finding(found, "dram-latency")["verdict"] == "undecided"


def test_a_gain_without_a_change_that_is_known_is_named(run):
    page = " ".join(run("diagnose", "--say", "Painting it red brought it from 4.2 s to 3.1 s.").stdout.split())
    assert "not understood" in page and "no change that plumb knows" in page


SYSTEM = {
    "mpstat": ("10:11:01  CPU  %usr  %nice  %sys %iowait  %irq  %soft  %steal  %guest  %gnice  %idle\n10:11:02  all  52.10  0.00  2.10  0.00  0.00  0.20  41.30  0.00  0.00  4.30\n", "steal", 0.413),
    "quota": ("nr_periods 600\nnr_throttled 581\n", "cpu-quota", None),  # since the group exists, which bounds nothing of a time in it
    "turbostat": ("Core CPU Avg_MHz Busy% Bzy_MHz TSC_MHz IRQ\n- - 1797 99.81 1800 2400 410201\n", "frequency", None),  # with a turbo more than that
    "hot": ("Core CPU Avg_MHz Busy% Bzy_MHz TSC_MHz IRQ\n- - 1797 99.81 1800 2400 410201\nCPU3: Package temperature above threshold, cpu clock throttled\n", "thermal-power", None),
    "swap": (" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n 1  3 4194300 112 1200 90112 21044 18222 21 18 51 91 11 9 12 68 0\n", "swap", 0.68),
    "walks": (" 61,203,338,112 cycles\n 33,102,338,991 dtlb_load_misses.walk_active\n", "small-pages", 33102338991 / 61203338112),
    "names": (" 61,203,338,112 CPU_CLK_UNHALTED.THREAD\n 33,102,338,991 DTLB_LOAD_MISSES.WALK_ACTIVE\n", "small-pages", 33102338991 / 61203338112),
    "faults": ("# Overhead  Command  Shared Object      Symbol\n 31.00%  batch  [kernel.kallsyms]  [k] clear_page_erms\n 12.40%  batch  [kernel.kallsyms]  [k] __handle_mm_fault\n", "page-faults", None),  # at least 31 %
    "likwid": ("TABLE,Group 1 Raw,BRANCH,2,\nEvent,Counter,HWThread 0,\nRETIRED_INSTRUCTIONS,PMC0,9000000,\nCPU_CLOCKS_UNHALTED,PMC1,10000000,\nRETIRED_MISP_BRANCH_INSTR,PMC3,100000,\n", "branch-mispredicts", 0.25),
    "gctrace": ("gc 39 @0.297s 12%: 0.015+5.9+0.003 ms clock, 0.030+1.9/1.0/0+0.006 ms cpu, 3->5->3 MB, 4 MB goal, 2 P\n", "garbage-collection", 0.12),
    "collectors": ("# Overhead  Command  Shared Object  Symbol\n 21.00%  server  server  [.] runtime.scanobject\n 10.00%  server  server  [.] runtime.greyobject\n", "garbage-collection", None),  # at least 31 %
    "perfspect": ("TMA_..Memory_Bound(%),60.2\nTMA_....DRAM_Bound(%),52.9\nTMA_......MEM_Bandwidth(%),0.4\nTMA_......MEM_Latency(%),48.7\n", "dram-latency", 0.487),
}


@pytest.mark.parametrize("name", SYSTEM)
def test_what_tools_of_the_whole_system_printed(imported, name):
    text, identity, most = SYSTEM[name]
    found, _ = imported(**{name: text})
    one = finding(found, identity)
    assert found["verdict"]["culprit"] == identity and one["verdict"] == "supported" and labelled(one), found["verdict"]["sentence"]
    assert one["recoverable_ratio_at_most"] == (most and pytest.approx(most, abs=1e-3)) and one["confidence"] == "low"


def test_interrupts_of_one_cpu_are_told_as_that_cpus(imported):
    heading = "CPU  %usr  %nice  %sys %iowait  %irq  %soft  %steal  %guest  %gnice  %idle\n"
    others = "".join(f"{cpu}  4.00  0.00  3.00  0.00  0.00  0.30  0.00  0.00  0.00  92.70\n" for cpu in (0, 1, 3))
    found, _ = imported(full=f"{heading}all  4.10  0.00  3.20  0.00  0.00  24.10  0.00  0.00  0.00  70.60\n{others}2  2.00  0.00  1.00  0.00  0.00  96.50  0.00  0.00  0.00  0.50\n")
    one = finding(found, "interrupts")
    assert one["verdict"] == "supported" and one["recoverable_ratio"] is None and "CPU 2) is 96 %" in one["headline"]


def test_interrupts_of_a_cpu_with_time_left_decide_nothing(imported):
    heading = "CPU  %usr  %nice  %sys %iowait  %irq  %soft  %steal  %guest  %gnice  %idle\n"
    found, _ = imported(free=f"{heading}all  4.10  0.00  3.20  0.00  0.00  15.10  0.00  0.00  0.00  70.60\n0  4.00  0.00  3.00  0.00  0.00  0.30  0.00  0.00  0.00  92.70\n"
                             "1  2.00  0.00  1.00  0.00  0.00  30.00  0.00  0.00  0.00  67.00\n")
    one = finding(found, "interrupts")
    assert one["verdict"] == "undecided" and found["verdict"]["culprit"] is None and "(CPU 1) is 30 %" in one["reason"]


def test_times_by_system_call_point_and_decide_nothing(imported):
    found, _ = imported(strace="% time     seconds  usecs/call     calls    errors syscall\n------ ----------- ----------- --------- --------- ----------------\n"
                               " 96.00    9.600000       26999         4         2 futex\n  4.00    0.400000           2     20003           read\n100.00   10.000000           2     20007         2 total\n")
    one = finding(found, "waiting")
    assert one["verdict"] == "undecided" and found["verdict"]["culprit"] is None and "futex" in one["reason"]


def test_modified_lines_are_a_cause_whose_time_is_not_known(imported):
    found, _ = imported(c2c="  Load Operations : 69679\n  Load Local HITM : 14071\n  Load Remote HITM : 8331\n")
    one = finding(found, "contended-lines")
    assert found["verdict"]["culprit"] == "contended-lines" and one["recoverable_ratio"] is None, "a share of loads is none of time"


@pytest.mark.parametrize("stolen, verdict", [("0.00", "ruled_out"), ("1.00", "not_testable")]) # one of many CPUs may have lost all of it
def test_nothing_stolen_rules_it_out_and_little_does_not(imported, stolen, verdict):
    found, _ = imported(mpstat="10:11:01  CPU  %usr  %nice  %sys %iowait  %irq  %soft  %steal  %guest  %gnice  %idle\n"
                               f"10:11:02  all  2.10  0.00  2.10  0.00  0.00  0.20  {stolen}  0.00  0.00  94.00\n")
    assert finding(found, "steal")["verdict"] == verdict and finding(found, "waiting")["verdict"] == "not_testable"


def test_tables_of_a_system_that_differ_decide_nothing(imported):
    heading = "CPU  %usr  %nice  %sys %iowait  %irq  %soft  %steal  %guest  %gnice  %idle\n"
    found, _ = imported(mpstat=f"Before the change it was:\n\n{heading}all  52.10  0.00  2.10  0.00  0.00  0.20  41.30  0.00  0.00  4.30\n\n"
                               f"After the change it was:\n\n{heading}all  92.10  0.00  2.10  0.00  0.00  0.20  1.30  0.00  0.00  4.30\n")
    assert found["verdict"]["culprit"] is None and finding(found, "steal")["verdict"] == "undecided"
    assert "%steal is 1.3 to 41 %" in " ".join(found["verdict"]["open"])
    assert [one["heading"] for one in found["imported"]] == ["Before the change it was", "After the change it was"]


def test_tables_that_differ_decide_nothing(imported):
    found, _ = imported(one="tma_mem_bandwidth 58 %\ntma_dram_bound 64 %\n", other="tma_mem_bandwidth 2.3 %\ntma_dram_bound 4 %\n")
    assert found["verdict"]["culprit"] is None and finding(found, "memory-bandwidth")["verdict"] == "undecided"
    assert "2.3 % in other.txt and 58 % in one.txt" in " ".join(found["verdict"]["open"]) and "tma_mem_bandwidth is 58 %" not in found["verdict"]["sentence"]


@pytest.mark.parametrize("walks, verdict, confidence", [(31e9, "supported", "medium"), (1e7, "undecided", "none")])
def test_a_trial_is_held_against_what_was_counted(imported, walks, verdict, confidence):
    found, _ = imported(notes="It is 58 % slower than on the old kernel. With THP=always the gap was gone.\n", stat=f" 61,203,338,112 cycles\n {walks:,.0f} dtlb_load_misses.walk_active\n")
    pages = finding(found, "small-pages")
    assert pages["verdict"] == verdict and pages["confidence"] == confidence
    assert verdict == "supported" or "contradict one another" in " ".join(found["verdict"]["open"])


def test_counts_behind_a_heading_of_few_words_are_a_run_of_their_own(imported):
    wide = "build with -mwide:\n 88,204,559,113 core_power.lvl2_turbo_license\n 152,316,448,555 cycles\n 61.4 seconds time elapsed\n\n"
    found, _ = imported(stat=wide + wide.replace("wide", "narrow").replace("88,204,559,113", "0").replace("61.4", "52.9"))
    assert found["verdict"]["culprit"] == "avx512-licence"


@pytest.mark.parametrize("identity, text", [
    ("numa-remote", "Node 0  Node 1  Total\nTotal  46.36  61683.98  61730.34\n"), ("numa-remote", "|-- NODE 0 Memory (MB/s):  131320.32 --||-- NODE 1 Memory (MB/s):  97.01 --|\n"),
    ("kernel-locks", " 48213     71.22 s      42.11 ms      1.48 ms     spinlock   rwsem_down_write_slowpath+0x1a4\n"),
    ("lock-turns", " 48213     71.22 s      42.11 ms      1.48 ms     mutex   pipe_write+0x1a4\n")])
def test_what_goes_with_a_cause_and_tells_no_time_is_left_open(imported, identity, text):
    found, _ = imported(tool=text)
    one = finding(found, identity)
    assert found["verdict"]["culprit"] is None and one["verdict"] == "undecided" and labelled(one)
    assert "how much time that took isn't told" in " ".join(found["verdict"]["open"])


def test_the_widest_interval_stays_on_the_page(run, tmp_path):
    (tmp_path / "told.md").write_text("The new one is 7.3 % slower than the old one. With huge pages the gap is gone.\n")
    page = run("diagnose", "--import", tmp_path / "told.md").stdout
    assert "6.8 to 7.3 % of elapsed time\n" in page and max(map(len, page.splitlines())) <= 100


def test_time_in_interrupts_of_a_profile(imported):
    """A handler's share with what it called: the largest of those that call one another, never their sum."""
    found, _ = imported(report="".join(f"    {share} %     0.10%  server  [kernel.kallsyms]  [k] {name}\n".replace(" %", "%") for share, name in
                                       ((31.20, "asm_common_interrupt"), (29.90, "handle_softirqs"), (28.40, "net_rx_action"), (6.10, "memcpy"))))
    one = finding(found, "interrupts")
    assert one["verdict"] == "supported" and one["recoverable_ratio_at_most"] == pytest.approx(0.312) and one["advice"], one


def test_the_hot_function_stands_beside_a_cause_by_counts(imported):
    found, _ = imported(one="tma_mem_bandwidth 58 %\ntma_dram_bound 64 %\n", profile="    61.20%  server  server  [.] scan_rows\n")
    assert found["verdict"]["culprit"] == "memory-bandwidth"
    assert "scan_rows" in found["verdict"]["sentence"]


def test_what_more_wrong_guesses_cost_of_the_longer_run(imported):
    """661,600,000 more at 10 to 25 cycles each, of 13,190,000,000 more cycles; with twice the instructions it is other work."""
    table = ("| build | time | instructions | cycles | branch-misses |\n|---|---:|---:|---:|---:|\n| the old one | 12.1 s | 98,120,000,000 | 40,210,000,000 | 120,300,000 |\n"
             "| 4711 | 15.9 s | {} | 53,400,000,000 | 781,900,000 |\n")
    profile = "    41.20%  bench  bench  [.] lookup_rule\n    12.10%  bench  bench  [.] parse_header\n"
    found, _ = imported(builds=table.format("98,300,000,000"), profile=profile)
    assert found["verdict"]["culprit"] == "branch-mispredicts"
    assert "662 million more wrongly guessed branches (branch-misses) than the faster one, 50 to 100 % of what it takes longer" in found["verdict"]["sentence"] and "lookup_rule" in found["verdict"]["sentence"]
    other, _ = imported(builds=table.format("198,300,000,000"), profile=profile)
    assert "more branch-misses" not in other["verdict"]["sentence"]


@pytest.mark.parametrize("metrics, cause", [
    ("tma_mite 33.1 %\ntma_dsb 4 %\n", "uop-cache"), ("tma_mite 33.1 %\ntma_decoder0_alone 28 %\n", "decoding"), ("tma_mite 3.1 %\ntma_lcp 22 %\n", "decoding")])
def test_what_is_decoded_anew_was_not_kept_unless_decoding_is_slow(imported, metrics, cause):
    found, _ = imported(toplev="tma_frontend_bound 46.1 %\n" + metrics)
    assert finding(found, cause)["verdict"] == "supported", finding(found, cause)
    assert cause == "decoding" or finding(found, "decoding")["verdict"] == "undecided"


PROFILE = "# Overhead  Command  Shared Object       Symbol\n"
NAMED = {
    "allocation": ("    14.10%  shop  libc.so.6           [.] _int_malloc\n     9.20%  shop  libc.so.6           [.] _int_free\n     6.00%  shop  libc.so.6           [.] malloc\n", 0.293, "LD_PRELOAD"),
    "allocation by jemalloc": ("    22.10%  shop  libjemalloc.so.2    [.] arena_bin_choose\n", 0.221, "jemalloc is in use already"),
    "spinning": ("    31.00%  db    postgres            [.] s_lock\n     2.00%  db    postgres            [.] perform_spin_delay\n", 0.33, "hold locks shorter"),
    "spinning at a mutex": ("    18.00%  db    libc.so.6           [.] pthread_mutex_lock\n", 0.18, "hold that lock shorter"),
    "spinning at a barrier": ("    41.00%  cg.C  libgomp.so.1.0.0    [.] gomp_barrier_wait_end\n", 0.41, "OMP_NUM_THREADS"),
    "copying": ("    27.00%  pipe  libc.so.6           [.] __memmove_avx_unaligned_erms\n", 0.27, "copy less"),
    "interpreter": ("    44.00%  python3  python3.11       [.] _PyEval_EvalFrameDefault\n     9.00%  python3  python3.11       [.] list_contains\n", 0.53, "script"),
    "garbage-collection": ("    33.00%  app   libcoreclr.so       [.] WKS::gc_heap::mark_object_simple\n", 0.33, "DOTNET"),
    "instrumented-build": ("    25.00%  app   app                 [.] __asan_report_load8\n", 0.25, "-fsanitize"),
}


@pytest.mark.parametrize("name", NAMED)
def test_functions_of_user_space_are_told_by_the_names_that_our_own_samples_are(imported, name):
    rows, least, advice = NAMED[name]
    found, _ = imported(notes=f"{PROFILE}{rows}     4.00%  app   app                 [.] main\n")
    one = finding(found, name.split(" ")[0])
    assert found["verdict"]["culprit"] == one["id"] and one["verdict"] == "supported" and labelled(one)
    assert one["evidence"][0]["values"]["share"]["value"]["mid"] == pytest.approx(least), "the rows add up"
    assert one["recoverable_ratio_at_most"] is None and "at least" in one["headline"] and advice in " ".join(one["advice"])


@pytest.mark.parametrize("rows", [
    "    31.00%  db    db                  [.] freeze_cells\n",
    "    31.00%  db    db                  [.] my_spin_lock\n",  # anybody may call a function so
    "     3.10%  db    libc.so.6           [.] malloc\n",
    "    31.00%  db    vmlinux             [k] memset_erms\n",
    "    31.00%  db    [kernel.kallsyms]   [k] memcpy_orig\n",
], ids=["another word", "a guess", "little of it", "the kernel's", "the kernel's, too"])
def test_functions_that_are_only_called_alike_are_no_cause(imported, rows):
    found, _ = imported(notes=f"{PROFILE}{rows}    40.00%  app   app                 [.] main\n")
    assert found["verdict"]["culprit"] is None


def test_without_a_binary_a_name_that_the_kernel_has_too_is_nobodys(imported):
    found, _ = imported(notes="# Overhead  Symbol\n    31.00%  [k] memset_erms\n    12.00%  [.] main\n")
    assert found["verdict"]["culprit"] is None
    found, _ = imported(notes="# Overhead  Symbol\n    31.00%  [.] __memset_avx2_unaligned_erms\n    12.00%  [.] main\n")
    assert found["verdict"]["culprit"] == "copying"


def test_with_what_they_call_counted_in_functions_of_user_space_do_not_add_up(imported):
    rows = "    94.00%  py  python3.11  [.] _PyEval_EvalFrameDefault\n    31.00%  py  libc.so.6  [.] malloc\n    27.00%  py  libc.so.6  [.] _int_malloc\n"
    found, _ = imported(notes=f"# perf report --children\n{PROFILE}{rows}")
    assert finding(found, "allocation")["evidence"][0]["values"]["share"]["value"]["mid"] == pytest.approx(0.31)
    assert finding(found, "interpreter")["verdict"] == "not_testable"


CLOCK = ("    {}%  bid   [kernel.kallsyms]   [k] {}\n     3.50%  bid   [kernel.kallsyms]   [k] entry_SYSCALL_64_after_hwframe\n"
         "     2.50%  bid   [kernel.kallsyms]   [k] syscall_return_via_sysret\n     9.10%  bid   bid                 [.] price\n")


@pytest.mark.parametrize("reader", ["read_hpet", "acpi_pm_read", "acpi_pm_read_verified"])
def test_who_reads_a_slow_clock_does_so_for_system_calls(imported, reader):
    found, _ = imported(notes=PROFILE + CLOCK.format("52.00", reader))
    calls = finding(found, "system-calls")
    assert found["verdict"]["culprit"] == "system-calls" and calls["evidence"][0]["values"]["share"]["value"]["mid"] == pytest.approx(0.58)
    assert "clock source" in calls["advice"][0]


def test_a_clock_that_is_read_without_a_call_is_none(imported):
    found, _ = imported(notes=PROFILE + CLOCK.format("52.00", "read_tsc").replace("3.50", "1.50"))
    assert finding(found, "system-calls")["verdict"] == "not_testable" and found["verdict"]["culprit"] is None
