# SPDX-License-Identifier: Apache-2.0
"""The rules that hold for any encoder: bytes that break one of them turn its clause red, with and without the reference
profile; the tolerances.
"""

import pytest

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.diagnostics import TEXTS
from rvtrace.models.tandem.encoder import items as it
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.items import pack
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.check import check
from rvtrace.scoreboards.tandem.legal import CLAUSE
from rvtrace.scoreboards.tandem.tolerances import Tolerances
from rvtrace.tb.tandem.stimulus.builds import LEAN, RV32
from tests.tandem.captures import NOP, PC, RESET, captured, insn

INSN, START = it.Instruction(*NOP), [it.Begin(), it.Reset(), it.State(t.PC, PC), it.End()]
GROUP = [it.Begin(), INSN, it.IncrementPc()]
INTERRUPT = [it.Register(0x341, 1), it.Register(0x342, 1 << 63 | 7), it.State(t.PRIV, 3)]
OTHERS = ZEROS, ABSENT = "TV.legal.zeros", "TV.legal.absent"
CASES: dict[str, tuple[str, list]] = {
    "unknown_opcode": ("TV.legal.opcode", [it.Begin(), INSN, b"\x0c", it.End()]),
    "unknown_id": ("TV.legal.id", [*GROUP, b"\x07\x0b\x00", it.End()]),
    "unknown_register": ("TV.legal.register", [*GROUP, b"\x04\x40\x10", it.End()]),
    "unknown_request": ("TV.legal.request", [*GROUP, b"\x08" + bytes(8) + b"\x0e", it.End()]),
    "unknown_response": ("TV.legal.response", [*GROUP, it.Request(8, 0, 2), b"\x09\x22", it.End()]),
    "orphan_response": ("TV.legal.follows", [*GROUP, it.Request(8, 0, 2), it.State(t.PRIV, 3), b"\x09\x12", it.End()]),
    "truncated": ("TV.legal.whole", [*GROUP]),
    "orphan_end": ("TV.legal.end", [*GROUP, it.End(), it.End()]),
    "outside_group": ("TV.legal.inside", [INSN]),
    "two_instructions": ("TV.legal.one_insn", [*GROUP, INSN, it.End()]),
    "init_with_instruction": ("TV.legal.init", [*GROUP, it.Init(), it.End()]),
    "init_with_reset": ("TV.legal.init", [it.Begin(), it.Reset(), it.Init(), it.State(t.PC, PC), it.End()]),
    "reset_with_instruction": ("TV.legal.reset", [it.Begin(), it.Reset(), it.State(t.PC, PC), INSN, it.End()]),
    "increment_and_pc": ("TV.legal.one_pc", [*GROUP, it.State(t.PC, PC), it.End()]),
    "increment_without_instruction": ("TV.legal.increment", [it.Begin(), it.IncrementPc(), it.End()]),
    "increment_without_pc": ("TV.legal.pc_known", [it.Begin(), it.Reset(), it.End(), *GROUP, it.End()]),
    "unknown_base": ("TV.legal.base", [*GROUP, it.AddRegister(0x1005, 1), it.End()]),
    "x0_write": ("TV.legal.x0", [*GROUP, it.Register(0x1000, 1), it.End()]),
    "repeated_state": ("TV.legal.unambiguous", [*GROUP, it.State(t.PRIV, 3), it.State(t.PRIV, 1), it.End()]),
    "instruction_length": ("TV.legal.insn", [it.Begin(), it.Instruction(2, 3), it.IncrementPc(), it.End()]),
    "unknown_privilege": ("TV.legal.privilege", [*GROUP, it.State(t.PRIV, 2), it.End()]),
    "init without update": ("TV.legal.update", [it.Begin(), it.Init(), it.End()]),
    "interrupt with instruction": ("TV-7", [*GROUP, *INTERRUPT, it.End()]),
}


def of_bytes(parts: list, config: Config) -> TandemCapture:
    """A capture of which only the bytes are at hand."""
    return TandemCapture(
        config, None, b"".join(part if isinstance(part, bytes) else pack([part], config) for part in parts)
    )


@pytest.mark.parametrize("name", CASES)
def test_one_rule_is_broken(name: str) -> None:
    clause, parts = CASES[name]
    whole = [*START, *parts, *([] if name == "truncated" else [it.Begin(), INSN, it.State(t.PC, PC), it.End()])]
    config = Config(flen=0, incremental=2)
    assert check(of_bytes(whole, config)).book.failed == [clause]
    assert check(of_bytes([*START, *GROUP, it.End()], config)).passed


def test_every_diagnostic_has_its_clause() -> None:
    assert set(CLAUSE) == set(TEXTS) and set(TEXTS) - {"long_group"} <= set(CASES)
    assert all(CLAUSE[name] == clause for name, (clause, _) in CASES.items() if name in TEXTS)


