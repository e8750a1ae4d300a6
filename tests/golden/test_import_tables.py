# SPDX-License-Identifier: GPL-3.0-or-later
"""Where one table of a document ends and the next begins, and which lines are rows of one: forms that people paste."""
import json

import pytest
from imported_case import finding

FAST = ("BAD              Bad_Speculation                       % Slots                        1.6\n"
        "BAD              Bad_Speculation.Branch_Mispredicts    % Slots                        1.1\n"
        "FE               Frontend_Bound                        % Slots                        2.2\n"
        "BE               Backend_Bound                         % Slots                       35.0\n")
SLOW = FAST.replace("1.6", "38.6").replace(" 1.1", "38.1").replace("35.0", "15.0")
FENCED = "```\n{}```\n"


@pytest.mark.parametrize("between", [
    "# Two services\n\nfast one\n\n" + FENCED.format(FAST) + "\nslow one\n\n" + FENCED.format(SLOW),
    "# Two services\n\n## The fast one\n" + FENCED.format(FAST) + "\n## The slow one\n" + FENCED.format(SLOW),
    "**fast one**\n\n" + FENCED.format(FAST) + "\n**slow one**\n\n" + FENCED.format(SLOW),
    FENCED.format(FAST) + "\n" + FENCED.format(SLOW),
    FAST + "\n" + SLOW,
    FENCED.format(SLOW) + "\n" + FENCED.format(FAST),
], ids=["names between fences", "headings", "bold names", "fences alone", "names that come again", "the slow one first"])
def test_two_blocks_are_two_tables(imported, between):
    found, _ = imported(notes=between)
    assert finding(found, "branch-mispredicts")["verdict"] == "undecided" and found["verdict"]["culprit"] is None
    said = " ".join(found["verdict"]["open"])
    assert "tma_branch_mispredicts is 1.1 %" in said and "38 %" in said
    if "one" in between:
        assert "slow one' of notes.txt" in said and "fast one' of notes.txt" in said


def test_one_table_with_a_gap_in_it_stays_one(imported):
    found, _ = imported(notes="8,386,784,008      cycles\n\n 4,000,000,000      instructions\n\n       1.640000000 seconds time elapsed\n")
    assert sum("perf stat" in str(one) for one in found["statements"]) == 1


@pytest.mark.parametrize("line", ["tma_store_bound: 39.1%", "`tma_store_bound` 39.1 %", "**tma_store_bound**: 39.1 %,",
                                  "    Backend_Bound.Memory_Bound.Store_Bound      39.1", "Backend_Bound.Memory_Bound.Store_Bound 39.1%",
                                  "BE/Mem  Backend_Bound.Memory_Bound.Store_Bound  % Stalls  39.1", "BE/Mem  Backend_Bound.Memory_Bound.Store_Bound  % Clocks_est  39.1 <=="])
def test_a_metric_by_any_hand(imported, line):
    found, _ = imported(notes=line + "\n")
    assert found["verdict"]["culprit"] == "stores"
    assert finding(found, "stores")["recoverable_ratio_at_most"] == pytest.approx(0.391)


@pytest.mark.parametrize("line", ["It was 39.1 % of tma", "Memory_Bound 39.1", "Backend_Bound.Memory_Bound.Store_Bound 391", "Backend_Bound.Memory_Bound.Store_Bound n/a"])
def test_what_is_no_metric(imported, line):
    found, _ = imported(notes=line + "\n")
    assert found["verdict"]["culprit"] is None


@pytest.mark.parametrize("prose", ["100 cycles per item.\n2 branch-misses per item.\n", "8 worker threads\n512 build:\n100 cycles were lost\n3 branch-misses, he says\n"])
def test_sentences_that_begin_with_a_number_are_no_counts(imported, prose):
    found, _ = imported(notes="What we know:\n\n" + prose)
    assert found["verdict"]["culprit"] is None and "perf stat" not in str(found["statements"])


@pytest.mark.parametrize("behind", ["", "   # 12.1 % of all branches", "  ( +-  0.12% )", "   (66.67%)", "  <- look"])
def test_counts_with_what_perf_puts_behind_them(imported, behind):
    found, _ = imported(notes=f"1,000,000,000 cycles\n20,000,000 branch-misses{behind}\n 0.4 seconds time elapsed\n")
    assert found["verdict"]["culprit"] == "branch-mispredicts"


def test_counts_with_units_keep_their_events(imported):
    found, _ = imported(notes="1,000,000,000 cycles\n     12.34 Joules power/energy-pkg/\n    245.55 MiB  uncore_imc/data_reads/\n 0.4 seconds time elapsed\n")
    assert "12.34 power/energy-pkg/" in str(found["statements"]) and "245.55 uncore_imc/data_reads/" in str(found["statements"])


def test_a_share_in_a_sentence_is_no_line_of_a_listing(imported):
    found, _ = imported(notes="The guest:\n\n54 % of the samples are in read_hpet\n12% in the rest\n")
    assert "perf annotate" not in str(found["statements"])


@pytest.mark.parametrize("old, new", [("-O0:", "-O2:"), ("random:", "sequential:")])
def test_two_blocks_with_names_and_no_gap_between(imported, old, new):
    block = "  {} cycles\n  24,100,377,020 instructions\n  {} seconds time elapsed\n"
    found, _ = imported(notes=f"How it runs.\n\n{old}\n" + block.format("10,185,220,910", 3.41) + f"{new}\n" + block.format("5,185,220,910", 1.61))
    assert sum("perf stat" in str(one) for one in found["statements"]) == 2


def test_a_table_of_markdown_keeps_perfs_other_events_and_its_time(imported):
    found, _ = imported(notes="| event | old | new |\n|---|---:|---:|\n| cycles | 10,185,220,910 | 8,330,118,422 |\n| page-faults | 812,004 | 2,118 |\n"
                              "| task-clock | 3,390.1 msec | 2,590.2 msec |\n| LLC-load-misses | 1,004 | 998 |\n| seconds time elapsed | 3.41 | 2.61 |\n")
    said = str(found["statements"])
    assert "812004 page-faults" in said and "3390.1 ms of task-clock" in said and "LLC-load-misses" in said
    assert "3.41 s" in str(found) and "2.61 s" in str(found)


