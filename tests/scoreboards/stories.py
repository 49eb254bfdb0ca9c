"""Scenarios as the scoreboards' tests use them: program and beats, without a simulator."""

from __future__ import annotations

from random import Random

from models.ntrace.config import Config
from models.riscv.beats import Beats
from models.riscv.program import Program
from tb.sequences.ntrace_scenarios import SCENARIOS


def story(name: str, config: Config) -> tuple[Program, Beats]:
    """A directed scenario told in one configuration."""
    scenario = SCENARIOS[name]
    program, retired = scenario.build(config, Random(f"1:{name}"))
    return program, scenario.to_beats(config, Random(f"2:{name}"), program, retired)
