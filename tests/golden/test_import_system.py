# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose on what people published of whole systems: exits, clocks, pauses, system calls, pages, waits."""
import json
import pytest
from imported_case import diagnosed_with, finding

HEAD = "             VM-EXIT    Samples  Samples%     Time%    Min Time    Max Time         Avg time\n\n"


def exits(**reasons):
    """A table of perf kvm stat: reason=(count, mean in us)."""
    return "```\n" + HEAD + "".join(
        f"  {name}  {count}  10.00%  10.00%  0.10us  99999.00us  {mean:.2f}us ( +-  0.10% )\n"
        for name, (count, mean) in reasons.items()) + "```\n"


FEW = exits(hlt=(9000, 900), interrupt=(10233, 3.05), msr=(40110, 1.05))
MANY = exits(io=(1200340, 7.30), interrupt=(10233, 3.05), msr=(40110, 1.05))


def left_open(found):
    return " ".join(found["verdict"]["open"])


@pytest.mark.parametrize("words, seconds, cpus, verdict", [
    ("10 s of redis-benchmark, one busy vCPU:", 10, 1, "supported"),
    ("Exits within ten seconds on a guest of 4 vCPUs:", 10, 4, "supported"),
    ("`perf kvm stat record -p 7 sleep 10`, guest started with -smp 4:", 10, 4, "supported"),
    ("bpftrace, interval:s:20 { exit(); }, single vCPU:", 20, 1, "supported"),
    ("A 4-vCPU guest, exits of 1 minute:", 0, 4, "undecided"),  # "of" a minute says nothing of the counting
    ("A 4-vCPU guest, exits over 1 minute:", 60, 4, "undecided"),  # 8.8 s of 240, but perhaps all of one CPU's
    ("Exits in 10 s:", 10, 0, "undecided"),
    ("The job needs 44 minutes. Is it the exits? (perf kvm stat, 10 seconds in the middle of it, one vCPU)", 10, 1, "supported"),
    ("With e1000. 20 s each, one vCPU. perf kvm stat:", 20, 1, "supported"),
    ("Exits, one vCPU:", 0, 1, "undecided"),
    ("Exits on one vCPU; the run took 10 s:", 0, 1, "undecided"),
    ("Exits on one vCPU; the run finished in 10 s:", 0, 1, "undecided"),
    ("Exits in 5 s on one vCPU:", 5, 1, "undecided"),  # more than there is
    ("Exits in 600 s:", 600, 0, "ruled_out"),
    ("Exits in 200 s on one vCPU:", 200, 1, "undecided"),  # below the effect by less than what isn't counted
    ("Exits in 10 s on 2 vCPUs, before that on 4 vCPUs:", 10, 0, "undecided"),
])
def test_exits_with_times_are_a_share_where_the_text_says_of_what(alone, words, seconds, cpus, verdict):
    found = alone(f"{words}\n\n{MANY}")
    one, table = finding(found, "vm-exits"), found["imported"][0]
    assert (table["elapsed_s"], table["cpus"]) == (seconds, cpus)
    assert one["verdict"] == verdict, one
    said = one["headline"] if verdict == "supported" else one["reason"]
    assert "8.84 s" in said, said
    if verdict == "supported":
        assert one["recoverable_ratio_at_most"] == pytest.approx(8.84 / seconds / cpus, rel=0.01)
        assert "1200340 for io" in said and "7.3 us each" in said and "emulated device" in one["advice"][0]
    elif verdict == "undecided":
        assert said in left_open(found)


def test_of_two_guests_the_reason_by_which_they_differ_is_said(alone):
    found = alone(f"perf kvm stat, 10 s of redis-benchmark each\n\nGuest A (quick):\n{FEW}\nGuest B (slow):\n{MANY}")
    one = finding(found, "vm-exits")
    assert "Guest B left 1200340 times for io (8.76 s), Guest A never" in one["reason"]
    assert one["verdict"] == "undecided" and "of however many CPUs" in one["reason"] and one["reason"] in left_open(found)
    assert any("Guest A never" in item["text"] for item in one["evidence"])


@pytest.mark.parametrize("size, cpus, verdict", [
    ("Both have one busy vCPU.", 1, "supported"),
    ("Guest B has 4 vCPUs.", 0, "undecided"),  # said of one, and of which table isn't sure
])
def test_what_is_told_of_one_guest_isn_t_told_of_the_other(alone, size, cpus, verdict):
    found = alone(f"perf kvm stat, 10 s of redis-benchmark each. {size}\n\nGuest A (quick):\n{FEW}\nGuest B (slow):\n{MANY}")
    assert finding(found, "vm-exits")["verdict"] == verdict and found["imported"][1]["cpus"] == cpus


@pytest.mark.parametrize("words", [
    "The batch finished in 10 s on bare metal and in 14 s in the guest with one vCPU. perf kvm stat report:",
    "Exits of one vCPU, 10 s longer than bare metal:", "The exits of one vCPU took 3 s in all, the run took 14 s:", "Job on one vCPU: 10 s on bare metal, 14 s in here. Exits:",
])
def test_how_long_a_program_took_is_no_period_of_counting(alone, words):
    found = alone(f"{words}\n\n{MANY}")
    assert found["imported"][0]["elapsed_s"] == 0 and finding(found, "vm-exits")["verdict"] == "undecided"


@pytest.mark.parametrize("total, verdict", [("35000.00", "ruled_out"), ("735000.00", "undecided")])
def test_rows_that_were_left_out_bound_nothing(alone, total, verdict):
    found = alone(f"Exits in 10 s on one vCPU:\n\n{HEAD}  msr  20000  10.00%  10.00%  0.10us  99.00us  1.75us ( +-  0.10% )\n\n"
                  f"Total Samples:21000, Total events handled time:{total}us.\n")
    one = finding(found, "vm-exits")
    assert one["verdict"] == verdict, one


def test_kvm_stat_is_a_table_of_exits(alone):
    found = alone("kvm_stat -1 on the host:\n\n Event                                         Total %Total CurAvg/s\n kvm_exit                                    3012201   46.1   301220\n"
                  " kvm_entry                                   3012199   46.1   301219\n kvm_exit(EPT_MISCONFIG)                     2011000    3.1    20110\n")
    table = found["imported"][0]
    assert [(row["name"], row["number"]) for row in table["rows"]] == [("EPT_MISCONFIG", 2011000), ("others", 1001201)]
    assert finding(found, "vm-exits")["verdict"] == "undecided"


def test_kvm_stat_of_one_second_has_no_heading(alone):
    found = alone("kvm_stat -1 -p 812 on the host:\n\nkvm_entry                       51210          40100\nkvm_exit                        51210          40100\n"
                  "kvm_exit(MSR_WRITE)             31000          25000\nkvm_exit(HLT)                    9000           8100\n\nThat is all.\n")
    table = found["imported"][0]
    assert [(row["name"], row["number"]) for row in table["rows"]] == [("MSR_WRITE", 25000), ("HLT", 8100), ("others", 7000)] and table["elapsed_s"] == 1
    assert not any("not read" in said["origin"] for said in found["statements"])
    assert not alone("kvm_exit is what counts 12 3\n")["imported"]


@pytest.mark.parametrize("said, clock", [
    ("dmesg: clocksource: Switched to clocksource hpet", True), ("current_clocksource: acpi_pm", True), ("clocksource is hpet", True),
    ("available_clocksource: hpet acpi_pm tsc", False), ("current_clocksource: tsc", False), ("hpet was switched off", False),
])
def test_an_emulated_clock_is_named_by_the_kernel(alone, said, clock):
    found = alone(f"{said}\n\nExits in 10 s on one vCPU:\n{exits(IO_INSTRUCTION=(1200000, 4))}\n")
    assert ("kvm-clock" in finding(found, "vm-exits")["advice"][0]) == clock


def test_a_table_of_markdown_keeps_its_times(alone):
    found = alone("perf kvm stat record for 10 s, one vCPU:\n\n| VM-EXIT | Samples | Samples% | Time% | Min Time | Max Time | Avg time |\n|---|---|---|---|---|---|---|\n"
                  "| EPT_VIOLATION | 90210 | 80.1% | 90.0% | 1.00us | 900.00us | 31.00us |\n| MSR_WRITE | 22011 | 19.9% | 10.0% | 0.50us | 20.00us | 1.90us |\n")
    one = finding(found, "vm-exits")
    assert one["verdict"] == "supported" and "2.84 s of 10 s on one virtual CPU" in one["headline"], one["headline"]


def test_halts_are_idle_and_wake_ups_aren_t_free(alone):
    found = alone(f"Exits in 10 s on one vCPU:\n{exits(hlt=(9000, 900), msr=(40110, 1.05))}")
    assert finding(found, "vm-exits")["verdict"] == "ruled_out"
    found = alone(f"Exits in 10 s on one vCPU:\n{exits(hlt=(900000, 9), msr=(40110, 1.05))}")
    assert finding(found, "vm-exits")["verdict"] == "undecided"


