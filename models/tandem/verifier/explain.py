# SPDX-License-Identifier: Apache-2.0
"""What explains a group that does not match: both sides tried on later groups, groups dropped, duplicated or swapped,
broken bytes.

Nothing is believed because of one group. A *trial* goes on with one explanation for some sections and takes everything
back; the explanation that later groups do not contradict is taken. Where later groups do not decide, the rules of
`rvtrace.models.tandem.verifier.verdict` do, and the other side's values remain *suspects*: they are tried again when
something does not match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from rvtrace.models.riscv import isa
from rvtrace.models.riscv.iss.table import LOAD
from rvtrace.models.riscv.operands import operands
from rvtrace.models.riscv.program import Program
from rvtrace.models.tandem.decoder.decoded import Group
from rvtrace.models.tandem.simulator.interface import PC_KEY, PRIV_KEY, PartialSimulator, Step
from rvtrace.models.tandem.table import END, FPR_BASE, GPR_BASE
from rvtrace.models.tandem.verifier.compare import COUNTED, MEMDATA_KEY, PADDR_KEY, Changes, sort_out
from rvtrace.models.tandem.verifier.sides import SIMULATOR, TRACE, Side, Watch, ask, blame, put, suspects
from rvtrace.models.tandem.verifier.state import Replay, Trial
from rvtrace.models.tandem.verifier.verdict import Difference, Finding, Verdict

MAX_FINDINGS = 10_000
ENOUGH = 100  # findings of one form of which later groups said the same: they say it of the next one as well
_ACCESS = ("memdata", "paddr", "eaddr")  # parts of a load or store
_INTERRUPTS = (11, 3, 7, 9, 1, 5)
_WATCHES, _PROBING = 64, 4  # mismatches whose other side is kept, and those of them that every group is tried with
END_BYTE = bytes([END])
_DROPPED, _DOUBLED, _SWAPPED = (
    "a group is missing before it",
    "the group is sent twice",
    "the group and the next are in the wrong order",
)
_Form = tuple[tuple[str, str], ...]
_WORD, _PAGE = 2, 10  # memory is known by words of 4 bytes, kept by pages of 1024 words


class Explainer:
    """The explanation of everything that does not match, for a `Verifier`; findings go to the report of the replay."""

    def __init__(self, replay: Replay, program: Program, second: PartialSimulator | None = None) -> None:
        self.v, self.program, self.second = replay, program, second
        self.trial = Trial(replay)
        self.watches: list[Watch] = []
        self.probing: list[Watch] = []
        self._lost: Finding | None = None
        self._stale: Stale | None = None
        self._alike: dict[_Form, tuple[int, dict[int, tuple[int, bool]]]] = {}

    @property
    def watching(self) -> bool:
        """Whether groups are compared with both sides of an earlier mismatch."""
        return bool(self.probing)

    def reset(self, k: int) -> None:
        """After the reset of section k no value is suspect, and x registers hold what the implementation gives them."""
        self.watches.clear()
        self.probing.clear()
        self._lost, self._stale = None, Stale(self.v, k, is_reset=True)

    def catch_up(self, k: int) -> None:
        """Sections before k are about to be dropped."""
        if self._stale is not None:
            self._stale.follow(k)

    def finish(self) -> None:
        """The trace is over: diagnostics after its last section."""
        n = self.v.end
        for k in [k for k in (*self.v.before, *self.v.inside) if k >= n]:
            for one in self.v.before.pop(k, []) + self.v.inside.pop(k, []):
                self._add(self._finding("diagnostic", n - 1, None, [], Verdict.TRACE, str(one), [one.name]))

    # --- one step

    def step(self, k: int, group: Group, reported: Changes) -> int:
        """A group that is an instruction or a trap; the next section."""
        v = self.v
        step, apart = v.comparer.attempt(group, reported)
        if not apart:
            if self.probing:
                step = self._probe(k, group, reported, step)
            v.commit(group, reported, step)
            v.report.matched += v.counts(group)
            self.diagnosed(k, group)
            return k + 1
        v.comparer.undo([step])
        if not _in_its_place(apart) and self._turn(k, group):
            self.diagnosed(k, group)
            return k + 1
        return self._mismatch(k, group, reported, step, apart)

    def _probe(self, k: int, group: Group, reported: Changes, step: Step) -> Step:
        """The group fits: does it also fit with the other side of what is watched? If not, that side is refuted."""
        comparer = self.v.comparer
        for watch in list(self.probing):
            watch.suspects = [one for one in watch.suspects if self._alive(one)]
            if not watch.suspects or k > watch.until:
                self.probing.remove(watch)
                continue
            comparer.undo([step])
            watch.swap(self._put)
            other, apart = comparer.attempt(*self.v.read(k))
            comparer.undo([other])
            watch.swap(self._put)
            if apart:
                watch.decide(watch.holds)
                self.probing.remove(watch)
                self.watches.remove(watch)
            step, _ = comparer.attempt(group, reported)
        return step

    def _alive(self, one: Side) -> bool:
        """Whether the state is still the one of that mismatch."""
        return self._get(one) == one.held

    def _get(self, one: Side) -> Any:
        shadow = self.v.shadow
        return shadow.memory.read(one.key, len(one.held)) if one.memory else shadow.read(one.key)

    def _put(self, one: Side) -> None:
        put(self.v, one)

    def _turn(self, k: int, group: Group) -> bool:
        """Whether the other side of an earlier mismatch makes the group fit; then that side is taken, and the earlier
        verdict with it.
        """
        for watch in reversed(self.watches):
            watch.suspects = [one for one in watch.suspects if self._alive(one)]
            if not watch.suspects:
                continue
            watch.swap(self._put)
            again = self.v.read(k)[1]  # incremental forms count from what is held now
            step, apart = self.v.comparer.attempt(group, again)
            if not apart:
                self.v.commit(group, again, step)
                self.v.report.matched += self.v.counts(group)
                watch.decide(watch.holds)
                watch.finding.until = k
                self.watches.remove(watch)
                if watch in self.probing:
                    self.probing.remove(watch)
                return True
            self.v.comparer.undo([step])
            watch.swap(self._put)
        self.watches = [watch for watch in self.watches if watch.suspects][-_WATCHES:]
        return False

    def _mismatch(self, k: int, group: Group, reported: Changes, step: Step, apart: list[Difference]) -> int:
        other_bits = any(one.what == "insn" and one.how == "wrong" for one in apart) and len(apart) > 1
        diagnosed = bool(self.v.inside.get(k))
        stale = self._stale
        if stale is not None and not diagnosed and stale.explains(k, group, reported, step, apart):
            return self._believe(stale, k, group, reported)
        if other_bits and not diagnosed:
            later = self._structure(k, group, reported)
            if later is None:
                later = self._fetched(k, group, reported, apart)
            return later if later is not None else self._lose(k, group, reported, apart)
        self._doubt_counters(apart, step)
        sides = suspects(self.v, group, reported, step, apart)
        form = () if diagnosed else _form(apart)
        times, depths = self._alike.get(form, (0, {}))
        if times < ENOUGH:
            depths = {holds: self._depth(k, group, reported, sides, holds) for holds in (SIMULATOR, TRACE)}
        fits = {holds: not contradicted for holds, (_, contradicted) in depths.items()}
        if not any(fits.values()) and not _in_its_place(apart):
            later = self._structure(k, group, reported)
            if later is not None:
                return later
            if diagnosed and other_bits:
                return self._lose(k, group, reported, apart)
        self._settle(k, group, reported, step, apart, sides, depths, watched=times < ENOUGH)
        if form:
            self._note(form, depths)
        return k + 1

    def _note(self, form: _Form, depths: dict[int, tuple[int, bool]]) -> None:
        """What later groups say of a difference of this form; once they say anything else, it begins anew."""
        times, before = self._alike.get(form, (0, depths))
        same = all(before[side][1] == contradicted for side, (_, contradicted) in depths.items())
        self._alike[form] = (times + 1 if same else 1, depths)

    def _depth(self, k: int, group: Group, reported: Changes, sides: list[Side], holds: int) -> tuple[int, bool]:
        """How many later groups match if this side is right, and whether one does not."""
        with self.trial:
            self._apply(k, group, reported, sides, holds)
            return self.trial.fits(range(k + 1, self.v.end))

    def _apply(self, k: int, group: Group, reported: Changes, sides: list[Side], holds: int) -> None:
        """Do the step, and make one side's state that of both."""
        if self.v.is_step(group, reported, k):
            step, _ = self.v.comparer.attempt(group, reported)
            self.v.shadow.follow(step)
            self.trial.note(step)
        self.v.nondeterministic(reported)
        for one in sides:
            put(self.v, one.holding(holds))

    def _settle(
        self,
        k: int,
        group: Group,
        reported: Changes,
        step: Step,
        apart: list[Difference],
        sides: list[Side],
        depths: dict[int, tuple[int, bool]],
        watched: bool = True,
    ) -> None:
        """Take a side, and decide who is at fault. watched: later groups may still decide otherwise."""
        fits = {holds: not contradicted for holds, (_, contradicted) in depths.items()}
        found = self.v.inside.get(k, [])
        verdict, reason = (
            blame(group, reported, step, apart) if not found else (Verdict.TRACE, "; ".join(map(str, found)))
        )
        opinion = ""
        if not found:
            opinion = self._second(group, reported, step)
        holds = SIMULATOR if verdict == Verdict.TRACE else TRACE
        confirmed = False
        if fits[SIMULATOR] != fits[TRACE]:
            holds, confirmed = SIMULATOR if fits[SIMULATOR] else TRACE, bool(sides)
        finding = self._finding(
            "diagnostic" if found else "difference", k, group, apart, verdict, reason, [one.name for one in found]
        )
        watch = Watch(
            finding, [one.holding(holds) for one in sides], holds, k + self.v.profile.watch, opinion, bool(found)
        )
        watch.rule()
        if confirmed:
            watch.decide(holds)
        self._apply(k, group, reported, sides, holds)
        self._doubt_counters(apart, step)
        self._add(finding)
        if sides and watched and not confirmed:
            self.watches.append(watch)
            if len(self.probing) < _PROBING:
                self.probing.append(watch)

    def _doubt_counters(self, apart: list[Difference], step: Step) -> None:
        """After a mismatch about a counter either side may be right: its next value that is read or reported is
        accepted.
        """
        table, state = self.v.table, self.v.shadow.csr
        keys = {one.key for one in apart if one.what == "csr"} | {
            seen for seen in step.seen if any(one.what == "register" for one in apart)
        }
        if any(key in table.names and table.view(key, state).of in COUNTED for key in keys):
            self.v.shadow.forget_counters()

    def _second(self, group: Group, reported: Changes, step: Step) -> str:
        """What the second simulator does from the same state: as the trace, as the first, or "" (neither, or no
        opinion).
        """
        if self.second is None:
            return ""
        return ask(self.second, self.v, group, reported, step)

    # --- groups that are not where they belong

    def _structure(self, k: int, group: Group, reported: Changes) -> int | None:
        """A group duplicated, swapped or dropped; the next section, None if none of these explains it."""
        v, n = self.v, self.v.end
        later = range(k + 1, n)
        if k and _same(v, k - 1, k) and self._try(later):
            self._structural("duplicated", k, group, _DOUBLED)
            return k + 1
        if k + 1 < n and self._try([k + 1, k, *range(k + 2, min(n, k + 2 + v.profile.lookahead))], 3):
            self._structural("swapped", k, group, _SWAPPED)
            for at in (k + 1, k):
                self._commit(at)
                v.report.matched += v.counts(v.group(at))
            return k + 2
        return k if self._dropped(k, group) else None

    def _dropped(self, k: int, group: Group) -> bool:
        """Whether the group matches after some steps that have no group; those are then done."""
        sections = range(k, self.v.end)
        for cause in _INTERRUPTS:
            with self.trial:
                step = self.v.comparer.interrupted(cause)
                self.trial.follow(step)
                good = step.trap == (1, cause) and self.trial.fit(sections)
            if good:
                self._structural("dropped", k, group, f"an interrupt with cause {cause} is missing before it")
                self.v.shadow.follow(self.v.comparer.interrupted(cause))
                return True
        count = self._missing(sections)
        if count:
            reason = _DROPPED if count == 1 else f"{count} groups are missing before it"
            self._structural("dropped", k, group, reason)
            self._advance(count)
        return bool(count)

    def _missing(self, sections: Iterable[int], least: int = 1) -> int | None:
        """The number of steps without a group after which these sections match; None if there is none."""
        with self.trial:
            for count in range(self.v.profile.reach + 1):
                if count >= least and self.trial.fit(sections):
                    return count
                self.trial.follow(self.v.comparer.run())
        return None

    def _advance(self, count: int) -> None:
        for _ in range(count):
            self.v.shadow.follow(self.v.comparer.run())

    def _try(self, sections: Iterable[int], least: int = 1) -> bool:
        """Whether these sections fit from here on."""
        with self.trial:
            return self.trial.fit(sections, least)

    def _commit(self, k: int) -> None:
        group, reported = self.v.read(k)
        if self.v.is_step(group, reported, k):
            step, _ = self.v.comparer.attempt(group, reported)
            self.v.commit(group, reported, step)
        else:
            self.v.nondeterministic(reported)

    def _structural(self, kind: str, k: int, group: Group, reason: str) -> None:
        found = self.v.inside.pop(k, []) + self.v.before.pop(k, [])
        self._add(
            self._finding(
                kind,
                k,
                group,
                [],
                Verdict.TRACE,
                "; ".join([reason, *map(str, found)]),
                [one.name for one in found],
                confirmed=True,
            )
        )

    def _fetched(self, k: int, group: Group, reported: Changes, apart: list[Difference]) -> int | None:
        """Whether the hart executed the reported bits although memory holds others; the next section."""
        v = self.v
        bits, place = group.insn.to_bytes(group.size, "little"), v.shadow.pc
        kept = v.shadow.memory.read(place, group.size)
        v.set_memory(place, bits)
        if self._try(range(k, v.end), 1):
            differences = [one for one in apart if one.what == "insn"]
            reason = "the hart executed these bits, and memory holds others"
            self._add(self._finding("instruction bits", k, group, differences, Verdict.HART, reason, confirmed=True))
            return k
        v.set_memory(place, kept)
        return None

    # --- bytes that could not be decoded, and a pc that is lost

    def damaged(self, k: int, group: Group, reported: Changes) -> int:
        """A broken group, or one after bytes that could not be decoded; the next section."""
        v, broken = self.v, group.broken
        found = self.v.before.pop(k, []) + (self.v.inside.pop(k, []) if broken else [])
        findings = [self._finding("diagnostic", k, group, [], Verdict.TRACE, str(one), [one.name]) for one in found]
        if broken and not found:
            findings = [self._finding("diagnostic", k, group, [], Verdict.TRACE, "the group is not complete")]
        for finding in findings:
            self._add(finding)
        later = range(k + broken, v.end)
        if not v.known or not len(later):
            return k + broken
        # Most often exactly one instruction is lost.
        order: list[Callable[[], int | None]] = [
            lambda: 1 if broken and self._after(1, later) else None,
            lambda: self._missing(later, 0),
        ]
        count = next((count for count in (one() for one in order) if count is not None), None)
        if count is None:
            self._go_lost(findings[0])
        else:
            self._advance(count)
        return k + broken

    def _after(self, count: int, sections: Iterable[int]) -> bool:
        with self.trial:
            for _ in range(count):
                self.trial.follow(self.v.comparer.run())
            return self.trial.fit(sections)

    def _lose(self, k: int, group: Group, reported: Changes, apart: list[Difference]) -> int:
        """No explanation: continue with the values of the trace until instructions are those in memory again."""
        found = self.v.inside.pop(k, [])
        verdict = Verdict.TRACE if found else Verdict.HART
        reason = (
            "; ".join(map(str, found))
            or "the instruction is not the one in memory, and no missing, duplicated or swapped group explains it"
        )
        finding = self._finding("lost", k, group, apart, verdict, reason, [one.name for one in found])
        self._add(finding)
        self._go_lost(finding)
        self.v.apply(reported)
        self.v.known = False
        return k + 1

    def _go_lost(self, finding: Finding) -> None:
        self.v.known, self._lost = False, finding
        self.v.shadow.forget_counters()

    def lost(self, k: int, group: Group, reported: Changes) -> int:
        """The pc is not known: take the values of the trace until it is and instructions match."""
        v, finding = self.v, self._lost
        if finding is not None:
            for place in dict.fromkeys((v.shadow.pc, group.pc)):
                if place is None:
                    continue
                v.set_pc(place)
                if self._try(range(k, v.end), 2):
                    finding.until, self._lost, v.known = k, None, True
                    self._stale = Stale(v, k)
                    return k
        v.report.unverified += bool(group.size)
        v.apply(reported)
        v.known = reported.next_pc is not None and self._lost is None
        if self._lost is not None or self._stale is None:
            self._stale = Stale(v, k)
        self.diagnosed(k, group)
        return k + 1

    # --- state without an instruction

    def update(self, k: int, group: Group, reported: Changes) -> None:
        """State that changes without an instruction may be the non-deterministic part only."""
        v = self.v
        apart = [
            Difference("extra", "register", GPR_BASE + n, value, v.shadow.x[n])
            for n, value in reported.registers.items()
            if v.shadow.x[n] != value
        ]
        for address, value in reported.csrs.items():
            if address in v.table.names:
                shows = v.simulator.read(address)
                if (value ^ shows) & ~v.comparer.moving(address) & v.profile.hart.mask and not v.comparer.is_sample(
                    address
                ):
                    apart.append(Difference("extra", "csr", address, value, shows))
        for what, key, value, mine in (
            ("pc", PC_KEY, reported.next_pc, v.shadow.pc),
            ("priv", PRIV_KEY, reported.priv, v.shadow.priv),
        ):
            if value is not None and value != mine:
                apart.append(Difference("extra", what, key, value, mine))
        v.comparer.floating(reported, apart)
        if not apart or not v.known:
            v.nondeterministic(reported)
            if not v.known:
                v.apply(reported)
            self.diagnosed(k, group)
            return
        still = Step()
        self._doubt_counters(apart, still)
        sides = suspects(v, group, reported, still, apart)
        depths = {holds: self._depth(k, group, reported, sides, holds) for holds in (SIMULATOR, TRACE)}
        self._settle(k, group, reported, still, apart, sides, depths)

    def copied(self, k: int, group: Group, reported: Changes) -> None:
        """A group whose values are copied (reset, state initialization): none is one that its CSR cannot show."""
        shadow, apart = self.v.shadow, []
        for address, value in reported.csrs.items():
            if hidden := value & self.v.table.hidden(address, shadow.csr, shadow.unknown):
                apart.append(Difference("wrong", "csr", address, value, value & ~hidden))
        if apart:
            reason = "the group reports bits that this CSR never shows"
            self._add(self._finding("difference", k, group, apart, Verdict.TRACE, reason))

    def _believe(self, stale: Stale, k: int, group: Group, reported: Changes) -> int:
        """After a gap: the values of the group, whatever the simulator computes from state that was not reported."""
        v = self.v
        to = v.comparer.next_pc(group, reported, v.shadow.pc)
        step, _ = v.comparer.attempt(group, reported)
        v.shadow.follow(step)
        stale.believe(reported, step)
        if to is not None:
            v.set_pc(to)
        v.report.unverified += 1
        return k + 1

    # --- findings

    def diagnosed(self, k: int, group: Group | None) -> None:
        """Diagnostics of a section that has nothing else wrong."""
        for one in self.v.inside.pop(k, []):
            self._add(self._finding("diagnostic", k, group, [], Verdict.TRACE, str(one), [one.name]))

    def _finding(
        self,
        kind: str,
        k: int,
        group: Group | None,
        apart: list[Difference],
        verdict: Verdict,
        reason: str,
        names: list[str] | None = None,
        confirmed: bool = False,
    ) -> Finding:
        pc = self.v.shadow.pc if self.v.known else None
        number, offset = (group.number, group.offset) if group else (-1, 0)
        text = self._disassembly(pc or 0, group) if group and group.size else ""
        return Finding(kind, k, number, offset, pc, text, apart, verdict, reason, names or [], confirmed, k)

    def _disassembly(self, pc: int, group: Group) -> str:
        program = self.program
        insn = isa.decode(pc, group.insn, program.xlen, zcmp=False, zcmt=False)
        symbol = program.symbol(pc)
        place = "" if symbol == f"{pc:#x}" else f"<{symbol}> "
        return place + isa.disassemble(insn, program)

    def _add(self, finding: Finding) -> None:
        report = self.v.report
        if len(report.findings) < MAX_FINDINGS:
            report.findings.append(finding)
        else:
            report.suppressed += 1


