# SPDX-License-Identifier: GPL-3.0-or-later
"""Sort keys of `plumb report` that aren't where or who, and rows by levels: of recordings made here, so that each number is known."""
import re
import subprocess

import pytest

import perf_data_file as made
from perf_data_file import (ADDR, BRANCH_STACK, CALLCHAIN, CGROUP, CGROUP_RECORD, DATA_SRC, IP, KERNEL, PERIOD, PHYS_ADDR, TID, TIME,
                            WEIGHT, File)

L1, RAM = 0x100142, 0x101042  # loads that the first cache, or memory, answered; no snoop, no lock


@pytest.fixture
def report(run, tmp_path):
    def read(recording, *words, status=0):
        path = tmp_path / "perf.data"
        path.write_bytes(recording.file())
        done = run("report", "-g", "none", "--no-children", "-i", str(path), *words)
        assert done.returncode == status, done.stderr
        return done.stderr if status else [re.sub(r"\s+", " ", line).strip() for line in done.stdout.splitlines()
                                           if line.strip() and not line.startswith("#")]
    return read


def accesses():
    recording = File(sample_type=IP | TID | TIME | PERIOD | ADDR | WEIGHT | DATA_SRC)
    recording.comm(7, 7, "prog").mmap2(7, 0x400000, 0x1000, "/nowhere/prog").mmap2(7, 0x700000, 0x1000, "/nowhere/table", protection=1)
    for time, weight, source, addr in ((1, 10, L1, 0x700010), (2, 10, L1, 0x700020), (3, 80, RAM, 0), (150_000_003, 0, RAM, 0)):
        recording.sample(7, 0x400100, time, period=1000, weight=weight, data_src=source, addr=addr)
    return recording


def test_weights_of_one_and_of_all(report):
    assert report(accesses(), "-s", "local_weight") == ["50.00% 10", "25.00% 0", "25.00% 80"]
    assert report(accesses(), "-s", "weight") == ["50.00% 20", "25.00% 0", "25.00% 80"]


def test_what_memory_answered(report):
    assert report(accesses(), "-s", "mem,locked,dso_daddr") == ["50.00% L1 hit No table", "50.00% Local RAM hit No [unknown]"]


def test_accesses_count_with_their_weight(report):
    assert report(accesses(), "--mem-mode", "-s", "mem") == ["80.20% Local RAM hit", "19.80% L1 hit"]  # 81 and 20 of 101
    usual = report(accesses(), "--mem-mode")
    assert usual[0].startswith("79.21% 80 Local RAM hit [.] 0x") and len(usual) == 4


def test_slices_of_time(report):
    assert report(accesses(), "-s", "time") == ["75.00% 0.000000", "25.00% 0.100000"]


def test_numbers_are_columns_too(report):
    assert report(accesses(), "-s", "period,sample,comm") == ["100.00% 4000 4 prog"]
    assert report(accesses(), "-s", "+tid") == ["100.00% prog prog [.] 0x0000000000000100 7:prog"]


def test_what_the_recording_lacks_is_said(report):
    plain = made.small()
    for key, hint in (("mem", "record -d"), ("weight", "record -W"), ("trace", "record -e")):
        said = report(plain, "-s", key, status=2)
        assert f"nothing that '{key}' could show" in said and hint in said
    assert "holds no memory accesses" in report(plain, "--mem-mode", status=2)
    assert "unknown sort key 'smybol'" in report(plain, "-s", "smybol", status=2)
    assert "did you mean symbol" in report(plain, "-s", "smybol", status=2)
    assert "leave out --fields" in report(plain, "--hierarchy", "-F", "overhead,sym", status=2)



def test_damaged_events_are_said_with_their_place(run, tmp_path):
    whole = bytearray(made.small().file())
    path, attrs_at = tmp_path / "perf.data", 112  # behind the header and an id
    for at, value, said in ((attrs_at + 4, 99, f"event 0, at offset {attrs_at}: an event attribute of 99 bytes where there are 128"),
                            (attrs_at + 128, 0x7fffffff, f"the ids of event 0 would stand at {0x7fffffff}+8 of {len(whole)} bytes")):
        bytes_now = bytearray(whole)
        bytes_now[at:at + 4] = value.to_bytes(4, "little")
        path.write_bytes(bytes_now)
        done = run("report", "-i", str(path))
        assert done.returncode == 1 and said in done.stderr, done.stderr


