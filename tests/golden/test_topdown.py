# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb topdown --from: the tree out of what other tools counted or computed."""
import json
import random
import re
import shlex

import pytest

# counts of a program on Sapphire Rapids: event, count
SPR_COUNTS = {
    "TOPDOWN.SLOTS": 6e9, "topdown-retiring": 0.6e9, "topdown-bad-spec": 0.3e9, "topdown-fe-bound": 0.6e9, "topdown-be-bound": 4.5e9,
    "topdown-mem-bound": 3.9e9, "topdown-heavy-ops": 0.06e9, "topdown-br-mispredict": 0.2e9, "topdown-fetch-lat": 0.3e9,
    "INT_MISC.UOP_DROPPING": 0, "CPU_CLK_UNHALTED.THREAD": 1e9, "CPU_CLK_UNHALTED.REF_TSC": 0.8e9, "INST_RETIRED.ANY": 0.5e9,
    "MEMORY_ACTIVITY.STALLS_L3_MISS": 0.55e9, "MEMORY_ACTIVITY.STALLS_L2_MISS": 0.6e9, "MEMORY_ACTIVITY.STALLS_L1D_MISS": 0.62e9,
    "EXE_ACTIVITY.BOUND_ON_LOADS": 0.64e9, "EXE_ACTIVITY.BOUND_ON_STORES": 0.01e9,
    "cpu/event=0x20,umask=0x8,cmask=0xc/": 0.3e9, "OFFCORE_REQUESTS_OUTSTANDING.CYCLES_WITH_DATA_RD": 0.56e9,
    "mem_load_l3_miss_retired.local_dram": 3e6, "mem_load_retired.fb_hit": 1e6, "mem_load_retired.l1_miss": 4e6,
}
EXPECTED = {  # percent, by the published formulas
    "Frontend_Bound": 10, "Backend_Bound": 75, "Bad_Speculation": 5, "Retiring": 10, "Backend_Bound.Memory_Bound": 65,
    "Backend_Bound.Core_Bound": 10, "Frontend_Bound.Fetch_Latency": 5, "Retiring.Heavy_Operations": 1,
    "Backend_Bound.Memory_Bound.L3_Miss_Bound": 55, "Backend_Bound.Memory_Bound.L3_Bound": 5, "Backend_Bound.Memory_Bound.L2_Bound": 2,
    "Backend_Bound.Memory_Bound.L1_Bound": 2, "Backend_Bound.Memory_Bound.Store_Bound": 1,
    "Backend_Bound.Memory_Bound.L3_Miss_Bound.MEM_Latency": 26,
    # (109 - 37) ns * 2.5 GHz * 3e6 * (1 + 0.25 / 2) / 1e9 cycles
    "Backend_Bound.Memory_Bound.L3_Miss_Bound.MEM_Latency.Local_MEM": 60.75,
}


def separated(counts):
    return "".join(f"{count:.0f},,{name},1000000000,100.00,,\n" for name, count in counts.items())


def as_json(counts):
    return "".join(json.dumps({"counter-value": f"{count:.6f}", "unit": "", "event": name, "event-runtime": 1, "pcnt-running": 100.0}) + "\n"
                   for name, count in counts.items())


def as_text(counts):
    rows = "".join(f"{count:20,.0f}      {name}\n" for name, count in counts.items())
    return f"\n Performance counter stats for 'x':\n\n{rows}\n       2.000000000 seconds time elapsed\n\n"


@pytest.fixture
def tree(run, tmp_path):
    def made(text, *arguments, cpu="SPR"):
        path = tmp_path / "counts"
        path.write_text(text)
        done = run("topdown", "--from", str(path), "--cpu", cpu, "--json", *arguments)
        assert done.returncode in (0, 4), done.stderr
        document = json.loads(done.stdout)
        return document, {node["path"]: node for node in document["nodes"]}
    return made


@pytest.mark.parametrize("form", [separated, as_json, as_text])
def test_counts_become_the_tree_that_the_formulas_say(tree, form):
    document, nodes = tree(form(SPR_COUNTS), "--seconds", "2", "--tsc-hz", "2e9")
    for path, percent in EXPECTED.items():
        assert nodes[path]["value"] == pytest.approx(percent, rel=1e-9), path
        assert nodes[path]["unit"] == "%"
    assert nodes["Info_System_Core_Frequency"]["value"] == pytest.approx(2.5)
    assert nodes["Info_Thread_IPC"]["value"] == pytest.approx(0.5)
    assert nodes["Backend_Bound"]["threshold"] == "flagged" and nodes["Frontend_Bound"]["threshold"] == "not flagged"
    assert nodes["Backend_Bound.Memory_Bound"]["quality"] == "exact"
    assert nodes["Backend_Bound.Memory_Bound.L3_Miss_Bound.MEM_Latency.Local_MEM"]["quality"] == "estimate"
    assert "arith.div_active" in nodes["Backend_Bound.Core_Bound.Divider"]["value"]["not_measured"]
    # 109 ns are for each of the loads, so their shares may pass what they are parts of
    assert document["leaf"].startswith("Backend_Bound.Memory_Bound.L3_Miss_Bound")


