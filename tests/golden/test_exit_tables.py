# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb exits on what other tools wrote: tables, traces, its own JSON; and two of them side by side."""
import json
import pathlib
import re

import pytest

VM = """@reason[18]: 1                                  EXIT_REASON_VMCALL
@reason[0]: 14                                  EXIT_REASON_EXCEPTION_NMI
@reason[31]: 63                                 EXIT_REASON_MSR_READ
@reason[12]: 146                                EXIT_REASON_HLT
@reason[56]: 182                                EXIT_REASON_APIC_WRITE
@reason[49]: 267                                EXIT_REASON_EPT_MISCONF
@reason[52]: 142929                             EXIT_REASON_PREEMPTION_TIMER
@reason[1]: 143007                              EXIT_REASON_EXTERNAL_INTERRUPT
@reason[32]: 143258                             EXIT_REASON_MSR_WRITE
"""
TD = """@reason[48]: 5121                               EXIT_REASON_EPT_VIOLATION
@reason[77]: 137299                             EXIT_REASON_TDCALL
@reason[1]: 271561                              EXIT_REASON_EXTERNAL_INTERRUPT \n"""
UNITS = """Analyze events for all VMs, all VCPUs:

             VM-EXIT    Samples  Samples%     Time%    Min Time    Max Time         Avg time

                 HLT       1000    50.00%    99.66%      0.43us   1000.66us    310.88us ( +-   8.46% )
           MSR_WRITE       1000    50.00%     0.03%      0.33us     32.79us      1.05us ( +-   1.51% )

Total Samples:2000, Total events handled time:311930.00us.
"""
NANOSECONDS = """  Event name   Samples   Sample%    Time (ns)     Time%   Max Time (ns)   Min Time (ns)  Mean Time (ns)
         HLT       100    50.00%    1000000000    99.00%      20000000         100000        10000000
   MSR_WRITE        80    40.00%        80000     0.60%         2000            500            1000
"""
TRACE = """# tracer: nop
 CPU 0/KVM-1234  [003] d..1.  100.000100: kvm_exit: vcpu 0 reason EPT_VIOLATION rip 0xffffffff81000010 info1 0x182 info2 0x0 intr_info 0x0 error_code 0x0
 CPU 0/KVM-1234  [003] d..1.  100.000105: kvm_entry: vcpu 0, rip 0xffffffff81000010
CPU:3 [LOST 12 EVENTS]
  qemu-kvm-1240  (1233) [001] 100.000200: kvm_exit:             reason MSR_WRITE rip 0xffffffff81000020 info 0 0
  qemu-kvm-1240  (1233) [001] 100.000201: kvm_msr:              msr_write 6e0 = 0x12345
  qemu-kvm-1240  (1233) [002] 100.000203: kvm_entry:            vcpu 1
  qemu-kvm-1240  (1233) [001] 100.000300: kvm_exit:             reason npf rip 0xffffffff81000020 info 0 0
an unknown line
"""


