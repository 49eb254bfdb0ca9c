# SPDX-License-Identifier: Apache-2.0
"""What one transfer does, as a pure function of the control registers: chapter Behavior of both texts, CTR-3 to CTR-8.

FROZEN is not looked at here: while it is 1 no transfer does anything.
"""

from __future__ import annotations

from functools import lru_cache

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import (
    BREAKPOINT,
    DIRECT_CALL,
    EXCEPTION,
    INDIRECT_CALL,
    INTERRUPT,
    LCOFI,
    RETURN,
    SWAP,
    TRAP_RETURN,
)
from rvtrace.models.riscv.csr import DEBUG, HS, VS, VU, M, U

# What a transfer does: nothing; a record, whole, without source PC, without target PC; in RAS emulation a call is
# recorded, a swap overwrites entry 0, a return pops; it sets FROZEN.
NOTHING, WHOLE, NO_SOURCE, NO_TARGET, CALL, OVERWRITE, POP, FREEZE = range(8)

_INHIBIT = {
    1: "EXCINH",
    2: "INTRINH",
    3: "TRETINH",
    5: "TKBRINH",
    8: "INDCALLINH",
    9: "DIRCALLINH",
    12: "CORSWAPINH",
    13: "RETINH",
}
_INHIBIT_NAMES = {
    "v1_0": {**_INHIBIT, 10: "INDJMPINH", 11: "DIRJMPINH", 14: "INDLJMPINH", 15: "DIRLJMPINH"},
    "v0_1_4": {**_INHIBIT, 10: "INDJUMPINH", 11: "DIRJUMPINH", 14: "INDOJMPINH", 15: "DIROJMPINH"},
}
# v1_0, table External Trap Enable Requirements (CTR-4): the modes whose TE bits must be 1, of the target and between.
EXTERNAL = {
    (U, HS): (HS,), (U, M): (M, HS), (HS, M): (M,),
    (VU, VS): (VS,), (VU, HS): (HS, VS), (VU, M): (M, HS, VS), (VS, HS): (HS,), (VS, M): (M, HS),
}  # fmt: skip


class Rules:
    """The two control registers of one moment, and what they make of a transfer. `ctl`, `vsctl`: mctrctl and vsctrctl
    (or mctrcontrol, vsctrcontrol).
    """

    def __init__(self, config: Config, ctl: int, vsctl: int) -> None:
        self.config, self.ctl, self.vsctl = config, ctl, vsctl
        self._bit = _bits(config.variant)

    def enabled(self, mode: int) -> bool:
        """Whether transfers in this mode are recorded: M, S, U by the machine register, VS and VU by the VS register;
        never Debug Mode.
        """
        if mode in (VS, VU):
            return bool(self.vsctl & self._bit["S" if mode == VS else "U"])
        return mode in (M, HS, U) and bool(self.ctl & self._bit[{M: "M", HS: "S", U: "U"}[mode]])

    def action(self, type_: int, from_: int, to: int, cause: int) -> int:
        """NOTHING to FREEZE, above."""
        if DEBUG in (from_, to) or type_ not in _TYPES:
            return NOTHING  # section Privilege Mode Transitions: Debug Mode is always inhibited
        if self._freezes(type_, from_, to, cause):
            return FREEZE
        ruling = self._ruling(from_, to)
        before, after = self.enabled(from_), self.enabled(to)
        if ruling & self._bit["RASEMU"]:
            emulated = {INDIRECT_CALL: CALL, DIRECT_CALL: CALL, SWAP: OVERWRITE, RETURN: POP}
            return emulated.get(type_, NOTHING) if before else NOTHING
        if type_ in (EXCEPTION, INTERRUPT) and before and not after:
            return NO_TARGET if self._external(from_, to, ruling) else NOTHING  # no filter applies
        if self._inhibited(type_, ruling):
            return NOTHING
        if type_ in (EXCEPTION, INTERRUPT):
            return WHOLE if before else NO_SOURCE if after else NOTHING
        if not before:
            return NOTHING
        return NO_TARGET if type_ == TRAP_RETURN and not after else WHOLE

    def _ruling(self, from_: int, to: int) -> int:
        """The register that gives filters and RASEMU: vsctrctl if either side has V = 1 (CTR-3)."""
        return self.vsctl if VU in (from_, to) or VS in (from_, to) else self.ctl

    def _freezes(self, type_: int, from_: int, to: int, cause: int) -> bool:
        """Section Freeze. v1_0: by the target of the trap; draft: by the control register that was active."""
        name = {(EXCEPTION, BREAKPOINT): "BPFRZ", (INTERRUPT, LCOFI): "LCOFIFRZ"}.get((type_, cause))
        if name is None:
            return False
        virtual = from_ in (VS, VU) if self.config.draft else to == VS
        return bool((self.vsctl if virtual else self.ctl) & self._bit[name])

    def _external(self, from_: int, to: int, ruling: int) -> bool:
        """Section External Traps: who has to agree that a trap to a disabled mode is recorded."""
        te = {M: self.ctl & self._bit["MTE"], HS: self.ctl & self._bit["STE"], VS: self.vsctl & self._bit["STE"]}
        if self.config.draft:
            return bool(ruling & self._bit["ETEN"] and te.get(to))
        needed = EXTERNAL.get((from_, to))
        return needed is not None and all(te[mode] for mode in needed)

    def _inhibited(self, type_: int, ruling: int) -> bool:
        """Section Transfer Type Filtering; branches not taken are recorded only on demand."""
        if type_ == 4:
            return not ruling & self._bit["NTBREN"]
        return bool(ruling & self._bit[_INHIBIT_NAMES[self.config.variant][type_]])


_TYPES = frozenset((1, 2, 3, 4, 5, *range(8, 16)))


@lru_cache
def _bits(variant: str) -> dict[str, int]:
    """Masks of the fields of a control register; VS, VU and VSTE of the draft lie where S, U and STE do."""
    config = Config(variant=variant)
    names = (
        "M",
        "S",
        "U",
        "RASEMU",
        "MTE",
        "STE",
        "BPFRZ",
        "LCOFIFRZ",
        "NTBREN",
        "ETEN",
        *_INHIBIT_NAMES[variant].values(),
    )
    return {name: config.bit(name) for name in names}
