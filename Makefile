# Every target makes the environment it needs and does nothing twice: stamp files under .venv and
# build/ remember what is installed. `make PYTHON=python3.13` chooses the interpreter.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
UV := $(shell command -v uv 2>/dev/null)

# Two ways to the same environment; $(call install,VENV) is followed by pip's arguments.
ifneq ($(UV),)
make_venv = $(UV) venv --quiet --seed --allow-existing --python $(PYTHON) $(1)
install = $(UV) pip install --quiet --python $(1)/bin/python
refresh := --reinstall-package quire
else
make_venv = $(PYTHON) -m venv $(1)
install = $(BIN)/python -m pip -qq --disable-pip-version-check --python $(1)/bin/python install
refresh :=
endif
requirements := $(BIN)/python .ci/requirements.py
editable := --no-build-isolation --no-deps $(refresh) -C cmake.define.QUIRE_WERROR=ON --editable .

# What the compiled core is made of. The folders are named too, so that a deleted file counts.
CORE := $(shell find cpp bindings -not -path '*/__pycache__*') CMakeLists.txt pyproject.toml
PYTEST := -n auto --maxprocesses 8
# A process for each core leaves none for the threads of BLAS, and OpenMP's must not wait in a loop
# for each other. How many threads quire itself takes is not touched.
PYTEST_THREADS := OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive

.NOTPARALLEL:

.PHONY: help
help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: $(STAMPS)/core $(STAMPS)/extra-report  ## Compare models on the built-in corpus, write a report
	@$(BIN)/quire demo

.PHONY: test
test: $(STAMPS)/core $(STAMPS)/extra-test  ## Run every test and every example (T="..." for pytest)
	@$(PYTEST_THREADS) $(BIN)/python -m pytest -q $(PYTEST) $(T)

.PHONY: lint
lint: $(STAMPS)/extra-lint  ## Check format, style, types and layers
	@$(BIN)/ruff format --quiet --check . || { echo "run: make format" >&2; exit 1; }
	@$(BIN)/ruff check --quiet .
	@find cpp bindings -name '*.[ch]pp' | xargs $(BIN)/clang-format --dry-run -Werror
	@$(BIN)/mypy
	@PYTHONPATH=src $(BIN)/lint-imports --no-logo --no-cache

.PHONY: format
format: $(STAMPS)/extra-lint  ## Format Python and C++ in place
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .
	@find cpp bindings -name '*.[ch]pp' | xargs $(BIN)/clang-format -i

.PHONY: stubs
stubs: $(STAMPS)/core $(STAMPS)/extra-lint  ## Write src/quire/_core/*.pyi from the compiled core
	@$(BIN)/python bindings/generate_stubs.py

.PHONY: bench
bench: $(STAMPS)/core $(STAMPS)/extra-bench  ## Measure against the peers (B="..." for its options)
	@$(BIN)/python -m benchmarks $(B)

.PHONY: docs
docs: $(STAMPS)/core $(STAMPS)/extra-docs  ## Build the site in docs/_build/html
	@rm -rf docs/api/generated
	@$(BIN)/python docs/generate_cli.py
	@$(BIN)/python -m sphinx -E -W --keep-going -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

# Environments that see the packages of the first, with a core of their own: the normal editable
# install is not touched. GCC or Clang on Linux.
SANITIZE := build/sanitize
COVERAGE := build/coverage
runtime = $(shell $(CXX) -print-file-name=$(1))
sanitized = LD_PRELOAD="$(call runtime,libasan.so) $(call runtime,libstdc++.so)" \
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 $(PYTEST_THREADS)

define build_beside
@$(BIN)/python -m venv --without-pip $(1)
@$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" \
  > $$($(1)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/outer.pth
@$(call install,$(1)) -C cmake.define.$(2)=ON -C build-dir=$(1)/{wheel_tag} \
  -C install.strip=false $(editable)
@touch $(1)/.core
endef

.PHONY: sanitize
sanitize: $(SANITIZE)/.core  ## Run the kernel tests under ASan and UBSan (Linux)
	@$(sanitized) $(SANITIZE)/bin/python -m pytest -q $(PYTEST) tests/core $(T)

$(SANITIZE)/.core: $(STAMPS)/build $(STAMPS)/dependencies $(STAMPS)/extra-test $(CORE)
	@echo "Building the core with sanitizers"
	$(call build_beside,$(SANITIZE),QUIRE_SANITIZE)

.PHONY: fuzz
fuzz: $(STAMPS)/core $(STAMPS)/extra-test  ## Try random and hostile input for minutes (F="..." for options)
	@$(PYTEST_THREADS) $(BIN)/python -m fuzz $(F)

.PHONY: fuzz-sanitized
fuzz-sanitized: $(SANITIZE)/.core  ## The same under ASan and UBSan
	@$(subst null=1,null=1:max_allocation_size_mb=1024,$(sanitized)) $(SANITIZE)/bin/python -m fuzz --log build/fuzz.tsv $(F)

.PHONY: coverage
coverage: $(COVERAGE)/.core $(STAMPS)/extra-coverage  ## Count the kernel lines that the tests run (GCC)
	@find $(COVERAGE) -name '*.gcda' -delete
	@$(PYTEST_THREADS) $(COVERAGE)/bin/python -m pytest -q $(PYTEST) tests/core $(T)
	@$(BIN)/gcovr --root . --object-directory $(COVERAGE) --filter cpp/ --filter bindings/ \
	  --merge-lines --gcov-ignore-parse-errors=all --json-pretty --json $(COVERAGE)/lines.json \
	  --fail-under-line 98

$(COVERAGE)/.core: $(STAMPS)/build $(STAMPS)/dependencies $(STAMPS)/extra-test $(CORE)
	@echo "Building the core with counters"
	$(call build_beside,$(COVERAGE),QUIRE_COVERAGE)

.PHONY: clean
clean:  ## Remove everything that was made
	rm -rf $(VENV) build dist wheelhouse quire-demo docs/_build docs/_pictures docs/api/generated
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests benchmarks docs cpp -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment: interpreter, build tools, dependencies, the core, extras.

$(STAMPS)/venv:
	@$(PYTHON) -c "import sys; sys.exit(None if sys.version_info >= (3, 11) else \
	  'quire needs Python 3.11 or newer: make PYTHON=python3.12 ...')"
	@echo "Making $(VENV)"
	@$(call make_venv,$(VENV))
	@mkdir -p $(STAMPS) && touch $@

# The second line installs CMake and Ninja, but only where the system has none that will do.
$(STAMPS)/build: $(STAMPS)/venv pyproject.toml .ci/requirements.py
	@$(call install,$(VENV)) $$($(requirements) build)
	@tools=$$($(requirements) build-tools) && { [ -z "$$tools" ] || $(call install,$(VENV)) $$tools; }
	@touch $@

$(STAMPS)/dependencies: $(STAMPS)/venv pyproject.toml .ci/requirements.py
	@echo "Installing the dependencies"
	@$(call install,$(VENV)) $$($(requirements) dependencies)
	@touch $@

$(STAMPS)/core: $(STAMPS)/build $(STAMPS)/dependencies $(CORE)
	@echo "Building the core"
	@$(call install,$(VENV)) $(editable)
	@touch $@

$(STAMPS)/extra-%: $(STAMPS)/dependencies
	@echo "Installing what '$*' needs"
	@$(call install,$(VENV)) $$($(requirements) $*)
	@touch $@
