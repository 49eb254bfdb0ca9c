# SPDX-License-Identifier: Apache-2.0
"""Random E-Trace jobs: a random walk in a random configuration of everything that can be configured."""

from __future__ import annotations

import random
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from rvtrace.jobs.job import Job
from rvtrace.models.common.options import ConfigError
from rvtrace.models.etrace.config import ENCAP, ENCAP_FRAMINGS, EXAMPLE_FRAMINGS, Config
from rvtrace.models.etrace.table import OPTIONS, VARIANTS
from rvtrace.tb.etrace.stimulus.scenarios.base import COUNTER, FOUR, SMALL, TWO
from rvtrace.tb.etrace.stimulus.stimulus import random_program
from rvtrace.tb.ntrace.stimulus.random_jobs import filter_text
from rvtrace.tb.tci.job import DEFAULTS, TciJob
from rvtrace.tb.tci.stimulus.etrace_hart import possible
from rvtrace.tb.tci.stimulus.scenarios import BY_IP

# What a simulation is built for. Few, so that a regression builds little: most are those of the scenarios.
BUILDS: tuple[dict[str, Any], ...] = (
    {"bcount_bits": 16},
    {**TWO, "bcount_bits": 16},
    {**FOUR, "bcount_bits": 16},
    SMALL,
    {**COUNTER, "bcount_bits": 16},
    {
        "iaddress_width_p": 32,
        "blocks_p": 2,
        "return_stack_size_p": 0,
        "call_counter_size_p": 4,
        "cache_size_p": 0,
        "f0s_width_p": 0,
        "bcount_bits": 8,
        "notime_p": 0,
        "time_width_p": 40,
        "ecause_width_p": 5,
        "ioptions_n": 8,
        "doptions_n": 3,
        "encoder_mode_n": 2,
        "iretire_width_p": 4,
        "sijump_p": 0,
    },
)
EVERY = {
    "return_stack_size_p": 4,
    "call_counter_size_p": 0,
    "cache_size_p": 5,
    "f0s_width_p": 1,
}  # unless the build has another: in both variants
_SPECIFIED = Config().to_dict()
_VARIED = {name: _SPECIFIED[name] for build in BUILDS for name in build}
WHOLE: tuple[dict[str, Any], ...] = tuple(
    {**_VARIED, **EVERY, **build} for build in BUILDS
)  # each with the options that only others change
TRANSPORT = {"encapsulation", "framing", "index_width", "timestamp"}  # options that a transport cannot change if given
_PINS_SIZE = 1500  # pin by pin a cycle takes a hundred times as long


