#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command has a manual page that scdoc accepts; each option in the command's table is defined there, and each
option defined there is in the table."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OF_EVERY_COMMAND = {"--help", "-h"}


def help_text(plumb, *words):
    return subprocess.run([plumb, *words], capture_output=True, text=True, check=True, timeout=60).stdout


def commands_of(overview):
    return re.findall(r"^  (\S+) ", overview.split("commands:")[1].split("\n\n")[0], re.M)


def options_of_help(text):
    """The first columns of lines such as "  -e, --event EVENT   help"."""
    found = set()
    for line in text.splitlines():
        match = re.match(r"^  (?:(-[^-\s])(?:, (-[^-\s]))*)?(?:, |    )?(--[\w-]+)?", line)
        if match:
            found |= {word for word in match.groups() if word}
    return found


def options_of_page(text):
    """The options that lines such as "*-e*, *--event* _EVENT_" define; scdoc lets underscores be escaped."""
    found = set()
    for line in text.splitlines():
        if re.match(r"^\*-", line):
            found |= set(re.findall(r"\*(--?[\w-]+)", line.replace("\\", "")))
    return found


def rendering(name, text):
    """What scdoc and groff have against a page."""
    page = subprocess.run(["scdoc"], input=text, capture_output=True, text=True)
    if page.returncode:
        yield f"{name}: scdoc: {page.stderr.strip()}"
        return
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", "-Kutf8"], input=page.stdout, capture_output=True, text=True)
        yield from (f"{name}: groff: {line.strip()}" for line in done.stderr.splitlines())


def check_page(plumb, command, folder):
    page = folder / f"plumb-{command}.1.scd"
    if not page.exists():
        yield f"{command}: no manual page {page.name}"
        return
    text = page.read_text()
    yield from rendering(page.name, text)
    if not text.startswith(f"plumb-{command}(1)"):
        yield f"{page.name}: is not titled plumb-{command}(1)"
    table, defined = options_of_help(help_text(plumb, command, "--help")), options_of_page(text)
    for option in sorted(table - defined - OF_EVERY_COMMAND):
        yield f"{page.name}: {option} is in the table, but not in the page"
    for option in sorted(defined - table - OF_EVERY_COMMAND):
        yield f"{page.name}: {option} is in the page, but not in the table"


def check_overview(commands, folder):
    """plumb(1) lists exactly the commands there are."""
    text = (folder / "plumb.1.scd").read_text()
    yield from rendering("plumb.1.scd", text)
    listed = re.findall(r"^\*plumb-(\w+)\*\(1\)$", text, re.M)
    for command in sorted(set(commands) ^ set(listed)):
        yield f"plumb.1.scd: {command} is {'not listed' if command in commands else 'no command'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plumb", default=ROOT / "build/plumb")
    parser.add_argument("--pages", type=pathlib.Path, default=ROOT / "doc/man")
    options = parser.parse_args()
    commands = commands_of(help_text(options.plumb, "help"))
    found = [line for command in commands for line in check_page(options.plumb, command, options.pages)]
    found += check_overview(commands, options.pages)
    known = {f"plumb-{command}.1.scd" for command in commands} | {"plumb.1.scd"}
    found += [f"{page.name}: there is no such command" for page in options.pages.glob("*.scd") if page.name not in known]
    print("\n".join(found) if found else f"manuals: {len(commands)} commands, each with a true page")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
