# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb export: each format read back by a reader of its own, and held against plumb script's text of the same recording."""
import collections
import csv
import io
import json
import shutil
import subprocess

import pytest


@pytest.fixture(scope="module")
def recording(plumb, tmp_path_factory):
    path = tmp_path_factory.mktemp("export") / "perf.data"
    done = subprocess.run([plumb, "record", "-q", "-F", "2000", "--call-graph", "fp", "-o", path, "--", "sh", "-c",
                           "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done"], capture_output=True, text=True, timeout=60)
    if done.returncode:
        pytest.skip(f"no sampling here: {done.stderr}")
    return path


@pytest.fixture(scope="module")
def export(plumb, recording):
    def run(*words):
        done = subprocess.run([plumb, "export", *words, "-i", recording], capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return run


# What an unwinder that lost its way names: nobody's caller, and no frame of an export.
NO_CODE = {"[unknown]", "[heap]", "[stack]", "[anon]"}


def stacks_of_script(plumb, recording):
    """As stackcollapse-perf.pl folds perf script's text: a heading, a line for each frame (leaf first), an empty line."""
    text = subprocess.run([plumb, "script", "--no-inline", "-i", recording], capture_output=True, text=True, timeout=60, check=True).stdout
    folded = collections.Counter()
    for block in text.strip("\n").split("\n\n"):
        for lines in [block.splitlines()]:
            comm, frames = lines[0].split()[0], []
            for line in lines[1:]:
                _, name, dso = line.strip().replace(" (", "\t(").replace(" ", "\t", 1).split("\t")
                name = name.rsplit("+0x", 1)[0]
                dso = dso.strip("()").rsplit("/", 1)[-1]
                frames.append(name if name != "[unknown]" else dso if dso.startswith("[") else f"[{dso}]")
            while len(frames) > 1 and frames[-1] in NO_CODE:
                frames.pop()
            folded[";".join([comm, *reversed(frames)])] += 1
    return folded


def folded_of(text):
    return collections.Counter({line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in text.decode().splitlines()})


def test_folded_is_the_text_of_script_folded(plumb, recording, export):
    expected = stacks_of_script(plumb, recording)
    assert sum(expected.values()) >= 10 and folded_of(export("folded", "--no-inline")) == expected


def test_folded_is_sorted_and_weighs_by_time(export):
    samples, period = export("folded"), folded_of(export("folded", "--weight", "period"))
    stacks = [line.rsplit(b" ", 1)[0] for line in samples.splitlines()]
    assert stacks == sorted(stacks)
    counts = folded_of(samples)
    assert set(counts) == set(period) and all(period[stack] > 1000 * counts[stack] for stack in counts), "nanoseconds"


def test_json_adds_up(export):
    document = json.loads(export("json"))
    assert document["schema"] == "plumb-profile-1"
    (event,) = document["events"]
    assert sum(stack["samples"] for stack in document["stacks"]) == event["samples"]
    assert sum(stack["period"] for stack in document["stacks"]) == event["period"]
    assert all(0 <= frame < len(document["frames"]) for stack in document["stacks"] for frame in stack["frames"])


def test_speedscope(export):
    """What speedscope's schema asks of a sampled profile."""
    document = json.loads(export("speedscope"))
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = document["shared"]["frames"]
    assert all(isinstance(frame["name"], str) and frame["name"] for frame in frames)
    (profile,) = document["profiles"]
    assert profile["type"] == "sampled" and profile["unit"] in ("nanoseconds", "none") and profile["startValue"] == 0
    assert len(profile["samples"]) == len(profile["weights"]) and sum(profile["weights"]) == profile["endValue"]
    assert all(0 <= frame < len(frames) for stack in profile["samples"] for frame in stack)
    rooted = collections.Counter()
    for stack in profile["samples"]:
        rooted[";".join(frames[frame]["name"] for frame in stack)] += 1
    assert set(rooted) == {stack.split(";", 1)[1] for stack in folded_of(export("folded"))}


def test_csv_holds_functions_with_what_they_called(export):
    rows = list(csv.DictReader(io.StringIO(export("csv").decode())))
    (event,) = json.loads(export("json"))["events"]
    assert sum(int(row["self_samples"]) for row in rows) == event["samples"]
    assert all(int(row["total_samples"]) >= int(row["self_samples"]) for row in rows)
    assert [int(row["self_period"]) for row in rows] == sorted((int(row["self_period"]) for row in rows), reverse=True)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 0x7f) << shift, shift + 7
        if byte < 0x80:
            return value, at


def message(data):
    """Fields of a protocol buffer: (number, value); bytes stay bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        yield tag >> 3, value


def numbers(data):
    at, found = 0, []
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


def test_pprof_says_the_same(export):
    fields = collections.defaultdict(list)
    for number, value in message(export("pprof")):
        fields[number].append(value)
    strings = [text.decode() for text in fields[6]]
    assert strings[0] == "" and len(fields[1]) == 2
    functions = {dict(message(one))[1]: strings[dict(message(one))[2]] for one in fields[5]}
    lines = {dict(message(one))[1]: dict(message(dict(message(one))[4]))[1] for one in fields[4]}
    folded = collections.Counter()
    for sample in fields[2]:
        parts = dict(message(sample))
        names = [functions[lines[location]] for location in numbers(parts[1])]
        comm = strings[dict(message(parts[3]))[2]]
        folded[";".join([comm, *reversed(names)])] += numbers(parts[2])[0]
    assert folded == folded_of(export("folded"))


def test_go_reads_the_pprof(export, tmp_path):
    if not shutil.which("go"):
        pytest.skip("no go here, whose pprof would read it")
    (tmp_path / "profile.pb").write_bytes(export("pprof"))
    done = subprocess.run(["go", "tool", "pprof", "-raw", tmp_path / "profile.pb"], capture_output=True, text=True, timeout=120)
    if "no such tool" in done.stderr:
        pytest.skip("this go has no pprof")
    assert done.returncode == 0, done.stderr
    (event,) = json.loads(export("json"))["events"]
    assert f"{event['name']}_sample/count" in done.stdout


def test_wrong_words(plumb, recording, tmp_path):
    def fails(*words):
        done = subprocess.run([plumb, "export", *words, "-i", recording], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stderr
    assert fails()[0] == 2 and "folded, pprof" in fails()[1] and "firefox" in fails()[1]
    assert fails("folder") == (2, fails("folder")[1]) and "'folder'" in fails("folder")[1]
    assert "cycles:u" in fails("json", "-e", "cycles:u")[1]
    assert fails("csv", "--weight", "period")[0] == 2
    assert "/nowhere/x" in fails("csv", "-o", "/nowhere/x")[1]
