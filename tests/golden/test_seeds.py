# SPDX-License-Identifier: GPL-3.0-or-later
"""Three investigations that others did by hand, as cases made of their own numbers: what each supports, bounds and leaves open; twins with
other numbers lead elsewhere, twins without the key evidence end undecided. doc/SEEDS.md shows the same."""
import json
import re

import pytest

DOCUMENTS = {"guest": "confidential-guest.md", "kernels": "two-kernels.md", "inference": "inference.md"}


@pytest.fixture
def diagnosed(run, source_root, tmp_path):
    """diagnosed("guest", (old, new), …) -> the JSON and page of a case of that document, with these replacements; its replay is the same."""
    def make(name, *changes, words=()):
        text = (source_root / "tests/fixtures/seeds" / DOCUMENTS[name]).read_text()
        for old, new in changes:
            assert re.search(old, text), f"the twin's change doesn't apply: {old}"
            text = re.sub(old, new, text)
        (tmp_path / "document.md").write_text(text)
        case = tmp_path / f"case-{len(list(tmp_path.iterdir()))}"
        done = run("diagnose", "--json", "--case", case, "--import", tmp_path / "document.md", *words)
        assert done.returncode in (0, 4), done.stderr
        assert run("diagnose", "--json", "--case", case, *words).stdout == done.stdout, "a replay is the same"
        return json.loads(done.stdout), " ".join(run("diagnose", "-v", "--case", case, *words).stdout.split())
    return make


def finding(found, identity):
    return next(one for one in found["findings"] if one["id"] == identity)


def verdicts(found, *identities):
    return [finding(found, one)["verdict"] for one in identities]


def left_open(found):
    return " | ".join(found["verdict"]["open"])


# ---- (a) the confidential guest ----

def test_the_guest_ends_at_huge_pages_and_says_what_it_leaves_open(diagnosed):
    found, page = diagnosed("guest")
    pages = finding(found, "small-pages")
    assert found["verdict"]["culprit"] == "small-pages" and pages["confidence"] == "medium"
    assert "compute_ref_matmul" in found["verdict"]["sentence"] and "0x58(%rax)" in found["verdict"]["sentence"]
    assert pages["recoverable_ratio"]["low"] == pytest.approx(1 - 1 / 1.18) and pages["recoverable_ratio"]["high"] == pytest.approx(1 - 1 / 2.25)
    assert verdicts(found, "vm-exits", "timer-tick") == ["ruled_out"] * 2
    assert "nohz_full" in finding(found, "vm-exits")["reason"]
    assert "429867 exits" in page and "413981 exits" in page, "both tables stand beside the trial"
    assert finding(found, "host-small-pages")["verdict"] == "undecided"
    opened = left_open(found)
    assert "guest's pages or the host's" in opened and "compute_ref_matmul is named like" in opened and "-0x20(%rbp)" in opened
    assert "one side at a time" in page, "the check tells the two apart"


def test_a_tick_whose_absence_closes_the_gap_leads(diagnosed):
    found, _ = diagnosed("guest", ("With nohz_full .*", "With nohz_full on host and guest the gap was gone."),
                         ("With THP on .*", "With THP on both the host and the guest there is still a big gap."))
    assert found["verdict"]["culprit"] == "timer-tick"
    assert verdicts(found, "small-pages", "host-small-pages") == ["ruled_out"] * 2
    assert finding(found, "vm-exits")["verdict"] == "undecided"


@pytest.mark.parametrize("side, supported, other", [("guest", "small-pages", "host-small-pages"), ("host", "host-small-pages", "small-pages")])
def test_pages_changed_on_one_side_alone_are_that_sides(diagnosed, side, supported, other):
    found, _ = diagnosed("guest", ("With THP on .*", f"With THP on the {side} the performance became the same."))
    assert found["verdict"]["culprit"] == supported and finding(found, other)["verdict"] == "undecided"
    assert "both were changed together" not in left_open(found)


def test_without_the_trial_of_pages_the_guest_stays_undecided(diagnosed):
    found, page = diagnosed("guest", ("With THP on .*", ""))
    assert found["verdict"]["culprit"] is None and found["verdict"]["kind"] == "blind"
    assert all(one["verdict"] != "supported" for one in found["findings"])
    assert "compute_ref_matmul is named like" in left_open(found)


