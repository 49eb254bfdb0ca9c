# SPDX-License-Identifier: Apache-2.0
"""The verdict on a whole trace system without a simulator: reference encoders, a funnel that takes a message of each in
turn, what a tool read back; and each with one thing wrong.
"""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rvtrace.models.ntrace.config import Config as NtraceConfig
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.tci.funnel import Sent
from rvtrace.models.tci.layout import Params
from rvtrace.models.tci.register_model import RegisterModel
from rvtrace.scoreboards.tci.capture import Fired, HartRun, Stream, TciCapture
from rvtrace.scoreboards.tci.check import TciVerdict, check
from rvtrace.scoreboards.tci.protocol import E_TRACE, protocol
from rvtrace.scoreboards.tci.registers import Access
from tests.etrace.checked_scenarios import scenario_run as etrace_run
from tests.ntrace.checked_scenarios import scenario_run as ntrace_run

A, E, T = 1, 2, 4  # trTeActive, trTeEnable, trTeInstTracing
N_TRACE = 1  # trTeFormat
FEATURES = 0x008  # trTeInstFeatures
RETURNS, FULL_ADDRESS = 1 << 3, 1 << 0  # its bits
LATER = 50  # cycles, for the registers


def levels(beats: Beats, base: int, features: list[int]) -> list[Access]:
    """What a tool writes so that an encoder has these levels: in the cycle before. features: at each enabling."""
    given, before = list(features), 0
    found = [Access(1, True, base, A)]
    for cycle, enable, tracing in zip(beats.cycle.tolist(), beats.enable.tolist(), beats.inst_tracing.tolist()):
        now = A | enable * E | tracing * T
        if now & E and not before & E and given:
            found.append(Access(cycle - 1, True, base + FEATURES, given.pop(0)))
        if now != (before or A):
            found.append(Access(cycle - 1, True, base, now))
        before = now
    return found


def stream(*messages: Sent) -> Stream:
    data = b"".join(one.data for one in messages)
    return Stream(data, np.zeros(len(data), np.uint64), list(messages), [])


def later(beats: Beats) -> Beats:
    moved = deepcopy(beats)
    moved.cycle = moved.cycle + np.uint64(LATER)
    return moved


def numbered(packet: bytes, number: int) -> bytes:
    """A packet with an index in its second byte."""
    return packet[:1] + bytes([number]) + packet[2:]


def system(trace_format: int, *features: list[int], names: tuple[str, ...] = (), **options: Any) -> TciCapture:
    """Two harts, whose messages leave in turn. features: of each encoder at its enablings."""
    speaks = protocol(trace_format)
    params = Params() if trace_format == N_TRACE else Params.etrace()
    harts, accesses = [], []
    for number, name in enumerate(names):
        if trace_format == E_TRACE:
            config, program, beats, _ = etrace_run(name, tuple({"index_width": 8, **options}.items()))
        else:
            config = NtraceConfig(**{"src_bits": 3, "src_id": number + 2, **options})
            program, beats = ntrace_run(name, config)
        run = HartRun(config, program, None, None, later(beats), stream(), Fired(), speaks, number + 1)
        parts = speaks.grammar(config).split(run.told.data)
        parts = [numbered(one, number + 1) for one in parts] if trace_format == E_TRACE else parts
        at = [1000 + 4 * k + number for k in range(len(parts))]
        run.stream = stream(*(Sent(data, begin, begin, begin) for data, begin in zip(parts, at)))
        base = RegisterModel(params).place(f"encoder{number}").base
        accesses += levels(run.beats, base, features[number] if features else [])
        harts.append(run)
    accesses.sort(key=lambda one: one.cycle)
    order = sorted((sent for run in harts for sent in run.stream.messages), key=lambda sent: sent.begin)
    return TciCapture(params, harts, stream(*order), accesses, [], [])


NAMES = {N_TRACE: ("indirect_kinds", "trap_kinds"), E_TRACE: ("nested_calls", "trap_kinds")}
BOTH = pytest.mark.parametrize("trace_format", [N_TRACE, E_TRACE])


def good(trace_format: int, **given: Any) -> TciCapture:
    return replace(system(trace_format, names=NAMES[trace_format]), **given)


def sizes(run: TciCapture) -> list[int]:
    """Messages of each hart."""
    return [len(hart.stream.messages) for hart in run.harts]


def failed(verdict: TciVerdict) -> list[str]:
    """The clauses of the trace system that failed; those of the protocols have tests of their own."""
    return verdict.book.failed


