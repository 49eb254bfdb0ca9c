"""The coverage points of CTR's registers: who accessed what, state enables, fields, depths, entries, clears.

The register points are made from the register table; what no access can end as is found by asking the rules with every setting.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

from models.ctr.config import DEPTHS, VARIANTS, Config
from models.ctr.model_access import Gates, outcome
from models.ctr.registers import CSRIND_BIT, CTR_BIT, Csr, csrs
from models.riscv.csr import DEBUG, DONE, HS, OUTCOMES, READ, VS, VU, Access, M, U
from tb.coverage.model import CROSS, Point

MODES = ("M", "S", "U", "VS", "VU")
MODE_NAMES = {M: "M", HS: "S", U: "U", VS: "VS", VU: "VU", DEBUG: "Debug"}
ENDS = tuple(OUTCOMES.values())
OPS = ("read", "write", "set", "clear")
VALUES = ("0", "1")
VIEWS = ("m", "s", "vs", "s in VS")
WHATS = ("control", "status", "depth", "guest control", "select", "guest select", "entry", "no entry", "guest entry", "guest no entry", "SCTRCLR")
SETTINGS = tuple(f"m {m} h {h}" for m in ("-", "C", "I", "CI") for h in ("-", "C", "I", "CI"))
PARTS = ("ctrsource", "ctrtarget", "ctrdata")
KINDS = ("reset", "record", "popped", "write", "narrow", "clear", "depth")
AT = ("0", "1", "between", "last", "at the depth", "255")
NAMES = tuple(map(str, DEPTHS))
UNKNOWN = ("the other variant's", "h at XLEN 64", "without S", "without H", "any other", "SCTRCLR of the draft")
NARROW = ("control", "guest control", "status", "state enable", "select", *PARTS)
SELECTS = ("an entry", "below", "above", "high bits set")
TOGETHER = ("status written", "status set", "status cleared", "status read", "control written", "entry written", "entry read", "select written", "depth written", "SCTRCLR")
CLEARS = ("SCTRCLR", "CLR by m", "CLR by s", "CLR by vs, V=0", "CLR by vs, V=1")
CODES = tuple(f"v1_0 {n}" for n in range(8)) + tuple(f"v0_1_4 {n}" for n in range(16))


@cache
def full(variant: str) -> Config:
    """Everything there is."""
    return Config(variant=variant)


def registers() -> tuple[str, ...]:
    """`variant name` of every CSR."""
    return tuple(f"{variant} {c.name}" for variant in VARIANTS for c in csrs(full(variant)))


def _possible(config: Config, csr: Csr, priv: int) -> set[int]:
    """What an access can end as, with any setting of state enables and selects."""
    bits = (0, 1 << CTR_BIT[config.variant], 1 << CSRIND_BIT, 1 << CTR_BIT[config.variant] | 1 << CSRIND_BIT)
    found = set()
    for m, h, select, narrow in product(bits, bits, (0x200, 0), (0, 1)):
        found.add(outcome(config, Gates(m, h & m, select, select, select), csr, Access(READ, csr.address, 0, priv, narrow)))
    return found


def _csr_rules() -> dict[str, str]:
    rules = {}
    for variant in VARIANTS:
        for c in csrs(full(variant)):
            for priv, mode in MODE_NAMES.items():
                for code in set(OUTCOMES) - _possible(full(variant), c, priv):
                    rules[CROSS.join((f"{variant} {c.name}", mode, OUTCOMES[code]))] = "no setting of state enables and selects gives that"
    return rules


def _op_rules() -> dict[str, str]:
    return {f"v1_0 mireg* x {op}": "mireg selects nothing in v1_0" for op in OPS}


def fields() -> Iterator[tuple[str, str, str, int]]:
    """variant, view, field, highest value of every bit field of the control registers, as each view shows it."""
    for variant in VARIANTS:
        for c in csrs(full(variant)):
            if c.rv32 or not ("ctrctl" in c.name or "ctrcontrol" in c.name):
                continue
            view = "vs" if c.name[0] == "v" else c.name[0]
            for f in c.fields:
                if f.width == 1:
                    most = int(f.access != "RO" and f.access != "W1" and f.legal.mask != 0)
                    yield variant, view, f.name, most
                    if view == "s":
                        yield variant, "s in VS", f.name, most


def _field_bins() -> tuple[str, ...]:
    return tuple(CROSS.join((variant, view, name, value)) for variant, view, name, most in fields() for value in VALUES[: most + 1])


def _stateen_rules() -> dict[str, str]:
    rules = {f"* x {setting} x *": "a bit of hstateen0 is 0 where mstateen0's is" for setting in SETTINGS
             if set(setting.split()[3]) - set(setting.split()[1]) - {"-"}}  # fmt: skip
    return rules | {"v0_1_4 x * x depth x *": "the draft has no sctrdepth", "v0_1_4 x * x SCTRCLR x *": "the draft has no SCTRCLR"}


POINTS = (
    Point("csr_cg", "accesses by register and mode, and how they ended", "each register has its own rule of access (CTR-12)",
          (registers(), tuple(MODE_NAMES.values()), ENDS), ("register", "mode", "outcome"), _csr_rules()),
    Point("op_cg", "accesses that were done, by register and operation", "set and clear are paths of their own",
          (registers(), OPS), ("register", "operation"), _op_rules()),
    Point("unknown_cg", "addresses that are not there", "nothing answers there",
          (UNKNOWN, ("from M", "from below")), ("address", "mode")),
    Point("control_cg", "values read of control register fields, through each view", "each field is kept, or is 0 (CTR-11)",
          (_field_bins(),), ("field",)),
    Point("left_out_cg", "values read of fields that are not implemented", "they are 0 although ones were written",
          (VARIANTS, ("m", "s", "vs")), ("variant", "view"), {"v0_1_4 x *s": "where a build of the draft leaves fields out, there is no S-mode"}),
    Point("preserve_cg", "writes through the supervisor's view, by what M and MTE were", "they stay (CTR-11)",
          (VARIANTS, OPS[1:], ("M 0", "M 1"), ("MTE 0", "MTE 1")), ("variant", "operation", "M", "MTE")),
    Point("stateen_cg", "settings of the state enables (C: CTR, I: bit 60), by what was accessed from where", "which refusal comes first (CTR-12)",
          (VARIANTS, SETTINGS, WHATS, MODES), ("variant", "enables", "access", "mode"), _stateen_rules()),
    Point("stateen_value_cg", "bits of the state enables read", "hstateen0 is 0 where mstateen0 is",
          (VARIANTS, ("mstateen0.CTR", "mstateen0[60]", "hstateen0.CTR", "hstateen0[60]"), VALUES), ("variant", "bit", "value")),
    Point("depth_cg", "changes of depth", "up, down and none, with records before (CTR-10)", (VARIANTS, NAMES, NAMES), ("variant", "from", "to")),
    Point("depth_value_cg", "values of DEPTH written, where they are supported and where not", "discovery, reserved codes, WARL (CTR-10)",
          (CODES, ("supported", "not supported")), ("code", "support"),
          {**{f"v1_0 {n} x supported": "reserved" for n in (5, 6, 7)},
           **{f"v0_1_4 {n} x supported": "no depth has this code" for n in range(16) if n not in (0, 1, 3, 7, 15)},
           "v0_1_4 3 x not supported": "every build of the draft has 64 entries"}),
    Point("entry_cg", "logical entries read, by depth", "the ends of the buffer, and what is beyond (CTR-10)",
          (VARIANTS, NAMES, AT), ("variant", "depth", "entry"), {"* x 256 x at the depth": "there is no such entry", "* x 256 x 255": "that is the last"}),
    Point("origin_cg", "entry registers read, by where their content comes from", "reset, records, software and clears each write differently",
          (PARTS, KINDS), ("register", "from")),
    Point("select_cg", "accesses through a window, by what its iselect selects", "entries are 0x200 to 0x2FF",
          (("mireg", "sireg", "vsireg", "sireg in VS"), SELECTS), ("window", "iselect"), ),
    Point("window_cg", "entry registers read through each window", "all show the same entries",
          (("mireg", "sireg", "vsireg", "sireg in VS"), PARTS), ("window", "register")),
    Point("narrow_cg", "accesses at XLEN 32 on a 64-bit hart", "half a register is written (CTR-15)", (NARROW, OPS), ("register", "operation")),
    Point("status_cg", "the status written, by WRPTR, FROZEN and mode", "WRPTR is modulo the depth",
          (VARIANTS, ("M", "S", "VS"), ("WRPTR below", "WRPTR at or above the depth"), ("FROZEN 0", "FROZEN 1")), ("variant", "mode", "WRPTR", "FROZEN")),
    Point("together_cg", "accesses in the cycle of records", "the records come first (CTR-13)", (TOGETHER, ("one", "several")), ("access", "records")),
    Point("clear_cg", "clears, by mode and FROZEN", "what they leave alone (CTR-14)",
          (CLEARS, ("M", "S", "VS"), ("FROZEN 0", "FROZEN 1")), ("clear", "mode", "FROZEN"),
          {"CLR by m x [SV]*": "mctrcontrol is M-mode's", "CLR by s x VS *": "that is vsctrcontrol", "CLR by vs, V=0 x VS *": "V is 1",
           "CLR by vs, V=1 x [MS] *": "V is 0"}),
)  # fmt: skip
assert DONE == 0
