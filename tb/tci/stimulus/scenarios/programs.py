# SPDX-License-Identifier: Apache-2.0
"""System scenarios of several programs (N-Trace chapter 11): processes at one address, a process that moves, an image
that is replaced.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.images import ImageMap
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind, Priv, Retired
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.tci.stimulus.scenarios.base import (
    HARTS,
    HartStimulus,
    TciStimulus,
    beats_of,
    finish,
    hart_config,
    reset_all,
    scenario,
    set_up_encoders,
    start,
)

if TYPE_CHECKING:
    from rvtrace.tb.tci.job import TciJob
    from rvtrace.tb.tci.stimulus.session import Session

USER, KERNEL = 0x1_0000, 0x8000_0000
ECALL, TIMER = 8, 5


@dataclass
class Process:
    """A user program with its context; pc: where it goes on. pcs: all it has retired, on whatever hart."""

    program: Program
    context: int
    pc: int = USER
    pcs: list[int] = field(default_factory=list)


def app(rng: random.Random) -> Program:
    """A user program at the address that all of them have: loops within a loop, and system calls."""
    b = ProgramBuilder(64, USER)
    b.label("start")
    for part in range(rng.randrange(2, 4)):
        b.label(f"loop{part}")
        for _ in range(rng.randrange(1, 5)):
            if rng.randrange(2):
                b.c_nop()
            else:
                b.nop()
        b.c_bnez(8, f"loop{part}")
        if rng.randrange(2):
            b.ecall()
    b.c_j("start")
    return b.build()


def kernel(rng: random.Random) -> Program:
    """The handler of every trap: a short loop, then sret."""
    b = ProgramBuilder(64, KERNEL)
    for _ in range(rng.randrange(1, 6)):
        b.nop()
    b.label("again")
    b.c_nop()
    b.c_bnez(9, "again")
    b.sret()
    return b.build()


def in_process(process: Process, rng: random.Random, config: Config) -> Retired:
    """The process runs until a system call or an interrupt takes it to the kernel."""
    walk = Walk(process.program, config.variant, process.pc, Priv.U, process.context)
    for _ in range(rng.randrange(4, 16)):
        walk.run(40)
        insn = walk.insn()
        assert insn is not None  # the process does not leave its program
        if insn.flow == Flow.BRANCH:
            walk.branch(rng.random() < 0.6)
        elif insn.flow != Flow.TRAP:
            walk.step()
        else:
            process.pc = walk.pc + insn.size
            walk.trap(ECALL, KERNEL, priv=Priv.S)
            break
    else:
        process.pc = walk.pc
        walk.trap(TIMER, KERNEL, interrupt=True, priv=Priv.S)
    retired = walk.retired()
    process.pcs += retired.pc[retired.kind == Kind.INSN].tolist()
    return retired


def in_kernel(
    code: Program, before: int, then: Process, rng: random.Random, config: Config, marker: bool = False
) -> Retired:
    """The kernel gives the hart to a process; `marker`: an external trigger fires on the way."""
    walk = Walk(code, config.variant, KERNEL, Priv.S, before)
    walk.step(1)
    if marker:
        walk.ext_notify()
    while (insn := walk.run()) is not None and insn.flow == Flow.BRANCH:
        walk.context = then.context
        walk.branch(rng.random() < 0.5)
    walk.jump(then.pc, priv=Priv.U)
    return walk.retired()


@dataclass
class Machine:
    """Harts that share processes and a kernel; what each retires, round by round."""

    code: Program
    processes: list[Process]
    parts: list[list[Retired]]  # of each hart
    last: list[int]  # context each hart ran in last

    @classmethod
    def make(cls, rng: random.Random, count: int) -> Machine:
        """With so many processes, each at the same address in its own context."""
        contexts = rng.sample(range(1, 1 << 10), count)
        return cls(
            kernel(rng), [Process(app(rng), context) for context in contexts], [[] for _ in range(HARTS)], [0] * HARTS
        )

    def round(self, hart: int, process: Process, rng: random.Random, config: Config, marker: bool = False) -> None:
        """The kernel gives `hart` to a process until the next trap."""
        part = [in_kernel(self.code, self.last[hart], process, rng, config, marker), in_process(process, rng, config)]
        self.parts[hart].append(Retired.concat(part))
        self.last[hart] = process.context

    def story_of(self, hart: int, config: Config, images: ImageMap, length: int = 0) -> HartStimulus:
        """What a hart plays; `length`: cycles from the start of one round to that of the next, 0 for none between."""
        beats = [beats_of(part, config) for part in self.parts[hart]]
        whole = Beats.concat(beats)
        if length:
            begin = 0
            for number, part in enumerate(beats):
                cycle = whole.cycle[begin : begin + len(part)]
                cycle += np.uint64(max(number * length - int(cycle[0]), 0))
                whole.cycle[begin : begin + len(part)] = cycle
                begin += len(part)
        retired = Retired.concat(self.parts[hart])
        return HartStimulus(config, self.code, whole, images=images, pcs=retired.pc[retired.kind == Kind.INSN])

    def images(self) -> ImageMap:
        """Kernel and processes, as a decoder needs them."""
        found = ImageMap().add(self.code, priv=("S", "M"))
        for process in self.processes:
            found.add(process.program, priv="U", context=process.context)
        return found


async def _shared_time(s: Session) -> None:
    """The whole session; both encoders share the funnel's time."""
    await reset_all(s)
    await s.tool.set_up_ram()
    await s.tool.set("funnel", "trTsControl", {"trTsActive": 1})
    await s.tool.set("funnel", "trTsControl", {"trTsActive": 1, "trTsCount": 1, "trTsMode": 2})
    await set_up_encoders(s, {"trTsControl": {"trTsMode": 4}})
    await start(s)
    await s.play()
    await finish(s)
    s.readback = await s.tool.read_back()