def test_without_the_tick_s_trial_exits_stay_open(diagnosed):
    found, _ = diagnosed("guest", ("With nohz_full .*", ""))
    assert finding(found, "vm-exits")["verdict"] == "undecided" and finding(found, "timer-tick")["verdict"] == "not_testable"


def test_the_host_s_pages_are_told_from_the_guest_s_in_other_words(diagnosed):
    """KVM calls the host's memory behind a guest guest_memfd; the other side's pages are named as left small."""
    found, _ = diagnosed("guest", ("With THP on both.*", "We turned on THP in the guest only. The TDX guest was still as slow.\n\n"
                                   "Then THP was turned on for the host's guest_memfd (guest THP off again): the gap was gone."))
    assert verdicts(found, "host-small-pages", "small-pages") == ["supported", "ruled_out"]
    assert "changed together" not in left_open(found)


def test_a_tick_whose_absence_made_both_guests_alike_leads(diagnosed):
    found, _ = diagnosed("guest", ("With nohz_full on host and guest.*", "To get rid of the timer, nohz_full was deployed on host and guest. "
                                   "After that the performance of both guests was the same."), ("With THP on both.*", ""))
    assert verdicts(found, "timer-tick", "small-pages") == ["supported", "not_testable"]


def test_a_listing_alone_names_its_function_and_hottest_line(run, tmp_path):
    (tmp_path / "listing.md").write_text("The guest is slower.\n\n```\n       │    compute_tile():\n 38.50 │      mov    0x18(%rdi,%rcx,8),%rax\n"
                                         " 12.10 │      add    %rax,%rbx\n```\n")
    page = " ".join(run("diagnose", "--import", tmp_path / "listing.md").stdout.split())
    assert "the hottest line of compute_tile is 'mov 0x18(%rdi,%rcx,8),%rax', with 38 %" in page


# ---- (b) two kernels ----

def test_the_licence_is_supported_at_medium_and_the_cycles_stay_open(diagnosed):
    found, page = diagnosed("kernels")
    licence = finding(found, "avx512-licence")
    assert found["verdict"]["culprit"] == "avx512-licence" and licence["confidence"] == "medium"
    assert "heat and power limits" in licence["confidence_reason"], "nobody recorded them"
    assert licence["recoverable_ratio_at_most"] == pytest.approx(0.25 * 583958024 / (0.75 * 8386784008 + 0.25 * 583958024))
    assert "7.0 % of NNC's cycles" in found["verdict"]["sentence"] and "2.4 % less time" in found["verdict"]["sentence"]
    assert verdicts(found, "front-end", "uop-cache") == ["ruled_out"] * 2 and "1000 B" in finding(found, "front-end")["reason"]
    assert left_open(found).startswith("4.4 % fewer cycles") and "clock does not explain" in left_open(found)
    assert found["effect"] == pytest.approx((1 - 0.160 / 0.164) / 2), "asked is what explains the difference of these runs"


def test_a_narrow_build_that_takes_as_long_rules_the_licence_out(diagnosed):
    found, _ = diagnosed("kernels", ("NNC: 0.160 s", "NNC: 0.165 s"), ("about 1000 bytes", "about 60000 bytes"))
    assert finding(found, "avx512-licence")["verdict"] == "ruled_out" and found["verdict"]["culprit"] is None
    assert "instruction cache" in left_open(found), "the size of its code is the next thing to look at"


def test_counts_of_repeated_runs_without_rights_say_the_same(diagnosed):
    """As perf stat -r prints them to a user who may count his own mode alone."""
    found, _ = diagnosed("kernels", (r"(?m)^( *\d+ +(?:cycles|core_power\S+))", r"\1:u   ( +-  0.10% )"))
    assert found["verdict"]["culprit"] == "avx512-licence"
    assert "7.0 % of NNC's cycles" in found["verdict"]["sentence"]


