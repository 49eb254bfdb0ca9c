# SPDX-License-Identifier: Apache-2.0
"""Scenarios of triggers, reset and low power of the hart, and filters (8.5, table 25, NT-2, NT-13, NT-22)."""

from __future__ import annotations

from collections.abc import Iterator

from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.retired import Priv
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.ntrace.stimulus.scenarios.base import BASE, SMALL, TWO, Script, builder, configs, handle, home, scenario


def _code(config: Config) -> ProgramBuilder:
    b = builder(config)
    b.nop()
    b.c_nop()
    b.label("branch")
    b.beq(8, 9, "target")
    b.nop()
    b.label("target")
    b.nop()
    b.label("jump")
    b.c_jr(10)
    b.label("after")
    for _ in range(8):
        b.nop()
    b.c_j("main")
    return b


def _places(walk: Walk, b: ProgramBuilder) -> Iterator[None]:
    """Brings the walk to each kind of place in turn: straight code, with history, after branches, a jump, traps."""
    at = b.labels
    home(walk, at["main"]).step()
    yield
    home(walk, at["main"]).run_to(at["branch"]).branch(False)
    yield
    home(walk, at["main"]).run_to(at["branch"]).branch(True)
    yield
    home(walk, at["main"]).run_to(at["branch"]).branch(False).run_to(at["jump"]).jump(at["after"])
    yield
    home(walk, at["main"]).step().trap(2, at["trap_handler"])
    yield
    home(walk, at["main"]).step().trap(2, at["trap_handler"]).step(3).jump(at["jump"]).jump(at["after"])
    yield
    home(walk, at["main"]).run_to(at["branch"]).branch(True).trap(3, at["trap_handler"], interrupt=True)
    yield


@scenario(
    "NT.8.5.sync6",
    "NT.8.5.sync0",
    "NT-2",
    "NT-22",
    configs=(*configs(), *configs(inst_sync_mode=1, **TWO), *configs(implicit_return=3, ownership=1)),
)
def markers(s: Script) -> None:
    """Debug and external triggers fire after every kind of instruction: both at once, twice, and with tracing off."""
    b = _code(s.config)
    walk, at = s.start(b)
    for fire in (
        lambda: walk.notify(),
        lambda: walk.ext_notify(),
        lambda: walk.notify().ext_notify(),
        lambda: walk.notify().notify(),
    ):
        for _ in _places(walk, b):
            fire()
    home(walk, at["after"]).trace_off().notify().step().ext_notify().trace_on().notify().step(2).notify()


@scenario(
    "NT.8.5.sync1",
    "NT-2",
    "NT-22",
    configs=(*configs(), *configs(repeated_history=1, repeat_branch=1, **TWO), *configs(**SMALL)),
)
def hart_reset(s: Script) -> None:
    """The hart is reset after every kind of instruction and starts at the reset vector: SYNC=1 has the last counts."""
    b = _code(s.config)
    walk, at = s.start(b)
    for _ in _places(walk, b):
        walk.reset_entry().reset_exit(at["main"])
    walk.step().trace_off().step().reset_entry().reset_exit(at["main"]).step().trace_on().step()
    walk.debug_entry().debug_exit().reset_entry().reset_exit(at["main"]).step(2)
    walk.reset_entry().trace_off().trace_on().reset_exit(at["main"]).step()


@scenario("NT.7.12.low_power", "NT.8.5.sync9", "NT-2", configs=(*configs(), *configs(**TWO)))
def low_power(s: Script) -> None:
    """The hart sleeps after every kind of instruction and wakes up: EVCODE=1, then SYNC=9; and sleeps while tracing is
    off.
    """
    b = _code(s.config)
    walk, at = s.start(b)
    for _ in _places(walk, b):
        walk.sleep().wake()
    home(
        walk, at["after"]
    ).step().trace_off().sleep().wake().trace_on().step().sleep().trace_off().wake().trace_on().step()


INSIDE = f"iaddr={BASE + 0x10:#x}..{BASE + 0x1F:#x}"
BEFORE_TARGET = f"iaddr={BASE + 0x10:#x}..{BASE + 0x1D:#x}"


@scenario("NT.4.filters", "NT-13", "NT.10.restart",
          configs=(*configs(filter=INSIDE), *configs(filter=INSIDE, **TWO), *configs(filter=BEFORE_TARGET),
                   *configs(filter=f"iaddr!={BASE + 0x16:#x}..{BASE + 0x19:#x}"),
                   *configs(filter=f"iaddr={BASE + 0x14:#x}->{BASE + 0x22:#x}"),
                   *configs(filter=f"iaddr>={BASE + 0x1a:#x}|iaddr<{BASE + 0x14:#x}")),
          retirement="single")  # fmt: skip
