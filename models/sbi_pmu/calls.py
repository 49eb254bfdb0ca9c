# SPDX-License-Identifier: Apache-2.0
"""What supervisor software does with the SBI PMU extension, one action at a time, and playing such actions on a model.

A client is a generator that yields actions and gets each one's result back: a test plays it on the model with `play`, a
testbench sequence plays the same generator on RTL.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple, Protocol, TypeVar

from rvtrace.models.hpm.events import Counts
from rvtrace.models.sbi_pmu.pmu import SbiPmu, SbiRet
from rvtrace.models.sbi_pmu.tables import BY_NAME, FUNCTIONS


class Call(NamedTuple):
    """An ecall: function and registers a0 to a5; the result is a SbiRet."""

    fid: int
    registers: tuple[int, ...]

    @classmethod
    def of(cls, xlen: int, function: str, **arguments: int) -> Call:
        """A call with named arguments: `Call.of(32, "counter_start", counter_idx_mask=1, initial_value=1 << 40)`."""
        row = BY_NAME[function]
        return cls(row.fid, row.registers(xlen, arguments))

    def shown(self, xlen: int) -> str:
        """For messages: name and arguments."""
        if not 0 <= self.fid < len(FUNCTIONS):
            return f"function {self.fid}"
        row = FUNCTIONS[self.fid]
        return (
            f"{row.name}({', '.join(f'{name}={value:#x}' for name, value in row.named(xlen, self.registers).items())})"
        )


class Peek(NamedTuple):
    """The supervisor reads memory; the result is bytes."""

    address: int
    size: int


class Poke(NamedTuple):
    """The supervisor writes memory."""

    address: int
    data: bytes


class SupervisorCsr(NamedTuple):
    """The supervisor accesses a CSR in S-mode. op: 0 read, 1 write, 2 set, 3 clear. The result is the value before."""

    op: int
    address: int
    value: int = 0


class FirmwareEvent(NamedTuple):
    """Firmware does something that it counts: event_idx.code, how often, event_data of a platform's event."""

    code: int
    count: int = 1
    data: int = 0


class Run(NamedTuple):
    """The hart runs software: in each of so many cycles it is in mode `priv` and this happens
    (rvtrace.models.hpm.events.Counts). No result.
    """

    priv: int
    counts: Counts
    cycles: int = 1


Action = Call | Peek | Poke | SupervisorCsr | FirmwareEvent | Run
T = TypeVar("T")
Script = Generator[Action, Any, T]


class Machine(Protocol):
    """What `play` needs besides the SBI implementation: memory as the supervisor sees it, its CSRs, and the hart."""

    def peek(self, address: int, size: int) -> bytes:
        """Bytes of memory."""
        ...

    def poke(self, address: int, data: bytes) -> None:
        """Changes memory."""

    def supervisor_csr(self, op: int, address: int, value: int) -> int:
        """A CSR access in S-mode; the value before it."""
        ...

    def run(self, priv: int, counts: Counts, cycles: int) -> None:
        """The hart runs software."""


def act(action: Action, pmu: SbiPmu, machine: Machine) -> Any:
    """Does one action and returns its result."""
    if isinstance(action, Call):
        return pmu.call(action.fid, action.registers)
    if isinstance(action, Peek):
        return machine.peek(*action)
    if isinstance(action, Poke):
        return machine.poke(*action)
    if isinstance(action, SupervisorCsr):
        return machine.supervisor_csr(*action)
    if isinstance(action, Run):
        return machine.run(*action)
    return pmu.firmware_event(*action)


def play(script: Script[T], pmu: SbiPmu, machine: Machine) -> T:
    """Plays a client to its end on a model and returns its result."""
    answer: Any = None
    try:
        while True:
            answer = act(script.send(answer), pmu, machine)
    except StopIteration as end:
        return end.value


class ClientError(ValueError):
    """A call of a client failed; the text has the call and the error."""


def demand(xlen: int, call: Call, *accepted: str) -> Script[SbiRet]:
    """A call that has to succeed, or to fail with one of these errors. ClientError if it does not."""
    ret: SbiRet = yield call
    if ret.error and ret.name not in accepted:
        raise ClientError(
            f"{call.shown(xlen)} gave {ret.name}; SUCCESS was needed{''.join(f' or {name}' for name in accepted)}"
        )
    return ret
