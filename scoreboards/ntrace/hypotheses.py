# SPDX-License-Identifier: Apache-2.0
"""Which options explain the bytes of an N-Trace encoder that cannot be decoded with those claimed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decode import DecodedTrace, decode
from rvtrace.scoreboards.common.hypotheses import Explanation, Variation, explain, variations
from rvtrace.scoreboards.ntrace.capture import NtraceCapture

OPTIONS = (
    Variation("mode", "NT.7.9.htm_only"),
    Variation("timestamp", "NT.8.7.enabled"),
    Variation("extend_addr_msb", "NT.8.2.extend"),
    Variation("implicit_return", "NT.9.2.implicit_return"),
    Variation("sequential_jump", "NT.9.1.sequential_jump"),
    Variation("all_jumps", "NT.2.all_jumps"),
)
SOURCE = Variation("src_bits", "NT-17")
FEW = 16  # bytes, of a message that is wrong by itself rather than by an option
LOOKED_AT = 4096  # bytes from the first that could not be decoded
_END = 3  # MSEO of the last byte of a message


def assumed(capture: NtraceCapture, decoded: DecodedTrace) -> tuple[list[Explanation], float]:
    """The configurations that explain a capture, and the share of it that cannot be decoded as claimed.

    decoded: with the options claimed.
    """
    lost = [d for d in decoded.diagnostics if d.lost_bytes]
    if sum(d.lost_bytes for d in lost) < FEW and not _foreign(decoded, capture.config):
        return [], 0.0
    part = capture.data[: (lost[0].offset if lost else 0) + LOOKED_AT]

    def undecoded(config: Config) -> float:
        """Bytes lost and messages wrong, of those looked at."""
        trace = decode(part, capture.program, config)
        bad = sum(d.lost_bytes + 1 for d in trace.diagnostics) / len(part)
        return min(bad + _foreign(trace, config), 1.0) if len(trace) else 1.0

    return explain(capture.config, undecoded, lambda config: _others(config, part)), undecoded(capture.config)


def _foreign(decoded: DecodedTrace, config: Config) -> float:
    """The messages of other sources than the one claimed, of all: a wrong width makes sources that are not there."""
    total = sum(decoded.sources.values())
    return 1 - decoded.sources[config.src_id] / total if total else 0.0


def _others(config: Config, data: bytes) -> Iterator[tuple[Variation, Config]]:
    yield from variations(config, OPTIONS)
    first = _source_field(data)
    for bits in Config.legal()["src_bits"]:
        if bits != config.src_bits:
            yield SOURCE, replace(config, src_bits=bits, src_id=first & ((1 << bits) - 1), inhibit_src=0)


def _source_field(data: bytes) -> int:
    """The twelve bits after TCODE of the first message."""
    begin = 0
    while begin < len(data) and data[begin] & 3 == _END:  # idle bytes
        begin += 1
    mdo = [byte >> 2 for byte in data[begin + 1 : begin + 3]]
    return sum(bits << 6 * place for place, bits in enumerate(mdo))
