"""The directed SBI PMU scenarios: importing this module registers all of them."""

from __future__ import annotations

from tb.sequences.sbi_pmu_scenarios_base import SCENARIOS, Scenario

__all__ = ["SCENARIOS", "Scenario"]

from tb.sequences import (  # noqa: F401 - importing registers them
    sbi_pmu_scenarios_config,
    sbi_pmu_scenarios_memory,
    sbi_pmu_scenarios_run,
)
