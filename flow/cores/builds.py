# SPDX-License-Identifier: Apache-2.0
"""The build of a core: its sources and the bench as `rvtrace.flow.simulation.build` takes them.

config, design = alone(Core.load("ibex"))
made = build(config, "verilator", design)
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rvtrace.flow.cores.description import Core
from rvtrace.flow.dut.sources import Sources
from rvtrace.jobs.builds import ROOT, Bench, BuildConfig
from rvtrace.jobs.files import at_once, replace
from rvtrace.models.subsystem.config import Config
from rvtrace.tb.subsystem.builds import BUILD

FOLDER = ROOT / "build" / "cores"
HDL = ROOT / "tb" / "cores" / "hdl"


@dataclass(frozen=True)
class AloneBench(Bench):
    """A core and its memory, without trace sources."""

    module: ClassVar[str] = "rvtrace.tb.cores.alone"

    @property
    def hdl(self) -> Path:
        """The folder of its top."""
        return HDL / "alone"


def alone(core: Core, sources: Sources | None = None) -> tuple[BuildConfig, Path]:
    """(the build of a core without trace sources, the folder that takes the place of rtl/). sources: in place of its
    own.
    """
    part = f"core-{core.name}"
    return BuildConfig(AloneBench("core_alone_tb", (part,)), (), core.name), workspace(core, part, sources)


def live(core: Core, config: Config) -> tuple[BuildConfig, Path]:
    """(the build of a core on the subsystem, the folder that takes the place of rtl/)."""
    part = f"core-{core.name}"
    parts = (*BUILD.bench.rtl, "adapters", part)
    items = (("Incremental", config.incremental),)
    return BuildConfig(Bench("cores_tb", parts), items, core.name), workspace(core, part)


def workspace(core: Core, part: str, sources: Sources | None = None) -> Path:
    """A folder with links to all of rtl/, the sources of a core as the files.f of a part of it, and their flags."""
    sources = sources or core.sources()
    files = "".join(
        f"{path.relative_to(ROOT) if path.is_relative_to(ROOT / 'tb') else path}\n" for path in sources.files
    )
    flags = sources.flags()
    place = FOLDER / core.name / hashlib.sha256((files + flags).encode()).hexdigest()[:12]
    place.mkdir(parents=True, exist_ok=True)
    for folder in (path for path in (ROOT / "rtl").iterdir() if path.is_dir()):
        link = place / folder.name
        if not link.is_symlink():
            at_once(link, lambda part, to=folder: part.symlink_to(to))
    for path, text in ((place / part / "files.f", files), (place / "flags.f", flags)):
        replace(path, text)
    return place
