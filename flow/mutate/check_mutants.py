# SPDX-License-Identifier: Apache-2.0
"""Mutants of the Python side: encoder models, decoders and scoreboards, made from their syntax trees.

    for mutant in chosen(Path("scoreboards/ntrace"), 100, "1"): mutant.apply(source)

An operator changes one place inside a function: a comparison, a condition, a sum, a number, a statement. What only
words a message, or states a type, is left alone. Module-level tables are not mutated: their numbers are stated a second
time by tests/*/test_numbers_of_the_document.py.
"""

from __future__ import annotations

import ast
import hashlib
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from rvtrace.jobs.builds import ROOT

FOLDERS = ("models", "scoreboards")
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.In: "not in",
    ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "//", ast.LShift: ">>", ast.RShift: "<<",
    ast.BitAnd: "|", ast.BitOr: "&", ast.BitXor: "|",
}  # fmt: skip
_TEXTS = ("failure", "Failure", "Problem", "_problem", "fail_text", "print", "warn", "format", "join", "text")


@dataclass(frozen=True)
class CheckMutant:
    """One change of a Python file. file: below the repository. line: of the change, from 1. start, end: offsets of what
    is replaced. function: the innermost one, by the line of its `def` or first decorator. outermost: name and line of
    the one that no other function is around.
    """

    file: str
    line: int
    start: int
    end: int
    before: str
    after: str
    operator: str
    function: int
    outermost: tuple[str, int] = ("", 0)

    @property
    def id(self) -> str:
        """Stays the same while the function's text before the place does not change its offsets."""
        text = f"{self.file}:{self.start}:{self.before}:{self.after}"
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def apply(self, source: str) -> str:
        """The changed file; ValueError if the file has changed since."""
        if source[self.start : self.end] != self.before:
            raise ValueError(f"{self.file} has changed since the mutant was made; make the mutants again")
        return source[: self.start] + self.after + source[self.end :]

    def applied(self, text: str) -> str:
        """As `apply`, by the name that mutants of the RTL have."""
        return self.apply(text)

    @property
    def span(self) -> tuple[int, int]:
        """What is replaced."""
        return self.start, self.end

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def _chance(node: ast.AST) -> bool:
    """rng.random()"""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "random"


