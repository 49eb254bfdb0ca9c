# SPDX-License-Identifier: Apache-2.0
"""Width and sign of expressions, as far as declarations show them without elaboration.

Widths are texts, such as "8", "Xlen" or "concat(8+Xlen)": two expressions of the same text have the same width with
every value of the parameters. What is not certain is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rvtrace.flow.faults.trees import Design, Node, called, function_name

_BOOLEAN = (
    "EqualityExpression", "InequalityExpression", "CaseEqualityExpression", "CaseInequalityExpression",
    "WildcardEqualityExpression", "WildcardInequalityExpression", "LessThanExpression", "LessThanEqualExpression",
    "GreaterThanExpression", "GreaterThanEqualExpression", "LogicalAndExpression", "LogicalOrExpression",
    "LogicalImplicationExpression", "LogicalEquivalenceExpression", "UnaryLogicalNotExpression",
    "UnaryBitwiseAndExpression", "UnaryBitwiseOrExpression", "UnaryBitwiseXorExpression", "UnaryBitwiseNandExpression",
    "UnaryBitwiseNorExpression", "UnaryBitwiseXnorExpression", "InsideExpression",
)  # fmt: skip
_BITWISE = ("BinaryAndExpression", "BinaryOrExpression", "BinaryXorExpression")
_MODULAR = ("AddExpression", "SubtractExpression", "MultiplyExpression", "BinaryXnorExpression")
_DIVIDING = ("DivideExpression", "ModExpression")
_LEFT = ("LogicalShiftLeftExpression", "ArithmeticShiftLeftExpression")
_RIGHT = ("LogicalShiftRightExpression", "ArithmeticShiftRightExpression")
_ATOMS = {"ByteType": 8, "ShortIntType": 16, "IntType": 32, "LongIntType": 64, "IntegerType": 32}
_VECTORS = ("LogicType", "RegType", "BitType", "ImplicitType")
_SCOPES = (
    "SequentialBlockStatement", "ForLoopStatement", "FunctionDeclaration", "TaskDeclaration", "GenerateBlock",
    "LoopGenerate", "ModuleDeclaration", "InterfaceDeclaration", "PackageDeclaration",
)  # fmt: skip
_DECLARING = (
    "ModuleHeader", "InterfaceHeader", "FunctionPrototype", "DataDeclaration", "NetDeclaration",
    "ForVariableDeclaration", "ParameterDeclarationStatement", "PortDeclaration",
)  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """Of an expression. width: None if unknown. sign: "u", "s", "n" for numbers without a base that are not negative,
    which extend in the same way either way, or None.

    closed: in a wider context its value is the same, extended. stable: in a wider context its lower bits are the same.
    """

    width: str | None = None
    sign: str | None = None
    closed: bool = False
    stable: bool = False


UNKNOWN = Shape()
BIT = Shape("1", "u", True, True)


def same(one: Shape, other: Shape) -> bool:
    """Whether each can take the place of the other in every expression, and the other operands stay what they are."""
    signs = {one.sign, other.sign}
    return one.width is not None and one.width == other.width and (len(signs) == 1 or signs == {"n", "s"})


def assignable(one: Shape, other: Shape) -> bool:
    """Whether `? one : other` assigns what one or the other alone would, whatever their widths."""
    signs = {one.sign, other.sign} - {"n"}
    return one.stable and other.stable and len(signs) <= 1


@dataclass(frozen=True)
class _Declared:
    """dims: packed dimensions. unpacked: how many others."""

    dims: tuple[str, ...]
    unpacked: int
    sign: str | None


class Widths:
    """Of the expressions of a design."""

    def __init__(self, design: Design) -> None:
        self._design = design

    def of(self, node: Node) -> Shape:
        """Of an expression."""
        kind = node.kind
        inner = [child for child in node.children if child.is_expression]
        if kind in _BOOLEAN:
            return BIT
        if kind == "ParenthesizedExpression":
            return self.of(inner[0]) if inner else UNKNOWN
        if kind in _BITWISE + _MODULAR + _DIVIDING:
            return self._binary(kind, self.of(inner[0]), self.of(inner[1]))
        if kind in _LEFT + _RIGHT:
            left = self.of(inner[0])
            if kind in _LEFT:
                return Shape(left.width, _computed(left.sign), False, left.stable)
            return Shape(left.width, left.sign, left.closed, left.closed)
        if kind in ("UnaryBitwiseNotExpression", "UnaryMinusExpression", "UnaryPlusExpression"):
            only = self.of(inner[0])
            return Shape(only.width, _computed(only.sign), False, only.stable)
        if kind == "ConditionalExpression":
            return self._either(self.of(inner[-2]), self.of(inner[-1]))
        if kind == "IntegerVectorExpression":
            return _literal(node.squeezed)
        if kind == "IntegerLiteralExpression":
            return Shape("32", "n", True, True)
        if kind == "UnbasedUnsizedLiteralExpression":
            return Shape("fill", "u", node.text == "'0", True)
        if kind == "ConcatenationExpression":
            parts = [self.of(child).width for child in inner]
            return Shape(_sum(parts), "u", True, True)
        if kind == "MultipleConcatenationExpression":
            width = self.of(inner[1]).width
            return Shape(width and _product([_bare(node.children[0].squeezed), width]), "u", True, True)
        if kind == "CastExpression":
            return self._cast(node)
        if kind == "InvocationExpression":
            return self._call(node)
        if kind in ("IdentifierName", "IdentifierSelectName", "ScopedName"):
            return self._name(node)
        return UNKNOWN

    def _binary(self, kind: str, left: Shape, right: Shape) -> Shape:
        width = _larger(left.width, right.width)
        sign = _both(left.sign, right.sign)
        closed = left.closed and right.closed and (kind in _BITWISE or (kind in _DIVIDING and sign != "s"))
        stable = closed if kind in _DIVIDING else left.stable and right.stable
        if left.sign != right.sign and "s" in (left.sign, right.sign) and "u" in (left.sign, right.sign):
            stable = closed = False  # the signed one is extended with zeros here
        return Shape(width, sign if kind in _BITWISE else _computed(sign), closed, stable)

    def _either(self, left: Shape, right: Shape) -> Shape:
        sign = _both(left.sign, right.sign)
        mixed = {left.sign, right.sign} == {"u", "s"}
        closed, stable = left.closed and right.closed, left.stable and right.stable
        return Shape(_larger(left.width, right.width), sign, closed and not mixed, stable and not mixed)

    def _cast(self, node: Node) -> Shape:
        size, inner = node.children[0], self.of(node.children[1])
        if size.kind not in ("IntegerLiteralExpression", "ParenthesizedExpression", "IdentifierName"):
            return UNKNOWN
        sign = "s" if inner.sign == "n" else inner.sign
        return Shape(_bare(size.squeezed), sign, sign is not None, sign is not None)

    def _call(self, node: Node) -> Shape:
        name = node.children[0].squeezed if node.children else ""
        arguments = [child for child in node.walk() if child.kind == "OrderedArgument"]
        if name in ("$signed", "$unsigned") and arguments:
            shape = self.of(argument(arguments[0]))
            return Shape(shape.width, name[1], shape.width is not None, shape.width is not None)
        if name in ("$clog2", "$countones", "$bits"):
            return Shape("32", "s", True, True)
        if name in ("$onehot", "$onehot0", "$isunknown"):
            return BIT
        function = self.function(node)
        if function is None:
            return Shape(f"call {name}", f"call {name}")
        shape = self._declared_shape(_of_type(next(function.below("FunctionPrototype")), ()))
        return _in(_scope_of(node.children[0]), shape)

    def function(self, call: Node) -> Node | None:
        """The declaration of the function that is called; None if it was not found."""
        name = called(call)
        parts = [child for child in call.children[0].children] if call.children[0].kind == "ScopedName" else []
        if parts:
            unit = self._design.unit(parts[0].text)
            units: Iterable[Node] = (unit,) if unit is not None else ()
        else:
            units = (one for one in call.up if one.kind in _SCOPES)
        for unit in units:
            for function in unit.below("FunctionDeclaration"):
                if function_name(function) == name:
                    return function
        return None

    def _name(self, node: Node) -> Shape:
        if node.kind == "ScopedName":
            first, last = node.children[0], node.children[-1]
            dotted = "." in node.tokens
            if not dotted and first.kind == "IdentifierName":
                scope = self._design.unit(first.text)
            elif dotted and first.kind in ("IdentifierName", "IdentifierSelectName"):
                scope = _block(node, first.tokens[0])
            else:
                scope = None
            if scope is None:
                return UNKNOWN
            return _in(f"{first.tokens[0]}::", self._selected(last, self._declared(scope, last.tokens[0])))
        return self.of_name(node, node.tokens[0])

    def of_name(self, node: Node, name: str) -> Shape:
        """Of a name where a node is; if the node is a name with selects, of what they select."""
        for scope in node.up:
            if scope.kind not in _SCOPES:
                continue
            if (found := self._declared(scope, name)) is not None:
                return self._selected(node, found)
            for package in _imported(scope):
                unit = self._design.unit(package)
                if unit is not None and (found := self._declared(unit, name)) is not None:
                    return _in(f"{package}::", self._selected(node, found))
        return UNKNOWN

    def _declared_shape(self, declared: _Declared | None) -> Shape:
        if declared is None or declared.unpacked:
            return UNKNOWN
        width = _product(declared.dims) if declared.dims else "1"
        return Shape(width, declared.sign, declared.sign in ("u", "s"), declared.sign in ("u", "s"))

    def _selected(self, name: Node, declared: _Declared | None) -> Shape:
        if declared is None:
            return UNKNOWN
        for select in name.below("ElementSelect"):
            inner = next(iter(select.children), None)
            if inner is None:
                return UNKNOWN
            if declared.unpacked:
                if inner.kind != "BitSelect":
                    return UNKNOWN
                declared = _Declared(declared.dims, declared.unpacked - 1, declared.sign)
                continue
            if inner.kind == "BitSelect":
                if not declared.dims:
                    return UNKNOWN
                declared = _Declared(declared.dims[1:], 0, "u")
            else:
                declared = _Declared((_span(inner), *declared.dims[1:]), 0, "u")
        return self._declared_shape(declared)

    def _declared(self, scope: Node, name: str) -> _Declared | None:
        """A name as a scope itself declares it."""
        key = (scope.start, scope.end, scope.kind)
        names = scope.tree.names.get(key)
        if names is None:
            names = scope.tree.names[key] = dict(_names(scope))
        where = names.get(name)
        if where is None:
            return None
        if where.kind == "LoopGenerate":
            return _Declared(("32",), 0, "s")
        if where.kind == "FunctionPrototype":
            return _of_type(where, ())
        if where.kind == "ForVariableDeclaration" or where.parent is None:
            return _of_type(where, tuple(where.below("VariableDimension")))
        unpacked = tuple(where.below("VariableDimension"))
        holder = where.parent
        if holder.kind in ("ImplicitAnsiPort", "FunctionPort"):
            return _of_type(_typed(holder), unpacked)
        return _of_type(holder, unpacked)


def argument(node: Node) -> Node:
    """The expression of an argument or of a port connection, which the grammar has as a property."""
    while (
        node.kind in ("OrderedArgument", "NamedArgument", "SimplePropertyExpr", "SimpleSequenceExpr") and node.children
    ):
        node = node.children[0]
    return node


def _names(scope: Node) -> Iterable[tuple[str, Node]]:
    """What a scope declares: the declarator of each name, or what declares it."""
    if scope.kind == "LoopGenerate":
        yield next((t for t in scope.tokens if t not in ("for", "(", "genvar")), ""), scope
    if scope.kind == "FunctionDeclaration":
        yield function_name(scope), next(scope.below("FunctionPrototype"))
    for child in scope.children:
        if child.kind in _DECLARING:
            yield from ((part.tokens[0], part) for part in child.walk() if part.kind == "Declarator")


def _imported(scope: Node) -> list[str]:
    """The packages that a scope imports."""
    holders = (scope, *scope.below("ModuleHeader", "InterfaceHeader"))
    items = (one for holder in holders for one in holder.below("PackageImportDeclaration"))
    return [found for item in items for found in re.findall(r"(\w+)\s*::", item.text)]


def _typed(port: Node) -> Node:
    """The port of a list that has the type of this one: itself, or one before it that names a type or direction."""
    assert port.parent is not None
    ports = [one for one in port.parent.children if one.kind == port.kind]
    index = next(i for i, one in enumerate(ports) if one.start == port.start)
    while index > 0 and not _says_something(ports[index]):
        index -= 1
    return ports[index]


def _says_something(port: Node) -> bool:
    header = next(port.below("VariablePortHeader", "NetPortHeader"), port)
    if header is port:  # of a function
        return len(port.children) > 1 and (bool(port.tokens) or any(c.start >= 0 for c in port.children[:-1]))
    return header.start >= 0


def _of_type(node: Node, unpacked: tuple[Node, ...]) -> _Declared | None:
    """What is declared with the type that is below a node."""
    holder = next(node.below("VariablePortHeader", "NetPortHeader"), node)
    for child in holder.children:
        if child.kind in _ATOMS:
            unsigned = "unsigned" in [word.lower() for word in child.tokens]
            return _Declared((str(_ATOMS[child.kind]),), len(unpacked), "u" if unsigned else "s")
        if child.kind in _VECTORS:
            dims = tuple(_dimension(dim) for dim in child.below("VariableDimension"))
            if child.kind == "ImplicitType" and not dims and not _implicit_bit(holder):
                return None
            signed = "signed" in [word.lower() for word in child.tokens]
            return None if "" in dims else _Declared(dims, len(unpacked), "s" if signed else "u")
        if child.kind == "NamedType":
            name = f"type {child.squeezed}"
            return _Declared((name,), len(unpacked), name)
    return None


def _implicit_bit(holder: Node) -> bool:
    """Whether a declaration without type or width is a net or port of one bit, and not a parameter of any width."""
    return holder.kind in ("NetDeclaration", "VariablePortHeader", "NetPortHeader", "FunctionPort", "PortDeclaration")


def _dimension(dimension: Node) -> str:
    select = next((one for one in dimension.walk() if one.kind == "SimpleRangeSelect"), None)
    return "" if select is None else _span(select)


def _span(select: Node) -> str:
    """The width of a range."""
    left, right = (child.squeezed for child in select.children[:2])
    if select.kind in ("AscendingRangeSelect", "DescendingRangeSelect"):
        return _bare(right)
    if left.isdigit() and right.isdigit():
        return str(abs(int(left) - int(right)) + 1)
    if right == "0" and left.endswith("-1") and not re.search(r"[?<>=&|]", left):
        return _bare(left[:-2])
    return f"{left}:{right}"


def _bare(text: str) -> str:
    """Without parentheses around all of it."""
    if text.startswith("(") and text.endswith(")"):
        depth = 0
        for index, letter in enumerate(text):
            depth += (letter == "(") - (letter == ")")
            if depth == 0 and index < len(text) - 1:
                return text
        return _bare(text[1:-1])
    return text


def _literal(text: str) -> Shape:
    found = re.match(r"(\d*)'([sS]?)[bodhBODH]", text)
    if found is None:
        return UNKNOWN
    unknown = not found[1] and re.search(r"[xXzZ?]", text[found.end() :])
    if unknown:  # extended with X
        return Shape("32", "u", False, False)
    return Shape(found[1] or "32", "s" if found[2] else "u", True, True)


def _block(node: Node, name: str) -> Node | None:
    """The generate block of that name in the module of a node."""
    unit = next((one for one in node.up if one.kind in ("ModuleDeclaration", "InterfaceDeclaration")), None)
    if unit is None:
        return None
    found = [
        one
        for one in unit.walk()
        if one.kind == "GenerateBlock" and any(part.tokens[-1:] == [name] for part in one.below("NamedBlockClause"))
    ]
    return found[0] if len(found) == 1 else None


def _scope_of(name: Node) -> str:
    return f"{name.children[0].text}::" if name.kind == "ScopedName" else ""


def _in(scope: str, shape: Shape) -> Shape:
    """A shape whose parameters are those of another scope."""
    if not scope or shape.width is None or shape.width.isdigit():
        return shape
    sign = shape.sign if shape.sign in ("u", "s", "n") else f"{scope}{shape.sign}"
    return Shape(scope + shape.width, sign, shape.closed, shape.stable)


def _both(left: str | None, right: str | None) -> str | None:
    if left is None or right is None or not {left, right} <= {"u", "s", "n"}:
        return left if left == right else None
    return "u" if "u" in (left, right) else "s" if "s" in (left, right) else "n"


def _computed(sign: str | None) -> str | None:
    """A number that was computed may be negative."""
    return "s" if sign == "n" else sign


def _larger(left: str | None, right: str | None) -> str | None:
    if left == right:
        return left
    if left is None or right is None:
        return None
    if "fill" in (left, right):
        return right if left == "fill" else left
    return str(max(int(left), int(right))) if left.isdigit() and right.isdigit() else None


def _sum(parts: list[str | None]) -> str | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or "fill" in known:
        return None
    number, named = 0, list[str]()
    for part in known:
        ends = re.fullmatch(r"([^?<>=&|]*[^?<>=&|*/+-])-(\d+)", part)
        number += int(part) if part.isdigit() else -int(ends[2]) if ends else 0
        named += [] if part.isdigit() else [ends[1] if ends else part]
    if not named:
        return str(number)
    return named[0] if len(named) == 1 and not number else f"concat({'+'.join([*sorted(named), str(number)])})"


def _product(parts: Iterable[str]) -> str:
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
    number = 1
    for part in parts:
        number *= int(part) if part.isdigit() else 1
    named = sorted(part for part in parts if not part.isdigit())
    if not named:
        return str(number)
    return named[0] if len(named) == 1 and number == 1 else f"product({'*'.join([*named, str(number)])})"
