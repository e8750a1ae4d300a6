# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose on raw tables that decide a case once they are held against the right whole, and near ones that don't."""
import json
import pytest
from imported_case import evidence, finding


def stat(periods, throttled, us, used=None):
    used = f"usage_usec {used}\nuser_usec 1\nsystem_usec 1\n" if used is not None else ""
    return f"{used}nr_periods {periods}\nnr_throttled {throttled}\nthrottled_usec {us}\nnr_bursts 0\nburst_usec 0\n"


@pytest.fixture
def files(run, tmp_path):
    """files(("name", text), …): the JSON of a case made of files of just these names."""
    def make(*texts):
        words = []
        for name, text in texts:
            (tmp_path / name).write_text(text)
            words += ["--import", tmp_path / name]
        return json.loads(run("diagnose", "--json", *words).stdout)
    return make


# ---- limits of CPU time ----

def test_two_looks_at_a_group_are_differenced(files):
    found = files(("cpu.max", "200000 100000\n"), ("cpu.stat.before", stat(1820331, 902214, 61204113220, 88120334012)),
                  ("cpu.stat.after", stat(1820931, 902801, 61329884901, 88240310877)))
    one = finding(found, "cpu-quota")
    assert found["verdict"]["culprit"] == "cpu-quota" and one["recoverable_ratio_at_most"] == pytest.approx(587 / 600)
    assert "in 587 of 600 periods (98 %), for 126 s summed over its CPUs; it used 2 CPUs of the 2 that it may use" in one["headline"]
    assert "61" not in evidence(one) and not any("cpu.max <==" in said["text"] for said in found["statements"])


@pytest.mark.parametrize("first, last", [("cpu.stat.1", "cpu.stat.2"), ("t0-cpu.txt", "t1-cpu.txt"), ("stat_start", "stat_end")])
def test_whose_looks_they_are_is_told_by_names(files, first, last):
    found = files((first, stat(1000, 10, 900000)), (last, stat(2000, 20, 1700000)))
    one = finding(found, "cpu-quota")
    assert one["verdict"] == "ruled_out" and "between two looks it was held back in 10 of 1000 periods, for 0.8 s" in one["reason"]
    assert one["recoverable_ratio_at_most"] == pytest.approx(0.008)


@pytest.mark.parametrize("first, last", [("web.stat", "db.stat"), ("pod1.txt", "pod2.txt")])
def test_looks_at_two_groups_aren_t_differenced(files, first, last):
    one = finding(files((first, stat(1000, 10, 900000)), (last, stat(2000, 900, 90000000))), "cpu-quota")
    assert "between two looks" not in str(one) and "since the group exists" in one["headline"] and one["recoverable_ratio"] is None


def test_counts_that_fall_are_of_another_group(files):
    one = finding(files(("cpu.stat.before", stat(9000, 800, 900000)), ("cpu.stat.after", stat(10000, 20, 10000))), "cpu-quota")
    assert "between two looks" not in str(one)


@pytest.mark.parametrize("throttled, us, verdict", [(902214, 61204113220, "supported"), (9000, 900000000, "undecided"), (0, 0, "ruled_out")])
def test_one_look_is_of_all_the_time_since_the_group_exists(alone, throttled, us, verdict):
    one = finding(alone("$ cat cpu.max cpu.stat\n100000 100000\n" + stat(1820331, throttled, us, 812033011)), "cpu-quota")
    assert one["verdict"] == verdict and "since the group exists" in (one["headline"] or one["reason"])
    assert verdict == "ruled_out" or one["recoverable_ratio"] is None
    assert "it used" not in str(one) and (verdict != "supported" or "61204 s summed over its CPUs; it may use 1 CPU" in one["headline"])


def test_a_longer_period_and_the_first_version(alone):
    found = alone("$ cat cpu.cfs_quota_us cpu.cfs_period_us\n\n## before\nnr_periods 100\nnr_throttled 5\nthrottled_time 1000000000\n\n"
                  "## after\nnr_periods 400\nnr_throttled 200\nthrottled_time 90000000000\n\ncpu.cfs_quota_us: 500000\ncpu.cfs_period_us: 250000\n")
    one = finding(found, "cpu-quota")
    assert "in 195 of 300 periods (65 %), for 89 s summed over its CPUs; it may use 2 CPUs" in one["headline"], one["headline"]


