# SPDX-License-Identifier: GPL-3.0-or-later
"""What several imported tables say together that none of them says alone."""
import pytest
from imported_case import evidence, finding

CLASSES = "tma_memory_bound 71.5 %\ntma_dram_bound 62.0 %\ntma_mem_bandwidth 55.5 %\ntma_mem_latency 12.1 %\n"
NODES = """
Per-node process memory usage (in MBs) for PID 4711 (fft)
                           Node 0          Node 1           Total
                  --------------- --------------- ---------------
Huge                         0.00            0.00            0.00
Heap                        10.50         2101.50         2112.00
Stack                        0.10            0.20            0.30
Private                    120.40        18898.60        19019.00
----------------  --------------- --------------- ---------------
Total                      131.00        21000.30        21131.30
"""


def loads(local, remote, event="mem_load_l3_miss_retired"):
    return f"\n Performance counter stats for './fft':\n\n {local:,} {event}.local_dram\n {remote:,} {event}.remote_dram\n 901,118,334,118 cycles\n\n 11.3 seconds time elapsed\n"


@pytest.mark.parametrize("event", ["mem_load_l3_miss_retired", "mem_load_uops_l3_miss_retired", "mem_load_uops_llc_miss_retired"])
def test_loads_of_another_node_make_its_memory_lead(imported, event):
    found, _ = imported(notes=CLASSES + loads(90_118_330, 2_118_330_118, event))
    remote = finding(found, "numa-remote")
    assert found["verdict"]["culprit"] == "numa-remote" and remote["recoverable_ratio_at_most"] == pytest.approx(0.62 * 2118330118 / 2208448448)
    assert "96 % of the loads that memory answered came from another node" in remote["headline"] and "--membind" in str(remote["advice"])


def test_loads_of_its_own_node_leave_it_open(imported):
    found, _ = imported(notes=CLASSES + loads(2_118_330_118, 1_090_118_330))
    assert found["verdict"]["culprit"] == "memory-bandwidth" and finding(found, "numa-remote")["verdict"] != "supported"


@pytest.mark.parametrize("said, is_away", [("fft is bound to node 0.", True), ("All threads run on node 0 of two.", True), ("It runs on node 1.", False), ("It is fast.", False)])
@pytest.mark.parametrize("in_file", [True, False])
def test_memory_on_another_node_than_the_one_it_runs_on(imported, said, is_away, in_file):
    found, _ = imported(*(() if in_file else ("--say", said)), notes=(said if in_file else "") + "\n\n" + CLASSES + NODES)
    remote = finding(found, "numa-remote")
    assert (found["verdict"]["culprit"] == "numa-remote") == is_away == (remote["verdict"] == "supported")
    if is_away:
        assert "99 % of it is on node 1, it runs on another" in remote["headline"]


def test_nodes_and_counts_are_kinds_of_evidence_beside_a_trial(imported):
    tried = "\nWith numactl --cpunodebind=0 --membind=0 the same run takes 7.1 s instead of 11.3 s.\n"
    found, _ = imported(notes="fft runs on node 0.\n\n" + CLASSES + loads(90_118_330, 2_118_330_118) + NODES + tried)
    remote = finding(found, "numa-remote")
    assert found["verdict"]["culprit"] == "numa-remote" and remote["confidence"] == "medium"
    assert "3 kinds of imported evidence" in remote["confidence_reason"] and "tma_dram_bound is 62 %" in evidence(remote)


LINES = ("=================================================\n           Shared Data Cache Line Table\n=================================================\n#\n"
         "#        ----------- Cacheline ----------      Tot  ------- Load Hitm -------    Total    Total    Total  --------- Stores --------\n"
         "# Index             Address  Node  PA cnt     Hitm    Total  LclHitm  RmtHitm  records    Loads   Stores    L1Hit   L1Miss      N/A\n"
         "# .....  ..................  ....  ......  .......  .......  .......  .......  .......  .......  .......  .......  .......  .......\n#\n"
         "      0      0x55d0a0012300     1    7110   93.00%    {0:>5}    {0:>5}        0   61200    {1:>5}    31100    30000     1100        0\n")
