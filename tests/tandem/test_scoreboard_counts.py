# SPDX-License-Identifier: Apache-2.0
"""How often each clause is checked on a few rows, counted by hand, and what is said of one wrong value."""

from typing import Any

import numpy as np
import pytest

from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.riscv.iss.csr import CsrTable
from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder import items as it
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData
from rvtrace.models.tandem.verifier.verdict import Report
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.tandem.alignment import align
from rvtrace.scoreboards.tandem.check import check
from rvtrace.scoreboards.tandem.evidence import damage, damaged
from rvtrace.scoreboards.tandem.resemblance import resemblance
from rvtrace.scoreboards.tandem.tolerances import Tolerances
from rvtrace.scoreboards.tandem.verify import judge_report
from tests.tandem.captures import NOP, PC, RESET, broken, captured, insn


def counts(rows: list[TraceData], **options: Any) -> dict[str, int]:
    """How often each clause was checked on rows of a device that is right."""
    verdict = check(captured(Rows.from_rows([*rows, FLUSH]), Config(**options)))
    assert verdict.passed, verdict.failures[0].text()
    return {name: checked for name, (checked, _) in verdict.book.results().items()}


def test_items_are_counted_by_their_opcodes() -> None:
    request = TraceData(group=False, request=(t.LOAD, 2, 0x8000, 0), response=(0, 7))
    found = counts([RESET, insn(1, gpr=(5, 0x1000)), insn(2, gpr=(6, 0x2000)), request, insn(3)])
    assert (found["TV.opcode.begin"], found["TV.opcode.end"], found["TV.opcode.reset"]) == (4, 4, 1)
    assert (found["TV.opcode.register"], found["TV.opcode.increment_pc"], found["TV.opcode.insn32"]) == (2, 3, 3)
    assert (found["TV.opcode.request"], found["TV.opcode.response"]) == (1, 1)


def test_what_is_not_traced_is_counted() -> None:
    rows = [RESET, insn(1, priv=1), insn(2)]
    assert counts(rows, absent=("priv",))["TV.row.absent"] == 1
    assert "TV.row.absent" not in counts(rows) and "TV.row.absent" not in counts([RESET, insn(2)], absent=("priv",))


def test_the_first_report_is_a_base() -> None:
    """x5 is 9, and again 9: nothing but the register was reported before."""
    again = TraceData(group=False, gpr=(5, 9))
    found = counts([again, again], incremental=2)
    assert (found["TV.form.first"], found["TV.form.same"]) == (1, 1)


def test_a_base_of_lane_0_is_counted_where_it_decides_a_form() -> None:
    """Two rows a cycle: x5 is written in lane 1, and in the next cycle again, beside x6 in lane 0. Its value is near
    the first, or too far from it for a short form, which no base decides.
    """
    for value, times in ((0x1001, 1), (0x9999, 0)):
        rows = [RESET, insn(1, gpr=(5, 0x1000)), insn(2, gpr=(6, 0x1000)), insn(3, gpr=(5, value)), FLUSH]
        verdict = check(captured(Rows.from_rows(rows, 2), Config(incremental=2)))
        assert verdict.passed, verdict.failures[0].text()
        assert verdict.book.results().get("TV.form.lane", (0, 0))[0] == times


def test_a_gap_is_a_row_between_two_pcs() -> None:
    assert "TV.pc.gap" not in counts([RESET, insn(1), insn(2)])
    assert counts([RESET, insn(1), TraceData(group=False, mtime=7), insn(2), insn(3)])["TV.pc.gap"] == 1


def test_a_report_is_counted_for_what_the_trace_has() -> None:
    """Groups and format always, addresses of a next pc as often as there are some."""
    book, report = ClauseBook(), Report(CsrTable(virt(64)), matched=5)
    judge_report(captured(Rows.from_rows([RESET]), Config()), book, report, 2, lambda name: name in ("pc", "csr"))
    verified = {f"TV.verify.{name}": [times, 0] for name, times in
                (("groups", 5), ("format", 5), ("pc", 5), ("csr", 5), ("ppc", 2))}  # fmt: skip
    assert book.results() == verified


