# SPDX-License-Identifier: Apache-2.0
"""What the monitors of the ports say: each sentence has its clause, names the encoder's own ports, and turns that
clause red.
"""

import re
from pathlib import Path

import numpy as np
import pytest

from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.check import PROBLEMS, check
from rvtrace.tb.tandem.agents.files import Lanes, named, refused, unknown_error
from rvtrace.tb.tandem.stimulus.builds import DUAL, RV32
from tests.common.there import there
from tests.tandem.captures import scenario_run

ROOT = Path(__file__).resolve().parents[2]
CAUSAL, ERROR = "TV.port.causal", "TV.port.error"
SENTENCES = {  # as the recorder or the monitors have them: the clause
    "ing_ready_o=x drop_o=0 empty_o=1 out_valid_o=0, an output is X": "TV.port.unknown",
    "out_nbytes_o=000x out_data_o=xx, an output is X while out_valid_o is 1": "TV.port.unknown",
    "out_valid_o=1 out_nbytes_o=3 out_data_o=5 changed before out_ready_i": "TV.port.stable",
    "out_nbytes_o=0 while out_valid_o is 1": "TV.port.words",
    "empty_o is 1 while out_valid_o is 1": "TV.port.empty",
    "ing_ready_o has been 0 for too long, the run was given up": "TV.port.progress",
    "empty_o does not become 1 after the last block": "TV.port.empty",
    "empty_o was 1, and a packet came out although nothing more went in": "TV.port.empty",
    "valid on an output that this configuration does not use": "TV.port.unknown",
}


def right() -> TandemCapture:
    """A capture with everything that the monitors leave."""
    capture = scenario_run("illegal_rows", RV32)
    lengths = np.diff(encode(there(capture.rows), capture.config).starts)
    capture.marks = np.repeat(there(capture.rows).cycle, lengths) + np.uint64(2)
    return capture


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_has_its_clause(sentence: str) -> None:
    capture = right()
    capture.problems = [named(f"cycle 3: {sentence}")]
    verdict = check(capture)
    assert verdict.book.failed == [SENTENCES[sentence]]
    assert not re.search(r"ing_|nbytes|drop|block|packet", verdict.failures[0].text().partition("rerun")[0])


def test_every_sentence_of_the_recorder_is_here() -> None:
    text = (ROOT / "tb/common/hdl/trace_recorder.sv").read_text()
    reported = re.findall(r'\$fwrite\(problems, "cycle %0d: (.*?)\\n"', text)
    shapes = [re.compile(re.sub(r"%\w+", r"\\w+", re.escape(one).replace("\\%", "%"))) for one in reported]
    assert len(reported) == len(SENTENCES) and all(
        sum(bool(shape.fullmatch(one)) for one in SENTENCES) == 1 for shape in shapes
    )
    assert set(SENTENCES.values()) | {ERROR} == set(PROBLEMS.values())


def test_after_an_x_nothing_else_is_reported() -> None:
    """A run is given up there, so that what did not happen follows from it."""
    capture = right()
    capture.problems = [f"cycle {k}: {named(sentence)}" for k, sentence in enumerate(SENTENCES)]
    assert check(capture).book.failed == ["TV.port.unknown"]
    capture.problems = [unknown_error(4)]
    assert check(capture).book.failed == ["TV.port.unknown"]


def test_bytes_leave_after_their_row() -> None:
    capture = right()
    assert check(capture).passed and CAUSAL in check(capture).book.results()
    capture.marks = capture.marks - np.uint64(2)
    assert check(capture).book.failed == [CAUSAL]


def test_error_o_is_reported_for_each_row() -> None:
    capture = right()
    capture.errors = there(capture.errors).copy()
    there(capture.errors)[3] ^= True
    assert check(capture).book.failed == [ERROR]


def test_error_o_without_a_row() -> None:
    """It belongs to a row taken in the cycle before; anything else has a sentence, and that its clause."""
    capture = scenario_run("every_pair_of_lanes", DUAL)
    lanes = Lanes.of(there(capture.rows), capture.config)
    cycles, reported = lanes.cycle[:1] + np.uint64(1), np.array([2 if lanes.ports["valid"][0, 1] else 1], np.uint64)
    errors, problems = refused(lanes, cycles, reported)
    assert errors.sum() == 1 and not problems
    errors, problems = refused(lanes, lanes.cycle[-1:] + np.uint64(9), reported)
    capture.problems = problems
    assert not errors.any() and check(capture).book.failed == [ERROR]
