# SPDX-License-Identifier: Apache-2.0
"""A hart with counters, an SBI implementation and control transfer records: that of play.py, which retires transfers as
well and sees LCOFI.

    hart = SampledHart(config)
    cycles = hart.playing(profiler.script(3))     yields (priv, Counts, Access or None, transfers), takes `Seen`
    on_models(cycles, config)                     plays them on the models of both blocks

An ecall and the return from it are transfers too. One address belongs to one of the blocks (`of_ctr`).
"""

from __future__ import annotations

from collections.abc import Generator
from functools import cache
from typing import Any, NamedTuple, cast

from rvtrace.models.ctr import registers as ctr_registers
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import EXCEPTION, TRAP_RETURN, Transfer
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import HS, Access, Answer, M
from rvtrace.models.sbi_pmu.calls import Action, Call, Run
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.tb.sbi_pmu.stimulus.play import Cycles, Hart

FIRMWARE, KERNEL = 0x8000_0000, 0xC000_0000  # where M-mode software is, and S-mode software
ECALL = {HS: 9}


class Seen(NamedTuple):
    """What the hart saw in a cycle: the answer to its access, and whether a local counter overflow interrupt was
    pending and enabled.
    """

    answer: Answer | None
    lcofi: bool


class Retire(NamedTuple):
    """A cycle of the hart in which transfers retire. The result is whether LCOFI was pending in it."""

    priv: int
    transfers: tuple[Transfer, ...] = ()
    counts: Counts = Counts()


class Touch(NamedTuple):
    """An access to a CSR of the control transfer records; the result is the value before it, None if it was refused."""

    access: Access


SampledCycle = tuple[int, Counts, "Access | None", tuple[Transfer, ...]]


@cache
def of_ctr(address: int, config: Config) -> bool:
    """Whether an address is one of the control transfer records'."""
    return address in {csr.address for csr in ctr_registers.csrs(config.ctr)}


class SampledHart(Hart):
    """The hart. lcofi: what it saw in its last cycle."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.config, self.lcofi = config, False

    def _act(self, action: Action | Retire | Touch) -> Cycles[Any]:  # type: ignore[override]
        if isinstance(action, Touch):
            answer = yield from self._pass(action.access.priv, self.activity.next(), action.access)
            return None if answer is None or answer.outcome else answer.rdata
        if isinstance(action, Retire):
            self._runs.append(Run(action.priv, action.counts))
            yield from self._pass(action.priv, action.counts, None, action.transfers)
            return self.lcofi
        if not isinstance(action, Call):
            return (yield from super()._act(action))
        yield from self._crossed(Transfer(EXCEPTION, KERNEL, FIRMWARE, 0, HS, M, ECALL[HS]), 0)
        result = yield from super()._act(action)
        yield from self._crossed(Transfer(TRAP_RETURN, FIRMWARE + 8, KERNEL + 4, 0, M, HS), 1)
        return result

    def _crossed(self, transfer: Transfer, retired: int) -> Cycles[Any]:
        yield from self._act(Retire(transfer.from_, (transfer,), Counts(1, retired)))

    def _pass(
        self, priv: int, counts: Counts, access: Access | None = None, transfers: tuple[Transfer, ...] = ()
    ) -> Cycles[Answer | None]:
        seen = yield priv, counts._replace(time=self.cycle), access, transfers  # type: ignore[misc]
        self.cycle += 1
        answer, self.lcofi = cast(Seen, seen)
        return answer


def on_models(cycles: Generator[SampledCycle, Seen, None], config: Config) -> None:
    """Plays all cycles on the models of both blocks."""
    hpm, ctr = Hpm(config.hpm), Ctr(config.ctr)
    seen: Seen | None = None
    try:
        while True:
            priv, counts, access, *more = cycles.send(seen)  # type: ignore[arg-type]
            transfers = more[0] if more else ()
            lcofi = bool(hpm.lcofip and hpm.lcofie)  # at the start of the cycle
            mine = access is not None and of_ctr(access.addr, config)
            answer = hpm.cycle(priv, counts, None if mine else access)
            found = ctr.cycle(priv, transfers, access if mine else None)
            seen = Seen(Answer(*found) if found is not None else answer, lcofi)
    except StopIteration:
        return
