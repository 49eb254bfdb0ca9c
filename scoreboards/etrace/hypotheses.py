# SPDX-License-Identifier: Apache-2.0
"""What explains the packets of an E-Trace encoder that cannot be decoded as claimed: other parameters, other options, or
another layout than the specification's.

A *reading* is a configuration and some dialects. Readings are tried on the first part of the trace that does not decode,
each with one deviation more than the best ones before, and the one with which most decodes is taken. First all are
compared by what is cheap to see (whether the payloads have the length of their fields, and the synchronization packets
addresses of the program), then the best by decoding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from rvtrace.models.common.options import ConfigError
from rvtrace.models.etrace.config import NO_OPTION, Config
from rvtrace.models.etrace.decoder.decode import DecodedTrace, decode
from rvtrace.models.etrace.table import OPTIONS as IOPTIONS
from rvtrace.models.etrace.table import PRIVILEGE_NAMES
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.common.hypotheses import MOST, Variation, variations
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.dialect_table import dialects
from rvtrace.scoreboards.etrace.dialects import Dialect, Rewriter, rewritten_packets
from rvtrace.scoreboards.etrace.expected import expected

OPTIONS = (
    Variation("iaddress_lsb_p", "ET.pay.differential"),
    Variation("full_address", "ET.opt.full_address"),
    Variation("privilege_width_p", "ET.pay.privilege"),
    Variation("nocontext_p", "ET.pay.context"),
    Variation("context_width_p", "ET.pay.context"),
    Variation("notime_p", "ET.pay.time"),
    Variation("time_width_p", "ET.pay.time"),
    Variation("ecause_width_p", "ET.pay.ecause"),
    Variation("notval_p", "ET.pay.tval"),
    Variation("return_stack_size_p", "ET.pay.irdepth"),
    Variation("call_counter_size_p", "ET.pay.irdepth"),
    Variation("f0s_width_p", "ET.pay.branch_count"),
    Variation("cache_size_p", "ET.opt.cache"),
    Variation("bpred_size_p", "ET.opt.predictor"),
    Variation("ioptions_n", "ET.pay.ioptions"),
    Variation("encoder_mode_n", "ET.pay.support"),
    Variation("doptions_n", "ET.pay.support"),
    Variation("implicit_return", "ET.opt.implicit_return"),
    Variation("branch_prediction", "ET.opt.prediction"),
    Variation("jump_target_cache", "ET.opt.cache"),
    Variation("implicit_exception", "ET.opt.implicit_exception"),
)
FEW = 3  # packets that are wrong by themselves rather than by a parameter
GLANCED, LOOKED_AT, BEFORE = 40, 160, 40  # packets that are read, that are decoded, and those before the first loss
DECODED = 90  # readings of a round that are decoded
KEPT = 4  # readings of a round that get one deviation more
ROUNDS = 3
JUDGED = 4  # readings that explain a trace equally well
ENOUGH = 0.9  # share of the instructions that is judged without any hypothesis
COST = 0.02  # of a deviation: what one more has to explain at least
IMPROVED = 0.9  # what has to be left of what cannot be explained, at most, for one deviation more
SLACK = 0.05  # share that may be left undecoded for other reasons
PLAIN = 0.2  # weight of what can be seen without decoding


@dataclass(frozen=True)
class Reading:
    """A configuration, and dialects with which packets are read before they are decoded."""

    config: Config
    dialects: tuple[Dialect, ...] = ()

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Equal for equal readings, however they were found."""
        return (self.config, *sorted(d.id for d in self.dialects))


@dataclass(frozen=True)
class Assumed:
    """A deviation that explains a trace, as a failure reports it."""

    clause: str
    field: str
    found: str
    due: str

    def failure(self, left: float, number: int) -> Failure:
        """The finding, before all packets. left: share that cannot be decoded without it. number: of the deviation, if
        there are several.
        """
        text = f"{self.found}; read so, the trace decodes, and as claimed {left:.0%} of it cannot be decoded"
        return Failure(self.clause, text, table=[(self.field, self.due, self.found)], at=number - MOST)


@dataclass(frozen=True)
class Explanation:
    """A reading with which a trace decodes, and where it differs from what was claimed."""

    reading: Reading
    undecoded: float


