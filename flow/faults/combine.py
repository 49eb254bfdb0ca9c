# SPDX-License-Identifier: Apache-2.0
"""Writes one design that has many faults: which of them it has is selected when a simulation begins.

    made = combine(files, faults)
    made.files                     # the changed files, with the original and the changed code side by side
    made.number["adder_is_off"]    # what selects it
    made.alone                     # the faults that need a build of their own, with the reason

+mutants=<a hexadecimal number with the bits of these numbers> selects one, or several together; without it, or with 0,
the design is the unchanged one. The processes that runner.py forks select theirs by themselves (forked.py).

Code that differs at run time is selected in place: an expression as `(on_N != 0 ? mutated : original)`, a statement
with `if`. Where an operand of another width or sign would change how the rest is computed, or there is doubt, the
selection moves to what is around it, up to the statement or the continuous assignment. What is needed when the design
is elaborated, such as parameters, widths and generate conditions, cannot be selected.

With `notes`, a design without a fault also finds which faults a run could show: one whose changed expression never has
another value than the original one in a run, or whose changed statement is never reached, cannot be seen in it. The
numbers of the others are in the file that the environment names (`NOTES`), of Verilator alone.

`on_N` is a variable of a package that is part of each changed file, once in a compilation. It has its value before
anything else runs. There is one for each fault: Icarus 11 does not select a bit of a variable of a package.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple

from rvtrace.flow.faults import ENVIRONMENT, NOTES
from rvtrace.flow.faults.rows import Fault, FaultError, Part, apply
from rvtrace.flow.faults.trees import Design, Node, Tree, called, constant, function_name
from rvtrace.flow.faults.widths import BIT, Shape, Widths, argument, assignable, same

# A plain function with a plain variable: Icarus 11 cannot read a plusarg into a variable of an automatic one. A process
# that is forked has the arguments of its parent, and an environment of its own; it sets the variables of Icarus.
_PACKAGE = """`ifndef RVTRACE_MUTANT
`define RVTRACE_MUTANT
package rvtrace_mutant;
  logic [{most}:0] given;
  function int selected(input int number, input int forked);
    if ($value$plusargs("mutants=%h", given)) selected = (given >> number) & 1;
    else selected = forked;
  endfunction
`ifdef VERILATOR
{verilated}
`else
{interpreted}
`endif
endpackage
`endif
"""
# A number is written once in a process; `(n, 0)` is never true, so that the value stays that of the original.
_NOTED = """`define RVTRACE_NOTED(number) \\
  (rvtrace_mutant::noting != 0 && $c("[](int n) {{ static bool known = false; if (!known) {{ known = true; ", \\
   "if (FILE* f = fopen(getenv(\\"{notes}\\"), \\"a\\")) {{ fprintf(f, \\"%d\\\\n\\", n); fclose(f); }} }} ", \\
   "return 0; }}(", number, ")") != 0)
"""
PACKAGE_ENDS = "endpackage\n`endif\n"


def package(numbers: Sequence[int], notes: bool = False) -> str:
    """The package with a variable for each number. notes: and what notes them."""
    named = f'getenv(\\"{ENVIRONMENT}\\")'
    forked = {n: f'$c("({named} && strstr({named}, \\",{n},\\") ? 1 : 0)")' for n in numbers}
    made = _PACKAGE.format(
        most=max(numbers, default=0),
        verilated="\n".join(f"  int on_{n} = selected({n}, {forked[n]});" for n in numbers),
        interpreted="\n".join(f"  int on_{n} = selected({n}, 0);" for n in numbers),
    )
    if not notes:
        return made
    noting = f'  int noting = $c("getenv(\\"{NOTES}\\") ? 1 : 0");\n'
    begins = "package rvtrace_mutant;\n"
    return made.replace(begins, _NOTED.format(notes=NOTES) + begins + noting)


