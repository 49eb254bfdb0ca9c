# SPDX-License-Identifier: Apache-2.0
"""Scenarios of several blocks a cycle, of filters, and of the transport (blocks = single, ET-17, qualification,
framing).
"""

from __future__ import annotations

from rvtrace.models.etrace.config import ENCAP, ENCAP_FRAMINGS
from rvtrace.models.riscv.retired import Priv
from rvtrace.tb.etrace.stimulus.scenarios.base import (
    BASE,
    COUNTER,
    DRAFT,
    FOUR,
    SMALL,
    TWO,
    V2,
    Script,
    builder,
    configs,
    handle,
    home,
    scenario,
)
from rvtrace.tb.etrace.stimulus.scenarios.packets import climb, ladder
from rvtrace.tb.etrace.stimulus.scenarios.traps import LOAD_FAULT, TIMER, main_code


@scenario(
    "ET-17",
    "ET.alg.multi",
    "ET-5",
    "ET.ing.blocks",
    configs=(*configs(TWO, FOUR, SMALL), *configs(TWO, FOUR, SMALL, branch_prediction=1)),
    retirement="single",
)
def branches_side_by_side(s: Script) -> None:
    """Branches in every lane: the map fills up in each of them, and a jump's target is reported in each."""
    b = ladder(s.config)
    for k in range(100):
        b.label(f"dense{k}")
        b.beq(8, 9, f"dense{k + 1}" if k < 99 else "main")
    b.c_jr(10)
    walk, at = s.start(b, "end")
    walk.step()
    for branches in (*range(28, 37), 60, 62, 63, 64):
        climb(walk.jump(at[f"in{100 - branches}"]), branches, s.rng).run()
        walk.jump(at[f"dense{99 - branches}"])
        for _ in range(branches):
            walk.branch(s.rng.random() < 0.5)
        walk.branch(True)
        climb(walk, 100, branches % 2 == 0).run()
    walk.jump(at["end"]).step()


@scenario("ET.ing.blocks", "ET.alg.multi", configs=configs({}, TWO, FOUR, SMALL, COUNTER))
def long_blocks(s: Script) -> None:
    """Blocks of every length up to the longest, and runs of code that need several."""
    b = builder(s.config)
    longest = (1 << s.config.iretire_width_p) - 1
    for _ in range(longest + 12):
        b.c_nop()
    b.label("end")
    b.c_jr(10)
    walk, at = s.start(b, "end")
    size = 2 * s.config.iaddress_lsb_p
    for length in (*range(1, 8), *range(longest - 6, longest + 6)):
        walk.jump(at["end"] - length * size).run()
    walk.jump(at["main"]).step()


def _at(offset: int) -> str:
    # of `main_code`: 6 branch, 0xe target, 0x10 jump, 0x12 after, 0x16 direct, 0x1e landing, 0x26 return
    return f"{BASE + 0x10 + offset:#x}"


_FILTERS = (
    f"iaddr={_at(0)}..{_at(6)}",
    f"iaddr={_at(6)}..{_at(0x10)}",
    f"iaddr!={_at(0x12)}..{_at(0x1A)}",
    f"iaddr={_at(0x10)}->{_at(0x16)}",
    f"iaddr={_at(0x12)}",
    f"iaddr<{_at(0x1E)}",
    f"iaddr>={_at(0x10)}",
    "priv=M",
    "priv=U+S",
    "trap=exception",
    "trap=interrupt",
    "ecause=2+8",
    "context=5",
    "context!=0&priv=M",
    f"priv=U|iaddr={_at(0x16)}..{_at(0x1E)}",
    f"tval=0x1234;watch={_at(6)}",
    "priv=VS",
    "priv=VU+M",
)


@scenario("ET.ing.filters", "ET-16", "ET.alg.ended", "ET.alg.last", "ET.alg.first", "ET.pay.qual_status",
          retirement="single",
          configs=(*(c | {"filter": text} for text in _FILTERS for c in configs()),
                   *(c | {"filter": text} for text in _FILTERS[:8:3] for c in configs(TWO))))  # fmt: skip
def filters(s: Script) -> None:
    """Every condition of the filters, so that qualification begins and ends at branches, jumps, their targets, traps
    and xRETs.
    """
    walk, at = s.start(main_code(builder(s.config)))
    virtual = (Priv.VU, Priv.VS) if s.config.privilege_width_p == 3 else ()
    for mode in (Priv.M, Priv.U, Priv.S, *virtual):
        for context in (0, 5):
            walk.run_to(at["branch"]).branch(context == 0).run_to(at["jump"]).jump(at["after"]).run_to(
                at["return"]
            ).jump(at["branch"])
            walk.context = context
            walk.branch(context == 0).run_to(at["jump"]).jump(at["main"]).trap(2, at["trap_handler"], tval=0x1234)
            walk.step(3).jump(at["after"], priv=mode).step().trap(7, at["trap_handler"], interrupt=True)
            walk.step().trap(8, at["trap_nested"]).step().jump(at["trap_handler"])
            walk.step(3).jump(at["target"], priv=mode).step().jump(at["after"]).trap(2, at["trap_handler"])
            handle(walk, at["jump"]).jump(at["jump"]).jump(at["landing"]).run()
            walk.jump(at["main"])
    walk.step()


_CARRIED = (
    *(
        {"encapsulation": "messaging", "index_width": width, "flow": flow, "timestamp": stamp}
        for width, flow, stamp in ((0, 0, 0), (8, 1, 0), (16, 2, 1), (0, 3, 1))
    ),
    *({"encapsulation": "atb", "timestamp": stamp} for stamp in (0, 1)),
)
_HEADERS = tuple(
    {"index_width": width, "flow": flow, "framing": "blocks", "block_bytes": (256, 512)[flow % 2]}
    for width in (0, 8, 16)
    for flow in range(4)
)
_FRAMED = tuple(
    one | {"framing": framing, "block_bytes": size}
    for one in _CARRIED
    for framing, size in (("none", 1024), ("zeros", 1024), ("blocks", 64), ("blocks", 128), ("blocks", 1024))
)


