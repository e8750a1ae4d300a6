#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn data/host_symbols.tsv into the rows of src/analyse/code/host_profile.h: input, then output file."""
import pathlib
import sys

PARTS = {"profiler": "HOST_PROFILER", "guest": "HOST_GUEST_ENTRY"}


def rows(lines):
    seen = set()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 3 or cells[0] not in PARTS or not cells[1].strip("*") or '"' in line or "\\" in line:
            sys.exit(f"line {number}: not part, name, words")
        if cells[1] in seen:
            sys.exit(f"line {number}: {cells[1]} is there twice")
        seen.add(cells[1])
        yield cells


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    out = ["/* Generated from data/host_symbols.tsv; edit that. */", '#include "analyse/profile/host_profile.h"', "",
           "const struct host_symbol host_symbol_rows[] = {"]
    for part, name, words in sorted(rows(source.read_text().splitlines()), key=lambda row: row[1]):
        out.append(f'    {{"{name.rstrip("*")}", {"true" if name.endswith("*") else "false"}, {PARTS[part]}, "{words}"}},')
    out += ["};", "", "const size_t host_symbol_row_count = sizeof(host_symbol_rows) / sizeof(host_symbol_rows[0]);", ""]
    target.write_text("\n".join(out))


if __name__ == "__main__":
    main()
