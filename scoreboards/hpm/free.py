# SPDX-License-Identifier: Apache-2.0
"""What software did with a device that does not declare the profile: only what the specification decides is compared.

Counters, OF and LCOFIP are known as far as `rvtrace.scoreboards.hpm.bounds` knows them; what a device may choose is
taken from what the run shows of it (`rvtrace.scoreboards.hpm.learned`).
"""

from __future__ import annotations

from collections import Counter

from rvtrace.models.csr.file import ALL as _ALL
from rvtrace.models.csr.file import LOW as _LOW
from rvtrace.models.csr.table import Csr
from rvtrace.models.hpm.bulk import Trace
from rvtrace.models.hpm.config import FIRST
from rvtrace.models.hpm.events import CYCLES, RETIRED, Counts
from rvtrace.models.hpm.registers import LCOFI_BIT, OF_BIT, SELECT_MASK
from rvtrace.models.riscv.csr import CLEAR, DONE, HS, SET, VS, Access, Answer, M
from rvtrace.scoreboards.common.blame import Blame
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.hpm.access import Last, read_clause
from rvtrace.scoreboards.hpm.bounds import HIGH, LOW, UNKNOWN, WHOLE, Bounds, Cycle, Flags, Freedom, Setting
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.hpm.causes import Causes
from rvtrace.scoreboards.hpm.cells import NONE
from rvtrace.scoreboards.hpm.learned import MASKS, Learned, optional_part
from rvtrace.scoreboards.hpm.software import VIEWS, Software
from rvtrace.scoreboards.hpm.tolerances import Tolerances

_FIXED = {0: ("mcyclecfg", CYCLES), 2: ("minstretcfg", RETIRED)}
OVERFLOWED = {VS: "HPM.ovf.guest", HS: "HPM.ovf.supervisor"}
_OUTSIDE = ("mip", "mie", "mideleg", "hideleg")  # of which this block has one bit


def _settings(n: int) -> tuple[str, ...]:
    """The registers that decide what a counter counts."""
    return "mcountinhibit", _FIXED[n][0] if n in _FIXED else f"mhpmevent{n}"