def test_tables_without_times_name_what_one_has_many_more_of(alone):
    plain = "plain VM\n  @exits[cpuid]: 2411\n  @exits[hlt]: 18230\n  @exits[msr]: 9120\n"
    found = alone(f"I ran the exit counter for 30 s in each:\n\n{plain}\n{plain.replace('plain', 'SNP').replace('2411', '121877')}")
    one = finding(found, "vm-exits")
    assert one["verdict"] == "undecided" and "SNP VM left 121877 times for cpuid, plain VM 2411 times" in one["reason"]
    assert "perf kvm stat" in one["reason"] and one["reason"] in left_open(found)
    found = alone(f"Two of a kind:\n\n{plain}\n{plain.replace('plain', 'other').replace('2411', '3100')}")
    assert "left" not in finding(found, "vm-exits")["reason"], "about as many"


@pytest.mark.parametrize("reason, word", [
    ("EPT_MISCONFIG", "emulated device"), ("IO_INSTRUCTION", "emulated device"), ("EPT_VIOLATION", "not mapped yet"), ("npf", "tells them apart"),
    ("MSR_WRITE", "TSC deadline"), ("PREEMPTION_TIMER", "TSC deadline"), ("EXTERNAL_INTERRUPT", "interrupts of the host"), ("CPUID", "CPUID"),
    ("PAUSE_INSTRUCTION", "spin for one another"), ("VMCALL", "kvm:kvm_exit"), ("EXIT_REASON_EPT_VIOLATION", "not mapped yet"),
])
def test_advice_goes_by_the_reason_that_took_longest(alone, reason, word):
    found = alone(f"Exits in 10 s on one vCPU:\n{exits(**{reason: (200000, 20), 'interrupt': (400000, 1)})}")
    one = finding(found, "vm-exits")
    assert one["verdict"] == "supported" and word in one["advice"][0], one["advice"]


def test_an_emulated_clock_is_named_where_a_profile_shows_who_reads_it(alone):
    text = f"Exits in 10 s on one vCPU:\n{exits(EPT_MISCONFIG=(1200000, 4))}\n"
    found = alone(text + "    54.12%  tradesrv  [kernel.kallsyms]  [k] read_hpet\n     7.20%  tradesrv  tradesrv  [.] match_order\n")
    assert "kvm-clock" in finding(found, "vm-exits")["advice"][0]
    found = alone(text)
    assert "kvm-clock" not in finding(found, "vm-exits")["advice"][0]


# ---- clocks ----

CLOCKS = "Busy%\tBzy_MHz\tTSC_MHz\tCoreTmp\tCoreThr\tPkgTmp\tPkgWatt\n"
COLD = CLOCKS + "99.61\t3608\t2304\t71\t0\t72\t44.10\n99.70\t3590\t2304\t83\t0\t84\t44.02\n"
HOT = CLOCKS + "99.66\t2110\t2304\t99\t812\t100\t18.30\n99.71\t2098\t2304\t99\t840\t100\t18.11\n"


def test_a_clock_that_heat_lowered_is_held_against_the_one_it_had_cold(alone):
    found = alone(f"turbostat -i 10, first lines, cold:\n{COLD}\nafter two minutes:\n{HOT}\n")
    heat = finding(found, "thermal-power")
    assert found["verdict"]["culprit"] == "thermal-power" and heat["recoverable_ratio_at_most"] == pytest.approx(1 - 2104 / 3608, abs=1e-3)
    assert "fan" in heat["advice"][0] and finding(found, "frequency")["verdict"] == "not_testable"


@pytest.mark.parametrize("text", [HOT, "Busy%\tBzy_MHz\tTSC_MHz\tCoreTmp\tCoreThr\n99.6\t2110\t2304\t99\t812\n99.7\t2098\t2304\t99\t840\n",
                                  "CPU\tBusy%\tBzy_MHz\tTSC_MHz\tCoreTmp\tCoreThr\n-\t99.6\t2110\t2304\t99\t812\n-\t99.7\t2098\t2304\t99\t840\n"])
def test_without_a_higher_clock_beside_the_tsc_s_is_the_least_that_is_lost(alone, text):
    found = alone(text)
    heat = finding(found, "thermal-power")
    assert found["verdict"]["culprit"] == "thermal-power" and heat["recoverable_ratio_at_most"] is None and "at least" in heat["headline"]


@pytest.mark.parametrize("change, said", [
    # an old count, and no heat now: a lower clock than it had, whyever
    (lambda text: text.replace("840", "812").replace("\t99\t812\t100", "\t60\t812\t61"), ("supported", "undecided")),
    (lambda text: text.replace("99.66\t2110", "99.66\t3600").replace("99.71\t2098", "99.71\t3602").replace("812", "0").replace("840", "0"), ("not_testable", "not_testable")),
])
def test_a_lower_clock_is_heat_s_only_where_its_count_says_so(alone, change, said):
    found = alone(f"turbostat -i 10, first lines:\n{COLD.replace(chr(9) + '0' + chr(9), chr(9) + '812' + chr(9))}\nafter two minutes:\n{change(HOT)}\n")
    assert (finding(found, "frequency")["verdict"], finding(found, "thermal-power")["verdict"]) == said


def test_another_machine_s_clock_is_no_clock_that_this_one_could_run_at(alone):
    found = alone("Old box:\nBusy%\tBzy_MHz\tTSC_MHz\n99.8\t3900\t3600\n\nNew box:\nBusy%\tBzy_MHz\tTSC_MHz\n99.8\t3100\t2304\n")
    assert finding(found, "frequency")["verdict"] == "not_testable"


def test_few_cores_that_run_faster_than_many_show_no_loss(alone):
    found = alone("One thread:\nBusy%\tBzy_MHz\tTSC_MHz\n6.2\t3900\t2304\n\nAll of them:\nBusy%\tBzy_MHz\tTSC_MHz\n99.8\t3100\t2304\n")
    assert finding(found, "frequency")["verdict"] == "not_testable"


# ---- collectors ----

def pauses(numbers, more=""):
    return "60 seconds under load:\n\n```\n" + "".join(
        f"[{6 * at + 12}.101s][info][gc] GC({number}) Pause Young (Normal) (G1 Evacuation Pause) 1822M->402M(4096M) 31.204ms\n"
        for at, number in enumerate(numbers)) + more + "```\n"


@pytest.mark.parametrize("text, verdict, word", [
    (pauses(range(41, 49)), "ruled_out", "can't return more"),
    (pauses([41, 42, 44, 45, 46]), "undecided", "isn't in the log"),
    (pauses([41, 42]), "undecided", "isn't in the log"),
    (pauses(range(41, 49), "[70.1s][info][gc] GC(49) Concurrent Mark Cycle 812.330ms\n"), "undecided", "no pause bounds"),
    (pauses(range(41, 49)).replace("31.204ms", "812.204ms"), "supported", ""),
])
def test_pauses_rule_collecting_out_only_where_they_are_all_of_it(alone, text, verdict, word):
    found = alone(text)
    one = finding(found, "garbage-collection")
    assert one["verdict"] == verdict and word in (one["reason"] or ""), one


STALLS = ("[41.220s][info][gc] GC(118) Garbage Collection (Allocation Rate) 5210M(85%)->4904M(80%)\n[43.871s][info][gc] Allocation Stall (exec-12) 1200.000ms\n"
          "[43.872s][info][gc] Allocation Stall (exec-3) 1200.000ms\n[46.302s][info][gc] Allocation Stall (exec-9) 1400.000ms\n"
          "[46.331s][info][gc,phases] GC(120) Pause Mark Start 0.011ms\n")


def test_threads_that_stall_for_memory_are_the_collector_s_however_short_its_pauses(alone):
    one = finding(alone(STALLS), "garbage-collection")
    assert one["verdict"] == "supported" and "allocation stalls is 72 %" in one["headline"] and "-Xmx doubled" in one["advice"][0], one
    assert finding(alone(STALLS.replace("Allocation Stall", "Alloc Stall")), "garbage-collection")["verdict"] != "supported"


# ---- system calls ----

STRACE = ("% time     seconds  usecs/call     calls    errors syscall\n------ ----------- ----------- --------- --------- ----------------\n"
          " 71.20    0.138821           3     41118           read\n 28.80    0.056153           4      6220           write\n"
          "------ ----------- ----------- --------- --------- ----------------\n100.00    0.194974           3     53251        12 total\n")


@pytest.mark.parametrize("times, verdict", [
    ("(without strace: real 41.9s, user 41.2s, sys 0.4s)", "ruled_out"),
    ("41.20user 0.40system 0:41.90elapsed 98%CPU (0avgtext+0avgdata 2000maxresident)k", "ruled_out"),
    ("./convert  41.20s user 0.40s system 98% cpu 41.900 total", "ruled_out"),
    ("real 41.9s, user 30.2s, sys 11.4s", "undecided"),
    ("It takes 42 s, user 41.2s.", "undecided"),
])
def test_times_in_a_line_bound_system_calls(alone, times, verdict):
    one = finding(alone(f"strace -c -f:\n\n```\n{STRACE}```\n\n{times}\n"), "system-calls")
    assert one["verdict"] == verdict, one


