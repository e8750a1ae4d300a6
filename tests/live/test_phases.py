# SPDX-License-Identifier: GPL-3.0-or-later
"""A verdict for each phase, of a program whose phases are known: a language model that reads a prompt and then writes token by token."""
import json
import pathlib
import re
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from browser import Browser, chromium  # noqa: E402


@pytest.fixture(scope="module")
def inference(plumb, tmp_path_factory):
    """The case, and when making, prefill and decoding ended, as the program says itself."""
    program = pathlib.Path(plumb).parent / "bench/workloads/transformer"
    if not program.exists():
        pytest.skip("the workload wasn't built")
    case = tmp_path_factory.mktemp("phases") / "case"
    done = subprocess.run([plumb, "diagnose", "-q", "--case", case, "--", program, "--prompt", "384", "--tokens", "32"], capture_output=True, text=True, timeout=300)
    if done.returncode == 77:
        pytest.skip(f"no oneDNN 2 here (Debian: libdnnl2): {done.stderr.strip()}")
    found = json.loads((case / "findings.json").read_text())
    made, prefill, decode = map(float, re.search(r"made ([\d.]+) s, prefill ([\d.]+) s .* decode ([\d.]+) s", done.stdout).groups())
    return case, found, (made, made + prefill, made + prefill + decode)


def phase_at(found, moment):
    return next((one["phase"] for one in found["phases"] if one["from_s"] <= moment <= one["until_s"]), None)


def test_prefill_and_decoding_are_phases_with_a_verdict_each(inference):
    _, found, (made, filled, ended) = inference
    prefill, decode = phase_at(found, (made + filled) / 2), phase_at(found, (filled + ended) / 2)
    assert prefill is not None and decode is not None and prefill != decode, found["phases"]
    if found["basis"] == "counters":
        pytest.skip("hardware counters decide here: phases are not estimated")
    estimates = {one["phase"]: one for one in found["phase_estimates"]}
    assert len(estimates) == len(found["phase_estimates"]) and {prefill, decode} <= set(estimates)
    for one in estimates.values():
        stretches = [row for row in found["phases"] if row["phase"] == one["phase"]]
        assert one["stretches"] == len(stretches) and one["samples"] == sum(row["samples"] for row in stretches), "all of them, not the longest alone"
        assert one["class"] != "unknown" or one["why_not"], one
        assert one["share"] is None or 0 <= one["share"][0] <= one["share"][2] <= 1
    kinds = {name: (estimates[phase]["class"], estimates[phase]["subclass"]) for name, phase in (("prefill", prefill), ("decoding", decode))}
    told = [kind for kind, _ in kinds.values() if kind not in ("unknown", "mixed")]
    assert len(told) < 2 or kinds["prefill"] != kinds["decoding"], "what multiplies and what reads weights don't wait for the same"


def test_the_pages_say_each_phase(inference, plumb, tmp_path):
    case, found, _ = inference
    estimates = found["phase_estimates"]
    if len(estimates) < 2:
        pytest.skip("phases were not estimated here")
    done = subprocess.run([plumb, "diagnose", "--case", case, "--html", tmp_path / "page.html"], capture_output=True, text=True, timeout=100)
    phases = done.stdout[done.stdout.index("\nPHASES"):].split("\n\n")[0]
    numbers = [int(number) for number in re.findall(r"^ +(\d+)  ESTIMATED: ", phases, re.M)]
    assert numbers == [one["phase"] for one in estimates], phases
    assert "phase_estimates" in (tmp_path / "page.html").read_text()


def test_on_a_phone_the_phases_keep_whole_words(inference, plumb, tmp_path):
    case, found, _ = inference
    if not chromium():
        pytest.skip("no Chromium here (Debian: chromium)")
    if len({one["phase"] for one in found["phases"]}) < 2:
        pytest.skip("one phase was seen here: there is no table of them")
    subprocess.run([plumb, "diagnose", "-q", "--case", case, "--html", tmp_path / "page.html"], capture_output=True, timeout=100)
    with Browser.start() as browser:
        phone = browser.open(tmp_path / "page.html", width=390, height=844, phone=True)
        assert phone.evaluate("Math.min(...[...document.querySelectorAll('#timeline td.told')].map((one) => one.offsetWidth))") >= 150
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390 and phone.complaints() == []


def test_the_phases_have_the_colours_of_the_functions_that_lead_them(inference, plumb, tmp_path):
    case, found, _ = inference
    if not chromium():
        pytest.skip("no Chromium here (Debian: chromium)")
    subprocess.run([plumb, "diagnose", "-q", "--case", case, "--html", tmp_path / "page.html"], capture_output=True, timeout=100)
    with Browser.start() as browser:
        page = browser.open(tmp_path / "page.html")
        legend = page.evaluate("[...document.querySelectorAll('#timeline figcaption code')].map((one) => one.textContent)")
        drawn = page.evaluate("[...document.querySelectorAll('#timeline .phase')].map((one) => one.className)")
        limits = page.evaluate("[...document.querySelectorAll('#timeline table[aria-label=\"phases and what limits them\"] tbody tr')].map((one) => Number(one.cells[0].textContent))")
    leads = [one["functions"][0]["function"] for one in found["phases"]]
    assert [name.split()[-1] for name in drawn] == [f"series-{legend.index(lead)}" if lead in legend else "phase-other" for lead in leads]
    if found["phase_estimates"] and not found["phase_verdicts"]:
        assert limits == sorted({one["phase"] for one in found["phases"]}), "none is left out"
