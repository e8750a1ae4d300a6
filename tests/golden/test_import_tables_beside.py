# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose on tables of which the words, the columns or a second table beside them say what they mean."""
import pytest
from imported_case import evidence, finding


OFF = ("srv;start_thread;pool_main;take_ticket;pthread_mutex_lock@@GLIBC_2.2.5;__lll_lock_wait;entry_SYSCALL_64_after_hwframe;do_syscall_64;__x64_sys_futex;do_futex;futex_wait;futex_wait_queue;schedule 48000000\n"
       "srv;start_thread;pool_main;answer;__recvmsg;entry_SYSCALL_64_after_hwframe;do_syscall_64;__sys_recvmsg;unix_stream_recvmsg;schedule_timeout;schedule 3000000\n")


@pytest.mark.parametrize("told, share", [
    ("offcputime -f 8 of 12 threads, microseconds:", 0.5),
    ("`offcputime-bpfcc -p 771 -f 8` (folded, microseconds, 12 threads, 8 s):", 0.5),
    ("offcputime-bpfcc -p 771 -f 8, 12 worker threads:", 0.5),
    ("offcputime-bpfcc --state 2 -f -p 771 8, 12 worker threads:", 0.5),
    ("offcputime -f of 12 threads, microseconds:", None),
    ("offcputime -f -p 8, 12 threads:", None),
])
def test_an_option_without_a_value_takes_no_number(alone, told, share):
    one = finding(alone(f"{told}\n\n{OFF}"), "lock-turns")
    assert (one["verdict"] == "supported") == bool(share), one
    if share:
        assert one["recoverable_ratio_at_most"] == pytest.approx(share), one


PLAIN = "@reason[120]: 3000                              SVM_EXIT_HLT\n@reason[124]: {msr}                              SVM_EXIT_MSR\n"
CONFIDENTIAL = "@reason[120]: 3100                              SVM_EXIT_HLT\n@reason[96]: {intr}                            SVM_EXIT_INTR\n@reason[1027]: {asked}                          SVM_EXIT_VMGEXIT\n"


def test_of_two_guests_exits_the_slower_one_s_are_what_counts(alone):
    text = "The SNP guest makes 15 % less than the plain VM.\n\nPlain VM:\n" + PLAIN.format(msr=2600) + "\nSNP VM:\n" + CONFIDENTIAL.format(intr=210000, asked=190000)
    one = finding(alone(text), "vm-exits")
    assert "SNP VM left 210000 times for INTR, Plain VM never" in one["reason"] and "403100" in evidence(one), one
    text = text.replace("190000", "2500").replace("210000", "100")
    assert "INTR" not in finding(alone(text), "vm-exits")["reason"], "about as many of both"


MEM = ("# Samples: 41K of event 'cpu/mem-loads,ldlat=30/P'\n# Total weight : 9120447\n# Sort order   : {order}\n#\n# Overhead       Samples  Memory access{column}\n# ........  ............  ........................{rule}\n#\n")
LEVELS = [("Remote RAM or RAM hit", "L1 or L1 hit", "LFB or LFB hit", "Local RAM or RAM hit"), ("Remote RAM (1 hop) hit", "L1 hit", "LFB hit", "Local RAM hit"),
          ("Remote node, same socket RAM hit", "L1 hit", "LFB/MAB hit", "RAM hit")]


@pytest.mark.parametrize("remote, first, buffer, local", LEVELS)
def test_perf_mem_tells_from_which_memory_loads_waited(alone, remote, first, buffer, local):
    def table(far, near, symbol=""):
        head = MEM.format(order="mem,sym" if symbol else "mem", column="             Symbol" if symbol else "", rule="  .........." if symbol else "")
        rows = [(far, 9120, remote), (60 - far - near + 30, 30411, first), (10, 4100, buffer), (near, 1210, local)]
        return "perf mem report --stdio --sort=mem\n\n" + head + "".join(f"    {share:5.2f}%  {count:12}  {name:<32}{symbol}\n" for share, count, name in rows)
    found = alone(table(55, 5))
    one = finding(found, "numa-remote")
    assert one["verdict"] == "undecided" and "sampled loads' waiting time that went to another node's memory is 55 %" in one["reason"] and "not of the program's time" in one["reason"], one
    assert found["verdict"]["sentence"].startswith("Memory on another node may hold it up"), found["verdict"]
    assert not any(table["tool"] == "perf annotate" for table in found["imported"] if "tool" in table)
    found = alone(table(55, 5, "  [.] find_slot"))
    assert "find_slot holds 100 % of the weight of cpu/mem-loads,ldlat=30/P samples" in found["verdict"]["sentence"] and "another node's memory is 55 %" in finding(found, "numa-remote")["reason"], found["verdict"]
    found = alone(table(2, 58))
    assert finding(found, "numa-remote")["verdict"] == "not_testable" and "their own node's memory is 58 %" in finding(found, "dram-latency")["reason"], found["verdict"]
    found = alone(table(2, 4))
    assert finding(found, "dram-latency")["verdict"] == finding(found, "numa-remote")["verdict"] == "not_testable"


