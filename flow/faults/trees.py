# SPDX-License-Identifier: Apache-2.0
"""Syntax trees of SystemVerilog files with character offsets, and what is declared where, by pyslang."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pyslang
from pyslang import parsing, syntax

_NAME = re.compile(r"[A-Za-z_]\w*")


class Node:
    """A node of a syntax tree. start, end: of its first and after its last token, in characters; -1 if it is empty, or
    they come from a macro or another file.
    """

    __slots__ = ("native", "parent", "tree", "start", "end", "_children")

    def __init__(self, native: syntax.SyntaxNode, parent: Node | None, tree: Tree) -> None:
        self.native, self.parent, self.tree = native, parent, tree
        self._children: list[Node] | None = None
        self.start = self.end = -1
        if native.getFirstToken() and (found := tree.span(native)) is not None and found[0] != found[1]:
            self.start, self.end = found

    @property
    def kind(self) -> str:
        """Of the node, as slang names it."""
        return self.native.kind.name

    @property
    def children(self) -> list[Node]:
        """The nodes below it, without tokens."""
        if self._children is None:
            self._children = [Node(n, self, self.tree) for n in self.native if isinstance(n, syntax.SyntaxNode)]
        return self._children

    @property
    def tokens(self) -> list[str]:
        """The text of its direct tokens."""
        return [token.valueText for token in self.native if isinstance(token, parsing.Token)]

    @property
    def text(self) -> str:
        """As it is in the file."""
        return self.tree.text[self.start : self.end]

    @property
    def squeezed(self) -> str:
        """Its text without white space and comments."""
        return "".join(re.sub(r"//[^\n]*|/\*.*?\*/", " ", self.text, flags=re.S).split())

    @property
    def is_expression(self) -> bool:
        """Whether it is an expression, and not a type."""
        return isinstance(self.native, syntax.ExpressionSyntax) and not isinstance(self.native, syntax.DataTypeSyntax)

    @property
    def is_statement(self) -> bool:
        """Whether it is a statement of a procedure."""
        return isinstance(self.native, syntax.StatementSyntax)

    @property
    def up(self) -> Iterator[Node]:
        """What it is in, innermost first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def walk(self) -> Iterator[Node]:
        """It and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def below(self, *kinds: str) -> Iterator[Node]:
        """Its direct children of these kinds."""
        return (child for child in self.children if child.kind in kinds)

    def covering(self, start: int, end: int) -> Node:
        """The smallest node below it, or itself, that contains a range."""
        node = self
        while True:
            inner = next((c for c in node.children if 0 <= c.start <= start and end <= c.end), None)
            if inner is None:
                # A node without a place of its own, such as one that begins with a macro, may have one below that has.
                hidden = (c.covering(start, end) for c in node.children if c.start < 0 and c.native.getFirstToken())
                inner = next((c for c in hidden if c.start >= 0), None)
                if inner is None:
                    return node
            node = inner

    def exactly(self, start: int, end: int) -> list[Node]:
        """The nodes that have exactly this range, innermost first."""
        node = self.covering(start, end)
        found = [one for one in (node, *node.up) if (one.start, one.end) == (start, end)]
        for child in node.children:  # of the same range as the smallest that was found
            found = [*(one for one in child.walk() if (one.start, one.end) == (start, end)), *found]
        return found


class Tree:
    """A parsed text. errors: of the parser and the preprocessor."""

    def __init__(self, text: str) -> None:
        self.text = text
        plain = text.encode("ascii", "replace").decode()  # slang counts bytes
        self._manager = pyslang.SourceManager()
        self._native = syntax.SyntaxTree.fromText(plain, self._manager, "design.sv")
        first = self._native.root.getFirstToken()
        self.buffer = first.location.buffer
        self.errors = sum(diagnostic.isError() for diagnostic in self._native.diagnostics)
        self.native: Any = self._native.root
        self.root = Node(self.native, None, self)
        self.names: dict[tuple[int, int, str], dict[str, Node]] = {}

    def span(self, native: Any) -> tuple[int, int] | None:
        """(start, end) of a node of pyslang; None if a macro or another file wrote a part of it."""
        where = native.sourceRange
        if where.start.buffer != self.buffer or where.end.buffer != self.buffer:
            return None
        return where.start.offset, where.end.offset

    def said(self, native: Any) -> str:
        """The text of a node of pyslang, empty if it has no place."""
        found = self.span(native)
        return self.text[found[0] : found[1]] if found else ""


class Design:
    """The files that a change may refer to, parsed when they are needed."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._trees: dict[str, Tree] = {}
        self._where: dict[str, str] | None = None
        self._callers: dict[str, set[str]] = {}

    def tree(self, file: str) -> Tree:
        """Of a file."""
        if file not in self._trees:
            self._trees[file] = Tree(self._files[file])
        return self._trees[file]

    def unit(self, name: str) -> Node | None:
        """The module, interface or package of that name; None if no file has it."""
        if self._where is None:
            self._where = {}
            for file, text in self._files.items():
                for found in re.finditer(r"\b(?:module|package|interface)\s+(?:automatic\s+|static\s+)?(\w+)", text):
                    self._where.setdefault(found[1], file)
        file = self._where.get(name)
        if file is None:
            return None
        root = self.tree(file).root
        return next((one for one in (root, *root.children) if _unit_name(one) == name), None)

    def at_elaboration(self, function: str) -> bool:
        """Whether a function of that name is called, itself or by another one, where a constant is needed."""
        seen, todo = {function}, [function]
        while todo:
            callers = self._callers_of(todo.pop())
            if "" in callers:
                return True
            todo += callers - seen
            seen |= callers
        return False

    def _callers_of(self, function: str) -> set[str]:
        """The functions that call it, and an empty name if a constant does."""
        if function not in self._callers:
            word, found = re.compile(rf"\b{function}\s*\("), set[str]()
            for file, text in self._files.items():
                if word.search(text):
                    calls = (n for n in self.tree(file).root.walk() if n.kind == "InvocationExpression")
                    found |= {_caller(call) for call in calls if called(call) == function}
            self._callers[function] = found - {"always"}
        return self._callers[function]


