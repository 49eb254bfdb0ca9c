# SPDX-License-Identifier: Apache-2.0
"""QEMU and OpenSBI as a machine that plays a supervisor's actions: builds the program of flow/opensbi/client/, runs it,
reads what it printed.

    machine = Machine(64, Path("fw_dynamic.bin"))
    results = machine.play(actions)            # one for each action, as rvtrace.models.sbi_pmu.calls.act gives them
    machine.versions                           # after the first play

Firmware events are made to happen: `STIMULI` says what makes which, `ALONG` what comes with it on the hart itself.
"""

from __future__ import annotations

import hashlib
import re
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.models.sbi_pmu.calls import Action, Call, FirmwareEvent, Peek, Poke, Run, SupervisorCsr
from rvtrace.models.sbi_pmu.pmu import SbiRet
from rvtrace.models.sbi_pmu.tables import EID

SOURCES = Path(__file__).with_name("client")
GCC = "riscv64-unknown-elf-gcc"
FLAGS = (
    "-misa-spec=2.2 -std=gnu11 -O2 -Wall -Wextra -Werror -ffreestanding -fno-builtin -mcmodel=medany -nostdlib"
    " -nostartfiles -static -Wl,--build-id=none,--no-warn-rwx-segments,-n -T link.ld start.S client.c -lgcc"
).split()
TIMEOUT = 60  # seconds

COMMANDS, RAM, FIRMWARE, RAM_SIZE = 0x8080_0000, 0x8000_0000, 0x8_0000, 64 << 20
MEMORY = 0x8100_0000  # what the supervisor uses as shared memory; the RAM after it is zero

_CALL, _PEEK, _POKE, _CSR, _SPIN, _ILLEGAL, _LOAD, _STORE = range(1, 9)
_LINE = re.compile(r"[CPR.][ 0-9a-fT]*|E")
_ONES = (1 << 64) - 1
_TIME, _RFENCE = 0x5449_4D45, 0x5246_4E43


class Command(NamedTuple):
    """One command of client.c. traps: scause that it has to leave, or None."""

    op: int
    arguments: tuple[int, ...]
    data: bytes = b""
    traps: int | None = None

    def bytes(self) -> bytes:
        """As it lies in memory."""
        data = self.data + bytes(-len(self.data) % 8)
        words = (self.op, 8 * len(self.arguments) + len(data), *self.arguments)
        return b"".join((word & _ONES).to_bytes(8, "little") for word in words) + data


def _ecall(eid: int, fid: int, *registers: int) -> Command:
    return Command(_CALL, (eid, fid, *registers, *(0,) * (6 - len(registers))))


def _remote(fid: int) -> tuple[Command, ...]:
    return (_ecall(_RFENCE, fid, 1, 0, 0, 0x1000),)  # hart 0: itself


# event_idx.code -> what makes it happen once.
STIMULI: Mapping[int, tuple[Command, ...]] = {
    2: (Command(_LOAD, (RAM,), traps=5),),
    3: (Command(_STORE, (RAM,), traps=7),),
    4: (Command(_ILLEGAL, (), traps=2),),
    5: (_ecall(_TIME, 0, _ONES, _ONES),),
    8: _remote(0),
    10: _remote(1),
    12: _remote(2),
    16: _remote(3),
    14: _remote(4),
    20: _remote(5),
    18: _remote(6),
}
# What a hart that sends to itself receives; it comes with the event before it.
ALONG: Mapping[int, int] = {code + 1: code for code in (8, 10, 12, 14, 16, 18, 20)}


class Tree(NamedTuple):
    """What a device tree says. events: event_idx -> mask of the counters that can monitor it. isa: ISA string of the
    hart.
    """

    events: dict[int, int]
    isa: str


def events_of(tree: bytes) -> Tree:
    """What a flattened device tree of one hart says about counters."""
    properties = dict(_properties(tree))
    cells = properties["riscv,event-to-mhpmcounters"]
    words = struct.unpack(f">{len(cells) // 4}I", cells)
    events: dict[int, int] = {}
    for first, last, mask in zip(*(words[i::3] for i in range(3))):
        events.update((event, mask) for event in range(first, last + 1) if mask)
    return Tree(events, properties["riscv,isa"].rstrip(b"\0").decode())