def test_names_in_every_spelling_are_the_same_event(tree):
    spelt = {"slots": "TOPDOWN.SLOTS", "cycles": "CPU_CLK_UNHALTED.THREAD", "instructions": "INST_RETIRED.ANY",
             "ref-cycles": "CPU_CLK_UNHALTED.REF_TSC", "cpu/event=0xa6,umask=0x40,cmask=2/": None,
             "memory_activity.stalls_l3_miss": "MEMORY_ACTIVITY.STALLS_L3_MISS", "cpu/event=0x47,umask=0x5,cmask=5/": "MEMORY_ACTIVITY.STALLS_L2_MISS"}
    counts = dict(SPR_COUNTS)
    for other, name in spelt.items():
        if name:
            counts[other] = counts.pop(name)
    _, nodes = tree(separated(counts))
    for path in ("Backend_Bound.Memory_Bound.L3_Miss_Bound", "Backend_Bound.Memory_Bound.L3_Bound", "Backend_Bound"):
        assert nodes[path]["value"] == pytest.approx(EXPECTED[path]), path
    assert nodes["Info_Thread_IPC"]["value"] == pytest.approx(0.5)


@pytest.mark.parametrize("cpu, instructions, cycles", [
    ("SPR", "cpu_core/instructions/", "cpu/cycles/u"), ("SPR", "rc0", "r003c:u"), ("SPR", "cpu/rc0/", "cpu/config=0x3c/"),
    ("SPR", "cpu/event=0xc0,period=2000003,name=x/", "cpu-cycles:G"), ("ZEN4", "rc0", "r76"), ("NEOVERSE-V2", "r8", "r11")])
def test_other_spellings(tree, cpu, instructions, cycles):
    _, nodes = tree(separated({instructions: 5e8, cycles: 1e9}), cpu=cpu)
    (ipc,) = [node for path, node in nodes.items() if path.endswith("IPC") and "Core" not in path]
    assert ipc["value"] == pytest.approx(0.5)


@pytest.mark.parametrize("instructions, cycles", [("cpu_atom/instructions/", "cpu_atom/cycles/"), ("instructions:k", "cycles:k")])
def test_a_part_is_not_taken_for_the_whole(tree, instructions, cycles):
    document, nodes = tree(separated({instructions: 5e8, cycles: 1e9}))
    assert isinstance(nodes["Info_Thread_IPC"]["value"], dict)


def test_user_code_is_said_to_be(tree):
    document, nodes = tree(separated({"instructions:u": 5e8, "cycles:u": 1e9}))
    assert nodes["Info_Thread_IPC"]["value"] == pytest.approx(0.5) and any("only user code" in note for note in document["notes"])


METRICS_ONLY = [
    "\n Performance counter stats for 'system wide':\n\n %  tma_backend_bound  %  tma_bad_speculation  %  tma_frontend_bound  %  tma_retiring \n"
    "                 25.0                   12.0                   43.0                   20.0 \n\n       1.000968464 seconds time elapsed\n",
    "                 retiring      bad speculation       frontend bound        backend bound\n"
    "S0-D0-C0     2              20.0%                12.0%                43.0%                25.0% \n",
    "%  tma_backend_bound,%  tma_bad_speculation,%  tma_frontend_bound,%  tma_retiring,\n25.0,12.0,43.0,20.0,\n",
    '{"%  tma_backend_bound" : "25.0", "%  tma_bad_speculation" : "12.0", "%  tma_frontend_bound" : "43.0", "%  tma_retiring" : "20.0"}\n',
    "#           time %  tma_backend_bound %  tma_bad_speculation %  tma_frontend_bound %  tma_retiring\n     1.000105001   25.0  12.0  43.0  20.0\n"]


@pytest.mark.parametrize("text", METRICS_ONLY)
def test_metrics_without_counts_are_read_by_their_heading(tree, text):
    _, nodes = tree(text)
    assert [nodes[name]["value"] for name in ("Backend_Bound", "Bad_Speculation", "Frontend_Bound", "Retiring")] == [25, 12, 43, 20]