def test_times_in_a_line_tell_of_waiting(alone):
    one = finding(alone("The tests: real 2m10.5s, user 0m8.1s, sys 0m1.2s. Whatever it does, it isn't computing.\n"), "waiting")
    assert one["verdict"] == "supported" and one["recoverable_ratio_at_most"] == pytest.approx(1 - 9.3 / 130.5)


def test_calls_without_a_time_beside_them_say_how_long_they_took(alone):
    found = alone(f"strace -c -f:\n\n```\n{STRACE}```\n")
    reason = finding(found, "system-calls")["reason"]
    assert "took 195 ms in all threads together, most of it in 41118 calls of read" in reason and reason in left_open(found), reason


def test_calls_that_wait_for_storage_are_waiting(alone):
    found = alone(f"strace -c -w -f:\n\n```\n{STRACE.replace('write', 'fsync').replace('0.056153', '29.70112')}```\n")
    assert "29.8 s" not in finding(found, "waiting")["reason"] and "29.7 s in system calls, all added up, most of it in 6220 calls of fsync" in finding(found, "waiting")["reason"]


TIMES = "real    1m12.310s\nuser    0m14.020s\nsys     0m57.880s\n"


def test_what_the_kernel_has_most_of_the_time_leads(alone):
    calls = STRACE.replace("   41118", "40118220")
    found = alone(f"$ time ./csv2bin\n\n{TIMES}\n```\n{calls}```\n")
    assert found["verdict"]["culprit"] is None and found["verdict"]["sentence"].startswith("Time in system calls may hold it up: up to 81 % of the CPU time, 40118220 calls of read first")
    assert any("larger buffer" in one for one in found["verdict"]["advice"])
    found = alone(f"$ time ./csv2bin\n\n{TIMES}")
    assert "Page faults" in found["verdict"]["sentence"] and "system calls" in found["verdict"]["sentence"] and any("strace -c" in one for one in found["verdict"]["advice"]), "of what isn't told"
    found = alone(f"$ time ./csv2bin\n\n{TIMES.replace('0m57.880s', '0m09.880s')}\n```\n{calls}```\n")
    assert "may hold it up" not in found["verdict"]["sentence"], "it isn't most of it"
    found = alone("real 0m30.11s\nuser 0m0.42s\nsys  0m21.88s\n")
    assert found["verdict"]["culprit"] == "waiting" and "the kernel has 98 %" in left_open(found), "what is certain is little of what may be"
    assert "the kernel has" not in left_open(alone("real 0m30.11s\nuser 0m0.12s\nsys  0m0.88s\n"))


@pytest.mark.parametrize("call, advice", [("fsync", "group commit"), ("futex", "who holds"), ("epoll_wait", "overlap the waiting")])
def test_the_call_that_a_program_waits_in_is_named(alone, call, advice):
    table = STRACE.replace("read", call, 1).replace("71.20    0.138821", "97.12   29.014220").replace("28.80", " 2.88").replace(" 41118", "  5401")
    found = alone(f"strace -c -w -f:\n\n```\n{table}```\n\nreal 0m30.02s\nuser 0m0.31s\nsys  0m0.52s\n")
    assert found["verdict"]["culprit"] == "waiting" and f"5401 calls of {call}" in found["verdict"]["sentence"]
    assert advice in " ".join(found["verdict"]["advice"])


# ---- collectors ----

PAUSES = "".join(f"[{at}s][info][gc] GC({number}) Pause Full (Ergonomics) 1388M->1301M(1962M) {ms}ms\n" for number, (at, ms) in
                 enumerate([("3.110", "512.120"), ("6.020", "2410.331"), ("9.410", "2502.110"), ("12.900", "2611.402"), ("16.420", "2688.220"), ("20.010", "2702.118")]))


@pytest.mark.parametrize("beside, share", [
    ("real\t0m21.420s\nuser\t0m58.110s\nsys\t0m1.020s\n", 0.627), ("The whole run took 21.42 s.\n", 0.627), ("", 0.671),
    ("real\t0m11.420s\nuser\t0m58.110s\nsys\t0m1.020s\n", 0.671),  # shorter than the log: another run's
    ("The whole run took 21.42 s.\n\nThe whole run took 31.42 s.\n", 0.671), ("The whole run needs 8 cores. It took 2 s.\n", 0.671),
])
def test_pauses_are_a_part_of_the_whole_run(alone, beside, share):
    one = finding(alone(f"{PAUSES}\n{beside}"), "garbage-collection")
    assert one["verdict"] == "supported" and one["recoverable_ratio_at_most"] == pytest.approx(share, abs=0.001)


def test_a_log_that_ends_long_before_the_run_is_an_excerpt(alone):
    one = finding(alone(f"{PAUSES}\nThe whole run took 4.2 min.\n"), "garbage-collection")
    assert "logged pauses" in json.dumps(one)
    assert one["recoverable_ratio_at_most"] == pytest.approx(13.426 / 252, abs=0.001)


# ---- off the CPU ----

@pytest.mark.parametrize("words, share", [
    ("Off-CPU time in us, 20 s of 8 threads. Throughput 31 k lookups/s, with one thread 36 k lookups/s.", 0.864),
    ("Off-CPU time in us, 20 s of 8 threads.", 0.864), ("Off-CPU time in us, 20 s of 8 threads (the pool had 32 threads last year).", 0.864), ("Off-CPU time in us, 20 s. It has 8 threads, with one thread 36 k lookups/s.", None), ("Off-CPU time, 20 s of 8 threads.", None),
])
def test_the_threads_of_a_period_are_those_told_beside_it(alone, words, share):
    stack = "worker;start_thread;run;Cache::{0};pthread_mutex_lock;__lll_lock_wait;futex_wait;do_futex;schedule {1}\n"
    one = finding(alone(f"{words}\n\n```\n{stack.format('get', 121034000)}{stack.format('put', 17220000)}```\n"), "lock-turns")
    assert one["verdict"] == ("supported" if share else "undecided")
    assert not share or one["recoverable_ratio_at_most"] == pytest.approx(share, abs=0.001)


# ---- more to run than CPUs ----

RUNS = (" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
        "63  0      0 812332  10220 220112    0    0     0    12 48110 412332 61 38  1  0  0\n65  0      0 812001  10220 220112    0    0     0     0 48552 421001 60 39  1  0  0\n")


@pytest.mark.parametrize("words, verdict", [
    ("64 workers on the 8-core box, vmstat 1:", "undecided"), ("64 workers, vmstat 1:", "not_testable"),
    ("64 workers on 64 CPUs, vmstat 1:", "not_testable"),  # as many as CPUs at a few moments rules nothing out
    ("64 workers on 8 cores, not 16 cores as before, vmstat 1:", "not_testable"),
])
def test_a_long_queue_for_the_cpus_leads_and_a_short_one_says_nothing(alone, words, verdict):
    found = alone(f"{words}\n\n{RUNS}")
    assert finding(found, "oversubscribed")["verdict"] == verdict
    assert ("More to run than CPUs may hold it up" in found["verdict"]["sentence"]) == (verdict == "undecided")


def test_waits_for_storage_of_one_thread(alone):
    found = alone("`offcputime-bpfcc -df -p 991 20`, 1 thread:\n\n```\nloader;main;read;do_syscall_64;ksys_read;vfs_read;filemap_read;folio_wait_bit_common;io_schedule;schedule;finish_task_switch 17201220\n```\n")
    one = finding(found, "waiting")
    assert one["verdict"] == "supported" and one["recoverable_ratio_at_most"] == pytest.approx(0.86, abs=0.001)


# ---- memory ----

def test_pages_on_their_own_node_speak_against_it_and_rule_nothing_out(alone):
    numastat = ("                           node0           node1\nnuma_hit               804211833       790118220\nnuma_miss                      0               0\n"
                "numa_foreign                   0               0\ninterleave_hit             30118           30220\n"
                "local_node             803902114       789901177\nother_node                309719          217043\n")
    found = alone(f"The evidence:\n\n```\n{numastat}```\n")
    one = finding(found, "numa-remote")
    assert one["verdict"] == "undecided" and "no full node" in one["reason"] and one["reason"] in left_open(found)
    assert not any("not read" in item["origin"] for item in found["statements"])
    found = alone(f"The evidence:\n\n```\n{numastat.replace('other_node                309719', 'other_node             709719000')}```\n")
    assert "goes with it" in finding(found, "numa-remote")["reason"]


NUMACTL = ("available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2 3\nnode 0 size: 64000 MB\nnode 0 free: 2000 MB\nnode 1 cpus: 4 5 6 7\nnode 1 size: 64000 MB\n"
           "node 1 free: 62000 MB\nnode distances:\nnode   0   1\n  0:  10  32\n  1:  32  10\n")
OF_PROCESSES = ("Per-node process memory usage (in MBs)\nPID                               Node 0          Node 1           Total\n"
                "-----------------------  --------------- --------------- ---------------\n4120 (index server)            31000.12            9.50        31009.62\n"
                "4133 (index)                    1200.00            0.50         1200.50\n-----------------------  --------------- --------------- ---------------\n"
                "Total                          32200.12           10.00        32210.12\n")


