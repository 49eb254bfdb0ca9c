# SPDX-License-Identifier: Apache-2.0
"""One run of the trace system, as plain data: `Job` whose source is a system scenario (tb/tci/stimulus/scenarios)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rvtrace.jobs.job import Job
from rvtrace.jobs.names import config_of
from rvtrace.models.tci.layout import Params

KIND = "tci"
HARTS, TS_WIDTH, SRAM_BYTES = 2, 48, 1 << 16  # of tci_tb
DEFAULTS: dict[str, dict[str, Any]] = {
    "ntrace": {"ts_width": TS_WIDTH},
    "etrace": {"framing": "zeros", "index_width": 8, "bcount_bits": 16},
}


def params_of(config: Any) -> Params:
    """What a trace system with the encoders of a configuration has, as its registers say it."""
    size: dict[str, Any] = {"harts": HARTS, "ts_width": TS_WIDTH, "sram_bytes": SRAM_BYTES}
    if config.to_dict().get("ip") != "etrace":
        return Params(**size)
    returns = (3,) * bool(config.return_stack_size_p) + (1,) * bool(config.call_counter_size_p)
    return Params.etrace(
        **size,
        xlen=config.xlen,
        implicit_return_modes=returns,
        sequential_jump=bool(config.sijump_p),
        branch_prediction=bool(config.bpred_size_p),
        jump_target_cache=bool(config.cache_size_p),
        contexts=(1 - config.nocontext_p,),
    )


@dataclass
class TciJob(Job):
    """A run of the trace system.

    source: "tci:<name>". config: options of every hart's encoder, where the scenario does not set them. program: what
    the harts run, where the scenario does not choose it. size: instructions of a hart's walk.
    """

    program: str = "random"
    size: int = 1500

    def __post_init__(self) -> None:
        """Nothing of `Job`'s: whether there is such a scenario is asked of tb/tci/stimulus/scenarios (`known`)."""

    @property
    def scenario(self) -> str:
        """The name of its scenario."""
        return self.source.partition(":")[2]

    @property
    def settings(self) -> Any:
        """The configuration of the harts' encoders; ConfigError if it is illegal."""
        return config_of(self.ip).from_dict(DEFAULTS[self.ip] | self.config)

    @property
    def params(self) -> Params:
        """What its trace system has."""
        return params_of(self.settings)

    def rng_path(self, what: str) -> str:
        """The seed of one purpose."""
        return f"{self.seed}:system:{self.scenario}:{what}"

    @property
    def rerun(self) -> str:
        """The one command that repeats this run."""
        words = [super().rerun]
        for name, value in DEFAULTS[self.ip].items():
            words[0] = words[0].replace(f" {name.upper()}={value}", "")
            if getattr(self.settings, name) != value and f" {name.upper()}=" not in words[0]:
                words.append(f"{name.upper()}={getattr(self.settings, name)}")
        if self.program != "random":
            words.append(f"PROGRAM={self.program}")
        if self.size != 1500:
            words.append(f"SIZE={self.size}")
        return " ".join(words)


def job_of(values: Mapping[str, Any]) -> Job:
    """The job of plain values (`Job.to_dict`): of the trace system if its source is."""
    return (TciJob if str(values.get("source", "")).startswith(f"{KIND}:") else Job)(**values)
