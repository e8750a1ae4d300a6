# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose on counts of one run or of two that others published: what they differ by, what events can have cost, and what stays open."""
import json

import pytest
from imported_case import diagnosed_with, finding


@pytest.fixture
def counted(run, tmp_path):
    """counted(text) -> the JSON of a diagnosis of nothing but that text."""
    def make(text):
        (tmp_path / "text.txt").write_text(text)
        finished = run("diagnose", "--json", "--import", tmp_path / "text.txt")
        assert finished.returncode in (0, 4), finished.stderr
        return json.loads(finished.stdout)
    return make


def run_of(elapsed=None, **counts):
    """As perf stat prints it; task_clock in ms."""
    lines = [" Performance counter stats for './prog':", ""]
    for name, number in counts.items():
        name = name.replace("__", ".").replace("_clock", "-clock") if name == "task_clock" else name.replace("__", ".").replace("branch_misses", "branch-misses") \
            .replace("context_switches", "context-switches").replace("ref_cycles", "ref-cycles")
        lines.append(f"{number:>18,.2f} msec {name}" if name == "task-clock" else f"{number:>18,}      {name}")
    return "\n".join(lines + ([f"\n{elapsed:>15.9f} seconds time elapsed\n"] if elapsed else [""])) + "\n"


def pair(slow, fast):
    return f"The first one:\n\n{run_of(**slow)}\nThe second one:\n\n{run_of(**fast)}"


def left_open(found):
    return " ".join(found["verdict"]["open"])


UNSORTED = dict(cycles=22104330118, instructions=14002118330, branch_misses=962118004, elapsed=6.31)
SORTED = dict(cycles=7080118220, instructions=14002117900, branch_misses=12004118, elapsed=2.02)
REWRITTEN = dict(cycles=7080118220, instructions=14002117900, branch_misses=92004118, elapsed=2.02)
OLD = dict(cycles=22104330118, instructions=44002118330, branch_misses=262118004, elapsed=6.31)


# ---- two runs ----

def test_what_is_gone_is_no_more_than_the_runs_differ_by(imported):
    found, _ = imported(runs=pair(UNSORTED, SORTED))
    branches = finding(found, "branch-mispredicts")
    assert found["verdict"]["culprit"] == "branch-mispredicts"
    assert branches["recoverable_ratio_at_most"] == pytest.approx(1 - 7080118220 / 22104330118, abs=0.005), "the fast one takes 32 % of it still"


def test_a_rewrite_that_executes_less_is_the_first_thing_to_say(counted):
    found = counted(pair(OLD, REWRITTEN))
    assert found["verdict"]["culprit"] is None and finding(found, "branch-mispredicts")["verdict"] == "undecided"
    assert "68.2 % fewer instructions" in found["verdict"]["sentence"] and found["verdict"]["sentence"].startswith("Most of the 68 % of the time")
    assert "12 to 30 %" in left_open(found), "the share is of the slower run"
    assert "68.2 % fewer" in counted(pair(REWRITTEN, OLD))["verdict"]["sentence"]


def test_work_is_nothing_where_the_instructions_are_as_many(counted):
    found = counted(pair(UNSORTED, dict(SORTED, branch_misses=961118004)))
    assert "fewer instructions" not in found["verdict"]["sentence"]
    assert found["verdict"]["culprit"] is None and "in each of the runs" in finding(found, "branch-mispredicts")["reason"]
    assert "1.58 cycles for each instruction, the other 0.506" in left_open(found) and any("--topdown" in one for one in found["verdict"]["advice"])


def test_counts_without_times_are_compared_by_cycles(counted):
    table = ("u16 and u4 of the filter:\n\n| event | u16 | u4 |\n|---|---:|---:|\n| cycles | 10,185,220,910 | 8,330,118,422 |\n| instructions | 24,100,377,020 | {} |\n"
             "| idq.dsb_uops | 3,110,220,744 | 23,907,002,219 |\n| idq.mite_uops | 21,760,337,418 | {} |\n")
    found = counted(table.format("24,420,900,118", "902,114,003"))
    cache = finding(found, "uop-cache")
    assert found["verdict"]["culprit"] == "uop-cache" and cache["recoverable_ratio_at_most"] == pytest.approx(1 - 8330118422 / 10185220910, abs=0.005)
    found = counted(table.format("24,420,900,118", "20,902,114,003"))
    assert finding(found, "uop-cache")["verdict"] == "undecided" and found["verdict"]["culprit"] is None, "as many in both"
    found = counted(table.format("12,420,900,118", "902,114,003"))
    assert finding(found, "uop-cache")["verdict"] == "undecided" and "fewer instructions" in found["verdict"]["sentence"], "other work"


def test_a_large_loop_is_no_reason_to_leave_counts_unread(counted):
    said = "Its code for the loop is 9.6 KB, so L1I is fine.\n\ntma_frontend_bound 41.8 %\ntma_fetch_bandwidth 36.9 %\ntma_mite 34.2 %\ntma_fetch_latency 4.9 %\n"
    found = counted(said)
    assert found["verdict"]["culprit"] == "uop-cache" and finding(found, "decoding")["verdict"] == "undecided"
    assert finding(found, "front-end")["verdict"] == "ruled_out"
    found = counted(said.split("\n", maxsplit=1)[0])
    assert found["verdict"]["culprit"] is None and "9.6 KiB" in finding(found, "uop-cache")["reason"]


def test_a_small_loop_that_is_decoded_anew_is_open(counted):
    loop = "The hot loop is about 300 bytes of code.\n\n"
    slow, fast = dict(cycles=12118220004, instructions=30220118330, elapsed=3.621), dict(cycles=10118220004, instructions=30220118330, elapsed=3.021)
    found = counted(loop + pair(dict(slow, idq__mite_uops=24120118220), dict(fast, idq__mite_uops=2120118220)))
    assert finding(found, "uop-cache")["verdict"] == "undecided" and "keeps code out of that cache" in left_open(found)
    found = counted(loop + pair(dict(slow, idq__mite_uops=2120118220), dict(fast, idq__mite_uops=2120118220)))
    assert finding(found, "uop-cache")["verdict"] == "ruled_out"


def test_many_more_misses_of_the_last_cache(counted):
    slow, fast = dict(cycles=88118220330, instructions=20118330220, elapsed=25.2), dict(cycles=12118220330, instructions=20118330220, elapsed=3.5)
    found = counted(pair(dict(slow, mem_load_retired__l3_miss=1118330118), dict(fast, mem_load_retired__l3_miss=11118330)))
    assert found["verdict"]["culprit"] == "cache-misses" and finding(found, "cache-misses")["recoverable_ratio_at_most"] == pytest.approx(0.8625, abs=0.001)
    found = counted(pair(dict(slow, mem_load_retired__l3_miss=111833011), dict(fast, mem_load_retired__l3_miss=1111833)))
    assert found["verdict"]["culprit"] is None, "a tenth of that doesn't take as long"
    found = counted(run_of(**dict(slow, mem_load_retired__l3_miss=118004)))
    assert finding(found, "cache-misses")["verdict"] == "undecided", "loads that hit a line on its way aren't counted as misses"


