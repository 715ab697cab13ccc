# make chat    talk to your companion
# make test    run the tests
# make check   formatting, lints, types and tests: what CI runs
# make crash   kill it 500 times at random on each platform (half an hour)
# make bench   measure a turn against its floor
#
# Each sets up .venv first, from the lock files in requirements/. All they need is make and
# Python 3.11 or newer: `make PYTHON=python3.12 chat` names another one.
# ARGS goes to the command: `make chat ARGS='-m "Hello"'`.

PYTHON ?= python3
VENV ?= .venv
ARGS ?=
PYTEST_ARGS ?=
BIN := $(VENV)/bin
# as many files at a time as there are cores
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
UV_VERSION := 0.13.9

.PHONY: chat test check format crash bench lock clean

chat: $(VENV)/chat.ready
	@$(BIN)/companion chat $(ARGS)

test: $(VENV)/dev.ready
	$(PYTEST) $(PYTEST_ARGS) $(ARGS)

check: $(VENV)/dev.ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy companion adapters tests training
	$(PYTEST) $(PYTEST_ARGS)

format: $(VENV)/dev.ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

crash: $(VENV)/dev.ready
	COMPANION_KILLS=500 $(PYTEST) tests/crash $(ARGS)

bench: $(VENV)/dev.ready
	$(BIN)/companion bench turn $(ARGS)

# The lock files: exact versions and hashes for Python 3.11 and up, on Linux and macOS.
COMPILE = $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --quiet \
	--generate-hashes --no-header --no-annotate --no-emit-index-url --group build
lock: $(VENV)/dev.ready
	$(PIP_INSTALL) uv==$(UV_VERSION)
	$(COMPILE) --extra local --extra eval --group dev $(ARGS) -o requirements/dev.txt
	$(COMPILE) --extra local -c requirements/dev.txt -o requirements/local.txt
	$(COMPILE) -c requirements/dev.txt -o requirements/base.txt
	awk '/^[a-z]/ { ours = /^wordllama/ } ours' requirements/base.txt | sed '1s/ ;[^\\]*/ /' \
		> requirements/embedder.txt

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist

$(VENV)/chat.ready: requirements/local.txt requirements/install.sh pyproject.toml | $(VENV)/made
	@echo "Setting up what a conversation needs (once, about a minute)..."
	@requirements/install.sh $(BIN)/python requirements/local.txt
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.ready: requirements/dev.txt requirements/install.sh pyproject.toml | $(VENV)/made
	@echo "Setting up the tests and checks (once, about a minute)..."
	@requirements/install.sh $(BIN)/python requirements/dev.txt
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/made:
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here. Install Python 3.11 or newer, or name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "This needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) -V 2>&1). Name another: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "$(PYTHON) cannot make a virtual environment. On Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@touch $@
