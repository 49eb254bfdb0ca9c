"""docs/sbi-witness.md: what the witnesses answered, and which row of the policies each difference from the strict policy belongs to.

Written from witness/*.jsonl and witness/witnesses.json by `make witness`; `make witness PLAY=0` needs no QEMU.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from models.sbi_pmu.answers import SbiRet
from models.sbi_pmu.calls import Call
from models.sbi_pmu.platform import Hardware
from models.sbi_pmu.policy import KEYS, Policy
from models.sbi_pmu.record import Record
from models.sbi_pmu.tables import event_name
from scoreboards.sbi_pmu import Verdict, check
from scoreboards.sbi_pmu_knobs import Knobs
from tools.witness_calls import Scenario, discovery, scenarios
from tools.witness_compare import Equal, differing, replay
from tools.witness_machine import ALONG, STIMULI, Versions

ROOT = Path(__file__).resolve().parent.parent
WITNESSES = ROOT / "witness" / "witnesses.json"
PAGE = ROOT / "docs" / "sbi-witness.md"


class Witness(NamedTuple):
    """One record. rows: policy key -> (how many answers it makes, the step that shows it best)."""

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
        asked = Scenario("discovery", "what is there: functions, counters, their CSRs and widths", tuple(discovery(self.record.xlen)))
        return [asked, *scenarios(self.record.platform)]

    def cleaning(self) -> set[int]:
        """Steps that only clean up."""
        out, at = set(), 0
        for scenario in self.scenarios():
            out |= {at + number for number in scenario.cleaning}
            at += len(scenario.actions)
        return out

    def entry(self) -> dict[str, Any]:
        """As witnesses.json holds it."""
        return {"name": self.name, **self.versions._asdict(), "rows": {key: list(made) for key, made in self.rows.items()}}


def witnesses() -> list[Witness]:
    """Those that are committed, by name."""
    if not WITNESSES.exists():
        return []
    out = []
    for entry in json.loads(WITNESSES.read_text(encoding="utf-8")):
        rows = {key: (count, example) for key, (count, example) in entry["rows"].items()}
        versions = Versions(*(entry[name] for name in Versions._fields))
        out.append(Witness(entry["name"], versions, Record.load(WITNESSES.parent / f"{entry['name']}.jsonl"), rows))
    return out


def examples(rows: Mapping[str, Sequence[int]], cleaning: set[int]) -> dict[str, tuple[int, int]]:
    """Policy key -> how many steps it makes but for those that clean up, and the first of those that the fewest other rows make as well."""
    rows = {key: kept for key, steps in rows.items() if (kept := [step for step in steps if step not in cleaning])}
    shared = Counter(step for steps in rows.values() for step in steps)
    return {key: (len(steps), min(steps, key=lambda step: (shared[step], step))) for key, steps in rows.items()}


def told(result: Any) -> str:
    """A result in words."""
    if isinstance(result, SbiRet):
        return result.name if result.error else f"SUCCESS {result.value:#x}"
    if isinstance(result, bytes):
        return " ".join(f"{int.from_bytes(result[at : at + 4], 'little'):#x}" for at in range(0, min(len(result), 16), 4))
    return hex(result) if isinstance(result, int) else str(result)


def page(found: Sequence[Witness]) -> str:
    """The page, as Markdown."""
    strict = {w.name: replay(w.record, Policy()) for w in found}
    unlike = {w.name: differing(w.record, strict[w.name]) for w in found}
    lines = [_HEAD, *_who(found, unlike), "", "## The platform as discovered", "", *_platforms(found), "", "## Differences", "", _DIFFERENCES]
    lines += [*_rows(found, strict), "", *_unseen(found)]
    lines += ["", "## What was played", "", *_played(found, unlike), "", _NOT_PLAYED.format(
        stimuli=", ".join(str(code) for code in sorted({*STIMULI, *ALONG})))]  # fmt: skip
    return "\n".join(lines) + "\n"


def _who(found: Sequence[Witness], unlike: Mapping[str, Sequence[int]]) -> list[str]:
    out = [_row("", *(w.title for w in found)), _row(*["---"] * (len(found) + 1))]
    other = {w.name: set(unlike[w.name]) for w in found}
    named = {w.name: _against(w) for w in found}
    for what, of in (
        ("SBI version it tells", lambda w: w.versions.sbi), ("machine", lambda w: w.versions.qemu), ("SHA-256 of the firmware", lambda w: f"`{w.versions.sha256[:16]}...`"),
        ("record", lambda w: f"[{w.name}.jsonl](../witness/{w.name}.jsonl)"), ("actions, calls among them", lambda w: f"{len(w.record.steps)}, {w.calls}"),
        ("actions that only stop and reset counters around scenarios", lambda w: len(w.cleaning())),
        ("the other actions: as the strict policy", lambda w: len(w.record.steps) - len(w.cleaning() | other[w.name])),
        ("the other actions: not as the strict policy", lambda w: len(other[w.name] - w.cleaning())),
        ("all actions: not as its named policy", lambda w: named[w.name][0]),
        ("named policy", lambda w: f"`{w.record.policy.name}`"), ("reads of stopped counters, see below", lambda w: named[w.name][1]),
    ):  # fmt: skip
        out.append(_row(what, *(str(of(w)) for w in found)))
    return out


def scoreboard(witness: Witness) -> Verdict:
    """What the SBI PMU scoreboard, a reading of the chapter of its own, says about the record. Values of calls that have none are not looked at."""
    return check(witness.record, Knobs(zero=False))


def _against(witness: Witness) -> tuple[int, int]:
    """How many answers its named policy does not foresee, and how many reads were only as QEMU gives them."""
    equal = Equal(witness.record.platform)
    foreseen = replay(witness.record, witness.record.policy)
    return sum(not equal.step(step, result) for step, result in zip(witness.record.steps, foreseen)), equal.machine


def _platforms(found: Sequence[Witness]) -> list[str]:
    out = [_row("", *(w.title for w in found)), _row(*["---"] * (len(found) + 1))]
    for what, of in (
        ("hardware counters", lambda p: _ranges([c.index for c in p.counters if isinstance(c, Hardware)])),
        ("firmware counters", lambda p: _ranges([c.index for c in p.counters if not isinstance(c, Hardware)])),
        ("events of hardware counters", lambda p: ", ".join(
            event_name(e) for e in sorted({e for c in p.counters if isinstance(c, Hardware) for e in c.events}))),
        ("functions up to SBI", lambda p: f"{p.sbi_version[0]}.{p.sbi_version[1]}"), ("snapshot memory", lambda p: "yes" if p.snapshot else "no"),
        ("Sscofpmf", lambda p: "yes" if p.sscofpmf else "no"),
    ):  # fmt: skip
        out.append(_row(what, *(of(w.record.platform) for w in found)))
    return out


def _rows(found: Sequence[Witness], strict: Mapping[str, Sequence[Any]]) -> list[str]:
    out = [_row("policy row", "what it is about", *(w.title for w in found), "for example"), _row(*["---"] * (len(found) + 3))]
    for key, row in KEYS.items():
        having = [w for w in found if key in w.rows]
        if not having:
            continue
        counts = [f"`{w.record.policy[key]}`: {w.rows[key][0]}" if key in w.rows else "-" for w in found]
        witness = having[-1]
        at = witness.rows[key][1]
        before = f"`{witness.shown(at - 1)}`, then " if not isinstance(witness.record.steps[at].action, Call) else ""
        example = (f"{before}`{witness.shown(at)}`<br>strict: {told(strict[witness.name][at])}<br>{witness.title}: "
                   f"{told(witness.record.steps[at].result)}")  # fmt: skip
        out.append(_row(f"`{key}`", row.point, *counts, example))
    return out


def _unseen(found: Sequence[Witness]) -> Iterator[str]:
    for witness in found:
        chosen = [key for key, value in witness.record.policy.choices.items() if value != KEYS[key].strict and key not in witness.rows]
        yield f"- Chosen for {witness.title}, but no answer shows it: {', '.join(f'`{key}`' for key in chosen) or 'none'}."


def _played(found: Sequence[Witness], unlike: Mapping[str, Sequence[int]]) -> list[str]:
    out = [_row("scenario", "what", *(f"{w.title}: actions, others than strict" for w in found)), _row(*["---"] * (len(found) + 2))]
    table: dict[str, tuple[str, list[str]]] = {}
    for witness in found:
        other, at = set(unlike[witness.name]) - witness.cleaning(), 0
        for scenario in witness.scenarios():
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

Written by `make witness`; edit `tools/witness_page.py`, not this page. An independent witness of `models/sbi_pmu`: a small supervisor
(`witness/`) plays the same calls on QEMU with OpenSBI, both from Debian, and every answer is compared with the models. Where OpenSBI
answers otherwise than the strict reading of the chapter, a row of [the policies](sbi-pmu.md) says so by name; the named set of its
version has to foresee every answer, or `make witness` fails. The scoreboard, which reads the chapter on its own, follows the same
records under the same policy and must find no failure either. `make test` needs neither QEMU nor OpenSBI: it plays the committed
records on the models.

```
make witness                                                 OpenSBI of this Debian (12: version 1.1, RV64 only)
make witness FIRMWARE=<fw_dynamic.bin> XLEN=32               another one: that of Debian 13 (1.6, RV64 and RV32) was unpacked with dpkg-deb -x
```

QEMU runs `virt` with one hart, Sscofpmf and `-icount shift=0`: the same firmware gives the same answers, instruction for instruction.
"""

