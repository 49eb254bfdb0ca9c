# SPDX-License-Identifier: Apache-2.0
"""`make new KIND=profile OUT=profile.json`: a file for PROFILE= of `make check` of a tandem trace.

It has all options, and what the verifier assumes without one; edit what your hart does otherwise.

    make new KIND=profile XLEN=32 EXTENSIONS=imc MODES=mu OUT=mine.json

docs/how-to/check-a-captured-trace.md says what the options mean.
"""

from __future__ import annotations

import json
from pathlib import Path

from rvtrace.jobs import files, front
from rvtrace.jobs.arguments import ArgumentError, main_guard, number, parse, short
from rvtrace.models.riscv.iss.config import EXTENSIONS, MODES, HartError, virt
from rvtrace.models.tandem.verifier.profile import Profile

WORDS = {
    "OUT": "file to write, default profile.json",
    "XLEN": "32 or 64, default 64",
    "EXTENSIONS": f"of base and M, A, C: one of {', '.join(EXTENSIONS)}; default imac",
    "MODES": f"one of {', '.join(MODES)}; default msu",
}


def main(argv: list[str]) -> int:
    """0; ArgumentError if the file is there or the hart is none."""
    given = parse(argv, WORDS, __doc__ or "", ("OUT",))
    path = Path(given.get("OUT", "profile.json")).expanduser()
    if path.exists():
        raise ArgumentError(f"{path} is there already; edit it, or give another OUT=")
    choices = {name: given[name.upper()] for name in ("extensions", "modes") if name.upper() in given}
    try:
        profile = Profile(virt(number(given, "XLEN", 64), **choices))
    except HartError as error:
        raise ArgumentError(str(error)) from None
    files.write(path, json.dumps(profile.to_dict(), indent=2) + "\n")
    print(f"{short(path)}: a hart as QEMU's virt machine has it; edit what yours does otherwise")
    print(front.spoken(f"next: give PROFILE={path} to `make check`"))
    return 0


if __name__ == "__main__":
    main_guard(main)
