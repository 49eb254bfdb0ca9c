# SPDX-License-Identifier: Apache-2.0
"""Base class of all configurations: options with their legal values, from words or JSON and back to both.

    @dataclass(frozen=True)
    class Config(Options):
        IP: ClassVar[str] = "ntrace"
        mode: str = option("htm", ("btm", "htm"))
        timestamp: int = switch()

    Config.from_dict({"mode": "btm", "timestamp": "1"}).to_dict()   # {"ip": "ntrace", "mode": "btm", "timestamp": 1}

A configuration checks itself when it is made: first every option against its legal values, then the rules between
options that its class adds in `__post_init__`. Sentences of a ConfigError name an option as a command line does, in
upper case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

Legal = range | tuple[Any, ...]
T = TypeVar("T")
O = TypeVar("O", bound="Options")  # noqa: E741 - O is the class of options
_SHOWN = 40  # characters of a value in a sentence


class ConfigError(ValueError):
    """A configuration that is illegal or not implemented: one sentence with the option, what was found, and what is
    legal.
    """


def option(default: T, legal: Legal | None = None) -> T:
    """An option of a configuration: its default and its legal values, a range or a tuple; None: the class checks them
    itself.
    """
    return field(default=default, metadata={"legal": legal})


def switch(default: int = 0) -> int:
    """An option that is 0 or 1."""
    return option(default, range(2))


@dataclass(frozen=True)
class Options:
    """Base class of a configuration: a frozen dataclass whose fields are made by `option` and `switch`.

    Annotations are "int" or "str"; the options of a class that are anything else are read by its own `parse`.
    IP: the system, written to the key "ip" of `to_dict`. ALIASES: other names that `from_dict` accepts, with the option
    that each means.
    """

    IP: ClassVar[str] = ""
    ALIASES: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        for name, legal in self.legal().items():
            value = getattr(self, name)
            known = isinstance(value, int) and value in legal if isinstance(legal, range) else value in legal
            if not known or isinstance(value, float):
                raise ConfigError(f"{shown(name, value)} is not supported; give {name.upper()}={legal_text(legal)}")

    @classmethod
    def legal(cls) -> Mapping[str, Legal]:
        """The legal values of the options that have a range or a list of them, by name."""
        return _legal(cls)

    @classmethod
    def parse(cls, name: str, value: Any, given: Mapping[str, Any]) -> Any:
        """The value of one option from a word or from JSON; ConfigError if it cannot be one.

        A class overrides this for options with a notation of their own. given: all options as they were given.
        """
        legal = cls.legal().get(name)
        kind = _fields(cls)[name]
        if kind.type == "int":
            return number(name, value, legal, kind.default)
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            return str(value)
        raise ConfigError(
            f"{shown(name, value)} is not text; give {name.upper()}={legal_text(legal or (kind.default,))}"
        )

    @classmethod
    def from_dict(cls: type[O], values: Mapping[str, Any]) -> O:
        """From `config.json` or the words of a command line; numbers may be text (decimal, 0x or 0b). ConfigError if it
        is illegal.

        The key "ip" is ignored.
        """
        if not isinstance(values, Mapping):
            raise ConfigError(
                f"a configuration is a JSON object of options, not {cut(values)}; write {{}} for the defaults"
            )
        known = _fields(cls)
        given = {cls.ALIASES.get(name, name): value for name, value in values.items() if name != "ip"}
        for name, value in given.items():
            if name not in known:
                raise ConfigError(f"unknown option {shown(name, value)}; known are {', '.join(known).upper()}")
        return cls(**{name: cls.parse(name, value, given) for name, value in given.items()})

    def to_dict(self) -> dict[str, Any]:
        """All options as plain JSON values; a capture writes exactly this to `config.json`."""
        return {"ip": self.IP, **{name: _plain(getattr(self, name)) for name in _fields(type(self))}}

    def words(self) -> dict[str, str]:
        """The options that differ from the defaults of this variant, as text for a command line; `from_dict` reads
        them.
        """
        chosen = {"variant": variant} if (variant := getattr(self, "variant", None)) else {}
        usual = type(self).from_dict(chosen).to_dict() | (
            {"variant": type(self)().to_dict()["variant"]} if chosen else {}
        )
        return {name: self.word(name, value) for name, value in self.to_dict().items() if value != usual[name]}

    def word(self, name: str, value: Any) -> str:
        """One value of `to_dict` as text for a command line."""
        del name
        return ",".join(map(str, value)) if isinstance(value, list) else str(value)


@lru_cache(None)
def _fields(kind: type[Options]) -> Mapping[str, Field[Any]]:
    return {f.name: f for f in fields(kind)}


@lru_cache(None)
def _legal(kind: type[Options]) -> Mapping[str, Legal]:
    return {name: legal for name, f in _fields(kind).items() if (legal := f.metadata.get("legal")) is not None}


def number(name: str, value: Any, legal: Legal | None = None, example: Any = 0) -> int:
    """An integer from a word or from JSON; ConfigError names the option and what is legal. true and false are for
    switches only.
    """
    if isinstance(value, bool):
        if legal == range(2):
            return int(value)
    elif isinstance(value, int):
        return value
    elif isinstance(value, str):
        try:
            return int(value, 0)
        except ValueError:
            pass
    found = "a whole number" if isinstance(value, float) else "a number"
    wanted = f"give {name.upper()}={legal_text(legal)}" if legal else f"give one, such as {name.upper()}={example}"
    raise ConfigError(f"{shown(name, value)} is not {found}; {wanted}")


def items(name: str, value: Any, separators: str = "+,") -> list[Any]:
    """The elements of a list: a JSON list, one number, or text with the elements between separators; ConfigError for
    anything else.
    """
    if isinstance(value, str):
        for separator in separators[1:]:
            value = value.replace(separator, separators[0])
        return [item for item in value.split(separators[0]) if item]
    if isinstance(value, int) and not isinstance(value, bool):
        return [value]
    if isinstance(value, Sequence):
        return list(value)
    raise ConfigError(f"{shown(name, value)} is not a list; give elements with {separators[-1]} between them")


def legal_text(legal: Legal) -> str:
    """Legal values in a sentence: `0 to 15`, or `btm or htm`."""
    return f"{legal.start} to {legal.stop - 1}" if isinstance(legal, range) else " or ".join(map(str, legal))


def shown(name: str, value: Any) -> str:
    """NAME=value in a sentence, on one line; a long value is cut."""
    return f"{cut(name.upper())}={cut(value)}"


def cut(value: Any, most: int = _SHOWN) -> str:
    """A value as text on one line, of at most so many characters."""
    try:
        text = hex(value) if isinstance(value, int) and abs(value) >> 64 else str(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits inside a list, or lists a thousand deep
        text = type(value).__name__
    text = "".join(c if c.isprintable() else "?" for c in text[: most + 1])
    return text if len(text) <= most else text[:most] + "..."


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
