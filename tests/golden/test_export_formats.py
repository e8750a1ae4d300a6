# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb export firefox against the format's public description, on recordings made here; and where stacks end in every export."""
import json
import pathlib
import struct
import subprocess

import pytest

from perf_data_file import CALLCHAIN, CPU, CONTEXT_USER, IP, PERIOD, TID, TIME, File

SCHEMA = json.loads((pathlib.Path(__file__).resolve().parent.parent / "fixtures/firefox_profile_48.json").read_text())
KINDS = {"string": str, "number": (int, float), "boolean": bool, "null": type(None), "object": dict, "list": list}


def is_of(value, kinds, lengths):
    for kind in kinds.split("|"):
        if kind in KINDS:
            if isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool)):
                return True
        elif isinstance(value, int) and 0 <= value < lengths[kind]:
            return True
    return False


def complaints(profile):
    """What of a profile isn't as SCHEMA says."""
    meta = profile["meta"]
    yield from (f"meta.{key}" for key, kind in SCHEMA["meta"].items() if not is_of(meta.get(key, ...), kind, {}))
    yield from (f"colour {one['color']}" for one in meta["categories"] if one["color"] not in SCHEMA["colors"] or not one["subcategories"])
    if "grey" not in [one["color"] for one in meta["categories"]]:
        yield "no default category"
    for number, thread in enumerate(profile["threads"]):
        lengths = {name: thread[name]["length"] for name in SCHEMA["tables"]}
        lengths |= {"stringArray": len(thread["stringArray"]), "categories": len(meta["categories"])}
        yield from (f"thread {number}: {key}" for key, kind in SCHEMA["thread"].items() if not is_of(thread.get(key, ...), kind, {}))
        for table, columns in SCHEMA["tables"].items():
            for column, kind in columns.items():
                values = thread[table].get(column)
                if values is None or len(values) != lengths[table] or not all(is_of(value, kind, lengths) for value in values):
                    yield f"thread {number}: {table}.{column}"
        yield from (f"thread {number}: stack {at} before its caller" for at, prefix in enumerate(thread["stackTable"]["prefix"]) if prefix is not None and prefix >= at)
        if thread["samples"]["time"] != sorted(thread["samples"]["time"]):
            yield f"thread {number}: times out of order"
        known = {one["name"] for one in meta["markerSchema"]}
        yield from (f"thread {number}: marker {one}" for one in thread["markers"]["data"] if one["type"] not in known)


def stacks_of(thread):
    """Function names from the root on, of each sample."""
    table, names = thread["stackTable"], [thread["stringArray"][name] for name in thread["funcTable"]["name"]]
    for stack in thread["samples"]["stack"]:
        path = []
        while stack is not None:
            path.append(names[thread["frameTable"]["func"][table["frame"][stack]]])
            stack = table["prefix"][stack]
        yield path[::-1]


