# SPDX-License-Identifier: GPL-3.0-or-later
"""How soon does a diagnosis answer, and what does it cost who is watched? A section of bench/RESULTS.md.

A program works in small pieces, and plumb is attached to it again and again; what a piece takes meanwhile, of what it takes before and
after, is the overhead. plumb's own CPU time, of whatever CPU, is told beside it.
"""
import bisect
import os
import random
import signal
import statistics
import subprocess
import tempfile
import time

WATCH_SECONDS, PAUSE_SECONDS, PAUSE_MOST_SECONDS = 4, 3, 6
ATTACH_SECONDS = 1.0  # by then it watches

TARGETS = (("dep", "40000000"), ("chase", "3000000"), ("branch", "16000"), ("memcpy", "60"))
# In the second-level cache, where other guests' use of memory doesn't reach, and in memory.
WATCHED = (("dep", None), ("chase", "256K"), ("chase", None), ("branch", None), ("memcpy", "256K"), ("memcpy", None))
DRAWS = 4000
# In steps of milliseconds nothing else on the machine is in time with plumb, whatever its other guests do over seconds.
LOOK_SECONDS = 0.004
RAN_SHARE = 0.05  # of a piece's time: the watcher ran in it
NEAR_SECONDS, CALM_LEAST, CALM_PIECES = (0.15, 0.5), 4, 60


