# SPDX-License-Identifier: Apache-2.0
"""Checks of counters and control transfer records on one hart."""
