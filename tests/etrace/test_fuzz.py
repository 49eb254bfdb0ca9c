# SPDX-License-Identifier: Apache-2.0
"""Hostile bytes: no exception, no hang, no unbounded memory, and every result holds together."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.decode import decode, decode_bytes
from tests.common.long import some
from tests.etrace.fuzz import CONFIGS, LIMIT, check, fuzz, good_payloads, program
from tests.etrace.packet_writer import PacketWriter

MEGABYTES = 200  # by which the process may grow

configs = st.sampled_from(CONFIGS)


@pytest.mark.parametrize("config", CONFIGS, ids=range(len(CONFIGS)))
def test_what_the_fuzzer_damages_is_good(config: Config) -> None:
    trace = decode(good_payloads(config), program(config.xlen), config)
    assert trace.diagnostics == [] and len(trace) > 150
    check(trace, config, len(good_payloads(config)))


@settings(max_examples=300, deadline=None)
@given(configs, st.lists(st.binary(max_size=33), max_size=20))
def test_any_payloads(config: Config, payloads: list[bytes]) -> None:
    check(decode(payloads, program(config.xlen), config, LIMIT), config, len(payloads))


@settings(max_examples=200, deadline=None)
@given(configs, st.binary(max_size=300), st.booleans())
def test_any_bytes(config: Config, data: bytes, joined: bool) -> None:
    check(decode_bytes(data, program(config.xlen), config, LIMIT, joined), config)


@settings(max_examples=300, deadline=None)
@given(configs, st.data())
def test_any_change_of_a_good_trace(config: Config, data: st.DataObject) -> None:
    """One payload changed, left out or sent twice: decoding is good again from a later sync on."""
    good = list(good_payloads(config))
    place = data.draw(st.integers(0, len(good) // 4))
    good[place : place + 1] = data.draw(
        st.sampled_from([[], [good[place]] * 2, [data.draw(st.binary(min_size=1, max_size=31))]])
    )
    trace = decode(good, program(config.xlen), config, LIMIT)
    check(trace, config, len(good))
    if not trace.complete:
        return
    whole = decode(good_payloads(config), program(config.xlen), config)
    half = len(whole) // 2  # the trace is eight times the same
    assert trace.options[-1] != config.ioptions or trace.pcs[-half // 2 :].tolist() == whole.pcs[-half // 2 :].tolist()


@pytest.mark.parametrize("config", CONFIGS[::3], ids=range(len(CONFIGS[::3])))
def test_every_byte_of_a_good_trace_damaged(config: Config) -> None:
    good = good_payloads(config)[:40]
    for place, payload in enumerate(good):
        for at in range(len(payload)):
            for value in (0x00, 0xFF, payload[at] ^ 1):
                bad = [*good[:place], payload[:at] + bytes([value]) + payload[at + 1 :], *good[place + 1 :]]
                check(decode(bad, program(config.xlen), config, LIMIT), config, len(bad))


def test_a_few_bytes_that_encode_much() -> None:
    """Counts of billions in loops that never repeat exactly cost what they encode, and no more than the limit."""
    config = CONFIGS[1]
    w = PacketWriter(program(config.xlen), **{k: v for k, v in config.to_dict().items() if k != "ip"})
    for _ in range(200):
        w.start(0x1006).at(0x100A, "T").count((1 << 32) + 30, fails=True)
    trace = decode(w.payloads, program(config.xlen), config, LIMIT)
    assert [d.clause for d in trace.diagnostics] == ["ET.bt.bounds"] and not trace.complete
    assert len(trace) <= LIMIT


@pytest.mark.parametrize("seed", some(range(5), 2))
def test_two_million_bytes(seed: int) -> None:
    """One of five shares of 400,000, a few seconds each."""
    met = fuzz(seed, 400_000)
    assert met["bytes"] >= 400_000 and met["megabytes"] < MEGABYTES
    assert len([clause for clause in met if clause.startswith("ET")]) > 15  # it reached most of the decoder
