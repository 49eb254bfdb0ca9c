# SPDX-License-Identifier: Apache-2.0
"""`make view`: one HTML page to look into a captured trace, with everything inside it (docs/how-to/see-a-trace.md).

    view = View.of(files, shown, judgement)
    view.write(Path("out/view.html"))

The numbers of the page are columns (viewer_columns.py) in one JSON text; templates/viewer.js draws them.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.jobs.files import write as write_file
from rvtrace.report.profile import Profile
from rvtrace.report.viewer_columns import halves, packed
from rvtrace.report.viewer_cycles import read as read_cycles
from rvtrace.report.viewer_findings import PART, Finding, Judgement, placed
from rvtrace.report.viewer_hart import Beside
from rvtrace.report.viewer_traces import Shown
from rvtrace.report.viewer_waves import Waves

TEMPLATES = Path(__file__).parent / "templates"
LISTED = 20  # rows of a table of the summary
FUNCTIONS = 200  # of the table of functions
CALLS = 300_000  # frames of which a table of functions is made in a second
EVENTS = 200_000  # that are shown


@dataclass
class View:
    """One trace. about: name to text. unjudged: (first message, message after). again: the command that checks a part
    of it (`part_again`).
    """

    title: str
    about: dict[str, str]
    shown: Shown
    judgement: Judgement
    findings: list[Finding]
    unjudged: list[tuple[int, int]]
    elf: Path | None
    xlen: int
    waves: Waves = field(default_factory=Waves)
    beside: Beside | None = None
    again: str = ""

    @classmethod
    def of(
        cls,
        files: TraceFiles,
        shown: Shown,
        judgement: Judgement,
        folder: Path | None = None,
        retired: Path | None = None,
    ) -> View:
        """Of a trace that was decoded. folder: of the run that left it, with what else is there of it. retired: what
        the hart retired, if a file says it.
        """
        if shown.cycles is None:
            shown.clocked(*read_cycles(folder, len(files.data)))
        findings, unjudged = placed(judgement, shown, files.captured.by_byte)
        about = {
            "Trace": f"{files.trace}, {files.size:,} bytes",
            "System": f"{files.system.title} {files.system.described(files.config)}",
            "Program": str(files.elf or "not given"),
        }
        name = files.trace.resolve().parent.name if files.trace.name == "trace.bin" else files.trace.stem
        wanted = shown.losses or any(one.index >= 0 for one in findings)
        beside = Beside.of(shown, retired, files.program) if wanted else None
        return cls(
            name, about, shown, judgement, findings, unjudged, files.elf, files.config.xlen, Waves.of(folder), beside
        )  # fmt: skip

    def data(self) -> dict[str, Any]:
        """What viewer.js reads: columns, and tables of what is shown."""
        shown, messages = self.shown, self.shown.messages
        code = shown.codes.columns()
        frames = shown.frames()
        table, no_lines = shown.codes.table(self.elf)
        notes = [*shown.notes, *self.judgement.notes, *self._missing(no_lines)]
        accesses = None if shown.noun == "operation" else shown.accesses()  # operations are accesses themselves
        tracks = [*shown.tracks, *([accesses] if accesses else [])]
        events = shown.events[:EVENTS]
        if len(shown.events) > EVENTS:
            notes.append(f"only the first {EVENTS:,} of {len(shown.events):,} events are marked")
        kinds, texts = _numbered(e.kind for e in events), _numbered(e.text for e in events)
        return {
            "title": self.title,
            "again": [self.again, PART],
            "noun": shown.noun,
            "xlen": self.xlen,
            "counts": {"instructions": len(shown.rows), "messages": len(messages), "bytes": len(shown.data)},
            "verdict": [self.judgement.word, self.judgement.sentence],
            "notes": notes,
            "findings": [one.to_dict() for one in self.findings],
            "unjudged": self.unjudged,
            "shapes": [[s.name, [[f.name, f.form, f.codes] for f in s.fields]] for s in messages.shapes],
            "symbols": [name for _, name in shown.codes.functions],
            "code": table,
            "events": [kinds[0], texts[0]],
            "priv": shown.priv,
            "contexts": shown.contexts,
            "losses": sorted(shown.losses),
            "hart": self.beside
            and self.beside.to_dict([one.index for one in self.findings], [one.index for one in sorted(shown.losses)]),
            "tracks": [[one.name, one.kind, one.unit, packed(one.at, delta=True), halves(one.value)] for one in tracks],
            "tables": shown.tables,
            "waves": self.waves.to_dict(),
            "columns": {
                **self._cycles(),
                "data": packed(np.frombuffer(shown.data, np.uint8)),
                "rows": packed(shown.rows, delta=True),
                "offset": packed(messages.offset, delta=True),
                "length": packed(messages.length),
                "first": packed(messages.first, delta=True),
                "shape": packed(messages.shape),
                "starts": packed(shown.starts, delta=True),
                "codeSize": packed(code.size),
                "codeFlow": packed(code.flow),
                "codeFunction": packed(code.function),
                "frameBegin": packed(frames.begin, delta=True),
                "frameLength": packed(frames.end - frames.begin),
                "frameDepth": packed(frames.depth, delta=True),
                "frameFunction": packed(frames.function),
                "frameKind": packed(frames.kind),
                "eventKind": packed(kinds[1]),
                "eventText": packed(texts[1]),
                "eventIndex": packed([e.index for e in events], delta=True),
                "eventMessage": packed([e.message for e in events], delta=True),
            },
            "wide": {
                "values": halves(messages.values),
                "time": halves(messages.time),
                "codePc": halves(code.pc),
                "symbolAddress": halves(np.array([a for a, _ in shown.codes.functions], np.uint64)),
            },
        }

    def _cycles(self) -> dict[str, Any]:
        """Columns of what is known of clock cycles; empty where nothing is."""
        known, nothing = self.shown.cycles, np.zeros(0, np.int64)
        message = known.message if known is not None and bool((known.message >= 0).any()) else nothing
        insn = nothing if known is None or known.insn is None else known.insn
        return {"messageCycle": packed(message, delta=True), "insnCycle": packed(insn, delta=True)}

    def _missing(self, no_lines: str) -> Iterable[str]:
        """What a reader may look for and will not find."""
        shown = self.shown
        if not len(shown.rows):
            yield "no instruction could be decoded: only bytes and messages are shown"
        elif not shown.codes.functions:
            yield f"{self.elf.name if self.elf else 'the program'} has no symbols: functions are shown by address"
        if len(shown.rows) and self.elf is not None and no_lines:
            yield no_lines
        if len(shown.rows) and not shown.priv:
            yield "the trace does not report the privilege"
        if not bool((shown.messages.time >= 0).any()):
            yield "the trace has no time: the axis counts instructions"
        if shown.losses:
            lost = sum(one.end - one.begin for one in shown.losses)
            many = len(shown.losses)
            yield f"{lost:,} of {len(shown.data):,} bytes say nothing, in {many:,} place{'s' if many > 1 else ''}"

    def summary(self) -> dict[str, Any]:
        """Tables that need no script: messages by name, functions by instructions and calls."""
        shown, messages = self.shown, self.shown.messages
        names, sizes = Counter[str](), Counter[str]()
        count = np.bincount(messages.shape, minlength=len(messages.shapes)).tolist()
        size = np.bincount(messages.shape, messages.length, minlength=len(messages.shapes)).tolist()
        for shape, many, all_bytes in zip(messages.shapes, count, size):
            names[shape.name] += many
            sizes[shape.name] += int(all_bytes)
        # A profile takes seconds for millions of calls; the page is there to be looked at.
        functions = Profile.of(shown).rows if len(shown.rows) and len(shown.frames().begin) <= CALLS else []
        instructions = len(shown.rows)
        return {
            "instructions": instructions,
            "messages": len(messages),
            "bytes": len(shown.data),
            "bits": "-" if shown.losses or not instructions else f"{8 * len(shown.data) / instructions:.3f}",
            "traps": sum(event.kind == "trap" for event in shown.events),
            "losses": len(shown.losses),
            "names": [(name, many, sizes[name]) for name, many in names.most_common(LISTED)],
            "functions": functions[:FUNCTIONS],
        }

    def render(self) -> str:
        """The page."""
        environment = Environment(
            loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True
        )
        data = self.data()
        style, script = ((TEMPLATES / f"viewer.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
        text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
        return environment.get_template("viewer.html.j2").render(
            title=self.title,
            about=self.about,
            word=self.judgement.word,
            sentence=self.judgement.sentence,
            noun=self.shown.noun,
            notes=data["notes"],
            findings=self.findings,
            summary=self.summary(),
            style=Markup(style),
            script=Markup(script),
            data=Markup(text),
            style_hash=_hash(style),
            script_hash=_hash(script),
        )

    def write(self, path: Path) -> int:
        """Write the page; its size in bytes. OSError if that cannot be done."""
        text = self.render()
        write_file(path, text)
        return len(text.encode())


def _hash(text: str) -> str:
    """As a content security policy names a script that it allows."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _numbered(texts: Iterable[str]) -> tuple[list[str], list[int]]:
    """The distinct texts, and the number of each."""
    known: dict[str, int] = {}
    numbers = [known.setdefault(text, len(known)) for text in texts]
    return list(known), numbers
