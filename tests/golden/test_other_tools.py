# SPDX-License-Identifier: GPL-3.0-or-later
"""Short documents with what single tools print, and changes told in one line: what each supports, and that its twin without effect doesn't."""
import json

import pytest


@pytest.fixture
def diagnosed(run, tmp_path):
    """diagnosed(text) -> the JSON and page of that document."""
    def make(text):
        (tmp_path / "notes.md").write_text(text)
        done = run("diagnose", "--json", "--import", tmp_path / "notes.md")
        assert done.returncode in (0, 4), done.stderr
        return json.loads(done.stdout), " ".join(run("diagnose", "-v", "--import", tmp_path / "notes.md").stdout.split())
    return make


def finding(found, identity):
    return next(one for one in found["findings"] if one["id"] == identity)


def left_open(found):
    return " | ".join(found["verdict"]["open"])


@pytest.mark.parametrize("said, culprit, gain", [
    ("With `numactl --interleave=all` the same run takes 24.8 s instead of 38.1 s.", "numa-remote", 1 - 24.8 / 38.1),
    ("After raising the power limit (PL1) from 125 W to 205 W: 41.0 s before, 31.9 s after.", "thermal-power", 1 - 31.9 / 41.0),
    ("With MALLOC_MMAP_THRESHOLD_=1073741824 it takes 11.0 s instead of 22.3 s.", "page-faults", 1 - 11.0 / 22.3),
    ("With half as many threads it takes 31.0 s instead of 44.2 s.", "oversubscribed", 1 - 31.0 / 44.2),
    ("GETs/s: 1.21M (default)\nGETs/s: 1.74M (THP=always)", "small-pages", 1 - 1.21 / 1.74),
    ("Huge pages: 1.3x.", "small-pages", 1 - 1 / 1.3),
    ("41 s on bare metal. 52 s in the guest. With huge pages in the guest it is 44 s.", "small-pages", 1 - 44 / 52),
    ("LD_PRELOAD=libjemalloc.so.2 ./indexer corpus ran\n    1.35 ± 0.02 times faster than ./indexer corpus", "allocation", 1 - 1 / 1.35)])
def test_a_change_and_what_it_returned(diagnosed, said, culprit, gain):
    found, _ = diagnosed(said + "\n")
    assert found["verdict"]["culprit"] == culprit
    returned = finding(found, culprit)["recoverable_ratio"]
    assert (returned["low"] + returned["high"]) / 2 == pytest.approx(gain, abs=0.02)


@pytest.mark.parametrize("said, cause", [
    ("With `numactl --interleave=all` the same run takes 38.0 s instead of 38.1 s.", "numa-remote"),
    ("After raising the power limit: 41.0 s before, 41.1 s after.", "thermal-power"),
    ("GETs/s: 1.21M (default)\nGETs/s: 1.22M (THP=always)", "small-pages"),
    ("Huge pages: 1.0x.", "small-pages")])
def test_the_same_change_without_effect(diagnosed, said, cause):
    found, _ = diagnosed(said + "\n")
    assert found["verdict"]["culprit"] is None
    assert finding(found, cause)["verdict"] in (["not_testable"] if cause == "numa-remote" else ["ruled_out"]), "interleaved memory is remote for the most part"


def test_a_lock_is_named_by_where_it_is_waited_for(diagnosed):
    found, _ = diagnosed(" contended   total wait     max wait     avg wait         type   caller\n\n"
                         "    812034      41.52 s     12.83 ms     51.13 us        mutex   ring_push+0x4c\n"
                         "     10211    220.11 ms      1.22 ms     21.55 us     spinlock   rcu_core+0xd4\n")
    assert "(ring_push+0x4c first) is 99 %" in left_open(found)


PIDSTAT = """11:20:01      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
11:20:06     1000      4121    6.20    2.10    0.00    0.10    8.30     3  report

11:20:01      UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command
11:20:06     1000      4121   9120.00      0.00      0.00     441  report
11:20:11     1000      4121   9201.00      0.00      0.00     439  report
Average:     1000      4121   9160.50      0.00      0.00     440  report
"""


def test_a_process_that_waits_for_storage(diagnosed):
    found, page = diagnosed(PIDSTAT)
    assert found["verdict"]["culprit"] == "waiting" and "block I/O delay / elapsed (report first) is 88 %" in found["verdict"]["sentence"]
    assert "perf annotate" not in page, "a time of day is no share with an address"
    found, _ = diagnosed(PIDSTAT.replace(" 441 ", "   4 ").replace(" 439 ", "   3 "))
    assert found["verdict"]["culprit"] is None
    found, _ = diagnosed(PIDSTAT.replace("11:20:01", "23:59:58").replace("11:20:06", "00:00:03").replace("11:20:11", "00:00:08"))
    assert "88 %" in found["verdict"]["sentence"], "over midnight"


def test_classes_of_another_vendor_beside_counts_of_milliards(diagnosed):
    text = ("     4,120,331,220      de_no_dispatch_per_slot.backend_stalls #     84.1 %  backend_bound\n"
            "     3,920,331,220      ex_no_retire.load_not_complete   #     80.0 %  backend_bound_memory\n"
            "       200,331,220      ex_no_retire.not_complete        #      4.1 %  backend_bound_cpu\n")
    found, _ = diagnosed(text)
    assert "backend_bound_memory is 80 %" in found["verdict"]["sentence"] and finding(found, "divider")["verdict"] == "ruled_out"
    found, _ = diagnosed(text.replace("84.1", "8.1"))
    assert "both can't be of one run" in left_open(found)


def test_a_share_of_remote_loads_is_bounded_by_their_cost(diagnosed):
    counts = "   %s      mem_load_l3_miss_retired.remote_dram:u\n 2910221019200      cycles:u\n   38.1 seconds time elapsed\n"
    found, _ = diagnosed(counts % 8377120018)
    assert finding(found, "numa-remote")["verdict"] == "undecided"
    found, _ = diagnosed(counts % 8377120)
    assert finding(found, "numa-remote")["verdict"] == "ruled_out"
