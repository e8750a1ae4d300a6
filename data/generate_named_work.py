#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn data/named_work.txt into the rows of src/finding/named_work.h: input, then output file."""
import pathlib
import re
import sys

KEYS = {"names", "library", "advice", "code", "check", "called", "threads", "script"}


def sections(lines):
    words, keys, last = None, {}, None
    for number, line in enumerate(lines, 1):
        line = line.rstrip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            if words:
                yield words, keys
            words, keys, last = line.strip()[1:-1], {}, None
        elif line[0] == " ":
            if not last:
                sys.exit(f"line {number}: a continuation of nothing")
            keys[last] += " " + line.strip()
        else:
            last, equals, value = line.partition(" = ")
            if not equals or not words or last not in KEYS or last in keys:
                sys.exit(f"line {number}: expected one of {', '.join(sorted(KEYS))}, once in a section, and ' = '")
            keys[last] = value.strip()
    if words:
        yield words, keys


def quoted(text):
    return "NULL" if text is None else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


FIELDS = ("name", "prefix", "suffix", "word", "tells", "dso")


def fields_of(name):
    """What a pattern without a binary is: field to text."""
    if name.startswith("~"):
        return {"tells": name[1:]}
    begin, end, middle = name.startswith("*"), name.endswith("*"), name.strip("*")
    if begin and end:
        return {"word": middle}
    if begin:
        return {"suffix": middle}
    if end:
        return {"prefix": middle}
    # a star within, but for Go's receivers: "fmt.(*pp)"
    parts = re.split(r"(?<!\()\*", name)
    return {"name": name} if len(parts) == 1 else {"prefix": parts[0], "suffix": parts[1]}


def pattern(text):
    dso, mark, name = text.partition("!")
    fields = ({"dso": dso} if mark else {}) | (fields_of(name if mark else text) if name or not mark else {})
    if not all(fields.values()):
        sys.exit(f"'{text}': a pattern of nothing")
    return fields


class Patterns:
    """All patterns, one behind the other, and their texts: places in them need no relocation when a program starts."""

    def __init__(self):
        self.rows, self.texts, self.places = [], [""], {"": 0}
        self.length = 1

    def place(self, text):
        if text not in self.places:
            self.places[text] = self.length
            self.texts.append(text)
            self.length += len(text.encode()) + 1
        return self.places[text]

    def add(self, keys, key):
        texts = [one.strip() for one in keys.get(key, "").split(",")]
        first = len(self.rows)
        for text in filter(None, texts):
            fields = pattern(text + "!" if key == "script" else text)
            self.rows.append(", ".join(str(self.place(fields.get(field, ""))) for field in FIELDS))
        return f"{{{first}, {len(self.rows) - first}}}"


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    patterns, rows = Patterns(), []
    for words, keys in sections(source.read_text(encoding="utf-8").splitlines()):
        if not keys.keys() & {"names", "library", "called", "threads"}:
            sys.exit(f"[{words}]: nothing tells it")
        if "advice" in keys and "code" in keys:
            sys.exit(f"[{words}]: advice, or code")
        lists = ", ".join(patterns.add(keys, key) for key in ("names", "library", "script"))
        rows.append(f"    {{{quoted(words)}, {lists}, {quoted(keys.get('advice', keys.get('code')))}, "
                    f"{quoted(keys.get('check'))}, {str('code' in keys).lower()}, "
                    f"{keys.get('called', '0')}, {quoted(keys.get('threads', ''))}}},")
    if patterns.length > 0xffff:
        sys.exit("more text than 16 bits count")
    out = ["/* Generated from data/named_work.txt; edit that. */", '#include "finding/named_work.h"', "",
           "const char named_work_texts[] =", *(f"    {quoted(text)} \"\\0\"" for text in patterns.texts), "    ;", "",
           "const struct packed_pattern named_work_patterns[] = {", *(f"    {{{row}}}," for row in patterns.rows), "};", "",
           "const struct named_work named_work_rows[] = {", *rows, "};", "",
           "const size_t named_work_count = sizeof(named_work_rows) / sizeof(named_work_rows[0]);", ""]
    target.write_text("\n".join(out), encoding="utf-8")


if __name__ == "__main__":
    main()
