# SPDX-License-Identifier: GPL-3.0-or-later
"""However a program was linked and wherever its DWARF went: its stacks are unwound, its inlined functions have names and lines."""
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

MAIN = r"""
#include <stdlib.h>
int outer(int n);
int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1); i++)
        sum += outer(i); /* LINE-MAIN */
    return sum == 42;
}
"""
WORK = r"""
static volatile double sink;
static inline __attribute__((always_inline)) void innermost(double x)
{
    for (int i = 0; i < 1000; i++)
        sink = x = x * 1.1 + i; /* LINE-INNERMOST */
}
static inline __attribute__((always_inline)) void between(double x) { for (int i = 0; i < 1000; i++) innermost(x + i); }
__attribute__((noinline)) static int leaf(int n) { between(n); return (int)sink; }
__attribute__((noinline)) int outer(int n) { int part = leaf(n); return part + n; }
"""
CLASSES = r"""
static volatile double sink;
namespace work {
struct worker {
    inline __attribute__((always_inline)) void innermost(double x) { for (int i = 0; i < 1000; i++) sink = x = x * 1.1 + i; }
    inline __attribute__((always_inline)) void between(double x) { for (int i = 0; i < 1000; i++) innermost(x + i); }
    __attribute__((noinline)) int leaf(int n) { between(n); return (int)sink; }
};
}
extern "C" __attribute__((noinline)) int outer(int n) { work::worker worker; int part = worker.leaf(n); return part + n; }
"""
TURNS = "60"
FLAGS = ["-O2", "-g", "-fomit-frame-pointer"]


class Scene:
    def __init__(self, run, folder):
        self.run, self.folder = run, folder
        self.program, self.data = folder / "program", folder / "perf.data"
        (folder / "main.c").write_text(MAIN)
        (folder / "work.c").write_text(WORK)

    def build(self, *words, tools=(), compiler="cc"):
        """Compiled and linked in its folder; skips where that can't be done here."""
        missing = [tool for tool in tools if not shutil.which(tool)]
        if missing:
            pytest.skip(f"{missing[0]} is not installed")
        for step in (["-c", "main.c", "work.c"], ["-o", "program", "main.o", "work.o"]):
            done = subprocess.run([compiler, *FLAGS, *words, *step], cwd=self.folder, capture_output=True, text=True)
            if done.returncode:
                pytest.skip(f"can't build it: {done.stderr.strip().splitlines()[-1]}")
        return self

    def tool(self, *words):
        try:
            done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            pytest.skip(f"{words[0]} hangs")
        if done.returncode:
            pytest.skip(f"can't run {words[0]}: {(done.stderr.strip().splitlines() or ['?'])[-1]}")

    def record(self, *words):
        done = self.run("record", "-N", "-e", "cpu-clock:u", "-F", "1999", "--call-graph", "dwarf", "-o", str(self.data), "--", *(words or [str(self.program), TURNS]))
        if done.returncode and "program" not in done.stderr:
            pytest.skip(f"can't record stack dumps here: {done.stderr.strip()}")
        return self

    def stacks(self):
        done = self.run("script", "-i", str(self.data), "-F", "ip,sym,srcline")
        assert done.returncode == 0, done.stderr
        return [[(name, line) for name, line in re.findall(r"^\t +[0-9a-f]+ (\S+)(?: \(inlined\))?\n {2}(\S+)", stack + "\n", re.M)]
                for stack in done.stdout.split("\n\n") if "leaf" in stack or "program" in stack]

    def check(self, lines=True):
        stacks = [stack for stack in self.stacks() if any(name == "leaf" for name, _ in stack)]
        if len(stacks) < 10:
            pytest.skip("the machine was too busy to bring enough samples")
        names = ["innermost", "between", "leaf", "outer", "main"] if lines else ["leaf", "outer", "main"]
        whole = [stack for stack in stacks if [name for name, _ in stack][:len(names)] == names]
        assert len(whole) > 0.9 * len(stacks), stacks[0]
        if lines:
            place = f"work.c:{WORK.splitlines().index('        sink = x = x * 1.1 + i; /* LINE-INNERMOST */') + 1}"
            assert sum(stack[0][1].endswith(place) for stack in whole) > 0.5 * len(whole), whole[0]
            place = f"main.c:{MAIN.splitlines().index('        sum += outer(i); /* LINE-MAIN */') + 1}"
            assert all(stack[4][1].endswith(place) for stack in whole), whole[0]


