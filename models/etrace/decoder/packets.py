# SPDX-License-Identifier: Apache-2.0
"""What packets mean to a decoder: from each `Packet` to a piece of path, events, and what is expected next.

Nothing is known here of how an encoder chooses between packets, but what the specification makes of it: an address that
was met by inference, without `notify` and `updiscon`, is there for the sake of the packet after it (section updiscon).
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.decoded import MAX_FINDINGS, UNTOLD, Columns, Diagnostic, Event
from rvtrace.models.etrace.decoder.path import (
    AS_PREDICTED,
    BRANCH,
    INDIRECT,
    MISPREDICTED,
    TRAP,
    Contradiction,
    Goal,
    How,
    Path,
    Uninferable,
)
from rvtrace.models.etrace.table import MAX_BRANCHES, PRIVILEGE_NAMES, QUAL_STATUS, Packet, options_of
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

    def __init__(self, program: Program, config: Config, limit: int) -> None:
        self.columns = Columns()
        self.state = State.START
        self._loss: tuple[int, int] | None = None  # diagnostic of the present loss, its packet
        self.path = Path(program, config, limit)
        self.mark = self.path.mark()  # before the present packet
        self._program, self._config = program, config
        self._draft = config.variant == "draft_0_026"
        self._lsb, self._mask = config.iaddress_lsb_p, (1 << config.iaddress_width_p - config.iaddress_lsb_p) - 1
        self._vectors = {(interrupt, ecause): handler for interrupt, ecause, handler in config.trap_vectors}
        self.options: dict[str, int] = {}
        self.set_options(config.ioptions)
        self._last = 0  # address sent last, shifted
        self._cache: list[int | None] = [None] * (1 << config.cache_size_p)
        self._tentative: Goal | None = None  # met by inference: the next packet says whether it was that time
        self._bare = False  # the last address came alone: in the draft, nobody sends it so for what follows
        self._adjacent: bool | None = (
            None  # whether a synchronization packet is of the very next instruction, None: not known
        )
        self._at_branch = False  # the last packet ended in a branch without telling its address
        self._fresh = False  # a support packet said that trace begins here
        self._again = ""  # how the instruction of a 3.0 may have been met before
        self._next_epc: int | None = None  # reported with the trap before
        self._open_trap: int | None = None  # event of a trap whose handler is not known yet
        self._open_epc: int | None = None  # its EPC, if its handler comes next
        self._handlers = {
            "support": self._support, "context": self._context, "start": self._start, "trap": self._trap,
        }  # fmt: skip

    def set_options(self, ioptions: int) -> None:
        """The options in force from here on."""
        self.ioptions, self.options = ioptions, options_of(ioptions)
        self.path.configure(self.options)
        self._full_address = self.options["full_address"]
        self._depths = self.path.implicit and not self._draft

    def _forget(self) -> None:
        self._tentative, self._at_branch, self._open_trap = None, False, None
        self.path.interrupt()

    # Packets

    def handle(self, packet: Packet) -> None:
        """Take the next packet."""
        self._handlers.get(packet.name, self._flow)(packet)

    def _flow(self, packet: Packet) -> None:
        """Formats 0, 1 and 2."""
        if self.state is not State.TRACING:
            self._out_of_place()
            return
        if self._tentative is not None:
            self._go_on()
        v = packet.values
        path, at_branch, self._at_branch = self.path, self._at_branch, False
        counted, branches, bits = v.get("branch_count"), v.get("branches", 0), v.get("branch_map", 0)
        address = self._address(v)
        if address is None:
            self._only_branches(v, counted, bits)
            return
        is_branch, taken = path.nodes.exits[address].end is BRANCH, None
        if counted is not None:
            counted += MAX_BRANCHES
            fails = v["branch_fmt"] == 3
            if fails and not is_branch:
                raise Contradiction(
                    "ET.opt.prediction", f"no branch is at {self._program.where(address)}, but it failed its prediction"
                )
            self._predict(counted - (is_branch and not fails))
            taken = MISPREDICTED if fails else AS_PREDICTED if is_branch else None
        elif branches:
            path.follow(bits, branches - is_branch)
            taken = 1 - (bits >> branches - 1 & 1) if is_branch else None
        jumps = "index" in v or v.get("updiscon", 0) == 1
        irdepth = v.get("irdepth") if v.get("irreport") else None
        goal = Goal(address, taken, not jumps, not jumps, irdepth, self._depths)
        how = How.HERE if is_branch and at_branch and path.pc == address and taken is None else path.seek(goal)
        self._reached(goal, how, v, is_branch, at_branch, counted == self._config.max_pbc)

    def _only_branches(self, v: dict[str, Any], counted: int | None, bits: int) -> None:
        if counted is None:
            try:
                self.path.follow(bits, MAX_BRANCHES)
            except Uninferable as error:  # the format says how many branches there are: a packet before it is missing
                raise Contradiction("ET.bt.uninferable", f"{error}, and its target is not reported") from None
        else:
            if v.get("branch_fmt") == 1 and not self._draft:
                raise Contradiction("ET.opt.prediction", "branch_fmt is 1, which cannot occur")
            self._predict(counted + MAX_BRANCHES)
            if not v.get("no_mispred", 0):
                self.path.mispredict()
        self._at_branch, self._adjacent = True, None

    def _predict(self, branches: int) -> None:
        try:
            self.path.predict(branches)
        except Uninferable as error:
            raise Contradiction("ET.opt.prediction", f"as predicted, {error}") from None

    def _address(self, v: dict[str, Any]) -> int | None:
        """Of the instruction reported, None if none is."""
        told = v.get("address")
        if told is not None:
            last = told if self._full_address else self._last + told
            self._last = last = last & self._mask
            return last << self._lsb
        index = v.get("index")
        if index is None:
            return None
        address = self._cache[index]
        if address is None:
            raise Contradiction("ET-12", f"entry {index} of the jump target cache is empty")
        self._last = address >> self._lsb
        return address

    def _reached(
        self, goal: Goal, how: How, v: dict[str, Any], is_branch: bool, at_branch: bool, count_full: bool
    ) -> None:
        """The instruction reported is the last one now."""
        at = self.path.count - 1
        if how is How.JUMP:
            self._store(goal.address)
            self._adjacent = True if v.get("updiscon") else None if self._draft else False
        else:
            self._bare = self._draft and v["format"] == 2 and not at_branch and not self.path.ret_open
            self._adjacent = None if self._draft or v.get("notify") or count_full else True
            if self.path.doubtful and how is How.INFERRED:
                self._event("ambiguous", at, again="return", text="irreport and irdepth fit no place")
            if not is_branch and not v.get("notify"):
                self._tentative = goal
        if v.get("notify"):
            self._event("notify", at)

    def _store(self, address: int) -> None:
        """The target of an uninferable jump was reported: the cache keeps it."""
        if self.options["jump_target_cache"]:
            self._cache[address >> self._lsb & len(self._cache) - 1] = address

    def _out_of_place(self) -> None:
        if self.state is State.TRAPPED:
            raise Contradiction("ET-2", "an instruction is reported, but none of the trap handler was")
        if self.state is State.START:
            if self._fresh and self._loss is None:
                self.lose(
                    "ET-16" if self.columns.events else "ET.alg.first", "trace begins without a synchronization packet"
                )
            else:
                self.columns.skipped += 1

    # An address that was met by inference

    def _go_on(self) -> None:
        """It was the target of an uninferable jump: walk on to it."""
        goal, self._tentative = self._tentative, None
        assert goal is not None
        place = self.path.place()
        try:
            self.path.seek(goal._replace(inferable=False, fallback=False))
        except Contradiction:  # an encoder that reports more than it must
            self.path.back_to(place)
            return
        self._store(goal.address)
        if self._draft:
            self._event(
                "ambiguous", self.path.count - 1, again="before", text="a notification is reported in the same way"
            )

    def _settle(self, jumps: bool = False) -> None:
        """It was that time."""
        goal, self._tentative = self._tentative, None
        if goal is not None:
            again = self.path.again(goal, jumps or self._draft)
            if again:
                self._event(
                    "ambiguous", self.path.count - 1, again=again, text="the address may be that of a later round"
                )

    # Format 3

    def _told(self, packet: Packet) -> None:
        v, privilege = packet.values, packet.get("privilege")
        if privilege is not None:
            if privilege not in PRIVILEGE_NAMES:
                self.complain("ET.pay.privilege", f"privilege {privilege} is reserved")
            self.columns.priv[-1] = privilege
        self.columns.context[-1] = v.get("context", self.columns.context[-1])
        self.columns.time[-1] = v.get("time", self.columns.time[-1])

    def _context(self, packet: Packet) -> None:
        self._told(packet)
        self._event("context", self.path.count)

    def _start(self, packet: Packet) -> None:
        """3.0."""
        path, v = self.path, packet.values
        before, context = self.columns.priv[-1], self.columns.context[-1]
        self._last, address = v["address"], v["address"] << self._lsb
        taken, self._again = 1 - v["branch"], ""
        self._told(packet)
        if self.state is State.TRACING:
            unchanged, events = before in (UNTOLD, self.columns.priv[-1]), len(self.columns.events)
            try:
                self._bare &= context == self.columns.context[-1]
                self._walk_to(address, taken, unchanged)
            except Contradiction:
                if context in (UNTOLD, self.columns.context[-1]):
                    raise
                del self.columns.events[events:]
                self._again = ""
                path.undo(
                    self.mark
                )  # a change of context that the hart makes on its own (an asynchronous discontinuity)
                path.interrupt()
                self._arrive(address, taken)
        else:
            self._arrive(address, taken)
        if self._open_trap is not None:
            trap = self.columns.events[self._open_trap]
            epc = self._open_epc if trap.epc is None else trap.epc
            self.columns.events[self._open_trap] = trap._replace(handler=address, epc=epc)
        self._synchronized(taken)
        self._event("sync", path.count - 1)
        if self._again:
            self._event("ambiguous", path.count - 1, again=self._again, text="nothing says how often it was met before")

    def _walk_to(self, address: int, taken: int, unchanged: bool) -> None:
        """Up to the instruction of a 3.0, which trace goes through."""
        path = self.path
        goal = Goal(address, taken, inferable=unchanged, sync=True, not_next=self._adjacent is False)
        if self._tentative is not None:
            tentative, place = self._tentative, path.place()
            leaves, behind = path.pending, path.expected()
            told_for_jump = leaves is not None and leaves.end is INDIRECT and unchanged
            if (self._bare and not told_for_jump) or (
                behind not in (None, address) and not (leaves is not None and leaves.pops)
            ):
                # it would be followed at once: so it was reported for the sake of a jump
                events = len(self.columns.events)
                try:
                    self._go_on()
                    path.seek(goal._replace(not_next=not self._draft, fallback=False))
                    return
                except Contradiction:
                    path.back_to(place)
                    del self.columns.events[events:]
                    self._tentative = tentative
            self._settle()
        adjacent, start = self._adjacent, path.count
        how = path.seek(goal)
        if how is How.INFERRED and not (adjacent and path.count == start + 1):
            self._again = path.again(goal._replace(not_next=False), True) or ("jump" if path.doubtful else "")

    def _trap(self, packet: Packet) -> None:
        """3.1."""
        v, path = packet.values, self.path
        self._told(packet)
        handler = self._handler(v)
        if self._tentative is not None:
            self._settle()
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
            self._open_trap = len(self.columns.events)
            self.state = State.TRAPPED
            self._event("trap", path.count, **event)
        else:
            self._event("trap", path.count, **event, handler=handler)
            taken = 1 - v["branch"]
            self._arrive(handler, taken)
            self._last = handler >> self._lsb
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
        told = None if thaddr or not exception and self.state is State.START else v["address"] << self._lsb
        next_epc, self._next_epc, self._open_epc = self._next_epc, None, None
        if self.state is State.TRAPPED:
            self._next_epc = told
            return next_epc if exception else None
        if self.state is not State.TRACING:
            return told if exception and self._fresh and self.state is State.START else None
        leaves, expected = path.pending, path.expected()
        if leaves is not None and leaves.end is TRAP:
            self._next_epc = told
            return leaves.pc
        if expected is None:
            if thaddr and exception and not self._draft:
                self.complain(
                    "ET.pay.thaddr", f"an exception after {self._program.where(path.pc)} comes without its EPC"
                )
            return told if exception else None
        if leaves is not None and leaves.end is INDIRECT and leaves.pops and self._config.return_stack_size_p:
            if not exception:
                return None  # an encoder is not reported where the return led
            if told is not None and told != expected:
                self._open_epc = told  # its own, if the return went elsewhere and the handler follows
                return None
        self._next_epc = told
        return expected

    def _arrive(self, address: int, taken: int) -> None:
        """Tracing starts, or starts again, at this address."""
        self.path.interrupt()
        try:
            self.path.arrive(address, taken)
        except Contradiction as error:
            raise Contradiction("ET.pay.start", str(error)) from None
        self.state = State.TRACING

    def _synchronized(self, taken: int) -> None:
        """What every synchronization packet does."""
        path = self.path
        path.synchronize()
        if path.pc >= 0 and path.nodes.exits[path.pc].end is BRANCH:
            path.train(path.pc, taken)
        self._cache = [None] * len(self._cache)
        self._tentative, self._adjacent, self._at_branch, self._open_trap = None, None, False, None
        self._fresh = False
        self.resume(self.index)

    def _support(self, packet: Packet) -> None:
        """3.3."""
        v, status = packet.values, packet.values["qual_status"]
        if v["encoder_mode"]:
            self.complain("ET.pay.support", f"encoder_mode {v['encoder_mode']} is not a branch trace")
        ends = status != NO_CHANGE or not v["ienable"]
        if self.state is State.TRACING and status in (ENDED_REP, ENDED_NTR) and self._at_branch:
            self.complain("ET.alg.last", f"{QUAL_STATUS[status]}, but the last instruction was not reported")
        if self._tentative is not None and ends:
            if status == ENDED_NTR:
                self._go_on()
            elif status == LOST_PACKETS:
                self._event("ambiguous", self.path.count - 1, again="jump", text="what came after it is lost")
            else:
                self._settle()
        if ends:
            self._tentative, self._open_trap, self._at_branch = None, None, False
            self.path.interrupt()
            self.state = State.START
        self._fresh = ends or self.state is State.START
        if v["ioptions"] != self.ioptions:
            self.set_options(v["ioptions"])
        self._event("support", self.path.count, text=QUAL_STATUS[status])

    # Findings

    @property
    def index(self) -> int:
        """Of the present packet."""
        return len(self.columns.packets) - 1

    def complain(self, clause: str, text: str) -> None:
        """Something illegal that does not hide what the hart did."""
        if len(self.columns.diagnostics) < MAX_FINDINGS:
            self.columns.diagnostics.append(Diagnostic(self.index, clause, text, 0, self._offset()))

    def lose(self, clause: str, text: str) -> None:
        """The flow is lost with the present packet, up to the next synchronization packet."""
        self._lose(Diagnostic(self.index, clause, text, 0, self._offset()))

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

    def _offset(self) -> int:
        offsets = self.columns.offsets
        return offsets[self.index] if self.index < len(offsets) else -1

    def _event(self, kind: str, index: int, **values: Any) -> None:
        self.columns.events.append(Event(kind, index, self.index, **values))
