#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run each libFuzzer target for a while; a crash, a hang, a leak or too much memory fails, and the input is kept."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from seed_files import seeds_of, unlisted

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SECONDS_PER_INPUT, MEMORY_MIB, SEED_BYTES = 10, 2048, 1 << 20


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
        environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1:symbolize=1",
                                    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=environment, cwd=scratch, timeout=seconds + 300)
    return done.returncode, done.stdout.decode(errors="replace")


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
    failed = [f"{name}: fuzz_{name}.c isn't listed in tests/fuzz/meson.build" for name in unlisted()]
    status, _ = fuzz(folder / "planted_crash", [], 30, artifacts)
    if status == 0:
        failed.append("planted crash: the fuzzer missed it")
    programs = sorted(path for path in folder.glob("fuzz_*") if path.is_file() and os.access(path, os.X_OK))
    for program in programs:
        name = program.name[len("fuzz_"):]
        if options.targets and name not in options.targets:
            continue
        seeds = seeds_of(name)
        status, output = fuzz(program, seeds, options.seconds, artifacts)
        print(f"{'ok' if status == 0 else 'FAILED':6} {name}: {statistic(output, 'number_of_executed_units')} runs from {len(seeds)} seeds", flush=True)
        if status != 0:
            print(output[-6000:])
            failed.append(f"{name}: see {artifacts}")
    for line in failed:
        print(f"failed: {line}")
    return 1 if failed or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
