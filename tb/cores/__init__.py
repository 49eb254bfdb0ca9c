# SPDX-License-Identifier: Apache-2.0
"""A core with RVFI in place of the hart that plays rows: its testbench and the test that runs a program on it."""
