# SPDX-License-Identifier: Apache-2.0
"""A random legal encoder: the same run encoded in one of the many ways chapters 7 to 10 allow.

Every freedom is a coin: where counts are split, which form a message has, what is repeated, when to synchronize, how
deep the return stack is, whether a timestamp is there, idle bytes, vendor-defined and reserved messages in between. It
reads the retire stream instruction by instruction and shares nothing with the reference encoder.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import BY_NAME, Message, unknown_type
from rvtrace.models.ntrace.table import message as message_of
from rvtrace.models.riscv.retired import IType, Kind, Retired
from tests.common.there import there

EMPTY = 1
INDIRECT = (3, 6, 8, 10, 12, 13, 14)
CALLS, POPS = (8, 9, 12), (12, 13)


@dataclass
class Habits:
    """How often (0 to 1) each freedom is used; chosen at random for each run, so that runs differ in kind."""

    split_icnt: float
    split_hist: float
    sync: float
    empty_hist: float
    predict: float
    infer: float
    repeat: float
    idle: float
    foreign: float
    tstamp: float
    zeros: float
    owner: float
    depth: int
    pairs: bool = False  # with hcontext every Ownership is two, whatever changed

    @classmethod
    def randomized(cls, rng: random.Random) -> Habits:
        def often(*levels: float) -> float:
            return rng.choice(levels)

        return cls(
            often(0, 0.01, 0.2), often(0, 0.05, 0.5), often(0, 0.002, 0.1), often(0, 0.5, 1), often(0, 0.5, 1),
            often(0, 0.5, 1), often(0, 0.5, 1), often(0, 0.1, 0.8), often(0, 0.02), often(0, 0.5, 1), often(0, 0.1),
            often(0, 0.02), rng.choice((1, 2, 8, 32)),
        )  # fmt: skip


@dataclass
class LegalEncoder:
    """`encode` once; `messages` are what was sent, foreign ones left out."""

    config: Config
    rng: random.Random
    habits: Habits = None  # type: ignore[assignment]
    messages: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.habits = self.habits or Habits.randomized(self.rng)
        self.data = bytearray()
        self.htm = self.config.mode == "htm"
        self.rc7 = self.config.variant == "rc7"
        self.icnt, self.bits = 0, []
        self.before = -1  # half-words of this count when the last instruction was added
        self.ref = self.time = self.reported = 0
        self.stack: list[int] = []
        self.pend: tuple[str, int] | None = None  # ("direct" or "indirect", B-TYPE)
        self.popped: int | None = None
        self.last: tuple | None = None  # the branch message that may be repeated, its target
        self.times = 0
        self.open = False
        self.start = 5
        self.marks: list[int] = []
        self.reset = False
        self.owner: tuple[int, int, int] | None = None
        self.since = 0  # messages since the last one with SYNC

    def coin(self, probability: float) -> bool:
        return self.rng.random() < probability

    # Sending

    def send(self, name: str, *values: int) -> None:
        """One message, and whatever may come between messages."""
        kind = BY_NAME[name]
        stamp = None
        if self.config.timestamp and (kind.has_sync or self.coin(self.habits.tstamp)):
            stamp = self.time if kind.has_sync else self.time - self.reported
            self.reported = self.time
        message = message_of(name, *values).replaced(
            src=self.config.src_id if self.config.source_bits else 0, tstamp=stamp
        )
        self.messages.append(message)
        self.since = 0 if kind.has_sync else self.since + 1
        while self.coin(self.habits.idle):
            self.data.append(0xFF)
        if self.coin(self.habits.foreign):
            self._foreign()
        made = pack(message, self.config.source_bits, self.config.address_bits)
        if self.coin(self.habits.zeros):  # the first variable field, never an address, ends in an MDO group of zeros
            end = next(i for i, byte in enumerate(made) if byte & 3)
            made = made[:end] + bytes((made[end] & ~3, made[end] & 3)) + made[end + 1 :]
        self.data += made

    def _foreign(self) -> None:
        """A vendor-defined message: fields nobody knows, whole bytes after TCODE and SRC."""
        message = Message.of(unknown_type(self.rng.randrange(56, 63)), {"src": self.config.src_id})
        value = message.type.tcode | message.src << 6 | self.rng.getrandbits(20) << 6 + self.config.source_bits
        head = bytearray()
        while value:
            head.append((value & 0x3F) << 2)
            value >>= 6
        head[-1] |= 3
        self.data += head if len(head) > 1 else bytes((head[0] & ~3, 0x03))

    def flush_repeat(self) -> None:
        """RepeatBranch for what was counted; the count may be reported in several messages."""
        while self.times:
            part = self.rng.randint(1, self.times) if self.coin(0.3) else self.times
            self.times -= part
            self.send("RepeatBranch", part)

    # Counts

    def full_icnt(self) -> None:
        self.send("ResourceFull", 0, self.icnt)
        self.icnt, self.last, self.before = 0, None, -1

    def full_hist(self, count: int) -> None:
        """The first `count` branches as ResourceFull, equal pieces together where the option is on."""
        reported, self.bits, self.last = self.bits[:count], self.bits[count:], None
        while reported:
            size = self.rng.randint(1, min(31, len(reported)))
            piece, times = reported[:size], 1
            if self.config.repeated_history:
                while reported[times * size : (times + 1) * size] == piece and self.coin(0.9):
                    times += 1
            reported = reported[times * size :]
            if times > 1 or (self.config.repeated_history and self.coin(0.2)):
                self.send("ResourceFull", 2, _hist(piece), times)
            else:
                self.send("ResourceFull", 1, _hist(piece))

    def settle(self) -> tuple[int, int]:
        """(I-CNT, HIST) for a message: some of it may be reported before."""
        if self.bits and (len(self.bits) > 31 or self.coin(self.habits.split_hist)):
            self.full_hist(self.rng.randint(max(1, len(self.bits) - 31), len(self.bits)))
        counts = self.icnt, _hist(self.bits)
        self.icnt, self.bits, self.before = 0, [], -1
        return counts

    # The stream

    def encode(self, retired: Retired) -> bytes:
        """The bytes of the whole stream; control rows are levels of trTeInstTracing and Debug Mode."""
        level, called = _initial(retired), False
        columns = zip(*(getattr(retired, n).tolist() for n in _COLUMNS))
        for kind, pc, size, itype, cause, tval, priv, context, hcontext, sijump in columns:
            self.time += self.rng.choice((0, 1, 1, 3))
            if kind <= Kind.INTERRUPT:
                if all(level.values()):
                    if not called:  # rc7: nothing comes between an ecall that retired and its exception
                        self.arrive(pc, (priv, context, hcontext))
                    called = kind == Kind.INSN and itype == IType.EXCEPTION
                    self.retire(pc, size, itype, sijump) if kind == Kind.INSN else self.trap(kind)
                continue
            was = all(level.values())
            name, value = _LEVELS.get(kind, ("", True))
            if name:
                level[name] = value
            if was and not all(level.values()):
                self.stop({Kind.DEBUG_ENTRY: 0, Kind.SLEEP: 1}.get(kind, 4))
            elif not was and all(level.values()):
                self.start = {Kind.DEBUG_EXIT: 3, Kind.WAKE: 9}.get(kind, 5)
            elif was:
                self.happened(kind)
            if kind == Kind.VENDOR:
                self.send(f"Vendor{cause}", tval)
        if self.open:
            self.stop(4)
        return bytes(self.data)

    def happened(self, kind: int) -> None:
        """A trigger, or the reset of a traced hart."""
        if kind in (Kind.NOTIFY, Kind.EXT_NOTIFY) and self.open:
            self.marks.append(6 if kind == Kind.NOTIFY else 0)
        elif kind == Kind.RESET_ENTRY and self.open:
            if self.pend and self.pend[0] == "direct":
                self.flush_repeat()
                self.send("DirectBranch", self.settle()[0])
            self.pend, self.popped, self.reset = None, None, True
        elif kind == Kind.RESET_ENTRY:
            self.start = 1

    def stop(self, evcode: int) -> None:
        if not self.open:
            self.send("ProgTraceCorrelation", evcode, *((1, 0, EMPTY) if self.htm else (0, 0)))
            return
        self.flush_repeat()
        if self.pend and self.pend[0] == "direct" and self.coin(0.5):
            self.send("DirectBranch", self.settle()[0])
        icnt, hist = self.settle()
        self.send("ProgTraceCorrelation", evcode, *((1, icnt, hist) if self.htm else (0, icnt)))
        self.open, self.pend, self.last, self.popped, self.reset, self.marks = False, None, None, None, False, []

    def arrive(self, pc: int, owner: tuple[int, int, int]) -> None:
        """The next instruction or trap is at `pc`: report what needed this address."""
        if not self.open:
            self.send("ProgTraceSync", self.start, 0, pc >> 1)
            self.open = True
            return self.synced(pc, owner)
        habits = self.habits
        if self.pend and self.pend[0] == "indirect" and self.popped == pc and self.coin(habits.predict):
            self.pend = None
        self.popped = None
        due = self.since >= self.config.sync_interval  # trTeInstSyncMax is a maximum; earlier is a choice
        why = 2 if self.config.inst_sync_mode and (self.coin(habits.sync) or due) else None
        if self.reset or self.marks:
            why = 1 if self.reset else self.marks.pop(0)
            self.reset = False
        if self.pend:
            return self.flow_change(pc, owner, why)
        if why is not None:
            self.flush_repeat()
            icnt, hist = self.settle()
            if hist == EMPTY and (not self.htm or self.coin(0.7)):
                self.send("ProgTraceSync", why, icnt, pc >> 1)
            elif self.htm:
                self.send("IndirectBranchHistSync", why, 0, icnt, pc >> 1, hist)
            else:
                self.send("IndirectBranchSync", why, 0, icnt, pc >> 1)
            return self.synced(pc, owner)
        self.own(owner, after_sync=False, always=self.coin(habits.owner))

    def flow_change(self, pc: int, owner: tuple[int, int, int], why: int | None) -> None:
        """The branch message of a pending flow change."""
        kind, btype = there(self.pend)
        splits = self.messages[-1:] if not self.times else None
        icnt, hist = self.icnt, _hist(self.bits)
        with_hist = self.htm and (hist != EMPTY or self.coin(1 - self.habits.empty_hist))
        uaddr = (pc ^ self.ref) >> 1
        same = (kind, btype, icnt, hist, with_hist, pc, owner)
        again = self.config.repeat_branch and self.last == same and (uaddr == 0 or kind == "direct")
        self.pend = None
        if why is None and again and len(self.bits) <= 31 and self.coin(self.habits.repeat):
            self.times += 1
            self.icnt, self.bits, self.before = 0, [], -1
            return
        self.flush_repeat()
        icnt, hist = self.settle()
        whole = splits == self.messages[-1:]
        with_hist = self.htm and (hist != EMPTY or with_hist)
        if why is not None:
            name = "DirectBranchSync" if kind == "direct" else f"IndirectBranch{'Hist' if with_hist else ''}Sync"
            values = (why, icnt, pc >> 1) if kind == "direct" else (why, btype, icnt, pc >> 1)
            self.send(name, *values, *((hist,) if with_hist else ()))
            return self.synced(pc, owner)
        if kind == "direct":
            self.send("DirectBranch", icnt)
        else:
            self.send(
                f"IndirectBranch{'Hist' if with_hist else ''}", btype, icnt, uaddr, *((hist,) if with_hist else ())
            )
            self.ref = pc
        good = whole and (kind == "direct" or uaddr == 0)
        self.last = (kind, btype, icnt, hist, with_hist, pc, owner) if good else None
        self.own(owner, after_sync=False, always=btype > 0)

    def synced(self, pc: int, owner: tuple[int, int, int]) -> None:
        self.ref, self.stack, self.last = pc, [], None
        self.icnt, self.bits, self.before = 0, [], -1
        self.own(owner, after_sync=True)

    def own(self, owner: tuple[int, int, int], after_sync: bool, always: bool = False) -> None:
        """Ownership: after a sync in full, else what changed; more than that is legal too."""
        if not self.config.ownership or not (after_sync or always or owner != self.owner):
            return
        priv, context, hcontext = owner
        old, self.owner = self.owner, owner
        self.flush_repeat()
        self.last = None
        pair = self.config.hcontext and (self.habits.pairs or after_sync or old is None)
        if pair or (self.config.hcontext and old is not None and hcontext != old[2]):
            self.send("Ownership", hcontext << 5 | priv << 2 | 3)
        if pair or after_sync or old is None or context != old[1] or self.coin(0.3):
            self.send("Ownership", context << 5 | priv << 2 | 2)
        elif priv != old[0] or always:
            self.send("Ownership", priv << 2)

    def retire(self, pc: int, size: int, itype: int, sijump: int) -> None:
        """Count one instruction."""
        adjacent = self.before >= 0 and self.icnt > self.before
        self.before = self.icnt
        self.icnt += size >> 1
        inferred = (
            itype in INDIRECT and self.config.sequential_jump and sijump and adjacent and self.coin(self.habits.infer)
        )
        if self.config.implicit_return:
            if itype in POPS:
                self.popped = self.stack.pop() if self.stack else None
            if itype in CALLS:
                self.stack = [*self.stack, pc + size][-self.habits.depth :]
        if itype in INDIRECT and not inferred and itype != IType.EXCEPTION:
            self.pend = ("indirect", 0)
        elif itype in (IType.TAKEN, IType.NOT_TAKEN) and self.htm:
            self.bits.append(int(itype == IType.TAKEN))
        elif itype == IType.TAKEN:
            self.pend = ("direct", 0)
        if inferred:
            self.popped = None
        top = self.icnt >= 1 << 21
        if top or self.coin(self.habits.split_icnt) and not self.pend:
            self.flush_repeat()
            self.full_icnt()
        if len(self.bits) > 60 or self.bits and self.coin(self.habits.split_hist):
            self.flush_repeat()
            self.full_hist(self.rng.randint(1, len(self.bits)))

    def trap(self, kind: int) -> None:
        codes = {"2_3": (2, 3), "1": (1, 1)}[self.config.b_type]
        self.pend = ("indirect", codes[kind == Kind.INTERRUPT])


def _hist(bits: list[int]) -> int:
    value = EMPTY
    for bit in bits:
        value = value << 1 | bit
    return value


_COLUMNS = ("kind", "pc", "size", "itype", "cause", "tval", "priv", "context", "hcontext", "sijump")
_LEVELS = {
    Kind.TRACE_ON: ("on", True), Kind.TRACE_OFF: ("on", False), Kind.DEBUG_ENTRY: ("running", False),
    Kind.DEBUG_EXIT: ("running", True), Kind.SLEEP: ("awake", False), Kind.WAKE: ("awake", True),
}  # fmt: skip


def _initial(retired: Retired) -> dict[str, bool]:
    """The levels before the first row: what the first row of each kind changes; else on, running and awake."""
    levels = {}
    for kind in retired.kind.tolist():
        name, value = _LEVELS.get(kind, ("", True))
        if name:
            levels.setdefault(name, not value)
    return {"on": True, "running": True, "awake": True} | levels
