# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose on tables of machines: devices, another time's tables, stacks beside small tables, bandwidth, pages."""
import json

import pytest
from imported_case import evidence, finding


DEVICES = "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     f/s f_await  aqu-sz  %util\n"
BUSY = "sdb              1.00     16.00     0.00   0.00    0.40    16.00  120.00   1900.00     3.00   2.40   11.00    15.80  118.00   27.50    4.60   {util}\n"
CPUS = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           2.10    0.00    1.20   {iowait}    0.00   {idle}\n\n"
OFF = ("writer;main;commit;{call};entry_SYSCALL_64_after_hwframe;do_syscall_64;__x64_sys_{call};ext4_sync_file;folio_wait_writeback;io_schedule;schedule {us}\n"
       "writer;main;next;epoll_wait;entry_SYSCALL_64_after_hwframe;do_syscall_64;ep_poll;schedule {idle}\n")


def test_a_process_that_waits_all_its_time_waits_for_storage_whatever_the_machine_s_share_is(alone):
    text = ("iostat -x 5 1\n\n" + CPUS.format(iowait="6.20", idle="90.50") + DEVICES + BUSY.format(util="97.10") +
            "\noffcputime-bpfcc -f -p 911 20:\n\n" + OFF.format(call="fsync", us=17200000, idle=2100000))
    one = finding(alone(text), "waiting")
    assert one["verdict"] == "supported" and one["recoverable_ratio_at_most"] == pytest.approx(0.86), one
    assert "waits for storage (17.2 s) is 86 %" in one["headline"], one["headline"]
    assert "sdb, 27.5 ms a flush, 11 ms a write" in evidence(one)


@pytest.mark.parametrize("command, us, idle, verdict", [
    ("offcputime -f -t 911 20", 17200000, 2100000, "supported"),
    ("offcputime -f -p 911 20", 5200000, 2100000, "undecided"),   # of how many threads isn't told
    ("offcputime -f -p 911 20", 117200000, 2100000, "undecided"),  # of several, at least
    ("offcputime -f 20", 17200000, 2100000, "undecided"),          # of the whole machine
])
def test_a_thread_is_known_by_waiting_as_long_as_was_looked(alone, command, us, idle, verdict):
    assert finding(alone(f"{command}:\n\n" + OFF.format(call="fsync", us=us, idle=idle)), "waiting")["verdict"] == verdict


@pytest.mark.parametrize("util, verdict", [("97.10", "undecided"), ("12.00", "not_testable")])
def test_a_busy_device_alone_leads_and_decides_nothing(alone, util, verdict):
    found = alone("iostat -x 5 1\n\n" + CPUS.format(iowait="1.20", idle="95.50") + DEVICES + BUSY.format(util=util))
    one = finding(found, "waiting")
    assert one["verdict"] == verdict, one
    if verdict == "undecided":
        assert "sdb, 27.5 ms a flush" in one["reason"] and "how much of its time" in one["reason"]
    assert any("sdb, 27.5 ms a flush" in said["text"] for said in found["statements"])


def test_the_first_report_of_several_is_of_the_time_since_the_start(alone):
    report = CPUS + DEVICES
    text = ("iostat -x 5 2\n\n" + report.format(iowait="0.10", idle="96.50") + BUSY.format(util="1.10") + "\n" +
            report.format(iowait="31.00", idle="65.50") + BUSY.format(util="97.10"))
    one = finding(alone(text), "waiting")
    assert one["verdict"] == "supported" and "%iowait is 31 %" in one["headline"] and "97 %" in evidence(one), one


def test_a_small_share_of_a_machine_s_waiting_bounds_no_process(alone):
    one = finding(alone("iostat -x 5 1\n\n" + CPUS.format(iowait="8.20", idle="88.50")), "waiting")
    assert one["verdict"] == "supported" and one["recoverable_ratio_at_most"] is None, one


def test_sar_s_devices_are_read_by_their_average(alone):
    head = "{}      DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util\n"
    row = "{}   dev8-16    210.00      4.00   2900.00      0.00     13.80      3.10     14.60     {}\n"
    text = "sar -d 5 2:\n\n" + head.format("09:00:01") + row.format("09:00:06", "90.00") + row.format("09:00:11", "94.00") + "\n" + \
        head.format("Average:") + row.format("Average:", "92.00")
    one = finding(alone(text), "waiting")
    assert one["verdict"] == "undecided" and "dev8-16, 14.6 ms a request" in one["reason"] and "92 %" in one["reason"], one


