# SPDX-License-Identifier: Apache-2.0
"""What `rvtrace figures speed` measures of the models of a system that sends a trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NamedTuple


class Models(NamedTuple):
    """Encoder and decoder model. encoder: of a configuration; its `run` gives `data`. decode: of bytes, program and
    configuration. encoder_kernel, decoder_kernels: what is compiled. encoded: what a set of options is called, and the
    options. decoded: program, options, and what they are called.
    """

    config: Callable[..., Any]
    stimulus: Callable[[Any], Any]
    encoder: Callable[[Any], Any]
    encoder_kernel: ModuleType
    encoded: Mapping[str, Mapping[str, Any]]
    decode: Callable[[bytes, Any, Any], Any]
    decoder_kernels: tuple[ModuleType, ...]
    decoded: tuple[tuple[str, Mapping[str, Any], str], ...]
