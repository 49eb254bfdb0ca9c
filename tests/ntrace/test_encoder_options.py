# SPDX-License-Identifier: Apache-2.0
"""Every option of the encoder model at random: it never fails, and its messages keep the rules of the specification."""

from collections.abc import Iterator
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from rvtrace.models.common.filters import FilterSettings
from rvtrace.models.ntrace.codec import unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import CLAUSES, EncodedTrace, Encoder
from rvtrace.models.ntrace.table import Message
from rvtrace.models.riscv.beats import Beats
from tests.common.there import there
from tests.ntrace.encoder_random import beats_of, config_of

seeds = st.integers(0, 1 << 48)


def followers(messages: list[Message]) -> Iterator[tuple[Message, Message]]:
    """Each message of the trace itself with the one after it."""
    own = [m for m in messages if m.type.section != "6.1"]
    return zip(own, own[1:])


def check_rules(trace: EncodedTrace, config: Config) -> None:
    """What holds for every stream of messages."""
    assert len(trace.messages) == len(trace.reasons) == len(trace.beat)
    assert trace.beat == sorted(trace.beat) and set(trace.reasons) <= set(CLAUSES)
    messages, damage = unpack(trace.data, config)
    assert not damage and len(messages) == len(trace.messages)
    assert all(read.same(made) for read, made in zip(messages, trace.messages))
    assert all((m.tstamp is not None) == config.timestamp for m in messages)
    for message, after in zip(messages, messages[1:]):
        assert message.name != "Error" or after.type.has_sync  # NT-14, vendor-defined ones included
    most = (1 << config.repeat_bits) - 1
    for message, after in followers(messages):
        if after.name == "RepeatBranch":
            assert config.repeat_branch and 0 < after.body[0] <= most
            assert message.name in ("DirectBranch", "IndirectBranch", "IndirectBranchHist")
            assert message.get("uaddr", 0) == 0
        if after.get("rcode") == 2:
            assert config.repeated_history and 1 < there(after.get("hrepeat")) <= most
        if message.type.has_sync and config.ownership:
            assert after.name == "Ownership" and after.body[0] & 3 == (3 if config.hcontext else 2)
        if after.name == "Ownership":
            assert config.ownership and (config.hcontext or after.body[0] & 3 != 3)


@settings(max_examples=120, deadline=None)
@given(seeds, st.booleans())
def test_rules(seed: int, lossy: bool) -> None:
    rng = Random(f"{seed}:encoder_rules")
    config = config_of(rng)
    beats = beats_of(rng, config, 120, lossy)
    trace = Encoder(config).run(beats)
    check_rules(trace, config)
    assert not beats.drop[trace.beat].any()
    if not lossy:
        check_totals(trace, config, beats)


def check_totals(trace: EncodedTrace, config: Config, beats: Beats) -> None:
    """I-CNT adds up to the half-words traced, HIST to the branches; addresses are those of blocks at that count."""
    qualified, _ = FilterSettings.parse(config.filter, config.xlen).qualify(beats)
    traced = qualified & ((beats.enable & beats.inst_tracing == 1) & (beats.halted | beats.low_power == 0))[:, None]
    starts: dict[int, set[int]] = {}  # half-words before a block -> its address; traps share a place
    place, outcomes = 0, ""
    jump_7 = config.variant == "rc7" and config.all_jumps
    for itype, iaddr, iretire in zip(*(c[traced].tolist() for c in (beats.itype, beats.iaddr, beats.iretire))):
        starts.setdefault(place, set()).add(iaddr)
        place += iretire
        outcomes += "1" if itype == 5 or (itype == 7 and jump_7) else "0" if itype == 4 else ""
    count, hist, direct, ref, branch = 0, "", 0, 0, None
    for message in trace.messages:
        repeats = message.get("bcnt", 1)
        reported = there(branch) if message.name == "RepeatBranch" else message
        rdata = reported.get("rdata") if reported.name == "ResourceFull" else None
        half_words = rdata if reported.get("rcode") == 0 else reported.get("icnt", 0)
        directions = f"{rdata if reported.get('rcode') in (1, 2) else reported.get('hist', 1):b}"[1:]
        hist += directions * repeats * reported.get("hrepeat", 1)
        direct += reported.name.startswith("DirectBranch") * repeats
        ref = reported.get("faddr", ref) ^ reported.get("uaddr", 0)
        for _ in range(repeats):
            count += there(half_words)
            assert ref << 1 in starts.get(count, ()) or not {"faddr", "uaddr"} & set(reported.type.keys)
        branch = branch if message.type.section == "6.1" else message
    assert count == place
    assert (hist, direct) == ((outcomes, 0) if config.mode == "htm" else ("", outcomes.count("1")))
