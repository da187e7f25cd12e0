# `make run` opens the dashboard, `make test` runs every test; each sets up all it needs first.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN = $(VENV)/bin
# Of each package a list has the digests of its files; pip installs nothing else.
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes

.PHONY: run test walk test-long snapshots endurance fuzz bench golden outsider-table pictures lint format audit requirements sample-data

run: $(VENV)/.compiled
	$(BIN)/streamlit run app.py

# Compiled first, or each core would compile for itself. The longest files come first, so that no core
# is left with one at the end.
TOGETHER = -n auto --max-worker-restart 0 --dist loadfile --no-loadscope-reorder
LONGEST = $(patsubst %,tests/browser/test_%.py,looking walk_measured walk_unmeasured)
test: $(VENV)/.development $(VENV)/.compiled chromium nginx
	$(BIN)/python -m pytest $(TOGETHER) -m "not browser" tests/pages tests
	$(BIN)/python -m pytest $(TOGETHER) -m browser $(LONGEST) tests/browser

# Every page in every state, three sizes, light and dark; pictures of all in build/walk.
walk: $(VENV)/.development $(VENV)/.compiled chromium
	$(BIN)/python -m pytest -m browser tests/browser/test_walk_unmeasured.py tests/browser/test_walk_measured.py

# With ten times as many examples, drawn anew each time: tests/conftest.py.
test-long: $(VENV)/.development $(VENV)/.compiled
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -n auto --dist load -m "not browser" tests

# What pages say, as they say it now: read the difference before it is committed.
snapshots: $(VENV)/.development $(VENV)/.compiled
	SNAPSHOTS=write $(BIN)/python -m pytest -n auto --dist loadfile tests/pages tests/studies -k snapshot

# Twenty browsers for ten minutes, then an officer's rounds for two hours.
ENDURANCE ?= build/endurance
endurance: $(VENV)/.development $(VENV)/.compiled
	$(BIN)/python -m tests.endurance.visits --visitors 20 --minutes 10 --out $(ENDURANCE)/visits
	$(BIN)/python -m tests.endurance.rounds --minutes 120 --out $(ENDURANCE)/rounds
# 10,000 damaged files a reader, in child processes with limits; `make fuzz CASES=500 READERS=events`.
CASES ?= 10000
fuzz: $(VENV)/.development $(VENV)/.compiled
	$(BIN)/python -m tests.fuzz.run $(CASES) $(READERS)

bench: $(VENV)/.development
	$(BIN)/python -m tests.benchmarks.run

# Some 300 results by digest, before and after a change of form: equal, or each difference explained.
golden: $(VENV)/.development $(VENV)/.compiled
	$(BIN)/python -m tests.golden.run

# What an outsider finds in each form of the samples, measured and written into the reference.
outsider-table: $(VENV)/.development $(VENV)/.compiled
	$(BIN)/python -m tests.benchmarks.outsider_table

# The pictures of the README and the guide, of the synthetic sample, by Chromium.
pictures: $(VENV)/.development $(VENV)/.compiled chromium
	$(BIN)/python -m tests.browser.pictures

lint: $(VENV)/.development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/bandit --quiet --recursive --configfile pyproject.toml fpanon_core pages app.py

# What is known against the versions in use. Asks the index of packages; no part of `make test`.
# A package that the index says nothing of makes it fail (--strict): not known is not harmless.
audit: $(VENV)/.development
	$(INSTALL) -r requirements-audit.txt
	$(BIN)/pip-audit --strict --require-hashes --disable-pip -r requirements-dev.txt || { \
		echo "A weakness was found, or the index could not be asked: see above."; exit 1; }

format: $(VENV)/.development
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# After a change to the lists in pyproject.toml.
requirements: $(VENV)/.development
	$(BIN)/python -m tests.package.requirements

sample-data: $(VENV)/.runtime
	$(BIN)/python -m fpanon_core generate 2000 --days 14 --seed 0 \
		--out sample_data/synthetic_2000.csv.gz --antennas-out sample_data/synthetic_2000_antennas.csv
	$(BIN)/python -m fpanon_core.io.questionnaire sample_data/questionnaire_synthetic.csv

# Debian's own python3 comes without the part that fills a virtual environment.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "fpanon needs Python 3.11 or newer; found: $$($(PYTHON) --version)"; exit 1; }
	$(PYTHON) -m venv $(VENV) || { \
		rm -rf $(VENV); apt-get update -qq; \
		apt-get install -y -qq python3-venv >/dev/null; $(PYTHON) -m venv $(VENV); }

$(VENV)/.runtime: requirements.txt | $(BIN)/python
	$(INSTALL) -r requirements.txt
	@touch $@

# Once, so that the first click does not wait for it; what changes later is compiled when it is needed.
$(VENV)/.compiled: $(VENV)/.runtime $(wildcard fpanon_core/kernels/*.py)
	@echo "Compiling (once, about a minute)"
	@$(BIN)/python -c "from fpanon_core.studies.warming import compile_all; compile_all()"
	@touch $@

$(VENV)/.development: requirements-dev.txt | $(BIN)/python
	$(INSTALL) -r requirements-dev.txt
	@touch $@ $(VENV)/.runtime

# Chromium's own software draws maps four times as slowly as Mesa's, which it uses where that is there.
GL = /usr/lib/*/libEGL_mesa.so.0 /usr/lib/*/dri/swrast_dri.so
.PHONY: chromium
chromium:
	@command -v chromium >/dev/null && ls $(GL) >/dev/null 2>&1 || { \
		apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
			chromium libegl1 libgl1-mesa-dri >/dev/null; }
	@command -v chromium >/dev/null || { echo "Chromium could not be installed; the browser tests need it"; exit 1; }

# The reverse proxy of docs/nginx.conf, which the tests try; nothing of it is started here.
.PHONY: nginx
nginx: | chromium # as two cannot install at the same time
	@PATH="$$PATH:/usr/sbin" command -v nginx >/dev/null || { \
		apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nginx-light >/dev/null; }
	@PATH="$$PATH:/usr/sbin" command -v nginx >/dev/null || { echo "nginx could not be installed; a browser test needs it"; exit 1; }
