# The front door. `make help` lists the targets; words such as PROGRAM=sort go to the tool of the target.

PYTHON ?= python3

override VENV := .venv
override PY   := $(VENV)/bin/python
# Words are data: tools/from_make.py takes them from MAKEFLAGS. Exported or written into a recipe, make and the shell would expand them.
override RUN  := $(PY) tools/from_make.py
unexport $(foreach word,$(MAKEOVERRIDES),$(firstword $(subst =, ,$(word))))
# The Python that makes .venv, as one word for the shell.
override SYSTEM_PYTHON = '$(subst ','\'',$(value PYTHON))'

# Nothing here multiplies matrices: each process would begin threads that wait for work in a busy loop.
export OPENBLAS_NUM_THREADS ?= 1

# EDA tools set it for a Python of their own, with which this one does not start.
unexport PYTHONHOME

override TARGETS := all run test check capture decode view new core mutate regress cover report doctor list lint docs clean help venv
.PHONY: $(TARGETS)
.DEFAULT_GOAL := all
.SUFFIXES:
.NOTPARALLEL:

# Goals are checked before anything runs.
override UNKNOWN := $(filter-out $(TARGETS) $(VENV)/complete,$(MAKECMDGOALS))
ifneq ($(UNKNOWN),)
# As one word for the shell: make passes nothing through the environment of $(shell) before 4.4.
$(error $(shell $(SYSTEM_PYTHON) tools/from_make.py --unknown '$(subst ','\'',$(firstword $(UNKNOWN)))' $(TARGETS) || echo there is no such target))
endif

help: ## These lines (ALL=1: every command and word)
	@if [ "$(ALL)" = 1 ] && [ -x $(PY) ]; then RVTRACE_FRONT=make $(PY) -m rvtrace.tools.cli --help; exit; fi; \
	echo "make [target] [NAME=value ...], for example: make run PROGRAM=sort IP=ntrace"; \
	sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r t w; do printf '  %-10s %s\n' "$$t" "$$w"; done; \
	echo "The words of a target: .venv/bin/rvtrace <target> --help (SEED=7 here is --seed 7 there, which has more commands)"

all: venv ## The main job: real programs, five trace sources on one hart, a report (IP=<system>: all of that)
	@$(RUN) run
run: venv ## One run: PROGRAM=<name or ELF>, SCENARIO= or SOURCE=; IP=, SEED=, SIM=icarus, WAVES=1
	@$(RUN) run
check: venv ## Your RTL against the specification (DUT=<folder>), or a captured trace (IN=<folder>, or TRACE= ELF=)
	@$(RUN) check
new: venv ## A folder that attaches your IP (NAME=acme IP=ntrace), or with KIND=core your core
	@$(RUN) new
doctor: ## What this machine lacks; DUT= or CORE=: what your description lacks
	@if [ -x $(PY) ]; then $(RUN) doctor; else $(SYSTEM_PYTHON) tools/from_make.py tools/doctor.py; fi
capture: venv ## Run a program and keep the trace as files (PROGRAM=sort OUT=out)
	@$(RUN) capture
decode: venv ## A trace as text (IN=out)
	@$(RUN) decode
view: venv ## A trace as a page (IN=out)
	@$(RUN) view
core: venv ## Programs on a real core, verified by its tandem trace (CORE=ibex)
	@$(RUN) core
regress: venv ## Many random seeds (SEEDS=50 IP=ctr,hpm)
	@$(RUN) regress
cover: venv ## Close the coverage (IP=)
	@$(RUN) cover
report: venv ## The page of all results (LIST=results, KEEP=30d)
	@$(RUN) report
list: venv ## Programs, scenarios, tests, devices, options
	@$(RUN) list
test: venv ## The tests (TESTS=<file or folder> K=<part of a name> N=<processes>)
	@$(RUN) test
mutate: venv ## Bugs in the RTL: does a check find each? (KIND=written|random|devices|core IP=)
	@$(RUN) mutate
lint: venv ## Linters of RTL and Python
	@$(RUN) lint
docs: $(VENV)/docs ## The documentation in build/site
	@NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict && echo "documentation: build/site/index.html"
clean: ## Remove build/ (ALL=1: .venv and the user's cache as well)
	rm -rf build
ifeq ($(ALL),1)
	rm -rf $(VENV)
	@cache="$$HOME/.cache"; case "$$XDG_CACHE_HOME" in /*) cache="$$XDG_CACHE_HOME";; esac; rm -rf -- "$$cache/rvtrace" && echo "removed $$cache/rvtrace"
endif
venv: $(VENV)/complete ## Install the packages into .venv

$(VENV)/docs: docs/requirements.txt | venv
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-input --quiet --no-deps -r $< && touch $@

$(VENV)/complete: tools/requirements.txt tools/bootstrap.py
	@$(SYSTEM_PYTHON) tools/bootstrap.py
