# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb topdown on a real PMU driver (tests/arm64_kernel.sh: an emulated arm64 kernel, whose stalls are always 0)."""
import json
import re

COMMANDS = r"""
L='i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done'
say program; ./plumb topdown --drill -- sh -c "$L" 2>&1; echo "status $?"
say cores; ./plumb topdown -a --per-core -I 20 -- sh -c "$L" 2>/dev/null; echo "status $?"
say fields; ./plumb topdown -x, -I 20 -- sh -c "$L" 2>/dev/null
say json; ./plumb topdown -j -- sh -c "$L" 2>/dev/null
say lines; ./plumb topdown -x, -- sh -c "$L; exit 3" 2>/dev/null; echo "status $?"
say absent; ./plumb topdown -- /nonexistent 2>&1; echo "status $?"
say nosuch; ./plumb topdown --nodes nosuch -- true 2>&1; echo "status $?"
"""


def test_a_core_with_tables_has_its_nodes(boot_arm64):
    said = boot_arm64(COMMANDS, "-c", "neoverse-n1").said
    assert re.search(r"^Stalled_Backend +0\.0 %", said["program"], re.M) and "status 0" in said["program"]
    assert re.search(r"^Info_Thread_IPC +0\.5", said["program"], re.M), said["program"]
    assert re.search(r"^CPU 0 .*Stalled_Frontend", said["cores"], re.M) and re.search(r"^CPU 1 ", said["cores"], re.M)
    assert said["cores"].startswith("Over time\n") and said["cores"].index("-0.") < said["cores"].index("Top-down of"), said["cores"]
    fields = said["fields"].splitlines()
    assert re.match(r"0\.\d{3},0\.\d{3},Stalled_\w+,[\d.-]+,%$", fields[0]) and fields[-1].count(",") > 4, fields
    document = json.loads(said["json"])
    node = next(node for node in document["nodes"] if node["name"] == "Stalled_Frontend")
    assert node["value"] == 0 and node["quality"] == "exact" and node["threshold"] == "not flagged" and len(node["interval"]) == 2
    assert "Stalled_Backend,0,%,not flagged,exact," in said["lines"] and "status 3" in said["lines"]
    assert "No such file" in said["absent"] and "status 127" in said["absent"]
    assert "no node or metric 'nosuch'" in said["nosuch"] and "status 2" in said["nosuch"]


def test_a_core_without_tables_has_architectural_events(boot_arm64):
    said = boot_arm64(COMMANDS, "-c", "cortex-a57").said
    assert "no events and metrics of its own for this CPU" in said["program"]
    assert re.search(r"^Instructions_Per_Cycle +0\.5", said["program"], re.M) and "status 0" in said["program"]
    assert "Branch_Misses_PKI,<not measured>" in said["lines"]
