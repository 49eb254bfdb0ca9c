# SPDX-License-Identifier: Apache-2.0
"""The lossless check turns red under the right clause, for devices that need not be the reference: exact is not asked.
One deviation is one cause, and of a silent device nothing is judged.
"""

from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.models.etrace.table import Packet
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check, judged
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from rvtrace.tb.etrace.stimulus.scenarios import traps
from rvtrace.tb.etrace.stimulus.scenarios.base import Script, builder, place
from tests.etrace.checked_scenarios import Change, Sent, doctored, scenario_run, sent

RETURNS = {"implicit_return": 1}


def changed(name: str, which: int = 0, **values: Any) -> Change:
    """Set fields of the which-th packet of a format."""
    return lambda sent: sent.set(sent.find(name, which), **values)


def without(name: str, which: int = 0, **of: Any) -> Change:
    """Leave out the which-th packet of a format that has these fields."""
    return lambda sent: sent.delete(sent.find(name, which, **of))


def flip(sent: Sent) -> None:
    """Another direction for the oldest branch of the first map."""
    index = sent.find("branch_map")
    sent.set(index, branch_map=sent.packets[index].get("branch_map") ^ 1)


def as_address(sent: Sent) -> None:
    """A 3.0 after an xRET becomes a mere address: it reports where the hart went, but not its privilege."""
    index = sent.reasons.index("ET.alg.ppccd")
    values = {
        "format": 2,
        "address": sent.packets[index].get("address"),
        "notify": 0,
        "updiscon": 0,
        "irreport": 0,
        "irdepth": None,
    }
    sent.packets[index] = Packet("address", values)


def skipping(flow: Flow) -> Change:
    """Trace is said to end after an instruction of this kind, and to begin again one instruction too late."""
    name, options = "resync_without_branches", {"inst_sync_mode": 3}

    def change(sent: Sent) -> None:
        program = scenario_run(name, tuple(options.items()))[1]
        decoded = doctored(name, options).decoded
        ends, here = np.append(decoded.first_pc, len(decoded.pcs)), 0
        for at, packet in enumerate(sent.packets):
            way = decoded.pcs[ends[at] : ends[at + 1]].tolist()
            kinds = program.columns(np.array(way, np.uint64)).flow[:-2].tolist()
            if packet.name == "start" and at > 1 and flow in kinds:
                first = kinds.index(flow)
                sent.set(at, address=way[first + 2] >> 1)
                sent.insert(at, Packet("support", {**sent.packets[0].values, "qual_status": 1}))
                flags = {"format": 2, "notify": 0, "updiscon": 0, "irreport": 0, "irdepth": None}
                sent.insert(at, Packet("address", {**flags, "address": (way[first] >> 1) - here}))
                return
            address = packet.get("address", 0)
            here = address if packet.is_sync else here + address
        raise AssertionError("no such place")

    return change


