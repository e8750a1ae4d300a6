# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks of the tree can fail: each is shown what it must catch."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest


@pytest.fixture(scope="session")
def load(source_root):
    def module(name):
        spec = importlib.util.spec_from_file_location(name, source_root / "tests" / f"{name}.py")
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        return loaded
    return module


@pytest.mark.parametrize("folder, line, expected", [
    ("base", "strcpy(a, b);", "strcpy is banned"),
    ("base", "x = atoi(text);", "atoi is banned"),
    ("base", "/* strcpy(a, b) */", None),
    ("base", 'f("strcpy(a)");', None),
    ("base", "kernel->system(x);", None),
    ("base", "my_strcpy(a);", None),
    ("model", 'printf("x");', "only command/"),
    ("model", "fputs(s, stderr);", "only command/"),
    ("command", "fputs(s, stderr);", None),
    ("analyse", "double busy_percent;", "percent is what people"),
    ("render", "double busy_percent;", None),
])
def test_lint_c(load, folder, line, expected):
    said = [what for _, what in load("lint").check_c(None, folder, line + "\n")]
    assert [expected in what for what in said] == ([True] if expected else [])


def test_lint_names_and_licences(load, tmp_path, monkeypatch):
    lint = load("lint")
    monkeypatch.setattr(lint, "ROOT", tmp_path)
    bad = tmp_path / "src/common/thing.c"
    bad.parent.mkdir(parents=True)
    bad.write_text("int x;\n")
    said = "\n".join(lint.check_names([bad]))
    assert "'common' says nothing" in said and "no SPDX" in said
    bad.write_text("// SPDX-License-" + "Identifier: MIT\n")
    assert list(lint.check_licences([bad])) == ["src/common/thing.c: LICENSES has no MIT.txt"]
    bad.write_text(f'"{tmp_path}/file"\n')
    assert "names this machine's folder" in "\n".join(lint.check_places([bad]))


def test_lint_mutable_global(load, tmp_path):
    source = tmp_path / "src_a_b.c"
    source.write_text("int counter; static int kept = 3; const int fixed = 4; const char *const names[] = {\"a\"};"
                      "int next(void) { static int calls; return ++calls + kept++ + fixed; }")
    subprocess.run(["cc", "-fPIC", "-c", source, "-o", tmp_path / "src_a_b.c.o"], check=True)
    found = {symbol.split(".")[0] for _, symbol in load("lint").mutables_of([tmp_path / "src_a_b.c.o"])}
    assert found == {"counter", "kept", "calls"}


def test_layers_catch_an_upward_include(load, tmp_path, monkeypatch):
    layers = load("layers")
    rules = layers.allowed_includes()
    monkeypatch.setattr(layers, "ROOT", tmp_path)
    folder = tmp_path / "src/base"
    folder.mkdir(parents=True)
    (folder / "a.c").write_text('#include "model/samples.h"\n#include <dwarf.h>\n#include "base/error.h"\n')
    said = list(layers.violations(rules))
    assert len(said) == 2 and "may not include model/" in said[0] and "dwarf.h" in said[1]


def test_summary_line_counts_and_fails(load, capsys):
    run = load("run")
    results = [run.Result("a", "passed", ""), run.Result("b", "skipped", "no PMU here"), run.Result("c", "failed", "why")]
    assert run.summary(results, 1) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "1 passed, 1 failed, 1 skipped"
    assert "skipped: b: no PMU here" in lines and "failed: c: why" in lines
    assert run.summary(results[:2], 1) == 0
    assert run.summary([], 1) == 1  # nothing ran: no success


def test_criterion_results_are_read(load):
    run = load("run")
    tap = ("TAP version 13\n1..4\nok - a::fine  (0.00s)\nok - a::later  # SKIP no data: here\n"
           "not ok - a::bad  (0.00s)\nnot ok - a::crash unexpected signal after x.c:7\n")
    assert [(result.outcome, result.detail) for result in run.tap_results("unit", tap)][1] == ("skipped", "no data: here")
    assert [result.outcome for result in run.tap_results("unit", tap)] == ["passed", "skipped", "failed", "failed"]


def test_manuals_catch_what_is_missing(load, tmp_path):
    check = load("check_manuals")
    plumb = tmp_path / "plumb"
    plumb.write_text("#!/bin/sh\necho '  -a, --all      everything'\necho '      --only X   one'\necho '  -x SEP   separator'\n")
    plumb.chmod(0o755)
    said = list(check.check_page(plumb, "thing", tmp_path))
    assert said == ["thing: no manual page plumb-thing.1.scd"]
    page = tmp_path / "plumb-thing.1.scd"
    page.write_text("plumb-thing(1)\n\n# OPTIONS\n\n*-a*, *--all*\n\tEverything.\n\n*--gone*\n\tNo more.\n")
    assert sorted(said.split(": ")[1] for said in check.check_page(plumb, "thing", tmp_path)) == [
        "--gone is in the page, but not in the table", "--only is in the table, but not in the page",
        "-x is in the table, but not in the page"]