def test_what_numactl_and_numastat_say_is_read_whole(alone):
    found = alone(f"The machine\n\n```\n{NUMACTL}```\n\nand what runs on it\n\n```\n{OF_PROCESSES}```\n")
    assert not any("not read" in one["origin"] for one in found["statements"])
    assert any("memory on its fullest node / all (node " in one["text"] for one in found["statements"])
    assert any("memory in use on the fullest node / all in use 96.88 %" in one["text"] for one in found["statements"])


def test_rows_like_distances_of_something_else_stay_named(alone):
    found = alone(f"The machine\n\n```\n{NUMACTL.replace('node distances:', 'seen by the test:')}```\n")
    assert any("not read" in one["origin"] for one in found["statements"])


VMSTAT = (" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
          " 9 31 8120332  98220   1204  90118 40118 38220 41002 38900 22011 41880 14 19 11 56 0\n 7 33 8204118  91004   1188  88220 42330 40118 43110 40502 23118 42204 13 20 10 57 0\n")


def test_swapping_wants_memory_or_less_at_a_time(alone):
    one = finding(alone(f"vmstat 5:\n\n{VMSTAT}"), "swap")
    assert one["verdict"] == "supported" and "make -j" in one["advice"][0] and not any("vmtouch" in words for words in one["advice"])


def test_a_little_swapping_is_not_what_storage_was_waited_for(alone):
    found = alone(f"vmstat 5:\n\n{VMSTAT.replace(' 40118 38220 ', ' 4 0 ').replace(' 42330 40118 ', ' 6 2 ')}")
    assert finding(found, "swap")["verdict"] == "not_testable" and finding(found, "waiting")["verdict"] == "supported"


WALKS = " 38,220,118,004      cycles\n 11,902,330,118      dtlb_load_misses.walk_active\n\n 7.90 seconds time elapsed\n"


@pytest.mark.parametrize("area, size, eligible, word", [
    ("7f31c0e01000-7f31c1101000", 3072, 1, "multiple of 2 MiB"),
    ("7f31c0e00000-7f31c8e00000", 131072, 1, "MADV_COLLAPSE"),
    ("7f31c0e01000-7f31c1101000", 3072, 0, "MADV_HUGEPAGE"),
    ("7f31c0e00000-7f31c8e00000", 131072, 2, "1 GiB pages"),  # it has them
])
def test_advice_on_huge_pages_knows_what_smaps_says(alone, area, size, eligible, word):
    found = alone(f"smaps of it says\n\n    {area} rw-p 00000000 00:00 0\n    Size:  {size} kB\n    Rss:  {size} kB\n    AnonHugePages:  {size if eligible == 2 else 0} kB\n    THPeligible:  {min(eligible, 1)}\n\n"
                  f"Counters of it:\n\n{WALKS}")
    one = finding(found, "small-pages")
    assert one["verdict"] == "supported" and word in one["advice"][0], one["advice"]


# ---- waits ----

STACKS = ("java;start_thread;JavaThread::run;com.acme.PriceCache.get;SafeSpin::lock;__pthread_mutex_lock;__lll_lock_wait;do_syscall_64;do_futex;futex_wait;schedule;finish_task_switch 1604499450\n"
          "java;start_thread;JavaThread::run;com.acme.Net.poll;epoll_wait;do_syscall_64;do_epoll_wait;ep_poll;schedule;finish_task_switch 288100311\n")


@pytest.mark.parametrize("told, verdict", [
    ("`offcputime-bpfcc -df -p 3117 30`, summed over 64 threads:", "supported"),
    ("`offcputime-bpfcc -df -p 3117 30`:", "undecided"),
    ("`offcputime-bpfcc -df -p 3117`, 64 threads:", "undecided"),
    ("`offcputime-bpfcc -df -p 3117 3`, 64 threads:", "undecided"),  # longer than there was
    ("Folded stacks of 64 threads, off-CPU for 30 s:", "undecided"),  # of what?
])
def test_locks_are_a_share_of_the_threads_time_where_that_is_told(alone, told, verdict):
    found = alone(f"{told}\n\n```\n{STACKS}```\n")
    one = finding(found, "lock-turns")
    assert one["verdict"] == verdict, one
    assert "com.acme.PriceCache.get" in found["verdict"]["sentence"], found["verdict"]["sentence"]


def test_without_the_kernel_s_way_in_the_scheduler_is_nobody_who_locks(alone):
    found = alone("`offcputime -f -p 77 15` of 8 threads:\n\n```\napp;main;worker;std::mutex::lock;pthread_mutex_lock;futex_wait;schedule;finish_task_switch 9000000\n"
                  "app;main;worker;pthread_cond_wait;futex_wait;schedule;finish_task_switch 90000000\n```\n")
    one = finding(found, "lock-turns")
    assert one["verdict"] == "supported" and "(worker first, 9 s) is 7.5 %" in one["headline"], one["headline"]


def test_what_is_stolen_from_one_cpu_isn_t_hidden_in_the_mean(alone):
    heading = "Average:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
    rows = ("Average:     all   25.10    0.00    1.10    0.00    0.00    0.10   {}    0.00    0.00   61.20\n"
            "Average:       0   48.10    0.00    1.40    0.00    0.00    0.10   {}    0.00    0.00    0.10\n"
            "Average:       1    1.40    0.00    0.30    0.00    0.00    0.20   {}    0.00    0.00   98.10\n")
    one = finding(alone(heading + rows.format("12.50", "50.20", "0.00")), "steal")
    assert one["verdict"] == "supported" and "(CPU 0) is 50 %" in one["headline"] and one["recoverable_ratio_at_most"] is None
    one = finding(alone(heading + rows.format("30.10", "31.20", "29.00")), "steal")
    assert one["recoverable_ratio_at_most"] == pytest.approx(0.301)
    assert finding(alone(heading + rows.format("0.00", "0.00", "0.00")), "steal")["verdict"] == "ruled_out"


# ---- exits by number ----

def test_what_a_confidential_guest_asks_the_host_for_is_no_other_reason(alone):
    plain = "@reason[96]: 411\n@reason[123]: 1902\n@reason[120]: 4410\n@reason[1024]: 61022\n@reason[124]: 130211\n"
    asked = "@reason[120]: 4502\n@reason[1024]: 58810\n@reason[1027]: {0}\n"
    reason = finding(alone(f"A normal VM, 10 s:\n\n```\n{plain}```\n\nThen SNP:\n\n```\n{asked.format(139300)}```\n"), "vm-exits")["reason"]
    assert "1027" not in reason, "SNP asks by it for what the other leaves for by itself"
    reason = finding(alone(f"A normal VM, 10 s:\n\n```\n{plain}```\n\nThen SNP:\n\n```\n{asked.format(1393000)}```\n"), "vm-exits")["reason"]
    assert "1393000 times for reason 1027 (vmgexit on AMD)" in reason


def test_what_is_waited_for_leads_before_the_waiting(imported):
    found, _ = imported(notes="The build, by time:\n\nreal 6h32m\n\nvmstat 10 while it ran:\n\n"
                              "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
                              " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
                              " 1 14 8388604 91200   1024  20480 18400 18100 18900 18300 9000 9000  8  4  8 80  0\n"
                              " 0 15 8388604 90100   1024  20480 18200 18000 18700 18200 9000 9000  7  4  9 80  0\n\n"
                              "and one run of it: real 392m10s, user 30m2s, sys 12m1s\n")
    swap, waiting = finding(found, "swap"), finding(found, "waiting")
    assert waiting["verdict"] == swap["verdict"] == "supported"
    assert found["verdict"]["culprit"] == "swap" and "Of like weight" not in found["verdict"]["sentence"]


# ---- functions of the kernel in a profile ----

CALLS = ("    19.02%  loader   [kernel.kallsyms]  [k] entry_SYSCALL_64_after_hwframe\n    14.51%  loader   [kernel.kallsyms]  [k] syscall_return_via_sysret\n"
         "    11.21%  loader   [kernel.kallsyms]  [k] vfs_read\n     9.82%  loader   [kernel.kallsyms]  [k] filemap_read\n     7.01%  loader   [kernel.kallsyms]  [k] ksys_read\n"
         "    24.10%  loader   loader             [.] next_token\n")


def test_functions_of_the_way_into_the_kernel_are_system_calls(alone):
    one = finding(alone(f"What perf report shows:\n\n{CALLS}"), "system-calls")
    assert one["verdict"] == "supported" and "entry_SYSCALL_64_after_hwframe first (at least" in one["headline"] and "62 %" in one["headline"], "their own shares add up"
    assert one["recoverable_ratio_at_most"] is None and "more data with each read" in one["advice"][0]
    nested = "".join(f"    {share}%  loader  [kernel.kallsyms]  [k] {name}\n" for share, name in [("81.20", "do_syscall_64"), ("79.90", "ksys_read"), ("78.40", "vfs_read")])
    one = finding(alone(f"What perf report --children shows:\n\n{nested}"), "system-calls")
    assert one["recoverable_ratio_at_most"] == pytest.approx(0.812), "with what they call each has the next one's"
    assert finding(alone(f"What perf report shows:\n\n{CALLS.splitlines()[-1]}\n"), "system-calls")["verdict"] == "not_testable"


