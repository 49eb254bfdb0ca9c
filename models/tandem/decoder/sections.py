# SPDX-License-Identifier: Apache-2.0
"""From items to sections: groups and what is between them, the pc, full values after incremental forms, and broken
rules.

Everything is columns over the items of a buffer; only registers with incremental forms are followed one by one.
`Known` is what goes on from buffer to buffer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rvtrace.models.common import native
from rvtrace.models.tandem import aliases, table
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder import kernel
from rvtrace.models.tandem.decoder.decoded import GROUP, OUTSIDE, PC_KEY, Decoded
from rvtrace.models.tandem.decoder.diagnostics import TEXTS, Diagnostic
from rvtrace.models.tandem.decoder.scan import PAD, Scan
from rvtrace.models.tandem.places import places
from rvtrace.models.tandem.table import STATE_KEY

Place = tuple[int, "int | None"]  # group and pc of a diagnostic
BrokenPlace = tuple[
    int, "int | None", "Diagnostic | None"
]  # and what was wrong in the group before its bytes could not be decoded
_X0 = table.GPR_BASE
_MEMDATA_KEYS = (STATE_KEY + table.MEMDATA, STATE_KEY + table.MEMDATA + 3)
_SHARED = np.zeros(table.GPR_BASE, bool)
_SHARED[list(aliases.SHARED)] = True
_REGISTERS = 0x1040  # addresses there are
_IN_GROUPS = np.zeros(256, bool)  # opcodes that are nothing outside groups
_IN_GROUPS[[table.INSN16, table.INSN32, table.INCREMENT_PC, table.INIT]] = True
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)


@dataclass
class Known:
    """What a decoder knows at the start of a buffer. base: its offset. group: number of the last group.

    pc: the shadow pc, None if unknown; quiet: it was already reported that it is unknown. registers: the values last
    reported; missed: those of which an incremental form without a base was reported already.
    """

    base: int = 0
    group: int = -1
    pc: int | None = None
    quiet: bool = False
    registers: dict[int, int] = field(default_factory=dict)
    missed: set[int] = field(default_factory=set)


def sections(
    padded: np.ndarray, scan: Scan, known: Known, config: Config, final: bool
) -> tuple[Decoded, list[BrokenPlace]]:
    """The sections of complete items, and for each break its group, pc, and the earlier fault that led there. `known`
    moves on.
    """
    if not len(scan.starts):
        places: list[BrokenPlace] = [(known.group, known.pc, None)] * len(scan.breaks)
        if scan.breaks:
            known.pc, known.quiet = None, True
        return Decoded.empty(), places
    builder = _Builder(padded, scan, known, config)
    decoded = builder.build(final)
    return decoded, builder.places


class _Builder:
    """Columns over items: start, code, section; columns over sections: see `Decoded`."""

    def __init__(self, padded: np.ndarray, scan: Scan, known: Known, config: Config) -> None:
        self.config, self.known, self.scan = config, known, scan
        self.place = places(config)
        self._tail = np.zeros(256, np.int64)
        self._tail[list(self.place.tail)] = list(self.place.tail.values())
        self.bytes, self.start, self.length = padded, scan.starts, scan.lengths
        # The eight bytes at every offset as one number.
        self.word = np.ndarray((len(padded) - 7,), "<u8", padded, 0, (1,))
        self.code = padded[self.start]
        self.found: dict[int, Diagnostic] = {}  # by section: one fault is reported once
        self.places: list[BrokenPlace] = []
        self._divide()

    def _divide(self) -> None:
        """Items into sections."""
        n, code = len(self.code), self.code
        begin, end = code == table.BEGIN, code == table.END
        last_mark = np.maximum.accumulate(np.where(begin | end, np.arange(n), -1))
        opened = np.where(last_mark >= 0, begin[last_mark], False)  # after each item
        open_before = np.concatenate(([False], opened[:-1]))
        starts = begin | ~open_before
        self.section = np.cumsum(starts) - 1
        self.first = np.flatnonzero(starts)
        self.count = len(self.first)
        self.kind = np.where(begin[self.first], GROUP, OUTSIDE).astype(np.uint8)
        self.number = self.known.group + np.cumsum(self.kind == GROUP)
        behind = np.append(self.first[1:], n) - 1
        self.offset, self.end = self.start[self.first], self.start[behind] + self.length[behind]
        # Where bytes could not be decoded: the group before is broken, and nothing is known of the pc after.
        self.broken, self.damaged = np.zeros(self.count, bool), np.zeros(self.count + 1, bool)
        for at in self.scan.breaks:
            if at.item and opened[at.item - 1]:
                self.broken[self.section[at.item - 1]] = True
            self.damaged[self.section[at.item] if at.item < n else self.count] = True
        self.left_open = bool(opened[-1] and not self.broken[-1])
        self.orphan_end = end & ~open_before

    def build(self, final: bool) -> Decoded:
        is_code = {code: self.code == code for code in table.BY_CODE}
        self.is_code = is_code
        self.reset, self.init = self._sections_with(table.RESET), self._sections_with(table.INIT)
        self._instructions()
        self._pcs()
        changes = self._changes()
        self._rules()
        self._framing(final)
        memory = self._memory()
        number = self.number
        self.known.group = int(number[-1])
        return Decoded(
            number,
            self.offset + self.known.base,
            self.end + self.known.base,
            self.kind,
            self.pc,
            self.pc_known,
            self.insn,
            self.size,
            self.next_pc,
            self.next_known,
            self.reset,
            self.init,
            self.broken,
            *changes,
            *memory,
            items=len(self.code),
            diagnostics=list(self.found.values()),
        )

    def _byte_of(self, *keys: str) -> np.ndarray:
        """By opcode: where an item has one of these fields."""
        found = np.ones(256, np.int64)
        for code in (table.REGISTER, table.ADD, table.OR, table.STATE):
            for key in keys:
                if key in self.place.by_code[code].keys:
                    found[code] = self.place.at(code, key)
        return found

    def _sections_with(self, *codes: int) -> np.ndarray:
        out = np.zeros(self.count, bool)
        for code in codes:
            out[self.section[self.is_code[code]]] = True
        return out

    def _instructions(self) -> None:
        """Instruction of each group: the first it has."""
        self.insn, self.size = np.zeros(self.count, np.uint32), np.zeros(self.count, np.uint8)
        at = np.flatnonzero(self.is_code[table.INSN16] | self.is_code[table.INSN32])
        at = at[self.kind[self.section[at]] == GROUP]
        section = self.section[at]
        again = np.concatenate(([False], section[1:] == section[:-1])) if len(at) else np.zeros(0, bool)
        short = self.is_code[table.INSN16][at]
        size = np.where(short, 2, 4).astype(np.uint8)
        where = np.where(short, *(self.place.at(code, "bits") for code in (table.INSN16, table.INSN32)))
        bits = (self.word[self.start[at] + where] & _MASKS[size]).astype(np.uint32)
        self.insn[section[~again]], self.size[section[~again]] = bits[~again], size[~again]
        self.bits, self.insn_items, self.second = bits, at, again

    def _pcs(self) -> None:
        """Shadow pc before and after each section (TV-3)."""
        known, mask = self.known, np.uint64((1 << self.config.xlen) - 1)
        at_id, at_data = self.place.at(table.STATE, "id"), self.place.at(table.STATE, "data")
        absolutes = np.flatnonzero(self.is_code[table.STATE] & (self.bytes[self.start + at_id] == table.PC))
        absolute, value = np.zeros(self.count, bool), np.zeros(self.count, np.uint64)
        absolute[self.section[absolutes]] = True
        value[self.section[absolutes]] = self.word[self.start[absolutes] + at_data] & mask
        self.absolute, self.by_three = absolute, self._sections_with(table.INCREMENT_PC) & (self.kind == GROUP)
        steps = self.by_three & ~absolute & (self.size > 0)
        sums = np.cumsum(np.where(steps, self.size, 0)).astype(np.uint64)
        place = np.arange(self.count)
        anchor = np.maximum.accumulate(np.where(absolute | self.reset | self.damaged[:-1], place, -1))
        here = anchor >= 0
        start = np.where(here, value[anchor], np.uint64(known.pc or 0))
        passed = np.where(here, sums[anchor], np.uint64(0))
        self.next_known = np.where(here, absolute[anchor], known.pc is not None)
        self.next_pc = np.where(self.next_known, start + sums - passed & mask, np.uint64(0))
        self.pc = np.concatenate((np.array([known.pc or 0], np.uint64), self.next_pc))[:-1]
        self.pc_known = np.concatenate(([known.pc is not None], self.next_known))[:-1] & ~self.damaged[:-1]
        self.pc = np.where(self.pc_known, self.pc, np.uint64(0))
        self._missing_pc(steps & ~self.next_known, anchor)
        known.pc = int(self.next_pc[-1]) if self.next_known[-1] else None
        if self.damaged[-1]:
            known.pc, known.quiet = None, True

    def _missing_pc(self, steps: np.ndarray, anchor: np.ndarray) -> None:
        """Increments of an unknown pc are reported once: not again until there was a pc or a reset, and not after
        damage.
        """
        at = np.flatnonzero(steps)
        once = np.concatenate(([True], anchor[at][1:] != anchor[at][:-1])) if len(at) else np.zeros(0, bool)
        quiet = np.where(anchor >= 0, self.damaged[anchor] & ~self.reset[anchor], self.known.quiet)
        self.unknown_pc = at[once & ~quiet[at]]
        self.known.quiet = not self.next_known[-1] and bool(quiet[-1] or (len(at) and anchor[at[-1]] == anchor[-1]))

    def _changes(self) -> tuple[np.ndarray, ...]:
        """change_start, change_key, change_value, change_offset; memory follows."""
        three = self.is_code[table.INCREMENT_PC]
        register = self.is_code[table.REGISTER] | self.is_code[table.ADD] | self.is_code[table.OR]
        state = self.is_code[table.STATE]
        at = np.flatnonzero(three | register | state)
        start, code, section = self.start[at], self.code[at], self.section[at]
        is_state, is_three = code == table.STATE, code == table.INCREMENT_PC
        where = self._byte_of("address")[code]
        address = self.bytes[start + where].astype(np.int64) | self.bytes[start + where + 1].astype(np.int64) << 8
        identifier = self.bytes[start + self.place.at(table.STATE, "id")].astype(np.int64)
        key = np.where(is_three, PC_KEY, np.where(is_state, STATE_KEY + identifier, address))
        header, tail = self._byte_of("data", "offset", "mask")[code], self._tail[code]
        sized = np.where((code == table.ADD) | (code == table.OR), 1, self.length[at].astype(np.int64) - header - tail)
        value = self.word[start + header] & _MASKS[np.where(is_three, 0, sized)]
        value = np.where(is_three, self.next_pc[section], value)
        valid = ~is_three | (self.by_three & ~self.absolute & (self.size > 0) & self.next_known)[section]
        valid &= key != _X0
        self.change_items, self.keys, self.values = at, key, value
        self.missing = self._resolve(at, key, value, valid)
        at, section = at[valid], section[valid]
        starts = np.searchsorted(section, np.arange(self.count + 1))
        return starts.astype(np.int64), key[valid], value[valid], self.start[at] + self.known.base

    def _resolve(self, at: np.ndarray, key: np.ndarray, value: np.ndarray, valid: np.ndarray) -> list[int]:
        """Full values of incremental forms, put into `value`; returns the items without a base, each register once."""
        code, known, missing = self.code[at], self.known, []
        incremental = (code == table.ADD) | (code == table.OR)
        resets = self.first[self.reset]  # a group is reset before anything in it is reported
        shared = (key < table.GPR_BASE) & valid
        shared[shared] = _SHARED[
            key[shared]
        ]  # these are followed even if nothing here counts from them: each says something of others
        registers = (key < STATE_KEY) & valid & ~shared
        if incremental.any() or len(resets) or shared.any():
            self._follow(at, key, value, valid, incremental & ~shared, resets, missing)
            self._follow_shared(at, key, value, valid, shared, resets, missing)
            self._remember()
        # The values last reported, for the buffers that follow.
        since = np.searchsorted(at, resets[-1]) if len(resets) else 0
        places = since + np.flatnonzero(registers[since:] & valid[since:])
        last = np.full(_REGISTERS, -1)
        last[key[places]] = places
        keys = np.flatnonzero(last >= 0)
        known.registers.update(zip(keys.tolist(), value[last[keys]].tolist()))
        known.missed.difference_update(keys.tolist())
        return sorted(missing)

    def _follow(
        self,
        at: np.ndarray,
        key: np.ndarray,
        value: np.ndarray,
        valid: np.ndarray,
        incremental: np.ndarray,
        resets: np.ndarray,
        missing: list[int],
    ) -> None:
        """Registers from which an incremental form counts, but for CSRs that show the same state."""
        keys = np.unique(key[incremental & valid])
        number = np.full(_REGISTERS, -1)
        number[keys] = np.arange(len(keys))
        chosen = np.flatnonzero(valid & (key < STATE_KEY))
        chosen = chosen[number[key[chosen]] >= 0]
        known, names = self.known, keys.tolist()
        masks = [(1 << table.register_width(self.config, name)) - 1 for name in names]
        state = [known.registers.get(name, 0) for name in names]
        has = [
            kernel.KNOWN if n in known.registers else kernel.MISSED if n in known.missed else kernel.UNKNOWN
            for n in names
        ]
        items = (self.code[at[chosen]], number[key[chosen]], value[chosen], np.ones(len(chosen), np.int64))
        rows: list[Any] = [state, has, masks, [0] * (len(names) + 1)]
        if self.scan.compiled:
            m = tuple(np.array(c, np.uint64 if n in (2, 4, 6) else np.int64).view(np.int64)
                      for n, c in enumerate([*items, *rows]))  # fmt: skip
        else:
            m = (*(column.tolist() for column in items), *rows)
        follow = native.functions(kernel, self.scan.compiled).follow
        edges = [0, *np.searchsorted(at[chosen], resets).tolist(), len(chosen)]
        for part, (first, last) in enumerate(zip(edges, edges[1:])):
            if part:
                m[5][:] = [kernel.UNKNOWN] * len(names)
            count = follow(m, first, last, 0)
            missing += at[chosen[m[7][:count]]].tolist() if count else []
        value[chosen] = m[2].view(np.uint64) if self.scan.compiled else np.array(m[2], np.uint64)
        valid[chosen] = np.array(m[3], bool)
        values = m[4].view(np.uint64).tolist() if self.scan.compiled else m[4]
        self.followed = [(name, int(how), one) for name, how, one in zip(names, m[5], values)]

    def _remember(self) -> None:
        """What `_follow` left of each register."""
        registers, missed = self.known.registers, self.known.missed
        for name, how, value in self.followed:
            if how == kernel.KNOWN:
                registers[name] = value
                missed.discard(name)
            elif how == kernel.MISSED:
                missed.add(name)

    def _follow_shared(
        self,
        at: np.ndarray,
        key: np.ndarray,
        value: np.ndarray,
        valid: np.ndarray,
        shared: np.ndarray,
        resets: np.ndarray,
        missing: list[int],
    ) -> None:
        """CSRs that show the same state, one by one: each says something of others."""
        current, missed, xlen = self.known.registers, self.known.missed, self.config.xlen
        chosen = np.flatnonzero(shared)
        edges = [0, *np.searchsorted(at[chosen], resets).tolist(), len(chosen)]
        codes = self.code[at]
        for number, (low, high) in enumerate(zip(edges, edges[1:])):
            if number:
                current.clear()
                missed.clear()
            part = chosen[low:high]
            for place, address, code, told in zip(
                part.tolist(), key[part].tolist(), codes[part].tolist(), value[part].tolist()
            ):
                if code != table.REGISTER:
                    if address not in current:
                        valid[place] = False
                        if address not in missed:
                            missed.add(address)
                            missing.append(int(at[place]))
                        continue
                    old = current[address]
                    if code == table.OR:
                        told |= old
                    else:
                        width = table.register_width(self.config, address)
                        told = (old + told - (told >> 7 << 8)) & ((1 << width) - 1)
                    value[place] = told
                aliases.tell(current, address, told, xlen)
                missed.difference_update(current)  # in place: -= of the keys of a dictionary would make another set

    def _rules(self) -> None:
        """Diagnostics of content (TV-3, TV-5)."""
        tell, group, has_insn = self._tell, self.kind == GROUP, self.size > 0
        first = self.first
        tell("orphan_end", np.flatnonzero(self.orphan_end))
        loose = _IN_GROUPS[self.code] & ~group[self.section]
        tell("outside_group", np.flatnonzero(loose), item=lambda k: table.BY_CODE[int(self.code[k])].meaning)
        tell("two_instructions", self.insn_items[self.second], value=self.bits[self.second])
        tell("init_with_instruction", first[group & self.init & has_insn])
        tell("init_with_reset", first[group & self.init & self.reset])
        tell("reset_with_instruction", first[group & self.reset & has_insn])
        tell("increment_and_pc", first[self.by_three & self.absolute])
        tell("increment_without_instruction", first[self.by_three & ~has_insn])
        tell("increment_without_pc", first[self.unknown_pc])
        tell("unknown_base", np.array(self.missing, np.int64), item=self._item)
        tell("x0_write", self.change_items[(self.keys == _X0) & (self.values != 0)])
        tell("repeated_state", self._repeated(), item=self._item)
        bits, size = self.bits & 3, np.where(self.is_code[table.INSN16][self.insn_items], 2, 4)
        wrong = (bits == 3) != (size == 4) if self.config.compressed else size == 2
        tell("instruction_length", self.insn_items[wrong], value=self.bits[wrong],
             item=lambda k: f"{16 if self.code[k] == table.INSN16 else 32} bits")  # fmt: skip
        strange = np.flatnonzero(self.keys == STATE_KEY + table.PRIV)
        strange = strange[~np.isin(self.values[strange], list(table.PRIVILEGES))]
        tell("unknown_privilege", self.change_items[strange], value=self.values[strange])

    def _repeated(self) -> np.ndarray:
        """Items that report a register or identifier which their group has reported."""
        key = np.where((self.keys >= _MEMDATA_KEYS[0]) & (self.keys <= _MEMDATA_KEYS[1]), _MEMDATA_KEYS[0], self.keys)
        # Opcode 3 is not identifier 10: both in a group are another fault.
        key = np.where(self.code[self.change_items] == table.INCREMENT_PC, 2 * STATE_KEY - 1, key)
        combined = self.section[self.change_items] * (2 * STATE_KEY) + key
        order = np.argsort(combined, kind="stable")
        again = order[1:][combined[order[1:]] == combined[order[:-1]]]
        return np.sort(self.change_items[again])

    def _item(self, k: int) -> str:
        """Name of what the item reports."""
        place = int(np.searchsorted(self.change_items, k))
        if self.code[k] == table.INCREMENT_PC:
            return "increment pc"
        key = int(self.keys[place])
        return table.BY_ID[key - STATE_KEY].meaning if key >= STATE_KEY else f"register {key:#06x}"

    def _framing(self, final: bool) -> None:
        """Places of the breaks; a group that is open when the bytes end."""
        for at in self.scan.breaks:
            section = int(self.section[at.item - 1]) if at.item else -1
            if section < 0:
                self.places.append((self.known.group, self._pc_before(0), None))
            elif self.broken[section]:
                self.places.append((*self._place(section, inside=True), self.found.pop(section, None)))
            else:
                self.places.append((*self._place(section, inside=False), None))
        if final and self.left_open:
            self.broken[-1] = True
            end = len(self.bytes) - PAD + self.known.base
            self.found.setdefault(
                self.count - 1,
                Diagnostic("truncated", end, *self._place(self.count - 1, inside=True), TEXTS["truncated"]),
            )

    def _pc_before(self, section: int) -> int | None:
        return int(self.pc[section]) if section < self.count and self.pc_known[section] else None

    def _place(self, section: int, inside: bool) -> Place:
        """Number of the group, and its pc; after it (not inside) the pc that it left."""
        if inside:
            return int(self.number[section]), self._pc_before(section)
        return int(self.number[section]), int(self.next_pc[section]) if self.next_known[section] else None

    def _tell(
        self, name: str, items: np.ndarray, value: np.ndarray | None = None, item: Callable[[int], str] | None = None
    ) -> None:
        for n, k in enumerate(items.tolist()):
            section, offset = int(self.section[k]), int(self.start[k]) + self.known.base
            if section in self.found and self.found[section].offset <= offset:
                continue
            group, pc = self._place(section, inside=True)
            values = {"value": int(value[n]) if value is not None else 0, "item": item(k) if item else ""}
            self.found[section] = Diagnostic(name, offset, group, pc, TEXTS[name].format(**values))

    def _memory(self) -> tuple[np.ndarray, ...]:
        """memory_start, op, size, address, data, has, result, response."""
        at = np.flatnonzero(self.is_code[table.REQUEST])
        start, length, place = self.start[at], self.length[at].astype(np.int64), self.place
        byte = self.bytes[start + place.at(table.REQUEST, "op")]
        op, size = byte & 15, byte >> 4
        with_data = np.array([operation.request_data for operation in table.OPERATIONS] + [False, False])[op]
        width = np.where(with_data, 1 << size.astype(np.int64), 0)
        at_data, at_reply = place.at(table.REQUEST, "data"), place.at(table.RESPONSE, "data")
        data = self.word[start + at_data] & _MASKS[width]
        behind = at_data + width + place.tail[table.REQUEST]
        answered = length > behind
        answer = self.bytes[start + behind + place.at(table.RESPONSE, "size")]
        reply_width = np.where(answered, length - behind - at_reply - place.tail[table.RESPONSE], 0)
        reply = self.word[start + behind + at_reply] & _MASKS[reply_width]
        has = with_data | answered << 1 | (reply_width > 0) << 2
        starts = np.searchsorted(self.section[at], np.arange(self.count + 1)).astype(np.int64)
        address = self.word[start + place.at(table.REQUEST, "address")] & _MASKS[self.config.mlen_bytes]
        return (
            starts,
            op,
            size,
            address,
            data,
            has.astype(np.uint8),
            np.where(answered, answer >> 4, 0).astype(np.uint8),
            reply,
        )