MPSTAT = ("14:20:11  CPU  %usr  %nice  %sys %iowait  %irq  %soft  %steal  %guest  %gnice  %idle\n"
          "14:20:21  all  {usr}  0.00  5.00  0.00  0.00  0.30  {steal}  0.00  0.00  3.00\n\n")


@pytest.mark.parametrize("words", [
    "compare with yesterday at 8:", "Baseline (before it got slow):", "And for comparison a good hour:", "this morning, when it was fine:",
])
def test_a_table_of_a_good_time_is_what_it_was_then(alone, words):
    found = alone("The shop is slow since noon:\n\n" + MPSTAT.format(usr="48.00", steal="43.00") + f"{words}\n\n" +
                  MPSTAT.format(usr="91.00", steal="0.20"))
    one = finding(found, "steal")
    assert one["verdict"] == "supported" and one["recoverable_ratio_at_most"] == pytest.approx(0.43), one
    assert "%steal is 43 %" in one["headline"] and "in the good time it was 0.2 %" in one["headline"], one["headline"]


@pytest.mark.parametrize("words", ["In the other zone:", "Good morning, here is another look:", "yesterday it happened again:", "this morning it was slow, too:", "after the move:", "the incident of yesterday:"])
def test_tables_that_nobody_calls_good_are_two_measures(alone, words):
    found = alone("The shop is slow since noon:\n\n" + MPSTAT.format(usr="48.00", steal="43.00") + f"{words}\n\n" +
                  MPSTAT.format(usr="91.00", steal="0.20"))
    assert finding(found, "steal")["verdict"] == "undecided"


def test_what_is_there_in_the_good_time_alone_is_no_cause(alone):
    found = alone("The shop is slow since noon:\n\n" + MPSTAT.format(usr="91.00", steal="0.00") + "baseline of last week:\n\n" +
                  MPSTAT.format(usr="48.00", steal="43.00"))
    assert finding(found, "steal")["verdict"] == "ruled_out"


LOCKS = ("svc;main;worker;find_session;pthread_mutex_lock;__lll_lock_wait;entry_SYSCALL_64_after_hwframe;do_syscall_64;__x64_sys_futex;futex_wait;schedule {us}\n"
         "svc;main;worker;epoll_wait;entry_SYSCALL_64_after_hwframe;do_syscall_64;ep_poll;schedule 9000000\n")
KERNEL_LOCKS = (" contended   total wait     max wait     avg wait         type   caller\n\n"
                "       902     {wait}    310.20 us     44.55 us      rwsem:W   xfs_file_write+0x3d\n"
                "        11      0.02 ms     12.11 us      1.35 us     spinlock   futex_wake+0x71\n")


@pytest.mark.parametrize("window", ["`offcputime -f -p 77 10` of 16 threads:", "offcputime, in us:"])
def test_seconds_of_stacks_outweigh_a_small_table_of_the_kernel_s_locks(alone, window):
    found = alone(f"{window}\n\n{LOCKS.format(us=120000000)}\n\n$ perf lock contention -ab -p 77 -- sleep 5\n{KERNEL_LOCKS.format(wait='40.20 ms')}")
    one = finding(found, "lock-turns")
    said = one["headline"] if one["verdict"] == "supported" else one["reason"]
    assert "find_session first, 120 s" in said and "xfs_file_write" not in said, said
    assert "xfs_file_write" in evidence(one) and "40.2 ms" in evidence(one)


def test_a_table_of_locks_with_longer_waits_than_the_stacks_leads(alone):
    found = alone(f"offcputime, in us:\n\n{LOCKS.format(us=1200)}\n\n$ perf lock contention -ab -p 77 -- sleep 5\n{KERNEL_LOCKS.format(wait=' 4.20 s ')}")
    assert "xfs_file_write" in finding(found, "lock-turns")["reason"]


LIKWID = ("likwid-perfctr -C S0:0-31 -g MEM ./stencil\n\n"
          "+-------------------------------------+-------------+\n|               Metric                |     Sum     |\n"
          "+-------------------------------------+-------------+\n|  Memory bandwidth [MBytes/s] STAT   | {rate} |\n"
          "|  Memory data volume [GBytes] STAT   |   2100.1000 |\n+-------------------------------------+-------------+\n\n")