def test_locks_that_system_calls_lead_to_are_the_locks(alone):
    rows = [("94.20", "entry_SYSCALL_64_after_hwframe"), ("93.10", "do_syscall_64"), ("71.20", "osq_lock"), ("9.10", "rwsem_spin_on_owner"), ("3.10", "next_token")]
    found = alone("What perf report --children shows:\n\n" + "".join(f"    {share}%  loader  [kernel.kallsyms]  [k] {name}\n" for share, name in rows))
    assert found["verdict"]["culprit"] == "kernel-locks" and finding(found, "kernel-locks")["recoverable_ratio_at_most"] is None
    assert "at most" not in finding(found, "kernel-locks")["headline"] and finding(found, "system-calls")["recoverable_ratio_at_most"] == pytest.approx(0.139)


ONE_CPU = ("CPU  %usr  %nice  %sys %iowait  %irq  %soft  %steal  %guest  %gnice  %idle\nall  9.10  0.00  7.20  0.00  0.00  6.10  0.00  0.00  0.00  77.60\n"
           "0  0.80  0.00  1.30  0.00  0.00  {}  0.00  0.00  0.00  {}\n1  9.00  0.00  7.00  0.00  0.00  0.30  0.00  0.00  0.00  83.70\n")
SOFT = "    23.10%  [k] mlx5e_poll_rx_cq\n    11.20%  [k] tcp_v4_rcv\n     7.02%  [k] __do_softirq\n"


def test_the_strongest_evidence_of_a_cause_leads_and_the_others_go_with_it(alone):
    one = finding(alone(f"mpstat has this:\n\n{ONE_CPU.format('97.90', '0.00')}\nWhat perf report shows of that CPU:\n\n{SOFT}"), "interrupts")
    assert one["verdict"] == "supported" and "(CPU 0) is 98 %" in one["headline"] and one["recoverable_ratio_at_most"] is None
    assert any("(at least: others may be for it, too), is 41" in evidence["text"] for evidence in one["evidence"]) and one["confidence"] == "medium"
    one = finding(alone(f"mpstat has this:\n\n{ONE_CPU.format('2.90', '95.00')}\nWhat perf report shows of that CPU:\n\n{SOFT}"), "interrupts")
    assert "mlx5e_poll_rx_cq first (at least" in one["headline"] and one["recoverable_ratio_at_most"] is None


RECEIVES = "# Overhead  Symbol\n    21.30%  [k] {0}clean_rx_irq\n    14.11%  [k] __netif_receive_skb_core\n    12.90%  [k] tcp_v4_rcv\n     9.77%  [k] napi_gro_receive\n" \
           "     7.81%  [k] ip_rcv\n     6.02%  [k] {1}\n     2.02%  [k] kmem_cache_free\n"


def test_receiving_packets_is_work_of_interrupts(alone):
    one = finding(alone(RECEIVES.format("ixgbe_", "__do_softirq")), "interrupts")
    assert one["verdict"] == "supported" and "ixgbe_clean_rx_irq first (at least: others may be for it, too), is 72 %" in one["headline"]
    assert finding(alone(RECEIVES.format("other_", "skb_release_data")), "interrupts")["verdict"] == "supported"
    one = finding(alone(RECEIVES.format("ixgbe_", "__do_softirq").replace("    21.30%  [k] ixgbe_clean_rx_irq", "    21.30%  [k] loopback_xmit")), "interrupts")
    assert "__do_softirq first (at least: others may be for it, too), is 6.0 %" in one["headline"]
    one = finding(alone(RECEIVES.format("ixgbe_", "ixgbe_xmit_frame_ring").replace("rx_irq", "up_all").replace("rcv", "sendmsg").replace("gro_receive", "disable").replace("receive", "transmit")), "interrupts")
    assert one["verdict"] != "supported"


# ---- what tells a cause where it is there, and none where it isn't ----

BUSY = "Core CPU Avg_MHz Busy% Bzy_MHz TSC_MHz IRQ\n- - {0} 99.81 {0} 2600 410201\n"
NODES = f"The old node:\n\n{BUSY}\nThe new node:\n\n{BUSY.replace('{0}', '{1}')}\nThe times:\n\nold: 412.3 s\nnew: 461.9 s\n"


@pytest.mark.parametrize("clocks", [(1900, 1902), (2901, 2901), (2902, 2890)], ids=["below the TSC's", "above it", "nearly the same"])
def test_the_same_clock_in_both_runs_is_no_cause_of_their_difference(imported, clocks):
    found, _ = imported(nodes=NODES.format(*clocks))
    for identity in ("frequency", "thermal-power"):
        one = finding(found, identity)
        assert one["verdict"] == "ruled_out" and "({} and {} MHz, by turbostat)".format(*clocks) in one["reason"] and "(10.7 %)" in one["reason"]


@pytest.mark.parametrize("seconds, is_said", [("461.9", True), ("414.1", False)])
def test_what_two_timed_runs_differ_by_is_open_where_nothing_explains_it(imported, seconds, is_said):
    found, _ = imported(nodes=NODES.format(2901, 2901).replace("461.9", seconds))
    assert ("what the imported runs differ by, 10.7 % of the time: no table, and no trial that was understood, supports a cause" in left_open(found)) == is_said


def test_no_throttles_in_either_run_are_no_heat(alone):
    heat = NODES.format(2901, 2901).replace("IRQ", "CoreThr").replace("410201", "0").split("The times")[0]
    one = finding(alone(heat), "thermal-power")
    assert one["verdict"] == "ruled_out" and "CoreThr was recorded, and none came" in one["reason"]
    assert finding(alone(heat.replace(" 0\n", " 812\n")), "thermal-power")["verdict"] == "not_testable"


def test_turbostat_of_one_run_bounds_nothing_and_says_the_clock(imported):
    found, _ = imported(node="The only node:\n\n" + BUSY.format(2901).replace("IRQ", "CoreThr").replace("410201", "0"))
    assert finding(found, "frequency")["verdict"] == "not_testable"
    one = finding(found, "thermal-power")
    assert one["verdict"] == "undecided" and one["recoverable_ratio_at_most"] is None and "whether a limit of power did" in one["reason"]
    assert "The only node: Bzy_MHz 2901, TSC_MHz 2600, CoreThr 0" in str(found["statements"])


@pytest.mark.parametrize("nodes", [NODES.format(1900, 1702), NODES.format(1900, 1902).replace("461.9", "414.1"), NODES.format(1900, 1902).split("The times")[0],
                                   NODES.format(2901, 2510)],
                         ids=["another clock", "as long", "no times", "another clock above the TSC's"])
def test_a_clock_that_differs_or_explains_nothing_is_told_as_before(imported, nodes):
    assert finding(imported(nodes=nodes)[0], "frequency")["verdict"] == "supported"


@pytest.mark.parametrize("seconds, watched, verdict", [(0.0008, "sleep 10", "ruled_out"), (7.2, "sleep 10", "undecided"), (0.0008, "of the importer", "undecided"), (0, "sleep 10", "undecided")])
def test_waits_for_locks_in_a_known_time_bound_them(imported, run, seconds, watched, verdict):
    _, case = imported(locks=f"perf lock contention -a -b -- {watched}:\n\n   112      1.21 ms     80.11 us     10.80 us     spinlock   futex_wake+0xa0\n")

    def waited(row, _):
        row.update(seconds=seconds)
    one = finding(diagnosed_with(run, case, "counters of the system", waited), "kernel-locks")
    assert one["verdict"] == verdict, one
    assert verdict != "ruled_out" or "0.0016 s in 10 s together" in one["reason"]


# ---- the spread of runs ----

BENCHMARK = "Benchmark 1: ./{0}\n  Time (mean ± σ):      1.412 s ±  0.218 s    [User: 1.301 s, System: 0.101 s]\n  Range (min … max):    1.070 s …  1.833 s    10 runs\n"


@pytest.mark.parametrize("deviation, verdict", [(0.218, "undecided"), (0.041, "supported"), (0, "supported")])
def test_a_trial_within_the_spread_of_its_runs_may_be_chance(imported, run, deviation, verdict):
    _, case = imported(notes=BENCHMARK.format("parse") + "\nWith huge pages the parser takes 1.29 s instead of 1.41 s.\n")

    def spread(row, _):
        row.update(seconds=deviation)
    found = diagnosed_with(run, case, "timed runs", spread)
    one = finding(found, "small-pages")
    assert one["verdict"] == verdict and (verdict == "supported" or "within the spread of runs that stands beside it (15 %)" in left_open(found))


@pytest.mark.parametrize("deviation, is_chance", [(0.118, True), (0.011, False), (0, False)])
def test_two_runs_within_their_spread_differ_by_chance(imported, run, deviation, is_chance):
    _, case = imported(notes=BENCHMARK.format("generic") + "\n" + BENCHMARK.format("native").replace("1.412", "1.389").replace("k 1", "k 2"))

    def spread(row, _):
        row.update(seconds=deviation)
    found = diagnosed_with(run, case, "timed runs", spread)
    assert ("1.6 % of the time, is within the spread of their runs (8.5 %: 1.412 ± 0.118 s against 1.389 ± 0.118 s)" in left_open(found)) == is_chance


