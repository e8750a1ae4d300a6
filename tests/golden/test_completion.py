# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb completion: the scripts load in their shells and offer what the table of commands says."""
import re
import shutil
import subprocess

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
