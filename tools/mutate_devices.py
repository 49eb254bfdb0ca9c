# SPDX-License-Identifier: Apache-2.0
"""`make mutate KIND=devices IP=ntrace`: switches on the deviations of the devices of tests/<ip>/duts, one at a time and
several together, and prints whether the findings name them (rvtrace.flow.faults.devices).
"""

from __future__ import annotations

import os
import time

from rvtrace.flow.faults import devices as flow
from rvtrace.flow.faults.runner import Row
from rvtrace.flow.progress import Progress
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, main_guard, number, parse, typed
from rvtrace.report import faults as report

WORDS = {
    "IP": f"the system: {', '.join(systems.NAMES)}",
    "DUT": "name of one of its devices; default all",
    "DEVIATION": "name of a deviation, or several with commas: these together, and nothing else",
    "DRAWS": "random sets of deviations, default 0; 200 for figures",
    "SINGLES": "0: only the random sets",
    "TOGETHER": "deviations in a set, default 3",
    "SEED": "of the random sets, default 1",
    "SIM": "verilator (default) or icarus",
    "N": "processes, default the number of cores",
}


def main(argv: list[str]) -> int:
    """0 if enough deviations are named, else 1."""
    given = parse(argv, WORDS, __doc__ or "")
    systems.known(argv)
    ip, sim = given.get("IP", systems.NAMES[0]), given.get("SIM", "verilator")
    folders = flow.devices(ip)
    if "DUT" in given:
        folders = [folder for folder in folders if folder.name == given["DUT"]]
    if not folders:
        raise ArgumentError(
            f"IP={ip} has no device {given.get('DUT', '')} with a {flow.FILE} below tests/{ip}/duts; known are"
            f" {', '.join(folder.name for folder in flow.devices(ip)) or 'none'}"
        )
    start = time.perf_counter()
    devices = [flow.Device.load(folder, sim) for folder in folders]
    if "DEVIATION" in given:
        if len(devices) > 1:
            raise ArgumentError("DEVIATION= needs DUT=, the device that has it")
        rows = flow.find(devices[0], given["DEVIATION"].split(","))
        todo = [flow.Experiment(devices[0], rows, devices[0].runs_of(rows))]
    else:
        alone = number(given, "SINGLES", 1)
        todo = [experiment for device in devices for experiment in flow.singles(device)] if alone else []
        count, together = number(given, "DRAWS", 0), number(given, "TOGETHER", 3)
        todo += flow.draws(devices, count, together, number(given, "SEED", 1))
    if not todo:
        raise ArgumentError("SINGLES=0 leaves nothing to run; give DRAWS=, how many random sets")
    found: list[Row] = []
    progress = Progress(len(todo), "experiments", bad="")

    def tell(experiment: flow.Experiment, results: list[dict[str, object]]) -> None:
        found.append(report.isolation(experiment, results))
        progress.step()
        print(f"{len(found):>4} of {len(todo)}  {found[-1].text()}", flush=True)

    with progress:
        flow.play_all(todo, sim, number(given, "N", os.cpu_count() or 1), tell)
    command, seconds = typed("mutate", {"KIND": "devices", "IP": ip}), time.perf_counter() - start
    title = f"Deviations of {', '.join(device.name for device in devices)}"
    return report.ended(flow.OUT / ip, report.summary(title, command, found, seconds, wanted=report.ISOLATED))


if __name__ == "__main__":
    main_guard(main)
