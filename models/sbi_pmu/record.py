# SPDX-License-Identifier: Apache-2.0
"""Record of a run: every action of a supervisor, what it got, and every operation of the SBI implementation meanwhile;
as JSON lines.

    recorder = Recorder(platform, machine, Policy())           # machine: a Backend that is a Machine as well, such as
    HpmBackend ret = recorder.act(Call.of(64, "num_counters"))            # or recorder.play(client.boot())
    recorder.record.save(path)                                 # calls.jsonl Record.load(path)

Whoever plays the generators of the implementation on something else makes the steps himself:
`record.steps.append(Step(...))`. docs/reference/sbi-pmu.md has the format.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from rvtrace.models.common import shown
from rvtrace.models.hpm.events import CYCLES
from rvtrace.models.sbi_pmu import calls
from rvtrace.models.sbi_pmu.backend import Backend, Operation, ReadCsr, ReadMem, ValidAddress, WriteCsr, WriteMem
from rvtrace.models.sbi_pmu.calls import Action, Call, FirmwareEvent, Peek, Poke, Run, Script, SupervisorCsr
from rvtrace.models.sbi_pmu.platform import Firmware, Hardware, Platform
from rvtrace.models.sbi_pmu.pmu import SbiPmu, SbiRet
from rvtrace.models.sbi_pmu.policy import Policy
from rvtrace.models.sbi_pmu.tables import ERRORS

FORMAT = 1
T = TypeVar("T")


class RecordError(ValueError):
    """A file that is no record; the text names the line and what was needed."""


class Boot(NamedTuple):
    """The SBI implementation comes up: the first step of a record."""


class Work(NamedTuple):
    """The hart works: cycles that it ran, and what happened in them. counts: (priv, selector, how often) as on the
    ports of rtl/hpm: selector 1 cycles, 2 instructions retired, 3 + k external event k; priv {V, PRV}."""

    cycles: int = 0
    counts: tuple[tuple[int, int, int], ...] = ()

    def then(self, *runs: Run) -> Work:
        """This and what the hart ran after it. A hart that is halted counts no cycle, one in Debug Mode with stopcount
        nothing.
        """
        sums = {(mode, selector): number for mode, selector, number in self.counts}
        cycles = self.cycles
        for priv, (cycle, retired, events, stopcount, _), times in runs:
            if stopcount:
                continue
            cycles += cycle * times
            for selector, number in enumerate((cycle, retired, *events), CYCLES):
                if number:
                    sums[priv, selector] = sums.get((priv, selector), 0) + number * times
        return Work(cycles, tuple((*key, number) for key, number in sorted(sums.items())))


Done = Action | Boot | Work


class Step(NamedTuple):
    """One action. result: SbiRet of a Call, bytes of a Peek, value of a SupervisorCsr (None: it was refused), else
    None.

    operations: (operation, its answer) in order; the answer of a write is None. None: not known, as for firmware seen
    from outside. cycle: when it began, in cycles since reset; 0 if nobody counts them.
    """

    action: Done
    result: Any = None
    operations: tuple[tuple[Operation, Any], ...] | None = ()
    cycle: int = 0


@dataclass
class Record:
    """A run. quiet: nothing is counted in the cycles of accesses; counters follow from the steps of Work alone."""

    platform: Platform
    policy: Policy = field(default_factory=Policy)
    steps: list[Step] = field(default_factory=list)
    quiet: bool = False

    @property
    def xlen(self) -> int:
        """XLEN of the platform."""
        return self.platform.xlen

    def ran(self, runs: Sequence[Run], cycle: int = 0) -> None:
        """Notes that the hart ran; what it did in a row is one step."""
        if self.steps and isinstance(last := self.steps[-1].action, Work):
            self.steps[-1] = self.steps[-1]._replace(action=last.then(*runs))
        elif runs:
            self.steps.append(Step(Work().then(*runs), None, (), cycle))

    def save(self, path: Path) -> None:
        """Write the header and one step in each line; to a path that ends in .xz compressed, the same bytes for the
        same record.
        """
        lines = [_header(self), *(_step_json(step, self.xlen) for step in self.steps)]
        data = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
        path.write_bytes(lzma.compress(data) if path.suffix == ".xz" else data)

    @classmethod
    def load(cls, path: Path) -> Record:
        """A saved record, compressed if the path ends in .xz. RecordError if the file is none; OSError if it cannot be
        read.
        """
        lines = _text(path).splitlines()
        number, record = 0, None
        try:
            for number, line in enumerate(lines):  # noqa: B007 - the message names it
                got = _sized(shown.values(json.loads(line)))
                if record is None:
                    record = _of_header(got)
                else:
                    record.steps.append(_step(got))
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise RecordError(
                f"{path} line {number + 1} is no line of a record ({error!r}); record the run again"
            ) from error
        if record is None:
            raise RecordError(f"{path} is empty; a record begins with a line that has platform and policy")
        return record


def _sized(of: Any) -> Any:
    """The same; ValueError if a number of it is wider than a register."""
    inside = of.values() if isinstance(of, dict) else of if isinstance(of, list) else ()
    for one in inside:
        _sized(one)
    if isinstance(of, int) and not -(2**63) <= of < 2**64:
        raise ValueError(f"{of} has more than 64 bits")
    return of


def _text(path: Path) -> str:
    """The text of a record's file."""
    data = path.read_bytes()
    try:
        return (lzma.decompress(data) if path.suffix == ".xz" else data).decode()
    except (lzma.LZMAError, UnicodeDecodeError) as error:
        raise RecordError(f"{path} is no record ({error}); give a file that `Record.save` wrote") from error


