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

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from rvtrace.models.common.options import ConfigError
from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.decoder.scan import PAD, Scan, Scanner
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.verdict import Verdict
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
AHEAD = 1 << 20  # bytes after a part by which it is decided how it is followed: a group is no longer
BEST = 8  # quirks of which all diagnostics are counted
DELTAS = (-1, 1, -2, 2, -4, 4, -3, 3, -5, 5, -6, 6, -7, 7, 8)
_CSRS = ("fcsr", "csr", "mcycle", "minstret")
Fix = Callable[[bytes], bytes]
Tables = Callable[[Scanner], None]
Patch = Callable[[np.ndarray, np.ndarray], None]


@dataclass(frozen=True)
class Quirk:
    """One rule that is changed. says: what the device does; rows: (field, expected, actual). tables: changes the
    lengths by header; patch: the lengths of items at all offsets. fix: of an item's bytes those it should have, before
    its length is corrected. config: other options, if that is all. spoils: names of what is reported wrongly because
    bytes are missing, or because the device may have only some of them wrong.
    """

    clause: str
    says: str
    rows: tuple[tuple[str, str, str], ...]
    tables: Tables | None = None
    patch: Patch | None = None
    fix: Fix | None = None
    config: Config | None = None
    spoils: tuple[str, ...] = ()


class _ReadAs(Scanner):
    """Follows bytes with a quirk."""

    def __init__(self, config: Config, quirk: Quirk | None) -> None:
        super().__init__(quirk.config if quirk is not None and quirk.config is not None else config)
        self.quirk = quirk
        if quirk is not None and quirk.tables is not None:
            quirk.tables(self)

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

    def item_bytes(self, item: bytes) -> int:
        """Bytes of the item that begins so, without a response; 0 if there is none."""
        if item[0] == t.REQUEST:
            return self.request_bytes(item + bytes(PAD))
        return super().lengths(np.frombuffer(item + bytes(2 * PAD), np.uint8), True)[0]

    def response_bytes(self, request: bytes, response: bytes) -> int:
        """Bytes of a response to a request."""
        return int(self._response[request[self._at_op] & 15, response[1]]) if len(response) > 1 else len(response)


# --- What may be changed


def _length(
    what: str, table: Callable[[Scanner], np.ndarray], index: int | slice, width: int, spoils: tuple[str, ...]
) -> Iterator[Quirk]:
    """An item with more or fewer bytes. width: bytes that it should have."""
    for delta in DELTAS:
        if 0 < width + delta < 30:

            def change(scanner: Scanner, delta: int = delta) -> None:
                table(scanner)[index] = width + delta

            word = f"{abs(delta)} byte{'s'[: abs(delta) - 1]} {'more' if delta > 0 else 'fewer'}"
            rows = (("bytes", str(width), str(width + delta)),)
            yield Quirk(
                LENGTH, f"{what} has {word} than it should have", rows, change, spoils=spoils if delta < 0 else ()
            )


def _lengths(config: Config) -> Iterator[Quirk]:
    standard = Scanner(config)
    for opcode in t.OPCODES:
        if opcode.code in (t.REGISTER, t.STATE, t.REQUEST, t.RESPONSE):
            continue
        is_insn = opcode.code in (t.INSN16, t.INSN32)
        bits = 16 if opcode.code == t.INSN16 else 32
        name = f"a {bits}-bit instruction" if is_insn else opcode.meaning
        width = int(standard._fixed[opcode.code])
        spoils = ("insn",) if is_insn else ("gpr", "csr", "fcsr", "mcycle", "minstret")
        yield from _length(f"{name} (opcode {opcode.code})", lambda s: s._fixed, opcode.code, width, spoils)
    for state in t.STATES:
        width, spoils = int(standard._state[state.id]), (state.name.rstrip("0123456789"),)
        yield from _length(f"{state.meaning} (id {state.id})", lambda s: s._state, state.id, width, spoils)
    for one in t.REGISTER_CLASSES:
        if width := int(standard._register[one.first]):
            spoils = ("fcsr", "csr", "mcycle", "minstret") if one.name == "csr" else (one.name,)
            where = slice(one.first, one.last + 1)
            yield from _length(f"a full {one.name}", lambda s: s._register, where, width, spoils)