THREADS = ("likwid-perfctr -C 0-1 -g MEM ./stencil\n\nGroup 1: MEM\n+-----------------------------+------------+------------+\n|            Metric           | HWThread 0 | HWThread 1 |\n"
           "+-----------------------------+------------+------------+\n|     Runtime (RDTSC) [s]     |    11.2000 |    11.2000 |\n"
           "| Memory bandwidth [MBytes/s] | {rate} |          0 |\n+-----------------------------+------------+------------+\n\n")
CSV = "likwid-perfctr -O\nTABLE,Group 1 Metric,MEM,3\nMetric,HWThread 0,HWThread 1\nRuntime (RDTSC) [s],11.2,11.2\nMemory bandwidth [MBytes/s],{rate},0\n\n"
PCM = "|--            System Memory Throughput(MB/s):      {rate}                  --|\n\n"


@pytest.mark.parametrize("most", [
    "STREAM triad on this machine: 210 GB/s.", "The theoretical bandwidth is 215 GB/s.", "mlc says 209.4 GB/s.",
    "Function    Best Rate MB/s  Avg time     Min time     Max time\nCopy:           190000.1     0.01   0.01   0.02\nTriad:          211000.2     0.01   0.01   0.02\n",
    "ALL Reads        :\t210112.0\n",
])
@pytest.mark.parametrize("table", [LIKWID, THREADS, CSV, PCM])
def test_bandwidth_beside_the_most_there_is(alone, table, most):
    one = finding(alone(table.format(rate="198000.5000") + most), "memory-bandwidth")
    assert one["verdict"] == "supported" and "198 of 2" in one["headline"] and "9" in one["headline"], one
    one = finding(alone(table.format(rate="31000.5000") + most), "memory-bandwidth")
    assert one["verdict"] == "undecided" and "far from its limit" in one["reason"] and one["recoverable_ratio_at_most"] < 0.32, one
    one = finding(alone(table.format(rate="120000.5000") + most), "memory-bandwidth")
    assert one["verdict"] == "undecided" and "isn't told" in one["reason"], one


@pytest.mark.parametrize("words", [
    "", "The disk does 210 GB/s at its theoretical best.", "STREAM triad gives 210 GB/s per socket.", "STREAM gives 12 GB/s on one core of a core complex, each core.",
    "STREAM triad gave 210 GB/s before the new DIMMs. STREAM triad gives 390 GB/s now.", "It streams 210 GB/s of messages.",
])
def test_without_one_most_a_rate_is_said_and_decides_nothing(alone, words):
    one = finding(alone(LIKWID.format(rate="198000.5000") + words), "memory-bandwidth")
    assert one["verdict"] == "undecided" and "198 GB/s went to memory" in one["reason"], one


@pytest.mark.parametrize("words, share", [("pcm-memory: 41 GB/s of the ~320 the socket can do.", 0.13), ("DRAM bandwidth: 300 of the 320 GB/s.", 0.94)])
def test_a_rate_of_the_most_in_one_sentence(alone, words, share):
    one = finding(alone(words + "\n"), "memory-bandwidth")
    assert one["verdict"] == ("supported" if share > 0.9 else "undecided"), one
    assert f"{share * 100:.0f} %" in (one["headline"] or one["reason"])


def test_a_class_of_the_tree_bounds_what_bandwidth_may_return(alone):
    tree = "66.0 %  tma_backend_bound\n60.0 %  tma_memory_bound\n\n"
    one = finding(alone(tree + LIKWID.format(rate="198000.5000") + "STREAM triad: 210 GB/s."), "memory-bandwidth")
    assert one["verdict"] == "supported" and one["recoverable_ratio_at_most"] == pytest.approx(0.6), one


def test_page_sizes_of_guest_and_host_in_a_table_are_trials_of_each_side(alone):
    found = alone("| guest pages | host pages | route s |\n|---|---|---:|\n| 4k | 4k | 80.0 |\n| 2M | 4k | 72.0 |\n| 4k | 2M | **60.0** |\n| 2M | 2M | 50.0 |\n| metal, 4k | - | 55 |\n")
    guest, host = finding(found, "small-pages"), finding(found, "host-small-pages")
    assert guest["verdict"] == host["verdict"] == "supported"
    assert guest["recoverable_ratio_at_most"] == pytest.approx(0.1, abs=0.01) and host["recoverable_ratio_at_most"] == pytest.approx(0.25, abs=0.01)
    assert not any("not read" in said["origin"] for said in found["statements"]), found["statements"]