def test_rows_by_levels(report, run, tmp_path):
    recording = made.small()
    recording.comm(9, 9, "other").mmap(9, 0x400000, 0x2000, "/nowhere/prog", offset=0x1000)
    recording.sample(9, 0x400200, 4000000, period=6000)
    path = tmp_path / "perf.data"
    path.write_bytes(recording.file())
    done = run("report", "--hierarchy", "-g", "none", "-i", str(path), "-s", "comm,dso")
    assert done.stdout.split("#\n")[-1].rstrip().split("\n") == [
        "    50.00%     other",
        "       50.00%     prog",
        "    50.00%     prog",
        "       25.00%     prog",
        "       16.67%     libx.so",
        "        8.33%     [kernel.kallsyms]"]
    assert "#    Overhead  Command / Shared Object\n# ...........  ......................." in done.stdout
    limited = run("report", "-q", "--hierarchy", "-g", "none", "-i", str(path), "-s", "comm,dso,sym", "--percent-limit", "30").stdout
    assert limited.split("\n")[3:5] == ["    50.00%        prog", " " * 21 + "no entry >= 30.00%"]


def test_lists_choose_without_their_key_too(report):
    """A share is of what fell into the binary or function asked for, whatever else tells rows apart."""
    assert report(made.small(), "-s", "comm") == ["100.00% prog"]
    assert report(made.small(), "-s", "comm", "--dsos", "libx.so") == ["33.33% prog"]
    assert report(made.small(), "-s", "comm", "--dsos", "libx.so,prog") == ["50.00% prog prog", "33.33% prog libx.so"]
    for words in (("-s", "comm", "--dsos", "none"), ("-s", "pid", "--symbols", "none"), ("-F", "overhead,comm", "--dsos", "none"), ("-s", "comm", "--symbol-filter", "none")):
        assert report(made.small(), *words) == [], words


@pytest.mark.parametrize("words, order", [((), [2, 1, 0]), (("--no-children",), [0, 1, 2]), (("-g", "callee"), [0, 1, 2]), (("-g", "caller", "--no-children"), [2, 1, 0])])
def test_chains_below_levels_stand_as_in_other_reports(run, tmp_path, words, order):
    recording = File(sample_type=IP | TID | TIME | PERIOD | CALLCHAIN)
    recording.comm(9, 9, "prog").mmap2(9, 0x400000, 0x2000, "/nowhere/prog")
    chain = [0x400200, 0x400300, 0x400400]
    recording.sample(9, chain[0], 4000000, chain=chain)
    (tmp_path / "perf.data").write_bytes(recording.file())
    text = run("report", "--hierarchy", "-i", str(tmp_path / "perf.data"), "-s", "comm,dso", *words).stdout
    assert [int(address, 16) for address in re.findall(r"0x(400[234]00)$|--0x(400[234]00)", text, re.M) for address in address if address] == [chain[at] for at in order], text


def test_levels_of_an_event_group(report):
    recording = File(sample_type=IP | TID | TIME | PERIOD | made.IDENTIFIER, events=2)
    recording.comm(7, 7, "prog").mmap2(7, 0x400000, 0x1000, "/nowhere/prog")
    recording.sample(7, 0x400100, 1, period=30)
    recording.sample(7, 0x400100, 2, period=10, event=1)
    recording.sample(7, 0x500100, 3, period=10)
    assert report(recording, "--group", "--hierarchy", "-s", "comm,dso", "-n")[:2] == ["100.00% 100.00% 2 1 prog", "75.00% 100.00% 1 1 prog"]


def test_all_events_share_a_table_only_where_none_is_in_a_group(report):
    """As in perf: what a recorder added beside the group asked for is no column of it."""
    recording = File(sample_type=IP | TID | TIME | PERIOD | made.IDENTIFIER, events=3)
    recording.comm(7, 7, "prog").mmap2(7, 0x400000, 0x1000, "/nowhere/prog")
    for event in range(3):
        recording.sample(7, 0x400100, 1 + event, period=30, event=event)
    assert report(recording, "--group", "-s", "comm") == ["100.00% 100.00% 100.00% prog"]
    name = b"anon".ljust(64, b"\0")
    recording.features[17] = recording.pack("II", 1, len(name)) + name + recording.pack("II", 0, 2)
    assert report(recording, "--group", "-s", "comm") == ["100.00% 100.00% prog", "100.00% prog"]