def test_rows_of_one_symbol_by_levels_are_one_of_a_weight(alone):
    head = MEM.format(order="local_weight,mem,sym", column="             Symbol", rule="  ..........").replace("Samples  Memory", "Samples  Local Weight  Memory")
    rows = [(51.3, 20118, 347, "LFB or LFB hit", "walk"), (28.4, 5911, 306, "RAM hit", "walk"), (15.0, 4400, 60, "L3 hit", "fill"), (4.1, 8120, 61, "L3 hit", "walk")]
    found = alone(head + "".join(f"    {share:5.2f}%  {count:12}  {weight:<12}  {level:<24}  [.] {name}\n" for share, count, weight, level, name in rows))
    assert "walk holds 83.8 % of the weight of cpu/mem-loads,ldlat=30/P samples" in found["verdict"]["sentence"], found["verdict"]
    plain = alone("# Samples: 41K of event 'cycles'\n# Overhead  Command  Shared Object  Symbol\n    71.30%  a  a  [.] walk\n")
    assert "walk (a) holds 71.3 % of the cycles samples" in plain["verdict"]["sentence"], plain["verdict"]


def test_another_core_of_the_same_node_is_no_memory_of_another(alone):
    text = MEM.format(order="mem", column="", rule="") + "    71.00%          9120  Remote core, same node Any cache hit\n    29.00%         30411  L1 hit\n"
    assert finding(alone(text), "numa-remote")["verdict"] == "not_testable"


NODES = "|-- NODE 0 Mem Read (MB/s) : {read} --||-- NODE 1 Mem Read (MB/s) :    61.02 --|\n|-- NODE 0 Memory (MB/s):    {all} --||-- NODE 1 Memory (MB/s):      88.10 --|\n"


@pytest.mark.parametrize("told", ["MLC says 118 GB/s is the most that one socket reads.", "112 GB/s of the 118 GB/s that MLC reaches on this socket."])
def test_a_node_s_own_line_is_held_against_what_memory_gives(alone, told):
    found = alone(f"{told}\n\npcm-memory while it runs:\n\n{NODES.format(read='104210.11', all='112300.40')}")
    one = finding(found, "memory-bandwidth")
    assert one["verdict"] == "supported" and "95 %" in evidence(one), one
    assert finding(found, "numa-remote")["verdict"] == "not_testable", "it ran on one socket"
    found = alone(f"{told.replace('112', '31')}\n\npcm-memory while it runs:\n\n{NODES.format(read='28010.11', all='31300.40')}")
    assert finding(found, "memory-bandwidth")["verdict"] != "supported"


def test_one_node_s_traffic_goes_with_memory_on_it_where_nobody_says_where_it_ran(alone):
    one = finding(alone(f"pcm-memory while it runs:\n\n{NODES.format(read='104210.11', all='112300.40')}"), "numa-remote")
    assert one["verdict"] == "undecided" and "the busiest node's part of the traffic is 99.9 %" in one["reason"], one


TURBO = "Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tCoreTmp\tCoreThr\tPkgTmp\n"


def interval(clock, throttles, degrees):
    return TURBO + f"-\t-\t{clock - 8}\t99.70\t{clock}\t1996\t{degrees}\t{throttles}\t{degrees}\n0\t0\t{clock - 8}\t99.70\t{clock}\t1996\t{degrees}\t{throttles}\t{degrees}\n1\t1\t{clock - 8}\t99.70\t{clock}\t1996\t{degrees}\t{throttles}\n"


def test_intervals_before_heat_and_while_it_throttles_are_told_apart(alone):
    one = finding(alone("turbostat -i 20:\n\n" + interval(3600, 0, 81) + interval(2700, 190, 98)), "thermal-power")
    assert one["verdict"] == "supported" and one["recoverable_ratio_at_most"] == pytest.approx(0.25), one
    one = finding(alone("turbostat -i 20:\n\n" + interval(3600, 0, 81) + interval(3590, 0, 83)), "thermal-power")
    assert one["verdict"] != "supported", one


def test_a_throttled_interval_alone_is_a_lead(alone):
    found = alone("turbostat, an hour later:\n\n" + interval(2700, 190, 98))
    one = finding(found, "thermal-power")
    assert one["verdict"] == "undecided" and "the part of the CPUs that heat throttled is 100 %" in one["reason"] and found["verdict"]["sentence"].startswith("Heat"), one
    one = finding(alone("turbostat, an hour later:\n\n" + interval(2700, 0, 71)), "thermal-power")
    assert one["verdict"] != "supported" and "heat throttled" not in one["reason"], one