class _Finder(ast.NodeVisitor):
    """All mutants of a file."""

    def __init__(self, file: str, source: str) -> None:
        self.file, self.source = file, source
        self.found: list[CheckMutant] = []
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self._text = source.splitlines(keepends=True)
        self._functions: list[tuple[str, int]] = []

    def _offset(self, line: int, column: int) -> int:
        """Columns of the tree count bytes."""
        text = self._text[line - 1].encode()[:column].decode()
        return self._lines[line - 1] + len(text)

    def _span(self, node: ast.AST) -> tuple[int, int]:
        start = self._offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        end = self._offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        return start, end

    def _add(self, node: ast.AST, start: int, end: int, after: str, operator: str) -> None:
        before = self.source[start:end]
        if self._functions and before != after:
            line = node.lineno  # type: ignore[attr-defined]
            self.found.append(
                CheckMutant(self.file, line, start, end, before, after, operator, self._functions[-1][1],
                            self._functions[0])
            )  # fmt: skip

    def _whole(self, node: ast.AST, after: str, operator: str) -> None:
        self._add(node, *self._span(node), after, operator)

    def _between(self, left: ast.AST, right: ast.AST, after: str, operator: str) -> None:
        """What is between two operands: the operator, with its brackets and spaces kept."""
        start, end = self._span(left)[1], self._span(right)[0]
        gap = self.source[start:end]
        body = gap.strip(" ()\n\\")
        if body and "#" not in gap:
            at = start + gap.index(body)
            self._add(left, at, at + len(body), after, operator)

    # --- Functions ----------------------------------------------------------------------------------

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if any(isinstance(d, ast.Name) and d.id in ("overload", "abstractmethod") for d in node.decorator_list):
            return
        line = node.decorator_list[0].lineno if node.decorator_list else node.lineno
        self._functions.append((node.name, line))
        body = node.body
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body = body[1:]
        for statement in body:
            self.visit(statement)
        self._functions.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    # --- What says nothing about behaviour ----------------------------------------------------------

    def visit_Raise(self, node: ast.Raise) -> None:
        """Its text is not judged."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """A text."""

    def visit_Assert(self, node: ast.Assert) -> None:
        """For the type checker."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    # --- Operators ----------------------------------------------------------------------------------

    def visit_Compare(self, node: ast.Compare) -> None:
        left: ast.AST = node.left
        for op, right in zip(node.ops, node.comparators):
            after = _COMPARISONS[type(op)]
            if _chance(left) or _chance(right):
                after = {"<=": ">", ">=": "<"}.get(after, after)  # of a random float both are the same
            self._between(left, right, after, "comparison")
            left = right
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        word = "and" if isinstance(node.op, ast.Or) else "or"
        for left, right in zip(node.values, node.values[1:]):
            if len(node.values) == 2:
                self._between(left, right, word, "and/or")
        if len(node.values) > 2:  # one term less
            for left, right in zip(node.values, node.values[1:]):
                self._add(right, self._span(left)[1], self._span(right)[1], self._closing(left, right), "term dropped")
        self.generic_visit(node)

    def _closing(self, left: ast.AST, right: ast.AST) -> str:
        """Brackets between two terms that close the first."""
        gap = self.source[self._span(left)[1] : self._span(right)[0]]
        return ")" * gap.count(")") if "(" not in gap else gap  # with an opening one: nothing is changed safely

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, (ast.Not, ast.Invert)):
            inner = self.source[slice(*self._span(node.operand))]
            self._whole(node, f"({inner})", "negation dropped")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        texts = any(isinstance(side, (ast.JoinedStr, ast.List, ast.Tuple)) or
                    (isinstance(side, ast.Constant) and isinstance(side.value, (str, bytes)))
                    for side in (node.left, node.right))  # fmt: skip
        if type(node.op) in _ARITHMETIC and not texts:
            self._between(node.left, node.right, _ARITHMETIC[type(node.op)], "arithmetic")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._whole(node, str(not node.value), "constant")
        elif isinstance(node.value, int):
            self._whole(node, f"({node.value} + 1)", "constant")
            if node.value:
                self._whole(node, f"({node.value} - 1)", "constant")

    def visit_If(self, node: ast.If) -> None:
        inner = self.source[slice(*self._span(node.test))]
        self._whole(node.test, f"(not ({inner}))", "condition negated")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        inner = self.source[slice(*self._span(node.test))]
        self._whole(node.test, f"(not ({inner}))", "condition negated")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._whole(node, "pass", "statement dropped")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._whole(node, "pass", "statement dropped")
        self.generic_visit(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        self._whole(node, "break", "loop")

    def visit_Break(self, node: ast.Break) -> None:
        self._whole(node, "continue", "loop")

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in _TEXTS:
            for value in node.args:
                if isinstance(value, (ast.Call, ast.Lambda)):
                    self.visit(value)
            return
        self.generic_visit(node)


def mutants_of(path: Path) -> list[CheckMutant]:
    """All mutants of a file, in the order of their places, with some that do not compile (`is_real`)."""
    source = path.read_text()
    finder = _Finder(str(path.relative_to(ROOT)), source)
    finder.visit(ast.parse(source))
    unique = {(m.start, m.end, m.after): m for m in finder.found}
    return [mutant for _, mutant in sorted(unique.items())]


def is_real(mutant: CheckMutant) -> bool:
    """Whether the changed file compiles and is another program."""
    source = (ROOT / mutant.file).read_text()
    try:
        changed = ast.parse(mutant.apply(source))
    except SyntaxError:
        return False
    return ast.dump(changed) != ast.dump(ast.parse(source))


def files_of(ip: str) -> list[Path]:
    """What is mutated for a system: its models and its scoreboards."""
    return sorted(
        path
        for folder in FOLDERS
        for path in (ROOT / folder / ip).rglob("*.py")
        if path.name != "__init__.py" and "def " in path.read_text()
    )


def chosen(files: list[Path], count: int, seed: str) -> Iterator[CheckMutant]:
    """`count` mutants, spread over files by their size and over operators evenly."""
    rng = random.Random(f"{seed}:check_mutants")
    pools: dict[tuple[str, str], list[CheckMutant]] = {}
    weights: dict[str, int] = {}
    for path in files:
        made = mutants_of(path)
        weights[str(path.relative_to(ROOT))] = len(made)
        for mutant in made:
            pools.setdefault((mutant.file, mutant.operator), []).append(mutant)
    for pool in pools.values():
        rng.shuffle(pool)
    total = sum(weights.values())
    if not total:
        return
    left = count
    for number, (file, weight) in enumerate(sorted(weights.items())):
        remaining = sum(w for _, w in sorted(weights.items())[number:])
        share = min(weight, round(left * weight / remaining)) if remaining else 0
        left -= share
        own = [pools[key] for key in sorted(pools) if key[0] == file]
        while share and any(own):
            for pool in own:
                while pool and share:
                    mutant = pool.pop()
                    if is_real(mutant):
                        share -= 1
                        yield mutant
                        break
