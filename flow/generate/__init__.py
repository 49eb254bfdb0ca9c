# SPDX-License-Identifier: Apache-2.0
"""Generators of SystemVerilog packages and register pages from the tables of the models, and of row layouts."""