@pytest.mark.parametrize("table, at_most", [
    ("| pages | join s |\n|---|---|\n| 4k | 30.0 |\n| 2M | 21.0 |\n", 0.3),
    ("| THP | Mops/s |\n|---|---|\n| never | 60.0 |\n| always | 80.0 |\n", 0.25),
    ("| memory | time (s) | dTLB misses |\n|---|---|---|\n| small pages | 30.0 | 9,000 |\n| huge pages | 21.0 | 100 |\n", 0.3),
])
def test_rows_of_two_page_sizes_are_a_trial(alone, table, at_most):
    one = finding(alone(table), "small-pages")
    assert one["verdict"] == "supported" and one["recoverable_ratio_at_most"] == pytest.approx(at_most, abs=0.02), one


@pytest.mark.parametrize("table", [
    "| pages | threads | join s |\n|---|---|---|\n| 4k | 1 | 30.0 |\n| 2M | 8 | 21.0 |\n",    # other threads
    "| block | join s |\n|---|---|\n| 4k | 30.0 |\n| 64k | 21.0 |\n",
    "| pages | rows |\n|---|---|\n| 4k | 30.0 |\n| 2M | 21.0 |\n",                            # no times
    "| pages | machine | join s |\n|---|---|---|\n| 4k | old | 30.0 |\n| 2M | new | 21.0 |\n",
])
def test_rows_that_differ_in_more_are_no_trial(alone, table):
    assert finding(alone(table), "small-pages")["verdict"] != "supported"


NUMASTAT = ("$ numastat -p shared\n\n                           Node 0          Node 1           Total\n                  --------------- --------------- ---------------\n"
            "Private                   {0}         {1}         80000.00\n----------------  --------------- --------------- ---------------\nTotal                     {0}         {1}         80000.00\n\n")
ON_NODES = ("Benchmark 1: numactl -N 0 ./find {0}\n  Time (mean ± σ):     {1} s ±  0.030 s    [User: 6.2 s, System: 0.4 s]\n  Range (min … max):    1.0 s …  9.0 s    10 runs\n\n"
            "Benchmark 2: numactl -N 1 ./find {2}\n  Time (mean ± σ):     {3} s ±  0.030 s    [User: 6.2 s, System: 0.4 s]\n  Range (min … max):    1.0 s …  9.0 s    10 runs\n\n")


@pytest.mark.parametrize("stat, runs, verdict", [
    (("100.00", "79900.00"), ("a", "6.00", "a", "4.20"), "supported"),
    (("100.00", "79900.00"), ("a", "6.00", "b", "4.20"), "undecided"),   # another command
    (("79900.00", "100.00"), ("a", "6.00", "a", "4.20"), "undecided"),   # the one near its memory is slower
    (("40000.00", "40000.00"), ("a", "6.00", "a", "4.20"), "not_testable"),
])
def test_one_command_on_two_nodes_is_a_trial_where_the_memory_s_node_is_told(alone, stat, runs, verdict):
    one = finding(alone(NUMASTAT.format(*stat) + ON_NODES.format(*runs)), "numa-remote")
    assert one["verdict"] == verdict, one
    if verdict == "supported":
        assert one["recoverable_ratio_at_most"] == pytest.approx(0.3, abs=0.02)


def test_memory_bound_to_either_node_is_a_trial_by_itself(alone):
    shell = "$ time numactl -N 0 --membind={} ./find\n\nreal\t0m{}s\nuser\t0m4.0s\nsys\t0m0.1s\n\n"
    one = finding(alone(shell.format(0, "4.20") + shell.format(1, "6.00")), "numa-remote")
    assert one["verdict"] == "supported" and one["recoverable_ratio_at_most"] == pytest.approx(0.3, abs=0.02), one
    assert finding(alone(shell.format(0, "4.20") + shell.format(1, "4.20")), "numa-remote")["verdict"] == "ruled_out"
    own = "$ time numactl -N 0 ./find -m {}\n\nreal\t0m{}s\nuser\t0m4.0s\nsys\t0m0.1s\n\n"  # the program's own option
    assert finding(alone(own.format(0, "4.20") + own.format(1, "6.00")), "numa-remote")["verdict"] != "supported"


TIMES = "$ time ./pack\n\nreal\t0m{0}s\nuser\t0m{1}s\nsys\t0m{2}s\n\n"
KERNEL = ("    15.00%  pack  [kernel.kallsyms]  [k] entry_SYSCALL_64\n    12.00%  pack  [kernel.kallsyms]  [k] shmem_write_begin\n"
          "     9.00%  pack  [kernel.kallsyms]  [k] vfs_write\n     8.00%  pack  [kernel.kallsyms]  [k] copy_user_enhanced_fast_string\n"
          "     6.00%  pack  [kernel.kallsyms]  [k] __fget_light\n     5.00%  pack  pack               [.] encode\n\n")


