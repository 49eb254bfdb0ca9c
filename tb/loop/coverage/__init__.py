# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of counters and control transfer records on one hart."""
