# SPDX-License-Identifier: Apache-2.0
"""A device that is right but for one thing in every message: that is the first finding, and the rest is judged."""

import random
from dataclasses import replace

import numpy as np
import pytest

from rvtrace.models.ntrace.codec import pack, unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import message
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.scoreboards.diagnosis.search import Reading
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import check
from rvtrace.scoreboards.ntrace.damaged import damaged_rows
from rvtrace.scoreboards.ntrace.dialects import DIALECTS
from rvtrace.scoreboards.ntrace.hypotheses import Traced
from rvtrace.scoreboards.ntrace.rewriting import Rules, rewrite
from tests.common.long import some
from tests.ntrace.deviations import DEVIATIONS, Deviation, findings, judged, run_of, sent
from tests.ntrace.test_legal_encoder import CLOSED

BY_NAME = {deviation.name: deviation for deviation in DEVIATIONS}
SHORT = 900  # instructions
PAIRS = (
    ("mdo_reversed", "rcode_swapped"),
    ("src_narrower", "uaddr_full"),
    ("sync_5_bits", "hist_inverted"),
)


@pytest.mark.parametrize("deviation", DEVIATIONS, ids=lambda deviation: deviation.name)
def test_the_deviation_is_the_first_finding(deviation: Deviation) -> None:
    run = run_of(1, deviation.options, deviation.whole, SHORT)
    verdict = judged(run, [deviation])
    assert findings(verdict)[:1] and findings(verdict)[0] in deviation.clauses, findings(verdict)
    assert verdict.stats["judged"] > 0.9 * verdict.stats["instructions"]


@pytest.mark.parametrize("names", some(PAIRS, 8), ids="+".join)
def test_two_deviations_are_both_named(names: tuple[str, str]) -> None:
    both = [BY_NAME[name] for name in names]
    run = run_of(1, both[0].options | both[1].options, any(one.whole for one in both), SHORT)
    verdict = judged(run, both)
    assert all(set(one.clauses) & set(findings(verdict)[:5]) for one in both), findings(verdict)
    assert verdict.stats["judged"] > 0.9 * verdict.stats["instructions"]


