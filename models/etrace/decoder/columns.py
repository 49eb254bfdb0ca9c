# SPDX-License-Identifier: Apache-2.0
"""The columns of `rvtrace.models.etrace.decoder.kernel`: how they begin, grow, and go from objects to arrays."""

from __future__ import annotations

from array import array
from functools import partial
from typing import Any

import numpy as np

from rvtrace.models.common import native
from rvtrace.models.common.growing import longer
from rvtrace.models.common.records import Hash
from rvtrace.models.common.walking import PLACE, REPEAT, place
from rvtrace.models.etrace.config import CACHE_RETURNS, CACHE_SYNCS, Config
from rvtrace.models.etrace.decoder import kernel as k
from rvtrace.models.etrace.decoder.steps import End, Steps
from rvtrace.models.etrace.layout import KIND, PART, layout
from rvtrace.models.etrace.table import TABLES

_SMALL = 1 << 10  # entries of a new column
TRAIN = ((0, 1), (0, 3), (0, 3), (2, 3))  # next state of a predictor entry by state and outcome
_FOLLOWED: dict[End, tuple[int, ...]] = {  # ways from a node that a walk would ask for next, and so are made with it
    End.PLAIN: (k.AFTER,), End.CALL: (k.AFTER,), End.BRANCH: (k.AFTER, k.TARGET),
    End.INDIRECT: (), End.TRAP: (), End.UNMAPPED: (),
}  # fmt: skip


