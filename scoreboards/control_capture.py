"""What one run of the trace system left behind: the input of every check in scoreboards/control*.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from models.control.grammar import Grammar
from models.control.layout import Params
from models.control.model_funnel import Sent
from models.ntrace.images import ImageMap
from models.riscv.beats import Beats
from models.riscv.program import Program
from scoreboards.control import Access
from scoreboards.control_protocol import EncoderProtocol, protocol


@dataclass
class Stream:
    """A byte port's transfers. data: all bytes; cycle: of each; messages: with their cycles. problems: sentences."""

    data: bytes
    cycle: np.ndarray
    messages: list[Sent]
    problems: list[str]


@dataclass
class Fired:
    """Triggers of a hart. rows: (cycle, action of a debug trigger, mask of external inputs) as the hart gave them;
    outputs: (cycle, mask of external outputs)."""

    rows: list[tuple[int, int, int]] = field(default_factory=list)
    outputs: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class HartRun:
    """One hart and its encoder. beats: what the encoder accepted, with the levels it saw. stream: what it sent.

    program: what the hart ran; config: what the registers were set to, and source: the number of its encoder. protocol: what the encoder speaks. images, pcs: for a hart that ran more than one
    program, what a decoder needs and the instructions it must find.
    """

    config: Any
    program: Program
    images: ImageMap | None
    pcs: np.ndarray | None
    beats: Beats
    stream: Stream
    fired: Fired
    protocol: EncoderProtocol
    source: int = 0

    @cached_property
    def told(self) -> Any:
        """What the reference encoder makes of the beats."""
        return self.protocol.encoder(self.config).run(self.beats)


@dataclass
class SystemCapture:
    """The monitors' record of one run.

    merged: the bytes that sinks took from the funnel. accesses: all of the register bus. memory: (cycle, address, word)
    written to system memory. pins: (cycle, TRC_CLK, TRC_DATA) of every change. readback: the trace the tool read through
    trRamData, None if it did not. bus_problems: (cycle, sentence). exact: the design declares docs/ntrace-profile.md
    and docs/trace-control.md. expect: what the story says about itself (see `tb.sequences.system.Story`).
    """

    params: Params
    harts: list[HartRun]
    merged: Stream
    accesses: list[Access]
    memory: list[tuple[int, int, int]]
    pins: list[tuple[int, int, int]]
    readback: bytes | None = None
    bus_problems: list[tuple[int, str]] = field(default_factory=list)
    exact: bool = True
    expect: dict[str, Any] = field(default_factory=dict)
    rerun: str = ""

    @property
    def protocol(self) -> EncoderProtocol:
        """What all the encoders speak."""
        return protocol(self.params.format)

    @property
    def grammar(self) -> Grammar:
        """How messages stand in the merged stream."""
        return self.protocol.grammar(self.harts[0].config)
