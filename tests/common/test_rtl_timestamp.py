# SPDX-License-Identifier: Apache-2.0
"""trace_timestamp against what the register fields of the Timestamp Unit say."""

from itertools import product
from random import Random

import pytest

from tests.common.packers import vector
from tests.common.unit_bench import play


class Unit:
    """The time before each clock cycle, in the words of trTsControl."""

    def __init__(self, width: int) -> None:
        self.width, self.count, self.ticks = width, 0, 0

    def time(self, active: int, mode: int, external: int, shared: int) -> int:
        return {1: external, 2: self.count, 3: self.count, 4: shared}.get(mode, 0) if active else 0

    def clock(
        self, active: int, runs: int, clear: int, in_debug: int, mode: int, prescale: int, halted: int, sys_tick: int
    ) -> None:
        if not active or clear:
            self.count = self.ticks = 0
        elif runs and ((mode == 2 and sys_tick) or (mode == 3 and (in_debug or not halted))):
            self.ticks += 1
            if self.ticks == 1 << 2 * prescale:
                self.ticks = 0
                self.count = (self.count + 1) % (1 << self.width)


@pytest.mark.parametrize("width", [8, 40, 64])
def test_random_settings(width, tmp_path):
    rng = Random(f"{width}:tests/rtl/timestamp")
    unit, rows, want, highest = Unit(width), [], [], [0] * 8
    for mode, prescale in product(range(8), range(4)):
        in_debug = rng.randrange(2)
        for cycle in range(1000):
            active, clear = int(cycle > 0 and rng.random() > 0.0005), int(rng.random() < 0.0005)
            runs, halted, tick = int(rng.random() < 0.95), int(rng.random() < 0.3), int(rng.random() < 0.6)
            external, shared = rng.getrandbits(width), rng.getrandbits(width)
            rows.append(
                vector(
                    (active, 1),
                    (runs, 1),
                    (clear, 1),
                    (in_debug, 1),
                    (mode, 3),
                    (prescale, 2),
                    (halted, 1),
                    (tick, 1),
                    (external, width),
                    (shared, width),
                )
            )
            want.append(unit.time(active, mode, external, shared))
            unit.clock(active, runs, clear, in_debug, mode, prescale, halted, tick)
            highest[mode] = max(highest[mode], unit.count)
    lines = play("bench_timestamp", ["common/trace_timestamp.sv"], {"Width": width}, rows, tmp_path)
    assert [int(line) for line in lines] == want
    assert min(highest[2], highest[3]) > 200  # both counted; 8 bits wrapped once or more


def test_prescale_divides(tmp_path):
    """1, 4, 16, 64 cycles of the core for one of the counter."""
    for prescale in range(4):
        row = vector((1, 1), (1, 1), (0, 1), (0, 1), (3, 3), (prescale, 2), (0, 1), (0, 1), (0, 40), (0, 40))
        lines = play("bench_timestamp", ["common/trace_timestamp.sv"], {"Width": 40}, [row] * 640, tmp_path)
        assert [int(line) for line in lines] == [n // 4**prescale for n in range(640)]
