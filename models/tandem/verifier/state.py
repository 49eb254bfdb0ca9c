# SPDX-License-Identifier: Apache-2.0
"""Both sides of a replay (section 3.1): the state that the trace reports, the simulator at the same place, and what is
tried and taken back.

`Replay` keeps the two in step; the verifier's loop and the explanation of mismatches both work on it. `Trial` continues
under an assumption and restores both.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rvtrace.models.riscv.iss.csr import MIP, CsrTable
from rvtrace.models.riscv.iss.memory import NOTHING, Memory
from rvtrace.models.tandem import table as format_table
from rvtrace.models.tandem.decoder.decoded import Decoded, Group
from rvtrace.models.tandem.decoder.diagnostics import BROKEN, Diagnostic
from rvtrace.models.tandem.decoder.window import Pieces, Window
from rvtrace.models.tandem.simulator.interface import MTIME_KEY, PC_KEY, PPC_KEY, PRIV_KEY, Simulator, Step
from rvtrace.models.tandem.table import FPR_BASE, GPR_BASE
from rvtrace.models.tandem.verifier.compare import COUNTED, FLOATING, Changes, Comparer, sort_out
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.shadow import Shadow
from rvtrace.models.tandem.verifier.verdict import Report, state_name

FAR = 1 << 16  # bytes after a section in which others can explain it
_ALL = 1 << 62
_NO_PIECES: Pieces | None = None


class Replay:
    """Trace and simulator side by side.

    shadow: what the trace reports; simulator: what executes. known: whether the pc is. inside, before: the decoder's
    diagnostics by the section that they are in, or that follows them. decoded: the sections that are held, of which
    `first` is the number of the first; odd: those of them that have diagnostics. data: the bytes of these, None if
    there are none.
    at: the section that is worked on. Sections have the numbers of the whole trace.
    """

    def __init__(self, simulator: Simulator, profile: Profile, pc: int | None = None) -> None:
        self.simulator, self.profile = simulator, profile
        self.table = CsrTable(profile.hart)
        self.shadow = Shadow(self.table)
        self.comparer = Comparer(simulator, self.shadow, profile)
        self.report = Report(self.table)
        self.inside: dict[int, list[Diagnostic]] = {}
        self.before: dict[int, list[Diagnostic]] = {}
        self.decoded, self.data, self.first, self.at = Decoded.empty(), _NO_PIECES, 0, 0
        self.odd = np.zeros(0, bool)
        self._waiting: list[Diagnostic] = []  # after the last section: of the one that follows, if one does
        self._there = Memory(profile.hart.ram, profile.hart.devices)
        self.known = pc is not None
        if pc is not None:
            self.set_pc(pc)

    # --- the trace

    def extend(self, decoded: Decoded, data: bytes | Window | None, final: bool) -> None:
        """Sections that follow. data: the bytes of the trace, at least those of these sections; None: there are none.
        final: no others will follow.
        """
        found = [*self._waiting, *decoded.diagnostics]
        self.decoded = Decoded.concat([self.decoded, decoded]) if len(self.decoded) else decoded
        self._waiting = []
        if isinstance(data, Window) and len(decoded):
            begin, end = int(decoded.offset[0]), int(decoded.end[-1])
            data, self.data = data[begin:end], self.data or Pieces()
            self.data.append(begin, data)
        elif isinstance(data, bytes):
            self.data = Pieces()
            self.data.append(0, data)
        self.odd = np.concatenate((self.odd, np.zeros(len(decoded), bool)))
        n = len(self.decoded)
        for one in found:
            k = int(np.searchsorted(self.decoded.offset, one.offset, side="right")) - 1
            inside = k >= 0 and (
                one.offset < self.decoded.end[k] or bool(self.decoded.broken[k] and one.name in BROKEN)
            )
            if k == n - 1 and not inside and not final:
                self._waiting.append(one)
                continue
            own = inside or (k >= 0 and k == n - 1)
            place, k = (self.inside, k) if own else (self.before, k + 1)
            place.setdefault(self.first + k, []).append(one)
            if k < n:
                self.odd[k] = True

    @property
    def end(self) -> int:
        """Number of the first section that is not there."""
        return self.first + len(self.decoded)

    def ready(self, final: bool) -> int:
        """Number of the first section of which it may matter what follows those that are there."""
        if final or not len(self.decoded):
            return self.end
        far = int(self.decoded.offset[-1]) - FAR
        return self.first + int(np.searchsorted(self.decoded.offset, far, side="right"))

    def forget(self, before: int) -> None:
        """Drop sections."""
        count = before - self.first
        if count <= 0:
            return
        self.decoded, self.odd, self.first = self.decoded.since(count), self.odd[count:], before
        for found in (self.inside, self.before):
            for k in [k for k in found if k < before]:
                del found[k]
        if self.data is not None:
            self.data.drop(int(self.decoded.offset[0]) if len(self.decoded) else _ALL)

    def is_far(self, k: int) -> bool:
        """Whether section k is so far after the one that is worked on that it does not count."""
        offset = self.decoded.offset
        return bool(offset[k - self.first] - offset[self.at - self.first] >= FAR)

    def group(self, k: int) -> Group:
        """Section k."""
        return self.decoded.group(k - self.first)

    def read(self, k: int) -> tuple[Group, Changes]:
        """Section k, and what it reports in the present state."""
        group = self.group(k)
        reported = sort_out(group, self.profile.hart.mask)
        if self.data is None or not group.size:
            return group, reported
        begin = int(self.decoded.change_start[k - self.first])
        registers, relative = dict(reported.registers), reported.relative
        for n, (key, _) in enumerate(group.changes):
            if key != PC_KEY and not GPR_BASE < key < FPR_BASE:
                continue
            at = int(self.decoded.change_offset[begin + n])
            code = self.data[at]
            if key == PC_KEY:
                relative = code == format_table.INCREMENT_PC
            elif code != format_table.REGISTER:
                old, operand = self.shadow.x[key - GPR_BASE], self.data[at + 3]
                new = old | operand if code == format_table.OR else old + operand - (operand >> 7 << 8)
                registers[key - GPR_BASE] = new & self.profile.hart.mask
        return group, reported._replace(registers=registers, relative=relative)

    def is_step(self, group: Group, reported: Changes, k: int) -> bool:
        """Whether a group (section k) is something that the simulator should execute, and not only state that changes
        by itself.
        """
        if group.outside or group.reset or (group.init and not group.size):
            return False
        if (
            group.size
            or reported.next_pc is not None
            or reported.registers
            or reported.memdata
            or reported.priv is not None
            or not self.profile.traces("insn")
        ):
            return True
        if any(one.name == "increment_without_instruction" for one in self.inside.get(k, ())):
            return True
        return any(
            not self.comparer.moves(self.table.view(address, self.shadow.csr).of)
            for address in reported.csrs
            if address in self.table.names
        )

    def counts(self, group: Group) -> int:
        """1 for a group that counts as an instruction."""
        return int(bool(group.size) or not self.profile.traces("insn"))

    # --- what both sides get

    def commit(self, group: Group, reported: Changes, step: Step) -> None:
        """A step that matches or is accepted: both sides have it. Non-deterministic state comes from the trace."""
        shadow = self.shadow
        if not shadow.settled:
            shadow.settle(self.comparer.determined(step))
        shadow.follow(step)
        if step.seen and step.rd and step.seen[0] in self.table.names:
            of = self.table.view(step.seen[0], shadow.csr).of
            if of in shadow.unknown and of not in COUNTED and of not in step.csrs:
                shadow.report(step.seen[0], self.simulator.read(step.seen[0]))
            shadow.counter_known(step.seen[0])
        self.nondeterministic(reported, step)

    def nondeterministic(self, reported: Changes, step: Step | None = None) -> None:
        """Non-deterministic bits that the group reports, and state that the simulator does not have."""
        for address, value in reported.csrs.items():
            if address not in self.table.names:
                self._unmodelled(address, value)
                continue
            if self.comparer.is_sample(address, step):
                continue
            bits = self.comparer.moving(address)
            if bits:
                self.comparer.pending_reported |= self.table.view(address, self.shadow.csr).of == MIP
                self.set_csr(address, self.simulator.read(address) & ~bits | value & bits)
            self.shadow.counter_known(address)
        for key, value in reported.other.items():
            self.shadow.other[key] = value
            if key == MTIME_KEY:
                self.simulator.write(MTIME_KEY, value)
            elif FPR_BASE <= key < FPR_BASE + 32 or (key == PPC_KEY and not self._has(key)):
                self._unmodelled(key, value)

    def _has(self, key: int) -> bool:
        try:
            self.simulator.read(key)
        except KeyError:
            return False
        return True

    def _unmodelled(self, key: int, value: int) -> None:
        self.shadow.other[key] = value
        name = (
            "floating-point state"
            if key in FLOATING or FPR_BASE <= key < FPR_BASE + 32
            else state_name(key, self.table)
        )
        self.report.skipped[name] = self.report.skipped.get(name, 0) + 1

    def apply(self, reported: Changes, init: bool = False) -> None:
        """Give both sides everything that a group reports: reset, initialization, or a trace that is accepted. init:
        samples of counters as well.
        """
        if reported.next_pc is not None:
            self.set_pc(reported.next_pc)
            self.known = True
        for n, value in reported.registers.items():
            self.set_register(n, value)
        for address, value in reported.csrs.items():
            if address in self.table.names and (init or not self.comparer.is_sample(address)):
                self.set_csr(address, value)
                self.shadow.counter_known(address)
        if reported.priv is not None:
            self.set_priv(reported.priv)
        place = reported.eaddr if reported.paddr is None else reported.paddr
        if reported.memdata is not None and place is not None:
            size, value = reported.memdata
            self.initialize(place, value.to_bytes(size, "little"))
        self.nondeterministic(reported)

    def reset(self) -> None:
        """Hart reset on both sides; the pc, and what reset leaves open, are the trace's to report."""
        shadow = self.shadow
        self.simulator.reset()
        shadow.csr, shadow.priv = dict(self.table.reset), 3
        shadow.forget_reset()
        for n in self.table.reset_x:
            self.set_register(n, shadow.x[n])
        shadow.pc = self.simulator.read(PC_KEY)
        self.known = not self.profile.traces("pc")

    def set_csr(self, address: int, value: int) -> None:
        """A CSR on both sides."""
        self.shadow.report(address, value)
        self.simulator.write(address, value)

    def set_pc(self, value: int) -> None:
        """The pc on both sides."""
        self.shadow.pc = value
        self.simulator.write(PC_KEY, value)

    def set_register(self, n: int, value: int) -> None:
        """An x register on both sides."""
        self.shadow.x[n] = value
        self.simulator.write(GPR_BASE + n, value)

    def set_priv(self, value: int) -> None:
        """The privilege on both sides."""
        if value in format_table.PRIVILEGES:
            self.shadow.priv = value
            self.simulator.write(PRIV_KEY, value)

    def initialize(self, address: int, body: bytes) -> None:
        """Memory on both sides, where the hart has some: damaged bytes report any address."""
        if self._there.what(address, len(body)) != NOTHING:
            self.set_memory(address, body)

    def set_memory(self, address: int, body: bytes) -> None:
        """Memory on both sides."""
        self.shadow.memory.write(address, body)
        self.simulator.write_memory(address, body)


