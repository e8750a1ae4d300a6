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
    (["-e", "cyclse", "true"], 2, "did you mean cycles"),
    (["-p", "x"], 2, "'x'"),
    (["-p", "1", "-a"], 2, "exclude each other"),
    (["--off-cpu", "true"], 2, "sched:sched_switch"),
    (["-S", "true"], 2, "plumb has no option '-S'"),
    (["--switch-output=1M", "true"], 2, "--max-size"),
    (["--aio", "true"], 2, "-m"),
    (["-n", "true"], 2, "plumb stat"),
    (["--filter", "a == 1", "-e", "cpu-clock", "true"], 2, "before the event"),
    (["-e", "cpu-clock", "--filter", "a == 1", "true"], 2, "'cpu-clock' is no tracepoint"),
    (["-e", "cpu-clock", "--exclude-perf", "true"], 2, "none is recorded"),
    (["-D", "soon", "true"], 2, "'soon'"),
    (["-D", "-1", "true"], 2, "--control"),
    (["--control", "file:x", "true"], 2, "fifo:CTL"),
    (["--control", "fd:99", "true"], 2, "'99' is no open"),
    (["--max-size", "huge", "true"], 2, "'huge'"),
    (["-r", "100", "true"], 2, "from 1 to 99"),
    (["-u", "no-such-user"], 2, "'no-such-user'"),
    (["-u", "1", "-p", "1"], 2, "exclude each other"),
    (["--user-callchains", "--kernel-callchains", "true"], 2, "exclude each other"),
    (["--strict-freq", "-F", "4000000000", "true"], 1, "more than the kernel allows"),
    (["-e", "cpu-clok", "true"], None, "cpu-clock"),
    (["-p", "4194304000"], None, "4194304000"),
])
def test_wrong_usage(run, tmp_path, words, status, expected):
    done = run("record", *words, cwd=tmp_path)
    assert done.returncode != 0 if status is None else done.returncode == status, done.stderr
    assert expected in done.stderr
    assert not list(tmp_path.iterdir()), "no file was made"
