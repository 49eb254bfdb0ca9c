# SPDX-License-Identifier: Apache-2.0
"""Failures of a regression: one bucket for what is probably one mistake, and a waveform of its first seed."""

import json
from typing import Any

from rvtrace.flow.regress import buckets as regress_buckets
from tests.common.simulators import icarus_or
from tests.tools.captures import run


def _result(
    ip: str, seed: int, *failures: tuple[str, str], verdict: str = "FAIL", error: str | None = None
) -> dict[str, Any]:
    return {
        "ip": ip,
        "name": f"seed-{seed}",
        "source": "random",
        "sim": "icarus",
        "drive": "bulk",
        "seed": seed,
        "config": {},
        "verdict": verdict,
        "error": error,
        "clauses": {clause: [1, 1] for clause, _ in failures},
        "coverage": {},
        "stats": {},
        "rerun": f"make run IP={ip} SEED={seed}",
        "failures": [
            {"clause": clause, "headline": said, "text": said, "rerun": f"make run IP={ip} SEED={seed}"}
            for clause, said in failures
        ],
    }


def test_numbers_do_not_make_another_bucket():
    results = [
        _result("ctr", 12, ("A.one", "entry 3 is 0x10"), ("A.two", "no entry")),
        _result("ctr", 9, ("A.one", "entry 12 is 0xff")),
        _result("hpm", 4, ("A.one", "entry 3 is 0x10")),
        _result("hpm", 5, verdict="ERROR", error="the simulator broke; its log ends:\n  line"),
    ]
    found = regress_buckets.buckets(results)
    assert [(b["ip"], b["clause"], b["seeds"]) for b in found] == [
        ("ctr", "A.one", [9, 12]), ("ctr", "A.two", [12]), ("hpm", "A.one", [4]), ("hpm", "ERROR", [5]),
    ]  # fmt: skip
    assert (found[0]["first"], found[0]["rerun"]) == ("ctr/seed-9", "make run IP=ctr SEED=9")
    assert found[0]["headline"] == "entry 12 is 0xff"


def test_text(tmp_path):
    found = regress_buckets.buckets([_result("ctr", seed, ("A.one", f"entry {seed}")) for seed in range(1, 10)])
    lines = regress_buckets.text(found, tmp_path).splitlines()
    assert lines[0].startswith("1 bucket of failures (") and lines[0].endswith("buckets.json)")
    assert [line.strip() for line in lines[1:]] == [
        "9 seeds   ctr A.one: entry 1",
        "seeds     1, 2, 3, 4, 5, 6, ...",
        "rerun     make run IP=ctr SEED=1",
    ]


def test_only_the_first_of_a_bucket_is_new():
    seen = regress_buckets.Seen()
    reported = [
        ("ctr", 1, "entry 1"),
        ("ctr", 2, "entry 2"),
        ("ctr", 3, "no entry"),
        ("hpm", 1, "entry 1"),
        ("ctr", 4, "no entry"),
    ]
    assert [seen.new(_result(ip, seed, ("A.one", said))) for ip, seed, said in reported] == [
        True,
        False,
        True,
        True,
        False,
    ]


def test_a_waveform_of_the_first_failing_seed(tmp_path, sim):
    out = tmp_path / "out"
    words = ("IP=hpm", "SEEDS=2", "XLEN=64", "SIZE=200", "REPORT=0", "N=1", f"OUT={out}", f"SIM={icarus_or(sim)}")
    assert run("regress", *words).returncode == 0
    for seed in (1, 2):  # what it would be if both had failed alike
        path = out / "hpm" / f"seed-{seed}" / "result.json"
        failure = {"clause": "A.one", "headline": f"entry {seed}", "text": "entry"}
        path.write_text(json.dumps(json.loads(path.read_text()) | {"verdict": "FAIL", "failures": [failure]}))
    again = run("regress", "WAVES=fail", *words)
    assert again.returncode == 1 and "seed-1 of hpm passed when it was run again" in again.stdout, (
        again.stdout + again.stderr
    )
    (bucket,) = json.loads((out / "buckets.json").read_text())
    assert bucket["seeds"] == [1, 2] and bucket["waveform"] in again.stdout
    (waves,) = (out / "waves" / "hpm-seed-1").glob("waves.*")
    assert bucket["waveform"].endswith(f"hpm-seed-1/{waves.name}") and waves.stat().st_size > 1000
    assert json.loads((out / "waves" / "hpm-seed-1" / "rerun.json").read_text())["verdict"] == "PASS"
    assert not (out / "waves" / "hpm-seed-2").exists() and not list((out / "waves").rglob("result.json"))
