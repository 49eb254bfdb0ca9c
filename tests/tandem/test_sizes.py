# SPDX-License-Identifier: Apache-2.0
"""Appendix D, row by row: the sizes that the specification's errata give, as the encoder makes them."""

import pytest

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder.sizes import CATEGORIES, sizes

RIGHT = {  # the table of the errata
    "integer computation": 19,
    "nop": 8,
    "branch, jump": 17,
    "branch and link, jump and link": 28,
    "load": 29,
    "load (virtual address)": 39,
    "store": 28,
    "store (virtual address)": 38,
    "sc, amo": 49,
    "csr read-write": 30,
    "csr read only": 19,
    "csr write only": 19,
    "floating point computation": 23,
    "floating point move": 19,
    "floating point conversion": 23,
    "floating point load": 39,
    "floating point store": 38,
    "interrupt": 59,
    "exception": 64,
}


@pytest.mark.parametrize("length", [4, 2])
@pytest.mark.parametrize("implied_end", [0, 1])
def test_appendix_d(length: int, implied_end: int) -> None:
    """2 less for a 16-bit instruction, 1 less with an implied end."""
    made = {row.category: row.bytes for row in sizes(Config(implied_end=implied_end), length)}
    shorter = {category: (4 - length) * (category != "interrupt") + implied_end for category in RIGHT}
    assert made == {category: size - shorter[category] for category, size in RIGHT.items()}


def test_what_was_printed_counts_another_instruction() -> None:
    """Every row with an instruction was printed 4 bytes too large, but the jump, which is worse, and the interrupt is
    right.
    """
    off = {category.category: category.printed - RIGHT[category.category] for category in CATEGORIES}
    assert off.pop("interrupt") == 0 and off.pop("branch, jump") == 10
    assert set(off.values()) == {4}


def test_full_forms_only() -> None:
    """Without incremental forms a pc takes 9 bytes more than opcode 3, fcsr 7 more than its bits."""
    full, short = ({row.category: row.bytes for row in sizes(Config(incremental=level))} for level in (0, 1))
    assert full["nop"] == short["nop"] + 9 and full["branch, jump"] == short["branch, jump"]
    assert full["floating point computation"] == short["floating point computation"] + 9 + 7
