#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run every test of a build folder, list what was skipped and why, and close with one line:
N passed, N failed, N skipped.

--only    units, golden, live, or several joined by commas; or pmu: the static core in an emulated kernel with a PMU, which
          wants a cross compiler and an emulator (make test-pmu)
--match   of golden and live, the files whose name has this word only
A live test that fails is run once more, alone, when the others have ended: the machine may be shared, and a neighbour's
second is no fault of the program. Whatever passes only then is listed as such, with how it failed at first; more than
SECOND_TRIES failures aren't tried again. One that was skipped because the machine was busy is run once more, too, as it was
the other tests that kept it busy.

--sanitized   the build has sanitizers: their logs go to files, and any log fails the run, because Criterion passes a test
              that leaks; a planted leak and a planted overflow, run first, prove that they are caught
"""
import argparse
import collections
import concurrent.futures
import contextlib
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent / "fuzz")]
import sanitizer_logs  # noqa: E402
from sanitizer_logs import WORKAROUND  # noqa: E402
from seed_files import seeds_of, unlisted  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ("units", "golden", "live")
ASKED_FOR = ("pmu",)
UNIT_SECONDS = 600
PYTEST_SECONDS = 3000
SLOWEST_SHOWN = 8
SECOND_TRIES = 5
SLOW_UNITS = ("unit_simulated", "unit_command", "unit_analyse", "unit_system")
FILES_TOGETHER = 10
LISTS_MOST = 4
MOSTLY_ASLEEP = ("test_topdown_luck", "test_waits", "test_exits", "test_stat_layout", "test_script_tracepoints", "test_terminal", "test_doctor_guest_live")
SWITCHES_THE_MACHINE = ("test_compare",)
SLOW = ("test_truth", "test_diagnose_topdown", "test_diagnose", "test_diagnose_probe", "test_diagnose_attached", "test_record", "test_confirm",
        "test_diagnose_refused", "test_annotate", "test_bottleneck")  # the last apart from test_truth, whose cases it reads

Result = collections.namedtuple("Result", "name outcome detail")


def environment_of(build):
    environment = os.environ | {"PLUMB": str(build / "plumb"), "PLUMB_SOURCE_ROOT": str(ROOT), "PLUMB_BUILD": str(build)}
    environment.setdefault("PLUMB_SHARED_DATA", str(ROOT.parent / "shared/data"))
    return environment


def with_logs(environment, logs, name):
    """The environment in which sanitizers write to a folder of this name only, for whatever runs side by side: whose a
    report is, is told by where and when it appears. Without sanitizers, the same environment."""
    if logs is None:
        return environment
    folder = logs / re.sub(r"\W", "_", name)
    folder.mkdir()
    os.chmod(folder, 0o1777)  # a test may drop its privileges
    log = f"log_path={folder}/log:log_exe_name=1"
    return environment | {"PLUMB_SANITIZED": "1", "PLUMB_SANITIZER_LOGS": str(folder),
                          "ASAN_OPTIONS": f"{log}:detect_leaks=1:detect_stack_use_after_return=1:handle_abort=0:{WORKAROUND}",
                          "UBSAN_OPTIONS": f"{log}:print_stacktrace=1",
                          "LSAN_OPTIONS": f"{log}:suppressions={ROOT}/tests/asan/leaks_of_others.txt:print_suppressions=0"}


def run_to_end(words, environment, seconds):
    """(exit status or None on timeout, output); output to a file, so that no stray grandchild holds a pipe, and in a
    session of its own, so that none of them goes on when time is up."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, cwd=ROOT, start_new_session=True)
        try:
            status = process.wait(timeout=seconds)
        except BaseException as ended:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if not isinstance(ended, subprocess.TimeoutExpired):
                raise
            status = None
        output.seek(0)
        return status, output.read().decode(errors="replace")