@pytest.mark.parametrize("seed", some(range(12), 3))
def test_one_wrong_byte_is_no_habit_of_the_device(seed: int) -> None:
    """Damage at one place is a finding at its place, and nearly everything else is judged."""
    rng, run = random.Random(f"{seed}:byte"), run_of(seed, {}, instructions=SHORT)
    data = bytearray(run.data)
    at = rng.randrange(len(data) // 4, len(data) - 40)
    data[at] ^= 1 << rng.randrange(2, 8)
    verdict = check(NtraceCapture(run.config, run.program, bytes(data), given=run.retired, exact=False), CLOSED)
    assert not any("the trace decodes" in failure.headline for failure in verdict.failures)
    assert verdict.stats["judged"] > 0.7 * verdict.stats["instructions"]


def test_dialects_are_unique_and_none_changes_a_right_trace_by_its_layout_alone() -> None:
    assert len({dialect.name for dialect in DIALECTS}) == len(DIALECTS)
    run = run_of(5, {"mode": "htm", "src_bits": 4, "src_id": 3}, instructions=SHORT)
    traced = Traced(run.data, run.program, run.config)
    right = traced.lost(Reading(run.config))
    assert right == 0
    for dialect in DIALECTS:  # each of them is a deviation: what is right does not get better with it
        assert traced.lost(Reading(run.config, (dialect,))) >= right


# A dialect, and how a device that has it sends `24 15 00 83`: ProgTraceSync SYNC=5 I-CNT=0 of 0x1000
SENT = {
    "mseo_high": "09 45 00 e0",
    "mseo_high_swapped": "24 a8 00 c1",
    "mdo_reversed": "90 a1 00 07",
    "mseo_swapped": "24 16 00 83",
    "mseo_inverted": "27 16 03 80",
    "mseo_end_first": "27 15 00 80",
    "mseo_end_as_field": "24 15 00 81",
    "bytes_doubled": "24 24 15 15 00 00 83 83",
    "byte_after_each": "24 15 00 83 aa",
    "byte_before_each": "aa 24 15 00 83",
    "idle_aa": "aa aa 24 15 00 83 aa",
    "stray_first_2": "12 34 24 15 00 83",
    "tcodes_9_11": "2c 15 00 83",
    "tcode_10_is_9": "28 15 00 83",
}


@pytest.mark.parametrize("name", SENT)
def test_the_bytes_of_a_dialect_are_those_of_the_specification_again(name: str) -> None:
    assert taken_back(name, bytes.fromhex(SENT[name])) == bytes.fromhex("24 15 00 83")


def test_a_message_that_ends_as_a_field_ends_where_an_idle_byte_follows() -> None:
    """Not at 15, the end of I-CNT."""
    assert taken_back("mseo_no_end", bytes.fromhex("24 15 00 81 ff")) == bytes.fromhex("24 15 00 83 ff")


@pytest.mark.parametrize("name, uaddr", [
    ("uaddr_full", 0x808), ("uaddr_difference", 0x808 - 0x800), ("uaddr_difference_back", (1 << 63) + 0x800 - 0x808),
])  # fmt: skip
def test_a_difference_of_addresses_becomes_their_xor(name: str, uaddr: int) -> None:
    """From 0x1000 to 0x1010, in half-words; an address of RV64 has 63 bits without bit 0."""
    start = pack(message("ProgTraceSync", 5, 0, 0x800))
    found = taken_back(name, start + pack(message("IndirectBranch", 0, 1, uaddr)))
    assert found == start + pack(message("IndirectBranch", 0, 1, 0x800 ^ 0x808))


def test_a_rewritten_capture_knows_where_its_bytes_were() -> None:
    dialect = next(one for one in DIALECTS if one.name == "byte_after_each")
    run = run_of(2, {}, instructions=SHORT)
    device = sent(run, [BY_NAME["byte_after"]])
    moved = rewrite(device, Rules(run.config, run.program), (dialect,))
    assert moved.data == run.data and bytes(np.frombuffer(device, np.uint8)[moved.origin]) == run.data
    messages, damages = unpack(moved.data, run.config)
    assert not damages and len(messages) == len(run.messages)


def test_a_count_of_instructions_in_btm_passes_the_branches_that_are_not_taken() -> None:
    """7.2: DirectBranch is sent for a branch that is taken, so that of the two that it counts only the last is."""
    b = ProgramBuilder(64, 0x8000_0000)
    b.label("main")
    b.nop()  # 2 half-words
    b.c_bnez(8, "skipped")  # 1
    b.nop()  # 2
    b.c_nop()  # 1
    b.c_bnez(9, "target")  # 1
    b.label("skipped")
    for _ in range(3):
        b.nop()
    b.label("target")
    b.nop()  # 2
    program, config = b.build("main"), Config(mode="btm")
    stop = 4  # EVCODE

    def trace(to_branch: int, to_stop: int) -> bytes:
        start = message("ProgTraceSync", 5, 0, b.labels["main"] >> 1)
        rest = message("DirectBranch", to_branch), message("ProgTraceCorrelation", stop, 0, to_stop)
        return b"".join(map(pack, (start, *rest)))

    dialect = next(one for one in DIALECTS if one.name == "icnt_instructions")
    instructions, half_words = trace(5, 1), trace(7, 2)
    assert rewrite(instructions, Rules(config, program), (dialect,)).data == half_words


def taken_back(name: str, data: bytes) -> bytes:
    """The bytes of a device with one dialect, as the specification has them."""
    dialect = next(one for one in DIALECTS if one.name == name)
    return rewrite(data, Rules(Config()), (dialect,)).data


def test_damage_is_shown_field_by_field() -> None:
    config = Config(src_bits=4, src_id=3)
    whole = pack(next(m for m in run_of(1, {"mode": "htm"}).messages if m.name == "IndirectBranchHist"), 4)
    rows = {name: (expected, actual) for name, expected, actual in damaged_rows(whole[:3], config)}
    assert rows["bytes"] == ("", whole[:3].hex(" ")) and rows["TCODE"] == ("", "28 (IndirectBranchHist)")
    assert rows["MSEO of byte 2"] == ("11, the end of the message", "the trace ends")
    rows = {name: (expected, actual) for name, expected, actual in damaged_rows(b"\x70\x03", config)}
    assert rows["I-CNT"][1] == "the message ends before it" or rows["I-CNT"][1].endswith("are left")
    assert damaged_rows(b"\x5e", config)[-1] == ("MSEO of the first byte", "00, where a message begins", "10")
    assert damaged_rows(b"\x5c\x03", replace(config, src_bits=0, src_id=0))[-1] == ("TCODE", "one of table 8", "23")
