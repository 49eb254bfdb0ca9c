# SPDX-License-Identifier: Apache-2.0
"""Stimulus of counters and control transfer records on one hart."""
