# SPDX-License-Identifier: Apache-2.0
"""A captured tandem trace without the rows of its port: the format, the program replayed against the simulator, the
retire stream.

verdict = check(capture, tolerances, profile, pc)    legal, and verify if the trace begins with a hart reset or
                                                state initialization
in_order(capture, verdict, retired)             the decoded instructions are those that retired
other_code(program, decoded)                    how many of its instructions the program does not have
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rvtrace.models.riscv.iss.hart import Hart
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.decoder.decoded import GROUP, Decoded
from rvtrace.models.tandem.simulator.interface import Reference
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verify import Verifier
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.check import plan
from rvtrace.scoreboards.tandem.evidence import damage
from rvtrace.scoreboards.tandem.layout import explained
from rvtrace.scoreboards.tandem.legal import check_legal
from rvtrace.scoreboards.tandem.table import ItemTable
from rvtrace.scoreboards.tandem.tolerances import Tolerances
from rvtrace.scoreboards.tandem.verify import bytes_loaded, check_verify, loads, replayed, segments_of

MOST_CODES = 1 << 18
ORDER = "TV.reported.order"  # groups are in program order
MIDDLE = (
    "the trace does not begin with a hart reset or state initialization, so nobody knows the state that it goes on"
    " from; capture from the reset on, or give PC="
)


def check(capture: TandemCapture, tolerances: Tolerances, profile: Profile, pc: int | None) -> Verdict:
    """Every clause that can be checked with bytes and program alone.

    What the trace never reports is taken as absent: fields may be omitted (chapter 3), and only the rows of the port
    would show that something is missing.
    """
    verdict = Verdict(ClauseBook(plan(), capture.rerun, f"RV{capture.config.xlen}"))
    found = explained(capture)
    capture = found.capture
    for failure in found.failures:
        verdict.book.fail(failure)
    decoded = verdict.decoded = decode(capture.data, capture.config)
    check_legal(capture, verdict.book, ItemTable(capture.data, capture.config), decoded, None, tolerances)
    instructions, unverified = decoded.instruction_count, 0
    verifier = verifier_of(capture, tolerances, profile, pc, Reported.of(decoded, capture.program))
    if verifier is not None:
        report = check_verify(capture, verdict.book, decoded, verifier, verifier.profile.traces)
        unverified = 0 if report is None else min(report.unverified, instructions)
    verdict.book.damage += damage(decoded)
    verdict.book.attribute()
    found.attribute(verdict.book)
    broken = int((decoded.broken & (decoded.size > 0)).sum())
    verdict.stats |= {
        "instructions": instructions,
        "judged": instructions - max(unverified, broken),
        "reported": instructions,
        "messages": decoded.items,
        "bytes": len(capture.data),
    }
    return verdict


_REPORTED = {
    "paddr": (t.PADDR,),
    "eaddr": (t.EADDR,),
    "memdata": tuple(t.MEMDATA + n for n in range(4)),
    "priv": (t.PRIV,),
}


class Reported:
    """What a trace reports anywhere, which decides how all of it is replayed. begins: whether a hart reset, or state
    initialization, comes before the first instruction; None before either.
    """

    def __init__(self, program: Program | None = None) -> None:
        self.begins: bool | None = None
        self._names: set[str] = set()
        self._segments = segments_of(program)
        self._loaded, self._runs = 0, False

    @classmethod
    def of(cls, decoded: Decoded, program: Program | None = None) -> Reported:
        """Of a whole trace."""
        reported = cls(program)
        reported.feed(decoded)
        return reported

    @property
    def loads(self) -> bool:
        """Whether the trace brings its program with it."""
        return loads(self._segments, self._loaded)

    def feed(self, decoded: Decoded) -> None:
        """The sections that follow."""
        if self.begins is None:
            found = np.flatnonzero(decoded.reset | decoded.init | (decoded.size > 0))
            self.begins = not decoded.size[found[0]] if len(found) else None
        if not self._runs:
            self._loaded += bytes_loaded(self._segments, decoded)
            self._runs = bool((decoded.size > 0).any())
        if len(self._names) < len(_REPORTED):
            of_insn = np.repeat(decoded.size > 0, np.diff(decoded.change_start))
            for name, numbers in _REPORTED.items():
                keys = np.isin(decoded.change_key, [t.STATE_KEY + n for n in numbers])
                if (keys if name == "priv" else keys & of_insn).any():  # traps without instruction report it as well
                    self._names.add(name)

    def absent(self, profile: Profile) -> tuple[str, ...]:
        """The parts that are absent by the profile, and those that the trace never reports although it could be
        replayed without them.
        """
        never = _REPORTED.keys() - self._names
        return tuple(name for name in t.ABSENT_NAMES if name in profile.absent or name in never)

    @property
    def facts(self) -> tuple[object, ...]:
        """All of it, to be compared."""
        return bool(self.begins), self.loads, *sorted(self._names)


def verifier_of(
    capture: TandemCapture, tolerances: Tolerances, profile: Profile, pc: int | None, reported: Reported
) -> Verifier | None:
    """A verifier for a trace that reports so much, with the program in memory unless the trace brings it; None if it
    cannot be replayed.
    """
    if not replayed(capture) or (pc is None and not reported.begins):
        return None
    profile = replace(profile, absent=reported.absent(profile), unchanged=tolerances.unchanged)
    verifier = Verifier(Reference(Hart(profile.hart)), profile, None, pc, capture.program)
    return verifier if reported.loads else verifier.load(segments_of(capture.program))


def in_order(capture: TandemCapture, verdict: Verdict, retired: Retired) -> None:
    """The decoded instructions are those that retired or trapped, in their order; an instruction that could not be
    fetched may be missing.
    """
    decoded, book = verdict.decoded, verdict.book
    reported = np.flatnonzero((decoded.kind == GROUP) & (decoded.size > 0))
    rows = np.flatnonzero(np.isin(retired.kind, (Kind.INSN, Kind.EXCEPTION)))
    want, may_miss = retired.pc[rows].tolist(), (retired.kind[rows] == Kind.EXCEPTION).tolist()
    book.count(ORDER, len(want))
    i = 0
    for k, (pc, known) in enumerate(zip(decoded.pc[reported].tolist(), decoded.pc_known[reported].tolist())):
        while known and i < len(want) and pc != want[i] and may_miss[i]:
            i += 1
        if i == len(want) or (known and pc != want[i]):
            book.fail(
                _out_of_order(capture, int(decoded.number[reported[k]]), pc, want[i] if i < len(want) else None, k),
                counted=True,
            )
            return
        i += 1
    if not all(may_miss[i:]):
        book.fail(
            Failure(
                ORDER,
                f"{len(want) - i:,} instructions that retired are not in the trace",
                None,
                want[i],
                _place(capture, want[i]),
                [("instructions", str(len(want)), str(len(reported)))],
            ),
            counted=True,
        )


def _out_of_order(capture: TandemCapture, group: int, pc: int, wanted: int | None, before: int) -> Failure:
    said = "nothing any more" if wanted is None else f"{wanted:#x}"
    return Failure(ORDER, f"group {group} has {pc:#x} where the hart retired {said}", None, pc, _place(capture, pc),
                   [("pc", said, f"{pc:#x}"), ("instructions before", str(before), str(before))])  # fmt: skip


def _place(capture: TandemCapture, pc: int) -> str:
    return capture.program.where(pc) if capture.program is not None else ""


class Codes:
    """The different instructions that a trace reports, by address, the first MOST_CODES of them. other: how many of
    them the program does not have.
    """

    def __init__(self, program: Program) -> None:
        self.other = 0
        self._program, self._pcs = program, np.zeros(0, np.uint64)

    def __len__(self) -> int:
        return len(self._pcs)

    def feed(self, decoded: Decoded) -> None:
        """The sections that follow."""
        room = MOST_CODES - len(self._pcs)
        if room <= 0:
            return
        reported = (decoded.size > 0) & decoded.pc_known
        pcs, first = np.unique(decoded.pc[reported], return_index=True)
        new = ~np.isin(pcs, self._pcs)
        first = np.sort(first[new])[:room]
        pcs, insns, sizes = (column[reported][first] for column in (decoded.pc, decoded.insn, decoded.size))
        for pc, insn, size in zip(pcs.tolist(), insns.tolist(), sizes.tolist()):
            found = self._program.insn(pc)
            self.other += found is None or found.size != size or found.raw != insn & (1 << 8 * size) - 1
        self._pcs = np.sort(np.concatenate((self._pcs, pcs)))


def other_code(program: Program, decoded: Decoded | Codes) -> tuple[int, int]:
    """How many different reported instructions the program does not have at their address, and how many there are."""
    if isinstance(decoded, Decoded):
        codes = Codes(program)
        codes.feed(decoded)
        decoded = codes
    return decoded.other, len(decoded)
