# SPDX-License-Identifier: Apache-2.0
"""Instructions and messages of a decoded trace as tables of other tools: Parquet, or Arrow's file format.

pyarrow writes them, or polars, whichever is installed; neither is a dependency.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module, util
from pathlib import Path
from typing import Any

import numpy as np

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.files import at_once
from rvtrace.models.riscv.isa import disassemble
from rvtrace.report.viewer_csrs import named
from rvtrace.report.viewer_traces import Shown

FORMATS = ("parquet", "arrow")
TABLES = ("instructions", "messages")
WRITERS = ("pyarrow", "polars")
# A column: numbers, or numbers of texts with the texts.
Column = np.ndarray | tuple[np.ndarray, list[str]]


def installed() -> str:
    """The library that writes; ArgumentError if there is none."""
    found = next((name for name in WRITERS if util.find_spec(name) is not None), "")
    if not found:
        raise ArgumentError("a table is written by pyarrow or polars, and neither is installed; `pip install pyarrow`")
    return found


def tables(shown: Shown) -> dict[str, dict[str, Column]]:
    """The columns of both tables."""
    rows, messages, codes = shown.rows, shown.messages, shown.codes
    code, xlen = codes.columns(), codes.program.xlen
    texts = [named(disassemble(insn, codes.program), insn, xlen) for insn in codes.insns]
    functions = [*(name for _, name in codes.functions), ""]
    index = np.arange(len(rows))
    message = np.searchsorted(messages.first, index, side="right") - 1
    instructions: dict[str, Column] = {
        "instruction": index,
        "pc": code.pc[rows],
        "text": (rows, texts),
        "function": (np.where(code.function < 0, len(functions) - 1, code.function)[rows], functions),
        "message": message,
    }
    known = shown.cycles
    if known is not None and known.insn is not None:
        instructions["cycle"] = known.insn
    if shown.priv:
        begin = np.array([at for at, _ in shown.priv])
        names = [name for _, name in shown.priv]
        run = np.searchsorted(begin, index, side="right") - 1
        instructions["privilege"] = (np.where(run < 0, len(names), run), [*names, ""])
    of_messages: dict[str, Column] = {
        "message": np.arange(len(messages)),
        "byte": messages.offset,
        "bytes": messages.length,
        "name": (messages.shape, [shape.name for shape in messages.shapes]),
        "instruction": messages.first,
        "instructions": np.append(messages.first[1:], len(rows))[: len(messages)] - messages.first,
    }
    if bool((messages.time >= 0).any()):
        of_messages["time"] = messages.time
    if known is not None and len(known.message):
        of_messages["cycle"] = known.message
    return dict(zip(TABLES, (instructions, of_messages)))


def write(shown: Shown, folder: Path, form: str) -> list[Path]:
    """Write both tables into a folder; the files."""
    library, written = installed(), []
    folder.mkdir(parents=True, exist_ok=True)
    for name, columns in tables(shown).items():
        path = folder / f"{name}.{form}"
        at_once(path, _WRITE[library](columns, form))
        written.append(path)
    return written


def _distinct(column: tuple[np.ndarray, list[str]]) -> tuple[np.ndarray, list[str]]:
    """With each text once."""
    numbers, texts = column
    known: dict[str, int] = {}
    again = np.array([known.setdefault(text, len(known)) for text in texts], np.int32)
    return again[numbers] if len(texts) else numbers.astype(np.int32), list(known)


def _pyarrow(columns: dict[str, Column], form: str) -> Callable[[Path], object]:
    arrow: Any = import_module("pyarrow")

    def made(column: Column) -> Any:
        if not isinstance(column, tuple):
            return arrow.array(column)
        numbers, texts = _distinct(column)
        return arrow.DictionaryArray.from_arrays(arrow.array(numbers), arrow.array(texts, arrow.string()))

    table = arrow.table({name: made(column) for name, column in columns.items()})
    if form == "parquet":
        return lambda path: import_module("pyarrow.parquet").write_table(table, str(path), compression="zstd")
    return lambda path: import_module("pyarrow.feather").write_feather(table, str(path), compression="uncompressed")


def _polars(columns: dict[str, Column], form: str) -> Callable[[Path], object]:
    polars: Any = import_module("polars")

    def made(name: str, column: Column) -> Any:
        if not isinstance(column, tuple):
            return polars.Series(name, column)
        numbers, texts = _distinct(column)
        return polars.Series(name, texts, dtype=polars.String).gather(numbers).cast(polars.Categorical)

    frame = polars.DataFrame([made(name, column) for name, column in columns.items()])
    return (lambda path: frame.write_parquet(path)) if form == "parquet" else (lambda path: frame.write_ipc(path))


_WRITE = {"pyarrow": _pyarrow, "polars": _polars}
