# Two commands do everything on a fresh machine: `make reproduce` and `make test`.
.DEFAULT_GOAL := help
SHELL := /bin/sh
BIN := .venv/bin
FIXTURES ?= ../shared/fixtures
DEMOS := $(sort $(wildcard manifests/demo/*.yaml))
ENGINE ?= local
WORKERS ?= $(shell nproc)
MOVED ?=
TESTS ?=  # folders of tests; none: all
OPTIONS ?=  # of pytest, besides those that stand here
GPU_PYTHON ?= python3  # with torch and transformers of its own
WHEELS ?=  # a folder of wheels, for packages of the core that it lacks
GPU_JSON ?= .bench/gpu-check.json
FOR ?=  # seconds: of the tests of the night those of one file, drawn by the commit, as far as it comes; none: all
TURN ?=  # a commit, by which half of the mutants are drawn; none: all

.PHONY: test-night places durations help setup images reproduce test peers test-all fuzz mutants mutation-audit check golden walk bench gpu-check house relock

help: ## say what there is to make
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

setup: .venv/ready ## make the environment .venv, every package held against its hash

# An environment of another Python than it was made with is made anew.
$(if $(wildcard .venv/ready),$(if $(shell [ "$$($(BIN)/python -V 2>&1)" = "$$(cat .venv/ready)" ] || echo stale),$(shell rm -f .venv/ready)))

.venv/ready: lockfiles/requirements.txt pyproject.toml
	@sh lockfiles/setup.sh

images: setup ## build the images that the demos and the tests run in (MOVED=1: of the newest packages)
	@$(BIN)/harness images build $(if $(MOVED),--moved) sandbox cpu

reproduce: setup $(if $(filter docker,$(ENGINE)),images) ## run the demo manifests in a fresh store and compare: ENGINE=docker
	@$(BIN)/harness reproduce --engine $(ENGINE) $(if $(MOVED),--moved) --reports .reports $(DEMOS)

test: setup ## run the tests, one form of each promise: minutes; make test TESTS="tests/run tests/cli" runs those of some folders
	@echo "collecting the tests; the long ones begin first, so the first dots take a while" >&2
	@$(BIN)/python -m pytest -n $(WORKERS) -m "not long and not house" $(if $(strip $(TESTS)),,--durations-to=.bench/test.json) $(OPTIONS) $(TESTS)

peers: setup ## other people's software, which the long tests speak with and skip where it is not: lm-eval, Inspect, MCP Inspector, a server
	@sh lockfiles/peers.sh

test-all: setup ## run the tests, the long forms too: every bit flipped, every kill, other people's software
	@$(BIN)/python -m pytest -n $(WORKERS) -m "not house and not nightly" --hypothesis-profile=long --durations-to=.bench/test-all.json $(OPTIONS)

test-night: setup ## try all of what test and test-all draw some of: every bit, every kill, every slow text (FOR=150: of one file, so many seconds)
	@$(BIN)/python -m pytest -n $(WORKERS) -m "exhaustive or nightly" --hypothesis-profile=night $(if $(strip $(FOR)),--night-for $(strip $(FOR))) $(TESTS)

fuzz: setup ## try each property with thousands of examples that nobody has seen; what it finds becomes an example of the test
	@$(BIN)/python -m pytest -n $(WORKERS) -m hypothesis --hypothesis-profile=fuzz $(TESTS)

durations: setup ## write what each test took in the last `make test` and `make test-all` into docs/testing.md
	@$(BIN)/python tests/durations.py .bench/test.json .bench/test-all.json

mutants: setup ## break a promise at a time in a copy of the source, and see whether tests notice: long, or ONLY=store, or TURN=COMMIT for half
	@$(BIN)/python tests/mutants/run.py $(ONLY) $(if $(strip $(TURN)),--turn $(strip $(TURN)))

mutation-audit: setup ## change every leaf of every document of a run, as is and re-sealed, and see what an audit names; writes docs/audit.md: minutes
	@$(BIN)/python tests/evidence/mutation_audit.py --write

check: setup ## ruff, mypy --strict, and the tests of how the house is written: floors, habits, words, references
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -m house tests/test_*.py

golden: setup ## hold the scorers and analyses against golden values: make golden FIXTURES=DIR
	@$(BIN)/python tests/golden/run.py $(FIXTURES)

walk: setup ## try every operation on emulated processors; writes docs/numerics.md and what is known as portable: long
	@$(BIN)/python tests/numerics/walk.py

places: setup ## as root: try the two commands as an ordinary user elsewhere; writes docs/install.md: hours, or ONLY="Debian 13"
	@$(BIN)/python tests/install/run.py $(if $(ONLY),"$(ONLY)")

bench: setup ## measure against peers in one run; writes docs/benchmarks.md: long, or one measure anew with ONLY=questions
	@$(BIN)/python tests/bench/run.py $(if $(ONLY),--only $(ONLY))

gpu-check: ## on a machine with CUDA, in 5 minutes: hold models and ridge on the GPU against the CPU: WHEELS=DIR GPU_PYTHON=python3
	@$(strip $(GPU_PYTHON)) tests/gpu/check.py --json $(GPU_JSON) $(if $(strip $(WHEELS)),--wheels $(strip $(WHEELS)))

house: setup ## draw the floors of the house from the code into docs/architecture.md
	@$(BIN)/python tests/house.py

relock: ## resolve lockfiles/requirements.txt anew from pyproject.toml
	@sh lockfiles/relock.sh