def test_hyperfine_tells_its_runs_spread(alone):
    two = BENCHMARK.format("generic") + "\n" + BENCHMARK.format("native").replace("1.412", "1.389").replace("k 1", "k 2").replace("0.218", "231.0").replace(" s    [", " ms    [")
    assert "differ by, 1.6 % of the time, is within the spread of their runs (17 %: 1.412 ± 0.218 s against 1.389 ± 0.231 s)" in left_open(alone(two))
    apart = two.replace("1.389", "0.912").replace("0.218", "0.004").replace("231.0", "3.0")
    assert "spread" not in left_open(alone(apart))


@pytest.mark.parametrize("said, spread, verdict", [
    ("takes 1.29 s instead of 1.41 s", "0.218", "undecided"), ("takes 1.29 s instead of 1.41 s", "0.041", "supported"),
    ("takes 4.81 s instead of 5.21 s", "0.218", "supported"), ("is 8 % faster", "0.218", "undecided"),
], ids=["within", "beyond", "of other runs", "without times"])
def test_a_sentence_is_held_against_the_spread_that_its_document_tells(imported, said, spread, verdict):
    found, _ = imported(notes=BENCHMARK.format("parse").replace("0.218", spread) + f"\nWith huge pages the parser {said}.\n")
    assert finding(found, "small-pages")["verdict"] == verdict


# ---- locks ----

CONTENDED = " contended   total wait     max wait     avg wait         type   caller\n\n"


def facts_of(found):
    return " ".join(one["text"] for one in found["statements"] if "counters of the system" in one["origin"])


@pytest.mark.parametrize("longest", ["3.00 m", "180.00 s", "180000.00 ms", "180000000.00 us", "180000000000 ns", "0.05 h"])
def test_waits_for_locks_in_any_unit(imported, longest):
    found, _ = imported(notes=CONTENDED + f"    50210      {longest}      8.10 ms    461.90 us      rwsem:W   unmap_region+0x71\n"
                              "     1203     60.00 s      9.10 ms    132.81 us     spinlock   free_pages_bulk+0x1e\n")
    assert "free_pages_bulk+0x1e first) 25 %" in facts_of(found) and "unmap_region+0x71 first) 75 %" in facts_of(found)
    assert not any(one["origin"] == "not read" for one in found["statements"])


def test_no_share_of_locks_where_a_row_was_not_read(imported):
    found, _ = imported(notes=CONTENDED + "    50210      3.00 parsecs      8.10 ms    461.90 us      rwsem:W   unmap_region+0x71\n"
                              "     1203     60.00 s      9.10 ms    132.81 us     spinlock   free_pages_bulk+0x1e\n\n"
                              + CONTENDED + "     1203     60.00 s      9.10 ms    132.81 us     spinlock   other_table+0x1e\n")
    assert "free_pages_bulk" not in facts_of(found) and "other_table" in facts_of(found)
    assert any(one["origin"] == "not read" and "parsecs" in one["text"] for one in found["statements"])


def test_locks_by_their_address(imported):
    found, _ = imported(notes=" contended   total wait     max wait     avg wait            address   symbol\n\n"
                              "       161      1.50 m     12.14 ms    630.06 us   ffff9d1a409214d0   &mm->mmap_lock (rwsem)\n"
                              "         4     30.00 s     70.78 us     30.14 us   ffff9d1a40921888   zone_lock (spinlock)\n")
    assert "zone_lock first) 25 %" in facts_of(found) and "&mm->mmap_lock first) 75 %" in facts_of(found)


@pytest.mark.parametrize("head,rows", [
    ("avg wait   total wait     max wait     min wait", "443.80 us  3.00 m  17.92 ms  1.01 us|4.80 us  60.00 s  17.92 us  1.01 us"),
    ("avg wait (ns)   total wait (ns)   max wait (ns)   min wait (ns)", "443800 180000000000 17920000 1010|4800 60000000000 17920 1010"),
], ids=["with units", "in ns"])
def test_a_report_of_locks_has_no_kinds(imported, head, rows):
    first, second = rows.split("|")
    found, _ = imported(notes=f"                Name   acquired  contended     {head}\n\n     &mm->mmap_lock      102931      90120     {first}\n"
                              f"           &rq->lock       2931        120      {second}\n")
    assert "of a kind that isn't told, / for locks (&mm->mmap_lock first) 75 %" in facts_of(found) and "spinning" not in facts_of(found)
    assert finding(found, "kernel-locks")["verdict"] != "supported"


FEW_WAITS = CONTENDED + "       112      1.21 ms     80.11 us     10.80 us     spinlock   futex_wake+0xa0\n        31    411.20 us     33.02 us     13.26 us        mutex   pipe_write+0x5c\n"


@pytest.mark.parametrize("above, verdict", [
    ("# perf lock contention -a -b -- sleep 10", "ruled_out"), ("$ perf lock contention -ab sleep 0.2m", "ruled_out"), ("Waits for the kernel's locks over 10 seconds:", "ruled_out"),
    ("# perf lock contention -a -b -- sleep 0.01", "not_testable"), ("# perf lock contention -ab -E 2 -- sleep 10", "not_testable"), ("# perf lock contention -ab -- sleep infinity", "not_testable"),
    ("# perf lock contention -ab -- sleep 10 | head -5", "not_testable"), ("# perf lock contention -ab -- ./importer", "not_testable"), ("Waits for the kernel's locks in 10 places:", "not_testable"),
])
def test_all_waits_for_locks_of_a_known_time_rule_them_out(imported, above, verdict):
    one = finding(imported(notes=f"Locks, they say.\n\n{above}\n\n{FEW_WAITS}")[0], "kernel-locks")
    assert one["verdict"] == verdict and (verdict != "ruled_out" or "0.00162 s in 1" in one["reason"])


@pytest.mark.parametrize("longest, verdict", [("4.20 ms", "ruled_out"), ("4.20 s", "not_testable")])
def test_waits_for_locks_by_task(imported, longest, verdict):
    found, _ = imported(notes="# perf lock contention -a -b -t -- sleep 10\n\n contended   total wait     max wait     avg wait          pid   comm\n\n"
                              f"       112      {longest}     80.11 us     10.80 us        20412   importer\n        31      1.40 ms     33.02 us     13.26 us           -1   swapper\n")
    assert "waits of one task for locks / of all (importer first) " in facts_of(found) and "spinning" not in facts_of(found)
    assert not any(one["origin"] == "not read" for one in found["statements"])
    assert finding(found, "kernel-locks")["verdict"] == verdict


# ---- rows that nobody read ----

KVM = ("Exits of the guest, perf kvm stat for 10 s:\n\n             VM-EXIT    Samples  Samples%     Time%    Min Time    Max Time         Avg time\n\n"
       "                 msr       3213    58.21%     1.01%      0.54us     41.20us      1.31us ( +-   0.22% )\n{0}"
       "                 hlt       1204    21.81%    98.12%      0.61us   4012.11us    340.12us ( +-   0.41% )\n")


@pytest.mark.parametrize("row, verdict", [
    ("       ept_violation       1000     9.91%     0.72%      0.54us     41.00us      2.01us ( +-   0.12% )\n", "ruled_out"),
    ("       ept_violation      5x121     9.91%     0.72%      0.54us     41.00us      2.01us ( +-   0.12% )\n", "undecided")], ids=["all read", "one not read"])
def test_exits_with_rows_that_were_not_read_bound_nothing(imported, row, verdict):
    found, _ = imported(notes=KVM.format(row))
    one = finding(found, "vm-exits")
    assert one["verdict"] == verdict and ("in the rows that were read (not: 1) in 10 s, at least" in one["reason"]) == (verdict == "undecided")
    assert ("of the rows that were read (not: 1): 4417 exits for 2 reasons" in str(found["statements"])) == (verdict == "undecided")


@pytest.mark.parametrize("read", [True, False])
def test_guests_with_rows_that_were_not_read_differ_by_nothing(imported, read):
    row = "@reason[12]: 812" if read else "@reason[12]: 81/2"
    found, _ = imported(notes=f"Guest A, plain:\n\n@reason[1]: 41211  EXTERNAL_INTERRUPT\n{row}  HLT\n@reason[48]: 2011  EPT_VIOLATION\n\n"
                              f"Guest B, plain:\n\n@reason[1]: 41302  EXTERNAL_INTERRUPT\n@reason[12]: 799  HLT\n@reason[48]: 2003  EPT_VIOLATION\n@reason[30]: 1200340  IO_INSTRUCTION\n")
    assert ("guest A never" in finding(found, "vm-exits")["reason"] or "Guest A never" in finding(found, "vm-exits")["reason"]) == read


@pytest.mark.parametrize("row", ["    12.20%  srv      srv                [.] parse\n", "    12.x0%  srv      srv                [.] parse\n"], ids=["all read", "one not read"])
def test_a_report_with_rows_that_were_not_read_says_so(imported, row):
    found, _ = imported(notes=f"What perf report shows:\n\n    41.20%  srv      srv                [.] lookup\n{row}     3.20%  srv      srv                [.] hash\n")
    assert ("perf report" in str(found["statements"])) and ("of the rows that were read (not: 1): lookup 41.2 %" in str(found["statements"])) == ("x" in row)


