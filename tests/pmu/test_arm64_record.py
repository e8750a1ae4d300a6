# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of a real PMU, made by the static core in an emulated arm64 kernel (tests/arm64_kernel.sh), read here."""
import re
import subprocess

import pytest

# A turn of main's loop is far shorter than a period, so that samples don't keep step with it.
PROGRAM = r"""
volatile unsigned long sink;
__attribute__((noinline)) void twice(void) { for (int i = 0; i < 200; i++) sink += i; }
__attribute__((noinline)) void once(void) { for (int i = 0; i < 100; i++) sink += i; }
__attribute__((noinline)) void middle(void) { twice(); once(); sink++; }
int main(void) { for (int i = 0; i < 300000; i++) middle(); return 0; }
"""
COMMANDS = r"""
say cycles; ./plumb record -F 2000 -o cycles.data -- ./program 2>&1
say dwarf; ./plumb record --call-graph dwarf -F 1000 -o dwarf.data -- ./program 2>&1
say period; ./plumb record -a -e instructions:u -c 1000003 -o period.data -- ./program 2>&1
say group; ./plumb record -e "{cycles,instructions}:S" -o group.data -- ./program 2>&1
G="{cycles,instructions,r8:u,r8:k,r11,r11:u,r11:k,r8}"
for start in "" "-D 1" "-a"; do
say strong; ./plumb record $start -c 1000003 -e "$G" -o strong.data -- ./program 2>&1; echo "status $?"
say weak; ./plumb record $start -c 1000003 -e "$G:W" -o weak.data -- ./program 2>&1; echo "status $?"
say counted; ./plumb stat $start -x, -e "$G:W" -- ./program 2>&1
done
say branches; ./plumb record -b -o branches.data -- ./program 2>&1
say pack; ./plumb record -z -o pack.data -- true 2>&1
"""


@pytest.fixture(scope="module")
def guest(boot_arm64):
    booted = boot_arm64(COMMANDS, program=PROGRAM, flags=["-g", "-fomit-frame-pointer"])
    files = booted.folder / "files/host"
    files.mkdir(parents=True)
    (booted.folder / "program").rename(files / "program")
    return booted


def shares(run, folder, name, perf=None):
    words = ["report", "-i", folder / name, "--symfs", folder / "files", "-g", "none", "--no-children"]
    text = run(*words).stdout if not perf else subprocess.run(
        ["perf", *words, "--stdio"], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    return re.findall(r"^ +([0-9.]+)%.*\[\.\] (twice|once)\b", text, flags=re.M)


@pytest.mark.parametrize("name, error", [("cycles", 4), ("dwarf", 8), ("period", 14)])
def test_the_work_is_shared_two_to_one(guest, run, name, error):
    folder, said = guest
    assert re.search(r"plumb record: [1-9]\d* samples, ", said[name]), said[name]
    (first, twice), (second, once) = shares(run, folder, f"{name}.data")
    assert (twice, once) == ("twice", "once")
    assert abs(float(first) - 2 * float(second)) < 3 * error and float(first) + float(second) > 90


def test_perf_sees_the_same(guest, run):
    folder, _ = guest
    if not subprocess.run(["which", "perf"], capture_output=True).stdout:
        pytest.skip("perf isn't installed: nothing to compare with")
    assert shares(run, folder, "cycles.data") == shares(run, folder, "cycles.data", perf=True)


def test_stack_dumps_of_another_architecture_are_unwound_to_the_root(guest, run):
    folder, said = guest
    assert "plumb report tells" in said["dwarf"], "the static core doesn't unwind, and says so"
    text = run("script", "-i", folder / "dwarf.data", "--symfs", folder / "files", "-F", "ip,sym", "--no-inline").stdout
    stacks = [re.findall(r"^\s*[0-9a-f]+ (\S+)", stack, re.M) for stack in text.split("\n\n")]
    inner = [stack for stack in stacks if stack and stack[0] in ("twice", "once")]
    assert len(inner) > 20
    whole = [stack for stack in inner if stack[1:3] == ["middle", "main"] and stack[-1] == "_start"]
    assert len(whole) > 0.95 * len(inner)


def test_what_this_machine_lacks_is_said(guest):
    _, said = guest
    assert "branch records" in said["branches"] and "need a CPU that has them" in said["branches"]
    assert "libzstd" in said["pack"]


def test_a_group_too_large_is_refused_or_taken_apart_however_the_recording_starts(guest):
    _, said = guest
    assert said["strong"].count("can't open 'r8' for sampling: Invalid argument") == 3
    assert said["strong"].count("{…}:W") == 3 and said["strong"].count("status 1") == 3
    assert said["weak"].count("'r11:k': its group doesn't fit the counters; sampled by itself") == 3
    assert said["weak"].count("status 0") == 3
    assert len(re.findall(r"plumb record: [1-9]\d{2,} samples, ", said["weak"])) == 3
    assert len(re.findall(r"^[1-9]\d*,,cycles,", said["counted"], re.M)) == 3


def test_group_members_are_read_with_the_leader(guest, run):
    folder, _ = guest
    script = run("script", "-i", folder / "group.data").stdout
    assert "cycles" in script and "instructions" in script


def test_another_architecture_is_annotated_here(guest, run):
    folder, _ = guest
    text = run("annotate", "-i", folder / "cycles.data", "--symfs", folder / "files", "twice").stdout
    percents = [float(share) for share in re.findall(r"^ +([0-9.]+) : .* [0-9a-f]+:  \w", text, re.M)]
    assert abs(sum(percents) - 100) < 1 and re.search(r"┌> +[0-9a-f]+:  ldr +x\d", text) and re.search(r"└─ +[0-9a-f]+:  b\.ne", text), text
    assert re.search(r"hottest loop +[0-9a-f]+\.\.[0-9a-f]+, depth 1", text)
