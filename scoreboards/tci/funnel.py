# SPDX-License-Identifier: Apache-2.0
"""Funnel and encoders around it: whole messages, each source in order, no input starved, inputs that are left out,
flushes.
"""

from __future__ import annotations

from rvtrace.models.tci.funnel import Sent, overtaken
from rvtrace.models.tci.register_model import RegisterModel
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.matching import same_start
from rvtrace.scoreboards.tci.capture import TciCapture
from rvtrace.scoreboards.tci.registers import Access

STARVED = 32  # messages of one other input that may pass a waiting one, in any legal funnel


def check_funnel(capture: TciCapture, book: ClauseBook) -> None:
    """All rules of the funnel, from what its inputs gave and what the sinks took."""
    inputs = _let_in(capture, book)
    passed = [sent.data for sent in capture.merged.messages]
    wanted = sorted((sent.begin, port, sent.data) for port, sents in enumerate(inputs) for sent in sents)
    wanted_data = [data for _, _, data in wanted]
    if capture.expect.get("cut"):  # a reset in the middle may swallow what was inside, but nothing else
        wanted_data = _without_lost(wanted_data, passed)
    _whole(capture, book, inputs, passed)
    at = same_start(wanted_data, passed)
    book.count("TCI.funnel.order", len(passed))
    clause = "TCI.funnel.dis_input" if _disabled(capture)[1:] else "TCI.funnel.order"
    shown = [some[at].hex(" ") if at < len(some) else "" for some in (wanted_data, passed)]
    book.check(
        clause,
        wanted_data == passed,
        lambda: Failure(
            clause,
            f"{len(passed)} messages left the funnel, {len(wanted_data)} went in; number {at} is the first that"
            " differs",
            cycle=capture.merged.messages[at].begin if at < len(passed) else None,
            table=[("message", shown[0], shown[1])],
        ),
    )
    _fair(capture, book)
    for stream in (capture.merged, *(hart.stream for hart in capture.harts)):
        if not capture.expect.get("cut"):  # what is reset takes a message back that was not yet accepted
            book.check("TCI.bus.stream", not stream.problems, Failure("TCI.bus.stream", " ".join(stream.problems[:1])))


def _let_in(capture: TciCapture, book: ClauseBook) -> list[list[Sent]]:
    """The messages of each input without those that trFunnelDisInput throws away."""
    changes = _disabled(capture)
    kept: list[list[Sent]] = []
    for port, hart in enumerate(capture.harts):
        mine, dropped = [], 0
        for sent in hart.stream.messages:
            mask = [value for cycle, value in changes if cycle < sent.begin][-1]
            if mask >> port & 1:
                dropped += 1
            else:
                mine.append(sent)
        book.count("TCI.funnel.dis_input", dropped)
        kept.append(mine)
    return kept


def _disabled(capture: TciCapture) -> list[tuple[int, int]]:
    """(cycle, trFunnelDisInput from then on); it works while the funnel is enabled."""
    model = RegisterModel(capture.params)
    place = model.place("funnel")
    changes = [(-1, 0)]
    for access in capture.accesses:
        if access.write:
            model.write(access.addr, access.data)
            value = place.get("trFunnelDisInput") if place.get("trFunnelEnable") else 0
            if value != changes[-1][1]:
                changes.append((access.cycle, value))
    return changes


def _without_lost(wanted: list[bytes], passed: list[bytes]) -> list[bytes]:
    """`wanted` less what is missing in `passed`, as long as the rest is in order."""
    kept, index = [], 0
    for data in wanted:
        if index < len(passed) and passed[index] == data:
            kept.append(data)
            index += 1
    return kept if index == len(passed) else wanted