def _transactions(config: Config) -> Iterator[Quirk]:
    """Requests and responses: data that should not be there, is missing, or always has one width; order of fields."""
    at_op = 1 + config.mlen_bytes
    groups = [*((op,) for op in range(len(t.OPERATIONS))), tuple(range(t.AMOSWAP, t.FETCH))]
    sizes = range(len(t.SIZES))
    for ops in groups:
        has, name = t.OPERATIONS[ops[0]].request_data, t.OPERATIONS[ops[0]].name if len(ops) == 1 else "amo"

        def toggled(scanner: Scanner, ops: Sequence[int] = ops, has: bool = has) -> None:
            for op in ops:
                for size in sizes:
                    scanner._request[size << 4 | op] = at_op + 1 + (0 if has else 1 << size)

        rows = (("data", "there" if has else "none", "none" if has else "there"),)
        text = f"a request of {name} has {'no ' if has else ''}data"
        yield Quirk(LENGTH, text, rows, toggled, spoils=("request", "response") if has else ())
        for result in range(len(t.RESULTS)):
            answers = t.response_has_data(config, ops[0], result)

            def answered(scanner: Scanner, ops: Sequence[int] = ops, result: int = result, has: bool = answers) -> None:
                for op in ops:
                    for size in sizes:
                        scanner._response[op, result << 4 | size] = 2 + (0 if has else 1 << size)

            rows = (("data", "there" if answers else "none", "none" if answers else "there"),)
            text = f"a response ({t.RESULTS[result]}) to {name} has {'no ' if answers else ''}data"
            yield Quirk(LENGTH, text, rows, answered, spoils=("response",) if answers else ())
    for width in (1, 2, 4, 8):

        def always(scanner: Scanner, width: int = width) -> None:
            for op, operation in enumerate(t.OPERATIONS):
                if operation.request_data:
                    for size in sizes:
                        scanner._request[size << 4 | op] = at_op + 1 + width

        rows = (("data", "1 << size bytes", f"{width} bytes"),)
        yield Quirk(LENGTH, f"the data of requests always has {width} byte{'s'[: width - 1]}", rows, always,
                    spoils=("request",))  # fmt: skip

        def replies(scanner: Scanner, width: int = width) -> None:
            for op in range(len(t.OPERATIONS)):
                for size in sizes:
                    scanner._response[op, size] = 2 + (width if t.OPERATIONS[op].response_data else 0)

        yield Quirk(LENGTH, f"the data of responses always has {width} byte{'s'[: width - 1]}", rows, replies,
                    spoils=("response",))  # fmt: skip

    byte = np.arange(256)
    turned = byte >> 4 | (byte & 15) << 4
    standard = Scanner(config)

    def swapped(scanner: Scanner) -> None:
        scanner._request[:] = standard._request[turned]

    def with_answers(padded: np.ndarray, out: np.ndarray) -> None:
        n = len(out)
        at = np.flatnonzero(padded[:n] == t.REQUEST)
        op = turned[padded[at + at_op]]
        length = standard._request[op].astype(np.int64)
        behind = np.minimum(at + length, n)
        response = standard._response[op & 15, padded[np.minimum(behind + 1, n)]].astype(np.int64)
        answered = (length > 0) & (padded[behind] == t.RESPONSE)
        out[at] = np.where(answered, length + response, length)

    def swap_at(place: int) -> Fix:
        return lambda item: item[:place] + bytes([item[place] >> 4 | (item[place] & 15) << 4]) + item[place + 1 :]

    rows = (("bits 3:0", "operation", "size"), ("bits 7:4", "size", "operation"))
    fix = swap_at(at_op)
    yield Quirk(REQUEST, "operation and size of a request have changed places", rows, swapped, with_answers,
                lambda item: fix(item) if item[0] == t.REQUEST else item)  # fmt: skip

    def swapped_answer(scanner: Scanner) -> None:
        scanner._response[:] = standard._response[:, turned]

    rows = (("bits 3:0", "size", "result"), ("bits 7:4", "result", "size"))
    answer = swap_at(1)
    yield Quirk(RESPONSE, "size and result of a response have changed places", rows, swapped_answer,
                fix=lambda item: answer(item) if item[0] == t.RESPONSE else item)  # fmt: skip


