# SPDX-License-Identifier: Apache-2.0
"""The dialects that are tried on an E-Trace that does not decode: fields of another width, in another place, absent, or
with another meaning.

`dialects(config)` makes them for a configuration; those that make no difference there are omitted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

from rvtrace.models.common.messages import FLAG, PLAIN, Field, always
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import MAP_LENGTHS, MAX_BRANCHES, OPTIONS, field_clauses
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program
from rvtrace.scoreboards.diagnosis.search import Dialect
from rvtrace.scoreboards.etrace.dialects import Meaning, Rewriting, Values, option_bit
from rvtrace.scoreboards.etrace.layout import INVERTED, UNUSED, Layout, standard

_CODINGS = {coding.name: coding for coding in (PLAIN, FLAG, INVERTED)}
SYNC, FLOW = ("start", "trap", "context"), ("branch_count", "jump_target", "branch_map", "address")
FLAGS = ("notify", "updiscon", "irreport")
CLAUSES = defaultdict(lambda: "ET.pay.fields", field_clauses()) | {"branch_map": "ET.pay.map_length"}
WIDTHS = {  # widths that the parameters do not have, as differences or (absolute) from the tables
    "ecause": (1, 2, 3, 9, 10, 12, 16, 31, 32, 63, 64),
    "privilege": (1, 4, 8),
    "branches": (4, 6, 8),
    "branch_count": (8, 16, 30, 31, 33, 64),
    "branch_fmt": (1, 3),
    "qual_status": (1, 3, 4),
    "encoder_mode": (5, 8),
    "context": (36, 40, 48, 64),
    "thaddr": (2,),
    "interrupt": (2,),
    "branch": (2,),
}


@lru_cache(maxsize=16)
def dialects(config: Config) -> tuple[Dialect, ...]:
    """All that make a difference, the more plausible first; each changes the layout to one that no other has."""
    made: list[Dialect] = []
    for part in (_bytes, _addresses, _flags, _meanings, _maps, _options, _codes, _widths, _moves, _extra):
        made += part(config)
    return tuple(_different(made, config))


def _different(made: list[Dialect], config: Config) -> Iterator[Dialect]:
    seen: set[str] = {str(_shape(standard(config.variant), config))}
    for dialect in made:
        step: Rewriting = dialect.rewriting
        if step.layout is not None and not (step.values or step.payload or step.config):
            shape = str(_shape(step.layout(standard(config.variant), config), config))
            if shape in seen:
                continue
            seen.add(shape)
        yield dialect


def _shape(layout: Layout, config: Config) -> tuple[object, ...]:
    """What can be seen of a layout: names, kinds and widths in some situations."""
    rows = [(name, _rows(fields, config)) for name, fields in layout.fields.items()]
    return (rows, sorted(layout.codes.items()), layout.extension, layout.msb_first, layout.offsets, layout.remaps)


@lru_cache(maxsize=4096)
def _rows(fields: tuple[Field, ...], config: Config) -> tuple[object, ...]:
    rows = []
    for branches in (0, 1, 3, 5, 7, 9, 12, 15, 17, 20, 25, MAX_BRANCHES):
        for irq, thaddr, fmt in ((0, 0, 3), (1, 1, 0)):
            values = {
                "branches": branches, "interrupt": irq, "thaddr": thaddr, "branch_fmt": fmt, "options": config.options,
            }  # fmt: skip
            rows.append(tuple((f.key, f.coding.name, n) for f in fields if (n := f.bits(config, values))))
    return tuple(rows)


def _dialect(name: str, clause: str, says: str, due: str, group: str, **rewriting: Any) -> Dialect:
    return Dialect(name, clause, says, due, group, Rewriting(**rewriting))


# Bytes of a payload


def _reversed_bits(payload: bytes) -> bytes:
    return bytes(int(f"{byte:08b}"[::-1], 2) for byte in payload)


def _shifted(n: int) -> Callable[[bytes], bytes]:
    def shifted(payload: bytes) -> bytes:
        value = int.from_bytes(payload, "little", signed=True) >> n
        return value.to_bytes(len(payload), "little", signed=True)

    return shifted


def _bytes(config: Config) -> Iterator[Dialect]:
    order = "the fields are sent in the order of the tables, each with its least significant bit first"
    size = "a payload has the fields of its format, and nothing else"
    yield _dialect(
        "byte_before", "ET.pay.fields", "a stray byte is before each payload", size, "bytes", payload=lambda p: p[1:]
    )
    yield _dialect(
        "byte_after", "ET.pay.fields", "a stray byte is after each payload", size, "bytes", payload=lambda p: p[:-1]
    )
    yield _dialect(
        "bits_reversed",
        "ET.pay.order",
        "the bits of each byte are in reverse order",
        order,
        "bits",
        payload=_reversed_bits,
    )
    yield _dialect(
        "bytes_reversed",
        "ET.pay.order",
        "the last byte of each payload comes first",
        order,
        "bits",
        payload=lambda p: p[::-1],
    )
    yield _dialect(
        "payload_reversed",
        "ET.pay.order",
        "the last bit of each payload comes first",
        order,
        "bits",
        payload=lambda p: _reversed_bits(p)[::-1],
    )
    yield _dialect(
        "msb_first",
        "ET.pay.order",
        "the most significant bit of each field comes first",
        order,
        "bits",
        layout=lambda layout, _: replace(layout, msb_first=True),
    )
    yield _dialect(
        "zero_extended",
        "ET.pay.compression",
        "payloads are extended with zeros",
        "what follows the last byte of a payload repeats its last bit",
        "extension",
        layout=lambda layout, _: replace(layout, extension="zero"),
    )
    for n in (1, 2, 3, 4, 5, 6, 7):
        yield _dialect(
            f"bits_before_{n}",
            "ET.pay.fields",
            f"{n} other bit{'s' * (n > 1)} before the format",
            "a payload begins with its format",
            "bytes",
            payload=_shifted(n),
        )


# Addresses


def _mask(config: Config) -> int:
    return (1 << config.iaddress_width_p - config.iaddress_lsb_p) - 1


def _signed(value: int, config: Config) -> int:
    bits = config.iaddress_width_p - config.iaddress_lsb_p
    value &= (1 << bits) - 1
    return value - (value >> bits - 1 << bits)


def _of_addresses(change: Callable[[int, Config, bool], int], names: tuple[str, ...]) -> Callable[..., Meaning]:
    """The meaning of addresses one by one. change: (address, configuration, whether it is a difference)."""

    def make(config: Config, _: Program) -> Meaning:
        def meaning(name: str, values: Values, options: dict[str, int]) -> Values:
            if name in names and "address" in values:
                differs = name in FLOW and not options["full_address"]
                values["address"] = change(values["address"], config, differs)
            return values

        return meaning

    return make


def _tracked(moves: tuple[str, ...]) -> Callable[..., Meaning]:
    """Differences from another address than the last one reported. moves: packets that set the device's reference."""

    def make(config: Config, _: Program) -> Meaning:
        last = theirs = 0

        def meaning(name: str, values: Values, options: dict[str, int]) -> Values:
            nonlocal last, theirs
            if "address" not in values:
                return values
            if name in FLOW and not options["full_address"]:
                address = theirs + values["address"] & _mask(config)
                values["address"] = _signed(address - last, config)
            else:
                address = values["address"] & _mask(config)
                if name == "trap" and not values.get("thaddr", 1):
                    return values
            last = address
            if name in moves:
                theirs = address
            return values

        return meaning

    return make