CODE = ("\n=================================================\n      Shared Cache Line Distribution Pareto\n=================================================\n#\n"
        "#        ----- HITM -----  ------- Store Refs ------  --------- Data address ---------                      ---------- cycles ----------    Total       cpu\n"
        "#   Num  RmtHitm  LclHitm   L1 Hit  L1 Miss      N/A              Offset  Node  PA cnt        Code address  rmt hitm  lcl hitm      load  records       cnt    Symbol\n"
        "# .....  .......  .......  .......  .......  .......  ..................  ....  ......  ..................  ........  ........  ........  .......  ........  .......\n#\n"
        "  -------------------------------------------------------------\n      0        0    12400    30000     1100        0      0x55d0a0012300\n"
        "  -------------------------------------------------------------\n")
ROW = "           0.00%  {:6.2f}%  {:6.2f}%  {:6.2f}%    0.00%  {:>18}     1       1            0x4017c0         0       212        61    30110  {:>8}  [.] push_item    pool     pool.c:31    1\n"
ONE = ROW.format(99.4, 99.6, 100, "0x20", 16)
APART = ROW.format(51, 49.5, 48, "0x10", 1) + ROW.format(49, 50.5, 52, "0x30", 1)
LISTING = (" Percent |      Source code & Disassembly of pool for cycles:pp (9110 samples, percent: local period)\n"
           "------------------------------------------------------------------\n         :\n         :   00000000004017a0 <push_item>:\n"
           "    1.10 :   4017a0: mov    %rdi,%rax\n    2.20 :   4017c0: lock cmpxchg %rdx,(%rcx)\n   {:5.2f} :   4017c5: jne    4017a0 <push_item>\n    0.40 :   4017c7: ret\n")
PROFILE = ("# Samples: 9K of event 'cycles:pp'\n#\n# Overhead  Command  Shared Object      Symbol\n# ........  .......  .................  .........\n#\n"
           "    54.10%  pool     pool               [.] push_item\n    12.00%  pool     pool               [.] work\n     7.70%  pool     libc.so.6          [.] __memset_avx2_unaligned_erms\n")


def test_shared_lines_without_the_summary_support_that_threads_fight(imported):
    found, _ = imported(c2c=LINES.format(12400, 30100) + CODE + ONE)
    lines = finding(found, "contended-lines")
    assert found["verdict"]["culprit"] == "contended-lines" and "(HITM) is 41 %" in lines["headline"]


@pytest.mark.parametrize("lines", [LINES.format(120, 30100), LINES.format(12400, 30100).replace("Loads   Stores", "Stores  Others")], ids=["few", "no loads"])
def test_few_shared_loads_or_of_unknown_many_support_nothing(imported, lines):
    found, _ = imported(c2c=lines)
    assert finding(found, "contended-lines")["verdict"] != "supported"


def test_one_offset_is_one_variable_and_padding_is_no_advice(imported):
    found, _ = imported(c2c=LINES.format(12400, 30100) + CODE + ONE)
    lines = finding(found, "contended-lines")
    assert "offset 0x20, which 16 CPUs use: one variable (true sharing)" in lines["headline"] and "alignas(64) or padding" not in str(lines["advice"])


def test_offsets_of_one_cpu_each_are_false_sharing(imported):
    found, _ = imported(c2c=LINES.format(12400, 30100) + CODE + APART)
    lines = finding(found, "contended-lines")
    assert "(0x10 by push_item at pool.c:31, 0x30 by push_item at pool.c:31) that one CPU each uses" in lines["headline"] and "false sharing" in lines["headline"] and "padding" in str(lines["advice"])


@pytest.mark.parametrize("rows", [APART.replace("       1  [.]", "       4  [.]"), ROW.format(99.4, 0, 0, "0x10", 4) + ROW.format(0.6, 100, 100, "0x30", 4), ""],
                         ids=["several CPUs each", "read here and written there by several", "no code"])
def test_offsets_that_decide_nothing_are_no_kind_of_sharing(imported, rows):
    found, _ = imported(c2c=LINES.format(12400, 30100) + CODE + rows)
    assert "sharing" not in finding(found, "contended-lines")["headline"]


def test_what_is_read_here_and_written_there_is_no_one_variable(imported):
    found, _ = imported(c2c=LINES.format(12400, 30100) + CODE + ROW.format(100, 0, 0, "0x10", 1) + ROW.format(0, 100, 100, "0x30", 1))
    assert "false sharing" in finding(found, "contended-lines")["headline"]