def test_what_calls_do_in_the_kernel_adds_up_beside_the_slower_run_s_part_of_it(alone):
    one = finding(alone(TIMES.format("6.100", "1.500", "4.500") + KERNEL + "With a buffer:\n\n" + TIMES.format("1.600", "1.500", "0.090")), "system-calls")
    assert one["verdict"] == "supported" and "50 %" in one["headline"] and "75 %" in evidence(one), one


@pytest.mark.parametrize("times, verdict", [
    ((("6.100", "5.950", "0.110"), ("3.100", "2.000", "1.090")), "ruled_out"),   # of the slower one
    ((("6.100", "1.500", "4.500"),), "undecided"),
    ((("6.1", "1.5", "4.5"), ("3.1", "2.0", "1.0"), ("2.1", "1.0", "1.0")), "not_testable"),  # of three nobody knows which
])
def test_of_two_timed_runs_the_slower_one_s_kernel_time_bounds(alone, times, verdict):
    assert finding(alone("".join(TIMES.format(*one) for one in times)), "system-calls")["verdict"] == verdict


VTUNE = ("Elapsed Time: 21.100s\n    Retiring: {retiring}% of Pipeline Slots\n        Light Operations: 58.0% of Pipeline Slots\n            FP Arithmetic: 50.0% of uOps\n"
         "                FP Scalar: {scalar}% of uOps\n                FP Vector: {vector}% of uOps\n                    256-bit: {vector}% of uOps\n"
         "    Front-End Bound: 9.0% of Pipeline Slots\n    Bad Speculation: 1.0% of Pipeline Slots\n    Back-End Bound: {rest}% of Pipeline Slots\n")


def test_vtune_s_scalar_arithmetic_is_named(alone):
    found = alone(VTUNE.format(retiring="70.0", rest="20.0", scalar="50.0", vector="0.0"))
    one = finding(found, "narrow-vectors")
    assert one["verdict"] == "undecided" and "is 35 % of the slots, on vectors 0 %" in one["reason"], one
    assert "floating-point work on one number at a time is 35 %" in found["verdict"]["sentence"], found["verdict"]
    assert not any("not read" in said["origin"] for said in found["statements"]), found["statements"]


def test_vectors_beside_scalar_arithmetic_leave_nothing_to_name(alone):
    one = finding(alone(VTUNE.format(retiring="60.0", rest="30.0", scalar="20.0", vector="30.0")), "narrow-vectors")
    assert one["verdict"] == "not_testable", one


@pytest.mark.parametrize("reader, clock", [("read_hpet", "hpet"), ("acpi_pm_read", "acpi_pm")])
def test_a_clock_that_only_the_kernel_reads_is_named_first(alone, reader, clock):
    found = alone(f"    52.00%  feed  [kernel.kallsyms]  [k] {reader}\n     7.00%  feed  [kernel.kallsyms]  [k] entry_SYSCALL_64\n     5.00%  feed  feed  [.] parse\n\ncurrent_clocksource: {clock}\n")
    assert found["verdict"]["sentence"].startswith(f"Time in system calls to read the clock source {clock}"), found["verdict"]
    assert "emulated" not in str(found["statements"])
    found = alone("    52.00%  feed  [kernel.kallsyms]  [k] copy_user_generic\n     7.00%  feed  [kernel.kallsyms]  [k] entry_SYSCALL_64\n     5.00%  feed  feed  [.] parse\n")
    assert "clock source" not in found["verdict"]["sentence"]


CACHEGRIND = ("valgrind --tool=cachegrind --cache-sim=yes ./turn\n\n==812== D   refs:       9,000,000  (5,000,000 rd   + 4,000,000 wr)\n==812== LLd miss rate:       20.1% (     {rate}%     +        2.1%  )\n\n"
              "--------------------------------------------------------------------------------\nIr                   Dr                 D1mr               DLmr               file:function\n"
              "--------------------------------------------------------------------------------\n9,100,000 (61.0%)  3,000,000 (60.0%)  1,900,000 (95.0%)  1,800,000 ({share}%)  turn.c:by_columns\n"
              "4,100,000 (29.0%)  1,000,000 (20.0%)      9,000 ( 0.4%)      8,000 ( 0.4%)  turn.c:main\n  100,000 ( 1.0%)          .                  .                  .          turn.c:idle\n\n")


