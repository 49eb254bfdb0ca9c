# SPDX-License-Identifier: Apache-2.0
"""The testbench: pyuvm agents, environments, sequences and coverage around the simulated encoder."""
