# Every target sets up what it needs: a virtual environment, the tools, the compiled package.
# Needed beforehand: make, a C++20 compiler, Python 3.11 or later with venv and headers. `make help` lists the targets.
#
#   make test PYTHON=python3.12      another interpreter; it gets its own environment, .venv-3.12
#   make test ARGS="-k hellinger"    arguments for pytest (also for demo and bench)
#   make test LOCK=                  the newest versions of everything, not those of requirements/lock.txt

PYTHON ?= python3
JOBS ?= 2
ARGS ?=

python_version := $(if $(filter-out python3,$(PYTHON)),$(or $(shell $(PYTHON) -c \
    'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null),$(notdir $(PYTHON))))
VENV ?= .venv$(addprefix -,$(python_version))
BUILD ?= build/$(or $(python_version),default)
CONFIG ?=
RUN ?=

# The exact version of everything pip installs here, in isolated builds too.
LOCK ?= requirements/lock.txt
ifneq ($(LOCK),)
export PIP_CONSTRAINT := $(abspath $(LOCK))
export PIP_BUILD_CONSTRAINT := $(abspath $(LOCK))
endif

py := $(VENV)/bin/python
pip := $(py) -m pip --disable-pip-version-check
# An environment remembers where it was made, so that a copied checkout does not run the original's code.
here := $(firstword $(shell pwd | cksum))
made := $(VENV)/.made-$(here)
built := $(VENV)/.built-$(here)
has = $(VENV)/.has-$(1)-$(here)
browser := $(VENV)/.browser-$(here)
cxx_files := $(shell find core/include core/src bindings -name '*.[ch]pp' 2>/dev/null)
fuzz_files := $(wildcard tests/fuzz/core/*.cpp)
comma := ,
python_dirs := src tests benchmarks examples scripts

.PHONY: help demo test fuzz fuzz-core faults lint bench docs build format wheel dist test-installed test-oldest test-peers sanitize sanitize-fuzz \
  tsan run-tests coverage run-coverage lock clean
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 20

demo: $(built) $(call has,demo) ## the whole way on a real table: compare, promise, rules, reasons, report, a month later
	$(VENV)/bin/rarewood demo $(ARGS)

test: $(built) $(call has,test) $(browser) ## build and run all tests and examples in the documentation
	$(RUN) $(py) -m pytest -n $(JOBS) $(ARGS)

lint: $(built) $(call has,lint) ## ruff, mypy, import layers and private imports, declared dependencies, clang-format, workflows
	$(py) -m ruff check
	$(py) -m ruff format --check
	$(py) -m mypy
	$(py) -c 'from importlinter.cli import lint_imports_command as run; run()'
	$(py) -m deptry src
	$(VENV)/bin/clang-format --dry-run --Werror $(cxx_files) $(fuzz_files)
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

test-installed: $(if $(WHEEL),,wheel) ## the library and every command, from a new wheel (or WHEEL=file, or WHEEL=dist) in an environment with nothing else
	sh scripts/test_installed.sh $(PYTHON) $(WHEEL)

fuzz: $(built) $(call has,test) ## cases at random for the API, files, commands, Arrow types, databases, exports, fits in parts, honest figures; failing ones become tests in build/fuzz
	PYTHONPATH=tests $(RUN) $(py) -m fuzz $(ARGS)

faults: $(built) $(call has,test) ## jobs that the system refuses disk, memory or threads (Linux)
	PYTHONPATH=tests $(py) -m fuzz faults $(ARGS)

FUZZ_SECONDS ?= 60
fuzz-core: ## coverage-guided fuzzing of the core's tree check and messages (Clang with libFuzzer), FUZZ_SECONDS each
	cmake -S . -B build/fuzz-core -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DRAREWOOD_FUZZ=ON \
	  -DRAREWOOD_SANITIZE=fuzzer-no-link,address,undefined
	cmake --build build/fuzz-core
	for what in tree messages; do mkdir -p build/fuzz/$$what && build/fuzz-core/fuzz_$$what -max_total_time=$(FUZZ_SECONDS) \
	  -print_final_stats=1 -artifact_prefix=build/fuzz/ build/fuzz/$$what || exit 1; done

bench: $(built) $(call has,bench) ## time fits beside scikit-learn
	$(py) benchmarks/run.py $(ARGS)

docs: $(built) $(call has,docs) ## the documentation site in build/docs, its gallery run; warnings are errors
	MPLBACKEND=Agg $(py) -m sphinx -W --keep-going -q -d build/doctrees docs build/docs $(ARGS)
	@echo 'open build/docs/index.html'

build: $(built) ## compile and install into $(VENV), editable

format: $(call has,lint) ## rewrite Python and C++ in the house style
	$(py) -m ruff check --fix-only
	$(py) -m ruff format
	$(VENV)/bin/clang-format -i $(cxx_files) $(fuzz_files)

wheel: $(made) ## a wheel in dist/, built as a release would be
	$(pip) wheel --no-deps -w dist .

dist: $(made) $(call has,dist) ## what a release uploads, in dist/: the source distribution and a manylinux wheel built from it (Linux)
	rm -rf build/unrepaired
	$(py) -m build --outdir build/unrepaired .
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(py) -m auditwheel repair --wheel-dir dist build/unrepaired/*.whl
	cp build/unrepaired/*.tar.gz dist/
	$(py) -m twine check --strict dist/*

test-oldest: ## the tests with the oldest supported dependencies (Python 3.11 or 3.12)
	@mkdir -p build
	$(PYTHON) scripts/minimum_requirements.py > build/oldest.new
	cmp -s build/oldest.new build/oldest.txt || mv build/oldest.new build/oldest.txt
	$(MAKE) test LOCK=build/oldest.txt VENV=.venv-oldest BUILD=build/oldest

# An environment of its own: `make test` must pass without these packages.
test-peers: ## all tests beside every program they compare with (boosters, shap, R, Weka, ...), every model in every form; a skipped test fails
	@sh scripts/get_peers.sh
	RAREWOOD_EVERY_CASE=1 $(MAKE) .venv-peers/.has-peers-$(here) test VENV=.venv-peers BUILD=build/peers ARGS='--no-skips $(ARGS)'

# Every test is in one shard, which ends within 15 minutes on a core of its own (tests/test_shards.py); the last takes what no other names.
shards := core trees forests files samplers commands distributed reports rest
shard_core := tests/criteria tests/metrics tests/statistics tests/decisions tests/test_validation.py tests/test_labels.py
shard_trees := tests/tree tests/tables tests/inspection tests/test_bad_input.py tests/test_awkward_tables.py
shard_forests := tests/ensemble tests/decomposition
shard_files := tests/export tests/fuzz tests/test_files.py
shard_samplers := tests/sampling tests/test_contracts.py tests/test_pipelines.py
shard_commands := tests/cli tests/evaluation
shard_distributed := tests/distributed
shard_reports := tests/report tests/datasets tests/test_notebook.py
shard_rest = src README.md $(filter-out $(foreach shard,$(filter-out rest,$(shards)),$(shard_$(shard))) tests/conftest.py tests/support \
  %__pycache__,$(wildcard tests/*))
libraries = $(shell g++ -print-file-name=lib$(1).so):$(shell g++ -print-file-name=libstdc++.so)
asan = LD_PRELOAD="$(call libraries,asan)" PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0:handle_abort=1:allocator_may_return_null=1 \
  UBSAN_OPTIONS=print_stacktrace=1
# Two settings for the allocator of polars: it would start a thread as it is loaded, which ends in a crash, and takes more locks before a fork
# than the search for deadlocks can hold. And OpenBLAS without threads, because it is not compiled for ThreadSanitizer, which would report them.
tsan = LD_PRELOAD="$(call libraries,tsan)" TSAN_OPTIONS=exitcode=66:detect_deadlocks=0 _RJEM_MALLOC_CONF=background_thread:false \
  OPENBLAS_NUM_THREADS=1
sanitized_build = VENV=.venv-$(1) BUILD=build/$(1) CONFIG='-Ccmake.define.RAREWOOD_SANITIZE=$(2) -Cinstall.strip=false'

sanitize: $(addprefix sanitize-,$(or $(SHARD),$(shards))) ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer; SHARD=trees for some

sanitize-fuzz: ## 10,000 changed model files under the same, or another campaign: ARGS="api --seconds 600"
	$(MAKE) fuzz $(call sanitized_build,sanitize,address$(comma)undefined) RUN='env $(asan)' \
	  ARGS='$(or $(ARGS),files --cases 10000 --seconds 3600)'

sanitize-%:
	$(MAKE) run-tests $(call sanitized_build,sanitize,address$(comma)undefined) RUN='env $(asan)' ARGS='$(shard_$*) $(ARGS)'

# One thread alone cannot race: these are the tests that ask for more.
tsan: ## the tests that ask for several threads under ThreadSanitizer (Linux, GCC)
	$(MAKE) run-tests $(call sanitized_build,tsan,thread) RUN='setarch -R env $(tsan)' ARGS='-m several_threads tests --ignore=tests/export $(ARGS)'

coverage: ## lines of the core and branches of src that the tests do not run, in build/coverage (GCC); SHARD=trees for some tests
	$(MAKE) run-coverage VENV=.venv-coverage BUILD=build/coverage CONFIG='-Ccmake.define.RAREWOOD_COVERAGE=ON' \
	  ARGS='$(foreach shard,$(SHARD),$(shard_$(shard))) $(ARGS)'

# A failing test, of time for example, is no reason to throw away what the others have run.
run-coverage: $(built) $(call has,test) $(call has,coverage)
	find $(BUILD) \( -name '*.gcda' -o -name 'branches*' \) -delete
	COVERAGE_FILE=$(CURDIR)/$(BUILD)/branches $(py) -m coverage run -m pytest -p no:xdist -p no:cacheprovider $(ARGS) || [ $$? = 1 ]
	$(py) -m coverage combine --quiet --data-file=$(BUILD)/branches
	$(py) -m coverage report --data-file=$(BUILD)/branches > $(BUILD)/src.txt
	$(py) scripts/core_coverage.py $(BUILD) > $(BUILD)/core.txt
	tail -n 1 $(BUILD)/src.txt $(BUILD)/core.txt

run-tests: $(built) $(call has,test)
	$(RUN) $(py) -m pytest -p no:xdist -p no:cacheprovider --capture=sys $(ARGS)

# Resolved for all supported versions of Python and all systems at once; the markers in the file tell them apart.
groups = $(shell $(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"])')
lock: $(made) $(call has,lock) ## renew requirements/lock.txt: the newest versions that pyproject.toml allows
	$(py) -m uv --no-config pip compile --quiet --upgrade --universal --python-version 3.11 --all-extras $(addprefix --group ,$(groups)) \
	  --no-emit-package rarewood --no-annotate --custom-compile-command 'make lock' --output-file requirements/lock.txt pyproject.toml

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
$(VENV)/.has-%-$(here): pyproject.toml $(LOCK) | $(made)
	$(pip) install --quiet --group $*
	@touch $@

# Python edits need no rebuild. The stub is copied next to the sources for mypy and editors. A build that is not isolated takes no
# constraints of builds: pip refuses them.
$(built): pyproject.toml $(LOCK) CMakeLists.txt $(cxx_files) | $(call has,build)
	@echo 'compiling the core (about a minute the first time)'
	env -u PIP_BUILD_CONSTRAINT $(pip) install --quiet --no-build-isolation -Cbuild-dir=$(BUILD) $(CONFIG) --editable .
	@if [ -f $(BUILD)/_core.pyi ]; then cp $(BUILD)/_core.pyi src/rarewood/_core.pyi; fi
	@touch $@