class Image:
    """The steps of a program as nodes of the kernel, and their ways on."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.nodes: Any = k.NODE.rows(16)
        self.ways: Any = k.WAY.rows(16 * k.WAYS)
        self.places = Hash(PLACE, place)
        self.used = 0  # of `nodes`; the last one is never in use
        self._more = 8  # nodes made beside the next one that is asked for
        self._append((int(End.UNMAPPED), 0, 0, -1, -1, -1, -1, -1, -1), ())  # HOLE

    def compile(self) -> None:
        """Objects to arrays."""
        self.nodes, self.ways = k.NODE.array(self.nodes), k.WAY.array(self.ways)
        self.places.compile()

    def node(self, pc: int) -> int:
        """The number of the node at half-word `pc`, made at first use; HOLE where there is no instruction."""
        at = self.places.find(pc)
        if at >= 0:
            return self.places.at(at).node
        return self.add(pc) if self.is_code(pc) else k.HOLE

    def row(self, node: int) -> Any:
        """A node, as a record."""
        return k.NODE.at(self.nodes, node)

    def is_code(self, pc: int) -> bool:
        """Whether there is an instruction at a half-word."""
        return self.steps.exits[pc << 1].end is not End.UNMAPPED

    def add(self, pc: int) -> int:
        """A node that is not there yet; with it, those it leads to: the walk would ask for them next."""
        made = self._add(pc)
        waiting = [made]
        for _ in range(self._more):
            if not waiting:
                break
            of = waiting.pop()
            for to in self._leads(of):
                if to >= 0 and self.places.find(to) < 0 and self.is_code(to):
                    waiting.append(self._add(to))
        self._more = min(2 * self._more, 1 << 14)
        return made

    def _leads(self, of: int) -> list[int]:
        node = self.row(of)
        end = End(node.kind)
        to = [k.WAY.at(self.ways, k.WAYS * of + way).pc for way in _FOLLOWED[end]]
        if end is End.CALL or end is End.INDIRECT:
            to.append(node.back)
        return [*to, node.loaded, node.loaded_short] if end is End.INDIRECT else to

    def _add(self, pc: int) -> int:
        node = self.steps[pc << 1]
        leaves, start = node.exit, self.steps.pool.start[node.step]
        second = self.steps.pool.pcs[start + 1] if node.count > 1 else leaves.after if node.end is End.PLAIN else -1
        back = -1 if leaves.back is None else leaves.back >> 1
        at = self._append(
            (int(node.end), node.count, start, leaves.pc >> 1, node.step, int(leaves.pops), back,
             *self.steps.loaded(leaves), int(leaves.returns)),
            ((-1, node.after >> 1, node.step), (-1, node.target >> 1, node.taken_step), (-1, second >> 1, -1)),
        )  # fmt: skip
        self.places.add(pc, at)
        return at

    def _append(self, row: tuple[int, ...], ways: tuple[tuple[int, ...], ...]) -> int:
        at, self.used = self.used, self.used + 1
        if self.used >= len(self.nodes):
            self.nodes, self.ways = k.NODE.longer(self.nodes), k.WAY.longer(self.ways)
        k.NODE.put(self.nodes, at, row)
        for index, way in enumerate(ways):
            k.WAY.put(self.ways, k.WAYS * at + index, way)
        return at


class Memory:
    """All columns of one decoder. kernel: the functions to use. columns, reading: what they take. walk, trace, state,
    options, goal: the present records. values, absent: columns of them; cells: the field of each entry.

    Where a walk needs a node or more room, `provide` makes it; the walk then begins anew.
    """

    walk: Any
    trace: Any
    state: Any
    options: Any
    goal: Any
    values: Any
    absent: Any

    def __init__(self, config: Config, limit: int, image: Image) -> None:
        self.kernel: Any = k
        self.compiled = False
        self._image = image
        self._instructions = self._steps = 0  # of which `code` and `tails` know
        packets = layout(TABLES[config.variant], config, k.CELLS)
        self.cells = packets.cells
        absent = [k.ABSENT if key in k.ABSENT_KEYS else 0 for key in packets.cells]
        absent += [0] * (k.CELLS_MOST - len(absent))
        walk = partial(k.WALK.one, 0, **dict.fromkeys(("pc", "next", "node", "pending", "touched"), k.NOWHERE))
        self._decoder: Any = [k.DECODER.one(
            walk=walk(), kept_walk=walk(), trace=k.TRACE.one(0, adjacent=k.NOWHERE), kept_trace=k.TRACE.one(0),
            state=k.STATE.one(0, privilege=k.NOWHERE, context=k.NOWHERE),
            options=_options(config, limit, len(packets.cells)), goal=k.GOAL.one(0), values=list(absent),
            absent=absent, holes=[k.NOWHERE] * k.HOLES_KNOWN, trained=[new for row in TRAIN for new in row],
            walks=[walk() for _ in range(k.WALKS)], calls=[0] * k.DEPTH, entries=[0] * k.TABLE,
            cache=[k.NOWHERE] * k.TABLE, stacks=[0] * (k.STACKS * k.STACK_ROW), kept_calls=[0] * k.DEPTH,
            kept_entries=[0] * k.TABLE, kept_cache=[0] * k.TABLE,
        )]  # fmt: skip
        self._packets: tuple[Any, ...] = (packets.kinds, packets.parts, list(packets.widths))
        self.events: Any = k.EVENT.rows(16)
        self.repeats: Any = REPEAT.rows(16)
        self.steps: Any = array("i", [-1]) * _SMALL
        self.code, self.tails, self.firsts = (array("q", [-1]) * _SMALL for _ in range(3))
        self.columns: Any = ()
        self.reading: Any = ()
        self._name()
        self.refresh()

    def _name(self) -> None:
        """Parts of the decoder as attributes."""
        for name in ("walk", "trace", "state", "options", "goal", "values", "absent"):
            setattr(self, name, k.DECODER.at(self._decoder, name))

    @property
    def image(self) -> Image:
        """The steps in use."""
        return self._image

    def use(self, image: Image) -> None:
        """Its steps from here on."""
        self._image = image
        self.refresh()

    def node(self, pc: int) -> int:
        """The number of the node at half-word `pc`."""
        image = self.image
        before = image.used
        found = image.node(pc)
        if image.used != before:
            self.refresh()
        return found

    def refresh(self) -> None:
        """The columns have changed."""
        image = self.image
        if self.compiled and isinstance(image.nodes, list):
            image.compile()
        self._extend()
        self.columns = k.Columns(
            self._decoder, image.nodes, image.ways, image.places.rows, self.events, self.repeats, self.steps, self.code,
            self.tails,
        )  # fmt: skip
        self.reading = k.Reading(self._decoder, self.firsts, *self._packets)

    def _extend(self) -> None:
        pool = self.image.steps.pool
        if self._instructions < len(pool.pcs):
            while len(pool.pcs) > len(self.code):
                self.code = longer(self.code)
            made = [pc >> 1 for pc in pool.pcs[self._instructions :]]
            self.code[self._instructions : len(pool.pcs)] = array("q", made)
            self._instructions = len(pool.pcs)
        if self.options.constants and self._steps < len(pool.start):
            while 2 * len(pool.start) > len(self.tails):
                self.tails = longer(self.tails)
            for step in range(self._steps, len(pool.start)):
                last = pool.start[step] + pool.length[step] - 1
                self.tails[2 * step] = pool.pcs[last] >> 1
                self.tails[2 * step + 1] = pool.pcs[last - 1] >> 1 if pool.length[step] > 1 else k.NOWHERE
            self._steps = len(pool.start)

    def compile(self) -> None:
        """From here on, compiled functions on arrays."""
        self.kernel, self.compiled = native.functions(k, True), True
        kinds, parts, widths = self._packets
        self._packets = KIND.array(kinds), PART.array(parts), np.array(widths, np.int64)
        self._decoder = k.DECODER.array(self._decoder[0])
        for name in ("code", "tails", "firsts"):
            setattr(self, name, np.array(getattr(self, name), np.int64))
        self.events, self.repeats = k.EVENT.array(self.events), REPEAT.array(self.repeats)
        self.steps = np.array(self.steps, np.int32)
        self._name()
        self.refresh()

    def provide(self, status: int) -> None:
        """What a walk answered that it needs."""
        s = self.state
        if status == k.NEED_NODE:
            needed = s.needed
            if self.image.is_code(needed):
                self.image.add(needed)
            else:
                k.DECODER.at(self._decoder, "holes")[s.next_hole] = needed
                s.next_hole = (s.next_hole + 1) % k.HOLES_KNOWN
        elif status == k.NEED_REPEATS:
            self.repeats = REPEAT.longer(self.repeats)
        elif self.trace.packets >= len(self.firsts):
            self.firsts = longer(self.firsts)
        elif self.trace.events + 4 > len(self.events):  # a packet has no more
            self.events = k.EVENT.longer(self.events)
        else:
            self.steps = longer(self.steps)
        self.refresh()

    def keep(self) -> None:
        """As `kernel.keep`; of lists in pieces, which is faster."""
        if self.compiled:
            self.kernel.keep(self.columns)
            return
        d, o = self._decoder[0], self.options
        k.copy_walk(d.kept_walk, d.walk)
        k.copy_trace(d.kept_trace, d.trace)
        if d.walk.deep:
            d.kept_calls[:] = d.calls
        if o.predicts:
            d.kept_entries[: o.entry_mask + 1] = d.entries[: o.entry_mask + 1]
        if o.caches:
            d.kept_cache[: o.cache_mask + 1] = d.cache[: o.cache_mask + 1]

    def room(self) -> None:
        """For one packet and one event more."""
        if self.trace.packets < len(self.firsts) and self.trace.events < len(self.events):
            return
        if self.trace.packets >= len(self.firsts):
            self.firsts = longer(self.firsts)
        if self.trace.events >= len(self.events):
            self.events = k.EVENT.longer(self.events)
        self.refresh()


def _options(config: Config, limit: int, cells: int) -> Any:
    stack = config.return_stack_size_p
    return k.OPTIONS.one(
        0, compares=int(stack > 0), most_calls=1 << stack if stack else (1 << config.call_counter_size_p) - 1,
        draft=int(config.variant == "draft_0_026"), limit=min(limit, k.MOST >> 2), max_count=config.max_pbc,
        shift=config.iaddress_lsb_p - 1, entry_mask=(1 << config.bpred_size_p) - 1,
        cache_mask=(1 << config.cache_size_p) - 1, subformat_bits=config.f0s_width_p,
        address_bits=config.iaddress_width_p - config.iaddress_lsb_p, cells=cells,
        cache_returns=CACHE_RETURNS.index(config.cache_returns), cache_syncs=CACHE_SYNCS.index(config.cache_syncs),
    )  # fmt: skip
