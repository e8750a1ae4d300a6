# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose on counts of windows of a set length, on gaps too small for a bound, and on what is no table of times."""
import json

import pytest
from imported_case import finding


@pytest.fixture
def counted(run, tmp_path):
    """counted(text) -> the JSON of a diagnosis of nothing but that text."""
    def make(text):
        (tmp_path / "text.txt").write_text(text)
        finished = run("diagnose", "--json", "--import", tmp_path / "text.txt")
        assert finished.returncode in (0, 4), finished.stderr
        return json.loads(finished.stdout)
    return make


def stat_of(seconds, whose="process id '4711'", **counts):
    """As perf stat prints it; task_clock in ms."""
    lines = [f" Performance counter stats for {whose}:", ""]
    for name, number in counts.items():
        name = name.replace("__", ".").replace("_clock", "-clock") if name == "task_clock" else name.replace("__", ".").replace("dTLB_load_misses", "dTLB-load-misses")
        lines.append(f"{number:>18,.2f} msec {name}" if name == "task-clock" else f"{number:>18,}      {name}")
    return "\n".join(lines + [f"\n{seconds:>15.9f} seconds time elapsed\n\n"])


def verdicts(found, verdict):
    return {one["id"] for one in found["findings"] if one["verdict"] == verdict}


BUSY = dict(task_clock=47920.1, cycles=134118220330)
SLOW, FAST = dict(BUSY, instructions=88220118330), dict(BUSY, instructions=151118220330)


def windows(slow, fast, seconds=(12.003, 12.004), **more):
    return "earlier:\n\n" + stat_of(seconds[0], **slow, **more) + "later:\n\n" + stat_of(seconds[1], **fast, **more)


def test_windows_of_a_set_length_differ_by_what_is_done_in_them(counted):
    found = counted(windows(SLOW, FAST))
    sentence = found["verdict"]["sentence"]
    assert "the slower one (earlier) executed 41.6 % fewer instructions" in sentence and "0.658 instead of 1.13 instructions for each cycle, at the same clock" in sentence
    assert "CPUs they had in use" not in sentence and not verdicts(found, "supported")
    assert all("not_measured" in run["elapsed_s"] and run["window_s"] == pytest.approx(12, abs=0.01) for run in found["imported_runs"])


@pytest.mark.parametrize("seconds, part", [((12.003, 24.006), "41.6 %"), ((12.003, 6.002), "41.6 %")])
def test_windows_of_other_lengths_are_compared_by_the_second(counted, seconds, part):
    fast = {name: number * seconds[1] / seconds[0] if name == "task_clock" else round(number * seconds[1] / seconds[0]) for name, number in FAST.items()}
    assert f"{part} fewer instructions" in counted(windows(SLOW, fast, seconds))["verdict"]["sentence"]


def test_runs_that_end_by_themselves_are_no_windows(counted):
    found = counted(windows(dict(SLOW, whose="'./replay'"), dict(SLOW, whose="'./replay'", cycles=80118220330), (12.31, 7.42)))
    assert "fewer instructions" not in found["verdict"]["sentence"] and [run["elapsed_s"] for run in found["imported_runs"]] == [12.31, 7.42]


def test_a_clock_or_cpus_that_a_window_lacks_are_told(counted):
    lower = dict(task_clock=47920.1, cycles=101118220330, instructions=114118220330)
    assert "a clock of 2.11 instead of 2.8 GHz" in counted(windows(lower, FAST))["verdict"]["sentence"]
    fewer = dict(task_clock=23960.1, cycles=67118220330, instructions=75618220330)
    assert "2 instead of 3.99 CPUs in use" in counted(windows(fewer, FAST))["verdict"]["sentence"]


def test_times_that_are_equal_are_no_difference(counted):
    runs = windows(dict(SLOW, whose="'./a'"), dict(SLOW, whose="'./b'", cycles=133918220330), (17.3312, 17.3296))
    found = counted(runs)
    assert "differ" not in found["verdict"]["sentence"] and found["effect"] == pytest.approx(0.05)
    assert not verdicts(found, "supported")


def test_what_a_window_has_fewer_of_for_as_much_work(counted):
    """Twelve times as many misses for an instruction; in the twin as many."""
    found = counted(windows(dict(SLOW, dTLB_load_misses=1402118330), dict(FAST, dTLB_load_misses=201118330)))
    pages = finding(found, "small-pages")
    assert pages["verdict"] == "supported" and pages["recoverable_ratio_at_most"] == pytest.approx(0.416, abs=0.005)
    assert "the slower window had" in pages["headline"] and "than the faster one for as many instructions" in pages["headline"]
    found = counted(windows(dict(SLOW, dTLB_load_misses=1402118330), dict(FAST, dTLB_load_misses=2201118330)))
    assert finding(found, "small-pages")["verdict"] != "supported"