@pytest.fixture
def scene(run, tmp_path):
    return Scene(run, tmp_path)


LAYOUTS = {
    "pie": [], "no-pie": ["-no-pie", "-fno-pie"], "static": ["-static"], "static-pie": ["-static-pie", "-fPIE"],
    "one segment": ["-Wl,-z,noseparate-code"], "segments apart": ["-Wl,-z,separate-code"],
    "large pages": ["-Wl,-z,max-page-size=0x200000,-z,separate-code"], "lld": ["-fuse-ld=lld"],
    "lld, no segments apart": ["-fuse-ld=lld", "-Wl,-z,noseparate-code,--no-rosegment"], "gold": ["-fuse-ld=gold"],
    "gold, rosegment": ["-fuse-ld=gold", "-Wl,--rosegment"],
    "text far away": ["-no-pie", "-fno-pie", "-Wl,-Ttext-segment=0x10000000"],
    "text at an odd place": ["-no-pie", "-fno-pie", "-Wl,--section-start=.text=0x401337"],
    "functions in sections of their own": ["-ffunction-sections", "-Wl,--gc-sections"],
    "no table of frames": ["-Wl,--no-eh-frame-hdr"],
    "DWARF 4": ["-gdwarf-4"], "DWARF 4, types apart": ["-gdwarf-4", "-fdebug-types-section"], "DWARF 2": ["-gdwarf-2"],
    "compressed": ["-gz=zlib"], "compressed as GNU did": ["-gz=zlib-gnu"], "across units": ["-flto"],
}


@pytest.mark.parametrize("words", LAYOUTS.values(), ids=LAYOUTS)
def test_layouts(scene, words):
    scene.build(*words).record().check()


def test_functions_of_classes(scene):
    """C's units hold no functions in their types, C++'s do."""
    scene.build()
    (scene.folder / "work.cpp").write_text(CLASSES)
    scene.tool("c++", *FLAGS, "-c", "work.cpp")
    scene.tool("cc", *FLAGS, "-o", "program", "main.o", "work.o")
    stacks = [[re.sub(r"\(.*", "", name) for name, _ in stack] for stack in scene.record().stacks()]
    stacks = [stack for stack in stacks if "work::worker::leaf" in stack]
    if len(stacks) < 10:
        pytest.skip("the machine was too busy to bring enough samples")
    names = [*(f"work::worker::{name}" for name in ("innermost", "between", "leaf")), "outer", "main"]
    assert sum(stack[:5] == names for stack in stacks) > 0.9 * len(stacks), stacks[0]


@pytest.mark.parametrize("packed", [[], ["-gz=zlib"]], ids=["plain", "compressed"])
def test_split_units(scene, packed):
    scene.build("-gsplit-dwarf", *packed)
    assert list(scene.folder.glob("*.dwo"))
    scene.record().check()


PACKAGES = {  # Debian 12's dwp crashes on DWARF 5, its llvm-dwp hangs on gcc's
    "gcc, dwp": ("gcc", 4, "dwp"), "gcc, llvm-dwp": ("gcc", 4, "llvm-dwp"), "clang, dwp": ("clang", 4, "dwp"), "clang, llvm-dwp": ("clang", 5, "llvm-dwp"),
}


@pytest.mark.parametrize("compiler,version,packer", PACKAGES.values(), ids=PACKAGES)
def test_a_package_of_split_units(scene, compiler, version, packer):
    scene.build("-gsplit-dwarf", f"-gdwarf-{version}", tools=[compiler, packer], compiler=compiler)
    scene.tool(packer, "-e", "program", "-o", "program.dwp")
    for file in scene.folder.glob("*.dwo"):
        file.unlink()
    scene.record().check()


@pytest.mark.parametrize("how", ["zlib", "zstd"])
def test_a_compressed_package(scene, how):
    scene.build("-gsplit-dwarf", "-gdwarf-4", tools=["dwp", "objcopy"])
    scene.tool("dwp", "-e", "program", "-o", "program.dwp")
    scene.tool("objcopy", f"--compress-debug-sections={how}", "program.dwp")
    for file in scene.folder.glob("*.dwo"):
        file.unlink()
    scene.record().check()


