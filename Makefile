# `make demo` and `make test` are all the set-up there is: each creates .venv and installs what it needs.
# Python 3.11 or newer, git and make have to be there.  PYTHON=python3.12 make test  uses another interpreter.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= 2
COMMIT ?= HEAD
GAMES  := $(patsubst porta_nigra_env/games/%/game.py,%,$(wildcard porta_nigra_env/games/*/game.py))
RULES  := $(wildcard tests/games/*/rules tests/games/*/properties)
PYTEST := $(BIN)/python -m pytest
# Each process begins in another part of the tests, where other functions are to be compiled: none waits for the other.
SPREAD := -n $(JOBS) --dist worksteal

# Hundreds of processes import the same modules: what Python makes of them is kept, whatever the environment says.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo play serve games pictures test test-browser test-long test-lowest test-clients mutants check goldens docs bench bench-peers compare ladder-check notebooks wasm test-ray test-gpu reproduce-model interpreted boundscheck clean

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

# A half-made environment is not taken for a whole one: the stamps are written last.
$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one with PYTHON=python3.12 make ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade pip -c constraints.txt
	@touch $@

$(VENV)/runtime: $(VENV)/made pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/train: $(VENV)/made pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e . --group train
	@touch $@ $(VENV)/runtime

$(VENV)/dev: $(VENV)/made pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e . --group dev
	@touch $@ $(VENV)/runtime $(VENV)/train $(VENV)/serve

$(VENV)/serve: $(VENV)/made pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e . --group serve
	@touch $@ $(VENV)/runtime $(VENV)/train

demo: $(VENV)/train  ## train a two-player network for three minutes, then its ladder and learning curve
	$(BIN)/python -m training.demo

play: $(VENV)/runtime  ## the games in a browser: against agents, replayed, studied
	$(BIN)/python -m agents.web.page --open

serve: $(VENV)/serve  ## tables for several people and strong agents, on the page of the games
	$(BIN)/python -m agents.web.serve

games: $(VENV)/runtime  ## play whole games of random players, with scores by source and the step rate
	$(BIN)/python -m porta_nigra_env.demo

# The rules suite runs in the first two modes here, and in all three in `make test-long`.
# Style and types need one core: they are looked at beside the first tests.
test: $(VENV)/dev  ## everything a change has to pass: style, types, layers, tests in three modes
	@$(MAKE) --no-print-directory -j2 check interpreted
	@$(MAKE) --no-print-directory boundscheck
	$(PYTEST) $(SPREAD) -m 'not long' $(addprefix --ignore=,$(RULES))
	@$(BIN)/python -m benchmarks browser

test-browser: $(VENV)/dev  ## the page in a browser: whole games by clicks and keys, replays, study, access
	PORTA_NIGRA_BROWSER_REQUIRED=1 $(PYTEST) tests/page
	@PORTA_NIGRA_BROWSER_REQUIRED=1 $(BIN)/python -m benchmarks browser

test-long: test  ## the same and the long runs: many games, deep counts, deliberate mistakes (about six hours)
	$(PYTEST) $(SPREAD) -m long
	$(PYTEST) $(SPREAD) -m 'not long' $(RULES)
	$(MAKE) boundscheck CHECKED=tests/envs/test_batch.py
	$(foreach game,$(GAMES),$(BIN)/python -m tests.lockstep --game $(game) --games 20000 --jobs $(JOBS) \
	  --report results/lockstep_$(game).json &&) true
	$(MAKE) test-ray
	$(MAKE) test-clients
	$(MAKE) ladder-check
	$(MAKE) mutants

# uv, since pip cannot choose the lowest versions.  torch comes first, by pip, and stays: it must not come with CUDA.
.venv-lowest/made: pyproject.toml
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/pip install --quiet --disable-pip-version-check uv
	.venv-lowest/bin/pip install --quiet --disable-pip-version-check --no-deps torch==2.13.0
	echo torch==2.13.0 > .venv-lowest/torch.txt
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct \
	  --constraint .venv-lowest/torch.txt -e '.[sb3,render]'
	.venv-lowest/bin/pip install --quiet --disable-pip-version-check pytest pytest-timeout hypothesis
	@touch $@

test-lowest: .venv-lowest/made  ## tests of core and environments with the lowest versions that pyproject.toml allows
	.venv-lowest/bin/python -m pytest -W default tests/core tests/envs

mutants: $(VENV)/dev  ## break the kernels on purpose and see which test notices
	$(foreach game,$(GAMES),$(BIN)/python -m tests.mutants --game $(game) --jobs $(JOBS) \
	  --report results/mutants_$(game).json &&) true

check: $(VENV)/dev  ## style, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The kernel as plain Python, every numpy warning an error: overflow and the coverage of its lines show only here.
interpreted: $(VENV)/dev  ## the rules suite interpreted; every line and branch of the kernel has to be reached
	NUMBA_DISABLE_JIT=1 $(PYTEST) -q $(SPREAD) -W error::RuntimeWarning -m 'not long' \
	  $(RULES) tests/golden tests/perft tests/conformance tests/core \
	  tests/toys/kuhn tests/toys/dice/test_rules.py tests/toys/dice/test_dice.py \
	  --ignore tests/core/test_jit.py --ignore tests/core/test_cache_folders.py \
	  $(addprefix --cov=,$(wildcard porta_nigra_env/games/*/rules)) --cov-branch \
	  --cov-report=term-missing --cov-fail-under=100

