# SPDX-License-Identifier: GPL-3.0-or-later
"""The ReLU pairs: plumb compare says which is slower, by how much, and what explains it. A section of bench/RESULTS.md."""
import json
import subprocess

TORCH = """
import sys, torch
a, out = torch.randn(1024, 1024), torch.empty(1024, 1024)
for _ in range(6000):  # importing takes 1.5 s of CPU time
    if sys.argv[1] == "out":
        torch.clamp_min(a, 0, out=out)
    else:
        out.copy_(a.relu_())
"""
DEBIAN_PYTHON = "/usr/bin/python3"  # the one whose packages are Debian's


def pairs(build):
    """(title, what is known of it, label and words of A, the same of B), or (title, why it can't be run)."""
    relu = f"{build}/bench/relu/relu"
    rounds = "600"

    def both(title, known, a, b):
        lacks = next((why for why in (cannot(words) for _, words in (a, b)) if why), None)
        return (title, lacks) if lacks else (title, known, a, b)

    def of_relu(label, how, width):
        return label, [relu, how, width, rounds]

    yield both("trips to memory", "three against two: the in-place form copies afterwards", of_relu("out", "out", "avx2"),
               of_relu("in place, copy", "in-place-then-copy", "avx2"))
    yield both("vector width", "the same loop compiled for AVX2 and for AVX-512", of_relu("avx2", "out", "avx2"), of_relu("avx512", "out", "avx512"))
    yield both("vector width, JIT", "the same loops emitted into anonymous pages, without names", of_relu("avx2", "out", "jit-avx2"),
               of_relu("avx512", "out", "jit-avx512"))
    yield both("vector width, JIT with a perf map", "the same, with names", of_relu("avx2", "out", "jit-map-avx2"),
               of_relu("avx512", "out", "jit-map-avx512"))
    torch = [DEBIAN_PYTHON, "-c", TORCH]
    yield both("ATen: trips to memory", "python3-torch, one thread; three against two", ("out", ["OMP_NUM_THREADS=1", *torch, "out"]),
               ("in place, copy", ["OMP_NUM_THREADS=1", *torch, "in-place"]))


def cannot(words):
    """Why a command can't be run here, or None."""
    words = [word for word in words if not word.startswith("OMP_")]
    if words[0] == DEBIAN_PYTHON:
        asked = subprocess.run([DEBIAN_PYTHON, "-c", "import torch"], capture_output=True, text=True, cwd="/")
        return "Debian's python3-torch is not installed" if asked.returncode else None
    try:
        asked = subprocess.run([*words[:-1], "1"], capture_output=True, text=True)
    except OSError as error:
        return f"{words[0]}: {error.strerror} (x86-64 only)"
    return asked.stderr.strip() if asked.returncode else None


def percent(interval, offset=0.0):
    return f"{100 * (interval['mid'] - offset):+.1f} % [{100 * (interval['low'] - offset):+.1f} .. {100 * (interval['high'] - offset):+.1f}]"


def explained(comparison):
    """The first of each view, and a second function."""
    seen, words = {}, []
    for item in comparison["explained_by"]:
        seen[item["view"]] = seen.get(item["view"], 0) + 1
        if seen[item["view"]] <= (2 if item["view"] in ("function", "vectors") else 1):
            words.append(f"{item['view']}: {item['what']} {100 * item['share_of_difference']['mid']:.0f} %")
    return "; ".join(words[:6]) or "–"


def row(plumb, title, known, a, b, blocks):
    words = [str(plumb), "compare", "-q", "--json", "--by", "cpu", "--most", str(blocks), "--explain", "8", "-L", a[0], "-L", b[0], *a[1], "--", *b[1]]
    run = subprocess.run(words, capture_output=True, text=True)
    if not run.stdout:
        return f"| {title} | {known} | not measured: {run.stderr.strip().splitlines()[0]} | | |"
    document = json.loads(run.stdout)
    comparison = document["comparisons"][0]
    verdict = f"{b[0]} is {comparison['verdict']}" if comparison["verdict"] != "undecided" else "undecided"
    ratio = percent(comparison["ratio"], 1) if comparison["ratio"] else "–"
    return f"| {title} | {known} | {verdict}, {document['blocks']} blocks | {ratio} | {explained(comparison)} |"


def measured_section(plumb, build, blocks):
    lines = ["## ReLU, 1024 x 1024 floats: which is slower, by how much, why", "",
             "Asked: `plumb compare` decides and names what accounts for it. CPU time; shares are of the difference, within a view.", "",
             "| pair | known | plumb | B's CPU time against A's | explained by |", "|---|---|---|---|---|"]
    for pair in pairs(build):
        lines.append(row(plumb, *pair, blocks) if len(pair) > 2 else f"| {pair[0]} | not run: {pair[1]} | | | |")
        print(lines[-1], flush=True)
    return [*lines, ""]
