# SPDX-License-Identifier: Apache-2.0
"""A wrong address that is contradicted later: the finding says between which bytes, and where the return is wrong."""

from dataclasses import replace
from random import Random

import numpy as np

from rvtrace.models.ntrace.codec import unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.captured import CAPTURED
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from rvtrace.scoreboards.ntrace.wrong_field import FLOW
from rvtrace.tb.common.stimulus.stimulus import closed

CONFIG = Config()
WRONG = 24  # messages whose address is made wrong, each in another trace


def findings():
    """(byte of the message that was made wrong, whether it reports a return, the first finding) of each trace."""
    rng = Random("since")
    program = generate(rng, CONFIG.xlen)
    retired = closed(random_walk(program, rng, 6000), program)
    data = Encoder(CONFIG).run(to_beats(retired, 1, "block")).data
    whole = NtraceCapture(CONFIG, program, data, exact=False)
    decoded = CAPTURED.check(whole, Tolerances.free()).decoded
    messages = unpack(data, CONFIG)[0]
    jumps = [n for n, m in enumerate(messages[:-1]) if m.get("btype") == 0 and m.get("uaddr") is not None]
    found = []
    for number in rng.sample(jumps, WRONG):
        last = int(decoded.pcs[decoded.first_pc[number + 1] - 1])
        is_return = program.columns(np.array([last])).itype[CONFIG.variant][0] == IType.RETURN
        begin, end = messages[number].offset, messages[number + 1].offset
        wrong = bytearray(data)
        wrong[_uaddr(data, begin, end)] ^= 4  # MDO bit 0: an address two bytes further, or two less
        book = CAPTURED.check(replace(whole, data=bytes(wrong)), Tolerances.free()).book
        found.append((begin, is_return, book.failures[0] if book.failures else None))
    return found


def _uaddr(data, begin, end):
    """The first byte of U-ADDR: after that which ends I-CNT."""
    return next(at for at in range(begin, end) if data[at] & 1) + 1


def test_the_bytes_between_which_the_address_is_wrong():
    """A wrong address that leads to code which fits one message more, as a no-operation before the right one, is
    bounded too late: some of them.
    """
    seen = [(begin, is_return, f.headline) for begin, is_return, f in findings() if f is not None and f.clause in FLOW]
    bounded = [(begin, is_return, text) for begin, is_return, text in seen if f"between byte {begin}, the last" in text]
    assert len(seen) > WRONG // 2
    assert len(bounded) > len(seen) * 2 // 3
    returns = [
        f"and at byte {begin}: the return that it reports goes to" in text for begin, is_, text in bounded if is_
    ]
    others = [text for _, is_, text in bounded if not is_ and "follows no call" in text]
    assert len(returns) > 2
    assert all(returns)
    assert not others
