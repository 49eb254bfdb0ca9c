# SPDX-License-Identifier: Apache-2.0
"""The page OpenSBI comparison: what OpenSBI on QEMU answers, and which row of the policies explains each
difference from the strict policy.

docs/hooks.py adds it to the site, from data/opensbi/*.jsonl.xz and data/opensbi/machines.json, which `rvtrace oracle
sbi_pmu` writes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rvtrace.flow.opensbi.calls import Scenario, discovery, scenarios
from rvtrace.flow.opensbi.compare import Equal, differing, replay
from rvtrace.flow.opensbi.machine import ALONG, STIMULI, Versions
from rvtrace.models.sbi_pmu.answers import SbiRet
from rvtrace.models.sbi_pmu.calls import Call
from rvtrace.models.sbi_pmu.platform import Hardware
from rvtrace.models.sbi_pmu.policy import KEYS, Policy
from rvtrace.models.sbi_pmu.record import Record
from rvtrace.models.sbi_pmu.tables import event_name
from rvtrace.scoreboards.sbi_pmu.check import Verdict, check_record
from rvtrace.scoreboards.sbi_pmu.tolerances import Tolerances

ROOT = Path(__file__).resolve().parents[2]
MACHINES = ROOT / "data" / "opensbi" / "machines.json"


class Recorded(NamedTuple):
    """The record of one reference implementation. rows: policy key -> (number of answers that it explains, the step
    that shows it best).
    """

    name: str
    versions: Versions
    record: Record
    rows: Mapping[str, tuple[int, int]]

    @property
    def title(self) -> str:
        """Head of its column."""
        return f"OpenSBI {self.versions.opensbi} RV{self.record.xlen}"

    @property
    def calls(self) -> int:
        """How many calls were played."""
        return sum(isinstance(step.action, Call) for step in self.record.steps)

    def shown(self, number: int) -> str:
        """A step in words."""
        action = self.record.steps[number].action
        return action.shown(self.record.xlen) if isinstance(action, Call) else str(action)

    def scenarios(self) -> list[Scenario]:
        """All scenarios, discovery first: their actions are the steps."""
        asked = Scenario(
            "discovery", "what is there: functions, counters, their CSRs and widths", tuple(discovery(self.record.xlen))
        )
        return [asked, *scenarios(self.record.platform)]

    def cleaning(self) -> set[int]:
        """Steps that only clean up."""
        out, at = set(), 0
        for scenario in self.scenarios():
            out |= {at + number for number in scenario.cleaning}
            at += len(scenario.actions)
        return out

    def entry(self) -> dict[str, Any]:
        """As machines.json holds it."""
        return {
            "name": self.name,
            **self.versions._asdict(),
            "rows": {key: list(made) for key, made in self.rows.items()},
        }


def record_path(name: str) -> Path:
    """The file of a record."""
    return MACHINES.parent / f"{name}.jsonl.xz"


def recorded_machines() -> list[Recorded]:
    """The committed records, in the order of machines.json."""
    if not MACHINES.exists():
        return []
    out = []
    for entry in json.loads(MACHINES.read_text(encoding="utf-8")):
        rows = {key: (count, example) for key, (count, example) in entry["rows"].items()}
        versions = Versions(*(entry[name] for name in Versions._fields))
        out.append(Recorded(entry["name"], versions, Record.load(record_path(entry["name"])), rows))
    return out


def examples(rows: Mapping[str, Sequence[int]], cleaning: set[int]) -> dict[str, tuple[int, int]]:
    """Policy key -> how many steps it makes but for those that clean up, and the first of those that the fewest other
    rows make as well.
    """
    rows = {key: kept for key, steps in rows.items() if (kept := [step for step in steps if step not in cleaning])}
    shared = Counter(step for steps in rows.values() for step in steps)
    return {key: (len(steps), min(steps, key=lambda step: (shared[step], step))) for key, steps in rows.items()}


def result_text(result: Any) -> str:
    """A result as the page shows it."""
    if isinstance(result, SbiRet):
        return result.name if result.error else f"SUCCESS {result.value:#x}"
    if isinstance(result, bytes):
        return " ".join(
            f"{int.from_bytes(result[at : at + 4], 'little'):#x}" for at in range(0, min(len(result), 16), 4)
        )
    return hex(result) if isinstance(result, int) else str(result)


def page(found: Sequence[Recorded]) -> str:
    """The page, as Markdown."""
    strict = {w.name: replay(w.record, Policy()) for w in found}
    unlike = {w.name: differing(w.record, strict[w.name]) for w in found}
    lines = [
        _HEAD,
        *_who(found, unlike),
        "",
        "## The platform as discovered",
        "",
        *_platforms(found),
        "",
        "## Differences",
        "",
        _DIFFERENCES,
    ]
    lines += [*_rows(found, strict), "", *_unseen(found)]
    lines += ["", "## Scenarios", "", *_played(found, unlike), "", _NOT_PLAYED.format(
        stimuli=", ".join(str(code) for code in sorted({*STIMULI, *ALONG})))]  # fmt: skip
    return "\n".join(lines) + "\n"


def _who(found: Sequence[Recorded], unlike: Mapping[str, Sequence[int]]) -> list[str]:
    out = [_row("", *(w.title for w in found)), _row(*["---"] * (len(found) + 1))]
    other = {w.name: set(unlike[w.name]) for w in found}
    named = {w.name: _against(w) for w in found}
    for what, of in (
        ("SBI version it reports", lambda w: w.versions.sbi),
        ("machine", lambda w: w.versions.qemu),
        ("SHA-256 of the firmware", lambda w: f"`{w.versions.sha256[:16]}...`"),
        ("record", lambda w: f"`data/opensbi/{record_path(w.name).name}`"),
        ("actions, calls among them", lambda w: f"{len(w.record.steps)}, {w.calls}"),
        ("actions that only stop and reset counters before and after scenarios", lambda w: len(w.cleaning())),
        ("other actions: as the strict policy", lambda w: len(w.record.steps) - len(w.cleaning() | other[w.name])),
        ("other actions: not as the strict policy", lambda w: len(other[w.name] - w.cleaning())),
        ("all actions: not as the named policy", lambda w: named[w.name][0]),
        ("named policy", lambda w: f"`{w.record.policy.name}`"),
        ("reads of stopped counters, see below", lambda w: named[w.name][1]),
    ):
        out.append(_row(what, *(str(of(w)) for w in found)))
    return out


def scoreboard(recorded: Recorded) -> Verdict:
    """What the SBI PMU scoreboard, an independent reading of the chapter, reports for the record. Values of calls that
    have none are not checked.
    """
    return check_record(recorded.record, Tolerances(zero=False))


def _against(recorded: Recorded) -> tuple[int, int]:
    """How many answers its named policy does not foresee, and how many reads were only as QEMU gives them."""
    equal = Equal(recorded.record.platform)
    foreseen = replay(recorded.record, recorded.record.policy)
    return sum(not equal.step(step, result) for step, result in zip(recorded.record.steps, foreseen)), equal.machine


def _platforms(found: Sequence[Recorded]) -> list[str]:
    out = [_row("", *(w.title for w in found)), _row(*["---"] * (len(found) + 1))]
    for what, of in (
        ("hardware counters", lambda p: _ranges([c.index for c in p.counters if isinstance(c, Hardware)])),
        ("firmware counters", lambda p: _ranges([c.index for c in p.counters if not isinstance(c, Hardware)])),
        (
            "events of hardware counters",
            lambda p: ", ".join(
                event_name(e) for e in sorted({e for c in p.counters if isinstance(c, Hardware) for e in c.events})
            ),
        ),
        ("functions up to SBI", lambda p: f"{p.sbi_version[0]}.{p.sbi_version[1]}"),
        ("snapshot memory", lambda p: "yes" if p.snapshot else "no"),
        ("Sscofpmf", lambda p: "yes" if p.sscofpmf else "no"),
    ):
        out.append(_row(what, *(of(w.record.platform) for w in found)))
    return out


def _rows(found: Sequence[Recorded], strict: Mapping[str, Sequence[Any]]) -> list[str]:
    out = [
        _row("policy row", "subject", *(w.title for w in found), "example"),
        _row(*["---"] * (len(found) + 3)),
    ]
    for key, row in KEYS.items():
        having = [w for w in found if key in w.rows]
        if not having:
            continue
        counts = [f"`{w.record.policy[key]}`: {w.rows[key][0]}" if key in w.rows else "-" for w in found]
        recorded = having[-1]
        at = recorded.rows[key][1]
        before = f"`{recorded.shown(at - 1)}`, then " if not isinstance(recorded.record.steps[at].action, Call) else ""
        example = (
            f"{before}`{recorded.shown(at)}`<br>strict: {result_text(strict[recorded.name][at])}<br>{recorded.title}: "
            f"{result_text(recorded.record.steps[at].result)}"
        )
        out.append(_row(f"`{key}`", row.point, *counts, example))
    return out


def _unseen(found: Sequence[Recorded]) -> Iterator[str]:
    for recorded in found:
        chosen = [
            key
            for key, value in recorded.record.policy.choices.items()
            if value != KEYS[key].strict and key not in recorded.rows
        ]
        yield (
            f"- Chosen for {recorded.title}, but shown by no answer:"
            f" {', '.join(f'`{key}`' for key in chosen) or 'none'}."
        )


def _played(found: Sequence[Recorded], unlike: Mapping[str, Sequence[int]]) -> list[str]:
    out = [
        _row("scenario", "content", *(f"{w.title}: actions, answers not as strict" for w in found)),
        _row(*["---"] * (len(found) + 2)),
    ]
    table: dict[str, tuple[str, list[str]]] = {}
    for recorded in found:
        other, at = set(unlike[recorded.name]) - recorded.cleaning(), 0
        for scenario in recorded.scenarios():
            end = at + len(scenario.actions)
            text = f"{end - at - len(scenario.cleaning)}, {len(other & set(range(at, end)))}"
            table.setdefault(scenario.name, (scenario.what, []))[1].append(text)
            at = end
    return out + [_row(f"`{name}`", what, *texts) for name, (what, texts) in table.items()]


def _ranges(indices: Sequence[int]) -> str:
    out: list[list[int]] = []
    for index in indices:
        if out and out[-1][1] == index - 1:
            out[-1][1] = index
        else:
            out.append([index, index])
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in out)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


_HEAD = """# The SBI PMU extension: what OpenSBI answers