SLIDES = "83.0 % of the slots are backend bound, 9.1 % retire, 5.0 % are front-end bound and 2.9 % bad speculation. One level down memory bound is 76.4 % and core bound 6.6 %. Then DRAM bound 68.2 %, L3 bound 3.3 %. Within DRAM it's MEM_Bandwidth at 64.5 % while MEM_Latency is 5.0 %.\n"


def test_shares_of_slots_in_sentences_are_a_tree(imported):
    found, _ = imported(notes=SLIDES)
    assert finding(found, "memory-bandwidth")["verdict"] == "supported" and finding(found, "memory-bandwidth")["recoverable_ratio_at_most"] == 0.645
    rows = {row["name"]: row["number"] for table in found["imported"] for row in table["rows"]}
    assert rows["tma_backend_bound"] == 83 and rows["tma_retiring"] == 9.1 and rows["tma_mem_latency"] == 5


@pytest.mark.parametrize("text", ["toplev says Backend_Bound 84.2 %, Backend_Bound.Core_Bound 70.1 %, Backend_Bound.Core_Bound.Divider 55.1 %.\n",
                                  "toplev says Backend_Bound 84.2 %, Backend_Bound.Core_Bound 70.1, Backend_Bound.Core_Bound.Divider 55.1, and that is all.\n"])
def test_a_path_of_classes_in_a_sentence_is_its_last_one(imported, text):
    found, _ = imported(notes=text)
    rows = {row["name"]: row["number"] for table in found["imported"] for row in table["rows"]}
    assert rows == {"tma_backend_bound": 84.2, "tma_core_bound": 70.1, "tma_divider": 55.1}
    assert finding(found, "divider")["verdict"] == "supported"


def test_a_path_whose_last_class_is_not_known_is_no_other(imported):
    found, _ = imported(notes="toplev says Backend_Bound 84.2 %, Backend_Bound.Core_Bound 70.1 %, Backend_Bound.Core_Bound.Something 55.1 %.\n")
    assert all(row["number"] != 55.1 for table in found.get("imported", []) for row in table["rows"])


@pytest.mark.parametrize("text", [
    "The Intel example has 83.0 % backend bound and 9.1 % retiring.\n", "According to the manual 83.0 % of the slots are backend bound, 9.1 % retire.\n",
    "83.0 % of the samples are backend bound, 9.1 % of the misses retire.\n"])
def test_shares_of_others_or_of_something_else_are_no_tree(imported, text):
    found, _ = imported(notes=text)
    assert not found.get("imported")


@pytest.mark.parametrize("head", ["          :     PairLJ::compute(int, int):", "          :     PairLJ::compute():", "PairLJ::compute(std::pair<int, int>, void (*)(int)):"])
def test_a_listing_below_a_function_with_arguments_is_of_it(imported, head):
    found, _ = imported(notes="In the guest:\n\n" + head + "\n    1.02  :   5b21c0:       mov    (%r14,%rcx,4),%eax\n   47.90  :   5b21d8:       movsd  (%rdx,%rsi,8),%xmm0\n")
    assert found["imported"][0]["kind"] == "perf annotate" and "PairLJ::compute" in found["verdict"]["sentence"]


@pytest.mark.parametrize("name", ["Guest(TDX):", "Host(Intel):", "run(before):"])
def test_a_name_with_brackets_that_hold_no_type_is_no_function(imported, name):
    found, _ = imported(notes="The lines:\n\n" + name + "\n    1.02  :   5b21c0:       mov    (%r14,%rcx,4),%eax\n   47.90  :   5b21d8:       movsd  (%rdx,%rsi,8),%xmm0\n")
    assert "hottest line is" in found["verdict"]["sentence"]


@pytest.mark.parametrize("above", ["We haven't profiled it. The vendor's tuning guide has this table:", "On my laptop, where it is fine by the way, toplev prints:",
                                   "On another machine, mine, toplev prints:", "This is of the reference machine that they have:"])
@pytest.mark.parametrize("table", ["tma_icache_misses 22.1 %\ntma_itlb_misses 14.8 %\n", "| Metric | Percentage |\n|---|---|\n| tma_icache_misses | 22.1% |\n| tma_itlb_misses | 14.8% |\n",
                                   "| Metric | v1 | v2 |\n|---|---|---|\n| tma_icache_misses | 22.1% | 23.0% |\n| tma_itlb_misses | 14.8% | 14.9% |\n"])
def test_tables_of_others_and_of_other_machines_decide_nothing(imported, above, table):
    found, _ = imported(notes=f"Our node is slow.\n\n{above}\n\n{table}\nThat is all.\n")
    assert found["verdict"]["culprit"] is None and "of others" in str(found["statements"])


def test_a_table_of_ones_own_machine_decides(imported):
    found, _ = imported(notes="Our node is slow.\n\nOn my laptop, on which it is as slow, toplev prints:\n\ntma_icache_misses 22.1 %\ntma_itlb_misses 14.8 %\n")
    assert found["verdict"]["culprit"] == "front-end"


KERNELS = "    71.20%  srv      [kernel.kallsyms]  [k] clear_page_erms\n     8.11%  srv      [kernel.kallsyms]  [k] __handle_mm_fault\n"
MPSTAT = ("11:10:02     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
          "11:16:42     all   95.90    0.00    3.00    0.00    0.00    0.10    0.00    0.00    0.00    1.00\n")


@pytest.mark.parametrize("notes", ["perf report, kernel only:\n\n" + KERNELS, "What perf report shows here:\n\n" + KERNELS + "\nmpstat meanwhile has this:\n\n" + MPSTAT])
def test_shares_of_the_kernels_samples_alone_are_none_of_the_time(imported, notes):
    found, _ = imported(notes=notes)
    assert found["verdict"]["culprit"] is None and finding(found, "page-faults")["verdict"] == "undecided"
    assert "of the kernel's samples alone" in finding(found, "page-faults")["reason"]


def test_shares_of_all_samples_are(imported):
    found, _ = imported(notes="What perf report shows here:\n\n" + KERNELS + "     9.00%  srv      srv                [.] serve\n")
    assert finding(found, "page-faults")["verdict"] == "supported"


def test_the_smaller_bound_wins(imported):
    found, _ = imported(notes="tma_bad_speculation 0.9 %\ntma_frontend_bound 7.0 %\n\nAnd the counts of that run:\n\n 30,100,000,000 cycles\n 8,402,113 branch-misses\n 9.1 seconds time elapsed\n")
    assert finding(found, "branch-mispredicts")["verdict"] == "ruled_out"


