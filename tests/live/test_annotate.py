# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb annotate on programs built here: against objdump's text, with stalls, loops, lines, missing and replaced files."""
import platform
import json
import glob
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
enum { NODES = 1 << 18 };
static void **nodes[NODES];
__attribute__((noinline)) void **chase(void **from, long steps)
{
    while (steps--)
        from = *from;
    return from;
}
int main(void)
{
    static void *memory[NODES * 8];
    static unsigned order[NODES];
    unsigned seed = 1;
    for (unsigned at = 0; at < NODES; at++)
        order[at] = at;
    for (unsigned at = NODES - 1; at > 0; at--) {
        seed = seed * 1664525u + 1013904223u;
        unsigned other = seed % at, swap = order[at];
        order[at] = order[other];
        order[other] = swap;
    }
    for (unsigned at = 0; at < NODES; at++)
        memory[order[at] * 8] = &memory[order[(at + 1) % NODES] * 8];
    void **place = memory;
    for (int turn = 0; turn < 16; turn++)
        place = chase(place, 300000);
    printf("%p\n", (void *)place);
    return (void *)nodes == (void *)place;
}
"""


@pytest.fixture(scope="module")
def scene(tmp_path_factory, plumb):
    """A folder with a pointer chase of 16 MiB and a recording of it."""
    folder = tmp_path_factory.mktemp("annotate")
    (folder / "chase.c").write_text(PROGRAM)
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    subprocess.run([compiler, "-O2", "-g", "-o", "chase", "chase.c"], cwd=folder, check=True)
    done = subprocess.run([plumb, "record", "-e", "cpu-clock:u", "-F", "5000", "--user-regs", "-o", "perf.data", "--", "./chase"], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    if done.returncode or not (folder / "perf.data").is_file():
        pytest.skip(f"nothing can be recorded here: {done.stdout.strip()[-200:]}")
    return folder


def instructions(text):
    """{address: (percent or None, text)} of the rows of an annotation."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"^ *([0-9.]+(?: +[0-9.]+)?)? *: [^0-9a-f]*([0-9a-f]+):  (.*)$", line)
        if match:
            words = re.sub(r"   <== .*", "", match[3])
            found[int(match[2], 16)] = (match[1], re.sub(r" *<[^<>]*>$", "", words))
    return found


def objdump(folder, *options):
    if not shutil.which("objdump"):
        pytest.skip("no objdump to compare with")
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=chase", *options, folder / "chase"],
                          check=True, capture_output=True, text=True).stdout
    rows = re.findall(r"^ *([0-9a-f]+):\t(.*)$", text, re.M)
    return {int(addr, 16): re.sub(r" *<[^<>]*>$", "", words).rstrip() for addr, words in rows}


@pytest.mark.parametrize("plumb_style,objdump_style", [([], []), (["--intel"], ["-M", "intel"]),
                                                       (["-M", "intel"], ["-M", "intel"]), (["-M", "att"], [])])
def test_text_is_objdumps(run, scene, plumb_style, objdump_style):
    expected = objdump(scene, *objdump_style)
    done = run("annotate", *plumb_style, "chase", cwd=scene)
    assert done.returncode == 0, done.stderr
    ours = instructions(done.stdout)
    assert set(ours) <= set(expected) and len(ours) >= 4
    assert {addr: words for addr, (_, words) in ours.items()} == {addr: expected[addr] for addr in ours}