def test_counts_of_another_cause_lead_there(diagnosed):
    found, _ = diagnosed("kernels", ("583958024", "0"), ("The hot loop .*", "```\ntma_mem_bandwidth 61 %\ntma_dram_bound 70 %\n```"))
    assert found["verdict"]["culprit"] == "memory-bandwidth"
    assert finding(found, "avx512-licence")["verdict"] == "ruled_out"


def test_without_the_third_run_the_licence_is_only_bounded(diagnosed):
    found, _ = diagnosed("kernels", (r"(?s)The same counts with.*", ""))
    assert finding(found, "avx512-licence")["verdict"] == "undecided" and found["verdict"]["culprit"] is None


def test_without_the_licence_s_counts_nothing_is_said_of_it(diagnosed):
    found, _ = diagnosed("kernels", (r" *\d+ +core_power\S+\n", ""))
    assert finding(found, "avx512-licence")["verdict"] == "not_testable" and found["verdict"]["culprit"] is None


def test_what_runs_differ_by_stays_open_where_nothing_explains_it(diagnosed):
    found, _ = diagnosed("kernels", ("583958024", "0"))
    assert found["verdict"]["culprit"] is None and finding(found, "avx512-licence")["verdict"] == "ruled_out"
    assert "2.4 % of the time (0.164 s with 8386784008 cycles, 0.16 s with 8014232049)" in left_open(found)
    found, _ = diagnosed("kernels", ("(?s)The same counts with.*", ""))
    assert "1.8 % of the time" in left_open(found) and "clock lowered for wide vectors" in left_open(found)


def test_throttling_counts_are_taken_into_account(diagnosed):
    found, _ = diagnosed("kernels", (r"(583958024.*)", r"\1\n 0 core_power.throttle"))
    licence = finding(found, "avx512-licence")
    assert licence["verdict"] == "supported" and "heat" not in licence["confidence_reason"]


def test_a_heading_that_names_both_programs_is_neither_s(diagnosed):
    found, page = diagnosed("kernels", ("Counts of the ATen kernel, which has 256-bit vectors:", "NNC has 512-bit vectors, ATen's has these counts:"))
    assert "ATen: 0.161 s, 8330778710" not in page and "NNC: 0.164 s, 8330778710" not in page


def test_two_commands_in_one_listing_are_two_runs(run, tmp_path):
    (tmp_path / "runs.txt").write_text("".join(f"% perf stat -e cycles,core_power.lvl2_turbo_license,core_power.throttle {name}\n {cycles} cycles\n"
                                               f" {lowered} core_power.lvl2_turbo_license\n 0 core_power.throttle\n {seconds} seconds time elapsed\n\n"
                                               for name, cycles, lowered, seconds in (("./wide", 6000000000, 3000000000, 2.0), ("./narrow", 6010000000, 0, 1.7))))
    page = " ".join(run("diagnose", "-v", "--import", tmp_path / "runs.txt").stdout.split())
    assert "2 s, 6000000000 cycles" in page and "1.7 s, 6010000000 cycles" in page and "of its cycles ran at the second lowered clock" in page


# ---- (c) inference ----

def test_inference_waits_for_bandwidth_in_the_loads_of_sgemm(diagnosed):
    found, page = diagnosed("inference")
    bandwidth = finding(found, "memory-bandwidth")
    assert found["verdict"]["culprit"] == "memory-bandwidth" and bandwidth["confidence"] == "medium"
    assert "sgemm_t_n23_b0" in found["verdict"]["sentence"] and "99.73 %" in found["verdict"]["sentence"] and "vmovups" in found["verdict"]["sentence"]
    assert bandwidth["recoverable_ratio_at_most"] == pytest.approx(0.665), "a child in cycles is never more than its parent in slots"
    assert "77 % together" in page and "no error" in page
    advice = bandwidth["advice"]
    order = [next(at for at, one in enumerate(advice) if word in one) for word in ("batch", "weights", "sockets", "prefetch")]
    assert order == sorted(order) and order[-1] == len(advice) - 1 and "not more of them a second" in advice[-1]
    assert verdicts(found, "front-end", "branch-mispredicts", "machine-clears", "stores", "dram-latency") == ["ruled_out"] * 5
    pages = finding(found, "small-pages")
    assert pages["verdict"] == "undecided" and pages["recoverable_ratio_at_most"] == pytest.approx(0.12), "walks beside another load's miss count as that miss; bandwidth is none"


