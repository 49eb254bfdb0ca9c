# SPDX-License-Identifier: Apache-2.0
"""Streams of several encoders (11.2): each part is judged against its own hart, and the stream against its parts.

    split(data, configs)      the bytes of each source, by SRC
    check_sources(captures)   one verdict for each source, and one for the stream

A funnel may change nothing but the order of whole messages, so that what an encoder sent is found again by its SRC
alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rvtrace.models.ntrace.codec import Damage, unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import Verdict, check, plan
from rvtrace.scoreboards.ntrace.source_field import source_at
from rvtrace.scoreboards.ntrace.tolerances import Tolerances

SOURCES = "NT.11.2.sources"


class SourcesError(ValueError):
    """Configurations that cannot belong to one stream; the text says which."""


def split(data: bytes, configs: dict[int, Config]) -> tuple[dict[int, bytes], dict[int, bytes], list[Damage]]:
    """(bytes of each source of `configs`, bytes of the other sources, damage) of a stream; idle bytes are left out.

    SourcesError if the encoders differ in the width of SRC, or have none (NT-17).
    """
    widths = {config.source_bits for config in configs.values()}
    if len(widths) != 1 or 0 in widths:
        shown = ", ".join(f"{config.source_bits} for SRC={source}" for source, config in configs.items())
        raise SourcesError(
            f"the encoders of one stream send SRC fields of {shown} bits; give all the same SRC_BITS, not 0"
        )
    messages, damages = unpack(data, next(iter(configs.values())))
    offsets = np.array([m.offset for m in messages], dtype=np.int64)
    sizes = t.lengths(data, offsets)
    sources = source_at(np.frombuffer(data, np.uint8), offsets, widths.pop())
    parts: dict[int, list[bytes]] = {source: [] for source in configs}
    others: dict[int, list[bytes]] = {}
    for source, offset, size in zip(sources.tolist(), offsets.tolist(), sizes.tolist()):
        target = parts if source in parts else others
        target.setdefault(source, []).append(data[offset : offset + size])
    return ({s: b"".join(p) for s, p in parts.items()}, {s: b"".join(p) for s, p in others.items()}, damages)


def check_sources(
    data: bytes, captures: dict[int, NtraceCapture], tolerances: Tolerances | None = None
) -> tuple[ClauseBook, dict[int, Verdict]]:
    """Hold a stream to its sources: (the book of the stream, the verdict of each source).

    captures: by SRC; the data of each is what that encoder sent, or empty if it was not observed (then what the stream
    has under its SRC is judged in its place).
    """
    book = ClauseBook(plan(), next(iter(captures.values())).rerun)
    parts, others, damages = split(data, {source: capture.config for source, capture in captures.items()})
    for damage in damages:
        book.fail(Failure(damage.clause, f"at byte {damage.offset}: {damage.reason}"))
    for source, part in others.items():
        book.fail(Failure(SOURCES, f"{len(part)} bytes have SRC={source}, which no encoder of the stream has",
                          table=[("SRC", ", ".join(map(str, captures)), str(source))]))  # fmt: skip
    verdicts = {}
    for source, capture in captures.items():
        part = parts[source]
        if capture.data:
            book.check(SOURCES, part == capture.data, _differs(source, capture.data, part))
        verdicts[source] = check(replace(capture, data=part, out_cycle=None), tolerances)
        book.count(SOURCES, len(verdicts[source].decoded.messages))
    return book, verdicts


def _differs(source: int, sent: bytes, found: bytes) -> Failure:
    n = min(len(sent), len(found))
    at = next((i for i in range(n) if sent[i] != found[i]), n)
    return Failure(
        SOURCES,
        f"the messages with SRC={source} are not those its encoder sent, from its byte {at} on",
        table=[("bytes", sent[at : at + 8].hex(" ") or "none", found[at : at + 8].hex(" ") or "none")],
    )
