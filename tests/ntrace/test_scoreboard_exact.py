# SPDX-License-Identifier: Apache-2.0
"""The exact check attributes the first difference to the clause that was broken, and reports it field by field."""

from collections.abc import Callable

import numpy as np
import pytest

from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message, message
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.ntrace.attribution import framing
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import check, plan
from rvtrace.scoreboards.ntrace.exact import check_exact
from tests.common.there import there
from tests.ntrace.checked_scenarios import scenario_run
from tests.ntrace.test_scoreboard_legal import BTM, HTM, SMALL, set_field

Change = Callable[[list[Message]], None]


def first(name: str, config: Config, change: Change, packer: Callable[[Message], bytes] = pack) -> Failure:
    """The failure of the exact check after a change of the model's messages."""
    program, beats = scenario_run(name, config)
    messages = list(Encoder(config).run(beats).messages)
    change(messages)
    capture = NtraceCapture(config, program, b"".join(map(packer, messages)), beats, rerun="make run IP=ntrace")
    book = ClauseBook(plan(), capture.rerun)
    check_exact(capture, book)
    assert len(book.failures) == 1
    return book.failures[0]


def invert_hist(messages: list[Message]) -> None:
    index = next(i for i, m in enumerate(messages) if (m.get("hist") or 0) > 1)
    hist = there(messages[index].get("hist"))
    set_field(messages, messages[index].name, "hist", hist ^ ((1 << hist.bit_length() - 1) - 1))


CASES = {
    "NT-1": ("branches", HTM, invert_hist),
    "NT-11": ("trap_kinds", HTM, lambda m: set_field(m, "IndirectBranch", "btype", 1)),
    "NT-13": ("stop_with_pending", BTM, lambda m: m.__delitem__(1)),
    "NT.2.exception": ("trap_kinds", BTM, lambda m: m.__delitem__(3)),
    "NT.2.return": ("back_to_back_returns", HTM, lambda m: m.__delitem__(2)),
    "NT.6.2.btype": ("trap_kinds", HTM, lambda m: set_field(m, "IndirectBranch", "btype", 0)),
    "NT.7.2.direct_branch": ("branches", BTM, lambda m: m.__delitem__(2)),
    "NT.7.8.both_full": ("both_full", SMALL, lambda m: m.__delitem__(2)),
    "NT.7.12.evcode": ("linear", HTM, lambda m: set_field(m, "ProgTraceCorrelation", "evcode", 0)),
    "NT.7.12.trace_off": ("linear", HTM, lambda m: m.pop()),
    "NT.8.1.faddr": ("linear", HTM, lambda m: set_field(m, "ProgTraceSync", "faddr", 4)),
    "NT.8.1.uaddr": ("seed_8_1", BTM, lambda m: set_field(m, "IndirectBranch", "uaddr", 0x7B7)),
    "NT.8.1.xor": ("seed_8_1", BTM, lambda m: set_field(m, "IndirectBranch", "uaddr", 0x3F368 >> 1)),
    "NT-19": ("seed_8_1", BTM, lambda m: set_field(m, "IndirectBranch", "uaddr", (0x3E100 ^ 0x3FC04) >> 1, 1)),
    "NT.8.3.1.hist_full": ("hist_full", SMALL, lambda m: m.__delitem__(1)),
    "NT.8.4.icnt": ("linear", HTM, lambda m: set_field(m, "ProgTraceCorrelation", "icnt", 3)),
    "NT.8.4.4.resource_full": ("icnt_full_linear", SMALL, lambda m: set_field(m, "ResourceFull", "rdata", 64)),
    "NT.8.5.sync5": ("trace_off_on", HTM, lambda m: m.__delitem__(2)),
    "NT.8.6.back_to_back_traps": ("back_to_back_traps", HTM, lambda m: set_field(m, "IndirectBranch", "icnt", 1, 1)),
    "NT.10.inferable": ("not_taken", BTM, lambda m: m.insert(1, message("DirectBranch", 2))),
}  # fmt: skip


@pytest.mark.parametrize("clause", CASES)
def test_difference_is_attributed(clause: str) -> None:
    assert first(*CASES[clause]).clause == clause


@pytest.mark.parametrize(("clause", "bad"), [
    ("NT.3.1.field_end", lambda raw: bytes(b & 0xFC if b & 3 == 1 else b for b in raw)),
    ("NT.3.1.message_end", lambda raw: raw[:-1] + bytes([raw[-1] & 0xFD])),
    ("NT.3.1.mseo", lambda raw: raw[:-1] + bytes([raw[-1] & 0xFC | 2])),
    ("NT.3.3.lsb_first", lambda raw: bytes(b >> 2 | (b & 3) << 6 for b in raw)),
    ("NT-7", lambda raw: raw[:-1] + bytes([raw[-1] & 0xFC, 0x03])),
    ("NT-16", lambda raw: raw + b"\xff"),
])  # fmt: skip
def test_packing_is_attributed(clause: str, bad: Callable[[bytes], bytes]) -> None:
    assert first("linear", HTM, lambda messages: None, lambda m: bad(pack(m))).clause == clause