def vectors(wide, narrow, **more):
    return "narrow:\n\n" + stat_of(20.004, "'system wide'", core_power__lvl2_turbo_license=0, **narrow, **more) + \
        "wide:\n\n" + stat_of(20.005, "'system wide'", core_power__lvl2_turbo_license=610118220330, **wide, **more)


def test_wide_vectors_in_windows_are_judged_by_the_clock(counted):
    narrow = dict(cycles=1090118220330, instructions=1310118220330)
    found = counted(vectors(dict(cycles=911118220330, instructions=1110118220330), narrow))
    wide = finding(found, "avx512-licence")
    assert wide["verdict"] == "supported" and wide["recoverable_ratio_at_most"] == pytest.approx(0.164, abs=0.005)
    assert "fell by 16.4 %" in wide["headline"] and finding(found, "frequency")["verdict"] != "supported"
    assert not any("other work" in text for text in found["verdict"]["open"])
    # as many cycles in as long a window: nothing fell, and whether it was busy for longer isn't told
    assert finding(counted(vectors(dict(cycles=1088118220330, instructions=1110118220330), narrow)), "avx512-licence")["verdict"] == "undecided"


def test_instructions_that_do_not_go_with_what_is_told_are_no_measure(counted):
    told = "The replay takes {} s with the old build and {} s with the new one.\n\n"
    assert "fewer instructions" in counted(told.format(41.0, 25.1) + windows(SLOW, FAST))["verdict"]["sentence"]
    assert "fewer instructions" not in counted(told.format(41.0, 40.1) + windows(SLOW, FAST))["verdict"]["sentence"]


@pytest.mark.parametrize("told, verdict", [("The new one is about 4% slower.", "undecided"), ("The new one is about 40% slower.", "ruled_out")])
def test_a_bound_that_a_told_gap_fits_into_rules_nothing_out(counted, told, verdict):
    text = told + "\n\n" + stat_of(8.4312, "'./filter'", cycles=30118220330, core_power__lvl2_turbo_license=3518220330)
    licence = finding(counted(text), "avx512-licence")
    assert licence["verdict"] == verdict and "3.9 %" in (licence["reason"] or "") + " ".join(item["text"] for item in licence["evidence"])


@pytest.mark.parametrize("seconds, verdict", [(10.32, "undecided"), (14.9, "ruled_out")])
def test_nor_one_that_timed_runs_differ_by(counted, seconds, verdict):
    text = f"old: 10.02 s\nnew: {seconds} s\n\n" + stat_of(8.4312, "'./filter'", cycles=30118220330, core_power__lvl2_turbo_license=3518220330)
    assert finding(counted(text), "avx512-licence")["verdict"] == verdict


def kinds(found):
    return [table["kind"] for table in found["imported"]]


def test_one_number_alone_is_no_time(counted):
    assert "timed runs" not in kinds(counted("$ grep -c eth0 /proc/interrupts\n7\n"))
    assert "timed runs" in kinds(counted("before:\n\n7.1\n7.3\n7.2\n"))
    assert "timed runs" in kinds(counted("7 s\n"))


def test_a_sentence_that_begins_with_a_share_is_no_listing(counted):
    stat = stat_of(8.4312, "'./filter'", cycles=30118220330, instructions=31118220330)
    assert "perf annotate" not in kinds(counted("22% slower, and only for odd widths of the picture.\n\n" + stat))
    assert "perf annotate" in kinds(counted("22.10%  mov (%rdi),%rax\n 3.10%  add %rax,%rbx\n"))


EXITS = "Exits, 15 seconds, {}\n\n@reason[{}]: 41220\n@reason[1]: 40118\n@reason[32]: {}\n\n"


def test_exit_tables_have_the_names_of_their_sides(counted):
    """The period beside a name is none, and what the slower side alone has comes first."""
    found = counted("The load takes 71.2 s in the TD and 52.0 s in the normal VM.\n\n" + EXITS.format("normal VM", 52, 40220) + EXITS.format("TD", 77, 1))
    reason = finding(found, "vm-exits")["reason"]
    assert "15 seconds" not in reason and reason.startswith("TD alone left 41220 times for reason 77 (TDCALL on Intel), where normal VM left 40220 times")
    assert "normal VM left 41220 times for reason 52" in reason
    found = counted("The load takes 71.2 s in both.\n\n" + EXITS.format("first VM", 52, 40220) + EXITS.format("second VM", 77, 1))
    assert "alone left" not in finding(found, "vm-exits")["reason"]
    found = counted(EXITS.replace("Exits, ", "").replace(", {}", "").format(52, 40220) + EXITS.replace("Exits, ", "").replace(", {}", "").format(77, 1))
    assert "the first table left 41220 times for reason 52" in finding(found, "vm-exits")["reason"], "headings of nothing but a period"


