# SPDX-License-Identifier: Apache-2.0
"""Random jobs: a random walk in a random configuration of everything that can be configured."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from rvtrace.jobs.job import Job
from rvtrace.models.ntrace.config import MODES, VARIANTS, Config
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Priv
from rvtrace.tb.ntrace.stimulus.scenarios.base import RV32, SMALL, TWO
from rvtrace.tb.ntrace.stimulus.stimulus import COUNTER, random_program
from rvtrace.tb.tci.job import TS_WIDTH, TciJob
from rvtrace.tb.tci.stimulus.scenarios import BY_IP

# What a simulation is built for. Few, so that a regression builds little: four are those of the scenarios.
BUILDS: tuple[dict[str, int], ...] = (
    {}, TWO, RV32, SMALL,
    {"xlen": 32, "blocks": 2, "stack_depth": 32, "ts_width": 32, "fifo_depth": 32},
    {"icnt_bits": 12, "hist_bits": 16, "iretire_bits": 6, "stack_depth": 3, "repeat_bits": 6, "ts_width": 48},
)  # fmt: skip
_PINS_SIZE = 1500  # pin by pin a cycle takes a hundred times as long


def random_job(seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
    """A random walk in a random configuration: mode, variant, build, every option, blocks, drive and back-pressure.

    base: options that are fixed, as values or as text; ConfigError if they contradict each other.
    """
    rng = random.Random(f"{seed}:regress:config")
    fixed = dict(base or {})
    config = _options(rng) | fixed
    config = _consistent(config, fixed, rng)
    grouping, retirement = rng.choice(("longest", "random")), rng.choice(("block", "block", "single"))
    backpressure, gaps = rng.choice((0, 0, 10, 30, 60, 90)), rng.choice((0, 0, 5, 30))
    pins = rng.random() < 1 / 12
    job = Job(
        f"seed-{seed}", "random", config, seed, "pins" if pins else "bulk", retirement, grouping,
        min(size, _PINS_SIZE) if pins else size, backpressure, gaps,
    )  # fmt: skip
    if rng.random() < 0.2 and "filter" not in fixed:
        program, _ = random_program(job)
        job.config["filter"] = filter_text(rng, program)
    return job


def random_tci_job(seed: int, base: Mapping[str, Any] | None = None) -> TciJob:
    """A random system scenario in a random configuration of what the scenario does not set: register traffic, sinks,
    triggers.

    One build serves them all, unless `base` has other widths.
    """
    rng = random.Random(f"{seed}:regress:story")
    config = {
        "mode": rng.choice(list(MODES)),
        "variant": rng.choice(VARIANTS),
        "b_type": rng.choice(("2_3", "1")),
        "implicit_return": rng.choice((0, 2, 3)),
        "inst_sync_mode": rng.randrange(4),
        "inst_sync_max": rng.randrange(8),
        **{
            name: rng.randrange(2)
            for name in ("repeated_history", "repeat_branch", "extend_addr_msb", "sequential_jump")
        },
    }
    name = rng.choice(sorted(BY_IP["ntrace"]))
    given = {
        option: value for option, value in (base or {}).items() if option != "ts_width" or int(value) < 64
    }  # trTsWidth has six bits
    return TciJob(f"seed-{seed}", f"tci:{name}", {"ts_width": TS_WIDTH} | config | given, seed)


def _options(rng: random.Random) -> dict[str, Any]:
    """A value for each option of `Config` but the filter, legal together."""

    def sometimes(probability: float) -> int:
        return int(rng.random() < probability)

    return {
        **rng.choice(BUILDS), "mode": rng.choice(list(MODES)), "variant": rng.choice(VARIANTS),
        "b_type": rng.choice(("2_3", "1")), "inst_sync_mode": rng.choice((0, 0, 1, 2, 3)),
        "inst_sync_max": rng.randrange(8), "inst_stall_ena": rng.randrange(2),
        "src_bits": rng.choice((0, 0, 0, 1, 4, 6, 7, 12)), "inhibit_src": sometimes(0.15),
        "timestamp": sometimes(0.4), "ts_mode": rng.choice((1, 2, 3)), "ts_prescale": rng.choice((0, 0, 1, 2, 3)),
        "ts_run_in_debug": sometimes(0.5), "ownership": sometimes(0.4), "hcontext": sometimes(0.5),
        "extend_addr_msb": sometimes(0.3), "implicit_return": rng.choice((0, 0, 1, 2, 3, 3)),
        "repeated_history": sometimes(0.4), "repeat_branch": sometimes(0.4), "sequential_jump": sometimes(0.4),
        "all_jumps": sometimes(0.2),
    }  # fmt: skip


def _consistent(config: dict[str, Any], fixed: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The options with those that were not fixed changed to fit the others."""
    if "src_id" not in fixed:
        config["src_id"] = rng.getrandbits(12) & (1 << int(str(config["src_bits"]), 0)) - 1
    elif "src_bits" not in fixed:
        config["src_bits"] = max(1, int(str(config["src_id"]), 0).bit_length())
    # A counter of calls has to see all of them, and all-jumps reports direct calls as branches.
    if int(str(config["implicit_return"])) == COUNTER and int(str(config["all_jumps"])):
        name, value = ("implicit_return", 3) if "all_jumps" in fixed else ("all_jumps", 0)
        config[name] = value
    return {name: value for name, value in Config.from_dict(config).to_dict().items() if name in config}


def filter_text(rng: random.Random, program: Program) -> str:
    """A filter in the language of `rvtrace.models.common.filters`, about the program's functions, contexts and
    privileges.
    """
    places = sorted(address for _, address in program.labels if program.insn(address))
    left = [2]  # comparators

    def address() -> str:
        return f"{rng.choice(places) + rng.choice((0, 0, 0, 4)):#x}"

    def condition() -> str:
        kinds = ["priv", "trap", "ecause"] + (
            ["range", "range", "outside", "order", "equal", "from", "context", "tval"] if left[0] else []
        )
        kind = rng.choice(kinds)
        left[0] -= kind not in kinds[:3]
        low, high = sorted(rng.choices(places, k=2))
        return {
            "priv": "priv=" + "+".join(p.name for p in rng.sample(list(Priv), rng.randint(1, 4))),
            "trap": f"trap={rng.choice(('interrupt', 'exception'))}",
            "ecause": "ecause=" + "+".join(map(str, rng.sample((0, 2, 3, 5, 7, 8, 9, 11, 13), rng.randint(1, 4)))),
            "range": f"iaddr={low:#x}..{high:#x}", "outside": f"iaddr!={low:#x}..{high:#x}",
            "order": f"iaddr{rng.choice(('<', '<=', '>', '>='))}{address()}", "equal": f"iaddr={address()}",
            "from": f"iaddr={address()}->{address()}",
            "context": f"context{rng.choice(('<', '>=', '!='))}{rng.getrandbits(rng.randint(0, 10))}",
            "tval": f"tval{rng.choice(('=', '!='))}0",
        }[kind]  # fmt: skip

    filters = ["&".join(condition() for _ in range(rng.choice((1, 1, 1, 2)))) for _ in range(rng.choice((1, 1, 2)))]
    parts = ["|".join(filters)] if rng.random() < 0.85 else []
    while left[0] and (not parts or rng.random() < 0.3):
        parts.append(f"watch={address()}")
        left[0] -= 1
    return ";".join(parts)
