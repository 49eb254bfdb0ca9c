# SPDX-License-Identifier: Apache-2.0
"""The clause of each field that a read of an entry or of the status shows, by where its content comes from."""

from __future__ import annotations

from typing import Any

from rvtrace.models.ctr.recorder import DATA, SOURCE
from rvtrace.models.ctr.records import decode_cc, encode_cc, largest_count
from rvtrace.models.ctr.rules import CALL, OVERWRITE
from rvtrace.scoreboards.ctr.access import Last
from rvtrace.scoreboards.ctr.follow import Follower, Origin
from rvtrace.scoreboards.ctr.log import Event

_CCV_CLAUSE = {
    "write": "CTR.cycle.ccv_write",
    "inactive": "CTR.cycle.ccv_write",
    "clear": "CTR.clear.ccv",
    "ras": "CTR.ras.cc",
    "reset": "CTR.csr.reset",
    "": "CTR.cycle.ccv",
}
_KIND_CLAUSE = {
    "reset": "CTR.csr.reset",
    "clear": "CTR.clear.entries",
    "depth": "CTR.depth.grown",
    "narrow": "CTR.entry.xlen",
}
Field = tuple[str, int, str]  # name, mask, clause


def entry_fields(f: Follower, part: int, logical: int) -> list[Field]:
    """Every bit of one register of an entry: name, mask and clause."""
    if logical >= f.recorder.depth:
        return beyond_fields(f, part)
    place = f.recorder.physical(logical)
    return fields_from(f, f.origin[place], part, place)


def beyond_fields(f: Follower, part: int) -> list[Field]:
    """Of an entry at or above the depth."""
    return [("all", _width(f, part), "CTR.depth.entries")]


def fields_from(f: Follower, origin: Origin, part: int, place: int) -> list[Field]:
    """Of a physical entry whose content comes from there."""
    width = _width(f, part)
    if f.clean and origin.kind == "clear":
        return [
            *([("all", width, "CTR.clear.depths")] if place >= f.cleared_depth else []),
            ("all", width, "CTR.clear.entries"),
        ]
    if part == DATA:
        return _data(f, origin, width)
    low = ("V", 1, _valid(origin)) if part == SOURCE else ("MISP", 1, _misp(f, origin))
    return [low, ("PC", width & ~1, _address(origin, part))]


def alike(f: Follower, origin: Origin, part: int, place: int) -> tuple[Any, ...]:
    """A key of all that `fields_from` distinguishes."""
    event = origin.event
    cleared = f.clean and origin.kind == "clear" and place >= f.cleared_depth
    head = part, origin.kind, origin.popped is not None, cleared
    if event is None:
        return head
    if part != DATA:
        return *head, id(event.why)
    count, most = event.count, largest_count(f.config.cce_bits)
    return *head, id(event.why), event.ccv, count >= most, count > 4095, event.kept == count, event.all == count


def _width(f: Follower, part: int) -> int:
    return (1 << (f.config.xlen if part != DATA or (f.config.draft and f.config.xlen == 32) else 64)) - 1


def _valid(origin: Origin) -> str:
    if origin.popped is not None:
        return "CTR.ras.return"
    return "CTR.source.v" if origin.kind == "record" else _KIND_CLAUSE.get(origin.kind, "CTR.source.hold")


def _misp(f: Follower, origin: Origin) -> str:
    if not f.config.has_misp:
        return "CTR.target.no_misp"
    return "CTR.target.misp" if origin.event else _KIND_CLAUSE.get(origin.kind, "CTR.target.hold")


def _address(origin: Origin, part: int) -> str:
    if origin.event is None:
        return _KIND_CLAUSE.get(origin.kind, "CTR.source.hold" if part == SOURCE else "CTR.target.hold")
    if origin.popped is not None:
        return "CTR.ras.return"
    return origin.event.why.source if part == SOURCE else origin.event.why.target


