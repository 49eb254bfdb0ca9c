# SPDX-License-Identifier: Apache-2.0
"""`rvtrace figures sizes SET=riscv-tests`: the sizes of the encoder models' traces of programs with published figures.

Programs are built as their authors build them, with floating point, and run as the published ones were: from reset to
the end, with a host that answers at every 5000th instruction, as Spike does. What was measured is kept in
data/sizes.json; the page in docs is made of that file alone. Every trace is decoded again, and the decoder must find
the path that was recorded.
"""

from __future__ import annotations

import datetime
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rvtrace.flow.programs import compile as compiler
from rvtrace.flow.programs import host, package
from rvtrace.flow.programs.package import ProgramsError
from rvtrace.flow.programs.path import SPIKE_TURN
from rvtrace.flow.programs.path import Path as Run
from rvtrace.flow.programs.sets import BENCHMARKS, as_published
from rvtrace.jobs.builds import ROOT
from rvtrace.models.common import native
from rvtrace.models.etrace.config import Config as EtraceConfig
from rvtrace.models.etrace.decoder.decode import decode_bytes as etrace_decode
from rvtrace.models.etrace.encoder.encode import encode as etrace_encode
from rvtrace.models.ntrace.config import Config as NtraceConfig
from rvtrace.models.ntrace.decoder.decode import decode as ntrace_decode
from rvtrace.models.ntrace.encoder.encode import encode as ntrace_encode
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.riscv.sequential import mark
from rvtrace.models.riscv.stream import with_variant
from rvtrace.tb.common.stimulus.stimulus import traced

DATA = ROOT / "data" / "sizes.json"
PROGRAMS = (*BENCHMARKS, "coremark")
FASTER = "coremark -O3"  # shows what the compiler makes of the published figure
ITERATIONS = 10  # of CoreMark: 3 million instructions
_DRAFT = {
    "variant": "draft_0_026", "return_stack_size_p": 0, "call_counter_size_p": 4, "cache_size_p": 0, "f0s_width_p": 0,
    "bcount_bits": 16,
}  # fmt: skip
_ALL = {"implicit_return": 1, "branch_prediction": 1, "jump_target_cache": 1}
_BEST = {"mode": "htm", "implicit_return": 3, "repeated_history": 1}
SYNC_EXPONENTS = (4, 6, 8, 10, 12)


@dataclass(frozen=True)
class Method:
    """One encoding. ip: etrace or ntrace. name: in the tables. options: of its `Config`."""

    ip: str
    name: str
    options: dict[str, Any]

    @property
    def key(self) -> str:
        """What the data calls it."""
        return f"{self.ip}: {self.name}"


_ETRACE_METHODS = (
    Method("etrace", "no option", {}),
    Method("etrace", "implicit return", {"implicit_return": 1}),
    Method("etrace", "prediction and cache", {"branch_prediction": 1, "jump_target_cache": 1}),
    Method("etrace", "all options", _ALL),
    Method("etrace", "draft, no option", _DRAFT),
    Method("etrace", "draft, implicit return", _DRAFT | {"implicit_return": 1}),
    Method("etrace", "draft, all options", _DRAFT | {"implicit_return": 1, "branch_prediction": 1}),
)
_NTRACE_METHODS = (
    Method("ntrace", "BTM", {"mode": "btm"}),
    Method("ntrace", "HTM", {"mode": "htm"}),
    Method("ntrace", "HTM + repeated history", {"mode": "htm", "repeated_history": 1}),
    Method("ntrace", "HTM + implicit return", {"mode": "htm", "implicit_return": 3}),
    Method("ntrace", "HTM + both", _BEST),
)
EXTRAS: dict[str, dict[str, dict[str, Any]]] = {
    "nothing else": {"etrace": {}, "ntrace": {}},
    "time": {"etrace": {"notime_p": 0}, "ntrace": {"timestamp": 1}},
    "source": {"etrace": {"index_width": 8}, "ntrace": {"src_bits": 6}},
    **{
        f"synchronization every {1 << k} packets or messages": {
            ip: {"inst_sync_mode": 1, "inst_sync_max": k - 4} for ip in ("etrace", "ntrace")
        }
        for k in SYNC_EXPONENTS
    },
    "all three, synchronization every 256": {
        "etrace": {"notime_p": 0, "index_width": 8, "inst_sync_mode": 1, "inst_sync_max": 4},
        "ntrace": {"timestamp": 1, "src_bits": 6, "inst_sync_mode": 1, "inst_sync_max": 4},
    },
}  # fmt: skip
COMPARED = (
    Method("etrace", "no option", {}),
    Method("etrace", "all options", _ALL),
    Method("etrace", "draft, all options", _DRAFT | {"implicit_return": 1, "branch_prediction": 1}),
    Method("ntrace", "HTM", {"mode": "htm"}),
    Method("ntrace", "HTM + both", _BEST),
)
METHODS = (*_ETRACE_METHODS, *_NTRACE_METHODS)


def methods() -> Iterator[tuple[str, Method]]:
    """(key, method) of everything that is measured for a program."""
    for method in METHODS:
        yield method.key, method
    for extra, options in EXTRAS.items():
        for method in COMPARED if options["etrace"] else ():
            yield f"{method.key} + {extra}", Method(method.ip, method.name, method.options | options[method.ip])


