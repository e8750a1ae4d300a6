# SPDX-License-Identifier: GPL-3.0-or-later
"""The estimated bottleneck on programs whose bottleneck is known by construction (bench/workloads/kernels): a class that
can't be is never named, and what is of several classes is never called sure. Nothing depends on speed."""
import json
import shutil
import subprocess
import sys

import pytest

OTHERS = {"memory", "core", "bad_speculation", "frontend", "retiring", "mixed"}

# kernel: (classes that may be named, whether it is of several: then never HIGH)
POSSIBLE = {
    "chase": ({"memory"}, False),
    "chase512k": ({"memory"}, False),
    "chase16k": ({"core"}, False),
    "gather": ({"memory"}, False),
    "tlb": ({"memory"}, False),
    "list": ({"memory"}, False),
    "hist": ({"core", "retiring"}, False),
    "sum_l1": ({"core", "retiring"}, False),
    "div": ({"core"}, False),
    "dep": ({"core"}, False),
    "sqrt": ({"core"}, False),
    "crc32": ({"core", "retiring"}, False),
    "fma": ({"core", "retiring"}, False),
    "bsearch": ({"mixed", "bad_speculation", "memory"}, True),
    "branch": ({"bad_speculation"}, False),
    "interp": ({"bad_speculation"}, False),
    "code": ({"frontend"}, False),
}
KEYS = {"estimated", "class", "subclass", "level", "confidence", "share", "recoverable", "recoverable_how", "recoverable_why", "second",
        "function", "instruction", "working_set", "evidence", "why_not", "loops"}


def bottleneck_in(case):
    found = json.loads((case / "findings.json").read_text())
    if found["bottleneck"] is None:
        pytest.skip("hardware counters decide here")
    return found["bottleneck"]


@pytest.mark.parametrize("name", POSSIBLE)
def test_a_class_that_can_not_be_is_not_named(kernel_case, name):
    estimate = bottleneck_in(kernel_case(name))
    possible, is_of_several = POSSIBLE[name]
    assert KEYS <= set(estimate)
    assert estimate["estimated"] is True
    if estimate["class"] == "unknown":
        assert estimate["why_not"] and estimate["confidence"] == "none" and estimate["share"] is None
        pytest.skip(estimate["why_not"])
    assert estimate["class"] in possible, (estimate["class"], estimate["evidence"])
    assert not (is_of_several and estimate["confidence"] == "high"), estimate["evidence"]
    low, middle, high = estimate["share"]
    assert 0 <= low <= middle <= high <= 1
    if estimate["recoverable"]:
        assert 0 <= estimate["recoverable"][0] <= estimate["recoverable"][1] <= estimate["recoverable"][2] <= 1 and estimate["recoverable_how"]
    else:
        assert estimate["recoverable_why"]
    assert estimate["evidence"]


def test_the_page_and_the_replay_say_the_same(run, kernel_case):
    case = kernel_case("chase")
    estimate = bottleneck_in(case)
    page = run("diagnose", "--case", case).stdout
    again = json.loads(run("diagnose", "--case", case, "--json").stdout)["bottleneck"]
    assert again == estimate
    assert "ESTIMATED (no PMU)" in page
    line = next(line for line in page.splitlines() if line.strip().startswith("Bottleneck"))
    assert "ESTIMATED (no PMU)" in line and estimate["class"] in line
    assert page.index("Bottleneck") < page.index("WHERE THE TIME WENT")
    for word in ("slots", "retiring %", "backend bound", "frontend bound"):
        assert word not in page.lower()


def test_who_waits_has_no_bottleneck_in_the_core(kernel_case):
    estimate = bottleneck_in(kernel_case("wait"))
    assert estimate["class"] == "unknown"
    assert estimate["why_not"]


def test_a_program_of_the_kernels_time(kernel_case):
    estimate = bottleneck_in(kernel_case("syscalls"))
    assert estimate["class"] not in ("memory", "frontend"), estimate["evidence"]


@pytest.mark.parametrize("command", [[sys.executable, "-c", "sum(hash(str(x)) for x in range(400000))"],
                                     ["sh", "-c", "head -c 1000000 /dev/urandom | xz -1 > /dev/null"]])
def test_programs_nobody_prepared_get_an_answer(run, tmp_path, command):
    run("diagnose", "-q", "--case", tmp_path / "case", "--", *command, timeout=200)
    estimate = bottleneck_in(tmp_path / "case")
    assert estimate["class"] in OTHERS | {"unknown"}
    assert estimate["class"] != "unknown" or estimate["why_not"]


def test_who_runs_already_is_watched_for_seconds_unless_told_otherwise(run, kernels):
    """No Ctrl-C needed; how long the machine then takes to answer is not this test's matter."""
    process = subprocess.Popen([kernels, "chase16k", "--seconds", "60"], stdout=subprocess.DEVNULL)
    try:
        found = json.loads(run("diagnose", "--json", "-p", str(process.pid), timeout=100).stdout)
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()
    assert 1 <= found["run"]["elapsed_s"] < 30
    if found["bottleneck"] and found["bottleneck"]["class"] != "unknown":
        assert found["bottleneck"]["class"] == "core"


DIGEST = """
#include <stdint.h>
__attribute__((noinline)) static void block(uint32_t *state, const uint32_t *words)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
#pragma GCC unroll 64
    for (int i = 0; i < 64; i++) {
        uint32_t f = a + (d ^ (b & (c ^ d))) + words[i & 15] + 0xd76aa478u * (i + 1);
        a = d, d = c, c = b, b += f << 7 | f >> 25;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
}
int main(void)
{
    uint32_t state[4] = {1, 2, 3, 4}, words[16] = {5, 6, 7};
    for (long turn = 0; turn < 4000000; turn++)
        block(state, words);
    return state[0] == 42;
}
"""


def test_a_digest_in_one_piece_is_a_chain_of_quick_results(run, tmp_path):
    """64 steps of which each needs the one before, in a function without a loop: not to be called busy, nor its chain ruled out."""
    (tmp_path / "digest.c").write_text(DIGEST)
    compiler = shutil.which("gcc")
    if not compiler:
        pytest.skip("no gcc, which unrolls the steps")
    subprocess.run([compiler, "-O2", "-o", "digest", "digest.c"], cwd=tmp_path, check=True)
    run("diagnose", "-q", "--case", tmp_path / "case", "--", tmp_path / "digest", timeout=200)
    estimate = bottleneck_in(tmp_path / "case")
    if estimate["class"] == "unknown":
        pytest.skip(estimate["why_not"])
    found = json.loads((tmp_path / "case/findings.json").read_text())["findings"]
    chain = next(finding for finding in found if finding["id"] == "latency-chain")
    assert chain["verdict"] != "ruled_out", chain
    if estimate["class"] == "retiring":  # a core without a table of costs
        assert estimate["confidence"] != "high" and chain["verdict"] == "undecided", estimate
    else:
        assert (estimate["class"], estimate["subclass"]) == ("core", "latency_chain"), estimate
