# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of another root: recorded there, read when root and process are gone."""
import os
import shutil
import subprocess

import pytest

PROGRAM = """
#include <unistd.h>
volatile long sum;
__attribute__((noinline)) void work_apart(long turns) { for (long at = 0; at < turns; at++) sum += at % 7; }
int main(int count, char **words)
{
    if (count > 1)
        unlink(words[1]);
    work_apart(400 * 1000 * 1000);
    return 0;
}
"""


@pytest.fixture
def root(tmp_path):
    """A folder with one program that needs nothing else."""
    if os.geteuid() != 0:
        pytest.skip("another root needs root")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler or not shutil.which("chroot"):
        pytest.skip("no C compiler, or no chroot")
    folder = tmp_path / "root" / "opt"
    folder.mkdir(parents=True)
    (tmp_path / "app.c").write_text(PROGRAM)
    done = subprocess.run([compiler, "-O1", "-static", "-Wl,--build-id", "-o", folder / "program-apart", tmp_path / "app.c"], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"can't build a static program: {done.stderr[-200:]}")
    return tmp_path / "root"


def record(plumb, folder, *words, command):
    home = folder / "home"
    home.mkdir(exist_ok=True)
    env = dict(os.environ, HOME=str(home))
    done = subprocess.run([plumb, "record", "-e", "cpu-clock", "-F", "999", "-o", folder / "perf.data", *words, "--", *command], env=env, capture_output=True, text=True, timeout=120)
    if done.returncode or not (folder / "perf.data").exists():
        pytest.skip(f"nothing can be recorded here: {done.stderr.strip()[-200:]}")
    return done, env


def names(plumb, folder, env):
    done = subprocess.run([plumb, "report", "--no-children", "-g", "none", "-i", folder / "perf.data", "-s", "dso,sym", "-t,"], env=env, capture_output=True, text=True, timeout=120)
    return done.stdout


def test_named_when_the_container_is_gone(plumb, root, tmp_path):
    done, env = record(plumb, tmp_path, command=["chroot", root, "/opt/program-apart"])
    shutil.rmtree(root)
    kept = [path for path in (tmp_path / "home" / ".debug").rglob("elf") if path.is_file()]
    assert len(kept) == 1 and "1 sampled binary that no path here leads to" in done.stderr
    assert "work_apart" in names(plumb, tmp_path, env)
    shown = subprocess.run([plumb, "annotate", "-s", "work_apart", "-i", tmp_path / "perf.data"], env=env, capture_output=True, text=True, timeout=120)
    assert "<work_apart>" in shown.stdout, shown.stderr


def test_a_diagnosed_program_of_another_root_has_names(plumb, root, tmp_path):
    """It has ended when its names are looked up, and its path leads nowhere from here."""
    env = dict(os.environ, HOME=str(tmp_path))
    done = subprocess.run([plumb, "diagnose", "--case", tmp_path / "case", "--", "chroot", root, "/opt/program-apart"], env=env, capture_output=True, text=True, timeout=120)
    if "HOT CODE" not in done.stdout:
        pytest.skip(f"nothing can be sampled here: {done.stderr.strip()[-200:]}")
    assert "work_apart" in done.stdout and "no file for" not in done.stdout, done.stdout
    assert "kept in ~/.debug" in done.stderr, done.stderr


def test_nothing_is_kept_when_not_wanted_or_not_needed(plumb, root, tmp_path):
    program = root / "opt" / "program-apart"
    done, env = record(plumb, tmp_path, command=[program])
    assert "work_apart" in names(plumb, tmp_path, env) and not (tmp_path / "home" / ".debug").exists() and "no path here" not in done.stderr
    record(plumb, tmp_path, "-N", command=["chroot", root, "/opt/program-apart"])
    assert not (tmp_path / "home" / ".debug").exists()


def test_a_program_that_was_deleted(plumb, root, tmp_path):
    program = root / "opt" / "program-apart"
    done, env = record(plumb, tmp_path, command=[program, program])
    if "no path here leads to" not in done.stderr:
        pytest.skip("its mapping was looked at before it was deleted")
    assert "work_apart" in names(plumb, tmp_path, env)


def test_two_builds_by_one_path(plumb, root, tmp_path):
    """Of two containers: their functions stand at the same place of a file of the same name, and are others."""
    other = tmp_path / "other"
    (other / "opt").mkdir(parents=True)
    (tmp_path / "other.c").write_text(PROGRAM.replace("work_apart", "work_other"))
    subprocess.run(["cc", "-O1", "-static", "-Wl,--build-id", "-o", other / "opt" / "program-apart", tmp_path / "other.c"], check=True)
    _, env = record(plumb, tmp_path, command=["sh", "-c", f"chroot {root} /opt/program-apart; chroot {other} /opt/program-apart"])
    shown = names(plumb, tmp_path, env)
    assert "work_apart" in shown and "work_other" in shown, shown
    lines = subprocess.run([plumb, "script", "-i", tmp_path / "perf.data", "-F", "comm,ip,sym"], env=env, capture_output=True, text=True, timeout=120).stdout
    assert 0.2 < lines.count(" work_apart") / max(1, lines.count(" work_apart") + lines.count(" work_other")) < 0.8, lines[:2000]
