"""A trial: going on for some sections as if something were so, and taking all of it back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from models.tandem.simulator import Step

if TYPE_CHECKING:
    from models.tandem.verifier import Verifier


class Trial:
    """`with trial: ...` restores shadow, simulator and counts at its end. Trials do not nest, but `fits` may run within one."""

    def __init__(self, verifier: Verifier) -> None:
        self.v = verifier
        self._steps: list[Step] = []
        self._memory: list[tuple[int, bytes]] = []
        self._saved: tuple[Any, ...] | None = None

    def __enter__(self) -> Trial:
        shadow = self.v.shadow
        self._steps, self._memory = [], []
        self._saved = self._state()
        shadow.memory.journal = self._memory
        return self

    def __exit__(self, *_error: object) -> None:
        self._back(0, 0, self._saved)
        self._saved, self.v.shadow.memory.journal = None, None

    def _state(self) -> tuple[Any, ...]:
        v, shadow = self.v, self.v.shadow
        state = shadow.x[:], dict(shadow.csr), shadow.pc, shadow.priv, dict(shadow.other), v.comparer.pending_told, dict(v.report.skipped)
        return *state, dict(shadow.unknown), v.comparer.counters()

    def _back(self, steps: int, writes: int, saved: tuple[Any, ...]) -> None:
        """To the state behind that many steps and writes of memory."""
        v, shadow = self.v, self.v.shadow
        x, csr, pc, priv, other, pending, skipped, unknown, counters = saved
        journal, shadow.memory.journal = self._memory, None
        for address, body in reversed(journal[writes:]):
            shadow.memory.write(address, body)
            v.simulator.write_memory(address, body)
        for n in range(1, 32):
            if shadow.x[n] != x[n]:
                v.simulator.write(0x1000 + n, x[n])
        for address, value in shadow.csr.items():
            if csr[address] != value:
                v.simulator.write(address, csr[address])
        shadow.x[:], shadow.csr, shadow.pc, shadow.priv, shadow.other = x, dict(csr), pc, priv, dict(other)
        v.comparer.pending_told = pending
        v.report.skipped = dict(skipped)
        v.comparer.undo(self._steps[steps:])
        shadow.unknown = dict(unknown)
        v.comparer.set_counters(counters)
        del journal[writes:]
        del self._steps[steps:]
        shadow.memory.journal = journal

    def note(self, step: Step) -> None:
        """A step that was done and followed by the shadow within the trial (no effect outside of one)."""
        if self._saved is not None:
            self._steps.append(step)

    def follow(self, step: Step) -> None:
        """A step of which the trace says nothing."""
        self.v.shadow.follow(step)
        self._steps.append(step)

    def fit(self, sections: Iterable[int], least: int = 1) -> bool:
        """Whether these sections fit from here on: no contradiction, and at least this many steps if there are so many. Takes itself back."""
        depth, contradicted = self.fits(sections)
        return not contradicted and (depth >= least or depth > 0)

    def fits(self, sections: Iterable[int]) -> tuple[int, bool]:
        """How many of these sections' steps fit, up to the profile's lookahead, and whether one does not. Takes itself back."""
        v = self.v
        saved = self._state()
        steps, writes = len(self._steps), len(self._memory)
        depth, contradicted = 0, False
        for k in sections:
            if depth >= v.profile.lookahead:
                break
            group, told = v.read(k)
            if group.broken or group.reset or group.init or k in v.explainer.inside or k in v.explainer.before:
                break
            if not v.is_step(group, told, k):
                v.nondeterministic(told)
                continue
            step, apart = v.comparer.attempt(group, told)
            self._steps.append(step)
            if apart:
                contradicted = True
                break
            v.commit(group, told, step)
            depth += 1
        self._back(steps, writes, saved)
        return depth, contradicted
