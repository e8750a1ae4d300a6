# SPDX-License-Identifier: GPL-3.0-or-later
"""Exits, ticks and pages behind a guest in plumb diagnose: each has a verdict with its reason, whatever this machine is."""
import json
import os
import shutil
import subprocess

import pytest

IDS = ("vm-exits", "timer-tick", "host-small-pages")
CPUID_LOOP = r"""
#include <time.h>
int main(void)
{
    for (clock_t end = clock() + CLOCKS_PER_SEC / 2; clock() < end;)
        for (int at = 0; at < 5000; at++) {
            unsigned a = 0, b, c = 0, d;
            __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
        }
    return 0;
}
"""


def diagnosed(run, tmp_path, *words, env=None):
    done = run("diagnose", "-o", tmp_path / "out.json", "--json", *words, timeout=120, env=env)
    assert (tmp_path / "out.json").exists(), done.stderr
    document = json.loads((tmp_path / "out.json").read_text())
    return {each["id"]: each for each in document["findings"]}


@pytest.fixture(scope="module")
def is_guest(plumb):
    done = subprocess.run([plumb, "doctor", "--guest", "--json", "--sysroot", "/"], capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout)["is_guest"]


@pytest.fixture(scope="module")
def shell_case(plumb, tmp_path_factory):
    """(a case of a loop in a shell, its findings when it was made); nobody changes it."""
    case = tmp_path_factory.mktemp("shell") / "case"
    done = subprocess.run([plumb, "diagnose", "--json", "--case", case, "--", "sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"],
                          capture_output=True, text=True, timeout=120)
    return case, {each["id"]: each for each in json.loads(done.stdout)["findings"]}


@pytest.fixture
def loop(tmp_path):
    if os.uname().machine != "x86_64" or not shutil.which("cc"):
        pytest.skip("CPUID is x86's, and wants a C compiler")
    (tmp_path / "loop.c").write_text(CPUID_LOOP)
    subprocess.run(["cc", "-O2", "-o", tmp_path / "loop", tmp_path / "loop.c"], check=True)
    return tmp_path / "loop"


def test_each_has_a_verdict_and_its_reason(shell_case):
    _, found = shell_case
    for name in IDS:
        assert found[name]["verdict"] in ("supported", "undecided", "ruled_out", "not_testable")
        assert found[name]["reason"] or found[name]["headline"], name


def test_a_loop_of_cpuid_is_never_ruled_out_in_a_guest(run, tmp_path, loop, is_guest):
    found = diagnosed(run, tmp_path, "--case", tmp_path / "case", "--", loop)["vm-exits"]
    if not is_guest:
        assert found["verdict"] == "ruled_out" and "no guest" in found["reason"]
        return
    assert found["verdict"] in ("supported", "undecided"), found["reason"]
    if found["verdict"] == "supported":
        assert "cpuid" in found["headline"] and found["advice"]


def test_a_case_holds_what_it_went_by_and_replays_the_same(run, shell_case):
    case, live = shell_case
    costs = json.loads((case / "guest.json").read_text())
    assert costs["tick_ns"] and costs["host_pages"]["verdict"] in ("unknown", "huge", "small")
    again = json.loads(run("diagnose", "--case", case, "--json").stdout)
    for each in again["findings"]:
        if each["id"] in IDS:
            assert each["verdict"] == live[each["id"]]["verdict"] and each["reason"] == live[each["id"]]["reason"]


def test_without_that_part_it_says_what_is_missing(run, shell_case, tmp_path, is_guest):
    shutil.copytree(shell_case[0], tmp_path / "case")
    (tmp_path / "case/guest.json").unlink()
    again = {each["id"]: each for each in json.loads(run("diagnose", "--case", tmp_path / "case", "--json").stdout)["findings"]}
    assert again["timer-tick"]["verdict"] == "not_testable" and "not measured" in again["timer-tick"]["reason"]
    assert again["vm-exits"]["verdict"] == ("not_testable" if is_guest else "ruled_out")


def test_damaged_costs_are_left_out_or_unknown(run, tmp_path):
    diagnosed(run, tmp_path, "--case", tmp_path / "case", "--", "true")
    part = tmp_path / "case/guest.json"
    whole = part.read_text()
    part.write_text(whole[:len(whole) // 2])
    done = run("diagnose", "--case", tmp_path / "case")
    assert done.returncode in (0, 4) and "guest.json of the case: it can't be read" in done.stdout, done.stderr
    document = json.loads(whole)
    document["cpus"] = [{"cpu": 0, "span_s": -1, "interruptions_per_s": 1e300}]
    document["tick_ns"] = {"low": 9, "mid": 1, "high": -1}
    part.write_text(json.dumps(document))
    assert run("diagnose", "--case", tmp_path / "case").returncode in (0, 4)


def test_measured_once_and_kept(run, tmp_path):
    """A second diagnosis takes what the first one measured, unless noise hid something from that."""
    environment = {"XDG_CACHE_HOME": tmp_path / "cache"}
    (tmp_path / "cache").mkdir()
    diagnosed(run, tmp_path, "--case", tmp_path / "one", "--", "true", env=environment)
    if not (tmp_path / "cache/plumb/guest.json").exists():
        pytest.skip("this machine was too busy for the costs to be whole, so they aren't kept")
    diagnosed(run, tmp_path, "--case", tmp_path / "two", "--", "true", env=environment)
    one, two = (json.loads((tmp_path / name / "guest.json").read_text()) for name in ("one", "two"))
    assert one["taken_at_s"] == two["taken_at_s"]
    kept = json.loads((tmp_path / "cache/plumb/guest.json").read_text())
    kept["boot"] = "another boot"
    (tmp_path / "cache/plumb/guest.json").write_text(json.dumps(kept))
    diagnosed(run, tmp_path, "--case", tmp_path / "three", "--", "true", env=environment)
    assert json.loads((tmp_path / "three/guest.json").read_text())["taken_at_s"] != one["taken_at_s"]
