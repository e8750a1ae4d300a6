# SPDX-License-Identifier: GPL-3.0-or-later
"""Trials that are told over several sentences, items or rows: a change, and elsewhere what it was before and what came of it."""
import pytest
from imported_case import evidence, finding


def decided(found):
    return sorted(one["id"] for one in found["findings"] if one["verdict"] in ("supported", "ruled_out"))


def unread(found):
    return " ".join(one["text"] for one in found["statements"] if one["origin"] == "not understood")


# ---- what has the same label was measured before ----

LABELLED = "encode of clip7: 41.0 s\n\n"


@pytest.mark.parametrize("text, gain", [
    (LABELLED + "On Tuesday we disabled hyper-threading in the BIOS. encode of clip7: 28.3 s.", 0.31),
    (LABELLED + "On Tuesday we disabled hyper-threading in the BIOS:\n\nencode of clip7: 28.3 s", 0.31),
    (LABELLED + "With SMT off:\n\nencode of clip7: 28.3 s", 0.31),
    ("encode of clip7: 41.0 s\nencode of clip8: 12.0 s\n\nWe disabled hyper-threading.\n\nencode of clip7: 28.3 s\nencode of clip8: 12.0 s", 0.31),
    ("The encoder takes 41.0 s, its rival takes 27.0 s. With SMT off it is 12 % less power, and the encoder takes 26.0 s.", 0.366),
    ("The forwarder tops out at 1.1M pps. We spread the work. SMT off: 2.2M packets/s.", 0.5),
    ("Time per step, 56 ranks: 1.92 s\n\nWe disabled hyper-threading.\n\nTime per step, 56 ranks: 1.21 s", 0.37),
    ("SMT off: the same run takes 152.3 s (244.1 before).", 0.376),
    ("## Baseline\n\n8 threads: 9.0 s\n\n## SMT off\n\nWe disabled hyper-threading. 8 threads: 6.0 s", 0.333)])
def test_a_label_tells_what_it_was_before(alone, text, gain):
    found = alone(text + "\n")
    one = finding(found, "smt-sharing")
    assert decided(found) == ["smt-sharing"] and one["verdict"] == "supported", found["verdict"]["sentence"]
    assert abs(one["recoverable_ratio"]["mid"] - gain) < 0.02


@pytest.mark.parametrize("text", [
    LABELLED + "We have not tried to disable hyper-threading. encode of clip7: 28.3 s on Monday, by the way.",
    LABELLED + "We disabled hyper-threading. encode of clip9: 28.3 s.",
    LABELLED + "We disabled hyper-threading.\n\nThen Tom rewrote the parser.\n\nencode of clip7: 28.3 s",
    LABELLED + "## Decoder\n\nHere we disabled hyper-threading. encode of clip7: 28.3 s.",
    LABELLED + "We disabled hyper-threading. encode of clip7: 2.8 s for 40 frames.",
    "load: 88 s for 10 M rows\n\nWe disabled hyper-threading. load: 9 s for 1 M rows.",
    "reader: 4.1 s\nwriter: 6.3 s\n\nWe disabled hyper-threading.\n\nreader: 2.1 s\nwriter: 9.9 s",
    "load: 88 s\n\nRewritten: load: 60 s\n\nWe disabled hyper-threading. load: 44 s.",
    "reader: 4.1 s\nwriter: 6.3 s\n\nWe disabled hyper-threading.\n\nreader: 4.1 s\nwriter of old: 3.0 s",
    "Time per step, 56 ranks: 1.92 s\n\nWe disabled hyper-threading.\n\nTime per sweep, 56 ranks: 1.2 s",
    "In the old cluster, encode of clip7: 41.0 s\n\nWe disabled hyper-threading. encode of clip7: 28.3 s.",
    "encode of clip7: 41.2 s\n\nWe disabled hyper-threading.\n\nBefore: encode of clip7: 41.0 s",
    "Result: 88 s\n\nWe disabled hyper-threading. Result: 44 s."])
def test_what_may_be_of_something_else_is_not_compared(alone, text):
    assert not decided(alone(text + "\n"))


@pytest.mark.parametrize("text", [
    "load: 88 s for 10 M rows\n\nWe disabled hyper-threading. load: 9 s for 1 M rows.",
    "reader: 4.1 s\nwriter: 6.3 s\n\nWe disabled hyper-threading.\n\nreader: 2.1 s\nwriter: 9.9 s"])
