# SPDX-License-Identifier: Apache-2.0
"""A decoded tandem trace in the form that the viewer shows (viewer_traces.py)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.models.riscv import isa
from rvtrace.models.riscv.program import Program
from rvtrace.models.tandem import table as tandem
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.models.tandem.decoder.listing import key_name
from rvtrace.models.tandem.places import places as item_places
from rvtrace.report.viewer_code import Codes
from rvtrace.report.viewer_csrs import name as csr_name
from rvtrace.report.viewer_traces import EventShown, FieldShown, Loss, Messages, Shape, Shapes, Shown, first_of, runs_of

_TRAP_CSRS = ({0x341, 0x342}, {0x141, 0x142})  # mepc and mcause, sepc and scause: both change at a trap


def of_tandem(files: TraceFiles, trace: Decoded) -> Shown:
    program = files.program or Program(files.config.xlen, [])
    codes = Codes(program)
    has = trace.size > 0
    first = np.cumsum(has) - has
    rows = _rows(trace, has, program, codes)
    time = np.full(len(trace), -1, np.int64)
    is_time = trace.change_key == tandem.STATE_KEY + tandem.MTIME
    section = np.repeat(np.arange(len(trace)), np.diff(trace.change_start))
    time[section[is_time]] = trace.change_value[is_time].astype(np.int64)
    messages = _messages(files, trace, first, time)
    result = Shown("group", files.data, messages, codes, rows)
    result.events = list(_events(trace, first))
    is_priv = trace.change_key == tandem.STATE_KEY + tandem.PRIV
    result.priv = runs_of(
        (int(first[k] + has[k]), tandem.PRIVILEGES.get(int(value), "?"))
        for k, value in zip(section[is_priv].tolist(), trace.change_value[is_priv].tolist())
    )
    for found in trace.diagnostics:
        at = int(np.searchsorted(trace.offset, found.offset, side="right")) - 1
        stop = found.offset + max(found.skipped, 1)
        result.losses.append(Loss(found.offset, stop, first_of(messages, at), found.name, found.text))
    if files.program is None:
        result.notes.append("no program was given: there are no symbols and no source lines; give ELF=<file>")
    return result


def _rows(trace: Decoded, has: np.ndarray, program: Program, codes: Codes) -> np.ndarray:
    """Instructions are those of the trace: one number for each address with its bits."""
    table = np.zeros(int(has.sum()), [("pc", np.uint64), ("insn", np.uint32)])
    table["pc"], table["insn"] = np.where(trace.pc_known, trace.pc, 0)[has], trace.insn[has]
    distinct, rows = np.unique(table, return_inverse=True)
    for pc, raw in distinct.tolist():
        codes.add(isa.decode(pc, raw, program.xlen, zcmp=program.zcmp, zcmt=program.zcmt))
    return rows.reshape(-1).astype(np.int32)


def _messages(files: TraceFiles, trace: Decoded, first: np.ndarray, time: np.ndarray) -> Messages:
    shapes, of_item = Shapes(), item_places(files.config)
    keys, values = trace.change_key.tolist(), trace.change_value.tolist()
    requests = trace.memory(0, len(trace.memory_op))
    places = (trace.change_start.tolist(), trace.memory_start.tolist())
    columns = (trace.kind, trace.size > 0, trace.reset, trace.init, trace.broken)
    for row, (a, b), (c, d) in zip(zip(*(one.tolist() for one in columns)), pairwise(places[0]), pairwise(places[1])):
        changed, asked = tuple(keys[a:b]), requests[c:d]
        numbers, forms, more = values[a:b], [], []
        for offset in trace.change_offset[a:b].tolist() if any(of_item.more.values()) else ():
            for part in of_item.more.get(files.data[offset], ()):
                more.append(part.field)
                numbers.append(part.value(files.data, offset))
        for one in asked:
            given = (one.data is not None, one.response_data is not None)
            forms.append((one.op, one.size, one.result, *given))
            numbers += [one.address] + [one.data or 0] * given[0] + [one.response_data or 0] * given[1]
        key = (row, changed, tuple(more), tuple(forms))
        shapes.add(key, lambda key=key: _shape(key[0], key[1], key[2], key[3], files.config.xlen), numbers)
    return shapes.columns(trace.offset, trace.end - trace.offset, first, time)


def _shape(row: Any, changed: Any, more: Any, requests: Any, xlen: int) -> Shape:
    outside, has_insn, reset, init, broken = row
    name = (
        "outside groups" if outside else "hart reset" if reset else "state initialization" if init
        else "instruction" if has_insn else "no instruction"
    )  # fmt: skip
    addresses = {tandem.STATE_KEY + n for n in (tandem.PC,)}
    fields = [
        FieldShown(
            csr_name(key, xlen) if key < tandem.GPR_BASE else key_name(key, xlen),
            "addr" if key in addresses else "hex",
            tandem.PRIVILEGES if key == tandem.STATE_KEY + tandem.PRIV else None,
        )
        for key in changed
    ]
    fields += [FieldShown(one.name, "dec", dict(one.codes) or None) for one in more]
    for op, size, result, has_data, has_response in requests:
        what = f"{tandem.OPERATIONS[op].name} {tandem.SIZES[size]} bits"
        end = "" if result is None else f": {tandem.RESULTS[result]}"
        fields.append(FieldShown(f"{what} at{end}", "hex"))
        fields += [FieldShown("sent", "hex")] * has_data + [FieldShown("received", "hex")] * has_response
    return Shape(name + (" (broken)" if broken else ""), tuple(fields))


def _events(trace: Decoded, first: np.ndarray) -> Iterable[EventShown]:
    """Resets, and traps: groups that change both CSRs that a trap writes, before the instruction they lead to."""
    section = np.repeat(np.arange(len(trace)), np.diff(trace.change_start))
    candidates = set(section[np.isin(trace.change_key, [0x341, 0x141])].tolist())
    candidates |= set(np.flatnonzero(trace.reset).tolist())
    for k in sorted(candidates):
        begin, end = int(trace.change_start[k]), int(trace.change_start[k + 1])
        changed = dict(zip(trace.change_key[begin:end].tolist(), trace.change_value[begin:end].tolist()))
        if trace.reset[k]:
            yield EventShown("reset", int(first[k]), k, "hart reset")
        elif csrs := next((csrs for csrs in _TRAP_CSRS if csrs <= changed.keys()), None):
            cause = changed[max(csrs)]
            yield EventShown("trap", int(first[k] + (trace.size[k] > 0)), k, f"cause {cause:#x}")
