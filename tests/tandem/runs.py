# SPDX-License-Identifier: Apache-2.0
"""Traces of real programs for the verifier's tests: encoded, with faults, verified; and harts that are wrong on
purpose.
"""

import random
from functools import lru_cache
from typing import Any

from rvtrace.flow.faults.traces import TraceFault, mutant, places, split
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.riscv.program import Program
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.from_retired import from_recording
from rvtrace.models.tandem.encoder.from_simulator import from_simulator
from rvtrace.models.tandem.simulator.interface import PC_KEY, Reference, reference
from rvtrace.models.tandem.table import GPR_BASE
from rvtrace.models.tandem.trace_data import FLUSH, Rows
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verdict import Report
from rvtrace.models.tandem.verifier.verify import Verifier


def config_of(xlen: int, **options: Any) -> Config:
    """Of our programs: no floating point, Sv32 on RV32."""
    return Config(**{"xlen": xlen, "flen": 0, "mlen": 34 if xlen == 32 else 64, **options})


@lru_cache(maxsize=4)
def program_rows(name: str, xlen: int) -> Rows:
    """A recorded program, one of the main job's or a long one."""
    return from_recording(recording.load(name, xlen, recording.LONG if name == "life" else recording.DIRECTORY))


def sections_of(name: str, config: Config, first: int | None = None) -> list[bytes]:
    """The bytes of each row of a program's trace, or of its first rows."""
    rows = program_rows(name, config.xlen)
    cut = Rows.concat([rows.select(slice(0, first)), Rows.from_rows([FLUSH])]) if first else rows
    return split(encode(cut, config))


def verified(
    sections: list[bytes], config: Config, simulator: Reference | None = None, second: Any = None, **choices: Any
) -> Report:
    """The verifier's report on a trace."""
    data = b"".join(sections)
    profile = Profile.of(config, virt(config.xlen), **choices)
    return Verifier(simulator or reference(config.xlen), profile, second).run(decode(data, config), data)


def with_fault(
    sections: list[bytes], fault: TraceFault, config: Config, seed: str, first: int, last: int
) -> tuple[list[bytes], int]:
    """A copy with the fault at a random place of sections first to last - 1, and that place."""
    rng, out = random.Random(seed), list(sections)
    k = next(places(out, fault, config, rng, first, last))
    mutant(out, k, fault, config, rng)
    return out, k


class Wrong(Reference):
    """A hart whose instructions of one name (or with w after it) do something wrong: the result is `change(result)`;
    from the `since`-th one on, `times` times.
    """

    name = "a wrong hart"

    def __init__(self, xlen: int, wanted: str, change: Any, since: int = 0, times: int = 1 << 60) -> None:
        super().__init__(reference(xlen).hart)
        self.wanted, self.change, self.left, self.times, self.mask = wanted, change, since, times, (1 << xlen) - 1
        right = self.hart.execute

        def execute() -> Any:
            step = right()
            if step.name in (self.wanted, self.wanted + "w") and step.rd and step.trap is None:
                self.left -= 1
                if self.left < 0 < self.times:
                    self.times -= 1
                    step.value = self.change(step.value) & self.mask
                    self.write(GPR_BASE + step.rd, step.value)
            return step

        self.execute = execute


def loaded(simulator: Reference, program: Program) -> Reference:
    """The program in its memory, the pc at its entry."""
    for base, body in (*program.segments, *program.data):
        simulator.write_memory(base, body)
    simulator.write(PC_KEY, program.entry)
    return simulator


def trace_of(simulator: Reference, name: str, config: Config, count: int) -> list[bytes]:
    """What a hart, right or wrong, reports of a program's first instructions."""
    program = recording.load(name, config.xlen).program
    rows = from_simulator(loaded(simulator, program), count, program, (program.symbols["halt"],))
    return split(encode(rows, config))
