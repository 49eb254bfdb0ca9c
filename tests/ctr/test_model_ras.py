# SPDX-License-Identifier: Apache-2.0
"""RAS emulation: what is recorded, pops and swaps at every edge, and the three legal CC policies (CTR-7)."""

import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import Transfer
from rvtrace.models.riscv.csr import HS, VS, WRITE, Access, M, U

CTL, RAS = {"v1_0": 0x34E, "v0_1_4": 0x381}, {"v1_0": 1 << 7, "v0_1_4": 1 << 10}
STATUS = {"v1_0": 0x14F, "v0_1_4": 0x383}
VARIANTS = list(CTL)


def call(n: int, type_: int = 9) -> Transfer:
    """Call number n, from n * 16."""
    return Transfer(type_, n * 16, 0x8000 + n * 16, 0, M, M)


RET, SWAP = Transfer(13, 0xAA0, 0xBB0, 0, M, M), Transfer(12, 0xCC0, 0xDD0, 0, M, M)


def block(variant: str = "v1_0", policy: int = 0, more: int = 0, depths: tuple[int, ...] = (16,)) -> Ctr:
    """All modes of V = 0 enabled, RAS emulation on."""
    ctr = Ctr(Config(variant=variant, ras_policy=policy, depths=depths, has_stateen=0))
    ctr.access(Access(WRITE, CTL[variant], 7 | RAS[variant] | more))
    return ctr


def sources(ctr: Ctr, count: int = 3) -> list[tuple[bool, int]]:
    """V and source of the youngest entries."""
    return [(ctr.entry(x).valid, ctr.entry(x).source) for x in range(count)]


@pytest.mark.parametrize("variant", VARIANTS)
def test_only_calls_swaps_and_returns_do_anything(variant: str) -> None:
    for type_ in (1, 2, 3, 4, 5, 10, 11, 14, 15):
        ctr = block(variant, more=1 << 36)  # NTBREN is ignored
        ctr.retire(M, [Transfer(type_, 2, 4, 0, M, M)])
        assert ctr.recorder.recorded == 0
    ctr = block(variant, more=0xFF00 << 32 | 0x1F << 33 & ~(1 << 36))  # filters are ignored
    ctr.retire(M, [call(1, 8), call(2, 9), SWAP, call(3), RET])
    assert sources(ctr) == [(True, 0xCC0), (True, 0x10), (False, 0)]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_return_shows_the_next_older_call_and_keeps_the_popped_one_below(variant: str) -> None:
    ctr = block(variant)
    for n in (1, 2, 3):
        ctr.retire(M, [call(n)])
    ctr.retire(M, [RET])
    assert sources(ctr, 2) == [(True, 0x20), (True, 0x10)] and ctr.state.wrptr == 2
    popped = ctr.entry(15)  # entry 0 moves to depth - 1, V = 0, the rest is kept
    assert (popped.valid, popped.source, popped.target, popped.type) == (False, 0x30, 0x8030, 9)


@pytest.mark.parametrize(("variant", "wrap"), [("v1_0", 0), ("v0_1_4", 1 << 14)])
def test_wrap_is_set_and_cleared_at_the_ends(variant: str, wrap: int) -> None:
    ctr = block(variant)

    def status() -> int:
        return ctr.access(Access(0, STATUS[variant])).rdata

    ctr.retire(M, [RET])  # a pop of an empty buffer: WRPTR steps back
    assert status() == 15 and not ctr.entry(0).valid
    ctr.retire(M, [call(1)])
    assert status() == wrap and ctr.entry(0).source == 0x10
    ctr.retire(M, [RET])
    assert status() == 15  # from 0 the draft's WRAP is cleared
    for n in range(17):
        ctr.retire(M, [call(n)])
    assert status() == wrap
    ctr.retire(M, [call(1), RET])
    assert status() == wrap  # it is sticky elsewhere


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_swap_overwrites_entry_0_and_leaves_wrptr(variant: str) -> None:
    ctr = block(variant)
    ctr.retire(M, [SWAP])  # of an invalid entry
    assert sources(ctr, 1) == [(True, 0xCC0)] and ctr.state.wrptr == 0
    ctr.retire(M, [call(1), call(2), SWAP])
    assert sources(ctr) == [(True, 0xCC0), (True, 0x10), (True, 0xCC0)] and ctr.state.wrptr == 2


def test_the_source_mode_must_be_enabled_and_the_guest_has_its_own_bit() -> None:
    ctr = block()
    ctr.access(Access(WRITE, 0x34E, 1 | RAS["v1_0"]))
    ctr.retire(M, [call(1), RET])
    assert ctr.recorder.recorded == 0
    ctr.retire(U, [Transfer(9, 2, 4, 0, U, U)])
    ctr.access(Access(WRITE, 0x24E, 2))  # vsctrctl.RASEMU = 0
    ctr.retire(VS, [Transfer(13, 6, 8, 0, VS, VS), Transfer(1, 6, 8, 0, VS, HS, 2)])
    assert ctr.entry(0).type == 13 and ctr.state.wrptr == 2  # a return is recorded; to HS it would have needed STE


def test_external_traps_are_not_recorded() -> None:
    ctr = block(more=3 << 8)
    ctr.access(Access(WRITE, 0x34E, 1 | RAS["v1_0"] | 3 << 8))
    ctr.retire(U, [Transfer(1, 2, 4, 0, U, HS, 8)])
    assert ctr.recorder.recorded == 0


# Policy: CC and CCV of calls, a call each 3 cycles; then a return 3 later, then a call 3 later.
POLICIES = [
    (0, [(0, False), (3, False)], (6, False), (3, False)),  # no CCV in RAS emulation
    (1, [(0, False), (3, True)], (6, False), (3, True)),  # after a pop none
    (2, [(0, False), (3, True)], (9, True), (3, True)),  # 3 of the popped call, and 6 since
]


@pytest.mark.parametrize(("policy", "calls", "after_pop", "then"), POLICIES)
def test_cycle_policies(
    policy: int, calls: list[tuple[int, bool]], after_pop: tuple[int, bool], then: tuple[int, bool]
) -> None:
    ctr = block(policy=policy)
    for transfer, expected in zip((call(1), call(2), RET, call(3), SWAP), (*calls, None, after_pop, then)):
        ctr.retire(M, [transfer])
        ctr.idle(M, 2)
        if expected:
            assert (ctr.entry(0).cc, ctr.entry(0).ccv) == expected


def test_policy_2_adds_saturating_and_only_valid_counts() -> None:
    ctr = block(policy=2)
    ctr.retire(M, [call(1), RET])  # its CCV is 0: the next record has none, and nothing is added
    ctr.idle(M, 4)
    ctr.retire(M, [call(2)])
    assert (ctr.entry(0).cc, ctr.entry(0).ccv) == (5, False)
    ctr.idle(M, 134201343)
    ctr.retire(M, [call(3), RET, call(4)])  # in one cycle: the sum is in the call after the return
    assert (ctr.entry(0).cc, ctr.entry(0).ccv) == (0xFFFF, True)
    ctr.idle(M, 9)
    ctr.retire(M, [RET, call(5)])
    assert ctr.entry(0).cc == 0xFFFF
