# SPDX-License-Identifier: Apache-2.0
"""What kind of hart the instruction set simulator is: extensions, modes, memory, and the choices the manuals leave
open.

    HartConfig(xlen=64, ram=((0x80000000, 0x2000000),), devices=((0x2000000, 0x10000),))

`HartConfig.to_dict` is JSON, so that a hart is described in a file. Sections: RISC-V privileged manual 20211203.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from rvtrace.models.common import json_types

Range = tuple[int, int]
EXTENSIONS = ("imac", "ima", "im", "i", "ic", "imc")
MODES = ("m", "mu", "msu")


class HartError(ValueError):
    """A hart that cannot be, or state that it does not have; the text says what is possible."""


@dataclass(frozen=True)
class HartConfig:
    """One implementation; HartError on construction if it is none.

    xlen: 32 or 64. extensions: of base and M, A, C (Zicsr and Zifencei are always there). modes: m, mu or msu.
    reset_pc: first pc. hartid: mhartid. ram: (base, bytes) of main memory; empty: every address is. devices: (base,
    bytes) that answer loads with what was last written to the simulator's state there (section 1.1 of the trace
    specification). misaligned: whether loads and stores may be (AMOs never). update_ad: A and D bits are set by the
    hart (else a page fault). tval_illegal, tval_breakpoint: whether mtval gets the instruction's bits and the pc, or 0
    (3.1.16). wfi_u: whether WFI is legal in U-mode below S (3.3.3). paging: satp modes beside Bare; empty: those of
    xlen. asid_bits: of satp. pmp_entries: CSRs that exist; they hold what is written and protect nothing. vendor, arch,
    imp: machine identification. warl: (name of a CSR, its bits that a write changes) where these are fewer than the
    manual allows; the others keep their value after reset. absent: CSRs by name that do not exist. reset: (name of a
    CSR or x register, its value after reset), of those that the privileged manual leaves to the implementation (3.4).
    """

    xlen: int = 64
    extensions: str = "imac"
    modes: str = "msu"
    reset_pc: int = 0x80000000
    hartid: int = 0
    ram: tuple[Range, ...] = ()
    devices: tuple[Range, ...] = ()
    misaligned: bool = True
    update_ad: bool = False
    tval_illegal: bool = True
    tval_breakpoint: bool = False
    wfi_u: bool = False
    paging: tuple[int, ...] = ()
    asid_bits: int = -1
    pmp_entries: int = 16
    vendor: int = 0
    arch: int = 0
    imp: int = 0
    warl: tuple[tuple[str, int], ...] = ()
    absent: tuple[str, ...] = ()
    reset: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        if self.xlen not in (32, 64):
            raise HartError(f"XLEN={self.xlen} is not a register width; give XLEN=32 or XLEN=64")
        if self.extensions not in EXTENSIONS:
            raise HartError(f"a hart of {self.extensions!r} is not built; give one of {', '.join(EXTENSIONS)}")
        if self.modes not in MODES:
            raise HartError(f"a hart with modes {self.modes!r} is not built; give one of {', '.join(MODES)}")
        if self.pmp_entries not in (0, 16, 64):
            raise HartError(f"{self.pmp_entries} PMP entries are not possible; give 0, 16 or 64 (3.7.1)")
        legal = (1,) if self.xlen == 32 else (8, 9, 10)
        if not self.paging:
            object.__setattr__(self, "paging", legal if self.xlen == 32 else (8,))
        if set(self.paging) - set(legal):
            raise HartError(f"paging modes {self.paging} are not of RV{self.xlen}; give some of {legal} (4.1.11)")
        widest = 9 if self.xlen == 32 else 16
        if self.asid_bits < 0:
            object.__setattr__(self, "asid_bits", widest)
        for name in ("ram", "devices"):
            object.__setattr__(self, name, tuple((int(base), int(size)) for base, size in getattr(self, name)))
        object.__setattr__(self, "paging", tuple(self.paging))
        object.__setattr__(self, "absent", tuple(self.absent))
        for field in ("warl", "reset"):
            given = getattr(self, field)
            pairs = given.items() if isinstance(given, dict) else given
            object.__setattr__(self, field, tuple((str(name), int(bits)) for name, bits in pairs))

    @property
    def mask(self) -> int:
        """All ones, xlen wide."""
        return (1 << self.xlen) - 1

    @property
    def compressed(self) -> bool:
        """Whether instructions of 16 bits exist."""
        return "c" in self.extensions

    @property
    def misa(self) -> int:
        """Value of misa (3.1.1)."""
        letters = self.extensions + self.modes.replace("m", "")
        return sum(1 << ord(letter) - ord("a") for letter in letters) | (1 if self.xlen == 32 else 2) << self.xlen - 2

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            name: (
                [list(item) if isinstance(item, tuple) else item for item in value]
                if isinstance(value, tuple)
                else value
            )
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> HartConfig:
        """From JSON; HartError names what is unknown."""
        known = [f.name for f in fields(cls)]
        for name in values:
            if name not in known:
                raise HartError(f"a hart has no option {name!r}; those it has: {', '.join(known)}")
        if fault := json_types.wrong(cls, values):
            raise HartError(f"of a hart {fault}")
        return cls(**values)


VIRT_RAM = ((0x80000000, 0x08000000),)
VIRT_DEVICES = ((0x02000000, 0x10000), (0x10000000, 0x1000))


def virt(xlen: int, **choices: Any) -> HartConfig:
    """QEMU's `virt` machine, on which our programs run: 128 MiB at 0x80000000, the CLINT and a UART."""
    return HartConfig(**{"xlen": xlen, "ram": VIRT_RAM, "devices": VIRT_DEVICES, **choices})
