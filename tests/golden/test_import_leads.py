# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose on others' tables: what leads, and the near case in which it must not."""
import pytest
from imported_case import evidence, finding


# ---- a device that is busy, and nobody who waits for it ----

IOSTAT = ("Linux 6.1.0 (db)        03/19/2026      _x86_64_        (16 CPU)\n\n"
          "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           6.21    0.00    0.44    {iowait}    0.00   {idle}\n\n"
          "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util\n"
          "nvme1n1       8000.00  32000.00     0.00   0.00    {each}     4.00    1.00     16.00     0.00   0.00    0.05    16.00    0.90  96.50\n\n")
TOP = ("top - 02:14:51 up 61 days,  3:02,  1 user,  load average: 1.08, 1.05, 1.01\n"
       "%Cpu(s):  6.3 us,  0.4 sy,  0.0 ni, 93.2 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st\n\n"
       "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
       "   4711 etl       20   0 6121840   4.1g  18212 {state}  {cpu}   1.6 288:11.02 loader\n"
       "    511 root      20   0       0      0      0 {other}   3.3   0.0  61:20.41 kworker/u65:2\n")


def test_short_requests_that_nobody_waits_for_are_no_limit_and_who_computes_leads(alone):
    found = alone(IOSTAT.format(iowait="0.10", idle="93.20", each="0.11") + TOP.format(state="R", cpu="99.4", other="S"))
    assert finding(found, "waiting")["verdict"] == "ruled_out"
    assert finding(found, "oversubscribed")["verdict"] == "ruled_out"
    sentence = found["verdict"]["sentence"]
    assert sentence.startswith("loader computes all the time") and "is no limit of it" in sentence
    assert "perf record" in found["verdict"]["advice"][0]


@pytest.mark.parametrize("values", [
    {"iowait": "6.20", "idle": "87.10", "each": "0.11"},  # a thread waits all the time
    {"iowait": "0.10", "idle": "93.20", "each": "4.10"},  # its requests are long and many
    {"iowait": "0.00", "idle": "2.00", "each": "0.11"},   # without idle CPUs %iowait says nothing
])
def test_a_busy_device_leads_where_something_may_wait_for_it(alone, values):
    one = finding(alone(IOSTAT.format(**values)), "waiting")
    assert one["verdict"] != "ruled_out" and "nvme1n1" in (one["reason"] or "") + evidence(one), one


@pytest.mark.parametrize("values", [
    {"state": "R", "cpu": "61.0", "other": "S"},
    {"state": "S", "cpu": "99.4", "other": "S"},
    {"state": "R", "cpu": "412.0", "other": "S"},
    {"state": "R", "cpu": "99.4", "other": "D"},
])
def test_who_does_not_compute_all_the_time_may_wait(alone, values):
    assert finding(alone(TOP.format(**values)), "waiting")["verdict"] == "not_testable"


# ---- who waits for a CPU, and who has them ----

MPSTAT = ("12:04:12     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
          "12:04:42     all   91.30    0.00    7.61    0.00    0.00    0.70    0.02    0.00    0.00    {idle}\n\n")
LOAD = " 12:04:10 up 12 days,  4:01,  1 user,  load average: {load}, 58.90, 40.11\n\n"
QUEUE = (" Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    |\n"
         "  batch:(40)            | 300000.000 ms |   100000 | avg:   3.000 ms | max:  31.204 ms |\n"
         "  web:(22)              |  60000.000 ms |   100000 | avg:   3.000 ms | max:  28.110 ms |\n"
         "  proxy:(8)             |  20000.000 ms |    60000 | avg:   2.500 ms | max:  24.902 ms |\n")


