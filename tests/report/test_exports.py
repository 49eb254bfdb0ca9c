# SPDX-License-Identifier: Apache-2.0
"""Source lines, coverage, profiles, branch stacks and counters: numbers that are known from the program, in files that
the tools they are for can read; and what there is where something is missing.

The expected numbers are those of tests/report/programs/collatz.c: of Collatz's sequence from 27 (111 steps, 41 of them
from an odd number), and of Ackermann's function of 2 and 1 (14 calls).
"""

import csv
import io
import json
import re
import shutil
import subprocess
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from html.parser import HTMLParser
from pathlib import Path

import fastjsonschema
import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from rvtrace.models.hpm.events import CYCLES, FIRST_EVENT, RETIRED
from rvtrace.models.riscv import source_lines
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind
from rvtrace.report.perf_formats import branch_stack, call_graph, stat
from rvtrace.tools import check_trace, decode, view
from tests.report import collatz
from tests.report.viewer_captures import capture as recorded
from tests.tools.captures import is_one_sentence

# Published in the npm package speedscope 1.25.0 (MIT, Jamie Wong) as dist/release/file-format-schema.json.
SCHEMA = Path(__file__).with_name("speedscope-1.25.0.schema.json")
STEPS, ODD, CALLS = 111, 41, 14


_MAINS = {"decode": decode.main, "check_trace": check_trace.main, "view": view.main}


def run(tool: str, *words: object) -> subprocess.CompletedProcess[str]:
    """What a tool prints and returns, in this process."""
    out, err, main = io.StringIO(), io.StringIO(), _MAINS[tool]
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main([str(word) for word in words])
        except ValueError as error:
            print(f"error: {error}", file=err)
            code = 2
    return subprocess.CompletedProcess([tool], code, out.getvalue(), err.getvalue())


def stripped(folder: Path, option: str) -> None:
    """Take line information ("-g") or all symbols ("-s") from the program of a capture, as objcopy does."""
    program = Program.from_elf(folder / "program.elf")
    if option == "-s":
        program = Program(program.xlen, program.segments, (), program.entry)
    program.to_elf(folder / "program.elf")


def records(info: str) -> dict[str, list[str]]:
    """Lines of an lcov file by keyword."""
    found: dict[str, list[str]] = {}
    for line in info.splitlines():
        word, _, rest = line.partition(":")
        found.setdefault(word, []).append(rest)
    return found


@pytest.mark.parametrize("ip", ["ntrace", "etrace"])
def test_the_listing_names_source_lines(tmp_path, ip):
    collatz.capture(tmp_path, ip)
    done = run("decode", f"IN={tmp_path}", "PCS=1")
    assert done.returncode == 0, done.stderr
    listed = [line for line in done.stdout.splitlines() if line.startswith("    0x")]
    assert listed and all("; collatz.c:" in line for line in listed)
    (call,) = {line for line in listed if "jal" in line and "<walk>" in line}
    source = collatz.SOURCE.read_text().splitlines()
    assert source[int(call.rpartition(":")[2]) - 1] == "    steps = walk(27);"


def test_a_source_file_below_a_named_folder_is_quoted(monkeypatch):
    monkeypatch.setattr(source_lines, "_allowed", [])
    source_lines.allow([collatz.SOURCE.parent])  # the ELF names it relative to the folder in which it was compiled
    program = Program.from_elf(collatz.ELF)
    texts = [program.where(pc) for pc in range(program.symbols["next"], program.symbols["_start"], 2)]
    assert any(text.endswith("  steps = walk(27);") and "<walk>" in text for text in texts)


