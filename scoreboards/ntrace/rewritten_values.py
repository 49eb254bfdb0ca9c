# SPDX-License-Identifier: Apache-2.0
"""Deviations in what fields mean: units of addresses and counts, references, codes, HIST and time (chapter 8)."""

from __future__ import annotations

from collections.abc import Callable

from rvtrace.models.ntrace.table import MDO_BITS, Message
from rvtrace.scoreboards.diagnosis.search import Dialect
from rvtrace.scoreboards.ntrace.counted import Counted
from rvtrace.scoreboards.ntrace.rewriting import Rewriting, Rules, Value, with_field

ADDRESSES = ("faddr", "uaddr")
JUMPS = frozenset((4, 28))  # TCODEs with B-TYPE and without SYNC
STARTS = (1, 3, 5, 7, 9)  # SYNC where trace begins


def _field(keys: tuple[str, ...], of: Callable[[int, Rules], int], where: Callable[[Message], bool] | None = None
           ) -> Rewriting:  # fmt: skip
    """A function of the value of some fields."""

    def make(rules: Rules) -> Value:
        def change(message: Message) -> Message:
            for key in keys:
                value = message.get(key)
                if value is not None and (where is None or where(message)):
                    message = with_field(message, key, of(value, rules))
            return message

        return change

    return Rewriting(value=make)


def _rdata(rcodes: tuple[int, ...]) -> Callable[[Message], bool]:
    return lambda message: message.get("rcode") in rcodes


def _top(rules: Rules) -> int:
    return (1 << (rules.config.xlen - 1)) - 1


def _complete(value: int, rules: Rules) -> int:
    """A full address with the upper bits that make it code, the fewest that are missing."""
    program = rules.program
    if program is None or program.insn(value << 1) is not None:
        return value
    tops = sorted({at >> 1 for base, code in program.segments for at in (base, base + len(code) - 1)})
    for width in range(rules.config.xlen - 1, 5, -1):
        low = value & ((1 << width) - 1)
        if value >> width:
            break
        for top in tops:
            full = top >> width << width | low
            if program.insn(full << 1) is not None:
                return full
    return value


