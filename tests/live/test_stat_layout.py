# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb stat beside the installed perf stat: the same fields in the same places, numbers aside.

Known differences, on purpose (perf 6.12's layout, man plumb-stat): the interval's time isn't padded in -x, text
columns are wider, unsupported events count all CPUs of their place.
"""
import json
import os
import re
import shutil

import pytest

from conftest import run_program

NUMBER = re.compile(r"^-?\d+(\.\d+)?$")
EVENTS = "cs,faults,task-clock,cycles,{cs,faults}"
TARGETS = {
    "program": [],
    "all": ["-a"],
    "per-cpu": ["-a", "-A"],
    "per-core": ["-a", "--per-core"],
    "per-die": ["-a", "--per-die"],
    "per-socket": ["-a", "--per-socket"],
    "per-node": ["-a", "--per-node"],
    "cpu-list": ["-C", "0"],
    "repeat": ["-r", "3"],
    "interval": ["-I", "100"],
    "interval-per-core": ["-a", "--per-core", "-I", "100"],
    "interval-per-cpu": ["-a", "-A", "-I", "100"],
    "pid": ["-p", str(os.getpid())],
    "per-thread": ["--per-thread", "-p", str(os.getpid())],
    "cgroup": ["-a", "CGROUP"],
    "detailed": ["-ddd"],
}


@pytest.fixture(scope="module")
def perf():
    path = shutil.which("perf")
    if not path or run_program(path, "stat", "-e", "task-clock", "true").returncode != 0:
        pytest.skip("no working perf to compare with")
    return path


@pytest.fixture(scope="module")
def cgroup():
    with open("/proc/mounts", encoding="utf-8") as mounts:
        if not any(line.split()[2] in ("cgroup2",) for line in mounts):
            pytest.skip("no cgroup2 is mounted")
    return ["-G", "/,/,/,/,/,/"]


def both(plumb, perf, tmp_path, options, command=None):
    """Lines of either; only intervals need a command that lasts for some."""
    command = command or ("sleep", "0.15" if "-I" in options else "0.02")
    results = []
    for program in (plumb, perf):
        output = tmp_path / f"{'plumb' if program == plumb else 'perf'}.out"
        done = run_program(program, "stat", *options, "-o", output, "--", *command)
        assert done.returncode == 0, done.stderr
        lines = output.read_text().splitlines()
        assert lines[0].startswith("# started on "), lines[0]
        assert lines[1] == ""
        results.append(lines[2:])
    return results


def options_for(name, cgroup_options):
    options = TARGETS[name]
    if "CGROUP" in options:
        return ["-a", "-e", EVENTS, *cgroup_options]
    return [*options, "-e", EVENTS]


def shape_of_field(field, at):
    field = field.strip()
    if NUMBER.match(field):
        return "number"
    if re.match(r"^\d+\.\d+%$", field):
        return "percent"
    if re.match(r"^[KMG]?/sec$", field):
        return "rate"
    if field in ("<not counted>", "number"):
        return "number"  # a thread or cgroup that didn't run in one of the two runs
    return re.sub(r"\d+", "N", field)


def shape_of_fields(line):
    return tuple(shape_of_field(field, at) for at, field in enumerate(line.split(";")))


def without_ratio(shape):
    """A ratio depends on the values: /sec needs a clock that ran."""
    return shape[:-2]


@pytest.mark.parametrize("name", TARGETS)
def test_fields(plumb, perf, tmp_path, name, request):
    cgroup_options = request.getfixturevalue("cgroup") if "CGROUP" in TARGETS[name] else []
    ours, theirs = both(plumb, perf, tmp_path, ["-x;", *options_for(name, cgroup_options)])
    ours, theirs = [[shape_of_fields(line) for line in lines] for lines in (ours, theirs)]
    if "interval" in name or "thread" in name or "pid" in name:
        ours, theirs = sorted(set(map(without_ratio, ours))), sorted(set(map(without_ratio, theirs)))
    assert ours == theirs


@pytest.mark.parametrize("name", TARGETS)
def test_json(plumb, perf, tmp_path, name, request):
    cgroup_options = request.getfixturevalue("cgroup") if "CGROUP" in TARGETS[name] else []
    ours, theirs = both(plumb, perf, tmp_path, ["-j", *options_for(name, cgroup_options)])

    def shape(line):
        found = json.loads(line)
        kinds = {key: type(value).__name__ for key, value in found.items()}
        fixed = {key: re.sub(r"\d+", "N", found[key]) for key in ("event", "unit", "core", "socket", "die", "node")
                 if key in found}
        for key in ("interval", "event-runtime", "pcnt-running", "metric-value", "variance"):
            if key in kinds:
                assert kinds[key] in ("int", "float"), line
                kinds[key] = "number"
        return (tuple(kinds.items()), tuple(fixed.items()))

    ours, theirs = [[shape(line) for line in lines if line] for lines in (ours, theirs)]
    if "interval" in name or "thread" in name:
        ours, theirs = sorted(set(ours)), sorted(set(theirs))
    assert ours == theirs


def words_of(line):
    """Words of a line of text; numbers and rates stand for themselves."""
    line = re.sub(r"\(\s*\+-\s*[\d.]+%\s*\)", "", line)  # perf leaves it out when it is 0
    line = re.sub(r"  \(\d+\.\d+%\)", "", line)
    words = []
    for word in line.split():
        word = shape_of_field(word, 0)
        words.append("number" if word == "<not" else word)
    return tuple(word for word in words if word not in ("counted>",))


@pytest.mark.parametrize("name", TARGETS)
def test_text(plumb, perf, tmp_path, name, request):
    cgroup_options = request.getfixturevalue("cgroup") if "CGROUP" in TARGETS[name] else []
    ours, theirs = both(plumb, perf, tmp_path, options_for(name, cgroup_options))
    ours, theirs = [[words_of(line) for line in lines if not line.startswith("#")] for lines in (ours, theirs)]
    if "interval" in name or "thread" in name or "pid" in name:
        def kept(lines):  # a thread that didn't run meanwhile has counts, and no rates
            return sorted({line[:3] if "#" not in line[:3] else line[: line.index("#")] for line in lines})
        ours, theirs = kept(ours), kept(theirs)
    assert ours == theirs


def test_default_events_are_perfs(plumb, perf, tmp_path):
    for options in ([], ["-a"], ["-d"], ["-dd"], ["-ddd"]):
        ours, theirs = both(plumb, perf, tmp_path, ["-x;", *options], command=("true",))
        assert [line.split(";")[2] for line in ours] == [line.split(";")[2] for line in theirs], options


def test_table_of_runs(plumb, perf, tmp_path):
    ours, theirs = both(plumb, perf, tmp_path, ["-r", "3", "--table", "-e", "task-clock"])
    shapes = [[re.sub(r"[#]+$", "#", " ".join(words_of(re.sub(r"[+-]\d", "9", line)))) for line in lines]
              for lines in (ours, theirs)]
    assert shapes[0] == shapes[1]


def test_counts_agree(plumb, perf, tmp_path):
    """A fixed piece of work: what doesn't depend on chance is counted alike."""
    work = ("dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=20000")
    events = "syscalls:sys_enter_read,syscalls:sys_enter_write"
    if not os.path.isdir("/sys/kernel/tracing/events/syscalls"):
        pytest.skip("tracefs is not mounted")
    ours, theirs = both(plumb, perf, tmp_path, ["-x;", "-e", events], command=work)
    assert [line.split(";")[0] for line in ours] == [line.split(";")[0] for line in theirs]