CONTEXT = Packet("context", {"format": 3, "subformat": 2, "privilege": 3, "context": 9})
CASES: dict[str, tuple[str, dict[str, Any], Change]] = {
    "ET.bt.sequential": ("resync_without_branches", {"inst_sync_mode": 3}, skipping(Flow.SEQUENTIAL)),
    "ET.bt.inferable": ("resync_without_branches", {"inst_sync_mode": 3}, skipping(Flow.INFERABLE)),
    "ET.bt.uninferable": ("uninferable_jumps", {}, without("address")),
    "ET.bt.branches": ("map_lengths", {}, flip),
    "ET.bt.traps": (
        "trap_kinds",
        {},
        lambda sent: [sent.set(i, address=0x4000_2002) for i in [sent.find("trap", thaddr=1)]],
    ),
    "ET.bt.epc": (
        "traps_at_target",
        {},
        lambda sent: sent.set(sent.find("trap", interrupt=0, thaddr=0), address=0x4000_0009),
    ),
    "ET.bt.sync": ("stops", {}, lambda sent: sent.set(sent.find("start", 1), address=0x4000_0009)),
    "ET.bt.end": ("stops", {}, lambda sent: [sent.delete(len(sent.packets) - 1) for _ in range(6)]),
    "ET.pay.ecause": ("causes", {}, changed("trap", ecause=33)),
    "ET.pay.tval": ("causes", {}, lambda sent: sent.set(sent.find("trap", interrupt=0), tval=0x99)),
    "ET.opt.implicit_exception": (
        "implicit_exceptions",
        {"implicit_exception": 1},
        lambda sent: sent.set(sent.find("trap", interrupt=1, ecause=8, thaddr=1), ecause=12),
    ),
    "ET.opt.implicit_return": ("nested_calls", RETURNS, changed("support", ioptions=0)),
    "ET.pay.privilege": ("xret_kinds", {}, changed("start", privilege=1)),
    "ET.pay.time": ("time_and_privilege", {"notime_p": 0}, changed("start", time=3)),
    "ET.pay.context": ("contexts", {"ctype": "2"}, changed("start", context=3)),
    "ET.alg.ppccd": ("xret_kinds", {"full_address": 1}, as_address),
    "ET.ing.ctype": ("contexts", {"ctype": "2"}, lambda sent: sent.delete(sent.reasons.index("ET.alg.ppccd"))),
    "ET.alg.context": ("contexts", {"ctype": "1"}, without("context")),
    "ET.alg.notify": ("notify_kinds", {"full_address": 1}, lambda sent: sent.delete(sent.find("address", notify=1))),
    "ET.pay.notify": ("uninferable_jumps", {}, lambda sent: sent.set(len(sent.packets) - 2, notify=1)),
    "ET-16": ("stops", {}, lambda sent: sent.set(sent.find("support", qual_status=3), qual_status=1)),
    "ET.alg.ended": ("trap_last", {}, lambda sent: sent.delete(len(sent.packets) - 1)),
    "ET.alg.enable": ("disables", {}, without("support")),
    "ET.alg.disable": ("level_walk", {}, lambda sent: sent.delete(sent.reasons.index("ET.alg.disable"))),
    "ET.alg.reconfigured": (
        "reconfigured",
        {},
        lambda sent: sent.delete(sent.reasons.index("ET.alg.reconfigured")),
    ),
    "ET.pay.ienable": ("stops", {}, changed("support", 1, ienable=0)),
    "ET.pay.ioptions": ("stops", {}, changed("support", 1, ioptions=32)),
    "ET.pay.qual_status": ("stops", {}, changed("support", 1, qual_status=0)),
    "ET.pay.support": ("uninferable_jumps", {}, lambda sent: sent.repeat(0)),
    "ET.alg.lost": ("stops", {}, changed("support", 1, qual_status=2)),
    "ET.ing.filters": (
        "filters",
        {"filter": "iaddr=0x80000010..0x80000016"},
        lambda sent: sent.set(sent.find("start", 2), address=0x4000_000F),
    ),
}


@pytest.mark.parametrize("clause", CASES)
def test_red_under_its_clause(clause: str) -> None:
    name, options, change = CASES[clause]
    good = doctored(name, options)
    assert good.passed, good.failures[0].text()
    assert clause in doctored(name, options, change).book.failed


def test_context_at_another_place() -> None:
    """A 3.2 after the instructions of its context: the reference never does that, a free device may."""

    def later(sent: Sent) -> None:
        index = sent.find("context")
        sent.insert(index + 3, sent.packets[index])
        sent.delete(index)

    options = {"ctype": "1"}
    assert "ET.alg.context" in doctored("context_values", options, later).book.failed
    assert "ET.alg.context" in doctored("uninferable_jumps", {}, lambda sent: sent.insert(3, CONTEXT)).book.failed
    free = Tolerances.free()
    other = doctored("uninferable_jumps", {}, lambda sent: sent.insert(3, CONTEXT), tolerances=free)
    assert other.book.failed == ["ET.pay.context"], "a context that the hart never had"
    own = {name: scenario_run("uninferable_jumps", ())[3].packets[1].values[name] for name in ("privilege", "context")}
    again = Packet("context", CONTEXT.values | own)
    assert doctored("uninferable_jumps", {}, lambda sent: sent.insert(3, again), tolerances=free).passed


def test_loss_must_have_happened() -> None:
    """The same packets pass where beats found no room, and fail where all did."""
    config, program, beats, encoded = scenario_run("overflow", (("inst_stall_ena", 0),))
    full = replace(beats, drop=np.ones_like(beats.drop))
    copy = sent(encoded)
    cut = copy.find("address", 20)
    copy.packets[cut : cut + 4] = [Packet("support", copy.packets[0].values | {"qual_status": 2})]
    del copy.options[cut + 1 : cut + 4], copy.reasons[cut + 1 : cut + 4]
    assert len(encoded.payloads) > cut + 4
    for drops, passed in ((beats, False), (full, False)):
        verdict = check(EtraceCapture(config, program, copy.payloads(config), beats=drops, exact=False), Tolerances())
        assert verdict.passed is passed


def test_no_loss_where_the_hart_can_be_stalled() -> None:
    """ET.ing.stall: what passes for an encoder that may lose packets fails for one that may stall."""
    config, program, beats, _ = scenario_run("overflow", (("inst_stall_ena", 0),))
    beats = deepcopy(beats)
    beats.drop[40:60] = 1
    packets = Encoder(config).run(beats).payloads
    assert check(EtraceCapture(config, program, packets, beats=beats, exact=False)).passed
    stalls = replace(config, inst_stall_ena=1)
    assert check(EtraceCapture(stalls, program, packets, beats=beats, exact=False)).book.failed == ["ET.ing.stall"]


