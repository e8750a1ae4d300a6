#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn data/known_constants.tsv into the rows of src/symbol/known_constants.h: input, then output file."""
import pathlib
import sys

KINDS = {"table": "KNOWN_TABLE", "numbers": "KNOWN_NUMBERS"}
TABLE_BYTES_LEAST = 8
TABLE_BYTES_MOST = 255
NUMBERS_MOST = 4


def values_of(cell, bits):
    values = []
    for item in cell.split(","):
        times, _, value = item.rpartition("*")
        values += [int(value, 0) % (1 << bits)] * int(times or 1)
    return values


def rows(lines):
    seen = set()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 4 or cells[0] not in KINDS or '"' in line or "\\" in line or "(" in cells[3]:
            sys.exit(f"line {number}: not kind, bits, values, words")
        kind, widths, values, words = cells
        for bits in map(int, widths.split("/")):
            numbers = values_of(values, bits)
            content = b"".join(value.to_bytes(bits // 8, "little") for value in numbers)
            if kind == "table" and not TABLE_BYTES_LEAST <= len(content) <= TABLE_BYTES_MOST:
                sys.exit(f"line {number}: a table begins with {TABLE_BYTES_LEAST} to {TABLE_BYTES_MOST} bytes")
            if kind == "numbers" and (bits < 32 or len(numbers) > NUMBERS_MOST):
                sys.exit(f"line {number}: {NUMBERS_MOST} numbers at most, of 32 or 64 bits")
            if (kind, content) in seen:
                sys.exit(f"line {number}: these values are there twice")
            seen.add((kind, content))
            yield kind, bits // 8, len(numbers), content, words


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    out = ["/* Generated from data/known_constants.tsv; edit that. */", '#include "symbol/known_constants.h"', "",
           "const struct known_constant known_constant_rows[] = {"]
    for kind, element, count, content, words in rows(source.read_text().splitlines()):
        text = "".join(f"\\{byte:03o}" for byte in content)
        out.append(f'    {{{KINDS[kind]}, {element}, {count}, "{text}", "{words}"}},')
    out += ["};", "", "const size_t known_constant_row_count = sizeof(known_constant_rows) / sizeof(known_constant_rows[0]);", ""]
    target.write_text("\n".join(out))


if __name__ == "__main__":
    main()
