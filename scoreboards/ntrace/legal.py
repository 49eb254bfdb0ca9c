# SPDX-License-Identifier: Apache-2.0
"""Legal: every message obeys the grammar and the clauses, whatever the program did.

Works on the messages alone, vectorised; where the ingress beats were seen, also on the control levels. What the decoder
could not make sense of (damage, contradictions) fails here under the decoder's clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from rvtrace.models.ntrace.codec import unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decoded import DecodedTrace, Diagnostic
from rvtrace.models.ntrace.table import TABLES, VENDOR_TCODES
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.findings import DECODER
from rvtrace.scoreboards.common.places import Rules
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.damaged import damaged_rows
from rvtrace.scoreboards.ntrace.source_field import begins_of, source_at
from rvtrace.scoreboards.ntrace.tolerances import Tolerances


@dataclass
class Legal(Rules):
    """`rule` counts a clause over many messages and reports the violations.

    lost: of each damaged part of the stream the message after it, in order.
    """

    config: Config
    table: t.MessageTable
    tolerances: Tolerances = field(default_factory=Tolerances)
    lost: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def joined(self) -> np.ndarray:
        """Mask of the messages that directly follow the one before: no bytes between them are damaged."""
        mask = np.ones(len(self.table), dtype=bool)
        mask[self.lost[self.lost < len(self.table)]] = False
        return mask

    @property
    def followed(self) -> np.ndarray:
        """Mask of the messages that the one after them, if any, directly follows."""
        ends = not len(self.lost) or int(self.lost[-1]) < len(self.table)
        return np.append(self.joined[1:], ends)


PRIVS = (0, 1, 3, 4, 5)  # {V, PRV} of U, S, M, VU, VS (7.1)
NEW_PRIV, RESERVED_FORMAT, SCONTEXT, HCONTEXT = range(4)
OWNERSHIP_LOST, VENDOR_LOST = 8, 0x80  # bits of ECODE (table 15)
MAX_REPEATS = 1 << 18
UNKNOWN_RCODE = 3  # and above: reserved or a vendor's (table 19)
XRETS = ("mret", "sret", "uret", "mnret")
GROUP = 6  # MDO bits


def check_options(legal: Legal, capture: NtraceCapture, sound: bool) -> None:
    """All rules; sound: the decoder found nothing wrong, so that the end of the stream and the PCs can be relied on."""
    _allowed(legal)
    _sources(legal, np.frombuffer(capture.data, np.uint8))
    _times(legal)
    _repeats(legal)
    _lost(legal, capture)
    _address_bytes(legal, np.frombuffer(capture.data, np.uint8))
    _skipped_bits(legal, capture)
    if legal.config.ownership:
        _ownership(legal, capture, sound)


def _allowed(legal: Legal) -> None:
    table, config = legal.table, legal.config
    off = table.is_a(t.TC_OWNERSHIP) & (not config.ownership) | table.is_a(t.TC_REPEAT) & (not config.repeat_branch)
    off |= table.is_a(t.TC_OWNERSHIP) & (table["process"] & 3 == HCONTEXT) & (not config.hcontext)
    every = np.ones(len(table), dtype=bool)
    legal.rule("NT.4.options", every, off, "belongs to an option that is off (trTeContext, hcontext, repeated branch)")
    legal.rule("NT.9.3.option", table.is_a(t.TC_FULL), (table["rcode"] == 2) & (not config.repeated_history),
               "RCODE=2 needs trTeInstEnRepeatedHistory")  # fmt: skip


def _known(legal: Legal) -> np.ndarray:
    """Mask of the messages whose fields are known."""
    return legal.table.is_a(*TABLES[legal.config.variant].by_code)


def _sources(legal: Legal, data: np.ndarray) -> None:
    """SRC appears after TCODE in every message, whatever it is; the decoder takes only those of its source."""
    width, source = legal.config.source_bits, legal.config.src_id
    if not width or not len(data):
        return
    legal.book.count("NT-17", int(_known(legal).sum()))
    begins = begins_of(data)
    found = source_at(data, begins, width)

    def foreign(number: int) -> Failure:
        index = int(np.searchsorted(legal.table.offset, begins[number]))
        at = legal.where.capture.sent_at(int(begins[number]))
        text = f"the message at byte {at} has SRC={found[number]}, but trTeSrcID is {source}"
        return legal.where.failure("NT.3.2.src", text, index, [("SRC", str(source), str(found[number]))])

    legal.book.bulk("NT.3.2.src", len(begins), np.flatnonzero(found != source), foreign)


def _times(legal: Legal) -> None:
    if not legal.config.timestamp:
        return
    table, known = legal.table, _known(legal)
    asked = known if legal.tolerances.tstamp_on_all else known & (table["sync"] != t.ABSENT)
    asked = asked & (table["rcode"] < UNKNOWN_RCODE)  # which of its fields is TSTAMP is not known
    legal.rule("NT.8.7.enabled", asked, ~table.timed, "has no TSTAMP with trTsEnable=1")
    width = legal.config.ts_width
    legal.rule(
        "NT.8.7.width",
        table.timed,
        table.timed_bits > width,
        lambda i: f"TSTAMP has {table.timed_bits[i]} bits, the timestamp has {width}",
    )


def _repeats(legal: Legal) -> None:
    """NT-6: what RepeatBranch and HREPEAT may represent."""
    table = legal.table
    repeat, count = table.is_a(t.TC_REPEAT), table["bcnt"]
    twice = (table["rcode"] == 2) & table.is_a(t.TC_FULL)
    legal.book.count("NT.V.hrepeat", int(np.count_nonzero(repeat | twice)))
    legal.rule("NT-6", twice, table["hrepeat"] < 1, "HREPEAT=0, needed the number of times that HIST came")
    if not repeat.any():
        return
    legal.rule("NT-6", repeat, count < 1, "B-CNT=0, needed the number of additional repeats")
    # what each message repeats: the last one that is neither RepeatBranch nor vendor-defined
    other = np.where(~repeat & (table.tcode < t.FIRST_VENDOR), np.arange(len(table)), -1)
    source = np.maximum.accumulate(other)
    branch = (source >= 0) & table.is_a(*t.BRANCHES)[source]
    legal.rule("NT-6", repeat, ~branch, "follows no branch message, or one with SYNC")
    same = (table["uaddr"] == t.ABSENT) | (table["uaddr"] == 0)
    if not legal.tolerances.repeat_any_target:
        legal.rule("NT-6", repeat & branch, ~same[source],
                   "repeats a message whose U-ADDR is not 0, which has more than one reading")  # fmt: skip


def _lost(legal: Legal, capture: NtraceCapture) -> None:
    table, code = legal.table, legal.table["ecode"]
    error = table.is_a(t.TC_ERROR)
    beats = capture.beats
    vendor = beats is None or bool(beats.vendor.any()) or not capture.exact
    none = 0 if legal.config.ownership else OWNERSHIP_LOST
    none |= 0 if vendor else VENDOR_LOST
    legal.rule(
        "NT.7.4.ecode", error, code & none != 0, lambda i: f"ECODE={code[i]:#x}: no such message can have been lost"
    )


# Addresses


def _address_bytes(legal: Legal, data: np.ndarray) -> None:
    """MDO groups an address takes against those it needs (8.1; 8.2 with trTeInstExtendAddrMSB)."""
    table, bits = legal.table, legal.config.address_bits
    address = np.maximum(table["faddr"], table["uaddr"])
    index = np.flatnonzero(address != t.ABSENT)
    if not len(index):
        return
    value = address[index]
    needed = mdo_groups(value, bits)
    marks = np.flatnonzero((data & 1) == 1)  # last bytes of variable-length fields
    first = np.searchsorted(marks, table.offset[index])
    # the address is the second variable-length field of every message that has one
    taken = marks[np.minimum(first + 1, len(marks) - 1)] - marks[np.minimum(first, len(marks) - 1)]
    of = np.zeros(len(table), dtype=bool)
    bad = of.copy()
    of[index], bad[index] = True, taken > needed
    if not bits:
        legal.rule("NT.8.1.suppressed", of, bad, "high-order zeroes of the address were sent")
    elif not legal.tolerances.address_padded:
        legal.book.count("NT.8.1.suppressed", len(index))
        legal.rule("NT.8.2.extend", of, bad, "MSBs of the address were sent that could be skipped")


def mdo_groups(value: np.ndarray, bits: int) -> np.ndarray:
    """MDO groups that a value needs; bits: if not 0, the top bit sent extends to so many."""
    groups = np.ones(len(value), dtype=np.int64)
    for width in range(GROUP, bits or 63, GROUP):
        rest = value >> width
        if bits:
            sign = value >> (width - 1) & 1
            rest = rest ^ (sign * ((1 << (bits - width)) - 1))
        groups = np.where((rest != 0) & (groups == width // GROUP), groups + 1, groups)
    return groups


def _skipped_bits(legal: Legal, capture: NtraceCapture) -> None:
    """A full address that is code only if it is extended: its MSBs were skipped where they must not be."""
    table, config = legal.table, legal.config
    value, inverse = np.unique(table["faddr"], return_inverse=True)
    insn, top = capture.program.insn, (1 << (config.xlen - 1)) - 1
    wrong = np.zeros(len(value), dtype=bool)
    for number, address in enumerate(value.tolist()):
        if address <= 0 or insn(address << 1) is not None:
            continue
        width = address.bit_length()
        aligned = width % GROUP == 0
        extended = (address | top >> width << width) << 1
        wrong[number] = aligned != bool(config.extend_addr_msb) and insn(extended) is not None
    bad, of = wrong[inverse.reshape(-1)], table["faddr"] != t.ABSENT
    if not config.extend_addr_msb:
        legal.rule("NT.8.2.extend", of, bad, "MSBs of the address were skipped with trTeInstExtendAddrMSB=0")
    elif config.variant == "v1_0":
        legal.rule("NT.V.extend_msb", of, bad, "MSBs were skipped above a bit that is not the top one of an MDO group")


# Ownership


def _ownership(legal: Legal, capture: NtraceCapture, sound: bool) -> None:
    table, config = legal.table, legal.config
    own, process = table.is_a(t.TC_OWNERSHIP), table["process"]
    form, priv = process & 3, process >> 2 & 3 | (process >> 4 & 1) << 2
    reserved = (form == RESERVED_FORMAT) | ~np.isin(priv, PRIVS) | ((form == NEW_PRIV) & (process >> 5 != 0))
    legal.rule("NT.7.1.process", own, reserved, lambda i: f"PROCESS={process[i]:#x} is a reserved encoding")
    sync = table["sync"] != t.ABSENT
    # what follows each message, vendor-defined ones left out; of a damaged stream the end proves nothing
    places = np.flatnonzero(table.tcode < t.FIRST_VENDOR)
    told = np.append(np.where(own, form, t.ABSENT)[places], [t.ABSENT if sound else SCONTEXT] * 2)
    after, then = np.full(len(table), SCONTEXT), np.full(len(table), SCONTEXT)
    after[places], then[places] = told[1:-1], told[2:]
    whole = legal.followed & np.append(legal.followed[1:], True)
    sync = sync & whole
    if config.hcontext:
        legal.rule("NT.7.1.after_sync", sync, (after != HCONTEXT) | (then != SCONTEXT),
                   "is not followed by Ownership with hcontext, then with scontext")  # fmt: skip
    else:
        legal.rule("NT.7.1.after_sync", sync, after != SCONTEXT, "is not followed by Ownership with scontext")
    if legal.tolerances.ownership_at_traps and sound:
        traps = (table["btype"] > 0) & ~sync | _xrets(legal, capture)
        legal.rule(
            "NT.7.1.trap", traps, after == t.ABSENT, "reports a trap or a return from one, and no Ownership follows"
        )


def _xrets(legal: Legal, capture: NtraceCapture) -> np.ndarray:
    """Mask of the branch messages without SYNC that end in an xRET."""
    table, pcs = legal.table, legal.where.pcs
    rows = np.flatnonzero(table.is_a(t.TC_INDIRECT, t.TC_HIST) & (table["btype"] == 0))
    result = np.zeros(len(table), dtype=bool)
    if len(rows) and len(pcs):
        ends = t.ends(legal.where.first_pc, len(pcs))[rows]
        last, inverse = np.unique(pcs[np.maximum(ends - 1, 0)], return_inverse=True)
        insns = map(capture.program.insn, last.tolist())
        is_xret = np.array([insn is not None and insn.name in XRETS for insn in insns])
        result[rows] = is_xret[inverse.reshape(-1)] & (ends > 0)
    return result


LONGEST = 36  # bytes (NT-18); custom messages and fields may be larger
SYNC_CODES, RCODES, EVCODES, ETYPES = (0, 1, 2, 3, 4, 5, 6, 7, 9), (0, 1, 2), (0, 1, 4), (0,)
VENDOR_CODES, VENDOR_SYNC_CODES = range(8, 16), (14, 15)  # of RCODE, EVCODE and ETYPE; of SYNC
STARTS = (3, 5, 7, 9)  # tracing begins
RESERVED_ECODE = ~0x8C  # all but program trace, Ownership and vendor-defined messages lost (table 15)
BTM_ONLY = (t.TC_DIRECT, t.TC_DIRECT_SYNC)
HTM_ONLY = (t.TC_HIST, t.TC_HIST_SYNC)


def check_legal(capture: NtraceCapture, book: ClauseBook, table: t.MessageTable, where: t.Locator,
                diagnostics: list, tolerances: Tolerances | None = None, sound: bool = True) -> None:  # fmt: skip
    """All rules; `diagnostics` are the decoder's (offset, clause, text, lost_bytes) that count; sound: it had none at
    all.
    """
    legal = Legal(capture.config, table, where, book, tolerances or Tolerances(), _damaged(table, diagnostics))
    _framing(legal, capture, diagnostics)
    _monitors(legal, capture)
    if len(table):
        _types(legal)
        _fields(legal, capture)
        _branch_types(legal)
        _sync_codes(legal, capture)
        _order(legal)
        _errors(legal)
        _periodic_messages(legal)
        check_options(legal, capture, sound)


def _damaged(table: t.MessageTable, diagnostics: list) -> np.ndarray:
    """Of each diagnostic about bytes that are no message, the message after them."""
    offsets = np.array(sorted(d.offset for d in diagnostics if d.lost_bytes), dtype=np.int64)
    return np.searchsorted(table.offset, offsets[~np.isin(offsets, table.offset)])


def with_front(capture: NtraceCapture, decoded: DecodedTrace, always: bool = False) -> list[Diagnostic]:
    """The decoder's diagnostics, and bytes before the first synchronizing message that are no messages.

    A decoder takes those for the front of a buffer that wrapped, and says at most that there is nothing else; a stream
    that was seen from its first byte has no such front. always: of a file it is assumed, too.
    """
    found = decoded.diagnostics
    if not (always or capture.beats is not None) or not capture.data:
        return found
    first = next((m.offset for m in decoded.log if m.type.has_sync), len(capture.data))
    known = {diagnostic.offset for diagnostic in found if diagnostic.clause != "NT-24"}
    damages = unpack(capture.data[:first], capture.config)[1] if first else []
    front = [Diagnostic(d.offset, d.clause, d.reason, d.length) for d in damages if d.offset not in known]
    return [*front, *(d for d in found if not front or (d.offset, d.clause) != (0, "NT-24"))]


def _framing(legal: Legal, capture: NtraceCapture, diagnostics: list) -> None:
    book, table = legal.book, legal.table
    for clause, n in (("NT.3.1.mseo", len(capture.data)), ("NT.3.1.end", int(bool(capture.data))),
                      ("NT.3.max_message", len(table)), ("NT.6.2.max_field", len(table)), ("NT-16", len(table)),
                      ("NT-24", 1)):  # fmt: skip
        book.count(clause, n)
    for kind in TABLES[legal.config.variant].by_code.values():
        book.count(f"NT.{kind.section}.fields", int(np.count_nonzero(table.tcode == kind.tcode)))
    for diagnostic in diagnostics:
        index = int(np.searchsorted(table.offset, diagnostic.offset))
        clause = (
            "NT.V.hrepeat"
            if re.search("HREPEAT|B-CNT", diagnostic.text) and "bits" in diagnostic.text
            else diagnostic.clause
        )
        text = f"at byte {capture.sent_at(diagnostic.offset)}: {diagnostic.text}"
        if diagnostic.lost_bytes:
            text += f" ({diagnostic.lost_bytes} bytes lost)"
        is_message = index < len(table) and table.offset[index] == diagnostic.offset
        rows = None if is_message else damaged_rows(capture.data[diagnostic.offset :], capture.config)
        failure = legal.where.failure(clause, text, index, rows)
        failure.found = DECODER
        book.fail(failure)
    data = np.frombuffer(capture.data, np.uint8)
    ends = np.flatnonzero((data & 3) == 3)
    begins = np.concatenate(([0], ends[:-1] + 1)) if len(ends) else ends
    custom = table.offset[table.is_a(*VENDOR_TCODES) | np.isin(table["rcode"], VENDOR_CODES)]
    long = np.flatnonzero((ends + 1 - begins > LONGEST) & ~np.isin(begins, custom))

    def too_long(frame: int) -> Failure:
        at, size = capture.sent_at(int(begins[frame])), ends[frame] + 1 - begins[frame]
        text = f"at byte {at}: {size} bytes, the longest legal message has {LONGEST}"
        return legal.where.failure("NT-18", text, int(np.searchsorted(table.offset, begins[frame])), [])

    book.bulk("NT-18", len(ends), long, too_long)


def _monitors(legal: Legal, capture: NtraceCapture) -> None:
    """What the monitors saw of the run itself."""
    if capture.out_cycle is not None:  # somebody watched the ports
        legal.book.count("NT.4.empty")
        legal.book.count("NT.2.port")
    for problem in capture.problems:
        clause = "NT.4.empty" if "empty" in problem and " X" not in problem else "NT.2.port"
        legal.book.fail(Failure(clause, problem), counted=True)


def _types(legal: Legal) -> None:
    table, htm = legal.table, legal.config.mode == "htm"
    every = np.ones(len(table), dtype=bool)
    known = table.is_a(*TABLES[legal.config.variant].by_code) | table.is_a(*VENDOR_TCODES)
    legal.rule("NT.6.1.tcode", every, ~known, lambda i: f"TCODE {table.tcode[i]} is reserved")
    direct, hist = table.is_a(*BTM_ONLY), table.is_a(*HTM_ONLY)
    legal.rule("NT.7.2.btm_only", every if htm else direct, direct & htm, "is for BTM only, the mode is HTM")
    legal.rule("NT.7.9.htm_only", hist if htm else every, hist & (not htm), "is for HTM only, the mode is BTM")
    full = table.is_a(t.TC_FULL)
    rcode, rdata = table["rcode"], table["rdata"]
    hist_full = np.isin(rcode, (1, 2))
    legal.rule(
        "NT.7.8.rcode",
        full,
        ~np.isin(rcode, _codes(legal, RCODES, VENDOR_CODES)),
        lambda i: _refused("RCODE", rcode[i], VENDOR_CODES),
    )
    legal.rule("NT.7.8.btm", full & (not htm), hist_full, "there is no HIST in BTM")
    legal.rule("NT.7.8.hist_bits", full & hist_full, rdata < 2, "HIST holds no branch, at least 2 bits are sent")
    legal.rule("NT.7.8.icnt", full & (rcode == 0), rdata == 0, "I-CNT=0 cannot be full")


def _fields(legal: Legal, capture: NtraceCapture) -> None:
    table, config = legal.table, legal.config
    stop = table.is_a(t.TC_CORRELATION)
    cdf = 1 if config.mode == "htm" else 0
    legal.rule("NT.7.12.cdf", stop, table["cdf"] != cdf, f"CDF must be {cdf} in {config.mode.upper()}")
    legal.rule(
        "NT-8", stop & (cdf == 1), table["hist"] == t.ABSENT, "has no HIST in HTM, where even an empty one is sent"
    )
    evcode = table["evcode"]
    legal.rule(
        "NT.7.12.evcode",
        stop,
        ~np.isin(evcode, _codes(legal, EVCODES, VENDOR_CODES)),
        lambda i: _refused("EVCODE", evcode[i], VENDOR_CODES),
    )
    hist_full = np.isin(table["rcode"], (1, 2))
    has_hist = (table["hist"] != t.ABSENT) | hist_full
    value = np.where(hist_full, table["rdata"], table["hist"])
    legal.rule("NT.8.3.stop_bit", has_hist, value < 1, "HIST has no stop bit")
    address = np.maximum(table["faddr"], table["uaddr"])
    over = address >= (1 << (config.xlen - 1))
    legal.rule("NT.8.1.xlen", address != t.ABSENT, over, f"the address has more than {config.xlen} bits")
    error = table.is_a(t.TC_ERROR)
    reserved = ~np.isin(table["etype"], _codes(legal, ETYPES, VENDOR_CODES)) | (table["ecode"] & RESERVED_ECODE != 0)
    legal.rule("NT.7.4.codes", error, reserved, "needed ETYPE=0 (queue overrun) and no reserved bit in ECODE")


def _codes(legal: Legal, standard: Iterable[int], vendors: Iterable[int]) -> list[int]:
    """The codes a field may have: those of the standard, and where the device may send its own, the vendor's."""
    return [*standard, *(vendors if legal.tolerances.vendor_codes else ())]


