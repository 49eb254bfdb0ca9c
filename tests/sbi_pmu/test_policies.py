# SPDX-License-Identifier: Apache-2.0
"""Every row of the policies: what each of its values does, on RV32 and RV64; named sets, mistakes in names, and that
docs/reference/sbi-pmu.md shows the rows as they are.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.calls import Call
from rvtrace.models.sbi_pmu.policy import KEYS, NAMED, ROWS, Policy, PolicyError, inserted
from tests.sbi_pmu.machine import BASE, SNAPSHOT, Machine
from tests.sbi_pmu.scenes_opensbi import RV64, START, STOP, matched, name
from tests.sbi_pmu.scenes_opensbi import SCENES as OPENSBI

OF = 1 << 63


def pair(machine: Machine, started: int) -> None:
    """Counters 3 and 4 configured, one of them started."""
    machine.config(3, 3)
    machine.config(4, 4)
    machine.ok(START, started, 1)


def configured(m: Machine) -> object:
    m.config(3, 3)
    return matched(m, 3, 3, 4), matched(m, 3, 1, 4)


def skip_match(m: Machine) -> object:
    m.config(3, 3)
    # 7 has no event 5, 10 no hardware event
    foreign = (matched(m, 7, 1, 5, sbi.SKIP_MATCH), m.event(5), matched(m, 10, 1, 5, sbi.SKIP_MATCH))
    return matched(m, 3, 1, 4, sbi.SKIP_MATCH), m.event(3) & 0xFF, matched(m, 4, 1, 4, sbi.SKIP_MATCH), foreign


def already(m: Machine, started: int, function: str) -> object:
    pair(m, started)
    return name(m, function, 3, 3), m.started()


def stop_reset(m: Machine) -> object:
    m.config(3, 3)
    return name(m, STOP, 3, 1, stop_flags=sbi.RESET), m.event(3)


def init_both(m: Machine) -> object:
    m.snapshot()
    m.memory.write(SNAPSHOT + 8, b"\6")
    m.config(3, 3)
    return name(m, START, 3, 1, start_flags=3, initial_value=5), m.counter(3)


def start_of(m: Machine) -> object:
    pair(m, 3)
    m.ok(STOP, 3, 1)
    out = []
    for index, pending in ((3, 0), (4, 1 << 13)):
        m.overflow(index)
        m.csrs[0x344] = pending
        m.ok(START, index, 1)
        out.append(m.event(index) >> 63)
    return out


def bitmap(m: Machine) -> object:
    m.snapshot()
    pair(m, 3)
    m.overflow(4)
    m.ok(STOP, 3, 1, stop_flags=sbi.TAKE_SNAPSHOT)
    return m.word(SNAPSHOT)


def firmware_shared(m: Machine) -> object:
    for index in (10, 12):
        m.config(index, 0xF_0001, sbi.AUTO_START)
    m.pmu.firmware_event(1)
    return [m.ok("counter_fw_read", counter_idx=index) for index in (10, 12)]


def shmem_failed(m: Machine) -> object:
    m.snapshot()
    return name(m, "snapshot_set_shmem", shmem_phys_lo=0), m.pmu.shmem


def shmem_zeroed(m: Machine) -> object:
    m.memory.write(SNAPSHOT, b"\x11" * 8)
    m.pmu.call(*Call.of(m.xlen, "snapshot_set_shmem", shmem_phys_lo=SNAPSHOT))
    return m.word(SNAPSHOT)


def entry_reserved(m: Machine) -> object:
    m.memory.write(BASE, (1 << 20 | 1).to_bytes(16, "little"))
    return name(m, "event_get_info", shmem_phys_lo=BASE, num_entries=1), m.word(BASE + 4, 4)


SCENES: dict[str, tuple[Callable[[Machine], object], dict[str, object]]] = {
    "num_counters": (lambda m: m.ok("num_counters"), {"count": 9, "range": 14}),
    "reserved_flags": (lambda m: matched(m, 3, 1, 3, 1 << 8), {"refuse": "INVALID_PARAM", "ignore": 3}),
    "invalid_in_set": (lambda m: matched(m, 1, 0b101, 3), {"refuse": "INVALID_PARAM", "skip": 3}),
    "empty_set": (
        lambda m: (name(m, STOP), name(m, STOP, counter_idx_base=14)),
        {
            "accept": ("SUCCESS", "SUCCESS"),
            "base": ("SUCCESS", "INVALID_PARAM"),
            "refuse": ("INVALID_PARAM", "INVALID_PARAM"),
        },
    ),
    "event_data": (
        lambda m: matched(m, 3, 1, 3, data=1),
        {"not_supported": "NOT_SUPPORTED", "invalid_param": "INVALID_PARAM", "ignore": 3},
    ),
    "configured": (configured, {"last": (4, 3), "free": (3, 3), "busy": (4, "NOT_SUPPORTED")}),
    "match_order": (lambda m: matched(m, 0, 0b11101, 1), {"lowest": 0, "programmable": 3, "highest": 4}),
    "fixed_counter": (lambda m: matched(m, 9, 1, 1), {"in_set": "NOT_SUPPORTED", "outside": 0}),
    "skip_match": (
        skip_match,
        {
            "configure": (3, 4, 4, ("NOT_SUPPORTED", 0, "NOT_SUPPORTED")),
            "take": (3, 4, 4, (7, 5, "NOT_SUPPORTED")),
            "keep": (3, 3, "INVALID_PARAM", ("INVALID_PARAM", 0, "INVALID_PARAM")),
        },
    ),
    "minh": (lambda m: (m.config(3, 3), m.event(3))[1], {"asked": 3, "always": 1 << 62 | 3}),
    "config_of": (lambda m: (m.config(3, 3), m.event(3))[1], {"clear": 3, "set": OF | 3}),
    "unconfigured": (
        lambda m: name(m, START, 3, 1),
        {"accept": "SUCCESS", "skip": "INVALID_PARAM"},
    ),
    "already_started": (
        lambda m: already(m, 4, START),
        {"refuse": ("ALREADY_STARTED", {4}), "others": ("ALREADY_STARTED", {3, 4})},
    ),
    "already_stopped": (
        lambda m: already(m, 3, STOP),
        {"refuse": ("ALREADY_STOPPED", {3}), "others": ("ALREADY_STOPPED", set())},
    ),
    "stop_reset": (stop_reset, {"applied": ("ALREADY_STOPPED", 0), "refused": ("ALREADY_STOPPED", 3)}),
    "init_both": (init_both, {"refuse": ("INVALID_PARAM", 0), "value": ("SUCCESS", 5), "snapshot": ("SUCCESS", 6)}),
    "init_many": (
        lambda m: name(m, START, 3, 3, start_flags=1),
        {"all": "SUCCESS", "refuse": "INVALID_PARAM"},
    ),
    "start_of": (start_of, {"clear": [0, 0], "unless_pending": [0, 1], "keep": [1, 1]}),
    "boot": (lambda m: m.started(), {"stopped": set(), "fixed": {0, 2}}),
    "bitmap": (bitmap, {"all": 0b10, "named": 0}),
    "firmware_shared": (firmware_shared, {"both": [1, 1], "first": [1, 0]}),
    "firmware_unconfigured": (
        lambda m: name(m, "counter_fw_read", counter_idx=10),
        {"value": "SUCCESS", "refuse": "INVALID_PARAM"},
    ),
    "shmem_failed": (shmem_failed, {"keep": ("INVALID_ADDRESS", SNAPSHOT), "clear": ("INVALID_ADDRESS", None)}),
    "shmem_zeroed": (shmem_zeroed, {"untouched": 0x1111_1111_1111_1111, "zeroed": 0}),
    "no_entries": (
        lambda m: name(m, "event_get_info", shmem_phys_lo=BASE),
        {"accept": "SUCCESS", "refuse": "INVALID_PARAM"},
    ),
    "entry_reserved": (entry_reserved, {"refuse": ("INVALID_PARAM", 0), "output": ("SUCCESS", 0)}),
    **OPENSBI,
}


CASES = [
    (row.key, value, xlen)
    for row in ROWS
    for value in row.values
    for xlen in (32, 64)
    if xlen == 64 or row.key not in RV64
]


@pytest.mark.parametrize(("key", "value", "xlen"), CASES)
def test_what_each_value_does(key: str, value: str, xlen: int) -> None:
    scene, expected = SCENES[key]
    assert set(SCENES) == set(KEYS) and set(expected) == set(KEYS[key].values)
    assert scene(Machine(xlen, "strict", None, **{key: value})) == expected[value]


PAGE = Path(__file__).parents[2] / "docs" / "reference" / "sbi-pmu.md"


def test_named_sets_and_mistakes() -> None:
    assert all(set(row.who) <= set(row.values) for row in ROWS)
    assert {row.key: row.strict for row in ROWS} == dict(Policy().choices)
    for chosen in NAMED:
        assert all(Policy(chosen)[key] == value for key, value in NAMED[chosen].items())
    with pytest.raises(PolicyError, match="give strict, lenient_flags"):
        Policy("lax")
    with pytest.raises(PolicyError, match="give minh=asked or always"):
        Policy(minh="never")
    with pytest.raises(PolicyError, match="key min does not exist"):
        Policy(min="asked")


def test_the_page_shows_the_rows_as_they_are() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"| `{row.key}` | {row.point} |" in inserted(page) for row in ROWS)
    assert all(f"| `{name}` |" in inserted(page) for name in NAMED)
    with pytest.raises(PolicyError, match="no place"):
        inserted("nothing")
