"""Legal, the options: SRC, TSTAMP, Ownership, RepeatBranch, repeated history, extended addresses, ECODE.

What an option does not allow fails under the option's clause; where legal encoders differ a knob decides.
"""

from __future__ import annotations

import numpy as np

from models.ntrace.messages import TABLES
from scoreboards import ntrace_table as t
from scoreboards.capture import Capture
from scoreboards.clauses import Failure
from scoreboards.ntrace_rule import Legal

BRANCHES = (t.TC_DIRECT, t.TC_INDIRECT, t.TC_HIST)  # what RepeatBranch may repeat
PRIVS = (0, 1, 3, 4, 5)  # {V, PRV} of U, S, M, VU, VS (7.1)
NEW_PRIV, RESERVED_FORMAT, SCONTEXT, HCONTEXT = range(4)
OWNERSHIP_LOST, VENDOR_LOST = 8, 0x80  # bits of ECODE (table 15)
MAX_REPEATS = 1 << 18
UNKNOWN_RCODE = 3  # and above: reserved or a vendor's (table 19)
XRETS = ("mret", "sret", "uret", "mnret")
GROUP = 6  # MDO bits


def check_options(legal: Legal, capture: Capture, sound: bool) -> None:
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
    return legal.table.is_a(*TABLES[legal.config.variant])


def _sources(legal: Legal, data: np.ndarray) -> None:
    """SRC stands behind TCODE in every message, whatever it is; the decoder takes only those of its source."""
    width, source = legal.config.source_bits, legal.config.src_id
    if not width or not len(data):
        return
    legal.book.count("NT-17", int(_known(legal).sum()))
    begins = np.append(0, np.flatnonzero((data & 3) == 3) + 1)
    begins = begins[begins < len(data)]
    begins = begins[(data[begins] & 3) == 0]  # no idle byte
    mdo = np.append(data >> 2, [0, 0]).astype(np.int64)
    found = (mdo[begins + 1] | mdo[begins + 2] << 6) & ((1 << width) - 1)

    def foreign(number: int) -> Failure:
        index = int(np.searchsorted(legal.table.offset, begins[number]))
        text = f"the message at byte {begins[number]} has SRC={found[number]}, but trTeSrcID is {source}"
        return legal.where.failure("NT.3.2.src", text, index, [("SRC", str(source), str(found[number]))])

    legal.book.bulk("NT.3.2.src", len(begins), np.flatnonzero(found != source), foreign)


def _times(legal: Legal) -> None:
    if not legal.config.timestamp:
        return
    table, known = legal.table, _known(legal)
    asked = known if legal.knobs.tstamp_on_all else known & (table["sync"] != t.ABSENT)
    asked = asked & (table["rcode"] < UNKNOWN_RCODE)  # nobody knows which of its fields is TSTAMP
    legal.rule("NT.8.7.enabled", asked, ~table.timed, "has no TSTAMP with trTsEnable=1")
    bits = np.fromiter(((m.tstamp or 0).bit_length() for m in table.messages), np.int64, len(table))
    width = legal.config.ts_width
    legal.rule("NT.8.7.width", table.timed, bits > width, lambda i: f"TSTAMP has {bits[i]} bits, the timestamp has {width}")


def _repeats(legal: Legal) -> None:
    """NT-6: what RepeatBranch and HREPEAT may stand for."""
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
    branch = (source >= 0) & table.is_a(*BRANCHES)[source]
    legal.rule("NT-6", repeat, ~branch, "follows no branch message, or one with SYNC")
    same = (table["uaddr"] == t.ABSENT) | (table["uaddr"] == 0)
    if not legal.knobs.repeat_any_target:
        legal.rule("NT-6", repeat & branch, ~same[source],
                   "repeats a message whose U-ADDR is not 0, which has more than one reading")  # fmt: skip


def _lost(legal: Legal, capture: Capture) -> None:
    table, code = legal.table, legal.table["ecode"]
    error = table.is_a(t.TC_ERROR)
    beats = capture.beats
    vendor = beats is None or bool(beats.vendor.any()) or not capture.exact
    none = 0 if legal.config.ownership else OWNERSHIP_LOST
    none |= 0 if vendor else VENDOR_LOST
    legal.rule("NT.7.4.ecode", error, code & none != 0, lambda i: f"ECODE={code[i]:#x}: no such message can have been lost")


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
    elif not legal.knobs.address_padded:
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


def _skipped_bits(legal: Legal, capture: Capture) -> None:
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

def _ownership(legal: Legal, capture: Capture, sound: bool) -> None:
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
    if config.hcontext:
        legal.rule("NT.7.1.after_sync", sync, (after != HCONTEXT) | (then != SCONTEXT),
                   "is not followed by Ownership with hcontext, then with scontext")  # fmt: skip
    else:
        legal.rule("NT.7.1.after_sync", sync, after != SCONTEXT, "is not followed by Ownership with scontext")
    if legal.knobs.ownership_at_traps and sound:
        traps = (table["btype"] > 0) & ~sync | _xrets(legal, capture)
        legal.rule("NT.7.1.trap", traps, after == t.ABSENT, "tells a trap or a return from one, and no Ownership follows")


def _xrets(legal: Legal, capture: Capture) -> np.ndarray:
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
