# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb calibrate: shapes, and what holds on any machine by a factor of ten."""
import json
import subprocess

import pytest


def calibrate(plumb, *words):
    return subprocess.run([plumb, "calibrate", *words], capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def document(plumb):
    result = calibrate(plumb, "--json", "--largest", "64")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_every_figure_has_a_value_or_a_reason(document):
    assert document["schema"] == "plumb-calibrate-1"
    figures = {key: value for key, value in document.items() if isinstance(value, dict)}
    assert {"clock_hz", "issue_per_cycle", "fma_256_per_cycle", "read_one_bytes_per_s", "page_walk_ns"} <= set(figures)
    for name, value in figures.items():
        assert value.get("not_measured") or value["low"] <= value["mid"] <= value["high"], name


def test_figures_are_of_this_world(document):
    assert 3e8 < document["clock_hz"]["mid"] < 8e9
    issue = document["issue_per_cycle"]
    assert 0.2 < issue["mid"] < 12
    if document.get("issue_slots"):
        assert issue["mid"] < 1.1 * document["issue_slots"]
    curve = document["load_latency_ns"]
    assert [step["working_set_bytes"] for step in curve] == [2 ** 14, 2 ** 16, 2 ** 18, 2 ** 20, 2 ** 22, 2 ** 24, 2 ** 26]
    assert curve[-1]["on_4k_pages"]["mid"] > 5 * curve[0]["on_4k_pages"]["mid"], "memory is slower than the first cache"


def test_the_text_says_whether_the_core_is_shared(plumb):
    text = calibrate(plumb, "--largest", "1").stdout
    assert any(words in text for words in ("The core is yours", "Your core is being shared", "can't be told"))


def test_wrong_words(plumb):
    for words in (["--largest", "3"], ["--largest", "4096"], ["prog"], ["--cpu", "x"]):
        assert calibrate(plumb, *words).returncode == 2, words
    assert calibrate(plumb, "--cpu", "4095").returncode != 0
