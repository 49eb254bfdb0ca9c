# SPDX-License-Identifier: Apache-2.0
"""Whether Yosys proves a mutant equivalent: the module that has it, with all below, against the unchanged one, by
their structure or by induction over the registers, for each set of parameters that the builds of the campaign give it.

A module that is not the same alone may be so in all that have it: an input is constant there, or an output is not read
while it differs. So what has it is compared next, up to the whole design. Where a package has the mutant, whole designs
are compared, by their structure alone.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyslang import ast

from rvtrace.flow.faults.design import Design
from rvtrace.flow.faults.generate import Mutant
from rvtrace.flow.faults.netlist import same_structure
from rvtrace.flow.synthesis import SynthesisError, yosys
from rvtrace.jobs.builds import ROOT, BuildConfig

# Seconds of the processor: of one set of parameters, and of all of a mutant. The slowest proof that was seen took 10
# for each of 8 sets (the access to the counters). What is no equivalent ends with the first set that is not proved.
PROOF_SECONDS, MUTANT_SECONDS = 15.0, 90.0
_SETS = 16  # of parameters; a module with more is not tried
# Nets that are compared: ports and registers. The reset of a register is a multiplexer after it (async2sync). Others
# may differ where nothing reads them.
_HIDE = "rename -hide w:* t:$*dff* %co3:+[Q,A,B,Y] w:* %i %d"
_AROUND = (ast.SymbolKind.GenerateBlock, ast.SymbolKind.GenerateBlockArray, ast.SymbolKind.InstanceArray)
_MODULE = re.compile(r"^\s*(module|package)\s+(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Instance:
    """A module with the values of its parameters, as Yosys writes them."""

    module: str
    parameters: tuple[tuple[str, str], ...]


@dataclass
class _Proof:
    """Of one mutant. inner: the module that has it. left: seconds of the processor. same: what was found of instances,
    by their structure or not.
    """

    file: str
    inner: str
    text: str
    left: float
    same: dict[tuple[Instance, bool], bool] = field(default_factory=dict)


class Prover:
    """Proves mutants of one design. Without Yosys it proves nothing. limit: seconds of the processor for a mutant."""

    def __init__(self, design: Design, builds: Iterable[BuildConfig], limit: float = MUTANT_SECONDS) -> None:
        self.design, self.limit = design, limit
        self._instances: dict[str, list[Instance]] = {}
        self._around: dict[Instance, list[Instance]] = {}  # those that have an instance
        self._tops: list[Instance] = []
        try:
            self._command = yosys()
        except SynthesisError:
            self._command = ""
        ours = {found[2] for text in design.texts.values() for found in _MODULE.finditer(text)}
        for build in builds:
            for top in design.tops(build):
                for one, around in _found(top):
                    listed = self._instances.setdefault(one.module, [])
                    if one not in listed:
                        listed.append(one)
                    having = self._around.setdefault(one, [])
                    if around is not None and around.module in ours and around not in having:
                        having.append(around)
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
        proof = _Proof(mutant.file, before[-1][2], mutant.applied(text), self.limit)
        # Of a package any module may read, so that whole designs are compared, which is too much for induction.
        of_module = before[-1][1] == "module"
        instances = self._instances.get(before[-1][2], []) if of_module else self._tops
        if not instances or len(instances) > _SETS:
            return ""
        for by_structure in (True, False) if of_module else (True,):
            shown: Counter[str] = Counter()
            if all(self._hidden(one, proof, by_structure, shown) for one in instances):
                named = shown if of_module else {f"all that reads {before[-1][2]}": shown.total()}
                return " and ".join(
                    f"{'module ' * of_module}{what} is the same in {number} set{'s' * (number > 1)} of parameters"
                    for what, number in named.items()
                )
        return ""

    def _hidden(self, instance: Instance, proof: _Proof, by_structure: bool, shown: Counter[str]) -> bool:
        """Whether a mutant makes no difference in an instance, or in all that have it. shown: where it makes none."""
        key = instance, by_structure
        if key not in proof.same:
            found = proof.same.get((instance, True), False) or self._same(instance, proof, by_structure)
            proof.same[key] = found
            if found:
                shown[instance.module] += 1
        around = self._around.get(instance, [])
        return proof.same[key] or (
            0 < len(around) <= _SETS and all(self._hidden(one, proof, by_structure, shown) for one in around)
        )

    def _same(self, instance: Instance, proof: _Proof, by_structure: bool) -> bool:
        (ROOT / "build").mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
            place = Path(folder)
            other = place / "mutated.sv"
            other.write_text(proof.text)
            netlists = [place / f"{name}.json" for name in ("gold", "gate")]
            after = [f"write_json {_shown(path)}" if by_structure else _HIDE for path in netlists]
            read = [
                *self._half("gold", instance, {}),
                *(after[0], "design -stash gold"),
                *self._half("gate", instance, {proof.file: other}),
                *(after[1], "design -stash gate"),
            ]
            if by_structure:
                if not self._passes(read, place, proof):
                    return False
                begin = time.thread_time()
                same = same_structure(*netlists)
                proof.left -= time.thread_time() - begin
                return same
            prove = [
                "design -copy-from gold -as gold gold",
                "design -copy-from gate -as gate gate",
                "equiv_make gold gate equiv",
                "hierarchy -top equiv",
                "equiv_struct",
                "equiv_simple",
                *(["equiv_induct -seq 4"] if proof.inner == instance.module else []),
                "equiv_status -assert",
            ]
            return self._passes([*read, *prove], place, proof)

    def _passes(self, script: list[str], place: Path, proof: _Proof) -> bool:
        """Whether Yosys ends a script, in time and without an error."""
        (place / "script.ys").write_text("\n".join(script) + "\n")
        most = math.ceil(min(PROOF_SECONDS, proof.left))
        if most <= 0:
            return False
        words = ["sh", "-c", 'ulimit -t "$0" && exec "$@"', str(most), self._command, "-q", "-s"]
        process = subprocess.Popen(
            [*words, str((place / "script.ys").relative_to(ROOT))],
            cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        proof.left -= used.ru_utime + used.ru_stime
        return process.returncode == 0

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


def _found(instance: Any, around: Instance | None = None) -> Iterator[tuple[Instance, Instance | None]]:
    """An instance and all below, each with what has it."""
    yield (one := _of(instance)), around
    for member in _instances(instance.body):
        yield from _found(member, one)


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
