"""A new dut.toml speaks of the signals of its system, of no other's, and says all that the source says of them."""

import re

import pytest

from tb.job import Job
from tools import systems
from tools.dut.description import IPS
from tools.dut.reference import Reference, reference
from tools.dut.template import description

_SIGNAL = re.compile(r"\b[a-z]\w*_(?:i|o|ni)\b")


def template(ip: str) -> tuple[Reference, str]:
    system = systems.find(ip)
    ours = reference(system, system.build_of(Job("ports", "random", ip=ip)))
    return ours, description("acme", system, ours, {}, "", {})


@pytest.mark.parametrize("ip", IPS)
def test_every_signal_that_is_named_is_one_of_the_system(ip):
    ours, text = template(ip)
    named = set(_SIGNAL.findall(text))
    assert len(named) > 8 and named <= set(ours.ports), sorted(named - set(ours.ports))
    examples = next(line for line in text.splitlines() if line.startswith("# ") and " = \"" in line and "test_mode = 0" in line)
    assert set(_SIGNAL.findall(examples)), "an example with signals of this system"


def test_a_comment_that_goes_on_below_is_whole():
    _, text = template("etrace")
    (line,) = (line for line in text.splitlines() if line.startswith("#  options_i "))
    options = ("implicit_return", "implicit_exception", "full_address", "jump_target_cache", "branch_prediction", "sijump")
    assert line.endswith(", ".join(options)), "all six, in the order of their bits"
    assert "its output cannot wait: pkt_ready_i stays 1" in text
