# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose where the PMU samples precisely, as its self-test shows: real samples, moved onto the instruction that stalled (tests/precise_samples.h)."""
import json
import os
import pathlib
import platform
import subprocess

import pytest

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="samples are moved by x86's instructions")


@pytest.fixture
def sampling(plumb, luckless, tmp_path):
    """sampling(knobs...) -> how it was sampled, the hottest instructions of the hottest function, the text page's line on it."""
    tool = pathlib.Path(plumb).parent / "tests/simulated_plumb"
    if not tool.exists():
        pytest.skip("no simulated_plumb beside plumb: it is built with the tests")

    def call(*knobs):
        case = tmp_path / "-".join(["case", *knobs])
        environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C"}
        done = subprocess.run([tool, "SPR", "L2_Bound", f"run_opens={tmp_path}/opens", *knobs, "diagnose", "--case", case, "--", luckless, "spin", "1"],
                              capture_output=True, text=True, timeout=200, env=environment)
        assert done.returncode in (0, 4), done.stderr
        assert (tmp_path / "opens").read_text().split()[0] == "0", "descriptors leak"
        profile = json.loads((case / "findings.json").read_text())["profile"]
        if profile["sampling"]["lands"] is None:
            pytest.skip("the self-test of samples came to nothing here: too few of them, or scattered")
        function = profile["functions"][0]
        assert function["function"] == "work"
        most = function["instructions"][0]["samples"]
        # A core that renames memory runs its loop without any wait: several instructions share the samples evenly.
        hottest = {one["instruction"] for one in function["instructions"] if one["samples"] > 0.7 * most}
        return profile["sampling"], hottest, " ".join(done.stdout.split())
    return call


def test_precise_cycles_are_sampled_where_they_name_what_stalled(sampling):
    how, hottest, said = sampling("exact=1")
    assert how["event"] == "cycles:pp" and how["lands"] == "on" and how["share"]["low"] > 0.85, how
    assert "sampled by cycles:pp; " in said and "samples land on what stalled" in said
    plain, same, _ = sampling("precise=0")
    assert plain["event"] == "cycles" and plain["lands"] == "one_behind"
    assert hottest & same, "one instruction behind, and on it: the same one stalled"


@pytest.mark.parametrize("knobs", [(), ("exact=1", "precise=0"), ("exact=2",)], ids=["skids all the same", "refused", "registers of another moment"])
def test_what_is_not_shown_to_be_precise_isnt_used(sampling, knobs):
    how, _, said = sampling(*knobs)
    assert how["event"] == "cycles" and how["lands"] == "one_behind" and "sampled by cycles; " in said, how


def test_a_pmu_that_samples_nothing_leaves_the_timer(sampling):
    how, _, _ = sampling("sampling=0")
    assert how["event"] == "cpu-clock" and how["lands"] == "one_behind", how
