# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents are true where a program can tell: code in the HOWTOs compiles, files they name are there."""
import pathlib
import re
import shutil
import subprocess

import pytest

HOWTOS = ["doc/HOWTO_ADD_COMMAND.md", "doc/HOWTO_ADD_HYPOTHESIS.md"]
FOLDERS = "src|tests|doc|data|bench|packaging"
# What the HOWTOs tell to make, and patterns.
MADE_UP = re.compile(r"uptime|<|\*|fuzz_$|\{")


def whole_files(text):
    """The C blocks that are whole files, as their licence line says; list items are indented."""
    for block in re.findall(r"^( *)```c\n(.*?)^ *```", text, re.S | re.M):
        code = re.sub(rf"^{block[0]}", "", block[1], flags=re.M)
        if "SPDX-License-Identifier" in code:
            yield code


@pytest.mark.parametrize("howto", HOWTOS)
def test_code_compiles(source_root, tmp_path, howto):
    if not shutil.which("cc"):
        pytest.skip("no cc here")
    files = list(whole_files((source_root / howto).read_text()))
    if "COMMAND" in howto:
        assert files, "the example of a command is gone"
    for number, code in enumerate(files):
        source = tmp_path / f"{number}.c"
        source.write_text(code)
        done = subprocess.run(["cc", "-std=gnu17", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-missing-field-initializers", "-Werror",
                               "-D_GNU_SOURCE", "-fsyntax-only", f"-I{source_root}/src", source], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr


def test_named_files_exist(source_root):
    documents = [*source_root.glob("*.md"), *(source_root / "doc").rglob("*.md"), *(source_root / "doc").rglob("*.scd")]
    assert len(documents) > 10
    missing = []
    for document in documents:
        for name in re.findall(rf"(?<![\w/.-])((?:{FOLDERS})/[\w./*<>{{}}-]*[\w*>}}])", document.read_text()):
            if not MADE_UP.search(name) and not any((source_root / f"{name}{suffix}").exists() for suffix in ("", ".c", ".h")):
                missing.append(f"{document.relative_to(source_root)}: {name}")
    assert not missing


def test_the_page_of_hypotheses_is_what_the_table_says(plumb, source_root):
    tool = pathlib.Path(plumb).parent / "tests/hypotheses_page"
    if not tool.exists():
        pytest.skip("this build has no tests/hypotheses_page (make builds it)")
    made = subprocess.run([tool], capture_output=True, text=True, check=True, timeout=60).stdout
    assert made == (source_root / "doc/HYPOTHESES.md").read_text(), "run make hypotheses"


# The whole list that plumb promises to look at, by what a person calls it.
PROMISED = """small-pages cache-misses dram-latency l2-l3-latency load-chain memory-bandwidth stores contended-lines numa-remote extra-trips
branch-mispredicts machine-clears divider latency-chain port-pressure denormals narrow-vectors avx512-licence frequency front-end uop-cache
decoding smt-sharing 4k-aliasing store-forwarding spinning lock-turns unoptimised-build checking-code waiting cpu-quota steal oversubscribed
migrations page-faults system-calls interrupts timer-tick vm-exits host-small-pages swap thermal-power affinity""".split()


@pytest.mark.parametrize("name", ["L1 bound", "L3 bound", "DRAM bound", "store bound", "false sharing", "NUMA remote", "FP assists", "lock contention", "low clock"])
def test_causes_are_found_by_the_names_of_others(source_root, name):
    assert re.search(rf"^\| [^|]*{name}[^|]* \| `", (source_root / "doc/HYPOTHESES.md").read_text(), re.M)


@pytest.mark.parametrize("identity", PROMISED)
def test_each_cause_stands_there_with_its_rule(source_root, identity):
    page = (source_root / "doc/HYPOTHESES.md").read_text()
    own = re.search(rf"^### .*\(`{identity}`\)\n(.*?)(?=^##|\Z)", page, re.S | re.M)
    assert own, f"no {identity}"
    for line in ("Rule", "Recoverable time", "Cheapest experiment against it", "Needs"):
        assert re.search(rf"^- {line}: .{{5,}}", own[1], re.M), f"{identity}: no {line}"


def test_what_is_to_be_compared_switches_nothing_behind_plumbs_back(source_root):
    """plumb compare refuses runs between which the machine changed, unless a --treatment does it."""
    checks = [line for line in (source_root / "data/advice.txt").read_text().splitlines() if "plumb compare" in line]
    assert len(checks) > 10 and not [line for line in checks if "echo" in line or "/sys/" in line or "/proc/" in line]
