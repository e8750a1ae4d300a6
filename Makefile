# SPDX-License-Identifier: GPL-3.0-or-later
# A thin front for Meson and Ninja; `make help` lists what it does.
BUILD        ?= build
PREFIX       ?= /usr/local
DESTDIR      ?=
CROSS        ?=
WERROR       ?= false
FUZZ_SECONDS ?= 10

SETUP := meson setup --prefix=$(abspath $(PREFIX)) -Dwerror=$(WERROR)
# CC as given (make CC=clang BUILD=build-clang), not make's own default.
ifneq ($(origin CC),default)
export CC
endif
# Ninja is parallel; the goals here are steps one after the other.
.NOTPARALLEL:

CORE_BUILD := build-core$(if $(CROSS),-$(CROSS))

.PHONY: all help deps core test test-pmu quick bench demo asan fuzz lint layers hypotheses install bundle deb fresh web check-web clean

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@packaging/deps.sh build test
	@$(SETUP) $(BUILD)

help:
	@echo "make             build $(BUILD)/plumb"
	@echo "make test        unit, golden and live tests; the last line counts them"
	@echo "make quick       layers, units and golden tests: under a minute"
	@echo "make test-pmu    the static core on a real PMU driver: an arm64 kernel under QEMU"
	@echo "make asan        every test under the address and undefined-behaviour sanitizers"
	@echo "make fuzz        each fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS)"
	@echo "make lint        banned functions, names, licences, mutable globals, shell scripts, layers, manual pages"
	@echo "make hypotheses  doc/HYPOTHESES.md anew, from the table of hypotheses"
	@echo "make demo        diagnose a real program, then try the advice"
	@echo "make bench       plumb beside its peers, and how often its diagnosis is right: bench/RESULTS.md"
	@echo "make core        the static core (stat, record, topdown, doctor); CROSS=aarch64-linux-gnu builds it for AArch64"
	@echo "make bundle      an archive that runs wherever it is unpacked, an empty chroot included"
	@echo "make deb         a Debian package of plumb, its manual pages and completions"
	@echo "make install     PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)"
	@echo "make web         build the HTML report's page anew: web/dist, which is committed (needs npm)"
	@echo "make check-web   whether web/dist is what web/ builds; skips without npm"
	@echo "make deps        install what all of these need from Debian"
	@echo "make clean       remove every build folder"
	@echo "BUILD=folder CC=compiler WERROR=true choose where, with what and how strictly"

deps:
	@packaging/deps.sh build test demo bench asan fuzz lint bundle install cross arm64 browser

core:
	@packaging/deps.sh build $(if $(CROSS),cross)
	@[ -f $(CORE_BUILD)/build.ninja ] || meson setup $(CORE_BUILD) -Dcore=true -Dwerror=$(WERROR) $(if $(CROSS),--cross-file packaging/cross/$(CROSS).txt)
	@ninja -C $(CORE_BUILD)
	@echo "the static core is $(CORE_BUILD)/plumb"

test: deps-test all
	@tests/run.py --build $(BUILD)

quick: deps-test all
	@BUILD=$(BUILD) tests/quick.sh

test-pmu: deps-test all
	@packaging/deps.sh arm64
	@$(MAKE) --no-print-directory core CROSS=aarch64-linux-gnu
	@tests/run.py --build $(BUILD) --only pmu

asan:
	@packaging/deps.sh build test asan
	@[ -f build-asan/build.ninja ] || CC=clang $(SETUP) build-asan -Db_sanitize=address,undefined -Db_lundef=false
	@ninja -C build-asan
	@tests/run.py --build build-asan --sanitized

fuzz:
	@packaging/deps.sh build test fuzz
	@[ -f build-fuzz/build.ninja ] || CC=clang $(SETUP) build-fuzz -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false
	@ninja -C build-fuzz
	@tests/fuzz/run.py --build build-fuzz --seconds $(FUZZ_SECONDS)

lint: all layers
	@packaging/deps.sh lint
	@tests/lint.py --build $(BUILD)
	@tests/check_manuals.py --plumb $(BUILD)/plumb

layers:
	@packaging/deps.sh lint
	@tests/layers.py

hypotheses: all
	@$(BUILD)/tests/hypotheses_page > doc/HYPOTHESES.md.new && mv doc/HYPOTHESES.md.new doc/HYPOTHESES.md
	@echo "doc/HYPOTHESES.md is what src/finding and data/advice.txt say"

install: all
	@packaging/deps.sh install
	@DESTDIR="$(DESTDIR)" packaging/install.sh $(BUILD) "$(abspath $(PREFIX))"

demo: deps-demo all
	@bench/demo.sh $(BUILD)

bench: deps-bench all
	@bench/run.py --build $(BUILD)

bundle: all
	@packaging/deps.sh bundle install
	@packaging/bundle.py --build $(BUILD)

deb: all
	@packaging/deps.sh bundle install
	@packaging/deb.py --build $(BUILD)

# What npm may run of its own at installing isn't needed.
web:
	@cd web && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && node build.mjs

check-web:
	@web/check.sh

clean:
	rm -rf build build-asan build-fuzz build-clang build-core build-core-*

# Before the build is configured: what it finds then is what it builds.
.PHONY: deps-test deps-demo deps-bench
deps-test:
	@packaging/deps.sh build test
deps-demo:
	@packaging/deps.sh build test demo
deps-bench:
	@packaging/deps.sh build test demo bench
