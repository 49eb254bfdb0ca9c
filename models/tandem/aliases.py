# SPDX-License-Identifier: Apache-2.0
"""CSRs that show the same state: what telling one of them says of the others, so that an incremental form counts from
what the hart holds.

fcsr is frm and fflags (unprivileged manual, "Floating-Point Control and Status Register"); sstatus shows fields of
mstatus; sie and sip show the bits of mie and mip that mideleg names (privileged manual 20211203, 4.1.1 and 4.1.3).
Where mideleg was not reported, nobody knows what one of these says of the other.
"""

from __future__ import annotations

from collections.abc import MutableMapping

from rvtrace.models.tandem.table import FCSR, FFLAGS, FRM

MSTATUS, SSTATUS, MIDELEG = 0x300, 0x100, 0x303
_DELEGATED = ((0x304, 0x104), (0x344, 0x144))  # mie and sie, mip and sip
_PART = dict(_DELEGATED)
_WHOLE = {part: whole for whole, part in _DELEGATED}
# SIE, SPIE, UBE, SPP, VS, FS, XS, SUM, MXR; and SD, on RV64 also UXL.
_SSTATUS = {32: 0x800DE762, 64: 0x80000003000DE762}
_FFLAGS, _FRM, _FRM_AT = 0x1F, 0x7, 5
SHARED = frozenset((FFLAGS, FRM, FCSR, MSTATUS, SSTATUS, MIDELEG, *_WHOLE, *_PART))
"""CSRs that are parts of another register."""


def tell(known: MutableMapping[int, int], address: int, value: int, xlen: int) -> None:
    """Take in that a CSR of SHARED holds a value: known, by address, then has it and all that shows the same state.

    What it leaves unknown of another is taken out.
    """
    known[address] = value
    if address == FCSR:
        known[FFLAGS], known[FRM] = value & _FFLAGS, value >> _FRM_AT & _FRM
    elif address in (FFLAGS, FRM):
        if FCSR in known or (FFLAGS in known and FRM in known):
            rest = known.get(FCSR, 0) & ~(_FFLAGS | _FRM << _FRM_AT)
            flags, mode = (known[one] & bits for one, bits in ((FFLAGS, _FFLAGS), (FRM, _FRM)))
            known[FCSR] = rest | mode << _FRM_AT | flags
    elif address == MSTATUS:
        known[SSTATUS] = value & _SSTATUS[xlen]
    elif address == SSTATUS:
        if MSTATUS in known:
            known[MSTATUS] = known[MSTATUS] & ~_SSTATUS[xlen] | value & _SSTATUS[xlen]
    elif address in _PART:
        _show(known, address, _PART[address])
    elif address in _WHOLE:
        whole = _WHOLE[address]
        if whole in known and MIDELEG in known:
            known[whole] = known[whole] & ~known[MIDELEG] | value & known[MIDELEG]
        else:
            known.pop(whole, None)
    elif address == MIDELEG:
        for whole, part in _DELEGATED:
            _show(known, whole, part)


def _show(known: MutableMapping[int, int], whole: int, part: int) -> None:
    """What mie or mip, and mideleg, say of sie or sip."""
    if whole in known and MIDELEG in known:
        known[part] = known[whole] & known[MIDELEG]
    else:
        known.pop(part, None)
