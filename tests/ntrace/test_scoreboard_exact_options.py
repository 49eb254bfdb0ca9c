# SPDX-License-Identifier: Apache-2.0
"""The exact check of the options: the first difference belongs to the clause of its rule or field."""

import pytest

from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import plan
from rvtrace.scoreboards.ntrace.exact import check_exact
from tests.common.there import there
from tests.ntrace.checked_scenarios import Change, insert, place, scenario_run, set_at, small, timed

OWN = Config(ownership=1, hcontext=1)
TIME = Config(timestamp=1)
FAR = Config(extend_addr_msb=1)


def judge(program: Program, beats: Beats, config: Config, data: bytes) -> Failure:
    book = ClauseBook(plan())
    check_exact(NtraceCapture(config, program, data, beats), book)
    assert len(book.failures) == 1
    return book.failures[0]


def first(name: str, config: Config, change: Change) -> Failure:
    """The failure of the exact check after a change of the model's messages."""
    program, beats = scenario_run(name, config)
    beats = timed(beats) if config.timestamp else beats
    messages = list(Encoder(config).run(beats).messages)
    change(messages)
    return judge(program, beats, config, b"".join(pack(m, config.source_bits, config.address_bits) for m in messages))


def drop(name: str, which: int = 0, **fields: int) -> Change:
    """Leave out a message."""
    return lambda m: m.__delitem__(place(m, name, which, **fields))


def change(name: str, which: int = 0, **values: int) -> Change:
    """Change fields of the which-th message of a type."""
    return lambda m: set_at(m, place(m, name, which), **values)


def later(name: str, more: int, which: int = 0) -> Change:
    """A message reports its time later."""
    return lambda m: set_at(m, place(m, name, which), tstamp=there(m[place(m, name, which)].tstamp) + more)


def absolute(messages: list[Message]) -> None:
    """A message without SYNC reports the time itself."""
    set_at(messages, 1, tstamp=there(messages[0].tstamp) + there(messages[1].tstamp))


def relative(messages: list[Message]) -> None:
    """A message with SYNC reports the difference."""
    index = place(messages, "ProgTraceSync", 1)
    times = [there(m.tstamp) for m in messages[:index]]
    set_at(messages, index, tstamp=there(messages[index].tstamp) - sum(times))


HIST_TWICE = small(repeated_history=1)
CASES: list[tuple[str, str, Config, Change]] = [
    ("NT.3.2.src", "linear", Config(src_bits=4, src_id=5), change("ProgTraceCorrelation", src=4)),
    ("NT.8.7.enabled", "linear", TIME, lambda m: m.__setitem__(1, m[1].replaced(tstamp=None))),
    ("NT.8.7.event", "linear", TIME, later("ProgTraceCorrelation", 1)),
    ("NT.8.7.event", "linear", TIME, later("ProgTraceSync", 1)),
    ("NT.8.7.absolute", "trace_off_on", TIME, relative),
    ("NT-15", "trace_off_on", TIME, absolute),
    ("NT.7.1.after_sync", "linear", OWN, drop("Ownership")),
    ("NT.7.1.trap", "trap_kinds", OWN, drop("Ownership", 2)),
    ("NT.7.1.process", "linear", OWN, change("Ownership", process=0b1_0_11_11)),
    ("NT.7.1.priv_change", "linear", OWN, lambda m: insert(m, 3, "Ownership", 0b0_11_00)),
    ("NT.7.11.repeat", "repeated_branch", Config(mode="btm", repeat_branch=1), drop("RepeatBranch")),
    ("NT.7.11.repeat", "repeated_branch", Config(mode="btm", repeat_branch=1), change("RepeatBranch", bcnt=77)),
    ("NT.7.12.low_power", "low_power", Config(), drop("ProgTraceCorrelation", evcode=1)),
    ("NT.8.5.sync9", "low_power", Config(), drop("ProgTraceSync", sync=9)),
    ("NT.8.5.sync1", "hart_reset", Config(), drop("ProgTraceSync", sync=1)),
    ("NT.8.5.sync0", "markers", Config(), drop("ProgTraceSync", sync=0)),
    ("NT.8.5.sync6", "markers", Config(), drop("ProgTraceSync", sync=6)),
    (
        "NT.6.1.vendor",
        "vendor_messages",
        Config(),
        lambda m: set_at(m, next(i for i, x in enumerate(m) if x.tcode > 55), data=77),
    ),
    ("NT.6.1.vendor", "linear", Config(), lambda m: insert(m, 1, "Vendor57", 3)),
    (
        "NT.9.3.repeated_history",
        "loop_patterns",
        HIST_TWICE,
        lambda m: set_at(m, place(m, "ResourceFull", rcode=2), hrepeat=3),
    ),
    (
        "NT.9.3.repeated_history",
        "loop_patterns",
        HIST_TWICE,
        lambda m: m.__setitem__(
            place(m, "ResourceFull", rcode=2),
            m[place(m, "ResourceFull", rcode=2)].replaced(rcode=1, rdata=0b101, hrepeat=None),
        ),
    ),
]


