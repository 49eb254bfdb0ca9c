# SPDX-License-Identifier: Apache-2.0
"""examples/tour.ipynb: its cells run, and show what the file says that they show."""

import json

import pytest

from tests.report.notebook import code_cells, outputs
from tests.tools.captures import ROOT

TOUR = ROOT / "examples" / "tour.ipynb"


@pytest.fixture(scope="module")
def shown():
    return outputs(TOUR)


def test_the_cells_show_what_is_in_the_file(shown):
    kept = [cell["outputs"] for cell in code_cells(json.loads(TOUR.read_text()))]
    assert len(kept) >= 6 and all(kept), "python -m tests.report.notebook examples/tour.ipynb keeps what they show"
    assert shown == kept


def test_the_tour_has_its_subjects(shown):
    text = "".join("".join(one.get("text", ())) for cell in shown for one in cell)
    plots = [one for cell in shown for one in cell if "image/svg+xml" in one.get("data", {})]
    assert len(plots) == 2 and all("<polyline" in one["data"]["image/svg+xml"][0] for one in plots)
    for subject in ("bits per instruction", "E-Trace", "in step again", "NT.8.4.icnt failed 0", "NT.8.4.icnt failed 2"):
        assert subject in text


def test_the_file_is_a_notebook_that_names_no_place_of_a_machine():
    notebook = json.loads(TOUR.read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    assert notebook["cells"][0]["source"][0].startswith("# ") and "/tmp" not in TOUR.read_text()


def test_a_cell_that_fails_is_not_passed_over(tmp_path):
    cell = {"cell_type": "code", "source": ["assert 1 + 1 == 3\n"]}
    (tmp_path / "bad.ipynb").write_text(json.dumps({"cells": [cell]}))
    with pytest.raises(AssertionError):
        outputs(tmp_path / "bad.ipynb")
