# SPDX-License-Identifier: Apache-2.0
"""Pages: relative links and their targets, the length of README.md, every page in the navigation. `make docs` checks
the rest.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from rvtrace.flow import type_check
from rvtrace.jobs import front
from rvtrace.tools import cli

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ("contributing/", "reference/api/", "reference/clauses/", "reference/options/", "reference/golden-pack.md")
GENERATED += ("reference/recorded-programs.md", "reference/sizes-riscv-tests.md")
GENERATED += ("reference/opensbi-comparison.md",)
GENERATED += tuple(f"reference/{ip}-registers.md" for ip in ("tci", "ctr", "hpm"))  # docs/hooks.py makes these
FOLDERS = ("docs", "data", "examples", "tests")
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES += sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", re.sub(r"```.*?```", "", page.read_text(), flags=re.S)):
        if re.match(r"https?://", target):
            continue
        path = (page.parent / target).resolve()
        made = path.is_relative_to(ROOT / "docs") and str(path.relative_to(ROOT / "docs")).startswith(GENERATED)
        assert made or path.exists(), f"{page.relative_to(ROOT)} links to {target}, which is not there"


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 140


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"(?:: |- )([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M))
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    assert pages <= listed
    assert all(name in pages or name.startswith(GENERATED) for name in listed)


CODE = [path for folder in type_check.FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]


@pytest.mark.parametrize("path", CODE, ids=[str(path.relative_to(ROOT)) for path in CODE])
def test_paths_named_in_the_code_exist(path: Path) -> None:
    for chain in re.findall(r'\bROOT((?: / "[^"*]+")+)', path.read_text()):
        named = "/".join(re.findall(r'"([^"]+)"', chain))
        assert named.startswith("build") or (ROOT / named).exists(), f"{path.name} names {named}, which is not there"


def typed(text: str) -> Iterator[str]:
    """The commands of a page: lines of its blocks that begin with one, and code between back quotes."""
    blocks = re.findall(r"^ *```\w*\n(.*?)^ *```", text, re.S | re.M)
    lines = [part for block in blocks for line in block.splitlines() for part in line.split("&&")]
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"^ *```.*?^ *```", "", text, flags=re.S | re.M))
    for line in [*lines, *inline]:
        line = re.sub(r"\s#.*|^\$ ", "", line.strip()).removeprefix("rerun").strip()
        if re.match(r"(rvtrace|make) [a-z]", line):
            yield line


def wrong(line: str) -> str:
    """What of a command the declarations do not have; "" if all of it is there."""
    program, name, *args = shlex.split(re.sub(r"<[^<>]*>|\.\.\.|\[[^\]]*\]", "x", line))
    if name == "x" or (program == "make" and name in front.MAKE_ONLY):
        return ""
    command = next((one for one in cli.COMMANDS if one.name == name), None)
    if command is None:
        return "" if name == "completion" else "no such command"
    if program == "make" and name not in front.TARGETS:
        return "no target of make"
    words, _ = cli.placed(command, cli.loose([arg for arg in args if arg != "x"]))
    # Folders of a page are not there: without them, and with a device that is.
    stays = [word for word in words if not word.startswith(("IN=", "DUT=", "CORE="))]
    device = ["DUT=acme_btm"] if any(word.startswith("DUT=") for word in words) else []
    known = command.known([*stays, *device])
    names = {front.word(arg.partition("=")[0]) for arg in args if arg.startswith("--")} - {"HELP"}
    names |= {arg.partition("=")[0] for arg in args if re.match(r"[A-Z][A-Z0-9_]*=", arg)}
    bad = sorted(one for one in names if one not in known and one.removeprefix("NO_") not in known)
    return f"{', '.join(bad)} is no option of it" if bad else ""


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_commands_are_those_that_are_declared(page: Path) -> None:
    if page.name != "CHANGELOG.md":
        assert [f"{line}: {why}" for line in typed(page.read_text()) if (why := wrong(line))] == []


def test_every_command_is_in_the_reference() -> None:
    text = (ROOT / "docs" / "reference" / "commands.md").read_text()
    assert [one.name for one in cli.COMMANDS if not re.search(rf"`(rvtrace|make) {one.name}\b", text)] == []


def test_a_command_that_is_not_declared_is_found() -> None:
    text = (
        "Type `rvtrace check out --exactly`.\n\n```\nrvtrace isolate --ip ntrace\nmake figures\nrvtrace run sort\n```\n"
    )
    assert [wrong(line) for line in typed(text)] == [
        "no such command",
        "no target of make",
        "",
        "EXACTLY is no option of it",
    ]
