# SPDX-License-Identifier: Apache-2.0
"""Configuration and register table: what is illegal says so, files and command lines give the same, the table is
complete.
"""

import json

import pytest

from rvtrace.flow.generate import hpm as registers_hpm
from rvtrace.models.csr.table import ControlError
from rvtrace.models.hpm.config import Config, ConfigError
from rvtrace.models.hpm.registers import csr, csrs
from rvtrace.models.hpm.rows import Rows, RowsError


@pytest.mark.parametrize(("given", "says"), [
    ({"xlen": "16"}, "XLEN=32 or 64"), ({"retired": "9"}, "RETIRED=1 to 8"), ({"events": "0"}, "EVENTS=1 to 61"),
    ({"has_h": "1", "has_s": "0"}, "HAS_S=1"), ({"has_s": "1", "has_u": "0"}, "HAS_U=1"),
    ({"has_sscofpmf": "0"}, "HAS_SSCOFPMF=1"), ({"widths": "65"}, "1 to 64"), ({"widths": "2:8"}, "3 to 31"),
    ({"widths": "8,3:0"}, "counter 3"), ({"selectors": "3:0x1000"}, "0x7ff"), ({"counters": "3+32"}, "0 to 31"),
    ({"counters": "many"}, "not a number"), ({"widths": [8, 9]}, "32"), ({"colour": "1"}, "unknown option COLOUR"),
    ({"inhibit": 1 << 32}, "32 bits"), ({"codes": "64:1"}, "0 to 63"), ({"event_widths": "-1:1"}, "0 to 63"),
])  # fmt: skip
def test_an_illegal_configuration_says_what_is_legal(given: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError, match=says.replace("(", r"\(")):
        Config.from_dict(given)


def test_a_command_line_and_a_file_give_the_same() -> None:
    config = Config.from_dict(
        {"xlen": "32", "counters": "3+4+31", "widths": "40,4:8", "selectors": "all,31:0x6", "events": "2"}
    )
    assert config.counters == 1 << 31 | 0b11000
    assert [config.widths[n] for n in (0, 2, 3, 4, 5, 31)] == [64, 64, 40, 8, 64, 40]
    assert [config.selectors[n] for n in (2, 3, 4, 5, 31)] == [1, 31, 31, 1, 7]
    assert Config.from_dict(json.loads(json.dumps(config.to_dict()))) == config


def test_masks_of_everything() -> None:
    """All 32 bits, or -1. mhpmcounter3 to 31 exist then; counter 1, the time, cannot be inhibited."""
    for every in (0xFFFF_FFFF, -1):
        config = Config(counters=every, inhibit=every)
        assert (config.counters, config.inhibit) == (0xFFFF_FFF8, 0xFFFF_FFFD)
    assert Config(counters=0b1000, inhibit=-1).inhibit == 0b1101


def test_the_table_has_every_address_once() -> None:
    for config in (Config(), Config(counters=0), Config(has_h=0, has_s=0, has_u=0, has_shlcofideleg=0)):
        addresses = [found.address for found in csrs(config)]
        assert len(set(addresses)) == len(addresses)
        there = {
            *range(0xB03, 0xB20), *range(0xB83, 0xBA0), *range(0xC00, 0xC20), *range(0xC80, 0xCA0),
            *range(0x323, 0x340), *range(0x723, 0x740),
        }  # fmt: skip
        assert there | {0xB00, 0xB02, 0xB80, 0xB82, 0x320, 0x344, 0x304} <= set(addresses)
    assert csr("mhpmevent5h", Config()).address == 0x725 and csr(0xDA0, Config()).name == "scountovf"
    with pytest.raises(ControlError, match="no CSR mcyclecfg"):
        csr("mcyclecfg", Config(has_smcntrpmf=0))


def test_what_hardware_changes() -> None:
    """Sscofpmf: an overflow sets OF and LCOFIP; what enables and delegates the interrupt only software writes."""
    fields = {(c.name, f.name): f.volatile for c in csrs(Config()) for f in c.fields}
    assert fields["mip", "LCOFIP"] and fields["vsip", "LCOFIP"] and fields["mhpmevent3", "OF"]
    for kept in (("mie", "LCOFIE"), ("mideleg", "LCOFI"), ("hideleg", "LCOFI"), ("mhpmevent3", "MINH")):
        assert not fields[kept]


def test_the_package_has_the_addresses_of_the_specification() -> None:
    text = registers_hpm.SOURCE.package_text()
    for line in (
        "MhpmcounterBase = 12'hB00",
        "MhpmcounterhBase = 12'hB80",
        "MhpmeventBase = 12'h320",
        "MhpmeventhBase = 12'h720",
        "HpmcounterhBase = 12'hC80",
        "ScountovfAddr = 12'hDA0",
        "HcounterenAddr = 12'h606",
        "OfLsb = 63",
        "LcofiBit = 13",
    ):
        assert line in text


def test_rows_that_no_port_can_carry() -> None:
    with pytest.raises(RowsError, match="row 1 is not in a later cycle"):
        Rows(**{**vars(Rows.empty(2, 1)), "cycle": [4, 4]})
