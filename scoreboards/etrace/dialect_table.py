# SPDX-License-Identifier: Apache-2.0
"""The dialects that are tried on an E-Trace that does not decode.

Most are made from the tables of packets by the operators of scoreboards/diagnosis/operators.py. Written by hand is only
what no row of a table says: the address that differences are from, the lengths and the order of branch maps, and
options that are not those reported.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import FORMAT_BITS, MAP_LENGTHS, MAX_BRANCHES, OPTIONS, TABLES
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program
from rvtrace.scoreboards.diagnosis import operators as o
from rvtrace.scoreboards.diagnosis.operators import Deviation, Part
from rvtrace.scoreboards.diagnosis.search import Dialect
from rvtrace.scoreboards.diagnosis.values import Reference, completed
from rvtrace.scoreboards.etrace.dialects import Change, Meaning, Rewriting, Values, of_field, option_bit
from rvtrace.scoreboards.etrace.layout import Packets

FORM = {"branch_map": "ET.pay.map_length"}  # clauses about the form of a field, where its own is about its values
READ_BY = ("branches", "branch_map", "branch_count", "branch_fmt", "address")  # fields that a packet needs
UNREAD = ("privilege", "context", "time", "ecause", "tval", "ioptions")  # that say nothing about the path
WIDER = ("return_stack_size_p", "call_counter_size_p")  # parameters that change more than widths
DIFFERENTIAL, REFERENCE = "ET.pay.differential", "formats 0 to 2 have the difference from the last address reported"
SIGN = "what follows the last byte of a payload repeats its last bit"
# Widths of buses and registers: from which a difference is extended, and of addresses whose upper bits are missing
ZERO_EXTENDED, NARROWER = (16, 20, 24, 31, 32), (16, 24, 31, 32, 38, 39, 47, 48, 56, 63, 64)


def dialects(config: Config, others: Sequence[tuple[str, Config]] = ()) -> tuple[Dialect, ...]:
    """All that make a difference, the more plausible first; each changes the table to one that no other has. others:
    configurations that are tried as well, each by the parameter that it differs in.
    """
    return _made(TABLES[config.variant], config, tuple(other for name, other in others if name not in WIDER))


@lru_cache(maxsize=16)
def _made(table: Packets, config: Config, others: tuple[Config, ...]) -> tuple[Dialect, ...]:
    every, flow, sync, support = _parts(table, config)
    parts, valued, lsb = (sync, flow, support), every.without(*UNREAD, "branch_map"), config.iaddress_lsb_p
    flags = [key for key, one in every.fields.items() if every.width(one) == 1]
    wider = [key for key in every.fields if key not in flags]
    of_tables = chain(
        o.unshifted(every, lsb), o.unshifted(every, lsb, wide=True), o.unshifted(sync, lsb), o.unshifted(flow, lsb),
        o.overshifted(every, lsb), _by_hand(every, flow, config),
        o.polarity(every), o.codes(valued), o.offset(valued), o.order_of_bits(valued, {"format": FORMAT_BITS}),
        o.selectors(table, "format", "ET.pay.fields"), o.selectors(table, "subformat", "ET.pay.fields", {"format": 3}),
        o.selectors(table, "subformat", "ET.pay.fields", {"format": 0}),
        o.widths(every.without("address", "branch_map", *flags), others), o.absent(every.without(*READ_BY), others),
        o.presence(every), *map(o.moved, parts), *map(o.extra, parts), o.moved(_of_context(sync)),
        o.widths(every.without(*wider), others),  # a flag of several bits is less likely than another order
    )  # fmt: skip
    derived = o.distinct(of_tables, table, config, every.probes)
    return (*_bytes(), *_of_values(every, flow, config), *(d.dialect(Rewriting(table=d.change)) for d in derived))


def _parts(table: Packets, config: Config) -> tuple[Part, Part, Part, Part]:
    """All packets; formats 0 to 2; format 3 but 3.3, which is the last."""
    of_traps = ({"interrupt": 0, "thaddr": 0, "branch_fmt": 3}, {"interrupt": 1, "thaddr": 1, "branch_fmt": 0})
    several = (5, 0, 1, 3, 7, 9, 12, 15, 17, 20, 25, MAX_BRANCHES)  # branches: maps of all lengths
    probes = tuple({"branches": n, "options": config.options, **values} for n in several for values in of_traps)
    every = Part(table.messages, config, probes, clause="ET.pay.fields", order="ET.pay.order",
                 form=lambda one: FORM.get(one.key, one.clause) or "ET.pay.fields")  # fmt: skip
    support = [m for m in table.messages if m.name == "support"]
    sync = [m for m in table.messages if m.selector["format"] == 3 and m not in support]
    flow = [m for m in table.messages if m.selector["format"] < 3]
    return (
        every,
        replace(every, messages=tuple(flow), words=" in formats 0 to 2", id="flow"),
        replace(every, messages=tuple(sync), words=" in format 3", id="sync"),
        replace(every, messages=tuple(support), words=" in 3.3", id="support"),
    )


def _of_context(sync: Part) -> Part:
    """3.2 alone, which has none of the path."""
    context = tuple(message for message in sync.messages if message.name == "context")
    return replace(sync, messages=context, words=" in 3.2", id="context")


def _bytes() -> Iterator[Dialect]:
    """Of the bytes of a payload."""
    for one in o.of_payload("the format"):
        clause, due = ("order", "the fields are sent in the order of the tables, each with its least significant bit "
                       "first") if one.is_order else ("fields", "a payload has the fields of its format, and nothing "
                                                      "else")  # fmt: skip
        group = "bits" if one.is_order else "bytes"
        yield Dialect(one.name, f"ET.pay.{clause}", one.says, due, group, Rewriting(payload=one.change))
    yield Dialect("zero_extended", "ET.pay.compression", "payloads are extended with zeros", SIGN, "extension",
                  Rewriting(extended="zero"))  # fmt: skip


# What no row of a table says, as another table


def _used(values: Mapping[str, Any]) -> int:
    """Branches of a map."""
    return values["branches"] or MAX_BRANCHES


def _by_hand(every: Part, flow: Part, config: Config) -> Iterator[Deviation]:
    """Differences and maps, by operators that are told what the tables do not say; and two numbers of branches."""
    address, maps = flow.only("address"), every.only("branch_map")
    yield from o.differences(address, REFERENCE, lambda values: values["options"]["full_address"], ZERO_EXTENDED)
    for key, clause, name, says, due, change in (
        ("branch_count", "ET.pay.branch_count", "count_all", "branch_count is the number of branches itself",
         "branch_count is the number of branches less 31", lambda v, _: v - MAX_BRANCHES if v >= MAX_BRANCHES else v),
        ("branches", "ET.pay.full_map", "full_map_31", "branches is 31 for a full map without an address",
         "31 branches without an address have branches=0", lambda v, _: v % MAX_BRANCHES),
    ):  # fmt: skip
        meant = every.each(key, lambda f, name=name, change=change: o.meant(f, name, change))
        yield Deviation(name, clause, says, due, f"{key} value", meant)
    yield from o.maps(maps, "bit 0 of branch_map is the oldest branch; 0 is taken, 1 is not taken", _used)
    steps = MAP_LENGTHS[config.variant]
    others = {variant: lengths for variant, lengths in MAP_LENGTHS.items() if variant != config.variant}
    yield from o.lengths(maps, "branch_map has the least length of the table that holds `branches`", _used, steps,
                         others)  # fmt: skip
    yield from o.selector_bits(every, "format", FORMAT_BITS)
    yield from o.as_address(every.only("tval"), config.iaddress_lsb_p)


# What no row of a table says, as what fields mean in the order of the packets


def _of_values(every: Part, flow: Part, config: Config) -> Iterator[Dialect]:
    def made(name: str, clause: str, says: str, due: str, group: str, values: Any, **others: Any) -> Dialect:
        return Dialect(name, clause, says, due, group, Rewriting(values=values, **others))

    for id, says, moves in (
        ("flow", "differences are from the last address of formats 0 to 2; format 3 does not count", flow.names),
        ("sync", "differences are from the address of the last format 3", every.names - flow.names),
        ("start", "differences do not count from the address of 3.1", {*flow.names, "start"}),
    ):
        yield made(f"reference_{id}", DIFFERENTIAL, says, REFERENCE, "reference", _referenced(moves, flow.names))
    yield made("sync_relative", "ET.pay.start", "format 3 has differences of addresses",
               "3.0 and 3.1 have the full address", "sync",
               _referenced(every.names, flow.names, every.names))  # fmt: skip
    due = config.iaddress_width_p - config.iaddress_lsb_p
    for width in (n for n in NARROWER if n < due):
        yield made(f"address_{width}", "ET.pay.start", f"addresses have {width} bits",
                   f"addresses have iaddress_width_p - iaddress_lsb_p = {due} bits", "address width",
                   _filled_up(width, flow.names),
                   table=every.each("address", lambda f, w=width: o.resized(f, lambda _: w)))  # fmt: skip
    if "time" in every.fields:
        yield made("time_relative", "ET.pay.time", "time is the difference from the time before",
                   "time is the time value, absolute", "time", of_field("time", _relative_time))  # fmt: skip
    if "index" in every.fields:
        for shift in (1, 2):
            yield made(f"index_without_{shift}", "ET.opt.cache",
                       f"index leaves out the lowest {o.bits(shift)} of the address",
                       "index is the lowest cache_size_p bits of the address that is sent", "index value",
                       _other_index(shift))  # fmt: skip
    yield made("sync_in_map", "ET.pay.branch_bit",
               "the branch of a synchronization packet is in the next branch_map as well",
               "the branch at the address of a synchronization packet is in its branch bit, not in a map", "sync map",
               _sync_in_map)  # fmt: skip
    yield from _options(config)


def _referenced(moves: Container[str], flow: Container[str], relative: Container[str] = ()) -> Callable[..., Meaning]:
    """Differences from another address than the last one reported. moves: packets that set the device's reference;
    relative: packets of format 3 that have a difference too.
    """

    def make(config: Config, _: Program) -> Change:
        mask = (1 << config.iaddress_width_p - config.iaddress_lsb_p) - 1
        reference = Reference(lambda due, sent: due + sent & mask, lambda due, address: address - due, mask.__and__)

        def change(sent: int, name: str, values: Values, options: dict[str, int]) -> int:
            whole_due = bool(options["full_address"]) or name not in flow
            is_whole = whole_due and (name in flow or name not in relative)
            if is_whole and name == "trap" and not values.get("thaddr", 1):
                return sent  # of an instruction that did not retire: it is no reference
            return reference(sent, is_whole, whole_due, name in moves)

        return change

    return of_field("address", make)


def _filled_up(width: int, flow: Container[str]) -> Callable[..., Meaning]:
    """Upper bits that are missing are those of the program."""

    def make(config: Config, program: Program) -> Change:
        whole = completed(program, config.iaddress_lsb_p, (width,))
        return lambda sent, name, _, options: sent if name in flow and not options["full_address"] else whole(sent)

    return of_field("address", make)


def _other_index(shift: int) -> Callable[..., Meaning]:
    """An entry of the jump target cache is found by higher bits of its address. Which addresses are targets of jumps
    only a decoder knows: here each that is reported fills its entry.
    """

    def make(config: Config, _: Program) -> Meaning:
        entries: dict[int, int] = {}
        mask, width = (1 << config.cache_size_p) - 1, config.iaddress_width_p - config.iaddress_lsb_p
        last = 0

        def meaning(name: str, values: Values, options: dict[str, int]) -> Values | None:
            nonlocal last, entries
            if name == "jump_target":
                last = entries.get(values["index"], last)
                values["index"] = last & mask
            elif "address" in values and values.get("thaddr", 1) and (name != "branch_map" or values["branches"]):
                whole = name in ("start", "trap") or options["full_address"]
                last = (values["address"] + (0 if whole else last)) & (1 << width) - 1
                entries = {} if name in ("start", "trap") else entries
                entries[last >> shift & mask] = last
            return values

        return meaning

    return make


def _relative_time(config: Config, _: Program) -> Change:
    reference = Reference(lambda now, sent: now + sent & (1 << config.time_width_p) - 1, int.__sub__)
    return lambda sent, *_: reference(sent, is_whole=False, whole_due=True)


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


def _options(config: Config) -> Iterator[Dialect]:
    """Options that are not what the support packet says."""
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
        bit = 1 << option_bit(name)
        reported = of_field("ioptions", lambda *_, bit=bit: lambda sent, *_: sent ^ bit)
        yield Dialect(f"reported_{name}", "ET.pay.ioptions",
                      f"ioptions reports that {name} is {words[1 - on]} while it is {words[on]}",
                      "ioptions has the options in force", f"option {name}",
                      Rewriting(values=reported))  # fmt: skip
        yield Dialect(f"option_{name}", clauses.get(name, f"ET.opt.{name}"),
                      f"{name} is {words[1 - on]}, although it is configured and reported as {words[on]}",
                      "an option is in force if ioptions has it, and only then", f"option {name}",
                      Rewriting(values=reported, config=lambda c, name=name, on=on: replace(c, **{name: 1 - on})),
                      )  # fmt: skip
