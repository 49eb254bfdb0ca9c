# SPDX-License-Identifier: Apache-2.0
"""Pages of the site that are generated at each build: options, registers, clauses, API, sizes, files of other folders.

MkDocs calls the functions named `on_*` (`hooks` in mkdocs.yml). Nothing generated here is committed.
"""

from __future__ import annotations

import re
import sys
from dataclasses import MISSING, fields
from html import escape
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import griffe
import tomllib
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel

from rvtrace.flow.faults.rows import by_clause, load
from rvtrace.flow.generate.files import SOURCES
from rvtrace.flow.opensbi import page as opensbi
from rvtrace.flow.programs import figures
from rvtrace.models.sbi_pmu import policy
from rvtrace.report import published_sizes
from rvtrace.scoreboards.common.clauses import Clause, Plan

ROOT = Path(__file__).resolve().parent.parent
TITLES = {
    "ntrace": "N-Trace",
    "etrace": "E-Trace",
    "tandem": "Tandem trace",
    "ctr": "CTR",
    "hpm": "Counters",
    "sbi_pmu": "SBI PMU extension",
    "tci": "Trace control",
    "subsystem": "Subsystem",
    "adapter": "Adapters of a core",
    "riscv": "Programs and retired instructions",
}
APIS = ("ntrace", "etrace", "tandem", "ctr", "hpm", "sbi_pmu", "riscv")  # packages with an API page
FEW = 4  # clauses: chapters with fewer share one page
# Pages that are Markdown files of other folders: page -> (file, links of the file -> links of the page).
INCLUDED = {
    "contributing/index.md": ("CONTRIBUTING.md", {"docs/": "../", "CHANGELOG.md": "changelog.md"}),
    "contributing/changelog.md": ("CHANGELOG.md", {"docs/": "../"}),
    "reference/golden-pack.md": ("tests/etrace/golden/README.md", {"../../../docs/reference/": ""}),
    "reference/recorded-programs.md": ("data/programs/README.md", {"../../docs/reference/": ""}),
}


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages: dict[str, str] = {name: _included(*source) for name, source in INCLUDED.items()}
    plans = {path.parent.name: path for path in sorted((ROOT / "scoreboards").glob("*/plan.toml"))}
    pages["reference/clauses/index.md"] = _clause_index(plans)
    for ip, path in plans.items():
        pages |= _clauses(ip, path)
    for path in sorted((ROOT / "models").glob("*/config.py")):
        pages[f"reference/options/{path.parent.name}.md"] = _options(path.parent.name)
    for ip in APIS:
        pages[f"reference/api/{ip}.md"] = _api(ip)
    pages |= {source.page: source.text() for source in SOURCES if source.text}
    pages["reference/sizes-riscv-tests.md"] = published_sizes.page(figures.read())
    pages["reference/opensbi-comparison.md"] = opensbi.page(list(opensbi.recorded_machines()))
    for name, text in pages.items():
        if not files.get_file_from_path(name):
            file = File.generated(config, name, content=text)
            if name.count("/") > 2:  # a chapter of clauses: the page of its system leads to it
                file.inclusion = InclusionLevel.NOT_IN_NAV
            files.append(file)
    return files


def on_page_markdown(markdown: str, *, page: Any, config: MkDocsConfig, files: Files) -> str:
    """Refuse a page without a title: the navigation would show the name of its file. Put in what is generated."""
    if not re.search(r"^# ", markdown, re.MULTILINE):
        raise PluginError(f"{page.file.src_uri} has no title; begin it with a line '# <title>'")
    return policy.inserted(markdown) if policy.PLACE in markdown else markdown


def _included(path: str, links: dict[str, str]) -> str:
    source = ROOT / path
    if not source.exists():
        raise PluginError(f"{path} is not there, and docs/hooks.py shows it as a page; restore it or remove the page")
    text = source.read_text()
    for old, new in links.items():
        text = text.replace(f"]({old}", f"]({new}")
    return text


def _cell(text: str) -> str:
    """Text for a cell of a table."""
    return re.sub(r"([|<>_*\[\]{}])", r"\\\1", " ".join(text.split()))


def _code(text: str) -> str:
    """The same as code, with a place to break a long line."""
    return f"`{' '.join(text.split())}`".replace("|", "&#124;") if text else ""


