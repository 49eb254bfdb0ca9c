# SPDX-License-Identifier: Apache-2.0
"""What the commands of `rvtrace` load: no testbench, no compiler for small inputs, and few of our modules."""

import subprocess
import sys
from pathlib import Path

import pytest

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder.elf_to_trace import elf_to_trace
from tests.tools.captures import ROOT, write_capture, write_etrace_capture

MOST = 160  # of our modules; `view` has the most
NAMES = 30  # more of them where the program accesses CSRs: `view` has their names from the models
COUNT = """
import sys
from rvtrace.tools.cli import run
try:
    code = run(sys.argv[1:])
except SystemExit as ended:
    code = ended.code
print("LOADED", code, *sorted(sys.modules))
"""


def loaded(*words: object) -> list[str]:
    """The modules that a command loads which ends well."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT, *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    head, *modules = done.stdout.rpartition("LOADED ")[2].split()
    assert head in ("0", "None"), done.stdout + done.stderr
    return modules


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """ntrace/, etrace/: captures; tandem.trace: of the program; a/: a compliance report."""
    folder = tmp_path_factory.mktemp("offline")
    write_capture(folder / "ntrace")
    write_etrace_capture(folder / "etrace")
    elf = folder / "ntrace" / "program.elf"
    (folder / "tandem.trace").write_bytes(elf_to_trace(elf, Config()))
    loaded("check", "IP=ntrace", f"IN={folder / 'ntrace'}", f"OUT={folder / 'a'}")
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["check", "IN={0}/ntrace", "OUT={0}/out"],
        ["check", "IP=ntrace", "TRACE={0}/ntrace/trace.bin", "ELF={0}/ntrace/program.elf", "OUT={0}/out"],
        ["check", "IN={0}/etrace", "OUT={0}/out"],
        ["decode", "IN={0}/ntrace"],
        ["decode", "IN={0}/etrace"],
        ["decode", "IP=tandem", "TRACE={0}/tandem.trace", "ELF={0}/ntrace/program.elf"],
        ["view", "IN={0}/ntrace", "PAGE={0}/view.html"],
        ["view", "IN={0}/etrace", "PAGE={0}/view.html"],
        ["compare", "A={0}/a", "B={0}/a"],
        ["capture", "LOAD={0}/ntrace/program.elf", "OUT={0}/other.trace"],
        ["check", "REPLAY=1", "--help"],
    ],
    ids=lambda words: "-".join(word.partition("{")[0] for word in words[:2]),
)
def test_what_a_command_loads(files, words):
    modules = loaded(*(word.format(files) for word in words))
    ours = [name for name in modules if name.split(".")[0] == "rvtrace"]
    assert [name for name in ours if name.startswith("rvtrace.tb")] == []
    assert [name for name in ("numba", "cocotb", "pyuvm") if name in modules] == []
    assert len(ours) <= MOST + NAMES * ("rvtrace.models.ctr.registers" in ours), ours