@pytest.mark.parametrize("row", ["{} |   div    %r8", "{} :   div    %r8", "   {}   div    %r8", "{}% div %r8", "{} :  4011a2: div %r8"])
def test_lines_of_a_listing_by_any_hand(imported, row):
    listing = "perf annotate of lookup:\n\n" + "".join(row.format(share).replace("div", name) + "\n" for share, name in [("3.11", "xor"), ("61.20", "div"), ("9.71", "mov")])
    found, _ = imported(notes=listing + "\nand counted:\n\n 8,220,118,330 cycles\n 5,110,330,004 arith.divider_active\n 2.61 seconds time elapsed\n")
    divider = finding(found, "divider")
    assert divider["verdict"] == "supported" and "samples" in divider["confidence_reason"]


def test_a_table_of_markdown_with_nothing_but_times(imported):
    table = "| build | time |\n|---|---|\n| jit | {} s |\n| eigen | 0.251 s |\n"
    counts = "jit:\n\n    {}      cycles\n     {}      core_power.lvl2_turbo_license\n"
    found, _ = imported(notes="Two builds.\n\n" + table.format("0.260") + "\nThe counter:\n\n" + counts.format(13377441890, 722381862) +
                        "\nThen built with -mno-avx512f and counted again:\n\n" + counts.format(12708569795, 0) + "\n" + table.format("0.252"))
    licence = finding(found, "avx512-licence")
    assert licence["verdict"] == "supported" and licence["recoverable_ratio_at_most"] == pytest.approx(0.0177, abs=0.0005)
    assert "fewer cycles without wide vectors" in " ".join(found["verdict"]["open"])


# ---- the line that a hot function is named with ----

HOT = "    88.40%  hashd    hashd              [.] bucket_of\n     3.10%  hashd    libc.so.6          [.] memcpy\n"
DIVIDES = ("    1.20 :   4012a0:   mov    %rdi,%rax\n    3.40 :   4012a3:   div    %rsi\n   71.30 :   4012a6:   add    %rdx,%r9\n"
           "    9.10 :   4012a9:   mov    (%r9,%rdx,4),%ecx\n")


def sentence(found):
    return " ".join(found["verdict"]["sentence"].split())


@pytest.mark.parametrize("profile, said", [
    (HOT, "first at 'add %rdx,%r9', right behind 'div %rsi'"),
    ("", "the hottest line is 'add %rdx,%r9', with 71 % of the samples of its listing, right behind 'div %rsi'")])
def test_the_hottest_line_is_named_and_the_division_before_it(imported, profile, said):
    found, _ = imported(notes=f"What perf report shows:\n\n{profile}\nAnd perf annotate:\n\n{DIVIDES}")
    assert said in sentence(found)
    divider = finding(found, "divider")
    assert divider["verdict"] == "undecided" and "right" not in divider["reason"] and "and stands behind 'div" in divider["reason"]


SOURCE = ("What perf annotate shows of it:\n\n```\n42%  auto w = wei[off(k, n)] - zero;\n   32%  pxor      %xmm1,%xmm1\n   {share}% mov     0x58(%rax),%rax\n31%   dst += s * w;\n```\n\n"
          "So compute_tile() reads it all, and compute_tile() is slow.{more}\n")


@pytest.mark.parametrize("share, more, said", [
    ("33.94", "", "the hottest line of compute_tile that reads memory is 'mov 0x58(%rax),%rax', with 34 % of the samples of its listing"),
    ("33.94", " Beside it there is pack_tile().", "the hottest line that reads memory is 'mov 0x58(%rax),%rax', with 34 %"), ("3.94", "", None)])
@pytest.mark.parametrize("host", ["", "What perf report shows on the host:\n\n    12.10%  [kernel.kallsyms]  [k] add_atomic_switch_msr\n    10.10%  [kernel.kallsyms]  [k] vmx_vcpu_run\n\n"],
                         ids=["alone", "beside a profile of many"])
def test_the_line_that_reads_memory_is_named_where_no_cause_is_supported(imported, host, share, more, said):
    words = sentence(imported(notes=host + SOURCE.format(share=share, more=more))[0])
    assert said in words if said else "hottest line" not in words


@pytest.mark.parametrize("tree, said", [
    ("tma_backend_bound 71 %\ntma_memory_bound 61 %\n", "first at 'mov (%r9,%rdx,4),%ecx'."),
    ("tma_backend_bound 71 %\ntma_core_bound 61 %\n", "first at 'add %rdx,%r9', right behind 'div %rsi'")])
def test_a_line_that_reads_memory_is_named_where_memory_is_waited_for(imported, tree, said):
    found, _ = imported(profile=HOT, listing=DIVIDES, tree=tree)
    assert said in sentence(found)


def test_a_line_that_reads_memory_is_named_where_it_is_the_hottest(imported):
    found, _ = imported(profile=HOT, listing=DIVIDES.replace("div ", "or  ").replace("71.30", " 5.10").replace(" 9.10", "64.10"))
    assert "first at 'mov (%r9,%rdx,4),%ecx'." in sentence(found)


@pytest.mark.parametrize("share, other, verdict", [("38.75", " 6.02", "undecided"), ("18.75", " 6.02", "not_testable"), ("38.75", "41.02", "not_testable")])
def test_a_division_before_the_hottest_line_is_open(imported, share, other, verdict):
    found, _ = imported(listing=f"    0.41 :   4a10:   mov    0x58(%rax),%rcx\n    1.90 :   4a19:   vdivps %ymm1,%ymm2,%ymm3\n   {share} :   4a1c:   vaddps %ymm3,%ymm4,%ymm4\n   {other} :   4a28:   vmovups (%r9,%r8,4),%ymm1\n")
    assert finding(found, "divider")["verdict"] == verdict


# ---- top-down classes with the number behind the name ----

SPLIT = [("retiring", 0.112), ("bad_speculation", 0.021), ("frontend_bound", 0.068), ("backend_bound", 0.799),
         ("memory_bound", 0.702), ("dram_bound", 0.581), ("mem_bandwidth", 0.517), ("mem_latency", 0.031)]


def rows_of(form, factor=1):
    return "".join(form.format(name=name, value=f"{value * factor:.3f}") for name, value in SPLIT)


