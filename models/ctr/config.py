"""Configuration of a control transfer records block: variant, parameters of one implementation, and what software sets first.

`config.json` of a capture holds exactly `Config.to_dict()`; a command line writes the options in upper case (`DEPTHS=16,32`).
Parameters: docs/ctr-profile.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

from models.ctr.registers import DEPTH_CODES, control_fields, optional, required
from models.riscv.options import demand_legal

VARIANTS = ("v1_0", "v0_1_4")
DEPTHS = (16, 32, 64, 128, 256)
ALL = -1  # fields: everything the variant knows


class ConfigError(ValueError):
    """A configuration that is not legal or not built; the text says what is."""


@dataclass(frozen=True)
class Config:
    """One implementation, and a run's first settings; ConfigError on construction if it is illegal.

    xlen: MXLEN. transfers: slots retired in a cycle. depths: supported depths, in the draft consecutive. has_s, has_h:
    modes (U is always there). fields: implemented bits of mctrctl (mctrcontrol) but CLR and DEPTH; -1 or "all" is every
    one, a list of names is understood; what is required is added. has_misp, has_type, has_cc: fields of an entry;
    cce_bits: implemented exponent bits. ras_policy: how CC and CCV behave in RAS emulation (docs/ctr-profile.md).
    has_stateen: mstateen0 and hstateen0 are there.
    depth, ctl, vsctl: what software writes first: number of entries (0: the greatest supported), mctrctl, vsctrctl.
    """

    variant: str = "v1_0"
    xlen: int = 64
    transfers: int = 4
    depths: tuple[int, ...] = DEPTHS
    has_s: int = 1
    has_h: int = 1
    fields: int = ALL
    has_misp: int = 1
    has_type: int = 1
    has_cc: int = 1
    cce_bits: int = 4
    ras_policy: int = 0
    has_stateen: int = 1
    depth: int = 0
    ctl: int = 0
    vsctl: int = 0

    def __post_init__(self) -> None:
        demand_legal(self, _LEGAL, ConfigError)
        object.__setattr__(self, "depths", tuple(sorted(set(self.depths))))
        self._depths()
        if self.has_h and not self.has_s:
            raise ConfigError("HAS_H=1 needs S-mode; give HAS_S=1")
        if self.variant == "v1_0" and not self.has_s:
            raise ConfigError("VARIANT=v1_0 needs S-mode; give HAS_S=1")
        self._fields()
        for name in ("ctl", "vsctl"):
            if not 0 <= getattr(self, name) < 1 << 64:
                raise ConfigError(f"{name.upper()}={getattr(self, name)} is no register value; give 0 to 2**64 - 1")

    def _depths(self) -> None:
        wrong = [d for d in self.depths if d not in DEPTHS]
        if wrong or not self.depths:
            raise ConfigError(f"DEPTHS has {wrong[0] if wrong else 'nothing'}; give some of {','.join(map(str, DEPTHS))}")
        between = tuple(d for d in DEPTHS if self.depths[0] <= d <= self.depths[-1])
        if self.draft and self.depths != between:
            raise ConfigError(f"depths of v0_1_4 are consecutive; give DEPTHS={','.join(map(str, between))}")
        if self.depth == 0:
            object.__setattr__(self, "depth", self.depths[-1])
        if self.depth not in self.depths:
            raise ConfigError(f"DEPTH={self.depth} is not supported; give DEPTH={' or '.join(map(str, self.depths))}")

    def _fields(self) -> None:
        known = optional(self.variant)
        given = known if self.fields == ALL else self.fields
        if given & ~known:
            raise ConfigError(f"FIELDS has bits {given & ~known:#x} that {self.variant} has no field for; give bits of {known:#x}")
        if not self.has_s:
            given &= ~self.bit("S") & ~self.bit("STE")
        given |= required(self.variant, self.has_s)
        object.__setattr__(self, "fields", given)
        te = [name for name in ("MTE", "STE") if given & self.bit(name)]
        need = ["MTE", "STE"] if self.has_s else ["MTE"]
        if (given & self.bit("ETEN") if self.draft else bool(te)) and te != need:
            raise ConfigError(f"external traps need {' and '.join(need)}; add them to FIELDS, or leave out MTE, STE and ETEN")

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

    def to_dict(self) -> dict[str, Any]:
        """What `config.json` holds."""
        return {"ip": "ctr", **asdict(self), "depths": list(self.depths)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Config:
        """From `config.json` or command line; numbers may be text, lists comma-separated. ConfigError names an unknown option."""
        known = {f.name: f for f in fields(cls)}
        given: dict[str, Any] = {}
        for name, value in values.items():
            if name == "ip":
                continue
            if name not in known:
                raise ConfigError(f"unknown option {name.upper()}={value}; known are {', '.join(n.upper() for n in known)}")
            if name == "depths":
                value = tuple(_number(name, item) for item in _items(value))
            elif name == "fields":
                value = _mask(given.get("variant", values.get("variant", cls.variant)), value)
            elif known[name].type == "int":
                value = _number(name, value)
            given[name] = value
        return cls(**given)


def _items(value: Any) -> list[Any]:
    if isinstance(value, str):
        return [item for item in value.replace("+", ",").split(",") if item]
    return list(value) if isinstance(value, Iterable) else [value]


def _number(name: str, value: Any) -> int:
    try:
        return int(str(value), 0) if not isinstance(value, bool) else int(value)
    except ValueError:
        raise ConfigError(f"{name.upper()}={value} is not a number; give one, such as {name.upper()}=0") from None


def _mask(variant: str, value: Any) -> int:
    """FIELDS as a number, as "all", or as names."""
    if value == "all":
        return ALL
    if isinstance(value, int) or (isinstance(value, str) and value.lstrip("-")[:1].isdigit()):
        return _number("fields", value)
    if variant not in VARIANTS:
        raise ConfigError(f"VARIANT={variant} is not supported; give VARIANT={' or '.join(VARIANTS)}")
    known = {f.name: f.mask for f in control_fields(variant) if f.mask & optional(variant)}
    out = 0
    for item in _items(value):
        if item not in known:
            raise ConfigError(f"FIELDS names {item}, which {variant} does not have; give some of {', '.join(known)}")
        out |= known[item]
    return out


_LEGAL: dict[str, Any] = {
    "variant": VARIANTS, "xlen": (32, 64), "transfers": range(1, 5), "cce_bits": range(5), "ras_policy": range(3),
    **dict.fromkeys(("has_s", "has_h", "has_misp", "has_type", "has_cc", "has_stateen"), range(2)),
}  # fmt: skip