# Icarus 11 elaborates the nets of a module in the order of their names, and $bits of one that comes later is 0.
_NET = "zz_mutant_"
_WORDS = re.compile(r"\s+|//[^\n]*|/\*.*?\*/|\w+|.", re.DOTALL)
_SILENT = re.compile(r"//[^\n]*|/\*.*?\*/|\s+|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)  # and strings, which are not
_NAMED_BLOCK = re.compile(r"\bbegin\s*:")
_CLOCK = re.compile(r"(?:^|_)(?:clk|clock|ck)(?:_|$|\d)", re.IGNORECASE)


@dataclass
class Combined:
    """files: those that changed, in full. number: what selects each fault, from 1. alone: the other faults, with the
    reason why they need a build of their own.
    """

    files: dict[str, str] = field(default_factory=dict)
    number: dict[str, int] = field(default_factory=dict)
    alone: dict[str, str] = field(default_factory=dict)


class Alone(Exception):
    """A fault that cannot be selected at run time; the text is the reason."""


def combine(files: Mapping[str, str], faults: Sequence[Fault], notes: bool = False) -> Combined:
    """Put all faults that can be selected at run time into one design. files: all sources of the design by name, as
    the faults have it; those that are not changed show what is declared in them. notes: the design, of Verilator, notes
    which faults a run could show. ValueError for two faults of one name.
    """
    if len({fault.name for fault in faults}) < len(faults):
        raise ValueError("two changes have the same name; give each its own")
    design, made = Design(files), Combined()
    sites: dict[str, list[_Site]] = {}
    for fault in faults:
        number = len(made.number) + 1
        on = f"rvtrace_mutant::on_{number} != 0"
        try:
            places = fault.places(files)
            found = {file: _Difference(design, file, parts).sites(number, on) for file, parts in places.items()}
        except (Alone, FaultError) as reason:
            made.alone[fault.name] = str(reason)
            continue
        made.number[fault.name] = number
        for file, those in found.items():
            sites.setdefault(file, []).extend(those)
    declared = package(list(made.number.values()), notes)
    made.files = {file: declared + _written(files[file], those, notes) for file, those in sites.items()}
    return made


class _Instead(NamedTuple):
    """What one fault has in a place. on: whether it is selected."""

    number: int
    on: str
    text: str


# Writes a place: what of the original selects in turn, what faults have instead, and the plain original where what
# differs from it is noted, else an empty text.
_How = Callable[[str, list[_Instead], str], str]

# --- How a place is written --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Site:
    """A place of the original file that a fault changes. instead: what is in its place. how: writes the original and
    what the faults have side by side; sites of the same range have the same.
    """

    start: int
    end: int
    instead: _Instead
    how: _How


def _noted(one: _Instead, plain: str) -> str:
    """Whether a fault has another value than the original, which notes it, and is never true; what it selects is not
    the original, or a simulator would drop it. An operand may be computed with more bits than it has: so are the second
    values.
    """
    differs = f"(({one.text}) !== ({plain})) || ((({one.text}) + 64'd0) !== (({plain}) + 64'd0))"
    return f"(({differs}) && `RVTRACE_NOTED({one.number}))"


def _expression(original: str, instead: list[_Instead], plain: str) -> str:
    chosen = "".join(f"{one.on} ? ({one.text}) : " for one in instead)
    if plain:
        chosen += "".join(f"{_noted(one, plain)} ? ({one.text}) : " for one in instead)
    return f"({chosen}({original}))"


def _condition(original: str, instead: list[_Instead], plain: str) -> str:
    """Of a condition that is wider than a bit: each is made a bit where its width does not matter."""
    bits = [one._replace(text=f"!(!({one.text}))") for one in instead]
    return _expression(f"!(!({original}))", bits, plain and f"!(!({plain}))")


def _statement(original: str, instead: list[_Instead], plain: str) -> str:
    """What a statement does is not compared: it is noted where it is reached."""
    chosen = "".join(f"if ({one.on}) begin {one.text} end else " for one in instead)
    reached = "".join(f"if (`RVTRACE_NOTED({one.number})) begin end else " for one in instead) if plain else ""
    return f"begin {chosen}{reached}begin {original} end end"


@dataclass(frozen=True)
class _Port:
    """A port connection, written as `.name` or as `.name(expression)`."""

    name: str

    def __call__(self, original: str, instead: list[_Instead], plain: str) -> str:
        inner = [one._replace(text=self._inner(one.text)) for one in instead]
        return f".{self.name}({_expression(self._inner(original), inner, plain and self._inner(plain))})"

    def _inner(self, text: str) -> str:
        opened = text.find("(")
        return self.name if opened < 0 else text[opened + 1 : text.rindex(")")]


@dataclass(frozen=True)
class _Assign:
    """A continuous assignment whose right sides have other widths or signs: each is assigned to a net of the width of
    the target. place: of the assignment in its file. at: where the right side begins in it.
    """

    target: str
    place: int
    at: int

    def __call__(self, original: str, instead: list[_Instead], plain: str) -> str:
        name = f"{_NET}{self.place}"
        nets = [f"{name}_0 = {original[self.at :].rstrip(' ;')}"]
        nets += [f"{name}_{one.number} = {one.text}" for one in instead]
        chosen = "".join(f"{one.on} ? {name}_{one.number} : " for one in instead)
        if plain:
            values = [one._replace(text=f"{name}_{one.number}") for one in instead]
            chosen += "".join(f"{_noted(one, f'{name}_0')} ? {one.text} : " for one in values)
        return f"wire [$bits({self.target})-1:0] {', '.join(nets)}; assign {self.target} = {chosen}{name}_0;"


def _written(text: str, sites: list[_Site], notes: bool) -> str:
    """The text with all sites, of which one may be inside another. notes: with what notes them."""
    groups: dict[tuple[int, int], list[_Site]] = {}
    for site in sites:
        groups.setdefault((site.start, site.end), []).append(site)
    order = sorted(groups, key=lambda place: (place[0], -place[1]))
    position = 0

    def until(start: int, end: int) -> str:
        """The text from start to end with the sites that are in it."""
        nonlocal position
        parts, at = [], start
        while position < len(order) and order[position][0] < end:
            place = order[position]
            position += 1
            inner = until(*place)
            group = groups[place]
            how = _condition if any(site.how is _condition for site in group) else group[0].how
            plain = text[slice(*place)] if notes else ""
            parts += [text[at : place[0]], how(inner, [site.instead for site in group], plain)]
            at = place[1]
        return "".join([*parts, text[at:end]])

    return until(0, len(text))


# --- Where a change is ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Hunk:
    """A part that differs: from start to end of the original, from_ to to of the mutated text."""

    start: int
    end: int
    from_: int
    to: int
    silent: bool  # white space and comments


class _Difference:
    """One file before and after a change."""

    def __init__(self, design: Design, file: str, parts: Sequence[Part]) -> None:
        parts = sorted(parts, key=lambda part: part.start)
        if any(one.end > other.start for one, other in zip(parts, parts[1:])):
            raise Alone("its edits overlap")
        self._original = design.tree(file)
        self._mutated = Tree(apply(self._original.text, parts))
        if self._mutated.errors > self._original.errors:
            raise Alone("the changed file has a syntax error")
        self._hunks = list(_hunks(self._original.text, parts))
        self._design, self._widths = design, Widths(design)
        self._selected = 0, ""

    def sites(self, number: int, on: str) -> list[_Site]:
        """The places of the change, none inside another; Alone if one of them cannot be selected at run time."""
        self._selected, found = (number, on), list[_Site]()
        for hunk in self._hunks:
            if hunk.silent or any(site.start <= hunk.start and hunk.end <= site.end for site in found):
                continue
            site = self._site(hunk)
            found = [one for one in found if not (site.start <= one.start and one.end <= site.end)] + [site]
        if not found:
            raise Alone("it changes no code")
        return found

    def _site(self, hunk: _Hunk) -> _Site:
        """The smallest place around a hunk that can be selected."""
        smallest = self._original.root.covering(hunk.start, hunk.end)
        for node in (smallest, *smallest.up):
            if node.start < 0:
                continue
            for other in self._counterparts(node):
                how = self._how(node, other)
                if how is not None:
                    self._refuse_functions(node)
                    text = other.children[0].children[-1].text if isinstance(how, _Assign) else other.text
                    return _Site(node.start, node.end, _Instead(*self._selected, text), how)
        raise Alone(_reason(smallest))

    def _counterparts(self, node: Node) -> list[Node]:
        """The nodes of the mutated tree in the place of one of the original."""
        mine = [one for one in self._hunks if node.start <= one.start and one.end <= node.end]
        if any(one not in mine and one.start < node.end and node.start < one.end for one in self._hunks):
            return []
        before = sum(
            (one.to - one.from_) - (one.end - one.start)
            for one in self._hunks
            if one not in mine and one.end <= node.start
        )
        start = node.start + before
        end = start + (node.end - node.start) + sum((one.to - one.from_) - (one.end - one.start) for one in mine)
        text = self._mutated.text[start:end]
        start, end = start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())
        return self._mutated.root.exactly(start, end) if start < end else []

    def _how(self, node: Node, other: Node) -> _How | None:
        """How original and mutated code are selected in this place; None if they cannot be."""
        if node.is_expression and other.is_expression:
            context = self._context(node)
            if context is None or "Pattern" in other.kind or "Pattern" in node.kind or _is_assignment(other):
                return None
            one, two = self._widths.of(node), self._widths.of(other)
            if context == "condition":
                return _expression if _bit(one) and _bit(two) else _condition
            return _expression if same(one, two) or (context == "assigned" and assignable(one, two)) else None
        if node.is_statement and other.is_statement:
            return _statement if self._statement_fits(node, other) else None
        if node.kind == other.kind == "NamedPortConnection":
            return self._port(node, other)
        if node.kind == other.kind == "ContinuousAssign":
            return _continuous(node, other)
        return None

    def _statement_fits(self, node: Node, other: Node) -> bool:
        above = node.parent
        if above is None or not (above.kind in _PROCEDURES or (above.is_statement and above.kind in _NESTING)):
            return False
        if above.kind.startswith("Always") and "TimingControlStatement" in (node.kind, other.kind):
            return False
        if any(part.kind == "NamedLabel" for one in (node, other) for part in one.children):
            return False
        if _NAMED_BLOCK.search(node.text) or _NAMED_BLOCK.search(other.text):
            raise Alone("a named block can be there once only")
        return True

    def _context(self, node: Node) -> str | None:
        """What an expression is for: "condition", "assigned" or "operand"; None if it cannot be selected there."""
        context = self._edge(node)
        above, below = node.parent, node
        while context is not None and above is not None and not (above.is_statement or _is_holder(above)):
            below, above = above, above.parent
            if above is None:
                return None
            if (
                below.is_expression
                and self._edge(below) is None
                and not (_is_assignment(below) and self._assigns(below))
            ):
                return None
        return context

    def _edge(self, node: Node) -> str | None:
        """What the node that an expression is part of makes of it."""
        above = node.parent
        assert above is not None
        while above.kind in ("SimplePropertyExpr", "SimpleSequenceExpr", "ConditionalPattern", "ConditionalPredicate"):
            node, above = above, above.parent
            assert above is not None
        kind, inner = above.kind, above.children
        if kind in ("ConditionalStatement", "ConditionalExpression") and node is inner[0]:
            return "condition"
        if kind in ("LogicalAndExpression", "LogicalOrExpression", "UnaryLogicalNotExpression"):
            return "condition"
        if kind in ("AssignmentExpression", "NonblockingAssignmentExpression"):
            return "assigned" if node is inner[-1] and self._assigns(above) else None
        if kind in ("OrderedArgument", "NamedArgument"):
            return self._argument(above)
        if kind == "NamedPortConnection":
            return "assigned" if self._is_input(above) else None
        if kind == "ReturnStatement":
            return "assigned"
        if kind == "EqualsValueClause":
            return "assigned" if _at_run_time(above) else None
        if kind == "BitSelect":
            return "operand" if _selects_bits(above) else None
        if kind in ("AscendingRangeSelect", "DescendingRangeSelect"):
            return "operand" if node is inner[0] else None
        if kind == "CaseStatement":
            return "operand" if node is inner[0] else None
        if kind in ("MultipleConcatenationExpression", "CastExpression"):
            return "operand" if node is not inner[0] else None
        if above.is_expression and kind not in _SPECIAL:
            return "operand"
        return None

    def _assigns(self, assignment: Node) -> bool:
        above = assignment.parent
        return above is not None and above.kind in ("ExpressionStatement", "ContinuousAssign")

    def _argument(self, node: Node) -> str | None:
        call = next((one for one in node.up if one.kind == "InvocationExpression"), None)
        if call is None:
            return None
        if called(call).startswith("$") or call.children[0].text.startswith("$"):
            return "operand"
        function = self._widths.function(call)
        if function is None or any({"output", "inout", "ref"} & set(part.tokens) for part in function.walk()):
            return None
        return "assigned"

    def _is_input(self, connection: Node) -> bool:
        """Whether a port connection is to an input, and not one that a clock or reset goes through."""
        name = connection.tokens[1] if len(connection.tokens) > 1 else ""
        instance = next((one for one in connection.up if one.kind == "HierarchyInstantiation"), None)
        module = self._design.unit(instance.tokens[0]) if instance is not None else None
        if module is None:
            return False
        if _CLOCK.search(name) or any(
            event.children and event.children[-1].text == name and "posedge" in event.tokens
            for event in module.walk()
            if event.kind == "SignalEventExpression"
        ):
            return False
        return direction(module, name) == "input"

    def _port(self, node: Node, other: Node) -> _Port | None:
        name = node.tokens[1]
        if other.tokens[1:2] != [name] or not self._is_input(node):
            return None
        shapes = list[Shape]()
        for one in (node, other):
            if not one.children:
                if "(" in one.tokens:
                    return None
                shapes.append(self._widths.of_name(one, name))
            else:
                shapes.append(self._widths.of(argument(one.children[0])))
        return _Port(name) if same(*shapes) or assignable(*shapes) else None

    def _refuse_functions(self, node: Node) -> None:
        """Alone for a function that is called at elaboration."""
        for above in node.up:
            if above.kind == "FunctionDeclaration" and self._design.at_elaboration(function_name(above)):
                raise Alone(f"the function {function_name(above)} is called at elaboration")


