# SPDX-License-Identifier: GPL-3.0-or-later
# A thin front for Meson and Ninja; `make help` lists what it does.
BUILD  ?= build
PREFIX ?= /usr/local
CC     ?= cc

.PHONY: all help deps test lint layers clean

all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

$(BUILD)/build.ninja:
	meson setup $(BUILD) --prefix=$(PREFIX)

help:
	@echo "make            build $(BUILD)/plumb"
	@echo "make test       unit, golden and live tests"
	@echo "make layers     who may include whom"

test: all
	tests/run.py --build $(BUILD)

layers:
	tests/layers.py

clean:
	rm -rf $(BUILD)
