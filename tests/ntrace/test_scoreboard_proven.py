# SPDX-License-Identifier: Apache-2.0
"""What the lossless comparison proves counts for a foreign device, up to what is wrong; that is in doubt."""

from collections.abc import Callable
from typing import Any

import pytest

from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import check, judged
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from tests.ntrace.checked_scenarios import Change, insert, place, scenario_run, small

MOST = 60  # messages of a scenario that are changed
BTM, HTM = {"mode": "btm"}, {"mode": "htm"}
PERIODIC = {"inst_sync_mode": 1}


def remove(messages: list[Message], index: int) -> None:
    del messages[index]


def add_to(key: str, more: int) -> Callable[[list[Message], int], None]:
    """A change of one field by a number."""

    def change(messages: list[Message], index: int) -> None:
        value = messages[index].get(key)
        if value is not None:
            messages[index] = messages[index].replaced(**{key: value + more})

    return change


def turn(key: str, bit: int) -> Callable[[list[Message], int], None]:
    """A change of one bit of a field."""

    def change(messages: list[Message], index: int) -> None:
        value = messages[index].get(key)
        if value is not None:
            messages[index] = messages[index].replaced(**{key: value ^ bit})

    return change


# clause: scenario and options that meet it, and a change of some message that breaks it
CASES: dict[str, tuple[str, dict[str, Any], Callable[[list[Message], int], None]]] = {
    "NT.2.exception": ("trap_kinds", {}, turn("btype", 1)),
    "NT.2.interrupt": ("trap_kinds", {}, turn("btype", 1)),
    "NT.2.xret": ("trap_after_xret", {}, remove),
    "NT.2.uninferable_jump": ("indirect_kinds", {}, remove),
    "NT.2.uninferable_call": ("indirect_kinds", {}, remove),
    "NT.2.coroutine_swap": ("coroutines", {}, remove),
    "NT.2.return": ("back_to_back_returns", {}, remove),
    "NT.7.2.direct_branch": ("branches", BTM, remove),
    "NT-19": ("far_addresses", {}, turn("uaddr", 2)),
    "NT-1": ("branches", HTM, turn("hist", 1)),
    "NT.8.3.hist": ("branches", HTM, turn("hist", 1)),
    "NT.8.3.hist_reset": ("hist_full", HTM, turn("hist", 1)),
    "NT.8.3.1.hist_full": ("hist_full", HTM, remove),
    "NT.8.4.icnt": ("indirect_kinds", {}, add_to("icnt", 1)),
    "NT.8.4.3.icnt_reset": ("indirect_kinds", {}, add_to("icnt", 1)),
    "NT.8.4.4.resource_full": ("icnt_full_linear", {}, add_to("rdata", 1)),
    "NT.8.5.sync3": ("debug_entry_exit", {}, add_to("sync", 2)),
    "NT.8.5.sync5": ("trace_off_on", {}, add_to("sync", -2)),
    "NT.8.5.sync2_linear": ("sync_messages", BTM | PERIODIC, add_to("icnt", 1)),
    "NT.8.5.sync2_direct": ("sync_half_words", BTM | {"inst_sync_mode": 3}, add_to("icnt", 1)),
    "NT.8.5.sync2_indirect": ("sync_at_trap", HTM | PERIODIC, add_to("icnt", 1)),
    "NT.8.6.back_to_back_traps": ("back_to_back_traps", {}, remove),
    "NT-12": ("trap_after_xret", {}, remove),
}
# of these only more than one field tells, or that they hold follows from others
MET: dict[str, tuple[str, dict[str, Any]]] = {
    "NT.3.1.field_end": ("indirect_kinds", {}),
    "NT.3.1.message_end": ("indirect_kinds", {}),
    "NT.3.3.lsb_first": ("indirect_kinds", {}),
    "NT-7": ("same_target", {}),
    "NT-9": ("linear", HTM),
    "NT.7.8.both_full": ("both_full", HTM),
    "NT.8.6.trap_at_start": ("trap_at_start", {}),
    "NT.8.6.start_while_off": ("debug_while_off", {}),
    "NT.8.4.4.predicted": ("icnt_full_at_return", {"implicit_return": 3, "blocks": 2, "stack_depth": 1}),
    "NT.10.inferable": ("not_taken", {}),
    "NT.7.1.trap": ("ownership", {"ownership": 1}),
    "NT.7.8.btm": ("branches", BTM),
    "NT.8.4.4.sync4": ("linear", HTM),
}


