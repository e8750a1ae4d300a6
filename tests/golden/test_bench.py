# SPDX-License-Identifier: GPL-3.0-or-later
"""bench/run.py says which runs failed, and takes no figure from them."""
import importlib.util
import random
import types

import pytest


@pytest.fixture
def bench(source_root):
    spec = importlib.util.spec_from_file_location("bench_run", source_root / "bench/run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def runs_of(bench, tmp_path, ours, theirs):
    """Three rounds of two commands; each (wall ms, status)."""
    lines = [f"{index} {int(wall * 1e6)} {int(wall * 1e6)} 1024 {status}"
             for pair in zip(ours, theirs) for index, (wall, status) in enumerate(pair)]
    stand_in = tmp_path / "interleave"
    stand_in.write_text("#!/bin/sh\n" + "".join(f"echo {line}\n" for line in lines))
    stand_in.chmod(0o755)
    return bench.Runs(types.SimpleNamespace(interleave=stand_in), 3, {"ours": "x", "theirs": "y"})


def table_of(bench, runs):
    report = bench.Report()
    report.table("Title", "something", runs, "ours")
    return "\n".join(report.lines)


def test_ratio_of_medians(bench, tmp_path):
    table = table_of(bench, runs_of(bench, tmp_path, [(1, 0), (2, 0), (9, 0)], [(4, 0), (6, 0), (8, 0)]))
    assert "| ours | 2.00 ms |" in table and "| theirs | 6.00 ms |" in table and "3.00x" in table


def test_failed_runs_are_left_out_and_said(bench, tmp_path):
    table = table_of(bench, runs_of(bench, tmp_path, [(2, 0)] * 3, [(4, 0), (900, 134), (4, 0)]))
    assert "theirs (1 of 3 runs ended with status 134, left out) | 4.00 ms" in table


def test_mostly_failed_is_not_measured(bench, tmp_path):
    table = table_of(bench, runs_of(bench, tmp_path, [(2, 0)] * 3, [(4, 1), (4, 1), (4, 0)]))
    assert "| theirs | not measured: 2 of 3 runs ended with status 1 |" in table
    table = table_of(bench, runs_of(bench, tmp_path, [(2, 1)] * 3, [(4, 0)] * 3))
    assert "Not measured: ours: 3 of 3 runs ended with status 1." in table


def test_every_section_has_its_place_in_the_file(bench):
    assert tuple(bench.SECTIONS) == bench.results_file.ORDER


def test_one_section_anew_leaves_the_others(bench, tmp_path):
    results = tmp_path / "RESULTS.md"
    results.write_text("# Head\n\n<!-- section start -->\nold\n\n<!-- section stat -->\nkept\n")
    bench.results_file.write_section(results, "start", ["new"])
    assert results.read_text() == "# Head\n\n<!-- section start -->\nnew\n\n<!-- section stat -->\nkept\n"


def test_what_another_machine_gave_says_so(bench, tmp_path):
    results = tmp_path / "RESULTS.md"
    results.write_text("# Head\n\n- CPU: one\n\n<!-- section start -->\nold\n\n<!-- section known_test -->\n2 CPUs, CPU two; load 1\n")
    assert bench.results_file.sections_elsewhere(results, "one") == {"start": "old\n", "known_test": "2 CPUs, CPU two; load 1\n"}
    marked = bench.results_file.sections_elsewhere(results, "two")
    assert marked == {"start": "old\n\nMeasured on the CPU one.\n", "known_test": "2 CPUs, CPU two; load 1\n"}
    results.write_text("# Head\n\n- CPU: two\n\n<!-- section start -->\n" + marked["start"])
    assert bench.results_file.sections_elsewhere(results, "three")["start"] == marked["start"], "once"


def test_reading_takes_no_figure_from_a_failed_run(bench):
    cost = bench.reading_cost
    row = cost.Row("script", "6 times faster", ["plumb"], ["perf"])
    good, failed = cost.Run(1.0, 0.5, 10.0, 20.0, 0), cost.Run(4.0, 3.0, 30.0, 40.0, 0)._replace(status=-13)

    def lines(peer, alike=""):
        one_core = good._replace(wall=2.0, cpu=0.5)
        return list(cost.row_lines(row, {"plumb": [good], cost.ONE_CORE: [one_core], cost.NOTHING_KEPT: [good], "perf": peer}, alike))
    both = lines([good._replace(wall=6.0, cpu=3.0)], "lines alike: 100.0 %")
    assert "2.0x | 1.0x" in both[1] and both[1].endswith("|  |")
    assert "6.0x | 6.0x" in both[-1] and both[-1].endswith("lines alike: 100.0 % |")
    assert "not measured: ended with status -13" in lines([failed])[-1]
    assert f"not done in {cost.PEER_SECONDS_MOST} s" in lines([])[-1]


def test_reading_tells_no_memory_of_a_pipeline(bench):
    cost = bench.reading_cost
    run = cost.Run(1.0, 0.5, 10.0, 20.0, 0)
    assert cost.memory_cells(["plumb"], run) == "10 MiB | 20 MiB"
    assert cost.memory_cells(["sh", "-c", "a | b"], run) == "several programs | "


def test_folded_stacks_are_compared_by_thread_and_innermost_function(bench, tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.write_text("sh;main;a 3\nsh;main;[libc.so.6] 2\nsh;b 5\n")
    theirs.write_text("sh;[unknown];main;a 1\nsh;start;main;a 2\nsh;[unknown] 2\nsh;b 4\nsh;c 1\n")
    assert bench.reading_cost.share_alike(ours, theirs, bench.reading_cost.leaves_of) == "90.0 %"


def test_lines_are_compared_without_blanks_and_comments(bench, tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.write_text("# head\n  1.00%  a\n  2.00%  b\n")
    theirs.write_text("# another\n 1.00%    a\n 3.00%  b\n")
    assert bench.reading_cost.share_alike(ours, theirs) == "50.0 %"


def test_nameless_rows_are_compared_without_their_addresses(bench, tmp_path):
    """perf's are within the file where sampled, at run time where called from; a mark that only plumb sets is no difference."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.write_text("1.00% 0.00% a libjvm.so [.] 0x0000000000f55d4e\n0.10% a [kernel] [k] perf_poll (profiler's own)\n2.00% a b [.] main\n")
    theirs.write_text("1.00% 0.00% a libjvm.so [k] 0x00007f1177955d4e\n0.10% a [kernel] [k] perf_poll\n2.00% a b [.] mean\n0.10% a [kernel] [.] perf_poll\n")
    assert bench.reading_cost.share_alike(ours, theirs) == "50.0 %"


def test_outputs_are_compared_without_inlined_frames(bench, tmp_path):
    rows = bench.reading_cost.rows_of(tmp_path / "plumb", *(tmp_path / name for name in ("chains", "large", "dumps")))
    compared = [row for row in rows if row.compared]
    assert len(compared) == 7 and all(bench.reading_cost.NO_INLINE in " ".join(words) for row in compared for words in row.compared.values())
    assert not any(bench.reading_cost.NO_INLINE in words for row in rows for words in row.commands.values())


def test_what_watching_costs_is_told_by_pieces_of_one_process(bench):
    cost = bench.attach_cost
    lines = [f"piece begun={at / 100:.6f} cpu_ns_per_iteration={1.02 if 1000 <= at < 1400 else 1.0:.3f} iterations={1 if at == 700 else 512}" for at in range(700, 1800)]
    pieces = cost.pieces_of("\n".join([*lines, "kernel=dep iterations=5"]))
    assert len(pieces) == 1099, "small ones that it began with are left out"
    assert round(cost.cycle_ratio(pieces, 10.0, 14.5), 4) == 1.02
    assert cost.cycle_ratio(pieces, 40.0, 44.5) is None, "nothing was met there"


def drifting_pieces(ran, planted):
    """40 s of pieces of 6 ms; the machine takes up to 30 % more time, over seconds; planted: what each takes more in which somebody ran."""
    draws, level, at, pieces = random.Random(7), 1.0, 0.0, []
    while at < 40:
        level = min(1.3, max(0.7, level + draws.gauss(0, 0.004)))
        pieces.append((at, level * draws.gauss(1, 0.03) * (1 + planted * ran(at))))
        at += 0.006
    return pieces


def test_what_running_adds_is_told_below_what_drifts(bench):
    """A tenth of the time, 5 % each: half a percent of all, found though the machine drifts by tens of percents; nothing where it is none."""
    def ran(at):
        return 1 if at % 0.3 < 0.03 else 0
    moments = [(step * 0.003, sum(0.003 * ran(each * 0.003) for each in range(step))) for step in range(1334)]
    for planted, low, high in ((0.05, 0.003, 0.007), (0, -0.002, 0.002)):
        pieces = drifting_pieces(ran, planted)
        assert all(low < bench.attach_cost.beside_excess(pieces, begun, moments) < high for begun in (3, 9, 15, 21, 30))


def test_too_few_pieces_tell_nothing(bench):
    always = [(step * 0.003, step * 0.003) for step in range(1334)]
    assert bench.attach_cost.beside_excess(drifting_pieces(lambda at: 0, 0), 38, always) is None
    assert bench.attach_cost.beside_excess([(0.0, 1.0), (0.006, 1.0)], 9, always) is None
