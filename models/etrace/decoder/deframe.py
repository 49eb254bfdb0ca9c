# SPDX-License-Identifier: Apache-2.0
"""Transported bytes to payloads: the packet encapsulation 1.0, both example encapsulations of the payload chapter, and
the ways to find packet boundaries, joined anywhere.

A `Deframer` takes bytes in pieces of any size and holds at most a packet of them (while it looks for blocks, a few
blocks). Any bytes are taken: those that are no packet give a `Damage`, and packets are found again after a run of zero
bytes (null packets) that no packet can hold, or at the next block; without framing, at the next byte that can be a
header. Of encapsulation 1.0 it gives the instruction trace packets of the source that the configuration names, and
counts the others.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from rvtrace.models.common import native
from rvtrace.models.etrace.config import ENCAP, ENCAP_FRAMINGS, Config
from rvtrace.models.etrace.decoder import framing as f

WORD = 4  # bytes of the trace bus
INSTRUCTION = 0  # type of a packet, beside 1 of data trace (encapsulation 1.0, "type")
CLAUSES = {"messaging": "ET.tra.messaging", "atb": "ET.tra.atb", ENCAP: "ET.enc.header"}  # what damage breaks
OF_TRANSPORT = ("ET.tra.", "ET.enc.")  # how the clauses of a transport start
BLOCKS_LOOKED_AT = 8  # to find where blocks begin
MOST_FRAMES = 1 << 16  # rows at once


class Frame(NamedTuple):
    """A packet: offset of its header in the stream, payload, and its timestamp, None if it has none."""

    offset: int
    payload: bytes
    timestamp: int | None = None


class Damage(NamedTuple):
    """Bytes that are no packet: offset of the first, clause, what was found; frames before it; length in bytes."""

    offset: int
    clause: str
    text: str
    packet: int
    length: int = 0

    def __str__(self) -> str:
        return f"byte {self.offset:#x}: {self.text} [{self.clause}]"


class Form(NamedTuple):
    """How packets are wrapped. bit: of the header, that a timestamp follows; head: whole bytes of index or srcID;
    stamp: bytes of a timestamp; counts: whether the length is that of the packet; odd: bits of srcID that are left;
    kind: bits of the type; source: the ID whose packets are wanted, of `bits` bits.
    """

    bit: int
    head: int
    stamp: int
    counts: int
    odd: int = 0
    kind: int = 0
    source: int = 0
    bits: int = 0

    @classmethod
    def of(cls, config: Config) -> Form:
        """That of a configuration."""
        if config.encapsulation == ENCAP:
            odd = config.src_bits % 8
            return cls(0x80, config.src_bits // 8, config.timestamp_bytes, 0, odd, config.type_bits, config.src_id,
                       config.src_bits)  # fmt: skip
        atb, counts = config.encapsulation == "atb", int(config.length_of == "packet")
        return cls(0x20 if atb else 0x80, 0 if atb else config.index_width // 8, config.stamp_bytes, counts)

    @property
    def spare(self) -> int:
        """Bits of the length that are no trace payload."""
        return self.odd + self.kind


class Frames(NamedTuple):
    """Packets that follow each other: bytes, and rows of `rvtrace.models.etrace.decoder.framing` that say which of them
    are payloads. sent, offset: the bytes as they were transported, and the place of the first of them in the stream.
    """

    data: bytes
    offset: int
    rows: Any
    sent: bytes
    form: Form

    def _table(self) -> np.ndarray:
        return np.asarray(self.rows, np.int64).reshape(-1, f.ROW)

    def _stamped(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where each header is in `sent`, the header, and whether a timestamp follows it."""
        at = self._table()[:, 2] - self.offset
        header = np.frombuffer(self.sent, np.uint8)[at].astype(np.int64)
        return at, header, (header & self.form.bit) != 0

    def ends(self) -> np.ndarray:
        """The offset in the stream after each packet."""
        at, header, stamped = self._stamped()
        form = self.form
        before = 1 + form.head + form.stamp * stamped
        return self.offset + at + (header & 31) + (0 if form.counts else before)

    def list(self) -> list[Frame]:
        """One by one."""
        at, _, stamped = self._stamped()
        flat, first, stamps = self._table().tolist(), self.form.head + 1, []
        for begin, has in zip(at.tolist(), stamped.tolist()):
            bits = int.from_bytes(self.sent[begin + first : begin + first + self.form.stamp + 1], "little")
            stamps.append((bits >> self.form.odd) & (1 << 8 * self.form.stamp) - 1 if has else None)
        return [Frame(row[2], self.data[row[0] : row[0] + row[1]], stamp) for row, stamp in zip(flat, stamps)]


