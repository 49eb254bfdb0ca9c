# SPDX-License-Identifier: Apache-2.0
"""The hart beside the trace: where both agree, what a loss took, what is wrong; and the table in the page."""

import random

import numpy as np
import pytest

from rvtrace.flow.captured.files import load
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.report import listing
from rvtrace.report.viewer_hart import AROUND, LINES, Beside, Stretch, stretches
from tests.common.there import there
from tests.report.browser import BROWSER, Browser
from tests.report.viewer_captures import capture
from tests.tools.captures import run


def walk(seed, turns=40):
    """Addresses of a walk of loops, in which each sequence of instructions comes again and again."""
    random_ = random.Random(f"{seed}:hart")
    found = []
    for _ in range(turns):
        start, length = 0x80000000 + 64 * random_.randrange(12), random_.randrange(3, 9)
        found += [start + 2 * n for n in range(length)] * random_.randrange(1, 12)
    return np.array(found, np.uint64)


def test_what_agrees_is_one_stretch():
    did = walk(1)
    assert stretches(did, did) == [Stretch(0, 0, len(did))]
    assert stretches(did[:0], did) == [] and stretches(did, did[:0]) == []


@pytest.mark.parametrize("seed", range(12))
def test_after_a_loss_both_are_together_again(seed):
    """Also in loops, where the next place that fits is often not the right one."""
    did = walk(seed)
    random_ = random.Random(f"{seed}:loss")
    begin = random_.randrange(50, len(did) // 2)
    end = begin + random_.randrange(20, len(did) // 3)
    reported = np.concatenate((did[:begin], did[end:]))
    found = stretches(reported, did)
    assert sum(one.count for one in found) == len(reported)
    # a loss in loops has several readings that explain all of the trace; one of them is the truth
    last = found[-1]
    assert last.reported + last.count == len(reported) and last.did + last.count == len(did)


def test_wrong_instructions_are_between_two_stretches():
    did = walk(3)
    reported = did.copy()
    reported[100:103] = [2, 4, 6]
    assert stretches(reported, did) == [Stretch(0, 0, 100), Stretch(103, 103, len(did) - 103)]
    assert stretches(reported[:100], did) == [Stretch(0, 0, 100)]


@pytest.fixture
def lost(tmp_path):
    """A capture that lacks bytes in the middle, with what retired."""
    capture(tmp_path / "out", "traps").to_csv(tmp_path / "out" / "retired.csv")
    data = (tmp_path / "out" / "trace.bin").read_bytes()
    (tmp_path / "out" / "trace.bin").write_bytes(data[: len(data) // 3] + data[len(data) // 2 :])
    return tmp_path / "out"


def test_an_excerpt_shows_what_the_hart_did_and_the_trace_lacks(lost):
    files = load({"IN": str(lost)})
    shown = listing.viewed(files, decode(files.data, there(files.program), files.config))
    beside = there(Beside.of(shown, lost / "retired.csv", files.program))
    assert shown.losses
    at = [loss.index for loss in sorted(shown.losses)]
    page = beside.to_dict([-1], at)
    assert page["findings"] == [-1] and page["losses"][0] == 0
    lines = page["excerpts"][0]
    alone = [line for line in lines if line[0] >= 0 and line[3] < 0]
    both = [line for line in lines if line[0] >= 0 and line[3] >= 0]
    assert len(both) >= AROUND and 0 < len(alone) <= LINES
    for h, code, _, t, _, _ in both[:AROUND]:
        assert beside.did[h] == beside.reported[t]
        assert page["code"][code][0].startswith(f"{int(beside.did[h]):x} ")
    assert not any(line[5] for line in lines) or sum(line[5] for line in lines) > 0
    assert Beside.of(shown, lost / "nothing.csv", files.program) is None


@pytest.mark.skipif(BROWSER is None, reason="no chromium here; sudo apt-get install chromium runs this test")
@pytest.mark.parametrize("width", [1440, 390])
def test_the_page_has_both_in_two_columns(lost, tmp_path, width):
    done = run("view", f"IN={lost}")
    assert done.returncode == 0, done.stderr
    with Browser(tmp_path) as browser:
        browser.window(width, 844)
        browser.open(lost / "view.html")
        browser.ready()
        heads = (
            "[...document.querySelectorAll('#detail .beside')[0].querySelectorAll('th')].map((one) => one.textContent)"
        )
        assert browser.run(heads) == ["the hart did", "the trace says"]
        rows = (
            "[...document.querySelectorAll('#detail .beside')[0].rows].map((row) => [row.className, row.textContent])"
        )
        kinds = [kind for kind, _ in browser.run(rows)]
        assert kinds.count("") >= AROUND and "differs" in kinds
        box = "document.getElementById('detail')"
        assert browser.run(f"{box}.scrollWidth <= {box}.clientWidth")
        at = browser.run("traceView.S.insn")
        browser.run("document.querySelector('#detail .beside td[tabindex]').click()")
        assert browser.run("traceView.S.insn") != at and not browser.errors
