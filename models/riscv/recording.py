# SPDX-License-Identifier: Apache-2.0
"""Recorded runs of real programs: how a file holds one, and reading it back as a `Retired` with its effects.

A recording is stored beside the program it was made from (`sort.rv64.rec` and `sort.rv64.elf`) and holds only
what that program does not report. Reading it walks the program, so a recording and a program that do not fit
are found.

The file is `MAGIC`, then an xz stream (its checksum finds damage) of one line of JSON and the columns it
lists, one after the other. JSON: program, xlen, elf (SHA-256 of the program file), start (first pc), rows,
columns ([name, count] pairs). Each column is `count` numbers, coded as differences to the one before, zigzag
(n -> 2n, -n -> 2n-1), 8 bytes each, all the lowest bytes first, then all the next ones, and so on. Columns:

    taken                       64 directions of retired branches a number, first one in the lowest bit
    target                      next pc after each retired indirect jump and xRET, in order
    trap_row, trap_kind, trap_cause, trap_tval, trap_handler    row, `Kind`, cause, tval, first pc after it
    priv_row, priv, context_row, context    rows at which they change, and the new value; first at row 0
    initial                     x0 to x31 before the first row
    rd_value                    of the rows that write an x register: by pc, each pc's in order
    atomic_value                written to memory by each amo (`sc` stores rs2), in order
    csr_row, csr_addr, csr_value    CSR writes, those of traps and xRET included

Loads give rd_value, stores rs2, both at rs1 + offset; the rest is in the program's instructions.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rvtrace.models.riscv.isa import Flow, MaybeNone
from rvtrace.models.riscv.operands import NONE, operands
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Effects, IType, Kind, Retired

MAGIC = b"retired recording 1\n"
DIRECTORY = Path(__file__).resolve().parents[2] / "data" / "programs"
LONG = DIRECTORY / "long"  # programs for checks that need a long run; main jobs leave them out
BUILT = (
    DIRECTORY.parents[1] / "build" / "programs"
)  # those of others, which `rvtrace programs` builds, in a folder a set
VARIANT = "v1_0"


class RecordingError(ValueError):
    """A recording that does not exist, is damaged or belongs to another program; the text says what to do."""


@dataclass
class Recording:
    """One recorded run.

    name: of the program. xlen: 32 or 64. program_path: its ELF file. program: that file, read. retired: rows
    in the form of variant v1_0 (ecall and ebreak do not retire), with effects: a load into x0 has value 0; an
    amo is a store of what it wrote, and its rd_value is what it read; CSR entries hold the value after the
    write, several of one row follow each other. initial: x0..x31 before the first row.
    """

    name: str
    xlen: int
    program_path: Path
    program: Program
    retired: Retired
    initial: np.ndarray


def names(directory: Path = DIRECTORY) -> list[str]:
    """Programs with a recording, in alphabetical order."""
    return sorted({path.name.split(".")[0] for path in Path(directory).glob("*.rv[36][24].rec")})


def built(name: str = "*", xlen: str = "*") -> list[Path]:
    """Recordings of programs that were built here, all or those of a name and a width."""
    return sorted(BUILT.glob(f"*/{name}.rv{xlen}.rec"))


def is_recorded(name_or_path: str) -> bool:
    """Whether there is a recording of this name, ours or of a program that was built here, or this .rec file."""
    if "/" in name_or_path or name_or_path.endswith(".rec"):
        return Path(name_or_path).suffix == ".rec" and Path(name_or_path).is_file()
    return name_or_path in names() or name_or_path in {path.name.split(".")[0] for path in built()}


def load(name_or_path: str | Path, xlen: int | None = None, directory: Path = DIRECTORY) -> Recording:
    """The recording of a program by name ("sort", with xlen), also of one that was built here, or of a .rec file.

    Raises RecordingError; ProgramError where the program file is not readable.
    """
    path = Path(name_or_path)
    if path.suffix != ".rec":
        if xlen not in (32, 64):
            raise RecordingError(f"recordings are of 32 or 64 bits, not {xlen}; say XLEN=32 or XLEN=64")
        path = Path(directory) / f"{name_or_path}.rv{xlen}.rec"
        if str(name_or_path) not in names(directory):
            path = _built(str(name_or_path), xlen, directory)
    elf = path.with_suffix(".elf")
    header, columns = _read(path)
    if xlen is not None and header["xlen"] != xlen:
        raise RecordingError(
            f"{path} is of an RV{header['xlen']} program, RV{xlen} was asked for; say XLEN={header['xlen']}"
        )
    try:
        digest = hashlib.sha256(elf.read_bytes()).hexdigest()
    except OSError as error:
        raise RecordingError(
            f"{path} needs its program {elf} ({error.strerror}); put it beside the recording"
        ) from None
    if digest != header["elf"]:
        raise RecordingError(f"{elf} is not the program that {path} was recorded from; {_REMEDY}")
    program = Program.from_elf(elf)
    try:
        retired = _rebuild(program, header, columns)
    except (KeyError, IndexError, ValueError, StopIteration) as error:
        reason = str(error) or "it ends too early"
        raise RecordingError(f"{path} does not fit its program ({reason}); {_REMEDY}") from None
    return Recording(header["program"], header["xlen"], elf, program, retired, columns["initial"])


def _built(name: str, xlen: int, directory: Path) -> Path:
    """The recording of a program that was built here; RecordingError if there is none of that name and width."""
    if is_recorded(name):
        if found := built(name, str(xlen)):
            return found[0]
        raise RecordingError(f"program {name} was not built for RV{xlen}; give XLEN={96 - xlen}")
    known = ", ".join(names(directory)) or "none (they are in data/ of a checkout, not in an installed package)"
    raise RecordingError(
        f"there is no recorded program {name!r}; those that exist: {known}; `rvtrace programs` builds others, such as"
        " dhrystone with SET=riscv-tests"
    )


_REMEDY = "restore both with git checkout, or record again with tests/programs/build.py"


def save(path: Path, elf: Path, retired: Retired, initial: np.ndarray) -> None:
    """Write a recording of `retired`, which has effects, from a run of `elf`; same input, same bytes.

    retired: instructions, exceptions and interrupts only. initial: x0..x31 before the first row.
    """
    program, effects = Program.from_elf(elf), retired.effects
    assert effects is not None, "only a stream with effects is a recording"
    kind, pc = retired.kind, retired.pc
    insn, after = kind == Kind.INSN, np.append(pc[1:], np.uint64(0))
    traps = np.flatnonzero(~insn)
    static = _Static(program, pc, insn)
    writes = np.flatnonzero(effects.rd)
    columns = {
        "taken": _pack_bits(retired.taken[retired.taken >= 0]),
        "target": after[insn & (program.columns(pc).flow == Flow.UNINFERABLE)],
        "trap_row": traps, "trap_kind": kind[traps], "trap_cause": retired.cause[traps],
        "trap_tval": retired.tval[traps], "trap_handler": after[traps],
        "initial": initial,
        "rd_value": effects.rd_value[writes[np.argsort(pc[writes], kind="stable")]],
        "atomic_value": effects.mem_value[static.amo],
        "csr_row": effects.csr_row, "csr_addr": effects.csr_addr, "csr_value": effects.csr_value,
    }  # fmt: skip
    for name in ("priv", "context"):
        values = getattr(retired, name)
        rows = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
        columns |= {f"{name}_row": rows, name: values[rows]}
    header = {
        "program": path.name.split(".")[0], "xlen": program.xlen,
        "elf": hashlib.sha256(elf.read_bytes()).hexdigest(), "start": int(pc[0]),
        "rows": len(retired), "columns": [[name, len(c)] for name, c in columns.items()],
    }  # fmt: skip
    body = json.dumps(header).encode() + b"\n" + b"".join(map(_pack, columns.values()))
    path.write_bytes(MAGIC + lzma.compress(body, check=lzma.CHECK_CRC64, preset=9 | lzma.PRESET_EXTREME))


def _pack(column: np.ndarray) -> bytes:
    step = np.diff(column.astype(np.uint64), prepend=np.uint64(0)).view(np.int64)
    zigzag = (step << 1) ^ (step >> 63)
    return np.ascontiguousarray(zigzag.view(np.uint8).reshape(-1, 8).T).tobytes()


def _unpack(planes: bytes) -> np.ndarray:
    rows = np.ascontiguousarray(np.frombuffer(planes, dtype=np.uint8).reshape(8, -1).T)
    zigzag = rows.reshape(-1).view(np.uint64)
    step = (zigzag >> np.uint64(1)) ^ (-(zigzag & np.uint64(1)).view(np.int64)).view(np.uint64)
    return np.cumsum(step, dtype=np.uint64)


def _pack_bits(bits: np.ndarray) -> np.ndarray:
    packed = np.packbits(bits.astype(bool), bitorder="little")
    return np.pad(packed, (0, -len(packed) % 8)).view("<u8")


def _read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and columns of a file."""
    try:
        stored = path.read_bytes()
    except OSError as error:
        raise RecordingError(
            f"{path} cannot be read ({error.strerror}); give the .rec file of a recorded program"
        ) from None
    if not stored.startswith(MAGIC):
        raise RecordingError(
            f"{path} is not a recording (it does not begin with {MAGIC.decode().strip()!r}); {_REMEDY}"
        )
    try:
        line, _, body = lzma.decompress(stored[len(MAGIC) :]).partition(b"\n")
        header, columns, at = json.loads(line), {}, 0
        for name, count in header["columns"]:
            columns[name] = _unpack(body[at : at + 8 * count])
            at += 8 * count
        if any(len(columns[name]) != count for name, count in header["columns"]) or at != len(body):
            raise ValueError("its columns are not as long as it says")
        return {key: header[key] for key in ("program", "xlen", "elf", "start", "rows")}, columns
    except (lzma.LZMAError, ValueError, KeyError, TypeError) as error:
        raise RecordingError(f"{path} is damaged ({error}); {_REMEDY}") from None


