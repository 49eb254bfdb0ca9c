"""Stories of the trace system that only E-Trace has: what its encoder says of itself, and settings that change between sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass
