# SPDX-License-Identifier: Apache-2.0
"""Which mutants are chosen: the same each time, spread over files and operators, none that is not built."""

import pytest

from rvtrace.flow.faults.design import Design, DesignError
from rvtrace.flow.faults.generate import choose
from rvtrace.flow.faults.subjects import campaigns, of_system
from rvtrace.jobs.builds import ROOT


@pytest.fixture(scope="module")
def ctr() -> Design:
    """The design of CTR, as a campaign has it."""
    return of_system("ctr", seeds=1).design


def test_the_choice_depends_on_the_seed_alone(ctr: Design) -> None:
    first, again, other = choose(ctr, 40, 1), choose(ctr, 40, 1), choose(ctr, 40, 2)
    assert first.mutants == again.mutants and len(first.mutants) == 40
    assert {one.parts for one in other.mutants} != {one.parts for one in first.mutants}


def test_every_file_and_most_operators_get_some(ctr: Design) -> None:
    chosen = choose(ctr, 60, 1)
    assert {one.file for one in chosen.mutants} == set(ctr.mutated) == {name for name, n in chosen.sites.items() if n}
    assert not any(name.endswith("_assert.sv") for name in ctr.mutated)
    assert len({one.operator for one in chosen.mutants}) >= 18
    assert len({one.name for one in chosen.mutants}) == 60


def test_mutants_differ_and_elaborate(ctr: Design) -> None:
    chosen = choose(ctr, 40, 3)
    texts = ["".join(one.applied(ctr.texts[one.file]).split()) for one in chosen.mutants]
    assert len(set(texts)) == 40 and not {"".join(text.split()) for text in ctr.texts.values()} & set(texts)
    assert all(ctr.elaborates(one.file, one.applied(ctr.texts[one.file])) for one in chosen.mutants[::8])


def test_more_than_there_are_gives_all_of_them() -> None:
    whole = of_system("ctr", seeds=1).design
    small = Design(whole.paths, ["common/csr_pkg.sv"], whole.builds[:1])
    chosen = choose(small, 5000, 1)
    assert 5 < len(chosen.mutants) < 5000


def test_a_text_that_does_not_elaborate_is_seen(ctr: Design) -> None:
    text = ctr.texts["ctr/ctr.sv"]
    assert ctr.elaborates("ctr/ctr.sv", text)
    assert not ctr.elaborates("ctr/ctr.sv", text.replace("ctr_csr #", "ctr_no_such #", 1))
    broken = Design(ctr.paths, ctr.mutated, ctr.builds)
    broken.texts["ctr/ctr.sv"] = text.replace("ctr_csr #", "ctr_no_such #", 1)
    with pytest.raises(DesignError, match="does not elaborate"):
        broken.check()


def test_what_no_build_has_is_dead(ctr: Design) -> None:
    one = Design(ctr.paths, ctr.mutated, [build for build in ctr.builds if not build.parameters["Draft"]][:1])
    text = one.texts["ctr/ctr_rules.sv"]
    assert one.dead("ctr/ctr_rules.sv", text.index("external = ruling"))  # of the draft
    assert not one.dead("ctr/ctr_rules.sv", text.index("external = is_external"))


def test_every_folder_with_rtl_belongs_to_a_system() -> None:
    folders = {path.name for path in (ROOT / "rtl").iterdir() if path.is_dir()}
    assert folders == {folder for named in campaigns().values() for folder in named if "/" not in folder}
