#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What must hold before every push: layers, lint, units and golden tests; under a minute.
set -e
cd "$(dirname "$0")/.."
python3 tests/layers.py
python3 tests/lint.py --build "${BUILD:-build}"
python3 tests/run.py --build "${BUILD:-build}" --only units,golden
