# SPDX-License-Identifier: Apache-2.0
"""The command `rvtrace` and the targets of `make`: what each says of words it cannot use, and in which form."""

import re
from collections.abc import Iterator

import pytest

from rvtrace.jobs import front
from rvtrace.jobs.arguments import sentence
from rvtrace.jobs.builds import ROOT
from rvtrace.tools import cli, from_make
from tests.tools.captures import write_capture

ELF = "data/programs/sort.rv64.elf"
CSV = "tests/tools/test_front.py"  # a file that is none of what is asked for
NUMBER, RANGE, SWITCH = "is not a number", "is out of range", "is not a switch"


@pytest.fixture(params=["rvtrace", "make"])
def used(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The front that the user typed."""
    monkeypatch.setenv(front.FRONT, request.param)
    monkeypatch.setattr(front, "_known", {})
    return request.param


def _said(argv: list[str]) -> str:
    with pytest.raises((ValueError, OSError)) as error:
        cli.run(argv)
    return front.spoken(sentence(error.value))


WRONG: list[tuple[str, str]] = [
    # commands
    ("chek", "did you mean check?"),
    ("check-trace x", "it is `rvtrace check"),
    ("mutants", "mutate written"),
    ("perf", "figures speed"),
    ("elf-to-trace", "capture --load <elf>"),
    ("new dat", "did you mean dut?"),
    ("mutate drivces", "did you mean devices?"),
    ("figures --kind x", "--kind speed or area or sizes or scale"),
    # options
    ("run --seeed 4", "did you mean --seed"),
    ("run --sed=4", "did you mean --seed"),
    ("run sort --seed", "requires an argument"),
    ("run sort 3", "`rvtrace run` takes PROGRAM without one"),
    ("run sort PROGRM=x", "unknown word PROGRM=x"),
    ("run sort seed=4", "did you mean --seed 4"),
    ("lint x", "takes no word without one"),
    ("compare a b c", "takes A and B without one"),
    ("run sort --seed 1 --seed 2", "is given twice, as 1 and 2"),
    # systems
    ("run --ip itrace sort", "--ip itrace is not built; give --ip ntrace or"),
    ("decode --ip x", "--ip x is not built"),
    ("check --ip x", "--ip x is not built"),
    ("view --ip ctr", "sends no trace to look into"),
    ("oracle ntrace", "--ip ntrace has no oracle"),
    ("mutate --ip tandems", "has no RTL of its own"),
    ("figures area --ip x", "--ip x is not built"),
    ("regress --ip ntrace,x", "x"),
    ("cover --ip x", "x"),
    # numbers
    ("run sort --seed many", NUMBER),
    ("run sort --seed -1", RANGE),
    ("run random --size 0", RANGE),
    ("run random --size 99999999999", RANGE),
    ("run sort --backpressure 101", "backpressure"),
    ("regress --seeds 99999999999", RANGE),
    ("regress --first -3", RANGE),
    ("regress --n 0", "--n 0 is out of range"),
    ("regress --n abc", "--n abc is not a number"),
    ("test --n 0", "--n 0 is out of range"),
    ("test --n abc", "--n abc is not a number"),
    ("cover --budget inf", RANGE),
    ("cover --budget nan", RANGE),
    ("run --ip tci --seed -1", RANGE),
    ("check {0} --sync-late 99999999999999999999", RANGE),
    ("check {0} --memory 1", "--memory 1 is too little"),
    ("check {0} --memory x", NUMBER),
    ("decode {0} --limit 0", RANGE),
    ("decode {0} --limit x", NUMBER),
    ("view {0} --limit 0", RANGE),
    ("mutate --ip hpm --count 0", "--count 0"),
    ("mutate devices --n 0", "--n 0"),
    ("mutate devices --draws x", NUMBER),
    ("figures scale --instructions 0", "--instructions 0"),
    ("figures scale --xlen 48", "--xlen 32 or --xlen 64"),
    ("programs riscv-tests --xlen 48", "--xlen 32 or --xlen 64"),
    ("programs coremark --iterations 99", "is too long for one recording"),
    ("core --limit 0", "--limit 0"),
    # switches
    ("run sort --waves 2", "2 has no name"),
    ("run sort --waves=2", SWITCH),
    ("decode {0} --messages=x", SWITCH),
    ("decode {0} --messages --pcs", "exclude each other"),
    ("check {0} --partial", "exclude each other"),
    # programs, scenarios, tests
    ("run srot", "did you mean sort?"),
    ("run traps.elf", "there is no program traps.elf"),
    ("run {1}", "there is no program"),
    ("run data/programs/foreign.x86_64.elf", "not for RISC-V"),
    ("run --scenario nothing", "there is no scenario nothing"),
    ("run --source elsewhere", "program:<name>"),
    ("run sort --scenario x", "PROGRAM and SCENARIO given"),
    ("run sort --mode fast", "--mode fast"),
    ("run sort --xlen 48", "--xlen 48"),
    ("run sort --drive fast", "--drive fast"),
    ("run sort --sim foo", "--sim verilator or --sim icarus"),
    ("run sort --test no.py", "no.py was not found"),
    ("test tests/nothing.py", "tests/nothing.py does not exist"),
    ("test --only fast", "--only simulated"),
    ("core --core rocket", "there is no core 'rocket'"),
    ("core doom", "there is no program 'doom'"),
    ("core --set nowhere", "is no folder"),
    ("programs --set x", "x"),
    ("list nothing", "--what scenarios or tests or options"),
    ("mutate written --mutant nothing", "there is no mutant nothing"),
    ("mutate devices --ip ntrace --dut nothing", "nothing"),
    # files
    ("check nothing", "there is no nothing"),
    ("check", "no trace was named"),
    ("check --trace {0}/trace.bin", "nothing says what sent"),
    ("check --ip ntrace --trace none.bin --elf {2}", "none.bin does not exist"),
    ("check --ip ntrace --trace {0}/trace.bin", "no program was named"),
    ("check --ip ntrace --trace {0}/trace.bin --elf {1}", "is not an ELF file"),
    ("check {0} --retired {2}", "is not text"),
    ("check {0} --config {1}", "is not JSON"),
    ("check --ip hpm", "no config.json was named"),
    ("check --dut nothing", "new --name acme --ip ntrace"),
    ("check {0} --ip etrace", "is of ip 'ntrace'"),
    ("decode", "no trace.bin was named"),
    ("decode nowhere", "there is no folder nowhere"),
    ("view nowhere", "there is no folder nowhere"),
    ("view tests", "is no capture"),
    ("compare nothing nothing", "nothing"),
    ("compare --a {0}", "B is missing"),
    ("report --list x", "--list results or --list coverage"),
    ("report --keep x", "x"),
    ("capture --load {1}", "is not an ELF file"),
    ("capture --load none.elf", "none.elf does not exist"),
    ("new --name 1x --ip ntrace", "cannot name a folder"),
    ("new --name acme", "--ip"),
    ("new core --name acme", "--files"),
    ("new profile --extensions imafd --out {3}/p.json", "imafd"),
    # outputs
    ("capture sort", "--out <folder>"),
    ("check {0} --out docs", "which git tracks"),
    ("view {0} --page {2} --elf {2}", "would be overwritten"),
    ("check {0} --junit {0}/trace.bin --trace {0}/trace.bin", "would be overwritten"),
    ("check {0} --out {1}/x", "is a file"),
]


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_capture(tmp_path_factory.mktemp("front") / "out"))


@pytest.mark.parametrize(("line", "said"), WRONG, ids=[line for line, _ in WRONG])
def test_a_wrong_word_is_one_sentence_in_the_form_that_was_typed(line, said, capture, tmp_path, monkeypatch):
    """Each names what was found and what to type, as options."""
    monkeypatch.setenv(front.FRONT, "rvtrace")
    monkeypatch.setattr(front, "_known", {})
    found = _said(line.format(capture, CSV, ELF, tmp_path).split())
    assert said in found and "\n" not in found and ";" in found, found
    assert not re.search(r"`make (?!all|docs|clean|help|venv|`)", found), found


def _helps() -> Iterator[tuple[str, ...]]:
    for one in cli.COMMANDS:
        yield from ((one.name, kind) for kind in one.kinds) if one.kinds else [(one.name,)]


@pytest.mark.parametrize("words", list(_helps()), ids="-".join)
def test_every_command_shows_its_words(words, used, capsys):
    assert cli.run([*words, "--help"]) == 0
    out = capsys.readouterr().out
    command = next(one for one in cli.COMMANDS if one.name == words[0])
    kind = [f"KIND={word}" for word in words[1:]]
    for name in command.known(kind):
        shown = f"{name}=" if used == "make" else name.lower().replace("_", "-")
        assert shown in out, name


def test_a_sentence_has_the_form_of_the_command(monkeypatch):
    text = "XLEN=48 of SYNC is wrong; give XLEN=32, or type `make check IN=<folder> EXACT=1` or `make docs`"
    monkeypatch.setattr(front, "_known", {})
    monkeypatch.setenv(front.FRONT, "make")
    assert front.spoken(text) == text
    monkeypatch.setenv(front.FRONT, "rvtrace")
    front.know({"XLEN": "32 or 64", "EXACT": "1: also byte for byte"})
    assert front.spoken(text) == (
        "--xlen 48 of SYNC is wrong; give --xlen 32, or type `rvtrace check <folder> --exact` or `make docs`"
    )


def test_a_command_can_be_pasted(monkeypatch):
    given = {"OUT": "my captures/a'b", "SIM": "icarus"}
    monkeypatch.setenv(front.FRONT, "make")
    assert front.written("run", given) == "make run 'OUT=my captures/a'\"'\"'b' SIM=icarus"
    assert front.written("compare", {"A": "x"}) == "rvtrace compare A=x"
    monkeypatch.setenv(front.FRONT, "rvtrace")
    assert front.written("run", given) == "rvtrace run --out 'my captures/a'\"'\"'b' --sim icarus"


def test_options_words_and_places_are_the_same(monkeypatch):
    """What a module is given, from each way to write it."""
    seen: list[list[str]] = []
    command = cli.Command("view", cli.LOOK, "")
    module = type(
        "Module", (), {"WORDS": {"IN": "", "CHECK": "0: none", "LIMIT": ""}, "main": lambda words: seen.append(words)}
    )
    monkeypatch.setattr(cli.Command, "chosen", lambda self, words: (module, words))
    for line in (
        "out --limit 5 --no-check",
        "--in out LIMIT=5 CHECK=0",
        "--limit=5 --check 0 out",
        "CHECK=0 out --limit 5",
    ):
        with cli.WordsCommand(command).make_context("view", list(map(str, line.split()))) as ctx:
            ctx.command.invoke(ctx)
    assert {tuple(sorted(words)) for words in seen} == {("CHECK=0", "IN=out", "LIMIT=5")} and len(seen) == 4


def test_the_makefile_has_the_targets_that_sentences_name():
    line = re.search(r"^override TARGETS := (.*)$", (ROOT / "Makefile").read_text(), re.M)
    assert line is not None
    targets = line[1].split()
    assert sorted(targets) == sorted({*front.TARGETS, *front.MAKE_ONLY}) and len(targets) <= 20
    assert set(front.TARGETS) <= {one.name for one in cli.COMMANDS}
    assert {one.name for one in cli.COMMANDS} - set(front.TARGETS) == set(from_make.ONLY_THERE)


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("chek", "did you mean `make check`?"),
        ("sort", "make run PROGRAM=sort"),
        ("check-trace", "type `make check`"),
        ("perf", "type `.venv/bin/rvtrace figures KIND=speed`"),
        ("compare", "type `.venv/bin/rvtrace compare`"),
    ],
)
def test_a_target_that_is_not_known(goal, said):
    assert said in from_make.unknown(goal, list(front.TARGETS))
