"""Legal, for the optional modes: when a cache index is sent, and what a jump target cache and a branch predictor would have given.

Cache and predictor are kept here a third time, from what was decoded alone, so that a device that does not declare the profile is held to them
as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from models.etrace.codec import pack
from models.etrace.packets import Packet, options_of
from scoreboards import etrace_table as t
from scoreboards.etrace_capture import EtraceCapture
from scoreboards.places import Rules


def check_options(legal: Rules, capture: EtraceCapture, decoded: Any) -> None:
    """Rules of format 0.1 and of counts; they need a decoder that followed the trace."""
    table = legal.table
    if legal.config.variant == "draft_0_026":
        _counts(legal)
        return
    legal.rule("ET.opt.cache", table.is_a(t.JUMP_TARGET), ~table.options("jump_target_cache"), "a cache index without jump target cache")
    if not decoded.diagnostics:
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
    """ET-12: format 0.1 only where it is shorter than the difference."""
    table, config = legal.table, legal.config
    cached = np.flatnonzero(table.is_a(t.JUMP_TARGET))
    legal.book.count("ET.opt.cache", len(cached))
    if legal.knobs.cache_always or not len(cached):
        legal.book.count("ET.opt.cache_shorter", 0)
        return
    last = t.ends(np.asarray(decoded.first_pc), len(decoded.pcs)) - 1
    telling = np.flatnonzero(table.addressed | table.sync & (table["thaddr"] != 0))
    longer = []
    for index in cached.tolist():
        before = telling[np.searchsorted(telling, index) - 1]
        shift, n = config.iaddress_lsb_p, config.iaddress_width_p - config.iaddress_lsb_p
        here, there = (int(decoded.pcs[last[k]]) >> shift for k in (index, before))
        packet = table.messages[index]
        options = options_of(int(table.ioptions[index]))
        value = here if options["full_address"] else (here - there + (1 << n - 1)) % (1 << n) - (1 << n - 1)
        values = {"address": value, "notify": 0, "updiscon": 0, "irreport": packet.get("irreport", 0), "irdepth": packet.get("irdepth")}
        if packet.values["branches"]:
            branches = {name: packet.values[name] for name in ("branches", "branch_map")}
            other = Packet("branch_map", {"format": 1, **branches, **values})
        else:
            other = Packet("address", {"format": 2, **values})
        if len(pack(other, config, options)) <= len(pack(packet, config, options)):
            longer.append(index)
    legal.book.bulk("ET.opt.cache_shorter", len(cached), longer, lambda i: legal.where.failure(
        "ET.opt.cache_shorter", "a cache index, where the address is no longer", i))  # fmt: skip
