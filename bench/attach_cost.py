# SPDX-License-Identifier: GPL-3.0-or-later
"""How soon does a diagnosis answer, and what does it cost who is watched? A section of bench/RESULTS.md.

A program does a fixed amount of work alone and while plumb is attached, in pairs of random order; the median of the pairs' ratios is the
overhead. plumb's own CPU time, of whatever CPU, is told beside it.
"""
import os
import random
import signal
import statistics
import subprocess
import time

TARGETS = (("dep", "40000000"), ("chase", "3000000"), ("branch", "16000"), ("memcpy", "60"))


def cpu_seconds(command, attached=None):
    """CPU and wall seconds of the command's run; attached: started with its pid as last word, and let run to its end."""
    begun = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    watcher, own = None, 0.0
    if attached:
        time.sleep(0.1)
        watcher = subprocess.Popen([*attached, str(process.pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    wall = time.monotonic() - begun
    if watcher:
        _, _, of_watcher = os.wait4(watcher.pid, 0)
        watcher.returncode = 0
        own = of_watcher.ru_utime + of_watcher.ru_stime
    return usage.ru_utime + usage.ru_stime, wall, own


def iterations_for(kernels, name, guess, seconds):
    """So many as take about that long here: judged by a run that is long beside the program's start."""
    iterations, taken = int(guess), 0.0
    while taken < 0.5:
        taken, _, _ = cpu_seconds([kernels, name, "--iterations", str(iterations)])
        iterations = max(iterations + 1, int(iterations * min(20, (seconds if taken >= 0.5 else 0.7) / max(taken, 0.001))))
    return str(iterations)


def overhead_rows(plumb, kernels, rounds, seconds):
    for name, guess in TARGETS:
        command = [kernels, name, "--iterations", iterations_for(kernels, name, guess, seconds)]
        ratios, own = [], []
        for _ in range(rounds):
            pair, arms = {}, [False, True]
            random.shuffle(arms)
            for watched in arms:
                pair[watched] = cpu_seconds(command, [plumb, "diagnose", "-q", "--duration", str(seconds - 1), "-o", "/dev/null", "-p"] if watched else None)
            ratios.append(pair[True][0] / pair[False][0])
            own.append(pair[True][2])
        low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        yield f"| {name} | {100 * (middle - 1):+.2f} % | {100 * (low - 1):+.2f} – {100 * (high - 1):+.2f} % | {statistics.median(own):.2f} s |"


def answer_rows(plumb, kernels, rounds):
    for name, _ in TARGETS:
        took = []
        service = subprocess.Popen([kernels, name, "--seconds", "600"], stdout=subprocess.DEVNULL)
        try:
            time.sleep(0.5)
            for _ in range(rounds):
                begun = time.monotonic()
                subprocess.run([plumb, "diagnose", "-q", "-o", "/dev/null", "-p", str(service.pid)], stderr=subprocess.DEVNULL, check=False)
                took.append(time.monotonic() - begun)
        finally:
            service.send_signal(signal.SIGKILL)
            service.wait()
        low, middle, high = statistics.quantiles(took, n=4) if len(took) > 1 else took * 3
        yield f"| {name} | {middle:.2f} s | {low:.2f} – {high:.2f} s |"


def started_rows(plumb, kernels, rounds):
    for name, guess in TARGETS:
        command = [kernels, name, "--iterations", iterations_for(kernels, name, guess, 1.5)]
        bare, diagnosed = [], []
        for _ in range(rounds):
            for watched in random.sample((False, True), 2):
                begun = time.monotonic()
                subprocess.run([plumb, "diagnose", "-q", "-o", "/dev/null", "--", *command] if watched else command,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
                (diagnosed if watched else bare).append(time.monotonic() - begun)
        extra = statistics.median(now - then for now, then in zip(diagnosed, bare))
        yield f"| {name} | {statistics.median(bare):.2f} s | {statistics.median(diagnosed):.2f} s | {extra:+.2f} s |"


def measured_section(plumb, build, rounds):
    kernels = f"{build}/bench/workloads/kernels"
    lines = ["## A diagnosis: how soon it answers, and what it costs who is watched", "",
             f"{rounds} rounds, pairs in random order, medians and quartiles.", "",
             "Asked of a running service: an answer within 10 s (aim: 2 s), by `plumb diagnose -p`.", "",
             "| program | answer | quartiles |", "|---|---|---|", *answer_rows(str(plumb), kernels, rounds), "",
             "Asked: at most 2 % of the target's CPU time (aim: 0.5 %), attached for 3 of its 4 seconds of work.", "",
             "| program | CPU time against alone | quartiles | plumb's own CPU time |", "|---|---|---|---|",
             *overhead_rows(str(plumb), kernels, rounds, 4), "",
             "A program of about 1.5 s, started by plumb; what comes after its end is reading code and measuring what accesses cost.", "",
             "| program | alone | with `plumb diagnose` | more |", "|---|---|---|---|", *started_rows(str(plumb), kernels, rounds), ""]
    print("\n".join(lines), flush=True)
    return lines
