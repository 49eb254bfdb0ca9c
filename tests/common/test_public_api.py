# SPDX-License-Identifier: Apache-2.0
"""The public API of the models has one shape: `__all__` names what exists and is documented, with configuration, error
and model of each system.
"""

from __future__ import annotations

import importlib

import pytest

SHAPE = {
    "tandem": {"Config", "ConfigError", "encode", "decode", "Decoded", "Verifier", "Report"},
    "ctr": {"Config", "ConfigError", "Ctr", "Rows", "csr", "csrs"},
    "hpm": {"Config", "ConfigError", "Hpm", "Rows", "csr", "csrs"},
    "sbi_pmu": {"Config", "ConfigError", "SbiPmu", "Record", "FUNCTIONS"},
    "tci": {"Params", "ControlError", "RegisterModel", "components"},
}


@pytest.mark.parametrize("system", SHAPE)
def test_the_api_of_a_system_has_its_shape(system: str) -> None:
    package = importlib.import_module(f"rvtrace.models.{system}")
    assert set(package.__all__) >= SHAPE[system]
    assert list(package.__all__) == sorted(set(package.__all__))
    for name in package.__all__:
        assert getattr(package, name).__doc__, f"{system}.{name} has no docstring"
    assert "Error" in package.__doc__, "the package names the errors that it raises"
