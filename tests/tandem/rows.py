"""Random rows and hand-written groups for the tests of the tandem format."""

from __future__ import annotations

import random

from models.tandem import table
from models.tandem.config import Config
from models.tandem.items import AddRegister, Begin, End, IncrementPc, Init, Instruction, Item, OrRegister, Register, Request, Reset, Response, State
from models.tandem.trace_data import TraceData

CONFIGS = [
    Config(), Config(incremental=0), Config(incremental=2, implied_end=1), Config(xlen=32, flen=0), Config(xlen=32, mlen=34, flen=64, incremental=2),
    Config(xlen=32, flen=32, implied_end=1), Config(absent=("gpr", "paddr", "request", "ppc"), incremental=2),
    Config(absent=("pc", "csr", "memdata"), implied_end=1), Config(absent=("insn", "mtime", "response")), Config(response_data_on_failure=1, incremental=2),
]  # fmt: skip


def random_rows(seed: str, count: int, config: Config, contradictions: bool = False) -> list[TraceData]:
    """Rows that a port may carry: mostly in sequence, values that make all forms likely. contradictions: not legal ones as well."""
    rng = random.Random(seed)
    pc, mask = 0x8000_0000, (1 << config.xlen) - 1
    values = {n: 0 for n in range(70)}
    rows = [TraceData(reset=True, pc=pc, priv=3)]

    def value(place: int, bits: int) -> int:
        old = values[place]
        new = rng.choice([old + rng.randrange(-140, 140), old | rng.randrange(256), rng.getrandbits(bits), old, old & ~1])
        values[place] = new & (1 << bits) - 1
        return values[place]

    for _ in range(count):
        kind = rng.random()
        short = rng.random() < 0.5
        parts: dict = {"group": kind < 0.85, "reset": kind < 0.03, "init": 0.03 <= kind < 0.08}
        if 0.08 <= kind < 0.8:
            parts["insn"] = (2, rng.getrandbits(14) << 2) if short else (4, rng.getrandbits(30) << 2 | 3)
        if contradictions and rng.random() < 0.05:
            parts |= rng.choice([{"init": True}, {"reset": True}, {"group": False}, {"response": (0, 1)}, {"flush": True}])
        if kind > 0.97:
            rows.append(TraceData(group=False, flush=True))
            continue
        if rng.random() < 0.9:
            pc = (pc + (2 if short else 4) if rng.random() < 0.8 else rng.getrandbits(config.xlen)) & mask
            parts["pc"] = pc
        chosen = rng.sample(("gpr", "fpr", "fcsr", "csr", "priv", "paddr", "eaddr", "memdata", "mtime", "mcycle", "minstret", "memory", "ppc"), rng.randrange(4))
        mlen, number = config.mlen, rng.randrange(32)
        makers = {
            "gpr": lambda: {"gpr": (number, value(number, config.xlen))}, "fpr": lambda: {"fpr": (number, rng.getrandbits(config.flen))},
            "fcsr": lambda: {"fcsr": value(64, 32)}, "priv": lambda: {"priv": rng.choice((0, 1, 3))},
            "csr": lambda: {"csr": tuple((a, rng.getrandbits(config.xlen)) for a in rng.sample((1, 2, 3, 0x300, 0x341, 0xB00, 0xB02, 0xC00), rng.randrange(5)))},
            "memdata": lambda: {"memdata": (size := rng.randrange(4), rng.getrandbits(8 << size))}, "mtime": lambda: {"mtime": rng.getrandbits(64)},
            "mcycle": lambda: {"mcycle": value(65, 64)}, "minstret": lambda: {"minstret": value(66, 64)},
            "memory": lambda: {"request": (rng.randrange(14), rng.randrange(4), rng.getrandbits(mlen), rng.getrandbits(64))}
            | ({"response": (rng.randrange(2), rng.getrandbits(64))} if rng.random() < 0.6 else {}),
        }  # fmt: skip
        for name in chosen:
            if name in ("paddr", "eaddr", "ppc"):
                parts[name] = rng.getrandbits(mlen)
            elif name != "fpr" or config.flen:
                parts |= makers[name]()
        rows.append(TraceData(**parts))
    return rows


