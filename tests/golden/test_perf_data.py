# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading perf.data: made files of both byte orders and every shape, and real ones with what perf prints for them."""
import os
import pathlib
import re
import signal
import struct
import subprocess
from time import sleep

import perf_data_file as made
import pytest
from perf_data_file import File

ORDERS = pytest.mark.parametrize("order", "<>", ids=["little", "big"])
SAME = "prog 42 0.001000: 400100 ([prog])"


@pytest.fixture
def script(run, tmp_path):
    def read(data, *words, fails=False):
        path = tmp_path / "perf.data"
        path.write_bytes(data)
        done = run("script", "-i", str(path), *words)
        assert (done.returncode != 0) == fails, done.stderr
        return done if fails else [re.sub(r"\s+", " ", line).strip() for line in done.stdout.splitlines()]
    return read


@pytest.fixture
def report(run, tmp_path):
    def read(data, *words):
        path = tmp_path / "perf.data"
        path.write_bytes(data)
        done = run("report", "-q", "-g", "none", "--no-children", "-t", ",", "-i", str(path), *words)
        assert done.returncode == 0, done.stderr
        return [re.sub(r" *, *", ",", line.strip()) for line in done.stdout.splitlines() if line.strip()]
    return read


SMALL_LINES = [
    "prog 42 0.001000: 3000 cpu-clock:p: 400100 [unknown] (/nowhere/prog)",
    "prog 42 0.002000: 2000 cpu-clock:p: 7f0000000200 [unknown] (/nowhere/libx.so)",
    "prog 42 0.003000: 1000 cpu-clock:p: ffffffff81000300 [unknown] ([kernel.kallsyms])",
]
NO_NAMES = ("--kallsyms", "/dev/null")


@ORDERS
def test_both_byte_orders(script, order):
    assert script(made.small(order=order).file(), *NO_NAMES) == SMALL_LINES


@ORDERS
@pytest.mark.parametrize("size", [64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 256])
def test_attributes_of_any_age(script, order, size):
    assert script(made.small(order=order, attr_size=size).file(), *NO_NAMES) == SMALL_LINES


@ORDERS
def test_version_1(script, order):
    assert script(made.small(order=order, version=1).file(), *NO_NAMES) == SMALL_LINES


@ORDERS
def test_pipe_format(script, run, order):
    whole = made.small(order=order).pipe()
    assert script(whole, *NO_NAMES) == SMALL_LINES


@ORDERS
def test_pipe(plumb, order):
    whole = made.small(order=order).pipe()
    done = subprocess.run([plumb, "script", "-i", "-", *NO_NAMES], input=whole, capture_output=True, timeout=60)
    lines = [re.sub(r"\s+", " ", line).strip() for line in done.stdout.decode().splitlines()]
    assert (lines, done.returncode) == (SMALL_LINES, 0), done.stderr


def test_a_pipe_tells_its_machine_as_it_goes(script):
    """Registers are named by the machine, which a pipe names behind its beginning."""
    recording = File(sample_type=made.IP | made.TID | made.TIME | made.REGS_USER, regs_user=1 << 31)
    recording.comm(7, 7, "a").sample(7, 0x10, 1000, regs=(5,)).string_feature(6, "aarch64")
    assert script(recording.pipe(), "-F", "uregs") == ["ABI:2 sp:0x5"]


@ORDERS
def test_without_sample_id_all(script, order):
    assert script(made.small(order=order, sample_id_all=False).file(), *NO_NAMES) == SMALL_LINES


@pytest.mark.parametrize("kind", [made.COMPRESSED, made.COMPRESSED2])
@pytest.mark.parametrize("pieces", [1, 3, 40])
def test_compressed(script, kind, pieces):
    assert script(made.small().compress(kind, pieces).file(), *NO_NAMES) == SMALL_LINES


@ORDERS
def test_report_shares(report, order):
    assert report(made.small(order=order).file(), "-s", "comm,dso") == [
        "50.00%,prog,prog", "33.33%,prog,libx.so", "16.67%,prog,[kernel.kallsyms]"]


@ORDERS
def test_every_sample_field(script, order):
    whole = (1 << 25) - 1 & ~(made.READ | made.WEIGHT | made.AUX | made.STREAM_ID)
    recording = File(order, sample_type=whole, regs_user=0b101, regs_intr=0b10)
    recording.comm(7, 7, "all")
    flags = 1 | 3 << 4 if order == "<" else 1 << 63 | 3 << 44  # mispredicted, 3 cycles
    recording.sample(7, 0x1234, 5000, cpu=3, period=77, addr=0xabc, chain=(made.CONTEXT_USER, 0x1234, 0x5678),
                     raw=b"abcd", branches=[(0x10, 0x20, flags)], regs=(0x11, 0x22), intr=(0x33,), stack=b"s" * 16,
                     weight=9 | 1 << 40, data_src=0x2462a100142, phys=0xdef, cgroup=12, data_page=4096, code_page=2 << 20)
    recording.string_feature(6, "x86_64")
    head, frame1, frame2, rest = script(recording.file(), "-F", "comm,tid,cpu,time,period,addr,weight,ip,iregs,uregs,"
                                        "brstack,phys_addr,cgroup,data_page_size,code_page_size,misc,flags,data_src,ins_lat,"
                                        "retire_lat", "--ns")
    assert head == ("all 7 [003] U 0.000005000: 77 abc 2462a100142 |OP LOAD|LVL L1 or L3 hit|SNP None or Fwd|TLB L1 hit|LCK Yes"
                    "|BLK Data 9 256")
    assert (frame1, frame2) == ("1234", "5678")
    assert rest == ("ABI:2 BX:0x33 ABI:2 AX:0x11 CX:0x22 0x10/0x20/M/-/-/3/ def cgroup 12 4K 2M 0")


