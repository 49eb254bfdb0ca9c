# SPDX-License-Identifier: Apache-2.0
"""E-Trace: branch-trace packets and their transport."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rvtrace.models.etrace.config import Config
from rvtrace.scoreboards.common.foreign import Foreign
from rvtrace.scoreboards.common.judge import CaptureError, Judge
from rvtrace.scoreboards.etrace.tolerances import Tolerances

if TYPE_CHECKING:
    from rvtrace.scoreboards.common.verdict import Verdict
    from rvtrace.scoreboards.etrace.capture import EtraceCapture

FOREIGN = Foreign(
    first={"iaddress_width_p": [64], "inst_stall_ena": [0, 1]},
    examples=(
        'blk_valid = "enable_i && |ing_iretire_i"      stalled = "!pkt_ready_i"      test_mode = 0      bus ='
        ' "{ing_iaddr_i, ing_itype_i}"',
        'ing_ready_o = "!stall"   pkt_payload_o = "packet[247:0]"   drop_o = 0',
    ),
    others=(
        *("ctype", "trap_vectors", "encapsulation", "framing", "flow", "timestamp", "index_width", "index_of"),
        *("length_of", "zero_run", "zero_every", "block_bytes", "src_bits", "src_id", "type_bits", "timestamp_bytes"),
        "async_freq",
    ),
    ports={"notify": "ing_notify_i", "in_reset": "in_reset_i"},
    pulses=("ing_itype_i", "ing_iretire_i", "ing_notify_i"),
    levels=("enable_i", "inst_tracing_i", "halted_i", "in_reset_i", "options_i"),
    blocks=True,
    switches=True,
    freed={
        "ET.pay.compression": ("payload_padded", True),
        "ET.opt.cache_shorter": ("cache_always", True),
    },
    played={"transport": "about the transport, which the testbench adds to a device with a packet port"},
)


class EtraceJudge(Judge):
    """The E-Trace encoder with its transport."""

    ip, title, config, tolerances = "etrace", "E-Trace", Config, Tolerances
    foreign = FOREIGN
    forms = ("variant", "encapsulation", "index_width", "timestamp", "iaddress_width_p")
    parts = ("tci",)
    follows_program = True
    xlen_names = ("xlen", "iaddress_width_p")
    more_words: ClassVar[dict[str, str]] = {"XLEN": "32 or 64: IADDRESS_WIDTH_P", "BLOCKS": "BLOCKS_P"}
    left = (*Judge.left, "packets.hex")
    claims: ClassVar[dict[str, Any]] = {
        **{"sijump_returns": 1, "cache_returns": "fill", "cache_syncs": "clear"},
        **{"length_of": "payload", "index_of": "source", "zero_run": 32, "zero_every": 0},
    }

    def described(self, config: Config) -> str:
        """Variant, width and the options that are on."""
        on = [name for name, value in config.options.items() if value]
        return f"{config.variant} RV{config.xlen} {'+'.join(on) or 'no option'}"

    def read(self, trace: Path, config: Config) -> bytes:
        """The transported bytes; payloads of a .hex file, one a line, are given a transport."""
        if trace.suffix != ".hex":
            return trace.read_bytes()
        from rvtrace.models.etrace.encoder.encapsulate import encapsulate
        from rvtrace.models.etrace.table import MAX_PAYLOAD

        payloads = []
        for place, line in enumerate(trace.read_text(errors="replace").split("\n"), 1):
            try:
                payloads.append(bytes.fromhex(line))
                if len(payloads[-1]) > MAX_PAYLOAD:
                    raise ValueError
            except ValueError:
                raise CaptureError(
                    f"{trace} line {place}: {line[:40]!r} is no payload; give one payload of at most {MAX_PAYLOAD}"
                    " bytes a line, in hexadecimal digits"
                ) from None
        payloads = [payload for payload in payloads if payload]
        starts = [payload[0] & 0xF == 3 for payload in payloads]  # format 3, subformat 0
        return encapsulate(payloads, starts, [0] * len(payloads), config)

    def capture(self, config: Config, program: Any, data: bytes, beats: Any, retired: Any, rerun: str) -> EtraceCapture:
        """One of files: the packets are those of the transported bytes."""
        from rvtrace.models.etrace.decoder.deframe import Deframer
        from rvtrace.scoreboards.etrace.capture import DATA, EtraceCapture

        deframer = Deframer(config)
        payloads, _, damage = deframer.whole(data)
        if not payloads and (others := deframer.others.most_common(1)):
            ((source, number),) = others
            raise CaptureError(
                f"no packet has the source ID {config.src_id:#x}, {number:,} have {source:#x};"
                f" {self._with_source(data, config)}"
            )
        return EtraceCapture(
            config,
            program,
            payloads,
            data=data,
            beats=beats,
            given=retired,
            rerun=rerun,
            problems=[str(d) for d in damage],
            skipped=deframer.types[DATA],
        )

    def _with_source(self, data: bytes, config: Config) -> str:
        """The width and ID with which most bytes can be read, as words to give."""
        from rvtrace.models.etrace.decoder.deframe import deframe
        from rvtrace.scoreboards.etrace.encapsulation import SAMPLE, sources

        sample, ways = data[:SAMPLE], []
        for known in sources(data, config):
            size = sum(map(len, deframe(sample, known)[0]))
            ways.append((self.legible(sample, known) * size / len(sample), known))
        _, best = max(ways, key=lambda way: way[0])
        return f"most bytes can be read with SRC_BITS={best.src_bits} SRC_ID={best.src_id:#x}; give these"

    def legible(self, data: bytes, config: Config | None = None) -> float:
        """The share of payloads that can be read."""
        from rvtrace.models.etrace.decoder.deframe import deframe
        from rvtrace.scoreboards.etrace.layout import read, standard

        config = config or Config()
        payloads, _, _ = deframe(data, config)
        layout = standard(config.variant)
        good = (len(one) for one in payloads if not read(one, layout, config, config.options).problem)
        return sum(good) / max(sum(map(len, payloads)), 1)

    def addresses(self, data: bytes, config: Config) -> Iterator[int]:
        """Those of the packets of format 3, subformat 0."""
        from rvtrace.models.etrace.decoder.deframe import deframe
        from rvtrace.scoreboards.etrace.layout import read, standard

        layout = standard(config.variant)
        for payload in deframe(data, config)[0]:
            packet = read(payload, layout, config, config.options)
            if packet.name == "start" and not packet.problem:
                yield packet.values["address"] << config.iaddress_lsb_p

    def check(self, capture: EtraceCapture, tolerances: Tolerances) -> Verdict:
        """Exact, lossless and legal."""
        from rvtrace.scoreboards.etrace.check import check

        return check(capture, tolerances)


JUDGE = EtraceJudge()
