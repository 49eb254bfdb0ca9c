# SPDX-License-Identifier: Apache-2.0
"""The generated files that are in git, and which of them differ from their tables."""

from __future__ import annotations

from rvtrace.flow.generate import csr, ctr, hpm, tandem, tci, vectors
from rvtrace.jobs.builds import ROOT

SOURCES = (tci.SOURCE, csr.SOURCE, ctr.SOURCE, hpm.SOURCE, tandem.SOURCE, *vectors.SOURCES)


def generated() -> dict[str, str]:
    """Path to text of each generated file."""
    return {name: text for source in SOURCES for name, text in source.files().items()}


def outdated() -> list[str]:
    """The generated files that are missing or differ from their tables."""
    return [
        name for name, text in generated().items() if not (ROOT / name).is_file() or (ROOT / name).read_text() != text
    ]