def test_the_size_of_code_says_nothing_of_decoding(counted):
    found = counted("The hot loop is 21 KB of code.\n\n" + stat_of(8.4312, "'./filter'", cycles=30118220330, instructions=31118220330))
    assert finding(found, "uop-cache")["verdict"] == "undecided" and finding(found, "decoding")["verdict"] == "not_testable"
    found = counted("The hot loop is 600 bytes of code.\n\n" + stat_of(8.4312, "'./filter'", cycles=30118220330, instructions=31118220330))
    assert finding(found, "decoding")["verdict"] == "ruled_out"


def test_more_work_is_an_answer(counted):
    more, less = dict(cycles=30118220330, instructions=61118220330), dict(cycles=24118220330, instructions=48118220330)
    found = counted(stat_of(10.3412, "'./render'", **more) + stat_of(8.2912, "'./render'", **less))
    sentence = found["verdict"]["sentence"]
    assert "is the work: the faster one executes 21.3 % fewer instructions" in sentence and "supports no cause for certain" not in sentence
    assert any("perf record -e instructions" in advice for advice in found["verdict"]["advice"])
    found = counted(stat_of(10.3412, "'./render'", **more) + stat_of(8.2912, "'./render'", **dict(less, instructions=61118220330)))
    assert "is the work" not in found["verdict"]["sentence"] and "perf record -e instructions" not in str(found["verdict"]["advice"])


def test_memory_elsewhere_goes_with_fewer_instructions_for_a_cycle(counted):
    nodes = ("\n# numastat -p 812\n\nPer-node process memory usage (in MBs) for PID 812 (qemu-system-x86)\n"
             "                           Node 0          Node 1           Total\n                  --------------- --------------- ---------------\n"
             "Private                    210.11        30190.10        30400.21\n----------------  --------------- --------------- ---------------\n"
             "Total                      210.11        30190.10        30400.21\n")
    sentence = counted(windows(SLOW, FAST) + nodes)["verdict"]["sentence"]
    assert "Memory on another node may be why" in sentence
    lower = dict(task_clock=47920.1, cycles=101118220330, instructions=114118220330)
    assert "may be why" not in counted(windows(lower, FAST) + nodes)["verdict"]["sentence"]


@pytest.mark.parametrize("amounts, least, most, of", [("2.8 cores instead of 5", 0.43, 0.45, "CPU time"), ("2.8 s instead of 5 s", 0.37, 0.51, "elapsed time")])
def test_cores_in_use_are_cpu_time_and_whole_ones_exact(counted, amounts, least, most, of):
    gc = finding(counted(f"With GOGC=400 it needs {amounts} for the same load.\n"), "garbage-collection")
    assert gc["verdict"] == "supported" and gc["of"] == of
    assert gc["recoverable_ratio"] == {"low": pytest.approx(least, abs=0.015), "mid": pytest.approx(0.44), "high": pytest.approx(most, abs=0.015)}


def test_windows_say_how_often_they_left_a_cpu_for_as_much_work(counted):
    fewer = dict(task_clock=23960.1, cycles=67118220330, instructions=75618220330)
    many, few = {"context-switches": 3110220}, {"context-switches": 402118}
    assert "the other 201216 for as many instructions" in counted(windows(dict(fewer, **many), dict(FAST, **few)))["verdict"]["sentence"]
    assert "it left a CPU" not in counted(windows(dict(fewer, **few), dict(FAST, **few)))["verdict"]["sentence"]


@pytest.mark.parametrize("heading, label", [("bad node:", "bad node"), ("Counted in the guest for a while, bad node:", "bad node"), ("Here the whole story of the bad node is told at length:", ""), ("bad node", "")])
def test_a_short_heading_names_a_window(counted, heading, label):
    found = counted(f"{heading}\n\n" + stat_of(12.003, **SLOW) + "good node:\n\n" + stat_of(12.004, **FAST))
    assert [table["label"] for table in found["imported"]] == [label, "good node"]
    assert (f"the slower one ({label}) executed" if label else "the slower one executed") in found["verdict"]["sentence"]
