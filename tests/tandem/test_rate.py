# SPDX-License-Identifier: Apache-2.0
"""TV.port.rate: rows that find nothing before them do not wait; those after more bytes than a word may."""

from pathlib import Path

import numpy as np
import pytest

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.trace_data import FLUSH, Rows
from rvtrace.scoreboards.tandem.check import check
from rvtrace.tb.tandem.agents.files import read_seen
from tests.tandem.captures import RESET, captured, insn

WORD = 32


def rates(
    waits: dict[int, int], gaps: dict[int, int] | None = None, ready: bool = True, large: int = 0
) -> tuple[int, list[str]]:
    """How often the clause was checked, and its failures: nine instructions one by one, with waits and gaps by row; row
    `large` is two words.
    """
    csrs = tuple((0x340 + slot, 1) for slot in range(4))
    rows = Rows.from_rows([RESET, *(insn(n, gpr=(5, n), csr=csrs if n == large else ()) for n in range(1, 10)), FLUSH])
    idle, waited = (np.array([of.get(k, 0) for k in range(len(rows))], np.int64) for of in (gaps or {}, waits))
    rows.cycle[:] = np.arange(len(rows)) + (idle + waited).cumsum()
    verdict = check(captured(rows, Config(incremental=1), gaps=idle if ready else None, word=WORD))
    return verdict.book.results().get("TV.port.rate", [0])[0], [
        failure.headline for failure in verdict.failures if failure.clause == "TV.port.rate"
    ]


def test_a_row_a_cycle() -> None:
    for gaps in ({}, {4: 3}):
        checked, failures = rates({}, gaps)
        assert checked == 10 and not failures


@pytest.mark.parametrize("row", (1, 5, 10))
def test_a_row_that_waits(row: int) -> None:
    assert rates({row: 2})[1] == [f"row {row} waited 2 cycles with nothing before it"]
    assert rates({row: 1}, {row: 4})[1] == [f"row {row} waited 1 cycles with nothing before it"]


def test_after_more_than_a_word_rows_may_wait() -> None:
    """Row 3 is two words: what is offered in the next cycle may wait; after an idle cycle it may not."""
    assert rates({4: 1}, large=3)[1] == []
    assert rates({4: 1}, {4: 1}, large=3)[1] == ["row 4 waited 1 cycles with nothing before it"]


def test_a_consumer_that_is_not_always_ready() -> None:
    assert rates({3: 9}, ready=False) == (0, [])


@pytest.mark.parametrize("offered", (1, 4))
def test_rows_that_were_never_offered(offered: int) -> None:
    """A device takes more cycles than the port offered, as one does whose ready is X: those offered are judged."""
    rows = Rows.from_rows([RESET, *(insn(n, gpr=(5, n)) for n in range(1, 10)), FLUSH])
    rows.cycle[:] = np.arange(len(rows))
    verdict = check(captured(rows, Config(incremental=1), gaps=np.zeros(offered, np.int64), word=WORD))
    assert verdict.book.results().get("TV.port.rate", (0, 0))[0] == offered - 1


@pytest.mark.parametrize("lanes", (1, 2))
def test_no_row_was_taken(tmp_path: Path, lanes: int) -> None:
    """in_ready_o stays 0: the recorder's file is empty, and nothing is judged."""
    (tmp_path / "rows.bin").write_bytes(b"")
    seen = read_seen(tmp_path / "rows.bin", lanes).rows()
    assert len(seen) == 0
    assert "TV.port.rate" not in check(captured(seen, Config(), gaps=np.zeros(3, np.int64), word=WORD)).book.results()
