# SPDX-License-Identifier: Apache-2.0
"""Numbers that no register holds, in the files that commands read: one sentence, and exit code 2."""

import json

import pytest

from rvtrace.flow.captured.rows import records
from rvtrace.jobs.arguments import ArgumentError, main_guard
from rvtrace.models.sbi_pmu.record import Record, RecordError
from tests.tools.captures import is_one_sentence, run, write_capture

WIDE, LONG = "0x10000000000000000", "99999999999999999999"


@pytest.mark.parametrize("value", [-4, 2**64, 2**70])
def test_counters(tmp_path, value):
    (tmp_path / "counters.json").write_text(json.dumps([{"selector": value}]))
    with pytest.raises(ArgumentError, match=f"selector of number 0 is {value}"):
        records(tmp_path / "counters.json", {"selector": int}, "counters", "hpm")


@pytest.mark.parametrize("key", ["fid", "nested"])
def test_calls(tmp_path, key):
    (tmp_path / "calls.jsonl").write_text(json.dumps({key: [{"value": 2**64}]}) + "\n")
    with pytest.raises(RecordError, match=r"line 1 is no line of a record .*has more than 64 bits"):
        Record.load(tmp_path / "calls.jsonl")


@pytest.mark.parametrize(("old", "new"), [(",4,", ",-4,"), (",4,", f",{LONG},"), (",0x0,0x0,", f",{WIDE},0x0,")])
def test_retired_rows(tmp_path, old, new):
    folder = write_capture(tmp_path / "out")
    path = folder / "retired.csv"
    rows = path.read_text().splitlines()
    at = next(n for n, row in enumerate(rows) if old in row)
    path.write_text("\n".join([*rows[:at], rows[at].replace(old, new, 1), *rows[at + 1 :]]) + "\n")
    done = run("check_trace", "IP=ntrace", f"IN={folder}", f"OUT={tmp_path / 'report'}")
    assert is_one_sentence(done, f"retired.csv line {at + 1}: ", "is out of range") and done.returncode == 2


def test_a_reader_that_has_no_range(monkeypatch, capsys):
    def main(argv):
        raise OverflowError("Python int too large to convert to C long")

    monkeypatch.setattr("sys.argv", ["tool"])
    monkeypatch.delenv("TRACEBACK", raising=False)
    with pytest.raises(SystemExit) as end:
        main_guard(main)
    assert end.value.code == 2 and "a number of the input is out of range" in capsys.readouterr().err
