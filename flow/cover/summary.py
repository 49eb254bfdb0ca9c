# SPDX-License-Identifier: Apache-2.0
"""What `make cover` prints at its end, and of two of its runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rvtrace.flow.cover import code_coverage
from rvtrace.flow.cover import data as cover_data
from rvtrace.flow.cover.session import Session
from rvtrace.jobs.arguments import ArgumentError

_SHOWN = 40


def trend(out: Path, given: Mapping[str, str]) -> cover_data.Trend:
    """What changed from A= to B=; ArgumentError if there are no two runs."""
    entries = cover_data.history(out)
    if len(entries) < 2 and "A" not in given:
        raise ArgumentError(
            f"{out / cover_data.HISTORY} has {len(entries)} runs; a trend needs two, type `make cover` or give A=<a"
            " cover.json>"
        )
    return cover_data.Trend(cover_data.find(out, given.get("A", "-2")), cover_data.find(out, given.get("B", "-1")))


def tell(cover: Mapping[str, Any], session: Session, out: Path) -> bool:
    """Print what was found; whether all is closed and passed."""
    if cover["code"]:
        _print_code(cover["code"])
    for account in session.accounts:
        for point, name in account.surprises():
            print(
                f"reached although it is excluded: {account.system.ip} {point}: {name}; correct the reason in"
                f" tb/{account.system.ip}/coverage"
            )
    for _, t in session.tries[:_SHOWN]:
        print(f"hole: {t.point}: {t.bin}   try: {t.command or '-'}\n      ({t.why})")
    if len(session.tries) > _SHOWN:
        print(f"and {len(session.tries) - _SHOWN} more holes; {out / cover_data.COVER} has them all")
    if session.trend:
        print("\n".join(session.trend))
    for account in session.accounts:
        cost = account.cost
        print(
            f"{'PASS' if not (account.open or account.bad or account.surprises()) else 'FAIL'}  {account.system.ip}:"
            f" {account.said}; CPU {cost.builds:.0f} s builds, {cost.runs:.0f} s runs,"
            f" {cost.code_builds + cost.code_runs:.0f} s code coverage"
        )
    stopped = "; the time was up, the same command goes on" if session.stopped else ""
    if n := session.unbuilt:
        built = f"{n} simulation{'s were' if n > 1 else ' was'} still being built when the time was up"
        print(f"note: {built}; give BUDGET=<more minutes>, what is built is kept")
    total = sum(account.cost.total for account in session.accounts)
    print(
        f"{'PASS' if cover['closed'] else 'FAIL'}  coverage in {session.seconds / 60:.1f} minutes, {total:.0f} s of CPU"
        f" ({os.path.relpath(out)}){stopped}"
    )
    return bool(cover["closed"])


def _print_code(code: Mapping[str, Any]) -> None:
    """A line for each folder of the RTL."""
    folders: dict[str, dict[str, list[int]]] = {}
    for file in code["files"]:
        rates = folders.setdefault(str(Path(file["path"]).parent), {kind: [0, 0] for kind in code_coverage.KINDS})
        for kind, (hit, count) in file["rates"].items():
            rates[kind] = [rates[kind][0] + hit, rates[kind][1] + count]
    shown: Callable[[list[int]], str] = lambda rate: code_coverage.percent((rate[0], rate[1]))  # noqa: E731
    print(f"{'code coverage of the RTL':<26}" + "".join(f"{kind:>10}" for kind in code_coverage.KINDS[:3]))
    for folder, rates in [*folders.items(), ("all", code["total"])]:
        print(f"{folder:<26}" + "".join(f"{shown(rates[kind]):>10}" for kind in code_coverage.KINDS[:3]))