class FreeSoftware(Software):
    """The accesses of such a run. between: the cycles between two looks at a counter that it surely counted in, or of
    which that is not known, of all counters; judged_between: those of which it was known, and the second look fits.
    """

    def __init__(self, capture: HpmCapture, book: ClauseBook, tolerances: Tolerances, blame: Blame) -> None:
        super().__init__(capture, book, tolerances, blame)
        t = tolerances
        self.learned = Learned(self.config, capture.rows, self._csrs)
        if t.csrs == "any":
            self._csrs = {a: c for a, c in self._csrs.items() if optional_part(c) not in self.learned.gone}
        freedom = Freedom(t.latency, t.timing == "any", t.wfi == "any", t.stopcount == "any", t.slack)
        self.bounds = Bounds(self.config, freedom)
        self.flags = Flags(self.bounds, t.reset_zero)
        self._known: set[str] = set()  # settings that were written or read
        self._forgotten: set[str] = set()  # registers that an access changed that had to be refused
        self._upper: dict[tuple[str, bool], int] = {}  # without Sscofpmf: upper bits of a register read since its write
        self._selectors: dict[int, int] = {}  # what counters surely count
        self.causes = Causes()
        self.between = self.judged_between = 0
        self._looked: dict[int, int] = {}  # by counter the cycle of the last look
        self._broken = ""  # the clause of a look at a counter that does not fit
        self._explained: tuple[str, ...] = ()  # all clauses that explain it
        self._happened: tuple[str, ...] = ()  # if none does by itself, those of what happened
        self._unexplained: list[tuple[Failure, tuple[str, ...]]] = []
        self._misread: int | None = None  # what this access read, if that is wrong
        self._subject: tuple[str, int] = "", -1  # what does not fit: a register, or "counter", "of" or "ip"
        self._now_settings: dict[int, Setting] = {}
        self._choices()
        self._begin()

    def _choices(self) -> None:
        """Clauses of which a tolerance lets the device choose, and of which it chose other than the profile."""
        if not self.tolerances.reset_zero:
            self.freed.add("HPM.reset.zero")
        for name in MASKS if self.tolerances.enables == "any" else ():
            claimed = self.config.inhibit if name == "mcountinhibit" else self.config.enables
            kind = "inhibit" if name == "mcountinhibit" else "enable"
            self.freed |= {f"HPM.{kind}.bits"} if claimed & ~self.learned.writable(name, claimed) else set()
            self.freed |= {f"HPM.{kind}.absent"} if self.learned.kept[name] & ~claimed else set()

    def _begin(self) -> None:
        """Values after reset."""
        if self.tolerances.reset_zero:
            self._known |= {"mcountinhibit", "mcyclecfg", "minstretcfg", *(f"mhpmevent{n}" for n in self.bounds.counts)}
            self._selectors = dict.fromkeys((n for n in self.bounds.counts if n >= FIRST), 0)
            for count in self.bounds.counts.values():
                count.bits = count.width
        else:
            for name, (mask, value) in self.learned.first.items():
                if name.startswith("mhpmevent"):
                    n = int(name[len("mhpmevent") :])
                    if self.config.has(n):
                        self.rules.events[n] = value & ~(1 << OF_BIT)
                        self._selectors[n] = self._selector(n, value & SELECT_MASK) if mask & 1 else UNKNOWN
                        self._known |= {name} if mask >> 63 or not self.config.has_sscofpmf else set()
                elif name in self.rules.controls and name not in ("mip", "mie"):
                    self.rules.controls[name] = value & (1 << LCOFI_BIT) if name in _OUTSIDE else value
                    if mask >> 62 or not name.endswith("cfg"):  # filters are in the high half
                        self._known.add(name)
        if "mcountinhibit" in self.learned.gone:
            self._known.add("mcountinhibit")
        self._changed()

    # --- The rows -----------------------------------------------------------------------------------

    def _observe(self) -> None:
        self._follow()

    def _follow(self) -> None:
        """Every cycle; what the ports show is a look at each counter."""
        rows, shown = self.capture.rows, self.capture.state
        for row, ((number, priv, counts, access, rdata, got), length) in enumerate(
            zip(rows.cycles(), rows.clocks.tolist())
        ):
            self.flags.settle(number)
            if shown is not None:
                self._ports(row, number)
            before = self._now_settings
            if access is not None:
                quiet = Counts(0, 0, (), 1, counts.time)
                self._access(row, access, M, quiet, rdata, got)
                self.flags.step(number)  # the look shows whether a counter has wrapped
            cycle = Cycle(number, priv, counts)
            written = int(self.written.counter[row])
            then = self._now_settings
            accessed = access is not None
            self.bounds.step(cycle, before, then, written, accessed)
            self._written(row, cycle, before)
            idle = Counts(counts.cycle, 0, (), counts.stopcount)
            if length > 1:
                self.bounds.step(Cycle(number + 1, priv, idle), then, then, -1, False)
                self.flags.step(number + 1)
            if length > 2:
                self.bounds.step(Cycle(number + length - 1, priv, idle), then, then, -1, False, length - 2)
                self.flags.step(number + length - 1)

    def _ports(self, row: int, number: int) -> None:
        """What the ports of the state show at the start of a row."""
        state = self.capture.state
        assert state is not None
        of, values = int(state.of[row]), state.counters[row].tolist()
        for n in self.bounds.counts:
            self._broken, self._explained, self._happened = "", (), ()
            if not self._counter(number, n, values[n], WHOLE):
                name = {0: "mcycle", 2: "minstret"}.get(n, f"mhpmcounter{n}")
                table = [(name, f"{self.rules.counters[n]:#x}", f"{values[n]:#x}")]
                self._fail(self._broken or "HPM.width.mask", row, f"{name} is wrong at the start of the cycle", table)
        self._explained, self._happened = (), ()
        for n in self.flags.of if self.config.has_sscofpmf else ():
            self._broken, want = "", self.flags.of[n]
            self._of(n, of >> n & 1)
            if self._broken:
                table = [(f"OF{n}", str(want), str(of >> n & 1))]
                self._fail(self._broken, row, f"OF of mhpmevent{n} is wrong at the start of the cycle", table)
        if self.config.has_sscofpmf:
            self._broken, want = "", self.flags.ip
            self._ip(int(state.lcofip[row]))
            if self._broken:
                table = [("LCOFIP", str(want), str(int(state.lcofip[row])))]
                self._fail(self._broken, row, "LCOFIP is wrong at the start of the cycle", table)
        self._broken = ""

    def _take(self, csr: Csr, row: int, state: Trace) -> None:
        """Nothing: what the ports show was looked at."""

    def _written(self, row: int, cycle: Cycle, before: dict[int, Setting]) -> None:
        """What the access of the cycle wrote, after the counters have counted."""
        n, w, freedom = int(self.written.counter[row]), self.written, self.bounds.freedom
        if n != NONE and n in self.bounds.counts:
            count = self.bounds.counts[n]
            most = self.bounds.most(n, before[n], cycle)
            open_ = freedom.timing and (count.bits != count.width or count.hi + most >= count.modulus)
            ahead, held = count.ahead > 0, count.visible(cycle.number)[0] if count.bits == count.width else 0
            half = {1: LOW, 2: HIGH}.get(int(w.half[row]), WHOLE)
            count.write(cycle.number, int(w.value[row]), half, most)
            if half != WHOLE and n >= FIRST and cycle.number <= count.unknown + freedom.latency:
                count.bits, count.blind = 0, True  # nobody knows what the other half counts
            count.modified = int(w.op[row]) in (SET, CLEAR)
            if half == WHOLE:
                self.causes.right(n)
            if half == WHOLE:
                self._beside(n, int(w.value[row]))
            if n >= FIRST and (half != HIGH or count.width > 32):  # else there is nothing to write
                fell = held > count.modulus >> 1 > count.hi and count.bits == count.width
                might = open_ and most > 0 and (freedom.latency > 0 or half != WHOLE)
                self.flags.write_counter(n, might, ahead, fell)
        self.flags.step(cycle.number)
        if w.of[row] != NONE and int(w.event[row]) in self.flags.of and self.config.has_sscofpmf:
            self.flags.write_of(int(w.event[row]), int(w.of[row]))
        if w.mip[row] != NONE:
            self.flags.write_ip(int(w.mip[row]), int(self.capture.rows.rdata[row]) >> LCOFI_BIT & 1)
            self.causes.requested()

    def _beside(self, written: int, value: int) -> None:
        """By how much the other counters differ from the value that is written to one."""
        for n, count in self.bounds.counts.items():
            known = count.bits == count.width and count.lo == count.hi
            if n != written and known and value != count.lo and not value >> count.width:
                count.apart["HPM.write.one"] = value - count.lo

    # --- Accesses -----------------------------------------------------------------------------------

    def _access(self, row: int, access: Access, priv: int, counts: Counts, rdata: int, outcome_: int) -> None:
        csr = self._csrs.get(access.addr)
        if self.tolerances.csrs == "any" and (csr is None or (csr.high and not self.file.narrow(access))):
            self.written.access[row] = 1
            return  # what is at such an address is not of this block
        if csr is not None and outcome_ == DONE:
            self._subject = csr.state, -1
            self._prepare(row, csr, access, rdata)
        super()._access(row, access, priv, counts, rdata, outcome_)
        self._broken, self._explained, self._happened, self._subject = "", (), (), ("", -1)
        self._misread = None

    def _prepare(self, row: int, csr: Csr, access: Access, rdata: int) -> None:
        """The model holds what the device shows, where it may; what else is expected stays to be compared."""
        if self.file.outcome(self.rules.effective(), csr, access) != DONE:
            return
        cycle, name = int(self.capture.rows.cycle[row]), csr.state
        if name == "mip" and self.config.has_sscofpmf:
            one = self.file.acting(csr, access.priv)
            if one.name not in VIEWS or self._delegated(one):
                self._ip(rdata >> LCOFI_BIT & 1)
        elif name == "scountovf" and self.config.has_sscofpmf:
            seen, shadow = self.rules._readable(access.priv), OVERFLOWED.get(access.priv, "HPM.ovf.machine")
            for n in self.flags.of:
                if seen >> n & 1:
                    self._of(n, rdata >> n & 1, shadow)
        elif name.startswith("mhpmevent"):
            if csr.number in self.flags.of and (csr.high or not self.file.narrow(access)) and self._has_of(csr):
                self._of(csr.number, rdata >> (31 if csr.high else 63) & 1, "HPM.of.read")
        elif csr.address >> 8 in (0xB, 0xC) and name != "time" and csr.number in self.bounds.counts:
            part = HIGH if csr.high else LOW if self.file.narrow(access) else WHOLE
            shadow = read_clause(csr, self.file.narrow(access))
            self._counter(cycle, csr.number, rdata, part, shadow)

    def _has_of(self, csr: Csr) -> bool:
        return bool(self.config.has_sscofpmf) and (csr.high or self.config.xlen == 64)

    def _counter(self, cycle: int, n: int, value: int, part: str, shadow: str = "") -> bool:
        """A look at a counter; the model shows the same if it may. shadow: the clause of the address, of a read."""
        count, rules = self.bounds.counts[n], self.rules
        good = count.fits(cycle, value, part) is not None
        known = bool(count.bits) and (part != HIGH or count.bits == count.width)
        if n in self._looked and (count.moved or not known):  # a counter that may stand shows nothing of a dead device
            self.between += cycle - self._looked[n]
            self.judged_between += (cycle - self._looked[n]) * (good and known)
        self._looked[n] = cycle
        if good:
            for clause in count.checked(cycle, part):
                self.book.count(clause)
                self.blame.passed[clause, ""] += 1
            if shadow and known:
                self.blame.passed[shadow, ""] += 1
            if part != HIGH:
                self.causes.right(n)
        else:
            self.doubted.update(((shadow,) if shadow else ()) + ((count.kind,) if count.moved else ()))
            self._explained, self._happened = ((), ()) if value >> count.width else count.broken(cycle, value, part)
            if value >> count.width:
                self.doubted.update(("HPM.wrap.width", "HPM.width.mask"))
            elif shadow and self._elsewhere(cycle, n, value, part):
                self._explained, self._happened = (shadow, *self._explained), ()
            if "HPM.half.carry" in self._explained:  # a narrower counter does not carry either
                self.doubted.add("HPM.wrap.width")
            self._broken, self._subject = next(iter(self._explained), ""), ("counter", n)
        limit = 1 << count.width
        rules.counters[n] = count.visible(cycle)[0] % limit  # what is expected
        count.adopt(cycle, value % limit, part)
        if good:
            held = count.visible(cycle)[0]
            shown = {LOW: held & ~_LOW | value, HIGH: held & _LOW | value << 32}.get(part, value)
            rules.counters[n] = shown % limit
        return good

    def _elsewhere(self, cycle: int, n: int, value: int, part: str) -> bool:
        """Whether a read that does not fit shows another counter, the other half, or nothing."""
        own = self.bounds.counts[n]
        if own.bits == own.width and own.other is None:
            lo, hi = own.visible(cycle)
            if part == HIGH and lo > _LOW and (value == 0 or (lo == hi and value == lo & _LOW)):
                return True
            if part == LOW and lo == hi and value == lo >> 32:
                return True
        for m, other in self.bounds.counts.items():
            if m != n and other.bits == other.width and other.other is None:
                lo, hi = other.visible(cycle)
                if lo == hi and value == {LOW: lo & _LOW, HIGH: lo >> 32}.get(part, lo):
                    return True
        return False

    def _of(self, n: int, value: int, shadow: str = "") -> None:
        """A look at OF: the model has it if nothing says otherwise, else what is expected. shadow: the clause of the
        register that shows it; of a copy of it, what is wrong may be right in mhpmevent, and is not taken from it.
        """
        copy = shadow.startswith("HPM.ovf.")
        want, why, lost = self.flags.of[n], self.flags.why[n], self.flags.unwritten.get(n)
        held = value if want is None else want
        self.rules.events[n] = self.rules.events[n] & ~(1 << OF_BIT) | held << OF_BIT
        if want is not None and want != value:
            clause = (
                "HPM.of.set" if want and why == "set" else "HPM.of.written" if why == "written" and want else
                "HPM.of.sticky" if want else "HPM.of.only"
            )  # fmt: skip
            tagged = [one for one, other in self.flags.tags[n].items() if other == value]
            first = ["HPM.of.written"] if why == "written" and lost == value else []
            self._wrong(("of", n), *first, clause, *tagged, *([shadow] if shadow else []))
            if copy:
                return
        elif want is not None:
            for one, other in self.flags.tags[n].items():
                if other != want:
                    self._held_good(one)
            if shadow and want:
                self.blame.passed[shadow, ""] += 1
            if not want or why == "set":
                self._held_good("HPM.of.set" if want else "HPM.of.only")
            if why == "written" and lost == 1 - want:
                self._held_good("HPM.of.written")
        if want is not None or value or not copy:  # where nothing decides, a 0 may be a bit that is not shown
            self.flags.look_of(n, value)

    def _ip(self, value: int) -> None:
        """A look at LCOFIP."""
        flags = self.flags
        want, lost, raced = flags.ip, flags.ip_unwritten, flags.requested and flags.raced
        self.rules.controls["mip"] = (value if want is None else want) << LCOFI_BIT
        if want is not None:
            clause = (
                "HPM.lcofi.request" if want and flags.requested else "HPM.lcofi.holds" if want else
                "HPM.lcofi.masked" if flags.masking else "HPM.lcofi.only"
            )  # fmt: skip
            if want != value:
                alone = lost == value and not flags.requested and not flags.masking
                first = ["HPM.lcofi.written"] * alone + ["HPM.lcofi.race"] * (want and raced)
                tagged = [one for one, other in flags.ip_tags.items() if other == value]
                self._wrong(
                    ("ip", -1), *tagged, *first, clause, *["HPM.of.written"] * (flags.requested and flags.unseen)
                )
            else:
                self._held_good(clause)
                for one, other in flags.ip_tags.items():
                    if other != want:
                        self._held_good(one)
                if want and raced:
                    self._held_good("HPM.lcofi.race")
                if want and flags.requested and flags.unseen:
                    self._held_good("HPM.of.written")  # had its write been lost, there were no request
                if lost == 1 - want and not flags.requested:
                    self._held_good("HPM.lcofi.written")
                self.causes.requested()
        flags.look_ip(value)

    def _wrong(self, subject: tuple[str, int], *clauses: str) -> None:
        """What is looked at is not as it should be; the clauses that explain it, the most specific first."""
        self._subject, self._explained, self._happened = subject, tuple(dict.fromkeys(clauses)), ()
        self._broken = self._explained[0]

    def _held_good(self, clause: str) -> None:
        """A look shows that a clause holds."""
        self.book.count(clause)
        self.blame.passed[clause, ""] += 1

    def _fail(self, clause: str, row: int, headline: str, table: list[tuple[str, str, str]]) -> None:
        """A failure with all clauses that explain it, and what it says of others."""
        failure = self._failure(clause, row, headline, table)
        self.doubted.update(self._explained)
        self._misread = int(self.capture.rows.rdata[row])
        if self._happened:
            self._unexplained.append((failure, self._happened))
        else:
            self.blame.add(failure, tuple((one, "") for one in self._explained or (clause,)))
        kind, n = self._subject
        if kind == "counter":
            self.causes.counter(n, failure, _settings(n))
        elif kind == "of":
            self.causes.flag(n, failure)
        elif kind == "ip":
            self.causes.request(failure)
        elif kind:
            self.causes.setting(kind, failure)

    def judged(self) -> list[Failure]:
        """All failures, each under its clause and with its cause, in the order of time. One that no clause explains by
        itself belongs to the clause of what happened there that explains most of the others.
        """
        found = self.blame.judged()
        self.book.withdraw(sorted(self.doubted))
        culprits = Counter(failure.clause for failure in found)
        for failure, happened in self._unexplained:
            if known := [clause for clause in happened if clause in culprits]:
                failure.clause = max(known, key=lambda clause: culprits[clause])
            found.append(failure)
        self.causes.settle()
        return sorted(found, key=lambda failure: failure.cycle or 0)

    def _why(self, row: int, csr: Csr, access: Access, last: Last | None, rdata: int, answer: Answer) -> str:
        counter = csr.address >> 8 in (0xB, 0xC)
        return self._broken or ("" if counter else super()._why(row, csr, access, last, rdata, answer))

    def _may(self, csr: Csr, rdata: int, answer: Answer) -> bool:
        if self.tolerances.csrs == "any" and csr.state in _OUTSIDE and not (rdata ^ answer.rdata) >> LCOFI_BIT & 1:
            self.freed.add("HPM.csr.other_bits")
            return True
        if csr.name in VIEWS and csr.state in self._forgotten:
            return True
        if csr.state.endswith("cfg") and csr.state not in self._known:  # of the half that nobody has written or read
            return True
        if csr.state.startswith("mhpmevent") and not self.config.has_sscofpmf:
            # Nothing gives its upper bits a meaning then, and it is WARL: they are what a write left, and stay so.
            upper, key = (_ALL ^ SELECT_MASK) >> 32 * csr.high, (csr.state, csr.high)
            if self._upper.setdefault(key, rdata & upper) == rdata & upper:
                rdata = rdata & ~upper | answer.rdata & upper
                if rdata == answer.rdata:
                    return True
        counter = csr.address >> 8 in (0xB, 0xC) and csr.number in self.bounds.counts
        return not self._broken and not counter and super()._may(csr, rdata, answer)

    # --- Settings -----------------------------------------------------------------------------------

    def _wrote(self, row: int, csr: Csr, access: Access, old: int) -> None:
        would, name = self._would(csr, access, old), csr.state
        self._forgotten.discard(name)
        for high in (False, True):
            self._upper.pop((name, high), None)
        self.causes.written(name)
        if self.tolerances.enables == "any" and name in MASKS:
            claimed = self.config.inhibit if name == "mcountinhibit" else self.config.enables
            self.rules.controls[name] = would & self.learned.writable(name, claimed) & _LOW
            self.rules._counting = {}
        super()._wrote(row, csr, access, old)
        if access.op in (SET, CLEAR):
            self._modified(row, csr, access)
        if name.startswith("mhpmevent") and csr.number in self.bounds.counts:
            self._selected(row, csr, access, would)
            if not csr.high and self.file.narrow(access) and self.config.has_sscofpmf:
                self.flags.write_low(csr.number)
        if name in MASKS or csr.high or not self.file.narrow(access):  # filters are in the high half
            self._known.add(name)
            self._changed()

    def _modified(self, row: int, csr: Csr, access: Access) -> None:
        """Set and clear change what was read, even if that was wrong; OF and LCOFIP stay as they were seen."""
        w, n, given, shift = self.written, csr.number, self.file.operand(access), 32 * csr.high
        if w.mip[row] != NONE and not given >> LCOFI_BIT & 1:
            w.mip[row] = NONE
        if w.of[row] != NONE and self.flags.of.get(n) is not None and not given << shift >> OF_BIT & 1:
            w.of[row] = self.flags.of[n]
        if self._misread is None:
            return
        if w.counter[row] != NONE:
            limit = (1 << self.config.widths[n]) - 1
            w.value[row] = self.file.after(access, self._misread) << shift & limit
        elif not csr.state.startswith("mhpmevent") and csr.state != "mip":
            self._forget(csr)

    def _selected(self, row: int, csr: Csr, access: Access, would: int) -> None:
        """What a write of mhpmevent leaves of SELECT: what is read before the next write, or else at another time."""
        n, asked = csr.number, would & SELECT_MASK
        mask, value = self.learned.after.get(row, (0, 0))
        if self.tolerances.select == "any":
            held = value & mask & SELECT_MASK if mask & _LOW else self.learned.pairs.get((n, asked), UNKNOWN)
            if csr.high and not mask & _LOW and self._selectors.get(n, UNKNOWN) == UNKNOWN:
                held = UNKNOWN  # an earlier write may have left anything in the low half
            if held != UNKNOWN and mask & _LOW and asked & ~mask:
                held = UNKNOWN  # of the other half, which is not 0, nobody knows
            self._selectors[n] = UNKNOWN if held == UNKNOWN else self._selector(n, held)
            if held not in (UNKNOWN, asked if self._selector(n, asked) != UNKNOWN else 0):
                self.freed |= {"HPM.event.select", "HPM.select.warl"}
            if held != UNKNOWN:
                self.rules.events[n] = self.rules.events[n] & ~SELECT_MASK | held
            else:
                shown = asked & ~mask | value & mask & SELECT_MASK
                self.rules.events[n] = self.rules.events[n] & ~SELECT_MASK | shown
        else:
            self._selectors[n] = self._selector(n, self.rules.events[n] & SELECT_MASK)
        self._changed()

    def _adopt(self, row: int, csr: Csr, access: Access, rdata: int, answer: Answer) -> None:
        if csr.name in VIEWS and (csr.state in self._forgotten or self._misread is not None):
            return  # of the register itself it shows nothing sure
        super()._adopt(row, csr, access, rdata, answer)
        if self.tolerances.enables == "any" and csr.state in MASKS and not self.file.writes(access):
            self.rules.controls[csr.state] = rdata & _LOW
            self.rules._counting = {}
        self._forgotten.discard(csr.state)
        if csr.high or not self.file.narrow(access):
            self._known.add(csr.state)
            self._changed()
        if csr.state.startswith("mhpmevent") and csr.number in self.bounds.counts and not csr.read_only:
            n, shift = csr.number, 32 * csr.high
            mask = (_LOW if csr.high or self.file.narrow(access) else (1 << 64) - 1) << shift & SELECT_MASK
            if not self.file.writes(access):
                self.rules.events[n] = self.rules.events[n] & ~mask | rdata << shift & mask
                self._selectors[n] = self._selector(n, self.rules.events[n] & SELECT_MASK)
                self._changed()

    def _refused(self, row: int, csr: Csr | None, access: Access, rdata: int, outcome_: int, old: int) -> None:
        super()._refused(row, csr, access, rdata, outcome_, old)
        if csr is None or not self.file.writes(access):
            return
        if outcome_ == DONE:
            self._forget(csr)
        elif csr.state in self._forgotten:
            self._last.pop(csr.state, None)

    def _forget(self, csr: Csr) -> None:
        """A write was done that had to be refused: nobody knows what the register holds, and the next read shows it."""
        name, n = csr.state, csr.number
        self._forgotten.add(name)
        self._last.pop(name, None)
        self._adopted -= {(name, False), (name, True)}
        self._known.discard(name)
        if name.startswith("mhpmevent") and n in self.bounds.counts:
            self._selectors[n] = UNKNOWN
            self.flags.of[n] = None
        elif name == "mip":
            self.flags.ip = None
        elif n in self.bounds.counts:
            self.bounds.counts[n].forget()
        self._changed()

    def _selector(self, n: int, held: int) -> int:
        """The selector of a SELECT; UNKNOWN if the counter is not claimed to count it."""
        selector = self.config.selector(held)
        return selector if selector is not None and self.config.selectors[n] >> selector & 1 else UNKNOWN

    def _new(self, row: int) -> None:
        super()._new(row)
        self._changed()

    def _changed(self) -> None:
        """The settings of every counter as they are now."""
        c, known, found = self.rules.controls, self._known, {}
        for n in self.bounds.counts:
            inhibit = c["mcountinhibit"] >> n & 1 if "mcountinhibit" in known else UNKNOWN
            if n in _FIXED:
                name, selector = _FIXED[n]
                filters = c[name] >> 58 & 31 if name in known or not self.config.has_smcntrpmf else UNKNOWN
            else:
                selector = self._selectors.get(n, UNKNOWN)
                there = f"mhpmevent{n}" in known or not self.config.has_sscofpmf
                filters = self.rules.events[n] >> 58 & 31 if there else UNKNOWN
            found[n] = Setting(selector, inhibit, filters)
        self._now_settings = found
