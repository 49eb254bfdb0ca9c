# SPDX-License-Identifier: Apache-2.0
"""Several programs in one trace, chosen by Ownership, and images that are replaced (11.3, 11.4)."""

from typing import Any, cast

import pytest

from rvtrace.models.common import native
from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.models.ntrace.decoder.sources import ImageError, ImageMap, Situation
from rvtrace.models.ntrace.table import message
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from tests.common.there import there
from tests.ntrace.hart_writer import COMPILER, EDITOR, KERNEL, OS, USER, hart, images, kernel
from tests.ntrace.trace_writer import HANDLER, sample_program


@pytest.mark.parametrize("mode", ["btm", "htm"])
def test_programs_at_one_address(mode: str) -> None:
    """Which one is reported by Ownership alone."""
    w = hart(mode=mode).boot(OS)
    for context in (5, 7, 7, 5):
        w.step().turn(EDITOR if context == 5 else COMPILER, context, 0 if context == 5 else 3, OS)
    w.stop()
    trace = decode(bytes(w.data), images(), w.config)
    assert [str(d) for d in trace.diagnostics] == []
    assert trace.pcs.tolist() == w.pcs and trace.taken.tolist() == w.taken
    seen = {USER + 4: EDITOR, USER + 6: COMPILER}
    for index, pc in enumerate(trace.pcs.tolist()):
        if pc in seen and cast(Any, trace.program_at(index)).program(pc) is seen[pc]:
            assert trace.context_at(index).context == (5 if pc == USER + 4 else 7)


@pytest.mark.parametrize("when", [{"message": 5}, {"time": 500}, {"marker": 2}])
def test_an_image_replaced_during_the_run(when: dict[str, Any]) -> None:
    """Self-modifying code (11.4): from a message, a time or a marker on, other code lies at the same address."""
    patched = kernel(2)
    w = hart(timestamp=1).boot(OS, 100).step().tick(6, 200).jump(KERNEL).tick(0, 600)
    w.program = patched
    w.step(3).jump(KERNEL).step(3).stop()
    trace = decode(bytes(w.data), ImageMap().add(OS).add(patched, **when), w.config)
    assert [str(d) for d in trace.diagnostics] == [] and trace.pcs.tolist() == w.pcs
    assert [e.kind for e in trace.events].count("marker") == 2


def test_no_image_for_a_context() -> None:
    w = hart().boot(OS).step().turn(EDITOR, 9, 0, OS).stop()
    (found,) = decode(bytes(w.data), images(), w.config).diagnostics
    assert found.clause == "NT.8.3.hist" and "no instruction in the images" in found.text
    assert "U-mode, scontext 0x9, hcontext unknown" in found.text


def test_later_images_cover_earlier_ones() -> None:
    view = ImageMap().add(EDITOR).add(OS).add(COMPILER).view(Situation())
    assert there(view.insn(USER)).size == 2 and there(view.insn(KERNEL)).size == 4 and view.insn(HANDLER) is None
    assert view.program(USER) is COMPILER and "start" in view.place(USER)


def test_images_that_do_not_go_together() -> None:
    with pytest.raises(ImageError, match="RV32 and RV64"):
        decode(b"", ImageMap().add(sample_program(32)).add(sample_program(64)), hart().config)
    with pytest.raises(ImageError, match="give one of U, S, M"):
        ImageMap().add(OS, priv="kernel")


@pytest.mark.parametrize("compiled", [False, True])
def test_a_return_that_waits_while_its_image_is_replaced(compiled: bool) -> None:
    """I-CNT overflows at a return (9.2); code loaded before the next message is what it returns to."""

    def code(nops: int) -> Program:
        b = ProgramBuilder(64, 0x1000)
        b.jal(1, 0x1100)
        for _ in range(nops):
            b.c_nop()
        b.c_jr(5)
        b.org(0x1100)
        b.c_nop()
        b.c_jr(1)
        return b.build()

    config = Config(implicit_return=3, timestamp=1)
    told = [
        message("ProgTraceSync", 5, 0, 0x1000 >> 1).replaced(tstamp=0),
        message("ResourceFull", 0, 4).replaced(tstamp=10),
        message("IndirectBranchHist", 0, 4, (0x1000 ^ 0x1100) >> 1, 1).replaced(tstamp=600),
    ]
    with native.using(compiled):
        trace = decode(b"".join(map(pack, told)), ImageMap().add(code(1)).add(code(3), time=500), config)
    assert [str(d) for d in trace.diagnostics] == []
    assert trace.pcs.tolist() == [0x1000, 0x1100, 0x1102, 0x1004, 0x1006, 0x1008, 0x100A]
