# SPDX-License-Identifier: Apache-2.0
"""A captured N-Trace: its messages are placed by their bytes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

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

if TYPE_CHECKING:
    from rvtrace.models.ntrace.config import Config
    from rvtrace.models.ntrace.decoder.decode import DecodedTrace
    from rvtrace.scoreboards.diagnosis.search import Reading
    from rvtrace.scoreboards.ntrace.capture import NtraceCapture
    from rvtrace.scoreboards.ntrace.hypotheses import Traced
    from rvtrace.scoreboards.ntrace.tolerances import Tolerances

END = "NT.3.1.end"  # the last message ends with the trace


class CapturedNtrace(Followed):
    """Messages."""

    memory = (250, 12)
    dense = 4
    of_bytes = ("NT.3.", "NT.6.1.tcode", "NT.6.2.max_field")
    no_start = ("NT-24", "NT.3.2.src")
    ends = (END, "NT.8.5.first", "NT.3.1.mseo")
    shown_as_read = True

    def check(self, capture: NtraceCapture, tolerances: Tolerances) -> Verdict:
        """Legal, and what the decoder found."""
        from rvtrace.models.ntrace.decoder.decode import decode
        from rvtrace.scoreboards.ntrace import legal, legal_framing, since, table
        from rvtrace.scoreboards.ntrace.judge import JUDGE

        verdict = Verdict(begun(JUDGE.plan, capture.rerun, capture.config.variant))
        decoded = verdict.decoded = decode(capture.data, capture.program, capture.config, by_address=True)
        messages = table.MessageTable(decoded.log)
        where = table.Locator(capture, decoded.log, decoded.pcs, np.asarray(decoded.first_pc))
        found = since.bounded(capture, decoded, messages, legal_framing.with_front(capture, decoded, always=True))
        legal.check_legal(capture, verdict.book, messages, where, found, tolerances, not decoded.diagnostics)
        spans = [(d.offset, d.lost_bytes) for d in decoded.diagnostics]
        finish(verdict, len(capture.data), self.lost(decoded), spans, messages.offset)
        verdict.stats["messages"] = len(messages)
        return verdict

    def evidence(self, capture: NtraceCapture) -> Traced:
        """Its bytes and program."""
        from rvtrace.scoreboards.ntrace.hypotheses import Traced

        return Traced(capture.data, capture.program, capture.config)

    def is_followed(self, evidence: Traced, capture: NtraceCapture, decoded: DecodedTrace) -> bool:
        """Whether it decodes as claimed."""
        return evidence.follows(decoded)

    def as_read(self, capture: NtraceCapture, evidence: Traced, reading: Reading[Config]) -> NtraceCapture:
        """With other options, and other bytes."""
        from rvtrace.scoreboards.ntrace.hypotheses import as_read

        return as_read(capture, evidence, reading)

    def lost(self, decoded: DecodedTrace) -> int:
        """Bytes."""
        return sum(d.lost_bytes for d in decoded.diagnostics) + decoded.skipped_bytes

    def numbers(self, decoded: DecodedTrace, size: int) -> Decoded:
        """In bytes."""
        found = decoded.diagnostics
        offsets = [message.offset for message in decoded.log] if found else []
        return Decoded(
            len(decoded),
            len(decoded.log),
            size,
            sum(d.lost_bytes for d in found),
            len(found),
            decoded.complete,
            (found[0].clause, found[0].text, int(np.searchsorted(offsets, found[0].offset))) if found else None,
        )

    def whole_part(self, trace: Path, capture: NtraceCapture) -> tuple[NtraceCapture, str]:
        """From the first synchronizing message of the encoder."""
        from rvtrace.models.ntrace.codec import unpack

        config, size = capture.config, len(capture.data)
        messages, damage = unpack(capture.data, config)
        begins = (
            m.offset
            for m in messages
            if m.get("sync") is not None and (not config.source_bits or m.src == config.src_id)
        )
        if (begin := next(begins, None)) is None:
            raise no_synchronization(trace)
        end = damage[-1].offset if damage and damage[-1].clause == END else size
        part = replace(capture, data=capture.data[begin:end])
        return part, f"bytes {begin:,} to {end:,} of {size:,} (PARTIAL=1)"

    def of_part(self, tolerances: Tolerances, config: Config) -> Tolerances:
        """Of the first synchronizing message nobody knows how long after another it came."""
        return replace(tolerances, sync_early=config.sync_interval + 1)

    def parts(self, path: Path, config: Config, program: Any, size: int, most: int, otherwise: str) -> Iterator[Part]:
        """From a synchronizing message to another one, however far apart they are."""
        from rvtrace.scoreboards.ntrace.parts import parts

        return parts(path, config, size)

    def lead(self, part: Part, config: Config) -> bytes:
        """Nothing."""
        return b""

    def place(self, capture: NtraceCapture, part: Part) -> None:
        """By its first byte."""
        capture.base = part.begin

    def own(self, decoded: DecodedTrace, capture: NtraceCapture, part: Part) -> tuple[int, int]:
        """Those whose bytes are its own."""
        first, after = (
            bisect_left(decoded.log, at, key=lambda message: capture.sent_at(message.offset))
            for at in (part.begin + part.skip, part.own)
        )
        return first, after

    def own_numbers(self, decoded: DecodedTrace, capture: NtraceCapture, part: Part, size: int) -> Decoded:
        """In its own bytes."""
        first, after = self.own(decoded, capture, part)
        found = [d for d in decoded.diagnostics if part.begin + part.skip <= capture.sent_at(d.offset) < part.own]
        return self.numbers(decoded, size)._replace(
            instructions=reported(decoded, 0, after),
            messages=after - first,
            whole=part.own - part.begin - part.skip,
            lost=sum(min(d.lost_bytes, part.own - capture.sent_at(d.offset)) for d in found),
            found=len(found),
            first=(found[0].clause, found[0].text, bisect_left(decoded.log, found[0].offset, key=_offset))
            if found
            else None,
        )

    def kernels(self) -> tuple[ModuleType, ...]:
        """The decoder's."""
        from rvtrace.models.ntrace.decoder import kernel

        return (kernel,)


def _offset(message: Any) -> int:
    return int(message.offset)


CAPTURED = CapturedNtrace()
