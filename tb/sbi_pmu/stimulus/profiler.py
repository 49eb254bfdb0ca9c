# SPDX-License-Identifier: Apache-2.0
"""A profiler samples what the hart does, through every block that takes part in it; and the stimulus of such a job.

Events happen, a counter overflows, LCOFI interrupts and freezes the control transfer records, the handler reads
scountovf and the records, stops all counters with a snapshot, finds who overflowed in the bitmap, clears LCOFIP, starts
them again, thaws the records and returns.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from rvtrace.models.ctr.records import INTERRUPT, LCOFI, TAKEN, TRAP_RETURN, Record, Transfer
from rvtrace.models.ctr.registers import csr
from rvtrace.models.hpm.events import Counts
from rvtrace.models.riscv.csr import CLEAR, HS, READ, SET, Access, M, U
from rvtrace.models.sbi_pmu.calls import Peek, Script, SupervisorCsr
from rvtrace.models.sbi_pmu.client import LCOFIP, SCOUNTOVF, SIP, Client
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.models.sbi_pmu.record import Record as SbiRecord
from rvtrace.models.sbi_pmu.sample import FROZEN, Sample, Sampled
from rvtrace.models.sbi_pmu.tables import BITMAP_OFFSET, BITMAP_SIZE, SET_SINH, SET_UINH, VALUE_SIZE, VALUES_OFFSET
from rvtrace.tb.ctr.stimulus.software import Software
from rvtrace.tb.sbi_pmu.stimulus.sampling import (
    FIRMWARE,
    KERNEL,
    Retire,
    SampledCycle,
    SampledHart,
    Seen,
    Touch,
    on_models,
)

SIE, SNAPSHOT, PROGRAM = 0x104, 0x8000_1000, 0x1_0000
BRANCHES, MISSES = 5, 6  # event_idx, and selector, of branches and of mispredicted ones
FILTERS = {"all": 0, "user": SET_SINH, "kernel": SET_UINH}
_TYPES = (TAKEN, 8, 9, 10, 11, 13, 14, 15)
_MOST = 4000  # cycles of one stretch; an overflow takes much fewer
CYCLES = 500  # of one overflow, about: SIZE= is in cycles


class Wanted(NamedTuple):
    """An event that is sampled. filter: a name of FILTERS; period: events between two samples."""

    event: int
    filter: str
    period: int


class Profiler:
    """The supervisor. wanted: what it samples, None: chosen at random. rng: everything that is left open, and what the
    program does.
    """

    def __init__(self, hart: SampledHart, rng: Random, wanted: tuple[Wanted, ...] | None = None) -> None:
        self.hart, self.rng, config = hart, rng, hart.config
        self.config, self.client = config, Client(config.xlen, SNAPSHOT)
        self.software = Software(config.ctr, HS)
        self.wanted = wanted or tuple(
            Wanted(event, rng.choice(list(FILTERS)), rng.randint(20, 300)) for event in (BRANCHES, MISSES)
        )
        self.filters: dict[int, str] = {}
        self.priv, self.pc = HS, KERNEL

    def script(self, overflows: int) -> Script[list[Sample]]:
        """Sets everything up, and samples so many overflows."""
        for access in Software(self.config.ctr, M).set_up():
            yield Touch(access)  # type: ignore[misc]
        yield Retire(M, (Transfer(TRAP_RETURN, FIRMWARE, KERNEL, 0, M, HS),), Counts(1, 1))  # type: ignore[misc]
        yield from self.client.boot()
        yield SupervisorCsr(SET, SIE, LCOFIP)
        for event, name, period in self.wanted:
            index = yield from self.client.add(event, 0, period, FILTERS[name])
            self.filters[index] = name
        yield from self._thaw()
        samples = []
        for _ in range(overflows):
            sample = Sample(self.hart.cycle, [self._sampled(index) for index in self.filters])
            samples.append(sample)
            yield from self._run(sample)
            yield from self._handle(sample)
        yield from self.client.close()
        return samples

    def _sampled(self, index: int) -> Sampled:
        used, client = self.client.used[index], self.client
        return Sampled(index, client.csr(index) & 31, used.event, self.filters[index], used.start, client.width(index))

    # The program, until LCOFI

    def _run(self, sample: Sample) -> Script[None]:
        yield from self._retire(sample, Transfer(TRAP_RETURN, KERNEL + 0x20, PROGRAM, 0, HS, U))
        self.priv, self.pc = U, PROGRAM
        for _ in range(_MOST):
            if self.rng.random() < 0.02:
                lcofi = yield from self._cross(sample)
            else:
                lcofi = yield from self._retire(sample, *self._jumps())
            if lcofi:
                sample.seen = self.hart.cycle - 1
                break
        trap = Transfer(INTERRUPT, self.pc, KERNEL + 0x100, 0, self.priv, HS, LCOFI)
        yield Retire(self.priv, (trap,), Counts(1, 0))  # type: ignore[misc]

    def _retire(self, sample: Sample, *transfers: Transfer) -> Script[bool]:
        """One cycle with these transfers; branches and mispredicted ones are events of it."""
        sample.history += transfers
        branches = [t for t in transfers if t.type == TAKEN]
        events = [0] * self.config.events
        events[BRANCHES - 3], events[MISSES - 3] = len(branches), sum(t.misp for t in branches)
        retired = len(transfers) + self.rng.randint(0, min(3, self.config.retired - len(transfers)))
        priv = transfers[0].from_ if transfers else self.priv
        return (yield Retire(priv, transfers, Counts(1, retired, tuple(events))))  # type: ignore[misc]

    def _jumps(self) -> list[Transfer]:
        out = []
        for _ in range(self.rng.choice((0, 1, 1, self.config.transfers))):
            kind = TAKEN if self.rng.random() < 0.6 else self.rng.choice(_TYPES)
            target = PROGRAM + 2 * self.rng.getrandbits(14) if self.priv == U else KERNEL + 2 * self.rng.getrandbits(14)
            out.append(Transfer(kind, self.pc, target, int(self.rng.random() < 0.3), self.priv, self.priv))
            self.pc = target
        return out

    def _cross(self, sample: Sample) -> Script[bool]:
        """A system call of the program, or the return from one."""
        to = HS if self.priv == U else U
        kind, cause, target = (1, 8, KERNEL + 0x200) if to == HS else (TRAP_RETURN, 0, PROGRAM + 0x300)
        transfer = Transfer(kind, self.pc, target, 0, self.priv, to, cause)
        sample.history.append(transfer)
        lcofi = yield Retire(self.priv, (transfer,), Counts(1, int(to == U)))  # type: ignore[misc]
        self.priv, self.pc = to, target
        return lcofi

    # The handler

    def _handle(self, sample: Sample) -> Script[None]:
        sample.status = yield from self._read("sctrstatus")
        sample.scountovf = (yield SupervisorCsr(READ, SCOUNTOVF)) or 0
        sample.entries = yield from self._entries()
        before = len(self.hart.record.steps)
        sample.overflown = yield from self.client.overflow()
        self._snapshot(sample, before)
        sample.pending = (yield SupervisorCsr(READ, SIP)) or 0
        yield from self._thaw()
        sample.thawed = yield from self._read("sctrstatus")

    def _snapshot(self, sample: Sample, first: int) -> None:
        """What the handler saw in snapshot memory."""
        for step in self.hart.record.steps[first:]:
            if not isinstance(step.action, Peek):
                continue
            value = int.from_bytes(step.result, "little")
            if step.action.address == SNAPSHOT + BITMAP_OFFSET and step.action.size == BITMAP_SIZE:
                sample.bitmap = value
            else:
                sample.values[(step.action.address - SNAPSHOT - VALUES_OFFSET) // VALUE_SIZE] = value

    def _read(self, name: str) -> Script[int]:
        access = self._access(READ, name)
        return (yield Touch(access)) or 0  # type: ignore[misc]

    def _entries(self) -> Script[list[Record]]:
        values = []
        for access in self.software.entries():
            value = yield Touch(access)  # type: ignore[misc]
            if access.op == READ:
                values.append(value or 0)
        return [Record.of_registers(*values[k : k + 3]) for k in range(0, len(values), 3)]

    def _thaw(self) -> Script[None]:
        yield Touch(self._access(CLEAR, "sctrstatus", FROZEN))  # type: ignore[misc]

    def _access(self, op: int, name: str, value: int = 0) -> Access:
        return Access(op, csr(name, self.config.ctr).address, value, HS)


@dataclass
class SampledStimulus:
    """What a job plays. wanted: what is sampled, None: chosen at random. On construction it is played on the models:
    `model`, `model_samples`. played: what happened on the device, once `playing` was played.
    """

    config: Config
    path: str
    overflows: int
    wanted: tuple[Wanted, ...] | None = None
    program: Any = None
    elf: Any = None
    model: SbiRecord = field(init=False)
    model_samples: list[Sample] = field(init=False)
    played: SampledHart = field(init=False)

    def __post_init__(self) -> None:
        on_models(self.playing(), self.config)
        self.model, self.model_samples = self.played.record, self.played.result or []

    def playing(self) -> Generator[SampledCycle, Seen, None]:
        """The cycles of a new hart."""
        self.played = SampledHart(self.config)
        profiler = Profiler(self.played, Random(self.path), self.wanted)
        return self.played.playing(profiler.script(self.overflows))  # type: ignore[arg-type, return-value]
