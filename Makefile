# The front door. `make help` says what there is; words such as PROGRAM=sort go to the tool behind the target.

PYTHON ?= python3
SIM    ?= verilator
export SIM

VENV  := .venv
PY    := $(VENV)/bin/python
# What the shell would take for itself (FILTER="iaddr>0x100&priv=M") is escaped.
WORDS := $(subst >,\>,$(subst <,\<,$(subst ;,\;,$(subst |,\|,$(subst &,\&,$(filter-out PYTHON=%,$(MAKEOVERRIDES)))))))
RESULTS_OF_ALL := build/results/main

.PHONY: all run test capture decode check check-trace new-dut compare verify elf-to-trace readback plants perf sizes regress cover report witness doctor list lint clean clean-venv help venv
.DEFAULT_GOAL := all
.SUFFIXES:
.NOTPARALLEL:

help: ## What there is to type
	@echo "make [target] [NAME=value ...], for example: make run PROGRAM=sort MODE=btm XLEN=32"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r t w; do printf '  %-12s %s\n' "$$t" "$$w"; done
	@echo "NAME=value: IP=ntrace|etrace|ctr|hpm|sbi_pmu|loop|tandem|subsystem SIM=verilator|icarus PROGRAM= SCENARIO= SEED= MODE=htm|btm VARIANT=v1_0|rc7 XLEN=64|32 OUT= WAVES=1; make list has all."

all: venv ## The main job: real programs, five witnesses on one hart, and a report (IP=<system>: all of that system; default)
	@status=0; $(PY) -m tools.run $(WORDS) || status=$$?; \
	[ $$status -gt 1 ] || $(PY) -m tools.report RESULTS=$(RESULTS_OF_ALL) || status=1; exit $$status

run: venv ## One job: PROGRAM=, SCENARIO= or SOURCE=; without one the main job
	@$(PY) -m tools.run $(WORDS)

test: venv ## All tests (TESTS=<file or folder>, K=<part of a name>, N=<processes, default 2>)
	@$(PY) -m tools.suite $(WORDS)

capture: venv ## Run a program and leave trace.bin (IP=ctr: entries.json, IP=hpm: counters.json, IP=sbi_pmu: calls.jsonl), program.elf, config.json, retired.csv in OUT
	@$(PY) -m tools.capture $(WORDS)

decode: venv ## Print a trace as messages and instructions, CTR entries as a call path, counters (OUT=<a capture>, or TRACE= PROGRAM= CONFIG=)
	@$(PY) -m tools.decode $(WORDS)

check: venv ## Your RTL on the stand: DUT=<name or folder>, ends in a compliance report; or OUT=<a capture> without a simulator
	@$(PY) -m tools.check $(WORDS)

check-trace: venv ## A captured trace (FORMAT=etrace|ntrace|tandem TRACE= ELF= RETIRED= CONFIG=) without a simulator, the same report
	@$(PY) -m tools.check_trace $(WORDS)

new-dut: venv ## A folder to attach your IP with (NAME=acme IP=ntrace FILES=<sources> TOP=<module>)
	@$(PY) -m tools.new_dut $(WORDS)

compare: venv ## What changed between two compliance reports (A= B=)
	@$(PY) -m tools.compare $(WORDS)

verify: venv ## Replay a tandem trace against an instruction set simulator: whose fault is each mismatch (OUT=<a capture>, or TRACE= ELF= CONFIG=)
	@$(PY) -m tools.verify $(WORDS)

elf-to-trace: venv ## The tandem trace that loads a program into memory (ELF=<file> OUT=<file>)
	@$(PY) -m tools.elf_to_trace $(WORDS)

plants: venv ## Plant the bugs of tests/plants one by one and see which clause catches each
	@$(PY) -m tools.plants $(WORDS)

readback: venv ## Program in, registers programmed, trace read back from the RAM sink, decoded (PROGRAM=sort)
	@$(PY) -m tools.readback $(WORDS)

perf: venv ## Speed: bulk against pins, where the time goes, models, cells
	@$(PY) -m tools.perf $(WORDS)

sizes: venv ## Bits per instruction of all systems on the same programs, side by side, as Markdown
	@$(PY) -m tools.sizes $(WORDS)

regress: venv ## Random seeds of all systems or of IP= (SEEDS=N FIRST=1 N=<processes> SIZE= FRESH=1 WAVES=fail CLUSTER=slurm); goes on where it was killed
	@$(PY) -m tools.regress $(WORDS)

cover: venv ## Close the coverage of all systems or of IP= (BUDGET=<minutes> TREND=1); what to type for each hole, code coverage beside it
	@$(PY) -m tools.cover $(WORDS)

report: venv ## The report over everything in build/results
	@$(PY) -m tools.report $(WORDS)

doctor: ## What was found, what is missing, what to type; DUT=<name or folder>: of your IP
	@if [ -x $(PY) ]; then $(PY) -m tools.doctor $(WORDS); else $(PYTHON) tools/doctor.py $(WORDS); fi

witness: venv ## The SBI PMU calls of the models on QEMU with OpenSBI, both from Debian; writes docs/sbi-witness.md (FIRMWARE=<fw_dynamic.bin> XLEN=)
	@$(PY) -m tools.witness $(WORDS)

list: venv ## Programs, scenarios, tests, options
	@$(PY) -m tools.list $(WORDS)

lint: venv ## verilator -Wall, ruff, and which package may import which
	@$(PY) -m tools.lint $(WORDS)

clean: ## Remove build/
	rm -rf build

clean-venv: ## Remove .venv
	rm -rf $(VENV)

venv: $(VENV)/complete

$(VENV)/complete: tools/requirements.txt tools/bootstrap.py
	@$(PYTHON) tools/bootstrap.py
