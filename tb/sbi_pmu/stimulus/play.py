# SPDX-License-Identifier: Apache-2.0
"""A hart with an SBI implementation and a supervisor, cycle by cycle: the values on the ports of a counter block, as a
generator.

    hart = Hart(config, random.Random("1:cycles"))
    cycles = hart.playing(client_script)         yields (priv, Counts, Access or None) for each cycle, takes the Answer
    of its access on_model(cycles, Hpm(config.hpm), rows)      plays it on the model; a bench plays the same on RTL
    hart.record                                  what happened, for the checks

The firmware is models/sbi_pmu, the supervisor a script of `rvtrace.models.sbi_pmu.calls`. Nothing here knows who
answers.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from random import Random
from typing import Any, TypeVar

from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.hpm.rows import NO_ACCESS, Rows
from rvtrace.models.riscv.csr import DONE, HS, OUTCOMES, READ, WRITE, Access, Answer, M
from rvtrace.models.sbi_pmu.backend import AccessError, Operation, ReadCsr, ReadMem, Steps, WriteCsr, WriteMem
from rvtrace.models.sbi_pmu.calls import (
    Action,
    Call,
    ClientError,
    FirmwareEvent,
    Peek,
    Poke,
    Run,
    Script,
    SupervisorCsr,
)
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.models.sbi_pmu.monitor import WatchedMemory
from rvtrace.models.sbi_pmu.pmu import SbiPmu
from rvtrace.models.sbi_pmu.record import Boot, Record, Step

T = TypeVar("T")
Cycle = tuple[int, Counts, "Access | None"]
Cycles = Generator[Cycle, "Answer | None", T]
_STILL = Counts(cycle=0)


class Activity:
    """What else happens in the cycles in which CSRs are accessed. rng None: nothing, not even a cycle of the hart."""

    def __init__(self, config: Config, rng: Random | None) -> None:
        self.rng, self.most, self.events, self.largest = (
            rng,
            config.retired,
            config.events,
            (1 << config.event_bits) - 1,
        )

    def next(self) -> Counts:
        """Of the next cycle."""
        rng = self.rng
        if rng is None:
            return _STILL
        events = tuple(rng.randint(0, self.largest) if rng.random() < 0.3 else 0 for _ in range(self.events))
        return Counts(int(rng.random() < 0.9), rng.randint(0, self.most), events)


class Hart:
    """One hart: memory, SBI implementation and what was recorded of them. result: of the supervisor's script, when it
    has ended.

    problems: sentences about what was wrong with the run itself; those of the memory's monitor are `memory.problems`.
    """

    def __init__(self, config: Config, rng: Random | None = None, memory: WatchedMemory | None = None) -> None:
        platform, policy = config.platform, config.policies
        self.memory = memory or WatchedMemory(config.xlen, policy)
        self.activity = Activity(config, rng)
        self.pmu = SbiPmu(platform, None, policy)
        self.record = Record(platform, policy, quiet=rng is None)
        self.cycle = 0
        self._runs: list[Run] = []  # since `_ran_from`, not on record yet
        self._ran_from = 0
        self.result: Any = None
        self.problems: list[str] = []

    def playing(self, script: Script[Any]) -> Cycles[None]:
        """The hart from reset to the end of the supervisor's script, and one cycle in which nothing happens."""
        _, operations = yield from self._firmware(self.pmu.booting())
        self.record.steps.append(Step(Boot(), None, operations))
        answer: Any = None
        try:
            while True:
                answer = yield from self._act(script.send(answer))
        except StopIteration as end:
            self.result = end.value
        except ClientError as error:
            self.problems.append(f"cycle {self.cycle}: the supervisor cannot go on: {error}")
        self._note_runs()
        yield M, _STILL._replace(time=self.cycle), None

    def _note_runs(self) -> None:
        self.record.ran(self._runs, self._ran_from)
        self._runs = []

    def _act(self, action: Action) -> Cycles[Any]:
        """One action of the supervisor; what it got."""
        begin, result, operations = self.cycle, None, ()
        if isinstance(action, Run):
            if not self._runs:
                self._ran_from = begin
            self._runs.append(action)
            for _ in range(action.cycles):
                yield from self._pass(action.priv, action.counts)
            return None
        if self._runs:
            self._note_runs()
        if isinstance(action, Call):
            self.memory.begin()
            result, operations = yield from self._firmware(self.pmu.calling(action.fid, action.registers))
            self.memory.end(action.fid, action.registers, result)
        elif isinstance(action, SupervisorCsr):
            answer = yield from self._pass(
                HS, self.activity.next(), Access(action.op, action.address, action.value, HS)
            )
            result = answer.rdata if answer is not None and answer.outcome == DONE else None
        elif isinstance(action, Peek):
            result = self.memory.read(*action)
        elif isinstance(action, Poke):
            self.memory.write(*action)
        elif isinstance(action, FirmwareEvent):
            self.pmu.firmware_event(*action)
        self.record.steps.append(Step(action, result, operations, begin))
        return result

    def _firmware(self, steps: Steps[T]) -> Cycles[tuple[T, tuple[tuple[Operation, Any], ...]]]:
        """The SBI implementation works; its result, and each operation with its answer."""
        operations: list[tuple[Operation, Any]] = []
        answer: Any = None
        try:
            while True:
                operation = steps.send(answer)
                answer = yield from self._operate(operation)
                operations.append((operation, answer))
        except StopIteration as end:
            return end.value, tuple(operations)

    def _operate(self, operation: Operation) -> Cycles[Any]:
        if isinstance(operation, ReadCsr):
            return (yield from self._machine(Access(READ, operation.address, 0, M)))
        if isinstance(operation, WriteCsr):
            yield from self._machine(Access(WRITE, operation.address, operation.value, M))
            return None
        if not isinstance(operation, ReadMem | WriteMem):
            return self.memory.valid(*operation)
        reads = isinstance(operation, ReadMem)
        try:
            return self.memory.read_mem(*operation) if reads else self.memory.write_mem(*operation)
        except AccessError as error:
            self.problems.append(f"cycle {self.cycle}: {error}")
            return bytes(operation.size) if reads else None

    def _machine(self, access: Access) -> Cycles[int]:
        """An access in M-mode. One that is refused is a problem; it gives 0."""
        answer = yield from self._pass(M, self.activity.next(), access)
        if answer is not None and answer.outcome == DONE:
            return answer.rdata
        how = "nothing" if answer is None else OUTCOMES.get(answer.outcome, str(answer.outcome))
        self.problems.append(f"cycle {self.cycle - 1}: access to CSR {access.addr:#x} in M-mode gave {how}")
        return 0

    def _pass(self, priv: int, counts: Counts, access: Access | None = None) -> Cycles[Answer | None]:
        answer = yield priv, counts._replace(time=self.cycle), access
        self.cycle += 1
        return answer