def test_a_label_that_decides_nothing_leaves_open(alone, text):
    assert "wasn't understood" in finding(alone(text + "\n"), "smt-sharing")["reason"]


# ---- rates of a program's work ----

@pytest.mark.parametrize("text, expected", [
    ("60 s of load with 16 workers: 52k req/s; with 4 workers: 49k req/s.\n\nTried:\n- tcmalloc: 52k req/s, the same.\n- 64 shards with a lock each: 151k req/s", ["lock-turns"]),
    ("It serves 52k req/s.\n\nWhat I tried:\n- 64 shards with a lock each: 151k", ["lock-turns"]), ("Spread interrupts: 410k -> 1.62M packets/s", ["interrupts"]),
    ("Baseline: 51k req/s\n\nTried:\n1. SMT off: 50k req/s\n2. 32 shards with a lock each: 118k req/s", ["lock-turns", "smt-sharing"]),
    ("64 workers: 18.2k rows/s\n\nWhat I tried:\n\n- huge pages (THP always): 18.1k rows/s\n- MALLOC_TRIM_THRESHOLD_=-1: 23.9k rows/s", ["page-faults", "small-pages"]),
    ("The broker manages 74k msgs/s. We split the mutex into 32, one per topic. 255k msgs/s", ["lock-turns"]),
    ("The loader inserts row by row: 310 rows/s. Changed it to 200 rows per commit. That gives 3.4k rows/s.", ["waiting"])])
def test_a_rate_is_compared_with_those_before(alone, text, expected):
    assert decided(alone(text + "\n")) == expected


@pytest.mark.parametrize("text", [
    "The link carries 10 GB/s. We enabled huge pages. memcpy does 12 GB/s now.",
    "The gateway does 88k req/s. We linked jemalloc. Meanwhile Tom rewrote the parser, and throughput is now 131k req/s.",
    "Reads: 88k req/s, writes: 9k req/s. With jemalloc: 131k req/s.",
    "Our proxy does 50k req/s. A colleague switched his to jemalloc. He gets 90k req/s now.",
    "Reads: 52k req/s, disk: 30k iops.\n\nTried:\n- 64 shards with a lock each: 151k", "It serves 52k req/s. With 64 shards and a lock each the table has 151k rows.",
    "The proxy does 50k req/s.\n\nWith jemalloc the fast path does 90k req/s.", "The proxy does 50k req/s. With jemalloc the peak is 90k req/s.",
    "The proxy does 50k req/s.\n\nWe switched to jemalloc. With two clients it does 90k req/s now.",
    "It takes 20k exits/s. With nohz_full: 2k exits/s.",
    "The importer does 12k rows/s. We want to use 500 rows per transaction. It should reach 60k rows/s then."])
def test_a_rate_of_something_else_is_not_compared(alone, text):
    assert not decided(alone(text + "\n"))


def test_several_changes_leave_open_which(alone):
    found = alone("The batch takes 51 s.\n\nWe pinned the threads and switched to jemalloc. Now it takes 33 s.\n")
    assert not decided(found) and "wasn't understood" in finding(found, "allocation")["reason"]


# ---- the sentence behind it ----

STATES = "The batch takes 41.0 s on bare metal and 52.0 s in the VM.\n\n"


@pytest.mark.parametrize("text, verdict", [
    ("THP? -> switched it on in the guest, EPT shows 2M. 51.8 s. No difference.", "ruled_out"),
    ("THP? Tried it in the guest: 51.8 s. No luck.", "ruled_out"),
    ("THP was set to \"always\" in the guest. AnonHugePages of the batch are 27 of 28 MB, and its EPT has 99 % 2M entries. It still takes 51.8 s in the VM; the gap didn't change.", "ruled_out"),
    ("We switched THP on in the guest. Its vCPUs do not wait any more, page walks fell from 187006 to 12 in 10 s and the batch went from 52.0 s to 41.2 s.", "supported"),
    ("I have switched on THP in the guest. It takes 41.2 s now.", "supported"),
    ("THP? Did not look into it. The batch took 41.2 s on the other cluster.", None),
    ("THP? Should we try it? 41.2 s would be nice.", None),
    ("We switched THP on in the guest. It did not go from 52.0 s to 41.2 s.", None),
    ("We switched THP on in the guest. Then the parser was rewritten, and the batch went from 52.0 s to 41.2 s.", None)])
def test_what_came_of_it_stands_behind(imported, text, verdict):
    found, _ = imported(notes=STATES + text + "\n")
    one = finding(found, "small-pages")
    assert one["verdict"] == verdict if verdict else one["verdict"] not in ("supported", "ruled_out"), found["verdict"]["sentence"]


