# SPDX-License-Identifier: Apache-2.0
"""The types of the Python: basedpyright over our folders, and over the public API, in which every type must be known.
`make lint` runs both.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from rvtrace.tb.common.builds import ROOT

FOLDERS = ("models", "scoreboards", "tb", "flow", "report", "tools")
CHECKED = ("scoreboards", "tools/lint.py", "flow/type_check.py")  # without errors, and staying so
SYSTEMS = ("ntrace", "etrace", "tandem", "ctr", "hpm", "sbi_pmu", "subsystem", "loop", "tci")
REMEDY = (
    "the lines above name file, line and rule; correct the annotation that is wrong or missing (CONTRIBUTING.md, Style)"
)
_VIEW = ROOT / "build" / "typing"  # our folders as the package rvtrace, as a checker that cannot import finds it


def link(view: Path = _VIEW) -> None:
    """Make the package rvtrace in `view`: links to our folders, and the modules rvtrace.api.* with the public API."""
    package = view / "rvtrace"
    package.mkdir(parents=True, exist_ok=True)
    for name in ("__init__.py", "py.typed"):
        (package / name).touch()
    for folder in FOLDERS:
        if not (package / folder).is_symlink():
            (package / folder).symlink_to(os.path.relpath(ROOT / folder, package))
    api = package / "api"
    api.mkdir(exist_ok=True)
    for name, text in {"__init__": "", **public_api()}.items():
        (api / f"{name}.py").write_text(text)


def public_api() -> dict[str, str]:
    """What users import, as one module for each system: __all__ of models/<system>, and the parts of
    scoreboards/<system> that scoreboards/common/verdict.py describes.
    """
    found = {}
    for system in SYSTEMS:
        lines = []
        if "__all__" in (ROOT / "models" / system / "__init__.py").read_text():
            lines.append(f"from rvtrace.models.{system} import *")
        for part, names in {"capture": "*", "check": "check as check, plan as plan", "tolerances": "*"}.items():
            if (ROOT / "scoreboards" / system / f"{part}.py").exists():
                lines.append(f"from rvtrace.scoreboards.{system}.{part} import {names}")
        found[system] = "\n".join(lines) + "\n"
    return found


def check_command() -> list[str]:
    """basedpyright over what is CHECKED; the options are in pyproject.toml."""
    return [_basedpyright(), "--project", str(ROOT), *(str(ROOT / path) for path in CHECKED)]


def api_command() -> tuple[list[str], dict[str, str]]:
    """A command that fails if a type is unknown in the public API or in what it refers to; and its environment."""
    # --verifytypes takes neither pyproject.toml nor extraPaths, only what this Python would import.
    version = "{}.{}".format(*sys.version_info[:2])
    command = [_basedpyright(), "--pythonpath", sys.executable, "--pythonversion", version]
    return [*command, "--verifytypes", "rvtrace.api", "--ignoreexternal"], {"PYTHONPATH": str(_VIEW)}


def _basedpyright() -> str:
    return str(Path(sys.executable).parent / "basedpyright")
