#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn data/instruction_costs_*.tsv into the tables of src/analyse/loop/core_costs.h: input files, then output file."""
import pathlib
import re
import sys

WIDTHS = {"8": 1, "16": 2, "32": 4, "64": 8, "x": 16, "y": 32, "z": 64}
FORMS = "inmrsLBke2"
DEFAULTS = {"latency_load_plain": None, "delaminates": "0", "fuses": "0", "false": "-", "eliminates": "-"}
NUMBERS = ("slots", "latency_load", "latency_load_plain", "latency_load_vector", "latency_load_wide", "forward",
           "forward_vector", "forward_stack")
UNITS = ("load", "store_address", "store_data", "branch_taken", "branch_not")
PARTS_MOST = 5


def fail(where, what):
    sys.exit(f"{where}: {what}")


def braces(text):
    """Each text that "a{b,c}d" stands for."""
    opened = re.search(r"\{([^{}]*)\}", text)
    if not opened:
        return [text]
    return [whole for choice in opened[1].split(",") for whole in braces(text[:opened.start()] + choice + text[opened.end():])]


def unit_mask(core, letters, where):
    mask = 0
    for letter in letters:
        if letter not in core["units"]:
            fail(where, f"core {core['key']} has no unit '{letter}'")
        mask |= 1 << list(core["units"]).index(letter)
    return mask


def read_core(cells, where):
    core = {"key": cells[1], **DEFAULTS, **dict(cell.split("=", 1) for cell in cells[2:])}
    core["units"] = dict(unit.split(":") for unit in core["units"].split(","))
    core["latency_load_plain"] = core["latency_load_plain"] or core["latency_load"]
    for name in NUMBERS:
        float(core[name])
    for name in UNITS:
        core[name] = unit_mask(core, core[name], where)
    return core


def read_cell(core, text, where):
    """(latency, slots, [(units, cycles)]) or None: not known."""
    if text == "?":
        return None
    latency, _, rest = text.partition(":")
    operations, _, slots = rest.partition(";")
    parts, issued = [], 0.0
    for term in operations.split("+") if operations != "-" else []:
        count, star, letters = term.rpartition("*")
        cycles = float(count) if star else 1.0
        parts.append((unit_mask(core, letters, where), cycles))
        issued += cycles if letters not in ("d", "e", "l") else 0
    if len(parts) > PARTS_MOST:
        fail(where, f"more than {PARTS_MOST} terms")
    return float(latency), float(slots) if slots else max(issued, 1.0), parts


def read_rows(path):
    cores, rows = [], []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path.name}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if cells[0] == "core":
            cores.append(read_core(cells, where))
            continue
        if len(cells) != 3 + len(cores):
            fail(where, f"{len(cells)} cells, {3 + len(cores)} expected")
        for at in range(4, len(cells)):
            if cells[at] == "=":
                cells[at] = cells[at - 1]
        widths = 0 if cells[1] == "*" else sum(WIDTHS[width] for width in cells[1].split(","))
        form = 0 if cells[2] == "*" else sum(1 << FORMS.index(letter) for letter in cells[2])
        names = braces(cells[0])
        if len(set(names)) != len(names):
            fail(where, "a name twice")
        for name in names:
            rows.append((name, number, widths, form, [read_cell(core, cell, where) for core, cell in zip(cores, cells[3:])]))
    return cores, sorted(rows, key=lambda row: row[:2])


def write_core(at, core, rows, out):
    name = f"rows_{core['key']}"
    out.append(f"static const struct cost_row {name}[] = {{")
    count = 0
    for mnemonic, _, widths, form, cells in rows:
        count += 1
        if cells[at] is None:
            out.append(f'    {{"{mnemonic}", {widths}, {form:#x}, true, 0, 0, 0, {{{{0}}}}}},')
            continue
        latency, slots, parts = cells[at]
        listed = ", ".join(f"{{{mask:#x}, {cycles}f}}" for mask, cycles in parts) or "{0}"
        out.append(f'    {{"{mnemonic}", {widths}, {form:#x}, false, {len(parts)}, {latency}f, {slots}f, {{{listed}}}}},')
    out.append("};")
    out.append("")
    return name, count


def write_entry(core, name, count):
    keys = "".join(f'"{key}", ' for key in core["keys"].split(","))
    units = ", ".join(f'"{unit}"' for unit in core["units"].values())
    dividers = sum(1 << at for at, letter in enumerate(core["units"]) if letter in "de")
    falses = "".join(f'"{one}", ' for one in core["false"].split(",") if one != "-")
    lines = [f'    {{.key = "{core["key"]}", .serves = {{{keys}NULL}}, .unit_names = {{{units}}}, .unit_count = {len(core["units"])},']
    lines += [f"     .{number} = {float(core[number])}f," for number in NUMBERS]
    lines += [f"     .{unit} = {core[unit]:#x}," for unit in UNITS]
    lines.append(f"     .divider = {dividers:#x}, .eliminates_general = {'g' in core['eliminates']:d}, "
                 f".eliminates_vector = {'v' in core['eliminates']:d},")
    lines.append(f"     .fuses_branches = {core['fuses']}, .delaminates = {core['delaminates']}, .waits_falsely = {{{falses}NULL}},")
    lines.append(f"     .rows = {name}, .row_count = {count}}},")
    return lines


def main():
    *sources, target = map(pathlib.Path, sys.argv[1:])
    out = ["/* Generated from data/instruction_costs_*.tsv; edit those. */", '#include "analyse/loop/core_costs.h"', ""]
    entries = []
    for source in sources:
        cores, rows = read_rows(source)
        for at, core in enumerate(cores):
            name, count = write_core(at, core, rows, out)
            entries += write_entry(core, name, count)
    out += ["const struct core_costs core_costs_table[] = {", *entries, "};", "",
            "const size_t core_costs_count = sizeof(core_costs_table) / sizeof(core_costs_table[0]);", ""]
    target.write_text("\n".join(out))


if __name__ == "__main__":
    main()
