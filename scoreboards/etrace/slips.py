# SPDX-License-Identifier: Apache-2.0
"""What one packet should have said, where the decoder went another way than the hart because of it.

A decoder that is told a wrong place reports wrong instructions from there on. If the packet with another flag, or with
the bytes that it lacks, leads where the hart went, then that is what is wrong with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from rvtrace.models.etrace.codec import pack
from rvtrace.models.etrace.decoder.decoded import DecodedTrace
from rvtrace.models.etrace.table import Packet, options_of
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.etrace import table as t
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.expected import Expected

LOOKED_AT = 4096  # instructions in which the place that was meant is looked for
JUMPS = (
    IType.UNINFERABLE_CALL,
    IType.UNINFERABLE_TAIL_CALL,
    IType.COROUTINE_SWAP,
    IType.OTHER_UNINFERABLE_JUMP,
)
UPDISCON = "the target of an uninferable jump is reported without updiscon, and a packet of format 3 follows"


class Slip(NamedTuple):
    """A packet that is wrong. at: the traced instruction that it reports, or should; rows: of the failure."""

    clause: str
    text: str
    packet: int
    at: int
    rows: list[tuple[str, str, str]]


class Slips:
    """The packets of one capture with what they should have reported."""

    def __init__(
        self, capture: EtraceCapture, expected: Expected, decoded: DecodedTrace, table: t.PacketTable
    ) -> None:
        self._capture, self._expected, self._decoded, self._table = capture, expected, decoded, table
        follows = table.ahead(table.sync, table.is_a(t.CONTEXT, t.SUPPORT), last=False)
        self.flagless = follows & (table["updiscon"] == 0)  # packets where updiscon may be missing

    def find(self, told: int, want: int) -> Slip | None:
        """For the first decoded instruction that is wrong, and the traced one that is due there."""
        if not 0 < told or not 0 < want < len(self._expected):
            return None
        first = np.asarray(self._decoded.first_pc)
        before = int(np.searchsorted(first, told - 1, side="right")) - 1  # reports the last one that is right
        here = int(np.searchsorted(first, told, side="right")) - 1
        return self._flag(before, told - 1, want) or self._next(here, told, want) or self._cut(here, told, want)

    def jumps_to(self, index: int, options: int) -> bool:
        """Whether a traced instruction is for certain the target of a jump that cannot be inferred."""
        want, on = self._expected, options_of(options)
        if index < 1 or want.first[index] or on["sijump"] or index in want.traps_at:
            return False
        jumps = JUMPS if on["implicit_return"] else (*JUMPS, IType.RETURN)
        return int(want.itype[index - 1]) in jumps

    def synchronized(self, index: int) -> bool:
        """Whether a packet of format 3 is due right after a traced instruction: a trap, or another privilege."""
        want = self._expected
        if index + 1 in want.traps_at:
            return True
        return index + 1 < len(want) and not want.first[index + 1] and want.priv[index + 1] != want.priv[index]

    def _flag(self, packet: int, told: int, want: int) -> Slip | None:
        """The packet reports a place that was met on the way, because it does not say that a jump led there."""
        if packet < 0 or not self.flagless[packet] or not self._table.addressed[packet]:
            return None
        pc = self._decoded.pcs[told]
        for at in range(want, min(want + LOOKED_AT, len(self._expected))):
            if self._expected.pc[at] == pc and self.jumps_to(at, int(self._table.ioptions[packet])):
                return self.unflagged(packet, at) if self.synchronized(at) else None
            if self._expected.taken[at] >= 0 or at in self._expected.traps_at:
                return None
        return None

    def _next(self, sync: int, told: int, want: int) -> Slip | None:
        """A synchronization packet is of the very next instruction, and the packet before it does not say so."""
        table = self._table
        packet = sync - 1
        while packet >= 0 and table.kind[packet] in (t.CONTEXT, t.SUPPORT):
            packet -= 1
        if packet < 0 or not table.sync[sync] or not self.flagless[packet] or not table.addressed[packet]:
            return None
        at = want - told + int(self._decoded.first_pc[sync]) - 1  # what that packet reports
        message = table.messages[sync]
        address = None if message is None else message.get("address")
        if address is None or not 0 < at < len(self._expected) - 1:
            return None
        there = address << self._capture.config.iaddress_lsb_p == int(self._expected.pc[at + 1])
        jumped = self.jumps_to(at, int(table.ioptions[packet]))
        return self.unflagged(packet, at) if there and jumped else None

    def unflagged(self, packet: int, at: int) -> Slip:
        """A packet that does not say that a jump led to its instruction."""
        return Slip("ET.pay.updiscon", UPDISCON, packet, at, [("updiscon", "1", "0")])

    def _cut(self, packet: int, told: int, want: int) -> Slip | None:
        """The payload is the first bytes of the one that leads where the hart went."""
        if not 0 <= packet < len(self._table) or not self._table.addressed[packet]:
            return None
        sent, lsb = self._table.messages[packet], self._capture.config.iaddress_lsb_p
        assert sent is not None  # it is addressed
        apart = (int(self._expected.pc[want]) - int(self._decoded.pcs[told])) >> lsb
        if "address" not in sent.values or not apart:
            return None
        bits = self._capture.config.iaddress_width_p - lsb
        address = (sent.values["address"] + apart + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
        payload = self._capture.packets[packet]
        for value in (address, address % (1 << bits)):
            whole = pack(
                Packet(sent.name, {**sent.values, "address": value}),
                self._capture.config,
                options_of(int(self._table.ioptions[packet])),
            )
            if len(whole) > len(payload) and whole.startswith(payload):
                rows = [("length", f"{len(whole)} bytes", f"{len(payload)} bytes"),
                        ("payload", whole.hex(" "), payload.hex(" "))]  # fmt: skip
                return Slip("ET.pay.fields", "the packet is cut off: its last bytes are missing", packet, want, rows)
        return None
