# SPDX-License-Identifier: Apache-2.0
"""Child processes of several threads: each thread knows what its own ones took of the CPU."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from rvtrace.flow import processes

BUSY = "import time\nwhile time.process_time() < {}: pass"


def burn(seconds: float) -> float:
    """CPU seconds that this thread counts for a child of a child that is busy for so long."""
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BUSY.format(seconds)!r}])"
    before = processes.cpu()
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        while not processes.ended(process, 0.1):
            pass
    return processes.cpu() - before


def test_cpu_time_is_that_of_the_children_of_the_thread():
    with ThreadPoolExecutor(2) as pool:
        little, much = pool.map(burn, (0.0, 2.0))
    assert little < 1.0 and 2.0 <= much < 3.5


def test_a_process_that_goes_on_has_not_ended_and_is_killed():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as process:
        assert not processes.ended(process, 0.05)
        processes.kill(process)
        assert process.returncode is not None
