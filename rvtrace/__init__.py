# SPDX-License-Identifier: Apache-2.0
"""Verification of RISC-V trace IP. The folders here link to those of the checkout."""
