# SPDX-License-Identifier: Apache-2.0
"""Pages: relative links and their targets, the length of README.md, every page in the navigation. `make docs` checks
the rest.
"""

import re
from pathlib import Path

import pytest

from rvtrace.flow import type_check

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
