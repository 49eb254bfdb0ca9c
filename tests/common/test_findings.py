# SPDX-License-Identifier: Apache-2.0
"""Causes before consequences, in one run."""

from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.findings import COMPARED, DECODER, REFERENCE, RULE, Damage, Placed, causes


def test_at_one_place_a_rule_about_the_message_explains_what_was_decoded_from_it() -> None:
    found = [Placed("pc", 5, COMPARED), Placed("gave up", 5, DECODER), Placed("width", 5, RULE)]
    assert causes(found, []) == ["width", "width", ""]


def test_what_was_not_decoded_follows_from_what_stopped_the_decoder() -> None:
    found = [Placed("code", 2, DECODER), Placed("order", 4, RULE), Placed("order", 9, RULE)]
    assert causes(found, [Damage(2, 9)]) == ["", "code", ""]
    assert causes(found, [Damage(2)]) == ["", "code", "code"]


def test_rules_hold_for_messages_that_could_be_read() -> None:
    found = [
        Placed("pc", 2, COMPARED),
        Placed("rule", 4, RULE),
        Placed("gave up", 4, DECODER),
        Placed("pc", 7, DECODER),
    ]
    assert causes(found, [Damage(2, 6, read=True)]) == ["", "", "rule", ""]
    found[1:2] = []
    assert causes(found, [Damage(2, 6, read=True)]) == ["", "pc", ""]


def test_the_first_difference_from_the_reference_explains_what_was_decoded_after_it() -> None:
    found = [
        Placed("pc", 4, COMPARED),
        Placed("field", 5, REFERENCE),
        Placed("rule", 8, RULE),
        Placed("far", 2, COMPARED),
    ]
    assert causes(found, []) == ["field", "", "", ""]


def test_failures_without_a_place_and_of_one_clause_are_no_consequences() -> None:
    assert causes([Placed("port", None, RULE), Placed("a", 1, RULE), Placed("a", 1, DECODER)], [Damage(0)]) == [
        "",
        "",
        "",
    ]


def test_a_book_gives_each_failure_its_cause() -> None:
    book = ClauseBook()
    book.fail(Failure("pc", "another pc", at=3, found=COMPARED))
    book.fail(Failure("width", "too wide", at=3))
    book.attribute()
    assert [(f.clause, f.cause) for f in book.failures] == [("pc", "width"), ("width", "")]
    assert [f.to_dict()["cause"] for f in book.failures] == ["width", ""]
