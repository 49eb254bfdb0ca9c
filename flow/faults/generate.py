# SPDX-License-Identifier: Apache-2.0
"""Mutants of a design from the syntax trees of its files: which places there are, and which of them are chosen.

sites = places(text, directions)             # operator to the mutants of one file, place by place
chosen = choose(design, count, seed)         # spread over files and operators, all of them elaborate
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from random import Random
from typing import Any

from pyslang import syntax

from rvtrace.flow.faults.design import Design
from rvtrace.flow.faults.operators import BY_NAME, CONSTANT, OPERATORS, Operator, Scope, Site, kind_of
from rvtrace.flow.faults.rows import Fault, Part, apply
from rvtrace.flow.faults.trees import Tree
from rvtrace.jobs.builds import ROOT

Directions = Mapping[str, Mapping[str, str]]  # module to its ports, each "input", "output" or "inout"

# What is no function of the design, or has no value of its own.
_SKIPPED = frozenset((
    "ImmediateAssertStatement", "ImmediateAssumeStatement", "ImmediateCoverStatement", "ConcurrentAssertionMember",
    "AssertPropertyStatement", "AssumePropertyStatement", "CoverPropertyStatement", "ImmediateAssertionMember",
    "PropertyDeclaration", "SequenceDeclaration", "InitialBlock", "FinalBlock", "BindDirective", "AnsiPortList",
    "NonAnsiPortList", "EventControlWithExpression", "EventControl", "ImplicitEventControl", "FunctionPrototype",
    "InstanceName", "NamedBlockClause", "NamedLabel", "SpecifyBlock", "CovergroupDeclaration", "DPIImport",
    "ClockingDeclaration", "ModportDeclaration", "NamedType", "PackageImportDeclaration", "TimeUnitsDeclaration",
))  # fmt: skip
_SCOPES = ("ModuleDeclaration", "PackageDeclaration", "InterfaceDeclaration", "GenerateBlock", "FunctionDeclaration")
_BUILT_TURNS = 3  # operators whose mutants need builds of their own have every third turn
_SKIPPED_TASKS = ("$error", "$fatal", "$warning", "$info", "$display", "$write", "$clog2", "$bits")


@dataclass(frozen=True)
class Mutant(Fault):
    """A fault that an operator makes at a place. name: of its file, operator and place. built: it changes what is
    computed when the design is elaborated.
    """

    operator: str = ""
    file: str = ""
    line: int = 0
    parts: tuple[Part, ...] = ()
    built: bool = False

    def places(self, texts: Mapping[str, str]) -> dict[str, list[Part]]:
        """Of its file the pieces that change."""
        return {self.file: list(self.parts)}

    @property
    def span(self) -> tuple[int, int]:
        """From the first to the last place that changes."""
        return min(part.start for part in self.parts), max(part.end for part in self.parts)

    def applied(self, text: str) -> str:
        """The text of its file with the change."""
        return apply(text, self.parts)

    def diff(self, text: str, context: int = 2) -> str:
        """The change as a unified diff, with lines around it."""
        name = self.file if (ROOT / self.file).is_file() else f"rtl/{self.file}"
        lines = unified_diff(
            text.splitlines(), self.applied(text).splitlines(), name, name, "", "", context, "",
        )  # fmt: skip
        return "\n".join(line.rstrip() for line in lines)


@dataclass
class Chosen:
    """The mutants of a campaign. sites: how many places there were to choose from, by file. dropped: mutants that were
    passed over, by reason.
    """

    mutants: list[Mutant] = field(default_factory=list)
    sites: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)

    def drop(self, why: str) -> None:
        """Count one."""
        self.dropped[why] = self.dropped.get(why, 0) + 1


def _children(node: Any) -> Iterator[Any]:
    return (child for child in node if isinstance(child, syntax.SyntaxNode))


def _below(node: Any) -> Iterator[Any]:
    yield node
    for child in _children(node):
        yield from _below(child)


def _names(node: Any) -> frozenset[str]:
    return frozenset(
        one.identifier.valueText for one in _below(node) if kind_of(one) in ("IdentifierName", "IdentifierSelectName")
    )


def directions(texts: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Of each module in some files the directions of its ports."""
    found: dict[str, dict[str, str]] = {}
    for text in texts.values():
        for module in _below(Tree(text).native):
            if kind_of(module) != "ModuleDeclaration":
                continue
            ports: dict[str, str] = {}
            said = "input"
            for port in _below(module.header):
                if kind_of(port) == "ImplicitAnsiPort":
                    said = str(getattr(port.header, "direction", "")).split("/")[-1].strip().split()[-1:] or [said]
                    said = said[0]
                    ports[port.declarator.name.valueText] = said
            found[module.header.name.valueText] = ports
    return found


