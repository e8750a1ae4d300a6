# SPDX-License-Identifier: GPL-3.0-or-later
"""Colour: on a terminal that can show it, and nowhere else."""
import os
import pty
import subprocess

import pytest

BUSY = ["sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]


def output_on_terminal(*words, **environment):
    ours, theirs = pty.openpty()
    with subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL,
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


@pytest.mark.parametrize("command", ["doctor", "diagnose", "annotate"])
def test_colour(plumb, run, tmp_path, command):
    words = {"doctor": ["doctor"], "diagnose": ["diagnose", "--case", tmp_path / "case"], "annotate": ["annotate", "-i", tmp_path / "data"]}[command]
    if command == "diagnose":
        assert run("diagnose", "-q", "--case", tmp_path / "case", "--", *BUSY).returncode in (0, 4)
    if command == "annotate":
        assert run("record", "-q", "-o", tmp_path / "data", "--", *BUSY).returncode == 0
    assert b"\033[" in output_on_terminal(plumb, *words, TERM="xterm", NO_COLOR="")
    assert b"\033[" not in output_on_terminal(plumb, *words, TERM="dumb", NO_COLOR="")
    assert b"\033[" not in output_on_terminal(plumb, *words, TERM="xterm", NO_COLOR="1")
    assert "\033[" not in run(*words, env={"TERM": "xterm", "NO_COLOR": None}).stdout
