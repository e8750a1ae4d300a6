# SPDX-License-Identifier: GPL-3.0-or-later
"""Verdicts against truth: programs whose bottleneck is known by construction (bench/workloads/kernels).

Nothing here depends on speed or on neighbours: a cause that is there by construction is never ruled out, one that can't be
there is never supported. Where the code alone shows the cause, it must be supported.
"""
import json
import os
import pathlib
import re
import subprocess

import pytest

# Causes that need the kernel's help, other threads or a certain instruction: impossible in a plain loop.
NEVER_IN_A_LOOP = ["contended-lines", "kernel-locks", "spinning", "swap", "cpu-quota", "instrumented-build",
                   "interpreter", "checking-code", "start-and-exit", "allocation", "unoptimised-build", "exceptions",
                   "emulated"]
NO_MEMORY = ["small-pages", "cache-misses", "memory-bandwidth", "numa-remote"]

# kernel: (must be supported, may not be ruled out (of several: one at least), may not be supported)
TRUTH = {
    "stream": ([], ["memory-bandwidth"], ["divider", "load-chain", "atomics", "branch-mispredicts"]),
    "chase": ([], ["cache-misses", "load-chain"], ["divider", "memory-bandwidth", "latency-chain", "narrow-vectors"]),
    "chase16k": (["load-chain"], [], ["divider", "latency-chain"] + NO_MEMORY),
    # What huge pages return of it is the machine's: half of the time on Cascade Lake, a twentieth on Zen 5.
    "gather": ([], ["cache-misses"], ["divider", "load-chain", "latency-chain"]),
    "transpose": ([], ["small-pages"], ["divider", "load-chain", "atomics"]),
    # The chain store, load, add: samples stand at the store on Cascade Lake, at the load on Zen 4.
    "hist": ([], [("stores", "load-chain")], ["divider", "latency-chain", "atomics"]),
    "div": (["divider"], [], ["atomics", "load-chain"] + NO_MEMORY),
    "dep": (["latency-chain"], [], ["divider", "load-chain"] + NO_MEMORY),
    "crc32": (["load-chain"], [], ["divider", "latency-chain"] + NO_MEMORY),
    "denormal": ([], ["denormals"], ["divider", "load-chain"] + NO_MEMORY),
    "fma": ([], [], ["divider", "load-chain", "latency-chain", "narrow-vectors"] + NO_MEMORY),
    "branch": ([], ["branch-mispredicts"], ["divider", "load-chain", "latency-chain"]),
    "interp": ([], ["branch-mispredicts"], ["divider", "load-chain", "latency-chain"]),
    "code": ([], ["front-end"], ["divider", "atomics", "page-faults"]),
    "scalar": ([], ["narrow-vectors"], ["divider", "load-chain", "atomics"]),
}
MULTIPLE = {
    "false_sharing": (["atomics", "contended-lines"], [], ["divider", "page-faults"]),
    "own_lines": (["atomics"], [], ["contended-lines", "divider", "page-faults"]),
}
KERNEL = {
    "fault": (["page-faults"], [], ["divider", "load-chain", "latency-chain"]),
    "syscalls": (["system-calls"], [], ["divider", "page-faults"]),
}


# addps %xmm0,%xmm1,… twice and a countdown, in a page that was empty a moment ago.
JIT = """
#include <string.h>
#include <sys/mman.h>
int main(void)
{
    unsigned char code[] = {0x0f, 0x58, 0xc1, 0x0f, 0x58, 0xc1, 0x48, 0xff, 0xcf, 0x75, 0xf5, 0xc3};
    char *page = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(page + 64, code, sizeof(code));
    ((void (*)(unsigned long))(page + 64))(150000000ul);
}
"""


def verdicts(kernel_case, name):
    found = json.loads((kernel_case(name) / "findings.json").read_text())
    if found["verdict"]["kind"] in ("too_short", "blind"):
        pytest.skip(found["verdict"]["sentence"])
    return found, {finding["id"]: finding for finding in found["findings"]}


