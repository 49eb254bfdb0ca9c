# SPDX-License-Identifier: Apache-2.0
"""What a random walk does, and how often."""

from __future__ import annotations

from dataclasses import dataclass

STOPS = ("trace", "debug", "reset", "sleep")
PULSES = ("notify", "ext_notify", "vendor")


@dataclass(frozen=True)
class WalkProbabilities:
    """Probabilities (0 to 1) of what a walk does; a probability at 0 never happens.

    trap: in each straight run of instructions, anywhere;
    trap_at_target: right at the target of an indirect jump, an xRET or a call; trap_first: as the first
    thing traced;
    back_to_back: at a handler's first instruction. interrupt: share of traps that are interrupts. unmapped:
    a trap vector outside the program, which faults at once. resume: share of exceptions that return to the
    same instruction (else the next). nest: most traps one in another. switch: an xRET goes to another
    thread, with its own privilege and context. mismatch: a return goes elsewhere than its call. well_behaved:
    no return does, as far as a stack of all calls reports, threads and handlers included: trace that counts calls
    (implicit return, mode 1) can follow; all_jumps: that stack does not see direct calls. depth: calls under branches
    are skipped beyond it; dive: at a point, none is skipped until 8 to 48 calls are open. trace, debug, reset, sleep:
    trace off/on, Debug Mode, reset and low-power mode, at a point; elsewhere: the hart resumes at another address.
    notify, ext_notify, vendor: a trigger or a vendor-defined message, at a point. custom: a custom instruction
    changes the flow. loop: mean iterations; long_loop: a loop of 70 to 560, ten times as often one without
    calls. habit: a branch repeats a pattern, a loop its number of iterations, an indirect jump its target. start:
    how the stream begins: "trace_on", "debug_exit" (trace on while halted; likewise "reset_exit" and "wake"),
    "untraced" (some instructions before trace_on), "any". priv: of the first instruction, None for any.
    context, hcontext: most bits of one, 0 for none.

    What a port or an encoder does not have: virtualized: the modes VS and VU; causes: bits of a cause; swaps: a
    co-routine swap pops and pushes what well_behaved goes by. vectors: each cause has one handler, in M-mode.
    toggle: at a point, some of the options in the mask toggled change (E-Trace).
    """

    trap: float = 0.01
    trap_at_target: float = 0.03
    trap_first: float = 0.2
    back_to_back: float = 0.1
    interrupt: float = 0.4
    unmapped: float = 0.02
    resume: float = 0.5
    nest: int = 4
    switch: float = 0.15
    mismatch: float = 0.02
    well_behaved: bool = False
    all_jumps: bool = False
    depth: int = 24
    dive: float = 0.001
    trace: float = 0.004
    debug: float = 0.003
    reset: float = 0.001
    sleep: float = 0.002
    notify: float = 0.004
    ext_notify: float = 0.004
    vendor: float = 0.004
    custom: float = 0.5
    elsewhere: float = 0.3
    loop: float = 4.0
    long_loop: float = 0.02
    habit: float = 0.6
    start: str = "any"
    priv: int | None = None
    context: int = 12
    hcontext: int = 12
    virtualized: bool = True
    causes: int = 6
    swaps: bool = True
    vectors: bool = False
    toggle: float = 0.0
    toggled: int = 0

    @classmethod
    def plain(cls, **changes: object) -> WalkProbabilities:
        """Calls, loops and jumps only: no traps, no switches, no triggers."""
        quiet = dict.fromkeys(("trap", "trap_at_target", "trap_first", "mismatch", *STOPS, *PULSES), 0.0)
        return cls(**{**quiet, "start": "trace_on", **changes})