def _relative_syncs(config: Config, _: Program) -> Meaning:
    """Format 3 with differences."""
    last = 0

    def meaning(name: str, values: Values, options: dict[str, int]) -> Values:
        nonlocal last
        if "address" not in values:
            return values
        if name in FLOW and not options["full_address"]:
            last = last + values["address"] & _mask(config)
        else:
            if name not in FLOW:
                values["address"] = values["address"] + last & _mask(config)
            last = values["address"]
        return values

    return meaning


def _narrow(bits: int) -> Callable[[Layout, Config], Layout]:
    """The address field with so many bits less."""
    return _with_width("address", lambda n: n - bits)


def _addresses(config: Config) -> Iterator[Dialect]:
    differs, lsb = "ET.pay.differential", config.iaddress_lsb_p
    units = f"an address is its byte address without the lowest {lsb} bit{'s' * (lsb > 1)} (iaddress_lsb_p)"
    reference = "formats 0 to 2 have the difference from the last address reported"
    full = "3.0 and 3.1 have the full address"
    every = SYNC + FLOW
    yield _dialect(
        "address_bytes",
        differs,
        "addresses are byte addresses, not shifted",
        units,
        "units",
        values=_of_addresses(lambda a, c, d: a >> c.iaddress_lsb_p, every),
    )
    yield _dialect(
        "address_bytes_wide",
        differs,
        f"addresses are byte addresses of {config.iaddress_width_p} bits, not shifted",
        units,
        "units",
        layout=_with_width("address", lambda n: n + lsb),
        values=_of_addresses(lambda a, c, d: a >> c.iaddress_lsb_p, every),
    )
    yield _dialect(
        "address_bytes_sync",
        "ET.pay.start",
        "format 3 has byte addresses, not shifted",
        units,
        "units",
        values=_of_addresses(lambda a, c, d: a >> c.iaddress_lsb_p, SYNC),
    )
    yield _dialect(
        "address_bytes_flow",
        differs,
        "formats 0 to 2 have byte addresses, not shifted",
        units,
        "units",
        values=_of_addresses(lambda a, c, d: a >> c.iaddress_lsb_p, FLOW),
    )
    for n in (1, 2):
        yield _dialect(
            f"address_shifted_{n}",
            differs,
            f"addresses are shifted by {n} bit{'s' * (n > 1)} too many",
            units,
            "units",
            values=_of_addresses(lambda a, c, d, n=n: (a << n) if d else a << n & _mask(c), every),
        )
    yield _dialect(
        "reference_flow",
        differs,
        "differences are from the last address of formats 0 to 2; format 3 does not count",
        reference,
        "reference",
        values=_tracked(FLOW),
    )
    yield _dialect(
        "reference_sync",
        differs,
        "differences are from the address of the last format 3",
        reference,
        "reference",
        values=_tracked(SYNC),
    )
    yield _dialect(
        "reference_start",
        differs,
        "differences do not count from the address of 3.1",
        reference,
        "reference",
        values=_tracked((*FLOW, "start")),
    )
    yield _dialect(
        "difference_negated",
        differs,
        "differences are the last address less the address reported",
        reference,
        "reference",
        values=_of_addresses(lambda a, c, d: -a if d else a, FLOW),
    )
    yield _dialect(
        "sync_relative", "ET.pay.start", "format 3 has differences of addresses", full, "sync", values=_relative_syncs
    )
    for bits in (16, 20, 24, 31, 32):
        if bits < config.iaddress_width_p - lsb:
            yield _dialect(
                f"difference_{bits}_zero",
                differs,
                f"differences have {bits} bits and are extended with zeros, not their sign",
                reference,
                "difference",
                values=_of_addresses(_from_bits(bits), FLOW),
            )
    for width in (16, 24, 31, 32, 38, 39, 47, 48, 56, 63, 64):
        less = config.iaddress_width_p - lsb - width
        if 0 < less < config.iaddress_width_p - lsb - 8:
            yield _dialect(
                f"address_{width}",
                "ET.pay.start",
                f"addresses have {width} bits",
                f"addresses have iaddress_width_p - iaddress_lsb_p = {width + less} bits",
                "address width",
                layout=_narrow(less),
                values=_filled_up(width),
            )