class Trial:
    """`with trial: ...` restores shadow, simulator and counts at its end. Trials do not nest, but `fits` may run within
    one.
    """

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self._steps: list[Step] = []
        self._memory: list[tuple[int, bytes]] = []
        self._saved: tuple[Any, ...] | None = None

    def __enter__(self) -> Trial:
        shadow = self.replay.shadow
        self._steps, self._memory = [], []
        self._saved = self._state()
        shadow.memory.journal = self._memory
        return self

    def __exit__(self, *_error: object) -> None:
        assert self._saved is not None  # __enter__ was before
        self._back(0, 0, self._saved)
        self._saved, self.replay.shadow.memory.journal = None, None

    def _state(self) -> tuple[Any, ...]:
        v, shadow = self.replay, self.replay.shadow
        state = (
            shadow.x[:],
            dict(shadow.csr),
            shadow.pc,
            shadow.priv,
            dict(shadow.other),
            v.comparer.pending_reported,
            dict(v.report.skipped),
        )
        return *state, dict(shadow.unknown), v.comparer.counters()

    def _back(self, steps: int, writes: int, saved: tuple[Any, ...]) -> None:
        """To the state after that many steps and writes of memory."""
        v, shadow = self.replay, self.replay.shadow
        x, csr, pc, priv, other, pending, skipped, unknown, counters = saved
        journal, shadow.memory.journal = self._memory, None
        for address, body in reversed(journal[writes:]):
            shadow.memory.write(address, body)
            v.simulator.write_memory(address, body)
        for n in range(1, 32):
            if shadow.x[n] != x[n]:
                v.simulator.write(0x1000 + n, x[n])
        for address, value in shadow.csr.items():
            if csr[address] != value:
                v.simulator.write(address, csr[address])
        shadow.x[:], shadow.csr, shadow.pc, shadow.priv, shadow.other = x, dict(csr), pc, priv, dict(other)
        v.comparer.pending_reported = pending
        v.report.skipped = dict(skipped)
        v.comparer.undo(self._steps[steps:])
        shadow.unknown = dict(unknown)
        v.comparer.set_counters(counters)
        del journal[writes:]
        del self._steps[steps:]
        shadow.memory.journal = journal

    def note(self, step: Step) -> None:
        """A step that was done and followed by the shadow within the trial (no effect outside of one)."""
        if self._saved is not None:
            self._steps.append(step)

    def follow(self, step: Step) -> None:
        """A step for which the trace has no group."""
        self.replay.shadow.follow(step)
        self._steps.append(step)

    def fit(self, sections: Iterable[int], least: int = 1) -> bool:
        """Whether these sections fit from here on: no contradiction, and at least this many steps if there are so many.
        Takes itself back.
        """
        depth, contradicted = self.fits(sections)
        return not contradicted and (depth >= least or depth > 0)

    def fits(self, sections: Iterable[int]) -> tuple[int, bool]:
        """How many of these sections' steps fit, up to the profile's lookahead, and whether one does not. Takes itself
        back.
        """
        v = self.replay
        saved = self._state()
        steps, writes = len(self._steps), len(self._memory)
        depth, contradicted = 0, False
        for k in sections:
            if depth >= v.profile.lookahead or v.is_far(k):
                break
            group, reported = v.read(k)
            if group.broken or group.reset or group.init or k in v.inside or k in v.before:
                break
            if not v.is_step(group, reported, k):
                v.nondeterministic(reported)
                continue
            step, apart = v.comparer.attempt(group, reported)
            self._steps.append(step)
            if apart:
                contradicted = True
                break
            v.commit(group, reported, step)
            depth += 1
        self._back(steps, writes, saved)
        return depth, contradicted
