# SPDX-License-Identifier: Apache-2.0
"""What the registers make of an encoder: its levels, triggers, overflow flag, and its time.

The levels are those at the encoder's port (`HartRun.beats`); what they must be follows from the register bus and the
triggers that the hart gave.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rvtrace.models.tci.register_model import Place, RegisterModel
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.tci.capture import HartRun, TciCapture
from rvtrace.scoreboards.tci.registers import Access

ON, OFF, NOTIFY = 2, 3, 4  # trigger actions
SETTLE = 4  # cycles from a write to trTsControl until the time follows
EXTERNAL_PERIOD, EXTERNAL_START = 3, 0x5A_8000_03E8  # of tci_tb's external time, which has bits in both halves
SYSTEM_PERIOD = 2  # cycles: tci_tb's system clock has half the frequency


def external_time(cycle: int) -> int:
    """What tci_tb's external source gives in a cycle."""
    return cycle * EXTERNAL_PERIOD + EXTERNAL_START


def time_settings(place: Place) -> tuple[int, ...]:
    """trTsControl of a component: Active, Mode, Count, Prescale, RunInDebug."""
    return tuple(place.get(f"trTs{word}") for word in ("Active", "Mode", "Count", "Prescale", "RunInDebug"))


def check_encoders(capture: TciCapture, book: ClauseBook) -> None:
    """Every encoder's levels, triggers, flag and time."""
    for hart, run in enumerate(capture.harts):
        _Levels(capture, book, hart, run).run()
        if not capture.expect.get("cut"):
            _overflow(capture, book, hart, run)
        _time(capture, book, hart, run)


def _timeline(run: HartRun, accesses: list[Access]) -> Iterator[tuple[str, int]]:
    """("row", index) and ("access", index) in time; in one cycle a read comes first, then the row, then a write."""
    cycles = run.beats.cycle.tolist()
    row = 0
    for index, access in enumerate(accesses):
        while row < len(cycles) and cycles[row] < access.cycle + access.write:
            yield "row", row
            row += 1
        yield "access", index
    for rest in range(row, len(cycles)):
        yield "row", rest


class _Levels:
    """trTeEnable and trTeInstTracing as the encoder sees them, and the marks of trace-notify."""

    def __init__(self, capture: TciCapture, book: ClauseBook, hart: int, run: HartRun) -> None:
        self.capture, self.book, self.hart, self.work = capture, book, hart, run
        self.model = RegisterModel(capture.params)
        self.place = self.model.place(f"encoder{hart}" if len(capture.harts) > 1 else "encoder")
        self.tracing = False
        self.cause = "TCI.te.inst_tracing"
        self.transitions: list[tuple[int, bool, int]] = []  # cycle, to, events programmed

    def run(self) -> None:
        """Follow bus and rows in time."""
        triggers = {cycle: (action, external) for cycle, action, external in self.work.fired.rows}
        level = False
        for what, index in _timeline(self.work, self.capture.accesses):
            if what == "access":
                self._access(self.capture.accesses[index])
                continue
            cycle = int(self.work.beats.cycle[index])
            now = self._row(index, cycle, *triggers.get(cycle, (0, 0)))
            if now != level:
                self.transitions.append((cycle, now, self._events()))
                level = now
        self._outputs()

    def _events(self) -> int:
        return sum(self.place.get(f"trTeTrigExtOutEvent{n}") << 4 * n for n in range(8))

    def _access(self, access: Access) -> None:
        if not access.write:
            place, register = self.model.find(access.addr)
            if place is self.place and self.place.active and register is not None and register.offset == 0:
                found = bool(register.field("trTeInstTracing").get(access.data))
                self._check(self.cause, access.cycle, "trTeInstTracing", self.tracing, found)
            return
        self.model.write(access.addr, access.data)
        if access.addr == self.place.base:
            self.tracing, self.cause = bool(self.place.get("trTeInstTracing")), "TCI.te.inst_tracing"

    def _row(self, index: int, cycle: int, action: int, external: int) -> bool:
        beats = self.work.beats
        actions = {self.place.get(f"trTeTrigExtInAction{n}") for n in range(8) if external >> n & 1}
        armed = bool(self.place.get("trTeEnable")) and bool(self.place.get("trTeInstTrigEnable"))
        debug_on, debug_off = armed and action == ON, armed and action == OFF
        on, off = debug_on or (armed and ON in actions), debug_off or (armed and OFF in actions)
        if on:
            self.cause = "TCI.te.trigger_debug" if debug_on else "TCI.te.trigger_external"
        elif (action in (ON, OFF) or {ON, OFF} & actions) and not armed:
            self.cause = "TCI.te.trigger_enable"
        wanted = self.tracing or on
        if not self.place.active:  # being reset: only trTeEnable has fallen for sure
            self._check("TCI.te.enable_level", cycle, "enable", False, bool(beats.enable[index]))
            return bool(beats.inst_tracing[index])
        self._check(self.cause, cycle, "tracing", wanted, bool(beats.inst_tracing[index]))
        self._check(
            "TCI.te.enable_level", cycle, "enable", bool(self.place.get("trTeEnable")), bool(beats.enable[index])
        )
        if action or external:
            self._check("TCI.te.trigger_notify", cycle, "notify", action == NOTIFY, bool(beats.notify[index]))
            self._check(
                "TCI.te.trigger_notify", cycle, "external notify", NOTIFY in actions, bool(beats.ext_notify[index])
            )
        if off:
            self.cause = "TCI.te.trigger_debug" if debug_off else "TCI.te.trigger_external"
        self.tracing = wanted and not off
        return wanted

    def _outputs(self) -> None:
        """External outputs fire once for each start or stop that their events name, in order."""
        wanted = []
        for _, up, events in self.transitions:
            mask = sum(1 << n for n in range(8) if events >> (4 * n) & (1 if up else 2))
            wanted += [mask] if mask else []
        found = [mask for _, mask in self.work.fired.outputs]
        self.book.count("TCI.te.trigger_out", len(wanted))
        self.book.check("TCI.te.trigger_out", wanted == found, lambda: Failure(
            "TCI.te.trigger_out", f"hart {self.hart}: external trigger outputs",
            table=[("fired", str([f"{m:#x}" for m in wanted]), str([f"{m:#x}" for m in found]))],
        ))  # fmt: skip

    def _check(self, clause: str, cycle: int, name: str, wanted: bool, found: bool) -> None:
        self.book.check(
            clause,
            wanted == found,
            lambda: Failure(
                clause,
                f"hart {self.hart}: {name} of its encoder",
                cycle=cycle,
                table=[(name, str(int(wanted)), str(int(found)))],
            ),
        )


