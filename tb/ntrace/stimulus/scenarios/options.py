# SPDX-License-Identifier: Apache-2.0
"""Scenarios of sources, timestamps and vendor-defined messages."""

from __future__ import annotations

from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.ntrace.stimulus.scenarios.base import SMALL, TWO, Script, builder, configs, handle, home, scenario


def _mixed(config: Config) -> ProgramBuilder:
    """A bit of everything that makes a message."""
    b = builder(config)
    b.nop()
    b.label("branch")
    b.beq(8, 9, "target")
    b.c_nop()
    b.label("target")
    b.nop()
    b.label("jump")
    b.c_jr(10)
    b.label("after")
    for _ in range(12):
        b.nop()
    b.c_j("main")
    return b


def _tour(walk: Walk, b: ProgramBuilder) -> Walk:
    """Through all of `_mixed` and one trap."""
    at = b.labels
    walk.run_to(at["branch"]).branch(True).run_to(at["jump"]).jump(at["after"]).step(3)
    walk.trap(2, at["trap_handler"])
    return handle(walk, at["main"]).run_to(at["branch"]).branch(False).run_to(at["jump"]).jump(at["after"])


_SOURCE = {
    "inst_sync_mode": 1,
    "inst_sync_max": 0,
    "ownership": 1,
    "repeat_branch": 1,
    "repeated_history": 1,
    "src_id": 1,
}


@scenario("NT.3.2.src", "NT-17", loses=True, backpressure=50,
          configs=(*configs(src_bits=tuple(range(1, 13)), variant="v1_0", inst_stall_ena=(0, 1), **_SOURCE, **SMALL),
                   *configs(src_bits=6, src_id=63, inst_stall_ena=1),
                   *configs(src_bits=12, src_id=0xA5A, inst_stall_ena=1, **TWO),
                   *configs(src_bits=5, src_id=21, inhibit_src=1, inst_stall_ena=1),
                   *configs(src_bits=3, src_id=5, inhibit_src=1, inst_stall_ena=1)))  # fmt: skip
def sources(s: Script) -> None:
    """Every kind of message with SRC of every width, and with SRC inhibited; some are lost."""
    b = _mixed(s.config)
    b.label("loop")
    b.addi(5, 5, 1)
    b.bne(5, 6, "loop")
    for _ in range(80):
        b.nop()
    b.c_jr(10)
    walk, at = s.start(b)
    for turn in range(12):
        _tour(home(walk, at["main"]), b).trace_off().trace_on().step(2).debug_entry().debug_exit().vendor(
            56 + turn % 7, 0x1234
        )
        home(walk, at["main"]).run_to(at["branch"]).branch(True).notify().run_to(at["jump"]).jump(
            at["after"]
        ).notify().step(2)
        home(walk, at["main"]).run_to(at["branch"]).branch(False).run_to(at["jump"]).jump(at["main"]).notify()
        walk.run_to(at["branch"]).branch(True).run_to(at["jump"]).jump(at["loop"])
        for _ in range(20 + turn):
            walk.step().branch(True)
        walk.step().branch(False).run()
        for _ in range(turn % 5):
            walk.jump(at["jump"])
        walk.jump(at["main"])


@scenario("NT.8.7.absolute", "NT.8.7.monotonic", "NT-15", gaps=40,
          configs=(*configs(timestamp=1),
                   *configs(timestamp=1, ts_mode=(1, 3), ts_prescale=(0, 2), mode="htm", variant="v1_0"),
                   *configs(timestamp=1, ts_prescale=(1, 3), ts_run_in_debug=1, ts_mode=3, mode="btm", variant="rc7"),
                   *configs(timestamp=1, ts_mode=1, mode="htm", inst_sync_mode=1, inst_sync_max=tuple(range(8))),
                   *configs(timestamp=1, inst_sync_mode=1, src_bits=3, src_id=5, **SMALL)))  # fmt: skip
def timestamps(s: Script) -> None:
    """Time passes between a jump and its target, between messages and while tracing is off or the hart is halted."""
    b = _mixed(s.config)
    walk, at = s.start(b)
    for _ in range(4):
        _tour(home(walk, at["main"]), b).debug_entry().debug_exit().step(2).trace_off().step().trace_on().run_to(
            at["main"]
        )
    walk.vendor(56, 1).vendor(62, 0xFFFF_FFFF)
    _tour(home(walk, at["main"]), b)


@scenario(
    "NT.6.1.vendor",
    "NT.6.1.fields",
    configs=(*configs(), *configs(timestamp=1, src_bits=4, src_id=9), *configs(**TWO)),
    backpressure=30,
)
def vendor_messages(s: Script) -> None:
    """Vendor-defined messages with each TCODE and every length of data, while tracing is on, off and between a jump and
    its target.
    """
    walk, at = s.start(_mixed(s.config))
    for n in range(33):
        walk.vendor(56 + n % 7, (1 << n) - 1)
        if n % 8 == 3:
            walk.trace_off().vendor(56, n).trace_on()
        elif n % 8 == 5:
            walk.run_to(at["branch"]).branch(True).vendor(61, n).run_to(at["jump"]).jump(at["after"]).vendor(
                58, n
            ).step().run_to(at["main"])
