# SPDX-License-Identifier: Apache-2.0
"""What a person sees of a trace: instructions with symbols, names of registers and CSRs, forms, requests, and damage in
its place.
"""

from rvtrace.models.riscv.program import Program
from rvtrace.models.tandem import table
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.decoder.listing import key_name, listing
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.table import STATE_KEY
from rvtrace.models.tandem.trace_data import Rows, TraceData

PROGRAM = Program(64, [(0x1000, bytes.fromhex("93854500 9307f0ff"))], {"main": 0x1000})
ROWS = [
    TraceData(reset=True, pc=0x1000, priv=3, gpr=(11, 8)),
    TraceData(pc=0x1004, insn=(4, 0x00458593), gpr=(11, 12)),
    TraceData(pc=0x1008, insn=(4, 0xFFF00793), gpr=(15, (1 << 64) - 1), fpr=(8, 5), memdata=(2, 7)),
    TraceData(group=False, csr=((0x344, 0x80),)),
    TraceData(pc=0x2000, csr=((0x341, 0x1008), (0x7C0, 1)), priv=3),
    TraceData(init=True, request=(1, 3, 0x80, 0x55), response=(0, 0)),
    TraceData(request=(0, 2, 0x80, 0), response=(1, 0)),
]


def lines(data: bytes, config: Config, **options: int) -> list[str]:
    return [" ".join(line.split()) for line in listing(decode(data, config), data, config, PROGRAM, **options)]


def test_listing() -> None:
    """Line by line."""
    config = Config(incremental=2)
    encoded = encode(Rows.from_rows(ROWS), config)
    at = [f"{int(start):#08x}" for start in encoded.starts]
    assert lines(encoded.data, config) == [
        f"{at[0]} group 0 hart reset",
        "pc 0x1000 <main>",
        "a1 (x11) 0x8",
        "privilege M",
        f"{at[1]} group 1 0x1000 <main>: addi a1, a1, 4",
        "pc 0x1004 <main+0x4> +4",
        "a1 (x11) 0xc |0x4",
        f"{at[2]} group 2 0x1004 <main+0x4>: addi a5, zero, -1",
        "pc 0x1008 +4",
        "a5 (x15) 0xffffffffffffffff",
        "fs0 (f8) 0x5",
        "store data (32 bits) 0x7",
        f"{at[3]} outside groups",
        "mip 0x80",
        f"{at[4]} group 3 no instruction, at 0x1008",
        "pc 0x2000",
        "mepc 0x1008",
        "csr 0x7c0 0x1",
        "privilege M",
        f"{at[5]} group 4 state initialization",
        "store 64 bits at 0x80 <- 0x55: success",
        f"{at[6]} group 5 no instruction, at 0x2000",
        "load 32 bits at 0x80: failure",
    ]


def test_damage_in_its_place() -> None:
    """A diagnostic comes after the section in which it was found; what is cut off is cut off."""
    config = Config()
    good = encode(Rows.from_rows(ROWS[:2]), config).data
    shown = lines(good[:-1] + b"\xff" + good, config)
    marked = [k for k, line in enumerate(shown) if line.startswith("!!")]
    assert len(marked) == 1 and shown[marked[0]].endswith("[unknown_opcode]; 1 bytes skipped")
    assert shown[marked[0] + 1].endswith("group 2 hart reset") and any(
        line.endswith("(broken)") for line in shown[: marked[0]]
    )
    assert len(lines(good, config, first=0, last=1)) == 4
    wrong = lines(bytes.fromhex("01 10 13 00 02"), config)
    assert (
        "pc unknown: " in wrong[0] and wrong[0].endswith("(sent with 16 bits)") and "[instruction_length]" in wrong[1]
    )


def test_names() -> None:
    """Registers of all kinds."""
    assert [key_name(key) for key in (0x1000, 0x101F, 0x1020, 0x103F, 0x300, 3, 0xB00)] == [
        "zero (x0)", "t6 (x31)", "ft0 (f0)", "ft11 (f31)", "mstatus", "fcsr", "mcycle"
    ]  # fmt: skip
    assert key_name(0xB80, 32) == "mcycleh" and key_name(STATE_KEY + table.PPC) == "physical pc"