def constants(texts: Mapping[str, str]) -> Scope:
    """The constants of all packages, as package::name."""
    found = Scope()
    for text in texts.values():
        file = Tree(text)
        for package in _below(file.native):
            if kind_of(package) == "PackageDeclaration":
                scope = Scope()
                for member in _children(package):
                    _declare(file, member, scope)
                name = package.header.name.valueText
                found.types |= {f"{name}::{one}": kind for one, kind in scope.types.items()}
                found.values |= {f"{name}::{one}": value for one, value in scope.values.items()}
    return found


def places(text: str, ports: Directions, outer: Scope | None = None) -> dict[str, list[list[tuple[Part, ...]]]]:
    """Of each operator the places of a file, and for each the pieces of text of its mutants."""
    file, found = Tree(text), {}
    root = file.native
    for site in _walk(file, root, root, Site(root, root, text, file.span, outer or Scope()), ports):
        for operator in _tried().get(site.kind, ()):
            mutants = list(operator.mutants(site))
            if mutants:
                found.setdefault(operator.name, []).append(mutants)
    return found


def _tried() -> dict[str, list[Operator]]:
    if not _BY_KIND:
        for operator in OPERATORS:
            for kind in operator.kinds:
                _BY_KIND.setdefault(kind, []).append(operator)
    return _BY_KIND


_BY_KIND: dict[str, list[Operator]] = {}


def _declare(file: Tree, node: Any, scope: Scope) -> None:
    """The names that a member of a module, block or function declares."""
    kind = kind_of(node)
    if kind in ("DataDeclaration", "NetDeclaration"):
        _declarators(file, node.type, node.declarators, scope, "")
    elif kind == "ParameterDeclarationStatement":
        inner = node.parameter
        if kind_of(inner) == "ParameterDeclaration":
            _declarators(file, inner.type, inner.declarators, scope, CONSTANT)
    elif kind in ("ImplicitAnsiPort", "FunctionPort"):
        header = node.header if kind == "ImplicitAnsiPort" else node
        kind_text = file.said(header.dataType) if getattr(header, "dataType", None) is not None else ""
        name = node.declarator.name.valueText
        scope.types[name] = _bare(kind_text + "".join(file.said(one) for one in _children(node.declarator)))
        if kind == "FunctionPort" or re.search(r"\binput\b", file.said(header)):
            scope.inputs.add(name)


def _declarators(file: Tree, kind: Any, declarators: Any, scope: Scope, prefix: str) -> None:
    for declarator in _children(declarators):
        if kind_of(declarator) == "Declarator":
            dimensions = "".join(file.said(one) for one in _children(declarator.dimensions))
            said = _bare(file.said(kind) + dimensions)
            if said or prefix:
                scope.types[declarator.name.valueText] = prefix + (said or "integer")
                if prefix and declarator.initializer is not None:
                    scope.values[declarator.name.valueText] = file.said(declarator.initializer.expr)


def _bare(text: str) -> str:
    return "".join(text.split())


def _scope(file: Tree, node: Any, outer: Scope) -> Scope:
    """What a module, block or function declares. Registers are looked for in the whole module."""
    scope = Scope(outer, function=kind_of(node) == "FunctionDeclaration", registers=outer.registers)
    if kind_of(node) in _SCOPES[:3]:
        scope.registers = {
            _base(one.left)
            for one in _below(node)
            if kind_of(one) == "NonblockingAssignmentExpression"
        }  # fmt: skip
        clocks = {name for one in _below(node) if kind_of(one) == "SignalEventExpression" for name in _names(one)}
        for port in _below(node.header):
            _declare(file, port, scope)
        members = [one for one in _children(node.members)]
        _members(file, members, scope)
        for name in clocks:  # exchanged for data they make no sense
            scope.types.pop(name, None)
    elif scope.function:
        for port in _below(node.prototype):
            _declare(file, port, scope)
        for item in _children(node.items):
            _declare(file, item, scope)
        scope.inputs |= set(scope.types)
    else:
        _members(file, list(_children(node.members)), scope)
    return scope


