# SPDX-License-Identifier: Apache-2.0
"""Names of files, symbols and values that hold escape sequences, line breaks and overrides of the direction: every
command shows them escaped, and none prints a line that such a name wrote.
"""

import json
import re
import sys
from pathlib import Path

import pytest

from rvtrace.jobs import terminal
from rvtrace.models.common import shown
from rvtrace.models.riscv.program import Program
from tests.tools.captures import is_one_sentence, program, run, write_capture, write_etrace_capture

EVIL = "a\x1b[2J\nPASS  fake line\r\x9b2J\u202eevil\x7f<script>alert(1)</script>"
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
LABELS = ("main", "loop", "end", "leaf", "handler")


def renamed(elf: Path) -> None:
    """Every symbol of the program has such a name."""
    made = program()
    named = {f"{EVIL}{name}": address for name, address in made.symbols.items()}
    Program(made.xlen, made.segments, named, made.entry, data=made.data).to_elf(elf)


@pytest.fixture(params=[(write_capture, True), (write_etrace_capture, False)], ids=["damaged", "undamaged"])
def folder(tmp_path, request):
    """A capture of a program with such names."""
    write, damaged = request.param
    made = write(tmp_path / "out")
    renamed(made / "program.elf")
    if damaged:
        data = bytearray((made / "trace.bin").read_bytes())
        data[len(data) // 2] ^= 0x10
        (made / "trace.bin").write_bytes(data)
    return made


def test_the_names_are_in_the_file(folder):
    assert (folder / "program.elf").read_bytes().count(b"\nPASS  fake line") == len(LABELS)
    assert all("\\nPASS  fake line" in name for name in Program.from_elf(folder / "program.elf").symbols)


COMMANDS = {
    "decode": ("IN={0}",), "decode of instructions": ("IN={0}", "PCS=1"),
    "decode as a profile": ("IN={0}", "PROFILE=text"),
    "check_trace": ("IP={1}", "IN={0}", "OUT={0}/report"), "view": ("IN={0}",),
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_prints(folder, command):
    ip = json.loads((folder / "config.json").read_text())["ip"]
    done = run(command.split(" ")[0], *(word.format(folder, ip) for word in COMMANDS[command]))
    text = done.stdout + done.stderr
    assert "Traceback" not in text and text
    assert not FORBIDDEN.search(text), repr(text)
    assert not re.search(r"^PASS  fake line", text, re.MULTILINE)


def test_a_page_has_neither_a_script_of_a_name_nor_what_turns_text(folder):
    assert run("view", f"IN={folder}").returncode == 0
    page = (folder / "view.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page and not FORBIDDEN.search(page) and "\\u202eevil" in page
    done = run("check_trace", f"IP={json.loads((folder / 'config.json').read_text())['ip']}", f"IN={folder}",
               f"OUT={folder / 'report'}")  # fmt: skip
    assert done.stdout
    for path in (folder / "report").glob("*.html"):
        page = path.read_text(encoding="utf-8")
        assert "<script>alert" not in page and not FORBIDDEN.search(page), path


@pytest.mark.parametrize("ip", ["ntrace", "hpm", "ctr"])
def test_names_in_json(tmp_path, ip):
    """An option that nobody knows, in an error and in a note."""
    folder = write_capture(tmp_path / "out")
    options = json.loads((folder / "config.json").read_text()) | {EVIL: 1, "ip": ip}
    (folder / "config.json").write_text(json.dumps(options))
    for tool, words in (("decode", ()), ("view", ("CHECK=0",)), ("check", (f"IP={ip}",))):
        done = run(tool, f"IN={folder}", *words)
        text = done.stdout + done.stderr
        assert not FORBIDDEN.search(text) and "\nPASS  fake" not in text, repr(text)


def test_a_file_name_with_a_line_break_is_refused(tmp_path):
    folder = write_capture(tmp_path / "out\nPASS  fake line")
    assert is_one_sentence(run("decode", f"IN={folder}"), "out\\nPASS fake line has control characters")


def test_one_line_and_lines_of_text():
    assert shown.line("a\tb\nc\x1b\u202e\u2028ä日") == "a\\tb\\nc\\x1b\\u202e\\u2028ä日"
    assert shown.text("a\tb\nc\x1b\u202e") == "a\tb\nc\\x1b\\u202e"
    assert shown.values({"a\n": ["\x1b", 1, {"b": None}]}) == {"a\\n": ["\\x1b", 1, {"b": None}]}


def test_the_streams_of_a_command(capsys):
    with terminal.guarded():
        print("a\x1b[2J\u202e")
        print("b\x9b", file=sys.stderr)
        print("\rdrawn", file=terminal.raw(sys.stderr))
    print("\x1b after", end="")
    said = capsys.readouterr()
    assert said.out == "a\\x1b[2J\\u202e\n\x1b after" and said.err == "b\\x9b\n\rdrawn\n"
