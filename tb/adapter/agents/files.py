# SPDX-License-Identifier: Apache-2.0
"""Files between Python and adapter_tb: what the core shows, cycle by cycle, and what the recorders saw."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np

from rvtrace.models.adapter.config import Config
from rvtrace.models.adapter.rvfi import Core
from rvtrace.models.riscv.beats import LANE_FIELDS
from rvtrace.models.tandem.table import CSR_SLOTS
from rvtrace.models.tandem.trace_data import Rows
from rvtrace.scoreboards.adapter.capture import Blocks, HartSeen, Status
from rvtrace.tb.adapter.agents import layout
from rvtrace.tb.adapter.stimulus.place import Beat
from rvtrace.tb.common.agents import port_files
from rvtrace.tb.subsystem.agents.files import REPORTED
from rvtrace.tb.tandem.agents.files import PORTS

STIMULUS, HART, INGRESS, STATUS = "stimulus.bin", "hart.bin", "ingress.bin", "status.bin"
_EVENT = ("cause", "tval", "epc", "status", "from_", "mode", "interrupt")


def write_stimulus(path: Path, core: Core, beats: dict[int, Beat], config: Config, rng: Random) -> None:
    """What trace_player reads. Channels and a trap port that are not valid have any values."""
    table = np.zeros(len(beats), layout.STIMULUS.dtype({"NRet": config.channels}))
    noise = table.view(np.uint8).reshape(len(beats), -1)
    noise[:] = np.random.default_rng(rng.getrandbits(64)).integers(0, 256, noise.shape, np.uint8)
    table["gap"] = np.diff(np.array(list(beats), np.int64), prepend=-1) - 1
    table["trap_valid"], table["channels"]["valid"] = 0, 0
    for n, beat in enumerate(beats.values()):
        if beat.event >= 0:
            event = core.events[beat.event]
            table["trap_valid"][n] = 1
            for name in _EVENT:
                table[f"trap_{name.rstrip('_')}"][n] = getattr(event, name)
        for channel, row in beat.rows:
            slot = table["channels"][n, channel]
            slot["valid"] = 1
            for name, value in core.rows[row].items():
                slot[name] = value
    port_files.write(path, table)


def read_hart(path: Path, config: Config) -> HartSeen:
    """What was taken at the hart port."""
    table = np.fromfile(path, layout.HART.dtype({"NRet": config.channels}))
    valid = table["slots"]["row"]["valid"][..., 0].astype(bool)
    k, slot = np.nonzero(valid)
    columns = {name: table["slots"]["row"][name][k, slot] for name in PORTS if name != "valid"}
    columns = {
        name: column[:, 0] if column.ndim > 1 and column.shape[1] != CSR_SLOTS else column
        for name, column in columns.items()
    }
    reported = {name: table["slots"]["hart"][name][k, slot].astype(np.uint64) for name in REPORTED}
    return HartSeen(
        Rows(len(k), **{"cycle": table["cycle"][k], **columns}), reported, slot, valid, table["cycle"],
        table["levels"] & np.uint32(layout.HALTED.mask) != 0, k,
    )  # fmt: skip


def read_ingress(path: Path, config: Config) -> Blocks:
    """What was taken at the ingress port."""
    table = np.fromfile(path, layout.INGRESS.dtype({"NBlocks": config.blocks}))
    names = [name for name in LANE_FIELDS if name not in ("sijump", "hcontext")] + ["once_cause", "once_tval"]
    ctype = table["levels"] >> np.uint32(layout.CTYPE.lsb) & np.uint32(3)
    halted = table["levels"] & np.uint32(layout.HALTED.mask) != 0
    return Blocks(table["cycle"], halted, ctype, {name: table["lanes"][name].astype(np.uint64) for name in names})


def read_status(path: Path) -> list[Status]:
    """Errors, stall, and the end."""
    table = np.fromfile(path, layout.STATUS.dtype())
    return [
        Status(int(row["cycle"]), int(row["error_code"]), int(row["error_pc"]),
               {bits.name for bits in layout.FLAGS if int(row["flags"]) & bits.mask})
        for row in table
    ]  # fmt: skip
