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

override TARGETS := all docs run test capture decode view check check-trace new-dut new-core new-profile compare verify elf-to-trace core verify-core readback mutants mutate isolate perf area sizes programs scale regress cover report results opensbi doctor list lint clean clean-cache clean-venv help venv
.PHONY: $(TARGETS)
.DEFAULT_GOAL := all
.SUFFIXES:
.NOTPARALLEL:

# Goals are checked before anything runs.
override UNKNOWN := $(filter-out $(TARGETS) $(VENV)/complete,$(MAKECMDGOALS))
ifneq ($(UNKNOWN),)
$(error there is no target $(firstword $(UNKNOWN)); a value needs its name, as in `make run PROGRAM=$(firstword $(UNKNOWN))`, and `make help` lists the targets)
endif

help: ## List the targets
	@echo "make [target] [NAME=value ...], for example: make run PROGRAM=sort MODE=btm XLEN=32"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r t w; do printf '  %-12s %s\n' "$$t" "$$w"; done
	@echo "NAME=value: IP=ntrace|etrace|ctr|hpm|sbi_pmu|tandem|subsystem|adapter SIM=verilator|icarus PROGRAM= SCENARIO= SEED= MODE=htm|btm VARIANT=v1_0|rc7 XLEN=64|32 OUT= WAVES=1; make list has all."

all: venv ## The main job: real programs, five trace sources on one hart, and a report (IP=<system>: all of that system); default
	@$(RUN) run

run: venv ## One job: PROGRAM=, SCENARIO= or SOURCE=; without one the main job
	@$(RUN) run

test: venv ## All tests (TESTS=<file or folder>, K=<part of a name>, N=<processes, default 2>; LONG=1: on all configurations)
	@$(RUN) suite

capture: venv ## Run a program and write trace.bin (IP=ctr: entries.json, IP=hpm: counters.json, IP=sbi_pmu: calls.jsonl), program.elf, config.json, retired.csv in OUT; DUT=: of your IP
	@$(RUN) capture

decode: venv ## Print a trace as messages and instructions, CTR entries as a call path, counters (OUT=<a capture>, or TRACE= ELF= CONFIG=, or DUT= PROGRAM=); COVERAGE=lcov, PROFILE=text|speedscope|perfetto
	@$(RUN) decode

view: venv ## A trace as one HTML page: timeline, call stack, bytes, messages, instructions, findings (OUT=<a capture>, or FORMAT= TRACE= ELF= CONFIG= PAGE=)
	@$(RUN) view

check: venv ## Check your RTL in the testbench (DUT=<name or folder>), with a compliance report; or a capture (OUT=<folder>) without a simulator
	@$(RUN) check

check-trace: venv ## Check a captured trace without a simulator (FORMAT=etrace|ntrace|tandem TRACE= ELF= RETIRED= CONFIG=), with the same report
	@$(RUN) check_trace

new-dut: venv ## Write the folder that attaches your IP (NAME=acme IP=ntrace FILES=<sources> TOP=<module>)
	@$(RUN) new_dut

compare: venv ## What changed between two compliance reports (A= B=)
	@$(RUN) compare

verify: venv ## Replay a tandem trace on an instruction set simulator and attribute each mismatch (OUT=<a capture>, or TRACE= ELF= CONFIG=)
	@$(RUN) verify

elf-to-trace: venv ## The tandem trace that loads a program into memory (ELF=<file> OUT=<file>)
	@$(RUN) elf_to_trace

new-core: venv ## A folder to attach a core with RVFI with (NAME=acme FILES=rtl/acme.f TOP=acme_core)
	@$(RUN) new_core
new-profile: venv ## A file with what the tandem verifier knows of a hart, for PROFILE= (OUT=profile.json XLEN=64)
	@$(RUN) new_profile
core: venv ## Programs on a real core, its retirement interface into all trace sources, and tandem verification (CORE=ibex PROGRAM=crc,traps ALONE=1)
	@$(RUN) core
