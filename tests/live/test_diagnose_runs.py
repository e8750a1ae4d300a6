# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diagnose --runs N: each run is kept, failures are named, all runs are diagnosed together."""
import json
import subprocess
import signal
import sys
import time

BUSY = "import time\nend = time.process_time() + 0.1\nwhile time.process_time() < end:\n    sum(range(1000))\n"


def test_each_run_is_kept_and_the_case_replays(run, tmp_path):
    case = tmp_path / "case"
    finished = run("diagnose", "--json", "--runs", "4", "--case", case, "--", sys.executable, "-c", BUSY)
    assert finished.returncode == 0, finished.stderr
    found = json.loads(finished.stdout)
    runs = found["runs"]
    assert runs["count"] == 4 and runs["failed"] == 0 and len(runs["each"]) == 4
    assert found["run"]["elapsed_s"] >= sum(each["elapsed_s"] for each in runs["each"]) * 0.999
    assert runs["median_s"]["low"] <= runs["median_s"]["mid"] <= runs["median_s"]["high"]
    if (case / "perf.data").exists():
        # those of switches are in the sum as well
        assert 0 < found["profile"]["samples"] <= sum(each["samples"] for each in runs["each"])
        assert (case / "perf.data.4").exists() and not (case / "perf.data.5").exists()
    assert run("diagnose", "--json", "--case", case).stdout == finished.stdout


def test_a_run_that_fails_is_named_and_its_status_passed_on(run, tmp_path):
    counter = tmp_path / "count"
    counter.write_text("0")
    script = f'n=$(cat {counter}); n=$((n+1)); echo $n > {counter}; [ $n -ne 2 ] || exit 7'
    finished = run("diagnose", "--runs", "3", "--", "sh", "-c", script)
    assert finished.returncode == 7
    assert "run 2 failed with status 7" in finished.stdout
    assert counter.read_text().strip() == "3", "the others ran"


def test_a_program_that_is_not_there(run):
    finished = run("diagnose", "--runs", "3", "--", "/nonexistent/program")
    assert finished.returncode == 127 and "/nonexistent/program" in finished.stderr


def test_ctrl_c_ends_the_runs_and_what_ran_is_told(plumb):
    watching = subprocess.Popen([plumb, "diagnose", "--json", "--runs", "50", "--", "sleep", "0.7"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.2)
    watching.send_signal(signal.SIGINT)
    out, err = watching.communicate(timeout=30)
    runs = json.loads(out)["runs"]
    assert 1 <= runs["count"] < 50
    assert runs["each"][-1]["interrupted"], err


def test_too_many(run):
    finished = run("diagnose", "--runs", "100000", "--", "true")
    assert finished.returncode == 2 and "--runs" in finished.stderr


def test_a_recording_with_other_events_is_left_out_and_named(run, tmp_path):
    """A later run that fell back to fewer events, or a part of another case: never taken for more of the same."""
    case = tmp_path / "case"
    run("diagnose", "-q", "--runs", "2", "--case", case, "--", sys.executable, "-c", BUSY)
    if not (case / "perf.data.2").exists():
        return
    recorded = run("record", "-o", case / "perf.data.2", "-e", "cpu-clock", "--", sys.executable, "-c", BUSY)
    assert recorded.returncode == 0, recorded.stderr
    finished = run("diagnose", "--json", "--case", case)
    assert finished.returncode in (0, 4), finished.stderr
    assert any("other events" in gap["why"] for gap in json.loads(finished.stdout)["not_measured"])
