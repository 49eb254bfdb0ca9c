# SPDX-License-Identifier: Apache-2.0
"""Numbers of the format, read a second time: from the specification (2018-11-20) and its errata, not from the tables
that they are held against.

Chapters are those of the specification; ruling n is TV-n, errata the list of corrections. Everything in bytes is
written out by hand.
"""

import pytest

from rvtrace.models.tandem import errata, table
from rvtrace.models.tandem.config import INCREMENT, Config
from rvtrace.models.tandem.encoder import items
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.sizes import sizes
from rvtrace.models.tandem.trace_data import Rows, TraceData
from rvtrace.models.tandem.verifier import profile

RV64, RV32, RV32_S = Config(xlen=64, flen=64), Config(xlen=32, flen=64, mlen=32), Config(xlen=32, flen=0, mlen=34)
# Chapter 2, "Opcode": number, and bits after it where they are always the same.
OPCODES = {
    "BEGIN": (1, 0),
    "END": (2, 0),
    "INCREMENT_PC": (3, 0),
    "REGISTER": (4, None),
    "ADD": (5, 24),
    "OR": (6, 24),
    "STATE": (7, None),
    "REQUEST": (8, None),
    "RESPONSE": (9, None),
    "RESET": (10, 0),
    "INIT": (11, 0),
    "INSN16": (16, 16),
    "INSN32": (17, 32),
}
# Chapter 2, "Identifier": bits on RV64; on RV32 with MLEN 32; on RV32 with MLEN 34 (chapter 3: 34 bits are rounded up
# to 40).
IDS = {
    1: (8, 8, 8),
    2: (64, 32, 40),
    3: (64, 32, 40),
    4: (8,) * 3,
    5: (16,) * 3,
    6: (32,) * 3,
    7: (64,) * 3,
    8: (64,) * 3,
    9: (64, 32, 40),
    10: (64, 32, 32),
}
# Chapter 2, "Memory Request Opcode".
OPERATIONS = {
    0: "load",
    1: "store",
    2: "lr",
    3: "sc",
    4: "amoswap",
    5: "amoadd",
    6: "amoxor",
    7: "amoand",
    8: "amoor",
    9: "amomin",
    10: "amomax",
    11: "amominu",
    12: "amomaxu",
    13: "fetch",
}
WITH_DATA = {1, 3, *range(4, 13)}  # ruling 2: store, SC, AMOs in the request
ANSWERED = {0, 2, 3, *range(4, 13), 13}  # ruling 2: load, LR, SC, AMOs and fetch in the response
# Appendix D, row by row: printed, and right by the errata.
SIZES = [
    (23, 19),
    (12, 8),
    (27, 17),
    (32, 28),
    (33, 29),
    (43, 39),
    (32, 28),
    (42, 38),
    (53, 49),
    (34, 30),
    (23, 19),
    (23, 19),
    (27, 23),
    (23, 19),
    (27, 23),
    (43, 39),
    (42, 38),
    (59, 59),
    (68, 64),
]
# Tables C.1 to C.8 with the errata applied.
TRAP = "04 00 03 b0 18 00 00 0a 00 00 00 04 43 03 00 00 00 00 00 00 00 00 07 01 03 02"
EXAMPLES = {
    "C.1": "01 03 11 b3 81 62 00 04 03 10 34 12 00 00 00 00 00 00 02",
    "C.2": "01 07 0a 00 01 00 0c 00 00 00 00 11 67 00 01 10 02",
    "C.3": "01 03 11 d3 f3 16 01 04 27 10 f9 f4 fe 66 ff ff ff ff 06 03 00 01 02",
    "C.4": "01 03 10 0d 8d 04 0a 10 78 56 34 12 ff ff ff ff 02",
    "C.5": "01 03 11 03 a2 82 00 04 04 10 aa 55 aa 55 00 00 00 00 07 02 08 00 00 01 00 00 00 00 02",
    "C.6": "01 03 11 f3 b4 45 30 04 09 10 88 08 00 00 00 00 00 00 04 04 03 80 08 00 00 00 00 00 00 02",
    "C.7": (
        "01 07 0a 00 00 01 00 00 00 00 00 10 00 00 04 41 03 34 12 08 00 00 00 00 00 04 42 03 02 00 00 00 00 00 00 00 "
        + TRAP
    ),
    "C.8": "01 07 0a 00 00 01 00 00 00 00 00 04 41 03 56 12 08 00 00 00 00 00 04 42 03 03 00 00 00 00 00 00 80 " + TRAP,
}
# What those tables print instead: errata, column printed.
PRINTED = {
    "C.2": ("07 0a", "07 10"),
    "C.4": ("04 0a 10", "04 10 10"),
    "C.5": ("11 03", "10 03", "55 00 00 00 00 07", "55 aa 55 aa 55 07"),
    "C.7": ("07 0a", "07 10", "00 10 00 00 04", "00 11 00 00 00 00 04"),
    "C.8": ("07 0a", "07 10"),
}
# errata: right as printed; C.7 as corrected; Appendix D: interrupt
LENGTHS = {"C.1": 19, "C.3": 23, "C.6": 30, "C.7": 62, "C.8": 59}


