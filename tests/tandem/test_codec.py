# SPDX-License-Identifier: Apache-2.0
"""The encoder model against its profile, read row by row; single items packed and unpacked."""

import numpy as np
import pytest

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.items import ItemError, Request, Response, State, items, pack, unpack
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData, illegal
from tests.tandem.profile_words import expected_items
from tests.tandem.rows import CONFIGS, random_rows


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_random_rows(config: Config) -> None:
    """Every byte of every row is the one that the profile's words give."""
    rows = random_rows(f"codec:{config}", 600, config, contradictions=True)
    encoded = encode(Rows.from_rows(rows), config)
    expected = expected_items(rows, config)
    for k, row_items in enumerate(expected):
        assert encoded.of(k) == pack(row_items, config), f"row {k}: {rows[k]}"
    assert b"".join(encoded.of(k) for k in range(len(rows))) == encoded.data
    assert encoded.errors.tolist() == [
        not items and bool(wrong) for items, wrong in zip(expected, illegal(Rows.from_rows(rows)).tolist())
    ]


@pytest.mark.parametrize("config", CONFIGS[:5], ids=str)
def test_items_come_back(config: Config) -> None:
    """Unpacking gives the items that were packed, each at its offset."""
    given = [item for row in expected_items(random_rows("items", 200, config), config) for item in row]
    data = pack(given, config)
    found = list(items(data, config))
    assert [item for _, item in found] == given
    ends = [offset for offset, _ in found[1:]] + [len(data)]
    answers = {k for k, item in enumerate(given) if isinstance(item, Response)}  # packed with their requests
    for k, ((offset, item), end) in enumerate(zip(found, ends)):
        assert k in answers or data[offset:end] == pack([item], config)


def test_rows_come_back() -> None:
    """Columns hold what the records said; lanes and cycles change nothing of it."""
    rows = random_rows("records", 100, Config())
    columns = Rows.from_rows(rows)
    assert list(columns) == rows
    assert columns.differs(columns.in_lanes(2)) is None and columns.in_lanes(2).cycle.tolist()[:4] == [0, 0, 1, 1]
    other = columns.select(np.arange(len(rows)))
    other.gpr[40] ^= 1
    assert other.differs(columns) == (40, "gpr")


def test_reset_forgets() -> None:
    """After a reset pc and registers are reported in full again, the reset's own pc by identifier 10."""
    config = Config(incremental=2)
    row = TraceData(pc=4, insn=(4, 0x13), gpr=(5, 1))
    rows = [
        TraceData(reset=True, pc=0),
        row,
        row._replace(pc=8),
        TraceData(reset=True, pc=12, gpr=(5, 1)),
        row._replace(pc=16),
    ]
    lengths = [len(encode(Rows.from_rows(rows), config).of(k)) for k in range(5)]
    assert lengths == [1 + 1 + 10 + 1, 1 + 1 + 5 + 11 + 1, 1 + 1 + 5 + 4 + 1, 1 + 1 + 10 + 11 + 1, 1 + 1 + 5 + 4 + 1]


@pytest.mark.parametrize("xlen", [32, 64])
def test_edges_of_incremental_forms(xlen: int) -> None:
    """The last value that each form holds, and the first that it does not."""
    config, top = Config(xlen=xlen, incremental=2), (1 << xlen) - 1
    forms = {
        (0, 0xFF): b"\x06\x05\x10\xff",
        (0, 0x100): b"\x04",
        (1, 0): b"\x05\x05\x10\xff",
        (0x100, 0x17F): b"\x06\x05\x10\x7f",
        (0x101, 0x180): b"\x05\x05\x10\x7f",
        (0x101, 0x181): b"\x06\x05\x10\x80",
        (0x101, 0x182): b"\x04",
        (0x180, 0x100): b"\x05\x05\x10\x80",
        (0x180, 0xFF): b"\x04",
        (top, 0): b"\x05\x05\x10\x01",
        (5, top): b"\x05\x05\x10\xfa",
        (0, top): b"\x05\x05\x10\xff",
        (1, top): b"\x05\x05\x10\xfe",
        (7, 7): b"\x06\x05\x10\x00",
        (top - 1, 126): b"\x04",
        (top, 126): b"\x05\x05\x10\x7f",
        (0, top - 127): b"\x05\x05\x10\x80",
        (0, top - 128): b"\x04",
    }
    for (old, new), form in forms.items():
        encoded = encode(Rows.from_rows([TraceData(gpr=(5, old)), TraceData(gpr=(5, new))]), config)
        assert encoded.of(1).startswith(b"\x01" + form), (old, new)
        assert len(encoded.of(1)) == (6 if form[0] != 4 else 5 + xlen // 8)


def test_implied_end() -> None:
    """An end is there before what is outside groups and at a flush, once, and nowhere else."""
    config = Config(implied_end=1)
    group, outside, nothing = TraceData(insn=(2, 1)), TraceData(group=False, mtime=2), TraceData(gpr=(0, 7))
    rows = [group, group, outside, outside, FLUSH, group, nothing, FLUSH, FLUSH, group]
    made = [encode(Rows.from_rows(rows), config).of(k) for k in range(len(rows))]
    begin, reported = b"\x01\x10\x01\x00", bytes.fromhex("07 08 02 00 00 00 00 00 00 00")
    assert made == [begin, begin, b"\x02" + reported, reported, b"", begin, b"", b"\x02", b"", begin]


def test_wrong_items() -> None:
    """Items that no trace has are refused in a sentence."""
    config = Config()
    with pytest.raises(ItemError, match="does not follow its request"):
        pack([Response(2)], config)
    with pytest.raises(ItemError, match="does not fit"):
        pack([Request(1 << 64, 1, 0)], config)
    with pytest.raises(ItemError, match="nothing that has a width"):
        pack([State(11, 0)], config)
    for data, why in (
        (b"\x0c", "opcode 12"),
        (b"\x07\x0b", "does not exist"),
        (b"\x04\x40\x10", "does not exist"),
        (b"\x11\x00", "end within"),
        (b"", "end at"),
    ):
        with pytest.raises(ItemError, match=why):
            unpack(data, 0, config)
    with pytest.raises(ItemError, match="does not exist"):
        unpack(b"\x08" + bytes(8) + b"\x0e", 0, config)


def test_longest_row() -> None:
    """Everything at once fits what the profile says."""
    everything = TraceData(
        pc=8,
        ppc=8,
        insn=(4, 3),
        gpr=(1, 1),
        fpr=(1, 1),
        csr=((0x341, 0),) * 4,
        fcsr=1,
        priv=3,
        paddr=1,
        eaddr=1,
        memdata=(3, 1),
        mtime=1,
        mcycle=1,
        minstret=1,
        request=(4, 3, 0, 0),
        response=(0, 0),
    )
    rows = Rows.from_rows([TraceData(insn=(2, 1)), everything])
    assert max(len(encode(rows, config).of(1)) for config in CONFIGS) == 197