@BOTH
def test_a_system_without_fault(trace_format: int) -> None:
    run = good(trace_format)
    verdict = check(run)
    assert verdict.passed and not verdict.failures
    results, whole = verdict.results(), sum(sizes(run))
    # each message once, and one more for the verdict on each hart
    for clause in ("TCI.te.source", "TCI.te.options", "TCI.sys.sources"):
        assert results[clause] == [whole + 2, 0]
    reported = [len(one.decoded.pcs) for one in verdict.harts]
    assert min(reported) > 10 and results["TCI.sys.decode"] == [sum(reported) + 2, 0]
    assert verdict.stats["reported"] == verdict.stats["instructions"] == sum(reported)
    assert verdict.stats["bits_per_instruction"] == 8 * len(run.merged.data) / sum(reported)
    first, second = (one.book.results() for one in verdict.harts)
    shared = next(name for name in first if name in second and first[name][0] and second[name][0])
    assert results[shared] == [first[shared][0] + second[shared][0], 0]  # both harts under one clause


def test_a_register_bus_alone() -> None:
    """Without harts only registers and bus are judged."""
    verdict = check(TciCapture(Params(), [], stream(), [Access(1, True, 0, A)], [], [], bus_problems=[(1, "odd")]))
    assert failed(verdict) == ["TCI.bus.protocol"] and verdict.results()["TCI.bus.protocol"] == [1, 1]
    assert not verdict.passed


@BOTH
def test_a_message_that_does_not_come_back(trace_format: int) -> None:
    run = good(trace_format)
    back = b"".join(sent.data for sent in run.merged.messages[:9] + run.merged.messages[10:])
    assert failed(check(replace(run, readback=back))) == ["TCI.sys.decode", "TCI.sys.sources"]
    assert failed(check(replace(run, readback=run.merged.data))) == []


@BOTH
def test_a_message_with_the_number_of_another_encoder(trace_format: int) -> None:
    """The second message of the first hart says that it is of the second; it came to the sink like that."""
    run = good(trace_format)
    own, other = run.harts[0].stream.messages, run.harts[1].stream.messages
    if trace_format == E_TRACE:
        wrong = numbered(own[1].data, 2)
    else:  # the three bits after TCODE: in the lowest bits of the MDO of the second byte
        wrong = own[1].data[:1] + bytes([own[1].data[1] ^ (2 ^ 3) << 2]) + own[1].data[2:]
    sent = replace(own[1], data=wrong)
    run.harts[0].stream = stream(own[0], sent, *own[2:])
    run.merged = stream(*sorted([own[0], sent, *own[2:], *other], key=lambda one: one.begin))
    assert "TCI.te.source" in failed(check(run))


@BOTH
def test_the_beginning_of_a_stream(trace_format: int) -> None:
    """A sink that stopped has the first messages; a reset loses the last ones."""
    run = good(trace_format)
    begin = b"".join(sent.data for sent in run.merged.messages[:12])
    assert failed(check(replace(run, readback=begin, expect={"stopped": True}))) == []
    assert "TCI.sys.sources" in failed(check(replace(run, readback=begin)))
    hart = run.harts[0]
    cut = replace(hart, stream=stream(*hart.stream.messages[:5]))
    rest = sorted([*cut.stream.messages, *run.harts[1].stream.messages], key=lambda one: one.begin)
    short = replace(run, harts=[cut, run.harts[1]], merged=stream(*rest))
    assert failed(check(replace(short, expect={"cut": True}))) == []
    gap = replace(cut, stream=stream(*hart.stream.messages[:3], *hart.stream.messages[4:]))
    rest = sorted([*gap.stream.messages, *run.harts[1].stream.messages], key=lambda one: one.begin)
    odd = replace(run, harts=[gap, run.harts[1]], merged=stream(*rest), expect={"cut": True})
    assert failed(check(odd)) == ["TCI.sys.prefix"]


def test_the_end_of_a_stream_of_messages() -> None:
    """A buffer that wrapped begins inside a message; every 16th message synchronizes."""
    run = system(N_TRACE, names=("indirect_kinds", "indirect_kinds"), inst_sync_mode=1)
    end = b"".join(sent.data for sent in run.merged.messages[8:])
    verdict = check(replace(run, readback=run.merged.messages[7].data[1:] + end, expect={"wrapped": True}))
    assert failed(verdict) == [] and verdict.results()["TCI.sys.wrapped"][0] > 20
    assert failed(check(replace(run, expect={"wrapped": True}))) == []  # all of it is in the buffer
    lost = b"".join(sent.data for sent in run.merged.messages[8:12] + run.merged.messages[13:])
    verdict = check(replace(run, readback=run.merged.messages[7].data[1:] + lost, expect={"wrapped": True}))
    assert "TCI.sys.sources" in failed(verdict)


