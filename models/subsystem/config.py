"""Configuration of the subsystem: one hart, and what each of its five witnesses is set to.

`config.json` holds exactly `Config.to_dict()`; a command line writes the options in upper case (`RETIRE=2 CTR_DEPTH=32`). The
configurations of the parts follow from it: `ntrace`, `etrace`, `tandem`, `ctr`, `hpm`. Trace encoders stall the hart, so that nobody
loses anything; the hart tells itypes as N-Trace 1.0 and E-Trace 2.0 have them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from models.ctr.config import Config as CtrConfig
from models.etrace.config import Config as EtraceConfig
from models.hpm.config import Config as HpmConfig
from models.ntrace.config import Config as NtraceConfig
from models.riscv.options import demand_legal
from models.subsystem.events import EVENTS, SELECTOR
from models.tandem.config import Config as TandemConfig

DEPTHS = (16, 32)
COUNTERS = range(3, 11)  # mhpmcounter3 to 10
TS_WIDTH = 48
EVENT_BITS = 2
ALL_MODES = ("M", "S", "U")  # mctrctl, and vsctrctl without M: every mode of the hart is recorded
SELECTED = ("branch", "taken_branch", "jump", "call", "return", "exception", "load", "store")  # unless EVENTS= says otherwise
_CTL = sum(CtrConfig().bit(name) for name in ALL_MODES)


class ConfigError(ValueError):
    """A configuration that is not legal; the text says what is."""


@dataclass(frozen=True)
class Config:
    """One hart and its witnesses; ConfigError on construction if it is illegal.

    xlen: 32 or 64. retire: instructions and traps a cycle, at most. mode: of N-Trace, btm or htm. ntrace_returns: its
    implicit_return (0 to 3); repeated_history, ownership: its options (with ownership it tells privilege and context). implicit_return, branch_prediction, jump_target_cache, full_address: of
    E-Trace. timestamp: both tell the time, in cycles. sync_mode, sync_max: of both encoders, the interval of synchronization
    (0 off, 1 messages, 2 cycles, 3 half-words; 2**(sync_max + 4) of them). incremental: of the tandem trace. ctr_depth, ctr_ctl: entries
    that software asks for, and what it writes to mctrctl (and without bit M to vsctrctl). events: selectors of mhpmcounter3 to 10.
    """

    xlen: int = 64
    retire: int = 1
    mode: str = "htm"
    ntrace_returns: int = 0
    repeated_history: int = 0
    ownership: int = 0
    implicit_return: int = 0
    branch_prediction: int = 0
    jump_target_cache: int = 0
    full_address: int = 0
    timestamp: int = 0
    sync_mode: int = 1
    sync_max: int = 4
    incremental: int = 1
    ctr_depth: int = 16
    ctr_ctl: int = _CTL
    events: tuple[int, ...] = tuple(SELECTOR[name] for name in SELECTED)

    def __post_init__(self) -> None:
        demand_legal(self, _LEGAL, ConfigError)
        if len(self.events) != len(COUNTERS) or not all(0 <= selector < SELECTOR[EVENTS[0]] + len(EVENTS) for selector in self.events):
            raise ConfigError(f"EVENTS={_joined(self.events)} is no choice; give {len(COUNTERS)} selectors of 0 to {SELECTOR[EVENTS[0]] + len(EVENTS) - 1}, or names such as branch,call")
        if self.ctr_ctl & ~_WRITABLE:
            raise ConfigError(f"CTR_CTL={self.ctr_ctl:#x} has bits {self.ctr_ctl & ~_WRITABLE:#x} that would hide or freeze transfers in other ways than a filter; give bits of {_WRITABLE:#x}")
        if self.xlen == 32 and self.ctr_ctl >> 32:
            raise ConfigError(f"CTR_CTL={self.ctr_ctl:#x} filters types of transfers, and RV32 has no upper half of mctrctl; give bits of {_WRITABLE & 0xFFFF_FFFF:#x}, or XLEN=64")

    @property
    def ntrace(self) -> NtraceConfig:
        """The N-Trace encoder."""
        return NtraceConfig(
            mode=self.mode, xlen=self.xlen, blocks=self.retire, implicit_return=self.ntrace_returns, repeated_history=self.repeated_history, ownership=self.ownership,
            inst_sync_mode=self.sync_mode, inst_sync_max=self.sync_max, inst_stall_ena=1, timestamp=self.timestamp, ts_mode=3, ts_width=TS_WIDTH,
        )  # fmt: skip

    @property
    def etrace(self) -> EtraceConfig:
        """The E-Trace encoder."""
        return EtraceConfig(
            iaddress_width_p=self.xlen, blocks_p=self.retire, implicit_return=self.implicit_return, branch_prediction=self.branch_prediction,
            jump_target_cache=self.jump_target_cache, full_address=self.full_address, inst_sync_mode=self.sync_mode, inst_sync_max=self.sync_max,
            inst_stall_ena=1, ctype="2", timestamp=self.timestamp, flow=0,
        )  # fmt: skip

    @property
    def tandem(self) -> TandemConfig:
        """The tandem-trace encoder."""
        return TandemConfig(xlen=self.xlen, mlen=64 if self.xlen == 64 else 34, lanes=self.retire, incremental=self.incremental)

    @property
    def ctr(self) -> CtrConfig:
        """The control transfer records."""
        vs = self.ctr_ctl & ~CtrConfig().bit("M") & ~CtrConfig().bit("MTE")
        return CtrConfig(xlen=self.xlen, transfers=self.retire, depths=DEPTHS, depth=self.ctr_depth, ctl=self.ctr_ctl, vsctl=vs)

    @property
    def hpm(self) -> HpmConfig:
        """The counters."""
        counters = sum(1 << n for n in COUNTERS)
        return HpmConfig(xlen=self.xlen, retired=self.retire, events=len(EVENTS), event_bits=EVENT_BITS, counters=counters)

    def to_dict(self) -> dict[str, Any]:
        """What `config.json` holds."""
        return {"ip": "subsystem", **asdict(self), "events": list(self.events)}

    def words(self) -> dict[str, str]:
        """The options that differ from the default, by name, as a command line has them."""
        return {f.name: _text(f.name, value) for f in fields(self) if (value := getattr(self, f.name)) != f.default}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Config:
        """From `config.json` or command line; numbers may be text, events numbers or names. ConfigError names an unknown option."""
        known = {f.name for f in fields(cls)}
        given: dict[str, Any] = {}
        for name, value in values.items():
            if name == "ip":
                continue
            if name not in known:
                raise ConfigError(f"unknown option {name.upper()}={value}; known are {', '.join(sorted(known)).upper()}")
            if name == "events":
                given[name] = _events(value)
            else:
                given[name] = str(value) if name == "mode" else _number(name, value)
        return cls(**given)


def _joined(values: tuple[Any, ...]) -> str:
    return ",".join(map(str, values))


def _text(name: str, value: Any) -> str:
    if name == "events":
        names = {selector: event for event, selector in SELECTOR.items()}
        return _joined(tuple(names.get(selector, selector) for selector in value))
    return hex(value) if name == "ctr_ctl" else str(value)


def _events(value: Any) -> tuple[int, ...]:
    """Selectors as numbers or names, fewer than there are counters: the others count nothing."""
    items = [item for item in value.replace("+", ",").split(",") if item] if isinstance(value, str) else list(value)
    out = tuple(SELECTOR[item] if item in SELECTOR else _number("events", item) for item in items)
    return out + (0,) * (len(COUNTERS) - len(out))


def _number(name: str, value: Any) -> int:
    try:
        return int(value) if isinstance(value, int) else int(str(value), 0)
    except ValueError:
        raise ConfigError(f"{name.upper()}={value} is not a number; give one, such as {name.upper()}=1") from None


# What may be recorded is chosen by mode and by type of transfer; what freezes or clears stands for itself in the tests of IP=ctr.
FILTERS = ("EXCINH", "INTRINH", "TRETINH", "NTBREN", "TKBRINH", "INDCALLINH", "DIRCALLINH", "INDJMPINH", "DIRJMPINH",
            "CORSWAPINH", "RETINH", "INDLJMPINH", "DIRLJMPINH", "MTE", "STE")  # fmt: skip
_WRITABLE = sum(CtrConfig().bit(name) for name in (*ALL_MODES, *FILTERS))
_LEGAL: dict[str, Any] = {
    "xlen": (32, 64), "retire": (1, 2), "mode": ("btm", "htm"), "ntrace_returns": range(4), "sync_mode": range(4), "sync_max": range(16),
    "incremental": range(3), "ctr_depth": DEPTHS,
    **dict.fromkeys(("repeated_history", "ownership", "implicit_return", "branch_prediction", "jump_target_cache", "full_address", "timestamp"), range(2)),
}  # fmt: skip