STRACE = ("% time     seconds  usecs/call     calls    errors syscall\n------ ----------- ----------- --------- --------- ----------------\n"
          " 91.00    {seconds}        {each}      {calls}           fsync\n  9.00    0.410000          80      5125           epoll_wait\n------ ----------- ----------- --------- --------- ----------------\n100.00    9.000000         600     5900        12 total\n")


@pytest.mark.parametrize("told, verdict", [
    ("strace -c on one worker for 12 s:", "supported"),
    ("$ timeout 12 strace -c -w -p 3317", "supported"),
    ("$ timeout 12 strace -c -f -p 3317", "undecided"),  # of how many threads?
    ("strace -c on one worker:", "undecided"),
    ("strace -c on one worker for 5 s:", "undecided"),  # longer than there was
])
def test_a_table_of_one_thread_s_calls_is_a_share_of_its_time_where_that_is_told(alone, told, verdict):
    one = finding(alone(f"{told}\n\n" + STRACE.format(seconds="9.000000", each=6000, calls=1500)), "waiting")
    assert one["verdict"] == verdict, one
    if verdict == "supported":
        assert one["recoverable_ratio_at_most"] == pytest.approx(0.75) and "1500 calls of fsync" in one["headline"], one


def test_short_calls_may_be_computing_in_the_kernel(alone):
    one = finding(alone("strace -c on one worker for 12 s:\n\n" + STRACE.format(seconds="9.000000", each=60, calls=150000)), "waiting")
    assert one["verdict"] == "undecided", one


LIKWID = ("Group 1: FLOPS_SP\n+------------------------------------------+---------+-------------+\n|                   Event                  | Counter |  HWThread 5 |\n+------------------------------------------+---------+-------------+\n"
          "|             INSTR_RETIRED_ANY            |  FIXC0  | 50000000000 |\n|           CPU_CLK_UNHALTED_CORE          |  FIXC1  | 20000000000 |\n| FP_ARITH_INST_RETIRED_128B_PACKED_SINGLE |   PMC0  | {vector} |\n"
          "|    FP_ARITH_INST_RETIRED_SCALAR_SINGLE   |   PMC1  | {scalar} |\n| FP_ARITH_INST_RETIRED_256B_PACKED_SINGLE |   PMC2  |           0 |\n+------------------------------------------+---------+-------------+\n")


@pytest.mark.parametrize("scalar, vector, verdict", [(14000000000, 0, "undecided"), (14000000000, 9000000000, "not_testable"), (200000000, 0, "not_testable")])
def test_scalar_arithmetic_by_counts_is_a_lead(alone, scalar, vector, verdict):
    found = alone("$ likwid-perfctr -C 5 -g FLOPS_SP ./blur\n" + LIKWID.format(scalar=scalar, vector=vector))
    one = finding(found, "narrow-vectors")
    assert one["verdict"] == verdict, one
    if verdict == "undecided":
        assert "28 % as many as all instructions, and 0 on vectors" in one["reason"] and found["verdict"]["sentence"].startswith("Scalar"), one


CALLS = "$ strace -c -f ./load in.csv\n% time     seconds  usecs/call     calls    errors syscall\n------ ----------- ----------- --------- --------- ----------------\n 99.70   {seconds}           0 120000000           read\n  0.30    0.120000           3     40000           write\n------ ----------- ----------- --------- --------- ----------------\n100.00   {seconds}           0 120040000           total\n"
TIMES = "\nWithout strace:\n\nreal\t0m40.000s\nuser\t0m9.000s\nsys\t0m30.600s\n\nWith a buffer of 32k:\n\nreal\t0m{real}s\nuser\t0m4.000s\nsys\t0m{sys}s\n"


@pytest.mark.parametrize("seconds, real, sys, supported", [
    ("61.000000", "4.500", "0.400", True),
    ("61.000000", "35.500", "30.400", False),  # sys stayed
    (" 2.000000", "4.500", "0.400", False),  # calls took far less than went
])
def test_calls_that_a_faster_run_hasn_t_are_what_it_lost(alone, seconds, real, sys, supported):
    one = finding(alone(CALLS.format(seconds=seconds) + TIMES.format(real=real, sys=sys)), "system-calls")
    assert (one["verdict"] == "supported") == supported, one
    if supported:
        assert one["recoverable_ratio_at_most"] == pytest.approx(30.2 / 40) and "120000000 calls of read" in one["headline"], one


