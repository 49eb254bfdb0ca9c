# SPDX-License-Identifier: Apache-2.0
"""Answers of the SBI PMU extension: error and value."""

from __future__ import annotations

from typing import NamedTuple

from rvtrace.models.sbi_pmu.tables import ERROR_NAMES, ERRORS


class SbiRet(NamedTuple):
    """Answer of a call. error: 0 or negative (table Standard SBI Errors). value: XLEN bits, unsigned."""

    error: int
    value: int = 0

    @property
    def name(self) -> str:
        """Name of the error, without SBI_ERR_."""
        return ERROR_NAMES.get(self.error, str(self.error))


OK = SbiRet(0)
NOT_SUPPORTED, INVALID_PARAM, INVALID_ADDRESS, ALREADY_STARTED, ALREADY_STOPPED, NO_SHMEM = (
    SbiRet(ERRORS[name])
    for name in ("NOT_SUPPORTED", "INVALID_PARAM", "INVALID_ADDRESS", "ALREADY_STARTED", "ALREADY_STOPPED", "NO_SHMEM")
)
