# SPDX-License-Identifier: Apache-2.0
"""Child processes of several threads: how many are worth it, their ends, and what they took of the CPU."""

from __future__ import annotations

import os
import resource
import subprocess
import threading
import time

_LONGEST = 0.05  # seconds between two looks at a process
_REAPING = threading.Lock()  # one end at a time: the system adds a child's CPU time to one sum when it is reaped
_mine = threading.local()


def cpu() -> float:
    """CPU seconds of the processes, with their own children, whose end this thread has seen through `ended`."""
    return getattr(_mine, "seconds", 0.0)


def ended(process: subprocess.Popen[bytes], within: float) -> bool:
    """Whether a process has ended, or does so within some seconds."""
    until, pause = time.monotonic() + within, 0.001
    while True:
        with _REAPING:
            before = _children()
            if process.poll() is not None:
                _mine.seconds = cpu() + _children() - before
                return True
        if (left := until - time.monotonic()) <= 0:
            return False
        time.sleep(min(pause, left))
        pause = min(2 * pause, _LONGEST)


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process, and wait until it is gone."""
    process.kill()
    while not ended(process, 1.0):
        pass


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cores() -> int:
    """Processor cores that this process may use: fewer than the machine has, where a cluster gave it some of them."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