@pytest.mark.parametrize("offsets", ["-gdwarf32", "-gdwarf64"])
def test_split_units_beside_units_of_types(scene, offsets):
    """gcc writes a section of units for each type, all of one name; libdw reads the first alone."""
    scene.build("-gsplit-dwarf", "-gdwarf-5", "-fdebug-types-section", offsets, tools=["gcc", "g++"], compiler="gcc")
    (scene.folder / "work.cpp").write_text(CLASSES)
    scene.tool("g++", *FLAGS, "-gsplit-dwarf", "-gdwarf-5", "-fdebug-types-section", offsets, "-c", "work.cpp")
    scene.tool("g++", *FLAGS, "-o", "program", "main.o", "work.o")
    stacks = [[re.sub(r"\(.*", "", name) for name, _ in stack] for stack in scene.record().stacks()]
    stacks = [stack for stack in stacks if "work::worker::leaf" in stack]
    if len(stacks) < 10:
        pytest.skip("the machine was too busy to bring enough samples")
    assert sum(stack[1:3] == ["work::worker::between", "work::worker::leaf"] for stack in stacks) > 0.9 * len(stacks), stacks[0]
    assert "dwo" not in scene.run("report", "-i", str(scene.data), "-s", "sym").stderr


@pytest.mark.parametrize("how", [[], ["-gsplit-dwarf"], ["-gsplit-dwarf", "-gdwarf-4"]], ids=["whole", "split", "split, version 4"])
def test_dwarf_of_64_bit_offsets(scene, how):
    scene.build("-gdwarf64", *how, tools=["gcc"], compiler="gcc")
    scene.record().check()


def test_a_package_of_64_bit_offsets(scene):
    """Of one unit: Debian 12's dwp makes the strings of all but the first wrong."""
    scene.build("-gdwarf64", tools=["dwp"], compiler="gcc")
    scene.tool("gcc", *FLAGS, "-gdwarf64", "-gsplit-dwarf", "-gdwarf-4", "-c", "work.c")
    scene.tool("gcc", "-o", "program", "main.o", "work.o")
    scene.tool("dwp", "-e", "program", "-o", "program.dwp")
    (scene.folder / "work.dwo").unlink()
    scene.record().check()


def test_a_package_beside_a_debug_file(scene):
    """What Debian's and other builds make of it: the skeletons in program.debug, their units in program.dwp."""
    scene.build("-gsplit-dwarf", "-gdwarf-4", "-Wl,--build-id=none", tools=["dwp"])
    scene.tool("dwp", "-e", "program", "-o", "program.dwp")
    scene.tool("objcopy", "--only-keep-debug", "program", "program.debug")
    scene.tool("objcopy", "--strip-all", "--add-gnu-debuglink=program.debug", "program")
    for file in scene.folder.glob("*.dwo"):
        file.unlink()
    scene.record().check()


def test_a_damaged_package_is_as_good_as_none(scene):
    scene.build("-gsplit-dwarf", "-gdwarf-4", tools=["dwp"])
    scene.tool("dwp", "-e", "program", "-o", "program.dwp")
    for file in scene.folder.glob("*.dwo"):
        file.unlink()
    package = scene.folder / "program.dwp"
    package.write_bytes(package.read_bytes()[:700])
    scene.record().check(lines=False)
    assert "keep the .dwo files, or their package" in scene.run("report", "-i", str(scene.data), "-s", "sym").stderr


def test_split_units_that_are_gone(scene):
    """What the skeleton tells remains: names of functions, by the symbol table."""
    scene.build("-gsplit-dwarf")
    for file in scene.folder.glob("*.dwo"):
        file.unlink()
    scene.record().check(lines=False)
    done = scene.run("report", "-v", "-i", str(scene.data), "-s", "sym")
    assert re.search(r"program: inlined functions are unknown where '\S*\.dwo' or its like is missing", done.stderr), done.stderr
    plain = scene.run("report", "-i", str(scene.data), "-s", "sym")
    assert re.search(r"note: '\S*program': inlined functions are unknown .*keep the \.dwo files, or their package", plain.stderr), plain.stderr
    assert "inlined functions" not in scene.run("report", "-q", "-i", str(scene.data), "-s", "sym").stderr


