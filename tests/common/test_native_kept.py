# SPDX-License-Identifier: Apache-2.0
"""What Numba compiled is kept once for all checkouts of a user, made once by two processes, and made again where a
file of it is damaged.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.common.compiled import HAS_COMPILER
from tests.tools.captures import ROOT

pytestmark = pytest.mark.skipif(not HAS_COMPILER, reason="Numba is not installed")

KERNEL = """TYPES = {}


def twice(a: "int") -> "int":
    return a + a


def run(a: "int") -> "int":
    return twice(a) + 1
"""
CALL = """
import importlib.util, sys
from rvtrace.models.common import native
spec = importlib.util.spec_from_file_location("kernel", sys.argv[1])
module = importlib.util.module_from_spec(spec)
sys.modules["kernel"] = module
spec.loader.exec_module(module)
print(native.compiled(module).run(20), native.is_kept(module))
"""


def start(checkout: Path, home: Path, kernel: str = KERNEL) -> "subprocess.Popen[str]":
    """A process that compiles the kernel of a checkout, or finds it."""
    checkout.mkdir(exist_ok=True)
    if not (checkout / "kernel.py").exists():
        (checkout / "kernel.py").write_text(kernel)
    env = os.environ | {"XDG_CACHE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", CALL, str(checkout / "kernel.py")]
    return subprocess.Popen(command, cwd=ROOT, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ended(process: "subprocess.Popen[str]") -> bool:
    """Whether it compiled; its answer is right in any case."""
    out, err = process.communicate(timeout=300)
    assert (out, process.returncode) == ("41 True\n", 0), err
    return "compiling kernel" in err


def test_checkouts_share_it_and_other_sources_do_not(tmp_path):
    home = tmp_path / "home"
    both = [start(tmp_path / "one", home), start(tmp_path / "two", home)]
    assert sorted(map(ended, both)) == [False, True], "one makes it, the other waits"
    assert not list(tmp_path.glob("*/__pycache__/*.nbc"))
    assert not ended(start(tmp_path / "three", home))
    assert ended(start(tmp_path / "other", home, KERNEL + "\n# another revision\n"))
    assert len([one for one in (home / "rvtrace" / "kernels").iterdir() if one.is_dir()]) == 2


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("left", [0, 20])
def test_a_damaged_file_is_made_again(tmp_path, suffix, left):
    home = tmp_path / "home"
    assert ended(start(tmp_path / "one", home))
    damaged = sorted((home / "rvtrace" / "kernels").glob(f"*/*.{suffix}"))
    assert damaged
    for path in damaged:
        path.write_bytes(path.read_bytes()[:left])
    ended(start(tmp_path / "one", home))
    assert all(path.stat().st_size > left for path in damaged)


def test_without_a_folder_it_is_beside_the_module(tmp_path):
    (tmp_path / "file").touch()
    assert ended(start(tmp_path / "one", tmp_path / "file"))
    assert list(tmp_path.glob("one/__pycache__/*.nbc"))
    assert not ended(start(tmp_path / "one", tmp_path / "file"))