def test_the_tree_as_toplev_prints_it(diagnosed):
    tree = ("BE Backend_Bound % Slots 82.0\nBE/Mem Backend_Bound.Memory_Bound % Slots 74.1\n"
            "BE/Mem Backend_Bound.Memory_Bound.DRAM_Bound % Stalls 61.0\nBE/Mem Backend_Bound.Memory_Bound.DRAM_Bound.MEM_Bandwidth % Clocks 58.3\n"
            "BE/Mem Backend_Bound.Memory_Bound.DRAM_Bound.MEM_Latency % Clocks 12.0\n")
    found, _ = diagnosed("inference", (r"(?m)^\| TopdownL1  .*\n", tree), (r"(?m)^\|[^\n]*tma_[^\n]*\n", ""))
    assert found["verdict"]["culprit"] == "memory-bandwidth", found["verdict"]["sentence"]


def test_latency_instead_of_bandwidth_leads_to_other_advice(diagnosed):
    found, _ = diagnosed("inference", ("72.6 %", "4.1 %"), (r"tma_mem_latency   \| 4.3 %", "tma_mem_latency   | 62.0 %"))
    assert found["verdict"]["culprit"] == "dram-latency" and finding(found, "memory-bandwidth")["verdict"] == "ruled_out"
    assert "prefetch" in " ".join(finding(found, "dram-latency")["advice"])


def test_remote_memory_that_others_counted_has_its_remedy(diagnosed):
    found, _ = diagnosed("inference", (r"\| tma_mem_bandwidth \| 72.6 %", "| tma_remote_mem | 41.0 % |\n| tma_remote_cache | 9.0 % |\n| tma_mem_bandwidth | 4.1 %"))
    assert found["verdict"]["culprit"] == "numa-remote" and "numactl" in " ".join(found["verdict"]["advice"])


def test_every_cause_has_advice(source_root):
    causes = (source_root / "doc/HYPOTHESES.md").read_text().split("\n### ")[1:]
    assert len(causes) > 50
    for cause in causes:
        assert all(f"- {part}" in cause for part in ("Rule: ", "Recoverable time: ", "Cheapest experiment against it: ", "Needs: ", "Advice:")), cause.splitlines()[0]


def test_without_the_last_level_inference_stays_undecided(diagnosed):
    found, _ = diagnosed("inference", (r"\| tma_mem_(bandwidth|latency).*\n", ""))
    assert found["verdict"]["culprit"] in (None, "l2-l3-latency") and verdicts(found, "memory-bandwidth", "dram-latency") == ["undecided"] * 2
    found, _ = diagnosed("inference", (r"(?s)Of what waits for memory.*", ""))
    assert found["verdict"]["culprit"] is None and verdicts(found, "memory-bandwidth", "cache-misses") == ["undecided"] * 2


LEVEL_ONE = [("88.8%", "20%"), ("75.5%", "10%"), ("13.3%", "10%"), ("66.5 %", "6 %"), ("72.6 %", "5 %")] # little of it waits for memory


@pytest.mark.parametrize("changes, class_named, parts", [
    ([("88.8%", "60%"), ("75.5%", "6%"), ("13.3%", "54%"), ("66.5 %", "2 %"), ("5.0 % ", "1 %"), ("72.6 %", "2 %")], "tma_core_bound is 54 %", ["divisions", "chains of dependent arithmetic"]),
    (LEVEL_ONE + [(r"4\.3% \|", "65% |"), ("2.6%", "45%")], "tma_fetch_latency is 45 %", ["instruction cache", "wrongly guessed"]),
    ([("66.5 %", "6.5 %"), ("72.6 %", "5 %"), ("2.1 % ", "62 %")], "tma_l1_bound is 62 %", ["small pages", "atomic", "4 KiB away"])])
