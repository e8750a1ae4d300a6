# SPDX-License-Identifier: GPL-3.0-or-later
"""A result that is sent to a device: the device is written or refused, and is still a device afterwards."""
import os
import stat

import pytest

COMMANDS = [
    ("record", "-o", "DEVICE", "--", "true"),
    ("record", "-e", "nosuch:event", "-o", "DEVICE", "--", "true"),
    ("record", "-o", "DEVICE", "--", "/nonexistent"),
    ("stat", "-o", "DEVICE", "--", "true"),
    ("stat", "--append", "-o", "DEVICE", "--", "true"),
    ("doctor", "--snapshot", "DEVICE"),
    ("compare", "--export-hyperfine", "DEVICE", "-n", "2", "--", "true", "--", "true"),
    ("diagnose", "--case", "DEVICE", "--", "true"),
]


@pytest.fixture(params=[7, 3], ids=["full", "null"])
def device(request, tmp_path):
    path = tmp_path / "device.tar"
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, request.param))
        with open(path, "wb"):
            pass
    except PermissionError:
        pytest.skip("device nodes can't be made or opened in the temporary folder")
    return path, request.param == 7


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_device_stays(run, device, command):
    path, full = device
    done = run(*[str(path) if word == "DEVICE" else word for word in command])
    assert stat.S_ISCHR(os.lstat(path).st_mode), done.stderr
    assert os.listdir(path.parent) == [path.name]
    if full:
        assert done.returncode != 0 and done.stderr


def test_a_page_that_was_not_written_is_a_failure_whatever_was_found(run):
    done = run("diagnose", "-q", "--html", "/dev/full", "--", "true")
    assert done.returncode == 1 and "can't write '/dev/full': No space left on device" in done.stderr, done


@pytest.mark.parametrize("command", [("list",), ("stat", "--help"), ("doctor", "--json"), ("topdown", "--help"),
                                     ("topdown", "--print-perf", "--cpu", "SKX", "--", "true")], ids=" ".join)
def test_a_result_that_does_not_fit_says_why(run, command):
    with open("/dev/full", "w") as full:
        done = run(*command, stdout=full)
    assert done.returncode == 1 and "No space left on device" in done.stderr, done


def test_recording_to_a_fifo_that_is_refused_leaves_it(run, tmp_path):
    path = tmp_path / "fifo"
    os.mkfifo(path)
    done = run("record", "-e", "nosuch:event", "-o", str(path), "--", "true")
    assert done.returncode != 0
    assert stat.S_ISFIFO(os.lstat(path).st_mode)


def test_what_is_no_file_is_not_overwritten_by_the_last_recording(run, tmp_path):
    path, old = tmp_path / "out", tmp_path / "out.old"
    path.write_text("kept")
    os.mkfifo(old)
    done = run("record", "-o", str(path), "--", "true")
    assert done.returncode != 0 and "out.old" in done.stderr
    assert stat.S_ISFIFO(os.lstat(old).st_mode) and path.read_text() == "kept"
