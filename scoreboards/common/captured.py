# SPDX-License-Identifier: Apache-2.0
"""The facet of a system whose captured traces are judged offline: what differs by system where a trace is judged
without what the hart retired, from a part of it, or part by part.

scoreboards/<ip>/captured.py has that of each system as CAPTURED; `rvtrace.jobs.systems.captured(ip)` loads it.
`flow/captured` is what the systems share.

A long trace is taken as parts that can be decoded one by one: from a synchronizing message to another one. Nothing that
a decoder has to know is older than the last synchronizing message, so that what a part encodes does not depend on the
part before it. A part ends with the message that the next one begins with, which belongs to the former: its count
reports instructions before it, and only there it is known what it follows. A few messages more are read, for the rules
about what follows it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from rvtrace.scoreboards.common.clauses import ClauseBook, Plan
from rvtrace.scoreboards.common.findings import Damage
from rvtrace.scoreboards.common.judge import CaptureError
from rvtrace.scoreboards.common.verdict import Verdict

if TYPE_CHECKING:
    from rvtrace.scoreboards.diagnosis.search import Reading

PART = 256 << 10  # bytes of a part, about
MOST = 2 << 20  # bytes of a part if nobody says
AFTER = 8  # messages after the last one of a part
HALF = 0.5
SOON = 64  # messages in which a trace and a program that do not belong together contradict each other
_WAY = "give the ELF that was traced and the options of its encoder (CONFIG=)"


class Part(NamedTuple):
    """Bytes [begin, end) of a trace file, of which [begin + skip, own) are its own: the first `skip` are the message
    that the part before ends with, and what comes after `own` is only looked at. cut: where its last message begins,
    with which the next part begins; None of the last part. seen: the end of the part before, 0 of the first. Of a trace
    of numbered packets, packet, after: the number of the first packet, and of the first after its own (None of the last
    part); support: the payload that reports the options in force at `begin`, if one does.
    """

    number: int
    begin: int
    skip: int
    cut: int | None
    own: int
    end: int
    seen: int = 0
    packet: int = 0
    after: int | None = None
    support: bytes = b""

    @classmethod
    def head(cls, size: int) -> Part:
        """The first bytes, whatever comes after them."""
        return cls(0, 0, 0, None, 0, size)


class Decoded(NamedTuple):
    """What decoding a trace gave, in numbers. whole, lost: the trace's unit (bytes or packets) in all, and without
    result. first: clause, text and message of the first diagnostic; None if there is none.
    """

    instructions: int
    messages: int
    whole: int
    lost: int
    found: int
    complete: bool
    first: tuple[str, str, int] | None

    def joined(self, later: Decoded) -> Decoded:
        """Of two parts of one trace, of which the later begins where this ends."""
        first = self.first
        if first is None and later.first is not None:
            first = (*later.first[:2], self.messages + later.first[2])
        return Decoded(
            *(a + b for a, b in zip(self[:5], later[:5])), complete=self.complete and later.complete, first=first
        )


class Captured(ABC):
    """What every system with a trace says.

    memory: bytes of memory for a byte of trace, and of retired.csv (docs/reference/compliance-report.md). unit: what a
    share of a trace without a retire stream is a share of. compared: what its lossless checks compare with: what the
    hart "retired", or what was on its "ports". ends: clauses that a trace breaks which was cut somewhere. replayed:
    whether it is judged by replaying the program (PROFILE=, PC=), and may be decoded without it. by_byte: failures and
    damage are placed by bytes of the trace, not by numbers of messages. pace: so many times the bytes are checked in
    the time of the slowest.
    """

    memory: ClassVar[tuple[int, int]]
    unit: ClassVar[str] = "bytes"
    compared: ClassVar[str] = "retired"
    ends: ClassVar[tuple[str, ...]] = ()
    replayed: ClassVar[bool] = False
    by_byte: ClassVar[bool] = False
    pace: ClassVar[int] = 1

    def variant(self, config: Any) -> str:
        """The variant of its specification, as the plan names it."""
        return str(config.variant)

    def whole_part(self, trace: Path, capture: Any) -> tuple[Any, str]:
        """The capture from the first message on that a decoder can begin with to the last whole one, and what that is,
        in words; CaptureError if there is none.
        """
        raise CaptureError("PARTIAL=1 is not for these traces; omit it")

    def of_part(self, tolerances: Any, config: Any) -> Any:
        """The tolerances for a part, of which nobody knows what came before."""
        return tolerances

    def not_run(self, clauses: Mapping[str, Any]) -> dict[str, str]:
        """Checks of the plan that could not be made, and why; clauses: what was checked."""
        return {}

    @abstractmethod
    def problem(self, names: tuple[str, str], program: Any, decoded: Any, size: int) -> str:
        """A sentence if the trace encodes nothing, or contradicts the program from the beginning, or most of it could
        not be followed; else an empty text. names: of trace and program, for people. size: bytes of the trace.
        """


class Followed(Captured):
    """Of a trace that is decoded with the program, and judged part by part if it is long.

    dense: so many messages to a contradiction, after each of which the next address is followed, are a trace that does
    not fit; 0: contradictions are not counted. of_bytes: clauses (or how they begin) that no program has a part in.
    no_start: clauses of a trace that a decoder cannot begin with. by_head: its beginning shows how a trace is to be
    read that does not decode as claimed, by which all of it is cut; else each part shows it. density: parts have so
    many times fewer bytes, since a byte reports more instructions. partial_in_parts: whether a long trace that may
    begin anywhere is still taken part by part.
    """

    dense: ClassVar[int] = 0
    of_bytes: ClassVar[tuple[str, ...]] = ()
    no_start: ClassVar[tuple[str, ...]] = ()
    by_head: ClassVar[bool] = False
    density: ClassVar[int] = 1
    partial_in_parts: ClassVar[bool] = True
    shown_as_read: ClassVar[bool] = False

    @abstractmethod
    def check(self, capture: Any, tolerances: Any) -> Verdict:
        """Every clause that needs no retire stream: legal, what the decoder found, and the transport. The rows of the
        plan that summarize a situation of the hart are left out: nobody knows whether it occurred.
        """

    @abstractmethod
    def evidence(self, capture: Any) -> Any:
        """What a search for the cause looks at (`rvtrace.scoreboards.diagnosis.search.Evidence`)."""

    @abstractmethod
    def is_followed(self, evidence: Any, capture: Any, decoded: Any) -> bool:
        """Whether nothing has to be explained, or too little is there to explain it."""

    @abstractmethod
    def as_read(self, capture: Any, evidence: Any, reading: Reading[Any]) -> Any:
        """The capture as a reading has it."""

    def likely(self, evidence: Any, capture: Any) -> Sequence[Reading[Any]]:
        """Readings that what is cheap to see speaks for; a search tries them first."""
        return ()

    def whole(self, capture: Any) -> Any:
        """Without the bytes of a last message that goes on."""
        return capture

    def size(self, capture: Any) -> int:
        """Bytes of a capture."""
        return len(capture.data)

    @abstractmethod
    def lost(self, decoded: Any) -> int:
        """How much of a trace, in its unit, could not be decoded."""

    @abstractmethod
    def numbers(self, decoded: Any, size: int) -> Decoded:
        """What decoding gave; size: bytes of the trace."""

    @abstractmethod
    def parts(self, path: Path, config: Any, program: Any, size: int, most: int, otherwise: str) -> Iterator[Part]:
        """The parts of a file, about so many bytes each. most: bytes of a part; CaptureError if one would have more,
        with what else can be done.
        """

    @abstractmethod
    def lead(self, part: Part, config: Any) -> bytes:
        """What is put before the bytes of a part so that they are a trace of their own."""

    @abstractmethod
    def place(self, capture: Any, part: Part) -> None:
        """Say in the capture of a part, made of its lead and its bytes, where in the trace it is."""

    @abstractmethod
    def own(self, decoded: Any, capture: Any, part: Part) -> tuple[int, int]:
        """Which messages of a decoded part are its own: the first, and the first after them."""

    @abstractmethod
    def own_numbers(self, decoded: Any, capture: Any, part: Part, size: int) -> Decoded:
        """What decoding its own messages gave."""

    def is_unmoved(self, capture: Any, verdict: Verdict) -> bool:
        """Whether the transport of a part was not judged, since bytes of it are no packet."""
        return False

    @abstractmethod
    def kernels(self) -> tuple[ModuleType, ...]:
        """What is compiled once, before other processes start."""

    def problem(self, names: tuple[str, str], program: Any, decoded: Any, size: int) -> str:
        """From what decoding gave."""
        return self.badly_decoded(names, self.numbers(decoded, size))

    def badly_decoded(self, names: tuple[str, str], decoded: Decoded) -> str:
        """`problem` of a trace of which only numbers are left."""
        trace, elf = names
        if decoded.first is None:
            return (
                ""
                if decoded.instructions
                else f"{trace} has no instruction; capture it while tracing is on, from a synchronizing message on"
            )
        clause, text, at = decoded.first
        if not decoded.complete:
            return (
                f"{trace} encodes more instructions than the check can hold; cut it at a synchronizing message, and"
                " check the pieces"
            )
        share = f"{decoded.lost:,} of its {decoded.whole:,} {self.unit} could not be decoded"
        dense = bool(self.dense) and decoded.found * self.dense >= decoded.messages
        if dense:
            share = f"{decoded.found:,} of its {decoded.messages:,} messages do not fit"
        if decoded.instructions and decoded.lost <= HALF * decoded.whole and not dense:
            return ""
        if clause in self.no_start:
            return (
                f"{trace} has no instruction: {text}; capture it from a synchronizing message on, or check IP= and"
                " CONFIG="
            )
        if not clause.startswith(self.of_bytes) and at <= SOON:
            return f"{trace} does not fit {elf}: they contradict each other from message {at} on, and {share}; {_WAY}"
        return (
            f"{trace} is damaged, or its encoder is broken, at message {at}: after it {share}, so that most was not"
            " judged; look at the first failure, then check CONFIG="
        )


def unfit(names: tuple[str, str], other: int, of: int) -> str:
    """The sentence on a trace many of whose different instructions are not in the program; else an empty text."""
    trace, elf = names
    if other <= HALF * of:
        return ""
    return (
        f"{trace} does not fit {elf}: of the {of:,} different instructions in it {other:,} are not in this program;"
        f" {_WAY}"
    )


def no_synchronization(trace: Path) -> CaptureError:
    """The error of a trace with no message that a decoder could begin with."""
    return CaptureError(
        f"{trace} has no synchronizing message; switch periodic synchronization on, or capture more, and check CONFIG="
    )


def begun(plan: Plan, rerun: str, variant: str) -> ClauseBook:
    """The book of a trace without a retire stream: rows that summarize a situation of the hart are not met."""
    book = ClauseBook(plan, rerun, variant)
    for name, clause in plan.clauses.items():
        if clause.through:
            book.met(name, 0)
    return book


def finish(verdict: Verdict, size: int, lost: int, spans: list[tuple[int, int]], offset: np.ndarray) -> None:
    """Causes, and the share that could be judged: without a retire stream that of the bytes or packets. spans: (first,
    how many) of what could not be decoded.
    """
    for first, count in spans:
        begin, end = np.searchsorted(offset, [first, first + count]).tolist()
        verdict.book.damage.append(Damage(begin, end))
    judged = max(size - lost, 0) if len(verdict.decoded) else 0
    verdict.book.judged = judged / size if size else None
    verdict.stats |= {"judged": judged, "instructions": size}
    verdict.book.attribute()


def reported(trace: Any, first: int, after: int) -> int:
    """Instructions that some messages report."""
    begin, end = (int(trace.first_pc[n]) if n < len(trace.first_pc) else len(trace) for n in (first, after))
    return end - begin