def test_walks_that_were_hardly_counted_in_the_slower_run(counted):
    def of(cycles, walks, running, seconds):
        return f" {cycles:,} cycles (49.98%)\n 210,182,200,041 instructions (49.98%)\n {walks:,} dtlb_load_misses.walk_active ({running}%)\n {seconds} seconds time elapsed\n\n"
    found = counted("never:\n\n" + of(301182200041, 92182200041, 12.1, 60.021) + "always:\n\n" + of(251182200041, 12182200041, 49.1, 50.021))
    assert finding(found, "small-pages")["verdict"] == "not_testable", "the faster run's few walks say nothing of the slower one's"
    found = counted("never:\n\n" + of(301182200041, 92182200041, 49.1, 60.021) + "always:\n\n" + of(251182200041, 12182200041, 49.1, 50.021))
    assert found["verdict"]["culprit"] == "small-pages" and finding(found, "small-pages")["recoverable_ratio_at_most"] == pytest.approx(50 / 301.18, abs=0.005)


def test_walks_that_stayed_don_t_go_with_huge_pages(counted):
    slow = dict(cycles=38220118004, instructions=21118330220, dtlb_load_misses__walk_active=12118220118, elapsed=7.9)
    fast = dict(cycles=25118220330, instructions=21119330220, dtlb_load_misses__walk_active=918220118, elapsed=5.21)
    said = "\nWith huge pages it takes 5.2 s instead of 7.9 s.\n"
    assert finding(counted(pair(slow, fast) + said), "small-pages")["confidence"] == "medium"
    one = finding(counted(pair(slow, dict(fast, dtlb_load_misses__walk_active=12018220118)) + said), "small-pages")
    assert one["confidence"] in ("low", "none"), "as many walks in both: the counts don't agree with the trial"


def test_of_three_runs_the_slowest_and_the_fastest(counted):
    def of(cycles, instructions, misses, seconds):
        return run_of(cycles=cycles, instructions=instructions, branch_misses=misses, elapsed=seconds)
    found = counted("One.\n\n" + of(30118220004, 60220118330, 120118220, 10.0) + "Two.\n\n" + of(22118220004, 44220118330, 118118220, 7.3) + "Three.\n\n" + of(21118220004, 43220118330, 117118220, 7.0))
    assert found["verdict"]["culprit"] is None and "the slowest and the fastest run differ by is the work" in found["verdict"]["sentence"]


def test_what_explains_half_of_a_gap_leaves_the_rest_open(counted):
    naive = dict(cycles=38118220004, instructions=6220118330, dtlb_load_misses__walk_active=18118220004, elapsed=10.121)
    blocked = dict(cycles=5118220004, instructions=6820118330, dtlb_load_misses__walk_active=118220004, elapsed=1.391)
    found = counted(pair(naive, blocked))
    assert found["verdict"]["culprit"] == "small-pages" and "86.3 % of the time" in left_open(found) and "for no more instructions" in found["verdict"]["sentence"]
    found = counted(pair(dict(naive, dtlb_load_misses__walk_active=33118220004), blocked))
    assert found["verdict"]["culprit"] == "small-pages" and not left_open(found)


# ---- the clock ----

def clocks(slow_ms, fast_ms, slow_s=None, fast_s=None, **slow_more):
    return pair(dict(task_clock=slow_ms, cycles=26148132004, instructions=50118220330, elapsed=slow_s or slow_ms / 1000, **slow_more),
                dict(task_clock=fast_ms, cycles=26151004118, instructions=50118220118, elapsed=fast_s or fast_ms / 1000, **dict.fromkeys(slow_more, 0)))


def test_as_many_cycles_at_a_third_of_the_clock(counted):
    found = counted(clocks(21790.11, 7990.20))
    clock = finding(found, "frequency")
    assert found["verdict"]["culprit"] == "frequency" and "1.2 GHz" in found["verdict"]["sentence"] and "3.27" in found["verdict"]["sentence"]
    assert "without waiting more" in found["verdict"]["sentence"] and "governor" in left_open(found) and "heat" in clock["confidence_reason"]
    assert finding(found, "thermal-power")["verdict"] == "undecided"


def test_a_clock_that_is_a_little_lower_is_told_and_open(counted):
    found = counted(clocks(33940.02, 31022.41))
    assert found["verdict"]["culprit"] is None and finding(found, "frequency")["verdict"] == "undecided"
    assert "the clock" in found["verdict"]["sentence"] and "8.6 % lower" in found["verdict"]["sentence"] and "without waiting more" in found["verdict"]["sentence"]
    assert "or waited" not in found["verdict"]["sentence"] + left_open(found) and "wide vectors" in left_open(found)
    assert "wide vectors" not in left_open(counted(clocks(33940.02, 31022.41, core_power__lvl2_turbo_license=0))), "counted, and none"


def test_a_clock_by_cpu_time_alone(counted):
    text = "\n".join(line for line in clocks(21790.11, 7990.20).split("\n") if "elapsed" not in line)
    found = counted(text)
    assert found["verdict"]["culprit"] == "frequency" and finding(found, "frequency")["of"] == "CPU time" and "whether it waited as well isn't known" in found["verdict"]["sentence"]


def test_a_lower_clock_and_some_waiting(counted):
    found = counted(clocks(21790.11, 7990.20, slow_s=25.0))
    assert found["verdict"]["culprit"] == "frequency" and "waiting more as well" in found["verdict"]["sentence"]


def test_waiting_is_no_lower_clock(counted):
    found = counted(clocks(8050.11, 7990.20, slow_s=21.8))
    assert found["verdict"]["culprit"] is None and finding(found, "frequency")["verdict"] != "supported"
    assert "they didn't compute" in found["verdict"]["sentence"] and "0.369 CPUs in use, the other 1" in found["verdict"]["sentence"]


def test_cycles_of_user_mode_over_all_time_are_no_clock(counted):
    found = counted(clocks(21790.11, 7990.20).replace("      cycles", "      cycles:u"))
    assert finding(found, "frequency")["verdict"] == "undecided" and found["verdict"]["culprit"] is None
    assert "a lower clock, or time in the kernel" in found["verdict"]["sentence"]


def test_throttling_by_heat_that_one_run_counted(counted):
    hot = dict(task_clock=13404.12, cycles=40112330118, instructions=80118004220, elapsed=13.405)
    cold = dict(task_clock=10004.12, cycles=40012330118, instructions=80118004220, elapsed=10.005)
    found = counted(pair(dict(hot, thermal_throttle_count=4118), dict(cold, thermal_throttle_count=0)))
    assert found["verdict"]["culprit"] == "thermal-power" and finding(found, "frequency")["verdict"] == "undecided"
    found = counted(pair(dict(hot, thermal_throttle_count=0), dict(cold, thermal_throttle_count=0)))
    assert finding(found, "thermal-power")["verdict"] == "ruled_out" and found["verdict"]["culprit"] is None