def _data(f: Follower, origin: Origin, width: int) -> list[Field]:
    held, config = _KIND_CLAUSE.get(origin.kind, "CTR.data.hold"), f.config
    event = origin.event
    type_ = ("CTR.data.type" if event else held) if config.has_type else "CTR.data.unimplemented"
    fields = [("TYPE", 15, type_)]
    if not config.has_cc:
        return [
            *fields,
            ("CCV, CC", 0xFFFF8000, "CTR.data.unimplemented"),
            ("undefined bits", width & ~0xFFFF800F, "CTR.data.undefined"),
        ]
    beyond = 0xF0000000 & ~(((1 << config.cce_bits) - 1) << 28)
    ccv = _CCV_CLAUSE[event.ccv] if event else held
    if event and not event.ccv and event.why.action in (CALL, OVERWRITE):
        ccv = "CTR.ras.cc"
    fields.append(("CCV", 1 << 15, ccv))
    fields += [("CC", 0xFFFF0000 & ~beyond, clause) for clause in (_count(f, event) if event else (held,))]
    if beyond:
        fields.append(("CCE beyond its bits", beyond, "CTR.cycle.impl"))
    undefined = "CTR.depth.grown" if origin.kind == "depth" else "CTR.data.undefined"
    return [*fields, ("undefined bits", width & ~0xFFFF800F, undefined)]


def _count(f: Follower, event: Event) -> list[str]:
    """The clauses that this count tests, most specific first."""
    bits, count = f.config.cce_bits, event.count
    found = ["CTR.cycle.saturate"] * (count >= largest_count(bits)) + ["CTR.cycle.encode"] * (count > 4095)
    if event.kept != count:
        found.append(_reset(f, event))
    elif event.all != count:
        found.append("CTR.ras.cc" if _added(f, event) else "CTR.cycle.active")
    return [*found, "CTR.cycle.elapsed"]


def _reset(f: Follower, event: Event) -> str:
    """The clause of what set the counter to 0."""
    return (
        "CTR.clear.counter"
        if event.ccv == "clear"
        else "CTR.cycle.reset_draft"
        if f.config.draft
        else "CTR.cycle.reset"
    )


def _added(f: Follower, event: Event) -> bool:
    """Whether pops may have added to this count."""
    return event.why.action in (CALL, OVERWRITE) and f.config.ras_policy == 2 and not event.ccv


def count_clause(f: Follower, event: Event, have: int) -> str:
    """Of a wrong count: the clause whose breach gives what the device shows."""
    bits = f.config.cce_bits
    reset = _reset(f, event)
    inactive = "CTR.ras.cc" if _added(f, event) else "CTR.cycle.active"
    for clause, other in ((reset, event.kept), (inactive, event.all)):
        if other != event.count and have == encode_cc(other, bits):
            return clause
    return _count(f, event)[0]


def near(want: int, have: int, slack: int) -> bool:
    """Whether two CC say the same but for `slack` cycles beyond their granularity."""
    grain = 1 << max(0, (have >> 12) - 1, (want >> 12) - 1)
    return abs(decode_cc(want) - decode_cc(have)) < slack + grain


def status_fields(f: Follower, last: Last | None, alias: bool) -> list[Field]:
    """Every bit of the status register: name, mask and clause."""
    depth, draft = f.recorder.depth, f.config.draft
    flag = 1 << (15 if draft else 31)
    made = next((e for e in reversed(f.log) if e.place >= 0), None)
    newest = last is not None and (made is None or made.row < last.row or (made.row == last.row and last.count))
    wrptr = "CTR.status.write" if newest else "CTR.status.wrptr"
    if newest and last is not None and last.count:
        wrptr = "CTR.status.same_cycle"
    elif last is None and made is None:
        wrptr = "CTR.csr.reset"
    cleared = f.cleared > max(last.row if last else -1, made.row if made else -1)
    frozen = "CTR.status.frozen"
    if cleared:
        wrptr = frozen = "CTR.clear.status" if draft else "CTR.clear.keeps"
    if alias and wrptr in ("CTR.status.write", "CTR.status.wrptr"):
        wrptr = "CTR.status.alias"
    edges = (["CTR.status.wrap_up"] if f.wraps & 1 else []) + (["CTR.status.wrap_down"] if f.wraps & 2 else [])
    fields = [
        *(("WRPTR", depth - 1, clause) for clause in [*([] if newest else edges), wrptr]),
        ("WRPTR beyond the depth", 0xFF & ~(depth - 1), "CTR.status.upper"),
    ]
    if draft:
        fields.append(("WRAP", 1 << 14, "CTR.clear.status" if cleared else "CTR.status.wrap"))
    fields.append(("FROZEN", flag, frozen))
    used = 0xFF | flag | (1 << 14 if draft else 0)
    return [*fields, ("undefined bits", 0xFFFFFFFF & ~used, "CTR.status.undefined")]