def test_manuals_catch_what_groff_says(load, monkeypatch, tmp_path):
    check = load("check_manuals")
    groff = tmp_path / "groff"
    groff.write_text("#!/bin/sh\ncat >/dev/null\necho '<standard input>:3: warning: macro X not defined' >&2\n")
    scdoc = tmp_path / "scdoc"
    scdoc.write_text("#!/bin/sh\ncat\n")
    for program in (groff, scdoc):
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert list(check.rendering("a.scd", "text")) == ["a.scd: groff: <standard input>:3: warning: macro X not defined"]


def test_bundle_knows_every_library(source_root, monkeypatch):
    monkeypatch.syspath_prepend(str(source_root / "packaging"))
    import bundle
    tables = bundle.library_tables()
    assert len(tables) >= 5 and all(names and package != "?" for names, package in tables), tables


LEAK_LOG = """
=================================================================
==22413==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 64 byte(s) in 1 object(s) allocated from:
    #0 0x55d0a1 in calloc (/x/build/plumb+0x55d0a1)
    #1 0x60d0a1 in thing_new /x/src/base/thing.c:12:9
    #2 0x60d0b2 in run_stat /x/src/command/stat.c:300:14
    #3 0x7f1 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16

SUMMARY: AddressSanitizer: 64 byte(s) leaked in 1 allocation(s).
"""


def test_sanitizer_summary_names_the_stack_and_the_test(load, tmp_path):
    run = load("run")
    logs = load("sanitizer_logs")
    for pid in (1, 2):
        (tmp_path / f"log.plumb.{pid}").write_text(LEAK_LOG.replace("22413", str(pid)))
        logs.name_new(tmp_path, f"golden/test_x.py::test_{pid}")
    (tmp_path / "log.plumb.3").write_text(LEAK_LOG.replace("thing_new", "other_new"))
    found = list(run.sanitizer_results(tmp_path))
    assert [result.outcome for result in found] == ["failed", "failed"]  # two stacks, the first of them twice
    assert "64 byte(s) leaked" in found[0].detail
    assert "by golden/test_x.py::test_1, golden/test_x.py::test_2" in found[0].detail
    assert found[0].detail.endswith("| thing_new thing.c:12:9 < run_stat stat.c:300:14")
    assert "by plumb" in found[1].detail and "other_new" in found[1].detail
    assert not list(tmp_path.iterdir())


def test_a_test_without_end_fails_alone(source_root, tmp_path):
    (tmp_path / "test_x.py").write_text("import os\ndef test_waits():\n    os.read(os.pipe()[0], 1)\n\ndef test_goes_on():\n    pass\n")
    (tmp_path / "conftest.py").write_text((source_root / "tests/conftest.py").read_text())
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", tmp_path], capture_output=True, text=True, timeout=60,
                          env=os.environ | {"PLUMB_TEST_SECONDS": "1", "PYTHONPATH": str(source_root / "tests")})
    assert "1 failed, 1 passed" in done.stdout and "no end after 1 s" in done.stdout


def test_every_command_has_a_true_page(load, plumb, source_root):
    if not shutil.which("scdoc"):
        pytest.skip("no scdoc here")
    done = subprocess.run([source_root / "tests/check_manuals.py", "--plumb", plumb], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout


def is_alive(pid):
    try:
        return "State:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_time_up_ends_grandchildren_too(load):
    run = load("run")
    status, output = run.run_to_end(["sh", "-c", "sleep 60 & echo $!; wait"], os.environ, 0.5)
    assert status is None
    until = time.monotonic() + 10
    while is_alive(int(output)) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_alive(int(output))


def files_run(load, monkeypatch, parts, word):
    run = load("run")
    ran = []
    monkeypatch.setattr(run, "run_pytest_files", lambda python, paths, environment: ran.extend(path.stem for path in paths) or ([], []))
    monkeypatch.setattr(run, "LISTS_MOST", 1)
    run.run_units_and_pytest(None, parts, {}, None, word)
    return ran


def test_files_are_chosen_by_a_word_of_their_name(load, monkeypatch):
    ran = files_run(load, monkeypatch, ["golden"], "")
    assert "test_checks" in ran and "test_stat" in ran
    assert files_run(load, monkeypatch, ["golden"], "perf_data") == ["test_perf_data"]


def test_what_switches_the_machine_begins_beside_golden_tests(load, monkeypatch, source_root):
    switching = {path.stem for path in (source_root / "tests/live").glob("test_*.py") if "pytest.mark.alone" in path.read_text()}
    golden = {path.stem for path in (source_root / "tests/golden").glob("test_*.py")}
    ran = files_run(load, monkeypatch, ["golden", "live"], "")
    assert len(ran) == len(set(ran)) and {*load("run").SLOW, *load("run").MOSTLY_ASLEEP} < set(ran)
    awake = [name for name in ran if name not in load("run").MOSTLY_ASLEEP]
    assert {awake[0]} == switching and set(awake[1:1 + len(golden)]) == golden
