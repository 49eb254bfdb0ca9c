# SPDX-License-Identifier: Apache-2.0
"""Files that users write: any bytes, and any value in place of a right one, are used or refused in one sentence."""

import copy
import json
import sys
from dataclasses import fields
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rvtrace.flow.captured import ctr
from rvtrace.flow.captured.profile import profile_of
from rvtrace.flow.dut.description import Dut
from rvtrace.jobs.arguments import sentence
from rvtrace.jobs.builds import ROOT
from rvtrace.models.ctr.config import Config as CtrConfig
from rvtrace.models.ctr.records import Record
from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.riscv.iss.csr import CsrTable
from rvtrace.models.riscv.program import Program
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.report import goals
from rvtrace.report.listing import ctr as listing
from rvtrace.report.perf_formats import branch_stack, call_graph
from rvtrace.report.results import ClauseRow
from rvtrace.scoreboards.common.clauses import Plan
from tests.tools.captures import run

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]  # installed with Python 3.10 only

SETTINGS = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
WAIVER = {"clause": "NT.8.6.start_while_off", "reason": "rev A", "owner": "A. Meier", "expires": date(2030, 1, 1)}
GOAL = {"group": "a", "chapters": ["9 Optimization Extensions"], "clauses": ["NT.8.*"], "goal": 50, "owner": "o",
        "milestone": "m", "due": date(2030, 1, 1), "ip": "ntrace"}  # fmt: skip
ESCAPES = "\x1b[2J\nPASS  all"


FILES: Any = SimpleNamespace(config=Config(xlen=64))  # what a profile is read for


def description(path):
    """A dut.toml below a copy of an example's folder."""
    link = path.parent / "rtl"
    if not link.exists():
        link.symlink_to(ROOT / "examples/acme_btm/rtl")
    return Dut.load(path)


def entries(path):
    """The entries of a capture, as they are printed."""
    found = ctr.load(path)
    listed = listing.listing(found, CtrConfig(), PROGRAM, "x")
    return listed, branch_stack(found), call_graph(found, PROGRAM, False, "x"), call_graph(found, None, True, "x")


def profile(path):
    """A profile, with what a hart and a verifier make of it."""
    found = profile_of({"PROFILE": str(path)}, FILES)
    for of, default in ((found, Profile()), (found.hart, virt(64))):
        for one in fields(of):
            assert type(getattr(of, one.name)) is type(getattr(default, one.name)), one.name
    return found.masks(CsrTable(found.hart)), found.to_dict()


def goal_rows(path):
    """Goals, and what becomes of them."""
    rows = [
        ClauseRow(clause, "PASS", 1, 0, 1) for clause in Plan.load(goals.PLANS / "ntrace/plan.toml").clauses.values()
    ]
    return goals.sentence(goals.reached(goals.read(path), {"ntrace": rows}, date(2029, 1, 1)))


DUT = {**tomllib.loads((ROOT / "examples/acme_btm/dut.toml").read_text()), "waiver": [WAIVER]}
PROGRAM = Program.from_elf(ROOT / "data/programs/sort.rv64.elf")
PROFILE = Profile(hart=virt(64, reset=(("mtvec", 4),), warl=(("mtvec", 3),))).to_dict()
ENTRIES = [Record.of_registers(0x1001 + 8 * n, 0x2000, 1 | 1 << 15 | 7 << 16).to_dict() for n in range(3)]
READ = {  # name of the file: how it is read, and a right one
    "dut.toml": (description, DUT),
    "goals.toml": (goal_rows, {"goal": [GOAL]}),
    "profile.json": (profile, PROFILE),
    "entries.json": (entries, ENTRIES),
}
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=6), st.dates(),
    st.datetimes(), st.sampled_from([ESCAPES, "", "ntrace", "0x", -1, 64, [], {}, [[]], {"": 1}, "$(id)", "*", "a.b"]),
)  # fmt: skip
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