def test_a_class_whose_parts_were_not_imported_leads_and_is_named(diagnosed, changes, class_named, parts):
    found, page = diagnosed("inference", *changes)
    sentence = found["verdict"]["sentence"]
    assert sentence.startswith("By document.md") and class_named in sentence and all(part in sentence for part in parts), sentence
    assert "perf stat -M tma_" in page and any("perf stat -M tma_" in one for one in found["verdict"]["advice"]), "how to learn which part, on the page and in JSON"
    culprit = found["verdict"]["culprit"]
    assert culprit is None or (finding(found, culprit)["recoverable_ratio_at_most"] < 0.06 and "Certain, but small" in sentence)


def test_a_part_larger_than_its_class_decides_nothing(diagnosed):
    found, page = diagnosed("inference", ("88.8%", "8.8%"))
    assert found["verdict"]["culprit"] is None and verdicts(found, "memory-bandwidth", "dram-latency") == ["undecided"] * 2
    assert "both can't be of one run" in left_open(found) and left_open(found).count("both can't be") == 1, "a reason is said once"
    assert finding(found, "branch-mispredicts")["verdict"] == "ruled_out", "the other classes stand"


def test_page_walks_of_a_listing_have_a_place_and_a_remedy(run, tmp_path):
    (tmp_path / "walks.txt").write_text("tma_backend_bound 70.2 %\ntma_memory_bound 61.4 %\ntma_l1_bound 50.8 %\ntma_dtlb_load 46.0 %\n\n"
                                        "annotated:\n 22.4%  mov (%rdi,%rax,8),%rdx\n 31.9%  mov (%rdx),%rcx\n")
    found = json.loads(run("diagnose", "--json", "--import", tmp_path / "walks.txt").stdout)
    assert found["verdict"]["culprit"] == "small-pages" and "'mov (%rdx),%rcx'" in found["verdict"]["sentence"] and found["verdict"]["advice"]


def test_page_walks_count_wherever_the_tree_puts_their_wait(diagnosed):
    found, _ = diagnosed("inference", (r"(\| tma_l1_bound .*\n)", r"\1| tma_dtlb_load | 55.0 % |\n"))
    assert verdicts(found, "small-pages", "memory-bandwidth") == ["supported"] * 2, "of a load's page walks a part is waited for below the first cache"


def test_wrong_guesses_are_supported_by_their_own_node(diagnosed):
    found, _ = diagnosed("inference", *LEVEL_ONE, (r"1\.2% \|", "65% |"), (r" 0\.5%", "64.3%"))
    assert found["verdict"]["culprit"] == "branch-mispredicts"
    found, _ = diagnosed("inference", *LEVEL_ONE)
    assert finding(found, "branch-mispredicts")["verdict"] == "ruled_out", "their own node and what could be theirs stay below the effect"


def test_a_profile_alone_says_where_and_supports_nothing(diagnosed):
    found, _ = diagnosed("inference", (r"(?s)```\n\| Metric.*?Where these", "Where these"))
    assert found["verdict"]["culprit"] is None and found["verdict"]["sentence"].startswith("sgemm_t_n23_b0 (libmkl_avx512.so.2) holds 99.73 %")


@pytest.mark.parametrize("outcome", ["the gap shrank to 5 %.", "there is still a gap of 30 %."])
def test_a_gap_that_a_trial_made_smaller_is_neither_gone_nor_as_it_was(diagnosed, outcome):
    found, _ = diagnosed("guest", ("With THP on .*", f"With THP on both the host and the guest {outcome}"))
    assert found["verdict"]["culprit"] is None and verdicts(found, "small-pages", "host-small-pages") == ["undecided"] * 2
    assert "a part of the gap stayed" in left_open(found)


def test_of_two_tables_of_exits_the_one_with_times_tells_their_cost(diagnosed):
    """Over which time, and on how many virtual CPUs, the text says above both."""
    times = ("Exits of the TDX guest:\n```\n             VM-EXIT    Samples  Samples%     Time%    Min Time    Max Time         Avg time\n\n"
             "       EPT_VIOLATION       5121     1.24%    62.84%      0.50us   9000.00us   1000.00us ( +-   0.15% )\n"
             "              TDCALL     137299    33.20%    33.70%      0.50us    100.00us     20.00us ( +-   0.15% )\n\n"
             "Total Samples:142420, Total events handled time:7866980.00us.\n```")
    found, _ = diagnosed("guest", (r"(?s)Exits of the TDX guest:.*?```.*?```", times), ("With nohz_full .*", ""))
    exits = finding(found, "vm-exits")
    assert exits["verdict"] == "supported" and "the TDX guest left 5121 times" not in exits["headline"]
    assert "7.87 s of 10 s on one virtual CPU" in exits["headline"], exits["headline"]


