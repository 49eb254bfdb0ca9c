# SPDX-License-Identifier: Apache-2.0
"""The CSRs of the instruction set simulator as a table: name, value after reset, bits that can be written, views of
others.

`CsrTable(config)` is that table for one implementation. State is kept by address of the register that holds it:
sstatus, sie and sip are views of mstatus, mie and mip, cycle and instret of the counters (privileged manual, chapters 2
to 4).
"""

from __future__ import annotations

from typing import NamedTuple

from rvtrace.models.riscv.iss.config import HartConfig, HartError

MSTATUS, MISA, MEDELEG, MIDELEG, MIE, MTVEC, MCOUNTEREN, MSTATUSH = (
    0x300,
    0x301,
    0x302,
    0x303,
    0x304,
    0x305,
    0x306,
    0x310,
)
MCOUNTINHIBIT, MSCRATCH, MEPC, MCAUSE, MTVAL, MIP = 0x320, 0x340, 0x341, 0x342, 0x343, 0x344
SSTATUS, SIE, STVEC, SCOUNTEREN, SSCRATCH, SEPC, SCAUSE, STVAL, SIP, SATP = (
    0x100,
    0x104,
    0x105,
    0x106,
    0x140,
    0x141,
    0x142,
    0x143,
    0x144,
    0x180,
)
MENVCFG, MENVCFGH, SENVCFG = 0x30A, 0x31A, 0x10A
MCYCLE, MINSTRET, MCYCLEH, MINSTRETH = 0xB00, 0xB02, 0xB80, 0xB82
CYCLE, TIME, INSTRET, CYCLEH, TIMEH, INSTRETH = 0xC00, 0xC01, 0xC02, 0xC80, 0xC81, 0xC82
ALL = -1

# bits of mstatus (3.1.6)
ST_SIE, ST_MIE, ST_SPIE, ST_MPIE, ST_SPP, ST_MPP = 1 << 1, 1 << 3, 1 << 5, 1 << 7, 1 << 8, 3 << 11
ST_MPRV, ST_SUM, ST_MXR, ST_TVM, ST_TW, ST_TSR = 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22
MISA_X = 1 << 23  # non-standard extensions are present
_RESET = {MSTATUS: ST_MIE | ST_MPRV}  # "reset to 0" (3.4)
_KEPT = {MISA, 0xF14, MCYCLE, MINSTRET, TIME}  # the hart's number is given; counters have rules of their own
FIOM = 1  # of menvcfg and senvcfg (3.1.18, 4.1.10); no other field there has an extension that this hart has
S_INTERRUPTS, M_INTERRUPTS = 0x222, 0x888
DELEGABLE = 0xB3FF


class View(NamedTuple):
    """A CSR that shows bits of another: its own bits `mask`, written as far as `writable`; `shift` 32: a high half."""

    of: int
    mask: int
    writable: int
    shift: int = 0


