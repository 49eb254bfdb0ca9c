# SPDX-License-Identifier: Apache-2.0
"""A system of two options that hits what its jobs say, without a simulator: for the tests of `make cover`."""

from collections.abc import Iterable, Mapping
from typing import Any

from rvtrace.flow.cover.account import Account
from rvtrace.jobs.coverage import Definition, Point
from rvtrace.jobs.job import Job
from rvtrace.models.ctr.config import Config

FAKE = Definition(
    "ctr",
    (
        Point(
            "pair_cg",
            "width by what happened",
            "a hole hides a mistake",
            {"address": ("RV32", "RV64"), "state": ("calm", "busy", "full")},
            {"RV32 x full": "cannot be"},
        ),
        Point("depth_cg", "depths", "each is another wire", {"depth": ("16", "32", "64")}),
    ),
)


def job(name: str, source: str, seed: int = 1, **config: Any) -> Job:
    return Job(name, source, dict(config), seed, ip="ctr")


class FakeSystem:
    """Scenarios busy and calm, each RV64 and RV32; a program; walks."""

    ip, title, definition, config = "ctr", "Fake", FAKE, Config

    def __init__(self, more: Iterable[Job] = ()) -> None:
        self.more = list(more)

    def directed(self, sim: str) -> list[Job]:
        found = [job(f"{what}-{xlen}", f"scenario:{what}", xlen=xlen) for what in ("busy", "calm") for xlen in (64, 32)]
        return [*found, *self.more]

    def programs(self, everything: bool = False) -> list[Job]:
        return [job("sort", "program:sort")]

    def tci_jobs(self, sim: str, seed: int = 1) -> list[Job]:
        return []

    def random_job(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
        return job(f"seed-{seed}", "random", seed, **dict(base or {}))


def account(**options: Any) -> Account:
    return Account(FakeSystem(**options))  # type: ignore[arg-type]


def result(verdict: str = "PASS", seconds: float = 1.0, **hits: Iterable[str]) -> dict[str, Any]:
    """hits: point (without _cg) to the bins hit."""
    counts = FAKE.stamped({f"{point}_cg": dict.fromkeys(bins, 1) for point, bins in hits.items()})
    return {"verdict": verdict, "coverage": counts, "stats": {"seconds": {"total": seconds}}}
