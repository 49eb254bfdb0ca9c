# SPDX-License-Identifier: Apache-2.0
"""The facet of a system that needs no simulator: its names, options and clauses, and the judgement of a capture.

scoreboards/<ip>/judge.py has that of each system as JUDGE; `rvtrace.jobs.systems.judge(ip)` loads it. What a run in a
testbench needs beyond it is the facet tb/<ip>/bench.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rvtrace.models.common.options import ConfigError

if TYPE_CHECKING:
    from rvtrace.scoreboards.common.clauses import Plan
    from rvtrace.scoreboards.common.foreign import Foreign


class CaptureError(ValueError):
    """Files that are no capture of the system; the text says what was found and what to give."""


class Judge(ABC):
    """What a system says of itself. Subclasses import their checks when they are used: tools start quickly.

    ip: its name in IP=. title: its name for people. parts: other plans whose clauses its runs check. config: the class
    of its configurations. tolerances: the class of its tolerances. more_words: other names of options. xlen_names:
    options that say how wide addresses are. forms: options that most of its bytes have their form from. foreign: what
    it says of somebody else's device; None if none can be attached. claims: options that describe a foreign device
    alone, and what they are of ours. follows_program: whether its trace says what the hart did only together with the
    program. counted: the count in a result's stats that says how much was run. leaves_rows: whether a capture has what
    was on the ports, rows of cycles. left: files of a capture. port: what its port takes: "blocks" of instructions, all
    "instructions", or "cycles", which never wait. unread: why `make check` and `make decode` refuse it, for a system
    that leaves no capture they could read.
    """

    ip: ClassVar[str]
    title: ClassVar[str]
    parts: ClassVar[tuple[str, ...]] = ()
    config: ClassVar[Any]
    tolerances: ClassVar[Any]
    more_words: ClassVar[dict[str, str]] = {}
    xlen_names: ClassVar[tuple[str, ...]] = ("xlen",)
    forms: ClassVar[tuple[str, ...]] = ()
    foreign: ClassVar[Foreign | None] = None
    claims: ClassVar[dict[str, Any]] = {}
    follows_program: ClassVar[bool] = False
    counted: ClassVar[str] = "instructions"
    leaves_rows: ClassVar[bool] = False
    left: ClassVar[tuple[str, ...]] = ("trace.bin", "program.elf", "config.json", "retired.csv")
    port: ClassVar[str] = "blocks"
    unread: ClassVar[str] = ""

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

    @abstractmethod
    def described(self, config: Any) -> str:
        """A configuration in a few words: variant, mode, RV64."""

    def read(self, trace: Path, config: Any) -> bytes:
        """The bytes of a trace file; ValueError if it is none."""
        return trace.read_bytes()

    @abstractmethod
    def capture(self, config: Any, program: Any, data: bytes, beats: Any, retired: Any, rerun: str) -> Any:
        """A capture of files, ready for `check`; CaptureError if there is no one trace."""

    def legible(self, data: bytes, config: Any = None) -> float:
        """The share of the first bytes of a trace that have the form of this format, with a configuration or its
        defaults; 0 for a system that sends no bytes.
        """
        return 0.0

    def readings(self) -> Iterator[Any]:
        """Configurations of which one reads the bytes of nearly any device of this format, which differ in `forms`;
        none for a system that sends no bytes.
        """
        legal = self.config.legal() if self.forms else {}
        for values in product(*(legal[name] for name in self.forms)) if legal else ():
            with suppress(ConfigError):  # options that exclude each other
                yield self.config(**dict(zip(self.forms, values)))

    def addresses(self, data: bytes, config: Any) -> Iterable[int]:
        """The full addresses of the first messages or packets; none if there are no such."""
        return ()

    @abstractmethod
    def check(self, capture: Any, tolerances: Any) -> Any:
        """The verdict of the scoreboards."""

    @property
    def plan(self) -> Plan:
        """Its clauses, scoreboards/<ip>/plan.toml. PlanError if it cannot be read."""
        from rvtrace.scoreboards.common.clauses import plan_of

        return plan_of(str(Path(__file__).parents[1] / self.ip / "check.py"))

    def summary(self, result: Mapping[str, Any]) -> str:
        """What a run did, in a few words of one line."""
        stats = result.get("stats", {})
        words = [
            f"{result['config'].get('mode', ''):<4}",
            f"{int(stats.get('instructions', 0)):>8} insns {int(stats.get('bytes', 0)):>7} bytes",
            f"{stats.get('bits_per_instruction', 0.0):6.3f} bits/insn",
        ]
        return "  ".join(words)


class RowsJudge(Judge):
    """Of a block whose ports are recorded cycle by cycle, and which sends no trace. summed: counts of the stats that
    one line of a result shows.
    """

    leaves_rows = True
    port = "cycles"
    summed: ClassVar[tuple[str, ...]]

    def capture(self, config: Any, program: Any, data: bytes, beats: Any, retired: Any, rerun: str) -> Any:
        """There is no trace: flow/captured/<ip>.py checks what was on the ports."""
        raise CaptureError(
            f"{self.title} sends no trace; `make check IP={self.ip} IN=<folder of make capture>` checks what was on"
            " its ports"
        )

    def summary(self, result: Mapping[str, Any]) -> str:
        """Its counts."""
        stats = result.get("stats", {})
        return "  ".join(f"{int(stats.get(name, 0)):>7} {name}" for name in self.summed)
