#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of doc/CONTRIBUTING that a short script can hold: banned functions, names, licences, printing, mutable state,
shell scripts. --build names the folder whose objects are searched for mutable globals."""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

BANNED = {
    "strcpy": "text_append", "strcat": "text_append", "sprintf": "snprintf or text_printf", "vsprintf": "vsnprintf",
    "stpcpy": "text_append", "strncpy": "snprintf", "strncat": "text_append", "gets": "getline", "strtok": "view_cut",
    "strtok_r": "view_cut", "atoi": "view_i64", "atol": "view_i64", "atoll": "view_i64", "atof": "view_double",
    "strtol": "view_i64", "strtoul": "view_u64", "strtoll": "view_i64", "strtoull": "view_u64", "scanf": "view_u64",
    "sscanf": "view_u64", "fscanf": "view_u64", "system": "fork and exec", "popen": "fork and exec", "alloca": "an arena",
}
BANNED_CALL = re.compile(r"(?<![\w.>])(" + "|".join(BANNED) + r")\s*\(")
# Only command/ and main talk to the user.
PRINTS = re.compile(r"(?<![\w.>])(printf|puts|putchar|perror|vprintf|err|errx|warn|warnx)\s*\(|\b(stdout|stderr)\b")
MAY_PRINT = {"command", "main.c"}
PERCENT = re.compile(r"\b\w+_percent\b(?!\s*\()")
MAY_PERCENT = {"render", "command"}  # what people read, and what they type
WHOLE_PERCENT = {"cpu_time_max_percent", "skid_percent"}  # facts kept as whole numbers, the first in the kernel's unit
COLUMNS_MOST = 120  # as in .clang-format
NAMELESS_FOLDERS = {"util", "utils", "common", "misc", "helpers", "helper"}
SPDX_NEEDED = (".c", ".h", ".py", ".sh", ".bt", ".scd.in")
# Mutable objects with a reason: lines of tests/mutable_globals.txt, "object-file symbol  why".
MUTABLE_LIST = ROOT / "tests/mutable_globals.txt"


def tracked_files():
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / name.decode() for name in names.split(b"\0") if name and (ROOT / name.decode()).is_file()]


def without_comments_and_strings(text):
    """The same lines with comments and literals blanked."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def check_columns(text):
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > COLUMNS_MOST:
            yield number, f"{len(line)} columns, {COLUMNS_MOST} at most (clang-format --lines={number}:{number})"


def check_c(path, folder, text):
    for number, line in enumerate(without_comments_and_strings(text).splitlines(), 1):
        banned = BANNED_CALL.search(line)
        if banned:
            yield number, f"{banned[1]} is banned: use {BANNED[banned[1]]}"
        if folder not in MAY_PRINT and PRINTS.search(line):
            yield number, f"only command/ and main print ({PRINTS.search(line)[0].strip()})"
        percent = set(PERCENT.findall(line)) - WHOLE_PERCENT
        if folder not in MAY_PERCENT and percent:
            yield number, f"'{min(percent)}': percent is what people read (render/) and type (command/); elsewhere a _ratio (0..1)"


def check_header(path, text):
    if not re.match(r"/\* SPDX[^\n]*\*/\n/\*", text):
        yield 2, "a header opens with the question it answers, after the licence line"
    guard = "PLUMB_" + re.sub(r"\W", "_", str(path.relative_to(ROOT / "src"))).upper()
    if f"#ifndef {guard}\n" not in text and "#pragma once" not in text:
        yield 1, f"the include guard should be {guard}"


def check_sources(files):
    for path in files:
        relative = path.relative_to(ROOT)
        if relative.parts[0] == "src" and path.suffix in (".c", ".h"):
            text = path.read_text()
            for number, what in [*check_c(path, relative.parts[1], text), *check_columns(text)]:
                yield f"{relative}:{number}: {what}"
            if path.suffix == ".h":
                for number, what in check_header(path, text):
                    yield f"{relative}:{number}: {what}"


