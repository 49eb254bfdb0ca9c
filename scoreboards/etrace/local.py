# SPDX-License-Identifier: Apache-2.0
"""Whether what is wrong with a trace is damage at a few places (diagnosis/local.py)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rvtrace.models.etrace.decoder.decode import DecodedTrace
from rvtrace.models.etrace.table import Packet
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.diagnosis.local import is_damage, stretches
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.legal import check_legal
from rvtrace.scoreboards.etrace.table import PacketTable
from rvtrace.scoreboards.etrace.tolerances import Tolerances


class Kind(NamedTuple):
    """What a deviation of the layout makes no difference within: a packet, and what its fields depend on."""

    name: str
    branches: int
    interrupt: int
    thaddr: int
    branch: int


def is_local(capture: EtraceCapture, trace: DecodedTrace, differs: int | None) -> bool:
    """Whether the packets lost, and the first after which a PC `differs` from the hart's, are local damage."""
    n = len(trace.first_pc)
    if capture.beats is not None or not trace.diagnostics:
        return False  # what monitors saw was not damaged on its way, nor what can be read
    places = {d.packet for d in trace.diagnostics} | ({differs} if differs is not None else set())
    broken = sorted(place for place in places if place < n)
    if not broken or not len(trace):
        return False
    packets = trace.packets
    kinds = [_kind(packet, payload) for packet, payload in zip(packets, capture.packets)]
    syncs = [k for k, packet in enumerate(packets) if packet is not None and packet.name in ("start", "trap")]
    if not is_damage(kinds, broken, syncs):
        return False
    number = stretches(n, syncs)
    inside = np.isin(number, number[broken])
    return all(inside[max(place - 1, 0)] or inside[place] for place in _illegal(capture, trace) if place < n)


def _illegal(capture: EtraceCapture, trace: DecodedTrace) -> list[int]:
    """The packets that break a rule."""
    book = ClauseBook()
    check_legal(capture, book, PacketTable(trace.packets, capture.config), trace, Tolerances.free())
    return [failure.at for failure in book.failures if failure.at is not None]


def _kind(packet: Packet | None, payload: bytes) -> Kind:
    """Of one that cannot be read, by its first bits, which a deviation leaves where they are or which are damaged."""
    if packet is None:
        low = payload[0] & 0xF if payload else 0
        name = {0: "branch_count", 1: "branch_map", 2: "address"}.get(low & 3, "")
        return Kind(name or ("start", "trap", "context", "support")[low >> 2], 0, 0, 1, 1)
    v = packet.values
    branches = v.get("branches", 0).bit_length() if packet.name != "branch_map" or v.get("branches") else 6
    return Kind(packet.name, branches, v.get("interrupt", 0), v.get("thaddr", 1), v.get("branch", 1))