@pytest.mark.parametrize("case", range(len(CASES)), ids=[f"{c[0]}-{c[1]}" for c in CASES])
def test_difference_is_attributed(case: int) -> None:
    clause, name, config, change = CASES[case]
    assert first(name, config, change).clause == clause


@pytest.mark.parametrize(("clause", "name", "device", "declared"), [
    ("NT.9.2.implicit_return", "nested_calls", Config(), Config(implicit_return=3)),
    ("NT.9.2.implicit_return", "handler_starts", Config(), Config(implicit_return=1)),  # five messages before it agree
    ("NT.9.1.sequential_jump", "sequential_jumps", Config(), Config(sequential_jump=1)),
    ("NT.8.2.extend", "far_addresses", Config(), FAR), ("NT.8.2.extend", "far_addresses", FAR, Config()),
    ("NT.7.1.after_sync", "trap_kinds", Config(), OWN), ("NT.7.1.priv_change", "trap_kinds", OWN, Config()),
    ("NT.9.3.repeated_history", "loop_patterns", small(), HIST_TWICE),
    ("NT.7.11.repeat", "repeated_branch", Config(mode="btm"), Config(mode="btm", repeat_branch=1)),
])  # fmt: skip
def test_device_without_its_option(clause: str, name: str, device: Config, declared: Config) -> None:
    """A device that does not do what its option asks for, or does it unasked."""
    program, beats = scenario_run(name, declared)
    assert judge(program, beats, declared, Encoder(device).run(beats).data).clause == clause


def test_reserved_itype_is_a_taken_branch() -> None:
    config = Config(mode="btm", variant="rc7", all_jumps=1)
    program, beats = scenario_run("all_jumps", config, IType.RESERVED)
    encoded = Encoder(config).run(beats)
    del encoded.messages[encoded.reasons.index("NT.2.all_jumps")]
    assert judge(program, beats, config, b"".join(map(pack, encoded.messages))).clause == "NT.2.all_jumps"


def test_what_an_error_says_was_lost() -> None:
    config = Config(ownership=1)
    program, beats = scenario_run("overflow", config)
    beats.drop[20:40] = 1
    messages = list(Encoder(config).run(beats).messages)
    set_at(messages, place(messages, "Error"), ecode=8)
    assert judge(program, beats, config, b"".join(map(pack, messages))).clause == "NT.7.4.ecode"


@pytest.mark.parametrize(("clause", "name", "config"), [
    ("NT.8.4.4.predicted", "icnt_full_at_return", small(implicit_return=3, mode="btm", blocks=2)),
    ("NT.9.2.mode_full", "wrong_return", Config(implicit_return=3)),
    ("NT.9.2.mode_partial", "wrong_return", Config(implicit_return=2)),
    ("NT-4", "nested_calls", small(implicit_return=3, blocks=2)),
    ("NT.9.2.mode_counter", "nested_calls", small(implicit_return=1, blocks=2)),
    ("NT.9.1.sequential_jump", "sequential_jumps_alone", Config(sequential_jump=1)),
    ("NT.9.3.pattern", "loop_patterns", HIST_TWICE), ("NT.V.hrepeat", "long_loop", HIST_TWICE),
    ("NT.4.filters", "filter_addresses", Config(filter="iaddr>=0x80000014")),
])  # fmt: skip
def test_message_that_its_rule_called_for(clause: str, name: str, config: Config) -> None:
    program, beats = scenario_run(name, config)
    encoded = Encoder(config).run(beats)
    del encoded.messages[encoded.reasons.index(clause)]
    data = b"".join(pack(m, config.source_bits, config.address_bits) for m in encoded.messages)
    assert judge(program, beats, config, data).clause == clause
