# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTML report of `plumb diagnose --html`, of cases made here: what stands in the file, and what a browser makes of it."""
import base64
import itertools
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from report_case import BASE, function, make_case, many_stacks_case

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from browser import Browser, chromium  # noqa: E402

HOSTILE = ["</script><script>document.title='broken'</script>", "operator<=>\"'`&amp;", "<img src=x onerror=alert(1)>", "line\u2028and\u2029paragraph",
           "<!--<script>", "${name}\\u003c"]


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


def told_pages(page, words):
    """The pages of what is printed, as lines of text."""
    data = base64.b64decode(page.ask("Page.printToPDF", printBackground=True, **words)["data"])
    text = subprocess.run(["pdftotext", "-layout", "-", "-"], input=data, capture_output=True, check=True).stdout.decode()
    return [[" ".join(line.split()) for line in one.splitlines() if line.strip()] for one in text.split("\f") if one.strip()]


def test_no_heading_stands_alone_in_print(small, plumb, source_root, browser, tmp_path):
    """Whatever the paper: below each heading stands something of what it heads."""
    if not shutil.which("pdftotext"):
        pytest.skip("no pdftotext here (Debian: poppler-utils)")
    for path in (small, told(plumb, tmp_path, source_root / "tests/fixtures/seeds/confidential-guest.md", source_root / "tests/fixtures/seeds/inference.md")):
        page = browser.open(path)
        heads = page.evaluate("[...document.querySelectorAll('h2, h3, header.section')].map((one) => [...one.children].map((part) => part.textContent).join(' ') || one.textContent)")
        heads = {" ".join(one.replace("\u00a0", " ").replace("\u202f", " ").split()) for one in heads}
        for paper in ({"paperWidth": 8.27, "paperHeight": 11.69}, {"paperWidth": 8.5, "paperHeight": 11}, {"paperWidth": 5.8, "paperHeight": 8.3}, {"paperWidth": 8.27, "paperHeight": 9.6},
                      {"paperWidth": 11.69, "paperHeight": 8.27}, {"paperWidth": 8.27, "paperHeight": 13.3}):
            pages = told_pages(page, paper)
            assert len(pages) > 1
            alone = [one[-1] for one in pages if any(" ".join(one[-lines:]) in heads for lines in (1, 2, 3, 4))]
            assert not alone, (path, paper, alone)
            assert any("cause was found" in line or "What to try" in line for line in pages[0]), "a verdict longer than a page begins on the first all the same"


def test_a_page_that_is_printed_at_once_has_its_drawing_and_its_code(small, browser):
    """Without a window no frame ever comes: what is drawn by the next one isn't on the paper."""
    page = browser.open(small, before="window.requestAnimationFrame = () => 0;", ready="document.querySelector('main')")
    assert page.evaluate("document.querySelectorAll('.flame svg').length") == 0, "it waits for a frame"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("[...document.querySelectorAll('.flame g.frame rect')].filter((one) => Number(one.getAttribute('width')) > 0).length") > 0
    assert page.evaluate("document.querySelector('.flame g.frame div').textContent") == "all"
    assert page.evaluate("document.querySelector('#code details').open && document.querySelectorAll('#code details .asm .row').length") > 0
    assert page.complaints() == []


