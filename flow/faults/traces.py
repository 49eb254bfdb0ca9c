# SPDX-License-Identifier: Apache-2.0
"""The faults of a trace that a verifier must catch, as data: where each fits, and how it is put into the bytes of a
correct trace.

    sections = split(encoded)                         one bytes object for each row of the encoder
    fault = FAULTS["store data bit"]
    k = next(places(sections, fault, config, rng))
    mutant(sections, k, fault, config, rng); trace = b"".join(sections)

The hart did everything right, only the trace is wrong: the verdict is *trace*. `needs_use`: nothing in the group itself
shows that; it takes a later group that reads what was reported wrongly. Without one the verifier says *hart*, not
confirmed (`rvtrace.models.tandem.verifier.verdict`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard, TypeVar

from rvtrace.flow.faults.rows import Fault
from rvtrace.models.tandem import table
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder.encode import Encoded
from rvtrace.models.tandem.encoder.items import (
    AddRegister,
    Begin,
    End,
    IncrementPc,
    Init,
    Instruction,
    Item,
    OrRegister,
    Register,
    Reset,
    State,
    items,
    pack,
)
from rvtrace.models.tandem.verifier.verdict import Verdict

Items = list[Item]
XItem = Register | AddRegister | OrRegister
Kind = TypeVar("Kind")
_MSCRATCH = 0x340
_STORES = (4, 5, 6, 7)


@dataclass(frozen=True)
class TraceFault(Fault):
    """One way to be wrong. fits: whether a group can have it; there: whether the one at this place can, as far as its
    neighbours decide that.

    change: the group's items with it; None for faults of the order of groups.

    order: what becomes of the sections k and k + 1 ("dropped", "duplicated", "swapped"), "" if nothing.
    """

    fits: Callable[[Items], bool] = lambda group: True
    change: Callable[[Items, random.Random, Config], Items] | None = None
    order: str = ""
    needs_use: bool = False
    there: Callable[[list[bytes], int, Config], bool] = lambda sections, k, config: True
    verdict: Verdict = Verdict.TRACE


def _fault(
    name: str,
    why: str,
    fits: Callable[[Items], bool],
    change: Callable[[Items, random.Random, Config], Items] | None = None,
    **more: Any,
) -> TraceFault:
    return TraceFault(name, why=why, fits=fits, change=change, **more)


def _is_x(item: Item) -> TypeGuard[XItem]:
    return isinstance(item, (Register, AddRegister, OrRegister)) and table.GPR_BASE < item.address < table.FPR_BASE


def _state(*ids: int) -> Callable[[Item], TypeGuard[State]]:
    def wanted(item: Item) -> TypeGuard[State]:
        return isinstance(item, State) and item.id in ids

    return wanted


def _pc(item: Item) -> bool:
    return isinstance(item, IncrementPc) or (isinstance(item, State) and item.id == table.PC)


def _insn(item: Item) -> TypeGuard[Instruction]:
    return isinstance(item, Instruction)


def _some(wanted: Callable[[Item], bool], *more: Callable[[Item], bool]) -> Callable[[Items], bool]:
    """A group with an instruction, and with items of each kind."""
    return lambda group: any(map(_insn, group)) and all(any(map(kind, group)) for kind in (wanted, *more))


def _without(wanted: Callable[[Item], bool]) -> Callable[[Items, random.Random, Config], Items]:
    return lambda group, rng, config: [item for item in group if not wanted(item)]


def _each(
    wanted: Callable[[Item], TypeGuard[Kind]], new: Callable[[Kind, random.Random, Config], Item]
) -> Callable[[Items, random.Random, Config], Items]:
    """Items of a kind, replaced."""
    return lambda group, rng, config: [new(item, rng, config) if wanted(item) else item for item in group]


def _also(new: Callable[[Items, random.Random, Config], Item]) -> Callable[[Items, random.Random, Config], Items]:
    """One item more, before the end."""

    def change(group: Items, rng: random.Random, config: Config) -> Items:
        at = len(group) - isinstance(group[-1], End)
        return [*group[:at], new(group, rng, config), *group[at:]]

    return change


def _value(item: XItem, rng: random.Random, config: Config) -> Item:
    if isinstance(item, Register):
        return Register(item.address, item.data ^ 1 << rng.randrange(config.xlen))
    return (
        AddRegister(item.address, item.offset ^ 1)
        if isinstance(item, AddRegister)
        else OrRegister(item.address, item.mask ^ 1 << rng.randrange(8))
    )


def _other(group: Items, rng: random.Random) -> int:
    """Address of an x register that the group does not report."""
    told = [item.address for item in group if _is_x(item)]
    return rng.choice([table.GPR_BASE + n for n in range(1, 32) if table.GPR_BASE + n not in told])


def _elsewhere(group: Items, rng: random.Random, config: Config) -> Items:
    address = _other(group, rng)

    def moved(item: Item) -> Item:
        if not _is_x(item):
            return item
        return Register(address, item.data if isinstance(item, Register) else rng.getrandbits(config.xlen))

    return [moved(item) for item in group]


def _jumps(item: Item) -> TypeGuard[Instruction]:
    """A branch or jump: 32-bit by opcode, 16-bit by quadrant and funct3."""
    if not isinstance(item, Instruction):
        return False
    if item.length == 4:
        return item.bits & 0x7F in (0x63, 0x67, 0x6F)
    return item.bits & 3 == 1 and item.bits >> 13 >= 5 or item.bits & 0xE07F == 0x8002


def _conditional(item: Item) -> bool:
    return _jumps(item) and (
        item.bits & 0x7F == 0x63 if item.length == 4 else item.bits & 3 == 1 and item.bits >> 13 >= 6
    )


def _taken(sections: list[bytes], k: int, config: Config) -> bool:
    """Whether the branch does not lead to the next instruction."""
    group = _items(sections[k], config)
    length = next(item.length for item in group if _insn(item))
    before, here = (
        [item.data for item in told if _state(table.PC)(item)] for told in (_items(sections[k - 1], config), group)
    )
    return not before or here[0] != before[0] + length


def _machine_mode(sections: list[bytes], k: int, config: Config) -> bool:
    """Whether the group reports a privilege, or runs in machine mode: U or S is wrong there."""
    item = bytes((table.STATE, table.PRIV))
    for at in range(k, -1, -1):
        if item not in sections[at]:
            continue  # most have none: no need to parse them
        told = [item.data for item in _items(sections[at], config) if _state(table.PRIV)(item)]
        if told:
            return at == k or told[-1] == 3
    return True


def _apart(sections: list[bytes], k: int, config: Config) -> bool:
    """Whether the next section is a step too, and another one; dropping and swapping are invisible else."""
    return sections[k] != sections[k + 1] and bool(sections[k + 1]) and _step(_items(sections[k + 1], config))


def _privilege(group: Items, rng: random.Random, config: Config) -> Items:
    wrong = [
        State(table.PRIV, rng.choice([p for p in table.PRIVILEGES if p != item.data]))
        for item in group
        if _state(table.PRIV)(item)
    ]
    if wrong:
        return [wrong[0] if _state(table.PRIV)(item) else item for item in group]
    return _also(lambda *_: State(table.PRIV, rng.choice((0, 1))))(group, rng, config)


def _narrower(item: State, rng: random.Random, config: Config) -> Item:
    return State(item.id - 1, item.data & (1 << table.state_width(config, item.id - 1)) - 1)


def _stored_bit(item: State, rng: random.Random, config: Config) -> Item:
    return State(item.id, item.data ^ 1 << rng.randrange(table.state_width(config, item.id)))


def _step(group: Items) -> bool:
    """A group that an instruction makes."""
    return (
        any(map(_insn, group))
        and isinstance(group[0], Begin)
        and not any(isinstance(item, (Init, Reset)) for item in group)
    )


_FAULTS = (
    _fault("register value", "a bit of an x register's value", _some(_is_x), _each(_is_x, _value), needs_use=True),
    _fault("register omitted", "an x register is left out", _some(_is_x), _without(_is_x)),
    _fault("register wrong", "the value is reported for another x register", _some(_is_x), _elsewhere),
    _fault(
        "register extra",
        "another x register is reported too",
        _step,
        _also(lambda group, rng, config: Register(_other(group, rng), rng.getrandbits(config.xlen))),
    ),
    _fault(
        "extra CSR",
        "mscratch is reported too",
        _step,
        _also(lambda group, rng, config: Register(_MSCRATCH, rng.getrandbits(config.xlen))),
    ),
    _fault(
        "branch pc wrong",
        "a branch or jump leads elsewhere",
        _some(_jumps, _state(table.PC)),
        _each(_state(table.PC), lambda item, rng, config: State(item.id, item.data ^ 2 << rng.randrange(9))),
    ),
    _fault(
        "taken branch sent as increment",
        "the pc after a taken branch is encoded by opcode 3",
        _some(_conditional, _state(table.PC)),
        _each(_state(table.PC), lambda *_: IncrementPc()),
        there=_taken,
    ),
    _fault(
        "16-bit instruction sent as 32",
        "with opcode 17 and two bytes more",
        lambda group: any(_insn(item) and item.length == 2 for item in group),
        _each(_insn, lambda item, rng, config: Instruction(4, item.bits | rng.getrandbits(16) << 16)),
    ),
    _fault(
        "instruction bit",
        "one of its bits, but not of its length",
        _step,
        _each(
            _insn,
            lambda item, rng, config: Instruction(item.length, item.bits ^ 1 << rng.randrange(5, 8 * item.length)),
        ),
    ),
    _fault("instruction omitted", "the group has none", _step, _without(_insn)),
    _fault("group dropped", "a group is missing", _step, order="dropped", there=_apart),
    _fault("group duplicated", "a group is sent twice", _step, order="duplicated", there=_apart),
    _fault("group swapped", "two groups are in the wrong order", _step, order="swapped", there=_apart),
    _fault(
        "x0 write",
        "x0 is reported too",
        _step,
        _also(lambda group, rng, config: Register(table.GPR_BASE, rng.getrandbits(config.xlen))),
    ),
    _fault(
        "privilege wrong", "another privilege than the hart's", _step, _privilege, needs_use=True, there=_machine_mode
    ),
    _fault(
        "store data bit",
        "a bit of the data",
        _some(_state(*_STORES)),
        _each(_state(*_STORES), _stored_bit),
        needs_use=True,
    ),
    _fault("store data omitted", "a store without data", _some(_state(*_STORES)), _without(_state(*_STORES))),
    _fault("store data narrower", "half of the data", _some(_state(*_STORES[1:])), _each(_state(*_STORES), _narrower)),
    _fault(
        "store address bit",
        "a bit of the address",
        _some(_state(table.PADDR), _state(*_STORES)),
        _each(_state(table.PADDR), lambda item, rng, config: State(item.id, item.data ^ 1 << rng.randrange(3, 16))),
        needs_use=True,
    ),
    _fault(
        "store address omitted",
        "a store without address",
        _some(_state(table.PADDR), _state(*_STORES)),
        _without(_state(table.PADDR)),
    ),
    _fault("pc omitted", "the group reports no pc", _some(_pc), _without(_pc)),
)
FAULTS: dict[str, TraceFault] = {fault.name: fault for fault in _FAULTS}


def split(encoded: Encoded) -> list[bytes]:
    """The bytes of each row."""
    edges = encoded.starts.tolist()
    return [encoded.data[low:high] for low, high in zip(edges, edges[1:])]


def places(
    sections: list[bytes],
    fault: TraceFault,
    config: Config,
    rng: random.Random,
    first: int = 0,
    last: int | None = None,
) -> Iterator[int]:
    """Sections that can have the fault, in random order, each once; two neighbours for one of order, and none
    duplicated that cannot be distinguished.
    """
    order = list(range(first, len(sections) if last is None else last))
    rng.shuffle(order)
    for k in order:
        if not sections[k] or not fault.fits(_items(sections[k], config)):
            continue
        if fault.there(sections, k, config):
            yield k


def _items(section: bytes, config: Config) -> Items:
    return [item for _, item in items(section, config)]


def mutant(sections: list[bytes], k: int, fault: TraceFault, config: Config, rng: random.Random) -> None:
    """Put the fault into section k, in place; the number of sections stays."""
    if fault.order == "dropped":
        sections[k] = b""
    elif fault.order == "duplicated":
        sections[k] = sections[k] * 2
    elif fault.order == "swapped":
        sections[k : k + 2] = sections[k + 1], sections[k]
    else:
        assert fault.change is not None  # of every fault that is none of order
        sections[k] = pack(fault.change(_items(sections[k], config), rng, config), config)
