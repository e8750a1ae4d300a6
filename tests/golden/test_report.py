# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTML report of `plumb diagnose --html`, of cases made here: what stands in the file, and what a browser makes of it."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from perf_data_file import CALLCHAIN, CPU, IP, PERIOD, TID, TIME, CONTEXT_USER, File

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from browser import Browser, chromium  # noqa: E402

PID, BASE, SIZE = 700, 0x400000, 0x1000
HOSTILE = ["</script><script>document.title='broken'</script>", "operator<=>\"'`&amp;", "<img src=x onerror=alert(1)>", "line\u2028and\u2029paragraph",
           "<!--<script>", "${name}\\u003c"]


def function(name, at, code=None, dso="/opt/a program/app"):
    made = {"dso": dso, "name": name, "address": hex(at), "size": 0x100, "shown": hex(at)}
    return made | ({"bytes": code, "lines": [{"address": hex(at), "path": "/no/such/<b>file.c", "line": 3}]} if code else {})


def make_case(folder, functions, stacks, comm="app"):
    """A case of one process whose samples have these stacks: addresses, the sampled one first."""
    folder.mkdir()
    made = File(sample_type=IP | TID | TIME | CPU | PERIOD | CALLCHAIN)
    made.comm(PID, PID, comm).mmap2(PID, BASE, SIZE << 12, "/opt/a program/app", offset=BASE)
    records = []
    for at, stack in enumerate(stacks):
        made.data = b""
        made.sample(PID, stack[0], 10_000_000 + at * 333_444, period=333_444, chain=(CONTEXT_USER, *stack))
        records.append(made.data)
    made.data = b""
    made.comm(PID, PID, comm).mmap2(PID, BASE, SIZE << 12, "/opt/a program/app", offset=BASE)
    made.data += b"".join(records)
    (folder / "perf.data").write_bytes(made.file())
    (folder / "code.json").write_text(json.dumps({"schema": 2, "architecture": "x86_64", "functions": functions}))
    return folder


def report_of(plumb, case, page):
    done = subprocess.run([plumb, "diagnose", "-q", "--case", case, "--html", page], capture_output=True, timeout=300)
    assert done.returncode in (0, 4), done.stderr
    return page


def parts_of(page):
    text = page.read_text()
    return {name: json.loads(body) for name, body in re.findall(r'<script type="application/json" id="plumb-([a-z]+)">(.*?)</script>', text, re.S)}


# A loop of nops and a jump back, twice over in the names' functions.
LOOP = ("90" * 14 + "ebf0") * 16


