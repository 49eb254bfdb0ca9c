# SPDX-License-Identifier: Apache-2.0
"""After a reset the privileged manual leaves most state to the implementation (3.4): it is not judged until it is
written, read or reported, or the profile gives it.
"""

from typing import Any

import pytest

from rvtrace.models.riscv.iss.config import HartError, virt
from rvtrace.models.riscv.iss.csr import CsrTable
from rvtrace.models.riscv.iss.hart import Hart
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.simulator.interface import Reference
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verdict import Report
from rvtrace.models.tandem.verifier.verify import Verifier
from tests.common.there import there
from tests.tandem.hand import assembled, config_of, declared, li, steps_of

NOP = 0x13
MSTATUS, MISA, MCOUNTEREN, MSCRATCH = 0x300, 0x301, 0x306, 0x340


def csr(op: int, address: int, rd: int = 0, rs: int = 0) -> int:
    return address << 20 | rs << 15 | op << 12 | rd << 7 | 0x73


WRITE, SET = 1, 2


def rows_of(*words: int, **state: int) -> list[TraceData]:
    """What a hart reports that holds this after its reset; registers are not initialized by the trace."""

    def prepare(simulator: Reference) -> None:
        for name, value in state.items():
            if name[0] == "x":
                simulator.hart.x[int(name[1:])] = value
            else:
                simulator.hart.csr[int(name[3:], 16)] = value

    rows = steps_of(assembled(*words), len(words) + 4, prepare)
    return [row for row in rows if not row.gpr or row.insn]


def report_on(rows: list[TraceData], **hart: Any) -> Report:
    config = config_of(64)
    data = encode(Rows.from_rows([*rows, FLUSH]), config).data
    profile = Profile.of(config, virt(64, **hart))
    return Verifier(Reference(Hart(profile.hart)), profile).run(decode(data, config), data)


READS = {
    "a CSR": (csr(SET, MSCRATCH, 6), {"csr340": 0x1234}),
    "which counters are readable": (csr(SET, MCOUNTEREN, 6), {"csr306": 7}),
    "whether there is an FPU that is on": (csr(SET, MSTATUS, 6), {"csr300": 3 << 13 | 0xA << 32}),
    "non-standard extensions": (csr(SET, MISA, 6), {"csr301": CsrTable(virt(64)).reset[MISA] | 1 << 23}),
}


@pytest.mark.parametrize("name", READS)
def test_a_first_read_is_believed_and_the_next_compared(name: str) -> None:
    word, state = READS[name]
    rows = rows_of(word, NOP, word, **state)
    assert report_on(rows).ok
    last = max(k for k, row in enumerate(rows) if row.gpr)
    changed = [*rows[:last], rows[last]._replace(gpr=(6, there(rows[last].gpr)[1] ^ 1 << 13)), *rows[last + 1 :]]
    assert len(report_on(changed).findings) == 1


def test_what_the_profile_gives_is_compared_at_once() -> None:
    rows = rows_of(csr(SET, MSCRATCH, 6), **{"csr340": 0x1234})
    assert report_on(rows, reset={"mscratch": 0x1234}).ok
    assert len(report_on(rows, reset={"mscratch": 0x1235}).findings) == 1
    with pytest.raises(HartError, match="reset names 'x32'"):
        CsrTable(virt(64, reset={"x32": 0}))


def test_what_the_manual_gives_is_compared_at_once() -> None:
    """mstatus.MIE is 0 after reset, and misa has the extensions of the hart."""
    for word, state in ((csr(SET, MSTATUS, 6), {"csr300": 8}), (csr(SET, MISA, 6), {"csr301": 1 << 63 | 1 << 8})):
        assert len(report_on(rows_of(word, **state)).findings) == 1


@pytest.mark.parametrize(("op", "wrong", "count"), [(WRITE, 1 << 20, 1), (SET, 1 << 20, 0), (SET, 2, 1)])
def test_bits_that_an_instruction_writes_are_compared(op: int, wrong: int, count: int) -> None:
    """csrw gives all bits of mscratch a value, csrs those that are set: 6."""
    rows = rows_of(*li(5, 6), csr(op, MSCRATCH, 0, 5))
    k = next(k for k, row in enumerate(rows) if row.csr)
    assert rows[k].csr == ((MSCRATCH, 6),)
    changed = [*rows[:k], rows[k]._replace(csr=((MSCRATCH, 6 ^ wrong),)), *rows[k + 1 :]]
    assert len(report_on(changed).findings) == count


def test_an_x_register_is_what_the_first_use_says() -> None:
    add, store = 0x00128313, 0x00532023  # addi x6, x5, 1; sw x5, 0(x6)
    rows = rows_of(add, NOP, add, x5=0x70)
    assert report_on(rows).ok and not report_on(rows, reset={"x5": 0x70}).unverified
    assert len(report_on(rows, reset={"x5": 0}).findings) >= 1
    assert report_on(rows_of(store, x5=0x70, x6=0x80001000)).ok


def test_of_a_hart_that_is_given_nothing_is_left_open() -> None:
    assert set(CsrTable(declared()).unspecified.values()) == {0}


SSTATUS, SIE, SIP, MIDELEG = 0x100, 0x104, 0x144, 0x303


@pytest.mark.parametrize(
    ("address", "value", "fine"),
    [(SIE, 0x222, True), (SIE, 0xAAA, False), (SIP, 0x820, False), (SSTATUS, 1 << 63 | 3 << 13 | 2, True),
     (SSTATUS, 8, False), (MSTATUS, 8, True)],
)  # fmt: skip
def test_a_view_shows_no_bits_but_its_own(address: int, value: int, fine: bool) -> None:
    """sie and sip show what mideleg delegates, which is known only when it was reported or written."""
    delegated = TraceData(init=True, csr=((MIDELEG, 0x222),))
    shown = TraceData(init=True, csr=((address, value),))
    reset, *rest = rows_of(NOP)
    report = report_on([reset, delegated, shown, *rest])
    assert report.ok == fine and len(report.findings) == (not fine), str(report)
    assert fine or "never shows" in str(report)
    assert report_on([reset, shown, delegated, *rest]).ok == (fine or address in (SIE, SIP))
