# SPDX-License-Identifier: Apache-2.0
"""Cores as data, and what `make core` does with one."""
