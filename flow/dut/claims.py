# SPDX-License-Identifier: Apache-2.0
"""What an IP claims to support: for each option of its system the values it has, from [options] of dut.toml.

A value is the only one; a list names several; "4..12" is a range; "any" is whatever is legal. An option that is not
named has the value that the system's configuration has by default.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

from rvtrace.flow.dut.names import near

ANY = "any"
_RANGE = re.compile(r"(\d+)\.\.(\d+)")
_NUMBER = re.compile(r"-?(0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)")
_COMBINATIONS = 256  # of values that are tried together until one is legal
_WIDEST = 1 << 16  # values of a range: each is tried by itself, 65,536 of them in 2 s


@dataclass(frozen=True)
class Claims:
    """The values of each option, in the order given; None for one that may be anything. written: the options that
    dut.toml names, as they are there.
    """

    values: Mapping[str, tuple[Any, ...] | None]
    written: Mapping[str, Any]

    @property
    def named(self) -> tuple[str, ...]:
        """The options that dut.toml names."""
        return tuple(self.written)

    def allows(self, system: Any, option: str, options: Mapping[str, Any]) -> bool:
        """Whether the value of an option is claimed: a claimed one in its place gives the same configuration."""
        known = self.values[option]
        if known is None or (option in options and plain(options[option]) in known):
            return True
        whole = system.config.from_dict(dict(options))
        return any(_same(system, whole, options, option, value) for value in known)

    def first(self, option: str) -> Any:
        """The value to use where nothing says which: the default if it is claimed, else the first one named."""
        known = self.values[option]
        return None if known is None else known[0]

    def text(self, option: str) -> str:
        """The values for a sentence, as they were written: "48,3:32" and not the width of each counter."""
        known = self.values[option]
        given = self.written.get(option)
        if isinstance(given, str | int) and given != "":
            return str(int(given) if isinstance(given, bool) else given)
        if isinstance(given, list) and not any(isinstance(one, list) for one in given):
            return ", ".join(map(str, given))
        return ANY if known is None else ", ".join(map(str, known)) or '""'


def _same(system: Any, whole: Any, options: Mapping[str, Any], option: str, value: Any) -> bool:
    try:
        return bool(system.config.from_dict({**options, **as_options(system, {option: value})}) == whole)
    except ValueError:
        return False


def plain(value: Any) -> Any:
    """A value that can be compared: lists as tuples, numbers in text as numbers."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, list | tuple):
        return tuple(plain(one) for one in value)
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value, 0)
    return value


def claims_of(system: Any, variant: Any, given: Mapping[str, Any], error: type[ValueError]) -> Claims:
    """From [dut] variant and [options]; `error` about an option or a value that the system does not have."""
    known = {f.name: f for f in fields(system.config)}
    given = dict(given)
    if "variant" in given:
        raise error("[options] has variant; write it as [dut] variant")
    if variant is not None:
        if "variant" not in known:
            raise error(f"[dut] variant = {variant!r}, and {system.title} has one variant only; take the line away")
        given = {"variant": variant, **given}
    # As written, not as a configuration of defaults has it: "all" selectors are fewer where there are fewer events.
    values: dict[str, tuple[Any, ...] | None] = {name: (plain(one.default),) for name, one in known.items()}
    alone = {name: value for name, value in given.items() if isinstance(value, int) and name in known}
    values |= dict.fromkeys(system.foreign.others)
    for name, value in given.items():
        where = "[dut] variant" if name == "variant" else f"[options] {name}"
        if name not in known:
            hint = near(name, known)
            raise error(
                f"[options] has {name}, which is no option of {system.title}; {hint}known are"
                f" {', '.join(n for n in known if n != 'variant')}"
            )
        values[name] = _values(system, name, where, value, isinstance(known[name].default, tuple), alone, error)
    claims = Claims(values, given)
    _demand_one_legal(system, claims, error)
    return claims


def _values(
    system: Any, name: str, where: str, value: Any, listed: bool, alone: Mapping[str, int], error: type[ValueError]
) -> tuple[Any, ...] | None:
    if value == ANY:
        return None
    if isinstance(value, str) and (match := _RANGE.fullmatch(value)):
        low, high = map(int, match.groups())
        if low > high:
            raise error(f'{where} = "{value}" is an empty range; write "{high}..{low}"')
        if high - low >= _WIDEST:
            raise error(f'{where} = "{value}" has too many values; name the smallest and largest that your IP has')
        choices: list[Any] = list(range(low, high + 1))
    elif isinstance(value, list) and not (listed and not any(isinstance(one, list) for one in value)):
        choices = list(value)
    else:
        choices = [value]
    if not choices:
        raise error(f"{where} = [] supports nothing; name a value, or take the line away")
    found = []
    for choice in choices:
        if not all(isinstance(one, (int, str)) for one in (choice if isinstance(choice, list) else [choice])):
            raise error(
                f"{where} = {choice!r} is no value of an option; write a number, a word in quotes, or a list of them"
            )
        read = _read(system, name, int(choice) if isinstance(choice, bool) else choice, alone)
        if isinstance(read, str) and read.startswith(f"{name.upper()}="):
            raise error(f"{where}: {read[len(name) + 1 :].replace(f'{name.upper()}=', '')}")
        found.append(plain(choice) if not isinstance(read, tuple) else plain(read))
    return tuple(dict.fromkeys(found))


def _read(system: Any, name: str, choice: Any, alone: Mapping[str, int]) -> Any:
    """The value as the configuration has it; if it is not legal, the sentence about it, which begins with NAME=.

    alone: options with one value, on which the reading may depend.
    """
    text = ",".join(map(str, choice)) if isinstance(choice, list) else choice
    with suppress(ValueError):
        return getattr(system.config.from_dict({**alone, name: text}), name)
    try:
        return getattr(system.config.from_dict({name: text}), name)
    except ValueError as found:
        sentence = str(found)
        # Another option may have to change with it: that is judged with all of them.
        return sentence if sentence.startswith(f"{name.upper()}={choice} is not ") else choice


def _demand_one_legal(system: Any, claims: Claims, error: type[ValueError]) -> None:
    """Some combination of the claimed values is a configuration."""
    several = {name: values for name, values in claims.values.items() if values is not None}
    first: str | None = None
    for chosen in itertools.islice(itertools.product(*several.values()), _COMBINATIONS):
        try:
            system.config.from_dict(as_options(system, dict(zip(several, chosen))))
            return
        except ValueError as found:
            first = first or str(found)
    raise error(f"[options] is no implementation of {system.title}: {first}, as a line of [options]")


def as_options(system: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as `Config.from_dict` of the system reads them: words as text, lists as lists."""
    words = {f.name for f in fields(system.config) if f.type == "str"}
    return {
        name: list(value) if isinstance(value, tuple) else str(value) if name in words else value
        for name, value in values.items()
    }
