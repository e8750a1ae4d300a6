#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn data/metrics/*.txt into the rows of src/metric/table/table_builtin.h: output file, then input files.

A file says `cpus:` first, then has entries `metric NAME` and `event NAME`, each followed by indented lines `key: text` or
`key CPU CPU: text`; the latter holds for those CPUs, the former for all others of the file.
"""
import pathlib
import re
import sys

METRIC_KEYS = {"about", "only", "under", "unit", "domain", "value", "flag", "sample", "see", "group", "also"}
EVENT_KEYS = {"about", "code"}
CODE_NUMBERS = ("event", "umask", "cmask", "offcore_rsp", "frontend", "ldlat", "period", "precise", "latency", "fixed")
CODE_FLAGS = {"inv": 1, "edge": 2, "any": 4, "alone": 8}


class Entry:
    def __init__(self, kind, name, cpus, where):
        self.kind, self.name, self.cpus, self.where = kind, name, cpus, where
        self.texts = {}  # key: {cpu or None: text}

    def get(self, key, cpu):
        texts = self.texts.get(key, {})
        return texts.get(cpu, texts.get(None, ""))

    def models(self):
        if self.kind == "event":
            return [cpu for cpu in self.cpus if self.get("code", cpu)]
        only = self.texts.get("only", {}).get(None)
        return [cpu for cpu in self.cpus if (only is None or cpu in only.split()) and self.get("value", cpu)]


def entries_of(path):
    cpus, entry, found = None, None, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{path.name}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("cpus:"):
            cpus = line[5:].split()
        elif match := re.fullmatch(r"(metric|event) (\S+)", line):
            if cpus is None:
                sys.exit(f"{where}: 'cpus:' comes first")
            entry = Entry(match[1], match[2], cpus, where)
            found.append(entry)
        elif match := re.fullmatch(r"\s+(\w+)((?: [A-Z][A-Z0-9-]*)*): *(.+?) *", line):
            if entry is None or match[1] not in (METRIC_KEYS if entry.kind == "metric" else EVENT_KEYS):
                sys.exit(f"{where}: '{match[1]}' is no key of an entry here")
            for cpu in match[2].split() or [None]:
                if cpu is not None and cpu not in cpus:
                    sys.exit(f"{where}: '{cpu}' is none of this file's CPUs")
                if cpu in entry.texts.setdefault(match[1], {}):
                    sys.exit(f"{where}: '{match[1]}' is said twice")
                entry.texts[match[1]][cpu] = match[3]
        else:
            sys.exit(f"{where}: neither an entry nor 'key: text'")
    return found


class Texts:
    """All texts in one array of bytes; rows hold offsets, which need no relocation when plumb starts."""

    def __init__(self):
        self.offsets, self.parts, self.size = {"": 0}, [""], 1

    def add(self, text):
        if text not in self.offsets:
            self.offsets[text] = self.size
            self.parts.append(text)
            self.size += len(text.encode()) + 1
        return self.offsets[text]


def flag_text(metrics, name, cpu, depth=0):
    """The whole condition: the metric's own, and instead of `parent` all that its parent's asks for."""
    entry = metrics.get((name, cpu))
    flag = entry.get("flag", cpu) if entry else ""
    if not flag:
        return ""
    if depth > 12:
        sys.exit(f"{entry.where}: its parents go round")
    if flag[0] in "<>":
        flag = f"{name} {flag}"
    parent = entry.get("under", cpu)
    above = flag_text(metrics, parent, cpu, depth + 1) if parent else ""
    if re.search(r"\bparent\b", flag) and not above:
        sys.exit(f"{entry.where}: there is no flagged parent on {cpu}")
    return re.sub(r"\bparent\b", lambda _: above, flag)


def level_of(metrics, name, cpu):
    level = 0
    while name:
        entry = metrics.get((name, cpu))
        if entry is None:
            sys.exit(f"'{name}' is a parent, but no metric on {cpu}")
        level, name = level + 1, entry.get("under", cpu)
    return level


def is_node(entry, metrics, cpu):
    return bool(entry.get("under", cpu)) or any(
        other.get("under", cpu) == entry.name for (_, model), other in metrics.items() if model == cpu) or (
            entry.get("domain", cpu) in ("Slots", "Clocks") and not entry.name.startswith("Info_"))


def grouped(entry, attributes):
    """{attributes: [cpus]}"""
    groups = {}
    for cpu in entry.models():
        groups.setdefault(attributes(cpu), []).append(cpu)
    return groups


def counters_mask(text):
    mask = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        for counter in range(int(first), int(last or first) + 1):
            mask |= 1 << counter
    return mask


def code_row(entry, text):
    code = {"counters": 0, "flags": 0, "errata": "", "pmu": "", "fixed": -1}
    for word in text.split():
        key, _, value = word.partition("=")
        if key in CODE_NUMBERS:
            code[key] = float(value) if key == "latency" else int(value, 0)
        elif key in CODE_FLAGS and not value:
            code["flags"] |= CODE_FLAGS[key]
        elif key == "counters":
            code[key] = counters_mask(value)
        elif key in ("errata", "pmu"):
            code[key] = value
        else:
            sys.exit(f"{entry.where}: '{word}' is no part of a code")
    return code


def refuse_twins(entries):
    where = {}
    for entry in entries:
        for cpu in entry.models():
            first = where.setdefault((entry.kind, entry.name.lower(), cpu), entry)
            if first is not entry:
                sys.exit(f"{entry.where}: {entry.kind} {entry.name} of {cpu} is said twice, first in {first.where}")


def main():
    target, sources = pathlib.Path(sys.argv[1]), map(pathlib.Path, sys.argv[2:])
    entries = [entry for source in sources for entry in entries_of(source)]
    refuse_twins(entries)
    cpus = list(dict.fromkeys(cpu for entry in entries for cpu in entry.cpus))
    metrics = {(entry.name, cpu): entry for entry in entries if entry.kind == "metric" for cpu in entry.models()}
    texts, metric_rows, event_rows = Texts(), [], []
    mask = lambda models: sum(1 << cpus.index(cpu) for cpu in models)  # noqa: E731
    for entry in entries:
        if entry.kind == "metric":
            attributes = lambda cpu: tuple(entry.get(key, cpu) for key in (  # noqa: E731
                "about", "under", "unit", "domain", "value", "sample", "see", "group", "also")) + (
                    flag_text(metrics, entry.name, cpu), level_of(metrics, entry.name, cpu) if is_node(entry, metrics, cpu) else 0)
            for (about, under, unit, domain, value, sample, see, group, also, flag, level), models in grouped(entry, attributes).items():
                offsets = [texts.add(text) for text in (entry.name, about, under, unit, domain, value, flag, sample, see, group, also)]
                metric_rows.append(f"    {{{mask(models):#x}, {level}, {', '.join(map(str, offsets))}}},")
        else:
            for text, models in grouped(entry, lambda cpu: entry.get("code", cpu)).items():
                code = code_row(entry, text)
                offsets = [texts.add(part) for part in (entry.name, entry.get("about", models[0]), code["pmu"], code["errata"])]
                numbers = [hex(code.get(key, 0)) for key in ("event", "umask", "cmask", "offcore_rsp", "frontend", "ldlat")]
                event_rows.append(f"    {{{mask(models):#x}, {', '.join(map(str, offsets))}, {', '.join(numbers)}, "
                                  f"{code['counters']:#x}, {code.get('period', 0)}, {code.get('precise', 0)}, {code['flags']}, "
                                  f"{code['fixed']}, {code.get('latency', 0)}}},")
    out = ["/* Generated from data/metrics/; edit that. */", '#include "metric/table/table_builtin_rows.h"', "",
           "const char builtin_text[] ="]
    out += ['    "' + part.replace("\\", "\\\\").replace('"', '\\"') + '\\0"' for part in texts.parts]
    out += ["    ;", "", "const char *const builtin_cpus[] = {" + ", ".join(f'"{cpu}"' for cpu in cpus) + "};",
            f"const size_t builtin_cpu_count = {len(cpus)};", "",
            "const struct builtin_metric builtin_metrics[] = {", *metric_rows, "};",
            f"const size_t builtin_metric_count = {len(metric_rows)};", "",
            "const struct builtin_event builtin_events[] = {", *event_rows, "};",
            f"const size_t builtin_event_count = {len(event_rows)};", ""]
    target.write_text("\n".join(out))


if __name__ == "__main__":
    main()