def _properties(tree: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and value of all properties of all nodes of a flattened device tree."""
    _, _, at, names = struct.unpack_from(">4I", tree)
    while True:
        (token,) = struct.unpack_from(">I", tree, at)
        at += 4
        if token == 9:
            return
        if token == 1:  # a node and its name
            at = tree.index(b"\0", at) + 4 & ~3
        elif token == 3:
            size, name = struct.unpack_from(">2I", tree, at)
            start = names + name
            yield tree[start : tree.index(b"\0", start)].decode(), tree[at + 8 : at + 8 + size]
            at += 8 + size + 3 & ~3


def commands(action: Action) -> list[Command]:
    """What client.c has to do for an action; the result is the first one's. ArgumentError for an event that cannot be
    made.
    """
    if isinstance(action, Call):
        return [_ecall(EID, action.fid, *action.registers)]
    if isinstance(action, Peek):
        return [Command(_PEEK, tuple(action))]
    if isinstance(action, Poke):
        return [Command(_POKE, (action.address, len(action.data)), action.data)]
    if isinstance(action, SupervisorCsr):
        return [Command(_CSR, tuple(action))]
    if isinstance(action, Run):
        return [Command(_SPIN, (action.cycles,))]
    if action.code in ALONG:
        return []
    if action.code not in STIMULI:
        raise ArgumentError(
            f"nothing makes firmware event {action.code} happen; take one of {', '.join(map(str, sorted(STIMULI)))}"
        )
    return [*STIMULI[action.code]] * action.count


class Versions(NamedTuple):
    """Who answered. sbi: of the specification. opensbi: of the implementation; qemu: first line of its --version.
    sha256: of the firmware.
    """

    sbi: str
    opensbi: str
    qemu: str
    sha256: str


class Machine:
    """QEMU's `virt` with Sscofpmf and one hart, OpenSBI, and our program in S-mode. firmware: an fw_dynamic.bin."""

    def __init__(self, xlen: int, firmware: Path) -> None:
        self.xlen, self.firmware = xlen, firmware
        self.qemu = f"qemu-system-riscv{xlen}"
        self.options = ["-M", "virt", "-cpu", f"rv{xlen},sscofpmf=true", "-smp", "1", "-m", f"{RAM_SIZE >> 20}M"]
        self.versions: Versions | None = None

    def device_tree(self) -> Tree:
        """What the device tree that QEMU gives to OpenSBI says about counters."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "virt.dtb"
            _run([self.qemu, *self.options, "-bios", str(self.firmware), "-machine", f"dumpdtb={path}"])
            return events_of(path.read_bytes())

    def play(self, actions: Sequence[Action]) -> list[Any]:
        """Plays actions from reset. ArgumentError if the program cannot be built or did not come to its end."""
        plan = [commands(action) for action in actions]
        flat = [command for some in plan for command in some]
        lines = self._lines(flat)
        self.versions = self._versions(next(lines))
        results: list[Any] = []
        for action, some in zip(actions, plan):
            got = [self._answer(command, next(lines, "")) for command in some]
            results.append(got[0] if got and not isinstance(action, FirmwareEvent) else None)
        return results

    def _lines(self, flat: list[Command]) -> Iterator[str]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            abi = "lp64" if self.xlen == 64 else "ilp32"
            _run(
                [GCC, f"-march=rv{self.xlen}ima", f"-mabi={abi}", *FLAGS, "-o", str(folder / "client.elf")],
                cwd=SOURCES,
            )
            (folder / "commands").write_bytes(b"".join(c.bytes() for c in flat) + bytes(16))
            loader = f"loader,file={folder / 'commands'},addr={COMMANDS:#x},force-raw=on"
            output = _run(
                [
                    self.qemu,
                    *self.options,
                    "-icount",
                    "shift=0",
                    "-display",
                    "none",
                    "-monitor",
                    "none",
                    "-serial",
                    "stdio",
                    "-bios",
                    str(self.firmware),
                    "-kernel",
                    str(folder / "client.elf"),
                    "-device",
                    loader,
                ]
            )
        lines = output[output.find("\nH ") + 1 :].replace("\r", "").splitlines()
        if lines[-1:] != ["E"]:
            at = next((n for n, line in enumerate(lines[1:]) if not _LINE.fullmatch(line)), len(lines) - 2)
            answer = "; ".join(lines[at + 1 : at + 4])
            raise ArgumentError(f"the machine stopped at {flat[at] if at >= 0 else 'its boot'}: {answer}")
        return iter(lines)

    def _versions(self, line: str) -> Versions:
        sbi, who, version = (int(word, 16) for word in line.split()[1:])
        if who != 1:
            raise ArgumentError(
                f"SBI implementation {who} answered, OpenSBI (1) was needed; give FIRMWARE=<its fw_dynamic.bin>"
            )
        qemu = _run([self.qemu, "--version"]).splitlines()[0]
        digest = hashlib.sha256(self.firmware.read_bytes()).hexdigest()
        return Versions(f"{sbi >> 24 & 127}.{sbi & 0xFF_FFFF}", f"{version >> 16}.{version & 0xFFFF}", qemu, digest)

    def _answer(self, command: Command, line: str) -> Any:
        words = line.split()
        trap = int(words[-1], 16) if "T" in words else None
        if not words or trap != command.traps:
            raise ArgumentError(
                f"{command} gave {line!r}; expected {'no trap' if command.traps is None else f'trap {command.traps}'}"
            )
        if words[0] == "C":
            error = int(words[1], 16) & (1 << self.xlen) - 1
            return SbiRet(error - (error >> self.xlen - 1 << self.xlen), int(words[2], 16) & (1 << self.xlen) - 1)
        if words[0] == "P":
            return bytes.fromhex(words[1]) if len(words) > 1 else b""
        return int(words[1], 16) if words[0] == "R" else None


def _run(command: list[str], cwd: Path | None = None) -> str:
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            text=True,
            errors="replace",
        )
    except FileNotFoundError:
        raise ArgumentError(
            f"{command[0]} is not there; type `rvtrace oracle sbi_pmu`, which installs it from Debian"
        ) from None
    except subprocess.TimeoutExpired as error:
        return (error.stdout or b"").decode(errors="replace")  # a firmware that died waits for ever
    if done.returncode:
        raise ArgumentError(f"{command[0]} failed: {done.stderr.strip()[-300:]}")
    return done.stdout