def test_a_file_cut_off_is_said_to_be(tree, run, tmp_path):
    whole = as_json(SPR_COUNTS)
    for text in (whole[:-40], "[\n" + ",\n".join(whole.splitlines())[:-40]):
        document, nodes = tree(text)
        assert any("cut off" in note for note in document["notes"]), document["notes"]
        assert nodes["Backend_Bound"]["value"] == pytest.approx(75)
    assert not any("cut off" in note for note in tree("[\n" + ",\n".join(whole.splitlines()) + "\n]\n")[0]["notes"])
    (tmp_path / "binary").write_bytes(b"1,,cycles,1,100\n\0\0")
    done = run("topdown", "--from", str(tmp_path / "binary"), "--cpu", "SPR")
    assert done.returncode == 1 and "it is no text" in done.stderr


def test_a_document_around_counts_is_not_cut_off_json(tree):
    text = as_text(SPR_COUNTS)
    document, nodes = tree("Measured on a quiet machine.\n{all of it in one go}\n[1] see the annex\n" + text)
    assert nodes["Backend_Bound"]["value"] == pytest.approx(75)
    assert not any("JSON" in note for note in document["notes"]), document["notes"]


def test_what_perf_could_not_count_is_not_zero(tree):
    text = separated({"CPU_CLK_UNHALTED.THREAD": 1e9}) + "<not counted>,,MEMORY_ACTIVITY.STALLS_L3_MISS,0,0.00,,\n"
    _, nodes = tree(text)
    assert "stalls_l3_miss" in nodes["Backend_Bound.Memory_Bound.L3_Miss_Bound"]["value"]["not_measured"]
    assert nodes["Backend_Bound.Memory_Bound.L3_Miss_Bound"]["threshold"] == "undecided"
    _, nodes = tree(separated(SPR_COUNTS))  # no time, no frequency: what needs them says so
    assert isinstance(nodes["Backend_Bound.Memory_Bound.L3_Miss_Bound.MEM_Latency.Local_MEM"]["value"], dict)


def test_multiplexed_counts_are_called_scaled(tree):
    text = separated(SPR_COUNTS).replace("CPU_CLK_UNHALTED.THREAD,1000000000,100.00", "CPU_CLK_UNHALTED.THREAD,400000000,40.00")
    _, nodes = tree(text)
    node = nodes["Backend_Bound.Memory_Bound.L3_Miss_Bound"]
    assert node["quality"] == "scaled" and node["running_ratio"] == pytest.approx(0.4)
    assert nodes["Backend_Bound"]["quality"] == "exact"


def test_cpus_and_intervals_are_added_up(tree):
    lines = "".join(f"     {second}.000100000,S{socket},1,{count / 4:.0f},,{name},1,100.00,,\n"
                    for second in (1, 2) for socket in (0, 1) for name, count in SPR_COUNTS.items())
    document, nodes = tree(lines)
    assert nodes["Info_Inst_Mix_Instructions"]["value"] == pytest.approx(0.5e9)
    assert nodes["Info_System_Time"]["value"] == pytest.approx(2.0001)
    assert any("2 intervals" in note for note in document["notes"])


def test_smt_and_latencies_may_be_rows(tree):
    counts = {"CPU_CLK_UNHALTED.THREAD": 1e9, "CPU_CLK_UNHALTED.DISTRIBUTED": 0.5e9, "EXE.AMX_BUSY": 0.25e9, "smt_on": 1, "duration_time": 2e9,
              "mem_inst_retired.lock_loads": 1e6, "mem_inst_retired.lock_loads:R": 100}
    _, nodes = tree(separated(counts), cpu="GNR")
    assert nodes["Backend_Bound.Core_Bound.AMX_Busy"]["value"] == pytest.approx(50)
    assert nodes["Backend_Bound.Memory_Bound.L1_Bound.Lock_Latency"]["value"] == pytest.approx(10)
    assert nodes["Info_System_Time"]["value"] == pytest.approx(2)
    del counts["mem_inst_retired.lock_loads:R"]
    _, nodes = tree(separated(counts), cpu="GNR")
    assert nodes["Backend_Bound.Memory_Bound.L1_Bound.Lock_Latency"]["quality"] == "default latency"
    _, nodes = tree(separated({name: count for name, count in counts.items() if name != "smt_on"}), "--smt", "off", cpu="GNR")
    assert nodes["Backend_Bound.Core_Bound.AMX_Busy"]["value"] == pytest.approx(25)


SEED = """
| Metric            | Percentage | Description              |
| TopdownL1         |      88.8% | tma_backend_bound        |
|                   |       1.2% | tma_bad_speculation      |
|                   |       4.3% | tma_frontend_bound       |
|                   |       5.7% | tma_retiring             |
| TopdownL2         |      13.3% | tma_core_bound           |
|                   |      75.5% | tma_memory_bound         |
| tma_dram_bound         | 66.5 %     |
| tma_l3_bound           | 5.0 %      |
| tma_mem_bandwidth | 72.6 %     |
| tma_mem_latency   | 4.3 %      |
"""


