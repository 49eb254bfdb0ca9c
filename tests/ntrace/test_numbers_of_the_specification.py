# SPDX-License-Identifier: Apache-2.0
"""The numbers of N-Trace, taken a second time from its text (1.0.0_rc7 and the ratified 1.0) and not from our table.

TCODEs, fields, widths, codes and the printed examples, each with its section, held against models, itype table and
scoreboard.
"""

from typing import Any, cast

import pytest

from rvtrace.models.common.messages import VARIABLE
from rvtrace.models.ntrace import table as kinds
from rvtrace.models.ntrace.codec import pack, unpack
from rvtrace.models.ntrace.config import MODES, Config, ConfigError
from rvtrace.models.ntrace.decoder.context import Context, ownership
from rvtrace.models.ntrace.encoder import kernel as b
from rvtrace.models.ntrace.table import TABLES, message
from rvtrace.models.riscv.isa import decode, itype
from rvtrace.scoreboards.ntrace import legal, legal_framing
from rvtrace.scoreboards.ntrace import legal_options as options
from rvtrace.scoreboards.ntrace import table as t

# Table 8 and section 7: TCODE, then the fields in the order they are sent; a number is the width of a fixed one, the
# others are variable.
MESSAGES = {
    2: "Ownership PROCESS",
    3: "DirectBranch I-CNT",
    4: "IndirectBranch B-TYPE:2 I-CNT U-ADDR",
    8: "Error ETYPE:4 ECODE",
    9: "ProgTraceSync SYNC:4 I-CNT F-ADDR",
    11: "DirectBranchSync SYNC:4 I-CNT F-ADDR",
    12: "IndirectBranchSync SYNC:4 B-TYPE:2 I-CNT F-ADDR",
    27: "ResourceFull RCODE:4 RDATA HREPEAT",
    28: "IndirectBranchHist B-TYPE:2 I-CNT U-ADDR HIST",
    29: "IndirectBranchHistSync SYNC:4 B-TYPE:2 I-CNT F-ADDR HIST",
    30: "RepeatBranch B-CNT",
    33: "ProgTraceCorrelation EVCODE:4 CDF:2 I-CNT HIST",
}
# table 10, Maximum Field Sizes; chapter 3, of any field
SIZES = {"I-CNT": 22, "F-ADDR": 63, "U-ADDR": 63, "HIST": 32, "PROCESS": 64}
# Tables 25 (8, 10..13 reserved, 14, 15 vendor's), 9, 23 (2, 3, 5..7 reserved), 15 (1..7 reserved), 19 (3..7 reserved);
# from 8 on, these three are vendor's.
CODES = {
    "sync": {0, 1, 2, 3, 4, 5, 6, 7, 9},
    "btype": {0, 1, 2, 3},
    "evcode": {0, 1, 4},
    "etype": {0},
    "rcode": {0, 1, 2},
}
VENDORS = {"sync": {14, 15}, "evcode": set(range(8, 16)), "etype": set(range(8, 16)), "rcode": set(range(8, 16))}


@pytest.mark.parametrize("variant", ["rc7", "v1_0"])
def test_messages(variant: str) -> None:
    table = TABLES[variant].by_code
    assert kinds.TCODE_BITS == 6
    # 56..62: vendor-defined
    assert set(table) == set(MESSAGES) | set(range(56, 63)) and list(kinds.VENDOR_TCODES) == list(range(56, 63))
    for tcode, text in MESSAGES.items():
        name, *fields = text.split()
        kind = cast(kinds.MessageType, table[tcode])
        assert kind.name == name
        assert [f.name if f.width == VARIABLE else f"{f.name}:{f.width}" for f in kind.own] == fields
        assert (kind.fields[0].name, kind.fields[-1].name) == ("SRC", "TSTAMP")  # 3.2: after TCODE; 8.7: the last
        for field in kind.own:
            if field.name in SIZES:
                assert field.max_bits == SIZES[field.name]
            assert field.is_address == field.name.endswith("ADDR")  # 8.1: bit 0 is never sent
    repeats = {
        f.name: cast(int, f.max_bits) for m in table.values() for f in m.fields if f.name in ("HREPEAT", "B-CNT")
    }
    assert set(repeats.values()) == {18} if variant == "v1_0" else min(repeats.values()) > 18  # v1_0 only: 18 bits
    hrepeat, hist = table[27].field("hrepeat"), table[33].field("hist")
    assert [code for code in range(16) if hrepeat.present(None, {"rcode": code})] == [2]
    assert [code for code in range(4) if hist.present(None, {"cdf": code})] == [1]


