# SPDX-License-Identifier: Apache-2.0
"""What one packet should have said, where the decoder went another way than the hart because of it.

A decoder that is told a wrong place reports wrong instructions from there on. If the packet with another flag, or with
the bytes that it lacks, leads where the hart went, then that is what is wrong with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rvtrace.models.etrace.codec import pack
from rvtrace.models.etrace.decoder.decoded import DecodedTrace
from rvtrace.models.etrace.table import MAP_LENGTHS, MAX_BRANCHES, Packet, options_of
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.etrace import table as t
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.expected import TRACE_LOST, Expected

WEAKLY_NOT_TAKEN = 1
FORMAT_BITS, BRANCHES_BITS = 2, 5
CUT_BITS = 16  # of an address that agree by chance no longer
WAITING = 8  # instructions that an encoder may still hold when a beat after them is lost
LOOKED_AT = 4096  # instructions in which the place that was meant is looked for
JUMPS = (
    IType.UNINFERABLE_CALL,
    IType.UNINFERABLE_TAIL_CALL,
    IType.COROUTINE_SWAP,
    IType.OTHER_UNINFERABLE_JUMP,
)
DEPTH = "implicit returns lead to the address several times, and irdepth, which says when, is not reported"
NOTIFY = "an address that a trigger or watchpoint requested is reported without notify"
TRAIN = ((0, 1), (0, 3), (0, 3), (2, 3))  # state of an entry and outcome to state
UPDISCON = "the target of an uninferable jump is reported without updiscon, and a packet of format 3 follows"


def _map_bits(branches: int) -> int:
    return next(bits for bits in MAP_LENGTHS["v2_0"] if bits >= branches)


class Slip(NamedTuple):
    """A packet that is wrong. at: the traced instruction that it reports, or should; rows: of the failure."""

    clause: str
    text: str
    packet: int
    at: int
    rows: list[tuple[str, str, str]]


class Slips:
    """The packets of one capture with what they should have reported."""

    def __init__(self, capture: EtraceCapture, expected: Expected, decoded: DecodedTrace, table: t.PacketTable) -> None:
        self._capture, self._expected, self._decoded, self._table = capture, expected, decoded, table
        follows = table.ahead(table.sync, table.is_a(t.CONTEXT, t.SUPPORT), last=False)
        self.flagless = follows & (table["updiscon"] == 0)  # packets where updiscon may be missing

    def find(self, told: int, want: int) -> Slip | None:
        """For the first decoded instruction that is wrong, and the traced one that is due there."""
        if not 0 < told < len(self._decoded.pcs) or not 0 < want < len(self._expected):
            return None
        first = np.asarray(self._decoded.first_pc)
        before = int(np.searchsorted(first, told - 1, side="right")) - 1  # reports the last one that is right
        here = int(np.searchsorted(first, told, side="right")) - 1
        if not 0 <= before <= here < len(self._table):
            return None
        reported = want - told + int(first[here]) - 1  # by the packets before, as far as they are right
        return (
            self._loss(here, reported, want)
            or self._noticed(here, reported)
            or self._early(here, told, want)
            or self._flag(before, told - 1, want)
            or self._next(here, told, want)
            or self._unasked(here, reported, want)
            or self._cut(here, told, want)
            or self._of_its_kind(here, told, want, reported)
            or (self._counted(before, want, want - told + int(first[before]) - 1) if before != here else None)
        )

    def _loss(self, packet: int, reported: int, want: int) -> Slip | None:
        """A beat was taken without room since the last place reported, and no support packet says so."""
        drops, status = self._expected.drop_at, self._table["qual_status"]
        if drops is None:
            return None
        number = int(np.searchsorted(drops, reported, side="left"))
        said = status[max(packet - 1, 0) : packet + 2] == TRACE_LOST
        if number >= len(drops) or drops[number] > want + WAITING or said.any():
            return None
        rows = [("qual_status", f"{TRACE_LOST} (trace_lost)", "no such packet")]
        return Slip("ET.alg.lost", "packets were lost, and no support packet reports the loss", packet, want, rows)

    def _unasked(self, packet: int, reported: int, want: int) -> Slip | None:
        """The packet reports what a trigger or watchpoint requested, and has no notify flag."""
        table, marks = self._table, self._expected.marks
        sent = table.messages[packet]
        if sent is None or table["notify"][packet] != 0 or not table.addressed[packet]:
            return None
        last = int(np.asarray(self._decoded.first_pc)[packet + 1]) - 1 if packet + 1 < len(table) else -1
        address = self._decoded.pcs[last]
        for mark in marks[(marks > reported) & (marks < want + LOOKED_AT)].tolist():
            if self._expected.pc[mark] == address and not self.jumps_to(mark, int(table.ioptions[packet])):
                return Slip("ET.pay.notify", NOTIFY, packet, mark, [("notify", "1", "0")])
            if not self._between(reported + 1, mark):
                return None
        return None

    def _noticed(self, packet: int, reported: int) -> Slip | None:
        """The same of the packet before, of which the decoder takes another round for the one that was meant."""
        table, before = self._table, packet - 1
        if before < 0 or table["notify"][before] != 0 or not table.addressed[before]:
            return None
        if reported not in self._expected.marks or self.jumps_to(reported, int(table.ioptions[before])):
            return None
        return Slip("ET.pay.notify", NOTIFY, before, reported, [("notify", "1", "0")])

    def _early(self, packet: int, told: int, want: int) -> Slip | None:
        """The decoder goes past the place that was meant, to one where no call is open."""
        table = self._table
        if table["irreport"][packet] != 0 or not table.options("implicit_return")[packet]:
            return None
        last = int(np.asarray(self._decoded.first_pc)[packet + 1]) - 1 if packet + 1 < len(table) else -1
        if last < told or self._decoded.pcs[told - 1] != self._decoded.pcs[last] or not self.synchronized(want - 1):
            return None
        return Slip("ET.pay.irreport", DEPTH, packet, want - 1, [("irreport", "1", "0")])

    def _between(self, begin: int, end: int) -> bool:
        """Whether there are no traps between two traced instructions, so that one packet may report both."""
        return not any(begin < at <= end for at in self._expected.traps_at)

    def _of_its_kind(self, packet: int, told: int, want: int, reported: int) -> Slip | None:
        """What the packet says in another way than by the address of a jump's target."""
        table, expected = self._table, self._expected
        sent = table.messages[packet]
        if sent is None:
            return None
        if table.is_a(t.BRANCH_COUNT)[packet]:
            return self._counted(packet, want, reported)
        target = want > 0 and self.jumps_to(want, int(table.ioptions[packet]))
        if sent.name == "jump_target" and target:
            place, have = (hex(int(pc)) for pc in (expected.pc[want], self._decoded.pcs[told]))
            text = "the entry of the jump target cache does not hold the target of the jump"
            return Slip("ET.opt.cache", text, packet, want, [(f"entry {sent.values['index']}", place, have)])
        if table["irreport"][packet] == 1:
            text = "irdepth does not lead to the return that the hart left"
            return Slip("ET.pay.irdepth", text, packet, want, [("irdepth", "another", str(table["irdepth"][packet]))])
        return None

    def _counted(self, packet: int, want: int, reported: int) -> Slip | None:
        """branch_count, or branch_fmt, against the branches that the hart took and the specified predictor."""
        table = self._table
        if not table.is_a(t.BRANCH_COUNT)[packet]:
            return None
        counted = int(table["branch_count"][packet]) + MAX_BRANCHES
        due = self._predicted(packet, reported)
        if due is None:
            return None
        number, missed = due
        fmt = int(table["branch_fmt"][packet])
        rows = [("branch_count", str(number - MAX_BRANCHES), str(counted - MAX_BRANCHES))]
        if number == counted:
            if missed and fmt == 2:
                text = "the branch at the address failed its prediction, and branch_fmt says that it did not"
                return Slip("ET.pay.branch_fmt", text, packet, want, [("branch_fmt", "3", "2")])
            return None
        if abs(number - counted) in (1, MAX_BRANCHES):
            text = "branch_count is not the number of branches that the hart took, less 31"
            return Slip("ET.pay.branch_count", text, packet, want, rows)
        text = "branch_count is not the number of branches that the predictor of the specification predicts"
        return Slip("ET.opt.predictor", text, packet, want, rows)

    def _predicted(self, packet: int, reported: int) -> tuple[int, bool] | None:
        """Branches after a traced instruction that are predicted correctly up to the first one that is not, or to the
        next place that has to be reported; and whether the branch there fails.
        """
        expected, config = self._expected, self._capture.config
        if reported < 0:
            return None
        synced = np.flatnonzero(self._table.sync[:packet])
        if not len(synced):
            return None
        first = np.asarray(self._decoded.first_pc)
        since = reported - (int(first[packet]) - 1 - int(first[synced[-1] + 1])) - 1  # the instruction synchronized at
        entries = [WEAKLY_NOT_TAKEN] * (1 << config.bpred_size_p)
        number = 0
        for at in range(max(since, 0), min(reported + LOOKED_AT, len(expected))):
            taken = int(expected.taken[at])
            if at > reported + 1 and at > 0 and (at in expected.traps_at or expected.first[at]):
                return number, False
            if taken >= 0:
                index = int(expected.pc[at]) >> config.iaddress_lsb_p & len(entries) - 1
                right = entries[index] >> 1 == taken
                entries[index] = TRAIN[entries[index]][taken]
                if at > reported:
                    if not right:
                        return number, True
                    number += 1
            if at > reported and self.jumps_to(at, int(self._table.ioptions[packet])):
                return number, False
        return None

    def jumps_to(self, index: int, options: int) -> bool:
        """Whether a traced instruction is for certain the target of a jump that cannot be inferred."""
        want, on = self._expected, options_of(options)
        if index < 1 or want.first[index] or on["sijump"] or index in want.traps_at:
            return False
        jumps = JUMPS if on["implicit_return"] else (*JUMPS, IType.RETURN)
        return int(want.itype[index - 1]) in jumps

    def synchronized(self, index: int) -> bool:
        """Whether a packet of format 3 is due right after a traced instruction: a trap, or another privilege."""
        want = self._expected
        if index + 1 in want.traps_at:
            return True
        return index + 1 < len(want) and not want.first[index + 1] and want.priv[index + 1] != want.priv[index]

    def _flag(self, packet: int, told: int, want: int) -> Slip | None:
        """The packet reports a place that was met on the way, because it does not say that a jump led there."""
        if packet < 0 or not self.flagless[packet] or not self._table.addressed[packet]:
            return None
        pc = self._decoded.pcs[told]
        for at in range(want, min(want + LOOKED_AT, len(self._expected))):
            if self._expected.pc[at] == pc and self.synchronized(at):
                if self.jumps_to(at, int(self._table.ioptions[packet])):
                    return self.unflagged(packet, at)
                if self._table["irreport"][packet] == 0 and (self._expected.itype[want - 1 : at] == IType.RETURN).any():
                    return Slip("ET.pay.irreport", DEPTH, packet, at, [("irreport", "1", "0")])
                return None
            if self._expected.taken[at] >= 0 or at in self._expected.traps_at:
                return None
        return None

    def _next(self, sync: int, told: int, want: int) -> Slip | None:
        """A synchronization packet is of the very next instruction, and the packet before it does not say so."""
        table = self._table
        packet = sync - 1
        while packet >= 0 and table.kind[packet] in (t.CONTEXT, t.SUPPORT):
            packet -= 1
        if packet < 0 or not table.sync[sync] or not self.flagless[packet] or not table.addressed[packet]:
            return None
        at = want - told + int(self._decoded.first_pc[sync]) - 1  # what that packet reports
        message = table.messages[sync]
        address = None if message is None else message.get("address")
        if address is None or not 0 < at < len(self._expected) - 1:
            return None
        there = address << self._capture.config.iaddress_lsb_p == int(self._expected.pc[at + 1])
        jumped = self.jumps_to(at, int(table.ioptions[packet]))
        return self.unflagged(packet, at) if there and jumped else None

    def unflagged(self, packet: int, at: int) -> Slip:
        """A packet that does not say that a jump led to its instruction."""
        return Slip("ET.pay.updiscon", UPDISCON, packet, at, [("updiscon", "1", "0")])

    def _cut(self, packet: int, told: int, want: int) -> Slip | None:
        """The payload is the first bytes of the one that leads where the hart went."""
        if not 0 <= packet < len(self._table) or not self._table.addressed[packet]:
            return None
        sent, lsb = self._table.messages[packet], self._capture.config.iaddress_lsb_p
        assert sent is not None  # it is addressed
        apart = (int(self._expected.pc[want]) - int(self._decoded.pcs[told])) >> lsb
        if sent.name not in ("address", "branch_map") or not apart:
            return None
        bits = self._capture.config.iaddress_width_p - lsb
        head = FORMAT_BITS + (0 if sent.name == "address" else BRANCHES_BITS + _map_bits(sent.values["branches"]))
        known = 8 * len(self._capture.packets[packet]) - head  # bits of the address that were sent
        address = (sent.values["address"] + apart + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
        payload = self._capture.packets[packet]
        for value in (address, address % (1 << bits)):
            whole = pack(
                Packet(sent.name, {**sent.values, "address": value}),
                self._capture.config,
                options_of(int(self._table.ioptions[packet])),
            )
            if len(whole) > len(payload) and whole.startswith(payload) and known >= CUT_BITS:
                rows = [("length", f"{len(whole)} bytes", f"{len(payload)} bytes"),
                        ("payload", whole.hex(" "), payload.hex(" "))]  # fmt: skip
                return Slip("ET.pay.fields", "the packet is cut off: its last bytes are missing", packet, want, rows)
        return None
