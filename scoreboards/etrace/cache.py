# SPDX-License-Identifier: Apache-2.0
"""How a device keeps its jump target cache, where the specification leaves it open (ET-12): as found in the trace.

The decoder has to know whether the target of a return fills an entry (trace-spec issues 156 and 206) and whether a
synchronization packet fills one (201). A trace that does not fit what is claimed is read in the other ways; each of
them is legal, and the verdict says which it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

from rvtrace.models.etrace.config import CACHE_RETURNS, CACHE_SYNCS, Config
from rvtrace.scoreboards.common.readings import best
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.etrace.capture import EtraceCapture

_RETURNS = {
    "fill": "the target of a return fills its entry",
    "keep": "the target of a return is not stored",
    "clear": "the target of a return that was predicted wrongly invalidates its entry",
}
_SYNCS = {
    "clear": "a synchronization packet fills no entry",
    "fill": "a synchronization packet that reports the target of an uninferable jump fills its entry",
}


def as_found(
    capture: EtraceCapture, claimed: Verdict, judge: Callable[[EtraceCapture], Verdict]
) -> tuple[EtraceCapture, Verdict]:
    """The capture and its verdict with the reading of the cache that they fit; as claimed if they fit none better."""
    used = any(packet is not None and packet.name == "jump_target" for packet in claimed.decoded.packets)
    if not used or capture.exact:
        return capture, claimed
    others = ((replace(capture, config=config), _sentence(config)) for config in _others(capture.config))
    return best(capture, claimed, judge, others)


def _others(config: Config) -> Iterator[Config]:
    for returns, syncs in product(CACHE_RETURNS, CACHE_SYNCS):
        differs = (returns, syncs) != (config.cache_returns, config.cache_syncs)
        if differs and (returns != "clear" or config.implicit_return):
            yield replace(config, cache_returns=returns, cache_syncs=syncs)


def _sentence(config: Config) -> str:
    return (
        f"jump target cache as found: {_RETURNS[config.cache_returns]} (CACHE_RETURNS={config.cache_returns}),"
        f" {_SYNCS[config.cache_syncs]} (CACHE_SYNCS={config.cache_syncs})"
    )