A small supervisor (`flow/opensbi/client/`) makes the same calls on QEMU with OpenSBI and on `models/sbi_pmu`, and every
answer is compared. Where OpenSBI answers differently from the strict reading of the chapter, a row of [the
policies](sbi-pmu.md) describes it by name. The named policy of the version must predict every answer, or `rvtrace
oracle sbi_pmu` fails. The scoreboard, an independent reading of the chapter, checks the same records under the same
policy. `make test` needs neither QEMU nor OpenSBI: it replays the committed records on the models.

```
rvtrace oracle sbi_pmu                                         OpenSBI of the installed Debian (12: 1.1, RV64 only)
rvtrace oracle sbi_pmu FIRMWARE=<fw_dynamic.bin> XLEN=32       another version: that of Debian 13 (1.6, RV64 and
                                                               RV32), unpacked with dpkg-deb -x
rvtrace oracle sbi_pmu PLAY=0                                  the records in data/opensbi against the models
```

QEMU runs `virt` with one hart, Sscofpmf and `-icount shift=0`: the same firmware gives the same answers, instruction
for instruction.
"""

_DIFFERENCES = """The number of answers that each row explains, without the actions that clean up: those that change
when this row alone is made strict. A row can also change later answers, because state that differs is seen later; an
answer that needs several rows is counted for the first that changes it.
"""

_NOT_PLAYED = """## What is not compared, or not played

