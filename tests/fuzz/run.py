#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run each libFuzzer target for a while, one on each CPU; a crash, a hang, a leak or too much memory fails, and the input is kept."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from sanitizer_logs import WORKAROUND  # noqa: E402
from seed_files import seeds_of, unlisted

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LEAKS_OF_OTHERS = ROOT / "tests/asan/leaks_of_others.txt"
SECONDS_PER_INPUT, MEMORY_MIB, SEED_BYTES, SECONDS_TO_END = 10, 2048, 1 << 20, 60


def fuzz(program, seeds, seconds, artifacts):
    """(exit status, output) of one target."""
    with tempfile.TemporaryDirectory(prefix="plumb-fuzz-") as scratch:
        corpus = pathlib.Path(scratch) / "corpus"
        corpus.mkdir()
        for number, seed in enumerate(seeds):
            if seed.stat().st_size <= SEED_BYTES:
                shutil.copy(seed, corpus / f"{number}-{seed.name}")
        words = [program, f"-max_total_time={seconds}", f"-timeout={SECONDS_PER_INPUT}", f"-rss_limit_mb={MEMORY_MIB}",
                 f"-artifact_prefix={artifacts}/{program.name}-", "-print_final_stats=1", "-verbosity=1", corpus]
        environment = os.environ | {"ASAN_OPTIONS": f"detect_leaks=1:allocator_may_return_null=1:symbolize=1:{WORKAROUND}",
                                    "LSAN_OPTIONS": f"suppressions={LEAKS_OF_OTHERS}:print_suppressions=0",
                                    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env=environment, cwd=scratch, timeout=seconds + SECONDS_TO_END)
        except subprocess.TimeoutExpired as late:
            return None, (late.stdout or b"").decode(errors="replace") + f"\nkilled: it didn't end in {late.timeout} s"
    return done.returncode, done.stdout.decode(errors="replace")


def fuzz_named(program, seconds, artifacts):
    name = program.name[len("fuzz_"):]
    seeds = seeds_of(name)
    status, output = fuzz(program, seeds, seconds, artifacts)
    return name, status, len(seeds), output


def kept_input(output):
    """The file in which libFuzzer left the input that did it."""
    match = re.search(r"Test unit written to (\S+)", output)
    return pathlib.Path(match[1]) if match else None


def why_failed(output):
    """The sanitizer's or libFuzzer's own sentence."""
    match = re.search(r"^.*(?:runtime error|ERROR: \w+Sanitizer|ERROR: libFuzzer|^killed): ?.*$", output, re.M)
    return re.sub(r"==\d+==", "", match[0]).strip() if match else "it ended with an error"


def statistic(output, name):
    match = re.search(rf"{name}:?\s+(\d+)", output)
    return match[1] if match else "?"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build-fuzz")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("targets", nargs="*", help="names without fuzz_; all of them when none is given")
    options = parser.parse_args()
    folder = (ROOT / options.build).resolve() / "tests/fuzz"
    artifacts = folder / "artifacts"
    artifacts.mkdir(exist_ok=True)
    passed, failed = 0, [f"{name}: fuzz_{name}.c isn't listed in tests/fuzz/meson.build" for name in unlisted()]
    status, output = fuzz(folder / "planted_crash", [], 30, artifacts)
    if status == 0 or not kept_input(output) or not kept_input(output).exists():
        failed.append("planted crash: the fuzzer missed it, or kept no input")
    programs = sorted(path for path in folder.glob("fuzz_*") if path.is_file() and os.access(path, os.X_OK))
    if options.targets:
        programs = [path for path in programs if path.name[len("fuzz_"):] in options.targets]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, status, seeds, output in pool.map(lambda program: fuzz_named(program, options.seconds, artifacts), programs):
            print(f"{'ok' if status == 0 else 'FAILED':6} {name}: {statistic(output, 'number_of_executed_units')} runs from {seeds} seeds",
                  flush=True)
            passed += status == 0
            if status != 0:
                print(output[-6000:])
                kept = kept_input(output)
                again = f"input kept: {kept.relative_to(ROOT) if kept.is_relative_to(ROOT) else kept}" if kept else "it left no input"
                failed.append(f"{name}: {why_failed(output)}; {again}")
    if not passed and not failed:
        failed.append(f"no target called {' or '.join(options.targets)}" if options.targets else f"no target is built in {folder}")
    for line in failed:
        print(f"failed: {line}")
    print(f"{passed} passed, {len(failed)} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