def test_addresses_are_extended_with_zeros() -> None:
    config = Config.from_dict(RV32)
    good, bad = (
        [*START, *GROUP, it.State(t.PADDR, value), it.Request(value, 0, 0), it.End()] for value in (3 << 32, 1 << 34)
    )
    assert check(of_bytes(good, config)).passed
    assert check(of_bytes(bad, config)).book.failed == [ZEROS]


@pytest.mark.parametrize("item", [it.State(t.EADDR, 1), it.State(t.MTIME, 1), it.State(t.PPC, 1)])
def test_what_is_absent_is_not_reported(item: it.State) -> None:
    config, group = Config.from_dict(LEAN), [it.Begin(), INSN, it.State(t.PC, PC + 4)]
    assert check(of_bytes([*START, *group, item, it.End()], config)).book.failed == [ABSENT]
    assert check(of_bytes([*START, *group, it.Register(t.MCYCLE, 1), it.End()], config)).passed


def test_without_csrs_items_with_separate_parts_are_sent() -> None:
    config = Config(absent=("csr", "minstret"))
    for address, clauses in ((t.FCSR, []), (t.MCYCLE, []), (t.MINSTRET, [ABSENT]), (0x300, [ABSENT])):
        assert check(of_bytes([*START, *GROUP, it.Register(address, 1), it.End()], config)).book.failed == clauses


def test_what_rows_contradict_is_not_held_against_the_encoder() -> None:
    config = Config()
    rows = Rows.from_rows([RESET, insn(csr=((0x340, 1), (0x340, 2))), TraceData(insn=(2, 3), pc=PC + 6, priv=2), FLUSH])
    assert check(captured(rows, config)).passed
    wrong = captured(
        rows, config, encode(rows, config).data + pack([it.Begin(), it.State(t.PRIV, 2), it.End()], config)
    )
    assert "TV.legal.privilege" in check(wrong).book.failed


def test_tolerance_open_end() -> None:
    """Without a flush the last group's end is still kept back; with one it is not."""
    config = Config.from_dict(RV32)
    rows = [RESET, insn()]
    assert check(captured(Rows.from_rows(rows), config)).passed
    flushed = Rows.from_rows([*rows, FLUSH])
    capture = captured(flushed, config, encode(flushed, config).data[:-1])
    assert check(capture).book.failed == ["TV.legal.whole", "TV.order.lost"]
    assert check(capture, Tolerances(bytes="any", open_end=True)).passed


def test_tolerance_unchanged() -> None:
    """A device may leave out a register that keeps its value."""
    config = Config()
    rows = Rows.from_rows([RESET, insn(gpr=(5, 9)), insn(2, gpr=(5, 9)), insn(3, gpr=(5, 8)), FLUSH])
    lean = Rows.from_rows([RESET, insn(gpr=(5, 9)), insn(2), insn(3, gpr=(5, 8)), FLUSH])
    capture = captured(rows, config, encode(lean, config).data)
    assert (
        "TV.reported.gpr" in check(capture).book.failed
        and "TV.reported.gpr" in check(capture, Tolerances(bytes="any")).book.failed
    )
    assert check(capture, Tolerances(bytes="any", unchanged=True)).passed


def test_tolerance_interrupt_instruction() -> None:
    capture = of_bytes([*START, *GROUP, *INTERRUPT, it.End()], Config())
    assert check(capture).book.failed == ["TV-7"]
    assert check(capture, Tolerances(interrupt_instruction=True)).passed


def test_tolerance_bytes() -> None:
    """Another order and other forms are legal, and are not the reference's."""
    config = Config()
    rows = Rows.from_rows([RESET, insn(gpr=(5, 9), priv=1), FLUSH])
    data = pack(
        [*START, it.Begin(), it.State(t.PRIV, 1), it.Register(0x1005, 9), it.State(t.PC, PC + 4), INSN, it.End()],
        config,
    )
    assert check(captured(rows, config, data), Tolerances(bytes="any")).passed
    assert check(captured(rows, config, data)).book.failed


@pytest.mark.parametrize("changes", [{"incremental": 0}, {"incremental": 2}, {"implied_end": 1}])
def test_any_choice_of_forms_and_ends_is_lossless(changes: dict) -> None:
    """The bytes of an encoder with other choices: a device that does not declare the profile passes."""
    rows = Rows.from_rows(
        [
            RESET,
            *(insn(n, gpr=(5, 3 * n), fcsr=n, mcycle=n) for n in range(1, 9)),
            TraceData(group=False, mtime=5),
            FLUSH,
        ]
    )
    capture = captured(rows, Config(), encode(rows, Config(**changes)).data)
    capture.exact = False
    assert check(capture).passed, check(capture).failures[0].text()
