# SPDX-License-Identifier: Apache-2.0
"""Stimulus of control transfer records (Smctr/Ssctr)."""