def tap_results(unit, tap):
    for line in tap.splitlines():
        match = re.match(r"(ok|not ok) - (\S+)(.*)", line)
        if not match:
            continue
        name, rest = f"{unit} {match[2]}", match[3].strip()
        skip = re.match(r"# SKIP ?(.*)", rest)
        if skip:
            yield Result(name, "skipped", skip[1] or "no reason given")
        else:
            yield Result(name, "passed" if match[1] == "ok" else "failed", rest)


def run_unit(path, environment):
    with tempfile.NamedTemporaryFile(prefix="plumb-tap-") as tap_file:
        # Side by side Criterion now and then forgets what it allocated for a test's time limit: a leak, but none of ours.
        jobs = ["--jobs=1"] if "PLUMB_SANITIZED" in environment else []
        status, output = run_to_end([path, "--quiet", "--timeout=120", *jobs, f"--tap={tap_file.name}"], environment, UNIT_SECONDS)
        results = list(tap_results(path.name, tap_file.read().decode(errors="replace")))
    counted_failure = any(result.outcome == "failed" for result in results)
    if status != 0 and not counted_failure:
        how = "didn't end in time" if status is None else f"ended with status {status}"
        results.append(Result(path.name, "failed", how))
    if not results:
        results.append(Result(path.name, "failed", "has no test"))
    if any(result.outcome == "failed" for result in results):
        print(output.rstrip())
    return results


def programs_in(folder, pattern):
    return [path for path in sorted(folder.glob(pattern)) if path.is_file() and os.access(path, os.X_OK)]


def unit_jobs(build, environment, logs):
    """A function for each unit and each fuzz target over its seeds, which returns a list of results; those that take longest first."""
    units = programs_in(build / "tests/unit", "unit_*")

    def job(run_one, program):
        def run_and_name():
            own = with_logs(environment, logs, program.name)
            ran = run_one(program, own)
            sanitizer_logs.name_new(own.get("PLUMB_SANITIZER_LOGS"), program.name)
            return ran
        return run_and_name

    # The seeds of some parsers have a hundred thousand bytes to cut at.
    replays = sorted(programs_in(build / "tests/fuzz", "fuzz_*"), key=bytes_of_seeds, reverse=True)
    jobs = [(run_unit, unit) for unit in units if unit.name in SLOW_UNITS] + [(run_replay, replay) for replay in replays]
    jobs += [(run_unit, unit) for unit in units if unit.name not in SLOW_UNITS]
    missing = [] if units else [Result("units", "failed", f"no unit test in {build}/tests/unit")]
    missing += [Result(f"fuzz_{name}.c", "failed", "isn't listed in tests/fuzz/meson.build") for name in unlisted()]
    return [job(*each) for each in jobs] + [lambda: missing]


def bytes_of_seeds(program):
    return sum(seed.stat().st_size for seed in seeds_of(program.name[len("fuzz_"):]))


def run_replay(program, environment):
    """A fuzz target over its seeds, whole, truncated and with flipped bits (tests/fuzz/replay.c)."""
    status, output = run_to_end([program, *seeds_of(program.name[len("fuzz_"):])], environment, UNIT_SECONDS)
    if status != 0:
        print(output.rstrip())
    how = "didn't end in time" if status is None else f"ended with status {status}"
    return [Result(f"replay of {program.name}", "passed" if status == 0 else "failed", "" if status == 0 else how)]


def junit_results(path):
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        name = f"{case.get('classname', '').replace('.', '/')} {case.get('name')}".strip()
        outcome, detail = "passed", ""
        for child in case:
            if child.tag in ("failure", "error"):
                outcome, detail = "failed", child.get("message") or ""
            elif child.tag == "skipped" and outcome == "passed":
                outcome, detail = "skipped", child.get("message") or "no reason given"
        yield Result(name, outcome, detail.splitlines()[0] if detail else "")


def seconds_of(path):
    """(seconds, "live/test_x test_y") of each test."""
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        yield float(case.get("time", 0)), f"{case.get('classname', '').removeprefix('tests.').replace('.', '/')} {case.get('name')}"


