# SPDX-License-Identifier: Apache-2.0
"""How the points of the SBI PMU extension are counted, from what the scoreboard's follower noted. Names are those of
`rvtrace.tb.sbi_pmu.coverage.points`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rvtrace.jobs.coverage import Counts
from rvtrace.models.hpm.rows import NO_ACCESS
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.tb.common.coverage.tally import Tally
from rvtrace.tb.sbi_pmu.coverage import points as p

if TYPE_CHECKING:
    from rvtrace.scoreboards.common.verdict import Verdict
    from rvtrace.scoreboards.sbi_pmu.capture import SbiPmuCapture
    from rvtrace.scoreboards.sbi_pmu.follow import Follower

_POSITIONS = {
    0: p.POSITIONS[0],
    **dict.fromkeys(range(1, 32), p.POSITIONS[1]),
    **dict.fromkeys(range(32, 64), p.POSITIONS[2]),
}


def sample(capture: SbiPmuCapture, verdict: Verdict) -> Counts:
    """The stamped counts of one run: ready for result.json, and for `SBI_PMU.merge` with those of other runs."""
    counts = observe(verdict.encoded)
    if capture.sampling is not None:
        counts = {**counts, **sampled(capture)}
    return p.SBI_PMU.stamped(counts)


def sampled(capture: SbiPmuCapture) -> Counts:
    """Counts of the points of the overflows that a supervisor sampled."""
    config, sampling, ports, tally = capture.config, capture.sampling, capture.rows, Tally()
    assert config is not None and sampling is not None and ports is not None
    rows, begin = sampling.ctr.rows, int(ports.cycle[ports.op != NO_ACCESS].min()) if ports.accesses else 0
    at = {int(cycle): k for k, cycle in enumerate(rows.cycle)}
    for sample in sampling.samples:
        over = [counter for counter in sample.counters if counter.index in sample.overflown]
        trap = at.get(sample.seen + begin + 1)
        if trap is not None and int(rows.priv[trap]) in p.MODES:
            tally.one("overflow_cg", f"RV{config.xlen}", p.MODES[int(rows.priv[trap])])
        for counter in over:
            tally.one("filter_cg", p.SAMPLED_EVENTS[counter.selector], counter.filter)
            tally.one("width_cg", "64" if counter.width == 64 else "less")
        if over:
            tally.one("many_cg", "one" if len(over) == 1 else "two")
        tally.one("records_cg", str(config.records), p.HISTORIES[len(sample.history) > config.records])
        row = at.get(sample.seen + begin)
        retired = int((rows.type[row] != 0).sum()) if row is not None else 0
        tally.one("slots_cg", ("none", "one", "more")[min(retired, 2)])
    return tally.counts


def observe(follower: Follower) -> Counts:
    """Counts of all points of one run, not yet stamped."""
    tally, record = Tally(), follower.record
    xlen = f"RV{record.xlen}"
    activity = "accesses cost nothing" if record.quiet else "events in every cycle"
    tally.one("run_cg", xlen, "Sscofpmf" if record.platform.sscofpmf else "no Sscofpmf", activity)
    for key, value in record.policy.choices.items():
        tally.one("policy_cg", f"{key}={value}")
    for (what, *rest), hits in follower.notes.items():
        if what in _COUNTED:
            _COUNTED[what](tally, xlen, rest, hits)
    return tally.counts


Counter = Callable[[Tally, str, list[Any], int], None]


def _answer(tally: Tally, xlen: str, rest: list[Any], hits: int) -> None:
    fid, error = rest
    if error in p.ERRORS:
        tally.one("answer_cg", p.FUNCTIONS[fid], error, hits=hits)


def _refused(tally: Tally, xlen: str, rest: list[Any], hits: int) -> None:
    clause, place = rest
    if clause in p.REFUSALS:
        tally.one("refusal_cg", clause, place, hits=hits)


def _flag(tally: Tally, xlen: str, rest: list[Any], hits: int) -> None:
    name, set_, kind = rest
    tally.one("config_flag_cg", name, p.BITS[set_], kind, hits=hits)


def _config(tally: Tally, xlen: str, rest: list[Any], hits: int) -> None:
    kind, started, mapped = rest
    tally.one(
        "config_state_cg",
        kind,
        "started" if started else "stopped",
        "with event" if mapped else "without event",
        hits=hits,
    )


def _event(tally: Tally, xlen: str, rest: list[Any], hits: int) -> None:
    event, configured = rest
    type_, code = event >> 16, event & 0xFFFF
    if type_ not in sbi.TYPES:
        return
    tally.one("type_cg", sbi.TYPES[type_], "configured" if configured else "refused", hits=hits)
    if type_ == sbi.GENERAL and code < len(p.GENERAL):
        tally.one("general_cg", p.GENERAL[code], hits=hits)
    elif type_ == sbi.CACHE and sbi.defined(event, sbi.NEWEST):
        tally.one("cache_cg", sbi.event_name(event), hits=hits)


def _fired(tally: Tally, xlen: str, rest: list[Any], hits: int) -> None:
    code, counters = rest
    name = sbi.FIRMWARE_EVENTS[code] if isinstance(code, int) else code
    tally.one("firmware_cg", name, ("none", "one", "several")[min(counters, 2)], hits=hits)


def _set(tally: Tally, xlen: str, rest: list[Any], hits: int) -> None:
    name, flags, kind, size, base = rest
    if kind != "none" and (name, flags) != ("start", "both"):
        tally.one(f"{name}_cg", flags, kind, size, base, hits=hits)


def _slot(tally: Tally, xlen: str, rest: list[Any], hits: int) -> None:
    access, position = rest
    tally.one("slot_cg", xlen, access, _POSITIONS[position], hits=hits)


def _bitmap(tally: Tally, xlen: str, rest: list[Any], hits: int) -> None:
    named, of = rest
    if of is not None:
        tally.one("bitmap_cg", "named" if named else "not named", p.BITS[of], hits=hits)


def _shmem(tally: Tally, xlen: str, rest: list[Any], hits: int) -> None:
    tally.one("shmem_cg", rest[0], hits=hits)


def _output(tally: Tally, xlen: str, rest: list[Any], hits: int) -> None:
    type_, output = rest
    if type_ in sbi.TYPES:
        tally.one("output_cg", sbi.TYPES[type_], p.BITS[output], hits=hits)


def _view(tally: Tally, xlen: str, rest: list[Any], hits: int) -> None:
    tally.one("view_cg", xlen, rest[0], hits=hits)


_COUNTED: dict[str, Counter] = {
    "answer": _answer,
    "refused": _refused,
    "flag": _flag,
    "config": _config,
    "event": _event,
    "fired": _fired,
    "set": _set,
    "slot": _slot,
    "bitmap": _bitmap,
    "shmem": _shmem,
    "output": _output,
    "view": _view,
}
