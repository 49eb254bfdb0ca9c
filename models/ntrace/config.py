"""Configuration of an N-Trace encoder: variant, mode, options and the widths of one implementation.

The option names are those of the Trace Control Interface in lower case (`trTeInstSyncMax` is
`inst_sync_max`); a command line writes them in upper case (`INST_SYNC_MAX=3`). `config.json` of a
capture holds exactly `Config.to_dict()`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

VARIANTS = ("v1_0", "rc7")
MODES = {"btm": 3, "htm": 6}  # trTeInstMode
BTYPES = ("2_3", "1")  # NT-11: exceptions and interrupts told apart, or one code for both


class ConfigError(ValueError):
    """A configuration that is not legal or not built; the text says what is."""


@dataclass(frozen=True)
class Config:
    """One configuration; ConfigError on construction if it is illegal (NT: chapter 4, table 10).

    inst_sync_mode: 0 off, 1 messages, 2 clock cycles, 3 half-words; the interval is 2**(inst_sync_max + 4).
    icnt_bits, hist_bits: widths of the encoder's registers; blocks: ingress blocks a cycle;
    iretire_bits: width of the ingress iretire; b_type: how traps are reported (NT-11).
    The options that are only accepted at 0 are absent from this encoder.
    """

    variant: str = "v1_0"
    mode: str = "htm"
    xlen: int = 64
    inst_sync_mode: int = 0
    inst_sync_max: int = 0
    inst_stall_ena: int = 0
    b_type: str = "2_3"
    icnt_bits: int = 22
    hist_bits: int = 32
    blocks: int = 1
    iretire_bits: int = 7
    src_bits: int = 0
    timestamp: int = 0
    ownership: int = 0
    extend_addr_msb: int = 0
    implicit_return: int = 0
    repeated_history: int = 0
    sequential_jump: int = 0
    all_jumps: int = 0

    def __post_init__(self) -> None:
        for name, legal in _LEGAL.items():
            value = getattr(self, name)
            if value not in legal:
                shown = f"{legal.start} to {legal.stop - 1}" if isinstance(legal, range) else " or ".join(map(str, legal))
                raise ConfigError(f"{name.upper()}={value} is not supported; give {name.upper()}={shown}")
        if self.icnt_bits <= self.iretire_bits:
            raise ConfigError(
                f"ICNT_BITS={self.icnt_bits} cannot hold two blocks of IRETIRE_BITS={self.iretire_bits}; "
                f"give ICNT_BITS={self.iretire_bits + 1} or more"
            )

    @property
    def inst_mode(self) -> int:
        """trTeInstMode: 3 BTM, 6 HTM."""
        return MODES[self.mode]

    @property
    def sync_interval(self) -> int:
        """Periodic synchronization interval in the unit of inst_sync_mode."""
        return 1 << (self.inst_sync_max + 4)

    def to_dict(self) -> dict[str, Any]:
        """What `config.json` holds."""
        return {"ip": "ntrace", **asdict(self)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Config:
        """From `config.json` or command line; numbers may be text. ConfigError names an unknown option."""
        known = {f.name: f for f in fields(cls)}
        given: dict[str, Any] = {}
        for name, value in values.items():
            if name == "ip":
                continue
            if name not in known:
                raise ConfigError(f"unknown option {name.upper()}={value}; known are {', '.join(n.upper() for n in known)}")
            if known[name].type == "int":
                try:
                    value = int(str(value), 0)
                except ValueError:
                    raise ConfigError(f"{name.upper()}={value} is not a number; give one, such as {name.upper()}=0") from None
            given[name] = value
        return cls(**given)


_LEGAL: dict[str, Any] = {
    "variant": VARIANTS, "mode": tuple(MODES), "xlen": (32, 64), "b_type": BTYPES,
    "inst_sync_mode": range(4), "inst_sync_max": range(16), "inst_stall_ena": range(2),
    "icnt_bits": range(5, 23), "hist_bits": range(4, 33), "blocks": (1, 2), "iretire_bits": range(2, 11),
    **dict.fromkeys(
        ("src_bits", "timestamp", "ownership", "extend_addr_msb", "implicit_return", "repeated_history",
         "sequential_jump", "all_jumps"),
        (0,),
    ),
}  # fmt: skip
