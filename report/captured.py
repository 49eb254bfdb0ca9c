# SPDX-License-Identifier: Apache-2.0
"""The compliance report of a captured trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rvtrace.flow.captured.judge import Judged
from rvtrace.report import provenance
from rvtrace.report.captured_model import result_of, subject_of
from rvtrace.report.compliance import Compliance, write
from rvtrace.report.goals import Goal


def write_report(
    name: str, judged: Judged, out: Path, files: Iterable[Path] = (), goals: Sequence[Goal] = ()
) -> Compliance:
    """Write the report. name: of the device. files: that were read."""
    subject = subject_of(name, judged, provenance.files_of(files))
    return write(subject, [result_of(name, judged)], [], out, goals=goals)
