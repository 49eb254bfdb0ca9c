# SPDX-License-Identifier: Apache-2.0
"""What the ports of each testbench are called, how wide they are, and which value stands on them in a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rvtrace.models.common.filters import MAX_COMPS, MAX_FILTERS, FilterSettings
from rvtrace.models.riscv.beats import LEVELS, PULSES
from rvtrace.tb.common.agents import files as rows

if TYPE_CHECKING:  # a process needs those of one system, and each takes a while to be imported
    from rvtrace.models.ctr.config import Config as CtrConfig
    from rvtrace.models.etrace.config import Config as EtraceConfig
    from rvtrace.models.hpm.config import Config as HpmConfig
    from rvtrace.models.ntrace.config import Config as NtraceConfig
    from rvtrace.models.tandem.config import Config as TandemConfig


@dataclass(frozen=True)
class Pins:
    """The ports of a testbench in one configuration.

    lane: bits of each field of the ingress port that every block has (ing_<field>_i, lane k in bits k*W +: W); once: of
    those that are told once a cycle, the same for all its blocks. levels, pulses: the signals that travel with the
    beats (ctl_<name>_i). static: value of each port that stands still. bits: where levels and pulses are in the levels
    word of a row. player: ports of the bulk player. present: numbers of the counters that are there.
    """

    blocks: int
    lane: dict[str, int]
    levels: tuple[str, ...]
    pulses: tuple[str, ...]
    static: dict[str, int]
    once: dict[str, int]
    bits: dict[str, tuple[int, int]]
    player: tuple[str, ...] = ("drive_bulk", "go", "ready_seed", "ready_low")
    present: tuple[int, ...] = ()

    @property
    def controls(self) -> tuple[str, ...]:
        """Levels and pulses."""
        return self.levels + self.pulses


NO_PINS = Pins(0, {}, (), (), {}, {}, {})  # of agents whose ports do not depend on the configuration


def of_ntrace(config: NtraceConfig) -> Pins:
    """Those of ntrace_tb (docs/reference/ntrace-profile.md, Inputs)."""
    lane = _lane(config.xlen, config.iretire_bits) | _mode(config.xlen) | {"hcontext": 16}
    same = (
        "inst_mode",
        "src_bits",
        "src_id",
        "inhibit_src",
        "ts_mode",
        "ts_prescale",
        "ts_run_in_debug",
        "extend_addr_msb",
        "implicit_return",
        "repeated_history",
        "repeat_branch",
        "sequential_jump",
        "all_jumps",
    )
    static = {
        **{name: getattr(config, name) for name in same}, **_registers(config),
        "rc7": int(config.variant == "rc7"), "btype_ext": int(config.b_type == "2_3"), "ts_enable": config.timestamp,
        "context_ena": config.ownership, "hcontext_ena": config.hcontext,
    }  # fmt: skip
    return Pins(config.blocks, lane, LEVELS, PULSES, static, {}, rows.LEVEL_BITS)


def of_etrace(config: EtraceConfig, atid: int) -> Pins:
    """Those of etrace_tb (docs/reference/etrace-profile.md, Inputs and Transport). atid: the ID of the source on the
    trace bus.
    """
    static = {
        "options": config.ioptions, "draft": int(config.variant == "draft_0_026"), **_registers(config),
        "atb": int(config.encapsulation == "atb"), "framing": ("none", "zeros", "blocks").index(config.framing),
        "index_bytes": config.index_width // 8, "flow": config.flow, "timestamp": config.timestamp,
        "block_bits": config.block_bytes.bit_length() - 1, "id": atid,
    }  # fmt: skip
    levels = ("enable", "inst_tracing", "halted", "in_reset", "toggle")
    lane, once = _lane(config.xlen, config.iretire_width_p), _mode(config.xlen)
    return Pins(config.blocks, lane, levels, ("notify", "ctype"), static, once, rows.ETRACE_BITS)


def of_ctr(config: CtrConfig, noise_seed: int) -> Pins:
    """Those of ctr_tb (docs/reference/ctr-profile.md, Ports): a lane is a slot, told once is the access."""
    lane = {"type": 4, "source": config.xlen, "target": config.xlen, "misp": 1, "from_": 3, "to": 3, "cause": 8}
    once = {"op": 3, "addr": 12, "wdata": config.xlen, "mode": 3, "xlen32": 1}
    return Pins(config.transfers, lane, (), (), {"noise_seed": noise_seed}, once, {}, ("drive_bulk", "go"))


def of_hpm(config: HpmConfig, noise_seed: int) -> Pins:
    """Those of hpm_tb (docs/reference/hpm-profile.md, Ports): a lane is an event, told once is the access with the time
    it sees.
    """
    once = {"op": 3, "addr": 12, "wdata": config.xlen, "mode": 3, "xlen32": 1, "time": 64}
    return Pins(
        config.events,
        {"events": config.event_bits},
        (),
        (),
        {"noise_seed": noise_seed},
        once,
        {},
        ("drive_bulk", "go"),
        tuple(n for n in range(32) if config.has(n)),
    )


def of_tandem(config: TandemConfig, noise_seed: int) -> Pins:
    """Those of tandem_tb (docs/reference/tandem-profile.md, Ports): a lane is a row; of a port with several elements
    the width of one.
    """
    from rvtrace.models.tandem import table as tandem_table

    lane = {column.name: max(1, tandem_table.column_width(config, column)) for column in tandem_table.COLUMNS}
    lane = {"valid": 1, "has": len(tandem_table.PARTS)} | lane
    return Pins(config.lanes, lane, (), (), {"noise_seed": noise_seed}, {}, {})


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


def pack(column: np.ndarray, width: int) -> list[int]:
    """Lanes of one field, shape [n, lanes], to one int for each row."""
    total = column[:, 0].tolist()
    for lane in range(1, column.shape[1]):
        total = [low | high << lane * width for low, high in zip(total, column[:, lane].tolist())]
    return total


def unpack(column: Iterable[int], width: int, lanes: int) -> np.ndarray:
    """Ints of one field, a row each, to its lanes, shape [n, lanes]."""
    mask = (1 << width) - 1
    return np.array(
        [[value >> lane * width & mask for lane in range(lanes)] for value in column], dtype=np.uint64
    ).reshape(-1, lanes)
