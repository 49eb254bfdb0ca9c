# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of control transfer records (Smctr/Ssctr)."""
