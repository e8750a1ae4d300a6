#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put the built page of the report into the program: web/dist/report.html, then the C file to write."""
import pathlib
import sys

PLAIN = set(range(0x20, 0x7f)) - set(b'"\\?')
LINE_BYTES = 96


def quoted(piece):
    return '"' + "".join(chr(byte) if byte in PLAIN else f"\\{byte:03o}" for byte in piece) + '"'


def main():
    page = pathlib.Path(sys.argv[1]).read_bytes()
    lines = [quoted(page[at:at + LINE_BYTES]) for at in range(0, len(page), LINE_BYTES)]
    pathlib.Path(sys.argv[2]).write_text(
        "/* Made by web/embed.py. */\n#include \"render/report/report.h\"\n\n"
        "const char report_page_bytes[] =\n" + "\n".join(lines) + ";\n"
        f"const size_t report_page_length = {len(page)};\n", encoding="ascii")


if __name__ == "__main__":
    main()
