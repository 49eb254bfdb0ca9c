# SPDX-License-Identifier: Apache-2.0
"""Several harts in one stream, several programs in one trace (11.2, 11.3, 11.4).

    images = ImageMap().add(kernel, priv="S").add(editor, priv="U", context=5)
    traces = decode_sources(data, {0: (images, config), 1: (images, config)})

Each source has its own decoder, which sees its messages alone. Harts that may run the same processes share one
ImageMap: a process that moves keeps its image, because its context goes with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decode import MAX_INSTRUCTIONS, DecodedTrace, DecoderError, decode
from rvtrace.models.ntrace.decoder.images import Image, ImageError, ImageMap, Situation, View
from rvtrace.models.riscv.program import Program

__all__ = ["Image", "ImageError", "ImageMap", "Situation", "Stay", "View", "decode_sources", "stays"]

_FORM = ("variant", "extend_addr_msb", "timestamp", "xlen")  # what messages look like; one stream has one form


def decode_sources(
    data: bytes, sources: Mapping[int, tuple[Program | ImageMap, Config]], max_instructions: int = MAX_INSTRUCTIONS
) -> dict[int, DecodedTrace]:
    """Decode a stream of several encoders; SRC to what that encoder reported.

    sources: SRC to the program or images of that hart, and the configuration of its encoder (its `src_id` is not used).
    Bytes that are damaged may have been of any source: all of them resume at their next synchronizing message.
    max_instructions: of each source. DecoderError if the configurations cannot be of one stream.
    """
    if not sources:
        raise DecoderError("no source was given; give {SRC: (program, configuration)} for each encoder of the stream")
    configs = {src: config for src, (_, config) in sources.items()}
    _check(configs)
    return {
        src: decode(data, program, replace(configs[src], src_id=src), max_instructions)
        for src, (program, _) in sources.items()
    }


def _check(configs: Mapping[int, Config]) -> None:
    widths = {config.source_bits for config in configs.values()}
    if len(widths) > 1 or (widths == {0} and len(configs) > 1):
        found = " and ".join(map(str, sorted(widths)))
        raise DecoderError(
            f"sources of SRC_BITS={found} cannot be distinguished; give all encoders of a stream the same width,"
            " above 0"
        )
    width = widths.pop()
    for src in configs:
        if src >> width:
            raise DecoderError(f"source {src} does not fit SRC_BITS={width}; give SRC_BITS={src.bit_length()}")
    for name in _FORM:
        values = {getattr(config, name) for config in configs.values()}
        if len(values) > 1:
            raise DecoderError(
                f"{name.upper()} differs between the sources ({values}); give all encoders of a stream the same"
            )


class Stay(NamedTuple):
    """A process on a hart: instructions `begin` to `end` of source `src`, from `time` on (-1 where it is not known)."""

    src: int
    begin: int
    end: int
    time: int


def stays(traces: Mapping[int, DecodedTrace], context: int, priv: int | None = None) -> list[Stay]:
    """Where the process of an scontext ran, on all harts, by time (11.3); `priv`: only in that privilege."""
    found = []
    for src, trace in traces.items():
        changes = [*trace.context_changes, (len(trace), None)]
        for (begin, now), (end, _) in zip(changes, changes[1:]):
            if end > begin and now.context == context and priv in (None, now.priv):
                found.append(Stay(src, begin, end, trace.time_at(begin)))
    return sorted(found, key=lambda stay: (stay.time, stay.src, stay.begin))
