# SPDX-License-Identifier: Apache-2.0
"""Packets read in dialects: with deviations from the specification that a device may have in all of its packets.

A dialect is a hypothesis about a device whose packets do not decode. `rewritten_packets` reads each payload as the
dialects have it and sends it again as the specification does, at the same place of the trace, so that what then decodes
shows that the dialects are what the device does. The list of dialects is in `dialect_table`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import OPTIONS, options_of
from rvtrace.models.riscv.program import Program
from rvtrace.scoreboards.diagnosis import operators as o
from rvtrace.scoreboards.diagnosis.search import Dialect
from rvtrace.scoreboards.etrace.layout import Packets, Read, kind_of, read, rewritten, standard

MOST_KNOWN = 20_000  # payloads that are remembered: some 20 MB
Values = dict[str, Any]
Meaning = Callable[[str, Values, dict[str, int]], "Values | None"]  # (packet's name, its fields, options in force)
Change = Callable[[int, str, Values, dict[str, int]], int]  # (a field's value, and the same) to the one that is meant


@dataclass(frozen=True)
class Rewriting:
    """How a dialect is taken back. frames: the payloads of a transported stream. payload: the bytes in the order of the
    specification. table: the device's packets. extended: what is after the last byte of a payload. values: makes, for
    one trace, what the fields mean, from what they are. config: parameters that follow.
    """

    frames: Callable[[bytes, Config], list[bytes]] | None = None
    payload: Callable[[bytes], bytes] | None = None
    table: o.Change | None = None
    extended: str = "sign"
    values: Callable[[Config, Program], Meaning] | None = None
    config: Callable[[Config], Config] | None = None


class Known:
    """What rewriters of one trace share: tables with the dialects taken back, by identity, and payloads that were read
    with the same row of such a table.
    """

    def __init__(self) -> None:
        self._tables: dict[tuple[int, int], tuple[Packets, o.Change, Packets]] = {}
        self._read: dict[tuple[Config, str], dict[Any, Any]] = {}

    def table(self, table: Packets, change: o.Change) -> Packets:
        """A table with a change."""
        key = id(table), id(change)
        if key not in self._tables:
            self._tables[key] = table, change, change(table)  # which keeps alive what is known by its identity
        return self._tables[key][2]

    def payloads(self, config: Config, extended: str) -> dict[Any, Any]:
        """Of one way to read, by payload, options and row."""
        found = self._read.setdefault((config, extended), {})
        if len(found) > MOST_KNOWN:
            found.clear()
        return found


class Rewriter:
    """Reads the packets of one trace in some dialects; `packet` takes them in their order. known: what is shared."""

    def __init__(
        self, config: Config, program: Program, dialects: Sequence[Dialect], known: Known | None = None
    ) -> None:
        steps: list[Rewriting] = [dialect.rewriting for dialect in dialects]
        known = known or Known()
        for step in steps:
            config = config if step.config is None else step.config(config)
        self.table = standard(config.variant)
        for step in steps:
            self.table = self.table if step.table is None else known.table(self.table, step.table)
        self.config = config
        self._extended = next((step.extended for step in steps if step.extended != "sign"), "sign")
        self._payloads = [step.payload for step in steps if step.payload is not None]
        self._meanings = [step.values(config, program) for step in steps if step.values is not None]
        self.options = config.options
        self._known: dict[tuple[bytes, int], tuple[Read, bytes | None]] = {}
        self._shared = known.payloads(config, self._extended)
        self._ioptions = config.ioptions

    def packet(self, payload: bytes) -> tuple[Read, bytes | None]:
        """The payload as it was read, and as the specification has it; None if it cannot be read."""
        key = (payload, self._ioptions)
        found = None if self._meanings else self._known.get(key)
        if found is None:
            found = self._known[key] = self._read(payload)
        if found[0].name == "support" and found[1] is not None:
            self._ioptions = found[0].values.get("ioptions", self._ioptions)
            self.options = options_of(self._ioptions)
        return found

    def _read(self, payload: bytes) -> tuple[Read, bytes | None]:
        sent = payload
        for change in self._payloads:
            sent = change(sent)
        if self._meanings:
            return self._written(sent)
        kind = kind_of(sent, self.table, self.config, self.options)
        key = sent, self._ioptions, id(kind)
        if key not in self._shared:
            self._shared[key] = *self._written(sent), kind
        return self._shared[key][:2]

    def _written(self, sent: bytes) -> tuple[Read, bytes | None]:
        was = read(sent, self.table, self.config, self.options, self._extended)
        if not was.name or was.problem:
            return was, None
        values: Values | None = was.values
        for meaning in self._meanings:
            values = meaning(was.name, values, self.options)
            if values is None:
                return was._replace(problem="values that the dialect does not have"), None
        options = options_of(values["ioptions"]) if was.name == "support" and "ioptions" in values else self.options
        if self._meanings:
            was = was._replace(spans=[span._replace(value=values.get(span.name, span.value)) for span in was.spans])
        return was, rewritten(values.pop("packet", was.name), values, self.config, options)


def rewritten_packets(packets: Sequence[bytes], rewriter: Rewriter) -> list[bytes]:
    """The packets as the specification has them; a payload that cannot be read stays as it is."""
    return [payload if (sent := rewriter.packet(payload)[1]) is None else sent for payload in packets]


def of_field(key: str, make: Callable[[Config, Program], Change]) -> Callable[[Config, Program], Meaning]:
    """The meaning of one field of each packet that has it."""

    def made(config: Config, program: Program) -> Meaning:
        change = make(config, program)

        def meaning(name: str, values: Values, options: dict[str, int]) -> Values:
            if key in values:
                values[key] = change(values[key], name, values, options)
            return values

        return meaning

    return made


def option_bit(name: str) -> int:
    """The place of an option among the bits of ioptions."""
    return OPTIONS.index(name)