def test_from_files_alone() -> None:
    """Without the port there are no cycles, times and levels; PCs, directions and traps are still compared."""
    config, program, beats, encoded = scenario_run("trap_kinds")
    given = EtraceCapture(config, program, beats=beats).retired
    assert check(EtraceCapture(config, program, encoded.payloads, given=given)).passed
    other = deepcopy(given)
    other.tval[np.flatnonzero(other.tval)[0]] ^= np.uint64(4)
    assert check(EtraceCapture(config, program, encoded.payloads, given=other)).book.failed == ["ET.pay.tval"]


@pytest.mark.parametrize("begins", [True, False])
def test_a_file_that_begins_with_trace_has_a_support_packet_first(begins: bool) -> None:
    """It "must be issued when trace is enabled, and before the first sync packet"; a file may begin later."""
    config, program, beats, encoded = scenario_run("trap_kinds")
    given = EtraceCapture(config, program, beats=beats).retired
    given = given if begins else given.select(slice(1, None))
    files = EtraceCapture(config, program, encoded.payloads[1:], given=given, exact=False)
    assert check(files, Tolerances.free()).book.failed == ["ET.alg.enable"] * begins


def test_no_loss_with_stalling() -> None:
    """A loss that is reported as it should be is still one, where the hart could have been stalled."""
    config, program, beats, encoded = scenario_run("overflow", (("inst_stall_ena", 0),))
    copy = sent(encoded)
    copy.packets[20] = Packet("support", copy.packets[0].values | {"qual_status": 2})
    for stalls in (0, 1):
        verdict = check(
            EtraceCapture(
                replace(config, inst_stall_ena=stalls), program, copy.payloads(config), beats=beats, exact=False
            ),
            Tolerances(),
        )
        assert ("ET.ing.stall" in verdict.book.failed) is bool(stalls)


def test_time_is_not_later_than_its_packet() -> None:
    """Judged with the packets alone: also where the trace cannot be followed."""
    options = {"notime_p": 0}
    config, _, beats, encoded = scenario_run("time_and_privilege", tuple(options.items()))
    cycles = beats.cycle[np.asarray(encoded.beat)] + np.uint64(3)
    beats.tstamp = beats.cycle * np.uint64(2) + np.uint64(100)

    def timed(late: int) -> Change:
        """The packets with times of their beats, the last of them later; the first packet with an address is wrong."""

        def change(sent: Sent) -> None:
            rows = [i for i, p in enumerate(sent.packets) if p.get("time") is not None]
            for row in rows:
                sent.set(row, time=int(beats.tstamp[encoded.beat[row]]))
            sent.set(rows[-2], time=int(beats.tstamp[encoded.beat[rows[-2]]]) + late)
            sent.set(sent.find("start", 1), address=0)

        return change

    free = Tolerances.free()
    on_time = doctored("time_and_privilege", options, timed(0), packet_cycle=cycles, tolerances=free)
    late = doctored("time_and_privilege", options, timed(1000), packet_cycle=cycles, tolerances=free)
    assert not on_time.passed and "ET.pay.time" not in on_time.book.failed
    assert "ET.pay.time" in late.book.failed


@pytest.mark.parametrize("order", [True, False])
def test_context_that_comes_back_is_reported_again(order: bool) -> None:
    """Contexts that change to 0 again and again: one packet reports one change, also for a device that may repeat
    packets.
    """
    options, free = {"ctype": "1"}, Tolerances(context_repeated=True, context_order=order)
    assert doctored("context_values", options, tolerances=free).passed
    last = doctored("context_values", options, without("context", -1, context=0), tolerances=free)
    assert last.book.failed == ["ET.alg.context"]
    assert last.failures[0].headline == "a change of context is not reported"


def test_target_of_a_jump_right_before_a_resync_has_updiscon() -> None:
    """The trace decodes without the flag, for the target is met nowhere else; a format 3 packet follows, neither for a
    trap nor for another privilege.
    """
    options = {"inst_sync_mode": 1}

    def target(sent: Sent) -> int:
        """The last address with updiscon before a resynchronization at the next instruction."""
        resyncs = [i for i, reason in enumerate(sent.reasons) if reason == "ET.alg.resync"]
        return [i - 1 for i in resyncs if sent.packets[i - 1].get("updiscon")][-1]

    verdict = doctored("short_jumps", options, lambda sent: sent.set(target(sent), updiscon=0))
    assert doctored("short_jumps", options).passed and verdict.book.failed == ["ET.pay.updiscon"]
    assert verdict.stats["judged"] == verdict.stats["instructions"]