- The value of a call that failed: OpenSBI 1.6 leaves a value of its stack in a1 when `fw_read` fails.
- The low 24 bits of hardware counters: whether a counter counts is compared, not how fast.
- Reads of stopped counters: QEMU 7.2 (RV64) returns what a counter counted only to the first read after a stop; later
  reads return the value written last. These reads are counted above, and accepted as reads of a counter that does not
  change.
- Firmware events that QEMU or a single hart cannot cause. The codes that are covered: {stimuli}. OpenSBI 1.1
  counts an IPI of a hart to itself, 1.6 does not; the chapter mentions other harts only.
- `event_get_info` of NO_EVENT: the device tree of QEMU 7.2 has an entry without counters for it.
- Counters of TLB misses that overflow: QEMU 7.2 aborts there with `-icount`.

Calls with which OpenSBI accesses memory outside its own arrays are not played. They were found in the sources (1.6 and
a commit before 1.1); only the first was observed to fault in M-mode:

- A firmware event in a set whose base is not 0 (`firmware_base`) can be given to index 1, which is no counter;
  `fw_read` of it faults, and nothing removes the event again. The same is true of a hardware counter that is then
  started with a value. Only sets that are reset at once are played.
- SKIP_MATCH with a firmware event on a hardware counter or a hardware event on a firmware counter, and SKIP_MATCH with
  an empty mask.
- OpenSBI 1.1: start of a firmware event from 22 on; a base of XLEN or more, by which it shifts.
- A shared memory address without memory: OpenSBI accepts every address that its domain does not protect.
"""
