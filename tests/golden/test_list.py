# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb list: what a CPU model has, by plumb's own tables and by published ones."""
import json

import pytest

CPUS = ["SKX", "CLX", "ICX", "SPR", "EMR", "GNR", "ZEN4", "ZEN5", "NEOVERSE-N1", "NEOVERSE-N2", "NEOVERSE-V1", "NEOVERSE-V2",
        "NEOVERSE-V3"]


def listed(run, *arguments):
    done = run("list", "-j", *arguments)
    assert done.returncode == 0, done.stderr
    return {entry["name"]: entry for entry in json.loads(done.stdout)}


def test_a_word_finds_the_licence_event(run):
    done = run("list", "--cpu", "SKX", "512")
    assert done.returncode == 0
    assert "  core_power.lvl2_turbo_license " in done.stdout
    entry = listed(run, "--cpu", "skx", "512")["core_power.lvl2_turbo_license"]
    assert entry["encoding"] == "cpu/event=0x28,umask=0x20/" and entry["counters"] == "0-3; SMT off in the firmware: 0-7" and entry["cpu"] == "SKX"


@pytest.mark.parametrize("cpu", CPUS)
def test_every_cpu_has_events_and_metrics_that_resolve(run, cpu):
    metrics, events = listed(run, "--cpu", cpu, "--metrics"), listed(run, "--cpu", cpu, "--events")
    assert metrics and events and not set(metrics) & set(events)
    for name, metric in metrics.items():
        assert metric["kind"] == "Metric" and metric["formula"] and metric["description"] and "problem" not in metric, name
        assert "parent" not in metric or metric["parent"] in metrics, name
    for name, event in events.items():
        assert event["encoding"].startswith(("cpu/event=", "uncore_imc/event=", "amd_umc/event=")) and event["description"], name


def test_a_tree_has_all_its_levels(run):
    levels = {}
    for name, metric in listed(run, "--cpu", "SPR", "--metrics").items():
        levels.setdefault(metric.get("level"), []).append(name)
    assert sorted(levels["1"]) == ["Backend_Bound", "Bad_Speculation", "Frontend_Bound", "Retiring"]
    assert len(levels["2"]) == 8 and {"3", "4", "5", "6"} <= set(levels)


def test_details_are_told_on_request(run):
    brief, full = run("list", "--cpu", "SPR", "mem_bandwidth").stdout, run("list", "--cpu", "SPR", "-v", "mem_bandwidth").stdout
    assert "formula" not in brief
    assert "offcore_requests_outstanding.all_data_rd:c12" in full
    assert "MEM_Bandwidth > 0.2 & L3_Miss_Bound > 0.1" in full and "parent      L3_Miss_Bound" in full


def test_the_same_cpu_by_its_other_names(run):
    by_key = run("list", "--cpu", "ZEN4", "retiring").stdout
    assert by_key and by_key == run("list", "--cpu", "Zen 4", "retiring").stdout
    assert run("list", "--cpu", "GenuineIntel-6-55-4", "lvl2").stdout == run("list", "--cpu", "SKX", "lvl2").stdout
    assert run("list", "--cpu", "GenuineIntel-6-55-7", "lvl2").stdout == run("list", "--cpu", "CLX", "lvl2").stdout


def test_what_is_not_there_is_said_with_what_is_near(run):
    done = run("list", "--cpu", "SKX", "core_power.lvl2_turbo_licence")
    assert done.returncode == 2 and "did you mean core_power.lvl2_turbo_license" in done.stderr
    done = run("list", "--cpu", "nothing")
    assert done.returncode == 1 and "SKX, CLX, ICX" in done.stderr
    done = run("list", "--cpu", "SKX", "--countable")
    assert done.returncode == 2 and "--countable" in done.stderr
    done = run("list", "--cpu", "SKX", "--tables", "/there/is/none")
    assert done.returncode == 1 and "/there/is/none" in done.stderr


@pytest.mark.parametrize("cpu", CPUS[:6])
def test_published_tables_load(run, shared_data, cpu):
    if not (shared_data / "perfmon").is_dir():
        pytest.skip("no published tables here")
    for folder in (shared_data / "perfmon", shared_data / "perfmon" / cpu):
        found = listed(run, "--cpu", cpu, "--tables", str(folder))
        assert len(found) > 600 and not [name for name, entry in found.items() if "problem" in entry]
        assert {"Frontend_Bound", "MEM_Bandwidth", "cpu_operating_frequency", "inst_retired.any"} <= set(found)


