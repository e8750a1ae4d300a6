# SPDX-License-Identifier: GPL-3.0-or-later
"""Stack dumps of a program without frame pointers, unwound by its frame descriptions."""
import re
import subprocess

import pytest

PROGRAM = r"""
#include <stdlib.h>
static volatile double sink;
__attribute__((noinline)) static void inner(double x) { for (int i = 0; i < 200000; i++) sink = x = x * 1.1 + i; }
__attribute__((noinline)) static int compare(const void *a, const void *b) { inner(*(int *)a); return *(int *)a - *(int *)b; }
__attribute__((noinline)) static void middle(int n) { int v[8] = {4, 3, 2, 1, 8, 7, 6, 5}; if (n) middle(n - 1); qsort(v, 8, 4, compare); sink += v[0]; }
int main(void) { for (int i = 0; i < 6; i++) middle(2); return 0; }
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unwinding")
    (folder / "program.c").write_text(PROGRAM)
    done = subprocess.run(["cc", "-O2", "-fomit-frame-pointer", "-o", folder / "program", folder / "program.c"])
    if done.returncode:
        pytest.skip("no C compiler")
    return folder / "program"


def test_a_call_back_through_the_library(run, program, tmp_path):
    """main calls middle, which calls itself twice, then qsort of the C library, which calls back."""
    recording = tmp_path / "perf.data"
    done = run("record", "-e", "cpu-clock", "-F", "999", "--call-graph", "dwarf", "-o", str(recording), "--", str(program))
    if done.returncode:
        pytest.skip(f"can't record stack dumps here: {done.stderr.strip()}")
    text = run("script", "-i", str(recording), "--no-inline", "-F", "ip,sym").stdout
    stacks = [re.findall(r"^\s*[0-9a-f]+ (\S+)", stack, re.M) for stack in text.split("\n\n")]
    inner = [stack for stack in stacks if stack[:2] == ["inner", "compare"]]
    assert len(inner) > 10 and len(inner) > 0.8 * len([stack for stack in stacks if stack and "inner" in stack[0]])
    full = [stack for stack in inner if "main" in stack and "middle" in stack]
    assert len(full) > 0.95 * len(inner)
    assert {stack[stack.index("main") - stack.count("middle"):stack.index("main")].count("middle") for stack in full} <= {1, 2, 3}
    report = run("report", "-i", str(recording), "-g", "none", "-s", "sym")
    assert re.search(r"note: (100\.0|9\d\.\d) % of \d+ stack dumps were followed", report.stderr)
    assert re.search(r"(9\d|100)\.\d\d%\s+0\.00%\s+\[\.\] main", report.stdout)


def test_a_static_program(run, tmp_path):
    """Statically linked programs have frame descriptions, but no sorted table of them."""
    (tmp_path / "program.c").write_text(PROGRAM)
    if subprocess.run(["cc", "-O2", "-static", "-fomit-frame-pointer", "-o", tmp_path / "program", tmp_path / "program.c"],
                      capture_output=True).returncode:
        pytest.skip("no static C library")
    recording = tmp_path / "perf.data"
    done = run("record", "-e", "cpu-clock:u", "-F", "999", "--call-graph", "dwarf", "-o", str(recording), "--",
               str(tmp_path / "program"))
    if done.returncode:
        pytest.skip(f"can't record stack dumps here: {done.stderr.strip()}")
    text = run("script", "-i", str(recording), "--no-inline", "-F", "ip,sym").stdout
    stacks = [stack for stack in text.split("\n\n") if " inner\n" in stack]
    if len(stacks) < 10:
        pytest.skip("the machine was too busy to bring enough samples")
    assert sum("middle" in stack and "_start" in stack for stack in stacks) > 0.95 * len(stacks)


HAND_WRITTEN = """
    .text
    .globl spin
spin:
    push %rbx
    push %r12
    sub $264, %rsp
    mov $300000000, %ecx
1:  dec %ecx
    jnz 1b
    add $264, %rsp
    pop %r12
    pop %rbx
    ret
    .section .note.GNU-stack,"",@progbits
"""
CALLING = """
extern void spin(void);
__attribute__((noipa)) static int outer(int n) { volatile int kept[20] = {n}; spin(); return kept[0] + 1; }
int main(void) { volatile int kept[40] = {1}; return outer(kept[0]) == 1; }
"""


def test_hand_written_code_without_descriptions(run, tmp_path):
    """Neither frame pointers nor descriptions: the return address is searched for, above what the code pushed."""
    (tmp_path / "spin.s").write_text(HAND_WRITTEN)
    (tmp_path / "calling.c").write_text(CALLING)
    if subprocess.run(["cc", "-O2", "-fomit-frame-pointer", "-o", tmp_path / "program", tmp_path / "calling.c", tmp_path / "spin.s"], capture_output=True).returncode:
        pytest.skip("no compiler for x86-64's instructions")
    recording = tmp_path / "perf.data"
    done = run("record", "-e", "cpu-clock:u", "-F", "999", "--call-graph", "dwarf", "-o", str(recording), "--", str(tmp_path / "program"))
    if done.returncode:
        pytest.skip(f"can't record stack dumps here: {done.stderr.strip()}")
    text = run("script", "-i", str(recording), "--no-inline", "-F", "ip,sym").stdout
    stacks = [re.findall(r"^\s*[0-9a-f]+ (\S+)", stack, re.M) for stack in text.split("\n\n")]
    spinning = [stack for stack in stacks if stack and stack[0] == "spin"]
    if len(spinning) < 10:
        pytest.skip("the machine was too busy to bring enough samples")
    assert all(stack[:3] == ["spin", "outer", "main"] for stack in spinning), [stack for stack in spinning if stack[:3] != ["spin", "outer", "main"]][:3]
