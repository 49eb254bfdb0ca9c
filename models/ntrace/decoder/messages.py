# SPDX-License-Identifier: Apache-2.0
"""From messages to the flow: what each message of chapter 7 says happened, and whether it can have.

`Interpreter` knows states, handlers and events; `decoder` brings it messages, and answers to people.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from rvtrace.models.common.decoding import Contradiction, LimitReached
from rvtrace.models.common.messages import Table
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder import kernel as k
from rvtrace.models.ntrace.decoder.context import UNKNOWN, Context, ContextChange, ownership
from rvtrace.models.ntrace.decoder.decoded import Event, Findings, Reading
from rvtrace.models.ntrace.decoder.images import View
from rvtrace.models.ntrace.decoder.message_log import Messages
from rvtrace.models.ntrace.decoder.path import End, Path
from rvtrace.models.ntrace.table import VALUE_NAMES, VENDOR_CODES, VENDOR_TCODES, Message, MessageType
from rvtrace.models.riscv.program import Program

MAX_REPEATED_EVENTS = 1 << 18  # events that RepeatBranch may add

EXIT_RESET, EXIT_DEBUG, TRACE_ENABLE, RESTART, EXIT_POWER_DOWN = 1, 3, 5, 7, 9  # SYNC, table 25
_STARTS = (EXIT_DEBUG, TRACE_ENABLE, RESTART)
_NO_RESET = (0, 4, 6)  # SYNC codes at which an rc7 encoder may keep its state
_SYNC_KINDS = {0: "marker", 1: "reset", 6: "marker", 9: "wake"}
_START_KINDS = {**_SYNC_KINDS, EXIT_DEBUG: "debug_exit", TRACE_ENABLE: "trace_on", RESTART: "gap"}
_STOP_KINDS = {0: "debug_entry", 1: "sleep"}
_MODE_ONLY = {"DirectBranch": ("btm", "NT.7.2.btm_only"), "IndirectBranchHist": ("htm", "NT.7.9.htm_only")}
_AFTER_SYNC = frozenset((2, 3))  # FORMAT of the Ownership that follows a synchronizing message, whatever changed
_ICNT_BITS = 22  # table 10


class State(Enum):
    """How much of the flow is known."""

    START = 0  # no synchronizing message yet
    ON = 1
    OFF = 2  # after ProgTraceCorrelation
    OVERRUN = 3  # after Error
    LOST = 4  # after damage or a contradiction
    DONE = 5  # limit reached


class Interpreter:
    """Follows the flow message by message; `handle` raises Contradiction or LimitReached."""

    def __init__(self, program: Program | View, config: Config, table: Table[MessageType] | None = None) -> None:
        self.config = config
        self.path = Path(program, config, table)
        self.state = State.START
        self.events: list[Event] = []
        self.findings = Findings()
        self.messages = Messages(self.path.memory)
        self.contexts = [ContextChange(0, 0, UNKNOWN)]
        self.readings: list[Reading] = []
        self.skipped: int | None = None  # bytes before the first useful message
        self.dropped = False  # something came before it
        self.markers = 0
        self._btypes = 0  # bit 0: B-TYPE 1 was used for traps, bit 1: 2 or 3
        self._repeated_events = 0
        self._expected = _AFTER_SYNC
        self._linear_direct = config.variant == "v1_0"
        self.chained = False  # whether the reference is that of the encoder, though the flow may be lost
        self._keeps_calls = _NO_RESET if config.variant == "rc7" else ()
        self._handlers: dict[str, Callable[[Message], None]] = {
            "DirectBranch": self._direct_branch, "DirectBranchSync": self._sync,
            "IndirectBranch": self._indirect_branch, "IndirectBranchSync": self._sync,
            "IndirectBranchHist": self._indirect_branch, "IndirectBranchHistSync": self._sync,
            "ProgTraceSync": self._sync, "ProgTraceCorrelation": self._correlation,
            "ResourceFull": self._resource_full, "RepeatBranch": self._repeat_branch,
            "Error": self._error, "Ownership": self._ownership,
        }  # fmt: skip

    @property
    def _reference(self) -> int:
        """What U-ADDR is XORed with (NT-19)."""
        return self.path.memory.state.reference << 1

    @_reference.setter
    def _reference(self, address: int) -> None:
        self.path.memory.state.reference = address >> 1

    @property
    def _repeatable(self) -> Message | None:
        """The branch message a RepeatBranch would repeat."""
        index = self.path.memory.state.repeatable
        return None if index < 0 else self.messages[index]

    @_repeatable.setter
    def _repeatable(self, message: Message | None) -> None:
        self.path.memory.state.repeatable = k.NOWHERE if message is None else len(self.messages) - 1

    def handle(self, message: Message) -> None:
        """One message, which is the last of `messages`."""
        self._handlers.get(message.type.name, self._skip)(message)

    def lose(self, offset: int, clause: str, text: str, messages: int) -> None:
        """The flow is lost until the next synchronizing message; `messages` came before."""
        self.state = State.DONE if self.findings.full else State.LOST
        if self.findings.full:
            clause, text = "NT-24", "contradictions without end: is this the program that was traced?"
        self.findings.lose(offset, clause, text, messages)

    def go_on(self, message: Message) -> None:
        """After a contradiction: begin again at the address that a message reports relative to the one before, if there
        is code. What it counts is lost, and so are calls.
        """
        uaddr = message.get("uaddr")
        if message.type.has_sync:  # its address was not taken
            self.chained = False
        if uaddr is None or not self.chained or uaddr >> self.config.xlen - 1:
            return
        self._reference ^= uaddr << 1
        target = self._reference
        if self.path.program.code[target] is None:
            return
        self._event("gap", message, "decoding goes on at the address reported", target=target)
        self._found(message)
        if btype := message.get("btype", 0):
            self._trap_event(message, btype, None, target)
        self.path.go_to(target)
        self._repeatable = None
        self.state = State.ON

    def complain(self, message: Message, clause: str, text: str) -> None:
        """Something illegal in a message that does not hide what the hart did."""
        self.findings.complain(message.offset, clause, f"{message}: {text}")

    def _event(self, kind: str, message: Message, text: str, **about: int | None) -> None:
        self.events.append(Event(kind, self.path.count, message, text=text, **about))

    # Messages without SYNC

    def _live(self) -> bool:
        """Whether the flow is known; Contradiction if no such message may come now."""
        if self.state is State.ON:
            return True
        if self.state is State.OFF:
            raise Contradiction("NT.7.12.stop", "trace is off since the last ProgTraceCorrelation")
        if self.state is State.OVERRUN:
            raise Contradiction("NT-14", "a synchronizing message has to follow Error")
        self.dropped |= self.state is State.START
        return False

    def _check_mode(self, kind: MessageType) -> None:
        mode, clause = _MODE_ONLY.get(kind.name.removesuffix("Sync"), (None, ""))
        if mode not in (None, self.config.mode):
            raise Contradiction(clause, f"not a message of {self.config.mode.upper()}")

    def _address(self, value: int) -> int:
        """The address a field reports (the codec has extended it)."""
        if value >> self.config.xlen - 1:
            raise Contradiction("NT.8.1.xlen", f"{value << 1:#x} is not an address of RV{self.config.xlen}")
        return value << 1

    def _direct_branch(self, message: Message) -> None:
        if self._live():
            self._check_mode(message.type)
            self._taken_branch(message.get("icnt", 0))
            self._repeatable = message

    def _taken_branch(self, icnt: int) -> None:
        path = self.path
        if path.finish_group(icnt, 1, 1) is not End.BRANCH:
            raise Contradiction("NT.10.branches", f"{path.last()} is not a direct conditional branch")

    def _indirect_branch(self, message: Message) -> None:
        if self._live():
            self._check_mode(message.type)
            btype, icnt, uaddr = _values(message, "btype", "icnt", "uaddr")
            target = self._reference ^ self._address(uaddr)
            self._jump_or_trap(message, btype, icnt, _hist(message), target)
            self._reference = target
            self._repeatable = message

    def _jump_or_trap(self, message: Message, btype: int, icnt: int, hist: int, target: int) -> None:
        """A group that ends in an uninferable jump (B-TYPE 0) or a trap."""
        end = self.path.finish_group(icnt, hist, 0)
        if btype:
            self._trap(message, btype, end, target)
        elif end is not End.INDIRECT and not self.path.ends_in_custom():
            raise Contradiction("NT.10.indirect", f"{self.path.last()} is not an uninferable jump")
        self.path.arrive(target)

    def _trap(self, message: Message, btype: int, end: End, target: int) -> None:
        path = self.path
        if end is End.INDIRECT:
            try:
                path.infer("a trap")
            except Contradiction as error:
                clause = "NT-12" if error.clause == "NT.10.indirect" else error.clause
                raise Contradiction(clause, f"{error}, whose own message is missing") from None
        if end is End.TRAP and btype == 3:
            raise Contradiction("NT.6.2.btype", f"{path.last()} makes an exception, not an interrupt")
        self._trap_event(message, btype, path.last_pc if end is End.TRAP else path.pc, target)

    def _trap_event(self, message: Message, btype: int, epc: int | None, target: int) -> None:
        text = VALUE_NAMES["btype"][btype] + ("" if epc is None else f" at {self.path.program.place(epc)}")
        self._event("trap", message, text, epc=epc, btype=btype, target=target)
        before, self._btypes = self._btypes, self._btypes | (1 if btype == 1 else 2)
        if self._btypes == 3 != before:
            self.complain(message, "NT-11", "B-TYPE 1 and B-TYPE 2 or 3 in one trace")

    def _resource_full(self, message: Message) -> None:
        if not self._live():
            return
        self._repeatable = None
        rcode, rdata = _values(message, "rcode", "rdata")
        if rcode == 0:
            if rdata >> _ICNT_BITS:
                raise Contradiction("NT.6.2.max_field", f"I-CNT has more than {_ICNT_BITS} bits")
            self.path.take_icnt(rdata)
        elif rcode in (1, 2):
            if self.config.mode == "btm":
                raise Contradiction("NT.7.8.btm", "there is no HIST in BTM")
            times = message.get("hrepeat", 1)
            if not times:
                raise Contradiction("NT-6", "HREPEAT=0")
            if rdata == 1:
                self.complain(message, "NT.7.8.hist_bits", "HIST has no branch")
            self.path.take_hist(_checked(rdata), times)
        else:
            self.findings.note(message, "NT.7.8.rcode", f"{_whose('rcode', rcode)}, skipped")

    def _repeat_branch(self, message: Message) -> None:
        """NT-6, first reading: the same counts to the same target, B-CNT more times."""
        if not self._live():
            return
        left, first = message.get("bcnt", 0), self._repeatable
        if first is None or not left:
            raise Contradiction("NT-6", "no branch message to repeat" if left else "B-CNT=0")
        path, target = self.path, self.path.pc
        begin, traps = path.count, len(self.events)
        while left:
            count, before = path.count, path.calls
            if first.name == "DirectBranch":
                self._taken_branch(first.get("icnt", 0))
                if path.pc != target:
                    raise Contradiction("NT-6", f"repeated, it goes to {path.pc:#x}, not to {target:#x} again")
            else:
                btype, icnt = _values(first, "btype", "icnt")
                self._jump_or_trap(message, btype, icnt, _hist(first), target)
            left -= 1
            if path.calls == before:  # all further turns are the same (with a return stack, they need not be before)
                path.again(count, left)
                self._repeat_trap(self.events[traps:], path.count, left)
                left = 0
        if first.get("uaddr"):
            self._other_reading(message, first, begin, target)

    def _repeat_trap(self, reported: list[Event], count: int, times: int) -> None:
        """The last of the traps `reported` comes again, up to `count` instructions."""
        self._repeated_events += len(reported) + times if reported else 0
        if self._repeated_events > MAX_REPEATED_EVENTS:
            raise LimitReached(f"more than {MAX_REPEATED_EVENTS} repeated traps")
        if reported and times:
            trap = reported[-1]
            each = (count - trap.index) // times
            self.events += [trap._replace(index=trap.index + turn * each) for turn in range(1, times + 1)]

    def _other_reading(self, message: Message, first: Message, index: int, target: int) -> None:
        """NT-6, second reading: the U-ADDR repeated is XORed anew each time."""
        uaddr, turns = first.get("uaddr", 0), message.get("bcnt", 0)
        other = target ^ self._address(uaddr)
        reading = Reading(message, first, index, target, other if turns % 2 else target, other)
        self.readings.append(reading)
        self.findings.note(
            message, "NT-6", f"repeats {first.name} with U-ADDR={uaddr:#x}; read as its target {target:#x}"
        )

    def _correlation(self, message: Message) -> None:
        evcode, cdf, icnt = _values(message, "evcode", "cdf", "icnt")
        hist = _hist(message)
        empty = icnt == 0 and hist == 1
        if self.state is State.LOST or (self.state is State.START and not empty):
            self.dropped |= self.state is State.START
            return
        if self.state is State.OFF and not empty:
            raise Contradiction("NT.8.6.stop_while_off", "counts instructions while trace is off")
        if cdf != (self.config.mode == "htm"):
            raise Contradiction("NT.7.12.cdf", f"CDF is wrong for {self.config.mode.upper()}")
        if self.state in (State.ON, State.OVERRUN):
            self._live()
            self.path.finish_group(icnt, hist, -1)
        self._found(message)
        self._repeatable = None
        self.state = State.OFF
        meaning = VALUE_NAMES["evcode"].get(evcode)
        if meaning is None:
            self.findings.note(message, "NT.7.12.evcode", f"{_whose('evcode', evcode)}, taken as the end of trace")
        self._event(_STOP_KINDS.get(evcode, "trace_off"), message, meaning or f"EVCODE={evcode}")

    def _error(self, message: Message) -> None:
        if self.state is State.OVERRUN:
            self._live()
        etype = message.get("etype", 0)
        self._event("error", message, VALUE_NAMES["etype"].get(etype, f"ETYPE={etype}"))
        if etype:
            self.findings.note(message, "NT.7.4.error", f"{_whose('etype', etype)}, taken as lost messages")
        if self.state is not State.LOST:
            self._found(message)
            self._repeatable = None
            self.state = State.OVERRUN

    def _ownership(self, message: Message) -> None:
        """Privilege and context from here on (7.1)."""
        if self.state is State.OVERRUN:
            self.complain(message, "NT-14", "a synchronizing message has to follow Error")
        context, csrs, wrong = ownership(message.get("process", 0), self.contexts[-1].context)
        form = message.get("process", 0) & 3
        if form in self._expected:
            self._expected, csrs = self._expected - {form}, ()
        if wrong:
            self.complain(message, "NT.7.1.process", wrong)
        self._context(context, csrs)
        self.dropped |= self.state is State.START
        self._event("ownership", message, str(context), **context._asdict())

    def _context(self, context: Context, csrs: tuple[int, ...] = ()) -> None:
        if context != self.contexts[-1].context:
            self.contexts.append(ContextChange(len(self.messages) - 1, self.path.count, context, csrs))

    def _skip(self, message: Message) -> None:
        """Vendor-defined and reserved messages."""
        self.findings.note(message, "NT.6.1.tcode", f"TCODE={message.tcode} skipped")
        if message.tcode in VENDOR_TCODES:
            self._event("vendor", message, f"TCODE={message.tcode}")
        self.dropped |= self.state is State.START

    # Synchronizing messages

    def _sync(self, message: Message) -> None:
        sync = message.get("sync", 0)
        address = self._address(message.get("faddr", 0))
        if sync not in VALUE_NAMES["sync"]:
            self.findings.note(message, "NT.8.5.codes", _whose("sync", sync))
        self._check_mode(message.type)
        if self.state is not State.ON:
            self.start(message)
            return
        if sync == RESTART:
            raise Contradiction("NT.8.5.sync7", "no Error came before")
        if sync in (EXIT_DEBUG, TRACE_ENABLE):
            raise Contradiction("NT.7.12.stop", "trace starts again without having stopped")
        free = sync in (EXIT_RESET, EXIT_POWER_DOWN)
        self._walk_to(message, address, free)
        if free:
            self.path.go_to(address)
            self._context(UNKNOWN)
        else:
            self.path.arrive(address)
            if sync not in self._keeps_calls:
                self.path.forget_calls()
        self._reference, self._expected = address, _AFTER_SYNC
        self._repeatable = None
        self._event(_SYNC_KINDS.get(sync, "sync"), message, _sync_text(sync), target=address)
        self.markers += sync in (0, 6)

    def _walk_to(self, message: Message, address: int, free: bool) -> None:
        """The counts of a synchronizing message in the flow, then F-ADDR; `free`: any address may follow."""
        path, btype, icnt = self.path, message.get("btype"), message.get("icnt", 0)
        if message.name == "DirectBranchSync" and not free:
            end = path.finish_group(icnt, 1, 1)
            if not self._linear_direct and end is not End.BRANCH:
                raise Contradiction("NT.10.branches", f"{path.last()} is not a direct conditional branch")
            if self._linear_direct and end is End.BRANCH and path.pc != address:
                path.turn_back()
        else:
            end = path.finish_group(icnt, _hist(message), -1 if free else 0)
            if btype:
                self._trap(message, btype, end, address)
                return
            if free or (btype == 0 and (end is End.INDIRECT or path.ends_in_custom())):
                return
        if end is End.TRAP:
            raise Contradiction("NT.10.indirect", f"{path.last()} needs its own message")
        if end is End.INDIRECT:
            path.infer(message.name)
        if path.pc != address:
            raise Contradiction("NT.8.1.faddr", f"the code leads to {path.program.place(path.pc)}")

    def start(self, message: Message) -> None:
        """Begin at F-ADDR: what the message counts cannot be followed."""
        sync, address = message.get("sync", 0), message.get("faddr", 0) << 1
        is_start, icnt = message.name == "ProgTraceSync", message.get("icnt", 0)
        if self.state is State.OFF:
            if not is_start:
                self.complain(message, "NT.8.5.start_message", "trace restarts without ProgTraceSync")
            if sync == RESTART:
                self.complain(message, "NT.8.5.sync7", "no Error came before")
        if is_start and icnt and (sync in _STARTS or self.state is State.OFF):
            self.complain(message, "NT.7.5.icnt", "nothing has been counted at a start")
        off = self.state is State.OFF or (self.state is State.START and not self.dropped)
        kind = _START_KINDS.get(sync, "trace_on" if is_start and off and sync in VENDOR_CODES["sync"] else "sync")
        if self.state is State.LOST and kind != "gap":
            self._event("gap", message, "decoding resumes", target=address)
        self._found(message)
        if btype := message.get("btype"):
            self._trap_event(message, btype, None, address)
        self.path.go_to(address)
        self._context(UNKNOWN)
        self._reference, self._expected = address, _AFTER_SYNC
        self._repeatable, self.chained = None, True
        self.state = State.ON
        self._event(kind, message, _sync_text(sync), target=address)
        self.markers += sync in (0, 6)

    def _found(self, message: Message) -> None:
        """The first message of use after the start, or after a loss."""
        self.findings.resume(message.offset, len(self.messages) - 1)
        if self.skipped is None:
            self.skipped = message.offset if self.dropped else 0


def _values(message: Message, *keys: str) -> list[int]:
    """The values of fields; 0 where a table has no such field."""
    return [message.get(key, 0) for key in keys]


def _whose(key: str, value: int) -> str:
    """What a code is that has no name."""
    return f"{key.upper()}={value} is {'vendor-defined' if value in VENDOR_CODES[key] else 'reserved'}"


def _sync_text(sync: int) -> str:
    return VALUE_NAMES["sync"].get(sync, f"SYNC={sync}")


def _hist(message: Message) -> int:
    return _checked(message.get("hist", 1))


def _checked(hist: int | None) -> int:
    """HIST with its stop bit; Contradiction without."""
    if not hist:
        raise Contradiction("NT.8.3.stop_bit", "HIST=0 has no stop bit")
    return hist