def test_waits_for_a_cpu_are_of_all_rows_and_who_has_most_of_the_cpus_is_named(alone):
    found = alone("a node with 16 vCPU\n\n" + LOAD.format(load="60.00") + MPSTAT.format(idle="0.40") + QUEUE)
    one = finding(found, "oversubscribed")
    assert one["verdict"] == "supported" and one["recoverable_ratio_at_most"] == pytest.approx(750 / 1130, abs=0.001)
    assert "batch:(40) has 79 % of their CPU time" in one["headline"] and "let batch:(40)" in one["advice"][0]
    assert "60 on 16 CPUs" in evidence(one) and "(proxy:(8))" in evidence(one)
    assert finding(found, "affinity")["verdict"] == "ruled_out"


def test_while_a_cpu_stands_idle_the_row_with_the_longest_waits_bounds(alone):
    found = alone("a node with 16 vCPU\n\n" + MPSTAT.format(idle="9.00") + QUEUE)
    one = finding(found, "oversubscribed")
    assert one["verdict"] == "undecided" and "(proxy:(8))" in one["reason"], one
    assert finding(found, "affinity")["verdict"] == "undecided"


@pytest.mark.parametrize("load, idle, leads", [("60.00", "0.40", True), ("60.00", "20.00", False), ("18.00", "0.40", False)])
def test_a_load_far_beyond_the_cpus_leads_while_none_stands_idle(alone, load, idle, leads):
    found = alone("a node with 16 vCPU\n\n" + LOAD.format(load=load) + MPSTAT.format(idle=idle))
    assert found["verdict"]["sentence"].startswith("More to run than CPUs may") is leads
    assert finding(found, "oversubscribed")["verdict"] == ("undecided" if leads else "not_testable")


# ---- one line of which each variable has a writer of its own ----

C2C = """=================================================
           Shared Data Cache Line Table
=================================================
#        ----------- Cacheline ----------      Tot  ------- Load Hitm -------    Total    Total    Total  ---- Stores ----
# Index             Address  Node  PA cnt     Hitm    Total  LclHitm  RmtHitm  records    Loads   Stores    L1Hit   L1Miss
      0      0x5581a3c0e0c0     0   48122   99.00%    60000    60000        0   238114   120331   117783    59000    58000
=================================================
      Shared Cache Line Distribution Pareto
=================================================
#        ----- HITM -----  -- Store Refs --  --------- Data address ---------
#   Num  RmtHitm  LclHitm   L1 Hit  L1 Miss              Offset  Node  PA cnt        Code address  rmt hitm  lcl hitm      load  records       cnt               Symbol         Object         Source:Line  Node
      0        0    60000    59000    58000      0x5581a3c0e0c0
           0.00%   40.00%    0.00%    0.00%                0x8     0       1            0x4012f0         0       412       288    60112         4  [.] {reads8}      queue  q.h:41   0
           0.00%    0.00%   90.00%   90.00%                0x8     0       1            0x4012fa         0         0         0    59204         4  [.] {writes8}      queue  q.h:58   0
           0.00%   60.00%    0.00%    0.00%               0x10     0       1            0x401352         0       405       291    60219         4  [.] {reads10}      queue  q.h:55   0
           0.00%    0.00%   10.00%   10.00%               0x10     0       1            0x40135c         0         0         0    58579         4  [.] {writes10}      queue  q.h:44   0
"""


def test_variables_of_one_line_that_have_a_writer_each_want_lines_of_their_own(alone):
    found = alone("  Load Operations : 211870\n  Load Local HITM : 61022\n  Load Remote HITM : 0\n\n" +
                  C2C.format(reads8="put", writes8="take", reads10="take", writes10="put"))
    one = finding(found, "contended-lines")
    assert one["verdict"] == "supported" and "0x8 written by take, 0x10 written by put" in one["headline"]
    assert "alignas(64)" in one["advice"][0] and "added up" not in one["advice"][0]
    shares = next(said["text"] for said in found["statements"] if "offset 0x8" in said["text"] and "stores" not in said["text"])
    assert "60.0 %" in shares and "40.0 %" in shares, "by the columns of HITM alone: " + shares


