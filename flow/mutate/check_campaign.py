# SPDX-License-Identifier: Apache-2.0
"""Which mutants of models and scoreboards do the unit tests notice?

    calls = baseline("ntrace")                      which test calls which function, and how long it takes
    for found in hunt(mutants, calls, workers=2): ...

Each mutant is tried by the tests that call its function, one of each test function first, in a process of its own: a
child of one that has imported everything, in which the function gets its changed code. What is called while modules are
imported is tried in a new Python in which the changed text takes the place of the file. Nothing in the checkout is
written to. Kernels run as Python.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rvtrace.flow.mutate.check_mutants import CheckMutant
from rvtrace.jobs.builds import ROOT

OUT = ROOT / "build" / "mutate-checks"
PLUGIN = "rvtrace.flow.mutate.check_plugin"
FIRST, MOST = 8.0, 60.0  # seconds of tests that are tried first, and at most
# Seconds of processor time that a test has at least, how many times as long as without the mutant it may take, and what
# a new Python needs to import everything. Time on the clock says nothing on a machine that does other work too.
LEAST, SLOWER, IMPORTS = 3.0, 6, 20.0
_PATIENCE = 40  # on the clock, so many times as long
_NO_TESTS, _FAILED, _PASSED = 5, 1, 0


class CampaignError(RuntimeError):
    """The campaign cannot be run; the text says why."""


@dataclass(frozen=True)
class Calls:
    """tests: by (file, line of a function) the tests that call it with their seconds, the first to try first. imported:
    functions that are called while modules are imported.
    """

    tests: dict[tuple[str, int], list[tuple[float, str]]]
    imported: frozenset[tuple[str, int]] = frozenset()

    def of(self, mutant: CheckMutant) -> list[tuple[float, str]]:
        return self.tests.get((mutant.file, mutant.function), [])


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant. by: the test that noticed it, "timeout" or "import"; "" if none did. tried: tests. None
    of them calls its function if tried is 0. reason: why no test can notice it, from tests/<ip>/equivalent_checks.toml.
    """

    mutant: CheckMutant
    by: str
    tried: int
    reason: str = ""

    @property
    def noticed(self) -> bool:
        return bool(self.by)

    @property
    def settled(self) -> bool:
        """Noticed, or equivalent with a reason."""
        return bool(self.by or self.reason)


def _environment(**more: str) -> dict[str, str]:
    return os.environ | {"RVTRACE_COMPILED": "0", "PYTHONDONTWRITEBYTECODE": "1", "SIM": "none", "LONG": "0"} | more


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "pytest", "-q", "-p", PLUGIN, "-p", "no:cacheprovider", "--no-header", *words]


def folders_of(ip: str) -> list[str]:
    """The folders of tests that a mutant of a system is tried by; of what all share, those of all."""
    if ip == "common":
        names = [path.parent.name for path in sorted((ROOT / "scoreboards").glob("*/__init__.py"))]
    else:
        names = [ip]
    return [f"tests/{name}" for name in names if (ROOT / "tests" / name).is_dir()]


def baseline(ip: str, workers: int = 2, note: Callable[[str], None] = lambda text: None) -> Calls:
    """The tests of a system that simulate nothing, run once on the unchanged files. What a file of tests calls is kept
    until it changes, or anything that all of them use.
    """
    folders = folders_of(ip)
    if not folders:
        raise CampaignError(f"there is no folder tests/{ip}; its mutants have no tests to be tried by")
    kept = OUT / f"{ip}-calls.json"
    digest, files = _digest(folders), _test_files(folders)
    was: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
    same = was.get("of") == digest and "files" in was
    known = {file for file, hashed in files.items() if same and was["files"].get(file) == hashed}
    rows = [row for row in was["rows"] if not row["test"] or row["test"].split("::")[0] in known] if same else []
    if new := [file for file in files if file not in known]:
        note(f"running {len(new)} files of unit tests of {ip} once, to see which functions each of them calls")
        rows += _run(ip, new, workers)
        OUT.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps({"of": digest, "files": files, "rows": rows}))
    tests: dict[tuple[str, int], list[tuple[float, str]]] = {}
    imported: set[tuple[str, int]] = set()
    for row in rows:
        for place in ((file, line) for file, lines in row["calls"].items() for line in lines):
            if row["test"]:
                tests.setdefault(place, []).append((row["seconds"], row["test"]))
            else:
                imported.add(place)
    return Calls({key: _spread(value) for key, value in tests.items()}, frozenset(imported))


