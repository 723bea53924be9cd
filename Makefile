# One word each:
#   make demo    from a fresh machine to related pages, over the snapshot in demo/
#   make test    all tests, those on real engines too (a JDK and Maven are needed for these)
#   make lint    style and types
#   make sanitize  the parts in C under gcc's sanitizers and beside their Python; a few minutes.
#                OPTIONS="--seed 7 --inputs 10000" gives other and more inputs
#   make bench   all benchmarks, beside peers that it installs; about ten minutes on two quiet cores
#   make setup   only .venv, with the command .venv/bin/pagekin in it: of the newest Python that works
#                (scripts/find-python), or of the one named by PYTHON=/path/to/python3
#   make clean   remove all that was made here, .venv too
# Everything is installed into .venv and nothing outside of this folder is touched.

SHELL := /bin/bash
PYTHON ?=
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PEERS := $(VENV)/.peers
SOURCES := lib jobs tests demo scripts setup.py
C_SOURCES := $(shell find lib/pagekin -name "*.[ch]")

.PHONY: setup demo test sanitize bench lint format clean

setup: $(READY)

$(READY): setup.cfg pyproject.toml setup.py $(C_SOURCES)
	@if [ -n "$(PYTHON)" ] || ! scripts/find-python $(BIN)/python > /dev/null 2>&1; then \
	  python=$$(scripts/find-python $(PYTHON)) && $$python -m venv --clear $(VENV); \
	fi
	@echo "== installing pagekin and its dependencies for $$($(BIN)/python --version) into $(VENV)"
	@find lib/pagekin -name "*.so" -delete
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(BIN)/python -m compileall -q lib jobs
	@touch $(READY)
	@echo "== $$($(BIN)/python -m pagekin.native)"
	@echo "== ready: $(BIN)/pagekin"

demo: $(READY)
	@scripts/demo

test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

sanitize: $(READY)
	scripts/sanitize $(OPTIONS)

bench: $(PEERS)
	$(BIN)/python scripts/bench all

$(PEERS): $(READY) setup.cfg
	@echo "== installing what pagekin is compared with into $(VENV): datasketch, BeautifulSoup, Spark, scipy, FastWARC, selectolax"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@touch $(PEERS)

lint: $(READY)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

clean:
	rm -rf $(VENV) .bench demo/work pagekin-work .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist lib/*.egg-info
	find lib/pagekin -name "*.so" -delete