class Tap:
    """A backend that passes everything on and keeps (operation, answer) in `operations`."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.operations: list[tuple[Operation, Any]] = []

    def _note(self, operation: Operation, answer: Any) -> Any:
        self.operations.append((operation, answer))
        return answer

    def read_csr(self, address: int) -> int:
        """Value of a CSR, read in M-mode."""
        return self._note(ReadCsr(address), self.backend.read_csr(address))

    def write_csr(self, address: int, value: int) -> None:
        """Write a CSR in M-mode."""
        self._note(WriteCsr(address, value), self.backend.write_csr(address, value))

    def read_mem(self, address: int, size: int, reason: str) -> bytes:
        """Bytes of physical memory."""
        return self._note(ReadMem(address, size, reason), self.backend.read_mem(address, size, reason))

    def write_mem(self, address: int, data: bytes, reason: str) -> None:
        """Change bytes of physical memory."""
        self._note(WriteMem(address, data, reason), self.backend.write_mem(address, data, reason))

    def valid_address(self, address: int, size: int) -> bool:
        """Whether supervisor software may read and write all of this range."""
        return self._note(ValidAddress(address, size), self.backend.valid_address(address, size))

    def take(self) -> tuple[tuple[Operation, Any], ...]:
        """The operations since the last take."""
        out = tuple(self.operations)
        self.operations.clear()
        return out


class Recorder:
    """The SBI implementation on a machine, recorded. machine: a Backend and a calls.Machine. clock: cycles since reset.

    `pmu` is the implementation, up and with its boot as the first step; `record` grows with every action.
    """

    def __init__(
        self,
        platform: Platform,
        machine: Any,
        policy: Policy | None = None,
        clock: Callable[[], int] = lambda: 0,
        quiet: bool = False,
    ) -> None:
        policy = policy or Policy()
        self.machine, self.clock, self.tap = machine, clock, Tap(machine)
        self.record = Record(platform, policy, quiet=quiet)
        cycle = clock()
        self.pmu = SbiPmu(platform, self.tap, policy)
        self.record.steps.append(Step(Boot(), None, self.tap.take(), cycle))

    def act(self, action: Action) -> Any:
        """Does one action and returns its result."""
        cycle = self.clock()
        result = calls.act(action, self.pmu, self.machine)
        if isinstance(action, Run):
            self.record.ran([action], cycle)
            return None
        self.record.steps.append(Step(action, result, self.tap.take(), cycle))
        return result

    def play(self, script: Script[T]) -> T:
        """Plays a client to its end and returns its result."""
        answer: Any = None
        try:
            while True:
                answer = self.act(script.send(answer))
        except StopIteration as end:
            return end.value

    def worked(self, work: Work) -> None:
        """Notes that the hart worked; the caller lets it."""
        self.record.steps.append(Step(work, None, (), self.clock()))


# JSON: numbers are hex text, bytes are hex digits.


def _header(record: Record) -> dict[str, Any]:
    p = record.platform
    counters = [
        {"index": hex(c.index), "number": hex(c.number), "width": hex(c.width), "events": _hexes(sorted(c.events)),
         "raw": [_hexes(pair) for pair in c.raw]}
        if isinstance(c, Hardware) else {"index": hex(c.index)}
        for c in p.counters
    ]  # fmt: skip
    selectors = [
        {
            "event": hex(key if isinstance(key, int) else key[0]),
            **({} if isinstance(key, int) else {"number": hex(key[1])}),
            "selector": hex(value),
        }
        for key, value in p.selectors.items()
    ]
    platform = {
        "xlen": hex(p.xlen),
        "counters": counters,
        "selectors": selectors,
        "firmware_events": _hexes(sorted(p.firmware_events)),
        "firmware_data": _hexes(sorted(p.firmware_data)),
        "firmware_width": hex(p.firmware_width),
        "sscofpmf": p.sscofpmf,
        "smcntrpmf": p.smcntrpmf,
        "filters": sorted(p.filters),
        "sbi_version": _hexes(p.sbi_version),
        "snapshot": p.snapshot,
        "event_info": p.event_info,
    }
    return {
        "format": FORMAT,
        "platform": platform,
        "policy": {"name": record.policy.name, **record.policy.choices},
        "quiet": record.quiet,
    }


def _of_header(got: dict[str, Any]) -> Record:
    if got["format"] != FORMAT:
        raise ValueError(f"format {got['format']}, needed {FORMAT}")
    given: dict[str, Any] = dict(got["platform"])
    counters: list[Hardware | Firmware] = []
    for c in given["counters"]:
        if "number" in c:
            raw = tuple((_int(select), _int(mask)) for select, mask in c["raw"])
            counters.append(
                Hardware(_int(c["index"]), _int(c["number"]), _int(c["width"]), frozenset(map(_int, c["events"])), raw)
            )
        else:
            counters.append(Firmware(_int(c["index"])))
    selectors = {
        (_int(s["event"]), _int(s["number"])) if "number" in s else _int(s["event"]): _int(s["selector"])
        for s in given["selectors"]
    }
    major, minor = map(_int, given["sbi_version"])
    given.update(
        xlen=_int(given["xlen"]),
        counters=tuple(counters),
        selectors=selectors,
        firmware_width=_int(given["firmware_width"]),
        firmware_events=frozenset(map(_int, given["firmware_events"])),
        firmware_data=frozenset(map(_int, given["firmware_data"])),
        filters=frozenset(given["filters"]),
        sbi_version=(major, minor),
    )
    return Record(Platform(**given), Policy(**got["policy"]), quiet=got["quiet"])


def _step_json(step: Step, xlen: int) -> dict[str, Any]:
    out: dict[str, Any] = {"do": type(step.action).__name__}
    if isinstance(step.action, Call):
        out["shown"] = step.action.shown(xlen)
    out.update((name, _json(value)) for name, value in step.action._asdict().items())
    if isinstance(step.result, SbiRet):
        out.update(error=step.result.name, value=hex(step.result.value))
    elif step.result is not None:
        out["result"] = _json(step.result)
    if step.operations is None:
        out["operations"] = None
    elif step.operations:
        out["operations"] = [_operation_json(operation, answer) for operation, answer in step.operations]
    if step.cycle:
        out["cycle"] = hex(step.cycle)
    return out


def _operation_json(operation: Operation, answer: Any) -> dict[str, Any]:
    out = {"op": type(operation).__name__, **{name: _json(value) for name, value in operation._asdict().items()}}
    if answer is not None:
        out["answer"] = _json(answer)
    return out


def _json(value: Any) -> Any:
    if isinstance(value, bytes | bytearray):
        return value.hex()
    if isinstance(value, tuple):
        return [_json(item) for item in value]
    return value if isinstance(value, bool | str) else hex(value)


def _step(got: dict[str, Any]) -> Step:
    kind = _ACTIONS[got["do"]]
    action: Done
    result: Any = None
    if kind is Call:
        action = Call(_int(got["fid"]), tuple(map(_int, got["registers"])))
        result = SbiRet(ERRORS[got["error"]] if got["error"] in ERRORS else int(got["error"]), _int(got["value"]))
    elif kind is Poke:
        action = Poke(_int(got["address"]), bytes.fromhex(got["data"]))
    elif kind is Work:
        action = Work(_int(got["cycles"]), tuple((_int(a), _int(b), _int(c)) for a, b, c in got["counts"]))
    else:
        action = kind(*(_int(got[name]) for name in kind._fields))
    if kind is Peek:
        result = bytes.fromhex(got["result"])
    elif kind is SupervisorCsr:
        result = _int(got["result"]) if "result" in got else None
    operations = got.get("operations", ())
    done = None if operations is None else tuple(_operation(operation) for operation in operations)
    return Step(action, result, done, _int(got.get("cycle", "0x0")))


def _operation(got: dict[str, Any]) -> tuple[Operation, Any]:
    kind, answer = _OPERATIONS[got["op"]], got.get("answer")
    if kind is ReadMem:
        return ReadMem(_int(got["address"]), _int(got["size"]), got["reason"]), bytes.fromhex(got["answer"])
    if kind is WriteMem:
        return WriteMem(_int(got["address"]), bytes.fromhex(got["data"]), got["reason"]), None
    operation = kind(*(_int(got[name]) for name in kind._fields))
    return operation, _int(answer) if isinstance(answer, str) else answer


_ACTIONS: dict[str, Any] = {
    kind.__name__: kind for kind in (Call, Peek, Poke, SupervisorCsr, FirmwareEvent, Boot, Work)
}
_OPERATIONS: dict[str, Any] = {kind.__name__: kind for kind in (ReadCsr, WriteCsr, ReadMem, WriteMem, ValidAddress)}


def _hexes(values: Iterable[int]) -> list[str]:
    return [hex(value) for value in values]


def _int(text: str) -> int:
    return int(text, 16)
