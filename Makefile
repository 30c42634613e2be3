# Needs Python >= 3.10, a C++20 compiler and make; everything else goes into .venv by itself.

PYTHON ?= python3
SANITIZE_CXX ?= g++
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
BUILD_TOOLS := "scikit-build-core>=0.11" "nanobind==3.1.0" "cmake>=3.20" ninja
NATIVE := $(shell find cpp -name '*.cpp' -o -name '*.h') CMakeLists.txt pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help demo test check kills bench bench-cluster quality quality-categorical quality-defaults front-page prediction-shift sanitize sanitize-threads stub docs site format clean
.DELETE_ON_ERROR:

help:
	@echo 'make demo                 what ordered statistics are for, on generated orders (seconds)'
	@echo 'make test                 all checks and the whole test suite; ARGS="-k name" chooses tests'
	@echo 'make kills                workers of a cluster killed at twenty random moments'
	@echo 'make check                ruff, mypy --strict, clang-format, generated files up to date'
	@echo 'make bench                speed compared with the peers; ARGS="--scale 0.01" tries it out'
	@echo 'make bench-cluster        shards and a Dask cluster compared with one process and the peers'
	@echo 'make quality              test metrics compared with CatBoost Plain'
	@echo 'make quality-categorical  test losses on tables with categories, all peers (hours)'
	@echo 'make quality-defaults     every library at its own defaults, all tables, three seeds (an hour)'
	@echo 'make front-page           measures and writes the README figure and tables (half an hour)'
	@echo 'make prediction-shift     docs/images/prediction_shift.svg, and its numbers'
	@echo 'make sanitize             kernel tests under AddressSanitizer and UndefinedBehaviorSanitizer,'
	@echo '                          and the thread pool under ThreadSanitizer'
	@echo 'make stub                 write the stub of the native module again'
	@echo 'make docs                 write the generated pages and tables of docs/ again'
	@echo 'make site                 the documentation as a site: build/site/html'
	@echo 'make format               ruff format and clang-format, in place'
	@echo 'make clean                remove .venv, build and caches'

demo: $(VENV)/.demo
	@$(BIN)/ocelot demo $(ARGS)

test: check
	$(BIN)/python -m pytest -n auto --maxprocesses=4 $(ARGS)
	$(if $(ARGS),,$(BIN)/python -m tools.other_machines)

check: $(VENV)/.develop
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(filter cpp/%,$(NATIVE))
	$(BIN)/python -m tools.native_stub --check
	$(BIN)/python -m tools.parameter_page --check
	$(BIN)/python -m tools.command_page --check
	$(BIN)/python -m tools.estimator_page --check
	$(BIN)/python -m tools.loss_page --check
	$(BIN)/python -m tools.coming_from_page --check
	$(BIN)/python -m tools.error_page --check
	$(BIN)/python -m tools.ordered_figures --check
	$(BIN)/python -m benchmarks.page --check
	$(BIN)/python -m benchmarks.front --check

kills: $(VENV)/.develop
	OCELOT_KILLS=20 $(BIN)/python -m pytest tests/dask/test_lost_workers.py tests/boost/test_killed.py $(ARGS)

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.speed $(ARGS)

bench-cluster: $(VENV)/.bench
	$(BIN)/python -m benchmarks.cluster $(ARGS)

quality: $(VENV)/.bench
	$(BIN)/python -m benchmarks.quality $(ARGS)

quality-categorical: $(VENV)/.bench
	$(BIN)/python -m benchmarks.quality_categorical $(ARGS)

quality-defaults: $(VENV)/.bench
	$(BIN)/python -m benchmarks.defaults --json benchmarks/results/defaults.json $(ARGS)

FRONT_CASES := logloss_100k_100 logloss_1m_28 adult_1000trees amazon_1000trees internet_1000trees \
  predict_100k_1000trees predict_one_row

front-page: $(VENV)/.bench
	$(BIN)/python -m benchmarks.speed --case $(FRONT_CASES) --json benchmarks/results/speed.json $(ARGS)
	$(BIN)/python -m benchmarks.defaults --json benchmarks/results/defaults.json $(ARGS)
	$(BIN)/python -m benchmarks.page
	$(BIN)/python -m benchmarks.front

