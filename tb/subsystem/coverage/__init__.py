# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the subsystem with all five trace sources."""
