# SPDX-License-Identifier: Apache-2.0
"""E-Trace: branch-trace packets and their transport."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.job import Job
from rvtrace.jobs.sizes import Method, Sizes
from rvtrace.jobs.system import System
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.decode import decode
from rvtrace.models.etrace.decoder.deframe import deframe
from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.models.etrace.table import MAX_PAYLOAD
from rvtrace.models.riscv import recording
from rvtrace.scoreboards.common.clauses import Plan
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check, plan
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from rvtrace.tb.common.coverage.model import Definition
from rvtrace.tb.etrace.builds import BUILD
from rvtrace.tb.etrace.stimulus import random_jobs
from rvtrace.tb.etrace.stimulus.scenarios import SCENARIOS
from rvtrace.tb.etrace.stimulus.scenarios.base import SMALL
from rvtrace.tb.etrace.stimulus.stimulus import stimulus
from rvtrace.tb.tci.builds import TCI_BUILDS
from rvtrace.tb.tci.encoder_system import EncoderSystem
from rvtrace.tb.tci.job import TciJob

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


class ETrace(EncoderSystem):
    """The E-Trace encoder with its transport."""

    ip, title, config, sizes, tolerances = "etrace", "E-Trace", Config, SIZES, Tolerances
    scenarios: Mapping[str, Any] = SCENARIOS
    small: dict[str, Any] = dict(SMALL)
    build = BUILD
    xlen_names = ("xlen", "iaddress_width_p")
    more_words: ClassVar[dict[str, str]] = {"XLEN": "32 or 64: IADDRESS_WIDTH_P", "BLOCKS": "BLOCKS_P"}
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
    left = (*System.left, "packets.hex")
    claims: ClassVar[dict[str, Any]] = {"sijump_returns": 1}

    @property
    def definition(self) -> Definition:
        """tb/etrace/coverage/points.py."""
        from rvtrace.tb.etrace.coverage.points import ETRACE

        return ETRACE

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

    def described(self, config: Config) -> str:
        """Variant, width and the options that are on."""
        on = [name for name, value in config.options.items() if value]
        return f"{config.variant} RV{config.xlen} {'+'.join(on) or 'no option'}"

    def read(self, trace: Path, config: Config) -> bytes:
        """The transported bytes; payloads of a .hex file, one a line, are given a transport."""
        if trace.suffix != ".hex":
            return trace.read_bytes()
        payloads = []
        for place, line in enumerate(trace.read_text(errors="replace").split("\n"), 1):
            try:
                payloads.append(bytes.fromhex(line))
                if len(payloads[-1]) > MAX_PAYLOAD:
                    raise ValueError
            except ValueError:
                raise ArgumentError(
                    f"{trace} line {place}: {line[:40]!r} is no payload; give one payload of at most {MAX_PAYLOAD}"
                    " bytes a line, in hexadecimal digits"
                ) from None
        payloads = [payload for payload in payloads if payload]
        starts = [payload[0] & 0xF == 3 for payload in payloads]  # format 3, subformat 0
        return encapsulate(payloads, starts, [0] * len(payloads), config)

    def capture(self, config: Config, program: Any, data: bytes, beats: Any, retired: Any, rerun: str) -> EtraceCapture:
        """One of files: the packets are those of the transported bytes."""
        payloads, _, damage = deframe(data, config)
        return EtraceCapture(
            config,
            program,
            payloads,
            data=data,
            beats=beats,
            given=retired,
            rerun=rerun,
            problems=[str(d) for d in damage],
        )

    def check(self, capture: EtraceCapture, tolerances: Tolerances) -> Any:
        """Exact, lossless and legal."""
        return check(capture, tolerances)

    @property
    def plan(self) -> Plan | None:
        """scoreboards/etrace/plan.toml."""
        return plan()

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

    def random_job(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
        """A random walk in a random configuration."""
        return random_jobs.random_job(seed, base, size)

    def random_tci_job(self, seed: int, base: Mapping[str, Any] | None = None) -> TciJob:
        """A random system scenario in a random configuration of what the scenario does not set."""
        return random_jobs.random_tci_job(seed, base)


SYSTEM = ETrace()