def _options(job: TciJob, rng: random.Random, hart: int) -> Config:
    return hart_config(job, hart, ownership=1, timestamp=1, inst_stall_ena=1, mode=rng.choice(("htm", "btm")))


@scenario("TCI.sys.images", "TCI.sys.exact")
def processes(job: TciJob, rng: random.Random) -> TciStimulus:
    """Several programs at one address on each hart, chosen by Ownership; the kernel lies elsewhere."""
    made = []
    for hart in range(HARTS):
        config, machine = _options(job, rng, hart), Machine.make(rng, 3)
        for _ in range(14):
            machine.round(hart, rng.choice(machine.processes), rng, config)
        made.append(machine.story_of(hart, config, machine.images()))
    return TciStimulus(made, _shared_time)


@scenario("TCI.sys.images", "TCI.sys.move")
def moving_process(job: TciJob, rng: random.Random) -> TciStimulus:
    """Processes move between the harts: their images go with them, and their stays join to one history."""
    configs = [_options(job, rng, hart) for hart in range(HARTS)]
    machine = Machine.make(rng, 3)
    for _ in range(12):
        for hart, process in enumerate(rng.sample(machine.processes, HARTS)):
            machine.round(hart, process, rng, configs[hart])
    longest = max(len(part) for parts in machine.parts for part in parts)
    made = [machine.story_of(hart, configs[hart], machine.images(), 2 * longest + 40) for hart in range(HARTS)]
    history = {process.context: np.array(process.pcs, dtype=np.uint64) for process in machine.processes}
    return TciStimulus(made, _shared_time, expect={"history": history})


@scenario("TCI.sys.exact", "TCI.sys.replaced")
def replaced_image(job: TciJob, rng: random.Random) -> TciStimulus:
    """A program is replaced during the run; a marker shows the decoder from where on the new one is valid."""
    made = []
    for hart in range(HARTS):
        config, machine = _options(job, rng, hart), Machine.make(rng, 2)
        images, old = machine.images(), machine.processes[0]
        for _ in range(5):
            machine.round(hart, rng.choice(machine.processes), rng, config)
        patched = Process(app(rng), old.context)
        machine.processes[0] = patched
        images.add(patched.program, priv="U", context=patched.context, marker=1)
        for number in range(5):
            machine.round(
                hart, patched if number == 0 else rng.choice(machine.processes), rng, config, marker=number == 0
            )
        made.append(machine.story_of(hart, config, images))
    return TciStimulus(made, _shared_time, expect={"replaced": True})
