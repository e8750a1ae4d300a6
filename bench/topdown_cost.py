# SPDX-License-Identifier: GPL-3.0-or-later
"""What does a live top-down analysis cost beside the program it is of? A section of bench/RESULTS.md.

On a machine without a PMU each hardware event is stood in for by a task-clock of the kernel's (tests/tools/simulated_plumb.c): groups, passes,
reads and formulas are those of a Sapphire Rapids, the system calls are real; what reading a hardware counter takes more isn't in it.
"""
import json
import statistics
import subprocess

TARGETS = ("-l 1", "-l 2", "-l 3", "-l 6")


def costs_of(build, folder, words):
    path = folder / "costs"
    subprocess.run([build / "tests/simulated_plumb", "SPR", "L2_Bound", "standin=1", f"costs={path}", "topdown", *words],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return json.loads(path.read_text())


def spread(values):
    values = sorted(values)
    return f"{statistics.median(values):.3f} ms | {values[-1]:.3f} ms"


def pass_rows(build, folder, rounds):
    """Of passes between one run's first counter and the next one's; of what is left: the plan, the trial, the page."""
    program = ["--", str(build / "bench/workloads/kernels"), "dep", "--seconds", "0.5"]
    for words in TARGETS:
        runs = [costs_of(build, folder, [*words.split(), *program]) for _ in range(rounds)]
        passes = [cost for run in runs for cost in run["pass_ms"]]
        rest = statistics.median(run["own_ms"] - sum(run["pass_ms"]) for run in runs)
        yield f"| plumb topdown {words} | {runs[0]['runs']} | {spread(passes) if passes else 'one pass: in the last column | '} | {rest:.1f} ms |"


def watch_rows(build, folder):
    with subprocess.Popen([build / "bench/workloads/kernels", "dep", "--seconds", "600"], stdout=subprocess.DEVNULL) as service:
        try:
            for words, seconds in ((["-l", "1"], 5), (["-l", "1", "-I", "10"], 5), (["-l", "3"], 35)):
                base = costs_of(build, folder, [*words[:2], "--duration", "0.1", "-p", str(service.pid)])["own_ms"] if seconds < 10 else None
                costs = costs_of(build, folder, [*words, "--duration", str(seconds), "-p", str(service.pid)])
                more = f"{(costs['own_ms'] - base) / seconds:.2f} ms" if base is not None else f"{costs['own_ms'] / seconds:.2f} ms, the plan included"
                yield (f"| plumb topdown {' '.join(words)} -p, {seconds} s | {more} | "
                       f"{spread(costs['gap_ms']) if costs['gap_ms'] else 'one group: none | '} |")
        finally:
            service.kill()


def measured_section(build, folder, rounds):
    lines = ["## A top-down analysis: plumb's own time", "",
             "Asked: at most 2 ms of its own for each pass. Sapphire Rapids' groups and formulas; hardware events are stood in for by the kernel's "
             "task-clock, so what a hardware counter's read takes more isn't in it.", "",
             "| command | passes | plumb's CPU time from one pass to the next, median | most | besides, once: tables, plan, trial of the groups, page |",
             "|---|---|---|---|---|", *pass_rows(build, folder, rounds), "",
             "Watched: CPU time for each second, and how long nothing is counted when one group follows another.", "",
             "| command | CPU time a second | between slices, median | most |", "|---|---|---|---|", *watch_rows(build, folder), ""]
    print("\n".join(lines), flush=True)
    return lines
