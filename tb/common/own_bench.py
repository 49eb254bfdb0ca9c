# SPDX-License-Identifier: Apache-2.0
"""Monitors and scoreboards for a cocotb testbench that is not ours: neither our environment nor our builds are needed.

`rvtrace.tb.<system>` has the classes of each system (docs/how-to/own-bench.md). They give the monitors and the checks
of our environments the ports of another bench: a port is a handle, an int that it always has, or a function without
arguments that is called in each cycle, for what is to be inverted, joined or decoded:

    ready=lambda: not dut.stall.value

Ports are sampled at the falling edge of their clock, when everything of the cycle is settled: what Python drives must
change at the rising edge.
"""

from __future__ import annotations

import difflib
import itertools
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge
from cocotb.types import LogicArray
from pyuvm import ConfigDB

from rvtrace.models.riscv.beats import LANE_FIELDS, Beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Retired
from rvtrace.scoreboards.common.judge import Judge
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.tb.common.agents.base import CONFIG, AgentConfig, Monitor
from rvtrace.tb.common.agents.ingress import IngressMonitor
from rvtrace.tb.common.agents.pins import NO_PINS, Pins, unpack
from rvtrace.tb.common.agents.stream import StreamMonitor
from rvtrace.tb.common.base import Collector

MACHINE = 3  # priv of a hart that has one mode
_NUMBER = itertools.count()  # pyuvm wants a name for each component


class _Known(int):
    """A value that is no signal's, and is asked like one."""

    is_resolvable = True


class Computed:
    """A port that is no handle. value: what the function gives now, X if a signal that it reads is X."""

    def __init__(self, now: Callable[[], Any]) -> None:
        self._now = now

    @property
    def value(self) -> Any:
        try:
            return _Known(self._now())
        except ValueError:  # int() of an X
            return LogicArray("X")


def _handle(port: Any) -> Any:
    """What has the `value` of a port."""
    if isinstance(port, int):
        return Computed(lambda: port)
    return port if _is_signal(port) else Computed(port)


def _is_signal(port: Any) -> bool:
    return not isinstance(port, int) and hasattr(port, "value")


def ports_of(
    given: Mapping[str, Any], known: Iterable[str], needed: Iterable[str], defaults: Mapping[str, int]
) -> dict[str, Any]:
    """Every known port: as given, else with its default or 0. TypeError if one that is needed is missing, or one is not
    known.
    """
    known = tuple(known)
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise TypeError(f"there is no port {name}; give {near[0] if near else ', '.join(known)}")
    if missing := [name for name in needed if name not in given]:
        raise TypeError(
            f"these ports are missing: {', '.join(missing)}; give a handle, a number or a function for each"
        )
    return {name: given.get(name, defaults.get(name, 0)) for name in known}


def lanes_of(ports: dict[str, Any], pins: Pins) -> Pins:
    """The pins with lanes as wide as the signals are; a number among `ports` becomes that number in all lanes."""
    lane = {
        name: len(ports[name]) // pins.blocks if _is_signal(ports[name]) else width for name, width in pins.lane.items()
    }
    for name, width in lane.items():
        if isinstance(ports[name], int):
            ports[name] = sum(ports[name] << width * k for k in range(pins.blocks))
    return replace(pins, lane=lane)


class View(SimpleNamespace):
    """Ports of another bench by the names that they have in ours, as the monitors look for them."""

    _log = logging.getLogger(__name__)  # cocotb_bus writes to that of an entity
    _name = "bench"

    def __init__(self, clock: Any, reset: Any, reset_active_level: bool, ports: Mapping[str, Any]) -> None:
        active = _handle(0 if reset is None else reset)
        level = int(reset_active_level if reset is not None else 1)
        running = Computed(lambda: int(active.value) != level)
        super().__init__(clk_o=clock, rst_ni=running, **{name: _handle(port) for name, port in ports.items()})

    def named(self, text: str) -> str:
        """A sentence of a monitor with the names of the bench."""
        for ours, port in vars(self).items():
            if (theirs := getattr(port, "_name", "")) and ours != "clk_o":
                text = text.replace(ours, theirs)
        return text


