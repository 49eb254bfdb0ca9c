# SPDX-License-Identifier: Apache-2.0
"""Checks of the subsystem with all five trace sources."""