def _from_bits(bits: int) -> Callable[[int, Config, bool], int]:
    def change(address: int, config: Config, differs: bool) -> int:
        if not differs or address < 0 or address >> bits:
            return address
        return address - (address >> bits - 1 << bits)

    return change


def _filled_up(width: int) -> Callable[..., Meaning]:
    """Upper bits that are missing are those of the program."""

    def make(config: Config, program: Program) -> Meaning:
        lsb = config.iaddress_lsb_p
        tops = list(dict.fromkeys(base >> lsb >> width << width for base, _ in program.segments))

        @cache
        def whole(address: int) -> int:
            found = (top | address for top in tops if program.insn((top | address) << lsb) is not None)
            return next(found, address)

        def meaning(name: str, values: Values, options: dict[str, int]) -> Values:
            if "address" in values and not (name in FLOW and not options["full_address"]):
                values["address"] = whole(values["address"])
            return values

        return meaning

    return make


# Flags after the address


def _kinds(layout: Layout, names: tuple[str, ...], kind: str) -> Layout:
    coding = _CODINGS[kind]
    return layout.with_fields(lambda _, row: tuple(replace(f, coding=coding) if f.name in names else f for f in row))


def _flags(config: Config) -> Iterator[Dialect]:
    if config.variant == "draft_0_026":
        return
    due = "each of notify, updiscon and irreport is sent as the XOR with the bit before it"
    for name in FLAGS:
        yield _dialect(
            f"{name}_plain",
            CLAUSES[name],
            f"{name} is sent as it is, not as the XOR with the bit before it",
            due,
            f"{name} kind",
            layout=lambda layout, _, name=name: _kinds(layout, (name,), "plain"),
        )
    yield _dialect(
        "flags_plain",
        "ET.pay.notify",
        "notify, updiscon and irreport are sent as they are, not as the XOR with the bit before",
        due,
        "flags",
        layout=lambda layout, _: _kinds(layout, FLAGS, "plain"),
    )
    after = "notify, updiscon, irreport and irdepth come after the address"
    for kind, text in (("flag", ""), ("plain", ", and are no XOR")):
        yield _dialect(
            f"tail_first_{kind}",
            "ET.pay.order",
            f"notify, updiscon, irreport and irdepth come before the address{text}",
            after,
            "flags",
            layout=lambda layout, _, kind=kind: _kinds(
                layout.with_fields(lambda _, row: _before("address", row, (*FLAGS, "irdepth"))), FLAGS, kind
            ),
        )
    for name in FLAGS:
        yield _dialect(
            f"{name}_inverted",
            CLAUSES[name],
            f"{name} equals the bit before it where it should differ",
            due,
            f"{name} kind",
            values=_inverted_flag(name),
        )