def test_the_function_that_fights_bounds_it_by_its_time(imported):
    found, _ = imported(c2c=LINES.format(12400, 30100) + CODE + ONE, report=PROFILE)
    lines = finding(found, "contended-lines")
    assert found["verdict"]["culprit"] == "contended-lines" and lines["recoverable_ratio_at_most"] == pytest.approx(0.541)
    assert "push_item, which has 99 % of these loads, takes 54 % of the time" in evidence(lines)


@pytest.mark.parametrize("rows, percent, is_it", [(ONE, 90.1, True), (APART, 90.1, False), (ONE, 3.0, False)])
def test_an_atomic_operation_at_one_variable_is_what_waits(imported, rows, percent, is_it):
    found, _ = imported(c2c=LINES.format(12400, 30100) + CODE + rows, annotate=LISTING.format(percent), report=PROFILE)
    atomics = finding(found, "atomics")
    assert (atomics["verdict"] == "supported") == is_it and found["verdict"]["culprit"] == "contended-lines"
    if is_it:
        assert "'lock cmpxchg %rdx,(%rcx)' of push_item waits for line 0x55d0a0012300" in atomics["headline"]
        assert not any("atomic" in one for one in found["verdict"]["open"])


def test_what_the_reason_says_isnt_said_twice(run, tmp_path):
    (tmp_path / "annotate.txt").write_text(LISTING.format(90.1))
    shown = " ".join(run("diagnose", "-v", "--import", tmp_path / "annotate.txt").stdout.partition("UNDECIDED")[2].split())
    assert shown.count("has 90 % of the samples of its listing") == 1


SLOW_LOADS = "tma_memory_bound 61.2 %\ntma_dram_bound 52.2 %\ntma_mem_latency 44.9 %\ntma_mem_bandwidth {} %\n\npcm-memory says {} GB/s of the ~200 GB/s the socket can do.\n"


@pytest.mark.parametrize("metric, rate, verdict", [(9.3, 14, "ruled_out"), (9.3, 120, "supported"), (44.0, 14, "supported"), (9.3, 190, "supported")])
def test_bandwidth_that_is_far_from_used_up_is_no_cause_beside_a_small_metric(imported, metric, rate, verdict):
    found, _ = imported(notes=SLOW_LOADS.format(metric, rate))
    bandwidth = finding(found, "memory-bandwidth")
    assert bandwidth["verdict"] == verdict
    if verdict == "ruled_out":
        assert found["verdict"]["culprit"] == "dram-latency" and "14 of 200 GB/s" in bandwidth["reason"] and not bandwidth["advice"]


def licences(seconds, cycles, first, second=0, throttle=0, instructions=90_118_330_004):
    return (f"# started on Mon Nov  4 10:00:00 2024\n\n{seconds * 1e3:.2f},msec,task-clock,{seconds * 1e9:.0f},100.00,1.000,CPUs utilized\n{cycles},,cycles,{seconds * 1e9:.0f},100.00,,\n"
            f"{instructions},,instructions,{seconds * 1e9:.0f},100.00,,\n{first},,core_power.lvl1_turbo_license,{seconds * 1e9:.0f},100.00,,\n"
            f"{second},,core_power.lvl2_turbo_license,{seconds * 1e9:.0f},100.00,,\n{throttle},,core_power.throttle,{seconds * 1e9:.0f},100.00,,\n")


def test_the_first_lowered_clock_leads_by_cpu_time(imported):
    found, _ = imported(wide=licences(33.1, 86_060_118_330, 61_118_330_118, 90_330), narrow=licences(29.8, 86_903_118_330, 0))
    wide = finding(found, "avx512-licence")
    assert found["verdict"]["culprit"] == "avx512-licence" and "at the first lowered clock" in wide["headline"] and "10.0 % less CPU time" in wide["headline"]
    assert "Why it was lower is open" not in found["verdict"]["sentence"] and wide["recoverable_ratio_at_most"] == pytest.approx(1 - 29.8 / 33.1, rel=0.01)
    assert "core_power.throttle: recorded, and none in any run" in evidence(wide)


def test_first_licences_that_both_runs_have_or_that_took_no_time_lead_nowhere(imported):
    found, _ = imported(wide=licences(33.1, 86_060_118_330, 61_118_330_118), narrow=licences(29.8, 86_903_118_330, 50_118_330_118))
    assert finding(found, "avx512-licence")["verdict"] != "supported"


