# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences of tickets and chats: a trial that the program was put through decides, one of others, of plans or of something else doesn't."""
import json

import pytest
from imported_case import finding

STATES = "The batch takes 41.0 s on bare metal and 52.0 s in the VM.\n\n"


def unread(found):
    return " ".join(one["text"] for one in found["statements"] if one["origin"] == "not understood")


def decided(found):
    return [one["id"] for one in found["findings"] if one["verdict"] in ("supported", "ruled_out")]


@pytest.mark.parametrize("identity, verdict, text", [
    ("front-end", "supported", "Remapping .text to 2 MB pages (hugify) brought the compile from 8.90 s to 8.02 s."),
    ("front-end", "supported", "With the program text on huge pages: 8.90 s -> 8.02 s."),
    ("small-pages", "supported", "With the heap on huge pages: 8.90 s -> 8.02 s."),
    ("timer-tick", "supported", "Trial 2: booted both kernels with nohz_full=2-11. Now the TD is on par with the legacy VM."),
    ("smt-sharing", "supported", "Turned SMT off yesterday evening. p99 went from 8.1 ms to 5.6 ms."),
    ("smt-sharing", "supported", "[09:01] ana: turned SMT off on web-3\n[09:05] ana: p99 went from 8.1 ms to 5.6 ms"),
    ("smt-sharing", "supported", "p50 is 8.1 ms in production, 5.5 ms in the lab. Turned SMT off there (echo off > /sys/devices/system/cpu/smt/control). p50 is 5.6 ms now."),
    ("contended-lines", "supported", "I padded the struct to 64 bytes. Runtime with eight threads dropped from 18.2 s to 4.1 s."),
    ("small-pages", "ruled_out", "Tried huge pages. Nothing."),
    ("smt-sharing", "ruled_out", "We disabled hyper-threading; throughput stayed at 1200 req/s."),
    ("small-pages", "ruled_out", "We switched on huge pages in the guest and on the host; pgbench stayed at 3.9k tps, so no difference."),
    ("small-pages", "ruled_out", "Trial 1: 2M pages for guest and host. Nothing, it is still 9 % slower."),
    ("numa-remote", "ruled_out", "The job went from 31 min to 44 min after the move. We then ran it with numactl --cpunodebind=1 --membind=1: still 44 min."),
    ("smt-sharing", "ruled_out", "1. SMT off. It made no difference.\n2. nohz_full. It made no difference, either."),
    ("frequency", "supported", "`cpupower frequency-set -g performance` brought it from 21.8 s to 8.0 s."),
    ("small-pages", "supported", STATES + "THP was switched on in the guest. Run time: 41.3 s."),
    ("host-small-pages", "supported", STATES + "The domain got `<hugepages/>`, i.e. the hypervisor now backs the VM with 2M pages. Runtime 41.3 s."),
    ("small-pages", "supported", STATES + "In the VM transparent_hugepage/enabled said never. That is the distribution's.\n\nSet it to `always` inside the VM, same batch: 42.7 s."),
    ("small-pages", "supported", "The boot takes 41 s on bare metal and 52 s in the VM. With huge pages the boot takes 42 s."),
    ("small-pages", "supported", "Enabled huge pages, and the gap was gone. Reverted it and the gap came back."),
    ("small-pages", "supported", "With huge pages the gap is gone on the old and the new kernel."),
    ("small-pages", "supported", "With huge pages both the old kernel and kernel 6.9 are equally fast."),
    ("timer-tick", "supported", "With nohz_full on the 16 cores of the host and of the guest the gap was gone."),
    ("small-pages", "supported", "With THP on host and guest kernel the gap was gone."),
    ("oversubscribed", "undecided", "With OMP_NUM_THREADS=1 in each container, i.e. 16 threads instead of 256, the whole batch takes 12 min instead of 29 min."),
    ("oversubscribed", "undecided", "With OMP_NUM_THREADS=1 in each container the whole batch takes 12 min instead of 29 min."),
    ("oversubscribed", "undecided", "With 16 threads instead of 256 the batch takes 12 min instead of 29 min."),
    ("cpu-quota", "supported", "At 14:10 we removed the CPU limit (kept the request). p99 of checkout fell from 1.9 s to 0.31 s, with the same traffic of 410 req/s."),
    ("timer-tick", "ruled_out", STATES + "Instance and compute node were both booted with nohz_full for the pinned core. The run time in the instance was 51.9 s. No difference worth the name."),
    ("timer-tick", "ruled_out", "It takes 20 to 40 % longer in the guest. To be sure we booted host and guest with nohz_full for these CPUs. MSR exits dropped to a handful. There is still the same gap."),
    ("small-pages", "supported", STATES + "THP was switched on in the guest. AnonHugePages went up to 30 GB. Run time: 41.3 s."),
    ("small-pages", "supported", "According to perf, with huge pages the gap is gone.")])
def test_what_was_tried_decides(imported, identity, verdict, text):
    found, _ = imported(notes=text + "\n")
    assert finding(found, identity)["verdict"] == verdict, found["verdict"]["sentence"]

@pytest.mark.parametrize("identity, verdict, text", [
    ("timer-tick", "supported", "With nohz_full on host and guest, the performance gap between a conventional VM and a TDX VM disappeared."),
    ("timer-tick", "supported", "With nohz_full enabled on both sides, the gap between the two VMs vanished."),
    ("timer-tick", "supported", "After deploying nohz_full on the host and the guest, the TDX VM performs the same as the conventional VM."),
    ("timer-tick", "supported", "After nohz_full was deployed on the host and the guest, the throughput of the TDX VM matched that of the conventional VM."),
    ("timer-tick", "supported", "Once nohz_full was in place, the difference between the conventional VM and the TDX VM was within noise."),
    ("timer-tick", "supported", "With nohz_full, the performance of the TDX VM is on par with the conventional VM."),
    ("timer-tick", "supported", "nohz_full closes the gap between the two VMs."),
    ("timer-tick", "supported", "nohz_full on host and guest removed the performance gap between a conventional VM and a TDX VM."),
    ("timer-tick", "ruled_out", "With nohz_full, the big performance gap between a conventional VM and a TDX VM remains."),
    ("timer-tick", "ruled_out", "Even with nohz_full on both sides there is still a large performance gap between the VMs."),
    ("timer-tick", "ruled_out", "Deploying nohz_full did not change the performance gap between a conventional VM and a TDX VM."),
    ("timer-tick", "ruled_out", "nohz_full reduced the VM exits by 90%, but the performance gap between the VMs did not change."),
    ("timer-tick", "ruled_out", "nohz_full reduced the VM exits a lot; the performance gap persists."),
    ("small-pages", "!supported", "With THP enabled on the host and the VM guest, the benchdnn performance remains 40% lower on the TDX VM."),
    ("small-pages", "ruled_out", "With THP enabled on the host and the VM guest, the benchdnn performance was unchanged."),
    ("host-small-pages", "ruled_out", "With THP enabled on the host and the VM guest, the benchdnn performance was unchanged."),
    ("small-pages", "ruled_out", "With THP enabled on both the host and the VM guest, the performance gap between a conventional VM and a TDX VM is still there."),
    ("host-small-pages", "ruled_out", "With THP enabled on both the host and the VM guest, the performance gap between a conventional VM and a TDX VM is still there."),
    ("host-small-pages", "supported", "After these two patches were applied, with THP enabled on the host, the benchdnn performance becomes the same between a conventional VM and a TDX VM."),
    ("small-pages", "!supported", "After these two patches were applied, with THP enabled on the host, the benchdnn performance becomes the same between a conventional VM and a TDX VM."),
    ("host-small-pages", "supported", "With THP enabled on the host only, the gap between a conventional VM and a TDX VM disappears."),
    ("small-pages", "!supported", "With THP enabled on the host only, the gap between a conventional VM and a TDX VM disappears."),
    ("small-pages", "supported", "With THP enabled in the guest only, the gap between a conventional VM and a TDX VM disappears."),
    ("host-small-pages", "!supported", "With THP enabled in the guest only, the gap between a conventional VM and a TDX VM disappears."),
    ("small-pages", "ruled_out", "With THP enabled in the guest, but not on the host, the benchdnn performance gap between a conventional VM and a TDX VM stays the same."),
    ("host-small-pages", "!ruled_out", "With THP enabled in the guest, but not on the host, the benchdnn performance gap between a conventional VM and a TDX VM stays the same."),
    ("small-pages", "supported", "After enabling THP on the host and in the guest, benchdnn runs as fast in the TDX VM as in a conventional VM."),
    ("small-pages", "supported", "After enabling THP on the host and in the guest, the performance difference between a conventional VM and a TDX VM is negligible."),
    ("small-pages", "supported", "After enabling THP, the throughput of the TDX VM rose by 60%."),
    ("host-small-pages", "supported", "With 1 GiB hugetlbfs pages behind the guest, the performance becomes the same between a conventional VM and a TDX VM."),
    ("avx512-licence", "ruled_out", "We disabled AVX-512 in LLVM, and the kernel was just as slow."),
    ("avx512-licence", "ruled_out", "Disabling AVX-512 made no difference to the time of the kernel."),
    ("numa-remote", "ruled_out", "Binding to one NUMA node (numactl -N0 -m0) brought no change."),
    ("timer-tick", "supported", "With nohz_full there is no difference between the two VMs any more."),
    ("timer-tick", "!supported", "nohz_full made no difference between the two VMs."),
    ("timer-tick", "!supported", "With nohz_full, throughput of the TDX VM is still 35% below that of the conventional VM."),
    ("timer-tick", "!ruled_out", "After we set nohz_full, the difference in throughput shrank to 3%."),
    ("timer-tick", "!ruled_out", "nohz_full halved the gap between the conventional VM and the TDX VM."),
    ("timer-tick", "ruled_out", "We also tried nohz_full on host and guest; the gap between the VMs was not affected."),
    ("timer-tick", "supported", "Deploying nohz_full had a dramatic effect: both VMs now perform identically."),
    ("timer-tick", "supported", "When nohz_full is used on both, the TDX VM reaches the performance of the conventional VM."),
    ("timer-tick", "supported", "With nohz_full the TDX VM is no longer slower than the conventional VM."),
    ("small-pages", "ruled_out", "With THP the throughput of the TDX VM did not improve."),
    ("small-pages", "ruled_out", "Enabling THP had no influence on the benchdnn results."),
    ("small-pages", "ruled_out", "THP did not change the picture."),
    ("small-pages", "!ruled_out", "After enabling THP, the remaining gap is 4%."),
    ("avx512-licence", "ruled_out", "Without AVX-512 the kernel needs the same time."),
    ("avx512-licence", "ruled_out", "With -mprefer-vector-width=256 the time did not change: 0.164 s."),
    ("numa-remote", "supported", "Using numactl --membind=0 --cpunodebind=0 the throughput went from 10 to 18 tokens/s."),
])
def test_an_outcome_between_two_that_are_compared(imported, identity, verdict, text):
    """Sentences of one trial as people write them; "!" where one verdict would be wrong and the others may do."""
    found, _ = imported(notes=text + "\n")
    told = finding(found, identity)["verdict"]
    assert told != verdict[1:] if verdict[0] == "!" else told == verdict