class _Static:
    """What the rows' instructions say about effects, as arrays of the row count; 0 where not `insn`."""

    def __init__(self, program: Program, pc: np.ndarray, insn: np.ndarray) -> None:
        pcs, index = np.unique(pc, return_inverse=True)
        table = np.zeros((len(pcs), 8), dtype=np.int64)
        for entry, address in zip(table, pcs.tolist()):
            decoded = program.insn(address)
            o = operands(decoded.raw, decoded.size, program.xlen) if decoded else NONE
            entry[:] = o.rd, o.rs1, o.rs2, o.imm, o.size, o.store, o.atomic == "sc", o.atomic[:3] == "amo"
        columns = np.where(insn, table.T[:, index], 0)
        self.rd, self.rs1, self.rs2, self.imm, self.size, self.store, sc, amo = columns
        self.sc, self.amo, self.by_pc = sc.astype(bool), amo.astype(bool), index


def _rebuild(program: Program, header: dict[str, Any], stored: dict[str, np.ndarray]) -> Retired:
    """The rows, from what is stored and the program. Raises ValueError where they do not fit."""
    rows = header["rows"]
    pc = np.array(_walk(program, header["start"], rows, stored), dtype=np.uint64)
    kind = np.full(rows, Kind.INSN, dtype=np.uint8)
    trap_rows = stored["trap_row"].astype(np.intp)
    kind[trap_rows] = stored["trap_kind"]
    insn = kind == Kind.INSN
    if rows - insn.sum() != len(trap_rows):
        raise ValueError("a row of the trap list is not a trap")
    told = program.columns(pc)
    branches = np.flatnonzero(insn & (told.flow == Flow.BRANCH))
    taken = np.full(rows, -1, dtype=np.int8)
    taken[branches] = np.unpackbits(stored["taken"].view(np.uint8), bitorder="little")[: len(branches)]
    itype = told.itype[VARIANT].copy()
    itype[taken == 1] = IType.TAKEN
    itype[~insn] = kind[~insn]  # Kind and IType share the numbers of exception and interrupt
    cause, tval = np.zeros(rows, dtype=np.uint64), np.zeros(rows, dtype=np.uint64)
    cause[trap_rows], tval[trap_rows] = stored["trap_cause"], stored["trap_tval"]
    return Retired(
        kind, pc, np.where(insn, told.size, 0), itype, taken, cause, tval,
        _hold(stored["priv_row"], stored["priv"], rows),
        _hold(stored["context_row"], stored["context"], rows),
        _effects(program, pc, insn, stored),
    )  # fmt: skip