def test_tables_that_perf_printed_reach_the_leaf(run, tree, tmp_path):
    document, nodes = tree(SEED)
    leaf = "Backend_Bound.Memory_Bound.L3_Miss_Bound.MEM_Bandwidth"
    assert document["leaf"] == leaf and nodes[leaf]["value"] == 72.6 and nodes[leaf]["quality"] == "reported"
    assert document["sample_of"] == "L3_Miss_Bound" and document["sample"] == "mem_load_retired.l3_miss"
    assert any("76.9 %" in note and "66.5 %" in note and "overlap" in note for note in document["notes"])
    assert any("tma_dram_bound is L3_Miss_Bound" in note for note in document["notes"])
    text = run("topdown", "--from", str(tmp_path / "counts"), "--cpu", "SPR").stdout
    assert re.search(r"MEM_Bandwidth +72\.6 % .*the leaf", text) and "4_0" not in text


def test_toplev_csv_is_read(tree):
    text = ("# 5.0-full-perf on CPU [spr]\nCPUs,Area,Value,Unit,Description,Sample,Stddev,Multiplex,Bottleneck,Idle\n"
            "C0,Backend_Bound,88.8,% Slots,words,,0.0,100.0,,\nC0,Backend_Bound.Memory_Bound,75.5,% Slots,words,,0.0,50.0,<==,\n")
    document, nodes = tree(text)
    assert nodes["Backend_Bound.Memory_Bound"]["value"] == 75.5 and document["leaf"] == "Backend_Bound.Memory_Bound"
    assert "toplev" in document["origin"]


def test_toplev_csv_with_a_column_for_each_cpu_is_read(tree):
    text = ("Timestamp,Area,Node,C0-T0,C1-T0,Description,Sample,Stddev,Multiplex\n1.0,BE,Backend_Bound,88.8,88.8,\"words, more\",,0.0,100.0\n"
            "1.0,BE/Mem,Backend_Bound.Memory_Bound,75.5,74.5,,,0.0,50.0\n")
    document, nodes = tree(text)
    assert nodes["Backend_Bound"]["value"] == 88.8 and nodes["Backend_Bound.Memory_Bound"]["value"] == 74.5
    assert any("several times (CPUs" in note for note in document["notes"])


def test_zen_and_arm(tree):
    _, nodes = tree(separated({"ls_not_halted_cyc": 1e9, "ex_ret_ops": 3e9, "de_src_op_disp.all": 3.6e9,
                               "de_no_dispatch_per_slot.backend_stalls": 1.2e9, "ex_no_retire.load_not_complete": 1, "ex_no_retire.not_complete": 0}), cpu="ZEN4")
    assert nodes["Retiring"]["value"] == pytest.approx(50) and nodes["Bad_Speculation"]["value"] == pytest.approx(10)
    assert "nothing to divide by" in nodes["Backend_Bound.Backend_Bound_Memory"]["value"]["not_measured"]
    _, nodes = tree(separated({"cpu_cycles": 1e9, "stall_frontend": 2e8, "stall_backend": 3e8, "inst_retired": 1e9}), cpu="NEOVERSE-N1")
    assert nodes["Stalled_Backend"]["value"] == pytest.approx(30) and "Backend_Bound" not in nodes


def test_ill_input_is_said_to_be(run, tmp_path, tree):
    path = tmp_path / "nothing"
    path.write_text("hello\nworld\n")
    done = run("topdown", "--from", str(path), "--cpu", "SPR")
    assert done.returncode == 1 and "no counts" in done.stderr
    done = run("topdown", "--from", str(tmp_path / "absent"), "--cpu", "SPR")
    assert done.returncode == 1 and "absent" in done.stderr
    assert run("topdown").returncode == 2
    assert run("topdown", "--from", str(path), "--smt", "maybe").returncode == 2
    _, nodes = tree(separated({**SPR_COUNTS, "MEMORY_ACTIVITY.STALLS_L3_MISS": 3e9}))  # more than all cycles
    node = nodes["Backend_Bound.Memory_Bound.L3_Miss_Bound"]
    assert node["quality"] == "suspect" and node["threshold"] == "undecided"
    path.write_text(separated({"page-faults": 12}))
    done = run("topdown", "--from", str(path), "--cpu", "SPR")
    assert done.returncode == 4 and "page-faults" in done.stdout


def runs_of(counts):
    """The counts as two runs made them: the second lasted 1.3 times as long; cycles were counted in both."""
    names = list(counts)
    first, second = names[:9], names[9:]
    cycles = "CPU_CLK_UNHALTED.THREAD"
    return [{name: counts[name] for name in dict.fromkeys([cycles] + first) if name in counts},
            {name: counts[name] * 1.3 for name in dict.fromkeys([cycles] + second)}]