def called(invocation: Node) -> str:
    """The name of the function of a call, without its package."""
    names = _NAME.findall(invocation.children[0].text) if invocation.children else []
    return names[-1] if names else ""


CONSTANT = {
    "ParameterDeclaration": "a parameter",
    "TypeParameterDeclaration": "a parameter",
    "ParameterValueAssignment": "a parameter of an instance",
    "DefParam": "a parameter",
    "VariableDimension": "a width or a dimension",
    "EnumType": "the value of an enumeration",
    "StructType": "a type",
    "UnionType": "a type",
    "TypedefDeclaration": "a type",
    "PackedDimension": "a width",
    "GenvarDeclaration": "a generate loop",
}


def constant(node: Node, inside: bool = True) -> str | None:
    """What constant context a node is in, in words, or None. inside: also if that is part of an expression that is
    computed at run time, such as the width of a part-select.
    """
    below = node
    for above in node.up:
        kind = above.kind
        if kind in CONSTANT:
            return CONSTANT[kind]
        if kind in ("IfGenerate", "CaseGenerate") and below.is_expression:
            return "a generate condition"
        if kind == "CaseGenerate" and not _is_member(node, below):
            return "a generate condition"
        if kind == "LoopGenerate" and below.is_expression:
            return "the header of a generate loop"
        if inside and kind == "MultipleConcatenationExpression" and below is above.children[0]:
            return "the count of a replication"
        if inside and (kind == "SimpleRangeSelect" or (kind in _PARTS and below is above.children[-1])):
            return "the width of a part-select"
        if inside and kind == "CastExpression" and below is above.children[0]:
            return "the width of a cast"
        below = above
    return None


_PARTS = ("AscendingRangeSelect", "DescendingRangeSelect")


def _is_member(node: Node, top: Node) -> bool:
    return any(one.kind == "GenerateBlock" for one in node.up if one.start >= top.start)


def _caller(call: Node) -> str:
    """What a call is in: a function's name, an empty one if it is where a constant is needed, else "always"."""
    if constant(call) is not None:
        return ""
    function = next((one for one in call.up if one.kind == "FunctionDeclaration"), None)
    return function_name(function) if function is not None else "always"


def function_name(function: Node) -> str:
    """Of a declaration."""
    prototype = next(function.below("FunctionPrototype"), None)
    if prototype is None:
        return ""
    names = [child for child in prototype.children if child.kind in ("IdentifierName", "ScopedName")]
    return _NAME.findall(names[-1].text)[-1] if names else ""


def _unit_name(node: Node) -> str:
    if node.kind not in ("ModuleDeclaration", "PackageDeclaration", "InterfaceDeclaration"):
        return ""
    header = next(node.below("ModuleHeader", "PackageHeader", "InterfaceHeader"), None)
    native = header.native if header is not None else None
    return native.name.valueText if isinstance(native, syntax.ModuleHeaderSyntax) else ""