class Deframer:
    """Finds the packets of one stream.

    joined: the first byte may be anything. position: offset of the first byte in its block; None: where blocks begin is
    found from the bytes, if `joined`, else 0.
    """

    def __init__(self, config: Config, joined: bool = False, position: int | None = None) -> None:
        encap = config.encapsulation == ENCAP
        self._framing, self._form = config.framing, Form.of(config)
        self._block = config.block_bytes if config.framing == "blocks" else 0
        self._clause = CLAUSES[config.encapsulation]
        self._run = config.null_run if encap else config.zero_run  # null bytes after which a header is next
        self._null = 31 if encap else 255  # bits that are 0 in such a byte
        self.others: Counter[int] = Counter()  # packets of other sources, by srcID
        self.types: Counter[int] = Counter()  # packets of this source that are no instruction trace, by type
        self._searches = joined and position is None and bool(self._block)
        self._state: Any = [0] * f.SIZE
        s = self._state
        s[f.ATB], s[f.NULLS], s[f.BLOCK] = int(config.encapsulation == "atb"), int(encap), self._block
        s[f.HEAD], s[f.STAMP] = self._form.head, self._form.stamp
        s[f.COUNTS], s[f.SPARE] = self._form.counts, self._form.spare
        s[f.POSITION] = position or 0  # of the first byte of all in its block
        self._kernel: Any = f
        self._compiled = False
        self._rows: Any = []  # room for those of one call
        self._fed = 0
        self._data = b""
        self._offset = 0  # of the first byte of _data
        self._packets = 0
        self._zeros = 0
        self._lost: int | None = None  # offset at which packets were lost; None: at a packet boundary
        self._silent = False  # the loss is that of joining
        if joined and (config.framing in ("zeros", *ENCAP_FRAMINGS) or (self._block and s[f.POSITION] % self._block)):
            self._lost, self._silent = 0, True

    def whole(self, data: bytes) -> tuple[list[bytes], list[int], list[Damage]]:
        """(payloads, offsets of their packets, damage) of all bytes of a stream."""
        payloads: list[bytes] = []
        offsets: list[int] = []
        damage: list[Damage] = []
        for piece in (*self.pieces(data), *self.rest()):
            if isinstance(piece, Damage):
                damage.append(piece)
                continue
            flat, of = piece.rows if isinstance(piece.rows, list) else piece.rows.tolist(), piece.data
            payloads += [of[at : at + size] for at, size in zip(flat[:: f.ROW], flat[1 :: f.ROW])]
            offsets += flat[2 :: f.ROW]
        return payloads, offsets, damage

    def feed(self, data: bytes) -> list[Frame | Damage]:
        """What the next bytes complete."""
        return self._each(self.pieces(data))

    def finish(self) -> list[Frame | Damage]:
        """The end of the stream: what it leaves incomplete."""
        return self._each(self.rest())

    def pieces(self, data: bytes) -> list[Frames | Damage]:
        """What the next bytes complete, with frames that follow each other in one."""
        self._data += data
        self._fed += len(data)
        if self._searches:
            if len(self._data) < self._block * (BLOCKS_LOOKED_AT + 1):
                return []
            self._find_blocks()
        return self._take(False)

    def rest(self) -> list[Frames | Damage]:
        """As `finish`, likewise."""
        if self._searches:
            self._find_blocks()
        return self._take(True)

    def _each(self, pieces: list[Frames | Damage]) -> list[Frame | Damage]:
        found: list[Frame | Damage] = []
        for piece in pieces:
            if isinstance(piece, Frames):
                found += piece.list()
            else:
                found.append(piece)
        return found

    def _take(self, end: bool) -> list[Frames | Damage]:
        found: list[Frames | Damage] = []
        data, at, s = self._data, 0, self._state
        if not self._compiled and native.is_compiled(f, self._fed):
            self._kernel, self._compiled = native.functions(f, True), True
            self._state = s = np.array(s, np.int64)
        s[f.OFFSET] = self._offset
        while at < len(data):
            if self._lost is not None:
                at = self._look(at, found)
                continue
            status, at = self._frames(at, found)
            if status == f.OK or (status == f.PARTIAL and not end):
                break
            if status == f.PARTIAL:
                size = f.size_at(s, data, at)
                self._lose(self._offset + at, f"a packet of {size} bytes is cut off at the end", found)
                at = len(data)
            elif status != f.FULL:
                self._lose(self._offset + at, self._wrong(at, status), found)
                at += 1
        self._data = data[at:]
        self._offset += at
        if end and self._lost is not None:
            self._found(self._offset, found)
        return found

    def _frames(self, at: int, found: list[Frames | Damage]) -> tuple[int, int]:
        """The packets from `at` on, as far as nothing is wrong and there is room for their rows; why they end, where"""
        data, s = self._data, self._state
        most = min(MOST_FRAMES, len(data) // 2 + 1) * f.ROW  # no packet is shorter than two bytes
        if len(self._rows) < most or self._compiled == isinstance(self._rows, list):
            self._rows = np.empty(most, np.int64) if self._compiled else [0] * most
        given = np.frombuffer(data, np.uint8) if self._compiled else data
        status = int(self._kernel.frames(s, given, self._rows, at, len(data)))
        if s[f.FRAMES]:
            rows = self._rows[: f.ROW * int(s[f.FRAMES])]
            payloads, own = (data, rows.copy()) if not self._form.spare | self._form.bits else self._own(rows)
            if len(own):
                found.append(Frames(payloads, self._offset, own, data, self._form))
            self._packets += len(own) // f.ROW
        return status, int(s[f.AT])

    def _own(self, flat: Any) -> tuple[bytes, Any]:
        """The instruction trace packets of this source, with payloads that begin at a byte: they are after srcID and
        type in the least significant bits of their bytes; what is left in the last one is padding.
        """
        form, rows = self._form, np.array(flat, np.int64).reshape(-1, f.ROW)
        data = np.frombuffer(self._data + b"\0\0", np.uint8).astype(np.int64)

        def field(at: np.ndarray, lsb: int, bits: int) -> np.ndarray:
            word = data[at] | data[at + 1] << 8 | data[np.minimum(at + 2, len(data) - 1)] << 16
            return word >> lsb & (1 << bits) - 1

        source = field(rows[:, 2] - self._offset + 1, 0, form.bits)
        kind = field(rows[:, 0], form.odd, form.kind)
        mine = source == form.source
        self.others.update(source[~mine].tolist())
        self.types.update(kind[mine & (kind != INSTRUCTION)].tolist())
        rows = rows[mine & (kind == INSTRUCTION)]
        skip, shift = divmod(form.spare, 8)
        sizes = rows[:, 1] - (form.spare + 7) // 8
        begins = np.cumsum(sizes) - sizes
        places = np.repeat(rows[:, 0] + skip - begins, sizes) + np.arange(int(sizes.sum()))
        payloads = (data[places] >> shift | data[places + 1] << 8 - shift) & 0xFF
        rows[:, 0], rows[:, 1] = begins, sizes
        own = rows.reshape(-1)
        return payloads.astype(np.uint8).tobytes(), own if self._compiled else own.tolist()

    def _wrong(self, at: int, status: int) -> str:
        """What is wrong with the packet whose header is at `at`."""
        header = self._data[at]
        if status == f.NO_LENGTH:
            if header & 31:
                return f"header {header:#04x} has length {header & 31}, which leaves no payload"
            return f"header {header:#04x} has length 0"
        if status == f.EXTENDED:
            return f"header {header:#04x} has extend set, and timestamps have no bytes"
        if status == f.HIGH_BITS:
            return f"header {header:#04x} has bits 7:6 set"
        size, left = (int(f.size_at(self._state, self._data, at)), int(f.room_at(self._state, at)))
        return f"a packet of {size} bytes has {left} left in its block"

    def _lose(self, offset: int, text: str, found: list[Frames | Damage]) -> None:
        self._lost, self._silent, self._zeros = offset, False, 0
        found.append(Damage(offset, self._clause, text, self._packets))

    def _found(self, offset: int, found: list[Frames | Damage]) -> None:
        """Packets begin again at `offset`; at the end of the stream, they do not."""
        if not self._silent and self._lost is not None:
            for place in range(len(found) - 1, -1, -1):
                if isinstance(found[place], Damage):
                    found[place] = found[place]._replace(length=offset - self._lost)
                    break
        self._lost, self._silent = None, False

    def _look(self, at: int, found: list[Frames | Damage]) -> int:
        """Where packets begin again, at or after `at`."""
        data = self._data
        if self._block:
            here = self._offset + at + int(self._state[f.POSITION])
            ahead = -here % self._block
            if at + ahead < len(data):
                self._found(self._offset + at + ahead, found)
            return min(at + ahead, len(data))
        if self._framing == "none":
            self._found(self._offset + at, found)
            return at
        while at < len(data):
            if data[at] & self._null:
                if self._zeros >= self._run:
                    self._found(self._offset + at, found)
                    return at
                self._zeros = 0
            else:
                self._zeros += 1
            at += 1
        return at

    def _find_blocks(self) -> None:
        """Blocks begin where most of them hold packets and nothing else."""
        self._searches = False
        best = max(range(self._block), key=self._score)
        self._state[f.POSITION] = -best % self._block
        if best:
            self._lost, self._silent = 0, True

    def _score(self, first: int) -> int:
        """Blocks that are good, less twice those that are not, if one begins at `first`."""
        score = 0
        self._state[f.POSITION] = -first % self._block
        for begin in range(first, min(len(self._data), first + BLOCKS_LOOKED_AT * self._block), self._block):
            score += 1 if self._is_block(begin) else -2
        return score

    def _is_block(self, begin: int) -> bool:
        data, at, end = self._data, begin, min(begin + self._block, len(self._data))
        if not data[at]:
            return False
        while at < end and data[at]:
            size = f.size_at(self._state, data, at)
            if size < 0 or size > f.room_at(self._state, at):
                return False
            at += size
            if self._state[f.ATB]:
                at += -(at - begin) % WORD
        return not any(data[at:end])


def deframe(
    data: bytes, config: Config, joined: bool = False, position: int | None = None
) -> tuple[list[bytes], list[int], list[Damage]]:
    """(payloads, offsets of their packets, damage) of a whole stream; see `Deframer`."""
    return Deframer(config, joined, position).whole(data)


def source_of(data: bytes, config: Config) -> int | None:
    """The srcID that most packets of a stream have, with the widths of a configuration; None where there is none."""
    deframer = Deframer(config)
    own = len(deframer.whole(data)[0]) + sum(deframer.types.values())
    found = deframer.others + Counter({config.src_id: own})
    return max(found, key=found.__getitem__) if found else None
