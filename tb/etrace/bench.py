# SPDX-License-Identifier: Apache-2.0
"""E-Trace: branch-trace packets and their transport."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from rvtrace.jobs.coverage import Definition
from rvtrace.jobs.job import Job
from rvtrace.jobs.sizes import Method, Sizes
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.decode import decode
from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.models.riscv import recording
from rvtrace.scoreboards.etrace.judge import EtraceJudge
from rvtrace.tb.etrace.areas import AREAS
from rvtrace.tb.etrace.builds import BUILD
from rvtrace.tb.etrace.coverage.points import ETRACE
from rvtrace.tb.etrace.measured import MODELS
from rvtrace.tb.etrace.stimulus.random_jobs import random_job, random_tci_job
from rvtrace.tb.etrace.stimulus.scenarios import SCENARIOS
from rvtrace.tb.etrace.stimulus.scenarios.base import SMALL
from rvtrace.tb.etrace.stimulus.stimulus import stimulus
from rvtrace.tb.tci.builds import TCI_BUILDS
from rvtrace.tb.tci.encoder_bench import EncoderBench

_PREDICTED = {"branch_prediction": 1}
_CACHED = {"jump_target_cache": 1}
_RETURNS = {"implicit_return": 1}
SIZES = Sizes(
    methods=(
        Method("no option", {}, (0.523, None)),
        Method("jump target cache", _CACHED),
        Method("branch prediction", _PREDICTED),
        Method("implicit return", _RETURNS, (0.202, None)),
        Method("all three", _PREDICTED | _CACHED | _RETURNS),
        Method("full address", {"full_address": 1}),
    ),
    extras={
        "none": {},
        "time of 32 bits": {"notime_p": 0},
        "source of 8 bits": {"index_width": 8},
        "periodic sync, 256 packets": {"inst_sync_mode": 1, "inst_sync_max": 4},
        "all three": {"notime_p": 0, "index_width": 8, "inst_sync_mode": 1, "inst_sync_max": 4},
    },
    free=frozenset({"ip", "iaddress_width_p", "ctype", "trap_vectors", "framing", "flow", "block_bytes"}),
    default=Config().to_dict(),
    about="other programs (nine with implicit return, six without)",
)  # fmt: skip


class EtraceBench(EncoderBench, EtraceJudge):
    """The E-Trace encoder with its transport."""

    mutated: ClassVar[Mapping[str, tuple[str, ...]]] = {"etrace": ("etrace", "common")}
    sizes = SIZES
    areas = AREAS
    models = MODELS
    definition: Definition = ETRACE
    scenarios: Mapping[str, Any] = SCENARIOS
    random_job, random_tci_job = staticmethod(random_job), staticmethod(random_tci_job)
    small: dict[str, Any] = dict(SMALL)
    build = BUILD
    whole = "transported"
    synthesis_top = "etrace_encoder"
    synthesized = (
        {"IAddressWidth": 64, "NBlocks": 1},
        {"IAddressWidth": 32, "NBlocks": 1},
        {"IAddressWidth": 64, "NBlocks": 2},
    )
    linted = (
        {},
        {
            "IAddressWidth": 32,
            "IAddressLsb": 2,
            "NBlocks": 2,
            "ReturnStackSize": 0,
            "CallCounterSize": 2,
            "CacheSize": 0,
            "F0sWidth": 0,
            "PrivilegeWidth": 2,
        },
        {"NBlocks": 4, "BpredSize": 0, "NoTime": 0, "TimeWidth": 64, "NoContext": 1, "SijumpEn": 0, "BcountBits": 3},
    )
    around = (
        (
            "trace_system",
            TCI_BUILDS["etrace"].bench,
            ({"Format": 0}, {"Format": 0, "Xlen": 32, "NBlocks": 2, "ReturnStackSize": 0, "CallCounterSize": 3}),
        ),
    )
    modelled_as = "without options and with prediction, cache and implicit return"

    def programs(self, everything: bool = False) -> list[Job]:
        """RV64 and RV32, plain and with the compression options; all: in both variants."""
        options: list[tuple[str, dict[str, Any]]] = [
            ("plain", {}),
            ("options", _PREDICTED | _CACHED | _RETURNS | {"sijump": 1}),
        ]
        if everything:
            options += [
                ("draft", {"variant": "draft_0_026"}),
                ("draft-options", {"variant": "draft_0_026", **_PREDICTED}),
            ]
        return [
            Job(f"{name}-rv{xlen}-{what}", f"program:{name}", {"xlen": xlen, **chosen}, ip=self.ip)
            for what, chosen in options for xlen in (64, 32) for name in recording.names()
        ]  # fmt: skip

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """Encoder model and decoder without options and with those that compress."""
        found = []
        for options in ({}, _PREDICTED | _CACHED | _RETURNS):
            what = stimulus(Job("perf", f"program:{program}", dict(options), ip=self.ip))
            payloads = Encoder(what.config).run(what.beats).payloads
            found.append((int((what.retired.kind == 0).sum()), [
                ("encoder model", lambda w=what: Encoder(w.config).run(w.beats)),
                ("decoder", lambda w=what, p=payloads: decode(p, w.program, w.config)),
            ]))  # fmt: skip
        return found


BENCH = EtraceBench()
