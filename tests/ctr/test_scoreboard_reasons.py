# SPDX-License-Identifier: Apache-2.0
"""Which clauses a transfer puts to the test: those that a block could break there, and with what it would do then.

The tables are those of the specification: External Trap Enable Requirements, and the chapter RAS Emulation Mode.
"""

import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.rules import CALL, FREEZE, NO_TARGET, NOTHING, POP, WHOLE
from rvtrace.models.riscv.csr import HS, VS, VU, M, U
from rvtrace.scoreboards.ctr.reasons import Reasons, why

IN_U, IN_S, IN_M, EMULATE, STE, MTE, BPFRZ, LCOFIFRZ = 1, 2, 4, 1 << 7, 1 << 8, 1 << 9, 1 << 11, 1 << 12
EVERY = IN_U | IN_S | IN_M
DIRCALLINH = 1 << 41
TRAP, INTERRUPT, CALL_, RETURN_ = 1, 2, 9, 13
CONFIG = Config(variant="v1_0")
Tested = dict[tuple[str, str], set[int]]


def suspects(ctl: int, vsctl: int, type_: int, from_: int, to: int = -1, cause: int = 0, closed: int = 0) -> Tested:
    """(clause, setting): what a block that breaks it might do. closed: bit 0 mstateen0.CTR is 0, bit 1 hstateen0's."""
    found = Reasons(CONFIG).why(ctl, vsctl, closed, type_, from_, from_ if to < 0 else to, cause)
    return {(one.clause, one.setting): set(one.acts) for one in found.suspects}


# from, to: the enable bit of the first in its register; the modes whose TE bit is needed; the clause
EXTERNAL = {
    (U, HS): (IN_U, (HS,), "us"), (U, M): (IN_U, (M, HS), "um"), (HS, M): (IN_S, (M,), "sm"),
    (VU, VS): (IN_U, (VS,), "vuvs"), (VU, HS): (IN_U, (HS, VS), "vuhs"), (VU, M): (IN_U, (M, HS, VS), "vum"),
    (VS, HS): (IN_S, (HS,), "vshs"), (VS, M): (IN_S, (M, HS), "vsm"),
}  # fmt: skip


def external(pair: tuple[int, int], given: tuple[int, ...]) -> tuple[int, Tested]:
    """The action and the suspects of a trap from a mode that is on to one that is off, with these opt-ins."""
    from_, to = pair
    on, _, _ = EXTERNAL[pair]
    ctl = (MTE if M in given else 0) | (STE if HS in given else 0) | (on if from_ in (U, HS) else 0)
    vsctl = (STE if VS in given else 0) | (on if from_ in (VU, VS) else 0)
    return why(CONFIG, ctl, vsctl, TRAP, from_, to, 8).action, suspects(ctl, vsctl, TRAP, from_, to, 8)


@pytest.mark.parametrize("pair", EXTERNAL)
def test_each_opt_in_that_an_external_trap_needs_is_tested(pair: tuple[int, int]) -> None:
    _, needed, name = EXTERNAL[pair]
    action, found = external(pair, needed)
    assert action == NO_TARGET
    mine = {setting: acts for (clause, setting), acts in found.items() if clause == f"CTR.ext.{name}"}
    assert mine == {f"{mode}=1": {NOTHING} for mode in needed}
    for missing in needed:
        action, found = external(pair, tuple(mode for mode in needed if mode != missing))
        assert action == NOTHING
        assert found[f"CTR.ext.{name}", f"{missing}=0"] == {NO_TARGET}


@pytest.mark.parametrize("pair", EXTERNAL)
def test_no_opt_in_and_that_of_the_target_alone(pair: tuple[int, int]) -> None:
    """A block may take the default for an opt-in, or forget the modes between."""
    _, needed, _ = EXTERNAL[pair]
    for given in ((), (pair[1],)):
        _, found = external(pair, given)
        assert (("CTR.ext.default", "") in found) == (not given)
        assert (("CTR.ext.between", "") in found) == (bool(given) and len(needed) > 1)


@pytest.mark.parametrize("pair", EXTERNAL)
def test_the_ste_of_the_other_register_is_tested_where_v_changes(pair: tuple[int, int]) -> None:
    """STE in mctrctl alone: where V changes on the way, a block may take that of vsctrctl."""
    _, needed, _ = EXTERNAL[pair]
    _, found = external(pair, tuple(mode for mode in needed if mode != VS))
    crosses = (pair[0] in (VS, VU)) != (pair[1] in (VS, VU))
    if not crosses:
        assert ("CTR.vtrans.te", "") not in found
    elif VS not in needed:
        assert found["CTR.vtrans.te", ""] == {NOTHING}