# What statements are below, one of which can take the place of another.
_PROCEDURES = (
    "AlwaysBlock", "AlwaysCombBlock", "AlwaysFFBlock", "AlwaysLatchBlock", "InitialBlock", "FinalBlock", "ElseClause",
    "FunctionDeclaration", "TaskDeclaration", "StandardCaseItem", "DefaultCaseItem", "PatternCaseItem",
)  # fmt: skip
_NESTING = (
    "SequentialBlockStatement", "ConditionalStatement", "ForLoopStatement", "LoopStatement", "ForeverStatement",
    "TimingControlStatement", "WaitStatement", "DoWhileStatement", "ForeachLoopStatement",
)  # fmt: skip
# Expressions whose parts are not operands.
_SPECIAL = (
    "ScopedName", "IdentifierSelectName", "StreamingConcatenationExpression", "InvocationExpression",
    "MinTypMaxExpression", "PostincrementExpression", "PostdecrementExpression", "UnaryPreincrementExpression",
    "UnaryPredecrementExpression", "AssignmentPatternExpression", "TaggedUnionExpression", "MemberAccessExpression",
    "NewArrayExpression", "AddAssignmentExpression", "SubtractAssignmentExpression", "ElementSelectExpression",
    "TimingControlExpression",
)  # fmt: skip


