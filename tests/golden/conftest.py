# SPDX-License-Identifier: GPL-3.0-or-later
"""What several of the golden tests have in common."""
import json

import pytest


@pytest.fixture
def imported(run, tmp_path):
    """imported(name=text, …) -> the JSON of a case made of these files, and the case's folder."""
    def make(*say, **texts):
        case, words = tmp_path / "case", []
        for name, text in texts.items():
            (tmp_path / f"{name}.txt").write_text(text)
            words += ["--import", tmp_path / f"{name}.txt"]
        for sentence in say:
            words += ["--say", sentence]
        finished = run("diagnose", "--json", "--case", case, *words)
        assert finished.returncode in (0, 4), finished.stderr
        assert run("diagnose", "--json", "--case", case).stdout == finished.stdout, "a replay is the same"
        return json.loads(finished.stdout), case
    return make
