# SPDX-License-Identifier: Apache-2.0
"""The columns of `rvtrace.models.etrace.decoder.kernel`: how they begin, grow, and go from lists to arrays."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from rvtrace.models.common import native
from rvtrace.models.common.growing import Table, longer
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder import kernel as k
from rvtrace.models.etrace.decoder.steps import End, Steps
from rvtrace.models.etrace.table import MAX_BRANCHES, map_length

_SMALL = 1 << 10  # entries of a new column
TRAIN = ((0, 1), (0, 3), (0, 3), (2, 3))  # next state of a predictor entry by state and outcome
_WAYS: dict[End, tuple[int, ...]] = {  # where a node leads: what the walk would ask for next is made with it
    End.PLAIN: (k.AFTER_PC,), End.CALL: (k.AFTER_PC, k.BACK), End.BRANCH: (k.AFTER_PC, k.TARGET_PC),
    End.INDIRECT: (k.BACK, k.LOADED, k.LOADED_SHORT), End.TRAP: (), End.UNMAPPED: (),
}  # fmt: skip


class Image:
    """The steps of a program as rows of the kernel. code, tails: columns that images with the same pool share."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.nodes: Any = [-1] * (16 * k.NODE_ROW)
        self.places = Table(k.PLACE_ROW, k.place)
        self.used = 0  # of `nodes`
        self._more = 8  # nodes made beside the next one that is asked for
        self._append([int(End.UNMAPPED), 0, 0, *[-1] * (k.NODE_ROW - 3)])  # HOLE

    def compile(self) -> None:
        """Lists to arrays."""
        self.nodes, self.places.rows = np.array(self.nodes, np.int64), np.array(self.places.rows, np.int64)

    def node(self, pc: int) -> int:
        """The number of the node at half-word `pc`, made at first use; HOLE where there is no instruction."""
        at = k.find(self.places.rows, pc, k.PLACE_ROW)
        if at >= 0:
            return int(self.places.rows[at + 1])
        return self.add(pc) if self.is_code(pc) else k.HOLE

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
            row = waiting.pop()
            for way in _WAYS[End(self.nodes[row])]:
                to = int(self.nodes[row + way])
                if to >= 0 and k.find(self.places.rows, to, k.PLACE_ROW) < 0 and self.is_code(to):
                    waiting.append(self._add(to))
        self._more = min(2 * self._more, 1 << 14)
        return made

    def _add(self, pc: int) -> int:
        node = self.steps[pc << 1]
        leaves, start = node.exit, self.steps.pool.start[node.step]
        second = self.steps.pool.pcs[start + 1] if node.count > 1 else leaves.after if node.end is End.PLAIN else -1
        row = (
            int(node.end), node.count, start, leaves.pc >> 1, -1, node.after >> 1, node.step,
            -1, node.target >> 1, node.taken_step, -1, second >> 1, int(leaves.pops),
            -1 if leaves.back is None else leaves.back >> 1, *self.steps.loaded(leaves),
        )  # fmt: skip
        at = self._append(list(row))
        self.places.add(pc, (at,))
        return at

    def _append(self, row: list[int]) -> int:
        at, self.used = self.used, self.used + k.NODE_ROW
        if self.used >= len(self.nodes):  # the last entry is never in use
            self.nodes = longer(self.nodes)
        self.nodes[at : at + k.NODE_ROW] = row
        return at


