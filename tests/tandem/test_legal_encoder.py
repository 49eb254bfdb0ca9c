# SPDX-License-Identifier: Apache-2.0
"""Whatever order, form and repetition a legal encoder chooses, a device without the reference profile passes."""

import pytest

from tests.common.long import some
from tests.legal_runs import tandem


@pytest.mark.parametrize("seed", some(range(40), 10))
def test_any_legal_encoding_is_understood(seed: int) -> None:
    found = tandem(seed)
    assert not found.text, found.text
    assert found.checks > 100
