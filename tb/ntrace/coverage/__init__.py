# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of N-Trace."""