verify-core: venv ## Tandem verification of a real core on random programs, on mutants, or on a folder of programs (CORE=ibex SET=random|mutants|FOLDER)
	@$(RUN) verify_core

mutants: venv ## Run the hand-written mutants of the RTL of all systems or of IP= (tests/<ip>/mutants.toml); each must be caught by its clause
	@$(RUN) mutants

mutate: venv ## Mutants of the RTL from its syntax trees: which check kills each, which survive? (IP= COUNT=100 SEED=1; DUT=: of your RTL)
	@$(RUN) mutate

isolate: venv ## Switch on bugs of the foreign devices of tests/<ip>/duts, one and several at a time: do the findings name them? (DRAWS=200)
	@$(RUN) isolate

readback: venv ## Run a program, configure the trace registers, read the trace back from the RAM sink, decode it (PROGRAM=sort)
	@$(RUN) readback

perf: venv ## Measure speed: bulk and pins, time of each part, models, cells
	@$(RUN) perf

area: venv ## Area and depth of the RTL by Yosys as one table; writes docs/reference/rtl-area.md (IP=: prints one system)
	@$(RUN) area

sizes: venv ## Bits per instruction of all systems for the same programs, as Markdown (SET=riscv-tests: beside published figures)
	@$(RUN) sizes

programs: venv ## Build and record real programs with Debian's cross compiler, for PROGRAM= (SET=riscv-tests|coremark|arch-test XLEN=)
	@$(RUN) programs

scale: venv ## CoreMark of 100 million instructions through encoder and decoder models in constant memory (INSTRUCTIONS= XLEN=)
	@$(RUN) scale

regress: venv ## Random seeds of all systems or of IP= (SEEDS=N FIRST=1 N=<processes> SIZE= FRESH=1 WAVES=fail CLUSTER=slurm); continues an interrupted run
	@$(RUN) regress

cover: venv ## Close the coverage of all systems or of IP= (BUDGET=<minutes> TREND=1); the command for each hole, and code coverage
	@$(RUN) cover

results: venv ## List what is in build/results: when, how big, which verdict (KEEP=30d: remove what is older)
	@$(RUN) results

report: venv ## Write the report on everything in build/results
	@$(RUN) report

doctor: ## What this machine has, what is missing and how to install it; DUT=<name or folder>: the same for your IP
	@if [ -x $(PY) ]; then $(RUN) doctor; else $(SYSTEM_PYTHON) tools/from_make.py tools/doctor.py; fi

opensbi: venv ## Compare the SBI PMU models with OpenSBI on QEMU, both from Debian; writes docs/reference/opensbi-comparison.md (FIRMWARE=<fw_dynamic.bin> XLEN=)
	@$(RUN) opensbi

list: venv ## List programs, scenarios, tests, options
	@$(RUN) list

lint: venv ## verilator -Wall, ruff, types, import rules, import cycles
	@$(RUN) lint

docs: $(VENV)/docs ## The documentation as a site in build/site (Python 3.11 or newer)
	@NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict && echo "documentation: build/site/index.html"

$(VENV)/docs: docs/requirements.txt | venv
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-input --quiet --no-deps -r $< && touch $@

clean: ## Remove build/
	rm -rf build

clean-cache: ## Remove what was compiled for all checkouts of this user: $XDG_CACHE_HOME/rvtrace, else ~/.cache/rvtrace
	@cache="$$HOME/.cache"; case "$$XDG_CACHE_HOME" in /*) cache="$$XDG_CACHE_HOME";; esac; rm -rf -- "$$cache/rvtrace" && echo "removed $$cache/rvtrace"

clean-venv: ## Remove .venv
	rm -rf $(VENV)

venv: $(VENV)/complete

$(VENV)/complete: tools/requirements.txt tools/bootstrap.py
	@$(SYSTEM_PYTHON) tools/bootstrap.py
