VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin

links:
	@mkdir -p build/links/caspipe
	@for d in typesystem pipeline annotators readers consumers configs; do ln -sfn ../../../$$d build/links/caspipe/$$d; done
.PHONY: links