def _whole(capture: TciCapture, book: ClauseBook, inputs: list[list[Sent]], passed: list[bytes]) -> None:
    """Every message that left is one that went in: none was cut, mixed or made up; nothing is left over at the end."""
    known = {sent.data for port in inputs for sent in port}
    foreign = [i for i, data in enumerate(passed) if data not in known]
    book.bulk("TCI.funnel.whole", len(passed), foreign, lambda i: Failure(
        "TCI.funnel.whole", f"a message left the funnel that no encoder sent: {passed[i].hex(' ')}",
        cycle=capture.merged.messages[i].begin,
    ))  # fmt: skip
    for number, hart in enumerate(capture.harts):  # a message that a reset cut would swallow the beginning of the next
        damage = hart.protocol.damage(hart)
        book.check(
            "TCI.funnel.whole",
            not damage,
            Failure("TCI.funnel.whole", f"encoder {number} sent bytes that are not a message: {damage}"),
        )
    rest = len(capture.merged.data) - sum(map(len, passed))
    book.check(
        "TCI.funnel.whole",
        not rest,
        Failure("TCI.funnel.whole", f"the stream ends with {rest} bytes of an open message"),
    )


def _fair(capture: TciCapture, book: ClauseBook) -> None:
    """While a message waits at one input, at most one of each other input may begin (ours), and never many (any
    funnel).
    """
    ports = [hart.stream.messages for hart in capture.harts]
    contested = sum(sent.begin > sent.since for port in ports for sent in port)
    found = overtaken(ports)
    book.count("TCI.funnel.turn", contested)
    book.count("TCI.funnel.fair", contested)
    for clause, most in (("TCI.funnel.turn", 1), ("TCI.funnel.fair", STARVED)):
        for port, sent, other, times in [one for one in found if one[3] > most][:3]:
            book.fail(
                Failure(
                    clause,
                    f"a message of input {port} waited from cycle {sent.since} to {sent.begin} while {times} of input"
                    f" {other} began",
                    cycle=sent.begin,
                ),
                counted=True,
            )


def check_flush(capture: TciCapture, book: ClauseBook) -> None:
    """Empty reports the truth: a component that reads disabled and empty has sent all that was due, and nothing leaves
    it until it is enabled again. (A reset may swallow messages: then only the second is required.)
    """
    whole = not capture.expect.get("cut")
    for hart, run in enumerate(capture.harts):
        sent = [one.end for one in run.stream.messages]
        due = run.beats.cycle[run.told.beat].tolist() if whole and capture.exact and len(run.told.beat) else None
        _silent(capture, book, f"encoder{hart}", sent, due, "TCI.te.empty")
    left_out = bool(_disabled(capture)[1:])
    let_in = sorted(one.end for run in capture.harts for one in run.stream.messages)
    _silent(
        capture,
        book,
        "funnel",
        [one.end for one in capture.merged.messages],
        let_in if whole and not left_out else None,
        "TCI.funnel.empty",
    )
    _silent(capture, book, "ram_sink", [cycle for cycle, _, _ in capture.memory], None, "TCI.ram.empty")


def _silent(
    capture: TciCapture, book: ClauseBook, name: str, sent: list[int], due: list[int] | None, clause: str
) -> None:
    """sent, due: cycles in which something left, and in which it came to be due."""
    base = RegisterModel(capture.params).place(name).base
    since: Access | None = None
    for access in capture.accesses:
        if access.addr != base:
            continue
        if access.write:
            if access.data & 2 and since is not None:
                _judge(book, clause, name, sent, since.cycle, access.cycle)
            since = None if access.data & 2 else since
        elif access.data & 0b1011 == 0b1001 and since is None:
            since = access
            if due is not None:
                left, came = (sum(cycle <= access.cycle for cycle in some) for some in (sent, due))
                book.check(
                    clause,
                    left >= came,
                    Failure(
                        clause,
                        f"{name} reads disabled and empty, {came} messages were expected, and {left} had left it",
                        cycle=access.cycle,
                    ),
                )
    if since is not None:
        _judge(book, clause, name, sent, since.cycle, 1 << 62)


def _judge(book: ClauseBook, clause: str, name: str, cycles: list[int], begin: int, end: int) -> None:
    late = [cycle for cycle in cycles if begin < cycle <= end]
    book.check(clause, not late, lambda: Failure(
        clause, f"{name} read disabled and empty in cycle {begin}, and sent {len(late)} times after it", cycle=late[0],
    ))  # fmt: skip
