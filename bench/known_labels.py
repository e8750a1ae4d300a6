# SPDX-License-Identifier: GPL-3.0-or-later
"""Which label does a known-answer program have on the machine that judges?

A row of proofs.tsv is an intervention: a counterpart of the program in which one class's cost is taken away (a smaller table,
regular data, independent operations). What it spares, of the program's time, is that class's share; both run in turn, and each
round gives a share of its own (of several interventions on one class, the one that spares most). The rules, which were fixed before any share was looked at:

- Where the shares of several classes are measured, the label is the class of the largest when the next has less than LEAD of
  it (what leads is told so by plumb, too), else "mixed". Where the rounds don't agree on that, there is no label.
- Where one class's share is measured, the label stands as it was written, unless LEAST of the time isn't its: what is said
  of so little of the time can't be the bottleneck, and what it is instead nobody measured: no label.
"""
import dataclasses
import math
import statistics

LEAD = 0.6
LEAST = 0.4
BY_ISSUE_WIDTH = "slots"    # no intervention: test/verify.py looks at those


@dataclasses.dataclass
class Proof:
    name: str
    counterpart: str
    flags: list         # None: the program's
    arguments: list     # None: the program's
    less: list          # None: the share is what the counterpart spares; else what it spares with these arguments
    of_class: str       # None: the label's own


def read_proofs(folder):
    """{name: [Proof]} of a folder's proofs.tsv; none if it isn't there."""
    path = folder / "proofs.tsv"
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")] if path.exists() else []
    proofs = {}
    for line in lines[1:]:
        of = dict(zip(lines[0].split("\t"), line.split("\t")))
        same = {key: None if of[key] == "=" else [] if of[key] == "-" else of[key].split() for key in ("flags", "arguments")}
        if of["counterpart"] != BY_ISSUE_WIDTH:
            proofs.setdefault(of["name"], []).append(
                Proof(of["name"], of["counterpart"], same["flags"], same["arguments"], None if of["less"] == "-" else of["less"].split(),
                      None if of["class"] == "-" else of["class"]))
    return proofs


def counterparts(row, proof, number):
    """The program rows to run beside `row`: one, or two where the share is what the one spares the other."""
    def other(arguments, part):
        return dataclasses.replace(row, name=f"{row.name}~{number}{part}", source=row.source.parent / f"{proof.counterpart}.c",
                                   flags=row.flags if proof.flags is None else proof.flags, arguments=arguments)
    first = other(row.arguments if proof.arguments is None else proof.arguments, "")
    return [first] if proof.less is None else [first, other(proof.less, "less")]


def shares(row, proofs, cost, rounds):
    """{class: [share of each round]}; cost(row): seconds of CPU time per unit of work, run now."""
    found = {}
    beside = [counterparts(row, proof, number) for number, proof in enumerate(proofs)]
    for _ in range(rounds):
        whole, here = cost(row), {}
        for proof, others in zip(proofs, beside):
            costs = [cost(other) for other in others]
            spared = whole - costs[0] if len(costs) == 1 else costs[0] - costs[1]
            name = proof.of_class or row.label
            here[name] = max(spared / whole, here.get(name, -math.inf))
        for name, share in here.items():
            found.setdefault(name, []).append(share)
    return found


def quartiles(values):
    values = sorted(values)
    return values[len(values) // 4], values[-1 - len(values) // 4]


def label_of(written, found):
    """(label or None, why): of what was written and the measured shares."""
    middles = {name: statistics.median(values) for name, values in found.items()}
    told = ", ".join(f"{name} {share * 100:.0f} %" for name, share in sorted(middles.items(), key=lambda each: -each[1]))
    if len(found) == 1:
        name, values = next(iter(found.items()))
        return (None, told) if quartiles(values)[1] < LEAST else (written, told)
    first, second = sorted(middles, key=middles.get, reverse=True)[:2]
    low, high = quartiles([b / a if a > 0 else 1.0 for a, b in zip(found[first], found[second])])
    if low < LEAD <= high:
        return None, f"{told}: the rounds don't agree"
    return ("mixed" if low >= LEAD else first), told
