# SPDX-License-Identifier: Apache-2.0
"""The record of an SBI PMU run for reading: each call with its answer, and what the SBI implementation did to CSRs and
memory meanwhile.

python -m rvtrace.report.listing.sbi_pmu OUT=out              a folder of `make capture IP=sbi_pmu` (`make decode
IP=sbi_pmu OUT=out` is the same) python -m rvtrace.report.listing.sbi_pmu CALLS=calls.jsonl    any record;
docs/reference/sbi-pmu.md has the format
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rvtrace.flow.captured.sbi_pmu import record_of
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import flag, main_guard, parse
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import selector_name
from rvtrace.models.hpm.registers import csrs
from rvtrace.models.riscv.csr import PRIVILEGES
from rvtrace.models.sbi_pmu.backend import Operation, ReadCsr, ReadMem, ValidAddress, WriteCsr, WriteMem
from rvtrace.models.sbi_pmu.calls import Call, FirmwareEvent, Peek, Poke, SupervisorCsr
from rvtrace.models.sbi_pmu.config import Config as SbiPmuConfig
from rvtrace.models.sbi_pmu.record import Boot, Record, Step, Work
from rvtrace.models.sbi_pmu.tables import FIRMWARE, event_idx, event_name

WORDS = {
    "IP": "sbi_pmu", "IN": "folder of `make capture IP=sbi_pmu`", "CALLS": "a record (default IN/calls.jsonl)",
    "QUIET": "1: calls and their answers only, no CSRs and no memory",
}  # fmt: skip
SHOWN = (
    "perf stat",
    (
        "What a supervisor counted of each program through SBI PMU calls: exact numbers, since every counter is; events"
        " that are sampled with their overflows."
    ),
)
_OPS = {0: "read", 1: "write", 2: "set", 3: "clear"}
_CSRS = {c.address: c.name for xlen in (32, 64) for c in csrs(Config(xlen=xlen))}
_LONG = 16  # bytes of memory that are shown


def listing(record: Record, quiet: bool = False) -> str:
    """One line for each step; unless quiet, indented ones for its operations."""
    lines = []
    for step in record.steps:
        lines.append(f"{step.cycle:>10}  {_action(step, record.xlen)}")
        lines += () if quiet else _operations(step.operations or ())
    return "\n".join(lines) + "\n"


def _action(step: Step, xlen: int) -> str:
    action, result = step.action, step.result
    if isinstance(action, Call):
        return f"{action.shown(xlen)} -> {result.name}{f' {result.value:#x}' if result.value else ''}"
    if isinstance(action, Work):
        counted = ", ".join(
            f"{number} {selector_name(selector)} in {PRIVILEGES[priv]}" for priv, selector, number in action.counts
        )
        return f"the hart runs {action.cycles} cycles: {counted or 'nothing counts'}"
    if isinstance(action, FirmwareEvent):
        return f"{event_name(event_idx(FIRMWARE, action.code))}, {action.count} times, data {action.data:#x}"
    if isinstance(action, SupervisorCsr):
        given = f" {action.value:#x}" if action.op else ""
        return (
            f"S-mode {_OPS[action.op]} {_csr(action.address)}{given} ->"
            f" {'refused' if result is None else f'{result:#x}'}"
        )
    if isinstance(action, Peek):
        return f"S-mode reads {action.size} bytes at {action.address:#x}: {_bytes(result)}"
    if isinstance(action, Poke):
        return f"S-mode writes {len(action.data)} bytes at {action.address:#x}: {_bytes(action.data)}"
    assert isinstance(action, Boot)
    return "boot"


def _operations(done: Iterable[tuple[Operation, Any]]) -> Iterator[str]:
    for operation, answer in done:
        if isinstance(operation, ReadCsr):
            text = f"read {_csr(operation.address)} -> {answer:#x}"
        elif isinstance(operation, WriteCsr):
            text = f"write {_csr(operation.address)} {operation.value:#x}"
        elif isinstance(operation, ReadMem):
            text = f"read {operation.size} bytes at {operation.address:#x} for {operation.reason}: {_bytes(answer)}"
        elif isinstance(operation, WriteMem):
            text = (
                f"write {len(operation.data)} bytes at {operation.address:#x} for {operation.reason}:"
                f" {_bytes(operation.data)}"
            )
        else:
            assert isinstance(operation, ValidAddress)
            text = f"{operation.size} bytes at {operation.address:#x} are {'' if answer else 'not '}the supervisor's"
        yield f"{'':>10}    {text}"


def _csr(address: int) -> str:
    return _CSRS.get(address, f"{address:#x}")


def _bytes(data: bytes) -> str:
    return data[:_LONG].hex() + ("..." if len(data) > _LONG else "")


def write(out: Path) -> tuple[str, ...]:
    """Add calls.txt, the record as text, to a capture; of a program also counted.txt, what perf would print. The names
    of the files.
    """
    (out / "calls.txt").write_text(listing(record_of({"IN": str(out)})))
    if not (counted := out / "counted.json").exists():
        return ("calls.txt",)
    (out / "counted.txt").write_text(counted_listing(json.loads(counted.read_text())))
    return ("calls.txt", "counted.txt")


def shown(results: Iterable[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    """(name, line, table) of what perf counted of each program."""
    found: dict[str, tuple[str, str, str]] = {}
    for result in results:
        if "counted" in result:
            config = SbiPmuConfig.from_dict(result["config"])
            name = f"{result['source'].partition(':')[2]} {systems.judge('sbi_pmu').described(config)}"
            line = ", ".join(f"{row['count']:,} {row['event']}" for row in result["counted"][:2])
            found[name] = name, line, counted_listing(result["counted"])
    return [found[name] for name in sorted(found)]


def main(argv: list[str]) -> int:
    """Print a record."""
    given = parse(argv, WORDS, "Calls of an SBI PMU record.")
    print(listing(record_of(given), flag(given, "QUIET")), end="")
    return 0


if __name__ == "__main__":
    main_guard(main)


def counted_listing(counted: Iterable[dict[str, Any]]) -> str:
    """What perf stat would print."""
    lines = [
        f"{row['count']:>16,}  {row['event']:<18} counter {row['counter']:<3}"
        + (f" {row['samples']} samples" if row["samples"] else "")
        for row in counted
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"