boundscheck: $(VENV)/dev  ## the rules suite with every array access checked
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -q $(SPREAD) -m 'not long' $(RULES) tests/golden/test_digests.py $(CHECKED)

goldens: $(VENV)/dev  ## rewrite the golden playthroughs, the digests of whole games and the perft counts
	$(BIN)/python -m tests.golden
	$(BIN)/python -m tests.perft

docs: $(VENV)/dev  ## rewrite the generated tables of the documents: actions, observations, ladders
	$(BIN)/python -m tests.architecture.tables --write

# A game of the scripted builder: it needs nothing but the package, and plays the same everywhere.
pictures: $(VENV)/dev  ## draw the pictures of README.md anew: a position, and a whole game
	$(BIN)/python -m agents.web.film builder --seed 7 --at 215 --width 960 --out docs/table.png
	$(BIN)/python -m agents.web.film builder --seed 7 --at 215 --width 960 --theme dark --out docs/table_dark.png
	$(BIN)/python -m agents.web.film builder --seed 7 --out docs/game.webp

bench: $(VENV)/dev  ## all benchmarks that need nothing more installed, one table each (about 15 minutes)
	$(BIN)/python -m benchmarks kernel
	$(BIN)/python -m benchmarks envs
	$(BIN)/python -m benchmarks sb3
	$(BIN)/python -m benchmarks inference
	$(BIN)/python -m benchmarks learning
	$(BIN)/python -m benchmarks scaling
	$(BIN)/python -m benchmarks startup

bench-peers: $(VENV)/dev  ## other environments beside this one; installs them first (about 1 GB)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt --group bench-peers
	$(BIN)/python -m benchmarks peers

ladder-check: $(VENV)/dev  ## a sample of the published ladders on other deals; fails when it contradicts the order
	$(BIN)/python -m agents.arena.ladder check --games 60 --jobs $(JOBS)
	$(BIN)/python -m agents.arena.ladder check --games 2:14 3:21 4:28 --jobs $(JOBS) --ladder docs/ladder_search.json
	$(BIN)/python -m agents.arena.ladder check --games 60 --jobs $(JOBS) --ladder docs/ladder_aquileia.json
	$(BIN)/python -m agents.arena.ladder check --games 60 --jobs $(JOBS) --ladder docs/ladder_gloria_mundi.json

wasm: $(VENV)/dev  ## build the WebAssembly modules whose sources have changed (a minute each)
	$(BIN)/python -m agents.web.page.modules

notebooks: $(VENV)/dev  ## execute the notebooks and write their outputs
	$(BIN)/python -m notebooks.execute

# Beside what training needs; an environment of its own, since nobody else needs it.
.venv-ray/made: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-ray
	.venv-ray/bin/pip install --quiet --disable-pip-version-check --upgrade pip -c constraints.txt
	.venv-ray/bin/pip install --quiet --disable-pip-version-check -c constraints.txt -e . --group ray pytest pytest-timeout hypothesis
	@touch $@

test-ray: .venv-ray/made  ## tournaments and training on Ray, machines and processes killed, in an environment of its own (about 2 GB)
	.venv-ray/bin/python -m pytest -W default tests/ray

# The other libraries' pins contradict each other's and constraints.txt; each is tried as docs/other_libraries.md says.
.venv-clients/made: pyproject.toml
	$(PYTHON) -m venv .venv-clients
	.venv-clients/bin/pip install --quiet --disable-pip-version-check --upgrade pip
	.venv-clients/bin/pip install --quiet --disable-pip-version-check torch==2.13.0
	.venv-clients/bin/pip install --quiet --disable-pip-version-check torch==2.13.0 -e . --group clients
	@touch $@

test-clients: .venv-clients/made  ## docs/other_libraries.md, library by library, in an environment of its own (about 2.5 GB)
	.venv-clients/bin/python -m pytest -W default tests/clients

# numba-cuda and NVIDIA's compiler, which must not come into .venv.  One test on a GPU wants torch as well, the CUDA build.
.venv-gpu/made: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-gpu
	.venv-gpu/bin/pip install --quiet --disable-pip-version-check --upgrade pip -c constraints.txt
	.venv-gpu/bin/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[gpu]' --group gpu-tests
	@touch $@

test-gpu: .venv-gpu/made  ## every kernel becomes machine code of a GPU, none is needed; with one, games on it (minutes, then cached)
	.venv-gpu/bin/python -m pytest tests/cuda

reproduce-model: $(VENV)/train  ## train the two-player network of the cards anew, check that it is as strong (half an hour)
	$(BIN)/python -m training.reproduce two_players

compare: $(VENV)/dev  ## this tree against another commit by ratio: make compare COMMIT=HEAD~1
	$(BIN)/python -m benchmarks compare $(COMMIT)

clean:  ## remove the environment and caches
	rm -rf $(VENV) .venv-ray .venv-lowest .venv-clients .venv-gpu .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage
