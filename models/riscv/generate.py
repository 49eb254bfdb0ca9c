# SPDX-License-Identifier: Apache-2.0
"""Random programs: functions of real instructions that call, loop, jump, trap and return in every way there
is.

`generate` makes the program; `random_walk` (from `rvtrace.models.riscv.random_walk`) goes through it, or through any
other. Values are not computed: a walk chooses directions and indirect targets itself, so every path is
possible.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.isa import CUSTOM
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.random_walk import WalkProbabilities, random_walk

__all__ = ["LAYOUTS", "WalkProbabilities", "generate", "random_walk"]

# Where segments begin. A "far" program has several segments, which only indirect jumps and the jump table
# connect.
LAYOUTS: dict[int, dict[str, tuple[int, ...]]] = {
    32: {
        "zero": (0,),
        "mcu": (0x8000_0000,),
        "kernel": (0xC000_0000,),
        "top": (0xFFFF_0000,),
        "edge": (0x7FFF_F800,),  # across bit 31
        "far": (0x1000, 0x2040_0000, 0x8000_0000, 0xC000_0000),
    },
    64: {
        "zero": (0,),
        "mcu": (0x8000_0000,),
        "kernel": (0xFFFF_FFFF_8000_0000,),
        "top": (0xFFFF_FFFF_FFFF_0000,),
        "edge": (0x7FFF_FFFF_F800,),  # across bit 47
        "sv39": (0x3F_FFFF_F000, 0xFFFF_FFC0_0000_0000),
        "sv48": (0x7FFF_FFF0_0000, 0xFFFF_8000_0000_0000, 0xFFFF_FFFF_8000_0000),
        "far": (0x1_0000, 0x3F_FFF0_0000, 0x8000_1234_0000, 0xFFFF_FFC0_0000_0000),
    },
}
_CONTEXT_CSRS = (0x5A8, 0x6A8)  # scontext, hcontext
_FAR_CALLS = (("auipc", 1, 6), ("auipc", 1, 1), ("auipc", 5, 5), ("lui", 1, 7), ("c_lui", 1, 1), ("c_lui", 5, 10))
_JVT_BASE = 0x4000_0000
_FARTHER = {"c_lui": "lui", "lui": "auipc"}  # what a pair may load its register with instead
_LONGER = {"c_j": ("jal", 0), "c_jal": ("jal", 1), "c_beqz": ("branch", 0), "c_bnez": ("branch", 1)}


Form = tuple[Any, ...]  # a method of the builder and its arguments


def _wide(method: str, *args: object) -> Form:
    """A builder call without instructions of 16 bits."""
    if method == "filler":
        return "filler", 4
    if method == "pair":
        return method, *({"c_lui": "lui", "c_jr": "jalr", "c_jalr": "jalr"}.get(str(word), word) for word in args)
    if method in ("c_beqz", "c_bnez"):
        return *_LONGER[method], args[0], 0, args[1]
    if method in _LONGER:
        return *_LONGER[method], *args
    name, *registers = {"c_jr": ("jalr", 0), "c_jalr": ("jalr", 1), "c_ebreak": ("ebreak",)}.get(method, (method,))
    return name, *registers, *args


def generate(
    rng: random.Random,
    xlen: int = 64,
    size: int = 2000,
    layout: str | None = None,
    zcm: bool = True,
    well_behaved: bool = False,
    compressed: bool = True,
) -> Program:
    """A program of about `size` instructions.

    layout: a name in LAYOUTS[xlen], by default any. zcm: with Zcmp and Zcmt. compressed: with instructions of 16 bits,
    Zcm too. well_behaved: no far jump through a link register, which looks like a return and is none. Symbols are the
    functions f0, f1, ... and the trap handlers, which end in the return their name says. Raises KeyError for an unknown
    layout.
    """
    layouts = LAYOUTS[xlen]
    bases = layouts[layout or rng.choice(sorted(layouts))]
    return _Writer(rng, xlen, size, bases, zcm and compressed, well_behaved, compressed).program()


class _Writer:
    """Writes the program as a list of builder calls, in which encodings that do not reach are replaced."""

    def __init__(
        self,
        rng: random.Random,
        xlen: int,
        size: int,
        bases: tuple[int, ...],
        zcm: bool,
        well_behaved: bool,
        compressed: bool,
    ) -> None:
        self.compressed = compressed
        self.rng, self.xlen, self.bases, self.zcm, self.well_behaved = rng, xlen, bases, zcm, well_behaved
        self.code: list[Form] = []
        self.labels = 0
        returns = ["mret", "mret", "sret", "sret", "mnret", "uret"]
        self.handlers = [(f"{name}_handler{i}", name) for i, name in enumerate(returns)]
        count = max(size // 35, 3 * len(bases))
        self.functions = [f"f{i}" for i in range(count)]
        self.homes: dict[str, int] = {}  # the segment of each function
        # The last function has a page of its own where c.lui alone can load its address.
        self.page = (bases[0] & ~0xFFF) + 0x8000
        near_zero = (self.page + 0x20000) % (1 << xlen) < 0x40000
        self.paged = self.functions[-1] if near_zero else None

    def program(self) -> Program:
        names = [(name, None) for name in self.functions] + self.handlers
        for name, _ in names:
            self.homes[name] = self.rng.randrange(len(self.bases))
        self.homes[self.functions[0]] = 0
        if self.paged:
            self.homes[self.paged] = 0
        for home, base in enumerate(self.bases):
            self._put("org", base)
            for name, xret in names:
                if self.homes[name] == home and name != self.paged:
                    self._function(name, xret)
        if self.paged:
            self._put("org", self.page)
            self._function(self.paged, None)
        return self._assemble()

    def _assemble(self) -> Program:
        seed = self.rng.getrandbits(64)
        while True:
            builder = ProgramBuilder(self.xlen, self.bases[0], jvt=_JVT_BASE, zcmp=self.zcm)
            fillers = random.Random(seed)  # the same instructions in each attempt
            at = {}
            for index, (method, *args) in enumerate(self.code):
                if method == "filler":
                    builder.filler(fillers, *args)
                else:
                    at[builder.here] = index
                    getattr(builder, method)(*args)
            unreachable = builder.unreachable()
            if not unreachable:
                return builder.build("f0")
            for pc in unreachable:
                method, *args = self.code[at[pc]]
                if method == "pair":
                    load, jump, *registers, target = args
                    other = _FARTHER.get(load)
                    far = ("jalr", *registers) if other is None else ("pair", other, "jalr", *registers, target)
                    self.code[at[pc]] = far
                    continue
                name, code = _LONGER[method]
                middle = () if len(args) == 1 else (args[0], 0)  # c.beqz rs1 is beq rs1, x0
                self.code[at[pc]] = (name, code, *middle, args[-1])

    def _put(self, method: str, *args: object) -> None:
        self.code.append((method, *args) if self.compressed else _wide(method, *args))

    def _put_one_of(self, *forms: Form) -> None:
        self._put(*self.rng.choice(forms))

    def _fill(self, most: int) -> None:
        for _ in range(self.rng.randint(0, most)):
            self._put("filler", self.rng.choice((2, 4)))

    def _new_label(self) -> str:
        self.labels += 1
        return f".L{self.labels}"

    def _function(self, name: str, xret: str | None) -> None:
        self._put("label", name)
        parts: list[tuple[float, Callable[[str, int], None]]] = [
            (5, self._if), (5, self._loop), (5, self._call), (1, self._swap), (2, self._switch),
            (2, self._jump), (0.1 if xret else 1, self._trap), (1, self._context), (1, self._straight),
            (1, self._custom), (2, self._regular),
        ]  # fmt: skip
        weights, choices = zip(*parts)
        for part in self.rng.choices(choices, weights, k=self.rng.randint(0 if xret else 1, 5)):
            self._fill(5)
            part(name, 0)
        self._fill(3)
        if xret:
            self._put(xret)
        else:
            self._return(name)

    def _branch(self, target: str) -> None:
        rng = self.rng
        if rng.random() < 0.5:
            self._put(rng.choice(("c_beqz", "c_bnez")), rng.randrange(8, 16), target)
        else:
            self._put("branch", rng.choice((0, 1, 4, 5, 6, 7)), rng.randrange(32), rng.randrange(32), target)

    def _inner(self, name: str, depth: int) -> None:
        self._fill(4)
        if depth < 2 and self.rng.random() < 0.4:
            self.rng.choice((self._if, self._loop, self._call, self._jump))(name, depth + 1)

    def _if(self, name: str, depth: int) -> None:
        skip = self._new_label()
        self._branch(skip)
        self._inner(name, depth)
        if self.rng.random() < 0.3:
            end = self._new_label()
            self._put_one_of(("c_j", end), ("jal", 0, end))
            self._put("label", skip)
            self._inner(name, depth)
            skip = end
        self._put("label", skip)

    def _loop(self, name: str, depth: int) -> None:
        head = self._new_label()
        self._put("label", head)
        self._inner(name, depth)
        self._branch(head)

    def _call(self, name: str, depth: int) -> None:
        """A call of any function under a branch that skips it, or of a later one: recursion must end."""
        rng, skip = self.rng, self._new_label()
        here = self.functions.index(name) if name in self.functions else 0
        guarded = rng.random() < 0.6 or here + 1 >= len(self.functions) or name not in self.functions
        callee = rng.choice(self.functions[0 if guarded else here + 1 :])
        if guarded and name in self.functions and rng.random() < 0.25:
            callee = name
        if guarded:
            self._branch(skip)
        forms: list[Form] = [
            ("jalr", 1, 10), ("jalr", 5, 11, 8), ("jalr", 1, 1), ("jalr", 5, 5),
            ("c_jalr", 10), ("c_jalr", 1),
        ]  # fmt: skip
        if self.homes[callee] == self.homes[name]:
            forms += [("jal", 1, callee), ("jal", 1, callee), ("jal", 5, callee)]
            forms += [("c_jal", callee)] * (2 if self.xlen == 32 else 0)
        forms += [("pair", load, "jalr", *registers, callee) for load, *registers in _FAR_CALLS]
        forms += [("pair", "c_lui", "c_jalr", 1, 9, self.paged)] * 2 if self.paged else []
        if not self.well_behaved:
            forms += [("pair", "auipc", "jalr", 1, 5, callee)]
        if self.zcm:
            forms += [("cm_jalt", callee if self.functions.index(callee) < 200 else "f0")] * 2
        self._put(*rng.choice(forms))
        self._put("label", skip)

    def _swap(self, name: str, depth: int) -> None:
        self._put_one_of(("jalr", 1, 5), ("jalr", 5, 1), ("c_jalr", 5))

    def _switch(self, name: str, depth: int) -> None:
        self._put_one_of(("c_jr", 15), ("jalr", 0, 15), ("jalr", 7, 15), ("jalr", 0, 14, 4))
        for _ in range(self.rng.randint(1, 3)):
            end = self._new_label()
            self._fill(3)
            self._put("c_j", end)
            self._put("label", end)

    def _jump(self, name: str, depth: int) -> None:
        end = self._new_label()
        forms: tuple[Form, ...] = (
            ("c_j", end),
            ("jal", 0, end),
            ("jal", 7, end),
            ("pair", "auipc", "jalr", 0, 7, end),
            ("pair", "auipc", "jalr", 7, 6, end),
        )
        self._put_one_of(*forms)
        self._fill(2)
        self._put("label", end)

    def _trap(self, name: str, depth: int) -> None:
        self._put(self.rng.choice(("ecall", "ecall", "ebreak", "c_ebreak")))

    def _context(self, name: str, depth: int) -> None:
        self._put("csrw", self.rng.choice(_CONTEXT_CSRS), self.rng.randrange(10, 16))

    def _custom(self, name: str, depth: int) -> None:
        """An instruction of custom-0 to custom-3: what it does, the walk decides."""
        self._put("raw", self.rng.getrandbits(25) << 7 | self.rng.choice(CUSTOM), 4)

    def _regular(self, name: str, depth: int) -> None:
        """A short loop without calls, with a branch or two in it: what repeats in many ways."""
        head = self._new_label()
        self._put("label", head)
        for _ in range(self.rng.randint(0, 2)):
            skip = self._new_label()
            self._fill(2)
            self._branch(skip)
            self._fill(3)
            self._put("label", skip)
        self._fill(2)
        self._branch(head)

    def _straight(self, name: str, depth: int) -> None:
        self._fill(120)

    def _return(self, name: str) -> None:
        """A return or a tail call; a direct one leads to a later function: a circle of them has no end."""
        rng = self.rng
        later = self.functions[self.functions.index(name) + 1 :]
        tails: list[Form] = [("c_jr", 15), ("jalr", 0, 13, 12)]
        if later:
            target = rng.choice(later)
            tails += [("pair", load, "jalr", 0, rng.choice((6, 7, 28)), target) for load in ("auipc", "lui", "c_lui")]
            tails += [("pair", "c_lui", "c_jr", 0, 15, self.paged)] * 2 if self.paged else []
            tails += [] if self.well_behaved else [("pair", "auipc", "jalr", 0, rng.choice((1, 5)), target)]
        callee = rng.choice(later or self.functions)
        if later and self.homes[callee] == self.homes[name]:
            tails += [("jal", 0, callee), ("c_j", callee)]
        returns: list[Form] = [("c_jr", 1), ("c_jr", 1), ("c_jr", 5)]
        returns += [("jalr", 0, 1), ("jalr", 0, 5), ("jalr", 6, 1)]
        if self.zcm:
            returns += [("cm_popret", 4), ("cm_popret", 15, 2), ("cm_popretz", 6)]
            # the jump table has 32 entries for cm.jt: those of the last functions
            tails += [("cm_jt", rng.choice(later[-30:]))] * 2 if later else []
        self._put(*rng.choice(tails if rng.random() < 0.2 else returns))