@pytest.mark.parametrize(
    ("wanted", "told", "width", "says"),
    [
        (0x1234, 0x3412, 16, "its 2 bytes in reverse order"),
        (0x12, 0x12000000, 64, "its 4 bytes in reverse order"),
        (0x12, 0x16, 64, "in bit 2 alone"),
        (0x1_0000_0001, 0x1_0000_0004, 64, "3 more"),
        (0x12345, 0x45, 64, "cut to 8 bits"),
        (0x80, 0xFFFF_FF80, 32, "extended with ones from bit 8 on"),
        (0x1235, 0x246A, 64, "shifted left by 1"),
    ],
)
def test_what_a_wrong_value_looks_like(wanted: int, told: int, width: int, says: str) -> None:
    assert resemblance(wanted, told, width) == f", {says}"


def test_damage_ends_with_the_second_section_after_it() -> None:
    """Groups of one size, and between two of them bytes that are no item, more than a group has."""
    config = Config()
    rows = Rows.from_rows([RESET, *(insn(n) for n in range(1, 20))])
    encoded = encode(rows, config)
    at = int(encoded.starts[9])
    data = encoded.data[:at] + b"\xff" * 30 + encoded.data[at:]
    (found,) = damage(decode(data, config))
    assert found == (at, int(encoded.starts[10]) + 30, False)
    assert damage(decode(b"\xff" * 30 + encoded.data, config))[0].begin == 0


def test_what_is_shown_of_an_item_that_cannot_be_read() -> None:
    """Its fields as far as they are there, and what may be there: x and f registers, CSRs, identifiers."""
    config = Config()
    x5, nothing = ({name: wanted for name, wanted, _ in damaged(data, 0, config)} for data in
                   (bytes([t.REGISTER, 0x05, 0x10, 1]), bytes([t.REGISTER, 0x05, 0x20, 1])))  # fmt: skip
    assert x5["address"] == "0x1005"
    assert nothing["address"] == "0x0000-0x0fff 0x1000-0x101f 0x1020-0x103f"
    (_, opcodes, found) = damaged(b"\xee", 0, config)[1]
    known = {number for one in opcodes.split() for number in range(*_range(one))}
    assert known == set(t.BY_CODE) and found == "238"


def test_names_of_registers_in_a_failure() -> None:
    """As in assembly; a CSR by its address."""
    shown = [str(it.Register(address, 9)) for address in (0x1005, 0x1025, 0x340)]
    assert ["x5" in shown[0], "f5" in shown[1], "csr 0x340" in shown[2]] == [True] * 3


