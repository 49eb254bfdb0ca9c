# SPDX-License-Identifier: Apache-2.0
"""The tandem-verification trace as data: opcodes, their fields, registers, identifiers, and the fields of the encoder's
port.

Everybody reads this: packer and unpacker of single items (`rvtrace.models.tandem.encoder.items`), encoder model,
decoder, listing, the page docs/reference/tandem-profile.md and the RTL package. It holds what the specification
(version 2018-11-20, chapter 2) and its errata say.

Bytes are little endian; fields are packed from bit 0 on. Widths that depend on the implementation are those of a
`Config`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from rvtrace.models.common.messages import SIGNED, Field, MessageType, Table

VERSION = "2018-11-20"

# --- Opcodes (chapter 2, first table) -------------------------------------------------------------------------------

BEGIN, END, INCREMENT_PC, REGISTER, ADD, OR, STATE, REQUEST, RESPONSE, RESET, INIT = range(1, 12)
INSN16, INSN32 = 16, 17


@dataclass(frozen=True)
class Opcode(MessageType):
    """An opcode: its item's name, what it means, and its fields after the opcode byte."""

    @property
    def code(self) -> int:
        """Its number."""
        return self.selector["opcode"]


def _item(code: int, name: str, meaning: str, fields: tuple[Field, ...] = ()) -> Opcode:
    return Opcode(name, fields, {"opcode": code}, "2", meaning=meaning)


def _register(config: Any, values: Mapping[str, int]) -> int:
    return register_width(config, values["address"])


def _state(config: Any, values: Mapping[str, int]) -> int:
    return state_width(config, values["id"])


def _mlen(config: Any, values: Mapping[str, int]) -> int:
    return config.mlen_bytes * 8


def _request_data(config: Any, values: Mapping[str, int]) -> int:
    return 8 << values["size"] if OPERATIONS[values["op"]].request_data else 0


def _response_data(config: Any, values: Mapping[str, int]) -> int:
    """`op` is that of the request before it (TV-1)."""
    return 8 << values["size"] if response_has_data(config, values["op"], values["result"]) else 0


_ADDRESS = Field("address", 16)
OPCODES: tuple[Opcode, ...] = (
    _item(BEGIN, "begin", "begin group"),
    _item(END, "end", "end group"),
    _item(INCREMENT_PC, "increment_pc", "pc advances by the length of the instruction"),
    _item(REGISTER, "register", "full register", (_ADDRESS, Field("data", _register))),
    _item(ADD, "add", "register plus an offset", (_ADDRESS, Field("offset", 8, coding=SIGNED))),
    _item(OR, "or", "register with bits set", (_ADDRESS, Field("mask", 8))),
    _item(STATE, "state", "additional state", (Field("id", 8), Field("data", _state))),
    _item(
        REQUEST,
        "request",
        "memory request",
        (Field("address", _mlen), Field("op", 4), Field("size", 4), Field("data", _request_data)),
    ),
    _item(
        RESPONSE,
        "response",
        "memory response",
        (Field("size", 4), Field("result", 4), Field("data", _response_data)),
    ),
    _item(RESET, "reset", "hart reset"),
    _item(INIT, "init", "state initialization"),
    _item(INSN16, "insn16", "16-bit instruction", (Field("bits", 16),)),
    _item(INSN32, "insn32", "32-bit instruction", (Field("bits", 32),)),
)
TABLES: dict[str, Table[MessageType]] = {VERSION: Table(OPCODES, VERSION)}  # what everybody reads; one version so far
BY_CODE = {opcode.code: opcode for opcode in OPCODES}

# --- Registers (notes, "register addresses") ------------------------------------------------------------------------


class RegisterClass(NamedTuple):
    """A range of register addresses. width: name of the config's attribute that says how wide they are."""

    name: str
    first: int
    last: int
    width: str


CSR_BASE, GPR_BASE, FPR_BASE = 0x0000, 0x1000, 0x1020
REGISTER_CLASSES = (
    RegisterClass("csr", CSR_BASE, 0x0FFF, "xlen"),
    RegisterClass("gpr", GPR_BASE, 0x101F, "xlen"),
    RegisterClass("fpr", FPR_BASE, 0x103F, "flen"),
)
FFLAGS, FRM, FCSR = 0x001, 0x002, 0x003
MCYCLE, MCYCLEH, MINSTRET, MINSTRETH = 0xB00, 0xB80, 0xB02, 0xB82


def register_width(config: Any, address: int) -> int:
    """Bits of a full register, 0 where there is no register."""
    for one in REGISTER_CLASSES:
        if one.first <= address <= one.last:
            return int(getattr(config, one.width))
    return 0


# --- Additional state (chapter 2, last table) -----------------------------------------------------------------------


class State(NamedTuple):
    """An identifier. width: bits, or the name of the config's attribute that says how many."""

    id: int
    name: str
    meaning: str
    width: int | str


