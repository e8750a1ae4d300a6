# SPDX-License-Identifier: GPL-3.0-or-later
"""Code of a JIT compiler has its name and its instructions from the jitdump that its process mapped, without perf inject."""
import struct

import pytest

from perf_data_file import CALLCHAIN, CPU, IDENTIFIER, IP, PERIOD, REGS_USER, STACK_USER, TID, TIME, File

CODE = bytes.fromhex("b829000000" "ffc0" "c3")  # mov $0x29,%eax; inc %eax; ret
START = 0x7f0000001000


def dump(*functions, lines=()):
    """A jitdump of these (address, name, code), with these (address, line, path) of the first."""
    whole = struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 7, 0, 0)
    if lines:
        body = struct.pack("<QQ", functions[0][0], len(lines)) + b"".join(struct.pack("<QII", addr, line, 0) + path.encode() + b"\0" for addr, line, path in lines)
        whole += struct.pack("<IIQ", 2, 16 + len(body), 999) + body
    for number, (addr, name, code) in enumerate(functions):
        body = struct.pack("<IIQQQQ", 7, 7, addr, addr, len(code), number) + name.encode() + b"\0" + code
        whole += struct.pack("<IIQ", 0, 16 + len(body), 1000 + number) + body
    return whole


@pytest.fixture
def scene(run, tmp_path):
    def show(content, *words, status=0):
        path, recording = tmp_path / "jit-7.dump", File(sample_type=IP | TID | TIME | PERIOD | CALLCHAIN)
        if content is not None:
            path.write_bytes(content)
        recording.string_feature(6, "x86_64").comm(7, 7, "prog").mmap2(7, START & ~0xffff, 0x10000, "//anon").mmap2(7, 0x600000, 0x1000, str(path))
        recording.sample(7, START + 5, 1, chain=(START + 5, START + 0x100)).sample(7, START + 5, 2, chain=(START + 5,))
        (tmp_path / "perf.data").write_bytes(recording.file())
        done = run(words[0], "-i", str(tmp_path / "perf.data"), *words[1:])
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr
    return show


FUNCTIONS = ((START, "JS:*hot app.js:1", CODE), (START + 0x100, "JS:*caller app.js:9", CODE))


def test_names(scene):
    shown = scene(dump(*FUNCTIONS), "report", "--children", "-g", "none")
    assert "[.] JS:*hot app.js:1" in shown and "[.] JS:*caller app.js:9" in shown and "note:" not in shown


def test_instructions(scene):
    shown = scene(dump(*FUNCTIONS), "annotate")
    assert "inc" in shown and "mov    $0x29,%eax" in shown and "100.00" in shown


def test_a_function_that_calls_itself_is_named(scene):
    shown = scene(dump((START, "JS:*self app.js:2", bytes.fromhex("e8fbffffff" "7df9" "c3"))), "annotate")
    assert "call   7f0000001000 <JS:*self app.js:2>" in shown and "jge    7f0000001000 <JS:*self app.js:2>" in shown


@pytest.mark.parametrize("header", [0, 64])  # V8 counts from the ELF file that perf inject makes of each function
def test_source_lines(scene, tmp_path, header):
    source = tmp_path / "app.js"
    source.write_text("// one\nlet sum = 41;\nreturn ++sum;\n")
    lines = ((START + header, 2, f"file://{source}"), (START + 5 + header, 3, f"file://{source}"))
    content = dump(*FUNCTIONS, lines=lines)
    shown = scene(content, "report", "--no-children", "-g", "none", "-s", "sym,srcline")
    assert "app.js:3" in shown and "app.js:2" not in shown
    shown = scene(content, "annotate")
    assert "let sum = 41;" in shown and "return ++sum;" in shown and "source lines" not in shown
    assert shown.index("let sum") < shown.index("$0x29,%eax") < shown.index("return ++sum") < shown.index("inc ")
    assert "app.js:3" in scene(content, "script", "-F", "ip,sym,srcline")


def test_lines_that_dont_fill_their_table_are_none(scene):
    """Node.js 20 writes what lies in freed memory for the names of scripts, with zeros in it."""
    lines = ((START, 2, "/a\0\0\0\0pp.js"), (START + 5, 3, "/a\0\0\0\0pp.js"))
    shown = scene(dump(*FUNCTIONS, lines=lines), "report", "--no-children", "-g", "none", "-s", "sym,srcline")
    assert "JS:*hot app.js:1+5" in shown
    shown = scene(dump(*FUNCTIONS, lines=((START, 2, "\x05pp.js"),)), "report", "--no-children", "-g", "none", "-s", "sym,srcline")
    assert "JS:*hot app.js:1+5" in shown