def test_zero_field_without_its_byte() -> None:
    assert (
        first("same_target", HTM, lambda m: None, lambda m: pack(m)[:-1] if m.get("uaddr") == 0 else pack(m)).clause
        == "NT-7"
    )


def test_zero_field_without_its_byte_before_others() -> None:
    """U-ADDR of 0 between I-CNT and HIST: what follows it is as it would be with its byte."""
    want = message("IndirectBranchHist", 0, 5, 0, 6)
    raw = pack(want)
    place = raw.index(0 << 2 | 1, 2)  # MDO of 0 that ends a field; B-TYPE of 0 is in the byte before
    program, beats = scenario_run("linear", HTM)
    found = framing(NtraceCapture(HTM, program, raw[:place] + raw[place + 1 :], beats), [want], 0)
    assert found is not None and found[0] == "NT-7"


def test_failure_message_has_all_an_engineer_needs() -> None:
    failure = first("trap_kinds", HTM, lambda m: set_field(m, "IndirectBranch", "icnt", 8, 2))
    text = failure.text()
    assert text.startswith("FAIL NT.8.4.icnt") and failure.requirement in text
    assert "cycle" in text and "<" in text and "make run IP=ntrace" in text
    assert ("I-CNT", str(failure.table[2][1]), "8") == failure.table[2] and len(failure.before) == 3
    assert failure.to_dict()["text"] == text


def test_good_stream_passes_and_is_counted() -> None:
    program, beats = scenario_run("indirect_kinds", HTM)
    verdict = check(NtraceCapture(HTM, program, Encoder(HTM).run(beats).data, beats))
    assert verdict.passed and verdict.stats["instructions"] > 100
    results = verdict.book.results()
    assert results["NT.2.return"][0] > 3 and results["NT.11.pcs"][0] == verdict.stats["instructions"]
    assert "NT.8.5.sync7" not in results  # never executed is not PASS


def test_a_queue_that_is_full_too_soon() -> None:
    """Beats were lost while nothing waited; with all bytes still to be sent they may be."""
    program, beats = scenario_run("overflow", Config())
    beats.drop[20:40] = 1
    data = Encoder(Config()).run(beats).data
    for out_cycle, failed in ((np.zeros(len(data)), ["NT.3.fifo"]), (np.full(len(data), 10**6), [])):
        book = ClauseBook(plan())
        check_exact(NtraceCapture(Config(), program, data, beats, out_cycle=out_cycle), book)
        assert book.failed == failed and book.results()["NT.3.fifo"][0] == 20
        assert "NT.3.room" not in book.results()  # of another's queue nobody knows the depth


@pytest.mark.parametrize(("blocks", "depth", "needed"), [(1, 8, 4), (1, 16, 12), (1, 32, 28), (2, 16, 7)])
@pytest.mark.parametrize("drop", [0, 1])
def test_a_beat_needs_room_for_what_it_can_make(blocks: int, depth: int, needed: int, drop: int) -> None:
    """A queue of 16 has room for the 6 messages of a beat of one lane while 10 are in it, and one is being sent: with
    12 that wait the beat is lost, with 11 it is not.
    """
    config = Config(blocks=blocks, fifo_depth=depth)
    program, beats = scenario_run("overflow", config)
    beats.cycle = np.arange(len(beats)) * 4
    full = Encoder(config).run(beats).beat[needed + 5] + 1  # the beat after enough messages
    beats.drop[full] = drop
    encoded = Encoder(config).run(beats)
    made = sum(beat < full for beat in encoded.beat)
    ends = np.cumsum([len(chunk) for chunk in encoded.packed])
    for waiting in (needed, needed - 1):
        # Those before wait for the beat; what comes later leaves at once.
        out_cycle = np.repeat(beats.cycle[np.maximum(encoded.beat, full)], [len(chunk) for chunk in encoded.packed])
        out_cycle[: ends[made - waiting - 1]] = 0
        book = ClauseBook(plan())
        check_exact(NtraceCapture(config, program, encoded.data, beats, out_cycle=out_cycle, queue=depth), book)
        assert book.failed == ([] if (waiting == needed) == drop else ["NT.3.room"])
        assert book.results()["NT.3.room"] == [len(beats), len(book.failures)]
