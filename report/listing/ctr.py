# SPDX-License-Identifier: Apache-2.0
"""Entries of a CTR buffer for reading: as a table with symbols, and as the call path that a profiler would show.

    python -m rvtrace.report.listing.ctr OUT=out        a folder of `make capture IP=ctr` (`make decode IP=ctr IN=out`
    is the same)

Entries are those of entries.json: index n is logical entry n, 0 the youngest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rvtrace.flow.captured.ctr import load
from rvtrace.flow.captured.rows import config_in, show, words_of
from rvtrace.jobs.arguments import existing_file, main_guard
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import TYPES
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.program import Program

Entry = Mapping[str, Any]
_CALLS, _SWAP, _RETURN, _TRAPS, _XRET = (8, 9), 12, 13, (1, 2), 3
WORDS = words_of("ctr")
SHOWN = (
    "Call paths",
    (
        "What a profiler would read out of the buffer at the end of each program: call sites, outermost first, then"
        " where the hart was. In RAS emulation the entries are the calls that have not returned; else calls and returns"
        " are played from the oldest entry on."
    ),
)
_DEEP = 24  # frames of a path that are printed


def call_path(entries: Sequence[Entry], program: Program | None, emulated: bool) -> list[str]:
    """Where the hart was, outermost first: the call sites, then where the youngest transfer went.

    emulated: in RAS emulation the entries are the calls that have not returned, the youngest first. Else calls and
    returns are played from the oldest entry on; what was called before it is not known.
    """
    return [_where(address, program) + trap for address, trap in call_sites(entries, emulated)]


def call_sites(entries: Sequence[Entry], emulated: bool) -> list[tuple[str, str]]:
    """The same as addresses, each with what it was interrupted by: " (exception)", " (interrupt)" or ""."""
    valid = [entry for entry in entries if entry["valid"]]
    if not valid:
        return []
    if emulated:
        return [(e["source"], "") for e in reversed(valid)] + [(valid[0]["target"], "")]
    stack: list[tuple[bool, str, str]] = []  # (a trap, the place it was called from, what trapped)
    for entry in reversed(valid):
        type_ = entry["type"]
        if (
            type_ in (_RETURN, _SWAP) and stack and stack.pop()[0]
        ):  # out of a handler by a return: the hart went on elsewhere
            stack.clear()
        if type_ == _XRET:
            while stack and not stack.pop()[0]:
                pass
        if type_ in (*_CALLS, _SWAP, *_TRAPS):
            name = {1: " (exception)", 2: " (interrupt)"}.get(type_, "")
            stack.append((type_ in _TRAPS, entry["source"], name))
    return [(place, trap) for _, place, trap in stack] + [(valid[0]["target"], "")]


def path_line(path: Sequence[str]) -> str:
    """A path in one line."""
    shown = [*path[:2], f"({len(path) - _DEEP} more)", *path[len(path) - _DEEP + 2 :]] if len(path) > _DEEP else path
    return " > ".join(shown) or "nothing was recorded"


def table(entries: Sequence[Entry], program: Program | None) -> list[str]:
    """A line for each entry that is or was valid, the youngest first."""
    rows = [(n, e) for n, e in enumerate(entries) if e["valid"] or int(e["source"], 16) or int(e["target"], 16)]
    places = [(_where(e["source"], program), _where(e["target"], program)) for _, e in rows]
    width = [max([len(head), *(len(pair[side]) for pair in places)]) for side, head in enumerate(("from", "to"))]
    lines = [f"{'entry':>5}  {'type':<20} {'from':<{width[0]}}  {'to':<{width[1]}}  cycles"]
    for (n, entry), (source, target) in zip(rows, places):
        cycles = f"{entry['cc']:>6}" if entry["cc"] is not None else "     -"
        gone = "" if entry["valid"] else "  (returned)"
        lines.append(
            f"{n:>5}  {TYPES.get(entry['type'], '-'):<20} {source:<{width[0]}}  {target:<{width[1]}}  {cycles}{gone}"
        )
    return lines if rows else ["nothing was recorded"]


def emulated(config: Config) -> bool:
    """Whether the machine's control register has RAS emulation on, in which only calls and returns count."""
    return bool(config.ctl & config.fields & config.bit("RASEMU"))


def listing(entries: Sequence[Entry], config: Config, program: Program | None, name: str) -> str:
    """Everything about a buffer, as text."""
    valid = sum(e["valid"] for e in entries)
    how = "RAS emulation" if emulated(config) else "all transfers"
    head = (
        f"{name}: CTR {config.variant} RV{config.xlen}, {how}, ctl={config.ctl:#x}, {valid} of {len(entries)} entries"
        " valid"
    )
    return "\n".join(
        [
            head,
            "",
            f"call path: {path_line(call_path(entries, program, emulated(config)))}",
            "",
            *table(entries, program),
            "",
        ]
    )


def _where(address: str, program: Program | None) -> str:
    value = int(address, 16)
    return "-" if not value else program.symbol(value) if program else address


def of_folder(out: Path) -> str:
    """The listing of a folder of `make capture IP=ctr`."""
    given = {"IN": str(out)}
    entries = load(existing_file(given, "ENTRIES", out / "entries.json"))
    config = config_in(existing_file(given, "CONFIG", out / "config.json"), Config, "ctr", "CTR")
    elf = out / "program.elf"
    return listing(entries, config, Program.from_elf(elf) if elf.is_file() else None, out.name)


def write(out: Path) -> tuple[str, ...]:
    """Add entries.txt, the entries with symbols, to a capture; the names of the files."""
    (out / "entries.txt").write_text(of_folder(out))
    return ("entries.txt",)


def shown(results: Iterable[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    """(name, call path, entries) at the end of each program; the same program in the same configuration once."""
    found: dict[str, tuple[str, str, str]] = {}
    for result in results:
        if "entries" not in result:
            continue
        config = Config.from_dict(result["config"])
        program_name = result["source"].partition(":")[2]
        name = f"{program_name} RV{config.xlen} {config.variant}, {config.depth} entries, ctl={config.ctl:#x}"
        if name not in found:
            program = recording.load(program_name, config.xlen).program
            path = call_path(result["entries"], program, emulated(config))
            found[name] = name, path_line(path), listing(result["entries"], config, program, result["name"])
    return [found[name] for name in sorted(found)]


def main(argv: list[str]) -> int:
    """Print the entries of a capture."""
    return show(argv, "ctr", "Entries", of_folder)


if __name__ == "__main__":
    main_guard(main)
