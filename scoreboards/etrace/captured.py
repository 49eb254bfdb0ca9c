# SPDX-License-Identifier: Apache-2.0
"""A captured E-Trace: its packets are numbered, and its transport is judged beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from rvtrace.models.etrace.decoder.deframe import OF_TRANSPORT
from rvtrace.scoreboards.common.captured import (
    Decoded,
    Followed,
    Part,
    begun,
    finish,
    no_synchronization,
    reported,
)
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.etrace.capture import skipped

if TYPE_CHECKING:
    from rvtrace.models.etrace.config import Config
    from rvtrace.models.etrace.decoder.decode import DecodedTrace
    from rvtrace.scoreboards.diagnosis.search import Reading
    from rvtrace.scoreboards.etrace.capture import EtraceCapture
    from rvtrace.scoreboards.etrace.hypotheses import Packets
    from rvtrace.scoreboards.etrace.tolerances import Tolerances

FEW = 32  # packets: hardly any deviation is sure of fewer, nearly every one explains them
_FORMAT, _START = 0xF, 3  # format 3, subformat 0


class CapturedEtrace(Followed):
    """Packets."""

    memory = (350, 24)
    unit = "packets"
    of_bytes = (*OF_TRANSPORT, "ET.pay.fields", "ET.pay.type_length")
    no_start = ("ET.alg.first",)
    ends = ("ET.alg.first", "ET-16")
    by_head = True
    density = 4
    partial_in_parts = False

    def check(self, capture: EtraceCapture, tolerances: Tolerances) -> Verdict:
        """Legal, what the decoder found, and the transport; with the jump target cache as found."""
        from rvtrace.scoreboards.etrace.cache import as_found

        judge = partial(self._judged, tolerances=tolerances)
        return as_found(capture, judge(capture), judge)[1]

    def _judged(self, capture: EtraceCapture, tolerances: Tolerances) -> Verdict:
        from rvtrace.models.etrace.decoder.decode import decode
        from rvtrace.scoreboards.etrace.judge import JUDGE
        from rvtrace.scoreboards.etrace.legal import check_legal
        from rvtrace.scoreboards.etrace.table import PacketTable
        from rvtrace.scoreboards.etrace.transport import check_transport

        verdict = Verdict(begun(JUDGE.plan, capture.rerun, capture.config.variant))
        decoded = verdict.decoded = decode(capture.packets, capture.program, capture.config)
        check_legal(capture, verdict.book, PacketTable(decoded.packets, capture.config), decoded, tolerances)
        check_transport(capture, verdict.book, decoded.packets)
        size = len(decoded.packets)
        spans = [(d.packet, d.lost_packets) for d in decoded.diagnostics]
        finish(verdict, size, self.lost(decoded), spans, np.arange(size))
        verdict.stats["messages"] = size
        if capture.skipped:
            verdict.notes += (skipped(capture.skipped),)
        return verdict

    def evidence(self, capture: EtraceCapture) -> Packets:
        """Its packets."""
        from rvtrace.scoreboards.etrace.hypotheses import Packets

        return Packets(capture)

    def is_followed(self, evidence: Packets, capture: EtraceCapture, decoded: DecodedTrace) -> bool:
        """Whether it decodes as claimed, or has few packets."""
        return len(capture.packets) < FEW or evidence.follows(decoded)

    def likely(self, evidence: Packets, capture: EtraceCapture) -> list[Reading[Config]]:
        """Byte addresses."""
        return evidence.likely(capture.config)

    def as_read(self, capture: EtraceCapture, evidence: Packets, reading: Reading[Config]) -> EtraceCapture:
        """With other options, and other packets."""
        from rvtrace.scoreboards.etrace.hypotheses import as_read

        return as_read(capture, reading)

    def whole(self, capture: EtraceCapture) -> EtraceCapture:
        """Without the bytes of a last packet that goes on."""
        if capture.data is None:
            return capture
        from rvtrace.models.etrace.decoder.deframe import deframe

        payloads, _, damage = deframe(capture.data, capture.config)
        if not damage or damage[-1].packet < len(payloads):
            return capture
        return replace(capture, data=capture.data[: damage[-1].offset])

    def size(self, capture: EtraceCapture) -> int:
        """Bytes that are transported."""
        return sum(map(len, capture.carried))

    def lost(self, decoded: DecodedTrace) -> int:
        """Packets."""
        return sum(d.lost_packets for d in decoded.diagnostics)

    def numbers(self, decoded: DecodedTrace, size: int) -> Decoded:
        """In packets."""
        found, packets = decoded.diagnostics, len(decoded.packets)
        first = (found[0].clause, found[0].text, found[0].packet) if found else None
        return Decoded(len(decoded), packets, packets, self.lost(decoded), len(found), decoded.complete, first)

    def whole_part(self, trace: Path, capture: EtraceCapture) -> tuple[EtraceCapture, str]:
        """Packets alone: what is around them is not judged, since its blocks and runs of zeros may be cut."""
        from rvtrace.models.etrace.decoder.deframe import deframe

        assert capture.data is not None
        payloads, offsets, damage = deframe(capture.data, capture.config, joined=True)
        first = next((k for k, payload in enumerate(payloads) if payload and payload[0] & _FORMAT == _START), None)
        if first is None:
            raise no_synchronization(trace)
        problems = [
            f"byte {d.offset:#x}: {d.text}" for d in damage if d.offset > offsets[first] and d.packet < len(payloads)
        ]
        text = (
            f"packets {first:,} to {len(payloads):,}, from byte {offsets[first]:,} on (PARTIAL=1); their transport is"
            " not judged"
        )
        return replace(capture, packets=payloads[first:], data=None, problems=problems), text

    def parts(self, path: Path, config: Config, program: Any, size: int, most: int, otherwise: str) -> Iterator[Part]:
        """From a synchronization packet to another one."""
        from rvtrace.scoreboards.etrace.parts import parts

        return parts(path, config, program, size, most, otherwise)

    def lead(self, part: Part, config: Config) -> bytes:
        """The support packet in force, and zeros."""
        from rvtrace.scoreboards.etrace.parts import lead

        return lead(part, config)

    def place(self, capture: EtraceCapture, part: Part) -> None:
        """By its first byte and packet."""
        capture.base = part.begin - len(self.lead(part, capture.config))
        capture.number = part.packet - bool(part.support)

    def own(self, decoded: DecodedTrace, capture: EtraceCapture, part: Part) -> tuple[int, int]:
        """Those after the support packet, to the first of the next part."""
        size = len(decoded.packets)
        first = bool(part.support) + 1 if part.number else 0
        after = size if part.after is None else min(part.after - part.packet + bool(part.support), size)
        return min(first, size), after

    def own_numbers(self, decoded: DecodedTrace, capture: EtraceCapture, part: Part, size: int) -> Decoded:
        """In its own packets."""
        first, after = self.own(decoded, capture, part)
        found = [d for d in decoded.diagnostics if first <= d.packet and (part.cut is None or d.packet < after)]
        return self.numbers(decoded, size)._replace(
            instructions=reported(decoded, first, after),
            messages=after - first,
            whole=after - first,
            lost=sum(min(d.lost_packets, after - d.packet) for d in found),
            found=len(found),
            first=(found[0].clause, found[0].text, found[0].packet - first) if found else None,
        )

    def is_unmoved(self, capture: EtraceCapture, verdict: Verdict) -> bool:
        """Whether bytes of a part are no packet."""
        if not any(failure.clause.startswith(OF_TRANSPORT) for failure in verdict.failures):
            return False
        from rvtrace.scoreboards.etrace.encapsulation import Damaged
        from rvtrace.scoreboards.etrace.transport import split

        assert capture.data is not None
        try:
            chunks = split(capture.data, capture)
        except Damaged:
            return True
        return [chunk.payload for chunk in chunks] != capture.packets

    def kernels(self) -> tuple[ModuleType, ...]:
        """Those of the decoder and of the transport."""
        from rvtrace.models.etrace.decoder import framing, kernel

        return (kernel, framing)


CAPTURED = CapturedEtrace()