def test_first_licences_that_took_no_time_are_ruled_out(imported):
    found, _ = imported(wide=licences(33.1, 86_060_118_330, 61_118_330_118), narrow=licences(33.0, 86_103_118_330, 0))
    assert finding(found, "avx512-licence")["verdict"] == "ruled_out"


def test_the_second_lowered_clock_stands_for_both(imported):
    found, _ = imported(wide=licences(33.1, 86_060_118_330, 31_118_330_118, 20_118_330_118), narrow=licences(29.8, 86_903_118_330, 0))
    wide = finding(found, "avx512-licence")
    assert wide["verdict"] == "supported" and "at the second lowered clock" in wide["headline"]


def test_what_is_told_of_narrow_vectors_goes_with_their_counts(imported):
    said = "Without AVX-512 the encryption takes 30.2 s instead of 33.3 s."
    found, _ = imported(said, wide=licences(33.1, 86_060_118_330, 61_118_330_118), narrow=licences(29.8, 86_903_118_330, 0))
    assert said in evidence(finding(found, "avx512-licence"))


def walking(seconds, cycles, active, completed):
    return (f" Performance counter stats for './join':\n\n {cycles:,} cycles\n 40,118,330,004 instructions\n {active:,} dtlb_load_misses.walk_active\n"
            f" {completed:,} dtlb_load_misses.walk_completed\n\n {seconds} seconds time elapsed\n")


SHORT, LONG, MANY = walking(20.0, 60_118_330_004, 4_118_330_004, 110_330_004), walking(29.9, 90_118_330_004, 33_118_330_004, 112_118_330), walking(29.9, 90_118_330_004, 33_118_330_004, 902_118_330)


def test_walks_that_got_longer_in_a_guest_are_the_hosts_pages_too(imported):
    found, _ = imported("slow.txt is of the SEV-SNP guest, fast.txt of the ordinary guest.", slow=LONG, fast=SHORT)
    pages, host = finding(found, "small-pages"), finding(found, "host-small-pages")
    assert found["verdict"]["culprit"] == "small-pages" and "each walk took 295 cycles instead of 37.3" in pages["headline"]
    assert host["verdict"] == "supported" and host["recoverable_ratio_at_most"] == pytest.approx(0.322, abs=0.005)
    assert pages["advice"][0].startswith("on the host") and pages["advice"][1].startswith("in the guest")
    assert "the slower run spent 29 billion more cycles in page walks for loads (dtlb_load_misses.walk_active) than the faster one, 97 % of what it takes longer" in pages["headline"]


@pytest.mark.parametrize("said, slow", [("Two machines.", LONG), ("slow.txt is of the guest.", MANY)], ids=["no guest", "more walks"])
def test_walks_elsewhere_or_more_of_them_are_no_pages_of_a_host(imported, said, slow):
    found, _ = imported(said, slow=slow, fast=SHORT)
    assert finding(found, "small-pages")["verdict"] == "supported" and "level below" not in finding(found, "small-pages")["headline"]
    assert finding(found, "host-small-pages")["verdict"] != "supported"


PATHS = {"RET": "Retiring", "FE": "Frontend_Bound", "BAD": "Bad_Speculation", "BE": "Backend_Bound", "BE/Mem": "Backend_Bound.Memory_Bound", "BE/Core": "Backend_Bound.Core_Bound"}
GEMM = "# Samples: 8K of event 'cycles:pp'\n#\n# Overhead  Command  Shared Object  Symbol\n# ........  .......  .............  ......\n#\n    88.10%  train    libblas.so.3   [.] {}\n     3.10%  train    train          [.] main\n"


def toplev(retiring=51.3, memory=2.9, core=40.1, fp=64.0, frontend=2.2):
    shares = {"RET": retiring, "FE": frontend, "BAD": 0.8, "BE": memory + core, "BE/Mem": memory, "BE/Core": core}
    lines = [f"{area:<14} {PATHS[area]:<60} % Slots   {share:6.1f}" for area, share in shares.items()]
    return "# 4.8-full-perf\n" + "\n".join(lines + ([f"RET            Retiring.Light_Operations.FP_Arith       % Uops    {fp:6.1f}"] if fp else [])) + "\n"


