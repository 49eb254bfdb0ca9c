# SPDX-License-Identifier: Apache-2.0
"""Packets by hand, for decoder tests: absolute addresses and branches as letters in, payloads and what the decoder
makes of them out.

    w = PacketWriter(program)
    w.support().start(0x1000).at(0x1010, "TN").trap(0x4000, ecause=2).ended()
    assert w.pcs() == [0x1000, ...]

It computes differences and the widths of nothing else; every packet is the test's own choice.
"""

from __future__ import annotations

from typing import Any

from rvtrace.models.etrace.codec import pack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.decode import DecodedTrace, decode
from rvtrace.models.etrace.table import Packet, formats
from rvtrace.models.riscv.program import Program

PLAIN = {"notify": 0, "updiscon": 0, "irreport": 0}
NO_CHANGE, ENDED_REP, TRACE_LOST, ENDED_NTR = range(4)


def bits(branches: str) -> int:
    """A branch_map from letters, oldest first: T taken (0), N not taken (1)."""
    return sum((letter == "N") << place for place, letter in enumerate(branches))


class PacketWriter:
    """Every call appends one packet and returns the writer. options: of the Config."""

    def __init__(self, program: Program, **options: Any) -> None:
        self.program, self.config = program, Config.from_dict({"iaddress_width_p": program.xlen, **options})
        self.options = self.config.options
        self.payloads: list[bytes] = []
        self._last = 0

    def add(self, name: str, **values: Any) -> PacketWriter:
        """A packet with exactly these values; those that its format does not have are left out."""
        layout = formats(self.config.variant)[name]
        known = {field.name for field in layout.fields}
        packet = Packet(name, dict(layout.selector) | {key: value for key, value in values.items() if key in known})
        self.payloads.append(pack(packet, self.config, self.options))
        return self

    def _send(self, address: int) -> int:
        shifted, before = address >> self.config.iaddress_lsb_p, self._last
        self._last = shifted
        half = 1 << self.config.iaddress_width_p - self.config.iaddress_lsb_p - 1
        return shifted if self.options["full_address"] else (shifted - before + half) % (2 * half) - half

    def start(self, address: int, branch: int = 1, **values: Any) -> PacketWriter:
        """3.0."""
        self._last = address >> self.config.iaddress_lsb_p
        return self.add(
            "start", **{"branch": branch, "privilege": 3, "context": 0, "time": 0, "address": self._last} | values
        )

    def trap(
        self, address: int = 0, ecause: int = 2, interrupt: int = 0, thaddr: int = 1, **values: Any
    ) -> PacketWriter:
        """3.1; with thaddr 0 the address is an EPC."""
        shifted = address >> self.config.iaddress_lsb_p
        if thaddr:
            self._last = shifted
        reported = {"branch": 1, "privilege": 3, "context": 0, "time": 0, "tval": 0}
        return self.add(
            "trap",
            **reported | {"ecause": ecause, "interrupt": interrupt, "thaddr": thaddr, "address": shifted} | values,
        )

    def at(self, address: int, branches: str = "", irdepth: int | None = None, **flags: int) -> PacketWriter:
        """Format 1 or 2."""
        tail = PLAIN | {"irreport": int(irdepth is not None), "irdepth": irdepth} | flags
        if not branches:
            return self.add("address", address=self._send(address), **tail)
        return self.add(
            "branch_map", branches=len(branches), branch_map=bits(branches), address=self._send(address), **tail
        )

    def full(self, branches: str) -> PacketWriter:
        """Format 1 with 31 branches and no address."""
        return self.add("branch_map", branches=0, branch_fmt=0, branch_map=bits(branches))

    def count(self, branches: int, address: int | None = None, fails: bool = False, **flags: int) -> PacketWriter:
        """0.0: so many predicted branches, then the address or a failed one; draft: format 1,
        and the address by `at`.
        """
        if self.config.variant == "draft_0_026":
            return self.add(
                "branch_map", branches=0, branch_fmt=1, branch_count=branches - 31, no_mispred=int(not fails)
            )
        if address is None:
            return self.add("branch_count", branch_count=branches - 31, branch_fmt=0)
        tail = PLAIN | flags
        return self.add(
            "branch_count", branch_count=branches - 31, branch_fmt=2 + fails, address=self._send(address), **tail
        )

    def index(self, index: int, branches: str = "", irdepth: int | None = None, address: int = 0) -> PacketWriter:
        """0.1; address: what the entry holds, for the next difference."""
        self._send(address)
        report = {"irreport": int(irdepth is not None), "irdepth": irdepth}
        return self.add("jump_target", index=index, branches=len(branches), branch_map=bits(branches), **report)

    def context(self, context: int, privilege: int = 3, time: int = 0) -> PacketWriter:
        """3.2."""
        return self.add("context", context=context, privilege=privilege, time=time)

    def support(self, qual_status: int = NO_CHANGE, ienable: int = 1, **options: int) -> PacketWriter:
        """3.3; options: those that change with it."""
        self.options = self.options | options
        ioptions = sum(value << place for place, value in enumerate(self.options.values()))
        values = {"encoder_mode": 0, "denable": 0, "dloss": 0, "doptions": 0}
        return self.add("support", ienable=ienable, qual_status=qual_status, ioptions=ioptions, **values)

    def decode(self) -> DecodedTrace:
        """What the decoder makes of it, whatever that is."""
        return decode(self.payloads, self.program, self.config)

    def good(self) -> DecodedTrace:
        """The same; without a diagnostic."""
        trace = self.decode()
        assert [str(diagnostic) for diagnostic in trace.diagnostics] == []
        return trace

    def pcs(self) -> list[int]:
        """The instructions of a good trace."""
        return self.good().pcs.tolist()
