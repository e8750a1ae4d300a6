# SPDX-License-Identifier: GPL-3.0-or-later
"""doc/schema-diagnose.md is true: every member that plumb diagnose --json writes stands in it, and the other way round."""
import json
import re
import sys

BUSY = ("import time, threading\ndef work():\n    end = time.thread_time() + 0.3\n    while time.thread_time() < end:\n"
        "        sum(range(1000))\n        time.sleep(0)\nthreads = [threading.Thread(target=work) for _ in range(2)]\n"
        "[t.start() for t in threads]\n[t.join() for t in threads]\ntime.sleep(0.1)\n")


def members(value, found):
    if isinstance(value, dict):
        found |= set(value)
        for one in value.values():
            members(one, found)
    elif isinstance(value, list):
        for one in value:
            members(one, found)
    return found


def test_every_member_is_documented(run, tmp_path, source_root):
    (tmp_path / "before").write_text("1.5\n")
    (tmp_path / "after").write_text("1.25\n")
    finished = run("diagnose", "--json", "--runs", "2", "--case", tmp_path / "case", "--import", tmp_path / "before",
                   "--import", tmp_path / "after", "--say", "x", "--", sys.executable, "-c", BUSY)
    found = json.loads(finished.stdout)
    document = (source_root / "doc/schema-diagnose.md").read_text()
    named = {word for quoted in re.findall(r"`([^`]+)`", document) for word in re.findall(r"[a-z0-9_]+", quoted)}
    # the values of evidence are named by the hypothesis that gives them
    for one in found["findings"]:
        for evidence in one["evidence"]:
            evidence["values"] = list(evidence["values"].values()) if isinstance(evidence["values"], dict) \
                else evidence["values"]
    missing = members(found, set()) - named
    assert not missing, f"doc/schema-diagnose.md lacks {sorted(missing)}"
    top = {line.split("`")[1].split(".")[0].split("[")[0].lstrip(".") for line in document.splitlines()
           if line.startswith("| `")}
    assert not {name for name in top if name} - set(found), f"documented, but not there: {top - set(found)}"
    assert found["schema"] == 1 and found["format"] == "plumb diagnosis"


def test_a_case_of_a_newer_schema_is_refused(run, tmp_path):
    case = tmp_path / "case"
    run("diagnose", "-q", "--case", case, "--", "true")
    manifest = json.loads((case / "manifest.json").read_text())
    manifest["schema"] += 1
    (case / "manifest.json").write_text(json.dumps(manifest))
    finished = run("diagnose", "--case", case)
    assert finished.returncode == 1 and "schema 2" in finished.stderr and "manifest.json" in finished.stderr