def test_reads_that_a_simulated_cache_missed_name_a_function_and_decide_nothing(alone):
    found = alone(CACHEGRIND.format(rate="36.0", share="97.0"))
    one = finding(found, "cache-misses")
    assert one["verdict"] == "undecided" and "by_columns has 97 % of the LLC-load-misses (36 % of all reads), simulated" in one["reason"], one
    assert "by_columns (turn.c) holds 97 %" in found["verdict"]["sentence"]
    assert not any("not read" in said["origin"] for said in found["statements"]), found["statements"]
    assert finding(alone(CACHEGRIND.format(rate="36.0", share=" 9.0")), "cache-misses")["verdict"] == "not_testable"


# ---- what is certain and small, beside what most of the time points at ----

QUEUED = ("  Task                  |   Runtime ms  |  Switches | Avg delay ms    | Max delay ms    | Max delay at       |\n"
          "  render:(24)           |  40210.000 ms |    30233 | avg:   8.100 ms | max:  90.201 ms | max at: 812.310402 s\n")
RUNNABLE = ("procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
            "22  0      0 912345  40000 900000    0    0     0     2 3000 9000 {busy}  2  {idle}  0  0\n23  0      0 912345  40000 900000    0    0     0     2 3000 9000 {busy}  2  {idle}  0  0\n")
COPIES = ("# Overhead  Command  Shared Object  Symbol\n    38.10%  render   render         [.] shade_tile\n     7.20%  render   libc.so.6      [.] __memmove_avx_unaligned_erms\n"
          "     6.90%  render   libc.so.6      [.] _int_malloc\n")
PRESSURES = "==> /proc/pressure/cpu <==\nsome avg10=92.10 avg60=91.88 avg300=90.20 total=2204118220\n"
BEHIND_LOCKS = ("kvd;start_thread;serve;Index::Get;pthread_mutex_lock@@GLIBC_2.2.5;__lll_lock_wait;do_futex;futex_wait;schedule {waited}\n"
                "kvd;start_thread;serve;epoll_wait;ep_poll;schedule 4022118\n")


@pytest.mark.parametrize("beside", [{}, {"psi": PRESSURES}])
def test_who_waits_for_a_cpu_while_none_is_idle_leads(imported, beside):
    found, _ = imported(queue=QUEUED, machine=RUNNABLE.format(busy=98, idle=0), profile=COPIES, **beside)
    assert found["verdict"]["culprit"] == "oversubscribed" and "86 %" in found["verdict"]["sentence"]
    assert ("pressure" in str(beside)) == ("92 %" in str(finding(found, "oversubscribed")["evidence"]))


def test_while_cpus_stand_idle_waits_for_one_decide_nothing(imported):
    found, _ = imported(queue=QUEUED, machine=RUNNABLE.format(busy=60, idle=38))
    assert finding(found, "oversubscribed")["verdict"] == finding(found, "affinity")["verdict"] == "undecided"


def test_waits_for_a_lock_lead_before_a_copy_of_a_few_percent(imported):
    found, _ = imported(stacks=BEHIND_LOCKS.format(waited=310118220), profile=COPIES)
    sentence = found["verdict"]["sentence"]
    assert sentence.startswith("Threads that take turns at a lock may hold it up") and "Certain, but small: copying" in sentence
    assert "Index::Get" in found["verdict"]["advice"][0] and not any("allocat" in one.split(":")[0] for one in found["verdict"]["advice"])


def test_how_long_stacks_were_watched_may_be_said_beside_them(imported):
    said = "offcputime for 30 s of kvd, 16 worker threads; values are microseconds."
    found, _ = imported(said, stacks=BEHIND_LOCKS.format(waited=310118220))
    one = finding(found, "lock-turns")
    assert one["verdict"] == "supported" and 0.64 < one["recoverable_ratio_at_most"] < 0.65, "310 of 480 seconds of threads"


BARE = "app;start_thread;work;parse;malloc;__lll_lock_wait_private;futex_wait {lock}\napp;start_thread;work;pop;pthread_cond_wait;futex_wait 9120441\napp;start_thread;work;write;vfs_write;ext4_file_write_iter {disk}\n"


def with_note(run, tmp_path, stacks, note):
    for name, text in (("off.folded", stacks), ("note.md", note)):
        (tmp_path / name).write_text(text)
    return json.loads(run("diagnose", "--json", "--import", tmp_path / "off.folded", "--import", tmp_path / "note.md").stdout)