class Memory:
    """All columns of one decoder. kernel: the functions to use. columns: what they take.

    Where a walk needs a node or more room, `provide` makes it; the walk then begins anew.
    """

    def __init__(self, config: Config, limit: int) -> None:
        self.kernel: Any = k
        self.compiled = False
        self.s: Any = [0] * k.SIZE
        s = self.s
        for index in (k.PC, k.NEXT, k.NODE, k.PENDING, k.ADJACENT, *range(k.HOLES, k.HOLES + k.HOLES_KNOWN)):
            s[index] = k.NOWHERE
        s[k.TRAINED : k.TRAINED + 8] = [new for row in TRAIN for new in row]
        s[k.MAP_LENGTHS : k.MAP_LENGTHS + 32] = [
            0,
            *(map_length(config.variant, n) for n in range(1, MAX_BRANCHES + 1)),
        ]
        stack = config.return_stack_size_p
        s[k.COMPARES], s[k.MOST_CALLS] = int(stack > 0), 1 << stack if stack else (1 << config.call_counter_size_p) - 1
        s[k.DRAFT], s[k.LIMIT], s[k.MAX_COUNT] = (
            int(config.variant == "draft_0_026"),
            min(limit, k.MOST >> 2),
            config.max_pbc,
        )
        s[k.SHIFT], s[k.ENTRY_MASK] = config.iaddress_lsb_p - 1, (1 << config.bpred_size_p) - 1
        s[k.CACHE_MASK], s[k.INDEX_BITS] = (1 << config.cache_size_p) - 1, config.cache_size_p
        s[k.ADDRESS_BITS] = config.iaddress_width_p - config.iaddress_lsb_p
        s[k.DEPTH_BITS], s[k.SUBFORMAT_BITS] = stack + (stack > 0) + config.call_counter_size_p, config.f0s_width_p
        s[k.PRIVILEGE_BITS], s[k.HAS_TIME] = (
            config.privilege_width_p,
            int(not config.notime_p and config.time_width_p > 0),
        )
        s[k.CONTEXT_BITS] = 0 if config.nocontext_p else config.context_width_p
        s[k.PRIVILEGE] = s[k.CONTEXT] = k.NOWHERE
        s[k.CACHE : k.CACHE + k.TABLE] = [k.NOWHERE] * k.TABLE
        self.steps: Any = array("i", [-1]) * _SMALL
        self.repeats: Any = [-1] * (k.REPEAT_ROW * 16)
        self.code, self.tails, self.firsts = (array("q", [-1]) * _SMALL for _ in range(3))
        self.events: Any = [-1] * (k.EVENT_ROW * 16)
        self._image: Image | None = None
        self._instructions = self._steps = 0  # of which `code` and `tails` know
        self.columns: k.Columns = ()

    @property
    def image(self) -> Image:
        """The steps in use."""
        assert self._image is not None
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
        self.columns = (
            self.s, image.nodes, image.places.rows, self.code, self.steps, self.repeats, self.tails, self.firsts,
            self.events,
        )  # fmt: skip

    def _extend(self) -> None:
        pool = self.image.steps.pool
        if self._instructions < len(pool.pcs):
            while len(pool.pcs) > len(self.code):
                self.code = longer(self.code)
            made = [pc >> 1 for pc in pool.pcs[self._instructions :]]
            self.code[self._instructions : len(pool.pcs)] = array("q", made)
            self._instructions = len(pool.pcs)
        if self.s[k.CONSTANTS] and self._steps < len(pool.start):
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
        for name in ("s", "repeats", "code", "tails", "firsts", "events"):
            setattr(self, name, np.array(getattr(self, name), np.int64))
        self.steps = np.array(self.steps, np.int32)
        self.refresh()

    def provide(self, status: int) -> None:
        """What a walk answered that it needs."""
        s = self.s
        if status == k.NEED_NODE:
            needed = int(s[k.NEEDED])
            if self.image.is_code(needed):
                self.image.add(needed)
            else:
                s[k.HOLES + int(s[k.NEXT_HOLE])] = needed
                s[k.NEXT_HOLE] = (int(s[k.NEXT_HOLE]) + 1) % k.HOLES_KNOWN
        elif status == k.NEED_REPEATS:
            self.longer("repeats")
        elif int(s[k.PACKETS]) >= len(self.firsts):
            self.longer("firsts")
        elif int(s[k.EVENTS]) + 4 * k.EVENT_ROW > len(self.events):  # a packet has no more
            self.longer("events")
        else:
            self.longer("steps")
        self.refresh()

    def keep(self) -> None:
        """As `kernel.keep`; of lists in pieces, which is faster."""
        if self.compiled:
            self.kernel.keep(self.columns)
            return
        s = self.s
        s[k.KEPT : 2 * k.KEPT] = s[: k.KEPT]
        for is_used, begin, size in (
            (s[k.DEEP], k.CALLS, k.DEPTH), (s[k.PREDICTS], k.ENTRIES, int(s[k.ENTRY_MASK]) + 1),
            (s[k.CACHES], k.CACHE, int(s[k.CACHE_MASK]) + 1),
        ):  # fmt: skip
            if is_used:
                s[begin + k.BACKUP : begin + k.BACKUP + size] = s[begin : begin + size]

    def longer(self, name: str) -> None:
        """One column."""
        setattr(self, name, longer(getattr(self, name)))
        self.refresh()
