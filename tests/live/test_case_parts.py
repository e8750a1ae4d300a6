# SPDX-License-Identifier: GPL-3.0-or-later
"""Each part of a case is optional: what is missing is done without, what is damaged is named, and the rest replays."""
import json
import re
import shutil
import subprocess

import pytest

SOURCE = """
#include <stdlib.h>
__attribute__((noinline)) static long spin_here(long n) { volatile long s = 0; for (long i = 0; i < n; i++) s += i; return s; }
int main(int count, char **words) { return spin_here(atol(words[1]) + count) == 3; }
"""


@pytest.fixture(scope="module")
def case(tmp_path_factory, plumb):
    folder = tmp_path_factory.mktemp("case")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    (folder / "spin.c").write_text(SOURCE)
    subprocess.run([compiler, "-O1", "-o", "spin", "spin.c"], cwd=folder, check=True)
    done = subprocess.run([plumb, "diagnose", "--case", "case", "--json", "--", "./spin", "300000000"], cwd=folder, capture_output=True,
                          text=True, timeout=120, check=False)
    if not (folder / "case" / "perf.data").is_file():
        pytest.skip(f"nothing can be recorded here: {done.stderr.strip()[-200:]}")
    return folder / "case"


def replay(run, folder):
    done = run("diagnose", "--case", folder, "--json")
    assert done.returncode in (0, 4), done.stderr
    return json.loads(done.stdout)


def test_a_recording_alone_is_a_case(run, case, tmp_path):
    shutil.copy(case / "perf.data", tmp_path)
    found = replay(run, tmp_path)
    assert any(gap["why"] == "the case has no manifest.json" for gap in found["not_measured"])
    assert found["profile"]["samples"] > 0 and "spin_here" in json.dumps(found["profile"]), "names come from the binary"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["perf.data"], "a replay leaves the folder as it is"


def test_a_damaged_part_is_named_and_left_out(run, case, tmp_path):
    whole = replay(run, case)
    parts = [path.name for path in case.iterdir() if path.name not in ("findings.json", "command.json")]
    assert {"manifest.json", "activity.json", "perf.data", "machine.json"} <= set(parts)
    for part in parts:
        copy = tmp_path / part
        shutil.copytree(case, copy)
        (copy / part).write_bytes((case / part).read_bytes()[:100])
        found = replay(run, copy)
        gaps = [f"{gap['what']}: {gap['why']}" for gap in found["not_measured"]]
        assert any(part in gap for gap in gaps), (part, gaps)
        assert len(found["findings"]) == len(whole["findings"]), part
        (copy / part).unlink()
        assert len(replay(run, copy)["findings"]) == len(whole["findings"]), part


def test_a_recording_that_was_cut_off_says_how_much_is_there(run, case, tmp_path):
    """As a full disk leaves it: its samples speak for the beginning of the run, and the verdict says so first."""
    whole = replay(run, case)
    assert "cut off" not in whole["verdict"]["sentence"]
    recording = (case / "perf.data").read_bytes()
    shutil.copytree(case, tmp_path / "case")
    (tmp_path / "case" / "perf.data").write_bytes(recording[:len(recording) * 2 // 3])
    (tmp_path / "case" / "manifest.json").unlink()
    found = replay(run, tmp_path / "case")
    samples = found["profile"]["samples"]
    assert 0 < samples < whole["profile"]["samples"]
    assert re.match(r"Of a part of the run alone: perf.data was cut off: [0-9]+ samples are there, of its first [0-9.]+ m?s", found["verdict"]["lead"]), found["verdict"]
    assert any(gap["what"] == "the end of the recording" and "was cut off" in gap["why"] for gap in found["not_measured"])


def test_what_is_no_case_is_refused(run, tmp_path):
    done = run("diagnose", "--case", tmp_path)
    assert done.returncode == 1 and "there is no" in done.stderr and "makes one" in done.stderr, done.stderr
    (tmp_path / "perf.data").write_bytes(b"not a recording")
    assert any("perf.data" in gap["what"] for gap in replay(run, tmp_path)["not_measured"])
    (tmp_path / "manifest.json").write_text('{"schema": 999}')
    done = run("diagnose", "--case", tmp_path)
    assert done.returncode == 1 and "schema 999" in done.stderr, done.stderr
