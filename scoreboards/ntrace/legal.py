# SPDX-License-Identifier: Apache-2.0
"""Legal: every message obeys the grammar and the clauses, whatever the program did.

Works on the messages alone, vectorised; where the ingress beats were seen, also on the control levels.
"""

from __future__ import annotations

import numpy as np

from rvtrace.models.common.messages import Field
from rvtrace.models.ntrace.decoder.decoded import Diagnostic
from rvtrace.models.ntrace.table import ETYPE, EVCODE, RCODE, SYNC, TABLES, VENDOR_TCODES
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.legal_addresses import check_addresses
from rvtrace.scoreboards.ntrace.legal_framing import check_framing, damaged
from rvtrace.scoreboards.ntrace.legal_options import check_options
from rvtrace.scoreboards.ntrace.legal_ownership import check_ownership
from rvtrace.scoreboards.ntrace.legal_run import Legal
from rvtrace.scoreboards.ntrace.tolerances import Tolerances

RESERVED_ECODE = ~0x8C  # all but program trace, Ownership and vendor-defined messages lost (table 15)
BTM_ONLY = (t.TC_DIRECT, t.TC_DIRECT_SYNC)
HTM_ONLY = (t.TC_HIST, t.TC_HIST_SYNC)


def check_legal(
    capture: NtraceCapture,
    book: ClauseBook,
    table: t.MessageTable,
    where: t.Locator,
    diagnostics: list[Diagnostic],
    tolerances: Tolerances | None = None,
    sound: bool = True,
) -> None:
    """All rules; `diagnostics` are the decoder's (offset, clause, text, lost_bytes) that count; sound: it had none at
    all.
    """
    legal = Legal(capture.config, table, where, book, tolerances or Tolerances(), damaged(table, diagnostics))
    check_framing(legal, capture, diagnostics)
    _monitors(legal, capture)
    if len(table):
        _types(legal)
        _fields(legal, capture)
        _branch_types(legal)
        _sync_codes(legal, capture)
        _order(legal)
        _errors(legal)
        _periodic_messages(legal)
        check_options(legal, capture)
        check_addresses(legal, capture)
        if legal.config.ownership:
            check_ownership(legal, capture, sound)


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
        ~np.isin(rcode, _codes(legal, RCODE)),
        lambda i: _refused(RCODE, rcode[i]),
    )
    btm = np.zeros(len(table), dtype=bool) if htm else every
    legal.rule("NT.7.8.btm", btm, full & hist_full, "there is no HIST in BTM")
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
        ~np.isin(evcode, _codes(legal, EVCODE)),
        lambda i: _refused(EVCODE, evcode[i]),
    )
    hist_full = np.isin(table["rcode"], (1, 2))
    has_hist = (table["hist"] != t.ABSENT) | hist_full
    value = np.where(hist_full, table["rdata"], table["hist"])
    legal.rule("NT.8.3.stop_bit", has_hist, value < 1, "HIST has no stop bit")
    address = np.maximum(table["faddr"], table["uaddr"])
    over = address >= (1 << (config.xlen - 1))
    legal.rule("NT.8.1.xlen", address != t.ABSENT, over, f"the address has more than {config.xlen} bits")
    error = table.is_a(t.TC_ERROR)
    reserved = ~np.isin(table["etype"], _codes(legal, ETYPE)) | (table["ecode"] & RESERVED_ECODE != 0)
    legal.rule("NT.7.4.codes", error, reserved, "needed ETYPE=0 (queue overrun) and no reserved bit in ECODE")


def _codes(legal: Legal, of: Field) -> list[int]:
    """The codes a field may have: those of the standard, and where the device may send its own, the vendor's."""
    return [*of.codes, *(of.vendor if legal.tolerances.vendor_codes else ())]


def _refused(of: Field, code: int) -> str:
    return f"{of.name}={code} is " + (
        "reserved for vendors, and the device declares no vendor-defined codes (tolerance vendor_codes)"
        if code in of.vendor
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
        ~np.isin(sync, _codes(legal, SYNC)),
        lambda i: _refused(SYNC, sync[i]),
    )
    foreign = np.isin(sync, list(_uncalled(capture)))
    legal.rule("NT-2", has, foreign, lambda i: f"SYNC={sync[i]}: no reset, power-down or trigger happened")
    idle = table.behind(table.is_a(t.TC_CORRELATION, t.TC_ERROR), first=True)  # nothing is traced before these
    start = np.isin(sync, t.STARTS) | ((sync == 1) & idle)
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
    legal.rule("NT.8.4.4.sync4", four if legal_four else has, four & (not legal_four), "SYNC=4 is for BTM only in v1_0")
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
    lost = error & np.isin(table["etype"], list(ETYPE.codes))  # a vendor's error need not be a loss
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
