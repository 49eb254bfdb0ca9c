# SPDX-License-Identifier: Apache-2.0
"""Where the items of a tandem trace begin.

How long an item would be is worked out for every byte of a buffer at once; a short loop then follows the chain from
item to item. Where it breaks it goes on at the next begin group from which a whole group can be followed. Time is
linear in the bytes, whatever they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rvtrace.models.common import native
from rvtrace.models.common.messages import PLAIN, Table
from rvtrace.models.common.messages import Place as At
from rvtrace.models.tandem import table
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder import kernel as k
from rvtrace.models.tandem.places import Places, places

PAD = 32  # bytes after a buffer, so that fields can be read without looking at its end
MAX_GROUP = 1 << 20  # bytes of a group; a longer one is cut


class Break(NamedTuple):
    """Bytes that cannot be followed. item: how many items of the buffer come before; offset of the fault; name and
    number for the diagnostic.

    resume: where the chain goes on; -1 if that is after the buffer.
    """

    item: int
    offset: int
    name: str
    value: int
    resume: int


class Scan(NamedTuple):
    """starts, lengths: of all items, a request with its response. breaks: in order. end: what comes from here on has to
    wait for more bytes.

    resumed: the first begin group, if one was sought; -1 if it is still sought. compiled: whether so many bytes are
    worth the compiled kernel.
    """

    starts: np.ndarray
    lengths: np.ndarray
    breaks: list[Break]
    end: int
    resumed: int
    compiled: bool = False


class Scanner:
    """The tables of one configuration. items: other ones than the specification's, of a device that deviates from it:
    with other widths, opcodes, order within a byte, and codings of identifiers and register addresses.
    """

    def __init__(self, config: Config, items: Table[Any] | None = None) -> None:
        self.config = config
        self.compiled, self._seen = False, 0  # whether the kernel is; bytes so far
        place = self.place = places(config) if items is None else Places(items, config)
        self._fixed = np.zeros(256, np.uint8)
        for code in place.by_code:
            if code not in (table.REGISTER, table.STATE, table.REQUEST, table.RESPONSE):
                self._fixed[code] = place.size(code)
        self._state = np.zeros(256, np.uint8)
        identifier = place.by_code[table.STATE].field("id").coding
        for sent in table.BY_ID if identifier is PLAIN else range(len(self._state)):
            if (meant := identifier.take(sent, At(config, {}, 8, 0))) in table.BY_ID:
                self._state[sent] = place.size(table.STATE, id=meant)
        self._register = np.zeros(0x1100, np.uint8)
        for one in table.REGISTER_CLASSES:
            if getattr(config, one.width):
                self._register[one.first : one.last + 1] = place.size(table.REGISTER, address=one.first)
        address: Any = place.by_code[table.REGISTER].field("address").coding
        if address is not PLAIN:
            meant = address.take(np.arange(1 << 16), At(config, {}, 16, 0))
            self._register = self._register[np.minimum(meant, len(self._register) - 1)]
        self._last = len(self._register) - 1  # which is no register
        self._at_id = place.at(table.STATE, "id")
        self._at_address = {code: place.at(code, "address") for code in (table.REGISTER, table.ADD, table.OR)}
        # Of requests, and their operations, by their operation byte; of responses by (operation, response byte).
        self._at_op, self._at_size = place.at(table.REQUEST, "op"), place.at(table.RESPONSE, "size")
        self._request, self._op = np.zeros(256, np.uint8), np.zeros(256, np.uint8)
        self._response = np.zeros((16, 256), np.uint8)
        of_op, of_size, of_answer, of_result = (
            place.shift(code, key)
            for code, key in ((table.REQUEST, "op"), (table.REQUEST, "size"),
                              (table.RESPONSE, "size"), (table.RESPONSE, "result"))
        )  # fmt: skip
        for size in range(len(table.SIZES)):
            for op in range(len(table.OPERATIONS)):
                byte = size << of_size | op << of_op
                self._request[byte], self._op[byte] = place.size(table.REQUEST, op=op, size=size), op
                for result in range(len(table.RESULTS)):
                    length = place.size(table.RESPONSE, op=op, size=size, result=result)
                    self._response[op, result << of_result | size << of_answer] = length

    def lengths(self, padded: np.ndarray, final: bool) -> bytes:
        """Bytes of an item at each offset, a request with its response; 0 where there is none, or its end is not there
        yet.
        """
        n = len(padded) - PAD
        codes = padded[:n]
        out = self._fixed[codes]
        pairs = np.ndarray((len(padded) - 1,), "<u2", padded, 0, (1,))  # the two bytes at every offset as one number
        at = np.flatnonzero(codes == table.REGISTER)
        out[at] = self._register[np.minimum(pairs[at + self._at_address[table.REGISTER]], self._last)]
        at = np.flatnonzero(codes == table.STATE)
        out[at] = self._state[padded[at + self._at_id]]
        # Incremental forms have an address as well.
        for code in (table.ADD, table.OR):
            at = np.flatnonzero(codes == code)
            out[at[self._register[np.minimum(pairs[at + self._at_address[code]], self._last)] == 0]] = 0
        at = np.flatnonzero(codes == table.REQUEST)
        op = padded[at + self._at_op]
        length = self._request[op]
        behind = at + length
        answered = (length > 0) & (padded[np.minimum(behind, n)] == table.RESPONSE)
        response = self._response[self._op[op], padded[np.minimum(behind + self._at_size, n)]]
        out[at] = np.where(answered & (response > 0), length + response, length)
        waits = (length > 0) & (behind >= n - self._at_size) & ~((behind < n) & ~answered)
        last = out[-0xFF:]  # no item is longer
        last[np.arange(len(last)) + last > len(last)] = 0
        if not final:
            out[at[waits]] = 0
        return out.tobytes()

    def scan(self, padded: np.ndarray, final: bool, seek: bool = False) -> Scan:
        """All items of a buffer (uint8, PAD zero bytes after it) whose ends are in it. final: no bytes will follow.

        seek: the buffer begins where bytes cannot be followed.
        """
        n = len(padded) - PAD
        lengths, data = self.lengths(padded, final), padded.tobytes()
        self._seen += n
        self.compiled = native.is_compiled(k, self._seen)
        follow: Any = native.functions(k, self.compiled).chain
        whole: Any = lengths + b"\0"
        starts: Any = [0] * n  # of which `count` are in use
        if self.compiled:
            whole, starts = np.frombuffer(whole, np.uint8), np.empty(n, np.int64)
        breaks: list[Break] = []
        resync = _Resync(self, lengths, data, n, final)
        at = before = resumed = count = 0
        if seek:
            at, found = resync.next_begin(0)
            if not found:
                return Scan(np.zeros(0, np.int64), np.zeros(0, np.uint8), [], at, -1)
            resumed = at
        while at < n:
            followed, count = count, int(follow(whole, starts, count, at))
            if count > followed:
                at = int(starts[count - 1])
                at += lengths[at]
            long = _long_group(starts[before:count], data, at) if n > MAX_GROUP else None
            if long is not None:
                total, count = count, before + long
                offset, name, value = int(starts[count]) if count < total else at, "long_group", MAX_GROUP
            elif at >= n or self.waits(data, at, n, final):
                break
            else:
                offset, name, value = self.fault(data, at, n, int(starts[count - 1]) if count > before else -1)
            at, found = (n, True) if name == "truncated" else resync.next_begin(offset + 1)
            breaks.append(Break(count, offset, name, value, at if found else -1))
            before = count
            if not found:
                break
        items = np.array(starts[:count], dtype=np.int64)
        return Scan(items, np.frombuffer(lengths, np.uint8)[items], breaks, at, resumed, self.compiled)

    def _address(self, data: bytes, at: int) -> int:
        """Of a register, in the item at this offset."""
        at += self._at_address[data[at]]
        return data[at] | data[at + 1] << 8

    def waits(self, data: bytes, at: int, n: int, final: bool) -> bool:
        """Whether the item at this offset, which has no length, may become one with more bytes."""
        if final:
            return False
        code, room = data[at], n - at  # an item that exists lacks its end, or that of its response
        if code == table.REQUEST:
            return room <= self._at_op or bool(self._request[data[at + self._at_op]])
        if code == table.STATE:
            return room <= self._at_id or bool(self._state[data[at + self._at_id]])
        if code in self._at_address:
            return room < self._at_address[code] + 2 or bool(self._register[min(self._address(data, at), self._last)])
        return bool(self._fixed[code])

    def fault(self, data: bytes, at: int, n: int, before: int) -> tuple[int, str, int]:
        """Offset, name and number of what is wrong with the bytes at this offset. before: where the item before it
        begins, -1 if none was followed to here.
        """
        code, room = data[at], n - at
        if code not in table.BY_CODE:
            return at, "unknown_opcode", code
        if code == table.STATE and room > self._at_id and not self._state[data[at + self._at_id]]:
            return at, "unknown_id", data[at + self._at_id]
        if code in self._at_address and room > self._at_address[code] + 1:
            address = self._address(data, at)
            if not self._register[min(address, self._last)]:
                return at, "unknown_register", address
        if code == table.REQUEST and room > self._at_op and not self._request[data[at + self._at_op]]:
            return at, "unknown_request", data[at + self._at_op]
        if code == table.RESPONSE:
            asked = before >= 0 and data[before] == table.REQUEST
            if asked and before + int(self._request[data[before + self._at_op]]) == at:
                return at, "unknown_response", data[at + self._at_size]
            return at, "orphan_response", 0
        return at, "truncated", 0


def _long_group(starts: Any, data: bytes, end: int) -> int | None:
    """How many of these items come before a group grows longer than MAX_GROUP; None if no group does."""
    at = np.array(starts, dtype=np.int64)
    code = np.frombuffer(data, np.uint8)[at]
    marks = np.flatnonzero((code == table.BEGIN) | (code == table.END))
    opens, closes = at[marks], np.append(at[marks[1:]], end)
    long = np.flatnonzero((code[marks] == table.BEGIN) & (closes - opens > MAX_GROUP))
    return int(np.searchsorted(at, opens[long[0]] + MAX_GROUP)) if len(long) else None


class _Resync:
    """Begin groups from which a whole group can be followed; every offset is looked at once."""

    def __init__(self, scanner: Scanner, lengths: bytes, data: bytes, n: int, final: bool) -> None:
        self._scanner, self._lengths, self._data, self._n, self._final = scanner, lengths, data, n, final
        self._good: dict[int, bool | None] = {}

    def next_begin(self, offset: int) -> tuple[int, bool]:
        """The first of them at or after this offset, and True; else what has to wait for more bytes, and False."""
        at = self._data.find(b"\x01", offset, self._n)
        while at >= 0:
            answer = (
                None
                if at + 1 >= self._n
                else self._data[at + 1] not in (table.BEGIN, table.END) and self._leads(at + 1)
            )
            if answer or (answer is None and self._final):
                return at, True
            if answer is None:
                return at, False
            at = self._data.find(b"\x01", at + 1, self._n)
        return self._n, self._final

    def _leads(self, at: int) -> bool | None:
        """Whether whole items lead from here to an end or begin group, and that to another item; None: more bytes
        decide.
        """
        path: list[int] = []
        while at not in self._good:
            path.append(at)
            if at >= self._n or not self._lengths[at]:
                answer = self._open(at)
            elif self._data[at] == table.BEGIN:
                answer = True
            elif self._data[at] == table.END:
                answer = True if at + 1 < self._n and self._lengths[at + 1] else self._open(at + 1)
            else:
                at += self._lengths[at]
                continue
            break
        else:
            answer = self._good[at]
        self._good |= dict.fromkeys(path, answer)
        return answer

    def _open(self, at: int) -> bool | None:
        """What is to be thought of an offset without an item: the end of all bytes is good."""
        if at >= self._n:
            return True if self._final else None
        return None if self._scanner.waits(self._data, at, self._n, self._final) else False