@pytest.mark.parametrize("text", [
    # what others saw, on machines of theirs, in other times
    "With THP the gap was gone on the AMD box, but on ours it stayed.",
    "A colleague reported that with nohz_full the gap was gone on his machine.",
    "According to Intel, huge pages make this 30 % faster.",
    "Tom says that with SMT off the gap was gone.",
    "The AMD box with huge pages is 30 % faster.",
    "Their cluster has SMT disabled and runs 30 % faster.",
    "Without SMT this was 30 % faster in 2019.",
    "Huge pages: up to 30 % faster.",
    # what is told behind it takes its certainty away
    "With huge pages 41.5 s instead of 52 s, the gap is gone. That was with half of the input, though.",
    "With huge pages it took 41 s instead of 52 s, but that run skipped the checkpoint.",
    "Huge pages in guest: 41 s instead of 52 s. Sorry, wrong host, that was bare metal.",
    "We tried huge pages: no difference. Later we saw that khugepaged was not running and AnonHugePages was 0.",
    "We tried nohz_full in the guest: no difference. (It turned out the parameter had a typo and was not in force.)",
    # more threads, or nobody knows
    
    # what may be
    "With SMT off the gap would be gone.", "If we turn off SMT the gap is gone.", "I doubt that huge pages close the gap.",
    "Huge pages can make this 30 % faster.", "Our target with huge pages: 30 % faster.", "Isn't the gap gone with huge pages?",
    # what wasn't in force, was taken back without effect, or isn't the reason
    "We enabled huge pages, but forgot to restart, so no change.", "Huge pages were enabled but AnonHugePages stayed 0, so no change.",
    "The gap is gone, but not because of huge pages.",
    "With huge pages the gap was gone for an hour, then it was back.", "With huge pages the gap was gone. False alarm: the load was off.",
    "With huge pages the gap was gone on Monday; on Tuesday it was there again.", "It is 30 % faster regardless of huge pages.", "We dropped huge pages and the gap was gone.",
    # another activity, a part of the work, another change beside it
    "With huge pages the boot became 30 % faster.", "With huge pages system time dropped from 4.2 s to 3.1 s.",
    "With huge pages memcpy() became 30 % faster.", "With huge pages and the new glibc the gap is gone.",
    "We gave it two vCPUs and nohz_full=1 in the guest, and the gap was gone.", "With nohz_full and kernel 6.9 the gap was gone.",
    "With SMT off and twice the memory the gap was gone.", "We enabled huge pages in the guest and gave it 8 more vCPUs, and the gap was gone.",
    "With a newer QEMU and huge pages the gap was gone.", "With huge pages plus 64 GB RAM the gap was gone.",
    "With huge pages p95 went from 2.1 s to 0.7 s under half the load.",
    "We enabled huge pages. Runtime with gcc 13 dropped from 18.2 s to 4.1 s.", "With huge pages iTLB and dTLB misses vanished, and it is 10 % faster.",
    "Limit removed, p95 went from 2.1 s to 0.7 s."])
def test_what_is_doubtful_is_said_and_decides_nothing(imported, text):
    found, _ = imported(notes=text + "\n")
    assert not decided(found) and text.split(".")[0] in unread(found), found["verdict"]["sentence"]
    said, _ = imported(text)
    assert not decided(said)


@pytest.mark.parametrize("text", [
    "We use huge pages. Runtime 42 s.", "We should enable huge pages. Runtime 42 s.", "We enabled huge pages. Parsing takes 42 s.",
    "We enabled huge pages. Runtime 42 s on the old kernel.", "We enabled huge pages.\n\nRuntime 42 s.", "We enabled huge pages. Runtime was 42 s before.",
    "We enabled huge pages. The target is 42 s now.", "Turning SMT off is not an option. It is still 30 % slower.",
    "We can't turn off SMT. There is still a gap.", "Plan: SMT off. The gap was gone last time.", "We'll turn SMT off on Monday. Still 52.0 s.",
    "We booted both with nohz_full. MSR exits dropped to a handful.\n\nThere is still the same gap.",
    "We booted both with nohz_full. The weather was fine. There is still the same gap.", "We booted both with nohz_full. MSR exits should drop. There is still the same gap.",
    "We booted both with nohz_full. Exits dropped since the kernel was updated. There is still the same gap.",
    "We enabled huge pages. Faults dropped to nothing. Parsing takes 42 s.",
    "appendfsync is off. Set it to always: 42 s.", "Has anybody tried huge pages? The gap was gone for me."])
def test_two_sentences_of_two_things_are_not_one_trial(imported, text):
    found, _ = imported(notes=STATES + text + "\n")
    assert not decided(found), found["verdict"]["sentence"]


TDX = "non-TDX 9.8 s, TDX 13.1 s (pinned, performance governor, 5 reps, spread 0.1 s).\n\n"


@pytest.mark.parametrize("outcome", ["TDX 9.9 s. The gap is gone.", "TDX 9.9 s, the gap is gone.", "TDX 9.9 s.", "The TDX guest: 9.9 s, that is, the gap is gone.", "Run time in the TDX guest: 9.9 s."])
def test_an_outcome_that_begins_with_a_state_is_of_the_change_before_it(imported, outcome):
    once, _ = imported(notes=TDX + f"Huge pages in the guest (memfd with 2M, THP always). {outcome}\n")
    one = finding(once, "small-pages")
    assert one["verdict"] == "supported" and 0.2 < one["recoverable_ratio"]["low"] < 0.3
    twice, _ = imported(notes=TDX + f"Huge pages in the guest (memfd with 2M, THP always). {outcome}\n\nRebooted. Huge pages in the guest again: TDX 13.1 s, there is still the same gap.\n")
    assert not decided(twice) and "tried more than once" in finding(twice, "small-pages")["reason"]


@pytest.mark.parametrize("outcome", [
    "non-TDX 9.9 s.", "The non-TDX guest: 9.9 s.", "Parsing in the TDX guest takes 9.9 s.", "TDX 9.9 s. There is still a gap.", "9.9 s on the old TDX kernel.", "TDX 9.9 s. A week later it was 13.1 s again."])
def test_an_amount_of_something_else_is_not_of_the_change_before_it(imported, outcome):
    found, _ = imported(notes=TDX + f"Huge pages in the guest. {outcome}\n")
    assert not decided(found), found["verdict"]["sentence"]


@pytest.mark.parametrize("text", [
    "Huge pages in the guest: 41.5 s, the gap is gone. Same experiment on another day: 52 s again.", "With huge pages in the guest: 41.5 s. A week later with the same setup it was 52 s again.",
    "With nohz_full: 52 s. The next day 41 s.",
    "With huge pages bare metal takes 41 s."])
def test_the_same_trial_otherwise_on_another_day_is_open(imported, text):
    found, _ = imported(notes=STATES + text + "\n")
    assert not decided(found), found["verdict"]["sentence"]


@pytest.mark.parametrize("text", ["With huge pages in the guest it takes 41.2 s. Without them it was 52 s.", "With huge pages in the guest it takes 41.2 s. Bare metal takes 41 s, by the way.",
                                  "With huge pages in the guest it takes 41.2 s. The parser takes 12 s of it.", "With huge pages in the guest the gap is gone. That was all."])
def test_what_only_explains_a_trial_leaves_it_as_it_is(imported, text):
    found, _ = imported(notes=STATES + text + "\n")
    assert finding(found, "small-pages")["verdict"] == "supported", found["verdict"]["sentence"]


def test_a_change_whose_outcome_is_not_told_is_listed(imported):
    found, _ = imported(notes="We turned SMT off in production on Tuesday. The weather was fine.\n\nThe lab has SMT disabled.\n\nAfter turning SMT off:\n")
    assert "turned SMT off in production" in unread(found) and "lab has" not in unread(found) and "After" not in unread(found)


@pytest.mark.parametrize("outcome, confidence", [("brought it from 8.90 s to 8.02 s", "medium"), ("made no difference", "low")])
def test_code_on_huge_pages_is_of_the_front_end(imported, outcome, confidence):
    """With what was counted it is a second kind of evidence; without effect it says nothing of the caches."""
    found, _ = imported(toplev="tma_frontend_bound 36.4 %\ntma_icache_misses 12.3 %\ntma_itlb_misses 14.9 %\n",
                        notes=f"Remapping .text to 2 MB pages (hugify) {outcome}.\n")
    one, pages = finding(found, "front-end"), finding(found, "small-pages")
    assert one["verdict"] == "supported" and one["confidence"] == confidence and pages["verdict"] not in ("supported", "ruled_out")
    assert confidence == "low" or 0.09 < one["recoverable_ratio"]["low"] < 0.11


def test_which_limit_was_lifted_is_told_by_what_was_counted(imported):
    found, _ = imported(chat="[10:05] ana: in the container:\n```\nnr_periods 12110\nnr_throttled 4981\nthrottled_usec 212044871\n```\n"
                             "[10:40] ana: limit removed, p95 went from 2.1 s to 0.7 s\n")
    one = finding(found, "cpu-quota")
    assert one["verdict"] == "supported" and one["confidence"] == "medium" and one["recoverable_ratio"] is None


@pytest.mark.parametrize("text, of_time", [
    ("With SMT off p99 went from 640 ms to 95 ms.", False), ("With SMT off the response time fell from 640 ms to 95 ms.", False),
    ("p95 latency is 52 ms in the VM and 41 ms on bare metal. With SMT off the gap was gone.", False),
    ("With SMT off memory latency matters less, and the time fell from 640 ms to 95 ms.", True), ("With SMT off the time fell from 640 ms to 95 ms.", True),
    ("The batch takes 52 s in the VM and 41 s on bare metal. With SMT off the gap was gone.", True)])
def test_a_latency_is_not_the_elapsed_time(imported, text, of_time):
    found, _ = imported(notes=text + "\n")
    one = finding(found, "smt-sharing")
    assert one["verdict"] == "supported" and (one["recoverable_ratio"] is not None) == of_time
    assert ("of the latency alone" in str(found["verdict"])) != of_time, found["verdict"]


def test_a_small_gain_of_latency_bounds_no_time(imported):
    found, _ = imported(notes="With SMT off p99 went from 640.0 ms to 632.0 ms.\n")
    one = finding(found, "smt-sharing")
    assert one["verdict"] == "ruled_out" and one["recoverable_ratio"] is None and "of the latency" in one["reason"]


@pytest.mark.parametrize("there", ["", "The VM's memory sits on 1 GiB hugetlbfs pages, that was so from the beginning.\n\n"])
def test_advice_begins_with_the_side_that_was_tried(imported, there):
    found, _ = imported(notes=STATES + there + "With huge pages in the guest the same batch takes 42.7 s.\n")
    advice = finding(found, "small-pages")["advice"]
    assert "in the guest" in str(advice[0]) and len(advice) == (1 if there else 2)
    assert "sits on 1 GiB" in str(finding(found, "small-pages")["evidence"]) or not there


@pytest.mark.parametrize("unread, open_", [
    ("Huge pages in the guest. Parsing in the TDX guest takes 9.9 s.", True), ("With huge pages and nohz_full the gap is gone.", True),
    ("With huge pages the first pass takes 9.9 s and the second 11 s.", True), ("With huge pages the gap was gone, then it was back.", True),
    ("## Huge pages 2 MB:", False), ("Would huge pages take it to 9.9 s?", False), ("We should try huge pages, 9.9 s is the target.", False),
    ("A colleague says that with huge pages it takes 9.9 s.", False), ("With huge pages the dTLB misses took 0.3 s.", False),
    ("Then again Ruth saw it 4 % faster with huge pages.", True), ("The other day Ruth saw it 4 % faster with huge pages.", True),
    ("Ruth saw it 4 % faster with huge pages on her laptop.", False),
    ("We enabled huge pages on Monday.", False), ("Without huge pages it is 13 s.", False), ("With nohz_full and jemalloc the gap is gone.", False)])
def test_a_sentence_of_the_same_change_that_was_not_understood_leaves_it_open(imported, unread, open_):
    found, _ = imported(notes=TDX + unread + "\n\nWith huge pages in the guest there is still the same gap.\n")
    one = finding(found, "small-pages")
    assert one["verdict"] == ("undecided" if open_ else "ruled_out"), unread
    assert not open_ or unread in one["reason"]