@pytest.mark.parametrize("form, between", [(separated, "# started on now\n\n"), (separated, ""), (as_json, ""), (as_text, "")])
def test_runs_of_several_groups_are_put_on_one_scale(tree, form, between):
    document, nodes = tree(between.join(form(counts) for counts in runs_of(SPR_COUNTS)), "--seconds", "2", "--tsc-hz", "2e9")
    for path, percent in EXPECTED.items():
        assert nodes[path]["value"] == pytest.approx(percent, rel=1e-9), path
    assert any("2 runs or groups" in note for note in document["notes"])
    assert not any("disagree" in note for note in document["notes"])
    assert nodes["Backend_Bound.Memory_Bound.L3_Miss_Bound"]["quality"] == "exact"  # cycles are in the same run
    assert nodes["Backend_Bound.Memory_Bound"]["quality"] == "exact"


def test_values_of_several_runs_are_marked_and_disagreeing_runs_are_told(tree):
    first = {"cycles": 1e9, "instructions": 1e9, "EXE_ACTIVITY.BOUND_ON_LOADS": 5e8}
    second = {"cycles": 2e9, "instructions": 1.5e9, "MEMORY_ACTIVITY.STALLS_L1D_MISS": 4e8}
    document, nodes = tree(separated(first) + separated(second))
    node = nodes["Backend_Bound.Memory_Bound.L1_Bound"]
    assert node["quality"] == "cross-group" and node["value"] == pytest.approx(30)
    assert any("passes disagree: instructions differ by 40.0 %" in note for note in document["notes"])
    document, _ = tree(separated({"slots": 1e9, "topdown-retiring": 1}) + separated({"slots": 0, "branches": 5}))
    assert any("no event in common" in note for note in document["notes"])


def test_text_of_places_and_intervals_is_read(tree):
    rows = "".join(f"     {second}.000100000 S{socket}        1  {count / 4:20,.0f}      {name}   # words\n"
                   for second in (1, 2) for socket in (0, 1) for name, count in SPR_COUNTS.items())
    document, nodes = tree("#           time socket cpus             counts unit events\n" + rows)
    assert nodes["Info_Inst_Mix_Instructions"]["value"] == pytest.approx(0.5e9)
    assert nodes["Info_System_Time"]["value"] == pytest.approx(2.0001)
    for path in ("Backend_Bound", "Backend_Bound.Memory_Bound.L3_Miss_Bound"):
        assert nodes[path]["value"] == pytest.approx(EXPECTED[path]), path
    assert not any("runs or groups" in note for note in document["notes"])


def test_uncore_units_are_added_and_another_name_is_not(tree):
    counts = {"uncore_imc_0/event=0x5,umask=0xcf/": 1e6, "uncore_imc_1/event=0x5,umask=0xcf/": 3e6, "cycles": 1e9, "cpu-cycles": 1e9,
              "INST_RETIRED.ANY": 2e9, "instructions": 2e9}
    _, nodes = tree(separated(counts))
    assert nodes["Info_Thread_IPC"]["value"] == pytest.approx(2)
    assert nodes["Info_Inst_Mix_Instructions"]["value"] == pytest.approx(2e9)


CPUS = ["SKX", "CLX", "ICX", "SPR", "EMR", "GNR", "ZEN4", "ZEN5", "NEOVERSE-N1", "0x410fd490", "0x410fd493", "NEOVERSE-V1", "NEOVERSE-V2",
        "NEOVERSE-V3"]


