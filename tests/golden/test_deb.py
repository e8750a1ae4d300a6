# SPDX-License-Identifier: GPL-3.0-or-later
"""make deb: dpkg takes it, and what it installs is complete."""
import gzip
import os
import pathlib
import shutil
import subprocess

import pytest


@pytest.fixture(scope="module")
def package(source_root, plumb, tmp_path_factory):
    for tool in ("dpkg-deb", "scdoc", "strip", "objdump"):
        if not shutil.which(tool):
            pytest.skip(f"no {tool} here")
    target = tmp_path_factory.mktemp("deb")
    done = subprocess.run([source_root / "packaging/deb.py", "--build", pathlib.Path(plumb).parent, "--into", target],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    (archive,) = target.glob("plumb_*.deb")
    return archive


def field(package, name):
    return subprocess.run(["dpkg-deb", "-f", package, name], capture_output=True, text=True, check=True).stdout.strip()


def test_what_it_says_of_itself(package, run):
    assert "plumb " + field(package, "Version") == run("--version").stdout.strip()
    depends = field(package, "Depends")
    assert depends.startswith("libc6 (>= 2.") and depends.endswith(", libjansson4"), "diagnose does nothing without it"
    recommended = field(package, "Recommends").split(", ")
    assert "libdw1" in recommended and "libzydis4.0" in recommended and "libllvm14" not in recommended


def test_dpkg_installs_it_with_pages_and_completions(package, source_root, run, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can let dpkg install into a folder")
    for folder in ("updates", "info"):
        (tmp_path / "var/lib/dpkg" / folder).mkdir(parents=True)
    for name in ("status", "available"):
        (tmp_path / "var/lib/dpkg" / name).touch()
    done = subprocess.run(["dpkg", f"--root={tmp_path}", "--force-depends", "-i", package], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    share = tmp_path / "usr/share"
    pages = {path.name for path in (share / "man/man1").iterdir()}
    assert pages == {path.stem + ".gz" for path in (source_root / "doc/man").glob("*.scd")}
    assert gzip.decompress((share / "man/man1/plumb.1.gz").read_bytes()).find(b'.TH "plumb" "1"') >= 0
    assert (share / "zsh/vendor-completions/_plumb").read_text().startswith("#compdef plumb")
    assert "complete " in (share / "bash-completion/completions/plumb").read_text()
    from conftest import run_program
    assert run_program(tmp_path / "usr/bin/plumb", "--version").stdout == run("--version").stdout
    assert "GPL-3" in (share / "doc/plumb/copyright").read_text()


def test_first_use_is_ten_lines(plumb):
    done = subprocess.run([plumb], capture_output=True, text=True, timeout=20)
    lines = done.stderr.splitlines()
    assert done.returncode == 2 and not done.stdout and len(lines) <= 10
    assert all(len(line) <= 100 for line in lines) and "plumb diagnose -- CMD" in done.stderr and "plumb doctor" in done.stderr
