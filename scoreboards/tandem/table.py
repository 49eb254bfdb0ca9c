# SPDX-License-Identifier: Apache-2.0
"""The items of a trace as columns: what appears where, for rules over many of them and for counting."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import Items
from rvtrace.models.tandem.decoder.scan import PAD, Scanner
from rvtrace.models.tandem.places import places

FORMS = (t.REGISTER, t.ADD, t.OR)


class Before(NamedTuple):
    """What came before the items of a table. end: of the last of them. mark: opcode of the last begin or end of a
    group, -1 if there was none; torn: whether bytes after that could not be followed.
    """

    end: int = 0
    mark: int = -1
    torn: bool = False


class ItemTable:
    """Columns over items: start, code, length (a request with its response); at: where they begin in `bytes`.

    Bytes that cannot be followed have no item. Of a part of a trace: items: of the decoder, before: what came before.
    """

    def __init__(self, data: bytes, config: Config, items: Items | None = None, before: Before | None = None) -> None:
        self.config, self.before, self._places = config, before or Before(), places(config)
        if items is None:
            padded = np.frombuffer(bytes(data) + bytes(PAD), np.uint8)
            scan = Scanner(config).scan(padded, final=True)
            items = Items(0, padded, scan.starts, scan.lengths)
        self.bytes, self.at = items.bytes, items.starts
        self.start, self.length = items.starts + items.base, items.lengths.astype(np.int64)
        self.code = self.bytes[self.at]
        self._word = np.ndarray((len(self.bytes) - 7,), "<u8", self.bytes, 0, (1,))

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def torn(self) -> np.ndarray:
        """Items before which bytes could not be followed, as a mask."""
        ends = self.start + self.length
        return self.start != np.concatenate(([self.before.end], ends[:-1]))

    @property
    def after(self) -> Before:
        """What comes before the items that follow."""
        if not len(self):
            return self.before
        marks = np.flatnonzero(self.of(t.BEGIN, t.END))
        last = int(marks[-1]) if len(marks) else -1
        torn = bool(self.torn[last + 1 :].any()) or (last < 0 and self.before.torn)
        mark = int(self.code[last]) if len(marks) else self.before.mark
        return Before(int(self.start[-1] + self.length[-1]), mark, torn)

    def word(self, at: np.ndarray) -> np.ndarray:
        """The eight bytes at each offset as a number."""
        return self._word[at]

    def of(self, *codes: int) -> np.ndarray:
        """Items with these opcodes, as a mask."""
        return np.isin(self.code, codes)

    def column(self, key: str, *codes: int) -> np.ndarray:
        """int64: a field of the items with these opcodes (without them, of all that have it) that no other field moves;
        -1 where there is none.
        """
        found = np.full(len(self), -1)
        for code in codes or self._places.by_code:
            fields = self._places.by_code[code]
            if key not in fields.keys or not (bits := fields.field(key).bits(self.config, {})):
                continue
            at = np.flatnonzero(self.code == code)
            values = self._word[self.at[at] + self._places.at(code, key)] & np.uint64((1 << bits) - 1)
            found[at] = values.astype(np.int64)
        return found

    @cached_property
    def identifier(self) -> np.ndarray:
        """Identifier of additional state, 0 for other items."""
        return np.maximum(self.column("id"), 0)

    @cached_property
    def address(self) -> np.ndarray:
        """Address of a register, -1 for other items."""
        return self.column("address", *FORMS)

    @cached_property
    def operation(self) -> np.ndarray:
        """The byte of a request after its address (TV-1), -1 for other items."""
        at = np.minimum(self.at + self._places.at(t.REQUEST, "op"), len(self.bytes) - 1)
        return np.where(self.code == t.REQUEST, self.bytes[at].astype(np.int64), -1)

    @cached_property
    def answer(self) -> np.ndarray:
        """The byte of a response (TV-1), of the request that has one; -1 without."""
        op, size = self.operation & 15, np.maximum(self.operation, 0) >> 4
        asks = np.array([one.request_data for one in t.OPERATIONS] + [False] * 2)[np.maximum(op, 0)]
        behind = self._places.at(t.REQUEST, "data") + np.where(asks, 1 << size, 0) + self._places.tail[t.REQUEST]
        there = (self.code == t.REQUEST) & (self.length > behind)
        at = np.minimum(self.at + behind + self._places.at(t.RESPONSE, "size"), len(self.bytes) - 1)
        return np.where(there, self.bytes[at].astype(np.int64), -1)

    @cached_property
    def address_value(self) -> np.ndarray:
        """The address of a request, or of state that is one, as sent; 0 for other items."""
        mask = np.uint64((1 << self.config.mlen_bits) - 1)
        state = np.isin(self.identifier, (t.PADDR, t.EADDR, t.PPC))
        at = self.at + np.where(state, self._places.at(t.STATE, "data"), self._places.at(t.REQUEST, "address"))
        return np.where(state | (self.code == t.REQUEST), self._word[at] & mask, np.uint64(0))

    @cached_property
    def absent(self) -> np.ndarray:
        """The part of `ABSENT_NAMES` that an item reports and this implementation does not trace, as a mask."""
        config, out = self.config, np.zeros(len(self), bool)
        kinds = {
            "pc": self.of(t.INCREMENT_PC) | (self.identifier == t.PC),
            "ppc": self.identifier == t.PPC,
            "insn": self.of(t.INSN16, t.INSN32),
            "gpr": (self.address >= t.GPR_BASE) & (self.address < t.FPR_BASE),
            "fpr": self.address >= t.FPR_BASE,
            "priv": self.identifier == t.PRIV,
            "paddr": self.identifier == t.PADDR,
            "eaddr": self.identifier == t.EADDR,
            "memdata": (self.identifier >= t.MEMDATA) & (self.identifier < t.MTIME),
            "mtime": self.identifier == t.MTIME,
            "request": self.of(t.REQUEST),
            "response": self.answer >= 0,
        }
        for name, mask in kinds.items():
            if not config.traces(name):
                out |= mask
        csr = (self.address >= 0) & (self.address < t.GPR_BASE)
        told_by = {
            t.FCSR: "fcsr",
            **dict.fromkeys((t.MCYCLE, t.MCYCLEH), "mcycle"),
            **dict.fromkeys((t.MINSTRET, t.MINSTRETH), "minstret"),
        }
        if not config.traces("csr"):  # what remains are parts of their own
            for address, name in told_by.items():
                if config.traces(name):
                    csr &= self.address != address
            out |= csr
        return out
