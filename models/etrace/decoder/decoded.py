# SPDX-License-Identifier: Apache-2.0
"""What a decoder makes of an E-Trace: instructions, events, packets, and what was wrong with the bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from rvtrace.models.etrace.decoder.path import Path
from rvtrace.models.etrace.table import Packet

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

MAX_FINDINGS = 100_000  # diagnostics of one trace
UNTOLD = -1


class Event(NamedTuple):
    """Something that is not a retired instruction.

    kind and index: "sync" (3.0), "notify" (an address with that flag) and "ambiguous" happen at instruction `index`;
    "trap" (3.1), "context" (3.2) and "support" (3.3) when `index` instructions had retired. packet: where it was
    reported. Of a trap: ecause, interrupt; tval and epc, None where nothing reported it; handler, None if nothing of it
    retired; undefined: epc was read from an `address` that the specification leaves undefined (thaddr=0 of a packet for
    another trap, or of a trap before anything was traced). again, of "ambiguous": instruction `index` is the first that
    fits what was reported, and the hart may have come to the same place again by a "loop" of direct jumps, by an
    inferred "return", or by an uninferable "jump"; "before": it is the last one that fits, and the round that ends with
    it may not have been. text: for people.
    """

    kind: str
    index: int
    packet: int
    epc: int | None = None
    ecause: int | None = None
    interrupt: int | None = None
    tval: int | None = None
    handler: int | None = None
    again: str = ""
    text: str = ""
    undefined: bool = False


class Diagnostic(NamedTuple):
    """Damage or a contradiction: index of the packet, clause broken, what was found, packets that reported nothing,
    byte offset.

    offset is -1 where only payloads were given.
    """

    packet: int
    clause: str
    text: str
    lost_packets: int = 0
    offset: int = -1

    def __str__(self) -> str:
        place = f"packet {self.packet}" if self.offset < 0 else f"packet {self.packet} (byte {self.offset:#x})"
        lost = f"; {self.lost_packets} packets lost" if self.lost_packets else ""
        return f"{place}: {self.text} [{self.clause}]{lost}"


@dataclass
class Columns:
    """The columns of a `DecodedTrace` while they are made; they have one entry for each packet."""

    events: list[Event] = field(default_factory=list)
    packets: list[Packet | None] = field(default_factory=list)
    first_pc: list[int] = field(default_factory=list)
    options: list[int] = field(default_factory=list)
    priv: list[int] = field(default_factory=list)
    context: list[int] = field(default_factory=list)
    time: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    skipped: int = 0
    complete: bool = True


class DecodedTrace:
    """Everything decoded. The PCs are kept compact and made when `pcs` or `taken` is first read (9 bytes each).

    events: in order. packets: one entry for each payload, None where it is none. first_pc: int64[len(packets)],
    instructions known when the packet was taken. diagnostics: empty for a good trace. For each packet: options
    (ioptions in force for it), priv (code of the specification), context and time: what was reported last once it was
    taken, -1 if nothing; offsets: of its first byte in the stream, empty where only payloads were given. skipped:
    packets before the first synchronization packet (a buffer that wrapped). complete: False if the decoder stopped at
    its limit.
    """

    def __init__(self, path: Path, columns: Columns) -> None:
        self._path = path
        self.events, self.packets, self.diagnostics = columns.events, columns.packets, columns.diagnostics
        self.first_pc = np.array(columns.first_pc, dtype=np.int64)
        self.priv, self.context = (np.array(c, dtype=np.int64) for c in (columns.priv, columns.context))
        self.time, self.options, self.offsets = columns.time, columns.options, columns.offsets
        self.skipped, self.complete = columns.skipped, columns.complete

    def __len__(self) -> int:
        """Retired instructions."""
        return self._path.count

    @cached_property
    def _columns(self) -> tuple[np.ndarray, np.ndarray]:
        return self._path.expand()

    @property
    def pcs(self) -> np.ndarray:
        """uint64[n]: pc of every retired instruction in order."""
        return self._columns[0]

    @property
    def taken(self) -> np.ndarray:
        """int8[n]: 1 or 0 for a branch, else -1."""
        return self._columns[1]

    def of(self, *kinds: str) -> list[Event]:
        """The events of these kinds, in order."""
        return [event for event in self.events if event.kind in kinds]