def verdict(name: str, options: dict[str, Any], change: Change = lambda messages: None) -> Verdict:
    """A foreign device's trace of a scenario, with small counters, after a change of its messages; no cause is looked
    for.
    """
    config = small(**options)
    program, beats = scenario_run(name, config)
    messages = list(Encoder(config).run(beats).messages)
    change(messages)
    data = b"".join(pack(m, config.source_bits, config.address_bits) for m in messages)
    return judged(NtraceCapture(config, program, data, beats, exact=False), Tolerances.free())


@pytest.mark.parametrize("clause", [*CASES, *MET])
def test_counts_without_the_reference_profile(clause: str) -> None:
    found = verdict(*(CASES.get(clause) or MET[clause])[:2])
    assert found.passed, found.failures[0].text()
    assert found.book.results()[clause][0] > 0


@pytest.mark.parametrize("clause", CASES)
def test_does_not_pass_where_it_is_broken(clause: str) -> None:
    """Of the changes of each message in turn, at least one breaks it."""
    name, options, change = CASES[clause]
    messages = list(verdict(name, options).decoded.messages)
    for number in range(1, min(len(messages), MOST)):
        found = verdict(name, options, lambda messages, number=number: change(messages, number))
        if found.book.results().get(clause, [0, 0])[1]:
            return
    raise AssertionError(f"{clause} holds whatever message is changed")


def test_what_came_before_the_first_difference_counts() -> None:
    """Messages in front of a wrong one were right."""
    whole = verdict("indirect_kinds", {}).book.results()["NT.8.4.icnt"][0]
    late = verdict("indirect_kinds", {}, lambda messages: add_to("icnt", 1)(messages, 12)).book.results()
    assert 0 < late["NT.8.4.icnt"][0] < whole
    assert late["NT.8.4.icnt"][1] == 1


def test_what_is_in_doubt_is_a_consequence() -> None:
    found = verdict("trap_kinds", {}, lambda messages: turn("btype", 1)(messages, 2))
    assert not {"NT.2.exception", "NT.2.interrupt"} & set(found.book.causes)


def test_instructions_missing_at_an_end_are_the_end_s() -> None:
    """Not those of the ProgTraceSync after it, whose F-ADDR is right."""

    def early(messages: list[Message]) -> None:
        last = place(messages, "ProgTraceCorrelation")
        messages[last] = messages[last].replaced(icnt=0)

    found = verdict("trace_off_on", {}, early)
    assert found.book.causes == ["NT.7.12.stop"]
    assert "instructions before trace stopped" in found.failures[0].headline
    assert not found.book.results()["NT.8.1.faddr"][1]


def test_a_stop_that_v1_0_does_not_have() -> None:
    """The hart leaves Debug Mode with trace disabled."""

    def marker(messages: list[Message]) -> None:
        insert(messages, place(messages, "ProgTraceCorrelation", evcode=0) + 1, "ProgTraceCorrelation", 4, 1, 0, 1)

    found = verdict("debug_while_off", {}, marker).book.results()
    assert found["NT.8.6.start_while_off"][1] and found["NT.V.starts_disabled"][1]


def test_a_source_that_is_inhibited_counts_where_it_is_absent() -> None:
    options = {"src_bits": 5, "src_id": 21, "inhibit_src": 1}
    assert verdict("indirect_kinds", options).book.results()["NT.3.2.src"][0] > 0
    config = small(**options | {"inhibit_src": 0, "src_id": 9})
    program, beats = scenario_run("indirect_kinds", config)
    data = Encoder(config).run(beats).data
    claimed = small(**options)
    found = check(NtraceCapture(claimed, program, data, beats, exact=False), Tolerances.free())
    assert found.book.results()["NT.3.2.src"][1] > 0 and "NT.3.2.src" in found.book.causes