def test_what_was_taken_out_again_without_effect_was_not_it(imported):
    found, _ = imported(notes="The plain VM does 880 frames/s, the SNP one 702 frames/s.\n\n- Tue: nohz_full in the guest. The SNP VM did 879 frames/s, gap gone!\n"
                              "- Wed: took nohz_full out again. The SNP VM still does 878 frames/s.\n")
    assert not decided(found)


TREE = "```\ntma_backend_bound 80 %\ntma_memory_bound 70 %\ntma_dram_bound 60 %\ntma_mem_bandwidth 55 %\n```\n"


@pytest.mark.parametrize("heading, decides", [
    ("The manual gives this example:", False), ("From a blog post about STREAM:", False), ("## Table 3 of Kanev et al., quoted:", False), ("The vendor's numbers:", False),
    ("Our service, as in the manual:", True), ("Top-down of the solver:", True), ("On the other box:", True)])
def test_a_table_of_others_is_shown_and_decides_nothing(imported, heading, decides):
    found, _ = imported(notes=heading + "\n\n" + TREE + "\nOurs we couldn't count in the VM.\n")
    assert (finding(found, "memory-bandwidth")["verdict"] == "supported") == decides, heading
    assert decides or any("decides nothing" in one["text"] and "tma_mem_bandwidth 55 %" in one["text"] for one in found["statements"])


GCTRACE = "".join(f"gc {n} @24.{n}s 41%: 0.12+28+0.04 ms clock, 0.98+82/55/0+0.35 ms cpu, 38->41->20 MB, 40 MB goal, 0 MB stacks, 0 MB globals, 8 P\n" for n in (811, 812, 813))
STRACE = ("% time     seconds  usecs/call     calls    errors syscall\n------ ----------- ----------- --------- --------- ----------------\n"
          " 99.61    6.911200           0  41203311           read\n  0.39    0.026282           1     20110           write\n"
          "------ ----------- ----------- --------- --------- ----------------\n100.00    6.937482           0  41223421           total\n")


def test_a_collectors_setting_is_a_trial_of_it(imported):
    found, _ = imported(gc=GCTRACE, notes="With GOGC=400 the time fell from 26 s to 17.2 s.\n")
    one = finding(found, "garbage-collection")
    assert one["verdict"] == "supported" and one["confidence"] == "medium" and 0.3 < one["recoverable_ratio"]["low"] < 0.34
    assert "keep what was tried" in str(one["advice"])


def test_a_larger_buffer_is_of_calls_where_they_were_counted(imported):
    text = "Replaced it by a 64 KiB buffer: went from 9.31 s to 0.88 s.\n"
    found, _ = imported(strace=STRACE, notes="real 9.31\nuser 1.02\nsys 8.11\n\n" + text)
    one = finding(found, "system-calls")
    assert one["verdict"] == "supported" and one["recoverable_ratio"]["low"] > 0.85 and "mitigations" not in str(found["verdict"])


def test_a_larger_buffer_alone_is_of_nothing(imported):
    found, _ = imported(notes="Replaced it by a 64 KiB buffer: went from 9.31 s to 0.88 s.\n")
    assert not decided(found)


@pytest.mark.parametrize("size, identity", [("512000 bytes", "front-end"), ("9000 bytes", "uop-cache"), ("", None)])
def test_less_unrolling_is_of_the_cache_that_the_loop_did_not_fit(imported, size, identity):
    head = f"The hot loop is {size}.\n\n" if size else ""
    found, _ = imported(notes=head + "After capping the unroll factor at 8 the time fell from 0.91 s to 0.70 s.\n")
    assert decided(found) == ([identity] if identity else []) or (identity and finding(found, identity)["verdict"] == "supported")



@pytest.mark.parametrize("identity, verdict, text", [
    ("migrations", "!ruled_out", "Shared cloud VM, nothing pinned."),
    ("migrations", "!ruled_out", "Setup: threads pinned, nothing else ran."),
    ("small-pages", "!ruled_out", "Setup: THP on, nothing else ran."),
    ("smt-sharing", "!ruled_out", "Setup: SMT off, nothing else ran."),
    ("system-calls", "!ruled_out", "Setup: mitigations=off, nothing else ran."),
    ("timer-tick", "!ruled_out", "Setup: nohz_full, nothing else ran."),
    ("swap", "!ruled_out", "Setup: swap off, nothing else ran."),
    ("numa-remote", "!ruled_out", "Setup: numactl --membind=0, nothing else ran."),
    ("small-pages", "!ruled_out", "Huge pages are off on this host, nothing special."),
    ("host-small-pages", "!ruled_out", "Huge pages are off on this host, nothing special."),
    ("small-pages", "!ruled_out", "THP enabled, nothing in dmesg."),
    ("system-calls", "!ruled_out", "The box runs with mitigations=off, as always, and it is not faster than the cloud."),
    ("smt-sharing", "ruled_out", "Tried nosmt. Nothing."),
    ("small-pages", "ruled_out", "We turned THP on: nothing."),
    ("small-pages", "ruled_out", "THP on, nothing changed."),
    ("timer-tick", "ruled_out", "nohz_full: nothing gained."),
    ("small-pages", "supported", "With huge pages it takes 97 s, before 212 s."),
    ("cpu-quota", "supported", "After the CPU limit was removed: 97 s, before: 212 s."),
    ("small-pages", "supported", "THP on: 97 s, before: 212 s."),
    ("swap", "supported", "After swap was turned off: 97 s, before: 212 s."),
    ("small-pages", "supported", "With huge pages it takes 97 s (before: 212 s)."),
    ("small-pages", "supported", "With huge pages it takes 97 s; earlier it was 212 s."),
    ("small-pages", "!ruled_out", "From 97 s (huge pages) to 212 s (4K pages)."),
    ("small-pages", "supported", "With huge pages it takes 97 s instead of 212 s."),
    ("small-pages", "supported", "Before huge pages it took 212 s, with them 97 s."),
    ("small-pages", "supported", "Huge pages: 212 s before, 97 s after."),
    ("small-pages", "supported", "Huge pages: before 212 s, after 97 s."),
    ("small-pages", "!supported", "With huge pages it takes 212 s, before 97 s."),
    ("small-pages", "supported", "With huge pages it takes 97 s, previously 212 s."),
    ("small-pages", "supported", "With huge pages it takes 97 s, down from 212 s."),
    ("small-pages", "supported", "With THP on the guest but without nohz_full the performance becomes the same."),
    ("timer-tick", "!supported", "With THP on the guest but without nohz_full the performance becomes the same."),
    ("timer-tick", "supported", "With nohz_full on host and guest the performance becomes the same between a conventional VM and a TDX VM. Huge pages made no difference. With THP on the host, but without nohz_full, the gap was as large as before."),
    ("small-pages", "ruled_out", "With nohz_full on host and guest the performance becomes the same between a conventional VM and a TDX VM. Huge pages made no difference. With THP on the host, but without nohz_full, the gap was as large as before."),
    ("host-small-pages", "supported", "THP in the guest was always on. With huge pages on the host, too, the gap is gone."),
    ("small-pages", "!supported", "THP in the guest was always on. With huge pages on the host, too, the gap is gone."),
    ("timer-tick", "!supported", "We pinned the vCPUs, put the guest on hugetlbfs, booted with nohz_full and preloaded jemalloc, all in one go: 50 s instead of 80 s."),
    ("small-pages", "!supported", "We pinned the vCPUs, put the guest on hugetlbfs, booted with nohz_full and preloaded jemalloc, all in one go: 50 s instead of 80 s."),
    ("contended-lines", "supported", "With the padded struct it is 588 Mpps with 16 workers, 74 Mpps before."),
    ("contended-lines", "supported", "With the padded struct it went from 74 to 588 Mpps."),
    ("contended-lines", "supported", "With the padded struct it does 588 Mpps instead of 74 Mpps."),
    ("cpu-quota", "supported", "The job takes 212 s with the limit. After removing the CPU limit it takes 97 s."),
    ("swap", "supported", "It took 32:11 with swap. With swap turned off it takes 4:41."),
])
def test_which_amount_was_before_and_what_is_no_trial(imported, identity, verdict, text):
    """Settings that are only told are no trials; a word of time belongs to the amount behind it, or before it where a mark follows."""
    found, _ = imported(notes=text + "\n")
    told = finding(found, identity)["verdict"]
    assert told != verdict[1:] if verdict[0] == "!" else told == verdict


def test_several_changes_at_once_stay_open(imported):
    found, page = imported(notes="We did all this in one go: vCPU pinning on the hosts, nohz_full in the guests and jemalloc. After that: 180k ops/s. The gap is closed.\n")
    assert [finding(found, one)["verdict"] for one in ("steal", "timer-tick", "allocation")] == ["undecided"] * 3 and "in one go" in " ".join(found["verdict"]["open"])


ATTEMPTS = [
    ("branch-mispredicts", "Sorting the input first"), ("branch-mispredicts", "Making the comparison branchless"), ("lock-turns", "Sharding the lock into 64 of them"),
    ("divider", "Replacing the division by a multiplication with the reciprocal"), ("narrow-vectors", "Building with -march=native"),
    ("page-faults", "Preallocating the buffer with MAP_POPULATE"), ("system-calls", "Using io_uring instead of read"),
    ("interrupts", "Moving the interrupts of the network card to CPU 3"), ("steal", "Moving to a dedicated host"),
    ("instrumented-build", "Turning off the sanitizer"), ("front-end", "PGO with BOLT"), ("load-chain", "Using a flat array instead of the linked list")]


@pytest.mark.parametrize("identity, change", ATTEMPTS)
def test_what_is_tried_against_a_cause_supports_it(imported, identity, change):
    found, _ = imported(notes=f"{change} brought the batch from 80 s to 61 s.\n")
    assert found["verdict"]["culprit"] == identity and finding(found, identity)["recoverable_ratio"]["mid"] == pytest.approx(1 - 61 / 80, abs=0.01)


@pytest.mark.parametrize("identity, change", ATTEMPTS)
def test_what_may_fail_rules_nothing_out(imported, identity, change):
    found, _ = imported(notes=f"{change} made no difference.\n")
    cannot_fail = identity in ("interrupts", "steal", "instrumented-build")
    assert (finding(found, identity)["verdict"] == "ruled_out") == cannot_fail


