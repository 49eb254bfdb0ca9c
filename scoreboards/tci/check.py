# SPDX-License-Identifier: Apache-2.0
"""The check of the trace system that the Trace Control Interface controls: from one run, a verdict for each clause.
Needs no simulator.

    verdict = check(capture)

Registers, funnel, sinks and levels are checked against scoreboards/tci/plan.toml; the bytes of each encoder, as read
back from the sink, against the plan of the encoder's protocol by its own check (scoreboards/tci/protocol.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rvtrace.models.ntrace.decoder.sources import stays
from rvtrace.models.riscv.retired import Priv
from rvtrace.models.tci.register_model import RegisterModel
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure, Plan, plan_of
from rvtrace.scoreboards.common.matching import same_start
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.tci.capture import HartRun, TciCapture
from rvtrace.scoreboards.tci.counter import check_counters
from rvtrace.scoreboards.tci.encoder import check_encoders
from rvtrace.scoreboards.tci.funnel import check_flush, check_funnel
from rvtrace.scoreboards.tci.registers import RegisterCheck
from rvtrace.scoreboards.tci.sinks import PinCheck, RamCheck

FEATURES_OFFSET = 0x008  # trTeInstFeatures
SLACK = 16  # bytes of a buffer that may be idle, at the ends of sessions


@dataclass
class TciVerdict:
    """What a check found.

    book: the Trace Control Interface's clauses; harts: the protocol's, for each hart that was traced.
    """

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


def plan() -> Plan:
    """The clauses of the Trace Control Interface, from the plan.toml beside this file."""
    return plan_of(__file__)


def check(capture: TciCapture, tolerances: None = None, *, book: ClauseBook | None = None) -> TciVerdict:
    """Check one run against every clause that applies. book: may have checks already (the trace tool's own)."""
    book = ClauseBook(plan(), capture.rerun) if book is None else book
    verdict = TciVerdict(book)
    book.count("TCI.bus.protocol", len(capture.accesses))
    for cycle, text in capture.bus_problems:
        book.fail(Failure("TCI.bus.protocol", text, cycle=cycle), counted=True)
    RegisterCheck(capture.params, book).run(capture.accesses)
    if not capture.harts:
        return verdict
    changes = [_enablings(capture, number, hart) for number, hart in enumerate(capture.harts)]
    check_encoders(capture, book)
    check_counters(capture, book)
    check_funnel(capture, book)
    check_flush(capture, book)
    RamCheck(capture, book).run()
    PinCheck(capture, book).run()
    _sources(capture, verdict)
    if any(changes):
        book.count("TCI.te.settings", sum(changes))
        wrong = [failure for one in verdict.harts for failure in one.failures]
        book.check(
            "TCI.te.settings",
            not wrong,
            lambda: Failure(
                "TCI.te.settings",
                f"options were changed between sessions, and the streams are not those of them: {wrong[0].headline}",
            ),
        )
    return verdict


def _enablings(capture: TciCapture, number: int, hart: HartRun) -> int:
    """Puts the options of each session into the beats of a hart; returns how often they changed."""
    model = RegisterModel(capture.params)
    place = model.place(f"encoder{number}" if len(capture.harts) > 1 else "encoder")
    found, enabled = [], 0
    for access in capture.accesses:
        if access.write:
            model.write(access.addr, access.data)
            before, enabled = enabled, place.get("trTeEnable")
            if enabled and not before:
                found.append((access.cycle, place.values[FEATURES_OFFSET]))
    return hart.protocol.settings(hart, found)


def _sources(capture: TciCapture, verdict: TciVerdict) -> None:
    """The bytes of each hart, as they came back, against what it retired."""
    expect = capture.expect
    speaks = capture.protocol
    back = capture.readback if capture.readback is not None else capture.merged.data
    if expect.get("wrapped") and speaks.zeros:
        _joined(capture, verdict.book, back)
    returned = speaks.by_source(back, capture.harts, bool(expect.get("wrapped")))
    found: dict[int, np.ndarray] = {}
    for number, hart in enumerate(capture.harts):
        src = speaks.source(hart)
        if not len(hart.beats) or number in expect.get("untraced", ()):
            continue
        whole = sent = b"".join(one.data for one in hart.stream.messages)
        _numbered(capture, verdict.book, number, hart, sent)
        if number not in expect.get("left_out", ()):
            whole = speaks.whole(capture, hart)
            _returned(capture, verdict.book, number, sent, returned.get(src, b""))
        if expect.get("cut"):
            _prefix(verdict.book, number, hart, sent)
        elif hart.images is not None and hart.pcs is not None:
            found[src] = hart.pcs
            _exact(verdict.book, number, hart, whole)
        else:
            verdict.harts.append(speaks.check(capture, hart, whole))
            _options(verdict.book, number, hart, verdict.harts[-1])
            found[src] = verdict.harts[-1].decoded.pcs
            if expect.get("wrapped"):
                _tail(verdict.book, number, hart, returned.get(src, b""), verdict.harts[-1])
    if any(map(speaks.source, capture.harts)) and not {"wrapped", "stopped", "cut", "left_out"} & {
        name for name, value in expect.items() if value
    }:
        _together(capture, verdict.book, back, found)
    verdict.stats |= {
        "instructions": (
            sum(v.stats["instructions"] for v in verdict.harts)
            + sum(len(h.pcs) for h in capture.harts if h.pcs is not None)
        ),
        "reported": sum(map(len, found.values())),
        "bytes": len(capture.merged.data),
        "messages": len(capture.merged.messages),
        "accesses": len(capture.accesses),
    }
    reported = verdict.stats["reported"]
    verdict.stats["bits_per_instruction"] = 8 * len(capture.merged.data) / reported if reported else 0.0


def _numbered(capture: TciCapture, book: ClauseBook, number: int, hart: HartRun, sent: bytes) -> None:
    """Every message carries the number of its encoder."""
    parts = capture.protocol.by_source(sent, capture.harts)
    wrong = sorted(set(parts) - {capture.protocol.source(hart)})
    book.count("TCI.te.source", len(capture.grammar.split(sent)))
    book.check(
        "TCI.te.source",
        not wrong,
        lambda: Failure(
            "TCI.te.source",
            f"hart {number}: its encoder is source {capture.protocol.source(hart)}, and sends messages of sources"
            f" {wrong}",
        ),
    )


def _joined(capture: TciCapture, book: ClauseBook, back: bytes) -> None:
    """A wrapped buffer is read from the first whole start packet on, before which a reader finds its zeros; all from
    there on are found.
    """
    left, whole = len(back) - SLACK, []
    for sent in reversed(capture.merged.messages):
        left -= len(sent.data)
        if left < 0:
            break
        whole.append(sent.data)
    whole.reverse()
    first = next((i for i, data in enumerate(whole) if capture.protocol.starts(data)), len(whole))
    wanted = [data.lstrip(b"\0") for data in whole[first:]]
    found = capture.grammar.split(back, True)
    book.count("TCI.sys.joined", len(wanted))
    book.check(
        "TCI.sys.joined",
        found[len(found) - len(wanted) :] == wanted,
        Failure(
            "TCI.sys.joined",
            f"{len(found)} packets are found in the wrapped buffer, which ends with {len(wanted)} from a start"
            " packet on",
        ),
    )


def _options(book: ClauseBook, number: int, hart: HartRun, verdict: Verdict) -> None:
    """The encoder does what its registers were set to: its stream satisfies every clause under that configuration."""
    clause = "TCI.te.filters" if hart.config.filter else "TCI.te.options"
    book.count(clause, int(verdict.stats.get("messages", verdict.stats.get("packets", 0))))
    book.check(
        clause,
        verdict.passed,
        lambda: Failure(
            clause,
            f"hart {number}: with {_given(hart.config)} in its registers its stream violates"
            f" {', '.join(verdict.book.failed)}",
        ),
    )


def _given(config: Any) -> str:
    """What differs from the default configuration."""
    plain = type(config)().to_dict()
    return " ".join(f"{name.upper()}={value}" for name, value in config.to_dict().items() if value != plain[name])


def _together(capture: TciCapture, book: ClauseBook, back: bytes, found: dict[int, np.ndarray]) -> None:
    """The whole stream at once, with each hart's program or images: every source reports its flow (11.2 to 11.4)."""
    speaks = capture.protocol
    traces = speaks.decoded(back, [hart for hart in capture.harts if speaks.source(hart) in found])
    if not traces:
        return
    for src, wanted in found.items():
        if not len(wanted):
            continue  # never traced: nothing to synchronize with
        hart = next(h for h in capture.harts if speaks.source(h) == src)
        clause = (
            "TCI.sys.decode"
            if hart.images is None
            else "TCI.sys.replaced"
            if capture.expect.get("replaced")
            else "TCI.sys.images"
        )
        _same(book, clause, src, wanted, traces[src])
    for context, wanted in capture.expect.get("history", {}).items():
        parts = [traces[stay.src].pcs[stay.begin : stay.end] for stay in stays(traces, context, Priv.U)]
        joined = np.concatenate(parts) if parts else np.zeros(0, np.uint64)
        book.count("TCI.sys.move", len(wanted))
        book.check(
            "TCI.sys.move",
            np.array_equal(joined, wanted),
            Failure(
                "TCI.sys.move",
                f"process {context:#x} ran {len(wanted)} instructions, and its {len(parts)} sections report"
                f" {len(joined)}",
            ),
        )


def _same(book: ClauseBook, clause: str, src: int, wanted: np.ndarray, trace: Any) -> None:
    told = trace.pcs
    # After a vendor-defined message a sync may report an earlier time (docs/reference/ntrace-profile.md); the hart's
    # own check judges that.
    odd = [diagnostic for diagnostic in trace.diagnostics if diagnostic.clause != "NT.8.7.monotonic"]
    at = same_start(wanted, told)
    shown = [f"{int(some[at]):#x}" if at < len(some) else "" for some in (wanted, told)]
    book.count(clause, len(wanted))
    book.check(
        clause,
        not odd and np.array_equal(wanted, told),
        lambda: Failure(
            clause,
            f"source {src}: {len(told)} of {len(wanted)} instructions are reported; number {at} is the first that"
            " differs",
            table=[("pc", shown[0], shown[1])],
            before=[str(diagnostic) for diagnostic in odd[:3]],
        ),
    )


def _exact(book: ClauseBook, number: int, hart: HartRun, data: bytes) -> None:
    """A hart of several programs: the bytes need no program to be predicted."""
    due, data = hart.protocol.due(hart), hart.protocol.bare(hart, data)
    book.count("TCI.sys.exact", len(hart.protocol.grammar(hart.config).split(due)))
    book.check(
        "TCI.sys.exact",
        due == data,
        Failure("TCI.sys.exact", f"hart {number}: {len(data)} bytes were sent, {len(due)} expected"),
    )


def _prefix(book: ClauseBook, number: int, hart: HartRun, sent: bytes) -> None:
    """A run that ended in a reset: what was sent until then is the beginning of what was due."""
    due, sent = hart.protocol.due(hart), hart.protocol.bare(hart, sent)
    book.count("TCI.sys.prefix", len(hart.protocol.grammar(hart.config).split(sent)))
    book.check(
        "TCI.sys.prefix",
        due.startswith(sent),
        lambda: Failure(
            "TCI.sys.prefix",
            f"hart {number}: {len(sent)} bytes were sent until the reset, and they are not the start of the expected"
            " bytes",
        ),
    )


def _tail(book: ClauseBook, number: int, hart: HartRun, back: bytes, whole: Verdict) -> None:
    """A wrapped buffer is decoded from its first synchronizing message on; that is the end of the whole flow."""
    told = hart.protocol.pcs(hart, back)
    all_of_it = whole.decoded.pcs
    book.count("TCI.sys.wrapped", len(told))
    ok = len(told) <= len(all_of_it) and np.array_equal(told, all_of_it[len(all_of_it) - len(told) :])
    book.check(
        "TCI.sys.wrapped",
        ok,
        lambda: Failure(
            "TCI.sys.wrapped",
            f"hart {number}: {len(told)} instructions from the wrapped buffer are not the end of {len(all_of_it)}",
        ),
    )


def _returned(capture: TciCapture, book: ClauseBook, number: int, sent: bytes, back: bytes) -> None:
    """What came back is all of what a hart's encoder sent, or its end if the buffer wrapped, or its beginning if it
    stopped.
    """
    messages = capture.grammar.split(sent)
    book.count("TCI.sys.sources", len(messages))
    sent = b"".join(messages)
    end = capture.expect.get("wrapped"), capture.expect.get("stopped")
    ok = (
        back == sent
        or bool(end[0] and sent.endswith(capture.protocol.joined(back)))
        or bool(end[1] and sent.startswith(back))
    )
    book.check("TCI.sys.sources", ok, lambda: Failure(
        "TCI.sys.sources", f"hart {number}: {len(back)} bytes were read back of {len(sent)} that were sent",
        table=[("bytes", sent[-16:].hex(" "), back[-16:].hex(" "))],
    ))  # fmt: skip