_DIFFERENCES = """How many answers each row makes, without the actions that clean up: those that change when this row alone is made strict (a row can make the answers behind it, too: state
that differs is seen later, and an answer can need several rows). What needs more than one row goes to the first that changes it.
"""

_NOT_PLAYED = """## What is not compared, or not played

- The value of a call that failed (OpenSBI 1.6 leaves what lies on its stack in a1 when `fw_read` fails); hardware counters in their low 24 bits: that they count, or do not, is compared, not how fast.
- Reads of stopped counters: QEMU 7.2 gives (RV64) what a counter counted to the first read after a stop only, later reads get the value written last.
  These are counted above, and taken for reads of a counter that stands still.
- Firmware events that QEMU or one hart alone cannot make happen: witnessed are codes {stimuli}. An IPI to itself is counted by OpenSBI 1.1
  and not by 1.6; the chapter speaks of other harts only.
- `event_get_info` of NO_EVENT: the device tree of QEMU 7.2 has an entry without counters for it.
- Counters of TLB misses that overflow: QEMU 7.2 ends with `-icount` there.

Calls with which OpenSBI leaves its own arrays are not played. They are read from sources (1.6 and a commit before 1.1); only the first was seen to
fault in M-mode:

- A firmware event in a set whose base is not 0 (`firmware_base`) can be given to index 1, which is no counter; `fw_read` of it faults, and nothing
  takes the event away again. The same for a hardware counter, when it is then started with a value. Played is only what is reset at once.
- SKIP_MATCH with a firmware event on a hardware counter, or the other way round, and SKIP_MATCH with an empty mask.
- OpenSBI 1.1: start of a firmware event from 22 on; a base of XLEN or more, by which it shifts.
- A shared memory address where there is no memory: OpenSBI accepts all that its domain does not protect.
"""