def test_variables_that_one_function_writes_are_not_told_apart(alone):
    found = alone("  Load Operations : 211870\n  Load Local HITM : 61022\n  Load Remote HITM : 0\n\n" +
                  C2C.format(reads8="add", writes8="add", reads10="add", writes10="add"))
    assert "written by" not in finding(found, "contended-lines")["headline"]


# ---- heat of one processor of two ----

TURBO = ("Package Core    CPU     Avg_MHz Busy%   Bzy_MHz TSC_MHz IRQ     C1%     C6%     CoreTmp CoreThr PkgTmp  PkgWatt RAMWatt\n"
         "-       -       -       2000    99.70   2000    3000    96120   0.20    0.00    99      {all}   99      196.44  41.20\n"
         "0       0       0       1500    99.80   1500    3000    2004    0.11    0.00    99      {one}    99      74.10   20.31\n"
         "1       0       24      2500    99.60   2500    3000    2001    0.20    0.00    71      {other}       72      122.34  20.89\n\n")
COOL = ("the other node:\n\n"
        "Package Core    CPU     Avg_MHz Busy%   Bzy_MHz TSC_MHz IRQ     C1%     C6%     CoreTmp CoreThr PkgTmp  PkgWatt RAMWatt\n"
        "-       -       -       3000    99.70   3000    3000    96090   0.20    0.00    70      0       71      372.10  42.02\n")


def test_heat_took_of_the_clock_where_it_was_hot(alone):
    found = alone("2 of them, TDP 205 W:\n\n" + TURBO.format(all=1733, one=1733, other=0) + COOL)
    one = finding(found, "thermal-power")
    assert one["recoverable_ratio_at_most"] == pytest.approx(0.5) and "package 0, 1500 MHz at 99 degrees" in one["headline"]
    assert "package 1, 2500 MHz at 72 degrees" in evidence(one) and "74.1 of 205 W" in evidence(one)


def test_heat_of_both_is_of_the_machine_s_clock(alone):
    one = finding(alone(TURBO.format(all=1733, one=1733, other=900) + COOL), "thermal-power")
    assert one["recoverable_ratio_at_most"] == pytest.approx(1 / 3, abs=0.01) and "package" not in one["headline"]


# ---- a heap that stays full ----

PAUSES = "".join("[{0}.000s][info][gc] GC({1}) Pause Full (G1 Compaction Pause) 4090M->{{kept}}M(4096M) 4100.000ms\n".format(60 + 10 * at, 300 + at)
                 for at in range(4))


def test_a_heap_that_full_collections_leave_full_leaks_or_is_too_small(alone):
    one = finding(alone(PAUSES.format(kept=3800)), "garbage-collection")
    assert one["verdict"] == "supported" and "leave 93 % of the heap" in one["headline"]
    assert one["advice"][0].startswith("it leaks, or its heap is too small") and "heap dump" in one["advice"][1]


def test_a_heap_that_full_collections_empty_wants_more_room(alone):
    one = finding(alone(PAUSES.format(kept=900)), "garbage-collection")
    assert one["verdict"] == "supported" and "-Xmn" in one["advice"][0] and "leaks" not in str(one["advice"])


def test_a_heap_that_grew_meanwhile_was_not_full(alone):
    one = finding(alone(PAUSES.format(kept=1900).replace("4096M", "2048M", 2).replace("4090M", "2040M", 2)), "garbage-collection")
    assert "leaks" not in str(one["advice"])


# ---- memory where it doesn't run ----

NODES = ("$ taskset -pc 77\npid 77's current affinity list: {cpus}\nNUMA node0 CPU(s):               0-7\nNUMA node1 CPU(s):               8-15\n\n"
         "Per-node process memory usage (in MBs) for PID 77 (kv)\n                           Node 0          Node 1           Total\n"
         "                  --------------- --------------- ---------------\nHuge                         0.00            0.00            0.00\n"
         "Heap                       212.00            1.00          213.00\nStack                        0.00            1.00            1.00\n"
         "Private                  61000.00          700.00        61700.00\n----------------  --------------- --------------- ---------------\n"
         "Total                    61212.00          702.00        61914.00\n")


