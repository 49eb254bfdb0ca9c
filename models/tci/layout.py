# SPDX-License-Identifier: Apache-2.0
"""Parameters of an implementation of trace control, and components: the registers of one kind of unit.

What a register is: `rvtrace.models.csr.table`. The rows are in `encoder_rows` and `stream_rows`; `registers` joins them
and is what everybody else imports.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rvtrace.models.csr.table import ControlError, Register


@dataclass(frozen=True)
class Params:
    """What one implementation has. The defaults are `rtl/tci/trace_system.sv` with its default parameters; `etrace`
    gives its other format.

    harts: encoders, and inputs of the funnel. xlen: 32 or 64. format, protocol_major, protocol_minor: trTeFormat and
    the protocol's version (1, 1.0 is N-Trace). inst_modes, sync_modes, implicit_return_modes: legal values; an illegal
    mode turns into the last of inst_modes and implicit_return_modes, and into 0 in sync_modes. The flags from triggers
    to vendor are options that are there or not (vendor: the register for what has no standard bit). contexts: legal
    trTeContext. src_bits: widest SRC field (in E-Trace index), src_step: its legal widths are the multiples of this.
    filters, comparators, trigger_inputs, trigger_outputs: how many. ts_modes, funnel_ts_modes: legal trTsMode, empty
    without a timestamp unit. ts_width: bits of the timestamp. sram_bytes: size of the RAM sink's own memory, a power of
    two, 0 without. smem_bits: address bits of its system memory port, 0 without. pin_modes: legal trPibMode.
    divider_bits, divider_reset: trPibDivider.
    """

    harts: int = 2
    xlen: int = 64
    format: int = 1
    protocol_major: int = 1
    protocol_minor: int = 0
    inst_modes: tuple[int, ...] = (3, 6)
    sync_modes: tuple[int, ...] = (0, 1, 2, 3)
    implicit_return_modes: tuple[int, ...] = (1, 2, 3)
    contexts: tuple[int, ...] = (0, 1)
    triggers: bool = True
    stall: bool = True
    no_addr_diff: bool = False
    no_trap_addr: bool = False
    sequential_jump: bool = True
    branch_prediction: bool = False
    jump_target_cache: bool = False
    repeated_history: bool = True
    all_jumps: bool = True
    extend_addr_msb: bool = True
    vendor: bool = True
    src_bits: int = 12
    src_step: int = 1
    filters: int = 2
    comparators: int = 2
    trigger_inputs: int = 8
    trigger_outputs: int = 8
    ts_modes: tuple[int, ...] = (0, 1, 2, 3, 4)
    funnel_ts_modes: tuple[int, ...] = (0, 1, 2)
    ts_width: int = 48
    sram_bytes: int = 4096
    smem_bits: int = 40
    pin_modes: tuple[int, ...] = (0, 8, 9, 10, 11, 12)
    divider_bits: int = 16
    divider_reset: int = 15

    @classmethod
    def etrace(cls, **given: Any) -> Params:
        """Encoders of E-Trace (chapter Encoder Control of its specification): what does not apply is hard-wired."""
        return cls(**{
            "format": 0, "protocol_major": 0, "inst_modes": (6,), "implicit_return_modes": (3,), "contexts": (1,),
            "no_addr_diff": True, "no_trap_addr": True, "branch_prediction": True, "jump_target_cache": True,
            "repeated_history": False, "all_jumps": False, "extend_addr_msb": False, "src_bits": 8, "src_step": 8,
            "trigger_inputs": 0, "trigger_outputs": 0, "pin_modes": (0, 11, 12),
        } | given)  # fmt: skip

    def __post_init__(self) -> None:
        limits = {
            "harts": range(1, 9), "xlen": (32, 64), "src_bits": range(13), "filters": range(17),
            "comparators": range(9), "trigger_inputs": range(9), "trigger_outputs": range(9),
            "format": (0, 1), "ts_width": range(1, 64), "smem_bits": (0, *range(32, 65)), "divider_bits": range(1, 17),
        }  # fmt: skip
        for name, legal in limits.items():
            if getattr(self, name) not in legal:
                raise ControlError(f"{name}={getattr(self, name)} does not exist; give {name} in {list(legal)}")
        if self.sram_bytes and (self.sram_bytes < 8 or self.sram_bytes & (self.sram_bytes - 1)):
            raise ControlError(f"sram_bytes={self.sram_bytes} is no power of two; give sram_bytes=4096 for example")
        if not self.sram_bytes and not self.smem_bits:
            raise ControlError("a RAM sink needs a memory; give sram_bytes or smem_bits")


@dataclass(frozen=True)
class Component:
    """One kind of component: name, tr??CompType, prefix of its names, title, its bases, and its registers by offset."""

    name: str
    comp_type: int
    prefix: str
    title: str
    bases: tuple[int, ...]
    registers: tuple[Register, ...]

    def register(self, name_or_offset: str | int) -> Register:
        """One register by name or offset; ControlError if there is none."""
        for r in self.registers:
            if name_or_offset in (r.name, r.offset):
                return r
        shown = name_or_offset if isinstance(name_or_offset, str) else f"offset {name_or_offset:#05x}"
        raise ControlError(f"{self.name} has no register {shown}; it has {', '.join(r.name for r in self.registers)}")
