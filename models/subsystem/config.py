# SPDX-License-Identifier: Apache-2.0
"""Configuration of the subsystem: one hart, and the settings of its five trace sources.

`config.json` is exactly `Config.to_dict()`; a command line writes the options in upper case (`RETIRE=2 CTR_DEPTH=32`).
The configurations of the parts follow from it: `ntrace`, `etrace`, `tandem`, `ctr`, `hpm`. Trace encoders stall the
hart, so that nothing is lost; the hart reports itypes as N-Trace 1.0 and E-Trace 2.0 define them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from rvtrace.models.common.filters import FilterError, FilterSettings
from rvtrace.models.common.options import ConfigError, Options, cut, items, number, option, switch
from rvtrace.models.ctr.config import Config as CtrConfig
from rvtrace.models.etrace.config import Config as EtraceConfig
from rvtrace.models.hpm.config import Config as HpmConfig
from rvtrace.models.ntrace.config import Config as NtraceConfig
from rvtrace.models.subsystem.events import EVENTS, SELECTOR
from rvtrace.models.tandem.config import Config as TandemConfig

DEPTHS = (16, 32)
COUNTERS = range(3, 11)  # mhpmcounter3 to 10
TS_WIDTH = 48
EVENT_BITS = 2
ALL_MODES = ("M", "S", "U")  # mctrctl, and vsctrctl without M: every mode of the hart is recorded
SELECTED = (
    "branch",
    "taken_branch",
    "jump",
    "call",
    "return",
    "exception",
    "load",
    "store",
)  # unless EVENTS= says otherwise
_CTL = sum(CtrConfig().bit(name) for name in ALL_MODES)
# Modes in which a counter does not count: bits 62:58 of mhpmevent from bit 0 up (MINH, SINH, UINH, VSINH, VUINH).
INHIBIT_LSB = 58
INHIBITED = {"M": 16, "S": 8, "U": 4, "VS": 2, "VU": 1}
_ALL_INHIBITED = sum(INHIBITED.values())


@dataclass(frozen=True)
class Config(Options):
    """One hart and its trace sources; ConfigError if it is illegal.

    xlen: 32 or 64. retire: instructions and traps per cycle, at most. mode: of N-Trace, btm or htm. ntrace_returns: its
    implicit_return (0 to 3); repeated_history, ownership: its options (with ownership it reports privilege and
    context). ntrace_filter: what N-Trace traces, in the language of `rvtrace.models.common.filters`: everything that
    the hart does, since the flows are compared; empty without filters. implicit_return, branch_prediction,
    jump_target_cache, full_address: of E-Trace. timestamp: both report the time, in cycles. sync_mode, sync_max: of
    both encoders, the interval of synchronization (0 off, 1 messages, 2 cycles, 3 half-words; 2**(sync_max + 4) of
    them). incremental: of the tandem trace. ctr_depth, ctr_ctl: entries that software asks for, and what it writes to
    mctrctl. ctr_vsctl: what it writes to vsctrctl; -1: as ctr_ctl, without M and MTE. events: selectors of mhpmcounter3
    to 10. inhibit: for each of these counters the modes in which it does not count, as a sum of `INHIBITED`.
    """

    IP: ClassVar[str] = "subsystem"

    xlen: int = option(64, (32, 64))
    retire: int = option(1, (1, 2))
    mode: str = option("htm", ("btm", "htm"))
    ntrace_returns: int = option(0, range(4))
    repeated_history: int = switch()
    ownership: int = switch()
    ntrace_filter: str = ""
    implicit_return: int = switch()
    branch_prediction: int = switch()
    jump_target_cache: int = switch()
    full_address: int = switch()
    timestamp: int = switch()
    sync_mode: int = option(1, range(4))
    sync_max: int = option(4, range(16))
    incremental: int = option(1, range(3))
    ctr_depth: int = option(16, DEPTHS)
    ctr_ctl: int = option(_CTL, range(1 << 64))
    events: tuple[int, ...] = tuple(SELECTOR[name] for name in SELECTED)
    ctr_vsctl: int = option(-1, range(-1, 1 << 64))
    inhibit: tuple[int, ...] = (0,) * len(COUNTERS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.events) != len(COUNTERS) or not all(
            0 <= selector < SELECTOR[EVENTS[0]] + len(EVENTS) for selector in self.events
        ):
            raise ConfigError(
                f"EVENTS={','.join(map(cut, self.events))} is not supported; give {len(COUNTERS)} selectors of 0 to"
                f" {SELECTOR[EVENTS[0]] + len(EVENTS) - 1}, or names such as branch,call"
            )
        if len(self.inhibit) != len(COUNTERS) or not all(0 <= modes <= _ALL_INHIBITED for modes in self.inhibit):
            raise ConfigError(
                f"INHIBIT={','.join(map(cut, self.inhibit))} is not supported; for each of {len(COUNTERS)} counters"
                " give modes such as M+VS, or 0"
            )
        for name, given, writable in (
            ("ctr_ctl", self.ctr_ctl, _WRITABLE),
            ("ctr_vsctl", max(self.ctr_vsctl, 0), _WRITABLE & ~_MACHINE),
        ):
            if given & ~writable:
                raise ConfigError(
                    f"{name.upper()}={given:#x} has bits {given & ~writable:#x} that are not filters; give bits of"
                    f" {writable:#x}"
                )
            if self.xlen == 32 and given >> 32:
                raise ConfigError(
                    f"{name.upper()}={given:#x} filters types of transfers, and RV32 has no upper half of the register;"
                    f" give bits of {writable & 0xFFFF_FFFF:#x}, or XLEN=64"
                )
        try:
            FilterSettings.parse(self.ntrace_filter, self.xlen)
        except FilterError as error:
            raise ConfigError(cut(str(error).replace("FILTER=", "NTRACE_FILTER="), 250)) from None

    @cached_property
    def ntrace(self) -> NtraceConfig:
        """The N-Trace encoder."""
        return NtraceConfig(
            mode=self.mode,
            xlen=self.xlen,
            blocks=self.retire,
            implicit_return=self.ntrace_returns,
            repeated_history=self.repeated_history,
            ownership=self.ownership,
            inst_sync_mode=self.sync_mode,
            inst_sync_max=self.sync_max,
            inst_stall_ena=1,
            timestamp=self.timestamp,
            ts_mode=3,
            ts_width=TS_WIDTH,
            filter=self.ntrace_filter,
        )

    @cached_property
    def etrace(self) -> EtraceConfig:
        """The E-Trace encoder."""
        return EtraceConfig(
            iaddress_width_p=self.xlen,
            blocks_p=self.retire,
            implicit_return=self.implicit_return,
            branch_prediction=self.branch_prediction,
            jump_target_cache=self.jump_target_cache,
            full_address=self.full_address,
            inst_sync_mode=self.sync_mode,
            inst_sync_max=self.sync_max,
            inst_stall_ena=1,
            ctype="2",
            timestamp=self.timestamp,
            flow=0,
        )

    @cached_property
    def tandem(self) -> TandemConfig:
        """The tandem-trace encoder."""
        return TandemConfig(
            xlen=self.xlen, mlen=64 if self.xlen == 64 else 34, lanes=self.retire, incremental=self.incremental
        )

    @cached_property
    def ctr(self) -> CtrConfig:
        """The control transfer records."""
        vs = self.ctr_ctl & ~_MACHINE if self.ctr_vsctl < 0 else self.ctr_vsctl
        return CtrConfig(
            xlen=self.xlen, transfers=self.retire, depths=DEPTHS, depth=self.ctr_depth, ctl=self.ctr_ctl, vsctl=vs
        )

    @cached_property
    def hpm(self) -> HpmConfig:
        """The counters."""
        counters = sum(1 << n for n in COUNTERS)
        return HpmConfig(
            xlen=self.xlen, retired=self.retire, events=len(EVENTS), event_bits=EVENT_BITS, counters=counters
        )

    @classmethod
    def parse(cls, name: str, value: Any, given: Mapping[str, Any]) -> Any:
        """EVENTS are numbers or names, fewer than there are counters: the other counters count nothing.

        INHIBIT are modes joined by +, of one counter after the other.
        """
        if name == "inhibit":
            modes = tuple(_modes(item) for item in (value.split(",") if isinstance(value, str) else items(name, value)))
            return modes + (0,) * (len(COUNTERS) - len(modes))
        if name != "events":
            return super().parse(name, value, given)
        found = tuple(
            SELECTOR[item] if isinstance(item, str) and item in SELECTOR else number(name, item)
            for item in items(name, value)
        )
        return found + (0,) * (len(COUNTERS) - len(found))

    def word(self, name: str, value: Any) -> str:
        """EVENTS as names, INHIBIT as modes, CTR_CTL and CTR_VSCTL in hexadecimal."""
        if name == "events":
            names = {selector: event for event, selector in SELECTOR.items()}
            return super().word(name, [names.get(selector, selector) for selector in value])
        if name == "inhibit":
            modes = ["+".join(mode for mode, bit in INHIBITED.items() if one & bit) or "0" for one in value]
            return super().word(name, modes)
        return hex(value) if name in ("ctr_ctl", "ctr_vsctl") and value >= 0 else super().word(name, value)


def _modes(item: Any) -> int:
    """Modes of one counter, as a number or as names joined by +."""
    if isinstance(item, str) and item and all(name in INHIBITED for name in item.split("+")):
        return sum({INHIBITED[name] for name in item.split("+")})
    return number("inhibit", item, example="M+VS")


# What may be recorded is chosen by mode and by type of transfer; RAS emulation and clearing are tested with IP=ctr.
FILTERS = ("EXCINH", "INTRINH", "TRETINH", "NTBREN", "TKBRINH", "INDCALLINH", "DIRCALLINH", "INDJMPINH", "DIRJMPINH",
            "CORSWAPINH", "RETINH", "INDLJMPINH", "DIRLJMPINH", "MTE", "STE")  # fmt: skip
FREEZES = ("BPFRZ", "LCOFIFRZ")  # a breakpoint, or a local counter overflow interrupt, ends the recording
_WRITABLE = sum(CtrConfig().bit(name) for name in (*ALL_MODES, *FILTERS, *FREEZES))
_MACHINE = sum(CtrConfig().bit(name) for name in ("M", "MTE"))  # not in vsctrctl
