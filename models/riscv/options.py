"""Options of a configuration as a table of what is legal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def demand_legal(config: Any, legal: Mapping[str, Iterable[Any]], error: type[ValueError]) -> None:
    """Raises `error` about the first option that is not one of its legal values: a range, or values one by one."""
    for name, values in legal.items():
        value = getattr(config, name)
        if value not in values:
            shown = f"{values.start} to {values.stop - 1}" if isinstance(values, range) else " or ".join(map(str, values))
            raise error(f"{name.upper()}={value} is not supported; give {name.upper()}={shown}")
