# SPDX-License-Identifier: Apache-2.0
"""What crossed the hart port against what RVFI says: the adapter between them in one sentence."""

from __future__ import annotations

from rvtrace.models.riscv.retired import Kind, Retired

_SHOWN = ("pc", "itype", "cause", "tval", "priv")


def difference(seen: Retired, said: Retired) -> str:
    """The first row of the hart port that is not what RVFI says, "" if there is none."""
    k = seen.differs(said)
    if k is None:
        return ""
    return f"row {k} at the hart port is not what RVFI says: {_row(seen, k)} instead of {_row(said, k)}"


def _row(retired: Retired, k: int) -> str:
    if k >= len(retired):
        return "nothing"
    values = (f"{name} {int(getattr(retired, name)[k]):#x}" for name in _SHOWN)
    return f"{Kind(int(retired.kind[k])).name.lower()} {', '.join(values)}"
