# SPDX-License-Identifier: Apache-2.0
"""Deviations in what fields mean: units of addresses and counts, references, codes, HIST and time (chapter 8)."""

from __future__ import annotations

import operator
from collections.abc import Callable

from rvtrace.models.ntrace.table import MDO_BITS, TSTAMP, Message
from rvtrace.scoreboards.diagnosis.operators import reversed_bits
from rvtrace.scoreboards.diagnosis.search import Dialect
from rvtrace.scoreboards.diagnosis.values import Join, Reference, completed
from rvtrace.scoreboards.ntrace.counted import Counted
from rvtrace.scoreboards.ntrace.rewriting import Rewriting, Rules, Value, with_field

JUMPS = frozenset((4, 28))  # TCODEs with B-TYPE and without SYNC
STARTS = (1, 3, 5, 7, 9)  # SYNC where trace begins
LEAST = 5  # bits of an address that a device has at least
Key = Callable[[Message], str]  # of the field of a message that is meant
Of = Callable[[int, Message], int]  # of a value as it was sent, what is due


def _each(key: Key, begin: Callable[[Rules], Of]) -> Rewriting:
    """A function of a field of each message that has it. begin: makes it, for one trace."""

    def make(rules: Rules) -> Value:
        of = begin(rules)

        def change(message: Message) -> Message:
            name = key(message)
            value = message.get(name)
            return message if value is None else with_field(message, name, of(value, message))

        return change

    return Rewriting(value=make)


def _values(key: Key, of: Callable[[int], int]) -> Rewriting:
    """The same of a function of the value alone."""
    return _each(key, lambda rules: lambda value, message: of(value))


def _full(message: Message) -> str:
    return "faddr"


def _address(message: Message) -> str:
    return "faddr" if _is_full(message) else "uaddr"


def _count(message: Message) -> str:
    return "rdata" if message.get("rcode") == 0 else "icnt"


def _hist(message: Message) -> str:
    return "rdata" if message.get("rcode") in (1, 2) else "hist"


def _is_full(message: Message) -> bool:
    return message.get("faddr") is not None


def _completed(rules: Rules) -> Callable[[int], int]:
    """Of full addresses those with the upper bits that make them code, the fewest that are missing."""
    return completed(rules.program, 1, range(rules.config.xlen - 1, LEAST, -1))


def _whole(rules: Rules) -> Of:
    whole = _completed(rules)
    return lambda value, message: whole(value)


def _reversed_groups(rules: Rules) -> Of:
    """The bits of each MDO group in reverse."""
    top = (1 << rules.config.xlen - 1) - 1

    def change(value: int, message: Message) -> int:
        groups = range(0, max(value.bit_length(), 1), MDO_BITS)
        return sum(reversed_bits(value >> at, MDO_BITS) << at for at in groups) & top

    return change


def _references(
    join: Join = operator.xor, full: bool = True, part: bool = False, moves: Callable[[Message], bool] = lambda _: True,
    whole: Callable[[Rules], Callable[[int], int]] = lambda rules: lambda address: address,
) -> Rewriting:  # fmt: skip
    """Addresses in another form than F-ADDR in full and U-ADDR as the XOR with the address before (NT-19).

    join: of the device's reference and what it sent, the address. full, part: whether F-ADDR and U-ADDR are sent in
    full. moves: whether the address of a message is the next reference. whole: the right address.
    """

    def begin(rules: Rules) -> Of:
        top = (1 << rules.config.xlen - 1) - 1
        reference = Reference(lambda due, sent: join(due, sent) & top, operator.xor, whole(rules))
        return lambda sent, message: reference(
            sent, full if _is_full(message) else part, _is_full(message), moves(message))  # fmt: skip

    return _each(_address, begin)


def _times(absolute: bool) -> Rewriting:
    """TSTAMP is itself in every message, or a difference in every message."""

    def begin(rules: Rules) -> Of:
        reference = Reference(operator.add, lambda before, now: max(now - before, 0))
        return lambda stamp, message: reference(stamp, absolute, message.type.has_sync)

    return _each(lambda message: TSTAMP.key, begin)


def _not_reset(rules: Rules) -> Of:
    """A count that goes on where it should start again."""
    reference = Reference(operator.add, lambda before, now: now - before if now >= before else now)
    return lambda value, message: reference(value, is_whole=True, whole_due=False)


def _one_less(rules: Rules) -> Of:
    return lambda value, message: value + (message.name != "ProgTraceSync" and not message.get("btype"))


def _reverse_hist(value: int) -> int:
    bits = max(value.bit_length() - 1, 0)
    return 1 << bits | reversed_bits(value, bits) if bits else value


