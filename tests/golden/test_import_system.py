# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose on what people published of whole systems: exits, clocks, pauses, system calls, pages, waits."""
import shutil

import pytest
from imported_case import finding

HEAD = "             VM-EXIT    Samples  Samples%     Time%    Min Time    Max Time         Avg time\n\n"


def exits(**reasons):
    """A table of perf kvm stat: reason=(count, mean in us)."""
    return "```\n" + HEAD + "".join(
        f"  {name}  {count}  10.00%  10.00%  0.10us  99999.00us  {mean:.2f}us ( +-  0.10% )\n"
        for name, (count, mean) in reasons.items()) + "```\n"


FEW = exits(hlt=(9000, 900), interrupt=(10233, 3.05), msr=(40110, 1.05))
MANY = exits(io=(1200340, 7.30), interrupt=(10233, 3.05), msr=(40110, 1.05))


@pytest.fixture
def alone(imported):
    """alone(text) -> the JSON of a case made of this text alone."""
    def make(text):
        found, case = imported(case=text)
        shutil.rmtree(case)
        return found
    return make


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
