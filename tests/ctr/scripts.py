# SPDX-License-Identifier: Apache-2.0
"""Short runs written by hand, a row in each cycle, and what the scoreboard says of a device that answers them."""

from typing import Any

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import Transfer
from rvtrace.models.ctr.rows import Rows
from rvtrace.models.riscv.csr import READ, WRITE, Access, M, U
from rvtrace.scoreboards.ctr.capture import CtrCapture
from tests.ctr.devices import SMALL, play

Row = tuple[int, list[Transfer], Access | None]  # privilege, transfers, access
CTL, STATUS, DEPTH, SCTL, VSCTL, SELECT = 0x34E, 0x14F, 0x15F, 0x14E, 0x24E, 0x150
SOURCE, TARGET, DATA = 0x151, 0x152, 0x153
MSTATEEN, VSSELECT = 0x30C, 0x250
IN_U, IN_S, IN_M, EMULATE, BPFRZ = 1, 2, 4, 1 << 7, 1 << 11
EVERY = IN_U | IN_S | IN_M
CTR, IND = 1 << 54, 1 << 60


def w(address: int, value: int, priv: int = M, op: int = WRITE, narrow: int = 0) -> Row:
    return priv, [], Access(op, address, value, priv, narrow)


def r(address: int, priv: int = M, narrow: int = 0) -> Row:
    return priv, [], Access(READ, address, 0, priv, narrow)


def t(
    n: int = 0, type_: int = 9, from_: int = U, to: int | None = None, cause: int = 0, times: int = 1, misp: int = 0
) -> Row:
    """Transfer number n, with addresses of its own; a call within a mode if nothing else is said."""
    to = from_ if to is None else to
    return from_, [Transfer(type_, 0x1000 + 16 * n, 0x8000 + 16 * n, misp, from_, to, cause)] * times, None


def rows_of(script: list[Row], config: Config) -> Rows:
    return Rows.from_rows([(k, *row) for k, row in enumerate(script)], config.transfers)


def played(script: list[Row], device: type[Ctr] = Ctr, **options: Any) -> CtrCapture:
    """What a device of this kind answers."""
    config = Config(**{**SMALL, "has_stateen": 0, **options})
    return play(config, rows_of(script, config), device(config))