def _codes(config: Config, scan: Scan) -> Iterator[Quirk]:
    """Another opcode or identifier than the right one; the two bytes of an address exchanged."""
    standard = Scanner(config)
    for break_ in scan.breaks[:4]:
        if break_.name == "unknown_id":
            for state in t.STATES:
                yield _renamed(break_.value, state, int(standard._state[state.id]))

    def exchanged(padded: np.ndarray, out: np.ndarray) -> None:
        codes = padded[: len(out)]
        at = np.flatnonzero(np.isin(codes, (t.REGISTER, t.ADD, t.OR)))
        width = standard._register[np.minimum(padded[at + 1].astype(np.int64) << 8 | padded[at + 2], 0x10FF)]
        out[at] = np.where(width == 0, 0, np.where(codes[at] == t.REGISTER, width, 4))

    rows = (("address", "low byte first", "high byte first"),)

    def turned(item: bytes) -> bytes:
        return bytes([item[0], item[2], item[1]]) + item[3:] if item[0] in (t.REGISTER, t.ADD, t.OR) else item

    says = "the two bytes of a register's address have changed places"
    yield Quirk(REGISTER, says, rows, None, exchanged, turned, spoils=("gpr", "fpr", *_CSRS))

    def of_csr(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Whether two bytes are those of a CSR's address in the wrong order, and of no x or f register in the right."""
        other = second.astype(np.int64) << 8 | first
        is_x_or_f = (other >= t.GPR_BASE) & (standard._register[np.minimum(other, 0x10FF)] > 0)
        return ~is_x_or_f & (first <= t.GPR_BASE - 1 >> 8)

    def exchanged_csr(padded: np.ndarray, out: np.ndarray) -> None:
        at = np.flatnonzero(np.isin(padded[: len(out)], (t.REGISTER, t.ADD, t.OR)))
        at = at[of_csr(padded[at + 1], padded[at + 2])]
        out[at] = np.where(padded[at] == t.REGISTER, int(standard._register[t.CSR_BASE]), 4)

    def turned_csr(item: bytes) -> bytes:
        if item[0] not in (t.REGISTER, t.ADD, t.OR):
            return item
        pair = np.array([item[1]], np.uint8), np.array([item[2]], np.uint8)
        return turned(item) if of_csr(*pair)[0] else item

    says = "the two bytes of a CSR's address have changed places"
    yield Quirk(REGISTER, says, rows, None, exchanged_csr, turned_csr, spoils=_CSRS)

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
                        None, patch, coded(right, wrong, bits == 32))  # fmt: skip


def _opcodes(config: Config, scan: Scan, data: bytes) -> Iterator[Quirk]:
    """Another opcode. A device that has another one for an item does not send the right one: first those that are found
    least. (0 is rather a stray byte.)
    """
    standard = Scanner(config)
    times = np.bincount(np.frombuffer(data, np.uint8)[scan.starts], minlength=256).tolist()
    for break_ in scan.breaks[:4]:
        for opcode in sorted(t.OPCODES, key=lambda one: times[one.code]):
            if break_.name == "unknown_opcode" and break_.value and (width := int(standard._fixed[opcode.code])):
                yield _opcode(break_.value, opcode, width)


def _renamed(found: int, state: t.State, width: int) -> Quirk:
    def change(scanner: Scanner) -> None:
        scanner._state[found] = width

    def fix(item: bytes) -> bytes:
        return bytes([item[0], state.id]) + item[2:] if item[0] == t.STATE and item[1] == found else item

    says = (
        f"there is no additional state with the identifier {found}; it has the form of {state.meaning} (id {state.id})"
    )
    return Quirk(ID, says, (("id", str(state.id), str(found)),), change, None, fix)