@pytest.fixture
def exits(run, tmp_path):
    def read(text, *options):
        (tmp_path / "exits.txt").write_text(text)
        done = run("exits", "-i", "exits.txt", *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if "-j" in options else done.stdout
    return read


@pytest.fixture
def compared(run, tmp_path):
    def compare(a, b, *options):
        (tmp_path / "a.txt").write_text(a)
        (tmp_path / "b.txt").write_text(b)
        done = run("exits", "--compare", *options, "a.txt", "b.txt", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if "-j" in options else done.stdout
    return compare


def row(found, name):
    return next(one for one in found["rows"] if one["name"] == name)


def test_the_two_tables_of_a_tdx_investigation(compared):
    found = compared(VM, TD, "-j")
    assert (found["a"]["timer_interrupts"], found["b"]["timer_interrupts"]) == (285936, 271561)
    assert (found["a"]["timer_armings"], found["b"]["timer_armings"]) == (143258, 137299)
    assert found["a"]["preemption_timer"] == 142929
    # Counts without times and without their duration decide nothing.
    assert found["verdict"] == "undecided" and "--duration" in found["why"]
    text = compared(VM, TD, "--duration", "10", "--vcpus", "8")
    assert "285936" in text and "271561" in text and "143258" in text and "137299" in text
    assert "neither ruled out nor shown" in text


def test_a_given_round_trip_decides(compared):
    few = compared(VM, TD, "-j", "--duration", "10", "--vcpus", "8", "--round-trip", "1,4")
    assert few["verdict"] == "ruled_out" and few["gap_high"] < 0.05
    dear = compared("@reason[32]: 1000  EXIT_REASON_MSR_WRITE\n", UNITS.replace("1.05us", "31.0us").replace("1000    50", "900000    50"),
                    "-j", "--duration", "10", "--vcpus", "1", "--round-trip", "2")
    assert dear["verdict"] == "supported"


def test_few_exits_with_times_are_ruled_out_even_at_a_generous_cost(compared):
    text = compared(UNITS, NANOSECONDS, "--duration", "10", "--vcpus", "4")
    assert "VM exits are ruled out" in text and "generous 20 us" in text


def test_both_layouts_of_perf_kvm(exits):
    units, nanoseconds = exits(UNITS, "-j"), exits(NANOSECONDS, "-j")
    assert row(units, "MSR_WRITE")["mean_ns"] == pytest.approx(1050) and row(units, "MSR_WRITE")["min_ns"] == 330
    assert row(nanoseconds, "MSR_WRITE")["mean_ns"] == pytest.approx(1000) and row(nanoseconds, "MSR_WRITE")["max_ns"] == 2000
    for found in (units, nanoseconds):
        assert row(found, "HLT")["class"] == "idle"
        assert "not_measured" in row(found, "HLT")["p99_ns"] and "not_measured" in row(found, "HLT")["per_second"]
    assert units["handler_ns"] == pytest.approx(1.05e6) and units["idle_ns"] == pytest.approx(310.88e6)


def test_a_locale_with_commas_before_the_fraction(exits):
    assert exits(UNITS.replace(".", ","), "-j") == exits(UNITS, "-j")


def test_only_the_map_of_exits_counts(exits):
    found = exits("@start[1234]: 12345678901\n@reason[48]: 12\n@reason[1, 48]: 7\n@reason[2, 32]: 1  EXIT_REASON_MSR_WRITE\n", "-j")
    assert {one["name"]: one["count"] for one in found["rows"]} == {"EPT_VIOLATION": 19, "MSR_WRITE": 1}
    assert any("1 line is in no form" in note for note in found["notes"]) and any("the last is taken" in note for note in found["notes"])


def test_several_tables_in_one_file_are_said_to_be(exits):
    found = exits(VM + "\n" + TD, "-j")
    assert row(found, "EXTERNAL_INTERRUPT")["count"] == 143007 + 271561
    assert any(note.startswith("1 rows come again") and "several tables" in note for note in found["notes"])
    assert not exits(VM, "-j")["notes"] and any("8 rows" in note or "1 rows" in note for note in exits(UNITS + UNITS.replace("MSR_WRITE", "CPUID"), "-j")["notes"])


def test_a_table_of_a_part_of_the_exits(exits):
    found = exits(UNITS.replace("      HLT", "0x3f8:POUT").replace("MSR_WRITE", "0x60:PIN "), "-j")
    assert any("of port accesses" in note for note in found["notes"]) and found["exits"] == 2000


def test_only_idle_exits(exits):
    text = exits("\n".join(line for line in UNITS.splitlines() if "MSR_WRITE" not in line) + "\n")
    assert "there were none but idle ones" in text and "idle for 311 ms" in text


def test_losses_and_columns_of_other_tools(exits):
    found = exits("""  CPU 0/KVM  1234 [003]   100.000100:          1  kvm:kvm_exit: vcpu 0 reason HLT rip 0x10
  CPU 0/KVM  1234 [003]   100.000205: PERF_RECORD_LOST lost 17
    host.dat:  CPU 0/KVM-1234  [003]  100.000300: (+95)  kvm_entry:  vcpu 0
""", "-j")
    assert found["lost"] == 17 and row(found, "HLT")["mean_ns"] == 200000 and found["vcpus"][0]["pid"] is None
    assert exits("# Total Lost Samples: 3\n" + NANOSECONDS, "-j")["lost"] == 3


def test_three_dialects_in_one_trace(exits):
    found = exits(TRACE, "-j")
    assert row(found, "EPT_VIOLATION")["mean_ns"] == 5000 and row(found, "MSR_WRITE")["mean_ns"] == 3000
    assert "not_measured" in row(found, "npf")["mean_ns"]
    assert found["lost"] == 12 and found["timer_armings"] == 1 and found["timer_armings_exact"]
    assert {(one["tid"], one["vcpu"], one["migrations"]) for one in found["vcpus"]} == {(1234, 0, 0), (1240, 1, 2)}
    assert any("1 line is" in note for note in found["notes"])
    assert row(exits(TRACE, "-j", "--vcpu", "0"), "EPT_VIOLATION")["count"] == 1
    assert [one["name"] for one in exits(TRACE, "-j", "--vcpu", "0")["rows"]] == ["EPT_VIOLATION"]


def test_what_json_wrote_is_read_again(run, exits, tmp_path):
    for text in (TRACE, VM, UNITS):
        first = exits(text, "-j")
        (tmp_path / "again.json").write_text(json.dumps(first))
        again = json.loads(run("exits", "-j", "-i", "again.json", cwd=tmp_path).stdout)
        for key in ("rows", "objects", "vcpus", "lost", "timer_interrupts", "timer_armings", "seconds", "tallies", "uses"):
            assert again[key] == first[key], key


def test_instructions_of_the_guest_get_names(exits, tmp_path):
    (tmp_path / "guest").write_text("ffffffff81000000 T first\nffffffff81000020 T second\nffffffff81000040 T third\n")
    text = exits(TRACE, "--guest-kallsyms", str(tmp_path / "guest"))
    assert "first+0x10" in text and "second+0x0" in text


def test_fields(exits):
    lines = exits(UNITS, "-x", ";").splitlines()
    assert lines[0].split(";")[:4] == ["kvm_exit", "MSR_WRITE", "arming", "1000"] and len(lines) == 2
    assert all(line.count(";") == 11 for line in lines)


@pytest.mark.parametrize("text", ["", "hello\n", "@x[1]: many\n", "{}", '{"tallies": 1}', '{"tallies": [{}]}',
                                  '{"tallies": [{"point": "kvm_exit", "isa": "vmx", "reason": 1, "count": 1, "timed": 2}]}',
                                  "PERFILE2", "\0\0\0", "{" * 5000])
def test_hostile_and_foreign_texts_are_refused(run, tmp_path, text):
    (tmp_path / "exits.txt").write_text(text)
    done = run("exits", "-i", "exits.txt", cwd=tmp_path)
    assert done.returncode == 1 and "plumb exits:" in done.stderr and not done.stdout


def test_exits_that_nobody_looked_at_are_not_0(exits, compared):
    ports = " a-1 [000] 1.0: kvm_pio: pio_write at 0xe9 size 1 count 1 val 0x2e\n a-1 [000] 2.0: kvm_pio: pio_write at 0xe9 size 1 count 1 val 0x2e\n"
    said = " ".join(exits(ports).split())
    assert "how many exits there were in 1 s isn't known: neither kvm_exit nor kvm_userspace_exit was looked at" in said and "port write 2" in said
    found = exits(ports, "-j")
    assert all("not_measured" in found[name] for name in ("exits", "idle_exits", "timer_interrupts", "handler_ns", "idle_ns")) and found["rows"][0]["count"] == 2
    both = " ".join(compared(ports, VM).split())
    assert re.search(r"returns to the virtual machine monitor - \d+ timer interrupts - 285936", both), both
    assert exits(TRACE, "-j")["exits"] == 3


def test_pipes_are_read_as_files_are(run, tmp_path, exits):
    of_file = exits(TRACE, "-j")
    (tmp_path / "vm.txt").write_text(VM)
    piped = run("exits", "-j", "-i", "-", cwd=tmp_path, input=TRACE)
    assert piped.returncode == 0 and json.loads(piped.stdout)["rows"] == of_file["rows"], piped.stderr
    compared = run("exits", "--compare", "--duration", "10", "/dev/stdin", "vm.txt", cwd=tmp_path, input=TD)
    assert compared.returncode == 0 and "271561" in compared.stdout and "143258" in compared.stdout, compared.stderr
    refused = run("exits", "-i", "-", cwd=tmp_path, input="PERFILE2" + "x" * 100)
    assert refused.returncode == 1 and "from a file only" in refused.stderr and "hint:" in refused.stderr
    assert "Is a directory" in run("exits", "-i", ".", cwd=tmp_path).stderr and "there is no file" in run("exits", "-i", "none", cwd=tmp_path).stderr


def test_a_separator_within_a_name_splits_no_field(exits):
    text = '@reason[48, "a,b"]: 5\n@reason[1]: 9\n@reason[12, "c;;d"]: 4\n'
    assert all(line.count(",") == 11 for line in exits(text, "-x", ",").splitlines())
    assert all(line.count(";;") == 11 for line in exits(text, "-x", ";;").splitlines())
    spaced = exits(text, "-x", " ").splitlines()
    assert len(spaced) == 3 and all(line.count(" ") == 11 for line in spaced), spaced


def test_options_behind_the_files_are_told_where_they_belong(run, tmp_path):
    done = run("exits", "--compare", "a.txt", "b.txt", "--duration", "10", cwd=tmp_path)
    assert done.returncode == 2 and "options come before the files" in done.stderr


@pytest.mark.parametrize("words", [("--duration", "0"), ("--duration", "1e300"), ("--duration", "nan"), ("-I", "0"), ("-I", "99999999999999999"), ("--vcpus", "0")])
def test_numbers_that_are_none_of_these(run, words):
    done = run("exits", *words, "--", "true")
    assert done.returncode == 2 and words[0] in done.stderr


def test_a_files_own_seconds_come_first(run, tmp_path, exits):
    first = exits(TRACE, "-j")
    (tmp_path / "saved.json").write_text(json.dumps(first))
    again = json.loads(run("exits", "-j", "-i", "saved.json", "--duration", "1000", cwd=tmp_path).stdout)
    assert again["seconds"] == first["seconds"] and again["rows"] == first["rows"]
    assert any("--duration" in note for note in again["notes"])
    assert exits(VM, "-j", "--duration", "10")["seconds"] == 10


def test_what_is_missing_of_either_side_is_said(compared):
    found = compared(TRACE, VM, "-j")
    assert any(note.startswith("A: ") and "1 line is" in note for note in found["notes"])
    assert "A: 1 line is in no form" in " ".join(compared(TRACE, VM).split())


def test_fields_keep_remarks_to_the_other_stream(run, tmp_path):
    (tmp_path / "exits.txt").write_text(TRACE)
    done = run("exits", "-i", "exits.txt", "-x", ",", cwd=tmp_path)
    assert all(line.count(",") == 11 for line in done.stdout.splitlines())
    assert "12 events were lost" in done.stderr and "1 line is" in done.stderr and "read from a trace" in done.stderr


def test_reasons_are_numbered_as_the_kernels_headers_have_them(source_root):
    header = pathlib.Path("/usr/include/x86_64-linux-gnu/asm/vmx.h")
    if not header.exists():
        pytest.skip("no header of Linux's to compare with")
    ours = {int(row[1], 0): {row[2], *row[4].split()} for row in
            (line.split("\t") for line in (pathlib.Path(source_root) / "data/exit_reasons.tsv").read_text().splitlines() if line.startswith("vmx\t"))}
    theirs = re.findall(r"#define EXIT_REASON_(\w+)\s+(\d+)\b", header.read_text())
    assert len(theirs) > 40
    assert [(name, number) for name, number in theirs if name not in ours[int(number)]] == []


def test_control_characters_of_names_stay_away_from_the_terminal(exits):
    assert "\x1b" not in exits("@reason[48]: 5121   EXIT\x1b[31m_REASON\n")


@pytest.mark.parametrize("words", [("--compare", "a"), ("--compare", "a", "b", "-x", ","), ("-j", "-x", ",", "-i", "a"), ("--effect", "3", "-i", "a"),
                                   ("--compare", "a", "b", "--round-trip", "x"), ("-i", "a", "--vcpu", "x"), ("-i", "a", "--duration", "-1")])
def test_usage(run, words):
    assert run("exits", *words).returncode == 2
