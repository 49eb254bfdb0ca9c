# SPDX-License-Identifier: Apache-2.0
"""Configuration of an E-Trace encoder: variant, parameters of one implementation, run-time options, and transport.

Names are those of the specification; a command line writes them in upper case (`RETURN_STACK_SIZE_P=3
IMPLICIT_RETURN=1`). `config.json` of a capture is exactly `Config.to_dict()`. Sync interval, stall and filters have the
names of the Trace Control Interface, as in N-Trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from rvtrace.models.common.filters import FilterError, FilterSettings
from rvtrace.models.common.options import ConfigError, Options, cut, items, number, option, shown, switch
from rvtrace.models.etrace.table import FORMAT_BITS, MAX_PAYLOAD, OPTIONS, TABLES, VARIANTS

CACHE_RETURNS, CACHE_SYNCS = ("fill", "keep", "clear"), ("clear", "fill")
ENCAP = "encap_1_0"  # the packet encapsulation 1.0, beside the example encapsulations of the payload chapter
EXAMPLE_FRAMINGS, ENCAP_FRAMINGS = ("none", "zeros", "blocks"), ("unframed", "framed")
NO_OPTION = "-"  # in ioptions_layout: a bit that is none of the options


@dataclass(frozen=True)
class Config(Options):
    """One configuration of an encoder; ConfigError if it is illegal.

    Parameters end in _p or _n: widths are bits, sizes exponents of 2; sijump_p: the hart has the sijump signal;
    notval_p: draft only. sijump_returns: 1: sijump holds for returns (itype 13) too, as in our RTL; 0: for such a code
    it is ignored (ET-13). cache_returns, cache_syncs: how a decoder keeps the jump target cache (ET-12). The target of
    a return that is reported fills its entry ("fill", as in our RTL), leaves it ("keep"), or, with implicit_return,
    invalidates it ("clear"); a synchronization packet invalidates all entries ("clear", as in our RTL), and its own
    address, if it is the target of an uninferable jump, then fills its entry ("fill"). Options are those of the support
    packet, in `packets.OPTIONS`. inst_sync_mode: 0 off, 1
    packets, 2 clock cycles, 3 half-words; the interval is 2**(inst_sync_max + 4). filter: in the notation of
    `rvtrace.models.common.filters`. ioptions_layout: the bits of ioptions as the device has them, lowest first, with
    commas: the name of an option, or - for a bit that means something else; options without a bit are as configured. It
    replaces ioptions_n; without it the bits are the options in the order of `packets.OPTIONS`. ctype: how the hart
    reports a change of context, as the port codes it (0 unreported, 1 imprecisely, 2 precisely, 3 as an asynchronous
    discontinuity; in the draft 0 with a discontinuity, 1 precisely, 2 imprecisely, 3 as a notification), "mixed"
    chooses one at random each time. encapsulation to block_bytes: the transport (docs/reference/etrace-profile.md);
    src_bits, src_id, type_bits, timestamp_bytes and async_freq are those of the packet encapsulation 1.0, encap_1_0;
    length_of, index_of, zero_run and zero_every describe other headers and runs of zeros of the example
    encapsulations. bcount_bits: how far the encoder counts predicted branches; fifo_depth: packets
    queued. trap_vectors: with implicit_exception, the handlers that the decoder knows: ((interrupt, ecause, handler
    address), ...).
    """

    IP: ClassVar[str] = "etrace"
    ALIASES: ClassVar[Mapping[str, str]] = {"xlen": "iaddress_width_p", "blocks": "blocks_p"}

    variant: str = option("v2_0", VARIANTS)
    arch_p: int = option(0, (0,))
    blocks_p: int = option(1, (1, 2, 4))
    iaddress_width_p: int = option(64, (32, 64))
    iaddress_lsb_p: int = option(1, (1, 2))
    context_width_p: int = option(32, range(33))
    nocontext_p: int = switch()
    time_width_p: int = option(32, range(65))
    notime_p: int = switch(1)
    privilege_width_p: int = option(3, (2, 3))
    ecause_width_p: int = option(6, range(4, 9))
    notval_p: int = switch()
    itype_width_p: int = option(4, (3, 4))
    iretire_width_p: int = option(7, range(2, 11))
    ilastsize_width_p: int = option(1, (1,))
    bpred_size_p: int = option(6, range(11))
    cache_size_p: int = option(5, range(11))
    call_counter_size_p: int = option(0, range(9))
    return_stack_size_p: int = option(4, range(6))
    f0s_width_p: int = option(1, range(3))
    sijump_p: int = switch(1)
    sijump_returns: int = switch(1)
    cache_returns: str = option("fill", CACHE_RETURNS)
    cache_syncs: str = option("clear", CACHE_SYNCS)
    encoder_mode_n: int = option(1, range(1, 5))
    ioptions_n: int = option(6, range(6, 17))
    ioptions_layout: str = ""
    doptions_n: int = option(0, range(9))
    implicit_return: int = switch()
    implicit_exception: int = switch()
    full_address: int = switch()
    jump_target_cache: int = switch()
    branch_prediction: int = switch()
    sijump: int = switch()
    inst_sync_mode: int = option(0, range(4))
    inst_sync_max: int = option(0, range(16))
    inst_stall_ena: int = switch()
    filter: str = ""
    ctype: str = option("mixed", ("0", "1", "2", "3", "mixed"))
    encapsulation: str = option("messaging", ("messaging", "atb", ENCAP))
    framing: str = option("none", (*EXAMPLE_FRAMINGS, *ENCAP_FRAMINGS))
    index_width: int = option(0, (0, 8, 16))
    index_of: str = option("source", ("source", "packets"))
    length_of: str = option("payload", ("payload", "packet"))
    zero_run: int = option(32, range(8, 256))
    zero_every: int = option(0, range(1 << 16))
    src_bits: int = option(0, range(17))
    src_id: int = option(0, range(1 << 16))
    type_bits: int = option(0, range(5))
    flow: int = option(0, range(4))
    timestamp: int = switch()
    timestamp_bytes: int = option(0, range(9))
    async_freq: int = option(0, range(8))
    block_bytes: int = option(1024, range(64, 1025))
    bcount_bits: int = option(32, range(1, 33))
    fifo_depth: int = option(32, (4, 8, 16, 32, 64, 128))
    trap_vectors: tuple[tuple[int, int, int], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for bad, sentence in self._contradictions():
            if bad:
                raise ConfigError(sentence)
        try:
            FilterSettings.parse(self.filter, self.xlen)
        except FilterError as error:
            raise ConfigError(cut(error, 250)) from None
        names = [name for name in self.ioptions_bits if name != NO_OPTION]
        if self.ioptions_layout and (len(set(names)) < len(names) or not set(names) <= set(OPTIONS)):
            raise ConfigError(
                f"{shown('ioptions_layout', self.ioptions_layout)} is no list of options; give each of"
                f" {', '.join(OPTIONS)} once at most, and {NO_OPTION} for other bits"
            )
        if (longest := self.longest_payload) > MAX_PAYLOAD:
            raise ConfigError(
                f"the longest packet has {longest} bytes, more than {MAX_PAYLOAD}; give a smaller CONTEXT_WIDTH_P or"
                " TIME_WIDTH_P"
            )

    def _contradictions(self) -> list[tuple[Any, str]]:
        draft = self.variant == "draft_0_026"
        return [
            (
                self.call_counter_size_p and self.return_stack_size_p,
                (
                    "CALL_COUNTER_SIZE_P and RETURN_STACK_SIZE_P are both given; an encoder has one of them, make the"
                    " other 0"
                ),
            ),
            (
                self.implicit_return and not (self.call_counter_size_p or self.return_stack_size_p),
                "IMPLICIT_RETURN=1 needs a counter or a stack; give CALL_COUNTER_SIZE_P or RETURN_STACK_SIZE_P",
            ),
            (
                draft and self.implicit_return and self.return_stack_size_p,
                "draft_0_026 has no return stack; give RETURN_STACK_SIZE_P=0 CALL_COUNTER_SIZE_P=4",
            ),
            (
                self.implicit_return and self.itype_width_p == 3,
                "IMPLICIT_RETURN=1 needs an itype for each kind of jump; give ITYPE_WIDTH_P=4",
            ),
            (
                self.branch_prediction and not self.bpred_size_p,
                "BRANCH_PREDICTION=1 needs a predictor; give BPRED_SIZE_P=1 to 10",
            ),
            (
                self.jump_target_cache and not self.cache_size_p,
                "JUMP_TARGET_CACHE=1 needs a cache; give CACHE_SIZE_P=1 to 10",
            ),
            (self.jump_target_cache and draft, "draft_0_026 has no jump target cache; give JUMP_TARGET_CACHE=0"),
            (
                draft and self.itype_width_p == 3,
                "draft_0_026 has no code for an uninferable jump in 3 bits; give ITYPE_WIDTH_P=4",
            ),
            (self.sijump and not self.sijump_p, "SIJUMP=1 needs a hart with the signal sijump; give SIJUMP_P=1"),
            (
                self.bpred_size_p and self.cache_size_p and not self.f0s_width_p,
                "two formats 0 need a subformat field; give F0S_WIDTH_P=1, or BPRED_SIZE_P=0 or CACHE_SIZE_P=0",
            ),
            (
                draft and self.bcount_bits > 16,
                "draft_0_026 counts predicted branches in 16 bits; give BCOUNT_BITS=16 or less",
            ),
            (
                self.framing == "blocks" and self.block_bytes & (self.block_bytes - 1),
                f"BLOCK_BYTES={self.block_bytes} is not a power of two; give BLOCK_BYTES=64 to 1024, a power of two",
            ),
            *self._transport_contradictions(),
            (
                self.fifo_depth <= 2 * self.blocks_p,
                (
                    f"FIFO_DEPTH={self.fifo_depth} has no room for the {2 * self.blocks_p + 1} descriptors that a beat"
                    f" of BLOCKS_P={self.blocks_p} can make; give FIFO_DEPTH=16 or more"
                ),
            ),
        ]

    def _transport_contradictions(self) -> list[tuple[Any, str]]:
        encap = self.encapsulation == ENCAP
        of_encap = f"give ENCAPSULATION={ENCAP}"
        room = MAX_PAYLOAD - (self.spare_bits + 7) // 8
        return [
            (
                encap and self.framing in EXAMPLE_FRAMINGS[1:],
                f"FRAMING={self.framing} is not for ENCAPSULATION={ENCAP}; give FRAMING=none, unframed or framed",
            ),
            (
                not encap and self.framing in ENCAP_FRAMINGS,
                f"FRAMING={self.framing} is for the encapsulation 1.0; {of_encap}, or FRAMING=none, zeros or blocks",
            ),
            (
                encap and (self.index_width or self.index_of != "source" or self.length_of != "payload"),
                f"ENCAPSULATION={ENCAP} has no index; give SRC_BITS, and neither INDEX_WIDTH, INDEX_OF nor LENGTH_OF",
            ),
            (
                not encap and (self.src_bits or self.type_bits or self.timestamp_bytes or self.async_freq),
                f"SRC_BITS, TYPE_BITS, TIMESTAMP_BYTES and ASYNC_FREQ are for the encapsulation 1.0; {of_encap}",
            ),
            (
                self.src_id >> self.src_bits,
                f"SRC_ID={self.src_id} does not fit SRC_BITS={self.src_bits}; give SRC_BITS={self.src_id.bit_length()}",
            ),
            (
                encap and self.async_freq and self.framing == "none",
                f"ASYNC_FREQ={self.async_freq} inserts synchronization sequences; give FRAMING=unframed or framed",
            ),
            (
                encap and self.timestamp and not self.timestamp_bytes,
                f"TIMESTAMP=1 with ENCAPSULATION={ENCAP} needs bytes; give TIMESTAMP_BYTES=1 to 8",
            ),
            (
                self.index_of == "packets" and not self.index_width,
                "INDEX_OF=packets needs an index; give INDEX_WIDTH=8 or 16",
            ),
            (
                encap and self.longest_payload > room,
                f"the longest packet has {self.longest_payload} bytes, more than the {room} beside srcID and type; give"
                " a smaller CONTEXT_WIDTH_P or TIME_WIDTH_P",
            ),
        ]

    @property
    def spare_bits(self) -> int:
        """Bits before a trace payload that the length of encapsulation 1.0 counts: what is left of srcID, and the type
        ("Packet Length").
        """
        return self.src_bits % 8 + self.type_bits if self.encapsulation == ENCAP else 0

    @property
    def stamp_bytes(self) -> int:
        """Bytes of a timestamp: T of encapsulation 1.0, 2 in the example encapsulations."""
        return self.timestamp_bytes if self.encapsulation == ENCAP else 2

    @property
    def null_run(self) -> int:
        """N of encapsulation 1.0: the longest run of null bytes that a packet can hold ("Synchronization")."""
        return MAX_PAYLOAD + self.timestamp_bytes + self.src_bits // 8

    @property
    def longest_payload(self) -> int:
        """Bytes of the longest packet possible."""
        most: dict[str, Any] = {
            "branches": 31,
            "branch_fmt": 3,
            "options": dict.fromkeys(OPTIONS, 0),
            "interrupt": 0,
            "thaddr": 0,
        }
        longest = 0
        for kind in TABLES[self.variant].messages:
            values = most | ({"branch_fmt": 0} if self.variant == "draft_0_026" else {})
            longest = max(longest, FORMAT_BITS + sum(f.bits(self, values) for f in kind.fields))
        return (longest + 7) // 8

    @property
    def xlen(self) -> int:
        """32 or 64: the width of addresses."""
        return self.iaddress_width_p

    @property
    def blocks(self) -> int:
        """Ingress blocks per cycle."""
        return self.blocks_p

    @property
    def options(self) -> dict[str, int]:
        """The run-time options by name, as a support packet reports them."""
        return {name: getattr(self, name) for name in OPTIONS}

    @property
    def ioptions_bits(self) -> tuple[str, ...]:
        """What each bit of ioptions is, the lowest first: an option, or NO_OPTION."""
        return _bits_of(self.ioptions_layout, self.ioptions_n)

    def sent_ioptions(self, ioptions: int) -> int:
        """The field as the device sends it, from the bits in the order of `packets.OPTIONS`."""
        return sum((ioptions >> OPTIONS.index(n) & 1) << k for k, n in enumerate(self.ioptions_bits) if n in OPTIONS)

    def read_ioptions(self, field: int) -> int:
        """The bits in the order of `packets.OPTIONS`, from the field as the device sends it."""
        if not self.ioptions_layout:
            return field
        bits = {OPTIONS.index(name): field >> k & 1 for k, name in enumerate(self.ioptions_bits) if name in OPTIONS}
        return sum(bits.get(bit, self.ioptions >> bit & 1) << bit for bit in range(len(OPTIONS)))

    @property
    def ioptions(self) -> int:
        """The run-time options as the bits of the support packet."""
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

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Config:
        """As for all configurations; with variant draft_0_026 the options that the draft does not have are off unless
        given.

        `xlen` and `blocks` are accepted as names of iaddress_width_p and blocks_p.
        """
        draft = isinstance(values, Mapping) and values.get("variant") == "draft_0_026"
        return super().from_dict({**_DRAFT, **values} if draft else values)

    @classmethod
    def parse(cls, name: str, value: Any, given: Mapping[str, Any]) -> Any:
        """The handlers are a list of triples; words of a command line cannot give them."""
        if name != "trap_vectors":
            return super().parse(name, value, given)
        try:
            vectors = tuple(tuple(number(name, item) for item in items(name, vector)) for vector in items(name, value))
        except ConfigError:
            vectors = ((),)
        if any(len(vector) != 3 for vector in vectors):
            raise ConfigError(
                f"{shown(name, value)} is not a list of handlers; give [[interrupt, ecause, address], ...]"
            )
        return vectors

    def words(self) -> dict[str, str]:
        """As for all configurations, without the handlers, which are a property of the program."""
        return {name: text for name, text in super().words().items() if name != "trap_vectors"}


@cache
def _bits_of(layout: str, n: int) -> tuple[str, ...]:
    if layout:
        return tuple(name.strip() for name in layout.split(","))
    return (*OPTIONS, *[NO_OPTION] * (n - len(OPTIONS)))


_DRAFT = {"return_stack_size_p": 0, "call_counter_size_p": 4, "cache_size_p": 0, "f0s_width_p": 0, "bcount_bits": 16}
