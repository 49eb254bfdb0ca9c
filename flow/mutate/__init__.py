# SPDX-License-Identifier: Apache-2.0
"""Mutants of SystemVerilog: many changes compiled together into one build, one of which is selected at run time."""
