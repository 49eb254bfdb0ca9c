# SPDX-License-Identifier: Apache-2.0
"""External traps: each row of the ratified table with each combination of enables, the draft's handshake, no filter
applies (CTR-4, 16).
"""

from itertools import product

import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import Record, Transfer
from rvtrace.models.riscv.csr import HS, VS, VU, WRITE, Access, M, U

# v1_0: U 0, S 1, M 2, STE 8, MTE 9; vsctrctl U 0, S 1, STE 8. v0_1_4: M 0, S 1, U 2, MTE 8, STE 9, ETEN 38; VS 1, VU 2,
# VSTE 9.
ENABLE = {"v1_0": {U: 1, HS: 2, M: 4, VU: 1, VS: 2}, "v0_1_4": {U: 4, HS: 2, M: 1, VU: 4, VS: 2}}
STE, MTE = 1 << 8, 1 << 9
INHIBIT_TRAPS = 3 << 33
NAMES = {"mM": (MTE, 0), "sS": (STE, 0), "vS": (0, STE)}

# Table External Trap Enable Requirements: source, target, enables required.
ROWS = [
    (U, HS, ("sS",)),
    (U, M, ("mM", "sS")),
    (HS, M, ("mM",)),
    (VU, VS, ("vS",)),
    (VU, HS, ("sS", "vS")),
    (VU, M, ("mM", "sS", "vS")),
    (VS, HS, ("sS",)),
    (VS, M, ("mM", "sS")),
]


def trapped(config: Config, ctl: int, vsctl: int, trap: Transfer) -> Record | None:
    """The record that a trap leaves; None if it is not recorded."""
    ctr = Ctr(config)
    machine, guest = (0x381, 0x281) if config.draft else (0x34E, 0x24E)
    ctr.access(Access(WRITE, machine, ctl))
    ctr.access(Access(WRITE, guest, vsctl))
    ctr.retire(trap.from_, [trap])
    return ctr.entry(0) if ctr.state.wrptr else None


def source_only(variant: str, mode: int) -> tuple[int, int]:
    """ctl and vsctl that enable this mode alone."""
    bit = ENABLE[variant][mode]
    return (0, bit) if mode in (VU, VS) else (bit, 0)


@pytest.mark.parametrize(("source", "target", "required"), ROWS)
@pytest.mark.parametrize(
    "given", [tuple(n for n, on in zip(NAMES, ons) if on) for ons in product((0, 1), repeat=3)], ids="+".join
)
def test_v1_0_needs_the_target_and_every_mode_between(
    source: int, target: int, required: tuple[str, ...], given: tuple[str, ...]
) -> None:
    ctl, vsctl = source_only("v1_0", source)
    for name in given:
        ctl, vsctl = ctl | NAMES[name][0], vsctl | NAMES[name][1]
    for type_, cause in ((1, 8), (2, 7)):  # EXCINH and INTRINH have no effect
        found = trapped(
            Config(),
            ctl | INHIBIT_TRAPS,
            vsctl | INHIBIT_TRAPS,
            Transfer(type_, 0x1000, 0x2000, 0, source, target, cause),
        )
        if set(required) <= set(given):
            assert found == Record(True, 0x1000, 0, 0, type_, False, 0)  # target PC 0
        else:
            assert found is None


# The draft: ETEN of the register that rules, and the target's TE: target, its TE in ctl and vsctl.
D_MTE, D_STE, ETEN = 1 << 8, 1 << 9, 1 << 38
DRAFT = [(source, target, {M: (D_MTE, 0), HS: (D_STE, 0), VS: (0, D_STE)}[target]) for source, target, _ in ROWS]


@pytest.mark.parametrize(("source", "target", "te"), DRAFT)
def test_v0_1_4_needs_eten_and_the_target(source: int, target: int, te: tuple[int, int]) -> None:
    config, trap = Config(variant="v0_1_4"), Transfer(1, 0x1000, 0x2000, 0, source, target, 8)
    ctl, vsctl = source_only("v0_1_4", source)
    ruled_by_guest = VU in (source, target) or VS in (source, target)
    eten = (0, ETEN) if ruled_by_guest else (ETEN, 0)
    wrong = (eten[1], eten[0])
    every = (D_MTE | D_STE, D_STE)
    others = (every[0] & ~te[0], every[1] & ~te[1])
    assert trapped(config, ctl | te[0] | eten[0] | 1 << 33, vsctl | te[1] | eten[1] | 1 << 33, trap) == Record(
        True, 0x1000, 0, 0, 1, False, 0
    )
    assert trapped(config, ctl | te[0], vsctl | te[1], trap) is None
    assert trapped(config, ctl | te[0] | wrong[0], vsctl | te[1] | wrong[1], trap) is None
    assert trapped(config, ctl | others[0] | eten[0], vsctl | others[1] | eten[1], trap) is None


def test_te_says_nothing_about_traps_between_enabled_modes() -> None:
    trap = Transfer(1, 0x1000, 0x2000, 0, U, HS, 8)
    assert trapped(Config(), 3, 0, trap) == Record(True, 0x1000, 0x2000, 0, 1, False, 0)
    assert trapped(Config(), 3 | STE | 1 << 33, 0, trap) is None  # EXCINH: it is no external trap


def test_external_trap_returns_cannot_be_had() -> None:
    """From a disabled mode a trap return is never recorded, whatever the TE bits."""
    assert trapped(Config(), 1 | STE | MTE, STE, Transfer(3, 0x1000, 0x2000, 0, HS, U)) is None


def test_without_the_fields_nothing_is_recorded() -> None:
    lean = Config(fields=0)
    assert trapped(lean, 1 | STE | MTE, 0, Transfer(1, 0x1000, 0x2000, 0, U, HS, 8)) is None
