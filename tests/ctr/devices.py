# SPDX-License-Identifier: Apache-2.0
"""Captures without a simulator: scenarios played on the reference model, or on one that is broken in one place."""

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.rows import Rows
from rvtrace.models.ctr.rules import Rules
from rvtrace.scoreboards.ctr.capture import CtrCapture
from rvtrace.scoreboards.ctr.check import check
from rvtrace.scoreboards.ctr.tolerances import Tolerances
from rvtrace.tb.ctr.stimulus.scenarios import SCENARIOS

SMALL: dict[str, Any] = {"transfers": 1, "depths": (16, 32)}
DRAFT: dict[str, Any] = {"variant": "v0_1_4", **SMALL}
PAIR: dict[str, Any] = {"transfers": 2, "depths": (16, 32)}


def scenario_run(name: str, **options: Any) -> tuple[Config, Rows]:
    """The rows of a scenario, for one implementation."""
    config = Config.from_dict(options)
    return config, SCENARIOS[name].build(config, Random(f"1:{name}"))


def play(config: Config, rows: Rows, device: Ctr | None = None) -> CtrCapture:
    """What a device answers; the reference model if none is given."""
    model, out = device or Ctr(config), deepcopy(rows)
    before: tuple[int, int] | None = None
    for k, (cycle, priv, transfers, access, _, _) in enumerate(rows.cycles()):
        if before is not None and cycle > before[0] + 1:
            model.idle(before[1], cycle - before[0] - 1)
        out.rdata[k], out.outcome[k] = model.cycle(priv, transfers, access) or (0, 0)
        before = cycle, priv
    return CtrCapture(config, out, rerun="make run IP=ctr")


def with_rules(config: Config, action: Callable[[Rules, Callable[..., int], int, int, int, int], int]) -> Ctr:
    """The model with another `Rules.action`: it gets the rules, the right action, and the transfer."""

    class Wrong(Rules):
        def action(self, type_: int, from_: int, to: int, cause: int) -> int:
            return action(self, super().action, type_, from_, to, cause)

    device = Ctr(config)
    configure = device.recorder.configure

    def configured(ctl: int, vsctl: int) -> None:
        configure(ctl, vsctl)
        device.recorder._rules = Wrong(config, ctl, vsctl)

    device.recorder.configure = configured  # type: ignore[method-assign]
    configured(0, 0)
    return device


def failed(capture: CtrCapture, tolerances: Tolerances | None = None) -> list[str]:
    """The clauses that a capture fails, but for those that are rolled up."""
    book = check(capture, tolerances).book
    return book.failed