# ---- masks ----

TOP = ("    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
       "  20118 mlang     20   0 4410220   2.1g  10220 R  99.9   1.6   3:02.11 solver\n\n")
IDLE = ("Average:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
        "Average:     all    {busy}    0.00    0.05    0.00    0.00    0.00    0.00    0.00    0.00   {idle}\n\n")
STAT = (" Performance counter stats for process id '5100':\n\n         39,912.11 msec task-clock                #    3.991 CPUs utilized\n"
        "           412,204      context-switches\n\n      10.001110022 seconds time elapsed\n\n")
MASK = "pid {}'s current affinity mask: {}\n"
LIST = "pid {}'s current affinity list: {}\n"
STATUS = "/proc/20118/task/{}/status:Cpus_allowed_list:\t{}\n"
BITS = "/proc/20118/task/{}/status:Cpus_allowed:\t{}\n"


def masked(form, masks, words="16 cores. OMP_NUM_THREADS=16.", busy="6.22", idle="93.73"):
    return f"{words}\n\n{TOP}" + "".join(form.format(20118 + at, mask) for at, mask in enumerate(masks)) + "\n" + IDLE.format(busy=busy, idle=idle)


@pytest.mark.parametrize("form, mask", [(MASK, "1"), (MASK, "8"), (LIST, "0"), (STATUS, "3"), (BITS, "00000000,00000008")])
def test_threads_on_one_cpu_while_others_stand_idle(alone, form, mask):
    found = alone(masked(form, [mask] * 4))
    one = finding(found, "affinity")
    assert found["verdict"]["culprit"] == "affinity" and one["recoverable_ratio_at_most"] == pytest.approx(15 / 16), found["verdict"]
    assert f"4 tasks may use CPU {'0' if mask in ('1', '0') else '3'} alone" in one["headline"]
    assert "isn't told" not in found["verdict"]["sentence"] and finding(found, "oversubscribed")["verdict"] != "ruled_out"


@pytest.mark.parametrize("text", [
    masked(MASK, ["ffff"] * 4),                                   # all CPUs
    masked(MASK, ["1", "2", "4", "8"]),                           # each has its own
    masked(LIST, ["0"] * 4, busy="99.10", idle="0.70"),           # none stands idle
    masked(MASK, ["1"], words="16 cores. One thread, pinned."),
    masked(MASK, ["1"] * 4).replace("99.9", "12.0"),              # it has nothing to do
])
def test_a_mask_alone_is_no_cause(alone, text):
    assert finding(alone(text), "affinity")["verdict"] not in ("supported",)


def test_several_cpus_of_many(alone):
    found = alone(masked(LIST, ["0-3"] * 6, words="32 threads.").replace(TOP, STAT))
    one = finding(found, "affinity")
    assert one["verdict"] == "supported" and "6 tasks may use CPUs 0-3 alone, where 3.99 CPUs are in use" in one["headline"]
    assert one["recoverable_ratio"] is None  # of how many CPUs isn't told
    found = alone(masked(LIST, ["0-3"] * 6, words="32 threads, on a machine with 32 CPUs.").replace(TOP, STAT))
    assert finding(found, "affinity")["recoverable_ratio_at_most"] == pytest.approx(28 / 32)


def test_idle_threads_beside_one_that_computes_want_no_cpu_for_certain(alone):
    found = alone(masked(MASK, ["1"] * 4, words="A machine with 16 cores."))
    one = finding(found, "affinity")
    assert one["verdict"] == "undecided" and "how many of its threads want to run at once isn't told" in one["reason"]


# ---- system calls ----

CALLS = ("{command}\n% time     seconds  usecs/call     calls    errors syscall\n------ ----------- ----------- --------- --------- ----------------\n"
         " 98.71  {seconds}        {each}     {calls}           {call}\n  0.90    0.193210          15    12118           lseek\n"
         "------ ----------- ----------- --------- --------- ----------------\n100.00  {seconds}                {calls}           total\n\n")
