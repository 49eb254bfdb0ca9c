# SPDX-License-Identifier: Apache-2.0
"""What a decoder makes of an E-Trace: instructions, events, packets, and what was wrong with the bytes."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from rvtrace.models.common.decoding import Walked
from rvtrace.models.etrace.decoder.events import Diagnostic, Event
from rvtrace.models.etrace.decoder.packet_log import Columns, Reported
from rvtrace.models.etrace.decoder.path import Path
from rvtrace.models.etrace.table import Packet

__all__ = ["CLAUSES", "DecodedTrace", "Diagnostic", "Event"]

# Every requirement that a decoder can find broken. A diagnostic carries one of these ids.
CLAUSES: dict[str, str] = {
    "ET-2": (
        "traps that follow each other are reported by a packet each, and their handler by the packet after the last"
    ),
    "ET-4": "branches and the address reported before a synchronization packet lead to it",
    "ET-12": "format 0.1 names an entry of the jump target cache that is filled",
    "ET-14": "the address reported is met where irreport and irdepth say",
    "ET-16": "trace that ended or lost packets starts again with a synchronization packet",
    "ET.pay.fields": "a payload has the fields of its format, and no more",
    "ET.pay.type_length": "a payload has 1 to 31 bytes",
    "ET.pay.map_length": "branch_map has one bit for each branch up to the address reported, and no more",
    "ET.pay.branch_count": "branch_count reports as many branches as lie before the address reported",
    "ET.pay.differential": "an address reported is one of an instruction of the program to which the code leads",
    "ET.pay.start": "a synchronization packet reports the address of an instruction of the program",
    "ET.pay.trap": "a trap packet reports where its handler is",
    "ET.pay.thaddr": "the EPC of an exception is reported if it is the target of an uninferable jump",
    "ET.pay.privilege": "privilege is one that the specification defines",
    "ET.pay.support": "support packets come between complete packets; ended packets come while something is traced",
    "ET.alg.first": "trace starts with a synchronization packet",
    "ET.alg.last": "the last instruction traced is reported before trace ends",
    "ET.opt.implicit_exception": "with implicit_exception, the handler of every trap is known to the decoder",
    "ET.opt.stack": "with implicit_return, a return that is not reported belongs to a call that is open",
    "ET.opt.prediction": "branch_fmt is 0, 2 or 3; with 3 the address is that of a branch",
    "ET.tra.messaging": "the header byte of a message reports its length, and all of it follows",
    "ET.tra.atb": "the header byte of a packet reports its length, with zeros above, and all of it follows",
    "ET.tra.zeros": "packet boundaries are found after a run of 32 zero bytes",
    "ET.tra.blocks": "a block begins with a packet, no packet spans two, and zeros fill what is left",
    "ET.tra.join": "a stream that is joined in the middle holds a place where packets begin",
    "ET.bt.sequential": "instructions follow each other as the program says",
    "ET.bt.uninferable": "the target of a jump that the program does not show is reported",
    "ET.bt.traps": "ecall and ebreak trap: nothing follows them but a handler",
    "ET.bt.bounds": "any bytes are survived; a trace fits the decoder's limits",
}


class DecodedTrace(Walked):
    """Everything decoded.

    events: in order. packets: one entry for each payload, None where it is none. first_pc: int64[len(packets)],
    instructions known when the packet was taken. diagnostics: empty for a good trace. For each packet: options
    (ioptions in force for it), priv (code of the specification), context and time: what was reported last once it was
    taken, -1 if nothing; offsets: of its first byte in the stream, empty where only payloads were given. skipped:
    packets before the first synchronization packet (a buffer that wrapped). complete: False if the decoder stopped at
    its limit.
    """

    def __init__(self, path: Path, columns: Columns) -> None:
        super().__init__(path)
        self._rest = columns
        self.diagnostics, self.skipped, self.complete = columns.diagnostics, columns.skipped, columns.complete

    @cached_property
    def events(self) -> list[Event]:
        """What happened beside instructions, in order."""
        return self._rest.events.list()

    @cached_property
    def packets(self) -> list[Packet | None]:
        """One entry for each payload, None where it is no packet."""
        return self._rest.packets()

    @cached_property
    def first_pc(self) -> np.ndarray:
        """int64: instructions known when each packet was taken."""
        return self._rest.first_pc()

    @cached_property
    def priv(self) -> np.ndarray:
        """int64: the privilege reported last once each packet was taken, -1 if none was."""
        return np.array([reported.priv for reported in self._reported_last], dtype=np.int64)

    @cached_property
    def context(self) -> np.ndarray:
        """int64: the context, likewise."""
        return np.array([reported.context for reported in self._reported_last], dtype=np.int64)

    @cached_property
    def time(self) -> list[int]:
        """The time, likewise."""
        return [reported.time for reported in self._reported_last]

    @cached_property
    def _reported_last(self) -> list[Reported]:
        return self._rest.last_reported()

    @cached_property
    def options(self) -> list[int]:
        """The ioptions in force for each packet."""
        return self._rest.options()

    @cached_property
    def offsets(self) -> list[int]:
        """Of each packet's first byte in the stream; empty where only payloads were given."""
        return self._rest.payloads.offsets()

    def of(self, *kinds: str) -> list[Event]:
        """The events of these kinds, in order."""
        return [event for event in self.events if event.kind in kinds]
