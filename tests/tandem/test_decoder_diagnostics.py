# SPDX-License-Identifier: Apache-2.0
"""Each diagnostic of TV-3 and TV-5 by a trace that has this fault and no other: name, offset, group and pc, once, and
what comes after it is whole.
"""

from typing import NamedTuple

import pytest

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.decoder.decoded import PC_KEY
from rvtrace.models.tandem.decoder.diagnostics import TEXTS
from rvtrace.models.tandem.encoder.items import (
    AddRegister,
    Begin,
    End,
    IncrementPc,
    Init,
    Instruction,
    Item,
    OrRegister,
    Register,
    Request,
    Reset,
    State,
    pack,
)

CONFIG = Config(xlen=32, mlen=32, flen=0)
START = 0x100
NOP, SHORT = Instruction(4, 0x13), Instruction(2, 1)
PREFIX: list[Item] = [Begin(), Reset(), State(10, START), End()]
GOOD: list[Item] = [Begin(), NOP, IncrementPc(), Register(0x1005, 9), End()]


class Case(NamedTuple):
    """items: after the prefix. at: which of them is at fault. changes: what the group with the fault still reports;
    None: not looked at.
    """

    name: str
    items: list[Item | bytes]
    at: int
    changes: dict[int, int] | None = None
    group: int = 1


STEP = {PC_KEY: START + 4}
CASES = [
    Case("unknown_opcode", [Begin(), NOP, b"\x0c", End()], 2, {}),
    Case("unknown_opcode", [Begin(), NOP, IncrementPc(), b"\x00\x05\x04", End()], 3, None),
    Case("unknown_id", [Begin(), NOP, b"\x07\x0b\x00\x00"], 2, {}),
    Case("unknown_id", [Begin(), NOP, IncrementPc(), b"\x07\x00"], 3),
    Case("unknown_register", [Begin(), NOP, b"\x04\x40\x10\x00\x00", End()], 2, {}),
    Case("unknown_register", [Begin(), NOP, b"\x05\x20\x10\x00", End()], 2, {}),  # an f register without FLEN
    Case("unknown_request", [Begin(), b"\x08\x00\x00\x00\x80\x4e"], 1, {}),
    Case("unknown_request", [Begin(), b"\x08\x00\x00\x00\x80\x40"], 1, {}),  # 128 bits
    Case("unknown_response", [Begin(), Request(0, 0, 2), b"\x09\x22"], 2, {}),  # result 2
    Case("orphan_response", [Begin(), NOP, b"\x09\x02", End()], 2, {}),
    Case("orphan_response", [Begin(), Request(0, 1, 0, 1), Register(0x300, 1), b"\x09\x00"], 3, {0x300: 1}),
    Case("orphan_end", [*GOOD, End()], 5, None),
    Case("outside_group", [NOP], 0, {}, 0),
    Case("outside_group", [IncrementPc()], 0, {}, 0),
    Case("outside_group", [Init()], 0, {}, 0),
    Case("two_instructions", [Begin(), SHORT, NOP, IncrementPc(), End()], 2, {PC_KEY: START + 2}),
    Case("init_with_instruction", [Begin(), Init(), NOP, Register(0x300, 1), End()], 0, {0x300: 1}),
    Case("init_with_reset", [Begin(), Init(), Reset(), State(10, 4), End()], 0, {PC_KEY: 4}),
    Case("reset_with_instruction", [Begin(), NOP, Reset(), State(10, 4), End()], 0, {PC_KEY: 4}),
    Case("increment_and_pc", [Begin(), NOP, IncrementPc(), State(10, 0x40), End()], 0, {PC_KEY: 0x40}),
    Case("increment_and_pc", [Begin(), NOP, State(10, 0x40), IncrementPc(), End()], 0, {PC_KEY: 0x40}),
    Case("increment_without_instruction", [Begin(), IncrementPc(), Register(0x300, 1), End()], 0, {0x300: 1}),
    Case("unknown_base", [Begin(), NOP, IncrementPc(), AddRegister(0x1006, 1), End()], 3, STEP),
    Case(
        "unknown_base",
        [Begin(), NOP, IncrementPc(), OrRegister(3, 1), End(), Begin(), NOP, IncrementPc(), OrRegister(3, 1), End()],
        3,
        STEP,
    ),
    Case("x0_write", [Begin(), NOP, IncrementPc(), Register(0x1000, 1), End()], 3, STEP),
    Case("x0_write", [Begin(), NOP, IncrementPc(), AddRegister(0x1000, 1), End()], 3, STEP),
    Case(
        "repeated_state",
        [Begin(), NOP, IncrementPc(), Register(0x300, 1), Register(0x300, 2), End()],
        4,
        STEP | {0x300: 2},
    ),
    Case("repeated_state", [Begin(), NOP, State(10, 4), State(10, 8), End()], 3, {PC_KEY: 8}),
    # store data of two sizes
    Case("repeated_state", [Begin(), NOP, IncrementPc(), State(4, 1), State(6, 1), End()], 4, None),
    Case("repeated_state", [Begin(), NOP, IncrementPc(), IncrementPc(), End()], 3, STEP),
    Case("instruction_length", [Begin(), Instruction(2, 0x13), State(10, 4), End()], 1, {PC_KEY: 4}),
    Case("instruction_length", [Begin(), Instruction(4, 0x12), State(10, 4), End()], 1, {PC_KEY: 4}),
    Case("unknown_privilege", [Begin(), State(1, 2), End()], 1, None),
    Case("unknown_privilege", [Begin(), State(1, 4), End()], 1, None),
]


