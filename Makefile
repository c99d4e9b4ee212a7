# Every target creates .venv and installs its dependencies; no other set-up is needed.
# Requires Python 3.11 or newer, git and make.  PYTHON=python3.12 make test  selects another interpreter.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= 2
COMMIT ?= HEAD
comma  := ,
GAMES  := $(patsubst porta_nigra_env/games/%/game.py,%,$(wildcard porta_nigra_env/games/*/game.py))
DOORS  := $(patsubst tests/doors/test_%.py,%,$(wildcard tests/doors/test_*.py))
RULES  := $(wildcard tests/games/*/rules tests/games/*/properties)
# Torch's threads wait actively: several processes with as many of them as cores take up to eight times as long.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest
# Modules that run in browsers; Deno checks them and loads nothing.
MODULES := agents/web/page/static agents/web/notebook/front
WORKER  := --config deno.worker.json agents/web/page/static/sw.js
# Work stealing starts each process in a different part of the tests, so that they compile different functions.
SPREAD := -n $(JOBS) --dist worksteal

# Keep bytecode files even if the environment disables them: hundreds of processes import the same modules.
export PYTHONDONTWRITEBYTECODE :=
export DENO_NO_UPDATE_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help demo play serve games pictures test test-browser test-long test-lowest test-clients test-doors mutants check goldens docs bench bench-peers compare ladder-check notebooks site wasm test-ray test-gpu release reproduce-model interpreted boundscheck clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

# Stamps are written last, so that a partial installation is never taken for a complete one.
$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one with PYTHON=python3.12 make ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade pip -c constraints.txt
	@touch $@

# The environment belongs to this checkout: programs find all of its folders, wherever they run.
define install
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt $(1)
	@echo "$(CURDIR)" > "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/checkout.pth"
	@touch $@ $(2)
endef

$(VENV)/runtime: $(VENV)/made pyproject.toml constraints.txt
	$(call install,-e .)

$(VENV)/train: $(VENV)/made pyproject.toml constraints.txt
	$(call install,-e '.[train]',$(VENV)/runtime)

$(VENV)/dev: $(VENV)/made pyproject.toml constraints.txt
	$(call install,-e '.[notebooks$(comma)wasm]' --group dev --group site,$(VENV)/runtime $(VENV)/train)

demo: $(VENV)/train  ## train a network for three minutes, print its ladder and curve
	$(BIN)/python -m training.demo

play: $(VENV)/runtime  ## play, replay and study the games in a browser
	$(BIN)/python -m agents.web.page --open

serve: $(VENV)/train  ## host tables for several people and strong agents
	$(BIN)/python -m agents.web.serve

games: $(VENV)/runtime  ## play random games, print scores by source and steps per second
	$(BIN)/python -m porta_nigra_env.demo

# The rules suite runs interpreted and bounds-checked here; `make test-long` adds the compiled mode.
# Style and type checks need one core, so they run in parallel with the first tests.
test: $(VENV)/dev  ## run style, types, import contracts and tests
	@$(MAKE) --no-print-directory -j2 check interpreted
	@$(MAKE) --no-print-directory boundscheck
	$(PYTEST) $(SPREAD) --durations 30 -m 'not long' $(addprefix --ignore=,$(RULES))
	@$(BIN)/python -m benchmarks browser

test-browser: $(VENV)/dev  ## test the web page in a browser
	PORTA_NIGRA_BROWSER_REQUIRED=1 $(PYTEST) tests/page
	@PORTA_NIGRA_BROWSER_REQUIRED=1 $(BIN)/python -m benchmarks browser

test-long: test  ## run `make test` and the long runs (about six hours)
	$(PYTEST) $(SPREAD) -m long
	$(PYTEST) $(SPREAD) -m 'not long' $(RULES)
	$(MAKE) boundscheck CHECKED=tests/envs/test_batch.py
	$(foreach game,$(GAMES),$(BIN)/python -m tests.lockstep --game $(game) --games 20000 --jobs $(JOBS) \
	  --report results/lockstep_$(game).json &&) true
	$(MAKE) test-ray
	$(MAKE) test-clients
	$(MAKE) test-doors
	$(MAKE) ladder-check
	$(MAKE) mutants

# uv selects the lowest versions, which pip cannot.  pip installs torch first, to avoid the CUDA build.
.venv-lowest/made: pyproject.toml
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/pip install --quiet --disable-pip-version-check uv
	.venv-lowest/bin/pip install --quiet --disable-pip-version-check --no-deps torch==2.13.0
	echo torch==2.13.0 > .venv-lowest/torch.txt
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct \
	  --constraint .venv-lowest/torch.txt -e '.[sb3,render]'
	.venv-lowest/bin/pip install --quiet --disable-pip-version-check pytest pytest-timeout hypothesis
	@touch $@

test-lowest: .venv-lowest/made  ## test core and environments with the lowest allowed versions
	.venv-lowest/bin/python -m pytest -W default tests/core tests/envs

mutants: $(VENV)/dev  ## check that tests detect deliberate mistakes in the kernels
	$(foreach game,$(GAMES) narration,$(BIN)/python -m tests.mutants --game $(game) --jobs $(JOBS) \
	  --report results/mutants_$(game).json &&) true

check: $(VENV)/dev  ## check style, types and import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deno check --quiet --no-remote --no-npm $(MODULES)
	$(BIN)/deno check --quiet --no-remote --no-npm $(WORKER)
	$(BIN)/deno lint --quiet $(MODULES)
	$(BIN)/deno lint --quiet $(WORKER)

# Runs the kernel as plain Python with numpy warnings as errors; only this mode detects overflow and measures coverage.
interpreted: $(VENV)/dev  ## run the rules suite interpreted, with full kernel coverage
	NUMBA_DISABLE_JIT=1 $(PYTEST) -q $(SPREAD) -W error::RuntimeWarning -m 'not long' \
	  $(RULES) tests/golden tests/perft tests/conformance tests/core \
	  tests/toys/kuhn tests/toys/leduc tests/toys/dice/test_rules.py tests/toys/dice/test_dice.py \
	  --ignore tests/core/test_jit.py --ignore tests/core/test_template.py --ignore tests/core/test_cache_folders.py \
	  $(addprefix --cov=,$(wildcard porta_nigra_env/games/*/rules)) --cov-branch \
	  --cov-report=term-missing --cov-fail-under=100