def test_fields_of_one_type_of_event(script):
    """As perf takes them: a type's list holds for its events alone, an empty one leaves them out, what comes later holds."""
    software = made.small().file()
    assert script(software, "-F", "sw:comm,time") == ["prog 0.001000:", "prog 0.002000:", "prog 0.003000:"]
    assert script(software, *NO_NAMES, "-F", "hw:comm", "-F", "trace:") == SMALL_LINES
    assert script(software, "-F", "sw:") == []
    assert script(software, "-F", "sw:", "-F", "comm,tid") == ["prog 42"] * 3
    assert script(software, "-F", "comm,tid", "-F", "sw:time")[0] == "0.001000:"
    assert script(software, *NO_NAMES, "-F", "sw:-comm,-symoff,-dso", "-F", "+pid")[0] == "42/42 0.001000: 3000 cpu-clock:p: 400100 [unknown]"
    assert script(software, "-F", "comm,callindent,ipc,synth,ip")[0] == "prog 400100"
    for words, said in (("sof:comm", "'sof' in 'sof:comm' is no type of events"), ("sw:com", "unknown field 'com'"), ("", "no field was named"),
                        ("sw:cpu", "recorded without 'cpu'"), ("comm,+ip", "mixes fields")):
        assert said in script(software, "-F", words, fails=True).stderr, words


def test_an_address_that_faulted_has_its_name_and_file(script):
    recording = File(sample_type=made.IP | made.TID | made.TIME | made.ADDR, config=2)
    recording.comm(7, 7, "one").mmap2(7, 0x10000000, 0x5000, "/prog")
    recording.sample(7, 0x10000010, 1000, addr=0x10000020).sample(7, 0x10000010, 2000, addr=0x5000)
    assert script(recording.file(), "-F", "ip,addr,sym,symoff,dso") == ["10000020 [unknown] (/prog) 10000010 [unknown] (/prog)",
                                                                       "5000 [unknown] ([unknown]) 10000010 [unknown] (/prog)"]
    assert script(recording.file(), "-F", "ip,addr") == ["10000020 10000010", "5000 10000010"]


def entry_of(path):
    """Where an x86-64 program begins: address, offset in its file, what its first segment with code is mapped as."""
    content = pathlib.Path(path).read_bytes()
    entry, segments = struct.unpack_from("<QQ", content, 24)
    size, count = struct.unpack_from("<HH", content, 54)
    for at in range(segments, segments + size * count, size):
        kind, flags, offset, addr, _, length = struct.unpack_from("<IIQQQQ", content, at)
        if kind == 1 and flags & 1 and addr <= entry < addr + length:
            return content, entry - addr + offset
    raise AssertionError("no code at its entry")


def test_instructions_and_names_of_branches(script, plumb):
    content, offset = entry_of(plumb)
    if struct.unpack_from("<H", content, 18) != (62,):
        pytest.skip("another machine's code")
    recording = File(sample_type=made.IP | made.TID | made.BRANCH_STACK, branch_sample_type=1)
    recording.comm(7, 7, "one")
    recording.mmap(7, 0x10000000, len(content) + 4096 & ~4095, str(plumb))
    at = 0x10000000 + offset
    recording.sample(7, at, 1000, branches=[(at, at + 2, 2 | 3 << 4 | 4 << 20)])
    recording.sample(7, 0x5000, 2000, branches=[(0x5000, 0x6000, 1 | 15 << 20 | 1 << 26)])
    recording.string_feature(6, "x86_64")
    known, unknown = script(recording.file(), "-F", "ip,insn,insnlen,brstacksym")
    length = int(re.search(r" ilen: (\d+)", known)[1])
    assert known == (f"{at:x}_start+0x0/_start+0x2/P/-/-/3/CALL ilen: {length} "
                     f"insn: {content[offset:offset + length].hex(' ')}")
    assert unknown == "5000[unknown]/[unknown]/M/-/-/0/FAULT_DATA"  # no bytes, no length: nothing is made up


def test_branches_by_file(script):
    """Where both ends stand in their files, as addresses and as offsets: in a program, the kernel and nowhere."""
    recording = File(sample_type=made.IP | made.TID | made.BRANCH_STACK, branch_sample_type=1)
    recording.comm(7, 7, "one")
    recording.mmap(0xffffffff, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text", offset=0xffffffff81000000, misc=made.KERNEL)
    recording.mmap(7, 0x10000000, 0x5000, "/prog", offset=0x2000)
    recording.sample(7, 0x10000010, 1000, branches=[(0x10000010, 0xffffffff81000300, 2), (0x5000, 0x10000100, 1)])
    data = recording.file()
    assert script(data, "-F", "ip,brstackoff") == ["10000010 0x2010/0x300/P/-/-/0/ 0x5000/0x2100/M/-/-/0/"]
    assert script(data, "-F", "ip,dso,brstackoff") == [
        "10000010 (/prog) 0x2010(/prog)/0x300([kernel.kallsyms])/P/-/-/0/ 0x5000([unknown])/0x2100(/prog)/M/-/-/0/"]
    assert script(data, "-F", "ip,dso,brstack") == [
        "10000010 (/prog) 0x10000010(/prog)/0xffffffff81000300([kernel.kallsyms])/P/-/-/0/ 0x5000([unknown])/0x10000100(/prog)/M/-/-/0/"]


def test_branches_as_perf_prints_them(script, shared_data):
    """A real recording: perf script 6.1 prints these."""
    data = (shared_data / "perf.data/quipper-branch-4.14.perf.data").read_bytes()
    whole, offsets = (script(data, *NO_NAMES, "-F", f"ip,dso,{field}")[0] for field in ("brstack", "brstackoff"))
    kernel = "([kernel.kallsyms])"
    assert whole.startswith(f"ffffffffb42071f2 {kernel} 0xffffffffb4208e16{kernel}/0xffffffffb42071e3{kernel}/P/-/-/4/ ")
    assert offsets.startswith(f"ffffffffb42071f2 {kernel} 0x8e16{kernel}/0x71e3{kernel}/P/-/-/4/ 0xb684{kernel}/0x8e00{kernel}/P/-/-/2/ ")
    assert " 0x0([unknown])/0x0([unknown])/P/-/-/0/ " in offsets


@pytest.mark.parametrize("field,instead", [("brstackinsn", "brstacksym"), ("tod", "--header"), ("metric", "stat -M")])
def test_peers_fields_that_arent_had_say_what_serves(run, field, instead):
    done = run("script", "-F", field)
    assert done.returncode == 2 and "plumb has no field" in done.stderr and instead in done.stderr


def test_unknown_field_names_the_nearest(run):
    done = run("script", "-F", "comm,insnlan")
    assert done.returncode == 2
    assert "unknown field 'insnlan'" in done.stderr and "did you mean ins_lat, insnlen?" in done.stderr


@ORDERS
def test_events_by_id(report, order):
    recording = File(order, sample_type=made.IP | made.TID | made.TIME | made.ID | made.PERIOD, events=3, event_type=4)
    recording.comm(1, 1, "a")
    for event, period in ((0, 5), (2, 7), (2, 1), (0, 5)):
        recording.sample(1, 0x1000, 1000 + period, event=event, period=period)
    path_lines = report(recording.file(), "-s", "comm", "-F", "period,comm")
    assert path_lines == ["10,a", "8,a"]


@ORDERS
def test_group_reads_give_a_sample_per_counter(report, order):
    kinds = made.IP | made.TID | made.TIME | made.ID | made.READ
    recording = File(order, sample_type=kinds, events=2, read_format=made.READ_ID | made.READ_GROUP | made.READ_TIMES,
                     event_type=4)
    recording.comm(1, 1, "a")
    recording.sample(1, 0x1000, 1000, reads=[(0, 100), (1, 30)])
    recording.sample(1, 0x1000, 2000, reads=[(0, 250), (1, 30)])
    recording.sample(1, 0x1000, 3000, reads=[(0, 300), (1, 90)])
    assert report(recording.file(), "-s", "comm", "-F", "sample,period,comm") == ["3,300,a", "2,90,a"]


@ORDERS
def test_group_reads_of_inherited_counters_are_each_threads_own(report, order):
    """Linux 6.12 and later: every thread's copy counts from 0, under one id."""
    kinds = made.IP | made.TID | made.TIME | made.ID | made.READ
    recording = File(order, sample_type=kinds, events=2, read_format=made.READ_ID | made.READ_GROUP | made.READ_TIMES,
                     event_type=4, inherit=True)
    recording.comm(1, 1, "a").comm(2, 2, "b")
    recording.sample(1, 0x1000, 1000, reads=[(0, 100), (1, 30)])
    recording.sample(2, 0x1000, 2000, reads=[(0, 10), (1, 5)])
    recording.sample(1, 0x1000, 3000, reads=[(0, 250), (1, 30)])
    recording.sample(2, 0x1000, 4000, reads=[(0, 40), (1, 6)])
    assert sorted(report(recording.file(), "-s", "comm", "-F", "sample,period,comm")) == ["1,30,a", "2,250,a", "2,40,b", "2,6,b"]


def test_a_separator_within_a_name_makes_no_cell(report, tmp_path):
    recording = File().comm(1, 1, "a,b").mmap(1, 0x1000, 0x1000, "/x,y").sample(1, 0x1010, 1000).sample(1, 0, 2000)
    assert report(recording.file(), "-s", "comm,dso") == ["50.00%,a.b,[unknown]", "50.00%,a.b,x.y"]
    assert report(recording.file(), "-s", "sym", "-d", "[unknown]", "-F", "sym") == ["[.] 0000000000000000"]


def branches_recorded():
    recording = File(sample_type=made.IP | made.TID | made.TIME | made.PERIOD | made.BRANCH_STACK, branch_sample_type=8)
    recording.comm(7, 7, "a").mmap(7, 0x1000, 0x1000, "/nowhere/from").mmap(7, 0x5000, 0x1000, "/nowhere/to")
    mispredicted, predicted, cycles = 1, 2, 4
    for time in (1000, 2000):
        recording.sample(7, 0x1234, time, period=50, branches=[
            (0x1010, 0x5020, predicted | 3 << cycles), (0x1010, 0x5020, mispredicted), (0x5030, 0x1040, predicted)])
    return recording


def test_branch_records_as_rows(report):
    """Each taken branch counts as one, whatever its sample's period."""
    data = branches_recorded().file()
    assert report(data, "-b", "-s", "dso_from,dso_to") == ["66.67%,from,to", "33.33%,to,from"]
    assert report(data, "-b", "-s", "symbol_from,mispredict,cycles", "-F", "sample,symbol_from,mispredict,cycles") == [
        "2,[.] 0x0000000000000010,N,3", "2,[.] 0x0000000000000010,Y,-", "2,[.] 0x0000000000000030,N,-"]
    assert report(data, "-b", "-s", "dso") == ["66.67%,to", "33.33%,from"]
    assert report(data, "-b", "-s", "dso_to", "-d", "to") == ["66.67%,to"]
    assert report(data, "-s", "dso") == ["100.00%,from"]


def test_branch_records_are_rows_where_the_header_speaks_of_them(report):
    data = branches_recorded().feature(15, b"").file()
    assert report(data, "-s", "dso_from") == ["66.67%,from", "33.33%,to"]
    assert report(data, "-s", "dso", "--no-branch-stack") == ["100.00%,from"]


def test_branch_keys_without_branches(run, tmp_path):
    path = tmp_path / "perf.data"
    path.write_bytes(made.small().file())
    for words, said in ((("-s", "dso_from"), "keys of branches need rows of branches"),
                        (("-b",), "holds no branch records")):
        done = run("report", "-i", str(path), *words)
        assert (done.returncode, said in done.stderr) == (2, True), done


def group_recorded(name, order="<"):
    recording = File(order, sample_type=made.IP | made.TID | made.TIME | made.ID | made.PERIOD, events=3, event_type=4)
    recording.comm(1, 1, "a").comm(2, 2, "b")
    for event, pid, period in ((0, 1, 30), (0, 2, 10), (1, 2, 7), (1, 1, 1), (2, 1, 5)):
        recording.sample(pid, 0x1000, 1000 + period, event=event, period=period)
    text = name + b"\0" * (8 - len(name))
    return recording.feature(17, recording.pack("II", 1, 8) + text + recording.pack("II", 0, 2))


@ORDERS
def test_a_groups_events_share_a_table(report, run, tmp_path, order):
    data = group_recorded(b"g", order).file()
    assert report(data, "-s", "comm") == ["75.00% 12.50%,a", "25.00% 87.50%,b", "100.00%,a"]
    assert report(data, "-s", "comm", "--no-group") == ["75.00%,a", "25.00%,b", "87.50%,b", "12.50%,a", "100.00%,a"]
    assert report(data, "-s", "comm", "--group") == report(data, "-s", "comm")  # only where none is in a group it makes one of all
    assert report(data, "-s", "comm", "-c", "b", "--percentage", "relative", "-F", "overhead,comm") == ["100.00% 100.00%,b"]
    (tmp_path / "perf.data").write_bytes(data)
    text = run("report", "-i", str(tmp_path / "perf.data"), "-s", "comm", "-n").stdout
    assert "# Samples: 4  of events 'g { raw 0x0:p, raw 0x1:p }'" in text
    assert "# Event count (approx.): 48\n" in text
    assert "    75.00%  12.50%             1           1  a" in text


def test_an_anonymous_group(run, tmp_path):
    (tmp_path / "perf.data").write_bytes(group_recorded(b"").file())
    text = run("report", "-i", str(tmp_path / "perf.data"), "-s", "comm").stdout
    assert "of events 'anon group { raw 0x0:p, raw 0x1:p }'" in text


def test_kernel_mode_at_a_programs_address(script):
    """An interrupt as the kernel was entered: kernel mode, but not the kernel's code."""
    recording = File().comm(1, 1, "a")
    recording.mmap(0xffffffff, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text", misc=made.KERNEL)
    recording.sample(1, 0x7f1671bcf6c1, 1000, misc=made.KERNEL)
    recording.sample(1, 0xffffffffa0000000, 2000, misc=made.KERNEL)
    assert script(recording.file(), "-F", "dso,ip") == [
        "7f1671bcf6c1 ([unknown])", "ffffffffa0000000 ([kernel.kallsyms])"]


def test_order_across_buffers(script):
    """Each buffer ascends; a round's end lets out what the round before had seen."""
    recording = File()
    recording.comm(1, 1, "a")
    times = [(10, 40, 70), (20, 30, 60), None, (75, 90), (50, 80), None, (100,), None]
    for stretch in times:
        if stretch is None:
            recording.round()
            continue
        for time in stretch:
            recording.sample(1, 0x1000, time * 1000)
    expected = sorted(time for stretch in times if stretch for time in stretch)
    assert script(recording.file(), "-F", "time") == [f"0.{time:06}:" for time in expected]


def test_shared_code_has_each_process_own_addresses(run, plumb, tmp_path):
    """Frames of a place that was met before, inlined functions among them, stand at the address where they ran."""
    program = pathlib.Path(os.environ.get("PLUMB_BUILD") or pathlib.Path(plumb).parent) / "bench/workloads/stacks"
    content, begin = entry_of(program)
    bases = {1: 0x10000000, 2: 0x7f0000000000, 3: 0x10000000}
    recording = File(sample_type=made.IP | made.TID | made.TIME | made.CALLCHAIN)
    places = range(begin, min(begin + 6000, len(content)))
    for pid, base in bases.items():
        recording.comm(pid, pid, f"p{pid}")
        recording.mmap(pid, base, len(content) + 4096 & ~4095, str(program))
    for at in range(places.start, places.stop, 100):
        for pid, base in bases.items():
            chain = [base + place for place in range(at, min(at + 100, places.stop))]
            recording.sample(pid, chain[0], at * 10 + pid, chain=(made.CONTEXT_USER, *chain))
    path = tmp_path / "perf.data"
    path.write_bytes(recording.file())
    done = run("script", "-i", str(path), "-F", "comm,ip,sym,symoff")
    lines, pid = {pid: [] for pid in bases}, None
    for line in filter(None, done.stdout.splitlines()):
        if line[0] == "p":
            pid = int(line[1])
        else:
            address, _, name = line.strip().partition(" ")
            lines[pid].append((int(address, 16) - bases[pid], name))
    assert lines[1] == lines[2] == lines[3]
    assert len({at for at, _ in lines[1]}) == len(places)
    if not any(name.endswith("(inlined)") for _, name in lines[1]):
        pytest.skip("the program's debug information tells no inlined functions: the rest holds")


def on_one_core():
    os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1])


