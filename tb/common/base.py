# SPDX-License-Identifier: Apache-2.0
"""Base classes of every environment and test: what a test of a user extends, and what `rvtrace.tb.common.entry` calls.

All components are created by the factory. Overrides that a test sets, and everything in ConfigDB, last for one job.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from pyuvm import ConfigDB, uvm_component, uvm_env, uvm_subscriber, uvm_test

from rvtrace.jobs.job import Job
from rvtrace.jobs.results import judged
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.tb.common.agents.base import CONFIG, AgentConfig, Created, config_of

# In the sentence about a port, if nothing of the run is judged: the device did not take what was played, or an output
# was X.
UNJUDGED = ("the run was given up", " is X")


@dataclass
class RunConfig:
    """The configuration of a test: what it is to play on which bench. dut: the handle of the bench. stimulus: from the
    `stimulus_of` of the test.
    """

    dut: Any
    job: Job
    stimulus: Any


class Collector(Created, uvm_subscriber):
    """Collects transactions. items: all that were written (DRIVE=pins); got: arrays of the whole run, after its end."""

    def build_phase(self) -> None:
        self.items: list[Any] = []
        self.got: Any = None

    def write(self, item: Any) -> None:
        self.items.append(item)


class Scoreboard(uvm_component):
    """Combines what the monitors observed and checks it against the clauses; has no access to what was driven.

    observed: the names of the agents it collects from. check: of the system, by capture and tolerances.
    tolerances_class: the tolerances of the system; tolerances: those of the run, None for the defaults that `exact`
    selects.
    """

    observed: ClassVar[tuple[str, ...]] = ()
    check: ClassVar[Callable[..., Any]]
    tolerances_class: Any = None
    tolerances: Any = None

    def build_phase(self) -> None:
        for name in self.observed:
            setattr(self, name, Collector.create(name, self))

    def judge(self, job: Job, stimulus: Any, problems: list[str]) -> Verdict:
        """Check the run; the capture remains in `self.capture` for the results."""
        if job.tolerances:
            defaults = self.tolerances_class() if job.exact else self.tolerances_class.free()
            self.tolerances = replace(defaults, **job.tolerances)
        self.capture = self.captured(job, stimulus, problems)
        return self.checked()

    def captured(self, job: Job, stimulus: Any, problems: list[str]) -> Any:
        """What the monitors observed, in the form that the system's checks take."""
        raise NotImplementedError

    def checked(self) -> Verdict:
        """The verdict about `self.capture`."""
        return self.check(self.capture, self.tolerances)


class Coverage(uvm_component):
    """Samples the coverage points of tb/<ip>/coverage once for each run, by `sample_of` of the environment."""

    def sample(self, capture: Any, verdict: Verdict) -> dict[str, dict[str, int]]:
        """{point: {bin: hits}}"""
        env: Any = self.get_parent()
        return env.sample_of(capture, verdict)


class BaseEnv(uvm_env):
    """Agents, scoreboard and coverage. A subclass names the classes; agent_classes: by the names of the agents.

    sample_of: counts of the coverage points by capture and verdict, None if there are none.
    """

    agent_classes: ClassVar[Mapping[str, type[Any]]] = MappingProxyType({})
    scoreboard_class: type[Any]
    coverage_class: type[Coverage] = Coverage
    sample_of: ClassVar[Callable[[Any, Any], dict[str, dict[str, int]]] | None] = None

    def build_phase(self) -> None:
        self.agents: list[Any] = []
        for name, kind in self.agent_classes.items():
            agent = kind.create(name, self)
            setattr(self, name, agent)
            self.agents.append(agent)
        self.scoreboard = self.scoreboard_class.create("scoreboard", self)
        if self.sample_of is not None:
            self.coverage = self.coverage_class.create("coverage", self)

    def subscriber_error(self) -> Exception | None:
        """The first exception that a subscriber of a monitor raised."""
        monitors = [agent.monitor for agent in self.agents if agent.monitor is not None]
        return next((port.error for monitor in monitors for port in monitor.ports if port.error is not None), None)

    def stop(self) -> None:
        """End the endless tasks of all agents: the next job in this process has its own."""
        for agent in self.agents:
            agent.stop()


class BaseTest(uvm_test):
    """Plays one job. `run_phase` calls `play`, which a subclass has; `result` is what becomes result.json.

    outcome: the verdict and the capture, once the run was checked. env_class: the environment. stimulus_of: makes the
    stimulus of a job. extra: what else its result.json has. seconds: wall time by what it was used for. error: why the
    job was not played to its end; failure: what a subscriber raised.
    """

    env_class: type[Any]
    stimulus_of: ClassVar[Callable[[Any], Any]]
    extra: Mapping[str, Any] = MappingProxyType({})
    outcome: tuple[Verdict, Any]

    def build_phase(self) -> None:
        run = config_of(self, RunConfig)
        self.dut, self.job, self.stimulus = run.dut, run.job, run.stimulus
        self.seconds: dict[str, float] = {}
        self.problems: list[str] = []
        self.error: Exception | None = None
        self.failure: Exception | None = None
        self.coverage: dict[str, dict[str, int]] = {}
        self.configure()
        self.env = self.env_class.create("env", self)

    @property
    def bulk(self) -> bool:
        """Whether SystemVerilog plays and records this job."""
        return self.job.drive == "bulk"

    def configure(self) -> None:
        """Set the configuration objects of the agents, and overrides in the factory; a subclass adds its own."""
        raise NotImplementedError

    def set_config(self, config: AgentConfig, path: str = "env*") -> None:
        """Set the configuration object of the components at a path below the test."""
        ConfigDB().set(self, path, CONFIG, config)

    async def run_phase(self) -> None:
        self.raise_objection()
        try:
            await self.play()
            self.failure = self.env.subscriber_error()
        except Exception as error:  # a job that breaks must not end the process, which has others
            self.error = error
        finally:
            self.env.stop()
            self.drop_objection()

    async def play(self) -> None:
        """Everything from reset to the end of the run."""
        raise NotImplementedError

    def result(self, seconds: dict[str, float]) -> dict[str, Any]:
        """The result of a run that was checked. seconds: wall time that was used before the test."""
        verdict, capture = self.outcome
        found = judged(self.job, verdict, capture, self.coverage, seconds | self.seconds)
        if unjudged := next((text for text in self.problems if any(part in text for part in UNJUDGED)), ""):
            found["unjudged"] = unjudged
        return {**found, **self.extra}

    def leave(self, out: Path) -> None:
        """Write the files of a capture to a folder."""
