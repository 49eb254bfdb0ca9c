# SPDX-License-Identifier: Apache-2.0
"""A DUT that is attached to the testbench: its description (dut.toml), its ports, the wrapper around it, and what
applies to it.
"""