def direction(module: Node, name: str) -> str:
    """Of a port: input, output, inout, or an empty text if the module has none of that name."""
    now = ""
    for port in module.walk():
        if port.kind in ("ImplicitAnsiPort", "PortDeclaration"):
            header = next(port.below("VariablePortHeader", "NetPortHeader"), None)
            words = [word for word in header.tokens if word in ("input", "output", "inout", "ref")] if header else []
            now = words[0] if words else now if port.kind == "ImplicitAnsiPort" else ""
            if any(part.tokens[:1] == [name] for part in port.below("Declarator")):
                return now
    return ""


def _is_assignment(node: Node) -> bool:
    return node.kind.endswith("AssignmentExpression")


def _is_holder(node: Node) -> bool:
    """Whether a node holds expressions that are there at run time, and is not an expression itself."""
    return node.kind in ("ContinuousAssign", "NetDeclaration", "DataDeclaration", "HierarchyInstantiation")


def _at_run_time(clause: Node) -> bool:
    """Whether an initial value is that of a net, or of a variable of an automatic function or block."""
    declaration = next((one for one in clause.up if one.kind.endswith("Declaration")), None)
    if declaration is None or declaration.kind == "NetDeclaration":
        return declaration is not None
    if declaration.kind != "DataDeclaration":
        return False
    function = next((one for one in declaration.up if one.kind == "FunctionDeclaration"), None)
    prototypes = [] if function is None else function.below("FunctionPrototype")
    return "automatic" in declaration.tokens or any("automatic" in one.tokens for one in prototypes)


