# SPDX-License-Identifier: Apache-2.0
"""The job a command line asks for, running a list of jobs on shared builds, and results in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import zip_longest
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event
from time import monotonic
from typing import Any, Generic, TypeVar

from rvtrace.flow import failing_page
from rvtrace.flow.captured.verdict import tolerance_words, tolerances_in
from rvtrace.flow.processes import cpu
from rvtrace.flow.programs import own
from rvtrace.flow.progress import counting
from rvtrace.flow.simulation import SimError, Stop, Stopped, broken, build, finished, run
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, flag, number
from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.builds import ROOT, BuildConfig
from rvtrace.jobs.job import DRIVES, Job, JobError
from rvtrace.models.riscv import recording

RESULTS = ROOT / "build" / "results"
Tell = Callable[[dict[str, Any]], None]
JOB_WORDS: dict[str, str] = {
    "IP": f"the system: {' or '.join(systems.NAMES)}",
    "SIM": "verilator (default) or icarus",
    "PROGRAM": "a recorded program by name, an ELF file of yours, or random",
    "SCENARIO": "a directed scenario by name",
    "SOURCE": "program:<name>, scenario:<name>, random, or tci:<name> (PROGRAM= is what its harts run)",
    "SEED": "of every random choice, default 1",
    "SIZE": "instructions of a random walk (CTR: transfers, counters: cycles, also of a program)",
    "DRIVE": "bulk (default) or pins",
    "TEST": "a Python file with a UVM test of yours, which extends that of the system (DRIVE=pins)",
    "RETIREMENT": "block (default) or single",
    "GROUPING": "longest (default) or random blocks",
    "BACKPRESSURE": "% of cycles in which the output is not ready",
    "GAPS": "% of beats with idle cycles before",
    "EXACT": "0: do not check the encoder against the reference profile (docs/reference/<ip>-profile.md)",
    "WAVES": "1: leave a waveform",
    "OUT": "folder of the results",
}


def words(system: SystemBench) -> dict[str, str]:
    """The words that name one job of a system."""
    return {**tolerances(system), **JOB_WORDS, **system.words}


def tolerances(system: SystemBench) -> dict[str, str]:
    """The tolerances of a system as words, without those that have the name of an option; the systems that check others
    have none.
    """
    kind = getattr(system, "tolerances", None)
    found = tolerance_words(kind, system.ip) if kind is not None else {}
    return {name: what for name, what in found.items() if name not in system.words}


def said(system: SystemBench, given: Mapping[str, str]) -> dict[str, Any]:
    """The tolerances that the words of a command line name."""
    known = tolerances(system)
    named = {name: value for name, value in given.items() if name in known}
    return tolerances_in(system.tolerances, named) if named else {}


def refuse_claims(system: SystemBench, config: Mapping[str, Any]) -> None:
    """ArgumentError for an option that says something of a foreign device, in a run of our RTL."""
    for option, ours in system.claims.items():
        if config[option] != ours:
            raise ArgumentError(
                f"{option.upper()}={config[option]} describes an IP unlike ours; give DUT= with it, or omit it"
            )


def one(given: Mapping[str, str]) -> Job:
    """The job a command line asks for; ArgumentError if it names no source, two, or one that does not exist."""
    system = systems.bench(given.get("IP", systems.NAMES[0]))
    if given.get("SOURCE", "").startswith("tci:"):
        return system.tci_job(given)
    sources = [name for name in ("PROGRAM", "SCENARIO", "SOURCE") if name in given]
    if len(sources) != 1:
        raise ArgumentError(f"{' and '.join(sources) or 'no source'} given; give one of PROGRAM=, SCENARIO= or SOURCE=")
    value = given[sources[0]]
    if sources[0] == "PROGRAM" and own.is_elf(value):
        value = str(own.recorded(Path(value)))
        given = {"XLEN": value.rpartition(".rv")[2].removesuffix(".rec"), **given}
    if sources[0] == "PROGRAM" and value != "random":
        is_file = recording.is_recorded(value) and value.endswith(".rec")  # the simulator runs in another folder
        value = f"program:{Path(value).resolve() if is_file else value}"
    elif sources[0] == "SCENARIO":
        value = f"scenario:{value}"
    kind, _, name = value.partition(":")
    _exists(system, kind, name)
    settings: dict[str, Any] = dict(system.scenarios[name].job) if kind == "scenario" else {}
    for word in ("DRIVE", "RETIREMENT", "GROUPING"):
        if word in given:
            settings[word.lower()] = given[word]
    if "TEST" in given:
        settings |= {"test": _test(given["TEST"]), "drive": given.get("DRIVE", "pins")}
    if settings.setdefault("drive", system.drives[0]) not in system.drives and given.get("DRIVE") in DRIVES:
        raise ArgumentError(
            f"DRIVE={given['DRIVE']}: IP={system.ip} is driven by {' or '.join(system.drives)} only; give"
            f" DRIVE={system.drives[0]}"
        )
    for word in ("SIZE", "BACKPRESSURE", "GAPS"):
        if word in given:
            settings[word.lower()] = number(given, word)
    config = system.config.from_dict(system.options(given)).to_dict()
    if not {"DUT", "RTL"} & set(given):
        refuse_claims(system, config)
    label = Path(name).name.split(".")[0] if kind == "program" else name or "random"
    named = said(system, given)
    settings |= {"tolerances": dict(named), "said": named}
    return Job(
        label, value, config, number(given, "SEED", 1), exact=flag({"EXACT": "1"} | dict(given), "EXACT"),
        sim=given.get("SIM", "verilator"), ip=system.ip, **settings,
    )  # fmt: skip


def _test(file: str) -> str:
    """The path of a user's test, from the root of the repository where it is below it; JobError if there is no such
    file.
    """
    path = Path(file).resolve()
    if not path.is_file():
        raise JobError(f"TEST={file} was not found; give the Python file with your test")
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def build_of(job: Job) -> BuildConfig:
    """The build that plays a job."""
    return systems.bench(job.ip).build_of(job)


def _exists(system: SystemBench, kind: str, name: str) -> None:
    known = {"program": recording.names(), "scenario": list(system.scenarios)}.get(kind)
    if known is None or name in known or (kind == "program" and recording.is_recorded(name)):
        return
    near = get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    more = "; `rvtrace programs` builds others, such as dhrystone with SET=riscv-tests" if kind == "program" else ""
    raise JobError(f"there is no {kind} {name}; {hint}`make list` has them, known are {', '.join(known)}{more}")


@dataclass
class Lot:
    """Jobs of one build, for one simulator process. place: the folder it runs in; that of each job is its `out`. turn:
    of its build among those of the same call, such as "2 of 5".
    """

    config: BuildConfig
    jobs: list[Job]
    place: Path = Path()
    turn: str = field(default="", kw_only=True)


_Lot = TypeVar("_Lot", bound=Lot)


@dataclass
class Played(Generic[_Lot]):
    """A lot that was run. results: in the order of its jobs, unless it was stopped (stopped) all of them.
    refused: why it could not be built, else "". build_cpu, run_cpu: CPU seconds of compilers and of the simulator.
    """

    lot: _Lot
    results: list[dict[str, Any]] = field(default_factory=list)
    refused: str = ""
    build_cpu: float = 0.0
    run_cpu: float = 0.0
    stopped: bool = False


def lots(jobs: list[Job], sim: str, batch: int) -> list[Lot]:
    """The jobs in lots of up to `batch`, each with its simulator.

    The first lot of every build comes before the second of any: who waits for a build that another one makes wastes
    time.
    """
    groups: dict[BuildConfig, list[Job]] = {}
    for job in jobs:
        job.sim = sim
        groups.setdefault(build_of(job), []).append(job)
    cut = [[Lot(config, all_[i : i + batch]) for i in range(0, len(all_), batch)] for config, all_ in groups.items()]
    return [lot for turn in zip_longest(*cut) for lot in turn if lot is not None]


def play(
    lot: _Lot,
    sim: str,
    tell: Tell = lambda result: None,
    rtl_dir: Path = ROOT / "rtl",
    waves: bool = False,
    coverage: bool = False,
    stop: Stop | None = None,
    fast: bool = False,
) -> Played[_Lot]:
    """Build and run a lot in its place; a build that breaks makes its jobs errors, each with the end of its log."""
    begin = cpu()
    try:
        made = build(lot.config, sim, rtl_dir, waves, coverage, fast, lot.turn, stop)
    except SimError as error:
        results = [broken(job, str(error)) for job in lot.jobs]
        for result in results:
            tell(result)
        return Played(lot, results, str(error), build_cpu=cpu() - begin)
    built = cpu()
    results = run(made, lot.jobs, lot.place, tell=tell, stop=stop)
    return Played(lot, results, build_cpu=built - begin, run_cpu=cpu() - built)


def run_all(
    jobs: list[Job],
    sim: str,
    out: Path,
    tell: Tell = lambda result: None,
    workers: int = 1,
    batch: int = 1000,
    waves: bool = False,
    rtl_dir: Path = ROOT / "rtl",
    process: str = "process",
    coverage: bool = False,
    fast: bool = False,
) -> list[dict[str, Any]]:
    """Run the jobs, those of one build in one process up to `batch` of them; results in the order of completion.

    process: start of the names of the folders below `out` in which the simulators run. coverage: with Verilator's code
    coverage. fast: see `build`. A build that breaks makes its jobs errors, and the others run. SimError if there is
    nothing to run.
    """
    if not jobs:
        raise SimError("no job matched; `make list` has programs and scenarios")
    for job in jobs:
        job.out = str(out / job.name)
    results: list[dict[str, Any]] = []

    how: dict[str, Any] = {"rtl_dir": rtl_dir, "waves": waves, "coverage": coverage, "fast": fast}
    with counting(len(jobs)) as count:

        def keep(result: dict[str, Any]) -> None:
            results.append(result)
            count(result["verdict"] != "PASS")
            tell(result)

        run_lots(lots(jobs, sim, batch), sim, out / process, keep, workers, **how)
    return results


def run_lots(todo: list[Lot], sim: str, process: Path, tell: Tell, workers: int, **how: Any) -> None:
    """Run lots whose jobs know their folders, as many at a time as there are workers.

    process: start of the names of the simulators' folders. tell: called with each result as it arrives, in this thread.
    how: see `play`.
    """
    builds = list(dict.fromkeys(lot.config for lot in todo))
    for i, lot in enumerate(todo):
        lot.place = process.with_name(f"{process.name}-{i}")
        lot.turn = f"{builds.index(lot.config) + 1} of {len(builds)}" if len(builds) > 1 else ""
    left = iter(todo)
    drive(lambda: next(left, None), sim, workers, tell, **how)


def drive(
    next_lot: Callable[[], _Lot | None],
    sim: str,
    workers: int,
    tell: Tell = lambda result: None,
    ended: Callable[[Played[_Lot]], None] = lambda played: None,
    until: float | None = None,
    **how: Any,
) -> None:
    """Play what `next_lot` gives, `workers` at once, until it gives nothing and nothing is under way.

    `next_lot` is asked again after each lot that has ended; `tell` is given each result as it arrives, and `ended` each
    lot: all in this thread. how: see `play`. Whatever ends this early, such as Ctrl-C, ends the simulators; the results
    reported so far are on disk by then. until: of time.monotonic, when what is built or run is stopped; of a lot
    that was under way `ended` is given the jobs that have a result.
    """
    arrived: SimpleQueue[dict[str, Any] | Played[_Lot] | BaseException | _Lot] = SimpleQueue()
    stop = Event()

    def work(lot: _Lot) -> None:
        try:
            arrived.put(play(lot, sim, arrived.put, stop=stop, **how))
        except Stopped:
            arrived.put(lot)
        except BaseException as error:
            arrived.put(error)

    under_way = 0
    with ThreadPoolExecutor(workers) as pool:
        try:
            while True:
                while not stop.is_set() and under_way < workers and (lot := next_lot()) is not None:
                    pool.submit(work, lot)
                    under_way += 1
                if not under_way:
                    return
                try:
                    found = arrived.get(timeout=None if until is None or stop.is_set() else max(0, until - monotonic()))
                except Empty:
                    stop.set()
                    continue
                if isinstance(found, BaseException):
                    raise found
                if isinstance(found, Played):
                    under_way -= 1
                    ended(found)
                elif isinstance(found, Lot):
                    under_way -= 1
                    ended(_so_far(found))
                else:
                    tell(found)
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _so_far(lot: _Lot) -> Played[_Lot]:
    """What is there of a lot that was stopped."""
    done = [(job, result) for job in lot.jobs if (result := finished(job)) is not None]
    lot.jobs = [job for job, _ in done]
    return Played(lot, [result for _, result in done], stopped=True)


def line(result: Mapping[str, Any]) -> str:
    """A result in one line."""
    stats = result.get("stats", {})
    words = [
        f"{result['verdict']:<5} {result['name']:<26} {systems.judge(result['ip']).summary(result)}",
        f"{sum(c for c, _ in result['clauses'].values()):>8} checks",
        f"{stats.get('seconds', {}).get('total', 0.0):6.2f} s",
    ]
    lost = int(stats.get("instructions", 0)) - int(stats.get("reported", stats.get("instructions", 0)))
    return "  ".join(words) + (f"  ({lost} insns not in the trace)" if lost > 0 else "")


def trouble(result: Mapping[str, Any]) -> str:
    """What a result that is not PASS has to say."""
    said = [failure["text"] for failure in result["failures"][:3]]
    more = len(result["failures"]) - len(said)
    if result.get("error"):
        said.insert(0, f"ERROR {result['name']}: {result['error']}\n  rerun     {result['rerun']}")
    page = failing_page.line_of(result)
    return "\n".join(said + ([f"and {more} more in its result.json"] if more > 0 else []) + ([page] if page else []))
