# SPDX-License-Identifier: Apache-2.0
"""What the specification leaves to an encoder: the legal variant passes without the reference profile, its illegal
neighbour fails; and several mistakes of one run are all found.
"""

from dataclasses import replace

import numpy as np
import pytest

from rvtrace.models.riscv import recording
from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder import items as it
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.from_retired import from_recording
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.tandem.alone import Reported
from rvtrace.scoreboards.tandem.alone import check as check_alone
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.check import check
from rvtrace.scoreboards.tandem.tolerances import Tolerances
from tests.tandem.captures import NOP, PC, RESET, broken, captured, insn

CONFIG = Config()
START = [it.Begin(), it.Reset(), it.State(t.PC, PC), it.End()]
INSN = [it.Instruction(*NOP), it.IncrementPc()]
LAST = [it.Begin(), *INSN, it.End()]
TIME, LOAD = it.State(t.MTIME, 9), [it.Request(0x8000, t.LOAD, 2), it.Response(2, 0, 7)]
WITH_TIME, WITH_LOAD = {"mtime": 9}, {"request": (t.LOAD, 2, 0x8000, 0), "response": (0, 7)}
LOADED = TraceData(init=True, request=(t.STORE, 2, 0x8000, 5))
STORE = it.Request(0x8000, t.STORE, 2, 5)


def sent(row: TraceData, items: list[it.Item], before: tuple[TraceData, list[it.Item]] | None = None) -> Verdict:
    """Reset, (before,) this row, an instruction; what the device sends of them."""
    rows = [RESET, *([before[0]] if before else []), row]
    steps = sum(one.insn is not None for one in rows)
    data = it.pack([*START, *(before[1] if before else []), *items, *LAST], CONFIG)
    return check(captured(Rows.from_rows([*rows, insn(steps + 1), FLUSH]), CONFIG, data), Tolerances.free())


def group(*items: it.Item) -> list[it.Item]:
    return [it.Begin(), *INSN, *items, it.End()]


