# SPDX-License-Identifier: Apache-2.0
"""Findings for the viewer: what the check of a captured trace found, each at its message, bytes and instruction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from rvtrace.flow.captured.files import FILES, TraceFiles, path_of
from rvtrace.flow.captured.judge import Judged, judge
from rvtrace.flow.captured.limits import LONG, Paths
from rvtrace.flow.captured.trace import capture_of
from rvtrace.flow.captured.verdict import tolerances_of
from rvtrace.jobs.arguments import flag, json_of, typed
from rvtrace.report.captured_model import compliance_of
from rvtrace.report.viewer_traces import Messages, Shown
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.common.verdict import Verdict

RESULT = "result.json"
NAMED = 5  # clauses that a sentence names
_OF_VIEW = ("IP", "IN", "BEATS", "EXACT", "PAGE", "CHECK", "LIMIT")  # words that are not those of `make check`


@dataclass
class Judgement:
    """What a check said. word: PASS, FAIL, or "" if nothing was checked. files, decoded: of what was judged, in place
    of those given; None if nothing was. damage: (first, after) places that were not judged: numbers of messages, of
    tandem trace byte offsets. notes: sentences.
    """

    word: str = ""
    sentence: str = ""
    failures: list[Failure] = field(default_factory=list)
    damage: list[tuple[int, int | None]] = field(default_factory=list)
    files: TraceFiles | None = None
    decoded: Any = None
    notes: list[str] = field(default_factory=list)


@dataclass
class Finding:
    """A failure and its place: a message and an instruction (-1: unknown), and bytes [begin, end)."""

    clause: str
    headline: str
    requirement: str
    cause: str
    message: int
    index: int
    begin: int
    end: int
    pc: str
    cycle: int | None
    table: list[tuple[str, str, str]]
    before: list[str]
    rerun: str
    text: str

    def to_dict(self) -> dict[str, Any]:
        """For the page."""
        return asdict(self)


def judged(given: Mapping[str, str], files: TraceFiles) -> Judgement:
    """What `make check` finds in the files, with EXACT=1 byte for byte; without a check, a note says why."""
    if given.get("CHECK") == "0":
        return Judgement(notes=["the trace was not checked (CHECK=0)"])
    if files.size > LONG * files.captured.pace and given.get("CHECK") != "1":
        return Judgement(
            notes=[f"a trace of {files.size:,} bytes is not checked here; `make check` does it, or give CHECK=1"]
        )
    try:
        read, exact = _check(given, files)
    except ValueError as error:
        return Judgement(notes=[f"the trace was not checked: {error}"])
    verdict = read.verdict
    failures = [*verdict.failures, *_of_result(given, verdict)]
    found = Judgement(_word(failures, read), _sentence(failures, read, exact), failures, decoded=verdict.decoded)
    found.damage = [(one.begin, one.end) for one in verdict.book.damage]
    found.notes += [text for text in (read.problem, read.part and f"only a part was judged: {read.part}") if text]
    if read.files.data != files.data:
        found.files = read.files
    if verdict.read is not None:
        data = getattr(verdict.read, "data", None)
        found.files = replace(files, config=verdict.read.config, data=files.data if data is None else data)
        found.decoded = None
        found.notes.append("the trace does not decode as its options say; it is shown as the first finding reads it")
    elif files.captured.by_byte and any(one.at is not None and one.at < 0 for one in failures):
        found.failures = [replace(one, at=None) for one in failures]
        found.decoded, found.damage = None, []
        found.notes.append(
            "items have another layout than the format says: the bytes of the other findings are unknown"
        )
    return found


def of_run(folder: Path, files: TraceFiles) -> Judgement | None:
    """What the run that left the folder found (its result.json); None if that is about other files than those there, or
    the run read the trace with other options than it claims: then only a check can say what is where.
    """
    path = folder / RESULT
    try:
        result = json_of(path.read_text())
        left = result["left"][FILES["TRACE"]]
        failures = _failures(result["failures"])
        damage = [(begin, end) for begin, end in result.get("damage", [])]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if "read" in result or left != sha256((folder / FILES["TRACE"]).read_bytes()).hexdigest():
        return None
    causes = sorted({failure.clause for failure in failures if not failure.cause})
    checked = sum(bool(count) for count, _ in result["clauses"].values())
    sentence = _named(causes) if causes else f"no clause fails of {checked} checked (as the run did)"
    found = Judgement(str(result["verdict"]), sentence, failures, damage)
    if files.captured.by_byte and any(one.at is not None and one.at < 0 for one in failures):
        found.failures, found.damage = [replace(one, at=None) for one in failures], []
    count = sum(failed for _, failed in result["clauses"].values())
    if count > len(failures):
        found.notes.append(f"{len(failures)} of {count:,} checks that failed are shown: the first of each clause")
    return found


def of_result(folder: Path) -> Judgement:
    """What the run that left the folder found, without places; nothing if it says nothing."""
    try:
        result = json_of((folder / RESULT).read_text())
        failures = [replace(one, at=None) for one in _failures(result["failures"])]
        checked = sum(bool(count) for count, _ in result["clauses"].values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Judgement(notes=["there is no result.json: nothing is known of findings"])
    causes = sorted({failure.clause for failure in failures if not failure.cause})
    sentence = _named(causes) if causes else str(result.get("error") or f"no clause fails of {checked} checked")
    return Judgement(str(result["verdict"]), sentence, failures)


def as_the_run(folder: Path) -> dict[str, str]:
    """Words with which a check judges as the run that left the folder did; none if it says nothing."""
    try:
        judged_with = json_of((folder / RESULT).read_text())["judged"]
        options = {k.upper(): str(int(v) if isinstance(v, bool) else v) for k, v in judged_with["tolerances"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return options


def _failures(rows: list[dict[str, Any]]) -> list[Failure]:
    kept = {f for f in Failure.__dataclass_fields__}
    return [Failure(**{k: v for k, v in row.items() if k in kept}) for row in rows]


def _named(causes: list[str]) -> str:
    more = f" and {len(causes) - NAMED} more" if len(causes) > NAMED else ""
    return f"{len(causes)} finding{'s' if len(causes) > 1 else ''}: {', '.join(causes[:NAMED])}{more}"


def _word(failures: list[Failure], read: Judged) -> str:
    """PASS only of what was judged."""
    if failures or read.problem:
        return "FAIL"
    unread = not read.verdict.book.results() or read.verdict.stats.get("judged", 1) <= 0
    return "" if unread else "PASS"


def _sentence(failures: list[Failure], read: Judged, exact: bool) -> str:
    causes = sorted({failure.clause for failure in failures if not failure.cause})
    if causes:
        return _named(causes)
    if read.problem:
        return read.problem
    if not _word(failures, read):
        return "nothing of the trace could be judged"
    if exact:
        return f"no clause fails of {len(read.verdict.book.results())} checked (byte for byte, lossless and legal)"
    return compliance_of(read.files.trace.stem, read).sentence


def _check(given: Mapping[str, str], files: TraceFiles) -> tuple[Judged, bool]:
    """What was judged, and whether every byte was compared with the model's."""
    system = files.system
    beats = path_of(given, "BEATS")
    if flag(given, "EXACT") and not files.captured.replayed and beats is not None and not flag(given, "PARTIAL"):
        words = {k: v for k, v in given.items() if k not in ("PAGE", "CHECK", "LIMIT")}
        _, capture = capture_of(words)
        verdict = system.check(capture, tolerances_of(system.tolerances, given, capture.exact))
        return Judged(files, None, verdict, "", "", ""), capture.exact
    retired = path_of(given, "RETIRED")
    words = {"IP": system.ip, "TRACE": str(files.trace), "ELF": str(files.elf)}
    config = path_of(given, "CONFIG")
    if config is not None and config.is_file():
        words["CONFIG"] = str(config)
    if retired is not None and retired.is_file() and not flag(given, "PARTIAL"):
        words["RETIRED"] = str(retired)
    words |= {k: v for k, v in given.items() if k not in (*words, *_OF_VIEW)}
    return judge(words, Paths.of(words, system), files), False


