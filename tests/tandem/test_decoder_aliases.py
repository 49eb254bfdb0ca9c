# SPDX-License-Identifier: Apache-2.0
"""Incremental forms of CSRs that show the same state: they count from what the hart holds, by whichever name it was
reported last.
"""

import random

import pytest

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import Decoder, decode
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.models.tandem.encoder import items
from rvtrace.models.tandem.encoder.items import Begin, End, IncrementPc, Instruction, Reset, State, pack

FFLAGS, FRM, FCSR, MSTATUS, SSTATUS, MIDELEG, MIE, SIE, MIP, SIP = (
    1, 2, 3, 0x300, 0x100, 0x303, 0x304, 0x104, 0x344, 0x144,
)  # fmt: skip
FULL, OR, ADD = items.Register, items.OrRegister, items.AddRegister
UNKNOWN = None
# What is reported, and what the last one then is.
CASES = {
    "fcsr, fflags |": ([FULL(FCSR, 0xE0), OR(FFLAGS, 3)], 3),
    "fcsr, frm +": ([FULL(FCSR, 0x3F), ADD(FRM, 1)], 2),
    "fcsr, fflags, fcsr |": ([FULL(FCSR, 0x60), FULL(FFLAGS, 4), OR(FCSR, 1)], 0x65),
    "fcsr, frm, fcsr |": ([FULL(FCSR, 0x61), FULL(FRM, 4), OR(FCSR, 2)], 0x83),
    "fflags, frm, fcsr |": ([FULL(FFLAGS, 4), FULL(FRM, 2), OR(FCSR, 1)], 0x45),
    "fflags, fcsr |": ([FULL(FFLAGS, 4), OR(FCSR, 1)], UNKNOWN),
    "fcsr, fflags |, fcsr +": ([FULL(FCSR, 0x41), OR(FFLAGS, 2), ADD(FCSR, 1)], 0x44),
    "mstatus, sstatus |": ([FULL(MSTATUS, 0x1888), OR(SSTATUS, 2)], 2),
    "mstatus, sstatus, mstatus |": ([FULL(MSTATUS, 0x1808), FULL(SSTATUS, 0x42022), OR(MSTATUS, 0x80)], 0x438AA),
    "sstatus, mstatus |": ([FULL(SSTATUS, 2), OR(MSTATUS, 8)], UNKNOWN),
    "mideleg, mie, sie |": ([FULL(MIDELEG, 0x222), FULL(MIE, 0xAA0), OR(SIE, 2)], 0x222),
    "mie, mideleg, sie |": ([FULL(MIE, 0xAA0), FULL(MIDELEG, 0x222), OR(SIE, 2)], 0x222),
    "mideleg, mie, sie, mie |": ([FULL(MIDELEG, 0x222), FULL(MIE, 0x880), FULL(SIE, 0x20), OR(MIE, 8)], 0x8A8),
    "mideleg, mip, sip |": ([FULL(MIDELEG, 0x222), FULL(MIP, 0x80), OR(SIP, 2)], 2),
    "mie, sie, mie |": ([FULL(MIE, 0x880), FULL(SIE, 0), OR(MIE, 8)], UNKNOWN),
    "mie, sie |": ([FULL(MIE, 0x880), OR(SIE, 2)], UNKNOWN),
    "mip, mie |": ([FULL(MIP, 0x880), OR(MIE, 2)], UNKNOWN),
}


def groups(reported: list, reset: int = -1) -> list:
    """Each in a separate group, after a reset; reset: another one before the item of this number."""
    out = [Begin(), Reset(), State(10, 0), End()]
    for k, one in enumerate(reported):
        out += [Begin(), Reset(), State(10, 0), End()] if k == reset else []
        out += [Begin(), IncrementPc(), Instruction(4, 0x13), one, End()]
    return out


def last(decoded: Decoded) -> int | None:
    """The value of the last register reported; None if its group reports none."""
    *_, group = decoded.groups()
    return next((value for key, value in group.changes if key < 0x1000), None)


@pytest.mark.parametrize("xlen", (32, 64))
@pytest.mark.parametrize("reported,value", CASES.values(), ids=CASES)
def test_one_state(reported: list, value: int | None, xlen: int) -> None:
    config = Config(xlen=xlen)
    decoded = decode(pack(groups(reported), config), config)
    assert last(decoded) == value
    assert [one.name for one in decoded.diagnostics] == (["unknown_base"] if value is UNKNOWN else [])


@pytest.mark.parametrize("reported,value", CASES.values(), ids=CASES)
def test_a_reset_forgets_all_names(reported: list, value: int | None) -> None:
    config = Config()
    decoded = decode(pack(groups(reported, len(reported) - 1), config), config)
    assert last(decoded) is None and [one.name for one in decoded.diagnostics] == ["unknown_base"]


def test_a_base_that_came_alone() -> None:
    """What is decoded at once may have nothing but a CSR in full, without any short form."""
    config = Config()
    decoder = Decoder(config)
    parts = []
    for one in (FULL(MSTATUS, 0x1888), OR(SSTATUS, 0x20)):
        parts.append(decoder.feed(pack([Begin(), IncrementPc(), Instruction(4, 0x13), one, End()], config)))
    parts.append(decoder.finish())
    assert last(Decoded.concat(parts)) == 0x20


def test_fields_of_both_widths() -> None:
    for xlen, shown in ((32, 0x800DE762), (64, 0x80000003000DE762)):
        config = Config(xlen=xlen)
        assert last(decode(pack(groups([FULL(MSTATUS, (1 << xlen) - 1), OR(SSTATUS, 0)]), config), config)) == shown


@pytest.mark.parametrize("seed", range(4))
def test_wherever_the_bytes_are_cut(seed: int) -> None:
    config, rng = Config(), random.Random(f"{seed}:cut")
    reported = [item for k in range(60) for item in rng.choice(list(CASES.values()))[0] + [FULL(0x1005, k)]]
    data = pack(groups(reported, 50), config)
    whole = decode(data, config)
    decoder, parts, at = Decoder(config), [], 0
    while at < len(data):
        size = rng.randrange(1, 200)
        parts.append(decoder.feed(data[at : at + size]))
        at += size
    cut = Decoded.concat([*parts, decoder.finish()])
    assert [group.changes for group in cut.groups()] == [group.changes for group in whole.groups()]
    assert cut.diagnostics == whole.diagnostics
