# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb diff on recordings made here, whose shares are known."""
import json
import pathlib
import re
import subprocess

import pytest

from perf_data_file import CPU, IP, PERIOD, TID, TIME, File

PROGRAM = 0x400000


def recording(path, functions, samples=2000, comm="app", event_pid=700):
    """functions: {index of a page in the program: share}; samples go round so that every slice of time holds the same shares."""
    made = File(sample_type=IP | TID | TIME | PERIOD)
    made.comm(event_pid, event_pid, comm).mmap2(event_pid, PROGRAM, 0x100000, "/opt/app").mmap2(event_pid, 0x800000, 0x100000, "/opt/lib.so")
    order = [place for place, share in functions.items() for _ in range(round(share * 100))]
    assert len(order) == 100
    for at in range(samples):
        made.sample(event_pid, order[at * 37 % 100], 10_000_000 + at * 1_000_000, period=1_000_000)
    path.write_bytes(made.file())
    return path


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diff")
    return (recording(folder / "a", {PROGRAM + 16: 0.6, 0x800010: 0.4}), recording(folder / "b", {PROGRAM + 16: 0.3, 0x800010: 0.7}, event_pid=701))


def rows_of(plumb, *words):
    done = subprocess.run([plumb, "diff", "--json", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["schema"] == "plumb-diff-1"
    return [{tuple(row["name"].values()): row for row in one["rows"]} for one in document["comparisons"]]


def test_shares_and_marks(plumb, pair):
    (rows,) = rows_of(plumb, *pair)
    app, lib = rows["app", "[.] (no name)"], rows["lib.so", "[.] (no name)"]
    assert (app["a_share"], app["b_share"], lib["a_share"], lib["b_share"]) == (0.6, 0.3, 0.4, 0.7)
    assert app["real"] and lib["real"] and app["difference"]["high"] < 0 < lib["difference"]["low"]
    assert app["false_discovery_rate"] < 1e-6 and app["a_period"] == 1200e6 and app["state"] == "both"


def test_the_same_is_no_difference(plumb, pair):
    (rows,) = rows_of(plumb, pair[0], pair[0])
    assert not any(row["real"] for row in rows.values()) and all(row["difference"]["low"] < 0 < row["difference"]["high"] for row in rows.values())


@pytest.mark.parametrize("a, b, alike", [("cpu-clock:ppp", "cpu-clock", True), ("cycles:up", "cycles:u", True), ("cycles:u", "cycles", False), ("cpu-clock:P", "cpu-clock:pp", True),
                                         ("one", "other", False), ("ours:pp", "ours", True)])
def test_one_event_sampled_more_or_less_precisely(plumb, tmp_path, a, b, alike):
    """perf asks for :ppp where nothing is said, plumb doesn't."""
    for name in (a, b):
        made = File()
        made.comm(7, 7, "app").mmap2(7, PROGRAM, 0x100000, "/opt/app")
        for at in range(100):
            made.sample(7, PROGRAM + 16, 1000 + at)
        made.feature(12, made.pack("II", 1, 128) + made.attr(0) + made.pack("II", 0, 64) + name.encode().ljust(64, b"\0"))
        (tmp_path / name).write_bytes(made.file())
    done = subprocess.run([plumb, "diff", tmp_path / a, tmp_path / b], capture_output=True, text=True, timeout=60)
    assert ("A %" in done.stdout) == alike, done.stderr
    assert alike or f"holds no samples of event '{a}'" in done.stderr


def test_keys_and_lists(plumb, pair):
    (rows,) = rows_of(plumb, "-s", "comm,pid,dso", *pair)
    assert ("app", "700", "app") in rows and rows["app", "700", "app"]["state"] == "gone" and rows["app", "701", "lib.so"]["state"] == "new"
    (rows,) = rows_of(plumb, "-s", "dso", "-d", "lib.so", *pair)
    assert list(rows) == [("lib.so",)] and rows["lib.so",]["a_share"] == 0.4, "of everything"


def test_samples_that_pass(plumb, tmp_path):
    """The first second of one process in the program, the next of another in the library; CPU 0 and 1 in turn."""
    made = File(sample_type=IP | TID | TIME | PERIOD | CPU)
    for pid in 700, 701:
        made.comm(pid, pid, "app").mmap2(pid, PROGRAM, 0x100000, "/opt/app").mmap2(pid, 0x800000, 0x100000, "/opt/lib.so")
    for at in range(2000):
        first = at < 1000
        made.sample(700 if first else 701, PROGRAM + 16 if first or at % 2 else 0x800010, 10_000_000_000 + at * 1_000_000, cpu=at % 2)
    path = tmp_path / "both"
    path.write_bytes(made.file())

    def shares(*words):
        (rows,) = rows_of(plumb, "-s", "dso", *words, path, path)
        return {name[0]: (row["a_share"], row["b_share"]) for name, row in rows.items()}
    assert shares() == {"app": (0.75, 0.75), "lib.so": (0.25, 0.25)}
    assert shares("--pid", "701") == {"app": (0.5, 0.5), "lib.so": (0.5, 0.5)}
    assert shares("--tid", "700") == {"app": (1, 1)}
    assert shares("--cpu", "0") == {"app": (0.5, 0.5), "lib.so": (0.5, 0.5)}
    assert shares("--time", "11,") == {"app": (0.5, 0.5), "lib.so": (0.5, 0.5)}
    assert shares("--time", ",10.9995:11,") == {"app": (1, 0.5), "lib.so": (0, 0.5)}
    for words, reason in ((["--time", "90,"], "no samples that pass"), (["--time", "1,2:x"], "'x' is not a stretch of time"), (["--cpu", "a"], "not a list of CPUs")):
        done = subprocess.run([plumb, "diff", *words, path, path], capture_output=True, text=True, timeout=60)
        assert done.returncode in (1, 2) and reason in done.stderr, done.stderr


def test_cpus_of_a_recording_without(plumb, pair):
    done = subprocess.run([plumb, "diff", "--cpu", "0", *pair], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "doesn't say which CPU" in done.stderr


def test_sides(plumb, pair, tmp_path):
    """Each file is a side beside the first; with -- those between two are one."""
    a, b = pair
    several = rows_of(plumb, a, b, a)
    assert [rows["lib.so", "[.] (no name)"]["b_share"] for rows in several] == [0.7, 0.4]
    other = recording(tmp_path / "other", {PROGRAM + 16: 0.5, 0x800010: 0.5})
    (rows,) = rows_of(plumb, a, other, "--", b, b)
    assert abs(rows["lib.so", "[.] (no name)"]["a_share"] - 0.45) < 1e-9 and rows["lib.so", "[.] (no name)"]["b_share"] == 0.7


def test_text_and_its_order(plumb, pair):
    def lines(*words):
        done = subprocess.run([plumb, "diff", "-q", *words, *pair], capture_output=True, text=True, timeout=60, check=True)
        return done.stdout.splitlines()
    assert re.match(r" +60\.00 +30\.00 +-30\.00 +\[ *-\d+\.\d\d, *-\d+\.\d\d\] \* +app +\[\.\] \(no name\)$", lines()[0])
    assert "lib.so" in lines("--order", "grown")[0] and "lib.so" in lines("-o", "b")[0] and "app" in lines("-o", "a")[0]
    assert " 1200.000 " in lines("-p")[0]
    assert lines("--percent-limit", "65") == lines("-d", "lib.so")


def test_defaults_are_perf_s(plumb, pair, tmp_path):
    (tmp_path / "perf.data.old").write_bytes(pair[0].read_bytes())
    (tmp_path / "perf.data").write_bytes(pair[1].read_bytes())
    def heading(*words):
        done = subprocess.run([plumb, "diff", *words], capture_output=True, text=True, timeout=60, cwd=tmp_path, check=True)
        return [line[2:] for line in done.stdout.splitlines()[:2]]
    assert heading() == ["A: perf.data.old (2000 samples)", "B: perf.data (2000 samples)"]
    assert heading(str(pair[0])) == ["A: perf.data.old (2000 samples)", f"B: {pair[0]} (2000 samples)"]


def test_too_few_samples_are_said(plumb, pair, tmp_path):
    few = recording(tmp_path / "few", {PROGRAM + 16: 0.6, 0x800010: 0.4}, samples=100)
    done = subprocess.run([plumb, "diff", pair[0], few], capture_output=True, text=True, timeout=60)
    assert done.returncode == 4 and "too few samples" in done.stdout and "*" not in done.stdout
    document = json.loads(subprocess.run([plumb, "diff", "--json", pair[0], few], capture_output=True, text=True, timeout=60).stdout)
    assert document["comparisons"][0]["spread"] is None and document["comparisons"][0]["rows"][0]["difference"] is None


def test_wrong_words(plumb, pair, tmp_path):
    def fails(*words):
        done = subprocess.run([plumb, "diff", *words], capture_output=True, text=True, timeout=60, cwd=tmp_path)
        return done.returncode, done.stderr
    assert fails()[0] == 1 and "perf.data.old" in fails()[1]
    assert fails("-s", "dso_from", *pair)[0] == 2 and fails("-o", "size", *pair)[0] == 2 and fails(*pair, "--")[0] == 2
    assert fails(pair[0], "--", pair[1], "-p")[0] == 2
    assert "'cycles:x'" in fails("-e", "cycles:x", *pair)[1] and "'nobody'" in fails("--by-instruction", "nobody", *pair)[1]


def test_cells_for_spreadsheets(plumb, pair):
    def lines(*words):
        return subprocess.run([plumb, "diff", *words, *pair], capture_output=True, text=True, timeout=60).stdout.splitlines()
    cells = [line.split(";") for line in lines("-q", "-t", ";")]
    assert len(cells) == 2 and all(len(row) == 9 for row in cells) and {row[7] for row in cells} == {"app", "lib.so"}
    assert all(float(row[3]) < float(row[2]) < float(row[4]) and row[5] == "*" for row in cells)
    assert lines("-t", ",")[-3] == "# A %,B %,B - A,low,high,real,state,dso,symbol"
    new = [row for row in (line.split(",") for line in lines("-q", "-t,", "-s", "pid")) if row[6] == "new"]
    assert new and new[0][0] == ""


def test_shares_are_perf_diff_s(plumb, pair):
    """perf's own diff of the same files, where there is one."""
    try:
        done = subprocess.run(["perf", "diff", "-f", "-s", "dso", *pair], capture_output=True, text=True, timeout=60)
    except FileNotFoundError:
        pytest.skip("no perf here")
    if done.returncode:
        pytest.skip(f"perf diff can't: {done.stderr}")
    theirs = {line.split()[2]: (float(line.split()[0].rstrip("%")), float(line.split()[1].rstrip("%")))
              for line in done.stdout.splitlines() if line.strip() and not line.startswith("#")}
    (rows,) = rows_of(plumb, "-s", "dso", *pair)
    ours = {name[0]: (100 * row["a_share"], 100 * (row["b_share"] - row["a_share"])) for name, row in rows.items()}
    assert set(theirs) == set(ours)
    assert all(abs(ours[name][at] - theirs[name][at]) < 0.006 for name in ours for at in range(2))


def test_names_that_nothing_has_are_said(plumb, pair):
    """perf diff -c ratio asks for a way of computing: an empty table alone would look like no difference."""
    def notes(*words):
        done = subprocess.run([plumb, "diff", *words, *pair], capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, 4), done.stderr
        return [line for line in done.stderr.splitlines() if "no sample is of" in line]
    ratio = notes("-c", "ratio")
    assert len(ratio) == 1 and "--comms ratio" in ratio[0] and "perf's -c" in ratio[0]
    assert len(notes("--dsos", "nosuch")) == 1
    assert not notes("-c", "app") and not notes("-q", "-c", "ratio")


def test_without_recordings_it_says_which_it_looked_for(run, tmp_path):
    done = run("diff", cwd=tmp_path)
    assert done.returncode == 1 and "perf.data.old" in done.stderr and "plumb diff BEFORE AFTER" in done.stderr
    recording(tmp_path / "perf.data.old", {PROGRAM + 16: 1})
    recording(tmp_path / "perf.data", {PROGRAM + 16: 1})
    assert run("diff", cwd=tmp_path).returncode == 0
