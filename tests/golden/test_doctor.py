# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb doctor on machines that are not here, on snapshots, and on wrong words.

PLUMB_UPDATE_GOLDEN=1 writes tests/golden/expected/doctor-*.json anew: read the difference before it is committed.
"""
import json
import os
import pathlib
import subprocess
import sys
import tarfile

import pytest

MACHINES = ["sapphire-rapids-host", "kvm-host", "icelake-aws-guest", "zen4-host", "neoverse-v2-host", "tdx-guest",
            "container-cgroup-v1", "container-cgroup-v2", "alder-lake-host", "sev-snp-guest", "hyperv-guest", "xen-guest",
            "graviton3-guest"]


@pytest.fixture(scope="session")
def machines(source_root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("machines")
    subprocess.run([sys.executable, source_root / "tests/fixtures/make_machines.py", folder], check=True)
    return folder


def doctor_json(run, *arguments):
    done = run("doctor", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_reads_as_before(run, machines, source_root, name):
    document = doctor_json(run, "--sysroot", machines / name)
    document.pop("plumb")
    expected = source_root / f"tests/golden/expected/doctor-{name}.json"
    if os.environ.get("PLUMB_UPDATE_GOLDEN"):
        expected.write_text(json.dumps(document, indent=1) + "\n")
    assert document == json.loads(expected.read_text())


@pytest.mark.parametrize("name", MACHINES)
def test_a_snapshot_promises_nothing(run, machines, name):
    document = doctor_json(run, "--sysroot", machines / name)
    assert document["source"] == "snapshot"
    assert {each["verdict"] for each in document["capabilities"]} == {"not measured"}
    assert document["pmu"]["tier"] == "not-measured"
    assert document["clock"]["measured_khz"] is None and document["unknown"]["clock.measured_khz"] == "a snapshot"


def test_every_null_fact_has_its_reason(run, machines):
    document = doctor_json(run, "--sysroot", machines / "tdx-guest")
    for section in ("cpu", "topology", "clock", "place", "rights", "memory", "pmu"):
        for key, value in document[section].items():
            if value is None and key != "microarchitecture_name":
                assert document["unknown"].get(f"{section}.{key}"), f"{section}.{key}"


@pytest.mark.parametrize("environment", [{"LC_ALL": "C"}, {"LC_ALL": "C.UTF-8"}])
def test_text_fits_100_columns_and_has_no_colour_in_a_pipe(run, machines, environment):
    for name in MACHINES:
        done = run("doctor", "-v", "--sysroot", machines / name, env=environment)
        assert done.returncode == 0
        assert "\033" not in done.stdout
        assert max(map(len, done.stdout.splitlines())) <= 100
        if environment["LC_ALL"] == "C":
            assert done.stdout.isascii()


def test_a_snapshot_reads_back_the_same(run, tmp_path):
    """What doctor reads here and what it reads from the snapshot it wrote agree, but for what moves."""
    done = run("doctor", "--snapshot", tmp_path / "folder")
    assert done.returncode == 0, done.stderr
    here = json.loads((tmp_path / "folder/plumb/doctor.json").read_text())
    there = doctor_json(run, "--sysroot", tmp_path / "folder")
    for section in ("cpu", "topology", "place"):
        assert there[section] == here[section], section
    for key in ("perf_event_paranoid", "capabilities", "open_files_soft"):
        assert there["rights"][key] == here["rights"][key]
    assert [each["name"] for each in there["pmu"]["pmus"]] == [each["name"] for each in here["pmu"]["pmus"]]
    assert there["cgroup"]["quota_us"] == here["cgroup"]["quota_us"]


def test_a_tar_holds_the_same_files_and_no_secrets(run, tmp_path):
    secret = "hunter2-in-the-environment"
    done = run("doctor", "--snapshot", tmp_path / "a.tar", env={"PLUMB_TEST_SECRET": secret})
    assert done.returncode == 0, done.stderr
    with tarfile.open(tmp_path / "a.tar") as archive:
        names = archive.getnames()
        content = b"".join(archive.extractfile(name).read() for name in names if archive.getmember(name).isfile())
    assert "proc/cpuinfo" in names and "plumb/doctor.json" in names
    assert secret.encode() not in content
    assert not [name for name in names if name.endswith(("/environ", "/cmdline")) and name != "proc/cmdline"]
    assert not [name for name in names if name.endswith("hostname")]
    assert run("doctor", "--snapshot", tmp_path / "a.tar").returncode == 2, "an existing file is not overwritten"


def test_the_script_only_touches_what_distorts(run, machines):
    done = run("doctor", "--script", "--sysroot", machines / "sapphire-rapids-host")
    assert done.returncode == 0
    assert done.stdout.startswith("#!/bin/sh\n")
    assert "numa_balancing" in done.stdout and "randomize_va_space" not in done.stdout.split("esac")[0]
    assert subprocess.run(["sh", "-n"], input=done.stdout, text=True).returncode == 0
    assert subprocess.run(["sh", "-s"], input=done.stdout, text=True, capture_output=True).returncode == 2


def test_set_and_restore_write_what_they_say(run, machines, tmp_path):
    """The script run on a copy: each /proc and /sys path in it is moved below a folder."""
    source = machines / "sapphire-rapids-host"
    script = run("doctor", "--script", "--sysroot", source).stdout.replace(" /sys/", f" {tmp_path}/sys/").replace(" /proc/", f" {tmp_path}/proc/")
    subprocess.run(["cp", "-r", f"{source}/sys", f"{source}/proc", tmp_path], check=True)
    watched = [tmp_path / "proc/sys/kernel/numa_balancing", tmp_path / "sys/devices/system/cpu/intel_pstate/no_turbo",
               tmp_path / "sys/devices/system/cpu/cpufreq/policy3/scaling_governor", tmp_path / "sys/devices/system/cpu/smt/control"]
    before = [path.read_text().strip() for path in watched]
    assert subprocess.run(["sh", "-s", "set"], input=script, text=True, capture_output=True).returncode == 0
    assert [path.read_text().strip() for path in watched] == ["0", "1", "performance", "off"]
    assert subprocess.run(["sh", "-s", "restore"], input=script, text=True, capture_output=True).returncode == 0
    assert [path.read_text().strip() for path in watched] == before


def test_a_hostile_value_stays_quoted_in_the_script(run, machines, tmp_path):
    """A snapshot may come from anybody: its words must not become commands of the script."""
    subprocess.run(["cp", "-r", machines / "sapphire-rapids-host", tmp_path / "m"], check=True)
    for policy in (tmp_path / "m/sys/devices/system/cpu/cpufreq").glob("policy*"):
        (policy / "scaling_governor").write_text(f"x'; touch {tmp_path}/owned; '\n")
    (tmp_path / "m/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").write_text(f"x'; touch {tmp_path}/owned; '\n")
    script = run("doctor", "--script", "--sysroot", tmp_path / "m").stdout.replace("/sys/", f"{tmp_path}/m/sys/").replace("/proc/", f"{tmp_path}/m/proc/")
    for word in ("set", "restore"):
        subprocess.run(["sh", "-s", word], input=script, text=True, capture_output=True)
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("words,message,hint", [
    (["--jsn"], "unknown option '--jsn'", "--json"),
    (["extra"], "unexpected 'extra'", ""),
    (["--require", "cycels"], "unknown class 'cycels'", "cycles"),
    (["--require", ""], "names no class", ""),
    (["--json", "--script"], "exclude each other", ""),
    (["--sysroot", "/etc/hostname"], "is no folder", ".tar"),
    (["--snapshot", "/tmp/x.tar", "--sysroot", "/tmp"], "choose one", ""),
])
def test_wrong_words_end_in_2(run, words, message, hint):
    done = run("doctor", *words)
    assert done.returncode == 2
    assert message in done.stderr and hint in done.stderr
    assert not done.stdout


def test_no_such_sysroot(run, tmp_path):
    done = run("doctor", "--sysroot", tmp_path / "none")
    assert done.returncode == 1 and "No such file" in done.stderr
    done = run("doctor", "--sysroot", tmp_path)
    assert done.returncode == 1 and "neither proc nor sys" in done.stderr


def test_require_of_a_snapshot_is_inconclusive(run, machines):
    done = run("doctor", "--require", "cycles", "--sysroot", machines / "kvm-host")
    assert done.returncode == 4 and "was not measured" in done.stderr


def test_an_empty_machine_is_all_unknown(run, tmp_path):
    (tmp_path / "proc").mkdir()
    document = doctor_json(run, "--sysroot", tmp_path)
    assert document["topology"]["sockets"] is None and document["unknown"]["topology.sockets"]
    assert document["memory"]["total_kib"] is None
    assert {each["state"] for each in document["settings"]} == {"unknown"}


def test_files_cut_short_or_turned_to_noise_do_no_harm(run, machines, tmp_path):
    """Each file of a snapshot in turn: empty, cut in the middle, and with every byte turned."""
    folder = tmp_path / "m"
    subprocess.run(["cp", "-r", machines / "kvm-host", folder], check=True)
    hot = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink() and
           not any(part in str(path) for part in ("cpu1/", "cpu2/", "cpu3/", "cpu4/", "cpu5/", "cpu6/", "cpu7/", "policy"))]
    damage = [lambda data: b"", lambda data: data[:len(data) // 2], lambda data: bytes(byte ^ 0x80 for byte in data)]
    for number, change in enumerate(damage):  # all at once: each reader meets its own damage
        for path in hot:
            path.write_bytes(change(path.read_bytes()))
        done = run("doctor", "--json", "--sysroot", folder)
        assert done.returncode == 0, (number, done.stderr)
        json.loads(done.stdout)
        subprocess.run(["cp", "-r", f"{machines}/kvm-host/.", folder], check=True)
