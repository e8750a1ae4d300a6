# SPDX-License-Identifier: GPL-3.0-or-later
"""What servers, control groups and the scheduler count."""
import json

import pytest

from imported_case import finding

STATS = "# Commandstats\ncmdstat_get:calls=41220118,usec=61830177,usec_per_call=1.50\ncmdstat_{name}:calls={calls},usec={usec},usec_per_call={each:.2f},rejected_calls=0,failed_calls=0\ncmdstat_set:calls=8120331,usec=15428628,usec_per_call=1.90\n"
PROFILE = "\n# Overhead  Command  Shared Object  Symbol\n    58.12%  redis-server  redis-server  [.] {}\n     2.10%  redis-server  libc.so.6  [.] memmove\n"


@pytest.mark.parametrize("name, told", [("keys", "SCAN in small steps"), ("hgetall", "ask for the part that is needed"), ("eval", "SLOWLOG GET")])
def test_the_command_with_most_of_a_server_s_time_comes_first(alone, name, told):
    found = alone(STATS.format(name=name, calls=1840, usec=757120400, each=757120400 / 1840) + PROFILE.format("scanAll"))
    said = found["verdict"]["sentence"]
    assert f"91 % is in {name}, 1840 calls of 411 ms" in said and "scanAll (redis-server) holds 58.12 %" in said, said
    assert told in found["verdict"]["advice"][0], found["verdict"]["advice"]


def test_many_commands_that_share_a_server_s_time_name_none(alone):
    found = alone(STATS.format(name="keys", calls=18, usec=7571204, each=420622) + PROFILE.format("scanAll"))
    assert "in get, 41220118 calls of 0.0015 ms" in found["verdict"]["sentence"], found["verdict"]
    found = alone(STATS.format(name="keys", calls=180, usec=61830000, each=343500) + PROFILE.format("scanAll"))
    assert "commands" not in found["verdict"]["sentence"], found["verdict"]


def slow(locked, took=(9.81, 10.2, 10.55)):
    return "".join(f"# Time: 2024-11-05T09:14:2{at}.118204Z\n# User@Host: shop[shop] @ app [10.0.4.13]  Id: 8812{at}\n# Query_time: {time:.6f}  Lock_time: {time * locked:.6f} Rows_sent: 0  Rows_examined: 1\n"
                   f"SET timestamp=1730798062;\nUPDATE stock SET n=n-1 WHERE id=4;\n" for at, time in enumerate(took))


def test_slow_queries_that_wait_for_locks_lead_to_who_holds_them(alone):
    found = alone(slow(0.998))
    said = found["verdict"]["sentence"]
    assert said.startswith("Threads that take turns at a lock may hold it up") and "(UPDATE stock SET n=n-1 WHERE id=4 first) is 99.8 %" in said, said
    assert "data_locks" in found["verdict"]["advice"][0]
    found = alone(slow(0.02))
    assert finding(found, "lock-turns")["verdict"] == "not_testable", finding(found, "lock-turns")


def test_counts_of_servers_cut_anywhere_are_read_or_not(alone):
    text = STATS.format(name="keys", calls=1840, usec=757120400, each=411478) + slow(0.9)
    for length in range(1, len(text), 23):
        assert alone(text[:length])["verdict"]


EVENTS, STALLED = "low 0\nhigh {high}\nmax {most}\noom 0\noom_kill 0\n", "some avg10=81.20 avg60=79.44 avg300=78.02 total=642118204\nfull avg10=74.11 avg60=72.80 avg300=71.90 total=588120441\n"


