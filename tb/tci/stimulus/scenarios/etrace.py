# SPDX-License-Identifier: Apache-2.0
"""System scenarios of E-Trace only: how its encoder describes itself, and settings that change between sessions."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from rvtrace.models.etrace.table import OPTIONS
from rvtrace.tb.tci.stimulus.etrace_hart import possible
from rvtrace.tb.tci.stimulus.scenarios.base import (
    ENCODERS,
    ETRACE_ONLY,
    TciStimulus,
    harts,
    ram_session,
    reset_all,
    scenario,
)
from rvtrace.tb.tci.stimulus.settings import etrace_settings

if TYPE_CHECKING:
    from rvtrace.tb.tci.job import TciJob
    from rvtrace.tb.tci.stimulus.session import Session

MASK, ENABLE = 0xFFFF_FFFF, 2
# What the chapter Encoder Control of the E-Trace specification says of fields, read once more beside the register
# table:
# register offset, lowest bit, width, and the only value; the others that are optional may be 0 as well.
FIXED = {
    "trTeFormat": (0x000, 24, 3, 0),
    "trTeInstMode": (0x000, 4, 3, 6),
    "trTeCompType": (0x004, 8, 4, 1),
    "trTeProtocolMajor": (0x004, 16, 4, 0),
    "trTeProtocolMinor": (0x004, 20, 4, 0),
    "trTeInstEnRepeatedHistory": (0x008, 8, 1, 0),
    "trTeInstEnAllJumps": (0x008, 9, 1, 0),
    "trTeInstExtendAddrMSB": (0x008, 10, 1, 0),
    "trTeTrigExtInControl": (0x054, 0, 32, 0),
    "trTeTrigExtOutControl": (0x058, 0, 32, 0),
}
OPTION_BITS = {  # of trTeInstFeatures
    "full_address": 0,
    "implicit_exception": 1,
    "sijump": 2,
    "implicit_return": 3,
    "branch_prediction": 4,
    "jump_target_cache": 5,
}


@scenario("TCI.te.etrace", "TCI.te.discovery", ips=ETRACE_ONLY)
def discovery(job: TciJob, rng: random.Random) -> TciStimulus:
    """A tool that knows only the specifications finds out that this is an E-Trace encoder, and which options it has."""
    config = job.settings

    async def run(s: Session) -> None:
        await reset_all(s)
        for name in ENCODERS:
            for written in (0, MASK, rng.getrandbits(32), *(mode << 4 for mode in range(8)), MASK):
                await s.tool.write(name, "trTeControl", written & ~ENABLE | 1, "which bits can be set")
                await s.tool.write(name, "trTeInstFeatures", written, "which bits can be set")
                seen = {offset: await s.read(name, offset) for offset in (0x000, 0x004, 0x008, 0x054, 0x058)}
                found = {
                    word: seen[offset] >> low & (1 << width) - 1 for word, (offset, low, width, _) in FIXED.items()
                }
                wanted = {word: fact[-1] for word, fact in FIXED.items()}
                s.tool.check(
                    "TCI.te.etrace",
                    found == wanted,
                    f"{name}: {_other(wanted, found)} after a write of {written:#010x}",
                )
            has = {word for word, bit in OPTION_BITS.items() if seen[0x008] >> bit & 1}
            built = set(possible(config, dict.fromkeys(OPTIONS, 1)))
            s.tool.check(
                "TCI.te.etrace",
                has == built,
                f"{name} has {', '.join(sorted(has))}, and what is built is {', '.join(sorted(built))}",
            )

    return TciStimulus([], run)


def _other(wanted: dict[str, int], found: dict[str, int]) -> str:
    return ", ".join(
        f"{word} is {found[word]} and not {wanted[word]}" for word in wanted if wanted[word] != found[word]
    )


@scenario("TCI.te.settings", "TCI.te.options", "TCI.te.flush", ips=ETRACE_ONLY)
def reconfigure(job: TciJob, rng: random.Random) -> TciStimulus:
    """Options are written while the harts are traced and count from the next enabling on: sessions one after the other,
    no two alike.
    """
    believed = {
        "implicit_exception",
        *(("implicit_return",) if job.settings.call_counter_size_p else ()),
    }  # not for any program
    options = [name for name in possible(job.settings, dict.fromkeys(OPTIONS, 1)) if name not in believed]

    async def run(s: Session) -> None:
        async with ram_session(s):
            for _ in range(8):
                await s.cycles(s.rng.randrange(30, 200))
                hart = s.rng.randrange(2)
                now = replace(s.harts[hart].config, **{name: s.rng.randrange(2) for name in options})
                fields = etrace_settings(now, hart + 1)["trTeInstFeatures"]
                await s.tool.set(ENCODERS[hart], "trTeInstFeatures", fields, "other options")
                await s.cycles(s.rng.randrange(30, 200))
                await s.tool.disable(ENCODERS[hart])
                await s.tool.enable(ENCODERS[hart])

    return TciStimulus(harts(job, rng, 3000), run)


@scenario("TCI.te.source", "TCI.te.options", ips=ETRACE_ONLY)
def without_index(job: TciJob, rng: random.Random) -> TciStimulus:
    """One hart is traced alone, and its packets carry no index; after each of several sessions funnel and sink are
    empty, as each packet has its end.
    """

    async def run(s: Session) -> None:
        async with ram_session(s, encoders=(0,)):
            for _ in range(6):
                await s.cycles(s.rng.randrange(40, 120))
                for name in (ENCODERS[0], "funnel", "ram_sink"):
                    await s.tool.disable(name)
                for name in ("ram_sink", "funnel", ENCODERS[0]):
                    await s.tool.enable(name)

    return TciStimulus(harts(job, rng, 1000, index_width=0), run, expect={"untraced": (1,)})