@pytest.fixture(scope="module")
def small(plumb, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    names = ["main", "hot", *HOSTILE]
    functions = [function(name, BASE + 0x100 * at, LOOP) for at, name in enumerate(names)]
    leaf = [BASE + 0x100 * at + 4 for at in range(len(names))]
    stacks = [(leaf[1], leaf[0])] * 60 + [(leaf[at], leaf[1], leaf[0]) for at in range(2, len(names)) for _ in range(10)]
    case = make_case(folder / "case", functions, stacks, comm="<b>app")
    return report_of(plumb, case, folder / "small.html")


@pytest.fixture(scope="module")
def browser():
    if not chromium():
        pytest.skip("no Chromium here (Debian: chromium)")
    with Browser.start() as started:
        yield started


def test_parts_hold_what_was_sampled(small):
    parts = parts_of(small)
    stacks = parts["stacks"]
    assert parts["diagnosis"]["format"] == "plumb diagnosis"
    assert (stacks["format"], stacks["schema"], stacks["samples"], stacks["folded_below"]) == ("plumb stacks", 1, 120, 0)
    rows = [stacks["nodes"][at:at + 3] for at in range(0, len(stacks["nodes"]), 3)]
    named = [(depth, stacks["frames"][frame][0], samples) for depth, frame, samples in rows]
    assert named[:3] == [(0, "<b>app", 120), (1, "main", 120), (2, "hot", 120)]
    assert sorted(named[3:]) == sorted((3, name, 10) for name in HOSTILE)
    times = parts["timeline"]
    assert times["series"][:1] == ["hot"] and times["series"][-2:] == ["kernel", "everything else"] and times["functions"] == 6
    assert sum(map(sum, times["slices"])) == 120 and sum(row[0] for row in times["slices"]) == 60
    hot = next(one for one in parts["code"]["functions"] if one["function"] == "hot")
    assert (hot["samples"], sum(row["sampled"] for row in hot["rows"])) == (60, 60)
    assert hot["lines"][0]["path"] == "/no/such/<b>file.c" and hot["lines"][0]["text"] is None


def test_no_part_ends_its_element(small):
    """Nothing of a recording may be read as markup: neither what ends the element nor what begins a comment stands in a part."""
    text = small.read_text()
    bodies = re.findall(r'<script type="application/json" id="plumb-[a-z]+">(.*?)</script>', text, re.S)
    assert len(bodies) >= 3
    assert not any(sign in body for body in bodies for sign in ("<", ">", "&", "\u2028", "\u2029"))
    assert text.count("<script") == len(bodies) + 1


def test_bytes_that_are_no_utf8_are_shown(plumb, tmp_path):
    case = make_case(tmp_path / "case", [function("good", BASE, LOOP)], [(BASE + 4,)] * 30, comm="app")
    data = (case / "perf.data").read_bytes()
    (case / "perf.data").write_bytes(data.replace(b"app\0", b"a\xffp\0"))
    page = report_of(plumb, case, tmp_path / "page.html")
    assert parts_of(page)["stacks"]["frames"][0][0] == "a\ufffdp"


def test_file_is_tried_before_anything_runs(plumb, tmp_path):
    done = subprocess.run([plumb, "diagnose", "--html", tmp_path / "no/folder.html", "--", "touch", tmp_path / "ran"], capture_output=True, text=True)
    assert done.returncode == 1 and "can't write" in done.stderr and not (tmp_path / "ran").exists()
    there = tmp_path / "there.html"
    there.write_text("as it was")
    done = subprocess.run([plumb, "diagnose", "--html", there, "--case", tmp_path / "none"], capture_output=True, text=True)
    assert done.returncode == 1 and there.read_text() == "as it was"


def test_opened_searched_zoomed(small, browser):
    page = browser.open(small)
    assert page.evaluate("document.title") == "plumb: -" or page.evaluate("document.title").startswith("plumb")
    assert page.evaluate("document.querySelectorAll('img, iframe, object, link').length") == 0
    frames = "[...document.querySelectorAll('.flame g.frame')]"
    names = page.evaluate(f"{frames}.map((one) => one.getAttribute('name'))")
    assert {"all", "main", "hot", "<b>app", *HOSTILE} == set(names)
    page.evaluate("document.getElementById('flame-search').focus()")
    page.write("<img")
    page.wait("document.querySelector('.result').textContent.includes('8.3 %')")
    assert page.evaluate(f"{frames}.filter((one) => one.classList.contains('match')).length") == 1
    page.evaluate("(() => { const search = document.getElementById('flame-search'); search.value = ''; search.dispatchEvent(new Event('input')); })()")
    page.click(f"{frames}.find((one) => one.getAttribute('name').startsWith('operator'))")
    page.wait("!document.querySelector('.tools button').disabled")
    page.settle()
    assert set(page.evaluate(f"{frames}.map((one) => one.getAttribute('name'))")) == {"all", "<b>app", "main", "hot", HOSTILE[1]}
    assert page.evaluate(f"{frames}.every((one) => Math.abs(one.querySelector('rect').getBoundingClientRect().width - document.querySelector('.flame').clientWidth) < 2)")
    page.evaluate("document.querySelector('.flame').focus()")
    page.key("Escape")
    page.wait("document.querySelector('.tools button').disabled")
    page.key("ArrowDown")
    page.key("ArrowDown")
    page.wait("document.querySelector('.details').textContent.startsWith('main')")
    assert page.complaints() == []


@pytest.mark.parametrize("name, width, dark", [("wide", 1280, False), ("dark", 1280, True), ("phone", 390, False)])
def test_fits(small, browser, name, width, dark):
    page = browser.open(small, width=width, dark=dark, phone=width < 500)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    light = page.evaluate("getComputedStyle(document.body).backgroundColor").startswith("rgb(247")
    assert light is not dark
    page.evaluate(f"[...document.querySelectorAll('.theme button')].find((one) => one.textContent === '{'light' if dark else 'dark'}').click()")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor").startswith("rgb(247") is dark
    page.evaluate("[...document.querySelectorAll('.theme button')][0].click()")
    assert page.complaints() == []


def test_imported_exits(plumb, browser, tmp_path):
    """What was imported alone is shown, as imported, with its shares; the rest says that it was not measured."""
    (tmp_path / "exits.txt").write_text("@exits[12]: 3000\n@exits[48]: 120000\n@exits[1]: 500\n")
    page = tmp_path / "page.html"
    subprocess.run([plumb, "diagnose", "-q", "--import", tmp_path / "exits.txt", "--say", "a <b>guest", "--html", page], capture_output=True, timeout=60)
    opened = browser.open(page)
    rows = opened.evaluate("[...document.querySelectorAll('#exits tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent).slice(0, 3).join('; '))")
    assert "reason 48; 120\u202f000; 97 %" in rows and len(rows) == 3
    assert "a <b>guest" in opened.evaluate("document.getElementById('said').textContent")
    assert opened.complaints() == []


def test_tables_of_two_guests_are_told_apart(plumb, source_root, browser, tmp_path):
    opened = browser.open(told(plumb, tmp_path, source_root / "tests/fixtures/seeds/confidential-guest.md"))
    titles = opened.evaluate("[...document.querySelectorAll('#exits h3')].map((one) => one.textContent)")
    assert titles == ["Exits of the plain guest, as imported", "Exits of the TDX guest, as imported"]
    headline = opened.evaluate("document.querySelector('#finding-small-pages .body p').textContent")
    assert headline.startswith("compute_ref_matmul waits"), "a function's name keeps its case"


METRICS = "tma_backend_bound 88.8 %\ntma_bad_speculation 1.2 %\ntma_frontend_bound 4.3 %\ntma_retiring 5.7 %\ntma_memory_bound 75.5 %\ntma_core_bound 13.3 %\n" \
          "tma_dram_bound 66.5 %\ntma_mem_bandwidth 72.6 %\ntma_of_tomorrow 2 %\n"


def told(plumb, folder, *imports):
    """The page of what was imported alone."""
    page = folder / "page.html"
    options = [word for one in imports for word in ("--import", one)]
    done = subprocess.run([plumb, "diagnose", "-q", *options, "--html", page], capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 4), done.stderr
    assert "IMPORTED (not ours)" in done.stdout.splitlines()[0] and "ESTIMATED" not in done.stdout.splitlines()[0]
    assert parts_of(page)["diagnosis"]["basis"] == "imported"
    return page


def test_imported_metrics_are_drawn_as_a_tree(plumb, browser, tmp_path):
    (tmp_path / "tma.txt").write_text(METRICS)
    page = told(plumb, tmp_path, tmp_path / "tma.txt")
    tree = parts_of(page)["topdown"]
    assert tree["leaf"] == "Backend_Bound.Memory_Bound.DRAM_Bound.MEM_Bandwidth" and any("tma_of_tomorrow" in note for note in tree["notes"])
    assert {node["quality"] for node in tree["nodes"] if not isinstance(node["value"], dict) and node["level"]} == {"reported"}
    opened = browser.open(page)
    rows = opened.evaluate("[...document.querySelectorAll('#topdown .branch')].map((one) => [one.querySelector('.name').textContent, one.querySelector('.q').textContent])")
    assert [name.strip(" \u25c0") for name, _ in rows][:4] == ["Backend Bound", "Memory Bound", "DRAM Bound", "MEM Bandwidth"] and len(rows) == 8
    assert dict(rows)["DRAM Bound"] == "66 %", "rounded as the terminal does"
    assert opened.evaluate("[...document.querySelectorAll('#topdown .parts .part')].every((one) => getComputedStyle(one).backgroundColor !== 'rgba(0, 0, 0, 0)')")
    assert opened.evaluate("document.querySelector('#verdict .tag').textContent") == "imported"
    phone = browser.open(page, width=390, phone=True)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    starts = phone.evaluate("[...document.querySelectorAll('#topdown .branch .bar')].map((one) => one.getBoundingClientRect().left)")
    assert max(starts) - min(starts) < 6, "bars of all levels have one scale"
    assert opened.complaints() == [] and phone.complaints() == []


def test_own_exits_are_shown(plumb, source_root, browser, tmp_path):
    """What plumb exits gathered and the case keeps: its own table, no longer only what was imported from others."""
    page = told(plumb, tmp_path, source_root / "tests/fuzz/seeds/exits/json")
    exits = parts_of(page)["exits"]
    assert (exits["format"], exits["exits"]) == ("plumb exits", 5)
    opened = browser.open(page)
    rows = opened.evaluate("[...document.querySelectorAll('#exits tbody tr')].map((row) => row.cells[0].textContent)")
    assert len(rows) == len(exits["rows"]) and "EPT_VIOLATION" in rows
    assert "5 exits" in opened.evaluate("document.querySelector('#exits .lead').textContent")
    assert opened.complaints() == []


def test_what_people_said_is_no_estimate(plumb):
    done = subprocess.run([plumb, "diagnose", "-q", "--say", "it is slow"], capture_output=True, text=True, timeout=60)
    assert "IMPORTED (not ours)" in done.stdout.splitlines()[0]


def test_comparison(plumb, browser, tmp_path):
    """Two commands, one of which sleeps longer: whatever the verdict, the page shows every run."""
    page = tmp_path / "page.html"
    done = subprocess.run([plumb, "compare", "-q", "--runs", "6", "--warmup", "0", "--explain", "0", "--no-noise-floor", "-L", "<i>short", "-L", "long", "--html", page,
                           "sleep", "0.01", "--", "sleep", "0.02"], capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 4), done.stderr
    comparison = parts_of(page)["comparison"]
    assert comparison["schema"] == "plumb-compare-2" and [arm["label"] for arm in comparison["arms"]] == ["<i>short", "long"]
    opened = browser.open(page)
    assert opened.evaluate("document.querySelectorAll('.dots circle').length") == 12
    assert "<i>short" in opened.evaluate("document.querySelector('.dots').textContent")
    assert opened.evaluate("document.querySelector('#verdict h1').textContent").startswith("long "), "a label keeps its case"
    assert opened.evaluate("document.documentElement.scrollWidth") <= 1280 and opened.complaints() == []


def test_what_explains_a_difference_has_its_share(plumb, browser, tmp_path):
    page = tmp_path / "page.html"
    subprocess.run([plumb, "compare", "-q", "--runs", "2", "--warmup", "0", "--explain", "0", "--no-noise-floor", "--html", page, "true", "--", "true"], capture_output=True, timeout=120)
    comparison = parts_of(page)["comparison"]["comparisons"][0]
    given = [{"view": "time", "what": "CPU time", "unit": "seconds", "a_quartiles": {"low": 1, "mid": 1, "high": 1}, "b_quartiles": {"low": 2, "mid": 2, "high": 2},
              "share_of_difference": {"low": 0.4, "mid": 0.51, "high": 0.6}, "false_discovery_rate": 0.01}]
    text = page.read_text()
    assert text.count('"explained_by": []') == 1 and not comparison["explained_by"]
    page.write_text(text.replace('"explained_by": []', f'"explained_by": {json.dumps(given)}'))
    opened = browser.open(page)
    row = opened.evaluate("[...document.querySelectorAll('#pair-0 table')[0].querySelectorAll('tbody td')].map((cell) => cell.textContent)")
    assert row[-1] == "51 %" and opened.complaints() == []


def test_long_names_stay_within_their_column(plumb, browser, tmp_path):
    """A template's name fills pages: its arguments are left out, the title has them. A path without blanks is broken on a phone."""
    long = "std::_Rb_tree<" + "std::pair<std::string const, int>, " * 20 + "std::less<int> >::operator<"
    page = report_of(plumb, make_case(tmp_path / "case", [function(long, BASE, LOOP)], [(BASE + 4,)] * 60), tmp_path / "page.html")
    opened = browser.open(page, width=390, phone=True)
    assert opened.evaluate("[...document.querySelectorAll('#functions code')].map((one) => [one.textContent, one.title])[0]") == ["std::_Rb_tree<\u2026>::operator<", long]
    opened.evaluate("document.querySelector('dl.gaps').append(Object.assign(document.createElement('dd'), { textContent: '/usr/lib/'.repeat(40) }))")
    assert opened.evaluate("document.documentElement.scrollWidth") <= 390
    assert opened.complaints() == []


def test_hundred_thousand_stacks(plumb, browser, tmp_path):
    """As many different stacks: the file stays below 10 MB, and the page is built before the flame graph is drawn."""
    functions = [function(f"a_function_of_some_name_{at}", BASE + 0x100 * at) for at in range(1000)]
    place = [BASE + 0x100 * at + 4 for at in range(1000)]
    stacks = [(place[at % 1000], place[at // 100 % 1000], place[at // 1000 % 100 + 500], place[at // 10000 + 10], place[1], place[0])
              for at in range(100_000)]
    assert len(set(stacks)) == 100_000
    page = report_of(plumb, make_case(tmp_path / "case", functions, stacks), tmp_path / "page.html")
    assert page.stat().st_size < 10_000_000
    stacks = parts_of(page)["stacks"]
    assert stacks["samples"] == 100_000 and len(stacks["nodes"]) / 3 > 100_000 and not stacks["folded_below"]
    opened = browser.open(page)
    opened.wait("performance.getEntriesByName('first-contentful-paint').length")
    built, drawn = opened.evaluate("['plumb-built', 'plumb-drawn'].map((name) => performance.getEntriesByName(name)[0].startTime)")
    assert built < drawn
    assert 100 < opened.evaluate("document.querySelectorAll('.flame g.frame').length") < 20_000
    assert opened.complaints() == []


def test_dist_is_what_the_source_builds(source_root, tmp_path):
    web = source_root / "web"
    if not shutil.which("node"):
        pytest.skip("no node here: web/dist can't be built anew")
    if not (web / "node_modules/esbuild").is_dir():
        pytest.skip("web/node_modules isn't there: make web fetches it")
    subprocess.run(["node", web / "build.mjs", tmp_path], check=True, capture_output=True, timeout=120)
    for name in ("report.html", "THIRD-PARTY.txt"):
        assert (tmp_path / name).read_bytes() == (web / "dist" / name).read_bytes(), f"web/dist/{name} is not what web/ builds: run make web"


def test_no_registry_is_named(source_root):
    lock = json.loads((source_root / "web/package-lock.json").read_text())
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]
