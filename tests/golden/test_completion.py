# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb completion: the scripts load in their shells and offer what the table of commands says."""
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time

import pytest

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture(params=SHELLS)
def shell(request):
    if not shutil.which(request.param):
        pytest.skip(f"no {request.param} here")
    return request.param


def commands(run):
    return re.findall(r"^  (\S+) ", run("help").stdout.split("commands:")[1].split("\n\n")[0], re.M)


def long_options(run, command):
    return set(re.findall(r"^  (?:(?:-\S, )+|    )(--[\w-]+)", run("help", command).stdout, re.M)) | {"--help"}


def bash_offers(run, *words):
    """What bash offers for the last of words."""
    script = run("completion", "bash").stdout + (
        '\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _plumb; printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return set(done.stdout.split())


def test_script_parses(run, shell, tmp_path):
    script = tmp_path / "script"
    script.write_text(run("completion", shell).stdout)
    done = subprocess.run([shell, "-n", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_bash_offers_every_command(run):
    assert bash_offers(run, "plumb", "") == set(commands(run)) | {"--help", "--version"}
    assert bash_offers(run, "plumb", "comple") == {"completion"}


def test_bash_offers_every_long_option(run):
    for command in commands(run):
        assert bash_offers(run, "plumb", command, "--") == long_options(run, command), command


def test_bash_offers_operands(run):
    assert bash_offers(run, "plumb", "completion", "") == set(SHELLS)
    assert bash_offers(run, "plumb", "help", "") == set(commands(run))


def test_bash_offers_the_values_of_options(run):
    for command in ("diagnose", "annotate"):
        assert bash_offers(run, "plumb", command, "--color", "") == {"auto", "always", "never"}
        assert bash_offers(run, "plumb", command, "--color", "=", "al") == {"always"}
    assert bash_offers(run, "plumb", "diagnose", "--color", "=") == {"auto", "always", "never"}
    assert bash_offers(run, "plumb", "export", "") == {"folded", "pprof", "speedscope", "firefox", "csv", "json"}
    assert bash_offers(run, "plumb", "export", "--weight", "") == {"samples", "period"}
    for option in ("-p", "--pid"):
        assert str(os.getpid()) in bash_offers(run, "plumb", "diagnose", option, "")


def test_bash_leaves_values_and_the_measured_program_alone(run):
    assert bash_offers(run, "plumb", "compare", "--runs", "--") == set()      # a value: file names
    assert bash_offers(run, "plumb", "compare", "--runs", "=", "") == set()
    assert "ls" in bash_offers(run, "plumb", "compare", "--runs", "3", "l")
    assert "ls" in bash_offers(run, "plumb", "compare", "--runs", "=", "3", "l")
    assert bash_offers(run, "plumb", "compare", "ls", "--") == set()          # ls's own option
    assert bash_offers(run, "plumb", "compare", "--", "--") == set()


def test_fish_offers(run, tmp_path):
    if not shutil.which("fish"):
        pytest.skip("no fish here")

    def offers(line):
        script = run("completion", "fish").stdout + f"\ncomplete -C '{line}'\n"
        done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, timeout=60,
                              env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "TERM": "dumb"})
        return {word.split("\t")[0] for word in done.stdout.splitlines()}
    assert set(commands(run)) <= offers("plumb ")
    for command in commands(run):
        assert long_options(run, command) <= offers(f"plumb {command} --"), command
    assert offers("plumb completion ") >= set(SHELLS)


def test_zsh_describes_options(run, tmp_path):
    if not shutil.which("zsh"):
        pytest.skip("no zsh here")
    stubs = ("compdef() { : }; _arguments() { print -rl -- \"$@\" }; _describe() { print -rl -- $commands }\n")

    def specs(*words):
        script = stubs + run("completion", "zsh").stdout + "\nwords=(\"$@\"); CURRENT=$#; _plumb\n"
        done = subprocess.run(["zsh", "-f", "-c", script, "zsh", *words], capture_output=True, text=True, timeout=60)
        assert done.stderr == ""
        return done.stdout
    assert {line.split(":")[0] for line in specs("plumb", "").splitlines()} == set(commands(run))
    for command in commands(run):
        found = set(re.findall(r"^(?:\([^)]*\)|\*)(--[\w-]+)", specs("plumb", command, ""), re.M))
        assert found == long_options(run, command), command


def test_unknown_shell(run):
    done = run("completion", "tcsh")
    assert done.returncode == 2 and "'tcsh'" in done.stderr
    assert run("completion").returncode == 2


def test_tab_in_zsh(run, tmp_path):
    """A zsh at a terminal, the script where a package lays it, and Tab pressed."""
    if not shutil.which("zsh"):
        pytest.skip("no zsh here")
    (tmp_path / "_plumb").write_text(run("completion", "zsh").stdout)
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", HOME=str(tmp_path))
        os.execvp("zsh", ["zsh", "-f", "-i"])
    shown = b""

    def type_and_wait(text, wanted):
        """Until it appears: shells are slow on a busy machine."""
        nonlocal shown
        begun, until = len(shown), time.monotonic() + 60
        os.write(terminal, text)
        while not re.search(wanted, shown[begun:]) and time.monotonic() < until:
            if select.select([terminal], [], [], 1)[0]:
                shown += os.read(terminal, 1 << 16)
        assert re.search(wanted, shown[begun:]), shown[begun:]
    try:
        type_and_wait(f"fpath=({tmp_path} $fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word; echo rea''dy\n".encode(), rb"\nready")
        type_and_wait(b"plumb dia\t", rb"plumb dia?gnose|gnose ")
        type_and_wait(b"--ht\t", rb"ml")
        type_and_wait(b"\x15plumb d\t\t", rb"doctor +-- ")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
