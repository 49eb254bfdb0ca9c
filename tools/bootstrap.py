# SPDX-License-Identifier: Apache-2.0
"""Makes .venv with the pinned packages of tools/requirements.txt. `make` runs it with the system's Python.

Needs nothing but the standard library, and reads with any Python, also with Python 2, so that an old one gets a
sentence and not a syntax error. All that is missing is said at once, before anything is made.
"""

from __future__ import print_function

import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(HERE, ".venv")
REQUIREMENTS = os.path.join(HERE, "tools", "requirements.txt")
OLDEST = (3, 10)
SIGN_OF_LIFE = 10  # seconds between two lines while pip works


def say(text):
    """A line that is there at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def fail(text):
    """Print one sentence and stop."""
    sys.stdout.flush()
    sys.stderr.write("error: " + text + "\n")
    sys.exit(2)


def found(program):
    """Whether a program is in the PATH."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return any(os.access(os.path.join(folder, program), os.X_OK) for folder in folders if folder)


def check_version():
    """Python itself."""
    if sys.version_info < OLDEST:
        said = "{} is Python {}.{}".format(sys.executable, *sys.version_info[:2])
        newer = [n for n in range(16, 9, -1) if found("python3.{}".format(n))]
        hint = (
            "type `make PYTHON=python3.{}`".format(newer[0])
            if newer
            else "install a newer one and type `make PYTHON=<it>`"
        )
        fail("{} and 3.10 or newer is needed; {}".format(said, hint))


def libpython():
    """Where the shared library of this Python is, which simulators load; "" if it has none."""
    import ctypes.util
    import sysconfig

    name = "libpython{}.{}.so".format(*sys.version_info[:2])
    if os.environ.get("LIBPYTHON_LOC"):
        return os.environ["LIBPYTHON_LOC"]
    folders = [sysconfig.get_config_var("LIBDIR") or "", os.path.join(sys.base_prefix, "lib")]
    folders += [os.path.join(folder, sysconfig.get_config_var("MULTIARCH") or "") for folder in folders]
    for folder in folders:
        for file in (sysconfig.get_config_var("INSTSONAME") or name, name, name + ".1.0"):
            if ".so" in file and os.path.exists(os.path.join(folder, file)):
                return os.path.join(folder, file)
    return ctypes.util.find_library("python{}.{}".format(*sys.version_info[:2])) or ""


def missing():
    """What is not there, as (what, its package of Debian)."""
    lacking = []
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        lacking.append(("the venv module of {}".format(sys.executable), "python3-venv"))
    if not libpython():
        library = "libpython{}.{}".format(*sys.version_info[:2])
        lacking.append(("the shared library {}, which simulators load".format(library), library))
    icarus = os.environ.get("SIM") == "icarus" or " SIM=icarus" in os.environ.get("MAKEFLAGS", "")
    tools = (("iverilog", "iverilog"),) if icarus else (("g++", "g++"), ("make", "make"), ("perl", "perl"))
    lacking += [(tool, package) for tool, package in tools if not found(tool)]
    return lacking


def check_all():
    """Stop if something is missing, with one line that installs all of it."""
    lacking = missing()
    if lacking:
        what, packages = [what for what, _ in lacking], [package for _, package in lacking]
        fail("{} not found; type `sudo apt-get install {}`".format(" and ".join(what), " ".join(packages)))


def run(command, what, counted=None):
    """Run a command; its output is shown only if it fails. counted: a folder in which it makes folders, to show how far
    it is, and how many there will be.
    """
    begin, shown = time.time(), time.time()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = []
    import threading

    output = process.stdout
    assert output is not None
    reader = threading.Thread(target=lambda: said.append(output.read()))
    reader.start()
    while reader.is_alive():
        reader.join(0.5)
        if reader.is_alive() and time.time() - shown >= SIGN_OF_LIFE:
            shown = time.time()
            done = "{}, ".format(counted()) if counted else ""
            say("          {}: {}{:.0f} s".format(what, done, shown - begin))
    if process.wait():
        sys.stdout.write(b"".join(said).decode(errors="replace")[-3000:])
        fail(
            "{} failed with exit code {}; check the network and the disk and type `make` again".format(
                what, process.returncode
            )
        )


def installed():
    """How many packages are there."""
    import glob

    return len(glob.glob(os.path.join(VENV, "lib", "python3*", "site-packages", "*.dist-info")))


def install():
    """The environment and its packages, one line each."""
    import shutil

    begin = time.time()
    say("python    {} ({})".format(sys.version.split()[0], sys.executable))
    shutil.rmtree(VENV, ignore_errors=True)
    run([sys.executable, "-m", "venv", VENV], "python -m venv")
    with open(REQUIREMENTS) as lines:
        count = sum(1 for line in lines if "==" in line)
    say("packages  installing some {} pinned packages into .venv (once; .venv made in {:.0f} s)".format(
        count, time.time() - begin))  # fmt: skip
    python = os.path.join(VENV, "bin", "python")
    # Each module is compiled when it is first imported: most of those of the packages never are.
    pip = [python, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", "--no-input"]
    pip += ["--no-deps"]
    run(pip + ["-r", REQUIREMENTS], "pip install", lambda: "{} of {} packages".format(installed(), count))
    # The folders of this checkout as rvtrace.models, rvtrace.tb and so on.
    run(pip + ["--no-build-isolation", "--editable", HERE], "pip install --editable .")
    say("packages  installed in {:.0f} s".format(time.time() - begin))
    with open(os.path.join(VENV, "complete"), "w") as stamp:
        stamp.write(sys.version)


if __name__ == "__main__":
    check_version()
    check_all()
    install()
