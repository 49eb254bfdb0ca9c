# SPDX-License-Identifier: Apache-2.0
"""What `make perf` measures of the models runs for every system."""

from __future__ import annotations

import pytest
from rvtrace.tb import systems


@pytest.mark.parametrize("ip", systems.NAMES)
def test_every_part_of_the_models_runs(ip):
    for count, parts in systems.find(ip).modelled("traps"):
        assert count > 0
        for name, work in parts:
            work()
            assert name
