# SPDX-License-Identifier: Apache-2.0
"""The product with two fields more in the table of N-Trace: run as a program by `test_new_field`.

Two lines of `rvtrace.models.ntrace.table` are other than in its file, and nothing else: an optional field of 3 bits
with codes, and one of variable length, in the middle of IndirectBranchHist and IndirectBranchHistSync. argument:
"compiled" for the compiled kernels.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from random import Random
from types import CodeType, SimpleNamespace
from typing import Any, cast

NAME = "rvtrace.models.ntrace.table"
FILE = Path(__file__).parents[2] / "models" / "ntrace" / "table.py"
MARK = 'Field("MARK", 3, codes={5: "five"}, present=lambda c, v: c.xlen == 64)'
TURNS = 'Field("TURNS", max_bits=50)'
CHANGES = {
    '"IndirectBranchHist", (B_TYPE, I_CNT,': f'"IndirectBranchHist", (B_TYPE, {MARK}, I_CNT, {TURNS},',
    "(SYNC, B_TYPE, I_CNT, F_ADDR, HIST)": f"(SYNC, B_TYPE, {MARK}, I_CNT, {TURNS}, F_ADDR, HIST)",
}


class Changed(SourceFileLoader):
    """The table with its new fields."""

    def get_code(self, fullname: str) -> CodeType:
        text = FILE.read_text()
        for old, new in CHANGES.items():
            assert text.count(old) == 1, f"{old} is not a line of the table any more"
            text = text.replace(old, new)
        return self.source_to_code(text.encode(), str(FILE))


class Finder:
    """Finds the changed table, and nothing else."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return spec_from_file_location(name, FILE, loader=Changed(name, str(FILE))) if name == NAME else None


sys.meta_path.insert(0, Finder())  # type: ignore[arg-type]

from rvtrace.models.common import native  # noqa: E402 - after the table has changed
from rvtrace.models.ntrace import Config, Decoder, Encoder, Message, decode, pack, unpack  # noqa: E402
from rvtrace.models.ntrace.table import BY_NAME, TABLES, message  # noqa: E402
from rvtrace.models.riscv.blocks import to_beats as to_blocks  # noqa: E402
from rvtrace.models.riscv.generate import generate  # noqa: E402
from rvtrace.models.riscv.random_walk import random_walk  # noqa: E402
from rvtrace.models.riscv.retired import Kind, Retired  # noqa: E402
from rvtrace.report.listing.ntrace import message_line  # noqa: E402
from rvtrace.report.viewer_traces import _ntrace_messages  # noqa: E402
from rvtrace.scoreboards.diagnosis.budget import DEVICE, limited  # noqa: E402
from rvtrace.scoreboards.ntrace.capture import NtraceCapture  # noqa: E402
from rvtrace.scoreboards.ntrace.check import check as judged  # noqa: E402
from rvtrace.scoreboards.ntrace.table import ABSENT, MessageTable, compare_fields  # noqa: E402
from rvtrace.tb.common.stimulus.stimulus import closed  # noqa: E402
from rvtrace.tb.ntrace.coverage.points import NTRACE  # noqa: E402
from rvtrace.tb.ntrace.coverage.sampling import observe  # noqa: E402
from tests.ntrace.encoder_stream import each, jump, linear, not_taken, taken, to_beats  # noqa: E402
from tests.ntrace.test_legal_encoder import CLOSED  # noqa: E402
from tests.ntrace.trace_writer import MAIN, sample_program  # noqa: E402

OPTIONS: dict[str, Any] = {"timestamp": 1, "src_bits": 3, "src_id": 2}
VALUES = [(number % 8, 1 << 3 * number) for number in range(12)]


def stream(config: Config) -> list[Message]:
    """A start, and jumps to the same place: each with values of its own in the new fields."""
    at = {"src": config.src_id, "tstamp": 1} if config.timestamp else {"src": config.src_id}
    more = [{"mark": mark, "turns": turns} if config.xlen == 64 else {"turns": turns} for mark, turns in VALUES]
    first = Message.of(BY_NAME["IndirectBranchHistSync"], {
        "sync": 2, "btype": 0, "icnt": 0, "faddr": MAIN >> 1, "hist": 1, **more[0], **at,
    })  # fmt: skip
    others = [
        Message.of(BY_NAME["IndirectBranchHist"], {"btype": 3, "icnt": 0, "uaddr": 0, "hist": 1, **one, **at})
        for one in more[1:]
    ]
    return [message("ProgTraceSync", 5, 0, MAIN >> 1, **at), first, *others]


