# SPDX-License-Identifier: Apache-2.0
"""Where the registers of the subsystem are on its bus (docs/reference/rtl-subsystem.md, "Registers")."""

from __future__ import annotations

BASES = {"ntrace": 0x00000, "etrace": 0x10000}  # of the two trace systems, 64 kB each
TANDEM_BASE = 0x20000
TANDEM_CONTROL, TANDEM_STATUS, TANDEM_BYTES = TANDEM_BASE, TANDEM_BASE + 4, TANDEM_BASE + 8
NO_REGISTER = (0x2_0010, 0x2_0FFC, 0x2_1000, 0x2_1004, 0x2_8000, 0x3_0000, 0x3_0004, 0xF_0008)
"""Some addresses after those of the tandem trace."""