class Watched:
    """A monitor of ours on the ports of another bench; it watches from now on. monitor: ours, whose analysis ports can
    be connected; items: its transactions so far.
    """

    def __init__(self, kind: type[Monitor], view: View, pins: Pins = NO_PINS, files: Any = None) -> None:
        name = f"{kind.__name__}_{next(_NUMBER)}"
        ConfigDB().set(None, name, CONFIG, AgentConfig(view, pins, files=files, exact=False))
        self.view, self.monitor, collector = view, kind(name, None), Collector(f"{name}_items", None)
        self.monitor.build_phase()
        collector.build_phase()
        self.monitor.ap.connect(collector.analysis_export)
        self.items: list[Any] = collector.items
        self.task = cocotb.start_soon(self.monitor.watch())

    def arrays(self) -> Any:
        """What was observed so far, as the checks take it."""
        return self.monitor.arrays(self.items)

    @property
    def problems(self) -> list[str]:
        """Sentences about the ports themselves: an X, data that changed before it was taken."""
        return [self.view.named(text) for text in self.monitor.problems]


class TraceMonitor(Watched):
    """Watches the bytes of a trace at a port with valid and ready.

    data: byte 0 is in the lowest bits. valid, ready: 1 if the port has none. nbytes: how many bytes of data count, or
    keep: a bit for each of them (TKEEP), the lowest ones first; all of them if neither is given. empty: whether the
    encoder holds nothing, 0 if the bench does not show it. width: bytes of data, if data is a function.
    """

    monitor_class: ClassVar[type[StreamMonitor]] = StreamMonitor

    def __init__(
        self,
        clock: Any,
        reset: Any = None,
        reset_active_level: bool = True,
        *,
        data: Any,
        valid: Any = 1,
        ready: Any = 1,
        nbytes: Any = None,
        keep: Any = None,
        empty: Any = 0,
        width: int = 0,
    ) -> None:
        width = width or len(data) // 8
        if keep is not None:
            mask = _handle(keep)
            nbytes = Computed(lambda: int(mask.value).bit_count())
        ports = {"valid_o": valid, "nbytes_o": width if nbytes is None else nbytes, "data_o": data, "ready_i": ready}
        named = {f"out_{name}": port for name, port in ports.items()} | {"sts_empty_o": empty}
        super().__init__(self.monitor_class, View(clock, reset, reset_active_level, named))
        self.monitor.width = width  # pyright: ignore[reportAttributeAccessIssue]

    async def quiet(self, cycles: int = 100) -> None:
        """Wait until nothing was transferred for that many cycles."""
        seen, still = len(self.items), 0
        while still < cycles:
            await FallingEdge(self.view.clk_o)
            still = still + 1 if len(self.items) == seen else 0
            seen = len(self.items)


class HartMonitor(Watched):
    """Watches the instruction trace interface between a hart and an encoder (E-Trace 2.0, chapter 4).

    config: says how many blocks a cycle has, and how wide addresses are. ports: by the names of `LANE_FIELDS`,
    `LEVELS` and `PULSES` of rvtrace.models.riscv.beats. itype, iaddr, iretire and ilastsize are needed; lane k of a
    field of W bits is in bits k*W +: W. priv is 3 (M) and cause, tval, context are 0 unless given; enable and
    inst_tracing are 1. ready: whether the encoder takes what is there, 1 unless given. drop: whether it takes it
    without room for it; tstamp: its time.
    """

    needed = ("itype", "iaddr", "iretire", "ilastsize")

    def __init__(
        self, pins: Pins, clock: Any, reset: Any = None, reset_active_level: bool = True, **ports: Any
    ) -> None:
        fields = (*pins.lane, *pins.once)
        known = (*fields, *pins.controls, "ready", "drop", "tstamp")
        defaults = {"priv": MACHINE, "enable": 1, "inst_tracing": 1, "ready": 1}
        given = ports_of(ports, known, self.needed, defaults)
        pins = lanes_of(given, pins)
        view = View(clock, reset, reset_active_level, {
            **{f"ing_{name}_i": given[name] for name in fields},
            **{f"ctl_{name}_i": given[name] for name in pins.controls},
            "ing_ready_o": given["ready"], "ing_drop_o": given["drop"], "sts_tstamp_o": given["tstamp"],
        })  # fmt: skip
        levels = {bit: vars(view)[f"ctl_{name}_i"] for name, (bit, _) in pins.bits.items() if name in pins.controls}
        levels[pins.bits["drop"][0]] = view.ing_drop_o
        view.sts_levels_o = Computed(lambda: sum(int(port.value) << bit for bit, port in levels.items()))
        view.sts_block_o = Computed(lambda: any(self._blocks(view, pins)))
        super().__init__(IngressMonitor, view, pins)

    @staticmethod
    def _blocks(view: View, pins: Pins) -> Iterable[bool]:
        """Whether each lane holds a block."""
        itypes, counts = int(view.ing_itype_i.value), int(view.ing_iretire_i.value)
        for itype, count in zip(*(unpack([value], pins.lane[name], pins.blocks)[0].tolist()
                                  for name, value in (("itype", itypes), ("iretire", counts)))):  # fmt: skip
            yield bool(count) or itype in (IType.EXCEPTION, IType.INTERRUPT)

    def arrays(self) -> Beats:
        """The beats; what a hart leaves in a lane without a block is no part of them."""
        beats: Beats = super().arrays()
        for name in LANE_FIELDS:
            column = getattr(beats, name)
            setattr(beats, name, np.where(beats.valid(), column, 0).astype(column.dtype))
        return beats


