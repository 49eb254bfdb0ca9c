# SPDX-License-Identifier: Apache-2.0
"""The facet of a system that a testbench needs: builds, stimulus, coverage, random jobs, what is linted and measured.

tb/<ip>/bench.py has that of each system as BENCH, which is its judge as well; `rvtrace.jobs.systems.bench(ip)` loads
it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.builds import Bench, BuildConfig, BuildTable
from rvtrace.jobs.coverage import Definition
from rvtrace.jobs.job import Job
from rvtrace.jobs.measured import Models
from rvtrace.jobs.sizes import Sizes
from rvtrace.scoreboards.common.judge import Judge

WALKS = 24  # random walks of a main job


class SystemBench(Judge):
    """One system in the testbench: its judge, and what builds it, plays it and covers it.

    build: the parameters of its bench. random_job: a random walk in a random configuration, by seed, options that are
    fixed, and size. sizes: what the table of bits per instruction compares, None if it has none.
    drives: how its bench can be driven, the usual way first. whole: the count in a result's stats of everything that
    has to be stored or moved. synthesis_top, synthesized: the module whose cells `rvtrace figures speed` counts, and
    with which parameters; "": its blocks are those of other systems. modelled_as: what `modelled` ran, in words.
    linted: parameters with which the RTL and the bench are linted. areas: builds that `rvtrace figures area`
    synthesizes, in words and with their parameters. models: what `rvtrace figures speed` measures of its models, None
    if it sends no trace. around: what is built around it: top, bench, parameters to lint it with. measured_with:
    options of the runs of `rvtrace figures speed`. mutated: folders and files of rtl/ that a campaign of mutants
    changes, by the campaign's name, which is the system's or that of a part of it; a file that one of them names is not
    of those that name its folder. capture_lacks: what a run without a program has nothing of, in words, if a capture
    needs one.
    """

    build: ClassVar[BuildTable]
    random_job: ClassVar[Callable[..., Job]]
    sizes: ClassVar[Sizes | None] = None
    drives: ClassVar[tuple[str, ...]] = ("bulk", "pins")
    whole: ClassVar[str] = "bytes"
    synthesis_top: ClassVar[str]
    synthesized: ClassVar[tuple[dict[str, int], ...]] = ()
    modelled_as: ClassVar[str] = ""
    linted: ClassVar[tuple[dict[str, Any], ...]] = ({},)
    models: ClassVar[Models | None] = None
    areas: ClassVar[tuple[tuple[str, Mapping[str, str]], ...]] = ()
    around: ClassVar[tuple[tuple[str, Bench, tuple[dict[str, int], ...]], ...]] = ()
    measured_with: ClassVar[Mapping[str, Any]] = {}
    mutated: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    capture_lacks: ClassVar[str] = ""

    @property
    @abstractmethod
    def scenarios(self) -> Mapping[str, Any]:
        """The directed scenarios by name."""

    @property
    @abstractmethod
    def definition(self) -> Definition:
        """Its coverage points."""

    @property
    @abstractmethod
    def small(self) -> dict[str, Any]:
        """Options of the build with small counters."""

    @property
    def bench(self) -> Bench:
        """Its testbench."""
        return self.build.bench

    def build_of(self, job: Job) -> BuildConfig:
        """The build that runs a job."""
        return self.build.of(job.settings)

    def drives_of(self, job: Job) -> tuple[str, ...]:
        """How a job can be driven."""
        return self.drives

    @abstractmethod
    def programs(self, everything: bool = False) -> list[Job]:
        """Every recorded program, RV64 and RV32, in the configurations of the main job, or in all that matter."""

    def walks(self, seed: int) -> list[Job]:
        """The random walks of the main job."""
        return [self.random_job(seed + n) for n in range(WALKS)]

    def regressed(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
        """What `make regress` runs for a seed."""
        return self.random_job(seed, base, size)

    def tci_jobs(self, sim: str, seed: int = 1) -> list[Job]:
        """Runs of the trace system with its encoders (tb/tci), if it has any."""
        return []

    def tci_job(self, given: Mapping[str, str]) -> Job:
        """The run that SOURCE=tci:<name> names; ArgumentError if the system is no part of the trace system."""
        raise ArgumentError(
            f"SOURCE={given['SOURCE']}: {self.title} is no part of the trace system; give SOURCE=program:<name>,"
            " scenario:<name> or random"
        )

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """For `rvtrace figures speed`: of a recorded program, in each mode, (instructions, [(part, its work)])."""
        return []

    def directed(self, sim: str) -> list[Job]:
        """Every directed scenario in each of its configurations, without those that are too slow for Icarus on it."""
        return [
            Job(f"{name}-{index}", f"scenario:{name}", dict(options), sim=sim, ip=self.ip, **scenario.job)
            for name, scenario in sorted(self.scenarios.items())
            if not (scenario.slow and sim == "icarus")
            for index, options in enumerate(scenario.configs)
        ]  # fmt: skip

    def daily(self, sim: str) -> list[Job]:
        """Those of the main job."""
        return self.directed(sim)

    def lacks(self, job: Job) -> str:
        """What the hart of a job does not have that its program needs; empty if it has everything."""
        return ""

    def captured(self, job: Job) -> None:
        """ArgumentError if a job leaves nothing that `make capture` could keep."""
        if self.capture_lacks and not job.source.startswith("program:"):
            raise ArgumentError(
                f"{job.source} {self.capture_lacks}; give PROGRAM=<name> (`make list IP={self.ip}` has them)"
            )

    def measured(self) -> list[Job]:
        """The runs of the table of bits per instruction."""
        return [] if self.sizes is None else self.sizes.jobs(self.ip)


def names(items: Iterable[Any]) -> str:
    """A list for a sentence."""
    return ", ".join(map(str, items))