TIMES = "real\t6m22.400s\nuser\t0m{user}s\nsys\t0m{sys}s\n"


def called(call, seconds, calls, user="20.140", sys="11.020", command="strace:"):
    return CALLS.format(command=command, call=call, seconds=f"{seconds:.6f}", each=round(1e6 * seconds / calls), calls=calls) + TIMES.format(user=user, sys=sys)


@pytest.mark.parametrize("call", ["pread64", "read", "recvfrom", "write"])
def test_calls_that_took_longer_than_the_kernel_computed_waited(alone, call):
    found = alone(called(call, 350.22, 69580))
    one = finding(found, "waiting")
    assert one["verdict"] == "supported" and f"most of it in 69580 calls of {call}" in one["headline"]
    assert not any("what isn't waiting (69580" in said["text"] for said in found["statements"])
    assert ("an SSD for random reads" in str(one["advice"])) == (call == "pread64")
    assert found["verdict"]["culprit"] == "waiting"


def test_calls_that_took_what_the_kernel_computed_did_not(alone):
    found = alone(called("read", 300.4, 69580, user="60.0", sys="301.0"))
    assert "69580 calls of read" not in str(finding(found, "waiting"))
    assert "69580 calls of read first" in str(finding(found, "system-calls"))


def test_which_of_both_isn_t_told_without_the_kernels_time(alone):
    found = alone(called("pread64", 350.22, 69580).split("real")[0])
    assert "whether they waited there or computed isn't told" in finding(found, "waiting")["reason"]
    assert finding(found, "waiting")["verdict"] == "undecided" and finding(found, "system-calls")["verdict"] != "supported"


@pytest.mark.parametrize("command, waits", [("$ strace -c -f -p 12", False), ("$ strace -cw -f -p 12", True), ("$ strace -c -w -f ./a", True)])
def test_what_strace_counts_is_told_by_its_options(alone, command, waits):
    found = alone(CALLS.format(command=command, call="futex", seconds="9.100000", each=14, calls=650000))
    assert any("system calls, waiting (650000" in said["text"] for said in found["statements"]) == waits


# ---- sessions ----

def sessions(*rows, heading=" wait_event_type |  wait_event  | count\n-----------------+--------------+-------\n"):
    return "pg_stat_activity, once a second:\n\n```\n" + heading + "".join(f" {kind:15} | {event:13}| {count:5}\n" for kind, event, count in rows) + "(6 rows)\n```\n"


def test_waits_for_the_log_are_of_commits(alone):
    found = alone(sessions(("IO", "WALSync", 871), ("LWLock", "WALWrite", 118), ("IO", "WALWrite", 22), ("Client", "ClientRead", 61), ("Lock", "transactionid", 2), ("", "", 126)))
    one = finding(found, "waiting")
    assert found["verdict"]["culprit"] == "waiting" and one["recoverable_ratio_at_most"] == pytest.approx(1011 / 1139, abs=1e-3)
    assert "commit_delay" in one["advice"][0] and not any("not read" in said["origin"] for said in found["statements"])
    assert finding(found, "lock-turns")["verdict"] == "not_testable"


@pytest.mark.parametrize("rows, share", [
    ((("IO", "WALSync", 30), ("Client", "ClientRead", 900), ("", "", 970)), None),  # 3 % of the active ones
    ((("IO", "DataFileRead", 400), ("", "", 100), ("Activity", "CheckpointerMain", 300)), 0.8),
    ((("IO", "WALSync", 3), ("", "", 1)), None),  # a look
])
def test_sessions_that_run_and_those_at_rest(alone, rows, share):
    one = finding(alone(sessions(*rows)), "waiting")
    assert (one["verdict"] == "supported") == bool(share) and (not share or one["recoverable_ratio_at_most"] == pytest.approx(share, abs=1e-3))


@pytest.mark.parametrize("event, advice", [("transactionid", "pg_blocking_pids"), ("WALInsert", "a pool of connections")])
def test_who_holds_a_lock_is_told_of_rows_alone(alone, event, advice):
    one = finding(alone(sessions(("Lock" if event[0] == "t" else "LWLock", event, 340), ("", "", 80))), "lock-turns")
    assert one["verdict"] == "undecided" and advice in one["advice"][0]


