# SPDX-License-Identifier: GPL-3.0-or-later
"""Reasons that stay open: what is known of a cause is said, and nothing that the import contradicts."""
import shutil

import pytest
from imported_case import evidence, finding

RUN = """ Performance counter stats for '{what}':

         {ms:,.2f} msec task-clock                #    {cpus:.3f} CPUs utilized
         {switches:>9,}      context-switches
         {moves:>9,}      cpu-migrations
 {cycles:,}      cycles
 {work:,}      instructions

      {seconds} seconds time elapsed
"""


def run_of(what="./pricer book", ms=61203.11, seconds=61.264334110, switches=121, moves=2, more=""):
    return RUN.format(what=what, ms=ms, seconds=seconds, cpus=ms / 1e3 / seconds, switches=switches, moves=moves, cycles=183609330110, work=201120334110) + more


@pytest.fixture
def of_files(imported):
    def make(*said, **texts):
        found, case = imported(*said, **texts)
        shutil.rmtree(case)
        return found
    return make


OFF_CPU = ("waiting", "oversubscribed", "cpu-quota")


def verdicts(found, *causes):
    return [finding(found, cause)["verdict"] for cause in causes]


# ---- CPUs in use ----

def test_a_whole_cpu_leaves_one_thread_no_time_to_wait(alone):
    found = alone(run_of())
    assert verdicts(found, *OFF_CPU) == ["ruled_out"] * 3
    assert "it used 0.999 CPUs by task-clock" in finding(found, "waiting")["reason"] and "nothing imported tells of more threads" in finding(found, "waiting")["reason"]


@pytest.mark.parametrize("change", [dict(what="./pricer --threads 4"), dict(what="bwa mem -t 8 hg38.fa"), dict(ms=63101.2), dict(switches=812033)])
def test_several_threads_may_wait_while_others_run(alone, change):
    found = alone(run_of(**change))
    waiting = finding(found, "waiting")
    assert waiting["verdict"] == "undecided" and "whether some of its threads waited meanwhile isn't told" in waiting["reason"], waiting
    assert not waiting["recoverable_ratio_at_most"] and "waiting" not in " ".join(found["verdict"]["open"]), "it is no lead"


def test_whoever_speaks_of_threads(of_files):
    profile = "# Samples: 9K of event 'cycles'\n#\n# Overhead  Command  Shared Object  Symbol\n# ........  .......  .............  ......\n#\n    61.20%  pricer  pricer  [.] work\n     9.20%  pricer  libc.so.6  [.] pthread_cond_wait\n"
    assert finding(of_files("It runs with 16 threads.", run=run_of()), "waiting")["verdict"] == "undecided"
    assert finding(of_files("It is single-threaded.", run=run_of()), "waiting")["verdict"] == "ruled_out"
    assert finding(of_files(run=run_of(), profile=profile), "waiting")["verdict"] == "undecided"
    assert finding(of_files(run=run_of(), profile=profile.replace("pthread_cond_wait", "memcpy")), "waiting")["verdict"] == "ruled_out"


def test_less_than_a_cpu_is_waiting(alone):
    waiting = finding(alone(run_of(ms=21203.11)), "waiting")
    assert waiting["verdict"] == "supported" and waiting["recoverable_ratio_at_most"] == pytest.approx(1 - 21.20311 / 61.26433411)
    waiting = finding(alone(run_of(what="process id '4711", ms=21203.11)), "waiting")
    assert waiting["verdict"] == "undecided" and "had nothing to do" in waiting["reason"], "who attaches to a server sees it idle"
    assert finding(alone(run_of(what="system wide", ms=483203.11)), "waiting")["verdict"] == "not_testable", "of a machine's CPUs"


GNU = "	Command being timed: \"python3 crunch.py\"\n	User time (seconds): {}\n	System time (seconds): 3.10\n	Percent of CPU this job got: 103%\n	Elapsed (wall clock) time (h:mm:ss or m:ss): 0:49.71\n"


@pytest.mark.parametrize("text", [GNU.format(48.12), "\tPercent of CPU this job got: 103%\n\tMaximum resident set size (kbytes): 102344\n"])
def test_more_than_a_cpu_by_other_tools(alone, text):
    waiting = finding(alone(text), "waiting")
    assert waiting["verdict"] == "undecided" and "it used 1.03 CPUs by user + sys" in waiting["reason"]


def test_user_and_sys_of_a_whole_cpu_rule_nothing_out(alone):
    waiting = finding(alone(GNU.format(46.4)), "waiting")
    assert waiting["verdict"] == "undecided" and "used 0.996 CPUs" in waiting["reason"], "threads that take turns look alike"


def test_a_process_by_pidstat(alone):
    table = ("Linux 5.15.0 (web) \t03/11/24 \t_x86_64_\t(32 CPU)\n\n09:30:01      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
             "09:30:06       33        21   12.40    6.20    0.00    0.20   18.60    4  nginx\n09:30:06       33        22   11.80    6.60    0.00    0.20   18.40   11  nginx\n")
    waiting = finding(alone(table), "waiting")
    assert waiting["verdict"] == "undecided" and "each process of nginx used 0.185 CPUs by %CPU" in waiting["reason"]


