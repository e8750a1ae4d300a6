# SPDX-License-Identifier: GPL-3.0-or-later
"""What several imported tables say together that none of them says alone."""
import pytest
from imported_case import evidence, finding

CLASSES = "tma_memory_bound 71.5 %\ntma_dram_bound 62.0 %\ntma_mem_bandwidth 55.5 %\ntma_mem_latency 12.1 %\n"
NODES = """
Per-node process memory usage (in MBs) for PID 4711 (fft)
                           Node 0          Node 1           Total
                  --------------- --------------- ---------------
Huge                         0.00            0.00            0.00
Heap                        10.50         2101.50         2112.00
Stack                        0.10            0.20            0.30
Private                    120.40        18898.60        19019.00
----------------  --------------- --------------- ---------------
Total                      131.00        21000.30        21131.30
"""


def loads(local, remote, event="mem_load_l3_miss_retired"):
    return f"\n Performance counter stats for './fft':\n\n {local:,} {event}.local_dram\n {remote:,} {event}.remote_dram\n 901,118,334,118 cycles\n\n 11.3 seconds time elapsed\n"


@pytest.mark.parametrize("event", ["mem_load_l3_miss_retired", "mem_load_uops_l3_miss_retired", "mem_load_uops_llc_miss_retired"])
def test_loads_of_another_node_make_its_memory_lead(imported, event):
    found, _ = imported(notes=CLASSES + loads(90_118_330, 2_118_330_118, event))
    remote = finding(found, "numa-remote")
    assert found["verdict"]["culprit"] == "numa-remote" and remote["recoverable_ratio_at_most"] == pytest.approx(0.62 * 2118330118 / 2208448448)
    assert "96 % of the loads that memory answered came from another node" in remote["headline"] and "--membind" in str(remote["advice"])


def test_loads_of_its_own_node_leave_it_open(imported):
    found, _ = imported(notes=CLASSES + loads(2_118_330_118, 1_090_118_330))
    assert found["verdict"]["culprit"] == "memory-bandwidth" and finding(found, "numa-remote")["verdict"] != "supported"


@pytest.mark.parametrize("said, is_away", [("fft is bound to node 0.", True), ("All threads run on node 0 of two.", True), ("It runs on node 1.", False), ("It is fast.", False)])
@pytest.mark.parametrize("in_file", [True, False])
def test_memory_on_another_node_than_the_one_it_runs_on(imported, said, is_away, in_file):
    found, _ = imported(*(() if in_file else ("--say", said)), notes=(said if in_file else "") + "\n\n" + CLASSES + NODES)
    remote = finding(found, "numa-remote")
    assert (found["verdict"]["culprit"] == "numa-remote") == is_away == (remote["verdict"] == "supported")
    if is_away:
        assert "99 % of it is on node 1, it runs on another" in remote["headline"]


def test_nodes_and_counts_are_kinds_of_evidence_beside_a_trial(imported):
    tried = "\nWith numactl --cpunodebind=0 --membind=0 the same run takes 7.1 s instead of 11.3 s.\n"
    found, _ = imported(notes="fft runs on node 0.\n\n" + CLASSES + loads(90_118_330, 2_118_330_118) + NODES + tried)
    remote = finding(found, "numa-remote")
    assert found["verdict"]["culprit"] == "numa-remote" and remote["confidence"] == "medium"
    assert "3 kinds of imported evidence" in remote["confidence_reason"] and "tma_dram_bound is 62 %" in evidence(remote)