def _invert_hist(value: int) -> int:
    return value ^ ((1 << max(value.bit_length() - 1, 0)) - 1)


def _stop_low(value: int) -> int:
    return value >> 1 | 1 << max(value.bit_length() - 1, 0) if value else value


def _codes(key: str, *pairs: tuple[int, int]) -> Rewriting:
    means = dict(pairs)
    return _values(lambda message: key, lambda value: means.get(value, value))


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
            "", _each(_full, _whole)),
    Dialect("addresses_truncated", "NT.8.1.faddr", "the upper bits of each address are missing",
            "an address has all its bits", "reference", _references(whole=_completed)),
    Dialect("faddr_relative", "NT.8.1.faddr", "F-ADDR is relative, as U-ADDR is", "F-ADDR is the full address",
            "reference", _references(full=False)),
    Dialect("uaddr_full", "NT.8.1.xor", "U-ADDR is the full address", "U-ADDR is the XOR with the address before",
            "reference", _references(part=True)),
    Dialect("uaddr_difference", "NT.8.1.xor", "U-ADDR is an arithmetic difference",
            "U-ADDR is the XOR with the address before", "reference",
            _references(operator.add)),
    Dialect("uaddr_difference_back", "NT.8.1.xor", "U-ADDR is an arithmetic difference, the new address subtracted",
            "U-ADDR is the XOR with the address before", "reference",
            _references(operator.sub)),
    Dialect("uaddr_from_sync", "NT-19", "U-ADDR is the XOR with the last F-ADDR",
            "U-ADDR is the XOR with the last address reported", "reference",
            _references(moves=_is_full)),
    Dialect("uaddr_not_from_sync", "NT-19", "F-ADDR does not become the reference of U-ADDR",
            "U-ADDR is the XOR with the last address reported", "reference",
            _references(moves=lambda message: not _is_full(message))),
    Dialect("uaddr_not_from_later_sync", "NT-19", "F-ADDR becomes the reference of U-ADDR only where trace starts",
            "U-ADDR is the XOR with the last address reported", "reference",
            _references(moves=lambda m: not _is_full(m) or m.get("sync") in STARTS)),
    Dialect("address_bits_reversed", "NT.3.3.lsb_first", "the MDO bits of each byte of an address are in reverse (MSB"
            " first)", "fields are sent LSB first", "order of bits", _each(_address, _reversed_groups)),
    Dialect("hist_reversed", "NT.8.3.hist", "HIST has the last branch highest", "HIST has the last branch lowest",
            _HIST, _values(_hist, _reverse_hist)),
    Dialect("hist_inverted", "NT-1", "HIST has 0 for a branch that is taken", "HIST has 1 for a branch that is taken",
            "polarity", _values(_hist, _invert_hist)),
    Dialect("icnt_bytes", "NT.8.4.icnt", "I-CNT counts bytes", "I-CNT counts half-words", _COUNT,
            _values(_count, lambda value: value >> 1)),
    Dialect("icnt_words", "NT.8.4.icnt", "I-CNT counts words of 32 bits", "I-CNT counts half-words", _COUNT,
            _values(_count, lambda value: value << 1)),
    Dialect("icnt_not_reset", "NT.8.4.3.icnt_reset", "I-CNT goes on after it was sent",
            "I-CNT starts again at 0 after it was sent", _COUNT, _each(_count, _not_reset)),
    Dialect("icnt_one_less", "NT.8.4.count", "I-CNT is one too few", "I-CNT counts the half-words that retired", _COUNT,
            _each(lambda message: "icnt", _one_less)),
    Dialect("icnt_instructions", "NT.8.4.icnt", "I-CNT counts instructions", "I-CNT counts half-words", _COUNT,
            _counted(instructions=True)),
    Dialect("icnt_without_last", "NT.8.4.count", "I-CNT does not count the instruction that ends the count",
            "I-CNT counts up to and with the instruction that changed the flow", _COUNT, _counted(last=1)),
    Dialect("hist_no_stop_bit", "NT.8.3.stop_bit", "HIST has no stop bit", "HIST has its stop bit", _HIST,
            _counted(stop="none")),
    Dialect("hist_stop_low", "NT.8.3.stop_bit", "the stop bit of HIST is the lowest bit", "the stop bit is on top",
            _HIST, _values(_hist, _stop_low)),
    Dialect("time_absolute", "NT-15", "TSTAMP is the absolute time in every message",
            "TSTAMP is a difference in messages without SYNC", "time", _times(absolute=True)),
    Dialect("time_relative", "NT.8.7.absolute", "TSTAMP is a difference in every message",
            "TSTAMP is the absolute time in messages with SYNC", "time", _times(absolute=False)),
)  # fmt: skip
