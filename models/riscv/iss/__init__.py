# SPDX-License-Identifier: Apache-2.0
"""The reference instruction set simulator: RV32 and RV64 IMAC with privileged modes."""