def _selects_bits(select: Node) -> bool:
    """Whether an index is that of a value, and not that of an instance or generate block or of a target."""
    name = next((one for one in select.up if one.kind in ("IdentifierSelectName", "ElementSelectExpression")), None)
    if name is None or name.parent is None:
        return False
    return not (name.parent.kind == "ScopedName" and name is not name.parent.children[-1])


def _bit(shape: Shape) -> bool:
    return same(shape, BIT)


def _continuous(node: Node, other: Node) -> _Assign | None:
    sides = [[one for one in whole.children if one.kind == "AssignmentExpression"] for whole in (node, other)]
    if any(len(side) != 1 or len(whole.children) != 1 for side, whole in zip(sides, (node, other))):
        return None
    (one,), (two,) = sides
    target, right = one.children[0], two.children[-1]
    if target.squeezed != two.children[0].squeezed or "Pattern" in right.kind + one.children[-1].kind:
        return None
    if any(name >= _NET for name in re.findall(r"[A-Za-z_]\w*", target.text)):
        return None
    return _Assign(target.text, node.start, one.children[-1].start - node.start)


def _hunks(text: str, parts: Sequence[Part]) -> Iterator[_Hunk]:
    """The parts without what they leave as it is."""
    moved, after = 0, apply(text, parts)
    silent_before, silent_after = _silences(text), _silences(after)
    for edit in parts:
        old, new = _WORDS.findall(text[edit.start : edit.end]), _WORDS.findall(edit.text)
        old_at, new_at = _places(old), _places(new)
        for a, b, c, d in _differing(old, new):
            start, from_ = edit.start + old_at[a], edit.start + moved + new_at[c]
            end, to = edit.start + old_at[b], edit.start + moved + new_at[d]
            silent = _within(start, end, silent_before) and _within(from_, to, silent_after)
            # Of what is only there or only gone, the space before it is the same as the space after it: "x[ && y] && z"
            space = re.match(r"\s*", text[start:end] + after[from_:to])
            width = space.end() if space and not silent and (start == end or from_ == to) else 0
            if text[end : end + width] != (text[start:end] + after[from_:to])[:width]:
                width = 0
            yield _Hunk(start + width, end + width, from_ + width, to + width, silent)
        moved += len(edit.text) - (edit.end - edit.start)