def expected_items(rows: list[TraceData], config: Config) -> list[list[Item]]:
    """The items of each row by the words of docs/tandem-profile.md, one row after the other: the reference for the encoder model."""
    told: dict[int, int] = {}
    pc, opened, out = None, False, []
    for row in rows:
        names = [name for name in row._fields if name not in ("group", "flush", "reset", "init", "csr") and getattr(row, name) is not None]
        wrong = (
            (not row.group and (row.reset or row.init or row.insn)) or (row.init and (row.insn or row.reset)) or (row.reset and row.insn)
            or (row.response and not row.request) or (row.flush and (names or row.csr or row.group or row.reset or row.init))
        )  # fmt: skip
        if wrong:
            out.append([])
            continue
        if row.flush:
            out.append([End()] if opened else [])
            opened = False
            continue
        items: list[Item] = [Reset()] * row.reset + [Init()] * row.init
        if row.reset:
            pc, told = None, {}

        def register(address: int, new: int, may: bool, told: dict[int, int] = told, items: list[Item] = items) -> None:
            old, mask = told.get(address), (1 << config.xlen) - 1
            new &= mask
            if may and old is not None and old & ~new == 0 and new & ~old < 256:
                items.append(OrRegister(address, new & ~old))
            elif may and old is not None and (new - old + 128) & mask < 256:
                items.append(AddRegister(address, (new - old + 128 & mask) - 128))
            else:
                items.append(Register(address, new))
            told[address] = new
            if address in (table.FFLAGS, table.FRM):
                told.pop(table.FCSR, None)

        def state(name: str, identifier: int, row: TraceData = row, items: list[Item] = items) -> None:
            if (value := getattr(row, name)) is not None and config.traces(name):
                items.append(State(identifier, value))

        level = config.incremental
        if row.pc is not None and config.traces("pc"):
            follows = row.insn and pc is not None and row.pc == (pc + row.insn[0]) % (1 << config.xlen)
            items.append(IncrementPc() if level and row.group and follows and config.traces("insn") else State(10, row.pc))
            pc = row.pc
        state("ppc", 9)
        if row.insn and config.traces("insn"):
            items.append(Instruction(*row.insn))
        if row.gpr and row.gpr[0] and config.traces("gpr"):
            register(0x1000 + row.gpr[0], row.gpr[1], level == 2)
        if row.fpr and config.traces("fpr"):
            items.append(Register(0x1020 + row.fpr[0], row.fpr[1]))
        if row.fcsr is not None and config.traces("fcsr"):
            register(3, row.fcsr, level > 0)
        for address, value in row.csr if config.traces("csr") else ():
            register(address, value, False)
        for name, identifier in (("priv", 1), ("paddr", 2), ("eaddr", 3)):
            state(name, identifier)
        if row.memdata and config.traces("memdata"):
            items.append(State(4 + row.memdata[0], row.memdata[1]))
        state("mtime", 8)
        for name, low in (("mcycle", 0xB00), ("minstret", 0xB02)):
            if (value := getattr(row, name)) is not None and config.traces(name):
                register(low, value, level == 2)
                if config.xlen == 32:
                    register(low + 0x80, value >> 32, level == 2)
        if row.request and config.traces("request"):
            op, size, address, data = row.request
            items.append(Request(address, op, size, data & (1 << (8 << size)) - 1 if op in (1, 3) or 4 <= op <= 12 else 0))
            if row.response and config.traces("response"):
                result, data = row.response
                replies = op not in (1,) and (result == 0 or config.response_data_on_failure)
                items.append(Response(size, result, data & (1 << (8 << size)) - 1 if replies else 0))
        if items:
            framed = [Begin(), *items] if row.group else ([End()] if opened else []) + items
            opened = row.group and bool(config.implied_end)
            items = framed + ([End()] if row.group and not opened else [])
        out.append(items)
    return out
