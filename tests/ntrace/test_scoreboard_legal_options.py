# SPDX-License-Identifier: Apache-2.0
"""The legal check of the options: one message of a good stream is changed, and the clause that it breaks turns red."""

import pytest

from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from tests.common.there import there
from tests.ntrace.checked_scenarios import Change, check, doctored, insert, place, scenario_run, set_at, timed

OWN = Config(ownership=1)
BOTH = Config(ownership=1, hcontext=1)
SRC = Config(src_bits=5, src_id=9)
TIME = Config(timestamp=1, ts_width=40)
FAR = Config(extend_addr_msb=1)
REPEAT = Config(mode="btm", repeat_branch=1)
TWICE = Config(repeated_history=1, icnt_bits=8, hist_bits=6, iretire_bits=5)


def drop_ownership(messages: list[Message], after: str, **fields: int) -> None:
    """The Ownership after a message is left out."""
    del messages[place(messages, after, **fields) + 1]


def swap(messages: list[Message]) -> None:
    """scontext before hcontext."""
    messages[1], messages[2] = messages[2], messages[1]


CASES: dict[str, list[tuple[str, Config, Change]]] = {
    "NT.3.2.src": [("linear", SRC, lambda m: set_at(m, 1, src=8))],
    "NT.4.options": [
        ("linear", OWN, lambda m: insert(m, 1, "RepeatBranch", 1)),
        ("linear", OWN, lambda m: insert(m, 2, "Ownership", 0b1_0_11_11)),
        ("linear", Config(), lambda m: insert(m, 1, "Ownership", 0b0_11_00)),
    ],
    "NT.7.1.process": [
        ("linear", OWN, lambda m: set_at(m, 1, process=0b0_11_01)),
        ("linear", OWN, lambda m: set_at(m, 1, process=0b0_10_10)),
        ("linear", OWN, lambda m: set_at(m, 1, process=0b1_11_10)),
        ("linear", OWN, lambda m: insert(m, 2, "Ownership", 0b1_0_11_00)),
    ],
    "NT.7.1.after_sync": [
        ("linear", OWN, lambda m: m.__delitem__(1)),
        ("linear", BOTH, lambda m: m.__delitem__(1)),
        ("linear", BOTH, swap),
        ("linear", BOTH, lambda m: m.__delitem__(2)),
    ],
    "NT.7.1.trap": [
        ("trap_kinds", OWN, lambda m: drop_ownership(m, "IndirectBranch", btype=2)),
        ("trap_after_xret", OWN, lambda m: drop_ownership(m, "IndirectBranch", btype=0)),
    ],
    "NT.7.4.ecode": [
        (
            "linear",
            Config(),
            lambda m: [insert(m, 1, "Error", 0, 8), insert(m, 2, "ProgTraceSync", 7, 0, there(m[0].get("faddr")))],
        )
    ],
    "NT.7.4.codes": [("linear", OWN, lambda m: [insert(m, 2, "Error", 0, 2)])],
    "NT-6": [
        ("branches", REPEAT, lambda m: insert(m, 1, "RepeatBranch", 2)),
        ("branches", REPEAT, lambda m: insert(m, place(m, "DirectBranch") + 1, "RepeatBranch", 0)),
        ("indirect_kinds", REPEAT, lambda m: insert(m, place(m, "IndirectBranch") + 1, "RepeatBranch", 1)),
        ("hist_full", TWICE, lambda m: set_at(m, place(m, "ResourceFull", rcode=2), hrepeat=0)),
    ],
    "NT.V.hrepeat": [("branches", REPEAT, lambda m: insert(m, place(m, "DirectBranch") + 1, "RepeatBranch", 1 << 18))],
    "NT.8.7.enabled": [("linear", TIME, lambda m: m.__setitem__(1, m[1].replaced(tstamp=None)))],
    "NT.8.7.width": [("linear", TIME, lambda m: set_at(m, 1, tstamp=1 << 41))],
    "NT.9.3.option": [("linear", Config(), lambda m: insert(m, 1, "ResourceFull", 2, 3, 2))],
}


