# SPDX-License-Identifier: Apache-2.0
"""The checks of a tandem trace by itself, part by part, with the failures of the whole in the same order.

    stream = Stream(capture, tolerances, found); stream.feed(part, window); ...; stream.book()

Every rule has a book of its own until the end, so that failures come in the order of the rules, as in `check_legal`.
"""

from __future__ import annotations

from dataclasses import replace

from rvtrace.models.tandem.decoder.decode import Part
from rvtrace.models.tandem.decoder.window import Window
from rvtrace.models.tandem.simulator.interface import PPC_KEY
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verdict import Report
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure, Plan
from rvtrace.scoreboards.tandem.evidence import DamageFinder, Earlier, items_before, last_section
from rvtrace.scoreboards.tandem.layout import Found
from rvtrace.scoreboards.tandem.legal import RULES, Legal
from rvtrace.scoreboards.tandem.table import ItemTable
from rvtrace.scoreboards.tandem.tolerances import Tolerances
from rvtrace.scoreboards.tandem.verify import clause_of, failure, judge_report

_END = 1 << 62


class Stream:
    """The verdict of a trace that comes in parts.

    found: what explains its first bytes, if they cannot be followed as they are; its capture is what is checked.
    """

    def __init__(self, plan: Plan, found: Found, tolerances: Tolerances) -> None:
        self.capture, self.tolerances = replace(found.capture, data=b""), tolerances
        self._plan, self._found = plan, found
        self._books = [ClauseBook() for _ in RULES]
        self._damage = DamageFinder()
        self._earlier = Earlier(b"")
        self._before = ItemTable(b"", self.capture.config).after
        self._said: set[str] = set()  # clauses of which a failure was given
        self._seen = 0  # findings that were looked at for that
        self.instructions = self.groups = self.items = self.size = self.broken = self.places = 0

    def feed(self, part: Part, window: Window) -> None:
        """Check the sections of a part. window: the bytes, with a few that follow the part."""
        decoded, capture = part.decoded, self.capture
        items = ItemTable(b"", capture.config, part.items, self._before)
        earlier = self._earlier._replace(data=window)
        legal = Legal(capture, self._books[0], items, decoded, None, self.tolerances, None, earlier)
        for rule, book in zip(RULES, self._books):
            legal.book = book
            rule(legal)
        self._damage.feed(decoded)
        lines = found = tuple(items_before(window, items, _END, earlier.items))
        if part.found is not None:
            late = not len(items)  # it was found before this part
            found = earlier.found if late else tuple(items_before(window, items, part.found, earlier.items))
        self._earlier = Earlier(b"", last_section(decoded, earlier.section), lines, found)
        self._before = items.after
        self.instructions += decoded.instruction_count
        self.groups += decoded.group_count
        self.items += decoded.items
        self.size += len(part.data)
        self.broken += int((decoded.broken & (decoded.size > 0)).sum())
        self.places += int((decoded.change_key == PPC_KEY).sum())

    def new(self, report: Report | None) -> list[Failure]:
        """The first failures of clauses of which none was given before, so far as it is known without their causes."""
        clauses = {one.clause for book in self._books for one in book.failures}
        clauses |= {one.clause for one in self._found.failures}
        if report is not None:
            clauses |= {clause_of(one) for one in report.findings[self._seen :]}
            self._seen = len(report.findings)
        if clauses <= self._said:
            return []
        failures = [one for one in self._booked(report, None).failures if one.clause not in self._said]
        self._said |= clauses
        return failures

    def book(self, report: Report | None, profile: Profile | None) -> ClauseBook:
        """All clauses, once everything was fed. report: of the verifier, None if the trace was not replayed."""
        return self._booked(report, profile)

    def _booked(self, report: Report | None, profile: Profile | None) -> ClauseBook:
        capture = self.capture
        book = ClauseBook(self._plan, capture.rerun, f"RV{capture.config.xlen}")
        for one in self._found.failures:
            book.fail(replace(one))
        for part in self._books:
            counts = part.results()
            kept = [replace(one) for one in part.failures]
            for one in kept:
                counts[one.clause][1] -= 1
            for name, (checked, _) in counts.items():
                book.count(name, checked)
            for one in kept:
                book.fail(one, counted=True)
            book.add({name: (0, failed) for name, (_, failed) in counts.items() if failed}, ())
        if report is not None and profile is not None:
            judge_report(capture, book, report, self.places, profile.traces)
        elif report is not None:
            for one in report.findings[:_MOST]:
                book.fail(failure(one, report, capture))
        places = {one.at for one in book.failures}  # nothing else follows from damage
        book.damage = [one for one in self._damage.found if one.begin in places]
        book.attribute()
        book.damage = list(self._damage.found)
        self._found.attribute(book)
        return book


_MOST = 200  # findings that are looked at before the trace was read to its end
