# SPDX-License-Identifier: Apache-2.0
"""What a machine lacks is said before anything is compiled."""

from types import SimpleNamespace
from typing import Any

import pytest

from rvtrace.flow import simulation, simulators


def test_without_libpython_nothing_is_compiled(tmp_path, monkeypatch):
    import find_libpython

    monkeypatch.delenv("LIBPYTHON_LOC", raising=False)
    monkeypatch.setattr(find_libpython, "find_libpython", lambda: None)
    recipe: Any = SimpleNamespace(simulator=SimpleNamespace(name="verilator"))
    with pytest.raises(simulators.SimulatorError, match="has no shared library libpython.*apt-get install libpython"):
        simulation._make(recipe, tmp_path / "build", tmp_path)
    assert not (tmp_path / "build").exists()
