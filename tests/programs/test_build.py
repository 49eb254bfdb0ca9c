# SPDX-License-Identifier: Apache-2.0
"""`rvtrace programs` without a compiler: what is refused and how, the manifest, and that what was built is found.
With a compiler, that a build is what the manifest says.
"""

import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from rvtrace.flow import jobs
from rvtrace.flow.programs import build, compile, package, record, sets
from rvtrace.flow.programs.build import Built, Manifest
from rvtrace.flow.programs.package import ProgramsError
from rvtrace.flow.programs.sets import Recipe
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.models.riscv import recording
from tests.programs.tiny import tiny, write
from tools import figures_scale as scale_tool
from tools import figures_sizes as sizes_tool
from tools import programs as tool


def sentence(error: Exception) -> str:
    """Its text; one sentence that says what to do."""
    text = str(error)
    assert "\n" not in text and ";" in text, text
    return text


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SimpleNamespace:
    """No compiler and no package: `programs` has what a recipe is made into, None: it does not compile."""
    made = SimpleNamespace(programs={"tiny": tiny()}, out=tmp_path / "programs")

    def compiled(gcc: str, recipe: Recipe, vendor: Path, out: Path) -> None:
        program = made.programs[recipe.name]
        if program is None:
            raise ProgramsError(f"{recipe.name} does not compile (no reason given); give another one")
        write(program, out)

    monkeypatch.setattr(compile, "compiler", lambda: "gcc")
    monkeypatch.setattr(compile, "version", lambda gcc: "gcc 1.0")
    monkeypatch.setattr(compile, "compile_program", compiled)
    monkeypatch.setattr(package, "vendor", lambda: tmp_path)
    monkeypatch.setattr(package, "version", lambda: "0.1")
    monkeypatch.setattr(
        build, "recipes", lambda of, vendor, xlen, n: [Recipe(name, 64, "", "", (), (), ()) for name in made.programs]
    )
    monkeypatch.setattr(build, "OUT", made.out)
    monkeypatch.setattr(recording, "BUILT", made.out)
    monkeypatch.setattr(build, "MANIFEST", tmp_path / "manifest.json")
    monkeypatch.setattr(Manifest, "read", classmethod(lambda cls: Manifest("", "", {}, {})))
    return made


# --- what is refused


