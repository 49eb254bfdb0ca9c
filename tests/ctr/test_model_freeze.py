# SPDX-License-Identifier: Apache-2.0
"""Freeze: which register decides in each variant, what it is not,
and that the freezing trap is never recorded (CTR-5).
"""

import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import Transfer
from rvtrace.models.riscv.csr import DEBUG, HS, VS, VU, WRITE, Access, M, U

BPFRZ, LCOFIFRZ = 1 << 11, 1 << 12
CTL, VSCTL = {"v1_0": 0x34E, "v0_1_4": 0x381}, {"v1_0": 0x24E, "v0_1_4": 0x281}
STATUS, FROZEN = {"v1_0": 0x14F, "v0_1_4": 0x383}, {"v1_0": 31, "v0_1_4": 15}


def block(variant: str, ctl: int, vsctl: int, modes: int = 7) -> Ctr:
    """A block with all modes enabled, and these further bits."""
    ctr = Ctr(Config(variant=variant, has_stateen=0))
    ctr.access(Access(WRITE, CTL[variant], ctl | modes))
    ctr.access(Access(WRITE, VSCTL[variant], vsctl | modes))
    return ctr


def frozen(ctr: Ctr, *transfers: Transfer) -> tuple[int, int]:
    """FROZEN after one cycle with these transfers, and how many were recorded."""
    ctr.retire(transfers[0].from_, transfers)
    return ctr.state.frozen, ctr.recorder.recorded


# variant, from, to: whether vsctrctl decides (v1_0: traps to VS; draft: the register that was active).
DECIDES = [
    ("v1_0", U, HS, False),
    ("v1_0", U, M, False),
    ("v1_0", HS, M, False),
    ("v1_0", M, M, False),
    ("v1_0", VU, VS, True),
    ("v1_0", VS, VS, True),
    ("v1_0", VU, HS, False),
    ("v1_0", VS, M, False),
    ("v0_1_4", U, HS, False),
    ("v0_1_4", M, M, False),
    ("v0_1_4", VU, VS, True),
    ("v0_1_4", VS, VS, True),
    ("v0_1_4", VU, HS, True),
    ("v0_1_4", VS, M, True),
]


@pytest.mark.parametrize(("variant", "from_", "to", "guest"), DECIDES)
@pytest.mark.parametrize(("type_", "cause", "bit"), [(1, 3, BPFRZ), (2, 13, LCOFIFRZ)])
def test_the_register_that_decides(
    variant: str, from_: int, to: int, guest: bool, type_: int, cause: int, bit: int
) -> None:
    trap = Transfer(type_, 0x100, 0x200, 0, from_, to, cause)
    right, wrong = ((0, bit), (bit, 0)) if guest else ((bit, 0), (0, bit))
    assert frozen(block(variant, *right), trap) == (1, 0)  # never recorded
    assert frozen(block(variant, *wrong), trap) == (0, 1)
    other = (BPFRZ | LCOFIFRZ) & ~bit
    assert frozen(block(variant, other, other), trap) == (0, 1)
    assert frozen(block(variant, *right, modes=0), trap) == (1, 0)  # whatever the modes


@pytest.mark.parametrize("variant", CTL)
def test_what_is_no_freeze(variant: str) -> None:
    both = BPFRZ | LCOFIFRZ
    for transfer in (
        Transfer(1, 2, 4, 0, U, M, 13),
        Transfer(2, 2, 4, 0, U, M, 3),
        Transfer(1, 2, 4, 0, U, M, 2),
        Transfer(5, 2, 4, 0, M, M, 3),
    ):
        assert frozen(block(variant, both, both), transfer) == (0, 1)
    for transfer in (Transfer(1, 2, 4, 0, M, DEBUG, 3), Transfer(1, 2, 4, 0, DEBUG, DEBUG, 3)):
        assert frozen(block(variant, both, both), transfer) == (0, 0)  # Debug Mode
    lean = Ctr(Config(variant=variant, fields=0, has_stateen=0))
    lean.access(Access(WRITE, CTL[variant], both | 7))
    assert frozen(lean, Transfer(2, 2, 4, 0, U, M, 13)) == (0, 1)  # LCOFIFRZ is not implemented


@pytest.mark.parametrize("variant", CTL)
def test_frozen_stops_all_until_software_clears_it(variant: str) -> None:
    ctr = block(variant, BPFRZ, 0)
    jump = Transfer(11, 0x100, 0x200, 0, M, M)
    assert frozen(ctr, jump, Transfer(1, 0x200, 0x300, 0, M, M, 3), jump, jump) == (1, 1)
    assert frozen(ctr, jump) == (1, 1)
    assert ctr.access(Access(0, STATUS[variant])).rdata == 1 << FROZEN[variant] | 1
    ctr.access(Access(WRITE, STATUS[variant], 1))
    assert frozen(ctr, jump) == (0, 2)
    ctr.access(Access(WRITE, STATUS[variant], 1 << FROZEN[variant] | 2))
    assert frozen(ctr, jump) == (1, 2)


def test_a_freeze_wins_over_ras_emulation_and_external_traps() -> None:
    ctr = block("v1_0", BPFRZ | 1 << 7, 0)
    assert frozen(ctr, Transfer(1, 2, 4, 0, U, M, 3)) == (1, 0)
    ctr = block("v1_0", BPFRZ | 3 << 8, 0, modes=1)
    assert frozen(ctr, Transfer(1, 2, 4, 0, U, M, 3)) == (1, 0)
    ctr = block("v1_0", 3 << 8, 0, modes=1)
    assert frozen(ctr, Transfer(1, 2, 4, 0, U, M, 3)) == (0, 1)


def test_a_frozen_block_stays_frozen_at_the_next_breakpoint_and_counts_nothing() -> None:
    ctr = block("v1_0", BPFRZ, 0)
    ctr.access(Access(WRITE, 0x14F, 1 << 31))
    ctr.idle(M, 10)
    assert frozen(ctr, Transfer(1, 2, 4, 0, M, M, 3)) == (1, 0) and ctr.state.counter == 0