def judge(found, by_id, truth, never):
    must, possible, wrong = truth
    sentence = found["verdict"]["sentence"]
    tested = [name for name in must if by_id[name]["verdict"] != "not_testable"]
    for name in tested:
        assert by_id[name]["verdict"] == "supported", (name, by_id[name]["reason"], sentence)
    for names in possible:
        among = (names,) if isinstance(names, str) else names
        assert any(by_id[name]["verdict"] != "ruled_out" for name in among), ([(name, by_id[name]["reason"]) for name in among], sentence)
    for name in wrong + never:
        assert by_id[name]["verdict"] != "supported", (name, by_id[name]["headline"], sentence)
    if must and not tested:
        pytest.skip(by_id[must[0]]["reason"])


@pytest.mark.parametrize("name", TRUTH)
def test_a_loop(kernel_case, name):
    judge(*verdicts(kernel_case, name), TRUTH[name], NEVER_IN_A_LOOP)


@pytest.mark.parametrize("name", MULTIPLE)
def test_threads(kernel_case, name):
    found, by_id = verdicts(kernel_case, name)
    must, possible, wrong = MULTIPLE[name]
    lines = by_id["contended-lines"]
    # On a busy machine its threads may have had a CPU in turns: then there was nothing to fight over.
    if lines["verdict"] == "ruled_out" and "don't run at the same time" in (lines["reason"] or ""):
        must = [cause for cause in must if cause != "contended-lines"]
    judge(found, by_id, (must, possible, wrong), ["swap", "interpreter", "allocation"])


@pytest.mark.parametrize("name", KERNEL)
def test_in_the_kernel(kernel_case, name):
    judge(*verdicts(kernel_case, name), KERNEL[name], ["contended-lines", "interpreter", "spinning"])


# Each number is divided by one in memory: the division itself loads.
DIVISIONS = """
static double divisors[512];
__attribute__((noinline)) double divide(double x)
{
    for (int at = 0; at < 512; at++)
        x = x / divisors[at];
    return x;
}
int main(void)
{
    volatile double result = 0;
    for (int at = 0; at < 512; at++)
        divisors[at] = at & 1 ? 1.5 : 0.75;
    for (int turn = 0; turn < 100000; turn++)
        result = divide(1.1);
    return result == 42;
}
"""


def test_a_division_by_what_is_in_memory(run, tmp_path):
    source, program, case = tmp_path / "divide.c", tmp_path / "divide", tmp_path / "case"
    source.write_text(DIVISIONS)
    if os.uname().machine != "x86_64" or subprocess.run(["cc", "-O2", "-w", "-o", program, source]).returncode:
        pytest.skip("needs a compiler for x86-64")
    run("diagnose", "-q", "--case", case, "--", program)
    found = json.loads((case / "findings.json").read_text())
    by_id = {finding["id"]: finding for finding in found["findings"]}
    if found["verdict"]["kind"] in ("too_short", "blind"):
        pytest.skip(found["verdict"]["sentence"])
    judge(found, by_id, (["divider"], [], ["atomics", "page-faults"]), NEVER_IN_A_LOOP)


def test_the_call_that_takes_the_time_is_named(run, tmp_path):
    """The kernel reaches read() by a tail call: no frame of its entry is in the stack."""
    case = tmp_path / "case"
    run("diagnose", "-q", "--case", case, "--", "dd", "if=/dev/urandom", "of=/dev/null", "bs=4k", "count=20000")
    found = json.loads((case / "findings.json").read_text())
    calls = {finding["id"]: finding for finding in found["findings"]}["system-calls"]
    if found["verdict"]["kind"] in ("too_short", "blind") or calls["verdict"] == "not_testable":
        pytest.skip(found["verdict"]["sentence"])
    assert calls["verdict"] == "supported", calls["reason"]
    assert calls["subject"] == "read", calls