KNOWN = (
    insn(fcsr=0x21, gpr=(5, 9), priv=3),
    group(it.Register(t.FCSR, 0x21), it.Register(0x1005, 9), it.State(t.PRIV, 3)),
)
FCSR = insn(2, fcsr=0x43)
CASES: dict[str, tuple] = {  # row, what is legal, what is not and its clause, what comes before
    "a timer before its group": (insn(**WITH_TIME), [TIME, *group()], [*group(), TIME], "TV.reported.outside", None),
    "a timer with another value": (
        insn(**WITH_TIME), [TIME, *group()], [it.State(t.MTIME, 8), *group()], "TV.reported.mtime", None,
    ),
    "a transaction before its group": (
        insn(**WITH_LOAD), [*LOAD, *group()], [*LOAD, *LOAD, *group()], "TV.reported.request", None,
    ),
    "a transaction after its group": (
        insn(**WITH_LOAD), [*group(), *LOAD], [*group(), it.Request(0x8000, t.LOAD, 2)], "TV.reported.response", None,
    ),
    "initialization, its mark last": (
        LOADED,
        [it.Begin(), STORE, it.Init(), it.End()],
        [STORE, it.Begin(), it.Init(), it.End()],
        "TV.legal.update",
        None,
    ),
    "fcsr as flags and mode": (
        FCSR,
        group(it.OrRegister(t.FFLAGS, 2), it.Register(t.FRM, 2)),
        group(it.OrRegister(t.FFLAGS, 2), it.Register(t.FRM, 3)),
        "TV.reported.fcsr",
        KNOWN,
    ),
    "what keeps its value": (
        insn(2, gpr=(5, 9)), group(it.State(t.PRIV, 3)), group(it.State(t.PRIV, 1)), "TV.reported.priv", KNOWN,
    ),
    "an empty group for x0": (
        TraceData(gpr=(0, 5)),
        [it.Begin(), it.End()],
        [it.Begin(), it.Register(0x1006, 5), it.End()],
        "TV.reported.group",
        None,
    ),
    "an incremental CSR": (
        insn(2, csr=((t.FCSR, 0x22),)),
        group(it.AddRegister(t.FCSR, 1)),
        group(it.AddRegister(t.FCSR, 2)),
        "TV.reported.csr",
        KNOWN,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_legal_variant_passes_and_its_neighbour_fails(name: str) -> None:
    row, legal, illegal, clause, before = CASES[name]
    right = sent(row, legal, before)
    assert right.passed, right.failures[0].text()
    causes = {failure.clause for failure in sent(row, illegal, before).failures if not failure.cause}
    assert clause in causes


def test_several_mistakes_are_all_found() -> None:
    """A wrong register, a lost group and a wrong privilege, far apart: three findings, and all but one group judged."""
    rows = [RESET, *(insn(n, gpr=(n % 8 + 1, n * 77), priv=n % 2) for n in range(1, 40)), FLUSH]
    table = Rows.from_rows(rows)
    encoded = encode(table, CONFIG)
    parts = [encoded.of(k) for k in range(len(rows))]
    parts[5] = parts[5].replace((5 * 77).to_bytes(8, "little"), (6 * 77).to_bytes(8, "little"))
    parts[15] = b""
    parts[25] = parts[25][:-4] + b"\x07\x01\x00\x02"
    verdict = check(captured(table, CONFIG, b"".join(parts), exact=False))
    causes = [failure.clause for failure in verdict.failures if not failure.cause]
    assert sorted(causes) == ["TV.reported.gpr", "TV.reported.group", "TV.reported.priv"], [
        f.text() for f in verdict.failures
    ]
    assert verdict.stats["instructions"] - verdict.stats["judged"] == 1


def test_a_value_from_a_wrong_base_is_a_consequence() -> None:
    rows = [RESET, insn(1, gpr=(5, 100)), *(insn(n, gpr=(5, 100 + n)) for n in range(2, 9)), FLUSH]
    table, config = Rows.from_rows(rows), Config(incremental=2)
    encoded = encode(table, config)
    data = encoded.data.replace((100).to_bytes(8, "little"), (90).to_bytes(8, "little"), 1)
    verdict = check(captured(table, config, data, exact=False))
    assert verdict.book.results()["TV.reported.gpr"][1] == 1 and broken(verdict) == ["TV.reported.gpr"]


def trace(**options: object) -> tuple[Rows, TandemCapture]:
    """The start of a program; its trace by a device with these options, which claims the defaults."""
    run = recording.load("sort", 64)
    config = Config(flen=0, **options)  # pyright: ignore[reportArgumentType]
    rows = Rows.concat([from_recording(run).select(slice(0, 2500)), Rows.from_rows([FLUSH])])
    return rows, TandemCapture(Config(flen=0), None, encode(rows, config).data, exact=False, program=run.program)


def alone(capture: TandemCapture) -> Verdict:
    return check_alone(capture, Tolerances.free(), Profile.of(capture.config, virt(64)), None)


def test_a_reset_need_not_report_the_pc() -> None:
    """The first instruction cannot be compared, and is not judged; a wrong one after it is found."""
    rows, capture = trace()
    rows.has[rows.have("reset")] &= ~np.uint32(t.HAS["pc"])
    capture = replace(capture, data=encode(rows, Config(flen=0)).data)
    verdict = alone(capture)
    assert verdict.passed, verdict.failures[0].text()
    assert verdict.stats["judged"] == verdict.stats["instructions"] - 1
    rows.gpr[np.flatnonzero(rows.have("gpr") & rows.have("insn"))[50]] ^= np.uint64(1)
    wrong = alone(replace(capture, data=encode(rows, Config(flen=0)).data))
    assert wrong.book.failed == ["TV.verify.gpr"]


@pytest.mark.parametrize("absent", [("paddr",), ("paddr", "memdata", "priv")])
def test_what_is_never_reported_is_absent(absent: tuple[str, ...]) -> None:
    _, capture = trace(absent=absent)
    verdict = alone(capture)
    assert verdict.passed, verdict.failures[0].text()
    assert not {f"TV.verify.{name}" for name in absent} & set(verdict.book.results())


def test_what_is_left_out_once_is_missing() -> None:
    rows, capture = trace()
    at = np.flatnonzero(rows.have("paddr"))[5]
    rows.has[at] &= ~np.uint32(t.HAS["paddr"])
    assert alone(replace(capture, data=encode(rows, Config(flen=0)).data)).book.failed == ["TV.verify.paddr"]


def test_a_trace_may_begin_with_initialization() -> None:
    rows, capture = trace()
    rows = rows.select(slice(1, len(rows)))
    data = encode(rows, Config(flen=0)).data
    assert Reported.of(decode(data, capture.config)).begins and alone(replace(capture, data=data)).passed
    later = rows.select(slice(int(np.flatnonzero(rows.have("insn"))[0]), len(rows)))
    middle = alone(replace(capture, data=encode(later, Config(flen=0)).data))
    assert not any(name.startswith("TV.verify.") for name in middle.book.results())


@pytest.mark.parametrize(("repeated", "clauses"), [(3, set()), (1, {"TV.reported.priv"})])
def test_what_is_known_is_repeated_before_it_changes(repeated: int, clauses: set[str]) -> None:
    """A group with a timer alone repeats the privilege; the next report of it, outside groups, changes it."""
    rows = [RESET, insn(1, priv=3), TraceData(mtime=9), TraceData(priv=0, group=False), insn(2), FLUSH]
    items = [
        *START, *group(it.State(t.PRIV, 3)), it.Begin(), TIME, it.State(t.PRIV, repeated), it.End(),
        it.State(t.PRIV, 0), *LAST,
    ]  # fmt: skip
    verdict = check(captured(Rows.from_rows(rows), CONFIG, it.pack(items, CONFIG)), Tolerances.free())
    found = {failure.clause for failure in verdict.failures}
    assert found == clauses