def test_reference_cycles_tell_a_clock_below_the_nominal_one(counted):
    found = counted(run_of(cycles=88118220330, ref_cycles=140220118004, instructions=70118330220, elapsed=52.3))
    assert found["verdict"]["culprit"] == "frequency" and finding(found, "frequency")["recoverable_ratio_at_most"] == pytest.approx(1 - 88118220330 / 140220118004)
    found = counted(run_of(cycles=150118220330, ref_cycles=140220118004, instructions=70118330220, elapsed=52.3))
    assert finding(found, "frequency")["verdict"] != "supported"


def test_twice_the_threads_that_hinder_one_another(counted):
    found = counted(pair(dict(task_clock=40004.12, cycles=120012330118, instructions=160118004220, elapsed=10.051),
                                  dict(task_clock=72004.12, cycles=208012330118, instructions=160518004220, elapsed=9.114)))
    assert "3.98 in the slower one and 7.9 in the other" in found["verdict"]["sentence"] and "each instruction takes 1.3 cycles instead of 0.75" in found["verdict"]["sentence"]
    assert found["verdict"]["culprit"] is None


def test_fewer_cycles_at_a_lower_clock_are_of_the_clock(counted):
    """A third of the instructions in 15 % fewer cycles: cycles an instruction are no cause, the clock is."""
    found = counted(pair(dict(task_clock=11504.12, cycles=29918220004, instructions=20220118330, elapsed=11.514),
                         dict(task_clock=10004.12, cycles=35118220004, instructions=60220118330, elapsed=10.014)))
    assert "15 % fewer cycles, at 2.6 GHz instead of 3.51" in found["verdict"]["sentence"] and found["verdict"]["culprit"] is None


def test_more_work_that_is_slower_as_well(counted):
    found = counted(pair(dict(OLD, cycles=44104330118, elapsed=12.6), REWRITTEN))
    assert "fewer instructions" in found["verdict"]["sentence"] and "takes 1 cycles for each of them, the other 0.506" in found["verdict"]["sentence"]


# ---- wide vectors ----

def test_a_lowered_clock_is_no_more_than_the_builds_differ_by(counted):
    def build(name, ms, cycles, lowered, seconds, throttled=0):
        return run_of(task_clock=ms, cycles=cycles, core_power__lvl2_turbo_license=lowered, core_power__throttle=throttled, elapsed=seconds).replace("./prog", name)
    narrow = build("./gemv_n", 7218.60, 20190774019, 0, 7.2219)
    found = counted("Two builds.\n\n" + build("./gemv_w", 8400.12, 20144210377, 14302389367, 8.4041) + narrow)
    licence = finding(found, "avx512-licence")
    assert licence["verdict"] == "supported" and "71 % of gemv_w's cycles" in found["verdict"]["sentence"] and "can be 14 % of the time" in found["verdict"]["sentence"]
    assert any("core_power.throttle: recorded, and none" in one["text"] for one in licence["evidence"])
    found = counted("Two builds.\n\n" + build("./gemv_w", 8400.12, 20144210377, 14302389367, 8.4041, 120000000) + narrow)
    licence = finding(found, "avx512-licence")
    assert "core_power.throttle was counted" in licence["confidence_reason"] and not any("recorded, and none" in one["text"] for one in licence["evidence"])


# ---- one run ----

def test_the_largest_bound_by_counts_is_named_as_open(counted):
    counts = dict(cycles=9118004330, instructions=8402118990, ld_blocks__store_forward=402118004, branch_misses=8220118, elapsed=2.871)
    found = counted(run_of(**counts))
    assert found["verdict"]["culprit"] is None and "can't forward to" in left_open(found)
    assert "402118004 of them, 20 cycles each at most" in left_open(found) and "load in the width" in found["verdict"]["confirm"]
    found = counted(run_of(**dict(counts, ld_blocks__store_forward=2118004)))
    assert finding(found, "store-forwarding")["verdict"] == "ruled_out" and not found["verdict"]["open"]


def test_a_sum_of_events_names_the_one_that_is_most_of_it(counted):
    counts = dict(cycles=402118330944, mem_load_l3_miss_retired__local_dram=1204882110, mem_load_l3_miss_retired__remote_dram=5911330402,
                  mem_load_l3_miss_retired__remote_hitm=14220918, elapsed=41.07)
    found = counted(run_of(**counts))
    remote = finding(found, "numa-remote")
    assert remote["verdict"] == "undecided" and "what mem_load_l3_miss_retired.remote_dram with" in remote["reason"]
    assert "15 times the cycles that there were" in remote["reason"] and "83 % of the loads that memory answered" in remote["reason"]
    said = "\nWith `numactl --cpunodebind=0 --membind=0` the same steps take 29.2 s instead of 41.1 s.\n"
    found = counted(run_of(**counts) + said)
    assert finding(found, "numa-remote")["verdict"] == "supported" and finding(found, "numa-remote")["confidence"] == "medium"
    few = dict(counts, mem_load_l3_miss_retired__remote_dram=5911330)
    few = dict(few, mem_load_l3_miss_retired__remote_hitm=0)
    assert finding(counted(text=run_of(**few) + said), "numa-remote")["verdict"] != "supported", "the counts say otherwise"


@pytest.mark.parametrize("event, identity", [
    ("arith.fpu_div_active", "divider"), ("arith.cycles_div_busy", "divider"), ("arith.div_active", "divider"), ("arith.idiv_active", "divider"), ("ex_div_busy", "divider"),
    ("dtlb_load_misses.walk_duration", "small-pages"), ("exe_activity.bound_on_stores", "stores")])
def test_busy_cycles_by_older_and_newer_names(counted, event, identity):
    found = counted(f" 8,220,118,330 cycles\n 5,110,330,004 {event}\n 6,118,004,220 instructions\n")
    assert found["verdict"]["culprit"] == identity and finding(found, identity)["recoverable_ratio_at_most"] == pytest.approx(5110330004 / 8220118330)


@pytest.mark.parametrize("event, identity", [("arith.idiv_active", "divider"), ("ild_stall.lcp", "decoding")])
def test_a_part_of_a_cause_rules_nothing_out(counted, event, identity):
    found = counted(f" 8,220,118,330 cycles\n 5,110 {event}\n 6,118,004,220 instructions\n")
    assert finding(found, identity)["verdict"] == "not_testable"


def test_cycles_without_room_for_stores_are_a_bound(counted):
    found = counted(" 36,012,330,118 cycles\n 14,118,004,220 resource_stalls.sb\n 40,118,004,220 instructions\n")
    assert finding(found, "stores")["verdict"] == "undecided" and "waiting for stores: what resource_stalls.sb can cost of the counted cycles is 39 %" in left_open(found)
    assert finding(counted(" 36,012,330,118 cycles\n 4,220 resource_stalls.sb\n"), "stores")["verdict"] == "not_testable"


