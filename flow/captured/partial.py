# SPDX-License-Identifier: Apache-2.0
"""PARTIAL=1: what of a trace can be judged if its buffer wrapped, or the hart was still running when it was read.

The part from the first message on that a decoder can begin with, to the last whole one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.jobs.arguments import ArgumentError

ENDS = (
    "NT.3.1.end",
    "NT.8.5.first",
    "NT.3.1.mseo",
    "ET.alg.first",
    "ET-16",
)  # clauses that a trace breaks which was cut somewhere
HINT = (
    "if the buffer wrapped, or the hart was still running, give PARTIAL=1: then the trace is judged from its first"
    " synchronizing message to its last whole one"
)
_FORMAT, _START = 0xF, 3  # format 3, subformat 0


def whole_part(files: TraceFiles, capture: Any) -> tuple[TraceFiles, Any, str]:
    """Files and capture of that part, and what it is, in words; ArgumentError if there is none."""
    if files.system.ip == "tandem":
        raise ArgumentError(
            "PARTIAL=1 is not for tandem traces, whose state is known from a hart reset on; omit it, and give PC= if pc"
            " and registers are known"
        )
    return _etrace(files, capture) if files.system.ip == "etrace" else _ntrace(files, capture)


def _none(files: TraceFiles) -> ArgumentError:
    return ArgumentError(
        f"{files.trace} has no synchronizing message; switch periodic synchronization on, or capture more, and check"
        " CONFIG="
    )


def _ntrace(files: TraceFiles, capture: Any) -> tuple[TraceFiles, Any, str]:
    from rvtrace.models.ntrace.codec import unpack

    config, size = files.config, len(files.data)
    messages, damage = unpack(files.data, config)
    begin = next(
        (
            m.offset
            for m in messages
            if m.get("sync") is not None and (not config.source_bits or m.src == config.src_id)
        ),
        None,
    )
    if begin is None:
        raise _none(files)
    end = damage[-1].offset if damage and damage[-1].clause == "NT.3.1.end" else size
    part = files.data[begin:end]
    return replace(files, data=part), replace(capture, data=part), f"bytes {begin:,} to {end:,} of {size:,} (PARTIAL=1)"


def _etrace(files: TraceFiles, capture: Any) -> tuple[TraceFiles, Any, str]:
    """Packets alone: what is around them is not judged, since its blocks and runs of zeros may be cut."""
    from rvtrace.models.etrace.decoder.deframe import deframe

    payloads, offsets, damage = deframe(files.data, files.config, joined=True)
    first = next((k for k, payload in enumerate(payloads) if payload and payload[0] & _FORMAT == _START), None)
    if first is None:
        raise _none(files)
    problems = [
        f"byte {d.offset:#x}: {d.text}" for d in damage if d.offset > offsets[first] and d.packet < len(payloads)
    ]
    text = (
        f"packets {first:,} to {len(payloads):,}, from byte {offsets[first]:,} on (PARTIAL=1); their transport is not"
        " judged"
    )
    return files, replace(capture, packets=payloads[first:], data=None, problems=problems), text