def test_functions_alike_have_one_order(plumb, tmp_path):
    """Annotated in the same order whether their names were found ahead, on another core, or one after the other."""
    folder = pathlib.Path(os.environ.get("PLUMB_BUILD") or pathlib.Path(plumb).parent) / "bench/workloads"
    recording = File(sample_type=made.IP | made.TID | made.TIME | made.CALLCHAIN)
    recording.comm(1, 1, "a")
    begins = []
    for base, name in ((0x10000000, "stacks"), (0x20000000, "kernels")):
        content, begin = entry_of(folder / name)
        recording.mmap(1, base, len(content) + 4096 & ~4095, str(folder / name))
        begins.append(base + begin)
    chain = (made.CONTEXT_USER, *range(0x1000, 0x1200, 4))
    for time in range(4500):  # as large as is worth another core; most of it in what comes second
        recording.sample(1, begins[time % 3 > 0] + time * 53 % 4000, time, chain=chain)
    path = tmp_path / "perf.data"
    path.write_bytes(recording.file())
    assert path.stat().st_size > 4 << 20
    pages = [subprocess.run([plumb, "annotate", "--all", "-i", path], capture_output=True, timeout=60, preexec_fn=how)
             for how in (on_one_core, None, None)]
    assert pages[0].returncode == 0 and pages[0].stdout.count(b"Disassembly of") > 10
    assert len({(page.stdout, page.stderr) for page in pages}) == 1


