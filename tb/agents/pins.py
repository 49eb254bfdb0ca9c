"""What the ports of each encoder's testbench are called, how wide they are, and which value stands on them in a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from models.etrace.config import Config as EtraceConfig
from models.ntrace.config import Config as NtraceConfig
from models.ntrace.filters import MAX_COMPS, MAX_FILTERS, FilterSettings
from models.riscv.beats import LEVELS, PULSES
from tb.agents import rows


@dataclass(frozen=True)
class Pins:
    """The ports of a testbench in one configuration.

    lane: bits of each field of the ingress port that every block has (ing_<field>_i, lane k in bits k*W +: W); once: of those
    that are told once a cycle, the same for all its blocks. levels, pulses: the signals that travel with the beats (ctl_<name>_i).
    static: value of each port that stands still. bits: where levels and pulses are in the levels word of a row.
    """

    blocks: int
    lane: dict[str, int]
    levels: tuple[str, ...]
    pulses: tuple[str, ...]
    static: dict[str, int]
    once: dict[str, int]
    bits: dict[str, tuple[int, int]]

    @property
    def controls(self) -> tuple[str, ...]:
        """Levels and pulses."""
        return self.levels + self.pulses


def of_ntrace(config: NtraceConfig) -> Pins:
    """Those of ntrace_tb (docs/ntrace-profile.md, Inputs)."""
    lane = _lane(config.xlen, config.iretire_bits) | _mode(config.xlen) | {"hcontext": 16}
    same = (
        "inst_mode", "src_bits", "src_id", "inhibit_src", "ts_mode", "ts_prescale", "ts_run_in_debug", "extend_addr_msb",
        "implicit_return", "repeated_history", "repeat_branch", "sequential_jump", "all_jumps",
    )  # fmt: skip
    static = {
        **{name: getattr(config, name) for name in same}, **_registers(config),
        "rc7": int(config.variant == "rc7"), "btype_ext": int(config.b_type == "2_3"), "ts_enable": config.timestamp,
        "context_ena": config.ownership, "hcontext_ena": config.hcontext,
    }  # fmt: skip
    return Pins(config.blocks, lane, LEVELS, PULSES, static, {}, rows.LEVEL_BITS)


def of_etrace(config: EtraceConfig, atid: int) -> Pins:
    """Those of etrace_tb (docs/etrace-profile.md, Inputs and Transport). atid: the ID of the source on the trace bus."""
    static = {
        "options": config.ioptions, "draft": int(config.variant == "draft_0_026"), **_registers(config),
        "atb": int(config.encapsulation == "atb"), "framing": ("none", "zeros", "blocks").index(config.framing),
        "index_bytes": config.index_width // 8, "flow": config.flow, "timestamp": config.timestamp,
        "block_bits": config.block_bytes.bit_length() - 1, "id": atid,
    }  # fmt: skip
    levels = ("enable", "inst_tracing", "halted", "in_reset", "toggle")
    lane, once = _lane(config.xlen, config.iretire_width_p), _mode(config.xlen)
    return Pins(config.blocks, lane, levels, ("notify", "ctype"), static, once, rows.ETRACE_BITS)


def _lane(xlen: int, iretire: int) -> dict[str, int]:
    return {"itype": 4, "iaddr": xlen, "iretire": iretire, "ilastsize": 1, "sijump": 1}


def _mode(xlen: int) -> dict[str, int]:
    return {"cause": 8, "tval": xlen, "priv": 3, "context": 32}


def _registers(config: Any) -> dict[str, int]:
    """What every encoder has of the Trace Control Interface: sync, stall, and filters and comparators, lowest first."""
    registers = FilterSettings.parse(config.filter, config.xlen).registers()

    def packed(unit: str, count: int, names: tuple[str, ...]) -> int:
        words = [registers[f"{unit}{index}{name}"] for index in range(count) for name in names]
        return sum(word << 32 * place for place, word in enumerate(words))

    return {
        "sync_mode": config.inst_sync_mode, "sync_max": config.inst_sync_max, "stall_ena": config.inst_stall_ena,
        "filters": registers["trTeInstFilters"],
        "filter_cfg": packed("trTeFilter", MAX_FILTERS, ("Control", "MatchInst", "MatchEcauseLow", "MatchEcauseHigh")),
        "comp_cfg": packed("trTeComp", MAX_COMPS, ("Control", "PMatchLow", "PMatchHigh", "SMatchLow", "SMatchHigh")),
    }  # fmt: skip
