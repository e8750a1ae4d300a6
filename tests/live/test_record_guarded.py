# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that the kernel lets nobody look into: nothing is sampled, and record says why."""
import os
import shutil

import pytest


@pytest.fixture
def other_users_program(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can give a program to another user")
    program = tmp_path / "guarded"
    shutil.copy("/bin/true", program)
    os.chown(program, 65534, 65534)
    os.chmod(program, 0o4755)
    if os.statvfs(tmp_path).f_flag & os.ST_NOSUID:
        pytest.skip("the temporary folder is mounted nosuid")
    return program


def test_nothing_sampled_of_a_setuid_program_is_explained(run, other_users_program, tmp_path):
    done = run("record", "-e", "page-faults:u", "-c", "1", "-o", tmp_path / "out", "--", other_users_program)
    if " 0 samples" not in done.stderr:
        pytest.skip("this kernel sampled it: " + done.stderr)
    assert "setuid" in done.stderr and "detaches" in done.stderr


def test_a_plain_program_without_samples_is_not_said_to_be_guarded(run, tmp_path):
    done = run("record", "-e", "alignment-faults", "-o", tmp_path / "out", "--", "true")
    assert "setuid" not in done.stderr


def test_cpus_are_sampled_whoever_runs(run, other_users_program, tmp_path):
    done = run("record", "-a", "-e", "alignment-faults", "-o", tmp_path / "out", "--", other_users_program)
    assert "detaches" not in done.stderr