def on_model(cycles: Cycles[None], hpm: Hpm, rows: list[tuple[int, int, Counts, Access | None]]) -> None:
    """Plays all cycles on the counter model, and appends (cycle, priv, counts, access) of each to `rows`."""
    answer: Answer | None = None
    try:
        while True:
            priv, counts, access = cycles.send(answer)
            rows.append((len(rows), priv, counts, access))
            answer = hpm.cycle(priv, counts, access)
    except StopIteration:
        return


def on_record(cycles: Cycles[None], rows: Rows) -> str | None:
    """Plays all cycles with the answers that a device gave; a sentence if the hart goes astray: it got another answer
    than when that was recorded.
    """
    seen = _accesses(rows)
    answer: Answer | None = None
    now = 0
    try:
        while True:
            _, _, access = cycles.send(answer)
            now += 1
            answer = None
            if access is None:
                continue
            cycle, there, answer = next(seen, (0, None, None))
            if there != access:
                return (
                    f"access {_shown(access)} of cycle {now - 1} is not what was on the port, {_shown(there)} in cycle"
                    f" {cycle}"
                )
    except StopIteration:
        left = next(seen, None)
        return f"access {_shown(left[1])} in cycle {left[0]} is one too many" if left else None


def _accesses(rows: Rows) -> Iterator[tuple[int, Access, Answer]]:
    for cycle, _, _, access, rdata, outcome in rows.select(rows.op != NO_ACCESS).cycles():
        assert access is not None
        yield cycle, access, Answer(rdata, outcome)


def _shown(access: Access | None) -> str:
    return f"op {access.op} of {access.addr:#x} with {access.wdata:#x} in mode {access.priv}" if access else "nothing"
