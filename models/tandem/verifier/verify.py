# SPDX-License-Identifier: Apache-2.0
"""The tandem verifier (chapter 3): replays a decoded trace against an instruction set simulator, and reports each
mismatch and who is at fault.

    report = Verifier(reference(64), Profile.of(config)).run(decode(data, config))
    print(report)
    while ...: verifier.feed(decoded, window)        # part by part, the same; window: decoder/window.py
    verifier.feed(Decoded.empty(), window, final=True)

For each group: apply it to the shadow state, copy non-deterministic state, execute one instruction, compare the changes
of both sides, and after a mismatch give both sides the same state. **The values of both sides are kept**: if a later
group does not match but would with the other side's value, it is no second mismatch but the evidence of who was right.
So one fault gives one finding. `rvtrace.models.tandem.verifier.explain` finds the explanation of a mismatch.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from rvtrace.models.riscv.iss.hart import NO_CHANGE, Hart, Wanted
from rvtrace.models.riscv.iss.table import LOAD, PLAIN
from rvtrace.models.riscv.program import Program
from rvtrace.models.tandem.decoder.decoded import GROUP, PC_KEY, Decoded, Group
from rvtrace.models.tandem.decoder.window import Window
from rvtrace.models.tandem.simulator.interface import PartialSimulator, Simulator
from rvtrace.models.tandem.table import FPR_BASE, GPR_BASE
from rvtrace.models.tandem.verifier.compare import EADDR_KEY, MEMDATA_KEY, PADDR_KEY, Changes
from rvtrace.models.tandem.verifier.explain import Explainer
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.state import Replay
from rvtrace.models.tandem.verifier.verdict import Report, Verdict

STRETCH = 1 << 14
_SYSTEM = 0x73


class Verifier:
    """One run over one trace (chapter 3).

    simulator: executes the instructions; its memory is what was written to it and what the trace initializes. second: a
    simulator that is asked at mismatches. pc: of the first instruction, if the trace does not start with a reset.
    program: for symbols in findings. `stop_after`: the number of findings that end the run, None for no limit.
    """

    def __init__(
        self,
        simulator: Simulator,
        profile: Profile,
        second: PartialSimulator | None = None,
        pc: int | None = None,
        program: Program | None = None,
    ) -> None:
        self.simulator, self.profile = simulator, profile
        self.replay = Replay(simulator, profile, pc)
        self.report = self.replay.report
        self.explainer = Explainer(self.replay, program or Program(profile.hart.xlen, []), second)
        self.stop_after: int | None = None
        self._next, self._groups = 0, 0  # section to look at; groups in sections that were dropped
        wanted = ("pc", "insn", "gpr", "csr", "paddr", "memdata")  # priv only changes with CSRs
        self._fast = all(profile.traces(name) for name in wanted)

    def load(self, segments: Iterable[tuple[int, bytes]]) -> Verifier:
        """Write (address, bytes) pairs to the memory of both sides: a program's segments, if the trace does not load
        them.
        """
        for address, body in segments:
            self.replay.set_memory(address, bytes(body))
        return self

    def run(self, decoded: Decoded, data: bytes | None = None) -> Report:
        """Replay the whole trace; the report.

        data: the bytes of the trace. With them, incremental forms count from the verifier's shadow state and not from
        the decoder's, which continues from a value that was reported wrongly.
        """
        return self.feed(decoded, data, final=True)

    def feed(self, decoded: Decoded, data: bytes | Window | None = None, final: bool = False) -> Report:
        """Replay the sections that follow, as far as none that come later can explain them; the report so far.

        data: the bytes of the trace, at least those of these sections. final: there are no more. However a trace is
        cut, the report is that of the whole.
        """
        report, replay = self.report, self.replay
        report.groups += decoded.group_count
        report.instructions += decoded.instruction_count if self.profile.traces("insn") else decoded.group_count
        report.transactions += int(np.diff(decoded.memory_start)[~decoded.init].sum())
        if report.stopped is not None:
            return report
        replay.extend(decoded, data, final)
        self._next, n = self._replayed(self._next, replay.ready(final)), replay.end
        if report.stopped is not None:
            replay.forget(n)
            return report
        if final:
            self.explainer.finish()
        keep = max(replay.first, self._next - 1)  # the one before may come twice
        self.explainer.catch_up(self._next)
        self._groups += int(np.count_nonzero(replay.decoded.kind[: keep - replay.first] == GROUP))
        replay.forget(keep)
        return report

    def _replayed(self, k: int, n: int) -> int:
        """Sections k to n - 1; the next one to look at."""
        replay = self.replay
        while k < n:
            last = min(k + STRETCH, n)
            columns = None
            if self._fast:
                columns = plain_columns(replay.decoded, k - replay.first, last - replay.first, replay.odd)
            first, k = k, k
            while k < last:
                if columns is not None and replay.known and not self.explainer.watching:
                    k = first + self._plain(columns, k - first)
                    if k >= last:
                        break
                k = self._section(k)
                if self.stop_after is not None and len(self.report.findings) >= self.stop_after:
                    kind = replay.decoded.kind[: k - replay.first]
                    self.report.stopped = self._groups + int(np.count_nonzero(kind == GROUP))
                    return k
        return k

    # --- the fast loop: groups of instructions that change at most one x register and memory, and match

    def _plain(self, columns: Plain, k: int) -> int:
        """Compare from section k of the stretch on, as long as everything matches; the first section that is left to
        `_section`.
        """
        execute, shadow = self.simulator.execute, self.replay.shadow
        x, store = shadow.x, shadow.store
        plain, pcs, insns, nexts, rds, values, paddrs, eaddrs, sizes, datas, kinds, places = columns
        hart = self._hart()
        wanted = Wanted(kinds, pcs, insns, nexts, rds, values, paddrs, places)
        start, n, step, placed = k, len(plain), None, self.profile.traces("eaddr")
        while k < n and plain[k]:
            if hart is not None and kinds[k] >= 0:
                before, k = k, hart.follow(wanted, k, x)
                if k > before:
                    shadow.pc = hart.pc
                    continue
            step = execute()
            if (
                step.insn != insns[k] or step.next_pc != nexts[k] or step.pc != pcs[k] or step.rd != rds[k]
                or step.csrs is not NO_CHANGE or step.trap is not None
            ):  # fmt: skip
                break
            if rds[k]:
                value = values[k]
                if step.value != value:
                    break
            access = step.access
            if access:
                paddr = step.paddr
                if paddrs[k] != paddr or (step.eaddr != paddr and placed if eaddrs[k] < 0 else step.eaddr != eaddrs[k]):
                    break
                if access == LOAD:
                    if sizes[k]:
                        break
                elif step.bytes != sizes[k] or step.data != datas[k]:
                    break
                else:
                    store(step)
            elif paddrs[k] >= 0 or eaddrs[k] >= 0 or sizes[k]:
                break
            if rds[k]:
                x[rds[k]] = value
            shadow.pc = step.next_pc
            k += 1
        else:
            self.report.matched += k - start
            return k
        self.report.matched += k - start
        self.replay.comparer.undo([step])
        return k

    def _hart(self) -> Hart | None:
        """The hart of the reference simulator, None for another one."""
        hart, execute = getattr(self.simulator, "hart", None), getattr(self.simulator.execute, "__func__", None)
        return hart if isinstance(hart, Hart) and execute is Hart.execute else None

    # --- everything else

    def _section(self, k: int) -> int:
        """Section k; the next one to look at."""
        replay, self.replay.at = self.replay, k
        group, reported = replay.read(k)
        if group.broken or k in replay.before:
            return self.explainer.damaged(k, group, reported)
        if group.reset:
            replay.reset()
            self.explainer.reset(k)
            self.explainer.copied(k, group, reported)
            replay.apply(reported)
        elif group.init and not group.size:
            self.explainer.copied(k, group, reported)
            self._initialize(group, reported)
        elif not replay.is_step(group, reported, k):
            self.explainer.update(k, group, reported)
            return k + 1
        else:
            return self.explainer.step(k, group, reported) if replay.known else self.explainer.lost(k, group, reported)
        self.explainer.diagnosed(k, group)
        return k + 1

    def _initialize(self, group: Group, reported: Changes) -> None:
        """State initialization: copied to both sides, not modelled (chapter 3)."""
        self.replay.apply(reported, init=True)
        for request in group.memory:
            value = request.response_data if request.data is None else request.data
            if value is not None:
                self.replay.initialize(request.address, value.to_bytes(1 << request.size, "little"))


class Plain(NamedTuple):
    """What the fast loop compares, as lists with one element for each section. plain: whether the other columns hold
    all that the section reports.

    rd: 0 none. size: bytes of store data, 0 none. paddr, eaddr: -1 none. kind: PLAIN of what only computes, LOAD of
    what may be one, -1 of anything else; one more, which is -1. place: eaddr, else paddr.
    """

    plain: list[bool]
    pc: list[int]
    insn: list[int]
    next_pc: list[int]
    rd: list[int]
    value: list[int]
    paddr: list[int]
    eaddr: list[int]
    size: list[int]
    data: list[int]
    kind: list[int]
    place: list[int]


def plain_columns(decoded: Decoded, first: int, last: int, odd: Any) -> Plain:
    """Columns of sections first to last - 1. odd: sections that are never plain, as a mask over all."""
    n = last - first
    low, high = int(decoded.change_start[first]), int(decoded.change_start[last])
    counts = np.diff(decoded.change_start[first : last + 1])
    section = np.repeat(np.arange(n), counts)
    key, value = decoded.change_key[low:high], decoded.change_value[low:high]
    is_pc, is_x = key == PC_KEY, (key > GPR_BASE) & (key < FPR_BASE)
    is_data = (key >= MEMDATA_KEY) & (key <= MEMDATA_KEY + 3)
    is_paddr, is_eaddr, paddr = key == PADDR_KEY, key == EADDR_KEY, np.full(n, -1, object)
    kinds = {"pc": is_pc, "x": is_x, "paddr": is_paddr, "eaddr": is_eaddr, "data": is_data}
    plain = (decoded.size[first:last] > 0) & decoded.pc_known[first:last] & ~odd[first:last]
    plain &= (decoded.insn[first:last] & 0x7F != _SYSTEM) | (decoded.size[first:last] != 4)  # CSRs are read
    plain &= ~(decoded.reset | decoded.init | decoded.broken)[first:last] & (decoded.kind[first:last] == 0)
    known = np.zeros(n, np.int64)
    columns = {}
    for name, mask in kinds.items():
        where = section[mask]
        found = np.bincount(where, minlength=n)
        plain &= found == 1 if name == "pc" else found <= 1
        known += found
        column = paddr if name == "paddr" else np.full(n, -1, object) if name == "eaddr" else np.zeros(n, np.uint64)
        column[where] = value[mask].astype(object) if column.dtype == object else value[mask]
        columns[name] = column.tolist()
    plain &= known == counts
    kind = np.full(n, PLAIN)
    kind[section[is_eaddr]] = -1
    kind[section[is_paddr]] = LOAD
    kind[section[is_data]] = -1
    kind[~plain] = -1
    place = paddr.copy()
    place[section[is_eaddr]] = value[is_eaddr].astype(object)
    rd, size = np.zeros(n, np.int64), np.zeros(n, np.int64)
    rd[section[is_x]] = key[is_x] - GPR_BASE
    size[section[is_data]] = 1 << key[is_data] - MEMDATA_KEY
    return Plain(
        plain.tolist(),
        decoded.pc[first:last].tolist(),
        decoded.insn[first:last].tolist(),
        columns["pc"],
        rd.tolist(),
        columns["x"],
        columns["paddr"],
        columns["eaddr"],
        size.tolist(),
        columns["data"],
        [*kind.tolist(), -1],
        place.tolist(),
    )


__all__ = ["Report", "Verdict", "Verifier"]
