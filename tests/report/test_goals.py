# SPDX-License-Identifier: Apache-2.0
"""Goals of a sign-off: what is reached, what a page and the exit code say of it, and wrong files in one sentence."""

import json
from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rvtrace.jobs import systems
from rvtrace.models.common import shown
from rvtrace.report import goals
from rvtrace.report.compliance import Subject, write
from rvtrace.report.goals import GoalError, reached, read, sentence
from rvtrace.report.results import ClauseRow
from rvtrace.scoreboards.common.clauses import Clause, Plan
from tests.report.compliance_data import PLAN, TODAY, failing, result, waiver
from tests.report.report_page import GOOD
from tests.report.report_page import PLAN as PAGE_PLAN
from tests.tools.captures import run

FIRST = """
[[goal]]
group = "Fields"
clauses = ["NT-1", "NT-15"]
goal = 75
owner = "G. Hopper"
milestone = "RC2"
"""
SECOND = """
[[goal]]
group = "Returns <all>"
chapters = ["9 Returns"]
ip = "ntrace"
goal = 100
owner = "A. Lovelace"
"""
CHAPTERS = '[chapters]\n"9 Returns" = ["9"]\n'


def plans_of(folder, plan=CHAPTERS + PLAN):
    place = folder / "plans"
    (place / "ntrace").mkdir(parents=True, exist_ok=True)
    (place / "ntrace" / "plan.toml").write_text(plan)
    return place


def asked(folder, text=FIRST + SECOND):
    (folder / "goals.toml").write_text(text)
    return read(folder / "goals.toml", plans_of(folder))


def made(folder, *results, text=FIRST + SECOND, waivers=(), na=None):
    subject = Subject("acme", "ntrace", "N-Trace", {}, na or {})
    found = asked(folder, text)
    return write(subject, results, waivers, folder / "out", TODAY, folder / "plans", found)


def test_a_goal_is_the_share_of_the_clauses_that_apply_and_hold(tmp_path):
    c = made(tmp_path, result())
    assert [(one.held, one.applicable, one.state) for one in c.goals] == [(1, 2, "missed"), (2, 2, "reached")]
    assert (c.verdict, c.exit_code) == ("PASS", 1), "the verdict is about the clauses"
    assert c.sentence.endswith("1 of 2 goals reached, missed: Fields 50 % of 75 % (G. Hopper, RC2).")
    c = made(tmp_path, result(), na={"NT-15": "it has none"})
    assert (c.goals[0].held, c.goals[0].applicable, c.exit_code) == (1, 1, 0), "what does not apply is not asked for"
    assert c.sentence.endswith("2 of 2 goals reached.")


def test_what_fails_does_not_count_and_what_is_waived_does(tmp_path):
    assert made(tmp_path, failing()).goals[1].held == 0
    both = (waiver(), waiver("NT-5"))
    c = made(tmp_path, failing(), waivers=both)
    assert [row.verdict for row in c.rows[1:3]] == ["WAIVED", "WAIVED"] and c.goals[1].state == "reached"


def test_a_group_of_which_nothing_applies_is_neither_reached_nor_missed(tmp_path):
    c = made(tmp_path, result(), text=FIRST.replace('"NT-1", ', ""), na={"NT-15": "it has none"})
    assert (c.goals[0].state, c.exit_code, "goal" in c.sentence) == ("not applicable", 0, False)


@pytest.mark.parametrize("days, state, code", [(-1, "missed", 1), (0, "open", 0), (30, "open", 0)])
def test_a_goal_is_open_up_to_its_day(tmp_path, days, state, code):
    c = made(tmp_path, result(), text=f"{FIRST}due = {TODAY + timedelta(days)}\n")
    assert (c.goals[0].state, c.exit_code) == (state, code)


def test_a_share_just_below_a_goal_does_not_look_like_it():
    rows = [ClauseRow(Clause(f"C.{n}", "", "shall", ""), "PASS" if n else "FAIL", 1, 0, 1) for n in range(2000)]
    goal = goals.Goal("all", 100.0, "", "", None, "", (), ("C.*",))
    (one,) = reached([goal], {"ntrace": rows}, TODAY)
    assert (one.state, one.text) == ("missed", "all 99.9 % of 100 %")
    assert not reached([goal], {"ntrace": []}, TODAY) and sentence(()) == ""


def test_the_page_the_page_to_sign_and_the_json_show_them(tmp_path):
    made(tmp_path, result())
    for name in ("index.html", "signoff.html"):
        page = (tmp_path / "out" / name).read_text()
        assert all(text in page for text in ("Returns &lt;all&gt;", "G. Hopper", "RC2", "75 %", "1 of 2")), name
    assert '<tr class="differs"><td>Fields</td>' in (tmp_path / "out" / "index.html").read_text()
    found = json.loads((tmp_path / "out" / "compliance.json").read_text())["goals"]
    assert found[0] == {
        "group": "Fields", "goal": 75.0, "reached": 50.0, "held": 1, "applicable": 2, "state": "missed",
        "owner": "G. Hopper", "milestone": "RC2", "due": None,
    }  # fmt: skip