def _members(file: Tree, members: Sequence[Any], scope: Scope) -> None:
    for member in members:
        _declare(file, member, scope)


def _base(node: Any) -> str:
    kind = kind_of(node)
    if kind in ("IdentifierName", "IdentifierSelectName"):
        return node.identifier.valueText
    return ""


def _walk(file: Tree, node: Any, parent: Any, here: Site, ports: Directions) -> Iterator[Site]:
    kind = kind_of(node)
    if kind in _SKIPPED or (kind == "InvocationExpression" and file.said(node.left) in _SKIPPED_TASKS):
        return
    here = replace(here, node=node, parent=parent)
    if kind in _SCOPES:
        here = replace(here, scope=_scope(file, node, here.scope), constant="", procedural=here.procedural
                       or kind == "FunctionDeclaration")  # fmt: skip
    elif kind in ("AlwaysFFBlock", "AlwaysBlock", "AlwaysCombBlock", "AlwaysLatchBlock"):
        here = replace(here, procedural=True, **_clock(node))
    elif kind in ("AssignmentExpression", "NonblockingAssignmentExpression"):
        if _base(node.left).startswith("unused"):
            return
        here = replace(here, read=_names(node.right))
    if file.span(node) is not None:
        yield here
    for child, inside in _inside(file, node, kind, here, ports):
        yield from _walk(file, child, node, inside, ports)


def _clock(block: Any) -> dict[str, Any]:
    """Whether a block has a clock, and its asynchronous reset."""
    events = [one for one in _below(block) if kind_of(one) == "SignalEventExpression"]
    edges = [one for one in events if one.edge is not None and one.edge.valueText in ("posedge", "negedge")]
    names = [name for one in edges[1:] for name in _names(one)]
    return {"clocked": bool(edges), "reset": names[0] if names else ""}


def _inside(file: Tree, node: Any, kind: str, here: Site, ports: Directions) -> Iterator[tuple[Any, Site]]:
    """The children of a node, each with what holds there."""
    if kind in ("AssignmentExpression", "NonblockingAssignmentExpression"):
        yield node.left, replace(here, target=True)
        yield node.right, here
    elif kind == "ParameterPortList":
        return  # every instance sets them, or they follow from those that it sets
    elif kind in ("ParameterDeclaration", "EnumType", "ParameterValueAssignment"):
        for child in _children(node):
            if kind_of(child) not in ("LogicType", "IntType", "BitType", "NamedType"):
                yield child, replace(here, constant="value")
            elif kind == "EnumType":
                continue
    elif kind == "DataDeclaration":
        width = "width" if not here.procedural else "type"
        for child in _children(node):
            yield child, replace(here, constant=width)
    elif (
        kind in ("FunctionPort", "ForVariableDeclaration", "CastExpression", "EqualsValueClause") and not here.constant
    ):
        for child in _children(node):
            yield child, replace(here, constant="type")
    elif kind == "LoopGenerate":
        yield node.block, here
    elif kind == "ForLoopStatement":
        yield node.statement, here
    elif kind in ("IfGenerate", "CaseGenerate"):
        for child in _children(node):
            yield child, replace(here, constant="generate") if child is node.condition else here
    elif kind == "MultipleConcatenationExpression":
        yield node.concatenation, here
    elif kind == "SimpleRangeSelect":
        for child in _children(node):
            yield child, replace(here, constant=here.constant or "select")
    elif kind in ("AscendingRangeSelect", "DescendingRangeSelect"):
        yield node.left, here
    elif kind == "HierarchyInstantiation":
        module = node.type.valueText
        for child in _children(node):
            for connection in _below(child):
                if kind_of(connection) == "NamedPortConnection":
                    name = connection.name.valueText
                    if ports.get(module, {}).get(name) == "input" and connection.expr is not None:
                        yield connection.expr, here
                elif kind_of(connection) == "NamedParamAssignment" and connection.expr is not None:
                    yield connection.expr, replace(here, constant="value")
    else:
        for child in _children(node):
            yield child, here