def threads_named():
    recording = File()
    recording.comm(7, 7, "first").mmap2(7, 0x400000, 0x1000, "/nowhere/prog").task(made.FORK, 7, 7, 1, tid=8)
    recording.sample(7, 0x400100, 2, period=40).sample(7, 0x400100, 3, tid=8, period=10)
    recording.comm(7, 8, "worker", time=4).sample(7, 0x400100, 5, tid=8, period=30).comm(7, 7, "last", time=6).sample(7, 0x400100, 7, period=20)
    return recording


def test_a_number_has_the_name_of_whom_it_is(report):
    """A process that of its main thread, a thread its own, each as it was called at the end; the row's names beside it are those of its samples."""
    assert report(threads_named(), "-s", "pid") == ["100.00% 7:last"]
    assert report(threads_named(), "-s", "pid,comm") == ["50.00% 7:last first", "30.00% 7:last worker", "20.00% 7:last last"]
    assert report(threads_named(), "-s", "tid,comm") == ["40.00% 7:last first", "30.00% 8:worker worker", "20.00% 7:last last", "10.00% 8:worker first"]


def test_shares_of_the_recordings_time(report):
    recording = File(sample_type=IP | TID | TIME | PERIOD)
    recording.comm(7, 7, "prog")
    for at in range(11):
        recording.comm(7, 7, f"turn{at:02}", time=1000 + 100 * at).sample(7, 0x400100, 1000 + 100 * at, period=1)
    recording.feature(21, recording.pack("QQ", 1000, 2000))
    turns = lambda *words: sorted(row.split()[1] for row in report(recording, "-s", "comm", "--time", *words))
    assert turns("0%-20%") == ["turn00", "turn01", "turn02"]
    assert turns("0%-10%,50%-60%") == ["turn00", "turn05", "turn06"]  # the end of all but the last is not within
    assert turns("50%/2") == ["turn05", "turn06", "turn07", "turn08", "turn09", "turn10"]
    for wrong in ("5%", "20%-10%", "0%-101%", "50%/3", ",".join(["0%-1%"] * 17)):
        assert "is not a stretch of time" in report(recording, "--time", wrong, status=2)
    plain = File(sample_type=IP | TID | TIME | PERIOD)
    plain.comm(7, 7, "prog").sample(7, 0x400100, 5, period=1)
    assert "doesn't say when its samples begin and end" in report(plain, "--time", "0%-10%", status=2)


def test_rows_by_levels_for_spreadsheets(run, tmp_path):
    recording = made.small()
    path = tmp_path / "perf.data"
    path.write_bytes(recording.file())
    lines = run("report", "--hierarchy", "-t,", "-g", "none", "-i", str(path), "-s", "comm,dso", "-n").stdout.splitlines()
    assert "# Overhead,     Samples,Command / Shared Object" in lines
    assert [line for line in lines if line and line[0] != "#"] == [
        " 100.00%, 3          ,prog   ", "    50.00% , 1          ,prog             ", "    33.33% , 1          ,libx.so          ",
        "    16.67% , 1          ,[kernel.kallsyms]"]


# ---- where data was, what a file or a cgroup took ----

def test_data_addresses(report):
    recording = File(sample_type=IP | TID | TIME | PERIOD | ADDR | PHYS_ADDR)
    recording.comm(7, 7, "prog").mmap2(7, 0x400000, 0x1000, "/nowhere/prog").mmap2(7, 0x700000, 0x1000, "/nowhere/table", offset=0x3000, protection=3)
    for time, addr, physical in ((1, 0x700010, 0x1000), (2, 0x700030, 0x1000), (3, 0x700048, 0x2000), (4, 0, 0)):
        recording.sample(7, 0x400100, time, period=1000, addr=addr, phys=physical)
    assert report(recording, "-s", "dcacheline") == ["50.00% [.] 0x0000000000003000", "25.00% [.] 0x0000000000003040", "25.00% [.] N/A"]
    assert report(recording, "-s", "symbol_daddr")[0].startswith("25.00% [.] 0x") and len(report(recording, "-s", "symbol_daddr")) == 4
    assert report(recording, "-s", "phys_daddr") == ["50.00% [.] 0x0000000000001000", "25.00% [.] 0x0000000000002000", "25.00% [.] N/A"]
    assert report(recording, "-s", "addr,srcfile,symbol_size") == ["100.00% 0x400100 . unknown"]
    assert "record -d" in report(made.small(), "-s", "dcacheline", status=2)


