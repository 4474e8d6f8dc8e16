# Every target sets up what it needs: a virtual environment, the tools, the compiled package.
# Needed beforehand: make, a C++20 compiler, Python 3.11 or later with venv and headers. `make help` lists the targets.
#
#   make test PYTHON=python3.12      another interpreter; it gets its own environment, .venv-3.12
#   make test ARGS="-k hellinger"    arguments for pytest (also for demo and bench)

PYTHON ?= python3
JOBS ?= 2
ARGS ?=

python_version := $(if $(filter-out python3,$(PYTHON)),$(or $(shell $(PYTHON) -c \
    'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null),$(notdir $(PYTHON))))
VENV ?= .venv$(addprefix -,$(python_version))
BUILD ?= build/$(or $(python_version),default)
CONFIG ?=
RUN ?=

py := $(VENV)/bin/python
pip := $(py) -m pip --disable-pip-version-check
# An environment remembers where it was made, so that a copied checkout does not run the original's code.
here := $(firstword $(shell pwd | cksum))
made := $(VENV)/.made-$(here)
built := $(VENV)/.built-$(here)
has = $(VENV)/.has-$(1)-$(here)
browser := $(VENV)/.browser-$(here)
cxx_files := $(shell find core/include core/src bindings -name '*.[ch]pp' 2>/dev/null)
python_dirs := src tests benchmarks examples scripts

.PHONY: help demo test fuzz lint bench docs build format wheel test-installed test-oldest sanitize clean
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 20

demo: $(built) $(call has,demo) ## compare methods on two tables, find planted rules, write a model and a report
	$(VENV)/bin/rarewood demo $(ARGS)

test: $(built) $(call has,test) $(browser) ## build and run all tests and examples in the documentation
	$(RUN) $(py) -m pytest -n $(JOBS) $(ARGS)

lint: $(built) $(call has,lint) ## ruff, mypy, import layers and private imports, clang-format
	$(py) -m ruff check
	$(py) -m ruff format --check
	$(py) -m mypy
	$(py) -c 'from importlinter.cli import lint_imports_command as run; run()'
	$(VENV)/bin/clang-format --dry-run --Werror $(cxx_files)

test-installed: wheel ## the command line alone, from the wheel in an environment with nothing else
	sh scripts/test_installed.sh $(PYTHON)

fuzz: $(built) $(call has,test) ## cases at random for the API, model files and commands; failing ones become tests in build/fuzz
	PYTHONPATH=tests $(py) -m fuzz $(ARGS)

bench: $(built) $(call has,bench) ## time fits beside scikit-learn
	$(py) benchmarks/run.py $(ARGS)

docs: $(built) $(call has,docs) ## the documentation site in build/docs, its gallery run; warnings are errors
	MPLBACKEND=Agg $(py) -m sphinx -W --keep-going -q -d build/doctrees docs build/docs $(ARGS)
	@echo 'open build/docs/index.html'

build: $(built) ## compile and install into $(VENV), editable

format: $(call has,lint) ## rewrite Python and C++ in the house style
	$(py) -m ruff check --fix-only
	$(py) -m ruff format
	$(VENV)/bin/clang-format -i $(cxx_files)

wheel: $(made) ## a wheel in dist/, built as a release would be
	$(pip) wheel --no-deps -w dist .

test-oldest: ## the tests with the oldest supported dependencies (Python 3.11 or 3.12)
	@mkdir -p build
	$(PYTHON) scripts/minimum_requirements.py > build/oldest.txt
	PIP_CONSTRAINT=build/oldest.txt $(MAKE) test VENV=.venv-oldest BUILD=build/oldest

sanitize: ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer (Linux, GCC)
	$(MAKE) test VENV=.venv-sanitize BUILD=build/sanitize CONFIG='-Ccmake.define.RAREWOOD_SANITIZE=ON -Cinstall.strip=false' \
	  ARGS='--capture=no $(ARGS)' \
	  RUN='env LD_PRELOAD="$(shell g++ -print-file-name=libasan.so):$(shell g++ -print-file-name=libstdc++.so)" PYTHONMALLOC=malloc \
	    ASAN_OPTIONS=detect_leaks=0:handle_abort=1 UBSAN_OPTIONS=print_stacktrace=1'

clean: ## remove everything the other targets made
	rm -rf build dist demo-output .venv .venv-* .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	rm -rf docs/gallery docs/api/generated
	rm -f src/rarewood/_core.pyi
	find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +

$(made):
	@sh scripts/check_prerequisites.sh $(PYTHON)
	$(PYTHON) -m venv --clear $(VENV)
	$(pip) install --quiet --upgrade 'pip>=25.1'
	@touch $@

$(browser): | $(made)
	@sh scripts/get_browser.sh
	@touch $@

# The dependency groups of pyproject.toml.
$(VENV)/.has-%-$(here): pyproject.toml | $(made)
	$(pip) install --quiet --group $*
	@touch $@

# Python edits need no rebuild. The stub is copied next to the sources for mypy and editors.
$(built): pyproject.toml CMakeLists.txt $(cxx_files) | $(call has,build)
	@echo 'compiling the core (about a minute the first time)'
	$(pip) install --quiet --no-build-isolation -Cbuild-dir=$(BUILD) $(CONFIG) --editable .
	@if [ -f $(BUILD)/_core.pyi ]; then cp $(BUILD)/_core.pyi src/rarewood/_core.pyi; fi
	@touch $@