def _reversed_groups(value: int, rules: Rules) -> int:
    """The bits of each MDO group in reverse."""
    groups = -(-max(value.bit_length(), 1) // MDO_BITS)
    return sum(
        int(f"{value >> MDO_BITS * n & (1 << MDO_BITS) - 1:0{MDO_BITS}b}"[::-1], 2) << MDO_BITS * n
        for n in range(groups)
    ) & _top(rules)  # fmt: skip


class Reference:
    """What U-ADDR is XORed with, as the specification has it and as a device has it (NT-19)."""

    def __init__(self, rules: Rules, kind: str) -> None:
        self._rules, self._kind, self._due, self._theirs = rules, kind, 0, 0

    def __call__(self, message: Message) -> Message:
        full, part = message.get("faddr"), message.get("uaddr")
        kind, top = self._kind, _top(self._rules)
        if full is not None:
            if kind == "faddr_relative":
                full ^= self._due
                message = with_field(message, "faddr", full)
            self._due = full
            if kind == "truncated":
                self._due = _complete(full, self._rules)
                message = with_field(message, "faddr", self._due)
            if kind != "not_faddr" and (kind != "not_periodic" or message.get("sync") in STARTS):
                self._theirs = full
        elif part is not None:
            target = {
                "uaddr_full": part,
                "difference": (self._theirs + part) & top,
                "difference_back": (self._theirs - part) & top,
            }.get(kind, self._theirs ^ part)
            if kind != "sync_only":
                self._theirs = target
            if kind == "truncated":
                target = _complete(target, self._rules)
            message = with_field(message, "uaddr", target ^ self._due)
            self._due = target
        return message


class Time:
    """TSTAMP as a difference or as itself where the other is due."""

    def __init__(self, kind: str) -> None:
        self._kind, self._now = kind, 0

    def __call__(self, message: Message) -> Message:
        if message.tstamp is None:
            return message
        sync, stamp = message.type.has_sync, message.tstamp
        if self._kind == "absolute":
            now = stamp
        elif self._kind == "relative":
            now = self._now + stamp
        else:  # synchronizing messages do not move what the next difference is from
            now = stamp if sync else self._now + stamp
        before, self._now = self._now, now
        return message.replaced(tstamp=now if sync else max(now - before, 0))


class NotReset:
    """A count that goes on where it should start again."""

    def __init__(self, key: str) -> None:
        self._key, self._before = key, 0

    def __call__(self, message: Message) -> Message:
        key = "rdata" if message.get("rcode") == 0 and self._key == "icnt" else self._key
        value = message.get(key)
        if value is None:
            return message
        before, self._before = self._before, value
        return with_field(message, key, value - before) if value >= before else message


def _reverse_hist(value: int, rules: Rules) -> int:
    bits = max(value.bit_length() - 1, 0)
    return 1 << bits | int(f"{value & (1 << bits) - 1:0{bits}b}"[::-1], 2) if bits else value


def _invert_hist(value: int, rules: Rules) -> int:
    return value ^ ((1 << max(value.bit_length() - 1, 0)) - 1)


def _hists(of: Callable[[int, Rules], int]) -> Rewriting:
    """A function of HIST, wherever it is."""
    fields, full = _field(("hist",), of), _field(("rdata",), of, _rdata((1, 2)))

    def make(rules: Rules) -> Value:
        assert fields.value is not None and full.value is not None
        first, second = fields.value(rules), full.value(rules)

        def change(message: Message) -> Message:
            return second(message) if message.get("rdata") is not None else first(message)

        return change

    return Rewriting(value=make)


def _counts(of: Callable[[int, Rules], int]) -> Rewriting:
    """A function of I-CNT, wherever it is."""

    def make(rules: Rules) -> Value:
        def change(message: Message) -> Message:
            key = "rdata" if message.get("rcode") == 0 else "icnt"
            value = message.get(key)
            return message if value is None else with_field(message, key, of(value, rules))

        return change

    return Rewriting(value=make)


def _stateful(make: Callable[[Rules], Value]) -> Rewriting:
    return Rewriting(value=make)


def _codes(key: str, *pairs: tuple[int, int]) -> Rewriting:
    means = dict(pairs)
    return _field((key,), lambda value, rules: means.get(value, value))


def _counted(**how: bool | int | str | frozenset[int]) -> Rewriting:
    return Rewriting(value=lambda rules: Counted(rules, **how))  # pyright: ignore[reportArgumentType]


_COUNT, _HIST, _BTYPE = "icnt value", "hist", "btype value"
VALUES = (
    Dialect("btype_jump_1", "NT.6.2.btype", "B-TYPE of a jump is 1", "B-TYPE of a jump is 0", _BTYPE,
            _codes("btype", (1, 0))),
    Dialect("btype_always_0", "NT.6.2.btype", "B-TYPE of traps is 0", "B-TYPE is 0 for a jump and not 0 for a trap",
            _BTYPE, _counted(kinds=JUMPS)),
    Dialect("rcode_bits_2_4", "NT.7.8.rcode", "RCODE is 2 for I-CNT and 4 for HIST",
            "RCODE is 0 for I-CNT and 1 for HIST", "rcode value", _codes("rcode", (2, 0), (4, 1))),
    Dialect("faddr_truncated", "NT.8.1.faddr", "the upper bits of F-ADDR are missing", "F-ADDR is the full address",
            "", _field(("faddr",), _complete)),
    Dialect("addresses_truncated", "NT.8.1.faddr", "the upper bits of each address are missing",
            "an address has all its bits", "reference", _stateful(lambda rules: Reference(rules, "truncated"))),
    Dialect("faddr_relative", "NT.8.1.faddr", "F-ADDR is relative, as U-ADDR is", "F-ADDR is the full address",
            "reference", _stateful(lambda rules: Reference(rules, "faddr_relative"))),
    Dialect("uaddr_full", "NT.8.1.xor", "U-ADDR is the full address", "U-ADDR is the XOR with the address before",
            "reference", _stateful(lambda rules: Reference(rules, "uaddr_full"))),
    Dialect("uaddr_difference", "NT.8.1.xor", "U-ADDR is an arithmetic difference",
            "U-ADDR is the XOR with the address before", "reference",
            _stateful(lambda rules: Reference(rules, "difference"))),
    Dialect("uaddr_difference_back", "NT.8.1.xor", "U-ADDR is an arithmetic difference, the new address subtracted",
            "U-ADDR is the XOR with the address before", "reference",
            _stateful(lambda rules: Reference(rules, "difference_back"))),
    Dialect("uaddr_from_sync", "NT-19", "U-ADDR is the XOR with the last F-ADDR",
            "U-ADDR is the XOR with the last address reported", "reference",
            _stateful(lambda rules: Reference(rules, "sync_only"))),
    Dialect("uaddr_not_from_sync", "NT-19", "F-ADDR does not become the reference of U-ADDR",
            "U-ADDR is the XOR with the last address reported", "reference",
            _stateful(lambda rules: Reference(rules, "not_faddr"))),
    Dialect("uaddr_not_from_later_sync", "NT-19", "F-ADDR becomes the reference of U-ADDR only where trace starts",
            "U-ADDR is the XOR with the last address reported", "reference",
            _stateful(lambda rules: Reference(rules, "not_periodic"))),
    Dialect("address_bits_reversed", "NT.3.3.lsb_first", "the MDO bits of each byte of an address are in reverse (MSB"
            " first)", "fields are sent LSB first", "order of bits", _field(ADDRESSES, _reversed_groups)),
    Dialect("hist_reversed", "NT.8.3.hist", "HIST has the last branch highest", "HIST has the last branch lowest",
            _HIST, _hists(_reverse_hist)),
    Dialect("hist_inverted", "NT-1", "HIST has 0 for a branch that is taken", "HIST has 1 for a branch that is taken",
            "polarity", _hists(_invert_hist)),
    Dialect("icnt_bytes", "NT.8.4.icnt", "I-CNT counts bytes", "I-CNT counts half-words", _COUNT,
            _counts(lambda value, rules: value >> 1)),
    Dialect("icnt_words", "NT.8.4.icnt", "I-CNT counts words of 32 bits", "I-CNT counts half-words", _COUNT,
            _counts(lambda value, rules: value << 1)),
    Dialect("icnt_not_reset", "NT.8.4.3.icnt_reset", "I-CNT goes on after it was sent",
            "I-CNT starts again at 0 after it was sent", _COUNT, _stateful(lambda rules: NotReset("icnt"))),
    Dialect("icnt_one_less", "NT.8.4.count", "I-CNT is one too few", "I-CNT counts the half-words that retired", _COUNT,
            _field(("icnt",), lambda value, rules: value + 1,
                   lambda m: m.name != "ProgTraceSync" and not m.get("btype"))),
    Dialect("icnt_instructions", "NT.8.4.icnt", "I-CNT counts instructions", "I-CNT counts half-words", _COUNT,
            _counted(instructions=True)),
    Dialect("icnt_without_last", "NT.8.4.count", "I-CNT does not count the instruction that ends the count",
            "I-CNT counts up to and with the instruction that changed the flow", _COUNT, _counted(last=1)),
    Dialect("hist_no_stop_bit", "NT.8.3.stop_bit", "HIST has no stop bit", "HIST has its stop bit", _HIST,
            _counted(stop="none")),
    Dialect("hist_stop_low", "NT.8.3.stop_bit", "the stop bit of HIST is the lowest bit", "the stop bit is on top",
            _HIST, _hists(lambda value, rules: value >> 1 | 1 << max(value.bit_length() - 1, 0) if value else value)),
    Dialect("time_absolute", "NT-15", "TSTAMP is the absolute time in every message",
            "TSTAMP is a difference in messages without SYNC", "time", _stateful(lambda rules: Time("absolute"))),
    Dialect("time_relative", "NT.8.7.absolute", "TSTAMP is a difference in every message",
            "TSTAMP is the absolute time in messages with SYNC", "time", _stateful(lambda rules: Time("relative"))),
)  # fmt: skip