@pytest.mark.parametrize("text", [
    "```\nmetric,value,unit\n" + rows_of("tma_{name},{value},ratio\n") + "```\n",
    "metric,value,unit\n" + rows_of("tma_{name},{value},%\n", 100),
    "metric;ratio\n" + rows_of("tma_{name};{value}\n").replace(".", ","),
    '"metric","value","unit"\n' + rows_of('"tma_{name}","{value}","%"\n', 100),
    rows_of("tma_{name},{value}\n", 100), rows_of("tma_{name},{value}\n"), rows_of("tma_{name} {value}\n"),
    rows_of("tma_{name} {value} ratio\n"), rows_of("tma_{name} = {value}\n"), rows_of("tma_{name}: {value}\n"),
    rows_of("TMA_{name}\t{value}\n"),
    "| metric | value | unit |\n|---|---|---|\n" + rows_of("| tma_{name} | {value} | ratio |\n"),
    "| metric | value (ratio) |\n|---|---|\n" + rows_of("| `tma_{name}` | {value} |\n"),
    "| metric | value |\n|---|---|\n" + rows_of("| tma_{name} | {value} |\n"),
    "Timestamp,CPUs,Area,Value,Unit,Description,Sample,Stddev,Multiplex,Bottleneck,Idle\n"
    + rows_of('1.002,S0-C0-T0,{name},{value},% Slots,"how much, of all",,0,11.1,,\n', 100)
    .replace("backend_bound", "Backend_Bound").replace("frontend_bound", "Frontend_Bound").replace("retiring", "Retiring")
    .replace("bad_speculation", "Bad_Speculation").replace("memory_bound", "Backend_Bound.Memory_Bound")
    .replace("dram_bound", "Backend_Bound.Memory_Bound.DRAM_Bound").replace("mem_", "Backend_Bound.Memory_Bound.DRAM_Bound.MEM_"),
    rows_of(",,,,,{value},%  tma_{name}\n", 100).replace(",,,,,", "31220110,,TOPDOWN.SLOTS,200100,100.00,", 1),
], ids=["csv in a fence", "percent", "semicolons and commas", "quotes", "bare percent", "bare ratio", "blanks", "blanks and unit", "equals",
        "colons", "tabs", "markdown", "unit in the heading", "markdown that sums to 1", "toplev -x", "perf stat -M -x"])
def test_classes_with_their_numbers_behind(imported, text):
    found, _ = imported(notes=text)
    said = str(found["statements"])
    assert "tma_dram_bound 58.1 %" in said and "tma_mem_bandwidth 51.7 %" in said and "not read" not in str(found["statements"])
    assert found["verdict"]["culprit"] == "memory-bandwidth"
    assert finding(found, "memory-bandwidth")["recoverable_ratio_at_most"] == pytest.approx(0.517, abs=0.001)


@pytest.mark.parametrize("text", ["tma_dram_bound,0.66\ntma_l3_bound,0.05\n", "tma_dram_bound 0.9\n",
                                  "| metric | value |\n|---|---|\n| tma_dram_bound | 0.665 |\n| tma_l3_bound | 0.05 |\n",
                                  "| event | old |\n|---|---|\n| cycles | 900100200 |\n| tma_dram_bound | 0.6 |\n"])
def test_a_share_that_may_be_a_ratio_is_none(imported, text):
    found, _ = imported(notes=text)
    assert found["verdict"]["culprit"] is None and finding(found, "memory-bandwidth")["verdict"] == "not_testable"
    assert "a number up to 1 without a unit may be a ratio or a percentage" in str(found["statements"])


@pytest.mark.parametrize("head,row,core", [
    ("%  tma_backend_bound %  tma_retiring %  tma_bad_speculation %  tma_frontend_bound", "    79.9    11.2    2.1    6.8", ""),
    ("                    retiring      bad speculation       frontend bound        backend bound",
     "        2     11.2%   2.1%   6.8%   79.9%", "S0-D0-C0"),
])
def test_columns_of_the_first_level(imported, head, row, core):
    found, _ = imported(notes=f" Performance counter stats for 'system wide':\n\n {head}\n{core}{row}\n\n  1.003 seconds time elapsed\n")
    assert "tma_backend_bound 79.9 %, tma_retiring 11.2 %, tma_frontend_bound 6.8 %, tma_bad_speculation 2.1 %" in str(found["statements"])


def test_columns_of_cores_are_their_mean(imported):
    found, _ = imported(notes="    retiring      bad speculation       frontend bound        backend bound\n"
                              "S0-D0-C0    2     10.0%   2.0%   8.0%   80.0%\nS0-D0-C1    2     30.0%   4.0%   6.0%   60.0%\n")
    assert "tma_backend_bound 70 %, tma_retiring 20 %" in str(found["statements"])


@pytest.mark.parametrize("separator,factor", [(",", 1), ("\t", 1), (",", 0.01)])
def test_a_summary_as_csv_of_vtune(imported, separator, factor):
    rows = [("Hierarchy Level", "Metric Name", "Metric Value"), (0, "Elapsed Time", 12.3), (1, "Clockticks", 98765432100), (1, "CPI Rate", 2.3)]
    rows += [(level, name, round(value * factor, 6)) for level, name, value in [
        (1, "Retiring", 11.2), (1, "Front-End Bound", 6.8), (1, "Bad Speculation", 2.1), (1, "Back-End Bound", 79.9),
        (2, "Memory Bound", 70.2), (3, "DRAM Bound", 58.1), (4, "Memory Bandwidth", 51.7)]] + [(1, "Average CPU Frequency", 2.9)]
    found, _ = imported(notes="".join(separator.join(map(str, row)) + "\n" for row in rows))
    assert found["verdict"]["culprit"] == "memory-bandwidth" and "tma_dram_bound 58.1 %" in str(found["statements"]) and "cpu_frequency" not in str(found["statements"])


@pytest.mark.parametrize("unit", ["% Clocks_est", "% Clocks_Est", "% clocks_est", "% STALLS"])
def test_units_of_toplev_in_any_letters(imported, unit):
    found, _ = imported(notes=f"BE/Mem  Backend_Bound.Memory_Bound.DRAM_Bound.MEM_Bandwidth  {unit}  51.7   [11.1%]\nBE/Mem  Backend_Bound.Memory_Bound.DRAM_Bound  {unit}  58.1   [11.1%]\n")
    assert "tma_mem_bandwidth 51.7 %" in str(found["statements"]) and "not read" not in str(found["statements"])


def not_read(found):
    return " ".join(one["text"] for one in found["statements"] if one["origin"] == "not read")


