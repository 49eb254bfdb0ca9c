# SPDX-License-Identifier: Apache-2.0
"""What a decoder reports beside instructions: events, and what was wrong with the bytes."""

from __future__ import annotations

from typing import NamedTuple

MAX_FINDINGS = 100_000  # diagnostics of one trace
UNREPORTED = -1  # a privilege, context or time


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
