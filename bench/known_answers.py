#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Diagnose programs whose bottleneck is known (bench/known-answers), and score the answers.

A program is a row of labels.tsv: a source, a compiler, flags and arguments. It is diagnosed some times, and the class that
most of these runs gave is its answer: the program is the unit, for runs of one program are not independent. Bounds are
exact binomial ones (Clopper-Pearson, 95 %). Every run is kept in a file as it ends: what was stopped goes on from there.

    bench/known_answers.py --set tuning                     # five times each; prints the tables
    bench/known_answers.py --set tuning --only 'ring*' --repeat 1
    bench/known_answers.py --set tuning --keep              # keeps the cases ...
    bench/known_answers.py --set tuning --replay            # ... for another plumb to look at the same evidence
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import datetime
import fnmatch
import hashlib
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import known_labels  # noqa: E402
import results_file  # noqa: E402

FOLDER = ROOT / "bench/known-answers"
CLASSES = ["memory", "core", "bad_speculation", "frontend", "retiring", "mixed"]
ABSTAINED = "unknown"
SETS = ("tuning", "test", "generated")
RATE_TOLERANCE = 0.20
WORKING_SET_FACTOR = 2.0


# --- the rows ---------------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class Row:
    """A program as it is built and called, and what is true of it."""
    name: str
    compiler: str
    flags: list
    arguments: list
    label: str                  # class; None: there as a fix alone
    subclasses: list
    adversarial: bool
    working_set: int            # bytes or None
    fix: str                    # name of a row or None
    units: float                # of work per turn of the hot loop, or None
    predicted_by: str
    source: pathlib.Path

    @property
    def title(self):
        return self.label + (f"/{self.subclasses[0]}" if self.subclasses else "")


def read_labels(folder):
    """The rows of a folder's labels.tsv, by the names of its columns; '-' is none."""
    lines = [line.rstrip("\n") for line in open(folder / "labels.tsv") if line.strip() and not line.startswith("#")]
    columns = lines[0].split("\t")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise SystemExit(f"{folder}/labels.tsv: row {number} has {len(cells)} cells, the head has {len(columns)}")
        of = {name: (None if value == "-" else value) for name, value in zip(columns, cells)}
        if of["class"] not in (*CLASSES, ABSTAINED, None):
            raise SystemExit(f"{folder}/labels.tsv: row {number}: there is no class '{of['class']}'")
        rows.append(Row(of["name"], of["compiler"], (of["flags"] or "").split(), (of["arguments"] or "").split(), of["class"],
                        (of["subclass"] or "").split("/") if of["subclass"] else [], of["adversarial"] == "yes",
                        int(of["working_set_bytes"]) if of["working_set_bytes"] else None, of["fix"],
                        float(of["units"]) if of.get("units") else None, of.get("predicted_by") or "bottleneck",
                        folder / f"{of['name'].split('.')[0]}.c"))
    return rows


# --- building and running ---------------------------------------------------------------------------------------------

class Failed(Exception):
    """Why a row has no answer, in words."""