class Escaped(griffe.Extension):
    """Docstrings are plain text: powers such as 2**n are not emphasis."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Escape what Markdown would take for emphasis."""
        if obj.docstring:
            obj.docstring.value = re.sub(r"\*\*(?=[\w(])", r"\\*\\*", obj.docstring.value)


# Options


def _options(ip: str) -> str:
    module = import_module(f"rvtrace.models.{ip}.config")
    config = module.Config
    lines = [
        f"# Options: {TITLES[ip]}",
        "",
        f"Generated from `rvtrace.models.{ip}.config.Config`. `config.json` and Python have these names, a command line"
        f" `--xlen 32` (`rvtrace run --ip {ip}`) or `XLEN=32` (`make`).",
        "",
        "| option | default | legal values | meaning |",
        "| --- | --- | --- | --- |",
    ]
    names = {f.name for f in fields(config)}
    written = tomllib.loads((ROOT / "docs" / "options.toml").read_text())
    meanings = written["all"]
    for base in reversed(config.__mro__):
        meanings |= _meanings(base.__doc__ or "", names) if base.__module__.startswith("rvtrace.") else {}
    meanings |= written.get(ip, {})
    for f in fields(config):
        meaning = str(f.metadata.get("help") or f.metadata.get("what") or meanings.get(f.name, ""))
        lines.append(f"| `{f.name}` | {_default(f)} | {_legal(module, f)} | {_cell(meaning)} |")
    lines += ["", "## In full", "", _cell(config.__doc__ or "")]
    if ip in APIS:
        lines += ["", f"The class itself: [API](../api/{ip}.md)."]
    return "\n".join([*lines, ""])


def _default(f: Any) -> str:
    value = f.default_factory() if f.default is MISSING and f.default_factory is not MISSING else f.default
    if value is MISSING:
        return "(must be given)"
    if value == "" or value == ():
        return "empty"
    text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return _code(text)


def _legal(module: ModuleType, f: Any) -> str:
    values = f.metadata.get("legal", getattr(module, "_LEGAL", {}).get(f.name))
    if values == range(2):
        return "0, 1"
    if isinstance(values, range):
        return f"{values.start} to {values.stop - 1}"
    if values is None or callable(values):
        return ""
    return ", ".join(_code(str(value)) for value in values)


def _meanings(doc: str, names: set[str]) -> dict[str, str]:
    """What a docstring says of each option: `name, name: text.`, else `name (text)`."""
    text = " ".join(doc.split())
    key = rf"(?:(?:{'|'.join(sorted(names, key=len, reverse=True))})(?:, | and )?)+"
    found: dict[str, str] = {}
    for match in re.finditer(rf"(?:^|[.;)] )({key}): (.*?)(?=[.;] {key}:|\. |\.$|$)", text):
        for name in re.findall(r"\w+", match[1]):
            found.setdefault(name, match[2])
    for match in re.finditer(r"(\w+) \(([^)]*)\)", text):
        found.setdefault(match[1], match[2])
    return found


# Clauses