boundscheck: $(VENV)/dev  ## run the rules suite with checks of every array access
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -q $(SPREAD) -m 'not long' $(RULES) tests/golden/test_digests.py $(CHECKED)

goldens: $(VENV)/dev  ## rewrite golden playthroughs, game digests and perft counts
	$(BIN)/python -m tests.golden

docs: $(VENV)/dev  ## rewrite the generated tables of the documents
	$(BIN)/python -m tests.architecture tables --write

# The scripted builder needs only the package and plays the same game on every machine.
pictures: $(VENV)/dev  ## redraw the pictures of the documents, those of the page in a browser
	$(BIN)/python -m agents.web.film builder --seed 7 --at 215 --width 960 --out docs/table.png
	$(BIN)/python -m agents.web.film builder --seed 7 --at 215 --width 960 --theme dark --out docs/table_dark.png
	$(BIN)/python -m benchmarks page --pictures docs/screens --ending png --screens play study review --looks desk_light_en
	$(BIN)/python -m benchmarks page --pictures docs/screens --ending png --screens play --looks desk_dark_en

bench: $(VENV)/dev  ## run the benchmarks of this project (about 15 minutes)
	$(BIN)/python -m benchmarks kernel
	$(BIN)/python -m benchmarks envs
	$(BIN)/python -m benchmarks learning --collect
	$(BIN)/python -m benchmarks inference
	$(BIN)/python -m benchmarks learning
	$(BIN)/python -m benchmarks startup

bench-peers: $(VENV)/dev  ## install other environments (about 1 GB) and compare speed
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt --group bench-peers
	$(BIN)/python -m benchmarks peers