class Bench:
    def __init__(self, build, plumb, name, seconds, keep):
        self.plumb = plumb
        self.set_name = name
        self.seconds = seconds
        self.keep = keep
        self.folder = build / "known-answers" / name
        self.folder.mkdir(parents=True, exist_ok=True)

    def row_folder(self, row):
        """Its number, not its name: nothing that plumb sees says what the program does."""
        folder = self.folder / hashlib.sha1(row.name.encode()).hexdigest()[:8]
        folder.mkdir(exist_ok=True)
        return folder

    def build(self, row):
        """The program's path; built unless it is there, from the same sources by the same command."""
        if not shutil.which(row.compiler):
            raise Failed(f"{row.compiler} isn't installed")
        folder = self.row_folder(row)
        program, stamp = folder / "program", folder / "command"
        command = [row.compiler, "-I", str(FOLDER), *row.flags, str(row.source), "-o", str(program), "-lm"]
        newest = max(path.stat().st_mtime for path in (row.source, FOLDER / "known.h"))
        if program.exists() and stamp.exists() and stamp.read_text() == " ".join(command) and program.stat().st_mtime >= newest:
            return program
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines() or ["no message"]
            raise Failed(f"{row.compiler} can't build it: {errors[0]}")
        stamp.write_text(" ".join(command))
        return program

    def command(self, row, seconds):
        return [str(self.build(row)), f"{seconds:g}", *row.arguments]

    def work(self, row, seconds):
        """Seconds of CPU time per unit of work, run alone."""
        done = run_bounded(self.command(row, seconds), 60 + 20 * seconds)
        work, cpu = work_and_cpu(done.stdout)
        if not work:
            raise Failed(f"it ended with status {done.returncode} and no work done")
        return cpu / work

    def diagnose(self, row, repetition):
        """What plumb said of one run, and what the program said itself."""
        folder = self.row_folder(row)
        case = folder / f"case.{repetition}"
        shutil.rmtree(case, ignore_errors=True)
        # 256 MiB take a third of a second to set up: that is to stay a tenth of the whole.
        seconds = self.seconds * (2 if (row.working_set or 0) >= 256 << 20 else 1)
        began = time.monotonic()
        done = run_bounded([str(self.plumb), "diagnose", "-q", "--case", str(case), "-o", str(folder / "report"), "--",
                            *self.command(row, seconds)], 120 + 20 * seconds)
        took = time.monotonic() - began
        findings = read_findings(case / "findings.json")
        if findings is None:
            raise Failed(f"plumb ended with status {done.returncode}: {(done.stderr.strip().splitlines() or ['no findings'])[-1]}")
        if not self.keep:
            shutil.rmtree(case, ignore_errors=True)
        work, cpu = work_and_cpu(done.stdout)
        if not work:
            why = ": it isn't for this processor" if done.returncode == 128 + signal.SIGILL else ""
            raise Failed(f"it did no work under plumb, and ended with status {done.returncode}{why}")
        (folder / f"did.{repetition}").write_text(json.dumps({"work": work, "cpu_s": cpu}))
        return outcome(findings, row) | {"work": work, "cpu_s": cpu, "took_s": round(took, 2), "load": round(os.getloadavg()[0], 1)}

    def replay(self, row, repetition):
        """The same of a case that was kept: by this plumb, from the evidence of then."""
        case = self.row_folder(row) / f"case.{repetition}"
        if not case.exists():
            raise Failed("no case of it was kept")
        done = run_bounded([str(self.plumb), "diagnose", "--json", "--case", str(case)], 120)
        try:
            return outcome(json.loads(done.stdout), row) | (read_findings(case.with_name(f"did.{repetition}")) or {})
        except ValueError:
            raise Failed(f"plumb ended with status {done.returncode} and no JSON") from None


def run_bounded(command, seconds):
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise Failed(f"no end after {seconds:.0f} s") from None


def work_and_cpu(text):
    """The closing lines 'work N' and 'cpu S': numbers, or None."""
    work, cpu = re.search(r"^work (\d+)$", text, re.M), re.search(r"^cpu ([\d.]+)$", text, re.M)
    return (int(work[1]), float(cpu[1])) if work and cpu else (None, None)