@pytest.mark.parametrize("function, fp", [("dgemm_kernel", 64.0), ("dgemm_kernel", None), ("convolve", 64.0)])
def test_much_arithmetic_that_waits_for_little_is_compute_bound(imported, function, fp):
    found, _ = imported(toplev=toplev(fp=fp), report=GEMM.format(function))
    said = found["verdict"]["sentence"]
    assert said.startswith("Compute bound: 51 % of the slots finish micro-operations") and "memory is 2.9 %" in said and function in said
    assert "lower precision" in str(found["verdict"]) and not any("not read" in one["origin"] for one in found["statements"])
    assert ("(tma_fp_arith) is 64 %" in said) == (fp is not None)
    assert "memory returns 2.9 % at most" in str(found["verdict"]["advice"])


@pytest.mark.parametrize("classes, function", [(dict(memory=31.0), "dgemm_kernel"), (dict(retiring=12.0), "dgemm_kernel"), (dict(frontend=22.0), "dgemm_kernel"), (dict(fp=4.0), "walk_list")])
def test_what_waits_or_computes_little_is_not_compute_bound(imported, classes, function):
    found, _ = imported(toplev=toplev(**classes), report=GEMM.format(function))
    assert "ompute bound" not in found["verdict"]["sentence"]


SHARED = ("tma_backend_bound 61.0 %\ntma_memory_bound 48.2 %\ntma_l3_bound 33.3 %\ntma_store_bound {} %\ntma_contested_accesses {} %\ntma_data_sharing {} %\n")


@pytest.mark.parametrize("shares, verdict", [((1.1, 0.3, 0.2), "ruled_out"), ((9.1, 0.3, 0.2), "undecided"), ((1.1, 12.3, 0.2), "supported")])
def test_few_contested_accesses_rule_out_that_threads_fight_over_lines(imported, shares, verdict):
    found, _ = imported(metrics=SHARED.format(*shares))
    assert finding(found, "contended-lines")["verdict"] == verdict


def test_the_headline_has_the_tightest_bound(imported):
    profile = "# Samples: 9K of event 'branch-misses:pp'\n#\n# Overhead  Command  Shared Object  Symbol\n# ........  .......  .............  ......\n#\n    77.10%  scan     scan           [.] classify\n"
    found, _ = imported(stat=" Performance counter stats for './scan':\n\n 30,118,330,004 cycles\n 1,002,118,330 branch-misses\n\n 7.5 seconds time elapsed\n", report=profile,
                        classes="tma_bad_speculation 35.5 %\ntma_frontend_bound 16.1 %\ntma_retiring 38.0 %\ntma_backend_bound 10.4 %\n")
    guesses = finding(found, "branch-mispredicts")
    assert guesses["recoverable_ratio_at_most"] == pytest.approx(0.516) and "52 % of the CPU time at most" in guesses["headline"]


def turbostat(mhz, degrees, throttles=None, tsc=2600):
    heads, cells = ("\tCoreThr", f"\t{throttles}") if throttles is not None else ("", "")
    rows = "".join(f"{core}\t{core}\t{mhz - 3 + core}\t99.70\t{mhz + core}\t{tsc}\t310\t{degrees}{cells}\n" for core in (0, 1))
    return f"Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tIRQ\tCoreTmp{heads}\n-\t-\t{mhz - 2}\t99.70\t{mhz}\t{tsc}\t910\t{degrees}{cells}\n" + rows


def test_a_cooler_time_bounds_what_heat_took(imported):
    found, _ = imported(cool="turbostat in the morning, when it was fast:\n\n" + turbostat(3510, 64), hot="turbostat now:\n\n" + turbostat(1710, 98, 311))
    heat = finding(found, "thermal-power")
    assert found["verdict"]["culprit"] == "thermal-power" and heat["recoverable_ratio_at_most"] == pytest.approx(1 - 1710 / 3510)
    assert "it ran at 1710 MHz instead of 3510, 51 % lower" in heat["headline"]


