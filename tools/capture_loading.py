# SPDX-License-Identifier: Apache-2.0
"""The memory-loading trace of a program: `make capture LOAD=program.elf [OUT=program.trace]`.

    make capture LOAD=program.elf OUT=program.trace IMPLIED_END=1

State initialization groups with the stores that put the program into memory, and the entry as the pc. Options are those
of config.json; XLEN is the program's.
"""

from __future__ import annotations

from pathlib import Path

from rvtrace.jobs import files
from rvtrace.jobs.arguments import ArgumentError, existing_file, main_guard, parse, typed
from rvtrace.jobs.systems import judge
from rvtrace.models.riscv.program import Program
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder.elf_to_trace import elf_to_trace

WORDS = {
    "LOAD": "the program",
    "OUT": "the file to write (default: next to the program, .trace instead of .elf)",
    "IP": "the system of tandem trace, and no other",
}


def main(argv: list[str]) -> int:
    """0: the file was written."""
    system = judge("tandem")
    given = parse(argv, {**WORDS, **system.words}, __doc__ or "", ("OUT",))
    if "LOAD" not in given:
        raise ArgumentError("no program was named; give LOAD=<file>")
    if given.get("IP", system.ip) != system.ip:
        raise ArgumentError(
            f"IP={given['IP']} has no trace that loads memory; give LOAD= without IP=, or IP={system.ip}"
        )
    elf = existing_file(given, "LOAD", given["LOAD"])
    config = Config.from_dict({"xlen": Program.from_elf(elf).xlen} | system.options(given))
    data = elf_to_trace(elf, config)
    out = Path(given.get("OUT") or elf.with_suffix(".trace"))
    if out.is_dir() or not out.parent.is_dir():
        raise ArgumentError(f"{out} is no file that can be written; give OUT=<file> in a folder that exists")
    files.write(out, data)
    groups = decode(data, config).group_count
    shown = typed("decode", {"IP": "tandem", "TRACE": out, "ELF": elf, **_words(config)})
    print(f"wrote {out}: {len(data):,} bytes, {groups:,} groups for RV{config.xlen}; `{shown}` shows them")
    return 0


def _words(config: Config) -> dict[str, str]:
    """The options in force as words: XLEN, and those that are not what a configuration of that XLEN has anyway."""
    usual = Config(xlen=config.xlen).to_dict()
    chosen = {name: value for name, value in config.to_dict().items() if name == "xlen" or value != usual[name]}
    return {name.upper(): ",".join(value) if isinstance(value, list) else str(value) for name, value in chosen.items()}


if __name__ == "__main__":
    main_guard(main)