def test_waits_without_the_scheduler_s_frames_are_waits_in_the_window_that_a_file_beside_tells(run, tmp_path):
    found = with_note(run, tmp_path, BARE.format(lock=240118204, disk=2204118), "offcputime-bpfcc -f -p $(pidof app) 30 > off.folded   (microseconds)\n\n16 worker threads on 16 CPUs.\n")
    one, sentence = finding(found, "lock-turns"), found["verdict"]["sentence"]
    assert one["verdict"] == "supported" and 0.49 < one["recoverable_ratio_at_most"] < 0.51 and "malloc" in sentence and "samples" not in sentence, found["verdict"]
    assert "MALLOC_ARENA_MAX" in found["verdict"]["advice"][0] and "perf annotate" not in str(found["verdict"]["advice"])


@pytest.mark.parametrize("stacks, note", [(BARE.format(lock=240118204, disk=2204118), "offcputime-bpfcc -f -p $(pidof db) 30 > other.folded\n\n16 worker threads.\n"),
                                          (BARE.format(lock=2402, disk=900118204), "perf record of all of it, folded; 16 worker threads.\n")])
def test_a_window_of_another_file_or_of_samples_tells_no_share_of_the_time(run, tmp_path, stacks, note):
    assert finding(with_note(run, tmp_path, stacks, note), "lock-turns")["verdict"] != "supported"


def test_waits_for_storage_are_no_code_to_look_for(alone):
    found = alone("app;main;loop;epoll_wait;ep_poll 9001200\napp;work;read;vfs_read;filemap_read;folio_wait_bit_common;io_schedule 32001200\n")
    assert found["verdict"]["sentence"].startswith("Waiting, not computing may hold it up") and "which code" not in str(found["verdict"]["advice"]), found["verdict"]


def test_who_waits_for_storage_waits_for_the_device_that_was_busy(imported):
    device = "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util\n"
    times = "real\t1m40.000s\nuser\t0m9.000s\nsys\t0m7.000s\n"
    calls = "# Overhead  Command  Shared Object      Symbol\n    50.00%  scan     scan               [.] sum_rows\n     9.10%  scan     [kernel.kallsyms]  [k] copy_user_enhanced_fast_string\n"
    found, _ = imported(disk=device + "nvme1n1         410.00   52480.00     0.00   0.00   21.20   128.00    0.00      0.00     0.00   0.00    0.00     0.00    8.70  98.40\n",
                        times=times, profile=calls)
    assert found["verdict"]["culprit"] == "waiting" and "nvme1n1" in found["verdict"]["sentence"]
    assert found["verdict"]["confidence"].startswith("MEDIUM") and not found["verdict"]["also"], "9 % of a sixth of the time is next to nothing"


CONTENDED = " Percent |      Source code & Disassembly of dispatch\n-----------------------------------------------\n         :   0000000000401180 <draw>:\n    0.10 :   401180:  mov    $0x1,%eax\n    1.10 :   401185:  lock xadd %rax,(%rdi)\n   91.20 :   40118a:  add    $0x1,%rax\n    2.00 :   40118e:  ret\n"


def test_an_atomic_operation_that_a_listing_points_at_leads_before_a_copy(imported):
    found, _ = imported(listing=CONTENDED, profile=COPIES.replace("shade_tile", "draw"))
    sentence = found["verdict"]["sentence"]
    assert sentence.startswith("Atomic operations and fences may hold it up") and "Certain, but small" in sentence


# ---- files by their names, languages' own locks, room for huge pages, trials that may fail ----

def test_a_group_s_pressure_is_known_by_its_file_s_name(run, tmp_path):
    path = tmp_path / "memory.pressure"
    path.write_text("some avg10=71.00 avg60=70.10 avg300=66.00 total=1802211044\nfull avg10=55.10 avg60=54.20 avg300=50.00 total=1511022118\n")
    found = json.loads(run("diagnose", "--json", "--import", path).stdout)
    assert finding(found, "swap")["recoverable_ratio_at_most"] == pytest.approx(0.542)


@pytest.mark.parametrize("frames, named, advised", [
    ("take_gil;pthread_cond_timedwait;__futex_abstimed_wait_common", "Python's global interpreter lock (GIL)", "use processes"),
    ("rb_thread_call;gvl_acquire;pthread_cond_wait", "Ruby's global lock (GVL)", "use processes"),
    ("Store_put;pthread_mutex_lock;__lll_lock_wait", "Store_put", "hold the lock in Store_put shorter"),
])
def test_a_language_s_own_lock_is_named_whoever_asks_for_it(imported, frames, named, advised):
    found, _ = imported(stacks=f"app;start_thread;run;{frames};do_syscall_64;__x64_sys_futex;futex_wait;schedule 160331004\napp;main;epoll_wait;ep_poll;schedule 1220118\n")
    assert named in found["verdict"]["sentence"] and advised in found["verdict"]["advice"][0]


