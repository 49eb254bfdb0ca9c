# SPDX-License-Identifier: Apache-2.0
"""A field that is added to the table, and nowhere else, is known to everything: `with_new_field` has the checks."""

import subprocess
import sys
from pathlib import Path

from tests.common.compiled import both

ROOT = Path(__file__).parents[2]


@both
def test_a_new_field_is_one_line_of_the_table(compiled: bool) -> None:
    """A process of its own, because the table is read when modules are imported."""
    words = [sys.executable, "-m", "tests.ntrace.with_new_field", *(["compiled"] if compiled else [])]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout == "all of it\n", done.stdout + done.stderr