def test_a_jit_without_names(run, tmp_path):
    """Code written at run time, announced nowhere: disassembled from its copied pages, with its vector width."""
    source, program, case = tmp_path / "jit.c", tmp_path / "jit", tmp_path / "case"
    source.write_text(JIT)
    if os.uname().machine != "x86_64" or subprocess.run(["cc", "-O1", "-w", "-o", program, source]).returncode:
        pytest.skip("needs a compiler for x86-64")
    run("diagnose", "-q", "--case", case, "--", program)
    found = json.loads((case / "findings.json").read_text())
    if found["verdict"]["kind"] in ("too_short", "blind") or not found["profile"]["stalls_attributed"]:
        pytest.skip(found["verdict"]["sentence"])
    hottest = found["profile"]["functions"][0]
    assert hottest["function"].startswith("[JIT]"), hottest
    assert "xmm0" in hottest["instructions"][0]["instruction"], hottest["instructions"]
    assert found["profile"]["vector_samples"]["bits_128"] > 0.8 * found["profile"]["samples"]
    by_id = {finding["id"]: finding for finding in found["findings"]}
    assert by_id["latency-chain"]["verdict"] == "supported"
    assert by_id["allocation"]["verdict"] == "ruled_out"


CHASE = """
#include <stdlib.h>
struct node { struct node *next; long value; char rest[48]; };
int main(void)
{
    enum { NODES = 200000 };
    struct node *nodes = malloc(NODES * sizeof(*nodes));
    for (long at = 0; at < NODES; at++) nodes[at] = (struct node){&nodes[(at + 77773) % NODES], at, ""};
    long sum = 0;
    struct node *node = nodes;
    for (long left = 2500000; left; left--) { sum += node->value; node = node->next; }
    return (int)sum & 1;
}
"""

NEIGHBOURS = """
#include <pthread.h>
static struct { long a, b; } counters __attribute__((aligned(64)));
static void *count_a(void *none) { for (int at = 0; at < 30000000; at++) __atomic_fetch_add(&counters.a, 1, 0); return none; }
static void *count_b(void *none) { for (int at = 0; at < 30000000; at++) __atomic_fetch_add(&counters.b, 1, 0); return none; }
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, count_a, 0); pthread_create(&two, 0, count_b, 0);
    pthread_join(one, 0); pthread_join(two, 0);
}
"""

CHECKSUM = """
unsigned char bytes[1 << 14];
__attribute__((noinline)) unsigned adler_checksum(void)
{ unsigned a = 1, b = 0; for (int at = 0; at < 1 << 14; at++) { a = (a + bytes[at]) % 65521; b = (b + a) % 65521; } return b << 16 | a; }
__attribute__((noinline)) unsigned freeze_cells(void)
{ unsigned a = 1; for (int at = 0; at < 1 << 14; at++) a = a * 31 + bytes[at]; return a; }
int main(void) { volatile unsigned r = 0; for (int at = 0; at < 4000; at++) { r += adler_checksum() + freeze_cells(); __asm__ volatile("" ::: "memory"); } }
"""


def compiled(run, tmp_path, text, *options):
    """Findings of a program of our own, by hypothesis; and how the compiler was told to make it."""
    source, program, case = tmp_path / "program.c", tmp_path / "program", tmp_path / f"case{options[0]}"
    source.write_text(text)
    if os.uname().machine != "x86_64" or subprocess.run(["cc", "-w", *options, "-o", program, source, "-pthread"]).returncode:
        pytest.skip("needs a compiler for x86-64")
    run("diagnose", "-q", "--case", case, "--", program)
    found = json.loads((case / "findings.json").read_text())
    if found["verdict"]["kind"] in ("too_short", "blind") or not found["profile"]["stalls_attributed"]:
        pytest.skip(found["verdict"]["sentence"])
    return found, {finding["id"]: finding for finding in found["findings"]}


