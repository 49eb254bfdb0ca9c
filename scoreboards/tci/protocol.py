# SPDX-License-Identifier: Apache-2.0
"""The encoders' protocol as the checks of the trace system use it: messages and their sources, reference encoder,
decoder, check.

`protocol(format)` is N-Trace's or E-Trace's by trTeFormat; nothing else in scoreboards/tci depends on which one it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rvtrace.models.etrace.decoder.decode import decode as decode_etrace
from rvtrace.models.etrace.decoder.deframe import deframe
from rvtrace.models.etrace.encoder.encode import Encoder as EtraceEncoder
from rvtrace.models.etrace.table import OPTIONS
from rvtrace.models.ntrace.codec import Damage, Unpacker
from rvtrace.models.ntrace.decoder.decode import DecoderError
from rvtrace.models.ntrace.decoder.decode import decode as decode_ntrace
from rvtrace.models.ntrace.decoder.sources import decode_sources
from rvtrace.models.ntrace.encoder.encode import Encoder as NtraceEncoder
from rvtrace.models.tci.funnel import by_source
from rvtrace.models.tci.grammar import NTRACE, EtraceGrammar, Grammar
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.etrace import check as etrace
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.ntrace import check as ntrace
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.tci.capture import EncoderProtocol, HartRun, TciCapture

E_TRACE = 0  # trTeFormat
START = 3  # the lowest four bits of a packet 3.0: format 3, subformat 0
FEATURES = {  # bits of trTeInstFeatures
    "implicit_return": 3,
    "implicit_exception": 1,
    "full_address": 0,
    "jump_target_cache": 5,
    "branch_prediction": 4,
    "sijump": 2,
}


class Ntrace(EncoderProtocol):
    """Nexus messages; the source appears after the TCODE."""

    encoder = NtraceEncoder

    def grammar(self, config: Any) -> Grammar:
        return NTRACE

    def source(self, hart: HartRun) -> int:
        return hart.config.src_id if hart.config.source_bits else 0

    def by_source(self, data: bytes, harts: list[HartRun], joined: bool = False) -> dict[int, bytes]:
        return by_source(data, max((hart.config.source_bits for hart in harts), default=0))

    def whole(self, capture: TciCapture, hart: HartRun) -> bytes:
        return self.by_source(capture.merged.data, capture.harts).get(self.source(hart), b"")

    def losses(self, told: Any) -> list[int]:
        return [index for index, message in enumerate(told.messages) if message.name == "Error"]

    def damage(self, hart: HartRun) -> str:
        damage: list[Damage] = []
        unpacker = Unpacker(hart.config, lambda message: None, damage.append)
        unpacker.feed(hart.stream.data)
        unpacker.finish()
        return f"{damage[0].reason} at byte {damage[0].offset}" if damage else ""

    def check(self, capture: TciCapture, hart: HartRun, data: bytes) -> Verdict:
        return ntrace.check(
            NtraceCapture(
                config=hart.config,
                program=hart.program,
                data=data,
                beats=hart.beats,
                exact=capture.exact,
                rerun=capture.rerun,
            )
        )

    def pcs(self, hart: HartRun, messages: bytes) -> np.ndarray:
        return decode_ntrace(messages, hart.program, hart.config).pcs

    def decoded(self, back: bytes, harts: Iterable[HartRun]) -> dict[int, Any]:
        try:
            return decode_sources(
                back, {hart.config.src_id: (hart.images or hart.program, hart.config) for hart in harts}
            )
        except DecoderError:
            return {}  # encoders of different forms: legal registers, but no one stream (3.2)

    def joined(self, back: bytes) -> bytes:
        return b"".join(NTRACE.split(back)[1:])


class Etrace(EncoderProtocol):
    """Packets in the encapsulation messaging; the index is the source, and the encoder itself has none."""

    encoder = EtraceEncoder
    zeros = True

    def grammar(self, config: Any) -> EtraceGrammar:
        return EtraceGrammar(config.index_width // 8)

    def source(self, hart: HartRun) -> int:
        return hart.source if hart.config.index_width else 0

    def by_source(self, data: bytes, harts: list[HartRun], joined: bool = False) -> dict[int, bytes]:
        grammar, out = self.grammar(harts[0].config), dict[int, bytearray]()
        for packet in grammar.split(data, joined):
            out.setdefault(grammar.source(packet), bytearray()).extend(packet)
        return {source: bytes(packets) for source, packets in out.items()}

    def whole(self, capture: TciCapture, hart: HartRun) -> bytes:
        grammar = self.grammar(hart.config)
        return b"".join(
            s.data for s in capture.merged.messages if grammar.source(s.data.lstrip(b"\0")) == self.source(hart)
        )

    def starts(self, message: bytes) -> bool:
        packet = message.lstrip(b"\0")
        return packet[-(packet[0] & 31)] & 0xF == START

    def losses(self, told: Any) -> list[int]:
        return [index for index, reason in enumerate(told.reasons) if reason == "ET.alg.lost"]

    def damage(self, hart: HartRun) -> str:
        damage = deframe(hart.stream.data, hart.config)[2]
        return f"{damage[0].text} at byte {damage[0].offset}" if damage else ""

    def check(self, capture: TciCapture, hart: HartRun, data: bytes) -> Verdict:
        return etrace.check(
            EtraceCapture(
                config=hart.config,
                program=hart.program,
                packets=self._payloads(hart, data),
                data=self.bare(hart, data),
                beats=hart.beats,
                exact=capture.exact,
                rerun=capture.rerun,
            )
        )

    def pcs(self, hart: HartRun, messages: bytes) -> np.ndarray:
        return decode_etrace(self._payloads(hart, messages), hart.program, hart.config).pcs

    def decoded(self, back: bytes, harts: Iterable[HartRun]) -> dict[int, Any]:
        harts = list(harts)
        parts = self.by_source(back, harts)
        return {
            self.source(hart): decode_etrace(
                # several images need the context, which scenarios report with N-Trace only
                self._payloads(hart, parts.get(self.source(hart), b"")),
                hart.program,
                hart.config,
            )
            for hart in harts
        }

    def settings(self, hart: HartRun, timeline: Iterable[tuple[int, int]]) -> int:
        changed, before, config = 0, hart.config.ioptions, hart.config.ioptions
        for cycle, features in timeline:
            now = sum((features >> FEATURES[name] & 1) << bit for bit, name in enumerate(OPTIONS))
            hart.beats.toggle[hart.beats.cycle > cycle] = now ^ config
            changed, before = changed + (now != before), now
        return changed

    def bare(self, hart: HartRun, data: bytes) -> bytes:
        """With the index the encoder's own transport would have: 0."""
        out, at, index = bytearray(data), 0, self.grammar(hart.config).index
        while at < len(out):
            if out[at]:
                size = self.grammar(hart.config).size(out[at])
                out[at + 1 : at + 1 + index] = bytes(index)
                at += size
            else:
                at += 1
        return bytes(out[: len(data)])

    def _payloads(self, hart: HartRun, data: bytes) -> list[bytes]:
        return [packet[-(packet[0] & 31) :] for packet in self.grammar(hart.config).split(data)]


def protocol(trace_format: int) -> EncoderProtocol:
    """That of a trTeFormat."""
    return Etrace() if trace_format == E_TRACE else Ntrace()
