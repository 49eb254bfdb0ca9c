# SPDX-License-Identifier: Apache-2.0
"""The command line that every tool shares: VAR=value words, and errors as one sentence."""

import sys

import pytest

from rvtrace.jobs.arguments import ArgumentError, existing_file, flag, main_guard, number, parse

KNOWN = {"OUT": "a folder", "SEED": "a number", "MESSAGES": "a switch"}


def test_words_become_a_dict_and_empty_ones_are_not_given():
    assert parse(["OUT=a=b", "SEED=", "MESSAGES=1"], KNOWN) == {"OUT": "a=b", "MESSAGES": "1"}


@pytest.mark.parametrize(
    "words, reported",
    [
        (["OTU=x"], "did you mean OUT=x"),
        (["out=x"], "did you mean OUT=x"),
        (["nonsense"], "known are OUT, SEED, MESSAGES"),
        (["OUT"], "write OUT=value"),
        (["OUT=a", "OUT=b"], "given twice"),
    ],
)
def test_a_wrong_word_is_a_sentence(words, reported):
    with pytest.raises(ArgumentError, match=reported):
        parse(words, KNOWN)


def test_switches_and_numbers():
    assert flag({"MESSAGES": "1"}, "MESSAGES") and not flag({}, "MESSAGES")
    assert number({"SEED": "0x10"}, "SEED") == 16 and number({}, "SEED", 3) == 3
    with pytest.raises(ArgumentError, match="MESSAGES=1 or MESSAGES=0"):
        flag({"MESSAGES": "yes"}, "MESSAGES")
    with pytest.raises(ArgumentError, match="SEED=ten is not a number"):
        number({"SEED": "ten"}, "SEED")


def test_help_names_every_word(capsys):
    with pytest.raises(SystemExit) as end:
        parse(["help"], KNOWN, "what it does")
    assert end.value.code == 0
    said = capsys.readouterr().out
    assert "what it does" in said and all(f"{name}=" in said for name in KNOWN)


def test_files_that_are_not_there(tmp_path):
    for path, reported in ((tmp_path / "none", "does not exist"), (tmp_path, "is a folder")):
        with pytest.raises(ArgumentError, match=reported):
            existing_file({}, "TRACE", path)


@pytest.mark.parametrize(
    "error, code, reported",
    [
        (ArgumentError("found\nthis; give that"), 2, "error: found this; give that\n"),
        (FileNotFoundError(2, "No such file", "x"), 2, "error: x: No such file; check the path and its permissions\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_errors_end_as_one_line_and_an_exit_code(error, code, reported, capsys, monkeypatch):
    def fails(argv):
        raise error

    monkeypatch.setattr(sys, "argv", ["tool"])
    monkeypatch.delenv("TRACEBACK", raising=False)
    with pytest.raises(SystemExit) as end:
        main_guard(fails)
    assert (end.value.code, capsys.readouterr().err) == (code, reported)


def test_a_mistake_of_ours_is_not_hidden(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tool"])
    with pytest.raises(ZeroDivisionError):
        main_guard(lambda argv: 1 // 0)
