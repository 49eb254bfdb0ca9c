# SPDX-License-Identifier: Apache-2.0
"""A bench of one's own: the example with its own top and runner, its bugs, and the classes against our own agents."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rvtrace.jobs.builds import ROOT
from rvtrace.models.riscv import recording
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.ntrace.check import plan
from rvtrace.tools.run import main
from tests.common.simulators import icarus_or, runner_environment
from tests.tandem.runs import config_of, program_rows

EXAMPLE = ROOT / "examples" / "own_bench"
TESTS = ROOT / "tests" / "common" / "user_tests"


def _example(folder: Path, sim: str, bug: int) -> str:
    """Run the example as its user does; what it prints."""
    env = runner_environment(icarus_or(sim))
    done = subprocess.run(
        [sys.executable, EXAMPLE / "run.py", folder, str(bug)],
        capture_output=True, text=True, timeout=600, env=env, check=False,
    )  # fmt: skip
    results = (folder / "results.xml").read_text()
    assert ("<failure" in results) == bool(bug), done.stdout + done.stderr
    return done.stdout + done.stderr


def test_example_passes(sim, tmp_path):
    said = _example(tmp_path, sim, 0)
    found = re.search(r"(\d+) instructions in (\d+) transfers", said)
    # Two before the loop, six rounds of eight (a system call does not retire), and the jump to itself.
    assert found and int(found[1]) == 2 + 6 * 8 + 1 and int(found[2]) > 5, said


@pytest.mark.parametrize(
    "bug, cause",
    [
        (1, "FAIL NT-1  the trace decodes if HIST has 0 for a branch that is taken"),
        (2, "FAIL NT.2.port  cycle 4: te_bytes=4 te_data=7000000 changed before te_ready"),
    ],
)
def test_bug_of_the_example_is_named(sim, tmp_path, bug, cause):
    said = _example(tmp_path, sim, bug)
    assert re.sub(r"cycle \d+: te_bytes=\d te_data=\w+", "", cause) in re.sub(
        r"cycle \d+: te_bytes=\d te_data=\w+", "", said
    ), said
    first = said.index("FAIL N")
    assert said.startswith(cause[:12], first), "the cause is first"


@pytest.mark.parametrize("ip", ["ntrace", "etrace", "ctr", "hpm"])
def test_they_observe_what_our_agents_observe(sim, tmp_path, ip):
    """The assertions are in the tests of the user."""
    words = {"IP": ip, "SOURCE": "random", "SIZE": 200, "SEED": 3, "SIM": icarus_or(sim), "OUT": tmp_path / "out"}
    code = main([f"{name}={value}" for name, value in (words | {"TEST": TESTS / f"own_{ip}.py"}).items()])
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert code == 0 and result["verdict"] == "PASS", result["failures"][:1]


def test_tandem_trace_against_retired_instructions():
    from rvtrace.tb.tandem import Scoreboard

    config = config_of(32)
    data = encode(program_rows("switch", 32), config).data
    run = recording.load("switch", 32)

    def board(sent: bytes) -> Any:
        trace: Any = SimpleNamespace(arrays=lambda: (sent, np.arange(len(sent), dtype=np.uint64)), problems=[])
        return Scoreboard(run.program, config, trace, run.retired)

    assert board(data).check().passed
    at = len(data) // 2
    with pytest.raises(AssertionError, match=r"checks failed\nFAIL "):
        board(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]).check()


def test_ports_that_are_wrong_are_named():
    from rvtrace.tb.common.own_bench import ports_of

    known = ("itype", "iaddr", "priv")
    assert ports_of({"itype": 5}, known, ("itype",), {"priv": 3}) == {"itype": 5, "iaddr": 0, "priv": 3}
    with pytest.raises(TypeError, match="there is no port itpye; give itype"):
        ports_of({"itpye": 5}, known, (), {})
    with pytest.raises(TypeError, match="ports are missing: iaddr; give a handle"):
        ports_of({"itype": 5}, known, ("itype", "iaddr"), {})


def test_function_as_port():
    from rvtrace.tb.common.own_bench import Computed

    assert Computed(lambda: True).value == 1 and Computed(lambda: 5).value.is_resolvable
    assert not Computed(lambda: int("x")).value.is_resolvable, "int() of an X"


def test_nothing_is_not_right():
    from rvtrace.tb.common.own_bench import demanded

    with pytest.raises(AssertionError, match="nothing was checked: 0 checks, 0 instructions"):
        demanded(Verdict(ClauseBook(plan(), "", "v1_0")))


def test_no_command_waits_for_cocotb():
    """The packages of the testbench have the classes without importing their module."""
    code = "import sys, rvtrace.tb.ntrace as n; assert 'Scoreboard' in n.__all__ and 'cocotb' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, env=os.environ | {"PYTHONPATH": str(ROOT)})
    from rvtrace.tb import ntrace

    with pytest.raises(AttributeError, match="has no Scoreboards"):
        _ = ntrace.Scoreboards  # pyright: ignore[reportAttributeAccessIssue]


def test_page_shows_the_example():
    page = (ROOT / "docs" / "how-to" / "own-bench.md").read_text()
    shown = [line.strip() for line in re.findall(r"```python\n(.*?)```", page, re.S)[0].splitlines() if line.strip()]
    example = (EXAMPLE / "test_soc.py").read_text()
    assert all(line in example for line in shown)
    ours = [line for line in shown if re.match(r"from|import|\w+ = |await|\w+\(", line)]
    assert len(ours) <= 10, "ten statements"