def _silences(text: str) -> list[tuple[int, int]]:
    """Where white space and comments are; what touches is one."""
    found: list[tuple[int, int]] = []
    for one in _SILENT.finditer(text):
        if one[0].startswith('"'):
            continue
        if found and found[-1][1] == one.start():
            found[-1] = (found[-1][0], one.end())
        else:
            found.append(one.span())
    return found


def _within(start: int, end: int, places: list[tuple[int, int]]) -> bool:
    index = bisect_right([place[0] for place in places], start) - 1
    return start == end or (index >= 0 and end <= places[index][1])


def _differing(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Where two lists differ, as ranges of both: between what is common at their start and at their end."""
    first = next((i for i, (one, two) in enumerate(zip(old, new)) if one != two), min(len(old), len(new)))
    most = min(len(old), len(new)) - first
    last = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    middle = SequenceMatcher(None, old[first : len(old) - last], new[first : len(new) - last], autojunk=False)
    for kind, a, b, c, d in middle.get_opcodes():
        if kind != "equal":
            yield a + first, b + first, c + first, d + first


def _places(words: Sequence[str]) -> list[int]:
    """Where each word begins, and the end of the last."""
    places = [0]
    for word in words:
        places.append(places[-1] + len(word))
    return places


_REASONS = {
    "EventControlWithExpression": "the event control of a procedure cannot be selected",
    "CaseGenerate": "a generate condition is needed at elaboration",
    "StandardCaseItem": "a case item cannot be selected here",
    "HierarchyInstantiation": "a connection to an output, a clock or an unknown module cannot be selected",
    "ContinuousAssign": "the target of a continuous assignment cannot be selected",
    "DataDeclaration": "a declaration cannot be selected",
    "NetDeclaration": "a declaration cannot be selected",
    "FunctionDeclaration": "a function has other statements or declarations",
    "ConcurrentAssertionMember": "an assertion cannot be selected",
    "PropertyDeclaration": "an assertion cannot be selected",
    "ModuleHeader": "the header of a module cannot be selected",
    "LoopGenerate": "a generate loop is needed at elaboration",
    "IfGenerate": "a generate block is needed at elaboration",
}


def _reason(node: Node) -> str:
    if (what := constant(node, inside=False)) is not None:
        return f"{what} is needed at elaboration"
    for one in (node, *node.up):
        if one.kind in _REASONS:
            return _REASONS[one.kind]
    return f"a {node.kind} cannot be selected"
