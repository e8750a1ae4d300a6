#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Are the labels of this test set true? Without any profiler: each row of proofs.tsv is a program and a counterpart in
which the claimed cause is taken away (a smaller table, regular data, independent operations, larger pages). Both run
alternately; the cause's share of the time is 1 - (counterpart's CPU time per work / program's), of the medians. With
`less`, the share is what these other arguments spare the counterpart, over the program's time. A row
whose counterpart is `slots` is held against the issue width: instructions per work, counted by valgrind, over four times the
cycles per work in the fastest run (a neighbour on the core takes slots away); the clock is taken from a chain of
dependent additions that runs in between."""
import argparse
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CLOCK = """#include <stdio.h>
#include <time.h>
int main(void) {
    struct timespec a, b;
    unsigned long x = 0, n = 100000000;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (unsigned long i = 0; i < n / 10; i++)
        __asm__ volatile("add $1, %0; add $1, %0; add $1, %0; add $1, %0; add $1, %0;"
                         "add $1, %0; add $1, %0; add $1, %0; add $1, %0; add $1, %0" : "+r"(x));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    printf("work %lu\\ncpu %.9f\\n", n, (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9);
    return 0;
}
"""


def rows(path):
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    heads = lines[0].split("\t")
    return [dict(zip(heads, line.split("\t"))) for line in lines[1:]]


def built(folder, source, compiler, flags):
    out = folder / re.sub(r"\W+", "_", f"{source}_{compiler}_{flags}")
    if not out.exists():
        path = source if isinstance(source, pathlib.Path) else HERE / f"{source.split(chr(46))[0]}.c"
        subprocess.run([compiler, "-std=gnu17", "-w", *flags.split(), "-o", out, path, "-lm"], check=True)
    return out


def run(command, prefix=()):
    done = subprocess.run([*prefix, *map(str, command)], capture_output=True, text=True, check=True)
    work = re.search(r"^work (\d+)$", done.stdout, re.M)
    cpu = re.search(r"^cpu ([\d.]+)$", done.stdout, re.M)
    return float(cpu[1]) / int(work[1]), int(work[1]), done.stderr


def instructions(command):
    """Per unit of work: a longer run less a shorter one."""
    counted = []
    for seconds in ("0", "1"):
        _, work, said = run([command[0], seconds, *command[2:]], ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"))
        counted.append((work, int(re.search(r"I\s+refs:\s+([\d,]+)", said)[1].replace(",", ""))))
    return (counted[1][1] - counted[0][1]) / (counted[1][0] - counted[0][0])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", default="0.25")
    asked = parser.parse_args()
    labels = {row["name"]: row for row in rows(HERE / "labels.tsv")}
    proofs = rows(HERE / "proofs.tsv")
    bad = 0
    unproved = {name for name, row in labels.items() if row["class"] != "-"} - {proof["name"] for proof in proofs}
    if unproved:
        print("no proof for:", *sorted(unproved))
        bad += len(unproved)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "chain.c").write_text(CLOCK)
        chain = built(folder, folder / "chain.c", "gcc", "-O1")
        for proof in proofs:
            if asked.names and proof["name"] not in asked.names:
                continue
            label = labels[proof["name"]]
            arguments = shlex.split("" if label["arguments"] == "-" else label["arguments"])
            one = [built(folder, proof["name"], label["compiler"], label["flags"]), asked.seconds, *arguments]
            slots = proof["counterpart"] == "slots"
            if slots:
                two = [chain]
            else:
                flags = label["flags"] if proof["flags"] == "=" else proof["flags"]
                given = arguments if proof["arguments"] == "=" else shlex.split(proof["arguments"]) if proof["arguments"] != "-" else []
                two = [built(folder, proof["counterpart"], label["compiler"], flags), asked.seconds, *given]
            commands = [one, two]
            if proof.get("less", "-") != "-":
                commands.append([*two[:2], *shlex.split(proof["less"])])
            times = [[] for _ in commands]
            for _ in range(asked.rounds):
                for side, command in enumerate(commands):
                    times[side].append(run(command)[0])
            first, second, *third = map(statistics.median, times)
            if slots:
                first = min(times[0])
                share = instructions(one) * second / (4 * first)
            elif third:
                share = (second - third[0]) / first
            else:
                share = 1 - second / first
            low, high = float(proof["least"]), float(proof["most"])
            good = low <= share <= high
            bad += not good
            against = f"{proof['counterpart']} {proof['arguments']}"
            print(f"{'ok  ' if good else 'BAD '} {label['class']:16} {proof['name']:20} {share:6.3f} in [{low}, {high}]  {first * 1e9:9.3f} ns a unit; {against}: {second * 1e9:9.3f}", flush=True)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
