# SPDX-License-Identifier: Apache-2.0
"""When packets leave our encoder: too little room in its queue, and pauses of its transport, are found; another's
encoder is not judged.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import plan
from rvtrace.scoreboards.etrace.pace import check_pace
from rvtrace.scoreboards.etrace.transport import split
from tests.common.there import there
from tests.etrace.checked_scenarios import scenario_run

FORMS = ({}, {"framing": "zeros"}, {"framing": "blocks", "block_bytes": 64}, {"encapsulation": "atb", "timestamp": 1})


def judged(capture: EtraceCapture, encoded: Any) -> ClauseBook:
    book = ClauseBook(plan())
    check_pace(capture, book, encoded)
    return book


@pytest.mark.parametrize(("blocks", "depth", "needed"), [(1, 16, 16), (1, 32, 32), (2, 16, 14), (4, 32, 26)])
def test_a_beat_needs_room_for_what_it_can_make(blocks: int, depth: int, needed: int) -> None:
    """A queue of 16 has no room for the 3 descriptors of a beat of one lane while 14 are in it, and then 2 packets are
    in the packer.
    """
    config, program, beats, encoded = scenario_run("overflow", (("blocks_p", blocks), ("fifo_depth", depth)))
    full = encoded.beat[needed + 40] + 1  # a beat that comes after enough packets
    made = sum(beat < full for beat in encoded.beat)
    beats = replace(beats, drop=np.zeros(len(beats), np.uint8), cycle=np.arange(len(beats)) * 9)
    beats.drop[full] = 1
    for waiting, failed in ((needed, []), (needed - 1, ["ET.ing.room"])):
        taken = np.full(len(encoded.packets), 10**6)
        taken[: made - waiting] = 0
        capture = EtraceCapture(config, program, encoded.payloads, packet_cycle=taken, beats=beats, queue=depth)
        book = judged(capture, encoded)
        assert book.failed == failed and book.results()["ET.ing.room"][0] == 1
        assert not judged(replace(capture, queue=0), encoded).results()


@pytest.mark.parametrize(("age", "failed"), [(2, []), (3, ["ET.ing.room"])])
def test_a_packet_leaves_the_queue_three_cycles_after_its_beat(age: int, failed: list[str]) -> None:
    """A queue of 3 has room for the 3 descriptors of a beat only while it is empty. Of two packets that wait the older
    one is in the packer; the other is in the queue up to 3 cycles after its beat, and then in the packer as well.
    """
    config, program, beats, encoded = scenario_run("overflow", (("blocks_p", 1), ("fifo_depth", 16)))
    number = next(i for i in range(40, 80) if encoded.beat[i] == encoded.beat[i - 1] + 1)
    full = encoded.beat[number] + 1
    cycle = np.arange(len(beats)) * 9
    cycle[full:] += age - 9
    beats = replace(beats, drop=np.zeros(len(beats), np.uint8), cycle=cycle)
    beats.drop[full] = 1
    taken = np.full(len(encoded.packets), 10**6)
    taken[: number - 1] = 0
    capture = EtraceCapture(config, program, encoded.payloads, packet_cycle=taken, beats=beats, queue=3)
    book = judged(capture, encoded)
    assert book.failed == failed and book.results()["ET.ing.room"][0] == 1


def on_time(options: dict[str, Any]) -> tuple[EtraceCapture, Any]:
    """Packets that leave as soon as they can, transfer after transfer."""
    config, program, beats, encoded = scenario_run("transports", tuple(sorted(options.items())))
    chunks = split(encoded.data, EtraceCapture(config, program))
    made = beats.cycle[np.asarray(encoded.beat)]
    size = 4 if config.encapsulation == "atb" else 8
    data_cycle, taken, last = np.zeros(len(encoded.data), np.int64), [], -1
    for beat, chunk in zip(made.tolist(), chunks):
        taken.append(max(beat + 4, last, taken[-1] + 1 if taken else 0))
        last = taken[-1]
        for begin, end in ((chunk.offset - chunk.zeros, chunk.offset), (chunk.offset, len(encoded.data))):
            for at in range(begin, min(end, -(-(chunk.behind - begin) // size) * size + begin), size):
                last += 1
                data_cycle[at : at + size] = last
    return EtraceCapture(
        config, program, encoded.payloads, data=encoded.data, beats=beats, packet_cycle=np.array(taken),
        data_cycle=data_cycle, queue=32, always_ready=True,
    ), encoded  # fmt: skip


@pytest.mark.parametrize("options", FORMS, ids=lambda o: "-".join(map(str, o.values())) or "plain")
def test_a_pause_of_the_transport(options: dict[str, Any]) -> None:
    capture, encoded = on_time(options)
    book = judged(capture, encoded)
    assert not book.failed and book.results()["ET.tra.rate"][0] == len(encoded.packets)
    cycles = there(capture.data_cycle)
    late = replace(capture, data_cycle=cycles + (cycles == cycles[-1]))
    assert judged(late, encoded).failed == ["ET.tra.rate"]
    assert "ET.tra.rate" not in judged(replace(late, always_ready=False), encoded).results()
    assert not judged(replace(late, queue=0), encoded).results()


def test_a_packet_taken_late() -> None:
    capture, encoded = on_time({})
    taken, cycles = there(capture.packet_cycle).copy(), there(capture.data_cycle).copy()
    taken[-1] += 1
    cycles[cycles == cycles[-1]] += 1
    book = judged(replace(capture, packet_cycle=taken, data_cycle=cycles), encoded)
    assert book.failed == ["ET.tra.rate"] and len(book.failures) == 1
