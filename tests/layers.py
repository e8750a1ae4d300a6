#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flag every #include "folder/…" in src/ that tests/layers.txt does not allow, and kernel or ELF types outside
their layers."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# header pattern: folders that may include it (struct perf_event_attr and friends; ELF, DWARF, decoders)
SYSTEM_HEADERS = {
    r"linux/perf_event\.h": {"system", "metric", "source", "decode", "capture"},
    r"(elf|gelf|libelf|dwarf|elfutils/.*|Zydis/.*|llvm-c/.*)\.h": {"symbol"},
    r"traceevent/.*\.h": {"decode"},
}


def allowed_includes():
    rules = {}
    for line in (ROOT / "tests/layers.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            folder, _, others = line.partition(":")
            rules[folder.strip()] = set(others.split()) | {folder.strip()}
    return rules


def violations(rules):
    for path in sorted((ROOT / "src").rglob("*.[ch]")):
        folder = path.relative_to(ROOT / "src").parts[0]
        if folder == path.name:
            continue  # main.c
        if folder not in rules:
            yield f"{path.relative_to(ROOT)}: folder '{folder}' is not in tests/layers.txt"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            place = f"{path.relative_to(ROOT)}:{number}"
            own = re.match(r'\s*#\s*include\s+"([^/"]+)/', line)
            if own and "*" not in rules[folder] and own[1] not in rules[folder]:
                yield f"{place}: {folder}/ may not include {own[1]}/"
            for pattern, folders in SYSTEM_HEADERS.items():
                if re.match(rf"\s*#\s*include\s+<{pattern}>", line) and folder not in folders:
                    yield f"{place}: {folder}/ may not include {line.split()[1]}"


def main():
    rules = allowed_includes()
    found = list(violations(rules))
    print("\n".join(found) if found else f"layers: {len(rules)} folders, no upward include")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