def test_memory_accesses_without_weights_and_without_what_they_cause(run, tmp_path):
    """Weights that weren't recorded have no column, since 0 would be one; callers' sums have none in perf either."""
    recording = File(sample_type=IP | TID | TIME | PERIOD | ADDR | DATA_SRC | CALLCHAIN)
    recording.comm(7, 7, "prog").mmap2(7, 0x400000, 0x1000, "/nowhere/prog").sample(7, 0x400100, 1, chain=(0x400100, 0x400200), addr=0x700010)
    path = tmp_path / "perf.data"
    path.write_bytes(recording.file())
    lines = run("report", "--mem-mode", "-g", "none", "-i", str(path)).stdout.splitlines()
    heading = next(line for line in lines if line.startswith("# Overhead"))
    assert re.split(r" {2,}", heading.strip("# "))[:5] == ["Overhead", "Memory access", "Symbol", "Shared Object", "Data Symbol"]
    assert "Children" not in heading and "Weight" not in heading and "[.] 0x0000000000700010" in "".join(lines)


def test_sizes_stand_at_the_right(run, tmp_path):
    (tmp_path / "perf.data").write_bytes(made.small().file())
    lines = run("report", "-s", "symbol_size", "-i", str(tmp_path / "perf.data")).stdout.splitlines()
    heading = next(line for line in lines if line.startswith("# Overhead"))
    assert {line.index("unknown") + len("unknown") for line in lines if "unknown" in line} == {heading.index("Symbol size") + len("Symbol size")}


def test_cgroups(report):
    recording = File(sample_type=IP | TID | TIME | PERIOD | CGROUP)
    recording.comm(7, 7, "prog").record(CGROUP_RECORD, recording.pack("Q", 5) + recording.text("/jobs/one") + recording.trailer(0, 0, 0))
    recording.sample(7, 0x400100, 1, period=3000, cgroup=5).sample(7, 0x400100, 2, period=1000, cgroup=6)
    assert report(recording, "-s", "cgroup") == ["75.00% /jobs/one", "25.00% N/A"]


def test_transactions_of_branches(report):
    recording = File(sample_type=IP | TID | TIME | PERIOD | BRANCH_STACK)
    recording.comm(7, 7, "prog").mmap2(7, 0x400000, 0x1000, "/nowhere/prog")
    mispredicted, predicted, inside, aborted = 1, 2, 4, 8
    recording.sample(7, 0x400100, 1, branches=[(0x400010, 0x400020, predicted), (0x400010, 0x400020, predicted | inside), (0x400010, 0x400020, mispredicted | inside | aborted),
                                               (0x400010, 0x400020, predicted)])
    assert report(recording, "-b", "-s", "in_tx,abort,mispredict") == ["50.00% . . N", "25.00% T . N", "25.00% T A Y"]
    assert report(recording, "-b", "-s", "abort") == ["75.00% .", "25.00% A"]


# ---- stacks of functions that a table names ----

def in_kernel():
    base = 0xffffffff81000000
    recording = File(sample_type=IP | TID | TIME | PERIOD | CALLCHAIN)
    recording.comm(7, 7, "prog")
    recording.mmap(0xffffffff, base, 0x1000000, "[kernel.kallsyms]_text", base, misc=KERNEL)
    stacks = [("leaf", "middle", "root"), ("leaf", "middle", "root"), ("other", "middle", "root"), ("leaf", "root"), ("root",)]
    starts = {"root": 0x1000, "middle": 0x2000, "leaf": 0x3000, "other": 0x4000}
    for time, stack in enumerate(stacks):
        chain = [base + starts[name] + 8 * (1 + (name == "middle" and time == 1)) for name in stack]
        recording.sample(7, chain[0], time, period=20, misc=KERNEL, chain=[made.CONTEXT_KERNEL, *chain])
    return recording, "".join(f"{base + start:x} T {name}\n" for name, start in [("_text", 0), *starts.items(), ("_etext", 0x5000)])