def _mutants() -> dict[str, list[str]]:
    """The names of the hand-written mutants by the id of a clause that must catch them."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").glob("*/mutants.toml")):
        for clause, names in by_clause(load(path).values()).items():
            found.setdefault(clause, []).extend(names)
    return found


def _clause_index(plans: dict[str, Path]) -> str:
    lines = [
        "# Clauses",
        "",
        "A clause is one requirement of a specification, or one ruling on a point that a specification leaves open."
        " The pages of this section are generated from `scoreboards/<system>/plan.toml`;"
        " [Add a clause](../../how-to/add-a-clause.md) describes the rows.",
        "",
        "| system | clauses | shall | should | may | with mutants |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    mutants = _mutants()
    for ip, path in plans.items():
        rows = list(Plan.load(path).clauses.values())
        levels = " | ".join(str(sum(row.level == level for row in rows)) for level in ("shall", "should", "may"))
        caught = sum(row.id in mutants for row in rows)
        lines.append(f"| [{TITLES[ip]}]({ip}.md) | {len(rows)} | {levels} | {caught} |")
    return "\n".join([*lines, ""])


def _clauses(ip: str, path: Path) -> dict[str, str]:
    """A page that lists the chapters with their clauses, and a page of each chapter."""
    mutants = _mutants()
    chapters: dict[str, list[Clause]] = {}
    for row in Plan.load(path).clauses.values():
        chapters.setdefault(row.chapter, []).append(row)
    small = [chapter for chapter, rows in chapters.items() if len(rows) < FEW]
    if len(small) > 1:
        chapters["Other sections"] = [row for chapter in small for row in chapters.pop(chapter)]
    slugs: dict[str, str] = {}
    for chapter in chapters:
        slug = re.sub(r"[^a-z0-9]+", "-", chapter.lower()).strip("-")
        if slug in slugs.values():
            raise PluginError(f"{path}: two chapters have titles that give the page name {slug}; reword {chapter!r}")
        slugs[chapter] = slug
    count = sum(map(len, chapters.values()))
    index = [
        f"# Clauses: {TITLES[ip]}",
        "",
        f"{count} clauses in {len(chapters)} chapters, generated from `scoreboards/{ip}/plan.toml`. An id leads to the"
        " text of the clause, its check, its stimulus and its mutants.",
        "",
        "| chapter | clauses | ids |",
        "| --- | ---: | --- |",
    ]
    pages: dict[str, str] = {}
    for chapter, rows in chapters.items():
        page = f"{ip}/{slugs[chapter]}.md"
        ids = " ".join(f"[`{row.id}`]({page}#{row.id})" for row in rows)
        index.append(f"| [{_cell(chapter)}]({page}) | {len(rows)} | {ids} |")
        pages[f"reference/clauses/{page}"] = _chapter(ip, chapter, rows, mutants)
    pages[f"reference/clauses/{ip}.md"] = "\n".join([*index, ""])
    return pages


def _chapter(ip: str, chapter: str, rows: list[Clause], mutants: dict[str, list[str]]) -> str:
    lines = [
        f"# {TITLES[ip]}: {_cell(chapter)}",
        "",
        f"[All chapters](../{ip}.md). The stimulus is one that is known to check the clause; a mutant is a hand-written"
        " bug that the clause must catch.",
        "",
    ]
    for row in rows:
        lines += [f"### `{row.id}` {{#{row.id}}}", "", _cell(row.what), ""]
        place = escape(row.section if row.section.startswith("ruling") else f"Section {row.section}")
        lines += ['<details markdown="1">', f"<summary>{place}, {row.level}</summary>", ""]
        if row.how:
            lines.append(f"- Check: {_cell(row.how)}")
        for name, values in (
            ("Variants", row.variants),
            ("Checked by", row.checks),
            ("Checked through", row.through),
            ("Stimulus", row.tests),
            ("Coverage", row.coverage),
            ("Mutants", mutants.get(row.id, [])),
        ):
            if values:
                lines.append(f"- {name}: {', '.join(_code(str(value)) for value in values)}.")
        if row.status != "built":
            lines.append(f"- Not built: {_cell(row.reason)}")
        lines += ["", "</details>", ""]
    return "\n".join(lines)


# API


def _api(ip: str) -> str:
    package = import_module(f"rvtrace.models.{ip}")
    lines = [f"# API: {TITLES[ip]}", "", f"Generated from the docstrings of `rvtrace.models.{ip}`.", ""]
    for line in (package.__doc__ or "").splitlines():
        lines.append(line.rstrip())
    for target in _targets(package):
        lines += ["", f"::: {target}", "    options:", "      show_root_full_path: false"]
    return "\n".join([*lines, ""])


def _targets(package: ModuleType) -> list[str]:
    """Where the names that a package exports are defined; of a package that exports none, some of its modules."""
    found = []
    for name in getattr(package, "__all__", ()):
        value = getattr(package, name)
        module = getattr(value, "__module__", "")
        if isinstance(value, ModuleType):
            found.append(value.__name__)
        elif module.startswith("rvtrace.") and getattr(value, "__qualname__", "") == name:
            found.append(f"{module}.{name}")
    if found:
        return found
    folder = Path(str(package.__file__)).parent
    listed = ("config", "program", "retired", "recording", "random_walk", "beats", "model", "pmu")
    return [f"{package.__name__}.{name}" for name in listed if (folder / f"{name}.py").exists()]


sys.dont_write_bytecode = True  # docs/ is copied to the site
