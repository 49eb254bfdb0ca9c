# SPDX-License-Identifier: Apache-2.0
"""Published payloads, and the branch_map of every length at its boundaries, bit by bit."""

import itertools
from typing import Any

import pytest

from rvtrace.models.etrace.codec import PacketError, is_shortest, pack, unpack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import Packet, map_length
from tests.common.packers import lsb_first
from tests.etrace.layouts import MAP_BITS, cut, payload

# Parameters of the published vectors.
PUBLISHED = Config(privilege_width_p=2, ecause_width_p=5, itype_width_p=3)
START = {"format": 3, "subformat": 0, "branch": 1, "privilege": 3, "context": 0}
NO_FLAGS = {"notify": 0, "updiscon": 0, "irreport": 0, "irdepth": None}
SUPPORT = {"format": 3, "subformat": 3, "encoder_mode": 0, "ioptions": 0, "denable": 0, "dloss": 0}
VECTORS = [  # specs/etrace.md, checked there against two independent decoders
    ("1f", "support", SUPPORT | {"ienable": 1, "qual_status": 0}),
    ("73 00 00 00 00 00 04", "start", START | {"address": 0x1000 >> 1}),
    ("02 e0 ff ff 00", "address", {"format": 2, "address": 0x7FFFF000 >> 1} | NO_FLAGS),
    ("85 2d 00 00 00 00 00 00 00 ff", "branch_map",
     {"format": 1, "branches": 1, "branch_map": 1, "address": 0x5A >> 1} | NO_FLAGS | {"updiscon": 1}),
    ("77 00 00 00 00 21 07 00 00 10", "trap",
     START | {"subformat": 1, "ecause": 2, "interrupt": 0, "thaddr": 1, "address": 0x80000038 >> 1, "tval": 0}),
    ("f2", "address", {"format": 2, "address": -4} | NO_FLAGS),
    ("4f", "support", SUPPORT | {"ienable": 0, "qual_status": 1}),
]  # fmt: skip


@pytest.mark.parametrize("text, name, values", VECTORS, ids=[text for text, _, _ in VECTORS])
def test_published(text: str, name: str, values: dict[str, Any]) -> None:
    data = bytes.fromhex(text)
    assert unpack(data, PUBLISHED) == Packet(name, values)
    assert pack(Packet(name, values), PUBLISHED) == data
    assert payload(name, values, PUBLISHED, PUBLISHED.options) == data
    assert is_shortest(data)


# Branches and bits of branch_map; 0 means 31 without an address.
LENGTHS = [(variant, branches, bits.get(branches, 31)) for variant, bits in MAP_BITS.items() for branches in range(32)]
NARROW: dict[str, Any] = {"iaddress_width_p": 32, "return_stack_size_p": 0, "bcount_bits": 16}


@pytest.mark.parametrize("variant, branches, length", LENGTHS)
@pytest.mark.parametrize("fill", [0, 1, 0x2AAAAAAA, 0x7FFFFFFF])
def test_branch_map_lengths(variant: str, branches: int, length: int, fill: int) -> None:
    """Format 1 by hand: 01, branches, (draft without address: branch_fmt 0), the map, then an address and, in v2_0,
    three flags.
    """
    config = Config(variant=variant, **NARROW)
    v: dict[str, Any] = {"format": 1, "branches": branches, "branch_map": fill & (1 << length) - 1}
    bits = lsb_first(1, 2) + lsb_first(branches, 5)
    if branches:
        v["address"] = 0x12345
        bits += lsb_first(v["branch_map"], length) + lsb_first(0x12345, 31)
        if variant == "v2_0":
            v |= {"notify": 0, "updiscon": 0, "irreport": 0}
            bits += "000"
    else:
        if variant == "draft_0_026":
            v["branch_fmt"] = 0
            bits += "0"
        bits += lsb_first(v["branch_map"], 31)
    assert pack(Packet("branch_map", v), config) == cut(bits)
    assert unpack(cut(bits), config) == Packet("branch_map", v)
    assert map_length(variant, branches or 31) == length


