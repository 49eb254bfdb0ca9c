# SPDX-License-Identifier: Apache-2.0
"""The decoder on good traces: everything reported comes back, whatever the encoder chose and however the bytes are
cut.
"""

import random

import numpy as np
import pytest

from rvtrace.models.riscv import recording
from rvtrace.models.tandem import table
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import Decoder, decode
from rvtrace.models.tandem.decoder.decoded import PC_KEY, Decoded
from rvtrace.models.tandem.encoder import items as it
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.from_retired import from_recording
from rvtrace.models.tandem.encoder.items import pack
from rvtrace.models.tandem.table import HAS, STATE_KEY
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData
from tests.common.there import there
from tests.tandem.profile_words import expected_items
from tests.tandem.rows import CONFIGS, random_rows


def encoded_by(row: TraceData, items: list[it.Item], config: Config) -> dict[int, int]:
    """Shadow state that a row changes, from the row itself; `items` says which parts were sent."""
    mask = (1 << config.xlen) - 1
    sent = {i.address for i in items if isinstance(i, (it.Register, it.AddRegister, it.OrRegister))}
    out = {STATE_KEY + i.id: i.data for i in items if isinstance(i, it.State)}
    if any(isinstance(i, it.IncrementPc) for i in items):
        out[PC_KEY] = there(row.pc)
    values = (
        dict(row.csr)
        | ({table.GPR_BASE + row.gpr[0]: row.gpr[1]} if row.gpr else {})
        | ({table.FPR_BASE + row.fpr[0]: row.fpr[1]} if row.fpr else {})
    )
    if row.fcsr is not None and config.traces("fcsr"):
        values.setdefault(table.FCSR, row.fcsr)
    for name, low in (("mcycle", 0xB00), ("minstret", 0xB02)):
        if (value := getattr(row, name)) is not None and config.traces(name):
            values |= {low: value & mask, low + 0x80: value >> 32} if config.xlen == 32 else {low: value}
    return out | {key: value for key, value in values.items() if key in sent}


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_lossless(config: Config) -> None:
    """Every group gives its instruction, pc, and in full what its row changed."""
    rows = [*random_rows(f"lossless:{config}", 500, config), FLUSH]
    expected = expected_items(rows, config)
    decoded = decode(encode(Rows.from_rows(rows), config).data, config)
    # a random CSR may be fcsr or a counter as well
    assert {found.name for found in decoded.diagnostics} <= {"repeated_state"}
    groups, pc, seen = iter(group for group in decoded.groups() if not group.outside), None, 0
    for row, items in zip(rows, expected):
        if it.Begin() in items:
            group, seen = next(groups), seen + 1
            reported = encoded_by(row, items, config)
            assert group.number == seen - 1 and dict(group.changes) == reported
            assert group.pc == (None if group.reset and pc is None else pc) and (group.reset, group.init) == (
                row.reset,
                row.init,
            )
            assert (group.size, group.insn) == (row.insn if row.insn and config.traces("insn") else (0, 0))
            assert [request[:3] for request in group.memory] == [
                (i.op, i.size, i.address) for i in items if isinstance(i, it.Request)
            ]
        if row.reset and items:
            pc = None
        if row.pc is not None and config.traces("pc") and items:
            pc = row.pc
    assert next(groups, None) is None
    assert decoded.items == sum(len(items) - sum(isinstance(i, it.Response) for i in items) for items in expected)


@pytest.mark.parametrize("config", CONFIGS[:4], ids=str)
def test_however_it_is_cut(config: Config) -> None:
    """Parts of any size give the sections and diagnostics of the whole."""
    data = encode(Rows.from_rows(random_rows("cut", 150, config, contradictions=True)), config).data
    whole, rng = decode(data, config), random.Random("cut")
    for largest in (1, 3, 50, 1000):
        decoder, parts, at = Decoder(config), [], 0
        while at < len(data):
            step = rng.randint(1, largest)
            parts.append(decoder.feed(data[at : at + step]))
            at += step
        joined = Decoded.concat([*parts, decoder.finish()])
        assert list(joined.groups()) == list(whole.groups()) and joined.diagnostics == whole.diagnostics


def test_any_order_of_items() -> None:
    """The order within a group is free: incremental forms before or after the pc, the pc before the reset."""
    config = Config()
    reset = [it.Begin(), it.State(10, 0x100), it.State(1, 3), it.Reset(), it.Register(0x1005, 1), it.End()]
    group = [
        it.AddRegister(0x1005, -2),
        it.Instruction(4, 0x13),
        it.State(1, 0),
        it.IncrementPc(),
        it.Register(0x341, 7),
    ]
    rng = random.Random("order")
    for _ in range(20):
        rng.shuffle(group)
        decoded = decode(pack([*reset, it.Begin(), *group, it.End()], config), config)
        assert not decoded.diagnostics and decoded.group(1).pc == 0x100
        assert dict(decoded.group(1).changes) == {0x1005: (1 << 64) - 1, PC_KEY: 0x104, STATE_KEY + 1: 0, 0x341: 7}


def test_memory() -> None:
    """Requests with and without data, answered or not, in a group and outside."""
    config = Config(xlen=32, mlen=34)
    requests = [
        it.Request(0x3_0000_0000, table.LOAD, 2),
        it.Response(2, 0, 5),
        it.Request(8, table.STORE, 3, 1 << 63),
        it.Response(3),
        it.Request(8, table.SC, 0, 1),
        it.Response(0, 1),
        it.Request(0, table.FETCH, 1),
        it.Request(4, 12, 2, 9),
        it.Response(2, 0, 3),
    ]
    decoded = decode(pack([it.Begin(), *requests, it.End(), *requests[:2]], config), config)
    assert not decoded.diagnostics
    memory = decoded.group(0).memory
    assert memory == [
        (0, 2, 0x3_0000_0000, None, 0, 5),
        (1, 3, 8, 1 << 63, 0, None),
        (3, 0, 8, 1, 1, None),
        (13, 1, 0, None, None, None),
        (12, 2, 4, 9, 0, 3),
    ]
    assert decoded.group(1).outside and decoded.group(1).memory == memory[:1]


@pytest.mark.parametrize(("name", "xlen"), [("traps", 32), ("traps", 64), ("crc", 64)])
def test_real_program(name: str, xlen: int) -> None:
    """A recorded run: pcs, instructions and registers are those of the recording."""
    run, config = recording.load(name, xlen), Config(xlen=xlen, flen=0, incremental=2, implied_end=1)
    rows = from_recording(run)
    data = encode(rows, config).data
    decoded = decode(data, config)
    assert not decoded.diagnostics
    program = np.flatnonzero((rows.have("group")) & ~rows.have("init") & ~rows.have("reset"))
    mine = np.flatnonzero((decoded.kind == 0) & ~decoded.init & ~decoded.reset)
    assert np.array_equal(decoded.pc[mine], run.retired.pc)
    assert np.array_equal(decoded.insn[mine], rows.insn[program]) and np.array_equal(
        decoded.next_pc[mine], rows.pc[program]
    )
    written = (rows.has & HAS["gpr"] > 0) & ~rows.have("init")
    gprs = (decoded.change_key >= 0x1000) & (decoded.change_key < 0x1020)
    assert np.array_equal(decoded.change_value[gprs][31:], rows.gpr[written])
