# SPDX-License-Identifier: Apache-2.0
"""The verifier's knowledge of one implementation, as data (TV-9, sections 3.1 and 3.2): non-deterministic state, absent
state, choices.

Profile(hart=virt(64))                                                  a complete trace
Profile.of(Config(absent=("paddr",)), virt(64))                         what a trace's configuration leaves out
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from rvtrace.models.common import json_types
from rvtrace.models.riscv.iss.config import HartConfig, virt
from rvtrace.models.riscv.iss.csr import MCYCLE, MINSTRET, MIP, TIME, CsrTable
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.table import ABSENT_NAMES

ALL = (1 << 64) - 1
NONDETERMINISTIC: dict[str, int] = {"mip": 0xA88, "mcycle": ALL, "time": ALL}
"""Bits that come from outside the hart: of mip MSIP, MTIP, SEIP, MEIP; mcycle and time, whose rate
and delay are the implementation's. (minstret counts what the trace shows: a read of it is compared.)"""
SAMPLED = ("minstret",)
"""Counters that the trace reports as samples, not with an instruction (Appendix B, "unobserved state not
associated with an instruction")."""


COUNTERS = {"mcycle": MCYCLE, "minstret": MINSTRET}
"""Counters that run by themselves, with any value after a reset (privileged manual, 3.1.10)."""


class ProfileError(ValueError):
    """A profile that is not legal; the text names what is."""


@dataclass(frozen=True)
class Profile:
    """One implementation; ProfileError on construction if it names what does not exist.

    hart: its kind, memory and devices (loads from those are non-deterministic). nondeterministic: bits by CSR name.
    absent: parts that are not traced (names of `table.ABSENT_NAMES`). sampled: counters of which the reported value is
    neither compared nor taken over, unless the instruction writes them or it is state initialization (their reads are
    compared all the same); for a hart that reports them exactly give none. unchanged_csr: whether a CSR write that
    changes nothing may be left out. unchanged: whether a register that keeps its value may be left out, or reported
    although nothing wrote it (the complete states are equal, section 3.1). sc_may_fail: whether SC may fail although
    its reservation holds (unprivileged manual, "Zalrsc"). lookahead: sections that must fit before the verifier
    believes that groups were dropped, doubled or swapped. reach: how many missing groups it looks for. watch: for how
    many sections after a mismatch it compares which side later groups agree with.
    """

    hart: HartConfig = field(default_factory=lambda: virt(64))
    absent: tuple[str, ...] = ()
    nondeterministic: Mapping[str, int] = field(default_factory=lambda: dict(NONDETERMINISTIC))
    sampled: tuple[str, ...] = SAMPLED
    unchanged_csr: bool = True
    unchanged: bool = False
    sc_may_fail: bool = True
    lookahead: int = 4
    reach: int = 64
    watch: int = 256

    def __post_init__(self) -> None:
        for name in self.absent:
            if name not in ABSENT_NAMES:
                raise ProfileError(f"a trace has no part {name!r}; those that can be absent: {', '.join(ABSENT_NAMES)}")
        for name in self.sampled:
            if name not in COUNTERS:
                raise ProfileError(
                    f"{name!r} is no counter that a trace could sample; give some of {', '.join(COUNTERS)}"
                )
        by_name = {name: address for address, name in CsrTable(self.hart).names.items()}
        for name in self.nondeterministic:
            if name not in by_name and name not in (*NONDETERMINISTIC, *COUNTERS):
                raise ProfileError(
                    f"the hart has no CSR {name!r} whose bits could be non-deterministic; give a name such as mip, or a"
                    " hart that has it"
                )

    @classmethod
    def of(cls, config: Config, hart: HartConfig | None = None, **choices: Any) -> Profile:
        """The profile of a trace with this configuration."""
        absent = tuple(name for name in ABSENT_NAMES if not config.traces(name))
        return cls(**{"hart": hart or virt(config.xlen), "absent": absent, **choices})

    def masks(self, table: CsrTable) -> dict[int, int]:
        """Non-deterministic bits by the address of the register that holds them."""
        by_name = {name: address for address, name in table.names.items()} | {"mip": MIP, "time": TIME, **COUNTERS}
        out: dict[int, int] = {}
        for name, bits in self.nondeterministic.items():
            view = table.views.get(by_name[name])
            of, bits = (by_name[name], bits) if view is None else (view.of, (bits & view.mask) << view.shift)
            out[of] = out.get(of, 0) | bits
        return out

    def traces(self, name: str) -> bool:
        """Whether a part is in the trace."""
        return name not in self.absent

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        out = {f.name: getattr(self, f.name) for f in fields(self)}
        return out | {
            "hart": self.hart.to_dict(),
            "absent": list(self.absent),
            "sampled": list(self.sampled),
            "nondeterministic": dict(self.nondeterministic),
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Profile:
        """From JSON; ProfileError names what is unknown."""
        known = [f.name for f in fields(cls)]
        for name in values:
            if name not in known:
                raise ProfileError(f"a profile has no option {name!r}; those it has: {', '.join(known)}")
        given = dict(values)
        if fault := json_types.wrong(cls, values):
            raise ProfileError(f"of a profile {fault}")
        for name in ("lookahead", "reach", "watch"):
            if given.get(name, 0) < 0:
                raise ProfileError(f"{name} is {given[name]}; give 0 or more")
        if not isinstance(given.get("hart", {}), dict):
            raise ProfileError("hart is no object; give one with the options of a hart")
        if "hart" in given:
            given["hart"] = HartConfig.from_dict(given["hart"])
        for name in ("absent", "sampled"):
            if name in given:
                given[name] = tuple(given[name])
        return cls(**given)
