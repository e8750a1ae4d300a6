# SPDX-License-Identifier: GPL-3.0-or-later
"""Counting on a real PMU driver, of a program whose instructions are known (tests/arm64_kernel.sh: an emulated arm64 kernel)."""
import pytest

# One CPU: the emulator's instructions are those of all its CPUs. `exact loop N`: N turns of two instructions. `fork`, `thread`: the same again in a child or a thread. `spin`: until it is killed.
PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void turns(unsigned long n) { asm volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(n) :: "cc"); }
static void *work(void *n) { turns((unsigned long)n); return NULL; }
int main(int count, char **words)
{
    unsigned long n = count > 2 ? strtoul(words[2], NULL, 10) : 1000;
    pthread_t thread;
    while (count > 1 && !strcmp(words[1], "spin"))
        turns(n);
    if (count > 1 && !strcmp(words[1], "fork") && fork() == 0) {
        turns(n);
        _exit(0);
    }
    if (count > 1 && !strcmp(words[1], "thread") && (pthread_create(&thread, NULL, work, (void *)n) || pthread_join(thread, NULL)))
        return 1;
    turns(n);
    wait(NULL);
    return 0;
}
"""
TURNS = 20_000_000
# Who holds the counters is known by the program that it started, and waits for no time: that goes on in leaps while files are fetched.
COMMANDS = rf"""
N={TURNS}; S="./plumb stat -x, -e"; I=instructions:u
say one; $S $I ./exact loop 1 2>&1
say many; $S $I ./exact loop $N 2>&1
say fork; $S $I ./exact fork $N 2>&1
say forkalone; ./plumb stat -i -x, -e $I ./exact fork $N 2>&1
say thread; $S $I ./exact thread $N 2>&1
say threadalone; ./plumb stat -i -x, -e $I ./exact thread $N 2>&1
say pair; $S '{{cycles:u,instructions:u}}' ./exact loop $N 2>&1
say interval; ./plumb stat -x, -I 10 -e $I ./exact loop $N 2>&1
say shared; $S r8:u,r8:u,r8:u,r8:u,r8:u,r8:u,r8:u,r8:u,r8:u,r8:u ./exact loop $N 2>&1
say stalls; $S armv8_pmuv3/stall_frontend/,armv8_pmuv3/stall_backend/,armv8_pmuv3/stall/ ./exact loop 1000 2>&1
./exact spin 1000000 & pid=$!
say attach; $S '{{cycles:u,instructions:u}}' -p $pid sleep 0.1 2>&1
say attachthread; $S $I -t $pid sleep 0.1 2>&1
say attachend; (sleep 1; kill $pid) & ./plumb stat -x, -e $I -p $pid 2>&1; echo "status $?"
say gone; $S $I -p $pid sleep 0.1 2>&1; echo "status $?"
say absent; $S cache-misses ./exact loop 1000 2>&1; echo "status $?"
say unknown; $S nosuchevent ./exact loop 1000 2>&1; echo "status $?"
mkfifo /tmp/never
./plumb stat -a -e cycles:D,r8:D,r8:D,r8:D,r8:D,r8:D,r8:D -x, -o holder.csv cat /tmp/never & holder=$!
until grep -q '^cat$' /proc/[0-9]*/comm; do sleep 0.01; done
say taken; ./plumb stat -v -x, -e $I ./exact loop 1000000 2>&1; echo "status $?"
say takengroup; $S '{{cycles:u,instructions:u}}' ./exact loop 1000000 2>&1
echo >/tmp/never; wait $holder
say free; $S $I ./exact loop 1 2>&1
say sampled; ./plumb record -e $I -c 4000000 -o sampled.data ./exact loop $N 2>&1
"""


@pytest.fixture(scope="module")
def guest(boot_arm64):
    return boot_arm64(COMMANDS, "-n", "1", name="exact", program=PROGRAM, flags=["-pthread"])


def rows(guest, name):
    return [line.split(",") for line in guest.said[name].splitlines() if "," in line and not line.startswith(("#", "plumb"))]


def count(guest, name, row=0, column=0):
    return int(rows(guest, name)[row][column])


def test_every_instruction_of_the_program_is_counted_and_none_of_plumbs(guest):
    assert count(guest, "many") - count(guest, "one") == pytest.approx(2 * (TURNS - 1), abs=200)  # a tick may cost a few in user code
    assert count(guest, "one") < 300_000  # what a static program does before main: exec switched the counter on, not plumb


def test_children_and_threads_are_counted_unless_told_not_to(guest):
    one = count(guest, "many")
    for kind in ("fork", "thread"):
        assert count(guest, kind) == pytest.approx(one + 2 * TURNS, rel=0.01), kind
        assert count(guest, kind + "alone") == pytest.approx(one, rel=0.01), kind


def test_a_group_is_of_one_time(guest):
    cycles, instructions = count(guest, "pair"), count(guest, "pair", 1)
    assert cycles == 2 * instructions and instructions == pytest.approx(count(guest, "many"), rel=0.001)


def test_intervals_add_up_to_the_whole(guest):
    assert len(rows(guest, "interval")) >= 2
    counted = [row[1] for row in rows(guest, "interval")]  # an interval in which the program never ran is not counted
    assert set(word for word in counted if not word.isdigit()) <= {"<not counted>"}
    assert sum(int(word) for word in counted if word.isdigit()) == pytest.approx(count(guest, "many"), rel=0.001)


def test_what_is_multiplexed_is_scaled_to_the_truth(guest):
    shared = rows(guest, "shared")
    assert len(shared) == 10 and all(0 < float(row[4]) < 100 for row in shared)
    for row in shared:  # a loop of one rate: what was not seen went on as what was seen
        assert int(row[0]) == pytest.approx(2 * TURNS, rel=0.15)


def test_a_counter_that_counted_nothing_says_0(guest):
    assert [row[0] for row in rows(guest, "stalls")] == ["0", "0", "0"] and all(float(row[4]) == 100 for row in rows(guest, "stalls"))


def test_a_process_is_attached_to_and_followed_to_its_end(guest):
    assert count(guest, "attach") == 2 * count(guest, "attach", 1) > 1_000_000
    assert count(guest, "attachthread") > 1_000_000
    assert count(guest, "attachend") > 1_000_000 and "status 0" in guest.said["attachend"]
    assert "status 1" in guest.said["gone"] and "process" in guest.said["gone"]


def test_an_event_that_is_not_there_is_not_supported_and_the_program_runs(guest):
    assert rows(guest, "absent")[0][0] == "<not supported>" and "status 0" in guest.said["absent"]
    assert "status 2" in guest.said["unknown"] and "nosuchevent" in guest.said["unknown"]


def test_counters_that_others_hold_are_not_counted_rather_than_0(guest):
    assert rows(guest, "taken")[0][0] == "<not counted>" and "status 0" in guest.said["taken"]
    assert [row[0] for row in rows(guest, "takengroup")] == ["<not counted>", "<not counted>"]
    assert count(guest, "free") == pytest.approx(count(guest, "one"), abs=2000)


def test_each_overflow_is_a_sample(guest, run):
    # the emulator notices an overflow at the next tick, 2 million instructions later at most: periods above that are kept
    done = run("script", "-i", guest.folder / "sampled.data", "-F", "period,ip")
    samples = [line for line in done.stdout.splitlines() if line.strip()]
    assert done.returncode == 0 and len(samples) == pytest.approx(count(guest, "many") / 4_000_000, abs=1)
    assert all(line.split()[0] == "4000000" for line in samples)
