# SPDX-License-Identifier: Apache-2.0
"""Runs the code cells of a notebook in this interpreter, in order and in one namespace, as its kernel would.

    python -m tests.report.notebook examples/tour.ipynb     run it and keep what it shows in the file

A kernel needs some thirty packages; the cells need none of them: what a cell shows is what it prints, and the text or
the SVG of its last expression.
"""

import ast
import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any


def outputs(path: Path) -> list[list[dict[str, Any]]]:
    """What each code cell shows, in the form of the file."""
    found, names = [], {"__name__": "__main__"}
    for number, cell in enumerate(code_cells(json.loads(path.read_text()))):
        found.append(_run("".join(cell["source"]), names, f"{path.name}[{number}]", number + 1))
    return found


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells that are run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _run(source: str, names: dict[str, Any], where: str, number: int) -> list[dict[str, Any]]:
    tree, printed = ast.parse(source, where), io.StringIO()
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(printed):
        exec(compile(tree, where, "exec"), names)
        value = eval(compile(ast.Expression(last.value), where, "eval"), names) if isinstance(last, ast.Expr) else None
    shown: list[dict[str, Any]] = []
    if printed.getvalue():
        shown.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": [repr(value) if not hasattr(value, "_repr_svg_") else type(value).__name__]}
        data |= {"image/svg+xml": [value._repr_svg_()]} if hasattr(value, "_repr_svg_") else {}
        shown.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return shown


def main(path: Path) -> None:
    """Keep what the cells show."""
    notebook = json.loads(path.read_text())
    for number, (cell, shown) in enumerate(zip(code_cells(notebook), outputs(path))):
        cell |= {"outputs": shown, "execution_count": number + 1}
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
