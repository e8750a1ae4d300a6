# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb doctor --guest on machines that are not here: what kind of guest, what it hides; and on wrong words."""
import json
import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def machines(source_root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("machines")
    subprocess.run([sys.executable, source_root / "tests/fixtures/make_machines.py", folder], check=True)
    return folder


def guest_json(run, folder):
    done = run("doctor", "--guest", "--json", "--sysroot", folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name,kind,hypervisor", [
    ("tdx-guest", "TDX guest", "KVM"), ("sev-snp-guest", "SEV-SNP guest", None), ("icelake-aws-guest", None, "KVM"),
    ("hyperv-guest", None, "Hyper-V"), ("xen-guest", None, "Xen"), ("graviton3-guest", None, "KVM")])
def test_the_kind_of_guest(run, machines, name, kind, hypervisor):
    document = guest_json(run, machines / name)
    assert document["schema"] == "plumb-doctor-guest" and document["source"] == "snapshot"
    assert document["is_guest"] and document["confidential"] == kind and document["confidential_evidence"]
    if hypervisor:
        assert document["hypervisor"].startswith(hypervisor)
    text = run("doctor", "--guest", "--sysroot", machines / name).stdout
    assert (kind or "plain guest") in text


@pytest.mark.parametrize("name", ["sapphire-rapids-host", "kvm-host", "zen4-host"])
def test_a_host_is_not_a_guest(run, machines, name):
    done = run("doctor", "--guest", "--sysroot", machines / name)
    assert done.returncode == 0 and done.stdout.startswith("This is not a guest: bare metal (")
    document = guest_json(run, machines / name)
    assert document["is_guest"] is False and "costs" not in document


def test_a_snapshot_measures_nothing_and_says_so(run, machines):
    document = guest_json(run, machines / "tdx-guest")
    costs = document["costs"]
    for key in ("cpuid_ns", "rdtsc_ns", "touch_used_ns", "host_fault_ns", "wake_idle_ns", "ipi_ns", "tick_ns", "kernel_hz"):
        assert costs[key] == {"not_measured": "a snapshot"}, key
    assert costs["cpus"] == [] and costs["why_no_cpus"] == "a snapshot"
    assert costs["host_pages"]["verdict"] == "unknown" and costs["host_pages"]["why_not"] == "a snapshot"
    assert document["steal_ratio_now"] == {"not_measured": "a snapshot"}


def test_typical_figures_name_their_sources(run, machines):
    typical = guest_json(run, machines / "tdx-guest")["typical"]
    assert {each["where"] for each in typical} >= {"bare metal", "KVM", "nested", "TDX"}
    for each in typical:
        assert each["source"]
        assert (each["low"] is None) == (each["high"] is None)
        assert each["low"] is None or 0 < each["low"] <= each["high"]


def test_hidden_instructions_are_named_with_what_they_cost(run, machines, tmp_path):
    """The same silicon, once without AVX-512 VNNI and INVPCID, once with all that is tabled."""
    folder = tmp_path / "m"
    subprocess.run(["cp", "-r", machines / "icelake-aws-guest", folder], check=True)
    has = guest_json(run, folder)["missing_flags"]
    assert has["silicon"] == "ICX" and has["source"] and has["why_not"] is None
    names = [each["name"] for each in has["flags"]]
    assert "avx512_vnni" in names and "avx512f" not in names and "amx_tile" not in names
    order = ["much", "some", "little"]
    assert [order.index(each["matters"]) for each in has["flags"]] == sorted(order.index(each["matters"]) for each in has["flags"])
    assert all(each["effect"] for each in has["flags"])
    cpuinfo = folder / "proc/cpuinfo"
    cpuinfo.write_text("".join(line.rstrip("\n") + (" " + " ".join(names) if line.startswith("flags") else "") + "\n"
                               for line in cpuinfo.read_text().splitlines()))
    assert guest_json(run, folder)["missing_flags"]["flags"] == []


def test_silicon_that_is_not_tabled_is_said(run, machines):
    missing = guest_json(run, machines / "graviton3-guest")["missing_flags"]
    assert missing["silicon"] is None and missing["why_not"] and missing["flags"] == []


@pytest.mark.parametrize("environment", [{"LC_ALL": "C"}, {"LC_ALL": "C.UTF-8"}])
def test_text_fits_100_columns(run, machines, environment):
    for name in ("tdx-guest", "sev-snp-guest", "icelake-aws-guest", "zen4-host"):
        done = run("doctor", "--guest", "-v", "--sysroot", machines / name, env=environment)
        assert done.returncode == 0 and "\033" not in done.stdout and done.stdout.isascii()
        assert max(map(len, done.stdout.splitlines())) <= 100


@pytest.mark.parametrize("other", [["--script"], ["--require", "cycles"], ["--snapshot", "/tmp/none"]])
def test_what_excludes_each_other(run, other):
    done = run("doctor", "--guest", *other)
    assert done.returncode == 2 and "page of its own" in done.stderr and not done.stdout


def test_an_empty_machine_can_not_be_told(run, tmp_path):
    (tmp_path / "proc").mkdir()
    done = run("doctor", "--guest", "--sysroot", tmp_path)
    assert done.returncode == 0 and done.stdout.startswith("It can't be told whether this is a guest: unknown")


@pytest.mark.parametrize("generator,table,bad,message", [
    ("generate_exit_costs.py", "exit_costs.tsv", "cpuid\tmoon\t1\t2\tx\n", "not cost, where"),
    ("generate_exit_costs.py", "exit_costs.tsv", "cpuid\tkvm\t1\t2\tx\n", "twice"),
    ("generate_silicon_flags.py", "silicon_flags.tsv", "set\tNEW\tnobody\tavx2\tx\n", "base isn't above"),
    ("generate_silicon_flags.py", "silicon_flags.tsv", "set\tNEW\t-\tavx9\tx\n", "no row says"),
])
def test_a_bad_row_stops_the_build(source_root, tmp_path, generator, table, bad, message):
    (tmp_path / table).write_text((source_root / "data" / table).read_text() + bad)
    done = subprocess.run([sys.executable, source_root / "data" / generator, tmp_path / table, tmp_path / "out.c"], capture_output=True, text=True)
    assert done.returncode != 0 and message in done.stderr