def test_rows_of_other_tables_are_no_rows_of_a_report(imported):
    found, _ = imported(notes="# cat /proc/interrupts | grep eth0\n           CPU0       CPU1\n 64:  912203312          0     eth0-TxRx-0\n\n"
                              "# perf report\n    41.20%  srv      srv                [.] lookup\n     3.20%  srv      srv                [.] hash\n\n  12  34.1 x   77.2 y   something\n")
    assert "lookup 41.2 %" in str(found["statements"]) and "of the rows that were read" not in str(found["statements"])


# ---- what runs' clocks and throttles were ----

def test_each_run_s_clocks_are_kept_by_what_stands_above_them(imported):
    found, case = imported(notes=f"The old box (a7):\n\n{COLD}\n\nThe new box (b2):\n\n{COLD.replace('3608', '3604')}\n")
    tables = [one for one in json.loads((case / "imports.json").read_text())["imports"] if one["kind"] == "turbostat"]
    assert [one["heading"] for one in tables] == ["The old box (a7)", "The new box (b2)"]
    clocks = [next(row["number"] for row in one["rows"] if row["name"] == "Bzy_MHz") for one in tables]
    assert clocks == [3599, 3597] and "The new box (b2): Bzy_MHz 3597" in str(found["statements"])


@pytest.mark.parametrize("line,grown", [
    ("core_throttle_count: 0 before, 0 after", 0), ("thermal_throttle/core_throttle_count 0 -> 412", 412),
    ("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count: 12 → 412", 400), ("core_throttle_count = 412 after, 12 before", 400),
    ("| `core_throttle_count` | 12 before | 40 after |", 28), ("So core_throttle_count was 7 before and after all of it.", 0),
])
def test_a_count_of_throttling_before_and_after(imported, line, grown):
    found, _ = imported(notes=f"Heat, we thought.\n\n{line}\n")
    assert f"{grown} core_throttle_count" in str(found["statements"])
    assert not any(one["origin"] == "not read" for one in found["statements"])


@pytest.mark.parametrize("line", ["core_throttle_count: 412", "core_throttle_count: 412 before, 3 after"])
def test_a_count_of_throttling_that_says_no_growth_is_listed(imported, line):
    found, _ = imported(notes=f"Heat, we thought.\n\n{line}\n")
    assert any(one["origin"] == "not read" and line[:12] in one["text"] for one in found["statements"])


def test_a_count_of_throttling_that_grew_is_heat(alone):
    found = alone(f"turbostat, cold:\n{COLD}\nwarm:\n{HOT.replace('812', '0').replace('840', '0').replace('99' + chr(9) + '0', '80' + chr(9) + '0').replace('100', '81')}\ncore_throttle_count: 3 before, 90 after\n")
    assert finding(found, "thermal-power")["verdict"] == "supported"


@pytest.mark.parametrize("between", [" -> ", " → ", " before, "])
def test_a_quota_s_counts_before_and_after_in_one_line(imported, between):
    found, _ = imported(notes=f"nr_periods: 100{between}700\nnr_throttled: 12{between}312\n")
    assert "nr_throttled / nr_periods 50 %" in facts_of(found)


SMALL_PARTS = (" 7.10%  libjvm.so  [.] G1ParScanThreadState::trim_queue\n 4.00%  [kernel]  [k] copy_user_generic\n"
               " 2.40%  [kernel]  [k] syscall_return_via_sysret\n 4.00%  perf-7.map  [.] Lorg/shop/Cart;::add\n")


def test_what_is_small_beside_a_gap_that_is_told_does_not_lead(imported):
    found, _ = imported(notes="The new nodes are 40 % slower.\n\n" + SMALL_PARTS)
    verdict = found["verdict"]
    assert verdict["culprit_is_small"] and verdict["sentence"].startswith("The gap that is told is 29 to 40 %")
    assert "small beside that: garbage collection" in verdict["sentence"] and any("most of the gap" in one for one in verdict["open"])
    assert "in that small cause" in verdict["confidence"]


def test_what_is_a_good_part_of_a_gap_that_is_told_leads(imported):
    found, _ = imported(notes="The new nodes are 12 % slower.\n\n" + SMALL_PARTS)
    verdict = found["verdict"]
    assert verdict["culprit"] == "garbage-collection" and not verdict["culprit_is_small"] and verdict["open"] == []
    assert verdict["sentence"].startswith("Garbage collection") and "Of like weight: time in system calls" in verdict["sentence"], "the larger one first"


COLLECTED = "".join(f"gc {at} @{at * 3}.104s {{0}}%: 0.021+1.2+0.004 ms clock, 0.33+0.11/2.1/4.0+0.07 ms cpu, 41->42->20 MB, 42 MB goal, 8 P\n" for at in (7, 8))


@pytest.mark.parametrize("percent, verdict", [(0, "ruled_out"), (2, "not_testable"), (38, "supported")])
def test_what_go_counts_of_its_collector_rules_it_out_where_that_is_nothing(imported, percent, verdict):
    """of what it counts the CPUs that were left idle are a part: of the rest it may be more"""
    found, _ = imported(notes=COLLECTED.format(percent))
    assert finding(found, "garbage-collection")["verdict"] == verdict


# ---- what looks certain and isn't ----

@pytest.mark.parametrize("busy, verdict", [(0.41, "not_testable"), (14.0, "not_testable"), (93.0, "supported")])
def test_the_clock_of_a_machine_that_stands_idle_is_no_program_s(alone, busy, verdict):
    found = alone(f"turbostat:\n\n```\nCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tPkgTmp\tPkgWatt\n-\t9\t{busy}\t1300\t2600\t51\t20.1\n0\t9\t{busy}\t1300\t2600\t51\t20.1\n```\n")
    assert finding(found, "frequency")["verdict"] == verdict


def test_one_busy_cpu_of_many_has_a_clock(alone):
    found = alone("turbostat:\n\n```\nCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tPkgTmp\tPkgWatt\n-\t90\t6.9\t1300\t2600\t51\t20.1\n0\t1290\t99.2\t1300\t2600\t51\t20.1\n1\t5\t0.4\t1300\t2600\t51\t20.1\n```\n")
    assert finding(found, "frequency")["verdict"] == "supported"


@pytest.mark.parametrize("command, verdict", [("khugepaged", "not_testable"), ("kswapd0", "not_testable"), ("kworker/u16:3", "not_testable"), ("loader", "supported")])
def test_what_the_kernel_s_threads_clear_is_no_fault_of_a_program(alone, command, verdict):
    found = alone(f"# Overhead  Command  Shared Object      Symbol\n    27.12%  {command}  [kernel.kallsyms]  [k] clear_page_erms\n    11.40%  app  app  [.] step\n")
    assert finding(found, "page-faults")["verdict"] == verdict


def test_what_ksoftirqd_does_for_cards_are_interrupts(alone):
    found = alone("# Overhead  Command  Shared Object      Symbol\n    27.12%  ksoftirqd/2  [kernel.kallsyms]  [k] net_rx_action\n    11.40%  app  app  [.] step\n")
    assert finding(found, "interrupts")["verdict"] == "supported"


@pytest.mark.parametrize("apart, verdict", [(0.4, "undecided"), (4, "supported")])
def test_pauses_within_a_second_say_nothing_of_the_rest(alone, apart, verdict):
    found = alone("".join(f"[{200.25 + at * apart:.3f}s][info][gc] GC({at + 40}) Pause Full (System.gc()) 402M->81M(1024M) {apart * 600:.3f}ms\n" for at in range(3)))
    assert finding(found, "garbage-collection")["verdict"] == verdict


@pytest.mark.parametrize("beside, verdict", [("", "supported"), ("The whole run took 640 s.\n\n", "undecided")])
def test_an_excerpt_of_pauses_is_held_against_the_time_that_is_told(alone, beside, verdict):
    found = alone(beside + "".join(f"[{200 + at * 4}.250s][info][gc] GC({at + 40}) Pause Full (System.gc()) 402M->81M(1024M) 2412.000ms\n" for at in range(3)))
    assert finding(found, "garbage-collection")["verdict"] == verdict


@pytest.mark.parametrize("seconds, verdict", [("0.031", "undecided"), ("31.400", "supported")])
def test_what_go_collects_while_it_starts_says_nothing_of_the_rest(alone, seconds, verdict):
    found = alone(f"gc 3 @{seconds}s 36%: 0.021+1.2+0.004 ms clock, 0.33+0.11/2.1/4.0+0.07 ms cpu, 4->4->1 MB, 4 MB goal, 8 P\n")
    assert finding(found, "garbage-collection")["verdict"] == verdict


PRESSED = "\n$ cat /proc/pressure/cpu\nsome avg10=88.12 avg60=87.20 avg300=85.01 total=8112391\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
DELAYED = ("\n  Task                  |   Runtime ms  |  Switches | Avg delay ms    | Max delay ms    | Max delay at       |\n"
           "  conv:(64)             |  61210.000 ms |    81233 | avg:  22.100 ms | max: 140.201 ms | max at: 812.310402 s\n")