def filter_addresses(s: Script) -> None:
    """Only some addresses are traced: the trace stops after straight code, branches and jumps, and starts again with
    SYNC=5.
    """
    walk, at = s.start(_code(s.config))
    for turn in range(8):
        home(walk, at["main"]).run_to(at["branch"]).branch(turn % 2 == 0).run_to(at["jump"]).jump(
            at["after"] if turn % 3 else at["branch"]
        )
        if turn % 3:
            walk.step(3).trap(3, at["trap_handler"], interrupt=True)
            handle(walk, at["main"])
        else:
            home(walk, at["main"])
    home(walk, at["main"]).step().debug_entry().debug_exit().run_to(at["branch"]).branch(True).run_to(
        at["jump"]
    ).sleep().wake().jump(at["after"]).reset_entry().reset_exit(at["main"]).step(2)


@scenario("NT.4.filters", "NT-13",
          configs=(*configs(filter="priv=U+S"), *configs(filter="priv=M&context=7"),
                   *configs(filter="context!=5..9|priv=VS", ownership=1), *configs(filter="ecause=2+8"),
                   *configs(filter="trap=interrupt"), *configs(filter="trap=exception&priv=M", **TWO)))  # fmt: skip
def filter_modes(s: Script) -> None:
    """Only some privileges, contexts or trap handlers are traced, nested traps included; each has separate code."""
    b = _code(s.config)
    for priv in ("U", "S", "VS"):
        b.label(priv)
        b.nop()
        b.c_j("main")
    walk, at = s.start(b)
    for turn in range(12):
        walk.run_to(at["branch"]).branch(turn % 2 == 0).run_to(at["jump"]).jump(at["after"]).step(2)
        cause, interrupt, place = ((2, False, "U"), (8, False, "S"), (3, True, "main"), (5, False, "VS"))[turn % 4]
        walk.trap(cause, at["trap_nested" if cause == 5 else "trap_handler"], interrupt=interrupt, priv=Priv.M).step()
        if turn % 3 == 1:
            back = walk.pc
            walk.trap(7, at["trap_nested"], interrupt=True).step().jump(back, priv=Priv.M)
        walk.step(0 if cause == 5 else 2).jump(
            at[place], priv=Priv[place] if place != "main" else Priv.M, context=(7, 5, 10)[turn % 3]
        )


@scenario(
    "NT.4.filters",
    "NT.8.5.sync6",
    configs=(*configs(filter=f"watch={BASE + 0x14:#x}"), *configs(filter=f"{INSIDE};watch={BASE + 0x1A:#x}", **TWO)),
    retirement="single",
)
def watchpoint(s: Script) -> None:
    """A comparator notifies of an address: SYNC=6 after it, and only where it is traced."""
    walk, at = s.start(_code(s.config))
    for turn in range(6):
        walk.run_to(at["branch"]).branch(turn % 2 == 0).run_to(at["jump"]).jump(at["after"]).run_to(at["main"])


@scenario(
    "NT.7.4.ecode",
    "NT.7.4.error",
    "NT-14",
    configs=configs(ownership=1, timestamp=1, src_bits=2, src_id=3),
    loses=True,
    backpressure=70,
)
def lost_kinds(s: Script) -> None:
    """The output is slow: program, Ownership and vendor-defined messages are lost, alone and together; ECODE names
    them.
    """
    walk, at = s.start(_code(s.config))
    for turn in range(120):
        walk.run_to(at["branch"]).branch(turn % 2 == 0)
        if turn % 3 == 0:
            walk.vendor(56 + turn % 7, turn * 0x1_0001)
        walk.context = turn
        walk.run_to(at["jump"]).jump(at["after"] if turn % 4 else at["main"])
        if turn % 4:
            walk.step(2).vendor(59, turn).step().run_to(at["main"])


@scenario(
    "NT.7.4.ecode",
    configs=(*configs(ownership=1, hcontext=1), *configs(ownership=1, hcontext=1, **TWO)),
    retirement="single",
    loses=True,
    backpressure=80,
)
def lost_hypervisor_contexts(s: Script) -> None:
    """Only hcontext changes: the one Ownership of each loss has FORMAT=3, and ECODE must name it as well."""
    walk, at = s.start(_code(s.config))
    for turn in range(200):
        walk.hcontext = turn * 0x51 & 0xFFFF
        walk.run_to(at["branch"]).branch(turn % 2 == 0).run_to(at["jump"]).jump(at["after"] if turn % 3 else at["main"])
        if turn % 3:
            walk.run_to(at["main"])
