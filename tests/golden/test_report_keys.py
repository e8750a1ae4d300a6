# SPDX-License-Identifier: GPL-3.0-or-later
"""Sort keys of `plumb report` that aren't where or who, and rows by levels: of recordings made here, so that each number is known."""
import re

import pytest

import perf_data_file as made
from perf_data_file import ADDR, DATA_SRC, IP, PERIOD, TID, TIME, WEIGHT, File

L1, RAM = 0x100142, 0x101042  # loads that the first cache, or memory, answered; no snoop, no lock


@pytest.fixture
def report(run, tmp_path):
    def read(recording, *words, status=0):
        path = tmp_path / "perf.data"
        path.write_bytes(recording.file())
        done = run("report", "-g", "none", "--no-children", "-i", str(path), *words)
        assert done.returncode == status, done.stderr
        return done.stderr if status else [re.sub(r"\s+", " ", line).strip() for line in done.stdout.splitlines()
                                           if line.strip() and not line.startswith("#")]
    return read


def accesses():
    recording = File(sample_type=IP | TID | TIME | PERIOD | ADDR | WEIGHT | DATA_SRC)
    recording.comm(7, 7, "prog").mmap2(7, 0x400000, 0x1000, "/nowhere/prog").mmap2(7, 0x700000, 0x1000, "/nowhere/table", protection=1)
    for time, weight, source, addr in ((1, 10, L1, 0x700010), (2, 10, L1, 0x700020), (3, 80, RAM, 0), (150_000_003, 0, RAM, 0)):
        recording.sample(7, 0x400100, time, period=1000, weight=weight, data_src=source, addr=addr)
    return recording


def test_weights_of_one_and_of_all(report):
    assert report(accesses(), "-s", "local_weight") == ["50.00% 10", "25.00% 0", "25.00% 80"]
    assert report(accesses(), "-s", "weight") == ["50.00% 20", "25.00% 0", "25.00% 80"]


def test_what_memory_answered(report):
    assert report(accesses(), "-s", "mem,locked,dso_daddr") == ["50.00% L1 hit No table", "50.00% Local RAM hit No [unknown]"]


def test_accesses_count_with_their_weight(report):
    assert report(accesses(), "--mem-mode", "-s", "mem") == ["80.20% Local RAM hit", "19.80% L1 hit"]  # 81 and 20 of 101
    usual = report(accesses(), "--mem-mode")
    assert usual[0].startswith("79.21% 80 Local RAM hit [.] 0x") and len(usual) == 3


def test_slices_of_time(report):
    assert report(accesses(), "-s", "time") == ["75.00% 0.000000", "25.00% 0.100000"]


def test_numbers_are_columns_too(report):
    assert report(accesses(), "-s", "period,sample,comm") == ["100.00% 4000 4 prog"]
    assert report(accesses(), "-s", "+tid") == ["100.00% prog prog [.] 0x0000000000000100 7:prog"]


def test_what_the_recording_lacks_is_said(report):
    plain = made.small()
    for key, hint in (("mem", "record -d"), ("weight", "record -W"), ("trace", "record -e")):
        said = report(plain, "-s", key, status=2)
        assert f"nothing that '{key}' could show" in said and hint in said
    assert "holds no memory accesses" in report(plain, "--mem-mode", status=2)
    assert "unknown sort key 'smybol'" in report(plain, "-s", "smybol", status=2)
    assert "did you mean symbol" in report(plain, "-s", "smybol", status=2)
    assert "leave out --fields" in report(plain, "--hierarchy", "-F", "overhead,sym", status=2)


def test_rows_by_levels(report, run, tmp_path):
    recording = made.small()
    recording.comm(9, 9, "other").mmap(9, 0x400000, 0x2000, "/nowhere/prog", offset=0x1000)
    recording.sample(9, 0x400200, 4000000, period=6000)
    path = tmp_path / "perf.data"
    path.write_bytes(recording.file())
    done = run("report", "--hierarchy", "-g", "none", "-i", str(path), "-s", "comm,dso")
    assert done.stdout.split("#\n")[-1].rstrip().split("\n") == [
        "    50.00%     other",
        "       50.00%     prog",
        "    50.00%     prog",
        "       25.00%     prog",
        "       16.67%     libx.so",
        "        8.33%     [kernel.kallsyms]"]
    assert "#    Overhead  Command / Shared Object\n# ...........  ......................." in done.stdout
    limited = run("report", "-q", "--hierarchy", "-g", "none", "-i", str(path), "-s", "comm,dso,sym", "--percent-limit", "30").stdout
    assert limited.split("\n")[3:5] == ["    50.00%        prog", " " * 21 + "no entry >= 30.00%"]


def test_levels_of_an_event_group(report):
    recording = File(sample_type=IP | TID | TIME | PERIOD | made.IDENTIFIER, events=2)
    recording.comm(7, 7, "prog").mmap2(7, 0x400000, 0x1000, "/nowhere/prog")
    recording.sample(7, 0x400100, 1, period=30)
    recording.sample(7, 0x400100, 2, period=10, event=1)
    recording.sample(7, 0x500100, 3, period=10)
    assert report(recording, "--group", "--hierarchy", "-s", "comm,dso", "-n")[:2] == ["100.00% 100.00% 2 1 prog", "75.00% 100.00% 1 1 prog"]


def test_shares_of_the_recordings_time(report):
    recording = File(sample_type=IP | TID | TIME | PERIOD)
    recording.comm(7, 7, "prog")
    for at in range(11):
        recording.comm(7, 7, f"turn{at:02}", time=1000 + 100 * at).sample(7, 0x400100, 1000 + 100 * at, period=1)
    recording.feature(21, recording.pack("QQ", 1000, 2000))
    turns = lambda *words: sorted(row.split()[1] for row in report(recording, "-s", "comm", "--time", *words))
    assert turns("0%-20%") == ["turn00", "turn01", "turn02"]
    assert turns("0%-10%,50%-60%") == ["turn00", "turn05", "turn06"]  # the end of all but the last is not within
    assert turns("50%/2") == ["turn05", "turn06", "turn07", "turn08", "turn09", "turn10"]
    for wrong in ("5%", "20%-10%", "0%-101%", "50%/3", ",".join(["0%-1%"] * 17)):
        assert "is not a stretch of time" in report(recording, "--time", wrong, status=2)
    plain = File(sample_type=IP | TID | TIME | PERIOD)
    plain.comm(7, 7, "prog").sample(7, 0x400100, 5, period=1)
    assert "doesn't say when its samples begin and end" in report(plain, "--time", "0%-10%", status=2)
