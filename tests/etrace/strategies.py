# SPDX-License-Identifier: Apache-2.0
"""What hypothesis generates for the tests of E-Trace: configurations, and packets of a configuration."""

from dataclasses import fields
from typing import Any

from hypothesis import strategies as st

from rvtrace.models.etrace.config import ENCAP, ENCAP_FRAMINGS, EXAMPLE_FRAMINGS, Config
from rvtrace.models.etrace.table import MAX_PAYLOAD, Packet
from rvtrace.tb.etrace.stimulus.golden import FORMAT, SUBFORMAT
from tests.etrace.layouts import MAP_BITS

# say nothing about the layout; ioptions_layout: tests/etrace/test_ioptions_layout.py
NOT_PACKETS = ("blocks_p", "inst_sync_max", "inst_sync_mode", "filter", "trap_vectors", "ioptions_layout")


@st.composite
def configs(draw: st.DrawFn, variant: str | None = None) -> Config:
    """Any configuration; a contradiction is resolved towards fewer options."""
    given: dict[str, Any] = {"variant": variant or draw(st.sampled_from(("v2_0", "draft_0_026")))}
    for name in (f.name for f in fields(Config) if f.name not in (*NOT_PACKETS, "variant")):
        given[name] = draw(st.sampled_from(Config.legal()[name]))
    draft = given["variant"] == "draft_0_026"
    if draft or given["return_stack_size_p"]:
        given["return_stack_size_p" if draft else "call_counter_size_p"] = 0
    given["itype_width_p"] = 4 if draft else given["itype_width_p"]
    given["implicit_return"] &= int(
        given["itype_width_p"] == 4 and given["return_stack_size_p"] + given["call_counter_size_p"] > 0
    )
    given["branch_prediction"] &= int(given["bpred_size_p"] > 0)
    given["jump_target_cache"] &= int(given["cache_size_p"] > 0 and not draft)
    given["sijump"] &= given["sijump_p"]
    given["f0s_width_p"] = given["f0s_width_p"] or int(given["bpred_size_p"] > 0 and given["cache_size_p"] > 0)
    given["bcount_bits"] = min(given["bcount_bits"], 16) if draft else given["bcount_bits"]
    given["block_bytes"] = 1 << given["block_bytes"].bit_length() - 1
    return Config(**(given | _transport(given)))


def _transport(given: dict[str, Any]) -> dict[str, Any]:
    """The options of a transport that contradict its encapsulation, as they have to be."""
    framing = given["framing"] if given["framing"] in EXAMPLE_FRAMINGS else "none"
    example: dict[str, Any] = {"index_of": given["index_of"] if given["index_width"] else "source", "framing": framing}
    example |= dict.fromkeys(("src_bits", "src_id", "type_bits", "timestamp_bytes", "async_freq"), 0)
    if given["encapsulation"] != ENCAP:
        return example
    framing = given["framing"] if given["framing"] in ENCAP_FRAMINGS else "none"
    plain: dict[str, Any] = given | example | {"encapsulation": "messaging"}
    room = MAX_PAYLOAD - Config(**plain).longest_payload
    bits, kind = (given["src_bits"], given["type_bits"]) if room > 1 else (given["src_bits"] & 24, 0)
    return {
        "framing": framing,
        "index_width": 0,
        "index_of": "source",
        "length_of": "payload",
        "async_freq": given["async_freq"] if framing != "none" else 0,
        "src_bits": bits,
        "src_id": given["src_id"] & (1 << bits) - 1,
        "type_bits": kind,
        "timestamp": given["timestamp"] & int(given["timestamp_bytes"] > 0),
    }


@st.composite
def packets(draw: st.DrawFn, config: Config) -> Packet:
    """Any packet that may occur with the configuration's options."""
    draft = config.variant == "draft_0_026"
    names = ["branch_map", "address", "start", "trap", "context", "support"]
    names += ["branch_count"] * (not draft and config.branch_prediction) + ["jump_target"] * config.jump_target_cache
    return _packet(draw, draw(st.sampled_from(names)), config, draft)


def _packet(draw: st.DrawFn, name: str, c: Config, draft: bool) -> Packet:
    def bits(width: int) -> int:
        return draw(st.integers(0, (1 << width) - 1))

    v: dict[str, Any] = {"format": FORMAT[name]} | ({"subformat": SUBFORMAT[name]} if name in SUBFORMAT else {})
    width = c.iaddress_width_p - c.iaddress_lsb_p
    owner = {"privilege": bits(c.privilege_width_p)}
    owner |= {"time": bits(c.time_width_p)} if c.time_width_p and not c.notime_p and not draft else {}
    owner |= {"context": bits(c.context_width_p)} if c.context_width_p and not c.nocontext_p else {}
    with_address = name == "address"
    if name == "branch_count":
        v |= {"branch_count": bits(32), "branch_fmt": draw(st.sampled_from((0, 2, 3)))}
        with_address = v["branch_fmt"] > 0
    elif name == "jump_target":
        v |= {"index": bits(c.cache_size_p), "branches": bits(5)}
        if v["branches"]:
            v["branch_map"] = bits(MAP_BITS[c.variant][v["branches"]])
    elif name == "branch_map":
        v["branches"] = bits(5)
        with_address = v["branches"] > 0
        if draft and not with_address:
            v["branch_fmt"] = bits(1)
        if v.get("branch_fmt"):
            v |= {"branch_count": bits(16), "no_mispred": bits(1)}
        else:
            v["branch_map"] = bits(MAP_BITS[c.variant].get(v["branches"], 31))
    elif name == "context":
        v |= {key: value for key, value in owner.items() if not draft or key == "context"}
    elif name == "support":
        v |= {
            "ienable": bits(1),
            "encoder_mode": bits(c.encoder_mode_n),
            "qual_status": bits(2),
            "ioptions": bits(c.ioptions_n),
        }
        v |= (
            {}
            if draft
            else {"denable": bits(1), "dloss": bits(1)} | ({"doptions": bits(c.doptions_n)} if c.doptions_n else {})
        )
    elif name in ("start", "trap"):
        v |= owner | {"branch": bits(1), "address": bits(width)}
    if name == "trap":
        v |= {"ecause": bits(c.ecause_width_p), "interrupt": bits(1)} | ({} if draft else {"thaddr": bits(1)})
        if c.implicit_exception and v.get("thaddr", 1):
            del v["address"]
        if not (c.notval_p if draft else v["interrupt"]):
            v["tval"] = bits(c.iaddress_width_p)
    if with_address:
        v["address"] = bits(width) if c.full_address else draw(st.integers(-(1 << width - 1), (1 << width - 1) - 1))
        v |= {} if draft else {"notify": bits(1), "updiscon": bits(1)}
    if not draft and (with_address or name == "jump_target"):
        depth = c.return_stack_size_p + (c.return_stack_size_p > 0) + c.call_counter_size_p
        v["irreport"] = bits(1)
        v |= {"irdepth": bits(depth) if v["irreport"] else None} if depth else {}
    return Packet(name, v)
