# SPDX-License-Identifier: Apache-2.0
"""Configuration of a control transfer records block: variant, parameters of one implementation, and what software sets
first.

`config.json` of a capture is exactly `Config.to_dict()`; a command line writes the options in upper case
(`DEPTHS=16,32`). Parameters: docs/reference/ctr-profile.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rvtrace.models.common.options import ConfigError, Options, items, number, option, shown, switch
from rvtrace.models.ctr.fields import DEPTH_CODES, control_fields, optional, required

VARIANTS = ("v1_0", "v0_1_4")
DEPTHS = (16, 32, 64, 128, 256)
ALL = -1  # fields: everything the variant knows


@dataclass(frozen=True)
class Config(Options):
    """One implementation, and the first settings of a run; ConfigError if it is illegal.

    xlen: MXLEN. transfers: slots retired per cycle. depths: supported depths, in the draft consecutive. has_s, has_h:
    modes (U is always there). fields: implemented bits of mctrctl (mctrcontrol) but CLR and DEPTH; -1 or "all" is every
    one, a list of names is understood; required fields are added. has_misp, has_type, has_cc: fields of an entry;
    cce_bits: implemented exponent bits. ras_policy: how CC and CCV behave in RAS emulation
    (docs/reference/ctr-profile.md). has_stateen: mstateen0 and hstateen0 exist.
    depth, ctl, vsctl: what software writes first: number of entries (0: the greatest supported), mctrctl, vsctrctl. In
    the draft ctl holds DEPTH as mctrcontrol does: it is that of `depth`, and without `depth` a DEPTH in ctl selects it.
    """

    IP: ClassVar[str] = "ctr"

    variant: str = option("v1_0", VARIANTS)
    xlen: int = option(64, (32, 64))
    transfers: int = option(4, range(1, 5))
    depths: tuple[int, ...] = DEPTHS
    has_s: int = switch(1)
    has_h: int = switch(1)
    fields: int = ALL
    has_misp: int = switch(1)
    has_type: int = switch(1)
    has_cc: int = switch(1)
    cce_bits: int = option(4, range(5))
    ras_policy: int = option(0, range(3))
    has_stateen: int = switch(1)
    depth: int = 0
    ctl: int = option(0, range(1 << 64))
    vsctl: int = option(0, range(1 << 64))

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "depths", tuple(sorted(set(self.depths))))
        self._depths()
        if self.has_h and not self.has_s:
            raise ConfigError("HAS_H=1 needs S-mode; give HAS_S=1")
        if self.variant == "v1_0" and not self.has_s:
            raise ConfigError("VARIANT=v1_0 needs S-mode; give HAS_S=1")
        self._fields()
        if self.draft:
            ctl = self.ctl & ~self.bit("DEPTH") | self.depth_code(self.depth) << 16
            object.__setattr__(self, "ctl", ctl)

    def _depths(self) -> None:
        wrong = [d for d in self.depths if d not in DEPTHS]
        if wrong or not self.depths:
            raise ConfigError(
                f"{shown('depths', wrong[0] if wrong else 'nothing')} is not supported; give some of"
                f" {','.join(map(str, DEPTHS))}"
            )
        between = tuple(d for d in DEPTHS if self.depths[0] <= d <= self.depths[-1])
        if self.draft and self.depths != between:
            raise ConfigError(f"depths of v0_1_4 are consecutive; give DEPTHS={','.join(map(str, between))}")
        if self.depth == 0:
            object.__setattr__(self, "depth", self._selected() or self.depths[-1])
        if self.depth not in self.depths:
            raise ConfigError(
                f"{shown('depth', self.depth)} is not supported; give DEPTH={' or '.join(map(str, self.depths))}"
            )

    def _selected(self) -> int:
        """The entries that DEPTH of the draft's `ctl` selects; 0 if it has none."""
        field, code = self.bit("DEPTH"), (self.ctl & self.bit("DEPTH")) >> 16
        if code and code not in DEPTH_CODES[self.variant]:
            known = ", ".join(map(str, DEPTH_CODES[self.variant]))
            raise ConfigError(f"CTL={self.ctl:#x} has the reserved DEPTH {code}; give one of {known} in {field:#x}")
        return DEPTH_CODES[self.variant][code] if code else 0

    def _fields(self) -> None:
        known = optional(self.variant)
        if not -1 <= self.fields < 1 << 64:
            raise ConfigError(f"{shown('fields', self.fields)} is not a mask of 64 bits; give bits of {known:#x}")
        given = known if self.fields == ALL else self.fields
        if given & ~known:
            raise ConfigError(
                f"FIELDS has bits {given & ~known:#x} that {self.variant} has no field for; give bits of {known:#x}"
            )
        if not self.has_s:
            given &= ~self.bit("S") & ~self.bit("STE")
        given |= required(self.variant, self.has_s)
        object.__setattr__(self, "fields", given)
        te = [name for name in ("MTE", "STE") if given & self.bit(name)]
        need = ["MTE", "STE"] if self.has_s else ["MTE"]
        if (given & self.bit("ETEN") if self.draft else bool(te)) and te != need:
            raise ConfigError(
                f"external traps need {' and '.join(need)}; add them to FIELDS, or omit MTE, STE and ETEN"
            )

    @property
    def draft(self) -> bool:
        """Whether this is v0_1_4."""
        return self.variant == "v0_1_4"

    def bit(self, name: str) -> int:
        """Mask of a field of mctrctl (mctrcontrol); 0 if the variant does not have it."""
        return next((f.mask for f in control_fields(self.variant) if f.name == name), 0)

    def depth_code(self, depth: int) -> int:
        """DEPTH for a number of entries."""
        return {entries: code for code, entries in DEPTH_CODES[self.variant].items()}[depth]

    @classmethod
    def parse(cls, name: str, value: Any, given: Mapping[str, Any]) -> Any:
        """DEPTHS is a list; FIELDS is a mask, "all", or a list of names of fields of the variant."""
        if name == "depths":
            return tuple(number(name, item) for item in items(name, value))
        if name == "fields":
            return _mask(given.get("variant", cls.variant), value)
        return super().parse(name, value, given)


def _mask(variant: str, value: Any) -> int:
    """FIELDS as a number, as "all", or as names."""
    if value == "all":
        return ALL
    if isinstance(value, int) or (isinstance(value, str) and value.lstrip("-")[:1].isdigit()):
        return number("fields", value)
    if variant not in VARIANTS:
        raise ConfigError(f"{shown('variant', variant)} is not supported; give VARIANT={' or '.join(VARIANTS)}")
    known = {f.name: f.mask for f in control_fields(variant) if f.mask & optional(variant)}
    out = 0
    for item in items("fields", value):
        if not isinstance(item, str) or item not in known:
            raise ConfigError(f"{shown('fields', item)} does not exist in {variant}; give some of {', '.join(known)}")
        out |= known[item]
    return out
