# SPDX-License-Identifier: Apache-2.0
"""Packets to bytes: headers, timestamps, runs of zeros and blocks, byte by byte from the payload chapter and the
profile.
"""

from typing import Any

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.deframe import deframe
from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from tests.etrace.encoder_stream import encode
from tests.ntrace.encoder_stream import OFF, linear, row


def carried(*payloads: str, starts: tuple[int, ...] = (), **config: Any) -> str:
    """The transported bytes of some payloads in hex; the n-th has the time 0x1230 + n."""
    chunks = [bytes.fromhex(p) for p in payloads]
    times = [0x1230 + n for n in range(len(chunks))]
    return encapsulate(chunks, [n in starts for n in range(len(chunks))], times, Config.from_dict(config)).hex(" ")


def test_messaging() -> None:
    assert carried("1f", "73 00 04") == "01 1f 03 73 00 04"
    assert carried("1f", flow=2) == "41 1f"
    assert carried("1f", index_width=8) == "01 00 1f"
    assert carried("1f", index_width=16, flow=3) == "61 00 00 1f"
    assert carried("1f", "02", timestamp=1) == "81 30 12 1f 81 31 12 02"
    assert carried("1f", timestamp=1, index_width=8, flow=1) == "a1 00 30 12 1f"
    assert carried("aa" * 31)[:5] == "1f aa"


def test_atb() -> None:
    """Whole words of 4 bytes: 1 + 1, 1 + 3 and 1 + 4 bytes. flow and index have no place."""
    atb: dict[str, Any] = {"encapsulation": "atb"}
    assert carried("1f", "73 00 04", "11 22 33 44", **atb) == "01 1f 00 00 03 73 00 04 04 11 22 33 44 00 00 00"
    assert carried("1f", timestamp=1, flow=3, index_width=16, **atb) == "21 30 12 1f"


def test_zeros() -> None:
    """32 of them before a packet 3.0, and nowhere else."""
    zeros = " ".join(["00"] * 32)
    assert carried("1f", "73 04", "02", starts=(1,), framing="zeros") == f"01 1f {zeros} 02 73 04 01 02"
    assert (
        carried("1f", "73 04", starts=(1,), framing="zeros", encapsulation="atb") == f"01 1f 00 00 {zeros} 02 73 04 00"
    )


def test_blocks() -> None:
    """64 bytes: two packets of 32 fill a block, one of 31 and one of 33 do not; a third that does not fit starts the
    next.
    """
    blocks = {"framing": "blocks", "block_bytes": 64}
    long = "11" * 31
    data = bytes.fromhex(carried(long, long, "02", **blocks))
    assert len(data) == 66 and data[64:] == bytes.fromhex("01 02")
    data = bytes.fromhex(carried(long, "11" * 29, long, "02", **blocks))
    assert data[62:66] == bytes([0, 0, 31, 0x11]) and len(data) == 64 + 32 + 2
    data = bytes.fromhex(carried(long, "11" * 25, long, encapsulation="atb", **blocks))
    assert data[58:65] == bytes(6) + bytes([31]) and len(data) == 64 + 32


def test_trace() -> None:
    """`EncodedTrace.data`: support 1f, the 3.0 of the published vector, format 3.3 with ended_ntr (11 at bits 6 and 7:
    cf, sign-extended by 00).
    """
    trace = encode([row(linear(0x1000, 2)), row(levels=OFF)], framing="zeros", privilege_width_p=2)
    support = trace.payloads[2]
    assert trace.payloads[1].hex() == "73000000000004"
    assert int.from_bytes(support, "little") == 0b11_0_1_11_11  # qual_status, encoder_mode, ienable, subformat, format
    assert trace.data == b"\x01\x1f" + bytes(32) + b"\x07" + trace.payloads[1] + bytes([len(support)]) + support


def test_other_example_transports() -> None:
    """What a user can describe: the length of a whole packet, an index that counts packets, other runs of zeros."""
    whole: dict[str, Any] = {
        "length_of": "packet",
        "index_width": 8,
        "index_of": "packets",
        "framing": "zeros",
        "zero_run": 40,
    }
    data = carried("1f", "73 04", "02", zero_every=2, **whole)
    zeros = " ".join(["00"] * 40)
    assert data == f"{zeros} 03 00 1f 04 01 73 04 {zeros} 03 02 02"
    assert carried("1f", "73 04", starts=(1,), **whole) == f"03 00 1f {zeros} 04 01 73 04"
    config = Config.from_dict(whole | {"zero_every": 2})
    assert deframe(bytes.fromhex(data), config)[0] == [b"\x1f", b"\x73\x04", b"\x02"]
    joined = deframe(bytes.fromhex(data)[41:], config, joined=True)
    assert joined == ([b"\x02"], [46], [])
