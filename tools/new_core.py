# SPDX-License-Identifier: Apache-2.0
"""`make new KIND=core NAME=acme FILES=rtl/acme.f TOP=acme_core`: a folder to attach a core with RVFI with: core.toml,
and a wrapper in which what could be recognized is connected.

Says which signals of RVFI the module has. `make doctor CORE=<folder>` says what is left to do, and
`make core CORE=<folder> ALONE=1` runs programs on it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from rvtrace.flow.cores import attach
from rvtrace.flow.cores.description import FILE, Core
from rvtrace.flow.dut.description import DutError
from rvtrace.flow.dut.elaborate import Elaborated, ports
from rvtrace.flow.dut.sources import sources_of
from rvtrace.jobs.arguments import ArgumentError, main_guard, parse, short, typed

WORDS = {
    "NAME": "name of your core, as in CORE=acme",
    "FILES": "its sources: patterns or .f files, joined by commas",
    "TOP": "the module that has the ports of RVFI",
    "DEFINES": "macros for its sources, joined by commas, such as RVFI",
    "OUT": "folder to make, default <NAME>",
}


def main(argv: list[str]) -> int:
    """0 if RVFI is there as far as a wrapper cannot make it up, else 1; an error if the folder has a core already."""
    given = parse(argv, WORDS, __doc__ or "")
    for word in ("NAME", "FILES", "TOP"):
        if word not in given:
            raise ArgumentError(
                f"{word}= is missing ({WORDS[word]}); type `make new KIND=core NAME=acme FILES=rtl/*.sv TOP=acme_core`"
            )
    name = given["NAME"]
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        raise ArgumentError(f"NAME={name} cannot name a folder; use letters, digits, _ and -, a letter first")
    out = Path(given.get("OUT", name)).expanduser().resolve()
    words = [os.path.relpath(Path(word).expanduser().absolute(), out) for word in given["FILES"].split(",") if word]
    listed = {
        "filelists": [word for word in words if word.endswith(".f")],
        "files": [word for word in words if not word.endswith(".f")],
    }
    defines = [word for word in given.get("DEFINES", "").split(",") if word]
    try:
        sources = sources_of({**listed, "defines": dict.fromkeys(defines, "")}, out)
    except ValueError as error:
        raise ArgumentError(f"FILES={given['FILES']}: {error}") from None
    whole = Elaborated(sources.files, given["TOP"], {}, "", sources.include_dirs, sources.defines)
    if whole.top is None:
        found = ", ".join(sorted(whole.defined)) or "no module"
        raise DutError(f"TOP={given['TOP']} is defined by none of the {len(sources.files)} files; they define {found}")
    theirs = ports(whole.top)
    attach.write(out, name, given["TOP"], {**listed, "defines": defines}, theirs)
    found = attach.signals(theirs)
    print("\n".join(attach.lines(found, given["TOP"])))
    print(
        f"{short(out / FILE)}: what your core is; {short(out / attach.TRACED)}: its wrapper, with a TODO at each place"
    )
    print(f"next: edit both, then type `{typed('doctor', {'CORE': str(out)})}`")
    return 0 if attach.usable(found) else 1


def examined(argv: list[str]) -> int:
    """`make doctor CORE=...`: 0 if nothing is left to do."""
    given = parse(argv, {"CORE": "name or folder of a core"}, "What a core has, and what is left to do.")
    core = Core.load(given["CORE"])
    core.install()
    out, good = attach.examine(core)
    print("\n".join(out))
    ending = f"type `{typed('core', {'CORE': given['CORE'], 'ALONE': '1'})}`" if good else "fix the items above"
    print(f"{'ok' if good else 'MISSING':<8} {core.title}: {'ready' if good else 'not ready'}; {ending}")
    return 0 if good else 1


if __name__ == "__main__":
    main_guard(main)
