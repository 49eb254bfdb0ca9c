# SPDX-License-Identifier: Apache-2.0
"""The compliance page in a browser: short while it is folded, its search opens what it finds, and links open the fold
that they lead into.
"""

import time

import pytest

from tests.common.plan_rows import ROOT
from tests.report.browser import BROWSER, Browser
from tests.report.compliance_data import failing, made, result

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no chromium here; sudo apt-get install chromium runs this test"
)
LONGEST = 3_000  # pixels of a folded page, of each plan on a desktop: about three screens
OPEN = "[...document.querySelectorAll('.chapter[open]:not([hidden])')].map((one) => one.innerText.split(' ')[0]).join()"
SHOWN = "[...document.querySelectorAll('#clauses tbody tr')].filter((r) => r.checkVisibility()).map((r) => r.id).join()"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as found:
        yield found


def opened(browser, page):
    """The page, loaded whole."""
    browser.open(page)
    end = time.monotonic() + 30
    while browser.run("location.protocol + document.readyState") != "file:complete":
        assert time.monotonic() < end, "the page is not loaded"
        time.sleep(0.02)


@pytest.mark.parametrize("ip", ["ctr", "etrace", "ntrace", "tandem"])
def test_a_folded_page_is_short_and_never_wider_than_the_window(tmp_path, browser, ip):
    made(tmp_path, result(clauses={}), plan=(ROOT / f"scoreboards/{ip}/plan.toml").read_text())
    for width, height in ((1440, 900), (390, 844)):
        browser.window(width, height, False)
        opened(browser, tmp_path / "out" / "index.html")
        assert browser.run("document.documentElement.scrollWidth") == width
        assert width < 500 or browser.run("document.documentElement.scrollHeight") < LONGEST
    assert browser.errors == []


def test_a_search_opens_what_it_finds_and_folds_the_rest_again(tmp_path, browser):
    made(tmp_path, result(), failing())
    browser.window(1440, 900, False)
    opened(browser, tmp_path / "out" / "index.html")
    assert browser.run(OPEN) == "" and browser.run(SHOWN) == ""
    search = "const f = document.querySelector('.filter input'); f.value = '{}'; f.dispatchEvent(new Event('input'))"
    browser.run("{" + search.format("POLARITY") + "}")
    assert (browser.run(OPEN), browser.run(SHOWN)) == ("8.3", "NT-1")
    browser.run("{" + search.format("") + "}")
    assert (browser.run(OPEN), browser.run(SHOWN)) == ("", "")
    browser.run("""document.querySelector('.filter [data-show="FAIL"]').click()""")
    assert browser.run(SHOWN) == "NT-4,NT-5"
    browser.run("location.hash = '#NT-1'; dispatchEvent(new HashChangeEvent('hashchange'))")
    assert browser.run(SHOWN) == "NT-1,NT-4,NT-5"


def test_a_finding_is_in_the_first_screen_also_on_a_phone(tmp_path, browser):
    made(tmp_path, result(), failing())
    for width, height in ((1440, 900), (390, 844)):
        browser.window(width, height, False)
        opened(browser, tmp_path / "out" / "index.html")
        for what in (".word", ".bar", "#f-NT-4 summary"):
            assert 0 < browser.run(f"document.querySelector('{what}').getBoundingClientRect().bottom") < height, what
