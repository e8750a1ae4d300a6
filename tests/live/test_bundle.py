# SPDX-License-Identifier: GPL-3.0-or-later
"""The bundle works where nothing else is: as the only content of a root folder."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import run_program


@pytest.fixture(scope="module")
def bundle(source_root, sanitized, tmp_path_factory):
    if sanitized:
        pytest.skip("a bundle is made of the ordinary build, not of one with sanitizers")
    build = pathlib.Path(os.environ.get("PLUMB_BUILD") or source_root / "build")
    for program in ("scdoc", "strip", "ldd"):
        if not shutil.which(program):
            pytest.skip(f"no {program} here")
    folder = tmp_path_factory.mktemp("bundle") / "root"
    done = run_program(source_root / "packaging/bundle.py", "--build", build, "--folder", folder, timeout=300)
    if "is installed (Debian: " in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def program(bundle, tmp_path_factory):
    """A static program in the bundle's folder: busy for a moment, then ends with status 7."""
    source = tmp_path_factory.mktemp("program") / "busy.c"
    source.write_text("int main(void) { volatile unsigned long n = 0; while (n < 300000000ul) n++; return 7; }\n")
    subprocess.run(["cc", "-O1", "-static", "-o", bundle / "busy", source], check=True, timeout=60)
    return "/busy"


@pytest.fixture
def chrooted(bundle):
    """Run words with the bundle's folder as the root, and nothing in it but the bundle: no /proc, no /dev, no shell."""
    if os.geteuid() != 0:
        pytest.skip("only root can chroot")

    def run(*words, timeout=120):
        return run_program(*words, timeout=timeout, preexec_fn=lambda: (os.chroot(bundle), os.chdir("/")), executable=words[0],
                           env={"PATH": "/", "HOME": "/"})
    return run


def has_command(run, name):
    return re.search(rf"^  {name} ", run("help").stdout, re.M)


def test_starts_in_an_empty_root(chrooted, run):
    done = chrooted("/plumb", "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, run("--version").stdout, "")
    assert chrooted("/plumb", "nothing").returncode == 2


def test_starts_through_a_link_and_PATH(bundle, run, tmp_path):
    (tmp_path / "plumb").symlink_to(bundle / "plumb")
    done = run_program("sh", "-c", "cd / && plumb --version", env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert (done.stdout, done.stderr) == (run("--version").stdout, "")


def test_every_library_finds_what_it_needs_in_the_bundle(bundle, chrooted):
    loader = next((bundle / "lib").glob("ld-linux*"))
    libraries = [path for path in sorted((bundle / "lib").iterdir()) if path != loader]
    assert len(libraries) > 4
    for library in libraries:
        done = chrooted(f"/lib/{loader.name}", "--library-path", "/lib", "--list", f"/lib/{library.name}")
        assert done.returncode == 0 and "not found" not in done.stdout, f"{library.name}: {done.stdout}{done.stderr}"


def test_every_library_has_a_licence(bundle):
    notices = list((bundle / "share/licences").glob("*.copyright"))
    assert len(notices) > 4 and all(notice.stat().st_size for notice in notices)
    packages = (bundle / "share/licences/PACKAGES").read_text()
    assert all(f"\n{notice.stem} " in packages for notice in notices)
    assert (bundle / "share/licences/libiberty-dev.copyright").exists()  # linked into the program


def test_counts_in_an_empty_root(chrooted, run, program):
    if not has_command(run, "stat"):
        pytest.skip("this plumb has no stat")
    done = chrooted("/plumb", "stat", "-e", "task-clock", program)
    assert done.returncode == 7, done.stderr
    assert re.search(r"[\d.]+ +msec +task-clock", done.stderr), done.stderr


def test_says_what_it_can_in_an_empty_root(chrooted, run):
    if not has_command(run, "doctor"):
        pytest.skip("this plumb has no doctor")
    done = chrooted("/plumb", "doctor")
    assert done.returncode >= 0 and done.stdout, done.stderr


def test_records_and_reports_in_an_empty_root(bundle, chrooted, run, program):
    if not has_command(run, "record") or not has_command(run, "report"):
        pytest.skip("this plumb has no record and report")
    done = chrooted("/plumb", "record", "-o", "/recording", program)
    assert done.returncode == 7, done.stderr
    assert (bundle / "recording").stat().st_size > 0
    done = chrooted("/plumb", "report", "-i", "/recording")
    assert done.returncode == 0 and "main" in done.stdout, done.stdout + done.stderr


def test_diagnoses_in_an_empty_root(chrooted, run, program):
    if not has_command(run, "diagnose"):
        pytest.skip("this plumb has no diagnose")
    done = chrooted("/plumb", "diagnose", program)  # no /tmp either
    assert done.returncode == 7, done.stderr
    assert "HOT CODE" in done.stdout and "main" in done.stdout, done.stdout
    assert "has no AVX-512" not in done.stdout or "avx512f" not in pathlib.Path("/proc/cpuinfo").read_text()


def test_annotates_in_an_empty_root(bundle, chrooted, run, program):
    if not (bundle / "recording").exists():
        assert chrooted("/plumb", "record", "-o", "/recording", program).returncode == 7
    done = chrooted("/plumb", "annotate", "-i", "/recording")
    assert done.returncode == 0 and re.search(r"\bmain\b", done.stdout) and "%r" in done.stdout, done.stdout + done.stderr