@pytest.mark.parametrize("line", ["So tma_l3_bound is about 31 here, and nobody knows why.", "cycles: 1.2e9 of them", "instructions = 3,000,000 (old)", "branches: 41",
                                  "mem_load_retired.l3_miss:u 41M of them", "We saw 812,331 LLC-load-misses beside it in the same run.",
                                  "| run | tma_dram_bound |\n|---|---|\n| old | 0.665 |\n"])
def test_a_known_name_beside_a_number_is_read_or_listed(imported, line):
    found, _ = imported(notes=f"What I have\n\n{line}\n\nNow the profile:\n\n    41.20%  srv  srv  [.] lookup\n")
    assert line.splitlines()[-1][:25] in not_read(found)


@pytest.mark.parametrize("line, count", [("cycles: 1.2e9", "1200000000 cycles"), ("- `instructions` = 3,000,000", "3000000 instructions"),
                                         ("ld_blocks_partial.address_alias: 310000", "310000 ld_blocks_partial.address_alias"), ("LLC-load-misses : 41200331.", "41200331 LLC-load-misses")])
def test_an_event_s_name_and_its_count_alone_are_read(imported, line, count):
    found, case = imported(notes=f"## What I have\n\n{line}\n\nNow the profile:\n\n    41.20%  srv  srv  [.] lookup\n")
    assert f"'{count}'" in str(found["statements"]) and not not_read(found)
    stat = next(one for one in json.loads((case / "imports.json").read_text())["imports"] if one["kind"] == "perf stat")
    assert stat["heading"] == "What I have" and stat["rows"][0]["running_ratio"] == 1


def test_counts_by_name_pair_with_the_times_of_their_runs(imported):
    """Twice the cycles of as many instructions: as perf stat's own lines would tell it."""
    block = "{0}:\ncycles: {1}e9\ninstructions: 6.0e9\n"
    found, _ = imported(notes=f"Two runs\n\n{block.format('old', 4.0)}\n{block.format('new', 8.0)}\nold: 1.0 s\nnew: 2.0 s\n")
    assert not not_read(found)
    assert "the slower one takes 1.33 cycles for each instruction, the other 0.667" in str(found["verdict"])


def test_rows_above_the_next_heading_are_listed(imported):
    found, _ = imported(notes="12  34.1 x   77.2 y   first_row\n\n## The profile\n\n    41.20%  srv  srv  [.] lookup\n")
    assert "first_row" in not_read(found)


@pytest.mark.parametrize("line", ["It takes 3 cycles to get there, and 2 branches.", "We used 4 threads, version 0.66, and file idq_2.c.",
                                  "> **mina** 10:35 the old one has 3 DIMMs | and 2 sockets", "> [10:41] jo: the box  has 8 cores, I think",
                                  "**jo** 10:36  so 41 of 80 are there | or not", "perf record -e l3_miss.x2  ./scan 12 | perf report", "+    set_cpu(\"v4\");  // 4 wide"])
def test_sentences_are_no_rows(imported, line):
    found, _ = imported(notes=f"A talk\n\n{line}\n")
    assert not not_read(found)


@pytest.mark.parametrize("text", [
    "metric,before,after,ratio\ntma_dram_bound,58.1,12.2,0.21\ntma_backend_bound,80.1,50.3,0.62\n",
    "| metric | before | after | change |\n|---|---|---|---|\n| tma_dram_bound | 58.1 % | 12.2 % | 0.21 |\n| tma_backend_bound | 80.1 % | 50.3 % | 0.62 |\n",
])
def test_what_two_columns_have_between_them_is_no_run(imported, text):
    found, _ = imported(notes=text)
    said = str(found["statements"])
    assert "tma_backend_bound 80.1 %, tma_dram_bound 58.1 %" in said and "tma_backend_bound 50.3 %, tma_dram_bound 12.2 %" in said and "0.62 %" not in said


def test_events_as_csv(imported):
    found, _ = imported(notes="event,count\ncycles,1000000000\nbranch-misses,20000000\n")
    assert found["verdict"]["culprit"] == "branch-mispredicts" and "20000000 branch-misses" in str(found["statements"])


@pytest.mark.parametrize("text", [
    '{"interval" : 1.000551, "%  tma_retiring" : "11.2", "%  tma_backend_bound" : "79.9", "%  tma_frontend_bound" : "6.8", "%  tma_bad_speculation" : "2.1"}\n',
    "Slots of it\n\n  Retiring            11.2 %\n  Frontend Bound       6.8 %\n  Bad Speculation      2.1 %\n  Backend Bound       79.9 %\n",
], ids=["perf stat -j --metric-only", "words and blanks"])
def test_the_first_level_in_other_forms(imported, text):
    found, _ = imported(notes=text)
    assert "tma_backend_bound 79.9 %, tma_retiring 11.2 %, tma_frontend_bound 6.8 %, tma_bad_speculation 2.1 %" in str(found["statements"]) and not not_read(found)


def test_paths_of_amd_have_their_own_names(imported):
    found, _ = imported(notes="Metric,Value\nFrontend_Bound.Latency (%),7.2\nBackend_Bound.Memory (%),75.2\n")
    assert "backend_bound_memory 75.2 %, frontend_bound_latency 7.2 %" in str(found["statements"])


LISTING = "| Percent | Instruction |\n|---------|-------------|\n| 2.10%   | vmovaps       (%rsi,%rcx,1),%ymm1   |\n| 81.40%  | {}  |\n| 3.00%   | add           $0x20,%rcx   |\n"
WAITS = "| Metric | Percentage |\n|---|---|\n| tma_memory_bound | 71.0 % |\n| {} | 61.0 % |\n\n"
STORES = ["vmovaps       %ymm1,(%rdi,%rcx,1)", "mov           %eax,0x8(%rbx)", "vmovups       %zmm0,(%rdi){%k1}", "movb          $0x0,(%rdx)", "add           %eax,(%rdi)"]
LOADS = ["vmovaps       (%rdx,%rcx,1),%ymm2", "cmp           %eax,(%rdi)", "vaddps        (%rdi),%ymm0,%ymm1", "mov           0x8(%rbx),%eax"]


@pytest.mark.parametrize("line", STORES)
def test_a_line_that_writes_memory_speaks_for_stores(imported, line):
    found, _ = imported(notes=WAITS.format("tma_store_bound") + LISTING.format(line))
    stores = finding(found, "stores")
    said = " ".join(one["text"] for one in stores["evidence"])
    assert "it writes memory" in said and "it reads memory" not in said and "samples" in found["verdict"]["confidence"]