@pytest.mark.parametrize("branches, length", MAP_BITS["v2_0"].items())
def test_branch_map_lengths_with_a_cache_index(branches: int, length: int) -> None:
    """Format 0.1 has the same lengths, and no map for 0 branches; irreport differs from the last bit before it."""
    config = Config(jump_target_cache=1)
    full = (1 << length) - 1
    v = {"format": 0, "subformat": 1, "index": 21, "branches": branches, "branch_map": full, "irreport": 1}
    v["irdepth"] = 9
    bits = "00" + "1" + lsb_first(21, 5) + lsb_first(branches, 5) + "1" * length + "0" + lsb_first(9, 5)
    assert pack(Packet("jump_target", v), config) == cut(bits)
    assert unpack(cut(bits), config) == Packet("jump_target", v)


def test_cache_index_without_branches() -> None:
    config = Config(jump_target_cache=1)
    v = {"format": 0, "subformat": 1, "index": 31, "branches": 0, "irreport": 0, "irdepth": None}
    assert pack(Packet("jump_target", v), config) == bytes.fromhex("fc 00")  # 00 1 11111, then only zeros
    assert unpack(bytes.fromhex("fc 00"), config) == Packet("jump_target", v)


def test_more_than_31_branches() -> None:
    with pytest.raises(ValueError, match="32 branches do not fit"):
        map_length("v2_0", 32)


@pytest.mark.parametrize("msb, notify, updiscon, irreport", list(itertools.product((0, 1), repeat=4)))
def test_status_bits_are_a_chain_of_differences(msb: int, notify: int, updiscon: int, irreport: int) -> None:
    """Each of notify, updiscon, irreport is encoded by differing from the bit before; irdepth repeats irreport when it
    says nothing (ET-14).
    """
    config = Config(iaddress_width_p=32, return_stack_size_p=2)
    v: dict[str, Any] = {
        "format": 2,
        "address": -(1 << 30) if msb else 5,
        "notify": notify,
        "updiscon": updiscon,
        "irreport": irreport,
    }
    first, second, third = msb ^ notify, msb ^ notify ^ updiscon, msb ^ notify ^ updiscon ^ irreport
    depth = lsb_first(3, 3) if irreport else str(third) * 3
    sent = "01" + (lsb_first(1 << 30, 31) if msb else lsb_first(5, 31)) + f"{first}{second}{third}" + depth
    v["irdepth"] = 3 if irreport else None
    assert pack(Packet("address", v), config) == cut(sent)
    assert unpack(cut(sent), config) == Packet("address", v)


def test_format_0_without_a_subformat() -> None:
    """f0s_width_p = 0: one option alone needs no field; which format 0 it is follows from the options."""
    counted = Config(f0s_width_p=0, cache_size_p=0, branch_prediction=1, return_stack_size_p=0)
    assert pack(
        Packet("branch_count", {"format": 0, "subformat": 0, "branch_count": 5, "branch_fmt": 0}), counted
    ) == bytes([5 << 2])
    assert unpack(bytes([5 << 2]), counted).values == {"format": 0, "subformat": 0, "branch_count": 5, "branch_fmt": 0}
    cached = Config(f0s_width_p=0, bpred_size_p=0, jump_target_cache=1, return_stack_size_p=0)
    hit = {"format": 0, "subformat": 1, "index": 7, "branches": 0, "irreport": 0}
    assert pack(Packet("jump_target", hit), cached) == bytes([7 << 2])
    assert unpack(bytes([7 << 2]), cached).values == hit
    with pytest.raises(PacketError, match="format 0"):
        unpack(bytes([5 << 2]), Config(f0s_width_p=0, cache_size_p=0))


def test_options_in_force() -> None:
    """A packet is read with the options in force, not with those of the start: full addresses have no sign, implicit
    exceptions no address.
    """
    config = Config(iaddress_width_p=32, return_stack_size_p=0)
    packed = cut("01" + lsb_first(0x7FFFFFFF, 31) + "111")
    assert unpack(packed, config).get("address") == -1
    assert unpack(packed, config, config.options | {"full_address": 1}).get("address") == 0x7FFFFFFF
    trap = {
        "format": 3,
        "subformat": 1,
        "branch": 1,
        "privilege": 3,
        "context": 0,
        "ecause": 5,
        "interrupt": 1,
        "thaddr": 1,
    }
    implicit = config.options | {"implicit_exception": 1}
    assert unpack(pack(Packet("trap", trap), config, implicit), config, implicit) == Packet("trap", trap)