def python_with_pytest():
    """Debian's pytest belongs to Debian's python, which need not be the first one in PATH."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import pytest"], capture_output=True).returncode == 0:
            return python
    return None


def run_pytest_files(python, paths, environment, test=None):
    """(results, seconds of each test) of files of tests, one after the other; or of one test in one of them."""
    name = "pytest " + " ".join(str(path.relative_to(ROOT / "tests")) for path in paths)
    chosen = [f"{path}::{test}" for path in paths] if test else paths
    with tempfile.TemporaryDirectory(prefix="plumb-pytest-") as scratch:
        junit = pathlib.Path(scratch) / "junit.xml"
        status, output = run_to_end([python, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "--continue-on-collection-errors",
                                     f"--junitxml={junit}", *chosen],
                                    environment, PYTEST_SECONDS)
        results = list(junit_results(junit)) if junit.exists() else []
        seconds = list(seconds_of(junit)) if junit.exists() else []
    if status not in (0, 1):
        results.append(Result(name, "failed", f"ended with status {status}"))
    elif status == 1 and not any(result.outcome == "failed" for result in results):
        results.append(Result(name, "failed", "reported a failure that its XML doesn't show"))
    if status != 0:
        print(output.rstrip(), flush=True)
    return results, seconds


def pytest_jobs(parts, match):
    """Lists of files in the order in which they begin. First the file whose tests switch the whole machine, beside golden
    tests, the only ones that may run meanwhile; then those that take longest, so that none is left alone at the end. To
    start pytest takes as long as most small files do: some of those share it. Apart: one list of the files whose tests wait
    most of their time, and leave the CPU to others."""
    golden, live, pmu = (sorted((path for path in (ROOT / "tests" / part).glob("**/test_*.py") if part in parts and match in path.stem),
                                key=lambda path: -path.stat().st_size) for part in ("golden", "live", "pmu"))
    first, slow = ([[path] for name in names for path in live if path.stem == name] for names in (SWITCHES_THE_MACHINE, SLOW))
    asleep = [path for path in live if path.stem in MOSTLY_ASLEEP]
    small = [path for path in live if [path] not in first + slow and path not in asleep]
    golden, small = ([files[at:at + FILES_TOGETHER] for at in range(0, len(files), FILES_TOGETHER)] for files in (golden, small))
    return first + golden + slow + small + [[path] for path in pmu], [asleep] if asleep else []


def run_units_and_pytest(build, parts, environment, logs, match):
    """Lists of files, two more at a time than there are CPUs, four at most: each waits now and then, and whatever is
    measured has to hold beside others, but a crowd would only be slow. Beside them the files that mostly
    sleep. Last the units, which are short: they fill the CPUs until the last list has ended."""
    files, asleep = pytest_jobs(parts, match)
    python = python_with_pytest()
    if files + asleep and not python:
        return [Result("pytest", "failed", "no python here has pytest (Debian: python3-pytest)")]
    with contextlib.ExitStack() as stack:
        locks = stack.enter_context(tempfile.TemporaryDirectory(prefix="plumb-locks-"))
        workers = min(LISTS_MOST, (os.cpu_count() or 1) + 2)
        pool, aside = (stack.enter_context(concurrent.futures.ThreadPoolExecutor(count)) for count in (workers, 1))
        own = environment | {"PLUMB_TEST_LOCKS": locks}

        def run_files(paths):
            return run_pytest_files(python, paths, with_logs(own, logs, paths[0].stem))
        ran_aside, ran_files = aside.map(run_files, asleep), pool.map(run_files, files)
        ran_units = [pool.submit(job) for job in (unit_jobs(build, environment, logs) if "units" in parts else [])]
        results = [result for ran in ran_units for result in ran.result()]
        ran = list(ran_files) + list(ran_aside)
        results += with_second_tries(python, [result for results, _ in ran for result in results], own, logs)
    show_slowest(parts, ran)
    return results


def show_slowest(parts, ran):
    for part in parts:
        times = sorted((pair for _, seconds in ran for pair in seconds if pair[1].startswith(f"{part}/")), reverse=True)
        if times:
            print(f"slowest of {part}:", *(f"{seconds:6.1f} s {name}" for seconds, name in times[:SLOWEST_SHOWN]), sep="\n", flush=True)


def with_second_tries(python, results, environment, logs):
    """The same results, where each live test that failed, or found the machine busy, was run again alone and its second
    outcome counts."""
    live = [result for result in results if result.name.startswith("tests/live/") and " " in result.name]
    failed, busy = ([result for result in live if result.outcome == outcome and word in result.detail] for outcome, word in (("failed", ""), ("skipped", "busy")))
    if len(failed) > SECOND_TRIES:
        return results
    once_more = failed + busy[:SECOND_TRIES]

    def second(result):
        module, test = result.name.split(" ", 1)
        path = ROOT / f"{module}.py"
        print(f"once more, alone: {result.name}", flush=True)
        anew = tempfile.mkdtemp(dir=environment["PLUMB_TEST_LOCKS"])  # what tests share is made again, too
        own = with_logs(environment | {"PLUMB_TEST_LOCKS": anew}, logs, f"again {path.stem} {test}")
        again = [after for after in run_pytest_files(python, [path], own, test)[0] if after.name == result.name]
        if not again or (result in failed and again[0].outcome != "passed"):
            return result
        if again[0].outcome == "passed":
            print(f"passed at the second try only: {result.name}: {result.outcome} at first: {result.detail}", flush=True)
        return again[0]

    return [second(result) if result in once_more else result for result in results]


def check_planted(build, environment, logs):
    """The sanitizers' reports of the planted errors, or a failure: then no later silence means anything."""
    run_to_end([build / "tests/asan/planted", "--quiet"], with_logs(environment, logs, "planted"), 120)
    reports = "".join(text for _, text in sanitizer_logs.drain(logs))
    for what, sign in (("leak", "LeakSanitizer: detected memory leaks"), ("overflow of a heap block", "heap-buffer-overflow"),
                       ("overflow within an arena", "use-after-poison"),
                       ("signed overflow", "signed integer overflow")):
        caught = sign in reports
        yield Result(f"planted {what}", "passed" if caught else "failed", "" if caught else "the sanitizers missed it")