def bits(code: int, config: Config = RV64, **values: int) -> int:
    return sum(field.bits(config, values) for field in table.BY_CODE[code].fields)


def test_opcodes() -> None:
    """Chapter 2, first table; there are no others."""
    assert {name: getattr(table, name) for name in OPCODES} == {name: code for name, (code, _) in OPCODES.items()}
    assert sorted(table.BY_CODE) == sorted(code for code, _ in OPCODES.values())
    assert all(bits(code) == width for code, width in OPCODES.values() if width is not None)


def test_registers() -> None:
    """Chapter 3 and "Format": CSR 0x0000-0x0FFF, GPR 0x1000-0x101F, FPR 0x1020-0x103F; opcode 4 has 16 bits and XLEN or
    FLEN.
    """
    assert [(one.name, one.first, one.last) for one in table.REGISTER_CLASSES] == [
        ("csr", 0, 0xFFF),
        ("gpr", 0x1000, 0x101F),
        ("fpr", 0x1020, 0x103F),
    ]
    assert (table.CSR_BASE, table.GPR_BASE, table.FPR_BASE) == (0x0000, 0x1000, 0x1020)
    assert [bits(4, RV32, address=at) - 16 for at in (0, 0xFFF, 0x1000, 0x101F, 0x1020, 0x103F)] == [
        32, 32, 32, 32, 64, 64,
    ]  # fmt: skip
    assert {bits(4, RV64, address=at) for at in (0, 0x1000, 0x1020)} == {80}
    assert [table.register_width(RV64, at) for at in (0x1040, 0x1FFF, 0x8000)] == [0, 0, 0]
    assert (table.FFLAGS, table.FRM, table.FCSR) == (1, 2, 3)  # C.3 for fcsr; else the CSR map of the manuals
    assert (table.MCYCLE, table.MCYCLEH, table.MINSTRET, table.MINSTRETH) == (0xB00, 0xB80, 0xB02, 0xB82)


@pytest.mark.parametrize("k,config", [(0, RV64), (1, RV32), (2, RV32_S)], ids=("64", "32", "34"))
def test_additional_state(k: int, config: Config) -> None:
    """Chapter 2, last table: an 8-bit identifier, then the data."""
    assert {one.id: table.state_width(config, one.id) for one in table.STATES} == {
        number: widths[k] for number, widths in IDS.items()
    }
    assert [bits(7, config, id=number) for number in IDS] == [8 + widths[k] for widths in IDS.values()]
    assert (table.PRIV, table.PADDR, table.EADDR, table.MEMDATA, table.MTIME, table.PPC, table.PC) == (
        1, 2, 3, 4, 8, 9, 10,
    )  # fmt: skip
    assert (config.mlen, config.mlen_bytes) == ((64, 8), (32, 4), (34, 5))[k]  # chapter 3, MLEN
    # PRIVLEN is 2: the privileged manual's encoding; C.7 has M as 3
    assert table.PRIVILEGES == {0: "U", 1: "S", 3: "M"}


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("config", (RV64, RV32, RV32_S), ids=("64", "32", "34"))
def test_memory(op: int, config: Config) -> None:
    """Chapter 2, request and response; ruling 1: request byte is size<<4 | op, response byte result<<4 | size; ruling
    2: who has data.
    """
    assert len(table.OPERATIONS) == 14 and table.OPERATIONS[op].name == OPERATIONS[op]
    assert table.SIZES == (8, 16, 32, 64) and (table.SUCCESS, table.FAILURE) == (0, 1)
    for size in range(4):
        sent, back = (1 << size if op in group else 0 for group in (WITH_DATA, ANSWERED))
        data = 0x1122334455667788 & (1 << 8 * sent) - 1
        reply = 0x99AABBCCDDEEFF01 & (1 << 8 * back) - 1
        made = items.pack([items.Request(0x12345678, op, size, data), items.Response(size, 0, reply)], config)
        address = 0x12345678.to_bytes({64: 8, 32: 4, 34: 5}[config.mlen], "little")
        assert made == bytes([8]) + address + bytes([size << 4 | op]) + data.to_bytes(sent, "little") + bytes(
            [9, size]
        ) + reply.to_bytes(back, "little")
        assert items.pack([items.Request(0, op, size), items.Response(size, 1)], config)[-2:] == bytes(
            [9, 1 << 4 | size]
        )  # failed: no data
        # chapter 2, opcode 9, and 8 of the errata
        assert bits(9, op=op, size=size, result=0) == {0: 8, 1: 16, 2: 24, 4: 40, 8: 72}[back]
        assert bits(9, Config(response_data_on_failure=1), op=op, size=size, result=1) == 8 + 8 * back