def test_paper_is_light_whatever_was_chosen(small, browser):
    page = browser.open(small, dark=True)
    page.evaluate("[...document.querySelectorAll('.theme button')].find((one) => one.textContent === 'dark').click()")
    page.ask("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    ink, card = page.evaluate("[getComputedStyle(document.body).color, getComputedStyle(document.querySelector('#flame')).backgroundColor]")
    page.evaluate("localStorage.removeItem('plumb-theme')")
    assert (ink, card) == ("rgb(27, 31, 36)", "rgb(255, 255, 255)")
    picture = page.evaluate("(() => { const svg = document.querySelector('.flame svg'); return [svg.getAttribute('viewBox'), svg.getAttribute('width')]; })()")
    assert picture[0].startswith(f"0 0 {picture[1]} "), "it is as wide as the paper, not cut off"


FOCUSED = """(() => {
    const one = document.activeElement, style = getComputedStyle(one), box = one.getBoundingClientRect(), tip = document.getElementById('tip');
    if (one === document.body) return null;
    return { what: `${one.tagName} ${one.className} ${one.textContent.slice(0, 40)}`, told: one.dataset.tip ?? null, tip: tip.hidden ? null : tip.textContent,
        near: Math.abs(tip.getBoundingClientRect().top - box.bottom) < 60 || Math.abs(tip.getBoundingClientRect().bottom - box.top) < 60,
        ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2, seen: box.bottom > 0 && box.top < innerHeight };
})()"""


@pytest.mark.parametrize("dark", [False, True])
def test_all_of_it_by_keys(small, browser, dark):
    """Each thing that does or tells something is met by Tab, in sight, with a ring around it; a number says then what it rests on."""
    page = browser.open(small, dark=dark)
    wanted = page.evaluate("[...document.querySelectorAll('a[href], button:not(:disabled), summary, input, [tabindex]')].filter((one) => one.getClientRects().length).length")
    met = []
    for _ in range(wanted + 5):
        page.key("Tab")
        page.evaluate("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
        stop = page.evaluate(FOCUSED)
        if stop is None:
            break
        met.append(stop)
    assert len(met) == wanted
    assert all(one["ring"] and one["seen"] for one in met), [one for one in met if not (one["ring"] and one["seen"])]
    numbers = [one for one in met if one["told"]]
    assert len(numbers) > 20 and all(one["tip"] == one["told"] and one["near"] for one in numbers), [one for one in numbers if one["tip"] != one["told"] or not one["near"]]


def test_keys_do_what_a_pointer_does(small, browser):
    page = browser.open(small)
    page.evaluate("document.querySelectorAll('#code > details > summary')[1].focus()")
    page.key("Enter")
    page.wait("document.querySelectorAll('#code > details')[1].open && document.querySelectorAll('#code > details')[1].querySelector('.asm .row')")
    page.evaluate("document.querySelectorAll('.theme button')[2].focus()")
    page.key("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.evaluate("document.querySelectorAll('.theme button')[0].click()")
    page.evaluate("document.querySelector('nav a[href=\"#flame\"]').focus()")
    page.key("Enter")
    page.wait("location.hash === '#flame' && Math.abs(document.querySelector('#flame').getBoundingClientRect().top) < 120")
    page.key("/")
    page.write("hot")
    page.wait("document.querySelector('.result').textContent.includes('%')")
    page.key("Escape")
    page.wait("document.querySelector('.result').textContent === ''")
    page.evaluate("document.querySelector('.flame').focus()")
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.key(key)
    page.wait("!document.querySelector('.tools button').disabled")
    page.key("Escape")
    page.wait("document.querySelector('.tools button').disabled")
    page.evaluate("document.querySelector('#functions a[href^=\"#code-\"]').focus()")
    page.key("Enter")
    page.wait("document.querySelector(location.hash).open")
    assert page.complaints() == []


LABELS = {"phase", "run", "working set"}  # columns that say which row it is


def test_every_number_says_what_it_rests_on(small, plumb, source_root, browser, tmp_path):
    pages = [small, told(plumb, tmp_path, source_root / "tests/fixtures/seeds/confidential-guest.md", source_root / "tests/fuzz/seeds/exits/json")]
    compared = tmp_path / "compared.html"
    subprocess.run([plumb, "compare", "-n", "3", "--html", compared, "--", "true", "--", "false"], capture_output=True, timeout=100)
    for path in pages + ([compared] if compared.exists() else []):
        page = browser.open(path)
        bare = page.evaluate("[...document.querySelectorAll('td.number')].filter((one) => /\\d/.test(one.textContent) && !one.querySelector('[data-tip]'))"
                             ".map((one) => [one.closest('table').tHead.rows[0].cells[one.cellIndex].textContent, one.textContent])")
        assert [one for one in bare if one[0] not in LABELS] == [], path


# How protanopes, deuteranopes and tritanopes see linear sRGB (Machado, Oliveira, Fernandes 2009, severity 1).
SIGHTS = {"protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
          "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
          "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
          "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1))}
TOLD_APART = 12  # CIE 1976; the least difference that is seen at all is about 2.3


def lab(colour, sight):
    """CIELAB of what is seen of "#rrggbb"."""
    parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    light = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    seen = [min(1, max(0, sum(a * b for a, b in zip(row, light)))) for row in sight]
    xyz = [sum(a * b for a, b in zip(row, seen)) / white for row, white in
           zip(((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)), (0.95047, 1, 1.08883))]
    x, y, z = (one ** (1 / 3) if one > 0.008856 else 7.787 * one + 16 / 116 for one in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("dark", [False, True])
def test_colours_are_told_apart_by_the_colour_blind(small, browser, dark):
    """Colours that part series, classes and phases from each other, as each kind of eyes sees them; and those of a flame graph."""
    page = browser.open(small, dark=dark)
    colour = "(name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()"
    series = page.evaluate(f"[0, 1, 2, 3, 4, 5, 6, 7].map((at) => ({colour})(`--c${{at}}`))")
    frames = page.evaluate(f"['--flame-own-0', '--flame-library-0', '--flame-kernel-0', '--flame-match'].map({colour})")
    assert all(re.fullmatch("#[0-9a-f]{6}", one) for one in series + frames)
    for name, sight in SIGHTS.items():
        for a, b in [*itertools.combinations(series, 2), *itertools.combinations(frames, 2)]:
            assert math.dist(lab(a, sight), lab(b, sight)) > TOLD_APART, (name, a, b)


def test_imported_exits(plumb, browser, tmp_path):
    """What was imported alone is shown, as imported, with its shares; the rest says that it was not measured."""
    (tmp_path / "exits.txt").write_text("@exits[12]: 3000\n@exits[48]: 120000\n@exits[1]: 500\n")
    page = tmp_path / "page.html"
    subprocess.run([plumb, "diagnose", "-q", "--import", tmp_path / "exits.txt", "--say", "a <b>guest", "--html", page], capture_output=True, timeout=60)
    opened = browser.open(page)
    rows = opened.evaluate("[...document.querySelectorAll('#exits tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent).slice(0, 3).join('; '))")
    assert [one.split(";")[0] for one in rows] == ["reason 48", "reason 12", "reason 1"], "the costliest first"
    assert rows[0] == "reason 48; 120\u202f000; 97 %"
    assert "a <b>guest" in opened.evaluate("document.getElementById('said').textContent")
    assert opened.complaints() == []


def test_runs_and_hot_code_of_others_are_shown(plumb, source_root, browser, tmp_path):
    """Side by side, as they were imported; each number says whose it is, and the page that plumb measured nothing."""
    opened = browser.open(told(plumb, tmp_path, source_root / "tests/fixtures/seeds/two-kernels.md"))
    rows = opened.evaluate("[...document.querySelectorAll('#imported-runs tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent.replaceAll('\u202f', '')).join(';'))")
    assert rows == ["ATen;161 ms;;8330778710;0", "NNC;164 ms;;8386784008;583958024", "NNC;160 ms;;8014232049;0"]
    assert "Nothing that was tried" not in opened.evaluate("document.getElementById('gaps').textContent")
    opened = browser.open(told(plumb, tmp_path, source_root / "tests/fixtures/seeds/inference.md"))
    first = opened.evaluate("[...document.querySelectorAll('#imported-code table')].map((one) => [...one.tBodies[0].rows[0].cells].map((cell) => cell.textContent).join(';'))")
    assert [" ".join(one.split()) for one in first] == ["99.73 %;;sgemm_t_n23_b0;libmkl_avx512.so.2", "8.42 %;;vmovups -0xc0(%r15,%r11,1),%zmm17;"]
    tips = opened.evaluate("[...document.querySelectorAll('#imported-code .q')].map((one) => one.dataset.tip)")
    assert tips and all("imported, not measured by plumb" in tip for tip in tips) and opened.complaints() == []


def test_whose_the_numbers_are_is_said_once_a_section(plumb, source_root, browser, tmp_path):
    """The verdict and the heads of sections say it, not each line; a page with numbers of plumb's own keeps it where it holds."""
    opened = browser.open(told(plumb, tmp_path, source_root / "tests/fixtures/seeds/inference.md"), 1280)
    label, text = "imported, not measured by plumb", "document.querySelector('%s').textContent"
    assert label in opened.evaluate(text % "#verdict h1")
    assert label not in opened.evaluate(text % "#findings") and "As imported: plumb measured none of it." in opened.evaluate(text % "#findings")
    assert label not in opened.evaluate(text % "#verdict .next") and opened.complaints() == []


def test_tables_of_two_guests_are_told_apart(plumb, source_root, browser, tmp_path):
    opened = browser.open(told(plumb, tmp_path, source_root / "tests/fixtures/seeds/confidential-guest.md"))
    titles = opened.evaluate("[...document.querySelectorAll('#exits h3')].map((one) => one.textContent)")
    assert titles == ["Exits of the plain guest, as imported", "Exits of the TDX guest, as imported"]
    first = opened.evaluate("[...document.querySelectorAll('#exits table')].map((one) => [...one.tBodies[0].rows].map((row) => row.cells[0].textContent))")
    assert first[0][0] == "EXIT_REASON_MSR_WRITE" and first[0][-1] == "EXIT_REASON_HLT" and first[1][0] == "EXIT_REASON_EXTERNAL_INTERRUPT", "an idle guest costs nothing"
    left = opened.evaluate("[...document.querySelectorAll('#verdict dt')].find((one) => one.textContent === 'Left open').nextSibling.textContent")
    assert "both were changed together" in left and "compute_ref_matmul is named like" in left
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


def test_a_range_of_few_pairs_is_no_interval(plumb, browser, tmp_path):
    page = tmp_path / "page.html"
    subprocess.run([plumb, "compare", "-n", "2", "--no-noise-floor", "--html", page, "--", "true", "--", "sleep", "0.05"], capture_output=True, timeout=100)
    told_of = browser.open(page).evaluate("[...document.querySelectorAll('#verdict dt')].find((one) => one.textContent === 'Change').nextSibling.textContent")
    assert "the range of 2 pairs: too few for an interval that is 95 % sure" in told_of


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
    page = report_of(plumb, many_stacks_case(tmp_path / "case"), tmp_path / "page.html")
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