def perf_runs(run, cpu, *arguments):
    done = run("topdown", "--print-perf", "--json", "--cpu", cpu, *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def counted(plan, seed):
    """A count for each event of the runs, and how long each run was beside the first."""
    random_numbers = random.Random(seed)
    spellings = dict.fromkeys(event["spelling"] for each in plan["runs"] for event in each["events"])
    return {spelling: random_numbers.randrange(10**5, 10**9) for spelling in spellings}, random_numbers


@pytest.mark.parametrize("form", [separated, as_json, as_text])
@pytest.mark.parametrize("cpu", CPUS)
def test_what_the_printed_commands_collect_is_the_whole_tree(run, tree, cpu, form):
    plan = perf_runs(run, cpu, "-l", "6", "--all", "--smt", "on")
    counts, _ = counted(plan, cpu)
    ways = ("--smt", "on", "--tsc-hz", "2e9", "--seconds", "2")
    names = {event["name"]: counts[event["spelling"]] for each in plan["runs"] for event in each["events"]}
    _, direct = tree(separated(names), *ways, cpu=cpu)
    collected = "".join(form({event["spelling"]: counts[event["spelling"]] for event in each["events"]}) for each in plan["runs"])
    document, nodes = tree(collected, *ways, cpu=cpu)
    assert not any("not used by any metric" in note for note in document["notes"])
    known = {path: node["value"] for path, node in direct.items() if not isinstance(node["value"], dict)}
    levels = [node for node in direct.values() if node["level"]]
    assert len(levels) >= 2 and all(node["path"] in known for node in levels), [node["path"] for node in levels if node["path"] not in known]
    for path, value in known.items():
        assert nodes[path]["value"] == pytest.approx(value, rel=1e-9, abs=1e-9), path


@pytest.mark.parametrize("cpu", CPUS)
def test_runs_that_lasted_differently_give_the_same_shares(run, tree, cpu):
    plan = perf_runs(run, cpu, "-l", "6", "--smt", "off")
    counts, random_numbers = counted(plan, cpu)
    ways = ("--smt", "off", "--tsc-hz", "2e9", "--seconds", "2")
    _, even = tree("".join(separated({event["spelling"]: counts[event["spelling"]] for event in each["events"]}) for each in plan["runs"]), *ways, cpu=cpu)
    longer = []
    for each in plan["runs"]:
        factor = random_numbers.uniform(0.7, 1.5)
        longer.append("# started on now\n\n" + "".join(f"{counts[event['spelling']] * factor:.6f},,{event['spelling']},1000,100.00,,\n" for event in each["events"]))
    _, nodes = tree("".join(longer), *ways, cpu=cpu)
    for path, node in even.items():
        if node["level"] and not isinstance(node["value"], dict):
            assert nodes[path]["value"] == pytest.approx(node["value"], rel=1e-6, abs=1e-6), path


def test_printed_commands_are_exact_lines(run):
    done = run("topdown", "--print-perf", "--cpu", "SPR", "--", "./my prog", "it's", "-v")
    (line,) = [line for line in done.stdout.splitlines() if not line.startswith("#")]
    words = shlex.split(line)
    assert words[:6] == ["perf", "stat", "-x,", "-o", "plumb-counts.csv", "-e"] and words[-3:] == ["./my prog", "it's", "-v"]
    assert words[6].startswith("{slots,topdown-retiring,") and "cpu/event=0xad,umask=0x10/" in words[6] and words[6].endswith("}")
    assert words[words.index("-e", 7) + 1] == "duration_time" and "--" in words
    done = run("topdown", "--print-perf", "--cpu", "SPR", "-l", "3")
    lines = [line for line in done.stdout.splitlines() if line.startswith("perf stat")]
    assert 1 < len(lines) <= 8 and sum("--append" in line for line in lines) == len(lines) - 1
    assert "plumb topdown --from plumb-counts.csv --cpu SPR --smt on|off -l 3" in done.stdout
    assert run("topdown", "--print-perf", "--from", "x").returncode == 2
    assert run("topdown", "--print-perf", "--cpu", "nothing").returncode == 1


@pytest.mark.parametrize("target, words, command", [
    (["-p", "12,13"], ["-p", "12,13"], ["sleep", "10"]),
    (["-t", "14", "--duration", "2.5"], ["-t", "14"], ["sleep", "2.5"]),
    (["-a"], ["-a"], ["sleep", "10"]),
    (["-C", "0-3", "--", "prog", "x"], ["-C", "0-3"], ["prog", "x"]),
    (["-a", "--", "prog"], ["-a"], ["prog"]),
])
def test_print_perf_says_whom_to_count(run, target, words, command):
    done = run("topdown", "--print-perf", "--cpu", "CLX", "--smt", "on", *target)
    lines = [shlex.split(line) for line in done.stdout.splitlines() if line.startswith("perf stat")]
    assert len(lines) == 4
    for line in lines:
        before = line[:line.index("-e")]
        assert before[-len(words):] == words and before.count("-a") == words.count("-a"), line
        assert line[line.index("--") + 1:] == command, line


def test_print_perf_counts_memory_controllers_everywhere(run):
    lines = [shlex.split(line) for line in run("topdown", "--print-perf", "--cpu", "SPR", "--all", "-p", "7").stdout.splitlines() if line.startswith("perf stat")]
    everywhere = [line for line in lines if any("uncore" in word for word in line)]
    assert everywhere and all("-a" in line and "-p" not in line for line in everywhere)
    assert all("-p" in line and "-a" not in line for line in lines if line not in everywhere)


@pytest.mark.parametrize("words", [["-p", "1", "-a"], ["--duration", "3"], ["-a", "--duration", "3", "--", "prog"]])
def test_print_perf_takes_one_target_and_a_duration_of_it(run, words):
    assert run("topdown", "--print-perf", "--cpu", "SPR", *words).returncode == 2


def test_what_isnt_counted_is_said(run):
    plan = perf_runs(run, "GNR", "-l", "6")
    assert any("published mean" in remark["why"] for remark in plan["remarks"])
    assert "any=0x1" not in json.dumps(perf_runs(run, "SKX", "--smt", "off")) and "any=0x1" in json.dumps(perf_runs(run, "SKX", "--smt", "on"))


def test_arm_slots_are_the_models_where_nobody_says(tree):
    counts = {"cpu_cycles": 1e9, "stall_slot_backend": 4e9, "br_mis_pred": 0, "stall_slot": 4e9, "op_retired": 1e9, "op_spec": 1e9}
    assert tree(separated(counts), cpu="NEOVERSE-V1")[1]["Backend_Bound"]["value"] == pytest.approx(50)
    assert tree(separated({**counts, "slots_per_cycle": 5}), cpu="NEOVERSE-V1")[1]["Backend_Bound"]["value"] == pytest.approx(80)


def test_a_revision_that_isnt_said_is_no_guess(tree):
    counts = {"cpu_cycles": 1e9, "stall_slot_frontend": 3e9, "br_mis_pred": 0, "stall_slot": 4e9, "op_retired": 1e9, "op_spec": 1e9}
    frontend = {cpu: tree(separated(counts), cpu=cpu)[1]["Frontend_Bound"]["value"] for cpu in ("NEOVERSE-N2", "0x410fd490", "0x410fd493", "0x411fd490")}
    assert "revision" in frontend["NEOVERSE-N2"]["not_measured"] and "0x410fd493" in frontend["NEOVERSE-N2"]["not_measured"]
    assert frontend["0x410fd490"] == pytest.approx(40) and frontend["0x410fd493"] == frontend["0x411fd490"] == pytest.approx(60)


# Counts and values that perf printed side by side, published by others: CPU, what perf printed, values by path.
# Kernel mailing list, 2021, "perf stat: Add Topdown metrics L2 events as default events" (Sapphire Rapids).
LIST_SPR = """
         8,431,908      slots                     #   14.223 G/sec
         1,554,116      topdown-retiring          #     18.4% retiring
         1,289,585      topdown-bad-spec          #     15.2% bad speculation
         2,810,636      topdown-fe-bound          #     33.2% frontend bound
         2,810,636      topdown-be-bound          #     33.2% backend bound
           231,464      topdown-heavy-ops         #      2.7% heavy operations       #     15.6% light operations
         1,223,453      topdown-br-mispredict     #     14.5% branch mispredict      #      0.8% machine clears
         1,884,779      topdown-fetch-lat         #     22.3% fetch latency          #     10.9% fetch bandwidth
         1,454,917      topdown-mem-bound         #     17.2% memory bound           #     16.0% Core bound
"""
LIST_SPR_VALUES = {
    "Retiring": "18.4", "Bad_Speculation": "15.2", "Frontend_Bound": "33.2", "Backend_Bound": "33.2", "Retiring.Heavy_Operations": "2.7",
    "Retiring.Light_Operations": "15.6", "Bad_Speculation.Branch_Mispredicts": "14.5", "Bad_Speculation.Machine_Clears": "0.8",
    "Frontend_Bound.Fetch_Latency": "22.3", "Frontend_Bound.Fetch_Bandwidth": "10.9", "Backend_Bound.Memory_Bound": "17.2",
    "Backend_Bound.Core_Bound": "16.0"}
# Linux tools/perf/Documentation/topdown.txt of 2020, an Ice Lake's first second (later ones divide by slots that aren't printed).
KERNEL_ICX = [
    ("1.000373951", {"topdown-retiring": 8460978609, "topdown-bad-spec": 3445383303, "topdown-fe-bound": 15886483355, "topdown-be-bound": 9163488720},
     {"Retiring": "22.9", "Bad_Speculation": "9.3", "Frontend_Bound": "43.0", "Backend_Bound": "24.8"})]
# Zen 4, perf stat -M PipelineL1, as two projects' notes on the web have it; the second repeats cycles in each group.
ZEN4 = [
    ({"de_src_op_disp.all": 62366721033, "ls_not_halted_cyc": 30857165236, "ex_ret_ops": 62341441785,
      "de_no_dispatch_per_slot.no_ops_from_frontend": 120535278946, "de_no_dispatch_per_slot.backend_stalls": 2266091111},
     {"Bad_Speculation": "0.0", "Retiring": "33.7", "Frontend_Bound": "65.1", "Backend_Bound": "1.2"}),
    ({"de_src_op_disp.all": 219730483625, "ls_not_halted_cyc": 44116386583, "ex_ret_ops": 214351198437,
      "de_no_dispatch_per_slot.smt_contention": 0, "de_no_dispatch_per_slot.no_ops_from_frontend": 5543991665,
      "de_no_dispatch_per_slot.backend_stalls": 39403115284},
     {"Bad_Speculation": "2.0", "Retiring": "81.0", "Smt_Contention": "0.0", "Frontend_Bound": "2.1", "Backend_Bound": "14.9"}),
    ({"ex_ret_brn_misp": 21958894, "de_src_op_disp.all": 20284275971, "resyncs_or_nc_redirects": 51318, "ls_not_halted_cyc": 4895089444,
      "ex_ret_ops": 18657737631, "ex_no_retire.load_not_complete": 681847357, "de_no_dispatch_per_slot.backend_stalls": 3602363546,
      "ex_no_retire.not_complete": 1068036530},
     {"Bad_Speculation": "5.5", "Bad_Speculation.Bad_Speculation_Mispredicts": "5.5", "Bad_Speculation.Bad_Speculation_Pipeline_Restarts": "0.0",
      "Retiring": "63.5", "Backend_Bound": "12.3", "Backend_Bound.Backend_Bound_Cpu": "4.4", "Backend_Bound.Backend_Bound_Memory": "7.8"})]


def printed(nodes, values):
    return {path: f"{nodes[path]['value']:.1f}" for path in values}


def test_published_counts_give_the_published_digits(tree):
    dropped = "                 0      INT_MISC.UOP_DROPPING\n"
    assert printed(tree(LIST_SPR + dropped)[1], LIST_SPR_VALUES) == LIST_SPR_VALUES
    for time, counts, values in KERNEL_ICX:
        lines = "".join(f"     {time} {count:18,}      {name}\n" for name, count in [("slots", sum(counts.values())), *counts.items()])
        # what later formulas correct by, and wasn't counted then
        lines += "".join(f"     {time} {0:18,}      {name}\n" for name in ("INT_MISC.UOP_DROPPING", "cpu/event=0xd,umask=0x1,cmask=0x1,edge=0x1/"))
        assert printed(tree(lines, cpu="ICX")[1], values) == values
    for counts, values in ZEN4:
        assert printed(tree(as_text(counts), cpu="ZEN4")[1], values) == values


def test_the_seeds_table_comes_out_as_it_went_in(tree):
    _, nodes = tree(SEED)
    assert len(re.findall("tma_", SEED)) == 10
    for value, name in re.findall(r"([\d.]+)% \| tma_(\w+)", SEED):
        (node,) = [node for node in nodes.values() if node["name"].lower() == name]
        assert f"{node['value']:.1f}" == value, name
    for name, value in re.findall(r"tma_(\w+) +\| ([\d.]+) %", SEED):
        (node,) = [node for node in nodes.values() if node["name"].lower() == name.replace("dram_bound", "l3_miss_bound")]
        assert f"{node['value']:.1f}" == value, name


def test_a_last_level_cache_that_firmware_does_not_name_is_not_measured(tree):
    counts = {"inst_retired": 1e9, "ll_cache_rd": 4e6, "ll_cache_miss_rd": 3e6}
    for cpu in ("NEOVERSE-N1", "NEOVERSE-V1"):
        assert tree(separated(counts), cpu=cpu)[1]["Info_Memory_LLC_Read_MPKI"]["value"] == pytest.approx(3)
        nothing = tree(separated({**counts, "ll_cache_rd": 0, "ll_cache_miss_rd": 0}), cpu=cpu)[1]["Info_Memory_LLC_Read_MPKI"]["value"]
        assert "not_measured" in nothing
    assert tree(separated({**counts, "ll_cache_miss_rd": 0}), cpu="NEOVERSE-V2")[1]["Info_Memory_LLC_Read_MPKI"]["value"] == 0


def test_neoverse_v3_leads_to_memory(tree):
    counts = {"cpu_cycles": 1e9, "stall_slot": 8e9, "stall_slot_frontend": 1e9, "stall_slot_backend": 7e9, "op_retired": 2e9, "op_spec": 2e9,
              "stall_frontend_flush": 2e7, "stall_backend_membound": 6e8, "stall_backend_l1d": 1e8, "stall_backend_mem": 4.5e8, "stall_backend_tlb": 1e7,
              "stall_backend_st": 2e7, "stall_backend_cpubound": 5e7, "stall_backend_busy": 2e7, "stall_backend_rename": 0}
    document, nodes = tree(separated(counts), cpu="NEOVERSE-V3")
    values = {path: nodes[path]["value"] for path in ("Frontend_Bound", "Backend_Bound", "Bad_Speculation", "Retiring", "Backend_Bound.Backend_Memory")}
    assert values == pytest.approx({"Frontend_Bound": 8, "Backend_Bound": 70, "Bad_Speculation": 2, "Retiring": 20, "Backend_Bound.Backend_Memory": 60})
    assert document["leaf"] == "Backend_Bound.Backend_Memory.Backend_Memory_L2" and document["sample"] == "l2d_cache_refill"
