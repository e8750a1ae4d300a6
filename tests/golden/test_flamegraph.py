# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb flamegraph: what stands in the file, and what a browser makes of it."""
import collections
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from perf_data_file import CALLCHAIN, CPU, IP, PERIOD, TID, TIME, CONTEXT_USER, File

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from browser import Browser, chromium  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["</title><script>document.documentElement.setAttribute('hacked', 1)</script>", "]]><script>alert(1)</script>", "operator<=>\"'`&amp;",
           "<img src=x onerror=alert(1)>", "line\u2028and\u2029paragraph", "&#0;&unknown;", "a\x01b\uffff"]
FOLDED = "app;main;hot 60\napp;main;hot;leaf 20\napp;main;cold 10\napp;sys_read_[k] 10\n"


@pytest.fixture(scope="module")
def browser():
    if not chromium():
        pytest.skip("no Chromium here (Debian: chromium)")
    with Browser.start() as started:
        yield started


def draw(plumb, text, *words):
    done = subprocess.run([plumb, "flamegraph", "-i", "-", *words], input=text if isinstance(text, bytes) else text.encode(), capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def frames_of(svg):
    """(level, name, amount, kind) of each frame, in the file's order; the file must be XML."""
    root = ElementTree.fromstring(svg)
    (area,) = [group for group in root.iter(SVG + "g") if group.get("id") == "frames"]
    found = []
    for group in area.findall(SVG + "g"):
        name, _, amount = group.find(SVG + "title").text.rpartition("\n")
        found.append((int(group.get("data-l")), name, amount, group.get("class").split()[1]))
    return found


def text_of(svg, name):
    (element,) = [one for one in ElementTree.fromstring(svg).iter(SVG + "text") if one.get("id") == name]
    return element.text or ""


def open_svg(browser, path, **options):
    return browser.open(path, ready="document.getElementById('frames').dataset.drawn === 'yes'", **options)


def test_frames_are_the_stacks(plumb):
    svg = draw(plumb, FOLDED)
    assert frames_of(svg) == [
        (0, "all", "100 samples, 100.00 %", "all"), (1, "app", "100 samples, 100.00 %", "unknown"),
        (2, "main", "90 samples, 90.00 %", "unknown"), (3, "hot", "80 samples, 80.00 %", "unknown"), (4, "leaf", "20 samples, 20.00 %", "unknown"),
        (3, "cold", "10 samples, 10.00 %", "unknown"), (2, "sys_read", "10 samples, 10.00 %", "kernel")]
    assert text_of(svg, "notes") == "" and text_of(svg, "title") == "Flame graph"


def test_reverse_merges_from_the_leaf_on(plumb):
    levels = collections.defaultdict(set)
    for level, name, *_ in frames_of(draw(plumb, FOLDED, "--reverse")):
        levels[level].add(name)
    assert levels[1] == {"hot", "leaf", "cold", "sys_read"} and levels[2] == {"main", "hot", "app"}


def test_inverted_has_the_root_on_top(plumb):
    def height_of(svg, level):
        (area,) = [group for group in ElementTree.fromstring(svg).iter(SVG + "g") if group.get("id") == "frames"]
        return min(float(group.find(SVG + "rect").get("y")) for group in area if group.get("data-l") == str(level))
    up, down = draw(plumb, FOLDED), draw(plumb, FOLDED, "--inverted")
    assert height_of(up, 0) > height_of(up, 3) and height_of(down, 0) < height_of(down, 3)


def test_names_are_text(plumb):
    clean = [name.replace("\x01", "\ufffd").replace("\uffff", "\ufffd") for name in HOSTILE]
    lines = "".join(f"app;{name.replace(';', ':')} 5\n" for name in HOSTILE)
    svg = draw(plumb, lines.encode() + b"app;no\xffutf8 5\n", "--title", "<b>&\"title\"")
    names = {name for level, name, *_ in frames_of(svg) if level == 2}
    assert names == {name.replace(";", ":") for name in clean} | {"no\ufffdutf8"}
    assert svg.count(b"<script") == 1 and text_of(svg, "title") == "<b>&\"title\""


def test_nothing_of_a_network(plumb):
    svg = draw(plumb, FOLDED)
    body = svg.replace(b"http://www.w3.org/2000/svg", b"").replace(b"http://www.w3.org/1999/xhtml", b"")
    assert not [word for word in (b"http:", b"https:", b"@import", b"url(", b"src=", b"href") if word in body]


def made_recording(path):
    made = File(sample_type=IP | TID | TIME | CPU | PERIOD | CALLCHAIN)
    made.comm(700, 700, "app").mmap2(700, 0x400000, 0x100000, "/opt/app").mmap2(700, 0x800000, 0x100000, "/lib/libx.so.1")
    for at in range(40):
        leaf = 0x800010 if at % 4 == 0 else 0x400010
        made.sample(700, leaf, 10_000_000 + at * 1000, period=1000, chain=(CONTEXT_USER, leaf, 0x400020))
    path.write_bytes(made.file())


def test_recording_by_name_and_by_pipe(plumb, tmp_path):
    made_recording(tmp_path / "perf.data")
    done = subprocess.run([plumb, "flamegraph", "-i", tmp_path / "perf.data", "-o", tmp_path / "out.svg"], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    svg = (tmp_path / "out.svg").read_bytes()
    assert {(level, name, kind) for level, name, _, kind in frames_of(svg)} == {
        (0, "all", "all"), (1, "app", "thread"), (2, "[app]", "program"), (3, "[app]", "program"), (3, "[libx.so.1]", "shared")}
    period = subprocess.run([plumb, "flamegraph", "-i", tmp_path / "perf.data", "--weight", "period"], capture_output=True, timeout=60)
    assert frames_of(period.stdout)[0][2].startswith("40000 ")
    folded = subprocess.run([plumb, "export", "folded", "-i", tmp_path / "perf.data"], capture_output=True, timeout=60, check=True).stdout
    assert [frame[:3] for frame in frames_of(draw(plumb, folded))] == [frame[:3] for frame in frames_of(svg)]


def test_what_is_too_narrow_is_folded_and_told(plumb):
    svg = draw(plumb, "a;b 100000\na;c;d 1\na;e 2\n")
    assert [name for _, name, *_ in frames_of(svg)] == ["all", "a", "b"]
    assert text_of(svg, "notes") == "Frames below 0.5 px are folded into their callers: 0.00 % of all samples."
    assert len(frames_of(draw(plumb, "a;b 100000\na;c;d 1\na;e 2\n", "--min-width", "0"))) == 6


def test_deep_stacks_are_cut_and_told(plumb):
    svg = draw(plumb, ";".join(f"f{at}" for at in range(5000)) + " 3\nf0 2\n")
    assert max(level for level, *_ in frames_of(svg)) == 1000 and "1 stacks deeper than 1000 were cut" in text_of(svg, "notes")


def test_wrong_words(plumb, tmp_path):
    def fails(text, *words):
        done = subprocess.run([plumb, "flamegraph", "-i", "-", *words], input=text, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stderr
    assert fails("", )[0] == 1 and "no stacks" in fails("")[1]
    assert fails("what is this\n")[0] == 1 and "main;work;leaf 12" in fails("what is this\n")[1]
    assert fails(FOLDED, "-e", "cycles")[0] == 2 and fails(FOLDED, "--width", "10")[0] == 2
    assert fails(FOLDED, "-o", "/nowhere/x")[0] == 1 and "/nowhere/x" in fails(FOLDED, "-o", "/nowhere/x")[1]
    assert "2 lines are no stacks" in fails(FOLDED + "x\ny\n")[1]
    gone = subprocess.run([plumb, "flamegraph", "-i", tmp_path / "gone"], capture_output=True, text=True, timeout=60)
    assert gone.returncode == 1 and "gone" in gone.stderr


def shown(page):
    return set(page.evaluate("[...document.querySelectorAll('#frames .f')].filter((one) => one.style.display !== 'none')"
                             ".map((one) => one.querySelector('title').textContent.split('\\n')[0])"))


@pytest.mark.parametrize("dark", [False, True])
def test_is_searched_zoomed_and_turned(plumb, browser, tmp_path, dark):
    (tmp_path / "a.svg").write_bytes(draw(plumb, FOLDED + "".join(f"app;{name.replace(';', ':')} 1\n" for name in HOSTILE)))
    page = open_svg(browser, tmp_path / "a.svg", dark=dark)
    assert page.evaluate("getComputedStyle(document.querySelector('rect.page')).fill") == ("rgb(23, 23, 27)" if dark else "rgb(255, 255, 255)")
    assert page.evaluate("document.documentElement.getAttribute('hacked')") is None and len(shown(page)) == 7 + len(HOSTILE)
    page.key("/")
    page.write("HOT")
    page.wait("document.getElementById('matched').textContent !== ''")
    assert page.evaluate("document.getElementById('matched').textContent") == "matched 74.77 % of samples in 1 frame"
    page.key("Escape")
    assert page.evaluate("document.getElementById('matched').textContent") == ""
    page.click("[...document.querySelectorAll('#frames .f')].find((one) => one.querySelector('title').textContent.startsWith('main\\n'))")
    page.wait("document.getElementById('frames').dataset.zoomed === 'main'")
    assert shown(page) == {"all", "app", "main", "hot", "cold", "leaf"}
    widths = page.evaluate("Object.fromEntries([...document.querySelectorAll('#frames .f')].filter((one) => one.style.display !== 'none')"
                           ".map((one) => [one.querySelector('title').textContent.split('\\n')[0], Math.round(one.querySelector('rect').getAttribute('width'))]))")
    assert widths["main"] == widths["all"] == 1180 and widths["hot"] == round(1180 * 80 / 90)
    page.key("ArrowUp")
    page.wait("document.getElementById('details').textContent.startsWith('hot: 80 samples')")
    page.key("Enter")
    page.wait("document.getElementById('frames').dataset.zoomed === 'hot'")
    page.key("Escape")
    page.wait("document.getElementById('frames').dataset.zoomed === 'all' && document.getElementById('reset').disabled")
    top = "document.querySelector('#frames .f rect').getBoundingClientRect().y"
    before = page.evaluate(top)
    page.key("i")
    assert page.evaluate(top) < before and page.complaints() == []


def test_matches_within_matches_count_once(plumb, browser, tmp_path):
    (tmp_path / "a.svg").write_bytes(draw(plumb, "r;r;r 50\nr;x 25\ny 25\n"))
    page = open_svg(browser, tmp_path / "a.svg")
    page.evaluate("(() => { const search = document.getElementById('search'); search.value = 'r'; search.dispatchEvent(new Event('input')); })()")
    assert page.evaluate("document.getElementById('matched').textContent") == "matched 75.00 % of samples in 3 frames"
    assert page.complaints() == []


def test_a_hundred_thousand_stacks(plumb, browser, tmp_path):
    text = "".join(f"app;main;f{at % 7};a_function_of_some_name_{at % 1000};g{at // 100 % 1000};h{at} {1 + (at % 97 == 0) * 50}\n" for at in range(100_000))
    svg = draw(plumb, text)
    assert len(svg) < 2_000_000 and "are folded into their callers: " in text_of(svg, "notes")
    (tmp_path / "a.svg").write_bytes(svg)
    page = open_svg(browser, tmp_path / "a.svg")
    assert 10 < page.evaluate("document.querySelectorAll('#frames .f').length") < 15_000 and page.complaints() == []


def test_a_tall_one_opens_with_its_root_first(plumb, browser, tmp_path):
    (tmp_path / "tall.svg").write_bytes(draw(plumb, ";".join(f"level_{at}" for at in range(120)) + " 5\napp;main 5\n"))
    page = open_svg(browser, tmp_path / "tall.svg")
    tops = page.evaluate("['all', 'level_119'].map((name) => [...document.querySelectorAll('.f')].find((one) => one.querySelector('title').textContent.startsWith(name + '\\n'))"
                         ".querySelector('rect').getBoundingClientRect().y)")
    assert tops[0] < 120 and tops[1] > 2000
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.complaints() == []
