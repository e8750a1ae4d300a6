#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn data/exit_costs.tsv into the rows of src/probe/guest/typical_cost.h: input, then output file."""
import pathlib
import sys

COSTS = ("cpuid", "cpuid_hypervisor", "rdtsc", "touch_used", "touch_old", "host_fault", "wake_polled", "wake_idle", "ipi", "tick", "interruption")
PLACES = ("metal", "kvm", "nested", "tdx", "snp")


def rows(lines):
    seen = set()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 5 or cells[0] not in COSTS or cells[1] not in PLACES or not cells[4]:
            sys.exit(f"line {number}: not cost, where, low, high, source")
        if (cells[0], cells[1]) in seen:
            sys.exit(f"line {number}: {cells[0]} {cells[1]} is there twice")
        seen.add((cells[0], cells[1]))
        low, high = ("-1", "-1") if cells[2] == cells[3] == "-" else (cells[2], cells[3])
        if float(low) > float(high):
            sys.exit(f"line {number}: low is above high")
        yield cells[0], cells[1], low, high, cells[4]


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    out = ["/* Generated from data/exit_costs.tsv; edit that. */", '#include "probe/guest/typical_cost.h"', "",
           "const struct typical_cost typical_cost_rows[] = {"]
    for cost, place, low, high, text in rows(source.read_text().splitlines()):
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        out.append(f'    {{"{cost}_ns", TYPICAL_{place.upper()}, {low}, {high}, "{quoted}"}},')
    out += ["};", "", "const size_t typical_cost_row_count = sizeof(typical_cost_rows) / sizeof(typical_cost_rows[0]);", ""]
    target.write_text("\n".join(out))


if __name__ == "__main__":
    main()
