# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb record's command line: what is wrong with it is said, with the nearest right word, and nothing is started."""
import pytest


@pytest.mark.parametrize("words, status, expected", [
    ([], 2, "nothing to record"),
    (["--frequnecy", "1", "true"], 2, "unknown option '--frequnecy'"),
    (["--swich-events", "true"], 2, "--switch-events"),
    (["-F", "often", "true"], 2, "'often'"),
    (["-F", "0", "true"], 2, "-F max"),
    (["-F", "1", "-c", "1", "true"], 2, "exclude each other"),
    (["-c", "none", "true"], 2, "'none'"),
    (["--call-graph", "dwraf", "true"], 2, "there are fp, dwarf"),
    (["--call-graph", "dwarf,70000", "true"], 2, "at most 65528"),
    (["--call-graph", "fp,9", "true"], 2, "size"),
    (["--user-regs=zz", "true"], 2, "'zz' is no register"),
    (["-j", "anyy", "true"], 2, "there are u, k"),
    (["-k", "sundial", "true"], 2, "'sundial' is no clock"),
    (["-z99", "true"], 2, "from 1 to 22"),
    (["-m", "-4", "true"], 2, "pages"),
    (["--all-user", "--all-kernel", "true"], 2, "exclude each other"),
    (["-p", "x"], 2, "'x'"),
    (["-p", "1", "-a"], 2, "exclude each other"),
    (["-e", "cpu-clok", "true"], None, "cpu-clock"),
    (["-p", "4194304000"], None, "4194304000"),
])
def test_wrong_usage(run, tmp_path, words, status, expected):
    done = run("record", *words, cwd=tmp_path)
    assert done.returncode != 0 if status is None else done.returncode == status, done.stderr
    assert expected in done.stderr
    assert not list(tmp_path.iterdir()), "no file was made"
