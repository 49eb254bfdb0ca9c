# SPDX-License-Identifier: Apache-2.0
"""`make new NAME=acme IP=ntrace`: a folder to attach an IP with: dut.toml, complete and with a comment at every
key, and a wrapper to fill in.

    make new NAME=acme IP=ntrace OUT=../acme FILES=rtl/acme.f TOP=acme_te

With FILES= (patterns or file lists, joined by commas, relative to where you are) and TOP= the ports of your module are
written into the map.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from rvtrace.flow.dut.description import FILE, IPS, SHIPPED, DutError, shown
from rvtrace.flow.dut.elaborate import Elaborated, Port, ports
from rvtrace.flow.dut.reference import reference
from rvtrace.flow.dut.sources import Sources, sources_of
from rvtrace.flow.dut.template import description, wrapper
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, main_guard, parse, short, typed
from rvtrace.jobs.job import Job

WORDS = {
    "NAME": "name of your IP, as in DUT=acme",
    "IP": f"what it is: {' or '.join(IPS)}",
    "OUT": "folder to make, default examples/<NAME>",
    "FILES": "your sources: patterns or .f files, joined by commas",
    "TOP": "your module",
}


def main(argv: list[str]) -> int:
    """Write the folder; an error if it is there."""
    given = parse(argv, WORDS, __doc__ or "")
    for word, example in (("NAME", "acme"), ("IP", "ntrace")):
        if word not in given:
            raise ArgumentError(
                f"{word}= is missing; type `make new NAME=acme IP=ntrace`, with {word}={example} for example"
                f" ({WORDS[word]})"
            )
    name, ip = given["NAME"], given["IP"]
    if ip not in IPS:
        raise ArgumentError(f"IP={ip} cannot be attached; give IP={' or '.join(IPS)}")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        raise ArgumentError(f"NAME={name} cannot name a folder; use letters, digits, _ and -, a letter first")
    out = Path(given.get("OUT", SHIPPED / name)).resolve()
    if (out / FILE).exists():
        raise ArgumentError(f"{short(out / FILE)} is there already; edit it, or give another NAME= or OUT=")
    system = systems.bench(ip)
    place = reference(system, system.build_of(Job("ports", "random", ip=ip)))
    listed, theirs = _theirs(given, out)
    out.mkdir(parents=True, exist_ok=True)
    (out / FILE).write_text(description(name, system, place, listed, given.get("TOP", ""), theirs))
    if made := not (out / "wrapper.sv").exists():
        (out / "wrapper.sv").write_text(wrapper(name, place))
    dut = shown(out)
    print(f"{short(out / FILE)}: what your IP is; fill it in from top to bottom")
    print(
        f"{short(out / 'wrapper.sv')}:"
        f" {'only for what a map cannot do; else delete it' if made else 'was there and stays as it is'}"
    )
    print(f"next: edit {short(out / FILE)}, then type `{typed('doctor', {'DUT': dut})}`")
    return 0


def _theirs(given: dict[str, str], out: Path) -> tuple[dict[str, list[str]], dict[str, Port]]:
    """What goes into [sources], relative to the folder, and the ports of the module; nothing if FILES= and TOP= are not
    given.
    """
    if "FILES" not in given:
        if "TOP" in given:
            raise ArgumentError(f"TOP={given['TOP']} without sources; give FILES= as well, such as FILES=rtl/*.sv")
        return {}, {}
    words = [os.path.relpath(Path(word).expanduser().absolute(), out) for word in given["FILES"].split(",") if word]
    listed = {"filelists": [w for w in words if w.endswith(".f")], "files": [w for w in words if not w.endswith(".f")]}
    try:
        sources = sources_of(listed, out)
    except ValueError as error:
        raise ArgumentError(f"FILES={given['FILES']}: {error}") from None
    if "TOP" not in given:
        found = ", ".join(sorted(_elaborated(sources, "").defined)) or "none"
        raise ArgumentError(f"FILES= without TOP=; name your module with TOP=, one of {found}")
    whole = _elaborated(sources, given["TOP"])
    if whole.top is None:
        found = ", ".join(sorted(whole.defined)) or "no module"
        raise DutError(f"TOP={given['TOP']} is defined by none of the {len(sources.files)} files; they define {found}")
    for one in whole.troubles():
        if one.code in ("UnknownPackage", "UnknownPackageMember", "CouldNotOpenIncludeFile"):
            more = (
                "its file to FILES=, before those that use it"
                if "Package" in one.code
                else "+incdir+<folder> to a .f list"
            )
            raise ArgumentError(f"FILES={given['FILES']}: {one.at}: {one.text}; add {more}")
    return listed, ports(whole.top)


def _elaborated(sources: Sources, top: str) -> Elaborated:
    return Elaborated(sources.files, top, {}, "", sources.include_dirs, sources.defines)


if __name__ == "__main__":
    main_guard(main)
