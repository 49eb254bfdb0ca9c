# SPDX-License-Identifier: Apache-2.0
"""Legal: what the options of an encoder allow: message types, SRC, TSTAMP, repeats, and what Error says was lost."""

from __future__ import annotations

import numpy as np

from rvtrace.models.ntrace.table import TABLES
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.legal_ownership import HCONTEXT
from rvtrace.scoreboards.ntrace.legal_run import Legal
from rvtrace.scoreboards.ntrace.source_field import begins_of, source_at

OWNERSHIP_LOST, VENDOR_LOST = 8, 0x80  # bits of ECODE (table 15)
UNKNOWN_RCODE = 3  # and above: reserved or a vendor's (table 19)


def check_options(legal: Legal, capture: NtraceCapture) -> None:
    """All rules of options."""
    _allowed(legal)
    _sources(legal, np.frombuffer(capture.data, np.uint8))
    _times(legal)
    _repeats(legal)
    _lost(legal, capture)


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
