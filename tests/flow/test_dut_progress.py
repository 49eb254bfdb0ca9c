# SPDX-License-Identifier: Apache-2.0
"""What `make check DUT=` says while runs end, and which run takes so long while none does."""

import json

from rvtrace.flow.dut import check
from rvtrace.flow.dut.progress import Progress
from rvtrace.jobs.job import Job
from rvtrace.jobs.results import blank
from rvtrace.tools import check_dut
from tests.flow.dut_folders import folder


def job(name: str, source: str = "random") -> Job:
    return Job(name, source, {}, ip="ntrace")


def ended(name: str, verdict: str = "PASS", **more: object) -> dict:
    return blank(job(name)) | {"verdict": verdict, "error": None} | more


def test_what_runs_now_is_the_first_of_each_lot_that_has_not_ended(capsys):
    progress = Progress(4)
    assert progress.line() == "0 of 4 runs, 0 failed, 0:00"
    progress.play([[job("a"), job("b")], [job("c"), job("d")]])
    assert progress.line().endswith("; now a, c")
    progress.tell(ended("a"))
    assert "1 of 4 runs" in progress.line() and progress.line().endswith("; now b, c")
    progress.tell(ended("c", "ERROR", error="it broke"))
    assert progress.line().endswith("; now b, d") and "2 of 4 runs, 1 failed" in progress.line()
    for name in "bd":
        progress.tell(ended(name))
    assert "it broke" in capsys.readouterr().out
    assert progress.line().startswith("4 of 4 runs, 1 failed") and "now" not in progress.line()


def test_a_run_that_is_on_disk_and_was_not_reported_is_collected(tmp_path):
    jobs = [job(name) for name in "abcd"]
    for one in jobs[:3]:
        one.out = str(tmp_path / one.name)
        (tmp_path / one.name).mkdir()
    for name in "ab":
        (tmp_path / name / "result.json").write_text(json.dumps(ended(name)))
    (tmp_path / "c" / "result.json").write_text('{"verdict": "PA')  # while it was written
    progress = Progress(4)
    progress.tell(ended("a"))
    progress.collect(jobs)
    assert [result["name"] for result in progress.results] == ["a", "b"]


def test_stopped_before_and_after_the_first_run(tmp_path, monkeypatch, capsys):
    """The simulator is not needed to see what the report of some runs, or of none, says."""
    dut, out = folder(tmp_path / "dut"), tmp_path / "out"
    plays: list[int] = []

    def some(jobs: list[Job], sim: str, folder: object, tell, *rest: object, **more: object) -> None:
        for one in jobs[: plays.pop()]:
            tell(blank(one) | {"verdict": "PASS", "error": None, "clauses": {"NT.3.1.mseo": [5, 0]}})
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "build", lambda *_, **how: None)
    monkeypatch.setattr(check, "run_all", some)
    monkeypatch.setattr(check.signal, "signal", lambda *_: None)  # that of the tests stays as it is
    words = [f"DUT={dut}", "SIM=icarus", "SEEDS=3", "K=seed-", f"OUT={out}"]
    for done in (2, 0):
        plays.append(done)
        assert check_dut.main(words) == 130
        assert (
            capsys.readouterr().out.splitlines()[-1]
            == f"stopped: {done} of 3 runs are done, and the report of these is in {out / 'index.html'}"
        )
        report = json.loads((out / "compliance.json").read_text())
        verdicts = {row["id"]: (row["verdict"], row["reason"]) for row in report["clauses"]}
        assert report["verdict"] == ("FAIL" if done else "NOT JUDGED") and report["checked"] == 5 * done
        assert verdicts["NT.7.8.icnt"] == ("NOT-RUN", f"stopped after {done} of 3 runs, none of which met it")
        assert verdicts["NT.3.1.mseo"][0] == ("PASS" if done else "NOT-RUN")
        assert report["problems"] == ["stopped after 2 of 3 runs; the same command begins anew"] * (done > 0)
