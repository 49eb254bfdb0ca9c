# SPDX-License-Identifier: Apache-2.0
"""The options of all configurations: illegal values are refused in one sentence,
JSON and command lines give the same.
"""

import json
from dataclasses import fields
from typing import Any

import pytest

from rvtrace.jobs.job import config_of
from rvtrace.models.common.options import ConfigError, Options, legal_text
from rvtrace.models.ntrace.config import Config as NtraceConfig

CONFIGS = {ip: config_of(ip) for ip in ("ntrace", "etrace", "tandem", "ctr", "hpm", "sbi_pmu", "subsystem")}
WRONG: list[Any] = [
    "inf",
    "nan",
    "1e3",
    "",
    "0x",
    "9" * 5000,
    "0x" + "f" * 5000,
    "many\nlines",
    1.0,
    1e400,
    float("nan"),
    1 << 70,
    -(1 << 70),
    -2,
    None,
    [],
    {},
]


@pytest.mark.parametrize("ip", CONFIGS)
def test_numbers_out_of_range(ip: str) -> None:
    """Every option that has a range refuses what is no integer in it, from words and from JSON, with the range in one
    sentence.
    """
    kind = CONFIGS[ip]
    for name, legal in kind.legal().items():
        if not isinstance(legal, range):
            continue
        for value in (value for value in WRONG if not (isinstance(value, int) and value in legal)):
            with pytest.raises(ConfigError) as error:
                kind.from_dict({name: value})
            text = str(error.value)
            assert text.startswith(f"{name.upper()}=") and text.endswith(f"give {name.upper()}={legal_text(legal)}")
            assert "\n" not in text and len(text) < 160


@pytest.mark.parametrize("ip", CONFIGS)
def test_no_value_leaves_a_traceback(ip: str) -> None:
    """Whatever an option is given, a ConfigError is the answer, or a configuration whose JSON gives the same again."""
    kind = CONFIGS[ip]
    deep: Any = []
    for _ in range(500):
        deep = [deep]
    for name in (f.name for f in fields(kind)):
        for value in (*WRONG, True, "text", "all", [1, "a"], [[1, 2]], deep, {"a": 1}):
            try:
                config = kind.from_dict({name: value})
            except ConfigError as error:
                assert "\n" not in str(error) and len(str(error)) < 300
            else:
                assert kind.from_dict(json.loads(json.dumps(config.to_dict()))) == config


@pytest.mark.parametrize("ip", CONFIGS)
def test_defaults(ip: str) -> None:
    """The key "ip" comes first and is ignored on the way back; no word is needed for the defaults."""
    config = CONFIGS[ip]()
    assert isinstance(config, Options) and list(config.to_dict())[0] == "ip" and config.to_dict()["ip"] == ip
    assert CONFIGS[ip].from_dict(config.to_dict()) == config and config.words() == {}


@pytest.mark.parametrize("ip", CONFIGS)
def test_unknown_options(ip: str) -> None:
    with pytest.raises(ConfigError, match=r"^unknown option COLOUR=red; known are "):
        CONFIGS[ip].from_dict({"colour": "red"})
    for values in ([], "text", 1, None):
        with pytest.raises(ConfigError, match="is a JSON object of options, not "):
            CONFIGS[ip].from_dict(values)


def test_floats_and_truth_values() -> None:
    """JSON's true and false are for switches; a float is refused even if it is whole, also by the constructor."""
    assert NtraceConfig.from_dict({"timestamp": True}).to_dict()["timestamp"] == 1
    with pytest.raises(ConfigError, match="^ICNT_BITS=True is not a number; give ICNT_BITS=5 to 22$"):
        NtraceConfig.from_dict({"icnt_bits": True})
    with pytest.raises(ConfigError, match=r"^ICNT_BITS=22.0 is not a whole number; give ICNT_BITS=5 to 22$"):
        NtraceConfig.from_dict({"icnt_bits": 22.0})
    for value in (22.0, float("inf"), "22"):
        with pytest.raises(ConfigError, match="^ICNT_BITS=.* is not supported; give ICNT_BITS=5 to 22$"):
            NtraceConfig(icnt_bits=value)  # type: ignore[arg-type]


def test_words_give_the_configuration_again() -> None:
    config = NtraceConfig(variant="rc7", mode="btm", xlen=32, filter="iaddr=0x80000100..0x800001ff&priv=M")
    assert config.words() == {
        "variant": "rc7",
        "mode": "btm",
        "xlen": "32",
        "filter": "iaddr=0x80000100..0x800001ff&priv=M",
    }
    assert NtraceConfig.from_dict(config.words()) == config
