# SPDX-License-Identifier: Apache-2.0
"""The interface of a system to the tools: its configuration, builds, stimulus, coverage and tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rvtrace.jobs.sizes import Sizes

if TYPE_CHECKING:
    from rvtrace.jobs.builds import Bench, BuildConfig, BuildTable
    from rvtrace.jobs.job import Job
    from rvtrace.scoreboards.common.clauses import Plan
    from rvtrace.tb.common.coverage.model import Definition

WALKS = 24  # random walks of a main job


class System(ABC):
    """One system under test. Subclasses import what they need only when it is used: tools start quickly.

    ip: its name in IP=. title: its name for people. parts: other plans whose clauses its runs check.
    config: the class of its configurations. build: the parameters of its bench. sizes: what the table of bits per
    instruction compares, None if it has none. drives: how its bench can be driven, the usual way first. whole: the
    count in a result's stats of everything that has to be stored or moved. counted: the count that says how much was
    run. more_words: other names of options. xlen_names: options that say how wide addresses are. left: files of a
    capture. tolerances: the class of its tolerances. synthesis_top, synthesized: the module whose cells `make perf`
    counts, and with which parameters; "": its blocks are those of other systems. modelled_as: what `modelled` ran, in
    words. linted: parameters with which the RTL and the bench are linted. around: what is built around it: top, bench,
    parameters to lint it with. unread: why `make check` and `make decode` refuse it, for a system that leaves no
    capture they could read. measured_with: options of the runs of `make perf`. How captures are checked and printed is
    in flow/captured/<ip>.py and report/listing/<ip>.py.
    """

    ip: ClassVar[str]
    title: ClassVar[str]
    parts: ClassVar[tuple[str, ...]] = ()
    config: ClassVar[Any]
    build: ClassVar[BuildTable]
    sizes: ClassVar[Sizes | None] = None
    more_words: ClassVar[dict[str, str]] = {}
    xlen_names: ClassVar[tuple[str, ...]] = ("xlen",)
    drives: ClassVar[tuple[str, ...]] = ("bulk", "pins")
    whole: ClassVar[str] = "bytes"
    counted: ClassVar[str] = "instructions"
    claims: ClassVar[dict[str, Any]] = {}  # options that describe a foreign device alone, and what they are of ours
    left: ClassVar[tuple[str, ...]] = ("trace.bin", "program.elf", "config.json", "retired.csv")

    tolerances: ClassVar[Any]
    synthesis_top: ClassVar[str]
    synthesized: ClassVar[tuple[dict[str, int], ...]] = ()
    modelled_as: ClassVar[str] = ""
    linted: ClassVar[tuple[dict[str, Any], ...]] = ({},)
    around: ClassVar[tuple[tuple[str, Bench, tuple[dict[str, int], ...]], ...]] = ()
    unread: ClassVar[str] = ""
    measured_with: ClassVar[Mapping[str, Any]] = {}

    @property
    def words(self) -> dict[str, str]:
        """Every option of a configuration as a command line word."""
        words = {
            f.name.upper(): f"option {f.name}, default {f.default}"
            for f in fields(self.config)
            if not isinstance(f.default, tuple)
        }
        return words | self.more_words

    def options(self, given: Mapping[str, str]) -> dict[str, str]:
        """The options among the words of a command line, by their lower-case names."""
        words = self.words
        return {name.lower(): value for name, value in given.items() if name in words}

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

    @abstractmethod
    def programs(self, everything: bool = False) -> list[Job]:
        """Every recorded program, RV64 and RV32, in the configurations of the main job, or in all that matter."""

    @abstractmethod
    def random_job(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
        """A random walk in a random configuration, `base` fixed."""

    @abstractmethod
    def described(self, config: Any) -> str:
        """A configuration in a few words: variant, mode, RV64."""

    def read(self, trace: Path, config: Any) -> bytes:
        """The bytes of a trace file; ValueError if it is none."""
        return trace.read_bytes()

    @abstractmethod
    def capture(self, config: Any, program: Any, data: bytes, beats: Any, retired: Any, rerun: str) -> Any:
        """A capture of files, ready for `check`."""

    @abstractmethod
    def check(self, capture: Any, tolerances: Any) -> Any:
        """The verdict of the scoreboards."""

    @property
    @abstractmethod
    def plan(self) -> Plan | None:
        """Its clauses."""

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
        from rvtrace.jobs.arguments import ArgumentError

        raise ArgumentError(
            f"SOURCE={given['SOURCE']}: {self.title} is no part of the trace system; give SOURCE=program:<name>,"
            " scenario:<name> or random"
        )

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """For `make perf`: of a recorded program, in each mode, (instructions, [(part, the work of it)])."""
        return []

    def directed(self, sim: str) -> list[Job]:
        """Every directed scenario in each of its configurations, without those that are too slow for Icarus on it."""
        from rvtrace.jobs.job import Job

        return [
            Job(f"{name}-{index}", f"scenario:{name}", dict(options), sim=sim, ip=self.ip, **scenario.job)
            for name, scenario in sorted(self.scenarios.items())
            if not (scenario.slow and sim == "icarus")
            for index, options in enumerate(scenario.configs)
        ]  # fmt: skip

    def daily(self, sim: str) -> list[Job]:
        """Those of the main job."""
        return self.directed(sim)

    def summary(self, result: Mapping[str, Any]) -> str:
        """What a run did, in a few words of one line."""
        stats = result.get("stats", {})
        words = [
            f"{result['config'].get('mode', ''):<4}",
            f"{int(stats.get('instructions', 0)):>8} insns {int(stats.get('bytes', 0)):>7} bytes",
            f"{stats.get('bits_per_instruction', 0.0):6.3f} bits/insn",
        ]
        return "  ".join(words)

    def lacks(self, job: Job) -> str:
        """What the hart of a job does not have that its program needs; empty if it has everything."""
        return ""

    def captured(self, job: Job) -> None:
        """ArgumentError if a job leaves nothing that `make capture` could keep."""
        return None

    def measured(self) -> list[Job]:
        """The runs of the table of bits per instruction."""
        return [] if self.sizes is None else self.sizes.jobs(self.ip)


def names(items: Iterable[Any]) -> str:
    """A list for a sentence."""
    return ", ".join(map(str, items))
