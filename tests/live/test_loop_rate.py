# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns a second from registers of a running program, with loops that are left and entered again every 20 us to 5 ms: whatever is
accepted is right. How many are accepted depends on the machine's load and is printed, not judged."""
import os
import pathlib
import re
import subprocess

import pytest

SECONDS = 0.4
# A shared core changes its speed by a factor of two from one moment to the next: a rate lies between the mean of the whole run and
# the best of its slices, with some room.
LOWEST, HIGHEST = 0.6, 1.4  # of the mean, of the best
PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double cpu(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return (double)t.tv_sec + (double)t.tv_nsec / 1e9; }
/* Counted by a register that begins anew each time; by a pointer that does; by a pointer into other data each time. */
__attribute__((noinline)) static uint64_t step(uint64_t x, uint64_t turns)
{
    do {
        x *= 0x9e3779b97f4a7c15u;
        __asm__ volatile("" : "+r"(x));
    } while (--turns);
    return x;
}
__attribute__((noinline)) static uint64_t walk(const uint64_t *at, const uint64_t *end, uint64_t x)
{
    do {
        x = (x ^ *at) * 0x9e3779b97f4a7c15u;
        __asm__ volatile("" : "+r"(x));
    } while (++at != end);
    return x;
}
int main(int argc, char **argv)
{
    static uint64_t data[1 << 23];
    uint64_t turns = strtoull(argv[2], NULL, 10), done = 0, x = 1, from = 0;
    char kind = argv[1][0];
    for (uint64_t at = 0; at < sizeof(data) / sizeof(*data); at += 64)
        data[at] = at;
    double begin = cpu(), seconds = strtod(argv[3], NULL), slice = begin, best = 0, now;
    uint64_t slice_done = 0;
    do {
        if (kind == 'c')
            x = step(x, turns);
        else
            x = walk(data + from, data + from + turns, x);
        if (kind == 'o' && (from += turns * 2) + turns > sizeof(data) / sizeof(*data))
            from = 0;
        done += turns;
        now = cpu();
        if (now - slice > 0.01) {
            if ((double)(done - slice_done) / (now - slice) > best)
                best = (double)(done - slice_done) / (now - slice);
            slice = now;
            slice_done = done;
        }
    } while (now - begin < seconds);
    printf("%.6g %.6g turns a second %llu\n", (double)done / (now - begin), best, (unsigned long long)(x & 1));
    return 0;
}
"""


def place_of(binary, name):
    """File offset and size of a function."""
    symbols = subprocess.run(["readelf", "-sW", binary], capture_output=True, text=True, check=True).stdout
    address, size = re.search(rf"([0-9a-f]{{16}})\s+(\d+) FUNC\s+\w+\s+\w+\s+\w+ {name}\n", symbols).groups()
    address = int(address, 16)
    headers = subprocess.run(["readelf", "-lW", binary], capture_output=True, text=True, check=True).stdout
    for offset, start, length in re.findall(r"LOAD\s+0x([0-9a-f]+) 0x([0-9a-f]+) 0x[0-9a-f]+ 0x([0-9a-f]+)", headers):
        if int(start, 16) <= address < int(start, 16) + int(length, 16):
            return address - int(start, 16) + int(offset, 16), int(size)
    raise AssertionError("no segment holds the function")


@pytest.fixture(name="program", scope="module")
def fixture_program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("loops")
    (folder / "loops.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-O2", "-o", folder / "loops", folder / "loops.c"], check=True)
    return folder / "loops"


# From far below a period of either rate to several of both; between them, the kinds have every length.
@pytest.mark.parametrize("kind, lengths_us", [("counter", [20, 150, 333, 1700]), ("pointer", [60, 250, 700, 5000]),
                                              ("other data", [20, 250, 1700, 5000])])
def test_no_aliased_rate_is_accepted(plumb, program, tmp_path, kind, lengths_us):
    tool = pathlib.Path(plumb).parent / "tests/loop_rate_tool"
    offset, size = place_of(program, "step" if kind == "counter" else "walk")
    accepted, report, wrong = 0, [], []
    for length_us in lengths_us:
        turns = max(int(length_us * 1000 / 1.3), 2)
        recording = tmp_path / "rate.data"
        record = subprocess.run([plumb, "record", "-o", recording, "-e", "cpu-clock/period=232000/u,cpu-clock/period=1000000/u", "--user-regs", "--",
                                 program, kind[0], str(turns), str(SECONDS)], capture_output=True, text=True, timeout=60, check=False)
        if record.returncode or not recording.exists():
            pytest.skip("can't sample here: " + record.stderr.strip()[-200:])
        mean, best = map(float, record.stdout.split()[:2])
        answer = subprocess.run([tool, recording, "SKX", program, str(offset), str(size)], capture_output=True, text=True, check=True,
                                env={**os.environ, "SCALES": "1"}).stdout
        found = re.match(r"accepted=(\d) rate=(\S+).* why='([^']*)'", answer)
        rate = float(found[2])
        report.append(f"{length_us} us: " + (f"{rate / mean:.2f} of the mean, {rate / best:.2f} of the best" if found[1] == "1" else found[3]))
        accepted += found[1] == "1"
        if found[1] == "1" and not LOWEST * mean < rate < HIGHEST * best:
            wrong.append(report[-1] + "\n" + answer)
    print(f"{kind}: {accepted} of {len(lengths_us)} accepted\n" + "\n".join(report))
    assert not wrong, "\n".join(wrong)
