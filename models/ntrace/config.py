"""Configuration of an N-Trace encoder: variant, mode, options and the widths of one implementation.

The option names are those of the Trace Control Interface in lower case (`trTeInstSyncMax` is
`inst_sync_max`); a command line writes them in upper case (`INST_SYNC_MAX=3`). `config.json` of a
capture holds exactly `Config.to_dict()`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from models.ntrace.filters import FilterError, FilterSettings
from models.riscv.options import demand_legal

VARIANTS = ("v1_0", "rc7")
MODES = {"btm": 3, "htm": 6}  # trTeInstMode
BTYPES = ("2_3", "1")  # NT-11: exceptions and interrupts told apart, or one code for both


class ConfigError(ValueError):
    """A configuration that is not legal or not built; the text says what is."""


@dataclass(frozen=True)
class Config:
    """One configuration; ConfigError on construction if it is illegal (NT: chapter 4, table 10).

    inst_sync_mode: 0 off, 1 messages, 2 clock cycles, 3 half-words; the interval is 2**(inst_sync_max + 4).
    b_type: how traps are reported (NT-11). src_bits, src_id, inhibit_src: the SRC field (NT-17). timestamp:
    trTsEnable; ts_mode: 1 external, 2 internal system, 3 internal core; ts_prescale divides by 4**n;
    ts_run_in_debug: core mode counts while halted. ownership: trTeContext; hcontext: the hart has that CSR.
    implicit_return: 0 off, 1 counter, 2 partial, 3 full addresses (NT-5). repeat_branch: RepeatBranch messages.
    filter: what is traced, in the language of `models.ntrace.filters`; empty traces everything.
    Widths of one implementation: icnt_bits, hist_bits, repeat_bits (HREPEAT and B-CNT), ts_width, stack_depth (return
    stack), blocks (ingress blocks a cycle), iretire_bits (ingress iretire), fifo_depth (messages queued).
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
    src_id: int = 0
    inhibit_src: int = 0
    timestamp: int = 0
    ts_mode: int = 2
    ts_prescale: int = 0
    ts_run_in_debug: int = 0
    ownership: int = 0
    hcontext: int = 0
    extend_addr_msb: int = 0
    implicit_return: int = 0
    repeated_history: int = 0
    repeat_branch: int = 0
    sequential_jump: int = 0
    all_jumps: int = 0
    filter: str = ""
    stack_depth: int = 8
    repeat_bits: int = 18
    ts_width: int = 64
    fifo_depth: int = 16

    def __post_init__(self) -> None:
        demand_legal(self, _LEGAL, ConfigError)
        if self.icnt_bits <= self.iretire_bits:
            raise ConfigError(
                f"ICNT_BITS={self.icnt_bits} cannot hold two blocks of IRETIRE_BITS={self.iretire_bits}; "
                f"give ICNT_BITS={self.iretire_bits + 1} or more"
            )
        if self.src_id >> self.src_bits:
            raise ConfigError(f"SRC_ID={self.src_id} does not fit SRC_BITS={self.src_bits}; give SRC_BITS={self.src_id.bit_length()}")
        try:
            FilterSettings.parse(self.filter, self.xlen)
        except FilterError as error:
            raise ConfigError(str(error)) from None

    @property
    def inst_mode(self) -> int:
        """trTeInstMode: 3 BTM, 6 HTM."""
        return MODES[self.mode]

    @property
    def source_bits(self) -> int:
        """Bits of the SRC field really sent: 0 if it is inhibited (NT-17)."""
        return 0 if self.inhibit_src else self.src_bits

    @property
    def address_bits(self) -> int:
        """Bits to which a decoder extends an address field's top MDO bit (section 8.2); 0: it is not extended."""
        return self.xlen - 1 if self.extend_addr_msb else 0

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
    "src_bits": range(13), "src_id": range(1 << 12), "ts_mode": (1, 2, 3), "ts_prescale": range(4),
    "implicit_return": range(4), "stack_depth": range(1, 33), "repeat_bits": range(2, 19), "ts_width": range(8, 65),
    "fifo_depth": (16, 32, 64, 128),
    **dict.fromkeys(
        ("inhibit_src", "timestamp", "ts_run_in_debug", "ownership", "hcontext", "extend_addr_msb", "repeated_history",
         "repeat_branch", "sequential_jump", "all_jumps"),
        range(2),
    ),
}  # fmt: skip
