# SPDX-License-Identifier: Apache-2.0
"""What an access checks: the clauses that a block could break there, each with the outcomes that would show it; and in
which order failures are reported.

The state enables: mstateen0 refuses every mode below M as illegal, hstateen0 those with V = 1 as virtual.
"""

import pytest

from rvtrace.models.csr.file import Gates
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.registers import csrs
from rvtrace.models.riscv.csr import HS, ILLEGAL, VIRTUAL, VS, Access, M, U
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.ctr import access as ctr_access
from rvtrace.scoreboards.ctr.attribution import Attribution

CTR, IND = 1 << 54, 1 << 60
BOTH = CTR | IND
SCTRCTL, SIREG = 0x14E, 0x151
DONE_, ILL, VIRT = 0, ILLEGAL, VIRTUAL
ADDRESS = {"CTR.csr.address": {ILL, VIRT}}
RANGE = {"CTR.entry.range": {ILL}}
OPEN = {"CTR.stateen.open": {ILL}}
HOPEN = {"CTR.stateen.hopen": {VIRT}}
HSCOPE = {"CTR.stateen.hscope": {VIRT}}
MACHINE = {"CTR.stateen.machine": {ILL}}
CSRIND = {"CTR.stateen.csrind": {ILL}}


@pytest.mark.parametrize(
    ("address", "priv", "mstateen", "hstateen", "wanted"),
    [
        # M-mode is never refused; it checks that where a mode below would be
        (SCTRCTL, M, BOTH, BOTH, ADDRESS),
        (SCTRCTL, M, 0, 0, MACHINE | ADDRESS),
        (SCTRCTL, M, IND, IND, MACHINE | ADDRESS),
        (SCTRCTL, M, CTR, CTR, ADDRESS),
        (SIREG, M, CTR, CTR, MACHINE | RANGE | ADDRESS),
        (SIREG, M, IND, IND, MACHINE | RANGE | ADDRESS),
        (SIREG, M, BOTH, 0, RANGE | ADDRESS),
        # HS is refused by mstateen0 alone
        (SCTRCTL, HS, BOTH, BOTH, OPEN | ADDRESS),
        (SCTRCTL, HS, BOTH, 0, OPEN | HSCOPE | ADDRESS),
        (SCTRCTL, HS, BOTH, IND, OPEN | HSCOPE | ADDRESS),
        (SCTRCTL, HS, BOTH, CTR, OPEN | ADDRESS),
        (SCTRCTL, HS, 0, 0, {"CTR.stateen.closed": {DONE_}}),
        (SCTRCTL, HS, IND, IND, {"CTR.stateen.closed": {DONE_}}),
        (SIREG, HS, BOTH, BOTH, OPEN | CSRIND | RANGE | ADDRESS),
        (SIREG, HS, BOTH, CTR, OPEN | CSRIND | HSCOPE | RANGE | ADDRESS),
        (SIREG, HS, IND, IND, {"CTR.stateen.iregs": {DONE_}}),
        (SIREG, HS, CTR, CTR, {"CTR.stateen.csrind": {DONE_}}),
        (SIREG, HS, 0, 0, {}),  # two bits refuse it: neither shows
        # VS by both
        (SCTRCTL, VS, BOTH, BOTH, OPEN | HOPEN | ADDRESS),
        (SCTRCTL, VS, CTR, CTR, OPEN | HOPEN | ADDRESS),
        (SCTRCTL, VS, BOTH, IND, OPEN | {"CTR.stateen.hclosed": {DONE_, ILL}}),
        (SCTRCTL, VS, 0, 0, {"CTR.stateen.closed": {DONE_}, "CTR.stateen.order": {VIRT}}),
        (SIREG, VS, BOTH, BOTH, OPEN | HOPEN | CSRIND | {"CTR.stateen.hcsrind": {VIRT}} | RANGE | ADDRESS),
        (SIREG, VS, BOTH, CTR, CSRIND | {"CTR.stateen.hcsrind": {DONE_, ILL}}),
        (SIREG, VS, CTR, CTR, {"CTR.stateen.csrind": {DONE_}, "CTR.stateen.order": {VIRT}}),
        # what no state enable has a say in
        (SCTRCTL, U, BOTH, BOTH, {"CTR.csr.privilege": {DONE_, VIRT}}),
        (SCTRCTL, U, 0, 0, {"CTR.csr.privilege": {DONE_, VIRT}}),
    ],
)
def test_which_clauses_an_access_checks(
    address: int, priv: int, mstateen: int, hstateen: int, wanted: dict[str, set[int]]
) -> None:
    config = Config(variant="v1_0")
    csr = next(one for one in csrs(config) if one.address == address)
    gates = Gates(mstateen, hstateen, 0x200, 0x200, 0x200)
    found = {
        clause: set(others) for clause, others in ctr_access.tested(config, gates, csr, Access(0, address, 0, priv, 0))
    }
    assert found == wanted


def test_an_address_without_a_csr_checks_that_it_is_refused() -> None:
    config = Config(variant="v1_0")
    found = {
        clause: set(others) for clause, others in ctr_access.tested(config, Gates(), None, Access(0, 0x7FF, 0, M, 0))
    }
    assert found == {"CTR.csr.exists": {DONE_, VIRT}}


def test_failures_are_reported_in_the_order_of_the_run() -> None:
    """Those that one clause explains and those that several may, whichever is known first."""
    blame, book = Attribution(), ClauseBook()
    first, second, third = (Failure(f"CTR.{name}", name, at=at) for name, at in (("a", 3), ("b", 5), ("c", 9)))
    blame.sure(third)
    blame.sure(first)
    blame.add(second, (("CTR.b", ""), ("CTR.d", "")))
    blame.follows(third, first)
    blame.finish(book)
    assert book.failures == [first, second, third]
    assert [one.cause for one in book.failures] == ["", "", "CTR.a"]
