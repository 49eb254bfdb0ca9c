# SPDX-License-Identifier: Apache-2.0
"""Results as JUnit's XML, as Jenkins, GitLab and GitHub actions read it: testsuites, testsuite, testcase, and of what
failed its headline as the message, and the text with the command that repeats it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from rvtrace.jobs import files
from rvtrace.jobs.arguments import ArgumentError

WORD = "a file for the results in JUnit's XML, beside the report"  # help of the word JUNIT=
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml(text: str) -> str:
    """A text without the characters that XML cannot hold."""
    return _NO_XML.sub("?", text)


def of_results(results: Iterable[Mapping[str, Any]], problems: Sequence[str] = ()) -> ET.ElementTree:
    """One suite for each system, one testcase for each run; one in error for each problem of the evidence."""
    by_ip: dict[str, list[Mapping[str, Any]]] = {}
    for result in results:
        by_ip.setdefault(result["ip"], []).append(result)
    root = ET.Element("testsuites", name="rvtrace")
    for ip, some in by_ip.items():
        suite = ET.SubElement(root, "testsuite", name=xml(ip))
        for result in some:
            _case(suite, result)
    if problems or not by_ip:
        suite = ET.SubElement(root, "testsuite", name="evidence")
        for number, problem in enumerate(problems or ["nothing was run, and that proves nothing"], 1):
            case = ET.SubElement(suite, "testcase", classname="evidence", name=f"problem {number}", time="0")
            ET.SubElement(case, "error", message=xml(problem))
    return counted(root)


def of_clauses(
    ip: str,
    name: str,
    counts: Mapping[str, Sequence[int]],
    failures: Iterable[Any],
    rerun: str,
    problems: Sequence[str] = (),
) -> ET.ElementTree:
    """One testcase for each clause that was checked, and one in error for each problem of the evidence. counts: checked
    and failed. failures: of the verdict, each with clause, headline and text.
    """
    first = {failure.clause: failure for failure in reversed(list(failures))}
    root = ET.Element("testsuites", name="rvtrace")
    suite = ET.SubElement(root, "testsuite", name=xml(f"{ip}: {name}"))
    for clause, (checked, failed) in sorted(counts.items()):
        case = ET.SubElement(suite, "testcase", classname=xml(f"{ip}.clauses"), name=xml(clause), time="0")
        case.set("assertions", str(checked))
        if failed:
            found = first.get(clause)
            text = found.text() if found is not None else f"{failed} of {checked} checks failed"
            element = ET.SubElement(case, "failure", message=xml(found.headline if found is not None else text))
            element.text = xml(text if rerun in text else f"{text}\n  rerun     {rerun}")
    empty = () if any(checked for checked, _ in counts.values()) else ("nothing was checked, and that proves nothing",)
    for number, problem in enumerate((*problems, *empty), 1):
        case = ET.SubElement(suite, "testcase", classname="evidence", name=f"problem {number}", time="0")
        ET.SubElement(case, "error", message=xml(problem))
    return counted(root)


def _case(suite: ET.Element, result: Mapping[str, Any]) -> None:
    seconds = float(result.get("stats", {}).get("seconds", {}).get("total", 0.0))
    kind = str(result["source"]).partition(":")[0]
    case = ET.SubElement(
        suite, "testcase", classname=xml(f"{result['ip']}.{kind}"), name=xml(result["name"]), time=f"{seconds:.3f}"
    )
    if result["verdict"] == "PASS":
        return
    rerun = str(result.get("rerun", ""))
    failures = result["failures"]
    if result["verdict"] == "ERROR" or not failures:
        text = str(result.get("error") or "the run left no reason")
        tag, message = "error" if result["verdict"] == "ERROR" else "failure", text.splitlines()[0]
    else:
        own = [failure for failure in failures if not failure.get("cause")] or failures
        text = "\n\n".join(str(failure.get("text") or failure.get("headline", "")) for failure in own)
        tag, message = "failure", f"{own[0]['clause']}  {own[0].get('headline', '')}".strip()
    element = ET.SubElement(case, tag, message=xml(message), type=result["verdict"])
    element.text = xml(text if not rerun or rerun in text else f"{text}\n  rerun     {rerun}")


def counted(root: ET.Element) -> ET.ElementTree:
    """The tree with how many tests, failures, errors and skipped ones there are, of each suite and of all."""
    suites = root.findall("testsuite")
    for suite in suites:
        cases = suite.findall("testcase")
        suite.set("tests", str(len(cases)))
        for kind, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(kind, str(sum(case.find(tag) is not None for case in cases)))
        suite.set("time", f"{sum(float(case.get('time', 0)) for case in cases):.3f}")
    for kind in ("tests", "failures", "errors", "skipped"):
        root.set(kind, str(sum(int(suite.get(kind, 0)) for suite in suites)))
    root.set("time", f"{sum(float(suite.get('time', 0)) for suite in suites):.3f}")
    ET.indent(root)
    return ET.ElementTree(root)


def write(tree: ET.ElementTree, path: Path) -> None:
    """Write it, in a folder that is made; ArgumentError if that cannot be done."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        files.at_once(path, lambda part: tree.write(part, encoding="utf-8", xml_declaration=True))
    except OSError as error:
        raise ArgumentError(f"JUNIT={path} cannot be written ({error.strerror}); give JUNIT=<a file>") from None