@pytest.mark.parametrize("cpus, away", [("8-15", True), ("0-7", False)])
def test_memory_of_another_node_than_it_runs_on_leads(alone, cpus, away):
    found = alone(NODES.format(cpus=cpus))
    assert found["verdict"]["sentence"].startswith("Memory on another node may hold it up") is away
    if away:
        assert "99 % of its memory is on node 0, and it runs on another node" in found["verdict"]["sentence"]
        assert "--cpunodebind=0 --membind=0" in found["verdict"]["advice"][0] and "interleave" in found["verdict"]["advice"][1]


# ---- a mutex whose waits spin in the kernel ----

SPINS = ("# Overhead  Command  Shared Object       Symbol\n    30.00%  kv  [kernel.kallsyms]   [k] native_queued_spin_lock_slowpath\n"
         "    {mutex}%  kv  libc.so.6           [.] __lll_lock_wait\n     8.00%  kv  [kernel.kallsyms]   [k] futex_wake\n     5.00%  kv  kv             [.] Cache::Get\n\n")
LOCKS = ("$ sudo perf lock contention -a -b sleep 10\n contended   total wait     max wait     avg wait         type   caller\n\n"
         "   3311204     21.40 s      1.02 ms      6.46 us     spinlock   {caller}\n      1402      3.11 ms     41.80 us      2.22 us     spinlock   __schedule+0xb5\n\n")
RATES = "threads   ops/s\n8         265,000\n16        208,000\n\n"


def test_kernel_locks_of_futexes_are_a_mutex_of_the_program(alone):
    found = alone(RATES + SPINS.format(mutex="12.00") + LOCKS.format(caller="futex_wake+0x6d"))
    one = finding(found, "lock-turns")
    assert one["verdict"] == "supported" and "50 % of the samples" in one["headline"] and "265000 with 8 threads" in one["headline"]
    assert found["verdict"]["culprit"] == "lock-turns" and "divide what it protects" in found["verdict"]["advice"][0]
    assert "for a lock or a condition of the program's own" in finding(found, "kernel-locks")["headline"]


@pytest.mark.parametrize("mutex, caller", [("12.00", "rmqueue_bulk+0x6d"), ("0.10", "futex_wake+0x6d")])
def test_other_locks_of_the_kernel_and_conditions_alone_are_no_mutex(alone, mutex, caller):
    found = alone(SPINS.format(mutex=mutex) + LOCKS.format(caller=caller))
    assert finding(found, "lock-turns")["verdict"] != "supported" and found["verdict"]["culprit"] == "kernel-locks"


# ---- a plan with its times ----

PLAN = ("EXPLAIN (ANALYZE, BUFFERS) SELECT 1;\n\n Limit  (cost=1.11..2.16 rows=20 width=214) (actual time=9120.331..9120.338 rows=20 loops=1)\n"
        "   ->  Seq Scan on events  (cost=0.00..1815007.14 rows=200077 width=214) (actual time=2.114..{ms} rows={kept} loops=1)\n"
        "         Filter: (lower(email) = 'a@example.org'::text)\n         Rows Removed by Filter: {removed}\n         Buffers: shared hit=1120338\n")


def test_a_scan_that_drops_nearly_all_it_reads_wants_an_index(alone):
    found = alone(PLAN.format(ms="9119.902", kept=48, removed=40015327))
    assert "Seq Scan on events" in found["verdict"]["sentence"] and "40015327 rows removed, 48 kept" in found["verdict"]["sentence"]
    assert found["verdict"]["advice"][0].startswith("an index on what that filter compares")


@pytest.mark.parametrize("values", [{"ms": "9119.902", "kept": 30000000, "removed": 10015327}, {"ms": "119.902", "kept": 48, "removed": 40015327}])
def test_a_scan_that_keeps_most_or_takes_little_wants_none(alone, values):
    assert "index" not in str(alone(PLAN.format(**values))["verdict"]["advice"])