@pytest.mark.parametrize("cool", [turbostat(3510, 64, tsc=2100), turbostat(3510, 97, 900), turbostat(1700, 64)], ids=["another machine", "as hot", "no faster"])
def test_what_is_no_cooler_time_bounds_nothing(imported, cool):
    found, _ = imported(cool="turbostat in the morning, when it was fast:\n\n" + cool, hot="turbostat now:\n\n" + turbostat(1710, 98, 311))
    assert "instead of" not in (finding(found, "thermal-power")["headline"] or "")


@pytest.mark.parametrize("cycles, kinds", [(70_218_330_004, 2), (98_218_330_004, 1)], ids=["as many cycles", "the clock it had"])
def test_as_many_cycles_at_a_lower_clock_are_another_kind_of_evidence_of_heat(imported, cycles, kinds):
    run = " Performance counter stats for './fold {}':\n\n {:,.2f} msec task-clock\n {:,} cycles\n 90,118,330,004 instructions\n\n {} seconds time elapsed\n"
    found, _ = imported(old=run.format("old", 25_010.0, 70_118_330_004, 25.02), new=run.format("new", 35_010.0, cycles, 35.02), turbostat=turbostat(2006, 99, 700))
    heat = finding(found, "thermal-power")
    assert heat["verdict"] == "supported" and f"{kinds} kind" in heat["confidence_reason"]
    assert (heat["recoverable_ratio_at_most"] == pytest.approx(0.284, abs=0.005)) == (kinds == 2)


def rates(few, many, heading="| model | size | threads | test | t/s |", test=("pg64", "pg64"), threads=(24, 48)):
    rule = "|" + " --- |" * (heading.count("|") - 1)
    named = "test" in heading
    rows = [f"| falcon 40B Q8_0 | 41.1 GiB | {number} |{f' {which} |' if named else ''} {rate} \u00b1 0.02 |" for number, which, rate in zip(threads, test, (few, many))]
    return "\n".join([heading, rule, *rows]) + "\n\n"


FULL = ("likwid-perfctr -g MEM:\n\n+-----------------------------------+-------------+\n|               Metric              |     Sum     |\n+-----------------------------------+-------------+\n"
        "|        Runtime (RDTSC) [s] STAT   |    212.3100 |\n| Memory bandwidth [MBytes/s] STAT  | 181204.1120 |\n+-----------------------------------+-------------+\n\nSTREAM triad on this box: 196 GB/s.\n\n")
DOT = "# Samples: 8K of event 'cycles:P'\n#\n# Overhead  Command  Shared Object  Symbol\n# ........  .......  .............  ......\n#\n    88.10%  gen      libggml.so     [.] {}\n     3.10%  gen      gen            [.] main\n"


def test_more_threads_that_bring_nothing_go_with_a_full_bandwidth(imported):
    found, _ = imported(notes="llama-bench\n\n" + rates(6.41, 6.45) + FULL + DOT.format("ggml_vec_dot_q8_0_q8_0"))
    bandwidth = finding(found, "memory-bandwidth")
    assert found["verdict"]["culprit"] == "memory-bandwidth" and "6.41 with 24 threads, 6.45 with 48" in evidence(bandwidth) and "2 kinds" in bandwidth["confidence_reason"]
    assert "larger batch" in bandwidth["advice"][0] and "smaller weights" in bandwidth["advice"][1]
    assert not any("not read" in one["origin"] for one in found["statements"])


@pytest.mark.parametrize("table", [rates(6.41, 11.9), rates(6.41, 6.45, test=("pg64", "pp512")), rates(6.41, 6.45, threads=(24, 40))], ids=["they help", "another test", "not twice as many"])
def test_threads_that_help_or_arent_comparable_are_no_evidence(imported, table):
    found, _ = imported(notes="llama-bench\n\n" + table + FULL + DOT.format("walk"))
    bandwidth = finding(found, "memory-bandwidth")
    assert "hardly more" not in evidence(bandwidth) and "1 kind" in bandwidth["confidence_reason"] and "batch" not in str(bandwidth["advice"])


def test_a_table_of_rates_without_tests_is_noted_all_the_same(imported):
    found, _ = imported(notes="how it scales\n\n" + rates(6.41, 6.45, "| model | size | threads | tokens/s |") + FULL)
    assert "hardly more" in evidence(finding(found, "memory-bandwidth"))


