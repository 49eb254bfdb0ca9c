# SPDX-License-Identifier: Apache-2.0
"""An item of another layout than the specification's is one finding that names it, and the rest is judged; damage at
one place is no layout.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder import items as it
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.trace_data import Rows
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.check import check
from rvtrace.scoreboards.tandem.layout import explained
from rvtrace.tb.tandem.stimulus.builds import RV32
from rvtrace.tb.tandem.stimulus.random_rows import Mix
from tests.common.there import there
from tests.tandem.captures import RESET, captured

DEFAULT = Config()
Change = Callable[[it.Item, bytes], bytes]


@cache
def rows_of(config: Config) -> Rows:
    """Random rows that are all legal, after a reset."""
    mix = Mix(config, Random(3), share=1 << 30)
    mix.kinds = {mix._instruction: 60, mix._trap: 6, mix._outside: 12, mix._init: 3, mix._reset: 1}
    rows = []
    for n in range(700):
        if n % 100 == 0:
            mix.parts = (0.1, 0.3, 0.8)[n // 100 % 3]
        (kind,) = mix.rng.choices(list(mix.kinds), list(mix.kinds.values()))
        rows.append(mix._sane(kind()))
    return Rows.from_rows([RESET, *rows])


def parts_of(data: bytes, config: Config) -> list[tuple[it.Item, bytes]]:
    """Items and their bytes."""
    found = list(it.items(data, config))
    ends = [start for start, _ in found[1:]] + [len(data)]
    return [(item, data[start:end]) for (start, item), end in zip(found, ends)]


def sent(config: Config, change: Change, first: int | None = None) -> TandemCapture:
    """What a device sends whose items are changed; of the first rows, or of all."""
    rows = rows_of(config).select(slice(0, first))
    data = encode(rows, config).data
    out = b"".join(change(item, raw) for item, raw in parts_of(data, config))
    return captured(rows, config, out, exact=False)


def priv(item: it.Item) -> bool:
    return isinstance(item, it.State) and item.id == t.PRIV


def nibbles(at: int) -> Callable[[bytes], bytes]:
    return lambda data: data[:at] + bytes([data[at] >> 4 | (data[at] & 15) << 4]) + data[at + 1 :]


FORMS = (it.Register, it.AddRegister, it.OrRegister)


def where(what: Callable[[it.Item], bool], change: Callable[[bytes], bytes]) -> Change:
    """A change of some items."""
    return lambda item, data: change(data) if what(item) else data


def state(number: int) -> Callable[[it.Item], bool]:
    return lambda item: isinstance(item, it.State) and item.id == number


def load_with_data(item: it.Item, data: bytes) -> bytes:
    return data + bytes([7] * (1 << item.size)) if isinstance(item, it.Request) and item.op == t.LOAD else data


def length(number: int) -> Callable[[it.Item], bool]:
    return lambda item: isinstance(item, it.Instruction) and item.length == number


def swapped_address(data: bytes) -> bytes:
    """An item with the two bytes of its address exchanged."""
    return data[:1] + data[2:0:-1] + data[3:]


LENGTH = "TV.legal.length"
# title: configuration, what is sent of an item, the clause, what the finding says
CASES: dict[str, tuple[Config, Change, str, str]] = {
    "instruction short": (
        DEFAULT, where(length(4), lambda data: data[:-1]), LENGTH, "32-bit instruction .* 1 byte fewer"),
    "stray byte": (
        DEFAULT, where(priv, lambda data: data + b"\0"), LENGTH, "privilege .* 1 byte more"),
    "address of 8 bytes": (
        Config.from_dict(RV32), where(state(t.PADDR), lambda data: data + bytes(3)),
        LENGTH, r"physical address \(id 2\) has 3 bytes more"),
    "load with data": (
        DEFAULT, load_with_data, LENGTH, "a request of load has data"),
    "mtime with another id": (
        DEFAULT, where(state(t.MTIME), lambda data: b"\x07\x0b" + data[2:]),
        "TV.legal.id", "identifier 11; it has the form of mtime"),
    "operation and size": (
        DEFAULT, where(lambda item: isinstance(item, it.Request), nibbles(9)),
        "TV.legal.request", "operation and size"),
    "size and result": (
        DEFAULT, where(lambda item: isinstance(item, it.Response), nibbles(1)),
        "TV.legal.response", "size and result"),
    "opcode of 16 bits": (
        DEFAULT, where(length(2), lambda data: b"\x11" + data[1:]), LENGTH, "16-bit instructions have opcode 17"),
    "another opcode": (
        DEFAULT, where(length(4), lambda data: b"\x2f" + data[1:]),
        "TV.legal.opcode", r"no opcode 47; it has the form of .* \(opcode 17\)"),
    "address of registers": (
        DEFAULT, where(lambda item: isinstance(item, FORMS), swapped_address),
        "TV.legal.register", "two bytes of a register"),
    "address of CSRs": (
        DEFAULT, where(lambda item: isinstance(item, FORMS) and item.address < t.GPR_BASE, swapped_address),
        "TV.legal.register", "two bytes of a CSR"),
    "store data of one identifier": (
        DEFAULT, where(lambda item: isinstance(item, it.State) and t.MEMDATA <= item.id < t.MTIME,
                       lambda data: b"\x07\x06" + data[2:]),
        LENGTH, "store data of every width has the identifier 6"),
    "next pc as dpc": (
        Config(incremental=0), where(state(t.PC), lambda data: b"\x04\xb1\x07" + data[2:]),
        "TV.id.pc", r"next pc is reported as register 0x7b1 \(dpc\) in 514 of 531 groups"),
}  # fmt: skip


@pytest.mark.parametrize("config", dict.fromkeys(config for config, *_ in CASES.values()), ids=str)
def test_the_right_layout(config: Config) -> None:
    verdict = check(sent(config, lambda item, data: data))
    assert verdict.passed, verdict.failures[0].text()


@pytest.mark.parametrize("name", CASES)
def test_a_layout_is_one_finding(name: str) -> None:
    config, change, clause, says = CASES[name]
    verdict = check(sent(config, change))
    first = min(verdict.failures, key=lambda failure: failure.at if failure.at is not None else 0)
    assert first.clause == clause and re.search(says, first.text()), first.text()
    causes = {failure.clause for failure in verdict.failures if not failure.cause}
    assert causes == {clause}, "\n".join(failure.text() for failure in verdict.failures)
    assert verdict.stats["judged"] > 0.9 * verdict.stats["instructions"]


@pytest.mark.parametrize(
    "option,claimed,used",
    [("response_data_on_failure", 0, 1), ("response_data_on_failure", 1, 0), ("flen", 64, 32), ("mlen", 34, 32)],
)
def test_an_option_against_the_claim(option: str, claimed: int, used: int) -> None:
    base = Config.from_dict(RV32) if option == "mlen" else DEFAULT
    claims, truth = (replace(base, **{option: value}) for value in (claimed, used))
    rows = rows_of(truth)
    verdict = check(captured(rows, claims, encode(rows, truth).data, exact=False))
    assert (
        verdict.failures[0].clause == "TV.legal.length" and f"{option.upper()}={used}" in verdict.failures[0].headline
    )
    assert verdict.stats["judged"] > 0.9 * verdict.stats["instructions"]


def test_a_csr_beside_the_next_pc_is_no_next_pc() -> None:
    """A device may report any CSR, and one that holds the same value as the pc."""
    beside = where(state(t.PC), lambda data: data + b"\x04\xb1\x07" + data[2:])
    assert not explained(sent(Config(incremental=0), beside)).failures
    other = where(state(t.PC), lambda data: b"\x04\xb1\x07" + bytes(8))  # nor is another value one
    assert not explained(sent(Config(incremental=0), other)).failures


def test_exchanged_lanes_are_one_finding_and_the_rest_is_judged() -> None:
    config = Config(lanes=2, incremental=2)
    rows = rows_of(config).select(slice(0, 700))
    rows.cycle = np.arange(len(rows), dtype=np.uint64) // 2
    order = np.arange(len(rows)) ^ 1
    wrong = check(captured(rows, config, encode(rows.select(order), config).data, exact=False))
    assert wrong.book.causes == ["TV.order.lanes"] and "lanes are exchanged" in wrong.failures[0].headline
    assert wrong.stats["judged"] == wrong.stats["instructions"]
    assert check(captured(rows, config, exact=False)).passed


def test_damage_at_one_place_is_no_layout() -> None:
    """A lost byte is found where it is, with what could be read of its item; all but its group is judged."""
    capture = sent(DEFAULT, lambda item, data: data)
    starts = encode(there(capture.rows), DEFAULT).starts
    at = int(starts[300]) + 4
    capture.data = capture.data[:at] + capture.data[at + 1 :]
    assert not explained(capture).failures
    verdict = check(capture)
    assert not verdict.passed and len({failure.clause for failure in verdict.failures if not failure.cause}) == 1
    assert verdict.stats["instructions"] - verdict.stats["judged"] <= 2


@pytest.mark.parametrize("name", [name for name in CASES if name != "instruction short"])
def test_the_bytes_that_should_have_been_sent(name: str) -> None:
    """All of them, where nothing is missing."""
    config, change, *_ = CASES[name]
    right, wrong = (sent(config, one, 160) for one in (lambda item, data: data, change))
    assert wrong.data != right.data and explained(wrong).capture.data == right.data


def test_an_opcode_is_found_by_its_form() -> None:
    """No other item has as many bytes as an instruction of 16 bits, or one of 32."""
    right = sent(DEFAULT, lambda item, data: data, 60)
    for number, opcode in ((2, t.INSN16), (4, t.INSN32)):
        found = explained(sent(DEFAULT, where(length(number), lambda data: b"\x2f" + data[1:]), 60))
        (failure,) = found.failures
        assert failure.clause == "TV.legal.opcode" and failure.table == [("opcode", str(opcode), "47")]
        assert found.capture.data == right.data


@pytest.mark.parametrize(("kind", "code"), [(it.IncrementPc, 3), (it.End, 2), (it.Init, 11)])
def test_of_opcodes_of_one_form_it_is_the_one_that_is_not_sent(kind: type, code: int) -> None:
    """Opcodes 1, 2, 3, 10 and 11 have no fields. A begin group in place of opcode 3 would be legal, too."""
    right = sent(DEFAULT, lambda item, data: data, 160)
    found = explained(sent(DEFAULT, where(lambda item: isinstance(item, kind), lambda data: b"\x0c"), 160))
    (failure,) = found.failures
    assert failure.clause == "TV.legal.opcode" and failure.table == [("opcode", str(code), "12")]
    assert found.capture.data == right.data


def test_times_of_bytes_follow() -> None:
    """Each byte of the corrected trace has the cycle of the byte that it comes from."""
    right = sent(DEFAULT, lambda item, data: data).data
    capture = sent(DEFAULT, CASES["stray byte"][1])
    wrong = capture.data
    capture.marks = np.arange(len(wrong), dtype=np.uint64)
    found = explained(capture)
    assert found.capture.data == right and len(found.failures) == 1
    assert bytes(wrong[int(k)] for k in found.capture.marks) == right
