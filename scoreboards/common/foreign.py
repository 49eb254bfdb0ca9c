# SPDX-License-Identifier: Apache-2.0
"""What a system says of somebody else's device of it, which dut.toml describes (flow/dut): ports, options, clauses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Foreign:
    """first: options that nearly every device states, with an example. examples: lines of [inputs] and [outputs]
    as somebody may write them, with signals that the system has. others: options that software, the hart or the
    testbench chooses, not the device. ports: what a hart reports besides its instructions, and the port that it
    needs: a device may do without. pulses, levels: inputs that a device does not see while the hart waits for its
    registers, and those that stay as they were; none of a block whose ports never wait. blocks: whether it has an
    ingress port of blocks, which may take one instruction or be shaped. switches: whether options are switched
    while it runs. freed: clauses that are checked only where a tolerance does not have this value. unshown: a
    tolerance that looks at its state ports, and why clauses that only these show were not checked without it.
    played: subjects of clauses that the testbench adds to a device, each with the reason why they say nothing of
    the device.
    """

    first: Mapping[str, Any]
    examples: tuple[str, str]
    others: tuple[str, ...] = ()
    ports: Mapping[str, str] = field(default_factory=dict)
    pulses: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    blocks: bool = False
    switches: bool = False
    freed: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    unshown: tuple[str, str] = ("", "")
    played: Mapping[str, str] = field(default_factory=dict)
