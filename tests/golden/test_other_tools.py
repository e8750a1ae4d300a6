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
    assert found["verdict"]["culprit"] == "waiting" and "the part of the time that it waited for block I/O (report first) is 88 %" in found["verdict"]["sentence"]
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


COUNTS = "    %s      cycles\n     5,120,331,023      instructions\n    %s      %s\n\n       %s seconds time elapsed\n\n"


@pytest.mark.parametrize("event, more, cause", [("fp_assist.any", "210,022,100", "denormals"), ("ld_blocks_partial.address_alias", "9,300,120,222", "4k-aliasing")])
def test_what_the_slower_of_two_like_runs_has_more_of(diagnosed, event, more, cause):
    slow, fast = COUNTS % ("31,220,112,331", more, event, "9.112"), "And of the other input:\n\n" + COUNTS % ("3,510,112,331", "1,200", event, "1.012")
    found, _ = diagnosed(slow + fast)
    assert found["verdict"]["culprit"] == cause and finding(found, cause)["recoverable_ratio_at_most"] == pytest.approx(1 - 3510112331 / 31220112331, abs=0.01)
    found, _ = diagnosed(slow + fast.replace("1,200", more))
    assert found["verdict"]["culprit"] is None, "both have as many"
    found, _ = diagnosed(slow + fast.replace("5,120,331,023", "1,120,331,023"))
    assert found["verdict"]["culprit"] is None, "the other one did less work"


@pytest.mark.parametrize("said, cause, verdict", [
    ("With FTZ and DAZ on it takes 1.01 s.", "denormals", "supported"), ("With FTZ and DAZ on it takes 9.11 s.", "denormals", "ruled_out"),
    ("With huge pages: 4.6 s.", "small-pages", "supported"), ("With huge pages the warm-up takes 4.6 s.", "small-pages", "not_testable"),
    ("With huge pages it takes 31.0 s.", "small-pages", "undecided")])
def test_a_time_beside_the_only_run_that_was_counted(diagnosed, said, cause, verdict):
    found, page = diagnosed("    31,220,112,331      cycles\n\n       9.112 seconds time elapsed\n\n" + said + "\n")
    assert finding(found, cause)["verdict"] == verdict
    assert '"9.112 seconds time elapsed": it tells of no change' not in page


def test_a_change_on_the_other_side_as_well_is_one_of_both(diagnosed):
    found, _ = diagnosed("27.1 s in the guest. 19.1 s on bare metal. Enabling THP in the guest: 22.4 s. Backing the VM with 1G pages on the host as well: 19.4 s.\n")
    assert found["verdict"]["culprit"] == "small-pages" and finding(found, "host-small-pages")["verdict"] == "undecided"


def test_times_of_a_shell_and_the_kernels_accounts_of_pressure(diagnosed):
    found, page = diagnosed("real\t2m11.20s\nuser\t0m3.10s\nsys\t0m9.20s\n")
    assert found["verdict"]["culprit"] == "waiting" and "91 %" in found["verdict"]["sentence"] and "131.2 s" in page
    pressure = "$ cat /proc/pressure/cpu\nsome avg10=0.12 avg60=0.10 avg300=0.11 total=1\n$ cat /proc/pressure/io\nsome avg10=61.2 avg60=58.1 avg300=55.0 total=8\nfull avg10=58.0 avg60=55.0 avg300=51.1 total=7\n"
    found, _ = diagnosed(pressure)
    assert found["verdict"]["culprit"] == "waiting" and "is 55 %" in found["verdict"]["sentence"] and finding(found, "oversubscribed")["verdict"] == "ruled_out"
    found, _ = diagnosed(pressure.replace("full avg10=58.0 avg60=55.0", "full avg10=0.0 avg60=0.0"))
    assert found["verdict"]["culprit"] is None


def test_a_machine_whose_memory_is_on_one_node(diagnosed):
    nodes = "available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2 3\nnode 0 size: 128663 MB\nnode 0 free: 1204 MB\nnode 1 cpus: 4 5 6 7\nnode 1 size: 129014 MB\nnode 1 free: 126901 MB\n"
    found, page = diagnosed(nodes)
    assert "98 %" in left_open(found) and finding(found, "numa-remote")["verdict"] == "undecided" and "not read" not in page
    found, _ = diagnosed(nodes.replace("126901", "2101"))
    assert not left_open(found)


PROSE = "The top level says 88.8 % backend bound, 1.2 % bad speculation, 4.3 % frontend\nbound and 5.7 % retiring. DRAM bound is 66.5 %, with memory bandwidth at 72.6 % and memory latency at 4.3 %.\n"


def test_classes_told_in_sentences(diagnosed):
    found, _ = diagnosed(PROSE)
    assert found["verdict"]["culprit"] == "memory-bandwidth" and finding(found, "dram-latency")["verdict"] == "ruled_out"
    found, _ = diagnosed(PROSE.replace("bandwidth at 72.6 %", "bandwidth at 4.3 %").replace("latency at 4.3 %", "latency at 61.0 %"))
    assert found["verdict"]["culprit"] == "dram-latency"
    found, _ = diagnosed("Memory bound fell from 60 % to 12 % and we use 80 % of the memory bandwidth.\n")
    assert found["verdict"]["culprit"] is None and not found["verdict"]["open"], "whose share it is isn't told"


def test_a_tree_in_markdown_by_the_names_of_toplev(diagnosed):
    found, _ = diagnosed("| node | % |\n|---|---|\n| Retiring | 11.2 |\n| Backend_Bound | 85.4 |\n| Backend_Bound.Memory_Bound | 79.3 |\n| Backend_Bound.Core_Bound | 2.1 |\n")
    assert finding(found, "divider")["verdict"] == "ruled_out" and "tma_memory_bound is 79 %" in found["verdict"]["sentence"]


def test_a_class_with_a_column_a_version_is_read_by_each(diagnosed):
    found, _ = diagnosed("| metric | v1 | v2 |\n|---|---|---|\n| tma_dram_bound | 40.1 % | 3.0 % |\n| tma_mem_latency | 36.1 % | 1.0 % |\n")
    assert "tma_mem_latency is 1.0 % in 'v2' of notes.md and 36 % in 'v1' of notes.md" in left_open(found) and found["verdict"]["culprit"] is None


HYPERFINE = """Benchmark 1: ./indexer corpus
  Time (mean ± σ):      8.121 s ±  0.092 s    [User: 30.211 s, System: 9.120 s]
  Range (min … max):    8.010 s …  8.301 s    10 runs

Benchmark 2: LD_PRELOAD=libjemalloc.so.2 ./indexer corpus
  Time (mean ± σ):      6.012 s ±  0.051 s    [User: 22.110 s, System: 1.220 s]
  Range (min … max):    5.950 s …  6.110 s    10 runs

Summary
  LD_PRELOAD=libjemalloc.so.2 ./indexer corpus ran
    1.35 ± 0.02 times faster than ./indexer corpus
"""


def test_hyperfines_blocks_are_timed_runs(diagnosed):
    found, page = diagnosed(HYPERFINE)
    assert found["verdict"]["culprit"] == "allocation" and "2 runs, 6.012 to 8.121 s" in page
    assert "not read" not in page and "not understood" not in page
