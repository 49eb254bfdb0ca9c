# SPDX-License-Identifier: Apache-2.0
"""Addresses whose MSBs are left out (8.2): the printed encodings, and U-ADDR extended before the XOR."""

import pytest

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from tests.common.packers import mdo_groups, mdo_message
from tests.ntrace.trace_writer import Writer

# MDO groups of F-ADDR as 8.2.1 prints them, the address they mean
PRINTED = [
    ("111111 111111 111111 111111 111111 011111", 0xF_FFFF_FFFE),
    ("111111 111111 111111 111111 011111 111100", 0xFFFF_FFFE_3FFF_FFFE),
    ("111111 111111 111111 111111 111111 111111 000000", 0x1F_FFFF_FFFE),
    ("111111 " * 10 + "000101", 0xBFFF_FFFF_FFFF_FFFE),
]
KERNEL = 0xFFFF_FFFF_8000_31F4  # section 8.2


def program(*places: int, xlen: int = 64) -> Program:
    """c.jr at each place."""
    b = ProgramBuilder(xlen, 0x1000)
    for place in places:
        b.org(place)
        b.c_jr(10)
    return b.build()


def field(groups: str) -> bytes:
    """MDO groups, least significant first as printed, the last one ending the message."""
    return mdo_message([[int(group, 2) for group in groups.split()]])


@pytest.mark.parametrize("groups, address", PRINTED)
def test_8_2_1(groups: str, address: int) -> None:
    data = bytes.fromhex("24 15") + field(groups)
    config = Config(extend_addr_msb=1)
    trace = decode(data, program(0x2000), config)
    assert [event.target for event in trace.events] == [address] and not trace.diagnostics


@pytest.mark.parametrize("groups, address", PRINTED)
def test_without_the_option_nothing_is_extended(groups: str, address: int) -> None:
    bits = "".join(reversed(groups.split()))
    trace = decode(bytes.fromhex("24 15") + field(groups), program(0x2000), Config())
    assert trace.events[0].target == int(bits, 2) << 1
    assert (trace.events[0].target == address) == (bits[0] == "0")


@pytest.mark.parametrize("extend", [0, 1])
def test_jumps_between_kernel_and_user_code(extend: int) -> None:
    """U-ADDR is extended, then XORed with the last address: there and back."""
    w = Writer(program(KERNEL, 0x1_0000, 0x7FFF_FFFF_F000), extend_addr_msb=extend).start(KERNEL)
    for target in (0x1_0000, KERNEL, 0x7FFF_FFFF_F000, KERNEL, KERNEL):
        w.jump(target)
    w.sync(2).jump(0x1_0000).stop().check()


def test_it_saves_bytes() -> None:
    """8.2: F-ADDR of the kernel takes 11 bytes as it is, 6 with its MSBs left out."""
    sizes = [len(Writer(program(KERNEL), extend_addr_msb=extend).start(KERNEL).data) for extend in (0, 1)]
    assert sizes == [2 + 11, 2 + 6]


@pytest.mark.parametrize("address", [0x8000_0000, 0xFFFF_FFF0, 0x7FFF_FFFE, 0x1000, 0x4000_0000])
def test_rv32(address: int) -> None:
    """RV32: up to bit 31."""
    w = Writer(program(address, 0x2000, xlen=32), extend_addr_msb=1).start(address).jump(0x2000).jump(address).stop()
    assert w.check().events[0].target == address


def test_any_number_of_msbs_may_be_left_out() -> None:
    """An encoder may send more groups than it needs, as long as the top bit sent is that of those left out."""
    for groups in range(6, 12):
        data = bytes.fromhex("24 15") + mdo_message([mdo_groups(KERNEL >> 1, groups)])
        trace = decode(data, program(0x2000), Config(extend_addr_msb=1))
        assert [event.target for event in trace.events] == [KERNEL], groups


def test_address_beyond_xlen() -> None:
    w = Writer(program(0x2000, xlen=32), extend_addr_msb=1).start(0x2000)
    w.data += bytes.fromhex("24 09") + field("000000 " * 5 + "000101")  # 33 bits, top bit 0
    assert [d.clause for d in w.decode().diagnostics] == ["NT.8.1.xlen"]