@pytest.mark.parametrize("line", LOADS)
def test_a_line_that_reads_memory_speaks_for_no_stores(imported, line):
    found, _ = imported(notes=WAITS.format("tma_store_bound") + LISTING.format(line))
    assert finding(found, "stores")["verdict"] == "supported"
    assert "writes memory" not in json.dumps(found["findings"]) and "samples" not in found["verdict"]["confidence"]


@pytest.mark.parametrize("line, agrees", [(line, True) for line in LOADS + STORES[-1:]] + [(line, False) for line in STORES[:-1]])
def test_waiting_for_loads_has_the_lines_that_read_memory(imported, line, agrees):
    """an addition to memory does both"""
    found, _ = imported(notes=WAITS.format("tma_dram_bound").replace("61.0 %", "61.0 % |\n| tma_mem_latency | 55.0 %") + LISTING.format(line))
    assert found["verdict"]["culprit"] == "dram-latency" and ("samples" in found["verdict"]["confidence"]) == agrees


DRAM = "| Metric | Percentage |\n|---|---|\n| tma_dram_bound | {} % |\n| tma_l3_bound | {} % |\n| tma_l2_bound | 0.3 % |\n\n"
WIDTH = "| Metric | Percentage |\n|---|---|\n| tma_mem_bandwidth | {} % |\n\n"


def test_what_tables_contradict_one_another_in_comes_before_a_lesser_cause(imported):
    found, _ = imported(notes=DRAM.format("61.0", "6.0") + "Then:\n\n" + WIDTH.format("58.0") + "The day after:\n\n" + DRAM.format("4.0", "28.0") + "And:\n\n" + WIDTH.format("3.0"))
    verdict = found["verdict"]
    assert verdict["sentence"].startswith("The imported tables contradict one another in memory bandwidth")
    assert "the second table of notes.txt with it and 58 % in the first table of notes.txt with it" in verdict["sentence"], "both are called alike"
    assert verdict["culprit"] == "l2-l3-latency" and "lesser cause" in verdict["confidence"]


def test_what_tables_agree_in_is_said_first_where_they_contradict_in_less(imported):
    found, _ = imported(notes=DRAM.format("41.0", "45.0") + "Then:\n\n" + WIDTH.format("31.0") + "The day after:\n\n" + DRAM.format("4.0", "48.0") + "And:\n\n" + WIDTH.format("3.0"))
    verdict = found["verdict"]
    assert verdict["culprit"] == "l2-l3-latency" and verdict["sentence"].startswith("Loads that the second") and not verdict["culprit_is_small"]
    assert any(one.startswith("memory bandwidth") for one in verdict["open"])


TREE = "```\ntma_backend_bound 80 %\ntma_memory_bound 70 %\ntma_dram_bound 60 %\ntma_mem_bandwidth 55 %\n```\n"


@pytest.mark.parametrize("above, decides", [
    ("A colleague called: the new host is slow, and half of its swap is in use.", True), ("The customer complained about it, so I ran toplev.", True),
    ("A vendor asked for the top-down numbers of the job:", True), ("A colleague's question was what the job waits for:", True),
    ("A colleague's table of his own job:", False), ("The vendor's output for it:", False), ("From the documentation of toplev:", False), ("They measured this with their job:", False)])
def test_who_called_or_asked_owns_no_table(imported, above, decides):
    found, _ = imported(notes=above + "\n\n" + TREE)
    assert (finding(found, "memory-bandwidth")["verdict"] == "supported") == decides
    assert decides != any("decides nothing" in one["text"] for one in found["statements"])


def reports(found):
    return [{row["name"]: row["number"] for row in table["rows"]} for table in found.get("imported", []) if table["kind"] == "perf report"]


PPROF = ("File: shop\nType: {}\nDuration: 20.02s, Total samples = 80.10s (400.1%)\nShowing nodes accounting for 71.22s, 88.91% of 80.10s total\n"
         "Dropped 120 nodes (cum <= 0.40s)\n      flat  flat%   sum%        cum   cum%\n{}")
BY_SELF = ("    31.24s 39.00% 39.00%     31.24s 39.00%  main.(*Basket).total (inline)\n    12.01s 14.99% 53.99%     40.11s 50.07%  main.checkout\n"
           "         0     0% 53.99%     78.20s 97.63%  main.main\n")
BY_ALL = ("         0     0%     0%     78.20s 97.63%  main.main\n    12.01s 14.99% 14.99%     40.11s 50.07%  main.checkout\n"
          "    31.24s 39.00% 53.99%     31.24s 39.00%  main.(*Basket).total (inline)\n")


@pytest.mark.parametrize("rows", [BY_SELF, BY_ALL], ids=["-top", "-top -cum"])
def test_what_pprof_ranks_are_shares_of_functions(imported, rows):
    found, _ = imported(notes="The shop:\n\n```\n$ go tool pprof -top shop cpu.pprof\n" + PPROF.format("cpu", rows) + "```\n")
    assert reports(found) == [{"main.(*Basket).total": 39.0, "main.checkout": 14.99}] and not not_read(found)
    assert "tells of" not in str(found["statements"]) and "Showing nodes" not in str(found["verdict"])


@pytest.mark.parametrize("between", ["...\n", "    [...]\n", "…\n"])
def test_rows_left_out_of_a_profile_end_it_not(imported, between):
    found, _ = imported(notes=PPROF.format("cpu", between.join(BY_SELF.splitlines(keepends=True))))
    assert reports(found) == [{"main.(*Basket).total": 39.0, "main.checkout": 14.99}] and not not_read(found)


def test_a_profile_of_memory_is_none_of_time(imported):
    rows = "  512.50MB 39.00% 39.00%   512.50MB 39.00%  main.(*Basket).total\n   16.20MB 14.99% 53.99%   640.02MB 50.07%  main.checkout\n"
    found, _ = imported(notes=PPROF.format("inuse_space", rows))
    assert not reports(found) and "main.checkout" in not_read(found)
    found, _ = imported(notes=PPROF.format("delay", BY_SELF))
    assert not reports(found)


