# SPDX-License-Identifier: Apache-2.0
"""The tandem decoder gives the same result by its kernel as Python runs it, and by the kernel compiled."""

import importlib.util
from random import Random

import numpy as np
import pytest

from rvtrace.models.common import native
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder import kernel
from rvtrace.models.tandem.decoder.decode import Decoder
from rvtrace.models.tandem.decoder.decoded import DTYPES, Decoded
from rvtrace.models.tandem.encoder.items import AddRegister, Begin, End, OrRegister, Register, Reset, pack

HAS_COMPILER = importlib.util.find_spec("numba") is not None
needs_compiler = pytest.mark.skipif(not HAS_COMPILER, reason="Numba is not installed: pip install .[fast]")
REGISTERS = (0x1005, 0x100A, 0x340, 0x003, 0x001, 0x300, 0x100)  # the last four show the same state as others


def stream(rng: Random, config: Config) -> bytes:
    """Groups with full and incremental forms, resets, and now and then a byte that is wrong."""
    data = bytearray()
    for _ in range(rng.choice((3, 40, 150))):
        body = []
        for _ in range(rng.randrange(4)):
            register, value = rng.choice(REGISTERS), rng.getrandbits(rng.choice((8, 64)))
            body.append(rng.choice((Register(register, value), AddRegister(register, rng.randrange(-128, 128)),
                                    OrRegister(register, rng.randrange(256)))))  # fmt: skip
        if rng.random() < 0.05:
            body.append(Reset())
        data += pack([Begin(), *body, End()], config)
    for _ in range(rng.choice((0, 0, 1, 10))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def decoded(data: bytes, size: int, compiled: bool) -> Decoded:
    decoder = Decoder(Config(incremental=2))
    with native.using(compiled):
        parts = [decoder.feed(data[at : at + size]) for at in range(0, len(data), size)]
        return Decoded.concat([*parts, decoder.finish()])


def differences(count: int) -> list[str]:
    found = []
    for seed in range(count):
        rng = Random(f"{seed}:tandem_native")
        data = stream(rng, Config(incremental=2))
        want = decoded(data, len(data), False)
        got = decoded(data, rng.choice((len(data), 100)), True)
        found += [f"{seed}: {n}" for n in DTYPES if not np.array_equal(getattr(want, n), getattr(got, n))]
        found += [f"{seed}: diagnostics"] * (want.diagnostics != got.diagnostics)
    return found


@needs_compiler
def test_the_compiled_kernel_gives_the_same_result() -> None:
    assert not differences(150)


@needs_compiler
def test_the_comparison_sees_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel, as Python runs it, that finds no increment."""
    assert native.compiled(kernel) is not None
    monkeypatch.setattr(kernel, "follow", lambda m, first, last, missing: 0)
    assert differences(30)


def test_increments_are_worked_out() -> None:
    items = [Begin(), Register(0x1005, 5), End(), Begin(), AddRegister(0x1005, -6), End(), Begin(),
             OrRegister(0x100A, 1), End()]  # fmt: skip
    result = decoded(pack(items, Config(incremental=2)), 1000, False)
    assert result.change_value.tolist() == [5, (1 << 64) - 1]
    assert len(result.diagnostics) == 1  # x10 has no base


def test_what_was_reported_once_is_not_reported_again_after_a_cut() -> None:
    """A register without a base, then a CSR that shows the state of others: the next bytes know of the first."""
    for seed in range(60):
        rng = Random(f"{seed}:tandem_native")
        data = stream(rng, Config(incremental=2))
        assert decoded(data, 100, False).diagnostics == decoded(data, len(data), False).diagnostics
