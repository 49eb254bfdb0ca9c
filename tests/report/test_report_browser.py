# SPDX-License-Identifier: Apache-2.0
"""The report in a browser without a screen: its script works, a phone needs no sideways scrolling, paper gets every
clause.
"""

import re
import shutil
import subprocess

import pytest

from tests.report.report_page import GOOD, changed, failing, report

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no chromium here; sudo apt-get install chromium runs this test"
)

# What a reader does, and what the page then is: written where --dump-dom shows it.
PROBE = """<script>
const rows = () => [...document.querySelectorAll(".chapter:not([hidden]) tbody tr:not([hidden])")].length;
const open = () => document.querySelectorAll(".chapter[open]").length;
const all = rows(), folded = open() + document.querySelectorAll(".folded[open], .finding[open]").length;
document.querySelector('.filter [data-show="FAIL"]').click();
const failed = rows() + "/" + open();
document.querySelector('.filter [data-show="ALL"]').click();
const back = rows() + "/" + open();
const search = document.querySelector(".filter input");
search.value = "polarity 8.3";
search.dispatchEvent(new Event("input"));
const found = rows() + "/" + open();
document.querySelector('.filter [data-show="FAIL"]').click();
const none = rows();
location.hash = document.querySelector("a.clause").getAttribute("href");
dispatchEvent(new HashChangeEvent("hashchange"));
const led = document.querySelector("tr:target").closest("details");
const opened = led.open && !led.hidden && !document.querySelector("tr:target").hidden;
location.hash = "";
scrollTo(0, 0);
const first = document.querySelector(".finding summary").getBoundingClientRect().bottom < innerHeight;
const wide = [...document.querySelectorAll("main, section, header, nav")]
  .filter((e) => e.getBoundingClientRect().right > innerWidth + 1).length;
document.title = `probe all=${all} folded=${folded} failed=${failed} back=${back} found=${found} none=${none}`
  + ` opened=${opened} first=${first} wide=${wide}`
  + ` page=${document.documentElement.scrollWidth <= innerWidth}`
  + ` loads=${performance.getEntriesByType("resource").length}`;
</script></body>"""


def browse(folder, page, *words):
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={folder / 'profile'}",
        *words,
        page.as_uri(),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)


@pytest.fixture
def page(tmp_path):
    """A report with a failure, and the probe at its end."""
    report(tmp_path, GOOD, failing(), changed(name="b", seed=3))
    path = tmp_path / "out" / "index.html"
    probed = tmp_path / "probed.html"
    probed.write_text(path.read_text().replace("</body>", PROBE))
    return probed


@pytest.mark.parametrize("window", ["1200,900", "500,900"])
def test_filters_work_and_nothing_is_wider_than_the_window(tmp_path, page, window):
    done = browse(tmp_path, page, f"--window-size={window}", "--dump-dom")
    reported = re.search(r"<title>probe ([^<]*)</title>", done.stdout)
    assert reported, done.stderr[-500:]
    assert reported[1] == (
        "all=3 folded=0 failed=1/1 back=3/0 found=1/1 none=0 opened=true first=true wide=0 page=true loads=0"
    )


def test_it_renders(tmp_path, page):
    picture = tmp_path / "page.png"
    browse(tmp_path, page, "--window-size=1200,900", f"--screenshot={picture}")
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and picture.stat().st_size > 20_000


def test_it_prints(tmp_path, page):
    paper = tmp_path / "page.pdf"
    browse(tmp_path, page, "--no-pdf-header-footer", f"--print-to-pdf={paper}")
    data = paper.read_bytes()
    assert data.startswith(b"%PDF") and len(re.findall(rb"/Type\s*/Page\b", data)) >= 2
