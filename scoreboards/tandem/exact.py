# SPDX-License-Identifier: Apache-2.0
"""Exact: the bytes equal the encoder model's, for a device that declares docs/reference/tandem-profile.md.

Equal bytes are one comparison; the clauses are then counted from the situations of the rows
(`rvtrace.scoreboards.tandem.situations`). Otherwise the first item that differs is attributed: to the clauses whose
situation it is in, and of these to the one that was seen to hold least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder import items as it
from rvtrace.models.tandem.encoder.encode import Encoded
from rvtrace.scoreboards.common.blame import Blame
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.findings import REFERENCE
from rvtrace.scoreboards.common.matching import same_start
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.expected import Expected
from rvtrace.scoreboards.tandem.lossless import located
from rvtrace.scoreboards.tandem.situations import Situation, Situations
from rvtrace.scoreboards.tandem.table import ItemTable

LOST = "TV.order.lost"
OPCODE = {opcode.code: f"TV.opcode.{opcode.name}" for opcode in t.OPCODES}
IDENTIFIER = {state.id: f"TV.id.{state.name}" for state in t.STATES}
REGISTER = {t.REGISTER: "TV.opcode.register", t.ADD: "TV.opcode.add", t.OR: "TV.opcode.or"}
BASES = (
    "TV.form.lane",
    "TV.form.slot_base",
    "TV.form.high_half",
    "TV.form.modulo",
    "TV.form.lowest",
    "TV.form.highest",
)  # why the value of a short form may be wrong
OWN_FORM = {OPCODE[t.ADD]: "TV.form.add", OPCODE[t.OR]: "TV.form.or"}  # where items of this opcode are right
_CODES = {
    it.Begin: t.BEGIN,
    it.End: t.END,
    it.IncrementPc: t.INCREMENT_PC,
    it.Register: t.REGISTER,
    it.AddRegister: t.ADD,
    it.OrRegister: t.OR,
    it.State: t.STATE,
    it.Request: t.REQUEST,
    it.Response: t.RESPONSE,
    it.Reset: t.RESET,
    it.Init: t.INIT,
}
_ADDRESSES = (t.PADDR, t.EADDR, t.PPC)
_IDENTITY = {it.Register: "address", it.AddRegister: "address", it.OrRegister: "address", it.State: "id"}


class Place(NamedTuple):
    """The first item that is not as expected: its row, its number in it, both items (None: there is none), what the row
    makes, and what appears there.
    """

    row: int
    number: int
    wanted: it.Item | None
    sent: it.Item | None
    all_wanted: list[it.Item]
    all_sent: list[it.Item]


def check_exact(capture: TandemCapture, book: ClauseBook, encoded: Encoded, expected: Expected) -> Situations:
    """Compare capture.data with the model's bytes; the situations, for coverage."""
    situations = Situations(expected)
    every = list(situations.all())
    if capture.data == encoded.data:
        _count(book, every, ItemTable(encoded.data, capture.config), len(expected.rows), expected)
        return situations
    place = _first(capture, encoded)
    _count(book, every, ItemTable(encoded.data[: int(encoded.starts[place.row])], capture.config), place.row, expected)
    clause, headline = _attribute(place, situations, every, expected, capture, encoded)
    rows = [(str(n), *(str(items[n]) if n < len(items) else "" for items in (place.all_wanted, place.all_sent)))
            for n in range(max(0, place.number - 2), place.number + 3)]  # fmt: skip
    at, own = int(encoded.starts[place.row]), encoded.of(place.row) if place.row < len(expected.rows) else b""
    table = [*rows, ("bytes", own.hex(" "), capture.data[at : at + len(own)].hex(" "))]
    found = Failure(clause, headline)
    if len(expected.rows):
        found = located(capture, expected, clause, headline, min(place.row, len(expected.rows) - 1), table)
    found.at, found.found = at, REFERENCE
    book.fail(found)
    return situations