def _refused(name: str, code: int, vendors: Iterable[int]) -> str:
    return f"{name}={code} is " + (
        "reserved for vendors, and the device declares no vendor-defined codes (tolerance vendor_codes)"
        if code in vendors
        else "reserved"
    )


def _branch_types(legal: Legal) -> None:
    """NT-11: either 1 only, or 2 and 3."""
    table, btype = legal.table, legal.table["btype"]
    traps = btype > 0
    wrong = btype == 1 if legal.config.b_type == "2_3" else btype > 1
    legal.rule(
        "NT-11", traps, wrong, lambda i: f"B-TYPE={btype[i]}, but the device declares B_TYPE={legal.config.b_type}"
    )
    linear = table.is_a(t.TC_HIST_SYNC) & (table["sync"] == 4)
    legal.rule("NT.6.2.btype", linear, btype != 0, "a full I-CNT is no exception or interrupt")


def _sync_codes(legal: Legal, capture: NtraceCapture) -> None:
    table, sync, config = legal.table, legal.table["sync"], legal.config
    has = sync != t.ABSENT
    legal.rule(
        "NT.8.5.codes",
        has,
        ~np.isin(sync, _codes(legal, SYNC_CODES, VENDOR_SYNC_CODES)),
        lambda i: _refused("SYNC", sync[i], VENDOR_SYNC_CODES),
    )
    foreign = np.isin(sync, list(_uncalled(capture)))
    legal.rule("NT-2", has, foreign, lambda i: f"SYNC={sync[i]}: no reset, power-down or trigger happened")
    idle = table.behind(table.is_a(t.TC_CORRELATION, t.TC_ERROR), first=True)  # nothing is traced before these
    start = np.isin(sync, STARTS) | ((sync == 1) & idle)
    legal.rule(
        "NT.8.5.start_message",
        start,
        ~table.is_a(t.TC_SYNC),
        lambda i: f"SYNC={sync[i]} starts trace: needs ProgTraceSync",
    )
    legal.rule("NT.7.5.icnt", start & table.is_a(t.TC_SYNC), table["icnt"] != 0, "I-CNT must be 0 where trace starts")
    legal.rule("NT.8.5.periodic_off", has, (sync == 2) & (config.inst_sync_mode == 0), "SYNC=2 with trTeInstSyncMode=0")
    four = sync == 4
    legal_four = (config.variant == "v1_0" and config.mode == "btm") or config.variant == "rc7"
    legal.rule("NT.8.4.4.sync4", four, four & (not legal_four), "SYNC=4 is for BTM only in v1_0")
    after_error = np.concatenate(([False], table.is_a(t.TC_ERROR)[:-1]))
    legal.rule("NT.8.5.sync7", (sync == 7) & legal.joined, ~after_error, "SYNC=7 without an Error before it")


