"""What one run left behind: the input of every check, whether it came from a simulation or from files."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from models.ntrace.config import Config
from models.riscv.beats import Beats
from models.riscv.blocks import from_beats
from models.riscv.program import Program
from models.riscv.retired import Retired


class Observed:
    """A record with `beats`, `given`, `program` and `config`: what the hart did, as far as it was seen."""

    config: Any
    program: Program
    beats: Beats | None
    given: Retired | None

    @cached_property
    def retired(self) -> Retired:
        """The retire stream that was traced: from the beats if they were seen, else the one given."""
        if self.beats is not None:
            return from_beats(self.beats, self.program, self.config.variant)
        if self.given is None:
            raise ValueError("a capture needs the ingress beats or a retire stream; give retired.csv")
        return self.given


@dataclass
class Capture(Observed):
    """The monitors' record of one run.

    beats: accepted cycles of the ingress port, None when only files are at hand (then `given` is the stream).
    data: the bytes the encoder sent. out_cycle: shape [len(data)], the cycle each byte left in, or None.
    problems: sentences of the monitors about the run itself (an X on an output, data that changed before
    ready, an encoder that did not become empty); each is a failure. exact: whether the device declares the
    reference profile. rerun: the one command that repeats the run.
    """

    config: Config
    program: Program
    data: bytes
    beats: Beats | None = None
    given: Retired | None = None
    out_cycle: np.ndarray | None = None
    problems: list[str] = field(default_factory=list)
    exact: bool = True
    rerun: str = ""
