# SPDX-License-Identifier: Apache-2.0
"""Which run `make cover` takes next, and what it takes for the code coverage; each run has a separate name."""

import json

import pytest

from rvtrace.flow import jobs
from rvtrace.flow.cover.account import Account, forget, resume, same_as_before, save_cost
from rvtrace.flow.cover.code import CodeRuns, choose
from rvtrace.flow.cover.plan import _GUESS, Plan
from rvtrace.flow.jobs import Played
from rvtrace.jobs import systems
from rvtrace.jobs.coverage import CoverageError
from rvtrace.jobs.job import save_jobs
from tests.flow.cover_fakes import FAKE, account, job, result

NTRACE = systems.bench("ntrace")


def build_of(asked):
    return asked.settings.xlen


def plan(known, seeds=40, tries=lambda account, number: []):
    return Plan(known, "verilator", 100, 1, seeds, build_of, tries)


def test_guesses_are_of_kinds_of_runs_that_there_are():
    listed = [
        *NTRACE.directed("verilator"),
        *NTRACE.programs(),
        *NTRACE.tci_jobs("verilator"),
        NTRACE.regressed(1, {}, 9),
    ]
    assert {each.source.partition(":")[0] for each in listed} == set(_GUESS)


def test_scenarios_come_first_one_build_a_lot():
    known = account()
    lot = plan(known).lot()
    assert len({build_of(each) for each in lot}) == 1
    assert {each.source for each in lot[:2]} == {"scenario:busy", "scenario:calm"}


def test_a_family_that_adds_nothing_comes_after_one_that_does():
    known = account(more=[job(f"{name}-{n}", f"scenario:{name}") for name in ("busy", "calm") for n in range(20)])
    chosen = plan(known)
    first = chosen.lot()
    chosen.learn(
        [known.add(each, result(pair=["RV64 x busy"] if "busy" in each.source else ["RV64 x busy"])) for each in first]
    )
    chosen.learn([known.add(job("good", "scenario:calm"), result(pair=["RV64 x calm"], depth=["16", "32"]))])
    following = [each.source for each in chosen.lot() if "scenario" in each.source]
    assert following[0] == "scenario:calm"


def test_nothing_runs_twice_and_nothing_when_all_is_hit():
    known = account()
    chosen = plan(known, seeds=3)
    names = []
    while lot := chosen.lot():
        names += [each.name for each in lot]
        chosen.learn([known.add(each, result(pair=["RV64 x busy"])) for each in lot])
    assert sorted(names) == ["busy-32", "busy-64", "calm-32", "calm-64", "seed-1", "seed-2", "seed-3", "sort"]
    done = account()
    done.add(
        job("all", "random"), result(pair=[b for b in FAKE.by_name["pair_cg"].reachable], depth=["16", "32", "64"])
    )
    assert done.open == 0 and not plan(done).lot()


def test_tries_at_holes_come_when_little_is_expected():
    known = account()
    asked = []

    def tries(of, number):
        asked.append(number)
        return [job(f"try-{number}-0", "random", 99)]

    chosen = plan(known, seeds=2, tries=tries)
    while lot := chosen.lot():
        chosen.learn([known.add(each, result()) for each in lot])
    assert asked == list(range(len(asked))) and 1 < len(asked) < 20  # and they end


def test_walks_end_when_nothing_adds_anything_for_long():
    known = account()
    chosen, walks = plan(known, seeds=10**6, tries=lambda account, number: [job(f"try-{number}", "random", 99)]), 0
    while (lot := chosen.lot()) and walks < 1000:
        walks += sum(each.name.startswith("seed-") for each in lot)
        chosen.learn([known.add(each, result()) for each in lot])
    assert 100 < walks < 400


def test_runs_of_an_interrupted_closure_are_counted_but_errors_run_again(tmp_path):
    jobs = [job(name, "random", n) for n, name in enumerate(("good", "bad", "broken", "cut"))]
    for each, left in zip(jobs, (result(pair=["RV64 x busy"]), result("FAIL"), result("ERROR"), None)):
        each.out = str(tmp_path / each.name)
        (tmp_path / each.name).mkdir()
        (tmp_path / each.name / "result.json").write_text(json.dumps(left) if left else "{")
    (tmp_path / "process-1").mkdir()
    save_jobs(jobs, tmp_path / "process-1" / "jobs.json")
    before = account()
    before.cost.runs = 7.5
    save_cost(before, tmp_path)
    known = account()
    assert resume(known, tmp_path) == 2 and known.cost.runs == 7.5 and known.names == {"good", "bad"}
    assert known.hit() == (1, 8) and known.bad == 1
    assert not same_as_before(tmp_path, "a") and same_as_before(tmp_path, "a") and not same_as_before(tmp_path, "b")
    forget(tmp_path)
    assert not same_as_before(tmp_path, "b")


def test_coverage_of_another_definition_is_refused():
    with pytest.raises(CoverageError, match="run the jobs again"):
        account().add(job("x", "random"), result() | {"coverage": {"pair_cg": {"RV64 x busy": 1}}})


def test_code_coverage_takes_few_runs_of_each_build_and_stops_when_they_add_nothing(tmp_path):
    known = account()
    known.add(job("a", "random"), result(seconds=9, pair=["RV64 x busy", "RV64 x calm"]))
    known.add(job("b", "scenario:busy"), result(pair=["RV64 x busy"]))
    known.add(job("c", "scenario:calm"), result(pair=["RV64 x calm", "RV64 x busy"]))
    known.add(job("d", "random", xlen=32), result(pair=["RV32 x calm"]))
    known.add(job("e", "random", xlen=32), result("FAIL", pair=["RV32 x busy"]))
    assert [(build, [each.name for each in jobs]) for build, jobs in choose(known, build_of)] == [
        (64, ["c"]),
        (32, ["d"]),
    ]


class Build:
    """What a build is to CodeRuns."""

    bench = "bench"

    def __init__(self, number):
        self.number = self.items = number

    def __repr__(self):
        return f"Build({self.number})"

    def __eq__(self, other):
        return repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))


def test_builds_that_add_no_line_end_the_code_coverage(tmp_path):
    known = account()
    for n in range(6):
        known.add(job(f"{n}", "random", n), result(pair=["RV64 x busy"]))

    def runs():
        return CodeRuns([known], tmp_path, tmp_path / "code", "verilator", lambda each: Build(each.seed))

    def entry(line, hits):
        return f"C '\x01f\x02{tmp_path}/rtl/a.sv\x01l\x02{line}\x01t\x02line\x01o\x02block\x01h\x02top' {hits}\n"

    first, reported = runs(), []
    while lot := first.lot():
        lot.place.mkdir(parents=True)
        (lot.place / "coverage.dat").write_text(entry(1, 1) + entry(2, int(len(reported) > 0)))
        reported.append(first.ended(Played(lot, [result() for _ in lot.jobs])))
    assert reported == [1, 1, 0, 0]
    again = runs()  # what is there is not run again
    assert again.builds == 4 and again.sum.files()["rtl/a.sv"].rate("line") == (2, 2)


@pytest.mark.parametrize("ip", systems.NAMES)
def test_every_run_has_its_name(ip):
    plan = Plan(Account(systems.bench(ip)), "verilator", 100, 1, 40, jobs.build_of, lambda account, number: [])
    names = [job.name for job in plan._listed("verilator")]
    assert len(names) == len(set(names)) > 0