def _inverted_flag(label: str) -> Callable[..., Meaning]:
    def make(config: Config, _: Program) -> Meaning:
        def meaning(name: str, values: Values, options: dict[str, int]) -> Values:
            if label in values:
                values[label] ^= 1
                if label == "irreport" and values[label] and values.get("irdepth") is None:
                    values["irreport"] = 0
            return values

        return meaning

    return make


def _before(place: str, row: tuple[Field, ...], names: tuple[str, ...]) -> tuple[Field, ...]:
    """The fields `names` directly before `place`."""
    if place not in (f.name for f in row):
        return row
    moved = [f for f in row if f.name in names]
    rest = [f for f in row if f.name not in names]
    at = next(i for i, f in enumerate(rest) if f.name == place)
    return (*rest[:at], *moved, *rest[at:])


# Values that mean something else


def _changed(names: tuple[str, ...], label: str, change: Callable[[int, Values], int]) -> Callable[..., Meaning]:
    def make(config: Config, _: Program) -> Meaning:
        def meaning(name: str, values: Values, options: dict[str, int]) -> Values:
            if name in names and values.get(label) is not None:
                values[label] = change(values[label], values)
            return values

        return meaning

    return make


def _swapped(a: int, b: int) -> Callable[[int, Values], int]:
    return lambda value, _: b if value == a else a if value == b else value


def _relative_time(config: Config, _: Program) -> Meaning:
    now, mask = 0, (1 << config.time_width_p) - 1

    def meaning(name: str, values: Values, options: dict[str, int]) -> Values:
        nonlocal now
        if "time" in values:
            now = values["time"] = now + values["time"] & mask
        return values

    return meaning