@pytest.mark.parametrize("identity, verdict, text", [
    ("system-calls", "!ruled_out", "mitigations=off made no difference on the old host, here it gave 15 %."),
    ("system-calls", "!ruled_out", "On the old host mitigations=off made no difference; on this one it gave 15 %."),
    ("host-small-pages", "supported", "We backed the guest with huge pages on the host, and the gap fell from 41 % to 2 %."),
    ("small-pages", "!supported", "We backed the guest with huge pages on the host, and the gap fell from 41 % to 2 %."),
    ("oversubscribed", "!supported", "With 8 threads instead of 32 the throughput goes up from 310k tps to 702k tps."),
    ("oversubscribed", "!supported", "With 32 threads instead of 8 the throughput goes up from 310k tps to 702k tps."),
    ("small-pages", "ruled_out", "We enabled THP and saw no change."),
    ("small-pages", "ruled_out", "We tried huge pages but saw no improvement."),
    ("denormals", "ruled_out", "I switched to -ffast-math with FTZ on and saw no change."),
    ("small-pages", "supported", "We enabled huge pages and saw throughput rise by 20 %."),
    ("small-pages", "supported", "We enabled huge pages and saw a 20 % higher throughput."),
    ("small-pages", "!supported", "They enabled huge pages and saw a 20 % higher throughput."),
    ("allocation", "supported", "Before switching to jemalloc a request took 12.4 ms, now it takes 8.1 ms."),
    ("small-pages", "supported", "Before enabling huge pages the batch took 78 s, now it takes 61 s."),
    ("cpu-quota", "supported", "Until we removed the CPU limit it took 78 s, now it takes 61 s."),
    ("small-pages", "supported", "Huge pages brought the run time down by 30 %."),
    ("allocation", "supported", "jemalloc brought latency down by 30 %."),
    ("interrupts", "supported", "Moving the NIC interrupts to other CPUs brought the run time down by 30 %."),
    ("allocation", "supported", "jemalloc cut the run time by 30 %."),
    ("small-pages", "supported", "The job took 73 s. With huge pages it took 52 s."),
    ("frequency", "supported", "A kernel build takes 512 s. With the performance governor the same build took 301 s."),
    ("frequency", "!supported", "The copy takes 512 s. With the performance governor the link step took 301 s."),
    ("avx512-licence", "ruled_out", "Without AVX-512 9.8 s, with AVX-512 8.1 s."),
    ("avx512-licence", "ruled_out", "With AVX-512 it took 8.1 s, without it 9.8 s."),
    ("avx512-licence", "!ruled_out", "With AVX-512 it took 9.8 s, without it 8.1 s."),
    ("avx512-licence", "ruled_out", "Disabling AVX-512 made it slower."),
    ("small-pages", "!supported", "Huge pages made it slower."),
    ("small-pages", "supported", "We only set THP to always inside the guest. benchdnn then finished in 43.1 s, where it had taken 61.4 s before."),
    ("contended-lines", "supported", "I padded each counter to its own cache line; 8 threads now do 402M instead of 23M."),
    ("small-pages", "supported", "We turned on huge pages. The run now takes 61 s instead of 78 s."),
    ("small-pages", "ruled_out", "We turned on huge pages. The run time did not change."),
    ("small-pages", "ruled_out", "We turned on huge pages. The throughput stayed the same."),
    ("denormals", "supported", "I built it with -ffast-math, which sets flush-to-zero. The same render now takes 1.6 s instead of 13.9 s."),
    ("small-pages", "supported", "We turned on huge pages in the guest. That alone brought the matmul run on the TDX VM from 78.0 s down to 61.5 s."),
    ("host-small-pages", "supported", "With huge pages on the host. The gap between the two VMs is now 2 %, down from 41 %."),
    ("host-small-pages", "supported", "With huge pages on the host the gap between the two VMs is now 2 %, down from 41 %."),
    ("numa-remote", "supported", "When I start the whole thing under numactl --membind=0 it does 61k queries/s. Without that it is 37k queries/s."),
    ("numa-remote", "supported", "Under numactl --membind=0 it does 61k queries/s, without it 37k."),
    ("allocation", "supported", "jemalloc gives 31,840 tps, plain glibc 21,907 tps."),
    ("interrupts", "supported", "We spread the interrupts over CPUs 0-7 and the throughput went from 310k to 402k req/s."),
    ("branch-mispredicts", "supported", "With the column sorted the query takes 0.9 s instead of 2.1 s."),
    ("system-calls", "supported", "We switched the clock source back to tsc and the job takes 61 s instead of 78 s."),
    ("oversubscribed", "!supported", "With 48 clients instead of 192 the throughput is 40 % higher."),
    ("oversubscribed", "undecided", "With half as many threads it takes 31.0 s instead of 44.2 s."),
    ("oversubscribed", "supported", "With as many threads as CPUs it takes 31.0 s instead of 44.2 s."),
])
def test_trials_as_people_tell_them(imported, identity, verdict, text):
    found, _ = imported(notes=text + "\n")
    told = finding(found, identity)["verdict"]
    assert told != verdict[1:] if verdict[0] == "!" else told == verdict


def passed_over(found):
    return [one["text"] for one in found["statements"] if one["origin"] == "not taken for a trial"]


@pytest.mark.parametrize("said, why", [
    ("Setting GOGC=300 cut CPU use from 8.0 to 5.1 cores.", "names a change"), ("We enabled huge pages on 3 hosts.", "names a change"),
    ("Moving the timer interrupts elsewhere brought the run time down by 25 %.", "no change that plumb knows"), ("Halving the number of workers doubled the throughput.", "no change that plumb knows"),
    ("The guest uses huge pages. The gap to the other one is now 3 %, down from 40 %.", "named before it")])
def test_a_change_with_a_number_is_never_dropped_in_silence(imported, said, why):
    found, _ = imported(notes=said + "\n")
    shown = [one["text"] for one in found["statements"] if one["origin"] in ("not taken for a trial", "not understood", "imported, told in words")]
    assert any(said.split(". ")[-1] in text for text in shown), shown
    assert not passed_over(found) or any(why in text for text in passed_over(found))


@pytest.mark.parametrize("said", [
    "Huge pages might help, too, by 10 %.", "Next week we are going to try huge pages on 3 hosts.", "## With huge pages, 3 runs", "Huge pages on 3 hosts:", "The job has huge pages on and needs 12 GB.",
    "We run it with huge pages on 3 hosts.", "During the run it took 3.1 s.", "See https://example.org/huge-pages/2024/3 on huge pages.", "export GOGC=400"])
def test_what_tells_of_no_outcome_is_not_listed(imported, said):
    found, _ = imported(notes=said + "\n")
    assert not passed_over(found)


def test_what_was_passed_over_takes_nothing_from_a_trial(imported):
    trial = "With huge pages in the guest it took 6.0 s instead of 9.0 s.\n"
    alone, _ = imported(notes=trial)
    beside, _ = imported(notes=trial + "\nThe guest runs with huge pages at 30 % of its memory.\n")
    assert passed_over(beside)
    assert finding(beside, "small-pages")["verdict"] == finding(alone, "small-pages")["verdict"] == "supported"


