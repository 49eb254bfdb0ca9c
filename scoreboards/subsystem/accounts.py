# SPDX-License-Identifier: Apache-2.0
"""What each trace source reports of the flow, in one form: the hart port as observed, E-Trace, N-Trace and tandem
trace, each read by its own decoder.

    accounts = read(capture)            four accounts, the hart port last
    accounts[0].pc, accounts[0].traps, accounts[0].modes

The decoders have the bytes and the program alone; none of them uses another source.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rvtrace.models.etrace.decoder.decode import decode as decode_etrace
from rvtrace.models.etrace.decoder.deframe import Deframer, Frame
from rvtrace.models.ntrace.decoder.decode import decode as decode_ntrace
from rvtrace.models.riscv.retired import PRIVILEGE, Kind
from rvtrace.models.tandem.decoder.decode import decode as decode_tandem
from rvtrace.models.tandem.decoder.decoded import GROUP, Decoded
from rvtrace.models.tandem.table import MCYCLE, MEMDATA, MINSTRET, PADDR, PRIV, STATE_KEY
from rvtrace.scoreboards.subsystem.capture import SubsystemCapture

HART, ETRACE, NTRACE, TANDEM = "hart port", "E-Trace", "N-Trace", "tandem trace"
ABSENT = -1
_TRAP_CSRS = ((0x341, 0x342), (0x141, 0x142), (0x241, 0x242))  # xEPC and xCAUSE that a trap writes
_MEMDATA = range(STATE_KEY + MEMDATA, STATE_KEY + MEMDATA + 4)
_INTERRUPT = 3  # B-TYPE of N-Trace
_PRIV = {code: priv for priv, code in PRIVILEGE.items()}


class Trap(NamedTuple):
    """A trap: instructions retired before it, EPC, whether it is an interrupt, cause; None for what the trace source
    does not report.
    """

    index: int
    epc: int | None
    interrupt: bool | None
    cause: int | None


@dataclass
class Account:
    """What one trace source reports.

    pc: uint64[n], the retired instructions in order; taken: int8[n], direction of each branch, -1 where it does not
    report. traps: in order. modes: (index, {V, PRV}): in which instruction `index` and those after it ran, up to the
    next one; of the tandem trace without V. size: its bytes. trouble: what its decoder complains of first. decoded:
    what the decoder made, None of the hart port.
    """

    name: str
    pc: np.ndarray
    taken: np.ndarray
    traps: list[Trap]
    modes: list[tuple[int, int]] = field(default_factory=list)
    size: int = 0
    trouble: str = ""
    decoded: Any = None

    def __len__(self) -> int:
        return len(self.pc)


@dataclass
class Effects:
    """What the tandem trace reports beside the flow, one element for each of its instructions and traps in order (that
    are not reset or initialization).

    trap: which are traps; insn, size: bits and bytes, size 0 without. load, store: it accessed memory so. mcycle,
    minstret: the counters it reports, -1 where it reports none (they have 64 bits; a counter of more than 63 is not
    met).
    """

    trap: np.ndarray
    pc: np.ndarray
    insn: np.ndarray
    size: np.ndarray
    load: np.ndarray
    store: np.ndarray
    mcycle: np.ndarray
    minstret: np.ndarray


def read(capture: SubsystemCapture) -> tuple[list[Account], Effects]:
    """The account of every source, the hart port's last, and what else the tandem trace reports."""
    reported, effects = tandem(capture)
    return [etrace(capture), ntrace(capture), reported, hart(capture)], effects


def hart(capture: SubsystemCapture) -> Account:
    """What the monitor saw at the port."""
    run = capture.retired
    insn = run.kind == Kind.INSN
    before = np.cumsum(insn) - insn
    traps = [
        Trap(int(before[k]), int(run.pc[k]), bool(run.kind[k] == Kind.INTERRUPT), int(run.cause[k]))
        for k in np.flatnonzero((run.kind == Kind.EXCEPTION) | (run.kind == Kind.INTERRUPT)).tolist()
    ]  # fmt: skip
    return Account(HART, run.pc[insn], run.taken[insn], traps, list(enumerate(run.priv[insn].tolist())))


def packets_of(capture: SubsystemCapture) -> tuple[list[bytes], list[int], str]:
    """E-Trace's packets without their transport, the 16 bits of time of each (-1: none), and what is damaged first."""
    deframer = Deframer(capture.config.etrace)
    found = [*deframer.feed(capture.etrace), *deframer.finish()]
    frames = [item for item in found if isinstance(item, Frame)]
    damage = next((item.text for item in found if not isinstance(item, Frame)), "")
    return [f.payload for f in frames], [ABSENT if f.timestamp is None else f.timestamp for f in frames], damage


def etrace(capture: SubsystemCapture) -> Account:
    """E-Trace."""
    packets, _, damage = packets_of(capture)
    decoded = decode_etrace(packets, capture.program, capture.config.etrace)
    traps = [Trap(e.index, e.epc, bool(e.interrupt), e.ecause) for e in decoded.of("trap")]
    modes = [(e.index, _PRIV.get(int(decoded.priv[e.packet]), ABSENT)) for e in decoded.of("sync", "trap")]
    trouble = damage or (str(decoded.diagnostics[0]) if decoded.diagnostics else "")
    return Account(ETRACE, decoded.pcs, decoded.taken, traps, modes, len(capture.etrace), trouble, decoded)


