#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put a file into the program: embed.py FILE C-FILE HEADER NAME defines the header's NAME_bytes (ended by NUL) and NAME_length."""
import pathlib
import sys

PLAIN = set(range(0x20, 0x7f)) - set(b'"\\?')
LINE_BYTES = 96


def quoted(piece):
    return '"' + "".join(chr(byte) if byte in PLAIN else f"\\{byte:03o}" for byte in piece) + '"'


def main():
    source, made, header, name = sys.argv[1:]
    page = pathlib.Path(source).read_bytes()
    lines = [quoted(page[at:at + LINE_BYTES]) for at in range(0, len(page), LINE_BYTES)]
    pathlib.Path(made).write_text(
        f"/* Made by web/embed.py. */\n#include \"{header}\"\n\n"
        f"const char {name}_bytes[] =\n" + "\n".join(lines) + ";\n"
        f"const size_t {name}_length = {len(page)};\n", encoding="ascii")


if __name__ == "__main__":
    main()
