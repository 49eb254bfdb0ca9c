# SPDX-License-Identifier: Apache-2.0
"""Testbench of counters and control transfer records on one hart."""
