# SPDX-License-Identifier: Apache-2.0
"""The columns of `rvtrace.models.ntrace.decoder.kernel`: how they begin, grow, and go from lists to arrays."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from rvtrace.models.common import native
from rvtrace.models.common.growing import longer
from rvtrace.models.common.messages import Table
from rvtrace.models.common.records import Hash, as_object
from rvtrace.models.common.walking import LOGGED, PLACE, REPEAT, place
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder import kernel as k
from rvtrace.models.ntrace.decoder.steps import End, Node, Steps
from rvtrace.models.ntrace.layout import FIELD, KIND, layout
from rvtrace.models.ntrace.table import SRC, TABLES, TSTAMP, MessageType

_SMALL = 1 << 10  # entries of a new column
# What `handle` of the kernel reads of each message: if a table has not all of it, only Python reads such messages
_READ = {
    k.DIRECT_BRANCH: ("icnt",), k.INDIRECT_BRANCH: ("btype", "icnt", "uaddr"),
    k.INDIRECT_BRANCH_HIST: ("btype", "icnt", "uaddr", "hist"), k.RESOURCE_FULL: ("rcode", "rdata", "hrepeat"),
}  # fmt: skip
_KEYS = ("src", "tstamp", "btype", "icnt", "uaddr", "hist", "rcode", "rdata", "hrepeat")
assert LOGGED * 2 <= k.DEPTH


# Where a node leads, so that what the walk would ask for next is made with it
_WAYS: dict[End, Callable[[Node], list[int]]] = {
    End.PLAIN: lambda node: [node.after], End.CALL: lambda node: [node.after], End.JUMP: lambda node: [node.target],
    End.BRANCH: lambda node: [node.after, node.target], End.INDIRECT: lambda node: [], End.TRAP: lambda node: [],
    End.UNMAPPED: lambda node: [],
}  # fmt: skip


class Image:
    """What is kept of one program image: its steps as rows of the kernel, and parts of them."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.nodes: Any = k.NODE.rows(16)
        self.places, self.cuts = Hash(PLACE, place), Hash(k.CUT, place)
        self.used = 0  # of `nodes`
        self._more = 8  # nodes made beside the next one that is asked for

    def compile(self) -> None:
        """Objects to arrays."""
        self.nodes = k.NODE.array(self.nodes)
        self.places.compile()
        self.cuts.compile()

    def node(self, pc: int) -> int:
        """The number of the node at half-word `pc`, made at first use."""
        at = self.places.find(pc)
        return self.places.at(at).node if at >= 0 else self.add(pc)

    def add(self, pc: int) -> int:
        """A node that is not there yet; with it, those it leads to: the walk would ask for them next."""
        made, waiting = self._add(pc), [pc]
        for _ in range(self._more):
            if not waiting:
                break
            node = self.steps[waiting.pop() << 1]
            back = [] if node.jump is None or node.jump.back is None else [node.jump.back]
            for way in _WAYS[node.end](node) + back:
                if self.places.find(way >> 1) < 0:
                    self._add(way >> 1)
                    waiting.append(way >> 1)
        self._more = min(2 * self._more, 1 << 14)
        return made

    def _add(self, pc: int) -> int:
        node, steps = self.steps[pc << 1], self.steps
        last = steps.pool.last_pc(node.step) if node.count else pc << 1
        insn, jump = steps.code[last], node.jump
        loaded, short = (-1, -1) if node.end is not End.INDIRECT else steps.loaded(node, last)
        at = self.append((
            int(node.end), node.halves, node.count, -1, node.after >> 1, node.step, -1, node.target >> 1,
            node.taken_step, pc, last >> 1, insn.size >> 1 if insn else 0, int(jump is not None and jump.pops),
            -1 if jump is None or jump.back is None else jump.back >> 1, loaded, short,
        ))  # fmt: skip
        self.places.add(pc, at)
        return at

    def append(self, row: tuple[int, ...]) -> int:
        """A node that no address leads to; its number."""
        at, self.used = self.used, self.used + 1
        if self.used > len(self.nodes):
            self.nodes = k.NODE.longer(self.nodes)
        k.NODE.put(self.nodes, at, row)
        return at

    def row(self, node: int) -> Any:
        """A node, as a record."""
        return k.NODE.at(self.nodes, node)

    def cut(self, node: int, credit: int) -> None:
        """The part of a step that so many half-words cover."""
        steps, pool = self.steps, self.steps.pool
        pc = self.row(node).pc << 1
        whole = steps[pc]
        start = pool.start[whole.step]
        halves, count, after = 0, 0, pc
        while count < whole.count:
            size = steps.code[pool.pcs[start + count]].size >> 1
            if halves + size > credit:
                break
            halves += size
            count += 1
            after = pool.pcs[start + count] if count < whole.count else whole.after
        self.cuts.add(node << k.CUT_SHIFT | credit, pool.new(start, count, -1), halves, count, self.node(after >> 1))


@lru_cache(maxsize=64)
def _readable(table: Table[MessageType], config: Config) -> tuple[list[Any], np.ndarray]:
    """The kinds of messages that the kernel reads as they are in this table, as records and as an array."""
    known = layout(table, config, k.CELLS)
    shared = [key for key, used in ((SRC.key, config.source_bits), (TSTAMP.key, config.timestamp)) if used]
    found = list(known.kinds)
    for tcode, kind in enumerate(known.kinds):
        some = known.fields[kind.first : kind.first + kind.count]
        sure = {field.column for field in some if field.by < 0 and not field.optional}
        needed = [key for key in _READ.get(tcode, ()) if key != "hrepeat"]
        columns = {key: k.CELLS + column for key, column in table.columns.items()}
        there = {field.column for field in some}
        if any(columns.get(key) not in sure for key in needed) or any(
            columns.get(key) not in there for key in (*shared, *_READ.get(tcode, ()))
        ):
            found[tcode] = KIND.one(0)
    return found, KIND.array(found)