def _count(book: ClauseBook, every: list[Situation], items: ItemTable, rows: int, expected: Expected) -> None:
    """Rows before number `rows` agreed: count every clause that took part in them."""
    for clause, where, _ in every:
        book.count(clause, int((where < rows).sum()))
    for code, clause in OPCODE.items():
        if code == t.STATE:  # by its identifiers
            continue
        book.count(clause, int((items.code == code).sum()))
    book.count(OPCODE[t.RESPONSE], int((items.answer >= 0).sum()))
    for identifier, clause in IDENTIFIER.items():
        book.count(clause, int((items.identifier == identifier).sum()))
    requests, answers = int((items.operation >= 0).sum()), int((items.answer >= 0).sum())
    for clause, times in (
        ("TV-1", requests),
        ("TV.request.data", requests),
        ("TV.response.data", answers),
        ("TV.response.failure", int((items.answer >> 4 == 1).sum())),
        ("TV.field.mlen", int((items.operation >= 0).sum() + np.isin(items.identifier, _ADDRESSES).sum())),
        (LOST, rows),
    ):
        book.count(clause, times)


def _unpacked(data: bytes, config: Config, most: int) -> list[it.Item]:
    """Items from the start of these bytes on, as far as there are some."""
    out: list[it.Item] = []
    offset, before = 0, None
    while offset < len(data) and len(out) < most:
        try:
            before, offset = it.unpack(data, offset, config, before)
        except it.ItemError:
            break
        out.append(before)
    return out


def _first(capture: TandemCapture, encoded: Encoded) -> Place:
    offset = same_start(*(np.frombuffer(data, np.uint8) for data in (encoded.data, capture.data)))
    row = encoded.row_at(offset) if offset < len(encoded.data) else len(encoded.starts) - 1
    at = int(encoded.starts[row])
    wants = _unpacked(encoded.of(row), capture.config, 1 << 10) if row < len(encoded.starts) - 1 else []
    have = _unpacked(capture.data[at : at + 400], capture.config, len(wants) + 1)
    number = same_start(wants, have)
    return Place(
        row,
        number,
        wants[number] if number < len(wants) else None,
        have[number] if number < len(have) else None,
        wants,
        have,
    )


def _clause(item: it.Item) -> str:
    """The clause of an item's own form."""
    if isinstance(item, it.State):
        return IDENTIFIER[item.id]
    if isinstance(item, it.Instruction):
        return OPCODE[t.INSN16 if item.length == 2 else t.INSN32]
    return OPCODE[_CODES[type(item)]]


def _kind(item: it.Item | None) -> tuple:
    """What an item is of: register, identifier or opcode; a next pc however it is reported."""
    if isinstance(item, it.IncrementPc) or (isinstance(item, it.State) and item.id == t.PC):
        return ("pc",)
    if isinstance(item, (it.Register, it.AddRegister, it.OrRegister)):
        return ("register", item.address)
    if isinstance(item, it.State):
        return ("memdata",) if t.MEMDATA <= item.id < t.MTIME else ("state", item.id)
    return (type(item),)


def _attribute(
    place: Place, s: Situations, every: list[Situation], expected: Expected, capture: TandemCapture, encoded: Encoded
) -> tuple[str, str]:
    """Clause and headline of the first item that differs."""
    wanted, sent, row = place.wanted, place.sent, place.row
    if found := _one_moved(capture, encoded, row):
        return found
    if wanted is None:
        return _silent(place, expected) or ("TV.row.nothing", "there are more bytes than the rows make")
    if sent is None and int(encoded.starts[row]) + len(encoded.of(row)) > len(capture.data):
        return LOST, "the trace ends before what the rows make"
    if _kind(wanted) == _kind(sent) and not isinstance(wanted, (it.Begin, it.End)):
        return _value(place, s, every)
    if place.number and (found := _data_too_much(place)):
        return found
    if sent is not None and not isinstance(sent, it.Response) and (found := _untold(sent, capture.config)):
        return found
    if isinstance(wanted, (it.Begin, it.End)) and sent is None and not _silent(place, expected):
        return _clause(wanted), "the bytes cannot be followed here"
    if isinstance(wanted, it.End):
        clause = ("TV.end.flush" if expected.flush[row] else "TV.end.outside") if s.late[row] else "TV.group.end"
        return clause, "an end group is missing"
    if isinstance(sent, it.End) and not place.number:
        return (
            "TV.end.implied" if capture.config.implied_end else "TV.end.nothing"
        ), "an end group appears where there is none"
    if found := _moved(capture, encoded, row) or _silent(place, expected):
        return found
    if isinstance(wanted, it.Begin):
        return "TV.group.begin", "a begin group is missing"
    if isinstance(sent, it.Begin) and not place.number and expected.outside[row]:
        return "TV.group.outside", "state outside groups is reported in a group"
    if sent is not None and any(_kind(sent) == _kind(item) for item in place.all_wanted[place.number + 1 :]):
        later = any(_kind(wanted) == _kind(item) for item in place.all_sent[place.number + 1 :])
        return (
            ("TV.order.parts", "items are in the wrong order") if later else (_clause(wanted), f"{wanted} is missing")
        )
    if sent is None:
        return _clause(wanted), "the bytes cannot be followed here"
    if any(_kind(wanted) == _kind(item) for item in place.all_sent):
        return _extra(sent)
    return _clause(wanted), f"there is {sent} in place of {wanted}"