prediction-shift: $(VENV)/.experiments
	$(BIN)/python -m experiments.prediction_shift $(ARGS)

stub: $(VENV)/.develop
	$(BIN)/python -m tools.native_stub

docs: $(VENV)/.develop
	$(BIN)/python -m tools.parameter_page
	$(BIN)/python -m tools.command_page
	$(BIN)/python -m tools.estimator_page
	$(BIN)/python -m tools.loss_page
	$(BIN)/python -m tools.coming_from_page
	$(BIN)/python -m tools.error_page
	$(BIN)/python -m tools.ordered_figures

site: $(VENV)/.develop
	$(BIN)/python -m tools.site $(ARGS)

format: $(VENV)/.develop
	$(BIN)/ruff check --fix --exit-zero --quiet .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(filter cpp/%,$(NATIVE))

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# ---- the environment: one stamp per kind of use ----------------------------------------------
# The package is installed editable: a changed Python file needs nothing, a changed C++ file, CMakeLists.txt
# or pyproject.toml is built and installed again, from what is left of the last build.

INSTALL = $(PIP) install --quiet --no-build-isolation --config-settings=build-dir=$(VENV)/build

$(VENV)/.tools:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 10) else "Python 3.10 or newer is needed, this is " + sys.version.split()[0] + ": try make PYTHON=python3.12")'
	@command -v c++ g++ clang++ >/dev/null || { echo 'No C++ compiler found: install g++ or clang++.'; exit 1; }
	@echo 'Making $(VENV) ...'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --upgrade pip
	$(PIP) install --quiet $(BUILD_TOOLS)
	@touch $@

$(VENV)/.demo: $(VENV)/.tools $(NATIVE)
	@echo 'Building and installing ocelot-boost ...'
	$(INSTALL) --editable .
	@touch $@

$(VENV)/.develop: $(VENV)/.tools $(NATIVE)
	@echo 'Building and installing ocelot-boost[test,check,docs] ...'
	$(INSTALL) --editable '.[test,check,docs]'
	@touch $@

$(VENV)/.bench: $(VENV)/.tools $(NATIVE)
	@echo 'Building and installing ocelot-boost[bench] ...'
	$(INSTALL) --editable '.[bench]'
	@touch $@

$(VENV)/.experiments: $(VENV)/.tools $(NATIVE)
	@echo 'Building and installing ocelot-boost[experiments] ...'
	$(INSTALL) --editable '.[experiments]'
	@touch $@

# ---- sanitizers -----------------------------------------------------------------------------
# An environment of its own with an instrumented native module; all other packages are those of .venv.

SANITIZED := build/sanitize

$(SANITIZED)/.package: $(VENV)/.develop $(NATIVE)
	@echo 'Building the native module with sanitizers ...'
	$(BIN)/python -m venv --without-pip $(SANITIZED)
	$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
	  > $$($(SANITIZED)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/packages.pth
	$(PIP) --python $(SANITIZED)/bin/python install --quiet --no-deps --no-build-isolation --force-reinstall \
	  --config-settings=build-dir=$(SANITIZED)/build \
	  --config-settings=cmake.build-type=RelWithDebInfo --config-settings=install.strip=false \
	  --config-settings=cmake.define.OCELOT_SANITIZE=ON \
	  --config-settings=cmake.define.CMAKE_CXX_COMPILER=$(SANITIZE_CXX) --editable .
	@touch $@

sanitize: sanitize-threads $(SANITIZED)/.package
	LD_PRELOAD="$$($(SANITIZE_CXX) -print-file-name=libasan.so) $$($(SANITIZE_CXX) -print-file-name=libstdc++.so.6)" \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
	  $(SANITIZED)/bin/python -m pytest -p no:cacheprovider tests/kernels $(ARGS)

# The pool alone, without Python, under ThreadSanitizer.
sanitize-threads:
	@mkdir -p $(SANITIZED)
	$(SANITIZE_CXX) -std=c++20 -O1 -g -fsanitize=thread -Wall -Wextra -Icpp/core -pthread \
	  -o $(SANITIZED)/pool_stress cpp/core/shared/pool.cpp cpp/tests/pool_stress.cpp
	TSAN_OPTIONS=halt_on_error=1 $(SANITIZED)/pool_stress
