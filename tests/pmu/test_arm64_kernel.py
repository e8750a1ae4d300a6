# SPDX-License-Identifier: GPL-3.0-or-later
"""A real PMU: the static core inside an emulated arm64 kernel, whose counts are exact (tests/arm64_kernel.sh)."""
import json
import re

import pytest

COMMANDS = r"""
say group; ./plumb stat -x, -e '{cycles,instructions}:u,r8:u,armv8_pmuv3/inst_retired,name=mine/u' ./plumb --version 2>&1 >/dev/null
say many; ./plumb stat -x, -e r8,r8,r8,r8,r8,r8,r8,r8,r8 ./plumb doctor --json 2>&1 >crowded.json
./plumb doctor --json >doctor.json
I=instructions
say toobig; ./plumb stat -x, -e "{$I,$I,$I,$I,$I,$I,$I}" true 2>&1
say weak; ./plumb stat -x, -a -e "{$I,$I,$I,$I,$I,$I,$I}:W" sleep 0.1 2>&1
say cpus; ./plumb stat -x, -a -A -e cycles,instructions sleep 0.1 2>&1
say interval; ./plumb stat -x, -C 1 -I 50 -e cycles sleep 0.12 2>&1
say repeat; ./plumb stat -x, -r 3 -e instructions:u true 2>&1
say list; ./plumb list --countable instructions cache-misses armv8; echo "status $?"
"""


@pytest.fixture(scope="module")
def guest(boot_arm64):
    return boot_arm64(COMMANDS)


def counts(guest, name):
    return [line.split(",") for line in guest.said[name].splitlines() if line and not line.startswith("#")]


def test_cycles_and_instructions_of_one_group_are_exact(guest):
    rows = counts(guest, "group")
    cycles, instructions, raw, named = (int(row[0]) for row in rows)
    assert cycles == 2 * instructions > 10000
    assert instructions == raw == named
    assert rows[3][2] == "mine"
    assert all(row[4] == "100.00" for row in rows)


def test_nine_events_share_six_counters_and_are_scaled(guest):
    rows = counts(guest, "many")
    values = [int(row[0]) for row in rows]
    shares = [float(row[4]) for row in rows]
    assert len(values) == 9 and all(0 < share < 100 for share in shares)
    assert sum(shares) == pytest.approx(600, rel=0.1)
    assert max(values) < 2 * min(values)


def test_a_group_of_seven_does_not_fit(guest):
    rows = counts(guest, "toobig")
    assert [row[0] for row in rows[6:]] == ["<not supported>"]
    assert all(int(row[0]) > 0 for row in rows[:6])


def test_a_weak_group_that_does_not_fit_is_counted_apart_on_cpus_too(guest):
    rows = counts(guest, "weak")
    assert len(rows) == 7 and all(row[0].isdigit() and int(row[0]) > 0 for row in rows)


def test_each_cpu_has_its_line(guest):
    assert [(row[0], row[3]) for row in counts(guest, "cpus")] == [
        ("CPU0", "cycles"), ("CPU1", "cycles"), ("CPU0", "instructions"), ("CPU1", "instructions")]


def test_intervals_are_counted_apart(guest):
    rows = counts(guest, "interval")
    assert len(rows) >= 2 and all(int(row[1]) > 1e6 for row in rows)


def test_repeated_runs_have_their_noise(guest):
    (row,) = counts(guest, "repeat")
    assert int(row[0]) > 1000 and row[3].endswith("%")


def capabilities(guest, name):
    facts = json.loads((guest.folder / name).read_text())
    return facts, {row["id"]: row for row in facts["capabilities"]}


def test_doctor_sees_that_somebody_else_holds_the_counters(guest):
    _, rows = capabilities(guest, "crowded.json")
    assert any(row["blocker"] == "another user of the PMU" for row in rows.values())


def test_doctor_proves_the_pmu_on_known_work(guest):
    facts, rows = capabilities(guest, "doctor.json")
    for works in ("cycles", "instructions", "raw", "group-size", "sampling", "uprobe", "tracepoint", "breakpoint"):
        assert rows[works]["verdict"] == "works", rows[works]
    assert rows["branches"]["errno"] == "ENOENT"
    assert rows["precise"]["verdict"] == "blocked"
    assert rows["msr"]["blocker"] == "hardware"
    assert facts["pmu"]["tier"] == "architectural" and facts["pmu"]["group_size"] == 6


def test_list_says_what_counts_and_what_not(guest):
    verdict = {re.split(r"\s+", line.strip())[0]: line for line in guest.said["list"].splitlines()}
    assert verdict["status"] == "status 0"
    assert verdict["instructions"].endswith("countable")
    assert "PMU has no such event" in verdict["cache-misses"]
    assert verdict["armv8_pmuv3/inst_retired/"].endswith("countable")
