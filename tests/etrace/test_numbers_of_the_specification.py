# SPDX-License-Identifier: Apache-2.0
"""Numbers read a second time from the specification, not from the table: packet fields, codes, predictor and
transport header of E-Trace.

Each expected number comes after the section it was read in. E2: Efficient Trace for RISC-V 2.0. D: payload chapter of
draft 0.026. EN: packet encapsulation 1.0. TCI: Trace Control Interface 1.0. Where a document has no number, a ruling
(ET-n) is named.
"""

from typing import Any

import numpy as np
import pytest

from rvtrace.models.etrace import table as packets
from rvtrace.models.etrace.codec import compress
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder import columns as decoder_columns
from rvtrace.models.etrace.decoder import kernel as decoder_kernel
from rvtrace.models.etrace.encoder import input as encoder_input
from rvtrace.models.etrace.encoder import kernel as encoder_kernel
from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from rvtrace.models.riscv import isa
from rvtrace.models.riscv.retired import PRIVILEGE, IType, Priv

WIDTHS: dict[str, Any] = {
    "context_width_p": 17,
    "time_width_p": 23,
    "notime_p": 0,
    "ecause_width_p": 5,
    "encoder_mode_n": 2,
    "ioptions_n": 7,
}
RATIFIED = Config(**WIDTHS, cache_size_p=6, return_stack_size_p=3, doptions_n=4, f0s_width_p=2)
DRAFT = Config.from_dict({"variant": "draft_0_026", **WIDTHS})
OFF = dict.fromkeys(packets.OPTIONS, 0)
ON = OFF | {"implicit_exception": 1}
# E2 7.6: iaddress_width_p - iaddress_lsb_p; irdepth: 3 + 1 + 0
TAIL = "address 63 notify 1 updiscon 1 irreport 1 irdepth 4"
SUPPORT = "subformat 2 ienable 1 encoder_mode 2 qual_status 2 ioptions 7"
WHO = "branch 1 privilege 3 time 23 context 17"
E2 = [  # packet, values its widths depend on, options, fields after format in order of transmission
    # 7.8, no address
    ("branch_count", {"format": 0, "subformat": 0, "branch_fmt": 0}, OFF, "subformat 2 branch_count 32 branch_fmt 2"),
    # 7.8, 10: addr
    ("branch_count", {"format": 0, "subformat": 0, "branch_fmt": 2}, OFF,
     "subformat 2 branch_count 32 branch_fmt 2 " + TAIL),
    # 7.8, 11: addr-fail
    ("branch_count", {"format": 0, "subformat": 0, "branch_fmt": 3}, OFF,
     "subformat 2 branch_count 32 branch_fmt 2 " + TAIL),
    # 7.8, no branch map
    ("jump_target", {"format": 0, "subformat": 1, "branches": 0}, OFF,
     "subformat 2 index 6 branches 5 irreport 1 irdepth 4"),
    # 7.8
    ("jump_target", {"format": 0, "subformat": 1, "branches": 9}, OFF,
     "subformat 2 index 6 branches 5 branch_map 15 irreport 1 irdepth 4"),
    ("branch_map", {"format": 1, "branches": 0}, OFF, "branches 5 branch_map 31"),  # 7.7, no address
    # 7.7, "if branches = 12, branch_map is 15 bits long"
    ("branch_map", {"format": 1, "branches": 12}, OFF, "branches 5 branch_map 15 " + TAIL),
    ("branch_map", {"format": 1, "branches": 31}, OFF, "branches 5 branch_map 31 " + TAIL),  # 7.7
    ("address", {"format": 2}, OFF, TAIL),  # 7.6
    ("start", {"format": 3, "subformat": 0}, OFF, f"subformat 2 {WHO} address 63"),  # 7.2
    # 7.3
    ("trap", {"format": 3, "subformat": 1, "interrupt": 0, "thaddr": 1}, OFF,
     f"subformat 2 {WHO} ecause 5 interrupt 1 thaddr 1 address 63 tval 64"),
    # 7.3.2
    ("trap", {"format": 3, "subformat": 1, "interrupt": 1, "thaddr": 0}, OFF,
     f"subformat 2 {WHO} ecause 5 interrupt 1 thaddr 1 address 63"),
    # 7.3: omitted
    ("trap", {"format": 3, "subformat": 1, "interrupt": 0, "thaddr": 1}, ON,
     f"subformat 2 {WHO} ecause 5 interrupt 1 thaddr 1 tval 64"),
    # 7.3
    ("trap", {"format": 3, "subformat": 1, "interrupt": 0, "thaddr": 0}, ON,
     f"subformat 2 {WHO} ecause 5 interrupt 1 thaddr 1 address 63 tval 64"),
    ("context", {"format": 3, "subformat": 2}, OFF, "subformat 2 privilege 3 time 23 context 17"),  # 7.4
    ("support", {"format": 3, "subformat": 3}, OFF, SUPPORT + " denable 1 dloss 1 doptions 4"),  # 7.5
]  # fmt: skip
D = [
    # table 1, "if branches = 12, the branch-map is 17 bits long"
    ("branch_map", {"format": 1, "branches": 12}, OFF, "branches 5 branch_map 17 address 63"),
    # table 2
    ("branch_map", {"format": 1, "branches": 0, "branch_fmt": 0}, OFF, "branches 5 branch_fmt 1 branch_map 31"),
    # table 3
    ("branch_map", {"format": 1, "branches": 0, "branch_fmt": 1}, OFF,
     "branches 5 branch_fmt 1 branch_count 16 no_mispred 1"),
    ("address", {"format": 2}, OFF, "address 63"),
    ("start", {"format": 3, "subformat": 0}, OFF, "subformat 2 context 17 privilege 3 branch 1 address 63"),
    ("trap", {"format": 3, "subformat": 1, "interrupt": 1}, OFF,
     "subformat 2 context 17 privilege 3 branch 1 address 63 ecause 5 interrupt 1 tval 64"),
    ("trap", {"format": 3, "subformat": 1, "interrupt": 0}, ON,
     "subformat 2 context 17 privilege 3 branch 1 ecause 5 interrupt 1 tval 64"),
    ("context", {"format": 3, "subformat": 2}, OFF, "subformat 2 context 17"),
    ("support", {"format": 3, "subformat": 3}, OFF, SUPPORT),
]  # fmt: skip


