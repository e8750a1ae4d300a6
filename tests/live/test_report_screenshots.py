# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTML report of a real diagnosis, opened in a browser: every section is there, nothing complains. With PLUMB_SCREENSHOTS=FOLDER
it also leaves the pictures that doc/images holds."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from browser import Browser, chromium  # noqa: E402

SECTIONS = {"limits", "time", "flame", "functions", "code", "memory", "findings", "machine", "gaps"}


def test_report_of_a_real_case(plumb, kernel_case, tmp_path):
    if not chromium():
        pytest.skip("no Chromium here (Debian: chromium)")
    case = os.environ.get("PLUMB_SCREENSHOT_CASE") or kernel_case("chase")
    page = tmp_path / "report.html"
    done = subprocess.run([plumb, "diagnose", "-q", "--case", case, "--html", page], capture_output=True, text=True, timeout=200)
    assert done.returncode in (0, 4), done.stderr
    with Browser.start() as browser:
        opened = browser.open(page)
        assert SECTIONS <= set(opened.evaluate("[...document.querySelectorAll('main > section')].map((one) => one.id)"))
        opened.wait("document.querySelector('.asm .row')")
        assert opened.evaluate("[...document.querySelectorAll('.q')].every((one) => one.dataset.tip)")
        assert opened.complaints() == []
        phone = browser.open(page, width=390, height=844, phone=True)
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390 and phone.complaints() == []
        dark = browser.open(page, dark=True)
        drawn = "document.querySelector('#flame svg').getAttribute('width')"
        wide = dark.evaluate(drawn)
        hidden = dark.evaluate(f"(async () => {{ const box = document.querySelector('.flame'); box.style.display = 'none'; for (let at = 0; at < 3; at++) await new Promise((go) => setTimeout(go, 50));"
                               f" const width = {drawn}; box.style.display = ''; return width; }})()")
        assert hidden == wide, "what nobody sees isn't fitted to no width: a picture taken meanwhile would show that"
        folder = os.environ.get("PLUMB_SCREENSHOTS")
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            opened.photograph(f"{folder}/report.png")
            opened.photograph(f"{folder}/report-code.png", selector="#code > details")
            dark.photograph(f"{folder}/report-flame-dark.png", selector="#flame")
            phone.photograph(f"{folder}/report-phone.png")


def test_page_and_terminal_say_the_same_of_one_case(plumb, kernel_case, tmp_path):
    """Whose code ran, and how wide its vectors are: one account of each for all three outputs."""
    case, page = kernel_case("chase"), tmp_path / "report.html"
    text, found = (subprocess.run([plumb, "diagnose", "--case", case, *more], capture_output=True, text=True, timeout=200).stdout for more in ([], ["--json"]))
    document = json.loads(found)
    shares, width = document["run"]["time_shares"], document["profile"]["vector_width"]
    for label, key in (("running, its own code", "own_code"), ("running, in the kernel", "in_kernel")):
        told = re.search(label + r"[^0-9]*([0-9.]+) %", text)
        assert bool(told) == (shares[key] is not None), text
        assert not told or float(told[1]) == pytest.approx(100 * shares[key]["mid"], abs=0.06), text
    heading = re.search(r"VECTOR WIDTH OF THE HOT CODE +(\w+)", text)
    assert bool(heading) == bool(width) and (not width or heading[1] == {"shares": "share", "none": "none", "not_known": "not"}[width["state"]]), text
    assert isinstance(document["run"]["run_delay_is_least"], bool)
    if not chromium():
        pytest.skip("no Chromium here (Debian: chromium)")
    subprocess.run([plumb, "diagnose", "-q", "--case", case, "--html", page], capture_output=True, timeout=200)
    with Browser.start() as browser:
        opened = browser.open(page)
        keys = dict(opened.evaluate("[...document.querySelectorAll('#time .stack .key')].map((one) => [one.querySelector('span').textContent, one.querySelector('b').textContent])"))
        for label, key in (("running, its own code", "own_code"), ("running, in the kernel", "in_kernel")):
            if shares[key] and shares[key]["mid"] >= 0.01:
                assert float(keys[label].split()[0]) == pytest.approx(100 * shares[key]["mid"], abs=0.51), keys
        said = opened.evaluate("document.querySelector('#functions').textContent")
        assert not width or ("none, general registers" in said) == (width["state"] == "none"), said


def test_report_of_imported_metrics(plumb, source_root, tmp_path):
    """The tree of a seed: wide, on a phone, and printed in black on white whatever the theme."""
    if not chromium():
        pytest.skip("no Chromium here (Debian: chromium)")
    page = tmp_path / "report.html"
    seed = source_root / "tests/fixtures/seeds/inference.md"
    subprocess.run([plumb, "diagnose", "-q", "--import", seed, "--html", page], capture_output=True, timeout=200)
    with Browser.start() as browser:
        opened = browser.open(page)
        phone = browser.open(page, width=390, height=844, phone=True)
        dark = browser.open(page, dark=True)
        dark.ask("Emulation.setEmulatedMedia", media="print")
        assert opened.evaluate("document.querySelectorAll('#topdown .branch').length") == 19
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390
        assert dark.evaluate("getComputedStyle(document.querySelector('#topdown')).backgroundColor") == "rgb(255, 255, 255)"
        folder = os.environ.get("PLUMB_SCREENSHOTS")
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            opened.photograph(f"{folder}/report-topdown.png", selector="#topdown")
        assert opened.complaints() == [] and phone.complaints() == []
