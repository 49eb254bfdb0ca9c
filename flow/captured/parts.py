# SPDX-License-Identifier: Apache-2.0
"""A long trace as parts that can be decoded one by one: from a synchronizing message to another one.

Nothing that a decoder has to know is older than the last synchronizing message, so that what a part encodes does not
depend on the part before it. A part ends with the message that the next one begins with, which belongs to the former:
its count reports instructions before it, and only there it is known what it follows. A few messages more are read, for
the rules about what follows it.
"""

from __future__ import annotations

from typing import NamedTuple

PART = 256 << 10  # bytes of a part, about
MOST = 2 << 20  # bytes of a part if nobody says
AFTER = 8  # messages after the last one of a part


class Part(NamedTuple):
    """Bytes [begin, end) of a trace file, of which [begin + skip, own) are its own: the first `skip` are the message
    that the part before ends with, and what comes after `own` is only looked at. cut: where its last message begins,
    with which the next part begins; None of the last part. seen: the end of the part before, 0 of the first. Of
    E-Trace, packet, after: the number of the first packet, and of the first after its own (None of the last part);
    support: the payload that reports the options in force at `begin`, if one does.
    """

    number: int
    begin: int
    skip: int
    cut: int | None
    own: int
    end: int
    seen: int = 0
    packet: int = 0
    after: int | None = None
    support: bytes = b""