def test_a_list_whose_values_are_read_before_its_links(run, tmp_path):
    """The wait shows at the value's load; that it follows a chain shows in the code, and the probe must chase, too."""
    _, by_id = compiled(run, tmp_path, CHASE, "-O2")
    assert by_id["load-chain"]["verdict"] == "supported", by_id["load-chain"]["reason"]
    assert "pop" not in by_id["load-chain"]["headline"]
    costs = json.loads((tmp_path / "case-O2" / "costs.json").read_text())["access_costs"]
    assert all(cost["dependent"] for cost in costs)


def test_variables_of_two_threads_in_one_line(run, tmp_path):
    """Globals are addressed by the instruction pointer; two threads' own ones in one line are false sharing."""
    _, by_id = compiled(run, tmp_path, NEIGHBOURS, "-O2")
    lines = by_id["contended-lines"]
    if lines["verdict"] == "ruled_out" and "don't run at the same time" in (lines["reason"] or ""):
        pytest.skip("its threads had a CPU in turns: the machine is busy")
    assert lines["verdict"] == "supported", lines["reason"]
    assert "lines of their own" in lines["advice"][0]
    assert by_id["small-pages"]["verdict"] == by_id["cache-misses"]["verdict"] == "ruled_out"


COUNTERS = """
#include <pthread.h>
static struct { volatile long a, b; } counters __attribute__((aligned(64)));
static void *count_a(void *none) { for (long at = 0; at < 300000000; at++) counters.a++; return none; }
static void *count_b(void *none) { for (long at = 0; at < 300000000; at++) counters.b++; return none; }
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, count_a, 0); pthread_create(&two, 0, count_b, 0);
    pthread_join(one, 0); pthread_join(two, 0);
}
"""


def test_plain_counters_of_two_threads_in_one_line_are_not_busy(run, tmp_path):
    """Each waits for the other's line at the few instructions that it has: nothing tells that from being busy with them."""
    found, by_id = compiled(run, tmp_path, COUNTERS, "-O1")
    if found["bottleneck"] is None or by_id["contended-lines"]["verdict"] != "supported":
        pytest.skip("hardware counters decide here, or its threads had a CPU in turns")
    for one in [found["bottleneck"], *found["bottleneck"].get("loops", [])]:
        assert one["class"] != "retiring" and one["confidence"] in ("none", "low"), one["evidence"]


def test_unoptimised_without_a_frame_pointer(run, tmp_path):
    found, by_id = compiled(run, tmp_path, CHECKSUM, "-O0", "-fomit-frame-pointer")
    assert by_id["unoptimised-build"]["verdict"] == "supported", by_id["unoptimised-build"]["reason"]
    found, by_id = compiled(run, tmp_path, CHECKSUM, "-O2")
    assert by_id["unoptimised-build"]["verdict"] == "ruled_out"
    for name in ("allocation", "checking-code"):
        assert by_id[name]["verdict"] == "ruled_out", by_id[name]


VOLATILE = "int main(void) { for (volatile long i = 0; i < 3000000000; i++); }"


def test_what_is_volatile_is_not_unoptimised(run, tmp_path):
    _, by_id = compiled(run, tmp_path, VOLATILE, "-O2")
    assert by_id["unoptimised-build"]["verdict"] == "ruled_out", by_id["unoptimised-build"]


def test_many_short_processes(run, tmp_path):
    """Their page faults, mappings and loading are the price of starting them; the commands are counted and named."""
    case = tmp_path / "case"
    run("diagnose", "-q", "--case", case, "--", "sh", "-c", "for at in $(seq 250); do /bin/ls / > /dev/null; done")
    found = json.loads((case / "findings.json").read_text())
    by_id = {finding["id"]: finding for finding in found["findings"]}
    start = by_id["start-and-exit"]
    if found["verdict"]["kind"] in ("too_short", "blind") or start["verdict"] == "not_testable":
        pytest.skip(found["verdict"]["sentence"])
    assert start["verdict"] == "supported", start["reason"]
    counted = int(re.search(r"(\d+) ls", start["headline"])[1])
    assert 225 <= counted <= 250, start["headline"] # where the machine was too busy to note them all, no more than there were
    assert by_id["page-faults"]["verdict"] != "supported", by_id["page-faults"]["headline"]