# ---- waits for locks ----

LRU = ("```\nimgcache;start_thread;worker_main;handle_get;lru_touch;pthread_mutex_lock;__lll_lock_wait;do_futex;futex_wait;futex_wait_queue;schedule 95980112\n"
       "imgcache;start_thread;worker_main;epoll_wait;do_epoll_wait;schedule 4120334\n```\n")
FUTEX = ("`perf lock contention -ab -- sleep 10`:\n\n```\n contended   total wait     max wait     avg wait         type   caller\n\n"
         "   2810443     96.21 s     12.04 ms     34.23 us        mutex   futex_wait_queue+0x62\n```\n\n")


@pytest.mark.parametrize("command, told, share", [
    ("offcputime-bpfcc -p $(pidof imgcache) 10 --state 1 (us), folded with -f:", "So of 160 thread-seconds 96 s are waits.", 0.6),
    ("offcputime -f -p `pidof imgcache` 10, 12 worker threads:", "", 0.8),
    ("offcputime-bpfcc -p $(pidof imgcache) --state 1 (us), folded with -f:", "So of 160 thread-seconds 96 s are waits.", None),
    ("offcputime-bpfcc -f -p $(pidof imgcache) 10:", "At 16 threads, as at 4 threads:", None),
])
def test_waits_in_stacks_are_of_the_threads_time(alone, command, told, share):
    found = alone(f"{FUTEX}{command}\n\n{LRU}\n{told}\n")
    one = finding(found, "lock-turns")
    assert (one["verdict"] == "supported") == bool(share) and "lru_touch first" in (one["headline"] or one["reason"]), one
    assert found["verdict"]["sentence"].startswith("Threads that take turns at a lock") and "kernel's own locks" not in str(one)
    assert not share or one["recoverable_ratio_at_most"] == pytest.approx(share, abs=0.01)


RWSEM = ("{words}\n\n```\n contended   total wait     max wait     avg wait         type   caller\n\n     91022    {wait} s     22.04 ms      1.33 ms     rwsem:W   path_openat+0x3f2\n"
         "       120    410.22 us     22.10 us      3.42 us     spinlock   rcu_core+0xd4\n```\n\nIt has 16 threads.\n")


@pytest.mark.parametrize("words, wait, verdict", [
    ("`perf lock contention -b -p 812 -- sleep 10`", "121.80", "supported"),
    ("`perf lock contention -ab -- sleep 10`", "121.80", "undecided"),   # of all that ran
    ("`perf lock contention -b -p 812`", "121.80", "undecided"),         # for how long?
    ("`perf lock contention -b -p 812 -- sleep 10`", "221.80", "undecided"),  # more than there is
    ("`perf lock contention -b -p 812 -- sleep 10`", "1.20", "undecided"),
])
def test_waits_for_the_kernels_locks_are_of_the_threads_time(alone, words, wait, verdict):
    found = alone(RWSEM.format(words=words, wait=wait))
    one = finding(found, "lock-turns")
    assert one["verdict"] == verdict
    assert verdict != "supported" or one["recoverable_ratio_at_most"] == pytest.approx(0.761, abs=1e-3)


# ---- the build ----

REPORT = ("# Overhead  Command  Shared Object  Symbol\n    34.12%  fir      fir            [.] Fir::process\n"
          "    25.91%  fir      fir            [.] std::vector<float, std::allocator<float> >::operator[]{tail}\n"
          "     9.33%  fir      fir            [.] std::vector<float, std::allocator<float> >::size{tail}\n     6.02%  fir      fir            [.] std::forward<float&>{tail}\n")


@pytest.mark.parametrize("command", ["    $ g++ -g -std=c++17 fir.cpp main.cpp -o fir", "`clang++-15 -O0 -g fir.cpp`; it runs", "$ cargo run -- in.raw",
                                     "g++ -g -c fir.cpp -o fir.o\ng++ fir.o main.o -o fir"])
