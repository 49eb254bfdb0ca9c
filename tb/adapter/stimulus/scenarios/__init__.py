# SPDX-License-Identifier: Apache-2.0
"""Directed scenarios of the adapters: what the core does more often than usual, and which rule of RVFI it breaks.

`SCENARIOS[name].build()` gives a `Story`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rvtrace.models.adapter.config import Config
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.tb.adapter.stimulus.scenarios.accesses import faulting_accesses
from rvtrace.tb.adapter.stimulus.scenarios.jumps import jumps_at_the_limit, jumps_in_every_cycle
from rvtrace.tb.common.stimulus.scenario import Scenario, Scenarios

BUILDS: tuple[dict[str, Any], ...] = (
    {},
    {"xlen": 32, "channels": 2, "blocks": 2, "iretire_width": 4, "flen": 32},
    {"xlen": 32, "trap_port": 0, "mask_by_insn": 1, "blocks": 2},
    {"channels": 2, "flen": 64, "zcm": 1, "blocks": 4, "iretire_width": 3},
)
DEFAULT, RV32, LEAN, WIDE = BUILDS


@dataclass(frozen=True)
class Story:
    """habits: probabilities of the walk that differ from the usual ones. fault: a rule that the core breaks. halt: the
    last instruction has rvfi_halt. size: instructions. retires: a program and what is retired of it, None for a walk.
    debug: such a run has visits to Debug Mode. to_exception: the walk ends with an exception. late: the event of that
    comes some cycles later.
    """

    habits: dict[str, Any] = field(default_factory=dict)
    fault: str = ""
    halt: bool = False
    size: int = 1500
    retires: Callable[[Config], tuple[Program, Retired]] | None = None
    debug: bool = True
    to_exception: bool = False
    late: bool = False


HART = (
    "AD.rows", "AD.next_pc", "AD.mode", "AD.context", "AD.itype", "AD.insn", "AD.gpr", "AD.memory", "AD.csr", "AD.priv",
    "AD.reset", "AD.flush", "AD.slots", "AD.hold", "AD.quiet", "AD.empty",
)  # fmt: skip
INGRESS = (
    "ING.instructions", "ING.program", "ING.itype", "ING.size",
    "ING.cycle", "ING.longest", "ING.trap", "ING.once", "ING.mode",
    "ING.hold", "ING.end",
)  # fmt: skip
SCENARIOS = Scenarios(configs=BUILDS)


def _add(name: str, doc: str, clauses: tuple[str, ...], story: Story, configs: Any = BUILDS, **job: Any) -> None:
    SCENARIOS.add(Scenario(name, doc, clauses, lambda: story, tuple(configs), job))


_add(
    "traps", "Traps often, several without an instruction between them.",
    (*HART, *INGRESS, "AD.trap", "AD.trap_csrs"),
    Story({"trap": 0.15, "trap_at_target": 0.2, "back_to_back": 0.5, "unmapped": 0.2}), (DEFAULT, RV32, WIDE),
    backpressure=20, gaps=20, grouping="random",
)  # fmt: skip
_add(
    "derived", "A core without a trap port: causes come from the instruction.", (*HART, *INGRESS, "AD.derived"),
    Story({"trap": 0.15, "trap_at_target": 0.2}), (LEAN,), gaps=10,
)  # fmt: skip
_add(
    "faulting_accesses", "A core without a trap port: each load, store and atomic faults, at any address.",
    ("AD.rows", "AD.insn", "AD.derived"), Story(retires=faulting_accesses), (LEAN,),
)  # fmt: skip
_add(
    "full_rate", "A retirement on every channel in every cycle, and nobody waits.", (*HART, *INGRESS, "AD.stall"),
    Story({"trap": 0.01, "trap_at_target": 0.01}), BUILDS,
)  # fmt: skip
_add(
    "jumps_in_every_cycle", "Every instruction is a jump, on every channel in every cycle, and nobody waits.",
    ("AD.rows", "AD.rate", "ING.instructions"), Story(retires=jumps_in_every_cycle, debug=False), BUILDS,
    grouping="longest",
)  # fmt: skip
_add(
    "slow", "Who takes the rows waits most of the time: the core has to stop.", (*HART, *INGRESS, "AD.stall"),
    Story({"trap": 0.05}, size=600), BUILDS, backpressure=70,
)  # fmt: skip
_add(
    "debug", "Visits to Debug Mode.", ("AD.rows", "AD.debug", "ING.halted"), Story(size=4000), (DEFAULT, RV32),
    backpressure=30,
)  # fmt: skip
_add(
    "contexts", "Threads and modes change at nearly every return from a trap.",
    ("AD.context", "AD.mode", "ING.mode", "ING.ctype"),
    Story({"trap": 0.1, "switch": 0.8, "interrupt": 0.6}), BUILDS, grouping="random",
)  # fmt: skip
_add(
    "floating", "f registers and fcsr.", ("AD.fpr", "AD.memory"), Story({"trap": 0.01}), (RV32, WIDE),
)  # fmt: skip
_add(
    "halt", "The last instruction has rvfi_halt.", ("AD.rows", "AD.flush"), Story({"trap": 0.01}, halt=True, size=300),
)  # fmt: skip
_add(
    "ends_with_exception", "The last row is an exception, whose event comes with it or later.",
    ("AD.rows", "AD.trap", "AD.context", "AD.flush"),
    Story({"trap": 0.4, "trap_at_target": 0.4, "switch": 1.0}, size=300, to_exception=True),
    (DEFAULT, RV32, WIDE),
)  # fmt: skip
_add(
    "halts_at_exception", "The last row is an exception with rvfi_halt, whose event comes some cycles later.",
    ("AD.rows", "AD.trap", "AD.flush"), Story({"trap": 0.15}, halt=True, size=300, to_exception=True, late=True),
    (DEFAULT, RV32, WIDE),
)  # fmt: skip
_add(
    "unchecked_pc", "A core whose pc_wdata is right except where nobody has to check it.",
    ("AD.rows", "AD.next_pc", "AD.quiet"), Story({"trap": 0.1}), ({"check_pc": 0}, {"check_pc": 1}),
)  # fmt: skip
_add(
    "full_of_blocks", "Who takes the blocks waits most of the time, and a jump comes where a block has no room left.",
    ("ING.instructions", "ING.itype", "ING.size", "ING.longest"), Story(retires=jumps_at_the_limit, debug=False),
    ({"iretire_width": 3}, WIDE), grouping="longest", backpressure=90,
)  # fmt: skip
for _fault, _doc in (
    ("order", "A retirement is missing."),
    ("pc", "An instruction leads elsewhere than it says."),
    ("insn", "What retired is no instruction."),
    ("trap", "A trap has no event at the trap port."),
    ("event", "The event of an exception is that of something else."),
    ("left", "There are events for which there was no trap."),
    ("overflow", "The core does not stop."),
    ("events", "There are more events than the queue holds."),
):
    _with_port = _fault in ("trap", "event", "left", "events")
    _add(
        f"fault_{_fault}", _doc, (f"AD.error_{_fault}",),
        Story({"trap": 0.15, "trap_at_target": 0.3}, _fault, size=600),
        (DEFAULT, RV32, WIDE) if _with_port else (*BUILDS, {"check_pc": 1}) if _fault == "pc" else BUILDS,
        **({"backpressure": 90} if _fault == "overflow" else {"gaps": 20} if _fault != "events" else {}),
    )  # fmt: skip
