# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock that wide vectors lower, on this machine: what is said must follow from what was measured, whatever that is."""
import json
import pathlib
import shutil

import pytest


def licence_in(case):
    found = json.loads((case / "findings.json").read_text())
    if found["verdict"]["kind"] in ("too_short", "blind"):
        pytest.skip(found["verdict"]["sentence"])
    licence = next(one for one in found["findings"] if one["id"] == "avx512-licence")
    if licence["verdict"] == "not_testable":
        pytest.skip(licence["reason"])
    return found, licence


def has_avx512():
    return "avx512f" in pathlib.Path("/proc/cpuinfo").read_text()


def test_bursts_are_attributed_and_the_clock_behind_them_is_measured(kernel_case):
    if not has_avx512():
        pytest.skip("this CPU has no AVX-512")
    case = kernel_case("bursts512")
    found, licence = licence_in(case)
    beside = json.loads((case / "calibration.json").read_text())
    left = {kind: beside["after"][f"clock_behind_{kind}_ratio"] for kind in ("heavy_512", "light_512", "heavy_256")}
    for kind, ratio in left.items():
        assert "not_measured" in ratio or 0.3 < ratio["mid"] < 1.6, kind
    if "not_measured" not in left["heavy_512"]:  # else what was measured before stands
        assert found["calibration"]["clock_behind_heavy_512_ratio"] == left["heavy_512"]
    if licence["verdict"] == "ruled_out":
        assert any(words in licence["reason"] for words in ("clock", "GHz")), licence["reason"]
        return
    keys = {one["key"]: one for one in licence["evidence"]}
    if not keys:  # neighbours let no clock be measured, or held it down meanwhile: then only an upper end is known
        assert licence["verdict"] == "undecided" and "clock" in licence["reason"] and licence["recoverable_ratio_at_most"] == pytest.approx(0.25)
        return
    assert "blocks" in keys or "blocks-unmeasured" in keys or "events" in keys
    told = keys.get("wide") or keys["stands"]
    assert "burst_vectors_512" in told["text"] and "512-bit" in told["text"]
    assert licence["confidence"] != "high" or "events" in keys
    if licence["verdict"] == "supported":
        assert "not told apart" in licence["confidence_reason"] or "events" in keys
        assert licence["advice"] and "plumb compare" in licence["confirm"]


def test_scalar_code_is_not_blamed(kernel_case):
    case = kernel_case("dep")
    _, licence = licence_in(case)
    assert licence["verdict"] == "ruled_out", licence["reason"]
    beside = json.loads((case / "calibration.json").read_text())
    assert "not_measured" in beside["after"]["clock_behind_heavy_512_ratio"], "nobody's clock is lowered for nothing"


def test_a_case_without_the_calibration_bounds_it_by_tables(run, kernel_case, tmp_path):
    if not has_avx512():
        pytest.skip("this CPU has no AVX-512")
    case = kernel_case("bursts512")
    licence_in(case)
    shutil.copytree(case, tmp_path / "without")
    (tmp_path / "without/calibration.json").unlink()
    found = json.loads(run("diagnose", "--json", "--case", tmp_path / "without").stdout)
    licence = next(one for one in found["findings"] if one["id"] == "avx512-licence")
    if not any("events" == one["key"] for one in licence["evidence"]):
        assert licence["verdict"] == "undecided" and licence["recoverable_ratio_at_most"] == pytest.approx(0.25)
    assert "not_measured" in found["calibration"]
