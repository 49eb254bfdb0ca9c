# SPDX-License-Identifier: Apache-2.0
"""Coverage of E-Trace: which bins hand-made packets and beats hit, and that every point says what it is for."""

from types import SimpleNamespace

import numpy as np
import pytest

from rvtrace.models.etrace.codec import pack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import Packet
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.tb.etrace.coverage.points import ETRACE, POINTS
from rvtrace.tb.etrace.coverage.sampling import kind, sample

TAIL = {"notify": 0, "updiscon": 0, "irreport": 0, "irdepth": None}
START = Packet("start", {"format": 3, "subformat": 0, "branch": 1, "privilege": 3, "context": 0x1234, "address": 0x800})


def program():
    built = ProgramBuilder(64, 0x1000)
    for _ in range(64):
        built.beq(8, 9, "end")
    built.label("end")
    return built.build()


def covered(packets=(), config=None, beats=None, reasons=(), taken=(), first_pc=None):
    """Counts of a capture of these packets and these beats, sent for these reasons."""
    config = config or Config()
    n = len(packets)
    capture = EtraceCapture(config, program(), packets=[pack(p, config) for p in packets], beats=beats)
    pcs = np.full(len(taken), 0x1000, dtype=np.uint64)
    decoded = SimpleNamespace(
        packets=list(packets),
        options=[config.ioptions] * n,
        diagnostics=[],
        pcs=pcs,
        taken=np.array(taken, dtype=np.int8),
        first_pc=np.array(first_pc or [0] * n),
    )
    encoded = (
        SimpleNamespace(packets=list(packets), reasons=list(reasons), beat=[0] * n, options=[config.ioptions] * n)
        if reasons
        else None
    )
    return sample(capture, decoded, encoded)


def address(value, **flags):
    return Packet("address", {"format": 2, "address": value, **TAIL, **flags})


def branch_map(branches, bits, value=1):
    return Packet(
        "branch_map",
        {"format": 1, "branches": branches, "branch_map": bits, **({"address": value, **TAIL} if branches else {})},
    )


def count(value, fmt):
    values = {"format": 0, "subformat": 0, "branch_count": value, "branch_fmt": fmt}
    return Packet("branch_count", values | ({"address": 4, **TAIL} if fmt else {}))


def test_maps_and_lengths():
    hit = covered([branch_map(1, 0), branch_map(16, 0xFFFF), branch_map(0, 5)])
    assert hit["branches_cg"] == {"1 x v2_0": 1, "16 x v2_0": 1, "31 without address x v2_0": 1}
    assert hit["map_cg"] == {"v2_0 1 bits x all taken": 1, "v2_0 31 bits x none taken": 1, "v2_0 31 bits x mixed": 1}
    assert hit["packet_cg"] == {"branch map, address x v2_0": 2, "branch map, no address x v2_0": 1}
    assert sum(hit["length_cg"].values()) == 3


@pytest.mark.parametrize(
    "value, sign, size",
    [
        (0, "positive", 1),
        (127, "positive", 1),
        (128, "positive", 2),
        (-128, "negative", 1),
        (-129, "negative", 2),
        (1 << 61, "positive", 8),
    ],
)
def test_differences_need_a_bit_of_sign(value, sign, size):
    assert covered([address(value)])["difference_cg"] == {f"address x {sign} x RV64 x {size}": 1}


def test_status_bits_and_full_addresses():
    hit = covered([address(5, notify=1), address(-5, updiscon=1, irreport=1, irdepth=16), address(0)])
    assert hit["flag_cg"] == {
        "notify x address x 0": 1,
        "updiscon and irreport x address x 1": 1,
        "none x address x 0": 1,
    }
    full = covered([address((1 << 63) - 2)], Config(full_address=1))
    assert full["full_address_cg"] == {"address x RV64 x 1": 1} and full["flag_cg"] == {"none x address x 1": 1}


def test_counts_and_depths():
    config = Config(branch_prediction=1, bcount_bits=3, implicit_return=1, return_stack_size_p=1)
    packets = [count(0, 0), count(7, 2), count(3, 3), address(2, irreport=1, irdepth=2)]
    hit = covered(
        packets, config, reasons=["ET.alg.mispredicted", "ET.alg.count_full", "ET.alg.notify", "ET.opt.misreturn"]
    )
    assert hit["count_cg"] == {
        "0 x branch count x v2_0": 1,
        "greatest x branch count, address x v2_0": 1,
        "1 to 15 x branch count, address of a failed branch x v2_0": 1,
    }
    assert hit["depth_cg"] == {"stack of 2 x 2 x a mispredicted return": 1}


def test_syncs_ends_and_what_comes_before_them():
    packets = [
        START,
        branch_map(2, 1),
        START,
        address(1),
        Packet(
            "support",
            {
                "format": 3,
                "subformat": 3,
                "ienable": 1,
                "encoder_mode": 0,
                "qual_status": 1,
                "ioptions": 0,
                "denable": 0,
                "dloss": 0,
            },
        ),
    ]
    hit = covered(
        packets,
        Config(inst_sync_mode=3),
        reasons=["ET.alg.first", "ET.alg.before_sync", "ET.alg.resync", "ET.alg.last", "ET.alg.ended"],
        taken=[1, 0, -1],
        first_pc=[0, 1, 2, 3, 3],
    )
    assert hit["sync_cg"] == {"ET.alg.first x nothing": 1, "ET.alg.resync x a map or count": 1}
    assert hit["resync_cg"] == {"half-words x branches": 1} and hit["end_cg"] == {
        "ended_rep behind the last address x v2_0": 1
    }
    assert hit["branch_bit_cg"] == {"start x taken x v2_0": 1, "start x not a branch x v2_0": 1}
    assert hit["field_bytes_cg"] == {"context in 3.0 and 3.1 x 2": 2, "start address x 2": 2}
    assert hit["support_cg"] == {"ended_rep x 1 x v2_0": 1}


def test_beats():
    beats = Beats.empty(4, 2, enable=1, inst_tracing=1)
    beats.iaddr[1], beats.iretire[1], beats.itype[1], beats.ilastsize[1] = [0x1000, 0x1004], [2, 2], [4, 4], [1, 1]
    beats.iaddr[2, 0], beats.iretire[2, 0], beats.itype[2, 0], beats.context[2], beats.ctype[2], beats.notify[2] = (
        0x1008, 2, 5, 7, 2, 1,
    )  # fmt: skip
    beats.ilastsize[2, 0] = 1
    beats.halted[3] = 1
    hit = covered(config=Config(blocks_p=2), beats=beats)
    assert hit["lane_pair_cg"] == {"2 lanes x 4 not taken x 4 not taken": 1} and hit["itype_pair_cg"] == {
        "4 not taken x 4 not taken": 1,
        "4 not taken x 5 taken": 1,
    }
    assert hit["context_cg"] == {"precise x branch": 1} and hit["notify_cg"] == {"5 taken x trigger": 1}
    assert hit["stop_cg"] == {"taken branch x halted": 1} and hit["control_cg"]["halt x stops"] == 1


def test_every_point_says_what_and_why():
    assert len({p.name for p in ETRACE.points}) == len(ETRACE.points) > len(POINTS)
    assert all(p.what and p.why and p.reachable for p in ETRACE.points)
    assert kind(count(0, 0)) == "branch count" and kind(address(1)) == "address"
