# SPDX-License-Identifier: Apache-2.0
"""`python -m rvtrace.flow.generate`: RTL packages from the register tables (CHECK=1: compare, write nothing);
also the SystemVerilog of the testbenches' row layouts below build/, which every build writes itself.
"""

from __future__ import annotations

from rvtrace.flow.generate import rows
from rvtrace.flow.generate.files import generated, outdated
from rvtrace.flow.generate.source import COMMAND
from rvtrace.jobs.arguments import flag, main_guard, parse
from rvtrace.jobs.builds import ROOT


def main(argv: list[str]) -> int:
    """Write the files, or with CHECK=1 return 1 if one of them differs from its table."""
    given = parse([word.replace("--check", "CHECK=1") for word in argv], {"CHECK": "1: write nothing, compare"},
                  "Write RTL packages and row modules from their tables.")  # fmt: skip
    stale = outdated()
    if flag(given, "CHECK"):
        for name in stale:
            print(f"{name} differs from its table; type `{COMMAND}`")
        return int(bool(stale))
    for name in stale:
        (ROOT / name).write_text(generated()[name])
        print(f"wrote {name}")
    rows.write(rows.files())
    print(f"{rows.FOLDER}/ has the rows of the testbenches")
    return 0


if __name__ == "__main__":
    main_guard(main)
