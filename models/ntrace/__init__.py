"""N-Trace (Nexus) messages: field tables, codec, encoder model and decoder.

    from models.ntrace import Config, decode
    trace = decode(data, program, Config(mode="htm"))

The encoder model and the decoder share the field table and the codec, nothing else: two readings of one text.
"""

from models.ntrace.codec import pack, unpack
from models.ntrace.config import Config, ConfigError
from models.ntrace.decoded import DecodedTrace
from models.ntrace.decoder import Decoder, decode
from models.ntrace.encoder import EncodedTrace, Encoder
from models.ntrace.images import ImageMap
from models.ntrace.sources import decode_sources

__all__ = [
    "Config", "ConfigError", "DecodedTrace", "Decoder", "EncodedTrace", "Encoder", "ImageMap", "decode", "decode_sources", "pack", "unpack",
]  # fmt: skip
