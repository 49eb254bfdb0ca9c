# SPDX-License-Identifier: Apache-2.0
"""Each directed E-Trace scenario produces what it is written for: the encoder model sends the packets that its clauses
are about.
"""

from itertools import product

import pytest

from rvtrace.jobs.job import Job
from rvtrace.models.etrace.encoder.encode import CLAUSES, Encoder
from rvtrace.models.riscv.walk import check_flow
from rvtrace.tb.etrace.builds import BUILD
from rvtrace.tb.etrace.stimulus.scenarios import SCENARIOS
from rvtrace.tb.etrace.stimulus.stimulus import stimulus

LOST = "ET.alg.lost"  # needs a queue that is full: only a simulation has one
SHOWS = {  # clauses of the payload chapter, and what a packet looks like that shows them
    "ET.pay.branch_count": lambda p: "branch_count" in p.values,
    "ET.pay.full_map": lambda p: p.name == "branch_map" and not p.values["branches"],
    "ET.pay.notify": lambda p: p.get("notify", 0),
    "ET.pay.updiscon": lambda p: p.get("updiscon", 0),
    "ET.pay.irreport": lambda p: p.get("irreport", 0),
    "ET.pay.irdepth": lambda p: p.get("irreport", 0) and p.values["irdepth"] is not None,
    "ET.pay.start": lambda p: p.name == "start",
    "ET.pay.trap": lambda p: p.name == "trap",
    "ET.pay.thaddr": lambda p: p.get("thaddr", 1) == 0,
    "ET.pay.tval": lambda p: p.get("tval", 0),
    "ET.pay.context": lambda p: p.name == "context" or p.get("context", 0),
    "ET.pay.support": lambda p: p.name == "support",
    "ET.pay.qual_status": lambda p: p.get("qual_status", 0),
    "ET.opt.cache": lambda p: p.name == "jump_target",
}  # fmt: skip


def played(name, number):
    """The stimulus of one configuration of a scenario."""
    scenario = SCENARIOS[name]
    return stimulus(
        Job(f"{name}-{number}", f"scenario:{name}", dict(scenario.configs[number]), ip="etrace", **scenario.job)
    )


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_the_model_sends_what_the_scenario_names(name):
    left = {clause for clause in SCENARIOS[name].clauses if clause in CLAUSES or clause in SHOWS} - {LOST}
    for number in range(len(SCENARIOS[name].configs)):
        what = played(name, number)
        check_flow(what.retired, what.program)
        encoded = Encoder(what.config).run(what.beats)
        left -= set(encoded.reasons)
        left -= {clause for clause in left & SHOWS.keys() if any(SHOWS[clause](packet) for packet in encoded.packets)}
        if not left:
            break
    assert not left, f"no configuration of {name} shows {', '.join(sorted(left))}"


def test_five_builds_serve_every_scenario():
    configs = [
        Job("", f"scenario:{s.name}", dict(c), ip="etrace").settings for s in SCENARIOS.values() for c in s.configs
    ]
    assert len({BUILD.of(config) for config in configs}) == 5
    shown = {(config.variant, config.blocks_p, config.iaddress_width_p) for config in configs}
    assert shown >= set(product(("v2_0", "draft_0_026"), (1, 2), (64,)))


def test_every_ruling_and_every_rule_has_a_scenario():
    named = {clause for scenario in SCENARIOS.values() for clause in scenario.clauses}
    rulings = {f"ET-{n}" for n in range(1, 19)}
    assert not rulings - named and not set(CLAUSES) - named
