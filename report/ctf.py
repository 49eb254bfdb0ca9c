# SPDX-License-Identifier: Apache-2.0
"""A decoded trace in the Common Trace Format 1.8, which Trace Compass and babeltrace2 open: calls, messages, events,
privilege, context and losses.

A folder with `metadata`, a text that describes the records, and `stream`, packets of records of fixed size. Texts are
labels of enumerations. The clock is that of the cycles, if they are known, else the time of the trace, else the number
of the instruction; one tick is shown as one nanosecond.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rvtrace.report.viewer_calls import TRAP
from rvtrace.report.viewer_traces import Shown

MAGIC = 0xC1FC1FC1  # CTF 1.8, 5.1
HEADER = np.dtype([("magic", "<u4"), ("uuid", "u1", 16), ("stream_id", "<u4")])
CONTEXT = np.dtype([(name, "<u8") for name in ("timestamp_begin", "timestamp_end", "content_size", "packet_size")])
RECORD = [("id", "<u2"), ("timestamp", "<u8")]
PACKET = 1 << 20  # bytes of records of a packet: what a reader has to look through to find a time
FILES = ("metadata", "stream")
_NAMESPACE = uuid.UUID("a24b6f0e-5d4b-5c55-9b0c-0f1cbbd3a1f2")
_TYPES = {"<u2": "uint16_t", "<u4": "uint32_t", "<u8": "uint64_t"}


@dataclass
class _Kind:
    """Records of one kind. columns: name, type, values, and the labels if the values are numbers of texts. index:
    instructions before each. order: of two records at one time and instruction the one with less is first.
    """

    name: str
    at: np.ndarray
    index: np.ndarray
    order: np.ndarray
    columns: list[tuple[str, str, np.ndarray, Sequence[str] | None]]


def ctf(shown: Shown, title: str) -> dict[str, bytes]:
    """The files by name."""
    clock, place = _clock(shown)
    kinds = [kind for kind in _kinds(shown, place) if len(kind.at)]
    packets = list(_packets(kinds))
    identity = uuid.uuid5(_NAMESPACE, f"{title}:{len(packets)}:{len(shown.data)}:{len(shown.rows)}")
    stream = b"".join(_whole(begin, end, records, identity) for begin, end, records in packets)
    return {"metadata": _metadata(kinds, identity, clock, title).encode(), "stream": stream}


def _clock(shown: Shown) -> tuple[tuple[str, str], Any]:
    """Name and description of the clock, and a function from numbers of instructions to its values."""
    known, count = shown.cycles, len(shown.rows)
    if known is not None and known.insn is not None and count:
        cycles = np.append(known.insn, known.insn[-1] + 1).astype(np.int64)
        return ("cycles", "clock cycles"), lambda index: cycles[np.clip(index, 0, count)]
    timed = np.flatnonzero(shown.messages.time >= 0)
    if len(timed) > 1:
        # a message carries the time at which what it reports had retired
        after = np.append(shown.messages.first[1:], count)[timed]
        value = np.maximum.accumulate(shown.messages.time[timed].astype(np.int64))
        return ("time", "time of the trace"), lambda index: np.interp(index, after, value).astype(np.int64)
    return ("instructions", "instructions before the event"), lambda index: np.asarray(index, np.int64)


def _kinds(shown: Shown, place: Any) -> Iterable[_Kind]:
    """Everything that is exported, in the order of the identifiers."""
    frames, messages = shown.frames(), shown.messages
    functions = [name for _, name in shown.codes.functions]
    labels = [*functions, "(no symbol)"]
    function = np.where(frames.function < 0, len(functions), frames.function)
    pcs = shown.codes.columns().pc
    entry = pcs[shown.rows[frames.begin]] if len(frames.begin) else np.zeros(0, np.uint64)
    for name, at, order in (
        ("func_entry", frames.begin, 1 + frames.depth),
        ("func_exit", frames.end, -1 - frames.depth),  # what is called later returns first
    ):
        yield _Kind(name, place(at), at, order, [
            ("instruction", "<u8", at, None), ("addr", "<u8", entry, None), ("function", "<u4", function, labels),
            ("depth", "<u4", frames.depth, None), ("trap", "<u2", (frames.kind == TRAP).astype(int), ("no", "yes")),
        ])  # fmt: skip
    at, after = place(messages.first), np.append(messages.first[1:], len(shown.rows))
    known = shown.cycles
    if known is not None and known.insn is not None and len(known.message):
        at = np.where(known.message >= 0, known.message, at)
    yield _Kind("message", at, messages.first, np.zeros(len(at), np.int64), [
        ("number", "<u8", np.arange(len(messages)), None), ("offset", "<u8", messages.offset, None),
        ("length", "<u4", messages.length, None), ("name", "<u4", messages.shape, [s.name for s in messages.shapes]),
        ("instruction", "<u8", messages.first, None), ("instructions", "<u8", after - messages.first, None),
    ])  # fmt: skip
    events = shown.events
    yield _texts("event", place, [(e.index, f"{e.kind} {e.text}".strip()) for e in events])
    yield _texts("privilege", place, shown.priv)
    yield _texts("context", place, shown.contexts)
    yield _texts("loss", place, [(one.index, f"{one.text} [{one.clause}]") for one in sorted(shown.losses)])


def _texts(name: str, place: Any, these: Iterable[tuple[int, str]]) -> _Kind:
    """Records of a text at an instruction."""
    rows, known = list(these), dict[str, int]()
    index = np.array([index for index, _ in rows], np.int64)
    numbers = np.array([known.setdefault(text, len(known)) for _, text in rows], np.int64)
    return _Kind(name, place(index), index, np.zeros(len(rows), np.int64), [
        ("instruction", "<u8", index, None), ("text", "<u4", numbers, list(known)),
    ])  # fmt: skip


def _packets(kinds: list[_Kind]) -> Iterable[tuple[int, int, bytes]]:
    """First and last time and the records of each packet."""
    if not kinds:
        return
    at = np.concatenate([kind.at for kind in kinds]).astype(np.int64)
    order = np.lexsort((*(np.concatenate([getattr(kind, key) for kind in kinds]) for key in ("order", "index")), at))
    layouts = [np.dtype([*RECORD, *((name, form) for name, form, *_ in kind.columns)]) for kind in kinds]
    size = np.repeat([layout.itemsize for layout in layouts], [len(kind.at) for kind in kinds])
    sorted_size, times = size[order], at[order]
    ends = np.cumsum(sorted_size)
    offset = np.empty(len(at), np.int64)
    offset[order] = ends - sorted_size
    data, base = np.zeros(int(ends[-1]), np.uint8), 0
    for number, (kind, layout) in enumerate(zip(kinds, layouts)):
        records = np.zeros(len(kind.at), layout)
        records["id"], records["timestamp"] = number, kind.at
        for name, _, values, _ in kind.columns:
            records[name] = values
        mine = offset[base : base + len(kind.at)]
        for byte, column in enumerate(records.view(np.uint8).reshape(-1, layout.itemsize).T):
            data[mine + byte] = column
        base += len(kind.at)
    first = 0
    while first < len(at):
        begin = int(ends[first] - sorted_size[first])
        after = max(int(np.searchsorted(ends, begin + PACKET, side="right")), first + 1)
        yield int(times[first]), int(times[after - 1]), data[begin : int(ends[after - 1])].tobytes()
        first = after


def _whole(begin: int, end: int, records: bytes, identity: uuid.UUID) -> bytes:
    """A packet with its header and context; sizes are in bits."""
    bits = 8 * (HEADER.itemsize + CONTEXT.itemsize + len(records))
    header, context = np.zeros(1, HEADER), np.zeros(1, CONTEXT)
    header["magic"], header["uuid"] = MAGIC, np.frombuffer(identity.bytes, np.uint8)
    context[0] = (begin, end, bits, bits)
    return header.tobytes() + context.tobytes() + records


def _literal(text: str) -> str:
    """A text of the metadata, whose bytes beyond printable ASCII are escaped."""
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:03o}" for b in text.encode()) + '"'


def _metadata(kinds: list[_Kind], identity: uuid.UUID, clock: tuple[str, str], title: str) -> str:
    integers = "".join(
        f"typealias integer {{ size = {size}; align = 8; signed = false; }} := uint{size}_t;\n"
        for size in (8, 16, 32, 64)
    )
    name, about = clock
    context = "".join(
        f" {'time_t' if field.startswith('timestamp') else 'uint64_t'} {field};" for field in CONTEXT.names or ()
    )
    parts = [
        "/* CTF 1.8 */\n",
        integers,
        "typealias integer { size = 64; align = 8; signed = false; base = 16; } := address_t;\n",
        f'trace {{ major = 1; minor = 8; uuid = "{identity}"; byte_order = le; packet.header := struct {{'
        " uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; }; };\n",
        f'env {{ domain = "rvtrace"; trace_name = {_literal(title)}; counts = {_literal(about)}; }};\n',
        f"clock {{ name = {name}; description = {_literal(about)}; freq = 1000000000; offset = 0; }};\n",
        f"typealias integer {{ size = 64; align = 8; signed = false; map = clock.{name}.value; }} := time_t;\n",
        f"stream {{ id = 0; packet.context := struct {{{context} }};"
        " event.header := struct { uint16_t id; time_t timestamp; }; };\n",
    ]
    for number, kind in enumerate(kinds):
        fields = "".join(
            f" {'address_t' if field == 'addr' else _field(form, labels)} {field};"
            for field, form, _, labels in kind.columns
        )
        head = f'id = {number}; name = "{kind.name}"; stream_id = 0;'
        parts.append(f"event {{ {head} fields := struct {{{fields} }}; }};\n")
    return "".join(parts)


def _field(form: str, labels: Sequence[str] | None) -> str:
    if labels is None:
        return _TYPES[form]
    named = ", ".join(f"{_literal(label)} = {number}" for number, label in enumerate(labels))
    return f"enum : {_TYPES[form]} {{ {named} }}"
