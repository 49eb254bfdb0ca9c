# SPDX-License-Identifier: Apache-2.0
"""Errata of the specification: refused as printed, decoded as corrected; the examples, byte by byte, from what they
say.
"""

import pytest

from rvtrace.models.tandem import table
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.items import Response, items, pack
from rvtrace.models.tandem.errata import BYTES, ERRATA, EXAMPLES, PREAMBLE, as_printed, example, printed
from rvtrace.models.tandem.table import STATE_KEY
from rvtrace.models.tandem.trace_data import Rows, TraceData

RV64GC = Config(xlen=64, flen=64)
START, MACHINE = 0x81234, 3
TRAP = ((0x300, 0xA000018B0), (0x343, 0))
# What each example says in words: the row that a hart gives its encoder.
SAID = {
    "C.1": TraceData(pc=START + 4, insn=(4, 0x006281B3), gpr=(3, 0x1234)),
    "C.2": TraceData(pc=0x0C000100, insn=(4, 0x10010067)),
    "C.3": TraceData(pc=START + 4, insn=(4, 0x0116F3D3), fpr=(7, 0xFFFFFFFF66FEF4F9), fcsr=1),
    "C.4": TraceData(pc=START + 2, insn=(2, 0x8D0D), gpr=(10, 0xFFFFFFFF12345678)),
    "C.5": TraceData(pc=START + 4, insn=(4, 0x0082A203), gpr=(4, 0x55AA55AA), paddr=0x01000008),
    "C.6": TraceData(pc=START + 4, insn=(4, 0x3045B4F3), gpr=(9, 0x888), csr=((0x304, 0x880),)),
    "C.7": TraceData(pc=0x10000, insn=(2, 0), csr=((0x341, 0x81234), (0x342, 2), *TRAP), priv=MACHINE),
    "C.8": TraceData(pc=0x10000, csr=((0x341, 0x81256), (0x342, 1 << 63 | 3), *TRAP), priv=MACHINE),
}


def changes_of(row: TraceData) -> dict[int, int]:
    """Shadow state that a row changes."""
    reported = {
        STATE_KEY + table.PC: row.pc,
        STATE_KEY + table.PRIV: row.priv,
        STATE_KEY + table.PADDR: row.paddr,
        table.FCSR: row.fcsr,
    }
    reported |= dict(row.csr)
    reported |= {table.GPR_BASE + row.gpr[0]: row.gpr[1]} if row.gpr else {}
    reported |= {table.FPR_BASE + row.fpr[0]: row.fpr[1]} if row.fpr else {}
    return {key: value for key, value in reported.items() if value is not None}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_as_corrected(name: str) -> None:
    """Each example has the size given, decodes to what it says, and is what our encoder makes of it."""
    data = example(name)
    assert len(data) == BYTES[name]
    decoded = decode(PREAMBLE + data, RV64GC)
    assert not decoded.diagnostics
    group = list(decoded.groups())[1]
    row = SAID[name]
    assert group.pc == START and (group.size, group.insn) == (row.insn or (0, 0))
    assert dict(group.changes) == changes_of(row)
    before = TraceData(reset=True, pc=START, fcsr=0)
    assert encode(Rows.from_rows([before, row]), RV64GC).of(1) == data


@pytest.mark.parametrize("name", EXAMPLES)
def test_one_more_byte_or_less_is_found(name: str) -> None:
    """A lost or doubled byte in an example never goes unnoticed as a good trace with the same changes."""
    good = list(decode(PREAMBLE + example(name), RV64GC).groups())[1]
    data = example(name)
    for at in range(len(data)):
        decoded = decode(PREAMBLE + data[:at] + data[at + 1 :], RV64GC)
        same = (
            len(decoded) == 2
            and list(decoded.groups())[1].changes == good.changes
            and decoded.group(1).insn == good.insn
        )
        assert decoded.diagnostics or not same


IN_BYTES = [
    (one, where) for one in ERRATA if one.finds == "decoder" for where in dict.fromkeys(line[0] for line in one.lines)
]


@pytest.mark.parametrize(("erratum", "where"), IN_BYTES, ids=lambda value: getattr(value, "name", value))
def test_refused_as_printed(erratum, where: str) -> None:
    """As printed, the first thing found is the right one, within the example."""
    wrong = printed(erratum.name, where)
    assert wrong != example(where)
    found = decode(PREAMBLE + wrong, RV64GC).diagnostics
    assert found[0].name == erratum.diagnostic
    assert found[0].group == 1 and found[0].pc == START
    assert len(PREAMBLE) <= found[0].offset < len(PREAMBLE) + len(wrong)


@pytest.mark.parametrize("where", ["C.2", "C.5", "C.7", "C.8"])
def test_whole_example_as_printed_is_refused(where: str) -> None:
    """With all its errata at once as well."""
    assert decode(PREAMBLE + as_printed(where), RV64GC).diagnostics


def test_format_is_kept_where_only_a_verifier_finds_it() -> None:
    """The other two printed bytes are legal items that mean something else: x16,
    and a word that is not sign-extended.
    """
    sixteen = decode(PREAMBLE + printed("a0 register", "C.4"), RV64GC)
    assert (
        not sixteen.diagnostics
        and 0x1010 in dict(sixteen.group(1).changes)
        and 0x100A not in dict(sixteen.group(1).changes)
    )
    result = decode(PREAMBLE + printed("lw result", "C.5"), RV64GC)
    assert not result.diagnostics and dict(result.group(1).changes)[0x1004] == 0x55AA55AA55AA55AA


def test_zero_instruction_of_32_bits_is_one_without_16_bit_instructions() -> None:
    """C.7 as printed is right on a hart without C."""
    data = example("C.7", {4: "11", 5: "00 00 00 00"})
    assert not decode(PREAMBLE + data, Config(compressed=0)).diagnostics
    assert [one.name for one in decode(PREAMBLE + example("C.7"), Config(compressed=0)).diagnostics] == [
        "instruction_length"
    ]


def test_response_of_one_byte() -> None:
    """Opcode 9 without data has 8 bits after it: a store's."""
    request = bytes.fromhex("01 08 00 00 00 80 00 00 00 00 21 44 33 22 11")  # store, 32 bits
    decoded = decode(PREAMBLE + request + bytes.fromhex("09 02 02"), RV64GC)
    assert not decoded.diagnostics
    (memory,) = decoded.group(1).memory
    assert (memory.op, memory.size, memory.data, memory.result, memory.response_data) == (
        table.STORE,
        2,
        0x11223344,
        0,
        None,
    )
    assert list(items(request + b"\x09\x02\x02", RV64GC))[2][1] == Response(2)
    assert len(pack([item for _, item in items(request + b"\x09\x02\x02", RV64GC)], RV64GC)) == len(request) + 3


def test_trace_data_has_what_the_examples_need() -> None:
    """Appendix B with privilege, reset, state initialization, request and response."""
    assert {"priv", "reset", "init", "request", "response"} <= set(TraceData._fields)
    assert {"priv", "reset", "init", "request", "response"} <= set(table.HAS)
