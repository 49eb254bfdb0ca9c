# SPDX-License-Identifier: Apache-2.0
"""The files that the testbench of a core writes."""
