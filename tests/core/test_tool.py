# SPDX-License-Identifier: Apache-2.0
"""The command line of `make core`, and sentences of its bench."""

import re

import numpy as np
import pytest

from rvtrace.flow.cores.description import Core, CoreError
from rvtrace.flow.cores.programs import Chosen
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.builds import ROOT
from rvtrace.models.riscv.retired import Retired
from rvtrace.tb.cores.agents.compare import difference
from rvtrace.tb.cores.agents.files import ADAPTER_ERRORS
from rvtrace.tools import core as tool
from rvtrace.tools.core import main


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["CORE=rocket"], "there is no core 'rocket'"),
        (["PROGRAM=doom"], "there is no program 'doom'"),
        (["CORE=picorv32", "PROGRAM=traps"], "PicoRV32 has no trap CSRs"),
        (["ALONE=1", "MODE=btm"], "MODE= is of the trace sources, and ALONE=1 runs without them"),
        (["ALONE=1", "BACKPRESSURE=5"], "BACKPRESSURE= is of the trace sources"),
        (["LIMIT=0"], "LIMIT=0"),
        (["XLEN=64"], "XLEN"),
    ],
)
def test_what_cannot_be_run(words, sentence):
    with pytest.raises((ArgumentError, CoreError), match=sentence):
        main(words)


def test_every_error_of_the_adapter_has_a_sentence():
    text = (ROOT / "rtl" / "adapters" / "rvfi_pkg.sv").read_text()
    codes = {
        int(code) for name, code in re.findall(r"logic \[3:0\] (Error\w+)\s*= 4'd(\d+)", text) if name != "ErrorNone"
    }
    assert codes == set(ADAPTER_ERRORS)


def test_the_hart_port_against_rvfi():
    said = Retired.from_columns(pc=np.array([0x80000000, 0x80000004]), itype=np.array([0, 5]))
    assert difference(said, said) == ""
    seen = said.select(np.arange(2))
    seen.itype[1] = 4
    assert difference(seen, said) == (
        "row 1 at the hart port is not what RVFI says: insn pc 0x80000004, itype 0x4, cause 0x0, tval 0x0, priv 0x3"
        " instead of insn pc 0x80000004, itype 0x5, cause 0x0, tval 0x0, priv 0x3"
    )
    assert difference(said.select(slice(0, 1)), said).startswith(
        "row 1 at the hart port is not what RVFI says: nothing"
    )


def test_a_core_in_a_folder_of_the_user(tmp_path, monkeypatch, capsys):
    """Nothing is installed for it, and the command that repeats a run names the folder."""
    text = (ROOT / "flow" / "cores" / "picorv32.toml").read_text()
    (tmp_path / "core.toml").write_text(re.sub(r'(?m)^package = ".*\n', "", text))
    again: list[str] = []

    def alone(core: Core, chosen: Chosen, *_: object, **more: str) -> dict[str, object]:
        again.append(more["again"])
        return {"verdict": "PASS", "name": f"{core.name}-{chosen.name}", "source": "", "stats": {}}

    monkeypatch.setattr(tool, "alone", alone)
    monkeypatch.setattr(tool, "lines", lambda result, traced: [result["verdict"]])
    assert main([f"CORE={tmp_path}", "PROGRAM=sort", "ALONE=1", f"OUT={tmp_path / 'out'}"]) == 0
    assert "installed" not in capsys.readouterr().out
    assert again == [f"make core CORE={tmp_path} PROGRAM=sort ALONE=1"]
