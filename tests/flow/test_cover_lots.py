# SPDX-License-Identifier: Apache-2.0
"""Workers of `make cover` end when the process that began them is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.tools.captures import ROOT

PARENT = """
import os, sys, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from rvtrace.flow.cover.lots import _while_wanted

if __name__ == "__main__":
    with ProcessPoolExecutor(1, get_context("spawn"), _while_wanted, (os.getpid(),)) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        time.sleep(600)
"""


def test_a_worker_whose_parent_was_killed_ends(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=env) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert Path(f"/proc/{worker}").exists()
        parent.send_signal(signal.SIGKILL)
    until = time.monotonic() + 60
    while Path(f"/proc/{worker}").exists() and time.monotonic() < until:
        time.sleep(0.2)
    assert not Path(f"/proc/{worker}").exists()