def _encoder(capture: TciCapture, hart: int) -> tuple[RegisterModel, Place]:
    model = RegisterModel(capture.params)
    return model, model.place(f"encoder{hart}" if len(capture.harts) > 1 else "encoder")


def _overflow(capture: TciCapture, book: ClauseBook, hart: int, run: HartRun) -> None:
    """trTeInstStallOrOverflow: 1 after a message was lost or the hart was stalled, until it is cleared or trace is
    enabled.
    """
    model, place = _encoder(capture, hart)
    losses = _losses(run)
    dropped = run.beats.cycle[run.beats.drop == 1].astype(np.int64)
    cleared, clause = 0, "TCI.te.overflow"
    for access in capture.accesses:
        if access.write:
            enabled = place.get("trTeEnable")
            model.write(access.addr, access.data)
            if access.addr == place.base and (
                access.data >> 12 & 1 or not place.active or place.get("trTeEnable") > enabled
            ):
                cleared = access.cycle
                clause = "TCI.reg.rw1c" if access.data >> 12 & 1 else "TCI.te.overflow_clear"
        elif access.addr == place.base and place.active and not place.get("trTeInstStallEna"):
            flag, without_room = bool(access.data >> 12 & 1), (dropped >= cleared) & (dropped < access.cycle)
            if not without_room.any():
                book.check(
                    clause,
                    not flag,
                    Failure(
                        clause,
                        f"hart {hart}: trTeInstStallOrOverflow reads 1, and nothing was lost since it was cleared",
                        cycle=access.cycle,
                    ),
                )
            elif any(cleared < begin and end < access.cycle for begin, end in losses):
                book.check(
                    "TCI.te.overflow",
                    flag,
                    Failure(
                        "TCI.te.overflow",
                        f"hart {hart} lost messages, and trTeInstStallOrOverflow reads 0",
                        cycle=access.cycle,
                    ),
                )


def _losses(run: HartRun) -> list[tuple[int, int]]:
    """Cycles between which messages were lost: from the first beat without room after the last message to where trace
    went on.
    """
    if not run.beats.drop.any():
        return []
    cycle, drop = run.beats.cycle.astype(np.int64), run.beats.drop
    told = run.told
    found = []
    for index in run.protocol.losses(told):
        row, after = told.beat[index], told.beat[index - 1] + 1 if index else 0
        without_room = np.flatnonzero(drop[after : row + 1])
        found.append((int(cycle[after + without_room[0]]), int(cycle[row])))
    return found


