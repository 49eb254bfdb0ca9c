# SPDX-License-Identifier: Apache-2.0
"""The files of one captured trace, from IN=folder or from TRACE=, ELF=, CONFIG=, RETIRED= one by one.

What a tool that works offline needs before it begins; every fault is one sentence (a ValueError subclass).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, existing_file, json_of, typed
from rvtrace.models.common import shown
from rvtrace.models.riscv import source_lines
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.riscv.stream import check_flow
from rvtrace.scoreboards.common.captured import Captured, Followed
from rvtrace.scoreboards.common.judge import Judge

FILES = {
    "TRACE": "trace.bin",
    "ELF": "program.elf",
    "CONFIG": "config.json",
    "RETIRED": "retired.csv",
    "BEATS": "beats.npz",
}
WORDS = {
    "IN": "folder of `make capture`, with trace.bin, program.elf and config.json",
    "TRACE": "the bytes of the encoder (default IN/trace.bin); of E-Trace also a .hex file, one payload a line",
    "ELF": "the program that was traced (default IN/program.elf)",
    "CONFIG": "JSON with the encoder's options (default IN/config.json; without it, the options below)",
    "SOURCE": "folders, joined by commas, below which source files are read for their text (default none)",
    "IP": f"the system, {' or '.join(systems.NAMES)} (default: what CONFIG says)",
}


@dataclass
class TraceFiles:
    """What was found. data: empty if it was not asked for. size: bytes of the trace. program: None only if it was not
    asked for.
    """

    system: Judge
    trace: Path
    data: bytes
    config: Any
    elf: Path | None
    program: Program | None
    size: int = 0

    @property
    def captured(self) -> Captured:
        """What its system says of captured traces."""
        return systems.captured(self.system.ip)

    @property
    def followed(self) -> Followed:
        """The same of a system whose traces are decoded with the program."""
        found = self.captured
        assert isinstance(found, Followed)
        return found

    @property
    def title(self) -> str:
        """One line about trace, configuration and program."""
        return (
            f"{self.trace}: {self.size:,} bytes, {self.system.title} {self.system.described(self.config)}, program"
            f" {self.elf or 'not given'}"
        )


def path_of(given: Mapping[str, str], word: str) -> Path | None:
    """The path that a word, or IN, names; None if neither does (or IN has no such file)."""
    if word in given:
        return Path(given[word])
    if "IN" in given:
        return Path(given["IN"]) / FILES[word]
    return None


def required(given: Mapping[str, str], word: str) -> Path:
    """The existing file of a word; ArgumentError if it was not named or is not there."""
    path = path_of(given, word)
    if path is None:
        raise ArgumentError(f"no {FILES[word]} was named; give {word}=<file>, or IN=<folder> of `make capture`")
    if word not in given and not Path(given["IN"]).is_dir():
        raise ArgumentError(
            f"there is no folder {given['IN']}; make one with"
            f" `{typed('capture', {'IP': 'ntrace', 'PROGRAM': 'sort', 'OUT': given['IN']})}`"
        )
    return existing_file(given, word, path)


def allow_sources(given: Mapping[str, str]) -> None:
    """The text of source files below the folders of SOURCE= may be shown; ArgumentError if one is none."""
    folders = [Path(name) for name in given.get("SOURCE", "").split(",") if name]
    for folder in folders:
        if not folder.is_dir():
            raise ArgumentError(f"SOURCE={folder} is no folder; give the folder with the sources of the program")
    source_lines.allow(folders)


def load(given: Mapping[str, str], need_program: bool = True, need_data: bool = True) -> TraceFiles:
    """Read trace, configuration and program; a ValueError subclass if they cannot be used."""
    system = system_of([f"{name}={value}" for name, value in given.items()])
    allow_sources(given)
    trace = required(given, "TRACE")
    if not trace.stat().st_size:
        raise ArgumentError(f"{trace} is empty; capture it again, an encoder sends something when trace starts")
    elf = program = None
    if need_program or path_of(given, "ELF") is not None:
        elf = required(given, "ELF")
        program = Program.from_elf(elf)
    config = _config(system, given, program)
    data = system.read(trace, config) if need_data else b""
    return TraceFiles(system, trace, data, config, elf, program, len(data) if need_data else trace.stat().st_size)


def system_of(argv: Iterable[str]) -> Judge:
    """The system IP= names, without it the one the configuration file is for, without that the first."""
    given = dict(word.split("=", 1) for word in argv if "=" in word)
    if "IP" not in given and (path := path_of(given, "CONFIG")) is not None and path.is_file():
        ip = str(_read_options(path).get("ip", systems.NAMES[0]))
        if ip not in systems.NAMES:
            raise ArgumentError(f"{path} is of ip {ip!r}; give a trace of {' or '.join(systems.NAMES)}")
        return systems.judge(ip)
    return systems.judge(given.get("IP") or systems.NAMES[0])


def is_said(config: Path) -> bool:
    """Whether a configuration says which system it is of."""
    return "ip" in _read_options(config)


def words(argv: Iterable[str]) -> dict[str, str]:
    """The words of a tool that reads a trace: files, and the options of its system."""
    return {**WORDS, **system_of(argv).words}


def _config(system: Judge, given: Mapping[str, str], program: Program | None) -> Any:
    """Options of CONFIG, then those of the words; XLEN is the program's if nobody says."""
    options: dict[str, object] = {}
    path = path_of(given, "CONFIG")
    if path is not None and ("CONFIG" in given or path.exists()):
        existing_file(given, "CONFIG", path)
        options = _read_options(path)
        if (ip := options.get("ip", system.ip)) != system.ip:
            raise ArgumentError(
                f"{path} is of ip {ip!r}; this is for {system.ip}, give a trace of an {system.title} encoder"
            )
    options.update(system.options(given))
    if program is not None and not any(name in options for name in system.xlen_names):
        options["xlen"] = program.xlen
    try:
        config = system.config.from_dict(options)
    except ValueError as error:
        raise ArgumentError(f"{path}: {error}" if path and "CONFIG" not in str(error) else str(error)) from None
    except TypeError as error:
        raise ArgumentError(
            f"{path} is not a configuration ({error}); give one number or text for each option"
        ) from None
    if program is not None and program.xlen != config.xlen:
        raise ArgumentError(
            f"the program is for RV{program.xlen} and the configuration says XLEN={config.xlen}; "
            f"give the program that was traced, or XLEN={program.xlen}"
        )
    return config


def _read_options(path: Path) -> dict[str, object]:
    try:
        options = json_of(path.read_text())
    except ValueError:
        raise ArgumentError(f"{path} is not JSON; `make capture` writes a config.json to start from") from None
    if not isinstance(options, dict):
        raise ArgumentError(f"{path} holds no JSON object; `make capture` writes a config.json to start from")
    return shown.values(options)


def read_retired(path: Path, files: TraceFiles, otherwise: str = "") -> Retired:
    """The retire stream of a file, which must hold events and follow the program; ArgumentError. otherwise: what else
    can be done about a file that is none.
    """
    try:
        retired = Retired.from_csv(path)
    except UnicodeDecodeError:
        raise ArgumentError(f"{path} is not text; give a retired.csv as `make capture` writes it{otherwise}") from None
    if not len(retired):
        raise ArgumentError(
            f"{path} holds no event; give one row for each instruction that retired while tracing{otherwise}"
        )
    assert files.program is not None
    try:
        check_flow(retired, files.program)
    except ValueError as error:
        raise ArgumentError(f"{path} does not follow {files.elf}: {error}") from None
    return retired