def test_a_build_without_optimising_shows_in_what_is_called(alone, command):
    found = alone(f"It is slow.\n\n{command}\n\nperf report:\n\n{REPORT.format(tail='')}")
    one = finding(found, "unoptimised-build")
    assert found["verdict"]["culprit"] == "unoptimised-build" and one["recoverable_ratio"] is None and "41.3 %" in one["headline"] and "`" not in one["headline"], one


@pytest.mark.parametrize("command", ["$ g++ -O2 -g fir.cpp -o fir", "$ g++ -g fir.o main.o -o fir", "$ make", "$ g++ $CXXFLAGS fir.cpp", "$ cargo run --release -- in.raw",
                                     "$ g++ -g fir.cpp\n\nand then\n\n$ g++ -O3 fir.cpp"])
def test_a_build_that_may_be_optimised_is_no_cause(alone, command):
    found = alone(f"It is slow.\n\n{command}\n\nperf report:\n\n{REPORT.format(tail='')}")
    assert finding(found, "unoptimised-build")["verdict"] != "supported"


@pytest.mark.parametrize("report", [REPORT.format(tail=" (inlined)"), REPORT.format(tail="").replace("fir            [.] std", "libstdc++.so.6 [.] std"),
                                    REPORT.format(tail="").replace("std::vector<float, std::allocator<float> >::operator[]", "std::mersenne_twister_engine<unsigned long>::operator()")
                                    .replace("std::vector<float, std::allocator<float> >::size", "std::istream::get").replace("std::forward<float&>", "std::sort<int*>")])
def test_functions_that_stay_when_optimised_show_no_build(alone, report):
    one = finding(alone(f"$ g++ -g fir.cpp\n\nperf report:\n\n{report}"), "unoptimised-build")
    assert one["verdict"] == "undecided" and "whether that is the program that was timed" in one["reason"]


@pytest.mark.parametrize("above, below, is_one", [("service A", "service B", False), ("before", "after", True), ("cpu.stat", "40 s later", True), ("at noon", "then", True), ("pod1", "pod2", False), ("pod 1", "pod 2", False),
                                                  ("12:05", "12:06", True), ("t=0s", "t=60s", True)])
def test_two_looks_in_one_file_are_of_one_group_unless_it_names_two(alone, above, below, is_one):
    one = finding(alone(f"## {above}\n{stat(1000, 100, 9000000)}\n## {below}\n{stat(2000, 500, 40000000)}"), "cpu-quota")
    assert ("between two looks it was held back in 400 of 1000 periods" in one["headline"]) == is_one and one["verdict"] == "supported"


def test_counts_of_a_look_in_one_line(alone):
    found = alone("cpu.max: 150000 100000\n\nt=0s:  nr_periods 100  nr_throttled 2  throttled_usec 21000\nt=60s: nr_periods=700, nr_throttled=590, throttled_usec=81020000\n")
    assert "in 588 of 600 periods (98 %), for 81 s summed over its CPUs; it may use 1.5 CPUs" in finding(found, "cpu-quota")["headline"]


@pytest.mark.parametrize("command", ["$ g++ -g test.cpp -o t", "$ make CXXFLAGS='-O2 -g'\n\n$ g++ -g fir.cpp -o fir"])
def test_what_another_command_made_says_nothing_of_this_one(alone, command):
    found = alone(f"It is slow.\n\n{command}\n\nperf report:\n\n{REPORT.format(tail='')}")
    assert finding(found, "unoptimised-build")["verdict"] != "supported"


def test_a_mask_for_one_thread_does_not_lead(alone):
    found = alone(masked(MASK, ["8"], words="$ taskset -c 3 ./solver --threads 1\n\n16 cores."))
    assert finding(found, "affinity")["verdict"] not in ("supported", "undecided")


@pytest.mark.parametrize("first, last, is_one", [("before", "after", True), ("podA", "podB", False), ("pod1", "pod2", False)])
def test_folders_tell_of_looks_and_groups(run, tmp_path, first, last, is_one):
    words = []
    for folder, text in ((first, stat(1000, 100, 9000000)), (last, stat(2000, 500, 40000000))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "cpu.stat").write_text(text)
        words += ["--import", tmp_path / folder / "cpu.stat"]
    one = finding(json.loads(run("diagnose", "--json", *words).stdout), "cpu-quota")
    assert ("between two looks" in one["headline"]) == is_one