def test_of_two_plans_neither_is_the_query_s(alone):
    plan = PLAN.format(ms="9119.902", kept=48, removed=40015327)
    assert "index" not in str(alone(plan + "\nand the other:\n\n" + plan)["verdict"]["advice"])


# ---- weights that are small already ----

@pytest.mark.parametrize("function, advised", [("ggml_vec_dot_q8_0_q8_0", "fewer bits than they have"), ("ggml_vec_dot_f32", "bfloat16")])
def test_weights_of_8_bits_become_no_smaller_by_8_bits(alone, function, advised):
    found = alone("```\n| tma_backend_bound | 84.9 % |\n| tma_retiring | 15.1 % |\n```\n\n```\n| tma_memory_bound | 71.8 % |\n| tma_core_bound | 13.1 % |\n```\n\n"
                  "```\n| tma_dram_bound | 61.0 % |\n| tma_l3_bound | 1.0 % |\n```\n\n```\n| tma_mem_bandwidth | 60.0 % |\n| tma_mem_latency | 1.0 % |\n```\n\n"
                  f"    96.41%  llama-cli  libggml-cpu.so  [.] {function}\n     1.80%  llama-cli  libggml-cpu.so  [.] soft_max\n")
    advice = " ".join(finding(found, "memory-bandwidth")["advice"])
    assert advised in advice and ("bfloat16" in advice) is ("f32" in function), advice


# ---- what is open, and how far ----

def test_parts_of_what_the_back_end_holds_are_open_alike(alone):
    found = alone(" Performance counter stats for './rec':\n\n   891,223,401,772      TOPDOWN.SLOTS             #     12.0 %  tma_retiring\n"
                  "                                                  #     {} %  tma_backend_bound\n                                                  #      4.6 %  tma_frontend_bound\n"
                  "                                                  #      2.4 %  tma_bad_speculation\n\n      30.003318214 seconds time elapsed\n".format("81.0"))
    for cause in ("memory-bandwidth", "dram-latency", "l2-l3-latency", "small-pages", "stores", "load-chain"):
        one = finding(found, cause)
        assert one["verdict"] == "undecided" and one["recoverable_ratio_at_most"] == pytest.approx(0.81), one


def test_a_gap_names_what_nothing_rules_out(alone):
    gap = "The training takes 61.4 s in the regular VM and 88.9 s in the TD, so that the TD is 45% slower.\n\n"
    opened = " ".join(alone(gap)["verdict"]["open"])
    assert "page sizes in the guest" in opened and "bounce buffers" in opened and "exits to the hypervisor" in opened
    tried = " ".join(alone(gap + "tried: huge pages (host, guest): 88.9 s before, 88.8 s after\n")["verdict"]["open"])
    assert "page sizes" not in tried and "bounce buffers" in tried, tried
    assert "page sizes" not in " ".join(alone("The job takes 61.4 s on the old machine and 88.9 s on the new one.\n\n")["verdict"]["open"])


def test_wide_vectors_that_pay_lose_what_their_clock_loses(alone):
    counts = " Performance counter stats for '{}':\n\n {} cycles\n {} instructions\n {} core_power.lvl2_turbo_license\n\n {} seconds time elapsed\n\n"
    found = alone("512 bit:\n\n" + counts.format("./price", "14,283,911,020", "17,410,228,905", "5,711,402,338", "5.101338240") +
                  "256 bit:\n\n" + counts.format("./price_256", "22,112,870,441", "33,590,114,302", "0", "6.910447127") +
                  "Turning AVX-512 off takes the run from 5.10 s to 6.91 s.\n")
    one = finding(found, "avx512-licence")
    assert one["verdict"] == "undecided" and 0.1 < one["recoverable_ratio_at_most"] < 0.13, one
