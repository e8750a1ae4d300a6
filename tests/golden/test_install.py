# SPDX-License-Identifier: GPL-3.0-or-later
"""make install puts the program, its pages and its completions under DESTDIR and PREFIX."""
import os
import pathlib
import shutil
import subprocess

import pytest


@pytest.fixture(scope="module")
def installed(source_root, plumb, tmp_path_factory):
    if not shutil.which("scdoc"):
        pytest.skip("no scdoc here")
    target = tmp_path_factory.mktemp("install")
    done = subprocess.run([source_root / "packaging/install.sh", pathlib.Path(plumb).parent, "/opt/plumb"],
                          env=os.environ | {"DESTDIR": str(target)}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return target / "opt/plumb"


def test_program_runs(installed, run):
    from conftest import run_program
    assert run_program(installed / "bin/plumb", "--version").stdout == run("--version").stdout


def test_a_page_for_every_source(installed, source_root):
    pages = {path.name for path in (installed / "share/man/man1").iterdir()}
    assert pages == {path.stem for path in (source_root / "doc/man").glob("*.scd")}
    assert (installed / "share/man/man1/plumb.1").read_text().find('.TH "plumb" "1"') >= 0


def test_completions(installed):
    assert "complete " in (installed / "share/bash-completion/completions/plumb").read_text()
    assert (installed / "share/zsh/site-functions/_plumb").read_text().startswith("#compdef plumb")
    assert "complete -c plumb" in (installed / "share/fish/vendor_completions.d/plumb.fish").read_text()
