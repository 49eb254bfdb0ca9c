# SPDX-License-Identifier: Apache-2.0
"""`rvtrace programs`: compiles a set, records it, and puts both below build/programs, where PROGRAM=<name> finds them.

The manifest, which is committed, has the checksums of what was built with which compiler, and why a program of a set
is left out. A program that ends with a complaint of its own is an error, unless the manifest says why.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rvtrace.flow.programs import compile as compiler
from rvtrace.flow.programs import host, package, record
from rvtrace.flow.programs.package import ProgramsError
from rvtrace.flow.programs.path import Path as UnicornRun
from rvtrace.flow.programs.sets import Recipe, recipes
from rvtrace.jobs.builds import ROOT
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.program import Program, ProgramError
from rvtrace.models.riscv.retired import Kind

OUT = ROOT / "build" / "programs"
MANIFEST = ROOT / "flow" / "programs" / "manifest.json"
_HALF = ".half-built-"
TEST_LIMIT = 200_000  # instructions of a test that is not a benchmark


@dataclass(frozen=True)
class Built:
    """One program. said: "" or what is wrong with it. elf, rec: checksums. code: what it stored to tohost."""

    name: str
    rows: int = 0
    elf: str = ""
    rec: str = ""
    code: int = 0
    said: str = ""


@dataclass(frozen=True)
class Manifest:
    """compiler, package: versions. programs: name to checksums and rows. left_out: name to the reason."""

    compiler: str
    package: str
    programs: dict[str, dict[str, Any]]
    left_out: dict[str, str]

    @classmethod
    def read(cls, path: Path = MANIFEST) -> Manifest:
        """From its file; an empty one if there is none."""
        if not path.exists():
            return cls("", "", {}, {})
        try:
            given = json.loads(path.read_text())
            return cls(given["compiler"], given["package"], given["programs"], given["left_out"])
        except (ValueError, KeyError, TypeError) as error:
            raise ProgramsError(f"{path} is no manifest ({error}); restore it with git checkout") from None

    def write(self, path: Path = MANIFEST) -> None:
        """One line for each program, so that a difference can be read."""
        head = {"compiler": self.compiler, "package": self.package, "left_out": dict(sorted(self.left_out.items()))}
        lines = [f"  {json.dumps(name)}: {json.dumps(self.programs[name])}" for name in sorted(self.programs)]
        text = json.dumps(head, indent=1)[:-2] + ',\n "programs": {\n' + ",\n".join(lines) + "\n }\n}\n"
        path.write_text(text)

    def differs(self, built: Built) -> str:
        """What is not as it was when the manifest was made, in words; "" if nothing is, or it is not in there."""
        known = self.programs.get(built.name)
        if known is None:
            return ""
        changed = [what for what in ("elf", "rec") if getattr(built, what) != known[what]]
        return "" if not changed else "another program" if "elf" in changed else "the same program, another recording"


def build(
    of: str,
    xlen: int | None,
    workers: int,
    out: Path | None = None,
    tell: Callable[[Built], None] = lambda built: None,
    iterations: int = 1,
) -> tuple[list[Built], Manifest]:
    """Compile and record a set into out/<set>, by default build/programs/<set>; ProgramsError.

    What was there before stays if nothing can be built.
    """
    out = OUT if out is None else out
    gcc = compiler.compiler()
    vendor = package.vendor()
    manifest = Manifest.read()
    todo = [one for one in recipes(of, vendor, xlen, iterations) if _name(one) not in manifest.left_out]
    if not todo:
        raise ProgramsError(f"SET={of} has no program for RV{xlen}; give XLEN={64 if xlen == 32 else 32}")
    out.mkdir(parents=True, exist_ok=True)
    _sweep(out)
    made: list[Built] = []
    with tempfile.TemporaryDirectory(dir=out, prefix=f"{_HALF}{os.getpid()}-") as scratch:
        for built in _each(gcc, todo, vendor, Path(scratch), workers):
            made.append(built)
            tell(built)
        (out / of).mkdir(exist_ok=True)
        for built in made:
            if not built.said:
                for suffix in (".elf", ".rec"):
                    shutil.move(Path(scratch) / f"{built.name}{suffix}", out / of / f"{built.name}{suffix}")
    found = Manifest(compiler.version(gcc), package.version(), dict(manifest.programs), manifest.left_out)
    return made, found


def _sweep(out: Path) -> None:
    """Remove what a build that was killed has left."""
    for folder in out.glob(f"{_HALF}*"):
        owner = folder.name[len(_HALF) :].partition("-")[0]
        if not owner.isdigit() or not Path("/proc", owner).exists():
            shutil.rmtree(folder, ignore_errors=True)


def _each(gcc: str, todo: list[Recipe], vendor: Path, out: Path, workers: int) -> Iterator[Built]:
    """The programs in order, as many at a time as there are workers."""
    if workers == 1:
        yield from (one(gcc, recipe, vendor, out) for recipe in todo)
        return
    with ProcessPoolExecutor(workers) as pool:
        for job in [pool.submit(one, gcc, recipe, vendor, out) for recipe in todo]:
            yield job.result()


def one(gcc: str, recipe: Recipe, vendor: Path, out: Path) -> Built:
    """Compile, record and read back one program; what is wrong is in `said`."""
    name, elf = _name(recipe), out / recipe.file
    try:
        compiler.compile_program(gcc, recipe, vendor, elf)
        program = Program.from_elf(elf)
        limit = record.RECORDED_INSTRUCTIONS if recipe.is_benchmark else TEST_LIMIT
        run = record.run(program, host.tohost(elf)[0], limit, **recipe.hart)
        if run.code != 1:
            return Built(name, len(run.retired), code=run.code, said=f"it complains: {complaint(run.code)}")
        if recipe.has_signature and (said := other_signature(elf, run)):
            return Built(name, len(run.retired), code=run.code, said=said)
        rec = elf.with_suffix(".rec")
        recording.save(rec, elf, run.retired, run.initial)
        if recording.load(rec).retired.differs(run.retired) is not None:
            return Built(name, said="its recording does not read back as it was made; this is an error of ours")
        return Built(name, len(run.retired), compiler.digest(elf), compiler.digest(rec), run.code)
    except (ProgramsError, ProgramError, recording.RecordingError) as error:
        return Built(name, said=str(error))


def other_signature(elf: Path, run: record.Run) -> str:
    """What unicorn computes otherwise than the reference simulator, in words; "" if nothing, or if there were traps,
    which unicorn does not take.
    """
    if (run.retired.kind != Kind.INSN).any():
        return ""
    found = host.symbols(elf)
    begin, end = found["begin_signature"], found["end_signature"]
    other = UnicornRun(Program.from_elf(elf), *host.tohost(elf))
    for _ in other.parts():
        pass
    ours, theirs = run.hart.memory.read(begin, end - begin), other.memory(begin, end - begin)
    if ours == theirs:
        return ""
    place = next(at for at in range(len(ours)) if ours[at] != theirs[at]) & ~3
    return (
        f"its signature at {begin + place:#x} is {ours[place : place + 4].hex()}, and {theirs[place : place + 4].hex()}"
        " on unicorn; one of the two is wrong"
    )


def complaint(code: int) -> str:
    """What an end other than 1 means in riscv-tests."""
    return f"test case {code >> 1} failed" if code >> 1 < 1000 else f"it ended with {code >> 1}"


def merged(manifest: Manifest, made: Iterable[Built]) -> Manifest:
    """The manifest with what was made now."""
    programs = dict(manifest.programs)
    for built in made:
        if not built.said:
            programs[built.name] = {"rows": built.rows, "elf": built.elf, "rec": built.rec}
    return Manifest(manifest.compiler, manifest.package, programs, manifest.left_out)


def _name(recipe: Recipe) -> str:
    return recipe.file.removesuffix(".elf")