def _range(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    return int(first), int(last or first) + 1


def test_rows_at_other_places() -> None:
    """A group more that is not the one before it is no group that is sent twice; the first may be sent twice as well,
    beside another mistake.
    """
    config = Config()
    rows = Rows.from_rows([RESET, *(insn(n) for n in range(1, 9)), FLUSH])
    encoded = encode(rows, config)
    edges = encoded.starts.tolist()
    parts = [encoded.data[a:b] for a, b in zip(edges, edges[1:])]
    other = it.pack([it.Begin(), it.IncrementPc(), it.Instruction(4, 0x113), it.End()], config)
    assert len(other) == len(parts[3])
    for sent, says in (
        ([*parts[:4], other, *parts[4:]], False),
        ([*parts[:4], parts[3], *parts[4:]], True),
        ([parts[0], *parts], True),
        ([parts[0], *parts[:4], other, *parts[5:]], True),
    ):
        verdict = check(captured(rows, config, b"".join(sent)))
        exact = [failure for failure in verdict.failures if failure.clause == "TV.order.lost"]
        assert bool(exact) == says, [failure.text() for failure in verdict.failures]
        assert all("twice" in failure.headline for failure in exact)


def test_no_failure_follows_from_itself() -> None:
    """x5 is always reported as x6, which then counts from wrong values: the same mistake, not a consequence of it."""
    config = Config(incremental=2)
    written = [insn(n, gpr=(6, 0x50 + n) if n % 2 else (5, 0x1000 * n)) for n in range(1, 40)]
    rows = Rows.from_rows([RESET, *written, FLUSH])
    parts = []
    for _, item in it.items(encode(rows, config).data, config):
        if isinstance(item, it.Register) and item.address == t.GPR_BASE + 5:
            item = it.Register(t.GPR_BASE + 6, item.data)
        parts.append(item)
    verdict = check(captured(rows, config, it.pack(parts, config), exact=False))
    assert broken(verdict) == ["TV.reported.gpr"]
    assert all(failure.cause != failure.clause for failure in verdict.failures)


def test_a_wrong_value_of_a_name_that_is_used_for_another_is_no_consequence_of_its_own_clause() -> None:
    """x5 is always reported as x6; once x6 itself is reported, in full, with another value than it has."""
    rows = [insn(n, gpr=(6, 0x50 + n) if n % 2 else (5, 0x1000 * n)) for n in range(1, 20)]
    as_x6 = {n: group_of(n, it.Register(t.GPR_BASE + 6, 0x1000 * n)) for n in range(2, 20, 2)}
    verdict = reported(rows, as_x6 | {9: group_of(9, it.Register(t.GPR_BASE + 6, 0x777))}, Tolerances(bytes="any"))
    assert broken(verdict) == ["TV.reported.gpr"]
    (wrong,) = (failure for failure in verdict.failures if "another value" in failure.headline)
    assert wrong.table == [("x6", "0x59", "0x777")] and not wrong.cause


def reported(rows: list[TraceData], change: dict[int, bytes], tolerances: Tolerances, **options: Any) -> Verdict:
    """The verdict on a device that sends other bytes for some rows."""
    config, table = Config(incremental=0, **options), Rows.from_rows([RESET, *rows, FLUSH])
    encoded = encode(table, config)
    edges = encoded.starts.tolist()
    parts = [change.get(k, encoded.data[a:b]) for k, (a, b) in enumerate(zip(edges, edges[1:]))]
    return check(captured(table, config, b"".join(parts), exact=False), tolerances)


def group_of(n: int, *more: it.Item) -> bytes:
    """The group of the n-th instruction in full forms, with these items."""
    parts = [it.Begin(), it.Instruction(*NOP), it.State(t.PC, PC + 4 * n), *more, it.End()]
    return it.pack(parts, Config(incremental=0))


def test_a_request_that_is_missing() -> None:
    request = TraceData(group=False, request=(t.LOAD, 2, 0x8000, 0), response=(0, 7))
    verdict = reported([insn(1), request, insn(2), insn(3)], {2: b""}, Tolerances(bytes="any"))
    assert broken(verdict) == ["TV.reported.request"] and len(verdict.book.causes) == 1


def test_a_report_that_is_late_beside_one_that_never_was() -> None:
    """mtime is 9 between the fourth and the fifth group, and is reported after the fifth; it was 5 at no time."""
    config = Config(incremental=0)
    wrong, late = (it.pack([it.State(t.MTIME, value)], config) for value in (5, 9))
    rows = [insn(1), insn(2), insn(3), insn(4), TraceData(group=False, mtime=9), insn(5), insn(6)]
    encoded = encode(Rows.from_rows([RESET, *rows, FLUSH]), config)
    second, fifth = encoded.of(2), encoded.of(6)
    verdict = reported(rows, {2: wrong + second, 5: b"", 6: fifth + late}, Tolerances(bytes="any"))
    assert broken(verdict) == ["TV.reported.mtime", "TV.reported.outside"]
    assert [verdict.book.results()[name][1] for name in broken(verdict)] == [1, 1]


def test_a_report_that_is_early_beside_one_that_is_right() -> None:
    """mtime is 5 after the second group, and 9 after the fourth, but 9 is reported after the third."""
    first, second = (TraceData(group=False, mtime=value) for value in (5, 9))
    config = Config(incremental=0)
    rows = [insn(1), insn(2), first, insn(3), insn(4), second, insn(5)]
    early = it.pack([it.State(t.MTIME, 9)], config)
    verdict = reported(rows, {4: group_of(3) + early, 6: b""}, Tolerances(bytes="any"))
    assert broken(verdict) == ["TV.reported.outside"]
    assert "mtime is reported before its place" in verdict.failures[0].headline


def test_an_address_that_is_left_out_twice_is_two_mistakes() -> None:
    """An address is about one instruction: none depends on the one before."""
    rows = [insn(n, paddr=0x8000 + 8 * n) for n in range(1, 6)]
    verdict = reported(rows, {2: group_of(2), 3: group_of(3)}, Tolerances(bytes="any"))
    assert [failure.table for failure in verdict.failures if not failure.cause] == [
        [("physical address", f"{0x8000 + 8 * n:#x}", "")] for n in (2, 3)
    ]
    assert verdict.book.results()["TV.reported.paddr"][1] == 2


def test_what_counts_from_a_group_that_is_missing_is_a_consequence() -> None:
    """mcycle is 0x1000, in the third group 0x2000, and 0x2001 after it, which is reported by what is added. Without
    that group it is 0x1001.
    """
    config = Config(incremental=2)
    steps = TraceData(group=False, mcycle=0x2001)
    groups = [insn(n)._replace(insn=(4, n << 7 | 0x13), mcycle={2: 0x1000, 3: 0x2000}.get(n)) for n in range(1, 6)]
    table = Rows.from_rows([RESET, *groups[:3], steps, *groups[3:], FLUSH])
    encoded = encode(table, config)
    assert [item for _, item in it.items(encoded.of(4), config)] == [it.OrRegister(t.MCYCLE, 1)]
    parts = [encoded.of(k) for k in range(len(table))]
    verdict = check(captured(table, config, b"".join([*parts[:3], *parts[4:]]), exact=False))
    assert broken(verdict) == ["TV.reported.group"] and len(verdict.book.causes) == 1


def test_where_the_bytes_of_a_failure_begin() -> None:
    """Of what is in a group where the group begins; of a report that is missing between two where the first ends."""
    config = Config(incremental=0)
    timer = TraceData(group=False, mtime=9)
    rows = [insn(1), insn(2, gpr=(5, 9)), timer, insn(3)]
    encoded = encode(Rows.from_rows([RESET, *rows, FLUSH]), config)
    for row, sent, at in (
        (2, group_of(2, it.Register(t.GPR_BASE + 5, 8)), int(encoded.starts[2])),
        (3, b"", int(encoded.starts[3])),
    ):
        verdict = reported(rows, {row: sent}, Tolerances(bytes="any"))
        (failure,) = (one for one in verdict.failures if not one.cause)
        assert failure.at == at, failure.text()


def test_another_name_before_its_group_is_one_mistake() -> None:
    """mepc changes in a group, and mcause is reported right before it with the value."""
    config = Config(incremental=0)
    rows = [insn(1), insn(2, csr=((0x341, 9),)), insn(3)]
    without = encode(Rows.from_rows([RESET, insn(1), insn(2), insn(3), FLUSH]), config).of(2)
    other = it.pack([it.Register(0x342, 9)], config)
    verdict = reported(rows, {2: other + without}, Tolerances(bytes="any"))
    assert broken(verdict) == ["TV.reported.csr"] and verdict.book.results()["TV.reported.csr"][1] == 1
    assert "is reported as" in verdict.failures[0].headline


def test_a_group_that_says_nothing_new_may_be_left_out_by_choice() -> None:
    again = TraceData(gpr=(5, 9))
    rows = [again, insn(1), again, insn(2)]
    assert reported(rows, {3: b""}, Tolerances(bytes="any", unchanged=True)).passed
    verdict = reported(rows, {3: b""}, Tolerances(bytes="any"))
    assert broken(verdict) == ["TV.reported.group"] and verdict.stats["instructions"] == 2


def test_one_equal_element_explains_no_gap() -> None:
    """Of two sequences of which the second is wrong from some place on, where one of its elements occurs later."""
    wanted, told = np.arange(60), np.concatenate([np.arange(9), [12], np.arange(1000, 1050)])
    found = align(wanted, told, wanted, -told - 1)
    assert not found.missing and not found.extra and len(found.pairs) == 60


def test_many_wrong_elements_of_one_kind_are_no_gap() -> None:
    wanted = np.arange(60)
    told = np.concatenate([wanted[:9], np.arange(1000, 1040), wanted[49:]])
    found = align(wanted, told, np.zeros(60), np.zeros(60))
    assert not found.missing and not found.extra and len(found.pairs) == 60
