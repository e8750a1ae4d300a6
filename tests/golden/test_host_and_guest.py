# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb compare --host CASE --guest CASE, on cases made by hand: what the two differ in is what is found, and refusals say why."""
import json

import pytest

COMPONENTS = ["exits", "steal", "page_walks", "clock", "vector_isa", "clocksource", "waiting"]
LEFT_OUT = {"not_measured": "left out"}


def calibration(clock_hz, cpuid_ns=1000.0):
    exactly = lambda value: {"low": value, "mid": value, "high": value}
    return {"taken_at_s": 1.0, "elapsed_s": 0.1, "clock_hz": exactly(clock_hz), "issue_per_cycle": exactly(3.9), "cpuid_ns": exactly(cpuid_ns)}


@pytest.fixture
def case(tmp_path):
    """case("host", elapsed_s=10, …) -> a folder: counts, facts and calibration of one run, no samples."""
    def make(name, guest, elapsed_s=10.0, cpu_s=None, clock_hz=3e9, interrupts=1000, command="./work 10", scope="started", status=0, machine=None,
             argv=None, stdin=None):
        folder = tmp_path / name
        folder.mkdir()
        cpu_s = elapsed_s if cpu_s is None else cpu_s
        facts = {"schema": 1, "cpu": "a processor", "microarchitecture": "Cascade Lake", "kernel": "6.1", "is_guest": guest,
                 "hypervisor": "KVM" if guest else "bare metal", "clocksource": "kvm-clock" if guest else "tsc",
                 "instruction_sets": "avx avx2" if guest else "avx avx2 avx512f"}
        facts.update(machine or {})
        parts = {
            "manifest.json": {"format": "plumb case", "schema": 1, "command": command, "scope": scope, "target_options": "" if scope == "started" else "-p 1",
                              "elapsed_s": elapsed_s, "user_s": cpu_s, "system_s": 0.0, "effect": 0.05, "child_ended": scope == "started",
                              "child_exit_code": status, "parts": [], "not_measured": []},
            "machine.json": facts,
            "activity.json": {"schema": 1, "elapsed_s": elapsed_s, "user_s": cpu_s, "system_s": 0.0, "interrupts": interrupts,
                              "resident_most_bytes": 40960000, "cpus_allowed": 1, "cpus_online": 1, "threads": []},
            "calibration.json": {"schema": 1, "before": calibration(clock_hz), "during": []},
            "command.json": {"schema": 1, "argv": argv or command.split(), **(stdin or {})},
        }
        for file, content in parts.items():
            (folder / file).write_text(json.dumps(content))
        return folder
    return make


def split(run, *words):
    finished = run("compare", "--json", *words)
    assert finished.returncode in (0, 4), finished.stderr
    return json.loads(finished.stdout)


def component(found, name):
    return next(one for one in found["components"] if one["component"] == name)


def adds_up(found):
    for bound in ("low", "mid", "high"):
        whole = found["remainder_s"][bound] + sum(one["seconds"][bound] for one in found["components"] if one["seconds"])
        gap = found["gap_s"][bound]
        assert whole == pytest.approx(gap, abs=1e-6) if bound == "mid" else (whole <= gap + 1e-6 if bound == "low" else whole >= gap - 1e-6)
    return True


def test_a_lower_clock_and_waiting_are_told_apart(run, case):
    host, guest = case("host", False, 10, clock_hz=3e9), case("guest", True, 20, cpu_s=15, clock_hz=2e9)
    found = split(run, "--host", host, "--guest", guest)
    assert found["schema"] == "plumb-gap-1" and [one["component"] for one in found["components"]] == COMPONENTS
    assert found["gap_s"]["mid"] == pytest.approx(10) and adds_up(found)
    clock, waiting = component(found, "clock"), component(found, "waiting")
    assert clock["seconds"]["high"] == pytest.approx(5) and clock["origin"] == "estimated"
    assert waiting["seconds"]["mid"] == pytest.approx(5) and waiting["origin"] == "measured" and waiting["verdict"] == "explains"
    # what has no samples says so, and lies in the remainder
    for name in ("steal", "page_walks", "vector_isa", "clocksource"):
        assert component(found, name)["seconds"] is None and component(found, name)["not_measured"]
    assert any("what was not measured lies in it: steal, page walks" in note for note in found["remainder_notes"])
    text = run("compare", "--host", host, "--guest", guest)
    assert text.returncode == 0 and "WHERE THE GAP GOES" in text.stdout and "the sum" in text.stdout
    assert max(len(line) for line in text.stdout.splitlines()) <= 100


