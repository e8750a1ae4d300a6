# SPDX-License-Identifier: GPL-3.0-or-later
"""bench/known_answers.py counts right, and the programs' labels hold together."""
import importlib.util
import re
import shutil
import subprocess
import sys

import pytest


@pytest.fixture
def known(source_root):
    spec = importlib.util.spec_from_file_location("known_answers", source_root / "bench/known_answers.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module     # its dataclass looks itself up
    spec.loader.exec_module(module)
    return module


# Of Clopper and Pearson's interval: the rule of three's exact form, tables of 10 and 20, and R's example (Mendel's peas, binom.test).
@pytest.mark.parametrize("successes, trials, low, high", [
    (0, 10, 0, 0.3085), (10, 10, 0.6915, 1), (1, 10, 0.0025, 0.4450), (5, 10, 0.1871, 0.8129), (8, 20, 0.1912, 0.6395),
    (682, 925, 0.7076683, 0.7654066), (0, 1, 0, 0.975), (0, 300, 0, 0.01222),
])
def test_exact_bounds(known, successes, trials, low, high):
    got = known.exact_bounds(successes, trials)
    assert got == pytest.approx((low, high), abs=6e-5)


def test_no_trials_have_no_bounds(known):
    assert known.exact_bounds(0, 0) is None
    assert "not measured" in known.with_bounds(0, 0)


def test_majority_is_more_than_half(known):
    assert known.majority(["a", "a", "b"]) == "a"
    assert known.majority(["a", "b"]) is None
    assert known.majority([]) is None


def row(known, name, label, subclasses=(), adversarial=False, working_set=None, fix=None, units=None, predicted_by="bottleneck"):
    return known.Row(name, "gcc", [], [], label, list(subclasses), adversarial, working_set, fix, units, predicted_by, name)


def findings(label, confidence="medium", **more):
    return {"run": {"cpu_s": 2.0}, "bottleneck": {"class": label, "confidence": confidence} | more}


@pytest.fixture
def score(known):
    rows = [row(known, "ring", "memory", ["latency"], working_set=1 << 20, fix="ring.fix", units=1),
            row(known, "ring.fix", None), row(known, "pick", "memory", ["tlb", "parallel_misses"], working_set=16 << 10),
            row(known, "mix", "core", ["latency_chain"], adversarial=True, units=2),
            row(known, "orders", "bad_speculation", ["indirect"], adversarial=True), row(known, "none", "unknown")]
    said = {
        "ring": [findings("memory", "high", subclass="latency", working_set={"lines_bytes": 1.9 * (1 << 20)}, recoverable=[0.1, 0.2, 0.5],
                          loops=[{"rate_per_s": 110.0}])] * 2 + [findings("core", "high", recoverable={"low": 0.0, "mid": 0.1, "high": 0.2})],
        "pick": [findings("memory", subclass="parallel_misses", working_set={"lines_bytes": None, "pages_bytes": 64 << 10})] * 3,
        "mix": [findings("core", "high", subclass="divide", loops=[{"rate_per_s": 400.0}])] * 2 + [findings("unknown", "none")],
        "orders": [{"run": {"cpu_s": 2.0}}] * 3,
        "none": [findings("unknown", "none")] * 3,
    }
    of = {each.name: each for each in rows}
    runs = {name: [known.outcome(each, of[name]) | {"work": 100, "cpu_s": 1.0} for each in all_said] for name, all_said in said.items()}
    return known.Score(rows, runs, {"ring": {"realised": 0.6}})


def test_matrix_of_canned_findings(score):
    assert score.matrix() == {"memory": {"memory": 5, "core": 1}, "core": {"core": 2, "unknown": 1},
                              "bad_speculation": {"unknown": 3}, "unknown": {"unknown": 3}}
    assert score.subclass_matrix()["memory/latency"] == {"memory/latency": 2, "core/-": 1}


def test_the_program_is_the_unit(score):
    assert score.class_accuracy() == {"memory": (2, 2), "core": (1, 1), "bad_speculation": (0, 1), "unknown": (1, 1)}
    assert score.macro_accuracy() == pytest.approx(0.75)
    assert score.programs_right() == (4, 5)
    assert score.subclasses_right() == (2, 3), "either subclass of pick is right; mix's is not"
    assert score.steady() == (3, 5), "two of three runs alike are not four fifths"


def test_high_confidence(score):
    assert score.high_right() == ((4, 5), (1, 2))
    assert score.high_on_adversarial() == {"mix": [2, 0]}


def test_abstaining_where_there_is_no_answer_is_none(score):
    assert score.abstentions() == (4, 12)


def test_working_sets_by_size(score):
    (small, said), (large, near) = score.working_sets()
    assert (small.name, said) == ("pick", 64 << 10), "pages where the lines aren't known"
    assert (large.name, near) == ("ring", 1.9 * (1 << 20))


def test_gain_is_of_the_whole_time(score):
    [(of, middle, realised, inside, count)] = score.gains_foretold()
    assert (of.name, middle) == ("ring", (0.1, 0.5))
    assert realised == pytest.approx(0.3), "half of the CPU time was measured by the program itself"
    assert (inside, count) == (2, 3)


def test_rates_by_the_programs_own_word(score):
    assert sorted((of.name, round(ratio, 2)) for of, ratio in score.rates()) == [("mix", 8), ("mix", 8), ("ring", 1.1), ("ring", 1.1)]


def test_tables_say_what_falls_short(known, score):
    text = "\n".join(known.section("canned", score, ["A fact."]))
    assert "| macro-accuracy, abstentions counted as errors | at least 85 % | 75 % |" in text
    assert "| HIGH is right, by runs | at least 95 % | 80 % (4 of 5) |" in text
    assert "| HIGH on an adversarial program | never | 2 of 6 runs, 0 of them wrong: mix |" in text
    assert "such an interval is 40 % of the CPU time wide" in text
    assert "| 2 of 4 runs |" in text and "mix 8.00" in text
    assert "orders (bad_speculation/indirect: unknown 3)" in text
    assert text.endswith("A fact.")


def test_nothing_measured_is_said(known):
    assert "Not measured: no program gave an answer." in "\n".join(known.section("empty", known.Score([], {}, {}), []))


def test_a_journal_goes_on_where_it_was_cut(known, tmp_path):
    path = tmp_path / "results"
    known.Journal(path, "one", False).add(["run", "a", 0], {"class": "core"})
    with open(path, "a") as file:
        file.write('{"mark": "one", "key": ["run", "b"')
    assert known.Journal(path, "one", False).entries == {("run", "a", 0): {"class": "core"}}
    assert known.Journal(path, "another plumb", False).entries == {}


def sets(known):
    return [name for name in ("tuning", "test") if (known.FOLDER / name / "labels.tsv").exists()]


SUBCLASSES = {"memory": {"latency", "bandwidth", "parallel_misses", "tlb", "l2"},
              "core": {"latency_chain", "divide", "fp", "ports", "store_forwarding", "l1_latency", "atomic"},
              "bad_speculation": {"conditional", "indirect"}, "frontend": {"footprint"}}


def test_labels_hold_together(known):
    for name in sets(known):
        rows = known.read_labels(known.FOLDER / name)
        names = [each.name for each in rows]
        assert len(set(names)) == len(names)
        for each in rows:
            assert each.source.exists(), each.source
            assert each.fix is None or each.fix in names, each
            assert set(each.subclasses) <= SUBCLASSES.get(each.label, set()), each
            assert each.label or any(each.name == other.fix for other in rows), f"{each.name} has no class and is no fix"


def test_there_are_enough_programs(known):
    rows = [each for each in known.read_labels(known.FOLDER / "tuning") if each.label]
    assert len({each.source for each in rows}) >= 24
    assert min(sum(each.label == label for each in rows) for label in known.CLASSES) >= 3
    assert {each.compiler for each in rows} == {"gcc", "clang"}
    assert {"-O1", "-O2", "-O3"} <= {flag for each in rows for flag in each.flags}
    assert any("-static" in each.flags for each in rows)


def test_symbols_say_nothing(known):
    """No classifier can go by names: functions that are profiled are called run, step or part_N."""
    for name in sets(known):
        for path in sorted((known.FOLDER / name).glob("*.c")):
            for function in re.findall(r"KNOWN_STEP\s+[\w \*]*?\**(\w+)\(", path.read_text()):
                assert not any(word in function for word in ("memory", "miss", "latency", "branch", "cache", "tlb", "divide", "chase")), (path, function)


@pytest.mark.skipif(not shutil.which("gcc"), reason="gcc isn't installed")
def test_a_program_says_its_work(known, tmp_path):
    program = tmp_path / "program"
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-O2", known.FOLDER / "tuning/mix.c", "-o", program], check=True)
    work, cpu = known.work_and_cpu(subprocess.run([program, "0.05", "1K"], capture_output=True, text=True, check=True).stdout)
    assert work > 0 and work % 1024 == 0
    assert cpu >= 0.05
    assert subprocess.run([program], capture_output=True).returncode == 2


def generated(known, folder, *options):
    subprocess.run([sys.executable, known.FOLDER / "generator/generate.py", folder, *options], check=True)
    return known.read_labels(folder)


def test_generator_makes_200_that_differ(known, tmp_path):
    every = generated(known, tmp_path / "one")
    rows = [each for each in every if each.label]
    assert len(rows) == 200
    fixes = {each.name for each in every if not each.label}
    assert fixes == {each.fix for each in rows if each.fix} and len(fixes) > 50, "a form without the cause is some row's fix"
    assert len({each.source.read_text().split("\n", 2)[2] for each in rows}) == 200
    assert {each.label for each in rows} == set(known.CLASSES)
    assert all(set(each.subclasses) <= SUBCLASSES.get(each.label, set()) for each in rows)
    again = [each for each in generated(known, tmp_path / "two") if each.label]
    assert [each.source.read_text() for each in again] == [each.source.read_text() for each in rows], "the same seed gives the same programs"
    other = [each for each in generated(known, tmp_path / "three", "--seed", "2") if each.label]
    assert [each.source.read_text() for each in other] != [each.source.read_text() for each in rows]


@pytest.mark.skipif(not shutil.which("gcc"), reason="gcc isn't installed")
def test_generated_programs_are_c(known, tmp_path):
    rows = generated(known, tmp_path, "--count", "27", "--seed", "3")
    assert {each.label for each in rows if each.label} == set(known.CLASSES)
    sources = sorted({each.source for each in rows})
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-O1", "-mavx2", "-mfma", "-msse4.2", "-I", known.FOLDER, *sources], check=True)
    subprocess.run(["gcc", "-DFIXED", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-O1", "-mavx2", "-mfma", "-msse4.2", "-I", known.FOLDER,
                    *sources], check=True)


# What interventions say: the larger share's class when the next has less than 0.6 of it; nothing where rounds differ on that.
@pytest.mark.parametrize("written, shares, label", [
    ("mixed", {"memory": [0.5] * 5, "core": [0.4] * 5}, "mixed"),
    ("mixed", {"memory": [0.7] * 5, "core": [0.2] * 5}, "memory"),
    ("mixed", {"memory": [0.2] * 5, "core": [0.7] * 5}, "core"),
    ("mixed", {"memory": [0.5] * 5, "core": [0.2, 0.25, 0.3, 0.35, 0.4]}, None),
    ("memory", {"memory": [0.8] * 5}, "memory"),
    ("memory", {"memory": [0.5] * 5}, "memory"),        # nobody measured the rest: as it was written
    ("memory", {"memory": [0.1] * 5}, None),            # whatever it is, that it isn't
    ("memory", {"memory": [-0.2, 0.1, 0.3, 0.45, 0.6]}, "memory"),  # too uneven to say it is wrong
])
def test_labels_are_what_interventions_say(known, written, shares, label):
    assert known.known_labels.label_of(written, shares)[0] == label


def test_a_share_is_what_a_counterpart_spares(known, tmp_path):
    (tmp_path / "proofs.tsv").write_text("name\tcounterpart\tflags\targuments\tless\tleast\tmost\tclass\n"
                                         "report\treport\t=\t16384\t-\t0\t1\tmemory\n"
                                         "report\tother\t-O1\t1\t2 3\t0\t1\tcore\n"
                                         "report\tslots\t=\t-\t-\t0\t1\t-\n")
    proofs = known.known_labels.read_proofs(tmp_path)["report"]
    report = row(known, "report", "mixed")
    report.source = tmp_path / "report.c"
    calls = []

    def cost(each):
        calls.append((each.source.name, tuple(each.flags), tuple(each.arguments)))
        return {(): 10.0, ("16384",): 4.0, ("1",): 9.0, ("2", "3"): 7.0}[tuple(each.arguments)]
    assert known.known_labels.shares(report, proofs, cost, 2) == {"memory": [0.6] * 2, "core": [0.2] * 2}
    assert calls[:4] == [("report.c", (), ()), ("report.c", (), ("16384",)), ("other.c", ("-O1",), ("1",)), ("other.c", ("-O1",), ("2", "3"))]


def test_what_is_not_true_here_is_left_out_and_said(known):
    rows = [row(known, "a", "mixed", fix="b"), row(known, "scan", "memory", ["bandwidth"]), row(known, "ring", "memory", ["latency"])]
    here, facts = known.labelled(rows, {"a": {"shares": {"memory": [0.7], "core": [0.1]}}, "scan": {"shares": {"memory": [0.0]}}})
    assert [each.label for each in here] == ["memory", None, "memory"]
    assert [each.subclasses for each in here] == [[], [], ["latency"]]
    assert "a (written mixed, here memory: memory 70 %, core 10 %)" in facts[0] and "scan (written memory: memory 0 %)" in facts[0]
    assert known.Score(here, {"scan": [{"class": "core"}]}, {}).rows == []


def test_judging_kept_cases_anew_keeps_what_programs_said(known, tmp_path):
    path = tmp_path / "results.jsonl"
    for mark, key in (("one", ["run", "a", 0]), ("two", ["run", "a", 0]), ("one", ["gain", "a", 0]), ("one", ["label", "a", 0])):
        known.Journal(path, mark, False).add(key, {"of": mark})
    assert set(known.Journal(path, "two", True, runs_alone=True).entries) == {("gain", "a", 0), ("label", "a", 0)}
    assert ("run", "a", 0) in known.Journal(path, "one", False).entries
    assert known.Journal(path, "one", True).entries == {} and path.read_text() == ""


def test_proofs_name_programs_and_classes(known, source_root):
    for name in ("tuning", "test"):
        folder = source_root / "bench/known-answers" / name
        labels = {each.name: each for each in known.read_labels(folder)}
        proofs = known.known_labels.read_proofs(folder)
        assert proofs
        for each in (proof for of in proofs.values() for proof in of):
            assert each.name in labels and (folder / f"{each.counterpart}.c").exists()
            assert each.of_class in (None, *known.CLASSES)
            assert each.of_class or labels[each.name].label != "mixed", each.name


def test_nearly_all_is_not_all(known):
    assert [known.percent(part, 200) for part in (0, 1, 100, 199, 200)] == ["0 %", "0.5 %", "50 %", "99.5 %", "100 %"]
