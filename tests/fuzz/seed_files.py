# SPDX-License-Identifier: GPL-3.0-or-later
"""Which fuzz targets there are, and the files each starts from."""
import os
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent


def shared_data():
    return pathlib.Path(os.environ.get("PLUMB_SHARED_DATA") or HERE.parent.parent.parent / "shared/data")


def seeds_of(name):
    """The files to start from: the project's own, and those of the shared data when it is there."""
    found = [path for path in sorted((HERE / "seeds" / name).glob("*")) if path.is_file()]
    for line in (HERE / "shared_seeds.txt").read_text().splitlines():
        words = line.split()
        if words and not line.startswith("#") and words[0] == name and shared_data().is_dir():
            found += sorted(shared_data().glob(words[1]))
    return found


def unlisted():
    """Sources of fuzz targets that no build knows."""
    listed = set(re.findall(r"^  '(\w+)',", (HERE / "meson.build").read_text(), re.M))
    return sorted({path.stem[len("fuzz_"):] for path in HERE.glob("fuzz_*.c")} - listed)