def _meanings(config: Config) -> Iterator[Dialect]:
    draft = config.variant == "draft_0_026"
    for name, due in (
        ("interrupt", "interrupt is 1 for an interrupt and 0 for an exception"),
        ("thaddr", "thaddr is 1 if the address is that of the trap handler"),
        ("branch", "branch is 1 for a branch not taken" if draft else "branch is 0 for a taken branch, else 1"),
    ):
        yield _dialect(
            f"{name}_inverted",
            CLAUSES[name],
            f"{name} has the other polarity",
            due,
            f"{name} kind",
            layout=lambda layout, _, name=name: _kinds(layout, (name,), "inverted"),
        )
    yield _dialect(
        "ienable_inverted",
        "ET.pay.ienable",
        "ienable has the other polarity",
        "ienable is 1 if the encoder is enabled",
        "ienable kind",
        values=_changed(("support",), "ienable", lambda v, _: 1 - v),
    )
    statuses = "qual_status is 0 for no_change, 1 for ended_rep, 2 for trace_lost, 3 for ended_ntr"
    for a, b in ((1, 2), (2, 3), (1, 3), (0, 1), (0, 3), (0, 2)):
        yield _dialect(
            f"qual_status_{a}_{b}",
            "ET.pay.qual_status",
            f"qual_status has the codes {a} and {b} exchanged",
            statuses,
            "qual_status",
            values=_changed(("support",), "qual_status", _swapped(a, b)),
        )
    yield _dialect(
        "count_all",
        "ET.pay.branch_count",
        "branch_count is the number of branches itself",
        "branch_count is the number of branches less 31",
        "count",
        values=_changed(FLOW, "branch_count", lambda v, _: v - MAX_BRANCHES if v >= MAX_BRANCHES else v),
    )
    for n in (1, -1):
        yield _dialect(
            f"count_{n}",
            "ET.pay.branch_count",
            f"branch_count is one too {'large' if n < 0 else 'small'}",
            "branch_count is the number of branches less 31",
            "count",
            values=_changed(FLOW, "branch_count", lambda v, _, n=n: v + n if v + n >= 0 else v),
        )
    if not draft:
        yield _dialect(
            "branch_fmt_reversed",
            "ET.pay.branch_fmt",
            "branch_fmt has its bits exchanged",
            "branch_fmt is 0 without an address, 2 with one, 3 if the branch there failed",
            "branch_fmt",
            layout=lambda layout, _: _split_fmt(layout),
        )
        for n in (1, -1):
            yield _dialect(
                f"irdepth_{n}",
                "ET.pay.irdepth",
                f"irdepth is one too {'large' if n < 0 else 'small'}",
                "irdepth is the number of calls that are open",
                "irdepth",
                values=_changed(FLOW, "irdepth", lambda v, _, n=n: max(v + n, 0)),
            )
        lsb = config.iaddress_lsb_p
        yield _dialect(
            "tval_shifted",
            "ET.pay.tval",
            f"tval is shifted by {lsb} as an address is, and has {config.iaddress_width_p - lsb} bits",
            "tval has iaddress_width_p bits",
            "tval",
            layout=_with_width("tval", lambda n: n - lsb),
            values=_changed(("trap",), "tval", lambda v, _: v << lsb),
        )
        for text, test in (("for interrupts too", 1), ("for interrupts only", 0)):
            yield _dialect(
                f"tval_{test}",
                "ET.pay.tval",
                f"tval is present {text}",
                "tval is present for exceptions, and absent for interrupts",
                "tval",
                layout=lambda layout, _, t=test: _tval_when(layout, t),
            )
    if not config.notime_p and config.time_width_p:
        yield _dialect(
            "time_relative",
            "ET.pay.time",
            "time is the difference from the time before",
            "time is the time value, absolute",
            "time",
            values=_relative_time,
        )


def _split_fmt(layout: Layout) -> Layout:
    """branch_fmt with the upper bit first: a tail where the lower one is set."""

    def width(field: Field) -> Field:
        if field.name in ("branch_count", "subformat", "branch_fmt"):
            return field

        def theirs(config: Config, values: Values) -> int:
            fmt = values["branch_fmt"]
            return field.bits(config, {**values, "branch_fmt": (fmt & 1) << 1 | fmt >> 1})

        return replace(field, width=theirs, present=always)

    changed = layout.with_fields(lambda n, row: tuple(map(width, row)) if n == "branch_count" else row)
    return replace(changed, remaps={**changed.remaps, "branch_fmt": (0, 2, 1, 3)})


def _tval_when(layout: Layout, every: int) -> Layout:
    def change(name: str, row: tuple[Field, ...]) -> tuple[Field, ...]:
        width = (
            (lambda c, v: c.iaddress_width_p) if every else (lambda c, v: c.iaddress_width_p if v["interrupt"] else 0)
        )
        return tuple(replace(f, width=width, present=always) if f.name == "tval" else f for f in row)

    return layout.with_fields(change)


# Branch maps


def _reversed(value: int, n: int) -> int:
    return int(f"{value:0{n}b}"[-n:][::-1], 2) if n else 0


def _of_maps(change: Callable[[int, int, int], int]) -> Callable[..., Meaning]:
    """change: (map, branches in it, bits of the field)."""

    def make(config: Config, _: Program) -> Meaning:
        def meaning(name: str, values: Values, options: dict[str, int]) -> Values:
            if "branch_map" in values:
                used = values.get("branches") or MAX_BRANCHES
                length = next(n for n in MAP_LENGTHS[config.variant] if n >= used)
                values["branch_map"] = change(values["branch_map"] & (1 << length) - 1, used, length)
            return values

        return meaning

    return make


def _recounted(n: int) -> Callable[[Layout, Config], Layout]:
    """`branches` with another offset."""
    return lambda layout, _: replace(layout, offsets={**layout.offsets, "branches": n})


