# SPDX-License-Identifier: Apache-2.0
"""The page that is signed: what it says of device, files and tool, and the checksums of the report."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.report import provenance, signoff
from rvtrace.report.compliance import Subject, write
from tests.report.compliance_data import PLAN, TODAY, result

SPECIFIED = """
[[specification]]
title = "The text"
version = "1.0"
state = "ratified"
url = "https://example.org/text"
variants = ["v1"]
[[specification]]
title = "The text"
version = "0.9"
state = "draft"
variants = ["v0"]
"""


def reported(folder: Path, source: str = "module te;") -> Path:
    """The folder of a report about a device with one source, of which three of four clauses were checked."""
    plan, device = folder / "plans" / "ntrace", folder / "device" / "te.sv"
    for path in (plan, device.parent):
        path.mkdir(parents=True, exist_ok=True)
    (plan / "plan.toml").write_text(SPECIFIED + PLAN)
    device.write_text(source)
    files = provenance.files_of([device])
    subject = Subject("te", "ntrace", "an encoder", {"module": "te"}, {}, {}, files, {"v1"})
    write(subject, [result()], [], folder / "out", TODAY, plan.parent)
    return folder / "out"


def test_the_page_has_text_verdict_share_evidence_and_digests(tmp_path):
    page = (reported(tmp_path) / signoff.PAGE).read_text()
    assert "The text, 1.0 (ratified)" in page and 'href="https://example.org/text"' in page and "0.9" not in page
    assert "<b>75 %</b>" in page and "(3 of 4)" in page
    assert "100 checks in 1 run" in page and "comes with timestamps" in page
    digest = hashlib.sha256(b"module te;").hexdigest()
    assert digest in page and provenance.whole({"te.sv": digest}) in page and provenance.tool().digest in page


def test_nothing_of_the_page_is_loaded(tmp_path):
    page = (reported(tmp_path) / signoff.PAGE).read_text()
    assert not any(word in page for word in ("src=", "url(", "@import", "<script", "<link"))


def test_the_json_has_the_same(tmp_path):
    found = json.loads((reported(tmp_path) / "compliance.json").read_text())
    assert (found["applicable"], found["observed"]) == (4, 3)
    assert found["specifications"][0]["version"] == "1.0" and len(found["specifications"]) == 1
    assert list(found["files"]["of"]) == ["te.sv"] and len(found["tool"]["digest"]) == 64


def test_another_source_has_another_digest(tmp_path):
    before, after = (
        json.loads((reported(tmp_path, text) / "compliance.json").read_text())["files"]["sha256"]
        for text in ("module te;", "module te ;")
    )
    assert before != after


def test_the_checksums_are_those_of_every_file(tmp_path):
    out = reported(tmp_path)
    lines = [line.split("  ") for line in (out / signoff.SUMS).read_text().splitlines()]
    rows = {name: digest for digest, name in lines}
    assert set(rows) == {"compliance.json", "index.html", "junit.xml", "signoff.html", "summary.md"}
    assert all(hashlib.sha256((out / name).read_bytes()).hexdigest() == digest for name, digest in rows.items())


def test_the_digest_of_all_is_that_of_what_sha256sum_prints(tmp_path):
    for name in ("a.sv", "b.sv"):
        (tmp_path / name).write_text(name)
    files = provenance.files_of(tmp_path.iterdir())
    printed = subprocess.run(["sha256sum", "a.sv", "b.sv"], cwd=tmp_path, capture_output=True, check=True).stdout
    assert provenance.whole(files) == hashlib.sha256(printed).hexdigest()


@pytest.fixture
def key(tmp_path):
    if shutil.which("ssh-keygen") is None:
        pytest.skip("OpenSSH is not installed")
    path = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


def test_a_signature_holds_until_a_file_changes(tmp_path, key):
    out = reported(tmp_path)
    signature = signoff.sign(out, key)
    (tmp_path / "allowed").write_text(f"me {(tmp_path / 'key.pub').read_text()}")

    def verified() -> bool:
        verify = ["ssh-keygen", "-Y", "verify", "-n", signoff.NAMESPACE, "-f", str(tmp_path / "allowed"), "-I", "me"]
        sums = (out / signoff.SUMS).read_bytes()
        return subprocess.run([*verify, "-s", str(signature)], input=sums, capture_output=True).returncode == 0

    assert verified()
    with (out / signoff.SUMS).open("a") as file:
        file.write("one more\n")
    assert not verified()


def test_a_report_that_is_written_again_loses_the_signature_of_the_one_before(tmp_path, key):
    signature = signoff.sign(reported(tmp_path), key)
    reported(tmp_path)
    assert not signature.exists()


def test_a_key_that_is_not_there_or_is_none_is_refused(tmp_path, key):
    out = reported(tmp_path)
    with pytest.raises(ArgumentError, match="is no file; give a private SSH key"):
        signoff.sign(out, tmp_path / "nowhere")
    (tmp_path / "text").write_text("no key")
    with pytest.raises(ArgumentError, match="did not sign"):
        signoff.sign(out, tmp_path / "text")