@scenario("ET.tra.messaging", "ET.tra.atb", "ET.tra.index", "ET.tra.timestamp", "ET.tra.zeros", "ET.tra.blocks",
          "ET.tra.join", backpressure=20, gaps=10,
          configs=(*(c | one for number, one in enumerate(_FRAMED)
                     for c in configs(inst_sync_mode=1, variant=(V2, DRAFT)[number % 2])),
                   *(c | one for one in _FRAMED[::4] for c in configs(SMALL, inst_sync_mode=1, variant=V2)),
                   *(c | one for one in _HEADERS for c in configs(variant=V2))))  # fmt: skip
def transports(s: Script) -> None:
    """Packets of every length in each encapsulation and framing, enough of them to fill several blocks, with syncs to
    join at.
    """
    b = ladder(s.config, 40)
    for power in range(20, s.config.xlen - 2, 8):
        b.org(BASE + (1 << power))
        b.label(f"far{power}")
        b.nop()
        b.jalr(0, 12)
    walk, at = s.start(b, "end")
    far = [name for name in at if name.startswith("far")]
    for turn in range(6):
        for number, name in enumerate(far):
            home(walk, at["jump"]).jump(at[name]).step()
            if number % 3 == turn % 3:
                walk.trap(number, at["trap_handler"], interrupt=bool(turn % 2), tval=s.rng.getrandbits(s.config.xlen))
                handle(walk, at["end"]).step()
            walk.jump(at[f"in{40 - 4 * number - turn}"])
            climb(walk, 4 * number + turn, s.rng)
            walk.context ^= 1 << number
            walk.run()
        walk.trace_off().trace_on()
    home(walk, at["main"]).step()
    for turn in range(
        160 if s.config.block_bytes == 1024 else 0
    ):  # long packets, one by one: what does not fit leaves many bytes of its block
        walk.trap(turn % 16, at["trap_handler"], tval=s.rng.getrandbits(s.config.xlen))
        handle(walk, at["end"]).step()


_SOURCES = (
    (0, 0),
    (6, 0),
    (8, 0),
    (15, 0),
    (16, 0),
    (0, 1),
    (3, 1),
    (8, 1),
    (12, 1),
    (16, 1),
    (0, 2),
    (1, 3),
    (8, 4),
    (9, 2),
    (16, 3),
)  # src_bits, type_bits: each class of one with each of the other, and all sizes of padding
_FREQUENCIES = (1, 6, 7, 4, 2)
_ENCAPSULATED = tuple(
    {
        "encapsulation": ENCAP, "framing": ("none", *ENCAP_FRAMINGS)[k % 3], "flow": k % 4, "src_bits": bits,
        "async_freq": _FREQUENCIES[k // 3] if k % 3 else 0, "src_id": 0xA5C9 >> 16 - bits, "type_bits": kind,
        "timestamp_bytes": (0, 1, 2, 5, 8)[k % 5], "timestamp": int(k % 5 > 0 and k // 5 != 1),
    }
    for k, (bits, kind) in enumerate(_SOURCES)
)  # fmt: skip


@scenario("ET.enc.header", "ET.enc.length", "ET.enc.extend", "ET.enc.timestamp", "ET.enc.flow", "ET.enc.srcid",
          "ET.enc.type", "ET.enc.padding", "ET.enc.null", "ET.enc.null_flow", "ET.enc.alignment", "ET.enc.sync",
          "ET.enc.interval", "ET.enc.join", backpressure=20, gaps=10,
          configs=(*(c | one for number, one in enumerate(_ENCAPSULATED)
                     for c in configs(variant=(V2, DRAFT)[number % 3 == 2])),
                   *(c | one for one in _ENCAPSULATED[1::5] for c in configs(TWO, variant=V2))))  # fmt: skip
def encapsulations(s: Script) -> None:
    """Packets of every length in the packet encapsulation 1.0, with source IDs, types and timestamps of all widths, and
    synchronization sequences to join at.
    """
    transports(s)


@scenario("ET.tra.rate", configs=tuple(one | c for one in (*_FRAMED[::2], *_ENCAPSULATED[:3])
                                        for c in configs({}, variant=V2)))  # fmt: skip
def transports_at_full_rate(s: Script) -> None:
    """The same with a receiver that is always ready, and no gap between the blocks."""
    transports(s)


@scenario("ET.ing.blocks", "ET.alg.before_trap", "ET.alg.notify", configs=configs({}, TWO, FOUR, SMALL, COUNTER))
def long_blocks_told(s: Script) -> None:
    """The last instruction of blocks of every length up to the longest is reported: a trap follows, or a trigger asks
    for it.
    """
    b = builder(s.config)
    longest = (1 << s.config.iretire_width_p) - 1
    for _ in range(longest + 12):
        b.c_nop()
    b.label("end")
    b.nop()
    b.c_jr(10)
    walk, at = s.start(b)
    walk.run()
    size = 2 * s.config.iaddress_lsb_p
    for number, length in enumerate(
        (*range(1, 8), *range(longest // 2 - 3, longest // 2 + 6), *range(longest - 6, longest + 6))
    ):
        walk.jump(at["end"] - length * size).run_to(at["end"]).step(number % 2)
        if number % 3:
            back = walk.pc
            handle(walk.trap(TIMER if number % 3 == 1 else LOAD_FAULT, at["trap_handler"], number % 3 == 1), back)
        else:
            walk.notify()
        walk.run()
    walk.jump(at["end"]).step()