def read_findings(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def interval_of(value):
    """[low, mid, high] or {"low", "mid", "high"}: a pair (low, high), or None where it isn't all numbers."""
    if isinstance(value, dict):
        value = [value.get("low"), value.get("mid"), value.get("high")]
    ends = [value[0], value[-1]] if isinstance(value, list) and len(value) == 3 else [None]
    return tuple(ends) if all(isinstance(end, (int, float)) for end in ends) else None


def bytes_of(working_set):
    """The estimate: the lines, and no more than the pages that they lie in; lower bounds are no estimates."""
    sizes = [interval_middle(value.get("bytes", value.get("mid")) if isinstance(value, dict) else value)
             for value in ((working_set or {}).get("lines_bytes"), (working_set or {}).get("pages_bytes"))]
    return min((size for size in sizes if size), default=None)


def predicted(findings, by):
    """What was foretold, as a share of CPU time: (low, high) or None."""
    if by == "bottleneck":
        return interval_of((findings.get("bottleneck") or {}).get("recoverable"))
    finding = next((each for each in findings.get("findings", []) if each.get("id") == by), {})
    return interval_of(finding.get("recoverable_ratio"))


def outcome(findings, row):
    """What the harness keeps of findings.json. No key "bottleneck", or one without a class, is an abstention."""
    said = findings.get("bottleneck") or {}
    loops = [loop for loop in said.get("loops") or [] if isinstance(loop, dict)]
    rates = [loop.get("rate_per_s") for loop in loops]
    second = said.get("second") or {}
    cpu = (findings.get("run") or {}).get("cpu_s")
    return {"class": said.get("class") or ABSTAINED, "subclass": said.get("subclass"), "confidence": said.get("confidence") or "none",
            "second": second.get("class"), "working_set": bytes_of(said.get("working_set")),
            "rate": next((interval_middle(rate) for rate in rates[:1] if interval_middle(rate)), None),
            "predicted": predicted(findings, row.predicted_by), "whole_cpu_s": cpu if isinstance(cpu, (int, float)) else None,
            "why_not": said.get("why_not")}


def interval_middle(value):
    if isinstance(value, dict):
        value = value.get("mid")
    if isinstance(value, list):
        value = value[len(value) // 2] if value else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


class Journal:
    """Results as they come, one JSON line each; those of another plumb or other seconds are left alone, and not used."""

    OF_PROGRAMS = ("gain", "label")

    def __init__(self, path, mark, fresh, runs_alone=False):
        """fresh: forgets all; runs_alone: what plumb said alone, by this mark."""
        self.path, self.mark = path, mark
        self.entries, kept = {}, []
        for line in path.read_text().splitlines() if path.exists() else []:
            try:
                entry = json.loads(line)
            except ValueError:
                continue    # stopped while it was written
            is_own = entry.get("mark") == self.mark_of(entry["key"])
            if fresh and not (runs_alone and (entry["key"][0] in self.OF_PROGRAMS or not is_own)):
                continue
            kept.append(line)
            if is_own:
                self.entries[tuple(entry["key"])] = entry["value"]
        if fresh and path.exists():
            path.write_text("".join(f"{line}\n" for line in kept))

    def mark_of(self, key):
        """What a fix returns, and what is true of a program, is the programs' own affair: any plumb will do."""
        return key[0] if key[0] in self.OF_PROGRAMS else self.mark

    def add(self, key, value):
        self.entries[tuple(key)] = value
        with open(self.path, "a") as file:
            file.write(json.dumps({"mark": self.mark_of(key), "key": key, "value": value}) + "\n")


def measure_all(bench, rows, by_name, proofs, asked, journal, deadline):
    """Every row's repetitions and every fix's gain, each round in an order of its own; what is there already is not run again.
    Returns how many were left out, and why. Ctrl-C leaves out the rest."""
    tasks = []
    for repetition in range(asked.repeat):
        scored = [row for row in rows if row.label]
        random.shuffle(scored)
        tasks += [("run", row, repetition) for row in scored]
    fixes = [row for row in rows if row.fix and row.fix in by_name]
    if not asked.replay:
        # Between the repetitions, so that a run that is cut short has some of each.
        between = len(tasks) // max(1, asked.repeat)
        tasks[between:between] = [("label", row, 0) for row in rows if row.label and row.name in proofs] + [("gain", row, 0) for row in fixes]
    tasks = [task for task in tasks if (task[0], task[1].name, task[2]) not in journal.entries]
    total, stopped = len(tasks), threading.Event()

    def work(number, task):
        kind, row, repetition = task
        if stopped.is_set() or time.monotonic() > deadline:
            return
        try:
            value = gain_of(bench, row, by_name[row.fix], asked.pairs) if kind == "gain" else \
                shares_of(bench, row, proofs[row.name], asked.rounds) if kind == "label" else \
                bench.replay(row, repetition) if asked.replay else bench.diagnose(row, repetition)
        except Failed as failure:
            value = {"failed": str(failure)}
        if stopped.is_set():
            return      # Ctrl-C reached the program too
        journal.add([kind, row.name, repetition], value)
        print(f"{number + 1}/{total} {row.name}: {in_words(row, kind, value)}", file=sys.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(max(1, asked.jobs)) as pool:
        try:
            collections.deque(pool.map(work, range(total), tasks), 0)
        except KeyboardInterrupt:
            stopped.set()
    left_out = sum((task[0], task[1].name, task[2]) not in journal.entries for task in tasks)
    return left_out, "it was stopped" if stopped.is_set() else f"the {asked.minutes:g} minutes were over"


def in_words(row, kind, value):
    if "failed" in value:
        return value["failed"]
    if kind == "gain":
        return f"its fix returns {value['realised'] * 100:.0f} %"
    if kind == "label":
        label, told = known_labels.label_of(row.label, value["shares"])
        return f"{row.label} as written, {label or 'none'} by intervention ({told})"
    mark = "right" if value["class"] == row.label else "abstained" if value["class"] == ABSTAINED else "WRONG"
    return f"{row.title} -> {value['class']}/{value['subclass'] or '-'} {value['confidence'].upper()} {mark}"


def gain_of(bench, row, fix, pairs):
    """Share of its CPU time that the fix returns: by pairs run in turn, the one or the other first."""
    gains = []
    for pair in range(pairs):
        order = (row, fix) if pair % 2 == 0 else (fix, row)
        cost = {each.name: bench.work(each, 0.5) for each in order}
        gains.append(1 - cost[fix.name] / cost[row.name])
    return {"realised": statistics.median(gains), "least": min(gains), "most": max(gains)}


def shares_of(bench, row, proofs, rounds):
    """The causes' shares of its time, by interventions run in turn."""
    return {"shares": known_labels.shares(row, proofs, lambda each: bench.work(each, 0.25), rounds)}


def labelled(rows, measured):
    """The rows with the labels of this machine, and what to say of those: {name: {"shares"}} are the measured ones."""
    of_here, changed, without = [], [], []
    for row in rows:
        found = (measured.get(row.name) or {}).get("shares")
        label, told = known_labels.label_of(row.label, found) if found and row.label else (row.label, "")
        if label != row.label:
            (changed if label else without).append(f"{row.name} (written {row.label}{f', here {label}' if label else ''}: {told})")
        of_here.append(row if label == row.label else dataclasses.replace(row, label=label, subclasses=[]))
    facts = []
    if measured:
        facts.append(f"Labels by intervention, on this machine, of {len(measured)} programs. Another one than was written: {'; '.join(changed) or 'none'}. "
                     f"Not true here, or not to be told, and left out: {'; '.join(without) or 'none'}.")
    return of_here, facts


# --- the arithmetic ---------------------------------------------------------------------------------------------------

def binomial_tail(n, k, p):
    """P(X >= k) of n trials at p."""
    if k <= 0:
        return 1.0
    if p <= 0 or p >= 1:
        return 1.0 if p >= 1 else 0.0
    logs = [math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * math.log(p) + (n - i) * math.log1p(-p)
            for i in range(k, n + 1)]
    top = max(logs)
    return min(1.0, math.exp(top) * math.fsum(math.exp(each - top) for each in logs))


def exact_bounds(successes, trials, level=0.95):
    """Clopper and Pearson's interval of a proportion; None for no trials."""
    if trials == 0:
        return None

    def solve(is_below):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if is_below(middle) else (low, middle)
        return (low + high) / 2
    half = (1 - level) / 2
    low = 0.0 if successes == 0 else solve(lambda p: binomial_tail(trials, successes, p) < half)
    high = 1.0 if successes == trials else solve(lambda p: 1 - binomial_tail(trials, successes + 1, p) > half)
    return low, high


def majority(answers):
    """What more than half said, or None."""
    answer, count = collections.Counter(answers).most_common(1)[0] if answers else (None, 0)
    return answer if 2 * count > len(answers) else None


class Score:
    """Figures of one set: rows, and their runs {name: [outcome]}, gains {name: gain}."""

    def __init__(self, rows, runs, gains):
        self.rows = [row for row in rows if row.label and runs.get(row.name)]
        self.runs, self.gains = runs, gains
        self.of_row = {row.name: row for row in rows}
        self.pairs = [(row, run) for row in self.rows for run in runs[row.name]]

    def is_right(self, row):
        return majority([run["class"] for run in self.runs[row.name]]) == row.label

    def matrix(self):
        """{label: Counter of answers}, by runs."""
        counts = collections.defaultdict(collections.Counter)
        for row, run in self.pairs:
            counts[row.label][run["class"]] += 1
        return counts

    def subclass_matrix(self):
        counts = collections.defaultdict(collections.Counter)
        for row, run in self.pairs:
            counts[f"{row.label}/{'|'.join(row.subclasses) or '-'}"][f"{run['class']}/{run['subclass'] or '-'}"] += 1
        return counts

    def class_accuracy(self):
        """{label: (programs right, programs)}."""
        return {label: (sum(self.is_right(row) for row in of), len(of))
                for label in (*CLASSES, ABSTAINED) if (of := [row for row in self.rows if row.label == label])}

    def macro_accuracy(self):
        shares = [right / count for right, count in self.class_accuracy().values()]
        return statistics.mean(shares) if shares else None

    def programs_right(self):
        return sum(map(self.is_right, self.rows)), len(self.rows)

    def subclasses_right(self):
        """Of the programs that are right and have a subclass: how many have it right in most runs."""
        of = [row for row in self.rows if self.is_right(row) and row.subclasses]
        return sum(2 * sum(run["subclass"] in row.subclasses for run in self.runs[row.name]) > len(self.runs[row.name]) for row in of), len(of)

    def high(self):
        return [(row, run) for row, run in self.pairs if run["confidence"] == "high" and run["class"] != ABSTAINED]

    def high_right(self):
        """(runs right, runs), (programs never wrong when HIGH, programs that ever were HIGH)."""
        right, all_right = 0, {}
        for row, run in self.high():
            right += run["class"] == row.label
            all_right[row.name] = all_right.get(row.name, True) and run["class"] == row.label
        return (right, len(self.high())), (sum(all_right.values()), len(all_right))

    def high_on_adversarial(self):
        """{name: [runs, runs wrong]}."""
        names = collections.defaultdict(lambda: [0, 0])
        for row, run in self.high():
            if row.adversarial:
                names[row.name][0] += 1
                names[row.name][1] += run["class"] != row.label
        return dict(names)

    def abstentions(self):
        """Runs that abstained, of those of programs that have an answer."""
        asked = [run for row, run in self.pairs if row.label != ABSTAINED]
        return sum(run["class"] == ABSTAINED for run in asked), len(asked)

    def steady(self):
        """Programs that gave one answer in at least four fifths of their runs, of those run at least three times."""
        of = [[run["class"] for run in self.runs[row.name]] for row in self.rows if len(self.runs[row.name]) >= 3]
        return sum(5 * collections.Counter(answers).most_common(1)[0][1] >= 4 * len(answers) for answers in of), len(of)

    def working_sets(self):
        """[(row, median estimate or None)], by size: of the programs of a known size from 16 KiB to 512 MiB."""
        of = [row for row in self.rows if row.working_set and 16 << 10 <= row.working_set <= 512 << 20]
        said = {row.name: [run["working_set"] for run in self.runs[row.name] if run["working_set"]] for row in of}
        return [(row, statistics.median(said[row.name]) if 2 * len(said[row.name]) > len(self.runs[row.name]) else None)
                for row in sorted(of, key=lambda row: row.working_set)]

    def gains_foretold(self):
        """[(row, middle of the predictions, realised, runs that hold it, runs that predict)]; realised is of the whole CPU time."""
        table = []
        for row in self.rows:
            gain = self.gains.get(row.name)
            if not gain:
                continue
            holds = [(run["predicted"], gain["realised"] * part_of_whole(run)) for run in self.runs[row.name] if run["predicted"]]
            inside = sum(low <= realised <= high for (low, high), realised in holds)
            middle = tuple(statistics.median(end[at] for end, _ in holds) for at in (0, 1)) if holds else None
            realised = statistics.median(each for _, each in holds) if holds else gain["realised"]
            table.append((row, middle, realised, inside, len(holds)))
        return table

    def rates(self):
        """[(row, ratio of the rate said to the true one)], of every run with an accepted rate."""
        return [(row, run["rate"] / (run["work"] / run["cpu_s"] / row.units)) for row, run in self.pairs
                if row.units and run["rate"] and run.get("work") and run.get("cpu_s")]


def part_of_whole(run):
    """The measured part of a run's CPU time: what was set up before is not in the program's own figure."""
    return min(1.0, run["cpu_s"] / run["whole_cpu_s"]) if run.get("cpu_s") and run.get("whole_cpu_s") else 1.0


# --- the tables -------------------------------------------------------------------------------------------------------

def percent(part, whole):
    if not whole:
        return "none to tell by"
    is_nearly = 0 < part < whole and round(part / whole * 100) in (0, 100)
    return f"{part / whole * 100:.{1 if is_nearly else 0}f} %"


def with_bounds(part, whole):
    """"83 % (25 of 30; 95 %: 65 to 94 %)"."""
    if not whole:
        return "not measured: none to tell by"
    low, high = exact_bounds(part, whole)
    return f"{percent(part, whole)} ({part} of {whole}; 95 %: {low * 100:.0f} to {high * 100:.0f} %)"


def bytes_in_words(count):
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"


def matrix_table(counts, labels, corner):
    answers = [name for name in (*CLASSES, ABSTAINED) if any(counts[label][name] for label in labels) or name in labels]
    yield f"| {corner} | " + " | ".join("(abstained)" if name == ABSTAINED else name for name in answers) + " |"
    yield "|---" * (len(answers) + 1) + "|"
    for label in labels:
        yield f"| {label} | " + " | ".join(str(counts[label][name] or "") for name in answers) + " |"


def asked_table(score):
    """Asked beside measured, whatever it is."""
    runs_high, programs_high = score.high_right()
    on_adversarial = score.high_on_adversarial()
    adversarial_runs = sum(row.adversarial for row, _ in score.pairs)
    sets = score.working_sets()
    said = [(row, size) for row, size in sets if size]
    near = sum(1 / WORKING_SET_FACTOR <= size / row.working_set <= WORKING_SET_FACTOR for row, size in said)
    gains = score.gains_foretold()
    foretold = [each for each in gains if each[4]]
    contained = sum(2 * inside > count for *_, inside, count in foretold)
    widths = [middle[1] - middle[0] for _, middle, *_ in foretold]
    width = f"; such an interval is {statistics.median(widths) * 100:.0f} % of the CPU time wide (median)" if widths else ""
    rates = score.rates()
    wrong_rates = sum(abs(ratio - 1) > RATE_TOLERANCE for _, ratio in rates)
    macro = score.macro_accuracy()
    yield "| what | asked | measured |"
    yield "|---|---|---|"
    yield f"| macro-accuracy, abstentions counted as errors | at least 85 % | {'not measured' if macro is None else f'{macro * 100:.0f} %'} |"
    yield f"| programs right | | {with_bounds(*score.programs_right())} |"
    yield f"| subclass right, of those | | {with_bounds(*score.subclasses_right())} |"
    yield f"| HIGH is right, by runs | at least 95 % | {percent(*runs_high)}{f' ({runs_high[0]} of {runs_high[1]})' if runs_high[1] else ''} |"
    yield f"| HIGH is never wrong, by programs | | {with_bounds(*programs_high)} |"
    yield f"| runs with HIGH | at least 40 % | {percent(runs_high[1], len(score.pairs))} ({runs_high[1]} of {len(score.pairs)}) |"
    yield (f"| HIGH on an adversarial program | never | {sum(count for count, _ in on_adversarial.values())} of {adversarial_runs} runs, "
           f"{sum(wrong for _, wrong in on_adversarial.values())} of them wrong"
           f"{': ' + ', '.join(sorted(on_adversarial)) if on_adversarial else ''} |")
    yield f"| abstentions, by runs | at most 15 % | {percent(*score.abstentions())} ({score.abstentions()[0]} of {score.abstentions()[1]}) |"
    yield f"| same class in at least 4 of 5 runs | every program | {with_bounds(*score.steady())} |"
    yield f"| working set within 2x, where one is stated | every one | {with_bounds(near, len(said))}; none stated: {len(sets) - len(said)} of {len(sets)} |"
    yield (f"| the gain foretold holds the realised one, by programs | at least 80 % | {with_bounds(contained, len(foretold))}{width}; "
           f"none foretold: {len(gains) - len(foretold)} of {len(gains)} |")
    yield (f"| accepted rates that are wrong by more than {RATE_TOLERANCE * 100:.0f} % | none | "
           f"{f'{wrong_rates} of {len(rates)} runs' if rates else 'not measured: no rate was accepted'} |")


def details(score):
    counts = score.matrix()
    labels = [label for label in (*CLASSES, ABSTAINED) if counts[label]]
    yield "Runs, by what is true (down) and what was said (across):"
    yield ""
    yield from matrix_table(counts, labels, "truth")
    yield ""
    accuracy = "; ".join(f"{label} {with_bounds(right, count)}" for label, (right, count) in score.class_accuracy().items())
    yield f"Programs right, by class: {accuracy}."
    yield ""
    yield "Runs, by subclass:"
    yield ""
    yield "| truth | said |"
    yield "|---|---|"
    for label, said in sorted(score.subclass_matrix().items()):
        yield f"| {label.replace('|', ' or ')} | {', '.join(f'{name} {count}' for name, count in said.most_common())} |"
    wrong = [row for row in score.rows if not score.is_right(row)]
    if wrong:
        yield ""
        yield "Programs whose answer is not right: " + "; ".join(
            f"{row.name} ({row.title}: " + ", ".join(f"{name} {count}" for name, count in collections.Counter(
                run["class"] + (f"+{run['second']}" if run.get("second") and row.label == "mixed" else "")
                for run in score.runs[row.name]).most_common()) + ")" for row in wrong) + "."
    sets = score.working_sets()
    if sets:
        yield ""
        yield "Working sets, true and said (median): " + ", ".join(
            f"{row.name} {bytes_in_words(row.working_set)} {'-' if size is None else bytes_in_words(size)}" for row, size in sets) + "."
    gains = score.gains_foretold()
    if gains:
        yield ""
        yield "| program | foretold by | foretold | realised | runs that hold it |"
        yield "|---|---|---|---|---|"
        for row, middle, realised, inside, count in gains:
            foretold = f"{middle[0] * 100:.0f} to {middle[1] * 100:.0f} %" if middle else "nothing"
            yield f"| {row.name} | {row.predicted_by} | {foretold} | {realised * 100:.0f} % | {inside} of {count} |"
    rates = [f"{row.name} {ratio:.2f}" for row, ratio in score.rates() if abs(ratio - 1) > RATE_TOLERANCE]
    if rates:
        yield ""
        yield f"Rates that are wrong, against the true one: {', '.join(rates)}."


def section(title, score, facts):
    """The Markdown section."""
    sources = len({row.source for row in score.rows})
    yield f"## Known answers: {title}"
    yield ""
    yield (f"{len(score.rows)} programs (of {sources} sources, {sum(row.adversarial for row in score.rows)} made to mislead), {len(score.pairs)} runs "
           "under `plumb diagnose`. The program is the unit; its answer is what most of its runs say. Bounds are Clopper and Pearson's.")
    yield ""
    if not score.pairs:
        yield "Not measured: no program gave an answer."
    else:
        yield from asked_table(score)
        yield ""
        yield from details(score)
    for fact in facts:
        yield ""
        yield fact


# --- the command line -------------------------------------------------------------------------------------------------

def rows_of(name, build):
    if name == "generated":
        folder = build / "known-answers/sources"
        subprocess.run([sys.executable, str(FOLDER / "generator/generate.py"), str(folder)], check=True)
        return read_labels(folder)
    folder = FOLDER / name
    if not (folder / "labels.tsv").exists():
        raise SystemExit(f"{folder}/labels.tsv isn't there")
    return read_labels(folder)


def measured_section(asked):
    """Measures what is asked, and returns the lines of its section."""
    build = (ROOT / asked.build).resolve()
    plumb = pathlib.Path(asked.plumb).resolve() if asked.plumb else build / "plumb"
    if not plumb.exists():
        raise SystemExit(f"{plumb} isn't there; make builds it")
    rows = rows_of(asked.set, build)
    by_name = {row.name: row for row in rows}
    chosen = [row for row in rows if fnmatch.fnmatch(row.name, asked.only)]
    bench = Bench(build, plumb, asked.set, asked.seconds, asked.keep)
    mark = f"{hashlib.sha1(plumb.read_bytes()).hexdigest()[:12]} {asked.seconds:g}{' replay' if asked.replay else ''}"
    proofs = known_labels.read_proofs(rows[0].source.parent) if rows else {}
    journal = Journal(bench.folder / "results.jsonl", mark, asked.fresh, asked.replay)
    load, began, when = os.getloadavg()[0], time.monotonic(), datetime.date.today()
    left_out, why_left_out = measure_all(bench, chosen, by_name, proofs, asked, journal, began + asked.minutes * 60)
    runs, gains, labels, failures = collections.defaultdict(list), {}, {}, {}
    for row in chosen:
        label = journal.entries.get(("label", row.name, 0))
        if label and "failed" in label:
            failures[row.name] = label["failed"]
        elif label:
            labels[row.name] = label
        for repetition in range(asked.repeat):
            value = journal.entries.get(("run", row.name, repetition))
            if value and "failed" in value:
                failures[row.name] = value["failed"]
            elif value:
                runs[row.name].append(value)
        gain = journal.entries.get(("gain", row.name, 0))
        if gain and "failed" in gain:
            failures[row.name] = gain["failed"]
        elif gain:
            gains[row.name] = gain
    loads = [run["load"] for of in runs.values() for run in of if "load" in run]
    took = [run["took_s"] for of in runs.values() for run in of if "took_s" in run]
    chosen, facts = labelled(chosen, labels)
    if failures:
        facts.append("Left out: " + "; ".join(f"{name}: {why}" for name, why in sorted(failures.items())) + ".")
    if left_out:
        facts.append(f"{left_out} of the runs asked for were left out: {why_left_out}.")
    cost = f" A diagnosis of a program of {asked.seconds:g} s took {statistics.median(took):.1f} s (median)." if took else ""
    busy = f", {min(loads):.1f} to {max(loads):.1f} as its runs ended" if loads else ""
    if asked.replay:
        facts.append("Judged by the rules of that date from the cases that earlier runs kept; nothing ran.")
    facts.append(f"{when}, {os.cpu_count()} CPUs, CPU {results_file.cpu_model()}; load average as it began: {load:.1f}{busy}.{cost}")
    return list(section(asked.set, Score(chosen, runs, gains), facts))


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=SETS, default="tuning")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="diagnose each program so often (5)")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="rows whose name matches")
    parser.add_argument("--build", default="build", help="the build folder (build)")
    parser.add_argument("--plumb", help="the plumb to judge (BUILD/plumb)")
    parser.add_argument("--seconds", type=float, default=2.0, help="what a program works (2)")
    parser.add_argument("--pairs", type=int, default=3, help="pairs of runs that a fix's gain is measured by (3)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of interventions that a label is measured by (5)")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time (1; more disturb one another)")
    parser.add_argument("--minutes", type=float, default=60, help="start no run after that long (60)")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before; with --replay, of this plumb's answers alone")
    parser.add_argument("--keep", action="store_true", help="keep the case of every run")
    parser.add_argument("--replay", action="store_true", help="judge by the cases that --keep kept; nothing runs")
    parser.add_argument("--write", action="store_true", help="put the tables into bench/RESULTS.md")
    return parser


def main():
    asked = options().parse_args()
    lines = measured_section(asked)
    print("\n".join(lines))
    if asked.write:
        results_file.write_section(ROOT / "bench/RESULTS.md", f"known_{asked.set}", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