@pytest.mark.parametrize("idle, beside, oversubscribed, affinity", [
    (0, PRESSED + DELAYED, "supported", "ruled_out"), (0, PRESSED, "supported", "ruled_out"),
    (24, PRESSED + DELAYED, "undecided", "undecided"), (0, "", "undecided", "ruled_out"),
])
def test_a_full_machine_with_a_queue_has_more_to_run_than_cpus(alone, idle, beside, oversubscribed, affinity):
    vmstat = RUNS.replace(" 38  1  0", f" {38 - idle} {idle}  0").replace(" 39  1  0", f" {40 - idle} {idle}  0")
    found = alone("64 workers on the 8-core box, vmstat 1:\n\n" + vmstat + beside)
    assert finding(found, "oversubscribed")["verdict"] == oversubscribed
    assert finding(found, "affinity")["verdict"] == affinity


# ---- counts and words ----

GUESSES = "    24,000,000,000      cycles\n    15,000,000,000      instructions\n     3,000,000,000      branches\n     {0}      branch-misses\n\n       8.000 seconds time elapsed\n\n"


@pytest.mark.parametrize("misses, verdict", [("5,200,000", "ruled_out"), ("95,000,000", "undecided")])
def test_what_was_not_understood_leaves_open_no_more_than_was_counted(alone, misses, verdict):
    words = "Sorting the input first did not help: 8.02 s unsorted, 8.00 s sorted. Neither did a branchless version of the loop (8.05 s).\n"
    assert finding(alone(GUESSES.format(misses) + words), "branch-mispredicts")["verdict"] == verdict


@pytest.mark.parametrize("listed", [
    "`perf stat -M tma_fetch_latency_group`: tma_icache_misses 31.2 %, tma_itlb_misses 8.8 %, tma_branch_resteers 1.9 %.",
    "Of it tma_icache_misses is 31.2% and tma_itlb_misses 8.8%; the rest is small.",
    "(`tma_icache_misses`: 31.2 %, `tma_itlb_misses`: 8.8 %)",
])
def test_classes_listed_in_a_sentence_are_read(alone, listed):
    found = alone(f"The front end it is.\n\n{listed}\n")
    said = str(found["statements"])
    assert "tma_icache_misses 31.2 %" in said and "tma_itlb_misses 8.8 %" in said
    assert finding(found, "front-end")["verdict"] == "supported"


def test_classes_of_which_one_stands_twice_are_no_list(alone):
    found = alone("The front end it was.\n\ntma_icache_misses 31.2 %, tma_itlb_misses 8.8 %, and later tma_icache_misses 2.1 %, tma_itlb_misses 0.4 %.\n")
    assert "tma_icache_misses 31.2 %" not in str([one for one in found["statements"] if "top-down" in one["text"]])


# ---- what to measure next ----

IDLE = (" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n 1  0      0 8120044 210334 18120334    0    0     2   110 2301 4102  3  1 96  0  0\n"
        " 0  0      0 8119920 210334 18120341    0    0     0   204 2190 3988  2  1 97  0  0\n")
TOP = ("top - 14:01:12 up 12 days,  1:02,  1 user,  load average: 1.02, 1.01, 0.99\nTasks: 212 total,   2 running, 210 sleeping,   0 stopped,   0 zombie\n"
       "%Cpu(s): 12.6 us,  0.1 sy,  0.0 ni, 87.3 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st\nMiB Mem :  31886.0 total,  21120.4 free,   5410.1 used,   5355.5 buff/cache\n\n"
       "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n   3312 ana       20   0 2120444   1.6g  21004 R {0}   5.0  92:10.11 simulate\n"
       "   1021 root      20   0  120444  12044   8004 S   0.3   0.0   1:01.20 sshd\n")


@pytest.mark.parametrize("text, first", [
    (IDLE, "the CPUs stood idle for 97 % of the time"), (IDLE.replace(" 3  1 96", "80  1 19").replace(" 2  1 97", "80  1 19"), "nothing that was read tells which code it is"),
    (TOP.format("100.0"), "simulate had 100 % of one CPU"), (TOP.format(" 12.0"), "the CPUs stood idle for 87 % of the time"),
    ("old build: 10.2 s\nnew build: 10.4 s\n", "run both in turns before anything else"),
])
def test_what_decides_nothing_says_what_to_measure_next(alone, text, first):
    assert first in found_next(alone(text)), found_next(alone(text))


def found_next(found):
    return (found["verdict"]["advice"] or [""])[0]


def test_tables_that_contradict_one_another_are_named(imported):
    found, _ = imported(one="70.2 %  tma_memory_bound\n6.1 %  tma_core_bound\n18.0 %  tma_retiring\n", other="7.9 %  tma_memory_bound\n64.4 %  tma_core_bound\n21.3 %  tma_retiring\n")
    assert "furthest apart in tma_memory_bound, 70 % in one" in found_next(found), found["verdict"]


SESSIONS = (" count | wait_event_type |  wait_event   | state\n-------+-----------------+---------------+---------------------\n    61 | Lock            | transactionid | active\n"
            "    22 | Lock            | tuple         | active\n     2 |                 |               | active\n    90 | Client          | ClientRead    | idle in transaction\n(4 rows)\n")


def test_sessions_that_wait_for_locks_lead_to_who_holds_them(alone):
    found = alone(SESSIONS)
    assert "active sessions in waits for locks (transactionid first) is 98 %" in found["verdict"]["sentence"] and "pg_blocking_pids" in found_next(found)
    few = alone(SESSIONS.replace("61 |", " 1 |").replace("22 |", " 1 |").replace(" 2 |  ", "80 |  "))
    assert "waits for locks" not in few["verdict"]["sentence"] and finding(few, "lock-turns")["verdict"] != "supported"


LOOKS = (" state               | wait_event_type | wait_event    | count\n---------------------+-----------------+---------------+-------\n"
         " {idle:<20}| Client          | ClientRead    | {client:5}\n active              |                 |               |   210\n"
         " active              | IO              | DataFileRead  | {storage:5}\n active              | LWLock          | WALWrite      |    18\n")


@pytest.mark.parametrize("idle", ["idle in transaction", "active"])
def test_sessions_within_a_transaction_wait_for_their_client(alone, idle):
    found = alone(LOOKS.format(idle=idle, client=1400, storage=70))
    assert "sessions in a transaction that waited for their client (ClientRead first) is 82 %" in found["verdict"]["sentence"] and "round trips" in found_next(found), found["verdict"]
    few = alone(LOOKS.format(idle=idle, client=14, storage=7).replace("210", "2").replace("18", " 0"))
    assert finding(few, "waiting")["verdict"] != "supported"


def test_sessions_at_rest_are_no_waits_for_a_client(alone):
    found = alone(LOOKS.format(idle="idle", client=1400, storage=700))
    assert "waited for storage (DataFileRead first) is 75 %" in found["verdict"]["sentence"], found["verdict"]
    found = alone(LOOKS.format(idle="idle in transaction", client=140, storage=700))
    assert "waited for storage (DataFileRead first) is 66 %" in found["verdict"]["sentence"], found["verdict"]


def test_sessions_cut_anywhere_are_read_or_not(alone):
    for length in range(40, len(SESSIONS), 13):
        assert alone(SESSIONS[:length])["verdict"]


@pytest.mark.parametrize("usecs, waits", [(331, True), (9, False)])
def test_names_of_files_that_take_long_are_waited_for(alone, usecs, waits):
    rows = f" 90.92   {usecs * 0.175331:.6f}         {usecs}    175331           newfstatat\n  9.08    0.100000           5     20000           getdents64\n100.00   {usecs * 0.175331 + 0.1:.6f}                195331           total\n"
    found = alone("% time     seconds  usecs/call     calls    errors syscall\n------ ----------- ----------- --------- --------- ----------------\n" + rows +
                  "\nreal\t1m4.210s\nuser\t0m1.030s\nsys\t0m3.871s\n")
    assert ("of newfstatat" in finding(found, "waiting")["headline"]) == waits, finding(found, "waiting")


def test_threads_of_top_are_no_process(alone):
    threads = TOP.format("97.3").replace("Tasks:", "Threads:")
    assert "busiest process" not in str(alone(threads)["statements"]) and "busiest process" in str(alone(TOP.format("97.3"))["statements"])


def test_a_regular_expression_that_v8_compiled_is_looked_at_itself(alone):
    found = alone("# Overhead  Command  Shared Object  Symbol\n    91.40%  node  perf-7712.map  [.] RegExp:^(a+)+$\n     2.00%  node  node  [.] run\n")
    assert "nested repetitions" in found_next(found)


@pytest.mark.parametrize("beside, first", [("NNC's loop uses AVX-512; ATen's uses AVX2.", "core_power.lvl2_turbo_license"), ("NNC's loop is unrolled.", "run both in turns")])
def test_wide_vectors_that_are_told_of_ask_for_their_clock(alone, beside, first):
    found = alone(f"NNC: 0.164 s\nATen: 0.161 s\n\n{beside}\n\n$ perf stat -e cycles bench (ATen)\n  8330778710      cycles\n\n$ perf stat -e cycles bench (NNC)\n  8386784008      cycles\n")
    assert first in found_next(found)
