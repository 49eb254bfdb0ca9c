"""make regress keeps what was run: the same command goes on, other words begin anew."""

from __future__ import annotations

import json

from tests.tools.captures import run

WORDS = ("IP=ntrace", "SIZE=300", "REPORT=0", "N=1", "DRIVE=bulk", "BLOCKS=1", "XLEN=64", "STACK_DEPTH=8", "TS_WIDTH=64", "FIFO_DEPTH=16",
         "ICNT_BITS=22", "HIST_BITS=32", "IRETIRE_BITS=7", "REPEAT_BITS=18")  # fmt: skip


def test_a_killed_regression_goes_on(tmp_path, sim):
    out = tmp_path / "out"
    words = (*WORDS, f"OUT={out}", f"SIM={sim}")
    first = run("regress", "SEEDS=3", *words)
    assert first.returncode == 0 and "3 of 3 seeds passed" in first.stdout, first.stdout + first.stderr
    broken = out / "ntrace" / "seed-2" / "result.json"
    broken.write_text(broken.read_text()[:100])  # killed while it was written
    stamp = (out / "ntrace" / "seed-1" / "result.json").stat().st_mtime_ns
    again = run("regress", "SEEDS=4", *words)
    assert again.returncode == 0 and "2 of 4 seeds were run before; going on" in again.stdout
    assert "4 of 4 seeds passed" in again.stdout and json.loads(broken.read_text())["verdict"] == "PASS"
    assert (out / "ntrace" / "seed-1" / "result.json").stat().st_mtime_ns == stamp
    other = run("regress", "SEEDS=1", "MODE=btm", *words)
    assert other.returncode == 0 and "were run before" not in other.stdout and not (out / "ntrace" / "seed-2").exists()


def test_a_failure_that_was_found_before_is_still_red(tmp_path, sim):
    out = tmp_path / "out"
    words = (*WORDS, f"OUT={out}", f"SIM={sim}")
    assert run("regress", "SEEDS=2", *words).returncode == 0
    result = out / "ntrace" / "seed-1" / "result.json"
    result.write_text(json.dumps(json.loads(result.read_text()) | {"verdict": "FAIL"}))
    again = run("regress", "SEEDS=2", *words)
    assert again.returncode == 1 and "1 of 2 seeds passed" in again.stdout
