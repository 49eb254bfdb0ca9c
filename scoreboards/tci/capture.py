# SPDX-License-Identifier: Apache-2.0
"""What one run of the trace system recorded, and the interface through which its checks use the encoders' protocol."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from rvtrace.models.ntrace.decoder.images import ImageMap
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.tci.funnel import Sent
from rvtrace.models.tci.grammar import Grammar
from rvtrace.models.tci.layout import Params
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.tci.registers import Access


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

    program: what the hart ran; config: what the registers were set to, and source: the number of its encoder. protocol:
    what the encoder speaks. images, pcs: for a hart that ran more than one program, what a decoder needs and the
    instructions it must find.
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
class TciCapture:
    """The monitors' record of one run.

    merged: the bytes that sinks took from the funnel. accesses: all of the register bus. memory: (cycle, address, word)
    written to system memory. pins: (cycle, TRC_CLK, TRC_DATA) of every change. readback: the trace the tool read
    through trRamData, None if it did not. bus_problems: (cycle, sentence). exact: the design declares
    docs/reference/ntrace-profile.md and docs/reference/rtl-tci.md. expect: what the system scenario states about
    itself (see `rvtrace.tb.tci.stimulus.scenarios`).
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
        return self.harts[0].protocol

    @property
    def grammar(self) -> Grammar:
        """How messages appear in the merged stream."""
        return self.protocol.grammar(self.harts[0].config)


class EncoderProtocol(ABC):
    """One protocol. encoder: its reference model."""

    encoder: Any
    zeros = False  # whether a reader that joins looks for zeros before start packets

    @abstractmethod
    def grammar(self, config: Any) -> Grammar:
        """How messages appear in the stream."""

    @abstractmethod
    def source(self, hart: HartRun) -> int:
        """The number of a hart's encoder, 0 if it has none in its messages."""

    @abstractmethod
    def by_source(self, data: bytes, harts: list[HartRun], joined: bool = False) -> dict[int, bytes]:
        """The bytes of the messages of each source, nothing between them; joined: the stream begins anywhere."""

    @abstractmethod
    def whole(self, capture: TciCapture, hart: HartRun) -> bytes:
        """What of a hart's stream left the funnel, with all that appears between its messages."""

    @abstractmethod
    def losses(self, told: Any) -> list[int]:
        """The messages of the reference encoder that report a loss, by index."""

    @abstractmethod
    def damage(self, hart: HartRun) -> str:
        """What in an encoder's stream is no message; empty if all is well."""

    @abstractmethod
    def check(self, capture: TciCapture, hart: HartRun, data: bytes) -> Verdict:
        """A hart's stream against the clauses of the protocol."""

    @abstractmethod
    def pcs(self, hart: HartRun, messages: bytes) -> np.ndarray:
        """The instructions that a decoder finds in some messages of a hart."""

    @abstractmethod
    def decoded(self, back: bytes, harts: Iterable[HartRun]) -> dict[int, Any]:
        """The whole stream of several sources, decoded by source; empty if it is no one stream."""

    def starts(self, message: bytes) -> bool:
        """Whether a reader that joined looks for this message."""
        return False

    def settings(self, hart: HartRun, timeline: Iterable[tuple[int, int]]) -> int:
        """Reports the beats which options were in force: (cycle, trTeInstFeatures) at each enabling.

        Returns how many enablings had others than the first.
        """
        return 0

    def due(self, hart: HartRun) -> bytes:
        """What a hart's encoder has to send, without its source where that is not the encoder's business."""
        return hart.told.data

    def bare(self, hart: HartRun, data: bytes) -> bytes:
        """What a hart's encoder sent, to be compared with `due`."""
        return data

    def joined(self, back: bytes) -> bytes:
        """Of the messages from a buffer that wrapped, those that are whole for sure."""
        return back
