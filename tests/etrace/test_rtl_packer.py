# SPDX-License-Identifier: Apache-2.0
"""etrace_packer: random descriptors of every kind, in both variants and many widths, against the codec, packet by
packet.
"""

from collections import Counter
from random import Random
from typing import Any

import pytest

from rvtrace.models.etrace.codec import pack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import OPTIONS, Packet
from tests.common.packers import vector
from tests.common.unit_bench import play

SOURCES = ["etrace/etrace_pkg.sv", "etrace/etrace_packer.sv"]
PARAMETERS = {  # of the module: of the configuration
    "IAddressWidth": "iaddress_width_p",
    "IAddressLsb": "iaddress_lsb_p",
    "ContextWidth": "context_width_p",
    "NoContext": "nocontext_p",
    "TimeWidth": "time_width_p",
    "NoTime": "notime_p",
    "PrivilegeWidth": "privilege_width_p",
    "EcauseWidth": "ecause_width_p",
    "NoTval": "notval_p",
    "CacheSize": "cache_size_p",
    "CallCounterSize": "call_counter_size_p",
    "ReturnStackSize": "return_stack_size_p",
    "F0sWidth": "f0s_width_p",
    "EncoderModeN": "encoder_mode_n",
    "IOptionsN": "ioptions_n",
    "DOptionsN": "doptions_n",
}
NARROW = {
    "iaddress_width_p": 32,
    "iaddress_lsb_p": 2,
    "privilege_width_p": 2,
    "ecause_width_p": 4,
    "time_width_p": 1,
    "notime_p": 0,
}
COUNTER = {"return_stack_size_p": 0, "call_counter_size_p": 8}
PLAIN = {"return_stack_size_p": 0, "cache_size_p": 0, "f0s_width_p": 0, "nocontext_p": 1}
DRAFT = {"variant": "draft_0_026", "return_stack_size_p": 0, "bcount_bits": 16}
CONFIGS: list[dict[str, Any]] = [  # what differs from the default, and the chance in percent that a packet is taken
    {"ready": 100},
    NARROW | {"ready": 60},
    COUNTER | {"cache_size_p": 10, "f0s_width_p": 2, "context_width_p": 1, "ioptions_n": 16, "ready": 30},
    PLAIN | {"notime_p": 0, "time_width_p": 64, "doptions_n": 8, "encoder_mode_n": 4, "ready": 90},
    PLAIN | {"iaddress_width_p": 32, "ecause_width_p": 8, "ready": 50},
    {
        "return_stack_size_p": 1,
        "cache_size_p": 1,
        "bpred_size_p": 0,
        "notime_p": 0,
        "context_width_p": 8,
        "time_width_p": 16,
        "ready": 80,
    },
    DRAFT | {"call_counter_size_p": 4, "ready": 100},
    DRAFT | NARROW | {"notval_p": 1, "nocontext_p": 1, "ready": 40},
    DRAFT | {"ioptions_n": 9, "encoder_mode_n": 3, "ready": 70},
]
LAYOUT = (  # of a descriptor; None: as wide as an address
    ("kind", 3),
    ("draft", 1),
    ("options", 6),
    ("branch", 1),
    ("interrupt", 1),
    ("thaddr", 1),
    ("ienable", 1),
    ("qual_status", 2),
    ("notify", 1),
    ("updiscon", 1),
    ("irreport", 1),
    ("irdepth", 8),
    ("counting", 1),
    ("fail", 1),
    ("branch_count", 32),
    ("branches", 5),
    ("branch_map", 31),
    ("privilege", 3),
    ("ecause", 8),
    ("hit", 1),
    ("index", 10),
    ("address", None),
    ("tval", None),
    ("context", 32),
    ("time", 64),
)
EDGES = (*[0] * 8, 1, 1, 2, 3, 4, 7, 8, 9, 10, 15, 16, 17, 18, 25, 26, 30, 31)
NAMES = {1: "start", 2: "trap", 3: "context", 4: "support"}


def _value(rng: Random, bits: int) -> int:
    """Of any length, often all ones on top, so that every number of bytes is seen."""
    value = rng.getrandbits(n) if (n := rng.randint(0, bits)) else 0
    return rng.choice([value, ((1 << bits) - 1) ^ value])


def _random_values(rng: Random, config: Config) -> dict[str, int]:
    """A descriptor; the fields that its packet does not have are noise."""
    d = {name: _value(rng, width or config.iaddress_width_p) for name, width in LAYOUT}
    d["kind"], d["draft"] = rng.choice([1, 2, 2, 3, 4, 5, 5, 5, 6]), int(config.variant == "draft_0_026")
    d["branches"] = 31 if d["kind"] == 6 else rng.choice(EDGES)
    d["counting"], d["hit"], d["notify"], d["updiscon"] = (
        int(rng.random() < chance) for chance in (0.25, 0.6, 0.15, 0.15)
    )
    if d["draft"] and d["kind"] == 5:
        d["counting"] = 0
    if d["hit"]:  # comes only with an address after a discontinuity
        d["notify"] = 0
    return d