class CsrTable:
    """CSRs of one implementation, by address.

    reset: value after reset of every register that holds state. writable: its bits that a write changes. views: the
    others. names: of all that exist. unspecified: bits whose value after reset the privileged manual leaves to the
    implementation (3.4) and the configuration does not give. reset_x: values of x registers that it gives.
    """

    def __init__(self, config: HartConfig) -> None:
        self.config = config
        self.names: dict[int, str] = {}
        self.reset: dict[int, int] = {}
        self.writable: dict[int, int] = {}
        self.views: dict[int, View] = {}
        self._machine()
        if "s" in config.modes:
            self._supervisor()
        self._counters()
        addresses = {name: address for address, name in self.names.items()}
        for name, bits in config.warl:
            if name not in addresses or addresses[name] in self.views:
                raise HartError(f"warl names {name!r}, which is no CSR with bits of its own here; correct the name")
            self.writable[addresses[name]] &= bits
        self.reset_x: dict[int, int] = {}
        for name, value in config.reset:
            number = name[1:] if name[:1] == "x" else ""
            if number.isdecimal() and 0 < int(number) < 32:
                self.reset_x[int(number)] = value & config.mask
            elif name in addresses and addresses[name] not in self.views:
                self.reset[addresses[name]] = value & config.mask
            else:
                raise HartError(
                    f"reset names {name!r}, which is neither x1 to x31 nor a CSR with bits of its own here; correct it"
                )
        declared = {addresses[name] for name, _ in config.reset if name in addresses}
        self.unspecified = {
            address: config.mask & ~_RESET.get(address, 0)
            for address in self.reset
            if address not in declared and address not in _KEPT and not 0x3A0 <= address < 0x3B0
        }
        self.unspecified[MISA] = 0 if MISA in declared else MISA_X
        for name in config.absent:
            if name not in addresses:
                raise HartError(f"absent names {name!r}, which is no CSR here; correct the name")
            del self.names[addresses[name]]

    def _add(self, address: int, name: str, writable: int, reset: int = 0) -> None:
        self.names[address], self.reset[address] = name, reset
        self.writable[address] = writable & self.config.mask

    def _view(self, address: int, name: str, view: View) -> None:
        self.names[address], self.views[address] = name, view

    def _machine(self) -> None:
        config = self.config
        has_s, has_u = "s" in config.modes, "u" in config.modes
        status = ST_MIE | ST_MPIE | ST_MPP
        status |= (ST_MPRV | ST_TW) * has_u | (ST_SIE | ST_SPIE | ST_SPP | ST_SUM | ST_MXR | ST_TVM | ST_TSR) * has_s
        fixed = (2 << 32) * has_u | (2 << 34) * has_s if config.xlen == 64 else 0
        self._add(MSTATUS, "mstatus", status, fixed | ST_MPP * (not has_u))
        if config.xlen == 32:
            self._add(MSTATUSH, "mstatush", 0)
        self._add(MISA, "misa", 0, config.misa)
        for address, name, value in (
            (0xF11, "mvendorid", config.vendor),
            (0xF12, "marchid", config.arch),
            (0xF13, "mimpid", config.imp),
            (0xF14, "mhartid", config.hartid),
            (0xF15, "mconfigptr", 0),
        ):
            self._add(address, name, 0, value)
        if has_s:
            self._add(MEDELEG, "medeleg", DELEGABLE)
            self._add(MIDELEG, "mideleg", S_INTERRUPTS)
        self._add(MIE, "mie", M_INTERRUPTS | S_INTERRUPTS * has_s)
        self._add(MIP, "mip", S_INTERRUPTS * has_s)
        self._add(MTVEC, "mtvec", ~2)
        self._add(MSCRATCH, "mscratch", ALL)
        self._add(MEPC, "mepc", ~1 if config.compressed else ~3)
        self._add(MCAUSE, "mcause", ALL)
        self._add(MTVAL, "mtval", ALL)
        self._add(MCOUNTINHIBIT, "mcountinhibit", 5)
        if has_u:
            self._add(MCOUNTEREN, "mcounteren", 0xFFFFFFFF)
            self._add(MENVCFG, "menvcfg", FIOM)
            if config.xlen == 32:
                self._add(MENVCFGH, "menvcfgh", 0)
        step = config.xlen // 32
        for n in range(0, config.pmp_entries // 4, step):
            self._add(0x3A0 + n, f"pmpcfg{n}", int("9f" * (config.xlen // 8), 16))
        for n in range(config.pmp_entries):
            self._add(0x3B0 + n, f"pmpaddr{n}", (1 << 54) - 1)

    def _supervisor(self) -> None:
        wide = self.config.xlen == 64
        bits = ST_SIE | ST_SPIE | ST_SPP | ST_SUM | ST_MXR
        self._view(SSTATUS, "sstatus", View(MSTATUS, bits | (3 << 32) * wide, bits))
        self._view(SIE, "sie", View(MIE, ALL, ALL))  # as far as delegated: Csrs.masks
        self._view(SIP, "sip", View(MIP, ALL, 2))
        self._add(STVEC, "stvec", ~2)
        self._add(SCOUNTEREN, "scounteren", 0xFFFFFFFF)
        self._add(SENVCFG, "senvcfg", FIOM)
        self._add(SSCRATCH, "sscratch", ALL)
        self._add(SEPC, "sepc", ~1 if self.config.compressed else ~3)
        self._add(SCAUSE, "scause", ALL)
        self._add(STVAL, "stval", ALL)
        asid = (1 << self.config.asid_bits) - 1
        self._add(SATP, "satp", 15 << 60 | asid << 44 | (1 << 44) - 1 if wide else 1 << 31 | asid << 22 | (1 << 22) - 1)

    def _counters(self) -> None:
        """mcycle and minstret; the programmable counters exist and stay 0 (3.1.10)."""
        xlen, user = self.config.xlen, "u" in self.config.modes
        for address, name in ((MCYCLE, "cycle"), (MINSTRET, "instret")):
            self.names[address], self.reset[address], self.writable[address] = (
                f"m{name}",
                0,
                (1 << 64) - 1,
            )  # 64 bits in both
            if user:
                self._view(address + 0x100, name, View(address, (1 << xlen) - 1, 0))
            if xlen == 32:
                self._view(address + 0x80, f"m{name}h", View(address, (1 << 32) - 1, (1 << 32) - 1, 32))
                if user:
                    self._view(address + 0x180, f"{name}h", View(address, (1 << 32) - 1, 0, 32))
        for n in range(3, 32):
            self._add(0x320 + n, f"mhpmevent{n}", 0)
            self._add(MCYCLE + n, f"mhpmcounter{n}", 0)
            if user:
                self._view(CYCLE + n, f"hpmcounter{n}", View(MCYCLE + n, (1 << xlen) - 1, 0))
            if xlen == 32:
                self._add(MCYCLEH + n, f"mhpmcounter{n}h", 0)
                if user:
                    self._view(CYCLEH + n, f"hpmcounter{n}h", View(MCYCLEH + n, (1 << xlen) - 1, 0))
        if user:
            self.names[TIME], self.reset[TIME], self.writable[TIME] = "time", 0, 0  # 64 bits in both; holds mtime
            if xlen == 32:
                self._view(TIMEH, "timeh", View(TIME, (1 << 32) - 1, 0, 32))

    def view(self, address: int, state: dict[int, int]) -> View:
        """How `address` shows state; of a register that holds it, all of it."""
        view = self.views.get(address)
        if view is None:
            return View(address, self.config.mask, self.writable[address] & self.config.mask)
        if address in (SIE, SIP):
            delegated = state[MIDELEG]
            return View(view.of, delegated, delegated & view.writable)
        return view

    def hidden(self, address: int, state: dict[int, int], unknown: dict[int, int]) -> int:
        """Bits that a CSR never shows, whatever extensions there are: of sstatus the fields of mstatus for machine
        mode, of sie and sip interrupts that are not delegated. unknown: bits of registers that are not known.
        """
        if address == SSTATUS:
            return ST_MIE | ST_MPIE | ST_MPP | ST_MPRV | ST_TVM | ST_TW | ST_TSR
        if address in (SIE, SIP) and address in self.views:
            return self.config.mask & ~state[MIDELEG] & ~unknown.get(MIDELEG, 0)
        return 0

    def told(self, address: int, value: int, state: dict[int, int]) -> tuple[int, int]:
        """The register that holds what `address` shows, and its state if that is `value`; read-only bits count like
        others.
        """
        view = self.view(address, state)
        keep = ~(view.mask << view.shift)
        return view.of, state[view.of] & keep | (value & view.mask) << view.shift

    def legal(self, address: int, old: int, new: int) -> int:
        """What a register that held `old` holds when `new` was written (fields that are WARL)."""
        bits = self.writable[address]
        value = old & ~bits | new & bits
        if address == MSTATUS:
            modes = {"m": (3,), "mu": (0, 3), "msu": (0, 1, 3)}[self.config.modes]
            if (value >> 11 & 3) not in modes:
                value = value & ~ST_MPP | (old & ST_MPP if (old >> 11 & 3) in modes else modes[0] << 11)
        elif address == SATP:
            mode = value >> (31 if self.config.xlen == 32 else 60)
            return old if mode and mode not in self.config.paging else value
        elif 0x3A0 <= address < 0x3B0:
            return self._pmpcfg(old, value)
        return value

    def _pmpcfg(self, old: int, new: int) -> int:
        """Locked entries stay, and R=0 with W=1 is reserved (3.7.1)."""
        out = 0
        for shift in range(0, self.config.xlen, 8):
            before, after = old >> shift & 0xFF, new >> shift & 0xFF
            out |= (before if before & 0x80 or after & 3 == 2 else after) << shift
        return out