def toml(value):
    """A value in TOML, which has no null."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value or "" if value is None else value)
    return value.isoformat() if isinstance(value, date) else repr(value)


def written(path, value):
    """A file of that kind with a value."""
    if path.suffix == ".toml":
        assert isinstance(value, dict)
        path.write_text("".join(f"{json.dumps(str(key))} = {toml(one)}\n" for key, one in value.items()))
    else:
        path.write_text(json.dumps(value, default=str))


def changed(data, value):
    """The value with one part of it, at any depth, exchanged, removed or doubled under another name."""
    value = copy.deepcopy(value)
    at = value
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = data.draw(st.sampled_from(keys))
        inner = at[key]
        if isinstance(inner, (dict, list)) and inner and data.draw(st.integers(0, 4)):
            at = inner
            continue
        how = data.draw(st.integers(0, 5))
        if how == 0:
            del at[key]
        elif how == 1 and isinstance(at, dict):
            at[data.draw(st.text(max_size=5) | st.just(ESCAPES))] = data.draw(VALUES)
        else:
            at[key] = data.draw(VALUES)
        return value


def refused(name, path):
    """Why a file is refused, as a user reads it, or None. Any error of another kind is a traceback."""
    try:
        READ[name][0](path)
    except (ValueError, OSError, RecursionError, OverflowError) as error:  # those that end as one sentence
        said = sentence(error)
        assert "\n" not in said and len(said) > 10, said
        assert len(said) < 2000, f"{len(said)} characters are no sentence"
        return said
    return None


@pytest.mark.parametrize("name", READ)
def test_the_right_file_is_used(tmp_path, name):
    written(tmp_path / name, READ[name][1])
    assert refused(name, tmp_path / name) is None


@pytest.mark.parametrize("name", READ)
@SETTINGS
@given(data=st.data())
def test_any_value_in_place_of_a_right_one(tmp_path, name, data):
    written(tmp_path / name, changed(data, READ[name][1]))
    refused(name, tmp_path / name)


@pytest.mark.parametrize(
    "value, said",
    [([[{}, {}]], "no value of an option"), ([[1.5]], "no value of an option"), ([{}], "no value of an option"),
     (date(2030, 1, 1), "no value of an option"), ("0..99999999999999", "too many values")],
)  # fmt: skip
def test_a_value_that_no_option_has(tmp_path, value, said):
    for option in ("xlen", "icnt_bits", "fifo_depth"):
        written(tmp_path / "dut.toml", {**DUT, "options": {**DUT["options"], option: value}})
        assert said in (refused("dut.toml", tmp_path / "dut.toml") or ""), option


@pytest.mark.parametrize("name", READ)
@SETTINGS
@given(data=st.binary(max_size=80))
def test_any_bytes(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    if refused(name, tmp_path / name) is None:
        assert json.loads(data) == {} and name == "profile.json", "only a profile can say nothing"


@pytest.mark.parametrize("name", READ)
@SETTINGS
@given(data=st.data())
def test_a_right_file_with_damaged_bytes(tmp_path, name, data):
    written(tmp_path / name, READ[name][1])
    text = bytearray((tmp_path / name).read_bytes())
    for at in data.draw(st.lists(st.integers(0, len(text) - 1), min_size=1, max_size=4)):
        text[at] = data.draw(st.integers(0, 255))
    (tmp_path / name).write_bytes(bytes(text))
    refused(name, tmp_path / name)


@pytest.mark.parametrize("name", READ)
def test_nothing_and_a_deep_file(tmp_path, name):
    for text in ("", "[" * 100_000, '{"a":' * 100_000, "a = " + "[" * 100_000):
        (tmp_path / name).write_text(text)
        assert refused(name, tmp_path / name) is not None


def test_texts_that_are_printed_have_no_control_characters(tmp_path):
    changed = copy.deepcopy(DUT)
    changed["dut"]["title"], changed["waiver"] = ESCAPES, [WAIVER | {"owner": ESCAPES, "reason": ESCAPES}]
    written(tmp_path / "dut.toml", changed)
    dut = description(tmp_path / "dut.toml")
    assert {dut.title, dut.waivers[0].owner, dut.waivers[0].reason} == {r"\x1b[2J\nPASS  all"}
    written(tmp_path / "goals.toml", {"goal": [GOAL | {"group": ESCAPES, "owner": ESCAPES, "goal": 100}]})
    (goal,) = goals.read(tmp_path / "goals.toml")
    assert {goal.group, goal.owner} == {r"\x1b[2J\nPASS  all"}


@pytest.mark.parametrize("name, words", [
    ("dut.toml", ("check", "DUT={}")), ("dut.toml", ("doctor", "DUT={}")),
    ("goals.toml", ("report", "GOALS={}")), ("goals.toml", ("check", "DUT=acme_btm", "GOALS={}")),
    ("entries.json", ("decode", "IP=ctr", "IN={}/..")),
])  # fmt: skip
def test_a_name_with_escapes_is_refused_in_one_line(tmp_path, name, words):
    folder = tmp_path / "capture" / "sub"
    folder.mkdir(parents=True)
    place = folder.parent if name == "entries.json" else folder
    bad = [{ESCAPES: 1}] if name == "entries.json" else {ESCAPES: 1}
    written(place / name, bad)
    done = run(*(word.format(folder if name != "goals.toml" else place / name) for word in words))
    assert done.returncode == 2 and done.stdout == "", done.stdout
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1 and "\x1b" not in done.stderr