@pytest.mark.parametrize(
    ("lost", "clauses"), [(False, []), (True, ["TCI.sys.joined", "TCI.sys.sources", "TCI.sys.wrapped"])]
)
def test_the_end_of_a_stream_of_packets(lost: bool, clauses: list[str]) -> None:
    """A reader that joins looks for 32 zeros before a start packet. lost: one after it is not in the buffer."""
    run = system(E_TRACE, names=("resync_by_packets", "resync_by_packets"), inst_sync_mode=1, framing="zeros")
    speaks = run.protocol
    packets = [sent.data for sent in run.merged.messages]
    starts = [k for k, data in enumerate(packets) if speaks.starts(data)]
    first = starts[2]
    merged = [b"\0" * 32 * (k in starts) + data for k, data in enumerate(packets)]
    run.merged = stream(*(replace(sent, data=data) for sent, data in zip(run.merged.messages, merged)))
    for hart in run.harts:
        own = [replace(s, data=b"\0" * 32 * speaks.starts(s.data) + s.data) for s in hart.stream.messages]
        hart.stream = stream(*own)
    kept = merged[first:]
    back = merged[first - 1][-2:] + b"".join(kept[:5] + kept[6:] if lost else kept)
    verdict = check(replace(run, readback=back, expect={"wrapped": True}))
    assert failed(verdict) == clauses
    # 16 bytes may be idle, so that the first start packet need not be there, but the next one, which follows it
    assert starts[3] == first + 1 and (lost or verdict.results()["TCI.sys.joined"] == [len(kept) - 1 + 1, 0])


def test_harts_that_say_nothing() -> None:
    """One whose messages the funnel throws away is judged at its own port; one that is not traced is not judged."""
    run = good(N_TRACE)
    funnel = RegisterModel(run.params).place("funnel").base
    enabled = [Access(1, True, funnel, A), Access(2, True, funnel, A | E), Access(3, True, funnel + 8, 2)]
    own = run.harts[0].stream.messages
    alone = replace(run, merged=stream(*own), accesses=sorted([*run.accesses, *enabled], key=lambda one: one.cycle))
    assert failed(check(replace(alone, expect={"left_out": (1,)}))) == []
    assert "TCI.sys.sources" in failed(check(alone))
    silent = replace(run.harts[1], stream=stream())
    quiet = replace(run, harts=[run.harts[0], silent], merged=stream(*own))
    verdict = check(replace(quiet, expect={"untraced": (1,)}))
    assert failed(verdict) == [] and len(verdict.harts) == 1
    assert failed(check(quiet)) == ["TCI.te.options"]


def test_an_encoder_that_does_not_do_what_its_registers_say() -> None:
    """Its messages are those of another configuration."""
    run = good(N_TRACE)
    for config, clause in (({"mode": "btm"}, "TCI.te.options"), ({"filter": "priv=U"}, "TCI.te.filters")):
        wrong = replace(run.harts[0], config=replace(run.harts[0].config, **config))
        assert clause in failed(check(replace(run, harts=[wrong, run.harts[1]])))


def test_harts_with_several_programs() -> None:
    """Their bytes are compared with the reference encoder's, and their instructions with those the decoder finds."""
    run = good(N_TRACE)
    pcs = check(run).harts[0].decoded.pcs
    for wanted, expect, clauses in (
        (pcs, {}, []),
        (pcs[:-1], {}, ["TCI.sys.images"]),
        (pcs[:-1], {"replaced": True}, ["TCI.sys.replaced"]),
    ):
        hart = replace(run.harts[0], images=run.harts[0].program, pcs=wanted)
        verdict = check(replace(run, harts=[hart, run.harts[1]], expect=expect))
        assert failed(verdict) == clauses and len(verdict.harts) == 1
        assert verdict.results()["TCI.sys.exact"] == [sizes(run)[0] + 1, 0]
    other = replace(run.harts[0], images=run.harts[0].program, pcs=pcs, config=replace(run.harts[0].config, mode="btm"))
    assert "TCI.sys.exact" in failed(check(replace(run, harts=[other, run.harts[1]])))


@pytest.mark.parametrize(
    ("features", "failing", "changes"),
    [([RETURNS | FULL_ADDRESS], False, 0), ([FULL_ADDRESS], True, 1), ([0], True, 1)],
)
def test_options_at_each_enabling(features: list[int], failing: bool, changes: int) -> None:
    """The encoder sends with implicit returns and full addresses; the registers may say something else."""
    run = system(E_TRACE, features, [RETURNS | FULL_ADDRESS], names=NAMES[E_TRACE], implicit_return=1, full_address=1)
    verdict = check(run)
    assert failed(verdict) == (["TCI.te.options", "TCI.te.settings"] if failing else [])
    # a check for each change, and one for all
    assert verdict.results().get("TCI.te.settings", [0, 0])[0] == (changes + 1 if changes else 0)
    assert run.harts[1].beats.toggle.sum() == 0