def _packet(d: dict[str, int], config: Config) -> tuple[Packet, dict[str, int]]:
    """The packet the descriptor asks for (docs/reference/etrace-profile.md, Packets), cut to the widths of the
    configuration; and the options.
    """
    options = {name: d["options"] >> bit & 1 for bit, name in enumerate(OPTIONS)}
    draft, addr_bits = d["draft"], config.iaddress_width_p - config.iaddress_lsb_p
    depth_bits = config.return_stack_size_p + (config.return_stack_size_p > 0) + config.call_counter_size_p
    v: dict[str, Any] = d | {
        "address": d["address"] % (1 << addr_bits),
        "irdepth": d["irdepth"] % (1 << depth_bits),
        "ioptions": d["options"],
        "encoder_mode": 0,
    }
    v |= {
        name: d[name] % (1 << getattr(config, f"{name}_width_p")) for name in ("privilege", "ecause", "context", "time")
    }
    v |= {
        "branch_map": d["branch_map"] % (1 << d["branches"]),
        "no_mispred": 1 - d["fail"],
        "denable": 0,
        "dloss": 0,
        "doptions": 0,
    }
    v["index"] = d["index"] % (1 << config.cache_size_p)
    if draft:
        v |= {"thaddr": 1, "branch_count": d["branch_count"] % (1 << 16)}
    if name := NAMES.get(d["kind"]):
        return Packet(name, v | {"format": 3, "subformat": d["kind"] - 1}), options
    alone = d["kind"] == 6
    if d["counting"] and not draft:
        return (
            Packet("branch_count", v | {"format": 0, "subformat": 0, "branch_fmt": 0 if alone else 2 + d["fail"]}),
            options,
        )
    if alone:
        return Packet("branch_map", v | {"format": 1, "branches": 0, "branch_fmt": d["counting"]}), options
    packet = Packet("branch_map", v | {"format": 1}) if d["branches"] else Packet("address", v | {"format": 2})
    jump = Packet("jump_target", v | {"format": 0, "subformat": 1})
    possible = d["hit"] and config.cache_size_p and not draft and not d["updiscon"]
    return (
        jump if possible and len(pack(jump, config, options)) < len(pack(packet, config, options)) else packet
    ), options


@pytest.mark.parametrize(
    "config", CONFIGS, ids=lambda c: "-".join(f"{name}={v}" for name, v in c.items() if name != "ready") or "default"
)
def test_random_packets(config, tmp_path):
    ready = config["ready"]
    settings = Config.from_dict({name: value for name, value in config.items() if name != "ready"})
    rng = Random(f"{config}:tests/rtl/etrace_packer")
    rows, want, seen = [], [], Counter()
    for _ in range(400):
        d = _random_values(rng, settings)
        rows.append(vector(*((d[name], width or settings.iaddress_width_p) for name, width in LAYOUT)))
        packet, options = _packet(d, settings)
        data = pack(packet, settings, options)
        want.append(
            [str(len(data)), data[::-1].hex().zfill(62), str(int(d["kind"] == 1)), f"{d['time'] & 0xFFFF:04x}", "0"]
        )
        seen[packet.name] += 1
    parameters = {module: int(getattr(settings, name)) for module, name in PARAMETERS.items()}
    lines = play("bench_etrace_packer", SOURCES, parameters, rows, tmp_path, ready=ready)
    assert [line.split()[1:] for line in lines] == want
    if ready == 100:  # no cycle without a packet, from the first to the last
        assert int(lines[-1].split()[0]) - int(lines[0].split()[0]) == len(lines) - 1
    draft = settings.variant == "draft_0_026"
    assert min(seen[name] for name in ("start", "trap", "context", "support", "branch_map", "address")) > 10
    assert draft or seen["branch_count"] > 10 and (seen["jump_target"] > 5) == (settings.cache_size_p > 0)


PUBLISHED = (  # payloads checked against two other decoders, with the descriptors read off their bits
    ("1f", {"kind": 4, "ienable": 1}),
    ("4f", {"kind": 4, "qual_status": 1}),
    ("f2", {"kind": 5, "address": -4 % (1 << 63)}),
    ("73000000000004", {"kind": 1, "branch": 1, "privilege": 3, "address": 0x1000 >> 1}),
    ("02e0ffff00", {"kind": 5, "address": 0x7FFFF000 >> 1}),
    ("852d00000000000000ff", {"kind": 5, "branches": 1, "branch_map": 1, "address": 0x5A >> 1, "updiscon": 1}),
    (
        "77000000002107000010",
        {"kind": 2, "branch": 1, "privilege": 3, "ecause": 2, "thaddr": 1, "address": 0x80000038 >> 1},
    ),
)


def test_published_payloads(tmp_path):
    """Addresses of 64 bits without bit 0, 32 bits of context, 5 of ecause, 2 of privilege;
    every field not named is 0.
    """
    rows = [vector(*((d.get(name, 0), width or 64) for name, width in LAYOUT)) for _, d in PUBLISHED]
    lines = play("bench_etrace_packer", SOURCES, {"EcauseWidth": 5, "PrivilegeWidth": 2}, rows, tmp_path)
    reported = [bytes.fromhex(line.split()[2])[::-1][: int(line.split()[1])].hex() for line in lines]
    assert reported == [payload for payload, _ in PUBLISHED]