def sanitizer_results(logs):
    for name, detail, text in sanitizer_logs.distinct_reports(logs):
        print(f"--- sanitizer log {name}\n{text[:6000].rstrip()}")
        yield Result(f"sanitizer log {name}", "failed", detail)


def cpu_seconds():
    """Of all processes that have ended and were waited for: unlike the time it took, no matter of neighbours."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def summary(results, seconds):
    tally = collections.Counter(result.outcome for result in results)
    for outcome in ("skipped", "failed"):
        for result in results:
            if result.outcome == outcome:
                print(f"{outcome}: {result.name}{': ' if result.detail else ''}{result.detail}")
    print(f"in {seconds:.0f} s, {cpu_seconds():.0f} s of CPU time")
    print(f"{tally['passed']} passed, {tally['failed']} failed, {tally['skipped']} skipped", flush=True)
    return 1 if tally["failed"] or not tally["passed"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--match", default="")
    parser.add_argument("--sanitized", action="store_true")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it, and so would what tests interrupt
    parts = options.only.split(",")
    if set(parts) - {*PARTS, *ASKED_FOR}:
        parser.error(f"--only knows {', '.join(PARTS + ASKED_FOR)}")
    build = (ROOT / options.build).resolve()
    start, results = time.monotonic(), []
    with tempfile.TemporaryDirectory(prefix="plumb-sanitizer-") as logs_folder:
        logs = pathlib.Path(logs_folder) if options.sanitized else None
        environment = environment_of(build)
        if logs:
            os.chmod(logs, 0o755)
            results += check_planted(build, environment, logs)
        results += run_units_and_pytest(build, parts, environment, logs, options.match)
        if logs:
            results += sanitizer_results(logs)
    return summary(results, time.monotonic() - start)


if __name__ == "__main__":
    sys.exit(main())
