"""Where the trace has gaps: broken bytes, a pc that is lost, and state that changes without an instruction. Part of `Explainer`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from models.tandem.decoded import Group
from models.tandem.simulator import PC_KEY, PRIV_KEY, Step
from models.tandem.table import GPR_BASE
from models.tandem.verdict import Difference, Finding, Verdict
from models.tandem.verifier_compare import Told
from models.tandem.verifier_sides import SIMULATOR, TRACE, suspects
from models.tandem.verifier_stale import Stale

if TYPE_CHECKING:
    from models.tandem.diagnostics import Diagnostic
    from models.tandem.verifier import Verifier
    from models.tandem.verifier_trial import Trial


class Gaps:
    """The half of an `Explainer` that goes on where groups are not complete, or are no steps."""

    v: Verifier
    trial: Trial
    inside: dict[int, list[Diagnostic]]
    before: dict[int, list[Diagnostic]]
    _lost: Finding | None
    _stale: Stale | None
    _add: Any
    _depth: Any
    _doubt_counters: Any
    _finding: Any
    _missing: Any
    _advance: Any
    _settle: Any
    _try: Any
    diagnosed: Any

    # --- bytes that could not be followed, and a pc that is lost

    def damaged(self, k: int, group: Group, told: Told) -> int:
        """A broken group, or one behind bytes that could not be followed; the next section."""
        v, broken = self.v, group.broken
        found = self.before.pop(k, []) + (self.inside.pop(k, []) if broken else [])
        findings = [self._finding("diagnostic", k, group, [], Verdict.TRACE, str(one), [one.name]) for one in found]
        if broken and not found:
            findings = [self._finding("diagnostic", k, group, [], Verdict.TRACE, "the group is not complete")]
        for finding in findings:
            self._add(finding)
        behind = range(k + broken, len(v.decoded))
        if not v.known or not len(behind):
            return k + broken
        # Most often exactly one instruction is lost.
        order: list[Callable[[], int | None]] = [lambda: 1 if broken and self._after(1, behind) else None, lambda: self._missing(behind, 0)]
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

    def _lose(self, k: int, group: Group, told: Told, apart: list[Difference]) -> int:
        """Nothing explains it: go on with what the trace says until instructions are those in memory again."""
        found = self.inside.pop(k, [])
        verdict = Verdict.TRACE if found else Verdict.HART
        reason = "; ".join(map(str, found)) or "the instruction is not the one in memory, and no group that is missing, doubled or swapped explains it"
        finding = self._finding("lost", k, group, apart, verdict, reason, [one.name for one in found])
        self._add(finding)
        self._go_lost(finding)
        self.v.apply(told)
        self.v.known = False
        return k + 1

    def _go_lost(self, finding: Finding) -> None:
        self.v.known, self._lost = False, finding
        self.v.shadow.forget_counters()

    def lost(self, k: int, group: Group, told: Told) -> int:
        """The pc is not known: take what the trace says, until it is and instructions fit."""
        v, places = self.v, []
        if self._lost is not None:
            places = [v.shadow.pc] + ([group.pc] if group.pc not in (None, v.shadow.pc) else [])
        for place in places:
            v.set_pc(place)
            if self._try(range(k, len(v.decoded)), 2):
                self._lost.until, self._lost, v.known = k, None, True
                self._stale = Stale(v, k)
                return k
        v.report.unverified += bool(group.size)
        v.apply(told)
        v.known = told.next_pc is not None and self._lost is None
        self._stale = Stale(v, k)
        self.diagnosed(k, group)
        return k + 1

    # --- state without an instruction

    def update(self, k: int, group: Group, told: Told) -> None:
        """State that changes without an instruction may be the non-deterministic part only."""
        v = self.v
        apart = [Difference("extra", "register", GPR_BASE + n, value, v.shadow.x[n]) for n, value in told.registers.items() if v.shadow.x[n] != value]
        for address, value in told.csrs.items():
            if address in v.table.names:
                shows = v.simulator.read(address)
                if (value ^ shows) & ~v.comparer.moving(address) & v.profile.hart.mask and not v.comparer.is_sample(address):
                    apart.append(Difference("extra", "csr", address, value, shows))
        for what, key, value, mine in (("pc", PC_KEY, told.next_pc, v.shadow.pc), ("priv", PRIV_KEY, told.priv, v.shadow.priv)):
            if value is not None and value != mine:
                apart.append(Difference("extra", what, key, value, mine))
        v.comparer.floating(told, apart)
        if not apart or not v.known:
            v.nondeterministic(told)
            if not v.known:
                v.apply(told)
            self.diagnosed(k, group)
            return
        still = Step()
        self._doubt_counters(apart, still)
        sides = suspects(v, group, told, still, apart)
        depths = {holds: self._depth(k, group, told, sides, holds) for holds in (SIMULATOR, TRACE)}
        self._settle(k, group, told, still, apart, sides, depths)

    def _believe(self, k: int, group: Group, told: Told) -> int:
        """Behind a gap: what the group says, whatever the simulator makes of state that nobody told."""
        v = self.v
        to = v.comparer.next_pc(group, told, v.shadow.pc)
        step, _ = v.comparer.attempt(group, told)
        v.shadow.follow(step)
        self._stale.believe(told, step)
        if to is not None:
            v.set_pc(to)
        v.report.unverified += 1
        return k + 1
