# SPDX-License-Identifier: Apache-2.0
"""Configuration of an N-Trace encoder: variant, mode, options and the widths of one implementation.

The option names are those of the Trace Control Interface in lower case (`trTeInstSyncMax` is
`inst_sync_max`); a command line writes them in upper case (`INST_SYNC_MAX=3`). `config.json` of a
capture is exactly `Config.to_dict()`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rvtrace.models.common.filters import FilterError, FilterSettings
from rvtrace.models.common.options import ConfigError, Options, cut, option, switch

VARIANTS = ("v1_0", "rc7")
MODES = {"btm": 3, "htm": 6}  # trTeInstMode
BTYPES = ("2_3", "1")  # NT-11: separate codes for exceptions and interrupts, or one code for both


@dataclass(frozen=True)
class Config(Options):
    """One configuration of an encoder; ConfigError if it is illegal (N-Trace 1.0, chapter 4 and table 10).

    inst_sync_mode: 0 off, 1 messages, 2 clock cycles, 3 half-words; the interval is 2**(inst_sync_max + 4).
    b_type: how traps are reported (NT-11). src_bits, src_id, inhibit_src: the SRC field (NT-17). timestamp:
    trTsEnable; ts_mode: 1 external, 2 internal system, 3 internal core; ts_prescale divides by 4**n;
    ts_run_in_debug: core mode counts while halted. ownership: trTeContext; hcontext: the hart has that CSR.
    implicit_return: 0 off, 1 counter, 2 partial, 3 full addresses (NT-5). repeat_branch: RepeatBranch messages.
    filter: what is traced, in the language of `rvtrace.models.common.filters`; empty traces everything.
    Widths of one implementation: icnt_bits, hist_bits, repeat_bits (HREPEAT and B-CNT), ts_width, stack_depth (return
    stack), blocks (ingress blocks per cycle), iretire_bits (ingress iretire), fifo_depth (messages queued).
    """

    IP: ClassVar[str] = "ntrace"

    variant: str = option("v1_0", VARIANTS)
    mode: str = option("htm", tuple(MODES))
    xlen: int = option(64, (32, 64))
    inst_sync_mode: int = option(0, range(4))
    inst_sync_max: int = option(0, range(16))
    inst_stall_ena: int = switch()
    b_type: str = option("2_3", BTYPES)
    icnt_bits: int = option(22, range(5, 23))
    hist_bits: int = option(32, range(4, 33))
    blocks: int = option(1, (1, 2))
    iretire_bits: int = option(7, range(2, 11))
    src_bits: int = option(0, range(13))
    src_id: int = option(0, range(1 << 12))
    inhibit_src: int = switch()
    timestamp: int = switch()
    ts_mode: int = option(2, (1, 2, 3))
    ts_prescale: int = option(0, range(4))
    ts_run_in_debug: int = switch()
    ownership: int = switch()
    hcontext: int = switch()
    extend_addr_msb: int = switch()
    implicit_return: int = option(0, range(4))
    repeated_history: int = switch()
    repeat_branch: int = switch()
    sequential_jump: int = switch()
    all_jumps: int = switch()
    filter: str = ""
    stack_depth: int = option(8, range(1, 33))
    repeat_bits: int = option(18, range(2, 19))
    ts_width: int = option(64, range(8, 65))
    fifo_depth: int = option(16, (8, 16, 32, 64, 128))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.icnt_bits <= self.iretire_bits:
            raise ConfigError(
                f"ICNT_BITS={self.icnt_bits} cannot hold two blocks of IRETIRE_BITS={self.iretire_bits}; "
                f"give ICNT_BITS={self.iretire_bits + 1} or more"
            )
        if self.fifo_depth < self.most_messages:
            raise ConfigError(
                f"FIFO_DEPTH={self.fifo_depth} has no room for the {self.most_messages} messages that a beat of "
                f"BLOCKS={self.blocks} can make; give FIFO_DEPTH=16 or more"
            )
        if self.src_id >> self.src_bits:
            raise ConfigError(
                f"SRC_ID={self.src_id} does not fit SRC_BITS={self.src_bits}; give SRC_BITS={self.src_id.bit_length()}"
            )
        try:
            FilterSettings.parse(self.filter, self.xlen)
        except FilterError as error:
            raise ConfigError(cut(error, 250)) from None

    @property
    def most_messages(self) -> int:
        """Messages that the reference encoder can make of one beat (docs/reference/ntrace-profile.md)."""
        return 5 * self.blocks + 1

    @property
    def inst_mode(self) -> int:
        """trTeInstMode: 3 BTM, 6 HTM."""
        return MODES[self.mode]

    @property
    def source_bits(self) -> int:
        """Bits of the SRC field in a message: 0 if it is inhibited (NT-17)."""
        return 0 if self.inhibit_src else self.src_bits

    @property
    def address_bits(self) -> int:
        """Bits to which a decoder extends an address field's top MDO bit (section 8.2); 0: it is not extended."""
        return self.xlen - 1 if self.extend_addr_msb else 0

    @property
    def sync_interval(self) -> int:
        """Periodic synchronization interval in the unit of inst_sync_mode."""
        return 1 << (self.inst_sync_max + 4)