def _hold(at: np.ndarray, values: np.ndarray, rows: int) -> np.ndarray:
    """Each value from its row on."""
    return np.repeat(values, np.diff(at.astype(np.int64), append=rows))


def _walk(program: Program, pc: int, rows: int, stored: dict[str, np.ndarray]) -> list[int]:
    """The pc of every row: through the program, block by block, decided by what is stored."""
    taken = iter(np.unpackbits(stored["taken"].view(np.uint8), bitorder="little").tolist())
    targets, handlers = iter(stored["target"].tolist()), iter(stored["trap_handler"].tolist())
    trap_rows = iter([*stored["trap_row"].tolist(), rows])
    blocks: dict[int, tuple[list[int], int, int, Flow, int | MaybeNone]] = {}
    out: list[int] = []
    limit = next(trap_rows)
    while True:
        room = limit - len(out)
        if room:
            block = blocks.get(pc)
            if block is None:
                block = blocks[pc] = _block(program, pc)
            pcs, count, end, flow, target = block
            if count <= room and flow != Flow.TRAP:
                out += pcs
                if flow == Flow.BRANCH:
                    pc = target if next(taken) else end
                elif flow == Flow.INFERABLE:
                    pc = target
                elif flow == Flow.UNINFERABLE:
                    pc = next(targets)
                continue
            if room > count:
                raise ValueError(f"at {end:#x} there is nothing that retires")
            out += pcs[:room]
            pc = pcs[room] if room < count else end
        elif limit == rows:
            if next(targets, None) is not None or next(handlers, None) is not None:
                raise ValueError("it has more jumps or traps than the program meets")
            return out
        else:
            out.append(pc)
            pc, limit = next(handlers), next(trap_rows)