def _uncalled(capture: NtraceCapture) -> set[int]:
    """SYNC codes for which nothing happened at the ingress port; without its record any may be right."""
    beats = capture.beats
    if beats is None:
        return set()
    watched = beats.notify.any() or "watch" in capture.config.filter
    seen = {0: beats.ext_notify.any(), 1: beats.in_reset.any(), 6: watched, 9: beats.low_power.any()}
    return {code for code, happened in seen.items() if not happened}


def _order(legal: Legal) -> None:
    """Where trace may begin and go on: only at a synchronizing message. Vendor-defined messages may appear anywhere."""
    table = legal.table
    vendor = table.tcode >= t.FIRST_VENDOR
    marker = table.is_a(t.TC_CORRELATION) & (table["icnt"] == 0) & (table["hist"] <= 1)
    sync, error = table["sync"] != t.ABSENT, table.is_a(t.TC_ERROR)
    stop = table.is_a(t.TC_CORRELATION)
    first = np.cumsum(~vendor) * ~vendor == 1
    legal.rule(
        "NT.8.5.first", first & legal.joined, ~(sync | error | marker), "is the first message; trace starts with a sync"
    )
    after_stop = table.behind(stop)
    legal.rule("NT.10.restart", after_stop & legal.joined, ~(table.is_a(t.TC_SYNC) | error | marker),
               "follows a ProgTraceCorrelation; trace goes on with ProgTraceSync")  # fmt: skip
    start = np.isin(table["sync"], (3, 5, 9)) & table.is_a(t.TC_SYNC)
    legal.rule("NT.7.12.stop", start & ~first & legal.joined, ~(after_stop | table.behind(error)),
               "trace starts again, but no ProgTraceCorrelation or Error reports that it ended")  # fmt: skip


