# SPDX-License-Identifier: Apache-2.0
"""Program images by context and time: what code a hart sees (11.3, 11.4).

    images = ImageMap()
    images.add(kernel, priv="S")
    images.add(editor, priv="U", context=5)
    images.add(compiler, priv="U", context=7)            # may lie at the same addresses
    images.add(patched, priv="S", marker=1)              # in place of what it covers, after the first marker

A decoder that is given an ImageMap asks it whenever an Ownership message, a marker or the time may have changed the
answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rvtrace.models.ntrace.decoder.context import Context
from rvtrace.models.riscv.isa import Insn, MaybeNone
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Priv


class ImageError(ValueError):
    """Images that do not go together; the text says what to give."""


@dataclass(frozen=True)
class Situation:
    """What a decoder knows when it is about to follow code; None: nothing reported it.

    priv ({V, PRV}), context (scontext), hcontext: by Ownership. message: index of the message among those of this
    source. time: absolute time, -1 before it is known. marker: External Trace Triggers and Trace Events reported before
    (SYNC 0 and 6).
    """

    priv: int | None = None
    context: int | None = None
    hcontext: int | None = None
    message: int = 0
    time: int = -1
    marker: int = 0

    def __str__(self) -> str:
        return str(Context(self.priv, self.context, self.hcontext))


@dataclass(frozen=True)
class Image:
    """A program and when it is there; None: whatever it is.

    privs, context, hcontext: those of the hart, which Ownership has to have reported. message, time, marker: it is
    there from this message on, from this time on, or after this many markers.
    """

    program: Program
    privs: frozenset[int] | None = None
    context: int | None = None
    hcontext: int | None = None
    message: int | None = None
    time: int | None = None
    marker: int | None = None

    def fits(self, now: Situation) -> bool:
        """Whether it is there."""
        return (
            (self.privs is None or now.priv in self.privs)
            and self.context in (None, now.context)
            and self.hcontext in (None, now.hcontext)
            and (self.message is None or now.message >= self.message)
            and (self.time is None or now.time >= self.time)
            and (self.marker is None or now.marker >= self.marker)
        )


class _Code(dict[int, Insn | MaybeNone]):
    """pc to the instruction of the last program that has one there."""

    def __init__(self, programs: tuple[Program, ...]) -> None:
        super().__init__()
        self._programs = programs[::-1]

    def __missing__(self, pc: int) -> Insn | None:
        for program in self._programs:
            if (insn := program.code[pc]) is not None:
                self[pc] = insn
                return insn
        return None


class View:
    """Several programs as the hart sees them at one time; where two of them lie, the later one is seen."""

    def __init__(self, programs: tuple[Program, ...], xlen: int) -> None:
        self.programs, self.xlen = programs, xlen
        self.code = _Code(programs)

    def insn(self, pc: int) -> Insn | None:
        """The instruction at pc, None where no program has one."""
        return self.code[pc]

    def program(self, pc: int) -> Program | None:
        """The program whose instruction is at pc."""
        return next((p for p in self.programs[::-1] if p.code[pc] is not None), None)

    def place(self, pc: int) -> str:
        """As `Program.place`."""
        program = self.program(pc)
        return program.place(pc) if program else f"{pc:#x}"

    def where(self, pc: int) -> str:
        """As `Program.where`."""
        program = self.program(pc)
        return program.where(pc) if program else f"{pc:#x}: no instruction in the images that are there"


class ImageMap:
    """All the images of a trace, in the order in which they cover each other. One map may serve many decoders."""

    def __init__(self, images: Iterable[Image] = ()) -> None:
        self.images = list(images)
        self._views: dict[tuple[int, ...], View] = {}

    def add(
        self, program: Program, *, priv: str | Iterable[str] | None = None, context: int | None = None,
        hcontext: int | None = None, message: int | None = None, time: int | None = None, marker: int | None = None,
    ) -> ImageMap:  # fmt: skip
        """Another image; `priv` by name ("U") or names. ImageError for an unknown name."""
        names = None if priv is None else (priv,) if isinstance(priv, str) else tuple(priv)
        for name in names or ():
            if name not in Priv.__members__:
                raise ImageError(f"privilege {name!r} is not known; give one of {', '.join(Priv.__members__)}")
        privs = None if names is None else frozenset(int(Priv[name]) for name in names)
        self.images.append(Image(program, privs, context, hcontext, message, time, marker))
        return self

    @property
    def xlen(self) -> int:
        """Width of the programs; ImageError if there are none, or of both widths."""
        widths = sorted({image.program.xlen for image in self.images})
        if len(widths) != 1:
            found = " and ".join(f"RV{width}" for width in widths) or "nothing"
            raise ImageError(f"the images are of {found}; give programs of one width")
        return widths[0]

    def view(self, now: Situation) -> View:
        """What the hart sees in this situation; equal answers are the same object."""
        chosen = tuple(index for index, image in enumerate(self.images) if image.fits(now))
        if chosen not in self._views:
            self._views[chosen] = View(tuple(self.images[index].program for index in chosen), self.xlen)
        return self._views[chosen]