@pytest.fixture
def stacks(run, tmp_path):
    recording, names = in_kernel()
    (tmp_path / "kallsyms").write_text(names)
    (tmp_path / "perf.data").write_bytes(recording.file())

    def read(*words, status=0):
        done = run("report", "-q", "-i", str(tmp_path / "perf.data"), "--kallsyms", str(tmp_path / "kallsyms"), *words)
        assert done.returncode == status, done.stderr
        return done.stderr if status else [re.sub(r"\s+", " ", line).strip() for line in done.stdout.splitlines() if line.strip()]
    return read


def test_what_some_functions_call_is_theirs(stacks):
    assert stacks("-g", "none", "--no-children", "-s", "sym") == ["60.00% [k] leaf", "20.00% [k] other", "20.00% [k] root"]
    assert stacks("-g", "none", "--no-children", "-s", "sym", "--ignore-callees", "^mid") == ["60.00% [k] middle", "20.00% [k] leaf", "20.00% [k] root"]
    assert stacks("-g", "none", "-s", "sym", "--ignore-callees", "middle|root") == ["100.00% 100.00% [k] root"]
    folded = stacks("-g", "folded,caller,count", "--no-children", "-s", "comm", "--ignore-callees", "middle")
    assert sorted(folded) == ["1 root", "1 root;leaf", "100.00% prog", "3 root;middle"]
    assert "Unmatched" in stacks("--ignore-callees", "(", status=2)


def test_functions_of_one_name_stay_apart_in_levels(stacks, tmp_path):
    names = tmp_path / "kallsyms"
    names.write_text(names.read_text().replace("other", "leaf"))
    assert stacks("-g", "none", "--no-children", "-s", "sym") == ["60.00% [k] leaf", "20.00% [k] leaf", "20.00% [k] root"]
    assert stacks("-g", "none", "--hierarchy", "-s", "comm,sym") == ["100.00% prog", "60.00% [k] leaf", "20.00% [k] leaf", "20.00% [k] root"]


def test_what_nothing_names_is_as_if_not_recorded(report, tmp_path):
    recording, names = in_kernel()
    (tmp_path / "kallsyms").write_text(names)
    recording.mmap2(7, 0x400000, 0x1000, "/nowhere/prog", time=6).sample(7, 0x400100, 9, period=100)
    words = ("-s", "sym", "--kallsyms", str(tmp_path / "kallsyms"))
    assert report(recording, *words) == ["50.00% [.] 0x0000000000000100", "30.00% [k] leaf", "10.00% [k] other", "10.00% [k] root"]
    assert report(recording, *words, "-U") == ["60.00% [k] leaf", "20.00% [k] other", "20.00% [k] root"]


def test_callers_that_nothing_names_are_left_out_too(report, tmp_path):
    """What has no name counts nowhere: neither for its callers, nor whatever the keys are, as in perf."""
    program = tmp_path / "prog"
    subprocess.run(["cc", "-O1", "-no-pie", "-x", "c", "-", "-o", program], input="int main(void) { return 0; }", text=True, check=True)
    main = int(next(line.split()[0] for line in subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines() if line.endswith(" main")), 16)
    recording = made.File(sample_type=made.IP | made.TID | made.TIME | made.PERIOD | made.CALLCHAIN)
    recording.comm(7, 7, "prog").mmap2(7, 0x401000, 0x1000, str(program), offset=0x1000).mmap2(7, 0x900000, 0x1000, "/nowhere")
    recording.sample(7, main, 1, chain=(made.CONTEXT_USER, main, 0x900010)).sample(7, 0x900020, 2, chain=(made.CONTEXT_USER, 0x900020, main))
    assert report(recording, "-U", "--children") == ["100.00% 100.00% prog prog [.] main"]
    assert report(recording, "-U", "--children", "-g", "folded") == ["100.00% 100.00% prog prog [.] main", "100.00% main"]
    assert report(recording, "-U", "-s", "dso") == ["100.00% prog"] and report(recording, "-s", "dso") == ["50.00% nowhere", "50.00% prog"]
    assert report(recording, "-U", "-s", "comm", "-n") == ["100.00% 1 prog"]


