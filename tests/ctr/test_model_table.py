# SPDX-License-Identifier: Apache-2.0
"""What of the CTR register table is there in a configuration, and which configurations are legal; the files made from
the table are in step.
"""

from typing import Any

import pytest

from rvtrace.flow.generate.files import outdated
from rvtrace.models.ctr.config import DEPTHS, Config, ConfigError
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.registers import csrs
from rvtrace.models.riscv.csr import READ, Access
from rvtrace.tb.ctr.stimulus.software import Software


def test_generated_files_are_in_step() -> None:
    assert outdated() == []


def test_what_is_not_there() -> None:
    names = {found.name for found in csrs(Config(has_h=0, has_stateen=0))}
    assert not [name for name in names if name.startswith("vs") or "stateen" in name]
    alone = {found.name for found in csrs(Config(variant="v0_1_4", has_s=0, has_h=0))}
    assert {"mctrcontrol", "mctrstatus", "miselect", "mireg"} <= alone and not [n for n in alone if n.startswith("s")]


REQUIRED = [("v1_0", 1, 0x807), ("v0_1_4", 1, 0x7), ("v0_1_4", 0, 0x5)]  # U S M BPFRZ; M S U; M U


@pytest.mark.parametrize(("variant", "has_s", "fields"), REQUIRED)
def test_required_fields_are_always_there(variant: str, has_s: int, fields: int) -> None:
    assert Config(variant=variant, fields=0, has_s=has_s, has_h=0).fields == fields


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"xlen": 16}, "XLEN=16"),
    ({"transfers": 5}, "TRANSFERS=5"),
    ({"depths": (16, 48)}, "48"),
    ({"depths": ()}, "nothing"),
    ({"variant": "v0_1_4", "depths": (16, 64)}, "16,32,64"),
    ({"depth": 32, "depths": (16, 64)}, "DEPTH=32"),
    ({"has_s": 0}, "HAS_S=1"),
    ({"fields": 1 << 38}, "FIELDS"),
    ({"fields": 1 << 9}, "STE"),
    ({"cce_bits": 5}, "CCE_BITS=5"),
    ({"variant": "v0_1_4", "fields": 1 << 38}, "MTE"),
    ({"ctl": -1}, "CTL=-1"),
    ({"variant": "v0_1_4", "ctl": 2 << 16}, "reserved DEPTH 2"),
]


@pytest.mark.parametrize(("given", "reported"), WRONG)
def test_illegal_configurations_are_reported(given: dict[str, Any], reported: str) -> None:
    with pytest.raises(ConfigError, match=reported):
        Config(**given)


def test_a_configuration_survives_json_and_text() -> None:
    config = Config(variant="v0_1_4", xlen=32, depths=(16, 32, 64), has_h=0, depth=32, ctl=0x7)
    assert Config.from_dict(config.to_dict()) == config
    text = {"variant": "v0_1_4", "xlen": "32", "depths": "16,32,64", "has_h": "0", "depth": "32", "ctl": "0x7"}
    assert Config.from_dict(text) == config
    assert Config.from_dict({"fields": "RASEMU,NTBREN"}).fields == 0x807 | 1 << 7 | 1 << 36
    for wrong in ({"colour": 1}, {"fields": "ETEN"}, {"xlen": "wide"}):
        with pytest.raises(ConfigError):
            Config.from_dict(wrong)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(
    "build",
    ({"variant": "v0_1_4"}, {"variant": "v0_1_4", "xlen": 32, "has_h": 0}, {}),
    ids=["draft", "draft32", "v1_0"],
)
def test_ctl_is_the_value_of_the_register(build: dict[str, Any], depth: int) -> None:
    """`config.json` gives for ctl what the first settings leave in the register; in the draft that includes DEPTH."""
    config, model = Config(**build, depth=depth, ctl=7), Ctr(Config(**build))
    for access in Software(config).set_up():
        model.access(access)
    register = model.access(Access(READ, 0x381 if config.draft else 0x34E))
    assert register.rdata == config.to_dict()["ctl"] and model.state.depth == depth
    assert Config.from_dict(config.to_dict()) == config
    if config.draft and depth > 16:  # without the option, a DEPTH in ctl selects the depth
        assert Config(**build, ctl=config.ctl) == config