def test_what_page_faults_cost_at_least(counted):
    page = " 31,012,330,118 cycles{}\n 28,118,004,220 instructions\n {:,} page-faults\n 9.011 seconds time elapsed\n"
    faults = finding(counted(page.format("", 4118220)), "page-faults")
    assert faults["verdict"] == "supported" and faults["recoverable_ratio_at_most"] == pytest.approx(4118220 * 5000 / 31012330118)
    faults = finding(counted(page.format("", 4118220) + "\n 7.1 seconds user\n 1.9 seconds sys\n"), "page-faults")
    assert faults["recoverable_ratio_at_most"] == pytest.approx(1.9 / 9, abs=0.005), "the kernel had no more"
    assert finding(counted(page.format("", 1220)), "page-faults")["verdict"] == "not_testable", "they may be of huge pages"
    assert finding(counted(page.format(":u", 4118220)), "page-faults")["verdict"] == "not_testable", "the kernel's cycles weren't counted"


def test_more_than_there_were_cycles_decides_nothing(counted):
    found = counted(" 8,220,118,330 cycles\n 9,110,330,004 arith.divider_active\n 6,118,004,220 instructions\n")
    assert finding(found, "divider")["verdict"] == "undecided" and "more cycles than were counted" in finding(found, "divider")["reason"]


# ---- listings ----

LISTING = " Percent |      Source code & Disassembly of a.out for cycles\n       │      lookup():\n  3.11 │      xor    %edx,%edx\n {} │      {}\n  9.71 │      {}\n"


def test_a_slow_instruction_goes_with_counts_and_decides_nothing_alone(counted):
    listing = LISTING.format("61.20", "div    %r9", "mov    (%rax,%rdx,8),%rcx")
    found = counted(listing + "\n" + " 8,220,118,330 cycles\n 5,110,330,004 arith.fpu_div_active\n")
    divider = finding(found, "divider")
    assert divider["verdict"] == "supported" and divider["confidence"] == "medium" and "32-bit numbers" in divider["advice"][0]
    found = counted(listing)
    assert finding(found, "divider")["verdict"] == "undecided" and "'div    %r9' holds 61 %" in left_open(found) and found["verdict"]["culprit"] is None
    found = counted(listing + "\n" + " 8,220,118,330 cycles\n 11,330,004 arith.fpu_div_active\n")
    assert finding(found, "divider")["verdict"] == "ruled_out", "counted, and few"


@pytest.mark.parametrize("line, identity", [("vsqrtsd %xmm1,%xmm1,%xmm1", "divider"), ("lock   xadd %eax,(%rdi)", "atomics"), ("pause", "spinning"), ("imul   $0x1000193,%eax,%eax", "latency-chain")])
def test_kinds_of_slow_instructions(counted, line, identity):
    found = counted(LISTING.format("61.20", line, "jne    10"))
    assert finding(found, identity)["verdict"] == "undecided" and "61 %" in finding(found, identity)["reason"]
    found = counted(LISTING.format("11.20", line, "jne    10"))
    assert finding(found, identity)["verdict"] == "not_testable"


def test_the_line_behind_a_slow_one_has_its_samples(counted):
    found = counted(LISTING.format(" 3.10", "lock   xadd %eax,(%rdi)", "test   %eax,%eax").replace("9.71", "81.2"))
    atomics = finding(found, "atomics")
    assert atomics["verdict"] == "undecided" and "'test   %eax,%eax' has 81 %" in atomics["reason"] and "lock   xadd" in atomics["reason"]


# ---- whose misses ----

def test_misses_that_many_functions_share_are_no_one_function_s(counted):
    metrics = "tma_mem_bandwidth 44.8 %\ntma_dram_bound 51.7 %\n\n"
    shared = "".join(f"    {share:.2f}%  prog  lib.so  [.] {name}\n" for name, share in (("vec_dot_q4", 13.1), ("vec_dot_q6", 12.4), ("rms_norm", 11.9), ("soft_max", 11.0), ("rope", 10.8)))
    head = "# Samples: 12K of event 'mem_load_l3_miss_retired.local_dram'\n"
    found = counted(metrics + head + shared)
    advice = found["verdict"]["advice"]
    assert found["verdict"]["culprit"] == "memory-bandwidth" and "5 functions share" in advice[0] and not any("larger batch" in one for one in advice)
    found = counted(metrics + head + "    73.10%  prog  lib.so  [.] vec_dot_q4\n" + shared.split("\n", maxsplit=1)[1])
    assert any("larger batch, so that vec_dot_q4" in one for one in found["verdict"]["advice"])


# ---- classes of a tree and what they bound ----

def test_page_walks_may_hide_behind_other_misses(counted):
    """A walk beside another load's miss counts as that miss; that many lines are on their way at once no walk makes."""
    tree = "tma_backend_bound 71.3 %\ntma_memory_bound 66.0 %\ntma_dram_bound 52.4 %\ntma_l3_bound 7.7 %\ntma_l2_bound 1.9 %\ntma_l1_bound 3.6 %\ntma_store_bound 0.4 %\n"
    pages = finding(counted(tree + "tma_mem_bandwidth 3.8 %\ntma_mem_latency 49.9 %\n"), "small-pages")
    assert pages["verdict"] == "undecided" and pages["recoverable_ratio_at_most"] == pytest.approx(0.635)
    few = tree.replace("7.7 %", "0.4 %").replace("1.9 %", "0.2 %").replace("3.6 %", "1.1 %") + "tma_mem_bandwidth 61.8 %\ntma_mem_latency 1.2 %\n"
    assert finding(counted(few), "small-pages")["verdict"] == "ruled_out", "bandwidth is what it waits for, and the rest is little"
    assert finding(counted(tree + "tma_dtlb_load 1.1 %\ntma_dtlb_store 0.2 %\n"), "small-pages")["verdict"] == "ruled_out", "they were counted themselves"


def test_what_is_known_to_be_something_else_is_no_wrong_guess(counted):
    tree = "tma_frontend_bound 58.1 %\ntma_bad_speculation 8.8 %\ntma_fetch_latency 49.7 %\n"
    assert finding(counted(tree), "branch-mispredicts")["recoverable_ratio_at_most"] == pytest.approx(0.585)
    assert finding(counted(tree + "tma_icache_misses 42.3 %\n"), "branch-mispredicts")["recoverable_ratio_at_most"] == pytest.approx(0.162)


def test_the_core_may_be_behind_as_well_as_memory(counted):
    found = counted("tma_backend_bound 69.8 %\ntma_frontend_bound 7.7 %\ntma_bad_speculation 5.9 %\ntma_retiring 16.6 %\n")
    assert [finding(found, cause)["verdict"] for cause in ("divider", "port-pressure", "latency-chain", "cache-misses")] == ["undecided"] * 4
    assert "divisions" in found["verdict"]["sentence"] and "cache misses" in found["verdict"]["sentence"]
    found = counted("tma_backend_bound 3.8 %\ntma_frontend_bound 31.7 %\ntma_bad_speculation 5.9 %\ntma_retiring 58.6 %\n")
    assert [finding(found, cause)["verdict"] for cause in ("divider", "port-pressure", "latency-chain")] == ["ruled_out"] * 3