def test_cpu_time_leaves_waiting_out(run, case):
    found = split(run, "--by", "cpu", "--host", case("host", False, 10), "--guest", case("guest", True, 20, cpu_s=15))
    assert found["of"] == "CPU time" and found["gap_s"]["mid"] == pytest.approx(5) and adds_up(found)
    assert [one["component"] for one in found["components"]] == COMPONENTS[:-1]


def test_exits_come_from_a_table_or_from_inside(run, case, tmp_path):
    host, guest = case("host", False, 10), case("guest", True, 12)
    inside = component(split(run, "--host", host, "--guest", guest), "exits")
    assert inside["origin"] == "estimated" and inside["seconds"]["low"] == 0 and inside["host_pays_s"]["high"] == 0
    # perf kvm stat's table: 1000 s-1 of 2 us each for 10 s, and idle ones that cost nothing
    table = tmp_path / "exits.txt"
    table.write_text("  VM-EXIT  Samples  Samples%  Time%  Min Time  Max Time  Avg time\n"
                     "  MSR_WRITE  10000  50.0%  10.0%  0.50us  40.21us  2.00us ( +- 1.20% )\n"
                     "  HLT  1000  50.0%  90.0%  1.00us  1.02ms  500.00us ( +- 2.00% )\n")
    without = component(split(run, "--host", host, "--guest", guest, "--guest-exits", table), "exits")
    assert without["seconds"] is None and "--exits-seconds" in without["not_measured"]
    found = split(run, "--host", host, "--guest", guest, "--guest-exits", table, "--exits-seconds", 10)
    told = component(found, "exits")
    # at most: handlers of 2 ms a second and 1000 round trips of 1 us a second, for 12 s
    assert told["seconds"]["high"] == pytest.approx(12 * (0.002 + 0.001), rel=1e-6) and adds_up(found)
    # the same table imported into the case
    assert run("diagnose", "--case", guest, "--import", table).returncode in (0, 4)
    noted = split(run, "--host", host, "--guest", guest)
    assert any("--exits-seconds" in note for note in noted["notes"])
    again = component(split(run, "--host", host, "--guest", guest, "--exits-seconds", 10), "exits")
    assert again["seconds"]["high"] == pytest.approx(told["seconds"]["high"], rel=1e-6)


def test_what_plumb_exits_wrote_becomes_a_part_of_the_case(run, case, tmp_path):
    guest = case("guest", True, 12)
    (tmp_path / "trace.txt").write_text("\n".join(f" qemu-1 [000] d.. {1 + at / 10:.6f}: kvm_exit: reason MSR_WRITE rip 0x10 info 0 0\n"
                                                  f" qemu-1 [000] d.. {1 + at / 10 + 0.002:.6f}: kvm_entry: vcpu 0" for at in range(20)))
    written = run("exits", "-i", tmp_path / "trace.txt", "--json")
    assert written.returncode == 0, written.stderr
    (tmp_path / "exits.json").write_text(written.stdout)
    assert run("diagnose", "--case", guest, "--import", tmp_path / "exits.json").returncode in (0, 4)
    assert (guest / "exits.json").exists()
    found = component(split(run, "--guest", guest), "exits")
    assert any("exits.json of the case" in text for text in found["evidence"])
    assert found["guest_pays_s"]["low"] == pytest.approx(12 * 0.02, rel=0.2), "2 ms ten times a second"


def test_the_pages_behind_the_guest_are_read(run, case, tmp_path):
    host, guest, pages = case("host", False), case("guest", True, 12), tmp_path / "pages.json"
    pages.write_text(json.dumps({"schema": 1, "guests": [{"pid": 1, "verdict": "unknown", "sentence": "KVM's levels can't be read"}]}))
    assert any("KVM's levels can't be read" in note for note in split(run, "--host", host, "--guest", guest, "--guest-pages", pages)["notes"])
    for text, why in (("{}", "tells of no guest"), ("nonsense", "--guest-pages"), ('{"guests": [{"verdict": "host_huge"}, {"verdict": "host_small"}]}', "differ")):
        pages.write_text(text)
        refused = run("compare", "--host", host, "--guest", guest, "--guest-pages", pages)
        assert refused.returncode == 1 and why in refused.stderr
    assert run("compare", "--guest", guest, "--guest-pages", tmp_path / "nowhere").returncode == 1


def test_the_guest_alone_says_what_is_missing(run, case):
    guest = case("guest", True, 12)
    found = split(run, "--guest", guest)
    assert found["host"] is None and found["gap_s"] is None and found["remainder_s"] is None and "no host's case" in found["no_gap_because"]
    assert component(found, "clock")["seconds"] is None and component(found, "exits")["seconds"]["high"] > 0
    text = run("compare", "--guest", guest)
    assert text.returncode == 4 and "WHAT IS MISSING" in text.stdout and "--host DIR" in text.stdout
    assert max(len(line) for line in text.stdout.splitlines()) <= 100


