# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb calibrate: shapes, and what holds on any machine by a factor of ten."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest


def calibrate(plumb, *words, cache=None):
    environment = os.environ | {"XDG_CACHE_HOME": str(cache or "/nowhere")}
    return subprocess.run([plumb, "calibrate", *words], capture_output=True, text=True, timeout=300, env=environment)


@pytest.fixture(scope="module")
def document(plumb):
    result = calibrate(plumb, "--json", "--largest", "64")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_every_figure_has_a_value_or_a_reason(document):
    assert document["schema"] == "plumb-calibrate-1"
    figures = {key: value for key, value in document.items() if isinstance(value, dict)}
    assert document["kept_in"] is None, "a small one is not kept"
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


def test_others_on_its_cpu_are_told(plumb):
    """Three that compute on one CPU: the fourth has a quarter of it."""
    cpu = min(os.sched_getaffinity(0))
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=lambda: os.sched_setaffinity(0, {cpu})) for _ in range(3)]
    try:
        result = calibrate(plumb, "--cpu", str(cpu), "--largest", "1")
    finally:
        for other in others:
            other.kill()
            other.wait()
    if not os.path.exists("/proc/thread-self/schedstat"):
        pytest.skip("this kernel doesn't say how long a thread waited")
    waited = re.search(r"Other programs run on its CPUs: (\d+) % of the time", " ".join(result.stdout.split()))
    assert waited and int(waited[1]) >= 40, result.stdout[:600]


def test_a_busy_cpu_gets_fewer_rounds_and_says_so(plumb):
    """With a twelfth of a CPU all rounds would take a quarter of a minute and more."""
    cpu = min(os.sched_getaffinity(0))
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=lambda: os.sched_setaffinity(0, {cpu})) for _ in range(11)]
    try:
        document = json.loads(calibrate(plumb, "--cpu", str(cpu), "--largest", "16", "--json").stdout)
        text = calibrate(plumb, "--cpu", str(cpu), "--largest", "1").stdout
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert 0 < document["rounds_ratio"] < 1, "each part has some, none all of them"
    assert document["load_latency_ns"][-1]["on_4k_pages"]["mid"] > 0 and document["read_one_bytes_per_s"]["mid"] > 0
    assert "The time was up after" in text


def test_wrong_words(plumb):
    for words in (["--largest", "3"], ["--largest", "4096"], ["prog"], ["--cpu", "x"]):
        assert calibrate(plumb, *words).returncode == 2, words
    assert calibrate(plumb, "--cpu", "4095").returncode != 0


@pytest.fixture(scope="module")
def kept(plumb, tmp_path_factory):
    """A cache with one full calibration in it, and what was printed."""
    cache = tmp_path_factory.mktemp("cache") / "not there yet"
    result = calibrate(plumb, "--json", cache=cache)
    assert result.returncode == 0, result.stderr
    return cache, json.loads(result.stdout)


def test_it_is_kept_and_shown_again(plumb, kept):
    cache, document = kept
    assert str(cache) in document["kept_in"] and os.stat(document["kept_in"]).st_mode & 0o777 == 0o600
    again = json.loads(calibrate(plumb, "--cached", "--json", cache=cache).stdout)
    moving = ("age_s", "kept_in")
    assert {key: value for key, value in again.items() if key not in moving} == \
        {key: value for key, value in document.items() if key not in moving}
    assert 0 < again["age_s"] < 600
    page = calibrate(plumb, "--cached", cache=cache).stdout
    assert " ago" in page and "Since the last one" not in page
    assert "Since the last one" in calibrate(plumb, cache=cache).stdout


def test_another_set_of_cpus_is_another_machine(plumb, kept):
    cache, document = kept
    if "-" not in document["cpus"] and "," not in document["cpus"]:
        pytest.skip("one CPU only")
    one = document["cpus"].replace(",", "-").split("-")[0]
    result = calibrate(plumb, "--cached", "--cpu", one, cache=cache)
    assert result.returncode == 1 and "no calibration of this machine on CPUs" in result.stderr


def test_a_damaged_one_counts_as_none(plumb, kept, tmp_path):
    cache, document = kept
    shutil.copytree(cache, tmp_path / "cache")
    file = tmp_path / "cache/plumb" / os.path.basename(document["kept_in"])
    whole = file.read_bytes()
    of_another = whole.replace(b'"kernel": "', b'"kernel": "0.')
    of_the_future = json.loads(whole)
    of_the_future["calibration"]["taken_at_s"] += 1e6
    for damaged in (b"", b"{}", whole[:len(whole) // 2], b"\xff" * 100, whole.replace(b'"schema": 1', b'"schema": 2'),
                    of_another, json.dumps(of_the_future).encode(), whole + b" " * (1 << 20)):
        file.write_bytes(damaged)
        result = calibrate(plumb, "--cached", cache=tmp_path / "cache")
        assert result.returncode == 1 and not result.stdout, damaged[:40]
    file.unlink()
    os.mkfifo(file)
    assert calibrate(plumb, "--cached", cache=tmp_path / "cache").returncode == 1


def test_diagnose_takes_what_it_leaves_out_from_there(plumb, kept, tmp_path):
    cache, document = kept
    for home, age in ((cache, True), (tmp_path, False)):
        result = subprocess.run([plumb, "diagnose", "--json", "--", "true"], capture_output=True, text=True,
                                env=os.environ | {"XDG_CACHE_HOME": str(home)})
        beside = json.loads(result.stdout)["calibration"]
        assert (beside["kept_age_s"] is not None) == age
        assert ("not_measured" in beside["branch_miss_cycles"]) == (not age or "not_measured" in document["branch_miss_cycles"])


def test_an_interrupt_shows_what_was_measured(plumb, tmp_path):
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    process = subprocess.Popen([plumb, "calibrate", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    time.sleep(0.15)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    if process.returncode == -signal.SIGINT:
        pytest.skip("interrupted before it had begun: the machine is too busy")
    document = json.loads(out)
    if process.returncode == 0:
        pytest.skip("it was done before the interrupt")
    assert process.returncode == 4 and "interrupted" in err
    assert document["kept_in"] is None and not list(tmp_path.glob("plumb/*"))
    missing = [value["not_measured"] for value in document.values() if isinstance(value, dict) and "not_measured" in value]
    assert missing, "0.15 s can't be enough for all"
    assert any("interrupted" in why for why in missing), missing
