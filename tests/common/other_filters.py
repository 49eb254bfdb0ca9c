# SPDX-License-Identifier: Apache-2.0
"""Devices whose filters do what the text leaves open otherwise than ours: an encoder model with another reading."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from rvtrace.models.common.filters import OURS, READINGS, FilterReading, FilterSettings

# Scenario, filter, and the readings that differ in it
OTHERS = [
    ("filter_interrupts", "iaddr!=0x8000002e", reading)
    for reading in READINGS
    if reading.tval == OURS.tval and reading != OURS
]
OTHERS.append(("filter_comparisons", "tval<0x100000000", FilterReading(tval="always")))


@contextmanager
def filters_of(reading: FilterReading) -> Iterator[None]:
    """Within it an encoder model filters so."""
    qualify = FilterSettings.qualify

    def other(self: FilterSettings, beats: Any, _: FilterReading = OURS) -> Any:
        return qualify(self, beats, reading)

    with patch.object(FilterSettings, "qualify", other):
        yield
