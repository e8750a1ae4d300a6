# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told by all that it calls: exceptions, and a twin that catches and hardly throws; an emulated program."""
import json
import shutil
import subprocess

import pytest

THROWS = """
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
__attribute__((noinline)) static int parse(int value, int bad) {
    if (value % bad == 0)
        throw std::runtime_error("bad field");
    return value & 7;
}
int main(int count, char **words) {
    long sum = 0;
    int bad = atoi(words[1]), last = atoi(words[2]);
    for (int value = 1; value < last; value++)
        try {
            sum += parse(value, bad);
        } catch (const std::exception &) {
            sum--;
        }
    return sum == 1;
}
"""


def finding_of(found, name):
    return next(finding for finding in found["findings"] if finding["id"] == name)


def diagnosed(plumb, case, command):
    done = subprocess.run([plumb, "diagnose", "--case", case, "--", *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(subprocess.run([plumb, "diagnose", "--json", "--case", case], capture_output=True, text=True, check=True).stdout)
    if not found["profile"] or not found["profile"].get("functions") or sum(one["stacks"] for one in found["profile"]["functions"]) < 40:
        pytest.skip("too few samples with stacks here")
    return found


@pytest.mark.parametrize("bad, last, verdict", [("1", "1000000", "supported"), ("1000003", "700000000", "ruled_out")])
def test_exceptions_are_told_by_who_throws(plumb, tmp_path, bad, last, verdict):
    (tmp_path / "throws.cpp").write_text(THROWS)
    if subprocess.run(["c++", "-O2", "-o", tmp_path / "throws", tmp_path / "throws.cpp"], capture_output=True).returncode:
        pytest.skip("no compiler")
    found = diagnosed(plumb, tmp_path / "case", [tmp_path / "throws", bad, last])
    exceptions = finding_of(found, "exceptions")
    assert exceptions["verdict"] == verdict, exceptions
    if verdict == "supported":
        assert found["verdict"]["sentence"].startswith("Throwing and unwinding C++ exceptions takes")


def test_an_emulated_program_is_told(plumb, tmp_path):
    emulator = shutil.which("qemu-x86_64-static") or shutil.which("qemu-x86_64")
    (tmp_path / "plain.c").write_text("int main(void) { double s = 0; for (volatile int i = 0; i < 40000000; i++) s += i; return s == 1; }\n")
    if not emulator or subprocess.run(["cc", "-O1", "-static", "-o", tmp_path / "plain", tmp_path / "plain.c"], capture_output=True).returncode:
        pytest.skip("no user-mode emulator here")
    assert finding_of(diagnosed(plumb, tmp_path / "case", [emulator, tmp_path / "plain"]), "emulated")["verdict"] == "supported"
