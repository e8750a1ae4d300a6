# SPDX-License-Identifier: GPL-3.0-or-later
"""Who calls what is hot in a library without frame pointers, and what the verdict then says to whose code it is."""
import json
import os
import subprocess

import pytest

COPIES = """
#include <stdlib.h>
#include <string.h>
static char *from, *to;
__attribute__((noinline)) void copy_rows(size_t size) {
    for (size_t at = 0; at < size; at += 1 << 20)
        memcpy(to + at, from + at, 1 << 20); /* the call */
    __asm__ volatile("" ::: "memory");
}
int main(int count, char **words) {
    size_t size = 64 << 20;
    from = malloc(size), to = malloc(size);
    memset(from, 1, size), memset(to, 2, size);
    for (int left = atoi(words[count - 1]); left; left--)
        copy_rows(size);
    return to[5] - 1;
}
"""


@pytest.fixture(scope="module")
def copied(plumb, tmp_path_factory):
    folder = tmp_path_factory.mktemp("callers")
    (folder / "copies.c").write_text(COPIES)
    if subprocess.run(["gcc", "-O2", "-g", "-fomit-frame-pointer", "-o", folder / "copies", folder / "copies.c"]).returncode:
        pytest.skip("no compiler")
    case = folder / "case"
    done = subprocess.run([plumb, "diagnose", "--case", case, "--", folder / "copies", "60"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(subprocess.run([plumb, "diagnose", "--json", "--case", case], capture_output=True, text=True, check=True).stdout)
    if isinstance(found["profile"], dict) and not found["profile"].get("functions"):
        pytest.skip("no samples here")
    hot = found["profile"]["functions"][0]
    if "mem" not in hot["function"] or hot["stacks"] < 10:
        pytest.skip(f"{hot['function']} with {hot['stacks']} copied stacks: copying isn't what this machine shows, or it is too busy")
    return case, found, hot


def test_the_caller_and_its_line(copied):
    _, _, hot = copied
    first = hot["callers"][0]
    call = 1 + COPIES.splitlines().index(next(line for line in COPIES.splitlines() if "the call" in line))
    assert first["function"] == "copy_rows" and first["stacks"] >= 0.9 * hot["stacks"]
    assert os.path.basename(first["source"]) == "copies.c" and abs(first["line"] - call) <= 1
    assert hot["owners"] == []


def test_the_page_and_the_verdict_say_it(copied, plumb):
    case, found, hot = copied
    assert f"{hot['function']} is called by copy_rows (copies.c:" in found["verdict"]["sentence"]
    page = subprocess.run([plumb, "diagnose", "--case", case], capture_output=True, text=True, check=True).stdout
    assert "called by copy_rows (copies.c:" in page
    assert "all of that code is of installed programs" not in page, "the program's own code calls it"


def test_a_case_is_read_as_the_recording_in_it(copied, plumb, tmp_path):
    case, _, hot = copied
    report = subprocess.run([plumb, "report", "-i", case, "-s", "sym", "-g", "none", "--no-children"], capture_output=True, text=True, check=True).stdout
    direct = subprocess.run([plumb, "report", "-i", case / "perf.data", "-s", "sym", "-g", "none", "--no-children"], capture_output=True, text=True, check=True).stdout
    assert hot["function"] in report and report == direct
    assert "cpu-clock:u" in report and "cpu-clock-stacks:u" in report
    refused = subprocess.run([plumb, "report", "-i", tmp_path], capture_output=True, text=True)
    assert refused.returncode == 1 and "without a perf.data" in refused.stderr


LARGE_FRAME = """
#include <stdlib.h>
__attribute__((noinline)) unsigned fill(unsigned seed) {
    volatile unsigned char room[5000];
    for (unsigned at = 0; at < 20000000; at++)
        room[(seed = seed * 1664525 + 1013904223) % sizeof(room)] = (unsigned char)seed;
    return room[seed % sizeof(room)];
}
__attribute__((noinline)) unsigned fill_all(unsigned turns) {
    unsigned sum = 0;
    while (turns--)
        sum += fill(turns);
    return sum;
}
int main(int count, char **words) {
    return fill_all((unsigned)atoi(words[count - 1])) == 1;
}
"""


def test_a_large_frame_hides_no_caller(plumb, tmp_path):
    """A function with tables on its stack: the return address lies behind them."""
    (tmp_path / "frame.c").write_text(LARGE_FRAME)
    if subprocess.run(["gcc", "-O2", "-fomit-frame-pointer", "-o", tmp_path / "frame", tmp_path / "frame.c"]).returncode:
        pytest.skip("no compiler")
    done = subprocess.run([plumb, "diagnose", "--json", "--", tmp_path / "frame", "20"], capture_output=True, text=True)
    found = json.loads(done.stdout)
    if not found["profile"].get("functions"):
        pytest.skip("no samples here")
    hot = found["profile"]["functions"][0]
    if hot["function"] != "fill" or hot["samples"] < 500:
        pytest.skip(f"{hot['function']} with {hot['samples']} samples: too busy a machine")
    assert hot["callers"] and hot["callers"][0]["function"] == "fill_all"


LED_ASTRAY = """
    .text
    .globl walk
    .type walk, @function
walk:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset 6, -16
    mov %rdi, %rbp          # not a frame: a list whose every item leads to the next, on and on
    mov $1500000000, %ecx
1:  dec %ecx
    jnz 1b
    pop %rbp
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
    .size walk, .-walk
    .section .note.GNU-stack,"",@progbits
"""
LIST = """
static struct item { struct item *next; long value; } items[32];
void walk(struct item *);
__attribute__((noinline)) void go(void) { walk(items); __asm__ volatile(""); }
int main(void) {
    for (int at = 0; at < 31; at++)
        items[at] = (struct item){&items[at + 1], at};
    go();
    return 0;
}
"""


def test_data_in_the_frame_pointers_place_hides_no_caller(plumb, tmp_path):
    (tmp_path / "walk.s").write_text(LED_ASTRAY)
    (tmp_path / "list.c").write_text(LIST)
    made = subprocess.run(["gcc", "-O1", "-fomit-frame-pointer", "-o", tmp_path / "list", tmp_path / "list.c", tmp_path / "walk.s"], capture_output=True)
    if made.returncode:
        pytest.skip("no compiler for x86-64's instructions")
    case = tmp_path / "case"
    subprocess.run([plumb, "diagnose", "-q", "--case", case, "--", tmp_path / "list"], capture_output=True)
    found = json.loads((case / "findings.json").read_text())
    hot = next((one for one in found["profile"].get("functions", []) if one["function"] == "walk"), None)
    text = subprocess.run([plumb, "script", "-i", case], capture_output=True, text=True).stdout
    if not hot or "cpu-clock-stacks" not in text:
        pytest.skip("no samples with stacks here")
    assert hot["stacks"] and hot["callers"][0]["function"] == "go", hot
