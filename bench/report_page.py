#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How large is a report of a hundred thousand distinct stacks, and when does a browser first paint it? By its own clock, from the
navigation on, in a window of its own each time."""
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/golden")]
from browser import Browser, chromium  # noqa: E402
from report_case import BASE, function, make_case, many_stacks_case  # noqa: E402

TITLE = "A report of 100 000 distinct stacks, opened in a browser"
ENTRIES = ("first-paint", "first-contentful-paint", "plumb-built", "plumb-drawn")


def few_stacks_case(folder):
    return make_case(folder, [function("main", BASE)], [(BASE + 4,)] * 100)


def report_of(plumb, case):
    page = case.with_suffix(".html")
    subprocess.run([plumb, "diagnose", "-q", "--case", case, "--html", page], stdout=subprocess.DEVNULL)
    return page


def times_of(browser, page):
    opened = browser.open(page)
    opened.wait(f"{list(ENTRIES)}.every((name) => performance.getEntriesByName(name).length)")
    return [opened.evaluate(f"performance.getEntriesByName('{name}')[0].startTime") for name in ENTRIES]


def measured_section(plumb, folder, rounds):
    lines = [f"## {TITLE}", "", "Asked: first paint under 1 s, a file under 10 MB.", ""]
    if not chromium():
        return [*lines, "Not measured: there is no Chromium here.", ""]
    pages = {"100 000 stacks": report_of(plumb, many_stacks_case(folder / "many")), "one stack": report_of(plumb, few_stacks_case(folder / "few"))}
    with Browser.start() as browser:
        runs = {name: [] for name in pages}
        for _ in range(rounds):
            for name, page in pages.items():
                runs[name].append(times_of(browser, page))
    lines += [f"| page | size | {' | '.join(ENTRIES)} |", "|---|---|" + "---|" * len(ENTRIES)]
    for name, page in pages.items():
        said = [f"{statistics.median(column):.0f} ms (most {max(column):.0f})" for column in zip(*runs[name])]
        lines.append(f"| {name} | {page.stat().st_size / 1e6:.2f} MB | {' | '.join(said)} |")
    lines += ["", f"Median of {rounds} openings, each a page of its own in a headless browser that was started once; plumb-built: all of the page but the flame graph stands, plumb-drawn: that, too.", ""]
    print("\n".join(lines), flush=True)
    return lines


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="plumb-page-") as made:
        measured_section(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/plumb", pathlib.Path(made), 9)