def _opcode(found: int, opcode: t.Opcode, width: int) -> Quirk:
    def change(scanner: Scanner) -> None:
        scanner._fixed[found] = width

    def fix(item: bytes) -> bytes:
        return bytes([opcode.code]) + item[1:] if item[0] == found else item

    says = f"there is no opcode {found}; it has the form of {opcode.meaning} (opcode {opcode.code})"
    return Quirk(OPCODE, says, (("opcode", str(opcode.code), str(found)),), change, None, fix)


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
                yield Quirk(LENGTH, says, rows, config=other)


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
        """What is wrong because bytes of it are missing follows from that."""
        for failure in book.failures:
            for name, cause in self.spoiled:
                clauses = [f"TV.reported.{name}", f"TV.verify.{name}", f"TV.{name}.length"]
                if name == "csr":
                    clauses.append("TV.legal.unambiguous")
                if name == "insn":
                    clauses += ["TV.legal.insn", "TV.verify.format"]
                if failure.clause in clauses:
                    failure.cause = failure.cause or cause


def diagnosed(capture: TandemCapture, judge: Callable[[TandemCapture], Verdict]) -> Verdict:
    """The check of a capture, once more without the quirks that explain it if it fails as claimed."""
    claimed = judge(capture)
    if capture.exact or claimed.passed or sentence(capture.data):
        return claimed
    found = explained(capture, Budget.of(len(capture.data), watched=capture.rows is not None))
    if not found.failures:
        add_note(claimed.book, found.note)
        return claimed
    verdict = judge(found.capture)
    verdict.read = found.capture
    found.report(verdict.book, claimed.book)
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
    every = chain(_options(config), _codes(config, whole), _transactions(config), _lengths(config),
                  _opcodes(config, whole, data))  # fmt: skip
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
    new, places = _Corrected(capture.config, quirk, scanner)(data, scan.starts, scan.lengths)
    marks = capture.marks[places] if len(capture.marks) == len(data) else capture.marks
    return replace(capture, data=new, marks=marks)


class _Corrected:
    """Bytes as they would be without a quirk. scanner: follows them with it."""

    def __init__(self, config: Config, quirk: Quirk, scanner: _ReadAs) -> None:
        self.quirk, self.scanner, self.standard = quirk, scanner, _ReadAs(config, None)
        self._due: dict[bytes, int] = {}

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
        pieces = [item]
        if item[0] == t.REQUEST:
            n = self.scanner.request_bytes(item)
            pieces = [item[:n], item[n:]] if len(item) > n else [item]
        right: list[bytes] = []
        for piece in pieces:
            fixed = self.quirk.fix(piece) if self.quirk.fix is not None else piece
            due = self.standard.response_bytes(right[0], fixed) if right else self._bytes_of(fixed)
            right.append(fixed[:due] + bytes(max(0, due - len(fixed))) if due else fixed)
        return b"".join(right)

    def _bytes_of(self, item: bytes) -> int:
        """What `item_bytes` gives, worked out once for each of the first bytes that say it."""
        if item[0] == t.REQUEST:
            return self.standard.item_bytes(item)
        header = item[: {t.STATE: 2, t.REGISTER: 3, t.ADD: 3, t.OR: 3}.get(item[0], 1)]
        if header not in self._due:
            self._due[header] = self.standard.item_bytes(item)
        return self._due[header]


def corrected(chunks: Iterable[bytes], config: Config, quirk: Quirk) -> Iterator[bytes]:
    """`explained`'s bytes without a quirk, of a trace that comes in chunks: each is read with the bytes that follow it,
    AHEAD at least, so that it is followed as in the whole.
    """
    if quirk.config is not None:
        yield from chunks
        return
    scanner = _ReadAs(config, quirk)
    correct = _Corrected(config, quirk, scanner)
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
