"""irreport and irdepth: told behind returns, with the depth that calls and returns of the run give (ET-14).

The depth is kept here from the retire stream alone, so that a device that does not declare the profile is held to it as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models.riscv.retired import IType

if TYPE_CHECKING:
    from scoreboards.etrace_lossless import Lossless

CALLS = (IType.UNINFERABLE_CALL, IType.INFERABLE_CALL)


def check_depths(of: Lossless) -> None:
    """ET-14 and ET.pay.irdepth on an alignment that succeeded; the draft tells no depth."""
    want, table, stops = of.expected, of.table, of.stops
    packets = np.flatnonzero(table["irreport"] == 1)
    packets = packets[stops[packets] > 0]
    if not len(packets):
        return
    at = stops[packets]
    syncs = sorted({place for _, place in of.sync_places})
    behind_return = want.itype[at - 1] == IType.RETURN
    if not of.knobs.irreport_extra:
        n = np.arange(len(want))
        returns, branches, calls = (np.maximum.accumulate(np.where(mask, n, -1)) for mask in (
            want.itype == IType.RETURN, want.taken >= 0, np.isin(want.itype, CALLS)))  # fmt: skip
        known = np.array([-1, *syncs])
        since = np.maximum(np.maximum(branches[at], calls[at - 1]), known[np.searchsorted(syncs, at, side="right")])
        bad = np.flatnonzero((returns[at - 1] <= since) & ~behind_return)
        of.book.bulk("ET-14", len(packets), bad, lambda i: of.failure(
            "ET-14", "irdepth is told where there is no return to tell apart", int(at[i]), None, int(packets[i])))  # fmt: skip
    depth = _Depths(of, syncs)
    told = table["irdepth"][packets]
    # at the address; or, of a return that was predicted wrongly, before it
    values = [{depth.before(int(a)), *([depth.before(int(a) - 1)] if b else [])} for a, b in zip(at, behind_return)]
    bad = [i for i, value in enumerate(values) if int(told[i]) not in value]
    of.book.bulk("ET.pay.irdepth", len(packets), bad, lambda i: of.failure(
        "ET.pay.irdepth", "irdepth is not the number of calls that are open", int(at[i]),
        [("irdepth", " or ".join(map(str, sorted(values[i]))), str(told[i]))], int(packets[i])))  # fmt: skip


class _Depths:
    """Entries of a return stack, or the count of calls, before each traced instruction."""

    def __init__(self, of: Lossless, syncs: list[int]) -> None:
        want, config = of.expected, of.capture.config
        size = config.return_stack_size_p
        most = 1 << size if size else (1 << config.call_counter_size_p) - 1
        step = np.isin(want.itype, CALLS).astype(np.int64) - (want.itype == IType.RETURN)
        rows = np.flatnonzero(step)
        events = sorted([*((row, 1, int(step[row])) for row in rows.tolist()), *((sync, 0, 0) for sync in syncs)])
        self._rows, self._depths, depth = [-1], [0], 0
        for row, _, change in events:  # a synchronization comes before the instruction's own call or return
            depth = max(min(depth + change, most), 0) if change else 0
            # the depth behind a row; a sync is behind the row before it
            self._rows.append(row if change else row - 1)
            self._depths.append(depth)
        self._at = np.array(self._rows)

    def before(self, index: int) -> int:
        """Before the instruction's own call or return."""
        return self._depths[int(np.searchsorted(self._at, index - 1, side="right")) - 1]
