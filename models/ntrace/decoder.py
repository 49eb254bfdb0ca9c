"""The N-Trace decoder: what the hart did, from the bytes and the program alone (chapter 11).

Written to accept any legal encoder: it knows nothing of how an encoder chooses between messages. Bytes that
are damaged or contradict the program give a `Diagnostic` with the clause they break; decoding resumes at the
next synchronizing message. Time and memory are bounded by the bytes given and `max_instructions`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from models.ntrace.codec import Damage, Unpacker
from models.ntrace.config import Config
from models.ntrace.decoded import CLAUSES, DecodedTrace, Diagnostic, Event, Findings
from models.ntrace.decoder_path import Contradiction, End, Path
from models.ntrace.messages import VALUE_NAMES, Message, MessageType
from models.riscv.program import Program

__all__ = ["CLAUSES", "DecodedTrace", "Decoder", "DecoderError", "Diagnostic", "Event", "decode"]

MAX_INSTRUCTIONS = 50_000_000  # about 0.5 GB once `pcs` and `taken` are read
WASTE = 8  # what contradictions undid counts for so much of it, so that hostile bytes cannot take hours
MAX_REPEATED_EVENTS = 1 << 18  # events that RepeatBranch may add

EXIT_RESET, EXIT_DEBUG, TRACE_ENABLE, RESTART, EXIT_POWER_DOWN = 1, 3, 5, 7, 9  # SYNC, table 25
_START_KINDS = {EXIT_DEBUG: "debug_exit", TRACE_ENABLE: "trace_on", RESTART: "gap"}
_MODE_ONLY = {"DirectBranch": ("btm", "NT.7.2.btm_only"), "IndirectBranchHist": ("htm", "NT.7.9.htm_only")}
_ICNT_BITS = 22  # table 10


class DecoderError(ValueError):
    """A decoder that cannot be made or used so; the text says what to do."""


class _LimitReached(Exception):
    """The bytes tell of more than the decoder is to hold."""


class _State(Enum):
    START = 0  # no synchronizing message yet
    ON = 1
    OFF = 2  # after ProgTraceCorrelation
    OVERRUN = 3  # after Error
    LOST = 4  # after damage or a contradiction
    DONE = 5  # limit reached


class Decoder:
    """Takes the bytes of one encoder in pieces of any size and tells the story at the end.

    config: variant, mode and xlen matter (and what the codec needs: SRC and TSTAMP). max_instructions:
    decoding stops with a diagnostic (NT-24) where the trace tells of more; 5 bytes can tell of millions.
    DecoderError if program and configuration do not fit.
    """

    def __init__(self, program: Program, config: Config, max_instructions: int = MAX_INSTRUCTIONS) -> None:
        if program.xlen != config.xlen:
            raise DecoderError(
                f"the program is for RV{program.xlen} and the trace for RV{config.xlen}; "
                f"give the program that was traced, or XLEN={program.xlen}"
            )
        self._program, self._config, self._limit = program, config, max_instructions
        self._path = Path(program, config)
        self._mark = self._path.mark()
        self._unpacker = Unpacker(config, self._on_message, self._on_damage)
        self._state = _State.START
        self._reference = 0  # what U-ADDR is XORed with (NT-19)
        self._repeatable: Message | None = None  # the branch message a RepeatBranch would repeat
        self._btypes = 0  # bit 0: B-TYPE 1 was used for traps, bit 1: 2 or 3
        self._bytes = 0
        self._skipped: int | None = None  # bytes before the first useful message
        self._dropped = False  # something came before it
        self._repeated_events = 0
        self._messages: list[Message] = []
        self._first_pc: list[int] = []
        self._events: list[Event] = []
        self._findings = Findings()
        self._result: DecodedTrace | None = None
        self._handlers: dict[str, Callable[[Message], None]] = {
            "DirectBranch": self._direct_branch, "DirectBranchSync": self._sync,
            "IndirectBranch": self._indirect_branch, "IndirectBranchSync": self._sync,
            "IndirectBranchHist": self._indirect_branch, "IndirectBranchHistSync": self._sync,
            "ProgTraceSync": self._sync, "ProgTraceCorrelation": self._correlation,
            "ResourceFull": self._resource_full, "RepeatBranch": self._repeat_branch,
            "Error": self._error,
        }  # fmt: skip

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream. DecoderError after `finish`."""
        if self._result is not None:
            raise DecoderError("this decoder has finished; make a new Decoder for another trace")
        self._bytes += len(data)
        if self._state is not _State.DONE:
            self._unpacker.feed(data)

    def finish(self) -> DecodedTrace:
        """The end of the stream."""
        if self._result is None:
            if self._state is not _State.DONE:
                self._unpacker.finish()
            self._findings.resume(self._bytes, len(self._messages))
            if self._state is _State.START and self._dropped:
                text = f"no synchronizing message in {self._bytes} bytes"
                self._findings.complain(0, "NT-24", text, self._bytes)
            self._result = DecodedTrace(
                self._path, self._events, self._messages, self._first_pc, self._findings,
                self._skipped or 0, self._state is not _State.DONE,
            )  # fmt: skip
        return self._result

    # From the codec

    def _on_message(self, message: Message) -> None:
        if self._state is _State.DONE:
            return
        path = self._path
        self._messages.append(message)
        self._first_pc.append(path.count)
        self._mark, events = path.mark(), len(self._events)
        try:
            self._handlers.get(message.type.name, self._skip)(message)
            if path.count + path.wasted * WASTE > self._limit:
                raise _LimitReached(f"more than {self._limit} instructions; give a larger max_instructions")
        except Contradiction as error:
            path.undo(self._mark)
            self._lose(message.offset, error.clause, f"{message}: {error}", len(self._messages) - 1)
            can_start = message.type.has_sync and message.get("faddr", 0) >> self._config.xlen - 1 == 0
            if can_start and self._state is _State.LOST:
                self._start(message)
        except _LimitReached as error:
            path.undo(self._mark)
            del self._events[events:]
            self._findings.resume(message.offset, len(self._messages) - 1)
            self._lose(message.offset, "NT-24", f"the trace tells of {error}", len(self._messages) - 1)
            self._state = _State.DONE

    def _on_damage(self, damage: Damage) -> None:
        if self._state is _State.START and not self._messages and not self._dropped:
            self._dropped = True  # the front of a buffer that wrapped
        elif self._state not in (_State.LOST, _State.DONE):
            self._lose(damage.offset, damage.clause, damage.reason, len(self._messages))

    def _lose(self, offset: int, clause: str, text: str, messages: int) -> None:
        """The flow is lost until the next synchronizing message; `messages` came before."""
        self._state = _State.DONE if self._findings.full else _State.LOST
        if self._findings.full:
            clause, text = "NT-24", "contradictions without end: is this the program that was traced?"
        self._findings.lose(offset, clause, text, messages)

    def _complain(self, message: Message, clause: str, text: str) -> None:
        self._findings.complain(message.offset, clause, f"{message}: {text}")

    def _event(self, kind: str, message: Message, text: str, **about: int | None) -> None:
        fields = {"epc": None, "btype": None, "target": None, **about}
        self._events.append(Event(kind, self._path.count, message, text=text, **fields))

    # Messages without SYNC

    def _live(self) -> bool:
        """Whether the flow is known; Contradiction if no such message may come now."""
        if self._state is _State.ON:
            return True
        if self._state is _State.OFF:
            raise Contradiction("NT.7.12.stop", "trace is off since the last ProgTraceCorrelation")
        if self._state is _State.OVERRUN:
            raise Contradiction("NT-14", "a synchronizing message has to follow Error")
        self._dropped |= self._state is _State.START
        return False

    def _check_mode(self, kind: MessageType) -> None:
        mode, clause = _MODE_ONLY.get(kind.name.removesuffix("Sync"), (None, ""))
        if mode not in (None, self._config.mode):
            raise Contradiction(clause, f"not a message of {self._config.mode.upper()}")

    def _address(self, value: int) -> int:
        """The address a field tells. (With trTeInstExtendAddrMSB its MSBs would be extended here.)"""
        if value >> self._config.xlen - 1:
            raise Contradiction("NT.8.1.xlen", f"{value << 1:#x} is no address of RV{self._config.xlen}")
        return value << 1

    def _direct_branch(self, message: Message) -> None:
        if self._live():
            self._check_mode(message.type)
            self._taken_branch(message.values[0])
            self._repeatable = message

    def _taken_branch(self, icnt: int) -> None:
        path = self._path
        if path.finish_group(icnt, 1, 1) is not End.BRANCH:
            raise Contradiction("NT.10.branches", f"{self._path.last()} is no direct conditional branch")

    def _indirect_branch(self, message: Message) -> None:
        if self._live():
            self._check_mode(message.type)
            btype, icnt, uaddr = message.values[:3]
            target = self._reference ^ self._address(uaddr)
            self._jump_or_trap(message, btype, icnt, _hist(message), target)
            self._path.pc = self._reference = target
            self._repeatable = message

    def _jump_or_trap(self, message: Message, btype: int, icnt: int, hist: int, target: int) -> None:
        """A group that ends in an uninferable jump (B-TYPE 0) or a trap."""
        end = self._path.finish_group(icnt, hist, 0)
        if btype:
            self._trap(message, btype, end, target)
        elif end is not End.INDIRECT and not self._path.ends_in_custom():
            raise Contradiction("NT.10.indirect", f"{self._path.last()} is no uninferable jump")

    def _trap(self, message: Message, btype: int, end: End, target: int) -> None:
        if end is End.INDIRECT:
            raise Contradiction("NT-12", f"a trap behind {self._path.last()}, whose own message is missing")
        if end is End.TRAP and btype == 3:
            raise Contradiction("NT.6.2.btype", f"{self._path.last()} makes an exception, not an interrupt")
        epc = self._path.last_pc if end is End.TRAP else self._path.pc
        self._trap_event(message, btype, epc, target)

    def _trap_event(self, message: Message, btype: int, epc: int | None, target: int) -> None:
        text = VALUE_NAMES["btype"][btype] + ("" if epc is None else f" at {self._program.place(epc)}")
        self._event("trap", message, text, epc=epc, btype=btype, target=target)
        before, self._btypes = self._btypes, self._btypes | (1 if btype == 1 else 2)
        if self._btypes == 3 != before:
            self._complain(message, "NT-11", "B-TYPE 1 and B-TYPE 2 or 3 in one trace")

    def _resource_full(self, message: Message) -> None:
        if not self._live():
            return
        self._repeatable = None
        rcode, rdata = message.values[:2]
        if rcode == 0:
            if rdata >> _ICNT_BITS:
                raise Contradiction("NT.6.2.max_field", f"I-CNT has more than {_ICNT_BITS} bits")
            self._path.take_icnt(rdata)
        elif rcode in (1, 2):
            if self._config.mode == "btm":
                raise Contradiction("NT.7.8.btm", "there is no HIST in BTM")
            times = message.get("hrepeat", 1) or 0
            if not times:
                raise Contradiction("NT-6", "HREPEAT=0")
            if rdata == 1:
                self._complain(message, "NT.7.8.hist_bits", "HIST has no branch")
            self._path.take_hist(_checked(rdata), times)
        else:
            self._findings.note(message, "NT.7.8.rcode", "skipped")

    def _repeat_branch(self, message: Message) -> None:
        """NT-6, first reading: the same counts to the same target, B-CNT more times."""
        if not self._live():
            return
        times, first = message.values[0], self._repeatable
        if first is None or not times:
            raise Contradiction("NT-6", "no branch message to repeat" if times else "B-CNT=0")
        path, target = self._path, self._path.pc
        if first.name == "DirectBranch":
            self._taken_branch(first.values[0])
            if path.pc != target:
                raise Contradiction("NT-6", f"repeated, it goes to {path.pc:#x}, not to {target:#x} again")
        else:
            btype, icnt = first.values[:2]
            self._jump_or_trap(first, btype, icnt, _hist(first), target)
            path.pc = target
            if btype:
                self._repeat_trap(message, times)
        path.again(self._mark, times - 1)

    def _repeat_trap(self, message: Message, times: int) -> None:
        self._repeated_events += times
        if self._repeated_events > MAX_REPEATED_EVENTS:
            raise _LimitReached(f"more than {MAX_REPEATED_EVENTS} repeated traps")
        trap, each = self._events.pop(), self._path.count - self._mark.count
        first = trap.index
        self._events += [trap._replace(message=message, index=first + turn * each) for turn in range(times)]

    def _correlation(self, message: Message) -> None:
        evcode, cdf, icnt = message.values[:3]
        hist = _hist(message)
        empty = icnt == 0 and hist == 1
        if self._state is _State.LOST or (self._state is _State.START and not empty):
            self._dropped |= self._state is _State.START
            return
        if self._state is _State.OFF and not empty:
            raise Contradiction("NT.8.6.stop_while_off", "counts instructions while trace is off")
        if cdf != (self._config.mode == "htm"):
            raise Contradiction("NT.7.12.cdf", f"CDF is wrong for {self._config.mode.upper()}")
        if self._state in (_State.ON, _State.OVERRUN):
            self._live()
            self._path.finish_group(icnt, hist, -1)
        self._found(message)
        self._repeatable = None
        self._state = _State.OFF
        meaning = VALUE_NAMES["evcode"].get(evcode)
        if meaning is None:
            self._findings.note(message, "NT.7.12.evcode", "no EVCODE of table 23, taken as the end of trace")
        kind = "debug_entry" if evcode == 0 else "trace_off"
        self._event(kind, message, meaning or f"EVCODE={evcode}")

    def _error(self, message: Message) -> None:
        if self._state is _State.OVERRUN:
            self._live()
        etype = message.values[0]
        self._event("error", message, VALUE_NAMES["etype"].get(etype, f"ETYPE={etype}"))
        if etype:
            self._findings.note(message, "NT.7.4.error", "no ETYPE of table 15, taken as lost messages")
        if self._state is not _State.LOST:
            self._found(message)
            self._repeatable = None
            self._state = _State.OVERRUN

    def _skip(self, message: Message) -> None:
        """Ownership (contexts are not followed), vendor-defined and reserved messages."""
        self._findings.note(message, "NT.6.1.tcode", f"TCODE={message.tcode} skipped")
        self._dropped |= self._state is _State.START

    # Synchronizing messages

    def _sync(self, message: Message) -> None:
        sync = message.values[0]
        address = self._address(message.get("faddr", 0))
        if sync not in VALUE_NAMES["sync"]:
            self._findings.note(message, "NT.8.5.codes", "reserved SYNC")
        if self._state is not _State.ON:
            self._check_mode(message.type)
            self._start(message)
            return
        self._check_mode(message.type)
        if sync == RESTART:
            raise Contradiction("NT.8.5.sync7", "no Error came before")
        if sync in (EXIT_DEBUG, TRACE_ENABLE):
            raise Contradiction("NT.7.12.stop", "trace starts again without having stopped")
        self._walk_to(message, address, free=sync in (EXIT_RESET, EXIT_POWER_DOWN))
        self._path.pc = self._reference = address
        self._repeatable = None
        self._event("sync", message, VALUE_NAMES["sync"].get(sync, f"SYNC={sync}"), target=address)

    def _walk_to(self, message: Message, address: int, free: bool) -> None:
        """The counts of a synchronizing message in the flow, then F-ADDR; `free`: any address may follow."""
        path, btype, icnt = self._path, message.get("btype"), message.get("icnt", 0)
        if message.name == "DirectBranchSync" and not free:
            self._taken_branch(icnt)
        else:
            end = path.finish_group(icnt, _hist(message), -1 if free else 0)
            if btype:
                self._trap(message, btype, end, address)
                return
            if free or (btype == 0 and (end is End.INDIRECT or self._path.ends_in_custom())):
                return
            if end in (End.INDIRECT, End.TRAP):
                raise Contradiction("NT.10.indirect", f"{self._path.last()} needs its own message")
        if path.pc != address:
            raise Contradiction("NT.8.1.faddr", f"the code leads to {self._program.place(path.pc)}")

    def _start(self, message: Message) -> None:
        """Begin at F-ADDR: what the message counts cannot be followed."""
        sync, address = message.values[0], message.get("faddr", 0) << 1
        is_start, icnt = message.name == "ProgTraceSync", message.get("icnt", 0)
        if self._state is _State.OFF:
            if not is_start:
                self._complain(message, "NT.8.5.start_message", "trace restarts without ProgTraceSync")
            if sync == RESTART:
                self._complain(message, "NT.8.5.sync7", "no Error came before")
        if is_start and icnt and (sync in _START_KINDS or self._state is _State.OFF):
            self._complain(message, "NT.7.5.icnt", "nothing has been counted at a start")
        kind = _START_KINDS.get(sync, "sync")
        if self._state is _State.LOST and kind != "gap":
            self._event("gap", message, "decoding resumes", target=address)
        self._found(message)
        if btype := message.get("btype"):
            self._trap_event(message, btype, None, address)
        self._path.go_to(address)
        self._reference = address
        self._repeatable = None
        self._state = _State.ON
        self._event(kind, message, VALUE_NAMES["sync"].get(sync, f"SYNC={sync}"), target=address)

    def _found(self, message: Message) -> None:
        """The first message of use after the start, or after a loss."""
        self._findings.resume(message.offset, len(self._messages) - 1)
        if self._skipped is None:
            self._skipped = message.offset if self._dropped else 0


def _hist(message: Message) -> int:
    return _checked(message.get("hist", 1))


def _checked(hist: int | None) -> int:
    """HIST with its stop bit; Contradiction without."""
    if not hist:
        raise Contradiction("NT.8.3.stop_bit", "HIST=0 has no stop bit")
    return hist


def decode(
    data: bytes, program: Program, config: Config, max_instructions: int = MAX_INSTRUCTIONS
) -> DecodedTrace:
    """Decode a whole trace; see `Decoder`."""
    decoder = Decoder(program, config, max_instructions)
    decoder.feed(data)
    return decoder.finish()