@pytest.mark.parametrize("link", ["file", "folder", "up"])
def test_no_other_file_is_quoted(tmp_path, monkeypatch, link):
    """Neither by a link, nor by a path that leads out of the folder."""
    monkeypatch.setattr(source_lines, "_allowed", [])
    named, secret = tmp_path / "named", tmp_path / "secret"
    secret.mkdir()
    (secret / "collatz.c").write_text("secret\n" * 100)
    named.mkdir()
    if link == "file":
        (named / "collatz.c").symlink_to(secret / "collatz.c")
    elif link == "folder":  # that leads nowhere
        named.rmdir()
        named.symlink_to(tmp_path / "nothing")
    monkeypatch.chdir(secret)
    source_lines.allow([named])
    program = Program.from_elf(collatz.ELF)
    pc = program.symbols["next"]
    line = program.lines.at(pc)
    assert line is not None and line.file.endswith("collatz.c") and line.text == ""
    assert "1 source file is not shown: only files below a folder that you name" in program.lines.withheld
    source_lines.allow([secret])
    line = Program.from_elf(collatz.ELF).lines.at(pc)
    assert line is not None and line.text == "secret"


def test_the_page_has_the_text_of_named_folders_only(tmp_path):
    """And says what it leaves out, and how to add it."""
    collatz.capture(tmp_path)
    for words, there, note in (((), False, True), ((f"SOURCE={tmp_path}",), True, False)):
        done = run("view", f"IN={tmp_path}", "CHECK=0", *words)
        assert done.returncode == 0, done.stderr
        page = (tmp_path / "view.html").read_text(encoding="utf-8")
        assert ("steps = walk(27);" in page) == there
        assert ("give SOURCE=" in page and "is not shown: only files below a folder that you name" in page) == note
    with pytest.raises(ValueError, match="SOURCE=/none is no folder; give"):
        view.main([f"IN={tmp_path}", "SOURCE=/none"])


