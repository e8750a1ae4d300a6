# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb compare --host --guest on cases measured here, one of them edited into what it is not: both are of this machine, so each edit
is the only difference that there is, and must be found. Nothing here depends on how fast or quiet the machine is."""
import json
import shutil

import pytest


@pytest.fixture(scope="module")
def cases(kernel_case, tmp_path_factory):
    """cases(edit_host, edit_guest) -> copies of one case; the host's says that it is no guest."""
    original = kernel_case("chase")

    def make(edit_host=None, edit_guest=None):
        folders = []
        for name, is_guest, edit in (("host", False, edit_host), ("guest", True, edit_guest)):
            folder = tmp_path_factory.mktemp(name) / "case"
            shutil.copytree(original, folder)
            edit_part(folder, "machine.json", lambda facts: facts.update(is_guest=is_guest, hypervisor="KVM" if is_guest else "bare metal"))
            if edit:
                edit(folder)
            folders.append(folder)
        return folders
    return make


def edit_part(folder, name, change):
    part = json.loads((folder / name).read_text())
    change(part)
    (folder / name).write_text(json.dumps(part))


def split(run, host, guest, *words):
    finished = run("compare", "--json", "--host", host, "--guest", guest, *words)
    assert finished.returncode in (0, 4), finished.stderr
    found = json.loads(finished.stdout)
    whole = found["remainder_s"]["mid"] + sum(one["seconds"]["mid"] for one in found["components"] if one["seconds"])
    assert whole == pytest.approx(found["gap_s"]["mid"], abs=1e-6)
    return found


def component(found, name):
    return next(one for one in found["components"] if one["component"] == name)


def test_a_case_beside_itself_has_no_gap(run, cases):
    found = split(run, *cases())
    assert found["gap_s"] == {"low": 0, "mid": 0, "high": 0} and "no gap" in found["sentence"]
    for name in ("clock", "page_walks", "vector_isa", "clocksource"):
        one = component(found, name)
        assert one["seconds"] is None or one["seconds"]["low"] <= 0 <= one["seconds"]["high"], one


def test_a_slower_clock_is_found_and_bounded_by_what_waits(run, cases):
    def halve(folder):
        def change(part):
            for when in ("before", "after", "kept"):
                if when in part and isinstance(part[when].get("clock_hz"), dict) and "mid" in part[when]["clock_hz"]:
                    part[when]["clock_hz"] = {bound: value / 2 for bound, value in part[when]["clock_hz"].items()}
            for glimpse in part["during"]:
                glimpse["clock_hz"] /= 2
        edit_part(folder, "calibration.json", change)
    found = split(run, *cases(edit_guest=halve))
    clock = component(found, "clock")
    assert clock["seconds"] is not None and clock["seconds"]["high"] > 0
    whole = found["guest"]["seconds"]["mid"]
    # half of the time at most; less by as much as it waits for memory, which a chase does almost all of the time
    assert clock["seconds"]["high"] <= whole * 0.75 and clock["seconds"]["low"] <= clock["seconds"]["high"]


def test_widths_and_pages_of_real_samples_are_shown(run, cases):
    host, guest = cases(edit_host=lambda folder: edit_part(folder, "machine.json", lambda facts: facts.update(
        instruction_sets=facts["instruction_sets"] + " an_instruction_set_of_the_host")))
    found = split(run, host, guest)
    assert any("lacks: an_instruction_set_of_the_host" in text for text in component(found, "vector_isa")["evidence"])
    walks = component(found, "page_walks")
    assert walks["seconds"] is not None or walks["not_measured"]
    text = run("compare", "--host", host, "--guest", guest)
    # a word that is longer than the page, such as a path, stands alone
    assert all(len(line) <= 100 or len(line.split()) == 1 for line in text.stdout.splitlines())


def test_what_was_measured_here_is_kept_in_the_case(cases):
    _, guest = cases()
    machine, calibration = (json.loads((guest / name).read_text()) for name in ("machine.json", "calibration.json"))
    assert machine["instruction_sets"] and "clocksource" in machine
    if machine["cpu"]:
        assert calibration["before"]["cpuid_ns"], "the round trip of CPUID stands in the quick calibration"
    assert json.loads((guest / "activity.json").read_text())["interrupts"]
