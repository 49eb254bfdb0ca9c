# SPDX-License-Identifier: Apache-2.0
"""N-Trace: Nexus messages, and the trace system with its control registers around the encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from rvtrace.jobs.coverage import Definition
from rvtrace.jobs.job import Job
from rvtrace.jobs.sizes import Method, Sizes
from rvtrace.models.ntrace.config import MODES, VARIANTS, Config
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.riscv import recording
from rvtrace.scoreboards.ntrace.judge import NtraceJudge
from rvtrace.tb.ntrace.areas import AREAS
from rvtrace.tb.ntrace.builds import BUILD
from rvtrace.tb.ntrace.coverage.points import NTRACE
from rvtrace.tb.ntrace.measured import MODELS
from rvtrace.tb.ntrace.stimulus.random_jobs import random_job, random_tci_job
from rvtrace.tb.ntrace.stimulus.scenarios import SCENARIOS
from rvtrace.tb.ntrace.stimulus.scenarios.base import SMALL
from rvtrace.tb.ntrace.stimulus.stimulus import stimulus
from rvtrace.tb.tci.builds import TCI_BUILDS
from rvtrace.tb.tci.encoder_bench import EncoderBench

SIZES = Sizes(
    methods=(
        Method("BTM", {"mode": "btm"}, (1.773, 1.400)),
        Method("HTM", {"mode": "htm"}, (0.537, 0.440)),
        Method("HTM + repeated history", {"mode": "htm", "repeated_history": 1}, (0.462, 0.419)),
        Method("HTM + implicit return", {"mode": "htm", "implicit_return": 3}, (0.291, 0.245)),
        Method("HTM + both", {"mode": "htm", "implicit_return": 3, "repeated_history": 1}, (0.213, 0.220)),
    ),
    extras={
        "none": {},
        "timestamps": {"timestamp": 1},
        "source of 6 bits": {"src_bits": 6},
        "periodic sync, 256 messages": {"inst_sync_mode": 1, "inst_sync_max": 4},
        "all three": {"timestamp": 1, "src_bits": 6, "inst_sync_mode": 1, "inst_sync_max": 4},
    },
    free=frozenset({"variant", "xlen", "ip", "src_id", "b_type"}),
    default=Config().to_dict(),
    about="32 other programs",
)  # fmt: skip


def programs(xlens: Iterable[int] = (64,), variants: Iterable[str] = VARIANTS[:1]) -> list[Job]:
    """Every recorded program in each combination."""
    return [
        Job(f"{name}-rv{xlen}-{mode}-{variant}", f"program:{name}", {"xlen": xlen, "mode": mode, "variant": variant})
        for variant in variants for xlen in xlens for name in recording.names() for mode in MODES
    ]  # fmt: skip


class NtraceBench(EncoderBench, NtraceJudge):
    """The N-Trace encoder, and the trace system around it."""

    mutated: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "ntrace": ("ntrace", "common"),
        "tci": ("tci", "common/trace_timestamp.sv"),
    }
    sizes = SIZES
    areas = AREAS
    models = MODELS
    synthesis_top = "ntrace_encoder"
    synthesized = ({"Xlen": 64, "NBlocks": 1}, {"Xlen": 32, "NBlocks": 1}, {"Xlen": 64, "NBlocks": 2})
    linted: ClassVar[tuple[dict[str, int], ...]] = ({"Xlen": 64, "NBlocks": 1}, {"Xlen": 32, "NBlocks": 2})
    around = (("trace_system", TCI_BUILDS["ntrace"].bench, linted),)
    modelled_as = "in HTM and BTM"
    scenarios: Mapping[str, Any] = SCENARIOS
    random_job, random_tci_job = staticmethod(random_job), staticmethod(random_tci_job)
    definition: Definition = NTRACE
    small: dict[str, Any] = dict(SMALL)
    build = BUILD

    def programs(self, everything: bool = False) -> list[Job]:
        """RV64 and RV32 in HTM and BTM; all: in both variants."""
        return programs((64, 32), variants=VARIANTS if everything else VARIANTS[:1])

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """Encoder model and decoder in both modes."""
        found = []
        for mode in MODES:
            config, what = Config(mode=mode), stimulus(Job("perf", f"program:{program}", {"mode": mode}))
            data = Encoder(config).run(what.beats).data
            found.append((int((what.retired.kind == 0).sum()), [
                ("encoder model", lambda c=config, w=what: Encoder(c).run(w.beats)),
                ("decoder", lambda c=config, w=what, d=data: decode(d, w.program, c)),
            ]))  # fmt: skip
        return found


BENCH = NtraceBench()