ladder-check: $(VENV)/dev  ## check the published ladders on a sample of new deals
	$(BIN)/python -m agents.arena.ladder check --games 60 --jobs $(JOBS)
	$(BIN)/python -m agents.arena.ladder check --games 2:14 3:21 4:28 --jobs $(JOBS) --ladder docs/ladder_search.json
	$(BIN)/python -m agents.arena.ladder check --games 60 --jobs $(JOBS) --ladder docs/ladder_aquileia.json
	$(BIN)/python -m agents.arena.ladder check --games 60 --jobs $(JOBS) --ladder docs/ladder_gloria_mundi.json

wasm: $(VENV)/dev  ## rebuild outdated WebAssembly modules (a minute each)
	$(BIN)/python -m agents.web.page --build-modules

notebooks: $(VENV)/dev  ## execute the notebooks and write their outputs
	$(BIN)/python -m notebooks.execute

site: $(VENV)/dev  ## build the documentation site in build/site
	$(BIN)/python -m sphinx -W --keep-going -q -c docs -d build/doctrees . build/site

# A separate environment: only these tests need Ray.
.venv-ray/made: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-ray
	.venv-ray/bin/pip install --quiet --disable-pip-version-check --upgrade pip -c constraints.txt
	.venv-ray/bin/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[ray]' pytest pytest-timeout hypothesis
	@touch $@

test-ray: .venv-ray/made  ## test Ray tournaments and training, with failures (about 2 GB)
	.venv-ray/bin/python -m pytest -W default tests/ray

# The version pins of the other libraries conflict with each other and with constraints.txt.
.venv-clients/made: pyproject.toml
	$(PYTHON) -m venv .venv-clients
	.venv-clients/bin/pip install --quiet --disable-pip-version-check --upgrade pip
	.venv-clients/bin/pip install --quiet --disable-pip-version-check torch==2.13.0
	.venv-clients/bin/pip install --quiet --disable-pip-version-check torch==2.13.0 -e . --group clients
	@touch $@

test-clients: .venv-clients/made  ## test the snippets for other libraries (about 2.9 GB)
	.venv-clients/bin/python -m pytest -W default tests/clients

# Each door of agents/seats/ has an environment with the library that it serves.  PRECIOUS: make deletes stamps of pattern rules.
.PRECIOUS: .venv-door-%/made
.venv-door-%/made: pyproject.toml
	$(PYTHON) -m venv .venv-door-$*
	.venv-door-$*/bin/pip install --quiet --disable-pip-version-check --upgrade pip
	.venv-door-$*/bin/pip install --quiet --disable-pip-version-check -e '.[agents]' --group door-$*
	@touch $@

test-door-%: .venv-door-%/made
	.venv-door-$*/bin/python -m pytest -W default tests/doors/test_$*.py

test-doors: $(addprefix test-door-,$(DOORS))  ## test the doors for other libraries (about 4.5 GB)

# numba-cuda and NVIDIA's compiler must stay out of .venv.  One test on a GPU also needs the CUDA build of torch.
.venv-gpu/made: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-gpu
	.venv-gpu/bin/pip install --quiet --disable-pip-version-check --upgrade pip -c constraints.txt
	.venv-gpu/bin/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[gpu]' --group gpu-tests
	@touch $@

test-gpu: .venv-gpu/made  ## compile every kernel for a GPU; play games if one is present
	.venv-gpu/bin/python -m pytest tests/cuda

# PYTHONS="python3.12 python3.13" tries the wheel with more interpreters.
release: $(VENV)/dev  ## build, check and try the distributions in dist/
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt --group release
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m tests.package dist --code --python $(BIN)/python $(PYTHONS)
	$(BIN)/twine check --strict dist/*.whl dist/*.tar.gz

reproduce-model: $(VENV)/train  ## retrain a published network, compare strength (half an hour)
	$(BIN)/python -m training.publish reproduce two_players

compare: $(VENV)/dev  ## compare speed with another commit: make compare COMMIT=HEAD~1
	$(BIN)/python -m benchmarks compare $(COMMIT)

clean:  ## remove environments and caches
	rm -rf $(VENV) .venv-ray .venv-lowest .venv-clients .venv-gpu .venv-door-* dist build docs/api .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage
