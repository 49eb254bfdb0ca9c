# SPDX-License-Identifier: Apache-2.0
"""The legal check turns red under the right clause: one message of a good stream is changed at a time."""

from collections.abc import Callable

import pytest

from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message, message
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.legal import Tolerances
from tests.ntrace.checked_scenarios import check, scenario_run

Change = Callable[[list[Message]], None]


def failed(name: str, config: Config, change: Change, given: bool = False, **capture) -> set[str]:
    """Clauses that fail when the model's messages for a scenario are changed; exact is not asked."""
    program, beats = scenario_run(name, config)
    messages = list(Encoder(config).run(beats).messages)
    change(messages)
    data = b"".join(pack(m) for m in messages)
    verdict = check(NtraceCapture(config, program, data, beats, exact=False, **capture))
    assert verdict.encoded is None
    return set(verdict.book.failed)


def set_field(messages: list[Message], kind: str, key: str, value: int, which: int = 0) -> None:
    """Change one field of the which-th message of a type."""
    index = [i for i, m in enumerate(messages) if m.name == kind][which]
    messages[index] = messages[index].replaced(**{key: value})


HTM, BTM = Config(), Config(mode="btm")
SMALL = Config(icnt_bits=8, hist_bits=6, iretire_bits=5, blocks=2)
PERIODIC = Config(inst_sync_mode=1)
CASES = {
    "NT-11": ("trap_kinds", HTM, lambda m: set_field(m, "IndirectBranch", "btype", 1)),
    "NT-2": ("linear", HTM, lambda m: set_field(m, "ProgTraceSync", "sync", 1)),
    "NT-8": ("linear", HTM, lambda m: m.__setitem__(1, message("ProgTraceCorrelation", 4, 0, m[1].get("icnt")))),
    "NT-14": ("trace_off_on", HTM, lambda m: m.insert(2, message("Error", 0, 4))),
    "NT-20": ("sync_messages", PERIODIC, lambda m: m.__delitem__(slice(20, 24))),
    "NT.4.options": ("branches", BTM, lambda m: m.insert(3, message("RepeatBranch", 2))),
    "NT.7.2.btm_only": ("indirect_kinds", HTM, lambda m: m.insert(3, message("DirectBranch", 2))),
    "NT.7.4.codes": ("trace_off_on", HTM, lambda m: m.insert(2, message("Error", 1, 4))),
    "NT.7.5.icnt": ("linear", HTM, lambda m: set_field(m, "ProgTraceSync", "icnt", 2)),
    "NT.7.8.btm": ("icnt_full_linear", BTM, lambda m: m.insert(1, message("ResourceFull", 1, 3))),
    "NT.7.8.hist_bits": ("indirect_kinds", HTM, lambda m: m.insert(1, message("ResourceFull", 1, 1))),
    "NT.7.8.icnt": ("linear", HTM, lambda m: m.insert(1, message("ResourceFull", 0, 0))),
    "NT.7.8.rcode": ("linear", HTM, lambda m: m.insert(1, message("ResourceFull", 3, 2))),
    "NT.7.9.htm_only": ("indirect_kinds", BTM, lambda m: m.insert(3, message("IndirectBranchHist", 0, 2, 1, 3))),
    "NT.7.12.cdf": (
        "linear",
        BTM,
        lambda m: m.__setitem__(1, message("ProgTraceCorrelation", 4, 1, m[1].get("icnt"), 1)),
    ),
    "NT.7.12.evcode": ("linear", HTM, lambda m: set_field(m, "ProgTraceCorrelation", "evcode", 9)),
    "NT.7.12.stop": ("trace_off_on", HTM, lambda m: m.__delitem__(1)),
    "NT.8.1.xlen": ("far_addresses", Config(xlen=32), lambda m: set_field(m, "ProgTraceSync", "faddr", 1 << 33)),
    "NT.8.3.stop_bit": ("linear", HTM, lambda m: set_field(m, "ProgTraceCorrelation", "hist", 0)),
    "NT.8.4.4.sync4": (
        "sync_half_words",
        Config(inst_sync_mode=3),
        lambda m: set_field(m, "IndirectBranchHistSync", "sync", 4),
    ),
    "NT.8.5.codes": ("linear", HTM, lambda m: set_field(m, "ProgTraceSync", "sync", 8)),
    "NT.8.5.first": ("indirect_kinds", HTM, lambda m: m.__delitem__(0)),
    "NT.8.5.periodic_off": ("linear", HTM, lambda m: set_field(m, "ProgTraceSync", "sync", 2)),
    "NT.8.5.start_message": (
        "trace_off_on",
        BTM,
        lambda m: m.__setitem__(2, message("DirectBranchSync", 5, 0, m[2].get("faddr"))),
    ),
    "NT.8.5.sync7": ("trace_off_on", HTM, lambda m: set_field(m, "ProgTraceSync", "sync", 7, 1)),
    "NT.10.restart": ("trace_off_on", HTM, lambda m: m.__delitem__(2)),
}


@pytest.mark.parametrize("clause", CASES)
def test_red_under_its_clause(clause: str) -> None:
    name, config, change = CASES[clause]
    assert failed(name, config, lambda messages: None) == set()
    assert clause in failed(name, config, change)


@pytest.mark.parametrize(("clause", "raw"), [
    ("NT-18", bytes([0x6C]) + bytes(40) + b"\x07"), ("NT.6.1.tcode", b"\x04\x07"), ("NT.3.1.mseo", b"\x0c\x02\x03"),
    ("NT.3.1.end", b"\x0c"), ("NT.3.max_message", bytes(100) + b"\x03"),
    ("NT.6.2.max_field", b"\x20" + b"\x00\xfc" * 3 + b"\xff"),
])  # fmt: skip
def test_bytes_that_are_no_message(clause: str, raw: bytes) -> None:
    program, beats = scenario_run("linear", HTM)
    data = Encoder(HTM).run(beats).data + raw
    assert clause in check(NtraceCapture(HTM, program, data, beats, exact=False)).book.failed


def test_address_with_zeroes() -> None:
    program, beats = scenario_run("same_target", HTM)
    encoded = Encoder(HTM).run(beats)
    chunks = list(encoded.packed)
    index = next(i for i, m in enumerate(encoded.messages) if m.name == "IndirectBranch")
    chunks[index] = chunks[index][:-1] + bytes([chunks[index][-1] & 0xFC, 0x03])
    book = check(NtraceCapture(HTM, program, b"".join(chunks), beats, exact=False)).book
    assert book.failed == ["NT.8.1.suppressed"]


@pytest.mark.parametrize(("problem", "clause"), [
    ("empty_o does not become 1 in 1000 cycles after the last block", "NT.4.empty"),
    ("cycle 7: out_nbytes_o=3 out_data_o=1 changed before out_ready_i", "NT.2.port"),
    ("cycle 7: out_valid_o=x empty_o=0, an output is X", "NT.2.port"),
])  # fmt: skip
def test_problems_of_the_monitors(problem: str, clause: str) -> None:
    assert failed("linear", HTM, lambda messages: None, problems=[problem]) == {clause}


@pytest.mark.parametrize(("mode", "units"), [(2, 64), (3, 64)])
def test_periodic_sync_of_another_interval(mode: int, units: int) -> None:
    """A device that keeps twice or half the interval, in cycles and half-words; a wide tolerance lets it pass."""
    program, beats = scenario_run("sync_half_words", Config(inst_sync_mode=mode, inst_sync_max=2))
    for other, tolerances in ((3, Tolerances(sync_late=200)), (1, Tolerances(sync_early=200))):
        data = Encoder(Config(inst_sync_mode=mode, inst_sync_max=other)).run(beats).data
        capture = NtraceCapture(Config(inst_sync_mode=mode, inst_sync_max=2), program, data, beats, exact=False)
        assert "NT-20" in check(capture).book.failed
        assert check(capture, tolerances).passed