def test_a_debug_file_by_link(scene):
    scene.build("-Wl,--build-id=none")
    scene.tool("objcopy", "--only-keep-debug", "program", "program.debug")
    scene.tool("objcopy", "--strip-all", "--add-gnu-debuglink=program.debug", "program")
    scene.record().check()


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "compressed"])
def test_a_shared_debug_file(scene, packed):
    """What dwz moves out of two programs into a third file."""
    scene.build(tools=["dwz"])
    shutil.copy(scene.program, scene.folder / "twin")
    scene.tool("dwz", "-m", "common.debug", "-M", str(scene.folder / "common.debug"), "program", "twin")
    if not (scene.folder / "common.debug").exists():
        pytest.skip("dwz found nothing to share")
    if packed:
        scene.tool("objcopy", "--compress-debug-sections", "program")
    scene.record().check()
    (scene.folder / "common.debug").unlink()
    gone = scene.run("report", "-i", str(scene.data), "-s", "sym")
    assert "inlined functions" not in gone.stderr or "common.debug' is missing, a file of debug information that several binaries share" in gone.stderr
    assert "innermost" in gone.stdout or "several binaries share" in gone.stderr, gone.stderr


def test_what_libdw_cannot_unpack_is_said(scene):
    """Debug information under zstd: read where elfutils does, else said to be there."""
    scene.build()
    packing = subprocess.run(["objcopy", "--compress-debug-sections=zstd", "program"], cwd=scene.folder, capture_output=True)
    if packing.returncode:
        pytest.skip("this objcopy has no zstd")
    scene.record()
    done = scene.run("report", "-i", str(scene.data), "-s", "sym")
    said = "debug information is compressed with zstd, which libdw reads from elfutils 0.189 on"
    assert "innermost" in done.stdout or f"inlined functions and source lines are unknown: its {said}" in done.stderr, done.stderr
    annotated = scene.run("annotate", "-i", str(scene.data)).stdout
    assert "work.c:" in annotated or f"its {said}" in annotated


def test_a_deleted_program(scene):
    """Its process still runs when the report is made: its mapping is read."""
    scene.build()
    process = subprocess.Popen([scene.program, "1000000"], cwd=scene.folder)
    try:
        scene.program.rename(scene.folder / "gone")
        (scene.folder / "gone").unlink()
        scene.run("record", "-N", "-e", "cpu-clock:u", "-F", "999", "--call-graph", "dwarf", "-o", str(scene.data), "-p", str(process.pid), "--duration", "0.5")
        assert scene.data.exists()
        scene.check()
    finally:
        process.kill()
        process.wait()


def test_a_program_that_was_replaced(scene):
    scene.build("-Wl,--build-id").record()
    (scene.folder / "work.c").write_text(WORK.replace("1.1", "1.2"))
    scene.program.unlink()
    scene.build("-Wl,--build-id")
    done = scene.run("report", "-i", str(scene.data), "-g", "none", "-s", "dso,sym", "-v")
    assert "not the recorded file: its build id is" in done.stderr, done.stderr
    assert "leaf" not in done.stdout


def test_a_program_of_another_mount_namespace(scene):
    """Its path means another file here, and nothing at all once it was looked for under our root."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        pytest.skip("needs root and unshare")
    scene.build()
    inside = scene.folder / "inside"
    inside.mkdir()
    script = f"mount -t tmpfs none {inside} && cp {scene.program} {inside}/program && exec {inside}/program 1000000"
    process = subprocess.Popen(["unshare", "-m", "sh", "-c", script])
    try:
        for _ in range(100):
            if os.readlink(f"/proc/{process.pid}/exe") == f"{inside}/program":
                break
            time.sleep(0.05)
        else:
            pytest.skip("mounting is not allowed here")
        scene.run("record", "-N", "-e", "cpu-clock:u", "-F", "999", "--call-graph", "dwarf", "-o", str(scene.data), "-p", str(process.pid), "--duration", "0.5")
        assert not (inside / "program").exists()
        scene.check()
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
