# SPDX-License-Identifier: Apache-2.0
"""What messages report beside the flow: privilege and context (7.1), and time (8.7)."""

from __future__ import annotations

from typing import NamedTuple

from rvtrace.models.ntrace.table import Message
from rvtrace.models.riscv.isa import Insn
from rvtrace.models.riscv.retired import Priv

FORMAT_PRIV, FORMAT_RESERVED, FORMAT_SCONTEXT, FORMAT_HCONTEXT = range(4)  # table 12
CONTEXT_BITS = 32  # of scontext on RV64; hcontext has fewer (RISC-V Debug Specification)
TSTAMP_BITS = 64
SCONTEXT, HCONTEXT = (0x5A8,), (0x6A8, 0x7A8)  # CSRs; the second hcontext is what M-mode calls mcontext
NO_TIME = -1
_PRIVS = {int(priv): priv.name for priv in Priv}


class Context(NamedTuple):
    """Privilege ({V, PRV}), scontext and hcontext; None: nothing reported it."""

    priv: int | None = None
    context: int | None = None
    hcontext: int | None = None

    def __str__(self) -> str:
        """`U-mode, scontext 0x5, hcontext unknown`."""
        priv = "privilege unknown" if self.priv is None else f"{_PRIVS.get(self.priv, self.priv)}-mode"
        reported = (("scontext", self.context), ("hcontext", self.hcontext))
        return ", ".join(
            [priv, *(f"{name} {'unknown' if value is None else f'{value:#x}'}" for name, value in reported)]
        )


UNKNOWN = Context()


class ContextChange(NamedTuple):
    """From message `message` on, reported when there were `index` instructions, all is as `context` says.

    csrs: the CSRs of which an instruction may have written one, empty if the change was at once.
    """

    message: int
    index: int
    context: Context
    csrs: tuple[int, ...] = ()


def ownership(process: int, before: Context) -> tuple[Context, tuple[int, ...], str]:
    """(context, CSRs of which one may have been written, what is wrong with it or "") of a PROCESS field (tables 11,
    12).
    """
    form, priv, value = process & 3, process >> 2 & 7, process >> 5
    if form == FORMAT_RESERVED:
        return before, (), "FORMAT=1 is reserved"
    if value >> CONTEXT_BITS:
        return before._replace(priv=priv), (), f"CONTEXT has more than {CONTEXT_BITS} bits"
    wrong = "" if priv in _PRIVS else f"V={priv >> 2} PRV={priv & 3:02b} is reserved"
    if form == FORMAT_PRIV:
        return before._replace(priv=priv), (), wrong or (f"FORMAT=0 with CONTEXT={value:#x}" if value else "")
    name, csrs = ("context", SCONTEXT) if form == FORMAT_SCONTEXT else ("hcontext", HCONTEXT)
    # a change together with the privilege came with a trap or its return, not with an instruction that writes the CSR
    written = value != getattr(before, name) and priv == before.priv
    return before._replace(priv=priv, **{name: value}), csrs if written else (), wrong


def written_csr(insn: Insn | None) -> int | None:
    """The CSR an instruction writes, None if it writes none."""
    if insn is None or insn.size != 4 or insn.raw & 0x7F != 0x73 or not insn.raw >> 12 & 3:
        return None
    only_reads = insn.raw >> 12 & 3 != 1 and not insn.raw >> 15 & 31
    return None if only_reads else insn.raw >> 20


class Clock:
    """The time of one source: absolute where there is a SYNC, else added to the time last reported (8.7, NT-15).

    Messages need not report it; those before the first synchronizing message, and after bytes that were lost, cannot.
    """

    def __init__(self) -> None:
        self.now = NO_TIME

    def forget(self) -> None:
        """Messages were lost: the next differences are not to be added to anything."""
        self.now = NO_TIME

    def take(self, message: Message) -> tuple[int, str, str]:
        """(time of the message or NO_TIME, clause broken or "", how)."""
        stamp, before = message.tstamp, self.now
        if stamp is not None and stamp >> TSTAMP_BITS:
            self.now = NO_TIME
            return NO_TIME, "NT.6.2.max_field", f"TSTAMP has more than {TSTAMP_BITS} bits"
        if message.type.has_sync:
            if stamp is None:
                return NO_TIME, "NT.8.7.absolute", "a synchronizing message without TSTAMP"
            self.now = stamp
            back = before - stamp if before > stamp else 0
            return stamp, "NT.8.7.monotonic" if back else "", f"the time goes back by {back}"
        if stamp is None or before == NO_TIME:
            return NO_TIME, "", ""
        if before + stamp >> TSTAMP_BITS:
            self.now = NO_TIME
            return NO_TIME, "NT.8.7.monotonic", f"TSTAMP={stamp} leads beyond {TSTAMP_BITS} bits"
        self.now = before + stamp
        return self.now, "", ""