PRIV, PADDR, EADDR, MEMDATA, MTIME, PPC, PC = 1, 2, 3, 4, 8, 9, 10
STATES: tuple[State, ...] = (
    State(1, "priv", "privilege", 8),
    State(2, "paddr", "physical address", "mlen_bits"),
    State(3, "eaddr", "effective address", "mlen_bits"),
    State(4, "memdata8", "store data", 8),
    State(5, "memdata16", "store data", 16),
    State(6, "memdata32", "store data", 32),
    State(7, "memdata64", "store data", 64),
    State(8, "mtime", "mtime", 64),
    State(9, "ppc", "physical pc", "mlen_bits"),
    State(10, "pc", "pc", "xlen"),
)
BY_ID = {state.id: state for state in STATES}
PRIVILEGES = {0: "U", 1: "S", 3: "M"}
# An item's effect as one number: a register address, or STATE_KEY + identifier. `rvtrace.models.tandem.decoder.decoded`
# and the shadow use it.
STATE_KEY = 0x10000


def state_width(config: Any, identifier: int) -> int:
    """Bits of additional state, 0 for an unknown identifier."""
    state = BY_ID.get(identifier)
    if state is None:
        return 0
    return state.width if isinstance(state.width, int) else int(getattr(config, state.width))


# --- Memory requests and responses ----------------------------------------------------------------------------------


class Operation(NamedTuple):
    """A memory operation; whether its request, and its response if it succeeded, have data (TV-2)."""

    name: str
    request_data: bool
    response_data: bool


OPERATIONS: tuple[Operation, ...] = (
    Operation("load", False, True),
    Operation("store", True, False),
    Operation("lr", False, True),
    Operation("sc", True, True),
    *(
        Operation(f"amo{name}", True, True)
        for name in ("swap", "add", "xor", "and", "or", "min", "max", "minu", "maxu")
    ),
    Operation("fetch", False, True),
)
LOAD, STORE, LR, SC, AMOSWAP = range(5)
FETCH = 13
SIZES = (8, 16, 32, 64)  # bits, by the size field
SUCCESS, FAILURE = range(2)
RESULTS = ("success", "failure")


def response_has_data(config: Any, op: int, result: int) -> bool:
    """Whether a response to such a request has data (TV-2)."""
    return OPERATIONS[op].response_data and (result == SUCCESS or bool(config.response_data_on_failure))


# --- The port of the encoder (Appendix B, and what its errata add) --------------------------------------------------


class Column(NamedTuple):
    """A signal of a lane, and a column of `Rows`. width: bits, or an attribute of the config; count: elements, 1 but
    for CSRs.
    """

    name: str
    width: int | str
    count: int = 1


class Part(NamedTuple):
    """What a row may have: bit `PARTS.index(it)` of `has`. columns: what it then says. absent: the name that leaves it
    out.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...] = ()
    absent: str = ""


CSR_SLOTS = 4
# In the order in which the parts are sent.
PARTS: tuple[Part, ...] = (
    Part("group", "the row is a group; else what it says is sent outside groups"),
    Part("flush", "alone: closes the group that an implied end left open"),
    Part("reset", "the hart is reset"),
    Part("init", "state initialization"),
    Part("pc", "next pc", (Column("pc", "xlen"),), "pc"),
    Part("ppc", "its physical address", (Column("ppc", "mlen"),), "ppc"),
    Part("insn", "instruction that retired or trapped", (Column("insn", 32), Column("insn16", 1)), "insn"),
    Part("gpr", "x register", (Column("gpr_addr", 5), Column("gpr", "xlen")), "gpr"),
    Part("fpr", "f register", (Column("fpr_addr", 5), Column("fpr", "flen")), "fpr"),
    Part("fcsr", "fcsr", (Column("fcsr", 32),), "fcsr"),
    Part("csr0", "CSR, slot 0", (Column("csr_addr", 12, CSR_SLOTS), Column("csr", "xlen", CSR_SLOTS)), "csr"),
    Part("csr1", "CSR, slot 1", (), "csr"),
    Part("csr2", "CSR, slot 2", (), "csr"),
    Part("csr3", "CSR, slot 3", (), "csr"),
    Part("priv", "privilege from here on", (Column("priv", 2),), "priv"),
    Part("paddr", "physical address of the access", (Column("paddr", "mlen"),), "paddr"),
    Part("eaddr", "effective address of the access", (Column("eaddr", "mlen"),), "eaddr"),
    Part("memdata", "store data", (Column("memdata_size", 2), Column("memdata", 64)), "memdata"),
    Part("mtime", "mtime", (Column("mtime", 64),), "mtime"),
    Part("mcycle", "mcycle", (Column("mcycle", 64),), "mcycle"),
    Part("minstret", "minstret", (Column("minstret", 64),), "minstret"),
    Part(
        "request",
        "memory request",
        (Column("req_op", 4), Column("req_size", 2), Column("req_addr", "mlen"), Column("req_data", 64)),
        "request",
    ),
    Part("response", "its response", (Column("rsp_result", 1), Column("rsp_data", 64)), "response"),
)
BIT = {part.name: index for index, part in enumerate(PARTS)}
HAS = {part.name: 1 << index for index, part in enumerate(PARTS)}
COLUMNS: tuple[Column, ...] = tuple(column for part in PARTS for column in part.columns)
ABSENT_NAMES: tuple[str, ...] = tuple(dict.fromkeys(part.absent for part in PARTS if part.absent))


def column_width(config: Any, column: Column) -> int:
    """Bits of one element of a column."""
    return column.width if isinstance(column.width, int) else int(getattr(config, column.width))
