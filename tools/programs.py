# SPDX-License-Identifier: Apache-2.0
"""`rvtrace programs SET=riscv-tests|coremark|arch-test`: builds real programs of others with Debian's cross compiler
and records them; `make run PROGRAM=dhrystone` and every other PROGRAM= then takes them (rvtrace.flow.programs).
"""

from __future__ import annotations

import os
import sys

from rvtrace.flow.programs import build
from rvtrace.flow.programs.build import Built
from rvtrace.flow.programs.sets import SETS
from rvtrace.flow.progress import during
from rvtrace.jobs.arguments import ArgumentError, flag, main_guard, number, parse, short, typed

MOST_ITERATIONS = 50  # iterations of CoreMark in one recording, which is held in memory
WORDS = {
    "SET": f"{' or '.join(SETS)}",
    "XLEN": "32 or 64, default both",
    "ITERATIONS": "of CoreMark, default 1: 0.3 million instructions each; with several it is called coremark-<n>",
    "N": "processes, default the number of cores",
    "SAVE": "1: make the manifest say what was built now",
}


def main(argv: list[str]) -> int:
    """0 if every program was built and found nothing wrong, else 1."""
    given = parse(argv, WORDS, "Build and record real programs.")
    if "SET" not in given:
        raise ArgumentError(f"no set was given; give SET={' or SET='.join(SETS)}")
    if given["SET"] not in SETS:
        raise ArgumentError(f"SET={given['SET']} is no set; give SET={' or SET='.join(SETS)}")
    xlen = None
    if "XLEN" in given:
        xlen = number(given, "XLEN")
        if xlen not in (32, 64):
            raise ArgumentError(f"XLEN={given['XLEN']} is not a register width; give XLEN=32 or XLEN=64")
    manifest = build.Manifest.read()

    def tell(built: Built) -> None:
        if built.said:
            print(f"RED   {built.name:<32} {built.said}", flush=True)
        else:
            print(f"      {built.name:<32} {built.rows:>9,} rows  {manifest.differs(built)}".rstrip(), flush=True)

    iterations = number(given, "ITERATIONS", 1, least=1)
    if iterations > MOST_ITERATIONS:
        raise ArgumentError(
            f"ITERATIONS={iterations} is too long for one recording; give up to {MOST_ITERATIONS}, or"
            " type `rvtrace figures scale`"
        )
    if given["SET"] != "coremark" and "ITERATIONS" in given:
        raise ArgumentError(f"SET={given['SET']} has no iterations; give SET=coremark, or omit ITERATIONS")
    workers = number(given, "N", os.cpu_count() or 1)
    with during(f"building and recording {given['SET']}"):
        made, found = build.build(given["SET"], xlen, workers, tell=tell, iterations=iterations)
    bad = [built for built in made if built.said]
    good = len(made) - len(bad)
    left = [f"{name} ({why})" for name, why in manifest.left_out.items() if _belongs(name, given["SET"], xlen)]
    if left:
        print("left out: " + "; ".join(sorted(left)))
    where = short(build.OUT / given["SET"])
    print(f"{good} programs in {where}, {found.compiler}, {build.package.PACKAGE} {found.package}")
    if (found.compiler, found.package) != (manifest.compiler, manifest.package) and manifest.compiler:
        print(f"the manifest is of {manifest.compiler}, {manifest.package}: other programs, and so other figures")
    if flag(given, "SAVE") and not bad:
        build.merged(found, made).write()
        print(f"wrote {short(build.MANIFEST)}")
    if good:
        first = next(built for built in made if not built.said).name.split(".")
        print("for example " + typed("run", {"PROGRAM": first[0], "XLEN": first[1][2:]}))
    return 1 if bad else 0


def _belongs(name: str, of: str, xlen: int | None) -> bool:
    is_arch, is_mark = name.startswith("arch-"), name.startswith("coremark")
    mine = {"arch-test": is_arch, "coremark": is_mark}.get(of, not is_arch and not is_mark)
    return mine and (xlen is None or name.endswith(f".rv{xlen}"))


if __name__ == "__main__":
    sys.exit(main_guard(main))
