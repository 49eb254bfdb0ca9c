# SPDX-License-Identifier: Apache-2.0
"""A random legal encoder: the same run encoded in one of the many ways the specification allows.

Every freedom is a coin: synchronization and address reports where nothing asks for them, format 1 or 2 where a format 0
is possible and the other way round, irreport, contexts and support packets in between, payloads that are longer than
needed, undefined bits. It reads the retire stream row by row and shares nothing with the reference encoder. `hooked` =
True keeps to what a port's beats ask for (ctype, triggers), else it chooses those too.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, fields
from typing import Any

from rvtrace.models.etrace.codec import bits, pack
from rvtrace.models.etrace.config import CACHE_RETURNS, CACHE_SYNCS, Config
from rvtrace.models.etrace.table import OPTIONS, Packet
from rvtrace.models.riscv.retired import PRIVILEGE, Kind, Retired
from rvtrace.tb.etrace.stimulus.golden import FORMAT, SUBFORMAT
from tests.etrace.layouts import MAP_BITS

UNINFERABLE = {"v2_0": (3, 6, 8, 10, 12, 13, 14), "draft_0_026": (3, 7, 8, 10, 12, 14)}
RETURNS = {"v2_0": (13,), "draft_0_026": (12, 13)}
CALLS = (8, 9)
NO_CHANGE, ENDED_REP, TRACE_LOST, ENDED_NTR = range(4)
MOST = 31
LEVELS = {
    Kind.TRACE_ON: ("on", True),
    Kind.TRACE_OFF: ("on", False),
    Kind.DEBUG_ENTRY: ("running", False),
    Kind.DEBUG_EXIT: ("running", True),
    Kind.RESET_ENTRY: ("awake", False),
    Kind.RESET_EXIT: ("awake", True),
}


@dataclass
class Habits:
    """How often (0 to 1) each freedom is used; chosen at random for each run, so that runs differ in kind.

    sync, notify: at an instruction that does not need it. flush: the instruction before a sync reported without need.
    irreport: without need. index: a hit sent as format 0.1, though longer or not. full_map: 31 branches as a map,
    though all were predicted. context, support: such a packet in between. pad: a payload longer than needed. fill:
    undefined bits at random. rep: ended_rep for ended_ntr. handler: 3.1 for the first trap.
    """

    sync: float
    notify: float
    flush: float
    irreport: float
    index: float
    full_map: float
    context: float
    support: float
    pad: float
    fill: float
    rep: float
    handler: float

    @classmethod
    def randomized(cls, rng: random.Random) -> Habits:
        return cls(
            *(
                rng.choice(
                    (0, 0.02, 0.3, 1) if f.name not in ("sync", "notify", "support") else (0, 0, 0, 0.01, 0.1, 0.5)
                )
                for f in fields(cls)
            )
        )


class Insn:
    """A traced instruction, or (trap) what came instead of one."""

    pc: int
    size: int
    itype: int
    cause: int
    tval: int
    context: int
    sijump: int
    kind: int

    def __init__(self, retired: Retired, row: int) -> None:
        for name in ("pc", "size", "itype", "cause", "tval", "context", "sijump", "kind"):
            setattr(self, name, int(getattr(retired, name)[row]))
        self.privilege, self.trap = PRIVILEGE[int(retired.priv[row])], self.kind != Kind.INSN
        self.note = self.sync = False
        self.ctype = 0


class LegalEncoder:
    """`encode` once; `packets` are what was sent."""

    def __init__(self, config: Config, rng: random.Random, hooked: bool = False) -> None:
        self.config, self.rng, self.hooked, self.habits = config, rng, hooked, Habits.randomized(rng)
        self.draft = config.variant == "draft_0_026"
        # the cache: what the target of a return does, and whether a synchronization packet fills an entry
        self.cache_returns, self.cache_syncs = rng.choice(CACHE_RETURNS), rng.choice(CACHE_SYNCS)
        self.itypes = UNINFERABLE[config.variant], RETURNS[config.variant]
        self.payloads: list[bytes] = []
        self.toggle = self.time = self.last = self.status = 0
        self.reset()

    def coin(self, probability: float) -> bool:
        return self.rng.random() < probability

    def junk(self, width: int) -> int:
        return self.rng.getrandbits(width) if width and self.coin(self.habits.fill) else 0

    @property
    def options(self) -> dict[str, int]:
        return {name: getattr(self.config, name) ^ (self.toggle >> bit & 1) for bit, name in enumerate(OPTIONS)}

    def reset(self) -> None:
        """What a synchronization packet forgets."""
        self.stack: list[int] = []
        self.open_return = False
        self.map: list[int] = []
        self.pbc = 0
        self.predictor: dict[int, int] = {}
        self.cache: dict[int, int] = {}

    # Sending

    def send(self, name: str, **values: Any) -> None:
        values = {"format": FORMAT[name], **({"subformat": SUBFORMAT[name]} if name in SUBFORMAT else {}), **values}
        packet = Packet(name, values)
        data = pack(packet, self.config, self.options)
        if self.coin(self.habits.pad):
            full = (bits(packet, self.config, self.options)[1] + 7) // 8
            data += bytes([0xFF * (data[-1] >> 7)]) * self.rng.randint(0, full - len(data))
        self.payloads.append(data)

    def owner(self, here: Insn) -> dict[str, int]:
        """privilege, time and context at an instruction; fields that are absent are ignored by `pack`."""
        self.time += 0 if self.hooked else self.rng.randrange(100)
        c = self.config
        return {
            "privilege": here.privilege,
            "time": self.time % (1 << c.time_width_p),
            "context": here.context % (1 << c.context_width_p),
        }

    def support(self, status: int, enable: int = 1) -> None:
        options = self.options
        reported = {
            "ienable": enable,
            "encoder_mode": 0,
            "qual_status": status,
            "ioptions": sum(options[n] << b for b, n in enumerate(OPTIONS)),
        }
        self.send("support", **reported, **({} if self.draft else {"denable": 0, "dloss": 0}))

    def synchronize(self, here: Insn, name: str, taken: bool | None, **values: Any) -> None:
        """3.0, 3.1 with a handler: what is known begins with this instruction."""
        self.reset()
        bit = int(taken is False) if taken is not None else self.junk(1) if self.draft else 1
        bit = bit if self.draft or taken is None else int(not taken)
        self.last = here.pc
        self.send(name, branch=bit, **self.owner(here), address=here.pc >> self.config.iaddress_lsb_p, **values)
        if taken is not None:
            self.predicted(here, taken)

    def trapped(self, trap: Insn, here: Insn, taken: bool | None) -> None:
        """3.1 at the handler."""
        values: dict[str, Any] = {**self.cause(trap), "tval": trap.tval % (1 << self.config.iaddress_width_p)}
        self.synchronize(here, "trap", taken, **values, **({} if self.draft else {"thaddr": 1}))

    def cause(self, trap: Insn) -> dict[str, int]:
        return {"ecause": trap.cause % (1 << self.config.ecause_width_p), "interrupt": int(trap.kind == Kind.INTERRUPT)}

    def again(self, trap: Insn, epc: Insn) -> None:
        """3.1 with thaddr = 0: a trap that no handler will report. epc: the exception whose EPC is reported."""
        self.reset()
        width = self.config.iaddress_width_p
        address = (
            epc.pc >> self.config.iaddress_lsb_p
            if epc.kind == Kind.EXCEPTION
            else self.junk(width - self.config.iaddress_lsb_p)
        )
        self.send(
            "trap",
            branch=self.junk(1),
            **self.owner(trap),
            **self.cause(trap),
            thaddr=0,
            address=address,
            tval=trap.tval % (1 << width),
        )

    def predicted(self, here: Insn, taken: bool) -> bool:
        """Train the predictor; whether it had been right."""
        entry = here.pc >> self.config.iaddress_lsb_p & (1 << self.config.bpred_size_p) - 1
        state = self.predictor.get(entry, 1)
        self.predictor[entry] = {0: (0, 1), 1: (0, 3), 3: (2, 3), 2: (0, 3)}[state][taken]
        return bool(state >> 1) == taken

    def report(
        self, here: Insn, failed: bool | None, target_of: int = 0, depth: int | None = None, **flags: int
    ) -> None:
        """The address of an instruction, with what branches came before it. failed: it is a branch, against its
        prediction or not. target_of: itype of the uninferable jump to it, 0 if there is none.
        """
        target = bool(target_of)
        c, options = self.config, self.options
        lsb, width = c.iaddress_lsb_p, c.iaddress_width_p - c.iaddress_lsb_p
        difference = (here.pc - self.last >> lsb) % (1 << width)
        value = here.pc >> lsb if options["full_address"] else difference - (difference >> width - 1 << width)
        tail = {"address": value, **({} if self.draft else {"notify": 0, "updiscon": 0, **self.depth(depth), **flags})}
        entry = here.pc >> lsb & (1 << c.cache_size_p) - 1
        hit = target and options["jump_target_cache"] and self.cache.get(entry) == here.pc
        if target:
            self.store(here, target_of == 13)
        self.last, reported = here.pc, self.map
        # the draft's count ends before the address, which a jump may lie between
        before = self.pbc - (self.draft and failed is False)
        if before > MOST or self.pbc > MOST or (before == MOST and (failed or not self.coin(self.habits.full_map))):
            if self.draft:
                self.send("branch_map", branches=0, branch_fmt=1, branch_count=before - MOST, no_mispred=1)
                own = {} if failed is None else {"branches": 1, "branch_map": int(here.itype == 4)}
                self.send("branch_map" if own else "address", **own, **tail)
            else:
                self.send("branch_count", branch_count=self.pbc - MOST, branch_fmt=3 if failed else 2, **tail)
        elif hit and not flags.get("updiscon") and self.coin(self.habits.index):
            self.send("jump_target", index=entry, **self.mapped(reported, len(reported)), **self.depth(depth))
        elif reported:
            self.send("branch_map", **self.mapped(reported, len(reported)), **tail)
        else:
            self.send("address", **tail)
        self.map, self.pbc = [], 0

    def store(self, target: Insn, returned: bool) -> None:
        """The cache after the target of an uninferable jump, which is a return or not."""
        entry = target.pc >> self.config.iaddress_lsb_p & (1 << self.config.cache_size_p) - 1
        if not returned or self.cache_returns == "fill":
            self.cache[entry] = target.pc
        elif self.cache_returns == "clear":
            self.cache.pop(entry, None)
            if not self.options["implicit_return"]:
                self.cache[entry] = target.pc

    def depth(self, depth: int | None) -> dict[str, Any]:
        return {"irreport": int(depth is not None), "irdepth": depth}

    def mapped(self, reported: list[int], branches: int) -> dict[str, int]:
        """branches and branch_map; bits above them mean nothing."""
        if not reported:
            return {"branches": 0}
        length = MAP_BITS[self.config.variant].get(branches, MOST)
        return {
            "branches": branches,
            "branch_map": sum(bit << i for i, bit in enumerate(reported))
            | self.junk(length - len(reported)) << len(reported),
        }

    # Reading

    def encode(self, retired: Retired) -> list[bytes]:
        """The payloads of a whole run."""
        level = {"on": True, "running": True, "awake": True}
        for kind in reversed(retired.kind.tolist()):
            if kind in LEVELS:
                level[LEVELS[kind][0]] = not LEVELS[kind][1]
        items: list[Insn] = []
        late = not self.coin(0.7)  # v2_0: it "must be issued when trace is enabled, and before the first sync packet"
        if self.hooked or not (late and self.draft):
            self.support(NO_CHANGE)
        before = None  # the context of the instruction before, traced or not
        for row, kind in enumerate(retired.kind.tolist()):
            if kind <= Kind.INTERRUPT:
                here = Insn(retired, row)
                if before is not None and before != here.context:
                    code = int(self.config.ctype) if self.hooked else self.rng.randrange(4)
                    here.note = self.draft and code == 3 and not here.trap
                    here.ctype = (3, 2, 1, 0)[code] if self.draft else code  # as v2_0 codes it
                before = here.context
                items += [here] if all(level.values()) else []
            elif kind in LEVELS:
                level[LEVELS[kind][0]] = LEVELS[kind][1]
                if not all(level.values()):
                    items = self.segment(items)
            elif kind == Kind.TOGGLE:
                items = self.segment(items)
                self.toggle = int(retired.cause[row])
                self.support(NO_CHANGE)
            elif kind == Kind.NOTIFY and items and not items[-1].trap:
                items[-1].note = self.hooked or not self.draft
        self.segment(items)
        return self.payloads

    def segment(self, items: list[Insn]) -> list[Insn]:
        """A stretch of trace, and its end."""
        since = 0  # instructions since a synchronization: no more cycles, half-words or packets than the interval has
        for here, before in zip(items, [None, *items]):
            since = 0 if here.trap else since + 1
            here.sync = (
                not here.trap
                and before is not None
                and not before.trap
                and (here.privilege != before.privilege or here.ctype in (2, 3) or self.coin(self.habits.sync))
            )
            if self.config.inst_sync_mode and 2 * since >= self.config.sync_interval and before is not None:
                here.sync |= not here.trap and not before.trap
            since = 0 if here.sync else since
            here.note |= not (self.draft or self.hooked) and self.coin(self.habits.notify)
        self.reported: Insn | None = None  # the trap that was reported with thaddr = 0
        for i, here in enumerate(items):
            before = items[i - 1] if i else None
            after = items[i + 1] if i + 1 < len(items) else None
            (self.trap if here.trap else self.insn)(here, before, after, items[i - 2] if i > 1 else None)
        if items:
            self.support(self.status)
        return []

    def jumped(self, before: Insn | None, earlier: Insn | None, target: Insn) -> bool:
        """Whether the instruction before is a jump whose target nobody can infer; a return is popped."""
        if before is None or before.trap:
            return False
        inferred = bool(
            before.sijump and self.options["sijump"] and before.itype != 3 and earlier is not None and not earlier.trap
        )
        self.popped = None
        implicit = False
        if before.itype in self.itypes[1] and self.stack and self.options["implicit_return"]:
            self.popped = len(self.stack)
            top = self.stack.pop()
            loose = self.config.call_counter_size_p or target.kind == Kind.INTERRUPT
            implicit = bool(loose or top == target.pc)
            self.open_return |= implicit
        return before.itype in self.itypes[0] and not inferred and not implicit

    def trap(self, here: Insn, before: Insn | None, after: Insn | None, earlier: Insn | None) -> None:
        self.status = ENDED_REP
        astray = self.jumped(before, earlier, here)
        if self.draft:
            return
        if before is not None and before.trap and self.reported is not before:
            self.again(before, here)
        elif astray or (before is None and not (after and not after.trap and self.coin(self.habits.handler))):
            self.again(here, here)
            self.reported = here

    def insn(self, here: Insn, before: Insn | None, after: Insn | None, earlier: Insn | None) -> None:
        branch = here.itype in (4, 5)
        taken = here.itype == 5 if branch else None
        astray = self.jumped(before, earlier, here)
        if before is None or before.trap or here.sync:
            if before is None or not before.trap or self.reported is before:
                self.synchronize(here, "start", taken)
                if astray and self.cache_syncs == "fill":
                    self.store(here, before is not None and before.itype == 13)
            else:
                self.trapped(before, here, taken)
            self.status = self.either()
        else:
            self.report_insn(here, after, taken, astray, before)
        if here.itype in CALLS and self.options["implicit_return"]:
            self.call(here.pc + here.size)
        if after is not None and not after.trap and self.coin(self.habits.support):
            self.support(NO_CHANGE)

    def either(self) -> int:
        return ENDED_REP if self.coin(self.habits.rep) else ENDED_NTR

    def call(self, back: int) -> None:
        counter = self.config.call_counter_size_p
        most = (1 << counter) - 1 if counter else 1 << self.config.return_stack_size_p
        self.stack = (self.stack + [back])[:most] if counter else (self.stack + [back])[-most:]
        self.open_return = False

    def report_insn(self, here: Insn, after: Insn | None, taken: bool | None, astray: bool, before: Insn) -> None:
        """What an instruction that is no synchronization makes."""
        if here.ctype == 1 or self.coin(self.habits.context * 0.1):
            self.send("context", **self.owner(here))
        failed = None
        if taken is not None:
            self.open_return = False
            clean = self.pbc == len(self.map) or self.pbc > MOST  # all since the last packet were predicted
            failed = bool(self.options["branch_prediction"]) and not self.predicted(here, taken)
            if len(self.map) < MOST:
                self.map.append(int(not taken))
            if self.options["branch_prediction"] and clean and not failed:
                self.pbc += 1
        self.status = ENDED_REP
        sync_next = after is None or after.trap or after.sync
        needed = self.open_return or (
            here.itype in self.itypes[0] and after is not None and not after.trap and after.privilege == here.privilege
        )
        pending = bool(after and not after.trap and after.sync and (self.map or self.pbc or needed))
        optional = bool(after and not after.trap and after.sync and (after.ctype == 3 or self.coin(self.habits.flush)))
        anchor = (
            not self.draft
            and here.itype in CALLS
            and self.open_return
            and (here.itype == 9 or bool(here.sijump and self.options["sijump"]))
        )
        if astray:
            flag = after is not None or self.coin(self.habits.rep)
            depth = self.popped if not self.draft else None
            self.report(here, failed, before.itype, depth, updiscon=int(sync_next and flag))
            self.status = ENDED_REP if flag else ENDED_NTR
        elif here.note or anchor or after is None or after.trap or pending or optional:
            notify = int(here.note or anchor)
            with_depth = (
                self.options["implicit_return"]
                and not self.draft
                and (self.open_return or self.coin(self.habits.irreport))
            )
            self.report(here, failed, depth=len(self.stack) if with_depth else None, notify=notify)
            self.status = self.either() if notify else ENDED_REP
        elif failed and self.pbc >= MOST:
            counted = {"branch_count": self.pbc - MOST}
            self.send(
                *(("branch_map",) if self.draft else ("branch_count",)),
                **counted,
                **({"branches": 0, "branch_fmt": 1, "no_mispred": 0} if self.draft else {"branch_fmt": 0}),
            )
            self.map, self.pbc = [], 0
        elif (
            taken is not None
            and len(self.map) == MOST
            and (self.pbc < MOST or (self.pbc == MOST and self.coin(self.habits.full_map)))
        ):
            self.send("branch_map", **self.mapped(self.map, 0), **({"branch_fmt": 0} if self.draft else {}))
            self.map, self.pbc = [], 0
