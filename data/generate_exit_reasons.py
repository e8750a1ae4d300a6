#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn data/exit_reasons.tsv into the rows of src/analyse/exits/exit_reason.h: input, then output file."""
import pathlib
import sys

SETS = {"vmx": "EXIT_ISA_VMX", "svm": "EXIT_ISA_SVM", "pvm": "EXIT_ISA_PVM", "monitor": "EXIT_ISA_NONE"}
CLASSES = ("other", "interrupt", "timer", "arming", "idle")


def rows(lines):
    seen = set()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 5 or cells[0] not in SETS or cells[3] not in CLASSES or not cells[2]:
            sys.exit(f"line {number}: not isa, number, name, class, also")
        key = cells[0], int(cells[1], 0)
        if key in seen:
            sys.exit(f"line {number}: {key} is there twice")
        seen.add(key)
        yield (*key, *cells[2:])


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    out = ["/* Generated from data/exit_reasons.tsv; edit that. */", '#include "analyse/exits/exit_reason.h"', "",
           "const struct exit_reason exit_reason_rows[] = {"]
    for isa, number, name, kind, also in rows(source.read_text().splitlines()):
        out.append(f'    {{{SETS[isa]}, EXIT_CLASS_{kind.upper()}, {number:#x}, "{name}", {"NULL" if also == "-" else chr(34) + also + chr(34)}}},')
    out += ["};", "", "const size_t exit_reason_row_count = sizeof(exit_reason_rows) / sizeof(exit_reason_rows[0]);", ""]
    target.write_text("\n".join(out))


if __name__ == "__main__":
    main()
