# SPDX-License-Identifier: Apache-2.0
"""Waveforms beside a trace: the commands that open them, and the time of the marker."""

from __future__ import annotations

import re
import shlex
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rvtrace.jobs.arguments import short

KINDS = (".fst", ".vcd")
_MARKER = re.compile(r"^\*-?[\d.]+\s+(\d+)", re.MULTILINE)  # of a GTKWave save file: zoom, then the primary marker


@dataclass
class Waves:
    """open: commands, each (program, command). marker: time at the first finding, "" if there is none."""

    open: list[tuple[str, str]] = field(default_factory=list)
    marker: str = ""

    @classmethod
    def of(cls, folder: Path | None) -> Waves:
        """What the folder of a run has."""
        found = cls()
        if folder is None or not folder.is_dir():
            return found
        waves = sorted(path for path in folder.iterdir() if path.suffix in KINDS)
        for save in sorted(folder.glob("*.gtkw")):
            found.open.append(("GTKWave", f"gtkwave {_word(save)}"))
            marker = _MARKER.search(save.read_text(errors="replace"))
            found.marker = found.marker or (marker[1] if marker else "")
        for commands in sorted(folder.glob("*.sucl")):  # Surfer looks for the waveform where it is started
            name = shlex.quote(commands.name)
            found.open.append(("Surfer", f"(cd {_word(folder)} && surfer --command-file {name})"))
        if waves and not found.open:
            found.open.append(("GTKWave", f"gtkwave {_word(waves[0])}"))
        return found

    def to_dict(self) -> dict[str, Any]:
        """For the page."""
        return asdict(self)


def _word(path: Path) -> str:
    return shlex.quote(short(path))
