"""What explains a group that does not fit: both sides tried on the groups behind, groups dropped, doubled or swapped, broken bytes.

Nothing is believed because of one group. A *trial* goes on with one explanation for some sections and takes everything back; the explanation that
later groups do not contradict is taken. Where later groups do not decide, the rules of `models.tandem.verdict` do, and the other side's values stay
*suspects*: the verifier tries them again when something does not fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from models.riscv import isa
from models.tandem.decoded import Decoded, Group
from models.tandem.diagnostics import BROKEN, Diagnostic
from models.tandem.simulator import Step
from models.tandem.table import END
from models.tandem.verdict import Difference, Finding, Verdict
from models.tandem.verifier_compare import COUNTED, Told, sort_out
from models.tandem.verifier_gaps import Gaps
from models.tandem.verifier_sides import SIMULATOR, TRACE, Side, Watch, blame, put, suspects
from models.tandem.verifier_trial import Trial

if TYPE_CHECKING:
    from models.tandem.verifier import Verifier

_INTERRUPTS = (11, 3, 7, 9, 1, 5)
_WATCHES, _PROBING = 64, 4  # mismatches whose other side is kept, and those of them that every group is tried with
END_BYTE = bytes([END])
_DROPPED, _DOUBLED, _SWAPPED = "a group is missing before it", "the group is sent twice", "the group and the next are in the wrong order"


class Explainer(Gaps):
    """The part of a `Verifier` that is asked when something does not fit."""

    def __init__(self, verifier: Verifier) -> None:
        self.v = verifier
        self.trial = Trial(verifier)
        self.inside: dict[int, list[Diagnostic]] = {}
        self.before: dict[int, list[Diagnostic]] = {}
        self.watches: list[Watch] = []
        self.probing: list[Watch] = []
        self._lost = self._stale = None

    @property
    def watching(self) -> bool:
        """Whether groups are compared with both sides of an earlier mismatch."""
        return bool(self.probing)

    def place_diagnostics(self, decoded: Decoded) -> np.ndarray:
        """Diagnostics to their sections; the sections that have any, as a mask."""
        n, odd = len(decoded), np.zeros(len(decoded), bool)
        for one in decoded.diagnostics:
            k = int(np.searchsorted(decoded.offset, one.offset, side="right")) - 1
            own = k >= 0 and (one.offset < decoded.end[k] or (decoded.broken[k] and one.name in BROKEN) or k == n - 1)
            place = self.inside if own else self.before
            k = k if own else k + 1
            place.setdefault(k, []).append(one)
            if k < n:
                odd[k] = True
        return odd

    def forget(self) -> None:
        """Behind a reset nothing is suspect any more."""
        self.watches.clear()
        self.probing.clear()
        self._lost = self._stale = None

    def finish(self) -> None:
        """The trace is over: diagnostics behind its last section."""
        n = len(self.v.decoded)
        for k in [k for k in (*self.before, *self.inside) if k >= n]:
            for one in self.before.pop(k, []) + self.inside.pop(k, []):
                self._add(self._finding("diagnostic", n - 1, None, [], Verdict.TRACE, str(one), [one.name]))

    # --- one step

    def step(self, k: int, group: Group, told: Told) -> int:
        """A group that is an instruction or a trap; the next section."""
        v = self.v
        step, apart = v.comparer.attempt(group, told)
        if not apart:
            if self.probing:
                step = self._probe(k, group, told, step)
            v.commit(group, told, step)
            v.report.matched += v.counts(group)
            self.diagnosed(k, group)
            return k + 1
        v.comparer.undo([step])
        if self._turn(k, group):
            self.diagnosed(k, group)
            return k + 1
        return self._mismatch(k, group, told, step, apart)

    def _probe(self, k: int, group: Group, told: Told, step: Step) -> Step:
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
            step, _ = comparer.attempt(group, told)
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
        """Whether the other side of an earlier mismatch makes the group fit; then that side is taken, and the earlier verdict with it."""
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

    def _mismatch(self, k: int, group: Group, told: Told, step: Step, apart: list[Difference]) -> int:
        other_bits = any(one.what == "insn" and one.how == "wrong" for one in apart) and len(apart) > 1
        diagnosed = bool(self.inside.get(k))
        if self._stale is not None and not diagnosed and self._stale.explains(k, group, told, step, apart):
            return self._believe(k, group, told)
        if other_bits and not diagnosed:
            behind = self._structure(k, group, told)
            if behind is None:
                behind = self._fetched(k, group, told, apart)
            return behind if behind is not None else self._lose(k, group, told, apart)
        self._doubt_counters(apart, step)
        sides = suspects(self.v, group, told, step, apart)
        depths = {holds: self._depth(k, group, told, sides, holds) for holds in (SIMULATOR, TRACE)}
        fits = {holds: not contradicted for holds, (_, contradicted) in depths.items()}
        if not any(fits.values()):
            behind = self._structure(k, group, told)
            if behind is not None:
                return behind
            if diagnosed and other_bits:
                return self._lose(k, group, told, apart)
        self._settle(k, group, told, step, apart, sides, depths)
        return k + 1

    def _depth(self, k: int, group: Group, told: Told, sides: list[Side], holds: int) -> tuple[int, bool]:
        """How many groups behind fit if this side is right, and whether one does not."""
        with self.trial:
            self._apply(k, group, told, sides, holds)
            return self.trial.fits(range(k + 1, len(self.v.decoded)))

    def _apply(self, k: int, group: Group, told: Told, sides: list[Side], holds: int) -> None:
        """Do the step, and make one side's state that of both."""
        if self.v.is_step(group, told, k):
            step, _ = self.v.comparer.attempt(group, told)
            self.v.shadow.follow(step)
            self.trial.note(step)
        self.v.nondeterministic(told)
        for one in sides:
            put(self.v, one.holding(holds))

    def _settle(
        self, k: int, group: Group, told: Told, step: Step, apart: list[Difference], sides: list[Side], depths: dict[int, tuple[int, bool]]
    ) -> None:
        """Take a side, and say whose fault it is."""
        fits = {holds: not contradicted for holds, (_, contradicted) in depths.items()}
        found = self.inside.get(k, [])
        verdict, reason = blame(group, told, step, apart) if not found else (Verdict.TRACE, "; ".join(map(str, found)))
        opinion = ""
        if not found:
            opinion = self._second(group, told, step)
        holds = SIMULATOR if verdict == Verdict.TRACE else TRACE
        confirmed = False
        if fits[SIMULATOR] != fits[TRACE]:
            holds, confirmed = SIMULATOR if fits[SIMULATOR] else TRACE, bool(sides)
        finding = self._finding("diagnostic" if found else "difference", k, group, apart, verdict, reason, [one.name for one in found])
        watch = Watch(finding, [one.holding(holds) for one in sides], holds, k + self.v.profile.watch, opinion, bool(found))
        watch.rule()
        if confirmed:
            watch.decide(holds)
        self._apply(k, group, told, sides, holds)
        self._doubt_counters(apart, step)
        self._add(finding)
        if sides and not confirmed:
            self.watches.append(watch)
            if len(self.probing) < _PROBING:
                self.probing.append(watch)

    def _doubt_counters(self, apart: list[Difference], step: Step) -> None:
        """Behind a mismatch about a counter it may be either side's: what is read or told of it next is believed."""
        table, state = self.v.table, self.v.shadow.csr
        keys = {one.key for one in apart if one.what == "csr"} | {seen for seen in step.seen if any(one.what == "register" for one in apart)}
        if any(key in table.names and table.view(key, state).of in COUNTED for key in keys):
            self.v.shadow.forget_counters()

    def _second(self, group: Group, told: Told, step: Step) -> str:
        """What the second simulator does from the same state: as the trace, as the first, or "" (neither, or no opinion)."""
        second = self.v.second
        if second is None:
            return ""
        from models.tandem.verifier_second import ask

        return ask(second, self.v, group, told, step)

    # --- groups that are not where they belong

    def _structure(self, k: int, group: Group, told: Told) -> int | None:
        """A group doubled, swapped or dropped; the next section, None if that explains nothing."""
        v, n = self.v, len(self.v.decoded)
        behind = range(k + 1, n)
        if k and _same(v, k - 1, k) and self._try(behind):
            self._structural("duplicated", k, group, _DOUBLED)
            return k + 1
        if k + 1 < n and self._try([k + 1, k, *range(k + 2, min(n, k + 2 + v.profile.lookahead))], 3):
            self._structural("swapped", k, group, _SWAPPED)
            for at in (k + 1, k):
                self._commit(at)
                v.report.matched += v.counts(v.decoded.group(at))
            return k + 2
        return k if self._dropped(k, group) else None

    def _dropped(self, k: int, group: Group) -> bool:
        """Whether the group fits behind some steps of which the trace says nothing; those are then done."""
        sections = range(k, len(self.v.decoded))
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
        """How many steps have no group, so that these sections fit; None if no number does."""
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
        group, told = self.v.read(k)
        if self.v.is_step(group, told, k):
            step, _ = self.v.comparer.attempt(group, told)
            self.v.commit(group, told, step)
        else:
            self.v.nondeterministic(told)

    def _structural(self, kind: str, k: int, group: Group, reason: str) -> None:
        found = self.inside.pop(k, []) + self.before.pop(k, [])
        self._add(self._finding(kind, k, group, [], Verdict.TRACE, "; ".join([reason, *map(str, found)]), [one.name for one in found], confirmed=True))

    def _fetched(self, k: int, group: Group, told: Told, apart: list[Difference]) -> int | None:
        """Whether the hart executed the told bits although memory holds others; the next section."""
        v = self.v
        bits, place = group.insn.to_bytes(group.size, "little"), v.shadow.pc
        kept = v.shadow.memory.read(place, group.size)
        v.set_memory(place, bits)
        if self._try(range(k, len(v.decoded)), 1):
            differences = [one for one in apart if one.what == "insn"]
            reason = "the hart did what these bits say, and memory holds others"
            self._add(self._finding("instruction bits", k, group, differences, Verdict.HART, reason, confirmed=True))
            return k
        v.set_memory(place, kept)
        return None

    # --- findings

    def diagnosed(self, k: int, group: Group | None) -> None:
        """Diagnostics of a section that has nothing else wrong."""
        for one in self.inside.pop(k, []):
            self._add(self._finding("diagnostic", k, group, [], Verdict.TRACE, str(one), [one.name]))

    def _finding(
        self, kind: str, k: int, group: Group | None, apart: list[Difference], verdict: Verdict, reason: str, names: list[str] | None = None,
        confirmed: bool = False,
    ) -> Finding:  # fmt: skip
        pc = self.v.shadow.pc if self.v.known else None
        number, offset = (group.number, group.offset) if group else (-1, 0)
        text = self._disassembly(pc or 0, group) if group and group.size else ""
        return Finding(kind, k, number, offset, pc, text, apart, verdict, reason, names or [], confirmed, k)

    def _disassembly(self, pc: int, group: Group) -> str:
        program = self.v.program
        insn = isa.decode(pc, group.insn, program.xlen, zcmp=False, zcmt=False)
        symbol = program.symbol(pc)
        place = "" if symbol == f"{pc:#x}" else f"<{symbol}> "
        return place + isa.disassemble(insn, program)

    def _add(self, finding: Finding) -> None:
        report = self.v.report
        if len(report.findings) < self.v.max_findings:
            report.findings.append(finding)
        else:
            report.suppressed += 1


def _same(v: Verifier, one: int, other: int) -> bool:
    """Whether two sections tell the same: by their bytes, or without those by what they say; an increment of the pc is one wherever it leads."""
    decoded = v.decoded
    if v.data is not None:
        a, b = (v.data[int(decoded.offset[k]) : int(decoded.end[k])] for k in (one, other))
        return a == b or a + END_BYTE == b or a == b + END_BYTE
    first, second = decoded.group(one), decoded.group(other)
    if (first.insn, first.size) != (second.insn, second.size):
        return False
    a, b = sort_out(first, v.profile.hart.mask), sort_out(second, v.profile.hart.mask)
    if a.relative and b.relative:
        b = b._replace(next_pc=a.next_pc)
    return a == b._replace(relative=a.relative)