def packed(items: list[Item | bytes]) -> list[bytes]:
    """Each item's bytes."""
    out, before = [], []
    for item in items:
        done = len(pack(before, CONFIG))
        out.append(item if isinstance(item, bytes) else pack([*before, item], CONFIG)[done:])
        before = [] if isinstance(item, bytes) else [item]
    return out


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}-{len(case.items)}-{case.at}")
def test_one_fault(case: Case) -> None:
    """Found once, at its place, and the groups before and after are as if it were not there."""
    prefix, parts, after = (
        pack(PREFIX, CONFIG),
        packed(case.items),
        pack([Begin(), NOP, State(10, 0x200), End(), *GOOD], CONFIG),
    )
    decoded = decode(prefix + b"".join(parts) + after, CONFIG)
    (found,) = decoded.diagnostics
    assert found.name == case.name and str(found).endswith(
        f"{found.text} [{case.name}]" + f"; {found.skipped} bytes skipped" * (found.skipped > 0)
    )
    assert found.offset == len(prefix) + sum(map(len, parts[: case.at]))
    reset_in_group = case.name in ("init_with_reset", "reset_with_instruction")
    assert found.group == case.group and (found.pc == START or reset_in_group or case.name == "orphan_end")
    groups = list(decoded.groups())
    if case.changes is not None:
        at_fault = next(group for group in groups[1:] if group.number == case.group)
        assert dict(at_fault.changes) == case.changes and not (at_fault.broken and b"\x02" in parts[:-1])
    assert [group.changes for group in groups[-2:]] == [[(PC_KEY, 0x200)], [(PC_KEY, 0x204), (0x1005, 9)]]
    assert groups[-1].pc == 0x200 and found.skipped == (sum(map(len, parts[case.at :])) if found.skipped else 0)


def test_every_diagnostic_has_a_case() -> None:
    """All but those of traces that begin or end badly (test_decoder_damage)."""
    assert set(TEXTS) - {case.name for case in CASES} == {"truncated", "increment_without_pc", "long_group"}


def test_x0_may_be_reported_as_0() -> None:
    trace = pack([*PREFIX, Begin(), NOP, IncrementPc(), Register(0x1000, 0), End(), *GOOD], CONFIG)
    assert not decode(trace, CONFIG).diagnostics