def _maps(config: Config) -> Iterator[Dialect]:
    due = "bit 0 of branch_map is the oldest branch; 0 is taken, 1 is not taken"
    clause = "ET.pay.map_bits"
    yield _dialect(
        "map_inverted",
        clause,
        "branch_map has 1 for taken",
        due,
        "map polarity",
        values=_of_maps(lambda m, used, n: m ^ (1 << used) - 1),
    )
    yield _dialect(
        "map_reversed",
        clause,
        "branch_map has the youngest branch in bit 0",
        due,
        "map order",
        values=_of_maps(lambda m, used, n: _reversed(m & (1 << used) - 1, used)),
    )
    yield _dialect(
        "map_from_top",
        clause,
        "branch_map has the oldest branch in its highest bit",
        due,
        "map order",
        values=_of_maps(lambda m, used, n: _reversed(m, n)),
    )
    yield _dialect(
        "map_at_top",
        clause,
        "branch_map has its branches in the upper bits",
        due,
        "map order",
        values=_of_maps(lambda m, used, n: m >> n - used),
    )
    lengths = "branch_map has the least length of the table that holds `branches`"
    other = "draft_0_026" if config.variant == "v2_0" else "v2_0"
    for id, text, length in (
        ("other", f"the lengths of {other}", lambda n: next(k for k in MAP_LENGTHS[other] if k >= n)),
        ("31", "always 31 bits", lambda n: MAX_BRANCHES),
        ("32", "always 32 bits", lambda n: MAX_BRANCHES + 1),
        ("exact", "as many bits as branches", lambda n: n),
        ("bytes", "whole bytes", lambda n: n + -n % 8),
        ("power", "2, 4, 8, 16 or 32 bits", lambda n: next(k for k in (1, 2, 4, 8, 16, 32) if k >= n)),
    ):
        yield _dialect(
            f"map_length_{id}",
            "ET.pay.map_length",
            f"branch_map has {text}",
            lengths,
            "map length",
            layout=lambda layout, _, f=length: _map_lengths(layout, f),
        )
    steps = MAP_LENGTHS[config.variant]
    for n, longer in zip(steps, steps[1:]):
        yield _dialect(
            f"map_length_full_{n}",
            "ET.pay.map_length",
            f"branch_map has {longer} bits for {n} branches",
            lengths,
            "map length",
            layout=lambda layout, _, n=n, longer=longer: _map_lengths(
                layout, lambda b: longer if b == n else next(k for k in steps if k >= b)
            ),
        )
    for n, text in ((1, "one too small"), (-1, "one too large")):
        yield _dialect(
            f"branches_{n}",
            "ET.pay.map_length",
            f"branches is {text}",
            "branches is the number of branches in branch_map",
            "branches",
            layout=_recounted(n),
        )
    yield _dialect(
        "full_map_31",
        "ET.pay.full_map",
        "branches is 31 for a full map without an address",
        "31 branches without an address have branches=0",
        "branches",
        layout=lambda layout, _: _full(layout),
        values=_changed(("branch_map",), "branches", lambda v, _: 0 if v == MAX_BRANCHES else v),
    )
    yield _dialect(
        "sync_in_map",
        "ET.pay.branch_bit",
        "the branch of a synchronization packet is in the next branch_map as well",
        "the branch at the address of a synchronization packet is in its branch bit, not in a map",
        "sync map",
        values=_sync_in_map,
    )


def _map_lengths(layout: Layout, length: Callable[[int], int]) -> Layout:
    def change(name: str, row: tuple[Field, ...]) -> tuple[Field, ...]:
        def width(of: Field) -> Callable[[Config, Values], int]:
            return lambda c, v: length(v["branches"] or MAX_BRANCHES) if of.bits(c, v) else 0

        return tuple(replace(f, width=width(f), present=always) if f.name == "branch_map" else f for f in row)

    return layout.with_fields(change)


def _full(layout: Layout) -> Layout:
    tail = ("address", *FLAGS, "irdepth")

    def change(name: str, row: tuple[Field, ...]) -> tuple[Field, ...]:
        def width(of: Field) -> Callable[[Config, Values], int]:
            return lambda c, v: of.bits(c, v) if v["branches"] < MAX_BRANCHES else 0

        of_map = name == "branch_map"
        return tuple(replace(f, width=width(f), present=always) if of_map and f.name in tail else f for f in row)

    return layout.with_fields(change)