def ntrace(capture: SubsystemCapture) -> Account:
    """N-Trace; it reports privilege with option ownership only, and no cause."""
    decoded = decode_ntrace(capture.ntrace, capture.program, capture.config.ntrace)
    traps = [
        Trap(e.index, e.epc, None if e.btype not in (2, 3) else e.btype == _INTERRUPT, None)
        for e in decoded.events
        if e.kind == "trap"
    ]
    modes = [(index, context.priv) for index, context in decoded.context_changes if context.priv is not None]
    trouble = str(decoded.diagnostics[0]) if decoded.diagnostics else ""
    return Account(NTRACE, decoded.pcs, decoded.taken, traps, modes, len(capture.ntrace), trouble, decoded)


def tandem(capture: SubsystemCapture) -> tuple[Account, Effects]:
    """The tandem trace: a group with xEPC and xCAUSE is a trap, any other with an instruction has retired it."""
    d = decode_tandem(capture.tandem, capture.config.tandem)
    step = (d.kind == GROUP) & ~d.init & ~d.reset
    epc, cause = _trap_csrs(d)
    trap = step & (epc >= 0)
    insn = step & ~trap & (d.size > 0)
    wide = np.uint64(1 << (capture.config.xlen - 1))
    before = np.cumsum(insn) - insn
    traps = []
    for k in np.flatnonzero(trap).tolist():
        value = np.uint64(d.change_value[cause[k]])
        traps.append(Trap(int(before[k]), int(d.change_value[epc[k]]), bool(value & wide), int(value & ~wide)))
    steps = np.flatnonzero(step & (trap | insn))
    load, store = _accesses(d, steps)
    values = {name: _counter(d, steps, address) for name, address in (("mcycle", MCYCLE), ("minstret", MINSTRET))}
    effects = Effects(
        trap[steps], d.pc[steps], d.insn[steps], d.size[steps], load & ~trap[steps], store & ~trap[steps], **values
    )
    trouble = str(d.diagnostics[0]) if d.diagnostics else ""
    pc, target = d.pc[insn], d.next_pc[insn]
    branch = np.isin(_itypes(capture, pc), (4, 5))
    taken = np.where(branch, (target != pc + d.size[insn]).astype(np.int8), np.int8(-1)).astype(np.int8)
    return Account(TANDEM, pc, taken, traps, _modes(d, insn), len(capture.tandem), trouble, d), effects


def _itypes(capture: SubsystemCapture, pc: np.ndarray) -> np.ndarray:
    return capture.program.columns(pc).itype["v1_0"]


def _sections(d: Decoded) -> np.ndarray:
    """The section of each change."""
    return np.repeat(np.arange(len(d)), np.diff(d.change_start))


def _trap_csrs(d: Decoded) -> tuple[np.ndarray, np.ndarray]:
    """Of each section the change that is its xEPC, and its xCAUSE; -1 if it does not write both."""
    section = _sections(d)
    epc, cause = np.full(len(d), -1), np.full(len(d), -1)
    for epc_csr, cause_csr in _TRAP_CSRS:
        where = [np.full(len(d), -1) for _ in range(2)]
        for found, csr in zip(where, (epc_csr, cause_csr)):
            at = np.flatnonzero(d.change_key == csr)
            found[section[at]] = at
        both = (where[0] >= 0) & (where[1] >= 0)
        epc[both], cause[both] = where[0][both], where[1][both]
    return epc, cause


def _modes(d: Decoded, insn: np.ndarray) -> list[tuple[int, int]]:
    """From which instruction on which privilege was reported; a row's own is the one after it."""
    at, reported = _sections(d), d.change_key == STATE_KEY + PRIV
    before = np.cumsum(insn)
    return list(zip(before[at[reported]].tolist(), d.change_value[reported].astype(np.int64).tolist()))


def _accesses(d: Decoded, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which steps have an address but no store data (a load), and which have store data."""
    section = _sections(d)
    address, data = np.zeros(len(d), bool), np.zeros(len(d), bool)
    address[section[d.change_key == STATE_KEY + PADDR]] = True
    data[section[np.isin(d.change_key, list(_MEMDATA))]] = True
    return (address & ~data)[steps], data[steps]


def _counter(d: Decoded, steps: np.ndarray, csr: int) -> np.ndarray:
    """The 64 bits of mcycle or minstret that each step reports; on RV32 in two registers."""
    section, out = _sections(d), np.full(len(d), ABSENT, np.int64)
    low, high = np.flatnonzero(d.change_key == csr), np.flatnonzero(d.change_key == csr + 0x80)
    out[section[low]] = d.change_value[low].astype(np.int64)
    upper = section[high]
    out[upper] = np.where(out[upper] >= 0, out[upper], 0) | d.change_value[high].astype(np.int64) << 32
    return out[steps]