def test_codes() -> None:
    assert {key: set(names) for key, names in kinds.VALUE_NAMES.items()} == CODES
    assert {key: set(codes) for key, codes in kinds.VENDOR_CODES.items()} == VENDORS
    assert list(kinds.RESERVED_RCODES) == list(range(3, 16))
    assert (b.SYNC_EXTERNAL, b.SYNC_RESET, b.SYNC_PERIODIC, b.SYNC_DEBUG_EXIT, b.SYNC_ICNT, b.SYNC_ENABLE) == (
        0, 1, 2, 3, 4, 5,
    )  # fmt: skip
    assert (b.SYNC_EVENT, b.SYNC_OVERRUN, b.SYNC_POWER, b.EV_DEBUG, b.EV_LOW_POWER, b.EV_DISABLED) == (6, 7, 9, 0, 1, 4)
    assert (b.FORMAT_PRIV, b.FORMAT_SCONTEXT, b.FORMAT_HCONTEXT) == (0b00, 0b10, 0b11)  # table 12
    assert (b.COUNTER, b.PARTIAL, b.WHOLE) == (1, 2, 3)  # 9.2
    assert (b.RCODE_ICNT, b.RCODE_HIST, b.RCODE_REPEATED, b.ETYPE_OVERRUN) == (0, 1, 2, 0)
    assert (b.ECODE_PROGRAM, b.ECODE_OWNERSHIP, b.ECODE_VENDOR) == (1 << 2, 1 << 3, 1 << 7)  # table 15
    assert (
        t.TC_OWNERSHIP, t.TC_DIRECT, t.TC_INDIRECT, t.TC_ERROR, t.TC_SYNC, t.TC_DIRECT_SYNC, t.TC_INDIRECT_SYNC,
    ) == (2, 3, 4, 8, 9, 11, 12)  # fmt: skip
    assert (t.TC_FULL, t.TC_HIST, t.TC_HIST_SYNC, t.TC_REPEAT, t.TC_CORRELATION, t.FIRST_VENDOR) == (
        27, 28, 29, 30, 33, 56,
    )  # fmt: skip
    assert ~legal.RESERVED_ECODE == 0b1000_1100
    assert (options.OWNERSHIP_LOST, options.VENDOR_LOST) == (1 << 3, 1 << 7)
    # longest message in bytes, MDO of 6 bits: TCODE, SRC 12, SYNC, B-TYPE and I-CNT together, then F-ADDR, HIST, TSTAMP
    # (3, table 10)
    assert sum(-(-bits // 6) for bits in (6 + 12 + 4 + 2 + 22, 63, 32, 64)) == legal_framing.LONGEST


@pytest.mark.parametrize(
    "name, most",
    [
        ("icnt_bits", 22),
        ("hist_bits", 32),
        ("src_bits", 12),
        ("repeat_bits", 18),
        ("ts_width", 64),
        ("stack_depth", 32),
        ("inst_sync_max", 15),
        ("inst_sync_mode", 3),
        ("implicit_return", 3),
        ("ts_prescale", 3),
    ],
)
def test_limits_of_the_configuration(name: str, most: int) -> None:
    """Table 10; 9.2 (at most 32 levels); trTeInstSyncMax and the other codes have the widths of
    their register fields.
    """
    assert getattr(Config(**cast(Any, {name: most})), name) == most
    with pytest.raises(ConfigError):
        Config(**cast(Any, {name: most + 1}))


def test_modes_and_intervals() -> None:
    """Table 7 (trTeInstMode 3 and 6), trTeInstSyncMax 2^(n + 4), 8.2 (extension up to bit 63 or 31 of the address, of
    which bit 0 is not sent).
    """
    assert MODES == {"btm": 3, "htm": 6} and [
        Config(inst_sync_mode=1, inst_sync_max=n).sync_interval for n in (0, 15)
    ] == [16, 1 << 19]
    assert [Config(xlen=xlen, extend_addr_msb=1).address_bits for xlen in (64, 32)] == [63, 31]


def test_process() -> None:
    """7.1: {CONTEXT, V, PRV, FORMAT}, and its two examples; V=1 PRV=00 is VU, written 4 here."""
    assert ownership(0x3B2, Context())[0] == Context(priv=0b1_00, context=0x1D)
    assert ownership(0xC, Context())[0] == Context(priv=0b0_11)


ADDRESSES = [  # 8.2.1: the bytes as MDO_MSEO, the F-ADDR field as sent, the address
    ("111111_00 " * 5 + "011111_01", 0x7_FFFF_FFFF, 0xF_FFFF_FFFE),
    ("111111_00 " * 4 + "011111_00 111100_01", 0xF_1FFF_FFFF, 0xFFFF_FFFE_3FFF_FFFE),
    ("111111_00 " * 6 + "000000_01", 0xF_FFFF_FFFF, 0x1F_FFFF_FFFE),
    ("111111_00 " * 10 + "000101_01", 0x5FFF_FFFF_FFFF_FFFF, 0xBFFF_FFFF_FFFF_FFFE),
]


@pytest.mark.parametrize("text, faddr, address", ADDRESSES)
def test_extended_addresses(text: str, faddr: int, address: int) -> None:
    sent = bytes(int(byte.replace("_", ""), 2) for byte in text.split())
    assert sum((byte >> 2) << 6 * place for place, byte in enumerate(sent)) == faddr
    stream = bytes([29 << 2, 2 << 2, 1, *sent, 1 << 2 | 3])  # TCODE; SYNC=2, B-TYPE=0; I-CNT=0; F-ADDR; HIST=1
    assert pack(message("IndirectBranchHistSync", 2, 0, 0, address >> 1, 1), address_bits=63) == stream
    (got,), damage = unpack(stream, Config(extend_addr_msb=1))
    assert not damage and got.body == (2, 0, 0, address >> 1, 1)


def test_printed_bytes() -> None:
    """Tables 6 and 24; 8.2: the F-ADDR of a kernel address takes 11 bytes, after TCODE, SYNC and I-CNT in 2."""
    assert pack(message("IndirectBranchHist", 0, 0x7D, 7, 0xFFE)).hex() == "70d01d1df8ff"
    assert len(pack(message("ProgTraceSync", 5, 0, 0x7FFF_FFFF_C000_18FA))) == 2 + 11
    begin = pack(message("ProgTraceSync", 5, 0, 0x1FE02))  # 1_1111 111000 000010, six bits a byte
    assert [byte >> 2 for byte in begin[2:]] == [0x02, 0x38, 0x1F]
    steps = [pack(message("IndirectBranch", 0, 1, uaddr)) for uaddr in (0x7B6, 0x934)]
    messages, damage = unpack(begin + b"".join(steps), Config(mode="btm"))
    assert not damage and [m.body[-1] << 1 for m in messages] == [0x3FC04, 0x3FC04 ^ 0x3F368, 0x3F368 ^ 0x3E100]


# Table 2: instruction, then itype in rc7 and in v1_0. Operands: jal 0x6F, jalr 0x67; rd in bits 11:7, rs1 in 19:15;
# link is x1 or x5.
def jal(rd: int) -> int:
    return 0x6F | rd << 7


def jalr(rd: int, rs1: int) -> int:
    return 0x67 | rd << 7 | rs1 << 15


ITYPES = [
    (0x0010_0073, 1, 1),
    (0x0000_0073, 1, 1),
    (0x9002, 1, 1),  # ebreak, ecall, c.ebreak
    (0x3020_0073, 3, 3),
    (0x1020_0073, 3, 3),
    (0x0000_0013, 0, 0),  # mret, sret, addi
    (jal(1), 9, 9),
    (jal(5), 9, 9),
    (jal(0), 15, 11),
    (jal(6), 15, 15),
    (jalr(1, 6), 8, 8),
    (jalr(5, 0), 8, 8),
    (jalr(1, 5), 12, 12),
    (jalr(5, 1), 12, 12),
    (jalr(1, 1), 8, 8),
    (jalr(5, 5), 8, 8),
    (jalr(0, 1), 13, 13),
    (jalr(6, 5), 13, 13),
    (jalr(0, 6), 14, 10),
    (jalr(7, 6), 14, 14),
    (0x9002 | 5 << 7, 12, 12),
    (0x9002 | 1 << 7, 8, 8),
    (0x9002 | 6 << 7, 8, 8),  # c.jalr
    (0x8002 | 1 << 7, 13, 13),
    (0x8002 | 5 << 7, 13, 13),
    (0x8002 | 6 << 7, 14, 10),  # c.jr
    # c.j, cm.jt 0, cm.jalt 32, cm.popret, cm.popretz
    (0xA001, 15, 11),
    (0xA002, 0, 11),
    (0xA082, 9, 9),
    (0xBE42, 13, 13),
    (0xBC42, 13, 13),
]


def test_itype() -> None:
    for raw, rc7, ratified in ITYPES:
        insn = decode(0x1000, raw, 64, entry=lambda index: 0x2000)
        assert (int(itype(insn, "rc7")), int(itype(insn, "v1_0"))) == (rc7, ratified), hex(raw)
    # c.jal, of RV32 alone
    assert int(itype(decode(0x1000, 0x2001, 32), "rc7")) == int(itype(decode(0x1000, 0x2001, 32), "v1_0")) == 9
    assert [int(itype(decode(0x1000, 0x0000_0063, 64), "v1_0", taken)) for taken in (False, True)] == [4, 5]


def test_a_queue_has_room_for_a_beat() -> None:
    """5 messages a lane and 1 (docs/reference/ntrace-profile.md)."""
    assert Config(blocks=1, fifo_depth=8).fifo_depth == 8
    with pytest.raises(ConfigError, match=r"FIFO_DEPTH=8 has no room for the 11 messages .* give FIFO_DEPTH=16"):
        Config(blocks=2, fifo_depth=8)
