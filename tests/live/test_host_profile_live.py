# SPDX-License-Identifier: GPL-3.0-or-later
"""A profile of this machine's CPUs while a guest of the test's own runs: whose time it was, in report and in diagnose."""
import concurrent.futures
import json
import pathlib
import subprocess
import time

import pytest

KEYS = ["guest", "guest_entry", "guest_exits", "profiler", "idle", "kernel", "user"]


@pytest.fixture
def guests(plumb):
    runner = pathlib.Path(plumb).parent / "tests" / "guest_runner"
    if not runner.exists():
        pytest.skip("the guest runner is not beside this plumb")
    with subprocess.Popen([runner, "--cpuids", "20000", "--rounds", "100000", "--wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout.readline().strip() != "ready":
                pytest.skip("no guests here: " + process.stdout.read()[:200])
            process.stdin.write("\n")
            process.stdin.flush()
            yield process
        finally:
            process.kill()


def ended_after_the_watch(guests, case):
    """What is then made of the recording needs no guest beside it."""
    until = time.monotonic() + 60
    while not (case / "manifest.json").exists() and time.monotonic() < until:
        time.sleep(0.05)
    guests.kill()


def test_diagnose_of_the_machine_tells_whose_time_it_was(run, guests, tmp_path):
    with concurrent.futures.ThreadPoolExecutor() as aside:
        aside.submit(ended_after_the_watch, guests, tmp_path / "case")
        done = run("diagnose", "-a", "--duration", "1", "--json", "--case", tmp_path / "case")
    if "host_profile" not in done.stdout or not json.loads(done.stdout)["host_profile"]:
        pytest.skip("CPUs can't be sampled here")
    found = json.loads(done.stdout)["host_profile"]
    assert list(found["shares"]) == KEYS and sum(found["shares"].values()) == pytest.approx(1)
    assert found["of"].startswith("the time of all CPUs") or found["of"].startswith("all 'cycles")
    if not any(function["kernel"] for function in json.loads(done.stdout)["profile"]["functions"]):
        pytest.skip("the kernel has no names here")
    # its guest did nothing but leave: the kernel was called from the loop around it, or sampled where guests are entered
    assert found["shares"]["guest"] + found["shares"]["guest_entry"] + found["shares"]["guest_exits"] > 0
    assert sum(one["share"] for one in found["profiler"]) <= found["shares"]["profiler"] + 1e-9
    text = run("diagnose", "--case", tmp_path / "case").stdout
    section = text[text.index("WHOSE TIME"):].split("\n\n")[0]
    assert "100 % is" in section and max(len(line) for line in section.splitlines()) <= 100


def test_a_recording_of_one_cpu_names_it(run, tmp_path):
    recorded = run("record", "-C", "0", "-a", "-g", "-o", tmp_path / "perf.data", "sleep", "0.5")
    if recorded.returncode != 0:
        pytest.skip("CPUs can't be sampled here: " + recorded.stderr[-200:])
    text = run("report", "-i", tmp_path / "perf.data", "-g", "none").stdout
    assert " of CPU 0" in text and "# Whose time, each sample once:" in text


def test_a_programs_case_has_none(run, kernel_case):
    found = run("diagnose", "--json", "--case", kernel_case("chase"))
    assert json.loads(found.stdout)["host_profile"] is None


def test_a_program_of_the_recorders_name_is_a_program(run, tmp_path):
    (tmp_path / "spin.c").write_text("int main(void) { for (volatile unsigned long turns = 0;; turns++); }\n")
    subprocess.run(["cc", "-O1", "-o", tmp_path / "plumb", tmp_path / "spin.c"], check=True)
    with subprocess.Popen([tmp_path / "plumb"]) as spinning:
        try:
            done = run("diagnose", "-a", "--duration", "1", "--json", "--case", tmp_path / "case")
        finally:
            spinning.kill()
    if "host_profile" not in done.stdout or not json.loads(done.stdout)["host_profile"]:
        pytest.skip("CPUs can't be sampled here")
    shares = json.loads(done.stdout)["host_profile"]["shares"]
    assert shares["profiler"] < shares["user"], shares