# ---- in other words, in other forms ----

@pytest.mark.parametrize("said, tick, exits", [
    ("With nohz_full on host and guest the exits fell by half and so did the gap.", "undecided", "undecided"),
    ("With nohz_full on host and guest the exits fell by half, but the gap didn't.", "ruled_out", "ruled_out"),
    ("We booted host and guest with nohz_full. It made no measurable difference.", "ruled_out", "ruled_out"),
    ("With nohz_full on host and guest the TDX guest is as fast as the plain one.", "supported", "undecided"),
    ("nohz_full on host and guest should close the gap.", "not_testable", "undecided"),
    ("Without nohz_full there is still a gap.", "not_testable", "undecided")])
def test_a_trial_of_the_tick_in_other_words(diagnosed, said, tick, exits):
    found, page = diagnosed("guest", ("With nohz_full .*", said), ("With THP on .*", ""))
    assert verdicts(found, "timer-tick", "vm-exits") == [tick, exits]
    if tick == "undecided":
        assert "so did the gap" in left_open(found), "it is evidence, and of how much isn't told"
    if tick == "not_testable":
        assert "not understood" in page and "write: tried: CHANGE" in page


def test_trials_that_came_out_differently_decide_nothing(diagnosed):
    found, _ = diagnosed("guest", ("With THP on (.*)", r"With THP on \1\n\nA week later, with THP on both the host and the guest, there is still the same gap."))
    assert found["verdict"]["culprit"] is None and verdicts(found, "small-pages", "host-small-pages") == ["undecided"] * 2
    assert "came out differently" in left_open(found)


def test_pages_of_the_host_alone_count_before_both(diagnosed):
    found, _ = diagnosed("guest", ("With THP on .*", "Huge pages in the guest alone did not help. With huge pages on the host alone the gap was gone."))
    assert found["verdict"]["culprit"] == "host-small-pages" and finding(found, "small-pages")["verdict"] == "ruled_out"


def test_a_machine_without_a_guest_is_told_of_no_host(run):
    found = json.loads(run("diagnose", "--json", "--say", "With huge pages it runs 30 % faster.").stdout)
    pages = finding(found, "small-pages")
    assert found["verdict"]["culprit"] == "small-pages" and pages["recoverable_ratio"]["low"] == pytest.approx(1 - 1 / 1.3)
    assert "host" not in found["verdict"]["sentence"] + left_open(found) + " ".join(pages["advice"])
    assert finding(found, "host-small-pages")["verdict"] == "not_testable"


def test_the_kernels_as_one_table_of_markdown(diagnosed):
    rows = ("| NNC | 8,386,784,008 | 583,958,024 | 164 ms |\n| ATen | 8,330,778,710 | 0 | 161 ms |\n| NNC, narrow | 8,014,232,049 | 0 | 160 ms |\n")
    head = "The hot loop of NNC's code is about 1000 bytes.\n\n| kernel | cycles | core_power.lvl2_turbo_license | time |\n|---|---|---|---|\n"
    found, _ = diagnosed("kernels", (r"(?s)```.*", head + rows))
    assert found["verdict"]["culprit"] == "avx512-licence" and left_open(found).startswith("4.4 % fewer cycles")
    found, _ = diagnosed("kernels", (r"(?s)```.*", head + rows.replace("160 ms", "165 ms")))
    assert finding(found, "avx512-licence")["verdict"] == "ruled_out"


