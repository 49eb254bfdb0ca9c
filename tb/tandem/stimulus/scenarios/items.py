# SPDX-License-Identifier: Apache-2.0
"""Tandem scenarios of items: every part alone, in pairs and with all others, every operation, size, register and
length.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from rvtrace.models.tandem import table as t
from rvtrace.tb.tandem.stimulus.scenarios.base import ALL, EVERY, LONG, NOP, SHORT, ScenarioScript, scenario

PARTS = [part.name for part in t.PARTS if part.columns or part.name.startswith("csr")]


@scenario("TV.opcode.begin", "TV.opcode.end", "TV.group.begin", "TV.group.end", "TV.group.outside", "TV.reported.group",
          "TV.reported.outside", "TV.row.absent", "TV.legal.absent", "TV.field.little_endian", "TV.legal.opcode",
          "TV.legal.whole", "TV-8", configs=EVERY)  # fmt: skip
def parts_alone(s: ScenarioScript) -> None:
    """Each part alone: in a group, outside groups, in a group of initialization and in one with a reset."""
    for k, name in enumerate(PARTS):
        for n in range(3):
            s.row(**s.part(name, k + n))
            if name != "insn":
                s.quiet(**s.part(name, k + n))
        if name != "insn":
            s.init(**s.part(name, k))
            s.reset(**s.part(name, k) | {"pc": 0x8000_0000 + 8 * k})


@scenario("TV.row.absent", "TV.legal.absent", configs=EVERY, fresh=True)
def only_what_is_traced(s: ScenarioScript) -> None:
    """A hart that has no more than what is traced: each part alone, each instruction with all of them, and in sequence
    with registers a little further.
    """
    traced = {part.name for part in t.PARTS if not part.absent or s.config.traces(part.absent)}

    def row(**parts: Any) -> None:
        present = {
            name: value for name, value in parts.items() if name in traced or (name == "csr" and "csr0" in traced)
        }
        s.row(**present)

    row(reset=True, pc=LONG)
    for k, name in enumerate(PARTS):
        if name in traced:
            row(**s.part(name, k))
            if name != "insn":
                s.quiet(**s.part(name, k))
    for k in range(4):
        row(**s.everything(k))
        for step in (0, 1, 3, 2):
            insn = SHORT if k & 1 else NOP
            row(
                insn=insn,
                pc=s.pc + insn[0] & s.full,
                gpr=(5, 0x100 + step),
                fcsr=0x40 + step,
                mcycle=step,
                minstret=step,
            )


@scenario("TV.order.parts", "TV.reported.group", "TV.legal.unambiguous", "TV.legal.follows", configs=ALL)
def parts_in_pairs(s: ScenarioScript) -> None:
    """Each two parts in one row, in a group and outside."""
    for k, (first, second) in enumerate(product(PARTS, PARTS)):
        if first < second and {first[:3], second[:3]} != {"csr"}:
            parts = s.part(first, k) | s.part(second, k + 1)
            if "response" in (first, second):
                parts |= s.part("response", k)
            s.row(**parts)
            if "insn" not in parts:
                s.quiet(**parts)


@scenario("TV.order.parts", "TV.port.words", "TV.port.ready", "TV.order.lost", configs=ALL, backpressure=60)
def longest_rows(s: ScenarioScript) -> None:
    """All parts at once, again and again, while nothing is taken for a while: the FIFO is full, and no byte is lost."""
    for k in range(24):
        s.row(**s.everything(k))
        if k % 5 == 4:
            s.insn()
            s.row(**s.everything(k, reset=True, insn=None))


@scenario("TV.port.words", "TV.port.empty", "TV.port.causal", "TV.order.rows", configs=ALL)
def every_length(s: ScenarioScript) -> None:
    """Rows of every length after each other, so that words begin and end everywhere in them; with idle cycles between
    some.
    """
    names = [
        "memdata",
        "gpr",
        "fpr",
        "mtime",
        "csr0",
        "csr1",
        "csr2",
        "csr3",
        "paddr",
        "ppc",
        "eaddr",
        "fcsr",
        "mcycle",
        "request",
        "priv",
    ]
    for k in range(64):
        parts: dict = {}
        for n, name in enumerate(names):
            if (k * 0x9E37 >> n) & 1:
                parts |= s.part(name, k + n)
        s.insn(SHORT if k & 1 else NOP, **parts)
        if k % 7 == 0:
            s.step(2 + k % 20)
        for _ in range(k % 4):
            s.quiet(**s.part("memdata", k + _))


@scenario("TV.port.progress", "TV.port.stable", "TV.order.lost", configs=ALL, sink="waiting", drive="pins")
def sink_that_waits(s: ScenarioScript) -> None:
    """Short and long rows for a sink that is ready only after a word was shown, as a bus bridge may be."""
    for k in range(24):
        s.insn(SHORT if k & 1 else NOP)
        s.row(**s.everything(k))
        s.step(k % 4)
        s.quiet(**s.part("memdata", k))
        s.quiet(**s.part("gpr", k))
        s.step(k % 9)


@scenario("TV.port.empty", "TV.port.causal", configs=ALL)
def lone_rows(s: ScenarioScript) -> None:
    """Rows one by one into an empty encoder, the next one only when the last byte has left: empty_o falls with each."""
    for k in range(20):
        s.insn(SHORT if k & 1 else NOP, **(s.part("memdata", k) if k % 3 else {}))
        s.step(8 + k % 3)
        s.quiet(**s.part("gpr", k))
        s.step(12)


@scenario("TV-1", "TV-2", "TV.request.data", "TV.response.data", "TV.response.failure", "TV.field.packing",
          "TV.opcode.request", "TV.opcode.response", "TV.reported.request", "TV.reported.response", "TV.legal.request",
          "TV.legal.response", "TV.legal.follows", configs=ALL)  # fmt: skip
def operations(s: ScenarioScript) -> None:
    """Every memory operation with every size: without response, with one that reports success, and one that reports
    failure.
    """
    for op, size, outside in product(range(len(t.OPERATIONS)), range(4), (False, True)):
        request = (op, size, s.number(s.config.mlen), s.number(64))
        report = s.quiet if outside else s.insn
        report(request=request)
        for result in (t.SUCCESS, t.FAILURE):
            report(request=request, response=(result, s.number(64)))


@scenario("TV.id.memdata8", "TV.id.memdata16", "TV.id.memdata32", "TV.id.memdata64", "TV.reported.memdata",
          "TV.reported.paddr", "TV.reported.eaddr", "TV.id.paddr", "TV.id.eaddr", "TV.memory.apart",
          "TV.legal.id", configs=ALL)  # fmt: skip
def store_data(s: ScenarioScript) -> None:
    """Store data of every size, with a physical address, an effective one, both and none, and beside a bus transaction
    of another size.
    """
    for size, which in product(range(4), range(4)):
        address: dict[str, Any] = {"paddr": s.number(s.config.mlen)} if which & 1 else {}
        address |= {"eaddr": s.number(s.config.mlen)} if which & 2 else {}
        s.insn(memdata=(size, s.number(64)), **address)
        s.insn(memdata=(size, s.full), request=(t.STORE, 3 - size, s.number(s.config.mlen), s.number(64)), **address)


@scenario("TV.field.mlen", "TV.id.ppc", "TV.reported.ppc", "TV.legal.zeros", configs=ALL)
def address_bits(s: ScenarioScript) -> None:
    """Addresses with each bit alone, and all: physical, effective, of the pc and of requests."""
    for bit in range(s.config.mlen + 1):
        value = 1 << bit if bit < s.config.mlen else s.address
        s.insn(ppc=value, paddr=value, eaddr=s.address ^ value, request=(t.LOAD, 0, value, 0))


@scenario("TV.register.csr", "TV.register.gpr", "TV.register.fpr", "TV.register.address", "TV.opcode.register",
          "TV.form.fpr", "TV.reported.gpr", "TV.reported.fpr", "TV.reported.csr", "TV.legal.register",
          configs=ALL)  # fmt: skip
def registers(s: ScenarioScript) -> None:
    """Every x and f register with values of all bytes, and CSRs at all address bits."""
    for n in range(32):
        s.insn(gpr=(n, s.number(64) & s.full), fpr=(n, s.number(64) & (1 << s.config.flen) - 1))
    for bit in range(12):
        s.insn(csr=((1 << bit, s.number(64) & s.full), (0xFFF ^ 1 << bit, s.number(64) & s.full)))


@scenario(
    "TV.opcode.insn16",
    "TV.opcode.insn32",
    "TV.reported.insn",
    "TV.insn.length",
    "TV.pc.length",
    "TV.legal.insn",
    "TV.legal.one_insn",
    configs=ALL,
)
def instructions(s: ScenarioScript) -> None:
    """Instructions of both lengths with each bit set; a 16-bit one with anything above its bits."""
    for bit in range(2, 32):
        s.insn((4, 1 << bit | 3))
        if bit < 16:
            s.insn((2, 1 << bit))
        s.insn((2, s.number(32) & ~3 | s.rng.randrange(3)))


@scenario("TV.id.priv", "TV.id.mtime", "TV.reported.priv", "TV.reported.mtime", "TV.legal.privilege", configs=ALL)
def privilege_and_time(s: ScenarioScript) -> None:
    """Every privilege and times with each byte, in groups and outside."""
    for k in range(9):
        s.insn(priv=(0, 1, 3)[k % 3], mtime=0xFF << 8 * k & (1 << 64) - 1)
        s.quiet(priv=(3, 0, 1)[k % 3])
        s.quiet(mtime=s.number(64))