C2C_LINES = ("=================================================\n           Shared Data Cache Line Table\n=================================================\n#\n"
             "#        ------- Cacheline ----------    Tot  ------- Load {} -------    Total    Total    Total\n"
             "# Index             Address  Node  PA cnt     {}    Total  Lcl{}  Rmt{}  records    Loads   Stores\n# .....  ..................  ....  ......\n#\n"
             "      0      0x55aa10002040     0  110020   80.00%     8000     6000     2000    60123    48812    11311\n"
             "      1      0x55aa10002080     0    1020   10.00%     1000      400      600     2201     1911      290\n\n")
C2C_CODE = ("=================================================\n      Shared Cache Line Distribution Pareto\n=================================================\n#\n"
            "#        ----- HITM -----  -- Store Refs --  --------- Data address ---------\n"
            "#   Num  RmtHitm  LclHitm   L1 Hit  L1 Miss              Offset  Node  PA cnt        Code address\n# .....  .......  .......\n#\n"
            "  -------------------------------------------------------------\n      0     2000     6000     9000        0      0x55aa10002040\n"
            "  -------------------------------------------------------------\n"
            "           50.00%   90.00%    0.00%    0.00%                 0x0     0       1            0x401b84       812       131       109     1211         4  [.] take_ticket      queue            queue.c:88    0\n"
            "           50.00%   10.00%  100.00%    0.00%                 0x8     0       1            0x401c20       790       120       101      911         4  [.] put_back         queue            queue.c:97    0\n\n"
            "  -------------------------------------------------------------\n      1      600      400      100        0      0x55aa10002080\n"
            "  -------------------------------------------------------------\n"
            "          100.00%  100.00%  100.00%    0.00%                 0x0     0       1            0x401b90       812       131       109      211         2  [.] take_ticket      queue            queue.c:91    0\n")


def test_shared_lines_and_the_code_at_them(imported):
    found, _ = imported(notes="perf c2c of the queue\n\n" + C2C_LINES.format(*["Hitm"] * 4) + C2C_CODE)
    assert reports(found) == [{"take_ticket": pytest.approx(82.22), "put_back": pytest.approx(17.78)}] and not not_read(found)
    said = str(found["statements"])
    assert "0x55aa10002040 80.0 %" in said and "0x55aa10002080 10.0 %" in said and "others 10.0 %" in said
    assert next(table for table in found["imported"] if table["kind"] == "perf report")["event"] == "HITM"


def test_what_follows_shared_lines_is_no_part_of_them(imported):
    more = "\n# What the queue takes\n\n    41.20%  queue  queue  [.] lookup\n"
    for table in (C2C_LINES.format(*["Hitm"] * 4), C2C_CODE):
        found, _ = imported(notes="perf c2c of the queue\n\n" + table.rstrip("\n") + "\n" + more)
        assert reports(found)[-1] == {"lookup": 41.2} and any(table["heading"] == "What the queue takes" for table in found["imported"])


def test_the_code_at_shared_lines_takes_nothing_from_their_verdict(imported):
    events = "  Load Operations                   :      40000\n  Load Local HITM                   :       7000\n  Load Remote HITM                  :       3000\n"
    found, _ = imported(notes="perf c2c of the queue\n\n" + events + C2C_LINES.format(*["Hitm"] * 4) + C2C_CODE)
    assert finding(found, "contended-lines")["verdict"] == "supported" and found["verdict"]["culprit"] == "contended-lines"
    assert "take_ticket 82.2 %" in str(found["statements"])
    assert "line 0x55aa10002040 has 80 % of them" in finding(found, "contended-lines")["headline"]
    few, _ = imported(notes="perf c2c of the queue\n\n" + events.replace(" 7000", "   70").replace("3000", "  30") + C2C_LINES.format(*["Hitm"] * 4))
    assert "0x55aa10002040" not in str(few["verdict"]["sentence"])


def test_shared_lines_by_other_loads_are_no_hitm(imported):
    found, _ = imported(notes="perf c2c of the queue\n\n" + C2C_LINES.format(*["Snoop"] * 4) + C2C_CODE.replace("Hitm", "Peer"))
    assert not reports(found) and "counts by key" not in str(found["statements"])


@pytest.mark.parametrize("head", ["", "Samples: 12K of event 'cycles', 4000 Hz\n", "# Overhead  Shared Object  Symbol\n"], ids=["bare", "perf top", "report"])
@pytest.mark.parametrize("indent", ["   ", ""])
def test_rows_are_no_sentences_whatever_their_names_say(imported, head, indent):
    rows = ["4.81%  gateway            [.] crc_of_block", "2.98%  libtcmalloc.so.4   [.] tc_malloc", "2.41%  libjemalloc.so.2   [.] je_malloc_default"]
    found, _ = imported(notes=f"perf top shows nothing above 5 %:\n\n{head}" + "".join(f"{indent}{row}\n" for row in rows) + "\n- Huge pages might help, too.\n")
    assert reports(found) == [{"crc_of_block": 4.81, "tc_malloc": 2.98, "je_malloc_default": 2.41}]
    assert not any(one["origin"] == "not understood" for one in found["statements"])


def test_a_sentence_about_a_name_in_a_row_is_one(imported):
    found, _ = imported(notes="perf top:\n\n   4.81%  gateway            [.] crc_of_block\n   2.98%  libtcmalloc.so.4   [.] tc_malloc\n\nWith tcmalloc it took 6.1 s instead of 9.0 s.\n")
    assert any("With tcmalloc" in one["text"] and "told in words" in one["origin"] for one in found["statements"])


def test_top_s_rows_in_columns_are_no_sentences(imported):
    found, _ = imported(notes="What runs:\n\n  81201 spark     20   0   78.1g  61.2g  41220 S  1301  48.7   2841:02 with huge pages\n\nThat is all.\n")
    assert not any(one["origin"] in ("not understood", "imported, told in words") for one in found["statements"])


CHILDREN = ("    99.10%     0.02%  index    index              [.] main\n    55.20%    55.20%  index    index              [.] scan_postings\n"
            "    40.11%    18.02%  index    index              [.] run_queries\n")


@pytest.mark.parametrize("mark", ["# ", ""])
def test_a_report_with_children_ranks_what_functions_take_themselves(imported, mark):
    found, _ = imported(notes=f"The index:\n\n```\n{mark}Children      Self  Command  Shared Object      Symbol\n{CHILDREN}```\n")
    assert reports(found) == [{"main": 0.02, "scan_postings": 55.2, "run_queries": 18.02}]
    assert "scan_postings" in found["verdict"]["sentence"] and "main" not in found["verdict"]["sentence"]


