"""What a system is to the tools: its configuration, builds, stimulus, coverage and tables, behind one set of names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tools.bits import Sizes

if TYPE_CHECKING:
    from scoreboards.clauses import Plan
    from tb.coverage.model import Definition
    from tb.job import Job
    from tools.builds import Bench, BuildConfig
    from tools.charts import Figure

WALKS = 24  # random walks of a main job


class System(ABC):
    """One system under test. Subclasses import what they need only when it is asked for: tools start quickly.

    ip: its name in IP=. title: its name for people. parts: other plans whose clauses its runs check.
    config: the class of its configurations. sizes: what the table of bits per instruction compares, None if it has none.
    drives: how its bench can be driven, the usual way first. whole: the count in a result's stats of everything that has to be stored or moved. counted: the count that says how much was run.
    more_words: other names of options. xlen_names: options that say how wide addresses are. left: files of a capture. knobs: the class of its tolerances.
    synthesis_top, synthesized: the module whose cells `make perf` counts, and with which parameters; "": its blocks are those of other systems. modelled_as: what `modelled` ran, in words.
    linted: parameters with which the RTL and the bench are linted. around: what is built around it: top, bench, parameters to lint it with.
    listing: how `make decode` shows its traces: a module with decode, listing, fault, summary and alone.
    own_check, own_decode: what `make check` and `make decode` do instead, for a system that makes no trace. measured_with: options of the
    runs of `make perf`. shown_as: heading and introduction of what `shown` gives.
    """

    ip: ClassVar[str]
    title: ClassVar[str]
    parts: ClassVar[tuple[str, ...]] = ()
    config: ClassVar[Any]
    sizes: ClassVar[Sizes | None] = None
    more_words: ClassVar[dict[str, str]] = {}
    xlen_names: ClassVar[tuple[str, ...]] = ("xlen",)
    drives: ClassVar[tuple[str, ...]] = ("bulk", "pins")
    whole: ClassVar[str] = "bytes"
    counted: ClassVar[str] = "instructions"
    claims: ClassVar[dict[str, Any]] = {}  # options that describe a foreign device alone, and what they are of ours
    left: ClassVar[tuple[str, ...]] = ("trace.bin", "program.elf", "config.json", "retired.csv")

    knobs: ClassVar[Any]
    synthesis_top: ClassVar[str]
    synthesized: ClassVar[tuple[dict[str, int], ...]] = ()
    modelled_as: ClassVar[str] = ""
    linted: ClassVar[tuple[dict[str, Any], ...]] = ({},)
    around: ClassVar[tuple[tuple[str, Bench, tuple[dict[str, int], ...]], ...]] = ()
    listing: ClassVar[Any]
    own_check: Callable[[list[str]], int] | None = None
    own_decode: Callable[[list[str]], int] | None = None
    measured_with: ClassVar[Mapping[str, Any]] = {}
    shown_as: ClassVar[tuple[str, str]] = ("", "")

    @property
    def words(self) -> dict[str, str]:
        """Every option of a configuration as a command line word."""
        words = {f.name.upper(): f"option {f.name}, default {f.default}" for f in fields(self.config) if not isinstance(f.default, tuple)}
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
    @abstractmethod
    def bench(self) -> Bench:
        """Its testbench."""

    @abstractmethod
    def build_of(self, job: Job) -> BuildConfig:
        """The build that plays a job."""

    @abstractmethod
    def programs(self, everything: bool = False) -> list[Job]:
        """Every recorded program, RV64 and RV32, in the configurations of the main job, or in all that matter."""

    @abstractmethod
    def drawn(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
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
    def check(self, capture: Any, knobs: Any) -> Any:
        """The verdict of the scoreboards."""

    @property
    @abstractmethod
    def plan(self) -> Plan | None:
        """Its clauses."""

    def walks(self, seed: int) -> list[Job]:
        """The random walks of the main job."""
        return [self.drawn(seed + n) for n in range(WALKS)]

    def regressed(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
        """What `make regress` runs for a seed."""
        return self.drawn(seed, base, size)

    def stories(self, sim: str, seed: int = 1) -> list[Any]:
        """Runs of a larger bench around the system, if it has one."""
        return []

    def story(self, given: Mapping[str, str]) -> Any:
        """The run SOURCE=system:<name> asks for; ValueError if the system has none."""
        from tools.arguments import ArgumentError

        raise ArgumentError(f"SOURCE={given['SOURCE']}: {self.title} has no trace system; give SOURCE=program:<name>, scenario:<name> or random")

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """For `make perf`: of a recorded program, in each mode, (instructions, [(part, the work of it)])."""
        return []

    def directed(self, sim: str) -> list[Job]:
        """Every directed scenario in each of its configurations."""
        from tb.job import Job

        return [
            Job(f"{name}-{index}", f"scenario:{name}", dict(options), sim=sim, ip=self.ip, **scenario.job)
            for name, scenario in sorted(self.scenarios.items())
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

    def captured(self, job: Job) -> None:
        """ArgumentError if a job leaves nothing that `make capture` could keep."""
        return None

    def finish(self, out: Path) -> Iterable[str]:
        """Write what `make capture` adds to what the run left in a folder; the names."""
        return ()

    def shown(self, results: Iterable[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
        """For the report: (name, line, text) of each result that has something to show."""
        return []

    def figures(self, results: Iterable[Mapping[str, Any]]) -> list[Figure]:
        """Charts of its own for the report."""
        return []

    def measured(self) -> list[Job]:
        """The runs of the table of bits per instruction."""
        return [] if self.sizes is None else self.sizes.jobs(self.ip)


def names(items: Iterable[Any]) -> str:
    """A list for a sentence."""
    return ", ".join(map(str, items))
