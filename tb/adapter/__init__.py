# SPDX-License-Identifier: Apache-2.0
"""Testbench of the adapters."""
