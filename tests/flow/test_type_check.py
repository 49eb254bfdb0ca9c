# SPDX-License-Identifier: Apache-2.0
"""The types that `make lint` checks: the view of our folders, what the public API is, and how a finding is shown."""

import sys

from rvtrace.flow import type_check
from rvtrace.jobs.builds import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]  # installed with Python 3.10 only


def test_the_view_of_our_folders(tmp_path):
    """Links and modules are made, and made again without harm."""
    for _ in range(2):
        type_check.link(tmp_path)
        assert (tmp_path / "rvtrace" / "models" / "__init__.py").samefile(ROOT / "models" / "__init__.py")
    assert "rvtrace.models.ntrace import *" in (tmp_path / "rvtrace" / "api" / "ntrace.py").read_text()


def test_the_public_api_of_every_system():
    """Each system has a check; those with models of their own have these too; all of it can be imported."""
    for system, text in type_check.public_api().items():
        names: dict[str, object] = {}
        exec(text, names)
        assert callable(names["check"]) and callable(names["plan"]), system
        assert ("rvtrace.models" in text) == (system not in ("adapter", "subsystem")), system


def test_what_is_checked_exists():
    """pyproject.toml names every folder of the package, and the tests."""
    named = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["basedpyright"]["include"])
    assert named == {*type_check.FOLDERS, "tests"} and all((ROOT / path).exists() for path in named)


def test_a_finding_is_one_line_with_its_place():
    problem = {
        "file": str(ROOT / "build/typing/rvtrace/models/ctr/model.py"),
        "range": {"start": {"line": 4}},
        "message": "is unknown",
    }
    assert type_check._line("rvtrace.x", problem) == "models/ctr/model.py:5: rvtrace.x: is unknown"
    assert type_check._line("rvtrace.x", {"message": "is unknown"}) == "rvtrace.x: is unknown"