def test_bytes_are_objdumps(run, scene):
    done = run("annotate", "--asm-raw", "-q", "--no-source", "chase", cwd=scene)
    assert done.returncode == 0, done.stderr
    if not shutil.which("objdump"):
        pytest.skip("no objdump to compare with")
    listed = subprocess.run(["objdump", "-d", "--wide", "--disassemble=chase", scene / "chase"], check=True, capture_output=True, text=True).stdout
    expected = {int(addr, 16): raw.split() for addr, raw in re.findall(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+)", listed, re.M)}
    ours = {addr: re.match(r"(?:[0-9a-f]{2} )+", text)[0].split() for addr, (_, text) in instructions(done.stdout).items()}
    assert len(ours) >= 4 and ours == {addr: expected[addr] for addr in ours}


def test_sources_that_were_moved(run, scene, tmp_path):
    """As objdump's --prefix and --prefix-strip: below another folder, without the first folders of the compiler's path."""
    (tmp_path / "chase.c").write_text(PROGRAM.replace("while (steps--)", "while (steps--) /* moved */"))
    folders = len(scene.parts) - 1
    done = run("annotate", "--prefix", tmp_path, "--prefix-strip", folders, "chase", cwd=scene)
    assert "/* moved */" in done.stdout, done.stderr
    assert "/* moved */" not in run("annotate", "--prefix", tmp_path, "--prefix-strip", folders - 1, "chase", cwd=scene).stdout
    assert run("annotate", "--prefix-strip", 2, "chase", cwd=scene).returncode == 2


def test_the_binarys_whole_path(run, scene):
    assert f"Disassembly of {scene}/chase for " in run("annotate", "-P", "chase", cwd=scene).stdout
    assert "Disassembly of chase for " in run("annotate", "chase", cwd=scene).stdout


@pytest.fixture
def lands_one_late(run, scene, tmp_path):
    """Only where the self-test says so can a stall be told from a sample."""
    done = run("annotate", cwd=scene, env={"XDG_CACHE_HOME": tmp_path})
    if "Stalled" not in done.stdout:
        pytest.skip("timer samples aren't known to land one instruction late on this machine")


def test_the_load_that_stalls_is_told_from_the_instruction_behind_it(run, scene, lands_one_late):
    done = run("annotate", "--skid", "1", cwd=scene)
    assert done.returncode == 0, done.stderr
    marked = [line for line in done.stdout.splitlines() if "<==" in line]
    assert len(marked) == 1 and "stalls" in marked[0] and re.search(r"mov +\(%r..\),%r", marked[0]), marked
    assert re.search(r"hottest loop +[0-9a-f]+\.\.[0-9a-f]+, depth 1: (9\d|100)", done.stdout)
    assert re.search(r"stalled on +load \d\d", done.stdout)


def test_the_data_that_is_chased_has_its_size(run, scene, lands_one_late):
    done = run("annotate", "--skid", "1", cwd=scene)
    found = re.search(r"(\d+) addresses, irregular.*?pages ([\d.]+) (KiB|MiB|GiB)", done.stdout)
    if not found or int(found[1]) < 300:
        pytest.skip("too few samples on this machine now")
    assert found[3] == "MiB" and 8 < float(found[2]) < 32


def test_where_the_data_lies_needs_its_mappings(run, scene, tmp_path):
    done = run("annotate", cwd=scene)
    if "    in:" not in done.stdout:
        pytest.skip("too few samples on this machine now")
    assert "plumb record -d adds the mappings of data" in done.stdout
    done = run("record", "-e", "cpu-clock:u", "-F", 5000, "-d", "--user-regs", "-o", tmp_path / "d", "--", "./chase", cwd=scene)
    done = run("annotate", "-i", tmp_path / "d", "chase", cwd=scene)
    if "    in:" not in done.stdout:
        pytest.skip("too few samples on this machine now")
    assert "in: anon" in done.stdout and "adds the mappings" not in done.stdout, done.stdout


def test_attribution_is_not_claimed_when_unknown(run, scene):
    done = run("annotate", "--skid", "none", cwd=scene)
    assert "Attribution is as recorded" in done.stdout
    assert "Stalled" not in done.stdout and "stalls" not in done.stdout


def test_auto_needs_the_machine_of_the_recording(run, scene, tmp_path):
    for _ in range(2):  # measured, then from the cache
        done = run("annotate", cwd=scene, env={"XDG_CACHE_HOME": tmp_path})
        assert done.returncode == 0, done.stderr
        assert "self-test" in done.stdout or "samples scatter" in done.stdout


def test_source_lines(run, scene):
    done = run("annotate", "-l", "chase", cwd=scene)
    assert "chase.c:" in done.stdout and "from = *from;" in done.stdout
    done = run("annotate", "--no-source", "chase", cwd=scene)
    assert "chase.c" not in done.stdout and "from = *from;" not in done.stdout


def test_quiet_leaves_instructions_only(run, scene):
    done = run("annotate", "-q", "--no-source", "chase", cwd=scene)
    lines = done.stdout.splitlines()
    assert len(instructions(done.stdout)) == len(lines) and done.stderr == ""


def test_percent_limit_hides_numbers(run, scene):
    done = run("annotate", "--skid", "none", "--percent-limit", "99.99", "--no-source", "chase", cwd=scene)
    shown = [percent for percent, _ in instructions(done.stdout).values() if percent]
    assert all(float(percent) >= 99.99 for percent in shown)


def test_several_functions(run, scene):
    done = run("annotate", "--stdio", "chase", "main", cwd=scene)
    assert done.returncode == 0 and [name in done.stdout for name in ("<chase>:", "<main>:")] == [True, True]
    assert run("annotate", "-S", "main", "-q", cwd=scene).stdout == run("annotate", "main", "-q", cwd=scene).stdout
    done = run("annotate", "chase", "nowhere_to_be_found", cwd=scene)
    assert done.returncode == 1 and "nowhere_to_be_found" in done.stderr and "<chase>:" in done.stdout


def shares(run, scene, kind):
    done = run("annotate", "--skid", "none", "--percent-type", kind, "-q", "chase", cwd=scene)
    return sum(float(percent) for percent, _ in instructions(done.stdout).values() if percent)


def test_percent_types(run, scene):
    """Of the function they add up to all of it, of the recording to what report says of the function."""
    assert shares(run, scene, "local-period") == pytest.approx(100, abs=0.1)
    assert shares(run, scene, "local-hits") == pytest.approx(100, abs=0.1)
    rows = run("report", "-q", "-g", "none", "-s", "sym", "-S", "chase", "-F", "overhead,sym", cwd=scene).stdout
    assert shares(run, scene, "global-period") == pytest.approx(float(rows.split("%")[0]), abs=0.1)
    assert "global hits" in run("annotate", "--percent-type", "global-hits", "chase", cwd=scene).stdout
    assert run("annotate", "--percent-type", "local", cwd=scene).returncode == 2


def test_an_unknown_function_names_the_nearest(run, scene):
    done = run("annotate", "chas", cwd=scene)
    assert done.returncode == 1 and "'chas'" in done.stderr and "chase" in done.stderr.split("hint")[1]


def test_wrong_usage(run, scene):
    for words in (["--skid", "2"], ["-M", "arm"], ["--color", "blue"], ["--percent-limit", "101"], ["--nonsense"]):
        done = run("annotate", *words, cwd=scene)
        assert done.returncode == 2, words
        assert words[-1] in done.stderr or words[0] in done.stderr


def test_event_that_is_not_there(run, scene):
    done = run("annotate", "-e", "cycles", cwd=scene)
    assert done.returncode == 2 and "cpu-clock" in done.stderr


def test_color_on_request_only(run, scene):
    assert "\033[" not in run("annotate", cwd=scene).stdout
    assert "\033[" in run("annotate", "--color", "always", cwd=scene).stdout


def test_a_missing_binary_says_where_it_was_looked_for(run, scene, tmp_path):
    done = run("annotate", "--symfs", tmp_path, cwd=scene)
    assert done.returncode == 1
    assert f"{tmp_path}" in done.stderr and "chase" in done.stderr
    assert done.stderr.count("no file for") <= 2, "functions that don't matter are not tried instead"


def test_report_says_which_binary_is_missing(run, scene, tmp_path):
    done = run("report", "--symfs", tmp_path, cwd=scene)
    assert done.returncode == 0
    assert re.search(r"note: [0-9.]+ % of the samples are in 'chase', without names: no file for '/.*/chase'", done.stderr)
    assert "note: " not in run("report", "-q", "--symfs", tmp_path, cwd=scene).stderr
    assert "'chase', without" not in run("report", cwd=scene).stderr


def test_symfs_finds_it_elsewhere(run, scene, tmp_path):
    place = tmp_path / str(scene).lstrip("/")
    place.mkdir(parents=True)
    shutil.copy(scene / "chase", place / "chase")
    done = run("annotate", "--symfs", tmp_path, "chase", cwd=scene)
    assert done.returncode == 0 and len(instructions(done.stdout)) >= 4
    assert "from = *from;" in done.stdout  # of the source that lies here
    source = place / "chase.c"
    source.write_text((scene / "chase.c").read_text().replace("from = *from;", "from = *from; /* theirs */"))
    assert "/* theirs */" in run("annotate", "--symfs", tmp_path, "chase", cwd=scene).stdout


def test_a_replaced_binary_is_not_believed(run, scene, tmp_path):
    place = tmp_path / str(scene).lstrip("/")
    place.mkdir(parents=True)
    (place / "other.c").write_text("int chase; int main(void) { return 0; }")
    subprocess.run(["cc", "-o", place / "chase", place / "other.c", "-Wl,--build-id"], check=True)
    done = run("annotate", "--symfs", tmp_path, cwd=scene)
    assert done.returncode == 1
    assert "not the recorded file" in done.stderr
    named = run("annotate", "--symfs", tmp_path, "-s", "chase", cwd=scene)
    assert named.returncode == 1 and "not the recorded file" in named.stderr, "why there is no function of that name"
    noted = run("report", "--symfs", tmp_path, "-g", "none", cwd=scene)
    assert "(the file was replaced after it was recorded" in noted.stderr, "without -v, too"


def test_a_stripped_binary_is_shown_by_its_frames(run, scene, tmp_path):
    stripped = tmp_path / str(scene).lstrip("/")
    stripped.mkdir(parents=True)
    if not shutil.which("strip"):
        pytest.skip("no strip")
    subprocess.run(["strip", "-o", stripped / "chase", scene / "chase"], check=True)
    done = run("annotate", "--symfs", tmp_path, cwd=scene)
    assert done.returncode == 0, done.stderr
    assert re.search(r"<chase\+0x[0-9a-f]+>:", done.stdout)
    whole = instructions(run("annotate", "chase", cwd=scene).stdout)
    assert {addr: words for addr, (_, words) in instructions(done.stdout).items()} == {addr: words for addr, (_, words) in whole.items()}


def shadow(scene, folder):
    """A folder that stands for the recorded machine's root, and the place of the program in it."""
    place = folder / str(scene).lstrip("/")
    place.mkdir(parents=True)
    return place / "chase"


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            pytest.skip(f"no {tool}")


def test_lines_come_from_the_file_that_gnu_debuglink_names(run, scene, tmp_path):
    need("objcopy", "strip")
    program = shadow(scene, tmp_path)
    (program.parent / ".debug").mkdir()
    debug = program.parent / ".debug" / "chase.dbg"
    subprocess.run(["objcopy", "--only-keep-debug", scene / "chase", debug], check=True)
    subprocess.run(["strip", "-o", program, scene / "chase"], check=True)
    subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", program], check=True)
    (tmp_path / str(scene).lstrip("/") / "chase.c").write_text(PROGRAM)
    done = run("annotate", "--symfs", tmp_path, "chase", cwd=scene)
    assert done.returncode == 0, done.stderr
    assert "<chase>:" in done.stdout and "from = *from;" in done.stdout


def test_lines_come_from_the_debug_file_of_the_build_id(run, scene, tmp_path):
    need("objcopy", "strip", "readelf")
    notes = subprocess.run(["readelf", "-n", scene / "chase"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"Build ID: ([0-9a-f]+)", notes)
    if not found:
        pytest.skip("the compiler writes no build id")
    program = shadow(scene, tmp_path)
    debug = tmp_path / "usr/lib/debug/.build-id" / found[1][:2] / (found[1][2:] + ".debug")
    debug.parent.mkdir(parents=True)
    subprocess.run(["objcopy", "--only-keep-debug", scene / "chase", debug], check=True)
    subprocess.run(["strip", "-o", program, scene / "chase"], check=True)
    done = run("annotate", "--symfs", tmp_path, "-l", "chase", cwd=scene)
    assert done.returncode == 0, done.stderr
    assert "<chase>:" in done.stdout and "chase.c:" in done.stdout


def test_names_come_from_mini_debug_info(run, scene, tmp_path):
    need("objcopy", "strip", "xz")
    program = shadow(scene, tmp_path)
    small = tmp_path / "small"
    subprocess.run(["objcopy", "-S", "--keep-symbol=chase", scene / "chase", small], check=True)
    subprocess.run(["xz", "-k", small], check=True)
    subprocess.run(["strip", "-o", program, scene / "chase"], check=True)
    subprocess.run(["objcopy", f"--add-section=.gnu_debugdata={small}.xz", program], check=True)
    done = run("annotate", "--symfs", tmp_path, "chase", cwd=scene)
    assert done.returncode == 0, done.stderr
    assert "<chase>:" in done.stdout


def test_without_libdw_instructions_remain(run, scene, tmp_path):
    (tmp_path / "libdw.so.1").write_text("not a library")
    done = run("annotate", "chase", cwd=scene, env={"LD_LIBRARY_PATH": tmp_path})
    assert done.returncode == 0, done.stderr
    assert len(instructions(done.stdout)) >= 4
    assert "libdw" in done.stdout and "from = *from;" not in done.stdout


def test_no_recording(run, tmp_path):
    done = run("annotate", cwd=tmp_path)
    assert done.returncode == 1 and "perf.data" in done.stderr


def test_without_the_decoder_it_says_what_is_missing(run, scene, plumb, tmp_path):
    """A library of that name that isn't it stands for one that can't be loaded."""
    (tmp_path / "libZydis.so.4.0").write_text("not a library")
    for name in ("libZydis.so.4.1", "libZydis.so.4"):
        (tmp_path / name).write_text("not a library")
    done = run("annotate", "chase", cwd=scene, env={"LD_LIBRARY_PATH": tmp_path})
    if done.returncode == 0:
        pytest.skip("the loader found the library elsewhere")
    assert "libZydis" in done.stderr and "libzydis4.0" in done.stderr


def test_agrees_with_perf(run, scene):
    perf = shutil.which("perf")
    if not perf:
        pytest.skip("no perf to compare with")
    theirs = subprocess.run([perf, "annotate", "--stdio", "-i", "perf.data", "-s", "chase"], cwd=scene,
                            capture_output=True, text=True, errors="replace").stdout
    expected = {}
    for percent, addr in re.findall(r"^ *([0-9.]+) +: +([0-9a-f]+): ", theirs, re.M):
        expected.setdefault(int(addr, 16), float(percent))
    if not expected:
        pytest.skip("perf annotates nothing here")
    ours = instructions(run("annotate", "--skid", "none", "chase", cwd=scene).stdout)
    for addr, (percent, _) in ours.items():
        assert abs(float(percent or 0) - expected.get(addr, 0)) < 0.011, hex(addr)


def test_samples_alike_are_added_up_without_a_trace(run, plumb, scene):
    """Without registers to compute addresses from, samples of one place are kept as one: every number stays."""
    file = scene / "plain.data"
    subprocess.run([plumb, "record", "-q", "-e", "cpu-clock:u", "-F", "2000", "-o", file, "--", "./chase"], cwd=scene,
                   stdout=subprocess.DEVNULL, check=True, timeout=120)
    rows = run("report", "-q", "-i", file, "-g", "none", "-s", "sym", "-S", "chase", "-F", "sample,overhead,sym", cwd=scene).stdout
    samples, overhead = re.match(r" *(\d+) +([0-9.]+)%", rows).groups()
    done = run("annotate", "-i", file, "--skid", "none", "chase", cwd=scene)
    assert f"({samples} samples," in done.stdout
    for kind, whole in (("local-hits", 100), ("local-period", 100), ("global-period", float(overhead))):
        text = run("annotate", "-i", file, "--skid", "none", "-q", "--percent-type", kind, "chase", cwd=scene).stdout
        assert sum(float(row[0]) for row in instructions(text).values() if row[0]) == pytest.approx(whole, abs=0.1), kind


def test_without_libdw_what_it_costs_is_said_and_the_rest_works(plumb, tmp_path):
    """A library that can't be loaded, in a mount namespace of our own."""
    library = next((path for path in glob.glob("/usr/lib/*/libdw.so.1")), None)
    hidden = ["unshare", "-m", "sh", "-c", 'mount --bind /dev/null "$0" && exec "$@"', library or ""]
    if not library or subprocess.run([*hidden, "true"], capture_output=True).returncode:
        pytest.skip("no libdw to hide, or no mount namespaces")
    data = tmp_path / "d"
    recorded = subprocess.run([plumb, "record", "-o", data, "--", sys.executable, "-c", "sum(range(9000000))"], capture_output=True, text=True)
    if recorded.returncode:
        pytest.skip(recorded.stderr)
    for command in ("report", "annotate", "script"):
        finished = subprocess.run([*hidden, plumb, command, "-i", data], capture_output=True, text=True)
        assert finished.returncode == 0 and finished.stdout, finished.stderr
        assert "libdw.so.1" in finished.stderr and "libdw1" in finished.stderr, command
        assert "libdw" not in subprocess.run([*hidden, plumb, command, "-q", "-i", data], capture_output=True, text=True).stderr
        assert "libdw" not in subprocess.run([plumb, command, "-i", data], capture_output=True, text=True).stderr


def test_numbers_of_samples_and_their_periods(scene, plumb):
    """They add up to what the header says, and stand where percentages do."""
    def numbers(*words):
        text = subprocess.run([plumb, "annotate", "--no-source", "--skid", "none", "-s", "chase", *words], cwd=scene, capture_output=True, text=True, timeout=120).stdout
        return text, {line.split(":")[1].split()[-1]: float(line.split(":")[0]) for line in text.splitlines() if re.match(r" *[\d.]+ :", line)}
    text, percents = numbers()
    samples = int(re.search(r"\((\d+) samples", text)[1])
    counted, counts = numbers("-n")
    _, periods = numbers("--show-total-period")
    assert counted.startswith(" Samples |") and sum(counts.values()) == samples and set(counts) == set(percents) == set(periods)
    assert all(abs(100 * count / samples - percents[at]) < 1 and periods[at] >= count for at, count in counts.items())
    refused = subprocess.run([plumb, "annotate", "-n", "--show-total-period"], cwd=scene, capture_output=True, text=True, timeout=60)
    assert refused.returncode == 2 and "don't go together" in refused.stderr


def test_code_without_a_name_is_found_by_the_name_that_diagnose_gives_it(run, tmp_path):
    """A loop in memory that no symbol holds: "[JIT]+0x…" everywhere."""
    (tmp_path / "made.c").write_text(r"""
#include <string.h>
#include <sys/mman.h>
int main(void)
{
    static const unsigned char code[] = {0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3};
    unsigned char *place = mmap(0, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(place + 0x178, code, sizeof(code));
    long sum = 0;
    for (int at = 0; at < 8; at++)
        sum += ((long (*)(long))(void *)(place + 0x178))(200000000);
    return sum == 1;
}
""")
    if platform.machine() != "x86_64":
        pytest.skip("its code is x86-64's")
    subprocess.run(["cc", "-O1", "-o", tmp_path / "made", tmp_path / "made.c"], check=True)
    done = run("diagnose", "--json", "--case", tmp_path / "case", "--", tmp_path / "made")
    functions = json.loads(done.stdout)["profile"].get("functions")
    if not functions:
        pytest.skip("nothing can be sampled here")
    name = functions[0]["function"]
    assert name.startswith("[JIT]+0x"), name
    shown = run("annotate", "-i", tmp_path / "case" / "perf.data", "-s", name)
    assert shown.returncode == 0 and "jne" in shown.stdout, shown.stderr
    elsewhere = run("annotate", "-i", tmp_path / "case" / "perf.data", "-s", "[JIT]+0x10")
    assert elsewhere.returncode == 1 and "no samples in a function called" in elsewhere.stderr, elsewhere.stderr