def _errors(legal: Legal) -> None:
    """NT-14: Error is directly followed by a sync, or is the last message."""
    table = legal.table
    error = table.is_a(t.TC_ERROR)
    follows = np.concatenate(((table["sync"] != t.ABSENT)[1:], [True]))
    legal.rule("NT-14", error & legal.followed, ~follows, "is not followed by a synchronizing message")
    stall = bool(legal.config.inst_stall_ena)
    every = np.ones(len(table), dtype=bool)
    lost = error & np.isin(table["etype"], ETYPES)  # a vendor's error need not be a loss
    legal.rule("NT-14", every & stall, lost, "nothing may be lost with trTeInstStallEna=1")


def _periodic_messages(legal: Legal) -> None:
    """NT-20 in the unit of messages; cycles and half-words are judged where the program is known (lossless)."""
    config, table = legal.config, legal.table
    if config.inst_sync_mode != 1:
        return
    sync = table["sync"] != t.ABSENT
    stop = table.is_a(t.TC_CORRELATION, t.TC_ERROR)
    at = np.flatnonzero(sync | stop)
    number = np.append(np.cumsum(table.tcode < t.FIRST_VENDOR), np.count_nonzero(table.tcode < t.FIRST_VENDOR) + 1)
    age = np.diff(number[np.append(at, len(table))]) - 1  # messages sent after each of them before the next
    running = sync[at]
    # one block can make so many more messages before the next can bring the sync
    more = 4 * bool(config.ownership or config.repeated_history or config.repeat_branch)
    late = running & (age > config.sync_interval + legal.tolerances.sync_late + more)
    of, bad = np.zeros(len(table), dtype=bool), np.zeros(len(table), dtype=bool)
    of[at[running]], bad[at[late]] = True, True
    legal.rule("NT-20", of, bad, f"no sync within {config.sync_interval} messages after it")
    periodic = np.flatnonzero(table["sync"] == 2)
    before = np.searchsorted(at, periodic) - 1
    gap = number[periodic] - number[at[np.maximum(before, 0)]] - 1
    of[:], bad[:] = False, False
    of[periodic] = True
    bad[periodic[gap < config.sync_interval - legal.tolerances.sync_early]] = True
    legal.rule("NT-20", of, bad, f"was sent before {config.sync_interval} messages had passed")