def test_a_broken_table_is_named(run, tmp_path):
    (tmp_path / "events.json").write_text('[{"EventName": "A.B", "EventCode": "0x12"},\n {"EventName"')
    done = run("list", "--cpu", "SKX", "--tables", str(tmp_path))
    assert done.returncode == 1 and "events.json" in done.stderr and "line 2" in done.stderr


def test_a_model_folder_of_ones_own(run, tmp_path):
    (tmp_path / "events.json").write_text(json.dumps([
        {"EventName": "A.B", "EventCode": "0x12", "UMask": "0x3", "BriefDescription": "what A does"},
        {"MetricName": "share", "MetricExpr": "A.B / instructions", "ScaleUnit": "100%", "BriefDescription": "of A"},
        {"MetricName": "lost", "MetricExpr": "A.C / instructions"}]))
    found = listed(run, "--cpu", "any", "--tables", str(tmp_path))
    assert found["a.b"]["encoding"] == "cpu/event=0x12,umask=0x3/" and found["share"]["unit"] == "%"
    assert "A.C" in found["lost"]["problem"] and "problem" not in found["share"]


@pytest.mark.parametrize("cpu, word, names", [
    ("SPR", "tma_memory_bound_group", {"L1_Bound", "L2_Bound", "L3_Bound", "L3_Miss_Bound", "Store_Bound"}),
    ("SPR", "TopdownL1", {"Frontend_Bound", "Bad_Speculation", "Backend_Bound", "Retiring"}),
    ("SPR", "topdownl1", {"Frontend_Bound", "Bad_Speculation", "Backend_Bound", "Retiring"}),
    ("SPR", "tma_dram_bound", {"L3_Miss_Bound"}), ("SKX", "tma_l3_miss_bound", {"DRAM_Bound"}),
    ("SPR", "tma_info_thread_ipc", {"Info_Thread_IPC"}),
    ("SKX", "tma_mem_lat*", {"MEM_Latency"}),
    ("ZEN4", "PipelineL1", {"Frontend_Bound", "Bad_Speculation", "Backend_Bound", "Smt_Contention", "Retiring"}),
    ("ZEN4", "backend_bound_group", {"Backend_Bound_Memory", "Backend_Bound_Cpu"}),
    ("NEOVERSE-V2", "TopdownL1", {"Frontend_Bound", "Bad_Speculation", "Backend_Bound", "Retiring"}),
])
def test_perfs_spelling_of_metrics_is_found(run, cpu, word, names):
    assert set(listed(run, "--cpu", cpu, "--metrics", word)) >= names
    if "bound_group" in word or "L1" in word or "l1" in word:
        assert set(listed(run, "--cpu", cpu, "--metrics", word)) == names


def test_every_level_has_its_group_and_every_group_its_metrics(run):
    groups = {name: entry["description"].split(", ") for name, entry in listed(run, "--cpu", "SPR", "metricgroup").items()}
    assert all(groups[f"TopdownL{level}"] == groups[f"tma_L{level}_group"] for level in range(1, 7))
    assert "tma_mem_bandwidth" in groups["tma_issueBW"] and "tma_l1_bound" in groups["tma_memory_bound_group"]
    assert "metricgroup" not in run("list", "--cpu", "SPR").stdout and "metric group" not in run("list", "--cpu", "SPR", "group").stdout
    entry = listed(run, "--cpu", "SPR", "tma_memory_bound")["Memory_Bound"]
    assert entry["alias"] == "tma_memory_bound" and "tma_backend_bound_group" in entry["groups"]


@pytest.mark.parametrize("cpu", CPUS[:6])
def test_published_tables_have_the_same_spellings(run, shared_data, cpu):
    if not (shared_data / "perfmon").is_dir():
        pytest.skip("no published tables here")
    ours, theirs = ({name.lower(): entry["alias"] for name, entry in listed(run, "--cpu", cpu, "--metrics", "TopdownL*", "tma_memory_bound_group",
                                                                          *(f"TopdownL{level}" for level in range(1, 7)), *more).items()}
                    for more in ((), ("--tables", str(shared_data / "perfmon"))))
    assert len(ours) > 80 and set(ours) == set(theirs) and all(theirs[name] == alias for name, alias in ours.items())
