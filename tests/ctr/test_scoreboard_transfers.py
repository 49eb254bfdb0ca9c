# SPDX-License-Identifier: Apache-2.0
"""What a device records wrongly is blamed on the clause that it breaks: devices that are broken in one place, scenario
by scenario.
"""

from collections.abc import Callable
from typing import Any

import pytest

from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.recorder import Recorder
from rvtrace.models.ctr.records import encode_cc
from rvtrace.models.ctr.rules import CALL, FREEZE, NO_TARGET, NOTHING, POP, WHOLE, Rules
from rvtrace.models.riscv.csr import DEBUG, HS, VS, VU, M
from tests.ctr.devices import DRAFT, PAIR, SMALL, failed, play, scenario_run, with_rules

Right = Callable[..., int]


def swapped(rules: Rules, right: Right, *transfer: int) -> int:
    """All of vsctrctl comes from mctrctl."""
    return Rules(rules.config, rules.ctl, rules.ctl).action(*transfer)


def only(types: tuple[int, ...], instead: int, when: Callable[[Rules, int, int], bool] = lambda *_: True) -> Any:
    """Another action for these types, in some situations."""

    def action(rules: Rules, right: Right, type_: int, from_: int, to: int, cause: int) -> int:
        found = right(type_, from_, to, cause)
        return instead if type_ in types and when(rules, from_, to) and found != instead else found

    return action


def filters_leak(rules: Rules, right: Right, type_: int, from_: int, to: int, cause: int) -> int:
    found = right(type_, from_, to, cause)
    ruling = rules.vsctl if from_ in (VS, VU) or to in (VS, VU) else rules.ctl
    return NOTHING if found == NO_TARGET and type_ in (1, 2) and ruling >> 31 + type_ & 1 else found


def filter_ignored(bit: int) -> Any:
    """A filter bit that is taken for 0."""
    return lambda rules, right, *t: Rules(rules.config, rules.ctl & ~(1 << bit), rules.vsctl & ~(1 << bit)).action(*t)


def freezes_by_source(rules: Rules, right: Right, type_: int, from_: int, to: int, cause: int) -> int:
    frozen = (rules.vsctl if from_ in (VS, VU) else rules.ctl) >> 11 & 1
    if (type_, cause) == (1, 3) and to != DEBUG:
        free = Rules(rules.config, rules.ctl & ~(1 << 11), rules.vsctl & ~(1 << 11)).action(type_, from_, to, cause)
        return FREEZE if frozen else free
    return right(type_, from_, to, cause)


CASES = {
    "filters leak into external traps": (filters_leak, "external_traps", SMALL, "CTR.ext.filters"),
    "and into those of the draft": (filters_leak, "external_traps_draft", DRAFT, "CTR.ext.filters"),
    "everything from mctrctl": (swapped, "two_worlds", SMALL, "CTR.csr.active"),
    "freeze by the source": (freezes_by_source, "freezing_traps", SMALL, "CTR.vtrans.freeze"),
    "debug recorded": (only((3,), WHOLE, lambda r, f, t: f == DEBUG), "debug_mode", SMALL, "CTR.priv.debug"),
    "TKBRINH ignored": (filter_ignored(37), "filters", SMALL, "CTR.filter.tkbrinh"),
    "DIRLJMPINH ignored": (filter_ignored(47), "filters", DRAFT, "CTR.filter.dirljmpinh"),
    "M-mode never": (only((5, 11), NOTHING, lambda r, f, t: f == M), "mode_enables", SMALL, "CTR.ctl.m"),
    "VS-mode always": (only((11,), WHOLE, lambda r, f, t: f == VS), "mode_enables", SMALL, "CTR.vsctl.s"),
    "external without opt-in": (
        only((1, 2), NO_TARGET, lambda r, f, t: (f, t) == (VU, HS) and r.enabled(f) and not r.enabled(t)),
        "external_traps",
        SMALL,
        "CTR.ext.vuhs",
    ),
    "returns are recorded in emulation": (
        only((13,), CALL, lambda r, f, t: bool(r.ctl & 1 << 7)),
        "call_stack",
        SMALL,
        "CTR.ras.return",
    ),
    "swaps pop": (only((12,), POP, lambda r, f, t: bool(r.ctl & 1 << 7)), "call_stack", SMALL, "CTR.ras.swap"),
}


@pytest.mark.parametrize("case", CASES)
def test_broken_rule_is_blamed(case: str) -> None:
    action, name, options, clause = CASES[case]
    config, rows = scenario_run(name, **options)
    assert failed(play(config, rows)) == []
    assert clause in failed(play(config, rows, with_rules(config, action)))


def broken(
    monkeypatch: pytest.MonkeyPatch, name: str, options: dict[str, Any], where: type, method: str, other: Any
) -> list[str]:
    """The clauses that a device fails with one method replaced; the model that checks it stays as it is."""
    config, rows = scenario_run(name, **options)
    with monkeypatch.context() as patch:
        patch.setattr(where, method, other)
        capture = play(config, rows)
    return failed(capture)


def test_freezing_trap_that_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    retire = Recorder.retire

    def records_itself(self: Recorder, priv: int, transfers: list) -> None:
        frozen = self.frozen
        retire(self, priv, transfers)
        if self.frozen and not frozen and transfers:
            t = transfers[-1]
            self.act(WHOLE, t.type, t.source, t.target, t.misp)

    assert "CTR.freeze.self" in broken(monkeypatch, "freezing_traps", SMALL, Recorder, "retire", records_itself)


def test_the_encoding_of_the_1_0_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    """CCE = msb - 12 cannot be decoded for counts over 4095."""

    def msb_12(count: int, bits: int) -> int:
        right = encode_cc(count, bits)
        return right - 0x1000 if right > 0xFFF else right

    config, rows = scenario_run("counts", transfers=1, depths=(16,), cce_bits=2)
    with monkeypatch.context() as patch:
        patch.setattr("rvtrace.models.ctr.recorder.encode_cc", msb_12)
        capture = play(config, rows)
    found = failed(capture)
    assert "CTR.cycle.encode" in found and set(found) <= {"CTR.cycle.encode", "CTR.cycle.saturate"}


def test_supervisor_write_that_drops_m(monkeypatch: pytest.MonkeyPatch) -> None:
    write = Ctr._write_control

    def drops(self: Ctr, csr: Any, access: Any, kind: str, value: int) -> None:
        write(self, csr, access, kind, value)
        if csr.level == "S" and kind == "ctl":
            self.ctl &= ~self._hidden

    for options in (SMALL, DRAFT):
        assert "CTR.sctl.preserve" in broken(monkeypatch, "supervisor_view", options, Ctr, "_write_control", drops)


def test_second_of_a_cycle_that_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    retire = Recorder.retire

    def first_only(self: Recorder, priv: int, transfers: list) -> None:
        retire(self, priv, transfers[:1])

    assert "CTR.behavior.push" in broken(monkeypatch, "groups_that_wrap", PAIR, Recorder, "retire", first_only)


def test_counter_that_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def keeps(self: Recorder) -> None:
        self.invalid = True

    assert "CTR.cycle.reset" in broken(monkeypatch, "writes", SMALL, Recorder, "restart_counter", keeps)


def test_pop_that_leaves_v(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaves(self: Recorder) -> None:
        self.wrptr = (self.wrptr - 1) % self.depth

    assert broken(monkeypatch, "call_stack", SMALL, Recorder, "_pop", leaves) == ["CTR.ras.return"]
