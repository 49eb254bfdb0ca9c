"""Configuration of an E-Trace encoder: variant, parameters of one implementation, run-time options, and transport.

Names are those of the specification; a command line writes them in upper case (`RETURN_STACK_SIZE_P=3 IMPLICIT_RETURN=1`). `config.json` of a
capture holds exactly `Config.to_dict()`. Sync interval, stall and filters have the names of the Trace Control Interface, as in N-Trace.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from models.etrace.packets import MAX_PAYLOAD, OPTIONS, TABLES, VARIANTS
from models.ntrace.filters import FilterError, FilterSettings
from models.riscv.options import demand_legal


class ConfigError(ValueError):
    """A configuration that is not legal or not built; the text says what is."""


@dataclass(frozen=True)
class Config:
    """One configuration; ConfigError on construction if it is illegal.

    Parameters end in _p or _n: widths are bits, sizes exponents of 2; sijump_p: the hart has the sijump signal; notval_p: draft only.
    sijump_returns: 1: sijump holds for returns (itype 13) too, as in our RTL; 0: for such a code it is ignored (ET-13).
    Options are those of the support packet, in `packets.OPTIONS`. inst_sync_mode: 0 off, 1 packets, 2 clock cycles, 3 half-words; the interval is
    2**(inst_sync_max + 4). filter: in the language of `models.ntrace.filters`. ctype: how the hart reports a change of context,
    as the port codes it (0 unreported, 1 imprecisely, 2 precisely, 3 as an asynchronous discontinuity; in the draft 0 with a
    discontinuity, 1 precisely, 2 imprecisely, 3 as a notification), "mixed" draws one each time.
    encapsulation, framing, index_width, flow, timestamp, block_bytes: the transport (docs/etrace-profile.md).
    bcount_bits: how far the encoder counts predicted branches; fifo_depth: packets queued.
    trap_vectors: for option implicit_exception what the decoder knows: ((interrupt, ecause, handler address), ...).
    """

    variant: str = "v2_0"
    arch_p: int = 0
    blocks_p: int = 1
    iaddress_width_p: int = 64
    iaddress_lsb_p: int = 1
    context_width_p: int = 32
    nocontext_p: int = 0
    time_width_p: int = 32
    notime_p: int = 1
    privilege_width_p: int = 3
    ecause_width_p: int = 6
    notval_p: int = 0
    itype_width_p: int = 4
    iretire_width_p: int = 7
    ilastsize_width_p: int = 1
    bpred_size_p: int = 6
    cache_size_p: int = 5
    call_counter_size_p: int = 0
    return_stack_size_p: int = 4
    f0s_width_p: int = 1
    sijump_p: int = 1
    sijump_returns: int = 1
    encoder_mode_n: int = 1
    ioptions_n: int = 6
    doptions_n: int = 0
    implicit_return: int = 0
    implicit_exception: int = 0
    full_address: int = 0
    jump_target_cache: int = 0
    branch_prediction: int = 0
    sijump: int = 0
    inst_sync_mode: int = 0
    inst_sync_max: int = 0
    inst_stall_ena: int = 0
    filter: str = ""
    ctype: str = "mixed"
    encapsulation: str = "messaging"
    framing: str = "none"
    index_width: int = 0
    flow: int = 0
    timestamp: int = 0
    block_bytes: int = 1024
    bcount_bits: int = 32
    fifo_depth: int = 32
    trap_vectors: tuple[tuple[int, int, int], ...] = ()

    def __post_init__(self) -> None:
        demand_legal(self, _LEGAL, ConfigError)
        for bad, sentence in self._contradictions():
            if bad:
                raise ConfigError(sentence)
        try:
            FilterSettings.parse(self.filter, self.xlen)
        except FilterError as error:
            raise ConfigError(str(error)) from None
        if (longest := self.longest_payload) > MAX_PAYLOAD:
            raise ConfigError(f"a packet of {longest} bytes is possible, and {MAX_PAYLOAD} is the most; give less CONTEXT_WIDTH_P or TIME_WIDTH_P")

    def _contradictions(self) -> list[tuple[Any, str]]:
        draft = self.variant == "draft_0_026"
        return [
            (self.call_counter_size_p and self.return_stack_size_p,
             "CALL_COUNTER_SIZE_P and RETURN_STACK_SIZE_P are both given; an encoder has one of them, make the other 0"),
            (self.implicit_return and not (self.call_counter_size_p or self.return_stack_size_p),
             "IMPLICIT_RETURN=1 needs a counter or a stack; give CALL_COUNTER_SIZE_P or RETURN_STACK_SIZE_P"),
            (draft and self.implicit_return and self.return_stack_size_p, "draft_0_026 has no return stack; give RETURN_STACK_SIZE_P=0 CALL_COUNTER_SIZE_P=4"),
            (self.implicit_return and self.itype_width_p == 3, "IMPLICIT_RETURN=1 needs jumps told apart; give ITYPE_WIDTH_P=4"),
            (self.branch_prediction and not self.bpred_size_p, "BRANCH_PREDICTION=1 needs a predictor; give BPRED_SIZE_P=1 to 10"),
            (self.jump_target_cache and not self.cache_size_p, "JUMP_TARGET_CACHE=1 needs a cache; give CACHE_SIZE_P=1 to 10"),
            (self.jump_target_cache and draft, "draft_0_026 has no jump target cache; give JUMP_TARGET_CACHE=0"),
            (draft and self.itype_width_p == 3, "draft_0_026 has no code for an uninferable jump in 3 bits; give ITYPE_WIDTH_P=4"),
            (self.sijump and not self.sijump_p, "SIJUMP=1 needs a hart that tells sijump; give SIJUMP_P=1"),
            (self.bpred_size_p and self.cache_size_p and not self.f0s_width_p,
             "two formats 0 need a subformat field; give F0S_WIDTH_P=1, or BPRED_SIZE_P=0 or CACHE_SIZE_P=0"),
            (draft and self.bcount_bits > 16, "draft_0_026 counts predicted branches in 16 bits; give BCOUNT_BITS=16 or less"),
            (self.framing == "blocks" and self.block_bytes & (self.block_bytes - 1), f"BLOCK_BYTES={self.block_bytes} is no power of two; give 64 to 1024"),
        ]  # fmt: skip

    @property
    def longest_payload(self) -> int:
        """Bytes of the longest packet possible."""
        most: dict[str, Any] = {"branches": 31, "branch_fmt": 3, "options": dict.fromkeys(OPTIONS, 0), "interrupt": 0, "thaddr": 0}
        longest = 0
        for layout in TABLES[self.variant]:
            values = most | ({"branch_fmt": 0} if self.variant == "draft_0_026" else {})
            longest = max(longest, 2 + sum(f.width(self, values) for f in layout.fields))
        return (longest + 7) // 8

    @property
    def xlen(self) -> int:
        """32 or 64: the width of addresses."""
        return self.iaddress_width_p

    @property
    def blocks(self) -> int:
        """Ingress blocks a cycle."""
        return self.blocks_p

    @property
    def options(self) -> dict[str, int]:
        """The run-time options by name, as a support packet tells them."""
        return {name: getattr(self, name) for name in OPTIONS}

    @property
    def ioptions(self) -> int:
        """The same as the bits of the support packet."""
        return sum(getattr(self, name) << bit for bit, name in enumerate(OPTIONS))

    @property
    def ignores_sijump_of_returns(self) -> bool:
        """Whether sijump means nothing for returns: by sijump_returns, where the port of v2_0 has a code for them."""
        return not self.sijump_returns and self.variant == "v2_0" and self.itype_width_p == 4

    @property
    def sync_interval(self) -> int:
        """Resynchronization interval in the unit of inst_sync_mode."""
        return 1 << (self.inst_sync_max + 4)

    @property
    def max_pbc(self) -> int:
        """The most correctly predicted branches counted for one packet."""
        return 31 + (1 << self.bcount_bits) - 1

    def to_dict(self) -> dict[str, Any]:
        """What `config.json` holds."""
        return {"ip": "etrace", **asdict(self), "trap_vectors": [list(v) for v in self.trap_vectors]}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Config:
        """From `config.json` or command line; numbers may be text; `xlen` and `blocks` stand for iaddress_width_p and blocks_p.

        ConfigError names an unknown option.
        """
        known = {f.name: f for f in fields(cls)}
        given: dict[str, Any] = {}
        for name, value in values.items():
            name = _ALIASES.get(name, name)
            if name == "ip":
                continue
            if name not in known:
                raise ConfigError(f"unknown option {name.upper()}={value}; known are {', '.join(n.upper() for n in known)}")
            if known[name].type == "int":
                try:
                    value = int(str(value), 0)
                except ValueError:
                    raise ConfigError(f"{name.upper()}={value} is not a number; give one, such as {name.upper()}=0") from None
            elif known[name].type == "str":
                value = str(value)
            given[name] = tuple(tuple(int(str(n), 0) for n in v) for v in value) if name == "trap_vectors" else value
        if given.get("variant") == "draft_0_026":
            given = _DRAFT | given
        return cls(**given)


_ALIASES = {"xlen": "iaddress_width_p", "blocks": "blocks_p"}
_DRAFT = {"return_stack_size_p": 0, "call_counter_size_p": 4, "cache_size_p": 0, "f0s_width_p": 0, "bcount_bits": 16}  # unless given
_LEGAL: dict[str, Any] = {
    "variant": VARIANTS, "arch_p": (0,), "blocks_p": (1, 2, 4), "iaddress_width_p": (32, 64), "iaddress_lsb_p": (1, 2), "context_width_p": range(33),
    "time_width_p": range(65), "privilege_width_p": (2, 3), "ecause_width_p": range(4, 9), "itype_width_p": (3, 4), "iretire_width_p": range(2, 11),
    "ilastsize_width_p": (1,), "bpred_size_p": range(11), "cache_size_p": range(11), "call_counter_size_p": range(9), "return_stack_size_p": range(6),
    "f0s_width_p": range(3), "encoder_mode_n": range(1, 5), "ioptions_n": range(6, 17), "doptions_n": range(9), "inst_sync_mode": range(4),
    "inst_sync_max": range(16), "ctype": ("0", "1", "2", "3", "mixed"), "encapsulation": ("messaging", "atb"), "framing": ("none", "zeros", "blocks"),
    "index_width": (0, 8, 16), "flow": range(4), "block_bytes": range(64, 1025), "bcount_bits": range(1, 33), "fifo_depth": (16, 32, 64, 128),
    **dict.fromkeys(("nocontext_p", "notime_p", "notval_p", "sijump_p", "sijump_returns", "inst_stall_ena", "timestamp", *OPTIONS), range(2)),
}  # fmt: skip
