# SPDX-License-Identifier: Apache-2.0
"""What explains the packets of an E-Trace encoder that cannot be decoded as claimed: other parameters, other options,
or another layout than the specification's.

`Packets` is what the search of scoreboards/diagnosis/search.py knows of one capture; the dialects are in
dialect_table.py. A reading is first judged by what is cheap to see: whether payloads have the length of their fields,
and the synchronization packets addresses of the program. Only one that is no worse in that is decoded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from rvtrace.models.common.options import ConfigError
from rvtrace.models.etrace.config import ENCAP, NO_OPTION, Config
from rvtrace.models.etrace.decoder.decode import DecodedTrace, decode
from rvtrace.models.etrace.decoder.deframe import OF_TRANSPORT, deframe
from rvtrace.models.etrace.decoder.path import Code
from rvtrace.models.etrace.table import OPTIONS as IOPTIONS
from rvtrace.models.etrace.table import PRIVILEGE_NAMES, TABLES
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.common.places import Rows
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.diagnosis.cheap import Act, shows
from rvtrace.scoreboards.diagnosis.search import Dialect, Example, Reading, Variation, more, variations
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.dialect_table import dialects
from rvtrace.scoreboards.etrace.dialects import Known, Rewriter, rewritten_packets
from rvtrace.scoreboards.etrace.encapsulation import sources
from rvtrace.scoreboards.etrace.expected import TRACE_LOST, expected
from rvtrace.scoreboards.etrace.layout import Packets as Table
from rvtrace.scoreboards.etrace.layout import Read
from rvtrace.scoreboards.etrace.local import is_local
from rvtrace.scoreboards.etrace.table import Locator, field_text
from rvtrace.scoreboards.etrace.transported import transport_dialects

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
TRANSPORT = (  # tried where packets are known from transported bytes alone
    Variation("encapsulation", "ET.tra.messaging"),
    Variation("index_width", "ET.tra.index"),
    Variation("timestamp_bytes", "ET.enc.timestamp"),
    Variation("type_bits", "ET.enc.type"),
)
SOURCE = Variation("src_bits", "ET.enc.srcid")  # likewise, with the ID that most packets then have
WRAPPING = (*(one.option for one in (*TRANSPORT, SOURCE)), "src_id")  # options that change where payloads are
IDLE = ("encoder_mode", "denable", "dloss", "doptions")  # fields that are 0 in a branch trace
SUPPORT = 0xF  # format and subformat of 3.3
BITS = len(IOPTIONS)  # of ioptions that mean something
LAYOUT = Variation("ioptions_layout", "ET.pay.ioptions")
FEW = 3  # packets that are wrong by themselves rather than by a deviation
NEAR, BEFORE, WIDE = 120, 60, 1500  # packets after the first that is lost, and before it; packets that `lost` looks at
GLANCED = 30  # packets of a window that are read before it is decoded
MOSTLY = 0.75  # of them: some may be damaged
SEEN = 0.1  # share of them that may be unreadable more than as claimed
MOST_DECODED = 200_000  # instructions of a window; a wrong reading can report millions
MOST_TRIED, MOST_READ = 700, 3000  # readings of one window that are decoded (a longer one counts more), and read
MOST_ALL = 20_000_000  # instructions of a whole trace
HABIT, FIRST = 3, 2  # packets that a dialect must change; packets of which each shows one: support and 3.0
LEGIBLE = 4  # packets of failures that another reading has to change
EARLIEST = 400  # packets among which they are: what is wrong with all of a kind shows early
MOST_JUDGED = 40  # readings of a trace that decodes as claimed that are judged
UNLOST = 4  # packets that a loss counts which cannot have been
EARLY = 0.2  # weight of how far decoding gets
LOOKS = 0.3  # weight of what can be seen without decoding


class Window(NamedTuple):
    """Packets [begin, end). looks: the share of the first ones that can be read with the reading before."""

    begin: int
    end: int
    looks: float


class Packets:
    """One capture as hypotheses see it. wanted: the PCs that retired, where they are known."""

    def __init__(self, capture: EtraceCapture, wanted: np.ndarray | None = None) -> None:
        self._capture, self._wanted = capture, wanted
        self._transported = transported(capture)
        framing = transport_dialects(capture.config) if self._transported else ()
        others = [(variation.option, config) for variation, config in variations(capture.config, OPTIONS)]
        self.dialects: Sequence[Dialect] = (*framing, *dialects(capture.config, others))
        self._streams: dict[Any, list[bytes]] = {}
        self._tried, self._read = 0.0, 0
        self._shares: dict[tuple[tuple[bytes, ...], Config], float] = {}  # of packets that several readings give
        self._known, self._code = Known(), Code(capture.program)
        self._lost = lru_cache(maxsize=None)(self._measured)
        self._legible: list[Reading[Config]] | None = None

    @property
    def size(self) -> int:
        """Packets."""
        return len(self._capture.packets)

    def others(self, config: Config) -> Iterator[tuple[Variation, Config]]:
        """Every parameter that gives packets their layout with every other value, and other orders of the options."""
        if self._read > MOST_READ:
            return
        for layout in _ioptions_layouts(config):
            with suppress(ConfigError):
                yield LAYOUT, replace(config, ioptions_layout=layout)
        if self._transported and config.encapsulation == ENCAP:
            yield from (
                (SOURCE, other)
                for other in sources(self._capture.data or b"", config)
                if other.src_bits != config.src_bits
            )
        yield from variations(config, (*TRANSPORT, *OPTIONS) if self._transported else OPTIONS)

    def follows(self, trace: DecodedTrace) -> bool:
        """Whether a trace that was decoded as claimed has nothing to explain, or is damaged at a few places."""
        return self._stops(trace) is None or is_local(self._capture, trace, self._differs(trace))

    def likely(self, config: Config) -> list[Reading[Config]]:
        """Byte addresses, where the fields of most packets 3.0 are addresses of the program before they are shifted,
        and hardly any after it.
        """
        rewriter = self._rewriter(Reading(config))
        if rewriter is None:
            return []
        read = [rewriter.packet(payload)[0] for payload in self._capture.packets]
        fields = [p.values["address"] for p in read if p is not None and p.name == "start" and "address" in p.values]
        sent = np.array([value & (1 << 64) - 1 for value in fields[:GLANCED]], np.uint64)
        plain, shifted = (
            np.count_nonzero(self._capture.program.columns(sent << np.uint64(by)).size)
            for by in (0, config.iaddress_lsb_p)
        )
        if not len(sent) or plain < MOSTLY * len(sent) or shifted > (1 - MOSTLY) * len(sent):
            return []
        return [Reading(config, (dialect,)) for dialect in self.dialects if dialect.name == "address_bytes"]

    def window(self, reading: Reading[Config]) -> Window | None:
        """Around the first packet that is lost."""
        self._tried, self._read = 0.0, 0
        self._shares.clear()
        packets = self._packets(reading)
        decoded = self._decoded(reading, len(packets))
        first = None if decoded is None else self._stops(decoded[0])
        if decoded is not None and first is None:
            return None
        begin = 0 if first is None or first < NEAR else self._joined(packets, first - BEFORE)
        end = min((first or 0) + NEAR, len(packets))
        rewriter = self._rewriter(reading)
        return Window(begin, end, 0.0 if rewriter is None else self._looks(rewriter, packets[begin:end])[0])

    @staticmethod
    def _joined(packets: list[bytes], place: int) -> int:
        """The last synchronization packet before a place, or the place if that is too far."""
        starts = (n for n in range(place, max(place - WIDE, -1), -1) if packets[n][:1] and packets[n][0] & 0xB == 3)
        return next(starts, place)

    def near(self, reading: Reading[Config], window: Window) -> float:
        """Packets lost or wrong, of those of a window; all, if they look less like packets than they did."""
        self._read += 1
        if self._read > MOST_READ or self._tried > MOST_TRIED:
            return 1.0
        rewriter = self._rewriter(reading)
        if rewriter is None:
            return 1.0
        packets = self._packets(reading)[window.begin : window.end]
        looks, first = self._looks(rewriter, packets)
        if looks < window.looks - SEEN:
            return 1.0
        part = (*first, *rewritten_packets(packets[len(first) :], rewriter))
        share = self._shares.get((part, rewriter.config))
        if share is None:
            self._tried += len(packets) / (NEAR + BEFORE)
            trace = decode(part, self._capture.program, rewriter.config, MOST_DECODED, self._code)
            share = self._shares[part, rewriter.config] = self._share(trace, part, window.begin == 0)
        return (share + LOOKS * (1 - looks)) / (1 + LOOKS)

    def past(self, reading: Reading[Config], window: Window) -> Window:
        """The window: what is decoded is the same."""
        return window

    def lost(self, reading: Reading[Config]) -> float:
        """The same for a large part of the trace; all of it where few packets are other: what is wrong once is no habit
        of a device, unless it is at the start.
        """
        return self._lost(reading)

    def _is_habit(self, reading: Reading[Config]) -> bool:
        """Whether enough packets mean something else than as claimed, or no fields do."""
        claimed = Reading(self._capture.config)
        meant, plain, packets = self._rewriter(reading), self._rewriter(claimed), self._packets(reading)
        if meant is None or plain is None or packets != self._packets(claimed):
            return True
        changed: list[int] = []
        for number, packet in enumerate(packets):
            if meant.packet(packet)[0].values != plain.packet(packet)[0].values:
                changed.append(number)
                if number <= FIRST or len(changed) >= HABIT:
                    return True
        return not changed

    def example(self, reading: Reading[Config], other: Reading[Config], verdict: Verdict) -> Example | None:
        """The first packet that is read otherwise; where all are read alike, the first that leads the decoder elsewhere
        or stops it.
        """
        meant, plain = self._rewriter(reading), self._rewriter(other)
        if meant is None or plain is None:
            return None
        payloads, others = self._packets(reading), self._packets(other)
        clauses: tuple[str, ...] = ()
        differing = [k for k, pair in enumerate(zip_longest(payloads, others)) if pair[0] != pair[1]]
        rows: Rows = []
        if differing:  # the transport is another one
            at = min(differing[0], len(payloads) - 1)
            due, have = (part[at].hex(" ") if at < len(part) else "-" for part in (payloads, others))
            rows = [("payload", due, have)]
            number = len(differing)
        else:
            pairs = [(meant.packet(payload), plain.packet(payload)) for payload in payloads]
            changed = [k for k, (a, b) in enumerate(pairs) if (a[0].name, a[0].values) != (b[0].name, b[0].values)]
            at, number = (changed[0], len(changed)) if changed else (self._parted(reading, other), 0)
            if at is None or at >= len(payloads):
                return None
            (is_meant, sent), (is_plain, _) = pairs[at]
            clauses = _beside(meant.table, is_meant, is_plain) if changed else ()
            due = payloads[at] if sent is None or sent == payloads[at] else sent
            rows = [("bytes", "" if due == payloads[at] else due.hex(" "), payloads[at].hex(" "))]
            rows += _fields((is_meant, reading.config.iaddress_lsb_p), (is_plain, other.config.iaddress_lsb_p))
        decoded = verdict.decoded
        place = Locator(verdict.read, decoded.packets, decoded.pcs, np.asarray(decoded.first_pc))
        shown = place.failure("", "", at, rows)
        return Example(self._capture.named(at), shown, number, len(payloads), clauses)

    def legible(self, failures: Sequence[Failure]) -> list[Reading[Config]]:
        """Those in which the packets of failures have other fields, and which lose no more."""
        if self._legible is not None:
            return self._legible
        self._legible = []
        claimed = Reading(self._capture.config)
        packets, plain = self._packets(claimed), self._rewriter(claimed)
        last = min(len(packets), EARLIEST)
        places = sorted({one.at for one in failures if one.at is not None and 0 <= one.at < last})[:LEGIBLE]
        if plain is None or not places or (self._capture.beats is None and len(failures) < FEW):
            return []
        was = [plain.packet(packet)[0] for packet in packets[: places[-1] + 1]]
        found: list[Reading[Config]] = []
        for reading in more(self, claimed):
            if any(one.group.startswith("extra") or one.group.endswith("width") for one in reading.dialects):
                continue  # what has no place as claimed, or none with it, explains whatever is in it
            rewriter = self._rewriter(reading)
            if rewriter is None or self._packets(reading) is not packets:
                continue
            now = [rewriter.packet(packet)[0] for packet in packets[: places[-1] + 1]]
            other = any(now[at].values != was[at].values for at in places)
            whole = all(now[at].values.keys() >= was[at].values.keys() for at in places)  # nothing is hidden
            if other and whole and not any(one.problem for one in now):
                found.append(reading)
        least = self.lost(claimed)
        self._legible = [reading for reading in found if self.lost(reading) <= least][:MOST_JUDGED]
        return self._legible

    def _parted(self, reading: Reading[Config], other: Reading[Config]) -> int | None:
        """The first packet after which a decoder is not at the same place, or stops."""
        pair = [found for one in (reading, other) if (found := self._decoded(one, len(self._capture.packets)))]
        if len(pair) < len((reading, other)):
            return None
        (right, _), (wrong, _) = pair
        n = min(len(right), len(wrong))
        differ = np.flatnonzero(right.pcs[:n] != wrong.pcs[:n])
        first = np.asarray(right.first_pc)
        places = [int(np.searchsorted(first, int(differ[0]), side="right")) - 1] if len(differ) else []
        return min([*places, *(d.packet for d in wrong.diagnostics[:1])], default=None)

    def _measured(self, reading: Reading[Config]) -> float:
        if reading.dialects and not self._is_habit(reading):
            return 1.0
        decoded = self._decoded(reading, WIDE)
        return 1.0 if decoded is None else self._share(*decoded, from_start=True)

    def _rewriter(self, reading: Reading[Config]) -> Rewriter | None:
        with suppress(ConfigError):
            return Rewriter(reading.config, self._capture.program, reading.dialects, self._known)
        return None

    def _packets(self, reading: Reading[Config]) -> list[bytes]:
        """The payloads as a reading finds them in the transported bytes."""
        config = reading.config
        wrapping = (getattr(config, name) for name in WRAPPING)
        key = (*wrapping, *(d.name for d in reading.dialects if d.rewriting.frames))
        if key not in self._streams:
            self._streams[key] = payloads_of(self._capture, reading)
        return self._streams[key]

    def _looks(self, rewriter: Rewriter, packets: list[bytes]) -> tuple[float, list[bytes]]:
        """The share of the first packets that have the length of their fields, and addresses of the program; and those
        packets as the specification has them.
        """
        good, addresses, lsb = 0, [], rewriter.config.iaddress_lsb_p
        part = packets[:GLANCED]
        rewritten = []
        for payload in part:
            was, sent = rewriter.packet(payload)
            rewritten.append(payload if sent is None else sent)
            if sent is None:
                continue
            values, good = was.values, good + 1
            if (
                was.name in ("start", "trap", "context")
                and values.get("privilege", 0) not in PRIVILEGE_NAMES
                or was.name == "support"
                and any(values.get(name) for name in IDLE)
                or values.get("ioptions", 0) >> BITS
            ):
                good -= 1
            elif was.name == "start" or (was.name == "trap" and values.get("thaddr", 1) and "address" in values):
                addresses.append(values["address"] << lsb & (1 << 64) - 1)
        if addresses:
            sizes = self._capture.program.columns(np.array(addresses, np.uint64)).size
            good -= int(np.count_nonzero(sizes == 0))
        return good / max(len(part), 1), rewritten

    def _decoded(self, reading: Reading[Config], end: int) -> tuple[DecodedTrace, Sequence[bytes]] | None:
        """The first packets, and what was decoded."""
        rewriter = self._rewriter(reading)
        if rewriter is None:
            return None
        packets = self._packets(reading)[:end]
        part = rewritten_packets(packets, rewriter) if reading.dialects else packets
        return decode(part, self._capture.program, rewriter.config, MOST_ALL, self._code), part

    def _share(self, trace: DecodedTrace, payloads: Iterable[bytes], from_start: bool) -> float:
        """Packets lost or wrong; a little less where decoding gets farther."""
        n = len(trace.first_pc)
        if not len(trace) or not n:
            return 1.0
        bad = sum(d.lost_packets + 1 for d in trace.diagnostics) + trace.skipped + self._unlost(trace, payloads)
        first = min((d.packet for d in trace.diagnostics), default=n)
        wrong = self._differs(trace) if from_start else None
        if wrong is not None:
            bad, first = max(bad, n - wrong), min(first, wrong)
        return min(bad / n, 1.0) * (1 - EARLY * first / n)

    def _unlost(self, trace: DecodedTrace, payloads: Iterable[bytes]) -> int:
        """Losses that are reported and cannot have been: after one, anything may be missing."""
        beats, cycles = self._capture.beats, self._capture.packet_cycle
        if beats is None or not any(payload[:1] and payload[0] & 0xF == SUPPORT for payload in payloads):
            return 0
        said = [k for k, p in enumerate(trace.packets) if p is not None and p.get("qual_status") == TRACE_LOST]
        if not said:
            return 0
        if cycles is None:
            episodes = int(np.count_nonzero(np.diff(beats.drop.astype(np.int8), prepend=0) > 0))
            return UNLOST * max(len(said) - episodes, 0)
        # a beat was taken without room before each of them, and after the one before it
        dropped = np.searchsorted(beats.cycle[beats.drop.astype(bool)], np.asarray(cycles)[said], side="right")
        return UNLOST * int(np.count_nonzero(np.diff(dropped, prepend=0) == 0))

    def _stops(self, trace: DecodedTrace) -> int | None:
        """The first packet that is lost; None if only single ones are."""
        lost, wrong = [d for d in trace.diagnostics if d.lost_packets], self._differs(trace)
        none = len(trace.first_pc) > 0 and not len(trace)
        if sum(d.lost_packets for d in lost) < FEW and wrong is None and not none:
            return None
        return min([d.packet for d in lost[:1]] + ([] if wrong is None else [wrong]), default=0)

    def _differs(self, trace: DecodedTrace) -> int | None:
        """The first packet after which a PC is not the one that retired; None where none is, or none is known."""
        if self._wanted is None or not len(trace):
            return None
        first = np.asarray(trace.first_pc)
        gap = min(
            (e.index for e in trace.events if e.kind == "ambiguous" or "lost" in e.text), default=len(trace)
        )  # where rounds of a loop, or what was lost, may be missing
        damaged = min((d.packet for d in trace.diagnostics), default=len(first))
        upto = min(gap, len(self._wanted), int(first[damaged]) if damaged < len(first) else len(trace))
        differ = np.flatnonzero(trace.pcs[:upto] != self._wanted[:upto])
        if not len(differ):
            return None
        return max(int(np.searchsorted(first, int(differ[0]), side="right")) - 1, 0)


def acts(capture: EtraceCapture, trace: DecodedTrace) -> list[Act]:
    """What the hart did that one packet reports; nothing if some were lost, or not all is read as it was sent."""
    wanted = expected(capture)
    lost = wanted.drop_at is not None and len(wanted.drop_at)
    traps = [trap.index for trap in wanted.traps if not trap.optional]
    if lost or None in trace.packets or not shows(trace.pcs, wanted.pc, traps, capture.beats is not None):
        return []
    sent = sum(packet is not None and packet.name == "trap" for packet in trace.packets)
    return [Act("ET.bt.traps", TABLES[capture.config.variant]["trap"].reports, "trap", len(traps), sent)]


def _beside(table: Table, meant: Read, plain: Read) -> tuple[str, ...]:
    """The clauses of the fields on both sides of the first bit that a packet has otherwise."""
    if not meant.name:
        return ()
    spans = meant.spans
    first = next((n for n, (a, b) in enumerate(zip_longest(spans, plain.spans)) if a != b), len(spans))
    names = [span.name for span in spans[max(first - 1, 0) : first + 1]]
    return tuple(one.clause for one in table[meant.name].fields if one.key in names and one.clause)


def _fields(meant: tuple[Read, int], plain: tuple[Read, int]) -> Rows:
    """The fields of a packet as two readings have them, each with the shift of its addresses."""
    rows: Rows = [("packet", meant[0].name or "none", plain[0].name or "none")]
    for name in dict.fromkeys((*meant[0].values, *plain[0].values)):
        if name not in ("format", "subformat"):
            due, have = (
                field_text(name, one.values[name], lsb) if name in one.values else "-" for one, lsb in (meant, plain)
            )
            rows.append((name, due, have))
    return [*rows, ("", "", plain[0].problem)] if plain[0].problem else rows


def _ioptions_layouts(config: Config) -> Iterator[str]:
    """Other orders of the options: reversed, one bit farther, two of them exchanged; of an order that is declared the
    first two.
    """
    names = list(config.ioptions_bits)
    if config.ioptions_layout:
        turned = (names[::-1], [*names[1:], names[0]], [names[-1], *names[:-1]])
        yield from dict.fromkeys(",".join(order) for order in turned if order != names)
        return
    known, rest = names[: len(IOPTIONS)], names[len(IOPTIONS) :]
    yield ",".join([*reversed(known), *rest])
    if rest:
        yield ",".join(reversed(names))
    yield ",".join([NO_OPTION, *names[:-1]])
    for a in range(len(IOPTIONS)):
        for b in range(a + 1, len(IOPTIONS)):
            other = names.copy()
            other[a], other[b] = other[b], other[a]
            yield ",".join(other)


def transported(capture: EtraceCapture) -> bool:
    """Whether the packets are known from transported bytes alone: nobody watched the encoder's own port."""
    return capture.data is not None and capture.packet_cycle is None and capture.types is None


def payloads_of(capture: EtraceCapture, reading: Reading[Config]) -> list[bytes]:
    """The payloads of a capture, from its bytes if the reading has another transport."""
    others = [d.rewriting.frames for d in reading.dialects if d.rewriting.frames is not None]
    if others and capture.data is not None:
        return others[0](capture.data, reading.config)
    same = all(getattr(reading.config, name) == getattr(capture.config, name) for name in WRAPPING)
    if same or capture.data is None:
        return capture.packets
    return deframe(capture.data, reading.config)[0]


def as_read(capture: EtraceCapture, reading: Reading[Config]) -> EtraceCapture:
    """The capture as a device without the deviations of a reading would have given it.

    A transport with another header is not judged any further.
    """
    rewriter = Rewriter(reading.config, capture.program, reading.dialects)
    payloads = payloads_of(capture, reading)
    packets = rewritten_packets(payloads, rewriter) if reading.dialects else payloads
    data = None if any(d.rewriting.frames for d in reading.dialects) else capture.data
    problems = [problem for problem in capture.problems if not any(f"[{start}" in problem for start in OF_TRANSPORT)]
    return replace(capture, config=rewriter.config, packets=packets, sent=payloads, data=data, problems=problems)