PART = "part.bin"  # the file that the page puts in the place of this name


def part_again(given: Mapping[str, str], files: TraceFiles) -> str:
    """The command that checks a part of the trace, saved as PART; "" without a program."""
    if files.elf is None:
        return ""
    words = {"IP": files.system.ip, "TRACE": PART, "ELF": str(files.elf)}
    config = path_of(given, "CONFIG")
    if config is not None and config.is_file():
        words["CONFIG"] = str(config)
    words |= {k: v for k, v in given.items() if k not in (*words, *_OF_VIEW, "RETIRED", "SOURCE")}
    return typed("check", words if files.captured.replayed else words | {"PARTIAL": "1"})


def _of_result(given: Mapping[str, str], verdict: Verdict) -> list[Failure]:
    """Failures of the run that left the capture (its result.json) against clauses that need more than its files."""
    path = Path(given["IN"]) / RESULT if "IN" in given and "TRACE" not in given else None
    if path is None or not path.is_file():
        return []
    known = set(verdict.book.failed)
    try:
        rows = json.loads(path.read_text())["failures"]
        made = _failures(rows)
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [failure for failure in made if failure.clause not in known]


def placed(judgement: Judgement, shown: Shown, by_byte: bool) -> tuple[list[Finding], list[tuple[int, int]]]:
    """Findings in order, causes first; and what was not judged, as (first message, message after). by_byte: how they
    are placed (`Captured.by_byte`).
    """
    messages = shown.messages
    pcs = shown.codes.columns().pc
    found = [_placed(failure, shown, messages, pcs, by_byte) for failure in judgement.failures]
    found.sort(key=lambda one: (bool(one.cause), one.message < 0, one.message))
    spans = []
    for begin, end in judgement.damage:
        first = _message(begin, messages, by_byte)
        after = len(messages) if end is None else _message(end, messages, by_byte)
        if after > first:
            spans.append((first, after))
    return found, spans


