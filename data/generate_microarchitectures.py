#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn data/microarchitectures.tsv into the rows of src/system/cpu/microarchitecture.h: input, then output file."""
import pathlib
import sys

VENDORS = {"intel": "MICROARCHITECTURE_INTEL", "amd": "MICROARCHITECTURE_AMD", "hygon": "MICROARCHITECTURE_HYGON"}


def spans(text, base):
    for part in text.split(","):
        low, _, high = part.partition("-")
        yield int(low, base), int(high or low, base)


def rows(lines):
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.rstrip("\n").split("\t")
        if len(cells) != 8:
            sys.exit(f"line {number}: {len(cells)} cells, 8 expected")
        vendor, family, models, steppings, key, kind, width, name = cells
        slots, _, filler = width.partition(",")
        rest = (key, kind, int(slots), "true" if filler == "nop" else "false", name)
        for first, last in spans(models, 16) if models != "*" else spans(family, 16):
            low, high = next(spans(steppings, 10)) if steppings != "*" else (0, 255)
            if vendor in VENDORS:
                yield (VENDORS[vendor], int(family, 16), first, last, low, high, *rest)
            else:  # Arm: implementer and part; family holds the implementer
                yield ("MICROARCHITECTURE_ARM", int(vendor, 16), first, last, 0, 255, *rest)


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    out = ["/* Generated from data/microarchitectures.tsv; edit that. */",
           '#include "system/cpu/microarchitecture.h"', "",
           "const struct microarchitecture microarchitecture_rows[] = {"]
    for vendor, family, first, last, low, high, key, kind, slots, nops, name in rows(source.read_text().splitlines()):
        out.append(f'    {{{vendor}, {family:#x}, {first:#x}, {last:#x}, {low}, {high}, {slots}, {nops}, "{key}", "{kind}", "{name}"}},')
    out += ["};", "", "const size_t microarchitecture_row_count = sizeof(microarchitecture_rows) / sizeof(microarchitecture_rows[0]);", ""]
    target.write_text("\n".join(out))


if __name__ == "__main__":
    main()