@pytest.mark.parametrize("lowered, pays", [((6_118_330_004, 0), True), ((6_118_330_004, 8_118_330_004), False), ((0, 0), False)])
def test_wide_vectors_that_spare_instructions_pay(imported, lowered, pays):
    run = " Performance counter stats for './pack {}':\n\n {:,} cycles\n {:,} instructions\n {:,} core_power.lvl2_turbo_license\n\n {} seconds time elapsed\n"
    found, _ = imported(wide=run.format("w", 52_118_330_004, 70_118_330_004, lowered[0], 17.1), narrow=run.format("n", 70_118_330_004, 118_118_330_004, lowered[1], 23.0))
    assert "is the work" in found["verdict"]["sentence"] and ("they pay here" in found["verdict"]["sentence"]) == pays
    assert ("wide vectors, too" in found["verdict"]["advice"][0]) == pays and ("execute more" in found["verdict"]["sentence"]) == (not pays)


def of_function(rows, name, line):
    return rows.replace("push_item", name).replace("pool.c:31", f"stats.c:{line}")


def test_offsets_of_a_function_each_are_false_sharing_whatever_runs_them(imported):
    rows = of_function(ROW.format(51, 49.5, 48, "0x0", 8), "rx_worker", 88) + of_function(ROW.format(49, 50.5, 52, "0x8", 8), "tx_worker", 121)
    found, _ = imported(c2c=LINES.format(12400, 30100) + CODE + rows)
    lines = finding(found, "contended-lines")
    assert "0x0 by rx_worker at stats.c:88, 0x8 by tx_worker at stats.c:121" in lines["headline"] and "false sharing" in lines["headline"]
    assert "on a line of its own" in str(lines["advice"]) and "give each thread its own" in str(lines["advice"])


def test_a_function_at_several_offsets_is_no_writer_of_its_own(imported):
    both = ROW.format(25, 25, 25, "0x0", 8) + of_function(ROW.format(25, 25, 25, "0x0", 8), "tx_worker", 121) + of_function(ROW.format(50, 50, 50, "0x8", 8), "tx_worker", 122)
    found, _ = imported(c2c=LINES.format(12400, 30100) + CODE + both)
    assert "sharing" not in finding(found, "contended-lines")["headline"]


BOUND = "$ taskset -cp {pid}\npid {pid}'s current affinity list: {list}\n"
CPUS = "NUMA node(s):                       2\nNUMA node0 CPU(s):                  0-23\nNUMA node1 CPU(s):                  24-47\n"
HARDWARE = "available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2 3\nnode 0 size: 64000 MB\nnode 0 free: 63000 MB\nnode 1 cpus: 4 5 6 7\nnode 1 size: 64000 MB\nnode 1 free: 43000 MB\n"
FAR = "\n Performance counter stats for process id '4711':\n\n 612,334,100,220 cycles\n 3,120,334,110 mem_load_l3_miss_retired.remote_dram\n 112,330,110 mem_load_l3_miss_retired.local_dram\n\n 10.0 seconds time elapsed\n"


@pytest.mark.parametrize("cpus, bound, is_away", [(CPUS, "0-23", True), (CPUS, "2,4", True), (HARDWARE, "0-3", True), (CPUS, "24-47", False), (CPUS, "0-47", False), ("", "0-23", False)])
def test_cpus_that_it_may_use_tell_where_it_runs(imported, cpus, bound, is_away):
    found, _ = imported(stat=FAR, nodes=NODES, bound=BOUND.format(pid=4711, list=bound), cpus=cpus or "no list\n")
    remote = finding(found, "numa-remote")
    assert (remote["verdict"] == "supported") == is_away and (not is_away or "its memory is on node 1 and it runs on another" in remote["headline"])
    assert found["verdict"]["advice"] and ("--cpunodebind=1 --membind=1" in str(remote["advice"])) == is_away


def test_another_processs_cpus_say_nothing(imported):
    found, _ = imported(stat=FAR, nodes=NODES, bound=BOUND.format(pid=99, list="0-23") + CPUS)
    assert finding(found, "numa-remote")["verdict"] != "supported"


def test_few_loads_of_another_node_are_no_cause_wherever_it_runs(imported):
    found, _ = imported(stat=FAR.replace("3,120,334,110", "312,033,411").replace("112,330,110", "11,233,011"), nodes=NODES, bound=BOUND.format(pid=4711, list="0-23") + CPUS)
    assert finding(found, "numa-remote")["verdict"] != "supported"
