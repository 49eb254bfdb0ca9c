# SPDX-License-Identifier: Apache-2.0
"""Random rows for the tests of the tandem format."""

import random
from typing import Any

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.trace_data import FLUSH, TraceData

CONFIGS = [
    Config(),
    Config(incremental=0),
    Config(incremental=2, implied_end=1),
    Config(xlen=32, flen=0),
    Config(xlen=32, mlen=34, flen=64, incremental=2),
    Config(xlen=32, flen=32, implied_end=1),
    Config(absent=("gpr", "paddr", "request", "ppc"), incremental=2),
    Config(absent=("pc", "csr", "memdata"), implied_end=1),
    Config(absent=("insn", "mtime", "response")),
    Config(response_data_on_failure=1, incremental=2),
]


WRONG = ({"init": True}, {"reset": True}, {"group": False}, {"response": (0, 1)}, {"flush": True})
PARTS = (
    "gpr", "fpr", "fcsr", "csr", "priv", "paddr", "eaddr", "memdata", "mtime", "mcycle", "minstret", "request",
    "ppc",
)  # fmt: skip
CSRS = (1, 2, 3, 0x300, 0x341, 0xB00, 0xB02, 0xC00)


def random_rows(seed: str, count: int, config: Config, contradictions: bool = False) -> list[TraceData]:
    """Rows that a port may carry: mostly in sequence, values that make all forms likely. contradictions: not legal ones
    as well.
    """
    hart = _Hart(random.Random(seed), config)
    return [TraceData(reset=True, pc=hart.pc, priv=3)] + [hart.row(contradictions) for _ in range(count)]


class _Hart:
    """A hart without sense."""

    def __init__(self, rng: random.Random, config: Config) -> None:
        self.rng, self.config, self.pc = rng, config, 0x8000_0000
        self.last: dict[object, int] = {}

    def value(self, place: object, bits: int) -> int:
        """Near the last one, with bits set, the same, or any."""
        rng, old = self.rng, self.last.get(place, 0)
        new = (
            rng.choice([old + rng.randrange(-140, 140), old | rng.randrange(256), rng.getrandbits(bits), old, old & ~1])
            & (1 << bits) - 1
        )
        self.last[place] = new
        return new

    def row(self, contradictions: bool) -> TraceData:
        rng, kind, short = self.rng, self.rng.random(), self.rng.random() < 0.5
        if kind > 0.97:
            return FLUSH
        parts: dict[str, Any] = {"group": kind < 0.85, "reset": kind < 0.03, "init": 0.03 <= kind < 0.08}
        if 0.08 <= kind < 0.8:
            parts["insn"] = (2, rng.getrandbits(14) << 2) if short else (4, rng.getrandbits(30) << 2 | 3)
        if contradictions and rng.random() < 0.05:
            parts |= rng.choice(WRONG)
        if rng.random() < 0.9:
            self.pc = (self.pc + (2 if short else 4) if rng.random() < 0.8 else rng.getrandbits(self.config.xlen)) & (
                1 << self.config.xlen
            ) - 1
            parts["pc"] = self.pc
        for name in rng.sample(PARTS, rng.randrange(4)):
            parts |= self.part(name)
        return TraceData(**parts)

    def part(self, name: str) -> dict[str, Any]:
        rng, config = self.rng, self.config
        number, size = rng.randrange(32), rng.randrange(4)
        if name in ("paddr", "eaddr", "ppc"):
            return {name: rng.getrandbits(config.mlen)}
        if name == "gpr":
            return {name: (number, self.value(number, config.xlen))}
        if name == "fpr":
            return {name: (number, rng.getrandbits(config.flen))} if config.flen else {}
        if name == "csr":
            return {
                name: tuple((address, rng.getrandbits(config.xlen)) for address in rng.sample(CSRS, rng.randrange(5)))
            }
        if name == "priv":
            return {name: rng.choice((0, 1, 3))}
        if name == "memdata":
            return {name: (size, rng.getrandbits(8 << size))}
        if name == "request":
            request = {name: (rng.randrange(14), size, rng.getrandbits(config.mlen), rng.getrandbits(64))}
            return request | ({"response": (rng.randrange(2), rng.getrandbits(64))} if rng.random() < 0.6 else {})
        return {name: self.value(name, 32 if name == "fcsr" else 64)}
