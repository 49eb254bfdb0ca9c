# SPDX-License-Identifier: Apache-2.0
"""What sinks made of the merged stream: words in memory and their pointers, samples on the pins.

Each check follows the register bus with its own register model: a session lasts from the write that sets Enable to the
one that clears it, with the settings that appeared in the registers then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rvtrace.models.csr.table import Register
from rvtrace.models.tci.funnel import Sent
from rvtrace.models.tci.pin_sink import CALIBRATION, MODES, Receiver, idle_sample, longest_run_without_idle, samples
from rvtrace.models.tci.ram_sink import WORD, RamSink, RamSinkError
from rvtrace.models.tci.register_model import RegisterModel
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.matching import same_start
from rvtrace.scoreboards.ntrace.table import SYNC_TCODES
from rvtrace.scoreboards.tci.capture import TciCapture
from rvtrace.scoreboards.tci.registers import Access

ALIGN_WITHIN = 64  # messages among which a narrow pin interface must show idle
ALIGNED = (
    16  # idle bits that our narrow pin interface sends before each synchronizing message (docs/reference/rtl-tci.md)
)


@dataclass
class Session:
    """A sink from Enable to disable.

    place: its registers at the start. end: cycle of the write that ended it, or the last.
    """

    begin: int
    end: int
    values: dict[str, int]


def sessions(capture: TciCapture, name: str, fields: tuple[str, ...]) -> Iterator[Session]:
    """Every session of a sink, with the requested fields as they were when it began."""
    model = RegisterModel(capture.params)
    place, last = model.place(name), max((a.cycle for a in capture.accesses), default=0)
    enable = f"{place.kind.prefix}Enable"
    opened: Session | None = None
    for access in capture.accesses:
        before = place.get(enable)
        if access.write:
            model.write(access.addr, access.data)
        else:
            model.saw(access.addr, access.data)
        after = place.get(enable)
        if after and not before:
            opened = Session(access.cycle, last, {one: place.get(one) for one in fields})
        elif before and not after and opened is not None:
            opened.end = access.cycle
            yield opened
            opened = None
    if opened is not None:
        yield opened


def taken(messages: list[Sent], session: Session) -> list[Sent]:
    """The messages that a sink took in a session: those that began while it was enabled."""
    return [sent for sent in messages if session.begin < sent.begin <= session.end]


class RamCheck:
    """The RAM sink: what memory holds, the pointers, what trRamData reads, what went to system memory."""

    FIELDS = ("trRamMode", "trRamStopOnWrap", "trRamStartLow", "trRamStartHigh", "trRamLimitLow", "trRamLimitHigh",
              "trRamWPLow", "trRamWPHigh", "trRamWrap")  # fmt: skip

    def __init__(self, capture: TciCapture, book: ClauseBook) -> None:
        self.capture, self.book = capture, book
        self.model = RegisterModel(capture.params)
        self.place = self.model.place("ram_sink")
        self.memory: dict[int, int] = {}
        self.sink: RamSink | None = None
        self.since = 0
        self.quiet = False
        self.system_memory: list[tuple[int, int]] = []
        self.next_message = 0

    def run(self) -> None:
        """All accesses in order, then what the tool made of them."""
        for access in self.capture.accesses:
            if access.write:
                self._write(access)
            else:
                self._read(access)
        if self.sink is not None and self.place.get("trRamEnable"):
            self._feed(1 << 62)
            self._collect()
        self._system_memory()

    def _address(self, unit: str) -> int:
        return self.place.get(f"trRam{unit}High") << 32 | self.place.get(f"trRam{unit}Low") * WORD

    def _write(self, access: Access) -> None:
        before = self.place.get("trRamEnable"), self.place.active
        if before[0]:
            self._feed(access.cycle)
        self.model.write(access.addr, access.data)
        after = self.place.get("trRamEnable")
        if after and not before[0]:
            self._open(access)
        elif before[0] and not after and self.sink is not None:
            if self.place.active:
                self.sink.flush()
            self._collect()

    def _open(self, access: Access) -> None:
        try:
            self.sink = RamSink(
                self._address("Start"),
                self._address("Limit"),
                self._address("WP"),
                bool(self.place.get("trRamStopOnWrap")),
                bool(self.place.get("trRamWrap")),
                idle=self.capture.grammar.idle,
            )
        except RamSinkError as error:
            self.sink = None
            self.book.fail(Failure("TCI.ram.start_limit", str(error), cycle=access.cycle))
            return
        self.quiet = False
        messages = self.capture.merged.messages
        while self.next_message < len(messages) and messages[self.next_message].begin <= access.cycle:
            self.next_message += 1

    def _feed(self, cycle: int) -> None:
        """Messages that began up to this cycle are in the sink."""
        messages = self.capture.merged.messages
        while self.next_message < len(messages) and messages[self.next_message].begin <= cycle:
            if self.sink is not None:
                self.sink.feed(messages[self.next_message].data)
            self.next_message += 1

    def _collect(self) -> None:
        sink, self.quiet = self.sink, False
        if sink is None:
            return
        if self.place.active:  # a session without a new write pointer goes on where this one stopped
            for name, value in (
                ("trRamWPLow", sink.wp // WORD),
                ("trRamWPHigh", sink.wp >> 32),
                ("trRamWrap", int(sink.wrapped)),
            ):
                self.model.put(self.place, name, value & 0xFFFF_FFFF if name == "trRamWPHigh" else value & 0x3FFF_FFFF)
        if self.place.get("trRamMode"):
            self.system_memory += sink.writes
        else:
            self.memory |= sink.memory

    def _read(self, access: Access) -> None:
        place, register = self.model.find(access.addr)
        if place is self.place and register is not None and self.sink is not None:
            self._judge(self.sink, access, register.name, register)
        self.model.saw(access.addr, access.data)

    def _judge(self, sink: RamSink, access: Access, name: str, register: Register) -> None:
        fields = {one.name: one.get(access.data) for one in register.fields}
        if name == "trRamControl":
            enabled = self.place.get("trRamEnable")
            if enabled and not fields["trRamEnable"]:
                self._feed(access.cycle)
                self._check("TCI.ram.stop_on_wrap", access, "trRamEnable", int(not sink.stopped), 0)
                self._collect()
            self.quiet = bool(fields["trRamEmpty"]) and not fields["trRamEnable"] and bool(fields["trRamActive"])
            if self.quiet and not enabled and self.place.get("trRamMode") and not self.capture.expect.get("cut"):
                seen = sum(cycle <= access.cycle for cycle, _, _ in self.capture.memory)
                self._check("TCI.ram.empty", access, "words in system memory", len(self.system_memory), seen)
        elif name == "trRamData" and not self.place.get("trRamMode"):
            address = self._address("RP")
            if address in self.memory and self.quiet:
                self._check("TCI.ram.data", access, f"word at {address:#x}", self.memory[address], access.data)
        elif name == "trRamRPLow" and self.quiet and not self.place.get("trRamMode"):
            self._check("TCI.ram.rp", access, name, self._address("RP"), access.data)
        elif not self.quiet or any(one in self.place.fresh for one in fields):
            return
        elif name == "trRamWPLow":
            self._check("TCI.ram.wp", access, "trRamWPLow", sink.wp & 0xFFFF_FFFF, access.data & ~3)
            self._check("TCI.ram.wrap", access, "trRamWrap", int(sink.wrapped), fields["trRamWrap"])
        elif name == "trRamWPHigh":
            self._check("TCI.ram.wp", access, "trRamWPHigh", sink.wp >> 32, access.data)
        elif name in ("trRamStartLow", "trRamLimitLow"):
            wanted = sink.start if name == "trRamStartLow" else sink.limit
            self._check("TCI.ram.enable_keeps", access, name, wanted & 0xFFFF_FFFF, access.data)

    def _check(self, clause: str, access: Access, name: str, wanted: int, found: int) -> None:
        self.book.check(
            clause, wanted == found,
            lambda: Failure(clause, f"a read of {access.addr:#06x} returned {access.data:#010x}", cycle=access.cycle,
                            table=[(name, f"{wanted:#x}", f"{found:#x}")]),
        )  # fmt: skip

    def _system_memory(self) -> None:
        """Words on the memory port: their number, order, addresses and contents; lost at a reset only from the end."""
        seen = [(address, word) for _, address, word in self.capture.memory]
        wanted = self.system_memory
        if not wanted and not seen:
            return
        length = min(len(seen), len(wanted))
        bad = [index for index in range(length) if seen[index] != wanted[index]]

        def failure(index: int) -> Failure:
            (to, word), (cycle, at, found) = wanted[index], self.capture.memory[index]
            return Failure(
                "TCI.ram.smem",
                f"word {index} on the memory port",
                cycle=cycle,
                table=[("address", f"{to:#x}", f"{at:#x}"), ("word", f"{word:#010x}", f"{found:#010x}")],
            )

        self.book.bulk("TCI.ram.smem", length, bad[:1], failure)
        if not self.capture.expect.get("cut"):
            self.book.check(
                "TCI.ram.smem", len(seen) == len(wanted),
                Failure("TCI.ram.smem", f"{len(seen)} words were written to system memory, {len(wanted)} expected"),
            )  # fmt: skip


class PinCheck:
    """The pin sink: bytes that a probe recovers, its clock, idle, and the calibration pattern."""

    FIELDS = ("trPibMode", "trPibClkCenter", "trPibCalibrate", "trPibDivider")

    def __init__(self, capture: TciCapture, book: ClauseBook) -> None:
        self.capture, self.book = capture, book
        # The pins of a cycle are those of the last change before it; a change is seen in the cycle it appears in.
        self.edges: list[tuple[int, int]] = []
        level = 0
        for cycle, clock, data in capture.pins:
            if clock != level:
                self.edges.append((cycle, data))
            level = clock

    def run(self) -> None:
        """The probe listens from the moment a mode is set until it is set anew; sessions between them are one to it."""
        base = next(p for p in RegisterModel(self.capture.params) if p.kind.name == "pin_sink").base
        writes = [(a.cycle, a.data) for a in self.capture.accesses if a.write and a.addr == base]
        for group in self._groups(writes):
            first, last = group[0], group[-1]
            begin = max((cycle for cycle, _ in writes if cycle < first.begin), default=first.begin)
            end = min(
                (cycle for cycle, data in writes if cycle > last.end and _other(data, writes, last)), default=1 << 62
            )
            edges = [(cycle, data) for cycle, data in self.edges if begin < cycle <= end]
            width = MODES.get(first.values["trPibMode"])
            if width is None:
                continue
            self._clock(first, edges)
            if first.values["trPibCalibrate"]:
                self._waiting(first, self._calibration(width, first, edges))
                continue
            receiver = Receiver(width, grammar=self.capture.grammar)
            seen = [data & ((1 << width) - 1) for _, data in edges]
            receiver.feed(seen)
            self._bytes(group, receiver, seen)
            self._idle(width, first, receiver, edges)

    def _groups(self, writes: list[tuple[int, int]]) -> list[list[Session]]:
        """Sessions between which nothing but Enable was written."""
        groups: list[list[Session]] = []
        for session in sessions(self.capture, "pin_sink", self.FIELDS):
            between = [data for cycle, data in writes if groups and groups[-1][-1].end < cycle < session.begin]
            if groups and not any(_other(data, writes, groups[-1][-1]) for data in between):
                groups[-1].append(session)
            else:
                groups.append([session])
        return groups

    def _bytes(self, group: list[Session], receiver: Receiver, seen: list[int]) -> None:
        sent = b"".join(sent.data for session in group for sent in taken(self.capture.merged.messages, session))
        messages = self.capture.grammar.split(sent)
        wanted = b"".join(messages)
        found = bytes(receiver.data)
        if self.capture.expect.get("cut") and wanted.startswith(found):
            wanted = found
        at = same_start(wanted, found)
        gap = wanted != found and _gap(messages, at, receiver, seen)
        clause = "TCI.pib.consecutive" if gap else "TCI.pib.data"
        self.book.count("TCI.pib.data", len(wanted))
        self.book.check(
            clause,
            wanted == found,
            lambda: Failure(
                clause,
                f"the probe received {len(found)} bytes, {len(wanted)} were sent; byte {at} is the first that differs",
                table=[("bytes", wanted[at : at + 8].hex(" "), found[at : at + 8].hex(" "))],
            ),
        )
        self.book.check(
            "TCI.pib.consecutive", not receiver.open, Failure("TCI.pib.consecutive", "the pins stop inside a message")
        )

    def _clock(self, session: Session, edges: list[tuple[int, int]]) -> None:
        """TRC_CLK runs all the time, an edge each (divider + 1) cycles, half as many with ClkCenter."""
        period = (session.values["trPibDivider"] + 1) * (2 if session.values["trPibClkCenter"] else 1)
        steps = [(b[0] - a[0], b[0]) for a, b in zip(edges[1:], edges[2:])]
        bad = [i for i, (step, _) in enumerate(steps) if step != period]
        self.book.bulk("TCI.pib.clock", len(steps), bad, lambda i: Failure(
            "TCI.pib.clock", "edges of TRC_CLK are not one period apart", cycle=steps[i][1],
            table=[("cycles", str(period), str(steps[i][0]))],
        ))  # fmt: skip
        self.book.check(
            "TCI.pib.runs", len(edges) > 2, Failure("TCI.pib.runs", "TRC_CLK does not run although a mode is set")
        )

    def _idle(self, width: int, session: Session, receiver: Receiver, edges: list[tuple[int, int]]) -> None:
        ones, quiet = (1 << width) - 1, idle_sample(width, self.capture.grammar)
        early = [(cycle, data) for cycle, data in edges if cycle <= session.begin]
        bad = [i for i, (_, data) in enumerate(early) if data & ones != quiet]
        self.book.bulk("TCI.pib.quiescent", len(early), bad, lambda i: Failure(
            "TCI.pib.quiescent", "the pins are not idle before trPibEnable is set", cycle=early[i][0],
            table=[("TRC_DATA", f"{quiet:#x}", f"{early[i][1] & ones:#x}")],
        ))  # fmt: skip
        unused = [(cycle, data >> width) for cycle, data in edges]
        bad = [i for i, (_, data) in enumerate(unused) if data]
        self.book.bulk("TCI.pib.width", len(unused), bad, lambda i: Failure(
            "TCI.pib.width", "pins beyond the width of the mode are not low", cycle=unused[i][0],
        ))  # fmt: skip
        if width < 8 and receiver.idle_before:
            longest = longest_run_without_idle(receiver.idle_before)
            self.book.check(
                "TCI.pib.align",
                longest <= ALIGN_WITHIN,
                Failure(
                    "TCI.pib.align",
                    f"{longest} messages in a row without an idle byte: a probe cannot find their boundaries",
                ),
            )
        if width < 8 and self.capture.exact:
            messages = self.capture.grammar.split(bytes(receiver.data))
            synced = [i for i, message in enumerate(messages) if message[0] >> 2 in SYNC_TCODES]
            bad = [i for i in synced if receiver.idle_before[i] < ALIGNED]
            self.book.bulk("TCI.pib.align", len(synced), bad, lambda i: Failure(
                "TCI.pib.align", f"message {i} synchronizes, and has {receiver.idle_before[i]} bits of idle before it, "
                f"{ALIGNED} are due",
            ))  # fmt: skip

    def _calibration(self, width: int, session: Session, edges: list[tuple[int, int]]) -> int:
        """The pattern, repeated, from Enable on; it may begin a few samples later. The cycle of its first sample."""
        pattern, quiet = samples(CALIBRATION[width], width), idle_sample(width, self.capture.grammar)
        cycles = [cycle for cycle, _ in edges if session.begin < cycle <= session.end]
        inside = [data & ((1 << width) - 1) for cycle, data in edges if session.begin < cycle <= session.end]
        starts = [i for i in range(min(len(inside), 2 * len(pattern) + 24)) if inside[i : i + len(pattern)] == pattern]
        ok = bool(starts) and all(value == quiet for value in inside[: starts[0]][:-1])
        ok = ok and all(value == pattern[i % len(pattern)] for i, value in enumerate(inside[starts[0] :]))
        self.book.count("TCI.pib.calibrate", max(len(inside) - 1, 0))
        self.book.check(
            "TCI.pib.calibrate",
            ok,
            Failure(
                "TCI.pib.calibrate",
                f"the pins do not repeat {CALIBRATION[width].hex()}: {inside[:24]}",
                cycle=session.begin,
            ),
        )
        return cycles[starts[0]] if starts else session.end

    def _waiting(self, session: Session, first: int) -> None:
        """No message begins while the pattern is sent; not judged where the RAM sink is enabled, which may take it.

        first: the cycle of the pattern's first sample. Before it the sink may have taken one: nothing says how soon
        after the write of trPibCalibrate, which may be that of Enable, the mode begins.
        """
        others = sessions(self.capture, "ram_sink", ())
        if any(one.begin < session.end and session.begin < one.end for one in others):
            return
        begun = [sent for sent in taken(self.capture.merged.messages, session) if sent.begin > first]
        self.book.check("TCI.pib.calibrate", not begun, lambda: Failure(
            "TCI.pib.calibrate", f"{len(begun)} messages were taken while the calibration pattern was sent",
            cycle=begun[0].begin,
        ))  # fmt: skip


def _gap(messages: list[bytes], at: int, receiver: Receiver, seen: list[int]) -> bool:
    """Whether the message with byte `at` is on the pins, but for idle somewhere inside it."""
    begin = 0
    for message, start in zip(messages, receiver.starts):
        if begin + len(message) > at:
            due, quiet = (
                samples(message, receiver.width, receiver.grammar),
                idle_sample(receiver.width, receiver.grammar),
            )
            found = seen[start : start + 2 * len(due) + 8]
            first = same_start(due, found)
            idle = next((i for i, value in enumerate(found[first:]) if value != quiet), 0)
            return idle > 0 and found[first + idle : idle + len(due)] == due[first:]
        begin += len(message)
    return False


def _other(data: int, writes: list[tuple[int, int]], session: Session) -> bool:
    """Whether a write to trPibControl says anything else than the one that began the session, Enable aside."""
    began = next(value for cycle, value in writes if cycle == session.begin)
    return (data ^ began) & ~2 != 0
