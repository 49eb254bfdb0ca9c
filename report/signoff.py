# SPDX-License-Identifier: Apache-2.0
"""The page that somebody signs: specification, version, each clause with verdict and evidence, hashes of the device's
sources and of the tool; and SHA256SUMS, the checksums of all files of the report, which a key may sign.

    write(compliance, out)    signoff.html and SHA256SUMS
    sign(out, key)            SHA256SUMS.sig, made by `ssh-keygen -Y sign`

Anybody checks the files with `sha256sum -c SHA256SUMS`, and the signature with `ssh-keygen -Y verify`.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from rvtrace.jobs import files
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.report import provenance
from rvtrace.report.compliance_model import LEVELS, VERDICTS, Compliance, Row, percent
from rvtrace.report.goals import percent as goal_percent

PAGE, SUMS = "signoff.html", "SHA256SUMS"
NAMESPACE = "rvtrace-compliance"  # of the signature: one made for something else does not count
WORD = "a private SSH key: it signs SHA256SUMS, the checksums of the report's files (SHA256SUMS.sig)"


def write(compliance: Compliance, out: Path) -> None:
    """The page, and the checksums of every file that the folder of the report has; OSError."""
    (out / f"{SUMS}.sig").unlink(missing_ok=True)  # of an earlier report
    files.write(out / PAGE, render(compliance))
    found = provenance.files_of(path for path in out.iterdir() if path.is_file() and path.name != SUMS)
    files.write(out / SUMS, "".join(f"{digest}  {name}\n" for name, digest in found.items()))


def sign(out: Path, key: Path) -> Path:
    """Sign the checksums with a private SSH key; the signature. ArgumentError if there is no such key, or no program
    that signs.
    """
    if not key.is_file():
        raise ArgumentError(f"SIGN={key} is no file; give a private SSH key, such as ssh-keygen -t ed25519 makes")
    if (program := shutil.which("ssh-keygen")) is None:
        raise ArgumentError("SIGN= needs ssh-keygen, which is not installed; install OpenSSH, or omit it")
    (found := out / f"{SUMS}.sig").unlink(missing_ok=True)
    command = [program, "-Y", "sign", "-q", "-n", NAMESPACE, "-f", str(key), str(out / SUMS)]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode or not found.is_file():
        raise ArgumentError(f"SIGN={key} did not sign {out / SUMS}: {ended.stderr.strip() or 'no signature was left'}")
    return found


def render(compliance: Compliance) -> str:
    """The page."""
    from jinja2 import Environment, FileSystemLoader  # only here: it takes a tenth of the start of a command

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("signoff.html.j2").render(
        c=compliance, verdicts=VERDICTS, levels=LEVELS, evidence=evidence, percent=goal_percent, tool=provenance.tool(),
        url=next((text.url for text in compliance.specifications if text.url), ""),
        digest=provenance.whole(compliance.subject.files),
        share=percent(compliance.observed / compliance.applicable) if compliance.applicable else "nothing",
    )  # fmt: skip


def evidence(row: Row) -> str:
    """What the verdict of a clause rests on."""
    if row.checked and row.verdict in ("PASS", "FAIL", "WAIVED", "NOT JUDGED"):
        failed = f"{row.failed:,} of " if row.failed else ""
        runs = f"{row.runs} run{'s' * (row.runs != 1)}"
        what = f"{failed}{row.checked:,} checks{' failed' if row.failed else ''} in {runs}"
        return f"{what}; {row.reason}" if row.reason else what
    return row.reason