def test_only_names_that_contain(stacks):
    assert stacks("-g", "none", "--no-children", "-s", "sym", "--symbol-filter", "oo") == ["20.00% [k] root"]


def test_trees_by_address(stacks):
    words = ("--no-children", "-s", "sym", "-S", "leaf")
    calls = lambda how: sorted(line.strip("|- ") for line in stacks("-g", how, *words) if "middle" in line)
    assert calls("graph,callee") == ["40.00%--middle"] and calls("graph,callee,address") == ["20.00%--middle +16", "20.00%--middle +8"]
    assert calls("graph,callee,srcline") == ["40.00%--middle"]  # one function, of which no line is known
    by_row = stacks("-g", "none", "-s", "sym")
    assert [row for row in stacks("-g", "graph,address", "-s", "sym") if "[k]" in row] == by_row  # rows stay functions


def test_lines_that_nobody_knows_are_places_in_script(stacks, run, tmp_path):
    shown = run("script", "-i", str(tmp_path / "perf.data"), "--kallsyms", str(tmp_path / "kallsyms"), "-F", "ip,sym,srcline").stdout
    assert " leaf\n  [kernel.kallsyms][ffffffff81003008]\n" in shown and "leaf+" not in shown


def test_no_more_branches_than_asked_for(stacks):
    words = ("--no-children", "-s", "comm", "-g")
    assert len(stacks(*words, "folded,0,count,callee")) == 1 + 4
    assert stacks(*words, "folded,0,1,count,callee") == ["100.00% prog", "2 leaf;middle;root"]
    drawn = [line for line in stacks(*words, "graph,0,1,callee") if "%--" in line]
    assert drawn == ["|--60.00%--leaf", "| |--40.00%--middle"]
    assert [line for line in stacks(*words, "graph,0,2,callee") if "%--" in line] == ["|--60.00%--leaf", "| |--40.00%--middle", "| --20.00%--root", "|--20.00%--other"]


def test_widths_of_columns(stacks, run, tmp_path):
    done = run("report", "-i", str(tmp_path / "perf.data"), "--kallsyms", str(tmp_path / "kallsyms"), "--no-children", "-g", "none", "-s", "comm,dso", "-w", "12,3")
    assert "#     Overhead  Com  Shared Object    \n# ............  ...  ................." in done.stdout
    assert "     100.00%  pro  [kernel.kallsyms]" in done.stdout
    assert "expects numbers" in stacks("-w", "1,x", status=2)


def test_commands_are_told_apart_where_they_choose(report):
    """A row of several commands has the name of its first alone."""
    recording = File()
    recording.comm(7, 7, "one").mmap2(7, 0x400000, 0x1000, "/nowhere/prog").sample(7, 0x400100, 1).comm(7, 7, "two", time=2).sample(7, 0x400100, 3)
    assert report(recording, "-s", "dso", "--comms", "two") == ["50.00% prog"]
    assert report(recording, "-s", "dso", "--comms", "one,two") == ["50.00% prog one", "50.00% prog two"]
    assert report(recording, "-s", "dso", "--comms", "none") == []


def test_nameless_threads_are_rows_of_their_own(report):
    recording = File().mmap2(7, 0x400000, 0x1000, "/nowhere/prog")
    recording.sample(7, 0x400100, 1).sample(7, 0x400100, 2, tid=8).sample(7, 0x400100, 3, tid=8).sample(7, 0x400100, 4, tid=9)
    assert report(recording, "-s", "comm") == ["50.00% :8", "25.00% :7", "25.00% :9"]
    assert report(recording, "-s", "dso") == ["100.00% prog"]


def two_events():
    """cpu-clock at 100, 300 and 400, task-clock at 200 and 500, on CPUs 0 and 1."""
    recording = File(sample_type=made.IDENTIFIER | IP | TID | TIME | PERIOD | made.CPU, events=2)
    recording.comm(7, 7, "prog").mmap2(7, 0x400000, 0x1000, "/nowhere/prog")
    for time, event in ((100, 0), (200, 1), (300, 0), (400, 0), (500, 1)):
        recording.sample(7, 0x400000 + time, time, event=event, period=time, cpu=time > 350)
    return recording