def test_a_clock_behind_the_cycles_is_no_task_clock(alone):
    lines = [line for line in run_of().splitlines() if "task-clock" not in line]
    waiting = finding(alone("\n".join(lines).replace(" cycles", " cycles  #  3.0 GHz") + "\n"), "waiting")
    assert waiting["verdict"] == "undecided" and "0.999 CPUs by its cycles and their clock" in waiting["reason"]


# ---- moves between CPUs ----

@pytest.mark.parametrize("moves, verdict", [(2, "ruled_out"), (812033, "undecided")])
def test_moves_between_cpus_are_bounded_by_their_count(alone, moves, verdict):
    found = alone(run_of(moves=moves))
    one = finding(found, "migrations")
    assert one["verdict"] == verdict and f"{moves} cpu-migrations, 3 ms each" in one["reason"]
    assert one["recoverable_ratio_at_most"] == pytest.approx(min(moves * 3e-3 / 61.20311, 1))


def test_who_is_not_taken_off_a_cpu_is_not_moved(alone):
    found = alone("".join(line + "\n" for line in run_of().splitlines() if "migrations" not in line))
    assert finding(found, "migrations")["verdict"] == "ruled_out" and "121 context-switches" in finding(found, "migrations")["reason"]
    found = alone("".join(line + "\n" for line in run_of().splitlines() if "migrations" not in line and "switches" not in line))
    assert finding(found, "migrations")["verdict"] == "not_testable"


# ---- loads that memory answered ----

MISSES = " Performance counter stats for './walk in':\n\n 9,120.33 msec task-clock\n 27,360,990,000 cycles\n 8,208,297,000 instructions\n {:,} {}\n\n 9.130114020 seconds time elapsed\n"


def test_misses_of_the_last_cache_have_an_interval(alone):
    found = alone(MISSES.format(181118330, "LLC-load-misses"))
    assert verdicts(found, "cache-misses", "dram-latency") == ["undecided"] * 2
    assert "as a core can have they take 4.1 %" in finding(found, "dram-latency")["reason"] and "90 ns each, it would be 179 %" in found["verdict"]["sentence"]
    assert not found["verdict"]["open"], "it is said already"
    found = alone(MISSES.format(581118330, "mem_load_retired.l3_miss"))
    misses = finding(found, "cache-misses")
    assert misses["verdict"] == "supported" and misses["confidence"] == "low" and "take at least is 20 %" in misses["headline"]
    assert finding(found, "dram-latency")["verdict"] == "undecided", "whether each waits, or all together, isn't counted"
    few = finding(alone(MISSES.format(1118330, "LLC-load-misses")), "dram-latency")
    assert few["verdict"] == "undecided" and "1.1 %" in few["reason"], "lines that were asked for ahead aren't counted"
    assert finding(alone(MISSES.format(1118330, "branch-misses")), "dram-latency")["verdict"] == "not_testable"


def test_misses_stay_open_beside_a_cause_that_is_certain(alone):
    found = alone(MISSES.format(181118330, "mem_load_retired.l3_miss").replace(" 8,208", " 10,670,786,100 dtlb_load_misses.walk_active\n 8,208"))
    assert found["verdict"]["culprit"] == "small-pages" and "single accesses that wait for DRAM" in " ".join(found["verdict"]["open"])


# ---- the governor, and how hot it was ----

TURBO = "Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tCoreTmp\tPkgTmp\n-\t-\t1190\t99.21\t{mhz}\t2600\t{degrees}\t{degrees}\n0\t0\t1191\t99.30\t{mhz}\t2600\t43\t{degrees}\n"
FILES = "".join(f"/sys/devices/system/cpu/cpu0/cpufreq/{name}\n" for name in
                ("cpuinfo_max_freq:3800000", "cpuinfo_min_freq:1200000", "scaling_driver:acpi-cpufreq", "scaling_governor:powersave", "scaling_max_freq:3800000"))
CPUPOWER = ("analyzing CPU 0:\n  driver: acpi-cpufreq\n  hardware limits: 1.20 GHz - 3.80 GHz\n  available cpufreq governors: performance powersave\n"
            "  current policy: frequency should be within 1.20 GHz and 3.80 GHz.\n                  The governor \"powersave\" may decide which speed to use\n                  within this range.\n")


@pytest.mark.parametrize("settings", [FILES, CPUPOWER, FILES.replace("cpuinfo_min", "cpuinfo_min_ignored").replace("cpuinfo_min_ignored_freq:1200000", "scaling_min_freq:1200000")])
def test_a_governor_that_asks_for_the_lowest_clock(of_files, settings):
    found = of_files(turbostat=TURBO.format(mhz=1200, degrees=44), settings=settings)
    clock = finding(found, "frequency")
    assert found["verdict"]["culprit"] == "frequency" and clock["recoverable_ratio_at_most"] == pytest.approx(1 - 1200 / 3800)
    assert "powersave (acpi-cpufreq), which asks for 1200 MHz" in evidence(clock) and "-g performance" in clock["advice"][0]
    heat = finding(found, "thermal-power")
    assert heat["verdict"] == "ruled_out" and "no limit of heat or power" in heat["reason"]