# 1 MiB of random bytes, read in order; which way each takes can't be guessed.
GUESSES = """
#include <stdio.h>
#include <stdlib.h>
static unsigned char bytes[1 << 20];
__attribute__((noinline)) static long route(const unsigned char *p, long n)
{
    long a = 0, b = 1;
    for (long i = 0; i < n; i++) {
        if (p[i] >= 128) {
            a += b;
            __asm__ volatile("" : "+r"(a));
        } else {
            b ^= a;
            __asm__ volatile("" : "+r"(b));
        }
    }
    return a + b;
}
int main(void)
{
    long sum = 0;
    for (long i = 0; i < 1 << 20; i++)
        bytes[i] = rand() >> 8;
    for (int i = 0; i < 50; i++)
        sum += route(bytes, 1 << 20);
    return sum == 42;
}
"""


def test_wrong_guesses_behind_a_compare_with_memory(run, tmp_path):
    """The samples stand behind the compare that reads memory, as those of a cache miss would: that is no proof."""
    source, program, case = tmp_path / "guesses.c", tmp_path / "guesses", tmp_path / "case"
    source.write_text(GUESSES)
    if subprocess.run(["cc", "-O2", "-w", "-o", program, source]).returncode:
        pytest.skip("needs a compiler")
    run("diagnose", "-q", "--case", case, "--", program)
    found = json.loads((case / "findings.json").read_text())
    if found["verdict"]["kind"] in ("too_short", "blind") or not found["profile"]["stalls_attributed"]:
        pytest.skip(found["verdict"]["sentence"])
    by_id = {finding["id"]: finding for finding in found["findings"]}
    judge(found, by_id, ([], ["branch-mispredicts"], NO_MEMORY + ["load-chain", "divider"]), NEVER_IN_A_LOOP)
    for memory in found["profile"]["memory"]:
        if memory["function"] == "route":
            assert memory["in_order"] and not memory["stride_bytes"] and "ns_small_pages" not in memory, memory


# Moved on by one place from its end, over and over: at any time within the second cache; in eight places, one after the other.
MOVED = """
#include <stdlib.h>
enum { PLACES = 8, NUMBERS = 64 << 10 };
__attribute__((noinline)) static void shift(long *list, long count)
{ for (long at = count - 1; at >= 0; at--) list[at + 1] = list[at]; }
int main(void)
{
    for (int place = 0; place < PLACES; place++) {
        long *list = calloc(NUMBERS + 1, sizeof(*list));
        for (int at = 0; at < 4000; at++) shift(list, NUMBERS);
    }
}
"""