def test_variants_behind_a_comma_are_of_one_program(run, tmp_path):
    (tmp_path / "runs.md").write_text("| variant | cycles | core_power.lvl2_turbo_license | wall (s) |\n|---|--:|--:|--:|\n| jit, avx512 | 12 004 338 112 | 1 900 200 111 | 0.252 |\n"
                                      "| jit, avx2 | 11 900 100 002 | 0 | 0.236 |\n| eager | 12 100 020 110 | 0 | 0.239 |\n")
    found = json.loads(run("diagnose", "--json", "--import", tmp_path / "runs.md").stdout)
    assert found["verdict"]["culprit"] == "avx512-licence" and "6.3 % less" in found["verdict"]["sentence"], found["verdict"]["sentence"]


def test_cores_of_two_kinds_and_counts_in_csv(run, tmp_path):
    (tmp_path / "wide.csv").write_text("9386784008,,cpu_core/cycles/u,2401,98.00,,\n1583958024,,cpu_core/core_power.lvl2_turbo_license/u,2401,98.00,,\n"
                                       "120000000,,cpu_atom/cycles/u,24,2.00,,\n")
    (tmp_path / "narrow.csv").write_text("9014232049,,cpu_core/cycles/u,2401,98.00,,\n0,,cpu_core/core_power.lvl2_turbo_license/u,2401,98.00,,\n")
    (tmp_path / "times.txt").write_text("wide: 2064 ms\n")
    (tmp_path / "later.txt").write_text("narrow: 1780 ms\n")
    words = [word for name in ("wide.csv", "narrow.csv", "times.txt", "later.txt") for word in ("--import", tmp_path / name)]
    found = json.loads(run("diagnose", "--json", *words).stdout)
    assert finding(found, "avx512-licence")["verdict"] in ("ruled_out", "undecided") and found["verdict"]["culprit"] is None, "two names: two programs"
    for name in ("wide", "narrow"):
        seconds = 2.064 if name == "wide" else 1.78
        (tmp_path / f"{name}.txt").write_text((tmp_path / f"{name}.csv").read_text() + f"\n  {seconds} seconds time elapsed\n")
    found = json.loads(run("diagnose", "--json", "--import", tmp_path / "wide.txt", "--import", tmp_path / "narrow.txt").stdout)
    assert found["verdict"]["culprit"] == "avx512-licence"
    assert "10 % of the time at most, as much as its cycles of each second fell (4.548 * 10^9 instead of 5.064)" in found["verdict"]["sentence"]


def test_rows_in_no_known_form_are_named(run, tmp_path):
    (tmp_path / "interrupts.txt").write_text("           CPU0       CPU1\nLOC:    9123412    9223412   Local timer interrupts\nTHPeligible:    1\n")
    page = " ".join(run("diagnose", "-v", "--import", tmp_path / "interrupts.txt").stdout.split())
    assert "not read: 3 lines that look like rows" in page and "timed runs" not in page


def test_a_listing_with_bars_names_its_function(diagnosed):
    listing = " Percent │\n         │    0000000000401136 <scan_rows>:\n   41.33 │30:   mov    0x10(%rdi,%rax,8),%rdx\n    7.01 │      add    %rdx,%rsi\n"
    found, _ = diagnosed("guest", (r"(?s)## In the guest.*?With THP", listing + "\nWith THP"))
    assert "scan_rows" in found["verdict"]["sentence"] and "0x10(%rdi,%rax,8)" in found["verdict"]["sentence"]


# ---- the documents themselves ----

@pytest.mark.parametrize("name, culprit, opened, ruled_out", [
    ("000_af39945930dd02bd.txt", "small-pages", ["both were changed together", "compute_ref_matmul is named like", "-0x20(%rbp)"],
     ["vm-exits", "timer-tick"]),
    ("001_7822710004608cdd.txt", "avx512-licence", ["4.4 % fewer cycles"], ["front-end", "uop-cache"]),
    ("003_a141f6e5240d1499.txt", "memory-bandwidth", [], ["dram-latency", "branch-mispredicts", "machine-clears", "front-end", "uop-cache"])])