def test_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ProgramsError) as error:
        compile.compiler()
    assert "there is no riscv64-unknown-elf-gcc" in sentence(error.value) and compile.PACKAGES in str(error.value)
    with pytest.raises(ProgramsError, match="apt-get install -y gcc-riscv64-unknown-elf"):
        build.build("coremark", 64, 1, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_no_headers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/true")
    with pytest.raises(ProgramsError) as error:
        compile.compiler(tmp_path)
    assert "has no C library in" in sentence(error.value) and "picolibc-riscv64-unknown-elf" in str(error.value)


def test_a_package_that_cannot_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = SimpleNamespace(returncode=1, stderr="WARNING: slow\nERROR: No matching distribution found\n")
    asked: list[list[str]] = []
    monkeypatch.setattr(package, "version", lambda: "")
    monkeypatch.setattr(subprocess, "run", lambda command, **_: asked.append(command) or failed)
    with pytest.raises(ProgramsError) as error:
        package.vendor()
    assert "No matching distribution found" in sentence(error.value)
    assert asked[0][-1] == package.pinned() and asked[0][-1].startswith("pythondata-cpu-ibex==")


def test_requirements_without_the_package(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("numpy==1\n")
    with pytest.raises(ProgramsError, match="does not pin pythondata-cpu-ibex"):
        package.pinned(tmp_path / "requirements.txt")


@pytest.mark.parametrize(
    ("main", "words", "said"),
    [
        (tool.main, [], "no set was given; give SET=riscv-tests or SET=coremark or SET=arch-test"),
        (tool.main, ["SET=coremark", "XLEN=16"], "XLEN=16 is not a register width"),
        (tool.main, ["SET=coremark", "ITERATIONS=500"], "ITERATIONS=500 is too long for one recording"),
        (tool.main, ["SET=arch-test", "ITERATIONS=2"], "SET=arch-test has no iterations"),
        (tool.main, ["SETT=coremark"], "unknown word SETT=coremark; did you mean SET=coremark?"),
        (sizes_tool.main, ["SET=coremark"], "SET=coremark has no published figures; give SET=riscv-tests"),
        (sizes_tool.main, ["SAVE=0"], "SAVE= is of the programs with published figures"),
        (scale_tool.main, ["XLEN=48"], "XLEN=48 is not a register width"),
        (scale_tool.main, ["INSTRUCTIONS=many"], "INSTRUCTIONS=many is not a number"),
        (scale_tool.main, ["INSTRUCTIONS=0"], "INSTRUCTIONS=0 is out of range"),
    ],
)
def test_words(main, words: list[str], said: str) -> None:
    with pytest.raises(ArgumentError) as error:
        main(words)
    assert said in str(error.value)


def test_an_unknown_set(fake: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "recipes", sets.recipes)
    with pytest.raises(ProgramsError) as error:
        build.build("embench", None, 1, fake.out)
    assert "there is no set 'embench'; give SET=riscv-tests or SET=coremark or SET=arch-test" in sentence(error.value)
    with pytest.raises(ProgramsError, match="SET=arch-test has no program for RV64; give XLEN=32"):
        build.build("arch-test", 64, 1, fake.out)


# --- builds


def test_a_build_is_recorded_and_found(fake: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """PROGRAM=tiny is then a program like the others, by name and by path; the main jobs do not run it."""
    with pytest.raises(recording.RecordingError, match="there is no recorded program 'tiny'.*rvtrace programs"):
        recording.load("tiny", 64)
    with pytest.raises(jobs.JobError, match="there is no program tiny; .*rvtrace programs"):
        jobs.one({"PROGRAM": "tiny", "IP": "ntrace"})
    (built,), found = build.build("coremark", 64, 1, fake.out)
    assert not built.said and built.rows == len(record.run(tiny(), 0x8000_1000).retired) and built.code == 1
    run = recording.load("tiny", 64)
    assert len(run.retired) == built.rows and run.retired.effects is not None
    file = fake.out / "coremark" / "tiny.rv64.rec"
    assert recording.load(file).name == "tiny" and recording.built("tiny") == [file]
    assert jobs.one({"PROGRAM": "tiny", "IP": "ntrace"}).source == "program:tiny"
    by_path = jobs.one({"PROGRAM": str(file), "IP": "etrace"})
    assert by_path.name == "tiny" and by_path.source == f"program:{file}"
    monkeypatch.chdir(fake.out)
    assert jobs.one({"PROGRAM": "coremark/tiny.rv64.rec", "IP": "etrace"}).source == f"program:{file}"
    assert "tiny" not in recording.names()
    with pytest.raises(recording.RecordingError, match="program tiny was not built for RV32; give XLEN=64"):
        recording.load("tiny", 32)
    merged = build.merged(found, [built])
    merged.write(fake.out / "manifest.json")
    again = json.loads((fake.out / "manifest.json").read_text())
    assert again["programs"] == {"tiny.rv64": {"rows": built.rows, "elf": built.elf, "rec": built.rec}}
    assert again["compiler"] == "gcc 1.0" and again["package"] == "0.1"


def test_what_goes_wrong_is_said_and_left_behind_is_nothing(fake: SimpleNamespace) -> None:
    """The others are built; a program that complains, that does not compile, that never ends."""
    fake.programs = {"good": tiny(), "bad": tiny(code=7), "none": None, "endless": tiny(code=2)}
    made, _ = build.build("coremark", 64, 1, fake.out)
    said = {built.name: built.said for built in made}
    assert said["good.rv64"] == "" and said["bad.rv64"] == "it complains: test case 3 failed"
    assert "none does not compile" in said["none.rv64"] and "did not end within 200,000" in said["endless.rv64"]
    left = sorted(path.name for path in fake.out.rglob("*") if path.is_file())
    assert left == ["good.rv64.elf", "good.rv64.rec"] and not list(fake.out.glob(".half-built*"))


def test_a_second_build_is_the_same(fake: SimpleNamespace) -> None:
    (one,), _ = build.build("coremark", 64, 1)
    (fake.out / f"{build._HALF}999999999-x").mkdir()
    (again,), _ = build.build("coremark", 64, 1)
    assert (one.elf, one.rec) == (again.elf, again.rec), "same input, same bytes"
    assert not list(fake.out.glob(f"{build._HALF}*")), "what a killed build has left"


def test_the_tool_reports_what_changed(fake: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    old = {"tiny.rv64": {"rows": 1, "elf": "0", "rec": "0"}}
    monkeypatch.setattr(Manifest, "read", classmethod(lambda cls: Manifest("gcc 0.9", "0.1", old, {"x.rv64": "why"})))
    assert tool.main(["SET=riscv-tests", "N=1"]) == 0
    printed = capsys.readouterr().out
    assert "another program" in printed and "left out: x.rv64 (why)" in printed
    assert "the manifest is of gcc 0.9" in printed and "make run PROGRAM=tiny XLEN=64" in printed
    fake.programs = {"tiny": tiny(code=5)}
    assert tool.main(["SET=riscv-tests", "N=1"]) == 1
    assert "RED   tiny.rv64" in capsys.readouterr().out


# --- the manifest


def test_the_manifest_that_is_committed() -> None:
    """Of every set, with checksums; what is left out is not there, and says why."""
    manifest = Manifest.read()
    assert manifest.compiler.startswith("gcc ") and f"{package.PACKAGE}=={manifest.package}" == package.pinned()
    names = set(manifest.programs)
    assert {f"{one}.rv{x}" for one in sets.BENCHMARKS if one != "mm" for x in (32, 64)} <= names
    assert {"coremark.rv32", "coremark.rv64", "rv64mi-p-illegal.rv64", "arch-privilege-ecall.rv32"} <= names
    assert not names & set(manifest.left_out) and all(" " in why for why in manifest.left_out.values())
    for entry in manifest.programs.values():
        assert entry["rows"] >= 5 and len(entry["elf"]) == len(entry["rec"]) == 64
    known = next(iter(manifest.programs))
    same = Built(known, **{k: manifest.programs[known][k] for k in ("rows", "elf", "rec")})
    assert manifest.differs(same) == ""
    assert manifest.differs(Built(known, elf=same.elf, rec="0")) == "the same program, another recording"


def test_a_damaged_manifest(tmp_path: Path) -> None:
    assert Manifest.read(tmp_path / "none.json").programs == {}
    for text in ("{", "[]", "{}"):
        (tmp_path / "manifest.json").write_text(text)
        with pytest.raises(ProgramsError, match="is no manifest"):
            Manifest.read(tmp_path / "manifest.json")


# --- with the compiler


def sources() -> Path:
    """The vendor folder, or the reason to skip."""
    try:
        compile.compiler()
    except ProgramsError as error:
        pytest.skip(str(error))
    if f"{package.PACKAGE}=={package.version()}" != package.pinned():
        pytest.skip(f"{package.PACKAGE} is not installed")
    return package.vendor()


def test_the_recipes_have_their_sources() -> None:
    """Every set, each program once; ours and the package's files exist."""
    vendor = sources()
    for of in sets.SETS:
        found = sets.recipes(of, vendor)
        assert len({one.file for one in found}) == len(found) > 1
        for one in found:
            for path in one.sources:
                assert (sets.SOURCES / path[1:] if path[0] == "+" else vendor / path).is_file(), path
    assert {one.xlen for one in sets.recipes("arch-test", vendor)} == {32}
    assert [one.name for one in sets.recipes("coremark", vendor, 64, 3)] == ["coremark-3"]


@pytest.mark.parametrize("name", ["vvadd.rv32", "rv64ui-p-add.rv64", "rv32mi-p-illegal.rv32"])
def test_a_program_is_built_as_the_manifest_says(name: str, tmp_path: Path) -> None:
    vendor, gcc, manifest = sources(), compile.compiler(), Manifest.read()
    (recipe,) = (one for one in sets.recipes("riscv-tests", vendor) if one.file == f"{name}.elf")
    built = build.one(gcc, recipe, vendor, tmp_path)
    assert not built.said
    if compile.version(gcc) == manifest.compiler:
        assert manifest.differs(built) == "" and built.rows == manifest.programs[name]["rows"]


def test_a_source_that_does_not_compile(tmp_path: Path) -> None:
    sources()
    (tmp_path / "wrong.c").write_text("int main(void) { return missing; }\n")
    recipe = Recipe("wrong", 64, "rv64imac", "lp64", (str(tmp_path / "wrong.c"),), (), ())
    built = build.one(compile.compiler(), recipe, tmp_path, tmp_path)
    assert "wrong for RV64 does not compile" in built.said and "missing" in built.said
