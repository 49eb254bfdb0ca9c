# SPDX-License-Identifier: Apache-2.0
"""Starts `rvtrace` with the NAME=value words of `make`, taken from MAKEFLAGS: neither make nor a shell expands them.

`make run PROGRAM=sort` has the recipe `python tools/from_make.py run`, which becomes
`python -m rvtrace.tools.cli run PROGRAM=sort`. Reads with any Python 3, as `make doctor` runs it with the system's
Python.
"""

import difflib
import os
import re
import sys

# What has something to print at once.
QUICK = ("doctor", "list", "new")
OWN = ("PYTHON",)  # words of the Makefile itself


def words(flags):
    """The NAME=value words in the text of MAKEFLAGS, unquoted."""
    _, dashes, given = (" " + flags).partition(" -- ")
    if not dashes:
        return []
    found = re.findall(r"(?:\\.|[^\s\\])+", given, re.DOTALL)
    found = [re.sub(r"\\(.)", r"\1", word, flags=re.DOTALL).replace("$$", "$") for word in found]
    return [word for word in found if word.partition("=")[0] not in OWN]


# What targets and commands of 0.1 are now.
RENAMED = {
    "check-trace": "check", "verify": "check REPLAY=1", "new-dut": "new", "new-core": "new KIND=core",
    "new-profile": "new KIND=profile", "verify-core": "core SET=random", "mutants": "mutate KIND=written",
    "isolate": "mutate KIND=devices", "perf": "figures KIND=speed", "area": "figures KIND=area",
    "sizes": "figures KIND=sizes", "scale": "figures KIND=scale", "results": "report LIST=results",
    "elf-to-trace": "capture LOAD=<elf>", "readback": "run IP=tci", "opensbi": "oracle IP=sbi_pmu",
    "clean-cache": "clean ALL=1", "clean-venv": "clean ALL=1",
}  # fmt: skip
ONLY_THERE = ("compare", "figures", "oracle", "programs")  # commands that are no targets


def unknown(goal, targets):
    """A sentence about a goal that is no target."""
    now = str(RENAMED.get(goal, goal))
    if goal in RENAMED or goal in ONLY_THERE:
        start = ".venv/bin/rvtrace" if now.split()[0] in ONLY_THERE else "make"
        return "there is no target {}; type `{} {}`".format(goal, start, now)
    near = difflib.get_close_matches(goal, targets, 1)
    hint = "did you mean `make {}`? ".format(near[0]) if near else ""
    value = "a value needs its name, as in `make run PROGRAM={}`".format(goal)
    return "there is no target {}; {}{}, and `make help` lists the targets".format(goal, hint, value)


def compiled_below(folder):
    """Where Python is not to write beside the sources, it writes below build/: else each simulator process, of which a
    regression has hundreds, compiles every module again.
    """
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        os.environ.setdefault("PYTHONPYCACHEPREFIX", os.path.join(root, folder))


def mended(root):
    """Remove compiled modules that are cut off: a full disk leaves some, and each import of one ends in an EOFError,
    also with space again. Those that were there when this looked last are not read again. How many were removed.
    """
    import marshal

    mark = os.path.join(root, "build", "pycache-looked-at")
    since = os.path.getmtime(mark) if os.path.exists(mark) else 0
    removed = 0
    for top in ("build/pycache", "models", "scoreboards", "jobs", "tb", "flow", "report", "tools", "tests"):
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in files if top == "build/pycache" or folder.endswith("__pycache__") else ():
                path = os.path.join(folder, name)
                try:
                    if not name.endswith(".pyc") or os.path.getmtime(path) < since:
                        continue
                    with open(path, "rb") as file:
                        file.seek(16)
                        marshal.loads(file.read())
                except (EOFError, ValueError, TypeError):
                    os.remove(path)
                    removed += 1
                except OSError:  # another process removed it
                    continue
    try:
        os.makedirs(os.path.dirname(mark), exist_ok=True)
        with open(mark, "w"):
            pass
    except OSError:  # the disk is full: everything is looked at again
        pass
    return removed


def main(argv):
    """Replace this process by the tool."""
    given = words(os.environ.get("MAKEFLAGS", ""))
    if argv[0] == "--unknown":
        print(unknown(argv[1], argv[2:]))
        return 0
    os.environ["RVTRACE_FRONT"] = "make"
    tool = [argv[0]] if argv[0].endswith(".py") else ["-m", "rvtrace.tools.cli", argv[0]]
    if argv[0] not in QUICK and sys.stderr.isatty():  # a log needs no sign of life
        sys.stderr.write(" ".join(["starting ", argv[0], *given]) + "\n")
        sys.stderr.flush()
    sys.stdout.flush()
    compiled_below("build/pycache")
    mended(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    os.environ["PYTHONUTF8"] = "1"  # files are UTF-8 whatever the locale
    os.execv(sys.executable, [sys.executable, *tool, *given])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
