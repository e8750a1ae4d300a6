#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn data/advice.txt into the sorted table of src/finding/wording.h: input, then output file."""
import pathlib
import sys


def rows(lines):
    section = key = None
    text = []
    for number, line in enumerate(lines, 1):
        line = line.rstrip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            if key:
                yield section, key, " ".join(text)
            section, key = line.strip("[]"), None
        elif line[0] == " ":
            if not key:
                sys.exit(f"line {number}: a continuation of nothing")
            text.append(line.strip())
        else:
            if key:
                yield section, key, " ".join(text)
            key, equals, first = line.partition(" = ")
            if not equals or not section:
                sys.exit(f"line {number}: expected 'key = text' in a section")
            text = [first.strip()]
    if key:
        yield section, key, " ".join(text)


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?") + '"'


def main():
    found = rows(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines())
    table = sorted((section, one, text) for section, keys, text in found for one in keys.split(", "))
    for one, other in zip(table, table[1:]):
        if one[:2] == other[:2]:
            sys.exit(f"[{one[0]}] {one[1]} stands there twice")
    # Texts one behind the other, and places in them: pointers would have to be relocated at each start.
    texts, places, length = [""], {"": 0}, 1
    for row in table:
        for text in row:
            if text not in places:
                places[text] = length
                texts.append(text)
                length += len(text.encode()) + 1
    out = ['#include "finding/wording.h"', "", "const char wording_texts[] ="]
    out += [f'    {quoted(text)} "\\0"' for text in texts]
    out += ["    ;", "", "const struct wording wording_table[] = {"]
    out += [f"    {{{places[s]}, {places[k]}, {places[t]}}}," for s, k, t in table]
    out += ["};", "const size_t wording_count = sizeof(wording_table) / sizeof(wording_table[0]);", ""]
    pathlib.Path(sys.argv[2]).write_text("\n".join(out), encoding="utf-8")


main()
