# SPDX-License-Identifier: Apache-2.0
"""Beats written by hand, and the packets that the encoder model makes of them in a short form to compare with.

    reported(encode([row(linear(0x1000, 4)), row(levels=OFF)])) ==
        [("support", 1, "no_change"), ("start", 0x1000), ("address", 4), ("support", 1, "ended_rep")]

Blocks and levels are those of `tests.ntrace.encoder_stream`. Addresses and differences are in bytes. After the values
of a packet come its flags: "notify", "updiscon", ("irdepth", n); after a 3.0 "taken", or in a draft "not taken", if
its branch bit says so. Directions of branches are text, the oldest first, T for taken.
"""

from collections.abc import Sequence
from typing import Any

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.encoder.encode import EncodedTrace, Encoder
from rvtrace.models.etrace.table import QUAL_STATUS, Packet
from rvtrace.models.riscv.retired import IType
from tests.ntrace.encoder_stream import RESET, Block, Row, row, to_beats

ENABLED = ("support", 1, "no_change")
DISABLED = ("support", 0, "no_change")
REP, NTR = ("support", 1, "ended_rep"), ("support", 1, "ended_ntr")


def encode(rows: Sequence[Row | Block], **config: Any) -> EncodedTrace:
    """The trace of the rows after a first cycle in which all levels are 0."""
    made = Config.from_dict(config)
    return Encoder(made).run(to_beats([row(levels=RESET), *rows], made.blocks_p))


def reported(trace: EncodedTrace) -> list[tuple]:
    """The packets in short."""
    return [_brief(packet, trace.config) for packet in trace.packets]


def explained(trace: EncodedTrace) -> list[tuple]:
    """The same with the last word of the clause before each."""
    return [(reason.rsplit(".", 1)[1], *packet) for reason, packet in zip(trace.reasons, reported(trace))]


def after_start(trace: EncodedTrace) -> list[tuple]:
    """The packets in short after the first support packet and the first 3.0."""
    packets = reported(trace)
    assert packets[0] == ENABLED and packets[1][0] == "start"
    return packets[2:]


def sends(rows: Sequence[Row | Block], expected: list[Any], **config: Any) -> EncodedTrace:
    """The trace of the rows, which is checked: packets in short after the first support packet and the first 3.0, some
    with the last word of the clause before them; `...` is any one packet.
    """
    trace = encode(rows, **config)
    after = after_start(trace)
    assert len(after) == len(expected), after
    whole = explained(trace)[2:]
    assert [wanted if wanted is ... else w[-len(wanted) :] for w, wanted in zip(whole, expected)] == expected
    assert all(wanted is ... or len(wanted) >= len(one) for one, wanted in zip(after, expected)), after
    return trace


def branches(outcomes: str, at: int = 0x2000) -> list[Block]:
    """One branch of 4 bytes after the other, each taken to the one after it: T taken, N not."""
    return [Block(IType.TAKEN if c == "T" else IType.NOT_TAKEN, at + 4 * i, 2) for i, c in enumerate(outcomes)]


def _brief(packet: Packet, config: Config) -> tuple:
    get, name = packet.get, packet.name
    where = (get("address") << config.iaddress_lsb_p,) if packet.has_address else ()
    flags: list[Any] = [flag for flag in ("notify", "updiscon") if get(flag)]
    if get("irreport"):
        flags.append(("irdepth", get("irdepth")))
    if name == "support":
        return (name, get("ienable"), QUAL_STATUS[get("qual_status")])
    if name == "start":
        word = {"v2_0": ("taken",), "draft_0_026": ("not taken",)}[config.variant]
        return (name, *where, *word * (get("branch") == (config.variant == "draft_0_026")))
    if name == "trap":
        return (name, ("exception", "interrupt")[get("interrupt")], get("ecause"), get("thaddr", 1), *where)
    if name == "context":
        return (name, get("context"))
    if name == "branch_count" or get("no_mispred") is not None:
        return (
            "count",
            get("branch_count") + 31,
            get("branch_fmt") if get("no_mispred") is None else get("no_mispred"),
            *where,
            *flags,
        )
    number = get("branches", 0) or (31 if name == "branch_map" else 0)
    outcomes = ("".join("TN"[get("branch_map") >> i & 1] for i in range(number)),) if number else ()
    if name == "jump_target":
        return ("cached", get("index"), *outcomes, *flags)
    return (*(outcomes or ("address",)), *where, *flags)
