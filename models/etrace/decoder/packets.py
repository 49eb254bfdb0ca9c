# SPDX-License-Identifier: Apache-2.0
"""What packets mean to a decoder: from each `Packet` to a piece of path, events, and what is expected next.

Nothing is known here of how an encoder chooses between packets, but what the specification makes of it: an address that
was met by inference, without `notify` and `updiscon`, is there for the sake of the packet after it (section updiscon).
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from rvtrace.models.common.decoding import Contradiction
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder import kernel as k
from rvtrace.models.etrace.decoder.events import MAX_FINDINGS, UNREPORTED, Diagnostic, Event
from rvtrace.models.etrace.decoder.packet_log import Columns, Reported
from rvtrace.models.etrace.decoder.path import Code, Path
from rvtrace.models.etrace.decoder.steps import End
from rvtrace.models.etrace.table import PRIVILEGE_NAMES, QUAL_STATUS, Packet, options_of
from rvtrace.models.riscv.program import Program


class State(Enum):
    """What the decoder knows of the hart."""

    START = "trace has not begun"
    TRACING = "the last instruction is known"
    TRAPPED = "a trap was reported, and nothing of its handler"
    LOST = "the flow is lost"
    DONE = "more was reported than the decoder is to follow"


NO_CHANGE, ENDED_REP, LOST_PACKETS, ENDED_NTR = range(4)


class Interpreter:
    """Handles packets one by one. options: those in force. Raises Contradiction; `lose` then has to be called."""

    def __init__(self, program: Program, config: Config, limit: int, code: Code | None = None) -> None:
        self.path = Path(program, config, limit, code)
        self.columns = Columns(self.path.memory, config)
        self.state = State.START
        self._loss: tuple[int, int] | None = None  # diagnostic of the present loss, its packet
        self.mark = self.path.mark()  # before the present packet
        self._program, self._config = program, config
        self._draft = config.variant == "draft_0_026"
        self._lsb = config.iaddress_lsb_p
        self._vectors = {(interrupt, ecause): handler for interrupt, ecause, handler in config.trap_vectors}
        self.options: dict[str, int] = {}
        self.set_options(config.ioptions)
        self.offset = -1  # of the present packet in the stream, if that is known
        self._fresh = False  # a support packet said that trace begins here
        self._next_epc: int | None = None  # reported with the trap before
        self._open_trap: int | None = None  # event of a trap whose handler is not known yet
        self._open_epc: int | None = None  # its EPC, if its handler comes next
        self._handlers = {
            "support": self._support, "context": self._context, "start": self._start, "trap": self._trap,
        }  # fmt: skip

    def set_options(self, ioptions: int) -> None:
        """The options in force from here on."""
        self.options = options_of(ioptions)
        self.ioptions = ioptions
        self.columns.use(ioptions)
        self.path.configure(self.options)

    # What the kernel knows and changes as well

    @property
    def _tentative(self) -> bool:
        """An address was met by inference: the next packet says whether it was that time."""
        return bool(self.path.memory.trace.tentative)

    @property
    def _at_branch(self) -> bool:
        """The last packet ended in a branch without telling its address."""
        return bool(self.path.memory.trace.at_branch)

    def _forget(self) -> None:
        m = self.path.memory
        m.trace.tentative = m.trace.at_branch = 0
        self._open_trap = None
        self.path.interrupt()

    # Packets

    def settle(self) -> None:
        """An address that was met by inference was meant that time, whatever the next packet says."""
        if self.state is State.TRACING:
            self.path.settle()

    def handle(self, packet: Packet) -> None:
        """Take the next packet."""
        self._handlers.get(packet.name, self._flow)(packet)

    def _flow(self, packet: Packet) -> None:
        """Formats 0, 1 and 2."""
        if self.state is not State.TRACING:
            self._out_of_place()
            return
        memory, known = self.path.memory, packet.values
        values = memory.values
        for key, cell in memory.cells.items():
            value = known.get(key)
            values[cell] = memory.absent[cell] if value is None else value
        values[k.REPORTED] = k.BY_ADDRESS if "address" in known else k.BY_INDEX if "index" in known else 0
        if not known.get("irreport"):
            values[k.IRDEPTH] = k.ABSENT
        self.path.flow()

    def _out_of_place(self) -> None:
        if self.state is State.TRAPPED:
            raise Contradiction("ET-2", "an instruction is reported, but none of the trap handler was")
        if self.state is State.START:
            if self._fresh and self._loss is None:
                self.lose(
                    "ET-16" if len(self.columns.events) else "ET.alg.first",
                    "trace begins without a synchronization packet",
                )
            else:
                self.columns.skipped += 1

    # Format 3

    def _keep(self, packet: Packet) -> None:
        v, privilege = packet.values, packet.get("privilege")
        if privilege is not None and privilege not in PRIVILEGE_NAMES:
            self.complain("ET.pay.privilege", f"privilege {privilege} is reserved")
        reported = self.columns.reported
        self.columns.report(
            Reported(
                reported.priv if privilege is None else privilege,
                v.get("context", reported.context),
                v.get("time", reported.time),
            )
        )

    def _context(self, packet: Packet) -> None:
        self._keep(packet)
        self._event("context", self.path.count)

    def _start(self, packet: Packet) -> None:
        """3.0."""
        path, v = self.path, packet.values
        before, context = self.columns.reported.priv, self.columns.reported.context
        m, taken, address = path.memory, 1 - v["branch"], v["address"] << self._lsb
        m.trace.last, m.state.again = v["address"], 0
        jumped = False
        self._keep(packet)
        if self.state is State.TRACING:
            unchanged, events = before in (UNREPORTED, self.columns.reported.priv), self.columns.events.mark()
            try:
                m.trace.bare &= int(context == self.columns.reported.context)
                jumped = path.walk_to(address, taken, unchanged)
            except Contradiction:
                if context in (UNREPORTED, self.columns.reported.context):
                    raise
                self.columns.events.undo(events)
                m.state.again = 0
                # a change of context that the hart makes on its own (an asynchronous discontinuity)
                path.undo(self.mark)
                path.interrupt()
                self._arrive(address, taken)
        else:
            self._arrive(address, taken)
        if self._open_trap is not None:
            trap = self.columns.events[self._open_trap]
            epc = self._open_epc if trap.epc is None else trap.epc
            self.columns.events.put(self._open_trap, trap._replace(handler=address, epc=epc))
        self._synchronized(taken, jumped)
        self._event("sync", path.count - 1)
        if m.state.again:
            self.columns.events.how_often(m.state.again)

    def _trap(self, packet: Packet) -> None:
        """3.1."""
        v, path = packet.values, self.path
        self._keep(packet)
        handler = self._handler(v)
        self.path.settle()
        if self.state is State.TRACING and self._at_branch:
            self.complain("ET.alg.last", "the last instruction before the trap was not reported")
        undefined = self.state is not State.TRACING
        epc = self._epc(v)
        event = {
            "epc": epc, "ecause": v["ecause"], "interrupt": v["interrupt"], "tval": v.get("tval"),
            "undefined": undefined and epc is not None,
        }  # fmt: skip
        path.interrupt()
        if handler is None:
            self._synchronized(0)
            self._open_trap = self.columns.events.mark()
            self.state = State.TRAPPED
            self._event("trap", path.count, **event)
        else:
            self._event("trap", path.count, **event, handler=handler)
            taken = 1 - v["branch"]
            self._arrive(handler, taken)
            path.memory.trace.last = handler >> self._lsb
            self._synchronized(taken)

    def _handler(self, v: dict[str, Any]) -> int | None:
        """The first instruction of the handler, None if nothing of it is reported."""
        if not v.get("thaddr", 1):
            return None
        if "address" in v:
            return v["address"] << self._lsb
        handler = self._vectors.get((v["interrupt"], v["ecause"]))
        if handler is None:
            what = "interrupt" if v["interrupt"] else "exception"
            text = f"the handler of {what} {v['ecause']} is not known; give it in TRAP_VECTORS"
            raise Contradiction("ET.opt.implicit_exception", text)
        return handler

    def _epc(self, v: dict[str, Any]) -> int | None:
        """Where the trap happened, None if nobody can know. Takes note of what the packet reports the next trap's."""
        path, exception, thaddr = self.path, not v["interrupt"], v.get("thaddr", 1)
        reported = None if thaddr or not exception and self.state is State.START else v["address"] << self._lsb
        next_epc, self._next_epc, self._open_epc = self._next_epc, None, None
        if self.state is State.TRAPPED:
            self._next_epc = reported
            return next_epc if exception else None
        if self.state is not State.TRACING:
            return reported if exception and self._fresh and self.state is State.START else None
        leaves, expected = path.pending, path.expected()
        if leaves is not None and leaves.end is End.TRAP:
            self._next_epc = reported
            return leaves.pc
        if expected is None:
            if thaddr and exception and not self._draft:
                self.complain(
                    "ET.pay.thaddr", f"an exception after {self._program.where(path.pc)} comes without its EPC"
                )
            return reported if exception else None
        if leaves is not None and leaves.end is End.INDIRECT and leaves.pops and self._config.return_stack_size_p:
            if not exception:
                return None  # an encoder is not reported where the return led
            if reported is not None and reported != expected:
                self._open_epc = reported  # its own, if the return went elsewhere and the handler follows
                return None
        self._next_epc = reported
        return expected

    def _arrive(self, address: int, taken: int) -> None:
        """Tracing starts, or starts again, at this address."""
        self.path.interrupt()
        try:
            self.path.arrive(address, taken)
        except Contradiction as error:
            raise Contradiction("ET.pay.start", str(error)) from None
        self.state = State.TRACING

    def _synchronized(self, taken: int, jumped: bool = False) -> None:
        """What every synchronization packet does."""
        self.path.synchronize(taken, jumped)
        self._open_trap, self._fresh = None, False
        self.resume(self.index)

    def _support(self, packet: Packet) -> None:
        """3.3."""
        v, status = packet.values, packet.values["qual_status"]
        if v["encoder_mode"]:
            self.complain("ET.pay.support", f"encoder_mode {v['encoder_mode']} is not a branch trace")
        ends = status != NO_CHANGE or not v["ienable"]
        if self.state is State.TRACING and status in (ENDED_REP, ENDED_NTR) and self._at_branch:
            self.complain("ET.alg.last", f"{QUAL_STATUS[status]}, but the last instruction was not reported")
        if self._tentative and ends:
            if status == ENDED_NTR:
                self.path.go_on()
            elif status == LOST_PACKETS:
                self._event("ambiguous", self.path.count - 1, again="jump", text="what came after it is lost")
            else:
                self.path.settle()
        if ends:
            self._forget()
            self.state = State.START
        self._fresh = ends or self.state is State.START
        if v["ioptions"] != self.ioptions:
            self.set_options(v["ioptions"])
        self._event("support", self.path.count, text=QUAL_STATUS[status])

    # Findings

    @property
    def index(self) -> int:
        """Of the present packet."""
        return len(self.columns.payloads) - 1

    def complain(self, clause: str, text: str) -> None:
        """Something illegal that does not hide what the hart did."""
        if len(self.columns.diagnostics) < MAX_FINDINGS:
            self.columns.diagnostics.append(Diagnostic(self.index, clause, text, 0, self.offset))

    def lose(self, clause: str, text: str) -> None:
        """The flow is lost with the present packet, up to the next synchronization packet."""
        self._lose(Diagnostic(self.index, clause, text, 0, self.offset))

    def break_off(self, clause: str, text: str, offset: int) -> None:
        """The flow is lost before the next packet: the bytes at `offset` are none."""
        self._lose(Diagnostic(self.index + 1, clause, text, 0, offset))

    def _lose(self, diagnostic: Diagnostic) -> None:
        if self.state is not State.LOST and len(self.columns.diagnostics) < MAX_FINDINGS:
            self._loss = (len(self.columns.diagnostics), diagnostic.packet)
            self.columns.diagnostics.append(diagnostic)
        self.state = State.LOST
        self._forget()

    def resume(self, index: int) -> None:
        """The loss, if there is one, ends with this packet."""
        if self._loss is not None:
            at, packet = self._loss
            lost = self.columns.diagnostics[at]
            self.columns.diagnostics[at] = lost._replace(lost_packets=index - packet)
            self._loss = None

    def _event(self, kind: str, index: int, **values: Any) -> None:
        self.columns.events.append(Event(kind, index, self.index, **values))