def check_names(files):
    for path in files:
        relative = path.relative_to(ROOT)
        for part in relative.parts[:-1]:
            if part in NAMELESS_FOLDERS:
                yield f"{relative}: a folder called '{part}' says nothing about what is in it"
        if path.stem in NAMELESS_FOLDERS:
            yield f"{relative}: a file called '{path.stem}' says nothing about what is in it"
        if path.suffix in SPDX_NEEDED and "SPDX-License-Identifier" not in path.read_text(errors="replace")[:300]:
            yield f"{relative}: no SPDX-License-Identifier in its first lines"


def check_licences(files):
    """The text of every licence that a file names is in LICENSES/."""
    for path in files:
        for name in re.findall(r"SPDX-License-Identifier: ([\w.-]+)", path.read_text(errors="replace")[:300]):
            if not (ROOT / "LICENSES" / f"{name}.txt").exists():
                yield f"{path.relative_to(ROOT)}: LICENSES has no {name}.txt"


def check_sentences(files):
    """Sentences are data: they name what is filled in, as {name}."""
    for path in files:
        if path == ROOT / "data/advice.txt":
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = re.search(r"%(?:\.\d+)?(?:l*u|zu|[dfgsx])\b", line)
                if match:
                    yield f"{path.relative_to(ROOT)}:{number}: '{match[0]}' is a format: name what is filled in, as {{name}}"


def check_places(files):
    """No file may name the folder of somebody's checkout."""
    places = {str(ROOT)} | ({str(ROOT.parent)} if len(ROOT.parts) > 3 else set())
    pattern = re.compile("|".join(re.escape(place) + r"\b" for place in sorted(places)))
    for path in files:
        match = pattern.search(path.read_text(errors="replace")) if path.stat().st_size < 4 << 20 else None
        if match:
            yield f"{path.relative_to(ROOT)}: names this machine's folder {match[0]}"


def allowed_mutables():
    if not MUTABLE_LIST.exists():
        return {}
    rows = [line.split(None, 2) for line in MUTABLE_LIST.read_text().splitlines() if line and not line.startswith("#")]
    return {(row[0], row[1]): row[2] for row in rows}


def mutables_of(objects):
    """(source, symbol) of each object in a writable section that isn't only written by the loader."""
    for path in objects:
        listing = subprocess.run(["objdump", "-t", path], capture_output=True, text=True, check=True).stdout
        for line in listing.splitlines():
            match = re.match(r"^[0-9a-f]+ .{5}O? *\bO? *(\.(?:data|bss|tbss|tdata)\S*)\s+[0-9a-f]+\s+(?:\.hidden )?(\S+)$", line)
            if match and not match[1].startswith(".data.rel.ro") and not match[2].startswith("."):
                yield path.name.removesuffix(".c.o").replace("src_", "", 1), match[2]


def check_mutables(build):
    objects = sorted((ROOT / build / "libplumb.a.p").glob("src_*.o"))
    allowed, seen = allowed_mutables(), set()
    for source, symbol in mutables_of(objects):
        bare = re.sub(r"\.\d+$", "", symbol)
        seen.add((source, bare))
        if (source, bare) not in allowed:
            yield f"{source}: '{bare}' is a mutable global: pass it, or say why in {MUTABLE_LIST.relative_to(ROOT)}"
    for row in sorted(set(allowed) - seen) if objects else []:
        yield f"{MUTABLE_LIST.relative_to(ROOT)}: '{' '.join(row)}' isn't there any more"


def check_shell(files):
    scripts = [path for path in files if path.suffix == ".sh" or path.read_bytes()[:20].startswith((b"#!/bin/sh", b"#!/bin/bash", b"#!/usr/bin/env bash"))]
    done = subprocess.run(["shellcheck", "-f", "gcc", *scripts], capture_output=True, text=True)
    yield from done.stdout.splitlines()
    if done.returncode and not done.stdout:
        yield f"shellcheck: {done.stderr.strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    options = parser.parse_args()
    files = tracked_files()
    found = [*check_sources(files), *check_names(files), *check_licences(files), *check_sentences(files), *check_places(files), *check_mutables(options.build), *check_shell(files)]
    print("\n".join(found) if found else f"lint: {len(files)} files, nothing to say")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
