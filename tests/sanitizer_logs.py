# SPDX-License-Identifier: GPL-3.0-or-later
"""The sanitizers' logs of a test run: which test made each, and what it says in one line."""
import collections
import pathlib
import re

# clang 14's leak check dies of what it noted about the thread-local storage of libraries opened at run time
# (google/sanitizers issue 1267); it finds such storage without that note.
WORKAROUND = "intercept_tls_get_addr=0"
FRAME = re.compile(r"#\d+ 0x[0-9a-f]+ (?:in )?(\S+) ?(\(?\S*)")
# Frames that every report has, and that say nothing of where it came from.
PLAIN_FRAME = re.compile(r"__interceptor_|__asan|__lsan|__ubsan|__sanitizer|(malloc|calloc|realloc|_start|main)$|__libc_start|criterion|\(")
FRAMES_SHOWN = 10


def name_new(folder, test):
    """Say in the names of new logs where they came from: "log.plumb.123 of golden|test_x.py::test_y"."""
    if folder is None or not pathlib.Path(folder).is_dir():
        return
    for log in list(pathlib.Path(folder).iterdir()):
        if " of " not in log.name:
            log.rename(log.with_name(f"{log.name} of {test.replace('/', '|')}"[:250]))


def drain(folder):
    """(name, text) of each log in this folder and those within; they are gone then."""
    logs = sorted(path for path in folder.rglob("*") if path.is_file())
    texts = [(path.name, path.read_text(errors="replace")) for path in logs]
    for path in logs:
        path.unlink()
    return texts


def frames_of(text):
    """A report's frames, innermost first, as "function file:line"."""
    for name, place in FRAME.findall(text):
        if not PLAIN_FRAME.match(name):
            yield f"{name} {place.rpartition('/')[2].strip('()')}".strip()


def headline_of(text):
    lines = [line for line in text.splitlines() if re.search("ERROR|runtime error|SUMMARY|fatal error", line)]
    first = lines[0] if lines else "a log without a report"
    return re.sub(r"0x[0-9a-f]+|==\d+==", "", first if "runtime error" in first else " ".join(lines)).strip()


def distinct_reports(folder):
    """(log's name, one line with the tests that made it and its frames, text) of each, however often it came."""
    first, makers = {}, collections.defaultdict(collections.Counter)
    for name, text in drain(folder):
        program, _, test = name.partition(" of ")
        sign = headline_of(text) + "; ".join(frames_of(text))
        first.setdefault(sign, (program, text))
        makers[sign][test.replace("|", "/") or re.sub(r"^log\.|\.\d+$", "", program)] += 1
    for sign, (program, text) in first.items():
        made_by = ", ".join(f"{maker} ({times} times)" if times > 1 else maker for maker, times in makers[sign].most_common(5))
        stack = " < ".join(list(frames_of(text))[:FRAMES_SHOWN]) or "no frames"
        yield program, f"{headline_of(text)} | by {made_by} | {stack}", text
