# SPDX-License-Identifier: Apache-2.0
"""False alarms: random devices that do what the specification allows, in Python, checked as foreign devices are.

    python -m tests.legal_runs IP=ntrace COUNT=2000 SEED=1

plays COUNT runs of one system, or of all that have such devices, and prints each that fails with the call that repeats
it. It exits with 1 if any failed, or if none made a check.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from random import Random
from typing import Any, NamedTuple

import numpy as np

from rvtrace.jobs.arguments import main_guard, number, parse
from rvtrace.models.common.options import ConfigError, Options
from rvtrace.models.ctr.config import Config as CtrConfig
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.hpm.config import Config as HpmConfig
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.models.tandem.config import Config as TandemConfig
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.ctr.check import check as check_ctr
from rvtrace.scoreboards.ctr.tolerances import Tolerances as CtrTolerances
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check as check_etrace
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import check as check_ntrace
from rvtrace.scoreboards.tandem.check import check as check_tandem
from rvtrace.scoreboards.tandem.tolerances import Tolerances as TandemTolerances
from rvtrace.tb.common.stimulus.stimulus import closed
from rvtrace.tb.ctr.stimulus.random_rows import Mix as CtrMix
from tests.ctr.devices import play
from tests.ctr.test_scoreboard_freedoms import AfterReset, FullStateen, TwelveBits
from tests.etrace.legal_encoder import LegalEncoder as EtraceEncoder
from tests.etrace.walks import regrouped, walk
from tests.hpm.foreign import verdict as hpm_verdict
from tests.hpm.test_any_implementation import implementations
from tests.hpm.test_foreign import LEGAL
from tests.ntrace.legal_encoder import LegalEncoder as NtraceEncoder
from tests.ntrace.test_legal_encoder import configuration as ntrace_config
from tests.tandem.captures import captured
from tests.tandem.legal_encoder import LegalEncoder as TandemEncoder
from tests.tandem.rows import random_rows

WORDS = {
    "IP": "the system: ntrace, etrace, ctr, hpm or tandem; default all, in turn",
    "COUNT": "runs, default 100",
    "SEED": "of the first run, default 1",
    "N": "processes, default 1",
}


class Found(NamedTuple):
    """A run. text: of its first failure, empty if it passed."""

    ip: str
    seed: int
    checks: int
    text: str


def _found(ip: str, seed: int, verdict: Verdict, about: object) -> Found:
    text = "" if verdict.passed else f"{about}\n{verdict.failures[0].text()}"
    checks = sum(count for count, _ in verdict.book.results().values())
    return Found(ip, seed, checks, text)


def ntrace(seed: int) -> Found:
    """A walk through a generated program, reported by a random encoder."""
    rng = Random(f"{seed}:legal")
    config = ntrace_config(rng)
    program = generate(rng, config.xlen)
    retired = closed(random_walk(program, rng, 1500, variant=config.variant), program)
    data = NtraceEncoder(config, rng).encode(retired)
    capture = NtraceCapture(config, program, data, given=retired, exact=False)
    return _found("ntrace", seed, check_ntrace(capture), config)


def etrace(seed: int) -> Found:
    """The same for E-Trace; every second one with what crossed the port at hand."""
    hooked = bool(seed & 1)
    what = walk(seed, filter="", bcount_bits=16, ctype=str(seed % 4) if hooked else "mixed")
    rng = Random(f"{seed}:{'hooked' if hooked else 'legal'}")
    payloads = EtraceEncoder(what.config, rng, hooked=hooked).encode(what.retired)
    beats = regrouped(what, what.config.blocks_p, "block", True)[1] if hooked else None
    capture = EtraceCapture(what.config, what.program, payloads, beats=beats, given=what.retired, exact=False)
    return _found("etrace", seed, check_etrace(capture), what.config)


def ctr(seed: int) -> Found:
    """Random transfers and accesses on a block that uses some of what is left open."""
    rng = Random(f"{seed}:legal_ctr")
    config = _random(CtrConfig, rng)
    kinds = [kind for kind in (AfterReset, TwelveBits, FullStateen) if rng.random() < 0.5]
    if (not config.has_stateen or config.xlen == 32) and FullStateen in kinds:
        kinds.remove(FullStateen)
    if config.variant != "v1_0" and TwelveBits in kinds:
        kinds.remove(TwelveBits)
    device = type("Legal", (*kinds, Ctr), {})
    rows = CtrMix(config, Random(f"{seed}:legal_ctr_rows")).play(300).rows()
    capture = play(config, rows.select(np.arange(len(rows.cycle))), device(config))
    return _found("ctr", seed, check_ctr(capture, CtrTolerances.free()), f"{config}\n{device.__mro__[1:-1]}")


def hpm(seed: int) -> Found:
    """Random accesses and events on a block of any modes and extensions, with one of the legal choices."""
    rng = Random(f"{seed}:legal_hpm")
    config: HpmConfig = rng.choice(_IMPLEMENTATIONS)
    device = rng.choice(LEGAL)
    shown = rng.random() < 0.5
    found = hpm_verdict(device, f"random:{seed}", config.to_dict(), shown=shown)
    return _found("hpm", seed, found, f"{config}\n{device.__name__} shown={shown}")


def tandem(seed: int) -> Found:
    """Random rows, reported by a random encoder."""
    rng = Random(f"{seed}:legal_tandem")
    config = _random(TandemConfig, rng)
    rows = [_one_of_each(row) for row in random_rows(f"{seed}:legal_rows", 300, config)]
    table = Rows.from_rows([*rows, FLUSH], config.lanes)
    data = TandemEncoder(config, rng).encode(table)
    verdict = check_tandem(captured(table, config, data, exact=False), TandemTolerances.free())
    return _found("tandem", seed, verdict, config)


def _one_of_each(row: TraceData) -> TraceData:
    """A counter or fcsr is not in a slot of the CSRs as well."""
    return row._replace(csr=tuple(pair for pair in row.csr if pair[0] not in _COUNTERS))


_COUNTERS = (1, 2, 3, 0xB00, 0xB02, 0xB80, 0xB82)
_IMPLEMENTATIONS = list(implementations())
SYSTEMS: dict[str, Callable[[int], Found]] = {
    "ntrace": ntrace, "etrace": etrace, "ctr": ctr, "hpm": hpm, "tandem": tandem,
}  # fmt: skip


def _random(kind: type[Any], rng: Random) -> Any:
    """A legal configuration, about a third of its options chosen at random."""
    legal = kind.legal()
    while True:
        chosen: dict[str, Any] = {
            name: _choice(values, rng) for name, values in legal.items() if values and rng.random() < 0.35
        }
        try:
            config: Options = kind.from_dict(chosen)
        except ConfigError:
            continue
        return config


def _choice(values: Any, rng: Random) -> Any:
    if isinstance(values, range):  # may be longer than a list
        return rng.randrange(values.start, values.stop, values.step)
    return rng.choice(list(values))


def _play(one: tuple[str, int]) -> Found:
    ip, seed = one
    return SYSTEMS[ip](seed)


def played(systems: list[str], seeds: range, workers: int) -> Iterator[Found]:
    """The runs of each seed, the systems in turn."""
    todo = [(systems[k % len(systems)], seed) for k, seed in enumerate(seeds)]
    if workers == 1:
        yield from map(_play, todo)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(_play, todo, chunksize=8)


def main(argv: list[str]) -> int:
    """1 if a run failed, or none made a check."""
    given = parse(argv, WORDS, __doc__ or "")
    systems = [given["IP"]] if "IP" in given else list(SYSTEMS)
    first, count = number(given, "SEED", 1), number(given, "COUNT", 100)
    show = partial(print, flush=True)
    runs = failures = checks = 0
    for found in played(systems, range(first, first + count), number(given, "N", 1)):
        runs, checks = runs + 1, checks + found.checks
        if found.text:
            failures += 1
            show(f"python -m tests.legal_runs IP={found.ip} SEED={found.seed} COUNT=1\n{found.text}")
        if runs % 500 == 0:
            show(f"{runs} of {count} runs, {failures} failed")
    show(f"{runs} runs of {', '.join(systems)}: {failures} failed; {checks:,} checks")
    return 1 if failures or not checks else 0


if __name__ == "__main__":
    main_guard(main)
