#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure plumb beside its peers and write bench/RESULTS.md.

Every figure is a ratio of medians of the same interleaved run (bench/interleave.c): the machine may be slow or
busy, but it is so for all. A peer that isn't installed is said, not guessed.
"""
import argparse
import os
import pathlib
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench/relu")]
import attach_cost  # noqa: E402
import known_answers  # noqa: E402
import reading_cost  # noqa: E402
import relu_pairs  # noqa: E402
import report_page  # noqa: E402
import results_file  # noqa: E402
import topdown_cost  # noqa: E402


class Machine:
    def __init__(self, build):
        self.build = build
        self.plumb = build / "plumb"
        self.interleave = build / "bench/interleave"
        self.minimal_stat = build / "bench/minimal_stat"
        self.perf = shutil.which("perf")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plumb-bench-"))

    def versions(self):
        yield "plumb", first_line([self.plumb, "--version"])
        if self.perf:
            yield "perf", first_line([self.perf, "--version"])
        yield "kernel", platform.release()
        yield "CPU", results_file.cpu_model()
        yield "CPUs", str(os.cpu_count())


def first_line(command):
    result = subprocess.run(command, capture_output=True, text=True)
    return (result.stdout or result.stderr).splitlines()[0] if result.stdout or result.stderr else "unknown"


class Runs:
    """Runs of several commands, interleaved: {name: [(wall_ms, cpu_ms, rss_mib, status)]}."""

    def __init__(self, machine, rounds, commands):
        self.commands = commands
        self.runs = {name: [] for name in commands}
        output = subprocess.run([machine.interleave, str(rounds), str(random.randrange(1 << 30)), *commands.values()],
                                capture_output=True, text=True, check=True).stdout
        names = list(commands)
        for line in output.splitlines():
            index, wall, cpu, rss, status = map(int, line.split())
            self.runs[names[index]].append((wall / 1e6, cpu / 1e6, rss / 1024, status))

    def values(self, name, column):
        """Of the runs that ended well."""
        return [run[column] for run in self.runs[name] if run[3] == 0]

    def median(self, name, column=0):
        return statistics.median(self.values(name, column))

    def quartiles(self, name, column=0):
        values = self.values(name, column)
        return statistics.quantiles(values, n=4) if len(values) > 1 else values * 3

    def failures(self, name):
        """"2 of 6 runs ended with status 134", or nothing."""
        bad = [run[3] for run in self.runs[name] if run[3] != 0]
        status = ", ".join(map(str, sorted(set(bad))))
        return f"{len(bad)} of {len(self.runs[name])} runs ended with status {status}" if bad else ""

    def is_measured(self, name):
        return 2 * len(self.values(name, 0)) > len(self.runs[name])


def milliseconds(value):
    return f"{value:.2f} ms" if value < 10 else f"{value:.1f} ms" if value < 1000 else f"{value / 1000:.2f} s"


class Report:
    def __init__(self):
        self.lines = []
        self.says_load = False

    def table(self, title, asked, runs, reference, column=0, note=""):
        """One row a command; ratios against the reference command."""
        if not runs.is_measured(reference):
            self.not_measured(title, f"{reference}: {runs.failures(reference)}")
            return
        kind = ["wall", "CPU"][column]
        self.lines += [f"## {title}", "", f"Asked: {asked}.", "",
                       f"| command | {kind} median | quartiles | against {reference} | peak RSS |", "|---|---|---|---|---|"]
        for name in runs.commands:
            failures = runs.failures(name)
            if not runs.is_measured(name):
                self.lines.append(f"| {name} | not measured: {failures} | | | |")
                print(f"{title}: {name} FAILED: {failures}", flush=True)
                continue
            low, _, high = runs.quartiles(name, column)
            ratio = runs.median(name, column) / runs.median(reference, column)
            self.lines.append(f"| {name}{f' ({failures}, left out)' if failures else ''} | {milliseconds(runs.median(name, column))} | "
                              f"{milliseconds(low)} – {milliseconds(high)} | {ratio:.2f}x | "
                              f"{runs.median(name, 2):.1f} MiB |")
            print(f"{title}: {name} {milliseconds(runs.median(name, column))} ({ratio:.2f}x {reference})", flush=True)
        self.lines += ["", f"{note}" if note else "", ""]

    def not_measured(self, title, why):
        print(f"{title}: not measured: {why}", flush=True)
        self.lines += [f"## {title}", "", f"Not measured: {why}.", ""]


def with_peer(machine, commands, name, command):
    return commands | ({name: command} if machine.perf else {})


def bench_start(machine, report, rounds):
    commands = {"true": "true", "plumb --version": f"{machine.plumb} --version"}
    runs = Runs(machine, rounds * 4, with_peer(machine, commands, "perf --version", "perf --version"))
    report.table("Start: `plumb --version`", "at most 3 times `true`", runs, "true")


def bench_stat(machine, report, rounds):
    commands = {"minimal program, same 8 events": f"{machine.minimal_stat} true",
                "plumb stat true": f"{machine.plumb} stat true"}
    runs = Runs(machine, rounds * 4, with_peer(machine, commands, "perf stat true", "perf stat true"))
    report.table("Counting: `stat true`", "at most 3 times the minimal program that opens the same 8 events, until "
                 "`$(…)` returns", runs, "minimal program, same 8 events")


def tracepoints(count, prefix):
    for root in ("/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events"):
        names = sorted(path.parent.name for path in pathlib.Path(root, "syscalls").glob(f"{prefix}_*/id"))
        if len(names) >= count:
            return [f"syscalls:{name}" for name in names[:count]]
    return None


def end_behind_child(machine, events, runs):
    """Milliseconds from the last thing that the counted program does until plumb has ended, sorted."""
    found = []
    for _ in range(runs):
        said = "import time; time.sleep(0.05); print(time.monotonic(), flush=True)"
        done = subprocess.run([machine.plumb, "stat", "-e", ",".join(events), sys.executable, "-c", said], capture_output=True, text=True, check=True)
        found.append((time.monotonic() - float(done.stdout)) * 1e3)
    return sorted(found)


def bench_tracepoints(machine, report, rounds):
    title = "100 tracepoints"
    # Two sets: as long as plumb's detached process still closes its own, perf would not be their last user, and is spared its wait.
    ours, theirs = tracepoints(100, "sys_enter"), tracepoints(100, "sys_exit")
    if not ours or not theirs:
        report.not_measured(title, "tracefs with 200 system-call tracepoints can't be read here")
        return
    name = "plumb stat -e … sleep 0.05"
    commands = {"sleep 0.05": "sleep 0.05", name: f"{machine.plumb} stat -e {','.join(ours)} sleep 0.05"}
    commands = with_peer(machine, commands, "perf stat -e … sleep 0.05", f"perf stat -e {','.join(theirs)} sleep 0.05")
    runs = Runs(machine, max(3, rounds // 3), commands)
    behind = runs.median(name) - runs.median("sleep 0.05")
    ends = end_behind_child(machine, ours, 15)
    report.table(title, "ends within 30 ms of the child's exit", runs, "sleep 0.05",
                 note=f"plumb ends {milliseconds(statistics.median(ends))} (median of {len(ends)} runs without peers; {milliseconds(ends[0])} to {milliseconds(ends[-1])}) "
                      f"behind the last act of a program in Python. In the table, start, opening and closing together: {milliseconds(behind)} behind the bare command; "
                      "opening waits for what perf's closing has left to the kernel. "
                      "plumb counts the entries of 100 system calls, perf the exits of as many.")


def bench_exits(machine, report, rounds):
    """An event that plumb exits counts: on system calls, as a guest's exit takes so long that any tracer's cost drowns in it."""
    title = "An event counted by `plumb exits`"
    peers = []
    if shutil.which("bpftrace"):
        peers += ["bpftrace, @[args->id] = count()", "exec bpftrace -e 'tracepoint:raw_syscalls:sys_enter { @[args->id] = count(); }'"]
    if machine.perf:
        peers += ["perf stat -a (no reasons)", f"exec {machine.perf} stat -a -e raw_syscalls:sys_enter sleep 60",
                  "perf record -a (to be read afterwards)", f"exec {machine.perf} record -a -e raw_syscalls:sys_enter -o {machine.folder}/exits.data sleep 60"]
    done = subprocess.run([machine.build / "bench/exit_cost", str(max(15, 5 * rounds)), *peers], capture_output=True, text=True)
    if done.returncode:
        report.not_measured(title, done.stderr.strip() or "it can't be watched here")
        return
    report.lines += ["", f"## {title}", "", "Asked: at most 50 ns at a raw tracepoint, 100 ns at a tracepoint, counting by reason.", "",
                     "On raw_syscalls:sys_enter in a loop of getppid; both ends timed is two events a call, with a histogram. Added: to what programs that do nothing take at "
                     "the same places, since any tracer sends system calls a longer way, which guests' exits don't have. Each block of 40 000 calls stands between two under such "
                     "programs; the median of the ratios to these, and its quartiles, at the usual speed. An empty program at the tracepoint and the clock alone are what no program "
                     "costs less than. Other programs stay attached for 25 blocks, three times.", "",
                     "| way | ns a call | under empty programs | added by an event | quartiles | blocks |", "|---|---|---|---|---|---|"]
    for line in done.stdout.splitlines():
        name, median, empty, added, low, high, blocks = line.split("\t")
        added, quartiles = ("", "") if name == "nothing" else (f"{float(added):.0f} ns", f"{float(low):.0f} – {float(high):.0f} ns")
        report.lines.append(f"| {name} | {float(median):.0f} | {float(empty):.0f} | {added} | {quartiles} | {blocks} |")
        print(f"{title}: {name} {added or median}", flush=True)
    first_event(machine, report, rounds)


def stamps(machine, command):
    """Seconds from the moment before a command is executed until the program that it watches runs; None when it didn't."""
    cost, begin, end = machine.build / "bench/exit_cost", machine.folder / "begin", machine.folder / "end"
    end.unlink(missing_ok=True)
    time.sleep(0.3)  # what the one before left to detach is gone
    subprocess.run(["sh", "-c", f"{cost} now {begin}; exec {command.format(program=f'{cost} now {end}')}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (int(end.read_text()) - int(begin.read_text())) * 1e-6 if end.exists() else None


def first_event(machine, report, rounds):
    title = "First event of `plumb exits`"
    commands = {"nothing": "{program}", "plumb exits": f"{machine.plumb} exits -- {{program}}", "plumb exits -a": f"{machine.plumb} exits -a -- {{program}}",
                "plumb exits --method tracepoint": f"{machine.plumb} exits --method tracepoint -- {{program}}",
                "plumb exits --method perf": f"{machine.plumb} exits --method perf -- {{program}}"}
    if shutil.which("bpftrace"):
        commands["bpftrace -c, one tracepoint"] = "bpftrace -e 'tracepoint:kvm:kvm_userspace_exit {{ @[args->reason] = count(); }}' -c '{program}'"
    commands = with_peer(machine, commands, "perf stat, one tracepoint", f"{machine.perf} stat -e kvm:kvm_userspace_exit {{program}}")
    times = {name: [] for name in commands}
    for _ in range(max(5, rounds)):
        for name, command in commands.items():
            took = stamps(machine, command)
            times[name] += [took] if took is not None else []
    if not times["plumb exits"]:
        report.not_measured(title, "no exits can be watched here")
        return
    report.lines += ["", f"## {title}", "", "Asked: within 30 ms. From the moment before the command is executed until the program whose exits it counts begins, its own start included; "
                     "all of kvm's tracepoints are watched by then.", "", "| command | median | least | quartiles | runs |", "|---|---|---|---|---|"]
    for name, values in times.items():
        if not values:
            report.lines.append(f"| {name} | not measured: it didn't start the program | | | |")
            continue
        low, _, high = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
        report.lines.append(f"| {name} | {milliseconds(statistics.median(values))} | {milliseconds(min(values))} | {milliseconds(low)} – {milliseconds(high)} | {len(values)} |")
        print(f"{title}: {name} {milliseconds(statistics.median(values))}", flush=True)


def bench_record(machine, report, rounds):
    file = machine.folder / "true.data"
    commands = {"true": "true", "plumb record true": f"{machine.plumb} record -q -o {file} true"}
    commands = with_peer(machine, commands, "perf record true", f"perf record -q -e cpu-clock -o {file}.perf true")
    runs = Runs(machine, max(5, rounds // 2), commands)
    report.table("Sampling: `record true`, start to exit", "at most 30 ms", runs, "true")


def recordings(machine, load, rate, options):
    """The load bare and recorded by either program, with each of the options: commands, and the file each writes."""
    commands, files = {"bare": load}, {}
    for option in options:
        words = f"-F {rate} {option}".strip()
        for program, events in (("plumb", ""), ("perf", "-e cpu-clock")):
            name = f"{program} record {words}"
            file = machine.folder / f"{program}{len(files)}.data"
            command = f"{machine.plumb if program == 'plumb' else 'perf'} record -q {events} {words} -o {file} {load}"
            if program == "plumb":
                commands[name] = command
            else:
                commands = with_peer(machine, commands, name, command)
            if name in commands:
                files[name] = file
    return commands, files


def sizes(files):
    return "Files: " + "; ".join(f"{name} {file.stat().st_size / 1e6:.2f} MB" for name, file in files.items() if file.exists()) + "."


def bench_overhead(machine, report, rounds):
    load = f"{machine.build}/bench/workloads/kernels dep --iterations 300000000"
    for rate in (1000, 4000, 10000):
        commands, files = recordings(machine, load, rate, ("", "-g"))
        runs = Runs(machine, max(5, rounds // 2), commands)
        report.table(f"Cost of recording, {rate} samples/s", "not worse than perf; CPU time, the recorder's own start "
                     "included", runs, "bare", column=1, note=sizes(files))
    commands, files = recordings(machine, load, 4000, ("--call-graph dwarf", "--call-graph dwarf -z"))
    runs = Runs(machine, max(5, rounds // 2), commands)
    report.table("Cost of recording with stack dumps, 4000 samples/s", "not worse than perf, time and size", runs, "bare",
                 column=1, note=sizes(files))


def bench_reading(machine, report, rounds):
    report.lines += reading_cost.measured_section(machine.plumb, machine.build, machine.folder, max(1, min(3, rounds // 5)))


HELD_MIB = (5427, 2765)  # on 2 MiB and on 4 KiB pages: 8 GiB


def bench_pages(machine, report, rounds):
    tool = machine.build / "bench/page_scan"
    title = "Page sizes of a process with 8 GiB, 5.3 GiB of it on huge pages"
    if os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") < (sum(HELD_MIB) + 2048) << 20:
        report.not_measured(title, "less than 10 GiB of memory are free")
        return
    with subprocess.Popen([tool, "hold", *map(str, HELD_MIB)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        holder.stdout.readline()
        pid = holder.pid
        runs = Runs(machine, rounds, {"bare PAGEMAP_SCAN": f"{tool} scan {pid}", "plumb pages --no-why": f"{machine.plumb} pages --no-why -p {pid}",
                                      "plumb pages": f"{machine.plumb} pages -p {pid}", "cat smaps": f"cat /proc/{pid}/smaps",
                                      "cat smaps_rollup": f"cat /proc/{pid}/smaps_rollup"})
        report.table(title, "at most 1.5 times the bare scan for the split into 4 KiB and 2 MiB", runs, "bare PAGEMAP_SCAN")
        holder.stdin.close()


def bench_tables(machine, report, rounds):
    tables = pathlib.Path(os.environ.get("PLUMB_SHARED_DATA") or ROOT.parent / "shared/data") / "perfmon"
    search = f"{machine.plumb} list --cpu SKX 512"
    runs = Runs(machine, rounds, {"true": "true", "plumb list --cpu SKX 512": search})
    report.table("Searching a CPU's events and metrics: `plumb list`", "under 20 ms", runs, "true")
    title = "Reading published tables: events and metrics of a CPU, all formulas resolved"
    if not tables.is_dir():
        report.not_measured(title, "intel/perfmon's tables aren't in the shared data")
        return
    runs = Runs(machine, rounds, {"built in": search} | {
        f"perfmon {cpu}": f"{machine.plumb} list --cpu {cpu} --tables {tables} 512" for cpu in ("SKX", "CLX", "ICX", "SPR", "EMR", "GNR")})
    report.table(title, "under 100 ms for each CPU", runs, "built in")


def bench_known(name):
    """Programs whose bottleneck is known, diagnosed five times each (the generated ones once); not a matter of rounds."""
    def bench(machine, report, rounds):
        asked = known_answers.options().parse_args(["--set", name, "--build", str(machine.build)] + (["--repeat", "1"] if name == "generated" else []))
        lines = known_answers.measured_section(asked)
        print("\n".join(lines), flush=True)
        report.lines += lines
        report.says_load = True
    return bench


def bench_relu(machine, report, rounds):
    report.lines += relu_pairs.measured_section(machine.plumb, machine.build, max(12, 2 * rounds))


def bench_diagnosis(machine, report, rounds):
    report.lines += attach_cost.measured_section(machine.plumb, machine.build, max(5, rounds // 2))


def bench_report(machine, report, rounds):
    report.lines += report_page.measured_section(machine.plumb, machine.folder, max(5, rounds))


def bench_topdown(machine, report, rounds):
    report.lines += topdown_cost.measured_section(machine.build, machine.folder, max(3, rounds // 4))


SECTIONS = {"start": bench_start, "stat": bench_stat, "tracepoints": bench_tracepoints, "exits": bench_exits, "record": bench_record,
            "overhead": bench_overhead, "reading": bench_reading, "diagnosis": bench_diagnosis, "report": bench_report, "pages": bench_pages, "tables": bench_tables, "topdown": bench_topdown, "relu": bench_relu,
            "known_tuning": bench_known("tuning"),
            "known_test": bench_known("test"), "known_generated": bench_known("generated")}
ONLY_WHEN_ASKED = {"known_generated"}


def head(machine):
    return ["# What plumb costs, beside its peers, and how often it is right", "", "Made by `make bench`: medians of interleaved runs on one machine; "
            "read the ratios, not the milliseconds.", "", *(f"- {name}: {value}" for name, value in machine.versions())]


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--build", default="build")
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--output", default=str(ROOT / "bench/RESULTS.md"))
    options.add_argument("sections", nargs="*", choices=[*SECTIONS, []], help=f"default: all but {', '.join(ONLY_WHEN_ASKED)}")
    asked = options.parse_args()
    machine = Machine((ROOT / asked.build).resolve())
    output = pathlib.Path(asked.output)
    sections = results_file.sections_elsewhere(output, results_file.cpu_model())
    for name in asked.sections or [name for name in SECTIONS if name not in ONLY_WHEN_ASKED]:
        report = Report()
        load = os.getloadavg()[0]
        SECTIONS[name](machine, report, asked.rounds)
        busy = "; the machine was busy with other work, which hit all commands alike" if load > (os.cpu_count() or 1) else ""
        text = "\n".join(report.lines).replace(str(machine.folder), "DIR").replace(str(machine.build), "build").strip()
        load_line = "" if report.says_load else f"\nLoad average as it began: {load:.1f}{busy}.\n"
        sections[name] = f"{text}\n{load_line}"
        results_file.write(output, head(machine), sections)  # as it goes: the known answers take long
    shutil.rmtree(machine.folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
