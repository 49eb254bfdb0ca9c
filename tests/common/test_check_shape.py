# SPDX-License-Identifier: Apache-2.0
"""The checks of all systems have one shape."""

from dataclasses import is_dataclass
from importlib import import_module
from inspect import signature

import pytest

from rvtrace.scoreboards.common.clauses import Plan
from tests.common.plan_rows import ROOT

SYSTEMS = sorted(path.parent.name for path in ROOT.glob("scoreboards/*/plan.toml"))
PLAIN = {"adapter", "subsystem", "tci"}  # without tolerances


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_check_has_the_same_shape(system: str) -> None:
    module = import_module(f"rvtrace.scoreboards.{system}.check")
    first, second, *others = signature(module.check).parameters.values()
    assert (first.name, second.name, second.default) == ("capture", "tolerances", None)
    assert all(other.kind is other.KEYWORD_ONLY for other in others)
    assert isinstance(module.plan(), Plan) and module.plan() is module.plan(), "read once"
    capture = import_module(f"rvtrace.scoreboards.{system}.capture")
    assert any(is_dataclass(found) and {"rerun"} <= set(found.__dataclass_fields__) for found in vars(capture).values())


@pytest.mark.parametrize("system", sorted(set(SYSTEMS) - PLAIN))
def test_tolerances_are_the_profile_or_free(system: str) -> None:
    tolerances = import_module(f"rvtrace.scoreboards.{system}.tolerances").Tolerances
    assert tolerances() == tolerances() != tolerances.free() and is_dataclass(tolerances)
