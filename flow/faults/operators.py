# SPDX-License-Identifier: Apache-2.0
"""The mutation operators: each makes of one place in the syntax tree of a file the texts that may take its place.

Operators read syntax alone: what is exchanged for a signal is declared with the same type text, so it has the same
width under all parameters. Names, not types, decide that a signal is a register or an input.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pyslang import syntax

from rvtrace.flow.faults.rows import Part

Texts = Iterator[tuple["Part", ...]]

CONSTANT = "constant "  # begins the type text of a parameter
_RESET = re.compile(r"rst|reset", re.IGNORECASE)
_VECTOR = re.compile(r"(\d+)?\s*'\s*(s?)([bdhoBDHO])\s*([0-9a-fA-F_]+)")
_BASES = {"b": 2, "d": 10, "h": 16, "o": 8}
_SWAPPED = {
    "LogicalAndExpression": "||", "LogicalOrExpression": "&&",
    "BinaryAndExpression": "|", "BinaryOrExpression": "&", "BinaryXorExpression": "|",
    "AddExpression": "-", "SubtractExpression": "+",
    "LogicalShiftLeftExpression": ">>", "LogicalShiftRightExpression": "<<", "ArithmeticShiftRightExpression": ">>",
}  # fmt: skip
_COMPARED = {
    "EqualityExpression": ("!=",), "InequalityExpression": ("==",),
    "LessThanExpression": ("<=", ">="), "LessThanEqualExpression": ("<", ">"),
    "GreaterThanExpression": (">=", "<="), "GreaterThanEqualExpression": (">", "<"),
}  # fmt: skip


@dataclass
class Scope:
    """The names that are declared in a module, a generate block or a function. types: of each name, the text of its
    declaration. inputs, registers: those of the names that are input ports, and that clocked blocks assign.
    """

    outer: Scope | None = None
    types: dict[str, str] = field(default_factory=dict)
    inputs: set[str] = field(default_factory=set)
    registers: set[str] = field(default_factory=set)
    function: bool = False
    values: dict[str, str] = field(default_factory=dict)

    def value(self, name: str) -> str:
        """The text of a constant's value, as a number where it is one."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return _number(scope.values[name])
            scope = scope.outer
        return ""

    def find(self, name: str) -> str | None:
        """The type text of a name that is visible here."""
        if name in self.types:
            return self.types[name]
        return self.outer.find(name) if self.outer is not None else None

    def same(self, name: str) -> list[str]:
        """Other visible names of the same type, in alphabetical order; in a function only its arguments and
        variables.
        """
        wanted = self.find(name)
        if wanted is None:
            return []
        found: set[str] = set()
        scope: Scope | None = self
        while scope is not None:
            found |= {other for other, kind in scope.types.items() if kind == wanted and self.find(other) == wanted}
            scope = None if scope.function and not wanted.startswith(CONSTANT) else scope.outer
        return sorted(other for other in found - {name} if ("::" in other) == ("::" in name))

    def stable(self, name: str) -> bool:
        """Whether it is an input or a register: reading it elsewhere closes no combinational loop."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.types:
                return name in scope.inputs or name in scope.registers
            scope = scope.outer
        return False


@dataclass(frozen=True)
class Site:
    """A place in a file. said: the text of a node. read: the names that its statement reads.

    clocked: in a block with a clock. procedural: in a block or a function. target: what is assigned, or selects in it.
    constant: what the elaboration computes, and what it is for: "value", "width", "loop", "generate", "select".
    reset: of the clocked block, the name of its asynchronous reset.
    """

    node: Any
    parent: Any
    text: str
    span: Callable[[Any], tuple[int, int] | None]
    scope: Scope
    read: frozenset[str] = frozenset()
    clocked: bool = False
    procedural: bool = False
    target: bool = False
    constant: str = ""
    reset: str = ""

    @property
    def kind(self) -> str:
        """The kind of its node."""
        return kind_of(self.node)

    def said(self, node: Any) -> str:
        """The text of a node, without what is before and after it."""
        found = self.span(node)
        return self.text[found[0] : found[1]] if found else ""

    def put(self, node: Any, text: str) -> tuple[Part, ...]:
        """`text` in place of a node; nothing if the node comes from a macro."""
        found = self.span(node)
        return (Part(*found, text),) if found else ()


def kind_of(node: Any) -> str:
    """The name of the kind of a node."""
    return str(node.kind).rpartition(".")[2]


@dataclass(frozen=True)
class Operator:
    """One operator. kinds: of the nodes it is tried on. make: the mutants of a site, each some pieces of text.

    built: what it changes is computed by the elaboration, so that each mutant is a build of its own.
    unset: a bit may be left that is never given a value, or is beyond a vector, which a simulator with two states does
    not show.
    """

    name: str
    what: str
    kinds: tuple[str, ...]
    make: Callable[[Site], Texts]
    built: bool = False
    unset: bool = False

    def mutants(self, site: Site) -> Texts:
        """Those of a site that change something."""
        for parts in self.make(site):
            if parts and any(_bare(site.text[part.start : part.end]) != _bare(part.text) for part in parts):
                yield parts


def _bare(text: str) -> str:
    return "".join(text.split())


def _runs(site: Site) -> bool:
    """Whether the place is evaluated at run time, as a value."""
    return not site.constant and not site.target


def _condition(site: Site) -> Any:
    """The one expression of a condition, None if it is a pattern."""
    conditions: list[Any] = [one for one in site.node.predicate.conditions if isinstance(one, syntax.SyntaxNode)]
    return conditions[0].expr if len(conditions) == 1 and conditions[0].matchesClause is None else None


def _is_reset(site: Site) -> bool:
    if kind_of(site.node) != "ConditionalStatement" or not site.clocked:
        return False
    said = site.said(site.node.predicate)
    return bool(re.search(rf"\b{re.escape(site.reset)}\b", said)) if site.reset else bool(_RESET.search(said))


def _negated_condition(site: Site) -> Texts:
    condition = _condition(site)
    if condition is not None and _runs(site) and not _is_reset(site):
        yield site.put(condition, f"!({site.said(condition)})")


def _stuck_condition(site: Site) -> Texts:
    condition = _condition(site)
    if condition is None or not _runs(site) or _is_reset(site):
        return
    yield site.put(condition, "1'b0")
    if kind_of(site.node) == "ConditionalExpression" or site.node.elseClause is not None:
        yield site.put(condition, "1'b1")


def _exchanged_signal(site: Site) -> Texts:
    if not _runs(site) or kind_of(site.parent) in ("NamedType", "ScopedName"):
        return
    name = site.node.identifier.valueText
    if name.startswith("unused") or (site.scope.find(name) or CONSTANT).startswith(CONSTANT):
        return
    found = site.span(site.node)
    if found is None:
        return
    for other in site.scope.same(name):
        if not other.startswith("unused") and (
            other in site.read or site.scope.stable(other) or site.scope.function or site.clocked
        ):
            yield (Part(found[0], found[0] + len(name), other),)


def _exchanged_constant(site: Site) -> Texts:
    """A constant by another of its package, module or block; those of a package have its name before them."""
    if not _runs(site) or (site.kind == "IdentifierName" and kind_of(site.parent) == "ScopedName"):
        return
    name = _bare(site.said(site.node))
    if (site.scope.find(name) or "").startswith(CONSTANT):
        for other in site.scope.same(name):
            if not site.scope.value(name) or site.scope.value(name) != site.scope.value(other):
                yield site.put(site.node, other)


def _number(text: str) -> str:
    text = text.strip().replace("_", "")
    match = _VECTOR.fullmatch(text)
    return str(int(match[4], _BASES[match[3].lower()])) if match else text


def _operator(site: Site) -> Texts:
    if _runs(site):
        yield site.put(site.node, f"({site.said(site.node.left)} {_SWAPPED[site.kind]} {site.said(site.node.right)})")


def _comparison(site: Site) -> Texts:
    if _runs(site):
        for sign in _COMPARED[site.kind]:
            yield site.put(site.node, f"({site.said(site.node.left)} {sign} {site.said(site.node.right)})")


def _dropped_operand(site: Site) -> Texts:
    if _runs(site):
        yield site.put(site.node, f"({site.said(site.node.left)})")
        yield site.put(site.node, f"({site.said(site.node.right)})")


def _dropped_not(site: Site) -> Texts:
    if _runs(site):
        yield site.put(site.node, f"({site.said(site.node.operand)})")


def _negated_operand(site: Site) -> Texts:
    if _runs(site):
        for operand in (site.node.left, site.node.right):
            if kind_of(operand) != "UnaryLogicalNotExpression":
                yield site.put(operand, f"!({site.said(operand)})")


def _dropped_term(site: Site) -> Texts:
    if _runs(site):
        terms = [one for one in site.node.expressions if isinstance(one, syntax.SyntaxNode)]
        for term in terms if len(terms) > 1 else ():
            if not _zero(site.said(term)):
                yield site.put(term, f"(({site.said(term)}) & 1'b0)")


def _reduction(site: Site) -> Texts:
    if _runs(site):
        other = {"UnaryBitwiseOrExpression": "&", "UnaryBitwiseAndExpression": "|", "UnaryBitwiseXorExpression": "|"}
        yield site.put(site.node, f"({other[site.kind]}{site.said(site.node.operand)})")


def _zero(text: str) -> bool:
    return bool(re.fullmatch(r"'0|\d*'[bdho][0_]+|\{.*\{\s*(1'b0|1'd0)\s*\}\s*\}", text.strip(), re.DOTALL))


def literals(text: str) -> list[tuple[str, str]]:
    """(kind, text) of the constants near one: "one" is off by one, "bit" has one bit inverted."""
    text = text.strip()
    if text in ("'0", "'1"):
        return [("bit", "'1" if text == "'0" else "'0")]
    if re.fullmatch(r"[0-9_]+", text):
        value = int(text.replace("_", ""))
        return [("one", str(near)) for near in (value + 1, value - 1) if near >= 0]
    match = _VECTOR.fullmatch(text)
    if match is None:
        return []
    size, signed, base = match[1], match[2], match[3].lower()
    value = int(match[4].replace("_", ""), _BASES[base])
    width = int(size) if size else max(value.bit_length(), 1)
    written = {"b": lambda n: f"{n:0{width}b}", "d": str, "h": lambda n: f"{n:X}", "o": lambda n: f"{n:o}"}[base]

    def near(number: int) -> str:
        return f"{size or ''}'{signed}{base}{written(number % (1 << width))}"

    ones = [("one", near(value + 1)), ("one", near(value - 1))] if width > 1 else []
    return ones + [("bit", near(value ^ (1 << bit))) for bit in range(width)]


def _constant(what: str) -> Callable[[Site], Texts]:
    def make(site: Site) -> Texts:
        if _runs(site):
            for kind, text in literals(site.said(site.node)):
                if kind == what:
                    yield site.put(site.node, text)

    return make


def _declared_value(site: Site) -> Texts:
    if site.constant == "value":
        for _, text in literals(site.said(site.node)):
            yield site.put(site.node, text)


def _width(site: Site) -> Texts:
    if site.constant == "width":
        yield site.put(site.node.left, f"({site.said(site.node.left)})-1")


def _loop_bound(site: Site) -> Texts:
    node = site.node
    if site.kind in ("LoopGenerate", "ForLoopStatement") and node.stopExpr is not None:
        stop = node.stopExpr
        if kind_of(stop) in _COMPARED:
            yield site.put(stop.right, f"({site.said(stop.right)})-1")
            begins = node.initialExpr if site.kind == "LoopGenerate" else None
            if begins is not None and site.said(begins) == "0":
                yield site.put(begins, "1")


def _generate_condition(site: Site) -> Texts:
    yield site.put(site.node.condition, f"!({site.said(site.node.condition)})")


def _moved_select(site: Site) -> Texts:
    """A part-select one bit up or down."""
    if site.target or site.constant not in ("", "select") or site.scope.function:
        return
    left, right = site.said(site.node.left), site.said(site.node.right)
    if site.kind == "SimpleRangeSelect":
        for sign in "+-":
            yield site.put(site.node, f"({left}){sign}1:({right}){sign}1")
    else:
        for sign in "+-":
            yield site.put(site.node.left, f"({left}){sign}1")


def _moved_index(site: Site) -> Texts:
    if _runs(site) and not re.fullmatch(r"\s*0\s*", site.said(site.node)):
        yield site.put(site.node, f"({site.said(site.node)})-1")


def _mux_arm(site: Site) -> Texts:
    """Bodies of neighbouring cases exchanged; one case removed, if there is a default."""
    items = [one for one in site.node.items if kind_of(one) == "StandardCaseItem"]
    default = any(kind_of(one) == "DefaultCaseItem" for one in site.node.items)
    for first, second in zip(items, items[1:]):
        if _bare(site.said(first.clause)) != _bare(site.said(second.clause)):
            yield (
                *site.put(first.clause, site.said(second.clause)),
                *site.put(second.clause, site.said(first.clause)),
            )
    for item in items if default and len(items) > 1 else ():
        yield site.put(item, "")


def _assignments(node: Any) -> Iterator[Any]:
    """The statements of a branch that assign, in its blocks but not below further conditions."""
    if kind_of(node) == "ExpressionStatement":
        yield node
    elif kind_of(node) == "SequentialBlockStatement":
        for one in node.items:
            if isinstance(one, syntax.SyntaxNode):
                yield from _assignments(one)


def _missing_reset(site: Site) -> Texts:
    if _is_reset(site):
        for statement in _assignments(site.node.statement):
            yield site.put(statement, ";")


def _missing_hold(site: Site) -> Texts:
    if site.clocked and site.node.elseClause is None and not _is_reset(site):
        yield site.put(site.node, site.said(site.node.statement))


def _missing_else(site: Site) -> Texts:
    if site.procedural and site.node.elseClause is not None and not _is_reset(site):
        yield site.put(site.node.elseClause.clause, ";")


def _missing_assignment(site: Site) -> Texts:
    if site.clocked and kind_of(site.node.expr) == "NonblockingAssignmentExpression":
        yield site.put(site.node, ";")


def _stuck_value(site: Site) -> Texts:
    """What is assigned is always 0."""
    said, target = site.said(site.node.right), site.said(site.node.left)
    if site.constant or not said or _zero(said) or target.startswith("unused"):
        return
    if not site.scope.function or not re.fullmatch(r"[^a-z]*", said):
        yield site.put(site.node.right, "'0")


_BINARY = tuple(_SWAPPED)
_LOGIC = ("LogicalAndExpression", "LogicalOrExpression")
_LITERALS = ("IntegerVectorExpression", "IntegerLiteralExpression", "UnbasedUnsizedLiteralExpression")
_IFS = ("ConditionalStatement", "ConditionalExpression")

OPERATORS: tuple[Operator, ...] = (
    Operator("negated_condition", "the condition of an if or ?: inverted", _IFS, _negated_condition),
    Operator("stuck_condition", "the condition of an if or ?: always false, or always true", _IFS, _stuck_condition),
    Operator("exchanged_signal", "another signal of the same type", ("IdentifierName", "IdentifierSelectName"),
             _exchanged_signal),
    Operator("exchanged_constant", "another constant of the same package or module and type", 
             ("ScopedName", "IdentifierName"), _exchanged_constant),
    Operator("operator", "&& for ||, & for |, + for -, << for >>, and the reverse", _BINARY, _operator),
    Operator("comparison", "== for !=, < for <= or >=, and the like", tuple(_COMPARED), _comparison),
    Operator("dropped_operand", "one side of &&, ||, &, | or ^ alone",
             (*_LOGIC, "BinaryAndExpression", "BinaryOrExpression", "BinaryXorExpression"), _dropped_operand),
    Operator("negated_operand", "one side of && or || inverted", _LOGIC, _negated_operand),
    Operator("dropped_not", "! or ~ removed", ("UnaryLogicalNotExpression", "UnaryBitwiseNotExpression"),
             _dropped_not),
    Operator("dropped_term", "one part of a concatenation is 0", ("ConcatenationExpression",), _dropped_term),
    Operator("reduction", "| for &, & for |, | for ^",
             ("UnaryBitwiseOrExpression", "UnaryBitwiseAndExpression", "UnaryBitwiseXorExpression"), _reduction),
    Operator("constant_one", "a constant one larger or smaller", _LITERALS, _constant("one")),
    Operator("constant_bit", "one bit of a constant inverted", _LITERALS, _constant("bit")),
    Operator("moved_select", "a part-select one bit up or down",
             ("SimpleRangeSelect", "AscendingRangeSelect", "DescendingRangeSelect"), _moved_select, unset=True),
    Operator("moved_index", "an element before the one that is read", ("BitSelect",), _moved_index,
             unset=True),
    Operator("mux_arm", "two cases exchanged, or one left to the default", ("CaseStatement",), _mux_arm),
    Operator("missing_reset", "a register that reset does not set", ("ConditionalStatement",), _missing_reset,
             unset=True),
    Operator("missing_hold", "a register that changes in every cycle", ("ConditionalStatement",), _missing_hold),
    Operator("missing_else", "the else of a block removed", ("ConditionalStatement",), _missing_else, unset=True),
    Operator("missing_assignment", "an assignment of a clocked block removed", ("ExpressionStatement",),
             _missing_assignment, unset=True),
    Operator("stuck_value", "an assigned value is always 0",
             ("AssignmentExpression", "NonblockingAssignmentExpression"), _stuck_value),
    Operator("declared_value", "another value of a localparam, parameter or enum member", _LITERALS, _declared_value,
             built=True, unset=True),
    Operator("width", "a signal with one bit less", ("SimpleRangeSelect",), _width, built=True,
             unset=True),
    Operator("loop_bound", "a loop ends one earlier, or begins one later", ("LoopGenerate", "ForLoopStatement"),
             _loop_bound, built=True, unset=True),
    Operator("generate_condition", "the condition of an if around instances or assignments inverted", ("IfGenerate",),
             _generate_condition, built=True, unset=True),
)  # fmt: skip
BY_NAME = {operator.name: operator for operator in OPERATORS}
