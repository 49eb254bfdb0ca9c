# SPDX-License-Identifier: Apache-2.0
"""Comparison of the SBI PMU models with OpenSBI on QEMU."""