@pytest.fixture(scope="module")
def long_recording(tmp_path_factory):
    """Of several megabytes of text."""
    recording = File(sample_type=made.IP | made.TID | made.TIME | made.CALLCHAIN)
    recording.comm(1, 1, "a")
    for time in range(12000):
        recording.sample(1, 0x1000, time * 1000, chain=(made.CONTEXT_USER, *range(0x1000, 0x1400, 0x80)))
    path = tmp_path_factory.mktemp("long") / "perf.data"
    path.write_bytes(recording.file())
    return path


@pytest.mark.parametrize("cores", ["all", "one"])
def test_long_output_is_whole_and_in_order(plumb, long_recording, cores):
    done = subprocess.run([plumb, "script", "-i", long_recording, "-F", "comm,time,ip,sym,dso"], stdout=subprocess.PIPE, text=True,
                          timeout=60, preexec_fn=on_one_core if cores == "one" else None)
    frames = [f"\t{at:16x} [unknown] ([unknown])" for at in range(0x1000, 0x1400, 0x80)]
    assert done.returncode == 0 and len(done.stdout) > 3 << 20
    assert done.stdout.splitlines() == [line for time in range(12000) for line in (f"a     0.{time:06}: ", *frames, "")]


def test_who_reads_no_further_ends_it(plumb, long_recording):
    child = subprocess.Popen([plumb, "script", "-i", long_recording], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.read(100)
    child.stdout.close()
    assert child.wait(timeout=60) == -signal.SIGPIPE
    assert child.stderr.read() == b""


def test_a_disk_that_fills_up_is_a_failure(plumb, long_recording):
    with open("/dev/full", "w") as full:
        done = subprocess.run([plumb, "script", "-i", long_recording], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1 and "No space left on device" in done.stderr, done


def test_names_and_spaces_follow_time(script):
    """fork copies a space; exec empties it when the new program maps code: until then the kernel works for the old one;
    neither touches what was sampled before."""
    recording = File()
    recording.comm(1, 1, "parent")
    recording.mmap(1, 0x1000, 0x1000, "/old").mmap(1, 0x3000, 0x1000, "/library")
    recording.task(made.FORK, 2, 1, 1000)
    recording.sample(2, 0x1100, 2000)
    recording.comm(2, 2, "child", time=3000, is_exec=True)
    recording.sample(2, 0x1100, 4000)
    recording.mmap(2, 0x1000, 0x1000, "/new", time=5000)
    recording.sample(2, 0x1100, 6000).sample(2, 0x3200, 6100)
    recording.mmap(2, 0x8000, 0x1000, "[vdso]", time=6200)
    recording.mmap2(2, 0x9000, 0x1000, "[heap]", time=6250, protection=3)
    recording.sample(2, 0x3200, 6300)
    recording.mmap(2, 0x1400, 0x200, "/middle", time=7000)
    for address in (0x1100, 0x1500, 0x1700, 0x3100):
        recording.sample(2, address, 8000)
    recording.sample(1, 0x1100, 9000)
    recording.task(made.EXIT, 2, 2, 10000)
    recording.task(made.FORK, 2, 1, 11000)
    recording.sample(2, 0x1100, 12000)
    assert script(recording.file(), "-F", "comm,dso,ip") == [
        "parent 1100 (/old)", "child 1100 (/old)", "child 1100 (/new)", "child 3200 (/library)", "child 3200 (/library)", "child 1100 (/new)",
        "child 1500 (/middle)", "child 1700 (/new)", "child 3100 ([unknown])", "parent 1100 (/old)", "parent 1100 (/old)"]


def test_made_code_is_told_from_made_data(tmp_path, plumb):
    """Both are mapped without a file; only what may be executed is called code, whichever was mapped first."""
    recording = File()
    recording.comm(7, 7, "vm").mmap2(7, 0x1000, 0x1000, "//anon", protection=3).mmap2(7, 0x5000, 0x1000, "//anon", protection=7)
    recording.sample(7, 0x5100, 1000).sample(7, 0x1100, 2000)
    path = tmp_path / "perf.data"
    path.write_bytes(recording.file())
    done = subprocess.run([plumb, "report", "--stdio", "-q", "-s", "dso", "-i", path], capture_output=True, text=True, timeout=60)
    assert sorted(line.split(maxsplit=1)[1].strip() for line in done.stdout.splitlines() if line.strip()) == ["[JIT] tid 7", "anon"], done


def test_kernel_modules_and_bpf(script):
    kernel = 0xffffffff81000000
    recording = File()
    recording.comm(1, 1, "a")
    recording.mmap(0xffffffff, kernel, 0x1000000, "[kernel.kallsyms]_text", kernel, misc=made.KERNEL)
    recording.mmap(0xffffffff, 0xffffffffc0000000, 0x1000, "/lib/modules/6/nf-tables.ko.xz", misc=made.KERNEL)
    recording.ksymbol(0xffffffffc0100000, 0x100, "bpf_prog_1234_x", time=1000)
    recording.ksymbol(0xffffffffc0100000, 0x100, "bpf_prog_1234_x", time=5000, gone=True)
    for time, address in ((2000, kernel + 5), (2500, 0xffffffffc0000010), (3000, 0xffffffffc0100010),
                          (6000, 0xffffffffc0100010)):
        recording.sample(1, address, time, misc=made.KERNEL)
    recording.sample(1, 0x10, 7000, misc=made.GUEST_KERNEL)
    assert [line.split(" ", 1)[1] for line in script(recording.file(), "-F", "ip,dso")] == [
        "([kernel.kallsyms])", "([nf_tables])", "(bpf_prog_1234_x)", "([kernel.kallsyms])", "([unknown])"]


def test_no_kernel_mapping_means_unknown(script):
    recording = File().comm(1, 1, "a").sample(1, 0xffffffff81000000, 1000, misc=made.KERNEL)
    assert script(recording.file(), "-F", "dso,ip") == ["ffffffff81000000 ([unknown])"]


def test_unknown_records_are_skipped_and_counted(run, tmp_path):
    recording = made.small()
    recording.record(57, b"from the future!").record(250, b"by another tool!")
    recording.sample(42, 0x400100, 9000000)
    path = tmp_path / "perf.data"
    path.write_bytes(recording.file())
    done = run("script", "-i", str(path), "-F", "time")
    assert len(done.stdout.splitlines()) == 4
    assert "2 records of unknown types were skipped" in done.stderr


def test_losses_are_said(run, tmp_path):
    recording = made.small()
    recording.record(made.LOST, recording.pack("QQ", 100, 17) + recording.trailer(0, 0, 4000000))
    recording.record(made.LOST_SAMPLES, recording.pack("Q", 5) + recording.trailer(0, 0, 5000000))
    recording.record(made.AUXTRACE, recording.pack("QQQQIIII", 24, 0, 0, 0, 0, 0, 0, 0)).data += b"t" * 24
    recording.sample(42, 0x400100, 9000000)
    path = tmp_path / "perf.data"
    path.write_bytes(recording.file())
    done = run("report", "-i", str(path))
    assert "17 events were lost in 1 places" in done.stderr
    assert "the kernel dropped 5 samples" in done.stderr
    assert "24 bytes of hardware trace data were skipped" in done.stderr
    assert "# Total Lost Samples: 5" in done.stdout
    assert "Samples: 4" in done.stdout


def test_header(run, tmp_path):
    recording = made.small().string_feature(3, "box").string_feature(4, "6.1.0").string_feature(6, "aarch64")
    path = tmp_path / "perf.data"
    path.write_bytes(recording.file())
    done = run("report", "--header-only", "-i", str(path))
    for line in ("# hostname : box", "# os release : 6.1.0", "# arch : aarch64"):
        assert line in done.stdout
    assert "sample_type = IP|TID|TIME|PERIOD" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize("order", "<>")
def test_header_says_what_perf_does_of_clock_compression_groups_and_pmus(run, tmp_path, order):
    recording = File(order=order, events=2)
    recording.comm(42, 42, "prog").sample(42, 0x400100, 1000)
    name = recording.pack("I", 8) + b"softly\0\0"
    recording.feature(16, recording.pack("I", 2) + recording.pack("I", 1) + name + recording.pack("I", 8) + name)
    recording.feature(17, recording.pack("I", 1) + recording.pack("I", 8) + b"{named}\0" + recording.pack("II", 0, 2))
    recording.feature(13, b"").feature(23, recording.pack("Q", 4)).feature(27, recording.pack("IIIII", 1, 1, 7, 3, 4096))
    recording.feature(29, recording.pack("IIQQ", 1, 4, 1795392246890293585, 61953000000001))
    path = tmp_path / "perf.data"
    path.write_bytes(recording.file())
    done = run("report", "--header-only", "-i", str(path), env={"TZ": "UTC"})
    names = [line.split("name = ")[1].split(",")[0] for line in done.stdout.splitlines() if line.startswith("# event : ")]
    for line in ("# CPU_TOPOLOGY info available", "# pmu mappings: softly = 1, softly = 8\n", f"# group: {{named}}{{{names[0]},{names[1]}}}\n",
                 "# clockid frequency: 250 MHz\n", "# compressed : Zstd, level = 7, ratio = 3\n", "# clockid: monotonic_raw (4)\n",
                 "# reference time: 2026-11-23 00:04:06.890293 = 1795392246.890293 (TOD) = 61953.000000001 (monotonic_raw)\n"):
        assert line in done.stdout, (line, done.stdout)
    missing = next(line for line in done.stdout.splitlines() if line.startswith("# missing features: "))
    assert "HOSTNAME" in missing.split() and "COMPRESSED" not in missing.split() and "CLOCKID" not in missing.split()


MACHINE_LINES = """\
# sibling sockets : 0-1
# sibling dies    : 0-1
# sibling threads : 0
# sibling threads : 1
# CPU 0: Core ID 0, Die ID 0, Socket ID 0
# CPU 1: Core ID 7, Die ID 0, Socket ID 0
# node0 meminfo  : total = 4096 kB, free = 1024 kB
# node0 cpu list : 0-1
# CPU cache info:
#  L1 Data                 32K [0]
#  L3 Unified           32768K [0-1]
# memory nodes (nr 1, block size 0x8000000):
#    0 [8G]: 0-2,8-70,72
"""


def machine_parts(recording):
    def string(text):
        raw = text.encode() + b"\0"
        raw += bytes(-len(raw) % 64)
        return recording.pack("I", len(raw)) + raw
    bits = sum(1 << bit for bit in (*range(3), *range(8, 71), 72))
    recording.feature(7, recording.pack("II", 2, 2))
    recording.feature(13, recording.pack("I", 1) + string("0-1") + recording.pack("I", 2) + string("0") + string("1") + recording.pack("IIII", 0, 0, 7, 0) +
                      recording.pack("I", 1) + string("0-1") + recording.pack("II", 0, 0))
    recording.feature(14, recording.pack("I", 1) + recording.pack("IQQ", 0, 4096, 1024) + string("0-1"))
    recording.feature(20, recording.pack("II", 1, 2) + recording.pack("IIII", 1, 64, 64, 8) + string("Data") + string("32K") + string("0") +
                      recording.pack("IIII", 3, 64, 32768, 16) + string("Unified") + string("32768K") + string("0-1"))
    recording.feature(22, recording.pack("QQQ", 1, 1 << 27, 1) + recording.pack("QQQQQ", 0, 73, 73, bits & 2**64 - 1, bits >> 64))
    return recording


@pytest.mark.parametrize("command", ["report", "script"])
@pytest.mark.parametrize("order", "<>")
def test_header_with_the_machine(run, tmp_path, order, command):
    path = tmp_path / "perf.data"
    path.write_bytes(machine_parts(made.small(order=order)).file())
    assert MACHINE_LINES.replace(" ", "") in run(command, "--header-only", "-I", "-i", str(path)).stdout.replace(" ", "")
    shown = run(command, "--header-only", "-i", str(path)).stdout
    assert "# MEM_TOPOLOGY info available, use -I to display\n" in shown and "sibling" not in shown


@pytest.mark.parametrize("feature", [13, 14, 20, 22])
def test_a_damaged_part_of_the_machine_is_said(run, tmp_path, feature):
    path, recording = tmp_path / "perf.data", machine_parts(made.small())
    recording.feature(feature, recording.features[feature][:-9])
    path.write_bytes(recording.file())
    shown = run("report", "--header-only", "-I", "-i", str(path)).stdout
    assert shown.count("is damaged") == 1


def test_header_of_a_pipe_alone(run, tmp_path):
    path = tmp_path / "perf.data"
    path.write_bytes(made.small().string_feature(3, "box").pipe())
    shown = run("script", "--header-only", "-i", str(path)).stdout
    assert "# hostname : box" in shown and all(line.startswith("#") for line in shown.splitlines())


def test_each_event_in_a_file_of_its_own(run, tmp_path):
    path, recording = tmp_path / "perf.data", File(events=3, sample_type=made.IP | made.TID | made.TIME | made.PERIOD | made.IDENTIFIER)
    recording.comm(7, 7, "prog").sample(7, 0x100, 1).sample(7, 0x200, 2, event=1).sample(7, 0x300, 3)
    path.write_bytes(recording.file())
    done = run("script", "-i", str(path), "--per-event-dump", "--show-task-events", "-F", "event,ip")
    whole = run("script", "-i", str(path), "-F", "event,ip").stdout.splitlines()
    files = sorted(tmp_path.glob("perf.data.*.dump"))
    assert [file.read_text().splitlines() for file in files] == [[whole[0], whole[2]], [], [whole[1]]], files
    assert "PERF_RECORD_COMM" in done.stdout and "0x100" not in done.stdout and "2 samples" in done.stderr
    (tmp_path / "sealed").mkdir()
    (tmp_path / "sealed" / "perf.data.cpu-clock:p.dump").mkdir()
    (tmp_path / "sealed" / "perf.data").write_bytes(recording.file())
    done = run("script", "-i", str(tmp_path / "sealed" / "perf.data"), "--per-event-dump")
    assert done.returncode == 1 and "can't write" in done.stderr


def test_swapped_feature_bitmap_of_a_32_bit_machine(run, tmp_path):
    """Its bitmap is an array of 32-bit words: read as 64-bit ones, each pair is the wrong way round."""
    recording = made.small(order=">").string_feature(3, "box")
    data = bytearray(recording.file())
    for at in range(72, 104, 8):
        data[at:at + 8] = data[at + 4:at + 8] + data[at:at + 4]
    path = tmp_path / "perf.data"
    path.write_bytes(data)
    assert "# hostname : box" in run("report", "--header-only", "-i", str(path)).stdout


# --- damage ---


@ORDERS
def test_any_cut_ends_well(plumb, tmp_path, order):
    """What is whole before the cut is shown; nothing crashes or hangs."""
    data = made.small(order=order).string_feature(3, "box").file()
    path = tmp_path / "perf.data"
    for length in range(0, len(data), 7):
        path.write_bytes(data[:length])
        done = subprocess.run([plumb, "script", "-i", path, *NO_NAMES], capture_output=True, timeout=60)
        assert done.returncode in (0, 1), (length, done)
        lines = [re.sub(r"\s+", " ", line).strip() for line in done.stdout.decode().splitlines()]
        assert lines == SMALL_LINES[:len(lines)]
        assert done.returncode == 0 or b"plumb script: " in done.stderr


CUT_READERS = [("script",), ("script", "--header-only"), ("report",), ("report", "--header-only"), ("report", "--stats"), ("report", "--tasks"), ("report", "--mmaps"),
               ("annotate",), ("export", "folded"), ("export", "csv")]


@pytest.mark.parametrize("words", CUT_READERS, ids=" ".join)
def test_what_is_missing_is_said_with_its_place(run, tmp_path, words):
    """By all that read a recording, not by those alone that show samples."""
    recording = made.small()
    data, path = recording.file(), tmp_path / "perf.data"
    path.write_bytes(data[:-20])
    end = struct.unpack_from("<Q", data, 40)[0] + struct.unpack_from("<Q", data, 48)[0]
    said = run(*words, "-i", str(path)).stderr
    assert f"the recording is cut off at offset {len(data) - 20}: its header says that records go on to offset {end}" in said


def test_what_a_pipe_lacks_is_said_with_its_place(plumb, tmp_path):
    recording = made.small()
    for at in range(100_000):  # more than what is read at a time
        recording.comm(7, 7, "again")
    piped = recording.pipe()
    said = lambda data: subprocess.run([plumb, "report", "--stats", "-i", "-"], input=data, capture_output=True, timeout=60).stderr.decode()
    record = len(made.File().comm(7, 7, "again").data)
    assert f"cut off at offset {len(piped) - 8}: a record of {record} bytes began {record - 8} before" in said(piped[:-8])
    assert f"cut off at offset {len(piped) - record + 4}: a record of 8 bytes or more began 4 before" in said(piped[:4 - record])
    assert f"a record at offset {len(piped)} claims a size of 3 bytes" in said(piped + recording.pack("IHH", 3, 0, 3))
    assert "cut off" not in said(piped)


def test_a_recorder_that_was_killed(run, tmp_path):
    """The size of the data is written last."""
    data = bytearray(made.small().file())
    data[48:56] = bytes(8)
    path = tmp_path / "perf.data"
    path.write_bytes(data)
    done = run("report", "-i", str(path))
    assert done.returncode == 0
    assert f"the recording is cut off at offset {len(data)}: its header doesn't say, at offset 48, how long its records are" in done.stderr
    assert "Samples: 3" in done.stdout


def test_damage_in_the_middle_shows_what_came_before(run, tmp_path):
    recording = made.small()
    recording.data += recording.pack("IHH", made.SAMPLE, made.USER, 16) + b"12345678"
    path = tmp_path / "perf.data"
    path.write_bytes(recording.file())
    done = run("report", "-i", str(path))
    assert done.returncode == 1
    assert "ends in the middle of its fields" in done.stderr
    assert "50.00%" in done.stdout


@pytest.mark.parametrize("content, words", [
    (b"", "only 0 bytes"),
    (b"hello, I am not a recording at all", "not a perf.data file"),
    (b"PERFILE2" + b"\xff" * 96, "its header"),
])
def test_no_recording(script, content, words):
    done = script(content, fails=True)
    assert words in done.stderr and done.returncode == 1


def test_missing_file_says_how_to_make_one(run, tmp_path):
    done = run("report", cwd=tmp_path)
    assert done.returncode == 1
    assert "plumb record" in done.stderr


# --- real recordings and what perf prints for them ---


def shared_names(kind):
    import os
    import pathlib
    root = os.environ.get("PLUMB_SHARED_DATA") or pathlib.Path(__file__).resolve().parents[3] / "shared/data"
    return sorted(path.name[:-len(kind)] for path in pathlib.Path(root).glob(f"perf.data/*{kind}")) or ["absent"]


# perf unwinds nothing where it can't open the binary; the sampled instruction is known all the same.
OTHER_STACKS = {"kdab-vector_static_gcc-dwarf"}


@pytest.mark.parametrize("name", shared_names(".script.txt"))
def test_script_as_perf_prints_it(run, shared_data, name):
    """The task's name apart: perf may print a thread it met late as ":TID"."""
    folder = shared_data / "perf.data"
    expected = (folder / f"{name}.script.txt").read_text().splitlines()
    done = run("script", "--ns", "-F", "comm,pid,tid,time,event,ip", "-i", str(folder / f"{name}.perf.data"))
    got = [re.sub(r"\s+", " ", line).strip() for line in done.stdout.splitlines()]
    without_comm = [[re.sub(r"^\S+ (\d+/\d+ )", r"\1", line.strip()) for line in lines] for lines in (expected, got)]
    if name in OTHER_STACKS:
        without_comm = [[line for line in lines if "/" in line] for lines in without_comm]
    assert without_comm[0] == without_comm[1]
    named = [(a, b) for a, b in zip(expected, got) if a.strip() != b and not a.strip().startswith(":")]
    assert not named or name in OTHER_STACKS


@pytest.mark.parametrize("name", shared_names(".report.csv"))
def test_report_as_perf_prints_it(run, shared_data, name):
    folder = shared_data / "perf.data"
    done = run("report", "-q", "-g", "none", "--no-children", "--sort", "comm,dso", "-t", ",", "--percentage", "absolute",
               "-i", str(folder / f"{name}.perf.data"))

    def rows(text):  # perf cuts names that are longer than the column was when it was measured
        fields = [[field.strip() for field in line.split(",")] for line in text.splitlines() if line.strip()]
        return sorted((share, comm[:7], dso) for share, comm, dso in fields)
    assert rows(done.stdout) == rows((folder / f"{name}.report.csv").read_text())


def test_hostile_files(run, shared_data):
    for path in sorted((shared_data / "perf.data").glob("hostile-*.perf.data")):
        for command in ("report", "script"):
            done = run(command, "-i", str(path))
            assert done.returncode == 1, path
            assert done.stderr.startswith(f"plumb {command}: ") or "\nplumb " in done.stderr


@pytest.mark.parametrize("words", [("report",), ("script",), ("report", "--header-only"), ("report", "-q", "-g", "none")])
def test_a_full_disk_is_a_failure(plumb, tmp_path, words):
    path = tmp_path / "perf.data"
    path.write_bytes(made.small().file())
    with open("/dev/full", "w") as full:
        done = subprocess.run([plumb, *words, "-i", path], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1 and "No space left on device" in done.stderr, done


def kernel_names_asked(plumb, folder, *words):
    """Whether a command reads the kernel's names, told by a pipe in their place, and what it prints."""
    pipe, path = folder / "kallsyms", folder / "perf.data"
    path.write_bytes(made.small().file())
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    command, *options = words
    child = subprocess.Popen([plumb, command, "-i", str(path), "--kallsyms", str(pipe), *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    asked = False
    while not asked and child.poll() is None:
        try:
            with open(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK), "w") as names:  # refused until somebody reads
                names.write("ffffffff81000000 T _text\nffffffff81000300 T reached\nffffffff81000400 T behind\n")
            asked = True
        except OSError:
            sleep(0.001)
    return asked, child.communicate()[0]


@pytest.mark.parametrize("words", [
    ("script", "-F", "comm,time"), ("script", "-F", "ip,time"), ("script", "-F", "comm,ip,dso"),
    ("report", "-q", "-s", "comm"), ("report", "-q", "-s", "comm,pid,tid,dso")], ids=" ".join)
def test_the_kernels_names_are_read_by_nobody_who_shows_none(plumb, tmp_path, words):
    asked, text = kernel_names_asked(plumb, tmp_path, *words)
    assert text and not asked


@pytest.mark.parametrize("words", [
    ("script",), ("script", "-F", "ip,sym"), ("report", "-q", "-s", "comm,sym"), ("report", "-q", "-s", "comm", "--symbols", "reached")], ids=" ".join)
def test_the_kernels_names_are_read_by_who_shows_them(plumb, tmp_path, words):
    asked, text = kernel_names_asked(plumb, tmp_path, *words)
    assert asked and ("reached" in text or words[-1] == "reached")


def test_the_same_code_at_other_addresses(script):
    """Lines that stand ready are those of where the code was met first; another process has it elsewhere."""
    recording = made.File(sample_type=made.IP | made.TID | made.TIME | made.CALLCHAIN)
    bases = {1: 0x7f0000000000, 2: 0x7e0000000000}
    for pid, base in bases.items():
        recording.mmap(pid, base, 0x10000, "/nowhere/libx.so")
    for at in range(4):
        base = bases[1 + at % 2]
        recording.sample(1 + at % 2, base + 0x100, at * 1000, chain=(made.CONTEXT_USER, base + 0x100, base + 0x200))
    expected = [f"{base + place:x} [unknown] (/nowhere/libx.so)" for base in [bases[1], bases[2]] * 2 for place in (0x100, 0x200)]
    assert [line for line in script(recording.file(), "-F", "ip,sym,dso") if line] == expected
