# SPDX-License-Identifier: Apache-2.0
"""Coverage of N-Trace: which bins hand-made captures hit, and that counts of another definition are refused."""

import dataclasses
import json
from types import SimpleNamespace

import numpy as np
import pytest

from rvtrace.jobs.coverage import CoverageError, Definition, Point
from rvtrace.models.ntrace.codec import pack, unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import message
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.tb.ntrace.coverage.points import NTRACE, POINTS
from rvtrace.tb.ntrace.coverage.sampling import sample

K = Kind


def program():
    built = ProgramBuilder(64, 0x1000)
    for _ in range(8):
        built.nop()
    return built.build()


def stream(*rows):
    """Rows of (kind, pc, itype) as a retire stream in which each instruction has 4 bytes."""
    kind, pc, itype = zip(*rows)
    return Retired.from_columns(kind=kind, pc=pc, itype=itype, size=[4 if k == K.INSN else 0 for k in kind])


def covered(config=None, messages=(), rows=((K.INSN, 0x1000, 0),), beats=None, first_pc=None, out_cycle=None):
    """Counts of a capture of these messages and this stream."""
    config = config or Config()
    data = b"".join(pack(m) for m in messages)
    capture = NtraceCapture(config, program(), data, beats=beats, given=stream(*rows), out_cycle=out_cycle)
    if beats is not None:
        capture.__dict__["retired"] = stream(*rows)  # the blocks of these tests need not fit the program
    read, damage = unpack(data, config)
    assert not damage
    pcs = np.array([0x1000, 0x1004, 0x1008, 0x100C], dtype=np.uint64)
    decoded = SimpleNamespace(messages=read, pcs=pcs, first_pc=np.array(first_pc or [0] * len(read)))
    return sample(capture, decoded)


def test_codes_and_values_of_messages():
    hit = covered(messages=[
        message("ProgTraceSync", 5, 0, 0x800),
        message("IndirectBranchHist", 2, 2, 0x3F, 0b1_01),
        message("IndirectBranch", 0, 1 << 21, 1 << 6),
        message("ResourceFull", 0, 1 << 21),
        message("ResourceFull", 1, (1 << 31) | 5),
        message("ProgTraceCorrelation", 4, 1, 3, 1),
        message("ProgTraceCorrelation", 0, 1, 0, 1),
    ])  # fmt: skip
    assert hit["message_cg"]["ResourceFull x htm x v1_0"] == 2
    assert hit["sync_cg"] == {"5 Trace Enable x ProgTraceSync": 1}
    assert hit["btype_cg"] == {"2 exception x IndirectBranchHist": 1, "0 indirect x IndirectBranch": 1}
    assert hit["icnt_cg"]["IndirectBranch x full mark or more"] == 1
    assert hit["icnt_cg"]["IndirectBranchHist x 2"] == 1 == hit["icnt_cg"]["ProgTraceCorrelation x small (3 to 15)"]
    assert hit["full_together_cg"] == {"I-CNT then HIST x v1_0": 1}
    assert hit["hist_length_cg"] == {"2": 1, "31": 1, "0": 2}
    assert hit["hist_cg"]["ResourceFull x full"] == 1 == hit["hist_cg"]["IndirectBranchHist x 2 to 14"]
    # 0x800 has 12 bits: 2 groups; 0x3F 6 bits: 1; 0x40 7 bits: 2.
    assert hit["address_cg"] == {"F-ADDR x RV64 x 2": 1, "U-ADDR x RV64 x 1": 1, "U-ADDR x RV64 x 2": 1}
    assert hit["evcode_cg"] == {"4 trace disabled x htm x closing": 1, "0 debug entry x htm x marker": 1}
    assert sum(hit["length_cg"].values()) == 7


def test_overflow_cases():
    lost, restart = message("Error", 0, 4), message("ProgTraceSync", 7, 0, 0x800)
    hit = covered(messages=[message("ProgTraceSync", 5, 0, 0x800), lost, restart, lost])
    assert hit["overflow_cg"] == {
        "Error then SYNC=7 x htm": 1, "Error is the last message x htm": 1, "two Errors in one run x htm": 1
    }  # fmt: skip