def test_widths_of_numbers_side_by_side(run, tmp_path):
    (tmp_path / "perf.data").write_bytes(two_events().file())
    shown = run("report", "-q", "-i", str(tmp_path / "perf.data"), "--group", "-s", "comm", "-w", "12,3").stdout
    assert "     100.00%     100.00%  pro" in shown
    shown = run("report", "-i", str(tmp_path / "perf.data"), "--group", "-s", "comm", "-w", "12,3").stdout
    assert f"#                 Overhead  Com\n# {'.' * 24}  ...\n" in shown


def test_samples_between_two_events(report, run, tmp_path):
    """What switches is of neither side, unless it is asked for."""
    def periods(*words):
        return sorted(int(line.split()[0]) for line in report(two_events(), "-s", "sym", "-F", "period,sym", *words))
    assert periods("--switch-on", "task-clock:p") == [300, 400, 500]
    assert periods("--switch-off", "task-clock:p") == [100]
    assert periods("--switch-on", "task-clock:p", "--show-on-off-events") == [200, 300, 400, 500]
    assert periods("--switch-on", "task-clock:p", "--switch-off", "task-clock:p") == [300, 400]
    assert periods("--switch-off", "task-clock:p", "--show-on-off-events") == [100, 200]
    assert "no event 'cycles'" in report(two_events(), "--switch-on", "cycles", status=2)
    path = str(tmp_path / "perf.data")
    assert run("script", "-i", path, "--switch-on", "task-clock:p", "-F", "period").stdout.split() == ["300", "400", "500"]


def test_slices_of_another_length(report):
    assert report(accesses(), "-s", "time", "--time-quantum", "10ms") == ["75.00% 0.000000", "25.00% 0.150000"]
    assert "expects a time" in report(accesses(), "--time-quantum", "0", status=2)


def test_slices_with_nine_digits(report):
    assert report(accesses(), "-s", "time", "--ns") == ["75.00% 0.000000000", "25.00% 0.100000000"]
    assert report(accesses(), "-s", "time", "--ns", "--time-quantum", "7ns")[-1].split()[1] != "0.000000000"


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("order", "<>")
def test_counters_of_threads(run, tmp_path, order, grouped):
    recording = made.File(order=order, events=2, sample_type=made.IP | made.TID | made.TIME | made.PERIOD | made.ID, read_format=made.READ_ID | (made.READ_GROUP if grouped else 0))
    recording.comm(7, 7, "prog").sample(7, 0x100, 1)

    def counted(tid, event, value, time):
        values = recording.pack("QQQQQ", 2, 11, recording.ids[1 - event][0], value, recording.ids[event][0]) if grouped else recording.pack("QQ", value, recording.ids[event][0])
        recording.record(8, recording.pack("II", 7, tid) + values + recording.trailer(7, tid, time, event))
    for tid, event, value in ((8, 0, 100), (8, 1, 12345678901234), (9, 0, 300), (8, 0, 50)):
        counted(tid, event, value, tid)
    path = tmp_path / "perf.data"
    path.write_bytes(recording.file())
    shown = run("report", "-i", path, "-T", "-g", "none", "-q").stdout.splitlines()
    heading = next(at for at, line in enumerate(shown) if line.split()[:3] == ["#", "PID", "TID"])
    assert len(shown[heading].split()) == 5
    assert [line.split() for line in shown[heading + 1:]] == [["7", "8", "150", "12345678901234"], ["7", "9", "300", "-"]]


def test_peers_words_that_arent_had_say_what_serves(report):
    for words, hint in ((("--pretty=raw",), "-T"), (("-D",), "script"), (("--itrace=i",), "perf reads them"),
                        (("-s", "parent"), "--ignore-callees"), (("-s", "socket"), "-C"), (("-g", "branch"), "brstacksym")):
        said = report(made.small(), *words, status=2)
        assert ("plumb has no" in said or "aren't drawn" in said) and hint in said, said


def test_peers_options_of_the_other_readers_say_what_serves(run):
    for words, hint in ((("script", "--show-text-poke-events"), "perf script"), (("record", "--aio"), "one thread"), (("stat", "--iostat"), "uncore"), (("script", "--xed"), "instructions are skipped"),
                        (("annotate", "--stdio2"), "one form"), (("diff", "--compute=delta"), "intervals")):
        done = run(*words)
        assert done.returncode == 2 and "plumb has no option" in done.stderr and hint in done.stderr, done.stderr
