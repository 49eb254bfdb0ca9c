# SPDX-License-Identifier: Apache-2.0
"""Import cycles: how they are found, and that there is none. `make lint` checks all packages."""

import pytest

from rvtrace.flow.cycles import cycles, import_cycles


@pytest.mark.parametrize(
    ("imports", "found"),
    [
        ({"a": ["b"], "b": ["c"], "c": []}, []),
        ({"a": ["a"]}, [["a"]]),
        ({"a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"], "e": ["f"], "f": ["e", "d"]}, [["a", "b", "c"], ["e", "f"]]),
        ({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}, []),
    ],
)
def test_groups_of_modules_that_import_each_other(imports, found):
    assert cycles(imports) == found


def test_there_is_no_import_cycle():
    assert import_cycles() == []
