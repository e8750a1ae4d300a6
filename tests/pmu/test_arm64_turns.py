# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of events in turns, as plumb diagnose counts them, on a real PMU driver: an emulated Neoverse N1 (tests/arm64_kernel.sh), two cycles an instruction.
The static core has no diagnose: a program around the same functions stands for it (turn_counts.c)."""
import re

import pytest

from arm64_guest import CORE, compile_for_arm64

TURNS = 150000000
INSTRUCTIONS = 6 * TURNS
PROGRAM = """
int main(void)
{
    unsigned long count = %d;
    __asm__ volatile("1: nop\\n nop\\n nop\\n nop\\n subs %%0, %%0, #1\\n b.ne 1b" : "+r"(count));
    return 0;
}
""" % TURNS


@pytest.fixture(scope="module")
def said(boot_arm64, source_root, tmp_path_factory):
    core = source_root / CORE
    objects = [path for path in (core / "plumb.p").glob("*.o") if not path.name.endswith("main.c.o")]
    counts = tmp_path_factory.mktemp("turns") / "turn_counts"
    compile_for_arm64(source_root / "tests/pmu/turn_counts.c", counts,
                      ["-std=gnu17", "-D_GNU_SOURCE", "-DPLUMB_STATIC_CORE", f"-I{source_root / 'src'}", source_root / "src/capture/counters/turn_counters.c",
                       source_root / "src/capture/counters/counter_set.c", *objects, "-lm"], core)
    return boot_arm64("say counts; ./turn_counts ./program; echo status $?", "-c", "neoverse-n1", "-f", counts, program=PROGRAM).said["counts"]


def test_every_group_has_its_turns_and_ratios_are_exact(said):
    assert "status 0" in said, said
    groups = re.findall(r"^group \d+: (\d+) windows, (.*)$", said, re.M)
    assert len(groups) >= 3 and all(int(windows) >= 2 for windows, _ in groups), said
    for _, events in groups:
        counts = {name: float(count) for name, count in (event.rsplit(" ", 1) for event in events.split(", "))}
        assert counts["cpu_cycles"] > 0
        if "inst_retired" in counts:
            assert abs(counts["cpu_cycles"] / counts["inst_retired"] - 2) < 0.01, events


def test_the_turns_stand_for_the_whole_run(said):
    other = dict(re.findall(r"^other: (\S+) (\d+) ratio", said, re.M))
    assert abs(float(other["instructions"]) / INSTRUCTIONS - 1) < 0.15, other


def test_turns_have_the_callers_clock(said):
    """What was counted in a phase is known by the time: no two turns at once, none before or after the run, and the others' the only gap."""
    outside, together, share = re.search(r"^turns: (\d+) outside, (\d+) together, (\S+) of the time$", said, re.M).groups()
    assert (outside, together) == ("0", "0") and 0.5 < float(share) < 1, said


def test_what_the_pmu_offers_becomes_nodes(said):
    nodes = {name: (float(value), float(seen)) for name, value, seen in re.findall(r"^node: (\S+) (\S+) seen (\S+)$", said, re.M)}
    assert nodes["Stalled_Frontend"][0] == 0 and abs(nodes["Info_Thread_IPC"][0] - 0.5) < 0.01, nodes
    assert 0.15 < nodes["Stalled_Backend"][1] < 0.35, "a turn of four"