def test_classes_in_words_in_a_table_of_markdown_are_read_once(run, tmp_path):
    (tmp_path / "level1.md").write_text("| node | share |\n|---|---|\n| Backend Bound | 69.8 % |\n| Front-End Bound | 7.7 % |\n| Bad Speculation | 5.9 % |\n| Retiring | 16.6 % |\n")
    page = run("diagnose", "--import", tmp_path / "level1.md").stdout
    assert "not read" not in page and page.count("tma_retiring 16.6") == 1


VTUNE = """Elapsed Time: 61.204s
    Front-End Bound: 47.9% of Pipeline Slots
        Front-End Latency: 39.6% of Pipeline Slots
            ICache Misses: 24.1% of Clockticks
            ITLB Overhead: 8.8% of Clockticks
            Length Changing Prefixes: 7.0% of Clockticks
"""


def test_the_names_of_vtune_are_those_of_the_tree(counted):
    found = counted(VTUNE)
    assert finding(found, "front-end")["recoverable_ratio_at_most"] == pytest.approx(0.329)
    assert finding(found, "decoding")["verdict"] == "supported"
    alone = counted(VTUNE.replace("            ITLB Overhead: 8.8% of Clockticks\n", ""))
    assert "at least: tma_itlb_misses wasn't imported" in alone["verdict"]["sentence"], "a part of it is no whole"


# ---- what wasn't counted, and what few events bound ----

def test_an_event_that_was_not_counted_is_no_zero(counted):
    refused = "   <not counted>        core_power.lvl2_turbo_license\n   <not supported>      arith.divider_active\n                 0      core_power.throttle   (0.00%)\n"
    found = counted(f"A:\n\n 4,118,220,330      cycles\n{refused}   1.310220118 seconds time elapsed\n\nB:\n\n 3,836,118,220      cycles\n{refused}   1.220118330 seconds time elapsed\n")
    for cause, event in (("avx512-licence", "core_power.lvl2_turbo_license was asked for and not counted"), ("divider", "arith.divider_active was asked for and not supported")):
        assert finding(found, cause)["verdict"] == "not_testable" and event in finding(found, cause)["reason"]
    assert not any("look" in str(one) and "<not" in str(one) for one in found.get("imports", [])), "they were read"


@pytest.mark.parametrize("running, verdict", [("3.04%", "undecided"), ("61.20%", "supported")])
def test_what_was_counted_for_a_moment_says_so(counted, running, verdict):
    found = counted(f"perf stat with 41 events:\n\n 2,412,118,220      cycles  ({running})\n 1,911,220,118      instructions  ({running})\n 1,230,118,330      dtlb_load_misses.walk_active  ({running})\n\n 0.802118220 seconds time elapsed\n")
    assert finding(found, "small-pages")["verdict"] == verdict
    assert ("dtlb_load_misses.walk_active was counted in 3.0 % of the time: too little" in left_open(found)) == (verdict == "undecided")


@pytest.mark.parametrize("misses, event, verdict", [(2110220, "cache-misses", "ruled_out"), (2110220, "longest_lat_cache.miss", "ruled_out"),
                                                    (211022018, "cache-misses", "undecided"), (2110220, "LLC-load-misses", "undecided")])
def test_few_last_level_misses_are_no_waiting_for_memory(counted, misses, event, verdict):
    """Demand loads alone bound nothing: a load may wait for a line that a prefetch asked for."""
    found = counted(f" Performance counter stats for './proxy':\n\n 402,118,220,330 cycles\n 911,220,118,114 instructions\n {misses} {event}\n\n 121.020118220 seconds time elapsed\n")
    assert finding(found, "dram-latency")["verdict"] == verdict
    assert ("2110220" in left_open(found) and "0.5 %" in left_open(found)) == (verdict == "ruled_out"), "what nearer caches answer stays open"


def test_misses_of_the_first_cache_bound_the_others(counted):
    found = counted(" Performance counter stats for './proxy':\n\n 402,118,220,330 cycles\n 911,220,118,114 instructions\n 2,110,220 cache-misses\n 12,110,220 L1-dcache-load-misses\n\n 121.020118220 seconds time elapsed\n")
    assert finding(found, "cache-misses")["verdict"] == "ruled_out"


# ---- the clock ----

def clocked(slow_ghz, fast_ghz, slow_cycles=10402118220, fast_cycles=9358220118, slow_s=2.000118220, fast_s=1.800220118):
    return (f"512:\n\n  {slow_cycles:,}  cycles  # {slow_ghz} GHz\n  8,110,220,118  instructions\n\n  {slow_s:.9f} seconds time elapsed\n\n"
            f"256:\n\n  {fast_cycles:,}  cycles  # {fast_ghz} GHz\n  11,110,220,118  instructions\n\n  {fast_s:.9f} seconds time elapsed\n")


def test_the_same_clock_is_not_what_two_runs_differ_by(counted):
    found = counted(clocked("5.201", "5.199"))
    assert [finding(found, cause)["verdict"] for cause in ("avx512-licence", "frequency", "thermal-power")] == ["ruled_out"] * 3
    assert "5.201 and 5.199 GHz" in finding(found, "avx512-licence")["reason"]
    found = counted(clocked("4.012", "5.199", slow_cycles=9358220118, slow_s=2.333))
    assert "ruled_out" not in [finding(found, cause)["verdict"] for cause in ("avx512-licence", "frequency", "thermal-power")], "the slower one's clock was lower"


def test_as_many_cycles_a_second_without_a_clock_say_nothing_of_wide_vectors(counted):
    found = counted("A:\n\n 4,118,220,330 cycles\n 1.310220118 seconds time elapsed\n\nB:\n\n 3,836,118,220 cycles\n 1.220118330 seconds time elapsed\n")
    assert finding(found, "frequency")["verdict"] == "ruled_out" and finding(found, "avx512-licence")["verdict"] == "not_testable"


LICENSED = """| build | time (s) | cycles | instructions | core_power.lvl2_turbo_license |
|---|--:|--:|--:|--:|
| {wide} | {wide_s} | 2 410 118 220 | 5 118 220 114 | 810 220 118 |
| {narrow} | {narrow_s} | 3 980 220 118 | 9 802 118 330 | 0 |
"""


@pytest.mark.parametrize("wide, narrow", [("avx512", "avx2"), ("AVX-512 build", "AVX2 build"), ("wide", "narrow")])
def test_a_wide_build_that_is_the_faster_one_loses_to_the_clock_and_is_faster_all_the_same(counted, wide, narrow):
    found = counted(LICENSED.format(wide=wide, narrow=narrow, wide_s="0.803", narrow_s="1.204"))
    licence = finding(found, "avx512-licence")
    assert found["verdict"]["culprit"] is None and licence["verdict"] == "undecided" and licence["recoverable_ratio_at_most"] == pytest.approx(0.1008, abs=0.001)
    assert "33.3 % faster all the same" in left_open(found) and "Going narrow returns nothing" in left_open(found)
    slower = finding(counted(LICENSED.format(wide=wide, narrow=narrow, wide_s="1.204", narrow_s="0.803")), "avx512-licence")
    assert slower["verdict"] == "supported"