def _data_too_much(place: Place) -> tuple[str, str] | None:
    """Something else after a request or response that has no data: it has some."""
    before = place.all_wanted[place.number - 1]
    if (
        isinstance(before, it.Response)
        and isinstance(request := place.all_wanted[place.number - 2], it.Request)
        and not t.OPERATIONS[request.op].response_data
    ):
        return "TV.response.data", f"data after {before}, which has none"
    if isinstance(before, it.Response) and before.result and not before.data:
        return "TV.response.failure", f"data after {before}, which has none"
    if (
        isinstance(before, it.Request)
        and not t.OPERATIONS[before.op].request_data
        and not isinstance(place.wanted, it.Response)
    ):
        return "TV.request.data", f"data after {before}, which has none"
    return None


def _silent(place: Place, expected: Expected) -> tuple[str, str] | None:
    """Bytes of a row that should make none, right before this one."""
    row, sent = place.row - 1, place.sent
    begun = place.number == 1 and isinstance(place.all_wanted[0], it.Begin) and isinstance(sent, it.End)
    if (
        row < 0
        or expected.acts[row]
        or (place.number and sent is not None and not begun)
        or place.all_wanted[1:2] == place.all_sent[:1] != []
    ):
        return None
    if expected.illegal[row]:
        return "TV.row.illegal", "a row that is not legal makes bytes"
    if expected.x0[row]:
        return "TV.row.x0", "a row that writes x0 alone makes bytes"
    if int(expected.rows.has[row]) & ~3:
        return "TV.row.absent", "a row of which nothing is traced makes bytes"
    return "TV.row.nothing", "a row without content makes bytes"


def _untold(sent: it.Item, config: Config) -> tuple[str, str] | None:
    """Something that is never reported."""
    if isinstance(sent, (it.Register, it.AddRegister, it.OrRegister)) and sent.address == t.GPR_BASE:
        return "TV.row.x0", "x0 is reported"
    if ItemTable(it.pack([sent], config), config).absent.any():
        return "TV.row.absent", f"{sent} is reported, but not traced here"
    return None


def _extra(sent: it.Item) -> tuple[str, str]:
    """An item that the row does not make appears before those it makes."""
    if isinstance(sent, it.Response):
        return OPCODE[t.RESPONSE], "a response that the row does not have"
    return _clause(sent), f"{sent} is reported, but the row does not have it"


def _one_moved(capture: TandemCapture, encoded: Encoded, row: int) -> tuple[str, str] | None:
    """One row that is missing, comes twice, or appears after its neighbour, while everything else is right."""
    whole, data, makes = encoded.data, capture.data, np.flatnonzero(np.diff(encoded.starts))
    here = int(np.searchsorted(makes, row))
    for n in (here, here - 1):
        if not 0 <= n < len(makes):
            continue
        begin, end = int(encoded.starts[makes[n]]), int(encoded.starts[makes[n] + 1])
        behind = int(encoded.starts[makes[n + 1] + 1]) if n + 1 < len(makes) else end
        if len(data) == len(whole) - (end - begin) and data == whole[:begin] + whole[end:]:
            return LOST, "a row is missing"
        if len(data) == len(whole) + (end - begin) and data == whole[:end] + whole[begin:]:
            return LOST, "a row is reported twice"
        if (
            behind > end
            and len(data) == len(whole)
            and data == whole[:begin] + whole[end:behind] + whole[begin:end] + whole[behind:]
        ):
            together = capture.cycle[makes[n]] == capture.cycle[makes[n + 1]]
            return "TV.order.lanes" if together else "TV.order.rows", "two rows are reported in the wrong order"
    return None


