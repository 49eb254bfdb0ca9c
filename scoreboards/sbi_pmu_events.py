"""Which events there are: the tables of events and the Change Log read a second time, by the SBI version that a platform has."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

Version = tuple[int, int]
NEWEST: Version = (3, 0)
_FIRST: Version = (0, 3)


class Row(NamedTuple):
    """event_idx.type, its codes that are neither reserved nor NO_EVENT, and the SBI version that brought them."""

    type: int
    codes: Container[int]
    since: Version = _FIRST


_CACHE_CODES = frozenset(cache << 3 | op << 1 | result for cache in range(7) for op in range(3) for result in range(2))
ROWS = (
    Row(0, range(1, 11)),
    Row(1, _CACHE_CODES),
    Row(2, (0,)),
    Row(3, (0,), (3, 0)),  # Change Log, 3.0-rc1/rc2: "new raw event type"
    Row(15, range(22)),  # the whole table of 0.3 and 1.0
    Row(15, range(256, 65536), (2, 0)),  # Change Log, 2.0-rc1: space for the implementation's own; with it 65535 for the platform's
)


def there(event: int, version: Version) -> bool:
    """Whether the chapter of this SBI version has the event_idx. A value of more than 20 bits has no type of the table."""
    return any(row.type == event >> 16 and event & 0xFFFF in row.codes and version >= row.since for row in ROWS)


def absent(event: int) -> str:
    """The clause by which an event_idx is not there."""
    if there(event, NEWEST):
        return "SBI.event.version"
    if event == 0:
        return "SBI.event.no_event"
    return {2: "SBI.event.raw_code", 3: "SBI.event.raw_code", 15: "SBI.event.firmware"}.get(event >> 16, "SBI.event.undefined")