@pytest.fixture
def of_two_events(run, tmp_path):
    """cpu-clock at the first instruction, on CPU 0; task-clock at the second, on CPU 1."""
    path, recording = tmp_path / "jit-7.dump", File(sample_type=IDENTIFIER | IP | TID | TIME | PERIOD | CPU, events=2)
    path.write_bytes(dump(*FUNCTIONS))
    recording.string_feature(6, "x86_64").comm(7, 7, "prog").mmap2(7, START & ~0xffff, 0x10000, "//anon").mmap2(7, 0x600000, 0x1000, str(path))
    recording.sample(7, START, 1).sample(7, START, 2).sample(7, START + 5, 3, event=1, cpu=1)
    (tmp_path / "perf.data").write_bytes(recording.file())

    def annotate(*words, status=0):
        done = run("annotate", "-i", str(tmp_path / "perf.data"), "-q", "-n", "--no-source", *words)
        assert done.returncode == status, done.stderr
        return done.stderr if status else [line.partition(" : ")[0].split() for line in done.stdout.splitlines()]
    return annotate


def test_events_side_by_side_or_alone(of_two_events):
    assert of_two_events() == of_two_events("--group") == [["2"], ["1"], []]
    assert of_two_events("--no-group") == [["2"], [], []]
    assert of_two_events("--no-group", "-e", "task-clock:p") == [[], ["1"], []]


def test_samples_of_some_cpus(of_two_events):
    assert of_two_events("-C", "1") == [[], ["1"], []]
    assert of_two_events("--time", ",0.000000002") == [["2"], [], []]
    assert "--cpu" in of_two_events("-C", "5", status=1)


MOVED = START + 0x400


def moved(code, number=0):
    """Function number of that code stands elsewhere from now on."""
    body = struct.pack("<IIQQQQQ", 7, 7, 0, START, MOVED, len(code), number)
    return struct.pack("<IIQ", 1, 16 + len(body), 2000) + body


@pytest.fixture
def elsewhere(run, tmp_path):
    """The first function runs where it moved to, called by the second; frame pointers lead nowhere."""
    path = tmp_path / "jit-7.dump"
    recording = File(sample_type=IP | TID | TIME | PERIOD | REGS_USER | STACK_USER, regs_user=1 << 6 | 1 << 7 | 1 << 8, stack_user=64)
    recording.string_feature(6, "x86_64").comm(7, 7, "prog").mmap2(7, START & ~0xffff, 0x10000, "//anon").mmap2(7, 0x600000, 0x1000, str(path))
    recording.sample(7, MOVED + 5, 1, regs=(0, 0x7000000, MOVED + 5), stack=struct.pack("<8Q", 1, 2, 3, 4, 5, START + 0x103, 0, 0))

    def show(content, *words):
        path.write_bytes(content)
        (tmp_path / "perf.data").write_bytes(recording.file())
        done = run(words[0], "-i", str(tmp_path / "perf.data"), *words[1:])
        assert done.returncode == 0, done.stderr
        return done.stdout
    return show


def test_code_that_moved_has_its_instructions_and_lines_there(elsewhere, tmp_path):
    source = tmp_path / "app.js"
    source.write_text("// one\nlet sum = 41;\nreturn ++sum;\n")
    content = dump(*FUNCTIONS, lines=((START, 2, str(source)), (START + 5, 3, str(source)))) + moved(CODE)
    shown = elsewhere(content, "annotate")
    assert "mov    $0x29,%eax" in shown and "return ++sum;" in shown and shown.index("return ++sum") < shown.index("inc ")
    assert f"{MOVED + 5:x}" in shown


def frame_table(code_bytes):
    """What V8 writes: a table of one function that keeps 40 bytes on the stack, and a header; relative to where perf inject lays it, behind the code."""
    common = struct.pack("<IB4sBBBBB", 0, 1, b"zR\0\x01", 0x78, 16, 1, 0x1b, 0x0c) + bytes((7, 8, 0x90, 1))
    common += bytes(-len(common) % 4)
    frames = struct.pack("<I", len(common)) + common
    start = -(code_bytes + -code_bytes % 8)  # of the code, from the table
    own = struct.pack("<IiIBBB", len(frames) + 4, start - len(frames) - 8, code_bytes, 0, 0x0e, 0x30)
    own += bytes(-len(own) % 4)
    at, frames = len(frames), frames + struct.pack("<I", len(own)) + own + bytes(4)
    return frames, struct.pack("<BBBBiIii", 1, 0x1b, 3, 0x3b, -len(frames) - 4, 1, start - len(frames), at - len(frames))


@pytest.mark.parametrize("table", ["whole", "without header", "too long"])
def test_callers_are_found_by_the_dumps_frame_tables(elsewhere, table):
    frames, header = frame_table(len(CODE))
    header = header if table == "whole" else b""
    body = struct.pack("<QQQ", len(frames + header) + (table == "too long"), len(header), 0) + frames + header
    content = dump()[:40] + struct.pack("<IIQ", 4, 16 + len(body), 998) + body + dump(*FUNCTIONS)[40:] + moved(CODE)
    shown = elsewhere(content, "script", "-F", "ip,sym")
    assert "JS:*hot app.js:1" in shown
    assert ("JS:*caller app.js:9" in shown) == (table == "whole")


def test_what_came_before_damage(scene):
    shown = scene(dump(*FUNCTIONS)[:-3], "report", "-g", "none", "--no-children", "-v")
    assert "[.] JS:*hot app.js:1" in shown


def test_a_dump_that_is_gone(scene):
    shown = scene(None, "report", "-g", "none", "--no-children", "-v")
    assert "jit-7.dump" in shown and "[.] 0x00007f0000001005" in shown