def random_job(seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
    """A random walk in a random configuration: variant, build, every option, transport, blocks, drive and
    back-pressure.

    base: options that are fixed, as values or as text; ConfigError if they contradict each other.
    """
    rng = random.Random(f"{seed}:regress:config")
    fixed = {
        {"xlen": "iaddress_width_p", "blocks": "blocks_p"}.get(name, name): value
        for name, value in (base or {}).items()
    }
    options = _options(rng)
    config = _consistent(options | fixed, fixed)
    if not fixed.keys() & TRANSPORT:
        other = _encapsulated(random.Random(f"{seed}:regress:encapsulation"), Config.from_dict(config).blocks)
        with suppress(ConfigError):  # the longest packet may leave no room for srcID and type
            config = _consistent({**options, **other, **fixed}, fixed)
    grouping, retirement = rng.choice(("longest", "random")), rng.choice(("block", "block", "single"))
    backpressure, gaps = rng.choice((0, 0, 10, 30, 60, 90)), rng.choice((0, 0, 5, 30))
    pins = rng.random() < 1 / 12
    job = Job(
        f"seed-{seed}", "random", config, seed, "pins" if pins else "bulk", retirement, grouping,
        min(size, _PINS_SIZE) if pins else size, backpressure, gaps, ip="etrace",
    )  # fmt: skip
    if rng.random() < 0.2 and "filter" not in fixed:
        program, _ = random_program(job)
        job.config["filter"] = filter_text(rng, program)
    return job


def _options(rng: random.Random) -> dict[str, Any]:
    """A value for each option of `Config` but the filter and the trap vectors."""

    def sometimes(probability: float) -> int:
        return int(rng.random() < probability)

    return {
        **EVERY,
        **rng.choice(BUILDS),
        "variant": rng.choice((VARIANTS[0], *VARIANTS)),
        "itype_width_p": rng.choice((4, 4, 4, 3)),
        "implicit_return": sometimes(0.6),
        **{name: sometimes(0.4) for name in OPTIONS[1:]},
        "inst_sync_mode": rng.choice((0, 0, 1, 2, 3)),
        "inst_sync_max": rng.randrange(8),
        "inst_stall_ena": rng.randrange(2),
        "ctype": rng.choice(("0", "1", "2", "3", "mixed", "mixed")),
        "encapsulation": rng.choice(("messaging", "atb")),
        "framing": rng.choice(EXAMPLE_FRAMINGS),
        "index_width": rng.choice((0, 8, 16)),
        "flow": rng.randrange(4),
        "timestamp": sometimes(0.4),
        "block_bytes": 1 << rng.randrange(6, 11),
    }


def _encapsulated(rng: random.Random, blocks: int) -> dict[str, Any]:
    """Values for the options of the packet encapsulation 1.0, in one run of three. blocks: with several, the encoder
    gives 16 bits of time.
    """
    if rng.randrange(3):
        return {}
    bits, size = rng.randrange(17), rng.randrange(9 if blocks == 1 else 3)
    framing = rng.choice(("none", *ENCAP_FRAMINGS))
    return {
        "encapsulation": ENCAP,
        "framing": framing,
        "index_width": 0,
        "src_bits": bits,
        "src_id": rng.getrandbits(bits),
        "type_bits": rng.randrange(5),
        "timestamp_bytes": size,
        "timestamp": rng.randrange(2) if size else 0,
        "async_freq": rng.randrange(8) if framing != "none" else 0,
    }


def _consistent(config: dict[str, Any], fixed: Mapping[str, Any]) -> dict[str, Any]:
    """The options with those that were not fixed changed to fit the others."""
    values = Config.from_dict({"variant": config["variant"]}).to_dict() | config

    def given(name: str) -> int:
        return int(str(values[name]), 0)

    draft = config["variant"] == "draft_0_026"
    unless = {  # an option that is off unless there is what it needs
        "implicit_return": (
            (given("call_counter_size_p") or (given("return_stack_size_p") and not draft))
            and given("itype_width_p") == 4
        ),
        "jump_target_cache": given("cache_size_p") and not draft,
        "branch_prediction": given("bpred_size_p"),
        "sijump": given("sijump_p"),
    }
    if draft and "itype_width_p" not in fixed:
        config["itype_width_p"] = 4
    for name, there in unless.items():
        if not there and name not in fixed:
            config[name] = 0
    return {name: value for name, value in Config.from_dict(config).to_dict().items() if name in config}


def random_tci_job(seed: int, base: Mapping[str, Any] | None = None) -> TciJob:
    """A random system scenario in a random configuration of what the scenario does not set."""
    rng = random.Random(f"{seed}:regress:story")
    config = Config.from_dict(DEFAULTS["etrace"] | ({"variant": "draft_0_026"} if rng.random() < 0.3 else {}))
    options = possible(config, {name: rng.randrange(2) for name in OPTIONS if name != "implicit_exception"})
    options |= {"inst_sync_mode": rng.randrange(4), "inst_sync_max": rng.randrange(8), "timestamp": rng.randrange(2)}
    name = rng.choice(sorted(BY_IP["etrace"]))
    given = config.to_dict() | options | dict(base or {})
    return TciJob(f"seed-{seed}", f"tci:{name}", given, seed, ip="etrace")
