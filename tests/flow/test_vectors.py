# SPDX-License-Identifier: Apache-2.0
"""Packages of the vectors inside the encoders: the places that are made of a table, and the rules of the tables."""

import pytest

from rvtrace.flow.generate.vectors import ADAPTERS, ETRACE, NTRACE, SOURCES, SUBSYSTEM, TANDEM, Bits, Layouts, Vector

EXAMPLE = Vector(
    "state",
    "An example.",
    (Bits("one", 1, "a"), Bits("four", 4, "b"), Bits("wide", "x_bits", "c"), Bits("again", "x_bits", "d"),
     Bits("last", 2, "e")),
    (("both", "four", "again"), ("fixed", "one", "four")),
)  # fmt: skip


def test_places_are_constants_as_long_as_the_widths_before_are() -> None:
    for name, value in (("StateOne", 0), ("StateFour", 1), ("StateWide", 5), ("StateFixedBits", 5)):
        assert any(line.split()[2:5:2] == [name, f"{value};"] for line in EXAMPLE.lines() if "localparam" in line), name
    for name, value in (
        ("state_again", "5 + x_bits"),
        ("state_last", "5 + 2*x_bits"),
        ("state_bits", "7 + 2*x_bits"),
        ("state_both_bits", "4 + 2*x_bits"),
    ):
        declared = f"  function automatic int {name}(input int x_bits); {name} = {value}; endfunction"
        assert any(line.startswith(declared) for line in EXAMPLE.lines()), name


@pytest.mark.parametrize("layouts", [NTRACE, ETRACE, TANDEM, SUBSYSTEM, ADAPTERS], ids=lambda layouts: layouts.package)
def test_each_name_is_declared_once(layouts: Layouts) -> None:
    names = [line.split("=")[0].split()[-1] for line in layouts.body() if line.startswith("  localparam")]
    names += [line.partition("(")[0].split()[-1] for line in layouts.body() if line.startswith("  function")]
    assert len(names) == len(set(names)) > 15
    for vector in layouts.vectors:
        fields = [field.name for field in vector.fields]
        assert len(fields) == len(set(fields)), vector.name
        for _, first, last in vector.parts:
            assert fields.index(first) <= fields.index(last)


def test_packages_are_named_as_their_files() -> None:
    for source in SOURCES:
        (path,) = source.files()
        assert f"package {path.rpartition('/')[2].removesuffix('.sv')};" in source.package_text()