TREE = ("BE             Backend_Bound                      % Slots                      60.0   [25.0%]\nBE/Core        Backend_Bound.Core_Bound           % Slots                      52.0   [25.0%]\n"
        "BE/Core        Backend_Bound.Core_Bound.Divider        % Clocks                44.0   [25.0%]<==\nBE/Core        Backend_Bound.Core_Bound.Ports_Utilization % Clocks             19.0  < [25.0%]\n\n")
LISTING = (" Percent |      Source code & Disassembly of blend for cycles (9120 samples, percent: local period)\n----------------------------------------------------------------------------------------------------\n         :\n         : 3      Disassembly of section .text:\n         :\n"
           "         : 5      0000000000402210 <mix_row>:\n    1.10 :   402210:       movss  (%rdi,%rcx,4),%xmm1\n    1.50 :   402215:       {slow} %xmm0,%xmm1\n   41.30 :   402219:       mulss  %xmm1,%xmm2\n    1.00 :   40221d:       {slow} %xmm0,%xmm3\n   30.20 :   402221:       mulss  %xmm3,%xmm4\n")


def test_samples_one_instruction_behind_divisions_agree_with_the_divider_s_count(alone):
    found = alone(TREE + LISTING.format(slow="divss"))
    one = finding(found, "divider")
    assert one["verdict"] == "supported" and "72 % of the samples of mix_row fall right behind 'divss %xmm0,%xmm1'" in one["headline"], one
    assert finding(found, "port-pressure")["recoverable_ratio_at_most"] == pytest.approx(0.19)
    assert not any("not read" in said["origin"] for said in found["statements"]), found["statements"]
    assert "right behind" not in finding(alone(TREE + LISTING.format(slow="addss")), "divider")["headline"]


def kvm(writes, others):
    total = writes + others
    return ("kvm_stat -1 on the host:\n\nEvent                                         Total %Total CurAvg/s\n"
            f"kvm_exit                                    {10 * total}   46.1   {total}\nkvm_exit(MSR_WRITE)                         {10 * writes}    3.1    {writes}\nkvm_exit({{reason}})                     {10 * others}    3.1    {others}\n")


@pytest.mark.parametrize("writes, others, reason, verdict", [
    (900, 400, "EXTERNAL_INTERRUPT", "ruled_out"),
    (9000, 4000, "EXTERNAL_INTERRUPT", "undecided"),
    (900, 800, "EPT_MISCONFIG", "undecided"),  # each may take long
])
def test_few_exits_a_second_are_bounded_without_their_times(alone, writes, others, reason, verdict):
    one = finding(alone(kvm(writes, others).replace("{reason}", reason)), "vm-exits")
    assert one["verdict"] == verdict, one


PAGES = "| guest pages | host pages | s |\n|---|---|---|\n| 4K | 4K | 50.0 |\n| 2M | 4K | 41.0 |\n| 4K | 2M | 42.0 |\n"


def test_a_matrix_of_page_sizes_tells_what_both_sides_return_together(alone):
    sentence = alone(PAGES + "| 2M | 2M | 33.0 |\n")["verdict"]["sentence"]
    assert "Together they returned 34 %" in sentence, sentence
    sentence = alone(PAGES)["verdict"]["sentence"]
    assert "Together" not in sentence and "don't add up" in sentence, sentence


def test_what_free_prints_is_nothing_that_is_missed(alone):
    found = alone("$ free -m\n               total        used        free      shared  buff/cache   available\nMem:           32110       30102         402         112        1606        1301\nSwap:           4095           0        4095\n")
    assert not any("not read" in said["origin"] for said in found["statements"]), found["statements"]


LEVELS_OF_TREE = "   81.0 %  tma_backend_bound\n    4.0 %  tma_bad_speculation\n    5.0 %  tma_frontend_bound\n   10.0 %  tma_retiring\n   70.0 %  tma_memory_bound\n   11.0 %  tma_core_bound\n   52.0 %  tma_dram_bound\n    9.0 %  tma_l1_bound\n    0.7 %  tma_store_bound\n"


@pytest.mark.parametrize("told, verdict", [
    ("So page walks aren't it (tma_dtlb_load was 1.4 %).", "ruled_out"),
    ("So page walks may be it.", "undecided"),
    ("With huge pages tma_dtlb_load was 1.4 % then.", "undecided"),  # of another state
    ("If tma_dtlb_load is 1.4 % page walks aren't it.", "undecided"),
])
def test_a_class_in_a_sentence_bounds_a_cause(alone, told, verdict):
    one = finding(alone(f"perf stat -M of the join:\n\n{LEVELS_OF_TREE}\n{told}\n"), "small-pages")
    assert one["verdict"] == verdict, one
