# `make test` is what every change must pass. It makes its own environments below .venv/: `new` with the newest Python
# found, `39` with Python 3.9, the oldest PAL runs on.

PYTHON ?= python3
NEW := .venv/new/bin/python
OLD := .venv/39/bin/python
# What the newest Python runs, and what 3.9 leaves out: these say the same on any Python.
TESTS ?= tests
NOT_ON_OLD := $(addprefix --ignore=tests/,clients windows bench conformance browser test_architecture.py \
	test_assets_content.py)

.PHONY: test check types format build bench clean tests-new tests-old

test: check types tests-new tests-old

check: .venv/new/ready
	$(NEW) -m ruff check .
	$(NEW) -m ruff format --check .

# pal.py goes by its text: as a file it would be a second module called pal.
types: .venv/new/ready
	$(NEW) -m mypy
	$(NEW) -m mypy --platform win32
	MYPYPATH=src $(NEW) -m mypy --config-file= --strict --python-version 3.9 -c "$$(cat pal.py)"

tests-new: .venv/new/ready
	$(NEW) -m pytest -q -n auto $(TESTS)

tests-old: .venv/39/ready
	@if [ -x $(OLD) ]; then echo $(OLD) -m pytest -q -n auto tests; \
	$(OLD) -m pytest -q -n auto $(NOT_ON_OLD) tests; fi

format: .venv/new/ready
	$(NEW) -m ruff check --fix .
	$(NEW) -m ruff format .

build:
	$(PYTHON) build_zipapp.py

bench: .venv/new/ready
	$(NEW) tests/bench/hooks.py
	$(NEW) tests/bench/guard.py
	$(NEW) tests/bench/events.py
	$(NEW) tests/bench/mcp.py
	$(NEW) tests/bench/retrieval.py

clean:
	rm -rf .venv dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/new/ready: requirements-dev.txt
	rm -rf .venv/new
	"$$($(PYTHON) tests/find_python.py newest)" -m venv .venv/new
	$(NEW) -m pip install -q --disable-pip-version-check -r requirements-dev.txt
	touch $@

.venv/39/ready: requirements-dev.txt
	@rm -rf .venv/39 && mkdir -p .venv/39
	@if found="$$($(PYTHON) tests/find_python.py 3.9)"; then \
	set -ex; "$$found" -m venv .venv/39; \
	$(OLD) -m pip install -q --disable-pip-version-check -r requirements-dev.txt; touch $@; \
	else echo "There is no Python 3.9 here, so the tests on it are left out."; [ "$$CI" != true ]; fi
