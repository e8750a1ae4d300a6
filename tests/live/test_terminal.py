# SPDX-License-Identifier: GPL-3.0-or-later
"""Colour: on a terminal that can show it, and nowhere else."""
import os
import pty
import re
import subprocess
import time

import pytest

BUSY = ["sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]


def output_on_terminal(*words, talk=False, **environment):
    ours, theirs = pty.openpty()
    with subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs if talk else subprocess.DEVNULL,
                          env=os.environ | environment) as process:
        os.close(theirs)
        output = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the last writer is gone
                break
            if not part:
                break
            output += part
        process.wait(timeout=60)
    os.close(ours)
    return output


def recording_in_halves(plumb, words, halves, stderr, **environment):
    """Read a recording of which the second half comes more than a second behind the first."""
    with subprocess.Popen([plumb, *words, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=os.environ | environment) as process:
        for half, wait_s in zip(halves, (1.3, 0)):
            process.stdin.write(half)
            process.stdin.flush()
            time.sleep(wait_s)
        process.stdin.close()
        result = process.stdout.read()
        assert process.wait(timeout=60) == 0
    return result


@pytest.mark.parametrize("command", [["report", "-i"], ["export", "folded", "-i"], ["script", "-i"], ["diff", "DATA"]])
def test_progress(plumb, tmp_path, command):
    """A line on stderr's terminal once reading takes more than a second, erased at its end; nothing where it is no terminal."""
    with open(tmp_path / "data", "wb") as file:
        subprocess.run([plumb, "record", "-q", "-F", "4000", "-e", "cpu-clock", "-o", "-", "--", *BUSY], stdout=file, check=True)
    data = (tmp_path / "data").read_bytes()
    halves = data[:len(data) // 8], data[len(data) // 8:]
    command = [str(tmp_path / "data") if word == "DATA" else word for word in command]
    ours, theirs = pty.openpty()
    shown = recording_in_halves(plumb, command, halves, theirs, TERM="xterm")
    os.close(theirs)
    talk = os.read(ours, 65536)
    os.close(ours)
    assert b"reading: " in talk and b" MB" in talk
    assert talk.rindex(b"\r\033[K") > talk.rindex(b"reading: ")
    with open(tmp_path / "talk", "wb") as file:
        assert recording_in_halves(plumb, command, halves, file, TERM="xterm") == shown
    assert b"reading: " not in (tmp_path / "talk").read_bytes()


def test_a_started_program_writes_on_lines_of_its_own(plumb):
    """What plumb is doing stands above it, and says that it is watched: not what was done before it began."""
    shown = output_on_terminal(plumb, "diagnose", "--", "sh", "-c", "echo mine; " + BUSY[2], talk=True, TERM="xterm")
    assert b"watching until it ends (Ctrl-C ends it)\r\nmine\r\n" in shown, shown[:400]


def test_a_comparison_says_how_long_it_goes_on(plumb):
    shown = output_on_terminal(plumb, "compare", "-n", "3", "--no-noise-floor", "--explain", "0", "true", "--", "sh", "-c", "true", talk=True, TERM="xterm")
    assert re.search(rb"block 2, \d+ s: [AB], about \d+ s to the end at block 3", shown), shown[:600]


@pytest.mark.parametrize("command", ["doctor", "diagnose", "annotate"])
def test_colour(plumb, run, kernel_case, command):
    case = kernel_case("chase")
    words = {"doctor": ["doctor"], "diagnose": ["diagnose", "--case", case], "annotate": ["annotate", "-i", case / "perf.data"]}[command]
    assert b"\033[" in output_on_terminal(plumb, *words, TERM="xterm", NO_COLOR="")
    assert b"\033[" not in output_on_terminal(plumb, *words, TERM="dumb", NO_COLOR="")
    assert b"\033[" not in output_on_terminal(plumb, *words, TERM="xterm", NO_COLOR="1")
    assert "\033[" not in run(*words, env={"TERM": "xterm", "NO_COLOR": None}).stdout
