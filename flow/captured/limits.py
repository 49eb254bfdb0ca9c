# SPDX-License-Identifier: Apache-2.0
"""The files of `make check` of a trace: which they are, whether they fit into the memory allowed, and what is wrong
with them (one sentence).
"""

from __future__ import annotations

import resource
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rvtrace.flow.captured.files import FILES, TraceFiles, load, read_retired
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, existing_file, flag
from rvtrace.models.riscv.retired import Retired
from rvtrace.scoreboards.common.captured import PART
from rvtrace.scoreboards.common.judge import Judge

MEMORY = 4096  # megabytes that a check may take if nobody says
LONG = 4 * PART  # bytes of trace that are judged part by part
START = 256  # megabytes that a check takes anyway, at most
SPARE = 1024  # megabytes of addresses that libraries reserve and never use
MAPPED = Path("/proc/self/statm")  # its first number: pages of addresses that the process has


@dataclass(frozen=True)
class Paths:
    """The files that the words name; the others are those of IN, a folder of `make capture`. name: of the trace,
    for people.
    """

    trace: Path
    elf: Path
    config: Path | None
    retired: Path | None
    name: str

    @classmethod
    def of(cls, given: Mapping[str, str], system: Judge) -> Paths:
        """ArgumentError if a file is not there, or trace or program were not named."""
        named = {word: Path(given[word]) for word in ("TRACE", "ELF", "CONFIG", "RETIRED") if word in given}
        if "IN" in given:
            folder = Path(given["IN"])
            inside = {word: folder / FILES[word] for word in ("TRACE", "ELF", "CONFIG", "RETIRED")}
            named = {word: path for word, path in inside.items() if word == "TRACE" or path.is_file()} | named
        if "TRACE" not in named:
            raise ArgumentError(
                "no trace was named; give TRACE=<file>, the bytes that the encoder sent, or IN=<folder>"
            )
        name = named["TRACE"].stem if "TRACE" in given else Path(given["IN"]).resolve().name
        if "ELF" not in named:
            raise ArgumentError("no program was named; give ELF=<file>, the one that was traced")
        for word, path in named.items():
            existing_file({word: ""}, word, path)
        return cls(named["TRACE"], named["ELF"], named.get("CONFIG"), named.get("RETIRED"), name)

    @property
    def every(self) -> list[Path]:
        """The files that are there."""
        return [path for path in (self.trace, self.elf, self.config, self.retired) if path is not None]

    def is_long(self, given: Mapping[str, str], system: Judge) -> bool:
        """Whether the trace is judged part by part: nothing compares it with a retire stream, and it is no text of
        payloads.
        """
        parts = self.retired is None and not flag(given, "PARTIAL")
        return parts and self.trace.suffix != ".hex" and self.trace.stat().st_size > LONG

    def load(self, given: Mapping[str, str], system: Judge, need_data: bool = True) -> TraceFiles:
        """Trace, configuration and program; a ValueError subclass if they cannot be used."""
        words = {name: text for name, text in given.items() if name in system.words or name == "SOURCE"}
        words |= {"IP": system.ip, "TRACE": str(self.trace), "ELF": str(self.elf)}
        return load(words if self.config is None else {**words, "CONFIG": str(self.config)}, need_data=need_data)

    def read_retired(self, files: TraceFiles) -> Retired | None:
        """The retire stream, which must follow the program; None if there is none."""
        if self.retired is None:
            return None
        return read_retired(self.retired, files, ", or omit RETIRED")


def longest(system: Judge, megabytes: int, processes: int) -> int:
    """Bytes that a part of a long trace may have where so many processes share the memory allowed."""
    return max(megabytes - START, 1) * (1 << 20) // systems.captured(system.ip).memory[0] // processes


def mapped() -> int:
    """Bytes of addresses that this process has already; 0 where the system does not say it."""
    try:
        return int(MAPPED.read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


@contextmanager
def limited(paths: Paths, system: Judge, megabytes: int, processes: int = 0) -> Iterator[None]:
    """ArgumentError if the files are too large for the memory allowed; within it this process, and those that it
    starts, have a limit for the case that the files are not as usual. processes: of a trace that is judged part by
    part, how many do so.
    """
    if megabytes < START:
        raise ArgumentError(f"MEMORY={megabytes} is too little to start with; give {START} or more")
    sizes = (
        [processes * PART]
        if processes
        else [path.stat().st_size if path else 0 for path in (paths.trace, paths.retired)]
    )
    need = START + (sum(size * each for size, each in zip(sizes, systems.captured(system.ip).memory)) >> 20)
    if need > megabytes:
        what = f"{paths.trace} has {sizes[0] / 1e6:,.1f} MB" + (
            f" and {paths.retired} {sizes[1] / 1e6:,.1f} MB" if paths.retired else ""
        )
        raise ArgumentError(
            f"{what}, and to check that takes up to {need:,} MB of memory where {megabytes:,} are allowed; give"
            f" MEMORY={need}, or cut the trace at a synchronizing message"
        )
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    # What the process has taken before is not the check's: a caller in Python may have loaded a lot.
    most = mapped() + ((megabytes + SPARE) << 20)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))
