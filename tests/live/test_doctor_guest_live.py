# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb doctor --guest on this machine: shapes and orders that hold however fast or busy it is."""
import json
import os
import pathlib
import subprocess

import pytest


@pytest.fixture(scope="module")
def document(plumb):
    done = subprocess.run([plumb, "doctor", "--guest", "--json"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    if not document["is_guest"]:
        pytest.skip(f"this machine is no guest: {document['hypervisor_evidence']}")
    return document


def figures(document):
    for key, value in document["costs"].items():
        if key.endswith("_ns"):
            yield key, value


def test_every_figure_is_an_interval_or_has_its_reason(document):
    found = dict(figures(document))
    assert len(found) == 13
    assert 0 < document["costs"]["own_cpu_s"] < 60
    for key, value in found.items():
        assert value.get("not_measured") or value["low"] <= value["mid"] <= value["high"], (key, value)
        assert "not_measured" in value or key == "host_fault_ns" or value["low"] > 0, (key, value)


def test_what_needs_nothing_is_measured(document):
    if os.uname().machine != "x86_64":
        pytest.skip("CPUID and RDTSC are x86's")
    costs = document["costs"]
    for key in ("cpuid_ns", "cpuid_hypervisor_ns", "rdtsc_ns", "kernel_hz"):
        assert costs[key]["mid"] > 0, key
    assert costs["kernel_hz"]["mid"] in (100, 250, 300, 1000) or costs["kernel_hz"]["mid"] > 0


def test_pages_touched_are_counted(document):
    costs = document["costs"]
    if "not_measured" in costs["touch_old_ns"]:
        pytest.skip(costs["touch_old_ns"]["not_measured"])
    assert costs["touched_pages"] >= 1024
    assert 0 <= costs["host_fault_share"]["low"] <= costs["host_fault_share"]["high"] <= 1


def test_a_computing_thread_was_watched_on_a_cpu_that_it_may_use(document):
    for each in document["costs"]["cpus"]:
        assert each["cpu"] in os.sched_getaffinity(0)
        assert each["span_s"] > 0 and 0 <= each["lost_ratio"] <= 1 and 0 <= each["lost_to_long_ones_ratio"] <= 1
        assert each["timer_interrupts_per_s"] is None or each["timer_interrupts_per_s"] <= each["interrupts_per_s"]


def test_the_pages_behind_are_told_or_not_and_why(document):
    pages = document["costs"]["host_pages"]
    assert pages["verdict"] in ("unknown", "huge", "small")
    assert (pages["verdict"] == "unknown") == bool(pages["why_not"])
    if pages["verdict"] != "unknown":
        assert 0 <= pages["likely_small"]["low"] <= pages["likely_small"]["high"] <= 1


def test_no_huge_pages_no_verdict(plumb, document):
    """PR_SET_THP_DISABLE: the probe gets none, and says so."""
    script = "import ctypes, os, sys; ctypes.CDLL(None).prctl(41, 1, 0, 0, 0); os.execv(sys.argv[1], sys.argv[1:])"
    done = subprocess.run(["python3", "-c", script, plumb, "doctor", "--guest", "--json"], capture_output=True, text=True, timeout=120)
    pages = json.loads(done.stdout)["costs"]["host_pages"]
    if pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled").exists():
        assert pages["verdict"] == "unknown" and "huge pages" in pages["why_not"]
        text = subprocess.run(["python3", "-c", script, plumb, "doctor", "--guest"], capture_output=True, text=True, timeout=120).stdout
        assert "can't tell, because" in text


def test_on_one_cpu_nothing_is_said_of_others(plumb, document):
    cpu = min(os.sched_getaffinity(0))
    done = subprocess.run(["taskset", "-c", str(cpu), plumb, "doctor", "--guest", "--json"], capture_output=True, text=True, timeout=120)
    costs = json.loads(done.stdout)["costs"]
    for key in ("wake_idle_ns", "wake_polled_ns", "ipi_ns"):
        assert costs[key] == {"not_measured": "this process may use one CPU only"}
    # A guest of one vCPU, as far as a program can tell: its timer stands in for wake-ups.
    for key in ("timer_idle_ns", "timer_polled_ns"):
        assert 0 <= costs[key]["low"] <= costs[key]["mid"] <= costs[key]["high"], key
    assert [each["cpu"] for each in costs["cpus"]] == [cpu]


def test_text_fits_100_columns(plumb, document):
    done = subprocess.run([plumb, "doctor", "--guest", "-v"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and max(map(len, done.stdout.splitlines())) <= 100
    for heading in ("guest", "what leaving the guest costs from here", "time", "pages behind this guest's memory", "hardware counters",
                    "what this processor has and this guest doesn't show", "sources of the typical figures"):
        assert heading in done.stdout.splitlines()


def test_nothing_is_left_behind(plumb, document):
    before = set(os.listdir("/proc/self/task"))
    process = subprocess.run([plumb, "doctor", "--guest"], capture_output=True, timeout=120)
    assert process.returncode == 0 and set(os.listdir("/proc/self/task")) == before
