# SPDX-License-Identifier: Apache-2.0
"""Random mixes of SBI PMU calls, legal and illegal, with firmware events and the supervisor's writes of shared memory
between them.

    for action in random_calls(random.Random("1:calls"), platform, 1000): act(action, pmu, backend)

Arguments come from small pools where legal and nearly legal values meet, so that every error and every effect comes up
often.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.calls import Action, Call, FirmwareEvent, Poke
from rvtrace.models.sbi_pmu.platform import Hardware, Platform

_FIDS = (sbi.CONFIG_MATCHING,) * 6 + (sbi.START,) * 6 + (sbi.STOP,) * 6 + (sbi.FW_READ,) * 2 + (
    sbi.NUM_COUNTERS, sbi.GET_INFO, sbi.FW_READ_HI, sbi.SET_SHMEM, sbi.EVENT_GET_INFO, 9, 0x7FFF_FFFF,
)  # fmt: skip


def random_calls(
    rng: random.Random, platform: Platform, n: int, memory: tuple[int, int] = (0x8000_0000, 0x10000)
) -> Iterator[Action]:
    """n calls, each perhaps after firmware events or a write of shared memory. memory: base and size of what the
    platform has.
    """
    mix = _Mix(rng, platform, memory)
    for _ in range(n):
        if rng.random() < 0.2:
            yield FirmwareEvent(
                rng.choice(mix.codes), rng.choice((1, 1, 2, 1 << 31)), rng.choice((0, *sorted(platform.firmware_data)))
            )
        fid = rng.choice(_FIDS)
        values, pokes = mix.arguments(fid)
        yield from pokes
        row = sbi.FUNCTIONS[fid] if fid < len(sbi.FUNCTIONS) else None
        yield Call(fid, row.registers(platform.xlen, values) if row else (rng.getrandbits(platform.xlen),) * 6)


class _Mix:
    """Pools of arguments for a platform."""

    def __init__(self, rng: random.Random, platform: Platform, memory: tuple[int, int]) -> None:
        self.rng, self.platform = rng, platform
        self.base, self.size = memory
        self.ones = (1 << platform.xlen) - 1
        self.indices = [counter.index for counter in platform.counters] or [0]
        self.codes = (*sorted(platform.firmware_events), 22, sbi.FIRMWARE_PLATFORM)
        firmware = [sbi.event_idx(sbi.FIRMWARE, code) for code in self.codes]
        own = sorted(
            {event for counter in platform.counters if isinstance(counter, Hardware) for event in counter.events}
        )
        self.events = (
            own * 3
            + firmware
            + [0, 11, 0x1_0038, 0x1_0006, 0x2_0000, 0x3_0000, 0x2_0001, 0x4_0000, 0xF_0016, 0x10_0001, self.ones]
        )
        self.raw = [
            select for counter in platform.counters if isinstance(counter, Hardware) for select, _ in counter.raw
        ] or [1]
        self.shmem = self.base

    def arguments(self, fid: int) -> tuple[dict[str, int], list[Poke]]:
        """Named arguments of a call, and what the supervisor writes before it."""
        rng = self.rng
        firmware = [c.index for c in self.platform.counters if not isinstance(c, Hardware)]
        if fid in (sbi.FW_READ, sbi.FW_READ_HI) and firmware and rng.random() < 0.7:
            return {"counter_idx": rng.choice(firmware)}, []
        if fid in (sbi.GET_INFO, sbi.FW_READ, sbi.FW_READ_HI):
            return {"counter_idx": rng.choice((*self.indices, *self.indices, 1, self.indices[-1] + 1, self.ones))}, []
        if fid == sbi.CONFIG_MATCHING:
            event = rng.choice(self.events)
            data = (
                rng.choice((1, *sorted(self.platform.firmware_data), *self.raw[:8], 1 << 47, 1 << 50, 1 << 60))
                if rng.random() < 0.1
                else 0
            )
            if event >> 16 in sbi.RAW_BITS and rng.random() < 0.7:
                data = rng.choice(self.raw)
            elif event == sbi.event_idx(sbi.FIRMWARE, sbi.FIRMWARE_PLATFORM):
                data = rng.choice((0, *sorted(self.platform.firmware_data)))
            return {
                **self._set(self._able(event, data)),
                "config_flags": self._flags(8),
                "event_idx": event,
                "event_data": data,
            }, []
        if fid == sbi.START:
            values = {
                **self._set(),
                "start_flags": self._flags(2),
                "initial_value": rng.choice((0, 1, self.ones, rng.getrandbits(64), -rng.randrange(1, 30) % (1 << 64))),
            }
            return values, self._snapshot() if values["start_flags"] & sbi.INIT_SNAPSHOT else []
        if fid == sbi.STOP:
            return {**self._set(), "stop_flags": self._flags(2)}, []
        if fid == sbi.SET_SHMEM:
            return self._set_shmem(), []
        return self._entries() if fid == sbi.EVENT_GET_INFO else ({}, [])

    def _able(self, event: int, data: int) -> list[int]:
        """Indices of counters of the kind that the event asks for, of those that can monitor it for most calls."""
        if self.rng.random() < 0.3:
            return self.indices
        firmware = event >> 16 == sbi.FIRMWARE
        counters = [c for c in self.platform.counters if isinstance(c, Hardware) != firmware]
        able = [c.index for c in counters if not isinstance(c, Hardware) or c.monitors(event, data)]
        return able or self.indices

    def _set(self, indices: list[int] | None = None) -> dict[str, int]:
        indices = indices or self.indices
        rng, kind = self.rng, self.rng.random()
        if kind < 0.08:
            return {
                "counter_idx_base": rng.choice((0, 1, self.ones)),
                "counter_idx_mask": rng.choice((0, 1, 2, self.ones)),
            }
        named = rng.sample(indices, 1 if kind < 0.6 else min(len(indices), rng.randint(2, 4)))
        base = rng.choice((min(named), min(named), 0 if min(named) < self.platform.xlen else min(named)))
        mask = sum(1 << index - base for index in named if index - base < self.platform.xlen)
        if kind > 0.95:
            mask |= 1 << rng.randrange(self.platform.xlen)
        return {"counter_idx_base": base, "counter_idx_mask": mask}

    def _flags(self, bits: int) -> int:
        flags = self.rng.getrandbits(bits) & self.rng.getrandbits(bits)
        return flags | 1 << self.rng.randrange(bits, self.platform.xlen) if self.rng.random() < 0.05 else flags

    def _snapshot(self) -> list[Poke]:
        return [Poke(self.shmem + sbi.VALUES_OFFSET, self.rng.randbytes(sbi.VALUE_SIZE * sbi.VALUES))]

    def _set_shmem(self) -> dict[str, int]:
        rng, kind = self.rng, self.rng.random()
        low = self.base + sbi.SHMEM_ALIGN * rng.randrange(self.size // sbi.SHMEM_ALIGN)
        if kind < 0.6:
            self.shmem = low
            return {"shmem_phys_lo": low}
        if kind < 0.7:
            return {"shmem_phys_lo": self.ones, "shmem_phys_hi": self.ones}
        wrong = rng.choice(
            (
                {"flags": 1},
                {"shmem_phys_lo": low + 8},
                {"shmem_phys_hi": self.ones},
                {"shmem_phys_lo": self.base + self.size},
                {"shmem_phys_lo": self.ones},
                {"flags": 1, "shmem_phys_lo": self.ones, "shmem_phys_hi": self.ones},
            )
        )
        return {"shmem_phys_lo": low, **wrong}

    def _entries(self) -> tuple[dict[str, int], list[Poke]]:
        rng = self.rng
        count = rng.choice((0, 1, 2, 5))
        at = self.base + sbi.ENTRY_ALIGN * rng.randrange((self.size - sbi.ENTRY_SIZE * 5) // sbi.ENTRY_ALIGN)
        events = [rng.choice(self.events[:-2]) | (rng.random() < 0.04) << 20 for _ in range(count)]
        entries = b"".join(
            e.to_bytes(4, "little") + rng.randbytes(4) + rng.choice((0, *self.raw)).to_bytes(8, "little")
            for e in events
        )
        wrong = rng.choice(
            ({}, {}, {}, {}, {"flags": 1}, {"shmem_phys_lo": at + 4}, {"num_entries": self.size}, {"shmem_phys_hi": 1})
        )
        return {"shmem_phys_lo": at, "num_entries": count, **wrong}, [Poke(at, entries)]
