# SPDX-License-Identifier: Apache-2.0
"""The types of the Python: basedpyright over our folders, and over the public API, in which every type must be known.
`make lint` runs both.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from rvtrace.jobs.builds import PACKAGE, ROOT
from rvtrace.jobs.names import NAMES, PARTS

FOLDERS = tuple(sorted(path.name for path in PACKAGE.iterdir() if path.is_symlink()))
SYSTEMS = (*NAMES, *PARTS)
REMEDY = (
    "the lines above name file, line and rule; correct the annotation that is wrong or missing (CONTRIBUTING.md, Style)"
)
_VIEW = ROOT / "build" / "typing"  # the package rvtrace with one part more, rvtrace.api


def link(view: Path = _VIEW) -> None:
    """Make the package rvtrace in `view`, and in it the modules rvtrace.api.* with the public API: a checker judges the
    names of one package only.
    """
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
    """basedpyright over all folders; these and the options are in pyproject.toml."""
    return [_basedpyright(), "--project", str(ROOT)]


def unknown() -> list[str]:
    """What has no known type in the public API, and in everything of ours that it refers to.

    An attribute without annotation whose assignment shows its type is known, as in the strict mode of pyright.
    """
    # --verifytypes takes neither pyproject.toml nor extraPaths, only what this Python would import.
    command = [_basedpyright(), "--pythonpath", sys.executable, "--pythonversion", "{}.{}".format(*sys.version_info)]
    command += ["--verifytypes", "rvtrace.api", "--ignoreexternal", "--outputjson"]
    env = os.environ | {"PYTHONPATH": str(_VIEW)}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    try:
        symbols: list[dict[str, Any]] = json.loads(done.stdout)["typeCompleteness"]["symbols"]
    except (ValueError, KeyError):
        return [f"{' '.join(command)} failed: {done.stdout}{done.stderr}"]
    if not any(symbol["isExported"] for symbol in symbols):
        return [f"no public API was found in {_VIEW}: {done.stdout}"]
    return [
        _line(symbol["name"], problem)
        for symbol in symbols
        if not symbol["isTypeKnown"] and not symbol["isTypeAmbiguous"]
        for problem in symbol["diagnostics"]
    ]


def _line(name: str, problem: dict[str, Any]) -> str:
    """One finding, as basedpyright prints others: file, line, what."""
    place = ""
    if "file" in problem and "range" in problem:
        file = problem["file"].removeprefix(f"{_VIEW}/rvtrace/").removeprefix(f"{ROOT}/")
        place = f"{file}:{problem['range']['start']['line'] + 1}: "
    return f"{place}{name}: {problem['message']}"


def _basedpyright() -> str:
    return str(Path(sys.executable).parent / "basedpyright")


if __name__ == "__main__":
    found = unknown()
    print(*found, sep="\n")
    sys.exit(bool(found))