def _message(at: int, messages: Messages, by_byte: bool) -> int:
    if by_byte:
        return int(np.searchsorted(messages.offset, at, side="left"))
    return min(max(at, 0), len(messages))


def _placed(failure: Failure, shown: Shown, messages: Messages, pcs: np.ndarray, by_byte: bool) -> Finding:
    message = index = -1
    begin = end = 0
    if failure.at is not None and failure.at >= 0 and len(messages):
        at = int(np.searchsorted(messages.offset, failure.at, side="right")) - 1 if by_byte else failure.at
        message = min(max(at, 0), len(messages) - 1)
        index = _instruction(failure.pc, message, shown, messages, pcs)
        if any(row[0] == "trap" for row in failure.table):  # the message that reports it comes before its handler's
            message = next((e.message for e in shown.events if e.kind == "trap" and e.index == index), message)
        begin = int(messages.offset[message])
        end = begin + int(messages.length[message])
    elif failure.cycle is not None and shown.cycles is not None:
        message, index = _at_cycle(failure.cycle, shown)
    return Finding(
        failure.clause, failure.headline, failure.requirement, failure.cause, message, index, begin, end,
        failure.place or ("" if failure.pc is None else f"{failure.pc:#x}"), failure.cycle,
        [(str(a), str(b), str(c)) for a, b, c in failure.table], failure.before, failure.rerun, failure.text(),
    )  # fmt: skip


def _at_cycle(cycle: int, shown: Shown) -> tuple[int, int]:
    """The last message that began, and the last instruction that retired, up to a cycle; -1 where it is not known."""
    assert shown.cycles is not None
    known, insn = shown.cycles.message, shown.cycles.insn
    message = int(np.searchsorted(known, cycle, side="right")) - 1 if len(known) and bool((known >= 0).all()) else -1
    if insn is not None:
        return message, int(np.searchsorted(insn, cycle, side="right")) - 1
    return message, min(int(shown.messages.first[message]), len(shown.rows) - 1) if message >= 0 else -1


def _instruction(pc: int | None, message: int, shown: Shown, messages: Messages, pcs: np.ndarray) -> int:
    """The last instruction at the pc of a failure that the message, or the one before, reports; else the first one that
    it reports.
    """
    count = len(shown.rows)
    if not count:
        return -1
    first = int(messages.first[message])
    after = int(messages.first[message + 1]) if message + 1 < len(messages) else count
    if pc is not None:
        since = int(messages.first[max(message - 1, 0)])
        same = np.flatnonzero(pcs[shown.rows[since:after]] == np.uint64(pc))
        if len(same):
            return since + int(same[-1])
    return min(first, count - 1)
