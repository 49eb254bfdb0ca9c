# SPDX-License-Identifier: Apache-2.0
"""[stimulus] of dut.toml: what the ingress port of an encoder can take in one cycle (tb/common/stimulus/shape.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rvtrace.flow.dut.bus import Bus
from rvtrace.flow.dut.names import near
from rvtrace.jobs import systems

STIMULUS = ("traps_in_lane_0", "lane_halfwords", "levels")
_HOW = ("before", "after", "least")
_MOST = 10_000  # cycles, so that a run ends


class ShapeError(ValueError):
    """A [stimulus] that cannot be used; the text says which key, what was found and what to do."""


def shape_of(given: Mapping[str, Any], ip: str, bus: Bus | None) -> dict[str, Any]:
    """`Job.shape` from [stimulus]; ShapeError. Levels that a device takes from a register change alone as well."""
    named = [name for name in STIMULUS if name in given]
    if named and not systems.foreign(ip).blocks:
        have = " and ".join(one for one in systems.attached() if systems.foreign(one).blocks)
        raise ShapeError(
            f"[stimulus] {named[0]} is about the ingress port of {have}, and this is IP={ip}; take the line away"
        )
    found: dict[str, Any] = {}
    traps = given.get("traps_in_lane_0", False)
    if not isinstance(traps, bool):
        raise ShapeError(f"[stimulus] traps_in_lane_0 = {traps!r} is no switch; write true or false, without quotes")
    if traps:
        found["trap_lane"] = True
    if "lane_halfwords" in given:
        most = given["lane_halfwords"]
        if not isinstance(most, list) or not most or any(type(one) is not int or one < 1 for one in most):
            raise ShapeError(
                f"[stimulus] lane_halfwords = {most!r} is no list of numbers; write the most half-words that retire in"
                " each lane, such as [64, 2]"
            )
        if max(most) > most[0]:
            raise ShapeError(
                f"[stimulus] lane_halfwords = {most!r} has a lane that takes more than lane 0, where blocks go that do"
                " not fit elsewhere; correct it"
            )
        found["lane_halfwords"] = list(most)
    levels = _levels(given.get("levels", {}), ip)
    if bus is not None:
        levels |= {
            name[:-2]: {} for name in bus.starts if name in systems.foreign(ip).levels and name[:-2] not in levels
        }
    levels.pop("options", None)  # of E-Trace they change between blocks as it is
    return found | ({"levels": levels} if levels else {})


def _levels(given: Any, ip: str) -> dict[str, dict[str, int]]:
    if not isinstance(given, dict):
        raise ShapeError("[stimulus] levels is no table; write [stimulus.levels], and a line for each level below it")
    found: dict[str, dict[str, int]] = {}
    for name, how in given.items():
        known = [level for level in systems.foreign(ip).levels if level != "options_i"]
        if name not in known:
            raise ShapeError(
                f"[stimulus.levels] has {name}, which is no level of ours; {near(name, known)}known are"
                f" {', '.join(known)}"
            )
        if not isinstance(how, dict) or any(key not in _HOW for key in how):
            raise ShapeError(
                f"[stimulus.levels] {name} = {how!r} is not understood; write {name} = {{ before = 2, after = 2,"
                " least = 8 }, cycles without blocks before and after it changes, and cycles that it stays 1"
            )
        for key, value in how.items():
            if type(value) is not int or not 0 <= value <= _MOST:
                raise ShapeError(f"[stimulus.levels] {name} {key} = {value!r} is no number of cycles from 0 to {_MOST}")
        found[name[:-2]] = dict(how)
    return found
