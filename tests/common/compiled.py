# SPDX-License-Identifier: Apache-2.0
"""What the tests of kernels share: each runs as Python and, where Numba is installed, compiled."""

import importlib.util
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from rvtrace.models.common import native

HAS_COMPILER = importlib.util.find_spec("numba") is not None
needs_compiler = pytest.mark.skipif(not HAS_COMPILER, reason="Numba is not installed: pip install .[fast]")
both = pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=needs_compiler)])


def encoded(encoder: Callable[[Any], Any], config: Any, beats: Any, compiled: bool) -> Any:
    """What an encoder model makes of beats."""
    with native.using(compiled):
        return encoder(config).run(beats)


def encoder_differences(
    encoder: Callable[[Any], Any], summary: Callable[[Any], dict[str, Any]], walks: Iterable[tuple[int, Any, Any]]
) -> list[str]:
    """In what the encoder model differs when it is compiled. walks: (seed, configuration, beats)."""
    found = []
    for seed, config, beats in walks:
        want, got = (summary(encoded(encoder, config, beats, compiled)) for compiled in (False, True))
        found += [f"seed {seed}: {name}" for name in want if want[name] != got[name]]
    return found
