# SPDX-License-Identifier: Apache-2.0
"""The sending side of the encoder model: packets in order, what they are made of, and when they are lost."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from rvtrace.models.etrace.codec import pack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from rvtrace.models.etrace.table import OPTIONS, Packet, formats, options_of

NO_CHANGE, ENDED_REP, TRACE_LOST, ENDED_NTR = range(4)  # qual_status


class Lost(Exception):
    """A packet was made in a beat without room for it. row: of Beats."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


class Payloads:
    """Packets to bytes; programs loop, so most come again."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._known: dict[tuple[Any, ...], bytes] = {}
        self._options = [options_of(n) for n in range(1 << len(OPTIONS))]

    def __call__(self, packet: Packet, ioptions: int) -> bytes:
        key = (packet.name, ioptions, *packet.values.values())
        payload = self._known.get(key)
        if payload is None:
            payload = self._known[key] = pack(packet, self._config, self._options[ioptions])
        return payload


@dataclass
class EncodedTrace:
    """The packets of one run.

    Of the same length: reasons (the clause each was sent under), beat (row of Beats that made it), time16 (low bits of
    the time in the row of its item), options (in force, as `ioptions`).
    """

    packets: list[Packet]
    reasons: list[str]
    beat: list[int]
    time16: list[int]
    options: list[int]
    config: Config

    @cached_property
    def payloads(self) -> list[bytes]:
        """The payload of each packet."""
        return list(map(Payloads(self.config), self.packets, self.options))

    @cached_property
    def data(self) -> bytes:
        """The transported bytes (`rvtrace.models.etrace.encoder.encapsulate`)."""
        return encapsulate(self.payloads, [p.name == "start" for p in self.packets], self.time16, self.config)


class Layouts:
    """Which fields a packet has. The values given may be more than that: a variant takes what its table names."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._layouts = formats(config.variant)
        self._known: dict[tuple[Any, ...], tuple[str, ...]] = {}

    def packet(self, name: str, ioptions: int, values: dict[str, Any]) -> Packet:
        """The packet with those of the values that its layout has here."""
        # what the widths of fields depend on
        key = (name, ioptions, *map(values.get, ("branch_fmt", "interrupt", "thaddr")), values.get("branches", 0) > 0)
        names = self._known.get(key)
        if names is None:
            names = self._known[key] = self._names(name, ioptions, values)
        return Packet(name, self._layouts[name].select | {n: values[n] for n in names})

    def _names(self, name: str, ioptions: int, values: dict[str, Any]) -> tuple[str, ...]:
        layout = self._layouts[name]
        before: dict[str, Any] = layout.select | {"options": options_of(ioptions)}
        names = []
        for field in layout.fields:
            if field.width(self._config, before) and field.name not in layout.select:
                before[field.name] = values[field.name]
                names.append(field.name)
        return tuple(names)


class Sender:
    """Sends packets, and counts those since the last sync."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._layouts, self._payload = Layouts(config), Payloads(config)
        self._drafted = config.variant == "draft_0_026"
        self._time_mask = (1 << config.time_width_p) - 1
        self._context_mask = (1 << config.context_width_p) - 1
        self._reset_sender()

    def _reset_sender(self) -> None:
        self._out: list[tuple[Packet, str, int, int, int]] = []  # packet, clause, row, row of its time, options
        self._drops: list[int] | None = None  # by row; None: nothing can be lost
        self._row = self._item_row = 0  # in which packets are made now, and that of their item
        self._options = 0  # in force
        self._count = 0  # packets since the last sync

    def _send(self, name: str, clause: str, values: dict[str, Any]) -> None:
        if self._drops and self._drops[self._row]:
            raise Lost(self._row)
        self._out.append(
            (self._layouts.packet(name, self._options, values), clause, self._row, self._item_row, self._options)
        )
        self._count += 1

    def _send_support(self, ienable: int, qual_status: int, clause: str) -> None:
        self._item_row = self._row
        values = {"ienable": ienable, "qual_status": qual_status, "ioptions": self._options}
        self._send("support", clause, values | dict.fromkeys(("encoder_mode", "denable", "dloss", "doptions"), 0))
        self._count -= 1  # resynchronization counts all others

    def _take_back(self, row: int) -> None:
        """The packets of this row are lost."""
        while self._out and self._out[-1][2] == row:
            self._out.pop()

    def _trace(self, tstamp: np.ndarray) -> EncodedTrace:
        """The packets sent. tstamp: the time in each row."""
        packets, reasons, beat, at, options = map(list, zip(*self._out)) if self._out else ([], [], [], [], [])
        time16 = (tstamp[np.array(at, int)] & np.uint64(0xFFFF)).tolist()
        return EncodedTrace(packets, reasons, beat, time16, options, self.config)
