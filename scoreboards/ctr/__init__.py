# SPDX-License-Identifier: Apache-2.0
"""Checks of control transfer records (Smctr/Ssctr)."""