def _sync_in_map(config: Config, program: Program) -> Meaning:
    twice = False

    def meaning(name: str, values: Values, options: dict[str, int]) -> Values | None:
        nonlocal twice
        if name in ("start", "trap"):
            known = values.get("thaddr", 1) and "address" in values
            insn = program.insn(values["address"] << config.iaddress_lsb_p) if known else None
            twice = insn is not None and insn.flow == Flow.BRANCH
        elif twice and values.get("branches"):
            twice = False
            values["branches"] -= 1
            values["branch_map"] >>= 1
            if not values["branches"]:
                values["packet"] = "address"
        return values

    return meaning


# Options that are not what the support packet says


def _options(config: Config) -> Iterator[Dialect]:
    sizes = {
        "implicit_return": config.return_stack_size_p or config.call_counter_size_p,
        "branch_prediction": config.bpred_size_p,
        "jump_target_cache": 0 if config.variant == "draft_0_026" else config.cache_size_p,
        "sijump": config.sijump_p,
    }
    clauses = {"jump_target_cache": "ET.opt.cache", "branch_prediction": "ET.opt.prediction"}
    for name in OPTIONS:
        if not sizes.get(name, 1):
            continue
        on, words = getattr(config, name), ("off", "on")
        yield _dialect(
            f"reported_{name}",
            "ET.pay.ioptions",
            f"ioptions reports that {name} is {words[1 - on]} while it is {words[on]}",
            "ioptions has the options in force",
            f"option {name}",
            values=_option(name),
        )
        yield _dialect(
            f"option_{name}",
            clauses.get(name, f"ET.opt.{name}"),
            f"{name} is {words[1 - on]}, although it is configured and reported as {words[on]}",
            "an option is in force if ioptions has it, and only then",
            f"option {name}",
            values=_option(name),
            config=lambda c, name=name, on=on: replace(c, **{name: 1 - on}),
        )


def _option(label: str) -> Callable[..., Meaning]:
    def make(config: Config, _: Program) -> Meaning:
        def meaning(name: str, values: Values, options: dict[str, int]) -> Values:
            if name == "support" and "ioptions" in values:
                values["ioptions"] ^= 1 << option_bit(label)
            return values

        return meaning

    return make


# Codes of formats


def _codes(config: Config) -> Iterator[Dialect]:
    codes = standard(config.variant).codes
    due = "the codes of formats and subformats are those of the tables"
    formats = sorted({code[0] for code in codes.values()})
    for a in formats:
        for b in formats:
            if a < b and (a, b) in ((0, 1), (0, 2), (1, 2)):
                yield _dialect(
                    f"formats_{a}_{b}",
                    "ET.pay.fields",
                    f"formats {a} and {b} are exchanged",
                    due,
                    "formats",
                    layout=lambda layout, _, a=a, b=b: _recoded(
                        layout, lambda c: (b if c[0] == a else a if c[0] == b else c[0], c[1])
                    ),
                )
    yield _dialect(
        "formats_inverted",
        "ET.pay.fields",
        "format has its bits inverted",
        due,
        "formats",
        layout=lambda layout, _: _recoded(layout, lambda c: (3 - c[0], c[1])),
    )
    for a in range(4):
        for b in range(a + 1, 4):
            yield _dialect(
                f"subformats_{a}_{b}",
                "ET.pay.fields",
                f"subformats {a} and {b} of format 3 are exchanged",
                due,
                "subformats",
                layout=lambda layout, _, a=a, b=b: _recoded(
                    layout, lambda c: (c[0], (b if c[1] == a else a if c[1] == b else c[1]) if c[0] == 3 else c[1])
                ),
            )


def _recoded(layout: Layout, change: Callable[[tuple[int, int | None]], tuple[int, int | None]]) -> Layout:
    return replace(layout, codes={name: change(code) for name, code in layout.codes.items()})


# Widths, absence and extra bits


def _with_width(label: str, change: Callable[[int], int]) -> Callable[[Layout, Config], Layout]:
    """A field with another width where it is present."""

    def of(field: Field) -> Field:
        def width(c: Config, v: Values) -> int:
            return max(change(n), 0) if (n := field.bits(c, v)) else 0

        return replace(field, width=width, present=always)

    return lambda layout, _: layout.with_fields(lambda name, row: tuple(of(f) if f.name == label else f for f in row))


def _names(config: Config, packets: tuple[str, ...]) -> list[str]:
    """The fields of some packets that have bits in this configuration."""
    names: dict[str, None] = {}
    for name, row in standard(config.variant).fields.items():
        values = {"branches": 5, "interrupt": 0, "thaddr": 0, "branch_fmt": 3, "options": config.options}
        names |= {f.name: None for f in row if name in packets and f.bits(config, values)}
    return [name for name in names if name != "subformat"]