@pytest.mark.parametrize("identity, verdict, text", [
    ("small-pages", "supported", "With huge pages the job needs 31 s where it used to need 44 s."),
    ("small-pages", "supported", "With huge pages it takes 31 s where before it took 44 s."),
    ("swap", "supported", "With swapoff it takes 31 s where it used to need 44 s."),
    ("allocation", "supported", "With jemalloc it takes 31 s where it used to need 44 s."),
    ("numa-remote", "supported", "With membind the job needs 31 s where it used to need 44 s."),
    ("small-pages", "!any", "Huge pages were enabled and the compiler was updated at the same time; the job went from 44 s to 31 s."),
    ("small-pages", "!any", "Huge pages were enabled and the kernel was upgraded at the same time; the job went from 44 s to 31 s."),
    ("allocation", "!any", "jemalloc was installed and the compiler was updated at the same time; the job went from 44 s to 31 s."),
    ("smt-sharing", "!any", "SMT was switched off and the compiler was updated at the same time; the job went from 44 s to 31 s."),
    ("small-pages", "!any", "After enabling huge pages and rewriting the inner loop the job went from 44 s to 31 s."),
    ("smt-sharing", "!any", "Turning SMT off and halving the batch size brought it from 44 s to 31 s."),
    ("smt-sharing", "!any", "We turned SMT off and got new DIMMs; the job went from 44 s to 31 s."),
    ("smt-sharing", "!any", "Along with the BIOS update we disabled hyper-threading, and the job went from 44 s to 31 s."),
    ("migrations", "!any", "We pinned it and stopped the backup; it takes 31 s instead of 44 s."),
    ("cpu-quota", "!any", "With the CPU limit removed and the replica count doubled, p99 went from 800 ms to 90 ms."),
    ("allocation", "!any", "The release that switched to jemalloc also rewrote the parser; it takes 11 s instead of 18 s."),
    ("lock-turns", "!any", "The version with the sharded lock, which also caches the results, takes 11 s instead of 18 s."),
    ("small-pages", "!any", "Since the upgrade to Ubuntu 24.04, which enables huge pages, the job takes 31 s instead of 44 s."),
    ("allocation", "!any", "Version 5.3, which ships with jemalloc, takes 11.9 s instead of 18.2 s."),
    ("smt-sharing", "!any", "On the new machine, which has SMT off, the job takes 31 s instead of 44 s."),
    ("small-pages", "!any", "Huge pages: 31 s. No huge pages: 44 s, but on a different kernel."),
    ("allocation", "!any", "Undoing the jemalloc change and fixing the leak brought it from 44 s to 31 s."),
    ("small-pages", "!any", "Both runs were made with huge pages: 44 s before the patch, 31 s after it."),
    ("frequency", "!any", "All numbers with the performance governor: before the rewrite 44 s, after it 31 s."),
    ("smt-sharing", "!any", "Still with SMT off, upgrading the compiler brought it from 44 s to 31 s."),
    ("allocation", "!any", "Already running with jemalloc, we rewrote the loop and went from 44 s to 31 s."),
    ("migrations", "!any", "Keeping the threads pinned, we doubled the batch and went from 44 s to 31 s."),
    ("migrations", "!any", "We stopped the backup; with the threads still pinned it takes 31 s instead of 44 s."),
    ("small-pages", "!any", "After the reboot, still with huge pages, it takes 31 s instead of 44 s."),
    ("small-pages", "!any", "On top of huge pages, a better hash brought it from 44 s to 31 s."),
    ("allocation", "!any", "The parser, which uses jemalloc, got 20 % faster last week."),
    ("small-pages", "!any", "Since Tuesday the job on the node with huge pages takes 44 s rather than 31 s."),
    ("allocation", "!any", "The container with jemalloc takes 11.9 s on ARM instead of 18.2 s on x86."),
    ("allocation", "!any", "Instead of jemalloc we tried a pool of our own, which brought it from 44 s to 31 s."),
    ("smt-sharing", "!any", "Rather than turning SMT off, we halved the threads, and it went from 44 s to 31 s."),
    ("allocation", "!any", "Despite jemalloc, it takes 44 s instead of the 31 s that we want."),
    ("allocation", "!any", "Switching back from jemalloc to glibc made it 20 % faster."),
    ("allocation", "!any", "tcmalloc is as slow as jemalloc."),
    ("allocation", "!any", "Upgrading jemalloc from 5.2 to 5.3 made no difference."),
    ("allocation", "!any", "Upgrading jemalloc brought it from 44 s to 31 s."),
    ("allocation", "!any", "Tuning jemalloc's arenas brought it from 44 s to 31 s."),
    ("small-pages", "!any", "2 MiB pages are as fast as 1 GiB pages."),
    ("small-pages", "!any", "1 GiB pages instead of 2 MiB pages made no difference."),
    ("small-pages", "!any", "1 GiB pages are faster than 2 MiB pages: 31 s instead of 44 s."),
    ("migrations", "!any", "Pinning to other cores made no difference."),
    ("migrations", "!any", "Pinning made no difference to the memory use."),
    ("allocation", "!any", "jemalloc made no difference in the number of crashes."),
    ("cpu-quota", "!any", "Raising the CPU limit from 2 to 3 made no difference in the cost."),
    ("migrations", "!any", "Pinning reduced migrations from 41k to 12, the time is still to be measured."),
    ("small-pages", "!any", "The THP setting did not survive the reboot, so the time stayed at 44 s."),
    ("small-pages", "!any", "With huge pages it crashed after 31 s instead of 44 s."),
    ("smt-sharing", "!any", "With SMT off the job was killed after 31 s; before it ran for 44 s."),
    ("branch-mispredicts", "!any", "Sorting the input takes 1.7 s instead of 5.2 s."),
    ("small-pages", "!any", "Huge pages brought it from 44 s to 31 s, but only on the first run."),
    ("small-pages", "!any", "With huge pages the first run took 31 s instead of 44 s; all later ones took 44 s."),
    ("allocation", "!any", "The claim that jemalloc made it 30 % faster turned out to be a measuring error."),
    ("small-pages", "!any", "With huge pages the import is 30 % faster, but our problem is the export."),
    ("allocation", "!any", "Percona measured 30 % more throughput with jemalloc."),
    ("allocation", "!any", "At my previous job jemalloc brought such a parser from 18 s to 12 s."),
    ("small-pages", "!any", "My boss thinks that huge pages brought it from 44 s to 31 s."),
    ("small-pages", "!any", "Some say huge pages made it 30 % faster."),
    ("allocation", "!any", "MySQL runs 30 % faster with jemalloc, they say."),
    ("small-pages", "!any", "The model predicts 31 s instead of 44 s with huge pages."),
    ("allocation", "!any", "In the staging cluster jemalloc brought it from 44 s to 31 s."),
    ("small-pages", "!any", "Under Windows with huge pages it takes 31 s instead of 44 s."),
    ("front-end", "!any", "We want to get the hot loop down to 1000 bytes."),
    ("uop-cache", "!any", "We want to get the hot loop down to 1000 bytes."),
    ("front-end", "!any", "The loop would fit in 1000 bytes if it were not unrolled."),
    ("uop-cache", "!any", "The loop would fit in 1000 bytes if it were not unrolled."),
    ("front-end", "!any", "The paper's hot loop is only 1000 bytes."),
    ("uop-cache", "!any", "The paper's hot loop is only 1000 bytes."),
    ("front-end", "!any", "The hot loop of the old version has 400 bytes."),
    ("uop-cache", "!any", "The hot loop of the old version has 400 bytes."),
    ("front-end", "!any", "One of the forty hot loops is only 1000 bytes."),
    ("uop-cache", "!any", "One of the forty hot loops is only 1000 bytes."),
    ("front-end", "ruled_out", "The hot loop is only about 1000 bytes."),
    ("timer-tick", "supported", "With nohz_full in place on both sides the benchdnn throughput of the TDX VM is the same as that of the conventional VM. The gap is gone."),
    ("small-pages", "ruled_out", "Enabling THP inside the guest only did not change anything: 14.9 s before, 14.8 s after."),
    ("small-pages", "ruled_out", "We applied the patches and turned on THP on the host and in the guest. To our surprise the run time is unchanged."),
    ("avx512-licence", "ruled_out", "We forbade AVX-512 and the run time stayed the same."),
    ("cpu-quota", "supported", "Once the CPU limit had been lifted, p99 dropped from 800 ms to 90 ms."),
    ("denormals", "supported", "Flushing denormals to zero made the filter six times faster."),
    ("system-calls", "supported", "Batching the writes in 64 KiB pieces brought the copy from 12.0 s to 3.1 s."),
    ("frequency", "supported", "Under the performance governor the same job takes 20 s, under powersave 33 s."),
    ("small-pages", "supported", "We enabled huge pages and reran the job: 31 s instead of 44 s."),
    ("smt-sharing", "supported", "We turned SMT off and rebooted; the job went from 44 s to 31 s."),
    ("small-pages", "supported", "We enabled THP and measured again: 31 s instead of 44 s."),
    ("allocation", "supported", "We switched to jemalloc and the throughput went from 31k tps to 44k tps."),
    ("small-pages", "!any", "Huge pages made no difference to the compile time."),
    ("small-pages", "ruled_out", "Huge pages made no difference to the run time."),
    ("small-pages", "!any", "With huge pages there was no change in startup time."),
    ("migrations", "!any", "Pinned to cores 0-7 it takes 31 s, pinned to cores 8-15 it takes 44 s."),
    ("migrations", "!any", "Pinned to cores 0-7 it takes 44 s, pinned to cores 8-15 it takes 31 s."),
    ("allocation", "!any", "On AMD with jemalloc the job takes 31 s, on Intel with jemalloc it takes 44 s."),
    ("small-pages", "!any", "Before turning to huge pages, we rewrote the loop: 44 s became 31 s."),
    ("small-pages", "!any", "We tried huge pages, but before that we rewrote the loop: 44 s became 31 s."),
    ("allocation", "!any", "44 s (gcc 9, glibc malloc) versus 31 s (gcc 13, jemalloc)."),
    ("allocation", "supported", "44 s (gcc 13, glibc malloc) versus 31 s (gcc 13, jemalloc)."),
    ("allocation", "supported", "We replaced glibc's malloc with jemalloc: 44 s became 31 s."),
    ("allocation", "supported", "We swapped glibc malloc for jemalloc: 44 s to 31 s."),
    ("small-pages", "supported", "From 4 KiB to 2 MiB pages: 44 s to 31 s."),
    ("small-pages", "!any", "With huge pages it takes 31 s to 44 s."),
    ("system-calls", "!any", "mitigations=off made no difference."),
    ("allocation", "!any", "jemalloc made no difference."),
    ("system-calls", "supported", "With mitigations=off it takes 31 s instead of 44 s."),
    ("migrations", "!any", "The interrupts pinned elsewhere made no difference."),
    ("small-pages", "supported", "We put the arena on 2 MB pages with madvise and the replay went from 10.0 s to 7.1 s."),
    ("small-pages", "!any", "We enabled huge pages and the DBA dropped an index, the job went from 44 s to 31 s."),
    ("small-pages", "!any", "We enabled huge pages and the team rewrote the parser, the job went from 44 s to 31 s."),
    ("smt-sharing", "supported", "With SMT switched off the same replay needs 7.9 s, i.e. 21 % less."),
    ("numa-remote", "supported", "numactl --interleave=all instead of the default halved the run time."),
    ("numa-remote", "!any", "numactl --interleave=all doubled the run time."),
    ("small-pages", "supported", "Huge pages doubled the throughput."),
    ("lock-turns", "supported", "Splitting the mutex into 32 shards brought 44k -> 120k tps."),
    ("timer-tick", "ruled_out", "The run time did not change at all with nohz_full: 61.2 s before, 61.1 s after."),
    ("smt-sharing", "ruled_out", "There was no change without SMT."),
    ("smt-sharing", "ruled_out", "Pinning the workers didn't help. Neither did switching SMT off."),
    ("smt-sharing", "ruled_out", "Pinning the workers didn't help, nor did switching SMT off."),
    ("migrations", "ruled_out", "Pinning the workers didn't help, nor did switching SMT off."),
    ("numa-remote", "supported", "After numatune with migratepages the run went from 29m40s to 18m45s."),
    ("copying", "ruled_out", "The share of memcpy misleads: with the copies removed the run takes 9.9 s instead of 10.0."),
    ("copying", "supported", "With the copies removed the run takes 6.1 s instead of 10.0 s."),
    ("waiting", "supported", "Moved the data file to tmpfs and the job finished in 41 s instead of 310 s."),
    ("waiting", "!any", "Moved the data file to tmpfs, which changed nothing."),
    ("cpu-quota", "supported", "We run under a 2 CPU quota in k8s; without the limit the p99 goes from 310 ms to 45 ms."),
    ("cpu-quota", "!any", "Without the limit the p99 goes from 310 ms to 45 ms."),
    ("instrumented-build", "supported", "Rebuilt without -fsanitize=address: 4.1 s instead of 10.0 s."),
    ("system-calls", "supported", "Booted with `tsc=reliable`: 1.9M msg/s, before 1.2M msg/s."),
    ("small-pages", "!any", "THP on, plus our new hash function: 20 s -> 15 s."),
    ("small-pages", "!any", "Huge pages + new hash function: 20 s -> 15 s."),
    ("timer-tick", "!any", "nohz_full in the guest plus removing our watchdog's hrtimer: the gap is gone."),
    ("vm-exits", "!any", "nohz_full made no difference."),
    ("timer-tick", "supported", "Exits went from 79k/s down to 900/s with nohz_full=1-7, and the gap is gone."),
    ("oversubscribed", "!any", "We lowered the number of worker threads from 64 to 8 and got 30 % more throughput."),
    ("smt-sharing", "!any", "We turned SMT off and got new DIMMs; the job went from 44 s to 31 s."),
    ("cpu-quota", "supported", "Raised limits.cpu to 8: p99 190 ms -> 43 ms there."),
    ("small-pages", "ruled_out", "THP=always: 42.2k tps, was 42.3k."),
    ("allocation", "supported", "With jemalloc 44 s, was 60 s."),
    ("lock-turns", "supported", "Sharded the lock into 32: 2.2x."),
    ("system-calls", "supported", "Batching writes with io_uring: 840 -> 3900 tps."),
    ("interrupts", "supported", "interrupts of the NIC spread over all CPUs instead of CPU0: 3.1M pps, was 1.2M."),
    ("waiting", "supported", "synchronous_commit=off (just to see): 6100 tps instead of 840 tps."),
    ("allocation", "supported", "- LD_PRELOAD=libjemalloc.so.2: 31k -> 66k docs/s\n- MALLOC_ARENA_MAX=64: 31k -> 33k docs/s"),
    ("small-pages", "ruled_out", "Trials\n======\n\nHuge pages made no difference.\n-----\nThe rest is as before."),
])
def test_what_only_sounds_like_a_trial(imported, identity, verdict, text):
    """!any: neither supported nor ruled out; between these trials that are some."""
    found, _ = imported(notes=text + "\n")
    told = finding(found, identity)["verdict"]
    assert told not in ("supported", "ruled_out") if verdict == "!any" else told == verdict


PLANNED = "- [ ] huge pages: 44 s -> 31 s\n- [ ] jemalloc: 44 s -> 40 s\n"


def tried(found):
    return [one["text"] for one in found["statements"] if one["origin"] == "imported, told in words"]


@pytest.mark.parametrize("notes", [
    "# To do\n\n" + PLANNED, PLANNED, "# Hypotheses\n\n1. THP: 44 s -> 31 s\n2. jemalloc: 44 s -> 40 s\n", "# Ideas\n\nWith huge pages the job takes 31 s instead of 44 s.\n",
    "Next steps:\n\n- huge pages: 44 s -> 31 s\n", "Notes\n=====\n\nTodo\n----\n\nWith huge pages the job takes 31 s instead of 44 s.\n",
    "1. THP: 44 s -> 31 s\n2. jemalloc: 44 s -> 40 s\n\nNone has been tested.\n", "# Simulated example for the training course\n\nWith huge pages the job took 31 s instead of 44 s.\n",
    "# Attempt 1 (reverted: results were wrong)\n\nWith huge pages the job took 31 s instead of 44 s.\n",
    "# Changelog of the library\n\nWith huge pages the parser takes 31 s instead of 44 s.\n",
    "This is a summary of the talk by another company. With huge pages the job took 31 s instead of 44 s.\n",
    "With huge pages the job took 31 s instead of 44 s.\n\nUpdate: this turned out to be wrong, the two runs had different inputs.\n",
    "With huge pages the job took 31 s instead of 44 s.\n\nCorrection (next day): we compared two different inputs.\n",
    "# Results\n\nEdit: the numbers below are from the wrong machine, please ignore.\n\nWith huge pages the job took 31 s instead of 44 s.\n",
    "| change | expected time |\n|---|---|\n| baseline | 44 s |\n| huge pages | 31 s |\n", "| change | time |\n|---|---|\n| baseline | 44 s |\n| huge pages (planned) | 31 s |\n",
], ids=["to do", "boxes", "hypotheses", "ideas", "next steps", "underlined", "none tested", "simulated", "reverted", "changelog", "talk", "update", "correction", "below",
        "expected", "planned row"])
def test_plans_and_what_was_taken_back_is_no_trial(imported, notes):
    found, _ = imported(notes=notes)
    assert not tried(found) and found["verdict"]["culprit"] is None
    assert not [one for one in found["findings"] if one["verdict"] == "supported"]


