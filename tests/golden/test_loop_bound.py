# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb's bound of a loop beside llvm-mca's: two tables made by different people. Where they differ, the fixture says why."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

LOOPS = pathlib.Path(os.environ["PLUMB_SOURCE_ROOT"]) / "tests/fixtures/loops/x86.txt"
RELATIVE, ABSOLUTE = 0.15, 0.2  # cycles: llvm-mca's total holds the filling of the pipeline, and greedy choices of ports
TURNS = 500


def read_loops():
    loops = []
    for line in LOOPS.read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            loops.append({"name": line[2:], "code": [], "mca": None, "real": None})
        elif line.startswith("! "):
            key, why = line[2:].split(": ", 1)
            loops[-1][key] = why
        elif line and not line.startswith("#"):
            loops[-1]["code"].append(line)
    return loops


def code_text(loop):
    return "1:\n" + "\n".join(loop["code"]) + "\ndec %rcx\njnz 1b\n"


def assembled(loop, folder):
    (folder / "loop.s").write_text(code_text(loop))
    subprocess.run(["as", "--64", "-o", folder / "loop.o", folder / "loop.s"], check=True)
    subprocess.run(["objcopy", "-O", "binary", "-j", ".text", folder / "loop.o", folder / "loop.bin"], check=True)
    return (folder / "loop.bin").read_bytes().hex()


def bound(tool, core, hexes):
    answer = subprocess.run([tool, core, "-"], input="".join(one + "\n" for one in hexes), capture_output=True, text=True, check=False)
    if answer.returncode == 2:
        pytest.skip(answer.stderr.strip())
    return answer.stdout.splitlines()


def mca_cycles(loops, cpu):
    """Of each loop, in their order."""
    regions = "".join(f"# LLVM-MCA-BEGIN {at}\n{code_text(loop)}# LLVM-MCA-END\n" for at, loop in enumerate(loops))
    answer = subprocess.run(["llvm-mca", f"-mcpu={cpu}", "-mtriple=x86_64", f"-iterations={TURNS}"], input=regions, capture_output=True,
                            text=True, check=True)
    found = re.findall(r"^\[\d+\] Code Region - (\d+)\n.*?^Total Cycles:\s+(\d+)", answer.stdout, re.M | re.S)
    assert [int(at) for at, _ in found] == list(range(len(loops)))
    return [int(cycles) / TURNS for _, cycles in found]


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    """Each loop's bytes, in hexadecimal digits."""
    for needed in ("as", "objcopy"):
        if not shutil.which(needed):
            pytest.skip(f"{needed} is not installed")
    folder = tmp_path_factory.mktemp("loops")
    return [assembled(loop, folder) for loop in read_loops()]


@pytest.fixture(name="tool")
def fixture_tool(plumb):
    return pathlib.Path(plumb).parent / "tests/loop_bound_tool"


@pytest.mark.parametrize("core", ["SKX", "ICX", "SPR", "ZEN2", "ZEN3", "ZEN4", "ZEN5"])
def test_every_loop_has_a_bound(tool, code, core):
    loops = read_loops()
    lines = bound(tool, core, code)
    assert len(lines) == len(loops)
    known = 0
    for loop, line in zip(loops, lines):
        cycles = float(re.search(r"cycles=(\S+)", line)[1])
        assert 0.1 < cycles < 100, loop["name"]
        known += "lower=0 unknown=0()" in line
        assert "lower=0" in line or not core.startswith(("SKX", "ICX", "SPR")), f"{loop['name']}: {line}"
    assert known >= len(loops) * 0.8


def test_agrees_with_llvm_mca(tool, code):
    if not shutil.which("llvm-mca"):
        pytest.skip("llvm-mca is not installed (Debian: llvm)")
    loops = read_loops()
    lines = bound(tool, "SKX", code)
    version = subprocess.run(["llvm-mca", "--version"], capture_output=True, text=True, check=True).stdout
    exact = "LLVM version 14." in version  # of which the fixture's remarks are
    wrong = []
    for loop, line, theirs in zip(loops, lines, mca_cycles(loops, "cascadelake")):
        ours = float(re.search(r"cycles=(\S+)", line)[1])
        agree = abs(ours - theirs) <= RELATIVE * max(ours, theirs) + ABSOLUTE
        if (not agree and not loop["mca"]) or (agree and loop["mca"] and exact):
            wrong.append(f"{loop['name']}: plumb {ours:.2f}, llvm-mca {theirs:.2f}, and the fixture says {loop['mca'] or 'nothing'}")
    assert len(loops) >= 60
    assert not wrong, "\n".join(wrong)