def grouped(run, tmp_path, events, periods="nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n", used=151204118):
    files = {"memory.events": events, "memory.pressure": STALLED, "cpu.stat": f"usage_usec {used}\nuser_usec 98120441\nsystem_usec 53083677\n{periods}"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return json.loads(run("diagnose", "--json", *sum((["--import", tmp_path / name] for name in files), [])).stdout)


@pytest.mark.parametrize("high, most, limit", [(1204118, 0, "memory.high, 1204118 times"), (0, 811, "memory.max, 811 times"), (0, 0, None)])
def test_a_group_s_own_limit_is_named_as_what_memory_is_short_by(run, tmp_path, high, most, limit):
    found = grouped(run, tmp_path, EVENTS.format(high=high, most=most))
    said = found["verdict"]["sentence"]
    assert said.startswith("Memory read back from storage") and ("limit of memory" in said) == bool(limit) and (not limit or limit in said), said
    assert ("raise the group's limit" in found["verdict"]["advice"][0]) == bool(limit)


@pytest.mark.parametrize("periods, used, verdict", [("nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n", 151204118, "ruled_out"), ("nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n", 0, "not_testable"),
                                                    ("nr_periods 600\nnr_throttled 580\nthrottled_usec 48120441\n", 151204118, "supported")])
def test_a_group_that_ran_and_counts_no_periods_has_no_quota(run, tmp_path, periods, used, verdict):
    one = finding(grouped(run, tmp_path, EVENTS.format(high=0, most=0), periods, used), "cpu-quota")
    assert one["verdict"] == verdict, one


VTUNE = "Hierarchy Level\tMetric Name\tMetric Value\n0\tElapsed Time\t48.221\n0\tCPU Time\t760.118\n1\tEffective Time\t421.904\n1\tSpin Time\t{spin}\n2\tImbalance or Serial Spinning\t{waits}\n2\tLock Contention\t{locks}\n2\tOther\t3.452\n0\tTotal Thread Count\t16\n"
PRINTED = "Elapsed Time: 48.221s\n    CPU Time: 760.118s\n        Effective Time: 421.904s\n        Spin Time: {spin}s\n            Imbalance or Serial Spinning: {waits}s\n            Lock Contention: {locks}s\n    Total Thread Count: 16\n"


@pytest.mark.parametrize("form", [VTUNE, VTUNE.replace("\t", ","), PRINTED])
def test_what_threads_spin_for_by_vtune_is_the_larger_of_both(alone, form):
    found = alone(form.format(spin=331.007, waits=318.442, locks=9.113))
    assert "spinning till others are ready (imbalance or serial work) is 42 %" in found["verdict"]["sentence"] and "schedule(dynamic)" in found["verdict"]["advice"][0], found["verdict"]
    found = alone(form.format(spin=331.007, waits=9.113, locks=318.442))
    assert "spinning for locks is 42 %" in found["verdict"]["sentence"] and "schedule(dynamic)" not in found["verdict"]["advice"][0], found["verdict"]
    assert finding(alone(form.format(spin=5.1, waits=4.1, locks=1.0)), "spinning")["verdict"] != "supported"


# ---- threads' rows, CPUs that are told busy ----

SCHED = ("  Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    |\n -----------------------------------------------------------------------\n"
         "  render:(32)           | {own:.3f} ms |   812044 | avg:  {delay:.3f} ms | max:  61.220 ms |\n  sshd:1204             |     12.004 ms |      311 | avg:   0.021 ms | max:   1.220 ms |\n")


@pytest.mark.parametrize("told, full", [("CPUs are 100 % busy in all of them.", True), ("All 8 cores were at 100% utilised.", True), ("Two of the CPUs are 100 % busy.", False), ("2 cores were 100 % busy.", False), ("The CPUs are 10 % busy.", False)])
def test_who_waits_for_cpus_that_are_told_to_be_busy_is_more_than_there_are(imported, told, full):
    found, _ = imported(sched=SCHED.format(own=568012, delay=4.9), note=told + "\n")
    assert (finding(found, "oversubscribed")["verdict"] == "supported") == full and (finding(found, "affinity")["verdict"] == "ruled_out") == full
    assert "others wait for" not in found["verdict"]["sentence"] and (not full or "fewer threads of it" in found["verdict"]["advice"][0])


THREADS = "14:20:11      UID      TGID       TID    %usr %system  %guest   %wait    %CPU   CPU  Command\n14:20:21     1000     20188         -   {all:.2f}    2.20    0.00    0.00  {all:.2f}     3  app\n"


@pytest.mark.parametrize("wait, verdict", [(0.1, "ruled_out"), (61.0, "undecided")])
def test_rows_of_single_threads_tell_how_long_they_waited_for_cpus(alone, wait, verdict):
    text = THREADS.format(all=101.3) + "".join(f"14:20:21     1000         -     {20191 + at}   12.40    0.30    0.00    {wait:.2f}   12.70     {at}  |__app\n" for at in range(8))
    found = alone("Linux 6.1.0 (build4)  05/12/24  _x86_64_  (16 CPU)\n\n" + text)
    assert finding(found, "oversubscribed")["verdict"] == verdict, finding(found, "oversubscribed")
    assert "each such process" not in str(found["statements"])


FLOPS = ("+----------------------+-------------+\n|        Metric        | HWThread 0  |\n+----------------------+-------------+\n|  Runtime (RDTSC) [s] |     14.2140 |\n|      Clock [MHz]     |   4958.1102 |\n"
         "|          CPI         |      {cpi} |\n|     DP [MFLOP/s]     |   1125.6650 |\n|   Packed [MUOPS/s]   |   {packed} |\n|   Scalar [MUOPS/s]   |   {scalar} |\n+----------------------+-------------+\n")


@pytest.mark.parametrize("cpi, packed, scalar, leads", [(0.8811, 0, 1125.665, True), (0.8811, 1125.665, 3.1, False), (0.8811, 600, 900, False), (0.8811, 0, 91.2, False)])
def test_scalar_operations_of_likwid_s_rates_lead_where_they_are_many(alone, cpi, packed, scalar, leads):
    found = alone("likwid-perfctr -C 0 -g FLOPS_DP ./nbody\n\n" + FLOPS.format(cpi=cpi, packed=packed, scalar=scalar))
    assert found["verdict"]["sentence"].startswith("Scalar or narrow vector code may hold it up") == leads, found["verdict"]
    assert not leads or "20 % as many as all instructions" in found["verdict"]["sentence"]
    assert "time elapsed" not in str([one for one in found["statements"] if one["origin"] == "not read"])


def test_what_likwid_s_benchmark_gives_bounds_the_bandwidth_in_use(alone):
    rate = "likwid-perfctr -C 0 -g MEM ./nbody\n\n+----+----+\n| Metric | HWThread 0 |\n+----+----+\n| Runtime (RDTSC) [s] | 14.22 |\n| Memory bandwidth [MBytes/s] | {} |\n+----+----+\n\nlikwid-bench's load on the same cores gives 21.4 GB/s.\n"
    assert finding(alone(rate.format(79.63)), "memory-bandwidth")["verdict"] == "ruled_out"
    assert finding(alone(rate.format(19800.1)), "memory-bandwidth")["verdict"] == "supported"