@pytest.mark.parametrize("notes", [
    "# To do\n\n- [x] huge pages: 44 s -> 31 s\n- [ ] jemalloc\n", "# To do\n\n- [ ] jemalloc\n\n# Trials\n\nWith huge pages the job took 31 s instead of 44 s.\n",
    "# Plan\n\n## Results\n\nWith huge pages the job took 31 s instead of 44 s.\n", "# Hypotheses, tested\n\nWith huge pages the job took 31 s instead of 44 s.\n",
    "With huge pages the job took 31 s instead of 44 s.\n\nUpdate: jemalloc comes next.\n", "# Changelog of our tuning\n\nWith huge pages the job took 31 s instead of 44 s.\n",
    "With huge pages the job took 31 s instead of 44 s.\n\nSMT off was not tried.\n",
    "With huge pages the job took 31 s instead of 44 s.\n\nWith jemalloc it took 12 s. Sorry, wrong host.\n",
    "| setting | expected | measured time |\n|---|---|---|\n| baseline | 44 s | 44.0 s |\n| huge pages | 30 s | 31.2 s |\n",
], ids=["ticked", "next section", "results", "tested", "update", "own changelog", "another not tried", "another's doubt", "expected beside measured"])
def test_trials_beside_plans_are_trials(imported, notes):
    found, _ = imported(notes=notes)
    assert any("uge pages" in text for text in tried(found))


@pytest.mark.parametrize("text, ruled_out", [
    ("Neither huge pages nor SMT off made a difference.", {"small-pages", "smt-sharing"}), ("We tried huge pages, pinning and SMT off; nothing helped.", {"small-pages", "migrations", "smt-sharing"}),
    ("Huge pages and pinning did not help.", {"small-pages", "migrations"}), ("None of huge pages and pinning changed anything.", {"small-pages", "migrations"}),
    ("We tried huge pages and a new kernel: no change.", set()), ("Huge pages and pinning helped.", set()), ("With huge pages but without pinning nothing changed.", {"small-pages"}),
    ("Huge pages and SMT off brought it from 44 s to 31 s.", set()), ("Neither the disk nor the network is slow, huge pages brought it from 44 s to 31 s.", set())])
def test_what_changed_nothing_together_is_ruled_out_each(imported, text, ruled_out):
    found, _ = imported(notes=text + "\n")
    assert {one["id"] for one in found["findings"] if one["verdict"] == "ruled_out"} == ruled_out


MPSTAT = """Linux 6.8.0 (db4) 	03/02/26 	_x86_64_	(4 CPU)

12:00:01     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
12:00:02     all   96.10    0.00    3.90    0.00    0.00    0.00    0.00    0.00    0.00    0.00
"""
VMSTAT = """procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
24  0      0 812345  40000 900000    0    0     0     0 9000 90000 96  4  0  0  0
23  0      0 812345  40000 900000    0    0     0     0 9100 91000 96  4  0  0  0
"""
PRESSURE = """$ cat /proc/pressure/cpu
some avg10=93.11 avg60=92.02 avg300=91.00 total=9012345678
full avg10=0.00 avg60=0.00 avg300=0.00 total=0
"""


@pytest.mark.parametrize("tables, verdict", [("", "undecided"), (MPSTAT + "\n" + VMSTAT, "undecided"), (MPSTAT + "\n" + VMSTAT + "\n" + PRESSURE, "supported")], ids=["alone", "queue", "waits"])
def test_fewer_threads_are_of_the_cpus_where_a_table_says_so(imported, tables, verdict):
    found, _ = imported(notes=tables + "\nWith half as many threads the run takes 13.0 s instead of 22.1 s.\n")
    one = finding(found, "oversubscribed")
    assert one["verdict"] == verdict
    if verdict == "supported":
        assert 0.38 < one["recoverable_ratio"]["low"] < one["recoverable_ratio"]["high"] < 0.45


def test_a_window_that_is_said_is_that_of_the_exits(run, tmp_path):
    table = tmp_path / "kvm.txt"
    table.write_text("Analyze events for all VMs, all VCPUs:\n\n"
                     "             VM-EXIT    Samples  Samples%     Time%    Min Time    Max Time         Avg time\n\n"
                     "           MSR_WRITE      40000    70.00%    60.00%      0.70us     80.00us      1.50us ( +-   0.40% )\n"
                     "  EXTERNAL_INTERRUPT      17143    30.00%    40.00%      0.60us    200.00us      2.33us ( +-   1.10% )\n\n"
                     "Total Samples:57143, Total events handled time:100000.00us.\n")
    without = json.loads(run("diagnose", "--json", "--import", table).stdout)
    said = json.loads(run("diagnose", "--json", "--import", table, "--say", "That was 10 s of one busy vCPU.").stdout)
    assert finding(without, "vm-exits")["verdict"] == "undecided" and finding(said, "vm-exits")["verdict"] == "ruled_out"


def test_a_gap_that_nothing_explains_stands_open(imported):
    found, _ = imported(notes="The guest takes 52.7 s for what needs 41.0 s on bare metal.\n")
    assert any("the gap that is told" in one for one in found["verdict"]["open"])


def said_findings(run, sayings):
    options = [word for one in sayings for word in ("--say", one)]
    return json.loads(run("diagnose", "--json", *options).stdout)


@pytest.mark.parametrize("sayings, ids", [
    (["SMT off made no difference, except together with pinned threads; then the gap was gone."], ["smt-sharing", "migrations"]),
    (["jemalloc changed nothing until we set the performance governor, too; after that it took 31 s instead of 44 s."], ["allocation", "frequency"]),
    (["With the vCPUs pinned the gap was the same; only together with huge pages in the guest did it vanish."], ["steal", "small-pages"]),
    (["nohz_full did not help. Only after we had also turned SMT off was the gap gone."], ["timer-tick", "smt-sharing"]),
    (["SMT off alone did nothing. Combined with huge pages it went from 30 s to 22 s."], ["smt-sharing", "small-pages"]),
    (["Initially jemalloc had no effect."], ["allocation"]),
    (["The performance governor did nothing. Not until the threads were pinned as well did it fall from 9.1 s to 6.0 s."], ["frequency", "migrations"])])
def test_what_did_not_help_alone_is_not_ruled_out(run, sayings, ids):
    found = said_findings(run, sayings)
    assert not decided(found) and all(finding(found, one)["verdict"] == "undecided" for one in ids), found["verdict"]["sentence"]


@pytest.mark.parametrize("sayings, identity", [
    (["With jemalloc the import fell from 81 s to 60 s.", "On Friday we went back to glibc malloc, and it stayed at 60 s."], "allocation"),
    (["We set the performance governor and the build went from 90 s to 71 s. Reverting it left it at 71 s."], "frequency"),
    (["Turned off hyper-threading: 51 s -> 38 s.", "Re-enabling SMT did not make it slower."], "smt-sharing"),
    (["Huge pages took the query from 4.4 s to 3.1 s. When they were switched off again nothing changed."], "small-pages"),
    (["nohz_full brought it from 52 s to 44 s, and after we had rolled it back it was still 44 s."], "timer-tick"),
    (["Enabled THP; the gap was gone. Reverted it, and it is still fast."], "small-pages"),
    (["We enabled huge pages. The gap was gone. After rolling it back nothing changed."], "small-pages"),
    (["Without the CPU quota p95 fell from 210 ms to 90 ms.", "The CPU quota has been back since then and p95 stayed at 90 ms."], "cpu-quota"),
    (["Pinning the threads took it from 44 s to 31 s; so did reverting it."], "migrations"),
    (["Without SMT p95 fell from 9 ms to 6 ms, and it stayed that way after SMT had been switched on again."], "smt-sharing"),
    (["With jemalloc it takes 60 s instead of 81 s.", "A control run with glibc malloc on the same evening took 60 s, too."], "allocation"),
    (["Removing the CPU limit brought p95 from 700 ms to 90 ms; the other replica, where the limit is still in place, has 90 ms too."], "cpu-quota"),
    (["SMT off: 51 s -> 38 s.", "A week later SMT was switched on again: 38 s."], "smt-sharing"),
    (["Under the performance governor it is 15 % faster, under ondemand as well."], "frequency"),
    (["With mitigations=off it took 14 s instead of 19 s, and with the mitigations on again it still takes 14 s."], "system-calls")])
def test_a_gain_that_outlasts_its_change_is_not_of_it(run, sayings, identity):
    found = said_findings(run, sayings)
    assert finding(found, identity)["verdict"] == "undecided" and "taken back" in finding(found, identity)["reason"]
    assert not decided(found), found["verdict"]["sentence"]


def test_what_stays_without_pages_of_one_side_is_not_of_the_other(imported):
    found, _ = imported(notes="With huge pages on the host the guest needs 31 s instead of 44 s.\n\nDropping huge pages in the guest changed nothing.\n")
    assert finding(found, "host-small-pages")["verdict"] == "supported"


@pytest.mark.parametrize("sayings, identity", [
    (["Huge pages brought it from 52 s to 38 s. Without them it was 52 s again."], "small-pages"),
    (["Turned SMT off: 51 s -> 38 s.", "SMT was switched on again and it went back to 51 s."], "smt-sharing"),
    (["With jemalloc it took 60 s instead of 81 s, and going back to glibc malloc made it slower by 30 %."], "allocation")])
def test_a_gain_that_goes_with_its_change_is_of_it(run, sayings, identity):
    assert finding(said_findings(run, sayings), identity)["verdict"] != "ruled_out"


@pytest.mark.parametrize("text, identity", [
    ("With SMT off the batch took 31 s instead of 44 s, but the traffic was lower that night.", "smt-sharing"),
    ("Huge pages brought it from 44 s to 31 s, though we also upgraded the kernel.", "small-pages"),
    ("The performance governor took it from 44 s to 31 s; however, the machine was rebooted at the same time.", "frequency"),
    ("Run time fell from 44 s to 31 s after padding the counters, and there were fewer users.", "contended-lines"),
    ("With jemalloc it takes 31 s instead of 44 s. The data set was half as large, though.", "allocation"),
    ("Throughput rose from 9k to 12k req/s with tcmalloc, and in that sprint we also rewrote the parser.", "allocation"),
    ("SMT off took p95 from 12 ms to 8 ms. The noisy container had been stopped the same evening.", "smt-sharing"),
    ("Pinning the threads took it from 44 s to 31 s. We also replaced the SSD that day.", "migrations")])
def test_a_gain_with_another_change_admitted_is_open(imported, text, identity):
    found, _ = imported(notes=text + "\n")
    assert not decided(found) and finding(found, identity)["verdict"] == "undecided", found["verdict"]["sentence"]


@pytest.mark.parametrize("text", ["With SMT off the batch took 31 s instead of 44 s, but it also uses more power.", "Huge pages brought it from 44 s to 31 s, with the same input and the same load.",
                                  "With jemalloc it takes 31 s instead of 44 s, while the input was the same."])
def test_what_is_no_other_change_leaves_a_gain(imported, text):
    found, _ = imported(notes=text + "\n")
    assert decided(found), found["verdict"]["sentence"]


@pytest.mark.parametrize("text, verdicts", [
    ("With 2 MB hugepages on the host it stayed at 120 req/s.", ("ruled_out", "not_testable")),
    ("The box has 96 cores.\n\nWith huge pages on the host the query takes 3.1 s instead of 4.4 s.", ("supported", "not_testable")),
    ("# pgbench in our KVM guest\n\nWith 2 MB hugepages on the host it stayed at 120 req/s.", ("not_testable", "ruled_out")),
    ("With 2 MB hugepages on the host it stayed at 120 req/s.\n\nThe instance has 8 vCPUs.", ("not_testable", "ruled_out"))])
def test_without_a_guest_the_host_is_the_machine(imported, text, verdicts):
    found, _ = imported(notes=text + "\n")
    assert tuple(finding(found, one)["verdict"] for one in ("small-pages", "host-small-pages")) == verdicts


