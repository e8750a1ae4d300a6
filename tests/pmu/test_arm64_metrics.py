# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics and the top-down tree on a real PMU driver: an emulated Neoverse N1 (tests/arm64_kernel.sh), whose cycles are two an instruction."""
import json
import re

import pytest

PROGRAM = r"""
#include <stdlib.h>
int main(int count, char **words)
{
    unsigned long n = count > 1 ? strtoul(words[1], NULL, 10) : 1000;
    asm volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(n) :: "cc");
    return 3;
}
"""
COMMANDS = r"""
say metrics; ./plumb stat -x, -M Info_Thread_IPC,TopdownL1 ./turns 20000000 2>&1; echo "status $?"
say json; ./plumb stat -j -M TopdownL1 ./turns 20000000 2>&1
say text; ./plumb stat -M TopdownL1 ./turns 1000000 2>&1
say columns; ./plumb stat --topdown ./turns 1000000 2>&1
say deep; ./plumb stat --topdown --td-level 4 ./turns 1000000 2>&1; echo "status $?"
say cache; ./plumb stat -x, -M Info_Memory_LLC_Read_MPKI ./turns 1000000 2>&1
say cpus; ./plumb stat -a -A -x, -M Info_Thread_IPC sleep 0.1 2>&1
say interval; ./plumb stat -I 20 -x, -M Info_Thread_IPC ./turns 20000000 2>&1
say tree; ./plumb topdown --json ./turns 20000000; echo "status $?"
say counts; ./plumb stat -x, -e '{cpu_cycles,inst_retired,stall_frontend,stall_backend}:u' -o counts.csv ./turns 20000000; ./plumb topdown --from counts.csv -x ';'
"""


@pytest.fixture(scope="module")
def guest(boot_arm64):
    return boot_arm64(COMMANDS, "-c", "neoverse-n1", "-n", "1", name="turns", program=PROGRAM).said


def test_metrics_stand_beside_their_counts(guest):
    values = {line.split(",")[-1]: float(line.split(",")[-2]) for line in guest["metrics"].splitlines() if line.count(",") > 5 and line.split(",")[-1]}
    assert values == pytest.approx({"info_thread_ipc": 0.5, "%  stalled_frontend": 0, "%  stalled_backend": 0}, abs=0.005)
    assert "status 3" in guest["metrics"]
    counts = {line.split(",")[2]: int(line.split(",")[0]) for line in guest["metrics"].splitlines() if line[:1].isdigit()}
    assert counts["cpu_cycles"] == pytest.approx(2 * counts["inst_retired"], rel=0.01) and counts["inst_retired"] > 40_000_000
    units = [json.loads(line).get("metric-unit") for line in guest["json"].splitlines() if line.startswith("{")]
    assert {"%  stalled_frontend", "%  stalled_backend"} <= set(units)
    assert re.search(r"stall_frontend +# +0\.0 %  stalled_frontend", guest["text"])


def test_topdown_has_columns_and_no_level_that_is_not_there(guest):
    heading, values = [line for line in guest["columns"].splitlines() if "stalled" in line or re.fullmatch(r"[ \d.]+", line)][:2]
    assert "stalled_frontend" in heading and "stalled_backend" in heading and values.split() == ["0.0", "0.0"]
    assert "status 2" in guest["deep"] and "level" in guest["deep"]


def test_a_cache_that_no_firmware_named_is_not_measured(guest):
    assert "not measured: info_memory_llc_read_mpki" in guest["cache"] and ",info_memory" not in guest["cache"]


def test_places_and_intervals_have_their_own_values(guest):
    assert re.search(r"^CPU0,.*,info_thread_ipc$", guest["cpus"], re.M)
    ratios = [float(line.split(",")[-2]) for line in guest["interval"].splitlines() if line.endswith("info_thread_ipc")]
    assert ratios and ratios == pytest.approx([0.5] * len(ratios), abs=0.01)


def test_the_tree_of_a_processor_without_slots_is_cycle_accounting(guest):
    text, _, status = guest["tree"].rpartition("status ")
    document = json.loads(text[text.index("{"):])
    nodes = {node["path"]: node for node in document["nodes"]}
    assert document["cpu"] == "NEOVERSE-N1" and status.strip() in ("0", "3")
    assert nodes["Stalled_Backend"]["value"] == pytest.approx(0, abs=0.01) and nodes["Info_Thread_IPC"]["value"] == pytest.approx(0.5, rel=0.01)
    assert re.search(r"^Stalled_Backend;0;%;not flagged;exact", guest["counts"], re.M)
