# SPDX-License-Identifier: Apache-2.0
"""Which single deviation from the layout of items explains bytes that cannot be followed, and the bytes without it.

An item that is longer or shorter than it should be, or has another opcode or identifier, makes every byte after it
unreadable up to some later begin group. Here the bytes are followed with one rule changed at a time (a *quirk*). If
with a quirk nearly everything can be followed, the quirk is the finding, and everything else is judged on the bytes as
they would be without it.

    found = explained(capture)
    found.capture, found.failures
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from rvtrace.models.common.messages import PLAIN, Field, Place, Table, always, pack, unpack
from rvtrace.models.common.options import ConfigError
from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.decoder.decoded import PC_KEY, Decoded
from rvtrace.models.tandem.decoder.listing import key_name
from rvtrace.models.tandem.decoder.scan import PAD, Scan, Scanner
from rvtrace.models.tandem.places import KNOWN, places
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.diagnosis import operators as o
from rvtrace.scoreboards.diagnosis.budget import Budget
from rvtrace.scoreboards.diagnosis.cheap import sentence
from rvtrace.scoreboards.diagnosis.explain import add_note
from rvtrace.scoreboards.diagnosis.search import put_first
from rvtrace.scoreboards.tandem.capture import TandemCapture

LENGTH, ID, OPCODE, REQUEST, RESPONSE, REGISTER = (
    f"TV.legal.{name}" for name in ("length", "id", "opcode", "request", "response", "register")
)
ROUNDS = 3  # quirks that are looked for one after the other
WINDOW = 6000  # bytes that are looked at first
MOST = 30_000  # bytes of which the share is measured that cannot be followed
LEFT = 0.35  # of the loss may remain, or there is another quirk
CHAIN = 6  # items after store data that have to be such for its width to be believed
FEWEST = 8  # cycles with two rows: in so many an order is no chance
HALF = 0.5  # of the groups of instructions have what is taken for the next pc: random rows omit some
MOSTLY = 0.9  # of its values are next pcs; so few of the groups may have the next pc as it is due
AHEAD = 1 << 20  # bytes after a part by which it is decided how it is followed: a group is no longer
BEST = 8  # quirks of which all diagnostics are counted
PC_AS_STATE, LANES = "TV.id.pc", "TV.order.lanes"
_CSRS = ("fcsr", "csr", "mcycle", "minstret")
Fix = Callable[[bytes], bytes]
Patch = Callable[[np.ndarray, np.ndarray], None]
Of = Callable[[Mapping[str, int]], bool]


@dataclass(frozen=True)
class Quirk:
    """One rule that is changed. says: what the device does; rows: (field, expected, actual). change: the device's table
    of items. Where a table cannot say it, patch: changes the lengths of items at all offsets, and fix: of an item's
    bytes those it should have. config: other options, if that is all. spoils: names of what is reported wrongly because
    bytes are missing, or because the device may have only some of them wrong. breaks: clauses that the bytes without it
    would fulfil.
    """

    clause: str
    says: str
    rows: tuple[tuple[str, str, str], ...]
    change: o.Change | None = None
    patch: Patch | None = None
    fix: Fix | None = None
    config: Config | None = None
    spoils: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()


class _ReadAs(Scanner):
    """Follows bytes with a quirk."""

    def __init__(self, config: Config, quirk: Quirk | None) -> None:
        change = None if quirk is None else quirk.change
        items = None if change is None else change(t.TABLES[t.VERSION])
        super().__init__(config if quirk is None or quirk.config is None else quirk.config, items)
        self.quirk = quirk

    def lengths(self, padded: np.ndarray, final: bool) -> bytes:
        found = super().lengths(padded, final)
        if self.quirk is None or self.quirk.patch is None:
            return found
        out = np.frombuffer(found, np.uint8).astype(np.int64)
        self.quirk.patch(padded, out)
        out[np.arange(len(out)) + out > len(out)] = 0
        return out.astype(np.uint8).tobytes()

    def follow(self, data: bytes, seek: bool = False) -> Scan:
        """All items. seek: the bytes begin where they cannot be followed."""
        return self.scan(np.frombuffer(data + bytes(PAD), np.uint8), final=True, seek=seek)

    def request_bytes(self, item: bytes) -> int:
        """Of a request with its response the bytes of the request."""
        return int(self._request[item[self._at_op]]) if len(item) > self._at_op else len(item)


# --- What may be changed


def _part(*codes: int, clause: str = LENGTH) -> o.Part:
    """Items by their opcodes."""
    messages = t.TABLES[t.VERSION].messages
    return o.Part(tuple(m for m in messages if m.selector["opcode"] in codes), clause=clause)


def _lengths(config: Config) -> Iterator[Quirk]:
    """Items with more or fewer bytes."""
    place = places(config)

    def quirks(
        code: int, what: str, name: str, spoils: tuple[str, ...], where: Of, breaks: str, **values: int
    ) -> Iterator[Quirk]:
        due = place.size(code, **values)
        fields = place.by_code[code].fields
        least = due - (fields[-1].bits(config, values) // 8 if fields else 0)
        for one in o.more_bytes(_part(code), what, due, least, where, name):
            fewer = one.name.rpartition("_")[2].startswith("-")
            rows = (("bytes", str(due), str(due + int(one.name.rpartition("_")[2]))),)
            yield Quirk(one.clause, one.says, rows, one.change, spoils=spoils if fewer else (), breaks=(breaks,))

    for opcode in t.OPCODES:
        if opcode.code in (t.REGISTER, t.STATE, t.REQUEST, t.RESPONSE):
            continue
        is_insn = opcode.code in (t.INSN16, t.INSN32)
        name = f"a {16 if opcode.code == t.INSN16 else 32}-bit instruction" if is_insn else opcode.meaning
        spoils = ("insn",) if is_insn else ("gpr", *_CSRS)
        yield from quirks(
            opcode.code,
            f"{name} (opcode {opcode.code})",
            opcode.name,
            spoils,
            lambda values: True,
            f"TV.opcode.{opcode.name}",
        )
    for state in t.STATES:
        yield from quirks(t.STATE, f"{state.meaning} (id {state.id})", state.name, (state.name.rstrip("0123456789"),),
                          lambda values, of=state.id: values["id"] == of, f"TV.id.{state.name}",
                          id=state.id)  # fmt: skip
    for one in t.REGISTER_CLASSES:
        if getattr(config, one.width):
            yield from quirks(t.REGISTER, f"a full {one.name}", one.name, _CSRS if one.name == "csr" else (one.name,),
                              lambda values, of=one: of.first <= values["address"] <= of.last, "TV.opcode.register",
                              address=one.first)  # fmt: skip
    unknown = o.Part(t.TABLES[t.VERSION].messages, config, clause=LENGTH, omitted=KNOWN)
    for one in (*o.absent(unknown), *o.widths(unknown, step=8)):
        yield Quirk(one.clause, f"{one.says}; {one.due}", (("trace", one.due, one.says),), one.change)


def _data(code: int, where: Of, bits: Callable[[bool, Mapping[str, int]], int]) -> o.Change:
    """The data of requests or responses with other bits, where their values say so. bits: of whether there are some
    by the table, and the values.
    """

    def changed(of: Field) -> Field:
        def width(config: Any, values: Mapping[str, int]) -> int:
            due = of.bits(config, values)
            return bits(bool(due), values) if where(values) else due

        return replace(of, width=width, present=always)

    return _part(code).each("data", changed)


def _transactions(config: Config) -> Iterator[Quirk]:
    """Requests and responses: data that should not be there, is missing, or always has one width; order of fields."""

    def other(there: bool, values: Mapping[str, int]) -> int:
        return 0 if there else 8 << values["size"]

    def toggled(code: int, says: str, has: bool, name: str, where: Of) -> Quirk:
        rows = (("data", "there" if has else "none", "none" if has else "there"),)
        spoils = ("response",) if code == t.RESPONSE else ("request", "response")
        return Quirk(LENGTH, f"{says} {name} has {'no ' if has else ''}data", rows, _data(code, where, other),
                     spoils=spoils if has else (),
                     breaks=(f"TV.{'response' if code == t.RESPONSE else 'request'}.data",))  # fmt: skip

    for ops in [*((op,) for op in range(len(t.OPERATIONS))), tuple(range(t.AMOSWAP, t.FETCH))]:
        name = t.OPERATIONS[ops[0]].name if len(ops) == 1 else "amo"
        yield toggled(t.REQUEST, "a request of", t.OPERATIONS[ops[0]].request_data, name,
                      lambda values, ops=ops: values["op"] in ops)  # fmt: skip
        for result, word in enumerate(t.RESULTS):
            yield toggled(t.RESPONSE, f"a response ({word}) to", t.response_has_data(config, ops[0], result), name,
                          lambda values, ops=ops, of=result: values["op"] in ops and values["result"] == of,
                          )  # fmt: skip
    for width in (1, 2, 4, 8):
        for code, name in ((t.REQUEST, "request"), (t.RESPONSE, "response")):
            yield Quirk(LENGTH, f"the data of {name}s always has {width} byte{'s'[: width - 1]}",
                        (("data", "1 << size bytes", f"{width} bytes"),),
                        _data(code, lambda values: True, lambda there, values, width=width: 8 * width * there),
                        spoils=(name,), breaks=(f"TV.{name}.data",))  # fmt: skip
    for code, clause, name, first, second in ((t.REQUEST, REQUEST, "request", "op", "size"),
                                              (t.RESPONSE, RESPONSE, "response", "size", "result")):  # fmt: skip
        words = {"op": "operation"}
        a, b = words.get(first, first), second
        yield Quirk(clause, f"{a} and {b} of a {name} have changed places", (("bits 3:0", a, b), ("bits 7:4", b, a)),
                    _part(code).rows(lambda row, a=first, b=second: o.swapped(row, a, b)),
                    breaks=("TV-1",))  # fmt: skip


def _codes(config: Config, scan: Scan) -> Iterator[Quirk]:
    """Another identifier than the right one; the two bytes of an address exchanged; opcodes of instructions."""
    for break_ in scan.breaks[:4]:
        if break_.name == "unknown_id":
            for state in t.STATES:
                yield _renamed(break_.value, state)

    def turned(value: Any, place: Place) -> Any:
        return value >> 8 | (value & 0xFF) << 8

    def turned_csr(value: Any, place: Place) -> Any:
        """The bytes exchanged if that is the address of a CSR, and as it is none of an x or f register."""
        known = [(one.first, one.last) for one in t.REGISTER_CLASSES
                 if one.first >= t.GPR_BASE and getattr(config, one.width)]  # fmt: skip
        other = sum((value >= first) & (value <= last) for first, last in known)
        is_csr = (turned(value, place) < t.GPR_BASE) & (other == 0)
        return value + (turned(value, place) - value) * is_csr

    rows = (("address", "low byte first", "high byte first"),)
    part = _part(t.REGISTER, t.ADD, t.OR)
    for whose, change, spoils in (("a register's", turned, ("gpr", "fpr", *_CSRS)), ("a CSR's", turned_csr, _CSRS)):
        yield Quirk(REGISTER, f"the two bytes of {whose} address have changed places", rows,
                    part.each("address", lambda f, change=change: o.sent(f, "turned", change)),
                    spoils=spoils, breaks=("TV.opcode.register",))  # fmt: skip

    def short(padded: np.ndarray, out: np.ndarray) -> None:
        at = np.flatnonzero(padded[: len(out)] == t.INSN32)
        out[at[padded[at + 1] & 3 != 3]] = 3

    def long(padded: np.ndarray, out: np.ndarray) -> None:
        at = np.flatnonzero(padded[: len(out)] == t.INSN16)
        out[at[padded[at + 1] & 3 == 3]] = 5

    def coded(right: int, wrong: int, is_long: bool) -> Fix:
        def fix(item: bytes) -> bytes:
            return bytes([right]) + item[1:] if item[0] == wrong and (item[1] & 3 == 3) == is_long else item

        return fix

    if config.compressed:
        for bits, right, wrong, patch in ((16, t.INSN16, t.INSN32, short), (32, t.INSN32, t.INSN16, long)):
            yield Quirk(LENGTH, f"{bits}-bit instructions have opcode {wrong}", (("opcode", str(right), str(wrong)),),
                        None, patch, coded(right, wrong, bits == 32),
                        breaks=(f"TV.opcode.insn{bits}",))  # fmt: skip


def _store_data(config: Config) -> Iterator[Quirk]:
    """Store data of any width with one identifier: as many bytes as lead to items that can be followed."""
    states = [state for state in t.STATES if t.MEMDATA <= state.id < t.MTIME]
    for one in states:

        def widths(padded: np.ndarray, out: np.ndarray, number: int = one.id) -> None:
            n = len(out)
            at = np.flatnonzero((padded[:n] == t.STATE) & (padded[1 : n + 1] == number))
            best = np.full(len(at), -1)
            for size in range(len(states)):
                place, chain = at + 2 + (1 << size), np.zeros(len(at), np.int64)
                for _ in range(CHAIN):
                    inside = np.minimum(place, n - 1)
                    good = (place < n) & (out[inside] > 0) & (chain >= 0)
                    chain = np.where(good, chain + 1, np.where(place == n, CHAIN, chain))
                    place = np.where(good, place + out[inside], n + 1)
                better = chain > best
                out[at[better]], best[better] = 2 + (1 << size), chain[better]

        def fix(item: bytes, number: int = one.id) -> bytes:
            is_it = item[0] == t.STATE and item[1] == number
            return item[:1] + bytes([t.MEMDATA + (len(item) - 2).bit_length() - 1]) + item[2:] if is_it else item

        says = f"store data of every width has the identifier {one.id}, of {1 << one.id - t.MEMDATA} bytes"
        rows = (("id", ", ".join(str(state.id) for state in states), str(one.id)),)
        others = tuple(f"TV.id.{state.name}" for state in states if state is not one)
        yield Quirk(LENGTH, says, rows, None, widths, fix, spoils=("memdata",), breaks=others)


def _opcodes(scan: Scan, data: bytes) -> Iterator[Quirk]:
    """Another opcode. A device that has another one for an item does not send the right one: first those that are found
    least. (0 is rather a stray byte.)
    """
    times = np.bincount(np.frombuffer(data, np.uint8)[scan.starts], minlength=256).tolist()
    for break_ in scan.breaks[:4]:
        for opcode in sorted(t.OPCODES, key=lambda one: times[one.code]):
            of_one_form = opcode.code not in (t.REGISTER, t.STATE, t.REQUEST, t.RESPONSE)
            if break_.name == "unknown_opcode" and break_.value and of_one_form:
                yield _opcode(break_.value, opcode)


def _renamed(found: int, state: t.State) -> Quirk:
    says = (
        f"there is no additional state with the identifier {found}; it has the form of {state.meaning} (id {state.id})"
    )
    change = _part(t.STATE).each(
        "id", lambda f: o.meant(f, f"{found}", lambda value, _: state.id if value == found else value)
    )
    return Quirk(ID, says, (("id", str(state.id), str(found)),), change, breaks=(f"TV.id.{state.name}",))


def _opcode(found: int, opcode: t.Opcode) -> Quirk:
    def change(table: Table[Any]) -> Table[Any]:
        """With the item twice: where its right opcode is found as well, it is read."""
        item = next(m for m in table.messages if m.selector["opcode"] == opcode.code)
        return replace(table, messages=(*table.messages, replace(item, selector={"opcode": found})))

    says = f"there is no opcode {found}; it has the form of {opcode.meaning} (opcode {opcode.code})"
    rows = (("opcode", str(opcode.code), str(found)),)
    return Quirk(OPCODE, says, rows, change, breaks=(f"TV.opcode.{opcode.name}",))


def _options(config: Config) -> Iterator[Quirk]:
    for name in ("response_data_on_failure", "mlen", "flen", "xlen"):
        for value in Config.legal()[name]:
            if value == getattr(config, name) or (name == "mlen" and not value):
                continue
            with suppress(ConfigError):
                changed = {name: value, "mlen": 0} if name == "xlen" else {name: value}
                other = replace(config, **changed)
                rows = ((name.upper(), str(getattr(config, name)), str(value)),)
                says = (
                    f"the trace decodes with {name.upper()}={value}; {name.upper()}={getattr(config, name)} was claimed"
                )
                yield Quirk(LENGTH, says, rows, config=other, breaks=("TV.field.mlen",) if name == "mlen" else ())


# --- The next pc under another name


def pc_as_register(capture: TandemCapture) -> tuple[Quirk, Failure] | None:
    """A CSR that is reported in place of the next pc, which no group of an instruction reports; None if there is none.

    It is the next pc where most of its values are followed by the instruction that the program has there, or are next
    pcs of the rows.
    """
    if not capture.config.traces("pc"):
        return None
    if not _lacks_pc(_ReadAs(capture.config, None).follow(capture.data[:MOST]), capture.data):
        return None
    decoded = decode(capture.data, capture.config)
    section = np.repeat(np.arange(len(decoded)), np.diff(decoded.change_start))
    key, insn = decoded.change_key, decoded.size > 0
    groups = int(insn.sum())
    if not groups or int(insn[section[key == PC_KEY]].sum()) > (1 - MOSTLY) * groups:
        return None
    of_insn = insn[section] & (key < t.GPR_BASE)
    for address in np.flatnonzero(np.bincount(key[of_insn], minlength=1) >= HALF * groups).tolist():
        at = np.flatnonzero(of_insn & (key == address))
        if _next_pcs(capture, decoded, section[at], decoded.change_value[at]) >= MOSTLY:
            return _as_register(capture, decoded, address, at, section[at], groups)
    return None


def _lacks_pc(scan: Scan, data: bytes) -> bool:
    """Whether hardly an instruction of these items is with a next pc."""
    codes = np.frombuffer(data, np.uint8)[scan.starts]
    ids = np.frombuffer(data + b"\0", np.uint8)[scan.starts + 1]
    told = int(((codes == t.INCREMENT_PC) | (codes == t.STATE) & (ids == t.PC)).sum())
    return told <= (1 - MOSTLY) * max(int(np.isin(codes, (t.INSN16, t.INSN32)).sum()), 10)


def _next_pcs(capture: TandemCapture, decoded: Decoded, section: np.ndarray, values: np.ndarray) -> float:
    """The share of these values, each of a section with an instruction, that are the next pc there; of the rows, if
    there are some, the share of their next pcs, if that is less.
    """
    if capture.rows is not None:
        due = capture.rows.pc[capture.rows.have("pc")]
        return min(float(np.isin(values, due).mean()), float(np.isin(due, values).mean()))
    if capture.program is None:
        return 0.0
    after = np.minimum(section + 1, len(decoded) - 1)  # traps may be between; most have none
    places, insns, sizes = values.tolist(), decoded.insn[after].tolist(), decoded.size[after].tolist()
    there = [(capture.program.insn(pc), insn, size) for pc, insn, size in zip(places, insns, sizes) if size]
    right = sum(one is not None and one.size == size and one.raw == insn for one, insn, size in there)
    return right / len(there) if there else 0.0


def _as_register(
    capture: TandemCapture, decoded: Decoded, address: int, at: np.ndarray, section: np.ndarray, groups: int
) -> tuple[Quirk, Failure]:
    """The quirk, and the finding at the first place."""
    head = bytes([t.REGISTER]) + address.to_bytes(2, "little")
    offset, value = int(decoded.change_offset[at[0]]), int(decoded.change_value[at[0]])
    sent = capture.data[offset : offset + len(head) + capture.config.xlen // 8]
    due = bytes([t.STATE, t.PC]) + value.to_bytes(capture.config.xlen // 8, "little")
    name = f"register {address:#x} ({key_name(address, capture.config.xlen)})"
    says = (
        f"the next pc is reported as {name} in {len(at):,} of {groups:,} groups of instructions, and not as additional"
        f" state {t.PC} or by opcode {t.INCREMENT_PC}"
    )
    rows = [
        ("opcode", f"{t.STATE} (additional state)", f"{sent[0]}"),
        ("id", f"{t.PC} (pc)", "none"),
        ("address", "none", f"{address:#x}"),
        ("bytes", due.hex(" "), sent.hex(" ")),
    ]

    def fix(item: bytes) -> bytes:
        return bytes([t.STATE, t.PC]) + item[3:] if item.startswith(head) else item

    group = int(decoded.number[section[0]])
    marks = capture.marks
    cycle = int(marks[offset]) if len(marks) == len(capture.data) else None
    headline = f"{says}; first in group {group}, byte {offset:#x}"
    return Quirk(PC_AS_STATE, says, tuple(rows), fix=fix), Failure(PC_AS_STATE, headline, cycle, table=rows, at=-1)


# --- The search


@dataclass(frozen=True)
class Found:
    """capture: without the quirks that were found. failures: a finding for each. spoiled: names of what is reported
    wrongly because of one, and its clause. quirks: in the order found, each with the configuration before. note: a
    sentence if the search ended early.
    """

    capture: TandemCapture
    failures: tuple[Failure, ...] = ()
    spoiled: tuple[tuple[str, str], ...] = ()
    quirks: tuple[tuple[Config, Quirk], ...] = ()
    note: str = ""

    def report(self, book: ClauseBook, claimed: ClauseBook) -> None:
        """The findings before all that fails beside them, in the book of a check of `capture`. claimed: that of the
        check as claimed.
        """
        put_first(book, self.failures, claimed.failures)
        add_note(book, self.note)
        self.attribute(book)

    def attribute(self, book: ClauseBook) -> None:
        """What is wrong because bytes of it are missing follows from that; so do clauses that a quirk breaks."""
        for failure in book.failures:
            for name, cause in self.spoiled:
                clauses = [f"TV.reported.{name}", f"TV.verify.{name}", f"TV.{name}.length"]
                if name == "csr":
                    clauses.append("TV.legal.unambiguous")
                if name == "insn":
                    clauses += ["TV.legal.insn", "TV.verify.format"]
                if failure.clause in clauses:
                    failure.cause = failure.cause or cause
        for _, quirk in self.quirks:
            for clause in quirk.breaks:
                book.fail(Failure(clause, f"not shown: {quirk.says}", table=list(quirk.rows), cause=quirk.clause))


def diagnosed(capture: TandemCapture, judge: Callable[[TandemCapture], Verdict]) -> Verdict:
    """The check of a capture, once more without the quirks that explain it if it fails as claimed."""
    claimed = judge(capture)
    if capture.exact or claimed.passed or sentence(capture.data):
        return claimed
    if (swapped := lanes_exchanged(capture, claimed, judge)) is not None:
        return swapped
    found = explained(capture, Budget.of(len(capture.data), watched=capture.rows is not None))
    if not found.failures:
        add_note(claimed.book, found.note)
        return claimed
    verdict = judge(found.capture)
    verdict.read = found.capture
    found.report(verdict.book, claimed.book)
    return verdict


def lanes_exchanged(
    capture: TandemCapture, claimed: Verdict, judge: Callable[[TandemCapture], Verdict]
) -> Verdict | None:
    """The check with the rows of each cycle in the other order, if nearly all fits then; the order is the finding."""
    if capture.rows is None or capture.config.lanes < 2 or len(capture.rows) < 2:
        return None
    rows = capture.rows
    later = np.flatnonzero(rows.cycle[1:] == rows.cycle[:-1]) + 1
    order = np.arange(len(rows))
    order[later], order[later - 1] = later - 1, later
    errors = None if capture.errors is None else np.asarray(capture.errors)[order]
    verdict = judge(replace(capture, rows=rows.select(order), errors=errors))
    before, after = (sum(failed for _, failed in one.book.results().values()) for one in (claimed, verdict))
    if len(later) < FEWEST or after > LEFT * before / 10:
        return None
    first = int(later[0])
    says = (
        f"lane 1 is reported before lane 0 in all {len(later):,} cycles with two rows: the lanes are exchanged; with"
        f" them in this order {after:,} of {before:,} failures remain"
    )
    table = [("rows of the cycle", f"{first - 1}, {first}", f"{first}, {first - 1}")]
    failure = Failure(LANES, says, int(rows.cycle[first]), table=table, at=-ROUNDS)
    put_first(verdict.book, (failure,), claimed.failures)
    return verdict


def explained(capture: TandemCapture, budget: Budget | None = None) -> Found:
    """The capture as it is if its bytes can be followed, or nothing explains them."""
    found: list[Failure] = []
    spoiled: list[tuple[str, str]] = []
    quirks: list[tuple[Config, Quirk]] = []
    budget = budget or Budget.of(len(capture.data), watched=False)
    tried = 0
    for number in range(ROUNDS if budget.seconds else 0):
        whole = _ReadAs(capture.config, None).follow(capture.data[:MOST])
        lost = _lost(whole)
        if not lost:
            break
        quirk, looked = _best(capture, whole, budget)
        tried += looked
        if quirk is None:
            break
        found.append(Failure(quirk.clause, quirk.says, table=list(quirk.rows), at=number - ROUNDS))
        spoiled += [(name, quirk.clause) for name in quirk.spoils]
        quirks.append((capture.config, quirk))
        capture = _without(capture, quirk)
    if (other := pc_as_register(capture) if budget.seconds else None) is not None:
        quirk, failure = other
        found.append(failure)
        quirks.append((capture.config, quirk))
        capture = _without(capture, quirk)
    return Found(capture, tuple(found), tuple(spoiled), tuple(quirks), budget.sentence(tried))


def _lost(scan: Scan) -> int:
    """Bytes that could not be followed, and a little for each place."""
    return sum(max(b.resume, b.offset + 1) - b.offset + 8 if b.resume >= 0 else 64 for b in scan.breaks
               if b.name != "truncated")  # fmt: skip


def _best(capture: TandemCapture, whole: Scan, budget: Budget) -> tuple[Quirk | None, int]:
    """The quirk with which most can be followed: first near the first place where bytes cannot, then in all of them;
    and how many were tried.
    """
    config, data = capture.config, capture.data
    first = whole.breaks[0].offset
    begins = whole.starts[(whole.starts <= first)]
    codes = np.frombuffer(data, np.uint8)[begins]
    marks = begins[codes == t.BEGIN]
    start = int(marks[max(0, len(marks) - 40)]) if len(marks) else 0
    window = data[start : start + WINDOW]
    cut = len(window) < len(data) - start
    before = _lost(_ReadAs(config, None).follow(window))
    scored: list[tuple[float, int, Quirk]] = []
    every = chain(_options(config), _codes(config, whole), _transactions(config), _lengths(config), _store_data(config),
                  _opcodes(whole, data))  # fmt: skip
    tried = 0
    for order, quirk in enumerate(every):
        if budget.ended:
            break
        tried += 1
        lost = _lost(_ReadAs(config, quirk).follow(window)) - (64 if cut else 0)
        if lost <= LEFT * before:
            scored.append((lost, order, quirk))
    scored.sort(key=lambda one: one[:2])
    total = _lost(whole)
    best: tuple[float, int, Quirk] | None = None
    for _, order, quirk in scored[:BEST]:
        changed = _without(replace(capture, data=data[:MOST], marks=capture.marks[:0]), quirk)
        decoded = decode(changed.data, changed.config)
        score = _lost(_ReadAs(changed.config, None).follow(changed.data)) + 8 * len(decoded.diagnostics)
        if score <= LEFT * total and (best is None or score < best[0]):
            best = score, order, quirk
        if best is not None and not best[0]:
            break
    return best[2] if best is not None else None, tried


def _without(capture: TandemCapture, quirk: Quirk) -> TandemCapture:
    """The bytes as they would be without a quirk, each with the time of the byte that it comes from."""
    if quirk.config is not None:
        return replace(capture, config=quirk.config)
    scanner, data = _ReadAs(capture.config, quirk), capture.data
    scan = scanner.follow(data)
    new, places = _Corrected(quirk, scanner)(data, scan.starts, scan.lengths)
    marks = capture.marks[places] if len(capture.marks) == len(data) else capture.marks
    return replace(capture, data=new, marks=marks)


class _Corrected:
    """Bytes as they would be without a quirk. scanner: follows them with it."""

    def __init__(self, quirk: Quirk, scanner: _ReadAs) -> None:
        self.quirk, self.scanner = quirk, scanner
        self._due = t.TABLES[t.VERSION].by_name

    def __call__(self, data: bytes, starts: np.ndarray, lengths: np.ndarray) -> tuple[bytes, np.ndarray]:
        """The bytes, and of each the number of the one that it comes from. starts, lengths: of the items."""
        parts: list[bytes] = []
        places: list[np.ndarray] = []
        at = 0
        for start, length in zip(starts.tolist(), lengths.tolist()):
            item = data[start : start + length]
            new = self._item(item)
            if new != item:
                parts += [data[at:start], new]
                places += [np.arange(at, start), start + np.minimum(np.arange(len(new)), length - 1)]
                at = start + length
        parts.append(data[at:])
        places.append(np.arange(at, len(data)))
        return b"".join(parts), np.concatenate(places)

    def _item(self, item: bytes) -> bytes:
        if self.quirk.fix is not None:
            return self.quirk.fix(item)
        if item[0] != t.REQUEST:
            return self._written(item, {})[0]
        n = self.scanner.request_bytes(item)
        request, values = self._written(item[:n], {})
        return request + (self._written(item[n:], {"op": values["op"]})[0] if len(item) > n else b"")

    def _written(self, item: bytes, before: dict[str, Any]) -> tuple[bytes, dict[str, Any]]:
        """An item as the specification has it, and its values. before: those known from the item before it."""
        config, theirs = self.scanner.config, self.scanner.place.by_code[item[0]]
        due = self._due[theirs.name]
        if theirs is due and item[0] != t.REQUEST:
            return item, before
        sent = [(int.from_bytes(item[1:], "little"), 8 * len(item) - 8)] if len(item) > 1 else []
        values = unpack(theirs.fields, sent, config, before).values
        for one in due.fields:
            if one.coding is PLAIN:
                values[one.key] = values.get(one.key, 0) & (1 << one.bits(config, values)) - 1
        (number, length), *_ = pack(due.fields, values, config) or [(0, 0)]
        return bytes([due.selector["opcode"]]) + number.to_bytes(length // 8, "little"), values


def corrected(chunks: Iterable[bytes], config: Config, quirk: Quirk) -> Iterator[bytes]:
    """`explained`'s bytes without a quirk, of a trace that comes in chunks: each is read with the bytes that follow it,
    AHEAD at least, so that it is followed as in the whole.
    """
    if quirk.config is not None:
        yield from chunks
        return
    scanner = _ReadAs(config, quirk)
    correct = _Corrected(quirk, scanner)
    held, seek = bytearray(), False
    for chunk in chunks:
        held += chunk
        if len(held) <= 2 * AHEAD:
            continue
        data = bytes(held)
        scan = scanner.follow(data, seek)
        cut = len(data) - AHEAD
        n = int(np.searchsorted(scan.starts, cut))
        if n and scan.starts[n - 1] + scan.lengths[n - 1] >= cut:
            n, seek = n - 1, False
            cut = int(scan.starts[n])
        elif n < len(scan.starts) and scan.starts[n] == cut:
            seek = False
        else:
            seek = True  # in bytes that cannot be followed
        yield correct(data[:cut], scan.starts[:n], scan.lengths[:n])[0]
        del held[:cut]
    scan = scanner.follow(bytes(held), seek)
    yield correct(bytes(held), scan.starts, scan.lengths)[0]
