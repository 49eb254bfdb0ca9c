# SPDX-License-Identifier: Apache-2.0
"""Legal: every packet obeys the grammar and the clauses, whatever the program did.

Works on the packets alone, vectorised, and on what the program has at their addresses. What the decoder could not make
sense of (damage, contradictions) fails here under the decoder's clause.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from rvtrace.models.etrace.codec import is_shortest, pack
from rvtrace.models.etrace.table import MAX_BRANCHES, MAX_PAYLOAD, PRIVILEGE_NAMES, Packet, options_of
from rvtrace.models.riscv.isa import Flow
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.findings import COMPARED, DECODER
from rvtrace.scoreboards.common.places import Rules, ends
from rvtrace.scoreboards.etrace import table as t
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.expected import ENDED_NTR, ENDED_REP, NO_CHANGE, TRACE_LOST
from rvtrace.scoreboards.etrace.tolerances import Tolerances


def check_options(legal: Rules, capture: EtraceCapture, decoded: Any) -> None:
    """Rules of format 0.1 and of counts."""
    table = legal.table
    if legal.config.variant == "draft_0_026":
        _counts(legal)
        return
    legal.rule(
        "ET.opt.cache",
        table.is_a(t.JUMP_TARGET),
        ~table.options("jump_target_cache"),
        "a cache index without jump target cache",
    )
    _shorter(legal, decoded)


def _counts(legal: Rules) -> None:
    """Draft: a count is followed by the address that it was sent for, unless it is the greatest or a branch failed."""
    table = legal.table
    counted = table["no_mispred"] == 1
    follows = table.ahead(table.addressed | table.is_a(t.START, t.TRAP, t.SUPPORT), table.is_a(t.CONTEXT))
    most = legal.config.max_pbc - 31
    full = table["branch_count"] >= min(most, 0xFFFF)
    legal.rule("ET.pay.branch_fmt", counted, ~follows & ~full, "no_mispred=1, and no address follows")


def _shorter(legal: Rules, decoded: Any) -> None:
    """ET-12: format 0.1 only where it is shorter than the difference; between two synchronization packets among which
    the decoder followed everything, for before it stumbles it may be wrong already.
    """
    table, config = legal.table, legal.config
    stretch = np.append(np.cumsum(table.sync), np.count_nonzero(table.sync))
    wrong = {int(stretch[min(d.packet, len(table))]) - back for d in decoded.diagnostics for back in (0, 1)}
    followed = table.is_a(t.JUMP_TARGET) & (stretch[:-1] > 0) & ~np.isin(stretch[:-1], list(wrong))
    cached = np.flatnonzero(followed[: len(decoded.first_pc)])
    legal.book.count("ET.opt.cache", len(cached))
    if legal.tolerances.cache_always or not len(cached):
        legal.book.count("ET.opt.cache_shorter", 0)
        return
    last = ends(np.asarray(decoded.first_pc), len(decoded.pcs)) - 1
    telling = np.flatnonzero(table.addressed | table.sync & (table["thaddr"] != 0))
    longer = []
    for index in cached.tolist():
        before = telling[np.searchsorted(telling, index) - 1]
        shift, n = config.iaddress_lsb_p, config.iaddress_width_p - config.iaddress_lsb_p
        here, there = (int(decoded.pcs[last[k]]) >> shift for k in (index, before))
        packet = table.messages[index]
        options = options_of(int(table.ioptions[index]))
        value = here if options["full_address"] else (here - there + (1 << n - 1)) % (1 << n) - (1 << n - 1)
        values = {
            "address": value,
            "notify": 0,
            "updiscon": 0,
            "irreport": packet.get("irreport", 0),
            "irdepth": packet.get("irdepth"),
        }
        if packet.values["branches"]:
            branches = {name: packet.values[name] for name in ("branches", "branch_map")}
            other = Packet("branch_map", {"format": 1, **branches, **values})
        else:
            other = Packet("address", {"format": 2, **values})
        if len(pack(other, config, options)) <= len(pack(packet, config, options)):
            longer.append(index)
    legal.book.bulk("ET.opt.cache_shorter", len(cached), longer, lambda i: legal.where.failure(
        "ET.opt.cache_shorter", "a cache index, where the address is no longer", i))  # fmt: skip


TRANSPORT = re.compile(r"\[(ET\.(?:tra|enc)\.\w+)\]$")  # of a problem in the transported bytes (Damage)
SAME = {"ET-16": "ET.bt.sync"}  # a clause whose sentence is that of a ruling by which the decoder stops
PACKET_CLAUSES = (
    "ET.pay.fields",
    "ET.pay.type_length",
    "ET.pay.privilege",
)  # of diagnostics about a packet by itself, wherever the decoder is


def check_legal(
    capture: EtraceCapture,
    book: ClauseBook,
    table: t.PacketTable,
    decoded: Any,
    tolerances: Tolerances,
    followed_to: int | None = None,
) -> None:
    """All rules on one capture; decoded: what the decoder made of it.

    followed_to: the packet after which a draft may mislead it, None if none does.
    """
    where = t.Locator(capture, table.messages, decoded.pcs, np.asarray(decoded.first_pc))
    legal = Rules(capture.config, table, where, book, tolerances)
    _payloads(legal, capture, decoded, len(table) if followed_to is None else followed_to)
    _monitors(book, capture)
    if len(table):
        _fields(legal)
        _syncs(legal, capture)
        _order(legal)
        _support(legal)
        _before_sync(legal)
        check_options(legal, capture, decoded)


def _payloads(legal: Rules, capture: EtraceCapture, decoded: Any, followed_to: int) -> None:
    book, n = legal.book, len(legal.table)
    payloads = capture.packets[:n]  # a decoder that met its limit took no more
    every = np.ones(n, bool)
    length = np.array([len(p) for p in payloads], np.int64)
    legal.rule(
        "ET.pay.type_length",
        every,
        (length < 1) | (length > MAX_PAYLOAD),
        lambda i: f"{length[i]} bytes, a payload has 1 to {MAX_PAYLOAD}",
    )
    if capture.types is not None:
        types = np.asarray(capture.types)[:n]
        legal.rule("ET.pay.type_length", every, types != 0, lambda i: f"type {types[i]}, te_inst is 0")
    if not legal.tolerances.payload_padded:
        long = np.array([not is_shortest(p) for p in payloads], bool)
        legal.rule(
            "ET.pay.compression",
            every,
            long,
            lambda i: f"{payloads[i].hex()} has bytes that follow from sign extension; they are omitted",
        )
    book.count("ET.pay.fields", n)
    for diagnostic in decoded.diagnostics:
        if followed_to < diagnostic.packet < n and diagnostic.clause not in PACKET_CLAUSES:
            continue  # the decoder followed another path
        text = f"{capture.named(diagnostic.packet)}: {diagnostic.text}"
        failure = legal.where.failure(diagnostic.clause, text, diagnostic.packet)
        failure.found = DECODER
        book.fail(failure)
        if diagnostic.clause in SAME:
            book.fail(replace(failure, clause=SAME[diagnostic.clause], requirement="", source="", found=COMPARED))


def _monitors(book: ClauseBook, capture: EtraceCapture) -> None:
    """What the monitors saw of the run itself."""
    if capture.packet_cycle is not None:  # somebody watched the ports
        book.count("ET.ing.empty")
        book.count("ET.ing.port")
    for problem in capture.problems:
        transport = TRANSPORT.search(problem)
        if transport is None:
            clause = "ET.ing.empty" if "empty" in problem and " X" not in problem else "ET.ing.port"
            book.fail(Failure(clause, problem), counted=True)
        elif capture.data is None:  # else the bytes are at hand, and the check of the transport finds it in them
            book.fail(Failure(transport[1], problem[: transport.start()].rstrip()))


def _fields(legal: Rules) -> None:
    table, config, draft = legal.table, legal.config, legal.config.variant == "draft_0_026"
    mapped = table["branch_map"] != t.ABSENT
    used = np.where(table["branches"] > 0, table["branches"], MAX_BRANCHES)
    if not legal.tolerances.map_filled:
        rest = table["branch_map"] >> np.minimum(used, 62)
        legal.rule("ET.pay.map_bits", mapped, rest != 0, lambda i: f"branch_map has bits above its {used[i]} branches")
    counted = table.is_a(t.BRANCH_COUNT)
    predicted = table.options("branch_prediction")
    drafted = table["no_mispred"] != t.ABSENT
    legal.rule("ET.pay.branch_fmt", counted, table["branch_fmt"] == 1, "branch_fmt=1 cannot occur")
    legal.rule("ET.opt.prediction", counted | drafted, ~predicted, "branches are counted without branch prediction")
    told = table.is_a(t.START, t.TRAP, t.CONTEXT) & (table["privilege"] != t.ABSENT)
    codes = [code & (1 << config.privilege_width_p) - 1 for code in PRIVILEGE_NAMES]
    legal.rule(
        "ET.pay.privilege",
        told,
        ~np.isin(table["privilege"], codes),
        lambda i: f"privilege={table['privilege'][i]} is reserved",
    )
    if not draft:
        returned = table["irreport"] == 1
        legal.rule(
            "ET.pay.irreport",
            table["irreport"] != t.ABSENT,
            returned & ~table.options("implicit_return"),
            "irreport without implicit return",
        )
        size = config.return_stack_size_p
        most = 1 << size if size else (1 << config.call_counter_size_p) - 1
        depth = table["irdepth"]
        legal.rule(
            "ET.pay.irdepth",
            depth != t.ABSENT,
            (depth > most) | ((depth != t.ABSENT) & ~returned),
            lambda i: f"irdepth={depth[i]} with irreport={table['irreport'][i]}; at most {most} calls can be open",
        )


def _syncs(legal: Rules, capture: EtraceCapture) -> None:
    """The branch bit and address of packets 3.0 and 3.1, by the program."""
    table, config = legal.table, legal.config
    shift, draft = config.iaddress_lsb_p, config.variant == "draft_0_026"
    address = np.array(
        [0 if p is None else (p.values.get("address") or 0) & (1 << 64) - 1 for p in table.messages], np.uint64
    ) << np.uint64(shift)
    flow = capture.program.columns(address).flow
    pointing = table.sync & (table["address"] != t.ABSENT) & (table["thaddr"] != 0)
    size = capture.program.columns(address).size
    # a trap before which nothing of its handler retired is followed by what comes next at once
    again = table.is_a(t.TRAP) & table.ahead(table.sync, table.is_a(t.CONTEXT), last=False) & (not draft)
    for clause, among in (
        ("ET.pay.start", table.is_a(t.START)),
        ("ET.pay.trap", table.is_a(t.TRAP) & ~again),
    ):
        legal.rule(clause, pointing & among, size == 0, lambda i: f"there is no instruction at {int(address[i]):#x}")
    legal.rule(
        "ET.pay.thaddr",
        pointing & again,
        size == 0,
        lambda i: f"thaddr=1, and there is no handler at {int(address[i]):#x}; a synchronization packet follows",
    )
    bit = table["branch"]
    plain = pointing & (flow != Flow.BRANCH)
    odd = 0 if draft else 1
    if legal.tolerances.branch_bit or not draft:
        legal.rule(
            "ET.pay.branch_bit",
            plain,
            bit != odd,
            lambda i: f"branch={bit[i]}, and there is no branch at {int(address[i]):#x}",
        )
    undefined = table.is_a(t.TRAP) & (table["thaddr"] == 0)
    if legal.tolerances.branch_bit:
        legal.rule("ET.pay.branch_bit", undefined, bit != 1, "branch=0 with thaddr=0")
    if legal.tolerances.undefined_zero:
        asked = undefined & (table["interrupt"] == 1)
        handler = table.ahead(table.is_a(t.START), table.is_a(t.CONTEXT), last=False)
        legal.rule("ET.pay.thaddr", asked & handler, address != 0, "an interrupt with thaddr=0 has an address")


def _order(legal: Rules) -> None:
    """What may follow what; packets 3.2 may appear anywhere."""
    table, tolerances = legal.table, legal.tolerances
    context = table.is_a(t.CONTEXT)
    status = table["qual_status"]
    ended = np.isin(status, (ENDED_REP, ENDED_NTR))
    lost = status == TRACE_LOST
    support, begins = table.is_a(t.SUPPORT), table.sync
    after_status = table.behind(ended | lost, np.zeros(len(table), bool))
    # supports with no_change may appear between an end and the next synchronization packet
    closed = _closed(table)
    legal.rule(
        "ET-16",
        closed & ~table.is_a(t.NONE),
        ~(begins | support),
        "follows the end of trace or a loss; a synchronization packet must",
    )
    # the draft says nothing of a trap that is all that was traced
    nothing = ended & closed & (legal.config.variant != "draft_0_026")
    legal.rule("ET.pay.qual_status", ended, nothing, "an end of trace, and nothing was traced since the last one")
    first = np.arange(len(table)) == 0
    if tolerances.support_first:
        legal.rule(
            "ET.alg.enable",
            first,
            ~(support & (table["ienable"] == 1)),
            "is the first packet; support with ienable=1 must be",
        )
    if legal.config.variant == "v2_0":
        last = np.maximum.accumulate(np.where(support, np.arange(len(table)), -1))
        legal.rule(
            "ET.alg.enable",
            begins & (last >= 0),
            table["ienable"][np.maximum(last, 0)] == 0,
            "comes after a support packet with ienable=0; one with ienable=1 must be sent before",
        )
    legal.rule("ET.alg.first", first | after_status, ~table.format3, "is sent before any synchronization packet")
    follows3 = table.ahead(table.format3, np.zeros(len(table), bool))
    legal.rule(
        "ET.pay.updiscon",
        table["updiscon"] != t.ABSENT,
        (table["updiscon"] == 1) & ~follows3,
        "updiscon, and no format 3 follows",
    )
    again = table.is_a(t.TRAP) & (table["thaddr"] == 0)
    heads = table.ahead(table.format3 & ~context, context)
    legal.rule("ET.pay.thaddr", again, ~heads, "thaddr=0, and no synchronization or support packet follows")
    if legal.config.variant == "v2_0":
        legal.rule("ET.alg.reported", again, ~heads, "thaddr=0, and no packet 3.0 reports the handler")
    before = table.behind(table.addressed | begins, context)
    trap = table.is_a(t.TRAP) & (table["thaddr"] != 0)
    # the draft says nothing of a trap before the first instruction
    free = table.behind(support, context, first=True) & (tolerances.first_trap or legal.config.variant == "draft_0_026")
    legal.rule("ET.alg.before_trap", trap, ~(before | free), "no packet reports the last instruction before the trap")


def _closed(table: t.PacketTable) -> np.ndarray:
    """Mask of the packets before which nothing is traced: from an end or loss to the next synchronization packet."""
    status = table["qual_status"]
    event = np.where(table.sync, 1, np.where(table.is_a(t.SUPPORT) & (status != NO_CHANGE), 2, 0))
    last = np.maximum.accumulate(np.where(event > 0, np.arange(len(table)), -1))
    before = np.concatenate(([-1], last[:-1]))
    return np.where(before < 0, True, event[np.maximum(before, 0)] == 2)


def _support(legal: Rules) -> None:
    table, config = legal.table, legal.config
    support = table.is_a(t.SUPPORT)
    legal.rule(
        "ET.pay.support",
        support,
        table["encoder_mode"] != 0,
        lambda i: f"encoder_mode={table['encoder_mode'][i]}, branch trace is 0",
    )
    if config.variant != "draft_0_026" and not legal.tolerances.data_trace:
        data = (table["denable"] > 0) | (table["dloss"] > 0) | (table["doptions"] > 0)
        legal.rule("ET.pay.support", support, data, "data trace is reported as active; the encoder has none")
    elif config.variant != "draft_0_026":
        enabled = np.maximum.accumulate(table["denable"] > 0)
        text = "dloss is reported, and data trace was never enabled"
        legal.rule("ET.pay.support", support, (table["dloss"] > 0) & ~enabled, text)
    unknown = table["ioptions"] >> 6
    legal.rule(
        "ET.pay.ioptions",
        support,
        unknown > 0,
        lambda i: f"ioptions={table['ioptions'][i]:#x} has bits without a meaning",
    )
    ntr = table["qual_status"] == ENDED_NTR
    due = table.behind(table.addressed | table.sync, table.is_a(t.CONTEXT))
    if legal.tolerances.ended_code == "rep":
        legal.rule(
            "ET-16",
            np.isin(table["qual_status"], (ENDED_REP, ENDED_NTR)),
            ntr,
            "ended_ntr, where ended_rep is always used",
        )
    else:
        legal.rule("ET.pay.qual_status", ntr, ~due, "ended_ntr after a packet that reports no instruction")
    flagged = table.behind(table["updiscon"] == 1, table.is_a(t.CONTEXT))
    legal.rule(
        "ET.pay.qual_status",
        support & flagged,
        ntr,
        "ended_ntr after a packet with the updiscon flag; that is ended_rep",
    )


def _before_sync(legal: Rules) -> None:
    """ET-4: branches before a resynchronization are reported with an address."""
    table, how = legal.table, legal.tolerances.resync_flush_address
    start = table.is_a(t.START)
    traced = ~_closed(table)
    follows = table.ahead(start & traced, table.is_a(t.CONTEXT), last=False)
    flushed = follows & table.is_a(t.BRANCH_MAP)
    legal.book.count("ET.alg.before_sync", int(np.count_nonzero(follows & table.addressed)))
    if how == "never":
        legal.rule(
            "ET-4", flushed, table["branches"] > 0, "branches before a resynchronization are reported with an address"
        )