def test_the_document_as_it_was_written(run, shared_data, tmp_path, name, culprit, opened, ruled_out):
    document = shared_data.parent / "seeds" / name
    if not document.exists():
        pytest.skip("no such document beside the shared data")
    found = json.loads(run("diagnose", "--json", "--import", document).stdout)
    assert found["verdict"]["culprit"] == culprit and finding(found, culprit)["confidence"] == "medium"
    assert all(one in left_open(found) for one in opened)
    assert verdicts(found, *ruled_out) == ["ruled_out"] * len(ruled_out)


def test_pieces_of_a_document_say_what_the_whole_says(run, source_root, tmp_path):
    text = (source_root / "tests/fixtures/seeds/two-kernels.md").read_text()
    blocks = re.findall(r"```\n(.*?)```", text, re.S)
    words = []
    for name, block in zip(("times", "aten", "nnc-512", "nnc-256", "times-again"), blocks):
        (tmp_path / f"{name}.txt").write_text(block)
        words += ["--import", tmp_path / f"{name}.txt"]
    found = json.loads(run("diagnose", "--json", *words, "--say", "The hot loop has 1000 bytes.").stdout)
    assert found["verdict"]["culprit"] == "avx512-licence" and left_open(found).startswith("4.4 % fewer cycles")
    assert verdicts(found, "front-end", "uop-cache") == ["ruled_out"] * 2


def test_counts_and_times_in_one_text_each(run, tmp_path):
    words = []
    for name, cycles, lowered, seconds in (("wide", 9e9, 3e9, 2.0), ("narrow", 9e9, 0, 1.8)):
        (tmp_path / f"{name}.txt").write_text(f" Performance counter stats for './a.out':\n\n {cycles:,.0f} cycles\n {lowered:,.0f} "
                                              f"core_power.lvl2_turbo_license\n\n {seconds:.3f} seconds time elapsed\n")
        words += ["--import", tmp_path / f"{name}.txt"]
    found = json.loads(run("diagnose", "--json", *words).stdout)
    assert found["verdict"]["culprit"] == "avx512-licence" and not found["verdict"]["open"], "the cycles are as many"


def test_a_profile_of_cycles_says_where_it_is_hot_and_supports_no_cause(diagnosed):
    found, _ = diagnosed("inference", ("mem_load_l3_miss_retired.local_dram", "cycles:u"), (r"\| 0\.20% .*", "| 30.2%   | lea           (%r11,%rbp,1),%r13        |"))
    assert found["verdict"]["culprit"] == "memory-bandwidth" and finding(found, "memory-bandwidth")["confidence"] == "low"
    assert "the hottest function is sgemm_t_n23_b0" in found["verdict"]["sentence"]


def test_sentences_alone_are_a_case(run):
    found = json.loads(run("diagnose", "--json", "--say", "Huge pages on the host: no change. nohz_full made no difference.").stdout)
    assert verdicts(found, "small-pages", "timer-tick") == ["ruled_out"] * 2
    assert verdicts(found, "vm-exits") == ["not_testable"], "ticks are some of the exits: that others are fewer, too, nobody said"
    said = json.loads(run("diagnose", "--json", "--say", "nohz_full took nearly all exits away and made no difference.").stdout)
    assert verdicts(said, "vm-exits", "timer-tick") == ["ruled_out"] * 2
    assert "imported or said" in found["verdict"]["sentence"] and "by a trial" in found["verdict"]["ruled_out"]


def test_the_page_of_seeds_shows_what_the_program_says(run, source_root):
    page = (source_root / "doc/SEEDS.md").read_text()
    shown = re.findall(r"```\n\$ plumb diagnose --import (\S+)\n(.*?)```", page, re.S)
    assert len(shown) == 3
    for path, text in shown:
        said = run("diagnose", "--import", path, cwd=source_root, env={"COLUMNS": "100"}).stdout
        head = said.split("\nUNDECIDED")[0].split("\nRULED OUT")[0].split("\nNOT TESTABLE")[0]
        assert text.strip() == head.strip(), "run tests/fixtures/seeds/show.sh anew"


def test_as_many_cycles_in_more_time_are_no_more_work(diagnosed):
    found, _ = diagnosed("kernels", ("583958024", "0"), ("8386784008", "8014232050"))
    assert "as many cycles, so it ran at a lower clock or waited" in left_open(found)