class Measured:
    """One program, encoded in many ways; its beats are kept for those that follow."""

    def __init__(self, program: Program, retired: Retired) -> None:
        self.program, self.retired = program, retired
        self._beats: dict[tuple[str, str], Beats] = {}

    def size(self, method: Method) -> dict[str, int]:
        """payload and transported bytes, packets or messages, anchors of E-Trace; ProgramsError if the decoder finds
        another path.
        """
        if method.ip == "etrace":
            config = EtraceConfig.from_dict({"iaddress_width_p": self.program.xlen, **method.options})
            trace = etrace_encode(self._of("etrace", config.variant, (1 << config.iretire_width_p) - 1), config)
            found = {"payload": sum(map(len, trace.payloads)), "transported": len(trace.data),
                     "packets": len(trace.payloads)}  # fmt: skip
            anchors = [len(one) for one, why in zip(trace.payloads, trace.reasons) if why == "ET.opt.anchor"]
            if anchors:
                found |= {"anchors": len(anchors), "anchor_bytes": sum(anchors)}
            decoded: Any = etrace_decode(trace.data, self.program, config)
        else:
            config = NtraceConfig.from_dict({"xlen": self.program.xlen, **method.options})
            most = (1 << min(config.iretire_bits, config.icnt_bits - 1)) - 1
            trace = ntrace_encode(self._of("ntrace", config.variant, most), config)
            found = {"payload": len(trace.data), "transported": len(trace.data), "packets": len(trace)}
            decoded = ntrace_decode(trace.data, self.program, config)
        if not np.array_equal(np.asarray(decoded.pcs, np.uint64), self.retired.pc):
            raise ProgramsError(f"{method.key} does not decode to what was recorded; this is an error of ours")
        return found

    def _of(self, ip: str, variant: str, most: int) -> Beats:
        if (ip, variant) not in self._beats:
            rows = traced(with_variant(self.retired, self.program, variant), self.program)
            rows = mark(rows, self.program) if ip == "etrace" else rows
            beats = to_beats(rows, 1, "block", most, per_cycle=ip == "etrace")
            beats.tstamp = beats.cycle.copy()
            self._beats[ip, variant] = beats
        return self._beats[ip, variant]


def recorded(elf: Path, turn: int = SPIKE_TURN) -> tuple[Program, Retired]:
    """A program and its run; ProgramsError if it complains."""
    program = Program.from_elf(elf)
    run = Run(program, *host.tohost(elf), turn)
    retired = Retired.concat(list(run.parts()))
    if run.code != 1:
        raise ProgramsError(f"{elf.name} ended with {run.code:#x} in place of 1, so its result is wrong")
    return program, retired


def measure(name: str, xlen: int, elf: Path) -> dict[str, Any]:
    """One program with every method; and, with the plain methods, as it is if the host answers at once."""
    program, retired = recorded(elf)
    alone = recorded(elf, 0)[1]
    with native.using(True):
        of, by_itself = Measured(program, retired), Measured(program, alone)
        sizes = {key: of.size(method) for key, method in methods()}
        others = {method.key: by_itself.size(method) for method in METHODS}
    return {
        "program": name, "xlen": xlen, "instructions": len(retired), "elf": compiler.digest(elf),
        "without_waiting": {"instructions": len(alone), "sizes": others}, "sizes": sizes,
    }  # fmt: skip


def measured(
    workers: int, xlens: Iterable[int] = (64, 32), tell: Callable[[dict[str, Any]], None] = lambda row: None
) -> dict[str, Any]:
    """All programs: what data/sizes.json holds."""
    gcc, vendor = compiler.compiler(), package.vendor()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch, ProcessPoolExecutor(workers) as pool:
        jobs = []
        for xlen in xlens:
            for name in (*PROGRAMS, FASTER):
                recipe = as_published(name, xlen, ITERATIONS)
                elf = Path(scratch) / f"{len(jobs)}.{recipe.file}"
                compiler.compile_program(gcc, recipe, vendor, elf)
                jobs.append(pool.submit(measure, name, xlen, elf))
        for job in jobs:
            rows.append(job.result())
            tell(rows[-1])
    return {
        "date": datetime.date.today().isoformat(), "compiler": compiler.version(gcc),
        "package": f"{package.PACKAGE} {package.version()}", "unicorn": _unicorn(), "coremark_iterations": ITERATIONS,
        "programs": rows,
    }  # fmt: skip


def _unicorn() -> str:
    from importlib import metadata

    return metadata.version("unicorn")


def write(data: dict[str, Any], path: Path = DATA) -> None:
    """One line for each size, so that a difference can be read."""
    text = json.dumps(data, indent=1)
    path.write_text(re.sub(r"\{[^{}]*\}", lambda one: " ".join(one[0].split()), text) + "\n")


def read(path: Path = DATA) -> dict[str, Any]:
    """What was measured; ProgramsError if the file is missing or damaged."""
    try:
        data = json.loads(path.read_text())
        for row in data["programs"]:
            missing = [key for key, _ in methods() if key not in row["sizes"]]
            if missing:
                raise ProgramsError(
                    f"{path} lacks {missing[0]} of {row['program']}; type `rvtrace figures sizes SET=riscv-tests`"
                )
        return data
    except (OSError, KeyError, TypeError, json.JSONDecodeError) as error:
        raise ProgramsError(f"{path} cannot be read ({error}); type `rvtrace figures sizes SET=riscv-tests`") from None
