"""The trace system's scoreboard: one run in, a verdict clause by clause out; needs no simulator.

Registers, funnel, sinks and levels are held to tests/plan/control.toml; the bytes of each source, as they came back from the
sink, to tests/plan/ntrace.toml by scoreboards/ntrace.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from models.control.model_funnel import by_source, split
from models.ntrace.decoder import decode
from models.ntrace.encoder import Encoder
from scoreboards.capture import Capture
from scoreboards.clauses import ClauseBook, Failure
from scoreboards.control import RegisterCheck
from scoreboards.control_capture import HartRun, SystemCapture
from scoreboards.control_encoder import check_encoders
from scoreboards.control_funnel import check_flush, check_funnel
from scoreboards.control_sinks import PinCheck, RamCheck
from scoreboards.ntrace import Verdict, check


@dataclass
class SystemVerdict:
    """What a check found. book: the Trace Control Interface's clauses; harts: N-Trace's, for each hart that was traced."""

    book: ClauseBook
    harts: list[Verdict] = field(default_factory=list)
    stats: dict[str, float] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether no clause failed."""
        return not self.failures

    @property
    def failures(self) -> list[Failure]:
        """The first failures of each clause."""
        return self.book.failures + [failure for verdict in self.harts for failure in verdict.failures]

    def results(self) -> dict[str, list[int]]:
        """Clause id to [checked, failed] over both plans."""
        total: dict[str, list[int]] = {}
        for book in (self.book, *(verdict.book for verdict in self.harts)):
            for name, (checked, failed) in book.results().items():
                sums = total.setdefault(name, [0, 0])
                sums[0] += checked
                sums[1] += failed
        return dict(sorted(total.items()))


def check_system(capture: SystemCapture, book: ClauseBook) -> SystemVerdict:
    """Hold one run to every clause that applies; `book` may have checks already (the tool's own)."""
    verdict = SystemVerdict(book)
    book.count("TCI.bus.protocol", len(capture.accesses))
    for cycle, text in capture.bus_problems:
        book.fail(Failure("TCI.bus.protocol", text, cycle=cycle), counted=True)
    RegisterCheck(capture.params, book).run(capture.accesses)
    if not capture.harts:
        return verdict
    check_encoders(capture, book)
    check_funnel(capture, book)
    check_flush(capture, book)
    RamCheck(capture, book).run()
    PinCheck(capture, book).run()
    _sources(capture, verdict)
    return verdict


def _sources(capture: SystemCapture, verdict: SystemVerdict) -> None:
    """The bytes of each hart, as they came back, against what it retired."""
    bits = max((hart.config.source_bits for hart in capture.harts), default=0)
    back = capture.readback if capture.readback is not None else capture.merged.data
    merged = by_source(capture.merged.data, bits)
    returned = by_source(back, bits)
    for number, hart in enumerate(capture.harts):
        src = hart.config.src_id if hart.config.source_bits else 0
        if not len(hart.beats) or number in capture.expect.get("untraced", ()):
            continue
        sent = b"".join(one.data for one in hart.stream.messages)
        whole = sent
        if number not in capture.expect.get("left_out", ()):
            whole = merged.get(src, b"")
            _returned(capture, verdict.book, number, whole, returned.get(src, b""))
        if capture.expect.get("cut"):
            _prefix(verdict.book, number, hart, sent)
        elif hart.images is not None:
            _images(verdict.book, number, hart, whole)
        else:
            verdict.harts.append(_hart(capture, hart, whole))
            if capture.expect.get("wrapped"):
                _tail(verdict.book, number, hart, returned.get(src, b""), verdict.harts[-1])
    verdict.stats |= {
        "instructions": sum(v.stats["instructions"] for v in verdict.harts), "told": sum(v.stats["told"] for v in verdict.harts),
        "bytes": len(capture.merged.data), "messages": sum(v.stats["messages"] for v in verdict.harts),
        "accesses": len(capture.accesses),
    }  # fmt: skip
    told = verdict.stats["told"]
    verdict.stats["bits_per_instruction"] = 8 * len(capture.merged.data) / told if told else 0.0


def _prefix(book: ClauseBook, number: int, hart: HartRun, sent: bytes) -> None:
    """A run that ended in a reset: what was sent until then is the beginning of what was due."""
    due = Encoder(hart.config).run(hart.beats).data
    book.count("TCI.sys.prefix", len(split(sent)))
    book.check("TCI.sys.prefix", due.startswith(sent), lambda: Failure(
        "TCI.sys.prefix", f"hart {number}: {len(sent)} bytes were sent until the reset, and they do not begin what was due",
    ))  # fmt: skip


def _tail(book: ClauseBook, number: int, hart: HartRun, back: bytes, whole: Verdict) -> None:
    """A wrapped buffer is decoded from its first synchronizing message on; that is the end of the whole story."""
    told = decode(back, hart.program, hart.config).pcs
    all_of_it = whole.decoded.pcs
    book.count("TCI.sys.wrapped", len(told))
    ok = len(told) <= len(all_of_it) and np.array_equal(told, all_of_it[len(all_of_it) - len(told) :])
    book.check("TCI.sys.wrapped", ok, lambda: Failure(
        "TCI.sys.wrapped", f"hart {number}: {len(told)} instructions from the wrapped buffer are not the end of {len(all_of_it)}",
    ))  # fmt: skip


def _images(book: ClauseBook, number: int, hart: HartRun, data: bytes) -> None:
    """A hart that ran several programs: the decoder, given all images, finds every instruction."""
    decoded = decode(data, hart.images, hart.config)
    book.count("TCI.sys.images", len(hart.pcs))
    ok = not decoded.diagnostics and np.array_equal(decoded.pcs, hart.pcs)
    at = next((i for i, (a, b) in enumerate(zip(decoded.pcs, hart.pcs)) if a != b), min(len(decoded.pcs), len(hart.pcs)))
    book.check("TCI.sys.images", ok, lambda: Failure(
        "TCI.sys.images", f"hart {number}: {len(decoded.pcs)} instructions were told of {len(hart.pcs)}; number {at} is the first that differs",
        table=[("pc", *(f"{int(some[at]):#x}" if at < len(some) else "" for some in (hart.pcs, decoded.pcs)))],
        before=[str(diagnostic) for diagnostic in decoded.diagnostics[:3]],
    ))  # fmt: skip


def _returned(capture: SystemCapture, book: ClauseBook, number: int, sent: bytes, back: bytes) -> None:
    """What came back is all of what a hart's encoder sent, or its end if the buffer wrapped, or its beginning if it stopped."""
    book.count("TCI.sys.sources", len(split(sent)))
    end = capture.expect.get("wrapped"), capture.expect.get("stopped")
    ok = back == sent or bool(end[0] and _is_end(back, sent)) or bool(end[1] and sent.startswith(back))
    book.check("TCI.sys.sources", ok, lambda: Failure(
        "TCI.sys.sources", f"hart {number}: {len(back)} bytes came back of {len(sent)} that were sent",
        table=[("bytes", sent[-16:].hex(" "), back[-16:].hex(" "))],
    ))  # fmt: skip


def _is_end(back: bytes, sent: bytes) -> bool:
    """Whether `back`, its first message perhaps cut, ends `sent`."""
    whole = b"".join(split(back)[1:])
    return sent.endswith(whole)


def _hart(capture: SystemCapture, hart: HartRun, data: bytes) -> Verdict:
    return check(Capture(
        config=hart.config, program=hart.program, data=data, beats=hart.beats, exact=capture.exact, rerun=capture.rerun,
    ))  # fmt: skip