@pytest.mark.parametrize(
    "rows, place",
    [
        ([(K.EXCEPTION, 0x1000, 0)], "first thing traced"),
        ([(K.INSN, 0x1000, 0), (K.EXCEPTION, 0x1004, 0)], "on straight code"),
        ([(K.INSN, 0x1000, 5), (K.EXCEPTION, 0x1010, 0)], "at a taken branch's target"),
        ([(K.INSN, 0x1000, 13), (K.EXCEPTION, 0x1010, 0)], "at a return's target"),
        ([(K.INSN, 0x1000, 3), (K.EXCEPTION, 0x1010, 0)], "after xRET"),
        ([(K.INSN, 0x1000, 0), (K.INTERRUPT, 0x1004, 0), (K.EXCEPTION, 0x1010, 0)], "back to back"),
        ([(K.INSN, 0x1000, 0), (K.EXCEPTION, 0x1004, 0), (K.TRACE_OFF, 0x1010, 0)], "last before trace stops"),
    ],
)
def test_trap_places(rows, place):
    assert covered(rows=rows)["trap_cg"][f"{place} x exception"] == 1
    off = [(K.TRACE_OFF, 0x1000, 0), *rows]
    assert place == "last before trace stops" or f"{place} x exception" not in covered(rows=off).get("trap_cg", {})


def test_beats_and_control():
    beats = Beats.empty(5, 2, enable=1)
    beats.inst_tracing[1:4] = 1
    beats.itype[1:4, 0] = [5, 13, 1]
    beats.iretire[1:4, 0] = [1, 126, 0]
    beats.itype[2, 1], beats.iretire[2, 1] = 3, 2
    hit = covered(Config(blocks=2), beats=beats)
    assert hit["itype_pair_cg"] == {
        "5 taken x 13 return": 1, "13 return x 3 xret": 1, "3 xret x 1 exception": 1
    }  # fmt: skip
    assert hit["iretire_cg"] == {"1": 1, "widest": 1, "2": 1, "0 (trap alone)": 1}
    assert hit["blocks_cg"] == {"2 lanes x 0 blocks": 2, "2 lanes x 1 block": 2, "2 lanes x 2 blocks": 1}
    assert hit["control_cg"]["tracing rises x starts"] == 1 == hit["control_cg"]["tracing falls x stops"]
    assert hit["control_cg"]["enable rises x stays off"] == 1
    assert hit["edge_block_cg"] == {"starts x with a block": 1, "stops x without": 1}


def test_periodic_sync_over_straight_code_and_gaps_between_bytes():
    sent = [message("ProgTraceSync", 5, 0, 0x800), message("ProgTraceSync", 2, 2, 0x802)]
    cycles = np.array([0, 1, 2, 3, 9, 10, 11, 12][: sum(len(pack(m)) for m in sent)])
    hit = covered(Config(inst_sync_mode=3), sent, first_pc=[0, 0], out_cycle=cycles)
    assert hit["periodic_cg"] == {"half-words x straight code x htm": 1}
    assert sum(hit["back_pressure_cg"].values()) == len(cycles) - 2


def test_merge_adds_and_refuses_another_definition():
    one = covered(messages=[message("ProgTraceSync", 5, 0, 0x800)])
    both = NTRACE.merge([one, json.loads(json.dumps(one))])
    assert both["message_cg"] == {"ProgTraceSync x htm x v1_0": 2}
    assert 0 < NTRACE.percent(both) == NTRACE.percent(one) < 100
    other = Definition("ntrace", (*POINTS[:-1], dataclasses.replace(POINTS[-1], what="something else")))
    with pytest.raises(CoverageError, match="run the jobs again"):
        other.merge([one])
    with pytest.raises(CoverageError, match="no definition"):
        NTRACE.merge([{"message_cg": {}}])
    with pytest.raises(CoverageError, match="no bin"):
        NTRACE.stamped({"blocks_cg": {"3 lanes x 9 blocks": 1}})


def test_every_point_says_what_and_why_and_a_wrong_exclusion_is_refused():
    assert len({p.name for p in POINTS}) == len(POINTS) and all(p.what and p.why and p.reachable for p in POINTS)
    with pytest.raises(CoverageError, match="none of its bins"):
        Point("x_cg", "what", "why", {"axis": ("a",)}, {"b": "reason"})
