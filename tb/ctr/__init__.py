# SPDX-License-Identifier: Apache-2.0
"""Testbench of control transfer records (Smctr/Ssctr)."""