class Scoreboard:
    """Compares a trace with what the hart did. `check` is called at the end of a test.

    program: what the hart ran, or its ELF file. config: the options of the encoder. hart: a `HartMonitor`, or the
    retired instructions if they are known otherwise (of RVFI, of a log). exact: the encoder declares our reference
    profile. tolerances: of the system, if the defaults do not fit. rerun: a command that repeats the run, for failures.
    """

    judge: ClassVar[Judge]
    cycles: ClassVar[str] = "out_cycle"  # of the capture: the cycle in which each byte left

    def __init__(
        self,
        program: Program | str | Path,
        config: Any,
        trace: TraceMonitor,
        hart: HartMonitor | Retired,
        *,
        exact: bool = False,
        tolerances: Any = None,
        rerun: str = "",
    ) -> None:
        self.program = program if isinstance(program, Program) else Program.from_elf(program)
        self.config, self.trace, self.hart = config, trace, hart
        self.exact, self.tolerances, self.rerun = exact, tolerances, rerun

    def capture(self) -> Any:
        """What was observed so far, for the checks of the system."""
        data, cycle = self.trace.arrays()
        hart, beats, retired, problems = self.hart, None, None, self.trace.problems
        if isinstance(hart, HartMonitor):
            beats, problems = hart.arrays(), [*problems, *hart.problems]
        else:
            retired = hart
        made = self.judge.capture(self.config, self.program, data, beats, retired, self.rerun)
        made.exact = made.exact and self.exact
        made.problems += problems
        setattr(made, self.cycles, cycle)
        return made

    def check(self) -> Verdict:
        """The verdict; AssertionError with the failures if a clause failed, or if there was nothing to check."""
        return demanded(self.judge.check(self.capture(), self.tolerances), self.judge.counted)


CSR = ("valid", "op", "addr", "wdata", "mode", "xlen32")  # of a CSR port, beside its answer


def csr_view(ports: Mapping[str, Any]) -> dict[str, Any]:
    """The ports csr_* of a bench by their names in ours."""
    names = {name: "csr_priv_i" if name == "csr_mode" else f"{name}_i" for name in ports if name.startswith("csr_")}
    names |= {"csr_rdata": "csr_rdata_o", "csr_outcome": "csr_outcome_o"}
    return {ours: ports[name] for name, ours in names.items()}


class PortsScoreboard:
    """Compares what was on the ports of a block that sends no trace with what its specification says. `check` is called
    at the end of a test.

    config: the options of the block. ports: the monitor of the system. exact, tolerances, rerun: as of `Scoreboard`.
    program: what the hart ran, for addresses in messages.
    """

    judge: ClassVar[Judge]

    def __init__(
        self,
        config: Any,
        ports: Any,
        *,
        exact: bool = False,
        tolerances: Any = None,
        rerun: str = "",
        program: Program | None = None,
    ) -> None:
        self.config, self.ports, self.exact = config, ports, exact
        self.tolerances, self.rerun, self.program = tolerances, rerun, program

    def capture(self) -> Any:
        """What was observed so far, for the checks of the system."""
        raise NotImplementedError

    def check(self) -> Verdict:
        """The verdict; AssertionError with the failures if a clause failed, or if there was nothing to check."""
        return demanded(self.judge.check(self.capture(), self.tolerances), self.judge.counted)


def demanded(verdict: Verdict, counted: str = "instructions") -> Verdict:
    """A verdict that passed on something; else AssertionError with its failures, causes first. counted: in stats."""
    counts = verdict.book.results().values()
    checks, failed = sum(n for n, _ in counts), sum(bad for _, bad in counts)
    if not verdict.passed:
        texts = [failure.text() for failure in sorted(verdict.failures, key=lambda failure: bool(failure.cause))]
        raise AssertionError("\n".join([f"{failed:,} of {checks:,} checks failed", *texts]))
    if not checks or not verdict.stats.get(counted):
        raise AssertionError(f"nothing was checked: {checks} checks, {int(verdict.stats.get(counted, 0))} {counted}")
    return verdict