def _in_its_place(apart: list[Difference]) -> bool:
    """Whether a group lacks nothing but data or addresses of its access: what it has is that of this step, so that no
    other state and no other place in the trace explains it.
    """
    return all(one.how == "omitted" and one.what in _ACCESS for one in apart)


def _form(apart: list[Difference]) -> _Form:
    """What differs in a group and how; nothing where it may be another instruction, or in another place."""
    found = {(one.how, one.what) for one in apart}
    return () if any(what in ("insn", "pc") for _, what in found) else tuple(sorted(found))


def _same(v: Replay, one: int, other: int) -> bool:
    """Whether two sections report the same: by their bytes, or without those by their changes; increments of the pc are
    equal wherever they lead.
    """
    if v.data is not None:
        offset, end = v.decoded.offset, v.decoded.end
        a, b = (v.data[int(offset[k - v.first]) : int(end[k - v.first])] for k in (one, other))
        return a == b or a + END_BYTE == b or a == b + END_BYTE
    first, second = v.group(one), v.group(other)
    if (first.insn, first.size) != (second.insn, second.size):
        return False
    a, b = sort_out(first, v.profile.hart.mask), sort_out(second, v.profile.hart.mask)
    if a.relative and b.relative:
        b = b._replace(next_pc=a.next_pc)
    return a == b._replace(relative=a.relative)


