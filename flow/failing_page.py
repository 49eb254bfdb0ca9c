# SPDX-License-Identifier: Apache-2.0
"""The page in which a failing run can be looked at: made for the first ones, named below each failure.

A tool that has the renderer (rvtrace.report.viewer_failing) sets it once; without one, failures name the command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rvtrace.jobs.arguments import short, typed

MADE = 5  # pages of one command: each takes about a second
PAGE = "view.html"
Render = Callable[[Path], "Path | None"]


class _Pages:
    """What this process made. render: writes the page of the folder of a run, None if it has nothing to show."""

    def __init__(self) -> None:
        self.render: Render | None = None
        self.made: dict[Path, str] = {}


_PAGES = _Pages()


def made_by(render: Render) -> None:
    """Make pages with this from now on."""
    _PAGES.render = render


def line_of(result: Mapping[str, Any]) -> str:
    """Where the run can be looked at, "" if it left nothing: a URL, which terminals open, else the command."""
    if not result.get("left") or "folder" not in result:
        return ""
    folder = Path(result["folder"])
    command = typed("view", {"IN": short(folder)})
    if _PAGES.render is None or len(_PAGES.made) >= MADE and folder not in _PAGES.made:
        return f"  view      {command}"
    if folder not in _PAGES.made:
        try:
            page = _PAGES.render(folder)
        except (ValueError, OSError) as error:  # the verdict is what matters
            return f"  view      {command}  ({error})"
        _PAGES.made[folder] = page.resolve().as_uri() if page is not None else command
    return f"  view      {_PAGES.made[folder]}"
