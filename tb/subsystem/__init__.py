# SPDX-License-Identifier: Apache-2.0
"""Testbench of the subsystem with all five trace sources."""