def _time(capture: TciCapture, book: ClauseBook, hart: int, run: HartRun) -> None:
    """The encoder's timestamp between two changes of trTsControl: its mode, its pace, and that it never goes back."""
    model, place = _encoder(capture, hart)
    span: list[int] = []
    setting: tuple[int, ...] = ()
    since = -SETTLE

    def judge() -> None:
        if len(span) > 1 and setting and setting[0] and place.get("trTsEnable"):
            stalls = bool(place.get("trTeInstStallEna"))
            _pace(book, hart, run, np.array(span), setting, stalls, 0 if capture.exact else SETTLE)

    for what, index in _timeline(run, capture.accesses):
        if what == "row":
            if run.beats.cycle[index] > since + SETTLE and run.beats.enable[index]:
                span.append(index)
            continue
        access = capture.accesses[index]
        if not access.write:
            continue
        model.write(access.addr, access.data)
        now = time_settings(place)
        reset = access.addr == place.base + 0x40 and access.data & 4
        if now != setting or reset or _funnel_time(capture, access):
            judge()
            span, setting, since = [], now, access.cycle
    judge()


def _funnel_time(capture: TciCapture, access: Access) -> bool:
    """Whether an access changes the time that the funnel shares."""
    base = RegisterModel(capture.params).place("funnel").base
    return access.write and access.addr in (base, base + 0x40)


def _pace(
    book: ClauseBook, hart: int, run: HartRun, rows: np.ndarray, setting: tuple[int, ...], stalls: bool, settle: int
) -> None:
    """stalls: rows may have been stalled. settle: how far the core's time may go on in Debug Mode."""
    _, mode, count, prescale, in_debug = setting
    cycle, time = run.beats.cycle[rows].astype(np.int64), run.beats.tstamp[rows].astype(np.int64)
    halted = run.beats.halted[rows].astype(bool)
    # A hart in Debug Mode stays there until the next row, unless that row was stalled.
    stopped = halted[:-1] & (halted[1:] | (not stalls)) & (mode == 3 and not in_debug)
    running = np.ones(len(rows) - 1, bool) if in_debug or mode != 3 else ~(halted[:-1] | halted[1:])
    dt, dc = np.diff(time), np.diff(cycle)
    clause = {1: "TCI.ts.external", 2: "TCI.ts.system", 3: "TCI.ts.core", 4: "TCI.ts.shared"}.get(mode)
    if clause is None:
        book.bulk("TCI.ts.none", len(rows), np.flatnonzero(time != 0), lambda i: Failure(
            "TCI.ts.none", f"hart {hart}: time {time[i]} without a timestamp mode", cycle=int(cycle[i])))  # fmt: skip
        return
    if mode == 1:
        bad = time != cycle * EXTERNAL_PERIOD + EXTERNAL_START
        wanted = cycle * EXTERNAL_PERIOD + EXTERNAL_START
        book.bulk(
            clause,
            len(rows),
            np.flatnonzero(bad),
            lambda i: Failure(
                clause,
                f"hart {hart}: external time",
                cycle=int(cycle[i]),
                table=[("time", str(wanted[i]), str(time[i]))],
            ),
        )
        return
    step = 4**prescale * (SYSTEM_PERIOD if mode == 2 else 1)
    if not count and mode in (2, 3):
        bad = dt != 0
    elif mode == 4:
        bad = dt < 0
    else:  # between two rows, and from the first of those without a pause: a pace that is wrong adds up
        off = np.concatenate([[0], np.cumsum(dt * step - dc)])
        begin = np.maximum.accumulate(np.where(running, 0, np.arange(1, len(dt) + 1)))
        bad = running & ((np.abs(np.diff(off)) >= step) | (np.abs(off[1:] - off[begin]) >= step))
        bad |= stopped & (dt > settle)
    book.bulk(
        clause,
        len(dt),
        np.flatnonzero(bad),
        lambda i: Failure(
            clause,
            f"hart {hart}: the rate of the timestamp in mode {mode}, prescale {prescale}, count {count}",
            cycle=int(cycle[i + 1]),
            table=[
                ("cycles since the row before", str(dc[i]), ""),
                ("time since", f"about {dc[i] / step if count else 0:.1f}", str(dt[i])),
            ],
        ),
    )
