# SPDX-License-Identifier: Apache-2.0
"""What `make check` does for systems that leave rows of cycles instead of a trace: the files it reads, and what it
prints.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rvtrace.flow.captured.verdict import table, tolerance_words, tolerances_of
from rvtrace.jobs.arguments import ArgumentError, existing_file, flag, json_of, parse, typed
from rvtrace.models.common import shown
from rvtrace.models.riscv.program import Program
from rvtrace.scoreboards.common.clauses import Plan

FILES = {"ROWS": "rows.npz", "CONFIG": "config.json", "ELF": "program.elf"}
Judged = Callable[[Mapping[str, str], Any, Sequence[str]], None]
"""What else is done with the words of a check, its verdict, and sentences about files that do not belong together."""


@dataclass(frozen=True)
class RowsCheck:
    """The check of one system. ip, title: its names. config, rows, tolerances: its classes. files: names of the files
    by word.
    """

    ip: str
    title: str
    config: Any
    rows: Any
    tolerances: Any
    files: Mapping[str, str]

    @property
    def words(self) -> dict[str, str]:
        """What a command line may say."""
        return {
            "IP": self.ip,
            "IN": f"folder of `make capture IP={self.ip}`",
            "ROWS": "what was on the ports (default OUT/rows.npz)",
            "CONFIG": "the implementation's options (default OUT/config.json)",
            "ELF": "the program, for addresses in messages (default OUT/program.elf)",
            "EXACT": (
                f"0: do not check the device against docs/reference/{self.ip}-profile.md, only against the"
                " specification"
            ),
            "JUNIT": "a file for the results in JUnit's XML",
            "QUIET": "1: no clause table",
            **tolerance_words(self.tolerances, self.ip),
        }

    def path(self, given: Mapping[str, str], word: str, needed: bool = True) -> Path | None:
        """The file of a word, or of OUT; None if it is not needed and not there."""
        name = (FILES | dict(self.files))[word]
        if word not in given and "IN" not in given:
            if needed:
                raise ArgumentError(
                    f"no {name} was named; give {word}=<file>, or IN=<folder> of `make capture IP={self.ip}`"
                )
            return None
        path = Path(given[word]) if word in given else Path(given["IN"]) / name
        return existing_file(given, word, path) if needed or word in given or path.exists() else None

    def config_of(self, given: Mapping[str, str]) -> Any:
        """The configuration."""
        path = self.path(given, "CONFIG")
        assert path is not None
        return config_in(path, self.config, self.ip, self.title)

    def rows_of(self, given: Mapping[str, str]) -> Any:
        """The rows, of which at least one has an access."""
        path = self.path(given, "ROWS")
        assert path is not None
        rows = loaded(self.rows.load, path, "rows", self.ip)
        if not rows.accesses:
            raise ArgumentError(
                f"{path} holds no access, so there is nothing to check; give rows in which the CSRs were read"
            )
        return rows

    def program_of(self, given: Mapping[str, str]) -> Program | None:
        """The program, if there is one."""
        path = self.path(given, "ELF", needed=False)
        return Program.from_elf(path) if path else None

    def exact(self, given: Mapping[str, str]) -> bool:
        """Whether the device is checked against the profile."""
        return flag({"EXACT": "1"} | dict(given), "EXACT")

    def tolerances_of(self, given: Mapping[str, str]) -> Any:
        """The tolerances: the reference's for a device that declares its profile, else what the specification leaves
        open.
        """
        return tolerances_of(self.tolerances, given, self.exact(given))

    def rerun(self, given: Mapping[str, str]) -> str:
        """The command that repeats the check."""
        return typed("check", {name: text for name, text in given.items() if name != "JUNIT"})

    def report(
        self,
        given: Mapping[str, str],
        headline: str,
        verdict: Any,
        plan: Plan | None,
        apart: Sequence[str] = (),
        judged: Judged | None = None,
    ) -> int:
        """Print the verdict; 0 if nothing failed, else 1. apart: sentences about files that do not belong together."""
        results = verdict.book.results()
        if judged is not None:
            judged(given, verdict, apart)
        elif "JUNIT" in given:
            raise ArgumentError(f"JUNIT= is a word of `make check IP={self.ip}`; use that command")
        print(f"{headline}{', exact' if self.exact(given) else ''}")
        if not flag(given, "QUIET"):
            print("\n".join(table(verdict, plan)))
        for failure in verdict.failures:
            print(f"\n{failure.text()}")
        for text in apart:
            print(f"error: {text}", file=sys.stderr)
        checks, failed = (sum(counts[i] for counts in results.values()) for i in (0, 1))
        print(
            f"\n{'FAIL' if failed or apart else 'PASS'}  {failed:,} of {checks:,} checks failed, {len(results)} clauses"
        )
        return 1 if failed or apart or not checks else 0


def loaded(load: Any, path: Path, what: str, ip: str) -> Any:
    """What a file holds; ArgumentError if it is not one of that kind."""
    try:
        return load(path)
    except (KeyError, TypeError, ValueError, EOFError, OSError, zipfile.BadZipFile):
        raise ArgumentError(f"{path} is no file of {what}; capture again with `make capture IP={ip}`") from None


def records(path: Path, keys: Mapping[str, type], what: str, ip: str) -> list[dict[str, Any]]:
    """A list of objects with these keys, at least one; ArgumentError if a JSON file holds anything else."""
    try:
        found = shown.values(json_of(path.read_text()))
        for n, one in enumerate(found):
            for key, kind in keys.items():
                if not isinstance(one[key], kind) or (kind is int and not 0 <= one[key] < 2**64):
                    raise ValueError(f"{key} of number {n} is {one[key]!r}")
        if not found:
            raise ValueError("it is empty")
    except (ValueError, KeyError, TypeError) as error:
        raise ArgumentError(f"{path} is no list of {what} ({error}); `make capture IP={ip}` writes one") from None
    return found


def words_of(ip: str) -> dict[str, str]:
    """The words of the listing of a folder of `make capture`."""
    return {"IN": f"folder of `make capture IP={ip}`", "IP": ip}


def show(argv: list[str], ip: str, what: str, listing: Callable[[Path], str]) -> int:
    """Print the listing of a folder of `make capture`."""
    given = parse(argv, words_of(ip), f"{what} of a capture.")
    if "IN" not in given:
        raise ArgumentError(f"no capture was named; give IN=<folder> of `make capture IP={ip} PROGRAM=sort OUT=out`")
    print(listing(Path(given["IN"])), end="")
    return 0


def config_in(path: Path, kind: Any, ip: str, title: str) -> Any:
    """The configuration in a config.json; ArgumentError if it holds none of that system."""
    try:
        options = shown.values(json_of(path.read_text()))
        if options.get("ip") != ip:
            raise ValueError(f"it is of ip {options.get('ip')!r}")
        return kind.from_dict(options)
    except (ValueError, AttributeError) as error:
        raise ArgumentError(
            f"{path} is no configuration of {title} ({error}); `make capture IP={ip}` writes one"
        ) from None