class Memory:
    """All columns of one decoder. kernel: the functions to use. columns, reading: what they take. state, work: records.

    Where a walk needs a node or more room, `provide` makes it; the walk then begins anew. table: of the messages.
    """

    def __init__(self, config: Config, table: Table[MessageType] | None = None) -> None:
        self.kernel: Any = k
        self.compiled, self._config = False, config
        self.table = table or TABLES[config.variant]
        self.layout = layout(self.table, config, k.CELLS)
        self.row = k.CELLS + self.table.width  # entries of a row of `rows`
        self._state: Any = [k.STATE.one(0, **dict.fromkeys(("node", "waiting", "repeatable", "time"), k.NOWHERE))
                            for _ in range(2)]  # fmt: skip
        self._work: Any = [k.WORK.one(
            0, bits_report=int(config.mode == "htm"), ecall_counts=int(config.variant == "rc7"),
            constants=int(bool(config.sequential_jump)), address_bits=config.xlen - 1,
            extended_bits=config.address_bits, has_src=int(config.source_bits > 0), src=config.src_id,
            has_time=int(bool(config.timestamp)), row=self.row,
            **{f"{key}_at": k.CELLS + self.table.columns.get(key, 0) for key in _KEYS},
        )]  # fmt: skip
        self._state[0].fresh = 1
        self._kinds: Any = _readable(self.table, config)[0]
        self._fields: Any = self.layout.fields or [FIELD.one()]
        self._sources: Any = [0] * (1 << config.source_bits)
        self._calls: Any = [0] * k.DEPTH
        self._log: Any = [0] * (2 * k.DEPTH)
        self._saved: Any = [0] * (2 * (k.DEPTH + 1))
        self.steps: Any = array("i", [-1] * _SMALL)
        self.lasts: Any = array("q", [-1] * _SMALL)
        self.repeats: Any = REPEAT.rows(16)
        self.rows: Any = array("q", [-1] * (self.row * 64))
        self._image: Image | None = None
        self._known = 0  # steps of which `lasts` has the last instruction
        self.columns: Any = ()
        self.reading: Any = ()
        self.state, self.work = self._state[0], self._work[0]

    @property
    def image(self) -> Image:
        """Where the hart is."""
        assert self._image is not None
        return self._image

    def use(self, image: Image) -> None:
        """The code is that of `image` from here on."""
        self._image = image
        self.refresh()

    def refresh(self) -> None:
        """The columns have changed."""
        image = self.image
        if self.compiled and isinstance(image.nodes, list):
            image.compile()
        if self.work.constants:
            self._extend_lasts()
        self.columns = k.Columns(
            self._state, self._work, image.nodes, image.places.rows, image.cuts.rows, self.steps, self.repeats,
            self.lasts, self.rows, self._calls, self._log, self._saved,
        )  # fmt: skip
        self.reading = k.Reading(self._work, self.rows, self._kinds, self._fields, self._sources)
        if not self.compiled:
            self.columns, self.reading = as_object(self.columns), as_object(self.reading)

    def _extend_lasts(self) -> None:
        pool = self.image.steps.pool
        while len(pool.start) > len(self.lasts):
            self.lasts = longer(self.lasts)
        for step in range(self._known, len(pool.start)):
            self.lasts[step] = pool.last_pc(step) >> 1 if pool.length[step] else -1
        self._known = len(pool.start)

    def compile(self) -> None:
        """From here on, compiled functions on arrays."""
        self.kernel, self.compiled = native.functions(k, True), True
        for name in ("lasts", "rows", "_sources", "_calls", "_log", "_saved"):
            setattr(self, name, np.array(getattr(self, name), np.int64))
        self._state, self._work = k.STATE.array(self._state), k.WORK.array(self._work)
        self._kinds, self._fields = _readable(self.table, self._config)[1], self.layout.arrays[1]
        self.repeats, self.steps = REPEAT.array(self.repeats), np.array(self.steps, np.int32)
        self.state, self.work = k.STATE.at(self._state, 0), k.WORK.at(self._work, 0)
        self.refresh()

    def provide(self, status: int) -> None:
        """What a walk answered that it needs."""
        work, image = self.work, self.image
        if status == k.NEED_NODE:
            image.add(work.needed)
        elif status == k.NEED_CUT:
            image.cut(work.needed, work.amount)
        elif status == k.NEED_REPEATS:
            self.repeats = REPEAT.longer(self.repeats)
        elif (self.state.messages + 1) * self.row > len(self.rows):
            self.rows = longer(self.rows)
        else:
            self.steps = longer(self.steps)
        self.refresh()

    def keep(self) -> None:
        """As `keep` of the kernel, without the call."""
        if self.compiled:
            self._state[1] = self._state[0]
            self.state.touched = 0
        else:
            k.keep(self.columns)

    def call(self, index: int) -> int:
        """An entry of the return stack, from the oldest on."""
        return int(self._calls[(self.state.base + index) % k.DEPTH])

    def sources(self) -> dict[int, int]:
        """Messages that `run` took or passed over, by SRC."""
        return {src: int(count) for src, count in enumerate(self._sources) if count}

    def room_for_message(self) -> int:
        """Where the row of the next message begins."""
        row = self.state.messages * self.row
        if row + self.row > len(self.rows):
            self.rows = longer(self.rows)
            self.refresh()
        return row