def _moved(capture: TandemCapture, encoded: Encoded, row: int) -> tuple[str, str] | None:
    """A row that is missing, comes twice, or in another order."""
    starts, sizes = encoded.starts, np.diff(encoded.starts)
    makes = np.flatnonzero(sizes)
    here = int(np.searchsorted(makes, row))
    at, data = int(starts[row]), capture.data
    own = encoded.of(row)

    def starts_with(k: int, offset: int) -> bool:
        return 0 <= k < len(makes) and data[offset : offset + int(sizes[makes[k]])] == encoded.of(int(makes[k]))

    after = at + int(sizes[makes[here + 1]]) if here + 1 < len(makes) else at
    if starts_with(here + 1, at) and data[after : after + len(own)] == own:
        return (
            "TV.order.lanes" if capture.cycle[row] == capture.cycle[makes[here + 1]] else "TV.order.rows"
        ), "two rows are reported in the wrong order"
    if starts_with(here + 1, at) and starts_with(here + 2, after) and encoded.of(int(makes[here + 1])) != own:
        return LOST, "a row is missing"
    if here and starts_with(here - 1, at) and starts_with(here, at + int(sizes[makes[here - 1]])):
        return LOST, "a row is reported twice"
    return None


def _value(place: Place, s: Situations, every: list[Situation]) -> tuple[str, str]:
    """An item of the right thing, with another form or value."""
    wanted, sent, row = place.wanted, place.sent, place.row
    assert wanted is not None and sent is not None
    if _kind(wanted) == ("pc",):
        return (
            ("TV.id.pc", f"{sent} in place of {wanted}")
            if type(wanted) is type(sent)
            else _among(every, s, row, place, "TV.pc.increment")
        )
    if isinstance(wanted, (it.Register, it.AddRegister, it.OrRegister)):
        own = REGISTER[_CODES[type(wanted)]]
        if isinstance(wanted, it.Register) and isinstance(sent, it.Register):
            high = wanted.address in (t.MCYCLEH, t.MINSTRETH) and s.config.xlen == 32
            return ("TV.form.high_half" if high else own), f"{sent} in place of {wanted}"
        return _among(every, s, row, place, own, BASES if type(wanted) is type(sent) else None)
    if isinstance(wanted, it.Request) and isinstance(sent, it.Request):
        if (wanted.op, wanted.size) != (sent.op, sent.size):
            return "TV-1", f"{sent} in place of {wanted}"
        address = "TV.field.mlen" if _high_bits(wanted.address, sent.address) else OPCODE[t.REQUEST]
        return address if wanted.address != sent.address else "TV.request.data", f"{sent} in place of {wanted}"
    if isinstance(wanted, it.Response) and isinstance(sent, it.Response):
        if (wanted.size, wanted.result) != (sent.size, sent.result):
            return "TV-1", f"{sent} in place of {wanted}"
        return ("TV.response.failure" if wanted.result else "TV.response.data"), f"{sent} in place of {wanted}"
    if isinstance(wanted, it.State) and isinstance(sent, it.State) and wanted.id in _ADDRESSES:
        return (
            "TV.field.mlen" if _high_bits(wanted.data, sent.data) else IDENTIFIER[wanted.id]
        ), f"{sent} in place of {wanted}"
    return _clause(wanted), f"{sent} in place of {wanted}"


def _high_bits(wanted: int, sent: int) -> bool:
    """Whether two addresses differ, and above bit 31 only."""
    return (wanted ^ sent) >> 32 != 0 and (wanted ^ sent) & 0xFFFF_FFFF == 0


def _among(
    every: list[Situation], s: Situations, row: int, place: Place, otherwise: str, only: tuple[str, ...] | None = None
) -> tuple[str, str]:
    """The clause of the situations that this report is in; only: of these, or its own one."""
    expected, blame, kind = s.expected, Blame(), _kind(place.wanted)
    low, high = np.searchsorted(expected.row, (row, row + 1))
    mine = [
        k for k in range(low, high) if (expected.is_part("pc")[k] if kind == ("pc",) else expected.key[k] == kind[1])
    ]
    seen = sum(k == kind for k in map(_kind, place.all_wanted[: place.number]))
    tell = mine[min(seen, len(mine) - 1)] if mine else -1
    candidates = [] if only is None else [otherwise]
    for clause, rows, which in every:
        if which is not None and tell in which and (only is None or clause in only):
            candidates.append(clause)
            blame.passed[clause, ""] = int((rows < row).sum())
        if only is not None and clause == OWN_FORM.get(otherwise):
            blame.passed[otherwise, ""] = int((rows < row).sum())
    failure = Failure(otherwise, "")
    blame.add(failure, tuple((clause, "") for clause in dict.fromkeys(candidates or [otherwise])))
    return blame.judged()[0].clause, f"{place.sent} in place of {place.wanted}"
