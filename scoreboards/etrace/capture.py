# SPDX-License-Identifier: Apache-2.0
"""What one E-Trace run recorded: the input of every check, whether it came from a simulation or from files."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from rvtrace.models.common.filters import OURS, FilterReading
from rvtrace.models.etrace.config import Config
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.scoreboards.common.traced import Observed

DATA = 1  # type of the packets of data trace, beside 0 of te_inst


def skipped(number: int) -> str:
    """What is said of packets of data trace."""
    return f"{number:,} packets of data trace (type 1) were skipped: data trace is not judged"


@dataclass
class EtraceCapture(Observed):
    """The monitors' record of one run.

    packets: the payloads in the order the encoder gave them. types: the packet type of each (0 te_inst), None where it
    was not observed. packet_cycle: shape [len(packets)], the cycle each was taken in, or None. start: which the encoder
    called a start (a packet 3.0), or None. time16: the 16 bits of time it gave with each, or None. data: the bytes
    after the transport, None if it was not seen; with encapsulation atb those of the words, four a word. data_cycle:
    shape [len(data)], the cycle each left in, or None. atb_bytes, atb_id: shape [len(data) / 4], ATBYTES and ATID of
    each word, None without atb. atid: the ID that the source was given. beats: accepted cycles of the ingress port,
    None when only files are available (then `given` is the stream). problems: sentences of the monitors about the run
    itself; each is a failure. exact: whether the device declares the reference profile. rerun: the one command that
    repeats the run. sent: the payloads as the device sent them, if `packets` are what they mean by a hypothesis
    (scoreboards/etrace/dialects.py), else None. number, base: of a part of a longer trace, the number of its first
    packet there, and the offset of its first byte, for people. queue: descriptors that our encoder's queue holds, 0 if
    nobody knows. filters: what they do where the
    text is silent. always_ready: whether the receiver of the bytes was ready in every cycle.
    skipped: packets of data trace in the bytes, which are no packets here.
    """

    config: Config
    program: Program
    packets: list[bytes] = field(default_factory=list)
    types: np.ndarray | None = None
    packet_cycle: np.ndarray | None = None
    start: np.ndarray | None = None
    time16: np.ndarray | None = None
    data: bytes | None = None
    data_cycle: np.ndarray | None = None
    atb_bytes: np.ndarray | None = None
    atb_id: np.ndarray | None = None
    atid: int = 0
    beats: Beats | None = None
    given: Retired | None = None
    problems: list[str] = field(default_factory=list)
    exact: bool = True
    rerun: str = ""
    sent: list[bytes] | None = None
    number: int = 0
    base: int = 0
    queue: int = 0
    filters: FilterReading = OURS
    always_ready: bool = False
    skipped: int = 0

    def without_data(self) -> tuple[EtraceCapture, int]:
        """The capture without the packets of data trace, and how many those are."""
        types = np.zeros(0) if self.types is None else np.asarray(self.types)
        data = np.flatnonzero(types == DATA)
        if not len(data):
            return self, 0
        keep = np.flatnonzero(types != DATA)
        columns = {name: getattr(self, name) for name in ("types", "packet_cycle", "start", "time16")}
        kept = {name: np.asarray(column)[keep] for name, column in columns.items() if column is not None}
        made: EtraceCapture = replace(self, packets=[self.packets[k] for k in keep.tolist()], **kept)
        return made, len(data)

    @property
    def carried(self) -> list[bytes]:
        """The payloads as the device sent them."""
        return self.packets if self.sent is None else self.sent

    def named(self, index: int) -> str:
        """A packet as people find it."""
        return f"packet #{self.number + index}"

    def place(self, offset: int) -> str:
        """A byte of `data`, likewise."""
        return f"byte {self.base + offset}"