def iterations_for(kernels, name, guess, seconds):
    """So many as take about that long here: judged by a run that is long beside the program's start."""
    iterations, taken = int(guess), 0.0
    while taken < 0.5:
        process = subprocess.Popen([kernels, name, "--iterations", str(iterations)], stdout=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        taken = usage.ru_utime + usage.ru_stime
        iterations = max(iterations + 1, int(iterations * min(20, (seconds if taken >= 0.5 else 0.7) / max(taken, 0.001))))
    return str(iterations)


def pieces_of(output):
    """(when it began, CPU ns of an iteration) of each piece of the target's work, but the small ones that it began with."""
    rows = [dict(word.split("=") for word in line.split()[1:]) for line in output.splitlines() if line.startswith("piece ")]
    most = max(int(row["iterations"]) for row in rows)
    return [(float(row["begun"]), float(row["cpu_ns_per_iteration"])) for row in rows if int(row["iterations"]) == most]


def cycle_ratio(pieces, begun, ended):
    """What a piece took while plumb watched, of what those shortly before and after took; None: too few were met."""
    watched = [cost for at, cost in pieces if begun + ATTACH_SECONDS <= at < begun + WATCH_SECONDS]
    alone = [cost for at, cost in pieces if begun - PAUSE_SECONDS + 0.2 <= at < begun - 0.1 or ended + 0.2 <= at < ended + PAUSE_SECONDS - 0.1]
    return statistics.median(watched) / statistics.median(alone) if len(watched) > 20 and len(alone) > 20 else None


def cpu_clock_of(pid):
    """The id of a process's CPU clock, as clock_getcpuclockid(3) makes it."""
    return (~pid << 3) | 2


def watch_once(command, target, own):
    """(begun, ended, when the watcher had had how much CPU time: [(s, s)])."""
    begun, runs = time.monotonic(), []
    watcher = subprocess.Popen([*command, *(("-p", str(target.pid)) if command[0] != "sleep" else ())],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    pid = 0
    while not pid:
        runs.append((time.monotonic(), time.clock_gettime(cpu_clock_of(watcher.pid))))
        time.sleep(LOOK_SECONDS)
        pid, _, usage = os.wait4(watcher.pid, os.WNOHANG)
    watcher.returncode = 0
    own.append(usage.ru_utime + usage.ru_stime)
    return begun, time.monotonic(), runs


def cpu_seconds_at(runs, when):
    """The watcher's CPU time by then, between two looks by their line."""
    after = bisect.bisect_left(runs, (when,))
    if after in (0, len(runs)):
        return runs[0 if after == 0 else -1][1]
    (left, low), (right, high) = runs[after - 1:after + 1]
    return low + (high - low) * (when - left) / (right - left)


def calm_cost(pieces, calm, when):
    """What the pieces took, on average, that lie closest to then of those in which the watcher didn't run; None: too few."""
    for width in NEAR_SECONDS:
        near = calm[bisect.bisect_left(calm, when - width, key=lambda at: pieces[at][0]):
                    bisect.bisect_left(calm, when + width, key=lambda at: pieces[at][0])]
        if len(near) >= CALM_LEAST:
            return statistics.fmean(pieces[at][1] for at in near)
    return None


def beside_excess(pieces, begun, runs):
    """What the watcher's running adds: the pieces in which it ran against those close by in which it didn't, over all pieces of the watch.

    begun: s; runs: (s after the begin of a watch, CPU s). Laid over a watch by nobody they tell what chance makes of the same moments.
    None: too few pieces.
    """
    runs = [(begun + at, cpu) for at, cpu in runs]
    first, last = (bisect.bisect_left(pieces, (runs[end][0],)) for end in (0, -1))
    reach = range(max(0, first - CALM_PIECES), min(len(pieces) - 1, last + CALM_PIECES))
    starts = {at: (pieces[at][0], pieces[at + 1][0]) for at in reach}
    ran = [at for at, (left, right) in starts.items() if cpu_seconds_at(runs, right) - cpu_seconds_at(runs, left) > RAN_SHARE * (right - left)]
    calm = sorted(set(reach) - set(ran))
    costs = [calm_cost(pieces, calm, starts[at][0]) for at in ran]
    if last <= first or None in costs:
        return None
    return sum(pieces[at][1] / cost - 1 for at, cost in zip(ran, costs)) / (last - first)


def share_cells(ratios, cycles):
    if len(ratios) < 2:
        return f"not measured: {len(ratios)} of {cycles} cycles had pieces enough | "
    low, middle, high = statistics.quantiles(ratios, n=4)
    return f"{100 * (middle - 1):+.2f} % | {100 * (low - 1):+.2f} – {100 * (high - 1):+.2f} %"


def drawn_cell(values):
    """The median, and where it lies in 95 % of draws of as many (bootstrap)."""
    if len(values) < 5:
        return f"not told: {len(values)} cycles"
    draws = sorted(statistics.median(random.choices(values, k=len(values))) for _ in range(DRAWS))
    return f"{100 * statistics.median(values):+.2f} % [{100 * draws[DRAWS // 40]:+.2f} to {100 * draws[-DRAWS // 40]:+.2f}]"


def beside_cells(pieces, watches):
    """In the moments in which plumb ran, and in the same moments of the next watch by nobody."""
    values = {"plumb": [], "nobody": []}
    for (begun, _, runs), (idle, _, _) in zip(watches["plumb"], watches["nobody"]):
        moments = [(at - begun, cpu) for at, cpu in runs]
        values["plumb"].append(beside_excess(pieces, begun, moments))
        values["nobody"].append(beside_excess(pieces, idle, moments))
    return " | ".join(drawn_cell([value for value in values[way] if value is not None]) for way in values)


def overhead_row(plumb, kernels, name, size, cycles):
    """One process for all cycles: another one's memory lies elsewhere, which tells more than the watching does. In turns with plumb nobody watches."""
    ways = {"plumb": [plumb, "diagnose", "-q", "--duration", str(WATCH_SECONDS), "-o", "/dev/null"],
            "nobody": ["sleep", str(WATCH_SECONDS + ATTACH_SECONDS / 2)]}
    watches, own = {way: [] for way in ways}, {way: [] for way in ways}
    with tempfile.TemporaryFile("w+") as output:
        target = subprocess.Popen([kernels, name, "--seconds", "3600", "--pieces", *(("--size", size) if size else ())], stdout=output)
        try:
            time.sleep(1)
            for _ in range(cycles):
                for way in random.sample(tuple(ways), len(ways)):
                    time.sleep(random.uniform(PAUSE_SECONDS, PAUSE_MOST_SECONDS))  # no beat with what others on this machine do
                    watches[way].append(watch_once(ways[way], target, own[way]))
            time.sleep(PAUSE_SECONDS)
        finally:
            target.kill()
            target.wait()
        output.seek(0)
        pieces = pieces_of(output.read().rpartition("\n")[0])
    ratios = {way: [cycle_ratio(pieces, begun, ended) for begun, ended, _ in watches[way]] for way in ways}
    told = {way: [ratio for ratio in ratios[way] if ratio] for way in ways}
    more = [ours - theirs for ours, theirs in zip(ratios["plumb"], ratios["nobody"]) if ours and theirs]
    return (f"| {name}{f', {size}' if size else ''} | {share_cells(told['plumb'], cycles)} | {share_cells(told['nobody'], cycles)} | "
            f"{drawn_cell(more)} | {beside_cells(pieces, watches)} | {statistics.median(own['plumb']):.2f} s |")


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
             "Asked: at most 2 % of the target's CPU time (aim: 0.5 %). One process works in pieces of some milliseconds; plumb is attached again and again "
             f"for {WATCH_SECONDS} s, and what a piece takes while it watches stands against the pieces of {PAUSE_SECONDS} s before and after. In turns with "
             "that nobody watches: what is told then is what this machine's other guests and the program itself vary by. They vary over seconds; so what "
             "plumb's running adds is told once more, by the pieces in which it ran against those within 0.15 s in which it didn't (without what samples "
             "cost, which every piece has, and which programs that stay in their caches tell), and by the same moments of a watch by nobody.", "",
             "| program | CPU time against alone | quartiles of the cycles | while nobody watched | quartiles | more than nobody, 95 % "
             "| while plumb ran, of all time, 95 % | same moments, nobody | plumb's own CPU time |",
             "|---|---|---|---|---|---|---|---|---|",
             *(overhead_row(str(plumb), kernels, name, size, max(4, rounds)) for name, size in WATCHED), "",
             "A program of about 1.5 s, started by plumb; what comes after its end is reading code and measuring what accesses cost.", "",
             "| program | alone | with `plumb diagnose` | more |", "|---|---|---|---|", *started_rows(str(plumb), kernels, rounds), ""]
    print("\n".join(lines), flush=True)
    return lines
