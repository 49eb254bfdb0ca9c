# SPDX-License-Identifier: Apache-2.0
"""The examples executed: as corrected they fit an instruction set simulator, and it finds what the format cannot (C.4,
C.5).
"""

import pytest

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.errata import ERRATA, example, printed
from rvtrace.models.tandem.simulator.interface import reference
from rvtrace.models.tandem.trace_data import Rows, TraceData
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verdict import Report
from rvtrace.models.tandem.verifier.verify import Verifier

CONFIG = Config(xlen=64, flen=64)
START, STORE = 0x81234, 1
# Instruction, registers and memory that each example needs to come out as it says.
NEEDS = {
    "C.1": ((4, 0x006281B3), {5: 0x1000, 6: 0x234}, {}),
    "C.2": ((4, 0x10010067), {2: 0x0C000000}, {}),
    "C.4": ((2, 0x8D0D), {10: 0xFFFFFFFF12345679, 11: 1}, {}),
    "C.5": ((4, 0x0082A203), {5: 0x01000000}, {0x01000008: 0x55AA55AA}),
    "C.6": ((4, 0x3045B4F3), {11: 8}, {}),
}


def verified(table: str, data: bytes) -> Report:
    """An example after state initialization."""
    (size, bits), registers, memory = NEEDS[table]
    rows = [
        TraceData(reset=True, pc=START, priv=3),
        TraceData(init=True, request=(STORE, 1 if size == 2 else 2, START, bits)),
    ]
    rows += [TraceData(init=True, gpr=(number, value)) for number, value in registers.items()]
    rows += [TraceData(init=True, request=(STORE, 2, address, value)) for address, value in memory.items()]
    if table == "C.6":
        rows.append(TraceData(init=True, csr=((0x304, 0x888),)))
    decoded = decode(encode(Rows.from_rows(rows), CONFIG).data + data, CONFIG)
    assert not decoded.diagnostics
    simulator = reference(64, ram=())  # every address is memory
    return Verifier(simulator, Profile.of(CONFIG, simulator.hart.config)).run(decoded)


@pytest.mark.parametrize("table", NEEDS)
def test_corrected_example_fits(table: str) -> None:
    """Executed, it does what it says."""
    report = verified(table, example(table))
    assert report.ok and report.matched == 1, str(report)


@pytest.mark.parametrize("name", [erratum.name for erratum in ERRATA if erratum.finds == "verifier"])
def test_printed_example_does_not_fit(name: str) -> None:
    """x16 is written and x10 is not; a word that is not sign-extended: one finding, about a register."""
    (erratum,) = (one for one in ERRATA if one.name == name)
    table = erratum.where
    report = verified(table, printed(name, table))
    (finding,) = report.findings
    assert {difference.what for difference in finding.differences} == {erratum.diagnostic}
    assert {difference.how for difference in finding.differences} == (
        {"omitted", "extra"} if table == "C.4" else {"wrong"}
    )