def export(plumb, path, *words):
    done = subprocess.run([plumb, "export", *words, "-i", path], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


CODE, HEAP, READ, WRITE, EXEC = 0x400000, 0x10000000, 1, 2, 4


@pytest.fixture
def lost_way(tmp_path):
    """Chains that run into the heap and into nothing, as frame pointers do through code that has none; and code in made memory."""
    made = File(sample_type=IP | TID | TIME | CPU | PERIOD | CALLCHAIN)
    made.comm(700, 700, "app").mmap2(700, CODE, 0x1000, "/opt/app")
    made.mmap2(700, HEAP, 0x10000, "[heap]", protection=READ | WRITE).mmap2(700, HEAP + 0x100000, 0x10000, "//anon", protection=READ | EXEC)
    chains = [(CODE + 1, CODE + 2, HEAP + 8), (CODE + 1, CODE + 2, HEAP + 8, 0x55), (CODE + 1, CODE + 2), (CODE + 1, HEAP + 0x100008), (HEAP + 16,)]
    for at, chain in enumerate(chains):
        made.sample(700, chain[0], 10_000_000 + at, period=1, chain=(CONTEXT_USER, *chain))
    path = tmp_path / "perf.data"
    path.write_bytes(made.file())
    return path


def test_stacks_end_where_code_does(plumb, lost_way):
    folded = dict(line.rsplit(" ", 1) for line in export(plumb, lost_way, "folded").splitlines())
    assert folded == {"app;[app];[app]": "3", "app;[JIT] tid 700;[app]": "1", "app;[heap]": "1"}
    (thread,) = json.loads(export(plumb, lost_way, "firefox"))["threads"]
    assert sorted(map(tuple, stacks_of(thread))) == [("[JIT] tid 700", "[app]")] + [("[app]", "[app]")] * 3 + [("[heap]",)]


def test_firefox_is_as_its_format_says(plumb, tmp_path):
    made = File(sample_type=IP | TID | TIME | CPU | PERIOD | CALLCHAIN)
    made.comm(700, 700, "a \"thread\"").comm(700, 701, "other").mmap2(700, CODE, 0x1000, "/opt/app").mmap2(700, 0x800000, 0x1000, "/lib/libx.so.1")
    for at in range(30):
        tid = 700 + at % 2
        made.sample(700, CODE + 16, 10_000_000 + at * 1_000_000, period=1_000_000, chain=(CONTEXT_USER, CODE + 16, 0x800010, CODE + 32), tid=tid)
    path = tmp_path / "perf.data"
    path.write_bytes(made.file())
    profile = json.loads(export(plumb, path, "firefox"))
    assert list(complaints(profile)) == []
    first, second = profile["threads"]
    assert (first["name"], second["name"], first["isMainThread"], second["isMainThread"]) == ("a \"thread\"", "other", True, False)
    assert first["processName"] == second["processName"] == "a \"thread\"" and first["pid"] == "700" and second["tid"] == 701
    assert first["samples"]["time"] == [2 * at for at in range(15)] and profile["meta"]["interval"] == 1
    assert set(map(tuple, stacks_of(first))) == {("[app]", "[libx.so.1]", "[app]")}
    names = [profile["meta"]["categories"][one]["name"] for one in first["frameTable"]["category"]]
    assert sorted(names) == ["Library", "Program", "Program"]


def test_waits_and_losses_are_markers(plumb, tmp_path):
    LOST, SWITCH, OUT, PREEMPTED = 2, 14, 0x2000, 0x4000
    made = File(sample_type=IP | TID | TIME | CPU | PERIOD)
    made.comm(700, 700, "app").mmap2(700, CODE, 0x1000, "/opt/app")

    def switch(time, misc):
        made.record(SWITCH, made.trailer(700, 700, time), misc)
    made.sample(700, CODE + 16, 10_000_000)
    switch(11_000_000, OUT)
    switch(14_000_000, 0)
    made.sample(700, CODE + 16, 15_000_000)
    made.record(LOST, made.pack("QQ", 0, 5) + made.trailer(700, 700, 15_500_000), 0)
    switch(16_000_000, OUT | PREEMPTED)
    switch(17_000_000, 0)
    path = tmp_path / "perf.data"
    path.write_bytes(made.file())
    profile = json.loads(export(plumb, path, "firefox", "-q"))
    assert list(complaints(profile)) == []
    (thread,) = profile["threads"]
    names = [thread["stringArray"][name] for name in thread["markers"]["name"]]
    assert list(zip(names, thread["markers"]["startTime"], thread["markers"]["endTime"])) == [("Off CPU", 1, 4), ("Off CPU", 6, 7), ("Lost records", 5.5, None)]
    assert [one.get("why", one.get("count")) for one in thread["markers"]["data"]] == ["waited", "preempted", 5]


def test_schema_check_sees_what_is_wrong(plumb, lost_way):
    profile = json.loads(export(plumb, lost_way, "firefox"))
    assert list(complaints(profile)) == []
    profile["threads"][0]["stackTable"]["frame"][0] = 99
    profile["threads"][0]["funcTable"]["isJS"].pop()
    profile["meta"]["interval"] = "1"
    assert len(list(complaints(profile))) == 3


def test_anybodys_recordings(plumb, shared_data):
    for path in sorted((shared_data / "perf.data").glob("*.perf.data")):
        if path.name.startswith("hostile"):
            continue
        done = subprocess.run([plumb, "export", "firefox", "-q", "-i", path], capture_output=True, timeout=120)
        if done.returncode == 0:
            assert list(complaints(json.loads(done.stdout))) == [], path.name


@pytest.mark.parametrize("form", ["folded", "firefox", "pprof", "speedscope", "json", "csv"])
def test_samples_without_address_and_chain(plumb, tmp_path, form):
    """They are somewhere unknown, and nobody's memory is read for that."""
    made = File(sample_type=TID | TIME | CALLCHAIN).comm(7, 7, "app").mmap(7, CODE, 0x1000, "/opt/app")
    made.sample(7, 0, 10).sample(7, 0, 11, chain=(CONTEXT_USER, CODE + 1, CODE + 2)).sample(7, 0, 12)
    path = tmp_path / "perf.data"
    path.write_bytes(made.file())
    done = subprocess.run([plumb, "export", form, "-i", path], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    if form == "folded":
        assert done.stdout.decode().splitlines() == ["app;[app];[app] 1", "app;[unknown] 2"]


def test_firefox_holds_no_more_of_a_sample_than_its_time_thread_and_stack(plumb, tmp_path, sanitized):
    """600 000 samples: whole, and as text, they would take 80 MiB."""
    if sanitized:
        pytest.skip("sanitizers take memory of their own")
    recording = File(sample_type=IP | TID | TIME | PERIOD)
    recording.comm(7, 7, "prog").mmap2(7, 0x400000, 0x10000, "/nowhere/prog")
    ahead = len(recording.data)
    recording.sample(7, 0x400100, 0x0102030405060708)
    sample, count = bytes(recording.data[ahead:]), 600_000
    before, behind = sample.split(struct.pack("<Q", 0x0102030405060708))
    recording.data = recording.data[:ahead] + b"".join(before + struct.pack("<Q", 1000 * at) + behind for at in range(count))
    (tmp_path / "perf.data").write_bytes(recording.file())
    subprocess.run(["prlimit", f"--data={48 << 20}", plumb, "export", "firefox", "-q", "-i", tmp_path / "perf.data", "-o", tmp_path / "firefox.json"],
                   check=True)
    profile = json.loads((tmp_path / "firefox.json").read_text())
    assert profile["threads"][0]["samples"]["length"] == len(profile["threads"][0]["samples"]["time"]) == count and not list(complaints(profile))
