# SPDX-License-Identifier: Apache-2.0
"""Packets of a device with a deviation, read in the dialect that names it, are those of the specification."""

import re
from dataclasses import replace

import pytest

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.decode import decode
from rvtrace.models.etrace.table import OPTIONS as IOPTIONS
from rvtrace.scoreboards.diagnosis.search import Reading
from rvtrace.scoreboards.etrace import hypotheses
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import plan
from rvtrace.scoreboards.etrace.dialect_table import dialects
from rvtrace.scoreboards.etrace.dialects import Rewriter, rewritten_packets
from rvtrace.scoreboards.etrace.hypotheses import Packets, Window
from rvtrace.scoreboards.etrace.layout import read, standard
from tests.etrace.deviant import Deviant
from tests.etrace.deviant_runs import FIXED, deviant_run
from tests.etrace.deviations import DEVIATIONS
from tests.etrace.walks import encode, walk

# What is not sent cannot be known, nor the upper bit of an address that is sent without its shift.
LOSSY = ("branches_one_less", "notify_absent", "ecause_narrow", "thaddr_absent", "address_unshifted")
OPTIONS = "IOPTIONS"  # deviations that other parameters explain


@pytest.mark.parametrize("seed", range(4))
def test_without_a_dialect_nothing_changes(seed: int) -> None:
    what = walk(seed, 1200, bcount_bits=16)
    payloads = encode(what.config, what.beats).payloads
    assert rewritten_packets(payloads, Rewriter(what.config, what.program, ())) == payloads


@pytest.mark.parametrize("variant", ["v2_0", "draft_0_026"])
def test_the_packer_of_these_tests_is_the_specifications(variant: str) -> None:
    what = walk(3, 1200, variant=variant, bcount_bits=16)
    encoded = encode(what.config, what.beats)
    assert Deviant(what.config, []).payloads(encoded.packets, encoded.options) == encoded.payloads


@pytest.mark.parametrize("name", [n for n, d in DEVIATIONS.items() if OPTIONS not in d.names])
def test_a_dialect_takes_the_deviation_back(name: str) -> None:
    run = deviant_run(7, [name], 1200)
    if not run.differs:
        pytest.skip("the walk has no packet that shows it")
    config, program, wanted = run.what.config, run.what.program, run.encoded.payloads
    best = 0.0
    for dialect in dialects(config):
        if re.search(run.deviations[0].names, f"if {dialect.says};"):
            sent = rewritten_packets(run.sent, Rewriter(config, program, [dialect]))
            best = max(best, sum(a == b for a, b in zip(sent, wanted)) / len(wanted))
    assert best > (0.75 if name in LOSSY else 0.99), f"at best {best:.0%} of the packets are the specification's"


@pytest.mark.parametrize("variant", ["v2_0", "draft_0_026"])
def test_dialects_have_names_and_clauses_of_their_own(variant: str) -> None:
    for xlen in (32, 64):
        config = Config.from_dict({"variant": variant, "iaddress_width_p": xlen, "notime_p": 0})
        table = dialects(config)
        assert len({dialect.name for dialect in table}) == len(table) > 150
        assert {dialect.clause for dialect in table} <= set(plan().clauses)


def test_fields_are_read_as_far_as_they_go() -> None:
    config = Config()
    found = read(bytes([0b11 | 0b01 << 2 | 1 << 4, 0, 0]), standard("v2_0"), config, config.options)
    assert found.name == "trap" and found.values["branch"] == 1
    # format 2, 63 + 3 + 5 bits: 73 bits are 10 bytes, and one more is too many
    found = read(bytes([2] + 9 * [0] + [1]), standard("v2_0"), config, config.options)
    assert found.name == "address" and "more than its 73 bits" in found.problem
    assert read(b"\x00", standard("v2_0"), config, config.options).name == ""  # format 0 without its options


def test_a_wrong_reading_is_seen_without_decoding_all() -> None:
    """The share of packets that cannot be decoded separates the right reading from the claimed one."""
    run = deviant_run(7, ["map_exact"], 1200)
    packets = Packets(run.capture)
    claimed = Reading(run.what.config)
    window = packets.window(claimed)
    assert window is not None
    right = Reading(run.what.config, tuple(d for d in packets.dialects if d.name == "map_length_exact"))
    assert packets.near(right, window) == 0 < 0.1 < packets.near(claimed, window)
    assert packets.window(right) is None


@pytest.mark.parametrize(
    ("parameters", "absent"),
    [
        ({"return_stack_size_p": 0, "call_counter_size_p": 0}, "implicit_return"),
        ({"cache_size_p": 0}, "jump_target_cache"),
        ({"bpred_size_p": 0}, "branch_prediction"),
    ],
)
def test_an_option_that_the_parameters_exclude_is_not_tried_and_all_others_are(
    parameters: dict[str, int], absent: str
) -> None:
    names = {dialect.name for dialect in dialects(Config.from_dict(parameters))}
    for option in IOPTIONS:
        assert (f"option_{option}" in names) is (option != absent), option
        assert (f"reported_{option}" in names) is (option != absent), option


@pytest.mark.parametrize(
    ("packet", "label", "widths"),
    [
        # log2 of 8 entries, and one bit more for "none of them"
        ("address", "irdepth", {4 - 1, 4 + 1, 4 + 2, 0}),
        # as wide as addresses are; 32 bits are those of an RV32 encoder
        ("trap", "tval", {31, 32, 40, 48, 63, 0}),
    ],
)
def test_other_widths_of_a_field_are_tried(packet: str, label: str, widths: set[int]) -> None:
    config = Config(return_stack_size_p=3)
    of = standard("v2_0")[packet].field(label)
    due = of.bits(config, {"interrupt": 0})
    tried = set()
    for dialect in dialects(config):
        if dialect.group == f"{label} width":
            row = dialect.rewriting.table(standard("v2_0"))[packet].fields
            tried |= {field.bits(config, {"interrupt": 0}) for field in row if field.name == label} or {0}
    assert due not in tried and tried >= widths


def test_a_budget_of_readings_is_spent_by_the_packets_that_are_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A window of the usual size, from BEFORE packets before the first that is lost to NEAR after it, is one reading:
    two exceed a budget of one.
    """
    monkeypatch.setattr(hypotheses, "MOST_TRIED", 1)
    what = walk(8, 3000, **FIXED)
    payloads = encode(what.config, what.beats).payloads
    packets = Packets(EtraceCapture(what.config, what.program, payloads, beats=what.beats, exact=False))
    window = Window(0, hypotheses.NEAR + hypotheses.BEFORE, 0.0)
    assert len(payloads) > window.end
    # none of these parameters changes a packet of this walk, and each makes another decoder
    readings = [Reading(replace(what.config, cache_size_p=size)) for size in (4, 5, 6)]
    assert [packets.near(reading, window) for reading in readings] == [0.0, 0.0, 1.0]


def test_packets_that_are_the_same_in_two_readings_are_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded = []
    monkeypatch.setattr(hypotheses, "decode", lambda *given: (decoded.append(given[::2]), decode(*given))[1])
    run = deviant_run(7, ["map_exact"], 800)
    packets = Packets(run.capture)
    window = packets.window(Reading(run.what.config))
    assert window is not None
    decoded.clear()
    shares = [packets.near(Reading(run.what.config, (one,)), window) for one in packets.dialects[:60]]
    assert len(set(decoded)) == len(decoded) < len(shares)
