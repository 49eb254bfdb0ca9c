# SPDX-License-Identifier: Apache-2.0
"""The source pane, with text only from folders that the user named, and panes that resize."""

import pytest

from rvtrace.flow.captured.files import load
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.models.riscv import source_lines
from rvtrace.models.riscv.source_lines import Lines
from rvtrace.report import listing, viewer_code
from rvtrace.report.viewer import View
from rvtrace.report.viewer_findings import Judgement
from tests.common.there import there
from tests.report.browser import BROWSER, Browser
from tests.tools.captures import run, write_capture

BYTES, LINES = 4, 3  # of an instruction in the line table, instructions of a line
TEXT = "".join(f"  line({n}); /* <script>{n}</script> */\n" for n in range(1, 9))


def page(folder, monkeypatch, *allowed):
    """A page whose ELF has a line for each of three words of code, as no compiler is needed to make it."""
    write_capture(folder)
    (folder / "main.c").write_text(TEXT)

    class OfWords(Lines):
        def __init__(self, _):
            super().__init__(None)
            self.missing, file = "", str(folder / "main.c")
            self._starts = [0x80000000 + BYTES * n for n in range(8)]
            self._rows = [(at + BYTES, file, n // LINES + 1) for n, at in enumerate(self._starts)]

    monkeypatch.setattr(viewer_code, "Lines", OfWords)
    monkeypatch.setattr(source_lines, "_allowed", list(allowed))
    files = load({"IN": str(folder)})
    monkeypatch.setattr(source_lines, "_allowed", [one.resolve() for one in allowed])  # `load` takes it from the words
    view = View.of(files, listing.viewed(files, decode(files.data, there(files.program), files.config)), Judgement())
    view.write(folder / "view.html")
    return view.data()


def test_only_files_below_a_named_folder_are_in_the_page(tmp_path, monkeypatch):
    data = page(tmp_path / "out", monkeypatch)
    assert data["code"]["files"] == {str(tmp_path / "out" / "main.c"): []}
    assert "line(1);" not in (tmp_path / "out" / "view.html").read_text()
    assert any("only files below a folder that you name" in note for note in data["notes"])
    data = page(tmp_path / "out", monkeypatch, tmp_path / "out")
    assert data["code"]["files"] == {str(tmp_path / "out" / "main.c"): TEXT.splitlines()}
    assert "<script>1" not in (tmp_path / "out" / "view.html").read_text(), "text of a file is no markup"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if BROWSER is None:
        pytest.skip("no chromium here; sudo apt-get install chromium runs this test")
    with Browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def test_the_source_line_of_what_is_selected(browser, tmp_path, monkeypatch):
    data = page(tmp_path / "out", monkeypatch, tmp_path / "out")
    assert data["counts"]["instructions"] > 10
    browser.window(1440, 900)
    browser.open(tmp_path / "out" / "view.html")
    browser.ready()
    assert browser.run("document.querySelector('#source h2').textContent") == "main.c"
    rows = browser.run("[...document.querySelectorAll('#source .row .end')].map((one) => one.textContent)")
    assert rows == TEXT.splitlines(), "with its tags as text"
    selected = "document.querySelector('#source [aria-selected=true] .at')?.textContent"
    for insn in (0, 3):
        browser.run(f"traceView.selectInsn({insn})")
        pc = browser.run("parseInt(document.querySelector('#code [aria-selected=true] .at').textContent, 16)")
        assert browser.run(selected) == str((pc - 0x80000000) // BYTES // LINES + 1)
    browser.run("document.querySelectorAll('#source .row')[0].click()")  # the loop: its next turn
    assert browser.run("traceView.S.insn") > 3 and browser.run(selected) == "1"
    runs = browser.run("document.querySelectorAll('#source .row')[0].querySelector('.sz').textContent")
    assert runs == "4", "the loop has four turns"
    assert browser.run("document.documentElement.scrollWidth <= innerWidth") and not browser.errors
    browser.window(390, 844)
    browser.run("document.querySelector('[data-pane=source]').click()")
    assert browser.run("document.querySelectorAll('#source .row').length") > 3
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")


def test_without_text_the_pane_says_what_to_give(browser, tmp_path, monkeypatch):
    page(tmp_path / "out", monkeypatch)
    browser.window(1440, 900)
    browser.open(tmp_path / "out" / "view.html")
    browser.ready()
    assert f"--source {tmp_path / 'out'}" in browser.run("document.querySelector('#source .empty').textContent")


WIDTHS = "[...document.querySelectorAll('.panes section')].map((one) => one.offsetWidth).filter((one) => one > 0)"


def drag(browser, selector, x, y):
    """Drag a bar by so many pixels."""
    place = f"((one) => [one.left + one.width / 2, one.top + one.height / 2])({selector}.getBoundingClientRect())"
    left, top = browser.run(place)
    for kind, part in (("mousePressed", 0), ("mouseMoved", 0.5), ("mouseMoved", 1), ("mouseReleased", 1)):
        browser.send("Input.dispatchMouseEvent", type=kind, x=left + part * x, y=top + part * y, button="left",
                     buttons=1, clickCount=1)  # fmt: skip


def test_panes_resize_by_mouse_and_keys_and_go_back(browser, tmp_path):
    write_capture(tmp_path / "out")
    assert run("view", f"IN={tmp_path / 'out'}").returncode == 0
    browser.window(1440, 900)
    browser.open(tmp_path / "out" / "view.html")
    browser.ready()
    bar = "document.querySelectorAll('.panes > .split')[1]"
    before = browser.run(WIDTHS)
    drag(browser, bar, 120, 0)
    after = browser.run(WIDTHS)
    assert [round((b - a) / 10) for a, b in zip(before, after)] == [0, 12, -12]
    browser.run(f"{bar}.focus()")
    browser.key("ArrowLeft")
    assert browser.run(WIDTHS)[1] < after[1]
    drag(browser, bar, 5000, 0)
    assert min(browser.run(WIDTHS)) >= 88 and sum(browser.run(WIDTHS)) == pytest.approx(sum(before), abs=3)
    browser.run(f"{bar}.dispatchEvent(new MouseEvent('dblclick'))")
    assert browser.run(WIDTHS) == before
    tall = browser.run("document.getElementById('lanes').offsetHeight")
    drag(browser, "document.getElementById('taller')", 0, 60)
    assert abs(browser.run("document.getElementById('lanes').offsetHeight") - tall - 60) <= 2
    browser.run("traceView.selectMessage(1)")
    fields = browser.run("document.getElementById('detail').offsetHeight")
    drag(browser, "document.getElementById('fields')", 0, -40)
    assert abs(browser.run("document.getElementById('detail').offsetHeight") - fields - 40) <= 2
    assert not browser.errors
