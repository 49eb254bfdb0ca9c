# SPDX-License-Identifier: Apache-2.0
"""Mutants of SystemVerilog: many changes compiled together into one build, one of which is selected at run time."""

ENVIRONMENT = "RVTRACE_MUTANT"  # the number of the mutant, for a simulator that is a copy of a process
