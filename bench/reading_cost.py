# SPDX-License-Identifier: GPL-3.0-or-later
"""What reading large recordings costs: plumb's commands beside perf's, on recordings made here, after their outputs were compared.

CPU time and wall time of the same interleaved rounds; memory as peak RssAnon (what the program itself holds), VmHWM beside it
(with the mapped file's pages).
"""
import collections
import contextlib
import os
import pathlib
import random
import re
import select
import shlex
import shutil
import statistics
import struct
import subprocess
import tempfile
import time

PEER_SECONDS_MOST = 300
ONE_CORE = "plumb, one core"
NOTHING_KEPT = "plumb, nothing kept"  # neither the kernel's names nor what debug information said before
NO_INLINE = "--no-inline"  # perf 6.1 inlines nothing in chains by frame pointers, and calls the function around inlined code inlined, too
SAMPLE_SECONDS = 0.004
MEMORY_FOLDER = pathlib.Path("/dev/shm")
OUTPUT_BYTES_MOST = 2 << 30

PYTHON_LOAD = """
import json, sys, time
end = time.time() + float(sys.argv[1])
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
while time.time() < end:
    fib(15)
    table = {i: str(i) for i in range(500)}
    json.dumps(table)
    sorted(table.values(), key=lambda text: text[::-1])
"""

FRAME_ADDRESS = re.compile(r"^\t *[0-9a-f]+ ")
NAMELESS_ROW = re.compile(r"\[[.kgu]\] (0x)?[0-9a-f]{8,16}$")
OWN_MARK = " (profiler's own)"

Run = collections.namedtuple("Run", "wall cpu anon hwm status")