# ---- fetching ----

UNROLLED = """The hot loop of the generated code is about {loop} KB.

gen:

    14,710,220,118   cycles
    13,002,118,330   instructions
     6,220,118,402   icache_16b.ifdata_stall
       810,220,118   icache_64b.iftag_stall

    3.420000000 seconds time elapsed

tab:

    11,220,118,220   cycles
    {other:,}   instructions
        40,118,220   icache_16b.ifdata_stall
         9,110,220   icache_64b.iftag_stall

    2.610000000 seconds time elapsed
"""


def test_stalls_of_fetching_and_a_loop_that_does_not_fit_agree(counted):
    found = counted(UNROLLED.format(loop=412, other=21118330114))
    front = finding(found, "front-end")
    assert found["verdict"]["culprit"] == "front-end" and front["confidence"] == "medium"
    assert front["recoverable_ratio_at_most"] == pytest.approx(0.4745, abs=0.001), "the other executes more: what both take differs by less than this would return"
    assert finding(counted(UNROLLED.format(loop=412, other=13002118330)), "front-end")["recoverable_ratio_at_most"] == pytest.approx(0.237, abs=0.001)
    assert finding(counted(UNROLLED.format(loop=12, other=21118330114)), "front-end")["verdict"] == "undecided", "so small a loop fits"


def test_what_another_program_has_none_of_is_not_ruled_out_for_the_first(counted):
    licence = finding(counted(LICENSED.format(wide="encode", narrow="decode", wide_s="0.803", narrow_s="1.204")), "avx512-licence")
    assert licence["verdict"] == "undecided" and licence["recoverable_ratio_at_most"] == pytest.approx(0.1008, abs=0.001) and "isn't told" in licence["reason"]


# ---- advice that was tried already ----

BUSY = "tma_memory_bound 71.2 %\ntma_dram_bound 62.5 %\ntma_mem_bandwidth 60.1 %\ntma_mem_latency 3.2 %\n\n"


def test_prefetching_that_helped_is_kept_and_speaks_against_bandwidth(counted):
    found = counted(BUSY + "With software prefetch the job takes 18.2 s instead of 26.9 s.\n")
    bandwidth = finding(found, "memory-bandwidth")
    assert found["verdict"]["culprit"] == "memory-bandwidth" and bandwidth["confidence"] == "low" and "1 against" in bandwidth["confidence_reason"]
    assert bandwidth["advice"][0].startswith("keep software prefetching") and "little hope" not in " ".join(bandwidth["advice"])
    assert "that goes with waiting for single accesses (latency)" in left_open(found)


def test_prefetching_without_effect_is_no_advice_and_goes_with_bandwidth(counted):
    found = counted(BUSY + "With software prefetch the time stayed the same.\n")
    bandwidth = finding(found, "memory-bandwidth")
    assert "software prefetching was tried already, without effect" in bandwidth["advice"][-1] and "against" not in bandwidth["confidence_reason"]
    untried = finding(counted(BUSY), "memory-bandwidth")
    assert "little hope" in untried["advice"][-1] and "against" not in untried["confidence_reason"]


# ---- what a lowered clock can be of the difference ----

def vectors(wide, narrow):
    return f"Built with 512-bit vectors and without.\n\nwide:\n\n{run_of(**wide)}\nnarrow:\n\n{run_of(**narrow)}"


WIDE = dict(core_power__lvl2_turbo_license=613207080, cycles=10220118004, elapsed=3.452)
NARROW = dict(core_power__lvl2_turbo_license=0, cycles=9820118004, elapsed=3.221)


def test_what_is_ruled_out_is_not_called_untold(counted):
    found = counted(vectors(dict(WIDE, task_clock=3440.1), dict(NARROW, task_clock=3273.4)))
    licence = finding(found, "avx512-licence")
    assert licence["verdict"] == "supported" and finding(found, "thermal-power")["verdict"] == finding(found, "frequency")["verdict"] == "ruled_out"
    assert "not told apart" not in licence["confidence_reason"]
    assert "can be 2.0 % of the time at most, so that most of the 6.7 % is something else" in found["verdict"]["sentence"]
    same = finding(counted(vectors(dict(WIDE, task_clock=3440.1), dict(NARROW, task_clock=3305.4))), "avx512-licence")
    assert same["verdict"] == "ruled_out" and "both runs had the same clock, 2.971 and 2.971 GHz" in same["reason"], "whatever its cycles were counted at"
    found = counted(vectors(WIDE, NARROW))
    assert "heat and power limits" in finding(found, "avx512-licence")["confidence_reason"], "the clock isn't known"
    found = counted(vectors(dict(WIDE, core_power__lvl2_turbo_license=2613207080), NARROW))
    assert "is something else" not in found["verdict"]["sentence"], "a lowered clock can be nearly all of it"


def test_what_neither_the_clock_nor_the_cycles_explain_stays_open(counted):
    waited = counted(vectors(dict(WIDE, task_clock=3300.1), dict(NARROW, cycles=10120118004, task_clock=3215.4)))
    assert finding(waited, "avx512-licence")["verdict"] == "supported" and "that neither a lowered clock nor the cycles explain" in left_open(waited)


def test_a_clock_that_was_measured_to_fall_further_than_tables_have_it(counted):
    """Of the lowered cycles' share the tables allow 2 %: that is no bound where both runs' clocks are told."""
    found = counted(vectors(dict(WIDE, cycles=9820118004), dict(NARROW, cycles=9810118004)))
    licence = finding(found, "avx512-licence")
    assert licence["recoverable_ratio_at_most"] == pytest.approx(1 - 9820118004 / 3.452 / (9810118004 / 3.221), abs=1e-4)
    assert "6.6 % of the time at most, as much as its cycles of each second fell (2.845 * 10^9 instead of 3.046)" in found["verdict"]["sentence"]
    found = counted(vectors(dict(WIDE, task_clock=3440.1), dict(NARROW, task_clock=3110.4)))
    assert "as much as its clock fell" in found["verdict"]["sentence"]
    found = finding(counted(vectors(dict(WIDE, cycles=10520118004), NARROW)), "avx512-licence")
    assert found["verdict"] == "ruled_out" and "as many cycles in a second" in found["reason"]
    rounds = finding(counted(vectors(dict(WIDE, cycles=1052011800400, core_power__lvl2_turbo_license=61320708000), dict(NARROW, cycles=984011800400))), "avx512-licence")
    assert rounds["verdict"] == "supported", "counts of many rounds beside the time of one are no clock"
    found = counted(vectors(dict(WIDE, cycles=10480118004), NARROW))
    assert "as much as" not in found["verdict"]["sentence"] and "can be 1.9 % of the time at most" in found["verdict"]["sentence"], "no lower in each second"


