# SPDX-License-Identifier: Apache-2.0
"""Directed scenarios: the record of one, and the registry of those of a system.

A system has its registry `SCENARIOS` in tb/<ip>/stimulus/scenarios/base.py, and its scenarios in the other modules of
that folder. Each module whose functions are decorated with `SCENARIOS.scenario(...)` is found by itself;
scoreboards/<ip>/plan.toml says which clauses a scenario exercises.

    @scenario("ET.alg.trap", configs=configs(**SMALL), gaps=20)
    def trap_first(s: Script) -> None:
        \"\"\"A trap at the first instruction that is traced.\"\"\"
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from itertools import product
from random import Random
from typing import Any

from rvtrace.jobs.job import Job, JobError
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired

Configs = tuple[dict[str, Any], ...]
Build = Callable[..., Any]
Place = Callable[[Any, str, Retired, Random], Beats]


@dataclass(frozen=True)
class Scenario:
    """A directed scenario.

    name: as in SCENARIO=<name>. doc: one sentence. clauses: those that it must exercise. build: makes its stimulus;
    arguments and result are those of its system. configs: overrides of options, one run for each; base: those that all
    of them have. job: settings of its jobs (retirement, gaps, backpressure, drive). needs: options that must not be 0,
    because there is nothing to exercise without them. slow: it has so many cycles that Icarus would take minutes.

    Of encoders: place puts the retired instructions on the ingress port, by retirement; beats: the scenario's own way
    to do so.
    """

    name: str
    doc: str
    clauses: tuple[str, ...]
    build: Build
    configs: Configs = ()
    job: dict[str, Any] = field(default_factory=dict)
    base: dict[str, Any] = field(default_factory=dict)
    place: Place | None = None
    beats: Callable[[Any, Random, Program, Retired], Beats] | None = None
    needs: tuple[str, ...] = ()
    slow: bool = False

    def missing(self, config: Any) -> str:
        """What a configuration lacks, as "has_h = 1"; "" if the scenario can run."""
        lacks = next((name for name in self.needs if not getattr(config, name)), "")
        return f"{lacks} = 1" if lacks.startswith("has_") else lacks and f"{lacks} other than 0"

    def to_beats(self, config: Any, rng: Random, program: Program, retired: Retired, retirement: str = "") -> Beats:
        """The ingress rows: the scenario's own, or the longest blocks (single retirement if the job, or `retirement`,
        says so).
        """
        if self.beats is not None:
            return self.beats(config, rng, program, retired)
        assert self.place is not None, f"scenario {self.name} is of a system without an ingress port of blocks"
        return self.place(config, retirement or self.job.get("retirement", "block"), retired, rng)


class Scenarios(dict[str, Scenario]):
    """The scenarios of one system by name.

    configs: of those that name none. base: options of every configuration, unless the scenario may lose packets. place:
    see `Scenario`. script: makes `build` of a decorated function that writes a script; fresh: without the usual set-up
    before it.
    """

    def __init__(
        self,
        configs: Configs = (),
        base: dict[str, Any] | None = None,
        place: Place | None = None,
        script: Callable[[Callable[[Any], Any], bool], Build] | None = None,
    ) -> None:
        super().__init__()
        self.configs, self.base, self.place, self.script = configs, base or {}, place, script

    def load(self, package: str) -> None:
        """Import every module of a package in the order of their names: each registers its scenarios."""
        for module in sorted(found.name for found in pkgutil.iter_modules(import_module(package).__path__)):
            import_module(f"{package}.{module}")

    def of(self, job: Job) -> Scenario:
        """The scenario that a job names; JobError if there is none, or if it needs what the configuration lacks."""
        name = job.source.partition(":")[2]
        if name not in self:
            near = get_close_matches(name, self, 1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise JobError(f"there is no scenario {name}; {hint}`make list IP={job.ip}` lists them")
        if self[name].needs and (lacks := self[name].missing(job.settings)):
            raise JobError(
                f"scenario {name} needs {lacks}, which this implementation does not have; give it, or run another"
            )
        return self[name]

    def add(self, scenario: Scenario) -> None:
        """Register a scenario; ValueError if there is another one of its name."""
        if scenario.name in self:
            raise ValueError(f"duplicate scenario {scenario.name}; give it another name")
        self[scenario.name] = scenario

    def scenario(
        self,
        *clauses: str,
        configs: Configs | None = None,
        beats: Any = None,
        loses: bool = False,
        fresh: bool = False,
        needs: tuple[str, ...] = (),
        slow: bool = False,
        **job: Any,
    ) -> Callable[[Build], Build]:
        """Register the decorated function under its name; the first line of its docstring is the scenario's `doc`.

        loses: an encoder may lose packets. Else it stalls the hart: a scenario whose packets are lost shows nothing.
        """
        base = {} if loses else self.base
        options = tuple({**base, **one} for one in (self.configs if configs is None else configs))

        def register(function: Build) -> Build:
            doc = (function.__doc__ or "").strip().splitlines()[0]
            build = function if self.script is None else self.script(function, fresh)
            self.add(
                Scenario(function.__name__, doc, clauses, build, options, job, base, self.place, beats, needs, slow)
            )
            return function

        return register


def scripted(script: Callable[[Any, Random, bool], Any]) -> Callable[[Callable[[Any], Any], bool], Build]:
    """For `Scenarios`: the function is given a script to write, made of configuration, generator and `fresh`; its rows
    are the stimulus.
    """

    def make(function: Callable[[Any], Any], fresh: bool) -> Build:
        def build(config: Any, rng: Random) -> Any:
            written = script(config, rng, fresh)
            function(written)
            return written.rows()

        return build

    return make


def combinations(**choices: Any) -> Configs:
    """Every combination of the options given; a tuple is a choice."""
    values = [v if isinstance(v, tuple) else (v,) for v in choices.values()]
    return tuple(dict(zip(choices, combination)) for combination in product(*values))
