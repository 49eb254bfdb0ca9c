# SPDX-License-Identifier: Apache-2.0
"""Tandem scenarios of groups: begin and end, implied ends, rows that send nothing, illegal rows, and lanes."""

from __future__ import annotations

from itertools import product

import numpy as np

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData
from rvtrace.tb.tandem.stimulus.scenarios.base import ALL, LANES, LONG, NOP, ScenarioScript, scenario

_KINDS = ("group", "outside", "flush", "nothing", "x0", "illegal")
_MORE = ("trap", "reset", "init", "other")


def _kind(s: ScenarioScript, name: str, k: int) -> TraceData:
    """A row of a kind."""
    pc = LONG + 64 * k
    return {
        "group": TraceData(insn=NOP, pc=pc, gpr=(1 + k % 31, k)),
        "outside": TraceData(group=False, csr=((0x344, k),)),
        "flush": FLUSH,
        "trap": TraceData(pc=pc, csr=((0x341, k), (0x342, k)), priv=3),
        "reset": TraceData(reset=True, pc=pc),
        "init": TraceData(init=True, gpr=(3, k)),
        "other": TraceData(pc=pc),
        "nothing": TraceData(group=bool(k & 1)),
        "x0": TraceData(group=bool(k & 2), gpr=(0, k)),
        "illegal": TraceData(insn=NOP, init=True, gpr=(2, k), pc=pc),
    }[name]


@scenario("TV.end.implied", "TV.end.outside", "TV.end.flush", "TV.end.nothing", "TV.group.end", "TV.row.nothing",
          "TV.row.x0", "TV.row.illegal", "TV-4", "TV.legal.end", "TV.legal.x0", "TV.port.empty",
          configs=ALL)  # fmt: skip
def ends(s: ScenarioScript) -> None:
    """Every three kinds of rows after each other, in and between cycles: groups, state outside, flush, and rows that
    send nothing.
    """
    for k, kinds in enumerate(product(_KINDS, _KINDS, _KINDS)):
        s.put(*(_kind(s, name, 3 * k + n) for n, name in enumerate(kinds)))
        if k % 5 == 0:
            s.step(1 + k % 25)


@scenario("TV.end.implied", "TV.end.outside", "TV.end.flush", "TV.group.begin", "TV.order.rows", configs=ALL)
def every_two_rows(s: ScenarioScript) -> None:
    """Every kind of row after every kind: traps, resets and initialization as well."""
    for k, kinds in enumerate(product(_KINDS + _MORE, _KINDS + _MORE)):
        s.put(*(_kind(s, name, 2 * k + n) for n, name in enumerate(kinds)))


@scenario("TV.row.nothing", "TV.row.x0", "TV.row.absent", "TV.legal.x0", configs=ALL)
def nothing_to_send(s: ScenarioScript) -> None:
    """Rows of which nothing is sent, each kind alone, between groups: they make no byte and change nothing."""
    silent = [TraceData(), TraceData(group=False), TraceData(gpr=(0, 5)), TraceData(group=False, gpr=(0, s.full))]
    parts = {"ppc": 1, "eaddr": 2, "mtime": 3, "minstret": 4, "fcsr": 5, "fpr": (1, 0)}
    silent += [TraceData(**{name: value}) for name, value in parts.items() if not s.config.traces(name)]
    for row in silent:
        s.put(row)
        s.insn(gpr=(1, s.pc & 0xFFFF))
        s.put(row, row)
        s.quiet(csr=((0x344, 8),))
        s.put(row, FLUSH, row)
        s.insn()


def _illegal() -> list[tuple[str, int]]:
    """Bits of `has` that no row may have together, by why."""
    bit = t.HAS
    return [
        ("reset outside", bit["reset"]),
        ("init outside", bit["init"]),
        ("insn outside", bit["insn"]),
        ("init with insn", bit["group"] | bit["init"] | bit["insn"]),
        ("init with reset", bit["group"] | bit["init"] | bit["reset"]),
        ("reset with insn", bit["group"] | bit["reset"] | bit["insn"]),
        ("response alone", bit["group"] | bit["response"]),
        ("response alone outside", bit["response"]),
        ("operation", bit["group"] | bit["request"]),
        ("operation outside", bit["request"]),
        *((f"flush with {part.name}", bit["flush"] | bit[part.name]) for part in t.PARTS if part.name != "flush"),
    ]


class _Spoiled(ScenarioScript):
    """A scenario in which rows with a gpr of x2 are made illegal, one way after the other."""

    def rows(self) -> Rows:
        rows = super().rows()
        ways = _illegal()
        for n, k in enumerate(np.flatnonzero(rows.have("gpr") & (rows.gpr_addr == 2)).tolist()):
            name, bits = ways[n % len(ways)]
            more = (
                t.HAS["gpr"] | t.HAS["pc"] | t.HAS["csr0"] | t.HAS["mcycle"]
                if not name.startswith("flush") and n // len(ways) % 2
                else 0
            )
            rows.has[k] = bits | more
            rows.req_op[k] = 14 + n % 2 if name.startswith("operation") else n % 14
        return rows


@scenario("TV.row.illegal", "TV.port.error", "TV.order.rows", configs=ALL)
def illegal_rows(s: ScenarioScript) -> None:
    """Every way in which a row is not legal, alone and with parts that a legal one would change, beside good ones in
    each lane.
    """
    s.__class__ = _Spoiled
    for k in range(3 * len(_illegal())):
        for _ in range(k % 3):
            s.insn(gpr=(1, 0x100 + k))
        s.row(insn=NOP, pc=s.pc + 4, gpr=(2, 0x7700 + k), csr=((t.MCYCLE, k), (0x340, k)), mcycle=k << 8)
        s.insn(gpr=(1, 0x101 + k), mcycle=k)


@scenario("TV.order.lanes", "TV.order.rows", "TV.order.lost", "TV.port.ready", configs=LANES, backpressure=70)
def lanes_under_pressure(s: ScenarioScript) -> None:
    """Cycles with one row and with two, long and short ones, while words are taken seldom: a cycle is taken as a whole
    or not at all.
    """
    for k in range(60):
        pair = [{"gpr": (1 + k % 30, k)}, s.everything(k)]
        for parts in pair if k % 3 else pair[::-1]:
            s.insn(parts.pop("insn", NOP), **{name: value for name, value in parts.items() if name != "pc"})
        if k % 4 == 0:
            s.step()


@scenario("TV.order.lanes", "TV.end.implied", "TV.row.illegal", "TV.row.nothing", "TV.port.error", configs=LANES)
def every_pair_of_lanes(s: ScenarioScript) -> None:
    """Every kind of row in lane 0 beside every kind in lane 1, with state of each lane that the next row needs."""
    for k, (first, second) in enumerate(product(_KINDS + _MORE, _KINDS + _MORE)):
        s.beside(_kind(s, first, 2 * k), _kind(s, second, 2 * k + 1))
        s.insn(gpr=(1 + k % 31, k))
        s.insn()
