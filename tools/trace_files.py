"""The files of one captured trace, from OUT=folder or from TRACE=, ELF=, CONFIG=, RETIRED= one by one.

What a tool that works offline needs before it begins; every fault is one sentence (a ValueError subclass).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from models.ntrace.config import Config, ConfigError
from models.riscv.program import Program
from tools.arguments import CONFIG_WORDS, ArgumentError, config_options, existing_file

FILES = {"TRACE": "trace.bin", "ELF": "program.elf", "CONFIG": "config.json", "RETIRED": "retired.csv", "BEATS": "beats.npz"}
WORDS = {
    "OUT": "folder of `make capture`, with trace.bin, program.elf and config.json",
    "TRACE": "the bytes of the encoder (default OUT/trace.bin)",
    "ELF": "the program that was traced (default OUT/program.elf)",
    "CONFIG": "JSON with the encoder's options (default OUT/config.json; without it, the options below)",
    "IP": "ntrace",
    **CONFIG_WORDS,
}


@dataclass
class TraceFiles:
    """What was found. program: None only if it was not asked for."""

    trace: Path
    data: bytes
    config: Config
    elf: Path | None
    program: Program | None

    @property
    def title(self) -> str:
        """One line about trace, configuration and program."""
        c = self.config
        return f"{self.trace}: {len(self.data):,} bytes, N-Trace {c.variant} {c.mode.upper()} RV{c.xlen}, program {self.elf or 'not given'}"


def path_of(given: Mapping[str, str], word: str) -> Path | None:
    """The path that a word, or OUT, names; None if neither does (or OUT has no such file)."""
    if word in given:
        return Path(given[word])
    if "OUT" in given:
        return Path(given["OUT"]) / FILES[word]
    return None


def required(given: Mapping[str, str], word: str) -> Path:
    """The existing file of a word; ArgumentError if it was not named or is not there."""
    path = path_of(given, word)
    if path is None:
        raise ArgumentError(f"no {FILES[word]} was named; give {word}=<file>, or OUT=<folder> of `make capture`")
    if word not in given and not Path(given["OUT"]).is_dir():
        raise ArgumentError(
            f"there is no folder {given['OUT']}; make one with `make capture IP=ntrace PROGRAM=sort OUT={given['OUT']}`"
        )
    return existing_file(given, word, path)


def load(given: Mapping[str, str], need_program: bool = True) -> TraceFiles:
    """Read trace, configuration and program; a ValueError subclass tells what is wrong with them."""
    if given.get("IP", "ntrace") != "ntrace":
        raise ArgumentError(f"IP={given['IP']} is not known here; give IP=ntrace")
    trace = required(given, "TRACE")
    data = trace.read_bytes()
    if not data:
        raise ArgumentError(f"{trace} is empty; capture it again, the encoder sends at least one message when trace starts")
    elf = program = None
    if need_program or path_of(given, "ELF") is not None:
        elf = required(given, "ELF")
        program = Program.from_elf(elf)
    return TraceFiles(trace, data, _config(given, program), elf, program)


def _config(given: Mapping[str, str], program: Program | None) -> Config:
    """Options of CONFIG, then those of the words; XLEN is the program's if nobody says."""
    options: dict[str, object] = {}
    path = path_of(given, "CONFIG")
    if path is not None and ("CONFIG" in given or path.exists()):
        existing_file(given, "CONFIG", path)
        options = _read_options(path)
    options.update(config_options(given))
    if program is not None:
        options.setdefault("xlen", program.xlen)
    try:
        config = Config.from_dict(options)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}" if path and "CONFIG" not in str(error) else str(error)) from None
    except TypeError as error:
        raise ConfigError(f"{path} is not a configuration ({error}); give one number or text for each option") from None
    if program is not None and program.xlen != config.xlen:
        raise ConfigError(
            f"the program is for RV{program.xlen} and the configuration says XLEN={config.xlen}; "
            f"give the program that was traced, or XLEN={program.xlen}"
        )
    return config


def _read_options(path: Path) -> dict[str, object]:
    try:
        options = json.loads(path.read_text())
    except ValueError:
        raise ConfigError(f"{path} is not JSON; `make capture` writes a config.json to start from") from None
    if not isinstance(options, dict):
        raise ConfigError(f"{path} holds no JSON object; `make capture` writes a config.json to start from")
    if options.get("ip", "ntrace") != "ntrace":
        raise ConfigError(f"{path} is of ip {options['ip']!r}; this is for ntrace, give a trace of an N-Trace encoder")
    return options
