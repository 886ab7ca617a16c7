# Every target needs python3 (3.11 or later) and gcc only; the rest is installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet -c constraints.txt
SETUP := pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test test-random test-all bench lint format clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*## */\t/' | expand -t 12

demo: $(VENV)/.demo  ## compile, differentiate and show: the demonstration
	$(BIN)/python -m examples.demo

test: $(VENV)/.dev  ## the tests, without the slow ones
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

test-random: $(VENV)/.dev  ## hundreds more random programs than in `make test`
	$(BIN)/python -m pytest -n auto --dist worksteal -m ci

test-all: $(VENV)/.dev  ## all tests, with the long random runs
	$(BIN)/python -m pytest -n auto --dist worksteal

bench: $(VENV)/.bench  ## time against C and JAX, as ratios
	$(BIN)/python -m benchmarks

lint: $(VENV)/.dev  ## style, types and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: $(VENV)/.dev  ## rewrite the sources in house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## remove the environment and everything that was made
	rm -rf $(VENV) out .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@echo "Creating $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "retrograd needs Python 3.11 or later: make PYTHON=python3.11 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(SETUP) | $(BIN)/python
	@echo "Installing retrograd[demo] (once)"
	@$(PIP) -e '.[demo]'
	@touch $@

$(VENV)/.dev: $(SETUP) | $(BIN)/python
	@echo "Installing retrograd[dev,demo] (once)"
	@$(PIP) -e '.[dev,demo]'
	@touch $@ $(VENV)/.demo

$(VENV)/.bench: $(SETUP) | $(BIN)/python
	@echo "Installing retrograd[dev,demo,jax] (once)"
	@$(PIP) -e '.[dev,demo,jax]'
	@touch $@ $(VENV)/.dev $(VENV)/.demo