def test_room_made_for_huge_pages_asks_for_no_more_of_them(imported):
    found, _ = imported(profile="# Overhead  Command  Shared Object  Symbol\n    31.10%  kv  [kernel.kallsyms]  [k] isolate_migratepages_block\n"
                                "    12.00%  kv  [kernel.kallsyms]  [k] compaction_alloc\n     8.00%  kv  kv  [.] lookup\n")
    one = finding(found, "page-faults")
    assert one["verdict"] == "supported" and "43 %" in one["headline"]
    assert "defer+madvise" in one["advice"][0] and "huge pages: one fault" not in str(one["advice"])


def test_faults_of_numa_balancing_ask_for_none_of_it(imported):
    report = ("# Overhead  Command  Shared Object  Symbol\n    22.00%  olapd  olapd  [.] scan\n    14.02%  olapd  [kernel.kallsyms]  [k] migrate_pages_batch\n"
              "     9.31%  olapd  [kernel.kallsyms]  [k] do_numa_page\n")
    found, _ = imported(profile=report)
    one = finding(found, "page-faults")
    assert "23 %" in one["headline"] and "numa_balancing=0" in one["advice"][0] and "numa_balancing" in one["confirm"]
    found, _ = imported("The job takes 410 s.", "With kernel.numa_balancing=0 it takes 205 s.", profile=report)
    one = finding(found, "page-faults")
    assert one["verdict"] == "supported" and "automatic NUMA balancing off" in one["headline"]


@pytest.mark.parametrize("before, after, verdict", [
    ("The nightly aggregation takes 410 s on the two-socket server.", "With huge pages it takes 205 s.", "supported"),
    ("The broker does 60,900 msg/s.", "With huge pages it does 61,200 msg/s.", "ruled_out"),
    ("Throughput is 60,900 msg/s.", "With huge pages: 81,200 msg/s.", "supported"),
    ("Each fsync takes 12 ms.", "With huge pages it takes 6 ms.", "undecided"),
    ("The index load takes 410 s.", "With huge pages it takes 205 s.", "undecided"),
])
def test_what_a_whole_run_takes_is_what_a_trial_is_compared_with(imported, before, after, verdict):
    assert finding(imported(before, after)[0], "small-pages")["verdict"] == verdict


@pytest.mark.parametrize("text, gain", [("tried: batched writes: 41.2 s before, 9.3 s after.", True), ("tried: batched writes: soon.", False)])
def test_our_own_form_of_a_trial_takes_times_too(imported, text, gain):
    found, _ = imported(text)
    assert ("77 to 78 %" in found["verdict"]["sentence"]) == gain


def test_what_is_deployed_somebody_deployed(imported):
    found, _ = imported("The nohz_full is deployed both on the host and the guest. There is still the same performance gap between a VM and a TDX VM.")
    assert finding(found, "timer-tick")["verdict"] == "ruled_out"


def test_names_of_files_looked_up_are_system_calls(imported):
    found, _ = imported(profile="# Overhead  Command  Shared Object  Symbol\n    18.20%  cc1plus  [kernel.kallsyms]  [k] __d_lookup_rcu\n"
                                "    11.77%  cc1plus  [kernel.kallsyms]  [k] link_path_walk.part.0.constprop.0\n     9.00%  cc1plus  cc1plus  [.] parse\n")
    assert "30 %" in finding(found, "system-calls")["headline"]


@pytest.mark.parametrize("text", ["Turning swap off did not help.", "With swapoff -a it takes 41 s, as before."])
def test_swap_off_without_effect_leaves_reading_back_open(imported, text):
    found, _ = imported("The import takes 41 s.", text)
    assert finding(found, "swap")["verdict"] == "undecided"


@pytest.mark.parametrize("text, supported", [("With the buffers aligned to 64 bytes it takes 2.5 s instead of 4.0 s.", False),
                                             ("With the counters aligned to 64 bytes it takes 2.5 s instead of 4.0 s.", True)])
def test_aligned_buffers_are_no_lines_of_each_thread_s_own(imported, text, supported):
    found, _ = imported(text)
    assert (finding(found, "contended-lines")["verdict"] == "supported") == supported