class _Words:
    """Words of memory: a bit for each of a page."""

    def __init__(self) -> None:
        self._pages: dict[int, int] = {}

    def add(self, words: Iterable[int]) -> bool:
        """Whether one of them is new."""
        pages, new = self._pages, False
        for word in words:
            page, bit = word >> _PAGE, 1 << (word & (1 << _PAGE) - 1)
            known = pages.get(page, 0)
            if not known & bit:
                pages[page], new = known | bit, True
        return new


class Stale:
    """What was not reported since section `first`: after a gap nobody knows what registers and memory hold.

    A gap is bytes or groups lost in such numbers that the pc is lost, or a trace that starts without reset. An
    instruction that reads what was not reported since may have any result: its group is accepted, and counted as not
    compared. After a reset that is so of x registers alone, unless the profile gives their values: memory stays, and
    the shadow says which bits of CSRs are unknown.
    """

    def __init__(self, replay: Replay, first: int, is_reset: bool = False) -> None:
        self.v, self._at, self._is_reset = replay, first, is_reset
        given = replay.table.reset_x if is_reset else {}
        self._registers = {n for n in range(1, 32) if n not in given}
        self._csrs: set[int] = set() if is_reset else set(replay.table.names)
        self._known = _Words()

    def follow(self, k: int) -> None:
        """Note what sections before k reported."""
        decoded = self.v.decoded
        if k <= self._at:
            return
        starts = decoded.change_start[self._at - self.v.first : k - self.v.first + 1]
        low, high = int(starts[0]), int(starts[-1])
        key, value = decoded.change_key[low:high], decoded.change_value[low:high]
        section = np.repeat(np.arange(k - self._at), np.diff(starts))
        self._at = k
        reported = np.unique(key[key < FPR_BASE])
        self._registers.difference_update((reported[reported > GPR_BASE] - GPR_BASE).tolist())
        self._csrs.difference_update(reported[reported < GPR_BASE].tolist())
        for first, last, more in (
            (MEMDATA_KEY, MEMDATA_KEY + 3, 0),
            (MEMDATA_KEY + 3, MEMDATA_KEY + 3, 1),
        ):  # 8 bytes are two words
            stores = np.unique(section[(key >= first) & (key <= last)])
            places = value[(key == PADDR_KEY) & np.isin(section, stores)]
            self._known.add(((np.unique(places) >> np.uint64(_WORD)) + np.uint64(more)).tolist())

    def explains(self, k: int, group: Group, reported: Changes, step: Step, apart: list[Difference]) -> bool:
        """Whether the group of section k differs because of something that was not reported since the gap; that is then
        known.
        """
        self.follow(k)
        if any(one.what == "insn" for one in apart) or not group.size:
            return False
        if self._is_reset:
            o = operands(group.insn, group.size, self.v.profile.hart.xlen)
            return bool({o.rs1, o.rs2} & self._registers)
        csrs = {self.v.table.view(one.key, self.v.shadow.csr).of for one in apart if one.what == "csr"}
        if csrs & self._csrs or any(seen == "reservation" or self.v.comparer.moving(seen) for seen in step.seen):
            self._csrs -= csrs
            return True
        o = operands(group.insn, group.size, self.v.profile.hart.xlen)
        if {o.rs1, o.rs2} & self._registers:
            return True
        if step.access == LOAD or o.atomic:
            return self._known.add(range(step.paddr >> _WORD, (step.paddr + step.bytes - 1 >> _WORD) + 1))
        if group.insn & 0x7F == 0x73 and group.size == 4:  # reads a CSR
            address = group.insn >> 20
            if address in self.v.table.names and self.v.table.view(address, self.v.shadow.csr).of in COUNTED:
                return False  # of counters the shadow says what is unknown
            unknown = address in self._csrs
            self._csrs.discard(address)
            return unknown
        return False

    def believe(self, reported: Changes, step: Step) -> None:
        """Accept the values of the group; a load shows what memory holds, a CSR read what the CSR holds. The step was
        done by the simulator and by the shadow.
        """
        v = self.v
        if step.access == LOAD and reported.registers:
            value = next(iter(reported.registers.values())) & (1 << 8 * step.bytes) - 1
            v.set_memory(
                reported.paddr if reported.paddr is not None else step.paddr, value.to_bytes(step.bytes, "little")
            )
        if (
            step.seen
            and step.seen[0] in v.table.names
            and reported.registers
            and v.table.view(step.seen[0], v.shadow.csr).of not in (*step.csrs, *COUNTED)
        ):
            v.set_csr(step.seen[0], next(iter(reported.registers.values())))
        v.apply(reported)
