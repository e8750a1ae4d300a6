#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How near are plumb's bounds of loops to what this processor takes? Runs the loops of tests/fixtures/loops/x86.txt from the first-level
cache, each between two chains of additions (one cycle each), and prints cycles a turn: bound, measured, llvm-mca.
Usage: loop_bounds.py BUILD CORE (as in data/instruction_costs_*.tsv, SKX), on a processor of that kind."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM_NAMES = {"SKX": "cascadelake", "ICX": "icelake-server", "SPR": "sapphirerapids", "ZEN2": "znver2", "ZEN3": "znver3", "ZEN4": "znver4"}
DRIVER = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
typedef void loop_function(uint64_t turns);
extern loop_function *loops[];
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec * 1e9 + (double)t.tv_nsec; }
static double addition(void)
{
    enum { TURNS = 20000 };
    double begin = now();
    uint64_t x = 0;
    for (int i = 0; i < TURNS; i += 16)
        __asm__ volatile(".rept 16\nadd $1,%0\n.endr" : "+r"(x));
    return (now() - begin) / TURNS;
}
static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}
int main(void)
{
    enum { TURNS = 20000, TRIES = 40 };
    for (int at = 0; at < COUNT; at++) {
        double taken[TRIES];
        for (int try = 0; try < TRIES; try++) {
            double before = addition(), begin = now();
            loops[at](TURNS);
            double turn = (now() - begin) / TURNS, after = addition();
            taken[try] = turn / (before < after ? before : after);
        }
        qsort(taken, TRIES, sizeof(*taken), compare);
        printf("%.3f\n", taken[TRIES / 4]); /* neighbours and interrupts only make it longer */
    }
}
"""


def read_loops():
    loops = []
    for line in (ROOT / "tests/fixtures/loops/x86.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            loops.append((line[2:], []))
        elif line and line[0] not in "#!":
            loops[-1][1].append(line)
    return loops


def function_text(number, code):
    wide = "zmm" if any("zmm" in line for line in code) else "ymm"
    out = [f"loop{number}: push %rbx; push %r12", "mov $3,%eax; mov $5,%ebx; mov $7,%edx; mov $9,%r8d; xor %r10d,%r10d; mov $1,%r11d",
           "mov $1000,%r12d; mov %rdi,%rcx; lea data(%rip),%rsi; lea 16896+data(%rip),%rdi; lea 33792+data(%rip),%r9"]
    if any(register in line for line in code for register in ("xmm", "ymm", "zmm")):
        out += [f"vbroadcastss one(%rip),%{wide}{at}" for at in range(16)]
    if not any("ymm" in line or "zmm" in line for line in code):
        out.append("vzeroupper")
    return out + [".p2align 6", "1:", *code, "dec %rcx", "jnz 1b", "vzeroupper; pop %r12; pop %rbx; ret"]


def measured(loops, folder):
    text = [".text", *(line for at, (_, code) in enumerate(loops) for line in function_text(at, code)), ".data", ".globl loops",
            "loops: .quad " + ", ".join(f"loop{at}" for at in range(len(loops))), "one: .float 1.0", ".bss", ".p2align 12",
            "data: .zero 65536", '.section .note.GNU-stack,"",@progbits', ""]
    (folder / "loops.s").write_text("\n".join(text))
    (folder / "driver.c").write_text(DRIVER)
    subprocess.run(["gcc", "-O2", "-no-pie", f"-DCOUNT={len(loops)}", "-o", folder / "driver", folder / "driver.c", folder / "loops.s"], check=True)
    return [float(line) for line in subprocess.run([folder / "driver"], capture_output=True, text=True, check=True).stdout.split()]


def bound(build, core, code, folder):
    (folder / "one.s").write_text("1:\n" + "\n".join(code) + "\ndec %rcx\njnz 1b\n")
    subprocess.run(["as", "--64", "-o", folder / "one.o", folder / "one.s"], check=True)
    subprocess.run(["objcopy", "-O", "binary", "-j", ".text", folder / "one.o", folder / "one.bin"], check=True)
    line = subprocess.run([f"{build}/tests/loop_bound_tool", core, "-"], input=(folder / "one.bin").read_bytes().hex() + "\n",
                          capture_output=True, text=True, check=True).stdout
    return float(re.search(r"cycles=(\S+)", line)[1]), re.search(r"limit='([^']*)'", line)[1]


def mca(core, folder):
    if not shutil.which("llvm-mca") or core not in LLVM_NAMES:
        return float("nan")
    answer = subprocess.run(["llvm-mca", f"-mcpu={LLVM_NAMES[core]}", "-iterations=500", folder / "one.s"], capture_output=True, text=True, check=False)
    found = re.search(r"Total Cycles:\s+(\d+)", answer.stdout)
    return int(found[1]) / 500 if found else float("nan")


def main():
    build, core = sys.argv[1:3]
    loops = read_loops()
    near = above = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        real = measured(loops, folder)
        print(f"{'loop':38} {'bound':>7} {'real':>7} {'mca':>7}  limit")
        for (title, code), taken in zip(loops, real):
            least, limit = bound(build, core, code, folder)
            print(f"{title:38} {least:7.2f} {taken:7.2f} {mca(core, folder):7.2f}  {limit}")
            near += taken * 0.88 - 0.1 <= least <= taken * 1.05 + 0.05
            above += least > taken * 1.05 + 0.05
    print(f"{near} of {len(loops)} within 12 %, {above} bounds above what was measured")


if __name__ == "__main__":
    main()
