# SPDX-License-Identifier: Apache-2.0
"""N-Trace 1.0 (and its release candidate 7): configuration, field tables, codec, encoder model and decoder.

    from rvtrace.models.ntrace import Config, decode
    from rvtrace.models.riscv.program import Program

    trace = decode(data, Program.from_elf("sort.elf"), Config(mode="htm"))
    trace.pcs                                      # uint64 [instructions]: the address of each retired instruction
    trace.diagnostics                              # what contradicts the specification or the program, each with its
    clause

`encode(beats, config)`: the messages that the profile (docs/reference/ntrace-profile.md) sends for retired blocks; an
EncodedTrace. `decode(data, program, config)`: what the hart did, from the bytes of any legal encoder; a DecodedTrace.
`decode_sources(data, sources)`: the same for a stream of several harts (chapter 11). `pack`, `unpack`: one message and
its bytes (chapter 6). ConfigError, EncoderError and DecoderError are ValueErrors about the arguments. Wrong bytes raise
nothing: they are diagnostics.

Encoder model and decoder share the field table and the codec and nothing else: they are two independent readings of the
specification.
"""

from rvtrace.models.common.options import ConfigError
from rvtrace.models.ntrace.codec import pack, unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decode import Decoder, DecoderError, decode
from rvtrace.models.ntrace.decoder.decoded import DecodedTrace, Diagnostic, Event
from rvtrace.models.ntrace.decoder.images import ImageMap
from rvtrace.models.ntrace.decoder.sources import decode_sources
from rvtrace.models.ntrace.encoder.encode import EncodedTrace, Encoder, EncoderError, encode
from rvtrace.models.ntrace.table import Message

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
    "ImageMap",
    "Message",
    "decode",
    "decode_sources",
    "encode",
    "pack",
    "unpack",
]
