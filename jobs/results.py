# SPDX-License-Identifier: Apache-2.0
"""The result.json that a job leaves, and the result of a job about which nothing is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rvtrace.jobs.job import Job
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.common.verdict import Verdict

TEST_LOG = "test.log"  # beside a result.json: what the user's test of that job printed and logged
KEPT_FAILURES = 50  # of one job
KEPT_DAMAGE = 1000  # places that could not be judged
_TIMES = ("encoder", "decoder", "scoreboard")


def kept(failures: Sequence[Failure]) -> list[dict[str, Any]]:
    """Those of one job that are kept, in their order: of each clause the first cause and the first consequence, and of
    the others the first ones.
    """
    first = {id(one) for one in {(one.clause, bool(one.cause)): one for one in reversed(failures)}.values()}
    room = max(KEPT_FAILURES - len(first), 0)
    others = {id(one) for one in [one for one in failures if id(one) not in first][:room]}
    return [one.to_dict() for one in failures if id(one) in first or id(one) in others]


def blank(job: Job) -> dict[str, Any]:
    """An ERROR without a reason: what a result is before anything is known."""
    try:
        config, rerun = job.settings.to_dict(), job.rerun
    except ValueError:
        config, rerun = dict(job.config), ""
    return {
        "ip": job.ip, "name": job.name, "source": job.source, "sim": job.sim, "drive": job.drive, "seed": job.seed,
        "config": config, "verdict": "ERROR", "error": None, "clauses": {}, "failures": [], "coverage": {},
        "stats": {}, "rerun": rerun,
    }  # fmt: skip


def judged(job: Job, verdict: Verdict, capture: Any, coverage: dict, seconds: dict[str, float]) -> dict[str, Any]:
    """The result of a run that was checked; one without a single check is an ERROR."""
    clauses = verdict.book.results()
    result = blank(job) | {
        "verdict": "PASS" if verdict.passed else "FAIL",
        "clauses": clauses,
        "failures": kept(verdict.failures),
        "coverage": coverage,
        "damage": [[one.begin, one.end] for one in verdict.book.damage[:KEPT_DAMAGE]],
        "stats": {
            **{name: value for name, value in verdict.stats.items() if name not in _TIMES},
            "cycles": _cycles(capture),
            "seconds": seconds | {name: verdict.stats.get(name, 0.0) for name in _TIMES},
        },
    }
    if verdict.notes:
        result["notes"] = list(verdict.notes)
    if verdict.read is not None:
        result["read"] = verdict.read.config.to_dict()  # options with which it could be decoded
        result["judged"] = {"exact": job.exact, "tolerances": job.tolerances}
    if not sum(checked for checked, _ in clauses.values()):
        result |= {"verdict": "ERROR", "error": "no check was executed; a run without checks proves nothing"}
    return result


def _cycles(capture: Any) -> int:
    columns = [getattr(getattr(capture, name, None), "cycle", None) for name in ("beats", "rows")]
    columns += [getattr(capture, name, None) for name in ("out_cycle", "data_cycle")]
    return max((int(column[-1]) for column in columns if column is not None and len(column)), default=0) + 1
