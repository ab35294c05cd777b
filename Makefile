VENV ?= .venv
PYTHON ?= python3
TORCH ?= torch==2.13.0
BIN := $(VENV)/bin
ALONE := not server and not browser and not java and not spark and not neural
FAST := not slow and $(ALONE)

.PHONY: demo test test-all test-slow test-server test-neural test-spark soak check bench docs-site docs-serve index links clean

demo: $(VENV)/installed    ## de-identify the bundled sample narratives
	$(BIN)/caspipe run configs/deidentify.yaml --html
	@echo
	@echo 'Call it as $(BIN)/caspipe, or activate the environment: . $(BIN)/activate'

test: $(VENV)/tested    ## run the fast tests: units, the conformance battery, one end-to-end run
	$(BIN)/python -m pytest -q --numprocesses=auto --dist=worksteal -m "$(FAST)" $(ARGS)

test-all: test test-slow test-server test-neural test-spark    ## run every test

test-slow: $(VENV)/tested    ## run the slow tests that need nothing else
	$(BIN)/python -m pytest -q --numprocesses=auto --dist=loadfile -m "slow and $(ALONE)" $(ARGS)

test-server: $(VENV)/tested    ## run the tests that start servers, databases, browsers or Java
	$(BIN)/python -m pytest -q -m "(server or browser or java) and not spark and not neural" $(ARGS)

test-neural: $(VENV)/neural    ## run the tests that need PyTorch
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -m neural $(ARGS)

test-spark: $(VENV)/spark    ## run the tests that start Spark, which needs Java 17
	$(BIN)/python -m pytest -q -m spark $(ARGS)

soak: $(VENV)/tested    ## 10,000 generated documents through our XMI, cassis and UIMA for Java, 20,000 damaged ones, 1,000 of every fuzz test, 50 killed runs
	CASPIPE_SOAK=$${CASPIPE_SOAK:-10000} CASPIPE_KILLS=$${CASPIPE_KILLS:-50} $(BIN)/python -m pytest \
		tests/interop/test_three_ways.py tests/interop/test_damaged.py tests/fuzz tests/trust $(ARGS)

check: $(VENV)/checked links    ## lint, check types and plain English
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -p caspipe.typesystem -p caspipe.pipeline -p caspipe.annotators -p caspipe.readers -p caspipe.consumers
	$(BIN)/python scripts/check_english.py

index: $(VENV)/tested    ## update the index of components after one was added or moved
	$(BIN)/python scripts/build_component_index.py

bench: $(VENV)/tested    ## measure, and write benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks.run

docs-site: $(VENV)/documented links    ## build the documentation site into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "build/site/index.html"

docs-serve: $(VENV)/documented links    ## serve the documentation site on http://127.0.0.1:8000
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs serve --dev-addr 127.0.0.1:8000

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip

$(VENV)/installed: $(VENV)/bin/python setup.cfg pyproject.toml
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[server,sign]'
	@touch $@

$(VENV)/tested: $(VENV)/bin/python setup.cfg pyproject.toml
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $(VENV)/installed $@

# PyTorch first: a version of its own may be asked for (TORCH=torch==2.13.0), and nothing else then brings another one
$(VENV)/neural: $(VENV)/tested
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test-neural]'
	@touch $@

$(VENV)/spark: $(VENV)/tested
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test-spark]'
	@touch $@

$(VENV)/checked: $(VENV)/bin/python setup.cfg pyproject.toml
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $(VENV)/installed $(VENV)/tested $@

$(VENV)/documented: $(VENV)/tested
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,docs]'
	@touch $@

# mypy finds the namespace package through links, since the folders lie at the top
links:
	@mkdir -p build/links/caspipe
	@for d in typesystem pipeline annotators readers consumers configs; do ln -sfn ../../../$$d build/links/caspipe/$$d; done

clean:
	rm -rf $(VENV) build dist *.egg-info out