MAP = "$ bpftrace -e '{script} interval:s:10 {{ exit(); }}'\n\n@{name}[\n    __lll_lock_wait+29\n    pthread_mutex_lock+113\n    lru_touch+43\n    handle_get+123\n    start_thread+755\n]: {count}\n"


@pytest.mark.parametrize("name, count, words, verdict", [
    ("wait_us", 95980112, "It has 16 threads.", "supported"), ("wait_ns", 95980112000, "It has 16 threads.", "supported"),
    ("wait_us", 95980112, "", "undecided"),           # of how many threads?
    ("wait", 95980112, "It has 16 threads.", "undecided"),  # in which unit?
])
def test_bpftraces_sums_of_waits_are_no_samples(alone, name, count, words, verdict):
    found = alone(MAP.format(script="…", name=name, count=count) + f"\n{words}\n")
    one = finding(found, "lock-turns")
    assert one["verdict"] == verdict and "lru_touch first" in (one["headline"] or one["reason"]) and finding(found, "spinning")["verdict"] == "not_testable"
    assert verdict != "supported" or one["recoverable_ratio_at_most"] == pytest.approx(0.6, abs=0.01)


@pytest.mark.parametrize("name", ["", "wait_count"])
def test_bpftraces_counts_of_stacks_are_samples(alone, name):
    found = alone(MAP.format(script="profile:hz:99", name=name, count=9112))
    assert finding(found, "lock-turns")["verdict"] == "not_testable"


LOCKS = ("$ perf lock record {option} -- sleep 20\n$ perf lock report\n\n                Name   acquired  contended     avg wait   total wait     max wait     min wait\n\n"
         "       {lock:14}     102931      90120    442.80 us      39.91 s     17.92 ms      1.01 us\n         &rq->__lock         211         12      1.80 us     21.60 us      9.92 us      1.01 us\n\nIt has 4 threads.\n")


@pytest.mark.parametrize("option, lock, verdict", [("-p 4410", "&mm->mmap_lock", "supported"), ("-p 4410", "&zone->lock", "not_testable"), ("-a", "rtnl_mutex", "undecided")])
def test_waits_of_perf_lock_report(alone, option, lock, verdict):
    one = finding(alone(LOCKS.format(option=option, lock=lock)), "lock-turns")
    assert one["verdict"] == verdict and (verdict != "supported" or one["recoverable_ratio_at_most"] == pytest.approx(39.91 / 80))


TRACE = (" journald ({pid}), 12330 events, 99.9%\n\n   syscall            calls  errors  total       min       avg       max       stddev\n                                     (msec)    (msec)    (msec)    (msec)        (%)\n"
         "   --------------- --------  ------ -------- --------- --------- ---------     ------\n   fdatasync           2010      0  8123.110     1.102     4.041    31.220      1.10%\n"
         "   write               4020      0    41.220     0.002     0.010     0.201      0.80%\n\n")


@pytest.mark.parametrize("pids, verdict", [((3311,), "supported"), ((3311, 3312), "undecided")])
def test_perf_traces_one_thread(alone, pids, verdict):
    found = alone("$ perf trace -s -p 3311 -- sleep 10\n\n Summary of events:\n\n" + "".join(TRACE.format(pid=pid) for pid in pids))
    one = finding(found, "waiting")
    assert one["verdict"] == verdict and (verdict != "supported" or one["recoverable_ratio_at_most"] == pytest.approx(0.812, abs=1e-3))


def test_switches_between_threads_tell_without_an_elapsed_time(alone):
    text = masked(MASK, ["1"] * 4, words="A machine with 16 cores.") + "$ perf stat -p 20118 -- sleep 10\n          9,998.11 msec task-clock                #    0.999 CPUs utilized\n            {}      context-switches\n"
    assert finding(alone(text.format("31,204")), "affinity")["verdict"] == "supported"
    assert finding(alone(text.format("204")), "affinity")["verdict"] == "undecided"
