# SPDX-License-Identifier: Apache-2.0
"""Whether Yosys proves a mutant equivalent: the module that has it, with all below, against the unchanged one, by
their structure or by induction over the registers, for each set of parameters that the builds of the campaign give it.
Where a package has it, the whole designs are compared, by their structure alone.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyslang import ast

from rvtrace.flow.faults.design import Design
from rvtrace.flow.faults.generate import Mutant
from rvtrace.flow.faults.netlist import same_structure
from rvtrace.flow.synthesis import SynthesisError, yosys
from rvtrace.jobs.builds import ROOT, BuildConfig

PROOF_SECONDS = 20.0  # seconds for one set of parameters
_SETS = 16  # of parameters; a module with more is not tried
_AROUND = (ast.SymbolKind.GenerateBlock, ast.SymbolKind.GenerateBlockArray, ast.SymbolKind.InstanceArray)
_MODULE = re.compile(r"^\s*(module|package)\s+(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Instance:
    """A module with the values of its parameters, as Yosys writes them."""

    module: str
    parameters: tuple[tuple[str, str], ...]


class Prover:
    """Proves mutants of one design. Without Yosys it proves nothing."""

    def __init__(self, design: Design, builds: Iterable[BuildConfig], limit: float = PROOF_SECONDS) -> None:
        self.design, self.limit = design, limit
        self._instances: dict[str, list[Instance]] = {}
        self._tops: list[Instance] = []
        try:
            self._command = yosys()
        except SynthesisError:
            self._command = ""
        ours = {found[2] for text in design.texts.values() for found in _MODULE.finditer(text)}
        for build in builds:
            for top in design.tops(build):
                for one in _found(top):
                    listed = self._instances.setdefault(one.module, [])
                    if one not in listed:
                        listed.append(one)
                self._tops += [one for one in _outermost(top, ours) if one not in self._tops]

    @property
    def available(self) -> bool:
        """Whether there is a Yosys."""
        return bool(self._command)

    def prove(self, mutant: Mutant) -> str:
        """The sentence that says what was proved, or "" if nothing was."""
        text = self.design.texts[mutant.file]
        before = [one for one in _MODULE.finditer(text) if one.start() <= mutant.parts[0].start]
        if not self._command or not before:
            return ""
        # Of a package any module may read, so that whole designs are compared, which is too much for induction.
        of_module = before[-1][1] == "module"
        instances = self._instances.get(before[-1][2], []) if of_module else self._tops
        if not instances or len(instances) > _SETS:
            return ""
        changed = mutant.applied(text)
        if not all(self._same(one, mutant.file, changed, of_module) for one in instances):
            return ""
        number = len(instances)
        what = f"module {before[-1][2]}" if of_module else f"all that reads {before[-1][2]}"
        return f"{what} is the same in {number} set{'s' * (number > 1)} of parameters"

    def _same(self, instance: Instance, file: str, text: str, induction: bool) -> bool:
        (ROOT / "build").mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
            place = Path(folder)
            other = place / "mutated.sv"
            other.write_text(text)
            netlists = [place / f"{name}.json" for name in ("gold", "gate")]
            read = [
                *self._half("gold", instance, {}),
                *(f"write_json {_shown(netlists[0])}", "design -stash gold"),
                *self._half("gate", instance, {file: other}),
                *(f"write_json {_shown(netlists[1])}", "design -stash gate"),
            ]
            if not self._passes([*read], place):
                return False
            if same_structure(*netlists):
                return True
            if not induction:
                return False
            prove = [
                "design -copy-from gold -as gold gold",
                "design -copy-from gate -as gate gate",
                "equiv_make gold gate equiv",
                "hierarchy -top equiv",
                "equiv_struct",
                "equiv_simple",
                "equiv_induct -seq 4",
                "equiv_status -assert",
            ]
            return self._passes([*read, *prove], place)

    def _passes(self, script: list[str], place: Path) -> bool:
        """Whether Yosys ends a script, in time and without an error."""
        (place / "script.ys").write_text("\n".join(script) + "\n")
        command = [self._command, "-q", "-s", str((place / "script.ys").relative_to(ROOT))]
        try:
            done = subprocess.run(
                command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=self.limit
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def _half(self, name: str, instance: Instance, instead: dict[str, Path]) -> Iterator[str]:
        """Read the design and keep the module as a flat one of that name, the current one."""
        files = [instead.get(key, path) for key, path in self.design.paths.items() if not key.endswith("_assert.sv")]
        words = [f"-I{folder}" for folder in self.design.include_dirs]
        words += [f"-D{key}={value}" if value else f"-D{key}" for key, value in self.design.defines.items()]
        yield f"read_verilog -sv {' '.join([*words, *map(_shown, files)])}"
        chosen = "".join(f" -chparam {key} {value}" for key, value in instance.parameters)
        yield f"hierarchy -top {instance.module}{chosen}"
        yield from ("proc", "flatten", "opt_clean", "memory_map", "async2sync", "opt_expr", "opt_merge", "opt_clean")
        yield f"rename -top {name}"


def _shown(path: Path) -> str:
    """A file as Yosys, which runs in the root, finds it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def _found(instance: Any) -> Iterator[Instance]:
    """An instance and all below."""
    yield _of(instance)
    for member in _instances(instance.body):
        yield from _found(member)


def _outermost(instance: Any, ours: Container[str]) -> Iterator[Instance]:
    """Those of the modules of a design that are in no other: what is around them is the testbench's."""
    if instance.definition.name in ours:
        yield _of(instance)
        return
    for member in _instances(instance.body):
        yield from _outermost(member, ours)


def _of(instance: Any) -> Instance:
    values = []
    for one in instance.body.parameters:
        symbol = getattr(one, "value", None)
        if one.kind == ast.SymbolKind.Parameter and not one.isLocalParam and symbol is not None:
            number = symbol.convertToInt().value
            if number is not None:
                width = one.type.bitWidth
                number = int(number)
                values.append(
                    (one.name, str(number) if width == 32 and number >= 0 else f"{width}'h{number % (1 << width):x}")
                )
    return Instance(instance.definition.name, tuple(values))


def _instances(scope: Any) -> Iterator[Any]:
    for member in scope:
        if member.kind == ast.SymbolKind.Instance:
            yield member
        elif member.kind in _AROUND and not getattr(member, "isUninstantiated", False):
            yield from _instances(member)