def test_the_report_of_runs_has_them_too(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "result.json").write_text(json.dumps(GOOD))
    plans_of(tmp_path, PAGE_PLAN)
    (tmp_path / "goals.toml").write_text(FIRST)
    words = [f"IN={tmp_path}/runs", f"PLAN={tmp_path}/plans", f"OUT={tmp_path}/out", f"GOALS={tmp_path}/goals.toml"]
    done = run("report", *words)
    assert done.returncode == 1 and "missed: Fields 50 % of 75 %" in done.stdout, done.stdout + done.stderr
    assert '<tr class="differs"><td>Fields</td>' in (tmp_path / "out" / "index.html").read_text()
    (tmp_path / "goals.toml").write_text(FIRST.replace("75", "50"))
    assert run("report", *words).returncode == 0


@pytest.mark.parametrize("ip", systems.NAMES)
def test_the_template_has_each_clause_of_a_system_in_one_group(tmp_path, ip):
    path = tmp_path / "goals.toml"
    path.write_text(goals.template(ip))
    found = read(path)
    plan = Plan.load(goals.PLANS / ip / "plan.toml")
    assert all(sum(goal.has(ip, clause) for goal in found) == 1 for clause in plan.clauses.values())
    assert all((goal.share, goal.ip) == (100.0, ip) for goal in found)


def test_the_command_writes_the_template_once(tmp_path):
    path = tmp_path / "g.toml"
    assert run("new_goals", "IP=ctr", f"OUT={path}").returncode == 0 and read(path)
    again = run("new_goals", "IP=ctr", f"OUT={path}")
    assert again.returncode == 2 and "is there already" in again.stderr
    assert run("new_goals", "IP=no", f"OUT={path}2").returncode == 2


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "no list of tables goal; write [[goal]]"),
        ("goal = 3", "no list of tables goal; write [[goal]]"),
        ("[goal]\ngroup = 'a'", "no list of tables goal; write [[goal]]"),
        ("[[goals]]\n", "goals is not known"),
        ("[[goal]\n", "is no TOML"),
        (FIRST.replace("owner", "ownr"), "unknown key ownr; did you mean owner?"),
        (FIRST.replace('"Fields"', "3"), "group is 3, and not a text"),
        (FIRST.replace('"Fields"', '" "'), "has no group"),
        (FIRST.replace("75", "101"), "goal is 101.0, and not a percentage".replace(".0", "")),
        (FIRST.replace("75", "nan"), "goal is nan, and not a percentage"),
        (FIRST.replace("75", "true"), "goal is True, and not a percentage"),
        (FIRST.replace("goal = 75", ""), "goal is None, and not a percentage"),
        (FIRST + "due = '2030-01-01'", "due is '2030-01-01', and not a day"),
        (FIRST + "due = 2030-01-01T10:00:00", "and not a day"),
        (FIRST + "ip = 'ntrase'", "ip is 'ntrase'; known are"),
        (FIRST.replace('["NT-1", "NT-15"]', '"NT-1"'), "clauses is no list of texts"),
        (FIRST.replace('["NT-1", "NT-15"]', "[]"), "names no clause"),
        (FIRST.replace("NT-15", "NT-155"), "no clause is 'NT-155', of 'Fields'; did you mean 'NT-15'?"),
        (SECOND.replace("9 Returns", "9 Return"), "chapter '9 Return' of 'Returns <all>' is in no plan; did you mean"),
        (FIRST + FIRST, "group 'Fields' is given twice"),
        ('[[goal]]\ngroup = "a\\u001b[2J\\nPASS"\ngoal = 1\nclauses = ["x"]', r"'a\\x1b[2J\\nPASS'"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_one_sentence(tmp_path, text, said):
    with pytest.raises(GoalError) as error:
        asked(tmp_path, text)
    assert said in str(error.value) and "\n" not in str(error.value) and "\x1b" not in str(error.value)


def test_a_wrong_file_is_refused_before_the_work(tmp_path):
    for words in (["check", "TRACE=none.bin", "IP=ntrace"], ["check", "DUT=acme_btm"], ["report"]):
        done = run(*words, f"GOALS={tmp_path}/none.toml")
        assert (done.returncode, done.stdout) == (2, ""), done.stdout
        assert done.stderr.startswith("error: GOALS=") and done.stderr.count("\n") == 1, done.stderr


VALUES = st.recursive(
    st.one_of(
        st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.dates(), st.datetimes(),
        st.sampled_from(["NT-1", "9 Returns", "ntrace", "*", "[", 50, date(2030, 1, 1)]),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


def toml(value):
    """A value as TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, (bool, str)):
        return json.dumps(value)
    return value.isoformat() if isinstance(value, date) else repr(value)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(goals._KEYS) | st.text(max_size=5), VALUES, max_size=8))
def test_any_values_of_a_goal_are_goals_or_one_sentence(tmp_path, row):
    try:
        found = asked(
            tmp_path, "[[goal]]\n" + "\n".join(f"{json.dumps(key)} = {toml(one)}" for key, one in row.items())
        )
    except GoalError as error:
        assert shown.line(str(error)) == str(error)
    else:
        assert len(found) == 1 and 0 <= found[0].share <= 100


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60))
def test_any_bytes_are_one_sentence(tmp_path, data):
    (tmp_path / "goals.toml").write_bytes(data)
    with pytest.raises(GoalError) as error:
        read(tmp_path / "goals.toml", plans_of(tmp_path))
    assert shown.line(str(error.value)) == str(error.value)