@pytest.mark.parametrize("sayings, identity", [
    (["After the move to the new cluster p95 went from 12 ms to 90 ms.", "Once the CPU quota was lifted, p95 was 12 ms again."], "cpu-quota"),
    (["Since the upgrade the nightly import is 25 % slower. Mounting it with mitigations=off restored the old speed."], "system-calls"),
    (["The job has been 40 % slower since the migration.", "With the threads pinned it is as fast as before the migration."], "migrations"),
    (["The service is 20 % slower than last month. With jemalloc it is as fast as before."], "allocation"),
    (["The new release is 30 % slower. Turning SMT off got us back to the old throughput."], "smt-sharing")])
def test_the_good_state_again_is_the_gap_gone(run, sayings, identity):
    assert finding(said_findings(run, sayings), identity)["verdict"] == "supported"


@pytest.mark.parametrize("text, identity, gain", [
    ("The scan is 1.8 times as fast with huge pages.", "small-pages", 1 - 1 / 1.8), ("With SMT off it runs 1.25x as fast.", "smt-sharing", 0.2),
    ("Padding the counters made it four times as fast.", "contended-lines", 0.75), ("With jemalloc we get twice the throughput.", "allocation", 0.5),
    ("Pinning the threads made it twice as fast as before.", "migrations", 0.5), ("We split the table into 32 locks, which got it 2.5 times as fast.", "lock-turns", 0.6)])
def test_times_as_fast(imported, text, identity, gain):
    one = finding(imported(notes=text + "\n")[0], identity)
    assert one["verdict"] == "supported" and one["recoverable_ratio"]["mid"] == pytest.approx(gain, abs=0.01)


@pytest.mark.parametrize("text", ["With huge pages it is half as fast.", "With SMT off the old box is twice as fast as the new one.", "Huge pages made it half as fast as before."])
def test_times_as_fast_that_are_no_gain(imported, text):
    found, _ = imported(notes=text + "\n")
    assert not [one for one in found["findings"] if one["verdict"] == "supported"]


@pytest.mark.parametrize("text, identity", [("mimalloc brought no gain either.", "allocation"), ("Preallocating the buffers changed nothing.", "page-faults"), ("A build with -mavx2 was no faster.", "narrow-vectors")])
def test_a_trial_that_may_fail_is_named(imported, text, identity):
    found, _ = imported(notes=text + "\n")
    assert finding(found, identity)["verdict"] == "undecided" and text in finding(found, identity)["reason"]


@pytest.mark.parametrize("sayings, identity, gain", [
    (["p95 is 90 ms.", "Without the CPU quota p95 is 30 ms."], "cpu-quota", None), (["It takes 52 s.", "With huge pages it takes 39 s."], "small-pages", 0.25),
    (["The run takes 12.0 s today.\n\nWith SMT off the run takes 9.0 s."], "smt-sharing", 0.25)])
def test_one_state_alone_is_what_a_trial_is_compared_with(run, sayings, identity, gain):
    found = said_findings(run, sayings)
    one = finding(found, identity)
    assert one["verdict"] == "supported" and not unread(found)
    assert gain is None or one["recoverable_ratio"]["mid"] == pytest.approx(gain, abs=0.02)


@pytest.mark.parametrize("sayings", [["p95 is 90 ms.", "Without the CPU quota p50 is 30 ms."], ["The export takes 52 s.", "With huge pages the link step takes 39 s."],
                                     ["It takes 52 s.", "On Sunday it takes 30 s.", "With huge pages it takes 39 s."], ["The run fell from 52 s to 38 s a week before SMT was switched off."],
                                     ["p95 went from 9 ms to 6 ms even before we pinned the vCPUs."]])
def test_a_state_of_something_else_or_another_time_is_none(run, sayings):
    assert not decided(said_findings(run, sayings))


@pytest.mark.parametrize("text, identity, verdict", [
    ("Huge pages took it from 50 s to 40 s; with huge pages off again it went back to 50 s.", "small-pages", "supported"), ("After disabling swap the dump takes 4 s where it took 31 s.", "swap", "supported"),
    ("Tripling the CPU limit left p95 at 80 ms.", "cpu-quota", "ruled_out"), ("Raising limits.cpu from 2 to 6 brought p95 from 80 ms to 30 ms.", "cpu-quota", "supported"),
    ("SMT off did not move p50 at all (3.1 ms -> 3.1 ms).", "smt-sharing", "ruled_out"), ("Replacing the modulo by a mask cut the lookup from 12 ns to 5 ns.", "divider", "supported"),
    ("SMT off made no difference, the noise of that box is 15 %.", "smt-sharing", "undecided"), ("We set THP to madvise and nothing changed.", "small-pages", "not_testable"),
    ("There was no difference at all between jemalloc and glibc malloc.", "allocation", "undecided"), ("There is no difference between huge pages and 4k pages.", "small-pages", "ruled_out"),
    ("Pinning the vCPUs did nothing as long as another guest was busy.", "steal", "undecided"), ("Pinning helped on Monday and did nothing on Tuesday.", "migrations", "undecided"),
    ("SMT off improved p95 by a factor of 1.5.", "smt-sharing", "supported"), ("A prefetch ahead shaved 20 % off the lookup.", "dram-latency", "supported"),
    ("Aligning the counters to 64 bytes: 3.0 s rather than 9.1 s.", "contended-lines", "supported"),
    ("SMT off: 51 s -> 38 s. We noticed later that the baseline was measured with tracing on.", "smt-sharing", "not_testable"),
    ("SMT off: 51 s, as before.", "smt-sharing", "ruled_out"), ("Pinning the threads didn't bring anything.", "migrations", "ruled_out"),
    ("Neither huge pages nor SMT off moved the needle.", "smt-sharing", "ruled_out"), ("With SMT off it takes the same 44 s.", "smt-sharing", "ruled_out"),
    ("Huge pages had no effect, because the pool was too small.", "small-pages", "undecided"), ("On a dedicated host it takes 31 s instead of 44 s, but that one has newer CPUs.", "steal", "undecided"),
    ("I turned SMT off, dropped caches and rebooted; 31 s instead of 44 s.", "smt-sharing", "undecided"),
    ("p95 went from 9 ms to 6 ms once the IRQs were moved off the workers' cores.", "interrupts", "supported"),
    ("Raising limits.cpu from 4 to 5 made no difference.", "cpu-quota", "undecided"), ("Raising limits.cpu from 4 to 12 made no difference.", "cpu-quota", "ruled_out"),
    ("Nobody tried huge pages; SMT off brought nothing.", "small-pages", "not_testable"), ("Huge pages did nothing at first.", "small-pages", "undecided")])
def test_more_sentences_of_trials(imported, text, identity, verdict):
    found, _ = imported(notes=text + "\n")
    assert finding(found, identity)["verdict"] == verdict, found["verdict"]["sentence"]


@pytest.mark.parametrize("outcome", ["With it both guests were equally fast.", "With that, the gap was gone.", "Since then the gap is gone.", "The result: both guests are equally fast.", "As a result the gap is gone.",
                                     "From then on the gap was gone.", "With it the performance of both VMs became the same."])
def test_the_next_sentence_refers_to_the_change(imported, outcome):
    found, _ = imported(notes="Then nohz_full was deployed on the host and in the guest. " + outcome + "\n")
    assert finding(found, "timer-tick")["verdict"] == "supported" and not unread(found), unread(found)


@pytest.mark.parametrize("outcome", ["With it off again the gap was gone.", "With this kernel the gap was gone.", "Since the upgrade the gap is gone.", "Ever since the move the gap is gone.", "With those of another vendor the gap was gone.",
                                     "Since then we also moved to Debian 13 and the gap is gone."])
def test_the_next_sentence_refers_to_something_else(imported, outcome):
    found, _ = imported(notes="Then nohz_full was deployed on the host and in the guest. " + outcome + "\n")
    assert not decided(found), found["verdict"]["sentence"]


def test_since_then_it_takes_so_much_less(imported):
    found, _ = imported(notes="We enabled huge pages in the guest. Since then it takes 7 s instead of 10 s.\n")
    assert finding(found, "small-pages")["recoverable_ratio"]["mid"] == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize("gap, low, high", [
    ("throughput is 35% to 48% lower", 0.35, 0.48), ("the number of requests per second is 35 to 48 % lower", 0.35, 0.48), ("performance is 35% to 48% lower", 0.26, 0.48), ("a run takes 35 to 48 % longer", 0.26, 0.324)])
def test_a_share_of_a_rate_is_as_much_of_the_slower_sides_time(imported, gap, low, high):
    found, _ = imported(notes=f"On the TDX VM {gap} than on the plain one.\n\nWith nohz_full on host and guest the gap was gone.\n")
    told = finding(found, "timer-tick")["recoverable_ratio"]
    assert (told["low"], told["high"]) == (pytest.approx(low, abs=0.005), pytest.approx(high, abs=0.005))


@pytest.mark.parametrize("text, sides", [
    ("When transparent huge pages were switched on for the hypervisor's memory and inside the guest, both guests ran equally fast.", "on host and guest"),
    ("With huge pages inside the guest and for qemu's memory both guests ran equally fast.", "on host and guest"), ("With huge pages in the guest and for the VM's backing memory both VMs ran equally fast.", "on host and guest"),
    ("With hugetlbfs for qemu both guests ran equally fast.", "on the host"), ("With huge pages as the guest's backing memory both guests ran equally fast.", "on the host"),
    ("With huge pages inside the guest both guests ran equally fast; qemu was left as it was.", "in the guest"), ("With huge pages in the guest the qemu process took less memory, and the gap was gone.", "in the guest")])
def test_what_backs_a_guest_is_the_hosts(imported, text, sides):
    found, _ = imported(notes=text + "\n")
    headline = str([one["headline"] for one in found["findings"] if one["id"] in ("small-pages", "host-small-pages") and one["verdict"] == "supported"])
    assert f"with huge pages {sides} the gap was gone" in headline


def test_exits_that_differ_go_with_the_gap(imported):
    gap = "On the TDX VM throughput is 35% to 48% lower than on the plain one.\n\n"
    tables = "VM exit on {}:\n```\n@reason[1]: 151402      EXIT_REASON_EXTERNAL_INTERRUPT\n@reason[32]: 149233     EXIT_REASON_MSR_WRITE\n```\n\nVM exit on {}:\n```\n@reason[1]: {}    EXIT_REASON_EXTERNAL_INTERRUPT\n```\n\n"
    profile = "```\n# Overhead  Command  Shared Object      Symbol\n    31.22%  ingest   [kernel.kallsyms]  [k] __tdx_hypercall\n    11.40%  ingest   ingest             [.] parse_record\n" \
              "     6.11%  ingest   libc.so.6          [.] __memmove_avx512_unaligned_erms\n```\n"
    for plain, tdx, count, goes in (("plain VM", "TDX VM", 8382113, True), ("plain VM", "TDX VM", 382113, False), ("TDX VM", "plain VM", 8382113, False)):
        found, _ = imported(notes=gap + tables.format(plain, tdx, count) + profile)
        said = found["verdict"]["sentence"]
        assert ("go with it" in said) == goes and ("nothing supports a cause" in said) != goes, said


NEVER = "echo never > /sys/kernel/mm/transparent_hugepage/enabled"


@pytest.mark.parametrize("text", [
    f"With {NEVER} the spikes are gone.", f"`{NEVER}` made it 30 % faster.", "tried: transparent huge pages off (host): gone", "Disabling THP brought it from 10 s to 7 s.", "THP on 4.2 s, THP off 3.1 s.",
    "With THP off it went from 10 s to 7 s.", "We turned THP off and the gap was gone."])
def test_huge_pages_off_that_helped(imported, text):
    found, _ = imported(notes=text + "\n")
    small, faults = finding(found, "small-pages"), finding(found, "page-faults")
    assert small["verdict"] == "ruled_out" and "without huge pages, and that helped" in small["reason"] and "by a trial with them alone: small pages" in found["verdict"]["ruled_out"]
    assert faults["verdict"] == "undecided" and "huge pages off helped" in faults["reason"] and not unread(found)
    assert "with huge pages" not in str(found["verdict"]).lower().replace(text.lower(), "")


