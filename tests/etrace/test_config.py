# SPDX-License-Identifier: Apache-2.0
"""A configuration: what is refused and the sentence that says so, what a command line and config.json give."""

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given

from rvtrace.models.etrace.config import Config, ConfigError
from rvtrace.models.etrace.table import OPTIONS, options_of
from tests.etrace.strategies import configs

ENCAP: dict[str, Any] = {"encapsulation": "encap_1_0"}
DRAFT: dict[str, Any] = {"variant": "draft_0_026", "return_stack_size_p": 0, "bcount_bits": 16}
CONTRADICTIONS: list[tuple[dict[str, Any], str]] = [
    (
        {"call_counter_size_p": 4, "return_stack_size_p": 4},
        "CALL_COUNTER_SIZE_P and RETURN_STACK_SIZE_P are both given",
    ),
    ({"implicit_return": 1, "return_stack_size_p": 0}, "IMPLICIT_RETURN=1 needs a counter or a stack"),
    ({"implicit_return": 1, "itype_width_p": 3}, "IMPLICIT_RETURN=1 needs an itype for each kind of jump"),
    ({"branch_prediction": 1, "bpred_size_p": 0}, "BRANCH_PREDICTION=1 needs a predictor"),
    ({"jump_target_cache": 1, "cache_size_p": 0}, "JUMP_TARGET_CACHE=1 needs a cache"),
    ({"sijump": 1, "sijump_p": 0}, "SIJUMP=1 needs a hart with the signal sijump"),
    ({"f0s_width_p": 0}, "two formats 0 need a subformat field"),
    ({"framing": "blocks", "block_bytes": 100}, "BLOCK_BYTES=100 is not a power of two"),
    ({"blocks_p": 4, "fifo_depth": 8}, "FIFO_DEPTH=8 has no room for the 9 descriptors"),
    (DRAFT | {"implicit_return": 1, "return_stack_size_p": 4}, "draft_0_026 has no return stack"),
    (DRAFT | {"jump_target_cache": 1}, "draft_0_026 has no jump target cache"),
    (DRAFT | {"itype_width_p": 3}, "draft_0_026 has no code for an uninferable jump in 3 bits"),
    (DRAFT | {"bcount_bits": 17}, "draft_0_026 counts predicted branches in 16 bits"),
    (ENCAP | {"framing": "zeros"}, "FRAMING=zeros is not for ENCAPSULATION=encap_1_0"),
    ({"framing": "unframed"}, "FRAMING=unframed is for the encapsulation 1.0"),
    (ENCAP | {"index_width": 8}, "has no index; give SRC_BITS"),
    ({"src_bits": 8}, "TIMESTAMP_BYTES and ASYNC_FREQ are for the encapsulation 1.0; give ENCAPSULATION=encap_1_0"),
    (ENCAP | {"src_id": 5, "src_bits": 2}, "SRC_ID=5 does not fit SRC_BITS=2; give SRC_BITS=3"),
    (ENCAP | {"async_freq": 1}, "ASYNC_FREQ=1 inserts synchronization sequences"),
    (ENCAP | {"timestamp": 1}, "needs bytes; give TIMESTAMP_BYTES=1 to 8"),
    ({"index_of": "packets"}, "INDEX_OF=packets needs an index; give INDEX_WIDTH=8 or 16"),
    (ENCAP | {"src_bits": 7, "type_bits": 4, "notime_p": 0, "time_width_p": 64}, "beside srcID and type"),
    ({"filter": "nonsense"}, "nonsense"),
]
OUT_OF_RANGE = {
    "variant": "v1_0",
    "arch_p": 1,
    "blocks_p": 3,
    "iaddress_width_p": 48,
    "iaddress_lsb_p": 0,
    "context_width_p": 33,
    "time_width_p": 65,
    "privilege_width_p": 4,
    "ecause_width_p": 3,
    "itype_width_p": 5,
    "iretire_width_p": 1,
    "ilastsize_width_p": 2,
    "bpred_size_p": 11,
    "cache_size_p": -1,
    "call_counter_size_p": 9,
    "return_stack_size_p": 6,
    "f0s_width_p": 3,
    "encoder_mode_n": 0,
    "ioptions_n": 5,
    "doptions_n": 9,
    "inst_sync_mode": 4,
    "inst_sync_max": 16,
    "ctype": "4",
    "encapsulation": "usb",
    "framing": "cobs",
    "index_width": 4,
    "index_of": "frames",
    "length_of": "header",
    "zero_run": 7,
    "zero_every": -1,
    "src_bits": 17,
    "src_id": 1 << 16,
    "type_bits": 5,
    "timestamp_bytes": 9,
    "async_freq": 8,
    "flow": 4,
    "block_bytes": 32,
    "bcount_bits": 0,
    "fifo_depth": 12,
    "cache_returns": "drop",
    "cache_syncs": "keep",
    **dict.fromkeys(
        ("nocontext_p", "notime_p", "notval_p", "sijump_p", "sijump_returns", "inst_stall_ena", "timestamp", *OPTIONS),
        2,
    ),
}