def test_items_byte_by_byte() -> None:
    """Chapter 3: little endian. Opcode 5 has a signed 8-bit offset, opcode 6 an 8-bit mask."""
    i = items
    reported = [
        i.Begin(),
        i.Init(),
        i.Reset(),
        i.IncrementPc(),
        i.AddRegister(0x1005, -128),
        i.AddRegister(0xB00, 127),
        i.OrRegister(0x003, 0x80),
    ]
    reported += [
        i.Instruction(2, 0x8D0D),
        i.Instruction(4, 0x006281B3),
        i.State(10, 0x80),
        i.State(8, 1 << 63),
        i.State(9, 2),
        i.Register(0x1021, 1),
        i.End(),
    ]
    made = i.pack(reported, Config(xlen=32, flen=32, mlen=34))
    assert (
        made.hex(" ") == "01 0b 0a 03 05 05 10 80 05 00 0b 7f 06 03 00 80 10 0d 8d 11 b3 81 62 00 07 0a 80 00 00 00 "
        "07 08 00 00 00 00 00 00 00 80 07 09 02 00 00 00 00 04 21 10 01 00 00 00 02"
    )


def test_appendix_b() -> None:
    """Fields of TraceData: pc, instruction, gpr, fpr, four CSRs, addresses, store data, fcsr;
    and what the errata add.
    """
    fields = "pc insn gpr fpr csr paddr eaddr memdata fcsr mtime mcycle minstret priv reset init request response"
    assert set(fields.split()) <= set(TraceData._fields)
    widths = {one.name: (one.width, one.count) for one in table.COLUMNS}
    assert [widths[name] for name in ("gpr_addr", "fpr_addr", "csr_addr", "memdata_size")] == [
        (5, 1),
        (5, 1),
        (12, 4),
        (2, 1),
    ]
    assert [widths[name][0] for name in ("pc", "gpr", "fpr", "csr", "paddr", "eaddr", "mtime")] == [
        "xlen", "xlen", "flen", "xlen", "mlen", "mlen", 64,
    ]  # fmt: skip


@pytest.mark.parametrize("length,implied", [(4, 0), (2, 0), (4, 1), (2, 1)])
def test_appendix_d(length: int, implied: int) -> None:
    """Printed and corrected sizes; errata: 2 less for a 16-bit instruction, 1 less with an implied end. Row 17,
    interrupt, has none.
    """
    made = sizes(Config(implied_end=implied), length)
    assert [one.printed for one in made] == [printed for printed, _ in SIZES]
    assert [one.bytes for one in made] == [
        right - implied - (2 if length == 2 and k != 17 else 0) for k, (_, right) in enumerate(SIZES)
    ]


@pytest.mark.parametrize("name", EXAMPLES)
def test_appendix_c(name: str) -> None:
    """The bytes, and that they are whole items."""
    data = bytes.fromhex(EXAMPLES[name])
    assert errata.example(name) == data and errata.BYTES[name] == len(data) == LENGTHS.get(name, len(data))
    assert items.pack([item for _, item in items.items(data, RV64)], RV64) == data
    swaps, printed = PRINTED.get(name, ()), EXAMPLES[name]
    for right, wrong in zip(swaps[::2], swaps[1::2]):
        assert right in printed
        printed = printed.replace(right, wrong, 1)
    assert errata.as_printed(name) == bytes.fromhex(printed)


def test_errata() -> None:
    """Errata: ten rows, in their order."""
    rows = "C.2, C.7, C.8; C.4; C.5; C.5; C.7; C.7, C.8; C.8; chapter 2, opcode 9; Appendix B; Appendix D"
    assert "; ".join(one.where for one in errata.ERRATA) == rows


def test_implied_end_and_forms() -> None:
    """Ruling 4: an end is implied by the next begin. Ruling 3: opcode 3 advances by the length. Ruling 9: what a
    profile names.
    """
    rows = [
        TraceData(reset=True, pc=0x100),
        TraceData(pc=0x102, insn=(2, 1)),
        TraceData(pc=0x106, insn=(4, 0x13)),
        TraceData(group=False, flush=True),
    ]
    made = encode(Rows.from_rows(rows), Config(xlen=32, implied_end=1, incremental=INCREMENT)).data
    assert made.hex(" ") == "01 0a 07 0a 00 01 00 00 01 03 10 01 00 01 03 11 13 00 00 00 02"
    # MSIP, MTIP, SEIP, MEIP of the privileged manual
    assert profile.NONDETERMINISTIC["mip"] == 1 << 3 | 1 << 7 | 1 << 9 | 1 << 11
    assert {"mip", "mcycle", "time"} <= set(profile.NONDETERMINISTIC)
