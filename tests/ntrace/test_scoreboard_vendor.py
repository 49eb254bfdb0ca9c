# SPDX-License-Identifier: Apache-2.0
"""What the standard leaves to vendors: their codes, and messages and fields of any size (3, tables 15, 19, 23,
25).

A device that does not declare the reference profile may send them; the reference profile has none.
"""

from dataclasses import replace

import pytest

from rvtrace.models.ntrace.codec import MAX_CUSTOM, pack, unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from tests.common.packers import mdo_message
from tests.ntrace.checked_scenarios import Change, check, doctored, insert, place, scenario_run, set_at, timed

HTM = Config()
VENDOR = Tolerances(vendor_codes=True)
TIME = Config(timestamp=1)


def every(key: str, old: int, new: int) -> Change:
    """All messages that have the code `old` have `new`."""

    def change(messages: list[Message]) -> None:
        rows = [i for i, m in enumerate(messages) if m.get(key) == old]
        assert rows
        for row in rows:
            set_at(messages, row, **{key: new})

    return change


def full(rcode: int) -> Change:
    """A ResourceFull that only its vendor understands."""
    return lambda messages: insert(messages, 1, "ResourceFull", rcode, 2)


def error(etype: int) -> Change:
    """An Error in front of the trace."""
    return lambda messages: insert(messages, 0, "Error", etype, 0)


# clause, scenario, change with a vendor's code, with a reserved one
CODES = [
    ("NT.7.8.rcode", "linear", full(8), full(7)), ("NT.7.8.rcode", "linear", full(15), full(3)),
    ("NT.7.12.evcode", "trace_off_on", every("evcode", 4, 8), every("evcode", 4, 7)),
    ("NT.7.12.evcode", "low_power", every("evcode", 1, 15), every("evcode", 1, 2)),
    ("NT.7.4.codes", "linear", error(8), error(7)), ("NT.7.4.codes", "linear", error(15), error(1)),
    ("NT.8.5.codes", "trace_off_on", every("sync", 5, 14), every("sync", 5, 13)),
    ("NT.8.5.codes", "markers", lambda m: set_at(m, place(m, "ProgTraceSync", sync=6), sync=15), every("sync", 6, 8)),
]  # fmt: skip


@pytest.mark.parametrize(("clause", "name", "vendors", "reserved"), CODES)
def test_codes(clause: str, name: str, vendors: Change, reserved: Change) -> None:
    program, beats = scenario_run(name, HTM)
    free = Tolerances.free()
    assert doctored(program, beats, HTM, vendors, free).passed
    assert clause in doctored(program, beats, HTM, vendors).book.failed
    assert clause in doctored(program, beats, HTM, reserved, free).book.failed
    assert not doctored(program, beats, HTM, vendors, exact=True).passed


def test_what_must_have_its_own_code() -> None:
    """EVCODE=0 and SYNC=3 are required, also of a vendor: neither a vendor code nor 4 or 5 will do."""
    program, beats = scenario_run("debug_entry_exit", HTM)
    for key, code, others in (("evcode", 0, (4, 8)), ("sync", 3, (5, 14))):
        for other in others:
            assert not doctored(program, beats, HTM, every(key, code, other), Tolerances.free()).passed


def test_error_of_a_vendor_is_no_loss() -> None:
    stall = Config(inst_stall_ena=1)
    program, beats = scenario_run("linear", stall)
    assert doctored(program, beats, stall, error(8), VENDOR).passed
    assert "NT-14" in doctored(program, beats, stall, error(0), VENDOR).book.failed


def test_fields_after_rdata() -> None:
    """Nobody knows which is TSTAMP: the time is unknown up to the next synchronizing message, and nothing else is."""
    program, beats = scenario_run("trace_off_on", TIME)
    chunks = list(Encoder(TIME).run(timed(beats)).packed)
    chunks.insert(1, bytes([27 << 2, 9 << 2, 0x05, 0xFD, 0x07]))  # RCODE=9 and three fields
    data = b"".join(chunks)
    capture = NtraceCapture(TIME, program, data, beats, exact=False)
    assert check(capture, VENDOR).passed and not check(capture).passed
    trace = decode(data, program, TIME)
    assert trace.messages[1].body[0] == 9 and not trace.diagnostics and trace.notes
    assert [time >= 0 for time in trace.time[:4]] == [True, False, False, True]


def groups(head: list[int], more: int) -> bytes:
    """A message of the MDO groups `head` and `more` groups of ones."""
    return mdo_message([[*head, *[0x3F] * more]])


@pytest.mark.parametrize("src_bits", [0, 12])
@pytest.mark.parametrize("size", [37, 65, 1000, MAX_CUSTOM])
def test_large_messages(size: int, src_bits: int) -> None:
    """A vendor-defined message, and the RDATA of a vendor's RCODE, may be larger than 36 bytes (NT-18) and 64 bits."""
    config = replace(HTM, src_bits=src_bits, src_id=0x15 if src_bits else 0)
    program, beats = scenario_run("linear", config)
    source = [0x15, 0] if src_bits else []
    chunks = list(Encoder(config).run(beats).packed)
    for head in ([58, *source], [27, *source, 8]):
        data = chunks[0] + groups(head, size - len(head)) + b"".join(chunks[1:])
        assert check(NtraceCapture(config, program, data, beats, exact=False), VENDOR).passed, head
    standard = chunks[0] + groups([27, *source, 1], size - 2 - len(source)) + b"".join(chunks[1:])
    failed = check(NtraceCapture(config, program, standard, beats, exact=False), VENDOR).book.failed
    assert "NT-18" in failed and ("NT.3.max_message" in failed) == (size > 64)


def test_bound_of_the_decoder() -> None:
    """Memory is bounded whatever the bytes are; what is after the end of the message is read."""
    sync = pack(scenario_sync())
    for size in (MAX_CUSTOM + 1, 300_000):
        messages, damages = unpack(groups([60], size - 1) + sync, HTM)
        assert [m.name for m in messages] == ["ProgTraceSync"]
        assert [(d.length, d.clause) for d in damages] == [(size, "NT.3.max_message")] and str(MAX_CUSTOM) in damages[
            0
        ].reason


def scenario_sync() -> Message:
    """The first message of a trace."""
    return Encoder(HTM).run(scenario_run("linear", HTM)[1]).messages[0]