def test_fewer_cycles_that_go_with_fewer_instructions_are_explained(counted):
    found = counted(vectors(dict(WIDE, instructions=11220118004), dict(NARROW, instructions=10770118004)))
    assert "3.9 % fewer cycles without wide vectors go with 4.0 % fewer instructions" in left_open(found) and "does not explain" not in left_open(found)
    assert "executes 4.0 % fewer instructions" in finding(found, "avx512-licence")["confidence_reason"]
    found = counted(vectors(dict(WIDE, instructions=11220118004), dict(NARROW, instructions=11221118004)))
    assert "which the clock does not explain" in left_open(found) and "instructions" not in finding(found, "avx512-licence")["confidence_reason"]


# ---- a class and counts of one of its parts ----

ALIASED = dict(cycles=31802113008, instructions=20661310022, ld_blocks_partial__address_alias=7120330118, elapsed=9.94)
PADDED = dict(cycles=14302991220, instructions=20661309980, ld_blocks_partial__address_alias=902331, elapsed=4.47)


def test_a_class_bounds_what_counts_single_out_and_takes_nothing_away(counted):
    of_class = "\ntoplev of the first one:\n\ntma_memory_bound 63.1 %\ntma_l1_bound {} %\n"
    alone, with_class = finding(counted(pair(ALIASED, PADDED)), "4k-aliasing"), finding(counted(pair(ALIASED, PADDED) + of_class.format("57.2")), "4k-aliasing")
    assert alone["verdict"] == with_class["verdict"] == "supported" and alone["headline"] == with_class["headline"]
    assert with_class["recoverable_ratio_at_most"] == alone["recoverable_ratio_at_most"] == pytest.approx(1 - 14302991220 / 31802113008, abs=0.005)
    assert "tma_l1_bound is 57 %" in with_class["evidence"][1]["text"] and with_class["evidence"][1]["weight"] == "context"
    assert finding(counted(pair(ALIASED, PADDED) + of_class.format("31.2")), "4k-aliasing")["recoverable_ratio_at_most"] == pytest.approx(0.312)
    as_many = dict(PADDED, ld_blocks_partial__address_alias=7119330118)
    assert finding(counted(pair(ALIASED, as_many) + of_class.format("57.2")), "4k-aliasing")["verdict"] == "undecided", "both have them"


# ---- counts and a profile of one cause ----

ZEROED = "    31.20%  batch  [kernel.kallsyms]  [k] clear_page_erms\n    44.10%  batch  batch              [.] fill\n"


@pytest.mark.parametrize("faults, verdict", [(4118220, "supported"), (1118220, "undecided")])
def test_functions_of_a_profile_go_with_counts_and_decide_where_these_only_bound(counted, faults, verdict):
    stat = run_of(cycles=31012330118, page_faults=faults, elapsed=9.1).replace("page_faults", "page-faults")
    alone, both = finding(counted(stat), "page-faults"), finding(counted(stat + f"\nWhat perf report shows:\n\n{ZEROED}"), "page-faults")
    assert alone["verdict"] == verdict and both["verdict"] == "supported"
    assert sum("clear_page_erms first (at least" in one["text"] for one in both["evidence"]) == 1 and len(both["evidence"]) > 1
    assert (both["recoverable_ratio_at_most"] == alone["recoverable_ratio_at_most"]) == (verdict == "supported")
    few = finding(counted(stat + f"\nWhat perf report shows:\n\n{ZEROED.splitlines()[1]}\n"), "page-faults")
    assert few["verdict"] == verdict and few["evidence"] == alone["evidence"]


@pytest.mark.parametrize("count, verdict", [(0, "ruled_out"), (12, "not_testable")])
def test_counts_of_heat_that_the_system_keeps(imported, count, verdict):
    found, _ = imported(system=f"/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count: 7 before, {7 + count} after\n")
    assert finding(found, "thermal-power")["verdict"] == verdict


# ---- hyperfine ----

BENCHMARKS = ("Benchmark 1: ./scan old\n  Time (mean ± σ):      2.212 s ±  0.071 s    [User: 2.100 s, System: 0.100 s]\n"
              "  Range (min … max):    2.101 s …  2.402 s    12 runs\n \nBenchmark 2: ./scan new\n"
              "  Time (mean ± σ):     812.4 ms ±   3.1 ms    [User: 800.1 ms, System: 10.1 ms]\n"
              "  Range (min … max):   807.2 ms … 821.9 ms    10 runs\n")
EXPORTED = ("| Command | Mean [{unit}] | Min [{unit}] | Max [{unit}] | Relative |\n|:---|---:|---:|---:|---:|\n"
            "| `./scan old` | {0} ± {1} | {2} | {3} | 2.72 ± 0.09 |\n| `./scan new` | {4} ± {5} | {6} | {7} | 1.00 |\n")
SECONDS = (2.212, 0.071, 2.101, 2.402, 0.8124, 0.0031, 0.8072, 0.8219)


def runs_of(found):
    return next(one["text"] for one in found["statements"] if one["origin"].endswith("timed runs"))


def test_means_of_benchmarks_keep_how_far_runs_differ(imported):
    found, _ = imported(notes=BENCHMARKS)
    assert "1 ./scan old 2.212 s ± 0.071 s (2.101 s … 2.402 s, 12 runs)" in runs_of(found)
    assert "2 ./scan new 0.8124 s ± 3.1 ms (807.2 ms … 821.9 ms, 10 runs)" in runs_of(found)


@pytest.mark.parametrize("unit,factor", [("s", 1), ("ms", 1000)])
def test_a_table_of_benchmarks_has_its_means(imported, unit, factor):
    found, _ = imported(notes=EXPORTED.format(*(round(one * factor, 4) for one in SECONDS), unit=unit))
    assert "2 runs, 0.8124 to 2.212 s" in runs_of(found) and "./scan old 2.212 s ± 0.071 s (2.101 s … 2.402 s)" in runs_of(found)
    assert not any(one["origin"] == "not read" for one in found["statements"])


@pytest.mark.parametrize("line", ["old: 2.212 s ± 0.071 s", "old: 2.212 ± 0.071 s", "old: 2212 ms ± 71 ms"])
def test_a_mean_by_hand(imported, line):
    found, _ = imported(notes=f"{line}\nnew: 0.8124 s\n")
    assert "2 runs, 0.8124 to 2.212 s" in runs_of(found) and "old 2.212 s ± " in runs_of(found)


def test_how_much_faster_with_its_spread_is_no_time(imported):
    found, _ = imported(notes=BENCHMARKS + "\nSummary\n  ./scan new ran\n    2.72 ± 0.09 times faster than ./scan old\n")
    assert runs_of(found).startswith("2 runs")


