#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn data/told_words.txt into the groups of src/analyse/told/told_words.h: input, then the header and the table."""
import pathlib
import re
import sys

KINDS = {"<number>": 1, "<path>": 2, "<year>": 3, "<end>": 4}
HEAD = re.compile(r"\[([a-z. ]+)(?:, (\d+))?\](?: \S.*)?")
WORD = re.compile(r'\s*(?:"([^"]+)"|([^",{]+?)|\{([a-z. ]+)\})(\*?)\s*(?:,|$)')


def words_of(line, number, groups):
    """As they are compared: a blank ends a word that must end there."""
    at = 0
    while at < len(line.rstrip(" ,")):
        match = WORD.match(line, at)
        if not match:
            sys.exit(f"line {number}: expected words with commas between them")
        quoted, plain, group, goes_on = match.groups()
        at = match.end()
        if group:
            if group not in groups:
                sys.exit(f"line {number}: no group [{group}] before this one")
            yield from groups[group]
            continue
        word = quoted or plain
        if word != word.lower() or word != word.strip() or "  " in word:
            sys.exit(f"line {number}: '{word}' can't be found: sentences are compared in lower case, with one blank")
        yield chr(KINDS[word]) if word in KINDS else word if goes_on else word + " "


def groups_of(lines):
    groups, limits, name = {}, {}, None
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("["):
            head = HEAD.fullmatch(line)
            if not head or head[1] in groups:
                sys.exit(f"line {number}: expected [a new name] and what the group says")
            name = head[1]
            groups[name] = []
            limits[name] = int(head[2] or 0)
            continue
        for word in words_of(line, number, groups):
            if name is None or word in groups[name]:
                sys.exit(f"line {number}: '{word.strip()}' is in no group, or in it twice")
            groups[name].append(word)
    for name, words in groups.items():
        if not words or 0 < limits[name] < len(words):
            sys.exit(f"[{name}] has {len(words)} words")
    return groups


def quoted(words):
    """Each ends in a zero, and the group in another."""
    text = "".join(word + "\0" for word in words) + "\0"
    out = "".join(chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in text.encode())
    return f'"{out}"'


def main():
    groups = groups_of(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines())
    note = "/* Generated from data/told_words.txt; edit that. */"
    names = ["WORDS_" + re.sub("[. ]", "_", name).upper() for name in groups]
    header = [note, "#ifndef PLUMB_ANALYSE_TOLD_TOLD_GROUPS_H", "#define PLUMB_ANALYSE_TOLD_TOLD_GROUPS_H", "", "#include <stdint.h>", "",
              "enum words {", "    WORDS_NONE,", *(f"    {name}," for name in names), "};", "",
              "/* What stands for many words, by its only character. */", "enum word_kind {",
              *(f"    KIND_{kind.strip('<>').upper()} = {value}," for kind, value in KINDS.items()), "};", "",
              "extern const char words_text[];", "extern const uint32_t words_begin[]; /* of each group, in the text */", "", "#endif", ""]
    begins, at = [], 1
    for words in groups.values():
        begins.append(at)
        at += sum(len(word.encode()) + 1 for word in words) + 1
    table = [note, '#include "analyse/told/told_groups.h"', "", "const char words_text[] =", '    "\\000"',
             *(f"    {quoted(words)}" for words in groups.values()), "    ;", "",
             "const uint32_t words_begin[] = {0, " + ", ".join(map(str, begins)) + "};", ""]
    pathlib.Path(sys.argv[2]).write_text("\n".join(header), encoding="utf-8")
    pathlib.Path(sys.argv[3]).write_text("\n".join(table), encoding="utf-8")


main()
