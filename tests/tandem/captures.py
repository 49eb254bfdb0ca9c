# SPDX-License-Identifier: Apache-2.0
"""Captures of devices for the tests of the tandem scoreboard: the encoder model's bytes, and what a wrong device would
have sent in their place.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder import items as it
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData, illegal
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.tb.tandem.stimulus.scenarios import SCENARIOS
from tests.common.there import there

PC = 0x8000_0000
NOP = (4, 0x13)
RESET = TraceData(reset=True, pc=PC)
Edit = Callable[[list[it.Item]], list[it.Item]]


def captured(rows: Rows, config: Config, data: bytes | None = None, **more: Any) -> TandemCapture:
    """A capture of these rows; data: what the device sent, by default what is right."""
    return TandemCapture(
        config, rows, encode(rows, config).data if data is None else data, errors=illegal(rows), **more
    )


def broken(verdict: Verdict) -> list[str]:
    """The clauses that fail, without those that only could not be shown where one of them does (proven.py)."""
    doubted = {failure.clause for failure in verdict.failures if ": not shown: " in failure.headline}
    roots = {failure.clause for failure in verdict.failures if failure.clause not in doubted}
    assert all(failure.cause in roots for failure in verdict.failures if failure.clause in doubted)
    return [clause for clause in verdict.book.failed if clause not in doubted]


def scenario_run(name: str, options: dict[str, Any]) -> TandemCapture:
    """The capture of a scenario."""
    config = Config.from_dict(options)
    return captured(SCENARIOS[name].build(config, Random(1)), config)


def edited(rows: list[TraceData], k: int, edit: Edit, lanes: int = 1, **options: Any) -> TandemCapture:
    """Rows after a reset (row 0) and before a flush, of which row k is sent with other items."""
    config = Config(**options)
    table = Rows.from_rows([RESET, *rows, FLUSH], lanes)
    encoded = encode(table, config)
    before, own, after = (
        encoded.data[a:b]
        for a, b in ((0, encoded.starts[k]), (encoded.starts[k], encoded.starts[k + 1]), (encoded.starts[k + 1], None))
    )
    items = [item for _, item in it.items(own, config)]
    return captured(table, config, before + it.pack(edit(items), config) + after)


def edges_of(capture: TandemCapture) -> list[tuple[int, int]]:
    """Where the bytes of each row begin and end."""
    edges = encode(there(capture.rows), capture.config).starts.tolist()
    return list(zip(edges, edges[1:]))


def insn(n: int = 1, **parts: Any) -> TraceData:
    """The n-th instruction after the reset."""
    return TraceData(insn=NOP, pc=PC + 4 * n, **parts)


def swap(kind: type, **values: Any) -> Edit:
    """The last item of a kind with other values."""

    def edit(items: list[it.Item]) -> list[it.Item]:
        out, k = list(items), max(k for k, item in enumerate(items) if type(item) is kind)
        given = {name: getattr(out[k], name) for name in out[k].__slots__} | values
        out[k] = kind(**given)
        return out

    return edit


def drop(kind: type) -> Edit:
    """Without the last item of a kind."""

    def edit(items: list[it.Item]) -> list[it.Item]:
        k = max(k for k, item in enumerate(items) if type(item) is kind)
        return [*items[:k], *items[k + 1 :]]

    return edit


def put(item: it.Item, at: int = -1) -> Edit:
    """One item more, by default before the end."""
    return lambda items: [*items[:at], item, *items[at:]]


def instead(kind: type, item: it.Item) -> Edit:
    """Another item in place of the last of a kind."""
    return lambda items: [
        item if k == max(n for n, one in enumerate(items) if type(one) is kind) else old for k, old in enumerate(items)
    ]
