# SPDX-License-Identifier: GPL-3.0-or-later
"""bench/RESULTS.md: a head, then sections, each made anew by itself while the others stay as they were."""
import platform
import re

ORDER = ("start", "stat", "tracepoints", "exits", "record", "overhead", "reading", "diagnosis", "report", "pages", "tables", "topdown", "relu",
         "known_tuning", "known_test", "known_generated")


def kept_sections(path):
    """The sections of an earlier run, for those that aren't measured again: {name: text}."""
    parts = re.split(r"^<!-- section (\w+) -->$", path.read_text(), flags=re.M) if path.exists() else []
    return {name: text.strip() + "\n" for name, text in zip(parts[1::2], parts[2::2])}


def cpu_model():
    return next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())


def sections_elsewhere(path, cpu):
    """The same, for a head that will name this CPU: what the earlier head's other CPU gave says so itself."""
    sections = kept_sections(path)
    named = re.search(r"^- CPU: (.*)$", path.read_text(), flags=re.M) if path.exists() else None
    if not named or named[1] == cpu:
        return sections
    return {name: text if re.search(r"^Measured on the CPU |, CPU ", text, flags=re.M) else f"{text}\nMeasured on the CPU {named[1]}.\n" for name, text in sections.items()}


def write(output, first_lines, sections):
    parts = [f"<!-- section {name} -->\n{sections[name]}" for name in ORDER if name in sections]
    output.write_text(re.sub(r"\n{3,}", "\n\n", "\n".join([*first_lines, "", *parts])).rstrip() + "\n")


def write_section(output, name, lines):
    """One section anew; all else, the head too, stays as it was."""
    sections = kept_sections(output) | {name: "\n".join(lines).strip() + "\n"}
    write(output, output.read_text().split("<!-- section", 1)[0].rstrip().splitlines(), sections)