@pytest.mark.parametrize(
    "config, name, values, options, expected", [(RATIFIED, *row) for row in E2] + [(DRAFT, *row) for row in D]
)
def test_fields(config: Config, name: str, values: dict[str, int], options: dict[str, int], expected: str) -> None:
    assert set(packets.TABLES[config.variant].by_name) == {row[0] for row in (E2 if config is RATIFIED else D)}
    layout = packets.formats(config.variant)[name]
    assert layout.selector.items() <= values.items()
    widths = [(f.name, f.bits(config, values | {"options": options})) for f in layout.fields]
    assert " ".join(f"{field} {width}" for field, width in widths if width) == expected


def test_codes() -> None:
    assert packets.QUAL_STATUS == ("no_change", "ended_rep", "trace_lost", "ended_ntr")  # E2 7.5, D: 00 01 10 11
    assert packets.PRIVILEGE_NAMES == {0: "U", 1: "S", 3: "M", 4: "D", 5: "VU", 6: "VS"}  # E2 table 8, priv
    assert {p.name: PRIVILEGE[p] for p in Priv} == {"U": 0, "S": 1, "M": 3, "VU": 5, "VS": 6}  # E2 table 8
    reports = encoder_input.IMPRECISE, encoder_input.PRECISE, encoder_input.ASYNC
    # E2 table 9; ingress port of 2019, context_type
    assert reports == (1, 2, 3) and encoder_input.DRAFT_CTYPE.tolist() == [3, 2, 1, 0]
    names = (
        "NONE EXCEPTION INTERRUPT XRET NOT_TAKEN TAKEN UNINFERABLE_JUMP RESERVED UNINFERABLE_CALL INFERABLE_CALL"
        " UNINFERABLE_TAIL_CALL INFERABLE_TAIL_CALL"
    )
    assert [i.name for i in IType] == [
        *names.split(),
        "COROUTINE_SWAP",
        "RETURN",
        "OTHER_UNINFERABLE_JUMP",
        "OTHER_INFERABLE_JUMP",
    ]  # E2 table 7
    assert (packets.MAX_BRANCHES, packets.MAX_PAYLOAD) == (31, 31)  # E2 7.7; EN 2.1.1: length has 5 bits
    assert packets.OPTIONS[:5] == (
        "implicit_return",
        "implicit_exception",
        "full_address",
        "jump_target_cache",
        "branch_prediction",
    )  # reference encoder