class Search:
    """The search on one capture. wanted: the PCs of the hart, where they are known."""

    def __init__(self, capture: EtraceCapture, decoded: DecodedTrace, wanted: np.ndarray | None = None) -> None:
        self._capture, self._wanted, self.left = capture, wanted, 0.0
        first = next((d.packet for d in decoded.diagnostics), 0)
        begin = 0 if first < LOOKED_AT else first - BEFORE
        self._from_start = begin == 0
        self._part = capture.packets[begin : first + LOOKED_AT]
        self._glance = self._part[:GLANCED]
        later = [k for k, d in enumerate(decoded.diagnostics) if k and d.lost_packets]
        if len(self._part) > GLANCED and later:
            self._glance = [
                *self._part[: GLANCED // 2],
                *self._part[max(first - begin, GLANCED // 2) :][: GLANCED // 2],
            ]

    def run(self) -> list[Explanation]:
        """The readings that explain most, the best first; none if no reading is much better than the claim."""
        claimed = Reading(self._capture.config)
        known: dict[tuple[object, ...], float] = {}
        best = [(self._score(claimed, known), claimed)]
        for _ in range(ROUNDS):
            if best[0][0] <= COST * (len(self.assumed(best[0][1])) + 1):
                break
            seen: dict[tuple[object, ...], Reading] = {}
            for _, reading in best[:KEPT]:
                for other in self._others(reading):
                    seen.setdefault(other.key, other)
            glanced = sorted((-self._glanced(r), n) for n, r in enumerate(seen.values()))
            readings = list(seen.values())
            scored = [(self._score(readings[n], known), n) for _, n in glanced[:DECODED]]
            found = [(score, readings[n]) for score, n in sorted(scored)]
            merged = sorted([*found[: 2 * KEPT], *best], key=lambda pair: pair[0])
            if merged[0][0] > best[0][0] * IMPROVED:
                break
            best = merged[: 2 * KEPT]
        self.left = left = self._undecoded(claimed)
        good = [Explanation(r, self._undecoded(r)) for score, r in best if score <= best[0][0] + COST]
        return [e for e in good if e.undecoded <= max(SLACK, left / 3) and left - e.undecoded > SLACK]

    def assumed(self, reading: Reading) -> tuple[Assumed, ...]:
        """Where a reading differs from what was claimed."""
        return tuple(assumptions(self._capture.config, reading))

    def _score(self, reading: Reading, known: dict[tuple[object, ...], float]) -> float:
        if reading.key not in known:
            looks = PLAIN * (1 - self._glanced(reading))
            known[reading.key] = self._undecoded(reading) + looks + COST * len(self.assumed(reading))
        return known[reading.key]

    def _others(self, reading: Reading) -> Iterator[Reading]:
        """With one deviation more."""
        for _, config in variations(reading.config, OPTIONS):
            yield replace(reading, config=config)
        for layout in _ioptions_layouts(reading.config):
            with suppress(ConfigError):
                yield replace(reading, config=replace(reading.config, ioptions_layout=layout))
        groups = {d.group for d in reading.dialects}
        for dialect in dialects(reading.config):
            if dialect.group not in groups:
                yield replace(reading, dialects=(*reading.dialects, dialect))

    def _glanced(self, reading: Reading) -> float:
        """The share of packets that look like packets."""
        rewriter = self._rewriter(reading)
        if rewriter is None:
            return 0.0
        good, addresses, lsb = 0, [], reading.config.iaddress_lsb_p
        for payload in self._glance:
            was, sent = rewriter.packet(payload)
            if sent is None:
                continue
            good += 1
            if was.name in ("start", "trap"):
                values = was.values
                if values.get("privilege", 0) not in PRIVILEGE_NAMES:
                    good -= 1
                elif values.get("thaddr", 1) and "address" in values:
                    addresses.append(values["address"] << lsb & (1 << 64) - 1)
        if addresses:
            sizes = self._capture.program.columns(np.array(addresses, np.uint64)).size
            good -= int(np.count_nonzero(sizes == 0))
        return good / max(len(self._glance), 1)

    def _rewriter(self, reading: Reading) -> Rewriter | None:
        with suppress(ConfigError):
            return Rewriter(reading.config, self._capture.program, reading.dialects)
        return None

    def _undecoded(self, reading: Reading) -> float:
        """Packets lost or wrong, of those looked at."""
        try:
            part, config = rewritten_packets(self._part, reading.config, self._capture.program, reading.dialects)
        except ConfigError:
            return 1.0
        trace = decode(part, self._capture.program, config, MOST_DECODED)
        if not len(trace):
            return 1.0
        bad = sum(d.lost_packets + 1 for d in trace.diagnostics) + trace.skipped
        return min(max(bad / len(part), self._astray(trace)), 1.0)

    def _astray(self, trace: DecodedTrace) -> float:
        """The share of packets from the first on with which the decoder is elsewhere than the hart."""
        if self._wanted is None or not self._from_start:
            return 0.0
        upto = min(len(trace), len(self._wanted))
        first = np.asarray(trace.first_pc)
        if trace.diagnostics and trace.diagnostics[0].packet < len(first):
            upto = min(upto, int(first[trace.diagnostics[0].packet]))
        differ = np.flatnonzero(trace.pcs[:upto] != self._wanted[:upto])
        if not len(differ):
            return 0.0
        packet = int(np.searchsorted(first, int(differ[0]), side="right")) - 1
        return 1 - packet / max(len(self._part), 1)


MOST_DECODED = 200_000  # instructions of the part looked at


def _ioptions_layouts(config: Config) -> Iterator[str]:
    """Other orders of the options: reversed, from bit 1 on, two of them exchanged."""
    if config.ioptions_layout:
        return
    names = list(config.ioptions_bits)
    yield ",".join(reversed(names))
    yield ",".join([NO_OPTION, *names[:-1]])
    for a in range(len(IOPTIONS)):
        for b in range(a + 1, len(IOPTIONS)):
            other = names.copy()
            other[a], other[b] = other[b], other[a]
            yield ",".join(other)


def assumptions(claimed: Config, reading: Reading) -> list[Assumed]:
    """Where a reading differs from what was claimed, dialects first."""
    made = [Assumed(d.clause, d.field, d.found, d.due) for d in reading.dialects]
    for option, clause in (*OPTIONS, Variation("ioptions_layout", "ET.pay.ioptions")):
        was, found = getattr(claimed, option), getattr(reading.config, option)
        if was != found:
            name = option.upper()
            made.append(Assumed(clause, name, f"{name}={found}", f"{name}={was} was claimed"))
    return made


def rewritten_capture(capture: EtraceCapture, reading: Reading) -> EtraceCapture:
    """The capture as a device without these deviations would have given it; what is not of it (the transport) is kept."""
    packets, config = rewritten_packets(capture.packets, reading.config, capture.program, reading.dialects)
    return replace(capture, config=config, packets=packets, sent=capture.sent or capture.packets)


def explained(capture: EtraceCapture, verdict: Verdict, judge: Callable[..., Verdict]) -> Verdict | None:
    """The verdict with the reading that explains the capture; None if there is none, or none is needed.

    verdict: as claimed. judge: makes another, of a capture with the deviations that were assumed.
    """
    decoded, share = verdict.decoded, verdict.stats["judged"] / max(verdict.stats["instructions"], 1)
    lost = sum(d.lost_packets for d in decoded.diagnostics)
    if lost < FEW and share >= ENOUGH:
        return None
    search = Search(capture, decoded, expected(capture).pc)
    found = []
    for explanation in search.run()[:JUDGED]:
        reading = explanation.reading
        made = judge(rewritten_capture(capture, reading), assumed=search.assumed(reading), left=search.left)
        found.append(made)
    found = [v for v in found if v.stats["judged"] > verdict.stats["judged"]]
    return max(found, key=_quality, default=None)


def _quality(verdict: Verdict) -> tuple[float, int, int]:
    """More is better: what is judged, then few causes, then few failures."""
    causes = {failure.clause for failure in verdict.failures if not failure.cause}
    failed = sum(count for _, count in verdict.book.results().values())
    return verdict.stats["judged"], -len(causes), -failed