def _spread(tests: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """The shortest of each test function first, then the second of each: values of one parameter are much alike."""
    rank: Counter[str] = Counter()
    ranked = []
    for seconds, test in sorted(tests):
        name = test.partition("[")[0]
        ranked.append((rank[name], seconds, test))
        rank[name] += 1
    return [(seconds, test) for _, seconds, test in sorted(ranked)]


def _run(ip: str, files: list[str], workers: int) -> list[dict[str, Any]]:
    """What each test of these files calls."""
    with tempfile.TemporaryDirectory() as temporary:
        done = subprocess.run(
            _command("--only-unit", "-n", str(workers), *files),
            cwd=ROOT, env=_environment(RVTRACE_CALLS=temporary), capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode not in (_PASSED, _NO_TESTS):
            raise CampaignError(f"the unit tests of {ip} fail on the unchanged files; mend them first: "
                                f"{_last(done.stdout)}")  # fmt: skip
        return [json.loads(line) for path in sorted(Path(temporary).iterdir()) for line in path.open()]


def _test_files(folders: list[str]) -> dict[str, str]:
    """The files of tests, each with its hash, but for test_sim_*.py: some of these simulate whatever SIM= says."""
    found = sorted(path for folder in folders for path in (ROOT / folder).rglob("test_*.py")
                   if not path.name.startswith("test_sim_"))  # fmt: skip
    return {str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def _digest(folders: list[str]) -> str:
    """Of all Python files that decide what the tests call, without those of the tests."""
    found = hashlib.sha256()
    for folder in ("models", "scoreboards", *folders):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if folder in ("models", "scoreboards") or not path.name.startswith("test_"):
                found.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return found.hexdigest()


def _last(text: str) -> str:
    lines = [line for line in text.splitlines() if line.startswith(("FAILED", "ERROR", "E  "))]
    return lines[0] if lines else (text.strip().splitlines() or ["nothing was printed"])[-1]


def _portions(tests: list[tuple[float, str]], most: float) -> list[list[tuple[float, str]]]:
    """The first few; then the others, as far as they fit the time: most seconds of all of them."""
    first: list[tuple[float, str]] = []
    rest: list[tuple[float, str]] = []
    spent = 0.0
    for seconds, test in tests:
        if first and spent + seconds > most:
            continue  # a shorter one may fit
        spent += seconds
        (first if not first or spent <= min(FIRST, most) else rest).append((seconds, test))
    return [portion for portion in (first, rest) if portion]


def tried(mutant: CheckMutant, calls: Calls, most: float = MOST) -> Outcome:
    """One mutant, in a new Python. most: seconds of tests."""
    tests = calls.of(mutant)
    source = (ROOT / mutant.file).read_text()
    with tempfile.TemporaryDirectory() as temporary:
        given = Path(temporary) / "mutant.json"
        changed = {"file": str(ROOT / mutant.file), "text": mutant.apply(source)}
        count = 0
        for portion in _portions(tests, most):
            names = Path(temporary) / "tests.txt"
            names.write_text("\n".join(test for _, test in portion))
            count += len(portion)
            limit = IMPORTS + LEAST + SLOWER * sum(seconds for seconds, _ in portion)
            given.write_text(json.dumps(changed | {"limit": limit}))
            try:
                done = subprocess.run(
                    _command("-x", "--tb=line", f"@{names}"), cwd=ROOT, env=_environment(RVTRACE_MUTANT=str(given)),
                    capture_output=True, text=True, timeout=_PATIENCE * limit, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return Outcome(mutant, "timeout", count)
            if done.returncode == -signal.SIGXCPU:
                return Outcome(mutant, "timeout", count)
            if done.returncode == _FAILED:
                return Outcome(mutant, _name(done.stdout), count)
            if done.returncode != _PASSED:
                return Outcome(mutant, "import", count)
    return Outcome(mutant, "", count)


def _name(text: str) -> str:
    line = next((line for line in text.splitlines() if line.startswith(("FAILED ", "ERROR "))), "")
    return line.split(" ", 2)[1] if line else "a test"


def hunt(
    mutants: Iterable[CheckMutant], calls: Calls, ip: str, workers: int = 2,
    report: Callable[[Outcome], None] = lambda outcome: None, most: float = MOST,
) -> list[Outcome]:  # fmt: skip
    """All mutants; report: called with each outcome as it comes. most: seconds of tests for each."""
    found: list[Outcome] = []

    def keep(outcome: Outcome) -> None:
        found.append(outcome)
        report(outcome)

    apart: list[CheckMutant] = []
    ready: list[CheckMutant] = []
    for mutant in mutants:
        place = (mutant.file, mutant.function), (mutant.file, mutant.outermost[1])
        if not calls.of(mutant):
            keep(Outcome(mutant, "", 0))
        else:
            (apart if any(one in calls.imported for one in place) else ready).append(mutant)
    if ready:
        apart += _together(ready, calls, ip, workers, keep, most)
    with ThreadPoolExecutor(workers) as pool:
        for future in as_completed([pool.submit(tried, mutant, calls, most) for mutant in apart]):
            keep(future.result())
    return sorted(found, key=lambda one: (one.mutant.file, one.mutant.start, one.mutant.after))


def _together(
    mutants: list[CheckMutant], calls: Calls, ip: str, workers: int, keep: Callable[[Outcome], None], most: float
) -> list[CheckMutant]:
    """Try mutants in children of one process; those that it cannot try."""
    with tempfile.TemporaryDirectory() as temporary:
        results = Path(temporary) / "results.jsonl"
        results.touch()
        rows = []
        for mutant in mutants:
            tests = [one for portion in _portions(calls.of(mutant), most) for one in portion]
            row = asdict(mutant) | {"name": mutant.outermost[0], "line": mutant.outermost[1]}
            rows.append(row | {"tests": [(test, LEAST + SLOWER * seconds) for seconds, test in tests]})
        tries = Path(temporary) / "tries.json"
        tries.write_text(json.dumps({"workers": workers, "results": str(results), "tries": rows}))
        process = subprocess.Popen(
            _command("--only-unit", *folders_of(ip)), cwd=ROOT, env=_environment(RVTRACE_TRIES=str(tries)),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        left = dict(enumerate(mutants))
        with results.open() as lines:
            running, text = True, ""
            while running:
                running = process.poll() is None
                text += lines.read()
                *whole, text = text.split("\n")
                for number, said, test in map(json.loads, whole):
                    if said in ("failed", "passed", "timeout") and number in left:
                        keep(Outcome(left.pop(number), test or said * (said == "timeout"), len(rows[number]["tests"])))
                if running:
                    time.sleep(0.1)
        return list(left.values())


# --- Results ------------------------------------------------------------------------------------------------------


def leave(ip: str, found: list[Outcome], command: str, seconds: float, chosen: int) -> Path:
    """build/mutate-checks/<ip>.json with every outcome. chosen: how many there will be at the end."""
    OUT.mkdir(parents=True, exist_ok=True)
    path = path_of(ip)
    rows = [
        one.mutant.to_dict() | {"id": one.mutant.id, "by": one.by, "tried": one.tried, "reason": one.reason}
        for one in found
    ]
    result = {"ip": ip, "date": datetime.date.today().isoformat(), "command": command, "seconds": round(seconds),
              "chosen": chosen}  # fmt: skip
    path.write_text(json.dumps(result | {"mutants": rows}, indent=1))
    return path


def path_of(ip: str) -> Path:
    """What the last campaign of a system found."""
    return OUT / f"{ip}.json"


def before(ip: str) -> dict[str, tuple[str, int]]:
    """By the id of a mutant the test that noticed it in the last campaign, "" if none did, and how many were tried."""
    path = path_of(ip)
    rows = json.loads(path.read_text())["mutants"] if path.exists() else []
    return {row["id"]: (row["by"], row["tried"]) for row in rows}


def rates(found: list[Outcome], key: Callable[[Outcome], str]) -> list[tuple[str, int, int]]:
    """(name, noticed, all that are not equivalent) by a key, in its order."""
    found = [one for one in found if one.noticed or not one.reason]
    everything = Counter(map(key, found))
    good = Counter(key(one) for one in found if one.noticed)
    return [(name, good[name], everything[name]) for name in sorted(everything)]
