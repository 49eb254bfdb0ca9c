# SPDX-License-Identifier: Apache-2.0
"""The profile's words, read row by row: the reference for the encoder model."""

from rvtrace.models.tandem import table
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder import items as it
from rvtrace.models.tandem.trace_data import TraceData


def expected_items(rows: list[TraceData], config: Config) -> list[list[it.Item]]:
    """The items of each row by the words of docs/reference/tandem-profile.md, one row after the other: the reference
    for the encoder model.
    """
    reported: dict[int, int] = {}
    pc, opened, out = None, False, []
    for row in rows:
        names = [
            name
            for name in row._fields
            if name not in ("group", "flush", "reset", "init", "csr") and getattr(row, name) is not None
        ]
        wrong = (
            (not row.group and (row.reset or row.init or row.insn))
            or (row.init and (row.insn or row.reset))
            or (row.reset and row.insn)
            or (row.response and not row.request)
            or (row.flush and (names or row.csr or row.group or row.reset or row.init))
        )
        if wrong:
            out.append([])
            continue
        if row.flush:
            out.append([it.End()] if opened else [])
            opened = False
            continue
        items: list[it.Item] = [*[it.Reset()] * row.reset, *[it.Init()] * row.init]
        if row.reset:
            pc, reported = None, {}

        def register(
            address: int, new: int, may: bool, reported: dict[int, int] = reported, items: list[it.Item] = items
        ) -> None:
            old, mask = reported.get(address), (1 << config.xlen) - 1
            new &= mask
            if may and old is not None and old & ~new == 0 and new & ~old < 256:
                items.append(it.OrRegister(address, new & ~old))
            elif may and old is not None and (new - old + 128) & mask < 256:
                items.append(it.AddRegister(address, (new - old + 128 & mask) - 128))
            else:
                items.append(it.Register(address, new))
            reported[address] = new
            if address in (table.FFLAGS, table.FRM):
                reported.pop(table.FCSR, None)

        def state(name: str, identifier: int, row: TraceData = row, items: list[it.Item] = items) -> None:
            if (value := getattr(row, name)) is not None and config.traces(name):
                items.append(it.State(identifier, value))

        level = config.incremental
        if row.pc is not None and config.traces("pc"):
            follows = row.insn and pc is not None and row.pc == (pc + row.insn[0]) % (1 << config.xlen)
            items.append(
                it.IncrementPc() if level and row.group and follows and config.traces("insn") else it.State(10, row.pc)
            )
            pc = row.pc
        state("ppc", 9)
        if row.insn and config.traces("insn"):
            items.append(it.Instruction(*row.insn))
        if row.gpr and row.gpr[0] and config.traces("gpr"):
            register(0x1000 + row.gpr[0], row.gpr[1], level == 2)
        if row.fpr and config.traces("fpr"):
            items.append(it.Register(0x1020 + row.fpr[0], row.fpr[1]))
        if row.fcsr is not None and config.traces("fcsr"):
            register(3, row.fcsr, level > 0)
        for address, value in row.csr if config.traces("csr") else ():
            register(address, value, False)
        for name, identifier in (("priv", 1), ("paddr", 2), ("eaddr", 3)):
            state(name, identifier)
        if row.memdata and config.traces("memdata"):
            items.append(it.State(4 + row.memdata[0], row.memdata[1]))
        state("mtime", 8)
        for name, low in (("mcycle", 0xB00), ("minstret", 0xB02)):
            if (value := getattr(row, name)) is not None and config.traces(name):
                register(low, value, level == 2)
                if config.xlen == 32:
                    register(low + 0x80, value >> 32, level == 2)
        if row.request and config.traces("request"):
            op, size, address, data = row.request
            items.append(
                it.Request(address, op, size, data & (1 << (8 << size)) - 1 if op in (1, 3) or 4 <= op <= 12 else 0)
            )
            if row.response and config.traces("response"):
                result, data = row.response
                replies = op not in (1,) and (result == 0 or config.response_data_on_failure)
                items.append(it.Response(size, result, data & (1 << (8 << size)) - 1 if replies else 0))
        if items:
            framed = [it.Begin(), *items] if row.group else ([it.End()] if opened else []) + items
            opened = row.group and bool(config.implied_end)
            items = framed + ([it.End()] if row.group and not opened else [])
        out.append(items)
    return out
