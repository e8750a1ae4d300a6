# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb topdown on a real PMU driver (tests/arm64_kernel.sh: an emulated arm64 kernel, whose stalls are always 0)."""
import json
import re

import pytest

from arm64_guest import compile_for_arm64

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


# ---- a leaf that this PMU can count, and what is at it ---------------------------------------------------------------------

TABLES = {
    "mapfile.csv": """Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name
0x00000000410fd0c0,V1,/N1/events.json,core,,,
0x00000000410fd0c0,V1,/N1/metrics.json,metrics,,,
""",
    "N1/events.json": json.dumps({"Header": {}, "Events": [
        {"EventName": name, "EventCode": code, "UMask": "0x00", "Counter": "0,1,2,3,4,5", "SampleAfterValue": "100003", "BriefDescription": name}
        for name, code in (("CPU_CYCLES", "0x11"), ("INST_RETIRED", "0x08"))]}),
    "N1/metrics.json": json.dumps({"Header": {"TmaVersion": "5.2"}, "Metrics": [{
        "MetricName": "Waiting", "LegacyName": "metric_TMA_Waiting(%)", "Level": 1, "BriefDescription": "cycles without an instruction",
        "UnitOfMeasure": "percent", "Events": [{"Name": "INST_RETIRED", "Alias": "a"}, {"Name": "CPU_CYCLES", "Alias": "b"}], "Constants": [],
        "Formula": "100 * ( 1 - a / b )", "Category": "TMA", "CountDomain": "Clocks", "MetricGroup": "TmaL1", "LocateWith": "CPU_CYCLES",
        "Threshold": {"ThresholdMetrics": [{"Alias": "a", "Value": "metric_TMA_Waiting(%)"}], "Formula": "a > 20"}}]}),
}
PROGRAM = r"""
volatile unsigned long sink;
__attribute__((noinline)) void twice(void) { for (int i = 0; i < 20000; i++) sink += i; }
__attribute__((noinline)) void once(void) { for (int i = 0; i < 10000; i++) sink += i; }
int main(void) { for (int i = 0; i < 1000; i++) { twice(); once(); } return 0; }
"""
LEAF_COMMANDS = r"""
T="./plumb topdown --drill --tables tables"
say leaf; $T -- ./program 2>&1; echo "status $?"; grep arm-pmu /proc/interrupts
mv plumb-topdown.data leaf.data
say storm; $T -- ./luckless storm 100 5 2>&1; echo "status $?"
say counted; for n in 0 50 100; do ./plumb stat -x, -e instructions:u -- ./luckless storm $n 5 2>&1; done
say metric; ./plumb stat -x, -M Waiting --tables tables -- ./luckless storm 20 5 2>&1; echo "status $?"
counting() { until ls -l /proc/[0-9]*/fd 2>/dev/null | grep -q perf_event; do sleep 0.1; done; sleep 1; }
say stopped; $T -- ./luckless spin 60 >out 2>&1 & P=$!; counting; kill -TERM $P; wait $P; echo "status $?"; cat out
say watched; ./luckless spin 100 & P=$!; (counting; kill $P) & $T -p $P --duration 90 2>&1; echo "status $?"
"""


@pytest.fixture(scope="module")
def drilled(source_root, boot_arm64, tmp_path_factory):
    folder = tmp_path_factory.mktemp("leaf")
    for name, text in TABLES.items():
        (folder / "tables" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "tables" / name).write_text(text)
    compile_for_arm64(source_root / "tests/live/luckless.c", folder / "luckless", ["-pthread"])
    booted = boot_arm64(LEAF_COMMANDS, "-c", "neoverse-n1", "-f", folder / "tables", "-f", folder / "luckless", program=PROGRAM,
                        flags=["-g", "-fomit-frame-pointer"])
    (booted.folder / "files/host").mkdir(parents=True)
    (booted.folder / "program").rename(booted.folder / "files/host/program")
    return booted


def test_the_leaf_is_sampled_by_the_pmus_interrupts(drilled, run):
    folder, said = drilled
    assert re.search(r"^Waiting +50\.0 % .*flagged, the leaf", said["leaf"], re.M) and "status 0" in said["leaf"], said["leaf"]
    samples = int(re.search(r"^(\d+) samples of cpu_cycles, which isn't precise, stand in plumb-topdown.data", said["leaf"], re.M).group(1))
    interrupts = re.search(r"^ *\d+: +(\d+) +(\d+) .*arm-pmu", said["leaf"], re.M)
    assert 0 < samples <= sum(map(int, interrupts.groups()))
    text = run("report", "-i", folder / "leaf.data", "--symfs", folder / "files", "-g", "none", "--no-children").stdout
    (first, twice), (second, once) = re.findall(r"^ +([0-9.]+)%.*\[\.\] (twice|once)\b", text, flags=re.M)
    assert (twice, once) == ("twice", "once") and abs(float(first) - 2 * float(second)) < 12, text


def test_a_fork_storm_is_counted_whole(drilled):
    _, said = drilled
    assert "status 5" in said["storm"] and re.search(r"^Waiting +\d+\.\d %", said["storm"], re.M), said["storm"]
    none, half, whole = (int(count) for count in re.findall(r"^(\d+),,instructions:u", said["counted"], re.M))
    assert half > 50 * 1000 and abs((whole - none) - 2 * (half - none)) < 0.02 * whole, said["counted"]
    assert "status 5" in said["metric"] and re.search(r"^\d+,,inst_retired,", said["metric"], re.M), said["metric"]


def test_what_was_counted_until_the_end_is_said(drilled):
    _, said = drilled
    assert "status 143" in said["stopped"] and "it was interrupted" in said["stopped"] and re.search(r"^Waiting +\d", said["stopped"], re.M), said["stopped"]
    assert re.search(r"^Waiting +\d", said["watched"], re.M) and "could not be sampled: no process" in said["watched"], said["watched"]
