"""The tandem verifier (chapter 3): replays a decoded trace against an instruction set simulator and says where they part, and whose fault it is.

    report = Verifier(reference(64), Profile.of(config)).run(decode(data, config))
    print(report)

For each group: apply it to the shadow state, copy non-deterministic state, execute one, compare the changes of both sides, and behind a mismatch
make both the same. **Both sides of a mismatch are remembered**: if a later group does not fit but would with the other side's value, that group is no
second mismatch, it is the proof who was right. So one fault gives one report. How findings are explained is `models.tandem.verifier_explain`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from models.riscv.iss import NO_CHANGE
from models.riscv.iss_csr import MIP, CsrTable
from models.riscv.iss_table import LOAD
from models.riscv.program import Program
from models.tandem import table as format_table
from models.tandem.decoded import GROUP, Decoded, Group
from models.tandem.profile import Profile
from models.tandem.shadow import Shadow
from models.tandem.simulator import MTIME_KEY, PC_KEY, PPC_KEY, PRIV_KEY, Simulator, Step
from models.tandem.table import FPR_BASE, GPR_BASE
from models.tandem.verdict import Report, Verdict, state_name
from models.tandem.verifier_compare import _FLOATING, Comparer, Told, sort_out
from models.tandem.verifier_explain import Explainer
from models.tandem.verifier_plain import plain_columns

STRETCH = 1 << 14
MAX_FINDINGS = 10_000


class Verifier:
    """One run. simulator: executes; its memory is what was written to it, and what the trace initializes. second: asked at mismatches.

    pc: of the first instruction, if the trace does not begin with a reset. program: for symbols in findings. `stop_after`, if it is set: so many
    findings end the run.
    """

    def __init__(
        self, simulator: Simulator, profile: Profile, second: Simulator | None = None, pc: int | None = None, program: Program | None = None
    ) -> None:
        self.simulator, self.profile, self.second = simulator, profile, second
        self.program = program or Program(profile.hart.xlen, [])
        self.table = CsrTable(profile.hart)
        self.shadow = Shadow(self.table)
        self.comparer = Comparer(simulator, self.shadow, profile)
        self.report, self.max_findings = Report(self.table), MAX_FINDINGS
        self.stop_after: int | None = None
        self.explainer = Explainer(self)
        self.known = pc is not None  # whether the pc is
        if pc is not None:
            self.shadow.pc = pc
            simulator.write(PC_KEY, pc)
        wanted = ("pc", "insn", "gpr", "csr", "priv", "paddr", "eaddr", "memdata")
        self._fast = all(profile.traces(name) for name in wanted)

    def load(self, segments: Iterable[tuple[int, bytes]]) -> Verifier:
        """Put bytes into the memory of shadow and simulator: a program's segments, if the trace does not load them."""
        for address, body in segments:
            self._store(address, bytes(body))
        return self

    def _store(self, address: int, body: bytes) -> None:
        self.shadow.memory.write(address, body)
        self.simulator.write_memory(address, body)

    def run(self, decoded: Decoded, data: bytes | None = None) -> Report:
        """The whole trace; the report. data: its bytes; with them incremental forms count from the verifier's shadow state, not from the decoder's,

        which goes on from a value that was told wrongly.
        """
        self.decoded, self.data = decoded, data
        n = len(decoded)
        self.report.groups = decoded.group_count
        self.report.instructions = decoded.instruction_count if self.profile.traces("insn") else decoded.group_count
        self.report.transactions = int(np.diff(decoded.memory_start)[~decoded.init].sum())
        odd = self.explainer.place_diagnostics(decoded)
        k = 0
        while k < n:
            last = min(k + STRETCH, n)
            columns = plain_columns(decoded, k, last, odd) if self._fast else None
            first, k = k, k
            while k < last:
                if columns is not None and self.known and not self.explainer.watching:
                    k = first + self._plain(columns, k - first)
                    if k >= last:
                        break
                k = self._section(k)
                if self.stop_after is not None and len(self.report.findings) >= self.stop_after:
                    self.report.stopped = decoded.group_count - int(np.count_nonzero(decoded.kind[k:] == GROUP))
                    return self.report
        self.explainer.finish()
        return self.report

    # --- groups of instructions that change a register and memory at most, and fit

    def _plain(self, columns, k: int) -> int:
        """Compare from section k of the stretch on, as long as everything fits; the first that is left to `_section`."""
        execute, shadow = self.simulator.execute, self.shadow
        x, store = shadow.x, shadow.store
        plain, pcs, insns, nexts, rds, values, paddrs, eaddrs, sizes, datas = columns
        begin, n, step = k, len(plain), None
        while k < n and plain[k]:
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
                if paddrs[k] != paddr or (step.eaddr != paddr if eaddrs[k] < 0 else step.eaddr != eaddrs[k]):
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
            self.report.matched += k - begin
            return k
        self.report.matched += k - begin
        self.comparer.undo([step])
        return k

    # --- everything else

    def read(self, k: int) -> tuple[Group, Told]:
        """Section k, and what it tells in the present state."""
        group = self.decoded.group(k)
        told = sort_out(group, self.profile.hart.mask)
        if self.data is None or not group.size:
            return group, told
        begin, registers, relative = int(self.decoded.change_start[k]), dict(told.registers), told.relative
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
        return group, told._replace(registers=registers, relative=relative)

    def _section(self, k: int) -> int:
        """Section k; the next one to look at."""
        group, told = self.read(k)
        if group.broken or k in self.explainer.before:
            return self.explainer.damaged(k, group, told)
        if group.reset:
            return self._reset(k, group, told)
        if group.init and not group.size:
            return self._initialize(k, group, told)
        if not self.is_step(group, told, k):
            return self._update(k, group, told)
        if not self.known:
            return self.explainer.lost(k, group, told)
        return self.explainer.step(k, group, told)

    def is_step(self, group: Group, told: Told, k: int) -> bool:
        """Whether a group (section k) is something that the simulator should execute, and not only state that changes by itself."""
        if group.outside or group.reset or (group.init and not group.size):
            return False
        if group.size or told.next_pc is not None or told.registers or told.memdata or told.priv is not None or not self.profile.traces("insn"):
            return True
        if any(one.name == "increment_without_instruction" for one in self.explainer.inside.get(k, ())):
            return True
        return any(not self.comparer._moves(self.table.view(address, self.shadow.csr).of) for address in told.csrs if address in self.table.names)

    def counts(self, group: Group) -> int:
        """1 for a group that counts as an instruction."""
        return int(bool(group.size) or not self.profile.traces("insn"))

    def commit(self, group: Group, told: Told, step: Step) -> None:
        """A step that fits, or is taken for right: both sides have it. Non-deterministic state comes from the trace."""
        self.shadow.follow(step)
        if step.seen and step.rd and step.seen[0] in self.table.names:
            self.shadow.counter_told(step.seen[0])
        self.nondeterministic(told, step)

    def nondeterministic(self, told: Told, step: Step | None = None) -> None:
        """Non-deterministic bits that the group tells, and state that the simulator does not have."""
        for address, value in told.csrs.items():
            if address not in self.table.names:
                self._unmodelled(address, value)
                continue
            if self.comparer.is_sample(address, step):
                continue
            bits = self.comparer.moving(address)
            if bits:
                self.comparer.pending_told |= self.table.view(address, self.shadow.csr).of == MIP
                self.set_csr(address, self.simulator.read(address) & ~bits | value & bits)
            self.shadow.counter_told(address)
        for key, value in told.other.items():
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

    def set_csr(self, address: int, value: int) -> None:
        """A CSR on both sides."""
        self.shadow.tell(address, value)
        self.simulator.write(address, value)

    def _unmodelled(self, key: int, value: int) -> None:
        self.shadow.other[key] = value
        name = "floating-point state" if key in _FLOATING or FPR_BASE <= key < FPR_BASE + 32 else state_name(key, self.table)
        self.report.skipped[name] = self.report.skipped.get(name, 0) + 1

    def _reset(self, k: int, group: Group, told: Told) -> int:
        """Hart reset: both sides; the pc, and what reset leaves open, come from the trace."""
        self.simulator.reset()
        shadow = self.shadow
        shadow.csr, shadow.priv = dict(self.table.reset), 3
        shadow.forget_counters()
        shadow.pc = self.simulator.read(PC_KEY)
        self.known = not self.profile.traces("pc")
        self.explainer.forget()
        self.apply(told)
        self.explainer.diagnosed(k, group)
        return k + 1

    def apply(self, told: Told, init: bool = False) -> None:
        """Everything a group tells goes to both sides: reset, initialization, or a trace that is believed. init: samples of counters as well."""
        if told.next_pc is not None:
            self.set_pc(told.next_pc)
            self.known = True
        for n, value in told.registers.items():
            self.set_register(n, value)
        for address, value in told.csrs.items():
            if address in self.table.names and (init or not self.comparer.is_sample(address)):
                self.set_csr(address, value)
                self.shadow.counter_told(address)
        if told.priv is not None:
            self.set_priv(told.priv)
        if told.memdata is not None and (told.paddr is not None or told.eaddr is not None):
            size, value = told.memdata
            self._store(told.eaddr if told.paddr is None else told.paddr, value.to_bytes(size, "little"))
        self.nondeterministic(told)

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

    def set_memory(self, address: int, body: bytes) -> None:
        """Memory on both sides."""
        self._store(address, body)

    def _initialize(self, k: int, group: Group, told: Told) -> int:
        """State initialization: copied to both sides, not modelled (chapter 3)."""
        self.apply(told, init=True)
        for request in group.memory:
            if request.data is not None:
                self._store(request.address, request.data.to_bytes(1 << request.size, "little"))
            elif request.response_data is not None:
                self._store(request.address, request.response_data.to_bytes(1 << request.size, "little"))
        self.explainer.diagnosed(k, group)
        return k + 1

    def _update(self, k: int, group: Group, told: Told) -> int:
        """State that changes without an instruction: the non-deterministic part is taken over, anything else is a mismatch."""
        self.explainer.update(k, group, told)
        return k + 1


__all__ = ["Report", "Verdict", "Verifier"]
