# SPDX-License-Identifier: Apache-2.0
"""What a device holds after reset, where no text says it: taken from the first access that shows it.

A register keeps its reset value until software writes it, so that the first access (a write returns
what was there before, too) shows what has been in force from the start, also for the transfers before it.
"""

from __future__ import annotations

from collections.abc import Mapping

from rvtrace.models.csr.file import ALL as _ALL
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.rows import Rows
from rvtrace.models.ctr.rules import FREEZE
from rvtrace.models.riscv.csr import DONE, READ, Access

_LOOK = 20_000  # rows; a register that none of them shows plays no role in them, or is 0
_KINDS = ("ctl", "vsctl", "status", "depth", "mstateen", "hstateen", "miselect", "siselect", "vsiselect")
_OF = {
    "mctrctl": "ctl",
    "mctrcontrol": "ctl",
    "vsctrctl": "vsctl",
    "vsctrcontrol": "vsctl",
    "sctrstatus": "status",
    "mctrstatus": "status",
    "sctrdepth": "depth",
    "mstateen0": "mstateen",
    "hstateen0": "hstateen",
}


def first_shown(config: Config, rows: Rows) -> Mapping[str, int]:
    """Of each register (`_KINDS`) the value after reset, as far as a run shows it; FROZEN only if it is seen before a
    trap that may set it.
    """
    model = Ctr(config)
    hidden = config.bit("M") | config.bit("MTE")
    left: dict[str, int] = dict.fromkeys(_KINDS, _ALL)
    values: dict[str, int] = dict.fromkeys(_KINDS, 0)
    freezing = False
    for _, _, transfers, access, rdata, outcome in rows.select(slice(0, _LOOK)).cycles():
        freezing = freezing or any(
            model.recorder._rules.action(t.type, t.from_, t.to, t.cause) == FREEZE for t in transfers
        )
        if freezing:
            left["status"] = 0
        if access is None or outcome != DONE or access.addr not in model._csrs:
            continue
        csr = model._csrs[access.addr]
        name = _state(model, access)
        kind = _OF.get(name, name)
        if kind not in left:
            continue
        narrow = config.xlen == 32 or access.xlen32
        seen = (0xFFFFFFFF << 32 if csr.high else 0xFFFFFFFF) if narrow else _ALL
        changed = seen if config.xlen == 32 else _ALL  # by a write; of RV64 also where only half is seen
        if narrow and config.xlen == 64 and name.endswith("iselect"):  # bit 31 is bit 63, and 62:31 are hidden
            seen, rdata = 1 << 63 | (1 << 31) - 1, rdata & (1 << 31) - 1 | rdata >> 31 << 63
        if kind in ("ctl", "vsctl") and csr.level != "M":
            seen, changed = seen & ~hidden, changed & ~hidden
        values[kind] |= rdata << 32 * csr.high & seen & left[kind]
        left[kind] &= ~(seen if access.op == READ else seen | changed)
        if access.op != READ:
            model.access(access)  # what a freeze depends on
    if config.draft:
        values["depth"] = values["ctl"] >> 16 & 15
        values["ctl"] &= ~config.bit("DEPTH")
    return values


def _state(model: Ctr, access: Access) -> str:
    """Name of the register that the access reaches."""
    return model.file.acting(model.file.at[access.addr], access.priv).state
