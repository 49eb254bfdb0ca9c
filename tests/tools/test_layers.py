# SPDX-License-Identifier: Apache-2.0
"""What import-linter cannot see: imports by string."""

import ast
import re
from pathlib import Path

from rvtrace.flow.type_check import FOLDERS
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT

REGISTRY = "jobs/names.py"
# Those that import what names itself: every module of a folder of scenarios, the file of a kernel's functions,
# and the module of a command.
OTHERS = ("tb/common/stimulus/scenario.py", "models/common/native.py", "tools/cli.py")
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


# Lines that still quote a system or a clause id outside the systems' folders, by file: what they say belongs into a
# facet. A file that is not here has none, and none of these may have more.
QUOTED = {
    "jobs/systems.py": 2,
    "flow/captured/files.py": 1,
    "flow/cover/plan.py": 1,
    "flow/faults/rows.py": 1,
    "flow/faults/subjects.py": 1,
    "flow/programs/figures.py": 30,
    "flow/programs/scale.py": 7,
    "report/exports.py": 3,
    "report/published_sizes.py": 3,
    "report/viewer_rows.py": 4,
    "report/viewer_traces.py": 1,
    "report/waves.py": 2,
    "tools/capture_loading.py": 2,
    "tools/new_dut.py": 1,
    "tools/run_readback.py": 2,
    "tools/same_results.py": 1,
    "tools/figures_scale.py": 1,
    "tools/suite.py": 1,
    "tools/check_replay.py": 1,
    "tools/oracle_sbi_pmu.py": 1,
    "tb/common/entry.py": 1,
    "tb/common/stimulus/scenario.py": 1,
}


def _quoted(path: Path) -> int:
    """Lines that quote a system's name or a clause id."""
    names = "|".join((*systems.NAMES, *systems.PARTS))
    ids = [name for ip in systems.NAMES for name in systems.judge(ip).plan.clauses if "." in name]
    clause = "|".join(sorted({name.split(".")[0] for name in ids}))
    quoted = re.compile(rf"""["']({names})["']|["']({clause})[.-][a-zA-Z0-9]""")
    return sum(bool(quoted.search(line)) for line in path.read_text().splitlines())


def test_systems_are_quoted_in_their_folders_alone():
    found = {}
    for folder in ("jobs", "flow", "report", "tools", "tb/common"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            own = path.stem in systems.NAMES and path.parent.name in ("listing", "captured", "generate")
            if not own and name != REGISTRY and (count := _quoted(path)):
                found[name] = count
    more = {name: count for name, count in found.items() if count > QUOTED.get(name, 0)}
    assert more == {}, "say it in a facet: scoreboards/<ip>/judge.py, tb/<ip>/bench.py, report/listing/<ip>.py"