def test_a_list_that_moves_elsewhere_is_within_a_cache(run, tmp_path):
    """All the places that it lay at add up to 4 MiB, of which half a MiB is in use at a time."""
    level2 = [int(size.read_text().strip()[:-1]) for size in pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index2/size")]
    if not level2 or level2[0] < 1024:
        pytest.skip("the second cache isn't known to hold half a MiB with room to spare")
    found, by_id = compiled(run, tmp_path, MOVED, "-O1")
    estimate = found["bottleneck"]
    if estimate is None or estimate["class"] == "unknown":
        pytest.skip("hardware counters decide here" if estimate is None else estimate["why_not"])
    assert estimate["subclass"] != "bandwidth", estimate["evidence"]
    assert estimate["confidence"] != "high" or estimate["class"] != "memory", estimate["evidence"]
    assert by_id["memory-bandwidth"]["verdict"] != "supported", by_id["memory-bandwidth"]["headline"]


# A product of matrices down the columns of one and along the rows of the other: the columns' loads feed what the rows' are part of.
PRODUCT = """
enum { N = 896 };
static double a[N][N], b[N][N], c[N][N];
int main(void)
{
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { a[i][j] = i + j; b[i][j] = i - j; }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += a[k][i] * b[j][k];
            c[j][i] = sum;
        }
    return c[3][4] == 1;
}
"""


def test_a_product_in_the_wrong_order_is_no_sure_chain(run, tmp_path):
    """Samples stand at the multiplication, whose own operand goes in order; what it waits for steps by 7 KiB."""
    found, _ = compiled(run, tmp_path, PRODUCT, "-O1")
    estimate = found["bottleneck"]
    if estimate is None or estimate["class"] == "unknown":
        pytest.skip("hardware counters decide here" if estimate is None else estimate["why_not"])
    assert estimate["class"] in ("memory", "mixed") or estimate["confidence"] == "low", estimate["evidence"]
    assert estimate["subclass"] != "bandwidth", estimate["evidence"]


# A tree that a function goes down by calling itself with a child, to a number drawn anew each time.
DESCENT = """
#include <stdlib.h>
struct node { struct node *side[2]; unsigned key; char rest[44]; };
__attribute__((noinline)) static struct node *add(struct node *node, unsigned key, unsigned bits)
{
    if (!node) { node = calloc(1, sizeof(*node)); node->key = key; return node; }
    if (node->key != key) node->side[bits & 1] = add(node->side[bits & 1], key, bits >> 1);
    return node;
}
int main(void)
{
    struct node *tree = 0;
    unsigned x = 1;
    for (int at = 0; at < 900000; at++) { x = x * 1664525 + 1013904223; tree = add(tree, x >> 12, (x >> 12) * 2654435761u >> 3); }
    return tree->key == 1;
}
"""


def test_a_descent_by_calls_is_not_several_misses_at_a_time(run, tmp_path):
    """Each node's place is loaded from the one before; the pointer between goes through a call."""
    found, _ = compiled(run, tmp_path, DESCENT, "-O1")
    estimate = found["bottleneck"]
    if estimate is None or estimate["class"] == "unknown":
        pytest.skip("hardware counters decide here" if estimate is None else estimate["why_not"])
    for one in [estimate, *estimate["loops"]]:
        if one["function"] == "add":
            assert not any("several are under way" in each["text"] for each in one["evidence"]), one["evidence"]
            assert one["subclass"] != "parallel_misses" or one["confidence"] == "low", one["evidence"]


def test_a_waiter_waits(kernel_case):
    found = json.loads((kernel_case("wait") / "findings.json").read_text())
    assert found["verdict"]["kind"] == "waits", found["verdict"]


def test_the_strided_load_of_an_unoptimised_product(run, kernels, tmp_path):
    """The work around the load is counted from the code, calls included, for the probe to imitate."""
    matmul = kernels.parent / "matmul"
    case = tmp_path / "case"
    run("diagnose", "-q", "--case", case, "--", matmul, "--mode=reference", "--stag=ab", "--wtag=ab", "--dtag=ab",
        "--pages=4k", "--max-columns=2000", "--matmul", "1x4096:4096x8208")
    found = json.loads((case / "findings.json").read_text())
    by_id = {finding["id"]: finding for finding in found["findings"]}
    if by_id["small-pages"]["verdict"] == "not_testable":
        pytest.skip(by_id["small-pages"]["reason"])
    pages = by_id["small-pages"]  # on some processors they return next to nothing here, which only a measurement may say
    assert pages["verdict"] != "ruled_out" or "as measured here" in pages["reason"], pages["reason"]
    assert by_id["unoptimised-build"]["verdict"] == "supported"
    costs = json.loads((case / "costs.json").read_text())["access_costs"]
    strided = [cost for cost in costs if 30000 < cost["stride_bytes"] < 35000]
    if strided:
        assert 50 <= strided[0]["work_instructions"] <= 90