def test_a_failure_names_the_source_line(tmp_path):
    collatz.capture(tmp_path, "etrace")
    beats = np.load(tmp_path / "beats.npz")
    assert len(beats.files) > 3
    data = bytearray((tmp_path / "trace.bin").read_bytes())
    data[len(data) // 2] ^= 0x10
    (tmp_path / "trace.bin").write_bytes(data)
    done = run("check_trace", "IP=etrace", f"IN={tmp_path}", f"OUT={tmp_path / 'report'}")
    assert done.returncode == 1
    placed = re.findall(r"^  pc +0x[0-9a-f]+ <\w+(?:\+0x[0-9a-f]+)?>: .*$", done.stdout, re.MULTILINE)
    assert placed and all("; collatz.c:" in line for line in placed), done.stdout


@pytest.mark.parametrize("ip", ["ntrace", "etrace"])
def test_lines_branches_and_functions_of_the_trace(tmp_path, ip):
    retired = collatz.capture(tmp_path, ip)
    done = run("decode", f"IN={tmp_path}", "COVERAGE=lcov")
    assert done.returncode == 0 and "coverage.info" in done.stdout, done.stderr
    found = records((tmp_path / "coverage.info").read_text())
    source = collatz.SOURCE.read_text().splitlines()
    number = {text.strip(): n for n, text in enumerate(source, 1)}
    lines = {int(row.split(",")[0]): int(row.split(",")[1]) for row in found["DA"]}
    expected = {
        "return 3 * x + 1;": ODD, "x = next(x);": STEPS, "count++;": STEPS, "return x / 2;": STEPS - ODD,
        "return x + 1;": 0, "tohost = 1;": 1, "steps = walk(27);": 1,
    }  # fmt: skip
    assert {text: lines[number[text]] for text in expected} == expected
    functions = dict(row.split(",")[::-1] for row in found["FNDA"])
    assert {name: int(count) for name, count in functions.items()} == {
        "next": STEPS, "never": 0, "walk": 1, "ackermann": CALLS, "program": 1, "_start": 1,
    }  # fmt: skip
    branches = [row.split(",") for row in found["BRDA"]]
    program = Program.from_elf(collatz.ELF)
    insns = retired.pc[retired.kind == Kind.INSN].tolist()
    taken = retired.taken[retired.kind == Kind.INSN].tolist()
    seen = Counter((pc, took) for pc, took in zip(insns, taken) if took >= 0)
    assert program.lines.missing == ""
    assert sorted(int(count) for *_, count in branches if count != "-") == sorted(
        [seen[pc, 1] for pc in {pc for pc, _ in seen}] + [seen[pc, 0] for pc in {pc for pc, _ in seen}]
    )


class _Cells(HTMLParser):
    """Texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def handle_data(self, data: str) -> None:
        self.text += data


def test_genhtml_reads_the_coverage(tmp_path):
    if shutil.which("genhtml") is None:
        pytest.skip("genhtml is not here; sudo apt-get install lcov runs this test")
    collatz.capture(tmp_path / "out")
    run("decode", f"IN={tmp_path / 'out'}", "COVERAGE=lcov")
    done = subprocess.run(
        ["genhtml", "--branch-coverage", "-o", tmp_path / "html", "coverage.info"],
        cwd=tmp_path / "out", capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = records((tmp_path / "out" / "coverage.info").read_text())
    assert f"({found['LH'][0]} of {found['LF'][0]} lines)" in done.stdout
    assert f"({found['BRH'][0]} of {found['BRF'][0]} branches)" in done.stdout
    assert f"({found['FNH'][0]} of {found['FNF'][0]} functions)" in done.stdout
    page = _Cells()
    page.feed(next((tmp_path / "html").rglob("collatz.c.gcov.html")).read_text())
    assert re.search(rf"{ODD} : +return 3 \* x \+ 1;", page.text) and re.search(r" 0 : +return x \+ 1;", page.text)


def test_what_was_lost_is_not_counted_and_is_named(tmp_path):
    collatz.capture(tmp_path, "ntrace", inst_sync_mode=1, inst_sync_max=0)
    data = (tmp_path / "trace.bin").read_bytes()
    (tmp_path / "trace.bin").write_bytes(data[: len(data) // 2] + b"\x00" * 5 + data[len(data) // 2 + 5 :])
    done = run("decode", f"IN={tmp_path}", "COVERAGE=lcov")
    assert done.returncode == 1 and "bytes say nothing" in done.stdout and done.stderr.startswith("error: ")
    found = records((tmp_path / "coverage.info").read_text())
    assert 0 < max(int(row.split(",")[1]) for row in found["DA"]) <= STEPS


def test_the_profile_has_instructions_calls_and_time(tmp_path):
    collatz.capture(tmp_path, timestamp=1)
    done = run("decode", f"IN={tmp_path}", "PROFILE=text")
    assert done.returncode == 0, done.stderr
    rows = {
        line.split()[-1]: line.split() for line in done.stdout.splitlines() if "%" in line and "function" not in line
    }
    number = {name: [int(word.replace(",", "")) for word in row[:-1] if "%" not in word] for name, row in rows.items()}
    program = Program.from_elf(collatz.ELF)
    begin, end = program.symbols["next"], program.symbols["never"]
    retired = collatz.capture(tmp_path / "again", timestamp=1)
    pcs = retired.pc[retired.kind == Kind.INSN]
    own, total, calls, traps, _, total_time = number["next"]
    assert own == total == int(((pcs >= begin) & (pcs < end)).sum()) and (calls, traps) == (STEPS, 0)
    assert number["ackermann"][2] == CALLS and number["ackermann"][0] == number["ackermann"][1], "recursion counts once"
    walk = (pcs >= program.symbols["walk"]) & (pcs < program.symbols["ackermann"])
    assert number["walk"][:2] == [int(walk.sum()), int(walk.sum()) + own]
    assert len(pcs) == sum(row[0] for row in number.values())
    assert number["program"][1] == len(pcs) - number["_start"][0], "_start jumps there, and does not come back"
    assert 0 < total_time < number["walk"][5] < number["program"][5]


def test_callgrind_has_each_instruction_once_and_every_call(tmp_path):
    """Against the hart's own stream: instructions by address, lines, and calls with what they led to."""
    retired = collatz.capture(tmp_path)
    done = run("decode", f"IN={tmp_path}", "PROFILE=callgrind", f"SOURCE={collatz.ELF.parent}")
    assert done.returncode == 0, done.stderr
    own, calls, function, called = Counter(), {}, "", None
    for line in (tmp_path / "callgrind.out").read_text().splitlines():
        key, _, value = line.partition("=")
        if key == "fn":
            function = value
        elif key == "cfn":
            called = value
        elif key == "calls":
            times = int(value.split()[0])
        elif line.startswith("0x"):
            pc, _, cost = line.split()
            if called is None:
                own[int(pc, 16)] += int(cost)
            else:
                entry = calls.setdefault((function, called), [0, 0])
                entry[0] += times
                entry[1] += int(cost)
                called = None
    pcs = retired.pc[retired.kind == Kind.INSN]
    assert own == Counter(pcs.tolist())
    program = Program.from_elf(collatz.ELF)
    inside = int(((pcs >= program.symbols["next"]) & (pcs < program.symbols["never"])).sum())
    assert calls["walk", "next"] == [STEPS, inside]
    assert sum(times for (_, to), (times, _) in calls.items() if to == "ackermann") == CALLS


def test_callgrind_annotate_reads_the_profile(tmp_path):
    if shutil.which("callgrind_annotate") is None:
        pytest.skip("callgrind_annotate is not here; sudo apt-get install valgrind runs this test")
    retired = collatz.capture(tmp_path)
    assert run("decode", f"IN={tmp_path}", "PROFILE=callgrind").returncode == 0
    done = subprocess.run(
        ["callgrind_annotate", "callgrind.out"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    count = int((retired.kind == Kind.INSN).sum())
    assert done.returncode == 0 and re.search(rf"^{count:,} \(100.0%\)  PROGRAM TOTALS", done.stdout, re.M), done.stderr
    assert re.search(r"collatz.c:ackermann", done.stdout)


def test_the_table_is_that_of_the_text(tmp_path):
    collatz.capture(tmp_path, timestamp=1)
    assert run("decode", f"IN={tmp_path}", "PROFILE=csv").returncode == 0
    text = run("decode", f"IN={tmp_path}", "PROFILE=text").stdout
    table = list(csv.DictReader((tmp_path / "profile.csv").read_text().splitlines()))
    shown = [line.split() for line in text.splitlines() if "%" in line and "function" not in line]
    assert [(row["function"], int(row["self"])) for row in table] == [
        (row[-1], int(row[0].replace(",", ""))) for row in shown
    ]
    assert all(float(row["total_time"]) >= float(row["self_time"]) >= 0 for row in table)


def nested(profile) -> dict[str, int]:
    """Self weight by frame name, of an evented profile whose events nest."""
    names, stack, own, last = profile["frames"], [], Counter(), profile["startValue"]
    for event in profile["events"]:
        assert event["at"] >= last
        if stack:
            own[names[stack[-1]]["name"]] += event["at"] - last
        last = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
        else:
            assert stack.pop() == event["frame"]
    assert not stack and last <= profile["endValue"]
    return dict(own)


@pytest.mark.parametrize("name", ["collatz", "traps"])
def test_speedscope_accepts_its_file(tmp_path, name):
    if name == "collatz":
        collatz.capture(tmp_path, timestamp=1)
    else:
        recorded(tmp_path, name)
    assert run("decode", f"IN={tmp_path}", "PROFILE=speedscope").returncode == 0
    made = json.loads((tmp_path / "profile.speedscope.json").read_text())
    fastjsonschema.compile(json.loads(SCHEMA.read_text()))(made)
    instructions, time = ({**one, "frames": made["shared"]["frames"]} for one in made["profiles"])
    own = nested(instructions)
    text = run("decode", f"IN={tmp_path}", "PROFILE=text").stdout
    rows = {}
    for line in text.splitlines()[1:]:
        if not line.startswith("#"):
            rows[line.split()[-1]] = int(line.split()[0].replace(",", ""))
    assert {name: count for name, count in own.items() if count} == {
        name: count for name, count in rows.items() if count
    }
    assert sum(nested(time).values()) == pytest.approx(time["endValue"] - time["startValue"], abs=1)
    if name == "collatz":
        (frame,) = [frame for frame in made["shared"]["frames"] if frame["name"] == "next"]
        line = collatz.SOURCE.read_text().splitlines()[frame["line"] - 1]
        assert (frame["file"], line) == ("collatz.c", "    if (x & 1)")


def test_the_schema_refuses_what_speedscope_cannot_read():
    with pytest.raises(fastjsonschema.JsonSchemaException):
        fastjsonschema.compile(json.loads(SCHEMA.read_text()))({"profiles": []})


# Chrome's trace event format: the keys that each phase must have. The package of Perfetto fetches its trace_processor
# from the network at first use, so that the file is read here by the description of the format.
_KEYS = {"M": {"args"}, "X": {"ts", "dur"}, "i": {"ts", "s"}, "C": {"ts", "args"}}


@pytest.mark.parametrize("name", ["collatz", "traps"])
def test_perfetto_has_the_stack_traps_and_privilege(tmp_path, name):
    retired = collatz.capture(tmp_path) if name == "collatz" else recorded(tmp_path, name)
    assert run("decode", f"IN={tmp_path}", "PROFILE=perfetto").returncode == 0
    events = json.loads((tmp_path / "profile.perfetto.json").read_text())["traceEvents"]
    for event in events:
        assert _KEYS[event["ph"]] <= set(event) and {"name", "pid", "tid"} <= set(event)
    slices = [event for event in events if event["ph"] == "X" and event["cat"] in ("call", "trap")]
    ends: list[float] = []
    for one in slices:  # on one track slices nest
        while ends and ends[-1] <= one["ts"]:
            ends.pop()
        assert one["dur"] >= 0 and (not ends or one["ts"] + one["dur"] <= ends[-1] + 1e-6)
        ends.append(one["ts"] + one["dur"])
    traps = [event for event in events if event["ph"] == "i" and event["name"] == "trap"]
    assert len(traps) == int(np.isin(retired.kind, (Kind.EXCEPTION, Kind.INTERRUPT)).sum())
    if name == "traps":
        modes = {event["name"] for event in events if event.get("cat") == "privilege"}
        assert modes == {"M", "S", "U"}
    else:
        assert Counter(one["name"] for one in slices)["next"] == STEPS


def entry(type_: int, source: int, target: int, cc: int | None = 7) -> dict:
    """A valid record."""
    return {
        "source": f"{source:#x}",
        "target": f"{target:#x}",
        "type": type_,
        "valid": True,
        "cc": cc,
        "ccv": cc is not None,
    }


# perf-script(1): FROM/TO/EVENT/INTX/ABORT/CYCLES/TYPE/SPEC
_BRANCH = re.compile(r"0x([0-9a-f]+)/0x([0-9a-f]+)/([MPN-]+)/([X-])/([A-])/(\d+)/([A-Z_]+|-)/([A-Z_]+|-)")


def test_a_branch_stack_is_that_of_perf():
    young = entry(4, 0x8000_0010, 0x8000_0014, None)
    gone = {**entry(9, 1, 2), "valid": False}
    line = branch_stack([young, gone, entry(9, 0x8000_0004, 0x8000_0010, 300), entry(13, 0x8000_0100, 0x8000_0004)])
    found = [_BRANCH.fullmatch(word) for word in line.split()]
    assert all(found)
    assert [(int(m[1], 16), int(m[2], 16), m[3], int(m[6]), m[7]) for m in found if m] == [
        (0x8000_0010, 0x8000_0014, "N", 0, "COND"),
        (0x8000_0004, 0x8000_0010, "-", 300, "CALL"),
        (0x8000_0100, 0x8000_0004, "-", 7, "RET"),
    ]
    assert branch_stack([gone]) == ""


def test_a_call_graph_is_a_sample_of_perf_innermost_first():
    program = Program.from_elf(collatz.ELF)
    site, inner, at = (program.symbols[name] + 4 for name in ("program", "walk", "next"))
    entries = [entry(9, inner, at), entry(9, site, inner)]
    head, *frames = call_graph(entries, program, False, "collatz").splitlines()
    assert re.fullmatch(r"\S+ +\d+ \[\d{3}\] +\d+\.\d{6}: +\d+ branches: ", head)
    found = [re.fullmatch(r"\t *([0-9a-f]+) (\S+) \(collatz\)", line) for line in frames]
    assert [(int(m[1], 16), m[2]) for m in found if m] == [
        (at, "next+0x4"), (inner, "walk+0x4"), (site, "program+0x4"),
    ]  # fmt: skip
    assert "[unknown]" in call_graph(entries, None, False, "collatz")


def test_counters_are_those_of_perf_stat():
    counter = {"n": 0, "csr": "mcycle", "width": 64, "filters": 0, "of": 0}
    made = stat(
        [
            {**counter, "selector": CYCLES, "value": 2000},
            {**counter, "selector": RETIRED, "value": 1500},
            {**counter, "selector": FIRST_EVENT, "value": 7, "of": 1},
        ],
        "sort",
    )
    lines = made.splitlines()
    assert lines[0] == " Performance counter stats for 'sort':" and lines[1] == ""
    rows = [re.fullmatch(r" +([\d,]+) {6}(.+?)(?: {2,}#? *(.*))?", line) for line in lines[2:]]
    assert [int(m[1].replace(",", "")) for m in rows if m] == [2000, 1500, 7]
    assert "0.75  insn per cycle" in lines[3] and lines[4].endswith("(overflowed)")


@pytest.mark.parametrize("ip, word, needed", [("ctr", "brstack", "entries.json"), ("hpm", "stat", "counters.json")])
def test_captures_of_rows_have_their_own_forms(tmp_path, ip, word, needed):
    assert is_one_sentence(run("decode", f"IP={ip}", f"IN={tmp_path}", f"PROFILE={word}"), needed)
    assert is_one_sentence(run("decode", f"IP={ip}", f"IN={tmp_path}", "PROFILE=speedscope"), word)


@pytest.mark.parametrize(
    "words, said",
    [
        (("PROFILE=pprof",), "speedscope"),
        (("PROFILE=stat",), "IP=hpm"),
        (("COVERAGE=gcov",), "lcov"),
        (("FILE=x",), "PROFILE"),
        (("FILE=x", "COVERAGE=lcov", "PROFILE=text"), "FILE"),
    ],
)
def test_words_that_say_nothing(tmp_path, words, said):
    collatz.capture(tmp_path)
    assert is_one_sentence(run("decode", f"IN={tmp_path}", *words), said)


def test_without_line_information(tmp_path):
    collatz.capture(tmp_path)
    stripped(tmp_path, "-g")
    done = run("decode", f"IN={tmp_path}")
    assert done.returncode == 0 and "# program.elf has no line information; compile it with -g" in done.stdout
    assert is_one_sentence(run("decode", f"IN={tmp_path}", "COVERAGE=lcov"), "no line information", "-g")
    assert run("decode", f"IN={tmp_path}", "PROFILE=text").returncode == 0


def test_without_symbols_functions_are_addresses(tmp_path):
    collatz.capture(tmp_path)
    entry_point = ELFFile((tmp_path / "program.elf").open("rb"))["e_entry"]
    stripped(tmp_path, "-s")
    done = run("decode", f"IN={tmp_path}", "PROFILE=text")
    assert done.returncode == 0 and "has no symbols" in done.stdout and f"{entry_point:#x}" in done.stdout


def test_without_instructions(tmp_path):
    collatz.capture(tmp_path)
    data = (tmp_path / "trace.bin").read_bytes()
    (tmp_path / "trace.bin").write_bytes(data[12:40])
    for word in ("PROFILE=text", "PROFILE=speedscope", "PROFILE=perfetto", "COVERAGE=lcov"):
        done = run("decode", f"IN={tmp_path}", word)
        assert "no instruction could be decoded" in done.stdout and done.stderr.count("\n") == 1, (word, done)
    made = json.loads((tmp_path / "profile.speedscope.json").read_text())
    assert made["profiles"][0]["events"] == []
