# SPDX-License-Identifier: Apache-2.0
"""The two sides of the lossless comparison in one form: what the rows of the port require, and what a decoder found.

A *stretch* is a group (odd) or what is reported between two groups (even), counted over the groups that have something
to say. The specification leaves an encoder choices that change no meaning; `free` takes them out of both sides:

- fcsr may be reported as a whole or as fflags and frm, which are the same state;
- a group in which nothing is new (what it reports is what was reported before) may be sent, be empty, or be omitted:
  "fields may be omitted" (chapter 3);
- timers (`MOVABLE`) and bus transactions belong to no instruction (Appendix B, "unobserved state not associated with an
  instruction"; chapter 3, "no assumptions can be made with respect to what transaction(s) a given instruction will
  generate"): a group with nothing else is none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.decoder.decoded import GROUP, Decoded
from rvtrace.models.tandem.table import STATE_KEY
from rvtrace.scoreboards.tandem.expected import Expected, Requests

REST = 0x20000  # + address: the bits of fcsr, fflags and frm that are neither flags nor rounding mode
MOVABLE = (STATE_KEY + t.MTIME, t.MCYCLE, t.MCYCLEH, t.MINSTRET, t.MINSTRETH)
_FLAGS, _MODE, _MODE_AT, _REST_AT = np.uint64(0x1F), np.uint64(7), np.uint64(5), np.uint64(8)
PC_KEY = STATE_KEY + t.PC
# Groups that count: with something new; or a timer; with something new, whether or not they initialize; or all.
NEW, TIMED, UNMARKED, ALL = GROUPS = ("new", "timed", "unmarked", "all")
_PRIME = np.uint64(0x9E3779B97F4A7C15)


@dataclass
class Elements:
    """Reports of registers and state. section: row, or section of the decoder; at: number among the reports of that
    side; full: its value does not depend on one reported before.
    """

    section: np.ndarray
    key: np.ndarray
    value: np.ndarray
    at: np.ndarray
    full: np.ndarray

    def select(self, which: np.ndarray) -> Elements:
        """Some of them."""
        return Elements(*(column[which] for column in vars(self).values()))

    def split(self) -> Elements:
        """With fcsr as flags, rounding mode and the rest; the same of the CSRs fflags and frm."""
        parts = [self.select(~np.isin(self.key, (t.FCSR, t.FFLAGS, t.FRM)))]
        for address in (t.FCSR, t.FFLAGS, t.FRM):
            of = self.select(self.key == address)
            pieces = {
                t.FCSR: (
                    (t.FFLAGS, of.value & _FLAGS),
                    (t.FRM, of.value >> _MODE_AT & _MODE),
                    (REST + t.FCSR, of.value >> _REST_AT),
                ),
                t.FFLAGS: ((t.FFLAGS, of.value & _FLAGS), (REST + t.FFLAGS, of.value & ~_FLAGS)),
                t.FRM: ((t.FRM, of.value & _MODE), (REST + t.FRM, of.value & ~_MODE)),
            }[address]
            for key, value in pieces:
                piece = Elements(of.section, np.full(len(of.key), key), value, of.at, of.full)
                parts.append(piece.select(value != 0) if key >= REST else piece)  # what is not reported is 0
        joined = [np.concatenate(columns) for columns in zip(*(vars(part).values() for part in parts))]
        return Elements(*joined).select(np.lexsort((joined[3], joined[0])))

    def new(self) -> np.ndarray:
        """Whether each reports something: it is about this instruction alone, or not what was reported before."""
        order = np.lexsort((np.arange(len(self.key)), self.section, self.key))
        again = np.zeros(len(order), bool)
        key, value = self.key[order], self.value[order]
        again[1:] = (key[1:] == key[:-1]) & (value[1:] == value[:-1])
        out = np.ones(len(order), bool)
        out[order[again]] = False
        return out | volatile(self.key)


def volatile(key: np.ndarray) -> np.ndarray:
    """State that is about one instruction: what was reported before says nothing of it."""
    return (
        np.isin(key, (PC_KEY, STATE_KEY + t.PADDR, STATE_KEY + t.EADDR))
        | (key >= STATE_KEY + t.MEMDATA) & (key < STATE_KEY + t.MTIME)
    )  # fmt: skip


@dataclass
class Side:
    """Groups (reset, init, insn, size, section, broken), their reports with stretches, and requests with stretches.

    kind, whole: of each group a number that says what it is, and one that says what it holds as well. request_kind,
    request_whole: the same of requests.
    """

    reset: np.ndarray
    init: np.ndarray
    insn: np.ndarray
    size: np.ndarray
    section: np.ndarray
    elements: Elements
    stretch: np.ndarray
    section_stretch: np.ndarray
    requests: Requests
    request_stretch: np.ndarray
    kind: np.ndarray
    whole: np.ndarray
    request_kind: np.ndarray
    request_whole: np.ndarray

    def __len__(self) -> int:
        return len(self.section)


def _side(
    heads: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    elements: Elements,
    requests: Requests,
    request_section: np.ndarray,
    free: bool,
    unchanged: bool,
    which: str,
) -> Side:
    """heads: of each section whether it is a group, reset, init, insn and size. which: of GROUPS."""
    group, reset, init, insn, size = heads
    elements = elements.split() if free else elements
    says = elements.new() if free and unchanged else np.ones(len(elements.key), bool)
    if free:
        counts = init & (which != UNMARKED)
        moves = np.isin(elements.key, MOVABLE) & ~counts[elements.section] & (which in (NEW, UNMARKED))
        speaks = np.zeros(len(group), bool)
        speaks[elements.section[says & ~moves]] = True
        solid = group & (speaks | reset | counts | (size > 0) | (which == ALL))
    else:
        solid = group
    before = np.cumsum(solid)
    section_stretch = np.where(solid, 2 * before - 1, 2 * before)
    head = insn.astype(np.uint64) | size.astype(np.uint64) << np.uint64(32)  # reset and init may be what is wrong
    holds = np.zeros(len(group), np.uint64)
    counted = says & (elements.key != PC_KEY) & ~np.isin(elements.key, MOVABLE)  # a pc depends on where it appears
    mixed = (elements.key.astype(np.uint64) * _PRIME + elements.value) * _PRIME
    np.add.at(holds, elements.section[counted], mixed[counted] ^ mixed[counted] >> np.uint64(29))
    at = np.flatnonzero(solid)
    fields = [np.asarray(column).astype(np.uint64) for column in requests[1:]]
    kind = fields[0] | fields[1] << np.uint64(4) | fields[2] << np.uint64(8)
    whole = np.zeros(len(request_section), np.uint64)
    for column in fields:
        whole = (whole + column) * _PRIME
    return Side(
        reset[at], init[at], insn[at], size[at], at, elements, section_stretch[elements.section], section_stretch,
        requests, section_stretch[request_section], head[at], head[at] * _PRIME ^ holds[at], kind, whole,
    )  # fmt: skip


def wanted_side(expected: Expected, requests: Requests, free: bool, unchanged: bool, which: str = NEW) -> Side:
    """What the rows require. which: of GROUPS."""
    has_insn, rows = expected.has("insn"), expected.rows
    size = np.where(has_insn, np.where(rows.insn16, 2, 4), 0)
    insn = np.where(has_insn, rows.insn, 0)
    insn = np.where(size == 2, insn & 0xFFFF, insn)
    heads = (expected.group, expected.has("reset"), expected.has("init"), insn, size)
    number = np.arange(len(expected.key))
    elements = Elements(expected.row, expected.key, expected.value, number, np.ones(len(number), bool))
    return _side(heads, elements, requests, requests.row, free, unchanged, which)


def told_side(decoded: Decoded, data: bytes, free: bool, unchanged: bool, which: str = NEW) -> Side:
    """What a decoder found. which: of GROUPS."""
    sections = np.arange(len(decoded))
    section = np.repeat(sections, np.diff(decoded.change_start))
    code = np.frombuffer(data, np.uint8)[decoded.change_offset] if len(data) else np.zeros(0, np.uint8)
    full = np.isin(code, (t.REGISTER, t.STATE))
    elements = Elements(section, decoded.change_key, decoded.change_value, np.arange(len(section)), full)
    memory = np.repeat(sections, np.diff(decoded.memory_start))
    requests = Requests(
        memory, decoded.memory_op, decoded.memory_size, decoded.memory_address, decoded.memory_data,
        decoded.memory_has >> 1 & 1, decoded.memory_result, decoded.memory_response,
    )  # fmt: skip
    heads = (decoded.kind == GROUP, decoded.reset, decoded.init, decoded.insn, decoded.size)
    return _side(heads, elements, requests, memory, free, unchanged, which)