@pytest.mark.parametrize("settings, sentence", CONTRADICTIONS, ids=[sentence for _, sentence in CONTRADICTIONS])
def test_contradictions(settings: dict[str, Any], sentence: str) -> None:
    """Each has its one sentence, which names the option and what to give."""
    with pytest.raises(ConfigError) as error:
        Config(**settings)
    text = str(error.value)
    assert sentence in text
    assert "\n" not in text and len(text) < 160


def test_every_contradiction_is_tested() -> None:
    """As many cases as the configuration has contradictions, and the one of its filter."""
    assert len(Config()._contradictions()) + 1 == len(CONTRADICTIONS)


@pytest.mark.parametrize("name, value", list(OUT_OF_RANGE.items()))
def test_values_out_of_range(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=rf"^{name.upper()}={value} is not supported; give {name.upper()}="):
        Config(**{name: value})


def test_every_name_has_a_range() -> None:
    """But filters, the layout of ioptions and trap vectors, which are separate languages."""
    assert {f.name for f in fields(Config)} - set(OUT_OF_RANGE) == {"filter", "ioptions_layout", "trap_vectors"}


def test_the_longest_packet_fits() -> None:
    """With all fields at their greatest a packet has 31 bytes: no legal width is refused for its length."""
    widest: dict[str, Any] = {
        "context_width_p": 32,
        "time_width_p": 64,
        "notime_p": 0,
        "ecause_width_p": 8,
        "iaddress_width_p": 64,
    }
    assert Config(**widest).longest_payload == (2 + 2 + 1 + 3 + 64 + 32 + 8 + 2 + 63 + 64 + 7) // 8 == 31


@given(configs())
def test_config_json(config: Config) -> None:
    """What is written to config.json gives the same configuration, whole."""
    assert Config.from_dict(json.loads(json.dumps(config.to_dict()))) == config
    assert config.to_dict()["ip"] == "etrace"


def test_trap_vectors_in_json() -> None:
    config = Config(implicit_exception=1, trap_vectors=((1, 7, 0x80000100), (0, 2, 0x80000200)))
    assert Config.from_dict(json.loads(json.dumps(config.to_dict()))) == config


def test_command_line() -> None:
    """Numbers may be text; xlen and blocks are short for two parameters;
    ctype is text though it looks like a number.
    """
    config = Config.from_dict({"xlen": "32", "blocks": "4", "bcount_bits": "0x10", "ctype": 2})
    assert (config.iaddress_width_p, config.blocks_p, config.bcount_bits, config.ctype) == (32, 4, 16, "2")
    with pytest.raises(ConfigError, match="unknown option BRANCH_PREDICTOR=1; known are VARIANT"):
        Config.from_dict({"branch_predictor": "1"})
    with pytest.raises(ConfigError, match="BPRED_SIZE_P=many is not a number; give BPRED_SIZE_P=0 to 10"):
        Config.from_dict({"bpred_size_p": "many"})


def test_the_draft_needs_no_other_option() -> None:
    """variant=draft_0_026 alone is legal: what the draft does not have is off unless given."""
    config = Config.from_dict({"variant": "draft_0_026", "implicit_return": 1})
    assert (config.return_stack_size_p, config.call_counter_size_p, config.cache_size_p, config.bcount_bits) == (
        0,
        4,
        0,
        16,
    )
    assert config.max_pbc == 31 + 0xFFFF


@pytest.mark.parametrize("bit, name", list(enumerate(OPTIONS)))
def test_ioptions(bit: int, name: str) -> None:
    """The bits of the support packet, in the order of the profile."""
    config = Config.from_dict({name: 1})
    assert config.ioptions == 1 << bit
    assert options_of(config.ioptions) == config.options == dict.fromkeys(OPTIONS, 0) | {name: 1}
    assert OPTIONS == (
        "implicit_return", "implicit_exception", "full_address", "jump_target_cache", "branch_prediction", "sijump",
    )  # fmt: skip
