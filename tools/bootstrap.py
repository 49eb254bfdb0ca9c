# SPDX-License-Identifier: Apache-2.0
"""Makes .venv with the pinned packages of tools/requirements.txt. `make` runs it with the system's Python.

Needs nothing but the standard library, and reads with any Python 3, so that an old one gets a sentence and not a syntax
error.
"""

import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(HERE, ".venv")
REQUIREMENTS = os.path.join(HERE, "tools", "requirements.txt")
OLDEST = (3, 10)


def fail(text):
    """Print one sentence and stop."""
    sys.stdout.flush()
    sys.stderr.write("error: " + text + "\n")
    sys.exit(2)


def check_python():
    """Python itself: its version, and venv with pip."""
    if sys.version_info < OLDEST:
        found = "{} is Python {}.{}".format(sys.executable, *sys.version_info[:2])
        newer = [n for n in range(16, 9, -1) if shutil.which("python3.{}".format(n))]
        hint = (
            "type `make PYTHON=python3.{}`".format(newer[0])
            if newer
            else "install a newer one and type `make PYTHON=<it>`"
        )
        fail("{} and 3.10 or newer is needed; {}".format(found, hint))
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        fail("{} has no venv module; type `sudo apt-get install python3-venv`".format(sys.executable))


def check_tools():
    """What building a Verilator simulation needs; with SIM=icarus they are not needed."""
    if os.environ.get("SIM") == "icarus" or " SIM=icarus" in os.environ.get("MAKEFLAGS", ""):
        return
    missing = [tool for tool in ("g++", "make", "perl") if not shutil.which(tool)]
    if missing:
        fail(
            "{} not found, and Verilator needs it; type `sudo apt-get install {}`".format(
                " and ".join(missing), " ".join(missing)
            )
        )


def run(command, what):
    """Run a command; its output is shown only if it fails."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.stdout.write(done.stdout.decode(errors="replace")[-3000:])
        fail(
            "{} failed with exit code {}; check the network and the disk and type `make` again".format(
                what, done.returncode
            )
        )


def install():
    """The environment and its packages, one line each."""
    begin = time.time()
    print("python    {} ({})".format(sys.version.split()[0], sys.executable), flush=True)
    shutil.rmtree(VENV, ignore_errors=True)
    run([sys.executable, "-m", "venv", VENV], "python -m venv")
    with open(REQUIREMENTS) as lines:
        count = sum(1 for line in lines if "==" in line)
    print("packages  installing some {} pinned packages into .venv (once, a minute or two)".format(count), flush=True)
    python = os.path.join(VENV, "bin", "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"]
    run([*pip, "-r", REQUIREMENTS], "pip install")
    # The folders of this checkout as rvtrace.models, rvtrace.tb and so on.
    run([*pip, "--no-build-isolation", "--editable", HERE], "pip install --editable .")
    print("packages  installed in {:.0f} s".format(time.time() - begin), flush=True)
    with open(os.path.join(VENV, "complete"), "w") as stamp:
        stamp.write(sys.version)


if __name__ == "__main__":
    check_python()
    check_tools()
    install()
