"""One run of the legal check of N-Trace: what its rules share."""

from __future__ import annotations

from dataclasses import dataclass, field

from models.ntrace.config import Config
from scoreboards import ntrace_table as t
from scoreboards.ntrace_knobs import Knobs
from scoreboards.places import Rules


@dataclass
class Legal(Rules):
    """`rule` counts a clause over many messages and tells the violations."""

    config: Config
    table: t.MessageTable
    knobs: Knobs = field(default_factory=Knobs)
