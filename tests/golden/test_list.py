# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb list: what a CPU model has, by plumb's own tables and by published ones."""
import json

import pytest

CPUS = ["SKX", "CLX", "ICX", "SPR", "EMR", "GNR", "ZEN4", "ZEN5", "NEOVERSE-N1", "NEOVERSE-N2", "NEOVERSE-V1", "NEOVERSE-V2"]


def listed(run, *arguments):
    done = run("list", "-j", *arguments)
    assert done.returncode == 0, done.stderr
    return {entry["name"]: entry for entry in json.loads(done.stdout)}


def test_a_word_finds_the_licence_event(run):
    done = run("list", "--cpu", "SKX", "512")
    assert done.returncode == 0
    assert "  core_power.lvl2_turbo_license " in done.stdout
    entry = listed(run, "--cpu", "skx", "512")["core_power.lvl2_turbo_license"]
    assert entry["encoding"] == "cpu/event=0x28,umask=0x20/" and entry["counters"] == "0-3" and entry["cpu"] == "SKX"


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