def test_counts_behind_a_blank_line_are_no_sentence(imported):
    found, _ = imported(notes="All counters of it:\n\n```\n Performance counter stats for './sort in':\n\n          4,101.22 msec task-clock    #    1.000 CPUs utilized\n"
                              "    14,354,220,110      cycles        #    3.500 GHz\n     9'310'224'087      instructions  #    0.65  insn per cycle\n\n"
                              "       412 310 331      branch-misses  #  18.48 % of all branches\n\n       4.103002214 seconds time elapsed\n\n       4.000000000 seconds user\n```\n"
                              "With the flag it fell from 4.1 s to 2.2 s.\n")
    assert not any(one["origin"] in ("not understood", "not read") and "cycles" in one["text"] for one in found["statements"])
    assert "seconds time" not in str([one for one in found["statements"] if "perf stat" not in one["origin"]])
    assert "412310331 branch-misses" in str(found["statements"]) and "9310224087 instructions" in str(found["statements"])


CLASSES = ("FE               Frontend_Bound                      % Slots                       10.0\n"
           "BAD              Bad_Speculation                     % Slots                       33.0\n")
GUESSES = "BAD              Bad_Speculation.Branch_Mispredicts  % Slots                       31.5\n"
RESTEERS = "FE               Frontend_Bound.Fetch_Latency.Branch_Resteers  % Clocks             8.0\n"


def test_what_one_part_of_a_class_leaves_bounds_the_other(imported):
    found, _ = imported(notes=f"```\n{CLASSES}{GUESSES}```\n")
    clears = finding(found, "machine-clears")
    assert clears["verdict"] == "ruled_out" and "tma_bad_speculation without tma_branch_mispredicts is 1.5 %" in clears["reason"]


@pytest.mark.parametrize("text", [f"```\n{CLASSES}```\n", f"One run:\n\n```\n{CLASSES}```\n\nAnother run:\n\n```\n{GUESSES}```\n"], ids=["not told", "of another run"])
def test_without_the_other_part_in_its_table_the_whole_class_bounds_it(imported, text):
    found, _ = imported(notes=text)
    clears = finding(found, "machine-clears")
    assert clears["verdict"] == "undecided" and clears["recoverable_ratio_at_most"] == pytest.approx(0.33)


def test_shares_of_slots_and_of_cycles_do_not_add_up(imported):
    found, _ = imported(notes=f"```\n{CLASSES}{GUESSES}{RESTEERS}```\n")
    guesses = finding(found, "branch-mispredicts")
    assert guesses["verdict"] == "supported" and guesses["recoverable_ratio_at_most"] == pytest.approx(0.315)
    assert "not added" in guesses["headline"]


@pytest.mark.parametrize("slots, cycles, verdict", [("1.5", "2.0", "ruled_out"), ("3.5", "4.0", "undecided")])
def test_shares_of_slots_and_of_cycles_are_a_bound_together(imported, slots, cycles, verdict):
    found, _ = imported(notes=f"```\n{CLASSES}{GUESSES.replace('31.5', slots)}{RESTEERS.replace('8.0', cycles)}```\n")
    assert finding(found, "branch-mispredicts")["verdict"] == verdict


ASSISTS = (" Performance counter stats for './filter':\n\n    30,100,200,300      cycles\n       {}      assists.fp\n\n      10.100000000 seconds time elapsed\n\n"
           " Percent |      Disassembly of section .text:\n    3.10 |  movsd  (%rdi,%rax,8),%xmm0\n   61.20 |  {}\n   20.00 |  add    $0x1,%rax\n")


@pytest.mark.parametrize("line", ["mulsd  %xmm2,%xmm0", "vfmadd231pd %ymm2,%ymm1,%ymm0", "addps  (%rsi),%xmm0"])
def test_denormal_numbers_name_the_hottest_arithmetic_of_a_listing(imported, line):
    found, _ = imported(notes=ASSISTS.format("150,000,000", line))
    denormals = finding(found, "denormals")
    assert found["verdict"]["culprit"] == "denormals" and f"the hottest arithmetic is '{' '.join(line.split())}', with 61 %" in " ".join(denormals["headline"].split())
    assert found["verdict"]["confidence"].startswith("MEDIUM")


@pytest.mark.parametrize("line", ["imul   %rdx,%rax", "movsd  %xmm0,(%rsi)", "ucomisd %xmm1,%xmm0"])
def test_what_is_no_arithmetic_says_nothing_of_denormal_numbers(imported, line):
    found, _ = imported(notes=ASSISTS.format("150,000,000", line))
    assert "arithmetic" not in finding(found, "denormals")["headline"] and found["verdict"]["confidence"].startswith("LOW")


def test_a_listing_without_assists_says_nothing_of_denormal_numbers(imported):
    found, _ = imported(notes=ASSISTS.format("0", "mulsd  %xmm2,%xmm0"))
    assert finding(found, "denormals")["verdict"] == "ruled_out"


@pytest.mark.parametrize("after, words", [(3.721, "it got slower"), (3.452, "it took as long")])
def test_a_run_without_wide_vectors_that_took_longer_is_told_so(counted, after, words):
    found = counted(vectors(dict(WIDE, core_power__lvl2_turbo_license=313207080), dict(NARROW, elapsed=after)))
    assert words in finding(found, "avx512-licence")["reason"]


# ---- a lower clock that pays ----

WIDE_CLOCK = """Wide build:

Core    CPU     Avg_MHz Busy%   Bzy_MHz TSC_MHz PkgTmp  PkgWatt
-       -       1437    50.02   2873    2000    66      181.20

Narrow build:

Core    CPU     Avg_MHz Busy%   Bzy_MHz TSC_MHz PkgTmp  PkgWatt
-       -       1656    50.03   3310    2000    63      172.95

"""


@pytest.mark.parametrize("narrow_s, verdict", [(47.902, "undecided"), (33.902, "supported")])
def test_a_lower_clock_in_the_faster_run_is_no_cause(counted, narrow_s, verdict):
    runs = pair(dict(cycles=1894023118664, instructions=3882747393261, elapsed=41.203), dict(cycles=2536820447103, instructions=5429395756800, elapsed=narrow_s))
    found = finding(counted(WIDE_CLOCK + runs), "frequency")
    assert found["verdict"] == verdict
    assert ("took longer" in found["reason"]) if verdict == "undecided" else True


def test_what_is_decoded_anew_although_it_fits_may_be_slow_to_decode(counted):
    runs = pair(dict(cycles=4483902771, instructions=13204118900, idq__mite_uops=604331820, elapsed=1.121), dict(cycles=5247310446, instructions=13204551023, idq__mite_uops=9502663115, elapsed=1.312))
    fits = "\nThe hot loop has 412 bytes.\n"
    found = counted(runs + fits)
    assert finding(found, "decoding")["verdict"] != "ruled_out" and finding(found, "front-end")["verdict"] == "ruled_out"
    alike = pair(dict(cycles=4483902771, instructions=13204118900, idq__mite_uops=604331820, elapsed=1.121), dict(cycles=5247310446, instructions=13204551023, idq__mite_uops=604333115, elapsed=1.312))
    assert finding(counted(alike + fits), "decoding")["verdict"] == "ruled_out"