def choose(design: Design, count: int, seed: int) -> Chosen:
    """`count` mutants, spread over the files with the square root of their places, and in a file over the operators.

    The order in which a file's places are tried depends on seed and file alone.
    """
    chosen, ports = Chosen(), directions(design.texts)
    outer = constants(design.texts)
    queues = {}
    for name in design.mutated:
        found = places(design.texts[name], ports, outer)
        chosen.sites[name] = sum(len(sites) for sites in found.values())
        if chosen.sites[name]:
            queues[name] = _queue(found, Random(f"{seed}:{name}"))
    shares = _shares({name: chosen.sites[name] for name in queues}, count)
    left = 0
    for again in (False, True):  # what a file with few places cannot give, the others do
        for name in sorted(queues, key=lambda one: (-chosen.sites[one], one)) if again else queues:
            wanted = left if again else shares[name]
            got = _take(design, name, queues[name], wanted, chosen)
            left = left - got if again else left + wanted - got
    return chosen


def _shares(sites: Mapping[str, int], count: int) -> dict[str, int]:
    """How many of each file: at least one, if there are enough."""
    weights = {name: number**0.5 for name, number in sites.items()}
    total = sum(weights.values())
    exact = {name: count * weight / total for name, weight in weights.items()}
    shares = {name: max(int(value), 1) for name, value in exact.items()}
    rest = count - sum(shares.values())
    for name in sorted(exact, key=lambda one: (int(exact[one]) - exact[one], one)):
        if rest <= 0:
            break
        shares[name] += 1
        rest -= 1
    for name in sorted(shares, key=lambda one: (-shares[one], one)):
        while rest < 0 and shares[name] > 1:
            shares[name] -= 1
            rest += 1
    return shares if rest >= 0 else {name: 1 if n < count else 0 for n, name in enumerate(sorted(shares))}


def _queue(found: dict[str, list[list[tuple[Part, ...]]]], rng: Random) -> Iterator[tuple[str, tuple[Part, ...]]]:
    """(operator, mutant): the operators in turn, each with another place, a place again when all had their turn."""
    lists = {name: [list(one) for one in sites] for name, sites in sorted(found.items())}
    for sites in lists.values():
        for mutants in sites:
            rng.shuffle(mutants)
        rng.shuffle(sites)
    names = list(lists)
    rng.shuffle(names)

    def taken() -> Iterator[tuple[str, tuple[Part, ...]]]:
        turn = 0
        while any(lists.values()):
            turn += 1
            others = any(lists[name] for name in names if not BY_NAME[name].built)
            for name in names:
                if lists[name] and (turn % _BUILT_TURNS == 0 or not BY_NAME[name].built or not others):
                    place = lists[name].pop(0)
                    yield name, place.pop()
                    if place:
                        lists[name].append(place)

    return taken()


def _declared(text: str, offset: int) -> str:
    """The name whose value is at an offset, "" if it is not in sight."""
    found = re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)*=[^=;]*$", text[max(0, offset - 400) : offset])
    return found[-1] if found else ""


def _take(design: Design, name: str, queue: Iterator[tuple[str, tuple[Part, ...]]], count: int, into: Chosen) -> int:
    """Add up to `count` mutants of a file that are new, elaborate and are in a part of the design that is built."""
    text, got = design.texts[name], 0
    seen = {_bare(text)} | {_bare(one.applied(text)) for one in into.mutants if one.file == name}
    while got < count:
        operator, parts = next(queue, ("", ()))
        if not parts:
            break
        changed = apply(text, parts)
        if _bare(changed) in seen:
            into.drop("the same text as another")
            continue
        seen.add(_bare(changed))
        if design.dead(name, parts[0].start):
            into.drop("in a part that no build has")
            continue
        if operator == "declared_value" and not design.reads(_declared(text, parts[0].start)):
            into.drop("a constant that nothing reads")
            continue
        if not design.elaborates(name, changed):
            into.drop("does not elaborate")
            continue
        line = text.count("\n", 0, parts[0].start) + 1
        number = sum(one.file == name for one in into.mutants) + 1
        stem = name.removesuffix(".sv").removesuffix(".v")
        built = BY_NAME[operator].built
        label = f"{stem}:{line}:{operator}:{number}"
        into.mutants.append(Mutant(label, operator=operator, file=name, line=line, parts=parts, built=built))
        got += 1
    return got
