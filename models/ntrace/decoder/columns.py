# SPDX-License-Identifier: Apache-2.0
"""The columns of `rvtrace.models.ntrace.decoder.kernel`: how they begin, grow, and go from lists to arrays."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

from rvtrace.models.common import native
from rvtrace.models.common.growing import Table, longer
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder import kernel as k
from rvtrace.models.ntrace.decoder.steps import End, Node, Steps
from rvtrace.models.ntrace.table import TABLES, VAR

_SMALL = 1 << 10  # entries of a new column
_NODES, _PLACES, _CUTS, _STEPS, _REPEATS, _LASTS, _ROWS = range(1, 8)


def _layouts(config: Config) -> list[int]:
    """The field table of a configuration as rows of the kernel."""
    found = [0] * (64 * k.LAYOUT_ROW)
    for tcode, kind in TABLES[config.variant].items():
        at = tcode * k.LAYOUT_ROW
        found[at] = len(kind.fields)
        for spec in kind.fields:
            needs = (-1, 0) if spec.when is None else (kind.keys.index(spec.when[0]), *spec.when[1])
            extended = int(spec.is_address and config.address_bits > 0)
            row = (0 if spec.width == VAR else spec.width, min(spec.max_bits, 64), extended, *needs)
            found[at + 1 : at + 1 + k.FIELD_ROW] = row
            at += k.FIELD_ROW
    return found


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
        self.nodes: Any = [-1] * (16 * k.NODE_ROW)
        self.places, self.cuts = Table(k.PLACE_ROW, k.place), Table(k.CUT_ROW, k.place)
        self.used = 0  # of `nodes`
        self._more = 8  # nodes made beside the next one that is asked for

    def compile(self) -> None:
        """Lists to arrays."""
        self.nodes = np.array(self.nodes, np.int64)
        for table in (self.places, self.cuts):
            table.rows = np.array(table.rows, np.int64)

    def node(self, pc: int) -> int:
        """The number of the node at half-word `pc`, made at first use."""
        at = k.find(self.places.rows, pc, k.PLACE_ROW)
        return int(self.places.rows[at + 1]) if at >= 0 else self.add(pc)

    def add(self, pc: int) -> int:
        """A node that is not there yet; with it, those it leads to: the walk would ask for them next."""
        made, waiting = self._add(pc), [pc]
        for _ in range(self._more):
            if not waiting:
                break
            node = self.steps[waiting.pop() << 1]
            back = [] if node.jump is None or node.jump.back is None else [node.jump.back]
            for way in _WAYS[node.end](node) + back:
                if k.find(self.places.rows, way >> 1, k.PLACE_ROW) < 0:
                    self._add(way >> 1)
                    waiting.append(way >> 1)
        self._more = min(2 * self._more, 1 << 14)
        return made

    def _add(self, pc: int) -> int:
        node, steps = self.steps[pc << 1], self.steps
        last = steps.pool.last_pc(node.step) if node.count else pc << 1
        insn, jump = steps.code[last], node.jump
        loaded, short = (-1, -1) if node.end is not End.INDIRECT else steps.loaded(node, last)
        at = self.append([
            int(node.end), node.halves, node.count, -1, node.after >> 1, node.step, -1, node.target >> 1,
            node.taken_step, pc, last >> 1, insn.size >> 1 if insn else 0, int(jump is not None and jump.pops),
            -1 if jump is None or jump.back is None else jump.back >> 1, loaded, short,
        ])  # fmt: skip
        self.places.add(pc, (at,))
        return at

    def append(self, row: list[int]) -> int:
        """A node that no address leads to; its number."""
        at, self.used = self.used, self.used + k.NODE_ROW
        if self.used > len(self.nodes):
            self.nodes = longer(self.nodes)
        self.nodes[at : at + k.NODE_ROW] = row
        return at

    def cut(self, node: int, credit: int) -> None:
        """The part of a step that so many half-words cover."""
        steps, pool = self.steps, self.steps.pool
        whole = steps[int(self.nodes[node + k.PC]) << 1]
        start = pool.start[whole.step]
        halves, count, after = 0, 0, int(self.nodes[node + k.PC]) << 1
        while count < whole.count:
            size = steps.code[pool.pcs[start + count]].size >> 1
            if halves + size > credit:
                break
            halves += size
            count += 1
            after = pool.pcs[start + count] if count < whole.count else whole.after
        self.cuts.add(node << k.CUT_SHIFT | credit, (pool.new(start, count, -1), halves, count, self.node(after >> 1)))


class Memory:
    """All columns of one decoder. kernel: the functions to use. columns: what they take.

    Where a walk needs a node or more room, `provide` makes it; the walk then begins anew.
    """

    def __init__(self, config: Config) -> None:
        self.kernel: Any = k
        self.compiled = False
        self.s: Any = [0] * (k.SOURCES + (1 << config.source_bits))
        self.s[k.LAYOUTS : k.SOURCES] = _layouts(config)
        for index in (k.WAITING, k.REPEATABLE, k.NOW):
            self.s[index] = k.NOWHERE
        self.s[k.FRESH], self.s[k.BITS_TELL] = 1, int(config.mode == "htm")
        self.s[k.ECALL_COUNTS], self.s[k.CONSTANTS] = int(config.variant == "rc7"), int(bool(config.sequential_jump))
        self.s[k.ADDRESS_BITS], self.s[k.EXTENDED_BITS] = config.xlen - 1, config.address_bits
        self.s[k.SRC_BITS], self.s[k.SRC] = config.source_bits, config.src_id
        self.s[k.HAS_TIME] = int(bool(config.timestamp))
        self.steps: Any = array("i", [-1] * _SMALL)
        self.lasts: Any = array("q", [-1] * _SMALL)
        self.repeats: Any = [-1] * (k.REPEAT_ROW * 16)
        self.rows: Any = array("q", [-1] * (k.MESSAGE_ROW * 64))
        self._image: Image | None = None
        self._known = 0  # steps of which `lasts` has the last instruction
        self.columns: k.Columns = ()

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
        if self.s[k.CONSTANTS]:
            self._extend_lasts()
        self.columns = (
            self.s, image.nodes, image.places.rows, image.cuts.rows, self.steps, self.repeats, self.lasts, self.rows
        )  # fmt: skip

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
        for name in ("s", "lasts", "repeats", "rows"):
            setattr(self, name, np.array(getattr(self, name), np.int64))
        self.steps = np.array(self.steps, np.int32)
        self.refresh()

    def provide(self, status: int) -> None:
        """What a walk answered that it needs."""
        s, image = self.s, self.image
        if status == k.NEED_NODE:
            image.add(int(s[k.NEEDED]))
        elif status == k.NEED_CUT:
            image.cut(int(s[k.NEEDED]), int(s[k.AMOUNT]))
        elif status == k.NEED_REPEATS:
            self.repeats = longer(self.repeats)
        elif (int(s[k.MESSAGES]) + 1) * k.MESSAGE_ROW > len(self.rows):
            self.rows = longer(self.rows)
        else:
            self.steps = longer(self.steps)
        self.refresh()

    def sources(self) -> dict[int, int]:
        """Messages that `run` took or passed over, by SRC."""
        counts = self.s[k.SOURCES :]
        return {src: int(count) for src, count in enumerate(counts) if count}

    def room_for_message(self) -> int:
        """Where the row of the next message begins."""
        row = int(self.s[k.MESSAGES]) * k.MESSAGE_ROW
        if row + k.MESSAGE_ROW > len(self.rows):
            self.rows = longer(self.rows)
            self.refresh()
        return row
