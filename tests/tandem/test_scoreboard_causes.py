# SPDX-License-Identifier: Apache-2.0
"""One deviation of a device without the reference profile is one finding: what follows from it is listed under it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder import items as it
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.trace_data import FLUSH, Rows
from rvtrace.scoreboards.tandem.check import check
from rvtrace.scoreboards.tandem.tolerances import Tolerances
from tests.tandem.captures import NOP, RESET, captured, insn
from tests.tandem.rows import random_rows

CONFIG = Config(incremental=0)
Change = Callable[[it.Item], it.Item | None]


def causes(rows: Rows, change: Change) -> tuple[set[str], set[str]]:
    """Clauses that fail by themselves, and those that follow, if each item is changed, or dropped (None)."""
    encoded = encode(rows, CONFIG)
    parts = []
    for k in range(len(encoded.starts) - 1):
        sent = [change(item) for _, item in it.items(encoded.of(k), CONFIG)]
        parts.append(it.pack([item for item in sent if item is not None], CONFIG))
    failures = check(captured(rows, CONFIG, b"".join(parts), exact=False), Tolerances.free()).failures
    roots = {failure.clause for failure in failures if not failure.cause}
    return roots, {failure.clause for failure in failures} - roots


def effective_as_physical(item: it.Item) -> it.Item:
    return replace(item, id=t.PADDR) if isinstance(item, it.State) and item.id == t.EADDR else item


def f_as_x(item: it.Item) -> it.Item:
    is_f = isinstance(item, it.Register) and item.address >= t.FPR_BASE
    return replace(item, address=item.address - t.FPR_BASE + t.GPR_BASE) if is_f else item  # type: ignore[union-attr]


def csr_turned(item: it.Item) -> it.Item:
    if not isinstance(item, it.Register) or item.address not in (0x300, 0x341):
        return item
    return replace(item, address=item.address & 0xFF0 | 0x00F)


def no_mark(item: it.Item) -> it.Item | None:
    return None if isinstance(item, it.Init) else item


@pytest.mark.parametrize(
    ("change", "clause", "follows"),
    [
        (effective_as_physical, "TV.reported.eaddr", {"TV.reported.paddr", "TV.legal.unambiguous"}),
        (f_as_x, "TV.reported.fpr", {"TV.legal.x0"}),
        (csr_turned, "TV.reported.csr", set()),
        (no_mark, "TV.reported.init", set()),
    ],
)
def test_a_name_that_is_always_wrong_is_one_finding(change: Change, clause: str, follows: set[str]) -> None:
    rows = Rows.from_rows([*random_rows("causes", 600, CONFIG), FLUSH])
    roots, consequences = causes(rows, change)
    assert roots == {clause} and follows <= consequences


def test_groups_that_repeat_are_not_missing_where_values_are_wrong() -> None:
    """x5 alternates between two values; a device that reports a third sends as many groups as there are."""
    rows = Rows.from_rows([RESET, *(insn(n, gpr=(5, (0x1000, 0x1080)[n % 2])) for n in range(1, 60)), FLUSH])
    seen = 0

    def third(item: it.Item) -> it.Item:
        nonlocal seen
        seen += isinstance(item, it.Instruction) and (item.length, item.bits) == NOP
        wrong = isinstance(item, it.Register) and item.data == 0x1080 and 20 < seen < 26
        return replace(item, data=0x1081) if wrong else item  # type: ignore[union-attr]

    assert causes(rows, third)[0] == {"TV.reported.gpr"}