def _block(program: Program, pc: int) -> tuple[list[int], int, int, Flow, int | MaybeNone]:
    """Straight line from pc: addresses of what retires, how many, address after, how and where to.

    Flow TRAP also means the end of the program: nothing retires there.
    """
    pcs: list[int] = []
    while (insn := program.insn(pc)) is not None and insn.flow != Flow.TRAP:
        pcs.append(pc)
        pc += insn.size
        if insn.flow != Flow.SEQUENTIAL:
            return pcs, len(pcs), pc, insn.flow, insn.target
    return pcs, len(pcs), pc, Flow.TRAP, None


def _effects(program: Program, pc: np.ndarray, insn: np.ndarray, stored: dict[str, np.ndarray]) -> Effects:
    static = _Static(program, pc, insn)
    mask = np.uint64((1 << program.xlen) - 1)
    writes = np.flatnonzero(static.rd)
    rd_value = np.zeros(len(pc), dtype=np.uint64)
    rd_value[writes[np.argsort(static.by_pc[writes], kind="stable")]] = stored["rd_value"]
    access = (static.size > 0) & ~(static.sc & (rd_value != 0))
    stores = access & (static.store == 1)
    value_mask = np.uint64(0xFFFF_FFFF_FFFF_FFFF) >> (np.uint64(64) - np.uint64(8) * static.size.astype(np.uint64))
    addr, value = np.zeros_like(pc), np.where(access & ~stores, rd_value, 0)
    for register in range(32):
        written = np.flatnonzero(static.rd == register) if register else np.zeros(0, dtype=np.intp)
        history = np.append(stored["initial"][register], rd_value[written])
        for column, mine in (
            (addr, access & (static.rs1 == register)),
            (value, stores & (static.rs2 == register)),
        ):
            users = np.flatnonzero(mine)
            column[users] = history[np.searchsorted(written, users)]
    addr[access] = addr[access] + static.imm[access].astype(np.uint64) & mask
    value[static.amo] = stored["atomic_value"]
    return Effects(
        rd=static.rd.astype(np.uint8), rd_value=rd_value, mem_addr=addr,
        mem_size=np.where(access, static.size, 0).astype(np.uint8), mem_store=stores.astype(np.uint8),
        mem_value=np.where(access, value & value_mask, 0),
        csr_row=stored["csr_row"].astype(np.int64), csr_addr=stored["csr_addr"].astype(np.uint16),
        csr_value=stored["csr_value"],
    )  # fmt: skip