@pytest.mark.parametrize("variant, uninferable, returns, nothing", [
    ("v2_0", {3, 6, 8, 10, 12, 13, 14}, {13}, 7),  # E2 table 7, ET-1
    # ingress port of 2019: 6 reserved, 7 co-routine, 12 uninferable and 13 inferable return
    ("draft_0_026", {3, 7, 8, 10, 12, 14}, {12, 13}, 6),
])  # fmt: skip
def test_itypes(variant: str, uninferable: set[int], returns: set[int], nothing: int) -> None:
    kinds = encoder_input._kinds(variant)
    for flag, expected in (
        (encoder_kernel.UNINFERABLE, uninferable),
        (encoder_kernel.RETURN, returns),
        (encoder_kernel.CALL, {8, 9}),
        (encoder_kernel.BRANCH, {4, 5}),
    ):
        assert set(np.flatnonzero(kinds & flag).tolist()) == expected
    assert (
        set(np.flatnonzero(kinds == 0).tolist()) == {0, 1, 2, nothing}
        and kinds[4] & encoder_kernel.NOT_TAKEN
        and not kinds[5] & encoder_kernel.NOT_TAKEN
    )


@pytest.mark.parametrize("rd, rs1, code", [  # E2 4.1.1, jalr rd, rs1
    (1, 1, 8), (5, 5, 8), (1, 7, 8), (5, 10, 8), (1, 5, 12), (5, 1, 12), (0, 1, 13), (0, 5, 13), (7, 1, 13), (0, 7, 10),
    (7, 6, 14),
    (0, 0, 10), (1, 0, 8), (7, 0, 14),  # rs1 = x0: uninferable (ET-1)
])  # fmt: skip
def test_jalr(rd: int, rs1: int, code: int) -> None:
    assert isa.itype(isa.decode(0x1000, rs1 << 15 | rd << 7 | 0x67, 64), "v2_0") == code
    assert isa.itype(isa.decode(0x1000, rd << 7 | 0x6F, 64), "v2_0") == {0: 11, 1: 9, 5: 9, 7: 15}[rd]  # jal rd


def test_predictor() -> None:
    """E2 3.2.6: 00 and 01 predict not taken, 11 and 10 taken; [state][taken]; entries begin as 01."""
    encoder = tuple(tuple(encoder_kernel.trained(state, taken) for taken in range(2)) for state in range(4))
    assert decoder_columns.TRAIN == encoder == ((0b00, 0b01), (0b00, 0b11), (0b00, 0b11), (0b10, 0b11))
    assert decoder_kernel.WEAKLY_NOT_TAKEN == encoder_kernel.WEAK == 0b01


def test_limits() -> None:
    # E2 7.8, D table 3: the count is sent minus 31
    assert RATIFIED.max_pbc == 31 + 0xFFFF_FFFF and DRAFT.max_pbc == 31 + 0xFFFF
    assert Config(inst_sync_max=3).sync_interval == 1 << 7  # TCI trTeInstSyncMax: 2^(this + 4)
    irdepth = packets.formats("v2_0")["address"].fields[-1]
    assert irdepth.bits(Config(return_stack_size_p=0, call_counter_size_p=7), {}) == 7  # E2 7.6.3


@pytest.mark.parametrize("payload, length, expected", [
    (0, 70, "00"), ((1 << 70) - 1, 70, "ff"), (0x7F, 70, "7f"), (0x80, 70, "8000"), (0x80, 8, "80"), (0x3F, 6, "ff"),
    ((1 << 70) - 0x81, 70, "7fff"),
])  # fmt: skip
def test_sign_based_compression(payload: int, length: int, expected: str) -> None:
    # E2 chapter 7: identical top bits go, whole bytes, the last bit sent is the sign
    assert compress(payload, length).hex() == expected


def test_headers() -> None:
    """EN 2.1.1 and E2 chapter 7: length 5 bits, flow 2, then 1 for a timestamp; index; 2 bytes of time. ATB: length,
    then 1 for a timestamp.
    """
    messaging, atb = Config(flow=2, timestamp=1, index_width=8), Config(encapsulation="atb", timestamp=1)
    assert encapsulate([b"\x1f\x2f\x3f"], [False], [0x1234], messaging).hex() == "c3" + "00" + "3412" + "1f2f3f"
    assert encapsulate([b"\x1f\x2f\x3f"], [False], [0x1234], atb).hex() == "23" + "3412" + "1f2f3f" + "0000"
    # E2 chapter 7: 2^N zero bytes, N = 5
    assert encapsulate([b"\x1f"], [True], [0], Config(framing="zeros")).hex() == "00" * 32 + "01" + "1f"
