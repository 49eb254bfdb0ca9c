"""Control transfer records: Smctr/Ssctr and its draft."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from models.ctr.config import VARIANTS, Config
from models.ctr.model import Ctr
from models.ctr.transfers import Transfers
from models.riscv import recording
from scoreboards.clauses import Plan
from scoreboards.ctr import check, plan
from scoreboards.ctr_capture import CtrCapture
from scoreboards.ctr_knobs import Knobs
from tb.coverage.ctr_points import CTR
from tb.coverage.model import Definition
from tb.job import Job
from tb.sequences.ctr_builds import DRAFT32, DRAFT64, LEAN
from tb.sequences.ctr_scenarios import SCENARIOS
from tools import ctr_check, ctr_entries, draw_ctr
from tools.arguments import ArgumentError
from tools.builds import CtrBuild
from tools.systems.rows import RowsSystem

_MODES = ("M", "S", "U")
_MIDST = 4000  # transfers of a program after which the calls that have not returned are looked at


class CtrSystem(RowsSystem):
    """The control transfer records block."""

    ip, title, config, knobs = "ctr", "CTR", Config, Knobs
    left = ("program.elf", "config.json", "retired.csv", "entries.json", "entries.txt", "rows.npz")
    more_words: ClassVar[dict[str, str]] = {"DEPTHS": "option depths, numbers of entries that are supported, default 16,32,64,128,256"}
    scenarios: Mapping[str, Any] = SCENARIOS
    small: dict[str, Any] = dict(LEAN)
    bench = CtrBuild.BENCH
    synthesis_top = "ctr"
    synthesized = ({"Xlen": 64, "NTransfers": 1, "Depths": 1}, {"Xlen": 32, "NTransfers": 1, "Depths": 1}, {"Xlen": 64, "NTransfers": 2, "Depths": 1})
    linted: ClassVar[tuple[dict[str, Any], ...]] = (
        {}, {"Xlen": 32, "NTransfers": 1, "Depths": "5'd5", "HasMisp": 0, "HasType": 0, "HasCc": 0, "CceBits": 0, "HasStateen": 0},
        {"Draft": 1, "NTransfers": 2}, {"Draft": 1, "Xlen": 32, "NTransfers": 1, "Depths": "5'd7", "HasH": 0},
        {"NTransfers": 3, "CceBits": 2, "RasPolicy": 2}, {"NTransfers": 1, "Depths": "5'd3", "CceBits": 0, "RasPolicy": 1},
    )
    modelled_as = "in both variants"
    whole = counted = "transfers"
    summed = ("transfers", "recorded", "accesses")
    measured_with: ClassVar[dict[str, Any]] = {"ctl": 7, "transfers": 1}  # M, S and U; as many a cycle as the encoders are measured with
    shown_as = ("Call paths", "What a profiler would read out of the buffer at the end of each program: call sites, outermost first, then where the hart was. "
                "In RAS emulation the entries are the calls that have not returned; else calls and returns are played from the oldest entry on.")  # fmt: skip
    own_check = staticmethod(ctr_check.main)
    own_decode = staticmethod(ctr_entries.main)

    def options(self, given: Mapping[str, str]) -> dict[str, str]:
        """The options among the words; a program whose CTL= is not given is recorded in every mode."""
        found = super().options(given)
        if "CTL" not in given and (given.get("PROGRAM") or given.get("SOURCE", "").startswith("program:")):
            kind = Config.from_dict(found)
            found["ctl"] = f"{sum(kind.bit(name) & kind.fields for name in _MODES):#x}"
        return found

    @property
    def definition(self) -> Definition:
        """tb/coverage/ctr_points.py."""
        return CTR

    def build_of(self, job: Job) -> CtrBuild:
        """That of ctr_tb."""
        return CtrBuild.of(job.settings)

    def programs(self, everything: bool = False) -> list[Job]:
        """Both variants, RV64 and RV32, and the leanest implementation, all transfers recorded; v1_0 (all: everywhere) in the midst of the program in RAS emulation as well."""
        builds = [("v1_0", {}, (64,)), ("lean", LEAN, (32,)), ("draft", DRAFT64, (64,)), ("draft", DRAFT32, (32,))]
        jobs = []
        for name in recording.names():
            for what, build, xlens in builds:
                for xlen in xlens:
                    kind = Config.from_dict({**build, "xlen": xlen})
                    ctl = sum(kind.bit(field) & kind.fields for field in _MODES) | kind.bit("NTBREN") & kind.fields
                    words = [("all", ctl)] + ([("calls", ctl | kind.bit("RASEMU"))] if kind.fields & kind.bit("RASEMU") and (everything or what == "v1_0") else [])
                    jobs += [
                        Job(f"{name}-rv{xlen}-{what}-{how}", f"program:{name}", {**build, "xlen": xlen, "ctl": word}, ip=self.ip, **({"size": _MIDST} if how == "calls" else {}))
                        for how, word in words
                    ]  # fmt: skip
        return jobs

    def described(self, config: Config) -> str:
        """Variant, width, depth."""
        return f"{config.variant} RV{config.xlen} {config.depth} entries"

    def drawn(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
        """Random transfers and accesses in a random configuration."""
        return draw_ctr.drawn(seed, base, size)

    def check(self, capture: CtrCapture, knobs: Knobs | None = None) -> Any:
        """Every read value and every outcome."""
        return check(capture, knobs)

    @property
    def plan(self) -> Plan | None:
        """tests/plan/ctr.toml."""
        return plan()

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """The model, all transfers recorded."""
        run = recording.load(program, 64)
        moved = Transfers.of_retired(run.retired, run.program)
        found = []
        for variant in VARIANTS:
            config = Config(variant=variant)
            ctl = sum(config.bit(name) for name in _MODES)
            found.append((len(moved), [("CTR model", lambda c=config, w=ctl: _modelled(c, w, moved))]))
        return found

    def shown(self, results: Iterable[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
        """The call path at the end of each program, and its entries; the same program in the same configuration once."""
        found: dict[str, tuple[str, str, str]] = {}
        for result in results:
            if "entries" not in result:
                continue
            config = Config.from_dict(result["config"])
            name = f"{result['source'].partition(':')[2]} RV{config.xlen} {config.variant}, {config.depth} entries, ctl={config.ctl:#x}"
            if name not in found:
                program = recording.load(result["source"].partition(":")[2], config.xlen).program
                path = ctr_entries.call_path(result["entries"], program, ctr_entries.emulated(config))
                found[name] = name, ctr_entries.path_line(path), ctr_entries.listing(result["entries"], config, program, result["name"])
        return [found[name] for name in sorted(found)]

    def captured(self, job: Job) -> None:
        """Entries are read at the end of a program."""
        if not job.source.startswith("program:"):
            raise ArgumentError(f"{job.source} has no program whose entries could be read; give PROGRAM=<name> (`make list IP=ctr` has them)")

    def finish(self, out: Path) -> Iterable[str]:
        """entries.txt: the entries with symbols."""
        ctr_entries.write(out)
        return ("entries.txt",)


def _modelled(config: Config, ctl: int, transfers: Transfers) -> None:
    model = Ctr(config)
    model.ctl = ctl
    model.recorder.configure(ctl, 0)
    model.run(transfers)


SYSTEM = CtrSystem()
