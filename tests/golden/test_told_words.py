# SPDX-License-Identifier: GPL-3.0-or-later
"""The words that people's sentences are read by: each group is used, and what could never be found is refused."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def generate(tmp_path, text):
    (tmp_path / "words.txt").write_text(text)
    done = subprocess.run([sys.executable, ROOT / "data/generate_told_words.py", tmp_path / "words.txt", tmp_path / "groups.h", tmp_path / "groups.c"],
                          capture_output=True, text=True)
    return done.stderr if done.returncode else (tmp_path / "groups.h").read_text() + (tmp_path / "groups.c").read_text()


def test_words_and_kinds(tmp_path):
    said = generate(tmp_path, '[a.one] says so\ngap*, may, "plan ,"\n[a.of two]\n{a.one}, <end>\n')
    assert "WORDS_NONE,\n    WORDS_A_ONE,\n    WORDS_A_OF_TWO,\n" in said
    assert '"gap\\000may \\000plan , \\000\\000"\n    "gap\\000may \\000plan , \\000\\004\\000\\000"' in said
    assert "words_begin[] = {0, 1, 19};" in said


@pytest.mark.parametrize("text, why", [
    ("[a]\nGap\n", "lower case"), ("[a]\ngap, gap\n", "twice"), ("gap\n", "in no group"), ("[a]\n[b]\ngap\n", "[a] has 0 words"),
    ("[a]\n{b}\n", "no group [b]"), ("[a, 1]\ngap, may\n", "[a] has 2 words"), ("[a]\ngap\n[a]\nmay\n", "a new name"), ('[a]\n"gap\n', "expected words")])
def test_refused(tmp_path, text, why):
    assert why in generate(tmp_path, text)


def test_each_group_is_used():
    data = (ROOT / "data/told_words.txt").read_text()
    code = "".join(path.read_text() for path in (ROOT / "src").rglob("*.c"))
    names = re.findall(r"^\[([a-z. ]+)", data, re.MULTILINE)
    assert len(names) > 200
    unused = [name for name in names if not re.search(rf"\bWORDS_{re.sub('[. ]', '_', name).upper()}\b", code) and f"{{{name}}}" not in data]
    assert not unused