@pytest.mark.parametrize(
    ("clause", "case"), [(clause, n) for clause, cases in CASES.items() for n in range(len(cases))]
)
def test_red_under_its_clause(clause: str, case: int) -> None:
    name, config, change = CASES[clause][case]
    program, beats = scenario_run(name, config)
    if config.timestamp:
        timed(beats)
    good = doctored(program, beats, config)
    assert good.passed, good.failures[0].text()
    assert clause in doctored(program, beats, config, change).book.failed


def test_counted_where_it_applies() -> None:
    """A clause of an option that is off is not checked."""
    asked = {
        "NT.3.2.src", "NT.7.1.process", "NT.7.1.after_sync", "NT.7.1.trap", "NT.8.7.enabled", "NT.8.7.width",
        "NT-17",
    }  # fmt: skip
    program, beats = scenario_run("trap_kinds", Config())
    assert not asked & doctored(program, beats, Config()).book.results().keys()
    config = Config(ownership=1, timestamp=1, src_bits=3, src_id=1)
    results = doctored(program, timed(beats), config).book.results()
    assert all(results[clause][0] > 0 for clause in asked)


@pytest.mark.parametrize(("name", "config", "tolerances", "change"), [
    ("linear", TIME, Tolerances(tstamp_on_all=False), lambda m: m.__setitem__(1, m[1].replaced(tstamp=None))),
    ("trap_kinds", OWN, Tolerances(ownership_at_traps=False), lambda m: drop_ownership(m, "IndirectBranch", btype=2)),
])  # fmt: skip
def test_tolerance_lets_another_choice_pass(name: str, config: Config, tolerances: Tolerances, change: Change) -> None:
    program, beats = scenario_run(name, config)
    beats = timed(beats) if config.timestamp else beats
    assert not doctored(program, beats, config, change).passed
    assert doctored(program, beats, config, change, tolerances).passed


def test_address_that_is_not_the_shortest() -> None:
    """A group more than needed where MSBs may be skipped: legal for others, not for the reference."""
    program, beats = scenario_run("same_target", FAR)
    encoded = Encoder(FAR).run(beats)
    chunks = list(encoded.packed)
    index = place(encoded.messages, "IndirectBranch")
    chunks[index] = chunks[index][:-1] + bytes([chunks[index][-1] & 0xFC, 0x03])
    capture = NtraceCapture(FAR, program, b"".join(chunks), beats, exact=False)
    assert check(capture).book.failed == ["NT.8.2.extend"]
    assert check(capture, Tolerances(address_padded=True)).passed


@pytest.mark.parametrize(("clause", "reported", "believed", "skip"), [
    ("NT.8.2.extend", FAR, Config(), 0), ("NT.V.extend_msb", FAR, FAR, 3), ("NT.8.2.extend", Config(), FAR, None),
])  # fmt: skip
def test_bits_that_must_not_be_skipped(clause: str, reported: Config, believed: Config, skip: int | None) -> None:
    """MSBs left out without the option, or above a bit inside the last MDO group."""
    program, beats = scenario_run("far_addresses", reported)
    messages = list(Encoder(reported).run(beats).messages)
    if skip:
        index = next(i for i, m in enumerate(messages) if m.name == "ProgTraceSync" and there(m.get("faddr")) >> 62)
        width = next(w for w in range(1, 63) if there(messages[index].get("faddr")) >> w == (1 << 63 - w) - 1) + 1
        set_at(messages, index, faddr=there(messages[index].get("faddr")) & ((1 << width + (width % 6 == 0)) - 1))
    data = b"".join(pack(m, 0, reported.address_bits) for m in messages)
    assert clause in check(NtraceCapture(believed, program, data, beats, exact=False)).book.failed
