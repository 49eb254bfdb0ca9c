"""The coverage points of the counters' CSRs: who accessed what, how it ended, and what it showed.

Made from the register table; registers that differ by their number only are one. What no access can end as is found by asking the
rules with every setting of the enables.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product

from models.hpm.config import Config
from models.hpm.model_access import outcome
from models.hpm.registers import Csr, csrs
from models.riscv.csr import DEBUG, HS, OUTCOMES, READ, VS, VU, WRITE, Access, M, U
from tb.coverage.model import CROSS, Point

XLENS = ("RV32", "RV64")
MODES = ("M", "S", "U", "VS", "VU")
MODE_NAMES = {M: "M", HS: "S", U: "U", VS: "VS", VU: "VU", DEBUG: "Debug"}
ENDS = tuple(OUTCOMES.values())
OPS = ("read", "write", "set", "clear")
VIEWS = ("cycle", "time", "instret", "hpmcounter")
BITS = ("0", "1")
UNKNOWN = ("h at XLEN 64", "without S", "without H", "without an extension", "any other")
_NUMBER = re.compile(r"\d+")


def family(name: str) -> str:
    """A CSR's name without number: those are one register of many."""
    return _NUMBER.sub("", name)


@cache
def full() -> dict[str, Csr]:
    """One CSR of each name without number, of everything there is."""
    return {family(c.name): c for c in csrs(Config())}


def _csr_rules() -> dict[str, str]:
    rules, config = {}, Config()
    for name, csr in full().items():
        for priv, mode in MODE_NAMES.items():
            settings = product((READ, WRITE), (1,) if csr.high else (0, 1), *[(0, 1 << max(csr.number, 0))] * 3)
            found = {outcome(config, csr, Access(op, csr.address, 1, priv, narrow), enables) for op, narrow, *enables in settings}
            for code in set(OUTCOMES) - found:
                rules[CROSS.join((name, mode, OUTCOMES[code]))] = "no setting of the enables gives that"
    return rules


POINTS = (
    Point("csr_cg", "accesses by register, mode and outcome", "the access table, row by row (HPM-8)",
          (tuple(full()), tuple(MODE_NAMES.values()), ENDS), ("register", "mode", "outcome"), _csr_rules()),
    Point("op_cg", "accesses that were done from M-mode, by register and operation", "set and clear are paths of their own",
          (tuple(full()), OPS), ("register", "operation"),
          {f"{name} x {op}": "read-only" for name, csr in full().items() if csr.read_only for op in OPS[1:2]}),
    Point("enable_cg", "views of counters read by mode, and by the three enables", "which enables a mode asks, and which refusal comes first (HPM-8)",
          (VIEWS, ("low", "high"), MODES, ("m 0", "m 1"), ("s 0", "s 1"), ("h 0", "h 1")), ("view", "half", "mode", "mcounteren", "scounteren", "hcounteren")),
    Point("unknown_cg", "addresses that are not there", "nothing answers there", (UNKNOWN, ("from M", "from below")), ("address", "mode")),
    Point("ovf_cg", "bits of scountovf read, by mode, OF and enables", "it is masked below M-mode (HPM-2)",
          (("M", "S", "VS"), ("OF 0", "OF 1"), ("m 0", "m 1"), ("h 0", "h 1")), ("mode", "OF", "mcounteren", "hcounteren")),
    Point("time_cg", "time read, by mode and htimedelta", "it is added with V = 1 only", (MODES, ("0", "positive", "negative")), ("mode", "htimedelta")),
    Point("narrow_cg", "accesses at XLEN 32 on a 64-bit hart", "half a register is read and written", (tuple(full()), ("read", "written")), ("register", "access"),
          {f"{name} x written": "read-only" for name, csr in full().items() if csr.read_only}),
)  # fmt: skip
