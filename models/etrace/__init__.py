# SPDX-License-Identifier: Apache-2.0
"""E-Trace 2.0 (and its draft 0.026): configuration, field tables, codec, encoder model and decoder.

    from rvtrace.models.etrace import Config, decode
    from rvtrace.models.riscv.program import Program

    trace = decode(data, Program.from_elf("sort.elf"), Config(return_stack_size_p=3, implicit_return=1))
    trace.pcs                                      # uint64 [instructions]: the address of each retired instruction
    trace.diagnostics                              # what contradicts the specification or the program, each with its
    clause

`encode(beats, config)`: the packets that the profile (docs/reference/etrace-profile.md) sends for retired blocks; an
EncodedTrace. `decode(data, program, config)`: what the hart did, from the bytes of any legal encoder in the transport
of the configuration; a DecodedTrace. `decode_payloads(payloads, program, config)`: the same from payloads without
transport. `pack`, `unpack`: one packet and its payload. ConfigError, EncoderError, DecoderError and PacketError are
ValueErrors about the arguments. Wrong bytes of a trace raise nothing: they are diagnostics.

Encoder model and decoder share the field table and the codec and nothing else: they are two independent readings of the
specification.
"""

from rvtrace.models.common.options import ConfigError
from rvtrace.models.etrace.codec import PacketError, pack, unpack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.decode import Decoder, DecoderError
from rvtrace.models.etrace.decoder.decode import decode as decode_payloads
from rvtrace.models.etrace.decoder.decode import decode_bytes as decode
from rvtrace.models.etrace.decoder.decoded import DecodedTrace, Diagnostic, Event
from rvtrace.models.etrace.encoder.encode import EncodedTrace, Encoder, EncoderError, encode
from rvtrace.models.etrace.table import Packet

__all__ = [
    "Config",
    "ConfigError",
    "DecodedTrace",
    "Decoder",
    "DecoderError",
    "Diagnostic",
    "EncodedTrace",
    "Encoder",
    "EncoderError",
    "Event",
    "Packet",
    "PacketError",
    "decode",
    "decode_payloads",
    "encode",
    "pack",
    "unpack",
]
