# SPDX-License-Identifier: Apache-2.0
"""E-Trace scenarios as the scoreboards' tests use them: program, beats and the model's packets, without a simulator."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

from rvtrace.models.etrace.codec import pack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.encoder.encode import EncodedTrace, Encoder
from rvtrace.models.etrace.table import Packet, options_of
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.program import Program
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import Verdict, judged
from rvtrace.scoreboards.etrace.expected import expected
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from rvtrace.tb.etrace.stimulus.scenarios import SCENARIOS

Change = Callable[["Sent"], object]


@dataclass
class Sent:
    """The packets of a run, to be changed: packet, ioptions and reason of each appear at one index."""

    packets: list[Packet]
    options: list[int]
    reasons: list[str]

    def find(self, name: str, which: int = 0, reason: str = "", /, **values: Any) -> int:
        """Index of the which-th packet of a format with these fields."""
        found = [
            i for i, p in enumerate(self.packets)
            if p.name == name and reason in ("", self.reasons[i]) and all(p.get(k) == v for k, v in values.items())
        ]  # fmt: skip
        return found[which]

    def set(self, index: int, /, **values: Any) -> None:
        """Change fields of one packet."""
        self.packets[index].values.update(values)

    def delete(self, index: int) -> None:
        """Leave one out."""
        for column in (self.packets, self.options, self.reasons):
            del column[index]

    def insert(self, index: int, packet: Packet) -> None:
        """One more, with the options of the one before it."""
        self.packets.insert(index, packet)
        self.options.insert(index, self.options[max(index - 1, 0)])
        self.reasons.insert(index, "")

    def repeat(self, index: int) -> None:
        """The same twice."""
        self.insert(index, deepcopy(self.packets[index]))

    def payloads(self, config: Config) -> list[bytes]:
        """As an encoder would send them."""
        return [pack(p, config, options_of(o)) for p, o in zip(self.packets, self.options)]


@cache
def scenario_run(name: str, options: tuple[tuple[str, Any], ...] = ()) -> tuple[Config, Program, Beats, EncodedTrace]:
    """A scenario, what the port carried, and the model's packets; the configuration knows where handlers are."""
    scenario = SCENARIOS[name]
    config = Config.from_dict({"inst_stall_ena": 1, "bcount_bits": 16} | dict(options))
    program, retired = scenario.build(config, Random(f"1:{name}"))
    beats = scenario.to_beats(config, Random(f"2:{name}"), program, retired)
    traps = expected(EtraceCapture(config, program, beats=beats)).traps
    mask = (1 << config.ecause_width_p) - 1
    vectors = {(int(t.interrupt), t.cause & mask): t.handler for t in traps if t.handler is not None}
    config = replace(config, trap_vectors=tuple((*key, handler) for key, handler in vectors.items()))
    return config, program, beats, Encoder(config).run(beats)


def sent(encoded: EncodedTrace) -> Sent:
    """A copy of the model's packets that may be changed."""
    return Sent(deepcopy(encoded.packets), list(encoded.options), list(encoded.reasons))


def doctored(
    name: str,
    options: dict[str, Any],
    change: Change | None = None,
    exact: bool = False,
    tolerances: Tolerances | None = None,
    **capture: Any,
) -> Verdict:
    """The verdict on the model's packets after a change; capture: fields of the record,
    in place of what they would be.
    """
    config, program, beats, encoded = scenario_run(name, tuple(sorted(options.items())))
    copy = sent(encoded)
    if change is not None:
        change(copy)
    given = {"packets": copy.payloads(config), "beats": beats, "exact": exact} | capture
    # one packet was changed, not the device: hypotheses about it have tests of their own
    return judged(EtraceCapture(config, program, **given), tolerances or Tolerances())
