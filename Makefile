# Every target installs what it needs into .venv first: `make demo` and `make test` work on a fresh clone.

PYTHON ?= python3
EXAMPLE = examples/session.jsonl
FILE   ?= $(EXAMPLE)
WINDOW ?= 32000
TESTS  ?= tests
JOBS   ?= 2

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
COMPILE := UV_CUSTOM_COMPILE_COMMAND='make lock' $(BIN)/uv pip compile --quiet --universal \
	--python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links $(if $(UPGRADE),--upgrade)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo demo-agent test check bench verify-replay verify-usage verify-promises verify-models verify-planted verify-long verify-oracles verify-store verify-archive verify-agent verify-server bench-store bench-archive bench-agent bench-server pictures openapi fmt lock clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/.stamp-demo  ## Talk to a real model past its window, then replay a long session (FILE=... WINDOW=...)
ifeq ($(FILE),$(EXAMPLE))
	@$(BIN)/unabridged models add smollm2 && $(BIN)/python examples/live.py || echo "Going on without a live model."
endif
	@$(BIN)/unabridged replay $(FILE) --window $(WINDOW)

demo-agent: .venv/.stamp-dev  ## Give the agent a task that a toy model on this machine can do
	@$(BIN)/unabridged models add smollm2 && $(BIN)/python examples/agent.py

test: .venv/.stamp-dev  ## Run the tests (TESTS=tests/wire JOBS=0 for a part, in one process)
	@$(BIN)/python -m pytest -n $(JOBS) --inline-snapshot=disable $(TESTS)

check: .venv/.stamp-dev  ## Check format, lint, types and layers
	@$(BIN)/ruff format --check --quiet . || { echo "Run 'make fmt'."; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/pyright
	@$(BIN)/lint-imports --no-cache --no-logo

bench: .venv/.stamp-dev  ## Measure speed and cache shares, each as a table
	@$(BIN)/python -m benchmarks.run

bench-store: .venv/.stamp-dev  ## Measure how long sessions take to open and what appends cost, on both engines
	@$(BIN)/python -m benchmarks.store

verify-replay: .venv/.stamp-dev  ## Replay every real transcript under UNABRIDGED_DATA every way and judge the requests
	@$(BIN)/python -m tests.verify.replay

verify-usage: .venv/.stamp-dev  ## Hold the token counts against the usage that providers reported in real sessions
	@$(BIN)/python -m tests.verify.usage

verify-promises: .venv/.stamp-dev  ## Test the promises on thousands of generated conversations
	@$(BIN)/python -m tests.verify.promises

verify-models: .venv/.stamp-dev  ## Talk to models for hours, on good days and bad ones (PARTS="windows chaos" TURNS=300)
	@$(BIN)/python -m tests.verify.models $(if $(PARTS),--only $(PARTS)) $(if $(TURNS),--turns $(TURNS))

verify-planted: .venv/.stamp-dev  ## Plant faults one at a time and look whether a test notices each
	@$(BIN)/python -m tests.verify.planted

verify-long: .venv/.stamp-dev  ## Work 3,000 turns in every dialect and compare every count with the provider's
	@$(BIN)/python -m tests.verify.long_runs

verify-oracles: .venv/.stamp-dev .venv-oracles/.stamp  ## Let other projects' repairs look at our views: nothing is left to mend
	@$(BIN)/python -m tests.verify.oracles.views | .venv-oracles/bin/python -m tests.verify.oracles

verify-store: .venv/.stamp-dev  ## Kill agents, cut the power, stop servers, race for turns: nothing is lost
	@$(BIN)/python -m tests.verify.store

verify-agent: .venv/.stamp-dev  ## Give an agent one task of 300 steps in small windows, kill it, refuse its requests
	@$(BIN)/python -m tests.verify.agent

verify-archive: .venv/.stamp-dev  ## Measure how well what left a view is found again, on dialogues with questions
	@$(BIN)/python -m tests.verify.archive

verify-server: .venv/.stamp-dev  ## Kill a server, attack its tenants, ask it anything, cut its clients off, open 500 streams (PARTS="kills load")
	@$(BIN)/python -m tests.verify.server $(if $(PARTS),--only $(PARTS))

bench-archive: .venv/.stamp-dev  ## Measure what archiving adds to a turn and how long a search takes
	@$(BIN)/python -m benchmarks.archive

bench-agent: .venv/.stamp-dev  ## Measure how soon the agent's prompt and its help are there
	@$(BIN)/python -m benchmarks.agent_start

bench-server: .venv/.stamp-dev  ## Measure streamed turns a second and first tokens, beside a bare app with the same bytes
	@$(BIN)/python -m benchmarks.server

pictures: .venv/.stamp-dev  ## Draw the pictures of the agent's terminal anew
	@$(BIN)/python -m tests.agent.terminal.pictures docs/images

openapi: .venv/.stamp-dev  ## Write docs/openapi.json and docs/frames.schema.json anew
	@$(BIN)/python -m unabridged.server.schema docs

fmt: .venv/.stamp-dev  ## Format the code and fix what lint can fix
	@$(BIN)/ruff check --quiet --fix . || true
	@$(BIN)/ruff format .

lock: .venv/.stamp-lock  ## Resolve requirements/*.txt from pyproject.toml (UPGRADE=1 for newer releases)
	@$(COMPILE) pyproject.toml --extra all --group dev --output-file requirements/dev.txt
	@$(COMPILE) pyproject.toml --extra cli --extra local --group build --constraints requirements/dev.txt --output-file requirements/demo.txt
	@$(COMPILE) --group lock --output-file requirements/lock.txt
	@$(COMPILE) --group oracles --output-file requirements/oracles.txt

clean:  ## Remove the virtual environment, caches and build output
	rm -rf .venv .venv-oracles .hypothesis .pytest_cache .ruff_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@command -v $(PYTHON) > /dev/null || { echo "'$(PYTHON)' was not found. Install Python 3.11 or newer, or name it: make PYTHON=/path/to/python3.11 ..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "unabridged needs Python 3.11 or newer, and '$(PYTHON)' is older. Name a newer one: make PYTHON=python3.11 ..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2> /dev/null || { echo "'$(PYTHON)' comes without its venv module. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@$(PYTHON) -m venv --clear .venv || { rm -rf .venv; exit 1; }

.venv/.stamp-demo .venv/.stamp-dev: .venv/.stamp-%: requirements/%.txt pyproject.toml | .venv/bin/python
	@echo "Installing $< into .venv ..."
	@$(PIP) install --require-hashes -r $<
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

.venv-oracles/.stamp: requirements/oracles.txt | .venv/bin/python
	@echo "Installing $< into .venv-oracles ..."
	@$(PYTHON) -m venv --clear .venv-oracles
	@.venv-oracles/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r $<
	@touch $@

.venv/.stamp-lock: requirements/lock.txt | .venv/bin/python
	@$(PIP) install --require-hashes -r $<
	@touch $@