def test_an_amount_right_behind_a_change_is_no_state_without_it(alone):
    found = alone("The build takes 95 s. We set the performance governor. The build takes 70 s.\n")
    assert finding(found, "frequency")["verdict"] == "supported" and "95 s" in evidence(finding(found, "frequency")) + str(found["statements"])


# ---- how large the loop was ----

COUNTS = " 1288113204      cycles\n   91204418      idq.dsb_uops\n 1502881230      idq.mite_uops\n"
LARGE = "The hot loop is unrolled by 4096 and objdump says it is 71 KB.\n\n"


@pytest.mark.parametrize("text, verdict", [
    ("jit: 0.412 s\n\n" + LARGE + "I lowered the unroll factor from 4096 to 16, so that the loop is 290 bytes.\n\njit: 0.366 s", "supported"),
    ("jit: 0.412 s\n\nI lowered the unroll factor from 4096 to 16, so that the loop is 290 bytes.", None),
    ("The hot loop is 290 bytes now.", None), ("The hot loop shrank from 71 KB to 290 bytes.", "undecided"),
    (LARGE + "By another listing the hot loop is 290 bytes.", None), ("The hot loop is 290 bytes.", "ruled_out")])
def test_a_size_behind_a_change_is_none_of_what_was_measured(imported, text, verdict):
    found, _ = imported(notes=text + "\n", stat=COUNTS)
    one = finding(found, "front-end")
    assert one["verdict"] == verdict if verdict else one["verdict"] not in ("supported", "ruled_out")


def test_a_loop_too_large_for_two_caches_leaves_open_which(imported):
    found, _ = imported(notes="jit: 0.412 s\n\n" + LARGE + "I lowered the unroll factor from 4096 to 16.\n\njit: 0.366 s\n", stat=COUNTS)
    other = finding(found, "uop-cache")
    assert other["verdict"] == "undecided" and abs(other["recoverable_ratio_at_most"] - 0.11) < 0.01
    assert "so large a loop fits neither" in str(found["verdict"]["open"])


# ---- wide vectors ----

def licence(of_wide, of_narrow, text, gain="0.187"):
    counts = " 672110432 cycles\n 401887120 instructions\n {} core_power.lvl2_turbo_license\n\n {} seconds time elapsed\n\n"
    return counts.format(of_wide, "0.231") + counts.format(of_narrow, gain).replace("672110432", "560900213") + text + "\n"


@pytest.mark.parametrize("text, verdict", [
    ("AVX-512 was disabled and nnc still takes 0.230 s.", "ruled_out"), ("With AVX-512 disabled it still takes 0.230 s, no difference.", "ruled_out"),
    ("Without AVX-512 it made no difference.", "ruled_out"), ("With AVX-512 disabled it takes 0.187 s instead of 0.231 s.", "supported"),
    ("We could disable AVX-512, haven't done that.", "supported"), ("A colleague says that without AVX-512 his kernel made no difference.", "supported")])
def test_taken_out_in_vain_they_are_ruled_out_whatever_another_run_takes(alone, text, verdict):
    assert finding(alone(licence(20163310, 0, text)), "avx512-licence")["verdict"] == verdict


@pytest.mark.parametrize("text, tried", [("With AVX-512 disabled it takes 0.187 s instead of 0.231 s.", True), ("Build it with -mprefer-vector-width=256 and time it. Haven't done that.", False)])
def test_narrower_vectors_are_kept_where_they_were_tried(alone, text, tried):
    advice = " ".join(finding(alone(licence(20163310, 0, text)), "avx512-licence")["advice"])
    assert ("that were tried" in advice) == tried


# ---- what one change left of a gap ----

@pytest.mark.parametrize("still, verdict", [(19, "ruled_out"), (31, "undecided")])
def test_what_another_change_left_of_a_gap_stayed_whole(alone, still, verdict):
    found = alone("The throughput in a TDX VM is 44% lower than in a conventional VM.\n\nWith nohz_full the VM exits went down to 3 percent of what they were, and the "
                  f"gap shrank from 44% to 19%.\n\nWith THP enabled on the host and the guest the performance did not change, the gap is still {still}%.\n")
    tick = finding(found, "timer-tick")
    assert tick["verdict"] == "supported" and tick["recoverable_ratio"]["low"] == pytest.approx(0.174, abs=0.002)
    assert finding(found, "small-pages")["verdict"] == verdict
