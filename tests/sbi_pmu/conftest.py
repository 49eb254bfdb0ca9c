# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of the SBI PMU extension: each runs on RV32 and on RV64."""

import pytest

from tests.sbi_pmu.machine import Machine


@pytest.fixture(params=(32, 64))
def xlen(request: pytest.FixtureRequest) -> int:
    """Width of the machine, unless the test is parametrized by others."""
    return request.param


@pytest.fixture
def machine(xlen: int) -> Machine:
    """One with the policy of the specification."""
    return Machine(xlen)
