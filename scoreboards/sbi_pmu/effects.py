# SPDX-License-Identifier: Apache-2.0
"""What a call does to hardware counters: what they have to hold after it, against what the operations made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.platform import MINSTRET
from rvtrace.scoreboards.sbi_pmu.rules import Logical, State
from rvtrace.scoreboards.sbi_pmu.shadow import FILTERS, OF, Held, Shadow

_TYPES = {
    sbi.GENERAL: "SBI.event.general",
    sbi.CACHE: "SBI.event.cache",
    sbi.RAW: "SBI.event.raw",
    sbi.RAW_V2: "SBI.event.raw_v2",
}
Report = Callable[[str, bool, str, str, str], None]  # clause, right, what, expected, actual


@dataclass
class Want:
    """What one counter has to hold after a call; None: not said, known: bits of the value that are.

    why: clause of each field that an action names; the others are to be left alone.
    """

    value: int
    known: int
    of: int | None
    select: int | None
    filters: int | None
    runs: bool
    why: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_held(cls, held: Held, quiet: bool) -> Want:
        """As it is: nothing is to change."""
        moves = held.runs and not quiet
        return cls(
            held.value,
            0 if moves else held.known,
            held.of or None if moves else held.of,
            held.select,
            held.filters,
            held.runs,
        )


class Effects:
    """The required effects of one call. untouched: the clause of everything it does not name."""

    def __init__(self, state: State, shadow: Shadow) -> None:
        self.state, self.shadow, self.platform = state, shadow, state.platform
        self.wants = {number: Want.of_held(held, shadow.quiet) for number, held in shadow.held.items()}
        self.lcofip = shadow.lcofip
        self.idle = self._idle()

    def _idle(self) -> set[int]:
        """Hardware counters with a firmware event (policy firmware_base=position): their content is undefined."""
        if self.state.policy["firmware_base"] != "position":
            return set()
        return {one.hardware.number for one in self.state.counters.values() if one.hardware and one.counts_firmware}

    def want(self, one: Logical) -> Want | None:
        """That of a logical counter; None if no hardware counts for it."""
        return self.wants[one.hardware.number] if one.hardware and not one.counts_firmware else None

    # Actions, each under the clauses of its sentences

    def put(self, one: Logical, value: int, clause: str) -> None:
        """A value is written to a counter."""
        if (want := self.want(one)) is None:
            cell = one.cell
            cell.other = {clause: cell.value}
            cell.value = value % (1 << self.platform.firmware_width)
            if value != cell.value:
                cell.other["SBI.fw.width"] = value
            return
        assert one.hardware is not None
        want.value, want.known = value % (1 << one.hardware.width), (1 << 64) - 1
        want.why["value"] = clause

    def map(self, one: Logical, event: int, data: int, flags: int) -> None:
        """A counter gets an event, and filters."""
        one.event, one.data = event, data
        if (want := self.want(one)) is None:
            return
        assert one.hardware is not None
        fixed = one.hardware.fixed
        there = self.platform.smcntrpmf if fixed else self.platform.sscofpmf
        asked = {name for name, bit in sbi.CONFIG_FLAGS.items() if name in sbi.FILTER_BITS and flags & bit}
        if self.state.policy["minh"] == "always":
            asked.add("SET_MINH")
        want.filters = sum(sbi.FILTER_BITS[name] for name in asked & self.platform.filters) if there else want.filters
        want.why["filters"] = "each its own"
        if not fixed:
            selector = (
                self.platform.selector(event, data, one.hardware.number) & ~OF & (1 << self.platform.event_bits) - 1
            )
            want.select = selector & ~FILTERS
            want.why["select"] = _TYPES.get(event >> 16, "SBI.event.general")
            want.of = {"clear": 0, "set": 1}[self.state.policy["config_of"]]
            want.why["of"] = "SBI.config.of"

    def start(self, one: Logical, clause: str) -> None:
        """A counter starts."""
        one.cell.started = True
        if (want := self.want(one)) is not None:
            want.runs = True
            want.why["runs"] = clause

    def armed(self, one: Logical) -> None:
        """OF at a start by AUTO_START: that of the configuration, or of a start."""
        if self.state.policy["config_of"] != "clear":
            self.arm(one)

    def arm(self, one: Logical) -> None:
        """OF at a start, as the policy says."""
        want = self.want(one)
        if want is None:
            return
        kind = self.state.policy["start_of"]
        if kind == "clear" or (kind == "unless_pending" and self.lcofip == 0):
            want.of = 0
        elif kind == "unless_pending" and self.lcofip is None:
            want.of = None
        want.why["of"] = "SBI.start.of"

    def stop(self, one: Logical) -> None:
        """A counter stops."""
        one.cell.started = False
        if (want := self.want(one)) is not None:
            want.runs = False
            want.why["runs"] = "SBI.stop.stopped"

    def unmap(self, one: Logical, clause: str) -> None:
        """A counter loses its event; what becomes of filters and OF is not said."""
        want = self.want(one)
        one.event, one.data = None, 0
        if want is not None:
            want.of = want.filters = None
            if one.hardware and not one.hardware.fixed:
                want.select = 0
            want.why["select"] = clause

    # Comparison

    def compare(self, untouched: str, report: Report) -> None:
        """Every counter against what it has to hold; fields that no action names belong to the clause `untouched`."""
        idle = self.idle | self._idle()
        for number, want in self.wants.items():
            if number in idle:
                continue
            held = self.shadow.held[number]
            if not want.why and self._same(held, want):
                report(untouched, True, f"counter {number}", "", "")
                continue
            value, known, of = held.begun or (held.value, held.known, held.of)
            name = {0: "mcycle", 2: "minstret"}.get(number, f"mhpmcounter{number}")
            why = want.why
            report(why.get("runs", untouched), held.runs == want.runs, f"{name} runs", str(want.runs), str(held.runs))
            if want.select is not None:
                report(
                    why.get("select", untouched),
                    held.select == want.select,
                    f"event of {name}",
                    f"{want.select:#x}",
                    f"{held.select:#x}",
                )
            if want.filters is not None:
                self._filters(name, want, held, untouched, report)
            known &= want.known
            if known and (held.begun or not held.runs or self.shadow.quiet):
                right = not (value ^ want.value) & known
                report(
                    why.get("value", untouched),
                    right,
                    f"value of {name}",
                    f"{want.value & known:#x}",
                    f"{value & known:#x}",
                )
            if want.of is not None and of is not None and number > MINSTRET and self.platform.sscofpmf:
                report(why.get("of", untouched), of == want.of, f"OF of {name}", str(want.of), str(of))

    def _same(self, held: Held, want: Want) -> bool:
        """Whether nothing at all has changed, which is so for most counters in most calls."""
        return (
            held.begun is None
            and held.runs == want.runs
            and held.cfg == (want.filters or 0) | (held.cfg & ~FILTERS)
            and held.select == want.select
            and held.value == want.value
            and held.of == want.of
        )

    def _filters(self, name: str, want: Want, held: Held, untouched: str, report: Report) -> None:
        assert want.filters is not None
        if "filters" not in want.why:
            report(
                untouched,
                held.filters == want.filters,
                f"filters of {name}",
                f"{want.filters:#x}",
                f"{held.filters:#x}",
            )
            return
        for flag, bit in sbi.FILTER_BITS.items():
            right = not (held.filters ^ want.filters) & bit
            report(
                f"SBI.config.{flag.lower()}",
                right,
                f"{flag[4:]} of {name}",
                str(int(bool(want.filters & bit))),
                str(int(bool(held.filters & bit))),
            )
