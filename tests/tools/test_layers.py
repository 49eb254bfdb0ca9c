# SPDX-License-Identifier: Apache-2.0
"""What import-linter cannot see: imports by string."""

from __future__ import annotations

import ast
from pathlib import Path

from rvtrace.flow.type_check import FOLDERS
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT

REGISTRY = "jobs/names.py"
# Those that import what names itself: every module of a folder of scenarios, and the file of a kernel's functions.
OTHERS = ("tb/common/stimulus/scenario.py", "models/common/native.py")
FORKED = "forked.py"  # loads the testbench of a mutant after its process was forked
_BY_STRING = ("import_module", "__import__")


def _ours(path: Path) -> list[int]:
    """Lines that import by string a module that may be ours: one whose name is no text, or begins with rvtrace."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        asked = node.args[0]
        text = asked.value if isinstance(asked, ast.Constant) else None
        if name in _BY_STRING and (text is None or str(text).split(".")[0] in ("rvtrace", "")):
            found.append(node.lineno)
    return found


def test_only_the_registry_imports_by_string():
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    names = {str(path.relative_to(ROOT)) for path in files if _ours(path) and path.name != FORKED}
    assert names <= {REGISTRY, *OTHERS}, "import at the head of the file, or ask the registry"
    assert REGISTRY in names


def test_every_system_has_its_facets():
    for ip in systems.NAMES:
        judge, bench = systems.judge(ip), systems.bench(ip)
        assert judge.ip == bench.ip == ip and isinstance(bench, type(judge)), ip
        assert judge.plan.clauses and judge.words, ip