def test_a_governor_that_rises_with_the_load_is_none(of_files):
    found = of_files(turbostat=TURBO.format(mhz=1200, degrees=44), settings=FILES.replace("acpi-cpufreq", "intel_pstate"))
    clock, heat = finding(found, "frequency"), finding(found, "thermal-power")
    assert "governor is" not in evidence(clock) and heat["verdict"] == "undecided" and "44 degrees" in heat["reason"], "heat needs more than that"
    found = of_files(turbostat=TURBO.format(mhz=1200, degrees=88), settings=FILES.replace("powersave", "performance"))
    assert finding(found, "thermal-power")["verdict"] == "undecided" and "degrees" not in finding(found, "thermal-power")["reason"]


def test_the_governor_alone_and_clocks_above_its_lowest(of_files):
    found = of_files(settings=FILES)
    assert finding(found, "frequency")["verdict"] == "undecided" and "at which clock it ran isn't told" in finding(found, "frequency")["reason"]
    found = of_files(turbostat=TURBO.format(mhz=1800, degrees=44), settings=FILES)
    assert finding(found, "thermal-power")["verdict"] == "undecided", "something else moves it"
    found = of_files(settings=FILES + FILES.replace("cpu0", "cpu1").replace("powersave", "performance"))
    assert finding(found, "frequency")["verdict"] == "not_testable", "CPUs differ"


# ---- runs with settings ----

def runs_of(found):
    return next(one["text"] for one in found["statements"] if one["origin"].endswith("timed runs"))


GUESTS = "| guest | THP | seconds |\n|---|---|---|\n| plain | on | 41.0 |\n| confidential | off | 62.3 |\n| confidential | on | 41.2 |\n"


def test_runs_with_settings_have_no_median_and_their_gap_is_what_the_change_returned(alone):
    found = alone("With transparent huge pages both guests ran equally fast.\n\n" + GUESTS)
    assert "median" not in runs_of(found) and "confidential, THP off 62.3 s; confidential, THP on 41.2 s; plain, THP on 41 s" in runs_of(found)
    pages = finding(found, "small-pages")
    assert pages["verdict"] == "supported" and pages["recoverable_ratio"]["low"] == pytest.approx(1 - 41.2 / 62.3, abs=0.002)
    assert "41.2 s instead of 62.3 s" in evidence(pages)


def test_runs_of_one_thing_keep_their_median(alone):
    assert "3 runs, 41 to 62.3 s, median 41.2 s" in runs_of(alone("| build | seconds |\n|---|---|\n| a | 41.0 |\n| a | 62.3 |\n| a | 41.2 |\n"))


def test_a_number_of_a_run_names_no_counters(of_files):
    runs = "| run | THP | seconds |\n|---|---|---|\n| 1 | never | 140.1 |\n| 2 | always | 139.6 |\n| 3 | never | 139.8 |\n"
    found = of_files(stat=run_of(what="./graph500 -s 26"), runs=runs)
    assert "THP never 139.8 to 140.1 s; THP always 139.6 s" in runs_of(found)
    assert "with huge pages it took 139.6 s instead of 139.95 s" in str(found), "all runs of each"
    assert "stat.txt, 2" not in str(found) and "stat.txt, THP" not in str(found), "nothing says which run was counted"


# ---- exits that a tick may make ----

EXITS = ("Analyze events for all VMs, all VCPUs:\n\n             VM-EXIT    Samples  Samples%     Time%    Min Time    Max Time         Avg time\n\n"
         "                 npf      48213    38.11%    71.42%      4.02us   1180.33us     {npf}us ( +-   1.90% )\n"
         "                intr      61200    48.38%     9.80%      0.61us     92.10us      {intr}us ( +-   0.80% )\n"
         "                 msr      12400     9.80%     2.10%      0.70us     40.00us      4.71us ( +-   1.10% )\n"
         "                 hlt       4690     3.71%    16.68%      1.10us   9011.20us     98.90us ( +-  10.00% )\n\n"
         "Total Samples:126503, Total events handled time:2781100.00us.\n\nGetting rid of the tick (nohz_full on both sides) changed nothing.\n")


def test_interrupts_and_writes_of_msrs_are_of_ticks(alone):
    exits = finding(alone(EXITS.format(npf="41.20", intr=" 4.45")), "vm-exits")
    assert exits["verdict"] == "undecided" and "86 % of the time outside the guest is for exits that no tick makes, npf first" in exits["reason"]
    assert finding(alone(EXITS.format(npf=" 0.92", intr="44.50")), "vm-exits")["verdict"] != "undecided", "most may be a tick's, and without it nothing changed"