def check(config: Config, compiled: bool) -> None:
    """Packed, unpacked, decoded, printed, a column, covered, in the viewer."""
    program, wanted = sample_program(config.xlen), stream(config)
    data = b"".join(pack(one, config=config) for one in wanted)
    found, damage = unpack(data, config)
    assert not damage and [a.same(b) for a, b in zip(found, wanted)] == [True] * len(wanted)
    with native.using(compiled):
        trace = decode(data, program, config)
    assert not trace.diagnostics and trace.messages == found, trace.diagnostics
    assert all(row.get("turns") == turns for row, (_, turns) in zip(trace.messages[1:], VALUES))
    table = MessageTable(trace.log)
    assert not trace.log.odd, "the kernel's rows hold the new fields"
    assert table["turns"].tolist() == [ABSENT, *(turns for _, turns in VALUES)]
    marks = [mark if config.xlen == 64 else ABSENT for mark, _ in VALUES]
    assert table["mark"].tolist() == [ABSENT, *marks]
    line = message_line(found[6], data)
    assert "TURNS=32768 U-ADDR=" in line and ("MARK=5 (five) I-CNT" in line) == (config.xlen == 64), line
    other = found[6].replaced(turns=9)
    assert ("TURNS", "32768", "9") in compare_fields(found[6], other)
    files: Any = SimpleNamespace(data=data)
    shapes = _ntrace_messages(files, found, trace.first_pc, trace.time).shapes
    assert all("TURNS" in [f.name for f in shape.fields] for shape in shapes if "Hist" in shape.name)
    given = Retired.from_columns(kind=[Kind.INSN], pc=[MAIN], itype=[0], size=[4])
    seen = observe(NtraceCapture(config, program, data, given=given), trace)
    NTRACE.stamped(seen)
    assert sum(hits for name, hits in seen["field_length_cg"].items() if name.startswith("TURNS")) == len(VALUES)
    assert seen.get("code_cg", {}) == ({"MARK 5 five": marks.count(5)} if config.xlen == 64 else {})


def check_encoder(compiled: bool) -> None:
    """The encoder model sends 0 in fields of which it knows nothing; its bytes are read as they were meant."""
    config = Config(**OPTIONS)
    blocks = [taken(0x1000, 2), not_taken(0x2000, 2), jump(0x2004, 2), linear(0x3000, 1), jump(0x3002, 2)] * 8
    with native.using(compiled):
        encoded = Encoder(config).run(to_beats(each(blocks)))
    found, damage = unpack(encoded.data, config)
    read = [one for one in found if "turns" in one.type.index]
    assert len(read) >= 8 and not damage and all(one.get("turns") == one.get("mark") == 0 for one in read)
    assert encoded.packed == [pack(one, config=config) for one in found]
    for one, made in zip(found, encoded.messages, strict=True):
        assert one.by_key() | made.by_key() == one.by_key()


def check_a_table_as_argument() -> None:
    """A table made for one decoder: the field is absent, and no other line knows."""
    config = Config(xlen=64)
    table = TABLES["v1_0"].each(lambda kind, field: () if field.key == "turns" else (field,))
    kinds = cast(Any, table.by_name)
    sent = [
        Message.of(kinds[one.name], {key: value for key, value in one.by_key().items() if key != "turns"})
        for one in stream(config)
    ]
    data = b"".join(pack(one, config=config) for one in sent)
    decoder = Decoder(sample_program(64), config, table=table)
    decoder.feed(data)
    assert [a.same(b) for a, b in zip(decoder.finish().messages, sent)] == [True] * len(sent)
    assert unpack(data, config, table)[0] == decoder.finish().messages


def run_with(numbers: Callable[[int], dict[str, int]]) -> tuple[NtraceCapture, list[Message]]:
    """A random walk, and its messages with these values of the new fields; the capture has no bytes yet."""
    rng, config = Random("new field"), Config(xlen=64)
    program = generate(rng, config.xlen)
    retired = closed(random_walk(program, rng, 900, variant=config.variant), program)
    messages = [
        one.replaced(**numbers(n)) if "turns" in one.type.index else one
        for n, one in enumerate(Encoder(config).run(to_blocks(retired)).messages)
    ]
    return NtraceCapture(config, program, b"", given=retired, exact=False), messages


def check_diagnosis(key: str, width: int, says: str) -> None:
    """A device without one of the new fields, or with another width of it (0: none), is named, and all is judged."""
    capture, messages = run_with(lambda n: {"mark": 5 * n % 8, "turns": n % 40})
    config = capture.config
    right = replace(capture, data=b"".join(pack(one, config=config) for one in messages))
    assert judged(right, CLOSED).passed
    theirs = TABLES[config.variant].each(
        lambda kind, of: (of,) if of.key != key else (replace(of, width=width),) if width else ()
    )
    kinds = cast(Any, theirs.by_name)
    sent = [Message.of(kinds[one.name], one.by_key()) for one in messages]
    verdict = judged(replace(capture, data=b"".join(pack(one, config=config) for one in sent)), CLOSED)
    first = next(failure for failure in verdict.failures if not failure.cause)
    assert f"the trace decodes if {says}; by the specification " in first.headline, first.headline
    assert first.clause in ("NT.7.9.fields", "NT.7.10.fields")
    assert verdict.stats["judged"] > 0.9 * verdict.stats["instructions"]


if __name__ == "__main__":
    use_compiled = sys.argv[1:] == ["compiled"]
    runs: list[dict[str, Any]] = [{}, OPTIONS, {"xlen": 32}, OPTIONS | {"xlen": 32}]
    for given in runs:
        check(Config(**given), use_compiled)
    check_encoder(use_compiled)
    if not use_compiled:
        check_a_table_as_argument()
        with limited(DEVICE):  # of a device, not of a short file
            check_diagnosis("mark", 0, "MARK is absent")
            check_diagnosis("mark", 5, "MARK has 5 bits")
            check_diagnosis("turns", 0, "TURNS is absent")
            check_diagnosis("turns", 16, "TURNS has a fixed length of 16 bits")
    print("all of it")