def test_a_block_without_emulation_records_calls_and_returns() -> None:
    assert suspects(EVERY | EMULATE, 0, RETURN_, U)["CTR.ras.enable", "1"] == {WHOLE}
    assert why(CONFIG, EVERY | EMULATE, 0, RETURN_, U, U, 0).action == POP
    assert suspects(EVERY, 0, RETURN_, U)["CTR.ras.enable", "0"] == {POP}
    assert ("CTR.ras.enable", "1") not in suspects(EVERY | EMULATE, 0, CALL_, U)  # a call is recorded in both


def test_filters_are_ignored_in_emulation() -> None:
    """DIRCALLINH inhibits a call, in emulation it does not."""
    assert why(CONFIG, EVERY | EMULATE | DIRCALLINH, 0, CALL_, U, U, 0).action == CALL
    found = suspects(EVERY | EMULATE | DIRCALLINH, 0, CALL_, U)
    assert found["CTR.ras.filters", str(CALL_)] == {NOTHING} == found["CTR.ras.enable", "1"]
    assert not any(clause == "CTR.ras.filters" for clause, _ in suspects(EVERY | EMULATE, 0, CALL_, U))


@pytest.mark.parametrize(
    ("type_", "cause", "bit", "clause"),
    [(TRAP, 3, BPFRZ, "CTR.freeze.bp"), (INTERRUPT, 13, LCOFIFRZ, "CTR.freeze.lcofi")],
)
def test_freezing_traps(type_: int, cause: int, bit: int, clause: str) -> None:
    """With the bit in both registers it does not matter which of them rules; with one alone it does."""
    both = suspects(EVERY | bit, bit, type_, U, M, cause)
    assert both[clause, "1"] == {WHOLE} == both["CTR.freeze.self", ""]
    assert ("CTR.freeze.target", "1") not in both
    one = suspects(EVERY | bit, 0, type_, U, M, cause)
    assert one["CTR.freeze.target", "1"] == {WHOLE}
    other = suspects(EVERY, bit, type_, U, M, cause)
    assert other["CTR.freeze.target", "0"] == {FREEZE} == other[clause, "0"]
    assert ("CTR.freeze.cause", "") not in both and ("CTR.freeze.self", "") not in other


def test_a_trap_of_another_cause() -> None:
    """It does not freeze; where no freeze bit is 1, nothing shows that."""
    assert suspects(EVERY | BPFRZ, 0, TRAP, U, M, 8)["CTR.freeze.cause", ""] == {FREEZE}
    assert ("CTR.freeze.cause", "") not in suspects(EVERY, 0, TRAP, U, M, 8)


@pytest.mark.parametrize(
    ("from_", "closed", "clause"),
    [(U, 0, ""), (U, 1, "records"), (U, 2, ""), (U, 3, "records"), (VS, 1, "records"), (VS, 2, "hrecords"),
     (VU, 2, "hrecords"), (HS, 2, ""), (M, 1, ""), (M, 3, "")],
)  # fmt: skip
def test_state_enables_do_not_stop_recording(from_: int, closed: int, clause: str) -> None:
    """They close registers to a mode, and nothing else: mstateen0 to all below M, hstateen0 to VS and VU."""
    found = suspects(EVERY, EVERY, CALL_, from_, from_, 0, closed)
    mine = {name: acts for (name, _), acts in found.items() if name.startswith("CTR.stateen")}
    assert mine == ({f"CTR.stateen.{clause}": {NOTHING}} if clause else {})


def test_what_shows_which_suspect() -> None:
    """The status shows that a record is missing, an entry that its source or target is 0."""
    found = why(CONFIG, IN_U | STE, 0, TRAP, U, HS, 8)  # recorded without target
    assert found.action == NO_TARGET

    def shown(what: str) -> set[str]:
        return {one.clause for one in found.shown_by(what)}

    assert "CTR.ext.us" in shown("count") and "CTR.ext.us" not in shown("ctrtarget") | shown("ctrsource")
    assert "CTR.ctl.s" in shown("ctrtarget") and "CTR.ctl.s" not in shown("count")  # with S on it has a target


def test_the_filters_of_the_other_register_are_tested_where_v_changes() -> None:
    """From VU to HS the filters are those of vsctrctl; the bits of modes are not among them."""
    alike = suspects(EVERY & ~IN_U, EVERY, TRAP, VU, HS, 8)
    assert ("CTR.vtrans.others", "across") not in alike
    other = suspects(EVERY | 1 << 33, EVERY, TRAP, VU, HS, 8)  # EXCINH in mctrctl alone
    assert other["CTR.vtrans.others", "across"] == {NOTHING}