def _widths(config: Config) -> Iterator[Dialect]:
    every = _names(config, (*SYNC, *FLOW, "support"))
    for name in every:
        if name == "irdepth":
            for more in (1, -1, 2):
                yield _dialect(
                    f"irdepth_width_{more}",
                    "ET.pay.irdepth",
                    f"irdepth has {abs(more)} bit{'s' * (abs(more) > 1)} {'more' if more > 0 else 'less'}",
                    "irdepth has the width of the return stack or call counter",
                    "irdepth width",
                    layout=_with_width(name, lambda n, more=more: n + more),
                )
        for width in WIDTHS.get(name, ()):
            yield _dialect(
                f"{name}_width_{width}",
                CLAUSES[name],
                f"{name} has {width} bit{'s' * (width > 1)}",
                f"{name} has the width that its parameter or the specification says",
                f"{name} width",
                layout=_with_width(name, lambda _, width=width: width),
            )
        if name not in ("address", "branches", "branch_map", "branch_count", "branch_fmt", "context", "time", "index"):
            yield _dialect(
                f"{name}_absent",
                CLAUSES[name],
                f"{name} is absent",
                f"{name} is a field of its format",
                f"{name} width",
                layout=_with_width(name, lambda _: 0),
            )
    if "tval" in every:
        for width in {32, 64, 31, 63, 48, 40} - {config.iaddress_width_p}:
            yield _dialect(
                f"tval_width_{width}",
                "ET.pay.tval",
                f"tval has {width} bits",
                f"tval has iaddress_width_p = {config.iaddress_width_p} bits",
                "tval width",
                layout=_with_width("tval", lambda _, width=width: width),
            )


def _moves(config: Config) -> Iterator[Dialect]:
    due = "the fields are sent in the order of the tables"
    for packets, word in ((SYNC, "in format 3"), (FLOW, "in formats 0 to 2"), (("support",), "in 3.3")):
        names = _names(config, packets)
        pairs = sorted(
            ((a, b) for a in names for b in names if a != b), key=lambda p: abs(names.index(p[0]) - names.index(p[1]))
        )
        for a, b in pairs:
            yield _dialect(
                f"{a}_before_{b}_{packets[-1]}",
                "ET.pay.order",
                f"{a} comes right before {b} {word}",
                due,
                f"order {word}",
                layout=lambda layout, _, a=a, b=b, p=packets: layout.with_fields(
                    lambda name, row: _before(b, row, (a,)) if name in p else row
                ),
            )
        for a in names[:-1]:
            yield _dialect(
                f"{a}_last_{packets[-1]}",
                "ET.pay.order",
                f"{a} comes last {word}",
                due,
                f"order {word}",
                layout=lambda layout, _, a=a, p=packets: layout.with_fields(
                    lambda name, row: _last(a, row) if name in p else row
                ),
            )


def _last(label: str, row: tuple[Field, ...]) -> tuple[Field, ...]:
    return (*(f for f in row if f.name != label), *(f for f in row if f.name == label))


def _extra(config: Config) -> Iterator[Dialect]:
    for packets, word in ((SYNC, "in format 3"), (FLOW, "in formats 0 to 2"), (("support",), "in 3.3")):
        for label in _names(config, packets):
            for bits in (1, 2, 8):
                yield _dialect(
                    f"extra_{bits}_{label}_{packets[-1]}",
                    "ET.pay.fields",
                    f"{bits} bit{'s' * (bits > 1)} of no meaning {'are' if bits > 1 else 'is'} before {label} {word}",
                    "a payload has the fields of its format, and nothing else",
                    f"extra {word}",
                    layout=lambda layout, _, a=label, p=packets, n=bits: layout.with_fields(
                        lambda name, row: _inserted(a, row, n) if name in p else row
                    ),
                )
    yield _dialect(
        "extra_subformat",
        "ET.pay.fields",
        "format has 3 bits",
        "format has 2 bits",
        "extra",
        layout=lambda layout, _: layout.with_fields(lambda name, row: (Field("unused", 1, coding=UNUSED), *row)),
    )


def _inserted(label: str, row: tuple[Field, ...], n: int) -> tuple[Field, ...]:
    at = next((i for i, f in enumerate(row) if f.name == label), None)
    if at is None:
        return row
    present = row[at].bits
    return (*row[:at], Field("unused", n, present=present, coding=UNUSED), *row[at:])