@pytest.mark.parametrize("text", [
    "With THP off nothing changed.", "With THP off the spikes did not go away.", "A colleague says that with THP off the spikes are gone.", "With THP off it went from 7 s to 10 s.", "With THP off and jemalloc the spikes are gone.",
    "Disabling THP cost 30 % of the throughput.", "THP off would take the spikes away.", "We turned THP off, but forgot to restart it, and the spikes are gone.", "THP is off and the spikes are gone on the other machine.",
    "With huge pages the gap was gone. With THP off the gap was gone."])
def test_huge_pages_off_that_decides_nothing(imported, text):
    found, _ = imported(notes=text + "\n")
    assert not decided(found) and "huge pages off helped" not in (finding(found, "page-faults")["reason"] or "") or "With huge pages" in text and not decided(found), found["verdict"]["sentence"]


@pytest.mark.parametrize("text, helps", [(f"With {NEVER} the spikes are gone.", True), ("With huge pages on the spikes are gone.", False), (f"With {NEVER} the spikes stayed.", False)])
def test_huge_pages_off_goes_with_page_faults_that_are_seen(imported, text, helps):
    profile = "# Overhead  Command  Shared Object  Symbol\n    41.31%  srv  [kernel.kallsyms]  [k] clear_page_erms\n    18.02%  srv  [kernel.kallsyms]  [k] do_huge_pmd_wp_page\n     4.40%  srv  srv  [.] dictFind\n"
    found, _ = imported(report=profile, notes=text + "\n")
    faults = finding(found, "page-faults")
    assert faults["verdict"] == "supported" and ("keep transparent huge pages off" in str(faults["advice"])) == helps and (NEVER in str(faults["evidence"])) == helps


def test_spikes_that_are_gone_are_not_the_gap(imported):
    found, _ = imported(notes="Throughput is 30 % lower in the guest than on bare metal.\n\nWith huge pages in the guest the latency spikes are gone.\n")
    assert finding(found, "small-pages")["verdict"] == "supported" and finding(found, "small-pages")["recoverable_ratio"] is None


@pytest.mark.parametrize("change, is_less", [("only 4 times", True), ("just 8x", True), ("64 times", False), ("only 512 times", False)])
def test_few_turns_unrolled_is_less_unrolling(imported, change, is_less):
    found, _ = imported(notes=f"The hot loop has 512000 bytes.\n\nIt takes 0.214 s. With the loop unrolled {change} it takes 0.162 s.\n")
    one = finding(found, "front-end")
    assert (one["verdict"] == "supported") == is_less and (not is_less or one["recoverable_ratio"]["mid"] == pytest.approx(0.243, abs=0.01))


@pytest.mark.parametrize("who, decides", [("NNC", True), ("nnc", True), ("ATen", False), ("The parser", False)])
def test_a_run_is_known_by_its_name(imported, who, decides):
    counts = "NNC: 0.214 s\n\nNNC:\n```\n  11071301990      cycles\n  12511931001      instructions\n```\n\nHot loop of NNC: unrolled by 1024, about 98 KB of code.\n\n"
    found, _ = imported(notes=counts + f"With the loop unrolled only 4 times {who} takes 0.162 s.\n")
    assert (finding(found, "front-end")["verdict"] == "supported") == decides, found["verdict"]["sentence"]


@pytest.mark.parametrize("identity, gain, text", [
    ("small-pages", 0.5, "It takes 410 s, and with huge pages 205 s."), ("page-faults", 0.5, "It takes 410 s, with NUMA balancing off 205 s."), ("allocation", 0.2, "Throughput is 1200 req/s, with jemalloc 1500 req/s."),
    ("small-pages", 0.5, "It takes 410 s in the guest, with huge pages 205 s."), ("small-pages", 0.5, "It takes 410 s, with THP on 205 s."),
    ("small-pages", None, "It takes 410 s, with huge pages the parse 205 s."), ("small-pages", None, "It takes 410 s, with huge pages 205 s less."), ("small-pages", None, "One takes 410 s, the other with huge pages 205 s."),
    ("small-pages", None, "The host takes 410 s, with huge pages the guest 205 s."), ("small-pages", None, "It takes 410 s, and with huge pages and nohz_full 205 s."), ("small-pages", None, "With huge pages 410 s, with jemalloc 205 s."),
    ("small-pages", None, "It takes 410 s, without huge pages 205 s.")])
def test_two_amounts_with_the_change_between_them(imported, identity, gain, text):
    found, _ = imported(notes=text + "\n")
    one = finding(found, identity)
    assert one["recoverable_ratio"]["mid"] == pytest.approx(gain, abs=0.01) if gain else not decided(found)


@pytest.mark.parametrize("identity, verdict, text", [
    ("oversubscribed", "ruled_out", "We doubled the vCPUs, no change."), ("oversubscribed", "undecided", "With twice the vCPUs it takes 7 s instead of 10 s."), ("oversubscribed", "!ruled_out", "A colleague doubled the vCPUs, no change."),
    ("oversubscribed", "!ruled_out", "The server has twice the cores of the old one, no change."), ("waiting", "supported", "We moved the database to NVMe disks: 7 s instead of 10 s."), ("waiting", "!ruled_out", "We moved the database to NVMe disks: no change."),
    ("small-pages", "!supported", "We enabled huge pages in the guest and doubled the vCPUs, and the gap was gone.")])
def test_more_cpus_and_faster_disks(imported, identity, verdict, text):
    found, _ = imported(notes=text + "\n")
    told = finding(found, identity)["verdict"]
    assert told != verdict[1:] if verdict[0] == "!" else told == verdict


@pytest.mark.parametrize("change, text", [
    ("deep idle states off", "With intel_idle.max_cstate=1 p99 went from 10 ms to 7 ms."), ("hardware prefetchers off", "Disabling the hardware prefetchers brought it from 10 s to 7 s."),
    ("another version of the kernel", "Going back to kernel 5.15 brought it from 10 s to 7 s."), ("another version of the kernel", "With a newer kernel it is 30 % faster."),
    (None, "With a newer kernel nothing changed."), (None, "Disabling the hardware prefetchers brought it from 7 s to 10 s."), (None, "A colleague says that with a newer kernel it is 30 % faster."), (None, "We should try a newer kernel.")])
def test_what_helped_and_is_of_no_one_cause_is_left_open(imported, change, text):
    found, _ = imported(notes=text + "\n")
    left = " ".join(found["verdict"]["open"])
    assert not decided(found) and (f"{change} helped, and what of it isn't told" in left if change else "what of it isn't told" not in left), left


POLLED = "Plain guest 91,300 msg/s; TDX guest 60,900 msg/s (33 % fewer).\n\nTHP on both the host and the guest: 61,200 msg/s.\n"


@pytest.mark.parametrize("then, exits", [
    ("We then set kvm.halt_poll_ns=200000 on the host and booted the guest with idle=poll in one go: 90,100 msg/s.", "supported"), ("Then we set kvm.halt_poll_ns=200000: 61,000 msg/s.", "!ruled_out"),
    ("Then we raised the number of shards: 90,100 msg/s.", "!supported")])
def test_another_trial_is_no_part_of_the_one_before(imported, then, exits):
    found, _ = imported(notes=POLLED + then + "\n")
    assert [finding(found, one)["verdict"] for one in ("small-pages", "host-small-pages")] == ["ruled_out"] * 2
    told = finding(found, "vm-exits")["verdict"]
    assert told != exits[1:] if exits[0] == "!" else told == exits and "which of these it was" in " ".join(found["verdict"]["open"])


@pytest.mark.parametrize("text, helps", [("With idle=poll in the guest it takes 7 s instead of 10 s.", True), ("With nohz_full the gap stayed. With idle=poll in the guest it takes 7 s instead of 10 s.", True),
                                         ("With halt_poll_ns=0 it takes 7 s instead of 10 s.", False), ("With idle=poll and jemalloc it takes 7 s instead of 10 s.", False), ("With idle=poll in the guest there was no change.", False)])
def test_polling_in_place_of_halts_is_of_exits(imported, text, helps):
    found, _ = imported(notes=text + "\n")
    assert finding(found, "vm-exits")["verdict"] == ("supported" if helps else finding(found, "vm-exits")["verdict"]) and (helps or finding(found, "vm-exits")["verdict"] not in ("supported", "ruled_out"))


@pytest.mark.parametrize("text, helped", [("OMP_NUM_THREADS=8 instead of 64: 12 min instead of 29 min.", True), ("OMP_NUM_THREADS=64 instead of 8: 12 min instead of 29 min.", False), ("OMP_NUM_THREADS=8: 12 min instead of 29 min.", False)])
def test_fewer_threads_by_their_variable(imported, text, helped):
    found, _ = imported(notes=text + "\n")
    assert ("fewer threads helped" in (finding(found, "oversubscribed")["reason"] or "")) == helped and not set(decided(found)) - {"idle-cpus"}


ONE_BUSY = """ Performance counter stats for './job':

     1,740,120.20 msec task-clock
 5,220,600,114,220      cycles

    1740.665801 seconds time elapsed
"""


@pytest.mark.parametrize("text, table, verdict", [
    ("With 256 threads instead of 16 the batch takes 12 min instead of 29 min.", "", "supported"),
    ("With OMP_NUM_THREADS=8 it takes 12 min, before 29 min.", "", "undecided"),
    ("With OMP_NUM_THREADS=8 it takes 12 min, before 29 min.", ONE_BUSY, "supported"),
    ("With OMP_NUM_THREADS=8 it takes 12 min, before 29 min.", ONE_BUSY.replace("1,740,120.20", "27,840,120.20"), "undecided"),
    ("With OMP_NUM_THREADS=8 it takes 29 min, before 29 min.", ONE_BUSY, None)])
def test_more_threads_that_helped_were_too_few_before(imported, text, table, verdict):
    found, _ = imported(notes=f"{table}\n{text}\n")
    assert finding(found, "idle-cpus")["verdict"] == verdict or (verdict is None and "idle-cpus" not in decided(found))


def test_one_of_two_alone_brought_nothing(imported):
    found, _ = imported(notes="-march=native and PGO together gave 1.4x; -march=native alone nothing.\n")
    assert not decided(found) and "-march=native alone nothing" in finding(found, "narrow-vectors")["reason"]


@pytest.mark.parametrize("behind, verdict", [
    ("TDCALL exits went down to 98211 in 10 seconds, and the throughput became the same as on the conventional VM within 2%.", "supported"),
    ("TDCALL exits went down to 98211 in 10 seconds.", "undecided"),
    ("The boot finished in 10 seconds, and the throughput became the same as on the conventional VM.", "undecided"),
])
def test_what_a_count_did_stands_before_what_came_of_a_trial(imported, behind, verdict):
    found, _ = imported(f"We booted the TDX guest with cpuidle_haltpoll.force=1 so that it polls before it halts. {behind}")
    assert finding(found, "vm-exits")["verdict"] in (verdict, "not_testable" if verdict == "undecided" else verdict)


def test_less_unrolling_of_a_loop_of_unknown_size_leaves_open_which_cache(imported):
    counts = "  9686784008      cycles\n 14120334411      idq.mite_uops\n  1483958024      idq.dsb_uops\n"
    found, _ = imported("Lowering the unroll factor from 1024 to 8 took it from 0.187 s to 0.160 s.", stat=counts)
    one = finding(found, "uop-cache")
    assert one["verdict"] == "supported" and "how large the loop's code was isn't told" in str(found["verdict"]["open"])
    assert finding(found, "front-end")["verdict"] != "supported"
