# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the subsystem with all five trace sources."""
