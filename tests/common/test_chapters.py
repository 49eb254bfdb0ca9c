# SPDX-License-Identifier: Apache-2.0
"""Each section of a plan is in a chapter of its specification; reports list the clauses by them."""

from pathlib import Path

import pytest

from rvtrace.report.clauses import chapters
from rvtrace.scoreboards.common.clauses import PROFILE, RULINGS, Clause, Plan, chapter_of, tomllib

PLANS = sorted((Path(__file__).resolve().parents[2] / "scoreboards").glob("*/plan.toml"))
TITLES = {"7 Messages": ["7"], "8 Fields": ["8", "Format"], "Details": ["8.3"]}


class Row:
    """A row of a report, as far as its chapter goes."""

    def __init__(self, clause: Clause) -> None:
        self.clause = clause


def row(section: str, chapter: str = "") -> Row:
    return Row(Clause(section, section, "shall", "w", chapter=chapter or chapter_of(section, TITLES)))


@pytest.mark.parametrize(
    ("section", "chapter"),
    [
        ("7", "7 Messages"),
        ("8.2.1", "8 Fields"),
        ("8.3.1", "Details"),
        ("80", "80"),
        ("Format 1", "8 Fields"),
        ("Formats", "Formats"),
        ("ruling NT-5", RULINGS),
        ("docs/reference/x.md, 8", PROFILE),
    ],
)
def test_the_longest_start_of_a_section_counts(section: str, chapter: str) -> None:
    assert chapter_of(section, TITLES) == chapter


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.parent.name)
def test_no_section_is_without_a_chapter(path: Path) -> None:
    """A plan that has [chapters] names all of them; the sections of one that has none are titles themselves."""
    titles = tomllib.loads(path.read_text()).get("chapters")
    clauses = Plan.load(path).clauses.values()
    if titles is None:
        without = [c.section for c in clauses if c.chapter[:1].isdigit() or "/" in c.chapter.partition(" ")[0]]
    else:
        without = [c.section for c in clauses if c.chapter not in (*titles, PROFILE, RULINGS)]
        unused = set(titles) - {c.chapter for c in clauses}
        assert not unused, f"no section is in {sorted(unused)}"
    assert not without, f"[chapters] of {path.parent.name}/plan.toml lacks {sorted(set(without))}"


def test_chapters_are_in_the_order_of_the_specification_and_ours_last() -> None:
    rows = [row("docs/p.md"), row("ruling 1"), row("8.2", "10 Rules"), row("8.1"), row("7.1"), row("8.4")]
    assert [(name, [r.clause.section for r in found]) for name, found in chapters(rows)] == [
        ("7 Messages", ["7.1"]),
        ("8 Fields", ["8.1", "8.4"]),
        ("10 Rules", ["8.2"]),
        (PROFILE, ["docs/p.md"]),
        (RULINGS, ["ruling 1"]),
    ]