def anon_kib(pid):
    try:
        return int(re.search(r"RssAnon:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1))
    except (OSError, AttributeError):
        return 0


def run_measured(words, output, seconds_most):
    """One run, its memory looked at every few milliseconds; None when it took too long."""
    with open(output, "wb") as out:
        begin = time.monotonic()
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL)
    anon = 0
    with open(os.pidfd_open(child.pid), "rb", buffering=0) as ended:
        while not select.select([ended], [], [], SAMPLE_SECONDS)[0]:
            anon = max(anon, anon_kib(child.pid))
            if time.monotonic() - begin > seconds_most:
                child.kill()
                child.wait()
                return None
    wall = time.monotonic() - begin
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return Run(wall, usage.ru_utime + usage.ru_stime, anon / 1024, usage.ru_maxrss / 1024, child.returncode)


@contextlib.contextmanager
def output_folder(otherwise):
    """Where outputs are written: to memory, where it has room, as hundreds of megabytes wait for a disk at times."""
    if MEMORY_FOLDER.is_dir() and shutil.disk_usage(MEMORY_FOLDER).free >= OUTPUT_BYTES_MOST:
        with tempfile.TemporaryDirectory(prefix="plumb-bench-", dir=MEMORY_FOLDER) as made:
            yield pathlib.Path(made)
    else:
        yield otherwise


def load_and_record(plumb, build, file, options, seconds):
    """System-wide, beside a program with deep stacks and a Python program, each as long as the recording."""
    loads = [subprocess.Popen(words, stdout=subprocess.DEVNULL) for words in
             ([build / "bench/workloads/stacks", str(seconds + 1)], [shutil.which("python3") or "python3", "-c", PYTHON_LOAD, str(seconds + 1)])]
    subprocess.run([plumb, "record", "-q", "-a", "-e", "cpu-clock", *options, "-o", file, "--", "sleep", str(seconds)],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    for load in loads:
        load.wait()


def repeat_data(source, target, times):
    """The same recording with its data section `times` over: longer, with no more to tell apart."""
    content = source.read_bytes()
    offset, size = struct.unpack_from("<QQ", content, 40)
    bitmap = struct.unpack_from("<4Q", content, 72)
    added = size * (times - 1)
    features = bytearray(content[offset + size:])
    for at in range(sum(bin(word).count("1") for word in bitmap)):
        place = struct.unpack_from("<Q", features, 16 * at)[0]
        struct.pack_into("<Q", features, 16 * at, place + added)
    with open(target, "wb") as out:
        out.write(content[:48] + struct.pack("<Q", size * times) + content[56:offset])
        for _ in range(times):
            out.write(content[offset:offset + size])
        out.write(features)


def lines_of(path):
    """A text's lines as they read, without comments: perf pads and heads its tables otherwise. Addresses are left out: later
    perf 6.1 print some frames' within their file, and a nameless row's within its file where it was sampled, at run time
    where it was called from, with the letter of the frame before it where nothing is mapped. Nor does plumb's mark count."""
    with open(path, errors="replace") as text:
        return collections.Counter(" ".join(NAMELESS_ROW.sub("nameless", FRAME_ADDRESS.sub("\\t", line).replace(OWN_MARK, "").rstrip()).split())
                                   for line in text if line.strip() and not line.startswith("#"))


def leaves_of(path):
    """Of folded stacks the millionths by thread name and innermost function: FlameGraph's script counts periods and joins a name's words;
    nameless frames and where stacks end are told otherwise by each tool."""
    leaves = collections.Counter()
    with open(path, errors="replace") as text:
        for line in text:
            stack, _, count = line.rpartition(" ")
            comm, _, frames = stack.partition(";")
            leaf = frames.rpartition(";")[2]
            leaves[comm.replace(" ", "_"), "[unknown]" if leaf.startswith("[") else leaf.partition("(")[0]] += int(count)
    total = sum(leaves.values())
    return collections.Counter({leaf: round(1e6 * count / total) for leaf, count in leaves.items()})


def share_alike(ours, theirs, read=lines_of):
    """How many of the peer's lines stand in ours, too: "100.0 %"."""
    mine, peer = read(ours), read(theirs)
    total = sum(peer.values())
    return f"{100 * sum(min(count, mine[line]) for line, count in peer.items()) / total:.1f} %" if total else "nothing to compare"


def folding_peer(file, *options):
    """perf's samples as folded stacks: by FlameGraph's script where it is installed, else by the one that comes with perf."""
    collapse = shutil.which("stackcollapse-perf.pl")
    if collapse:
        return "stackcollapse-perf.pl", ["sh", "-c", f"perf script {shlex.join([*options, '-i', str(file)])} | {collapse}"]
    scripts = pathlib.Path(subprocess.run(["perf", "--exec-path"], capture_output=True, text=True).stdout.strip() or "/usr/lib/perf-core") if shutil.which("perf") else None
    script = scripts / "scripts/python/stackcollapse.py" if scripts else None
    if script and script.exists():
        return "perf's stackcollapse.py", ["perf", "script", *options, "-s", str(script), "-i", str(file)]
    return "perf script alone, not yet folded", ["perf", "script", *options, "-i", str(file)]


class Row:
    """`compared`: what is run once more, untimed, for its text: by "plumb" and by "perf"; None: nothing is compared."""

    def __init__(self, work, asked, ours, theirs, compared=None, read=lines_of):
        self.work, self.asked, self.compared, self.read = work, asked, compared, read
        self.commands = {"plumb": ours, ONE_CORE: ["taskset", "-c", "0", *ours], NOTHING_KEPT: ["env", "XDG_CACHE_HOME=/proc/none", *ours]}
        self.commands |= {"perf": theirs} if theirs else {}


def rows_of(plumb, chains, large, dumps):
    report, bare = ["report", "--stdio"], ["report", "--stdio", "-g", "none", "--no-children"]

    def row(work, asked, words, file, peer=None, compared=True):
        theirs = None if peer is False else ["perf", *(peer or words), "-i", str(file)]
        both = {name: [name if name == "perf" else str(plumb), *words, NO_INLINE, "-i", str(file)] for name in ("plumb", "perf")}
        return Row(work, asked, [str(plumb), *words, "-i", str(file)], theirs, both if compared and theirs else None)
    peer, folding = folding_peer(chains)
    fold = [str(plumb), "export", "folded", "-i", str(chains)]
    folded = Row(f"folded stacks ({peer})", "80 times faster", fold, folding,
                 {"plumb": [*fold, NO_INLINE], "perf": folding_peer(chains, NO_INLINE)[1]}, leaves_of)
    return [row("default report: chains, children", "40 times faster, 96 MiB", report, chains),
            row("report without chains", "5 times faster", bare, chains),
            row("default report of the large one", "under 6 s, under 512 MiB", report, large, False),
            row("script", "6 times faster", ["script"], chains),
            folded,
            row("stack dumps: report", "12 times faster", report, dumps),
            row("stack dumps: report by function", "", bare, dumps),
            row("stack dumps: report by source line", "under 100 ms more than by function", [*bare, "-s", "srcline"], dumps),
            row("annotate all functions", "under 0.3 s", ["annotate", "--all"], dumps, ["annotate", "--stdio"], False)]


def seconds(value):
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.2f} s"


def memory_cells(command, run):
    if command[0] == "sh":
        return "several programs | "
    return f"{run.anon:.0f} MiB | {run.hwm:.0f} MiB"


def row_lines(row, runs, alike):
    ours = runs["plumb"]
    for name in row.commands:
        done = runs[name]
        if not done:
            yield f"| {row.work} | {name} | not done in {PEER_SECONDS_MOST} s | | | | | | |"
            continue
        bad = sorted({run.status for run in done if run.status})
        if bad:  # no figure is taken from a run that failed
            yield f"| {row.work} | {name} | not measured: ended with status {', '.join(map(str, bad))} | | | | | | |"
            continue
        median = Run(*(statistics.median(column) for column in zip(*done)))
        mine = [statistics.median(getattr(run, field) for run in ours) for field in ("wall", "cpu")] if ours else None
        ratios = f"{median.wall / mine[0]:.1f}x | {median.cpu / mine[1]:.1f}x" if name != "plumb" and mine else " | "
        yield (f"| {row.work if name == 'plumb' else ''} | {name} | {seconds(median.wall)} | {seconds(median.cpu)} | {ratios} | "
               f"{memory_cells(row.commands[name], median)} | {row.asked if name == 'plumb' else alike if name == 'perf' else ''} |")


def row_alike(row, folder):
    """What the outputs have in common, by runs of their own."""
    for name, words in row.compared.items():
        if not run_measured(words, folder / f"{name}.out", PEER_SECONDS_MOST):
            return ""
    return "lines alike: " + share_alike(folder / "plumb.out", folder / "perf.out", row.read)


def measured_row(row, folder, rounds):
    runs, alike = {name: [] for name in row.commands}, ""
    given_up = set()
    for _ in range(rounds):
        for name in random.sample(list(row.commands), len(row.commands)):
            run = None if name in given_up else run_measured(row.commands[name], folder / f"{name}.out", PEER_SECONDS_MOST)
            given_up |= {name} if run is None else set()
            runs[name] += [run] if run else []
    if row.compared and all(runs.values()) and "perf" in runs:
        alike = row_alike(row, folder)
    return list(row_lines(row, runs, alike))


def measured_section(plumb, build, folder, rounds, scale=1.0):
    chains, large, dumps = folder / "chains.data", folder / "large.data", folder / "dumps.data"
    load_and_record(plumb, build, chains, ["-F", "49000", "--call-graph", "fp"], max(1, round(6 * scale)))
    load_and_record(plumb, build, dumps, ["-F", "2500", "--call-graph", "dwarf"], max(1, round(4 * scale)))
    times = max(2, round(1.2e9 * scale / chains.stat().st_size))
    repeat_data(chains, large, times)
    lines = ["## Reading recordings", "",
             f"Two programs system-wide, recorded here: at 49 kHz with chains ({chains.stat().st_size / 1e6:.0f} MB), the same {times} times over "
             f"({large.stat().st_size / 1e6:.0f} MB), and with stack dumps ({dumps.stat().st_size / 1e6:.0f} MB). Memory: peak RssAnon, looked at "
             "every 4 ms. Lines alike: of perf's lines, blanks, comments and addresses without a name apart, those that plumb's output has, too, "
             f"both with {NO_INLINE}; of folded stacks, samples by thread name and innermost function. plumb finds kept what an earlier round read of the kernel and "
             f"of debug information; what it takes without that stands below as \"{NOTHING_KEPT}\".", "",
             "| work | | wall | CPU | of plumb's, wall | CPU | RssAnon | VmHWM | asked |", "|---|---|---|---|---|---|---|---|---|"]
    with output_folder(folder) as outputs:
        lines[2] += f" Outputs are written to {'memory' if outputs != folder else 'disk'}."
        for row in rows_of(plumb, chains, large, dumps):
            if not shutil.which("perf"):
                row.commands.pop("perf", None)
            lines += measured_row(row, outputs, rounds)
            print("\n".join(lines[-len(row.commands):]), flush=True)
        for file in (chains, large, dumps, outputs / "plumb.out", outputs / "perf.out"):
            file.unlink(missing_ok=True)
    return [*lines, ""]
