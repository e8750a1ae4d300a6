#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn data/silicon_flags.tsv into the rows of src/system/cpu/silicon_flags.h: input, then output file."""
import pathlib
import sys

WEIGHTS = ("much", "some", "little")


def read(lines):
    sets, sources, flags = {}, {}, {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if cells[0] == "set" and len(cells) == 5 and cells[4]:
            _, key, base, own, source = cells
            if key in sets or (base != "-" and base not in sets):
                sys.exit(f"line {number}: {key} is there twice, or its base isn't above it")
            has = [*sets.get(base, [])] + [word for word in own.split() if word[0] != "!"]
            sets[key] = [word for word in has if "!" + word not in own.split()]
            sources[key] = source
        elif cells[0] == "flag" and len(cells) == 4 and cells[2] in WEIGHTS:
            if cells[1] in flags:
                sys.exit(f"line {number}: {cells[1]} is there twice")
            flags[cells[1]] = cells[2], cells[3]
        else:
            sys.exit(f"line {number}: neither 'set KEY BASE FLAGS SOURCE' nor 'flag NAME WEIGHT EFFECT'")
    for key, has in sets.items():
        for name in has:
            if name not in flags:
                sys.exit(f"{key}: no row says what {name} is good for")
    return sets, sources, flags


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    sets, sources, flags = read(source.read_text().splitlines())
    order = {weight: at for at, weight in enumerate(WEIGHTS)}
    out = ["/* Generated from data/silicon_flags.tsv; edit that. */", '#include "system/cpu/silicon_flags.h"', "",
           "const struct silicon_flag silicon_flag_rows[] = {"]
    for name, (weight, effect) in sorted(flags.items(), key=lambda item: order[item[1][0]]):
        out.append(f"    {{{quoted(name)}, SILICON_{weight.upper()}, {quoted(effect)}}},")
    out += ["};", "const size_t silicon_flag_row_count = sizeof(silicon_flag_rows) / sizeof(silicon_flag_rows[0]);", "",
            "const struct silicon_set silicon_set_rows[] = {"]
    for key, has in sets.items():
        if key == key.upper():
            out.append(f"    {{{quoted(key)}, {quoted(' ' + ' '.join(has) + ' ')}, {quoted(sources[key])}}},")
    out += ["};", "const size_t silicon_set_row_count = sizeof(silicon_set_rows) / sizeof(silicon_set_rows[0]);", ""]
    target.write_text("\n".join(out))


if __name__ == "__main__":
    main()