def test_two_columns_of_which_nothing_is_said_stay_as_printed(imported):
    found, _ = imported(notes=f"The index:\n\n```\n{CHILDREN}```\n")
    assert reports(found)[0]["main"] == 99.1


def test_a_report_behind_one_with_children_has_its_own_columns(imported):
    overhead = "# Overhead  Overhead sys  Command  Shared Object  Symbol\n    41.20%  40.10%  srv  srv  [.] lookup\n"
    found, _ = imported(notes=f"# Children      Self  Command  Shared Object      Symbol\n{CHILDREN}\nThe other one:\n\n{overhead}")
    assert reports(found)[1] == {"lookup": 41.2}


C2C = "  Load Operations                   :     611208\n  Load Local HITM                   :     189332\n  Load Remote HITM                  :      47720\n"
SLOTS = "tma_icache_misses 22.1 %\ntma_itlb_misses 14.8 %\n"


@pytest.mark.parametrize("above", [
    "The manual of perf c2c has this example:", "This is the example from the man page:", "An example of its output, from the documentation:",
    "On the wiki somebody shows such output:", "For comparison, the output of a different program, which has false sharing:",
    "A blog shows what false sharing looks like:", "What we hoped to see (made-up numbers):", "On a colleague's machine it looks like this:",
    "For reference, what the compile on the same host looks like:", "perf c2c of the load generator, not of the server:",
    "The same on the old server, which was replaced in March:", "STREAM, just to see that the counters work:", "The first attempt, with the wrong input file:",
    "Before the rewrite (no longer relevant):", "# c2c of the build server (not of our job's machine)", "## Expected", "Next steps:", "**To do**"])
@pytest.mark.parametrize("fence", ["```\n{}```\n", "{}"], ids=["fenced", "bare"])
def test_cache_lines_of_others_decide_nothing(imported, above, fence):
    found, _ = imported(notes=f"Our job takes 9.1 s.\n\n{above}\n\n{fence.format(C2C)}")
    assert finding(found, "contended-lines")["verdict"] != "supported" and found["verdict"]["culprit"] is None
    assert not found["imported"] and "of others" in str(found["statements"])


@pytest.mark.parametrize("above", ["perf c2c of our job:", "An example of a slow request of ours:", "For reference, the same run once more:", "# perf c2c of the server",
                                   "# Expected and measured", "## Results of the plan", "Expected: the job takes 8 s.\n\nWhat we see:", "To do so, we ran perf c2c:"])
def test_cache_lines_of_ones_own_decide(imported, above):
    found, _ = imported(notes=f"Our job takes 9.1 s.\n\n{above}\n\n```\n{C2C}```\n")
    assert finding(found, "contended-lines")["verdict"] == "supported"


MPSTAT = ("02:10:01 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
          "02:10:11 AM  all   51.20    0.00    6.10    0.20    0.00    0.31   41.88    0.00    0.00    0.31\n")
REPORT = "# Overhead  Command  Shared Object      Symbol\n    61.22%  wrk      [kernel.kallsyms]  [k] native_queued_spin_lock_slowpath\n    11.18%  wrk      wrk                [.] parse\n"


VMSTAT = (" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
          "64  0      0 9204112  88120 5523012    0    0     2    61 9144 31220 46  4  0 50  0\n66  0      0 9204112  88120 5523012    0    0     2    61 9144 31220 46  4  0 50  0\n")
TURBOSTAT = ("Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tCoreTmp\tPkgTmp\tPkgWatt\n-\t-\t1990\t99.31\t2012\t2496\t41\t41\t5.01\n"
             "0\t0\t1990\t99.40\t2012\t2496\t40\t41\t5.01\n")
KINDS = {"mpstat": MPSTAT, "report": REPORT, "metrics": SLOTS, "c2c": C2C, "vmstat": VMSTAT, "turbostat": TURBOSTAT, "exits": "@exits[HLT]: 5121\n@exits[MSR_WRITE]: 91\n",
         "psi": "/proc/pressure/cpu:\nsome avg10=61.20 avg60=58.11 avg300=41.00 total=9182123\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
         "counts": " 27,044,118,210      cycles\n  3,201,008,114      branches\n    400,120,331      branch-misses\n\n       9.0 seconds time elapsed\n"}


@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds_of_tables_are_asked_whose_they_are(imported, kind):
    found, _ = imported(notes=f"Our job takes 9.1 s.\n\nThis is of the build server, not of our job's machine:\n\n```\n{KINDS[kind]}```\n\nThat is all.\n")
    assert not found["imported"] and "of others" in str(found["statements"])


@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds_of_tables_of_ones_own_are_read(imported, kind):
    found, _ = imported(notes=f"Our job takes 9.1 s.\n\nThis is of our job's machine:\n\n```\n{KINDS[kind]}```\n\nThat is all.\n")
    assert found["imported"] and "of others" not in str(found["statements"])


@pytest.mark.parametrize("below, counts", [("All numbers are invented.", False), ("Edit: these numbers are from the wrong machine, please ignore.", False),
                                           ("Update: this turned out to be wrong, the runs had different inputs.", False), ("Correction: it was another host.", False),
                                           ("These are of the whole run.", True), ("Update: jemalloc is tested next.", True), ("All have been tested twice.", True), ("This is a lot. Nothing else was measured.", True),
                                           ("None of the other ideas was tried.", True), ("Our first guess turned out to be wrong.", True)])
def test_a_table_that_is_taken_back_decides_nothing(imported, below, counts):
    found, _ = imported(notes=f"Our job takes 9.1 s. This is its profile:\n\n```\n{SLOTS}```\n\n{below}\n")
    assert bool(found["imported"]) == counts


def test_only_the_table_that_is_meant_is_taken_back(imported):
    found, _ = imported(notes=f"The first run:\n\n```\n{C2C}```\n\nThe second run:\n\n```\n{SLOTS}```\n\nNote: this is from the wrong machine.\n")
    assert finding(found, "contended-lines")["verdict"] == "supported" and found["verdict"]["culprit"] != "front-end"


def test_a_section_of_plans_ends_at_the_next_of_its_level(imported):
    found, _ = imported(notes=f"# Notes\n\n## To do\n\nMeasure it:\n\n```\n{SLOTS}```\n\n### Perhaps\n\n```\n{REPORT}```\n\n## What it does\n\n```\n{C2C}```\n")
    assert len(found["imported"]) == 1
    assert finding(found, "contended-lines")["verdict"] == "supported"