@pytest.mark.parametrize("host, guest, why", [
    ({"guest": False}, {"guest": False}, "was not made in a guest (bare metal)"),
    ({"guest": True}, {"guest": True}, "was made in a guest, too (KVM)"),
    ({"guest": False}, {"guest": True, "command": "./work 20"}, "the commands differ: './work 10' on the host, './work 20' in the guest"),
    ({"guest": False}, {"guest": True, "status": 3}, "ended with status 3"),
    ({"guest": False, "scope": "attached"}, {"guest": True}, "was attached, the guest's of one that was started"),
    ({"guest": False, "stdin": {"standard_input": "file", "standard_input_file": "/a/one"}},
     {"guest": True, "stdin": {"standard_input": "file", "standard_input_file": "/a/two"}}, "the inputs differ"),
])
def test_what_cannot_be_held_against_each_other_is_refused_and_can_be_forced(run, case, host, guest, why):
    words = ["--host", case("host", **host), "--guest", case("guest", **guest)]
    refused = run("compare", *words)
    assert refused.returncode == 1 and why in refused.stderr and "--force" in refused.stderr and not refused.stdout
    forced = run("compare", "--json", "--force", *words)
    assert forced.returncode in (0, 4), forced.stderr
    assert any(note.startswith("forced: ") and why in note for note in json.loads(forced.stdout)["notes"])


def test_the_same_command_may_stand_in_another_folder(run, case):
    split(run, "--host", case("host", False, command="/usr/bin/work 10"), "--guest", case("guest", True, command="./work 10"))


def test_what_was_watched_for_a_while_needs_the_amount_of_work(run, case):
    words = ["--host", case("host", False, scope="attached"), "--guest", case("guest", True, scope="attached")]
    unknown = split(run, *words)
    assert unknown["gap_s"] is None and "--work HOST,GUEST" in unknown["no_gap_because"]
    found = split(run, *words, "--work", "2000,1000")
    assert found["gap_s"]["mid"] == pytest.approx(5) and adds_up(found)


def test_parts_that_are_missing_are_said(run, case):
    host, guest = case("host", False), case("guest", True, 12)
    (guest / "calibration.json").unlink()
    (guest / "activity.json").unlink()
    found = split(run, "--host", host, "--guest", guest)
    assert "calibrated" in component(found, "clock")["not_measured"] and component(found, "exits")["seconds"] is None and adds_up(found)
    (guest / "machine.json").unlink()
    refused = run("compare", "--host", host, "--guest", guest)
    assert refused.returncode == 1 and "no machine facts" in refused.stderr


def test_a_case_of_an_older_plumb_says_what_it_did_not_keep(run, case):
    older = {"clocksource": None, "instruction_sets": None}
    found = split(run, "--host", case("host", False, machine=older), "--guest", case("guest", True, 12, machine=older))
    assert any("older plumb" in text for text in component(found, "clocksource")["evidence"])


def test_broken_and_newer_cases_are_errors(run, case, tmp_path):
    host, guest = case("host", False), case("guest", True)
    manifest = json.loads((guest / "manifest.json").read_text())
    (guest / "manifest.json").write_text(json.dumps({**manifest, "schema": 99}))
    refused = run("compare", "--host", host, "--guest", guest)
    assert refused.returncode == 1 and "the guest's case" in refused.stderr
    (guest / "manifest.json").write_text("{")
    assert run("compare", "--host", host, "--guest", guest).returncode == 1
    assert run("compare", "--guest", tmp_path / "nowhere").returncode == 1


@pytest.mark.parametrize("words, why", [
    (["--host", "a"], "--host without --guest"),
    (["--guest-exits", "a", "x", "--", "y"], "go with --guest CASE"),
    (["--guest", "a", "true"], "unexpected word 'true'"),
    (["--guest", "a", "-n", "6"], "--runs goes with commands"),
    (["--guest", "a", "--markdown"], "--markdown goes with commands"),
    (["--guest", "a", "--by", "cycles"], "--by wall or cpu"),
    (["--guest", "a", "--work", "1,2"], "--work tells two cases'"),
    (["--guest", "a", "--host", "b", "--work", "1"], "--work expects HOST,GUEST"),
    (["--guest", "a", "--host", "b", "--work", "0,1"], "--work expects HOST,GUEST"),
    (["--guest", "a", "--exits-seconds", "-1"], "--exits-seconds"),
])
def test_wrong_usage(run, words, why):
    refused = run("compare", *words)
    assert refused.returncode == 2 and why in refused.stderr
