# SPDX-License-Identifier: Apache-2.0
"""What a trace filter does: the chapter Trace Encoder Filter Registers of the Trace Control Interface, in Python; and
filters that are easily mistaken for another.
"""

from rvtrace.tb.common.stimulus.filtered import FIRST, LAST, LIMIT, place

# Scenario, what is configured, what the device does instead.
SLIPS = (
    ("filter_comparisons", "tval>=0x100000000", "tval>=0"),
    ("filter_comparisons", f"iaddr<={place(LIMIT)}", f"iaddr<{place(LIMIT)}"),
    ("filter_comparisons", f"iaddr>{place(LIMIT)}", f"iaddr>={place(LIMIT)}"),
    ("filter_comparisons", f"iaddr={place(LIMIT)}/0xc", f"iaddr={place(LIMIT)}"),
    ("filter_comparisons", f"iaddr=->{place(FIRST)}", f"iaddr={place(0)}->{place(FIRST)}"),
    ("filter_comparisons", f"iaddr=->{place(FIRST)}", f"iaddr={place(FIRST)}"),
    ("filter_pairs", "ecause=13|ecause=2", "ecause=13|ecause=3"),
    ("filter_deep_traps", "trap=exception", "ecause=3"),
    ("filter_disabled", f"iaddr={place(LIMIT)}->{place(LAST)}", f"iaddr=->{place(LAST)}"),
    ("filter_off", "context=7|unselected:ecause=2", "context=7|ecause=2"),
    ("filter_off", "context=7|disabled:ecause=2", "context=7|ecause=2"),
)


def field(value: int, low: int, width: int = 1) -> int:
    """Bits of a register."""
    return value >> low & ((1 << width) - 1)


class Comparator:
    """trTeComp: control, primary and secondary match value."""

    def __init__(self, control: int, pmatch: int, smatch: int, xlen: int) -> None:
        self.control, self.pmatch, self.smatch, self.xlen = control, pmatch, smatch, xlen
        self.latch = field(control, 4, 3) == 6
        self.last = False
        inputs = [field(control, 0, 2)]
        if field(control, 12, 2) and field(control, 8, 3) not in (6, 7):
            inputs.append(field(control, 2, 2))
        self.of_addresses = 0 in inputs

    def result(self, select: int, function: int, match: int, mask: int, block: dict) -> bool:
        if select == 2 and block["itype"] not in (1, 2) and function < 6:
            return False  # tval means nothing
        value = {0: block["iaddr"], 1: block["context"], 2: block["tval"], 3: 0}[select] & mask
        match &= mask & ((1 << (32 if select == 1 else self.xlen)) - 1)
        return [
            value == match,
            value != match,
            value < match,
            value <= match,
            value > match,
            value >= match,
            False,
            True,
        ][function]

    def step(self, block: dict) -> tuple[bool, bool]:
        """(output, watchpoint) for the next block."""
        nowhere = block["itype"] == 2 and not block["iretire"]
        if nowhere and self.of_addresses:
            return self.last, False
        self.last, notify = self.compared(block)
        return self.last, notify and not nowhere

    def compared(self, block: dict) -> tuple[bool, bool]:
        """The same for a block that has what is compared."""
        sfunction = field(self.control, 8, 3)
        mask = self.smatch if sfunction == 6 else -1
        p = self.result(field(self.control, 0, 2), field(self.control, 4, 3), self.pmatch, mask, block)
        s = sfunction >= 6 or self.result(field(self.control, 2, 2), sfunction, self.smatch, -1, block)
        asserted = self.latch or p
        self.latch = asserted and not s
        notify = (p and field(self.control, 14) and not field(self.control, 0, 2)) or (
            s and field(self.control, 15) and not field(self.control, 2, 2)
        )
        return [p, p and s, not (p and s), asserted][field(self.control, 12, 2)], bool(notify)


class Traps:
    """Matching from a trap to the return from it; at most 15 further traps are counted."""

    def __init__(self) -> None:
        self.depth: int | None = None

    def step(self, starts: bool, itype: int) -> bool:
        matches = self.depth is not None
        if self.depth is None:
            self.depth = 0 if starts else None
        elif itype in (1, 2):
            self.depth = min(15, self.depth + 1)
        elif itype == 3:
            self.depth = self.depth - 1 if self.depth else None
        return matches


class Filter:
    """trTeFilter: control, instruction match, ecause match."""

    def __init__(self, control: int, inst: int, ecause: int) -> None:
        self.control, self.inst, self.ecause = control, inst, ecause
        self.in_cause, self.in_trap = Traps(), Traps()

    def step(self, block: dict, comps: list[bool]) -> bool:
        itype, cause = block["itype"], block["cause"]
        in_cause = self.in_cause.step(itype == 1 and cause < 64 and bool(field(self.ecause, cause)), itype)
        in_trap = self.in_trap.step(itype == (2 if field(self.inst, 8) else 1), itype)
        conditions = [(0, True), (1, bool(field(self.inst, block["priv"]))), (2, in_cause), (3, in_trap)]
        for enable, low in ((4, 5), (8, 9), (12, 13)):
            select = field(self.control, low, 3)
            conditions.append((enable, select < len(comps) and comps[select]))
        return bool(field(self.control, 0)) and all(holds for bit, holds in conditions if field(self.control, bit))


def beat(blocks: list[dict], inst_filters: int, filters: list[Filter], comps: list[Comparator]) -> tuple[int, int]:
    """(qualified, watchpoints) of one beat, a bit for each lane."""
    qualified = notify = 0
    for lane, block in enumerate(blocks):
        if not block["iretire"] and block["itype"] not in (1, 2):
            continue
        stepped = [comp.step(block) for comp in comps]
        matches = [unit.step(block, [out for out, _ in stepped]) for unit in filters]
        traced = not inst_filters or any(match for n, match in enumerate(matches) if field(inst_filters, n))
        qualified |= traced << lane
        notify |= (traced and any(watched for _, watched in stepped)) << lane
    return qualified, notify
