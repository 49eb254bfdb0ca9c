# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog of the vectors that travel inside the encoders: states from lane to lane, descriptors of what is sent.

The dialect of the reference RTL has no packed structs. A vector is an entry of this table, and a package has the place
of each field: a module writes `state_o[ntrace_layout_pkg::StateStart +: 4]`, and none knows the order of the fields.
Fields whose width is a parameter come last, so that the places of the others are constants; a field after one of those
has a function of the widths before it. `verilator -Wall` reports a field that no module uses.
"""

from __future__ import annotations

from dataclasses import dataclass

from rvtrace.flow.generate.source import Source
from rvtrace.models.tandem.table import CSR_SLOTS, PARTS

ORIGIN = "flow/generate/vectors.py"


@dataclass(frozen=True)
class Bits:
    """One field. width: bits, a number or the name of a parameter in snake case. meaning: its comment."""

    name: str
    width: int | str
    meaning: str


@dataclass(frozen=True)
class Vector:
    """One vector. name: in snake case, the stem of all its constants. what: a comment. fields: the lowest bits first.
    parts: ranges of fields with a name, (first field, last field).
    """

    name: str
    what: str
    fields: tuple[Bits, ...]
    parts: tuple[tuple[str, str, str], ...] = ()

    def lines(self) -> list[str]:
        """Declarations: the place of each field, and the width of the vector and of each part."""
        at = {field.name: self._sum(self.fields[:k]) for k, field in enumerate(self.fields)}
        rows = [(field.name, at[field.name], field.meaning) for field in self.fields]
        widths = [("bits", self._sum(self.fields), "all of it")]
        names = [field.name for field in self.fields]
        for name, first, last in self.parts:
            inside = self.fields[names.index(first) : names.index(last) + 1]
            widths.append((f"{name}_bits", self._sum(inside), f"{first} to {last}"))
        declared = [(f"{self.name}_{name}", place, meaning) for name, place, meaning in (*rows, *widths)]
        constants = [(_camel(name), str(bits), meaning) for name, (bits, more), meaning in declared if not more]
        width = max(len(name) for name, _, _ in constants)
        number = max(len(value) for _, value, _ in constants)
        lines = ["", *(f"  // {line}" for line in self.what.split("\n"))]
        for name, value, meaning in constants:
            lines.append(f"  localparam int {name:{width}} = {value + ';':{number + 1}}  // {meaning}")
        lines += [_function(name, bits, more, meaning) for name, (bits, more), meaning in declared if more]
        return lines

    def _sum(self, fields: tuple[Bits, ...]) -> tuple[int, list[str]]:
        """The bits of some fields: those of constant width, and the parameters that are added."""
        constant = sum(field.width for field in fields if isinstance(field.width, int))
        return constant, [field.width for field in fields if isinstance(field.width, str)]


def _function(name: str, bits: int, more: list[str], meaning: str) -> str:
    """A function of the parameters, on one line as the constants are; one that is added twice is one argument."""
    arguments = ", ".join(dict.fromkeys(more))
    terms = [f"{more.count(one)}*{one}" if more.count(one) > 1 else one for one in dict.fromkeys(more)]
    value = " + ".join([*([str(bits)] if bits else []), *terms])
    return f"  function automatic int {name}(input int {arguments}); {name} = {value}; endfunction  // {meaning}"


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


@dataclass(frozen=True)
class Layouts:
    """The vectors of one system."""

    package: str
    title: str
    vectors: tuple[Vector, ...]

    def body(self) -> list[str]:
        """All declarations."""
        return [line for vector in self.vectors for line in vector.lines()]

    def source(self) -> Source:
        """The generated package."""
        return Source(ORIGIN, self.package, self.title, self.body)


NTRACE = Layouts(
    "rtl/ntrace/ntrace_layout_pkg.sv",
    "N-Trace encoder: where the fields of its states and descriptors are, lowest bit of each.",
    (
        Vector(
            "state",
            "The state from lane to lane. What is carried to the next beat is cleared when the trace stops.",
            (
                Bits("lost", 1, "messages were lost: an Error is owed"),
                Bits("fresh", 1, "`pend` was set in this beat"),
                Bits("sync_cnt", 20, "trace_pkg::SyncCountBits: since the last message with SYNC"),
                Bits("start", 4, "SYNC of the start that is owed; ntrace_pkg::SyncNone: none"),
                Bits("filtered", 1, "the filters stopped the trace"),
                Bits("mark_event", 1, "the next block is marked with SYNC=6"),
                Bits("mark_ext", 1, "with SYNC=0"),
                Bits("pend", 3, "what the next block's address will complete: ntrace_state_pkg::Pend*"),
                Bits("pend_btype", 2, "its B-TYPE"),
                Bits("pend_reported", 1, "its message reports a trap or an xRET: Ownership follows"),
                Bits("popped", 1, "the return stack says where the next block is"),
                Bits("icnt", "icnt_bits", "I-CNT"),
                Bits("hist", "hist_bits", "HIST, with its stop bit"),
                Bits("popped_addr", "addr_bits", "where the next block is"),
                Bits("addr_ref", "addr_bits", "the address that U-ADDR is the difference to"),
            ),
            (("carried", "start", "hist"),),
        ),
        Vector(
            "held",
            "What is held back to be counted (ntrace_repeat): a branch message, and a HIST.",
            (
                Bits("rb_valid", 1, "there is a branch message"),
                Bits("rb_tcode", 6, "its fields"),
                Bits("rb_btype", 2, "B-TYPE"),
                Bits("rb_icnt", "icnt_bits", "I-CNT"),
                Bits("rb_hist", "hist_bits", "HIST"),
                Bits("rb_target", "addr_bits", "the address"),
                Bits("rb_count", "repeat_bits", "B-CNT"),
                Bits("rep_count", "repeat_bits", "HREPEAT; 0: no HIST is held"),
                Bits("rep_hist", "hist_bits", "the HIST"),
            ),
            (("rb", "rb_valid", "rb_count"),),
        ),
        Vector(
            "own",
            "What was last reported by Ownership.",
            (
                Bits("hcontext", 16, "hcontext"),
                Bits("context", 32, "scontext"),
                Bits("priv", 3, "{V, PRV}"),
            ),
        ),
        Vector(
            "message",
            "A message on its way to the packer. The has_* functions of ntrace_pkg say which fields it has; the\n"
            "others are don't care.",
            (
                Bits("tcode", 6, "TCODE"),
                Bits("f4", 4, "SYNC, ETYPE, RCODE or EVCODE"),
                Bits("f2", 2, "B-TYPE or CDF"),
                Bits("var0", 37, "ntrace_pkg::Var0Bits: I-CNT, ECODE, RDATA, B-CNT, PROCESS or DATA; in every message"),
                Bits("addr", "addr_bits", "F-ADDR or U-ADDR without bit 0 of the address, or HREPEAT"),
                Bits("hist", "hist_bits", "HIST"),
                Bits("time", "ts_width", "the absolute time; not yet there in a lane"),
            ),
            (("lane", "tcode", "hist"),),
        ),
    ),
)

_ONCE = (
    Bits("priv", 3, "privilege"),
    Bits("cause", 8, "cause of a trap"),
    Bits("context", "context_bits", "context"),
    Bits("time", "time_bits", "time"),
    Bits("tval", "tval_bits", "tval of a trap"),
)

ETRACE = Layouts(
    "rtl/etrace/etrace_layout_pkg.sv",
    "E-Trace encoder: where the fields of its items, states and descriptors are, lowest bit of each.",
    (
        Vector(
            "item",
            "An item: an instruction or a trap. Nothing reads the flags of a trap.",
            (
                Bits("trap", 1, "a trap"),
                Bits("itype", 4, "itype of the block, if it ends with this item"),
                Bits("follows", 1, "an instruction of its block is before it"),
                Bits("sijump", 1, "sijump"),
                Bits("notify", 1, "its address is asked for"),
                Bits("due", 1, "a resynchronization is due"),
                Bits("ctype", 2, "how its context is to be reported; 0 if it is not first in its cycle"),
                Bits("long_last", 1, "an instruction of two half-words"),
                *_ONCE,
                Bits("addr", "addr_bits", "address"),
            ),
            (("flags", "follows", "long_last"), ("once", "priv", "tval")),
        ),
        Vector(
            "state",
            "What is known between items: of the previous item, of the returns, and the branches.",
            (
                Bits("valid", 1, "there is a previous item"),
                Bits("trap", 1, "it is a trap"),
                Bits("reported", 1, "which was reported at itself"),
                Bits("interrupt", 1, "the last trap was an interrupt"),
                Bits("jump", 1, "an uninferable jump"),
                Bits("popped", 1, "an implicit return"),
                Bits("resync", 1, "a resynchronization is due after it"),
                Bits("privilege", 3, "its privilege"),
                Bits("cause", 8, "the last trap's cause"),
                Bits("ret_open", 1, "implicit returns since the last branch or packet"),
                Bits("depth", "depth_bits", "open calls before it"),
                Bits("tval", "tval_bits", "the last trap's tval"),
                Bits("top", "addr_bits", "where a return leads"),
                Bits("branches", "branches_bits", "the branches"),
            ),
            (("rest", "trap", "branches"),),
        ),
        Vector(
            "branch",
            "The branches since the last packet. Three flags follow from the rest: they are there so that no item has\n"
            "to compare what the item before it counts.",
            (
                Bits("predicted", 1, "all were predicted"),
                Bits("some", 1, "number is not 0"),
                Bits("full", 1, "number is 31"),
                Bits("greatest", 1, "count is the greatest"),
                Bits("number", 5, "of branches in the map"),
                Bits("map", 31, "1: not taken"),
                Bits("count", "bcount_bits", "more than 31"),
            ),
        ),
        Vector(
            "report",
            "What is sent of an item.",
            (
                Bits("context_first", 1, "a packet 3.2 goes first"),
                Bits("kind", 3, "etrace_pkg::Kind*, or etrace_item_pkg::KindNone"),
                Bits("branch", 1, "branch, as it is sent"),
                Bits("interrupt", 1, "interrupt"),
                Bits("thaddr", 1, "thaddr"),
                Bits("notify", 1, "notify, as a flag"),
                Bits("updiscon", 1, "updiscon, as a flag"),
                Bits("irreport", 1, "irreport, as a flag"),
                Bits("counting", 1, "branches are a count, not a map"),
                Bits("fail", 1, "the item's branch ended the count"),
                Bits("hit", 1, "the target is in the jump target cache"),
                Bits("options", 6, "etrace_pkg::Opt*, in force for the packet"),
                Bits("privilege", 3, "privilege"),
                Bits("branches", 5, "branches in the map"),
                Bits("code", 8, "ecause of a trap, else irdepth"),
                Bits("index", "index_bits", "index in the cache"),
                Bits("context", "context_bits", "context"),
                Bits("time", "time_bits", "time"),
                Bits("value", "tval_bits", "tval, map or count"),
                Bits("addr", "addr_bits", "address"),
            ),
        ),
        Vector(
            "desc",
            "A report between two support packets: what waits to be sent.",
            (
                Bits("before", 1, "a support packet goes before the report"),
                Bits("after", 1, "a support packet goes after it"),
                Bits("ienable", 1, "of the support packet: ienable"),
                Bits("qual", 2, "qual_status"),
                Bits("support_time", "stamp_bits", "low bits of the time"),
                Bits("report", "reported_bits", "the report"),
            ),
        ),
    ),
)

_PARTS = [part.name for part in PARTS]


def _sends(first: str, last: str) -> Bits:
    """Which of the parts of a row from one to another are sent."""
    return Bits("sends", _PARTS.index(last) - _PARTS.index(first) + 1, f"which parts are sent, from {first} on")


TANDEM = Layouts(
    "rtl/tandem/tandem_layout_pkg.sv",
    "Tandem-trace encoder: where the fields of its state and rows are, lowest bit of each.",
    (
        Vector(
            "state",
            "What the encoder knows.",
            (
                Bits("open", 1, "an end is kept back"),
                Bits("known", 1, "the pc is known"),
                Bits("based", 5, "which registers have bases: tandem_pkg::NBases"),
                Bits("pc", "xlen", "the pc last sent"),
                Bits("base", "bases_bits", "the bases"),
            ),
        ),
        Vector(
            "head",
            "A row on its way from tandem_lane to tandem_head: what is sent up to the CSRs.",
            (
                Bits("begins", 1, "a group begins"),
                Bits("ends_before", 1, "one ends before it"),
                Bits("increments", 1, "the pc is sent as an increment"),
                Bits("gpr_form", 2, "form of the x register: tandem_table_pkg::Form*"),
                Bits("fcsr_form", 2, "form of fcsr"),
                Bits("insn16", 1, "an instruction of 16 bits"),
                Bits("insn", 32, "the instruction"),
                Bits("gpr_addr", 5, "number of the x register"),
                Bits("fpr_addr", 5, "number of the f register"),
                Bits("csr_addr", 12 * CSR_SLOTS, "addresses of CSRs"),
                _sends("reset", "csr3"),
                Bits("pc", "xlen", "pc"),
                Bits("gpr", "xlen", "value of the x register, or its difference"),
                Bits("fcsr", "xlen", "of fcsr"),
                Bits("csr", "csr_bits", "of CSRs"),
                Bits("fpr", "flen", "of the f register"),
                Bits("ppc", "mlen", "physical pc"),
            ),
        ),
        Vector(
            "tail",
            "From tandem_lane to tandem_tail: what is sent from the privilege on.",
            (
                Bits("ends", 1, "the group ends"),
                Bits("priv", 2, "privilege"),
                Bits("memdata_size", 2, "size of store data"),
                Bits("memdata", 64, "store data"),
                Bits("mtime", 64, "mtime"),
                Bits("mcycle", 64, "mcycle, or its difference"),
                Bits("mcycle_forms", 4, "forms of its halves"),
                Bits("minstret", 64, "minstret, or its difference"),
                Bits("minstret_forms", 4, "forms of its halves"),
                Bits("req_op", 4, "memory request: operation"),
                Bits("req_size", 2, "size"),
                Bits("req_data", 64, "data"),
                Bits("rsp_result", 1, "memory response: result"),
                Bits("rsp_data", 64, "data"),
                _sends("priv", "response"),
                Bits("paddr", "mlen", "physical address"),
                Bits("eaddr", "mlen", "effective address"),
                Bits("req_addr", "mlen", "address of the request"),
            ),
        ),
    ),
)

SUBSYSTEM = Layouts(
    "rtl/subsystem/subsystem_layout_pkg.sv",
    "Subsystem: where the fields of what subsystem_adapter moves to the front are, lowest bit of each.",
    (
        Vector(
            "block",
            "A block of one instruction or one trap.",
            (
                Bits("itype", 4, "itype"),
                Bits("wide", 1, "an instruction of 32 bits"),
                Bits("insn", 1, "an instruction: a trap retires nothing"),
                Bits("cause", 8, "cause of a trap"),
                Bits("mode", 3, "mode in which it happened"),
                Bits("next", 3, "mode after it"),
                Bits("context", 32, "context"),
                Bits("pc", "xlen", "pc, or EPC"),
                Bits("tval", "xlen", "tval of a trap"),
            ),
        ),
        Vector(
            "xfer",
            "A control transfer.",
            (
                Bits("itype", 4, "itype"),
                Bits("misp", 1, "it was predicted wrong"),
                Bits("from", 3, "mode of the source"),
                Bits("to", 3, "mode of the target"),
                Bits("cause", 8, "cause of a trap"),
                Bits("source", "xlen", "source"),
                Bits("target", "xlen", "target"),
            ),
        ),
    ),
)

ADAPTERS = Layouts(
    "rtl/adapters/rvfi_layout_pkg.sv",
    "RVFI adapter: where the fields of a retirement in its queue are, lowest bit of each.",
    (
        Vector(
            "row",
            "A retirement, decoded.",
            (
                Bits("insn", 32, "the instruction"),
                Bits("itype", 4, "itype"),
                Bits("cause", 4, "cause of its exception, if the trap port does not say it"),
                Bits("insn16", 1, "an instruction of 16 bits"),
                Bits("mode", 3, "mode"),
                Bits("context", 32, "context"),
                Bits("gpr_addr", 5, "number of the x register; 0: none"),
                Bits("fpr_there", 1, "it wrote an f register"),
                Bits("fpr_addr", 5, "its number"),
                Bits("fcsr_there", 1, "it wrote fcsr"),
                Bits("fcsr", 32, "fcsr"),
                Bits("csr_there", CSR_SLOTS, "slots with a CSR"),
                Bits("csr_addr", 12 * CSR_SLOTS, "addresses of CSRs"),
                Bits("accesses", 1, "it accessed memory"),
                Bits("stores", 1, "and stored"),
                Bits("size", 2, "size of the access"),
                Bits("memdata", 64, "store data"),
                Bits("trap", 1, "rvfi_trap"),
                Bits("halt", 1, "rvfi_halt"),
                Bits("intr", 1, "rvfi_intr"),
                Bits("debug", 1, "rvfi_debug"),
                Bits("xret", 1, "an xRET"),
                Bits("call", 1, "an ecall or ebreak"),
                Bits("error", 4, "rvfi_pkg::Error*"),
                Bits("pc", "xlen", "pc"),
                Bits("pc_wdata", "xlen", "pc of the next one"),
                Bits("gpr", "xlen", "value of the x register"),
                Bits("csr", "csr_bits", "values of CSRs"),
                Bits("fpr", "flen", "value of the f register"),
                Bits("paddr", "mlen", "address of the access"),
                Bits("events", "seq_bits", "number of the first event that is not older than it"),
            ),
        ),
    ),
)

SOURCES = tuple(layouts.source() for layouts in (NTRACE, ETRACE, TANDEM, SUBSYSTEM, ADAPTERS))
