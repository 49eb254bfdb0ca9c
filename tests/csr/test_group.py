# SPDX-License-Identifier: Apache-2.0
"""The proof that a register is said once: a group of CSRs that is a table in this folder alone, with a register behind
an iselect and fields with legal values, is modelled, checked, accessed at random, covered and generated.
"""

from collections.abc import Callable
from random import Random

import pytest

from rvtrace.flow.generate.registers import group
from rvtrace.models.csr import CsrModel
from rvtrace.models.riscv.csr import DEBUG, DONE, HS, ILLEGAL, READ, VS, VU, WRITE, Access, Answer, M, U
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.csr.check import CsrCheck
from rvtrace.scoreboards.csr.rules import RULES
from rvtrace.tb.common.coverage.registers import CsrCoverage
from rvtrace.tb.common.stimulus.csr_random import RandomCsrs
from tests.csr.group import LANE, example

CLAUSES = {rule: f"EX.{rule}" for rule in RULES} | {
    f"stateen.{how} {bit}": f"EX.stateen.{how}"
    for how in ("closed", "open", "hclosed", "hopen")
    for bit in ("EX", "CSRIND")
}
Answers = list[tuple[Access, Answer]]


def run(accesses: int, device: CsrModel | None = None, seed: int = 0) -> Answers:
    """Random accesses and what a device answers, in the modes of a hart; the gates are open at first."""
    device = device or CsrModel(example())
    rng = Random(seed)
    made = RandomCsrs(example(), (M, HS, U, VS, VU, DEBUG), rng)
    played = [Access(WRITE, address, (1 << 64) - 1) for address in (0x30C, 0x60C)]
    played += [made.access(rng.choice((M, M, HS, HS, U, VS, VU))) for _ in range(accesses)]
    return [(access, device.access(access)) for access in played]


def failed(answers: Answers) -> list[str]:
    """The clauses that fail."""
    book = ClauseBook()
    check = CsrCheck([CsrModel(example())], book, "EX.access", CLAUSES)
    for cycle, (access, answer) in enumerate(answers):
        check.access(cycle, access, answer)
    return [clause for clause, (_, wrong) in book.results().items() if wrong]


def test_random_accesses_cover_the_group() -> None:
    """6000 accesses reach every operation and value, most outcomes and no others; the model as a device is right."""
    answers, coverage = run(6000), CsrCoverage(example())
    assert failed(answers) == []
    counts = coverage.observe(answers)
    for point in coverage.points:
        rare = len(point.reachable) // 10 if point.name == "csr_cg" else 0
        assert len(point.holes(counts)) <= rare and point.surprises(counts) == [], (point.name, point.holes(counts))
    values = {name for name in counts["field_cg"] if name.startswith("lane x LEVEL")}
    assert values == {"lane x LEVEL x 0", "lane x LEVEL x 4", "lane x LEVEL x 8"}


class _Wrong(CsrModel):
    """A device with one bug. how: what it does with an answer."""

    def __init__(self, how: Callable[[Access, Answer], Answer]) -> None:
        super().__init__(example())
        self.how = how

    def access(self, access: Access) -> Answer:
        return self.how(access, super().access(access))


def _other(address: int, bits: int) -> Callable[[Access, Answer], Answer]:
    """These bits of a CSR are the other way round, where it is read."""
    return lambda a, r: r._replace(rdata=r.rdata ^ bits) if (a.addr, r.outcome) == (address, DONE) else r


def _ends(address: int, priv: int, before: int, after: int) -> Callable[[Access, Answer], Answer]:
    """Accesses of a mode to a CSR that end otherwise."""
    return lambda a, r: r._replace(outcome=after) if (a.addr, a.priv, r.outcome) == (address, priv, before) else r


@pytest.mark.parametrize(
    ("how", "clause"),
    [
        (_other(0x7C0, 1), "EX.mode"),
        (_other(0x7C0, 8), "EX.wpri"),
        (_other(0x7C0, 16), "EX.other"),
        (_other(0x151, 4), "EX.lane"),
        (_other(0x151, 1 << 28), "EX.id"),
        (_other(0x5C0, 1), "EX.word"),
        (_ends(0x5C0, U, ILLEGAL, DONE), "EX.level.user"),
        (_ends(0x7C0, HS, ILLEGAL, DONE), "EX.level.machine"),
        (_ends(0x5C0, HS, ILLEGAL, DONE), "EX.stateen.closed"),
        (_ends(0x5C0, HS, DONE, ILLEGAL), "EX.stateen.open"),
        (_ends(0x151, M, ILLEGAL, DONE), "EX.ireg.outside"),
        (_ends(0xCC0, M, ILLEGAL, DONE), "EX.read_only"),
        (_ends(0x30C, M, DONE, ILLEGAL), "EX.done"),
    ],
)
def test_a_wrong_device_fails_under_its_clause(how: Callable[[Access, Answer], Answer], clause: str) -> None:
    assert clause in failed(run(3000, _Wrong(how)))


def test_a_device_that_keeps_illegal_values_fails() -> None:
    class Keeps(CsrModel):
        def _write(self, csr, access, new):
            super()._write(csr, access, new)
            if csr.ireg == 1 and (key := self._key(csr, access, "lane")):
                self.values[key] = self.values[key] & ~15 | new & 15

    assert failed(run(3000, Keeps(example()))) == ["EX.lane"]
    assert LANE.warl(5) == 5 << 28


def test_an_address_without_a_csr_is_illegal() -> None:
    assert failed([(Access(READ, 0x7C1), Answer(0, DONE))]) == ["EX.access"]
    assert failed([(Access(READ, 0x7C1), Answer(0, ILLEGAL))]) == []


def test_the_group_is_generated() -> None:
    """The RTL package has addresses, settable bits and places; the page has the CSRs and their fields."""
    source = group(example(), "tests/csr/group.py", "rtl/example/example_reg_pkg.sv", "example.md", "Example")
    (package,) = source.files().values()
    assert source.page == "example.md" and source.text is not None
    page = source.text()
    for line in (
        "package example_reg_pkg;",
        "  localparam logic [11:0] MexampleAddr = 12'h7C0;",
        "  localparam logic [63:0] MexampleMask = 64'h8000000000000003;",
        "  localparam int MexampleModeLsb = 0, MexampleModeWidth = 2;",
        "  localparam logic [63:0] LaneMask = 64'h000000000000000C;",
        "  localparam int LaneIdLsb = 28, LaneIdWidth = 4;",
    ):
        assert line in package.splitlines()
    for line in (
        "| 0x5c0 | `sexample` | S | 64 | `vsexample` | EX | scratch |",
        "### `lane`",
        "| 3:0 | `LEVEL` | WARL | 0, 4, 8 | how much |",
        "| 31:28 | `ID` | RO |  | which version |",
    ):
        assert line in page.splitlines()