def test_trap_that_is_not_reported_and_trap_that_is_another_one() -> None:
    """The headline distinguishes them, and the table has the kinds of both traps."""

    def told(name: str, change: Change) -> tuple[str, list[tuple[str, str, str]]]:
        failure = next(f for f in doctored(name, {}, change).failures if f.clause == "ET.bt.traps")
        return failure.headline, failure.table[:1]

    # two exceptions without an instruction between them: the first is not reported
    first = told("back_to_back_traps", lambda sent: sent.delete(sent.find("trap", thaddr=0)))
    assert first == ("a trap is not reported", [("trap", "exception", "none")])
    # exceptions and interrupts in turn: without the first interrupt, the exception after it is the next trap
    second = told("causes", lambda sent: sent.delete(sent.find("trap", 0, interrupt=1)))
    assert second == ("exception is reported where the hart had interrupt", [("trap", "interrupt", "exception")])
    # without the first of two exceptions the second is the next trap, of the same kind
    third = told("trap_kinds", lambda sent: sent.delete(sent.find("trap")))
    assert third == ("the exception that the hart had is reported at another place", [("trap", *["exception"] * 2)])


def test_a_trap_that_is_reported_again_at_its_handler() -> None:
    """By 3.1 with thaddr=1 where a packet 3.0 is due: no other trap was there that it could be about."""

    def again(copy: Sent) -> None:
        at = copy.find("trap", thaddr=0)
        start = copy.packets[at + 1]
        assert start.name == "start"
        told = {name: start.get(name) for name in ("branch", "privilege", "context", "address")}
        copy.packets[at + 1] = Packet("trap", copy.packets[at].values | told | {"thaddr": 1})

    failed = doctored("traps_at_target", {}, again).book.failed
    assert "ET.alg.reported" in failed and "ET.bt.traps" in failed


def test_the_last_trap_before_an_end_may_be_missing_though_the_next_one_is_equal() -> None:
    """Exceptions at the first instruction of their handler. Trace ends after the second, of which no packet is sent,
    and goes on with the third, which has the same cause and tval.
    """
    config = Config.from_dict({"inst_stall_ena": 1})
    script = Script(config, Random(1))
    walk, at = script.start(traps.main_code(builder(config)))
    walk.step()
    for tval in (1, 0):
        walk.trap(traps.LOAD_FAULT, at["trap_handler"], tval=tval)
    walk.trace_off().trace_on()
    for tval in (0, 0, 5):
        walk.trap(traps.LOAD_FAULT, at["trap_handler"], tval=tval)
    walk.step(2)
    program, retired = script.rows()
    beats = place(config, "single", retired, Random(1))
    copy = sent(Encoder(config).run(beats))
    assert [packet.get("tval") for packet in copy.packets if packet.name == "trap"] == [1, 0, 0, 5]

    def failed() -> list[str]:
        capture = EtraceCapture(config, program, copy.payloads(config), beats=beats, exact=False)
        return judged(capture).book.failed

    assert failed() == []
    copy.delete(copy.find("trap", tval=0))
    assert "ET.bt.traps" in failed()


def test_directions_are_compared_after_losses_with_nothing_between_them() -> None:
    """Nothing is reported between two losses, and a branch after them that the port reports as no branch (itype 0)."""
    config, program, beats, _ = scenario_run("map_lengths", (("inst_stall_ena", 0),))
    drop = np.zeros_like(beats.drop)
    drop[40:60] = drop[80:100] = 1
    encoded = Encoder(config).run(replace(beats, drop=drop))
    copy = sent(encoded)
    first, second = (copy.find("support", which, qual_status=2) for which in (0, 1))
    for _ in range(second - first - 1):
        copy.delete(first + 1)
    itype = beats.itype.copy()
    itype[np.flatnonzero(itype[:, 0] == IType.NOT_TAKEN)[-1], 0] = IType.NONE
    for itypes, failed in ((beats.itype, False), (itype, True)):
        port = replace(beats, drop=drop, itype=itypes)
        verdict = judged(EtraceCapture(config, program, copy.payloads(config), beats=port, exact=False))
        assert ("ET.bt.branches" in verdict.book.failed) is failed
        assert verdict.passed is not failed


def test_nothing_is_judged_of_a_silent_device() -> None:
    verdict = doctored("trap_kinds", {}, packets=[])
    assert not verdict.passed and verdict.stats["judged"] == 0 < verdict.stats["instructions"]


def test_all_is_judged_of_a_device_that_is_right() -> None:
    verdict = doctored("map_lengths", {})
    assert verdict.stats["judged"] == verdict.stats["instructions"]


def test_a_wrong_branch_is_one_cause() -> None:
    verdict = doctored("map_lengths", {}, flip)
    causes = {failure.clause for failure in verdict.failures if not failure.cause}
    assert len(causes) == 1, [(f.clause, f.at, f.cause) for f in verdict.failures]
    assert verdict.stats["judged"] < verdict.stats["instructions"]
